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
//! A page of thunks is written before it may be executed, and never changed.

use std::collections::{HashMap, VecDeque};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leat_abi::foreign::block;
use leat_abi::foreign::callback::{self, ADDRESS_BITS};
use leat_abi::tcb::Tcb;
use leat_fiber::NONE;

/// The state of a call.
#[repr(C, align(16))]
pub struct Call {
    /// Of the worker that has called C.
    pub tcb: *mut Tcb,
    /// Where the arguments of the function that C wants are, and the saved registers behind them; null before C wants
    /// one, and when it has returned.
    pub arguments: *mut u64,
    /// That function.
    pub entry: *const Entry,
    /// Counts the times that C was left.
    pub serial: u64,
    /// The exception that is raised at the end, or `NONE`. A root.
    pub packet: AtomicU64,
    /// Of a call by an OS thread that is no worker: 1 when it is answered; the OS thread waits for that. Else 2.
    pub answered: AtomicU32,
    /// The lowest address of the stack.
    low: usize,
    /// Another number for each call; the word before the block.
    pub ticket: u64,
}

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

impl Call {
    /// The call of an OS thread that is no worker.
    pub fn outside(arguments: *mut u64, entry: *const Entry) -> Call {
        let (packet, answered) = (AtomicU64::new(NONE), AtomicU32::new(0));
        Call { tcb: null_mut(), arguments, entry, serial: 0, packet, answered, low: 0, ticket: 0 }
    }

    /// The call of a state.
    pub fn of(state: u64) -> *mut Call {
        (state & ((1 << ADDRESS_BITS) - 1)) as *mut Call
    }

    /// The call whose block is there.
    pub fn of_block(block: u64) -> *mut Call {
        (block as usize - BLOCK) as *mut Call
    }

    pub fn block(call: *mut Call) -> u64 {
        call as u64 + BLOCK as u64
    }

    /// The state in which C waits.
    ///
    /// # Safety
    /// C has called SML, and has not gone on.
    pub unsafe fn state(call: *mut Call) -> u64 {
        // SAFETY: as the caller says.
        unsafe { call as u64 | (*call).serial << ADDRESS_BITS }
    }
}

/// A function of SML that C may call.
pub struct Entry {
    /// It takes the address of its arguments. `NONE`: there is none any more. A root.
    pub function: AtomicU64,
    /// Its name and place, for messages: an index into `Callbacks::names`, or 0.
    name: AtomicU64,
    /// Bytes of a result that goes through memory, whose address is C's first argument; or 0.
    memory: AtomicU64,
}

#[derive(Default)]
struct Callbacks {
    pages: Vec<&'static [Entry]>,
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
    all: Vec<usize>,
    free: Vec<usize>,
}

/// Calls of OS threads that are no workers: those that nobody has taken, and all that are not answered.
struct Requests {
    next: VecDeque<usize>,
    open: Vec<usize>,
}

static CALLBACKS: Mutex<Option<Callbacks>> = Mutex::new(None);
static STACKS: Mutex<Stacks> = Mutex::new(Stacks { all: Vec::new(), free: Vec::new() });
static REQUESTS: Mutex<Requests> = Mutex::new(Requests { next: VecDeque::new(), open: Vec::new() });

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

/// A program begins: what an earlier one has left is of no heap any more.
pub fn begin() {
    if let Some(callbacks) = &mut *lock(&CALLBACKS) {
        for (code, entry) in callbacks.by_code.drain() {
            entry.function.store(NONE, Ordering::SeqCst);
            callbacks.free.push((entry, code));
        }
        callbacks.by_slot.clear();
    }
    lock(&REQUESTS).next.clear();
    for &call in &lock(&STACKS).all {
        // SAFETY: all of them are mapped.
        unsafe { (*(call as *mut Call)).packet.store(NONE, Ordering::SeqCst) };
    }
}

// -- stacks

/// A stack with nothing on it. None: the system gives no memory.
pub fn take() -> Option<*mut Call> {
    let mut stacks = lock(&STACKS);
    let call = match stacks.free.pop() {
        Some(call) => call,
        None => {
            let call = SIZES.into_iter().find_map(map)?;
            stacks.all.push(call);
            call
        }
    };
    Some(call as *mut Call)
}

/// Reserves a stack: the address of its call.
fn map(size: usize) -> Option<usize> {
    // SAFETY: fresh memory; the guard is its lowest part.
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
        call.write(Call { answered: AtomicU32::new(2), low, ..Call::outside(null_mut(), std::ptr::null()) });
        Some(call as usize)
    }
}

/// Nobody is on the stack any more. It stays mapped, for a continuation may still have a state of the call, and must
/// find that it is over; its pages are given back if there are many.
///
/// # Safety
/// The stack is one of [`take`], and its call has ended.
pub unsafe fn give_back(call: *mut Call) {
    let mut stacks = lock(&STACKS);
    if stacks.free.len() >= KEPT {
        // SAFETY: pages that nobody uses; they are 0 when they are touched again.
        unsafe {
            let low = (*call).low;
            libc::madvise(low as *mut libc::c_void, call as usize - low, libc::MADV_DONTNEED);
        }
    }
    stacks.free.push(call as usize);
}

/// For the collector.
pub fn roots(visit: &mut dyn FnMut(*mut u64)) {
    for &call in &lock(&STACKS).all {
        // SAFETY: all of them are mapped.
        visit(unsafe { (*(call as *mut Call)).packet.as_ptr() });
    }
    if let Some(callbacks) = &*lock(&CALLBACKS) {
        for entry in callbacks.by_code.values() {
            visit(entry.function.as_ptr());
        }
    }
}

// -- functions

/// Makes a function known to C: the address of its code, which is that of the variable if it has one already. `jump`:
/// where the thunks lead. None: the system gives no memory.
pub fn export(function: u64, slot: u64, name: &str, memory: u64, jump: usize) -> Option<u64> {
    let mut callbacks = lock(&CALLBACKS);
    let callbacks = callbacks.get_or_insert_default();
    let known = callbacks.by_slot.get(&slot).filter(|_| slot != 0).copied();
    let (entry, code) = match known.and_then(|code| Some((*callbacks.by_code.get(&code)?, code))) {
        Some(known) => known,
        None => {
            if callbacks.free.is_empty() {
                callbacks.add_page(jump)?;
            }
            callbacks.free.pop()?
        }
    };
    let number = callbacks.names.iter().position(|known| **known == *name).unwrap_or_else(|| {
        callbacks.names.push(name.into());
        callbacks.names.len() - 1
    });
    entry.name.store(number as u64 + 1, Ordering::SeqCst);
    entry.memory.store(memory, Ordering::SeqCst);
    entry.function.store(function, Ordering::SeqCst);
    callbacks.by_code.insert(code, entry);
    if slot != 0 {
        callbacks.by_slot.insert(slot, code);
    }
    Some(code)
}

impl Callbacks {
    fn add_page(&mut self, jump: usize) -> Option<()> {
        let (zero, none) = (|| AtomicU64::new(0), || AtomicU64::new(NONE));
        let none = || Entry { function: none(), name: zero(), memory: zero() };
        let entries: &'static [Entry] = Box::leak((0..PAGE / THUNK).map(|_| none()).collect());
        // SAFETY: fresh memory, written before it is code.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let page = libc::mmap(null_mut(), PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if page == libc::MAP_FAILED {
                return None;
            }
            for (i, entry) in entries.iter().enumerate() {
                let mut code = vec![0x49, 0xbb];
                code.extend((entry as *const Entry as usize).to_le_bytes());
                code.extend([0x49, 0xba]);
                code.extend(jump.to_le_bytes());
                code.extend([0x41, 0xff, 0xe2]);
                let at = (page as *mut u8).add(THUNK * i);
                at.copy_from_nonoverlapping(code.as_ptr(), code.len());
                self.free.push((entry, at as u64));
            }
            if libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_EXEC) != 0 {
                return None;
            }
        }
        self.pages.push(entries);
        Some(())
    }
}

/// C does not call it any more; whether there was one, and how many are left.
pub fn free(code: u64) -> (bool, usize) {
    let mut callbacks = lock(&CALLBACKS);
    let callbacks = callbacks.get_or_insert_default();
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

/// What C gets from a function that has raised an exception: 0, or a structure of zeros.
///
/// # Safety
/// C waits for the function that it has called.
pub unsafe fn no_result(call: *mut Call) {
    // SAFETY: `leat_callback` has pushed the words, and the code of the function leaves the first one alone where it
    // is the address of the result's memory; entries stay.
    unsafe {
        let arguments = (*call).arguments;
        let memory = (*(*call).entry).memory.load(Ordering::SeqCst);
        if memory != 0 {
            (*arguments.add(callback::INTEGERS) as *mut u8).write_bytes(0, memory as usize);
            return;
        }
        for word in [callback::INTEGERS, callback::INTEGERS + 1, callback::REALS, callback::REALS + 1] {
            *arguments.add(word) = 0;
        }
    }
}

// -- OS threads

/// A call of an OS thread that is no worker, which waits until it is answered.
pub fn request(call: &Call, wake: impl FnOnce()) {
    let mut requests = lock(&REQUESTS);
    requests.next.push_back(call as *const Call as usize);
    requests.open.push(call as *const Call as usize);
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
}

/// The next of them.
pub fn next_request() -> Option<*mut Call> {
    lock(&REQUESTS).next.pop_front().map(|call| call as *mut Call)
}

/// The OS thread goes on, and its call is gone.
///
/// # Safety
/// The call is one of [`next_request`]'s that was not answered.
pub unsafe fn answer(call: *mut Call) {
    // SAFETY: as the caller says. A wake-up of a word that is gone by then is harmless.
    unsafe {
        lock(&REQUESTS).open.retain(|&open| open != call as usize);
        let word = (*call).answered.as_ptr();
        (*call).answered.store(1, Ordering::Release);
        libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1);
    }
}

/// The program is over: whoever waits gets 0.
pub fn answer_all() {
    let open = std::mem::take(&mut lock(&REQUESTS).open);
    for call in open {
        let call = call as *mut Call;
        // SAFETY: its OS thread waits until it is answered.
        unsafe {
            no_result(call);
            answer(call);
        }
    }
}
