//! Where a worker is when a signal interrupts it, anywhere: its registers -> the frames of the thread that it runs.
//!
//! For a profiler's signal handler: nothing is locked, allocated or changed, and each word of the stack is looked at
//! only where the thread's lane has it. What was interrupted is one of these:
//!
//! ```text
//!  compiled code           rbp is its frame; at its first and last instructions still, or again, the caller's
//!  a leaf of the runtime   on the SML stack, rbp is anything: the first word above rsp that is a return address into code
//!                          whose frame fits is the caller's
//!  the runtime             on the C stack: the stub has noted where the SML stack ends
//! ```

use leat_abi::code::{self, CodeTable, Site};
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_abi::walk::Walk;

use crate::base::atomic::Ordering;
use crate::base::reference::NONE;
use crate::base::worker::{UNPLACED, worker_of};
use crate::fibers::Fibers;
use crate::stub;
use crate::thread::word::{ON_LANE, STATE, is_own, state_of};
use crate::unwind::{below, each_piece};

/// The registers of an interrupted worker.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    pub pc: usize,
    pub sp: usize,
    pub fp: usize,
}

/// A frame of compiled code.
#[derive(Clone, Copy)]
pub enum Sampled {
    /// The innermost one, at this instruction.
    At(&'static CodeTable, usize),
    /// One that is at a call.
    Call(&'static CodeTable, &'static Site),
}

/// What the walk has found besides the frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// No thread runs here.
    Nobody,
    /// This thread (its number) was in compiled code, or in a function of the runtime.
    Compiled(u64),
    Runtime(u64),
}

/// Words above the stack pointer among which a leaf's return address is looked for.
const LEAF_WORDS: usize = 512;
/// Offsets in the frame of a write barrier's stub, from what it keeps in rbx.
const BARRIER_FP: usize = 360;
const BARRIER_RET: usize = 368;

/// The part of a lane that is in use, and what its marker hides.
struct Stack {
    tables: &'static [&'static CodeTable],
    low: usize,
    base: usize,
    marker: (usize, usize),
}

impl Stack {
    fn word(&self, at: usize) -> Option<usize> {
        // SAFETY: an aligned word of the lane's pages that are accessible.
        (at >= self.low && at < self.base && at.is_multiple_of(8)).then(|| unsafe { *(at as *const usize) })
    }

    fn find(&self, pc: usize) -> Option<(&'static CodeTable, &'static Site)> {
        let table = code::find(self.tables, pc)?;
        Some((table, table.site(pc)?))
    }

    /// The call whose return address stands here.
    fn site(&self, slot: usize) -> Option<(&'static CodeTable, &'static Site)> {
        match self.word(slot)? {
            word if word == stub::marker_address() => self.find(self.marker.1),
            word => self.find(word),
        }
    }

    /// Whether the call that returns to this slot was made by a frame with this pointer.
    fn fits(&self, slot: usize, fp: usize) -> bool {
        self.site(slot).is_some_and(|(_, site)| slot + 8 + site.frame as usize == fp)
    }
}

/// The stack of the thread that the worker runs, and the thread.
///
/// # Safety
/// The block is an attached worker's, its thread an object; the lane's numbers are read as they are.
unsafe fn stack_of(tcb: *mut Tcb) -> Option<(Stack, *const Thread)> {
    // SAFETY: as the caller says.
    unsafe {
        let thread = (*tcb).current as *const Thread;
        if thread as u64 == NONE || thread.is_null() {
            return None;
        }
        let lane = (*thread).lane as u64;
        if lane == UNPLACED {
            return None;
        }
        let shared = (*worker_of(tcb)).shared;
        let lane = shared.lane(lane);
        let tables = **shared.tables.as_ptr();
        Some((Stack { tables, low: (*lane).low, base: (*lane).base, marker: (*lane).marker }, thread))
    }
}

/// Whether the thread that the worker runs has this stack pointer, and then whether this instruction is one of
/// compiled code.
///
/// # Safety
/// As [`sample`]; the worker may be another one, if a wrong answer does no harm.
unsafe fn stands_at(tcb: *mut Tcb, at: Interrupted) -> Option<bool> {
    // SAFETY: as the caller says.
    let (stack, _) = unsafe { stack_of(tcb) }?;
    (at.sp >= stack.low && at.sp < stack.base).then(|| code::find(stack.tables, at.pc).is_some())
}

/// The block of the worker whose thread has this stack pointer, and whether the instruction is one of compiled code.
/// Takes no lock and no memory, for the handler of a crash.
///
/// # Safety
/// A signal has interrupted this OS thread with these registers.
pub unsafe fn standing_at(fibers: &Fibers, at: Interrupted) -> Option<(*mut Tcb, bool)> {
    fibers.shared.all().find_map(|worker| {
        // SAFETY: workers live as long as the program. Another worker's lane does not have this stack pointer, whatever
        // its numbers are at the moment.
        unsafe {
            if !(*worker).attached.load(Ordering::Acquire) {
                return None;
            }
            Some(((*worker).tcb, stands_at((*worker).tcb, at)?))
        }
    })
}

/// Visits the frames of the thread that the worker runs, the innermost first, until `visit` says no.
///
/// # Safety
/// Called on the worker's OS thread, in the handler of a signal that interrupted it with these registers; or, the
/// registers being 0, by the runtime, which the thread has called.
pub unsafe fn sample(tcb: *mut Tcb, at: Interrupted, mut visit: impl FnMut(Sampled) -> bool) -> Found {
    // SAFETY: the block is an attached worker's, its thread an object; the lane's numbers are read as they are.
    let (stack, thread, barrier) = unsafe {
        let Some((stack, thread)) = stack_of(tcb) else { return Found::Nobody };
        let barrier = *((*tcb).c_sp as *const usize).sub(1);
        (stack, thread, barrier)
    };
    // SAFETY: as above.
    let id = unsafe { (*thread).id };
    let on_lane = at.sp >= stack.low && at.sp < stack.base;
    let table =
        if on_lane { code::find(stack.tables, at.pc).filter(|table| table.line(at.pc).is_some()) } else { None };
    let (mut ret_slot, mut fp) = match table {
        Some(table) => {
            if !visit(Sampled::At(table, at.pc)) {
                return Found::Compiled(id);
            }
            let next = stack.word(at.sp);
            if stack.fits(at.sp, at.fp) || at.fp == 0 {
                (at.sp, at.fp)
            } else if next == Some(at.fp) && stack.fits(at.sp + 8, at.fp) {
                (at.sp + 8, at.fp)
            } else {
                (at.fp + 8, stack.word(at.fp).unwrap_or(0))
            }
        }
        None if on_lane => {
            let from = at.sp.next_multiple_of(8);
            let slots = (from..).step_by(8).take(LEAF_WORDS).take_while(|&slot| slot < stack.base);
            let caller = slots.filter_map(|slot| Some((slot, stack.site(slot)?.1))).find_map(|(slot, site)| {
                let fp = slot + 8 + site.frame as usize;
                let next = stack.word(fp)?;
                (next == 0 || next > fp && next < stack.base).then_some((slot, fp))
            });
            match caller {
                Some(caller) => caller,
                None => return Found::Runtime(id),
            }
        }
        None if barrier >= stack.low && barrier < stack.base => {
            (barrier + BARRIER_RET, stack.word(barrier + BARRIER_FP).unwrap_or(0))
        }
        // SAFETY: the calling worker's block.
        None => unsafe { ((*tcb).saved_call_sp, (*tcb).saved_fp) },
    };
    let found = if table.is_some() { Found::Compiled(id) } else { Found::Runtime(id) };
    while let Some((table, site)) = stack.site(ret_slot) {
        if !visit(Sampled::Call(table, site)) {
            return found;
        }
        let Some(next) = stack.word(fp).filter(|_| fp >= ret_slot) else { return found };
        (ret_slot, fp) = (fp + 8, next);
    }
    // The rest of a deep stack, in the heap, and the stacks that this one stands on. When a signal meets the runtime,
    // the collector may be about to move them.
    if table.is_some() || at.pc == 0 {
        // SAFETY: the thread runs compiled code, or has called the runtime, which has called this: so nobody moves its
        // pieces, nor a segment that is not on another's lane.
        unsafe {
            let mut above = thread;
            let mut on = stack.word(ret_slot) == Some(stub::boundary_address());
            loop {
                if on && !each_piece(stack.tables, (*above).stack, |walk| each(walk, &mut visit)) {
                    return found;
                }
                let Some(segment) = below(above) else { return found };
                above = segment.as_ptr();
                let lane = (*worker_of(tcb)).shared.lane((*above).lane as u64);
                if state_of(segment) & STATE == ON_LANE
                    && (!is_own(worker_of(tcb), segment)
                        || !each(Walk::new(stack.tables, (*lane).fp, (*lane).call_sp, (*lane).marker), &mut visit))
                {
                    return found;
                }
                on = true;
            }
        }
    }
    found
}

/// Visits what is left of a walk; false when `visit` says no.
unsafe fn each(mut walk: Walk<'static>, visit: &mut impl FnMut(Sampled) -> bool) -> bool {
    // SAFETY: the caller vouches for the stack.
    while let Some(frame) = unsafe { walk.next() } {
        if !visit(Sampled::Call(frame.table, frame.site)) {
            return false;
        }
    }
    true
}
