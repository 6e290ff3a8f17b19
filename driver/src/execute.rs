//! Ssa -> machine code in memory -> a run, to its exit code.

use std::time::Instant;

use leat_entry::RuntimeOptions;
use leat_translate::Jit;

use crate::options::{Stage, Watch};
use crate::pipeline::{Failure, Session};

/// Compiles a program into memory.
pub fn load(session: &mut Session, ssa: &leat_ssa::ir::Program) -> Result<leat_translate::Loaded, Failure> {
    let options = session.target_options();
    for (stage, what) in [(Stage::Clif, leat_translate::Dump::Clif), (Stage::Asm, leat_translate::Dump::Asm)] {
        if session.wants(stage, None) {
            let text = leat_translate::dump(ssa, &options, what, session.options.dump_fn.as_deref())
                .map_err(|error| Failure::Trouble(error.to_string()))?;
            crate::say::show(&text);
        }
    }
    if session.options.stop_after.is_some_and(|stage| stage >= Stage::Clif) {
        return Err(Failure::Stopped);
    }
    let start = Instant::now();
    let mut jit = Jit::new(leat_entry::symbols(), &options).map_err(|error| Failure::Trouble(error.to_string()))?;
    let loaded = jit.add(ssa).map_err(|error| Failure::Trouble(error.to_string()))?;
    session.took("jit", start.elapsed());
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
    arguments: &[String],
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
        arguments: arguments.iter().map(|word| word.as_bytes().to_vec()).collect(),
        watched: session.options.watch != Watch::Nothing,
    };
    Ok(leat_entry::run(&program, runtime))
}
