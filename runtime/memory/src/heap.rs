//! The outermost calls: a heap, its workers, allocation that is not inline, barriers' slow paths, collections.
//!
//! The alignment is looked at here, once a call, and is a constant from there on.

use leat_abi::tcb::Tcb;

use crate::roots::Roots;

/// How a heap is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Object alignment: 8, 16 or 32 bytes.
    pub align: usize,
    /// Bytes of each worker's nursery, fixed; None: 4 MiB, grown while much survives.
    pub nursery: Option<usize>,
    /// Most bytes of heap; None: what the container or machine has.
    pub heap_max: Option<usize>,
    /// Most workers there will ever be.
    pub workers: usize,
    /// Collect at every n-th heap check and runtime allocation.
    pub stress: Option<u64>,
    /// Check the invariants before and after each collection.
    pub verify: bool,
    /// A line on stderr for each collection.
    pub log: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config { align: 8, nursery: None, heap_max: None, workers: 64, stress: None, verify: false, log: false }
    }
}

/// Which collection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Collection {
    /// The nurseries only; becomes a major one when the old generation has grown enough.
    Minor,
    /// Both generations.
    Major,
    /// Both, and once more if much is fragmented; unused memory goes back to the system. For `GC.collect` of a program.
    Full,
}

/// The heap would be larger than its limit, even after a full collection. The heap is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes that were wanted.
    pub wanted: usize,
    /// Bytes in use, and the limit.
    pub used: usize,
    pub limit: usize,
}

/// Why an allocation did not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Stop the workers, call [`Heap::collect`] with this, then ask again with `tried` set to it.
    Collect(Collection),
    OutOfMemory(OutOfMemory),
}

/// What has happened so far, and what is there.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Bytes of live objects in the old generation: exact after a major collection, then plus what was promoted.
    pub live: usize,
    /// Bytes allocated since the start: nurseries (as of now for the calling worker, as of the last collection for
    /// others) and large objects.
    pub allocated: u64,
    pub minors: u64,
    pub majors: u64,
    /// Bytes of address space in use: blocks, large objects, nurseries; and its highest value.
    pub heap: usize,
    pub peak: usize,
    /// Nanoseconds with the world stopped.
    pub minor_ns: u64,
    pub major_ns: u64,
    /// Longest one.
    pub max_pause_ns: u64,
    /// Bytes moved from the nurseries.
    pub promoted: u64,
    /// Objects and cards that the barriers logged.
    pub logged: u64,
    /// Bytes of one nursery now.
    pub nursery: usize,
    /// Limit.
    pub heap_max: usize,
    /// Blocks evacuated, bytes given back to the system.
    pub evacuated: u64,
    pub given_back: u64,
}

/// The heap of a program. Shared by all workers; `tcb.memory` points to a worker's part of it.
pub struct Heap {
    config: Config,
}

// SAFETY: what workers share is behind a lock or only touched with all workers stopped.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

const NOT_YET: OutOfMemory = OutOfMemory { wanted: 0, used: 0, limit: 0 };

impl Heap {
    /// Reserves address space; commits next to nothing.
    pub fn new(config: Config) -> Result<Heap, String> {
        Ok(Heap { config })
    }

    /// Gives the worker its nursery and log: sets `tcb.memory`, `tcb.alloc`, `tcb.alloc_limit`.
    pub fn attach_worker(&self, _tcb: &mut Tcb) -> Result<(), String> {
        Err(format!("{} workers", self.config.workers))
    }

    /// The worker ends: its nursery (what is in it stays valid until the next collection) and log are kept for the next
    /// worker that is attached. Its log is still read by the next collection.
    pub fn detach_worker(&self, _tcb: &mut Tcb) {}

    /// A heap check for `bytes` failed. On Ok the check would pass now (`alloc_limit` is set anew, also if it had been
    /// `LIMIT_STOP`: look whether a safepoint is asked for *after* this call, under your lock).
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc_slow(&self, _tcb: *mut Tcb, _bytes: usize, _tried: Option<Collection>) -> Result<(), Refusal> {
        Err(Refusal::OutOfMemory(NOT_YET))
    }

    /// `alloc_limit` as it is when no safepoint is asked for.
    ///
    /// # Safety
    /// `tcb` is an attached worker's block.
    pub unsafe fn restore_limit(&self, _tcb: *mut Tcb) {}

    /// An object of any size with this header (of `leat_abi::header`; no collector's bits): raw payload is 0, references
    /// are immediate 1. The caller may fill it without barriers until the next safepoint. Gives the payload's address.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc(&self, _tcb: *mut Tcb, _header: u64, _tried: Option<Collection>) -> Result<u64, Refusal> {
        Err(Refusal::OutOfMemory(NOT_YET))
    }

    /// As [`alloc`](Heap::alloc), but the payload may hold anything: the caller fills all of it before the next safepoint.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block.
    pub unsafe fn alloc_uninit(&self, _tcb: *mut Tcb, _header: u64, _tried: Option<Collection>) -> Result<u64, Refusal> {
        Err(Refusal::OutOfMemory(NOT_YET))
    }

    /// Collects. All workers are stopped, at safepoints; `tcbs` are those that are attached.
    ///
    /// # Safety
    /// As said; and `roots` visits every reference outside the heap.
    pub unsafe fn collect<R: Roots>(
        &self,
        _kind: Collection,
        _tcbs: &[*mut Tcb],
        _roots: &mut R,
    ) -> Result<(), OutOfMemory> {
        Err(NOT_YET)
    }

    /// The write barrier's slow path: `object` (payload's address) has its `UNLOGGED` bit set and was stored into.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` an old object.
    pub unsafe fn log_object(&self, _tcb: *mut Tcb, _object: u64) {}

    /// Likewise for the element at `slot` of an array of references.
    ///
    /// # Safety
    /// As `log_object`; `slot` is the address of an element.
    pub unsafe fn log_slot(&self, _tcb: *mut Tcb, _array: u64, _slot: *mut u64) {}

    /// The whole barrier, for `count` elements from `slot` that runtime code has stored: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// As `log_slot`, but `array` may be of any age.
    pub unsafe fn barrier_range(&self, _tcb: *mut Tcb, _array: u64, _slot: *mut u64, _count: usize) {}

    /// The whole barrier for one object that runtime code has stored into: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` any object's payload.
    pub unsafe fn barrier(&self, _tcb: *mut Tcb, _object: u64) {}

    /// Figures. With `tcb`, its nursery's current fill counts as allocated.
    pub fn stats(&self, _tcb: Option<&Tcb>) -> Stats {
        Stats::default()
    }

    /// Fixes the nursery's size from the next collection on; None: adaptive again.
    pub fn set_nursery(&self, _bytes: Option<usize>) {}

    /// Sets the limit, in bytes; None: that of the container or machine.
    pub fn set_heap_max(&self, _bytes: Option<usize>) {}

    /// Lines on stderr for each collection, from now on.
    pub fn set_log(&self, _on: bool) {}

    /// Bytes of an object, header and rounding included, at this heap's alignment.
    pub fn object_bytes(&self, header: u64) -> usize {
        match self.config.align {
            8 => leat_abi::header::object_bytes::<8>(header),
            16 => leat_abi::header::object_bytes::<16>(header),
            _ => leat_abi::header::object_bytes::<32>(header),
        }
    }
}
