//! What is known of the last loads and stores of each reference and element: (element, thread, load or store) -> the
//! earlier access that it races with, if there is one.
//!
//! After Flanagan and Freund, FastTrack: efficient and precise dynamic race detection, PLDI 2009.
//!
//! | before | access | after |
//! |---|---|---|
//! | any | the last thread's in the same epoch | the same: nothing to look at |
//! | one load | a load that knows of it | the new load |
//! | one load | a load that does not | both, shared |
//! | shared loads | a load | one more |
//! | any | a store | the store; the loads are forgotten |
//!
//! Differences: an access carries the trace of where it was made; a load behind an own store of the same epoch is not
//! noted, for whoever races with it races with the store.

use crate::service::race::clock::{Clock, Epoch};

/// An access: by whom and when, and where (a number of [`crate::service::race::traces`]).
#[derive(Clone, Copy, Default, Debug)]
pub struct Access {
    pub at: Epoch,
    pub trace: u32,
}

/// A reference or an element: the last store, the load since. Half a cache line.
#[derive(Clone, Copy, Default)]
struct Cell {
    store: Epoch,
    load: Epoch,
    stored_at: u32,
    loaded_at: u32,
    /// Number among the object's shared loads, counted from 1; 0: `load` is the only one.
    shared: u32,
}

/// What is known of an object.
#[derive(Default)]
pub struct Object {
    /// Up to the last element that was accessed.
    cells: Vec<Cell>,
    shared: Vec<Vec<Access>>,
    /// Those of `shared` that no cell has.
    free: Vec<u32>,
    /// What the threads knew that have stored into it, when it is the library's and orders them.
    pub clock: Clock,
}

/// Who accesses.
pub struct Me<'a> {
    pub now: Epoch,
    pub clock: &'a Clock,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    pub earlier: Access,
    pub was_store: bool,
}

impl Object {
    /// An access to an element. `trace` is asked when it must be noted.
    pub fn access(
        &mut self,
        element: usize,
        me: Me<'_>,
        is_store: bool,
        trace: impl FnOnce() -> u32,
    ) -> Option<Conflict> {
        if self.cells.len() <= element {
            self.cells.resize(element + 1, Cell::default());
        }
        let cell = &mut self.cells[element];
        if cell.store == me.now && (!is_store || cell.load.is_never() && cell.shared == 0) {
            return None;
        }
        if !is_store && cell.shared == 0 && cell.load == me.now {
            return None;
        }
        let (store, load) =
            (Access { at: cell.store, trace: cell.stored_at }, Access { at: cell.load, trace: cell.loaded_at });
        let this = Access { at: me.now, trace: trace() };
        let unknown = |earlier: &Access| !me.clock.covers(earlier.at);
        let mut conflict = unknown(&store).then_some(Conflict { earlier: store, was_store: true });
        if is_store {
            let mut race = |earlier: &Access| {
                if conflict.is_none() && unknown(earlier) {
                    conflict = Some(Conflict { earlier: *earlier, was_store: false });
                }
            };
            race(&load);
            if cell.shared != 0 {
                let loads = &mut self.shared[cell.shared as usize - 1];
                loads.iter().for_each(race);
                loads.clear();
                self.free.push(std::mem::take(&mut cell.shared));
            }
            (cell.store, cell.stored_at, cell.load) = (this.at, this.trace, Epoch::default());
        } else if cell.shared != 0 {
            let loads = &mut self.shared[cell.shared as usize - 1];
            loads.retain(|earlier| earlier.at.slot() != me.now.slot() && unknown(earlier));
            loads.push(this);
        } else if unknown(&load) {
            let number = self.free.pop().unwrap_or_else(|| {
                self.shared.push(Vec::new());
                self.shared.len() as u32
            });
            self.shared[number as usize - 1].extend([load, this]);
            (cell.shared, cell.load) = (number, Epoch::default());
        } else {
            (cell.load, cell.loaded_at) = (this.at, this.trace);
        }
        conflict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads by slot, each with its clock; accesses of one element, in order.
    fn conflicts(steps: &[(u32, char)]) -> Vec<Option<bool>> {
        let mut clocks: Vec<Clock> = vec![Clock::default(); 3];
        let mut object = Object::default();
        clocks.iter_mut().enumerate().for_each(|(slot, clock)| clock.set(slot as u32, 1));
        let mut told = Clock::default();
        let mut found = Vec::new();
        for &(slot, step) in steps {
            let clock = &mut clocks[slot as usize];
            let now = Epoch::new(slot, clock.get(slot));
            match step {
                // Tells the others, hears of what they told.
                't' => {
                    told.join(clock);
                    clock.set(slot, now.count() + 1);
                }
                'h' => clock.join(&told),
                _ => {
                    let conflict = object.access(0, Me { now, clock }, step == 's', || 0);
                    found.push(conflict.map(|c| c.was_store));
                }
            }
        }
        found
    }

    #[test]
    fn what_nothing_orders_is_a_race() {
        assert_eq!(conflicts(&[(0, 's'), (1, 'l')]), [None, Some(true)]);
        assert_eq!(conflicts(&[(0, 'l'), (1, 's')]), [None, Some(false)]);
        assert_eq!(conflicts(&[(0, 'l'), (1, 'l'), (2, 's')]), [None, None, Some(false)]);
        assert_eq!(conflicts(&[(0, 's'), (0, 't'), (1, 'h'), (1, 'l'), (1, 's')]), [None, None, None]);
        // Of two loads the store knows one.
        let one = [(0, 'l'), (1, 'l'), (1, 't'), (2, 'h'), (2, 's')];
        assert_eq!(conflicts(&one), [None, None, Some(false)]);
        let both = [(0, 'l'), (1, 'l'), (0, 't'), (1, 't'), (2, 'h'), (2, 's')];
        assert_eq!(conflicts(&both), [None, None, None]);
        // A load behind what was told is not covered by it.
        assert_eq!(conflicts(&[(0, 't'), (0, 'l'), (1, 'h'), (1, 's')]), [None, Some(false)]);
        // An own load before an own store of the same epoch: the store still looks at the others' loads.
        assert_eq!(conflicts(&[(0, 's'), (1, 'l'), (0, 's')]), [None, Some(true), Some(false)]);
    }
}
