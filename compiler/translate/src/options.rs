//! What a caller may choose, and how code generation fails.

use std::fmt;

/// How hard the code generator tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Two to three times faster to compile, larger and slower code.
    Fast,
    #[default]
    Speed,
}

/// A tool that looks at a process from outside, and how it learns of code that no file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symbols {
    #[default]
    None,
    /// `perf report`: names.
    Perf,
    /// `perf inject --jit`: names and lines.
    Jitdump,
    /// GDB's JIT interface: names, lines, frames.
    Gdb,
}

/// Choices for a [`crate::Jit`] or an object file.
#[derive(Clone, Debug)]
pub struct Options {
    /// Object alignment: 8, 16 or 32 bytes; the collector must be told the same.
    pub align: u32,
    pub level: Level,
    /// Run Cranelift's verifier on each function.
    pub verify: bool,
    /// Compiling threads at most; 0: as many as the machine has cores, if the program is large enough.
    pub threads: usize,
    /// The tool that is told of code in memory.
    pub symbols: Symbols,
    /// The code counts its calls, and how often each block runs: for `leat profile --calls`.
    pub count: bool,
    /// Options of the runtime that an object file's program starts with, as `LEAT_RUN` has them.
    pub runtime: String,
    /// Where a symbol of C is in this process, for code in memory; 0: nowhere.
    pub foreign: fn(&str) -> usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            align: 8,
            level: Level::Speed,
            verify: false,
            threads: 0,
            symbols: Symbols::None,
            count: false,
            runtime: String::new(),
            foreign: |_| 0,
        }
    }
}

impl Options {
    /// Whether the choices make sense.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.align {
            8 | 16 | 32 => Ok(()),
            n => Err(Error(format!("object alignment {n} is not one of 8, 16, 32"))),
        }
    }
}

/// Code generation failed: a limit of the machine, of memory, or a broken invariant of the program.
#[derive(Clone, Debug)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
