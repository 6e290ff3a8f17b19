//! Text to running program, top to bottom; dumps, verification, timing; the image of the Basis.
//!
//! Reading order: `pipeline` (text to Ssa), `front` (its stages up to Lambda), `stage` (what every stage does),
//! `session` (what is kept from one unit to the next), `execute` (Ssa to a running program), `link` (Ssa to an
//! executable), `units` (programs of many files), `program` (what the command line names), `interactive` (one unit
//! after the other in one process), `probes` (programs that a debugger may stop), `library` (the Basis), `project`
//! (which program is meant), `docs` (what sources declare for others), `options`, `tooling` (the front end kept warm,
//! for editors).

pub mod docs;
pub mod execute;
mod export;
pub mod foreign;
mod front;
pub mod interactive;
pub mod library;
pub mod link;
pub mod options;
mod own;
pub mod pipeline;
pub mod probes;
mod program;
pub mod project;
pub mod say;
mod scratch;
mod session;
mod stage;
pub mod text;
pub mod tooling;
pub mod units;

pub use execute::run;
pub use interactive::{Interactive, Line};
pub use leat_base::json::trouble as trouble_as_json;
pub use leat_entry::foreign_words::hint as foreign_word;
pub use leat_entry::options::{HELP as RUNTIME_HELP, RuntimeOptions};
pub use leat_entry::profile::ProfileKind;
pub use leat_entry::{REPORT_FIGURES, advise_after_failing_seed, at_each_seed, stack_complaint};
pub use leat_ssa::ir::Program as Ssa;
pub use leat_translate::Symbols;
pub use link::{Product, build};
pub use options::{Dump, Options, Stage, Verify};
pub use scratch::own;
pub use session::{Input, Session};
pub use stage::Failure;
pub use units::path_variable;

/// Where Leat keeps what it can make again: a folder of the user's; nothing where the system names none.
pub fn user_cache() -> Option<std::path::PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(std::path::PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("leat"))
}

/// Stack of the thread that compiles: deep programs recurse deeply, and untouched stack costs nothing.
pub const COMPILER_STACK: usize = 1 << 30;

/// Runs `work` on a thread with a stack for deep programs.
pub fn with_deep_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    // Where address space is limited, less must do: the program wants some, too.
    let limit = leat_entry::address_space().unwrap_or(usize::MAX);
    let mut size = COMPILER_STACK.min(limit / 8).max(1 << 24);
    let work = std::sync::Arc::new(std::sync::Mutex::new(Some(work)));
    loop {
        let work = work.clone();
        let spawned = std::thread::Builder::new().name("leat".to_string()).stack_size(size).spawn(move || {
            let work = work.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take().expect("runs once");
            work()
        });
        match spawned {
            Ok(thread) => match thread.join() {
                Ok(value) => return Ok(value),
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) if size > 1 << 24 => size /= 4,
            Err(error) => return Err(format!("cannot start: no thread with a stack of {} MB: {error}", size >> 20)),
        }
    }
}
