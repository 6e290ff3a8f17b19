//! Making place on a lane: eviction of the thread that is there, restoring of the one that comes, in pieces when deep.
//!
//! ```text
//!  lane                                       heap, after an eviction of a deep stack
//!  base  | frames of main .. h |              Stack { under: 1,  base: slot(g) } ret into h, h ..
//!        | ret into h          | slot(g)      Stack { under: ^,  base: slot(f) } ret into g, g, BOUNDARY
//!        | g                   |              Stack { under: ^,  base: sp      } f .., BOUNDARY    <- Thread::stack
//!        | ret into g          | slot(f)
//!        | f                   | sp           resumed: the last piece is copied back; f returns to the boundary stub, which
//!                                             copies the next one and goes on at its first word
//! ```
//!
//! A piece begins with the return address into its innermost frame (the topmost piece: with the resume address) and
//! ends where the next begins; a piece with another one under it has the boundary stub's address as its last word, at
//! the next one's base. So a walk of any part ends at a word that belongs to no code.
//!
//! Keeps: T5 frames are only ever copied to the address that they had; T6 a lane's frames between the resident's sp and
//! the piece that `Thread::stack` names are complete; T7 each byte of a deep stack is copied out at most once for each
//! time it was pushed or copied in, so a switch under a deep recursion costs a piece or two, whatever the depth.
//!
//! The piece that a thread was restored from is written again at its next eviction, if the frames fit: it is old by
//! then, mostly, and so a thread that is evicted again and again costs the collector nothing but a look at its frames.
//!
//! A tail call may move a return address within its caller's area for outgoing arguments, so where the in-place part
//! ends is found by the chain of frame pointers, not by the next piece's base.

use std::sync::atomic::Ordering;

use leat_abi::header::{self, prefetch};
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STACK_PIECE_ROOM, STACK_PIECE_WORDS, STATE_MASK, StackPiece, State, Thread};

use crate::base::jitter::jitter;
use crate::base::lane::{FIRST_LANES, Lane, give_back};
use crate::base::queue::barrier;
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{Shared, UNPLACED, Worker, count, name_lane, unname_lane, worker_of};
use crate::stub;
use crate::thread::resume::resume;
use crate::thread::word::{IN_HEAP, ON_LANE, current, set_lane, set_state, state_of};
use crate::workers::{load, post};

/// A stack of up to this many bytes is copied whole.
const WHOLE: usize = 2 << 10;
/// Least bytes of a piece of a deeper one.
const PIECE: usize = 1 << 10;
/// A captured stack of up to this many bytes may be copied whole; of a deeper one a quarter of this and more, which is
/// the innermost frame as a rule, and the rest once.
pub(crate) const CAPTURED: usize = 256;
/// So many small stacks are copied whole by captures, after a cut has been returned through. Then one is cut
/// nevertheless: in a loop that captures, that is the last one; where the function that captures returns each time, it
/// is a slow one of many.
const WHOLE_CAPTURES: i32 = 128;
/// Words that a stub pushes, as a rule, and no fewer.
pub(crate) const PUSHED: usize = 4;
/// Most words of a stack that is exchanged for another one in the shortest way.
pub(crate) const EXCHANGED: usize = 64;
/// Pieces of up to this many bytes do not ask the host for room, if there is some.
const SMALL: usize = 2 << 10;
/// Restored threads for each lane more, of those that were pushed off theirs lately: by no more than so many evictions.
/// Where thousands take turns, another lane would save none of them, and costs a page in every cache.
const RESTORES_A_LANE: u64 = 16;
pub(crate) const LATELY: u64 = 512;
/// New threads take turns on so many lanes, the newest ones: these stay in the first-level cache. The threads on the
/// other lanes stay there.
const NEWEST: usize = 32;
/// Lines of a piece that are asked for ahead: most pieces are no larger.
const FETCHED_LINES: u64 = 3;
/// A stack deeper than this is left alone when a lane for a new thread is looked for.
const DEEP: usize = 64 << 10;

/// Brings a new or evicted thread onto its lane, and resumes it. None: there is no lane for it here, and another worker
/// has it now.
#[inline(never)]
pub(crate) unsafe fn place_and_resume(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> Option<u64> {
    // SAFETY: the caller took the thread out of every queue; its lane, if it has one, is this worker's.
    unsafe {
        if exchange(worker, thread) {
            return Some(resume(tcb, worker, thread));
        }
        (*worker).hand = thread;
        while let Err(bytes) = place(tcb, worker) {
            (*tcb).current = NONE;
            if bytes == NO_LANE_LEFT {
                let thread = std::mem::replace(&mut (*worker).hand, Ref::NONE);
                post::leave_to_others(tcb, worker, thread);
                return None;
            }
            (*worker).shared.host.collect(tcb, bytes);
        }
        let thread = std::mem::replace(&mut (*worker).hand, Ref::NONE);
        Some(resume(tcb, worker, thread))
    }
}

/// The usual case of [`place`] among thousands of threads: the thread that comes and the resident of its lane have
/// small stacks, each in one piece, and the resident's fits into the piece that it came from; nothing has to be
/// allocated, and nothing to be told to the collector. What it does is what `place` does. False: nothing has changed.
/// The stubs do it in `stub/x86_64/exchange.rs`: whoever changes one changes the other.
#[inline(always)]
unsafe fn exchange(worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: as `place_and_resume`: the lane of a thread in the heap is this worker's, and a lane's resident a thread
    // object.
    unsafe {
        let comes = thread.as_ptr();
        if (*comes).state & STATE_MASK != IN_HEAP {
            return false;
        }
        let index = (*comes).lane as usize;
        let lane = (*worker).lanes.add(index);
        let piece = Ref::<StackPiece>::of((*comes).stack);
        fetch_piece(piece);
        fetch_next((*worker).queue.head);
        let (resident, kept) = ((*lane).resident, (*lane).kept);
        if resident.is_none() || kept.is_none() {
            return false;
        }
        let goes = resident.as_ptr();
        let (sp, fp, call_sp) = ((*lane).sp, (*lane).fp, (*lane).call_sp);
        let words = ((*lane).base - sp) / 8;
        let room = piece_words(kept).wrapping_sub(words);
        let coming = piece_words(piece).wrapping_sub((*piece.as_ptr()).room());
        debug_assert_eq!((*lane).marker.0, 0, "a lane with a marker keeps no piece");
        let is_usual = (*goes).stack == NONE
            && (*piece.as_ptr()).under == NONE
            && (*piece.as_ptr()).is_own()
            && (PUSHED..=EXCHANGED).contains(&words)
            && room <= words
            && (PUSHED..=EXCHANGED).contains(&coming)
            && (header::of(kept.word()) | header::of(resident.word())) & header::UNLOGGED == 0;
        if !is_usual {
            return false;
        }
        let counters = &(*worker).counters;
        let evictions = counters.evictions.load(Ordering::Relaxed);
        kept.as_ptr().write(StackPiece::new(NONE, index as u64, sp, fp, call_sp).own(room, evictions));
        copy_small(sp as *const u64, kept.as_ptr().add(1) as *mut u64, words);
        (*goes).stack = kept.word();
        set_place(goes, IN_HEAP);
        counters.evictions.store(evictions + 1, Ordering::Relaxed);
        let piece = piece.as_ptr();
        if (*piece).age(evictions + 1) <= LATELY {
            count(&counters.returns);
        }
        count(&counters.restores);
        let base = (*piece).base();
        copy_small(piece.add(1) as *const u64, base as *mut u64, coming);
        ((*lane).sp, (*lane).fp, (*lane).call_sp) = (base, (*piece).fp(), (*piece).call_sp());
        (*lane).kept = Ref::from_ptr(piece);
        (*lane).resident = thread;
        (*comes).stack = NONE;
        set_place(comes, ON_LANE);
        true
    }
}

/// Four words at least, and few of them: four at a time, the last four once more where they do not come out even.
#[inline(always)]
unsafe fn copy_small(from: *const u64, to: *mut u64, words: usize) {
    // SAFETY: the caller has two separate ranges of this many words.
    unsafe {
        let last = words - 4;
        let mut i = 0;
        while i < last {
            copy_four(from.add(i), to.add(i));
            i += 4;
        }
        copy_four(from.add(last), to.add(last));
    }
}

/// There is no lane: all are other workers'.
pub(crate) const NO_LANE_LEFT: usize = 0;

/// Brings the thread or segment in the worker's hand onto its lane. Err: bytes that could not be allocated; everything
/// is consistent, and a second call goes on. Or [`NO_LANE_LEFT`].
#[inline(never)]
pub(crate) unsafe fn bring(tcb: *mut Tcb, worker: *mut Worker) -> Result<(), usize> {
    // SAFETY: as for a thread that is to run: it stands in no queue, and its lane, if it has one, is this worker's.
    unsafe { place(tcb, worker) }
}

/// Moves the frames of a suspended segment to the heap, which is on this lane of the worker. Err as for [`bring`].
#[inline(never)]
pub(crate) unsafe fn remove(tcb: *mut Tcb, worker: *mut Worker, lane: u64) -> Result<(), usize> {
    // SAFETY: the caller's promise.
    unsafe { evict(tcb, worker, (*worker).shared.lane(lane), lane) }
}

/// Inlined in its two callers, as `evict` in its: in the one that runs a thread these are most of a switch among
/// thousands.
#[inline(always)]
unsafe fn place(tcb: *mut Tcb, worker: *mut Worker) -> Result<(), usize> {
    // SAFETY: as `place_and_resume`; `hand` is a thread object.
    unsafe {
        let shared = (*worker).shared;
        let hand = (*worker).hand;
        let thread = hand.as_ptr();
        fetch_piece(Ref::of((*thread).stack));
        fetch_next((*worker).queue.head);
        let is_new = (*thread).state & STATE_MASK == State::New as u8;
        if is_new && (*thread).lane as u64 == UNPLACED {
            let lane = pick_lane(tcb, worker).ok_or(NO_LANE_LEFT)?;
            set_lane(hand, lane);
            load::comes(worker, lane);
        }
        let index = (*thread).lane as u64;
        let lane = shared.lane(index);
        jitter();
        if !(*lane).resident.is_none() {
            evict(tcb, worker, lane, index)?;
            if !is_new {
                let evictions = (*worker).counters.evictions.load(Ordering::Relaxed);
                if (*((*thread).stack as *const StackPiece)).age(evictions) <= LATELY {
                    count(&(*worker).counters.returns);
                }
                count(&(*worker).counters.restores);
            }
        }
        if is_new {
            let base = (*lane).base;
            *((base - 8) as *mut usize) = stub::start_address();
            ((*lane).sp, (*lane).fp, (*lane).call_sp) = (base - 8, 0, base - 8);
            set_place(thread, ON_LANE);
        } else {
            let piece = (*thread).stack as *const StackPiece;
            copy_in(piece, (*piece).base());
            ((*lane).sp, (*lane).fp, (*lane).call_sp) = ((*piece).base(), (*piece).fp(), (*piece).call_sp());
            (*lane).kept = if (*piece).is_own() { Ref::from_ptr(piece) } else { Ref::NONE };
            (*thread).stack = (*piece).under;
            if (*piece).under != NONE {
                barrier(shared.host, tcb, hand);
            }
            set_place(thread, ON_LANE);
        }
        (*lane).resident = hand;
        Ok(())
    }
}

/// The first thread in the queue comes next: asks for the lines of its frames, and for the thread behind it, which have
/// been in no cache for long when many threads wait.
#[inline(always)]
unsafe fn fetch_next(first: Ref<Thread>) {
    if first.is_none() {
        return;
    }
    // SAFETY: a queued thread is a thread object; its stack may be an immediate, which is not followed.
    unsafe {
        let first = first.as_ptr();
        fetch_piece(Ref::of((*first).stack));
        let second = (*first).next;
        prefetch(second);
        prefetch(second + 64);
    }
}

/// Asks for the lines of a piece, or of nothing.
#[inline(always)]
fn fetch_piece(piece: Ref<StackPiece>) {
    for line in 0..FETCHED_LINES {
        prefetch(piece.word() + line * 64);
    }
}

/// Says where a thread's frames are; its flags stay.
unsafe fn set_place(thread: *mut Thread, place: u8) {
    // SAFETY: the thread's lane is the caller's.
    unsafe { set_state(Ref::from_ptr(thread), state_of(Ref::from_ptr(thread)) & !STATE_MASK | place) }
}

/// Copies a piece's frames to their place, from address `from` on.
unsafe fn copy_in(piece: *const StackPiece, from: usize) {
    // SAFETY: the piece is a `Stack` object whose addresses are this worker's lane's; nothing in use lies there.
    unsafe {
        let words = piece_words(Ref::from_ptr(piece)) - (*piece).room();
        let base = (*piece).base();
        let bytes = (piece as *const u8).add(STACK_PIECE_WORDS * 8);
        copy_words(bytes.add(from - base) as *const u64, from as *mut u64, words - (from - base) / 8);
    }
}

/// Words that a piece's object has for frames.
#[inline(always)]
unsafe fn piece_words(piece: Ref<StackPiece>) -> usize {
    // SAFETY: the caller has a `Stack` object; the word before it is its header.
    unsafe { header::length(*(piece.as_ptr() as *const u64).sub(1)) as usize - STACK_PIECE_WORDS }
}

/// A few dozen words, mostly: a call of `memcpy` costs more than its copying. Four at a time, the last four once more
/// where they do not come out even, so that there is no loop for the rest.
#[inline(always)]
unsafe fn copy_words(from: *const u64, to: *mut u64, words: usize) {
    // SAFETY: the caller has two separate ranges of this many words.
    unsafe {
        if words > 64 {
            return std::ptr::copy_nonoverlapping(from, to, words);
        }
        if words < 4 {
            for i in 0..words {
                to.add(i).write(from.add(i).read());
            }
            return;
        }
        let last = words - 4;
        let mut i = 0;
        while i + 4 < last {
            copy_four(from.add(i), to.add(i));
            copy_four(from.add(i + 4), to.add(i + 4));
            i += 8;
        }
        if i < last {
            copy_four(from.add(i), to.add(i));
        }
        copy_four(from.add(last), to.add(last));
    }
}

#[inline(always)]
unsafe fn copy_four(from: *const u64, to: *mut u64) {
    // SAFETY: the caller has room for four words at both.
    unsafe { (to as *mut [u64; 4]).write((from as *const [u64; 4]).read()) }
}

/// A lane for a new thread. Prefers one that was left a moment ago, then one never used; then somebody must go.
unsafe fn pick_lane(tcb: *mut Tcb, worker: *mut Worker) -> Option<u64> {
    // SAFETY: the caller is the worker; the thread that it runs, if there is one, is saved.
    unsafe {
        let shared = (*worker).shared;
        while let Some(index) = (*worker).free.pop() {
            if is_mine(worker, index) {
                let lane = shared.lane(index as u64);
                (*lane).listed = false;
                if (*lane).resident.is_none() {
                    return Some(index as u64);
                }
            }
        }
        let own = (*worker).own.len();
        let room = FIRST_LANES + ((*worker).counters.returns.load(Ordering::Relaxed) / RESTORES_A_LANE) as usize;
        if own < room
            && let Some(index) = grow(worker)
        {
            return Some(index);
        }
        let mut choice = None;
        for attempt in 0..own.max(8) {
            if (*worker).own.is_empty() {
                break;
            }
            // The list may have become shorter. (A division would take as long as the rest.)
            let lanes = (*worker).own.len();
            let turns = lanes.saturating_sub(NEWEST)..lanes;
            let at = if turns.contains(&(*worker).next_victim) { (*worker).next_victim } else { turns.start };
            let index = (&(*worker).own)[at];
            (*worker).next_victim = at + 1;
            let lane = shared.lane(index as u64);
            if !is_mine(worker, index) {
                unname_lane(worker, at);
                continue;
            }
            if index == 0 {
                continue;
            }
            choice = Some(index as u64);
            let resident = (*lane).resident;
            if resident.is_none() || attempt > 8 || (resident != current(tcb) && depth(lane) <= DEEP) {
                break;
            }
        }
        // The list may have named nothing but lanes that it has given away, and the main thread's.
        choice.or_else(|| grow(worker))
    }
}

/// One more lane for the worker, if there may be one.
unsafe fn grow(worker: *mut Worker) -> Option<u64> {
    // SAFETY: the caller is the worker.
    unsafe {
        let index = (*worker).shared.lanes.grow((*worker).index)? as u64;
        name_lane(worker, index);
        Some(index)
    }
}

/// Whether a lane is this worker's.
unsafe fn is_mine(worker: *mut Worker, index: u32) -> bool {
    // SAFETY: the caller is the worker.
    unsafe { (*(*worker).shared.lane(index as u64)).owner.load(Ordering::Acquire) as usize == (*worker).index }
}

/// Bytes of frames on a lane with a suspended resident.
unsafe fn depth(lane: *mut Lane) -> usize {
    // SAFETY: a resident is a live thread object.
    unsafe { (*lane).base - (*lane).sp }
}

/// Moves the frames of a lane's suspended resident to the heap. Err as for `place`.
#[inline(always)]
unsafe fn evict(tcb: *mut Tcb, worker: *mut Worker, lane: *mut Lane, index: u64) -> Result<(), usize> {
    // SAFETY: the lane is this worker's and nobody runs on it.
    unsafe {
        let shared = (*worker).shared;
        let thread = (*lane).resident.as_ptr();
        let (sp, fp, call_sp) = ((*lane).sp, (*lane).fp, (*lane).call_sp);
        if (*lane).marker.0 != 0 {
            shared.host.marker_remove(tcb, index as usize, fp, call_sp);
            (*lane).marker = (0, 0);
        }
        jitter();
        let mut end = in_place_end(lane, thread);
        if end - sp > WHOLE {
            end = evict_bottom(tcb, worker, thread, end, PIECE)?;
        }
        let under = (*thread).stack;
        let words = (end - sp) / 8;
        let piece = match take_kept(lane, words).some() {
            None => alloc_piece(shared, tcb, STACK_PIECE_WORDS + words),
            Some(kept) => kept,
        };
        if piece.is_none() {
            return Err((STACK_PIECE_WORDS + words + 1) * 8);
        }
        let room = piece_words(piece) - words;
        let evictions = (*worker).counters.evictions.load(Ordering::Relaxed);
        fill(piece, StackPiece::new(under, index, sp, fp, call_sp).own(room, evictions), words);
        barrier(shared.host, tcb, piece);
        (*thread).stack = piece.word();
        barrier(shared.host, tcb, Ref::from_ptr(thread));
        jitter();
        set_place(thread, IN_HEAP);
        (*lane).resident = Ref::NONE;
        count(&(*worker).counters.evictions);
        Ok(())
    }
}

/// The piece that the lane's resident was restored from, when these frames fit into it and do not leave most of it
/// unused; else none. The lane keeps it no more.
unsafe fn take_kept(lane: *mut Lane, words: usize) -> Ref<StackPiece> {
    // SAFETY: the lane is the caller's; what it keeps is a piece that nobody else has.
    unsafe {
        let kept = std::mem::replace(&mut (*lane).kept, Ref::NONE);
        if kept.is_none() {
            return Ref::NONE;
        }
        let all = piece_words(kept);
        if words <= all && all - words <= words.min(STACK_PIECE_ROOM) { kept } else { Ref::NONE }
    }
}

/// The end of a thread's frames on its lane.
unsafe fn in_place_end(lane: *mut Lane, thread: *mut Thread) -> usize {
    // SAFETY: the thread is the lane's resident, and saved.
    unsafe {
        if (*thread).stack == NONE {
            return (*lane).base;
        }
        // The oldest frame here is the one whose caller is the next piece's innermost.
        let below = (*((*thread).stack as *const StackPiece)).fp();
        let mut frame = (*lane).fp;
        let mut end = (*lane).call_sp + 8;
        while frame != below {
            end = frame + 16;
            frame = *(frame as *const usize);
        }
        end
    }
}

/// Copies the running thread's frames, all but the topmost of which are moved, so that the next copy has not to look at
/// them again: the topmost piece, whose frames stay in place too. Err as for `place`.
pub(crate) unsafe fn capture(
    tcb: *mut Tcb,
    worker: *mut Worker,
    thread: *mut Thread,
) -> Result<Ref<StackPiece>, usize> {
    // SAFETY: the caller has called from this thread, and saved it.
    unsafe {
        let shared = (*worker).shared;
        let index = (*thread).lane as u64;
        let lane = shared.lane(index);
        let (sp, fp, call_sp) = ((*lane).sp, (*lane).fp, (*lane).call_sp);
        if (*lane).marker.0 != 0 {
            shared.host.marker_remove(tcb, index as usize, fp, call_sp);
            (*lane).marker = (0, 0);
        }
        let mut end = in_place_end(lane, thread);
        if end - sp > CAPTURED || (*lane).whole < 0 {
            let all = end;
            end = evict_bottom(tcb, worker, thread, end, CAPTURED / 4)?;
            (*lane).whole = if end < all { 0 } else { WHOLE_CAPTURES };
        }
        copy_out(shared, tcb, index, sp, end, fp, call_sp, (*thread).stack)
    }
}

/// Replaces the running thread's frames, which are given up, by those of a piece of the same lane.
pub(crate) unsafe fn put_in_place(
    tcb: *mut Tcb,
    shared: &Shared,
    lane: *mut Lane,
    thread: *mut Thread,
    piece: Ref<StackPiece>,
) {
    // SAFETY: the caller runs this thread, on the C stack.
    unsafe {
        forget_marker(shared, lane, (*thread).lane as u64);
        let piece = piece.as_ptr();
        copy_in(piece, (*piece).base());
        // A capture is the call of a primitive.
        *((*piece).base() as *mut usize) = stub::thrown_address();
        if (*thread).stack != (*piece).under {
            (*thread).stack = (*piece).under;
            barrier(shared.host, tcb, Ref::from_ptr(thread));
        }
        (*tcb).saved_sp = (*piece).base();
    }
}

/// The frames of a lane are given up.
pub(crate) unsafe fn forget_marker(shared: &Shared, lane: *mut Lane, index: u64) {
    // SAFETY: the caller owns the lane.
    unsafe {
        if (*lane).marker.0 != 0 {
            shared.host.marker_forget(index as usize);
            (*lane).marker = (0, 0);
        }
    }
}

/// Moves the frames below the topmost piece to the heap, the oldest first, so that a collection may come in between.
/// Gives the end of what is left, which is a little more than `topmost` bytes, in whole frames.
unsafe fn evict_bottom(
    tcb: *mut Tcb,
    worker: *mut Worker,
    thread: *mut Thread,
    mut end: usize,
    topmost: usize,
) -> Result<usize, usize> {
    // SAFETY: as `evict`.
    unsafe {
        let shared = (*worker).shared;
        let below = match (*thread).stack {
            NONE => 0,
            piece => (*(piece as *const StackPiece)).fp(),
        };
        let cuts = &mut (*worker).cuts;
        cuts.clear();
        let index = (*thread).lane as u64;
        let lane = shared.lane(index);
        let mut start = (*lane).sp;
        let mut least = topmost;
        let mut frame = (*lane).fp;
        while frame != 0 && frame != below {
            let caller = *(frame as *const usize);
            if caller == 0 || caller == below {
                break;
            }
            if frame + 8 - start >= least {
                cuts.push(frame);
                start = frame + 8;
                least = PIECE;
            }
            frame = caller;
        }
        let whole = end;
        while let Some(&frame) = (*worker).cuts.last() {
            let slot = frame + 8;
            let caller = *(frame as *const usize);
            let piece = copy_out(shared, tcb, index, slot, end, caller, slot, (*thread).stack)?;
            (*thread).stack = piece.word();
            barrier(shared.host, tcb, Ref::from_ptr(thread));
            *(slot as *mut usize) = stub::boundary_address();
            end = slot + 8;
            (*worker).cuts.pop();
        }
        if whole - end > 1 << 20 {
            // Not what is left, nor what every thread of the lane uses.
            give_back(end, whole - DEEP);
        }
        Ok(end)
    }
}

/// Room for a piece: at the allocation pointer when it is small and fits.
#[inline(always)]
unsafe fn alloc_piece(shared: &Shared, tcb: *mut Tcb, words: usize) -> Ref<StackPiece> {
    // SAFETY: the block is the calling worker's; what lies below the limit is its own.
    unsafe {
        let align = shared.config.align;
        let bytes = ((words + 1) * 8).wrapping_add(align.wrapping_sub(1)) & !align.wrapping_sub(1);
        let at = (*tcb).alloc;
        if align != 0 && bytes <= SMALL && at + bytes <= (*tcb).alloc_limit.load(Ordering::Relaxed) {
            (*tcb).alloc = at + bytes;
            *(at as *mut u64) = header::stack(words as u64);
            return Ref::of(at as u64 + 8);
        }
        shared.host.alloc_stack(tcb, words)
    }
}

/// A `Stack` object with the bytes from `from` to `to`. Err: its bytes, when there is no room.
#[allow(clippy::too_many_arguments, reason = "what a piece says of its frames")]
unsafe fn copy_out(
    shared: &Shared,
    tcb: *mut Tcb,
    lane: u64,
    from: usize,
    to: usize,
    fp: usize,
    call_sp: usize,
    under: u64,
) -> Result<Ref<StackPiece>, usize> {
    // SAFETY: the range is in a lane; the object is filled before the next safepoint.
    unsafe {
        let words = (to - from) / 8;
        let piece = alloc_piece(shared, tcb, STACK_PIECE_WORDS + words);
        if piece.is_none() {
            return Err((STACK_PIECE_WORDS + words + 1) * 8);
        }
        fill(piece, StackPiece::new(under, lane, from, fp, call_sp), words);
        Ok(piece)
    }
}

/// Writes a piece and its frames, which are in place.
#[inline(always)]
unsafe fn fill(piece: Ref<StackPiece>, head: StackPiece, words: usize) {
    // SAFETY: the caller has an object with room for so many words, and as many on the lane.
    unsafe {
        let from = head.base() as *const u64;
        piece.as_ptr().write(head);
        let to = (piece.as_ptr() as *mut u64).add(STACK_PIECE_WORDS);
        // What the stub has just pushed word by word is read likewise: see `Lane::save`.
        if words < PUSHED {
            return copy_words(from, to, words);
        }
        for i in 0..PUSHED {
            to.add(i).write(from.add(i).read_volatile());
        }
        copy_words(from.add(PUSHED), to.add(PUSHED), words - PUSHED);
    }
}

/// The running thread has returned into a piece that is still in the heap; `sp` is its stack pointer. Copies the piece
/// and gives the address to go on at.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_boundary_hit(tcb: *mut Tcb, sp: usize) -> usize {
    // SAFETY: the boundary's address is only ever on the stack of a thread with another piece.
    unsafe {
        let thread = current(tcb).as_ptr();
        debug_assert!(sp > (*((*thread).stack as *const StackPiece)).base());
        let lane = (*worker_of(tcb)).shared.lane((*thread).lane as u64);
        if (*lane).whole <= 0 {
            (*lane).whole = WHOLE_CAPTURES;
        }
        next_piece(tcb, 0)
    }
}

/// Copies the next piece of the running thread into place, as far as it lies at or above `from`. Gives the return
/// address that it begins with.
pub(crate) unsafe fn next_piece(tcb: *mut Tcb, from: usize) -> usize {
    // SAFETY: the caller has seen the boundary; the words that are overwritten are no frame's.
    unsafe {
        let thread = current(tcb).as_ptr();
        let piece = (*thread).stack as *const StackPiece;
        copy_in(piece, from.max((*piece).base()));
        (*thread).stack = (*piece).under;
        if (*piece).under != NONE {
            barrier((*worker_of(tcb)).shared.host, tcb, Ref::from_ptr(thread));
        }
        *(piece as *const usize).add(STACK_PIECE_WORDS)
    }
}
