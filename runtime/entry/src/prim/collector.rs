//! The collector seen from SML: the controls, statistics, weak pointers.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use leat_abi::figures::{collection, heap, heap_setting};
use leat_abi::header::{self, ObjectKind};
use leat_memory::Collection;

use crate::service::here::{Here, Value};
use crate::state::runtime::runtime;

/// Collects as `abi::figures::collection` says.
pub fn leat_gc_collect(mut here: Here, kind: u64) {
    here.collect(match kind {
        collection::MINOR => Collection::Minor,
        collection::MAJOR => Collection::Major,
        collection::PACK => Collection::Pack,
        _ => Collection::Full,
    });
}

pub fn leat_gc_messages(_: Here, on: bool) {
    runtime().heap.set_log(on);
}

pub fn leat_gc_summary(_: Here, on: bool) {
    runtime().summary.store(on, Ordering::Relaxed);
}

/// Figures by number, see `abi::figures::heap`.
pub fn leat_gc_stat(here: Here, which: u64) -> u64 {
    let stats = here.heap_stats();
    match which {
        heap::LIVE => stats.found as u64,
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
pub fn leat_gc_set_nursery(_: Here, bytes: i64) {
    runtime().heap.set_nursery((bytes > 0).then_some(bytes as usize));
}

/// A setting by number, see `abi::figures::heap_setting`; 0 and less take it back.
pub fn leat_gc_set(_: Here, which: u64, value: i64) {
    let (heap, value) = (&runtime().heap, u64::try_from(value).ok().filter(|&value| value > 0));
    match which {
        heap_setting::PAUSE => heap.set_pause(value),
        heap_setting::SPEND => heap.set_spend(value.map(|value| value as usize)),
        heap_setting::SOFT => heap.set_soft(value.map(|value| value as usize)),
        _ => {}
    }
}

pub fn leat_weak_new(mut here: Here, object: u64) -> u64 {
    here.new_weak(object)
}

/// Threads and stacks count without what they hold.
pub fn leat_object_size(here: Here, value: Value) -> u64 {
    let mut seen = HashSet::new();
    let mut todo = vec![value];
    let mut total = 0;
    while let Some(value) = todo.pop() {
        if let Some(parts) = here.parts(value)
            && seen.insert(value)
        {
            total += header::object_bytes::<8>(parts.header) as u64;
            todo.extend(parts.refs);
        }
    }
    total
}

/// Words that a hash looks at, at most: what is circular has an end, too.
const HASHED: usize = 1 << 16;

pub fn leat_object_hash(here: Here, value: Value) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut left = HASHED;
    // Values that are equal have the same contents, but not always the same parts in common: each way to a part counts.
    let mut todo = vec![value];
    let mut mix = |word: u64| {
        // 0.0 and ~0.0 are equal.
        let word = if word == 1 << 63 { 0 } else { word };
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    };
    while let Some(value) = todo.pop() {
        let Some(parts) = here.parts(value) else {
            mix(value.word());
            continue;
        };
        let kind = ObjectKind::of(parts.header);
        match kind {
            ObjectKind::Record => {}
            ObjectKind::RefArray => mix(parts.refs.len() as u64),
            ObjectKind::RawArray => mix(parts.raw.len() as u64),
            ObjectKind::Weak | ObjectKind::Stack | ObjectKind::Thread => continue,
        }
        let (words, rest) = parts.raw.as_chunks();
        let looked = words.len().min(left);
        left -= looked;
        words[..looked].iter().for_each(|word| mix(u64::from_le_bytes(*word)));
        if looked == words.len() && !rest.is_empty() {
            mix(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        let looked = parts.refs.len().min(left);
        left -= looked;
        todo.extend(&parts.refs[..looked]);
        if left == 0 {
            break;
        }
    }
    hash
}
