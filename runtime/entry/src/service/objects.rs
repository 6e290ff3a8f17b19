//! Views of heap objects for the runtime functions: a string's bytes, an array's elements.
//!
//! All functions take payload addresses as compiled code gives them. A view is good until the next safepoint; nothing
//! here allocates or reaches one.

use core::ops::Range;

use leat_abi::header;
pub use leat_abi::header::of as header_of;

/// The bytes of a string, or of any raw array.
///
/// # Safety
/// `object` is a raw array; nothing collects while the slice is used.
#[inline]
pub unsafe fn bytes<'a>(object: u64) -> &'a [u8] {
    // SAFETY: the header tells the length of the payload.
    unsafe { core::slice::from_raw_parts(object as *const u8, header::payload_bytes(header_of(object))) }
}

/// The bytes of a raw array that may be written to.
///
/// # Safety
/// As [`bytes`], and nobody else holds a view.
#[inline]
pub unsafe fn bytes_mut<'a>(object: u64) -> &'a mut [u8] {
    // SAFETY: as in `bytes`.
    unsafe { core::slice::from_raw_parts_mut(object as *mut u8, header::payload_bytes(header_of(object))) }
}

/// A string as text for messages; bytes that are no UTF-8 become replacement characters.
///
/// # Safety
/// `object` is a string.
pub unsafe fn text(object: u64) -> String {
    // SAFETY: as the caller says.
    String::from_utf8_lossy(unsafe { bytes(object) }).into_owned()
}

/// Word `index` of a record's payload.
///
/// # Safety
/// `object` is an object of more than `index` words.
#[inline]
pub unsafe fn word(object: u64, index: usize) -> u64 {
    // SAFETY: as the caller says.
    unsafe { *(object as *const u64).add(index) }
}

/// Fills some of an array's elements with a value's raw bits (the low bytes, for small elements). The range is in bytes
/// of the payload.
///
/// # Safety
/// `array` is a fresh raw or reference array, and has these bytes, which are whole elements.
pub unsafe fn fill(array: u64, range: Range<usize>, bits: u64) {
    // SAFETY: header and payload are those of an array; elements are aligned to their size, as payloads are to 8.
    unsafe {
        let log2 = header::elem_log2(header_of(array));
        let (from, length) = ((array as *mut u8).add(range.start), range.len() >> log2);
        match log2 {
            0 => core::ptr::write_bytes(from, bits as u8, length),
            1 => core::slice::from_raw_parts_mut(from as *mut u16, length).fill(bits as u16),
            2 => core::slice::from_raw_parts_mut(from as *mut u32, length).fill(bits as u32),
            _ => core::slice::from_raw_parts_mut(from as *mut u64, length).fill(bits),
        }
    }
}

/// A header made of one without length (`shape`) and a length; None when the length is out of range.
pub fn array_header(shape: u64, length: i64) -> Option<u64> {
    (0..=header::MAX_LENGTH as i64).contains(&length).then_some(shape | (length as u64) << header::LENGTH_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_filled_by_their_element_size() {
        let bits = 0x1122_3344_5566_7788u64;
        let expected: [&[u8]; 4] = [
            &[0x88; 5],
            &[0x88, 0x77, 0x88, 0x77, 0x88, 0x77, 0x88, 0x77, 0x88, 0x77],
            &[0x88, 0x77, 0x66, 0x55, 0x88, 0x77, 0x66, 0x55],
            &[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11],
        ];
        for (log2, expected) in expected.iter().enumerate() {
            let length = (expected.len() >> log2) as i64;
            let mut memory = [0u64; 8];
            memory[0] = array_header(header::raw_array(log2 as u32, 0), length).unwrap();
            let array = &memory[1] as *const u64 as u64;
            // SAFETY: an object in our own array.
            unsafe {
                let (half, all) = ((expected.len() / 2) & !((1 << log2) - 1), expected.len());
                fill(array, half..all, bits);
                assert!(bytes(array)[..half].iter().all(|&byte| byte == 0), "nor before it");
                fill(array, 0..half, bits);
                assert_eq!(bytes(array), *expected);
            }
            assert_eq!(memory[7], 0, "nothing behind it was touched");
        }
    }

    #[test]
    fn lengths_out_of_range_have_no_header() {
        let shape = header::raw_array(0, 0);
        for length in [-1, i64::MIN, i64::MAX, header::MAX_LENGTH as i64 + 1] {
            assert_eq!(array_header(shape, length), None);
        }
        assert_eq!(array_header(shape, 3), Some(header::raw_array(0, 3)));
        assert_eq!(array_header(header::ref_array(0), 0), Some(header::ref_array(0)));
    }
}
