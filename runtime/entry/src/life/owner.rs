//! The owner of a session, who gives its main thread one unit after the other; and what that thread does between them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use leat_abi::code::CodeTable;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_fiber::{NONE, Ref};

use crate::life::exit;
use crate::life::start;
use crate::service::here::{Caller, Here};
use crate::state::options::RuntimeOptions;
use crate::state::runtime::{Runtime, is_running, runtime, stderr};
use crate::state::session::{self, After, Ended, Mailbox, Phase, Session, take_interruption};

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
        let session: &'static Session = Box::leak(Box::new(Session::new()));
        let options = options.clone();
        let program = SendProgram(program);
        let thread = std::thread::Builder::new().name("session".to_string()).stack_size(64 << 20).spawn(move || {
            let program = program;
            let code = start::run_session(&program.0, &options, session, closure()).unwrap_or_else(|message| {
                let _ = stderr().print_now(format!("cannot start: {message}\n").as_bytes());
                1
            });
            let mut mailbox = session.lock();
            mailbox.phase = Phase::Over;
            mailbox.after = None;
            mailbox.ended = Some(Ended::Over(code));
            session.changed.notify_all();
            drop(mailbox);
            // The lock is kept: an owner whose line comes now waits for the end.
            let mut waiting = session::waiting();
            if let Some(end) = waiting.take() {
                end(code);
            }
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
            if take_interruption() {
                session.interrupt.store(true, Ordering::SeqCst);
            }
            if session.interrupt.load(Ordering::SeqCst) && mailbox.ended.is_none() {
                drop(mailbox);
                self.with_runtime(|runtime| runtime.fibers.nudge());
                mailbox = session.lock();
            }
        }
    }

    /// Waits for something that only the user can end, such as a line. If the session ends meanwhile (by a signal, by a
    /// thread), `end` is called on another OS thread; it must not return. Gives the code if the session is over
    /// already.
    pub fn wait_for<T>(&self, end: session::AtOver, wait: impl FnOnce() -> T) -> Result<T, i32> {
        {
            let mut waiting = session::waiting();
            let mailbox = self.session.lock();
            if mailbox.phase == Phase::Over {
                return Err(over_code(&mailbox));
            }
            *waiting = Some(end);
        }
        let result = wait();
        session::waiting().take();
        Ok(result)
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
        while !is_running() {
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

/// What a main thread starts with: a closure outside the heap.
fn closure() -> u64 {
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
    // SAFETY: as the caller says.
    let mut here = unsafe { Here::enter(tcb) };
    if !session.is_main(here.current()) {
        // A unit that was given up while it was blocked has gone on to its end.
        return here.exit();
    }
    if session.evaluating.load(Ordering::SeqCst) {
        session.end(Ended::Done);
    }
    if session.trim.swap(false, Ordering::Relaxed) {
        // SAFETY: the world is stopped.
        here.stop_world(|_| unsafe { runtime().fibers.trim() });
    }
    if session.spare.is_none() {
        session.spare.set(here.new_thread(Ref::of(closure()), NONE));
    }
    let work = session.work.load(Ordering::SeqCst);
    if work & QUIT != 0 {
        return exit::leat_exit(here, (work & 0xff) as i64);
    }
    session.at_prompt.store(true, Ordering::SeqCst);
    here.park(leat_fiber::reason::UNKNOWN)
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
    ".cfi_startproc",
    ".cfi_undefined rip",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 16",
    "2:",
    "mov rdi, r15",
    "call leat_session_next_stub",
    "call leat_session_take",
    "test rax, rax",
    "jz 2b",
    "call rax",
    "jmp 2b",
    ".cfi_endproc",
);
