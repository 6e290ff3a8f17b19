//! One collection from beginning to end: the minor one, what is due of a major one, the nurseries' next sizes and
//! places.

use leat_abi::header::WORD;

use crate::config::{Collection, OutOfMemory};
use crate::inner::Inner;
use crate::remembered::{Worker, Young};
use crate::roots::Roots;
use crate::space::{Served, now, processor_time, processor_times};
use crate::{look, major, minor, policy, settle, verify};

impl Inner {
    /// Collects, and leaves every nursery empty; or looks, and leaves them larger.
    ///
    /// # Safety
    /// As for [`crate::Heap::collect`].
    pub unsafe fn collect<const ALIGN: usize, R: Roots>(
        &mut self,
        kind: Collection,
        roots: &mut R,
    ) -> Result<(), OutOfMemory> {
        let (start, processor) = (now(), processor_time());
        let used = processor_times();
        let served = if self.config.log { Served::now() } else { Served::default() };
        for worker in &mut self.workers {
            if !worker.tcb.is_null() {
                // SAFETY: attached, and stopped.
                worker.alloc = unsafe { (*worker.tcb).alloc };
            }
        }
        // SAFETY: as for `Heap::collect`.
        if kind == Collection::Room && unsafe { self.has_grown::<ALIGN, R>(roots) } {
            return Ok(());
        }
        let kind = kind.max(Collection::Minor);
        // SAFETY: as for `Heap::collect`.
        unsafe {
            if self.config.verify {
                verify::check::<ALIGN, R>(self, roots, verify::When::Before);
            }
            let before = self.used();
            let young: usize = self.workers.iter().map(|w| w.alloc - w.base).sum();
            let stays = self.stays(kind);
            let promoted =
                if stays { settle::collect::<ALIGN, R>(self, roots) } else { minor::collect::<ALIGN, R>(self, roots) };
            self.stats.minors += 1;
            self.stats.allocated += young as u64;
            if stays {
                self.stats.settled += promoted.bytes as u64;
            } else {
                self.stats.promoted += promoted.bytes as u64;
            }
            self.stats.logged += promoted.logged as u64;
            self.stats.live += promoted.bytes;
            self.note_heap();
            let minor_end = now();
            self.stats.minor_ns += minor_end - start;

            self.policy.note_minor(young, promoted.bytes);
            self.blocks.commit_ahead(self.policy.is_sliced() && self.config.stress.is_none());
            let mut what = if stays { "stays" } else { "minor" };
            let is_sliced = kind == Collection::Minor && self.is_sliced() && !self.is_full();
            if is_sliced {
                let slice = self.slice::<ALIGN, R>(roots, promoted.bytes);
                what = if slice == "minor" { what } else { slice };
            } else {
                self.finish_cycle::<ALIGN, R>(roots);
            }
            let is_major =
                !is_sliced && (kind > Collection::Minor || self.policy.is_major_due(self.stats.live) || self.is_full());
            if kind > Collection::Minor {
                self.come_home();
            }
            if is_major {
                what = "major";
                self.major::<ALIGN, R>(kind, roots);
            }
            let nursery = if stays {
                self.policy.after_settled(young)
            } else {
                self.policy.note_room(self.used(), self.workers.len() == 1 && !self.apart);
                self.policy.after_minor(young, promoted.bytes, self.nurseries(), kind)
            };
            let is_full = self.is_full();
            self.bound_nurseries(is_full);
            self.empty_nurseries(nursery.min(self.policy.nursery()));
            if kind == Collection::Pack {
                self.workers.iter_mut().for_each(|worker| worker.pack());
            }
            if is_major {
                self.note_heap();
            }
            if self.config.verify {
                verify::check::<ALIGN, R>(self, roots, verify::When::After { major: is_major });
            }
            let end = now();
            let since = processor_times();
            self.stats.user_ns += since.0.saturating_sub(used.0);
            self.stats.system_ns += since.1.saturating_sub(used.1);
            if is_major || is_sliced {
                self.stats.major_ns += end - minor_end;
            }
            self.stats.max_pause_ns = self.stats.max_pause_ns.max(end - start);
            if self.config.log {
                let processor = processor_time() - processor;
                self.log_line(what, (end - start, minor_end - start), processor, served, before, young, promoted.bytes);
            }
        }
        let (is_full, was_full) = (self.is_full(), self.was_full);
        self.was_full = is_full;
        if is_full {
            let is_last = was_full && (self.policy.is_beyond(self.used()) || self.is_cramped(1));
            Err(OutOfMemory { is_last, ..self.out_of_memory(0) })
        } else {
            Ok(())
        }
    }

    /// Where the old generation is full, whoever is told so may go on, and what survives until the next collection
    /// comes on top: so the nurseries have half of what is left, or are quite small. And there are addresses for all
    /// that may survive (G14).
    fn bound_nurseries(&mut self, is_full: bool) {
        self.policy.bound_nursery(usize::MAX);
        let (used, workers) = (self.used(), self.nurseries().max(1));
        let mut bytes = self.most_nursery(workers).min(self.policy.share_beside_stacks(used, workers));
        if is_full {
            // Where there are many, the smallest ones together would be more than a heap may pass its limit by.
            let is_much = policy::TIGHT * workers > self.policy.reserve(used);
            let least = if is_much { policy::LEAST } else { policy::TIGHT };
            bytes = bytes.min((self.policy.left_when_full(used) / 2 / workers).max(least));
        }
        self.policy.bound_nursery(bytes);
    }

    /// The first nursery of a program is full: it becomes larger if much lives in it. Tells whether it has.
    ///
    /// # Safety
    /// As for [`crate::Heap::collect`].
    unsafe fn has_grown<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R) -> bool {
        let is_first = self.stats.minors == 0 && self.policy.is_first() && self.workers.len() == 1;
        // SAFETY: nothing has been collected.
        if !is_first || !unsafe { look::finds_much::<ALIGN, R>(self.young, self.policy.little(), roots) } {
            return false;
        }
        let size = self.policy.end_first();
        if !self.has_room_for(size) {
            return false;
        }
        let worker = &mut self.workers[0];
        if worker.end - worker.base >= size {
            return false;
        }
        worker.grow(size);
        true
    }

    /// Whether the nursery stays where it is in this collection: see [`settle`]. Under stress some do, however little
    /// they hold.
    fn stays(&self, kind: Collection) -> bool {
        let [worker] = &self.workers[..] else { return false };
        let is_due = match self.config.stress {
            Some(_) => self.stats.minors & 1 != 0,
            None => self.policy.stays() && worker.is_half_full(),
        };
        kind == Collection::Minor && worker.away.is_some() && is_due
    }

    /// The old generation is larger than it may be, or there is next to no room for what survives.
    fn is_full(&mut self) -> bool {
        let used = self.used();
        used > self.policy.old_limit(used, self.nurseries()) || self.is_cramped(2)
    }

    unsafe fn major<const ALIGN: usize, R: Roots>(&mut self, kind: Collection, roots: &mut R) {
        self.stats.majors += 1;
        let stress = self.config.stress.is_some();
        let (before, used_before) = (self.stats.live, self.used());
        // SAFETY: as for `Heap::collect`; the minor collection has emptied nurseries and logs.
        unsafe {
            let evacuate = self.choose_evacuated(kind, stress);
            self.mark::<ALIGN, R>(roots, evacuate);
            if kind >= Collection::Full || self.is_full() {
                // Now it is known what is fragmented.
                if !stress && self.choose_evacuated(Collection::Full, false) {
                    self.mark::<ALIGN, R>(roots, true);
                }
            }
            self.stats.found = self.stats.live;
            // Copies and originals have been there at once.
            self.note_heap();
            let used = self.used();
            self.policy.after_major(before, self.stats.live, used);
            self.policy.note_emptied(used_before.saturating_sub(used));
            let keep = if kind >= Collection::Full { 0 } else { self.policy.keep_free(self.stats.live) };
            if kind == Collection::Pack {
                self.policy.begin_anew();
            } else {
                self.leave_pages_to_nurseries(keep);
            }
            self.stats.given_back +=
                (self.blocks.give_back(keep, usize::MAX) + self.large.give_back(keep, usize::MAX)) as u64;
        }
        self.note_heap();
    }

    /// The nurseries, which are empty, may be larger from now on. What they lack they take from free blocks, as long as
    /// `keep` bytes of those are left: a large list that was dropped leaves its pages to the nursery that is to hold
    /// the next one.
    fn leave_pages_to_nurseries(&mut self, keep: usize) {
        let bytes = self.policy.adopted(self.nurseries());
        let short =
            |worker: &Worker| !worker.is_gone && worker.away.is_none() && worker.pages.is_short(worker.base + bytes);
        if !self.workers.iter().any(|worker| short(worker)) {
            return;
        }
        self.blocks.offer_pages(keep, |at| {
            let worker = self.workers.iter_mut().find(|worker| short(worker));
            // SAFETY: free blocks hold nothing, and the nursery has room up to its end.
            worker.is_some_and(|worker| unsafe { worker.pages.adopt(at) })
        });
    }

    unsafe fn mark<const ALIGN: usize, R: Roots>(&mut self, roots: &mut R, evacuate: bool) {
        // SAFETY: as for `Heap::collect`; the nurseries and logs are empty.
        self.stats.live = unsafe { major::collect::<ALIGN, R>(self, roots, evacuate) };
        self.stats.most_live = self.stats.most_live.max(self.stats.live);
        self.stats.marked += self.stats.live as u64;
    }

    /// Chooses blocks to evacuate, when enough is lost in them.
    fn choose_evacuated(&mut self, kind: Collection, all: bool) -> bool {
        let chosen = if all {
            self.blocks.choose_all()
        } else {
            let used = self.used();
            // The copies need room before the originals are free: what is left, or what a full heap may pass its limit
            // by, for they are there for the moment only. A full heap of holes needs them most.
            let room = self.policy.limit(used).saturating_sub(used).max(self.policy.reserve(used));
            let (bytes, lost) = self.blocks.lost_bytes();
            let cleaning = self.policy.cleaning(bytes, kind);
            if lost < cleaning.when_lost {
                0
            } else {
                // Nor are there more addresses for them, and small objects leave some of an overflow block.
                let room = room.min(self.blocks.free_bytes() / 2);
                self.blocks.choose_evacuated(cleaning.least, cleaning.budget.min(room))
            }
        };
        self.stats.evacuated += chosen as u64;
        chosen > 0
    }

    /// The nurseries, which are empty, are in their own places: the blocks that they were in can be given back.
    fn come_home(&mut self) {
        for worker in &mut self.workers {
            if let Some((lent, _)) = worker.come_home() {
                self.blocks.settle(&lent, lent.start);
            }
        }
    }

    /// Makes every nursery empty and `size` bytes large, in its own place or, if that is the policy, among the blocks.
    unsafe fn empty_nurseries(&mut self, size: usize) {
        if let Some(word) = self.poison() {
            for worker in &self.workers {
                for at in (worker.base..worker.alloc).step_by(WORD) {
                    // SAFETY: the nursery is empty: its survivors have been copied.
                    unsafe { *(at as *mut u64) = word };
                }
            }
        }
        // SAFETY: the survivors have been copied.
        unsafe {
            self.place_nursery(size);
            for worker in &mut self.workers {
                if worker.is_gone {
                    worker.leave();
                    continue;
                }
                let was_filled = worker.away.is_none() && worker.is_half_full();
                worker.set_size(size);
                if was_filled {
                    worker.pages.refine(worker.end);
                }
            }
        }
    }

    /// Among the blocks when nurseries are to stay, with room for `size` bytes or somewhat less; else in its own place.
    ///
    /// # Safety
    /// The nurseries are empty.
    unsafe fn place_nursery(&mut self, size: usize) {
        let is_due = if self.config.stress.is_some() { self.stats.minors & 2 != 0 } else { self.policy.is_away() };
        let wants = is_due && self.workers.len() == 1 && !self.policy.is_bounded();
        let least = self.policy.least_nursery().min(size);
        let fits = |worker: &Worker| worker.away.as_ref().is_some_and(|away| away.lent.bytes() >= least);
        if !wants || !fits(&self.workers[0]) {
            self.come_home();
            if wants && let Some(lent) = self.blocks.lend(size, least) {
                // So much of the other place stays, unless the user says how much memory is spent.
                let keep = if self.policy.spare().is_some() { 0 } else { policy::NURSERY };
                // SAFETY: the caller vouches.
                unsafe { self.workers[0].go_away(lent, keep) };
            }
        }
        let away = self.workers.first().and_then(|worker| worker.away.as_ref());
        self.young = away.map_or_else(|| Young::new(&self.space), |away| Young::lent(&away.lent));
    }

    /// `took`: all of it, and the minor collection, in nanoseconds; `served`: what it was when it began.
    #[allow(clippy::too_many_arguments, reason = "what a line says")]
    fn log_line(
        &self,
        what: &str,
        took: (u64, u64),
        processor: u64,
        served: Served,
        before: usize,
        young: usize,
        promoted: usize,
    ) {
        let now = Served::now();
        let kib = |bytes: usize| bytes >> 10;
        let beside = match what {
            "close" => format!(", {} K marked beside the program", kib(self.cycle.beside)),
            _ => String::new(),
        };
        eprintln!(
            "gc {:>5} {} {:>8.3} ms (processor {:.3}, system {:.3}, {} faults, displaced {}, waits {}) minor {:.3}  young {} K, promoted {} K  old {} -> {} K, live {} K  heap {} K  nursery {} K{beside}",
            self.stats.minors,
            what,
            took.0 as f64 / 1e6,
            processor as f64 / 1e6,
            now.system.saturating_sub(served.system) as f64 / 1e6,
            now.faults - served.faults,
            now.displaced - served.displaced,
            now.waits - served.waits,
            took.1 as f64 / 1e6,
            kib(young),
            kib(promoted),
            kib(before),
            kib(self.used()),
            kib(self.stats.live),
            kib(self.stats.heap),
            kib(self.policy.nursery()),
        );
    }
}
