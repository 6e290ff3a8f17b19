//! A queue of ready threads, linked through the thread objects themselves, the second one that a worker has, and the
//! lock that guards them.
//!
//! Head and tail are roots; a link is a store into a heap object and goes through the write barrier. A queue of a
//! million threads costs no memory of its own, and a minor collection looks at those alone that were linked since the
//! last one.

use leat_abi::header::UNLOGGED;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::atomic::{AtomicU32, Ordering, spin_loop, yield_now};
use crate::base::host::Host;
use crate::base::reference::{NONE, Object, Ref};

/// First in, first out.
pub(crate) struct Queue {
    pub(crate) head: Ref<Thread>,
    pub(crate) tail: Ref<Thread>,
}

/// Write barrier: `object` was just stored into.
///
/// # Safety
/// `object` is a heap object, `tcb` the calling worker's.
#[inline(always)]
pub(crate) unsafe fn barrier<K>(host: &dyn Host, tcb: *mut Tcb, object: Ref<K>) {
    // SAFETY: the word before a payload is its header (A1).
    unsafe {
        if *(object.as_ptr() as *const u64).sub(1) & UNLOGGED != 0 {
            logged(host, tcb, object.cast());
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn logged(host: &dyn Host, tcb: *mut Tcb, object: Ref<Object>) {
    // SAFETY: the caller's promise.
    unsafe { host.write_barrier(tcb, object) }
}

impl Queue {
    pub(crate) const EMPTY: Queue = Queue { head: Ref::NONE, tail: Ref::NONE };

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// Both ends of a queue that its worker may be changing: a guess.
    ///
    /// # Safety
    /// The queue is a worker's.
    pub(crate) unsafe fn glance(queue: *const Queue) -> (Ref<Thread>, Ref<Thread>) {
        // SAFETY: workers live as long as the program; the words are compared, not followed.
        unsafe { ((&raw const (*queue).head).read_volatile(), (&raw const (*queue).tail).read_volatile()) }
    }

    /// # Safety
    /// The thread stands in no queue; its link is none.
    #[inline(always)]
    pub(crate) unsafe fn push(&mut self, host: &dyn Host, tcb: *mut Tcb, thread: Ref<Thread>) {
        if self.head.is_none() {
            self.head = thread;
        } else {
            // SAFETY: the tail is a thread object.
            unsafe {
                (*self.tail.as_ptr()).next = thread.word();
                barrier(host, tcb, self.tail);
            }
        }
        self.tail = thread;
    }

    /// In front of the others.
    ///
    /// # Safety
    /// As `push`.
    pub(crate) unsafe fn push_front(&mut self, host: &dyn Host, tcb: *mut Tcb, thread: Ref<Thread>) {
        if self.head.is_none() {
            self.tail = thread;
        } else {
            // SAFETY: the caller's promise.
            unsafe {
                (*thread.as_ptr()).next = self.head.word();
                barrier(host, tcb, thread);
            }
        }
        self.head = thread;
    }

    /// # Safety
    /// The queue's threads are thread objects.
    #[inline(always)]
    pub(crate) unsafe fn pop(&mut self) -> Ref<Thread> {
        let first = self.head;
        if !first.is_none() {
            // SAFETY: the head is a thread object. An immediate needs no barrier.
            unsafe {
                self.head = Ref::of((*first.as_ptr()).next);
                (*first.as_ptr()).next = NONE;
            }
        }
        first
    }

    /// Takes out the first of the leading `most` threads for which `wanted` holds, or gives none.
    ///
    /// # Safety
    /// As `pop`.
    pub(crate) unsafe fn take(
        &mut self,
        host: &dyn Host,
        tcb: *mut Tcb,
        most: usize,
        mut wanted: impl FnMut(Ref<Thread>) -> bool,
    ) -> Ref<Thread> {
        let mut before: Ref<Thread> = Ref::NONE;
        let mut thread = self.head;
        for _ in 0..most {
            if thread.is_none() {
                break;
            }
            // SAFETY: linked threads are thread objects.
            unsafe {
                let next: Ref<Thread> = Ref::of((*thread.as_ptr()).next);
                if wanted(thread) {
                    if before.is_none() {
                        self.head = next;
                    } else {
                        (*before.as_ptr()).next = next.word();
                        barrier(host, tcb, before);
                    }
                    if next.is_none() {
                        self.tail = before;
                    }
                    (*thread.as_ptr()).next = NONE;
                    return thread;
                }
                before = thread;
                thread = next;
            }
        }
        Ref::NONE
    }
}

/// No thread's number.
pub(crate) const NOBODY: u64 = u64::MAX;

/// Who stood first in the first queue at a tick, while a thread that is not spent ran: its number, and the time that
/// the worker's OS thread had had on a processor when it was first seen there.
///
/// A thread may have run and come back to the front between two ticks. Then a turn is over too soon, which does no
/// harm.
pub(crate) struct Front {
    id: u64,
    time: u64,
}

impl Front {
    pub(crate) const NOBODY: Front = Front { id: NOBODY, time: 0 };

    /// At a tick this thread stands first: whether it has done so for `least` nanoseconds in which the worker had a
    /// processor.
    pub(crate) fn has_waited(&mut self, id: u64, time: u64, least: u64) -> bool {
        // Below 0: the worker has changed its OS thread.
        let waited = (self.id == id).then(|| time.checked_sub(self.time)).flatten();
        match waited {
            Some(waited) => waited >= least && id != NOBODY,
            None => {
                *self = Front { id, time };
                false
            }
        }
    }
}

/// The second queue of a worker, see `turns`. The queue is private as the first one is, the rest the owner's alone.
pub(crate) struct Spent {
    pub(crate) queue: Queue,
    /// It is this queue's turn, whatever stands in the first.
    pub(crate) is_next: bool,
    /// A thread of it has run since the last tick.
    pub(crate) has_run: bool,
    /// Ticks that the thread has had which stood first.
    pub(crate) ticks: u32,
    /// The worker's switches when a thread of the first queue gave way to this one for a tick.
    pub(crate) interrupted: Option<u64>,
    /// Who waits in front of the first queue.
    pub(crate) front: Front,
}

impl Spent {
    pub(crate) const EMPTY: Spent = Spent {
        queue: Queue::EMPTY,
        is_next: false,
        has_run: false,
        ticks: 0,
        interrupted: None,
        front: Front::NOBODY,
    };
}

/// A lock held for some tens of nanoseconds, never across a safepoint.
#[derive(Default)]
pub(crate) struct Lock(AtomicU32);

impl Lock {
    #[inline(always)]
    pub(crate) fn lock(&self) {
        let mut tries = 0u32;
        while self.0.swap(1, Ordering::Acquire) != 0 {
            while self.0.load(Ordering::Relaxed) != 0 {
                tries += 1;
                if tries.is_multiple_of(64) { yield_now() } else { spin_loop() }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn unlock(&self) {
        self.0.store(0, Ordering::Release);
    }
}
