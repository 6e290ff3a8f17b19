//! Where exceptions were raised, for programs that ask: `SMLofNJ.exnHistory`, `MLton.Exn.history`.
//!
//! Such a program notes each `raise` before it does it (`leat_exn_note`), and each failed check whose handler is in the
//! same function; what else the runtime and compiled checks raise is noted when its handler is looked for ([`raised`]).
//! As long as an exception lives, the frames of the moment are kept with it, which become lines when somebody asks; and
//! of these no more than the raise goes through anyway ([`report::raised`]). They are kept beside the heap, by the
//! packet's address, since a packet of the runtime's has no room for them: so they keep nothing alive, and a collection
//! looks which packets are dead. In a program that does not ask nothing of this runs.
//!
//! A packet that is raised again keeps its first trace. One without an argument is the same object each time; then a
//! `raise` of an expression is a new exception, of a variable the old one.

use crate::service::debugger as watched;
use crate::service::here::Here;
use crate::service::report;
use crate::state::debugger;
use crate::state::history::Trace;
use crate::state::runtime::runtime;

/// Keeps this packet with the back-trace of now. `announced`: before its `raise`; `handled`: by the function that
/// raises it.
///
/// # Safety
/// A packet.
pub(crate) unsafe fn note(here: &mut Here, packet: u64, announced: bool, handled: bool) {
    if debugger::is_on() {
        // SAFETY: as the caller says; nothing of the program runs meanwhile, so the packet stays where it is.
        unsafe { watched::raised(here, packet) };
    }
    runtime().history.add(packet, here.raised(handled), announced);
}

/// The lines of the back-trace that is kept with this packet: none if it was never raised.
pub(crate) fn told(packet: u64) -> String {
    let mut text = String::new();
    if let Some(trace) = runtime().history.trace(packet) {
        report::write_raised(&trace, &mut text);
    }
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start().trim_start_matches("in ")).collect();
    lines.join("\n")
}

/// A handler that is going to raise this packet again keeps where it was raised.
///
/// # Safety
/// Within `Host::placed`.
pub unsafe fn placed(here: &mut Here, packet: u64) {
    let (mut way, mut known) = (Trace::default(), Ok(()));
    // SAFETY: as the caller says.
    let again = unsafe {
        here.passed(packet, |table, site| {
            if known.is_ok() {
                known = way.try_add((table, site));
            }
        })
    };
    // Without memory the report will begin later.
    let _ = known.and_then(|()| runtime().places.add(packet, again, way));
}

/// The handler of this packet is looked for.
///
/// # Safety
/// A packet.
pub unsafe fn raised(here: &mut Here, packet: u64) {
    if !runtime().history.was_announced(packet) {
        // SAFETY: as the caller says.
        unsafe { note(here, packet, false, false) };
    }
}
