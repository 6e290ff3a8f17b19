//! The world around the program: arguments, environment, error texts, random words.

use leat_abi::tcb::Tcb;

use crate::service::alloc::new_string;
use crate::service::objects::bytes;
use crate::service::system::{BAD_PATH, answer, path};
use crate::state::output::error_text;
use crate::state::runtime::runtime;

/// How many arguments the program has.
#[unsafe(no_mangle)]
pub extern "C" fn leat_arg_count() -> u64 {
    runtime().arguments.len() as u64
}

/// The argument of this number, from 0; the empty string when there is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_arg(tcb: *mut Tcb, index: u64) -> u64 {
    let text = runtime().arguments.get(index as usize).map_or(&[][..], |a| a);
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, text) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_program_name(tcb: *mut Tcb) -> u64 {
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, &runtime().name) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_env(tcb: *mut Tcb, name: u64) -> u64 {
    // SAFETY: the name is read before the allocation.
    unsafe { new_string(tcb, &variable(bytes(name)).unwrap_or_default()) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_env_has(_tcb: *mut Tcb, name: u64) -> u64 {
    // SAFETY: a string.
    variable(unsafe { bytes(name) }).is_some() as u64
}

fn variable(name: &[u8]) -> Option<Vec<u8>> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    if name.is_empty() || name.contains(&0) || name.contains(&b'=') {
        return None;
    }
    std::env::var_os(std::ffi::OsStr::from_bytes(name)).map(|value| value.into_vec())
}

/// The system's text for an error number.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_error_message(tcb: *mut Tcb, error: i64) -> u64 {
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, error_text(error.unsigned_abs() as i32).as_bytes()) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_env_set(_tcb: *mut Tcb, name: u64, value: u64) -> u64 {
    // SAFETY: two strings. Another thread of this process that reads the environment does so by the library's own lock.
    unsafe {
        match (path(name), path(value)) {
            (Some(name), Some(value)) => answer(libc::setenv(name.as_ptr(), value.as_ptr(), 1) as i64),
            _ => BAD_PATH,
        }
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_random_word(_tcb: *mut Tcb) -> u64 {
    let mut word = 0u64;
    // SAFETY: eight bytes.
    unsafe { libc::getrandom((&mut word as *mut u64).cast(), 8, 0) };
    word
}
