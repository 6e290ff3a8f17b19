//! Stacks, context switch, run queues, workers, park and unpark.
//!
//! Turns the calls of compiled code (`leat_thread_*`, allocation and poll slow paths, raises) into moves between
//! thread objects, lanes and workers. Most of the assembly is here; see `docs/internals/runtime/threads.md` for states, rules
//! and the numbered invariants, `docs/internals/decisions/003-lanes.md` for the reasons and figures.
//!
//! Knows neither the collector nor the I/O manager: `entry` gives both as a [`Host`].
//!
//! Reading order, in which no file needs a later one:
//!
//! - what there is: [`reference`] (references to heap objects), [`host`] (what is asked of `entry`), [`asm`] and [`fast`] (stubs), [`lane`] (stack regions), `queue`,
//!   `chance` (the deterministic mode's draws), `world` (who runs), `home` (where threads that communicate run), `carrier` (OS threads), [`worker`] (what an OS thread has that
//!   runs SML threads);
//! - a thread: [`word`] (its state and flags, and whose they are), `resume` (it stops and goes on);
//! - workers and each other: `request` (asking one for a safepoint), `start` (their OS threads), `turns` (which thread runs
//!   next), `biased` (locks that belong to a worker), `fold` (whether one worker is home), `post` (letters, and work that is shared out), `processor` and `ticker`,
//!   `outside` (idle, or in blocking C), `bound` (threads on OS threads of their own), [`stop`] (the world for one worker; the
//!   end);
//! - what threads do: `place` (eviction and restoring), `idle` (the next thread, or none), [`switch`] (park, yield, hand-off),
//!   `poll` (safepoints), `attempt` (taking a lock), `cont` and `segment` (continuations);
//! - for the rest of the runtime: `fibers` (all threads), [`unwind`] (handlers, back-traces, markers), [`sample`], [`reason`].
//!
//! The stubs of [`asm`] call functions of `switch`, `place` and `unwind` by their symbols.
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
//! For the collector's roots, with the world stopped: [`Fibers::roots`] (queues), [`Fibers::frames_running`] for each block,
//! [`Fibers::frames_of`] for each reached thread, [`Fibers::residents`] and [`Fibers::bound_threads`] afterwards. Markers are kept for each lane:
//! `Host::marker_*` and [`Fibers::set_marker`]. A thread that stops running goes through the write barrier, so an old thread
//! with new frames is among the logged objects.
//!
//! Each function that takes a `tcb` is called on the worker's C stack by a runtime function that a stub called; after a
//! function that may switch threads, the runtime function returns at once what that function returned.

#[cfg(target_arch = "x86_64")]
#[path = "asm_x86_64.rs"]
pub mod asm;
mod attempt;
mod biased;
mod bound;
mod carrier;
mod chance;
mod cont;
#[cfg(target_arch = "x86_64")]
#[path = "exchange_x86_64.rs"]
mod exchange;
#[cfg(target_arch = "x86_64")]
#[path = "fast_x86_64.rs"]
#[doc(hidden)]
pub mod fast;
#[cfg(target_arch = "x86_64")]
#[path = "fast_conts_x86_64.rs"]
mod fast_conts;
mod fibers;
mod fold;
mod home;
pub mod host;
mod idle;
mod jitter;
mod landings;
pub mod lane;
mod outside;
mod place;
mod poll;
mod post;
mod processor;
mod queue;
pub mod reason;
pub mod reference;
mod request;
mod resume;
pub mod sample;
mod segment;
mod start;
pub mod stop;
pub mod switch;
mod ticker;
mod turns;
pub mod unwind;
pub mod word;
pub mod worker;
mod world;

#[cfg(not(target_arch = "x86_64"))]
compile_error!("leat-fiber has stubs for x86-64 only so far; another architecture is one more asm_<arch>.rs");

pub use attempt::attempt;
pub use bound::{bind, is_bound};
pub use cont::{capture, restart, throw};
pub use fibers::{Fibers, Frames, Stat};
pub use host::{Change, Config, Explored, Host};
pub use jitter::set_jitter;
pub use outside::blocking;
pub use poll::{access, atomic_end, poll, stack_overflowed};
pub use post::ready;
pub use reference::{Closure, NONE, Ref};
pub use request::is_asked;
pub use resume::{set_value, take_own_value};
pub use segment::{end as segment_end, freeze as segment_freeze, init_copy, init_segment, swap as segment_swap};
pub use stop::{DEADLOCK, leave, stop_world};
pub use switch::{SECOND, exit, handoff, init_thread, kill, park, switch, take_ready, yield_now};
pub use unwind::{Place, backtrace, backtrace_of, marker_of, set_tables};
