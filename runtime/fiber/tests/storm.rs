//! Many threads that do everything to one another at random, on several workers, with pauses where another worker may
//! come in between. Some of them are bound. Each thread's code checks its frames; here it is checked that no thread
//! runs twice at once, and that whoever was handed to does run.

mod mock;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use leat_abi::tcb::Tcb;
use leat_fiber::{Ref, bind, blocking, handoff, leave, park, ready, set_jitter, switch, yield_now};
use mock::Closure;

static SEED: AtomicU64 = AtomicU64::new(1);

/// A number below `n`.
fn random(n: u64) -> u64 {
    let mut x = SEED.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) % n
}

/// `b` operations on random threads, then the end. `result` is 1 while the thread is in here.
///
/// SAFETY of this and the other steps: called on the C stack by `leat_step_stub`, and returns at once what a switching
/// function returned.
unsafe fn at_random(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    assert_eq!(c.result.swap(1, SeqCst), 0, "a thread runs twice at once");
    let left = c.b.load(Relaxed);
    let threads = c.test.threads.lock().unwrap().len() as u64;
    let other = c.test.at(random(threads) as usize);
    c.result.store(0, SeqCst);
    if left == 0 {
        return 1;
    }
    c.b.store(left - 1, Relaxed);
    // SAFETY: see above.
    unsafe {
        match random(8) {
            0 | 1 => handoff(tcb, other),
            2 | 3 => switch(tcb, other),
            4 => yield_now(tcb),
            5 => park(tcb, 0),
            6 => {
                ready(tcb, other);
                0
            }
            _ => {
                ready(tcb, other);
                ready(tcb, c.test.at(random(threads) as usize));
                yield_now(tcb)
            }
        }
    }
}

/// Now and then the workers are folded, or spread again.
fn fold_at_random(test: &mock::Test, workers: u64) {
    if random(4) == 0 {
        let started = test.fibers().stat().workers;
        let home = random(2 * workers.min(started));
        test.fibers().set_home((home < started).then_some(home as usize));
    }
}

/// Every fifth thread is bound. Nobody else knows it yet.
unsafe fn bind_some(tcb: *mut Tcb, c: &'static Closure, thread: usize) {
    if thread % 5 == 2 {
        // SAFETY: the caller has just made it.
        assert_eq!(unsafe { bind(tcb, c.test.at(thread)) }, Ok(()));
    }
}

/// Makes `a` threads of `b` operations and wakes all of them until they have ended.
unsafe fn storm(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let total = c.a.load(Relaxed);
        if c.result.swap(1, Relaxed) == 0 {
            for i in 0..total {
                let code = if i % 3 == 0 { mock::plain() } else { mock::deep() };
                let t = c.test.thread(tcb, code, at_random, if i % 7 == 1 { 60 } else { 2 }, c.b.load(Relaxed));
                bind_some(tcb, c, t);
            }
        }
        fold_at_random(c.test, 8);
        if c.test.fibers().stat().ended == total {
            return leave(tcb, 21);
        }
        for t in 1..=total {
            ready(tcb, c.test.at(t as usize));
        }
        yield_now(tcb)
    }
}

#[test]
fn a_storm_of_operations() {
    for round in 0..rounds() {
        for (workers, lanes, collect_every, jitter) in [
            (2, 3, 1 << 40, 8),
            (2, 5, 40, 8),
            (2, 30, 1 << 40, 8),
            (3, 4, 60, 8),
            (8, 12, 1 << 40, 16),
            (8, 40, 90, 4),
        ] {
            set_jitter(jitter);
            SEED.store(round * 1_000_003 + workers as u64, Relaxed);
            let test = mock::test(mock::small(workers, lanes), collect_every);
            assert_eq!(test.run(mock::plain(), storm, 24, 40), 21, "round {round}, {workers} workers, {lanes} lanes");
            test.fibers().end_bound();
        }
    }
}

/// Passes of the balls altogether.
const PASSES: u64 = 3_000;
/// Threads that a ball goes round among.
const PLAYERS: u64 = 8;

/// A ball: who has it hands it to a random other one, and blocks. Nobody else wakes anybody, so a hand-off that is lost
/// ends in a deadlock when it happens to all `b` balls, and in a short count else. `counter` counts the passes.
unsafe fn player(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        assert_eq!(c.result.swap(1, SeqCst), 0, "a thread runs twice at once");
        fold_at_random(c.test, 8);
        let passes = c.test.counter.fetch_add(1, Relaxed);
        let balls = c.b.load(Relaxed);
        if passes >= PASSES {
            // The last one to come here is the last ball.
            return if passes == PASSES + balls - 1 { leave(tcb, 33) } else { park(tcb, 2) };
        }
        // Each ball has players of its own, but their lanes are shared.
        let me = (*((*tcb).current as *const leat_abi::thread::Thread)).id - 2;
        let mut other = me;
        while other == me {
            other = random(PLAYERS) * balls + me % balls;
        }
        c.result.store(0, SeqCst);
        let other = c.test.at(other as usize + 1);
        if random(4) == 0 {
            ready(tcb, other);
            return park(tcb, 1);
        }
        handoff(tcb, other)
    }
}

/// Starts `b` balls, and blocks for good.
unsafe fn kick_off(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let balls = c.b.load(Relaxed);
        for _ in 0..balls * PLAYERS {
            let t = c.test.thread(tcb, mock::deep(), player, 3, balls);
            bind_some(tcb, c, t);
        }
        for t in 0..balls {
            ready(tcb, c.test.at(t as usize + 1));
        }
        park(tcb, 0)
    }
}

/// A hand-off to a thread that another worker was moving to the heap at that moment was taken for one to a thread that
/// is ready already, and nobody ran it: the deadlock that a program with several workers ended in, once in some hundred
/// runs.
#[test]
fn no_hand_off_is_lost() {
    for round in 0..rounds() {
        for (workers, lanes, balls, jitter) in [(2, 3, 2, 8), (2, 6, 5, 8), (3, 4, 3, 4), (8, 12, 9, 16)] {
            set_jitter(jitter);
            SEED.store(round * 1_000_033 + workers as u64, Relaxed);
            let test = mock::test(mock::small(workers, lanes), 1 << 40);
            let code = test.run(mock::plain(), kick_off, 0, balls);
            test.fibers().end_bound();
            assert_eq!(
                code,
                33,
                "round {round}, {workers} workers, {lanes} lanes, {} passes",
                test.counter.load(SeqCst)
            );
        }
    }
}

/// A lock that belongs to a worker, and what it guards.
#[derive(Default)]
struct Guarded {
    lock: AtomicU64,
    inside: AtomicU64,
    count: AtomicU64,
}

static GUARDED: [Guarded; 3] =
    [const { Guarded { lock: AtomicU64::new(0), inside: AtomicU64::new(0), count: AtomicU64::new(0) } }; 3];

/// `b` times: takes a lock as compiled code does, and looks whether it is alone. Now and then it blocks the worker.
unsafe fn with_a_lock(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    let left = c.b.load(Relaxed);
    if left == 0 {
        return 1;
    }
    // SAFETY: see above. The objects of this mock heap that the lock stands for do not move.
    unsafe {
        let guarded = &GUARDED[(c.a.load(Relaxed) % 3) as usize];
        (*tcb).atomic_depth = 1;
        if guarded.lock.load(SeqCst) & 255 != (*tcb).mark
            && !leat_fiber::attempt(tcb, Ref::from_ptr(guarded.lock.as_ptr().cast()))
        {
            return 0;
        }
        assert_eq!(guarded.inside.swap(1, SeqCst), 0, "two at once");
        let count = guarded.count.load(Relaxed);
        match random(32) {
            // A system call with a lock: nobody becomes sole meanwhile and waits for it for ever.
            0 => blocking(tcb, || std::thread::sleep(std::time::Duration::from_micros(random(50)))),
            _ => (0..random(30)).for_each(|_| std::hint::spin_loop()),
        }
        guarded.count.store(count + 1, Relaxed);
        guarded.inside.store(0, SeqCst);
        if guarded.lock.load(Relaxed) & 255 == 1 {
            guarded.lock.fetch_sub(1, SeqCst);
        }
        (*tcb).atomic_depth = 0;
        c.b.store(left - 1, Relaxed);
        c.a.fetch_add(u64::from(random(8) == 0), Relaxed);
        match random(16) {
            0 => blocking(tcb, || std::thread::sleep(std::time::Duration::from_micros(random(100)))),
            1 | 2 => return yield_now(tcb),
            _ => {}
        }
    }
    0
}

unsafe fn lock_them(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        if c.result.load(Relaxed) == 0 {
            c.result.store(1, Relaxed);
            for i in 0..c.a.load(Relaxed) {
                let t = c.test.thread(tcb, mock::plain(), with_a_lock, i, c.b.load(Relaxed));
                bind_some(tcb, c, t);
                ready(tcb, c.test.at(t));
            }
        }
        if c.test.fibers().stat().ended < c.a.load(Relaxed) { yield_now(tcb) } else { leave(tcb, 5) }
    }
}

/// Locks go from worker to worker, are shared, and belong to one again: what they guard is done by one at a time, all
/// of it.
#[test]
fn a_lock_belongs_to_one_worker_at_a_time() {
    for round in 0..rounds() {
        for (workers, threads, jitter) in [(2, 2, 8), (2, 6, 16), (3, 7, 8), (8, 12, 16)] {
            set_jitter(jitter);
            for guarded in &GUARDED {
                guarded.count.store(0, SeqCst);
                // Worker 0's.
                guarded.lock.store(2, SeqCst);
            }
            let mut config = mock::small(workers, 20);
            config.slice = 1_000_000;
            let test = mock::test(config, 1 << 40);
            assert_eq!(test.run(mock::plain(), lock_them, threads, 700), 5, "round {round}, {workers} workers");
            test.fibers().end_bound();
            assert_eq!(GUARDED.iter().map(|g| g.count.load(SeqCst)).sum::<u64>(), threads * 700);
        }
    }
}

/// Waits for an event, which any worker may see.
unsafe fn wait_for_event(tcb: *mut Tcb, c: &'static Closure, thread: usize) -> u64 {
    c.test.due.lock().unwrap().push(thread);
    // SAFETY: see above.
    unsafe { park(tcb, 1) }
}

/// Waits for `b` events, and ends.
unsafe fn waits(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let left = c.b.load(Relaxed);
        if left == 0 {
            return 1;
        }
        c.b.store(left - 1, Relaxed);
        let me = (*((*tcb).current as *const leat_abi::thread::Thread)).id;
        match random(4) {
            0 => yield_now(tcb),
            _ => wait_for_event(tcb, c, me as usize - 1),
        }
    }
}

/// How many threads a program has, one time after the other. At 0 the main thread waits for `b` events.
const WAVES: [u64; 11] = [0, 1, 0, 30, 2, 0, 1, 80, 0, 3, 1];

/// The main thread waits for long, starts some threads, waits until they have ended, waits again, and so on.
unsafe fn waves(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let step = c.result.load(Relaxed);
        let (wave, left) = (step >> 32, step & 0xffff_ffff);
        let started = c.test.threads.lock().unwrap().len() as u64 - 1;
        fold_at_random(c.test, 64);
        if left > 0 {
            c.result.store(step - 1, Relaxed);
            return wait_for_event(tcb, c, 0);
        }
        if c.test.fibers().stat().ended < started {
            return wait_for_event(tcb, c, 0);
        }
        let Some(&threads) = WAVES.get(wave as usize) else { return leave(tcb, 17) };
        let waits_for = if threads == 0 { c.b.load(Relaxed) } else { 0 };
        c.result.store((wave + 1) << 32 | waits_for, Relaxed);
        for i in 0..threads {
            let code = if i % 3 == 0 { mock::deep() } else { mock::plain() };
            let t = c.test.thread(tcb, code, waits, i % 4, random(12));
            bind_some(tcb, c, t);
            ready(tcb, c.test.at(t));
        }
        0
    }
}

/// A main thread that had waited some hundred times before its program's first spawn filled its worker's list of lanes
/// with its own lane, which went to and fro between the workers. So the worker made no other lane, and looked for one
/// among those of others at a place where none was: a panic, or a crash.
#[test]
fn threads_come_late_and_go_early() {
    for round in 0..rounds() {
        for (workers, lanes, waits, jitter) in [
            (2, 2, 700, 8),
            (2, 3, 200, 8),
            (2, 60, 5000, 0),
            (4, 4, 300, 8),
            (4, 40, 300, 4),
            (64, 3, 300, 8),
            (64, 90, 300, 8),
        ] {
            set_jitter(jitter);
            SEED.store(round * 1_000_037 + workers as u64, Relaxed);
            let test = mock::test(mock::small(workers, lanes), 1 << 40);
            assert_eq!(test.run(mock::plain(), waves, 0, waits), 17, "round {round}, {workers} workers, {lanes} lanes");
            test.fibers().end_bound();
        }
    }
}

fn rounds() -> u64 {
    std::env::var("STORM_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Notes who is here, `b` times, with a yield each time.
unsafe fn noted(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let left = c.b.load(Relaxed);
        if left == 0 {
            return 1;
        }
        c.b.store(left - 1, Relaxed);
        let id = (*((*tcb).current as *const leat_abi::thread::Thread)).id;
        c.test.counter.store(c.test.counter.load(Relaxed).wrapping_mul(31).wrapping_add(id), Relaxed);
        yield_now(tcb)
    }
}

unsafe fn start_noted(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        if c.result.swap(1, Relaxed) == 0 {
            for _ in 0..10 {
                let t = c.test.thread(tcb, mock::plain(), noted, 0, 5);
                ready(tcb, c.test.at(t));
            }
        }
        if c.test.fibers().stat().ended < 10 { yield_now(tcb) } else { leave(tcb, c.test.counter.load(Relaxed)) }
    }
}

#[test]
fn an_order_is_a_function_of_the_seed() {
    let order = |seed| {
        let mut config = mock::small(4, 8);
        config.seed = seed;
        mock::test(config, 1 << 40).run(mock::plain(), start_noted, 0, 0)
    };
    let orders: Vec<u64> = (0..20).map(|seed| order(Some(seed))).collect();
    assert_eq!(orders, (0..20).map(|seed| order(Some(seed))).collect::<Vec<u64>>());
    let different: std::collections::HashSet<&u64> = orders.iter().collect();
    assert!(different.len() > 15);
}
