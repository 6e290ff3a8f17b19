//! Short strings and arrays: what the primitives that make and copy them try first, on the SML stack, as leaves.
//!
//! Programs that take texts apart make many strings of a few bytes. The way by the stub to the C stack, the heap's
//! functions and the C library's copy took three times what is done here. Each function gives 0 when it has done
//! nothing, and the primitive of the same name is called: the object is long, the nursery has no room, a safepoint is
//! asked for, the heap is under stress (then compiled code is granted only what it asks for), an exception is to be
//! raised, the collector must be told. The collector's account has what is made here as compiled code's.

use core::sync::atomic::Ordering;

use leat_abi::header::{self, ObjectKind, WORD};
use leat_abi::tcb::Tcb;

use crate::service::objects::header_of;
use crate::service::pieces::AT_ONCE;
use crate::service::reals::{self, Format};
use crate::state::runtime::runtime;

/// Most bytes of what is made here.
const SHORT: u64 = 256;

/// A string or an array with this header, at most a bit more than [`SHORT`]; nothing is written but the header.
#[inline(always)]
unsafe fn place(tcb: *mut Tcb, header: u64) -> Option<u64> {
    // SAFETY: the calling worker's block; below the limit the room is its own.
    unsafe {
        let tcb = &mut *tcb;
        let at = tcb.alloc;
        let end = at + runtime().heap.object_bytes(header);
        if end > tcb.alloc_limit.load(Ordering::Relaxed) {
            return None;
        }
        tcb.alloc = end;
        *(at as *mut u64) = header;
        Some((at + WORD) as u64)
    }
}

/// Copies so many bytes between objects that do not overlap.
#[inline(always)]
unsafe fn copy(from: u64, to: u64, count: u64) {
    let (from, to, count) = (from as *const u8, to as *mut u8, count as usize);
    /// The first and the last bytes of a range that has no more than two of these, and one at the least.
    #[inline(always)]
    unsafe fn ends<T: Copy>(from: *const u8, to: *mut u8, count: usize) {
        let last = count - size_of::<T>();
        // SAFETY: both lie in the range.
        unsafe {
            let (a, b) = ((from as *const T).read_unaligned(), (from.add(last) as *const T).read_unaligned());
            (to as *mut T).write_unaligned(a);
            (to.add(last) as *mut T).write_unaligned(b);
        }
    }
    // SAFETY: as the caller says.
    unsafe {
        match count {
            0 => {}
            1 => *to = *from,
            2..4 => ends::<u16>(from, to, count),
            4..8 => ends::<u32>(from, to, count),
            8..16 => ends::<u64>(from, to, count),
            16..=32 => ends::<u128>(from, to, count),
            _ => core::ptr::copy_nonoverlapping(from, to, count),
        }
    }
}

/// Writes one word over and over into a fresh object's payload.
#[inline(always)]
unsafe fn fill(object: u64, bytes: u64, word: u64) {
    for i in 0..bytes.div_ceil(WORD as u64) as usize {
        // SAFETY: payloads are whole words.
        unsafe { *(object as *mut u64).add(i) = word };
    }
}

/// # Safety
/// As [`super::arrays::leat_array_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_new_quick(tcb: *mut Tcb, length: u64, init: u64, shape: u64) -> u64 {
    let log2 = header::elem_log2(shape);
    if length > SHORT >> log2 {
        return 0;
    }
    let word = match log2 {
        0 => u64::from(init as u8) * 0x0101_0101_0101_0101,
        1 => u64::from(init as u16) * 0x0001_0001_0001_0001,
        2 => u64::from(init as u32) * 0x0000_0001_0000_0001,
        _ => init,
    };
    // SAFETY: as the caller says. What is young needs no barrier.
    unsafe {
        let Some(array) = place(tcb, shape | length << header::LENGTH_SHIFT) else { return 0 };
        fill(array, length << log2, word);
        array
    }
}

/// # Safety
/// As [`super::arrays::leat_array_new_uninit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_new_uninit_quick(tcb: *mut Tcb, length: u64, shape: u64) -> u64 {
    let log2 = header::elem_log2(shape);
    if length > SHORT >> log2 {
        return 0;
    }
    // SAFETY: as the caller says.
    unsafe {
        let Some(array) = place(tcb, shape | length << header::LENGTH_SHIFT) else { return 0 };
        if ObjectKind::of(shape) != ObjectKind::RawArray {
            fill(array, length << log2, 1);
        }
        array
    }
}

/// # Safety
/// As [`super::arrays::leat_array_copy_unsafe`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_copy_unsafe_quick(
    _: *mut Tcb,
    src: u64,
    si: u64,
    dst: u64,
    di: u64,
    count: u64,
) -> u64 {
    // SAFETY: the library has checked the ranges.
    unsafe {
        let header = header_of(dst);
        if ObjectKind::of(header) != ObjectKind::RawArray || src == dst {
            return 0;
        }
        let shift = header::elem_log2(header);
        // A long copy is made in pieces.
        if count << shift > AT_ONCE as u64 {
            return 0;
        }
        copy(src + (si << shift), dst + (di << shift), count << shift);
    }
    1
}

/// # Safety
/// As [`super::ints::leat_int_to_string`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_int_to_string_quick(tcb: *mut Tcb, value: i64) -> u64 {
    let mut buffer = [0; 20];
    let text = reals::int_text(value, &mut buffer);
    // SAFETY: as the caller says.
    unsafe {
        let Some(string) = place(tcb, header::raw_array(0, text.len() as u64)) else { return 0 };
        copy(text.as_ptr() as u64, string, text.len() as u64);
        string
    }
}

/// # Safety
/// As [`super::reals::leat_real_fmt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_real_fmt_quick(tcb: *mut Tcb, real: f64, mode: u64, digits: i64) -> u64 {
    let mut line = reals::Line::empty();
    if !reals::short_text(real, Format::from_number(mode), digits.clamp(0, 1 << 28) as usize, &mut line) {
        return 0;
    }
    let text = line.as_slice();
    // SAFETY: as the caller says.
    unsafe {
        let Some(string) = place(tcb, header::raw_array(0, text.len() as u64)) else { return 0 };
        copy(text.as_ptr() as u64, string, text.len() as u64);
        string
    }
}

/// # Safety
/// As [`super::strings::leat_string_concat`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_concat_quick(tcb: *mut Tcb, a: u64, b: u64) -> u64 {
    // SAFETY: both are strings, which nothing moves here.
    unsafe {
        let (left, right) = (header::length(header_of(a)), header::length(header_of(b)));
        if left == 0 {
            return b;
        }
        if right == 0 {
            return a;
        }
        if left + right > SHORT {
            return 0;
        }
        let Some(string) = place(tcb, header::raw_array(0, left + right)) else { return 0 };
        copy(a, string, left);
        copy(b, string + left, right);
        string
    }
}

/// # Safety
/// As [`super::strings::leat_string_extract_unsafe`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_string_extract_unsafe_quick(tcb: *mut Tcb, string: u64, start: u64, count: u64) -> u64 {
    // SAFETY: the library has checked the range; nothing moves the string here.
    unsafe {
        if count == header::length(header_of(string)) {
            return string;
        }
        if count > SHORT {
            return 0;
        }
        let Some(part) = place(tcb, header::raw_array(0, count)) else { return 0 };
        copy(string + start, part, count);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_all_lengths_are_copied_and_nothing_beside_them() {
        let from: Vec<u8> = (0..100).map(|i| i as u8 + 1).collect();
        for count in 0..70 {
            let mut to = [0; 100];
            // SAFETY: both have the bytes.
            unsafe { copy(from[7..].as_ptr() as u64, to[13..].as_mut_ptr() as u64, count as u64) };
            assert_eq!(to[13..13 + count], from[7..7 + count]);
            assert!(to[..13].iter().chain(&to[13 + count..]).all(|&b| b == 0), "{count}");
        }
    }
}
