//! Several workers at once: each thread allocates and stores into shared objects; at a rendezvous one of them collects.

mod support;

use std::sync::Barrier;

use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_memory::{Collection, Config};
use support::*;

const WORKERS: usize = 4;
const ROUNDS: u64 = 30;
const CELLS: u64 = 1_500;
const ELEMENTS: u64 = 20_000;

struct Shared(*mut Mutator);

// SAFETY: see `work`: between two rendezvous each thread touches its own worker and roots, and elements of its own.
unsafe impl Sync for Shared {}

/// One worker's life. Root `w` is its list; root `WORKERS` a shared large array, of which it owns every fourth element;
/// root `WORKERS + 1` a shared record, of which it owns a field.
fn work(shared: &Shared, barrier: &Barrier, w: usize) {
    // SAFETY: the mutator outlives the threads; the fields used are this worker's, or read only.
    unsafe {
        let m = shared.0;
        let tcb: *mut Tcb = &raw mut **(&raw mut (*m).tcbs).as_mut().unwrap().as_mut_ptr().add(w);
        let slot = (*m).roots.slots.as_mut_ptr().add(w);
        for round in 0..ROUNDS {
            let heap = &(*m).heap;
            for i in 0..CELLS {
                heap.alloc_slow(tcb, 24, None).unwrap();
                let cell = ((*tcb).alloc + 8) as u64;
                (*tcb).alloc += 24;
                set(cell - 8, 0, header::record(1, 1, 0));
                set(cell, 0, round * CELLS + i);
                set(cell, 1, if i == 0 { 1 } else { *slot });
                *slot = cell;
                if i % 50 == 0 {
                    let array = (&(*m).roots.slots)[WORKERS];
                    let index = (i * 7 + round) % (ELEMENTS / WORKERS as u64) * WORKERS as u64 + w as u64;
                    set(array, index as usize, cell);
                    heap.barrier_range(tcb, array, (array as *mut u64).add(index as usize), 1);
                    let record = (&(*m).roots.slots)[WORKERS + 1];
                    set(record, w, cell);
                    heap.barrier(tcb, record);
                }
            }
            if round % 10 == w as u64 {
                *slot = heap.alloc(tcb, header::raw_array(0, 70_000), None).unwrap();
            }
            barrier.wait();
            if w == 0 {
                let kind = if round % 7 == 0 { Collection::Full } else { Collection::Minor };
                (*m).collect(kind).unwrap();
                let record = (&(*m).roots.slots)[WORKERS + 1];
                for other in 0..WORKERS {
                    assert_eq!(get(get(record, other), 0), round * CELLS + CELLS - 50);
                }
            }
            barrier.wait();
        }
    }
}

#[test]
fn four_threads_allocate_and_store() {
    let config = Config { workers: WORKERS, verify: true, nursery: Some(1 << 20), ..Config::default() };
    let mut m = Mutator::new(config, WORKERS + 2);
    m.roots.slots[WORKERS] = m.alloc(0, header::ref_array(ELEMENTS)).unwrap();
    m.roots.slots[WORKERS + 1] = m.alloc(0, header::record(0, WORKERS, 0)).unwrap();
    m.collect(Collection::Minor).unwrap();
    let (shared, barrier) = (Shared(&raw mut m), Barrier::new(WORKERS));
    std::thread::scope(|scope| {
        for w in 0..WORKERS {
            let (shared, barrier) = (&shared, &barrier);
            scope.spawn(move || work(shared, barrier, w));
        }
    });
    assert!(m.heap.stats(None).minors >= ROUNDS);
}
