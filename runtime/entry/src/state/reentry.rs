//! C that calls SML: stacks for calls that may be called back, C function pointers made of functions of SML, and calls
//! that OS threads wait for which are no workers.
//!
//! ```text
//!  base                                                        HEAD    block            end
//!  | guard | stack on which C runs                          <- | Call  | words, 8 KiB   |
//!                | return address | rbp rbx r12 .. r15 | 14 words: registers with arguments |
//!                                                      Call::arguments ^ while SML runs
//! ```
//!
//! A thunk is code that loads the address of an entry into r11 and jumps to `leat_callback` (`prim/reentry_x86_64.rs`).
//! The first ones are in the runtime's text, for there are systems that let no memory become executable. Where a
//! program has more functions than these at a time, a page of thunks is written before it may be executed, and never
//! changed.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leat_abi::foreign::block;
use leat_abi::foreign::callback;
use leat_abi::tcb::Tcb;
use leat_fiber::NONE;

/// The state of a call.
#[repr(C, align(16))]
pub struct Call {
    /// Of the worker that has called C.
    pub tcb: Cell<*mut Tcb>,
    /// Where the arguments of the function that C wants are, and the saved registers behind them; null before C wants
    /// one, and when it has returned.
    pub arguments: Cell<*mut u64>,
    /// That function.
    pub entry: Cell<Option<&'static Entry>>,
    /// Counts the times that C was left, in all calls on this stack: a continuation has it as it was, and C goes on
    /// only where it waits still. (16 bits of it were too few.)
    pub serial: Cell<u64>,
    /// The exception that is raised at the end, or `NONE`. A root.
    pub packet: AtomicU64,
    /// Of a call by an OS thread that is no worker: 1 when it is answered; the OS thread waits for that. Else 2.
    answered: AtomicU32,
    /// What is said of the function's registers and result; it is kept here, since the function may be freed meanwhile,
    /// and its entry be another one's.
    pub traits: Cell<u32>,
    /// The lowest address of the stack.
    low: usize,
    /// Another number for each call; the word before the block.
    pub ticket: Cell<u64>,
}

// SAFETY: the cells are those of one OS thread at a time: of the worker that runs the call's thread, or of whom a call
// by another OS thread is given to.
unsafe impl Sync for Call {}

/// A call in which C waits for SML.
#[derive(Clone, Copy)]
pub struct Waiting(&'static Call);

/// Bytes of the end of a stack, with the call and its block.
const ROOM: usize = 8 << 10;
/// Where the block is.
pub const BLOCK: usize = size_of::<Call>();
/// Words that a block may have.
pub const MOST_WORDS: usize = (ROOM - BLOCK) / 8;
const _: () = assert!(std::mem::offset_of!(Call, ticket) as isize == BLOCK as isize + 8 * block::TICKET);
/// Addresses of a stack, and its guard. The second size is tried when there is no room for the first.
const SIZES: [usize; 2] = [8 << 20, 256 << 10];
const GUARD: usize = 64 << 10;
/// Stacks that are kept for later calls.
const KEPT: usize = 64;

const _: () = assert!(std::mem::offset_of!(Call, arguments) == 8 * callback::ARGUMENTS);
const _: () = assert!(std::mem::offset_of!(Call, serial) == 8 * callback::SERIAL);

impl Call {
    /// The call of an OS thread that is no worker.
    pub fn outside(arguments: *mut u64, entry: Option<&'static Entry>) -> Call {
        Call {
            tcb: Cell::new(null_mut()),
            arguments: Cell::new(arguments),
            entry: Cell::new(entry),
            serial: Cell::new(0),
            packet: AtomicU64::new(NONE),
            answered: AtomicU32::new(0),
            traits: Cell::new(entry.map_or(0, |entry| entry.traits.load(Ordering::SeqCst) as u32)),
            low: 0,
            ticket: Cell::new(0),
        }
    }

    /// The call whose block is there.
    ///
    /// # Safety
    /// It is a block of one of [`take`]'s.
    pub unsafe fn of_block(block: u64) -> &'static Call {
        // SAFETY: as the caller says; stacks stay mapped.
        unsafe { &*((block as usize - BLOCK) as *const Call) }
    }

    /// Where its block is.
    pub fn block(&self) -> u64 {
        self.address() as u64 + BLOCK as u64
    }

    fn address(&self) -> usize {
        self as *const Call as usize
    }

    /// This call if C waits in it, and it is the one of this number still.
    pub fn waiting(&'static self, ticket: u64) -> Option<Waiting> {
        (self.ticket.get() == ticket && !self.arguments.get().is_null()).then_some(Waiting(self))
    }
}

impl Waiting {
    /// The call of a state.
    ///
    /// # Safety
    /// C waits in it, until it is told to go on or answered.
    pub unsafe fn of(state: u64) -> Waiting {
        // SAFETY: as the caller says.
        Waiting(unsafe { &*(state as *const Call) })
    }

    /// Its state.
    pub fn state(self) -> u64 {
        self.0.address() as u64
    }

    /// The function that C wants.
    pub fn entry(self) -> &'static Entry {
        self.0.entry.get().expect("C has called one")
    }

    /// Keeps an exception, unless there is one already.
    pub fn keep(self, packet: u64) {
        let _ = self.0.packet.compare_exchange(NONE, packet, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// What C gets from a function that has raised an exception: 0, or a structure of zeros.
    pub fn no_result(self) {
        let arguments = self.0.arguments.get();
        let memory = self.0.traits.get() >> callback::MEMORY;
        // SAFETY: C waits: `leat_callback` has pushed the words, and the code of the function leaves the first one
        // alone where it is the address of the result's memory.
        unsafe {
            if memory != 0 {
                (*arguments.add(callback::INTEGERS) as *mut u8).write_bytes(0, memory as usize);
                return;
            }
            for word in [callback::INTEGERS, callback::INTEGERS + 1, callback::REALS, callback::REALS + 1] {
                *arguments.add(word) = 0;
            }
        }
    }

    /// The OS thread that is no worker goes on, and its call is gone.
    pub fn answer(self) {
        lock(&REQUESTS).open.retain(|open| !std::ptr::eq(open.0, self.0));
        let word = self.0.answered.as_ptr();
        self.0.answered.store(1, Ordering::Release);
        // SAFETY: a wake-up of a word that is gone by then is harmless.
        unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
    }
}

/// A function of SML that C may call.
#[repr(C)]
pub struct Entry {
    /// It takes the address of its arguments. `NONE`: there is none any more. A root.
    pub function: AtomicU64,
    /// Its name and place, for messages: an index into `Callbacks::names`, or 0.
    name: AtomicU64,
    /// What is said of its registers: see [`callback::traits`].
    pub traits: AtomicU64,
}

impl Entry {
    const fn new() -> Entry {
        Entry { function: AtomicU64::new(NONE), name: AtomicU64::new(0), traits: AtomicU64::new(0) }
    }
}

/// Where there is code for C to call.
#[derive(Clone, Copy)]
pub struct Thunks {
    /// The first of [`FIRST_THUNKS`], each [`FIRST_THUNK`] bytes behind the one before it, of the entries of
    /// `leat_first_entries`.
    pub first: usize,
    /// Where all others lead.
    pub callback: usize,
}

/// Why a function is not made known to C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    NoMemory,
    /// There is memory, but it may not become executable.
    NotExecutable,
}

pub const FIRST_THUNKS: usize = 64;
pub const FIRST_THUNK: usize = 16;

#[unsafe(export_name = "leat_first_entries")]
static FIRST_ENTRIES: [Entry; FIRST_THUNKS] = [const { Entry::new() }; FIRST_THUNKS];

struct Callbacks {
    free: Vec<(&'static Entry, u64)>,
    /// The entry of each thunk that is in use.
    by_code: HashMap<u64, &'static Entry>,
    /// The code by the variable that has its address.
    by_slot: HashMap<u64, u64>,
    names: Vec<Box<str>>,
}

#[derive(Default)]
struct Stacks {
    /// All that there are, in use or not.
    all: Vec<&'static Call>,
    free: Vec<&'static Call>,
}

/// Calls of OS threads that are no workers: those that nobody has taken, and all that are not answered. `over`: nobody
/// takes any more.
struct Requests {
    next: VecDeque<Waiting>,
    open: Vec<Waiting>,
    over: bool,
}

/// The process in which a library was opened; 0: none was.
static OPENED_BY: AtomicU32 = AtomicU32::new(0);
static CALLBACKS: Mutex<Option<Callbacks>> = Mutex::new(None);
static STACKS: Mutex<Stacks> = Mutex::new(Stacks { all: Vec::new(), free: Vec::new() });
static REQUESTS: Mutex<Requests> = Mutex::new(Requests { next: VecDeque::new(), open: Vec::new(), over: false });

/// A thunk:
/// ```text
/// 49 bb ..  mov r11, entry
/// 49 ba ..  mov r10, leat_callback
/// 41 ff e2  jmp r10
/// ```
const THUNK: usize = 32;
const PAGE: usize = 4096;

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forks by `fork`, which tells whether this is the child, with the locks held that OS threads of C's may have: in the
/// child nobody else would give them back. What they have asked for is the parent's.
pub fn around_fork(fork: impl FnOnce() -> bool) {
    let (_callbacks, _stacks, mut requests) = (lock(&CALLBACKS), lock(&STACKS), lock(&REQUESTS));
    if fork() {
        requests.next.clear();
        requests.open.clear();
    }
}

/// A program begins: what an earlier one has left is of no heap any more.
pub fn begin() {
    if let Some(callbacks) = &mut *lock(&CALLBACKS) {
        for (code, entry) in callbacks.by_code.drain() {
            entry.function.store(NONE, Ordering::SeqCst);
            callbacks.free.push((entry, code));
        }
        callbacks.by_slot.clear();
    }
    let mut requests = lock(&REQUESTS);
    requests.next.clear();
    requests.over = false;
    drop(requests);
    for call in &lock(&STACKS).all {
        call.packet.store(NONE, Ordering::SeqCst);
    }
}

// -- stacks

/// A stack with nothing on it. None: the system gives no memory.
pub fn take() -> Option<&'static Call> {
    let mut stacks = lock(&STACKS);
    stacks.free.pop().or_else(|| {
        let call = SIZES.into_iter().find_map(map)?;
        stacks.all.push(call);
        Some(call)
    })
}

/// Reserves a stack.
fn map(size: usize) -> Option<&'static Call> {
    // SAFETY: fresh memory, which stays; the guard is its lowest part.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        let base = libc::mmap(null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if base == libc::MAP_FAILED {
            return None;
        }
        if libc::mprotect(base, GUARD, libc::PROT_NONE) != 0 {
            libc::munmap(base, size);
            return None;
        }
        let call = (base as usize + size - ROOM) as *mut Call;
        let low = base as usize + GUARD;
        call.write(Call { answered: AtomicU32::new(2), low, ..Call::outside(null_mut(), None) });
        Some(&*call)
    }
}

/// Nobody is on the stack of this call any more, which is one of [`take`]'s. It stays mapped, for a continuation may
/// still have a state of the call, and must find that it is over; its pages are given back if there are many.
pub fn give_back(call: &'static Call) {
    let mut stacks = lock(&STACKS);
    if stacks.free.len() >= KEPT {
        let unused = call.address() - call.low;
        // SAFETY: pages that nobody uses; they are 0 when they are touched again.
        unsafe { libc::madvise(call.low as *mut libc::c_void, unused, libc::MADV_DONTNEED) };
    }
    stacks.free.push(call);
}

/// For the collector.
pub fn roots(visit: &mut dyn FnMut(*mut u64)) {
    for call in &lock(&STACKS).all {
        visit(call.packet.as_ptr());
    }
    if let Some(callbacks) = &*lock(&CALLBACKS) {
        for entry in callbacks.by_code.values() {
            visit(entry.function.as_ptr());
        }
    }
}

// -- functions

/// Makes a function known to C: the address of its code, which is that of the variable if it has one already.
pub fn export(function: u64, slot: u64, name: &str, traits: u64, thunks: Thunks) -> Result<u64, Refused> {
    let mut callbacks = lock(&CALLBACKS);
    let callbacks = callbacks.get_or_insert_with(|| Callbacks::new(thunks));
    let known = callbacks.by_slot.get(&slot).filter(|_| slot != 0).copied();
    let (entry, code) = match known.and_then(|code| Some((*callbacks.by_code.get(&code)?, code))) {
        Some(known) => known,
        None => match callbacks.free.pop() {
            Some(free) => free,
            None => callbacks.add_page(thunks.callback)?,
        },
    };
    let number = callbacks.names.iter().position(|known| **known == *name).unwrap_or_else(|| {
        callbacks.names.push(name.into());
        callbacks.names.len() - 1
    });
    entry.name.store(number as u64 + 1, Ordering::SeqCst);
    entry.traits.store(traits, Ordering::SeqCst);
    entry.function.store(function, Ordering::SeqCst);
    callbacks.by_code.insert(code, entry);
    if slot != 0 {
        callbacks.by_slot.insert(slot, code);
    }
    Ok(code)
}

impl Callbacks {
    fn new(thunks: Thunks) -> Callbacks {
        let code = |i: usize| (thunks.first + FIRST_THUNK * i) as u64;
        let free = FIRST_ENTRIES.iter().enumerate().map(|(i, entry)| (entry, code(i))).rev().collect();
        Callbacks { free, by_code: HashMap::new(), by_slot: HashMap::new(), names: Vec::new() }
    }

    /// A page of thunks that lead to `callback`: one of them, and all others are free. They are there when the page may
    /// be executed, and not before.
    fn add_page(&mut self, callback: usize) -> Result<(&'static Entry, u64), Refused> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: fresh memory.
        let page = unsafe { libc::mmap(null_mut(), PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if page == libc::MAP_FAILED {
            return Err(Refused::NoMemory);
        }
        let entries: Box<[Entry]> = (0..PAGE / THUNK).map(|_| Entry::new()).collect();
        for (i, entry) in entries.iter().enumerate() {
            let mut code = vec![0x49, 0xbb];
            code.extend((entry as *const Entry as usize).to_le_bytes());
            code.extend([0x49, 0xba]);
            code.extend(callback.to_le_bytes());
            code.extend([0x41, 0xff, 0xe2]);
            // SAFETY: within the page, which is no code yet.
            unsafe { (page as *mut u8).add(THUNK * i).copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        }
        // SAFETY: the page is this function's still.
        if unsafe { libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
            let why = std::io::Error::last_os_error();
            // SAFETY: nobody has its address.
            unsafe { libc::munmap(page, PAGE) };
            return Err(match why.raw_os_error() {
                Some(libc::EACCES | libc::EPERM) => Refused::NotExecutable,
                _ => Refused::NoMemory,
            });
        }
        let entries: &'static [Entry] = Box::leak(entries);
        let made = entries.iter().enumerate().map(|(i, entry)| (entry, page as u64 + (THUNK * i) as u64));
        self.free.extend(made.rev());
        Ok(self.free.pop().expect("a page has thunks"))
    }
}

/// C does not call it any more; whether there was one, and how many are left.
pub fn free(code: u64) -> (bool, usize) {
    let mut callbacks = lock(&CALLBACKS);
    let Some(callbacks) = &mut *callbacks else { return (false, 0) };
    let entry = callbacks.by_code.remove(&code);
    if let Some(entry) = entry {
        entry.function.store(NONE, Ordering::SeqCst);
        callbacks.free.push((entry, code));
        callbacks.by_slot.retain(|_, other| *other != code);
    }
    (entry.is_some(), callbacks.by_code.len())
}

/// Its name and place.
pub fn name(entry: &Entry) -> String {
    let number = entry.name.load(Ordering::SeqCst) as usize;
    let callbacks = lock(&CALLBACKS);
    let name = number.checked_sub(1).and_then(|i| callbacks.as_ref()?.names.get(i));
    name.map_or_else(|| "a function of SML".to_string(), |name| name.to_string())
}

// -- OS threads

/// A call of an OS thread that is no worker, which waits until it is answered. Whether somebody was there to answer.
pub fn request(call: &Call, wake: impl FnOnce()) -> bool {
    // SAFETY: C waits until it is answered, and then nobody has the call any more.
    let waiting = unsafe { Waiting::of(call.address() as u64) };
    let mut requests = lock(&REQUESTS);
    if requests.over {
        return false;
    }
    requests.next.push_back(waiting);
    requests.open.push(waiting);
    drop(requests);
    wake();
    while call.answered.load(Ordering::Acquire) == 0 {
        // SAFETY: a system call with a word that lives.
        unsafe {
            let none = std::ptr::null::<libc::timespec>();
            libc::syscall(
                libc::SYS_futex,
                call.answered.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                0,
                none,
            );
        }
    }
    true
}

/// The next of them.
pub fn next_request() -> Option<Waiting> {
    lock(&REQUESTS).next.pop_front()
}

/// The program is over: whoever waits gets 0, and nobody waits from now on.
pub fn answer_all() {
    let open = {
        let mut requests = lock(&REQUESTS);
        requests.over = true;
        std::mem::take(&mut requests.open)
    };
    for call in open {
        call.no_result();
        call.answer();
    }
}

/// A library is opened in this process.
pub fn opened() {
    OPENED_BY.store(std::process::id(), Ordering::Relaxed);
}

/// Whether this process is a fork of the one that has opened the library: it has none of the OS threads that run SML,
/// and locks that these had taken are never released.
pub fn is_forked() -> bool {
    let opened_by = OPENED_BY.load(Ordering::Relaxed);
    opened_by != 0 && opened_by != std::process::id()
}
