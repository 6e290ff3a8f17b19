//! The header word of a heap object, and what follows from it: kind, shape, size.
//!
//! ```text
//!  63            48 47            32 31            16 15   12 11    8 7    4 3   2   1   0
//! | constructor tag |   ref words   |   raw words    | - M L | elem  | kind | - | S | U | 1 |   record
//! |                 length in elements               | - M L | elem  | kind | - | S | U | 1 |   array, stack
//! ```
//!
//! Bit 0 is always set: a forwarding address, which replaces the header during a collection, is even. `U` (unlogged):
//! the object is old and its next mutation must be logged; the write barrier tests this bit only. `S` (static): the
//! object lies in the program's data and never moves. `M` (marked), `L` (large) and the two bits beside them belong to
//! the collector. `M` and `U` are in different bytes: the one may be written while a program runs, by a thread of the
//! collector, and the other by the program. A record keeps its raw words before its ref words, so that the collector
//! reads two counts and no map.

/// Bytes of a word, of a header, and of a field.
pub const WORD: usize = 8;

pub const PRESENT: u64 = 1;
pub const UNLOGGED: u64 = 1 << 1;
pub const STATIC: u64 = 1 << 2;
pub const KIND_SHIFT: u32 = 4;
pub const KIND_MASK: u64 = 0xf << KIND_SHIFT;
/// log2 of the element size in bytes of a raw array.
pub const ELEM_SHIFT: u32 = 8;
pub const ELEM_MASK: u64 = 0xf << ELEM_SHIFT;
/// Bits that only the collector reads and writes.
pub const GC_SHIFT: u32 = 12;
pub const GC_MASK: u64 = 0xf << GC_SHIFT;
pub const MARK: u64 = 1 << 13;
const _: () = assert!(MARK & GC_MASK != 0 && UNLOGGED < 1 << 8 && MARK < 1 << 16);
pub const RAW_SHIFT: u32 = 16;
pub const REF_SHIFT: u32 = 32;
pub const TAG_SHIFT: u32 = 48;
pub const LENGTH_SHIFT: u32 = 16;

/// The header of an object.
///
/// # Safety
/// `object` is an object's payload.
#[inline(always)]
pub unsafe fn of(object: u64) -> u64 {
    // SAFETY: invariant A1.
    unsafe { *(object as *const u64).sub(1) }
}

/// Most elements an array may have; more raises `Size`.
pub const MAX_LENGTH: u64 = (1 << 46) - 1;
/// Most fields of one sort in a record.
pub const MAX_FIELDS: usize = 0xffff;

/// What an object is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    /// Raw words, then ref words; tuples, constructors, closures, ref cells.
    Record = 0,
    /// Elements of 1, 2, 4 or 8 bytes that hold no reference; strings too.
    RawArray = 1,
    /// Elements of 8 bytes, all of them references.
    RefArray = 2,
    /// A piece of a suspended thread's stack, length in words; scanned by its frames' stack maps. See
    /// [`crate::thread`].
    Stack = 3,
    /// A record whose raw and ref words are those of [`crate::thread::Thread`]; its stack is scanned with it.
    Thread = 4,
    /// One ref word, cleared (to immediate 1) when its object dies.
    Weak = 5,
}

impl ObjectKind {
    /// The kind in a header.
    #[inline(always)]
    pub fn of(header: u64) -> ObjectKind {
        match (header & KIND_MASK) >> KIND_SHIFT {
            0 => ObjectKind::Record,
            1 => ObjectKind::RawArray,
            2 => ObjectKind::RefArray,
            3 => ObjectKind::Stack,
            4 => ObjectKind::Thread,
            _ => ObjectKind::Weak,
        }
    }
}

/// The header of a record: `record(0, 2, 0)` is a pair of references.
#[inline]
pub const fn record(raw_words: usize, ref_words: usize, tag: u16) -> u64 {
    PRESENT | (raw_words as u64) << RAW_SHIFT | (ref_words as u64) << REF_SHIFT | (tag as u64) << TAG_SHIFT
}

/// The header of a raw array: `raw_array(0, n)` is a string of n bytes.
#[inline]
pub const fn raw_array(elem_log2: u32, length: u64) -> u64 {
    PRESENT | (ObjectKind::RawArray as u64) << KIND_SHIFT | (elem_log2 as u64) << ELEM_SHIFT | length << LENGTH_SHIFT
}

/// The header of an array of references.
#[inline]
pub const fn ref_array(length: u64) -> u64 {
    PRESENT | (ObjectKind::RefArray as u64) << KIND_SHIFT | 3 << ELEM_SHIFT | length << LENGTH_SHIFT
}

/// The header of a piece of stack.
#[inline]
pub const fn stack(words: u64) -> u64 {
    PRESENT | (ObjectKind::Stack as u64) << KIND_SHIFT | 3 << ELEM_SHIFT | words << LENGTH_SHIFT
}

/// The header of a weak pointer.
#[inline]
pub const fn weak() -> u64 {
    record(0, 1, 0) | (ObjectKind::Weak as u64) << KIND_SHIFT
}

#[inline(always)]
pub const fn raw_words(header: u64) -> usize {
    ((header >> RAW_SHIFT) & 0xffff) as usize
}

#[inline(always)]
pub const fn ref_words(header: u64) -> usize {
    ((header >> REF_SHIFT) & 0xffff) as usize
}

#[inline(always)]
pub const fn tag(header: u64) -> u16 {
    (header >> TAG_SHIFT) as u16
}

#[inline(always)]
pub const fn length(header: u64) -> u64 {
    header >> LENGTH_SHIFT
}

#[inline(always)]
pub const fn elem_log2(header: u64) -> u32 {
    ((header & ELEM_MASK) >> ELEM_SHIFT) as u32
}

/// Payload bytes, before rounding.
#[inline(always)]
pub fn payload_bytes(header: u64) -> usize {
    match ObjectKind::of(header) {
        ObjectKind::Record | ObjectKind::Thread | ObjectKind::Weak => (raw_words(header) + ref_words(header)) * WORD,
        ObjectKind::RawArray | ObjectKind::RefArray | ObjectKind::Stack => {
            (length(header) as usize) << elem_log2(header)
        }
    }
}

/// Bytes from this object's header to the next one's, for objects aligned to `ALIGN` (a power of two, 8 or more).
/// The payload's address is a multiple of `ALIGN`; so a heap block starts its first header at `ALIGN - 8`.
#[inline(always)]
pub fn object_bytes<const ALIGN: usize>(header: u64) -> usize {
    const { assert!(ALIGN.is_power_of_two() && ALIGN >= 8) };
    (WORD + payload_bytes(header) + (ALIGN - 1)) & !(ALIGN - 1)
}

/// Whether a `Ref` is an immediate (or the empty word 0), not an address.
#[inline(always)]
pub const fn is_immediate(word: u64) -> bool {
    word & 1 != 0 || word == 0
}

/// The immediate of nullary constructor `k`.
#[inline]
pub const fn immediate(k: u64) -> u64 {
    2 * k + 1
}

/// Asks for the cache line of a word that will be read soon, of an object as a rule; any address will do.
#[inline(always)]
pub fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address as *const i8);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_survive_the_header() {
        let pair = record(1, 2, 7);
        assert_eq!((raw_words(pair), ref_words(pair), tag(pair)), (1, 2, 7));
        assert_eq!(object_bytes::<8>(pair), 32);
        let text = raw_array(0, 13);
        assert_eq!((ObjectKind::of(text), length(text), payload_bytes(text)), (ObjectKind::RawArray, 13, 13));
        assert_eq!((object_bytes::<8>(text), object_bytes::<16>(text), object_bytes::<32>(text)), (24, 32, 32));
        assert_eq!(object_bytes::<8>(raw_array(0, 0)), 8);
        assert_eq!(payload_bytes(ref_array(5)), 40);
        assert_eq!(payload_bytes(stack(5)), 40);
    }
}
