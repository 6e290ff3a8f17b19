//! Messages of exceptions that nothing handles, where the program has functions of its own for them: who asks, and what
//! is said meanwhile.
//!
//! ```text
//!  the raising thread:  no handler --> trace, line --> waits on top of its stack ---------------> report, end
//!                                          |                                     ^ or the time is over
//!  a thread of its own:                    +--> the program's functions --text---+
//! ```
//!
//! The functions are asked in a thread of their own, since they may raise, block, or never end. The raising thread
//! waits as if the library's function had been called where the exception was raised, so its stack is there until the
//! report is made.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use leat_fiber::Closure;
use leat_io::TimerId;
use leat_io::clock::Nanos;

use crate::state::root::Root;

/// How long a message is waited for, in nanoseconds.
pub const PATIENCE: Nanos = 2_000_000_000;

/// What is known of an exception where it was raised.
pub struct Uncaught {
    /// Name and argument, as the runtime has them.
    pub line: String,
    /// Where it was raised, in lines.
    pub trace: String,
    /// There is no memory: what is said of that, besides.
    pub refusal: Option<String>,
    /// Frame pointer, return-address slot and the address in it, of the raise.
    pub from: (usize, usize, usize),
}

/// A message that is waited for.
pub struct Asked {
    pub uncaught: Uncaught,
    /// The message, when it is there; empty: the line does.
    pub message: Option<String>,
    pub deadline: Nanos,
    /// The timer that ends the wait, while the thread waits.
    pub timer: Option<TimerId>,
}

/// The library's functions, set with the first function of the program, and the messages that are waited for.
pub struct Messages {
    /// Run in a thread of its own, as [`crate::state::runtime::Runtime::uncaught_hook`] is.
    pub tells: Root<Closure>,
    /// Run by the raising thread: calls `uncaught_wait` for ever.
    pub waits: Root<Closure>,
    /// By the numbers of the raising threads.
    asked: Mutex<HashMap<u64, Asked>>,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages { tells: Root::none(), waits: Root::none(), asked: Mutex::default() }
    }
}

impl Messages {
    pub fn lock(&self) -> MutexGuard<'_, HashMap<u64, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
