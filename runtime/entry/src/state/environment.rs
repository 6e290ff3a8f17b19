//! The environment's lock: who reads variables, sets one, or starts a child with them holds it.
//!
//! The C library's `setenv` moves the table of variables, and nothing keeps another worker from reading it meanwhile:
//! neither its `getenv`, nor the standard library's lock, of which it does not know. A fork holds the lock, too, so the
//! child finds the table whole, and the lock free.

use std::sync::{Mutex, PoisonError};

static LOCK: Mutex<()> = Mutex::new(());

/// The result of a function that reads or changes the variables, and does not wait.
pub fn alone<T>(f: impl FnOnce() -> T) -> T {
    let _held = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    f()
}
