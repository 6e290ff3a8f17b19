//! Ssa -> machine code in memory -> a run, to its exit code.

use std::ffi::OsString;

use leat_entry::RuntimeOptions;
use leat_translate::Jit;

use crate::options::Watch;
use crate::session::Session;
use crate::stage::Failure;

/// Compiles a program into memory.
pub fn load(session: &mut Session, ssa: &leat_ssa::ir::Program) -> Result<leat_translate::Loaded, Failure> {
    session.options.linking.write_header(&ssa.foreign, false)?;
    session.options.linking.load(Some(&ssa.foreign))?;
    let (jit, loaded) = session.machine(ssa, "jit", |options| {
        let mut jit = Jit::new(leat_entry::symbols(), options)?;
        let loaded = jit.add(ssa)?;
        Ok((jit, loaded))
    })?;
    // The code must stay for the life of the process.
    std::mem::forget(jit);
    Ok(loaded)
}

/// Runs a program in this process; gives its exit code. [Rule 189]
pub fn run(
    session: &mut Session,
    ssa: &leat_ssa::ir::Program,
    runtime: &RuntimeOptions,
    name: &str,
    arguments: &[OsString],
) -> Result<i32, Failure> {
    let loaded = load(session, ssa)?;
    if session.options.time_passes {
        // The run may end the process: what is known is printed before.
        crate::say::tell(&session.times());
    }
    let program = leat_entry::Program {
        main: loaded.main,
        tables: vec![loaded.table],
        globals: loaded.globals,
        name: name.as_bytes().to_vec(),
        arguments: arguments.iter().map(|word| word.as_encoded_bytes().to_vec()).collect(),
        watched: session.options.watch != Watch::Nothing,
    };
    Ok(leat_entry::run(&program, runtime))
}
