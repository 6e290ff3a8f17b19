//! Where address space is limited (`ulimit -v`) a heap may have memory and no addresses: what it promises then.
//!
//! The limit is the process's, so these tests are a program of their own, and one after the other.

mod support;

use std::sync::{Mutex, MutexGuard};

use leat_abi::header;
use leat_memory::{Collection, Config, OutOfMemory};
use leat_random::Random;
use support::*;

/// A heap has 127 MiB of blocks then, as many of large objects, and a limit of seven eighths of that.
const ADDRESSES: u64 = 1_126_400_000;
const LIMIT: usize = 111 << 20;

static TURN: Mutex<()> = Mutex::new(());

fn narrow(config: Config) -> (MutexGuard<'static, ()>, Mutator) {
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: the limit of this process is made lower.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_AS, &mut limit);
        limit.rlim_cur = ADDRESSES;
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
    }
    let m = Mutator::new(config, 16);
    let limit = m.heap.stats(None).heap_max;
    assert!((LIMIT - (2 << 20)..LIMIT + (1 << 20)).contains(&limit), "{limit}");
    (turn, m)
}

/// A text of so many bytes; its first and last words are `word`.
fn text(m: &mut Mutator, bytes: usize, word: u64) -> Result<u64, OutOfMemory> {
    let text = m.alloc(0, header::raw_array(0, bytes as u64))?;
    set(text, 0, word);
    set(text, (bytes - 1) / 8, word);
    Ok(text)
}

/// A table in a root.
fn table(m: &mut Mutator, root: usize, length: usize) {
    m.roots.slots[root] = m.alloc(0, header::ref_array(length as u64)).unwrap();
}

/// Half of some texts die, so no free run of pages is long. A text that survived found none then: a panic in the midst
/// of a minor collection, at a quarter less than the limit.
#[test]
fn survivors_have_room_where_free_runs_are_short() {
    for (align, pause, verify) in [(8, None, false), (32, None, true), (8, Some(1_000_000), true)] {
        let (_turn, mut m) = narrow(Config { workers: 1, align, pause, verify, ..Config::default() });
        let old = 7_600;
        table(&mut m, 1, old);
        for i in 0..old {
            let text = text(&mut m, 9_000, i as u64).unwrap();
            m.store_element(0, m.roots.slots[1], i, text);
        }
        for i in (0..old).step_by(2) {
            m.store_element(0, m.roots.slots[1], i, 1);
        }
        m.collect(Collection::Full).unwrap();
        table(&mut m, 2, 1_000);
        let mut kept = 0;
        while let Ok(text) = text(&mut m, 300_000, kept as u64) {
            m.store_element(0, m.roots.slots[2], kept, text);
            kept += 1;
        }
        let stats = m.heap.stats(None);
        assert!(kept > 120 && stats.live > LIMIT / 8 * 5, "{kept} {stats:?}");
        for i in 0..kept {
            let text = get(m.roots.slots[2], i);
            assert_eq!((get(text, 0), get(text, 299_999 / 8)), (i as u64, i as u64));
        }
        for i in (1..old).step_by(2) {
            assert_eq!(get(get(m.roots.slots[1], i), 1_124), i as u64);
        }
        // What lies in blocks dies as what lies in runs does.
        m.roots.slots[2] = 1;
        m.collect(Collection::Full).unwrap();
        assert!(m.heap.stats(None).live < 40 << 20);
        m.roots.slots[1] = 1;
        m.collect(Collection::Full).unwrap();
        assert_eq!(m.heap.stats(None).live, 0);
        let large = text(&mut m, 90_000_000, 5).unwrap();
        assert_eq!(get(large, 89_999_999 / 8), 5);
    }
}

/// What was free and what had never been used were no room for one array, though the heap was empty.
#[test]
fn an_empty_heap_has_room_for_an_array() {
    let (_turn, mut m) = narrow(Config { workers: 1, ..Config::default() });
    for bytes in [61_000_000, 76_000_000, 40_000_000, 100_000_000] {
        text(&mut m, bytes, 1).unwrap();
        // Nobody has asked for a collection.
    }
    m.roots.slots[0] = text(&mut m, 60_000_000, 2).unwrap();
    assert!(text(&mut m, 60_000_000, 3).is_err());
    text(&mut m, 20_000_000, 4).unwrap();
    assert_eq!(get(m.roots.slots[0], 59_999_999 / 8), 2);
}

/// Whoever keeps all, and goes on each time that the heap is full, is told to end before there are no addresses.
#[test]
fn a_program_that_goes_on_is_told_to_end() {
    for (workers, nursery) in [(1, None), (2, None), (16, None), (1, Some(32 << 20))] {
        let (_turn, mut m) = narrow(Config { workers, nursery, ..Config::default() });
        m.roots.slots[0] = 1;
        let (mut told, mut cells) = (0, 0);
        loop {
            // Small, large, and what fits no hole.
            let bytes = [24, 24, 24, 9_000, 33_000, 200, 24, 500_000, 24, 3_000][cells % 10];
            let made = if bytes == 24 { Ok(1) } else { text(&mut m, bytes, cells as u64) };
            let made = made.and_then(|text| {
                m.roots.slots[1] = text;
                m.bump(cells % workers, header::record(0, 2, 0))
            });
            match made {
                Ok(cell) => {
                    set(cell, 0, m.roots.slots[1]);
                    set(cell, 1, m.roots.slots[0]);
                    m.roots.slots[0] = cell;
                    cells += 1;
                }
                Err(oom) if oom.is_last => break,
                Err(_) => told += 1,
            }
            assert!(told < 10_000);
            // Large ones are refused sooner.
            if told > 0 {
                cells -= cells % 10;
            }
        }
        let stats = m.heap.stats(None);
        assert!(told > 0 && stats.live > LIMIT / 4 * 3 && stats.peak < LIMIT / 8 * 9 + (40 << 20), "{told} {stats:?}");
    }
}

/// Objects of all sizes live and die at random, near the limit: each survivor has room, and nothing is lost.
#[test]
fn at_random_each_survivor_has_room() {
    const SLOTS: usize = 4_000;
    for seed in 0..6 {
        let (_turn, mut m) = narrow(Config {
            workers: 1,
            pause: (seed % 2 == 1).then_some(500_000),
            align: [8, 16, 32][seed as usize % 3],
            ..Config::default()
        });
        let mut random = Random::new(seed);
        table(&mut m, 1, SLOTS);
        let (mut sizes, mut refused) = (vec![0usize; SLOTS], 0);
        for step in 0..25_000 {
            let at = random.below(SLOTS);
            let bytes = match random.below(20) {
                0 => 1_000 + random.below(1_500_000),
                1..=4 => 30_000 + random.below(300_000),
                5..=12 => 8_000 + random.below(30_000),
                _ => 16 + random.below(8_000),
            };
            let before = get(m.roots.slots[1], at);
            if sizes[at] > 0 {
                assert_eq!((get(before, 0), get(before, (sizes[at] - 1) / 8)), (at as u64, at as u64), "{seed} {step}");
            }
            match text(&mut m, bytes, at as u64) {
                Ok(text) => {
                    m.store_element(0, m.roots.slots[1], at, text);
                    sizes[at] = bytes;
                }
                // Half of it is dropped.
                Err(oom) => {
                    assert!(!oom.is_last, "{seed} {step} {oom:?}");
                    refused += 1;
                    for at in (0..SLOTS).filter(|_| random.below(2) == 0).collect::<Vec<_>>() {
                        m.store_element(0, m.roots.slots[1], at, 1);
                        sizes[at] = 0;
                    }
                }
            }
        }
        assert!(refused > 3, "{refused}");
        m.collect(Collection::Full).unwrap();
        for at in (0..SLOTS).filter(|&at| sizes[at] > 0) {
            let text = get(m.roots.slots[1], at);
            assert_eq!((get(text, 0), get(text, (sizes[at] - 1) / 8)), (at as u64, at as u64), "{seed}");
        }
    }
}

/// Small objects lie nowhere but in blocks. The runs of pages that nobody had used counted as room for them, so with
/// many workers a collection panicked: "the reservation for blocks is used up".
#[test]
fn small_survivors_have_blocks_beside_unused_runs() {
    const BYTES: usize = 6_560;
    for (workers, nursery) in [(16, Some(128 << 10)), (16, None), (12, None), (1, None)] {
        // Collections come at each seventh of what they take: one of these would have left too little for the next.
        for before in 0..if nursery.is_some() { 7 } else { 1 } {
            let (_turn, mut m) = narrow(Config { workers, nursery, ..Config::default() });
            m.roots.slots[0] = 1;
            let (mut told, mut texts) = (0, 0);
            let mut ballast = before * 12 * 4;
            let last = loop {
                let worker = if ballast > 0 { 0 } else { texts % workers };
                // Four of them lie in a block.
                let made = m.alloc(worker, header::raw_array(0, BYTES as u64)).and_then(|text| {
                    m.roots.slots[1] = text;
                    m.bump(worker, header::record(0, 2, 0))
                });
                match made {
                    Ok(cell) => {
                        set(m.roots.slots[1], 0, texts as u64);
                        set(cell, 0, m.roots.slots[1]);
                        set(cell, 1, m.roots.slots[0]);
                        m.roots.slots[0] = cell;
                        texts += 1;
                        if ballast > 0 {
                            ballast -= 1;
                            if ballast == 0 {
                                m.collect(Collection::Minor).unwrap();
                            }
                        }
                    }
                    Err(oom) if oom.is_last => break oom,
                    Err(_) => told += 1,
                }
                assert!(told < 1_000);
            };
            assert!(told > 0 && last.used > LIMIT / 8 * 7, "{workers} {told} {last:?}");
            let (mut at, mut left) = (m.roots.slots[0], texts as u64);
            while at & 1 == 0 {
                left -= 1;
                assert_eq!(get(get(at, 0), 0), left);
                at = get(at, 1);
            }
            assert_eq!(left, 0);
        }
    }
}

/// A large nursery for each of many workers is not to be had where many addresses have been used: for its sake free
/// runs gave all of their pages back after each collection, and each large object asked for new ones.
#[test]
fn free_runs_keep_pages_beside_the_nurseries_of_many() {
    const BYTES: usize = 50_000;
    let (_turn, mut m) = narrow(Config { workers: 16, ..Config::default() });
    let texts = |m: &mut Mutator, root: usize, count: usize| {
        table(m, root, count);
        for i in 0..count {
            let text = text(m, BYTES, i as u64).unwrap();
            m.store_element(0, m.roots.slots[root], i, text);
        }
    };
    // Some of these live on, so no free run is long.
    texts(&mut m, 1, 1_500);
    for i in (0..1_500).filter(|i| i % 30 != 0) {
        m.store_element(0, m.roots.slots[1], i, 1);
    }
    m.collect(Collection::Full).unwrap();
    m.roots.slots[0] = 1;
    for i in 0..1_600_000 {
        let cell = m.bump(0, header::record(0, 2, 0)).unwrap();
        set(cell, 0, i << 1 | 1);
        set(cell, 1, m.roots.slots[0]);
        m.roots.slots[0] = cell;
    }
    texts(&mut m, 2, 600);
    for i in (0..600).step_by(2) {
        m.store_element(0, m.roots.slots[2], i, 1);
    }
    m.collect(Collection::Major).unwrap();
    // The other half, of which less is free than what lives, keeps its pages.
    let stats = m.heap.stats(None);
    assert!(stats.nursery > 1 << 20, "{stats:?}");
    assert!(stats.heap > stats.live + 290 * BYTES, "{stats:?}");
}
