//! What the collector costs by itself: ns for each copied cell, marked object, remembered store; the sizes of row A3.
//! Row R2 of the lab; `cargo run --release -p leat-memory --example collector [rounds [part of a name]]`. Best of the
//! rounds.

#[path = "../tests/support/mod.rs"]
mod support;

use leat_abi::header::{self, immediate};
use leat_memory::{Collection, Config};
use leat_random::Random;
use support::*;

const CONS: u64 = header::record(1, 1, 0);

fn mutator(config: Config) -> Mutator {
    Mutator::new(Config { workers: 1, ..config }, 16)
}

fn build(m: &mut Mutator, n: usize) {
    m.roots.slots[0] = 1;
    for i in 0..n {
        let cell = m.bump(0, CONS).unwrap();
        set(cell, 0, i as u64);
        set(cell, 1, m.roots.slots[0]);
        m.roots.slots[0] = cell;
    }
}

fn tree(m: &mut Mutator, depth: usize) -> u64 {
    // Left subtrees wait in root slots, so the slots are a stack.
    if depth == 0 {
        return 1;
    }
    let left = tree(m, depth - 1);
    m.roots.slots.push(left);
    let right = tree(m, depth - 1);
    m.roots.slots.push(right);
    let node = m.bump(0, header::record(0, 2, 0)).unwrap();
    set(node, 1, m.roots.slots.pop().unwrap());
    set(node, 0, m.roots.slots.pop().unwrap());
    node
}

fn shuffled(m: &mut Mutator, n: usize) {
    // A list whose order in memory is random.
    let mut order: Vec<u64> = (0..n).map(|_| m.bump(0, CONS).unwrap()).collect();
    let mut random = Random::new(1234567);
    for i in (1..n).rev() {
        order.swap(i, random.below(i + 1));
    }
    let mut list = 1;
    for &cell in &order {
        set(cell, 0, 1);
        set(cell, 1, list);
        list = cell;
    }
    m.roots.slots[0] = list;
}

/// Processor time of this thread, so that other programs disturb less.
#[derive(Clone, Copy)]
struct Instant(f64);

impl Instant {
    fn now() -> Instant {
        // SAFETY: clock_gettime writes the timespec that it is given.
        unsafe {
            let mut t: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t);
            Instant(t.tv_sec as f64 * 1e3 + t.tv_nsec as f64 / 1e6)
        }
    }
}

fn ms(since: Instant) -> f64 {
    Instant::now().0 - since.0
}

/// Best of some rounds: `prepare` is not timed.
fn best(rounds: usize, mut prepare: impl FnMut() -> Mutator, run: impl Fn(&mut Mutator)) -> f64 {
    (0..rounds)
        .map(|_| {
            let mut m = prepare();
            let start = Instant::now();
            run(&mut m);
            ms(start)
        })
        .fold(f64::INFINITY, f64::min)
}

/// A line of the lab: a figure's name, in words with hyphens between them, and nanoseconds.
fn tell(name: &str, ns: f64) {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    println!("{} {ns:.3}", words.join("-"));
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(7);
    let only = std::env::args().nth(2);
    let wanted = |name: &str| only.as_deref().is_none_or(|o| name.contains(o));
    let big = |align: usize| Config { nursery: Some(64 << 20), align, ..Config::default() };
    let minor = |m: &mut Mutator| m.collect(Collection::Minor).unwrap();
    let major = |m: &mut Mutator| m.collect(Collection::Major).unwrap();

    for align in [8, 16, 32] {
        for n in [10_000, 100_000, 1_000_000] {
            let name = format!("copy list of {n}, fresh heap, align {align}");
            if wanted(&name) {
                let t = best(
                    rounds,
                    || {
                        let mut m = mutator(big(align));
                        build(&mut m, n);
                        m
                    },
                    minor,
                );
                tell(&name, t * 1e6 / n as f64);
            }
            let name = format!("copy list of {n}, used heap, align {align}");
            if wanted(&name) {
                let t = best(
                    rounds,
                    || {
                        let mut m = mutator(big(align));
                        build(&mut m, n);
                        minor(&mut m);
                        m.roots.slots[0] = 1;
                        major(&mut m);
                        build(&mut m, n);
                        m
                    },
                    minor,
                );
                tell(&name, t * 1e6 / n as f64);
            }
        }
    }
    for depth in [13, 20] {
        let name = format!("copy tree of 2^{depth}");
        if wanted(&name) {
            let t = best(
                rounds,
                || {
                    let mut m = mutator(big(8));
                    build(&mut m, 1 << depth);
                    minor(&mut m);
                    m.roots.slots[0] = 1;
                    major(&mut m);
                    m.roots.slots[1] = tree(&mut m, depth);
                    m
                },
                minor,
            );
            tell(&name, t * 1e6 / (1 << depth) as f64);
        }
    }
    if wanted("copy shuffled") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                shuffled(&mut m, 1_000_000);
                m
            },
            minor,
        );
        tell("copy shuffled list of 1000000", t * 1e6 / 1e6);
    }
    if wanted("mark list") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                build(&mut m, 1_000_000);
                minor(&mut m);
                m
            },
            major,
        );
        tell("mark list of 1000000", t * 1e6 / 1e6);
    }
    if wanted("mark tree") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                m.roots.slots[1] = tree(&mut m, 20);
                minor(&mut m);
                m
            },
            major,
        );
        tell("mark tree of 2^20", t * 1e6 / (1 << 20) as f64);
    }
    if wanted("mark random") {
        let t = best(
            rounds,
            || {
                // A big array whose elements refer to cells in random order.
                let mut m = mutator(big(8));
                let n = 1_000_000;
                build(&mut m, n);
                let mut cells = Vec::new();
                let mut list = m.roots.slots[0];
                while list & 1 == 0 {
                    cells.push(list);
                    let next = get(list, 1);
                    set(list, 1, immediate(0));
                    list = next;
                }
                let mut random = Random::new(77);
                for i in (1..n).rev() {
                    cells.swap(i, random.below(i + 1));
                }
                let array = m.alloc(0, header::ref_array(n as u64)).unwrap();
                for (i, &cell) in cells.iter().enumerate() {
                    set(array, i, cell);
                }
                // Promoted in another order than the array's.
                m.roots.slots[0] = 1;
                m.roots.slots[1] = array;
                cells.sort_unstable();
                m.roots.slots.extend(&cells);
                minor(&mut m);
                m.roots.slots.truncate(16);
                m
            },
            major,
        );
        tell("mark random array of 1000000", t * 1e6 / 1e6);
    }
    if wanted("evacuate") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                build(&mut m, 1_000_000);
                minor(&mut m);
                major(&mut m);
                m
            },
            |m| m.collect(Collection::Full).unwrap(),
        );
        tell("full collection, list of 1000000", t * 1e6 / 1e6);
    }
    if wanted("remember") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                build(&mut m, 100_000);
                minor(&mut m);
                m
            },
            |m| {
                let mut list = m.roots.slots[0];
                while list & 1 == 0 {
                    let next = get(list, 1);
                    m.store(0, list, 1, next);
                    list = next;
                }
                m.collect(Collection::Minor).unwrap();
            },
        );
        tell("remember 100000 cells, scan them", t * 1e6 / 1e5);
    }
    if wanted("scan") {
        let t = best(
            rounds,
            || {
                let mut m = mutator(big(8));
                m.roots.slots[0] = m.alloc(0, header::ref_array(1_000_000)).unwrap();
                m
            },
            minor,
        );
        tell("scan a new array of 1000000", t * 1e6 / 1e6);
    }
    for n in [50_000, 100_000, 200_000, 500_000, 1_000_000] {
        let name = format!("A3: build {n}, drop, collect");
        if wanted(&name) {
            let mut m = mutator(Config::default());
            let mut first = 0.0;
            let mut least = f64::INFINITY;
            for round in 0..rounds * 3 {
                let start = Instant::now();
                build(&mut m, n);
                m.roots.slots[0] = 1;
                minor(&mut m);
                let t = ms(start);
                if round == 0 {
                    first = t;
                }
                least = least.min(t);
            }
            tell(&name, least * 1e6 / n as f64);
            tell(&format!("{name}, first"), first * 1e6 / n as f64);
        }
    }
    if wanted("start") {
        let t = best(rounds, || mutator(big(8)), |_| drop(mutator(Config::default())));
        tell("start and end of a heap", t * 1e6);
    }
}
