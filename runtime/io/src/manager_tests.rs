//! The manager over each means that the platform has: nothing is lost, nothing is left.

use super::listen::{MANY, REFUSALS};
use super::*;

struct Pipe {
    from: i32,
    to: i32,
}

impl Pipe {
    fn new() -> Pipe {
        let mut ends = [0; 2];
        // SAFETY: room for two.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        Pipe { from: ends[0], to: ends[1] }
    }

    /// Closes the end for writing, once: by the time of the drop its number may be that of another test's descriptor.
    fn close_to(&mut self) {
        // SAFETY: ours, and nobody's from here on.
        unsafe { libc::close(std::mem::replace(&mut self.to, -1)) };
    }

    fn put(&self, manager: &Manager, bytes: &[u8]) -> isize {
        manager.attempt(self.to, Direction::Write, bytes.len(), |kind, _| {
            // SAFETY: live bytes.
            unsafe { kind::write(kind, self.to, bytes.as_ptr(), bytes.len()) }
        })
    }

    fn get(&self, manager: &Manager, most: usize) -> isize {
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

const AGAIN: isize = -(libc::EAGAIN as isize);

fn each(f: impl Fn(Manager)) {
    for backend in Backend::all() {
        f(Manager::new(backend));
    }
}

fn next(manager: &Manager) -> Vec<(u64, Option<Outcome>)> {
    manager.wait(Some(50_000_000));
    let mut woken = Vec::new();
    manager.dispatch(|token, outcome| {
        woken.push((token, outcome));
        true
    });
    woken
}

fn waiting(wait: Result<Wait, i32>) -> WaitId {
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

/// What callbacks are told, at most so many, by their thread, whose token is 5.
fn take(manager: &Manager, most: usize) -> Vec<(i32, u8)> {
    let mut told = Vec::new();
    manager.take_due(most, 5, |_, _| true, |what| told.push(((what >> 2) as i32, what as u8 & 3)));
    told
}

/// Likewise of new descriptors, which some means must be waited for.
fn first(manager: &Manager, most: usize) -> Vec<(i32, u8)> {
    let told = take(manager, most);
    if !told.is_empty() {
        return told;
    }
    assert_eq!(next(manager), [(5, None)]);
    take(manager, most)
}

fn read(pipe: &Pipe) -> (i32, u8) {
    (pipe.from, 1)
}

fn listen(manager: &Manager, pipe: &Pipe) {
    manager.listen(pipe.from, Some(Interest::READ), |_| panic!("nobody waits, or nothing is ready")).unwrap();
}

fn no_more(manager: &Manager, pipe: &Pipe) {
    manager.listen(pipe.from, None, |_| panic!()).unwrap();
}

#[test]
fn callbacks_are_told_as_long_as_it_is_so_and_beside_waiters() {
    each(|manager| {
        let pipe = Pipe::new();
        listen(&manager, &pipe);
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"ab");
        assert_eq!(next(&manager), [(5, None)], "who asked in vain is woken");
        for _ in 0..3 {
            assert_eq!(take(&manager, 10), [read(&pipe)], "it was not read");
            assert_eq!(next(&manager), [], "their thread runs");
        }
        assert_eq!(pipe.get(&manager, 1), 1);
        assert_eq!(take(&manager, 10), [read(&pipe)], "there is another byte");
        assert_eq!(pipe.get(&manager, 1), 1);
        assert_eq!(take(&manager, 10), [], "told again of what was read");
        assert_eq!(next(&manager), []);
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        waiting(manager.begin(pipe.from, Direction::Read, 8, false));
        pipe.put(&manager, b"c");
        let woken = next(&manager);
        assert!(woken.contains(&(8, Some(Outcome::Ready))) && woken.contains(&(5, None)), "{woken:?}");
        no_more(&manager, &pipe);
        assert_eq!(take(&manager, 10), []);
        assert_eq!(manager.counts(), (1, 0));
        assert!(!manager.is_watched());
    });
}

/// Of two directions each is told as long as it is so, for itself.
#[test]
fn callbacks_are_told_of_the_directions_that_are_ready() {
    each(|manager| {
        let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
        use std::io::Write;
        use std::os::fd::AsRawFd;
        let fd = near.as_raw_fd();
        near.set_nonblocking(true).unwrap();
        let get = || {
            let mut bytes = [0u8; 8];
            manager.attempt(fd, Direction::Read, 8, |kind, fetched| {
                // SAFETY: room for eight.
                unsafe { kind::read(kind, fetched, fd, bytes.as_mut_ptr(), 8) }
            })
        };
        manager.listen(fd, Some(Interest::BOTH), |_| ()).unwrap();
        assert_eq!(first(&manager, 10), [(fd, 2)]);
        far.write_all(b"abc").unwrap();
        while take(&manager, 10) != [(fd, 3)] {}
        assert_eq!(get(), 3);
        assert_eq!(take(&manager, 10), [(fd, 2)]);
        manager.listen(fd, Some(Interest::READ), |_| ()).unwrap();
        assert_eq!(take(&manager, 10), []);
        drop(far);
        assert_eq!(next(&manager), [(5, None)]);
        // The end is told again and again, whatever was read.
        for _ in 0..3 {
            assert_eq!(take(&manager, 10), [(fd, 1)]);
            assert_eq!(get(), 0);
        }
        manager.close(fd, |_, _| true, || ());
        assert_eq!(take(&manager, 10), []);
    });
}

/// More was due than is taken at once, and of what came first nobody wanted to know any more: the rest was left there,
/// and the callbacks' thread parked.
#[test]
fn callbacks_are_told_of_what_is_left() {
    each(|manager| {
        let pipes = [Pipe::new(), Pipe::new()];
        for i in 0..2 {
            for pipe in &pipes {
                manager.listen(pipe.from, Some(Interest::READ), |_| ()).unwrap();
                pipe.put(&manager, b"x");
            }
            if i == 0 {
                first(&manager, 1);
            }
            no_more(&manager, &pipes[i]);
            assert_eq!(take(&manager, 1), [read(&pipes[1 - i])]);
            assert_eq!(take(&manager, 1), [read(&pipes[1 - i])]);
            no_more(&manager, &pipes[1 - i]);
            assert_eq!(take(&manager, 1), []);
        }
    });
}

/// Many are ready all the time, others now and then: all have their turn, and each is told once before all others were.
/// (`poll` looks seldom on a busy machine, so those that come and go may need more turns there.)
#[test]
fn callbacks_take_turns() {
    for backend in Backend::all() {
        let manager = Manager::new(backend);
        let most_turns = if backend == Backend::Poll { 1000 * MANY } else { 40 * MANY };
        let pipes: Vec<Pipe> = (0..5 * MANY).map(|_| Pipe::new()).collect();
        for pipe in &pipes {
            listen(&manager, pipe);
            pipe.put(&manager, b"abc");
        }
        first(&manager, 3);
        let (early, late) = pipes.split_at(4 * MANY);
        for pipe in late {
            assert_eq!(pipe.get(&manager, 8), 3);
        }
        let mut counts = std::collections::HashMap::new();
        let of = |counts: &std::collections::HashMap<i32, i32>, pipes: &[Pipe]| {
            let counts: Vec<i32> = pipes.iter().map(|pipe| *counts.get(&pipe.from).unwrap_or(&0)).collect();
            (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
        };
        for turn in 0..most_turns {
            if turn >= 40 * MANY && of(&counts, late).0 >= 10 {
                break;
            }
            let told = take(&manager, 3 + turn % 30);
            let different: std::collections::HashSet<_> = told.iter().map(|(fd, _)| *fd).collect();
            assert!(!told.is_empty() && different.len() == told.len(), "{told:?}");
            for fd in different {
                *counts.entry(fd).or_insert(0) += 1;
            }
            // These come and go, their events between what is ready all the time.
            for pipe in late {
                match turn % 3 {
                    0 => assert_eq!(pipe.put(&manager, b"d"), 1),
                    1 if told.contains(&read(pipe)) => assert!(pipe.get(&manager, 100) > 0, "told of nothing"),
                    _ => {}
                }
            }
        }
        let ((least, most), (least_late, _)) = (of(&counts, early), of(&counts, late));
        assert!(least >= 10 && most <= least + 4 && least_late >= 10, "{least} {most} {least_late}");
    }
}

/// As many as are taken at once have an answer each time that they were read, so that each round brings events for a
/// whole round: those that were ready before were never asked.
#[test]
fn callbacks_of_lively_pipes_leave_the_others_their_turn() {
    each(|manager| {
        let pipes: Vec<Pipe> = (0..5 * MANY).map(|_| Pipe::new()).collect();
        for pipe in &pipes {
            listen(&manager, pipe);
            pipe.put(&manager, b"a");
        }
        take(&manager, MANY);
        next(&manager);
        let (lively, steady) = pipes.split_at(MANY);
        let mut told: std::collections::HashSet<i32> = std::collections::HashSet::new();
        for _ in 0..100 * MANY {
            for (fd, _) in take(&manager, MANY) {
                if let Some(pipe) = lively.iter().find(|pipe| pipe.from == fd) {
                    pipe.get(&manager, 8);
                }
                told.insert(fd);
            }
            // The poller sees them all before the next round.
            for pipe in lively {
                pipe.put(&manager, b"a");
            }
        }
        assert!(steady.iter().all(|pipe| told.contains(&pipe.from)), "{} of {}", told.len(), pipes.len());
    });
}

/// Some listen anew each time they are told, others are ready all the time: neither wait for all of the others.
#[test]
fn callbacks_that_listen_anew_take_turns_with_others() {
    each(|manager| {
        let pipes: Vec<Pipe> = (0..4 * MANY).map(|_| Pipe::new()).collect();
        for pipe in &pipes {
            listen(&manager, pipe);
            pipe.put(&manager, b"abc");
        }
        take(&manager, 4);
        next(&manager);
        let (anew, steady) = pipes.split_at(2 * MANY);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..40 * MANY {
            for (fd, _) in take(&manager, 4) {
                *counts.entry(fd).or_insert(0) += 1;
                if anew.iter().any(|pipe| pipe.from == fd) {
                    manager.listen(fd, None, |_| ()).unwrap();
                    manager.listen(fd, Some(Interest::READ), |_| ()).unwrap();
                }
            }
        }
        for pipe in anew.iter().chain(steady) {
            let count = counts.get(&pipe.from).copied().unwrap_or(0);
            assert!(count >= 5, "{count}");
        }
    });
}

/// One worker has an event in hand that it took while the callbacks ran, when their thread, on another, begins to wait:
/// it was dropped, and asked for no more. The callbacks slept for ever.
#[test]
fn an_event_from_before_the_callbacks_wait_comes_again() {
    each(|manager| {
        let pipe = Pipe::new();
        listen(&manager, &pipe);
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"x");
        assert_eq!(take(&manager, 10), []);
        assert_eq!(next(&manager), [(5, None)]);
        assert_eq!(take(&manager, 10), [read(&pipe)]);
        assert_eq!(pipe.get(&manager, 8), 1);
        // `poll` is asked for it only now.
        assert_eq!(take(&manager, 10), []);
        manager.unlisten();
        pipe.put(&manager, b"x");
        manager.wait(Some(0));
        assert_eq!(take(&manager, 10), []);
        let mut woken = Vec::new();
        manager.dispatch(|token, _| {
            woken.push(token);
            true
        });
        assert_eq!(woken, [5]);
        assert_eq!(take(&manager, 10), [read(&pipe)]);
    });
}

/// An event was there, and before its callback was told of it the callback of a time-out read what had come; or
/// somebody read it of whom the manager knows nothing. A callback that is told of nothing waits, and with it all
/// others.
#[test]
fn callbacks_are_not_told_of_what_was_read() {
    each(|manager| {
        let pipe = Pipe::new();
        // As another process would.
        let steal = || {
            // SAFETY: room for one.
            assert_eq!(unsafe { libc::read(pipe.from, (&mut 0u8 as *mut u8).cast(), 1) }, 1);
        };
        listen(&manager, &pipe);
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"a");
        assert_eq!(next(&manager), [(5, None)]);
        manager.unlisten();
        steal();
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"b");
        assert_eq!(next(&manager), [(5, None)]);
        assert_eq!(take(&manager, 10), [read(&pipe)]);
        steal();
        assert_eq!(take(&manager, 10), []);
        // The event comes while a callback runs, which reads what it told of.
        manager.unlisten();
        pipe.put(&manager, b"c");
        assert_eq!(next(&manager), []);
        assert_eq!(pipe.get(&manager, 1), 1);
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"d");
        assert_eq!(next(&manager), [(5, None)]);
        assert_eq!(take(&manager, 10), [read(&pipe)]);
    });
}

/// Who listens until it is told and no longer, and then anew.
#[test]
fn callbacks_that_listen_anew_each_time() {
    each(|manager| {
        let pipe = Pipe::new();
        pipe.put(&manager, b"abcdef");
        listen(&manager, &pipe);
        first(&manager, 10);
        for round in 0..3 {
            assert_eq!(take(&manager, 10), [read(&pipe)], "round {round}");
            no_more(&manager, &pipe);
            assert!(!manager.is_watched());
            assert_eq!(take(&manager, 10), []);
            assert_eq!(next(&manager), [], "nobody listens");
            assert_eq!(pipe.get(&manager, 1), 1);
            // There is more, so their thread is woken.
            let mut woken = 0;
            manager.listen(pipe.from, Some(Interest::READ), |token| woken = token).unwrap();
            assert_eq!(woken, 5);
        }
        assert_eq!(take(&manager, 10), [read(&pipe)]);
        assert_eq!(pipe.get(&manager, 8), 3);
        no_more(&manager, &pipe);
        // What comes meanwhile is remembered, or asked for.
        pipe.put(&manager, b"g");
        assert_eq!(take(&manager, 10), []);
        assert_eq!(next(&manager), []);
        let mut woken = 0;
        manager.listen(pipe.from, Some(Interest::READ), |token| woken = token).unwrap();
        assert!(woken == 5 || next(&manager) == [(5, None)]);
        assert_eq!(take(&manager, 10), [read(&pipe)]);
        assert_eq!(pipe.get(&manager, 8), 1);
        assert_eq!(pipe.get(&manager, 8), AGAIN);
        // Others may wait for it all the same.
        waiting(manager.begin(pipe.from, Direction::Read, 9, false));
        assert_eq!(take(&manager, 10), []);
        pipe.put(&manager, b"h");
        let woken = next(&manager);
        assert!(woken.contains(&(9, Some(Outcome::Ready))) && woken.contains(&(5, None)), "{woken:?}");
        assert_eq!(take(&manager, 10), [read(&pipe)]);
    });
}

/// What is ready whenever it is asked for needs no poller. When nothing else is to be told, or when it was not ready
/// several times, it is registered, and the poller tells of it.
#[test]
fn new_descriptors_are_registered_when_they_must_wait() {
    let manager = Manager::new(Backend::Native);
    let (pipe, ready) = (Pipe::new(), Pipe::new());
    listen(&manager, &pipe);
    manager.listen(pipe.to, Some(Interest::WRITE), |_| ()).unwrap();
    let mut bytes = 0;
    for _ in 0..100 {
        for (fd, what) in take(&manager, 10) {
            match what {
                1 => bytes += pipe.get(&manager, 8),
                _ => assert_eq!((fd, pipe.put(&manager, b"x")), (pipe.to, 1)),
            }
        }
    }
    assert!(bytes >= 98 && manager.counts().0 == 0, "{bytes} {:?}", manager.counts());
    manager.listen(pipe.to, None, |_| ()).unwrap();
    while !take(&manager, 10).is_empty() {
        pipe.get(&manager, 8);
    }
    assert_eq!(manager.counts().0, 1, "nothing was to be told");
    pipe.put(&manager, b"x");
    assert_eq!(next(&manager), [(5, None)]);
    assert_eq!(take(&manager, 10), [read(&pipe)]);

    let quiet = Pipe::new();
    ready.put(&manager, b"x");
    listen(&manager, &ready);
    listen(&manager, &quiet);
    assert_eq!(pipe.get(&manager, 8), 1);
    for round in 1..=REFUSALS {
        assert_eq!(manager.counts().0, 1, "round {round}");
        assert_eq!(take(&manager, 10), [read(&ready)]);
    }
    assert_eq!(manager.counts().0, 2);
    quiet.put(&manager, b"x");
    next(&manager);
    assert!((0..10).any(|_| take(&manager, 10).contains(&read(&quiet))));
}

/// Not ready, and put off, when it is closed, or nobody listens any more, or somebody waits for it.
#[test]
fn what_was_put_off_may_end() {
    let manager = Manager::new(Backend::Native);
    let (ready, quiet, other) = (Pipe::new(), Pipe::new(), Pipe::new());
    ready.put(&manager, b"x");
    listen(&manager, &ready);
    let put_off = || {
        manager.listen(quiet.from, Some(Interest::READ), |_| ()).unwrap();
        assert_eq!(take(&manager, 10), [read(&ready)]);
        assert_eq!(manager.counts().0, 0);
    };
    put_off();
    no_more(&manager, &quiet);
    assert_eq!(take(&manager, 10), [read(&ready)]);
    put_off();
    // SAFETY: both ours.
    manager.close(quiet.from, |_, _| true, || unsafe { libc::dup2(other.from, quiet.from) });
    assert_eq!(take(&manager, 10), [read(&ready)]);
    put_off();
    other.put(&manager, b"x");
    let told = take(&manager, 10);
    assert!(told.contains(&read(&quiet)) && told.contains(&read(&ready)), "{told:?}");
    assert_eq!(quiet.get(&manager, 8), 1);
    assert_eq!(take(&manager, 10), [read(&ready)]);
    // Not READY can only be what is registered.
    while quiet.get(&manager, 8) != AGAIN {}
    waiting(manager.begin(quiet.from, Direction::Read, 9, false));
    assert_eq!(manager.counts().0, 1);
    other.put(&manager, b"x");
    assert!(next(&manager).contains(&(9, Some(Outcome::Ready))));
    assert!((0..10).any(|_| take(&manager, 10).contains(&read(&quiet))));
}

/// What cannot be waited for is said at once, not when it is registered.
#[test]
fn callbacks_cannot_listen_to_a_file_or_to_nothing() {
    each(|manager| {
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        use std::os::fd::AsRawFd;
        let listen = |fd: i32| manager.listen(fd, Some(Interest::READ), |_| ());
        if manager.backend == Backend::Native {
            assert_eq!(listen(file.as_raw_fd()), Err(libc::EPERM));
        }
        assert_eq!(listen(LARGEST - 1), Err(libc::EBADF));
        assert_eq!(listen(-1), Err(libc::EBADF));
    });
}

/// Closed while it was due, and its number is another descriptor's, to which callbacks listen too.
#[test]
fn callbacks_are_not_told_of_what_was_closed() {
    each(|manager| {
        for certain in [true, false] {
            let (pipe, quiet) = (Pipe::new(), Pipe::new());
            listen(&manager, &pipe);
            assert_eq!(take(&manager, 10), []);
            pipe.put(&manager, b"ab");
            assert_eq!(take(&manager, 10), []);
            assert_eq!(next(&manager), [(5, None)]);
            if !certain {
                assert_eq!(take(&manager, 10), [read(&pipe)]);
            }
            // SAFETY: both ours.
            manager.close(pipe.from, |_, _| true, || unsafe { libc::dup2(quiet.from, pipe.from) });
            listen(&manager, &pipe);
            assert_eq!(take(&manager, 10), []);
            quiet.put(&manager, b"c");
            assert_eq!(next(&manager), [(5, None)]);
            assert_eq!(take(&manager, 10), [read(&pipe)]);
            manager.close(pipe.from, |_, _| true, || ());
            assert!(!manager.is_watched());
        }
    });
}

/// Events that nobody wants are not taken for ever; who waits later is told all the same.
#[test]
fn what_nobody_wants_is_asked_for_no_more() {
    let manager = Manager::new(Backend::Native);
    let pipe = Pipe::new();
    let unwanted = || {
        for _ in 0..2 * MOST_UNWANTED {
            pipe.put(&manager, b"x");
            manager.wait(Some(0));
            manager.dispatch(|_, _| panic!("nobody waits"));
            assert_eq!(pipe.get(&manager, 8), 1);
        }
        assert_eq!(manager.counts(), (0, 0));
    };
    let id = waiting(manager.begin(pipe.from, Direction::Read, 8, true));
    manager.end(id);
    unwanted();
    listen(&manager, &pipe);
    assert_eq!(take(&manager, 10), []);
    pipe.put(&manager, b"y");
    assert_eq!(next(&manager), [(5, None)]);
    assert_eq!(take(&manager, 10), [read(&pipe)]);
    assert_eq!(pipe.get(&manager, 8), 1);
    assert_eq!(take(&manager, 10), []);
    no_more(&manager, &pipe);
    manager.unlisten();
    unwanted();
    assert_eq!(pipe.get(&manager, 8), AGAIN);
    waiting(manager.begin(pipe.from, Direction::Read, 8, false));
    pipe.put(&manager, b"z");
    assert_eq!(next(&manager), [(8, Some(Outcome::Ready))]);
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
        let pipes = [(); 2].map(|()| manager.pipe().map(|[from, to]| Pipe { from, to }).unwrap());
        let [other, to] = manager.pipe().unwrap();
        let all = || pipes.iter().flat_map(|p| [p.from, p.to]).chain([other, to]);
        assert!(all().all(|fd| flags(fd) == (true, true) && manager.is_private(fd) && manager.kind(fd) == FdKind::Own));
        // Not while others would have them.
        assert!(!manager.around_fork(|| panic!("there are private pipes")));
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
        // What is no private pipe stays as it is.
        let plain = Pipe::new();
        manager.lend(&[plain.from]);
        assert_eq!((flags(plain.from), manager.kind(plain.from)), ((false, false), FdKind::Shared));
        let mut forked = false;
        assert!(manager.around_fork(|| forked = true) && forked);
        // The next one is private again, and may have the number of one that was.
        let [from, to] = manager.pipe().unwrap();
        assert!(manager.is_private(from) && manager.is_private(to));
        close(from);
        assert!(!manager.around_fork(|| panic!("its other end is one")));
        close(to);
        assert!(manager.around_fork(|| {}));
    });
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
