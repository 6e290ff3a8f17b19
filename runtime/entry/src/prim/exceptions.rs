//! Exceptions seen from SML: the history of those that were raised.

use leat_abi::exn::{NOTE_AGAIN, NOTE_HANDLED};
use leat_abi::tcb::Tcb;

use crate::service::alloc::new_string;
use crate::service::history::note;
use crate::state::runtime::runtime;

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
    if how as i64 & NOTE_AGAIN != 0 && runtime().history.announce_again(packet, announced) {
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
    let trace = runtime().history.trace(packet);
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, trace.unwrap_or_default().as_bytes()) }
}
