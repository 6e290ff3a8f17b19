//! What the heap promises, one test each: limits, memory given back, large arrays, weak pointers, verification itself.

mod support;

use std::sync::atomic::Ordering::Relaxed;

use leat_abi::header::{self, ObjectKind, immediate};
use leat_abi::thread::Thread;
use leat_memory::{Collection, Config};
use leat_random::Random;
use support::*;

fn mutator(config: Config) -> Mutator {
    Mutator::new(Config { workers: 1, ..config }, 16)
}

fn small() -> Config {
    Config { nursery: Some(256 << 10), ..Config::default() }
}

const CONS: u64 = header::record(1, 1, 0);

/// A list of `n` conses in root 0.
fn build(m: &mut Mutator, n: usize) {
    m.roots.slots[0] = 1;
    for i in 0..n {
        let cell = m.bump(0, CONS).unwrap();
        set(cell, 0, i as u64);
        set(cell, 1, m.roots.slots[0]);
        m.roots.slots[0] = cell;
    }
}

fn length(mut list: u64) -> usize {
    let mut n = 0;
    while list & 1 == 0 {
        n += 1;
        list = get(list, 1);
    }
    n
}

#[test]
fn a_million_conses() {
    for align in [8, 16, 32] {
        let mut m = mutator(Config { align, ..Config::default() });
        build(&mut m, 1_000_000);
        assert_eq!(length(m.roots.slots[0]), 1_000_000);
        m.collect(Collection::Major).unwrap();
        assert_eq!(length(m.roots.slots[0]), 1_000_000);
        let bytes = (24usize).next_multiple_of(align);
        assert_eq!(m.heap.stats(None).live, 1_000_000 * bytes);
        m.roots.slots[0] = 1;
        m.collect(Collection::Full).unwrap();
        let stats = m.heap.stats(None);
        assert_eq!(stats.live, 0);
        assert!(stats.given_back > 8 << 20, "{stats:?}");
    }
}

/// A table of pairs of which random ones are replaced, so many times over.
fn replace_at_random(m: &mut Mutator, pairs: usize, times: usize) {
    const PAIR: u64 = header::record(2, 0, 0);
    const BOX: u64 = header::record(0, 1, 0);
    m.roots.slots[1] = m.alloc(0, header::ref_array(pairs as u64)).unwrap();
    let mut random = Random::new(7);
    for i in 0..pairs * (times + 1) {
        let pair = m.bump(0, PAIR).unwrap();
        (0..2).for_each(|field| set(pair, field, i as u64));
        m.roots.slots[2] = pair;
        let entry = m.bump(0, BOX).unwrap();
        set(entry, 0, m.roots.slots[2]);
        let at = if i < pairs { i } else { random.below(pairs) };
        let table = m.roots.slots[1];
        m.store_element(0, table, at, entry);
    }
}

/// Where small objects die at random every line keeps one that lives, and so there were no holes: nothing was
/// evacuated, and a heap that was to have one and a half times what lives had two and a half times that.
#[test]
fn what_small_objects_leave_in_lines_is_evacuated() {
    let figures = |config: Config, pairs: usize, times: usize| {
        let mut m = mutator(config);
        replace_at_random(&mut m, pairs, times);
        let stats = m.heap.stats(None);
        assert!(stats.evacuated > 1_000, "{stats:?}");
        (stats.most_live as f64 / 1e6, stats.heap as f64 / 1e6, stats.peak as f64 / 1e6)
    };
    let (live, heap, peak) = figures(Config { spend: Some(1500), ..Config::default() }, 500_000, 12);
    assert!(heap < 1.65 * live && peak < 2.0 * live, "{live} {heap} {peak}");
    let (live, heap, peak) = figures(Config { soft: Some(36 << 20), ..Config::default() }, 500_000, 12);
    assert!(live < 36.0 && heap < 1.1 * 37.7 && peak < 1.3 * 37.7, "{live} {heap} {peak}");
    // Where nobody says what it may have, it had four and a half times that.
    let (live, heap, _) = figures(Config::default(), 1_500_000, 8);
    assert!(heap < 3.4 * live, "{live} {heap}");
    // Of each block as many bytes are counted as live in it.
    for align in [8, 16, 32] {
        let mut m = mutator(Config { align, spend: Some(1500), verify: true, ..Config::default() });
        replace_at_random(&mut m, 50_000, 3);
    }
}

/// A list that is dropped leaves its pages to the nursery, which holds the next one. They were given back and asked for
/// again, which took most of the time of the next list (row A3).
#[test]
fn a_dropped_list_leaves_its_pages_to_the_nursery() {
    for verify in [false, true] {
        let mut m = mutator(Config { verify, ..Config::default() });
        build(&mut m, 600_000);
        m.roots.slots[0] = 1;
        m.collect(Collection::Full).unwrap();
        let stats = m.heap.stats(None);
        assert!(stats.live == 0 && (8 << 20..36 << 20).contains(&stats.heap), "{stats:?}");
        build(&mut m, 600_000);
        let after = m.heap.stats(None);
        assert_eq!((after.promoted, after.settled), (stats.promoted, stats.settled));
        assert!(after.heap < stats.heap + (6 << 20), "{stats:?} {after:?}");
        assert_eq!(length(m.roots.slots[0]), 600_000);
        // Packed, it keeps nothing for a next one.
        m.roots.slots[0] = 1;
        m.collect(Collection::Pack).unwrap();
        let packed = m.heap.stats(None);
        assert!(packed.heap < 1 << 20 && packed.nursery < after.nursery, "{packed:?}");
    }
}

/// What survived the collection of a pack counted as the survivors of a first full nursery: 4 MiB where a program
/// begins with one.
#[test]
fn a_packed_nursery_is_as_small_as_the_first() {
    let mut m = mutator(Config::default());
    for _ in 0..2 {
        build(&mut m, 100_000);
        assert!(m.heap.stats(None).nursery > 1 << 20);
        build(&mut m, 8_000);
        m.collect(Collection::Pack).unwrap();
        assert_eq!((m.heap.stats(None).nursery, length(m.roots.slots[0])), (1 << 20, 8_000));
    }
}

/// The one worker of a forked child had a nursery as small as one of many, and as much of the limit was left out for
/// those of the others.
#[test]
fn workers_that_stay_behind_a_fork_leave_their_nurseries() {
    const WORKERS: usize = 64;
    for align in [8, 16, 32] {
        let config = Config { align, workers: WORKERS, heap_max: Some(64 << 20), verify: true, ..Config::default() };
        let mut m = Mutator::new(config, 16);
        m.heap.keep_apart();
        m.collect(Collection::Minor).unwrap();
        m.roots.slots[0] = 1;
        for i in 0..100_000 {
            let cell = m.bump(i % WORKERS, CONS).unwrap();
            set(cell, 0, i as u64);
            set(cell, 1, m.roots.slots[0]);
            m.roots.slots[0] = cell;
        }
        assert_eq!(m.heap.stats(None).nursery, 256 << 10);
        for worker in (0..WORKERS).filter(|&worker| worker != 3) {
            let tcb = m.tcb(worker);
            // SAFETY: the test's one thread plays all workers.
            unsafe { m.heap.gone(tcb) };
        }
        m.collect(Collection::Major).unwrap();
        assert_eq!((m.heap.stats(None).nursery, length(m.roots.slots[0])), (2 << 20, 100_000));
        // It is full after 2 MiB, and not before.
        let collections = m.heap.stats(None).minors;
        let most = (2 << 20) / m.heap.object_bytes(CONS);
        for _ in 0..most - 1 {
            m.bump(3, CONS).map(|cell| (set(cell, 0, 0), set(cell, 1, 1))).unwrap();
        }
        assert_eq!(m.heap.stats(None).minors, collections);
        for kind in [Collection::Major, Collection::Pack] {
            m.collect(kind).unwrap();
            assert_eq!(length(m.roots.slots[0]), 100_000);
        }
        assert!(m.heap.stats(None).heap < 12 << 20, "{:?}", m.heap.stats(None));
    }
}

#[test]
fn the_nursery_grows_while_much_survives() {
    let mut m = mutator(Config::default());
    let start = 4 << 20;
    for _ in 0..40 {
        build(&mut m, 1_000);
        for _ in 0..100_000 {
            m.bump(0, CONS).map(|cell| (set(cell, 0, 0), set(cell, 1, 1))).unwrap();
        }
    }
    assert_eq!(m.heap.stats(None).nursery, start);
    // Two of three cells survive.
    for i in 0..900_000 {
        let cell = m.bump(0, CONS).unwrap();
        set(cell, 0, i);
        set(cell, 1, if i % 3 == 0 { 1 } else { m.roots.slots[0] });
        if i % 3 != 0 {
            m.roots.slots[0] = cell;
        }
    }
    assert!(m.heap.stats(None).nursery > start);
}

/// All of a long list lives: most of it is never traced nor copied before a major collection. When that is over the
/// nursery is in its own place again.
#[test]
fn what_survives_as_a_whole_stays_where_it_is() {
    for (align, mib, verify) in [(8, 90, false), (16, 24, true), (32, 90, false)] {
        let mut m = mutator(Config { align, verify, ..Config::default() });
        let bytes = (24usize).next_multiple_of(align);
        let cells = (mib << 20) / bytes;
        build(&mut m, cells);
        let stats = m.heap.stats(None);
        assert!(stats.settled > (mib as u64) << 19, "{stats:?}");
        assert!(stats.promoted < 20 << 20, "{stats:?}");
        assert_eq!(length(m.roots.slots[0]), cells);
        // Old cells that refer to young ones, across what has stayed.
        let young = m.bump(0, CONS).unwrap();
        set(young, 0, 7);
        set(young, 1, 1);
        m.store(0, get(m.roots.slots[0], 1), 1, young);
        m.collect(Collection::Minor).unwrap();
        let first = m.roots.slots[0];
        assert_eq!((length(first), get(get(get(first, 1), 1), 0)), (3, 7));
        m.collect(Collection::Full).unwrap();
        assert_eq!((length(m.roots.slots[0]), m.heap.stats(None).live), (3, 3 * bytes));
        // The nursery may have taken 32 MiB of what is free; packed, it has given all of that back.
        let heap = m.heap.stats(None).heap;
        assert!(heap < 36 << 20, "{heap}");
        m.collect(Collection::Pack).unwrap();
        let heap = m.heap.stats(None).heap;
        assert!(heap < 1 << 20, "{heap}");
        // And once more, in blocks that are free again.
        build(&mut m, cells);
        assert!(verify || m.heap.stats(None).settled > stats.settled + (15 << 20));
        m.roots.slots[0] = 1;
        m.collect(Collection::Full).unwrap();
        assert_eq!(m.heap.stats(None).live, 0);
    }
}

/// What dies by the row leaves free memory in pieces of a few hundred KiB. Nurseries that stay took none that was
/// smaller than they wanted to be, and the heap grew beside it (row B4).
#[test]
fn a_nursery_that_stays_lies_in_scattered_free_memory() {
    let mut m = mutator(Config::default());
    let grow = |m: &mut Mutator, chunks: usize, slots: [usize; 2]| {
        for chunk in 0..chunks {
            for _ in 0..(400 << 10) / 24 {
                let cell = m.bump(0, CONS).unwrap();
                set(cell, 0, 0);
                set(cell, 1, m.roots.slots[slots[chunk % 2]]);
                m.roots.slots[slots[chunk % 2]] = cell;
            }
        }
    };
    grow(&mut m, 150, [0, 1]);
    m.roots.slots[1] = 1;
    m.collect(Collection::Major).unwrap();
    let before = m.heap.stats(None);
    assert!(before.live > 28 << 20 && before.heap > 55 << 20, "{before:?}");
    grow(&mut m, 60, [0, 0]);
    let after = m.heap.stats(None);
    assert!(after.settled > before.settled + (12 << 20), "{after:?}");
    assert!(after.heap < before.heap + (8 << 20), "{after:?}");
    assert_eq!(length(m.roots.slots[0]), 135 * ((400 << 10) / 24));
}

/// Objects of many sizes in a nursery that stays: they reach across blocks, the largest over several.
#[test]
fn objects_that_reach_across_blocks_live_and_die() {
    for align in [8, 32] {
        let mut m = mutator(Config { align, verify: true, ..Config::default() });
        let table = m.alloc(0, header::ref_array(1000)).unwrap();
        m.roots.slots[1] = table;
        for i in 0..1000usize {
            let bytes = [100_000, 8, 33_000, 0, 70_000, 1, 40_000][i % 7];
            let object = m.alloc(0, header::raw_array(0, bytes)).unwrap();
            for word in 0..bytes as usize / 8 {
                set(object, word, (i + word) as u64);
            }
            let table = m.roots.slots[1];
            m.store_element(0, table, i, object);
        }
        assert!(m.heap.stats(None).settled > 8 << 20, "{:?}", m.heap.stats(None));
        let check = |m: &Mutator, kept: &dyn Fn(usize) -> bool| {
            for i in (0..1000).filter(|&i| kept(i)) {
                let object = get(m.roots.slots[1], i);
                for word in 0..header::length(header_of(object)) as usize / 8 {
                    assert_eq!(get(object, word), (i + word) as u64);
                }
            }
        };
        check(&m, &|_| true);
        for i in (0..1000).filter(|i| i % 3 != 0) {
            let table = m.roots.slots[1];
            m.store_element(0, table, i, 1);
        }
        for kind in [Collection::Major, Collection::Full, Collection::Full] {
            m.collect(kind).unwrap();
            check(&m, &|i| i % 3 == 0);
        }
    }
}

/// A worker that comes while another one's nursery is among the blocks has none until the next collection.
#[test]
fn a_worker_that_comes_later_gets_a_nursery() {
    let mut m = Mutator::with(Config { workers: 2, verify: true, ..Config::default() }, 1, 16);
    let mut cells = 0;
    while m.heap.stats(None).settled == 0 {
        cells += 50_000;
        build(&mut m, cells);
    }
    let mut second = Box::new(leat_abi::tcb::Tcb::empty());
    m.heap.attach_worker(&mut second).unwrap();
    m.tcbs.push(second);
    for i in 0..100_000 {
        let cell = m.bump(i % 2, CONS).unwrap();
        set(cell, 0, i as u64);
        set(cell, 1, m.roots.slots[2]);
        m.roots.slots[2] = cell;
    }
    assert_eq!((length(m.roots.slots[0]), length(m.roots.slots[2])), (cells, 100_000));
    m.collect(Collection::Full).unwrap();
    assert_eq!(m.heap.stats(None).live, (cells + 100_000) * 24);
}

#[test]
fn fragmented_blocks_are_evacuated() {
    let mut m = mutator(small());
    // A list whose every sixteenth cell stays reachable, from a table.
    build(&mut m, 1 << 20);
    let table = m.alloc(0, header::ref_array(1 << 16)).unwrap();
    m.roots.slots[1] = table;
    let mut list = m.roots.slots[0];
    for i in 0..1 << 20 {
        let next = get(list, 1);
        if i % 16 == 0 {
            m.store_element(0, table, i / 16, list);
            m.store(0, list, 1, immediate(0));
        }
        list = next;
    }
    m.roots.slots[0] = 1;
    m.collect(Collection::Full).unwrap();
    let stats = m.heap.stats(None);
    assert!(stats.evacuated > 300, "{stats:?}");
    assert_eq!(stats.live, (1 << 16) * 24 + 8 + (8 << 16));
    assert!(stats.heap < stats.live + (2 << 20), "{stats:?}");
    for i in 0..1 << 16 {
        assert_eq!(get(get(m.roots.slots[1], i), 0), (1 << 20) - 1 - 16 * i as u64);
    }
}

#[test]
fn the_limit_ends_in_an_error_and_the_heap_goes_on() {
    for align in [8, 32] {
        let mut m = mutator(Config { heap_max: Some(16 << 20), align, nursery: Some(1 << 20), ..Config::default() });
        m.roots.slots[0] = 1;
        let mut cells = 0;
        let oom = loop {
            match m.bump(0, CONS) {
                Ok(cell) => {
                    set(cell, 0, cells);
                    set(cell, 1, m.roots.slots[0]);
                    m.roots.slots[0] = cell;
                    cells += 1;
                }
                Err(oom) => break oom,
            }
        };
        assert_eq!(oom.limit, 16 << 20);
        assert!(cells as usize * 24usize.next_multiple_of(align) > 12 << 20, "{cells}");
        assert_eq!(length(m.roots.slots[0]), cells as usize);
        // A large array does not fit either.
        assert!(m.alloc(0, header::raw_array(3, 1 << 20)).is_err());
        m.roots.slots[0] = 1;
        m.collect(Collection::Full).unwrap();
        m.alloc(0, header::raw_array(3, 1 << 20)).unwrap();
        build(&mut m, 1000);
        // An array that no memory could hold.
        assert_eq!(m.alloc(0, header::ref_array(header::MAX_LENGTH)).unwrap_err().wanted.div_ceil(1 << 49), 1);
        assert_eq!(length(m.roots.slots[0]), 1000);
    }
}

#[test]
fn dropped_large_arrays_are_reused() {
    let mut m = mutator(Config { heap_max: Some(64 << 20), ..small() });
    for i in 0..2_000usize {
        let array = m.alloc(0, header::raw_array(0, 100_000 + 700 * (i as u64 % 50))).unwrap();
        assert!(get(array, 0) == 0 && get(array, 12_499) == 0, "a new array is zero");
        set(array, 0, i as u64);
        set(array, 12_499, !0);
        m.roots.slots[i % 16] = array;
    }
    assert!(m.heap.stats(None).peak < 64 << 20);
    for slot in 0..16 {
        assert_eq!(get(m.roots.slots[slot], 12_499), !0);
    }
}

#[test]
fn an_update_of_a_large_array_scans_one_card() {
    let mut m = mutator(Config { verify: false, ..small() });
    let n = 1 << 20;
    m.roots.slots[1] = m.alloc(0, header::ref_array(n as u64)).unwrap();
    m.collect(Collection::Minor).unwrap();
    let before = m.heap.stats(None);
    let mut random = Random::new(99);
    for round in 0..2_000u64 {
        let cell = m.bump(0, CONS).unwrap();
        set(cell, 0, round);
        set(cell, 1, 1);
        let array = m.roots.slots[1];
        m.store_element(0, array, random.below(n), cell);
        m.collect(Collection::Minor).unwrap();
    }
    let after = m.heap.stats(None);
    assert_eq!(after.logged - before.logged, 2_000);
    assert!(after.minor_ns - before.minor_ns < 2_000 * 50_000, "a minor collection scans the whole array");
    let kept = (0..n).filter(|&i| get(m.roots.slots[1], i) & 1 == 0).count();
    assert!(kept > 1_900);
}

/// A table of trees whose entries are replaced at random (row P1): the trees of one collection were copied level by
/// level, so each of them lay in four places, and the program met four pages and twice the lines when it came to one.
/// What is reached from one logged slot is copied before what is reached from the next.
#[test]
fn what_hangs_on_one_slot_is_promoted_together() {
    fn tree(m: &mut Mutator, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        // No collection comes here, so the addresses stay.
        let (left, right) = (tree(m, depth - 1), tree(m, depth - 1));
        let node = m.bump(0, header::record(1, 2, 0)).unwrap();
        set(node, 0, depth as u64);
        set(node, 1, left);
        set(node, 2, right);
        node
    }
    fn range(node: u64) -> (u64, u64) {
        [1, 2].into_iter().map(|i| get(node, i)).filter(|child| child & 1 == 0).fold(
            (node, node),
            |(low, high), child| {
                let (l, h) = range(child);
                (low.min(l), high.max(h))
            },
        )
    }
    const TREES: usize = 100;
    let mut m = mutator(Config { verify: true, ..small() });
    // A large array, one that is logged as a whole, and a hundred records.
    m.roots.slots[0] = m.alloc(0, header::ref_array(1 << 16)).unwrap();
    m.roots.slots[1] = m.alloc(0, header::ref_array(TREES as u64)).unwrap();
    m.roots.slots[2] = m.alloc(0, header::ref_array(TREES as u64)).unwrap();
    for i in 0..TREES {
        let record = m.record(0, &[], &[3]).unwrap();
        let records = m.roots.slots[2];
        m.store_element(0, records, i, record);
    }
    m.collect(Collection::Minor).unwrap();
    for i in 0..TREES {
        for slots in [0, 1] {
            let value = tree(&mut m, 4);
            let array = m.roots.slots[slots];
            m.store_element(0, array, i * if slots == 0 { 600 } else { 1 }, value);
        }
        let value = tree(&mut m, 4);
        let record = get(m.roots.slots[2], i);
        m.store(0, record, 0, value);
    }
    m.collect(Collection::Minor).unwrap();
    let whole = |root: u64| {
        let (low, high) = range(root);
        high - low == 14 * 32
    };
    let [large, array, records] = [0, 1, 2].map(|slot| m.roots.slots[slot]);
    let large = (0..TREES).filter(|&i| whole(get(large, i * 600))).count();
    let array = (0..TREES).filter(|&i| whole(get(array, i))).count();
    let records = (0..TREES).filter(|&i| whole(get(get(records, i), 0))).count();
    // Where a block ends, a tree lies in two.
    assert!(large > TREES * 9 / 10 && array > TREES * 9 / 10 && records > TREES * 9 / 10, "{large} {array} {records}");
}

/// The byte of a card has a bit for each line of the cache: parts that nothing was stored into are not looked at, and a
/// card into which several parts were stored is logged once.
#[test]
fn each_part_of_a_card_that_was_stored_into_is_scanned() {
    let mut m = mutator(Config { verify: true, ..small() });
    let n = 1 << 16;
    m.roots.slots[0] = m.alloc(0, header::ref_array(n as u64)).unwrap();
    m.collect(Collection::Minor).unwrap();
    for step in [1, 7, 8, 9, 63, 64, 65, 1_000] {
        let before = m.heap.stats(None).logged;
        let mut cards = 0;
        for round in 0..2 {
            for i in (0..640).map(|i| i * step).filter(|&i| i < n) {
                let cell = m.bump(0, CONS).unwrap();
                set(cell, 0, (step * 1_000_000 + i) as u64);
                set(cell, 1, 1);
                let array = m.roots.slots[0];
                m.store_element(0, array, i, cell);
                let card = (array as usize + i * 8) >> 9;
                cards += usize::from(round == 0 && (i < step || (array as usize + (i - step) * 8) >> 9 != card));
            }
        }
        m.collect(Collection::Minor).unwrap();
        assert_eq!(m.heap.stats(None).logged - before, cards as u64, "step {step}");
        for i in (0..640).map(|i| i * step).filter(|&i| i < n) {
            assert_eq!(get(get(m.roots.slots[0], i), 0), (step * 1_000_000 + i) as u64);
        }
    }
}

#[test]
fn stores_into_old_records_and_arrays_are_remembered_once() {
    let mut m = mutator(Config { verify: true, ..small() });
    m.roots.slots[0] = m.record(0, &[1], &[1, 1]).unwrap();
    m.roots.slots[2] = m.alloc(0, header::ref_array(100)).unwrap();
    m.collect(Collection::Minor).unwrap();
    for i in 0..1_000u64 {
        let cell = m.record(0, &[i], &[3]).unwrap();
        let (old, array) = (m.roots.slots[0], m.roots.slots[2]);
        m.store(0, old, 1 + (i as usize & 1), cell);
        m.store_element(0, array, i as usize % 100, cell);
    }
    let before = m.heap.stats(None).logged;
    m.collect(Collection::Minor).unwrap();
    assert_eq!(m.heap.stats(None).logged - before, 2);
    assert_eq!(get(get(m.roots.slots[0], 2), 0), 999);
    assert_eq!(get(get(m.roots.slots[2], 42), 0), 942);
}

#[test]
fn weak_pointers_let_go_in_both_generations() {
    let mut m = mutator(Config { verify: true, ..small() });
    let weak_of = |m: &mut Mutator, root: usize| {
        let weak = m.bump(0, header::weak()).unwrap();
        set(weak, 0, m.roots.slots[root]);
        weak
    };
    m.roots.slots[0] = m.record(0, &[10], &[]).unwrap();
    m.roots.slots[1] = m.record(0, &[11], &[]).unwrap();
    m.roots.slots[2] = weak_of(&mut m, 0);
    m.roots.slots[3] = weak_of(&mut m, 1);
    m.roots.slots[1] = 1;
    m.collect(Collection::Minor).unwrap();
    assert_eq!(get(get(m.roots.slots[2], 0), 0), 10);
    assert_eq!(get(m.roots.slots[3], 0), 1);
    m.collect(Collection::Major).unwrap();
    assert_eq!(get(get(m.roots.slots[2], 0), 0), 10);
    m.roots.slots[0] = 1;
    m.collect(Collection::Minor).unwrap();
    assert_ne!(get(m.roots.slots[2], 0), 1, "old objects die in major collections");
    m.collect(Collection::Major).unwrap();
    assert_eq!(get(m.roots.slots[2], 0), 1);
}

#[test]
fn deep_and_wide_structures_need_no_stack() {
    let mut m = mutator(small());
    // A comb: a list of a hundred thousand lists, each reached from the head first; and an array of everything.
    m.roots.slots[1] = m.alloc(0, header::ref_array(100_000)).unwrap();
    for i in 0..100_000 {
        m.roots.slots[2] = m.record(0, &[i], &[3]).unwrap();
        m.roots.slots[0] = m.record(0, &[i], &[0, 2]).unwrap();
        let (array, cell) = (m.roots.slots[1], m.roots.slots[0]);
        m.store_element(0, array, i as usize, cell);
    }
    m.collect(Collection::Full).unwrap();
    assert_eq!(m.heap.stats(None).live, 100_000 * (24 + 32) + 8 + 800_000);
}

#[test]
fn a_nursery_object_larger_than_the_nursery() {
    let mut m = mutator(Config { nursery: Some(64 << 10), verify: true, ..Config::default() });
    let record = header::record(60_000, 0, 0);
    for i in 0..5 {
        let object = m.bump(0, record).unwrap();
        for w in 0..60_000 {
            set(object, w, w as u64 ^ i);
        }
        m.roots.slots[i as usize] = object;
    }
    m.collect(Collection::Major).unwrap();
    for i in 0..5 {
        assert_eq!(get(m.roots.slots[i], 59_999), 59_999 ^ i as u64);
    }
}

#[test]
fn workers_come_and_go() {
    let mut m = Mutator::new(Config { workers: 2, verify: true, ..small() }, 16);
    m.roots.slots[0] = m.record(1, &[5], &[3]).unwrap();
    let mut last = m.tcbs.pop().unwrap();
    m.heap.detach_worker(&mut last);
    assert!(m.heap.attach_worker(&mut last).is_ok());
    m.heap.detach_worker(&mut last);
    m.collect(Collection::Minor).unwrap();
    assert_eq!(get(m.roots.slots[0], 0), 5);
    assert!(m.heap.attach_worker(&mut last).is_ok());
    let mut third = Box::new(leat_abi::tcb::Tcb::empty());
    assert!(m.heap.attach_worker(&mut third).is_err());
    m.tcbs.push(last);
    m.roots.slots[1] = m.record(1, &[6], &[0]).unwrap();
    m.collect(Collection::Major).unwrap();
    assert_eq!(get(get(m.roots.slots[1], 1), 0), 5);
}

fn broken(damage: fn(&mut Mutator)) -> String {
    let mut m = mutator(Config { verify: true, ..small() });
    m.roots.slots[0] = m.record(0, &[1], &[1, 1]).unwrap();
    m.collect(Collection::Minor).unwrap();
    m.roots.slots[3] = m.record(0, &[2], &[]).unwrap();
    damage(&mut m);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| m.collect(Collection::Minor)));
    *result.expect_err("the damage was not seen").downcast::<String>().unwrap()
}

#[test]
fn verification_names_the_invariant() {
    let report = broken(|m| set(m.roots.slots[0], 1, m.roots.slots[3]));
    assert!(report.contains("G2: object") && report.contains("is not logged"), "{report}");
    let report = broken(|m| set(m.roots.slots[3] - 8, 0, 0xdead_dead_dead_dea8));
    assert!(report.contains("A1:"), "{report}");
    let report = broken(|m| m.roots.slots[5] = 0x1000 + m.roots.slots[3]);
    assert!(report.contains("A2:"), "{report}");
    let report = broken(|m| set(m.roots.slots[0] - 8, 0, header::record(1, 2, 0) | header::MARK));
    assert!(report.contains("G7:") || report.contains("G3:"), "{report}");
}

#[test]
fn refused_configurations() {
    assert!(leat_memory::Heap::new(Config { align: 24, ..Config::default() }).is_err());
    // Nonsense is cut down to what there may be.
    let mut m = mutator(Config { nursery: Some(1 << 60), heap_max: Some(usize::MAX), ..Config::default() });
    build(&mut m, 1000);
    m.collect(Collection::Full).unwrap();
    assert_eq!(length(m.roots.slots[0]), 1000);
}

/// A table in root 1 of so many lists of 20 conses, random ones of which are replaced `rounds` times, one by one.
fn churn(m: &mut Mutator, lists: usize, rounds: usize) -> Result<(), leat_memory::OutOfMemory> {
    m.roots.slots[1] = m.alloc(0, header::ref_array(lists as u64))?;
    let mut random = Random::new(5);
    for round in 0..lists + rounds {
        let at = if round < lists { round } else { random.below(lists) };
        m.roots.slots[0] = 1;
        for i in 0..20 {
            let cell = m.bump(0, CONS)?;
            set(cell, 0, (at + i) as u64);
            set(cell, 1, m.roots.slots[0]);
            m.roots.slots[0] = cell;
        }
        m.store_element(0, m.roots.slots[1], at, m.roots.slots[0]);
    }
    for at in 0..lists {
        let list = get(m.roots.slots[1], at);
        assert_eq!((length(list), get(list, 0)), (20, (at + 19) as u64));
    }
    Ok(())
}

/// A large array that is made while pauses have a goal costs the next collection nothing; its elements are found all
/// the same.
#[test]
fn a_large_array_is_born_clean() {
    let config = Config { pause: Some(1_000_000), verify: true, ..small() };
    for is_marking in [false, true] {
        let mut m = mutator(config.clone());
        m.roots.slots[2] = m.record(0, &[7], &[]).unwrap();
        if is_marking {
            m.heap.set_pause(Some(1));
            churn(&mut m, 2_000, 0).unwrap();
            while m.heap.stats(None).live < 22 << 20 {
                m.alloc(0, header::raw_array(3, 1 << 18)).unwrap();
            }
            m.collect(Collection::Minor).unwrap();
            assert_eq!((m.heap.stats(None).majors, m.heap.mark_beside(1)), (0, true), "one is under way");
        }
        m.collect(Collection::Minor).unwrap();
        for value in [immediate(3), m.roots.slots[2]] {
            let before = m.heap.stats(None).logged;
            let array = m.alloc(0, header::ref_array(1 << 20)).unwrap();
            (0..1 << 20).for_each(|i| set(array, i, value));
            m.roots.slots[3] = array;
            let tcb = m.tcb(0);
            // SAFETY: it was made just now, and is filled.
            unsafe { m.heap.filled(tcb, array, value) };
            if value & 1 == 0 {
                m.roots.slots[2] = 1;
            }
            let young = m.record(0, &[9], &[]).unwrap();
            m.store_element(0, array, 777, young);
            m.collect(Collection::Minor).unwrap();
            assert_eq!(m.heap.stats(None).logged - before, 1);
            m.collect(Collection::Major).unwrap();
            assert_eq!((get(get(array, 777), 0), get(array, 778) & 1), (9, value & 1));
        }
        assert_eq!(get(get(m.roots.slots[3], 778), 0), 7);
        // What is young must be found in all of them.
        let young = m.record(0, &[5], &[]).unwrap();
        m.roots.slots[4] = young;
        let array = m.alloc(0, header::ref_array(1 << 20)).unwrap();
        (0..1 << 20).for_each(|i| set(array, i, m.roots.slots[4]));
        m.roots.slots[3] = array;
        let (tcb, value) = (m.tcb(0), m.roots.slots[4]);
        // SAFETY: as above.
        unsafe { m.heap.filled(tcb, array, value) };
        m.collect(Collection::Minor).unwrap();
        assert_eq!(get(array, (1 << 20) - 1), m.roots.slots[4]);
        assert_eq!(get(m.roots.slots[4], 0), 5);
    }
}

/// A long array has words while it is filled, and may see collections, marking, sweeps: what it has in the end lives.
#[test]
fn words_become_references() {
    let cases = [64, 300_000, 1 << 20].into_iter().flat_map(|n| [(n, false), (n, true)]);
    for ((length, is_old), begins) in cases.flat_map(|case| [(case, 0), (case, 1), (case, 2)]) {
        let mut m = mutator(Config { pause: Some(1_000_000), verify: true, ..small() });
        m.heap.set_pause(Some(1));
        m.roots.slots[2] = m.record(0, &[7], &[]).unwrap();
        let churn = |m: &mut Mutator| {
            while m.heap.stats(None).live < 33 << 20 {
                m.alloc(0, header::raw_array(3, 1 << 18)).unwrap();
            }
            m.collect(Collection::Minor).unwrap();
        };
        // Marking has begun before it is made, or while it has words, or not.
        if begins == 1 {
            churn(&mut m);
        }
        m.roots.slots[3] = m.alloc(0, header::raw_array(3, length as u64)).unwrap();
        if begins == 2 {
            churn(&mut m);
        }
        if is_old {
            m.collect(Collection::Minor).unwrap();
        }
        let (array, value) = (m.roots.slots[3], m.roots.slots[2]);
        (0..length).for_each(|i| set(array, i, value));
        let tcb = m.tcb(0);
        // SAFETY: nobody else knows of it, and it is filled.
        unsafe {
            m.heap.becomes_references(tcb, array);
            m.heap.filled(tcb, array, value);
        }
        assert_eq!(ObjectKind::of(header_of(array)), ObjectKind::RefArray);
        m.roots.slots[2] = 1;
        for kind in [Collection::Minor, Collection::Minor, Collection::Major, Collection::Full] {
            m.collect(kind).unwrap();
            let array = m.roots.slots[3];
            assert_eq!(get(get(array, length - 1), 0), 7);
            assert_eq!(get(array, 0), get(array, length - 1));
        }
    }
}

/// Stores into old objects ask for a collection when there were enough of them, few where pauses have a goal.
#[test]
fn a_full_log_asks_for_a_collection() {
    let stores = |pause: Option<u64>| {
        let mut m = mutator(Config { pause, verify: true, ..small() });
        m.roots.slots[1] = m.alloc(0, header::ref_array(3_000)).unwrap();
        for i in 0..3_000 {
            let cell = m.record(0, &[i as u64], &[0]).unwrap();
            m.store_element(0, m.roots.slots[1], i, cell);
        }
        m.collect(Collection::Minor).unwrap();
        m.collect(Collection::Minor).unwrap();
        let (before, mut longest) = (m.heap.stats(None), 0);
        for i in 0..3_000 {
            m.store(0, get(m.roots.slots[1], i), 1, immediate(i as u64));
            let tcb = m.tcb(0);
            // SAFETY: the worker's block.
            if unsafe { m.heap.is_log_full(tcb) } {
                assert_eq!(m.tcbs[0].poll.swap(0, Relaxed), 1);
                longest = longest.max(i);
                // Any allocation asks now, however much room there is.
                let collections = m.heap.stats(None).minors;
                m.record(0, &[1], &[]).unwrap();
                assert_eq!(m.heap.stats(None).minors, collections + 1);
                // SAFETY: as above.
                assert!(unsafe { !m.heap.is_log_full(tcb) });
            }
        }
        m.collect(Collection::Minor).unwrap();
        let stats = m.heap.stats(None);
        assert_eq!(stats.logged - before.logged, 3_000);
        (stats.minors - before.minors, longest)
    };
    assert_eq!([stores(None), stores(Some(100_000))], [(1, 0), (3, 2047)]);
}

/// A loop that stores into old objects and allocates nothing never came to a collection, and its log grew without end.
#[test]
fn a_log_is_bounded_without_a_goal() {
    const REFS: usize = 8_500_000;
    let mut m = mutator(Config::default());
    m.roots.slots[1] = m.alloc(0, header::ref_array(REFS as u64)).unwrap();
    for i in 0..REFS {
        let cell = m.bump(0, header::record(0, 1, 0)).unwrap();
        set(cell, 0, 1);
        m.store_element(0, m.roots.slots[1], i, cell);
    }
    m.collect(Collection::Full).unwrap();
    let before = m.heap.stats(None);
    let mut asked = Vec::new();
    for i in 0..REFS {
        m.store(0, get(m.roots.slots[1], i), 0, immediate(i as u64));
        if m.tcbs[0].poll.swap(0, Relaxed) != 0 {
            asked.push(i);
            // What a poll does.
            m.slow(0, 8).unwrap();
        }
    }
    let stats = m.heap.stats(None);
    assert_eq!(asked, [(8 << 20) - 1]);
    assert_eq!((stats.minors - before.minors, stats.logged - before.logged), (1, 8 << 20));
}

/// With a seed for the scheduler each heap check is a safepoint, and that was stress: each major collection copied the
/// whole heap, which took twice the memory, with a limit or not.
#[test]
fn checks_that_are_granted_move_nothing() {
    let figures = |grants: bool, stress: Option<u64>| {
        let mut m = mutator(Config { grants, stress, ..small() });
        build(&mut m, 200_000);
        let before = m.tcbs[0].alloc;
        let cell = m.bump(0, CONS).unwrap();
        set(cell, 0, 1);
        set(cell, 1, 1);
        let is_granted = m.tcbs[0].alloc == m.tcbs[0].alloc_limit.load(Relaxed) && m.tcbs[0].alloc > before;
        m.collect(Collection::Major).unwrap();
        let stats = m.heap.stats(None);
        (is_granted, stats.evacuated > 0, stats.minors)
    };
    let plain = figures(false, None);
    assert_eq!((plain.0, plain.1), (false, false));
    assert_eq!(figures(true, None), (true, false, plain.2));
    let stress = figures(false, Some(u64::MAX));
    assert!(stress.0 && stress.1, "{stress:?}");
}

/// What the user says is spent is spent, and no more but for holes, whatever the nurseries do.
#[test]
fn the_heap_takes_what_is_to_be_spent() {
    let lists = 20_000;
    let live = lists * (20 * 24 + 8);
    for (pause, factor) in [(None, 1_500), (None, 2_000), (None, 6_000), (Some(100_000), 2_000), (Some(100_000), 6_000)]
    {
        let mut m = mutator(Config { spend: Some(factor), pause, ..Config::default() });
        churn(&mut m, lists, 12 * lists).unwrap();
        let stats = m.heap.stats(None);
        let spent = stats.peak * 1000 / live;
        // Pages of the nursery come by the huge page. What dies while the heap is marked in slices counts as alive.
        let most = live * factor / 1000 * if pause.is_some() { 4 } else { 3 } / 3 + (4 << 20);
        assert!(stats.peak <= most && spent >= factor / 5 * 3, "{factor} {pause:?}: {spent}, {stats:?}");
        assert!(stats.sliced == if pause.is_some() { stats.majors } else { 0 }, "{stats:?}");
    }
}

/// A soft limit holds while what lives fits below it, and is passed when it does not.
#[test]
fn a_soft_limit_is_kept_where_it_can_be() {
    let lists = 20_000;
    let live = lists * (20 * 24 + 8);
    for pause in [None, Some(100_000)] {
        let config = Config { spend: Some(100_000), soft: Some(20 << 20), pause, ..Config::default() };
        let mut m = mutator(config.clone());
        churn(&mut m, lists, 14 * lists).unwrap();
        let stats = m.heap.stats(None);
        assert!(stats.peak <= 23 << 20 && stats.peak > live, "{stats:?}");
        let mut m = mutator(Config { soft: Some(4 << 20), ..config });
        churn(&mut m, lists, 4 * lists).unwrap();
        let stats = m.heap.stats(None);
        assert!(stats.peak < 2 * live && stats.majors < 100, "{stats:?}");
    }
}

/// An allocation that outruns marking is slowed: slices become larger, the limit is not reached, and nothing is done at
/// once.
#[test]
fn marking_keeps_up_with_a_program_that_allocates_near_the_limit() {
    let lists = 20_000;
    let config = Config { pause: Some(1_000), heap_max: Some(40 << 20), nursery: Some(512 << 10), ..Config::default() };
    let mut m = mutator(config);
    churn(&mut m, lists, 12 * lists).unwrap();
    let stats = m.heap.stats(None);
    assert!(stats.majors == stats.sliced && stats.majors > 5, "{stats:?}");
}

/// Rows F5, F9, F21, F22: programs that keep little took 4 MiB for their nursery. A program begins with 1 MiB, and it
/// is collected as long as little lives.
#[test]
fn a_program_that_keeps_little_has_a_small_nursery() {
    for verify in [false, true] {
        let mut m = mutator(Config { verify, ..Config::default() });
        for _ in 0..150 {
            build(&mut m, 1000);
        }
        let stats = m.heap.stats(None);
        assert_eq!((stats.minors, stats.nursery), (3, 1 << 20), "{stats:?}");
        assert!(stats.promoted < 3 * 24_000, "{stats:?}");
        assert!(stats.peak < 3 << 19, "{stats:?}");
        // In the end it has allocated so much that small collections cost more than memory.
        for _ in 0..12_000 {
            build(&mut m, 1000);
        }
        assert_eq!(m.heap.stats(None).nursery, 4 << 20);
    }
}

/// What is built at the beginning is not copied when the small nursery is full: the nursery grows. A list, threads,
/// what a large array refers to, and more references than anybody follows.
#[test]
fn a_program_that_builds_has_no_small_nursery() {
    let fill: [fn(&mut Mutator); 4] = [
        |m| build(m, 100_000),
        |m| {
            m.roots.frames.push(Vec::new());
            m.roots.changed.push(false);
            for _ in 0..1000 {
                let thread = m.alloc(0, Thread::HEADER).unwrap();
                let cell = m.bump(0, header::record(0, 2, 0)).unwrap();
                set(cell, 0, thread);
                set(cell, 1, m.roots.slots[0]);
                m.roots.slots[0] = cell;
            }
            for _ in 0..50_000 {
                m.bump(0, CONS).unwrap();
            }
        },
        |m| {
            let array = m.alloc(0, header::ref_array(50_000)).unwrap();
            m.roots.slots[1] = array;
            for i in 0..50_000 {
                let cell = m.bump(0, CONS).unwrap();
                set(cell, 0, i);
                set(cell, 1, 1);
                m.store_element(0, m.roots.slots[1], i as usize, cell);
            }
        },
        |m| {
            m.roots.slots[1] = m.alloc(0, header::ref_array(1 << 16)).unwrap();
            build(m, 60_000);
            m.roots.slots[0] = 1;
        },
    ];
    for (i, fill) in fill.iter().enumerate() {
        let mut m = mutator(Config { verify: true, ..Config::default() });
        fill(&mut m);
        let stats = m.heap.stats(None);
        assert_eq!((stats.minors, stats.nursery), (0, 4 << 20), "{i}: {stats:?}");
    }
}

/// A text that dies young stays in the nursery however small that is at first: it grows for it.
#[test]
fn a_large_text_makes_the_first_nursery_larger() {
    let mut m = mutator(Config::default());
    let text = m.alloc(0, header::raw_array(0, 300_000)).unwrap();
    m.collect(Collection::Minor).unwrap();
    let stats = m.heap.stats(None);
    assert_eq!((stats.nursery, stats.live), (4 << 20, 0), "{text:#x} {stats:?}");
}

/// A program that handled each `OutOfMemory` and kept what it had made got a nursery more each time: its heap had ten
/// times the limit.
#[test]
fn the_limit_holds_for_a_program_that_goes_on() {
    const LIMIT: usize = 32 << 20;
    let grow = |m: &mut Mutator| loop {
        match m.bump(0, CONS) {
            Ok(cell) => {
                set(cell, 0, 7);
                set(cell, 1, m.roots.slots[0]);
                m.roots.slots[0] = cell;
            }
            Err(oom) => break oom,
        }
    };
    for nursery in [None, Some(4 << 20)] {
        let mut m = mutator(Config { heap_max: Some(LIMIT), nursery, ..Config::default() });
        m.roots.slots[0] = 1;
        let usual = m.heap.stats(None).nursery;
        // Each time that it makes room it has as much as before.
        for _ in 0..3 {
            let oom = grow(&mut m);
            assert!(!oom.is_last && oom.used <= LIMIT + (LIMIT / 16), "{oom:?}");
            m.roots.slots[0] = 1;
            m.collect(Collection::Full).unwrap();
            assert!(m.heap.stats(None).nursery >= usual);
        }
        let mut told = 0;
        while !grow(&mut m).is_last {
            told += 1;
        }
        assert!((4..40).contains(&told), "{told}");
        let stats = m.heap.stats(None);
        assert!(stats.peak < LIMIT + LIMIT / 8 + (6 << 20), "{stats:?}");
    }
}

/// Deep stacks count in the limit; where a program that goes on was told to end they did not. With 40 MiB of stacks and
/// a limit of 64 MiB its heap had 72 MiB, and was collected as a whole after each 128 KiB from 24 MiB on.
#[test]
fn the_limit_holds_beside_deep_stacks() {
    const LIMIT: usize = 64 << 20;
    const STACKS: usize = 40 << 20;
    for nursery in [None, Some(16 << 20)] {
        let mut m = mutator(Config { heap_max: Some(LIMIT), nursery, ..Config::default() });
        m.roots.slots[0] = 1;
        m.heap.set_stacks(STACKS);
        // The nursery of before the stacks were deep.
        m.collect(Collection::Minor).unwrap();
        let mut told = 0;
        let last = loop {
            match m.bump(0, CONS) {
                Ok(cell) => {
                    set(cell, 0, 7);
                    set(cell, 1, m.roots.slots[0]);
                    m.roots.slots[0] = cell;
                }
                Err(oom) if oom.is_last => break oom,
                Err(oom) => {
                    assert!(told > 0 || oom.used <= LIMIT, "{oom:?}");
                    told += 1;
                }
            }
        };
        assert!((2..40).contains(&told), "{told}");
        assert!(last.used > LIMIT + LIMIT / 8 && last.used < LIMIT + LIMIT / 8 + (1 << 20), "{last:?}");
        let stats = m.heap.stats(None);
        assert!(stats.peak + STACKS < LIMIT + LIMIT / 8 + (6 << 20), "{stats:?}");
    }
}

/// A stack could become as large as all that the old generation left of the limit, and a quarter more was the
/// nursery's.
#[test]
fn stacks_have_no_room_where_nurseries_are() {
    const LIMIT: usize = 64 << 20;
    let mut m = mutator(Config { heap_max: Some(LIMIT), nursery: Some(16 << 20), ..Config::default() });
    let cells = 1_000_000;
    build(&mut m, cells);
    let (stats, room) = (m.heap.stats(None), m.heap.room_for_stacks());
    assert!(stats.live > 0 && stats.nursery == 16 << 20, "{stats:?}");
    assert!(room + stats.live + stats.nursery <= LIMIT && room > LIMIT / 4, "{room} {stats:?}");
}

/// A heap above its limit that is full of holes: its full collections moved no more than fits a small nursery, so it
/// stayed full though an eighth of it lived.
#[test]
fn a_full_heap_of_holes_is_compacted() {
    const LIMIT: usize = 32 << 20;
    const TEXTS: usize = 1 << 20;
    let mut m = mutator(Config { heap_max: Some(LIMIT), ..Config::default() });
    m.roots.slots[1] = m.alloc(0, header::ref_array(TEXTS as u64)).unwrap();
    // Four to a line, in the array's order.
    let (mut made, mut told) = (0, 0);
    loop {
        match m.bump(0, header::record(3, 0, 0)) {
            Ok(text) => {
                set(text, 0, made as u64);
                m.store_element(0, m.roots.slots[1], made, text);
                made += 1;
            }
            Err(oom) => {
                assert!(!oom.is_last, "{oom:?}");
                told += 1;
                if oom.used > LIMIT + LIMIT / 16 {
                    break;
                }
            }
        }
    }
    assert!(told > 1 && made < TEXTS);
    for i in (0..made).filter(|i| i % 8 != 0) {
        m.store_element(0, m.roots.slots[1], i, 1);
    }
    // It is a major one, and leaves a heap that is not full.
    m.collect(Collection::Minor).unwrap();
    for i in (0..made).step_by(8) {
        assert_eq!(get(get(m.roots.slots[1], i), 0), i as u64);
    }
}

/// The nurseries of a full heap, 128 KiB each, were twice what it may pass its limit by where there were many workers.
#[test]
fn many_workers_are_told_before_the_end() {
    const WORKERS: usize = 64;
    let mut m = Mutator::new(Config { workers: WORKERS, heap_max: Some(32 << 20), ..Config::default() }, 16);
    m.heap.keep_apart();
    m.roots.slots[0] = 1;
    let (mut told, mut cells) = (0, 0);
    loop {
        match m.bump(cells % WORKERS, CONS) {
            Ok(cell) => {
                set(cell, 0, 7);
                set(cell, 1, m.roots.slots[0]);
                m.roots.slots[0] = cell;
                cells += 1;
            }
            Err(oom) if oom.is_last => break,
            Err(_) => told += 1,
        }
    }
    assert!(told > 2, "{told}");
}
