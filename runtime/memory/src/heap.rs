//! The outermost calls: a heap, its workers, allocation that is not inline, barriers' slow paths, collections.
//!
//! The alignment is looked at here, once a call, and is a constant from there on.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};

use leat_abi::header::{self, Kind, UNLOGGED, WORD};
use leat_abi::tcb::{LIMIT_STOP, Tcb};

use crate::align::{self, object_bytes};
use crate::beside::{self, Beside, Shared};
use crate::blocks::{Blocks, Target};
use crate::commit;
pub use crate::config::{Collection, Config, OutOfMemory, Refusal, Stats};
use crate::cycle::Cycle;
use crate::inner::Inner;
use crate::large::{LARGE_BIT, Large};
use crate::policy::{self, Policy};
use crate::remembered::{Worker, Young};
use crate::roots::Roots;
use crate::space::{self, HUGE, Space, now, processor_time, processor_times};
use crate::{major, minor, settle, verify};

/// Runtime code allocates objects up to this size in the nursery, although they are large when promoted: most die young.
/// Arrays without references may be larger: a buffer or a text that dies in warm memory costs no page fault, and copying
/// one that lives costs less than the faults of a fresh run.
const NURSERY_OBJECT: usize = 32 << 10;
const NURSERY_RAW_ARRAY: usize = 1 << 20;
/// The pages of a fresh large object of this size and more are committed at once, if all of it will be written.
const POPULATED: usize = 256 << 10;
/// An array of references of this size need not be logged when it is made: to scan it takes as long as half of a goal.
const BORN_CLEAN: usize = 4 << 20;
/// Address space for one worker's nursery.
const SLOT: usize = 256 << 20;
/// Larger heaps and nurseries than these are not believed.
const MOST_HEAP: usize = 8 << 40;
const MOST_NURSERY: usize = 64 << 30;
/// Words of dead memory in verify and stress mode. Even, so it is no header; no address either.
const POISON: u64 = 0xdead_dead_dead_dea8;

/// The heap of a program. Shared by all workers; `tcb.memory` points to a worker's part of it.
pub struct Heap {
    align: usize,
    stress: Option<u64>,
    shared: Arc<Shared>,
    marker: Mutex<Option<Beside>>,
}

impl Heap {
    /// Reserves address space; commits next to nothing.
    pub fn new(config: Config) -> Result<Heap, String> {
        if ![8, 16, 32].contains(&config.align) {
            return Err(format!("object alignment {} is not 8, 16 or 32", config.align));
        }
        let most = config.heap_max.unwrap_or(0).max(space::physical()).min(MOST_HEAP);
        let slot = (config.nursery.unwrap_or(0).min(MOST_NURSERY) + 4 * HUGE).max(SLOT).next_multiple_of(HUGE);
        let space = Space::reserve(most, slot, config.workers.max(1), config.least_workers)?;
        let mut config = config;
        // Where there were fewer addresses the heap ends before they do.
        if space.heap_room() < most {
            config.heap_max = Some(config.heap_max.unwrap_or(most).min(space.heap_room()));
        }
        let inner = Inner {
            young: Young::new(&space),
            blocks: Blocks::new(&space, config.align),
            large: Large::new(&space),
            target: Target::new(false),
            cycle: Cycle::new(),
            has_marker: false,
            sense: 0,
            workers: Vec::new(),
            apart: false,
            policy: Policy::new(&config, space.slot),
            stats: Stats::default(),
            space,
            config: config.clone(),
        };
        align::begin(config.align);
        Ok(Heap {
            align: config.align,
            stress: config.stress.filter(|&n| n > 0),
            shared: Shared::new(inner),
            marker: Mutex::new(None),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.lock()
    }

    /// How many workers can be attached at a time.
    pub fn most_workers(&self) -> usize {
        self.lock().space.workers
    }

    /// There will be several workers: promoted threads, and what belongs to each, share no cache lines from here on.
    pub fn keep_apart(&self) {
        self.lock().apart = true;
    }

    /// Gives the worker its nursery and log: sets `tcb.memory`, `tcb.alloc`, `tcb.alloc_limit`.
    pub fn attach_worker(&self, tcb: &mut Tcb) -> Result<(), String> {
        let mut inner = self.lock();
        let at = match inner.workers.iter().position(|w| w.tcb.is_null()) {
            Some(at) => at,
            None if inner.workers.len() < inner.space.workers => {
                let mut worker = Worker::new(&inner.space, inner.workers.len(), self.align);
                if inner.workers.first().is_none_or(|first| first.away.is_none()) {
                    // SAFETY: nobody has used it.
                    unsafe { worker.set_size(inner.policy.nursery()) };
                }
                worker.countdown = self.stress.unwrap_or(0);
                inner.workers.push(Box::new(worker));
                inner.workers.len() - 1
            }
            None => return Err(format!("more than {} workers", inner.space.workers)),
        };
        let (young, is_marking, sense) = (inner.young, inner.cycle.is_marking(), inner.sense);
        let log_most = inner.policy.most_logged();
        let worker = &mut inner.workers[at];
        worker.tcb = tcb;
        worker.young = young;
        worker.log_most = log_most;
        (worker.is_marking, worker.sense) = (is_marking, sense);
        young.tell(tcb, is_marking);
        tcb.memory = &raw mut **worker as usize;
        tcb.alloc = worker.alloc;
        self.set_limit(tcb, worker);
        Ok(())
    }

    /// The worker ends: its nursery (what is in it stays valid until the next collection) and log are kept for the next
    /// worker that is attached. Its log is still read by the next collection.
    pub fn detach_worker(&self, tcb: &mut Tcb) {
        let _lock = self.lock();
        // SAFETY: the caller has the attached worker's block for itself.
        let worker = unsafe { Worker::of(tcb) };
        worker.alloc = tcb.alloc;
        worker.tcb = std::ptr::null_mut();
        tcb.memory = 0;
        tcb.alloc_limit.store(LIMIT_STOP, Relaxed);
    }

    fn set_limit(&self, tcb: &Tcb, worker: &Worker) {
        tcb.alloc_limit.store(if self.stress.is_some() { worker.granted } else { worker.limit }, Relaxed);
    }

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
                return Err(Refusal::Collect(Collection::Minor));
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
            worker.end = want;
        }
        worker.pages.extend(want, worker.end);
        worker.limit = worker.end.min(worker.pages.ready());
        Ok(())
    }

    /// Whether the worker's log is full: a loop that allocates nothing asks for a collection, too.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    #[inline]
    pub unsafe fn is_log_full(&self, tcb: *mut Tcb) -> bool {
        // SAFETY: the caller's own block.
        unsafe { Worker::of(tcb).is_log_full }
    }

    /// The worker is about to wait for events: what a young program needs next is made ready meanwhile.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn prepare(&self, tcb: *mut Tcb) {
        // SAFETY: the caller's own block.
        let (tcb, worker) = unsafe { (&*tcb, Worker::of(tcb)) };
        worker.pages.prepare(tcb.alloc, worker.end);
    }

    /// The program will have threads: the small pages at the nursery's beginning are made ready, 128 KiB.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn prepare_small(&self, tcb: *mut Tcb) {
        // SAFETY: the caller's own block.
        let worker = unsafe { Worker::of(tcb) };
        worker.pages.prepare_small(worker.end);
    }

    /// `alloc_limit` as it is when no safepoint is asked for.
    ///
    /// # Safety
    /// `tcb` is an attached worker's block.
    pub unsafe fn restore_limit(&self, tcb: *mut Tcb) {
        // SAFETY: as said.
        unsafe { self.set_limit(&*tcb, Worker::of(tcb)) }
    }

    /// An object of any size with this header (of `leat_abi::header`; no collector's bits): raw payload is 0, references
    /// are immediate 1. The caller may fill it without barriers until the next safepoint. Gives the payload's address.
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
            if header::KIND_MASK & header != 0 && Kind::of(header) != Kind::Thread
                || self.stress.is_some()
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
            let fills = Kind::of(header) != Kind::RawArray;
            let (object, zero) = self.place(tcb, header, fills, tried)?;
            clear(object, header, zero);
            Ok(object)
        }
    }

    /// As [`alloc`](Heap::alloc), but the payload may hold anything: the caller fills all of it before the next safepoint.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc_uninit(&self, tcb: *mut Tcb, header: u64, tried: Option<Collection>) -> Result<u64, Refusal> {
        // SAFETY: as said.
        unsafe { self.place(tcb, header, true, tried) }.map(|(object, _)| object)
    }

    /// Finds room and writes the header. Tells whether the payload is known to be zero. `fills`: all of it will be written.
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
        let most = if Kind::of(header) == Kind::RawArray { NURSERY_RAW_ARRAY } else { NURSERY_OBJECT };
        if worker.is_homeless || bytes <= most && bytes <= (worker.end - worker.base) / 4 {
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
        if zero && fills && bytes >= POPULATED {
            commit::populate(at, at + bytes);
        }
        let object = (at + WORD) as u64;
        // The object is old, and what the caller writes into it may be young: it is born logged.
        let has_refs = !matches!(Kind::of(header), Kind::RawArray);
        let bits = sense | LARGE_BIT | if has_refs { 0 } else { UNLOGGED };
        // SAFETY: the room is ours.
        unsafe { *(at as *mut u64) = header | bits };
        if has_refs {
            worker.objects.push(object);
        }
        Ok((object, zero))
    }

    /// Collects. All workers are stopped, at safepoints; `tcbs` are those that are attached. `roots` must not call the heap.
    /// Each worker's nursery is empty afterwards and its `alloc_limit` set, whatever stop was asked for.
    /// On an error the heap is intact, and the collection has been made.
    ///
    /// # Safety
    /// As said; and `roots` visits every reference outside the heap.
    pub unsafe fn collect<R: Roots>(
        &self,
        kind: Collection,
        tcbs: &[*mut Tcb],
        roots: &mut R,
    ) -> Result<(), OutOfMemory> {
        let mut inner = self.lock();
        debug_assert_eq!(tcbs.len(), inner.workers.iter().filter(|w| !w.tcb.is_null()).count());
        // SAFETY: as for this function.
        let result = unsafe {
            match self.align {
                8 => inner.collect::<8, R>(kind, roots),
                16 => inner.collect::<16, R>(kind, roots),
                _ => inner.collect::<32, R>(kind, roots),
            }
        };
        let (young, is_marking, sense) = (inner.young, inner.cycle.is_marking(), inner.sense);
        let log_most = inner.policy.most_logged();
        for worker in &mut inner.workers {
            worker.young = young;
            worker.log_most = log_most;
            (worker.is_marking, worker.sense) = (is_marking, sense);
            if !worker.tcb.is_null() {
                // SAFETY: attached, and stopped.
                unsafe {
                    (*worker.tcb).alloc = worker.base;
                    young.tell(&mut *worker.tcb, is_marking);
                    self.set_limit(&*worker.tcb, worker);
                }
            }
        }
        if inner.config.beside {
            self.ask_marker(&mut inner);
        }
        result
    }

    /// Lets the marker beside the program go on, if there is something for it.
    fn ask_marker(&self, inner: &mut Inner) {
        let mut marker = self.marker.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if marker.is_none() && inner.cycle.is_marking() {
            *marker = Beside::start(&self.shared);
        }
        inner.has_marker = marker.as_ref().is_some_and(Beside::is_there);
        if inner.has_marker && inner.cycle.depth > 0 {
            Beside::ask(&self.shared);
        }
    }

    /// Whether old objects may be read by the marker just now, so that references are to be copied word by word.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn is_marked_beside(&self, tcb: *mut Tcb) -> bool {
        // SAFETY: the caller's own block.
        unsafe { Worker::of(tcb).is_marking }
    }

    /// Marks a little, as the marker beside the program does. Tells whether there is more for it. For tests.
    pub fn mark_beside(&self, units: isize) -> bool {
        // SAFETY: the lock is held.
        unsafe { beside::mark(&mut self.lock(), units) }
    }

    /// Forks the process, by this function, while nobody works on the heap.
    pub fn around_fork<T>(&self, fork: impl FnOnce() -> T) -> T {
        let _lock = self.lock();
        fork()
    }

    /// The write barrier's slow path: `object` (payload's address) has its `UNLOGGED` bit set and was stored into.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` an old object.
    pub unsafe fn log_object(&self, tcb: *mut Tcb, object: u64) {
        // SAFETY: as said.
        unsafe { Worker::of(tcb).log_object(object) }
    }

    /// Likewise for the element at `slot` of an array of references.
    ///
    /// # Safety
    /// As `log_object`; `slot` is the address of an element.
    pub unsafe fn log_slot(&self, tcb: *mut Tcb, array: u64, slot: *mut u64) {
        // SAFETY: as said.
        unsafe { Worker::of(tcb).log_slot(array, slot) }
    }

    /// The whole barrier, for `count` elements from `slot` that runtime code has stored: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// As `log_slot`, but `array` may be of any age.
    pub unsafe fn barrier_range(&self, tcb: *mut Tcb, array: u64, slot: *mut u64, count: usize) {
        // SAFETY: as said; the word before a payload is its header.
        unsafe {
            for i in 0..count {
                if *((array - 8) as *const u64) & UNLOGGED == 0 {
                    return;
                }
                Worker::of(tcb).log_slot(array, slot.add(i));
            }
        }
    }

    /// The whole barrier for one object that runtime code has stored into: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` any object's payload.
    #[inline]
    pub unsafe fn barrier(&self, tcb: *mut Tcb, object: u64) {
        // SAFETY: as said.
        unsafe {
            if *((object - 8) as *const u64) & UNLOGGED != 0 {
                Worker::of(tcb).log_object(object);
            }
        }
    }

    /// Whether an array with this header is to be filled with this value only after a minor collection: then the next one need
    /// not scan all of it ([`filled`](Heap::filled)).
    ///
    /// # Safety
    /// `tcb` is the calling worker's block; the header is that of an array of references, and the value a reference.
    pub unsafe fn wants_old(&self, tcb: *mut Tcb, header: u64, value: u64) -> bool {
        // SAFETY: the caller's own block.
        let worker = unsafe { Worker::of(tcb) };
        worker.has_goal() && worker.young.is_young(value) && self.object_bytes(header) >= BORN_CLEAN
    }

    /// An array of references that the caller has just made holds `value` in all of its elements. Where pauses have a goal, a
    /// large one is not scanned as a whole by the next collection, if the value is not young.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block; `array` is the object that it has made last, without a safepoint since.
    pub unsafe fn filled(&self, tcb: *mut Tcb, array: u64, value: u64) {
        // SAFETY: as said; an object's header.
        unsafe {
            let (worker, header) = (Worker::of(tcb), (array - WORD as u64) as *mut u64);
            if worker.has_goal()
                && worker.objects.last() == Some(&array)
                && self.object_bytes(*header) >= BORN_CLEAN
                && !worker.young.is_young(value)
            {
                worker.objects.pop();
                *header |= UNLOGGED;
                worker.stored(value);
            }
        }
    }

    /// Figures. With `tcb`, its nursery's current fill counts as allocated.
    pub fn stats(&self, tcb: Option<&Tcb>) -> Stats {
        let mut inner = self.lock();
        inner.note_heap();
        let mut stats = inner.stats;
        if let Some(tcb) = tcb.filter(|tcb| tcb.memory != 0) {
            // SAFETY: the caller's own block; only the base is read.
            stats.allocated += (tcb.alloc - unsafe { (*(tcb.memory as *const Worker)).base }) as u64;
        }
        stats.by_runtime = inner.workers.iter().map(|w| w.by_runtime as u64).sum();
        stats.nursery = inner.policy.nursery();
        stats.heap_max = inner.policy.known_limit();
        stats
    }

    /// Fixes the nursery's size from the next collection on; None: adaptive again.
    pub fn set_nursery(&self, bytes: Option<usize>) {
        self.lock().policy.set_nursery(bytes);
    }

    /// What deep stacks take, which counts in the limit.
    pub fn set_stacks(&self, bytes: usize) {
        self.lock().policy.set_stacks(bytes);
    }

    /// What a deep stack may take beside the heap as it is, all deep stacks together.
    pub fn room_for_stacks(&self) -> usize {
        let mut inner = self.lock();
        let limit = inner.policy.whole_limit(usize::MAX);
        limit.saturating_sub(inner.used())
    }

    /// Sets the limit, in bytes; None: that of the container or machine.
    pub fn set_heap_max(&self, bytes: Option<usize>) {
        let mut inner = self.lock();
        let room = inner.space.heap_room();
        let is_short = room < space::physical().min(MOST_HEAP);
        inner.policy.set_heap_max(if is_short { Some(bytes.unwrap_or(room).min(room)) } else { bytes });
    }

    /// How many nanoseconds a collection may take, as a goal, from now on; None: each one does all of its work at once.
    pub fn set_pause(&self, goal: Option<u64>) {
        self.lock().policy.set_pause(goal);
    }

    /// Thousandths of what lives that the heap may have, from now on; None: as is worth it.
    pub fn set_spend(&self, thousandths: Option<usize>) {
        self.lock().policy.set_spend(thousandths);
    }

    /// Bytes that the heap is to have at most, from now on, as long as that can be had by collecting more often; None: no such
    /// limit.
    pub fn set_soft(&self, bytes: Option<usize>) {
        self.lock().policy.set_soft(bytes);
    }

    /// Lines on stderr for each collection, from now on.
    pub fn set_log(&self, on: bool) {
        self.lock().config.log = on;
    }

    /// Bytes of an object, header and rounding included, at this heap's alignment.
    #[inline]
    pub fn object_bytes(&self, header: u64) -> usize {
        match self.align {
            8 => object_bytes::<8>(header),
            16 => object_bytes::<16>(header),
            _ => object_bytes::<32>(header),
        }
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
    let (raw, one) = match Kind::of(header) {
        Kind::RawArray | Kind::Stack => (words, 0),
        Kind::RefArray => (0, words),
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

impl Drop for Heap {
    fn drop(&mut self) {
        let marker = self.marker.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(marker) = marker {
            marker.end(&self.shared);
        }
        let mut inner = self.lock();
        inner.blocks.commit_ahead(false);
        // SAFETY: the heap ends, with all that is in it.
        unsafe { inner.space.unmap() };
    }
}

impl Inner {
    /// What dead memory is overwritten with, if at all.
    pub fn poison(&self) -> Option<u64> {
        (self.config.verify || self.config.stress.is_some()).then_some(POISON)
    }

    /// Bytes that the old generation occupies.
    pub fn used(&self) -> usize {
        self.blocks.used_bytes() + self.large.used_bytes()
    }

    fn out_of_memory(&mut self, wanted: usize) -> OutOfMemory {
        let used = self.used();
        OutOfMemory { wanted, used: used + self.policy.stacks(), limit: self.policy.whole_limit(usize::MAX) }
    }

    /// Room for a large object.
    fn take_large(&mut self, bytes: usize, tried: Option<Collection>) -> Result<(usize, bool), Refusal> {
        if self.used().saturating_add(bytes)
            > self.policy.old_limit(self.used().saturating_add(bytes), self.workers.len())
        {
            return Err(match tried {
                Some(Collection::Full) => Refusal::OutOfMemory(self.out_of_memory(bytes)),
                _ => Refusal::Collect(Collection::Full),
            });
        }
        if tried.is_none() && self.is_sliced() {
            if self.wants_slice(bytes) {
                return Err(Refusal::Collect(Collection::Minor));
            }
        } else if tried.is_none() && self.policy.is_major_due(self.stats.live + bytes) {
            return Err(Refusal::Collect(Collection::Major));
        }
        let Some(room) = self.large.take(bytes, self.config.align) else {
            return Err(Refusal::OutOfMemory(self.out_of_memory(bytes)));
        };
        self.stats.live += bytes;
        self.stats.allocated += bytes as u64;
        if self.is_sliced() {
            self.cycle.debt += bytes;
        }
        Ok(room)
    }

    /// Brings the figures of the heap's size up to date.
    pub fn note_heap(&mut self) {
        let nurseries: usize = self.workers.iter().map(|w| w.committed_bytes()).sum();
        self.stats.heap = self.blocks.committed_bytes() + self.large.committed_bytes() + nurseries;
        self.stats.peak = self.stats.peak.max(self.stats.heap);
    }

    unsafe fn collect<const ALIGN: usize, R: Roots>(
        &mut self,
        kind: Collection,
        roots: &mut R,
    ) -> Result<(), OutOfMemory> {
        let (start, processor) = (now(), processor_time());
        let used = processor_times();
        for worker in &mut self.workers {
            if !worker.tcb.is_null() {
                // SAFETY: attached, and stopped.
                worker.alloc = unsafe { (*worker.tcb).alloc };
            }
        }
        // SAFETY: as for `Heap::collect`.
        unsafe {
            if self.config.verify {
                verify::check::<ALIGN, R>(self, roots, verify::When::Before);
            }
            let before = self.used();
            let young: usize = self.workers.iter().map(|w| w.alloc - w.base).sum();
            let stays = self.stays(kind);
            let promoted =
                if stays { settle::collect::<ALIGN, R>(self, roots) } else { minor::collect::<ALIGN, R>(self, roots) };
            self.stats.minors += 1;
            self.stats.allocated += young as u64;
            if stays {
                self.stats.settled += promoted.bytes as u64;
            } else {
                self.stats.promoted += promoted.bytes as u64;
            }
            self.stats.logged += promoted.logged as u64;
            self.stats.live += promoted.bytes;
            self.note_heap();
            let minor_end = now();
            self.stats.minor_ns += minor_end - start;

            self.policy.note_minor(young, promoted.bytes);
            self.blocks.commit_ahead(self.policy.is_sliced() && self.config.stress.is_none());
            let mut what = if stays { "stays" } else { "minor" };
            let is_sliced = kind == Collection::Minor && self.is_sliced() && !self.is_full();
            if is_sliced {
                let slice = self.slice::<ALIGN, R>(roots, promoted.bytes);
                what = if slice == "minor" { what } else { slice };
            } else {
                self.finish_cycle::<ALIGN, R>(roots);
            }
            let is_major =
                !is_sliced && (kind > Collection::Minor || self.policy.is_major_due(self.stats.live) || self.is_full());
            if kind > Collection::Minor {
                self.come_home();
            }
            if is_major {
                what = "major";
                self.major::<ALIGN, R>(kind, roots);
            }
            let nursery = if stays {
                self.policy.after_settled(young)
            } else {
                self.policy.note_room(self.used(), self.workers.len() == 1 && !self.apart);
                self.policy.after_minor(young, promoted.bytes, self.workers.len(), kind)
            };
            self.empty_nurseries(nursery);
            if kind == Collection::Pack {
                self.workers.iter_mut().for_each(|worker| worker.pack());
            }
            if is_major {
                self.note_heap();
            }
            if self.config.verify {
                verify::check::<ALIGN, R>(self, roots, verify::When::After { major: is_major });
            }
            let end = now();
            let since = processor_times();
            self.stats.user_ns += since.0.saturating_sub(used.0);
            self.stats.system_ns += since.1.saturating_sub(used.1);
            if is_major || is_sliced {
                self.stats.major_ns += end - minor_end;
            }
            self.stats.max_pause_ns = self.stats.max_pause_ns.max(end - start);
            if self.config.log {
                let processor = processor_time() - processor;
                self.log_line(what, (end - start, minor_end - start), processor, before, young, promoted.bytes);
            }
        }
        if self.is_full() { Err(self.out_of_memory(0)) } else { Ok(()) }
    }

    /// Whether the nursery stays where it is in this collection: see [`settle`]. Under stress some do, however little they hold.
    fn stays(&self, kind: Collection) -> bool {
        let [worker] = &self.workers[..] else { return false };
        let is_due = match self.config.stress {
            Some(_) => self.stats.minors & 1 != 0,
            None => self.policy.stays() && worker.is_half_full(),
        };
        kind == Collection::Minor && worker.away.is_some() && is_due
    }

    /// The old generation is larger than it may be.
    fn is_full(&mut self) -> bool {
        let used = self.used();
        used > self.policy.old_limit(used, self.workers.len())
    }

    unsafe fn major<const ALIGN: usize, R: Roots>(&mut self, kind: Collection, roots: &mut R) {
        self.stats.majors += 1;
        let stress = self.config.stress.is_some();
        let before = self.stats.live;
        // SAFETY: as for `Heap::collect`; the minor collection has emptied nurseries and logs.
        unsafe {
            let evacuate = self.choose_evacuated(stress);
            self.mark::<ALIGN, R>(roots, evacuate);
            if kind >= Collection::Full || self.is_full() {
                // Now it is known what is fragmented.
                if !stress && self.choose_evacuated(false) {
                    self.mark::<ALIGN, R>(roots, true);
                }
            }
            let used = self.used();
            self.policy.after_major(before, self.stats.live, used);
            let keep = if kind >= Collection::Full { 0 } else { self.policy.keep_free(self.stats.live) };
            if kind == Collection::Pack {
                self.policy.begin_anew();
            } else {
                self.leave_pages_to_nurseries(keep);
            }
            self.stats.given_back +=
                (self.blocks.give_back(keep, usize::MAX) + self.large.give_back(keep, usize::MAX)) as u64;
        }
        self.note_heap();
    }

    /// The nurseries, which are empty, may be larger from now on. What they lack they take from free blocks, as long as `keep`
    /// bytes of those are left: a large list that was dropped leaves its pages to the nursery that is to hold the next one.
    fn leave_pages_to_nurseries(&mut self, keep: usize) {
        let bytes = self.policy.adopted(self.workers.len());
        let short = |worker: &Worker| worker.away.is_none() && worker.pages.is_short(worker.base + bytes);
        if !self.workers.iter().any(|worker| short(worker)) {
            return;
        }
        self.blocks.offer_pages(keep, |at| {
            let worker = self.workers.iter_mut().find(|worker| short(worker));
            // SAFETY: free blocks hold nothing, and the nursery has room up to its end.
            worker.is_some_and(|worker| unsafe { worker.pages.adopt(at) })
        });
    }

    unsafe fn mark<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R, evacuate: bool) {
        // SAFETY: as for `Heap::collect`; the nurseries and logs are empty.
        self.stats.live = unsafe { major::collect::<ALIGN, R>(self, roots, evacuate) };
        self.stats.most_live = self.stats.most_live.max(self.stats.live);
        self.stats.marked += self.stats.live as u64;
    }

    /// Chooses blocks to evacuate, when enough is lost in them.
    fn choose_evacuated(&mut self, all: bool) -> bool {
        let holes = self.blocks.hole_bytes();
        // What the user says is spent is not for holes.
        let enough = self.policy.spare().unwrap_or(usize::MAX).min(self.blocks.used_bytes());
        if !all && holes * 4 < enough {
            return false;
        }
        // The copies need room before the originals are free.
        let room = self.policy.limit(self.used()).saturating_sub(self.used()).max(self.policy.nursery());
        let chosen = self.blocks.choose_evacuated((self.blocks.used_bytes() / 2).min(room), all);
        self.stats.evacuated += chosen as u64;
        chosen > 0
    }

    /// The nurseries, which are empty, are in their own places: the blocks that they were in can be given back.
    fn come_home(&mut self) {
        for worker in &mut self.workers {
            if let Some((lent, _)) = worker.come_home() {
                self.blocks.settle(&lent, lent.start);
            }
        }
    }

    /// Makes every nursery empty and `size` bytes large, in its own place or, if that is the policy, among the blocks.
    unsafe fn empty_nurseries(&mut self, size: usize) {
        if let Some(word) = self.poison() {
            for worker in &self.workers {
                for at in (worker.base..worker.alloc).step_by(WORD) {
                    // SAFETY: the nursery is empty: its survivors have been copied.
                    unsafe { *(at as *mut u64) = word };
                }
            }
        }
        // SAFETY: the survivors have been copied.
        unsafe {
            self.place_nursery(size);
            for worker in &mut self.workers {
                let was_filled = worker.away.is_none() && worker.is_half_full();
                worker.set_size(size);
                if was_filled {
                    worker.pages.refine(worker.end);
                }
            }
        }
    }

    /// Among the blocks when nurseries are to stay, with room for `size` bytes or somewhat less; else in its own place.
    ///
    /// # Safety
    /// The nurseries are empty.
    unsafe fn place_nursery(&mut self, size: usize) {
        let is_due = if self.config.stress.is_some() { self.stats.minors & 2 != 0 } else { self.policy.is_away() };
        let wants = is_due && self.workers.len() == 1;
        let least = self.policy.least_nursery().min(size);
        let fits = |worker: &Worker| worker.away.as_ref().is_some_and(|away| away.lent.bytes() >= least);
        if !wants || !fits(&self.workers[0]) {
            self.come_home();
            if wants && let Some(lent) = self.blocks.lend(size, least) {
                // So much of the other place stays, unless the user says how much memory is spent.
                let keep = if self.policy.spare().is_some() { 0 } else { policy::NURSERY };
                // SAFETY: the caller vouches.
                unsafe { self.workers[0].go_away(lent, keep) };
            }
        }
        let away = self.workers.first().and_then(|worker| worker.away.as_ref());
        self.young = away.map_or_else(|| Young::new(&self.space), |away| Young::lent(&away.lent));
    }

    /// `took`: all of it, and the minor collection, in nanoseconds.
    fn log_line(&self, what: &str, took: (u64, u64), processor: u64, before: usize, young: usize, promoted: usize) {
        let kib = |bytes: usize| bytes >> 10;
        let beside = match what {
            "close" => format!(", {} K marked beside the program", kib(self.cycle.beside)),
            _ => String::new(),
        };
        eprintln!(
            "gc {:>5} {} {:>8.3} ms (processor {:.3}) minor {:.3}  young {} K, promoted {} K  old {} -> {} K, live {} K  heap {} K  nursery {} K{beside}",
            self.stats.minors,
            what,
            took.0 as f64 / 1e6,
            processor as f64 / 1e6,
            took.1 as f64 / 1e6,
            kib(young),
            kib(promoted),
            kib(before),
            kib(self.used()),
            kib(self.stats.live),
            kib(self.stats.heap),
            kib(self.policy.nursery()),
        );
    }
}
