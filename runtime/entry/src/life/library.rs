//! A program that is a library of C: it runs on an OS thread of its own, from `leat_open` to `leat_close`.
//!
//! ```text
//!  C: leat_open  --> OS thread: the program's declarations .. leat_library_opened --> leat_open returns
//!  C: f (1)      --> a thread of SML evaluates it, see `state/reentry.rs`
//!  C: leat_close --> the exit functions .. the end of the OS thread               --> leat_close returns
//! ```

use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use leat_abi::code;
use leat_abi::tcb::Tcb;

use crate::life::start;
use crate::state::arrivals::{CALLED, CLOSE, HANDLED, PENDING};
use crate::state::os_thread::RUNS_SML;
use crate::state::reentry;
use crate::state::runtime::runtime;

/// Bytes of the stack of the program's OS thread: functions of C that SML calls run there.
const STACK: usize = 8 << 20;

enum State {
    /// It was not opened.
    New,
    /// Its declarations are evaluated.
    Begins,
    Open(JoinHandle<i32>),
    /// Its OS thread has ended, or ends: it is not opened again, since its variables are as it has left them.
    Over,
}

static STATE: Mutex<State> = Mutex::new(State::New);
static CHANGED: Condvar = Condvar::new();
/// The program's declarations are evaluated, or it has ended before.
static READY: Mutex<Option<Result<(), i32>>> = Mutex::new(None);

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready(how: Result<(), i32>) {
    lock(&READY).get_or_insert(how);
    CHANGED.notify_all();
}

/// Runs the program up to the end of its declarations: 0; its exit code where it has ended before that; -1 where it was
/// opened already.
///
/// # Safety
/// Called by the library's `leat_open` with its program, and the words of a command line, the first of which is a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_library_open(
    program: *const code::Program,
    argc: i32,
    argv: *const *const libc::c_char,
) -> i32 {
    let mut state = lock(&STATE);
    if !matches!(*state, State::New) {
        return -1;
    }
    *state = State::Begins;
    reentry::opened();
    drop(state);
    // SAFETY: as the caller says: `argc` texts.
    let words = unsafe {
        (0..argc.max(0) as usize).map(|i| core::ffi::CStr::from_ptr(*argv.add(i)).to_bytes().to_vec()).collect()
    };
    let program = program as usize;
    let run = move || {
        RUNS_SML.set(true);
        // SAFETY: the library's program, which stays; this OS thread has a stack for it.
        let code = unsafe { start::start_library(&*(program as *const code::Program), words) };
        ready(Err(code));
        reentry::answer_all();
        code
    };
    let Ok(thread) = std::thread::Builder::new().name("leat".into()).stack_size(STACK).spawn(run) else {
        *lock(&STATE) = State::Over;
        return libc::EAGAIN;
    };
    let mut how = lock(&READY);
    let how = loop {
        match *how {
            Some(how) => break how,
            None => how = CHANGED.wait(how).unwrap_or_else(PoisonError::into_inner),
        }
    };
    match how {
        Ok(()) => {
            *lock(&STATE) = State::Open(thread);
            0
        }
        Err(code) => {
            let _ = thread.join();
            *lock(&STATE) = State::Over;
            code
        }
    }
}

/// The program's declarations are evaluated: C may call.
///
/// # Safety
/// Called by the main thread of a library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_library_opened(_tcb: *mut Tcb) -> u64 {
    // Somebody may call at any time: it is no deadlock that all threads wait.
    HANDLED.fetch_or(CALLED, Ordering::SeqCst);
    ready(Ok(()));
    0
}

/// Ends the program as `OS.Process.exit` does: its exit code; -1 where it is not open, in a fork of the process that
/// has opened it, or where SML calls this.
#[unsafe(no_mangle)]
pub extern "C" fn leat_library_close() -> i32 {
    if RUNS_SML.get() || reentry::is_forked() {
        return -1;
    }
    let thread = {
        let mut state = lock(&STATE);
        match std::mem::replace(&mut *state, State::Over) {
            State::Open(thread) => thread,
            other => {
                *state = other;
                return -1;
            }
        }
    };
    if !thread.is_finished() {
        PENDING.fetch_or(CLOSE, Ordering::SeqCst);
        let runtime = runtime();
        runtime.fibers.interrupt();
        runtime.events.io.wake_from_signal();
    }
    thread.join().unwrap_or(-1)
}
