//! Descriptors of which callbacks are to be told, in the order in which they are: certain ones, doubtful ones. What
//! makes a direction one or the other: [`super::listen`].

use std::collections::VecDeque;

use super::slot::Slot;

#[derive(Default)]
pub(super) struct Callbacks {
    /// Descriptors with something to be told ([`Slot::certain`]), or without by now.
    pub certain: VecDeque<i32>,
    /// Descriptors that may be ready still ([`Slot::doubted`]); in the first queue those to which callbacks listen
    /// anew, and which would wait for all that are ready all the time else.
    doubtful: [VecDeque<i32>; 2],
    /// New ones that `poll` has just said are not ready: doubtful again at the next turn, unless nothing is to be told
    /// before.
    later: VecDeque<i32>,
    /// Who is woken when there is some: 0 for nobody.
    pub listener: u64,
    /// No callback runs: their thread asks what to call, or waits.
    pub rest: bool,
    pub room: Room,
}

/// What `poll` is asked, kept for its room; and of each descriptor the generation and the number of its events before.
#[derive(Default)]
pub(super) struct Room {
    pub sets: Vec<libc::pollfd>,
    pub before: Vec<(u32, u32)>,
}

impl Callbacks {
    /// An event has told of this.
    #[inline]
    pub fn note(&mut self, slot: &mut Slot, fd: i32, directions: u8, certain: bool) {
        if certain {
            if slot.certain == 0 {
                self.certain.push_back(fd);
            }
            slot.certain |= directions;
        } else {
            self.doubt(slot, fd);
        }
    }

    #[inline]
    pub fn doubt(&mut self, slot: &mut Slot, fd: i32) {
        if !slot.doubted {
            slot.doubted = true;
            self.doubtful[1].push_back(fd);
        }
    }

    pub fn doubt_anew(&mut self, slot: &mut Slot, fd: i32) {
        if !slot.doubted {
            slot.doubted = true;
            self.doubtful[0].push_back(fd);
        }
    }

    /// To be asked at the next turn.
    pub fn put_off(&mut self, slot: &mut Slot, fd: i32) {
        slot.doubted = true;
        self.later.push_back(fd);
    }

    /// The next turn.
    pub fn begin_turn(&mut self) {
        self.doubtful[1].append(&mut self.later);
    }

    /// One that was put off, when there is nothing else.
    pub fn next_put_off(&mut self) -> Option<i32> {
        self.later.pop_front()
    }

    /// How many are doubtful.
    pub fn doubtful(&self) -> usize {
        self.doubtful.iter().map(VecDeque::len).sum()
    }

    /// The next doubtful one, of both queues in turn.
    #[inline]
    pub fn next_doubtful(&mut self, turn: usize) -> Option<i32> {
        if self.doubtful[0].is_empty() {
            return self.doubtful[1].pop_front();
        }
        self.doubtful[turn % 2].pop_front().or_else(|| self.doubtful[1 - turn % 2].pop_front())
    }

    /// Who is to be woken now, or 0.
    pub fn take_listener(&mut self) -> u64 {
        if self.certain.is_empty() && self.doubtful() == 0 { 0 } else { std::mem::take(&mut self.listener) }
    }
}
