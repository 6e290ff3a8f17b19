//! `--gc-verify`: checks the invariants before and after each collection, over everything that the roots reach and over
//! nurseries, large objects and line marks in a row. Slow, and independent of the collector's own traversal.
//!
//! A broken invariant ends the program with its number (docs/internals/runtime/collector.md, and A1, A2 of `leat_abi`).

use std::collections::{HashMap as StdMap, HashSet as StdSet};
use std::hash::{BuildHasherDefault, Hasher};

use leat_abi::header::{self, MARK, ObjectKind, PRESENT, STATIC, UNLOGGED, WORD, raw_words, ref_words};
use leat_abi::thread::Thread;

use crate::align::object_bytes;
use crate::inner::Inner;
use crate::large::{LARGE_BIT, Large};
use crate::roots::Roots;
use crate::space::{BLOCK, CARD, LINE_SHIFT, PAGE};
use crate::stack::scan_piece;

/// Addresses need no better hash than a multiplication.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b as u64));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type HashSet<T> = StdSet<T, BuildHasherDefault<AddressHasher>>;
type HashMap<K, V> = StdMap<K, V, BuildHasherDefault<AddressHasher>>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After { major: bool },
}

/// Where a reference comes from, for the report.
#[derive(Clone, Copy)]
enum From {
    Root,
    Object(u64),
    /// The frames of this thread.
    Frames(u64),
}

/// What a marking under way still has to scan.
struct Grey {
    objects: HashSet<u64>,
    /// What is yet to be marked itself.
    shaded: HashSet<u64>,
    /// From the first header to behind the last object.
    rows: Vec<(usize, usize)>,
}

impl Grey {
    fn new(inner: &Inner) -> Grey {
        let cycle = &inner.cycle;
        // SAFETY: the stack holds as many words.
        let stack = unsafe { std::slice::from_raw_parts(inner.space.mark_stack as *const u64, cycle.depth) };
        let mut objects: HashSet<u64> = stack.iter().map(|word| word & !1).collect();
        objects.extend(&cycle.again);
        objects.extend(&cycle.later);
        let mut rows = cycle.rows.clone();
        rows.sort_unstable();
        Grey { objects, shaded: cycle.shaded.iter().copied().collect(), rows }
    }

    /// Whether an edge from a marked object to another one will be seen.
    fn covers(&self, object: u64, to: u64) -> bool {
        if self.shaded.contains(&to) {
            return true;
        }
        let after = self.rows.partition_point(|row| row.0 < object as usize);
        self.objects.contains(&object) || after > 0 && (object as usize) <= self.rows[after - 1].1
    }
}

struct Check<'a, const ALIGN: usize> {
    inner: &'a Inner,
    when: When,
    errors: Vec<String>,
    seen: HashSet<u64>,
    queue: Vec<u64>,
    logged: HashSet<u64>,
    large: HashMap<u64, usize>,
    live: usize,
    /// Those of them that lie in blocks.
    in_blocks: usize,
    lines: HashSet<usize>,
    /// While a marking is under way.
    grey: Option<Grey>,
}

/// # Safety
/// As for a collection.
pub(crate) unsafe fn check<const ALIGN: usize, R: Roots>(inner: &Inner, roots: &mut R, when: When) {
    let mut check = Check::<ALIGN> {
        inner,
        when,
        errors: Vec::new(),
        seen: HashSet::default(),
        queue: Vec::new(),
        logged: inner.workers.iter().flat_map(|w| w.objects.iter().copied()).collect(),
        large: inner.large.objects.iter().map(|o| (o.payload, o.pages)).collect(),
        live: 0,
        in_blocks: 0,
        lines: HashSet::default(),
        grey: (inner.cycle.is_marking() && when != When::Before).then(|| Grey::new(inner)),
    };
    // SAFETY: as for this function.
    unsafe {
        if when == When::Before {
            check.nurseries();
        }
        check.reachable(roots);
        check.large_objects();
        if when == (When::After { major: true }) {
            check.counts();
        }
    }
    if !check.errors.is_empty() {
        let phase = if when == When::Before { "before" } else { "after" };
        let report = check.errors.join("\n  ");
        panic!("gc-verify, {phase} collection {}:\n  {report}", inner.stats.minors);
    }
}

impl<const ALIGN: usize> Check<'_, ALIGN> {
    fn error(&mut self, text: String) {
        if self.errors.len() < 10 {
            self.errors.push(text);
        }
    }

    /// Each nursery is a row of whole objects.
    unsafe fn nurseries(&mut self) {
        for (i, worker) in self.inner.workers.iter().enumerate() {
            let mut at = worker.base;
            while at < worker.alloc {
                // SAFETY: within the nursery.
                let h = unsafe { *(at as *const u64) };
                if h & PRESENT == 0 || h & (STATIC | MARK | UNLOGGED) != 0 {
                    return self.error(format!("A1: worker {i}: header {h:#x} in the nursery at {at:#x}"));
                }
                at += object_bytes::<ALIGN>(h);
            }
            if at != worker.alloc {
                self.error(format!(
                    "A1: worker {i}: the last object ends at {at:#x}, allocation at {:#x}",
                    worker.alloc
                ));
            }
        }
    }

    unsafe fn reachable<R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: roots and checked objects give valid slots.
        unsafe {
            roots.roots(false, &mut |slot| self.reference(From::Root, slot));
            roots.many(0, usize::MAX, &mut |slot| self.reference(From::Root, slot));
            if let Some(grey) = &self.grey {
                let (sense, cycle, errors) = (self.inner.sense, &self.inner.cycle, &mut self.errors);
                let seen = if cycle.unseen > 0 { cycle.seen } else { usize::MAX };
                roots.many(0, seen, &mut |slot: *mut u64| {
                    let object = *slot;
                    if !header::is_immediate(object)
                        && *((object - 8) as *const u64) & (STATIC | MARK) == sense ^ MARK
                        && !grey.shaded.contains(&object)
                    {
                        errors.push(format!("G10: a table's entry was seen, and its object {object:#x} is not marked"));
                    }
                });
            }
            while let Some(object) = self.queue.pop() {
                let from = From::Object(object);
                let h = *((object - 8) as *const u64);
                let (first, count) = match ObjectKind::of(h) {
                    ObjectKind::Record | ObjectKind::Thread => (raw_words(h), ref_words(h)),
                    ObjectKind::RefArray => (0, header::length(h) as usize),
                    ObjectKind::Stack => {
                        let words = header::length(h) as usize;
                        scan_piece(roots.tables(), object, words, &mut |slot| self.reference(from, slot));
                        (0, 0)
                    }
                    // What a weak pointer refers to is checked, but lives by others.
                    ObjectKind::Weak => (0, usize::from(self.when != When::Before)),
                    ObjectKind::RawArray => (0, 0),
                };
                for i in 0..count {
                    self.reference(from, (object as *mut u64).add(first + i));
                }
                if ObjectKind::of(h) == ObjectKind::Thread {
                    let from = From::Frames(object);
                    roots.thread_stack(object as *mut Thread, false, &mut |slot| self.reference(from, slot));
                }
            }
        }
    }

    fn is_young(&self, object: u64) -> bool {
        self.inner.young.is_young(object)
    }

    unsafe fn reference(&mut self, from: From, slot: *mut u64) {
        // SAFETY: the slot is a reference's.
        let word = unsafe { *slot };
        if header::is_immediate(word) {
            return;
        }
        let place = || match from {
            From::Root => format!("root at {slot:p}"),
            From::Object(object) => format!("object {object:#x}, word {}", (slot as u64 - object) / 8),
            From::Frames(thread) => format!("a frame of thread {thread:#x}"),
        };
        if self.is_young(word) {
            if self.when != When::Before {
                return self.error(format!("G1: {} refers to the empty nursery: {word:#x}", place()));
            }
            if let From::Object(object) = from
                && !self.is_young(object)
                && !self.is_logged(object, slot as usize)
            {
                return self.error(format!("G2: {} refers to young {word:#x} and is not logged", place()));
            }
        }
        if let (Some(grey), From::Object(holder) | From::Frames(holder)) = (&self.grey, from) {
            // SAFETY: both are objects, as was checked for the holder and will be for the other one.
            let header = |object: u64| unsafe { *((object - 8) as *const u64) };
            let is_marked = |h: u64| h & STATIC != 0 || h & MARK == self.inner.sense;
            let is_weak = ObjectKind::of(header(holder)) == ObjectKind::Weak;
            if is_marked(header(holder)) && !is_marked(header(word)) && !is_weak && !grey.covers(holder, word) {
                let at = place();
                self.error(format!("G10: {at} is marked, refers to {word:#x} that is not, and nothing covers it"));
            }
        }
        if self.seen.insert(word) {
            // SAFETY: looked at only where memory of ours is.
            if let Err(text) = unsafe { self.object(word) } {
                self.error(format!("{text}, from {}", place()));
            }
        }
    }

    fn is_logged(&self, object: u64, slot: usize) -> bool {
        // SAFETY: a checked object; cards are looked at for large ones only.
        unsafe {
            let h = *((object - 8) as *const u64);
            if h & UNLOGGED == 0 {
                return self.logged.contains(&object);
            }
            let card = (object, slot & !(CARD - 1));
            h & LARGE_BIT != 0
                && *self.inner.large.card_of(slot) & Large::part(slot) != 0
                && self.inner.workers.iter().any(|w| w.cards.contains(&card))
        }
    }

    /// A new object is reached: is it one?
    unsafe fn object(&mut self, object: u64) -> Result<(), String> {
        let inner = self.inner;
        let young = self.is_young(object);
        let in_blocks = inner.blocks.contains(object);
        // What lies outside of the heap is static: the runtime's own packets are aligned to a word whatever ALIGN is.
        let align = if young || in_blocks { ALIGN as u64 } else { WORD as u64 };
        if !object.is_multiple_of(align) {
            return Err(format!("A2: {object:#x} is not aligned to {align}"));
        }
        if young && !inner.workers.iter().any(|w| (w.base + WORD..=w.alloc).contains(&(object as usize))) {
            return Err(format!("A2: {object:#x} lies in the unused part of a nursery"));
        }
        if in_blocks && !young && !inner.blocks.state(inner.blocks.block_of::<ALIGN>(object)).is_old() {
            return Err(format!("G4: {object:#x} lies in a free block"));
        }
        if inner.large.contains(object) && !self.large.contains_key(&object) {
            return Err(format!("G6: {object:#x} is not a large object that is alive"));
        }
        // SAFETY: nursery, block, large object, or the program's data.
        let h = unsafe { *((object - 8) as *const u64) };
        if h & PRESENT == 0 || (h & header::KIND_MASK) >> header::KIND_SHIFT > ObjectKind::Weak as u64 {
            return Err(format!("A1: {object:#x} has the header {h:#x}"));
        }
        if h & STATIC != 0 {
            return Ok(());
        }
        let bytes = object_bytes::<ALIGN>(h);
        if young {
            self.queue.push(object);
            return Ok(());
        }
        if h & MARK != inner.sense && !inner.cycle.is_marking() {
            return Err(format!("G7: {object:#x} (header {h:#x}) has the wrong mark"));
        }
        if self.when != When::Before && h & UNLOGGED == 0 {
            return Err(format!("G3: {object:#x} (header {h:#x}) is still logged"));
        }
        if in_blocks {
            self.in_blocks += bytes;
            let at = object as usize - ALIGN - inner.blocks.base;
            let block = at / BLOCK;
            let last = (at + bytes - 1) / BLOCK;
            if h & LARGE_BIT != 0 || (block..=last).any(|b| !inner.blocks.state(b).is_old()) {
                return Err(format!("G6: {object:#x} of {bytes} bytes (header {h:#x}) in a block"));
            }
            if self.when == (When::After { major: true }) {
                for line in at >> LINE_SHIFT..=(at + bytes - 1) >> LINE_SHIFT {
                    self.lines.insert(line);
                    if !inner.blocks.is_marked(line) {
                        return Err(format!("G5: {object:#x} of {bytes} bytes lies on the free line {line}"));
                    }
                }
            }
        } else if !self.large.contains_key(&object) {
            return Err(format!("A2: {object:#x} (header {h:#x}) is nowhere in the heap"));
        }
        self.live += bytes;
        self.queue.push(object);
        Ok(())
    }

    unsafe fn large_objects(&mut self) {
        for (&object, &pages) in &self.large.clone() {
            // SAFETY: an object of the list has its header before the payload.
            let h = unsafe { *((object - 8) as *const u64) };
            let fits = object_bytes::<ALIGN>(h) + ALIGN - WORD <= pages * PAGE;
            if h & PRESENT == 0 || h & LARGE_BIT == 0 || !fits {
                self.error(format!("G6: large object {object:#x} has the header {h:#x}"));
            }
        }
    }

    /// After a major collection: bytes, in all and in blocks, and lines are exactly those of the objects reached.
    fn counts(&mut self) {
        let (counted, live) = (self.inner.stats.live, self.live);
        if counted != live {
            self.error(format!("G9: {counted} bytes are counted as live, {live} are"));
        }
        let blocks = &self.inner.blocks;
        let (counted, live) = ((0..blocks.top).map(|b| blocks.state(b).live as usize).sum::<usize>(), self.in_blocks);
        if counted != live {
            self.error(format!("G9: {counted} bytes are counted in blocks, {live} are there"));
        }
        let marked: usize = (0..blocks.top).map(|b| blocks.state(b).live_lines as usize).sum();
        if marked != self.lines.len() {
            self.error(format!("G5: {marked} lines are marked, {} are in use", self.lines.len()));
        }
    }
}
