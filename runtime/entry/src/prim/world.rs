//! The world around the program: arguments, environment, error texts, random words.

use crate::service::here::{Here, Text};
use crate::service::system::{BAD_PATH, answer};
use crate::state::environment;
use crate::state::output::error_text;
use crate::state::runtime::runtime;

/// How many arguments the program has.
pub fn leat_arg_count() -> u64 {
    runtime().arguments.len() as u64
}

/// The argument of this number, from 0; the empty string when there is none.
pub fn leat_arg(mut here: Here, index: u64) -> u64 {
    let text = runtime().arguments.get(index as usize).map_or(&[][..], |a| a);
    here.new_string(text)
}

pub fn leat_program_name(mut here: Here) -> u64 {
    here.new_string(&runtime().name)
}

pub fn leat_env(mut here: Here, name: Text) -> u64 {
    let value = variable(here.bytes(&name)).unwrap_or_default();
    here.new_string(&value)
}

pub fn leat_env_has(here: Here, name: Text) -> u64 {
    variable(here.bytes(&name)).is_some() as u64
}

fn variable(name: &[u8]) -> Option<Vec<u8>> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    if name.is_empty() || name.contains(&0) || name.contains(&b'=') {
        return None;
    }
    environment::alone(|| std::env::var_os(std::ffi::OsStr::from_bytes(name))).map(|value| value.into_vec())
}

/// The system's text for an error number.
pub fn leat_error_message(mut here: Here, error: i64) -> u64 {
    here.new_string(error_text(error.unsigned_abs() as i32).as_bytes())
}

pub fn leat_env_set(here: Here, name: Text, value: Text) -> u64 {
    match (here.path(name), here.path(value)) {
        (Some(name), Some(value)) => {
            // SAFETY: both end in NUL. Whoever reads the environment in this process holds the same lock.
            environment::alone(|| answer(unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) } as i64))
        }
        _ => BAD_PATH,
    }
}

pub fn leat_random_word(_: Here) -> u64 {
    let mut word = 0u64;
    // SAFETY: eight bytes.
    unsafe { libc::getrandom((&mut word as *mut u64).cast(), 8, 0) };
    word
}
