//! An ELF object with code, table, static data, and lines.

use leat_ssa::ir::Program;

use crate::{Error, Options};

/// A relocatable object that exports `leat_program` ([`leat_abi::code::Program`]) and needs the runtime's symbols.
pub fn emit_object(program: &Program, options: &Options) -> Result<Vec<u8>, Error> {
    let _ = (program, options);
    Err(Error("the code generator is being written".into()))
}
