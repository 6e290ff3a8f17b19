//! The same cases for each means that the platform has.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use super::*;

const MS: Nanos = 1_000_000;

fn each(f: impl Fn(Poller)) {
    for backend in Backend::all() {
        f(Poller::new(backend).unwrap());
    }
}

fn wait(poller: &Poller, timeout: Nanos) -> Vec<Event> {
    let mut events = Vec::new();
    poller.wait(Some(timeout), &mut events).unwrap();
    events
}

#[test]
fn a_time_out_is_never_early_and_not_much_late() {
    each(|poller| {
        for ns in [0, 300_000, 2 * MS, 3 * MS + 1] {
            let begin = Instant::now();
            assert_eq!(wait(&poller, ns), []);
            let took = begin.elapsed().as_nanos() as u64;
            assert!(took >= ns && took < ns + 500 * MS, "{took} instead of {ns}");
        }
    });
}

#[test]
fn a_wake_up_before_or_during_the_wait_ends_it_once() {
    each(|poller| {
        poller.wake();
        poller.wake();
        let begin = Instant::now();
        assert_eq!(wait(&poller, 10_000 * MS), []);
        assert!(begin.elapsed().as_secs() < 5);
        let begin = Instant::now();
        wait(&poller, 20 * MS);
        assert!(begin.elapsed().as_millis() >= 20, "one wake-up ended two waits");
        std::thread::scope(|s| {
            s.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                poller.wake();
            });
            let mut events = Vec::new();
            poller.wait(None, &mut events).unwrap();
        });
    });
}

/// A worker that looked took the wake-up that was meant for the one that waits.
#[test]
fn a_look_leaves_the_wake_up_to_who_waits() {
    each(|poller| {
        poller.wake();
        let mut events = Vec::new();
        poller.look(&mut events).unwrap();
        assert_eq!(events, []);
        let begin = Instant::now();
        assert_eq!(wait(&poller, 10_000 * MS), []);
        assert!(begin.elapsed().as_secs() < 5);
    });
}

#[test]
fn readiness_is_told_once_until_again() {
    each(|poller| {
        let (mut a, mut b) = UnixStream::pair().unwrap();
        poller.register(a.as_raw_fd(), 7, Interest::BOTH).unwrap();
        assert_eq!(wait(&poller, 0), [Event { key: 7, write: true, ..Event::default() }]);
        assert_eq!(wait(&poller, MS), [], "told twice");
        b.write_all(b"x").unwrap();
        let got = wait(&poller, 1000 * MS);
        assert!(got.iter().any(|e| e.read), "{got:?}");
        assert!(!wait(&poller, MS).iter().any(|e| e.read), "told twice");
        a.read_exact(&mut [0]).unwrap();
        poller.again(a.as_raw_fd(), Interest::READ);
        b.write_all(b"y").unwrap();
        assert!(wait(&poller, 1000 * MS).iter().any(|e| e.key == 7 && e.read));
        poller.again(a.as_raw_fd(), Interest::READ);
        a.read_exact(&mut [0]).unwrap();
        drop(b);
        assert!(wait(&poller, 1000 * MS).iter().any(|e| e.read), "the end of the stream is an event");
        poller.unregister(a.as_raw_fd()).unwrap();
        assert_eq!(wait(&poller, MS), []);
        assert!(poller.unregister(a.as_raw_fd()).is_err());
    });
}

#[test]
fn interest_can_change_and_regular_files_are_refused() {
    each(|poller| {
        let (a, mut b) = UnixStream::pair().unwrap();
        poller.register(a.as_raw_fd(), 1, Interest::READ).unwrap();
        assert_eq!(wait(&poller, 0), []);
        poller.unregister(a.as_raw_fd()).unwrap();
        poller.register(a.as_raw_fd(), 2, Interest::WRITE).unwrap();
        assert_eq!(wait(&poller, 0), [Event { key: 2, write: true, ..Event::default() }]);
        b.write_all(b"x").unwrap();
        poller.unregister(a.as_raw_fd()).unwrap();
        poller.register(a.as_raw_fd(), 3, Interest::READ).unwrap();
        assert_eq!(wait(&poller, 0), [Event { key: 3, read: true, ..Event::default() }]);
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        let error = poller.register(file.as_raw_fd(), 4, Interest::READ).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EPERM));
    });
}

#[test]
fn many_descriptors() {
    each(|poller| {
        let pairs: Vec<_> = (0..200).map(|_| UnixStream::pair().unwrap()).collect();
        for (i, (a, _)) in pairs.iter().enumerate() {
            poller.register(a.as_raw_fd(), i as u64, Interest::READ).unwrap();
        }
        for i in (0..200).step_by(3) {
            (&pairs[i].1).write_all(b"x").unwrap();
        }
        let mut keys: Vec<u64> = wait(&poller, 100 * MS).iter().map(|e| e.key).collect();
        keys.sort_unstable();
        assert_eq!(keys, (0..200).step_by(3).collect::<Vec<u64>>());
        for (a, _) in &pairs[..199] {
            poller.unregister(a.as_raw_fd()).unwrap();
        }
        (&pairs[199].1).write_all(b"x").unwrap();
        assert_eq!(wait(&poller, 100 * MS).iter().map(|e| e.key).collect::<Vec<_>>(), [199]);
    });
}

/// With 20,000 descriptors a look of `poll` takes a millisecond, and each worker looks every millisecond: a million
/// messages cost twenty times what they did by epoll. So a look right behind a dear one asks nobody; a wait does.
#[test]
fn poll_looks_seldom_where_a_look_is_dear() {
    let poller = Poller::Poll(Poll::new().unwrap());
    let pairs: Vec<_> = (0..400).map(|_| UnixStream::pair().unwrap()).collect();
    for (i, (a, _)) in pairs.iter().enumerate() {
        poller.register(a.as_raw_fd(), i as u64, Interest::READ).unwrap();
    }
    // Now and then the machine is away for longer than the rest is.
    let rested = (0..100).any(|round| {
        let mut events = Vec::new();
        poller.look(&mut events).unwrap();
        (&pairs[round].1).write_all(b"x").unwrap();
        events.clear();
        poller.look(&mut events).unwrap();
        let rested = events.is_empty();
        events.extend(wait(&poller, 1000 * MS));
        assert!(events.iter().any(|e| e.key == round as u64 && e.read), "lost");
        rested
    });
    assert!(rested, "each look asks");
}

/// kqueue refuses to tell of a pipe that nobody reads any more, and would tell nobody who asks later.
#[test]
fn a_pipe_without_reader_is_ready_for_writing() {
    each(|poller| {
        let mut ends = [0; 2];
        // SAFETY: room for two.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: ours.
        unsafe { libc::close(ends[0]) };
        poller.register(ends[1], 5, Interest::BOTH).unwrap();
        assert!(wait(&poller, 1000 * MS).iter().any(|e| e.key == 5 && e.write));
        poller.unregister(ends[1]).unwrap();
        assert_eq!(wait(&poller, MS), []);
        poller.register(ends[1], 6, Interest::WRITE).unwrap();
        assert!(wait(&poller, 1000 * MS).iter().any(|e| e.key == 6 && e.write));
        poller.unregister(ends[1]).unwrap();
        // SAFETY: ours.
        unsafe { libc::close(ends[1]) };
    });
}
