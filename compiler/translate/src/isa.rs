//! The machine to generate code for: Cranelift's flags, and why each is set.

use std::sync::OnceLock;

use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable, Flags};

use crate::options::{Error, Level, Options};

/// A machine at each level, made when first needed.
pub(crate) struct Machine {
    host: bool,
    verify: bool,
    speed: OnceLock<Result<OwnedTargetIsa, Error>>,
    fast: OnceLock<Result<OwnedTargetIsa, Error>>,
}

impl Machine {
    /// The machine that we run on, with all its features.
    pub fn host(options: &Options) -> Machine {
        Machine { host: true, verify: options.verify, speed: OnceLock::new(), fast: OnceLock::new() }
    }

    /// A machine of this architecture as old as we support: x86-64-v2 (2009), any aarch64.
    pub fn baseline(options: &Options) -> Machine {
        Machine { host: false, ..Machine::host(options) }
    }

    /// Its description for Cranelift.
    pub fn at(&self, level: Level) -> Result<&dyn TargetIsa, Error> {
        let made = match level {
            Level::Speed => &self.speed,
            Level::Fast => &self.fast,
        };
        match made.get_or_init(|| self.make(level)) {
            Ok(isa) => Ok(&**isa),
            Err(e) => Err(e.clone()),
        }
    }

    fn make(&self, level: Level) -> Result<OwnedTargetIsa, Error> {
        let failed = |e: &dyn std::fmt::Display| Error(e.to_string());
        let mut builder = cranelift_native::builder_with_options(self.host).map_err(|e| failed(&e))?;
        if !self.host && cfg!(target_arch = "x86_64") {
            // Rounding needs SSE4.1; Cranelift would call a library function instead.
            for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
                builder.enable(feature).map_err(|e| failed(&e))?;
            }
        }
        builder.finish(flags(level, self.verify)?).map_err(|e| failed(&e))
    }
}

fn flags(level: Level, verify: bool) -> Result<Flags, Error> {
    let mut b = settings::builder();
    let single_pass = level == Level::Fast;
    let settings = [
        ("opt_level", if single_pass { "none" } else { "speed" }),
        ("regalloc_algorithm", if single_pass { "single_pass" } else { "backtracking" }),
        // r15 holds the thread block.
        ("enable_pinned_reg", "true"),
        // The stack is walked by the chain of frame pointers.
        ("preserve_frame_pointers", "true"),
        ("unwind_info", "false"),
        // Stacks have guard areas and entry checks of our own.
        ("enable_probestack", "false"),
        // All symbols are near (code and data lie in one arena or one executable), so offsets do, without a table.
        ("is_pic", "false"),
        ("use_colocated_libcalls", "true"),
        // More results than registers come in memory that the caller gives.
        ("enable_multi_ret_implicit_sret", "true"),
        ("enable_verifier", if verify { "true" } else { "false" }),
        // Where blocks begin: for source places, and code that counts.
        ("machine_code_cfg_info", "true"),
        // Attacks by speculation are out of scope: there is one program in the process.
        ("enable_heap_access_spectre_mitigation", "false"),
        ("enable_table_access_spectre_mitigation", "false"),
    ];
    for (name, value) in settings {
        b.set(name, value).map_err(|e| Error(format!("{name}: {e}")))?;
    }
    Ok(Flags::new(b))
}
