//! Machine code in memory.

use leat_abi::code::CodeTable;
use leat_ssa::ir::Program;

use crate::{Error, Options};

/// A region of memory that takes compiled programs.
pub struct Jit {
    options: Options,
}

/// A program in memory. Its code, data and table stay for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// Code of the main function (tail convention, no arguments, r15 = tcb); null when the program has none.
    pub main: *const u8,
    /// To be registered with the runtime before the code runs.
    pub table: &'static CodeTable,
    /// The program's global slots, zeroed: `Tcb::globals` must be this address. The same for every `add`.
    pub globals: *mut u64,
}

impl Jit {
    /// `symbols`: the runtime's functions by name: each `Leaf` symbol, `<symbol>_stub` of each `Runtime` one, and those of
    /// `leat_abi::prim::stub`. A program that needs one that is missing fails to load.
    pub fn new(symbols: &[(&str, *const u8)], options: &Options) -> Result<Jit, Error> {
        let _ = symbols;
        Ok(Jit { options: options.clone() })
    }

    /// Compiles a program and puts it in memory, ready to run. Globals of later programs follow those of earlier ones.
    pub fn add(&mut self, program: &Program) -> Result<Loaded, Error> {
        let _ = (program, &self.options);
        Err(Error("the code generator is being written".into()))
    }
}
