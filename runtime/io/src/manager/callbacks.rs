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

use super::{Asked, Manager, NONE, Slot, Table, Told, number};
use crate::poller::{Event, Interest};

impl Manager {
    /// From now on callbacks are told when the descriptor is ready for this, as long as it is; `None`: no more.
    pub fn listen(&self, fd: i32, interest: Option<Interest>) -> Result<(), i32> {
        self.prepare().map_err(number)?;
        let poller = self.poller();
        let mut table = self.lock();
        let (Some(word), Some(slot)) = (self.states.get(fd), table.slot(fd)) else { return Err(libc::EBADF) };
        let key = slot.key(fd);
        let waiters = slot.has_waiters();
        let once = slot.once && !waiters && poller.has_once();
        let (done, asked) = match (slot.asked, interest) {
            (Asked::Nothing, None) => (Ok(()), Asked::Nothing),
            (Asked::Nothing, Some(interest)) if once => (poller.register_once(fd, key, interest), Asked::Once),
            (Asked::Nothing, Some(interest)) => (poller.register_level(fd, key, interest), Asked::Level),
            (_, Some(interest)) if once => (poller.modify_once(fd, key, interest), Asked::Once),
            (_, Some(interest)) => {
                let (all, asked) = if waiters { (Interest::BOTH, Asked::Both) } else { (interest, Asked::Level) };
                (poller.modify_level(fd, key, all), asked)
            }
            (_, None) if waiters => (poller.modify(fd, key, Interest::BOTH), Asked::Edges),
            (Asked::Spent, None) => (Ok(()), Asked::Spent),
            (_, None) => (poller.unregister(fd), Asked::Nothing),
        };
        done.map_err(number)?;
        let was = slot.level != 0;
        if was && interest.is_none() {
            slot.once = slot.told;
        }
        (slot.asked, slot.level, slot.told) = (asked, interest.map_or(0, Interest::bits), false);
        table.changed = true;
        let registered = !matches!(asked, Asked::Nothing | Asked::Spent);
        // What was remembered came as edges; now it is asked for anew.
        word.change(|s| s.with_registered(registered, interest.is_some(), true));
        self.watch(isize::from(interest.is_some()) - isize::from(was));
        Ok(())
    }

    /// The most frequent event by far, where callbacks are: of a descriptor to which they alone listen, with nothing to
    /// remember. False for any other.
    #[inline]
    pub(super) fn note_level(&self, table: &mut Table, event: &Event, tell: bool) -> bool {
        let fd = event.key as u32 as i32;
        let Table { slots, due, dispatches, spent, .. } = table;
        let (Some(slot), is) = (slots.get_mut(fd as usize), event.bits()) else { return false };
        let once = slot.asked == Asked::Once;
        let plain =
            tell && (slot.asked == Asked::Level || once) && slot.key(fd) == event.key && slot.due != *dispatches;
        let ready = slot.level & is;
        if !plain || ready == 0 || event.read_ended || event.write_ended {
            return false;
        }
        if !self.states.get(fd).is_some_and(|word| word.load().are_ready(is)) {
            return false;
        }
        if once {
            slot.asked = Asked::Spent;
            spent.push(fd);
        }
        (slot.due, slot.told) = (*dispatches, true);
        due.push((fd as Told) << 2 | Told::from(ready));
        true
    }

    /// An event of a descriptor that callbacks listen to. `tell`: they wait for it.
    #[inline]
    pub(super) fn note_for_callbacks(&self, table: &mut Table, fd: i32, event: &Event, tell: bool) {
        let Table { slots, due, spent, dispatches, listener, .. } = table;
        let slot = &mut slots[fd as usize];
        let is = event.bits();
        let once_more = |level| self.poller().modify_once(fd, event.key, level).is_ok();
        match slot.asked {
            Asked::Both => self.no_more_than_asked(slot, fd, is),
            // It came before they began to wait, and is dropped; nobody would ask again before they are told something.
            Asked::Once if !tell && *listener != 0 && Interest::of_bits(slot.level).is_some_and(once_more) => {}
            Asked::Once => {
                slot.asked = Asked::Spent;
                spent.push(fd);
            }
            _ => {}
        }
        let ready = slot.level & is;
        if tell && ready != 0 && slot.due != *dispatches {
            (slot.due, slot.told) = (*dispatches, true);
            due.push((fd as Told) << 2 | Told::from(ready));
        } else if let Some(ready) = Interest::of_bits(ready) {
            // Nobody waits for it, or two workers have looked and this is the second time: it comes again.
            self.poller().again(fd, ready);
        }
    }

    /// A waiter's direction was asked for too: not any more, when it is ready and has none.
    #[cold]
    fn no_more_than_asked(&self, slot: &mut Slot, fd: i32, is: u8) {
        let others = [0, 1].into_iter().any(|d| (is & !slot.level) >> d & 1 != 0 && slot.first[d] == NONE);
        if let Some(level) = Interest::of_bits(slot.level).filter(|_| others) {
            let _ = self.poller().modify_level(fd, slot.key(fd), level);
            if !slot.has_waiters() {
                slot.asked = Asked::Level;
            }
        }
    }

    /// Takes what callbacks are to be told: each a descriptor times four, and the [`Interest::bits`] of what it is ready for;
    /// at most so many. When there is nothing, `token` is woken as soon as there is.
    pub fn take_due(&self, most: usize, token: u64, mut each: impl FnMut(u64)) -> usize {
        let mut table = self.lock();
        let Table { due, slots, changed, .. } = &mut *table;
        let poller = self.poller();
        let mut count = 0;
        while count == 0 && !due.is_empty() {
            let from = due.len() - due.len().min(most);
            for told in &due[from..] {
                let fd = (told >> 2) as i32;
                let ready = told & if *changed { Told::from(slots[fd as usize].level) } else { 0b11 };
                if let Some(ready) = Interest::of_bits(ready as u8) {
                    poller.again(fd, ready);
                    each(told & !0b11 | Told::from(ready.bits()));
                    count += 1;
                }
            }
            due.truncate(from);
        }
        if count == 0 {
            self.ask_again(&mut table);
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
        table.listener = if count == 0 { token } else { 0 };
        count
    }

    /// The callbacks that were told have run: those of them that were told once and still listen are asked for again.
    fn ask_again(&self, table: &mut Table) {
        let Table { spent, slots, .. } = table;
        for fd in spent.drain(..) {
            let slot = &mut slots[fd as usize];
            if let (Asked::Spent, Some(level)) = (slot.asked, Interest::of_bits(slot.level)) {
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
