//! The calling worker inside of a primitive, and what compiled code has given to it.
//!
//! A primitive is a plain function of Rust. Its entry, which the build script makes from the table of primitives, turns
//! the registers that compiled code has filled into a [`Here`] and the function's arguments; so what compiled code
//! promises by calling a primitive is said there, once: the thread block is the calling worker's, the worker runs a
//! thread that has called the runtime, no lock is held, and the arguments are of the types in the table.
//!
//! The token has two rules of the crate in its types. A view of an object borrows the token, and what may collect needs
//! it alone: so no view lives over a safepoint (E1). What may switch threads takes the token: nothing of this worker is
//! to be had behind it (E2). A reference that is held over a safepoint is not seen by the compiler; it goes into
//! `keep`.

use std::ffi::CString;
use std::marker::PhantomData;

use leat_abi::code::{CodeTable, Site};
use leat_abi::exn::Builtin;
use leat_abi::header::{self, ObjectKind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::reference::Cell;
use leat_fiber::{Closure, Ref, unwind};
use leat_io::clock::Nanos;
use leat_io::{Outcome, TimerId};
use leat_memory::{Collection, Stats};

use crate::profile::{self, ProfileKind};
use crate::service::{alloc, exceptions, lend, objects, race, raise, report, wake};
use crate::state::events::Token;
use crate::state::history;
use crate::state::reentry::Call;
use crate::state::runtime::{io, runtime, worker};
use crate::state::trace;

/// The worker that runs this, in a call of compiled code. Neither copied nor given to another OS thread.
#[repr(transparent)]
pub struct Here<'w> {
    tcb: *mut Tcb,
    worker: PhantomData<&'w mut Tcb>,
}

/// A string, or an array of bytes, as it is until the next safepoint.
#[repr(transparent)]
pub struct Text(u64);

/// An array of ints, as it is until the next safepoint.
#[repr(transparent)]
pub struct Ints(u64);

/// A value of any type, as it is until the next safepoint.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u64);

/// What an object is made of: its bytes that are no references, and its references. A thread and a stack show neither.
pub struct Parts<'h> {
    pub header: u64,
    pub raw: &'h [u8],
    pub refs: &'h [Value],
}

/// What stands first among a primitive's arguments.
pub trait Caller {
    /// # Safety
    /// The block is the calling worker's, which runs a thread that has called the runtime; no lock is held.
    unsafe fn enter(tcb: *mut Tcb) -> Self;
}

impl Caller for Here<'_> {
    #[inline(always)]
    unsafe fn enter(tcb: *mut Tcb) -> Self {
        Here { tcb, worker: PhantomData }
    }
}

impl Caller for *mut Tcb {
    #[inline(always)]
    unsafe fn enter(tcb: *mut Tcb) -> Self {
        tcb
    }
}

/// An integer, a boolean or a reference among a primitive's arguments.
pub trait Word: Sized {
    /// # Safety
    /// The word is of this type.
    unsafe fn of(word: u64) -> Self;
}

/// A primitive's result; compiled code leaves it alone where there is none.
pub trait Answer {
    fn word(self) -> u64;
}

macro_rules! words {
    ($($ty:ty: $word:ident => $value:expr;)*) => { $(
        impl Word for $ty {
            #[inline(always)]
            unsafe fn of($word: u64) -> $ty {
                $value
            }
        }
    )* };
}

words! {
    u64: word => word;
    i64: word => word as i64;
    usize: word => word as usize;
    bool: word => word != 0;
    Text: word => Text(word);
    Ints: word => Ints(word);
    Value: word => Value(word);
}

impl<K> Word for Ref<K> {
    #[inline(always)]
    unsafe fn of(word: u64) -> Ref<K> {
        Ref::of(word)
    }
}

macro_rules! answers {
    ($($ty:ty: $value:ident => $word:expr;)*) => { $(
        impl Answer for $ty {
            #[inline(always)]
            fn word(self) -> u64 {
                let $value = self;
                $word
            }
        }
    )* };
}

answers! {
    u64: word => word;
    i64: number => number as u64;
    usize: number => number as u64;
    bool: is => u64::from(is);
    (): _nothing => 0;
    Value: value => value.0;
}

impl Value {
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.0
    }
}

impl<K> Answer for Ref<K> {
    #[inline(always)]
    fn word(self) -> u64 {
        Ref::word(self)
    }
}

impl<'w> Here<'w> {
    /// The worker's block.
    #[inline(always)]
    pub fn tcb(&mut self) -> *mut Tcb {
        self.tcb
    }

    /// The thread that has called.
    #[inline(always)]
    pub fn current(&self) -> u64 {
        // SAFETY: the calling worker's block.
        unsafe { (*self.tcb).current }
    }

    /// Whether the thread is in an atomic section.
    pub fn atomic_depth(&self) -> u64 {
        // SAFETY: the calling worker's block.
        unsafe { (*self.tcb).atomic_depth }
    }

    // -- views

    /// The bytes of a string or an array.
    #[inline]
    pub fn bytes<'h>(&'h self, text: &'h Text) -> &'h [u8] {
        // SAFETY: a raw array, and the token is borrowed: nothing collects meanwhile.
        unsafe { objects::bytes(text.0) }
    }

    /// The bytes of an array that may be written to.
    #[inline]
    pub fn bytes_mut<'h>(&'h self, array: &'h mut Text) -> &'h mut [u8] {
        // SAFETY: as in `bytes`; the one name that this primitive has for the array is borrowed.
        unsafe { objects::bytes_mut(array.0) }
    }

    /// A string as a path, or as another string for the system; None when there is a NUL in it.
    pub fn path(&self, text: Text) -> Option<CString> {
        CString::new(self.bytes(&text)).ok()
    }

    /// The elements of an array of ints.
    #[inline]
    pub fn ints<'h>(&'h self, array: &'h Ints) -> &'h [i64] {
        // SAFETY: a raw array of words, and the token is borrowed.
        unsafe {
            let length = header::payload_bytes(objects::header_of(array.0)) / 8;
            core::slice::from_raw_parts(array.0 as *const i64, length)
        }
    }

    /// Sets an element of an array of ints.
    #[inline]
    pub fn set(&self, array: &mut Ints, index: usize, value: i64) {
        // SAFETY: as in `ints`; the index is looked at.
        unsafe {
            let length = header::payload_bytes(objects::header_of(array.0)) / 8;
            core::slice::from_raw_parts_mut(array.0 as *mut i64, length)[index] = value;
        }
    }

    /// A string as text for messages; bytes that are no UTF-8 become replacement characters.
    pub fn text(&self, text: &Text) -> String {
        String::from_utf8_lossy(self.bytes(text)).into_owned()
    }

    /// What an object is made of; None of a value that is none.
    pub fn parts<'h>(&'h self, value: Value) -> Option<Parts<'h>> {
        if header::is_immediate(value.0) {
            return None;
        }
        // SAFETY: a reference that is no immediate is an object, whose header tells of its payload; the token is
        // borrowed.
        unsafe {
            let header = objects::header_of(value.0);
            let (raw, refs) = match ObjectKind::of(header) {
                ObjectKind::Record | ObjectKind::Weak => (8 * header::raw_words(header), header::ref_words(header)),
                ObjectKind::RefArray => (0, header::length(header) as usize),
                ObjectKind::RawArray => (header::payload_bytes(header), 0),
                ObjectKind::Stack | ObjectKind::Thread => (0, 0),
            };
            let payload = value.0 as *const u8;
            let refs = core::slice::from_raw_parts(payload.add(raw & !7).cast::<Value>(), refs);
            Some(Parts { header, raw: core::slice::from_raw_parts(payload, raw), refs })
        }
    }

    // -- what may collect

    /// See [`alloc::allocate`].
    #[inline]
    pub fn allocate(&mut self, header: u64, keep: &mut [u64]) -> u64 {
        // SAFETY: the token's promise.
        unsafe { alloc::allocate(self.tcb, header, keep) }
    }

    /// See [`alloc::allocate_or_end`].
    pub fn allocate_or_end(&mut self, header: u64, keep: &mut [u64]) -> u64 {
        // SAFETY: the token's promise.
        unsafe { alloc::allocate_or_end(self.tcb, header, keep) }
    }

    /// A string of these bytes, which do not lie in the heap.
    #[inline]
    pub fn new_string(&mut self, bytes: &[u8]) -> u64 {
        // SAFETY: the token's promise; a view of the heap would borrow it.
        unsafe { alloc::new_string(self.tcb, bytes) }
    }

    /// Collects; another worker's collection does not count.
    pub fn collect(&mut self, kind: Collection) {
        // SAFETY: the token's promise; nothing is kept.
        unsafe { while !alloc::collect(self.tcb, kind, &mut []) {} }
    }

    /// Has what is young and dead collected, if there is room for a collection.
    pub fn collect_what_is_dead(&mut self) {
        // SAFETY: the token's promise; nothing is kept.
        unsafe { alloc::collect_what_is_dead(self.tcb, &mut []) }
    }

    /// See [`leat_fiber::stop_world`].
    pub fn stop_world(&mut self, work: impl FnOnce(&[*mut Tcb])) -> bool {
        // SAFETY: a call of the runtime is a safepoint; the token is borrowed, so no view is held.
        unsafe { leat_fiber::stop_world(self.tcb, work) }
    }

    /// The report of all threads, and the figures of scheduler, collector, timers and descriptors. None when another
    /// worker has stopped the world, and has let it go on.
    pub fn report(&mut self) -> Option<String> {
        let (tcb, mut text) = (self.tcb, String::new());
        // SAFETY: the world is stopped; the calling worker's block.
        let done = self.stop_world(|_| text = unsafe { report::all_threads() + &report::figures(&*tcb) });
        done.then_some(text)
    }

    /// A weak pointer.
    pub fn new_weak(&mut self, object: u64) -> u64 {
        let mut keep = [object];
        let weak = self.allocate(header::weak(), &mut keep);
        // SAFETY: a fresh object is filled without a barrier.
        unsafe { *(weak as *mut u64) = keep[0] };
        weak
    }

    /// A string, or an error number put into the array.
    pub fn text_or_error(&mut self, text: Result<Vec<u8>, i32>, mut array: Ints) -> u64 {
        self.set(&mut array, 0, text.as_ref().err().copied().unwrap_or(0) as i64);
        self.new_string(&text.unwrap_or_default())
    }

    /// See [`alloc::while_blocked`].
    pub fn while_blocked<T>(&mut self, keep: &mut [u64], wait: impl FnOnce() -> T) -> T {
        // SAFETY: the token's promise.
        unsafe { alloc::while_blocked(self.tcb, keep, wait) }
    }

    /// See [`lend::lend`].
    pub fn lend(&mut self, fds: &[i32], keep: &mut [u64]) {
        // SAFETY: the token's promise.
        unsafe { lend::lend(self.tcb, fds, keep) }
    }

    /// See [`lend::lend_all`].
    pub fn lend_all(&mut self) {
        // SAFETY: the token's promise.
        unsafe { lend::lend_all(self.tcb) }
    }

    // -- the worker

    /// The heap's figures, those of this worker's nursery among them.
    pub fn heap_stats(&self) -> Stats {
        // SAFETY: the calling worker's block.
        runtime().heap.stats(Some(unsafe { &*self.tcb }))
    }

    /// Begins a profile; false when there is one already.
    pub fn start_profile(&mut self, kind: ProfileKind) -> bool {
        // SAFETY: the calling worker's block; a call of the runtime is a safepoint, and no view is held.
        unsafe { profile::start_now(self.tcb, kind, &runtime().name) }
    }

    /// The text of the profile that the program has begun, if it has.
    pub fn stop_profile(&mut self, kind: ProfileKind) -> Option<String> {
        // SAFETY: as above.
        unsafe { profile::stop_now(self.tcb, kind) }
    }

    /// Begins a trace; false when there is one already.
    pub fn start_trace(&mut self) -> bool {
        let begun = trace::begin_now();
        if begun {
            // SAFETY: as above.
            unsafe { profile::tell_changes(self.tcb) };
        }
        begun
    }

    /// The text of the trace that the program has begun, if it has.
    pub fn stop_trace(&mut self) -> Option<String> {
        let text = trace::finish_now();
        if text.is_some() {
            // SAFETY: as above.
            unsafe { profile::tell_changes(self.tcb) };
        }
        text
    }

    /// The address behind the call of this primitive.
    pub fn called_from(&self) -> usize {
        // SAFETY: the stub has noted where the return address stands.
        unsafe { *((*self.tcb).saved_call_sp as *const usize) }
    }

    /// The worker's stack for the next call that C may call back from.
    pub fn spare_call(&mut self) -> &mut Option<&'static Call> {
        // SAFETY: the calling worker's own part; the token is borrowed.
        unsafe { &mut (*worker(self.tcb)).spare_call }
    }

    /// The name and the message of an exception.
    pub fn describe(&self, packet: u64) -> (String, Option<String>) {
        // SAFETY: a packet, and nothing collects meanwhile.
        unsafe { exceptions::describe(packet) }
    }

    /// See [`report::backtrace`].
    pub fn backtrace(&self, text: &mut String) {
        // SAFETY: the token's promise.
        unsafe { report::backtrace(self.tcb, text) }
    }

    /// See [`report::backtrace_of_raise`]: the call is that of a raise of this packet without a handler.
    pub fn backtrace_of_raise(&self, packet: u64, text: &mut String) {
        // SAFETY: the token's promise.
        unsafe { report::backtrace_of_raise(self.tcb, packet, text) }
    }

    /// What the raise has passed that has landed in the calling frame; answers whether the packet was raised before.
    ///
    /// # Safety
    /// Within `Host::placed`.
    pub unsafe fn passed(&mut self, packet: u64, visit: impl FnMut(&'static CodeTable, &'static Site)) -> bool {
        // SAFETY: the caller's promise, and the token's.
        unsafe {
            unwind::passed(self.tcb, visit);
            report::is_raised_again(self.tcb, packet)
        }
    }

    /// Frame pointer, return-address slot and return address of the call that the thread is in.
    pub fn call_place(&self) -> (usize, usize, usize) {
        // SAFETY: the calling worker's block; the slot is on the thread's stack.
        unsafe {
            let slot = (*self.tcb).saved_call_sp;
            ((*self.tcb).saved_fp, slot, *(slot as *const usize))
        }
    }

    /// The thread, which does not return any more from the function that it is in, is again where that was called from,
    /// for reports and the debugger; unless that frame is not in place.
    pub fn called_again_from(&mut self, (fp, slot, pc): (usize, usize, usize)) {
        // SAFETY: the calling worker's block; a function has its caller's frame pointer and the return address where
        // its own points to.
        unsafe {
            let own = (*self.tcb).saved_fp;
            if own + 8 == slot && *(own as *const [usize; 2]) == [fp, pc] {
                (*self.tcb).saved_fp = fp;
                (*self.tcb).saved_call_sp = slot;
            }
        }
    }

    /// See [`report::raised`].
    pub fn raised(&self, handled: bool) -> history::Trace {
        // SAFETY: the token's promise.
        unsafe { report::raised(self.tcb, handled) }
    }

    // -- threads

    /// In a program that is watched for races: who makes a thread ready has seen all before.
    pub fn note_wakes(&mut self, thread: Ref<Thread>) {
        if race::is_on() {
            // SAFETY: the token's promise; a thread object.
            unsafe { race::wakes(self.tcb, thread.word()) }
        }
    }

    /// A thread that will call a closure, with these properties; in no queue. Used-up memory ends the program.
    pub fn new_thread(&mut self, closure: Ref<Closure>, props: u64) -> Ref<Thread> {
        let mut keep = [closure.word(), props];
        // SAFETY: the token's promise; a fresh object is filled before the next safepoint, and young.
        unsafe {
            let thread = alloc::allocate_or_end(self.tcb, Thread::HEADER, &mut keep);
            leat_fiber::init_thread(self.tcb, Ref::of(thread), Ref::of(keep[0]));
            (*(thread as *mut Thread)).props = keep[1];
            runtime().all_threads().add(thread);
            Ref::of(thread)
        }
    }

    /// As [`Here::new_thread`], made ready. It knows the running thread by its message.
    pub fn start_thread(&mut self, closure: Ref<Closure>, props: u64) {
        let thread = self.new_thread(closure, props);
        // SAFETY: fresh, and young; the calling worker's block.
        unsafe { (*thread.as_ptr()).message = (*self.tcb).current };
        self.ready(thread);
    }

    /// The thread that has called, which has this before the next safepoint.
    pub fn thread(&self) -> &Thread {
        // SAFETY: a call comes from a thread; the token is borrowed.
        unsafe { &*(self.current() as *const Thread) }
    }

    /// Leaves all atomic sections.
    pub fn end_atomic(&mut self) {
        // SAFETY: the calling worker's block.
        unsafe { (*self.tcb).atomic_depth = 0 }
    }

    /// Starts a timer.
    pub fn start_timer(&mut self, deadline: Nanos, token: Token) -> TimerId {
        // SAFETY: the token's promise; a thread object, or what is said of a waiter.
        unsafe { wake::start_timer(self.tcb, deadline, token) }
    }

    /// Fills the array with what callbacks are to be told: see [`leat_io::Manager::take_due`].
    pub fn take_due(&mut self, array: &mut Ints) -> usize {
        let (tcb, most, mut at) = (self.tcb, self.ints(array).len(), 0);
        // SAFETY: the token's promise; the manager has what the library has given it.
        let wake = |token, outcome| unsafe { wake::wake(tcb, token, outcome) };
        io().take_due(most, self.current(), wake, |told| {
            self.set(array, at, told as i64);
            at += 1;
        })
    }

    /// See [`wake::expire`].
    pub fn expire_timers(&mut self) -> bool {
        // SAFETY: the token's promise.
        unsafe { wake::expire(self.tcb) }
    }

    /// What the thread was told between two parks.
    pub fn take_own_value(&mut self) -> u64 {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::take_own_value(self.tcb) }
    }

    /// The ready thread that has waited longest, blocked now.
    pub fn take_ready(&mut self) -> Ref<Thread> {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::take_ready(self.tcb) }
    }

    /// A new thread, which nobody else knows, gets an OS thread of its own.
    pub fn bind(&mut self, thread: Ref<Thread>) -> Result<(), i32> {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::bind(self.tcb, thread) }
    }

    /// Takes a lock of the library, an int ref, or waits a moment.
    pub fn attempt(&mut self, cell: Ref<Cell>) -> bool {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::attempt(self.tcb, cell) }
    }

    /// Has a segment's stack in pieces that copies may share.
    pub fn segment_freeze(&mut self, segment: Ref<Thread>) -> bool {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::segment_freeze(self.tcb, segment) }
    }

    /// Tells a waiter of a descriptor.
    pub fn wake(&mut self, token: u64, outcome: Option<Outcome>) -> bool {
        // SAFETY: the token's promise; the manager has what the library has given it.
        unsafe { wake::wake(self.tcb, token, outcome) }
    }

    /// Makes a blocked thread ready.
    pub fn ready(&mut self, thread: Ref<Thread>) {
        // SAFETY: the token's promise.
        unsafe { leat_fiber::ready(self.tcb, thread) }
    }

    /// In a program that is watched for races: who sees the thread's end knows what it did.
    pub fn note_end(&mut self) {
        if race::is_on() {
            // SAFETY: the token's promise.
            unsafe { race::ends(self.tcb) }
        }
    }

    // -- what may switch threads or stacks: it is returned at once

    /// Lets other threads run.
    pub fn yield_now(self) -> u64 {
        // SAFETY: the token's promise; it is gone.
        unsafe { leat_fiber::yield_now(self.tcb) }
    }

    /// Ends the thread.
    pub fn exit(self) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::exit(self.tcb) }
    }

    /// Lets all workers leave: the program ends with this code.
    pub fn leave(self, code: u64) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::leave(self.tcb, code) }
    }

    /// Goes on with a blocked thread, while this one is blocked.
    pub fn switch(self, thread: Ref<Thread>) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::switch(self.tcb, thread) }
    }

    /// Goes on with a blocked thread, while this one is ready.
    pub fn handoff(self, thread: Ref<Thread>) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::handoff(self.tcb, thread) }
    }

    /// Fills a cell with the caller's continuation.
    pub fn capture(self, cell: Ref<Cell>) -> Ref<Cell> {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::capture(self.tcb, cell) }
    }

    /// Goes on where a cell was filled.
    pub fn throw(self, cell: Ref<Cell>, value: u64) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::throw(self.tcb, cell, value) }
    }

    /// Goes on with a closure on an empty stack.
    pub fn restart(self, closure: Ref<Closure>) -> Ref<Closure> {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::restart(self.tcb, closure) }
    }

    /// Exchanges the running thread's stack for a segment's.
    pub fn segment_swap(self, segment: Ref<Thread>, value: u64) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::segment_swap(self.tcb, segment, value) }
    }

    /// Gives the running thread's stack up for a segment's.
    pub fn segment_end(self, segment: Ref<Thread>, value: u64) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::segment_end(self.tcb, segment, value) }
    }

    /// Parks the thread.
    #[inline]
    pub fn park(self, reason: u64) -> u64 {
        // SAFETY: as in `yield_now`.
        unsafe { leat_fiber::park(self.tcb, reason) }
    }

    /// Has the calling thread raise the exception of this packet.
    pub fn raise_packet(&mut self, packet: u64) {
        // SAFETY: the calling worker's block; the stub looks at it.
        unsafe { (*self.tcb).pending_exn = packet }
    }

    /// Has the calling thread raise an exception.
    pub fn raise(self, builtin: Builtin) -> u64 {
        // SAFETY: the token's promise.
        unsafe { raise::raise_builtin(self.tcb, builtin) }
    }
}
