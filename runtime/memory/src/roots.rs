//! What the collector asks of the rest of the runtime: where references are that lie outside the heap.
//!
//! `entry` implements [`Roots`]; the tests do with a mock. Everything is dispatched statically: `visit` is the
//! collector's own evacuation or marking code, compiled into the implementation.

use leat_abi::code::CodeTable;
use leat_abi::thread::Thread;

/// What is done with the roots of a collection. A function of a slot is one that takes all roots alike.
pub trait Visitor {
    /// A root is in this slot.
    fn slot(&mut self, slot: *mut u64);

    /// What follows is what another thread refers to.
    fn next_thread(&mut self) {}

    /// A root is in this slot of a table of [`Roots::many`], which has been filled since the last collection.
    fn noted(&mut self, slot: *mut u64) {
        self.slot(slot);
    }
}

impl<F: FnMut(*mut u64)> Visitor for F {
    #[inline(always)]
    fn slot(&mut self, slot: *mut u64) {
        self(slot);
    }
}

/// The references outside the heap, and the stacks of threads inside it.
///
/// A `visit`ed slot may hold an address, an immediate or 0; the collector may write it. A slot may be visited twice.
pub trait Roots {
    /// The code that runs, for frames of [`ObjectKind::Stack`](leat_abi::header::ObjectKind::Stack) objects.
    fn tables(&self) -> &[&CodeTable];

    /// Visits every root slot: globals, each worker's `tcb.current`, `pending_exn` and exception packets, run queues,
    /// and the stacks of running threads (with [`scan_stack`](crate::stack::scan_stack)).
    ///
    /// In a minor collection (`minor`) also the lane frames of *suspended* threads that have run since the last
    /// collection, whatever their generation: an old thread's frames are found by nobody else. Before those of each
    /// thread comes [`Visitor::next_thread`].
    fn roots<V: Visitor>(&mut self, minor: bool, visit: &mut V);

    /// The slots of tables that are long (timers), for markings: visits those of so many entries at most from this one
    /// on. Gives how many are left. [`Roots::roots`] visits none of them in a marking; in a minor collection it gives
    /// those that have been filled since the last one to [`Visitor::noted`]: all of them while marking goes on, else at
    /// least those that may be young. An entry stays where it is as long as it is filled.
    fn many<V: Visitor>(&mut self, from: usize, most: usize, visit: &mut V) -> usize;

    /// A thread object was reached: visits the slots of its frames when they are on a lane (and not visited already).
    /// Called once in each marking for each reached thread, in a minor collection only for those that are promoted by
    /// it. The thread's own ref words are not its business; they may be about to be updated.
    fn thread_stack<V: Visitor>(&mut self, thread: *mut Thread, minor: bool, visit: &mut V);

    /// Everything that will survive is in its place. `forward` gives an object's new address (the same when it has not
    /// moved), or None when it is dead: to mend tables that do not keep their entries alive (lane residents, the weak
    /// list of all threads, timers). In a minor collection every old object counts as alive.
    fn after<F: Fn(u64) -> Option<u64>>(&mut self, minor: bool, forward: &F);

    /// After a marking, and after [`Roots::after`]: mends what is long of such tables (the list of all threads), so
    /// many entries at most. Gives how many are left. No memory is used again before there are none; what is promoted
    /// meanwhile may be added.
    fn mend<F: Fn(u64) -> Option<u64>>(&mut self, most: usize, forward: &F) -> usize;
}
