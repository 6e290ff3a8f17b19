//! The roots of a program, for the collector: globals, workers, queues, stacks, timers, the exit list; and the weak
//! list of threads.

use std::sync::atomic::Ordering;

use leat_abi::code::CodeTable;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};
use leat_fiber::{Frames, Ref};
use leat_memory::{Roots, Visitor, scan_stack};

use crate::profile;
use crate::service::race;
use crate::state::runtime::{Runtime, worker};
use crate::state::{markers, reentry};

/// All references outside the heap, while every worker is stopped.
pub struct ProgramRoots<'a> {
    runtime: &'a Runtime,
    tcbs: &'a [*mut Tcb],
}

impl<'a> ProgramRoots<'a> {
    pub fn new(runtime: &'a Runtime, tcbs: &'a [*mut Tcb]) -> ProgramRoots<'a> {
        ProgramRoots { runtime, tcbs }
    }

    /// Visits the frames of a lane, from the innermost. Only a minor collection moves the marker: after it everything
    /// that the frames hold is old.
    unsafe fn scan<V: Visitor>(&self, frames: Option<Frames>, minor: bool, visit: &mut V) {
        let Some(Frames { lane, fp, ret_slot }) = frames else { return };
        let stub = if minor { markers::stub() } else { 0 };
        // SAFETY: all workers are stopped.
        unsafe {
            self.runtime.markers.with(self.runtime.fibers, lane, |marker| {
                scan_stack(self.runtime.tables(), fp, ret_slot, marker, stub, minor, &mut |slot| visit.slot(slot));
            });
        }
    }
}

impl ProgramRoots<'_> {
    /// Where a thread of the list is now; none if it is dead. One that waited for good is counted then.
    fn find_thread(&self, thread: u64, forward: &impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let now = forward(thread);
        // SAFETY: what is dead is as it was until the lists are mended.
        if now.is_none() && unsafe { (*(thread as *const Thread)).state } & STATE_MASK != State::Dead as u8 {
            self.runtime.lost_threads.fetch_add(1, Ordering::Relaxed);
        }
        now
    }
}

impl Roots for ProgramRoots<'_> {
    fn tables(&self) -> &[&CodeTable] {
        self.runtime.tables()
    }

    fn roots<V: Visitor>(&mut self, minor: bool, visit: &mut V) {
        for table in self.runtime.tables() {
            if table.global_ref_count == 0 {
                continue;
            }
            // SAFETY: the compiler wrote the indices of its own global slots.
            unsafe {
                for index in core::slice::from_raw_parts(table.global_refs, table.global_ref_count) {
                    visit.slot(self.runtime.globals.add(*index as usize));
                }
            }
        }
        for &tcb in self.tcbs {
            // SAFETY: all workers are stopped; what they keep is live as long as they are in their call. The thread is
            // looked at before it may be moved.
            unsafe {
                if minor {
                    visit.next_thread();
                }
                self.scan(self.runtime.fibers.frames_running(tcb), minor, visit);
                visit.slot(&raw mut (*tcb).current);
                visit.slot(&raw mut (*tcb).pending_exn);
                let (first, count) = (*worker(tcb)).kept;
                for i in 0..count {
                    visit.slot((first as *mut u64).add(i));
                }
            }
        }
        for closure in self.runtime.at_exit.lock().unwrap_or_else(|e| e.into_inner()).iter_mut() {
            visit.slot(closure);
        }
        visit.slot(self.runtime.main_thread.slot());
        visit.slot(self.runtime.exit_thread.slot());
        if let Some(session) = self.runtime.session {
            visit.slot(session.spare.slot());
        }
        visit.slot(self.runtime.signal_thread.slot());
        visit.slot(self.runtime.dispatcher.slot());
        visit.slot(self.runtime.callbacks.slot());
        reentry::roots(&mut |slot| visit.slot(slot));
        visit.slot(self.runtime.deadlock_waiter.slot());
        visit.slot(self.runtime.uncaught_hook.slot());
        visit.slot(self.runtime.messages.tells.slot());
        visit.slot(self.runtime.messages.waits.slot());
        self.runtime.events.roots(minor, visit);
        // SAFETY: all workers are stopped.
        unsafe {
            self.runtime.fibers.roots(|slot| visit.slot(slot));
            if minor {
                // Every thread on a lane, of whatever age: an old thread's young frames are found by nobody else. That
                // of a dead one keeps what it holds for one collection more.
                let residents = std::cell::RefCell::new(Vec::new());
                self.runtime.fibers.residents(|thread| {
                    residents.borrow_mut().push(thread);
                    Some(thread)
                });
                for thread in residents.into_inner() {
                    visit.next_thread();
                    self.scan(self.runtime.fibers.frames_of(thread.as_ptr()), true, visit);
                }
            }
        }
    }

    fn many<V: Visitor>(&mut self, from: usize, most: usize, visit: &mut V) -> usize {
        self.runtime.events.timers_from(from, most, visit)
    }

    #[allow(clippy::not_unsafe_ptr_arg_deref, reason = "the collector's trait; it gives thread objects")]
    fn thread_stack<V: Visitor>(&mut self, thread: *mut Thread, minor: bool, visit: &mut V) {
        // A minor collection's roots are all lanes.
        if minor {
            return;
        }
        // SAFETY: all workers are stopped; a running thread's frames are among the roots.
        unsafe { self.scan(self.runtime.fibers.frames_of(thread), false, visit) };
    }

    fn after<F: Fn(u64) -> Option<u64>>(&mut self, minor: bool, forward: &F) {
        self.runtime.events.after_collection();
        profile::after_collection(forward);
        if race::is_on() {
            race::after(minor, forward);
        }
        self.runtime.history.after(minor, forward);
        self.runtime.places.after(minor, forward);
        // SAFETY: all workers are stopped.
        let mut all = unsafe { self.runtime.gather_threads(self.tcbs) };
        all.after(minor, &|thread| self.find_thread(thread, forward));
        drop(all);
        // SAFETY: all workers are stopped.
        unsafe {
            self.runtime.fibers.residents(|thread| forward(thread.word()).map(Ref::of));
            self.runtime.fibers.kept_pieces(|piece| forward(piece.word()).map(Ref::of));
            self.runtime.fibers.bound_threads(|thread| forward(thread.word()).map(Ref::of));
        }
    }

    fn mend<F: Fn(u64) -> Option<u64>>(&mut self, most: usize, forward: &F) -> usize {
        self.runtime.all_threads().mend(most, &|thread| self.find_thread(thread, forward))
    }
}
