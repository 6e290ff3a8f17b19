//! Signals: a lost reader and a file that is too large are errors and no death; interruption, termination and hang-up
//! end the program as `exit` does; others are served as the program says; a crash says what happened.
//!
//! A handler notes the signal, asks the workers for a safepoint and wakes the poller: nothing else may be done in one.
//! At the safepoint the signals' thread is made ready, an SML thread that the runtime makes at the start and that no
//! report shows. It calls the library's dispatcher for the program's own signals, and exits for the others. A second
//! interruption that comes while the first is being served ends the process at once; but what a command sends twice,
//! to the process and to its group, as `timeout` does, is one.
//!
//! ```text
//!  handler: PENDING -> safepoint: the signals' thread is ready -> leat_signal_next --own--> dispatcher (library)
//!                                                                       +--------default--> exit with 128 + number
//!                                                                       +--------SIGQUIT--> a report of all threads
//! ```

use core::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use leat_abi::code;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::sample::{Interrupted, Sampled, sample, standing_at};
use leat_fiber::{Closure, Ref};
use leat_io::clock;
use leat_memory::Collection;

use crate::life::exit;
use crate::service::here::{Caller, Here};
use crate::service::report::{self, CodePlace};
use crate::service::system::set_timer;
use crate::state::arrivals::{
    self, CALLED, CLOSE, COLLECTED, COUNTS, ENDING, FIRST, HANDLED, MASKED, PENDING, bit, due,
};
use crate::state::children;
use crate::state::os_thread::{self, CRASHES, RUNS_SML, WAITS_AT, block_all, set_blocked};
use crate::state::output::write_within;
use crate::state::reentry;
use crate::state::runtime::{is_running, runtime, stderr, stdout};
use crate::state::session::restore_terminal;

/// The signal of a crash that somebody has sent, and by which the process is about to end; 0: none.
static DEADLY: AtomicI32 = AtomicI32::new(0);

/// Within so many nanoseconds a signal that another process sends again is the same one.
const SAME: u64 = 100_000_000;

/// How long it takes an OS thread that has taken a signal to note it.
const TO_HANDLER: Duration = Duration::from_millis(2);

/// How long a handler that ends the process writes what was printed, of each stream, if nobody reads; and one of a
/// crash, which stands behind what was printed.
const LAST_WORDS: Duration = Duration::from_millis(100);
const LAST_WORDS_OF_CRASH: Duration = Duration::from_millis(1000);

/// What asks for a report of all threads, unless the program serves it itself. The program goes on.
const REPORTS: i32 = libc::SIGQUIT;

/// What ends a program cleanly.
const ENDS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Bytes of the stack on which a crash is reported.
const CRASH_STACK: usize = 32 << 10;

/// What was there before [`install`].
pub struct Installed {
    ends: [Option<libc::sigaction>; 4],
    fault: [libc::sigaction; CRASHES.len()],
    errors: [libc::sigaction; children::ERRORS.len()],
    crash_stack: *mut libc::c_void,
}

/// A program begins: no signal has come.
pub fn begin() {
    arrivals::begin();
    reentry::begin();
    children::begin();
}

/// Installs the handlers for the run of a program.
pub fn install() -> Installed {
    begin();
    let errors = children::ERRORS.map(|signal| set(signal, Disposition::Ignored));
    let ends = [ENDS[0], ENDS[1], ENDS[2], REPORTS].map(|signal| {
        let old = set(signal, Disposition::Arrives);
        if old.sa_sigaction != libc::SIG_IGN {
            return Some(old);
        }
        // Started in the background by a shell, or under nohup: stays so.
        set(signal, Disposition::Ignored);
        None
    });
    let crash_stack = crash_stack();
    let fault = CRASHES.map(|(signal, _)| set(signal, Disposition::Crashes));
    Installed { ends, fault, errors, crash_stack }
}

/// The calling OS thread, which runs SML code, gets a stack for crash reports.
pub fn crash_stack() -> *mut libc::c_void {
    RUNS_SML.set(true);
    // Not zeroed: that would touch eight pages in each program's start.
    let memory = Box::leak(Box::<[u8]>::new_uninit_slice(CRASH_STACK)).as_mut_ptr().cast();
    let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: CRASH_STACK };
    // SAFETY: the memory is never freed while the thread may use it.
    unsafe { libc::sigaltstack(&stack, core::ptr::null_mut()) };
    memory
}

/// Runs a function on an OS thread of a bound thread, which has a stack for crash reports meanwhile, if there is memory
/// for it. (An array in this function's frame would be touched page by page when the function begins.)
pub fn with_crash_stack(work: &mut dyn FnMut()) {
    // SAFETY: the memory lives until the stack is switched off.
    unsafe {
        let memory = libc::malloc(CRASH_STACK);
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: CRASH_STACK };
        let off = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        if !memory.is_null() {
            libc::sigaltstack(&stack, core::ptr::null_mut());
        }
        let before = RUNS_SML.replace(true);
        work();
        RUNS_SML.set(before);
        libc::sigaltstack(&off, core::ptr::null_mut());
        libc::free(memory);
    }
}

impl Installed {
    /// Puts back what was there before.
    pub fn restore(self) {
        // SAFETY: these came from `sigaction`; the crash stack is switched off before it is freed.
        unsafe {
            for (signal, old) in ENDS.into_iter().chain([REPORTS]).zip(self.ends) {
                if let Some(old) = old {
                    set_as(signal, &old);
                }
            }
            for ((signal, _), old) in CRASHES.into_iter().zip(&self.fault) {
                set_as(signal, old);
                // The handler is on its way on another OS thread, and what was there before may pass the signal over.
                if DEADLY.load(Ordering::SeqCst) == signal {
                    set(signal, Disposition::Default);
                    libc::raise(signal);
                }
            }
            for (signal, old) in children::ERRORS.into_iter().zip(&self.errors) {
                set_as(signal, old);
            }
            let off = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            libc::sigaltstack(&off, core::ptr::null_mut());
            drop(Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.crash_stack.cast::<u8>(), CRASH_STACK)));
        }
    }
}

/// What a signal does from now on; gives what it did.
fn set(signal: i32, to: Disposition) -> libc::sigaction {
    let (handler, flags) = match to {
        Disposition::Default => (libc::SIG_DFL, 0),
        Disposition::Ignored => (libc::SIG_IGN, 0),
        Disposition::Arrives => (arrived as Handler as usize, FLAGS),
        Disposition::Crashes => (crashed as Handler as usize, FLAGS & !libc::SA_RESTART),
    };
    // SAFETY: plain data; the handlers have the signature that their flags say.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        set_as(signal, &action)
    }
}

/// As [`set`], to what was asked for before, or to what has no name.
///
/// # Safety
/// The handler fits its flags.
unsafe fn set_as(signal: i32, action: *const libc::sigaction) -> libc::sigaction {
    // SAFETY: as the caller says; what is written to is plain data.
    unsafe {
        let mut old: libc::sigaction = core::mem::zeroed();
        libc::sigaction(signal, action, &mut old);
        old
    }
}

enum Disposition {
    Default,
    Ignored,
    /// It is served at a safepoint.
    Arrives,
    /// It is reported, with the place.
    Crashes,
}

/// Handlers run on the stack for crash reports where there is one: a thread's own may be nearly used up.
const FLAGS: i32 = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;

type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn arrived(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let own = HANDLED.load(Ordering::SeqCst) & bit(signal) != 0;
    if (signal == libc::SIGINT || signal == libc::SIGQUIT) && children::has_shells() {
        // They are for the command, as POSIX wants it of `system`. But a report that somebody asks this very process
        // for, not from the terminal, is made: a program that hangs may be waiting for the command. SAFETY: the
        // system's own record of the signal.
        let is_asked = signal == REPORTS && !own && unsafe { (*info).si_code } <= 0;
        if !is_asked {
            return;
        }
    }
    if !own && signal == libc::SIGINT && is_running() && runtime().session.is_some() {
        // It ends an evaluation, not the session; whoever waits for that looks.
        return crate::state::session::interrupted();
    }
    if own && !is_running() {
        // The program is over, and was going to live with it.
        return;
    }
    let ends = !own && signal != REPORTS;
    let now = clock::really_monotonic();
    if ends {
        let _ = FIRST.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst);
    }
    let again = ends && ENDING.fetch_or(bit(signal), Ordering::SeqCst) & bit(signal) != 0;
    // A key of the terminal comes from the kernel, and means what it says. SAFETY: the system's own record of the
    // signal.
    if again && is_running() && unsafe { (*info).si_code } <= 0 && now < FIRST.load(Ordering::SeqCst) + SAME {
        return;
    }
    if again || !is_running() {
        stdout().flush_from_signal(LAST_WORDS);
        stderr().flush_from_signal(LAST_WORDS);
        restore_terminal();
        // SAFETY: ends the process.
        unsafe { libc::_exit(128 + signal) };
    }
    arrivals::note(signal);
    let runtime = runtime();
    runtime.fibers.interrupt();
    runtime.events.io.wake_from_signal();
}

/// Whether the program waits for signals: then it is not deadlocked. One whose function has returned (`RunCML.doit`)
/// does not live on for its handlers alone. No collection comes while all wait.
pub fn is_expected() -> bool {
    let waited_for = HANDLED.load(Ordering::Relaxed) & !COLLECTED;
    let handled = waited_for != 0 && !runtime().deadlock_quiet.load(Ordering::Relaxed);
    handled || PENDING.load(Ordering::Relaxed) & !COLLECTED != 0 || due() != 0
}

/// Signals that the process has and no OS thread has taken yet come to the calling one, before this returns.
fn take_waiting() {
    // The system looks for signals where the mask is opened again.
    set_blocked(&block_all());
}

/// Whether a signal has come that was still on its way to another OS thread when the workers found nothing to do; then
/// it is served. The system wakes the OS thread that it has chosen, the first one of the process if it can, and goes on
/// meanwhile.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn has_come_late(tcb: *mut Tcb) -> bool {
    take_waiting();
    // SAFETY: a plain system call.
    if !is_due() && os_thread::os_thread() != unsafe { libc::getpid() } as u64 {
        // The other OS thread has taken the signal, and is about to begin its handler.
        std::thread::sleep(TO_HANDLER);
    }
    // SAFETY: as the caller says.
    unsafe { serve(tcb) };
    is_due()
}

/// Whether there is something for the signals' thread.
pub fn is_due() -> bool {
    due() != 0
}

/// Makes the signals' thread ready when there is something for it. At a safepoint.
///
/// # Safety
/// `tcb` is the calling worker's.
#[inline]
pub unsafe fn serve(tcb: *mut Tcb) {
    if let Some(thread) = wanted() {
        // SAFETY: as the caller says.
        unsafe { leat_fiber::ready(tcb, thread) };
    }
}

/// The signals' thread when there is something for it.
#[inline]
fn wanted() -> Option<Ref<Thread>> {
    if PENDING.load(Ordering::Relaxed) == 0 || due() == 0 {
        return None;
    }
    runtime().signal_thread.get()
}

/// Makes the signals' thread, without a number.
///
/// # Safety
/// `tcb` is the first worker's, before the program runs.
pub unsafe fn make_thread(tcb: *mut Tcb) -> Result<(), String> {
    unsafe extern "C" {
        fn leat_entry_signals();
    }
    let words = Box::leak(Box::new([header::record(1, 0, 0) | header::STATIC, leat_entry_signals as *const () as u64]));
    // SAFETY: a fresh object is filled at once. An empty heap needs no collection.
    unsafe {
        let header = Thread::HEADER;
        let thread = runtime()
            .heap
            .alloc(tcb, header, Some(Collection::Full))
            .map_err(|_| "the heap has no room for a thread")?;
        (thread as *mut Thread).write(Thread::new(0, &words[1] as *const u64 as u64));
        runtime().signal_thread.set(Ref::of(thread));
    }
    Ok(())
}

/// Called by the signals' thread: a closure to call, or 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_signal_next(tcb: *mut Tcb) -> u64 {
    // SAFETY: the thread has called the runtime, by a stub.
    next(unsafe { Here::enter(tcb) })
}

/// What the signals' thread does next.
fn next(mut here: Here) -> u64 {
    let due = due();
    let own = HANDLED.load(Ordering::SeqCst);
    let ends = due & !own & !bit(REPORTS) & !COLLECTED & !CALLED & !CLOSE;
    if due & !own & COLLECTED != 0 {
        // A collection came while its handler was taken away.
        PENDING.fetch_and(!COLLECTED, Ordering::SeqCst);
        return 0;
    }
    if runtime().exit_stuck.swap(false, Ordering::SeqCst) {
        return exit::exit_next(here);
    }
    if due & !own & bit(REPORTS) != 0 {
        if let Some(text) = here.report() {
            PENDING.fetch_and(!bit(REPORTS), Ordering::SeqCst);
            let _ = stdout().flush();
            let _ = stderr().print_now(text.as_bytes());
        }
        return 0;
    }
    if ends != 0 {
        let signal = ends.trailing_zeros();
        PENDING.fetch_and(!(1 << signal), Ordering::SeqCst);
        return exit::leat_exit(here, 128 + i64::from(signal));
    }
    if due & CLOSE != 0 {
        PENDING.fetch_and(!CLOSE, Ordering::SeqCst);
        return exit::leat_exit(here, 0);
    }
    if due & CALLED != 0 {
        PENDING.fetch_and(!CALLED, Ordering::SeqCst);
        return runtime().callbacks.get().map_or(0, |closure| closure.word());
    }
    if due != 0
        && let Some(dispatcher) = runtime().dispatcher.get()
    {
        return dispatcher.word();
    }
    here.park(0)
}

// Called by the fibers' start code, with rbp 0; no code table knows the return addresses.
core::arch::global_asm!(
    ".p2align 4",
    ".globl leat_entry_signals",
    "leat_entry_signals:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 16",
    "2:",
    "mov rdi, r15",
    "call leat_signal_next_stub",
    "test rax, rax",
    "jz 2b",
    "mov rdi, rax",
    "call [rax]",
    "jmp 2b",
    ".cfi_endproc",
);

/// The program's own dispatcher of signals.
pub fn leat_signal_serve(_: Here, closure: Ref<Closure>) {
    runtime().dispatcher.set(closure);
}

/// The next signal for the program: its number plus 256 times how often it came; 0: none.
pub fn leat_signal_take(_: Here) -> u64 {
    let own = due() & HANDLED.load(Ordering::SeqCst);
    if own == 0 {
        return 0;
    }
    let signal = own.trailing_zeros();
    PENDING.fetch_and(!(1 << signal), Ordering::SeqCst);
    u64::from(signal) | u64::from(COUNTS[signal as usize].swap(0, Ordering::SeqCst)) << 8
}

/// Signals not to be served for now, by bit; gives the former ones.
pub fn leat_signal_mask(mut here: Here, mask: u64) -> u64 {
    // What is no signal comes in any case: calls of C, and the end of a library.
    let before = MASKED.swap(mask & !(CALLED | CLOSE), Ordering::SeqCst);
    if let Some(thread) = wanted() {
        here.ready(thread);
    }
    before
}

/// signal (0: a collection) * action (0 the default, 1 ignore, 2 the program's dispatcher, 3 only ask) -> the former
/// action, or an error.
pub fn leat_signal_set(_: Here, signal: u64, action: u64) -> u64 {
    let number = signal as i32;
    let refused = -(libc::EINVAL as i64) as u64;
    if number == 0 {
        let former = HANDLED.load(Ordering::SeqCst) & COLLECTED;
        match action {
            0 | 1 => _ = HANDLED.fetch_and(!COLLECTED, Ordering::SeqCst),
            2 => _ = HANDLED.fetch_or(COLLECTED, Ordering::SeqCst),
            _ => {}
        }
        return 2 * former;
    }
    let crash = [libc::SIGSEGV, libc::SIGBUS, libc::SIGKILL, libc::SIGSTOP, libc::SIGILL, libc::SIGFPE];
    if !(1..64).contains(&number) || action < 3 && crash.contains(&number) {
        return refused;
    }
    let Some(is_ignored) = asked(number) else { return refused };
    let own = HANDLED.load(Ordering::SeqCst) & bit(number) != 0;
    let former = if own { 2 } else { u64::from(is_ignored) };
    if children::ERRORS.contains(&number) && action < 3 {
        children::program_has(number, action == 1, action == 2);
    }
    match action {
        0 => {
            set(
                number,
                match number {
                    _ if children::ERRORS.contains(&number) => Disposition::Ignored,
                    _ if ENDS.contains(&number) || number == REPORTS => Disposition::Arrives,
                    _ => Disposition::Default,
                },
            );
            PENDING.fetch_and(!bit(number), Ordering::SeqCst);
            HANDLED.fetch_and(!bit(number), Ordering::SeqCst);
        }
        1 => {
            // First the system's part: one that comes in between would be taken for one that ends the program.
            set(number, Disposition::Ignored);
            PENDING.fetch_and(!bit(number), Ordering::SeqCst);
            HANDLED.fetch_and(!bit(number), Ordering::SeqCst);
        }
        2 => {
            HANDLED.fetch_or(bit(number), Ordering::SeqCst);
            set(number, Disposition::Arrives);
        }
        _ => {}
    }
    former
}

/// Whether a signal is ignored; None where the system knows no such signal.
fn asked(signal: i32) -> Option<bool> {
    // SAFETY: plain data, which the call fills.
    unsafe {
        let mut old: libc::sigaction = core::mem::zeroed();
        let is_known = libc::sigaction(signal, core::ptr::null(), &mut old) >= 0;
        is_known.then_some(old.sa_sigaction == libc::SIG_IGN)
    }
}

/// which (0 real, 1 virtual, 2 profiling) * interval * value (ns): the system's interval timer, which sends SIGALRM,
/// SIGVTALRM, SIGPROF.
pub fn leat_itimer_set(_: Here, which: u64, interval: i64, value: i64) -> u64 {
    match set_timer(which, interval, value) as i64 {
        error @ ..0 => error as u64,
        _ => 0,
    }
}

/// Where the SML thread is that waits for the `blocking` call of this OS thread.
fn place_of_blocking_call(text: &mut String) {
    let waits_at = WAITS_AT.get();
    if waits_at != 0
        && is_running()
        && let Some(table) = code::find(runtime().tables(), waits_at)
        && let Some(site) = table.site(waits_at)
    {
        table.each_place(site, |function, file, line| text.push_str(&format!("  in {function} at {file}:{line}\n")));
    }
}

/// A frame as the unwinder of C gives it.
#[repr(C)]
struct Frame {
    _private: [u8; 0],
}

/// Of the unwinder: go on with the next frame, or end.
const GO_ON: i32 = 0;
const STOP: i32 = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut Frame, *mut libc::c_void) -> i32, own: *mut libc::c_void) -> i32;
    fn _Unwind_GetIP(frame: *mut Frame) -> usize;
    fn _Unwind_GetCFA(frame: *mut Frame) -> usize;
}

/// Where the return address into compiled code stands of the function of C in which a signal has come. The frames of C
/// are passed by what their compiler says of them: a word that looks like a return address may be left from an earlier
/// call.
///
/// # Safety
/// Called by the handler of the signal.
unsafe fn return_of_leaf() -> Option<usize> {
    extern "C" fn visit(frame: *mut Frame, own: *mut libc::c_void) -> i32 {
        // SAFETY: the unwinder gives a frame, and what it was given by `return_of_leaf`.
        unsafe {
            // The stack pointer behind the return.
            let (pc, sp) = (_Unwind_GetIP(frame), _Unwind_GetCFA(frame));
            if code::find(runtime().tables(), pc).is_none_or(|table| table.site(pc).is_none()) {
                return GO_ON;
            }
            *own.cast::<usize>() = sp - size_of::<usize>();
            STOP
        }
    }
    let mut slot = 0_usize;
    // SAFETY: the local variable lives as long as the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut slot).cast()) };
    (slot != 0).then_some(slot)
}

/// Where compiled code was when a signal came in it, or in a function that it has called on its own stack.
///
/// # Safety
/// Called by the handler of the signal; the worker's thread has the stack pointer.
unsafe fn places_on_lane(tcb: *mut Tcb, at: Interrupted, is_leaf: bool, text: &mut String) {
    // SAFETY: as the caller says.
    let slot = if is_leaf { unsafe { return_of_leaf() } } else { Some(at.sp) };
    let Some(sp) = slot else { return };
    let at = Interrupted { sp, ..at };
    let mut places = Vec::new();
    let mut add = |function, file, line| places.push(CodePlace { function, file, line });
    let visit = |frame: Sampled| match frame {
        Sampled::At(table, pc) => {
            if let Some(line) = table.line(pc) {
                table.each_place_of(line.function, line.line, line.inlined, &mut add);
            }
            true
        }
        Sampled::Call(table, site) => {
            table.each_place(site, &mut add);
            true
        }
    };
    // SAFETY: as the caller says.
    unsafe { sample(tcb, at, visit) };
    report::write_places(&places, text);
}

extern "C" fn crashed(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives the information.
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
    let tcb = os_thread::calling();
    let (is_outside, is_blocking) = (!tcb.is_null(), WAITS_AT.get() != 0);
    // SAFETY: the kernel gives the context, and this OS thread is the interrupted one.
    let at = unsafe { os_thread::interrupted(context) };
    let lane = if is_outside || is_blocking || !is_running() {
        None
    } else {
        // SAFETY: as above.
        unsafe { standing_at(&runtime().fibers, at) }
    };
    let is_leaf = lane.is_some_and(|(_, is_compiled)| !is_compiled);
    // One that somebody has sent ends the process as if there were no handler. But `abort` and `raise` of C, which send
    // it to their own OS thread, are crashes.
    let is_sent = code <= 0;
    let is_in_c = is_outside || is_blocking || is_leaf && signal == libc::SIGABRT;
    // SAFETY: as above; a signal that was sent has a sender.
    if is_sent && !(is_in_c && unsafe { (*info).si_pid() == libc::getpid() }) {
        DEADLY.store(signal, Ordering::SeqCst);
        set(signal, Disposition::Default);
        restore_terminal();
        // SAFETY: it is delivered when this handler has returned.
        unsafe { libc::raise(signal) };
        return;
    }
    // The program's own interval timer, which is the same one as the alarm, comes no more; a tick of it that waits is
    // dropped.
    // SAFETY: asks only.
    unsafe { libc::alarm(0) };
    set(libc::SIGALRM, Disposition::Ignored);
    set(libc::SIGALRM, Disposition::Default);
    // The process ends soon whatever comes: the reader of what is said here may stand still, and C's memory be in such
    // a state that no text can be made.
    // SAFETY: plain data.
    unsafe {
        let mut alarm: libc::sigset_t = core::mem::zeroed();
        libc::sigaddset(&mut alarm, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &alarm, core::ptr::null_mut());
        libc::alarm(5);
    }
    stdout().flush_from_signal(LAST_WORDS_OF_CRASH);
    restore_terminal();
    let mut line = [0u8; 160];
    let mut len = 0;
    let mut put = |bytes: &[u8]| {
        line[len..len + bytes.len()].copy_from_slice(bytes);
        len += bytes.len();
    };
    put(b"the program crashed: ");
    put(CRASHES.iter().find(|crash| crash.0 == signal).map_or(b"", |crash| crash.1));
    if !is_sent {
        put(b" at 0x");
        for shift in (0..16).rev() {
            put(&[b"0123456789abcdef"[(address >> (4 * shift)) & 15]]);
        }
    }
    put(if is_blocking {
        b", in a `blocking` function of C\n".as_slice()
    } else if is_leaf {
        b", in a `leaf` or `pure` function of C (or of Leat's own)\n"
    } else if tcb.is_null() {
        b" (a stack used up by foreign code, Unsafe, or a bug of Leat)\n"
    } else {
        b", in a function of C\n"
    });
    write_within(2, &line[..len], LAST_WORDS_OF_CRASH);
    // The default action, taken when the instruction is tried again, ends the process as a crash.
    set(signal, Disposition::Default);
    // SAFETY: the calling worker's block.
    unsafe {
        let mut text = String::new();
        if let Some((tcb, _)) = lane {
            places_on_lane(tcb, at, is_leaf, &mut text);
        } else if tcb.is_null() {
            place_of_blocking_call(&mut text);
        } else {
            report::backtrace(tcb, &mut text);
        }
        write_within(2, text.as_bytes(), LAST_WORDS_OF_CRASH);
        if is_sent {
            // No instruction brings it about again.
            libc::raise(signal);
        }
    }
}
