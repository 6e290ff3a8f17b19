//! Waits: a thread blocks -> its stack and why; it is made ready, and runs -> how long it was blocked, and how long it
//! was ready and no worker took it.
//!
//! The fibers tell of every change, as they do for a trace ([`crate::state::trace`]), and one lock orders them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::sample::{Interrupted, Sampled, sample};
use leat_fiber::worker::MAX_WORKERS;
use leat_fiber::{Change, reason};

use crate::profile::tree::{Key, READY, Tree};
use crate::service::waits;

/// Labels from here on are what threads wait for, by number: see [`label`].
pub const REASONS: usize = 64;
/// Most frames of a stack.
const FRAMES: usize = 200;

static WAITS: Mutex<Option<Waits>> = Mutex::new(None);
/// What threads waited for, in words.
static WHAT: Mutex<Vec<String>> = Mutex::new(Vec::new());
static BLOCKS: [AtomicPtr<Tcb>; MAX_WORKERS] = [const { AtomicPtr::new(core::ptr::null_mut()) }; MAX_WORKERS];

struct Waits {
    tree: Option<Tree>,
    start: Instant,
    threads: bool,
    /// By thread: since when, in which stack, and the node that the time is spent in.
    waiting: HashMap<u64, (u64, u32, u32)>,
    /// Reasons with the numbers of places -> labels.
    labels: HashMap<(u8, Option<u16>), usize>,
}

pub fn begin(threads: bool) {
    *lock() = Some(Waits {
        tree: Tree::new().ok(),
        start: Instant::now(),
        threads,
        waiting: HashMap::new(),
        labels: HashMap::new(),
    });
}

/// What a label from [`REASONS`] on says: `[waits: receiving on the channel made at x.sml:6.14]`.
pub fn label(n: usize) -> String {
    let what = WHAT.lock().unwrap_or_else(|e| e.into_inner());
    format!("[waits: {}]", what.get(n - REASONS).map_or("?", String::as_str))
}

/// A worker begins.
///
/// # Safety
/// Its block is filled.
pub unsafe fn attach(tcb: *mut Tcb) {
    // SAFETY: as the caller says.
    BLOCKS[unsafe { (*tcb).worker } as usize].store(tcb, Ordering::Release);
}

fn lock() -> MutexGuard<'static, Option<Waits>> {
    WAITS.lock().unwrap_or_else(|e| e.into_inner())
}

/// # Safety
/// As [`crate::state::trace::changed`].
pub unsafe fn changed(worker: usize, change: Change, thread: *const Thread) {
    // SAFETY: as the caller says.
    let id = unsafe { (*thread).id };
    let mut waits = lock();
    let Some(waits) = &mut *waits else { return };
    let now = waits.start.elapsed().as_nanos() as u64;
    match change {
        Change::Made => {
            let root = waits.root(id);
            waits.begins(id, now, root, Key::Label(READY));
        }
        Change::Blocks | Change::Yields => {
            // SAFETY: the thread runs on this worker and has called the runtime.
            let stack = unsafe { waits.stack(worker, id) };
            // SAFETY: it is about to block.
            let label = if change == Change::Blocks { unsafe { waits.label(thread) } } else { READY };
            waits.begins(id, now, stack, Key::Label(label));
        }
        Change::Ready | Change::Handed => {
            let stack = waits.ends(id, now);
            waits.begins(id, now, stack, Key::Label(READY));
        }
        Change::Runs | Change::Ends => {
            waits.ends(id, now);
        }
    }
}

impl Waits {
    /// The node under which a thread's stacks are.
    fn root(&mut self, id: u64) -> u32 {
        match &mut self.tree {
            Some(tree) if self.threads => tree.child(0, Key::Thread(id)),
            _ => 0,
        }
    }

    /// The node of a thread's stack, without what it waits for.
    unsafe fn stack(&mut self, worker: usize, id: u64) -> u32 {
        let mut node = self.root(id);
        let tcb = BLOCKS[worker].load(Ordering::Acquire);
        let Some(tree) = &mut self.tree else { return 0 };
        if tcb.is_null() {
            return node;
        }
        let mut frames = Vec::new();
        // SAFETY: no signal is needed: the worker is in the runtime, and its stub has noted the stack.
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
        for &(_, key) in frames.iter().rev() {
            node = tree.child(node, key);
        }
        node
    }

    /// The label of what a thread waits for.
    ///
    /// # Safety
    /// A thread that is about to block.
    unsafe fn label(&mut self, thread: *const Thread) -> usize {
        // SAFETY: as the caller says.
        let key = unsafe { ((*thread).reason, waits::place_number(thread)) };
        *self.labels.entry(key).or_insert_with(|| {
            // SAFETY: as the caller says.
            let words = match unsafe { waits::words(thread) } {
                // One row for all streams.
                _ if u64::from(key.0) == reason::STREAM => reason::name(reason::STREAM).to_string(),
                words => words.into_owned(),
            };
            let mut what = WHAT.lock().unwrap_or_else(|e| e.into_inner());
            what.push(words);
            REASONS + what.len() - 1
        })
    }

    fn begins(&mut self, id: u64, now: u64, stack: u32, why: Key) {
        let Some(tree) = &mut self.tree else { return };
        let node = tree.child(stack, why);
        self.waiting.insert(id, (now, stack, node));
    }

    /// Gives the stack.
    fn ends(&mut self, id: u64, now: u64) -> u32 {
        let Some((since, stack, node)) = self.waiting.remove(&id) else { return 0 };
        if let Some(tree) = &mut self.tree {
            tree.spend(node, now.saturating_sub(since), 1);
        }
        stack
    }
}

/// Threads that still wait have waited until now.
pub fn finish() -> Vec<(String, Tree)> {
    let Some(mut waits) = lock().take() else { return Vec::new() };
    let now = waits.start.elapsed().as_nanos() as u64;
    for id in waits.waiting.keys().copied().collect::<Vec<_>>() {
        waits.ends(id, now);
    }
    waits.tree.into_iter().map(|tree| ("threads".to_string(), tree)).collect()
}
