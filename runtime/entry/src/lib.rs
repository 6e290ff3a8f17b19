//! Program start, primitives called by compiled code, exceptions; joins fiber, io and memory.
//!
//! Compiled code + options -> exit code. Knows the other three crates of the runtime, which do not know each other.
//!
//! Five floors; reading order from the bottom up:
//!
//! - [`state`]: [`state::runtime`] (what is there while a program runs) and its parts: [`state::events`] (time-outs and
//!   idle workers), output, jobs, trace, the list of threads; [`state::options`].
//! - [`service`]: [`service::alloc`] and [`service::roots`] (how the heap is used and what the collector is told),
//!   [`service::wake`] (what has happened outside -> ready threads), exceptions, reports, the end of the process.
//! - [`prim`]: the primitives, chapter by chapter.
//! - [`profile`]: where a program spends its time, and where its threads wait.
//! - [`life`]: [`life::start`] (from a program to its exit code), [`life::host`] (what the fibers ask), [`life::exit`]
//!   (how a program ends), [`life::session`] and [`life::owner`] (many units in one runtime), signals, exploration of
//!   seeds.
//!
//! [`symbols`], above them all, is what compiled code may call, by name.
//!
//! # Invariants
//!
//! - E1: a runtime function that calls something that may collect holds references only in what it passes as `keep`.
//! - E2: a function that may switch threads returns at once what the fibers returned. It has nothing left to drop,
//!   since it may not come back: the worker may go to another OS thread.
//! - E3: the program's output is written out before anything that is said about its end.

#[cfg(test)]
mod constants;
pub mod life;
pub mod prim;
pub mod profile;
pub mod service;
pub mod state;
pub mod symbols;

/// The functions of TLS, which are in the runtime's archive by this; nothing of the runtime calls them.
pub use leat_memory::address_space;
pub use leat_tls as tls;
pub use life::explore::{advise as advise_after_failing_seed, at_each_seed};
pub use life::owner;
pub use life::start::{Outcome, Program, run, run_captured, stack_complaint};
pub use prim::foreign::unexported;
pub use prim::rows;
pub use service::report::FIGURES as REPORT_FIGURES;
pub use service::{objects, reals};
pub use state::debugger;
pub use state::foreign_words;
pub use state::options::{self, RuntimeOptions};
pub use state::session::{self, Ended, Session};
pub use symbols::symbols;
