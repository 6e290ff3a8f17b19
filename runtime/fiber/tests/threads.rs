//! Threads against a mock heap, mock code and a mock host: one worker and two, one lane and many.

mod mock;

use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use leat_abi::tcb::Tcb;
use leat_fiber::{Fibers, handoff, leave, park, ready, switch, yield_now};
use mock::{Closure, Test};

/// SAFETY of every step below: it is called on the C stack by `leat_step_stub`, and returns at once what a switching
/// function returned.
unsafe fn code_of(_: *mut Tcb, c: &Closure, code: u64) -> u64 {
    c.test.counter.fetch_add(code, Relaxed)
}

/// Counts down `a`, yielding each time.
unsafe fn yields(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    let left = c.a.load(Relaxed);
    if left == 0 {
        return 1;
    }
    c.a.store(left - 1, Relaxed);
    // SAFETY: see above.
    unsafe {
        code_of(tcb, c, 1);
        yield_now(tcb)
    }
}

/// Makes `a` threads of `b` yields each, all ready, then yields until they have all ended, and leaves.
unsafe fn crowd(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let total = c.a.load(Relaxed);
        if total != 0 {
            c.a.store(0, Relaxed);
            c.result.store(total, Relaxed);
            for _ in 0..total {
                let t = c.test.thread(tcb, mock::plain(), yields, c.b.load(Relaxed), 0);
                ready(tcb, c.test.at(t));
            }
        }
        if c.test.fibers().stat().ended < c.result.load(Relaxed) {
            return yield_now(tcb);
        }
        leave(tcb, c.test.counter.load(Relaxed))
    }
}

#[test]
fn the_main_thread_runs_and_leaves() {
    unsafe fn step(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        let left = c.a.fetch_sub(1, Relaxed);
        // SAFETY: see above.
        if left == 0 { unsafe { leave(tcb, 42) } } else { 0 }
    }
    let test = mock::test(mock::small(1, 4), 1 << 40);
    assert_eq!(test.run(mock::plain(), step, 10, 0), 42);
    // And another one, on the same lane.
    assert_eq!(test.run(mock::plain(), step, 3, 0), 42);
}

#[test]
fn many_threads_share_few_lanes() {
    for (lanes, collect_every) in [(2, 1 << 40), (3, 1 << 40), (64, 1 << 40), (2, 13), (5, 7)] {
        let test = mock::test(mock::small(1, lanes), collect_every);
        let n = if collect_every < 100 { 100 } else { 1000 };
        assert_eq!(test.run(mock::plain(), crowd, n, 20), n * 20, "{lanes} lanes");
        let stat = test.fibers().stat();
        assert_eq!(stat.started, n + 1);
        if lanes < 10 {
            assert!(stat.evictions > n, "{stat:?}");
        }
        assert!(stat.lanes <= lanes as u64);
        assert_eq!(test.collections.load(Relaxed) > 0, collect_every < 100);
    }
}

#[test]
fn many_threads_on_several_workers() {
    for (workers, lanes, collect_every) in
        [(2, 2, 1 << 40), (2, 3, 1 << 40), (2, 64, 1 << 40), (4, 8, 1 << 40), (2, 4, 29), (8, 32, 101)]
    {
        let test = mock::test(mock::small(workers, lanes), collect_every);
        let n = if collect_every < 1000 { 100 } else { 1000 };
        assert_eq!(test.run(mock::plain(), crowd, n, 20), n * 20, "{workers} workers, {lanes} lanes");
        assert_eq!(test.fibers().stat().ended, n);
    }
}

/// Two threads that hand over to each other `a` times.
unsafe fn ping(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let left = c.a.load(Relaxed);
        c.a.store(left.wrapping_sub(1), Relaxed);
        let partner = c.b.load(Relaxed);
        if left == 0 {
            if partner == 0 {
                // The second ends: the first is blocked.
                ready(tcb, c.test.at(0));
                return 1;
            }
            return leave(tcb, 7);
        }
        handoff(tcb, c.test.at(if partner == 0 { 0 } else { 1 }))
    }
}

#[test]
fn handing_over() {
    for lanes in [2, 8] {
        let test = mock::test(mock::small(1, lanes), 5);
        let main = test.thread(test.tcb(), mock::plain(), ping, 10_000, 1);
        assert_eq!(main, 0);
        test.thread(test.tcb(), mock::plain(), ping, 10_000, 0);
        // SAFETY: a new thread.
        assert_eq!(unsafe { test.fibers().run(test.at(0)) }, 7);
    }
}

/// Parks; woken by `waker` below.
unsafe fn sleeper(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        if c.a.load(Relaxed) == 0 {
            c.test.counter.fetch_add(1, SeqCst);
            return 1;
        }
        c.a.fetch_sub(1, Relaxed);
        park(tcb, 3)
    }
}

/// Starts `a` sleepers of `b` parks with a switch each, then wakes each of them `b` times.
unsafe fn waker(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let total = c.a.load(Relaxed);
        let made = c.result.load(Relaxed);
        if made < total {
            c.result.store(made + 1, Relaxed);
            let t = c.test.thread(tcb, mock::plain(), sleeper, c.b.load(Relaxed), 0);
            return switch(tcb, c.test.at(t));
        }
        if c.test.counter.load(SeqCst) == total {
            return leave(tcb, total);
        }
        for t in 1..=total as usize {
            ready(tcb, c.test.at(t));
        }
        yield_now(tcb)
    }
}

#[test]
fn parking_and_waking() {
    for (workers, lanes, collect_every) in
        [(1, 2, 1 << 40), (1, 30, 17), (2, 2, 1 << 40), (2, 20, 31), (4, 40, 1 << 40)]
    {
        let test = mock::test(mock::small(workers, lanes), collect_every);
        assert_eq!(test.run(mock::plain(), waker, 200, 5), 200, "{workers} workers, {lanes} lanes");
    }
}

/// After this yield no more.
const LAST: u64 = u64::MAX;

/// At the bottom and on the way up: a yield each time.
unsafe fn deep_step(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        // `b` yields at the bottom.
        let left = c.b.load(Relaxed);
        if left == LAST {
            c.b.store(0, Relaxed);
            return 1;
        }
        if left > 0 {
            c.b.store(left - 1, Relaxed);
            return yield_now(tcb);
        }
        if c.test.counter.fetch_add(1, Relaxed).is_multiple_of(3) {
            c.b.store(LAST, Relaxed);
            return yield_now(tcb);
        }
        1
    }
}

unsafe fn deep_main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let depth = c.a.load(Relaxed);
        let n = c.b.load(Relaxed);
        if c.result.load(Relaxed) == 0 {
            c.result.store(1, Relaxed);
            for i in 0..n {
                let code = if i % 2 == 0 { mock::deep() } else { mock::deep_args() };
                let t = c.test.thread(tcb, code, deep_step, depth + i * 13, 3);
                ready(tcb, c.test.at(t));
            }
        }
        if c.test.fibers().stat().ended < n { yield_now(tcb) } else { leave(tcb, 1) }
    }
}

/// 100,000 frames: the pages of what was evicted went back to the system together with the frames that were yet to be.
#[test]
fn deep_stacks_move_in_pieces() {
    for (workers, lanes, collect_every, depth) in [
        (1, 2, 1 << 40, 5),
        (1, 2, 1 << 40, 40),
        (1, 2, 1 << 40, 100_000),
        (1, 2, 1 << 40, 3000),
        (1, 3, 37, 1000),
        (2, 4, 1 << 40, 3000),
        (2, 3, 97, 500),
    ] {
        let test = mock::test(mock::small(workers, lanes), collect_every);
        assert_eq!(test.run(mock::plain(), deep_main, depth, 5), 1);
        for i in 0..5u64 {
            let n = depth + i * 13;
            let thread = test.at(1 + i as usize);
            assert!(mock::state(thread) == mock::DEAD, "{n}");
            // SAFETY: a dead thread's fields are still there.
            let closure = unsafe { &*((*thread.as_ptr()).props as *const Closure) };
            assert_eq!(closure.result.load(Relaxed), n * (n + 1) / 2);
        }
        let stat = test.fibers().stat();
        // Of two workers one may do nearly all, with lanes enough.
        let least = if workers == 1 { 6 } else { 1 };
        assert!(lanes > 3 || stat.evictions >= least, "{stat:?}");
    }
}

#[test]
fn a_switch_under_a_deep_recursion_does_not_follow_its_depth() {
    // Words copied out after the first eviction, for two depths.
    let words = [1_000, 100_000].map(|depth| {
        let test = mock::test(mock::small(1, 2), 1 << 40);
        unsafe fn bottom(tcb: *mut Tcb, c: &'static Closure) -> u64 {
            let left = c.b.load(Relaxed);
            c.b.store(left.saturating_sub(1), Relaxed);
            // SAFETY: see above.
            unsafe {
                if left == 2_000 {
                    c.test.pending.store(false, SeqCst);
                    c.test.trace.store(c.test.allocations.load(Relaxed) as usize, Relaxed);
                }
                if left == 0 {
                    let now = c.test.allocations.load(Relaxed);
                    return leave(tcb, now - c.test.trace.load(Relaxed) as u64);
                }
                yield_now(tcb)
            }
        }
        unsafe fn both(tcb: *mut Tcb, c: &'static Closure) -> u64 {
            // SAFETY: see above.
            unsafe {
                if c.result.load(Relaxed) == 0 {
                    c.result.store(1, Relaxed);
                    let t = c.test.thread(tcb, mock::deep(), bottom, c.a.load(Relaxed), 2_100);
                    ready(tcb, c.test.at(t));
                    let t = c.test.thread(tcb, mock::plain(), yields, 1 << 40, 0);
                    ready(tcb, c.test.at(t));
                }
                park(tcb, 0)
            }
        }
        test.run(mock::plain(), both, depth, 0)
    });
    // One piece each way and no more.
    assert!(words[0] <= 2 * 2_001 && words[1] <= 2 * 2_001, "{words:?}");
}

#[test]
fn nothing_left_to_run_is_a_deadlock() {
    unsafe fn step(tcb: *mut Tcb, _: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe { park(tcb, 9) }
    }
    for workers in [1, 3] {
        let test = mock::test(mock::small(workers, 4), 1 << 40);
        assert_eq!(test.run(mock::plain(), step, 0, 0), leat_fiber::DEADLOCK);
    }
}

fn with_table(test: &'static Test) -> &'static Test {
    leat_fiber::set_tables(test.fibers(), Box::leak(Box::new([mock::table()])));
    test
}

/// Raises at the bottom, by pending_exn.
unsafe fn raise_step(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        if c.b.load(Relaxed) > 0 {
            c.b.fetch_sub(1, Relaxed);
            return yield_now(tcb);
        }
        (*tcb).pending_exn = 0x1230;
        0
    }
}

unsafe fn raise_main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        let n = c.b.load(Relaxed);
        if c.result.load(Relaxed) == 0 {
            c.result.store(1, Relaxed);
            for i in 0..n {
                let code = if i % 2 == 0 { mock::raising() } else { mock::deep() };
                let t = c.test.thread(tcb, code, raise_step, c.a.load(Relaxed), i);
                ready(tcb, c.test.at(t));
            }
        }
        if c.test.fibers().stat().ended < n { yield_now(tcb) } else { leave(tcb, 1) }
    }
}

#[test]
fn handlers_are_found_wherever_the_frames_are() {
    for (lanes, depth, collect_every) in
        [(20, 0, 1 << 40), (20, 50, 1 << 40), (2, 50, 1 << 40), (2, 1_000, 1 << 40), (3, 300, 11)]
    {
        let test = with_table(mock::test(mock::small(1, lanes), collect_every));
        assert_eq!(test.run(mock::plain(), raise_main, depth, 6), 1);
        for i in 0..6 {
            // SAFETY: a dead thread's fields are still there.
            let closure = unsafe { &*((*test.at(1 + i).as_ptr()).props as *const Closure) };
            assert_eq!(closure.result.load(Relaxed), if i % 2 == 0 { 0x1230 } else { 0 });
        }
        // Those without a handler came to `uncaught` with their whole stack: every frame and the first function's.
        assert_eq!(test.uncaught.load(SeqCst), 0x1230);
        assert_eq!(test.trace.load(SeqCst) as u64, (depth + 2).min(1000), "{lanes} lanes, depth {depth}");
    }
}

#[test]
fn a_marker_is_stepped_over_moved_and_forgotten() {
    /// Puts a marker some frames up, in the way of the way back.
    unsafe fn mark(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            if c.b.load(Relaxed) == 0 {
                return 1;
            }
            c.b.store(0, Relaxed);
            let (lane, old) = leat_fiber::marker_of(tcb);
            assert_eq!(old, (0, 0));
            let mut fp = (*tcb).saved_fp;
            for _ in 0..10 {
                fp = *(fp as *const usize);
            }
            let slot = (fp + 8) as *mut usize;
            c.test.fibers().set_marker(lane, (slot as usize, *slot));
            *slot = leat_fiber::stub::marker_address();
            assert_eq!(leat_fiber::backtrace(tcb, 1000).len(), 52);
            yield_now(tcb)
        }
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            if c.result.load(Relaxed) == 0 {
                c.result.store(1, Relaxed);
                for _ in 0..c.b.load(Relaxed) {
                    let t = c.test.thread(tcb, mock::deep(), mark, 50, 1);
                    ready(tcb, c.test.at(t));
                }
            }
            if c.test.fibers().stat().ended < c.b.load(Relaxed) { yield_now(tcb) } else { leave(tcb, 1) }
        }
    }
    // Lanes enough: each marker is hit once. One lane for all: each is removed by an eviction, but the last.
    for (lanes, hits) in [(20, 4..=4), (2, 0..=1)] {
        let test = with_table(mock::test(mock::small(1, lanes), 1 << 40));
        assert_eq!(test.run(mock::plain(), main, 0, 4), 1);
        assert!(hits.contains(&test.counter.load(SeqCst)), "{} hits", test.counter.load(SeqCst));
    }
}

#[test]
fn two_workers_run_at_once() {
    /// Waits for the other in a busy loop with safepoints but without a switch, so ends only when both run.
    unsafe fn meet(_: *mut Tcb, c: &'static Closure) -> u64 {
        if c.b.load(Relaxed) == 0 {
            c.b.store(1, Relaxed);
            c.test.counter.fetch_add(1, SeqCst);
        }
        u64::from(c.test.counter.load(SeqCst) >= 2)
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            if c.result.load(Relaxed) == 0 {
                c.result.store(1, Relaxed);
                for _ in 0..2 {
                    let t = c.test.thread(tcb, mock::plain(), meet, 0, 0);
                    ready(tcb, c.test.at(t));
                }
            }
            if c.test.fibers().stat().ended < 2 { yield_now(tcb) } else { leave(tcb, 1) }
        }
    }
    let test = mock::test(mock::small(2, 8), 1 << 40);
    assert_eq!(test.run(mock::plain(), main, 0, 0), 1);
    let _: Fibers = test.fibers();
}

/// The runtime function of a poll returns nothing of use, and what was in rax then went to the thread that the end of
/// the slice let run: its primitive seemed to have returned garbage.
#[test]
fn a_time_slice_ends_and_the_next_thread_gets_its_own_value() {
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            let round = c.result.fetch_add(1, Relaxed);
            if round == 0 {
                for _ in 0..3 {
                    let t = c.test.thread(tcb, mock::busy(), yields, 0, 0);
                    ready(tcb, c.test.at(t));
                }
            }
            if round == 5 {
                for t in 1..=3 {
                    let closure = (*c.test.at(t).as_ptr()).props as *const Closure;
                    (*closure).b.store(1, SeqCst);
                }
            }
            if c.test.fibers().stat().ended < 3 { yield_now(tcb) } else { leave(tcb, 11) }
        }
    }
    for workers in [1, 2] {
        let mut config = mock::small(workers, 8);
        config.slice = 2_000_000;
        let test = mock::test(config, 1 << 40);
        assert_eq!(test.run(mock::plain(), main, 0, 0), 11);
        assert!(test.fibers().stat().preemptions >= 3);
    }
}

#[test]
fn an_atomic_section_is_not_cut_by_a_time_slice() {
    const MANY_TICKS: std::time::Duration = std::time::Duration::from_millis(100);
    unsafe fn other(_: *mut Tcb, c: &'static Closure) -> u64 {
        c.test.counter.fetch_add(1, SeqCst);
        1
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            match c.result.fetch_add(1, Relaxed) {
                0 => {
                    let t = c.test.thread(tcb, mock::plain(), other, 0, 0);
                    ready(tcb, c.test.at(t));
                    (*tcb).atomic_depth = 1;
                    let start = std::time::Instant::now();
                    // The first request is a tick's, which does not end a slice. Some ticks later one does.
                    while (*tcb).poll.load(SeqCst) == 0 || start.elapsed() < MANY_TICKS {
                        assert!(start.elapsed().as_secs() < 20);
                        std::hint::spin_loop();
                    }
                    0
                }
                // The mock's poll has been here.
                1 => {
                    assert_eq!((c.test.counter.load(SeqCst), (*tcb).poll.load(SeqCst)), (0, 1));
                    (*tcb).atomic_depth = 0;
                    leat_fiber::atomic_end(tcb)
                }
                _ => {
                    // The end of the section was the end of the slice, or a tick after it: a thread that computes is
                    // seen twice before it is spent. The other one may have had one too, before its step.
                    if c.test.fibers().stat().preemptions == 0 {
                        static END: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
                        assert!(END.get_or_init(std::time::Instant::now).elapsed().as_secs() < 20);
                        return 0;
                    }
                    if c.test.counter.load(SeqCst) == 0 {
                        return yield_now(tcb);
                    }
                    leave(tcb, 12)
                }
            }
        }
    }
    let mut config = mock::small(1, 8);
    config.slice = 2_000_000;
    let test = mock::test(config, 1 << 40);
    assert_eq!(test.run(mock::plain(), main, 0, 0), 12);
}
