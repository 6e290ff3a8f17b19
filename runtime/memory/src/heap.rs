//! The outermost calls: a heap, its workers, collections; in the chapters, allocation that is not inline (`alloc`),
//! barriers' slow paths (`barriers`), figures and settings (`figures`).
//!
//! The alignment is looked at here, once a call, and is a constant from there on.

mod alloc;
mod barriers;
mod figures;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};

use leat_abi::tcb::{LIMIT_STOP, Tcb};

use crate::align::{self, object_bytes};
use crate::beside::{self, Beside, Shared};
use crate::blocks::{Blocks, Target};
pub use crate::config::{Collection, Config, OutOfMemory, Refusal, Stats};
use crate::cycle::Cycle;
use crate::inner::Inner;
use crate::large::Large;
use crate::policy::{LEAST, Policy};
use crate::remembered::{Worker, Young};
use crate::roots::Roots;
use crate::space::{self, HUGE, PAGE, Space};

/// Address space for one worker's nursery.
const SLOT: usize = 256 << 20;
/// Larger heaps and nurseries than these are not believed.
const MOST_HEAP: usize = 8 << 40;
const MOST_NURSERY: usize = 64 << 30;

/// The heap of a program. Shared by all workers; `tcb.memory` points to a worker's part of it.
pub struct Heap {
    align: usize,
    stress: Option<u64>,
    grants: bool,
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
        let is_narrow = space.heap_room() < most;
        if is_narrow {
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
            is_narrow,
            was_full: false,
            stats: Stats::default(),
            space,
            config: config.clone(),
        };
        align::begin(config.align);
        Ok(Heap {
            align: config.align,
            stress: config.stress.filter(|&n| n > 0),
            grants: config.grants || config.stress.is_some_and(|n| n > 0),
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
        let mut inner = self.lock();
        inner.apart = true;
        inner.policy.several();
    }

    /// Gives the worker its nursery and log: sets `tcb.memory`, `tcb.alloc`, `tcb.alloc_limit`.
    pub fn attach_worker(&self, tcb: &mut Tcb) -> Result<(), String> {
        let mut inner = self.lock();
        let at = match inner.workers.iter().position(|w| w.tcb.is_null()) {
            Some(at) => at,
            None if inner.workers.len() < inner.space.workers => {
                let workers = inner.workers.len() + 1;
                let mut size =
                    inner.policy.joining_nursery(workers).min(inner.most_nursery(workers)).max(LEAST) & !(PAGE - 1);
                // The nurseries that are there are as large as they were, and may need all addresses (G14).
                while size > LEAST && !inner.has_room_for(size) {
                    size = (size / 2).max(LEAST) & !(PAGE - 1);
                }
                let has_place = inner.workers.first().is_none_or(|first| first.away.is_none());
                let mut worker = Worker::new(&inner.space, inner.workers.len(), self.align);
                // Otherwise it has none until it has asked for a collection.
                if has_place && inner.has_room_for(size) {
                    // SAFETY: nobody has used it.
                    unsafe { worker.set_size(size) };
                }
                worker.countdown = self.stress.unwrap_or(0);
                inner.workers.push(Box::new(worker));
                inner.workers.len() - 1
            }
            None => return Err(format!("more than {} workers", inner.space.workers)),
        };
        let (young, is_marking, sense) = (inner.young, inner.cycle.is_marking(), inner.sense);
        let (log_most, has_goal) = (inner.policy.most_logged(inner.stats.live), inner.policy.is_sliced());
        let worker = &mut inner.workers[at];
        worker.tcb = tcb;
        worker.young = young;
        (worker.log_most, worker.has_goal) = (log_most, has_goal);
        (worker.is_marking, worker.sense) = (is_marking, sense);
        worker.tell(tcb);
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

    /// In the child of a fork: the worker has stayed behind. Its nursery lasts until the next collection, and those of
    /// the others may be larger then. It stays attached.
    ///
    /// # Safety
    /// The block belongs to nobody; it may never have been attached.
    pub unsafe fn gone(&self, tcb: *mut Tcb) {
        let mut inner = self.lock();
        // SAFETY: as said.
        unsafe {
            if (*tcb).memory == 0 {
                return;
            }
            Worker::of(tcb).is_gone = true;
        }
        let nurseries = inner.nurseries();
        inner.policy.fewer(nurseries);
    }

    fn set_limit(&self, tcb: &Tcb, worker: &Worker) {
        tcb.alloc_limit.store(if self.grants { worker.granted } else { worker.limit }, Relaxed);
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

    /// Collects. All workers are stopped, at safepoints; `tcbs` are those that are attached. `roots` must not call the
    /// heap. Each worker's nursery is empty afterwards, or has grown ([`Collection::Room`]), and its `alloc_limit` set,
    /// whatever stop was asked for. On an
    /// error the heap is intact, and the collection has been made.
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
        let (log_most, has_goal) = (inner.policy.most_logged(inner.stats.live), inner.policy.is_sliced());
        for worker in &mut inner.workers {
            worker.young = young;
            (worker.log_most, worker.has_goal) = (log_most, has_goal);
            (worker.is_marking, worker.sense) = (is_marking, sense);
            if !worker.tcb.is_null() {
                // SAFETY: attached, and stopped.
                unsafe {
                    (*worker.tcb).alloc = worker.alloc;
                    let tcb = worker.tcb;
                    worker.tell(&mut *tcb);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::BLOCK;

    /// The nursery of a worker that came to others was a part of what was open, and those of the others had been
    /// promised more than the rest of it.
    #[test]
    fn a_worker_that_joins_leaves_room_for_what_survives() {
        for (blocks, size) in [(96, 0), (106, 68 << 10), (192, 512 << 10), (1024, 1 << 20)] {
            let heap = Heap::new(Config { workers: 4, ..Config::default() }).unwrap();
            let mut tcbs = [Tcb::empty(), Tcb::empty()];
            heap.attach_worker(&mut tcbs[0]).unwrap();
            let mut inner = heap.lock();
            assert_eq!(inner.workers[0].end - inner.workers[0].base, 1 << 20);
            inner.is_narrow = true;
            inner.large.leave_nothing();
            inner.blocks.leave(blocks);
            assert_eq!(inner.blocks.rest(), blocks * BLOCK);
            drop(inner);
            heap.attach_worker(&mut tcbs[1]).unwrap();
            let mut inner = heap.lock();
            let joined = &inner.workers[1];
            assert_eq!((joined.end - joined.base, joined.is_homeless), (size, size == 0));
            assert!(inner.has_room_for(0), "{blocks}");
            drop(inner);
            // It asks for a collection, as one that comes beside a nursery that is away.
            // SAFETY: the worker's block.
            let room = unsafe { heap.alloc_slow(&raw mut tcbs[1], 24, None) };
            assert_eq!(room.is_err(), size == 0);
        }
    }
}
