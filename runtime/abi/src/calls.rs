//! What code that counts its calls and blocks shares with the runtime: nodes of the tree of calls, as compiled code
//! sees them.
//!
//! ```text
//!  Tcb::counters --> Slot (of the call that is made) --> Link --> Link ..     one for each callee that was seen here
//!                                                         |
//!                                                         v
//!                                     Node: header | counters of its blocks | slots of its calls
//! ```
//!
//! A caller puts the slot of its call into `Tcb::counters`; the callee takes it out, finds the link that is its own in
//! front, counts the call, and keeps the node in its frame. Any other link, or none, is the slow path
//! (`prim::stub::COUNT_CALL`). So a thread's place in the tree lies in its frames: a switch of threads, a raise, a
//! continuation move it by themselves.

/// A callee of a call.
#[repr(C)]
pub struct Link {
    /// Address of its code.
    pub function: usize,
    /// How often it was called here.
    pub count: u64,
    pub node: *mut Node,
    pub next: *mut Link,
}

/// A call in a function, in one context.
#[repr(C)]
pub struct Slot {
    /// Never null: at first [`NO_LINK`].
    pub links: *mut Link,
    /// The function's node.
    pub node: *mut Node,
}

/// A function in one context. Counters and slots follow.
#[repr(C)]
pub struct Node {
    pub function: usize,
    /// The caller's, null for a root.
    pub parent: *mut Node,
    pub counters: u32,
    pub slots: u32,
}

/// A link that is nobody's.
#[repr(transparent)]
pub struct NoLink(pub Link);

// SAFETY: nobody writes it: its function is at no address.
unsafe impl Sync for NoLink {}

pub static NO_LINK: NoLink =
    NoLink(Link { function: 0, count: 0, node: core::ptr::null_mut(), next: core::ptr::null_mut() });

pub const LINK_FUNCTION: i32 = core::mem::offset_of!(Link, function) as i32;
pub const LINK_COUNT: i32 = core::mem::offset_of!(Link, count) as i32;
pub const LINK_NODE: i32 = core::mem::offset_of!(Link, node) as i32;
pub const SLOT_LINKS: i32 = core::mem::offset_of!(Slot, links) as i32;

/// Offset of a counter in a node.
pub const fn counter(number: u32) -> i32 {
    (size_of::<Node>() + 8 * number as usize) as i32
}

/// Offset of a slot in a node with so many counters.
pub const fn slot(counters: u32, number: u32) -> i32 {
    counter(counters) + (size_of::<Slot>() * number as usize) as i32
}

/// Bytes of a node.
pub const fn node_bytes(counters: u32, slots: u32) -> usize {
    slot(counters, slots) as usize
}

/// Instructions of a stretch of code that runs as often as one of its function's counters says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Offset from the table's base.
    pub start: u32,
    pub counter: u32,
    pub instructions: u32,
}

/// What a function's words in [`crate::code::CodeTable::counts`] say.
#[derive(Clone, Copy, Debug)]
pub struct Counts<'a> {
    pub counters: u32,
    /// By slot: the offset of an instruction of the call.
    pub calls: &'a [u32],
    stretches: &'a [u32],
    inlined: &'a [u32],
}

impl<'a> Counts<'a> {
    /// Reads the words from an index on.
    pub fn at(words: &'a [u32], index: u32) -> Option<Counts<'a>> {
        let words = words.get(index as usize..)?;
        let (head, rest) = words.split_at_checked(4)?;
        let (calls, rest) = rest.split_at_checked(head[1] as usize)?;
        let (stretches, rest) = rest.split_at_checked(3 * head[2] as usize)?;
        let (inlined, _) = rest.split_at_checked(2 * head[3] as usize)?;
        Some(Counts { counters: head[0], calls, stretches, inlined })
    }

    pub fn stretches(&self) -> impl Iterator<Item = Stretch> + 'a {
        let three = self.stretches.chunks_exact(3);
        three.map(|s| Stretch { start: s[0], counter: s[1], instructions: s[2] })
    }

    /// What was inlined, as in [`crate::code::Site::inlined`], and the counter of its first block; once for each copy.
    pub fn inlined(&self) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.inlined.chunks_exact(2).map(|two| (two[0], two[1]))
    }
}

/// Appends the words of a function; gives their index.
pub fn push(words: &mut Vec<u32>, counters: u32, calls: &[u32], stretches: &[Stretch], inlined: &[(u32, u32)]) -> u32 {
    let index = words.len() as u32;
    words.extend([counters, calls.len() as u32, stretches.len() as u32, inlined.len() as u32]);
    words.extend_from_slice(calls);
    words.extend(stretches.iter().flat_map(|s| [s.start, s.counter, s.instructions]));
    words.extend(inlined.iter().flat_map(|&(what, counter)| [what, counter]));
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_read() {
        let mut words = vec![7];
        let stretch = Stretch { start: 64, counter: 1, instructions: 5 };
        let at = push(&mut words, 3, &[70, 80], &[stretch], &[(9, 2)]);
        let counts = Counts::at(&words, at).unwrap();
        assert_eq!((counts.counters, counts.calls), (3, &[70, 80][..]));
        assert_eq!(counts.stretches().collect::<Vec<_>>(), [stretch]);
        assert_eq!(counts.inlined().collect::<Vec<_>>(), [(9, 2)]);
        assert!(Counts::at(&words[..5], 1).is_none());
    }
}
