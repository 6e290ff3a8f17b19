//! The machine to generate code for: Cranelift's flags, and why each is set.

use std::sync::Arc;

use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable, Flags};

use crate::options::{Error, Level, Options};

/// The machine that we run on, with all its features.
pub(crate) fn host(options: &Options) -> Result<Arc<dyn TargetIsa>, Error> {
    let builder = cranelift_native::builder().map_err(|e| Error(e.to_string()))?;
    finish(builder.finish(flags(options)?))
}

/// A machine of this architecture as old as we support: x86-64-v2 (2009), any aarch64.
pub(crate) fn baseline(options: &Options) -> Result<Arc<dyn TargetIsa>, Error> {
    let mut builder = cranelift_native::builder_with_options(false).map_err(|e| Error(e.to_string()))?;
    if cfg!(target_arch = "x86_64") {
        // Rounding needs SSE4.1; Cranelift would call a library function instead.
        for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
            builder.enable(feature).map_err(|e| Error(e.to_string()))?;
        }
    }
    finish(builder.finish(flags(options)?))
}

fn finish(isa: Result<OwnedTargetIsa, cranelift_codegen::CodegenError>) -> Result<Arc<dyn TargetIsa>, Error> {
    isa.map_err(|e| Error(e.to_string()))
}

fn flags(options: &Options) -> Result<Flags, Error> {
    let mut b = settings::builder();
    let single_pass = options.level == Level::Fast;
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
        ("enable_verifier", if options.verify { "true" } else { "false" }),
        ("machine_code_cfg_info", "false"),
        // Attacks by speculation are out of scope: there is one program in the process.
        ("enable_heap_access_spectre_mitigation", "false"),
        ("enable_table_access_spectre_mitigation", "false"),
    ];
    for (name, value) in settings {
        b.set(name, value).map_err(|e| Error(format!("{name}: {e}")))?;
    }
    Ok(Flags::new(b))
}
