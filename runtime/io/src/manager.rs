//! The I/O manager: system calls that would block -> waiters, and readiness -> the waiters whose turn it is.
//!
//! A descriptor is registered with the poller once, edge-triggered, at the first wait for it; its readiness is
//! remembered. Whoever wants to read tries first ([`Manager::attempt`]); only "would block" leads to a wait. A
//! direction has any number of waiters, each a node of a doubly linked list: one that gives up is removed in O(1),
//! closing the descriptor wakes all.
//!
//! ```text
//!            would block, or less came than there was room for          event
//!   READY ---------------------------------------------------> IDLE ------------> READY, its waiters are woken
//! ```
//!
//! Between a system call and its "would block" another worker may have taken an event; so an attempt carries the number
//! of events that its descriptor had when it began ([`State::tick`], as tokio's readiness has), and only clears what it
//! saw. After end of file no further event comes: such a direction stays READY until a call says otherwise. An attempt
//! takes no lock: what it looks at and notes is one word ([`crate::readiness`]).
//!
//! A descriptor that others may hold too is never made non-blocking: [`FdKind`] says how it is read without waiting. A
//! pipe that nobody else can have yet is (`private.rs`). Callbacks ([`Manager::listen`], in `listen.rs`) are told of a
//! descriptor as long as it is ready: level-triggered.
//!
//! Keeps: I4 a wake-up is never lost: who waits has met "would block" after the last event that was taken for it, under
//! the lock of the table; I5 a descriptor's number that is used again gets no event of the one before (keys have a
//! generation); I6 a waiter that was woken or gave up is in no list.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::clock::Nanos;
use crate::kind::{self, FdKind};
use crate::poller::{Backend, Event, Interest, Poller};
use crate::readiness::{LARGEST, State, States, Word};

mod callbacks;
mod listen;
mod private;
mod slot;

use callbacks::Callbacks;
use slot::{NONE, Slot};

/// What a system call is after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Direction {
    Read = 0,
    Write = 1,
}

impl Direction {
    fn interest(self) -> Interest {
        match self {
            Direction::Read => Interest::READ,
            Direction::Write => Interest::WRITE,
        }
    }
}

/// How a wait ended, or that it has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Waiting,
    /// Try again: it may not block now.
    Ready,
    /// The descriptor was closed.
    Closed,
}

/// What a wait begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// No need to: try again.
    Ready,
    /// Its waiter is in the list.
    Waiting(WaitId),
    /// A file whose bytes are not in memory: no poller tells of it.
    File,
}

/// A waiter. Its number is never used for another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WaitId(pub u64);

struct Node {
    token: u64,
    sequence: u32,
    fd: i32,
    direction: Direction,
    outcome: Outcome,
    /// Its user asks for the outcome by [`Manager::end`]; else the node goes when it is woken.
    kept: bool,
    next: u32,
    previous: u32,
}

#[derive(Default)]
struct Table {
    slots: Vec<Slot>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    sequence: u32,
    /// Waiters added since the last collection.
    young: Vec<WaitId>,
    callbacks: Callbacks,
    /// Tokens that were refused: each is given again at the next dispatch.
    refused: Vec<(u64, Option<Outcome>)>,
    /// How many descriptors are [`State::is_private`].
    private: usize,
}

/// Descriptors and who waits for them. Any worker calls anything at any time.
pub struct Manager {
    backend: Backend,
    poller: OnceLock<Poller>,
    /// Held by who makes the poller; taken behind the lock of the table.
    making: Mutex<()>,
    states: States,
    table: Mutex<Table>,
    /// Events taken by a blocking wait, for [`Manager::dispatch`].
    stash: Mutex<Vec<Event>>,
    stashed: AtomicBool,
    /// Counts how often callbacks had all run; and the count when the oldest poll of the stash began.
    epoch: AtomicUsize,
    stash_epoch: AtomicUsize,
    /// Waiters and callbacks: while there are some the poller is looked at. Changed under the lock of the table.
    watched: AtomicUsize,
    /// A worker is in [`Manager::wait`].
    waiting: AtomicBool,
    /// Of so many looks by the way one is made; and how many are left out until the next.
    gap: AtomicU32,
    left_out: AtomicU32,
}

impl Manager {
    pub fn new(backend: Backend) -> Manager {
        Manager {
            backend,
            poller: OnceLock::new(),
            making: Mutex::default(),
            states: States::default(),
            table: Mutex::default(),
            stash: Mutex::default(),
            stashed: AtomicBool::new(false),
            epoch: AtomicUsize::new(0),
            stash_epoch: AtomicUsize::new(0),
            watched: AtomicUsize::new(0),
            waiting: AtomicBool::new(false),
            gap: AtomicU32::new(1),
            left_out: AtomicU32::new(0),
        }
    }

    /// Makes a system call that is not to block: gets how to call, gives the count or the error number (as `-errno`).
    /// `-EAGAIN` when it would block, also without a call. `full` is the count after which more may be there.
    #[inline]
    pub fn attempt(
        &self,
        fd: i32,
        direction: Direction,
        full: usize,
        mut call: impl FnMut(FdKind, bool) -> isize,
    ) -> isize {
        // What nearly every call of a server or a pipe meets, in few instructions.
        if let Some(word) = self.states.get(fd)
            && let state = word.load()
            && state.is_plain(direction as usize)
        {
            let result = call(FdKind::Own, false);
            if result == full as isize {
                return result;
            }
            if result != -(libc::EINTR as isize) {
                return Self::noted(word, state, direction as usize, result, full);
            }
        }
        self.attempt_with(fd, direction, full, false, call)
    }

    /// Likewise, but asks the system whatever is remembered.
    pub fn attempt_anyway(
        &self,
        fd: i32,
        direction: Direction,
        full: usize,
        call: impl FnMut(FdKind, bool) -> isize,
    ) -> isize {
        self.attempt_with(fd, direction, full, true, call)
    }

    #[inline]
    fn attempt_with(
        &self,
        fd: i32,
        direction: Direction,
        full: usize,
        anyway: bool,
        mut call: impl FnMut(FdKind, bool) -> isize,
    ) -> isize {
        let d = direction as usize;
        let Some(word) = self.states.get(fd) else { return -(libc::EBADF as isize) };
        let mut state = word.load();
        if state.kind() == FdKind::Unknown {
            state = self.learn(fd);
        }
        if !state.is_ready(d) && !anyway {
            return -(libc::EAGAIN as isize);
        }
        let fetched = state.is_fetched() && word.change(|s| s.with_fetched(false)).is_fetched();
        let mut kind = state.kind();
        let result = loop {
            let result = call(kind, fetched);
            if result == -(libc::EINTR as isize) {
                continue;
            }
            if result == -(libc::EOPNOTSUPP as isize) && kind.weaker() != kind {
                word.change(|s| if s.kind() == kind { s.with_kind(kind.weaker()) } else { s });
                kind = kind.weaker();
                continue;
            }
            break result;
        };
        if anyway && result != -(libc::EAGAIN as isize) {
            // The event has not been taken yet; who tries next need not wait for it. But if another worker has taken
            // what there was, and has met "would block", that stays: one that waits would be woken for nothing. It
            // counts as an event, so a third one that has asked at the same time sees that it is past.
            let (tick, is_ready) = (state.tick(), state.is_ready(d));
            let is_news = |s: State| s.tick() == tick && !is_ready && !s.is_ready(d);
            let event = |s: State| s.with_event([d == 0, d == 1], [false; 2]);
            let before = word.change(|s| if is_news(s) { event(s) } else { s });
            if is_news(before) {
                // What this call itself has met is behind that.
                state = event(before);
            }
        }
        // Terminals and the like give a line at a time.
        let full = if matches!(kind, FdKind::Own | FdKind::Shared) { full } else { 0 };
        Self::noted(word, state, d, result, full)
    }

    /// What a call met that found this state: "would block", or less than there was room for, after which an event
    /// comes.
    #[inline]
    fn noted(word: &Word, state: State, d: usize, result: isize, full: usize) -> isize {
        let blocked = result == -(libc::EAGAIN as isize);
        if blocked || result > 0 && (result as usize) < full {
            word.met(d, state.tick(), blocked);
        }
        result
    }

    /// Finds a descriptor's kind out, unless somebody else has.
    #[cold]
    fn learn(&self, fd: i32) -> State {
        // With the lock held: it is not closed meanwhile.
        let _table = self.lock();
        let Some(word) = self.states.get(fd) else { return State::NEW };
        if word.load().kind() == FdKind::Unknown {
            let (kind, messages) = kind::look(fd);
            word.change(|s| s.with_kind(kind).with_messages(messages));
        }
        word.load()
    }

    fn set(&self, fd: i32, change: impl Fn(State) -> State) {
        if let Some(word) = self.states.get(fd) {
            word.change(change);
        }
    }

    /// A moment, for [`Manager::blocked`].
    pub fn tick(&self, fd: i32) -> u32 {
        self.states.get(fd).map_or(0, |word| word.load().tick())
    }

    /// The system said at some time since that moment that this would block.
    pub fn blocked(&self, fd: i32, direction: Direction, tick: u32) {
        if let Some(word) = self.states.get(fd) {
            word.met(direction as usize, tick, true);
        }
    }

    /// What was last found out about a descriptor.
    pub fn kind(&self, fd: i32) -> FdKind {
        let kind = self.states.get(fd).map_or(FdKind::Unknown, |word| word.load().kind());
        if kind == FdKind::Unknown { self.learn(fd).kind() } else { kind }
    }

    /// The descriptor's flags were changed, or are not what they were.
    pub fn forget_kind(&self, fd: i32) {
        self.set(fd, |s| s.with_kind(FdKind::Unknown));
    }

    /// This process made the descriptor, and made it non-blocking.
    pub fn own(&self, fd: i32) {
        self.set(fd, |s| s.with_kind(FdKind::Own));
    }

    /// A file's bytes are in memory: the next attempt takes them without asking.
    pub fn fetched(&self, fd: i32) {
        self.set(fd, |s| s.with_fetched(true));
    }

    /// After "would block": a waiter for this direction, unless an event has come since. `kept`: see [`Manager::end`].
    pub fn begin(&self, fd: i32, direction: Direction, token: u64, kept: bool) -> Result<Wait, i32> {
        let d = direction as usize;
        let mut table = self.lock();
        let (Some(word), Some(slot)) = (self.states.get(fd), table.slot(fd)) else { return Err(libc::EBADF) };
        let state = word.load();
        match state.kind() {
            FdKind::File => return Ok(Wait::File),
            FdKind::Device => return Ok(Wait::Ready),
            _ => {}
        }
        slot.unwanted = 0;
        if !state.is_registered() {
            match self.register(word, slot, fd) {
                Ok(()) => {}
                Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
                    // No poller takes it, so it does not block, or cannot be asked.
                    word.change(|s| s.with_kind(FdKind::Device));
                    return Ok(Wait::Ready);
                }
                Err(error) => return Err(number(error)),
            }
        } else if state.is_ready(d) {
            return Ok(Wait::Ready);
        } else {
            self.poller().again(fd, direction.interest());
        }
        let id = table.add(fd, direction, token, kept);
        self.watch(1);
        Ok(Wait::Waiting(id))
    }

    /// What is ready now comes as the first event.
    fn register(&self, word: &Word, slot: &mut Slot, fd: i32) -> io::Result<()> {
        self.prepare()?;
        self.poller().register(fd, slot.key(fd), Interest::BOTH)?;
        word.change(|s| s.with_registered(true));
        Ok(())
    }

    /// Gives a waiter up, or takes its outcome: it is over then. For a kept one this is called once, whatever happened.
    pub fn end(&self, id: WaitId) -> Outcome {
        let mut table = self.lock();
        let Some(index) = table.find(id) else { return Outcome::Ready };
        let outcome = table.nodes[index as usize].outcome;
        if outcome == Outcome::Waiting {
            table.unlink(index);
            self.watch(-1);
        }
        table.release(index);
        outcome
    }

    /// Whether a kept waiter still waits; it stays what it is.
    pub fn outcome(&self, id: WaitId) -> Outcome {
        let table = self.lock();
        table.find(id).map_or(Outcome::Ready, |index| table.nodes[index as usize].outcome)
    }

    /// Whether this token waits for this direction. Looks at every waiter of it.
    pub fn is_waiting(&self, fd: i32, direction: Direction, token: u64) -> bool {
        let mut table = self.lock();
        let Some(slot) = table.slot(fd) else { return false };
        let mut at = slot.first[direction as usize];
        while at != NONE {
            let node = &table.nodes[at as usize];
            if node.token == token && !node.kept {
                return true;
            }
            at = node.next;
        }
        false
    }

    /// Forgets a descriptor, wakes its waiters, and closes it, or gives its number to another one, by `close`.
    pub fn close<T>(
        &self,
        fd: i32,
        mut wake: impl FnMut(u64, Option<Outcome>) -> bool,
        close: impl FnOnce() -> T,
    ) -> T {
        let mut table = self.lock();
        let was = self.states.get(fd).map(|word| word.change(State::with_closed));
        table.private -= usize::from(was.is_some_and(State::is_private));
        let Some(slot) = table.slots.get_mut(fd.max(0) as usize).filter(|_| fd >= 0) else { return close() };
        if was.is_some_and(State::is_registered) {
            let _ = self.poller().unregister(fd);
        }
        let generation = slot.generation.wrapping_add(1) & 0x7fff_ffff;
        let level = slot.level != 0;
        let Slot { first, last, .. } = *slot;
        *slot = Slot { first, last, generation, ..Slot::NEW };
        let mut woken = 0;
        for d in 0..2 {
            woken += table.wake_all(fd, d, Outcome::Closed, &mut wake);
        }
        self.watch(-((woken + usize::from(level)) as isize));
        if !table.refused.is_empty() {
            self.stashed.store(true, Ordering::Relaxed);
        }
        // With the lock held: nobody can wait for it in between.
        close()
    }

    // -- the poller

    /// Whether anything may still come from the poller.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed) > 0
    }

    /// So many more are there that something may come for. With the table's lock held: so it is no atomic addition.
    fn watch(&self, more: isize) {
        self.watched.store(self.watched.load(Ordering::Relaxed).wrapping_add_signed(more), Ordering::Relaxed);
    }

    /// Whether events wait for [`Manager::dispatch`].
    pub fn is_stashed(&self) -> bool {
        self.stashed.load(Ordering::Relaxed)
    }

    /// Waits until an event comes, [`Manager::wake`] is called, or the time is over. What came is for `dispatch`; while
    /// something is left for it, there is no wait.
    pub fn wait(&self, timeout: Option<Nanos>) {
        self.waiting.store(true, Ordering::SeqCst);
        let timeout = if self.is_stashed() { Some(0) } else { timeout };
        self.take_events(|poller, events| poller.wait(timeout, events));
        self.waiting.store(false, Ordering::Relaxed);
    }

    /// Looks without waiting, unless another worker waits (who will see the same).
    pub fn look(&self) {
        if self.is_watched() && !self.waiting.load(Ordering::Relaxed) {
            let found = self.take_events(|poller, events| poller.look(events));
            // A change that is lost to another worker's costs a look.
            let gap = self.gap.load(Ordering::Relaxed);
            if found >= MUCH {
                self.gap.store((gap * 2).min(LARGEST_GAP), Ordering::Relaxed);
            } else if found < MUCH / 4 {
                self.gap.store((gap / 2).max(1), Ordering::Relaxed);
            }
        }
    }

    /// As [`Manager::look`], for a worker that comes by often, and looks at each tick besides. While looks find much,
    /// most are left out (false), as network cards put interrupts off: a thread that is told later finds more to read,
    /// at the price of one wake-up. Row E1 with 1,058 pipes on two workers: 0.68 of the time.
    pub fn look_by_the_way(&self) -> bool {
        let left = self.left_out.load(Ordering::Relaxed);
        if left > 0 {
            self.left_out.store(left - 1, Ordering::Relaxed);
            return false;
        }
        self.look();
        self.left_out.store(self.gap.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        true
    }

    /// Gives the number of events.
    fn take_events(&self, ask: impl FnOnce(&Poller, &mut Vec<Event>) -> io::Result<()>) -> usize {
        let epoch = self.epoch.load(Ordering::SeqCst);
        let mut events = {
            // An empty one is taken for its room. What another worker has stashed stays, so that it can dispatch it
            // while this one waits.
            let mut stash = self.lock_stash();
            if stash.is_empty() { std::mem::take(&mut *stash) } else { Vec::new() }
        };
        if ask(self.poller(), &mut events).is_err() {
            self.renew(&mut events);
        }
        let found = events.len();
        let mut stash = self.lock_stash();
        if stash.is_empty() {
            *stash = events;
            self.stash_epoch.store(epoch, Ordering::SeqCst);
        } else {
            stash.append(&mut events);
        }
        // Never cleared here: tokens that were refused wait for a dispatch, too.
        if !stash.is_empty() {
            self.stashed.store(true, Ordering::Relaxed);
        }
        found
    }

    /// Wakes whom the events are for; who does not ask for an outcome by [`Manager::end`] is given it. A token that is
    /// refused (false) is given again the next time.
    pub fn dispatch(&self, mut wake: impl FnMut(u64, Option<Outcome>) -> bool) {
        if !self.stashed.swap(false, Ordering::Relaxed) {
            return;
        }
        // With the lock held: another worker may put its own there next, of a later epoch.
        let (mut events, asked) = {
            let mut stash = self.lock_stash();
            (std::mem::take(&mut *stash), self.stash_epoch.load(Ordering::SeqCst))
        };
        let mut table = self.lock();
        for (token, outcome) in std::mem::take(&mut table.refused) {
            if !wake(token, outcome) {
                table.refused.push((token, outcome));
            }
        }
        let mut woken = 0;
        let certain = table.callbacks.rest && asked == self.epoch.load(Ordering::SeqCst);
        for event in &events {
            woken += self.note(&mut table, event, certain, &mut wake);
        }
        let listener = table.callbacks.take_listener();
        if listener != 0 {
            wake(listener, None);
        }
        if !table.refused.is_empty() {
            self.stashed.store(true, Ordering::Relaxed);
        }
        self.watch(-(woken as isize));
        drop(table);
        events.clear();
        let mut stash = self.lock_stash();
        if stash.capacity() < events.capacity() && stash.is_empty() {
            *stash = events;
        }
    }

    /// An event; gives the number of those that were woken. `certain`: no callback has run since the poller was asked.
    #[inline]
    fn note(
        &self,
        table: &mut Table,
        event: &Event,
        certain: bool,
        wake: &mut impl FnMut(u64, Option<Outcome>) -> bool,
    ) -> usize {
        let fd = event.key as u32 as i32;
        let Table { slots, callbacks, .. } = table;
        let (Some(word), Some(slot)) = (self.states.get(fd), slots.get_mut(fd as usize)) else { return 0 };
        if slot.key(fd) != event.key {
            return 0;
        }
        let is = [event.read, event.write];
        word.change(|s| s.with_event(is, [event.read_ended, event.write_ended]));
        let told = slot.level & event.bits();
        if told != 0 {
            callbacks.note(slot, fd, told, certain);
        }
        if slot.has_waiters() {
            return (0..2).filter(|d| is[*d]).map(|d| table.wake_all(fd, d, Outcome::Ready, wake)).sum();
        }
        if slot.level == 0 {
            self.unwanted(word, slot, fd);
        }
        0
    }

    /// Nobody waits for it. After some such events there are no more of them until somebody does.
    #[inline]
    fn unwanted(&self, word: &Word, slot: &mut Slot, fd: i32) {
        slot.unwanted = slot.unwanted.saturating_add(1);
        if slot.unwanted == MOST_UNWANTED && word.load().is_registered() {
            let _ = self.poller().unregister(fd);
            word.change(|s| s.with_registered(false));
        }
    }

    /// From now on [`Manager::wake_from_signal`] ends the next wait. Fails when the process has no descriptors left for
    /// the poller.
    pub fn prepare(&self) -> io::Result<()> {
        if self.poller.get().is_none() {
            let _making = self.lock_making();
            // Another worker may be faster.
            if self.poller.get().is_none() {
                let _ = self.poller.set(Poller::new(self.backend)?);
            }
        }
        Ok(())
    }

    /// Ends a wait, or the next one. Safe in a signal handler once there is a poller. Where none can be made nobody
    /// waits.
    pub fn wake(&self) {
        if self.prepare().is_ok() {
            self.poller().wake();
        }
    }

    /// Ends the wait of whoever waits, if anybody does. Safe in a signal handler.
    pub fn wake_from_signal(&self) {
        if let Some(poller) = self.poller.get() {
            poller.wake();
        }
    }

    /// The poller gets the descriptors of another one, and what was registered is registered with them.
    fn take_over(&self, table: &mut Table, new: &Poller) {
        let Some(poller) = self.poller.get() else { return };
        let taken = poller.swap(new);
        for (fd, slot) in table.slots.iter_mut().enumerate() {
            let Some(word) = self.states.get(fd as i32).filter(|word| word.load().is_registered()) else { continue };
            if taken.is_err() || self.register(word, slot, fd as i32).is_err() {
                word.change(|s| s.with_registered(false));
            }
        }
    }

    /// The poller has failed: somebody has closed its descriptors behind the runtime's back, as a function of C may
    /// that closes all. It gets new ones. Where there are none nothing comes for now; it is tried again at the next
    /// wait.
    #[cold]
    fn renew(&self, events: &mut Vec<Event>) {
        let mut table = self.lock();
        // Another worker may have been faster.
        if self.poller().look(events).is_ok() {
            return;
        }
        match Poller::new(self.backend) {
            Ok(new) => {
                self.take_over(&mut table, &new);
                // Whose they are now is not known.
                new.forget();
            }
            Err(_) => {
                drop(table);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    }

    #[inline]
    fn poller(&self) -> &Poller {
        self.poller.get().unwrap_or_else(|| {
            if let Err(error) = self.prepare() {
                panic!("no poller: {error}");
            }
            self.poller.get().expect("it has just been made")
        })
    }

    // -- for the collector

    /// Visits the tokens; with `young` only those of waiters added since [`Manager::after_collection`].
    pub fn tokens(&self, young: bool, visit: &mut impl FnMut(*mut u64)) {
        let mut table = self.lock();
        if table.callbacks.listener != 0 {
            visit(&mut table.callbacks.listener);
        }
        table.refused.iter_mut().for_each(|(token, _)| visit(token));
        if young {
            for id in std::mem::take(&mut table.young) {
                if let Some(index) = table.find(id).filter(|i| table.nodes[*i as usize].outcome == Outcome::Waiting) {
                    visit(&mut table.nodes[index as usize].token);
                }
            }
        } else {
            table.nodes.iter_mut().filter(|n| n.outcome == Outcome::Waiting).for_each(|n| visit(&mut n.token));
        }
    }

    /// A collection is over: every token is old.
    pub fn after_collection(&self) {
        self.lock().young.clear();
    }

    /// How many descriptors are registered, and how many waiters there are: for tests.
    pub fn counts(&self) -> (usize, usize) {
        let table = self.lock();
        let is_registered = |fd: &usize| self.states.get(*fd as i32).is_some_and(|word| word.load().is_registered());
        let registered = (0..table.slots.len()).filter(is_registered).count();
        (registered, table.nodes.len() - table.free.len())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn lock_making(&self) -> MutexGuard<'_, ()> {
        self.making.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// For a fork, too, which must hold it: what has come and is not dispatched yet.
    pub fn lock_stash(&self) -> MutexGuard<'_, Vec<Event>> {
        self.stash.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// So many events that nobody wanted are taken before the poller is told.
const MOST_UNWANTED: u8 = 64;

/// A look that finds so many events finds much.
const MUCH: usize = 64;
/// Looks by the way of which one is made at least. Workers come by once in 256 switches.
const LARGEST_GAP: u32 = 64;

/// Marks a free node.
const FREE: i32 = -1;

impl Table {
    #[inline]
    fn slot(&mut self, fd: i32) -> Option<&mut Slot> {
        if fd as u32 as usize >= self.slots.len() {
            if !(0..LARGEST).contains(&fd) {
                return None;
            }
            self.slots.resize((fd as usize + 1).next_power_of_two().max(16), Slot::NEW);
        }
        Some(&mut self.slots[fd as usize])
    }

    fn add(&mut self, fd: i32, direction: Direction, token: u64, kept: bool) -> WaitId {
        let d = direction as usize;
        // 31 bits: a number is a positive int of SML.
        self.sequence = (self.sequence + 1) & 0x7fff_ffff;
        let slot = &mut self.slots[fd as usize];
        let node = Node {
            token,
            sequence: self.sequence,
            fd,
            direction,
            outcome: Outcome::Waiting,
            kept,
            next: NONE,
            previous: slot.last[d],
        };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        match slot.last[d] {
            NONE => slot.first[d] = index,
            last => self.nodes[last as usize].next = index,
        }
        slot.last[d] = index;
        let id = WaitId(u64::from(self.sequence) << 32 | u64::from(index));
        self.young.push(id);
        if self.young.len() > 1024 && self.young.len() / 2 > self.nodes.len() - self.free.len() {
            let nodes = &self.nodes;
            self.young.retain(|id| {
                let node = &nodes[id.0 as u32 as usize];
                node.fd != FREE && u64::from(node.sequence) == id.0 >> 32
            });
        }
        id
    }

    fn find(&self, id: WaitId) -> Option<u32> {
        let index = id.0 as u32;
        let node = self.nodes.get(index as usize)?;
        (node.fd != FREE && u64::from(node.sequence) == id.0 >> 32).then_some(index)
    }

    /// Takes a waiting node out of its list.
    fn unlink(&mut self, index: u32) {
        let Node { fd, direction, next, previous, .. } = self.nodes[index as usize];
        let slot = &mut self.slots[fd as usize];
        let d = direction as usize;
        match previous {
            NONE => slot.first[d] = next,
            before => self.nodes[before as usize].next = next,
        }
        match next {
            NONE => slot.last[d] = previous,
            after => self.nodes[after as usize].previous = previous,
        }
    }

    fn release(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        (node.fd, node.token, node.outcome) = (FREE, 0, Outcome::Ready);
        self.free.push(index);
    }

    /// Wakes all waiters of a direction, first come first; gives their number.
    fn wake_all(
        &mut self,
        fd: i32,
        d: usize,
        outcome: Outcome,
        wake: &mut impl FnMut(u64, Option<Outcome>) -> bool,
    ) -> usize {
        let slot = &mut self.slots[fd as usize];
        let mut at = std::mem::replace(&mut slot.first[d], NONE);
        slot.last[d] = NONE;
        let mut count = 0;
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            node.outcome = outcome;
            let (token, kept, next) = (std::mem::take(&mut node.token), node.kept, node.next);
            let outcome = (!kept).then_some(outcome);
            if !wake(token, outcome) {
                self.refused.push((token, outcome));
            }
            if !kept {
                self.release(at);
            }
            at = next;
            count += 1;
        }
        count
    }
}

/// The error number of what the system said.
fn number(error: io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
#[path = "manager_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "manager_callback_tests.rs"]
mod callback_tests;
