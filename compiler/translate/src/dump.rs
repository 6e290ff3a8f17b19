//! Text of what code generation makes, for `--dump=clif` and `--dump=asm`.

use std::fmt::Write as _;

use leat_ssa::ir::Program;

use crate::compile::{level_of, translate};
use crate::isa::Machine;
use crate::lower::Lowering;
use crate::options::{Error, Options};

/// What to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dump {
    /// Cranelift's input.
    Clif,
    /// Machine instructions with registers, block labels, and stack maps.
    Asm,
}

/// The text of every function, or of those whose name contains `only`.
pub fn dump(program: &Program, options: &Options, what: Dump, only: Option<&str>) -> Result<String, Error> {
    options.check()?;
    let machine = Machine::host(options);
    let mut lowering = Lowering::new();
    let mut text = String::new();
    for (i, f) in program.funcs.iter().enumerate() {
        if f.blocks.is_empty() || only.is_some_and(|part| !f.name.contains(part)) {
            continue;
        }
        let _ = writeln!(text, "; f{i} {}", f.name);
        translate(program, f, options, &mut lowering.context)?;
        match what {
            Dump::Clif => text += &lowering.context.func.display().to_string(),
            Dump::Asm => {
                lowering.context.set_disasm(true);
                let isa = machine.at(level_of(program, f, &lowering.context.func, options))?;
                let compiled = lowering.compile(isa).map_err(|e| Error(format!("{}: {e:?}", f.name)))?;
                text += compiled.vcode.as_deref().unwrap_or("");
            }
        }
        text.push('\n');
    }
    Ok(text)
}
