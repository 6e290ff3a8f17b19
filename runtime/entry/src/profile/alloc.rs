//! Allocation: a nursery is full, or the runtime has made a large object -> the stack, with the bytes allocated since
//! the last time. Where the program was compiled to tell it, the innermost place of the stack says what is made.
//!
//! Each byte is charged to the stack that came to the end of its piece of nursery, and those of a large object to the
//! one that made it: over some hundred pieces the shares are those of who allocates. The nursery is small meanwhile, so
//! that there are many pieces; more collections are the price.
//!
//! A loop that makes objects of the same sizes in turn would come to each piece's end with the same one of them. So
//! each piece begins with an unused object of random length.
//!
//! What survives is told by samples: the first object behind each full piece, which that same stack makes, stands for
//! all of the piece's bytes, and is looked for when the next collection is over.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

use leat_abi::header::{self, WORD, payload_bytes};
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::sample::{Interrupted, Sampled, sample};

use crate::profile::tree::{Key, Tree};
use crate::state::runtime::runtime;

/// Bytes of the nursery of a program that is profiled.
pub const NURSERY: usize = 256 << 10;
/// An object of so many bytes is noted for itself: it lies in no piece of nursery.
const MUCH: u64 = 64 << 10;
/// Most words of the unused object, and what their number is a multiple of: objects are aligned to no more.
const UNUSED: u64 = 512;
const UNUSED_STEP: u64 = 4;
/// Most frames of a stack.
const FRAMES: usize = 200;

static NOTES: Mutex<Option<Notes>> = Mutex::new(None);

struct Notes {
    tree: Tree,
    threads: bool,
    /// Bytes that all workers had allocated at the last note.
    last: u64,
    /// By worker: the node and bytes of the piece whose sample is still to be made.
    pieces: HashMap<u64, (u32, u64)>,
    /// Objects that no collection has seen, their nodes, and the bytes that they stand for.
    samples: Vec<(u64, u32, u64)>,
    /// Of the random lengths.
    random: u64,
}

impl Notes {
    /// Begins a piece of nursery with an unused object, if so much room stays.
    ///
    /// # Safety
    /// `tcb` is the calling worker's.
    unsafe fn begin_piece(&mut self, tcb: *mut Tcb, room: usize) {
        // Knuth's generator: its upper bits are random enough.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let words = (self.random >> 33) % (UNUSED / UNUSED_STEP) * UNUSED_STEP;
        let bytes = words as usize * WORD;
        // SAFETY: the worker's block; from its allocation pointer up to the limit nobody else writes.
        unsafe {
            let at = (*tcb).alloc;
            if words > 0 && at + bytes + room <= (*tcb).alloc_limit.load(Ordering::Relaxed) {
                (at as *mut u64).write(header::raw_array(3, words - 1));
                (*tcb).alloc = at + bytes;
                self.last += bytes as u64;
            }
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Notes>> {
    NOTES.lock().unwrap_or_else(|e| e.into_inner())
}

/// `last`: bytes that the program has allocated before.
pub fn begin(threads: bool, last: u64) {
    *lock() = Tree::new().ok().map(|tree| Notes {
        tree,
        threads,
        last,
        pieces: HashMap::new(),
        samples: Vec::new(),
        random: 1,
    });
}

/// # Safety
/// As [`crate::profile::allocated`].
pub unsafe fn note(tcb: *mut Tcb, object: u64, full: bool) {
    // SAFETY: the calling worker's block.
    let (now, current) = unsafe { (runtime().heap.stats(Some(&*tcb)).allocated, (*tcb).current) };
    let mut notes = lock();
    let Some(notes) = &mut *notes else { return };
    // SAFETY: an object that has just been allocated.
    let own = if object == 0 { 0 } else { payload_bytes(unsafe { *((object as usize - WORD) as *const u64) }) as u64 };
    let bytes = if own >= MUCH { own } else { now.saturating_sub(notes.last) };
    if bytes == 0 || !full && own < MUCH {
        return;
    }
    // What was allocated before a large object belongs to the next piece.
    notes.last = if own >= MUCH { notes.last + own } else { now };
    let mut frames = Vec::new();
    // SAFETY: the worker is in the runtime, and its stub has noted the stack.
    unsafe {
        sample(tcb, Interrupted { pc: 0, sp: 0, fp: 0 }, |frame| {
            if let Sampled::Call(table, site) = frame {
                let this = table.start_of(site.function);
                if frames.last().is_none_or(|&(last, _)| last != this) {
                    frames.push((this, Key::Call(table.base as usize + site.ret as usize)));
                }
            }
            frames.len() < FRAMES
        });
    }
    let mut node = 0;
    if notes.threads && current > 1 {
        // SAFETY: the thread that the worker runs.
        node = notes.tree.child(node, Key::Thread(unsafe { (*(current as *const Thread)).id }));
    }
    for &(_, key) in frames.iter().rev() {
        node = notes.tree.child(node, key);
    }
    notes.tree.spend(node, bytes, 1);
    if object == 0 {
        // SAFETY: the calling worker's block.
        notes.pieces.insert(unsafe { (*tcb).worker }, (node, bytes));
    } else {
        notes.samples.push((object, node, bytes));
        // SAFETY: as the caller says.
        unsafe { notes.begin_piece(tcb, 0) };
    }
}

/// There is room again, for so many bytes: what is allocated next is the sample of the piece that was full.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn room(tcb: *mut Tcb, bytes: usize) {
    let mut notes = lock();
    let Some(notes) = &mut *notes else { return };
    // SAFETY: as the caller says.
    unsafe { notes.begin_piece(tcb, bytes) };
    // SAFETY: likewise.
    let (worker, next) = unsafe { ((*tcb).worker, (*tcb).alloc + WORD) };
    if let Some((node, bytes)) = notes.pieces.remove(&worker) {
        notes.samples.push((next as u64, node, bytes));
    }
}

/// A collection is over; `forward` gives where an object is now, if it lives.
pub fn after(forward: &impl Fn(u64) -> Option<u64>) {
    let mut notes = lock();
    let Some(notes) = &mut *notes else { return };
    for (object, node, bytes) in notes.samples.drain(..) {
        if forward(object).is_some() {
            notes.tree.survive(node, bytes);
        }
    }
}

/// Gives the tree.
pub fn finish() -> Vec<(String, Tree)> {
    lock().take().map(|notes| ("all workers".to_string(), notes.tree)).into_iter().collect()
}
