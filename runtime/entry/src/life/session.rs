//! A session: units of compiled code run one after the other in one runtime, with one heap, as lines of a prompt.
//!
//! The runtime has an OS thread of its own. Its main SML thread takes units from the owner, who waits for each to end;
//! between units the other SML threads go on running. A unit's evaluation may be given up: then its thread is, and a
//! new main thread, made in advance, takes its place.
//!
//! ```text
//!          evaluate                returns, raises, is interrupted, blocks for ever
//!  PROMPT ----------> RUNNING ---------------------------------------------> PROMPT
//!     |                  | exit
//!     +--- quit ---------+------> OVER
//! ```

use std::sync::atomic::Ordering;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::Ref;

use crate::service::here::{Caller, Here};
use crate::service::report;
use crate::state::runtime::{RUNNING, runtime, stdout};
use crate::state::session::{After, Ended, Phase, Session};

impl Session {
    /// Tells the owner how the running unit ended.
    pub(crate) fn end(&self, ended: Ended) {
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

    /// Makes the spare thread the main thread, which is to be made ready. The old one must end, or never run again but
    /// as any thread.
    fn replace_main(&self) -> Ref<Thread> {
        let spare = self.spare.take().expect("made when a unit begins");
        runtime().main_thread.set(spare);
        spare
    }

    pub(crate) fn is_main(&self, thread: u64) -> bool {
        runtime().main_thread.is(Ref::of(thread))
    }

    /// Whether an exception of the running thread that nothing handles ends the evaluation.
    pub(crate) fn is_evaluation(&self, here: &Here) -> bool {
        self.is_main(here.current()) && runtime().exit_code.load(Ordering::SeqCst) == RUNNING
    }

    /// Nothing handles an exception, of which this is said: ends the evaluation if it is its thread's. Ok: to be
    /// returned at once.
    pub(crate) fn uncaught<'w>(&self, here: Here<'w>, text: &str) -> Result<u64, Here<'w>> {
        if !self.is_evaluation(&here) {
            return Err(here);
        }
        Ok(self.give_up(here, Ended::Raised(text.to_string())))
    }

    /// The running thread, which is the main one, ends, and with it the evaluation.
    fn give_up(&self, mut here: Here, ended: Ended) -> u64 {
        self.trim.store(true, Ordering::Relaxed);
        here.ready(self.replace_main());
        self.end(ended);
        here.exit()
    }

    /// The running thread ends itself, and the evaluation if it is the main one: what is given then is returned at
    /// once.
    pub(crate) fn thread_ended<'w>(&self, here: Here<'w>) -> Result<u64, Here<'w>> {
        match self.evaluating.load(Ordering::SeqCst) && self.is_main(here.current()) {
            true => Ok(self.give_up(here, Ended::Left)),
            false => Err(here),
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
            (wanted && self.is_main((*tcb).current)).then(|| self.give_up(Here::enter(tcb), Ended::Interrupted))
        }
    }

    /// Something has happened: wakes the main thread for a new unit, or for its interruption.
    ///
    /// # Safety
    /// As [`leat_fiber::Host::events`].
    pub(crate) unsafe fn events(&self, tcb: *mut Tcb) {
        let Some(main) = runtime().main_thread.get() else { return };
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
                leat_fiber::ready(tcb, self.replace_main());
                self.end(Ended::Interrupted);
            }
        }
    }

    /// Nothing can run. False when it is not the running unit that is to blame.
    ///
    /// # Safety
    /// As [`leat_fiber::Host::deadlock`].
    pub(crate) unsafe fn deadlocked(&self, tcb: *mut Tcb) -> bool {
        if !self.evaluating.load(Ordering::SeqCst) || self.spare.is_none() {
            return false;
        }
        // SAFETY: as the caller says. The old main thread stays blocked; whatever wakes it later, it is no longer main.
        unsafe {
            let text = report::blocked_threads(|_| true)
                .unwrap_or_else(|| "deadlock: the evaluation has no thread\n".to_string());
            leat_fiber::ready(tcb, self.replace_main());
            self.end(Ended::Deadlocked(text));
        }
        true
    }
}
