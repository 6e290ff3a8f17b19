//! A major collection in slices: one more slice of it after a minor collection, so that no pause is long.
//!
//! What a slice does by the phase of [`Cycle`](crate::cycle::Cycle):
//!
//! ```text
//!   Idle       is a major collection due? The meaning of `M` turns over, the roots are marked: Marking.
//!   Marking    marks, tables that are long (timers) entry by entry; what was logged, noted and promoted meanwhile is scanned
//!              (again). When nothing is left, weak pointers to what is marked are put aside, and the roots are
//!              marked once more: if that ends within a small budget, what is weak is cleared, the tables are mended:
//!              Sweeping. Else it goes on, and tries again after the next minor collection.
//!   Sweeping   first some entries of the tables that are long and keep nothing alive (the list of all threads); when they are
//!              mended some blocks, some large objects; at the end the policy hears of it: Idle, and free memory is given back
//! ```
//!
//! Keeps: G10 (an edge from a marked object to one that is not is covered by what the cycle still has to scan), G11 (a
//! store while marking goes on is logged whatever the value's age), G12 (memory is used again only when it was swept).
//!
//! Nothing moves: the blocks that are evacuated, if any, are those of a major collection at one go. While marking goes
//! on, objects are promoted into the holes of the last sweep, as at other times; the rest of what was being filled when
//! it ends is found by the sweep.

use leat_abi::header::{MARK, prefetch};

use crate::blocks::Target;
use crate::cycle::Phase;
use crate::inner::Inner;
use crate::major::{Budget, Major, give_stack_back, survivor};
use crate::minor::ask_logged;
use crate::policy::Left;
use crate::roots::Roots;
use crate::space::processor_time;

/// Large objects that are made without a slice in between, while a cycle is under way.
const DEBT: usize = 8 << 20;
/// The part of a slice's units that may follow when the roots have been marked for the last time.
const CLOSE: usize = 4;
/// Weak objects that are asked for before they are looked at.
const AHEAD: usize = 8;

impl Inner {
    /// A collection in slices is under way, or the next one will be made so.
    pub fn is_sliced(&self) -> bool {
        self.policy.is_sliced() || self.cycle.phase != Phase::Idle
    }

    /// Whether a large object of `bytes` is to wait for a slice.
    pub fn wants_slice(&self, bytes: usize) -> bool {
        match self.cycle.phase {
            Phase::Idle => self.policy.is_major_due(self.stats.live + bytes),
            _ => self.cycle.debt > 0 && self.cycle.debt + bytes > DEBT,
        }
    }

    /// One more slice, after a minor collection that has promoted so many bytes. Gives what it was, for the log.
    ///
    /// # Safety
    /// All workers are stopped, the nurseries and logs are empty; `roots` visits all references.
    pub unsafe fn slice<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R, promoted: usize) -> &'static str {
        let grown = promoted + std::mem::take(&mut self.cycle.debt);
        let left = self.left();
        self.cycle.grown += grown;
        let portion = self.policy.portion(left, grown);
        // SAFETY: as for this function.
        let what = unsafe {
            match self.cycle.phase {
                Phase::Idle => {
                    if self.policy.is_major_due(self.stats.live) || self.config.stress.is_some() {
                        self.begin::<ALIGN, R>(roots);
                        "begin"
                    } else if self.cycle.gives {
                        self.give_some_back(portion.back);
                        "gives"
                    } else {
                        "minor"
                    }
                }
                Phase::Marking => {
                    let units = portion.units.min(isize::MAX as usize) as isize;
                    self.mark_some::<ALIGN, R>(roots, Budget { units }, portion.seen);
                    if self.cycle.is_dry()
                        && self.put_weak_aside(portion.seen)
                        && self.close::<ALIGN, R>(roots, units / CLOSE as isize)
                    {
                        "close"
                    } else {
                        "marks"
                    }
                }
                Phase::Sweeping if self.cycle.entries > 0 => {
                    self.mend_some(roots, portion.entries);
                    "mends"
                }
                Phase::Sweeping => {
                    self.sweep_some(ALIGN, portion.blocks, portion.large);
                    "sweep"
                }
            }
        };
        // The next nursery is as large as the next slice allows.
        let left = self.cycle.is_marking().then(|| self.left());
        self.policy.set_pace(left);
        what
    }

    /// What is left of a cycle.
    fn left(&self) -> Left {
        Left {
            bytes: self.cycle.before.saturating_sub(self.cycle.marked),
            marked: self.cycle.paced,
            units: self.cycle.units,
            blocks: self.blocks.unswept(),
            large: self.large.unswept(),
            unseen: self.cycle.unseen.max(self.cycle.weak_unseen()),
            entries: self.cycle.entries,
            grown: self.cycle.grown,
            is_helped: self.has_marker,
        }
    }

    /// Does all that is left of a cycle.
    ///
    /// # Safety
    /// As for [`slice`](Inner::slice).
    pub unsafe fn finish_cycle<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: as for this function.
        unsafe {
            if self.cycle.is_marking() {
                self.mark_some::<ALIGN, R>(roots, Budget::ALL, usize::MAX);
                self.put_weak_aside(usize::MAX);
                let is_closed = self.close::<ALIGN, R>(roots, isize::MAX);
                assert!(is_closed, "a marking without bounds ends");
            }
            if self.cycle.phase == Phase::Sweeping {
                self.mend_some(roots, usize::MAX);
                self.sweep_some(ALIGN, usize::MAX, usize::MAX);
            }
        }
        self.policy.set_pace(None);
    }

    unsafe fn begin<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R) {
        self.sense ^= MARK;
        self.blocks.clear_lines();
        self.target = Target::while_marking();
        self.cycle.phase = Phase::Marking;
        (self.cycle.before, self.cycle.marked, self.cycle.beside) = (self.stats.live, 0, 0);
        (self.cycle.grown, self.cycle.paced, self.cycle.units) = (0, 0, 0);
        self.policy.begin_marking(self.stats.live);
        // SAFETY: as for `slice`.
        let unseen = unsafe {
            self.with_marker::<ALIGN, _>(|marker| {
                marker.visit_roots(roots);
                marker.visit_many(roots, 0, 0)
            })
        };
        (self.cycle.seen, self.cycle.unseen) = (0, unseen);
    }

    /// Lets a marker do something with what the cycle has come to.
    unsafe fn with_marker<const ALIGN: usize, T>(&mut self, act: impl FnOnce(&mut Major<'_, ALIGN, false>) -> T) -> T {
        let cycle = &mut self.cycle;
        let mut marker = Major::<ALIGN, false>::new(&mut self.blocks, self.space.mark_stack, self.sense);
        (marker.depth, marker.deepest, marker.live) = (cycle.depth, cycle.deepest, cycle.marked);
        marker.weak = std::mem::take(&mut cycle.weak);
        let result = act(&mut marker);
        // SAFETY: no slot may be asked for while the program runs.
        unsafe { marker.flush() };
        (cycle.depth, cycle.deepest, cycle.marked) = (marker.depth, marker.deepest, marker.live);
        cycle.weak = std::mem::take(&mut marker.weak);
        result
    }

    /// Marks: all that was logged and promoted since the last slice, which is in the cache as far as it was promoted;
    /// then, within the budget, what is on the stack; `most` entries of long tables.
    unsafe fn mark_some<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R, mut budget: Budget, most: usize) {
        let (seen, unseen) = (self.cycle.seen, self.cycle.unseen);
        let sense = self.sense;
        let again = std::mem::take(&mut self.cycle.again);
        let mut shaded = std::mem::take(&mut self.cycle.shaded);
        let rows = std::mem::take(&mut self.cycle.rows);
        let later = std::mem::take(&mut self.cycle.later);
        let is_timed = self.config.clock;
        // SAFETY: what was logged or promoted since the marking began is there until its sweep.
        let (bytes, units, unseen, ns) = unsafe {
            self.with_marker::<ALIGN, _>(|marker| {
                for (at, end) in rows {
                    marker.scan_row(at, end, roots);
                }
                for (i, &object) in again.iter().enumerate() {
                    ask_logged(&again, i);
                    let h = *((object - 8) as *const u64);
                    // One that is not marked will be scanned when it is, if it is.
                    if h & MARK == sense {
                        marker.scan(object, h, roots);
                    }
                }
                marker.visit_all(&mut shaded);
                later.iter().for_each(|&object| marker.push(object));
                let unseen = if unseen > 0 { marker.visit_many(roots, seen, most) } else { 0 };
                let (live, units) = (marker.live, budget.units);
                let before = if is_timed { processor_time() } else { 0 };
                marker.drain::<R, true>(roots, &mut budget);
                let ns = if is_timed { processor_time() - before } else { 0 };
                (marker.live - live, units - budget.units, unseen, ns)
            })
        };
        (self.cycle.seen, self.cycle.unseen) = (seen.saturating_add(most), unseen);
        self.cycle.paced += bytes;
        self.cycle.units = self.cycle.units.saturating_add(units as usize);
        if is_timed {
            self.policy.note_marking(units as usize, ns);
        }
    }

    /// Of so many weak objects, those that refer to what is marked need not be looked at again: what is marked lives.
    /// Tells whether these were all. The others, which are the dying ones as a rule, are cleared at the end.
    ///
    /// # Safety
    /// As for [`slice`](Inner::slice), while marking goes on.
    unsafe fn put_weak_aside(&mut self, most: usize) -> bool {
        let (sense, cycle) = (self.sense, &mut self.cycle);
        for _ in 0..most.min(cycle.weak_unseen()) {
            if let Some(&soon) = cycle.weak.get(cycle.weak_seen + AHEAD) {
                prefetch(soon);
            }
            // SAFETY: weak objects, and what they refer to, are there until the sweep.
            let is_marked = unsafe { survivor(*(cycle.weak[cycle.weak_seen] as *const u64), sense).is_some() };
            if is_marked {
                cycle.weak.swap_remove(cycle.weak_seen);
            } else {
                cycle.weak_seen += 1;
            }
        }
        cycle.weak_unseen() == 0
    }

    /// Nothing was left to scan: marks the roots once more. When what they lead to is marked within the budget, the
    /// marking has ended.
    unsafe fn close<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R, units: isize) -> bool {
        let sense = self.sense;
        // SAFETY: as for `slice`.
        let is_closed = unsafe {
            self.with_marker::<ALIGN, _>(|marker| {
                marker.visit_roots(roots);
                marker.drain::<R, true>(roots, &mut Budget { units });
                marker.flush();
                if marker.depth > 0 {
                    return false;
                }
                marker.finish(roots, sense);
                true
            })
        };
        if !is_closed {
            return false;
        }
        let cycle = &mut self.cycle;
        cycle.phase = Phase::Sweeping;
        (cycle.weak, cycle.weak_seen) = (Vec::new(), 0);
        cycle.at_end = self.stats.live;
        cycle.grown = 0;
        self.stats.beside += cycle.beside as u64;
        // What was there at the beginning and is not marked has died; all that came later counts as alive.
        self.stats.live -= cycle.before - cycle.marked;
        self.stats.found = self.stats.live;
        self.stats.most_live = self.stats.most_live.max(self.stats.live);
        self.stats.marked += cycle.marked as u64;
        self.stats.majors += 1;
        self.stats.sliced += 1;
        // SAFETY: the stack is empty.
        unsafe { give_stack_back(self.space.mark_stack, std::mem::take(&mut cycle.deepest)) };
        self.target = Target::new(false);
        self.blocks.begin_sweep();
        self.large.begin_sweep();
        // SAFETY: as for `slice`.
        unsafe { self.mend_some(roots, 0) };
        true
    }

    /// Mends so many entries of the tables that are long. What they name is there, or dead and as it was.
    ///
    /// # Safety
    /// As for [`slice`](Inner::slice), after a marking and before its sweep.
    unsafe fn mend_some<R: Roots>(&mut self, roots: &mut R, most: usize) {
        let sense = self.sense;
        // SAFETY: tables name objects, of which none has been swept.
        self.cycle.entries = roots.mend(most, &|object| unsafe { survivor(object, sense) });
    }

    fn sweep_some(&mut self, align: usize, blocks: usize, large: usize) {
        let poison = self.poison();
        let blocks_done = self.blocks.sweep(blocks, poison);
        if self.large.sweep(large, self.sense, align) && blocks_done {
            self.cycle.phase = Phase::Idle;
            self.cycle.gives = true;
            let used = self.used();
            self.policy.after_major(self.cycle.at_end, self.stats.live, used);
        }
    }

    /// Gives back some of the free memory that is not needed.
    fn give_some_back(&mut self, most: usize) {
        let keep = self.policy.keep_free(self.stats.live);
        let given = self.blocks.give_back(keep, most);
        let given = given + self.large.give_back(keep, most - given.min(most));
        self.stats.given_back += given as u64;
        self.cycle.gives = given > 0;
        self.note_heap();
    }
}
