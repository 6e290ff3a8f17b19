//! A mutator without compiled code: root slots, threads with pretended frames, allocation as compiled code does it.

#![allow(dead_code)]

use std::sync::atomic::Ordering::Relaxed;

use leat_abi::code::CodeTable;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_memory::{Collection, Config, Heap, OutOfMemory, Refusal, Roots, Visitor};

/// Root slots and the frames of threads, by thread number.
pub struct MockRoots {
    pub slots: Vec<u64>,
    pub frames: Vec<Vec<u64>>,
    /// Threads whose frames have changed since the last collection.
    pub changed: Vec<bool>,
    /// A table that keeps nothing alive: (object, number).
    pub table: Vec<(u64, u64)>,
    /// Another one, which is mended in portions: what is mended, and what is not yet.
    pub long: Vec<u64>,
    pub unmended: Vec<u64>,
    /// A long table that keeps alive what it names, and the entries that have been filled since the last collection.
    pub many: Vec<u64>,
    pub noted: Vec<usize>,
    pub stacks_scanned: usize,
}

impl Roots for MockRoots {
    fn tables(&self) -> &[&CodeTable] {
        &[]
    }

    fn roots<V: Visitor>(&mut self, minor: bool, visit: &mut V) {
        for slot in &mut self.slots {
            visit.slot(slot);
        }
        if minor {
            for i in self.noted.drain(..) {
                visit.noted(&mut self.many[i]);
            }
            for (frame, changed) in self.frames.iter_mut().zip(&mut self.changed) {
                if std::mem::take(changed) {
                    frame.iter_mut().for_each(|slot| visit.slot(slot));
                }
            }
        }
    }

    fn many<V: Visitor>(&mut self, from: usize, most: usize, visit: &mut V) -> usize {
        let left = self.many.len().saturating_sub(from);
        self.many.iter_mut().skip(from).take(most).for_each(|slot| visit.slot(slot));
        left - most.min(left)
    }

    fn thread_stack<V: Visitor>(&mut self, thread: *mut Thread, _minor: bool, visit: &mut V) {
        self.stacks_scanned += 1;
        // SAFETY: the collector gives a thread's payload.
        let id = unsafe { (*thread).id } as usize;
        self.frames[id].iter_mut().for_each(|slot| visit.slot(slot));
    }

    fn after<F: Fn(u64) -> Option<u64>>(&mut self, minor: bool, forward: &F) {
        // In a minor collection what is old stays, and what is young goes or moves: asked of all, for the sake of
        // simplicity.
        if minor {
            self.long = self.long.iter().filter_map(|&object| forward(object)).collect();
        } else {
            assert!(self.unmended.is_empty(), "a table is mended before the next marking ends");
            self.unmended = std::mem::take(&mut self.long);
        }
        self.table.retain_mut(|entry| match forward(entry.0) {
            Some(object) => {
                entry.0 = object;
                true
            }
            None => false,
        });
    }

    fn mend<F: Fn(u64) -> Option<u64>>(&mut self, most: usize, forward: &F) -> usize {
        let left = self.unmended.len().saturating_sub(most);
        self.long.extend(self.unmended.drain(left..).filter_map(forward));
        left
    }
}

/// A heap with workers and roots.
pub struct Mutator {
    pub heap: Heap,
    /// Compiled code keeps their addresses.
    #[allow(clippy::vec_box)]
    pub tcbs: Vec<Box<Tcb>>,
    pub roots: MockRoots,
}

impl Mutator {
    pub fn new(config: Config, roots: usize) -> Mutator {
        let workers = config.workers;
        Mutator::with(config, workers, roots)
    }

    /// So many workers are there at first.
    pub fn with(config: Config, workers: usize, roots: usize) -> Mutator {
        let heap = Heap::new(config).unwrap();
        let tcbs = (0..workers)
            .map(|_| {
                let mut tcb = Box::new(Tcb::empty());
                heap.attach_worker(&mut tcb).unwrap();
                tcb
            })
            .collect();
        let roots = MockRoots {
            slots: vec![1; roots],
            frames: Vec::new(),
            changed: Vec::new(),
            table: Vec::new(),
            long: Vec::new(),
            unmended: Vec::new(),
            many: Vec::new(),
            noted: Vec::new(),
            stacks_scanned: 0,
        };
        Mutator { heap, tcbs, roots }
    }

    pub fn tcb(&mut self, worker: usize) -> *mut Tcb {
        &raw mut *self.tcbs[worker]
    }

    pub fn collect(&mut self, kind: Collection) -> Result<(), OutOfMemory> {
        let tcbs: Vec<*mut Tcb> = self.tcbs.iter_mut().map(|t| &raw mut **t).collect();
        // SAFETY: one thread plays all workers.
        unsafe { self.heap.collect(kind, &tcbs, &mut self.roots) }
    }

    /// What compiled code does: a check, a bump, a store of the header. Payload is not initialised.
    #[inline(always)]
    pub fn bump(&mut self, worker: usize, header: u64) -> Result<u64, OutOfMemory> {
        let bytes = self.heap.object_bytes(header);
        let tcb = &mut *self.tcbs[worker];
        if tcb.alloc + bytes > tcb.alloc_limit.load(Relaxed) {
            self.slow(worker, bytes)?;
        }
        let tcb = &mut *self.tcbs[worker];
        let at = tcb.alloc;
        tcb.alloc += bytes;
        // SAFETY: the check has passed.
        unsafe { *(at as *mut u64) = header };
        Ok((at + 8) as u64)
    }

    #[cold]
    #[inline(never)]
    pub fn slow(&mut self, worker: usize, bytes: usize) -> Result<(), OutOfMemory> {
        let mut tried = None;
        loop {
            let tcb = self.tcb(worker);
            // SAFETY: an attached worker.
            match unsafe { self.heap.alloc_slow(tcb, bytes, tried) } {
                Ok(()) => return Ok(()),
                Err(Refusal::Collect(kind)) => {
                    self.collect(kind)?;
                    tried = Some(kind);
                }
                Err(Refusal::OutOfMemory(oom)) => return Err(oom),
            }
        }
    }

    /// What runtime primitives do.
    pub fn alloc(&mut self, worker: usize, header: u64) -> Result<u64, OutOfMemory> {
        let mut tried = None;
        loop {
            let tcb = self.tcb(worker);
            // SAFETY: an attached worker.
            match unsafe { self.heap.alloc(tcb, header, tried) } {
                Ok(object) => return Ok(object),
                Err(Refusal::Collect(kind)) => {
                    self.collect(kind)?;
                    tried = Some(kind);
                }
                Err(Refusal::OutOfMemory(oom)) => return Err(oom),
            }
        }
    }

    /// A record of raw words and refs, as compiled code makes it; the refs are taken from root slots.
    pub fn record(&mut self, worker: usize, raw: &[u64], refs: &[usize]) -> Result<u64, OutOfMemory> {
        let object = self.bump(worker, header::record(raw.len(), refs.len(), 0))?;
        for (i, &word) in raw.iter().enumerate() {
            set(object, i, word);
        }
        for (i, &root) in refs.iter().enumerate() {
            set(object, raw.len() + i, self.roots.slots[root]);
        }
        Ok(object)
    }

    /// A store of a reference into a record, with the barrier of compiled code.
    #[inline(always)]
    pub fn store(&mut self, worker: usize, object: u64, index: usize, value: u64) {
        set(object, index, value);
        if header_of(object) & header::UNLOGGED != 0 {
            let tcb = self.tcb(worker);
            // SAFETY: an old object.
            unsafe { self.heap.log_object(tcb, object) };
        }
    }

    /// Likewise into an array.
    #[inline(always)]
    pub fn store_element(&mut self, worker: usize, array: u64, index: usize, value: u64) {
        set(array, index, value);
        if header_of(array) & header::UNLOGGED != 0 {
            let tcb = self.tcb(worker);
            // SAFETY: an old array.
            unsafe { self.heap.log_slot(tcb, array, (array as *mut u64).add(index)) };
        }
    }
}

#[inline(always)]
pub fn get(object: u64, index: usize) -> u64 {
    // SAFETY: tests ask for words that the object has.
    unsafe { *(object as *const u64).add(index) }
}

#[inline(always)]
pub fn set(object: u64, index: usize, word: u64) {
    // SAFETY: as above.
    unsafe { *(object as *mut u64).add(index) = word };
}

#[inline(always)]
pub fn header_of(object: u64) -> u64 {
    // SAFETY: an object's payload.
    unsafe { *((object - 8) as *const u64) }
}
