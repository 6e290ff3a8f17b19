//! The stubs as Rust sees them: the functions that are written in assembly, and their addresses.
//!
//! Compiled code calls the runtime by them, and they switch from one stack to another. Each architecture has a folder
//! of its own; no other file of the crate has assembly.

use core::ffi::c_void;

use leat_abi::tcb::Tcb;

#[cfg(target_arch = "x86_64")]
pub mod x86_64;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::rest;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{abandon, ticks};

#[cfg(not(target_arch = "x86_64"))]
compile_error!("leat-fiber has stubs for x86-64 only so far; another architecture is a folder beside `stub/x86_64`");

unsafe extern "C" {
    /// Runs SML threads on this OS thread; comes back when one of the runtime functions has let the worker leave.
    pub(crate) fn leat_fiber_enter(tcb: *mut Tcb, base: *mut usize) -> u64;
    /// This OS thread carries workers that are given to it; comes back at its end, or as `leat_fiber_enter` does.
    pub(crate) fn leat_fiber_carry(carrier: *const c_void, base: *mut usize);
    fn leat_fiber_start();
    fn leat_fiber_marker();
    fn leat_fiber_boundary();
    fn leat_fiber_resume_thrown();
    fn leat_raise_stub();
    fn leat_raise_builtin_stub();
}

/// Resume address of a new thread: calls the closure that it is given, then ends the thread.
pub fn start_address() -> usize {
    leat_fiber_start as *const () as usize
}

/// What stands in place of a return address where the collector's marker is.
pub fn marker_address() -> usize {
    leat_fiber_marker as *const () as usize
}

/// What stands in place of a return address whose frame is still in the heap.
pub fn boundary_address() -> usize {
    leat_fiber_boundary as *const () as usize
}

/// Resume address of a primitive's call in a stack that was thrown to.
pub(crate) fn thrown_address() -> usize {
    leat_fiber_resume_thrown as *const () as usize
}

/// Stub for `raise`: its argument is the packet.
pub fn raise_address() -> usize {
    leat_raise_stub as *const () as usize
}

/// Stub for raising a builtin exception: its argument is the number.
pub fn raise_builtin_address() -> usize {
    leat_raise_builtin_stub as *const () as usize
}
