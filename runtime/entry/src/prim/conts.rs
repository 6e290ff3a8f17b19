//! Continuations: thin joints between compiled code and the fibers.

use leat_abi::thread::Thread;
use leat_fiber::reference::Cell;
use leat_fiber::{Closure, Ref};

use crate::service::here::Here;

/// Fills a cell with the caller's continuation.
pub fn leat_cont_capture(here: Here, cell: Ref<Cell>) -> Ref<Cell> {
    here.capture(cell)
}

/// Goes on where a cell was filled.
pub fn leat_cont_throw(here: Here, cell: Ref<Cell>, value: u64) -> u64 {
    here.throw(cell, value)
}

/// Goes on with a closure on an empty stack.
pub fn leat_cont_restart(here: Here, closure: Ref<Closure>) -> Ref<Closure> {
    here.restart(closure)
}

/// A segment with a stack on which nothing has run yet.
pub fn leat_segment_new(mut here: Here, closure: u64, props: u64) -> u64 {
    let mut keep = [closure, props];
    let segment = here.allocate(Thread::HEADER, &mut keep);
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe { leat_fiber::init_segment(Ref::of(segment), Ref::of(keep[0]), Ref::of(keep[1])) };
    segment
}

/// Exchanges the running thread's stack for a segment's.
pub fn leat_segment_swap(here: Here, segment: Ref<Thread>, value: u64) -> u64 {
    here.segment_swap(segment, value)
}

/// Gives the running thread's stack up for a segment's.
pub fn leat_segment_end(here: Here, segment: Ref<Thread>, value: u64) -> u64 {
    here.segment_end(segment, value)
}

/// Has a segment's stack in pieces that copies may share.
pub fn leat_segment_freeze(mut here: Here, segment: Ref<Thread>) -> bool {
    here.segment_freeze(segment)
}

/// Another segment with the stack of a frozen one.
pub fn leat_segment_copy(mut here: Here, frozen: u64) -> u64 {
    let mut keep = [frozen];
    let segment = here.allocate(Thread::HEADER, &mut keep);
    // SAFETY: as above.
    unsafe { leat_fiber::init_copy(Ref::of(segment), Ref::of(keep[0])) };
    segment
}
