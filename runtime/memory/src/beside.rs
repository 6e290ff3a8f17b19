//! Marking beside the program: what is on the mark stack -> marked, by a thread of the operating system, while compiled
//! code runs.
//!
//! It helps the slices of [`crate::slices`], and does no more than they do: what it does not come to, they do in the
//! end. It takes the heap's lock for some dozens of microseconds at a time, and so never works while a collection does.
//! What it meets is only the program that runs:
//!
//! | what the program does meanwhile | why nothing is lost |
//! |---|---|
//! | stores into an object, before or after that is scanned | the object is logged then, or was already; the next minor collection hands it over, and it is scanned again if it is marked |
//! | stores an old object into a large array | the barrier notes the object itself |
//! | stores a young object | young addresses are passed by; the holder is logged, or its card is dirty, until the object is promoted, and then it is born marked, in a row that is handed over |
//! | logs an object while that is being marked | `U` and `M` are in different bytes, and each is written by a store of a byte (G13) |
//! | makes a large object | it is born marked, and logged or clean; nobody refers to it before it is whole |
//! | runs a thread, writes to its piece of stack | threads, pieces and weak pointers are only marked here; they are scanned by the next slice |
//!
//! After Boehm, Demers and Shenker, Mostly parallel garbage collection, PLDI 1991. Difference: no page is protected and
//! no object is looked at again but those that the barrier has logged.
//!
//! Keeps: G10, G13. The model in `tests/marking.rs` has the marker's steps between those of a program, and mistakes
//! that it finds.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leat_abi::header::{self, KIND_MASK, MARK, ObjectKind, PRESENT, STATIC, WORD, prefetch, raw_words, ref_words};

use crate::align::object_bytes;
use crate::blocks::Blocks;
use crate::inner::Inner;
use crate::large::LARGE_BIT;
use crate::remembered::Young;
use crate::space::{give_precedence, leave_signals};

/// Elements of an array that are scanned at a time.
const CHUNK: usize = 256;
/// Objects whose headers are prefetched at a time.
const RING: usize = 8;
/// What an object counts in a budget, besides its references; and how much is marked without giving way, some 500
/// objects.
const OBJECT_UNITS: isize = 4;
const BATCH: isize = 3_000;
/// Who waits for the lock gets it within this time, or the marker goes on.
const PATIENCE: Duration = Duration::from_millis(1);

/// A heap, for those who share it.
pub(crate) struct Shared {
    inner: Mutex<Inner>,
    /// So many wait for the lock: the marker gives way.
    waiting: AtomicUsize,
    /// There is something to mark, or the heap ends.
    asked: Condvar,
    is_over: AtomicBool,
}

// SAFETY: what workers share is behind the lock or only touched with all workers stopped.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    pub fn new(inner: Inner) -> Arc<Shared> {
        Arc::new(Shared {
            inner: Mutex::new(inner),
            waiting: AtomicUsize::new(0),
            asked: Condvar::new(),
            is_over: AtomicBool::new(false),
        })
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        if let Ok(inner) = self.inner.try_lock() {
            return inner;
        }
        self.waiting.fetch_add(1, SeqCst);
        let inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.waiting.fetch_sub(1, SeqCst);
        inner
    }

    /// The marker has let the lock go: whoever waits for it takes it first.
    fn give_way(&self) {
        if self.waiting.load(SeqCst) > 0 {
            let start = Instant::now();
            while self.waiting.load(SeqCst) > 0 && start.elapsed() < PATIENCE {
                std::thread::yield_now();
            }
        }
    }
}

/// The thread, seen by the heap.
pub(crate) struct Beside {
    thread: JoinHandle<()>,
    /// The process that it belongs to: a forked child has none.
    process: u32,
}

impl Beside {
    pub fn start(shared: &Arc<Shared>) -> Option<Beside> {
        let shared = shared.clone();
        let builder = std::thread::Builder::new().name("marker".into()).stack_size(64 << 10);
        let thread = builder.spawn(move || run(&shared)).ok()?;
        Some(Beside { thread, process: std::process::id() })
    }

    pub fn is_there(&self) -> bool {
        self.process == std::process::id()
    }

    /// There is something to mark.
    pub fn ask(shared: &Shared) {
        shared.asked.notify_one();
    }

    /// The heap ends. Its lock is not held.
    pub fn end(self, shared: &Shared) {
        if self.is_there() {
            shared.is_over.store(true, SeqCst);
            // Under the lock, so that the marker is not between its look and its sleep.
            drop(shared.lock());
            shared.asked.notify_one();
            let ended = self.thread.join();
            debug_assert!(ended.is_ok(), "the marker has panicked");
        } else {
            // An OS thread that does not exist here cannot be waited for, nor be let go.
            std::mem::forget(self.thread);
        }
    }
}

fn run(shared: &Shared) {
    leave_signals();
    give_precedence();
    let mut inner = shared.lock();
    while !shared.is_over.load(SeqCst) {
        // SAFETY: the lock is held.
        if unsafe { mark(&mut inner, BATCH) } {
            drop(inner);
            shared.give_way();
            inner = shared.lock();
        } else {
            inner = shared.asked.wait(inner).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// Marks as much as the budget allows, if a marking is under way. Tells whether something is left that may be marked
/// here.
///
/// # Safety
/// The heap's lock is held, so nobody collects.
pub(crate) unsafe fn mark(inner: &mut Inner, units: isize) -> bool {
    if !inner.cycle.is_marking() {
        return false;
    }
    // SAFETY: as for this function.
    unsafe {
        match inner.config.align {
            8 => Marker::<8>::mark(inner, units),
            16 => Marker::<16>::mark(inner, units),
            _ => Marker::<32>::mark(inner, units),
        }
    }
}

struct Marker<'a, const ALIGN: usize> {
    /// As in [`crate::major::Major`].
    unmarked: u64,
    young: Young,
    stack: *mut u64,
    depth: usize,
    deepest: usize,
    blocks: &'a mut Blocks,
    later: &'a mut Vec<u64>,
    live: usize,
    /// Old objects whose headers are on their way to the cache. Not slots: what is in those changes.
    ring: [u64; RING],
    oldest: usize,
    waiting: usize,
}

impl<const ALIGN: usize> Marker<'_, ALIGN> {
    unsafe fn mark(inner: &mut Inner, units: isize) -> bool {
        let mut left = units;
        let cycle = &mut inner.cycle;
        let mut marker = Marker::<ALIGN> {
            unmarked: PRESENT | (inner.sense ^ MARK),
            young: inner.young,
            stack: inner.space.mark_stack as *mut u64,
            depth: cycle.depth,
            deepest: cycle.deepest,
            blocks: &mut inner.blocks,
            later: &mut cycle.later,
            live: 0,
            ring: [0; RING],
            oldest: 0,
            waiting: 0,
        };
        // SAFETY: the stack holds marked objects, which stay where they are; the program's stores are looked at word by
        // word.
        unsafe {
            while left > 0 && marker.depth > 0 {
                left -= marker.step();
            }
            while marker.waiting > 0 {
                marker.arrived();
            }
        }
        cycle.deepest = marker.deepest.max(marker.depth);
        cycle.depth = marker.depth;
        cycle.marked += marker.live;
        cycle.beside += marker.live;
        cycle.paced += marker.live;
        cycle.units += (units - left) as usize;
        cycle.depth > 0
    }

    /// Scans the object on top of the stack, or some elements of it. Gives what that counts.
    unsafe fn step(&mut self) -> isize {
        // SAFETY: as in `mark`; (index, array + 1) stands for the rest of an array.
        unsafe {
            self.deepest = self.deepest.max(self.depth);
            self.depth -= 1;
            let object = *self.stack.add(self.depth);
            if object & 1 != 0 {
                self.depth -= 1;
                let from = *self.stack.add(self.depth) as usize;
                return self.scan_array(object - 1, from);
            }
            let h = header_of(object);
            if h & KIND_MASK == 0 {
                for i in raw_words(h)..raw_words(h) + ref_words(h) {
                    self.visit(word(object, i));
                }
                return OBJECT_UNITS + ref_words(h) as isize;
            }
            match ObjectKind::of(h) {
                ObjectKind::RefArray => self.scan_array(object, 0),
                ObjectKind::Record | ObjectKind::RawArray => OBJECT_UNITS,
                ObjectKind::Stack | ObjectKind::Thread | ObjectKind::Weak => {
                    self.later.push(object);
                    OBJECT_UNITS
                }
            }
        }
    }

    unsafe fn scan_array(&mut self, array: u64, from: usize) -> isize {
        // SAFETY: an array's elements.
        unsafe {
            let count = header::length(header_of(array)) as usize;
            let to = count.min(from + CHUNK);
            if to < count {
                self.push(to as u64);
                self.push(array + 1);
            }
            for i in from..to {
                self.visit(word(array, i));
            }
        }
        OBJECT_UNITS + CHUNK as isize
    }

    #[inline(always)]
    unsafe fn visit(&mut self, object: u64) {
        if header::is_immediate(object) || self.young.is_young(object) {
            return;
        }
        prefetch(object - WORD as u64);
        if self.waiting == RING {
            // SAFETY: an object.
            unsafe { self.arrived() };
        }
        self.ring[(self.oldest + self.waiting) % RING] = object;
        self.waiting += 1;
    }

    /// The header that was asked for longest ago is there.
    #[inline(always)]
    unsafe fn arrived(&mut self) {
        let object = self.ring[self.oldest];
        self.oldest = (self.oldest + 1) % RING;
        self.waiting -= 1;
        // SAFETY: an old object, or a static one.
        unsafe {
            let h = header_of(object);
            if (h ^ self.unmarked) & (PRESENT | STATIC | MARK) != 0 {
                return;
            }
            // Only the collector writes this byte; the program may be writing the one before it.
            AtomicU8::from_ptr((object as *mut u8).sub(WORD - 1)).store(((h ^ MARK) >> 8) as u8, Relaxed);
            let bytes = object_bytes::<ALIGN>(h);
            self.live += bytes;
            if h & LARGE_BIT == 0 {
                self.blocks.mark_lines::<ALIGN>(object, bytes);
            }
            let none = if h & KIND_MASK == 0 { ref_words(h) == 0 } else { ObjectKind::of(h) == ObjectKind::RawArray };
            if !none {
                self.push(object);
            }
        }
    }

    #[inline(always)]
    unsafe fn push(&mut self, word: u64) {
        // SAFETY: the stack has room for every object.
        unsafe { *self.stack.add(self.depth) = word };
        self.depth += 1;
    }
}

#[inline(always)]
unsafe fn header_of(object: u64) -> u64 {
    // SAFETY: the caller has an object, whose header only changes in single bits.
    unsafe { AtomicU64::from_ptr((object as *mut u64).sub(1)).load(Relaxed) }
}

#[inline(always)]
unsafe fn word(object: u64, index: usize) -> u64 {
    // SAFETY: the caller has an object with so many words; the program stores whole ones.
    unsafe { AtomicU64::from_ptr((object as *mut u64).add(index)).load(Relaxed) }
}
