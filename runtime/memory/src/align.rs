//! Sizes rounded up to the alignment of objects: header -> bytes from this object to the next one.
//!
//! The alignment is a constant of everything that walks objects: the collector is compiled once for each. The features
//! `align-mask` and `align-division` load it at run time instead, as a mask or as a number to divide by; they are there
//! for row C2 of the lab, which links programs with either, and for nothing else.

use leat_abi::header::{WORD, payload_bytes, raw_words, ref_words};

/// The alignment of the heap at hand, for the features: less one, or itself. One heap a process, as programs have.
#[cfg(any(feature = "align-mask", feature = "align-division"))]
static LOADED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// A heap with this alignment begins.
pub(crate) fn begin(align: usize) {
    #[cfg(any(feature = "align-mask", feature = "align-division"))]
    LOADED.store(if cfg!(feature = "align-mask") { align - 1 } else { align }, std::sync::atomic::Ordering::Relaxed);
    let _ = align;
}

#[cfg(not(any(feature = "align-mask", feature = "align-division")))]
#[inline(always)]
fn round<const ALIGN: usize>(bytes: usize) -> usize {
    (bytes + (ALIGN - 1)) & !(ALIGN - 1)
}

#[cfg(any(feature = "align-mask", feature = "align-division"))]
#[inline(always)]
fn round<const ALIGN: usize>(bytes: usize) -> usize {
    let loaded = LOADED.load(std::sync::atomic::Ordering::Relaxed);
    if cfg!(feature = "align-mask") { (bytes + loaded) & !loaded } else { (bytes + loaded - 1) / loaded * loaded }
}

/// Any object's bytes, header and rounding included.
#[inline(always)]
pub(crate) fn object_bytes<const ALIGN: usize>(header: u64) -> usize {
    round::<ALIGN>(WORD + payload_bytes(header))
}

/// As [`object_bytes`], for the header of a record.
#[inline(always)]
pub(crate) fn record_bytes<const ALIGN: usize>(header: u64) -> usize {
    round::<ALIGN>((raw_words(header) + ref_words(header) + 1) * WORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leat_abi::header;

    #[test]
    fn sizes_are_those_that_compiled_code_has() {
        let headers =
            [header::record(1, 1, 0), header::record(0, 7, 3), header::raw_array(0, 11), header::ref_array(5)];
        for h in headers {
            begin(8);
            assert_eq!(object_bytes::<8>(h), header::object_bytes::<8>(h));
            begin(32);
            assert_eq!(object_bytes::<32>(h), header::object_bytes::<32>(h));
        }
        assert_eq!(record_bytes::<32>(headers[1]), object_bytes::<32>(headers[1]));
    }
}
