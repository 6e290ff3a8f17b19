//! From a raise to its handler, and from a thread to its back-trace.
//!
//! Walks the chain of frame pointers with the code tables' sites, as [`leat_abi::walk`] does, but over everything that
//! may stand in place of a return address: the collector's marker, and the boundary to frames in the heap.
//!
//! A raise costs one look-up a frame, as a rule in a small table of those that were made before
//! ([`crate::base::landings`]); the raise stub walks over what is in that table, and the walk here begins anew where
//! the stub did. What it passes is gone: pieces in the heap are copied back while the walk goes over them (they would
//! be on the way of the handler's returns anyway), and the collector is told when its marker is passed.

use std::sync::atomic::Ordering;

use leat_abi::code::{self, CodeTable, Site};
use leat_abi::header::{self, ObjectKind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STACK_PIECE_WORDS, STATE_MASK, StackPiece, State, Thread};
use leat_abi::walk::Walk;

use crate::base::landings::{Landing, MUCH};
use crate::base::lane::{KEEP, give_back};
use crate::base::reference::{NONE, Ref};
use crate::base::worker;
use crate::base::worker::{Shared, worker_of};
use crate::fibers::Fibers;
use crate::run::place::next_piece;
use crate::stub;
use crate::thread::word::{ON_LANE, STATE, current, state_of};

/// Where a handler is: [`Target::pc`] 0 when there is none. In rax and rdx.
#[repr(C)]
pub(crate) struct Target {
    pc: usize,
    fp: usize,
}

/// One line of a back-trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceLine {
    pub function: &'static str,
    pub file: &'static str,
    /// 0 when unknown.
    pub line: u32,
}

/// Makes these the code tables from now on: all that were given before, and new ones. The slice lives on.
pub fn set_tables(fibers: Fibers, tables: &'static [&'static CodeTable]) {
    // The box is leaked: a walk on another worker may be reading it. A REPL leaks 24 bytes a line.
    fibers.shared.tables.store(Box::leak(Box::new(tables)), Ordering::Release);
}

#[inline(always)]
fn tables(shared: &Shared) -> &'static [&'static CodeTable] {
    // SAFETY: never null, never freed.
    unsafe { *shared.tables.load(Ordering::Acquire) }
}

/// What is known of a return address.
#[inline(always)]
fn look_up(tables: &[&'static CodeTable], pc: usize) -> Option<(&'static CodeTable, &'static Site)> {
    let table = code::find(tables, pc)?;
    Some((table, table.site(pc)?))
}

/// Finds the handler for a raise at the frame `fp` whose call's return address stands at `ret_slot`; sets
/// `tcb.saved_sp` to the handler's stack pointer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_find_handler(
    tcb: *mut Tcb,
    packet: u64,
    mut fp: usize,
    mut ret_slot: usize,
) -> Target {
    let from = ret_slot;
    // SAFETY: the raise stub gives the running thread's innermost frame; the chain ends at the start trampoline.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if shared.notes_raises.load(Ordering::Relaxed) {
            shared.host.raised(tcb, packet);
        }
        let landings = &raw mut (*worker).landings;
        let mut marked = false;
        // The word at the slot is another one where a handler raises again.
        let mut pc = (*tcb).raise_pc;
        loop {
            let mut landing = *(*landings).place(pc);
            if landing.pc != pc {
                let Some(found) = land(tcb, shared, pc, ret_slot, &mut marked) else { return Target { pc: 0, fp: 0 } };
                *(*landings).place(found.pc) = found;
                landing = found;
            }
            if landing.handler != 0 {
                let sp = fp - landing.frame;
                if marked {
                    let lane = (*current(tcb).as_ptr()).lane as usize;
                    shared.host.marker_unwound(tcb, lane, sp);
                }
                (*tcb).saved_sp = sp;
                (*tcb).landed_pc = landing.pc;
                if sp - from > MUCH {
                    give_back(from, sp - KEEP);
                }
                return Target { pc: landing.handler, fp };
            }
            ret_slot = fp + 8;
            fp = *(fp as *const usize);
            pc = *(ret_slot as *const usize);
        }
    }
}

/// Looks up what a raise meets at `ret_slot`: a return address, or a word in place of one.
#[cold]
unsafe fn land(tcb: *mut Tcb, shared: &Shared, word: usize, ret_slot: usize, marked: &mut bool) -> Option<Landing> {
    let tables = tables(shared);
    let (pc, (table, site)) = match look_up(tables, word) {
        Some(found) => (word, found),
        None => {
            // SAFETY: as `leat_fiber_find_handler`.
            let pc = unsafe { behind(tcb, shared, word, ret_slot, marked) }?;
            (pc, look_up(tables, pc)?)
        }
    };
    let handler = if site.handler == 0 { 0 } else { table.base as usize + site.handler as usize };
    Some(Landing { pc, handler, frame: site.frame as usize })
}

/// The return address behind a word that belongs to no code, if there is one. A piece in the heap is brought back.
#[cold]
unsafe fn behind(tcb: *mut Tcb, shared: &Shared, word: usize, ret_slot: usize, marked: &mut bool) -> Option<usize> {
    // SAFETY: as `leat_fiber_find_handler`.
    unsafe {
        let thread = current(tcb).as_ptr().cast_const();
        let mut pc = word;
        if pc == stub::marker_address() {
            *marked = true;
            pc = (*shared.lane((*thread).lane as u64)).marker.1;
        }
        if pc == stub::boundary_address() {
            pc = next_piece(tcb, ret_slot + 8);
            if *marked && word == stub::marker_address() {
                // The marker stays on this word; what is behind it has changed.
                (*shared.lane((*thread).lane as u64)).marker.1 = pc;
            } else {
                *(ret_slot as *mut usize) = pc;
            }
        }
        (pc != word).then_some(pc)
    }
}

/// Called when no handler was found; the stack is intact.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_uncaught(tcb: *mut Tcb, packet: u64) -> u64 {
    // SAFETY: the assembly gives the worker's block.
    unsafe { (*worker_of(tcb)).shared.host.uncaught(tcb, packet) }
}

/// The running thread has returned to its lane's marker.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_marker_hit(tcb: *mut Tcb, _sp: usize) -> usize {
    // SAFETY: the assembly gives the worker's block; the marker is the running lane's.
    unsafe {
        let lane = (*current(tcb).as_ptr()).lane as usize;
        (*worker_of(tcb)).shared.host.marker_hit(tcb, lane)
    }
}

/// The running thread's back-trace, innermost first, at most `most` lines.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called.
pub unsafe fn backtrace(tcb: *mut Tcb, most: usize) -> Vec<TraceLine> {
    // SAFETY: the stub has stored where the walk starts.
    unsafe {
        let shared = (*worker_of(tcb)).shared;
        let thread = current(tcb);
        if thread.is_none() {
            return Vec::new();
        }
        walk(shared, thread.as_ptr(), Some(((*tcb).saved_fp, (*tcb).saved_call_sp)), most)
    }
}

/// Where a walk begins that shows the frames from the `raise` of an exception which nobody handles on, as frame pointer
/// and return-address slot: at the raise itself, or at the first one, where handlers have only raised it again since.
/// The frames below those handlers are over, but nothing was called that could have written there.
///
/// # Safety
/// As [`backtrace`], of a raise that has found no handler.
pub unsafe fn raise(tcb: *mut Tcb) -> (usize, usize) {
    // SAFETY: the raise stub has stored where the raises began. What it stored of the first one is believed only if the
    // chain of frame pointers leads to the frame of now: else the stack was moved, or partly given back.
    unsafe {
        let (fp, ret_slot) = ((*tcb).saved_fp, (*tcb).saved_call_sp);
        let first = ((*tcb).raised_fp, (*tcb).raised_sp);
        let shared = (*worker_of(tcb)).shared;
        let lane = shared.lane((*current(tcb).as_ptr()).lane as u64);
        let mut walk = Walk::new(tables(shared), first.0, first.1, (0, 0));
        let is_on_lane = |at: usize| (*lane).low <= at && at <= fp;
        if first.1 >= ret_slot || !is_on_lane(first.1) {
            return (fp, ret_slot);
        }
        let mut last = first.1;
        loop {
            let (at, slot) = walk.position();
            if at == fp && slot <= ret_slot {
                return first;
            }
            if at <= last || !is_on_lane(at) || walk.next().is_none() {
                return (fp, ret_slot);
            }
            last = at;
        }
    }
}

/// Called at the head of a handler: see `Prim::ExnPlace`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_place(tcb: *mut Tcb, packet: u64) {
    // SAFETY: the stub gives the worker's block, and has called nothing.
    unsafe { (*worker_of(tcb)).shared.host.placed(tcb, packet) }
}

/// What the last raise of the running thread has passed, for [`Host::placed`](crate::Host): the code of each frame from
/// the raise on, the last being that which has the handler.
///
/// # Safety
/// Within [`Host::placed`](crate::Host).
pub unsafe fn passed(tcb: *mut Tcb, mut visit: impl FnMut(&'static CodeTable, &'static Site)) {
    // SAFETY: the caller's promise.
    unsafe {
        let tables = tables((*worker_of(tcb)).shared);
        if (*tcb).raised_sp == 0 {
            if let Some((table, site)) = look_up(tables, (*tcb).landed_pc) {
                visit(table, site);
            }
            return;
        }
        let (fp, ret_slot) = raise(tcb);
        let mut walk = Walk::new(tables, fp, ret_slot, (0, 0));
        while let Some(frame) = walk.next() {
            visit(frame.table, frame.site);
            if frame.fp >= (*tcb).saved_fp {
                return;
            }
        }
    }
}

/// The back-trace of a suspended thread: nothing for a new or dead one.
///
/// # Safety
/// `thread` is a thread object that no worker runs.
pub unsafe fn backtrace_of(fibers: Fibers, thread: Ref<Thread>, most: usize) -> Vec<TraceLine> {
    // SAFETY: the caller's promise.
    unsafe {
        let thread = thread.as_ptr().cast_const();
        let start = match (*thread).state & STATE_MASK {
            s if s == State::OnLane as u8 => fibers.frames_of(thread).map(|f| (f.fp, f.ret_slot)),
            s if s == State::InHeap as u8 => None,
            _ => return Vec::new(),
        };
        walk(fibers.shared, thread, start, most)
    }
}

unsafe fn walk(shared: &Shared, thread: *const Thread, start: Option<(usize, usize)>, most: usize) -> Vec<TraceLine> {
    let tables = tables(shared);
    let mut places = Vec::new();
    let visit = |mut walk: Walk<'static>| {
        while places.len() < most {
            // SAFETY: the stack is intact and nobody runs on it.
            let Some(frame) = (unsafe { walk.next() }) else { return true };
            frame.table.each_place(frame.site, |function, file, line| places.push(TraceLine { function, file, line }));
        }
        false
    };
    // SAFETY: the caller's promise.
    unsafe { each_part(shared, tables, thread, start, visit) };
    places
}

/// Walks of the parts of a thread's stack, the innermost first, until `visit` says no: what is on its lane, where a
/// walk begins at `start`, what is in pieces, and likewise what the segments hold on which it stands.
unsafe fn each_part(
    shared: &Shared,
    tables: &'static [&'static CodeTable],
    mut thread: *const Thread,
    mut start: Option<(usize, usize)>,
    mut visit: impl FnMut(Walk<'static>) -> bool,
) {
    // SAFETY: the caller has a thread whose stack is intact; its pieces are `Stack` objects.
    unsafe {
        loop {
            if let Some((fp, ret_slot)) = start
                && !visit(Walk::new(tables, fp, ret_slot, (*shared.lane((*thread).lane as u64)).marker))
            {
                return;
            }
            if !each_piece(tables, (*thread).stack, &mut visit) {
                return;
            }
            let Some(below) = below(thread) else { return };
            thread = below.as_ptr();
            let lane = shared.lane((*thread).lane as u64);
            start = (state_of(below) & STATE == ON_LANE).then(|| ((*lane).fp, (*lane).call_sp));
        }
    }
}

/// Walks of a piece of stack, or none, and of those under it, until `visit` says no: then false.
pub(crate) unsafe fn each_piece(
    tables: &'static [&'static CodeTable],
    mut piece: u64,
    mut visit: impl FnMut(Walk<'static>) -> bool,
) -> bool {
    // SAFETY: the caller's pieces are `Stack` objects, and nobody moves them.
    unsafe {
        while piece != NONE {
            let p = piece as *const StackPiece;
            let shift = (piece as usize + STACK_PIECE_WORDS * header::WORD).wrapping_sub((*p).base());
            if !visit(Walk::new(tables, (*p).fp(), (*p).call_sp(), (0, 0)).moved(shift)) {
                return false;
            }
            piece = (*p).under;
        }
    }
    true
}

/// The segment that a thread's stack, or a segment's, stands on.
pub(crate) unsafe fn below(thread: *const Thread) -> Option<Ref<Thread>> {
    // SAFETY: the caller has one of these.
    unsafe {
        let label = (*thread).label;
        (!header::is_immediate(label) && ObjectKind::of(header::of(label)) == ObjectKind::Thread)
            .then(|| Ref::of(label))
    }
}

/// On how many segments a thread's stack stands.
///
/// # Safety
/// `thread` is a thread object; nothing collects.
pub unsafe fn segments(thread: Ref<Thread>) -> usize {
    // SAFETY: the caller's promise; what a stack stands on is a segment.
    let under = |thread: *const Thread| unsafe { below(thread) };
    std::iter::successors(under(thread.as_ptr()), |segment| under(segment.as_ptr())).count()
}

/// Walks of the parts of a thread's stack, the innermost first: see [`Walk::new`] for `start`, where that on its lane
/// begins.
///
/// # Safety
/// `thread` is a thread object that no worker runs, or the calling one's, and its frames are saved.
pub unsafe fn walks(
    fibers: Fibers,
    thread: Ref<Thread>,
    start: Option<(usize, usize)>,
    mut visit: impl FnMut(Walk<'static>),
) {
    let visit = |walk| {
        visit(walk);
        true
    };
    // SAFETY: the caller's promise.
    unsafe { each_part(fibers.shared, tables(fibers.shared), thread.as_ptr(), start, visit) }
}

/// The name that the library has given a thread, or an immediate: a string.
///
/// # Safety
/// `thread` is a thread object; nothing collects.
pub unsafe fn name_of(thread: Ref<Thread>) -> u64 {
    // SAFETY: the caller's promise; what is no segment is a record of the name.
    unsafe {
        let mut last = thread.as_ptr().cast_const();
        while let Some(segment) = below(last) {
            last = segment.as_ptr();
        }
        match (*last).label {
            label if header::is_immediate(label) => label,
            label => *(label as *const u64),
        }
    }
}

/// The marker of the lane that this block's worker runs, with the lane's number.
///
/// # Safety
/// `tcb` is the calling worker's and runs a thread.
pub unsafe fn marker_of(tcb: *mut Tcb) -> (usize, (usize, usize)) {
    // SAFETY: the caller's promise.
    unsafe {
        let lane = (*current(tcb).as_ptr()).lane as usize;
        (lane, (*(*worker::worker_of(tcb)).shared.lane(lane as u64)).marker)
    }
}
