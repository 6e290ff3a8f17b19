//! The manager over each means that the platform has: nothing is lost, nothing is left.

use super::*;

pub(super) struct Pipe {
    pub(super) from: i32,
    pub(super) to: i32,
}

impl Pipe {
    pub(super) fn new() -> Pipe {
        let mut ends = [0; 2];
        // SAFETY: room for two.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        Pipe { from: ends[0], to: ends[1] }
    }

    /// Closes the end for writing, once: by the time of the drop its number may be that of another test's descriptor.
    pub(super) fn close_to(&mut self) {
        // SAFETY: ours, and nobody's from here on.
        unsafe { libc::close(std::mem::replace(&mut self.to, -1)) };
    }

    pub(super) fn put(&self, manager: &Manager, bytes: &[u8]) -> isize {
        manager.attempt(self.to, Direction::Write, bytes.len(), |kind, _| {
            // SAFETY: live bytes.
            unsafe { kind::write(kind, self.to, bytes.as_ptr(), bytes.len()) }
        })
    }

    pub(super) fn get(&self, manager: &Manager, most: usize) -> isize {
        let mut bytes = vec![0u8; most];
        manager.attempt(self.from, Direction::Read, most, |kind, fetched| {
            // SAFETY: the buffer is as large as said.
            unsafe { kind::read(kind, fetched, self.from, bytes.as_mut_ptr(), most) }
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // SAFETY: ours, and open, or -1.
        unsafe {
            libc::close(self.from);
            libc::close(self.to);
        }
    }
}

pub(super) const AGAIN: isize = -(libc::EAGAIN as isize);

pub(super) fn each(f: impl Fn(Manager)) {
    for backend in Backend::all() {
        f(Manager::new(backend));
    }
}

pub(super) fn next(manager: &Manager) -> Vec<(u64, Option<Outcome>)> {
    manager.wait(Some(50_000_000));
    let mut woken = Vec::new();
    manager.dispatch(|token, outcome| {
        woken.push((token, outcome));
        true
    });
    woken
}

pub(super) fn waiting(wait: Result<Wait, i32>) -> WaitId {
    match wait {
        Ok(Wait::Waiting(id)) => id,
        other => panic!("{other:?}"),
    }
}

/// A worker that began to wait carried off what another had just looked up, and held it while it waited.
#[test]
fn what_one_worker_has_looked_up_is_not_held_by_one_that_waits() {
    each(|manager| {
        let pipe = Pipe::new();
        assert_eq!(pipe.get(&manager, 1), AGAIN);
        waiting(manager.begin(pipe.from, Direction::Read, 7, false));
        assert_eq!(pipe.put(&manager, b"x"), 1);
        manager.look();
        std::thread::scope(|s| {
            s.spawn(|| manager.wait(Some(10_000_000_000)));
            std::thread::sleep(std::time::Duration::from_millis(5));
            let mut woken = Vec::new();
            manager.dispatch(|token, _| {
                woken.push(token);
                true
            });
            manager.wake();
            assert_eq!(woken, [7]);
        });
    });
}

#[test]
fn several_wait_for_one_descriptor_and_all_are_woken_in_order() {
    each(|manager| {
        let pipe = Pipe::new();
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        for token in 1..=3 {
            waiting(manager.begin(pipe.from, Direction::Read, token, false));
        }
        assert_eq!(next(&manager), []);
        assert_eq!(pipe.put(&manager, b"ab"), 2);
        let ready = Some(Outcome::Ready);
        assert_eq!(next(&manager), [(1, ready), (2, ready), (3, ready)]);
        assert_eq!(pipe.get(&manager, 8), 2);
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        assert_eq!(manager.counts().1, 0);
        assert!(!manager.is_watched());
    });
}

/// An event that came between "would block" and the wait keeps the waiter from waiting.
#[test]
fn an_event_before_the_wait_is_not_lost() {
    each(|manager| {
        let pipe = Pipe::new();
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        pipe.put(&manager, b"x");
        assert_eq!(next(&manager).len(), 1);
        assert_eq!(manager.begin(pipe.from, Direction::Read, 2, false), Ok(Wait::Ready));
        // The same while a call is under way: what it met was before the event.
        assert_eq!(pipe.get(&manager, 1), 1);
        let got = manager.attempt(pipe.from, Direction::Read, 1, |_, _| {
            pipe.put(&manager, b"y");
            next(&manager);
            AGAIN
        });
        assert_eq!(got, AGAIN);
        match manager.begin(pipe.from, Direction::Read, 4, false) {
            Ok(Wait::Ready) => {}
            // `poll` was not asked again, so there was no event yet.
            wait => {
                waiting(wait);
                assert_eq!(next(&manager).len(), 1);
            }
        }
        assert_eq!(pipe.get(&manager, 8), 1);
    });
}

/// Asked anyway, the system said yes, and a read right after it no, by what was remembered: whoever did both span for
/// ever.
#[test]
fn what_the_system_says_is_remembered() {
    each(|manager| {
        let pipe = Pipe::new();
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        pipe.put(&manager, b"x");
        assert_eq!(pipe.get(&manager, 8), AGAIN, "no event was taken yet");
        assert_eq!(manager.attempt_anyway(pipe.from, Direction::Read, 0, |_, _| 1), 1);
        assert_eq!(pipe.get(&manager, 8), 1);
    });
}

/// Between the system's yes and its being remembered another worker took all, and met "would block". What was
/// remembered then was that something is there: a wait came back at once, and the read behind it waited without its
/// limit.
#[test]
fn what_has_been_taken_meanwhile_is_not_remembered_as_there() {
    each(|manager| {
        let pipe = Pipe::new();
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        pipe.put(&manager, b"x");
        assert_eq!(manager.attempt_anyway(pipe.from, Direction::Read, 0, |_, _| 1), 1);
        let taken = manager.attempt_anyway(pipe.from, Direction::Read, 0, |_, _| {
            assert_eq!(pipe.get(&manager, 8), 1);
            assert_eq!(pipe.get(&manager, 8), AGAIN);
            1
        });
        assert_eq!(taken, 1);
        waiting(manager.begin(pipe.from, Direction::Read, 2, false));
        // The same where another yes came first.
        pipe.put(&manager, b"x");
        let taken = manager.attempt_anyway(pipe.from, Direction::Read, 0, |_, _| {
            assert_eq!(manager.attempt_anyway(pipe.from, Direction::Read, 0, |_, _| 1), 1);
            assert_eq!(pipe.get(&manager, 8), 1);
            assert_eq!(pipe.get(&manager, 8), AGAIN);
            1
        });
        assert_eq!(taken, 1);
        waiting(manager.begin(pipe.from, Direction::Read, 3, false));
    });
}

/// A non-blocking descriptor's calls take a shorter way. There an `accept` that took one of two connections would have
/// waited for an event before it took the other: its answer is no count of bytes.
#[test]
fn who_takes_one_of_several_takes_the_next_without_an_event() {
    each(|manager| {
        let pipe = Pipe::new();
        // SAFETY: changes the flags of a descriptor that is ours.
        unsafe { libc::fcntl(pipe.from, libc::F_SETFL, libc::O_NONBLOCK) };
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        assert_eq!(manager.kind(pipe.from), FdKind::Own);
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        pipe.put(&manager, b"abcdefghijkl");
        assert_eq!(next(&manager).len(), 1);
        let take = |full, answer| manager.attempt(pipe.from, Direction::Read, full, |_, _| answer);
        assert_eq!(
            [take(0, 5), take(0, 6), take(0, -(libc::ECONNABORTED as isize))],
            [5, 6, -(libc::ECONNABORTED as isize)]
        );
        // As much as there was room for: more may be there. Less: nothing is.
        assert_eq!([pipe.get(&manager, 4), pipe.get(&manager, 4), pipe.get(&manager, 8)], [4, 4, 4]);
        assert_eq!(take(8, 1), AGAIN);
    });
}

#[test]
fn who_gives_up_leaves_nothing_and_numbers_are_not_used_twice() {
    each(|manager| {
        let pipe = Pipe::new();
        let ids: Vec<WaitId> =
            (1..=5).map(|token| waiting(manager.begin(pipe.from, Direction::Read, token, true))).collect();
        assert_eq!(manager.end(ids[2]), Outcome::Waiting);
        assert_eq!(manager.end(ids[0]), Outcome::Waiting);
        assert_eq!(manager.end(ids[4]), Outcome::Waiting);
        let again = waiting(manager.begin(pipe.from, Direction::Read, 9, true));
        assert!(!ids.contains(&again));
        pipe.put(&manager, b"x");
        assert_eq!(next(&manager), [(2, None), (4, None), (9, None)]);
        assert_eq!(manager.outcome(ids[1]), Outcome::Ready);
        for id in [ids[1], ids[3], again] {
            assert_eq!(manager.end(id), Outcome::Ready);
        }
        assert_eq!(manager.counts().1, 0);
    });
}

#[test]
fn closing_wakes_and_a_number_used_again_is_another_descriptor() {
    each(|manager| {
        let (pipe, other) = (Pipe::new(), Pipe::new());
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        pipe.put(&manager, b"old");
        let mut woken = Vec::new();
        let wake = |token, outcome| {
            woken.push((token, outcome));
            true
        };
        // SAFETY: both ours. The number gets another description at once: other tests open descriptors too.
        manager.close(pipe.from, wake, || unsafe { libc::dup2(other.from, pipe.from) });
        assert_eq!(woken, [(1, Some(Outcome::Closed))]);
        waiting(manager.begin(pipe.from, Direction::Read, 2, false));
        assert_eq!(next(&manager), [], "an event of the old one");
        other.put(&manager, b"new");
        assert_eq!(next(&manager).len(), 1);
        assert_eq!(manager.begin(-1, Direction::Read, 1, false), Err(libc::EBADF));
    });
}

#[test]
fn the_end_is_told_again_and_again() {
    each(|manager| {
        let mut pipe = Pipe::new();
        waiting(manager.begin(pipe.from, Direction::Read, 1, false));
        pipe.put(&manager, b"abc");
        pipe.close_to();
        assert_eq!(next(&manager).len(), 1);
        assert_eq!(pipe.get(&manager, 8), 3, "less than there was room for, and yet no event follows");
        for _ in 0..3 {
            if pipe.get(&manager, 8) == AGAIN {
                waiting(manager.begin(pipe.from, Direction::Read, 2, false));
                assert_eq!(next(&manager).len(), 1);
            }
            assert_eq!(pipe.get(&manager, 8), 0);
        }
    });
}

#[test]
fn a_full_pipe_blocks_until_somebody_reads() {
    each(|manager| {
        let pipe = Pipe::new();
        let chunk = vec![b'x'; 10_000];
        let mut sent = 0;
        loop {
            match pipe.put(&manager, &chunk) {
                AGAIN => break,
                n => sent += n,
            }
        }
        assert!(sent >= 4096, "{sent}");
        waiting(manager.begin(pipe.to, Direction::Write, 7, false));
        assert_eq!(next(&manager), []);
        while sent > 0 {
            sent -= pipe.get(&manager, 100_000);
        }
        assert_eq!(next(&manager), [(7, Some(Outcome::Ready))]);
        assert!(pipe.put(&manager, b"y") == 1);
    });
}

/// What was found out about a descriptor that nobody ever waited for was taken for true of the next one of its number.
#[test]
fn closing_forgets_the_kind() {
    each(|manager| {
        let pipe = Pipe::new();
        let kind = manager.kind(pipe.from);
        assert!(matches!(kind, FdKind::Own | FdKind::Shared), "{kind:?}");
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        use std::os::fd::AsRawFd;
        // SAFETY: both ours.
        manager.close(pipe.from, |_, _| true, || unsafe { libc::dup2(file.as_raw_fd(), pipe.from) });
        assert_eq!(manager.kind(pipe.from), FdKind::File);
    });
}

#[test]
fn files_and_devices_are_no_business_of_the_poller() {
    each(|manager| {
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        let null = std::fs::File::open("/dev/null").unwrap();
        use std::os::fd::AsRawFd;
        assert_eq!(manager.kind(file.as_raw_fd()), FdKind::File);
        let mut bytes = [0u8; 4];
        let got = manager.attempt(file.as_raw_fd(), Direction::Read, 4, |kind, fetched| {
            // SAFETY: room for four.
            unsafe { kind::read(kind, fetched, file.as_raw_fd(), bytes.as_mut_ptr(), 4) }
        });
        assert!(got == 4 || got == AGAIN);
        assert_eq!(manager.begin(file.as_raw_fd(), Direction::Read, 1, false), Ok(Wait::File));
        let wait = manager.begin(null.as_raw_fd(), Direction::Read, 1, false);
        assert!(matches!(wait, Ok(Wait::Ready | Wait::Waiting(_))), "{wait:?}");
    });
}

/// Another worker decides about a waiter at this moment: it is asked again, and is a root meanwhile.
#[test]
fn a_refused_token_comes_again() {
    let manager = Manager::new(Backend::Native);
    let pipe = Pipe::new();
    waiting(manager.begin(pipe.from, Direction::Read, 16, false));
    pipe.put(&manager, b"x");
    manager.wait(Some(50_000_000));
    manager.dispatch(|_, _| false);
    let mut tokens = 0;
    manager.tokens(true, &mut |_| tokens += 1);
    assert_eq!(tokens, 1);
    // As each worker does that has nothing to run. The token was forgotten then, until another descriptor had an event.
    manager.wait(Some(1_000_000));
    manager.look();
    let mut woken = Vec::new();
    manager.dispatch(|token, _| {
        woken.push(token);
        true
    });
    assert_eq!(woken, [16]);
    manager.dispatch(|_, _| panic!("once only"));
}

/// What the collector sees: all tokens, or those of waiters since the last collection, and none of those woken.
#[test]
fn tokens_are_split_by_age() {
    let manager = Manager::new(Backend::Native);
    let pipe = Pipe::new();
    let tokens = |young| {
        let mut seen = Vec::new();
        // SAFETY: the slots live during the visit.
        manager.tokens(young, &mut |slot| seen.push(unsafe { *slot }));
        seen
    };
    let first = waiting(manager.begin(pipe.from, Direction::Read, 16, true));
    waiting(manager.begin(pipe.from, Direction::Read, 24, false));
    assert_eq!(tokens(true), [16, 24]);
    manager.after_collection();
    waiting(manager.begin(pipe.from, Direction::Read, 32, false));
    assert_eq!(tokens(true), [32]);
    assert_eq!(tokens(false), [16, 24, 32]);
    manager.end(first);
    assert_eq!(tokens(false), [24, 32]);
    pipe.put(&manager, b"x");
    next(&manager);
    assert_eq!(tokens(false), []);
    for _ in 0..5_000 {
        let again = Pipe::new();
        manager.end(waiting(manager.begin(again.from, Direction::Read, 40, true)));
        manager.close(again.from, |_, _| true, || ());
    }
    assert!(manager.lock().young.len() <= 1100 && manager.counts().1 == 0);
}

fn flags(fd: i32) -> (bool, bool) {
    // SAFETY: plain system calls.
    let (file, descriptor) = unsafe { (libc::fcntl(fd, libc::F_GETFL), libc::fcntl(fd, libc::F_GETFD)) };
    (file & libc::O_NONBLOCK != 0, descriptor & libc::FD_CLOEXEC != 0)
}

#[test]
fn a_pipe_is_private_until_it_is_lent() {
    each(|manager| {
        let pipes = [(); 2].map(|()| manager.pipe(false).map(|[from, to]| Pipe { from, to }).unwrap());
        let [other, to] = manager.pipe(false).unwrap();
        let all = || pipes.iter().flat_map(|p| [p.from, p.to]).chain([other, to]);
        assert!(all().all(|fd| flags(fd) == (true, true) && manager.is_private(fd) && manager.kind(fd) == FdKind::Own));
        // Not while others would have them.
        assert!(!manager.around_fork(|| panic!("there are private pipes")).unwrap());
        let [a, b] = &pipes;
        assert_eq!((a.put(&manager, b"x"), a.get(&manager, 9), a.get(&manager, 9)), (1, 1, AGAIN));
        manager.lend(&[a.from, b.to, b.to, -1, 1 << 30]);
        let lent = |fd| flags(fd) == (false, true) && !manager.is_private(fd) && manager.kind(fd) == FdKind::Shared;
        assert!(lent(a.from) && lent(b.to) && all().filter(|&fd| manager.is_private(fd)).count() == 4);
        // It does not wait all the same; a waiter that came before is told.
        assert_eq!(a.get(&manager, 9), AGAIN);
        let id = waiting(manager.begin(b.from, Direction::Read, 7, false));
        // SAFETY: ours, and closed once.
        let close = |fd| manager.close(fd, |_, _| true, || unsafe { libc::close(fd) });
        close(other);
        manager.lend_all();
        assert!(lent(a.to) && lent(b.from) && lent(to) && !manager.is_private(other));
        close(to);
        assert_eq!(b.put(&manager, b"y"), 1);
        let woken = std::iter::repeat_with(|| next(&manager)).find(|woken| !woken.is_empty()).unwrap();
        assert_eq!((woken, manager.end(id)), (vec![(7, Some(Outcome::Ready))], Outcome::Ready));
        assert_eq!((b.get(&manager, 9), b.get(&manager, 9)), (1, AGAIN));
        // One that is to be inherited is closed by `exec` until then.
        let [from, to] = manager.pipe(true).unwrap();
        assert_eq!((flags(from), flags(to)), ((true, true), (true, true)));
        manager.lend(&[from]);
        assert_eq!((flags(from), flags(to)), ((false, false), (true, true)));
        close(from);
        close(to);
        // What is no private pipe stays as it is.
        let plain = Pipe::new();
        manager.lend(&[plain.from]);
        assert_eq!((flags(plain.from), manager.kind(plain.from)), ((false, false), FdKind::Shared));
        let mut forked = false;
        let is_done = manager.around_fork(|| {
            forked = true;
            false
        });
        assert!(is_done.unwrap() && forked);
        // The next one is private again, and may have the number of one that was.
        let [from, to] = manager.pipe(false).unwrap();
        assert!(manager.is_private(from) && manager.is_private(to));
        close(from);
        assert!(!manager.around_fork(|| panic!("its other end is one")).unwrap());
        close(to);
        assert!(manager.around_fork(|| false).unwrap());
    });
}

/// The child of a fork has descriptors of its own for its poller, which were made before the fork: at the limit of
/// descriptors the child went on with its parent's, and took its events.
#[test]
fn a_child_takes_over_what_was_made_before_the_fork() {
    each(|manager| {
        let (pipe, other) = (Pipe::new(), Pipe::new());
        let first = waiting(manager.begin(pipe.from, Direction::Read, 16, false));
        // As the child sees it.
        assert!(manager.around_fork(|| true).unwrap());
        let second = waiting(manager.begin(other.from, Direction::Read, 24, false));
        assert_ne!(first, second);
        let mut woken = Vec::new();
        for (pipe, token) in [(&pipe, 16), (&other, 24)] {
            pipe.put(&manager, b"x");
            while woken.last() != Some(&token) {
                woken.extend(next(&manager).into_iter().map(|(token, _)| token));
            }
        }
        assert_eq!(woken, [16, 24]);
        manager.wake();
        manager.wait(None);
    });
}

/// A function of C closes all descriptors, and the numbers become other files': the program ended with an internal
/// error, or its wake-ups were written into a file.
#[cfg(target_os = "linux")]
#[test]
fn a_poller_whose_descriptors_were_closed_gets_new_ones() {
    let manager = Manager::new(Backend::Native);
    let (pipe, other) = (Pipe::new(), Pipe::new());
    waiting(manager.begin(pipe.from, Direction::Read, 16, false));
    let Poller::Native(epoll) = manager.poller() else { panic!("it is the native one") };
    let before = epoll.fds();
    assert!(before.into_iter().all(crate::own::is_own));
    for fd in before {
        // SAFETY: a pipe lies at the numbers now, so that no other test gets them.
        assert_eq!(unsafe { libc::dup2(other.to, fd) }, fd);
    }
    pipe.put(&manager, b"x");
    let woken = std::iter::repeat_with(|| next(&manager)).find(|woken| !woken.is_empty()).unwrap();
    assert_eq!(woken, [(16, Some(Outcome::Ready))]);
    manager.wake();
    manager.wait(None);
    assert!(epoll.fds().iter().all(|fd| !before.contains(fd)) && !before.into_iter().any(crate::own::is_own));
    // Nothing was written to what lies there.
    assert_eq!(other.get(&manager, 8), AGAIN);
    for fd in before {
        // SAFETY: the copies of above.
        unsafe { libc::close(fd) };
    }
}

/// While looks find much, those by the way are fewer and fewer; the others are made. When they find little, there are
/// more.
#[test]
fn looks_that_find_much_are_put_off() {
    // `poll` rests by itself.
    let manager = Manager::new(Backend::Native);
    let pipes: Vec<Pipe> = (0..MUCH).map(|_| Pipe::new()).collect();
    for (token, pipe) in pipes.iter().enumerate() {
        waiting(manager.begin(pipe.from, Direction::Read, token as u64 + 1, false));
    }
    let mut told = 0;
    // An event for each of so many, and what the look tells.
    let mut look = |busy: usize, by_the_way: bool| {
        for (token, pipe) in pipes.iter().enumerate().take(busy) {
            let _ = manager.begin(pipe.from, Direction::Read, token as u64 + 1, false);
            assert_eq!(pipe.put(&manager, b"x"), 1);
        }
        let made = if by_the_way {
            manager.look_by_the_way()
        } else {
            manager.look();
            true
        };
        let before = told;
        manager.dispatch(|_, _| {
            told += 1;
            true
        });
        pipes.iter().take(busy).for_each(|pipe| assert!(!made || pipe.get(&manager, 4096) > 0));
        assert_eq!(told > before, made && busy > 0);
        made
    };
    let until_next = |busy, look: &mut dyn FnMut(usize, bool) -> bool| (1..).find(|_| look(busy, true)).unwrap();
    let gaps: Vec<i32> = (0..9).map(|_| until_next(MUCH, &mut look)).collect();
    assert_eq!(gaps, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
    assert!(look(MUCH, false) && !look(MUCH, true), "a look at a tick is made, and puts no other forward");
    // The first of them finds what that one has left out.
    let gaps: Vec<i32> = (0..9).map(|_| until_next(1, &mut look)).collect();
    assert_eq!(gaps, [63, 64, 32, 16, 8, 4, 2, 1, 1]);
}
