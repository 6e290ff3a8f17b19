//! What a program tells of itself while it runs: its threads, and a profile of its time.

use leat_abi::tcb::Tcb;

use crate::profile;
use crate::service::alloc::new_string;
use crate::service::report;
use crate::state::runtime::runtime;

/// Every thread with what it waits for, and the figures of scheduler, collector, timers and descriptors: the text that SIGQUIT
/// brings about.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_report(tcb: *mut Tcb) -> u64 {
    let mut text = String::new();
    // SAFETY: a call of the runtime is a safepoint, and no reference is held. When another worker has stopped the world, it has
    // gone on since, so this ends.
    unsafe {
        while !leat_fiber::stop_world(tcb, |_| text = report::all_threads() + &report::figures(&*tcb)) {}
        new_string(tcb, text.as_bytes())
    }
}

/// Begins a profile of time; 0 when there is one already.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_profile(tcb: *mut Tcb) -> u64 {
    // SAFETY: the calling worker's block.
    u64::from(unsafe { profile::start_now(tcb, &runtime().name) })
}

/// Its end: the text of a file of `leat profile`; the empty string when the program has begun none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_profiled(tcb: *mut Tcb) -> u64 {
    let text = profile::stop_now().unwrap_or_default();
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, text.as_bytes()) }
}
