//! The protocol of threads, lanes and workers, explored exhaustively: every interleaving of what several workers share.
//!
//! A model of `post.rs`, `switch.rs`, `place.rs`, `idle.rs` and of going outside in `stop.rs`, as small steps. What a
//! worker does to what is its own (its queue, its lanes, the words of its threads), and what is done under a worker's
//! lock and touches only what that lock guards, belongs to one step with the one access to something shared. A store of
//! a lane's owner and the delivery after it are two. Memory is sequentially consistent.
//!
//! Checked in each state: P1 a running thread is its lane's resident, and the lane is its worker's, so no two workers
//! touch one lane; P2 who changes a thread's word owns its lane, or has its owner's lock while that is outside, or wins
//! a thread without a lane; who resumes one finds it on its lane; P3 a thread with the flag QUEUED is in one queue,
//! inbox or hand, one without it in none. Where nothing can go on: P4 all workers have seen the deadlock, and no thread
//! that was woken is blocked; P5 threads that are spent, and they alone, stand in the second queues (`turns.rs`; when
//! they do and when their turn comes is left open: a thread may give way at any time, and either queue may be next). P6
//! nobody looks at a lane that was not made (T18).
//!
//! `Mistake` switches on what would be wrong; the model finds all of them. The steps are in `steps.rs`; here
//! are the states, the settings that are explored, and the tests.

mod steps;

use steps::Explorer;

const NO: u8 = 255;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// None: the protocol as it is.
    Nothing,
    /// Who wants something of a thread does not look again, under the lock, whose its lane is.
    LooksOnce,
    /// A worker goes outside with letters in its inbox.
    OutsideWithLetters,
    /// A worker gives the lane away on which its running thread is.
    GivesBusyLane,
    /// A worker takes the lane of the thread that is in blocking C.
    RobsBusyLane,
    /// Two workers make a new thread ready by a load and a store each.
    NewWithoutSwap,
    /// A thread in the own queue is run without a look whose its lane is.
    RunsWhatIsQueued,
    /// A thread's word is read before its lane is known to be the own one.
    WordBeforeOwner,
    /// An idle worker that got a thread is not woken.
    NoWake,
    /// The last worker to become idle does not look at the queues of the others.
    DeadlockUnseen,
    /// Who has nothing to do looks at the first queues of the others alone, and not at those of threads that compute.
    SpentUnseen,
    /// A thread that computed is still said to do so when it has blocked.
    BlocksSpent,
    /// A thread that computes is given to another worker, which queues it with those that do not.
    ForgetsSpent,
    /// A worker without a lane looks for one of others', though none was made yet.
    DoesNotGrow,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Frames {
    New,
    Running,
    OnLane,
    InHeap,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Thread {
    place: Frames,
    queued: bool,
    readied: bool,
    permit: bool,
    spent: bool,
    lane: u8,
    /// Somebody has begun to wake it, and it has neither run nor taken a permit since. Not part of the protocol.
    woken: bool,
}

impl Thread {
    fn is_blocked(self) -> bool {
        matches!(self.place, Frames::OnLane | Frames::InHeap) && !self.queued && !self.spent
    }
}

/// A lane that was not made yet has no owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Lane {
    owner: u8,
    resident: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Errand {
    Ready,
    RunAt(u8),
    Queue,
    Given,
    Spared,
}

impl Errand {
    /// Whether the thread is a ready one that stands nowhere else.
    fn holds(self) -> bool {
        !matches!(self, Errand::Ready | Errand::RunAt(_))
    }
}

type Letter = (u8, Errand);

/// What a worker does next; `t` is a thread, `v` another worker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Pc {
    Run,
    /// Runs the next thread.
    Next,
    /// Wants something of a thread, which is: `Ready`, `RunAt` the worker itself, or `Queue` for one that it holds.
    Meet {
        t: u8,
        errand: Errand,
    },
    /// Has seen the owner of its lane.
    MeetAt {
        t: u8,
        errand: Errand,
        lane: u8,
        v: u8,
    },
    /// Has seen that it has no lane; `sure`: and that it is new.
    Win {
        t: u8,
        errand: Errand,
        sure: bool,
    },
    /// Only with [`Mistake::WordBeforeOwner`]: has seen that the thread is blocked.
    SawBlocked {
        t: u8,
    },
    /// Has made the lane its own; `v`'s lock is held.
    Took {
        t: u8,
        v: u8,
        runs: bool,
    },
    /// The lane is `v`'s now.
    Deliver {
        t: u8,
        v: u8,
        errand: Errand,
    },
    Request {
        v: u8,
    },
    Wake {
        v: u8,
    },
    /// Brings a thread onto its lane, step by step.
    Found {
        t: u8,
    },
    Evict {
        t: u8,
    },
    Put {
        t: u8,
    },
    Resume {
        t: u8,
    },
    Letters,
    Shares,
    Rob {
        v: u8,
    },
    Ask,
    Asked {
        v: u8,
    },
    /// In blocking C, after waking an idle worker if there is something to rob.
    Leave,
    InC,
    GoIdle,
    Count,
    Sleep,
    Wakes,
    ComeBack,
    Over,
}

/// Why the worker reads its letters, and where it goes on afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Serving {
    Not,
    Safepoint,
    Idle,
    Blocking,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Worker {
    pc: Pc,
    current: u8,
    queue: Vec<u8>,
    /// The second queue.
    spent: Vec<u8>,
    /// Letters that were taken out of the inbox.
    reading: Vec<Letter>,
    serving: Serving,
    /// Past the letters: gives threads to those that asked.
    sharing: bool,
    /// Has found nothing, and looks once more before it sleeps.
    idling: bool,
    /// Who holds its lock.
    lock: u8,
    outside: bool,
    busy: u8,
    inbox: Vec<Letter>,
    /// Bits of workers that look for work.
    asked: u8,
    /// A safepoint is asked for.
    request: bool,
    /// It is in the set of idle workers; it was woken.
    idle: bool,
    token: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    lanes: Vec<Lane>,
    workers: Vec<Worker>,
    /// Who has the mutex under which workers become idle.
    mutex: u8,
    /// Operations that threads may still begin.
    fuel: u8,
}

/// What a setting allows besides parking, readying, switching and handing over.
#[derive(Clone, Copy)]
struct Allowed {
    mistake: Mistake,
    /// Blocking C.
    blocking: bool,
    /// Continuations that go to another lane.
    throws: bool,
    /// The ticker asks for help.
    ticker: bool,
    /// Threads compute for long, and give way.
    spent: bool,
    /// Workers are folded and spread at any time, and any of them may be home (`fold.rs`): a ready thread may be sent
    /// to another worker before it runs, and the lane of one that is made ready be taken from a worker that is idle.
    folds: bool,
}

/// Each worker `w` runs thread `w` on lane `w` of its own, or is about to look for work when it is not one of the first
/// `busy`. Lanes beyond those are worker 0's, or not made yet when `made` is less. The threads that do not run are in
/// the heap, on the lanes that they are said to have, or new.
fn start(workers: usize, busy: usize, lanes: usize, made: usize, rest: &[u8], fuel: u8) -> State {
    let thread =
        |place, lane| Thread { place, queued: false, readied: false, permit: false, spent: false, lane, woken: false };
    let running = (0..busy as u8).map(|t| thread(Frames::Running, t));
    let others = rest.iter().map(|&lane| thread(if lane == NO { Frames::New } else { Frames::InHeap }, lane));
    let lane = |l: usize| match l {
        l if l < busy => Lane { owner: l as u8, resident: l as u8 },
        l => Lane { owner: if l < made { 0 } else { NO }, resident: NO },
    };
    let worker = |w: usize| Worker {
        pc: if w < busy { Pc::Run } else { Pc::Next },
        current: if w < busy { w as u8 } else { NO },
        queue: Vec::new(),
        spent: Vec::new(),
        reading: Vec::new(),
        serving: Serving::Not,
        sharing: false,
        idling: false,
        lock: NO,
        outside: false,
        busy: NO,
        inbox: Vec::new(),
        asked: 0,
        request: false,
        idle: false,
        token: false,
    };
    State {
        threads: running.chain(others).collect(),
        lanes: (0..lanes).map(lane).collect(),
        workers: (0..workers).map(worker).collect(),
        mutex: NO,
        fuel,
    }
}

const ALL: Allowed =
    Allowed { mistake: Mistake::Nothing, blocking: true, throws: true, ticker: true, spent: true, folds: false };

/// Without what makes the most states.
const QUIET: Allowed = Allowed { throws: false, ticker: false, spent: false, ..ALL };
const FOLDED: Allowed = Allowed { folds: true, ..QUIET };
const PLAIN: Allowed = Allowed { blocking: false, ..QUIET };
const SPENT: Allowed = Allowed { spent: true, ..QUIET };

/// Two workers run; a new thread besides, and one lane that is theirs, or a thread in the heap whose lane is worker
/// 1's.
fn with_new(fuel: u8) -> State {
    start(2, 2, 3, 2, &[NO], fuel)
}

fn with_shared_lane(fuel: u8) -> State {
    start(2, 2, 2, 2, &[1], fuel)
}

/// Gives and tells the number of states.
fn explore(name: &str, allowed: Allowed, start: State) -> usize {
    let states = Explorer::run(allowed, start).unwrap_or_else(|e| panic!("{name}: {e}"));
    println!("{name}: {states} states");
    states
}

#[test]
fn the_protocol_holds() {
    let mut states = 0;
    states += explore("two threads", QUIET, start(2, 2, 2, 2, &[], 2));
    states += explore("a shared lane, continuations", Allowed { throws: true, ..QUIET }, with_shared_lane(1));
    states += explore("the ticker", Allowed { ticker: true, ..PLAIN }, start(2, 1, 2, 2, &[NO, NO], 1));
    states += explore("a new thread", QUIET, with_new(1));
    states += explore("one lane for two new threads", QUIET, start(2, 1, 2, 2, &[NO, NO], 2));
    states += explore("threads that compute", SPENT, start(2, 2, 2, 2, &[], 2));
    states += explore("a shared lane, threads that compute", SPENT, with_shared_lane(1));
    states += explore("a new thread, threads that compute", Allowed { spent: true, ..PLAIN }, with_new(1));
    states += explore("no lane for a new thread", PLAIN, start(2, 2, 2, 2, &[NO], 1));
    states += explore("folded", FOLDED, start(2, 2, 2, 2, &[], 1));
    states += explore("folded, a shared lane", Allowed { folds: true, ..PLAIN }, with_shared_lane(1));
    states += explore("folded, a new thread", FOLDED, with_new(1));
    states += explore("folded, threads that compute", Allowed { spent: true, ..FOLDED }, start(2, 2, 2, 2, &[], 1));
    assert!(states > 50_000);
}

/// `cargo test --release --test protocol -- --ignored --nocapture`: some minutes.
#[test]
#[ignore = "minutes"]
fn the_protocol_holds_in_larger_settings() {
    explore("a shared lane", QUIET, with_shared_lane(3));
    explore("a new thread", QUIET, with_new(3));
    explore("continuations, a shared lane", Allowed { throws: true, ..QUIET }, with_shared_lane(2));
    explore("threads that compute, a shared lane", Allowed { spent: true, ..PLAIN }, with_shared_lane(3));
    explore("everything, a shared lane", ALL, with_shared_lane(2));
    explore("everything, a new thread", ALL, with_new(2));
    explore("folded", FOLDED, start(2, 2, 2, 2, &[], 2));
    explore("folded, a shared lane", Allowed { spent: true, ..FOLDED }, with_shared_lane(2));
    explore("folded, three workers", FOLDED, start(3, 2, 2, 2, &[NO], 1));
    explore("three workers", Allowed { throws: true, ..QUIET }, start(3, 2, 2, 2, &[NO], 1));
    explore("three workers, a shared lane", QUIET, start(3, 2, 2, 2, &[1], 1));
}

#[test]
fn each_mistake_is_found() {
    for (mistake, allowed, start) in [
        (Mistake::LooksOnce, PLAIN, with_shared_lane(2)),
        (Mistake::OutsideWithLetters, QUIET, with_new(2)),
        (Mistake::GivesBusyLane, PLAIN, with_shared_lane(2)),
        (Mistake::RobsBusyLane, QUIET, with_shared_lane(2)),
        (Mistake::NewWithoutSwap, PLAIN, with_new(2)),
        (Mistake::RunsWhatIsQueued, PLAIN, with_shared_lane(3)),
        (Mistake::WordBeforeOwner, PLAIN, with_shared_lane(3)),
        (Mistake::NoWake, PLAIN, start(2, 2, 2, 2, &[NO], 1)),
        (Mistake::DeadlockUnseen, PLAIN, start(2, 2, 2, 2, &[NO], 1)),
        (Mistake::SpentUnseen, SPENT, start(2, 2, 2, 2, &[], 2)),
        (Mistake::BlocksSpent, SPENT, start(2, 2, 2, 2, &[], 3)),
        (Mistake::ForgetsSpent, SPENT, with_shared_lane(2)),
        (Mistake::NoWake, Allowed { folds: true, ..PLAIN }, start(2, 2, 2, 2, &[NO], 1)),
        (Mistake::GivesBusyLane, Allowed { folds: true, ..PLAIN }, with_shared_lane(2)),
        (Mistake::LooksOnce, Allowed { folds: true, ..PLAIN }, with_shared_lane(2)),
        (Mistake::DoesNotGrow, PLAIN, start(2, 1, 2, 1, &[NO], 1)),
    ] {
        match Explorer::run(Allowed { mistake, ..allowed }, start) {
            Ok(states) => panic!("{mistake:?} was not found in {states} states"),
            Err(what) => println!("{mistake:?}: {}", what.lines().next().unwrap_or_default()),
        }
    }
}
