//! Stacks, context switch, run queues, workers, park and unpark.
//!
//! Turns the calls of compiled code (`leat_thread_*`, allocation and poll slow paths, raises) into moves between thread
//! objects, lanes and workers. Most of the assembly is here; see `docs/internals/runtime/threads.md` for states, rules
//! and the numbered invariants, `docs/internals/decisions/003-lanes.md` for the reasons and figures.
//!
//! Knows neither the collector nor the I/O manager: `entry` gives both as a [`Host`].
//!
//! Reading order, in which no file needs a later one:
//!
//! 1. `base`, what there is: [`reference`] (references to heap objects), [`host`] (what is asked of `entry`), [`lane`]
//!    (stack regions), `queue`, `chance` (the deterministic mode's draws), `world` (who runs), `home` (where threads
//!    that communicate run), `processor`, `landings` (what raises have found), `carrier` (OS threads), [`worker`] (what
//!    an OS thread has that runs SML threads);
//! 2. [`stub`], what is written in assembly;
//! 3. `thread`: [`word`] (its state and flags, and whose they are), `resume` (it stops and goes on);
//! 4. `workers` and each other: `request` (asking one for a safepoint), `apart` (a processor each), `start` (their OS
//!    threads), `turns` (which thread runs next), `biased` (locks that belong to a worker), `fold` (whether one worker
//!    is home), `post` (letters, and work that is shared out), `ticker`, `outside` (idle, or in blocking C), `bound`
//!    (threads on OS threads of their own), `fork` (the process is doubled while all rest), [`stop`] (the world for one
//!    worker; the end);
//! 5. `run`, what threads do: `place` (eviction and restoring), `idle` (the next thread, or none), [`switch`] (park,
//!    yield, hand-off), `poll` (safepoints), `attempt` (taking a lock), `cont` and `segment` (continuations);
//! 6. for the rest of the runtime: `fibers` (all threads), [`unwind`] (handlers, back-traces, markers), [`sample`],
//!    [`reason`].
//!
//! The stubs call functions of `base`, `run` and `unwind` by their symbols.
//!
//! # How `entry` uses it
//!
//! ```text
//! leat_fiber::stubs!();                         // leat_gc_stub, leat_poll_stub, leat_stack_check_stub, ...
//! leat_fiber::thread_stubs!();                  // leat_thread_park_stub, .. : hand-off, switch, park, await, yield, ready
//! leat_fiber::continuation_stubs!();            // leat_cont_capture_stub, leat_cont_throw_stub, leat_segment_swap_stub
//! leat_fiber::runtime_stub!(leat_print);        // one for each other Runtime primitive: leat_print_stub
//! let fibers = Fibers::new(config, &HOST);      // workers' blocks, lane 0
//! let tcb = fibers.main_tcb();                  // fill in memory, globals, exceptions
//! let code = fibers.run(main_thread);           // runs the thread object until somebody calls leave()
//! extern "C" fn leat_thread_park(tcb: *mut Tcb, reason: u64) -> u64 { unsafe { leat_fiber::park(tcb, reason) } }
//! ```
//!
//! For the collector's roots, with the world stopped: [`Fibers::roots`] (queues), [`Fibers::frames_running`] for each
//! block, [`Fibers::frames_of`] for each reached thread, [`Fibers::residents`] and [`Fibers::bound_threads`]
//! afterwards. Markers are kept for each lane: `Host::marker_*` and [`Fibers::set_marker`]. A thread that stops running
//! goes through the write barrier, so an old thread with new frames is among the logged objects.
//!
//! Each function that takes a `tcb` is called on the worker's C stack by a runtime function that a stub called; after a
//! function that may switch threads, the runtime function returns at once what that function returned.

mod base;
#[cfg(test)]
mod explored;
mod fibers;
pub mod reason;
mod run;
pub mod sample;
pub mod stub;
mod thread;
pub mod unwind;
mod workers;

pub use base::host::{Change, Config, Explored, Host};
pub use base::jitter::set_jitter;
pub use base::reference::{Closure, NONE, Ref};
pub use base::{host, lane, reference, worker};
pub use fibers::{Fibers, Frames, Stat};
pub use run::attempt::attempt;
pub use run::cont::{capture, restart, throw};
pub use run::poll::{access, atomic_end, draw, hold, is_held, poll, poll_at_entry, stack_overflowed};
pub use run::segment::{end as segment_end, freeze as segment_freeze, init_copy, init_segment, swap as segment_swap};
pub use run::switch::{self, SECOND, discard, exit, handoff, init_thread, kill, park, switch, take_ready, yield_now};
pub use thread::resume::{set_value, take_own_value};
pub use thread::word;
pub use unwind::{TraceLine, backtrace, backtrace_of, marker_of, set_tables};
pub use workers::bound::{bind, is_bound};
pub use workers::fork::{Forked, fork};
pub use workers::outside::blocking;
pub use workers::post::ready;
pub use workers::request::is_asked;
pub use workers::stop::{self, DEADLOCK, leave, stop_world};
