//! Callbacks: descriptors that are ready -> pairs for the thread that calls them, told again as long as they are ready.
//!
//! ```text
//!            listen          event                no more
//!   NOTHING ----------> LEVEL -------> LEVEL, due ----------> NOTHING
//!
//!                       event                no more          listen
//!              ONCE -----------> SPENT, due ----------> SPENT -------> ONCE
//!                                  |  it still listens when its callback has run
//!                                  +---------------------------------------------> LEVEL
//! ```
//!
//! Whose callbacks listened until they were told and no longer ([`Slot::once`]) will do so again: from then on it is asked for
//! once each time. So a message costs one call of `epoll_ctl`, not one to end it and one to begin.

use std::sync::atomic::Ordering;

use super::{Asked, Manager, NONE, NOTHING, Table, number};
use crate::poller::{Event, Interest};

impl Manager {
    /// From now on callbacks are told when the descriptor is ready for this, as long as it is; `None`: no more.
    pub fn listen(&self, fd: i32, interest: Option<Interest>) -> Result<(), i32> {
        let poller = self.poller();
        let mut table = self.lock();
        let (Some(word), Some(slot)) = (self.states.get(fd), table.slot(fd)) else { return Err(libc::EBADF) };
        let key = slot.key(fd);
        let waiters = slot.first != [NONE; 2];
        let once = slot.once && !waiters && poller.has_once();
        let (done, asked) = match (slot.asked, interest) {
            (Asked::Nothing, None) => (Ok(()), Asked::Nothing),
            (Asked::Nothing, Some(interest)) if once => (poller.register_once(fd, key, interest), Asked::Once),
            (Asked::Nothing, Some(interest)) => (poller.register_level(fd, key, interest), Asked::Level),
            (_, Some(interest)) if once => (poller.modify_once(fd, key, interest), Asked::Once),
            (_, Some(interest)) => {
                let all = if waiters { Interest::BOTH } else { interest };
                (poller.modify_level(fd, key, all), Asked::Level)
            }
            (_, None) if waiters => (poller.modify(fd, key, Interest::BOTH), Asked::Edges),
            (Asked::Spent, None) => (Ok(()), Asked::Spent),
            (_, None) => (poller.unregister(fd), Asked::Nothing),
        };
        done.map_err(number)?;
        let was = slot.level;
        if was.is_some() && interest.is_none() {
            slot.once = slot.told;
        }
        (slot.asked, slot.level, slot.due, slot.told) = (asked, interest, NOTHING, false);
        let registered = !matches!(asked, Asked::Nothing | Asked::Spent);
        // What was remembered came as edges; now it is asked for anew.
        word.change(|s| s.with_registered(registered, interest.is_some(), true));
        self.watch(isize::from(interest.is_some()) - isize::from(was.is_some()));
        Ok(())
    }

    /// An event of a descriptor that callbacks listen to. `tell`: they wait for it. True when there is something for them.
    #[inline]
    pub(super) fn note_for_callbacks(&self, table: &mut Table, fd: i32, event: &Event, tell: bool) -> bool {
        let Table { slots, due, spent, .. } = table;
        let slot = &mut slots[fd as usize];
        let Some(level) = slot.level else { return false };
        let ready = Interest { read: level.read && event.read, write: level.write && event.write };
        let other = |d: usize, is: bool, asked: bool| is && !asked && slot.first[d] == NONE;
        if other(0, event.read, level.read) || other(1, event.write, level.write) {
            // A waiter's direction was asked for too, and has none any more.
            let _ = self.poller().modify_level(fd, event.key, level);
            slot.asked = Asked::Level;
        }
        if slot.asked == Asked::Once {
            slot.asked = Asked::Spent;
            spent.push(fd);
        }
        if ready == NOTHING {
            return false;
        }
        if !tell {
            self.poller().again(fd, ready);
            return false;
        }
        let first = slot.due == NOTHING;
        if first {
            due.push(fd);
        }
        slot.due = Interest { read: slot.due.read || ready.read, write: slot.due.write || ready.write };
        first
    }

    /// Takes what callbacks are to be told: (descriptor, ready for what), at most so many. When there is nothing, `token`
    /// is woken as soon as there is.
    pub fn take_due(&self, most: usize, token: u64, mut each: impl FnMut(i32, Interest)) -> usize {
        let mut table = self.lock();
        let Table { due, spent, slots, listener, .. } = &mut *table;
        let mut count = 0;
        let from = due.len() - due.len().min(most);
        if from == due.len() {
            // The callbacks that were told have run.
            for fd in spent.drain(..) {
                let slot = &mut slots[fd as usize];
                if let (Asked::Spent, Some(level)) = (slot.asked, slot.level) {
                    let (poller, key) = (self.poller(), slot.key(fd));
                    let (done, asked) = match slot.told {
                        true => (poller.modify_level(fd, key, level), Asked::Level),
                        // It was dropped: nobody listened at that moment.
                        false => (poller.modify_once(fd, key, level), Asked::Once),
                    };
                    slot.asked = if done.is_ok() { asked } else { Asked::Spent };
                }
            }
        }
        for fd in due.drain(from..) {
            let slot = &mut slots[fd as usize];
            let ready = std::mem::replace(&mut slot.due, NOTHING);
            let wanted = slot.level.unwrap_or(NOTHING);
            let ready = Interest { read: ready.read && wanted.read, write: ready.write && wanted.write };
            if ready != NOTHING {
                self.poller().again(fd, ready);
                slot.told = true;
                each(fd, ready);
                count += 1;
            }
        }
        *listener = if count == 0 { token } else { 0 };
        if count == 0 {
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
        count
    }

    /// Wakes who waits for callbacks, for another reason than a descriptor.
    pub fn wake_listener(&self, wake: impl FnOnce(u64)) {
        let listener = std::mem::take(&mut self.lock().listener);
        if listener != 0 {
            wake(listener);
        }
    }

    /// Nobody is to be woken for callbacks any more.
    pub fn unlisten(&self) {
        self.lock().listener = 0;
    }
}
