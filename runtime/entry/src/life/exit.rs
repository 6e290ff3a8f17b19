//! How a program ends: main's return, `exit`, an uncaught exception, used-up memory.
//!
//! ```text
//!  RUNNING --exit code, main returns, uncaught in main--> EXIT FUNCTIONS --none left--> output flushed --> left
//!     |                                                     one thread after the other, last registered first
//!     +--out of memory, second signal---------------------------------------------------> left
//! ```

use core::sync::atomic::{AtomicU64, Ordering};

use leat_abi::exn::Builtin;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{ENDING, Thread};
use leat_fiber::Ref;

use crate::life::explore;
use crate::service::alloc::allocate_or_end;
use crate::service::{debugger as watched, end, exceptions, race, report, wake};
use crate::state::debugger;
use crate::state::runtime::{RUNNING, runtime, stderr, stdout};

/// The program ends with this code, after the exit functions. In an exit function, or by a signal: only the code changes,
/// and the next function runs. Another thread that comes while they run just ends: they are not done twice, nor cut short.
///
/// # Safety
/// Called by compiled code, or by a runtime function that returns its result at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exit(tcb: *mut Tcb, code: i64) -> u64 {
    let (runtime, code) = (runtime(), code as u64 & 0xff);
    // SAFETY: as the caller says.
    unsafe {
        if runtime.exit_code.compare_exchange(RUNNING, code, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            let current = Ref::of((*tcb).current);
            if !runtime.exit_thread.is(current) && !runtime.signal_thread.is(current) {
                (*tcb).atomic_depth = 0;
                return leat_fiber::exit(tcb);
            }
            runtime.exit_code.store(code, Ordering::SeqCst);
        }
        leat_exit_next(tcb)
    }
}

/// Function to run at exit; last registered first.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_at_exit(_tcb: *mut Tcb, closure: u64) -> u64 {
    runtime().at_exit.lock().unwrap_or_else(|e| e.into_inner()).push(closure);
    0
}

/// Runs the next exit function in a thread of its own; when there is none, the program leaves. The running thread ends, but
/// for that of the signals, which waits for the next one.
///
/// # Safety
/// Called by compiled code, or by a runtime function that returns its result at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exit_next(tcb: *mut Tcb) -> u64 {
    let runtime = runtime();
    let function = runtime.at_exit.lock().unwrap_or_else(|e| e.into_inner()).pop();
    // SAFETY: fresh objects are filled before the next safepoint; `leat_fiber` functions come last.
    unsafe {
        let Some(function) = function else { return leave(tcb) };
        let mut keep = [function, 1];
        // What the thread starts with: the code below, and behind it the function's own closure.
        keep[1] = allocate_or_end(tcb, header::record(1, 1, 0), &mut keep);
        *(keep[1] as *mut u64) = leat_entry_exit_function as *const () as u64;
        *(keep[1] as *mut u64).add(1) = keep[0];
        let thread = allocate_or_end(tcb, Thread::HEADER, &mut keep);
        let exits = Ref::of(thread);
        leat_fiber::init_thread(tcb, exits, Ref::of(keep[1]));
        runtime.exit_thread.set(exits);
        runtime.all_threads().add(thread);
        (*tcb).atomic_depth = 0;
        if runtime.signal_thread.is(Ref::of((*tcb).current)) {
            return leat_fiber::handoff(tcb, exits);
        }
        leat_fiber::ready(tcb, exits);
        leat_fiber::exit(tcb)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_exit(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe { thread_ended(tcb) }
}

/// Whose event a deadlock is (1), instead of the end of the program (0); it is not reported (2), or is again (3).
///
/// # Safety
/// Called by compiled code; `waiter` is an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_deadlock_watch(_tcb: *mut Tcb, on: u64, waiter: u64) -> u64 {
    match on {
        2 | 3 => runtime().deadlock_quiet.store(on == 2, Ordering::SeqCst),
        1 => runtime().deadlock_waiter.set(Ref::of(waiter)),
        _ => _ = runtime().deadlock_waiter.take(),
    }
    0
}

/// What a thread's uncaught exception is told to, instead of being reported.
///
/// # Safety
/// Called by compiled code; `closure` is one of type unit -> unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_uncaught_hook(_tcb: *mut Tcb, on: u64, closure: u64) -> u64 {
    match on {
        0 => _ = runtime().uncaught_hook.take(),
        _ => runtime().uncaught_hook.set(Ref::of(closure)),
    }
    runtime().uncaught_main.store(on == 2, Ordering::SeqCst);
    0
}

/// The running thread ends.
///
/// # Safety
/// As [`leat_exit_next`].
pub unsafe fn thread_ended(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if runtime().exit_thread.is(Ref::of((*tcb).current)) {
            return leat_exit_next(tcb);
        }
        if let Some(session) = runtime().session
            && let Some(value) = session.thread_ended(tcb)
        {
            return value;
        }
        leat_fiber::exit(tcb)
    }
}

/// No handler for this packet: reports it with a back-trace. The program ends when it was the main thread, else the
/// thread. [Rule 188]
///
/// # Safety
/// As [`leat_exit_next`], the raising thread's stack being intact.
pub unsafe fn uncaught(tcb: *mut Tcb, packet: u64) -> u64 {
    // SAFETY: as the caller says; nothing collects before the text is made.
    unsafe {
        let id = (*((*tcb).current as *const Thread)).id;
        if let Some(session) = runtime().session
            && let Some(value) = session.uncaught(tcb, packet)
        {
            return value;
        }
        if packet == exceptions::packet(Builtin::OutOfMemory)
            && let Some(what) = *runtime().last_refusal.lock().unwrap_or_else(|e| e.into_inner())
        {
            end::out_of_memory(tcb, what);
        }
        // The reader has gone, as behind `prog | head -1`: no message helps anybody. Most programs of this system end by
        // SIGPIPE then; here it is ignored, so that a program can handle it, and the exit code is that which a shell shows.
        if runtime().session.is_none() && runtime().uncaught_hook.is_none() && exceptions::is_broken_pipe(packet) {
            stdout().give_up();
            return leat_exit(tcb, end::BROKEN_PIPE.into());
        }
        // A session's main thread is looked after above.
        let is_main = id == 1 && runtime().session.is_none();
        let is_told = !is_main || runtime().uncaught_main.load(Ordering::SeqCst);
        if is_told && let Some(hook) = runtime().uncaught_hook.get() {
            if debugger::is_on() {
                watched::uncaught(tcb, &format!("uncaught exception {} in thread {id}", exceptions::line(packet)));
            }
            start_thread(tcb, hook.word(), packet);
            return thread_failed(tcb);
        }
        let mut text = format!("uncaught exception {}", exceptions::line(packet));
        if !is_main {
            text.push_str(&format!(" in thread {id}"));
        }
        text.push('\n');
        report::backtrace(tcb, &mut text, false);
        // What the program printed before stands before.
        let _ = stdout().flush();
        let _ = stderr().print_now(text.as_bytes());
        if debugger::is_on() {
            watched::uncaught(tcb, &text);
        }
        drop(text);
        if is_main {
            return leat_exit(tcb, 1);
        }
        explore::note_dead_thread();
        thread_failed(tcb)
    }
}

/// The running thread ends by an exception. Those who wait for its end are told: the first word of a thread's properties is
/// a function for that (`ThreadProps'` in the library), which runs in a thread of its own.
unsafe fn thread_failed(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says; properties are records whose first word is a closure.
    unsafe {
        let thread = (*tcb).current as *mut Thread;
        if race::is_on() {
            race::ends(tcb);
        }
        // First it says that it ends, then it looks: see `leat_thread_ended`.
        AtomicU64::from_ptr(&raw mut (*thread).stamp).swap(ENDING, Ordering::SeqCst);
        let props = (*thread).props;
        if !header::is_immediate(props) {
            start_thread(tcb, *(props as *const u64), 1);
        }
        thread_ended(tcb)
    }
}

/// Makes a thread that calls `closure`, and makes it ready. It knows the running thread and `props`.
unsafe fn start_thread(tcb: *mut Tcb, closure: u64, props: u64) {
    // SAFETY: as the caller says; the new thread is filled before the next safepoint, and young.
    unsafe {
        let mut keep = [closure, props];
        let thread = allocate_or_end(tcb, Thread::HEADER, &mut keep);
        leat_fiber::init_thread(tcb, Ref::of(thread), Ref::of(keep[0]));
        (*(thread as *mut Thread)).props = keep[1];
        (*(thread as *mut Thread)).message = (*tcb).current;
        runtime().all_threads().add(thread);
        leat_fiber::ready(tcb, Ref::of(thread));
    }
}

/// All threads are blocked and nothing can wake them. True when the program goes on, since a thread waits for that.
///
/// # Safety
/// No worker runs a thread; `tcb` is the calling worker's.
pub unsafe fn deadlocked(tcb: *mut Tcb) -> bool {
    let runtime = runtime();
    if runtime.exit_code.load(Ordering::SeqCst) != RUNNING {
        // An exit function waits for what cannot come. The others have their turn, and the code stays.
        // SAFETY: as the caller says.
        unsafe {
            if let Some(text) = report::blocked_threads(|thread| runtime.exit_thread.is(Ref::of(thread))) {
                let _ = stdout().flush();
                let _ = stderr().print_now(text.as_bytes());
            }
            if runtime.at_exit.lock().unwrap_or_else(|e| e.into_inner()).is_empty() {
                return false;
            }
            runtime.exit_stuck.store(true, Ordering::SeqCst);
            if let Some(signals) = runtime.signal_thread.get() {
                leat_fiber::ready(tcb, signals);
            }
        }
        return true;
    }
    if let Some(waiter) = runtime.deadlock_waiter.take() {
        // SAFETY: as the caller says; the waiter is one of the library's.
        unsafe {
            let thread = (*waiter.as_ptr()).thread;
            if !runtime.deadlock_quiet.load(Ordering::SeqCst)
                && let Some(text) = report::blocked_threads(|other| other != thread)
            {
                let _ = stdout().flush();
                let _ = stderr().print_now(text.as_bytes());
            }
            wake::event_happened(tcb, waiter.word());
        }
        return true;
    }
    if let Some(session) = runtime.session
        // SAFETY: as the caller says.
        && unsafe { session.deadlocked(tcb) }
    {
        return true;
    }
    // SAFETY: as the caller says.
    let code = match unsafe { report::blocked_threads(|_| true) } {
        Some(text) => {
            let _ = stdout().flush();
            let _ = stderr().print_now(text.as_bytes());
            if debugger::is_on() {
                // SAFETY: as the caller says.
                unsafe { watched::deadlock(tcb, &text) };
            }
            1
        }
        // The main thread has ended by itself, and so have the others.
        None => 0,
    };
    runtime.exit_code.store(code, Ordering::SeqCst);
    false
}

/// Lets all workers leave; `crate::life::start` goes on.
unsafe fn leave(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the callers say.
    unsafe { leat_fiber::leave(tcb, runtime().exit_code.load(Ordering::SeqCst)) }
}

unsafe extern "C" {
    /// Code of the main thread's start: calls the main function, then exits with 0.
    pub(crate) fn leat_entry_main();
    /// Code of that of a library: calls the main function, tells that the library is open, and waits for good.
    pub(crate) fn leat_entry_library();
    /// Code of an exit function's thread: calls the function, then goes on with the next.
    fn leat_entry_exit_function();
}

// Called by the fibers' start code with the closure in rdi; rbp is 0 there and stays so, which ends walks. No code table
// knows the return addresses.
core::arch::global_asm!(
    ".p2align 4",
    ".globl leat_entry_main",
    "leat_entry_main:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 16",
    "call [rdi + 8]",
    "mov rdi, r15",
    "xor esi, esi",
    "call leat_exit_stub",
    "ud2",
    ".cfi_endproc",
    ".p2align 4",
    ".globl leat_entry_library",
    "leat_entry_library:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 16",
    "call [rdi + 8]",
    "mov rdi, r15",
    "call leat_library_opened_stub",
    "2:",
    "mov rdi, r15",
    "xor esi, esi",
    "call leat_thread_park_stub",
    "jmp 2b",
    ".cfi_endproc",
    ".p2align 4",
    ".globl leat_entry_exit_function",
    "leat_entry_exit_function:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 16",
    "mov rdi, [rdi + 8]",
    "call [rdi]",
    "mov rdi, r15",
    "call leat_exit_next_stub",
    "ud2",
    ".cfi_endproc",
);
