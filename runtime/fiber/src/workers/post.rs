//! What workers want of each other: letters, and work that is shared out.
//!
//! A worker's queue, its lanes and the states of the threads on them are private. Who wants something of one of those
//! threads puts a letter into the worker's inbox and asks for a safepoint; there, or between two threads, the worker
//! does it. A worker that is outside (idle, or in blocking C) does nothing: who wants something of it does it himself,
//! under its lock. So a worker drains its inbox before it goes outside, and says that it does so under the lock.
//!
//! Work goes to who asks for it: an idle worker asks those with two ready threads or more before it goes to sleep, and
//! a worker that gets a second ready thread, or keeps one waiting for a time slice, is asked for an idle one.
//!
//! After Acar, Charguéraud and Rainey, Scheduling Parallel Programs by Work Stealing with Private Deques, PPoPP 2013.
//!
//! Keeps: T10 the owner of a lane changes by its owner's doing: the new one finds all stores of the old; T3.

use std::sync::atomic::Ordering;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::atomic::ticks;
use crate::base::host::Change;
use crate::base::jitter::jitter;
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{Errand, Letter, NO_LANE, Shared, UNPLACED, Worker, count, name_lane, worker_of};
use crate::thread::word::{
    BOUND, IN_HEAP, NEW, ON_LANE, QUEUED, READIED, SPENT, claim, current, is_at, is_own, lane_of, set_state, state_of,
    state_word, trace, wake_up,
};
use crate::workers::biased;
use crate::workers::fold::goes_home;
use crate::workers::load;
use crate::workers::request::{self, LETTER};
use crate::workers::start;
use crate::workers::turns::{self, take_spare};

/// Threads at the head of a queue that are looked at when one is to be given away.
const LOOK: usize = 32;
/// Ticks for which a thread that was fetched stays where it is.
const REST: u16 = 50;
/// Most threads that are given to one worker at once.
const SHARE: usize = 8;

/// Makes a blocked or new thread ready: it stands at the end of the queue of the worker that owns its lane. For a
/// thread that runs: its next park returns at once.
///
/// # Safety
/// Called by a worker, on any stack, `tcb` being its own; `thread` is a thread object.
#[inline]
pub unsafe fn ready(tcb: *mut Tcb, thread: Ref<Thread>) {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        if is_own(worker, thread) {
            ready_own(tcb, worker, thread);
        } else if lane_of(thread) != UNPLACED {
            send_ready(tcb, worker, thread);
        } else if win(worker, thread) {
            trace(worker, Change::Ready, thread);
            (*worker).queue.push((*worker).shared.host, tcb, thread);
            spread(worker);
        } else if lane_of(thread) != UNPLACED {
            // Another worker has placed it meanwhile.
            ready(tcb, thread);
        }
    }
}

/// [`ready`], for a thread whose lane is this worker's.
#[inline]
pub(crate) unsafe fn ready_own(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: as `ready`.
    unsafe {
        if wake_up(worker, thread) {
            (*worker).queue.push((*worker).shared.host, tcb, thread);
        }
    }
}

/// Makes a thread ready that has no lane; false when it is that already, or has a lane by now. The barrier makes what
/// was stored before visible to who runs it.
pub(crate) unsafe fn win(worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller has a thread object.
    unsafe {
        if !(*worker).shared.is_several() {
            let state = state_of(thread);
            let new = state & !BOUND == NEW;
            if new {
                set_state(thread, state | QUEUED | READIED);
            }
            return new;
        }
        jitter();
        let new = NEW | state_of(thread) & BOUND;
        state_word(thread).compare_exchange(new, new | QUEUED | READIED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

/// How a worker was found whose thread another one wants something of.
enum Met {
    /// It does nothing at present, and its lock is held.
    Outside(*mut Worker),
    /// It has got the letter.
    Written,
    /// The thread's lane is the caller's own by now.
    Own,
}

/// Finds the owner of a thread's lane, and writes to it unless it is outside.
unsafe fn meet(worker: *mut Worker, thread: Ref<Thread>, errand: Errand) -> Met {
    // SAFETY: the thread object has a lane.
    unsafe {
        let shared = (*worker).shared;
        loop {
            let index = lane_of(thread);
            let lane = shared.lane(index);
            let owner = (*lane).owner.load(Ordering::Acquire);
            if owner as usize == (*worker).index {
                if lane_of(thread) == index {
                    return Met::Own;
                }
                continue;
            }
            let holder = shared.worker(owner as usize);
            jitter();
            (*holder).lock.lock();
            // While the holder is outside and its lock is held, the lane stays its own and the thread stays on the
            // lane.
            if lane_of(thread) != index || (*lane).owner.load(Ordering::Acquire) != owner {
                (*holder).lock.unlock();
                continue;
            }
            // Letters behind the first one cost little: the holder reads them all at once.
            if (*holder).inbox.is_empty() {
                count(&(*worker).counters.crossings);
            }
            if (*holder).outside {
                return Met::Outside(holder);
            }
            (*holder).inbox.push(Letter { thread, errand });
            (*holder).lock.unlock();
            jitter();
            request::request(holder, LETTER);
            return Met::Written;
        }
    }
}

/// [`ready`] for a thread of another worker.
#[cold]
#[inline(never)]
pub(crate) unsafe fn send_ready(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: as `ready`; the thread has a lane.
    unsafe {
        let host = (*worker).shared.host;
        let holder = match meet(worker, thread, Errand::Ready) {
            Met::Own => return ready_own(tcb, worker, thread),
            Met::Written => return,
            Met::Outside(holder) => holder,
        };
        if !wake_up(worker, thread) {
            (*holder).lock.unlock();
            return;
        }
        // One in blocking C may stay there for long, and one that is idle stays that while the workers are folded.
        let stays = match (*holder).busy_lane {
            NO_LANE => (*worker).shared.fold.is_elsewhere((*holder).index) && !is_at(holder, thread),
            busy => u64::from(busy) != lane_of(thread),
        };
        if stays {
            take_lane(worker, thread);
            (*holder).lock.unlock();
            (*worker).queue.push(host, tcb, thread);
            return;
        }
        (*holder).queue.push(host, tcb, thread);
        wake(holder);
    }
}

/// A blocked thread of another worker is to run on this one at once. But it becomes ready where it is when this one has
/// other threads to run, the caller not counted, or when it has just been fetched: what talks to threads of two workers
/// would else go to and fro. False: it will run when its turn comes, here or there.
#[cold]
#[inline(never)]
pub(crate) unsafe fn fetch(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: as `send_ready`.
    unsafe {
        let lane = (*worker).shared.lane(lane_of(thread));
        let fetched = &(*lane).fetched;
        let now = ticks() as u16;
        let stays = (*worker).queue.head != (*worker).queue.tail
            || now.wrapping_sub(fetched.load(Ordering::Relaxed)) < REST
            || !load::may_go((*worker).shared.worker((*lane).owner.load(Ordering::Relaxed) as usize), worker, thread);
        if stays {
            send_ready(tcb, worker, thread);
            return false;
        }
        fetched.store(now, Ordering::Relaxed);
        let holder = match meet(worker, thread, Errand::RunAt((*worker).index)) {
            Met::Written => return false,
            Met::Own => return claim(thread),
            Met::Outside(holder) => holder,
        };
        if !claim(thread) {
            (*holder).lock.unlock();
            return false;
        }
        let free = (*holder).busy_lane as u64 != lane_of(thread) && !is_at(holder, thread);
        if free {
            take_lane(worker, thread);
            (*holder).lock.unlock();
        } else {
            (*holder).queue.push_front((*worker).shared.host, tcb, thread);
            wake(holder);
        }
        free
    }
}

/// Gives a lane on which nobody runs to another worker.
unsafe fn give_lane(worker: *mut Worker, index: u64, other: usize) {
    // SAFETY: the lane is this worker's.
    unsafe {
        let shared = (*worker).shared;
        let to = shared.worker(other);
        part_with(worker, index, other);
        count(&(*worker).counters.steals);
        jitter();
        (*to).lock.lock();
        let outside = (*to).outside;
        if outside {
            name_lane(to, index);
        } else {
            (*to).inbox.push(Letter { thread: Ref::NONE, errand: Errand::Lane(index) });
        }
        (*to).lock.unlock();
        if !outside {
            request::request(to, LETTER);
        }
    }
}

/// The lane is another worker's from here on, who has not been told yet.
unsafe fn part_with(worker: *mut Worker, index: u64, other: usize) {
    // SAFETY: the caller is the worker and owns the lane, and nobody runs on it.
    unsafe {
        let shared = (*worker).shared;
        let lane = shared.lane(index);
        load::moves(worker, shared.worker(other), index);
        (*lane).listed = false;
        jitter();
        (*lane).owner.store(other as u32, Ordering::Release);
    }
}

/// What was found of a segment whose lane is another worker's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// The lane is this worker's now.
    Here,
    /// The segment is in the heap, so its lane's owner does nothing to it.
    Elsewhere,
    /// The owner was asked for the lane.
    Asked,
}

/// Has a segment's lane, if it can be spared, or its frames in the heap.
#[cold]
#[inline(never)]
pub(crate) unsafe fn reach(worker: *mut Worker, segment: Ref<Thread>) -> Reach {
    // SAFETY: the segment has a lane, and nobody but the caller and the lane's owner does anything to it.
    unsafe {
        if state_word(segment).load(Ordering::Acquire) == IN_HEAP {
            return Reach::Elsewhere;
        }
        match meet(worker, segment, Errand::LaneFor((*worker).index)) {
            Met::Own => Reach::Here,
            Met::Written => Reach::Asked,
            Met::Outside(holder) => {
                // Its resident is the segment, not a thread in blocking C.
                let free = (*holder).busy_lane as u64 != lane_of(segment);
                if free {
                    take_lane(worker, segment);
                }
                (*holder).lock.unlock();
                if free { Reach::Here } else { Reach::Elsewhere }
            }
        }
    }
}

/// The lane of a thread becomes this worker's; its owner is outside, and its lock is held.
unsafe fn take_lane(worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: the caller's promise.
    unsafe {
        let index = lane_of(thread);
        let lane = (*worker).shared.lane(index);
        (*lane).listed = false;
        load::moves((*worker).shared.worker((*lane).owner.load(Ordering::Relaxed) as usize), worker, index);
        (*lane).owner.store((*worker).index as u32, Ordering::Release);
        name_lane(worker, index);
        count(&(*worker).counters.steals);
    }
}

/// Gives the lock of a worker that is outside back, after something was queued there.
unsafe fn wake(holder: *mut Worker) {
    // SAFETY: the caller holds the lock.
    unsafe {
        let shared = (*holder).shared;
        let is_idle = (*holder).busy_lane == NO_LANE;
        (*holder).lock.unlock();
        if is_idle {
            return shared.host.wake((*holder).index);
        }
        // It may stay in blocking C for long: somebody else can take the thread from there.
        request::wake_idle(shared);
    }
}

/// Whether a ready thread that was taken out of the queue may run here. If not, its lane's owner has it now.
#[cold]
#[inline(never)]
pub(crate) unsafe fn keeps(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the thread stands in no queue.
    unsafe {
        if lane_of(thread) == UNPLACED {
            return true;
        }
        match meet(worker, thread, Errand::Queue) {
            Met::Own => true,
            Met::Written => false,
            Met::Outside(holder) => {
                turns::push(tcb, holder, thread);
                wake(holder);
                false
            }
        }
    }
}

/// Does what other workers want of this one. Not in an atomic section, or between two threads.
#[cold]
#[inline(never)]
pub(crate) unsafe fn serve(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        biased::give(worker);
        read_letters(tcb, worker);
        let mut asked = (*worker).asked.swap(0, Ordering::SeqCst);
        while asked != 0 {
            share(tcb, worker, asked.trailing_zeros() as usize);
            asked &= asked - 1;
        }
    }
}

/// Does what the letters say.
pub(crate) unsafe fn read_letters(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker, and no safepoint comes in between: the letters' threads do not move.
    unsafe {
        let host = (*worker).shared.host;
        loop {
            jitter();
            let mut letters = std::mem::take(&mut (*worker).reading);
            (*worker).lock.lock();
            std::mem::swap(&mut letters, &mut (*worker).inbox);
            (*worker).lock.unlock();
            if letters.is_empty() {
                (*worker).reading = letters;
                return;
            }
            for Letter { thread, errand } in letters.drain(..) {
                match errand {
                    Errand::Ready => ready(tcb, thread),
                    Errand::LaneFor(other) => {
                        // Who asked looks again: a segment that has lost its lane to a thread is in the heap by then.
                        if is_own(worker, thread) && state_of(thread) == ON_LANE && is_free(tcb, worker, thread) {
                            give_lane(worker, lane_of(thread), other);
                        }
                    }
                    Errand::Lane(lane) => name_lane(worker, lane),
                    Errand::RunAt(other) => {
                        if is_own(worker, thread) && is_free(tcb, worker, thread) && claim(thread) {
                            hand_over(tcb, worker, thread, other, Errand::Given);
                        } else {
                            ready(tcb, thread);
                        }
                    }
                    Errand::Queue | Errand::Given | Errand::Spared => {
                        let lane = lane_of(thread);
                        if errand != Errand::Queue && lane != UNPLACED {
                            name_lane(worker, lane);
                        }
                        if is_own(worker, thread) || keeps(tcb, worker, thread) {
                            if errand == Errand::Given {
                                (*worker).queue.push_front(host, tcb, thread);
                            } else {
                                turns::push(tcb, worker, thread);
                            }
                        }
                    }
                }
            }
            (*worker).reading = letters;
        }
    }
}

/// Whether the running thread, if there is one, is on another lane than this one, and the worker not at its carrier.
unsafe fn is_free(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller is the worker.
    unsafe {
        let current = current(tcb);
        (current.is_none() || lane_of(current) != lane_of(thread)) && !is_at(worker, thread)
    }
}

/// Gives a ready thread that stands in no queue to another worker, with its lane if it has one.
unsafe fn hand_over(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>, other: usize, errand: Errand) {
    // SAFETY: the lane is this worker's, and nobody runs on it.
    unsafe {
        let shared = (*worker).shared;
        let to = shared.worker(other);
        let index = lane_of(thread);
        if index != UNPLACED {
            // The last thing that is done to the thread and its lane here.
            part_with(worker, index, other);
        }
        count(&(*worker).counters.steals);
        jitter();
        (*to).lock.lock();
        if (*to).outside {
            if index != UNPLACED {
                name_lane(to, index);
            }
            // The worker's lane now, and this is done for it.
            turns::push(tcb, to, thread);
            wake(to);
        } else {
            (*to).inbox.push(Letter { thread, errand });
            (*to).lock.unlock();
            request::request(to, LETTER);
        }
    }
}

/// Gives half of the ready threads, or some of them, to a worker that asked.
unsafe fn share(tcb: *mut Tcb, worker: *mut Worker, other: usize) {
    // SAFETY: the caller is the worker; a queue's threads are thread objects.
    unsafe {
        let shared = (*worker).shared;
        let to = shared.worker(other);
        let could = |thread: Ref<Thread>| is_spare(shared, worker, thread) && is_free(tcb, worker, thread);
        let may = |thread: Ref<Thread>| could(thread) && load::may_go(worker, to, thread);
        // Folded: others compute, and no more.
        let queues = if shared.fold.is_folded() { 1 } else { 2 };
        let (mut spare, mut stay) = (0, 0);
        for queue in &[&(*worker).spent.queue, &(*worker).queue][..queues] {
            let mut thread = queue.head;
            for _ in 0..LOOK {
                if thread.is_none() {
                    break;
                }
                if could(thread) {
                    let goes = load::may_go(worker, to, thread);
                    spare += usize::from(goes);
                    stay += usize::from(!goes);
                }
                thread = Ref::of((*thread.as_ptr()).next);
            }
        }
        if spare == 0 && stay > 0 {
            load::refuse(worker);
        }
        for _ in 0..spare.div_ceil(2).min(SHARE) {
            let thread = take_spare(tcb, worker, LOOK, queues, may);
            if thread.is_none() {
                return;
            }
            load::note_going(worker, to, thread);
            hand_over(tcb, worker, thread, other, Errand::Spared);
        }
    }
}

/// Whether a worker's ready thread can go elsewhere: its lane is the worker's, or it will find one there.
unsafe fn is_spare(shared: &Shared, holder: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller is the worker, or holds its lock while it is outside.
    unsafe {
        match lane_of(thread) {
            UNPLACED => shared.lanes.may_grow(),
            _ => is_own(holder, thread),
        }
    }
}

/// This worker has got another ready thread: an idle worker is to have it, or one that is not started yet.
#[inline]
pub(crate) unsafe fn spread(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        let shared = (*worker).shared;
        // (The tail of an empty queue is the thread that was last there.)
        let queue = &(*worker).queue;
        let is_one = queue.is_empty() || queue.head == queue.tail || shared.fold.is_folded();
        if !shared.is_several() || (is_one && (*worker).spent.queue.is_empty()) {
            return;
        }
        ask_for_help(shared, worker);
    }
}

/// Has an idle worker served from this one's queue, or starts one. Any OS thread.
#[cold]
pub(crate) fn ask_for_help(shared: &'static Shared, worker: *mut Worker) {
    let idle = shared.stop.idle.load(Ordering::SeqCst);
    if idle != 0 {
        // SAFETY: the worker lives as long as the program; these are atomics.
        unsafe {
            if !load::may_give(worker) {
                return;
            }
            (*worker).asked.fetch_or(idle & idle.wrapping_neg(), Ordering::SeqCst);
            request::request(worker, LETTER);
        }
    } else {
        start::start_worker(shared);
    }
}

/// A ready thread of a worker that is outside, with its lane; or none. One whose lane is somebody else's by now comes
/// too: who has it goes by [`keeps`], and it does not wait for the end of blocking C.
pub(crate) unsafe fn rob(tcb: *mut Tcb, worker: *mut Worker) -> Ref<Thread> {
    // SAFETY: the caller is the worker, and runs no thread; queues are changed under their worker's lock.
    unsafe {
        let shared = (*worker).shared;
        let workers = shared.started.load(Ordering::Acquire);
        for distance in 1..workers {
            let holder = shared.worker(((*worker).index + distance) % workers);
            if !turns::glance(holder).0 {
                continue;
            }
            jitter();
            (*holder).lock.lock();
            let mut thread = Ref::NONE;
            // What has come to an idle home stays: that one has been woken, and is on its way.
            let comes = (*holder).busy_lane == NO_LANE && shared.fold.is_home((*holder).index);
            if (*holder).outside && !comes {
                let busy = (*holder).busy_lane as u64;
                let may = |thread: Ref<Thread>| match lane_of(thread) {
                    UNPLACED => shared.lanes.may_grow(),
                    lane => lane != busy && !is_at(holder, thread),
                };
                thread = take_spare(tcb, holder, LOOK, 2, may);
                if !thread.is_none() && lane_of(thread) != UNPLACED && is_own(holder, thread) {
                    take_lane(worker, thread);
                }
            }
            (*holder).lock.unlock();
            if !thread.is_none() {
                return thread;
            }
        }
        Ref::NONE
    }
}

/// While the workers are folded, a ready thread that does not compute goes home; so does all that is on its lane.
/// False: it runs here, since this worker is home, or it cannot go.
#[cold]
#[inline(never)]
pub(crate) unsafe fn send_home(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller is the worker, and runs no thread; this one stands in no queue, and its lane, if it has one,
    // is the worker's.
    unsafe {
        let shared = (*worker).shared;
        if state_of(thread) & SPENT != 0 {
            return false;
        }
        let Some(home) = goes_home(worker) else { return false };
        (*tcb).current = NONE;
        if !is_spare(shared, worker, thread) || !is_free(tcb, worker, thread) {
            return false;
        }
        hand_over(tcb, worker, thread, home, Errand::Spared);
        true
    }
}

/// This worker has no lane for a new thread, and cannot get one: a worker that has lanes gets the thread.
#[cold]
pub(crate) unsafe fn leave_to_others(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: the caller is the worker; the thread stands in no queue and has no lane.
    unsafe {
        let shared = (*worker).shared;
        // Lane 0 is the main thread's alone.
        let others = shared.lanes.count() - 1;
        if others == 0 {
            shared.host.no_lane();
        }
        let index = 1 + (*worker).next_victim % others;
        (*worker).next_victim = index;
        let owner = (*shared.lane(index as u64)).owner.load(Ordering::Acquire) as usize;
        hand_over(tcb, worker, thread, owner, Errand::Spared);
    }
}
