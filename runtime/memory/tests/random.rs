//! Random graphs in the heap against a shadow of them in Rust: same shape and contents after any mixture of allocation,
//! stores and collections, at every alignment, with verification.

mod support;

use std::collections::{HashMap, HashSet};

use leat_abi::header::{self, ObjectKind, immediate};
use leat_abi::thread::Thread;
use leat_memory::{Collection, Config};
use leat_random::Random;
use support::*;

/// What an object should be. Word 0 of the payload is its number (arrays of references have it in element 0 as an
/// immediate).
#[derive(Clone)]
struct Node {
    header: u64,
    raw: Vec<u64>,
    refs: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Immediate(u64),
    Node(usize),
}

const ROOTS: usize = 24;
/// The last of them has a large array; those before it keep lists that were taken away, for so long that a marking may
/// end.
const KEPT: usize = 4;
/// Entries of the long table.
const MANY: usize = 200;
/// Elements of an array that is born large.
const LARGE: usize = 5_000;

struct Test {
    m: Mutator,
    random: Random,
    nodes: Vec<Node>,
    roots: [Value; ROOTS],
    many: Vec<Value>,
    threads: Vec<usize>,
    frames: Vec<Vec<Value>>,
    workers: usize,
    /// (number of the weak pointer's node, its target)
    collections_asked: usize,
}

impl Test {
    fn value_at(&self, root: usize) -> (Value, u64) {
        (self.roots[root], self.m.roots.slots[root])
    }

    /// A random object reachable from a root in a few steps: its node and address.
    fn wander(&mut self) -> Option<(usize, u64)> {
        let root = self.random.below(ROOTS);
        let (mut value, mut word) = self.value_at(root);
        for _ in 0..self.random.below(6) {
            let Value::Node(n) = value else { break };
            let node = &self.nodes[n];
            if node.refs.is_empty() || ObjectKind::of(node.header) == ObjectKind::Weak {
                break;
            }
            let i = self.random.below(node.refs.len());
            if let Value::Node(_) = node.refs[i] {
                value = node.refs[i];
                word = get(word, node.raw.len() + i);
            }
        }
        match value {
            Value::Node(n) => Some((n, word)),
            Value::Immediate(_) => None,
        }
    }

    fn make(&mut self) {
        let worker = self.random.below(self.workers);
        let root = self.some_root();
        let number = self.nodes.len();
        let pick = self.random.below(100);
        let (node, object) = if pick < 70 {
            let raw = 1 + if self.random.below(20) == 0 { self.random.below(900) } else { self.random.below(5) };
            let refs = if self.random.below(40) == 0 { self.random.below(300) } else { self.random.below(5) };
            let raw: Vec<u64> = (0..raw).map(|i| if i == 0 { number as u64 } else { self.random.word() }).collect();
            let from: Vec<usize> = (0..refs).map(|_| self.random.below(ROOTS)).collect();
            let object = self.m.record(worker, &raw, &from).unwrap();
            let refs = from.iter().map(|&r| self.roots[r]).collect();
            (Node { header: header::record(raw.len(), from.len(), 0), raw, refs }, object)
        } else if pick < 82 {
            let length = self.length();
            let h = header::ref_array(length as u64);
            let object = self.m.alloc(worker, h).unwrap();
            let mut refs = vec![Value::Immediate(1); length];
            refs[0] = Value::Immediate(immediate(number as u64));
            set(object, 0, immediate(number as u64));
            for _ in 0..self.random.below(8) {
                let (i, from) = (1 + self.random.below(length - 1), self.random.below(ROOTS));
                if i < length {
                    refs[i] = self.roots[from];
                    set(object, i, self.m.roots.slots[from]);
                }
            }
            (Node { header: h, raw: Vec::new(), refs }, object)
        } else if pick < 94 {
            let length = self.length();
            let h = header::raw_array(3, length as u64);
            let object = self.m.alloc(worker, h).unwrap();
            assert!((0..length).all(|i| get(object, i) == 0), "a new array is zero");
            let raw: Vec<u64> = (0..length).map(|i| if i == 0 { number as u64 } else { i as u64 * 77 }).collect();
            raw.iter().enumerate().for_each(|(i, &word)| set(object, i, word));
            (Node { header: h, raw, refs: Vec::new() }, object)
        } else if pick < 97 {
            let from = self.random.below(ROOTS);
            let object = self.m.bump(worker, header::weak()).unwrap();
            set(object, 0, self.m.roots.slots[from]);
            (Node { header: header::weak(), raw: Vec::new(), refs: vec![self.roots[from]] }, object)
        } else {
            let id = self.threads.len();
            let h = Thread::HEADER;
            let object = self.m.alloc(worker, h).unwrap();
            let mut raw = vec![0; header::raw_words(h)];
            raw[0] = number as u64;
            raw[1] = id as u64;
            raw.iter().enumerate().for_each(|(i, &word)| set(object, i, word));
            let from: Vec<usize> = (0..self.random.below(5)).map(|_| self.random.below(ROOTS)).collect();
            self.m.roots.frames.push(from.iter().map(|&r| self.m.roots.slots[r]).collect());
            self.m.roots.changed.push(false);
            self.frames.push(from.iter().map(|&r| self.roots[r]).collect());
            self.threads.push(number);
            (Node { header: h, raw, refs: vec![Value::Immediate(1); header::ref_words(h)] }, object)
        };
        self.nodes.push(node);
        self.roots[root] = Value::Node(number);
        self.m.roots.slots[root] = object;
        self.note(object, number);
    }

    /// The tables that keep nothing alive get a new object.
    fn note(&mut self, object: u64, number: usize) {
        self.m.roots.table.push((object, number as u64));
        self.m.roots.long.push(object);
    }

    fn length(&mut self) -> usize {
        match self.random.below(30) {
            0 => 1000 + self.random.below(3000),
            1..3 => LARGE + self.random.below(15_000),
            3..6 => 100 + self.random.below(800),
            _ => 2 + self.random.below(30),
        }
    }

    fn mutate(&mut self) {
        let worker = self.random.below(self.workers);
        let from = self.random.below(ROOTS);
        let Some((n, object)) = self.wander() else { return };
        let (value, word) = self.value_at(from);
        let (raw, refs, kind) =
            (self.nodes[n].raw.len(), self.nodes[n].refs.len(), ObjectKind::of(self.nodes[n].header));
        match kind {
            ObjectKind::Record | ObjectKind::Thread if refs > 0 => {
                let i = self.random.below(refs);
                self.nodes[n].refs[i] = value;
                self.m.store(worker, object, raw + i, word);
                if kind == ObjectKind::Thread && self.random.below(2) == 0 {
                    let id = self.nodes[n].raw[1] as usize;
                    self.frames[id].push(value);
                    self.m.roots.frames[id].push(word);
                    self.m.roots.changed[id] = true;
                }
            }
            ObjectKind::RefArray if refs > 1 => {
                for _ in 0..1 + self.random.below(4) {
                    let i = 1 + self.random.below(refs - 1);
                    self.nodes[n].refs[i] = value;
                    self.m.store_element(worker, object, i, word);
                }
            }
            _ => {}
        }
    }

    /// An entry of the long table refers to an object that has been found, and so does a root to what an entry had, or
    /// neither.
    fn enter(&mut self) {
        let (i, to) = (self.random.below(MANY), self.some_root());
        (self.roots[to], self.m.roots.slots[to]) = (self.many[i], self.m.roots.many[i]);
        if let Some((n, word)) = self.wander() {
            (self.many[i], self.m.roots.many[i]) = (Value::Node(n), word);
            self.m.roots.noted.push(i);
        } else {
            (self.many[i], self.m.roots.many[i]) = (Value::Immediate(1), 1);
        }
    }

    /// A root refers to an object from somewhere else from now on. If it was old and not marked yet, nothing but the
    /// end of a marking knows of the root; and what is stored from there into marked objects is a reference to one that
    /// is not.
    fn load(&mut self) {
        let to = self.some_root();
        let Some((n, word)) = self.wander() else { return };
        self.roots[to] = Value::Node(n);
        self.m.roots.slots[to] = word;
        // A large array is told of by what is stored into it.
        if let (Value::Node(k), array) = self.value_at(ROOTS - 1)
            && self.random.below(2) == 0
        {
            let (worker, i) = (self.random.below(self.workers), 1 + self.random.below(LARGE - 1));
            self.nodes[k].refs[i] = Value::Node(n);
            self.m.store_element(worker, array, i, word);
        }
    }

    /// What `load` has found stands in an array, too, that is large when it is promoted: born in a nursery, and larger
    /// than what blocks have room for as a rule.
    fn make_wide(&mut self) {
        let length = 1_100 + self.random.below(800);
        let (number, h) = (self.nodes.len(), header::ref_array(length as u64));
        let (worker, root) = (self.random.below(self.workers), self.some_root());
        let object = self.m.alloc(worker, h).unwrap();
        let mut refs = vec![Value::Immediate(1); length];
        refs[0] = Value::Immediate(immediate(number as u64));
        set(object, 0, immediate(number as u64));
        for from in 0..ROOTS {
            let i = 1 + self.random.below(length - 1);
            refs[i] = self.roots[from];
            set(object, i, self.m.roots.slots[from]);
        }
        self.nodes.push(Node { header: h, raw: Vec::new(), refs });
        (self.roots[root], self.m.roots.slots[root]) = (Value::Node(number), object);
        self.note(object, number);
    }

    /// A list: more than the end of a marking does in one go. The large array keeps it.
    fn make_list(&mut self) {
        let root = self.some_root();
        for _ in 0..20 + self.random.below(100) {
            let number = self.nodes.len();
            let worker = self.random.below(self.workers);
            let raw = vec![number as u64];
            let object = self.m.record(worker, &raw, &[root]).unwrap();
            let refs = vec![self.roots[root]];
            self.nodes.push(Node { header: header::record(1, 1, 0), raw, refs });
            (self.roots[root], self.m.roots.slots[root]) = (Value::Node(number), object);
            self.note(object, number);
        }
        if let (Value::Node(k), array) = self.value_at(ROOTS - 1) {
            let (worker, i) = (self.random.below(self.workers), 1 + self.random.below(LARGE - 1));
            self.nodes[k].refs[i] = self.roots[root];
            self.m.store_element(worker, array, i, self.m.roots.slots[root]);
        }
    }

    /// A root takes an object from another one, which does not refer to it any more: if it was not marked yet, only the
    /// end of a marking finds it, with all that it refers to.
    fn steal(&mut self) {
        let worker = self.random.below(self.workers);
        let found = match self.value_at(ROOTS - 1) {
            (Value::Node(k), array) if self.random.below(2) == 0 => Some((k, array)),
            _ => self.wander(),
        };
        let Some((n, object)) = found else { return };
        let (raw, refs, kind) =
            (self.nodes[n].raw.len(), self.nodes[n].refs.len(), ObjectKind::of(self.nodes[n].header));
        let first = if kind == ObjectKind::RefArray { 1 } else { 0 };
        if !matches!(kind, ObjectKind::Record | ObjectKind::RefArray) || refs <= first {
            return;
        }
        // In a large array few elements are objects: look for one.
        let from = first + self.random.below(refs - first);
        let Some(i) = (from..refs).chain(first..from).find(|&i| matches!(self.nodes[n].refs[i], Value::Node(_))) else {
            return;
        };
        let (value, word) = (self.nodes[n].refs[i], get(object, raw + i));
        let to = match value {
            Value::Node(k) if self.nodes[k].header == header::record(1, 1, 0) => ROOTS - 2 - self.random.below(KEPT),
            _ => self.some_root(),
        };
        (self.roots[to], self.m.roots.slots[to]) = (value, word);
        self.nodes[n].refs[i] = Value::Immediate(1);
        match kind {
            ObjectKind::Record => self.m.store(worker, object, raw + i, 1),
            _ => self.m.store_element(worker, object, i, 1),
        }
    }

    /// The last root refers to a large array for good: a marking scans it first.
    fn make_large(&mut self) {
        let (number, h) = (self.nodes.len(), header::ref_array(LARGE as u64));
        let object = self.m.alloc(0, h).unwrap();
        let mut refs = vec![Value::Immediate(1); LARGE];
        refs[0] = Value::Immediate(immediate(number as u64));
        set(object, 0, immediate(number as u64));
        self.nodes.push(Node { header: h, raw: Vec::new(), refs });
        (self.roots[ROOTS - 1], self.m.roots.slots[ROOTS - 1]) = (Value::Node(number), object);
        self.note(object, number);
    }

    /// A root that may be changed.
    fn some_root(&mut self) -> usize {
        self.random.below(ROOTS - 1 - KEPT)
    }

    /// Both graphs from the roots in step.
    fn compare(&mut self) {
        let mut addresses: HashMap<usize, u64> = HashMap::new();
        let mut weak = Vec::new();
        let mut queue: Vec<(Value, u64)> = (0..ROOTS).map(|r| self.value_at(r)).collect();
        queue.extend(self.many.iter().copied().zip(self.m.roots.many.iter().copied()));
        while let Some((value, word)) = queue.pop() {
            let n = match value {
                Value::Immediate(k) => {
                    assert_eq!(word, k);
                    continue;
                }
                Value::Node(n) => n,
            };
            if let Some(&before) = addresses.get(&n) {
                assert_eq!(before, word, "node {n} exists twice");
                continue;
            }
            addresses.insert(n, word);
            let node = &self.nodes[n];
            let collector_bits = header::UNLOGGED | header::MARK | header::GC_MASK;
            assert_eq!(header_of(word) & !collector_bits, node.header, "header of node {n}");
            for (i, &raw) in node.raw.iter().enumerate() {
                assert_eq!(get(word, i), raw, "word {i} of node {n}");
            }
            match ObjectKind::of(node.header) {
                ObjectKind::Weak => weak.push((n, word)),
                _ => queue.extend(node.refs.iter().enumerate().map(|(i, &v)| (v, get(word, node.raw.len() + i)))),
            }
            if ObjectKind::of(node.header) == ObjectKind::Thread {
                let id = node.raw[1] as usize;
                queue.extend(self.frames[id].iter().copied().zip(self.m.roots.frames[id].iter().copied()));
            }
        }
        for (n, word) in weak {
            let now = get(word, 0);
            match self.nodes[n].refs[0] {
                Value::Immediate(k) => assert_eq!(now, k),
                Value::Node(target) => match addresses.get(&target) {
                    Some(&address) => assert_eq!(now, address, "weak node {n}"),
                    None if now == 1 => self.nodes[n].refs[0] = Value::Immediate(1),
                    // Its target is garbage that no collection has looked at yet.
                    None => {}
                },
            }
        }
        let alive: HashSet<u64> = addresses.values().copied().collect();
        let table: HashMap<u64, u64> = self.m.roots.table.iter().map(|&(object, n)| (n, object)).collect();
        for (&n, address) in &addresses {
            assert_eq!(table.get(&(n as u64)), Some(address), "node {n} is alive and in the table");
        }
        let long: HashSet<u64> = self.m.roots.long.iter().chain(&self.m.roots.unmended).copied().collect();
        assert_eq!(
            long.len(),
            self.m.roots.long.len() + self.m.roots.unmended.len(),
            "nothing is twice in the long table"
        );
        assert!(alive.is_subset(&long), "what is alive is in the long table");
        if self.collections_asked > 0 {
            assert!(self.m.roots.table.len() >= alive.len());
        }
    }
}

fn run(seed: u64, steps: usize, config: Config) {
    run_beside(seed, steps, config, 0);
}

/// With steps of the marker beside the program, one by one at random points, if `beside` is not 0: so many units at
/// most.
fn run_beside(seed: u64, steps: usize, config: Config, beside: usize) {
    let workers = config.workers;
    let every = if config.stress.is_some() { 200 } else { 3000 };
    let mut t = Test {
        m: Mutator::new(config, ROOTS),
        random: Random::new(seed),
        nodes: Vec::new(),
        roots: [Value::Immediate(1); ROOTS],
        many: vec![Value::Immediate(1); MANY],
        threads: Vec::new(),
        frames: Vec::new(),
        workers,
        collections_asked: 0,
    };
    t.m.roots.many = vec![1; MANY];
    t.make_large();
    for step in 0..steps {
        if beside > 0 && t.random.below(2) == 0 {
            let units = 1 + t.random.below(beside);
            t.m.heap.mark_beside(units as isize);
        }
        match t.random.below(100) {
            0..48 => t.make(),
            48..50 => t.enter(),
            50..52 => t.make_list(),
            52..54 => t.make_wide(),
            54..72 => t.mutate(),
            72..86 => t.load(),
            86..94 => t.steal(),
            94..99 => {
                let root = t.some_root();
                t.roots[root] = Value::Immediate(1);
                t.m.roots.slots[root] = 1;
            }
            _ => {
                let kind = [Collection::Minor, Collection::Minor, Collection::Major, Collection::Full];
                let kind = kind[t.random.below(4)];
                if t.random.below(5) == 0 {
                    t.m.collect(kind).unwrap();
                    t.collections_asked += 1;
                }
            }
        }
        if step % every == 0 {
            t.compare();
        }
    }
    t.compare();
    t.m.collect(Collection::Full).unwrap();
    t.compare();
    // After a full collection the table that keeps nothing alive has what is alive only.
    for slot in t.m.roots.slots.iter_mut().chain(&mut t.m.roots.many) {
        *slot = 1;
    }
    t.m.collect(Collection::Full).unwrap();
    assert_eq!(t.m.roots.table.len(), 0);
    assert!(t.m.roots.long.is_empty() && t.m.roots.unmended.is_empty());
    assert_eq!(t.m.heap.stats(None).live, 0);
}

fn config(align: usize) -> Config {
    Config { align, workers: 1, nursery: Some(64 << 10), verify: true, ..Config::default() }
}

#[test]
fn graphs_survive_at_every_alignment() {
    for align in [8, 16, 32] {
        for seed in 1..4 {
            run(seed, 6_000, config(align));
        }
    }
}

#[test]
fn graphs_survive_without_verification() {
    for align in [8, 16, 32] {
        run(7, 60_000, Config { verify: false, nursery: Some(256 << 10), ..config(align) });
    }
}

#[test]
fn graphs_survive_a_collection_at_each_allocation() {
    for align in [8, 16, 32] {
        run(5, 800, Config { stress: Some(1), ..config(align) });
    }
    run(6, 3_000, Config { stress: Some(7), ..config(8) });
}

#[test]
fn graphs_survive_with_several_workers() {
    for align in [8, 32] {
        run(9, 6_000, Config { workers: 4, ..config(align) });
    }
    run(10, 800, Config { workers: 3, stress: Some(2), ..config(16) });
}

/// Marking in slices of the least size: the graph changes between any two of them. With verification, so that each edge
/// from a marked object to one that is not must be covered (G10).
#[test]
fn graphs_survive_marking_in_slices() {
    for align in [8, 16, 32] {
        for seed in 20..26 {
            run(seed, 6_000, Config { pause: Some(1_000), stress: Some(50), ..config(align) });
        }
    }
    for seed in 30..34 {
        run(seed, 2_000, Config { pause: Some(1_000), stress: Some(7), ..config(8) });
        run(seed, 2_000, Config { pause: Some(1_000), stress: Some(9), workers: 4, ..config(16) });
        run(seed, 2_000, Config { pause: Some(1_000_000), stress: Some(1), ..config(32) });
    }
}

/// `LEAT_CASES` short programs, from seed `LEAT_FIRST` on, one by one in each way: some minutes for each thousand.
#[test]
#[ignore = "takes hours: cargo test --release -p leat-memory --test random many -- --ignored"]
fn many_graphs_survive() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (first, cases) = (number("LEAT_FIRST", 1_000), number("LEAT_CASES", 1_000));
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let stress = [1, 2, 5, 9, 20, 40, 70][random.below(7)];
        let config = Config {
            pause: Some([1, 1_000, 20_000, 1_000_000][random.below(4)]),
            stress: Some(stress),
            workers: [1, 1, 2, 8][random.below(4)],
            ..config([8, 16, 32][random.below(3)])
        };
        let beside = [0, 0, 1, 40, 4_000][random.below(5)];
        let steps = (60 + 4 * stress as usize).min(200) + random.below(100);
        run_beside(seed, steps, config, beside);
        if (seed + 1 - first).is_multiple_of(1_000) {
            eprintln!("{} cases, up to seed {seed}", seed + 1 - first);
        }
    }
}

/// Marking beside the program, an object or a few at a time between any two of its steps; slices do as little as they
/// may.
#[test]
fn graphs_survive_marking_beside_the_program() {
    for (align, seeds) in [(8, 40..46), (16, 46..48), (32, 48..50)] {
        for seed in seeds {
            for units in [1, 40, 4_000] {
                let config = Config { pause: Some(1), stress: Some(70), ..config(align) };
                run_beside(seed, 3_000, config.clone(), units);
                run_beside(seed, 2_000, Config { workers: 1 + seed as usize % 3, stress: Some(9), ..config }, units);
            }
        }
    }
}

/// And by a thread of the operating system, which comes when it comes.
#[test]
fn graphs_survive_a_thread_that_marks() {
    for seed in 60..66 {
        let config = Config { pause: Some(1), beside: true, ..config([8, 16, 32][seed as usize % 3]) };
        run(seed, 6_000, Config { stress: Some(40), ..config.clone() });
        run(seed, 20_000, Config { verify: false, stress: Some(400), workers: 1 + seed as usize % 2, ..config });
    }
}
