//! A session: units of compiled code run one after the other in one runtime, with one heap, as lines of a prompt.
//!
//! The runtime has an OS thread of its own. Its main SML thread takes units from the owner, who waits for each to end;
//! between units the other SML threads go on running. A unit's evaluation may be given up: then its thread is, and a new
//! main thread, made in advance, takes its place.
//!
//! ```text
//!          evaluate                returns, raises, is interrupted, blocks for ever
//!  PROMPT ----------> RUNNING ---------------------------------------------> PROMPT
//!     |                  | exit
//!     +--- quit ---------+------> OVER
//! ```

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use leat_abi::code::CodeTable;
use leat_abi::header;
use leat_abi::tcb::Tcb;

use crate::life::exit;
use crate::life::start;
use crate::service::alloc::allocate_or_end;
use crate::service::{exceptions, report};
use crate::state::options::RuntimeOptions;
use crate::state::runtime::{Runtime, runtime, stderr, stdout};

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
    mailbox: Mutex<Mailbox>,
    changed: Condvar,
    /// Code of the unit to be run next, 0 for none. The owner stores it, the main thread takes it.
    work: AtomicUsize,
    /// The main thread waits for a unit: nothing is a deadlock. The main thread sets it, who wakes that clears it.
    at_prompt: AtomicBool,
    /// The main thread evaluates a unit. It sets it; cleared at the unit's end.
    evaluating: AtomicBool,
    /// An evaluation was given up: its stack is to be given back.
    trim: AtomicBool,
    /// The running evaluation is to be given up. The owner sets it, whoever gives up clears it.
    interrupt: AtomicBool,
    /// The next main thread. A root.
    pub(crate) spare: AtomicU64,
}

/// What the owner and the main thread say to each other.
#[derive(Default)]
struct Mailbox {
    phase: Phase,
    ended: Option<Ended>,
    /// Called on the main thread's worker when the unit has returned, before anything else runs there.
    after: Option<After>,
    /// The owner wants the end.
    quit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Prompt,
    Running,
    Over,
}

/// A borrowed function; its owner waits until it is gone.
struct After(*mut dyn FnMut());

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

/// How often the owner looks whether it is to interrupt.
const LOOK: Duration = Duration::from_millis(20);

/// The owner's end of a session.
pub struct Owner {
    session: &'static Session,
    thread: Option<JoinHandle<()>>,
    tables: Tables,
}

/// A growing list whose beginnings stay where they are, since walks of stacks on other OS threads read them.
#[derive(Default)]
struct Tables {
    /// Leaked; room for a power of two. What was outgrown stays too: as much again.
    room: Vec<&'static CodeTable>,
}

impl Tables {
    /// Adds one, and answers all.
    fn add(&mut self, table: &'static CodeTable) -> &'static [&'static CodeTable] {
        if self.room.len() == self.room.capacity() {
            let mut larger = Vec::with_capacity((2 * self.room.len()).max(16));
            larger.extend_from_slice(&self.room);
            std::mem::forget(std::mem::replace(&mut self.room, larger));
        }
        self.room.push(table);
        // SAFETY: the vector's memory is never moved or freed, and what stands in it is not changed.
        unsafe { std::slice::from_raw_parts(self.room.as_ptr(), self.room.len()) }
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.room));
    }
}

impl Owner {
    /// Starts the runtime. `program` has no main function; its tables are none yet.
    pub fn start(program: start::Program, options: &RuntimeOptions) -> std::io::Result<Owner> {
        let session: &'static Session = Box::leak(Box::new(Session {
            mailbox: Mutex::default(),
            changed: Condvar::new(),
            work: AtomicUsize::new(0),
            at_prompt: AtomicBool::new(false),
            evaluating: AtomicBool::new(false),
            trim: AtomicBool::new(false),
            interrupt: AtomicBool::new(false),
            spare: AtomicU64::new(1),
        }));
        let options = options.clone();
        let program = SendProgram(program);
        let thread = std::thread::Builder::new().name("session".to_string()).stack_size(64 << 20).spawn(move || {
            let program = program;
            let code = start::run_session(&program.0, &options, session).unwrap_or_else(|message| {
                let _ = stderr().print_now(format!("cannot start: {message}\n").as_bytes());
                1
            });
            let mut mailbox = session.lock();
            mailbox.phase = Phase::Over;
            mailbox.after = None;
            mailbox.ended = Some(Ended::Over(code));
            session.changed.notify_all();
        })?;
        let owner = Owner { session, thread: Some(thread), tables: Tables::default() };
        // Its handlers of signals are there then: a line editor takes those that it finds for the right ones.
        owner.with_runtime(|_| ());
        Ok(owner)
    }

    /// Runs a unit, whose code is described by `table`, until it ends. `after` is called when it has returned, on the
    /// runtime's thread, while no SML code of that thread runs: it may read the unit's slots.
    ///
    /// # Safety
    /// `main` is the unit's main function; the code fits the runtime and all units before it.
    pub unsafe fn evaluate(&mut self, main: *const u8, table: &'static CodeTable, after: &mut dyn FnMut()) -> Ended {
        let tables = self.tables.add(table);
        // SAFETY: the lifetime is hidden, no more: nobody has the function after this call, see `Session::end`.
        let after: &'static mut dyn FnMut() = unsafe { std::mem::transmute(after) };
        let session = self.session;
        let mut mailbox = session.lock();
        while mailbox.phase == Phase::Running {
            mailbox = session.wait(mailbox);
        }
        if mailbox.phase == Phase::Over {
            return Ended::Over(over_code(&mailbox));
        }
        mailbox.phase = Phase::Running;
        mailbox.ended = None;
        mailbox.after = Some(After(after));
        session.interrupt.store(false, Ordering::SeqCst);
        session.work.store(main as usize, Ordering::SeqCst);
        drop(mailbox);
        self.with_runtime(|runtime| {
            runtime.set_tables(tables);
            runtime.fibers.nudge();
        });
        let mut mailbox = session.lock();
        loop {
            if let Some(ended) = &mailbox.ended {
                return ended.clone();
            }
            mailbox = session.wait(mailbox);
            if SIGNALLED.swap(false, Ordering::SeqCst) {
                session.interrupt.store(true, Ordering::SeqCst);
            }
            if session.interrupt.load(Ordering::SeqCst) && mailbox.ended.is_none() {
                drop(mailbox);
                self.with_runtime(|runtime| runtime.fibers.nudge());
                mailbox = session.lock();
            }
        }
    }

    /// Ends the session with this exit code, after the exit functions; gives the code that it really ended with.
    pub fn quit(mut self, code: i32) -> i32 {
        let session = self.session;
        let mut mailbox = session.lock();
        mailbox.quit = true;
        session.work.store(code as usize & 0xff | QUIT, Ordering::SeqCst);
        drop(mailbox);
        self.with_runtime(|runtime| runtime.fibers.nudge());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        over_code(&session.lock())
    }

    /// Waits for the runtime to be there, if it is not over.
    fn with_runtime(&self, work: impl FnOnce(&'static Runtime)) {
        while !crate::state::runtime::is_running() {
            if self.session.lock().phase == Phase::Over {
                return;
            }
            std::thread::yield_now();
        }
        work(runtime());
    }
}

/// In [`Session::work`]: no code, but the wish to end, with the code below.
const QUIT: usize = 1 << 63;

fn over_code(mailbox: &Mailbox) -> i32 {
    match mailbox.ended {
        Some(Ended::Over(code)) => code,
        _ => 1,
    }
}

struct SendProgram(start::Program);

// SAFETY: the pointers are to memory that stays for the process's life.
unsafe impl Send for SendProgram {}

impl Session {
    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn wait<'a>(&self, mailbox: MutexGuard<'a, Mailbox>) -> MutexGuard<'a, Mailbox> {
        self.changed.wait_timeout(mailbox, LOOK).unwrap_or_else(|e| e.into_inner()).0
    }

    /// Whether the owner may still give the main thread something to do.
    pub(crate) fn is_at_prompt(&self) -> bool {
        self.at_prompt.load(Ordering::SeqCst)
    }

    /// Tells the owner how the running unit ended.
    fn end(&self, ended: Ended) {
        let _ = stdout().flush();
        self.evaluating.store(false, Ordering::SeqCst);
        let mut mailbox = self.lock();
        if mailbox.phase != Phase::Running {
            return;
        }
        if let Some(After(after)) = mailbox.after.take()
            && ended == Ended::Done
        {
            drop(mailbox);
            // SAFETY: the owner waits for `ended`, so the function is alive.
            unsafe { (*after)() };
            mailbox = self.lock();
        }
        mailbox.phase = Phase::Prompt;
        mailbox.ended = Some(ended);
        self.interrupt.store(false, Ordering::SeqCst);
        drop(mailbox);
        self.changed.notify_all();
    }

    /// Makes the spare thread the main thread, and ready. The old one must end, or never run again but as any thread.
    unsafe fn replace_main(&self, tcb: *mut Tcb) {
        let spare = self.spare.swap(1, Ordering::SeqCst);
        runtime().main_thread.store(spare, Ordering::SeqCst);
        // SAFETY: a thread object, a root until now.
        unsafe { leat_fiber::ready(tcb, spare) };
    }

    fn is_main(&self, thread: u64) -> bool {
        runtime().main_thread.load(Ordering::SeqCst) == thread
    }

    /// No handler for this packet: ends the evaluation if it is its thread's. Some: to be returned at once.
    ///
    /// # Safety
    /// As [`exit::uncaught`].
    pub(crate) unsafe fn uncaught(&self, tcb: *mut Tcb, packet: u64) -> Option<u64> {
        // SAFETY: as the caller says; nothing collects before the text is made.
        unsafe {
            if !self.is_main((*tcb).current)
                || runtime().exit_code.load(Ordering::SeqCst) != crate::state::runtime::RUNNING
            {
                return None;
            }
            let mut text = format!("uncaught exception {}\n", exceptions::line(packet));
            report::backtrace(tcb, &mut text);
            Some(self.give_up(tcb, Ended::Raised(text)))
        }
    }

    /// The running thread, which is the main one, ends, and with it the evaluation.
    unsafe fn give_up(&self, tcb: *mut Tcb, ended: Ended) -> u64 {
        // SAFETY: as the callers say.
        unsafe {
            self.trim.store(true, Ordering::Relaxed);
            self.replace_main(tcb);
            self.end(ended);
            leat_fiber::exit(tcb)
        }
    }

    /// The running thread ends itself. Some if it is the main one: to be returned at once.
    ///
    /// # Safety
    /// As [`exit::thread_ended`].
    pub(crate) unsafe fn thread_ended(&self, tcb: *mut Tcb) -> Option<u64> {
        // SAFETY: as the caller says.
        unsafe {
            let is_main = self.evaluating.load(Ordering::SeqCst) && self.is_main((*tcb).current);
            is_main.then(|| self.give_up(tcb, Ended::Left))
        }
    }

    /// Gives the running thread up if it evaluates a unit that is to be interrupted.
    ///
    /// # Safety
    /// As [`leat_fiber::Host::cancel`].
    pub(crate) unsafe fn cancel(&self, tcb: *mut Tcb) -> Option<u64> {
        // SAFETY: as the caller says.
        unsafe {
            let wanted = self.interrupt.load(Ordering::Relaxed) && self.evaluating.load(Ordering::SeqCst);
            (wanted && self.is_main((*tcb).current)).then(|| self.give_up(tcb, Ended::Interrupted))
        }
    }

    /// Something has happened: wakes the main thread for a new unit, or for its interruption.
    ///
    /// # Safety
    /// As [`leat_fiber::Host::events`].
    pub(crate) unsafe fn events(&self, tcb: *mut Tcb) {
        let main = runtime().main_thread.load(Ordering::SeqCst);
        // SAFETY: a thread object.
        unsafe {
            if self.work.load(Ordering::SeqCst) != 0 && self.at_prompt.swap(false, Ordering::SeqCst) {
                leat_fiber::ready(tcb, main);
            }
            if !self.interrupt.load(Ordering::Relaxed) || !self.evaluating.load(Ordering::SeqCst) {
                return;
            }
            if leat_fiber::kill(tcb, main) {
                self.trim.store(true, Ordering::Relaxed);
                self.replace_main(tcb);
                self.end(Ended::Interrupted);
            }
        }
    }

    /// Nothing can run. False when it is not the running unit that is to blame.
    ///
    /// # Safety
    /// As [`leat_fiber::Host::deadlock`].
    pub(crate) unsafe fn deadlocked(&self, tcb: *mut Tcb) -> bool {
        if !self.evaluating.load(Ordering::SeqCst) || self.spare.load(Ordering::SeqCst) == 1 {
            return false;
        }
        // SAFETY: as the caller says. The old main thread stays blocked; whatever wakes it later, it is no longer main.
        unsafe {
            let text = report::blocked_threads(|_| true)
                .unwrap_or_else(|| "deadlock: the evaluation has no thread\n".to_string());
            self.replace_main(tcb);
            self.end(Ended::Deadlocked(text));
        }
        true
    }
}

/// What a main thread starts with: a closure outside the heap.
pub(crate) fn closure() -> u64 {
    static CLOSURE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
    CLOSURE[0].store((header::record(1, 0, 0) | header::STATIC) as usize, Ordering::Relaxed);
    CLOSURE[1].store(leat_entry_session as *const () as usize, Ordering::Relaxed);
    CLOSURE[1].as_ptr() as u64
}

/// The main thread is between two units: tells that the last one has returned, and waits for the next.
///
/// # Safety
/// Called by a main thread's code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_session_next(tcb: *mut Tcb) -> u64 {
    let Some(session) = runtime().session else { return 0 };
    // SAFETY: a fresh object is filled before the next safepoint; `leat_fiber`'s functions come last.
    unsafe {
        if !session.is_main((*tcb).current) {
            // A unit that was given up while it was blocked has gone on to its end.
            return leat_fiber::exit(tcb);
        }
        if session.evaluating.load(Ordering::SeqCst) {
            session.end(Ended::Done);
        }
        if session.trim.swap(false, Ordering::Relaxed) {
            leat_fiber::stop_world(tcb, |_| runtime().fibers.trim());
        }
        if session.spare.load(Ordering::SeqCst) == 1 {
            let thread = allocate_or_end(tcb, header::thread(), &mut []);
            leat_fiber::init_thread(tcb, thread, closure());
            session.spare.store(thread, Ordering::SeqCst);
            runtime().all_threads.lock().unwrap_or_else(|e| e.into_inner()).add(thread);
        }
        let work = session.work.load(Ordering::SeqCst);
        if work & QUIT != 0 {
            return exit::leat_exit(tcb, (work & 0xff) as i64);
        }
        session.at_prompt.store(true, Ordering::SeqCst);
        leat_fiber::park(tcb, leat_fiber::reason::UNKNOWN)
    }
}

/// The code of the unit to be run now, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn leat_session_take() -> usize {
    let Some(session) = runtime().session else { return 0 };
    let work = session.work.load(Ordering::SeqCst);
    if work == 0 || work & QUIT != 0 {
        return 0;
    }
    session.work.store(0, Ordering::SeqCst);
    session.evaluating.store(true, Ordering::SeqCst);
    work
}

unsafe extern "C" {
    /// Code of a main thread.
    fn leat_entry_session();
}

// As `leat_entry_main`: rbp is 0 there and stays so, which ends walks; no code table knows the return addresses.
core::arch::global_asm!(
    ".p2align 4",
    ".globl leat_entry_session",
    "leat_entry_session:",
    "sub rsp, 8",
    "2:",
    "mov rdi, r15",
    "call leat_session_next_stub",
    "call leat_session_take",
    "test rax, rax",
    "jz 2b",
    "call rax",
    "jmp 2b",
);
