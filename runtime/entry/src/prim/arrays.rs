//! Arrays and vectors: making and copying.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use leat_abi::exn::Builtin;
use leat_abi::header::{self, ObjectKind};
use leat_abi::tcb::Tcb;

use crate::service::alloc::{allocate_uninit, collect_what_is_dead};
use crate::service::objects::{array_header, fill, header_of};
use crate::service::pieces::{AT_ONCE, PIECE, in_pieces, look};
use crate::service::raise::raise_builtin;
use crate::state::runtime::runtime;

/// `int * 'a -> 'a array`. `init` is the element's raw bits, `shape` the array's header without length.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_array_new(tcb: *mut Tcb, length: i64, init: u64, shape: u64) -> u64 {
    let Some(header) = array_header(shape, length) else {
        // SAFETY: as the caller says.
        return unsafe { raise_builtin(tcb, Builtin::Size) };
    };
    // SAFETY: raw bits are no root; a fresh array may be filled without barriers.
    unsafe {
        if ObjectKind::of(header) == ObjectKind::RefArray {
            let mut keep = [init];
            if runtime().heap.wants_old(tcb, header, init) {
                // If the heap is full all the same, the array finds no room.
                collect_what_is_dead(tcb, &mut keep);
            }
            return new_references(tcb, header, keep[0]);
        }
        let mut keep = [allocate_uninit(tcb, header, &mut [])];
        in_pieces(tcb, header::payload_bytes(header), &mut keep, |keep, range| fill_piece(keep[0], range, init));
        keep[0]
    }
}

/// Fills a part of an array, whose pages may be missing.
unsafe fn fill_piece(array: u64, range: Range<usize>, bits: u64) {
    // SAFETY: the caller vouches for the range, which lies in the array.
    unsafe {
        if range.len() == PIECE {
            let at = array as usize + range.start;
            leat_memory::populate(at, at + PIECE);
        }
        fill(array, range, bits);
    }
}

/// An array of references, all of which are this one. While a long one is filled its header says that it has none, so
/// that the collector does not look into it.
unsafe fn new_references(tcb: *mut Tcb, header: u64, init: u64) -> u64 {
    let (length, bytes) = (header::length(header), header::payload_bytes(header));
    // SAFETY: as `leat_array_new`. Both headers have the same length in the same place, and elements of a word.
    unsafe {
        if bytes <= AT_ONCE {
            let mut keep = [init];
            let array = allocate_uninit(tcb, header, &mut keep);
            fill(array, 0..bytes, keep[0]);
            runtime().heap.filled(tcb, array, keep[0]);
            return array;
        }
        let mut keep = [init, header::immediate(0)];
        keep[1] = allocate_uninit(tcb, header::raw_array(3, length), &mut keep);
        // What has been filled in is out of date when the element has moved. The last time nobody is let in between.
        for most in [PIECE, PIECE, PIECE, usize::MAX] {
            let init = keep[0];
            let mut at = 0;
            while at < bytes && keep[0] == init {
                let end = bytes.min(at.saturating_add(most));
                fill_piece(keep[1], at..end, init);
                at = end;
                if at < bytes {
                    look(tcb, &mut keep);
                }
            }
            if at == bytes && keep[0] == init {
                break;
            }
        }
        let [init, array] = keep;
        runtime().heap.becomes_references(tcb, array);
        runtime().heap.filled(tcb, array, init);
        array
    }
}

/// `int -> 'a array`. Elements that are no references have any bits: who asks fills them. References are immediate 1.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_array_new_uninit(tcb: *mut Tcb, length: i64, shape: u64) -> u64 {
    match array_header(shape, length) {
        // SAFETY: no reference is held; the collector does not look into raw elements. A text of 600 KB was cleared in
        // 15 us before a file was read into it in 20.
        Some(header) if ObjectKind::of(header) == ObjectKind::RawArray => unsafe {
            allocate_uninit(tcb, header, &mut [])
        },
        // SAFETY: no reference is held.
        Some(header) => unsafe { new_references(tcb, header, header::immediate(0)) },
        // SAFETY: as the caller says.
        None => unsafe { raise_builtin(tcb, Builtin::Size) },
    }
}

/// Copies whole words, one after the other, which somebody else may be reading.
unsafe fn copy_words(from: *const u64, to: *mut u64, count: usize) {
    // SAFETY: the caller vouches for both places, which may overlap.
    unsafe {
        let copy = |i: usize| {
            let word = AtomicU64::from_ptr(from.add(i).cast_mut()).load(Ordering::Relaxed);
            AtomicU64::from_ptr(to.add(i)).store(word, Ordering::Relaxed);
        };
        if from.addr() < to.addr() { (0..count).rev().for_each(copy) } else { (0..count).for_each(copy) }
    }
}

/// Copies elements between arrays of one element type, which may be the same array.
///
/// # Safety
/// Called by compiled code, with ranges inside the arrays.
pub unsafe fn leat_array_copy_unsafe(tcb: *mut Tcb, src: u64, si: u64, dst: u64, di: u64, count: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    // SAFETY: the library has checked the ranges.
    unsafe {
        let log2 = header::elem_log2(header_of(dst));
        let bytes = (count as usize) << log2;
        // From the end that is not overwritten by the copy.
        let is_up = src != dst || si >= di;
        in_pieces(tcb, bytes, &mut [src, dst], |keep, range| {
            let from = if is_up { range.start } else { bytes - range.end };
            let (from, count) = (from as u64 >> log2, range.len() as u64 >> log2);
            copy_part(tcb, keep[0], si + from, keep[1], di + from, count);
        });
    }
    0
}

/// A piece of a copy.
///
/// # Safety
/// As [`leat_array_copy_unsafe`]; there is something to copy.
unsafe fn copy_part(tcb: *mut Tcb, src: u64, si: u64, dst: u64, di: u64, count: u64) {
    // SAFETY: as the caller says.
    unsafe {
        let header = header_of(dst);
        let shift = header::elem_log2(header);
        let from = (src + (si << shift)) as *const u8;
        let to = (dst + (di << shift)) as *mut u8;
        if ObjectKind::of(header) == ObjectKind::RefArray && runtime().heap.is_marked_beside(tcb) {
            copy_words(from as *const u64, to as *mut u64, count as usize);
        } else {
            core::ptr::copy(from, to, (count as usize) << shift);
        }
        if ObjectKind::of(header) == ObjectKind::RefArray {
            runtime().heap.barrier_range(tcb, dst, to as *mut u64, count as usize);
        }
    }
}
