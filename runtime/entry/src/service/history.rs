//! Where exceptions were raised, for programs that ask: `SMLofNJ.exnHistory`, `MLton.Exn.history`.
//!
//! Such a program notes each `raise` before it does it ([`leat_exn_note`]), and each failed check whose handler is in the same
//! function; what else the runtime and compiled checks raise is noted when its handler is looked for ([`raised`]). The last few exceptions are kept with the lines of the back-trace of
//! the moment. In a program that does not ask nothing of this runs.
//!
//! A packet that is raised again keeps its first trace. One without an argument is the same object each time; then a
//! `raise` of an expression is a new exception, of a variable the old one, if it is among those that are kept.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use leat_abi::exn::{NOTE_AGAIN, NOTE_HANDLED};
use leat_abi::tcb::Tcb;

use crate::service::alloc::new_string;
use crate::service::report;
use crate::state::runtime::runtime;

/// Exceptions that are kept.
const KEPT: usize = 16;

/// The last exceptions of a program, the latest last.
#[derive(Default)]
pub struct History {
    entries: Mutex<VecDeque<Entry>>,
}

struct Entry {
    /// Root.
    packet: u64,
    /// A line for each frame.
    trace: String,
    /// Noted before its `raise`, whose handler may not have been looked for yet.
    announced: bool,
}

impl History {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The packets that are kept: roots.
    pub fn roots(&self, visit: &mut impl FnMut(*mut u64)) {
        self.lock().iter_mut().for_each(|entry| visit(&mut entry.packet));
    }
}

fn entries() -> MutexGuard<'static, VecDeque<Entry>> {
    runtime().history.lock()
}

/// # Safety
/// The running thread has called a runtime function.
unsafe fn note(tcb: *mut Tcb, packet: u64, announced: bool) {
    let mut text = String::new();
    // SAFETY: as the caller says.
    unsafe { report::backtrace(tcb, &mut text) };
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start().trim_start_matches("in ")).collect();
    let mut entries = entries();
    if entries.len() == KEPT {
        entries.pop_front();
    }
    entries.push_back(Entry { packet, trace: lines.join("\n"), announced });
}

/// The handler of this packet is looked for.
///
/// # Safety
/// As `leat_exn_note`.
pub unsafe fn raised(tcb: *mut Tcb, packet: u64) {
    if let Some(last) = entries().iter_mut().rev().find(|entry| entry.packet == packet)
        && std::mem::take(&mut last.announced)
    {
        return;
    }
    // SAFETY: as the caller says.
    unsafe { note(tcb, packet, false) };
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exn_keep(_tcb: *mut Tcb) -> u64 {
    runtime().fibers.note_raises();
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exn_note(tcb: *mut Tcb, packet: u64, how: u64) -> u64 {
    let announced = how as i64 & NOTE_HANDLED == 0;
    if how as i64 & NOTE_AGAIN != 0
        && let Some(known) = entries().iter_mut().rev().find(|entry| entry.packet == packet)
    {
        known.announced = announced;
        return 0;
    }
    // SAFETY: as the caller says.
    unsafe { note(tcb, packet, announced) };
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exn_history(tcb: *mut Tcb, packet: u64) -> u64 {
    let trace = entries().iter().rev().find(|entry| entry.packet == packet).map(|entry| entry.trace.clone());
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, trace.unwrap_or_default().as_bytes()) }
}
