//! Bound threads against a mock heap, mock code and a mock host: each stays on an OS thread of its own, where nobody
//! else runs, whatever it does and whoever its worker is; and that OS thread ends with it.
#![cfg(target_os = "linux")]

mod mock;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::{Duration, Instant};

use leat_abi::tcb::Tcb;
use leat_fiber::{bind, exit, handoff, is_bound, kill, leave, park, ready, stop_world, switch, yield_now};
use mock::{Closure, Test};

/// OS threads on which unbound threads have run, by the address of their test.
static OTHERS: Mutex<BTreeSet<(usize, u64)>> = Mutex::new(BTreeSet::new());

fn os_thread() -> u64 {
    // SAFETY: a plain system call.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

fn others(test: &'static Test) -> BTreeSet<u64> {
    let key = std::ptr::from_ref(test) as usize;
    OTHERS.lock().unwrap().iter().filter(|(test, _)| *test == key).map(|(_, id)| *id).collect()
}

fn closure(test: &'static Test, thread: usize) -> &'static Closure {
    // SAFETY: a thread's fields are there as long as the process.
    unsafe { &*((*test.at(thread).as_ptr()).props as *const Closure) }
}

/// Whether the OS thread is gone, or soon is.
fn has_ended(id: u64) -> bool {
    let begin = Instant::now();
    let task = format!("/proc/self/task/{id}");
    while std::path::Path::new(&task).exists() {
        if begin.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// SAFETY of every step below: it is called on the C stack by `leat_step_stub`, and returns at once what a switching
/// function returned.
///
/// Notes on which OS thread it is; a bound one must always be on the same.
unsafe fn note(tcb: *mut Tcb, c: &'static Closure) {
    let now = os_thread();
    // SAFETY: the running thread.
    if unsafe { is_bound(leat_fiber::Ref::of((*tcb).current)) } {
        let first = c.result.swap(now, Relaxed);
        assert!(first == 0 || first == now, "it was on {first}, and is on {now}");
    } else {
        OTHERS.lock().unwrap().insert((std::ptr::from_ref(c.test) as usize, now));
    }
}

/// `a` more turns, then its end: by its return, or by `exit` if `b` is odd.
unsafe fn turns(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        note(tcb, c);
        let left = c.a.load(Relaxed);
        if left == 0 {
            c.test.counter.fetch_add(1, SeqCst);
            return if c.b.load(Relaxed) & 1 == 1 { exit(tcb) } else { 1 };
        }
        c.a.store(left - 1, Relaxed);
        match left % 3 {
            0 => yield_now(tcb),
            // The main thread wakes all now and then.
            1 => park(tcb, 3),
            _ => {
                // One of the others, of either kind: it may be running, ready, blocked or dead.
                let count = c.test.threads.lock().unwrap().len();
                let other = 1 + (left as usize * 7 + c.b.load(Relaxed) as usize) % (count - 1);
                let other = c.test.at(other);
                if left & 1 == 0 { switch(tcb, other) } else { handoff(tcb, other) }
            }
        }
    }
}

/// Makes `a` threads of `b` turns, two of three bound, and wakes them until all have ended.
unsafe fn crowd(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        note(tcb, c);
        let total = c.a.load(Relaxed);
        if c.result.swap(1, Relaxed) == 0 {
            for i in 0..total {
                let t = c.test.thread(tcb, mock::plain(), turns, c.b.load(Relaxed), i);
                if i % 3 != 0 {
                    assert_eq!(bind(tcb, c.test.at(t)), Ok(()));
                }
            }
        }
        if c.test.fibers().stat().ended == total {
            return leave(tcb, c.test.counter.load(SeqCst));
        }
        for t in 1..=total as usize {
            ready(tcb, c.test.at(t));
        }
        yield_now(tcb)
    }
}

#[test]
fn each_stays_on_its_own() {
    for (workers, lanes, collect_every) in
        [(1, 64, 1 << 40), (1, 2, 1 << 40), (1, 3, 7), (2, 64, 1 << 40), (2, 4, 31), (4, 16, 1 << 40)]
    {
        let test = mock::test(mock::small(workers, lanes), collect_every);
        let n = 60;
        assert_eq!(test.run(mock::plain(), crowd, n, 30), n, "{workers} workers, {lanes} lanes");
        let own: BTreeSet<u64> =
            (0..n).filter(|i| i % 3 != 0).map(|i| closure(test, i as usize + 1).result.load(Relaxed)).collect();
        assert_eq!(own.len(), 40, "each has one of its own");
        assert!(own.is_disjoint(&others(test)), "nobody else runs there");
        test.fibers().end_bound();
        assert!(own.into_iter().all(has_ended));
    }
}

/// The seed draws who runs next.
#[test]
fn by_chance() {
    for seed in 1..20 {
        let test = mock::test(leat_fiber::Config { seed: Some(seed), ..mock::small(1, 8) }, 1 << 40);
        assert_eq!(test.run(mock::plain(), crowd, 12, 9), 12, "seed {seed}");
        test.fibers().end_bound();
    }
}

/// Waits for ever.
unsafe fn waits(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        note(tcb, c);
        park(tcb, 3)
    }
}

/// Threads 1 and 2 wait, bound; 1 is killed, 2 is garbage, and 3, which is bound too, is never started.
unsafe fn ends(tcb: *mut Tcb, c: &'static Closure) -> u64 {
    // SAFETY: see above.
    unsafe {
        note(tcb, c);
        match c.result.fetch_add(1, Relaxed) {
            0 => {
                for t in [1, 2, 3] {
                    assert_eq!(c.test.thread(tcb, mock::plain(), waits, 0, 0), t);
                    assert_eq!(bind(tcb, c.test.at(t)), Ok(()));
                    assert_eq!(bind(tcb, c.test.at(t)), Err(libc::EINVAL), "it has one");
                }
                ready(tcb, c.test.at(1));
                switch(tcb, c.test.at(2))
            }
            1 => yield_now(tcb),
            2 => {
                let ids = [1, 2].map(|t| closure(c.test, t).result.load(Relaxed));
                assert!(kill(tcb, c.test.at(1)));
                assert!(has_ended(ids[0]));
                let dead = [2, 3].map(|t| c.test.at(t));
                stop_world(tcb, |_| {
                    c.test.fibers().bound_threads(|thread| (!dead.contains(&thread)).then_some(thread))
                });
                assert!(has_ended(ids[1]));
                leave(tcb, 5)
            }
            _ => unreachable!(),
        }
    }
}

#[test]
fn an_os_thread_ends_with_its_thread() {
    let test = mock::test(mock::small(1, 8), 1 << 40);
    assert_eq!(test.run(mock::plain(), ends, 0, 0), 5);
    // Comes back, since none is left.
    test.fibers().end_bound();
}

/// A bound thread ends the program while others wait, are ready, or have not begun; and the next run has a worker at
/// home.
#[test]
fn the_program_ends_on_any() {
    unsafe fn last(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            note(tcb, c);
            leave(tcb, 6)
        }
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            note(tcb, c);
            if c.result.swap(1, Relaxed) == 0 {
                let last = c.test.thread(tcb, mock::plain(), last, 0, 0);
                let waiting = c.test.thread(tcb, mock::plain(), waits, 0, 0);
                let unstarted = c.test.thread(tcb, mock::plain(), waits, 0, 0);
                for t in [last, waiting, unstarted] {
                    assert_eq!(bind(tcb, c.test.at(t)), Ok(()));
                }
                ready(tcb, c.test.at(waiting));
                ready(tcb, c.test.at(last));
            }
            yield_now(tcb)
        }
    }
    for workers in [1, 3] {
        let test = mock::test(mock::small(workers, 8), 1 << 40);
        assert_eq!(test.run(mock::plain(), main, 0, 0), 6);
        test.fibers().end_bound();
        if workers == 1 {
            assert_eq!(others(test), BTreeSet::from([os_thread()]));
        }
    }
}

/// All wait, the last one being bound: the worker finds that on that one's OS thread, and leaves on its own.
#[test]
fn a_deadlock() {
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: see above.
        unsafe {
            let t = c.test.thread(tcb, mock::plain(), waits, 0, 0);
            assert_eq!(bind(tcb, c.test.at(t)), Ok(()));
            handoff(tcb, c.test.at(t))
        }
    }
    for workers in [1, 3] {
        let test = mock::test(mock::small(workers, 4), 1 << 40);
        assert_eq!(test.run(mock::plain(), main, 0, 0), leat_fiber::DEADLOCK);
        test.fibers().end_bound();
    }
}
