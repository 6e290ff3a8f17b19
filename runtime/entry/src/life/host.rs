//! What the fibers ask of the rest of the runtime, answered with the heap, the events and the reports.

use core::sync::atomic::Ordering;

use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, Thread};
use leat_fiber::reference::Object;
use leat_fiber::{Change, Host, Ref};
use leat_io::clock::{self, Nanos};
use leat_memory::{Collection, Refusal};

use crate::life::{exit, signals};
use crate::prim::output;
use crate::profile;
use crate::service::here::{Caller, Here};
use crate::service::{alloc, end, exceptions, history, race, waits, wake};
use crate::state::os_thread;
use crate::state::output::error_text;
use crate::state::runtime::{Tried, Worker, runtime, worker};
use crate::state::session::Session;
use crate::state::{markers, trace};

/// `Tcb::current` of a worker without a thread.
const NOBODY: u64 = 1;

/// What a thread's turn takes in deterministic mode: threads that wait for a time-out while others never rest see it
/// come.
const TURN: Nanos = 5_000;

/// The running program, as the fibers see it.
pub struct ProgramHost;

/// Gives a worker's block everything but what the fibers have put there.
///
/// # Safety
/// `tcb` is a new worker's block.
pub unsafe fn fill(tcb: *mut Tcb) -> Result<(), String> {
    let runtime = runtime();
    // SAFETY: the caller has the block for itself.
    let tcb = unsafe { &mut *tcb };
    runtime.heap.attach_worker(tcb)?;
    exceptions::fill(tcb);
    tcb.globals = runtime.globals as usize;
    tcb.entry = Box::into_raw(Box::<Worker>::default()) as usize;
    // SAFETY: on the worker's OS thread, and the block is filled.
    unsafe { profile::worker_started(tcb) };
    Ok(())
}

impl Host for ProgramHost {
    fn ticker_started(&self) {
        leat_io::leave_files();
    }

    fn no_ticker(&self, error: &std::io::Error) {
        eprintln!("leat: no OS thread for time slices ({error}): a thread that computes runs until it waits");
    }

    unsafe fn alloc_stack(&self, tcb: *mut Tcb, words: usize) -> Ref<StackPiece> {
        // SAFETY: the caller's worker.
        unsafe {
            let own = &mut *worker(tcb);
            let tried = own.tried.take().and_then(|tried| tried.counts(words, (*tcb).alloc));
            match runtime().heap.alloc_uninit(tcb, header::stack(words as u64), tried) {
                Ok(object) => Ref::of(object),
                Err(refusal) => {
                    own.refused = Some((refusal, words));
                    Ref::NONE
                }
            }
        }
    }

    unsafe fn collect(&self, tcb: *mut Tcb, _bytes: usize) {
        // SAFETY: the caller's worker. What the last allocation wanted is known.
        unsafe {
            match (*worker(tcb)).refused.take().unwrap_or((Refusal::Collect(Collection::Minor), 0)) {
                (Refusal::Collect(kind), words) => {
                    let collected = alloc::collect(tcb, kind, &mut []);
                    (*worker(tcb)).tried = collected.then(|| Tried { kind, words, at: (*tcb).alloc });
                }
                (Refusal::OutOfMemory(what), _) => end::out_of_memory(tcb, what),
            }
        }
    }

    unsafe fn write_barrier(&self, tcb: *mut Tcb, object: Ref<Object>) {
        // SAFETY: as the caller says.
        unsafe { runtime().heap.log_object(tcb, object.word()) }
    }

    unsafe fn restore_alloc_limit(&self, tcb: *mut Tcb) {
        // SAFETY: an attached worker's block.
        unsafe { runtime().heap.restore_limit(tcb) }
    }

    unsafe fn events(&self, tcb: *mut Tcb, often: bool) -> bool {
        let events = &runtime().events;
        // SAFETY: tokens are thread objects and waiters, those of timers thread objects and callbacks' records; the
        // caller is a worker.
        unsafe {
            signals::serve(tcb);
            profile::join(tcb);
            // A worker without a thread will wait for events at once, and needs not look before.
            let mut looked = true;
            if (*tcb).current != NOBODY {
                if often {
                    looked = events.io.look_by_the_way();
                } else {
                    events.io.look();
                }
            }
            events.io.dispatch(|token, outcome| wake::wake(tcb, token, outcome));
            events.pool.dispatch(|token| wake::event_happened(tcb, token));
            if wake::expire(tcb) {
                events.io.wake_listener(|thread| leat_fiber::ready(tcb, Ref::of(thread)));
            }
            if let Some(session) = runtime().session {
                session.events(tcb);
            }
            if (*tcb).current == NOBODY {
                runtime().heap.prepare(tcb);
            }
            looked
        }
    }

    fn stack_max(&self, others: usize) -> usize {
        runtime().stack_max(others)
    }

    fn due_in(&self) -> Option<Nanos> {
        runtime().events.due_in()
    }

    unsafe fn raised(&self, tcb: *mut Tcb, packet: u64) {
        // SAFETY: as the caller says.
        unsafe { history::raised(&mut Here::enter(tcb), packet) };
    }

    unsafe fn placed(&self, tcb: *mut Tcb, packet: u64) {
        // SAFETY: as the caller says.
        unsafe { history::placed(&mut Here::enter(tcb), packet) };
    }

    fn carrier_started(&self, carry: &mut dyn FnMut()) {
        os_thread::sharpen();
        signals::with_crash_stack(carry);
    }

    fn carried_away(&self, worker: usize) {
        profile::carried_away(worker);
    }

    unsafe fn carried(&self, tcb: *mut Tcb) {
        // SAFETY: as the caller says.
        unsafe { profile::carried(tcb) };
    }

    fn cannot_carry(&self, error: i32) -> ! {
        let text = format!("fork: the child gets no OS thread for a bound thread: {}\n", error_text(error));
        let _ = crate::state::output::write_all(2, text.as_bytes());
        end::end_process(1)
    }

    fn no_lane(&self) -> ! {
        let text = "a second thread gets no stack: no address space is left for it (ulimit -v)\n";
        let _ = crate::state::output::write_all(2, text.as_bytes());
        end::end_process(1)
    }

    unsafe fn gone(&self, tcb: *mut Tcb) {
        // SAFETY: as the caller says; a block that was never filled has no worker of the host's.
        unsafe {
            (*tcb).pending_exn = 0;
            runtime().heap.gone(tcb);
            if let Some(worker) = worker(tcb).as_mut() {
                worker.kept = (0, 0);
                worker.refused = None;
            }
        }
    }

    fn ended_in_child(&self) -> ! {
        end::end_child()
    }

    unsafe fn cancel(&self, tcb: *mut Tcb) -> Option<u64> {
        // SAFETY: as the caller says.
        unsafe { runtime().session?.cancel(tcb) }
    }

    unsafe fn changed(&self, worker: usize, change: Change, thread: *const Thread) {
        // SAFETY: as the caller says.
        unsafe {
            if race::is_on() && change == Change::Ends {
                race::ended(thread);
            }
            profile::changed(worker, change, thread);
            let made = if trace::is_on() && change == Change::Blocks { waits::made(thread) } else { None };
            trace::changed(worker, change, thread, made)
        }
    }

    fn turn(&self) {
        clock::advance(TURN);
    }

    fn pending(&self) -> bool {
        let runtime = runtime();
        runtime.events.pending()
            || runtime.blocked_calls.load(Ordering::SeqCst) > 0
            || signals::is_expected()
            || runtime.session.is_some_and(Session::is_at_prompt)
    }

    fn wait(&self, worker: usize, most: Option<u64>) {
        output::write_out_due();
        let _span = trace::span(worker, "idle");
        let _idle = profile::idle(worker);
        // A signal that came before there was a poller to wake is seen here, a later one ends the wait, or is seen
        // after it where no poller can be made.
        let _ = runtime().events.io.prepare();
        if signals::is_due() {
            return;
        }
        runtime().events.wait(worker, || runtime().fibers.stat().workers as usize, most);
    }

    fn wake(&self, worker: usize) {
        runtime().events.wake(worker);
    }

    unsafe fn deadlock(&self, tcb: *mut Tcb) -> bool {
        // SAFETY: no thread runs.
        unsafe { signals::has_come_late(tcb) || exit::deadlocked(tcb) }
    }

    unsafe fn uncaught(&self, tcb: *mut Tcb, packet: u64) -> u64 {
        // SAFETY: as the caller says.
        unsafe { exit::uncaught(Here::enter(tcb), packet) }
    }

    unsafe fn returned(&self, tcb: *mut Tcb) -> u64 {
        // SAFETY: as the caller says.
        exit::thread_returned(unsafe { Here::enter(tcb) })
    }

    unsafe fn worker_started(&self, tcb: *mut Tcb) {
        // SAFETY: a new worker's block.
        if let Err(message) = unsafe { fill(tcb) } {
            panic!("no memory for another worker: {message}");
        }
    }

    unsafe fn marker_hit(&self, _tcb: *mut Tcb, lane: usize) -> usize {
        let runtime = runtime();
        // SAFETY: the lane is the caller's.
        unsafe { runtime.markers.with(runtime.fibers, lane, |marker| marker.hit(markers::stub())) }
    }

    unsafe fn marker_unwound(&self, _tcb: *mut Tcb, lane: usize, sp: usize) {
        let runtime = runtime();
        // SAFETY: as above.
        unsafe { runtime.markers.with(runtime.fibers, lane, |marker| marker.unwound(sp, markers::stub())) }
    }

    unsafe fn marker_remove(&self, _tcb: *mut Tcb, lane: usize, fp: usize, ret_slot: usize) {
        let runtime = runtime();
        // SAFETY: as above.
        unsafe { runtime.markers.with(runtime.fibers, lane, |marker| marker.remove(runtime.tables(), fp, ret_slot)) }
    }

    fn marker_forget(&self, lane: usize) {
        let runtime = runtime();
        // SAFETY: the lane is empty; the caller owns it or has stopped the world.
        unsafe { runtime.markers.with(runtime.fibers, lane, |marker| marker.forget()) }
    }
}
