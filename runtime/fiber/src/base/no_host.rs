//! A host for unit tests that make workers and run no compiled code: nothing allocates, collects or waits.

use leat_abi::tcb::Tcb;
use leat_abi::thread::StackPiece;

use crate::base::host::Host;
use crate::base::reference::{Object, Ref};

/// What the tests that use it do ask for.
pub(crate) struct NoHost {
    /// A worker is woken.
    pub(crate) wake: fn(usize),
    /// A worker looks for events; there is none.
    pub(crate) look: fn(),
}

impl NoHost {
    /// For tests in which no worker comes to look for events, and no worker sleeps.
    pub(crate) const STILL: &NoHost = &NoHost { wake: |_| (), look: || unreachable!("nobody looks for events") };
}

impl Host for NoHost {
    unsafe fn alloc_stack(&self, _: *mut Tcb, _: usize) -> Ref<StackPiece> {
        unreachable!("no frames are copied")
    }
    unsafe fn collect(&self, _: *mut Tcb, _: usize) {
        unreachable!("nothing is allocated")
    }
    unsafe fn write_barrier(&self, _: *mut Tcb, _: Ref<Object>) {
        unreachable!("no object is old, or the caller does not log")
    }
    unsafe fn restore_alloc_limit(&self, _: *mut Tcb) {}
    unsafe fn events(&self, _: *mut Tcb, _: bool) -> bool {
        (self.look)();
        false
    }
    fn pending(&self) -> bool {
        false
    }
    fn wait(&self, _: usize, _: Option<u64>) {
        unreachable!("the tests wait themselves")
    }
    fn wake(&self, worker: usize) {
        (self.wake)(worker);
    }
    unsafe fn deadlock(&self, _: *mut Tcb) -> bool {
        false
    }
    unsafe fn uncaught(&self, _: *mut Tcb, _: u64) -> u64 {
        unreachable!("nothing is raised")
    }
    unsafe fn worker_started(&self, _: *mut Tcb) {}
    unsafe fn marker_hit(&self, _: *mut Tcb, _: usize) -> usize {
        unreachable!("the collector sets no marker")
    }
    unsafe fn marker_unwound(&self, _: *mut Tcb, _: usize, _: usize) {}
    unsafe fn marker_remove(&self, _: *mut Tcb, _: usize, _: usize, _: usize) {}
    fn marker_forget(&self, _: usize) {}
}
