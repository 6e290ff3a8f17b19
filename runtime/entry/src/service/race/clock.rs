//! Vector clocks and epochs: what each thread has seen of the others.
//!
//! A thread has a slot, and counts there how often it has told others of what it did. A vector clock holds the last
//! count that is known of each slot (Fidge 1988, Mattern 1988); an epoch is one count of one slot (Flanagan and Freund,
//! FastTrack, PLDI 2009).

/// One count of one slot, in a word; the default is before everything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Epoch(u64);

/// Bits of a count: a thread that tells others of what it did each nanosecond has used them up after three days.
const COUNT_BITS: u32 = 48;

impl Epoch {
    pub fn new(slot: u32, count: u64) -> Epoch {
        Epoch(u64::from(slot) << COUNT_BITS | count)
    }

    pub fn slot(self) -> u32 {
        (self.0 >> COUNT_BITS) as u32
    }

    /// 0: never.
    pub fn count(self) -> u64 {
        self.0 & ((1 << COUNT_BITS) - 1)
    }

    pub fn is_never(self) -> bool {
        self.count() == 0
    }
}

/// The last known count of each slot; slots behind the end are at 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Clock(Vec<u64>);

impl Clock {
    pub fn get(&self, slot: u32) -> u64 {
        self.0.get(slot as usize).copied().unwrap_or(0)
    }

    pub fn set(&mut self, slot: u32, count: u64) {
        if self.0.len() <= slot as usize {
            self.0.resize(slot as usize + 1, 0);
        }
        self.0[slot as usize] = count;
    }

    /// Knows what either knew.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = theirs.max(*mine);
        }
    }

    /// Whether what happened then is known.
    pub fn covers(&self, epoch: Epoch) -> bool {
        epoch.count() <= self.get(epoch.slot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_knows_both() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.set(0, 3);
        b.set(2, 5);
        assert!(!a.covers(Epoch::new(2, 1)) && a.covers(Epoch::default()));
        a.join(&b);
        assert!(a.covers(Epoch::new(0, 3)) && a.covers(Epoch::new(2, 5)));
        assert!(!a.covers(Epoch::new(2, 6)) && !b.covers(Epoch::new(0, 1)));
    }
}
