//! Callbacks over each means that the platform has: what is told of ready descriptors, in which order, and for how
//! long.

use super::listen::{MANY, REFUSALS};
use super::tests::{AGAIN, Pipe, each, next, waiting};
use super::*;

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
