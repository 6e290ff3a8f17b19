//! How a program ends: main's return, `exit`, an uncaught exception, used-up memory.
//!
//! ```text
//!  RUNNING --exit code, main returns, uncaught in main--> EXIT FUNCTIONS --none left--> output flushed --> left
//!     |                                                     one thread after the other, last registered first
//!     +--no memory for that either, second signal----------------------------------------> left
//! ```

use core::mem::offset_of;
use core::sync::atomic::{AtomicU64, Ordering};

use leat_abi::exn::Builtin;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{ENDING, Thread};
use leat_fiber::{Closure, NONE, Ref};
use leat_io::clock;

use crate::life::explore;
use crate::service::here::{Caller, Here, Text};
use crate::service::{debugger as watched, end, exceptions, objects, race, report, wake};
use crate::state::debugger;
use crate::state::events::Token;
use crate::state::messages::{Asked, PATIENCE, Uncaught};
use crate::state::runtime::{RUNNING, runtime, stderr, stdout};

/// The program ends with this code, after the exit functions. In an exit function, or by a signal: only the code
/// changes, and the next function runs. Another thread that comes while they run ends, and who waits for its end is
/// told: they are not done twice, nor cut short.
///
pub fn leat_exit(mut here: Here, code: i64) -> u64 {
    let (runtime, code) = (runtime(), code as u64 & 0xff);
    if runtime.exit_code.compare_exchange(RUNNING, code, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        let current = Ref::of(here.current());
        if !runtime.exit_thread.is(current) && !runtime.signal_thread.is(current) {
            here.end_atomic();
            return thread_returned(here);
        }
        runtime.exit_code.store(code, Ordering::SeqCst);
    }
    exit_next(here)
}

/// Function to run at exit; last registered first.
pub fn leat_at_exit(_: Here, closure: u64) {
    runtime().at_exit.lock().unwrap_or_else(|e| e.into_inner()).push(closure);
}

/// Called by the code of an exit function's thread.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_exit_next(tcb: *mut Tcb) -> u64 {
    // SAFETY: the thread has called the runtime, by a stub.
    let here = unsafe { Here::enter(tcb) };
    // Where a signal has gone on with the next function while this one waited, that one's thread has the turn.
    thread_ended(here)
}

/// Runs the next exit function in a thread of its own; when there is none, all workers leave, and `crate::life::start`
/// goes on. The running thread ends, but for that of the signals, which waits for the next one.
pub fn exit_next(mut here: Here) -> u64 {
    let runtime = runtime();
    let function = runtime.at_exit.lock().unwrap_or_else(|e| e.into_inner()).pop();
    let Some(function) = function else { return here.leave(runtime.exit_code.load(Ordering::SeqCst)) };
    let mut keep = [function];
    let closure = here.allocate_or_end(header::record(1, 1, 0), &mut keep);
    // What the thread starts with: the code below, and behind it the function's own closure.
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe { (closure as *mut [u64; 2]).write([leat_entry_exit_function as *const () as u64, keep[0]]) };
    let exits = here.new_thread(Ref::of(closure), NONE);
    runtime.exit_thread.set(exits);
    here.end_atomic();
    if runtime.signal_thread.is(Ref::of(here.current())) {
        return here.handoff(exits);
    }
    here.ready(exits);
    here.exit()
}

pub fn leat_thread_exit(here: Here) -> u64 {
    thread_returned(here)
}

/// Whose event a deadlock is (1), instead of the end of the program (0); it is not reported (2), or is again (3).
pub fn leat_deadlock_watch(_: Here, on: u64, waiter: u64) {
    match on {
        2 | 3 => runtime().deadlock_quiet.store(on == 2, Ordering::SeqCst),
        1 => runtime().deadlock_waiter.set(Ref::of(waiter)),
        _ => _ = runtime().deadlock_waiter.take(),
    }
}

/// What a thread's uncaught exception is told to, instead of being reported; what makes its message (3), and what waits
/// for that (4).
pub fn leat_uncaught_hook(_: Here, on: u64, closure: Ref<Closure>) {
    match on {
        3 => return runtime().messages.tells.set(closure),
        4 => return runtime().messages.waits.set(closure),
        0 => _ = runtime().uncaught_hook.take(),
        _ => runtime().uncaught_hook.set(closure),
    }
    runtime().uncaught_main.store(on == 2, Ordering::SeqCst);
}

/// The running thread ends.
fn thread_ended(mut here: Here) -> u64 {
    if runtime().exit_thread.is(Ref::of(here.current())) {
        return exit_next(here);
    }
    if let Some(session) = runtime().session {
        match session.thread_ended(here) {
            Ok(value) => return value,
            Err(back) => here = back,
        }
    }
    here.exit()
}

/// No handler for this packet: reports it with a back-trace. The program ends when it was the main thread, else the
/// thread. [Rule 188]
///
/// # Safety
/// A packet, the raising thread's stack being intact.
pub unsafe fn uncaught(mut here: Here, packet: u64) -> u64 {
    let id = here.thread().id;
    let asked = runtime().messages.lock().remove(&id);
    if let Some(Asked { uncaught, .. }) = asked {
        // What waits for the message has no stack left for that.
        return tell(here, uncaught);
    }
    // SAFETY: as the caller says; nothing collects before the text is made.
    let line = || unsafe { exceptions::line(packet) };
    if runtime().session.is_none_or(|session| !session.is_evaluation(&here)) {
        // SAFETY: as above.
        let is_broken_pipe = unsafe { exceptions::is_broken_pipe(packet) };
        // The reader has gone, as behind `prog | head -1`: no message helps anybody. Most programs of this system end
        // by SIGPIPE then; here it is ignored, so that a program can handle it, and the exit code is that which a shell
        // shows.
        if runtime().session.is_none() && runtime().uncaught_hook.is_none() && is_broken_pipe {
            stdout().give_up();
            return leat_exit(here, end::BROKEN_PIPE.into());
        }
        let is_told = !is_main(&here) || runtime().uncaught_main.load(Ordering::SeqCst);
        if is_told && let Some(hook) = runtime().uncaught_hook.get() {
            if debugger::is_on() {
                watched::uncaught(&mut here, &format!("uncaught exception {} in thread {id}", line()));
            }
            here.start_thread(hook, packet);
            return thread_failed(here);
        }
    }
    let refusal = match packet == exceptions::packet(Builtin::OutOfMemory) {
        true => *runtime().last_refusal.lock().unwrap_or_else(|e| e.into_inner()),
        false => None,
    };
    let mut trace = String::new();
    here.backtrace_of_raise(packet, &mut trace);
    let refusal = refusal.map(|what| report::out_of_memory(what).trim_end().to_string());
    let uncaught = Uncaught { line: line(), trace, refusal, from: here.call_place() };
    match runtime().messages.tells.get() {
        Some(tells) if may_ask(&here, packet) => ask(here, packet, uncaught, tells),
        _ => tell(here, uncaught),
    }
}

/// Whether the running thread may wait for a message of this exception.
fn may_ask(here: &Here, packet: u64) -> bool {
    let is_used_up = [Builtin::OutOfMemory, Builtin::StackOverflow].map(exceptions::packet).contains(&packet);
    !is_used_up && here.atomic_depth() == 0
}

/// Begins to wait for the message of this exception.
fn ask(mut here: Here, packet: u64, uncaught: Uncaught, tells: Ref<Closure>) -> u64 {
    let id = here.thread().id;
    let asked = Asked { uncaught, message: None, deadline: clock::monotonic() + PATIENCE, timer: None };
    runtime().messages.lock().insert(id, asked);
    here.start_thread(tells, packet);
    let waits = runtime().messages.waits.get().map_or(NONE, |waits| waits.word());
    // SAFETY: set together with the other function, a closure that takes the unit value and does not return. The thread
    // has called the runtime from where it has raised, and no frame of the C stack has anything to do any more.
    unsafe { leat_entry_go_on(here.tcb(), waits) }
}

pub fn leat_uncaught_message(mut here: Here, victim: Ref<Thread>, text: Text) {
    let text = String::from_utf8_lossy(here.bytes(&text)).trim_end().to_string();
    // SAFETY: a thread object.
    let id = unsafe { (*victim.as_ptr()).id };
    let mut all = runtime().messages.lock();
    let Some(asked) = all.get_mut(&id).filter(|asked| asked.message.is_none()) else { return };
    asked.message = Some(text);
    // Else the time is over, and the timer itself has made the thread ready.
    let wakes = asked.timer.take().is_some_and(|timer| runtime().events.cancel(timer));
    drop(all);
    if wakes {
        here.ready(victim);
    }
}

pub fn leat_uncaught_wait(mut here: Here) -> u64 {
    let id = here.thread().id;
    let mut all = runtime().messages.lock();
    let is_over = |asked: &Asked| asked.message.is_some() || clock::monotonic() >= asked.deadline;
    match all.get_mut(&id) {
        Some(asked) if !is_over(asked) => {
            if let Some(timer) = asked.timer.take() {
                runtime().events.cancel(timer);
            }
            let token = Token::plain(here.current());
            asked.timer = Some(here.start_timer(asked.deadline, token));
            drop(all);
            here.park(leat_fiber::reason::UNKNOWN)
        }
        Some(_) => {
            let asked = all.remove(&id);
            drop(all);
            let Some(Asked { mut uncaught, message, .. }) = asked else { return 0 };
            if let Some(message) = message.filter(|message| !message.is_empty()) {
                uncaught.line = message;
            }
            here.called_again_from(uncaught.from);
            tell(here, uncaught)
        }
        None => thread_failed({
            drop(all);
            here
        }),
    }
}

/// A session's main thread is looked after by the session.
fn is_main(here: &Here) -> bool {
    here.thread().id == 1 && runtime().session.is_none()
}

/// Reports an exception of the running thread. The program ends when it is the main one, else the thread.
fn tell(mut here: Here, uncaught: Uncaught) -> u64 {
    let Uncaught { line, trace, refusal, .. } = uncaught;
    if let Some(session) = runtime().session {
        match session.uncaught(here, &format!("uncaught exception {line}\n{trace}")) {
            Ok(value) => return value,
            Err(back) => here = back,
        }
    }
    let (id, is_main) = (here.thread().id, is_main(&here));
    let mut text = String::new();
    if refusal.is_none() || !is_main {
        text.push_str(&format!("uncaught exception {line}"));
    }
    if !is_main {
        text.push_str(&format!(" in thread {id}"));
    }
    if let Some(what) = refusal {
        text.push_str(if is_main { "" } else { ": " });
        text.push_str(&what);
    }
    text.push('\n');
    text.push_str(&trace);
    // What the program printed before stands before.
    let _ = stdout().flush();
    let _ = stderr().print_now(text.as_bytes());
    if debugger::is_on() {
        watched::uncaught(&mut here, &text);
    }
    drop((text, line, trace));
    if is_main {
        return leat_exit(here, 1);
    }
    explore::note_dead_thread();
    thread_failed(here)
}

/// The running thread ends, by `Thread.exit` or since its function has returned. `CML.exit` and threads of `CML.spawn`
/// have told those who wait for that; others know nothing of them.
pub fn thread_returned(mut here: Here) -> u64 {
    if say_end(&mut here) == ENDING { thread_ended(here) } else { thread_failed(here) }
}

/// The running thread says that it ends; gives its stamp before.
fn say_end(here: &mut Here) -> u64 {
    // SAFETY: the running thread, whose stamp others read.
    unsafe { AtomicU64::from_ptr(&raw mut (*(here.current() as *mut Thread)).stamp).swap(ENDING, Ordering::SeqCst) }
}

/// The running thread ends by an exception. Those who wait for its end are told: the first word of a thread's
/// properties is a function for that (`ThreadProps'` in the library), which runs in a thread of its own.
fn thread_failed(mut here: Here) -> u64 {
    here.note_end();
    // First it says that it ends, then it looks: see `leat_thread_ended`.
    say_end(&mut here);
    let props = here.thread().props;
    if !header::is_immediate(props) {
        // SAFETY: properties are records whose first word is a closure.
        let closure = Ref::of(unsafe { objects::word(props, 0) });
        here.start_thread(closure, NONE);
    }
    thread_ended(here)
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
            race::outlives(thread);
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
    // The exit functions have their turn, as at any other end: they write out what the program's streams have.
    if runtime.at_exit.lock().unwrap_or_else(|e| e.into_inner()).is_empty() {
        return false;
    }
    let Some(signals) = runtime.signal_thread.get() else { return false };
    runtime.exit_stuck.store(true, Ordering::SeqCst);
    // SAFETY: as the caller says.
    unsafe { leat_fiber::ready(tcb, signals) };
    true
}

unsafe extern "C" {
    /// Code of the main thread's start: calls the main function, then exits with 0.
    pub(crate) fn leat_entry_main();
    /// Code of that of a library: calls the main function, tells that the library is open, and waits for good.
    pub(crate) fn leat_entry_library();
    /// The thread goes on in this closure, as if it had called it where it has called the runtime. rdi the thread
    /// block, rsi the closure.
    fn leat_entry_go_on(tcb: *mut Tcb, closure: u64) -> !;
    /// Code of an exit function's thread: calls the function, then goes on with the next.
    fn leat_entry_exit_function();
}

// Called by the fibers' start code with the closure in rdi; rbp is 0 there and stays so, which ends walks. No code
// table knows the return addresses.
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
    ".globl leat_entry_go_on",
    "leat_entry_go_on:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "mov r15, rdi",
    "mov rsp, [r15 + {saved_call_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    "mov rdi, rsi",
    "jmp [rdi]",
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
    saved_call_sp = const offset_of!(Tcb, saved_call_sp),
    saved_fp = const offset_of!(Tcb, saved_fp),
);
