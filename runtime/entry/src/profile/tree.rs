//! A tree of calls that a signal handler may grow: stacks with weights -> nodes, equal stacks being one.
//!
//! Nodes and the hash table that finds them lie in address space that is reserved and not committed: nothing is
//! allocated while it grows. When it is full, what is deeper is charged to the node that has no room for children.

use core::ptr;

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// The instruction at this address.
    At(usize),
    /// The call that returns to this address.
    Call(usize),
    /// One of [`LABELS`].
    Label(usize),
    /// The thread of this number.
    Thread(u64),
}

/// What a program does that is no function of it.
pub const LABELS: &[&str] =
    &["[collector]", "[runtime]", "[kernel]", "[no thread]", "[deeper frames]", "[ready, waiting for a worker]"];
pub const COLLECTOR: usize = 0;
pub const RUNTIME: usize = 1;
pub const KERNEL: usize = 2;
pub const NO_THREAD: usize = 3;
pub const DEEPER: usize = 4;
pub const READY: usize = 5;

impl Key {
    fn word(self) -> u64 {
        match self {
            Key::At(pc) => (pc as u64) << 2,
            Key::Call(pc) => (pc as u64) << 2 | 1,
            Key::Label(n) => (n as u64) << 2 | 2,
            Key::Thread(id) => id << 2 | 3,
        }
    }

    fn of(word: u64) -> Key {
        let n = word >> 2;
        match word & 3 {
            0 => Key::At(n as usize),
            1 => Key::Call(n as usize),
            2 => Key::Label(n as usize),
            _ => Key::Thread(n),
        }
    }
}

#[repr(C)]
struct Node {
    key: u64,
    parent: u32,
    count: u32,
    weight: u64,
    survives: u64,
}

/// Most nodes of a tree.
const MOST: u32 = 1 << 22;
const INDEX: usize = 1 << 23;

/// The tree. Node 0 is the root, which stands for nothing.
pub struct Tree {
    nodes: *mut Node,
    /// Open addressing: numbers of nodes, 0 is empty.
    index: *mut u32,
    used: u32,
}

// SAFETY: the mappings are the tree's own.
unsafe impl Send for Tree {}

fn reserve(bytes: usize) -> Result<*mut u8, String> {
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping.
    let at = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
    if at == libc::MAP_FAILED { Err("no address space for a profile".into()) } else { Ok(at.cast()) }
}

impl Tree {
    pub fn new() -> Result<Tree, String> {
        let nodes = reserve(MOST as usize * size_of::<Node>())?.cast();
        let index = reserve(INDEX * size_of::<u32>())?.cast();
        Ok(Tree { nodes, index, used: 1 })
    }

    /// The child of a node, made if need be; the node itself when there is no room.
    pub fn child(&mut self, parent: u32, key: Key) -> u32 {
        let word = key.word();
        let mut at = (word.wrapping_add(u64::from(parent) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 41) as usize;
        // SAFETY: indices are masked, nodes are below `used`; at most half of the index is ever full.
        unsafe {
            loop {
                let slot = self.index.add(at & (INDEX - 1));
                match *slot {
                    0 if self.used == MOST => return parent,
                    0 => {
                        let new = self.used;
                        self.nodes.add(new as usize).write(Node {
                            key: word,
                            parent,
                            count: 0,
                            weight: 0,
                            survives: 0,
                        });
                        *slot = new;
                        self.used += 1;
                        return new;
                    }
                    n => {
                        let node = &*self.nodes.add(n as usize);
                        if node.key == word && node.parent == parent {
                            return n;
                        }
                    }
                }
                at += 1;
            }
        }
    }

    /// So much more was spent in this very stack.
    pub fn spend(&mut self, node: u32, weight: u64, count: u32) {
        // SAFETY: a node of this tree.
        let node = unsafe { &mut *self.nodes.add(node as usize) };
        node.weight += weight;
        node.count = node.count.saturating_add(count);
    }

    /// So much of a node's weight lives on.
    pub fn survive(&mut self, node: u32, weight: u64) {
        // SAFETY: a node of this tree.
        unsafe { (*self.nodes.add(node as usize)).survives += weight };
    }

    /// All nodes but the root, parents first: number, parent, key, weight, count, what survives of the weight.
    pub fn each(&self, mut f: impl FnMut(u32, u32, Key, (u64, u32, u64))) {
        for n in 1..self.used {
            // SAFETY: below `used`.
            let node = unsafe { &*self.nodes.add(n as usize) };
            f(n, node.parent, Key::of(node.key), (node.weight, node.count, node.survives));
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, nobody else knows them.
        unsafe {
            libc::munmap(self.nodes.cast(), MOST as usize * size_of::<Node>());
            libc::munmap(self.index.cast(), INDEX * size_of::<u32>());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one_node() {
        let mut tree = Tree::new().unwrap();
        let a = tree.child(0, Key::Call(4096));
        let b = tree.child(a, Key::At(4096));
        assert_eq!((tree.child(0, Key::Call(4096)), tree.child(a, Key::At(4096))), (a, b));
        assert_ne!(tree.child(0, Key::At(4096)), a);
        tree.spend(b, 10, 1);
        tree.spend(b, 5, 1);
        let mut seen = Vec::new();
        tree.survive(b, 7);
        tree.each(|n, parent, key, spent| seen.push((n, parent, key, spent)));
        assert_eq!(seen[0], (a, 0, Key::Call(4096), (0, 0, 0)));
        assert_eq!(seen[1], (b, a, Key::At(4096), (15, 2, 7)));
    }
}
