//! Arrays and vectors: making and copying.

use core::sync::atomic::{AtomicU64, Ordering};

use leat_abi::exn::Builtin;
use leat_abi::header::{self, Kind};
use leat_abi::tcb::Tcb;
use leat_memory::Collection;

use crate::service::alloc::{allocate, allocate_uninit, collect};
use crate::service::objects::{array_header, fill, header_of};
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
    let mut keep = [init];
    // SAFETY: raw bits are no root; a fresh array may be filled without barriers.
    unsafe {
        let roots = if Kind::of(header) == Kind::RefArray { &mut keep[..] } else { &mut [] };
        if Kind::of(header) == Kind::RefArray && runtime().heap.wants_old(tcb, header, init) {
            collect(tcb, Collection::Minor, roots);
        }
        let array = allocate_uninit(tcb, header, roots);
        fill(array, keep[0]);
        if Kind::of(header) == Kind::RefArray {
            runtime().heap.filled(tcb, array, keep[0]);
        }
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
        Some(header) if Kind::of(header) == Kind::RawArray => unsafe { allocate_uninit(tcb, header, &mut []) },
        // SAFETY: no reference is held.
        Some(header) => unsafe {
            let array = allocate(tcb, header, &mut []);
            runtime().heap.filled(tcb, array, header::immediate(0));
            array
        },
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
        let header = header_of(dst);
        let shift = header::elem_log2(header);
        let from = (src + (si << shift)) as *const u8;
        let to = (dst + (di << shift)) as *mut u8;
        if Kind::of(header) == Kind::RefArray && runtime().heap.is_marked_beside(tcb) {
            copy_words(from as *const u64, to as *mut u64, count as usize);
        } else {
            core::ptr::copy(from, to, (count as usize) << shift);
        }
        if Kind::of(header) == Kind::RefArray {
            runtime().heap.barrier_range(tcb, dst, to as *mut u64, count as usize);
        }
    }
    0
}
