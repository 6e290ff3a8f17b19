//! A marking that goes on over several minor collections: how far it has come, and what is yet to be looked at again.
//!
//! ```text
//!   Idle --the old generation has grown--> Marking --nothing is left to scan, roots included--> Sweeping --> Idle
//! ```
//!
//! Between two slices the program runs, and stores references into objects that were scanned already. The barriers have
//! logged those objects (of large arrays they note the old object that was stored), and the minor collection before
//! each slice hands its logs over; besides them, what it has promoted, which is born marked, but refers to objects that
//! may not be. So nothing is missed (G10). After Boehm, Demers and Shenker, Mostly parallel garbage collection, PLDI
//! 1991, on a generational barrier as in Printezis and Detlefs, ISMM 2000. Difference: all slices are made while the
//! program stands; what is marked beside it ([`crate::beside`]) comes on top.

use crate::remembered::Worker;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Idle,
    Marking,
    Sweeping,
}

pub(crate) struct Cycle {
    pub phase: Phase,
    /// Marked objects on the mark stack, and the most that there were.
    pub depth: usize,
    pub deepest: usize,
    /// Marked objects that may refer to others that are not: they were logged, or are large and new.
    pub again: Vec<u64>,
    /// Objects that were stored into large arrays, and may not be marked.
    pub shaded: Vec<u64>,
    /// Marked objects that the marker beside the program has left to the next slice: threads, pieces of stack, weak
    /// pointers.
    pub later: Vec<u64>,
    /// Rows of objects that were promoted, from the first header to behind the last object.
    pub rows: Vec<(usize, usize)>,
    /// Weak objects that were marked, without those that were found to refer to what is marked, too; so many, the first
    /// ones, have been looked at.
    pub weak: Vec<u64>,
    pub weak_seen: usize,
    /// Live bytes when the marking began, and when it ended; bytes of what was there at the beginning and has been
    /// marked.
    pub before: usize,
    pub at_end: usize,
    pub marked: usize,
    /// Bytes that portions have marked, those of the roots left out, and the units that they took.
    pub paced: usize,
    pub units: usize,
    /// Bytes that were marked beside the program.
    pub beside: usize,
    /// What has become old since the marking began, or since it ended.
    pub grown: usize,
    /// Large objects that were made since the last slice.
    pub debt: usize,
    /// Entries of long tables: those below have been marked, and so many are left.
    pub seen: usize,
    pub unseen: usize,
    /// Entries of tables that are to be mended before the sweep begins.
    pub entries: usize,
    /// Free memory is being given back.
    pub gives: bool,
}

impl Cycle {
    pub fn new() -> Cycle {
        Cycle {
            phase: Phase::Idle,
            depth: 0,
            deepest: 0,
            again: Vec::new(),
            shaded: Vec::new(),
            later: Vec::new(),
            rows: Vec::new(),
            weak: Vec::new(),
            weak_seen: 0,
            before: 0,
            at_end: 0,
            marked: 0,
            paced: 0,
            units: 0,
            beside: 0,
            grown: 0,
            debt: 0,
            seen: 0,
            unseen: 0,
            entries: 0,
            gives: false,
        }
    }

    pub fn is_marking(&self) -> bool {
        self.phase == Phase::Marking
    }

    /// Weak objects that are yet to be looked at.
    pub fn weak_unseen(&self) -> usize {
        self.weak.len() - self.weak_seen
    }

    /// Nothing is left to scan, as far as is known.
    pub fn is_dry(&self) -> bool {
        self.depth == 0
            && self.unseen == 0
            && self.again.is_empty()
            && self.shaded.is_empty()
            && self.later.is_empty()
            && self.rows.is_empty()
    }

    /// What a worker has logged, before its log is emptied.
    pub fn take_log(&mut self, worker: &mut Worker) {
        if self.is_marking() {
            self.again.extend_from_slice(&worker.objects);
            self.shaded.append(&mut worker.shaded);
        }
    }
}
