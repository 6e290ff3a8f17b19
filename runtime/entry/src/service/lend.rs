//! Private pipes become plain before somebody else may have them ([`leat_io::Manager::lend`]).

use leat_abi::tcb::Tcb;

use crate::state::runtime::{io, keeping};

/// These descriptors are to be had by others too: another descriptor of this process, a child, C code.
///
/// # Safety
/// As [`crate::service::alloc::allocate`]: other workers may collect meanwhile, and `keep` is kept.
pub unsafe fn lend(tcb: *mut Tcb, fds: &[i32], keep: &mut [u64]) {
    if fds.iter().any(|&fd| io().is_private(fd)) {
        // SAFETY: as the caller says.
        unsafe { while_all_stand(tcb, keep, || io().lend(fds)) }
    }
}

/// Everything may be had by a child of this process.
///
/// # Safety
/// As [`lend`].
pub unsafe fn lend_all(tcb: *mut Tcb) {
    // SAFETY: as the caller says.
    unsafe { while_all_stand(tcb, &mut [], || io().lend_all()) }
}

/// Runs `work` while no other worker makes a system call for an SML thread (I9).
unsafe fn while_all_stand(tcb: *mut Tcb, keep: &mut [u64], work: impl Fn()) {
    // SAFETY: the references stand where the collector finds them.
    unsafe { keeping(tcb, keep, || while !leat_fiber::stop_world(tcb, |_| work()) {}) }
}
