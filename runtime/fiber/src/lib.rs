//! Stacks, context switch, run queues, workers, park and unpark.
//!
//! Turns the calls of compiled code (`leat_thread_*`, allocation and poll slow paths, raises) into moves between
//! thread objects, lanes and workers. All assembly is here, but for one system call in `io`; see `docs/internals/runtime/threads.md` for states, rules
//! and the numbered invariants, `docs/internals/decisions/003-lanes.md` for the reasons and figures.
//!
//! Knows neither the collector nor the I/O manager: `entry` gives both as a [`Host`].
//!
//! Reading order: [`host`] (what is asked of `entry`), [`asm`] (stubs), [`fast`] (the thread primitives' own), [`lane`]
//! (stack regions), [`worker`] (one OS thread and its ready queue), [`switch`] (park, yield, hand-off), `post` (what workers
//! want of each other), `turns` (which of its ready threads runs next), `idle` (what one does that has nothing to run), `biased` (locks that belong to a worker), [`place`]
//! (eviction and restoring), [`cont`] (continuations), [`unwind`] (handlers, back-traces, markers), [`stop`] (safepoints, stop
//! the world, time slices).
//!
//! # How `entry` uses it
//!
//! ```text
//! leat_fiber::stubs!();                         // leat_gc_stub, leat_poll_stub, leat_stack_check_stub, ...
//! leat_fiber::thread_stubs!();                  // leat_thread_park_stub, .. : hand-off, switch, park, yield, ready
//! leat_fiber::continuation_stubs!();            // leat_cont_capture_stub, leat_cont_throw_stub
//! leat_fiber::runtime_stub!(leat_print);        // one for each other Runtime primitive: leat_print_stub
//! let fibers = Fibers::new(config, &HOST);      // workers' blocks, lane 0
//! let tcb = fibers.main_tcb();                  // fill in memory, globals, exceptions
//! let code = fibers.run(main_thread);           // runs the thread object until somebody calls leave()
//! extern "C" fn leat_thread_park(tcb: *mut Tcb, reason: u64) -> u64 { unsafe { leat_fiber::park(tcb, reason) } }
//! ```
//!
//! For the collector's roots, with the world stopped: [`Fibers::roots`] (queues), [`Fibers::frames_running`] for each block,
//! [`Fibers::frames_of`] for each reached thread, [`Fibers::residents`] afterwards. Markers are kept for each lane:
//! `Host::marker_*` and [`Fibers::set_marker`]. A thread that stops running goes through the write barrier, so an old thread
//! with new frames is among the logged objects.
//!
//! Each function that takes a `tcb` is called on the worker's C stack by a runtime function that a stub called; after a
//! function that may switch threads, the runtime function returns at once what that function returned.

#[cfg(target_arch = "x86_64")]
#[path = "asm_x86_64.rs"]
pub mod asm;
mod biased;
mod chance;
mod cont;
#[cfg(target_arch = "x86_64")]
#[path = "fast_x86_64.rs"]
#[doc(hidden)]
pub mod fast;
pub mod host;
mod idle;
mod jitter;
pub mod lane;
mod place;
mod post;
mod queue;
pub mod reason;
pub mod sample;
pub mod stop;
pub mod switch;
mod turns;
pub mod unwind;
pub mod worker;

#[cfg(not(target_arch = "x86_64"))]
compile_error!("leat-fiber has stubs for x86-64 only so far; another architecture is one more asm_<arch>.rs");

pub use biased::attempt;
pub use chance::{Explored, access};
pub use cont::{capture, restart, throw};
pub use host::{Change, Config, Host};
pub use jitter::set_jitter;
pub use queue::NONE;
pub use stop::{atomic_end, blocking, is_asked, poll, stack_overflowed, stop_world};
pub use switch::{
    exit, handoff, init_thread, kill, park, ready, set_value, switch, take_own_value, take_ready, yield_now,
};
pub use unwind::{Place, backtrace, backtrace_of, marker_of, set_tables};
pub use worker::{DEADLOCK, Fibers, Frames, Stat, leave};
