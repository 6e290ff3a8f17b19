//! The collector seen from SML: the controls, statistics, weak pointers.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use leat_abi::figures::{collection, heap, heap_setting};
use leat_abi::header::{self, Kind};
use leat_abi::tcb::Tcb;
use leat_memory::Collection;

use crate::service::alloc;
use crate::service::objects::header_of;
use crate::state::runtime::runtime;

/// Collects as `abi::figures::collection` says.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_collect(tcb: *mut Tcb, kind: u64) -> u64 {
    let kind = match kind {
        collection::MINOR => Collection::Minor,
        collection::MAJOR => Collection::Major,
        collection::PACK => Collection::Pack,
        _ => Collection::Full,
    };
    // SAFETY: no reference is held.
    unsafe { while !alloc::collect(tcb, kind, &mut []) {} };
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_messages(_tcb: *mut Tcb, on: u64) -> u64 {
    runtime().heap.set_log(on != 0);
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_summary(_tcb: *mut Tcb, on: u64) -> u64 {
    runtime().summary.store(on != 0, Ordering::Relaxed);
    0
}

/// Figures by number, see `abi::figures::heap`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_stat(tcb: *mut Tcb, which: u64) -> u64 {
    // SAFETY: the worker's own block.
    let stats = runtime().heap.stats(Some(unsafe { &*tcb }));
    match which {
        heap::LIVE => stats.live as u64,
        heap::ALLOCATED => stats.allocated,
        heap::MINORS => stats.minors,
        heap::MAJORS => stats.majors,
        heap::SIZE => stats.heap as u64,
        heap::PEAK => stats.peak as u64,
        heap::MINOR_NS => stats.minor_ns,
        heap::MAJOR_NS => stats.major_ns,
        heap::LOGGED => stats.logged,
        heap::PROMOTED => stats.promoted,
        heap::MARKED => stats.marked,
        // Before the first major collection nobody has looked what lives.
        heap::MOST_LIVE => (if stats.majors > 0 { stats.most_live } else { stats.live }) as u64,
        _ => 0,
    }
}

/// Fixes the nursery's size in bytes; 0 and less let it follow the program again.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_set_nursery(_tcb: *mut Tcb, bytes: i64) -> u64 {
    runtime().heap.set_nursery((bytes > 0).then_some(bytes as usize));
    0
}

/// A setting by number, see `abi::figures::heap_setting`; 0 and less take it back.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc_set(_tcb: *mut Tcb, which: u64, value: i64) -> u64 {
    let (heap, value) = (&runtime().heap, u64::try_from(value).ok().filter(|&value| value > 0));
    match which {
        heap_setting::PAUSE => heap.set_pause(value),
        heap_setting::SPEND => heap.set_spend(value.map(|value| value as usize)),
        heap_setting::SOFT => heap.set_soft(value.map(|value| value as usize)),
        _ => {}
    }
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_weak_new(tcb: *mut Tcb, object: u64) -> u64 {
    let mut keep = [object];
    // SAFETY: a fresh object may be filled without a barrier.
    unsafe {
        let weak = alloc::allocate(tcb, header::weak(), &mut keep);
        *(weak as *mut u64) = keep[0];
        weak
    }
}

/// # Safety
/// Called by compiled code, with an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_object_size(_tcb: *mut Tcb, object: u64) -> u64 {
    let mut seen = HashSet::new();
    let mut todo = vec![object];
    let mut total = 0;
    while let Some(object) = todo.pop() {
        if header::is_immediate(object) || !seen.insert(object) {
            continue;
        }
        // SAFETY: an object; nothing moves meanwhile. Threads and stacks count without what they hold.
        unsafe {
            let header = header_of(object);
            total += header::object_bytes::<8>(header) as u64;
            let words = object as *const u64;
            match Kind::of(header) {
                Kind::Record | Kind::Weak => {
                    let raw = header::raw_words(header);
                    todo.extend((raw..raw + header::ref_words(header)).map(|i| *words.add(i)));
                }
                Kind::RefArray => todo.extend((0..header::length(header) as usize).map(|i| *words.add(i))),
                Kind::RawArray | Kind::Stack | Kind::Thread => {}
            }
        }
    }
    total
}

/// Words that a hash looks at, at most: what is circular has an end, too.
const HASHED: usize = 1 << 16;

/// # Safety
/// Called by compiled code, with an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_object_hash(_tcb: *mut Tcb, object: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut left = HASHED;
    // Values that are equal have the same contents, but not always the same parts in common: each way to a part counts.
    let mut todo = vec![object];
    let mut mix = |word: u64| {
        // 0.0 and ~0.0 are equal.
        let word = if word == 1 << 63 { 0 } else { word };
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    };
    while let Some(object) = todo.pop() {
        if header::is_immediate(object) {
            mix(object);
            continue;
        }
        // SAFETY: an object; nothing moves meanwhile.
        unsafe {
            let header = header_of(object);
            let words = object as *const u64;
            match Kind::of(header) {
                Kind::Record => {
                    let (raw, refs) = (header::raw_words(header), header::ref_words(header));
                    let looked = (raw + refs).min(left);
                    left -= looked;
                    (0..raw.min(looked)).for_each(|i| mix(*words.add(i)));
                    todo.extend((raw..looked.max(raw)).map(|i| *words.add(i)));
                }
                Kind::RefArray => {
                    let length = header::length(header) as usize;
                    mix(length as u64);
                    let looked = length.min(left);
                    left -= looked;
                    todo.extend((0..looked).map(|i| *words.add(i)));
                }
                Kind::RawArray => {
                    let bytes = (header::length(header) as usize) << header::elem_log2(header);
                    mix(bytes as u64);
                    let looked = (bytes / 8).min(left);
                    left -= looked;
                    (0..looked).for_each(|i| mix(*words.add(i)));
                    if looked == bytes / 8 && !bytes.is_multiple_of(8) {
                        let rest = core::slice::from_raw_parts(words.add(bytes / 8) as *const u8, bytes % 8);
                        mix(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
                    }
                }
                Kind::Weak | Kind::Stack | Kind::Thread => {}
            }
        }
        if left == 0 {
            break;
        }
    }
    hash
}
