//! What the owner of a session and its main thread say to each other; see [`crate::life::session`].

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use leat_abi::thread::Thread;

use crate::state::output::write_within;
use crate::state::root::Root;

/// How the evaluation of a unit ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It returned.
    Done,
    /// An exception was not handled: its name and message, with the back-trace.
    Raised(String),
    Interrupted,
    /// It ended its thread, or went on with something else.
    Left,
    /// It waits for what cannot come: the report.
    Deadlocked(String),
    /// The program ended itself with this code, or the session was told to: nothing can be evaluated any more.
    Over(i32),
}

/// A session; lives as long as the process.
pub struct Session {
    pub(crate) mailbox: Mutex<Mailbox>,
    pub(crate) changed: Condvar,
    /// Code of the unit to be run next, 0 for none. The owner stores it, the main thread takes it.
    pub(crate) work: AtomicUsize,
    /// The main thread waits for a unit: nothing is a deadlock. The main thread sets it, who wakes that clears it.
    pub(crate) at_prompt: AtomicBool,
    /// The main thread evaluates a unit. It sets it; cleared at the unit's end.
    pub(crate) evaluating: AtomicBool,
    /// An evaluation was given up: its stack is to be given back.
    pub(crate) trim: AtomicBool,
    /// The running evaluation is to be given up. The owner sets it, whoever gives up clears it.
    pub(crate) interrupt: AtomicBool,
    /// The next main thread.
    pub(crate) spare: Root<Thread>,
}

/// What the owner and the main thread say to each other.
#[derive(Default)]
pub(crate) struct Mailbox {
    pub(crate) phase: Phase,
    pub(crate) ended: Option<Ended>,
    /// Called on the main thread's worker when the unit has returned, before anything else runs there.
    pub(crate) after: Option<After>,
    /// The owner wants the end.
    pub(crate) quit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    #[default]
    Prompt,
    Running,
    Over,
}

/// A borrowed function; its owner waits until it is gone.
pub(crate) struct After(pub(crate) *mut dyn FnMut());

// SAFETY: the owner's thread waits while the function runs on the runtime's: it is one thread after the other.
unsafe impl Send for After {}

/// A signal asked for an interruption; the owner looks at it.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// The handler of an interruption in a session.
pub(crate) fn interrupted() {
    SIGNALLED.store(true, Ordering::SeqCst);
}

/// Whether an interruption was asked for since the last call.
pub fn take_interruption() -> bool {
    SIGNALLED.swap(false, Ordering::SeqCst)
}

/// Is called when the session is over while its owner waits for a line: it ends the process, since nothing else can end
/// the wait.
pub type AtOver = Box<dyn FnOnce(i32) + Send>;

/// The owner waits for a line, and this is to be called. Taken under the lock by whoever is first: the owner, whose
/// line has come, or the end of the session.
static WAITING: Mutex<Option<AtOver>> = Mutex::new(None);

pub(crate) fn waiting() -> MutexGuard<'static, Option<AtOver>> {
    WAITING.lock().unwrap_or_else(|e| e.into_inner())
}

/// The terminal as it was before a line editor changed it, and the process in which that is known (0: none): a handler
/// of signals may read it there.
struct Terminal {
    known_by: AtomicU32,
    was: UnsafeCell<MaybeUninit<libc::termios>>,
}

// SAFETY: `was` is written once, before `known_by` is set, and read only behind that.
unsafe impl Sync for Terminal {}

static TERMINAL: Terminal = Terminal { known_by: AtomicU32::new(0), was: UnsafeCell::new(MaybeUninit::uninit()) };

/// Keeps what the terminal on standard input is like, for [`restore_terminal`]. Called once, before a line is edited.
pub fn keep_terminal() {
    if TERMINAL.known_by.load(Ordering::SeqCst) != 0 {
        return;
    }
    // SAFETY: plain system calls; nobody reads the place before the number is set.
    unsafe {
        if libc::tcgetattr(0, (*TERMINAL.was.get()).as_mut_ptr()) == 0 {
            TERMINAL.known_by.store(std::process::id(), Ordering::SeqCst);
        }
    }
}

/// Makes the terminal as it was, also where a line is being edited: for whoever ends the process at once. A handler of
/// signals may call it. The child of a fork leaves the terminal alone: its parent has it still.
pub fn restore_terminal() {
    // SAFETY: a plain system call.
    if TERMINAL.known_by.load(Ordering::SeqCst) == unsafe { libc::getpid() } as u32 {
        const BRACKETED_PASTE_OFF: &[u8] = b"\x1b[?2004l\r";
        // In the background it is the shell's. (Below 0: it is not the terminal of this session, which stops nobody.)
        // SAFETY: plain system calls.
        let is_behind = unsafe {
            let front = libc::tcgetpgrp(0);
            front >= 0 && front != libc::getpgrp()
        };
        if is_behind {
            return;
        }
        // SAFETY: a plain system call, which handlers may make; the place is written, see `keep_terminal`.
        unsafe { libc::tcsetattr(0, libc::TCSANOW, (*TERMINAL.was.get()).as_ptr()) };
        // A terminal that was stopped takes nothing.
        // SAFETY: a plain system call.
        if unsafe { libc::isatty(1) } == 1 {
            write_within(1, BRACKETED_PASTE_OFF, Duration::ZERO);
        }
    }
}

/// How often the owner looks whether it is to interrupt.
const LOOK: Duration = Duration::from_millis(20);

impl Session {
    pub(crate) fn new() -> Session {
        Session {
            mailbox: Mutex::default(),
            changed: Condvar::new(),
            work: AtomicUsize::new(0),
            at_prompt: AtomicBool::new(false),
            evaluating: AtomicBool::new(false),
            trim: AtomicBool::new(false),
            interrupt: AtomicBool::new(false),
            spare: Root::none(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Waits until something changes, or for a moment.
    pub(crate) fn wait<'a>(&self, mailbox: MutexGuard<'a, Mailbox>) -> MutexGuard<'a, Mailbox> {
        self.changed.wait_timeout(mailbox, LOOK).unwrap_or_else(|e| e.into_inner()).0
    }

    /// Whether the owner may still give the main thread something to do.
    pub(crate) fn is_at_prompt(&self) -> bool {
        self.at_prompt.load(Ordering::SeqCst)
    }
}
