//! Strings and arrays: the primitives that make them, and the leaves that compare them.

use leat_abi::exn::Builtin;
use leat_abi::header::{self};
use leat_abi::tcb::Tcb;

use crate::service::alloc::new_string_with;
use crate::service::objects::header_of;
use crate::service::pieces::copy_in_pieces;
use crate::service::raise::raise_builtin;

/// An immediate, where there is no reference yet.
const NOTHING: u64 = header::immediate(0);

/// Equality of strings.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_string_eq(a: u64, b: u64) -> u64 {
    if a == b {
        return 1;
    }
    // SAFETY: both are strings; a leaf reaches no safepoint.
    unsafe {
        let length = header::length(header_of(a));
        (length == header::length(header_of(b)) && difference(a, b, length as usize).is_none()) as u64
    }
}

/// Where the first `length` bytes of two strings differ. Payloads are whole words, so words are read; most strings are
/// too short for a call of the C library to pay.
///
/// # Safety
/// Both are strings of so many bytes at least; nothing collects meanwhile.
#[inline(always)]
unsafe fn difference(a: u64, b: u64, length: usize) -> Option<usize> {
    let mut at = 0;
    while at < length {
        // SAFETY: the word holds a byte of the string, so it belongs to the object.
        let (x, y) = unsafe { (*((a as usize + at) as *const u64), *((b as usize + at) as *const u64)) };
        if x != y {
            at += (x ^ y).trailing_zeros() as usize / 8;
            return (at < length).then_some(at);
        }
        at += 8;
    }
    None
}

/// Order of strings by bytes: -1, 0, 1.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_string_compare(a: u64, b: u64) -> i64 {
    // SAFETY: as above; the differing byte belongs to both.
    unsafe {
        let (n, m) = (header::length(header_of(a)), header::length(header_of(b)));
        match difference(a, b, n.min(m) as usize) {
            Some(at) => (*((a as usize + at) as *const u8)).cmp(&*((b as usize + at) as *const u8)) as i64,
            None => n.cmp(&m) as i64,
        }
    }
}

/// `^`. An empty part is the quick function's case.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_string_concat(tcb: *mut Tcb, a: u64, b: u64) -> u64 {
    // SAFETY: both are strings, kept alive and up to date over the allocation.
    unsafe {
        let (left, right) = (header::length(header_of(a)), header::length(header_of(b)));
        if left + right > header::MAX_LENGTH {
            return raise_builtin(tcb, Builtin::Size);
        }
        let (left, right) = (left as usize, right as usize);
        let mut keep = [a, b, NOTHING];
        keep[2] = new_string_with(tcb, left + right, &mut keep);
        copy_in_pieces(tcb, &mut keep, (0, 0), (2, 0), left);
        copy_in_pieces(tcb, &mut keep, (1, 0), (2, left), right);
        keep[2]
    }
}

/// A part of a string. The whole of it is the quick function's case.
///
/// # Safety
/// Called by compiled code, with the range inside the string.
pub unsafe fn leat_string_extract_unsafe(tcb: *mut Tcb, string: u64, start: u64, count: u64) -> u64 {
    // SAFETY: the library has checked the range; the string is kept over the allocation.
    unsafe {
        let mut keep = [string, NOTHING];
        keep[1] = new_string_with(tcb, count as usize, &mut keep);
        copy_in_pieces(tcb, &mut keep, (0, start as usize), (1, 0), count as usize);
        keep[1]
    }
}
