//! Calls: code that counts ([`leat_abi::calls`]) -> the tree of calls, with exact counts of calls and instructions.
//!
//! A calling context tree, after Ammons, Ball and Larus, PLDI 1997: a node for each function in each chain of callers.
//! What compiled code can't do itself comes here: the first call of a function at a place, and calls by the runtime,
//! which begin at a root. Recursion is folded: a function that stands twice in the chain already goes back to its inner
//! one, so the tree is as deep as twice the number of functions at most.
//!
//! Each lane has roots of its own: of a lane's threads one runs at a time, and none ever moves to another lane. So no
//! node is counted in by two workers at once, and counting needs no lock.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use leat_abi::calls::{Link, NO_LINK, Node, Slot, counter, node_bytes, slot};
use leat_abi::code;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::state::runtime::runtime;

/// From so many nodes on a function goes back to wherever it stands in the chain.
const MANY: usize = 200_000;
/// From so many on it has one node a lane, without callers.
const MOST: usize = 1_000_000;
/// Bytes that are asked of the system at once.
const PIECE: usize = 1 << 20;

static TREES: Mutex<Option<Trees>> = Mutex::new(None);

#[derive(Default)]
struct Trees {
    /// By lane, thread (0 unless they are apart) and function.
    roots: HashMap<(u16, u64, usize), *mut Link>,
    /// By lane and function: where all calls go when there are too many nodes.
    rest: HashMap<(u16, usize), *mut Node>,
    threads: bool,
    nodes: usize,
    free: usize,
    left: usize,
}

// SAFETY: nodes belong to the lanes, see the head; the trees themselves to whoever has the lock.
unsafe impl Send for Trees {}

fn lock() -> MutexGuard<'static, Option<Trees>> {
    TREES.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn begin(threads: bool) {
    *lock() = Some(Trees { threads, ..Trees::default() });
}

// The slow path of a function's entry. Keeps all registers.
leat_fiber::barrier_stub!(leat_count_call);

/// Counts a call, and leaves the callee's node in `counters`. `slot`: of the call, 0 when the runtime calls.
///
/// # Safety
/// Called by compiled code at a function's entry, by way of the stub; `function` is its address.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_count_call(tcb: *mut Tcb, slot: u64, function: u64) {
    let mut trees = lock();
    let trees = trees.get_or_insert_default();
    // SAFETY: as the caller says; the thread that the worker runs owns the nodes of its lane.
    unsafe {
        let thread = &*((*tcb).current as *const Thread);
        let link = trees.link(slot as *mut Slot, function as usize, thread);
        (*link).count += 1;
        (*tcb).counters = (*link).node as usize;
    }
}

impl Trees {
    unsafe fn link(&mut self, slot: *mut Slot, function: usize, thread: &Thread) -> *mut Link {
        // SAFETY: slots, links and nodes are never given back.
        unsafe {
            if slot.is_null() {
                let key = (thread.lane, if self.threads { thread.id } else { 0 }, function);
                if let Some(&link) = self.roots.get(&key) {
                    return link;
                }
                let node = self.node(core::ptr::null_mut(), function, thread.lane);
                let link = self.make(Link { function, count: 0, node, next: core::ptr::null_mut() });
                self.roots.insert(key, link);
                return link;
            }
            let mut at = &raw mut (*slot).links;
            while !(**at).next.is_null() || (**at).function == function {
                if (**at).function == function {
                    // To the front, where compiled code finds it.
                    let found = *at;
                    *at = (*found).next;
                    (*found).next = (*slot).links;
                    (*slot).links = found;
                    return found;
                }
                at = &raw mut (**at).next;
            }
            let node = self.callee((*slot).node, function, thread.lane);
            let link = self.make(Link { function, count: 0, node, next: (*slot).links });
            (*slot).links = link;
            link
        }
    }

    /// The node of a function that this one calls.
    unsafe fn callee(&mut self, caller: *mut Node, function: usize, lane: u16) -> *mut Node {
        let enough = if self.nodes < MANY { 2 } else { 1 };
        let (mut found, mut inner) = (0, core::ptr::null_mut::<Node>());
        let mut at = caller;
        // SAFETY: parents of nodes.
        unsafe {
            while !at.is_null() && found < enough {
                if (*at).function == function {
                    found += 1;
                    if inner.is_null() {
                        inner = at;
                    }
                }
                at = (*at).parent;
            }
            if found == enough { inner } else { self.node(caller, function, lane) }
        }
    }

    unsafe fn node(&mut self, parent: *mut Node, function: usize, lane: u16) -> *mut Node {
        if self.nodes >= MOST
            && let Some(&node) = self.rest.get(&(lane, function))
        {
            return node;
        }
        let parent = if self.nodes >= MOST { core::ptr::null_mut() } else { parent };
        let tables = runtime().tables();
        let counts = code::find(tables, function).and_then(|table| table.counts(table.line(function)?.function));
        let (counters, slots) = counts.map_or((0, 0), |counts| (counts.counters, counts.calls.len() as u32));
        let node = self.room(node_bytes(counters, slots)).cast::<Node>();
        // SAFETY: fresh zeroed memory of that size.
        unsafe {
            node.write(Node { function, parent, counters, slots });
            for i in 0..slots {
                let links = (&raw const NO_LINK).cast_mut().cast();
                slot_of(node, i).write(Slot { links, node });
            }
        }
        self.nodes += 1;
        if self.nodes > MOST {
            self.rest.insert((lane, function), node);
        }
        node
    }

    fn make(&mut self, link: Link) -> *mut Link {
        let room = self.room(size_of::<Link>()).cast::<Link>();
        // SAFETY: fresh memory.
        unsafe { room.write(link) };
        room
    }

    /// Zeroed memory, never given back: 16-aligned.
    fn room(&mut self, bytes: usize) -> *mut u8 {
        let bytes = bytes.next_multiple_of(16);
        if bytes > self.left {
            let piece = Vec::leak(vec![0u128; PIECE.max(bytes) / 16]);
            (self.free, self.left) = (piece.as_mut_ptr() as usize, 16 * piece.len());
        }
        let at = self.free;
        self.free += bytes;
        self.left -= bytes;
        at as *mut u8
    }
}

/// # Safety
/// A node, one of its slots.
unsafe fn slot_of(node: *mut Node, number: u32) -> *mut Slot {
    // SAFETY: as the caller says.
    unsafe { node.byte_add(slot((*node).counters, number) as usize).cast() }
}

/// A function in a context, with what it has counted.
pub struct Context {
    node: *mut Node,
}

impl Context {
    pub fn function(&self) -> usize {
        // SAFETY: a node of the trees, which no thread counts in any more.
        unsafe { (*self.node).function }
    }

    pub fn counter(&self, number: u32) -> u64 {
        // SAFETY: as above; the number is below the node's.
        unsafe {
            if number < (*self.node).counters { *self.node.byte_add(counter(number) as usize).cast::<u64>() } else { 0 }
        }
    }

    /// What it calls: the slot, how often, and the callee; none where the callee stands further up in the chain.
    pub fn callees(&self) -> Vec<(u32, u64, usize, Option<Context>)> {
        let mut found = Vec::new();
        // SAFETY: as above.
        unsafe {
            for i in 0..(*self.node).slots {
                let mut link = (*slot_of(self.node, i)).links;
                while !link.is_null() && (*link).function != 0 {
                    let node = (*link).node;
                    let child = ((*node).parent == self.node).then_some(Context { node });
                    found.push((i, (*link).count, (*link).function, child));
                    link = (*link).next;
                }
            }
        }
        found
    }
}

/// The functions that the runtime has called: the thread (0 unless they are apart), how often, and the function. Where
/// there were too many nodes, those without callers have no count.
pub fn finish() -> Vec<(u64, u64, Context)> {
    let Some(trees) = lock().take() else { return Vec::new() };
    let mut roots: Vec<(u64, u64, Context)> = trees
        .roots
        .iter()
        // SAFETY: links are never given back.
        .map(|(&(_, thread, _), &link)| unsafe { (thread, (*link).count, Context { node: (*link).node }) })
        .collect();
    let known: Vec<*mut Node> = roots.iter().map(|root| root.2.node).collect();
    let rest = trees.rest.values().filter(|node| !known.contains(node));
    roots.extend(rest.map(|&node| (0, 0, Context { node })));
    roots.sort_by_key(|(thread, _, context)| (*thread, context.function()));
    roots
}
