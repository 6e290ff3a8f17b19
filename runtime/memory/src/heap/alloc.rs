//! Allocation that is not inline: room in the nursery for compiled code, and objects of any size for runtime code.

use leat_abi::header::{self, ObjectKind, UNLOGGED, WORD};
use leat_abi::tcb::Tcb;

use super::Heap;
use crate::commit::{self, AT_ONCE};
use crate::config::{Collection, Refusal};
use crate::large::LARGE_BIT;
use crate::policy::NURSERY;
use crate::remembered::Worker;
use crate::space::HUGE;

/// Runtime code allocates objects up to this size in the nursery, although they are large when promoted: most die
/// young. Arrays without references may be larger: a buffer or a text that dies in warm memory costs no page fault, and
/// copying one that lives costs less than the faults of a fresh run.
const NURSERY_OBJECT: usize = 32 << 10;
const NURSERY_RAW_ARRAY: usize = 1 << 20;
/// The pages of a fresh large object of this size and more are committed at once, if all of it will be written.
const POPULATED: usize = 256 << 10;

impl Heap {
    /// A heap check for `bytes` failed. On Ok the check would pass now (`alloc_limit` is set anew, also if it had been
    /// `LIMIT_STOP`: look whether a safepoint is asked for *after* this call, under your lock).
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc_slow(&self, tcb: *mut Tcb, bytes: usize, tried: Option<Collection>) -> Result<(), Refusal> {
        // SAFETY: the caller's own block.
        let (tcb, worker) = unsafe { (&mut *tcb, Worker::of(tcb)) };
        self.stress_point(worker, tried)?;
        self.room(tcb, worker, bytes, tried)?;
        worker.granted = tcb.alloc + bytes;
        self.set_limit(tcb, worker);
        Ok(())
    }

    /// In stress mode: is it time for a collection?
    #[inline]
    fn stress_point(&self, worker: &mut Worker, tried: Option<Collection>) -> Result<(), Refusal> {
        let (Some(every), None) = (self.stress, tried) else { return Ok(()) };
        worker.countdown = worker.countdown.saturating_sub(1);
        if worker.countdown > 0 {
            return Ok(());
        }
        worker.countdown = every;
        worker.rounds += 1;
        let kind = if worker.rounds.is_multiple_of(8) { Collection::Major } else { Collection::Minor };
        Err(Refusal::Collect(kind))
    }

    /// Makes sure that `bytes` fit between `tcb.alloc` and `worker.limit`.
    #[inline]
    fn room(&self, tcb: &Tcb, worker: &mut Worker, bytes: usize, tried: Option<Collection>) -> Result<(), Refusal> {
        if tcb.alloc + bytes <= worker.limit { Ok(()) } else { self.more_room(tcb, worker, bytes, tried) }
    }

    #[cold]
    fn more_room(
        &self,
        tcb: &Tcb,
        worker: &mut Worker,
        bytes: usize,
        tried: Option<Collection>,
    ) -> Result<(), Refusal> {
        let want = tcb.alloc + bytes;
        if worker.is_log_full && tried.is_none() {
            return Err(Refusal::Collect(Collection::Minor));
        }
        if want > worker.end {
            let is_empty = tcb.alloc == worker.base;
            // Whatever was tried: what has filled it since can be collected.
            let would_fit = !is_empty && bytes <= (worker.end - worker.base) / 2;
            if would_fit || tried.is_none() && (!is_empty || worker.is_homeless) {
                return Err(Refusal::Collect(Collection::Room));
            }
            if worker.away.is_some() {
                // It is home after a major collection.
                return Err(Refusal::Collect(Collection::Major));
            }
            // The nursery is empty, and too small for this one: let it be larger until the next collection.
            let mut inner = self.lock();
            if bytes > inner.space.slot || want > worker.base + inner.space.slot - 2 * HUGE {
                return Err(Refusal::OutOfMemory(inner.out_of_memory(bytes)));
            }
            if !inner.has_room_for(want - worker.end) {
                return Err(match tried {
                    Some(Collection::Full) => Refusal::OutOfMemory(inner.out_of_memory(bytes)),
                    _ => Refusal::Collect(Collection::Full),
                });
            }
            worker.end = want;
        }
        worker.pages.extend(want, worker.end);
        worker.limit = worker.end.min(worker.pages.ready());
        Ok(())
    }

    /// An object of any size with this header (of `leat_abi::header`; no collector's bits): raw payload is 0,
    /// references are immediate 1. The caller may fill it without barriers until the next safepoint. Gives the
    /// payload's address.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    #[inline]
    pub unsafe fn alloc(&self, tcb: *mut Tcb, header: u64, tried: Option<Collection>) -> Result<u64, Refusal> {
        // SAFETY: as said; the object is as large as its header says.
        unsafe {
            match self.bump(tcb, header) {
                Some(object) => {
                    clear(object, header, false);
                    Ok(object)
                }
                None => self.alloc_any(tcb, header, tried),
            }
        }
    }

    /// A small record from the nursery, when nothing is in the way. With a constant header little is left of it.
    #[inline(always)]
    unsafe fn bump(&self, tcb: *mut Tcb, header: u64) -> Option<u64> {
        // SAFETY: the caller's own block; the room is the worker's.
        unsafe {
            let tcb = &mut *tcb;
            let at = tcb.alloc;
            let end = at + self.object_bytes(header);
            if header::KIND_MASK & header != 0 && ObjectKind::of(header) != ObjectKind::Thread
                || self.grants
                || end > Worker::of(tcb).limit
            {
                return None;
            }
            tcb.alloc = end;
            Worker::of(tcb).by_runtime += end - at;
            *(at as *mut u64) = header;
            Some((at + WORD) as u64)
        }
    }

    #[inline(never)]
    unsafe fn alloc_any(&self, tcb: *mut Tcb, header: u64, tried: Option<Collection>) -> Result<u64, Refusal> {
        // SAFETY: as for `alloc`.
        unsafe {
            // What is known to be zero need not be written, nor touched.
            let fills = ObjectKind::of(header) != ObjectKind::RawArray;
            let (object, zero) = self.place(tcb, header, fills, tried)?;
            clear(object, header, zero);
            Ok(object)
        }
    }

    /// As [`alloc`](Heap::alloc), but the payload may hold anything: the caller fills all of it before the next
    /// safepoint.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc_uninit(&self, tcb: *mut Tcb, header: u64, tried: Option<Collection>) -> Result<u64, Refusal> {
        // SAFETY: as said.
        unsafe { self.place(tcb, header, true, tried) }.map(|(object, _)| object)
    }

    /// An object is too large for a nursery that is as small as at a program's beginning: it becomes larger.
    #[cold]
    fn grows(&self, worker: &mut Worker) -> bool {
        let mut inner = self.lock();
        let may_grow = worker.away.is_none() && inner.policy.is_first() && inner.workers.len() == 1;
        if !may_grow {
            return false;
        }
        let size = inner.policy.end_first();
        if !inner.has_room_for(size) {
            return false;
        }
        worker.grow(size);
        size >= NURSERY
    }

    /// Finds room and writes the header. Tells whether the payload is known to be zero. `fills`: all of it will be
    /// written.
    unsafe fn place(
        &self,
        tcb: *mut Tcb,
        header: u64,
        fills: bool,
        tried: Option<Collection>,
    ) -> Result<(u64, bool), Refusal> {
        // SAFETY: the caller's own block.
        let (tcb, worker) = unsafe { (&mut *tcb, Worker::of(tcb)) };
        self.stress_point(worker, tried)?;
        let bytes = self.object_bytes(header);
        // A refusal is tried again, and counted once.
        let by_runtime = worker.by_runtime + bytes;
        let most = if ObjectKind::of(header) == ObjectKind::RawArray { NURSERY_RAW_ARRAY } else { NURSERY_OBJECT };
        let fits = |worker: &Worker| bytes <= (worker.end - worker.base) / 4;
        if worker.is_homeless || bytes <= most && (fits(worker) || bytes <= NURSERY / 4 && self.grows(worker)) {
            self.room(tcb, worker, bytes, tried)?;
            let at = tcb.alloc;
            tcb.alloc += bytes;
            worker.by_runtime = by_runtime;
            // SAFETY: the room is ours.
            unsafe { *(at as *mut u64) = header };
            return Ok(((at + WORD) as u64, false));
        }
        let mut inner = self.lock();
        let (at, zero) = inner.take_large(bytes, tried)?;
        let sense = inner.sense;
        // The room is this worker's, and nobody collects before its next safepoint: others need not wait for the pages.
        drop(inner);
        worker.by_runtime = by_runtime;
        // Where pauses have a goal, who fills a very large one does this piece by piece.
        if zero && fills && bytes >= POPULATED && (bytes <= AT_ONCE || !worker.has_goal) {
            commit::populate(at, at + bytes);
        }
        let object = (at + WORD) as u64;
        // The object is old, and what the caller writes into it may be young: it is born logged.
        let has_refs = !matches!(ObjectKind::of(header), ObjectKind::RawArray);
        let bits = sense | LARGE_BIT | if has_refs { 0 } else { UNLOGGED };
        // SAFETY: the room is ours.
        unsafe { *(at as *mut u64) = header | bits };
        if has_refs {
            worker.objects.push(object);
        }
        Ok((object, zero))
    }
}

/// Gives a payload its first contents. `zero`: it is zero already.
///
/// # Safety
/// The object is as large as its header says, and nobody else knows of it.
#[inline(always)]
unsafe fn clear(object: u64, header: u64, zero: bool) {
    let words = header::payload_bytes(header).div_ceil(WORD);
    let at = object as *mut u64;
    let (raw, one) = match ObjectKind::of(header) {
        ObjectKind::RawArray | ObjectKind::Stack => (words, 0),
        ObjectKind::RefArray => (0, words),
        _ => (header::raw_words(header), header::ref_words(header)),
    };
    // SAFETY: the caller vouches for the payload.
    unsafe {
        if !zero {
            std::ptr::write_bytes(at, 0, raw);
        }
        for i in 0..one {
            *at.add(raw + i) = header::immediate(0);
        }
    }
}
