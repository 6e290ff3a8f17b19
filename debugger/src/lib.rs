//! leat debug: programs that are stopped, looked at, and gone back in.
//!
//! Reading order: `protocol` (what the debugger and the program's process say to each other), `child` (that process:
//! what its watcher does at a probe), `back` (where a step back ends), `values` (descriptions as text), `process` (such
//! a process as the debugger has it), `engine` (the debugger itself), `wire` and `dap` (an editor's requests),
//! `console` (a terminal's commands). docs/internals/decisions/023-debugger.md says why it is so.

mod back;
pub mod child;
pub mod console;
pub mod dap;
pub mod engine;
pub mod process;
pub mod protocol;
mod values;
mod wire;
