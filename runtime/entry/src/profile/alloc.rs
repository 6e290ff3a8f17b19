//! Allocation: a nursery is full, or the runtime has made a large object -> the stack, with the bytes allocated since the last
//! time.
//!
//! Each byte is charged to the stack that came to the end of its piece of nursery: over some hundred pieces the shares are those
//! of who allocates. The nursery is small meanwhile, so that there are many pieces; more collections are the price.

use std::sync::{Mutex, MutexGuard};

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::sample::{Interrupted, Sampled, sample};

use crate::profile::tree::{Key, Tree};
use crate::state::runtime::runtime;

/// Bytes of the nursery of a program that is profiled.
pub const NURSERY: usize = 256 << 10;
/// So many bytes that the runtime has allocated are noted at once.
const MUCH: u64 = 64 << 10;
/// Most frames of a stack.
const FRAMES: usize = 200;

static NOTES: Mutex<Option<Notes>> = Mutex::new(None);

struct Notes {
    tree: Tree,
    threads: bool,
    /// Bytes that all workers had allocated at the last note.
    last: u64,
}

fn lock() -> MutexGuard<'static, Option<Notes>> {
    NOTES.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn begin(threads: bool) {
    *lock() = Tree::new().ok().map(|tree| Notes { tree, threads, last: 0 });
}

/// # Safety
/// As [`crate::profile::allocated`].
pub unsafe fn note(tcb: *mut Tcb, full: bool) {
    // SAFETY: the calling worker's block.
    let (now, current) = unsafe { (runtime().heap.stats(Some(&*tcb)).allocated, (*tcb).current) };
    let mut notes = lock();
    let Some(notes) = &mut *notes else { return };
    let bytes = now.saturating_sub(notes.last);
    if bytes == 0 || !full && bytes < MUCH {
        return;
    }
    notes.last = now;
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
}

/// Gives the tree.
pub fn finish() -> Vec<(String, Tree)> {
    lock().take().map(|notes| ("all workers".to_string(), notes.tree)).into_iter().collect()
}
