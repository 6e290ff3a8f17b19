//! Program start, primitives called by compiled code, exceptions; joins fiber, io and memory.
//!
//! Compiled code + options -> exit code. Knows the other three crates of the runtime, which do not know each other.
//!
//! Reading order: [`start`] (from a program to its exit code), [`runtime`] (what is there while it runs), [`alloc`] and
//! [`roots`] (how the heap is used and what the collector is told), [`host`] (what the fibers ask), [`events`] (time-outs
//! and idle workers), [`exit`] and [`report`] (how a program ends), [`session`] (many units in one runtime), then the primitives: [`strings`], [`reals`], [`math`],
//! [`world`], [`files`], [`terminals`], [`limits`], [`processes`], [`bignum`], [`gc`], [`threads`]; [`symbols`] is their table.
//!
//! # Invariants
//!
//! - E1: a runtime function that calls something that may collect holds references only in what it passes as `keep`.
//! - E2: a function that may switch threads returns at once what the fibers returned.
//! - E3: the program's output is written out before anything that is said about its end.

pub mod alloc;
pub mod bignum;
pub mod events;
pub mod exceptions;
pub mod exit;
mod explore;
pub mod files;
pub mod gc;
pub mod history;
pub mod host;
pub mod limits;
pub mod markers;
pub mod math;
pub mod objects;
pub mod options;
pub mod output;
pub mod pool;
pub mod processes;
pub mod raise;
pub mod reals;
pub mod report;
pub mod roots;
pub mod runtime;
pub mod session;
pub mod signals;
pub mod sockets;
pub mod start;
pub mod strings;
pub mod symbols;
pub mod terminals;
pub mod threads;
pub mod trace;
pub mod world;

pub use options::RuntimeOptions;
pub use session::{Ended, Session};
pub use start::{Outcome, Program, run, run_captured};
pub use symbols::symbols;
