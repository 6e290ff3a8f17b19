//! Callbacks: descriptors that are ready -> pairs for the thread that calls them, told again as long as they are ready.
//!
//! What a user sees is level-triggered; the poller is asked as for waiters, edge-triggered and once. In between stands
//! what the manager remembers (READY). An event makes a direction *certain*: the kernel has just said so. Once its
//! callback has been told it is *doubtful*: when the callback's call met "would block", or less than there was room
//! for, READY is gone and the next event will tell; else the kernel is asked by `poll`, with many others at once,
//! before it is told again.
//!
//! ```text
//!             event, no callback has run since            told
//!   IDLE ------------------------------------> CERTAIN ---------> DOUBTFUL <---+ told
//!    |  ^   event, or listens anew to what is READY                |   |       |
//!    +--|----------------------------------------------------------^   +-------+ `poll` says it is ready
//!       +--------------------------------------------------------------+ not READY, or `poll` says it is not
//! ```
//!
//! A *new* descriptor is not registered yet: nothing is known of it, so its READY is set and it is doubtful. Many are
//! never registered, since they are ready whenever they are asked for: then a byte that goes through a pipe costs the
//! kernel no entry in the poller's list of events. One is registered when `poll` has said [`REFUSALS`] times, one after
//! the other, that it is not ready, or once, when nothing else is to be told.
//!
//! Keeps: I7 while callbacks listen to a direction that is READY, the descriptor is certain or doubtful, or in the
//! hands of [`Manager::take_due`]; I8 while somebody is to be woken ([`Callbacks::listener`]) none is either, and all
//! are registered. So nothing that is ready is forgotten: READY is set by events, which make a descriptor one or the
//! other, and by an attempt whose event is still to come; it is cleared by a call or a `poll` that said "not ready"
//! after the last event that was taken (I4): what comes later is an event. And nobody is told of what is not ready:
//! what is told was said by the kernel after the last callback had run.
//!
//! A message costs no `epoll_ctl`, nor does it when its callback ends its registration and registers anew, as row E2's
//! do. What has been waiting comes first, then what new events tell, so that what came meanwhile is read at once. When
//! there are many ([`MANY`]) what new events tell comes first, since the rest would take long.

use std::sync::atomic::Ordering;

use super::callbacks::Room;
use super::slot::Slot;
use super::{Manager, Outcome, Table, number};
use crate::kind::{self, FdKind};
use crate::poller::{Backend, Interest};

/// So many doubtful ones are asked for at once. Row E1 with 4,800 pipes: with 128 at a time the kernel takes 1.25 times
/// as long.
pub(super) const MANY: usize = if cfg!(test) { 4 } else { 1024 };
/// So often, one after the other, a new one is found not ready before it is registered.
pub(super) const REFUSALS: u8 = 3;

impl Manager {
    /// From now on callbacks are told when the descriptor is ready for this, as long as it is; `None`: no more. `wake`
    /// is given who waits for callbacks, when there may be one to call.
    pub fn listen(&self, fd: i32, interest: Option<Interest>, wake: impl FnOnce(u64)) -> Result<(), i32> {
        let may_be_new = interest.is_some() && self.backend == Backend::Native;
        // Looked up before the lock is taken.
        let is_known = may_be_new && matches!(self.kind(fd), FdKind::Own | FdKind::Shared);
        let mut table = self.lock();
        let (Some(word), Some(slot)) = (self.states.get(fd), table.slot(fd)) else { return Err(libc::EBADF) };
        let mut ready = 0;
        if let Some(interest) = interest {
            let state = word.load();
            slot.unwanted = 0;
            if state.is_registered() {
                ready = state.ready() & interest.bits();
                self.ask_again(fd, interest.bits() & !ready);
            } else if is_known {
                ready = interest.bits();
            } else {
                // Others may be what no poller takes.
                self.register(word, slot, fd).map_err(number)?;
            }
        }
        let was = slot.level != 0;
        slot.level = interest.map_or(0, Interest::bits);
        self.watch(isize::from(interest.is_some()) - isize::from(was));
        if ready != 0 {
            let Table { slots, callbacks, .. } = &mut *table;
            callbacks.doubt_anew(&mut slots[fd as usize], fd);
            let listener = callbacks.take_listener();
            if listener != 0 {
                wake(listener);
            }
        }
        Ok(())
    }

    /// Takes what callbacks are to be told: each a descriptor times four, and the [`Interest::bits`] of what it is
    /// ready for; at most so many, half of them doubtful ones. When there is nothing, `token` is woken as soon as there
    /// may be something. The callbacks that were told have run. `wake`: as of [`Manager::dispatch`].
    pub fn take_due(
        &self,
        most: usize,
        token: u64,
        mut wake: impl FnMut(u64, Option<Outcome>) -> bool,
        mut each: impl FnMut(u64),
    ) -> usize {
        let turn = self.epoch.fetch_add(1, Ordering::SeqCst) as u32 + 1;
        let mut table = self.lock();
        if !table.callbacks.rest {
            table.demote();
        }
        (table.callbacks.rest, table.callbacks.listener) = (true, 0);
        table.callbacks.begin_turn();
        let mut count = 0;
        loop {
            // Those that will be told now are not among the first so many; half are readers perhaps, which are idle by
            // now.
            let doubtful = table.callbacks.doubtful();
            let many = doubtful > 2 * MANY;
            if many {
                drop(table);
                self.look_and_dispatch(&mut wake);
                table = self.lock();
                // No more than their half, or those that are doubtful would never be asked.
                count += self.tell_certain(&mut table, turn, most / 2, &mut each);
            }
            let mut room = std::mem::take(&mut table.callbacks.room);
            let some = MANY.min(most.div_ceil(2)).min(most - count);
            self.to_be_asked(&mut table, turn, doubtful, some, &mut room);
            if !room.sets.is_empty() {
                drop(table);
                kind::poll_now(&mut room.sets);
                table = self.lock();
                count += self.tell_asked(&mut table, turn, &room, &mut each);
                if !many {
                    drop(table);
                    self.look_and_dispatch(&mut wake);
                    table = self.lock();
                }
            }
            table.callbacks.room = room;
            count += self.tell_certain(&mut table, turn, most - count, &mut each);
            if count == 0 && table.callbacks.doubtful() == 0 {
                count += self.register_new(&mut table, &mut each);
                if count == 0 {
                    table.callbacks.listener = token;
                    return 0;
                }
            }
            if count > 0 {
                table.callbacks.rest = false;
                return count;
            }
        }
    }

    /// Nothing is to be told: from now on the poller tells of the new ones. Those that it refuses, since the system has
    /// no room for them, count as ready: the callback's call will find out.
    fn register_new(&self, table: &mut Table, each: &mut impl FnMut(u64)) -> usize {
        let Table { slots, callbacks, .. } = table;
        let mut count = 0;
        while let Some(fd) = callbacks.next_put_off() {
            let slot = &mut slots[fd as usize];
            if std::mem::take(&mut slot.doubted) && slot.level != 0 && !self.is_registered_now(fd, slot) {
                callbacks.doubt(slot, fd);
                each((fd as u64) << 2 | u64::from(slot.level));
                count += 1;
            }
        }
        count
    }

    /// Whether it is registered: now, if not before.
    fn is_registered_now(&self, fd: i32, slot: &mut Slot) -> bool {
        let Some(word) = self.states.get(fd) else { return false };
        word.load().is_registered() || self.register(word, slot, fd).is_ok()
    }

    fn look_and_dispatch(&self, wake: &mut impl FnMut(u64, Option<Outcome>) -> bool) {
        self.look();
        self.dispatch(wake);
    }

    /// Takes doubtful ones that are READY, out of the first so many; the others are idle.
    fn to_be_asked(&self, table: &mut Table, turn: u32, mut first: usize, most: usize, room: &mut Room) {
        let (Table { slots, callbacks, .. }, Room { sets, before }) = (table, room);
        sets.clear();
        before.clear();
        while sets.len() < most
            && first > 0
            && let Some(fd) = callbacks.next_doubtful(first)
        {
            first -= 1;
            let slot = &mut slots[fd as usize];
            let (true, Some(word)) = (std::mem::take(&mut slot.doubted), self.states.get(fd)) else { continue };
            if slot.told == turn {
                callbacks.doubt(slot, fd);
                continue;
            }
            let state = word.load();
            let ready = state.ready() & slot.level;
            if ready != slot.level {
                self.ask_again(fd, slot.level & !ready);
            }
            if ready != 0 {
                sets.push(libc::pollfd { fd, events: kind::poll_flags(ready), revents: 0 });
                before.push((slot.generation, state.tick()));
            }
        }
    }

    /// Gives what `poll` said is ready; what it said is not is idle.
    fn tell_asked(&self, table: &mut Table, turn: u32, room: &Room, each: &mut impl FnMut(u64)) -> usize {
        let Table { slots, callbacks, .. } = table;
        let mut count = 0;
        for (set, (generation, tick)) in room.sets.iter().zip(&room.before) {
            let slot = &mut slots[set.fd as usize];
            if slot.generation != *generation {
                continue;
            }
            let (asked, said) = (kind::poll_directions(set.events), kind::poll_answer(set.revents));
            if asked & !said != 0 {
                self.not_ready(set.fd, slot.level, asked & !said, *tick);
            }
            // What an event told meanwhile is told with it.
            let told = (asked & said | slot.certain) & slot.level;
            if told == 0 {
                if slot.level != 0 && !slot.doubted && self.is_new(set.fd) {
                    slot.refused = slot.refused.saturating_add(1);
                    if slot.refused < REFUSALS || !self.is_registered_now(set.fd, slot) {
                        callbacks.put_off(slot, set.fd);
                    }
                }
            } else {
                (slot.certain, slot.told, slot.refused) = (0, turn, 0);
                callbacks.doubt(slot, set.fd);
                each((set.fd as u64) << 2 | u64::from(told));
                count += 1;
            }
        }
        count
    }

    fn is_new(&self, fd: i32) -> bool {
        self.states.get(fd).is_some_and(|word| !word.load().is_registered())
    }

    #[inline(never)]
    fn not_ready(&self, fd: i32, level: u8, directions: u8, tick: u32) {
        let Some(word) = self.states.get(fd) else { return };
        for d in (0..2).filter(|d| directions >> d & 1 != 0) {
            word.met(d, tick, true);
        }
        // An event that came meanwhile has made it certain or doubtful anew.
        self.ask_again(fd, level & !word.load().ready());
    }

    #[inline]
    fn ask_again(&self, fd: i32, directions: u8) {
        if let Some(idle) = Interest::of_bits(directions) {
            self.poller().again(fd, idle);
        }
    }

    /// Gives what an event has told of and nobody has used up since.
    fn tell_certain(&self, table: &mut Table, turn: u32, most: usize, each: &mut impl FnMut(u64)) -> usize {
        let Table { slots, callbacks, .. } = table;
        let mut count = 0;
        while count < most
            && let Some(fd) = callbacks.certain.pop_front()
        {
            let slot = &mut slots[fd as usize];
            let certain = std::mem::take(&mut slot.certain);
            if certain == 0 {
                continue;
            }
            if slot.level != 0 {
                callbacks.doubt(slot, fd);
            }
            let told = certain & slot.level & self.states.get(fd).map_or(0, |word| word.load().ready());
            if told != 0 && slot.told != turn {
                slot.told = turn;
                each((fd as u64) << 2 | u64::from(told));
                count += 1;
            }
        }
        count
    }

    /// Wakes who waits for callbacks, for another reason than a descriptor.
    pub fn wake_listener(&self, wake: impl FnOnce(u64)) {
        let listener = std::mem::take(&mut self.lock().callbacks.listener);
        if listener != 0 {
            wake(listener);
        }
    }

    /// The thread of callbacks runs some for another reason: nobody is to be woken, and nothing is certain any more.
    pub fn unlisten(&self) {
        let mut table = self.lock();
        (table.callbacks.rest, table.callbacks.listener) = (false, 0);
        table.demote();
    }
}

impl Table {
    /// Callbacks have run since: what was certain is doubtful.
    fn demote(&mut self) {
        let Table { slots, callbacks, .. } = self;
        while let Some(fd) = callbacks.certain.pop_front() {
            let slot = &mut slots[fd as usize];
            if std::mem::take(&mut slot.certain) != 0 {
                callbacks.doubt(slot, fd);
            }
        }
    }
}
