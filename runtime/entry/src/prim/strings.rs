//! Strings and arrays: the primitives that make them, and the leaves that compare them.

use leat_abi::exn::Builtin;
use leat_abi::header::{self, Kind};
use leat_abi::tcb::Tcb;

use crate::service::alloc::{allocate, allocate_uninit, new_string, new_string_with};
use crate::service::objects::{array_header, bytes, fill, header_of};
use crate::service::raise::raise_builtin;
use crate::service::reals::{self, Format};
use crate::state::runtime::runtime;

/// `int * 'a -> 'a array`. `init` is the element's raw bits, `shape` the array's header without length.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_new(tcb: *mut Tcb, length: i64, init: u64, shape: u64) -> u64 {
    let Some(header) = array_header(shape, length) else {
        // SAFETY: as the caller says.
        return unsafe { raise_builtin(tcb, Builtin::Size) };
    };
    let mut keep = [init];
    // SAFETY: raw bits are no root; a fresh array may be filled without barriers.
    unsafe {
        let roots = if Kind::of(header) == Kind::RefArray { &mut keep[..] } else { &mut [] };
        let array = allocate_uninit(tcb, header, roots);
        fill(array, keep[0]);
        array
    }
}

/// `int -> 'a array`, elements 0 or immediate 1.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_new_uninit(tcb: *mut Tcb, length: i64, shape: u64) -> u64 {
    match array_header(shape, length) {
        // SAFETY: no reference is held.
        Some(header) => unsafe { allocate(tcb, header, &mut []) },
        // SAFETY: as the caller says.
        None => unsafe { raise_builtin(tcb, Builtin::Size) },
    }
}

/// Copies elements between arrays of one element type, which may be the same array.
///
/// # Safety
/// Called by compiled code, with ranges inside the arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_copy(tcb: *mut Tcb, src: u64, si: u64, dst: u64, di: u64, count: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    // SAFETY: the library has checked the ranges.
    unsafe {
        let header = header_of(dst);
        let shift = header::elem_log2(header);
        let from = (src + (si << shift)) as *const u8;
        let to = (dst + (di << shift)) as *mut u8;
        core::ptr::copy(from, to, (count as usize) << shift);
        if Kind::of(header) == Kind::RefArray {
            runtime().heap.barrier_range(tcb, dst, to as *mut u64, count as usize);
        }
    }
    0
}

/// Equality of strings.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_eq(a: u64, b: u64) -> u64 {
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
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_compare(a: u64, b: u64) -> i64 {
    // SAFETY: as above; the differing byte belongs to both.
    unsafe {
        let (n, m) = (header::length(header_of(a)), header::length(header_of(b)));
        match difference(a, b, n.min(m) as usize) {
            Some(at) => (*((a as usize + at) as *const u8)).cmp(&*((b as usize + at) as *const u8)) as i64,
            None => n.cmp(&m) as i64,
        }
    }
}

/// `^`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_concat(tcb: *mut Tcb, a: u64, b: u64) -> u64 {
    // SAFETY: both are strings, kept alive and up to date over the allocation.
    unsafe {
        let (left, right) = (header::length(header_of(a)), header::length(header_of(b)));
        if left == 0 {
            return b;
        }
        if right == 0 {
            return a;
        }
        if left + right > header::MAX_LENGTH {
            return raise_builtin(tcb, Builtin::Size);
        }
        let (left, right) = (left as usize, right as usize);
        let mut keep = [a, b];
        let result = new_string_with(tcb, left + right, &mut keep);
        core::ptr::copy_nonoverlapping(keep[0] as *const u8, result as *mut u8, left);
        core::ptr::copy_nonoverlapping(keep[1] as *const u8, (result as *mut u8).add(left), right);
        result
    }
}

/// A part of a string.
///
/// # Safety
/// Called by compiled code, with the range inside the string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_extract(tcb: *mut Tcb, string: u64, start: u64, count: u64) -> u64 {
    // SAFETY: the library has checked the range; the string is kept over the allocation.
    unsafe {
        if count == header::length(header_of(string)) {
            return string;
        }
        let mut keep = [string];
        let result = new_string_with(tcb, count as usize, &mut keep);
        core::ptr::copy_nonoverlapping((keep[0] + start) as *const u8, result as *mut u8, count as usize);
        result
    }
}

/// `Int.toString`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_int_to_string(tcb: *mut Tcb, value: i64) -> u64 {
    let mut buffer = [0; 20];
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, reals::int_text(value, &mut buffer)) }
}

/// `Real.fmt`, `Real.toString`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_real_fmt(tcb: *mut Tcb, real: f64, mode: u64, digits: i64) -> u64 {
    let mut text = Vec::with_capacity(32);
    reals::format_real(real, Format::from_number(mode), digits.clamp(0, 1 << 28) as usize, &mut text);
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, &text) }
}

/// A real of checked text.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_real_of_string(text: u64) -> f64 {
    // SAFETY: a string; a leaf reaches no safepoint.
    let text = unsafe { bytes(text) };
    if crate::prim::bignum::leat_real_get_rounding() == 0 {
        return reals::parse_real(text);
    }
    // The program has set another rounding mode, which the C library's function heeds.
    match std::ffi::CString::new(text) {
        // SAFETY: the text ends in 0.
        Ok(text) => unsafe { libc::strtod(text.as_ptr(), core::ptr::null_mut()) },
        Err(_) => f64::NAN,
    }
}
