//! Raising from runtime functions: the packet is left in the thread block, and the stub raises it as if at the call.

use leat_abi::exn::Builtin;
use leat_abi::tcb::Tcb;

use crate::service::exceptions;

/// Makes the runtime function's caller raise a builtin exception without argument. Return what this returns.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn raise_builtin(tcb: *mut Tcb, builtin: Builtin) -> u64 {
    // SAFETY: as the caller says.
    unsafe { (*tcb).pending_exn = exceptions::packet(builtin) };
    0
}
