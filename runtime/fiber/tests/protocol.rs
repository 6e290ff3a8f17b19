//! The protocol of lanes and queues for several workers, explored exhaustively: every interleaving of its memory accesses.
//!
//! A model of `switch.rs` and `place.rs`: claim, steal, rob, evict, place, park, ready, hand-off, enqueue, as small steps
//! that each make one access to a shared word. What is done under a worker's lock and touches nothing but what that lock
//! guards is one step. Memory is sequentially consistent, as the locked instructions make it.
//!
//! Checked in each state: P1 no two workers touch one lane; P2 a thread that resumes is its lane's resident, and suspended;
//! P3 no thread stands in two queues, or twice. Checked where nothing can go on: P4 no thread that was woken is blocked.
//!
//! `Old` switches back on each mistake that the protocol once had; the model finds all of them.

use std::collections::HashSet;

const NO: u8 = 255;

/// Mistakes of the past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Old {
    /// None: the protocol as it is.
    Nothing,
    /// A hand-off whose compare-and-swap failed took the target for ready, though its frames had been moved only.
    HandOffGivesUp,
    /// A thief that found the lane its own, then the victim's, did not look again whether the victim runs on it.
    KeepsLaneOfVictim,
    /// A thief said that the lane is its own before it said that it runs there.
    OwnerFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    New,
    Running,
    OnLane,
    InHeap,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Thread {
    place: Place,
    queued: bool,
    readied: bool,
    permit: bool,
    lane: u8,
    /// Somebody has begun to wake it, and it has neither run nor taken a permit since. Not part of the protocol.
    woken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Lane {
    owner: u8,
    resident: u8,
    /// Who touches it. Not part of the protocol.
    touched: u8,
}

/// What a worker does next; `t` is the thread in its hand, `v` the other worker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Pc {
    Run { t: u8 },
    /// Queues `t`: reads the owner.
    Enqueue { t: u8, front: bool, back_to: u8 },
    /// Has read it.
    EnqueueAt { t: u8, front: bool, back_to: u8, v: u8 },
    /// `ready`, then goes on with `back_to` ([`NO`]: looks for the next one).
    Ready { t: u8, back_to: u8 },
    /// A hand-off or switch to `t`; what was read of its state.
    Target { t: u8 },
    TargetCas { t: u8, saw: Thread },
    Claim { t: u8 },
    ClaimAt { t: u8, v: u8 },
    ClaimLocked { t: u8, v: u8 },
    ClaimBusy { t: u8, v: u8 },
    /// `t`'s lane is this worker's: looks where its frames are.
    Found { t: u8 },
    Pick { t: u8 },
    RobAt { t: u8, lane: u8, v: u8 },
    RobLocked { t: u8, lane: u8, v: u8 },
    Evict { t: u8 },
    EvictDone { t: u8 },
    Put { t: u8 },
    Resume { t: u8 },
    /// Takes a lane from `v`, whose lock is held; `then` what comes after. Two stores.
    TakeFirst { t: u8, lane: u8, v: u8, from_queue: bool },
    TakeSecond { t: u8, lane: u8, v: u8 },
    Next,
    Steal { v: u8 },
    /// Has `v`'s lock, looks at entry `i` of its queue.
    StealLook { v: u8, i: u8 },
    StealRunning { v: u8, i: u8 },
    StealKeep { v: u8, i: u8 },
    StealMine { v: u8, i: u8 },
    Idle,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Worker {
    pc: Pc,
    /// Who holds its lock.
    lock: u8,
    running: u8,
    queue: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    lanes: Vec<Lane>,
    workers: Vec<Worker>,
    /// Operations that threads may still begin.
    fuel: u8,
}

struct Explorer {
    old: Old,
    seen: HashSet<State>,
    todo: Vec<State>,
    wrong: Option<String>,
}

impl Explorer {
    fn fail(&mut self, what: &str, state: &State) {
        self.wrong.get_or_insert_with(|| format!("{what}\n{state:#?}"));
    }

    fn add(&mut self, state: State) {
        if !self.seen.contains(&state) {
            self.seen.insert(state.clone());
            self.todo.push(state);
        }
    }

    /// Explores everything that can be reached; gives what is wrong, or the number of states.
    fn run(old: Old, start: State) -> Result<usize, String> {
        let mut explorer = Explorer { old, seen: HashSet::new(), todo: Vec::new(), wrong: None };
        explorer.add(start);
        while let Some(state) = explorer.todo.pop() {
            let mut went_on = false;
            for w in 0..state.workers.len() as u8 {
                went_on |= explorer.step(&state, w);
            }
            if !went_on {
                let lost = state.threads.iter().any(|t| t.woken && t.place != Place::Running);
                if lost || state.workers.iter().any(|w| !matches!(w.pc, Pc::Idle | Pc::Run { .. })) {
                    explorer.fail("P4: nothing goes on, and a thread that was woken is blocked", &state);
                }
            }
            if let Some(wrong) = explorer.wrong {
                return Err(wrong);
            }
        }
        Ok(explorer.seen.len())
    }

    /// All ways in which worker `me` can go on from here; false when it cannot.
    fn step(&mut self, state: &State, me: u8) -> bool {
        let w = me as usize;
        let pc = state.workers[w].pc;
        let mut s = state.clone();
        // The common case: one successor.
        macro_rules! goto {
            ($pc:expr) => {{
                s.workers[w].pc = $pc;
                self.add(s);
                return true;
            }};
        }
        match pc {
            Pc::Run { t } => {
                if s.fuel == 0 {
                    // The rest of the program only parks.
                    return self.park(s, w, t);
                }
                s.fuel -= 1;
                self.park(s.clone(), w, t);
                // A yield.
                let mut y = s.clone();
                self.requeue(&mut y, t);
                y.workers[w].pc = Pc::Enqueue { t, front: false, back_to: NO };
                self.add(y);
                for other in (0..s.threads.len() as u8).filter(|&u| u != t) {
                    let mut r = s.clone();
                    r.threads[other as usize].woken = true;
                    r.workers[w].pc = Pc::Ready { t: other, back_to: t };
                    self.add(r);
                    // A hand-off. The permit makes it queue itself first.
                    let mut h = s.clone();
                    h.threads[other as usize].woken = true;
                    if h.threads[t as usize].permit {
                        h.threads[t as usize].permit = false;
                        self.requeue(&mut h, t);
                        // Queued in one step here: the way to the own queue is explored by the yield.
                        h.workers[w].queue.push(t);
                    } else {
                        self.suspend(&mut h, t);
                    }
                    h.workers[w].pc = Pc::Target { t: other };
                    self.add(h);
                }
                true
            }
            Pc::Enqueue { t, front, back_to } => {
                let lane = s.threads[t as usize].lane;
                let v = if lane == NO { me } else { s.lanes[lane as usize].owner };
                goto!(Pc::EnqueueAt { t, front, back_to, v })
            }
            Pc::EnqueueAt { t, front, back_to, v } => {
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                let lane = s.threads[t as usize].lane;
                if lane != NO && s.lanes[lane as usize].owner != v {
                    goto!(Pc::Enqueue { t, front, back_to })
                }
                if s.workers.iter().any(|w| w.queue.contains(&t)) {
                    self.fail("P3: a thread is queued twice", &s);
                }
                let queue = &mut s.workers[v as usize].queue;
                queue.insert(if front { 0 } else { queue.len() }, t);
                goto!(if back_to == NO { Pc::Next } else { Pc::Run { t: back_to } })
            }
            Pc::Ready { t, back_to } => {
                let on = if back_to == NO { Pc::Next } else { Pc::Run { t: back_to } };
                let thread = &mut s.threads[t as usize];
                if thread.place == Place::Running || thread.queued && !thread.readied {
                    thread.permit = true;
                    goto!(on)
                }
                if thread.readied {
                    goto!(on)
                }
                (thread.queued, thread.readied) = (true, true);
                goto!(Pc::Enqueue { t, front: false, back_to })
            }
            Pc::Target { t } => {
                let saw = s.threads[t as usize];
                if saw.place == Place::Running {
                    goto!(Pc::Ready { t, back_to: NO })
                }
                if saw.queued {
                    goto!(Pc::Next)
                }
                goto!(Pc::TargetCas { t, saw })
            }
            Pc::TargetCas { t, saw } => {
                let thread = &mut s.threads[t as usize];
                let same = (thread.place, thread.queued, thread.readied, thread.permit)
                    == (saw.place, saw.queued, saw.readied, saw.permit);
                if !same {
                    goto!(if self.old == Old::HandOffGivesUp { Pc::Next } else { Pc::Target { t } })
                }
                (thread.queued, thread.readied) = (true, true);
                goto!(if thread.lane == NO { Pc::Pick { t } } else { Pc::Claim { t } })
            }
            Pc::Claim { t } => {
                let lane = s.threads[t as usize].lane;
                let v = s.lanes[lane as usize].owner;
                goto!(Pc::ClaimAt { t, v })
            }
            Pc::ClaimAt { t, v } => {
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                s.workers[v as usize].lock = me;
                goto!(Pc::ClaimLocked { t, v })
            }
            Pc::ClaimLocked { t, v } => {
                let lane = s.threads[t as usize].lane;
                if s.lanes[lane as usize].owner != v {
                    s.workers[v as usize].lock = NO;
                    goto!(Pc::Claim { t })
                }
                if v == me {
                    s.workers[w].running = lane;
                    s.workers[w].lock = NO;
                    goto!(Pc::Found { t })
                }
                goto!(Pc::ClaimBusy { t, v })
            }
            Pc::ClaimBusy { t, v } => {
                let lane = s.threads[t as usize].lane;
                if s.workers[v as usize].running == lane {
                    s.workers[v as usize].lock = NO;
                    goto!(Pc::Enqueue { t, front: true, back_to: NO })
                }
                goto!(Pc::TakeFirst { t, lane, v, from_queue: false })
            }
            Pc::TakeFirst { t, lane, v, .. } => {
                if self.old == Old::OwnerFirst {
                    s.lanes[lane as usize].owner = me;
                } else {
                    s.workers[w].running = lane;
                }
                goto!(Pc::TakeSecond { t, lane, v })
            }
            Pc::TakeSecond { t, lane, v } => {
                s.workers[w].running = lane;
                s.lanes[lane as usize].owner = me;
                s.workers[v as usize].lock = NO;
                goto!(Pc::Found { t })
            }
            Pc::Found { t } => {
                let thread = s.threads[t as usize];
                if thread.lane == NO {
                    goto!(Pc::Pick { t })
                }
                if self.touch(&mut s, me, thread.lane) {
                    return true;
                }
                goto!(if thread.place == Place::OnLane { Pc::Resume { t } } else { Pc::Evict { t } })
            }
            Pc::Pick { t } => {
                // Any lane: the own one that comes next, or one that is robbed.
                let mut any = false;
                for lane in 0..s.lanes.len() as u8 {
                    let mut p = s.clone();
                    let v = p.lanes[lane as usize].owner;
                    if v == me {
                        if p.workers[w].lock != NO {
                            continue;
                        }
                        p.workers[w].running = lane;
                        // Taken for good, or another one is looked at.
                        self.add(p.clone());
                        p.threads[t as usize].lane = lane;
                        p.workers[w].pc = Pc::Found { t };
                    } else {
                        p.workers[w].pc = Pc::RobAt { t, lane, v };
                    }
                    self.add(p);
                    any = true;
                }
                any
            }
            Pc::RobAt { t, lane, v } => {
                if s.workers[v as usize].lock != NO || s.lanes[lane as usize].owner != v {
                    goto!(Pc::Pick { t })
                }
                s.workers[v as usize].lock = me;
                goto!(Pc::RobLocked { t, lane, v })
            }
            Pc::RobLocked { t, lane, v } => {
                if s.lanes[lane as usize].owner != v || s.workers[v as usize].running == lane {
                    s.workers[v as usize].lock = NO;
                    goto!(Pc::Pick { t })
                }
                s.threads[t as usize].lane = lane;
                goto!(Pc::TakeFirst { t, lane, v, from_queue: false })
            }
            Pc::Evict { t } => {
                let lane = s.threads[t as usize].lane as usize;
                let resident = s.lanes[lane].resident;
                if resident == NO {
                    goto!(Pc::Put { t })
                }
                if s.threads[resident as usize].place != Place::OnLane {
                    self.fail("P2: an evicted thread is not suspended", &s);
                }
                goto!(Pc::EvictDone { t })
            }
            Pc::EvictDone { t } => {
                let lane = s.threads[t as usize].lane as usize;
                let resident = s.lanes[lane].resident as usize;
                if s.threads[resident].place != Place::OnLane {
                    self.fail("P2: a thread ran while it was evicted", &s);
                }
                s.threads[resident].place = Place::InHeap;
                s.lanes[lane].resident = NO;
                goto!(Pc::Put { t })
            }
            Pc::Put { t } => {
                s.threads[t as usize].place = Place::OnLane;
                let lane = s.threads[t as usize].lane as usize;
                s.lanes[lane].resident = t;
                goto!(Pc::Resume { t })
            }
            Pc::Resume { t } => {
                let thread = &mut s.threads[t as usize];
                let lane = s.lanes[thread.lane as usize];
                let wrong = lane.resident != t || thread.place != Place::OnLane;
                (thread.place, thread.queued, thread.readied, thread.woken) = (Place::Running, false, false, false);
                if wrong {
                    self.fail("P2: a thread resumes that is not on its lane", &s);
                }
                goto!(Pc::Run { t })
            }
            Pc::Next => {
                if s.workers[w].lock != NO {
                    return false;
                }
                if s.workers[w].queue.is_empty() {
                    s.workers[w].running = NO;
                    goto!(Pc::Steal { v: 0 })
                }
                let t = s.workers[w].queue.remove(0);
                let lane = s.threads[t as usize].lane;
                if lane != NO && s.lanes[lane as usize].owner != me {
                    goto!(Pc::Enqueue { t, front: false, back_to: NO })
                }
                s.workers[w].running = lane;
                goto!(Pc::Found { t })
            }
            Pc::Steal { v } => {
                if v as usize == s.workers.len() {
                    goto!(Pc::Idle)
                }
                if v == me || s.workers[v as usize].queue.is_empty() {
                    goto!(Pc::Steal { v: v + 1 })
                }
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                s.workers[v as usize].lock = me;
                goto!(Pc::StealLook { v, i: 0 })
            }
            Pc::StealLook { v, i } => {
                let Some(&t) = s.workers[v as usize].queue.get(i as usize) else {
                    s.workers[v as usize].lock = NO;
                    goto!(Pc::Steal { v: v + 1 })
                };
                let lane = s.threads[t as usize].lane;
                if lane == NO {
                    s.workers[v as usize].queue.remove(i as usize);
                    s.workers[v as usize].lock = NO;
                    goto!(Pc::Found { t })
                }
                let owner = s.lanes[lane as usize].owner;
                if owner == me {
                    goto!(Pc::StealKeep { v, i })
                }
                goto!(if owner == v { Pc::StealRunning { v, i } } else { Pc::StealLook { v, i: i + 1 } })
            }
            Pc::StealRunning { v, i } => {
                let t = s.workers[v as usize].queue[i as usize];
                let lane = s.threads[t as usize].lane;
                if s.workers[v as usize].running == lane {
                    goto!(Pc::StealLook { v, i: i + 1 })
                }
                s.workers[v as usize].queue.remove(i as usize);
                goto!(Pc::TakeFirst { t, lane, v, from_queue: true })
            }
            Pc::StealKeep { v, i } => {
                let t = s.workers[v as usize].queue[i as usize];
                let lane = s.threads[t as usize].lane;
                if s.lanes[lane as usize].owner == v {
                    if self.old == Old::KeepsLaneOfVictim {
                        s.workers[v as usize].queue.remove(i as usize);
                        goto!(Pc::TakeFirst { t, lane, v, from_queue: true })
                    }
                    goto!(Pc::StealRunning { v, i })
                }
                if s.workers[w].lock != NO {
                    goto!(Pc::StealLook { v, i: i + 1 })
                }
                s.workers[w].lock = me;
                goto!(Pc::StealMine { v, i })
            }
            Pc::StealMine { v, i } => {
                let t = s.workers[v as usize].queue[i as usize];
                let lane = s.threads[t as usize].lane;
                let mine = s.lanes[lane as usize].owner == me;
                if mine {
                    s.workers[w].running = lane;
                }
                s.workers[w].lock = NO;
                if !mine {
                    goto!(Pc::StealLook { v, i: i + 1 })
                }
                s.workers[v as usize].queue.remove(i as usize);
                s.workers[v as usize].lock = NO;
                goto!(Pc::Found { t })
            }
            Pc::Idle => {
                // It looks again for as long as there is something in a queue.
                if s.workers.iter().all(|w| w.queue.is_empty()) {
                    return false;
                }
                goto!(Pc::Next)
            }
        }
    }

    /// The running thread blocks, or takes its permit.
    fn park(&mut self, mut s: State, w: usize, t: u8) -> bool {
        if s.threads[t as usize].permit {
            (s.threads[t as usize].permit, s.threads[t as usize].woken) = (false, false);
        } else {
            self.suspend(&mut s, t);
            s.workers[w].pc = Pc::Next;
        }
        self.add(s);
        true
    }

    fn requeue(&mut self, s: &mut State, t: u8) {
        self.suspend(s, t);
        s.threads[t as usize].queued = true;
    }

    /// Everything of `t` is saved: its lane is touched no more.
    fn suspend(&mut self, s: &mut State, t: u8) {
        let lane = s.threads[t as usize].lane as usize;
        s.lanes[lane].touched = NO;
        s.threads[t as usize].place = Place::OnLane;
    }

    /// From here on the worker touches the lane. True when another one does.
    fn touch(&mut self, s: &mut State, me: u8, lane: u8) -> bool {
        let now = &mut s.lanes[lane as usize].touched;
        if *now != NO {
            self.fail("P1: two workers touch one lane", s);
            return true;
        }
        *now = me;
        false
    }
}

/// `workers` workers and `lanes` lanes, which the first worker owns. The first thread runs there; of the others as many are
/// new as said, the rest are blocked with their frames in the heap, on the lanes in turn.
fn start(workers: usize, lanes: usize, threads: usize, new: usize, fuel: u8) -> State {
    let thread = |place, lane| Thread { place, queued: false, readied: false, permit: false, lane, woken: false };
    let mut s = State {
        threads: (0..threads)
            .map(|t| match t {
                0 => thread(Place::Running, 0),
                _ if t <= new => thread(Place::New, NO),
                _ => thread(Place::InHeap, (t % lanes) as u8),
            })
            .collect(),
        lanes: vec![Lane { owner: 0, resident: NO, touched: NO }; lanes],
        workers: vec![Worker { pc: Pc::Idle, lock: NO, running: NO, queue: Vec::new() }; workers],
        fuel,
    };
    s.lanes[0] = Lane { owner: 0, resident: 0, touched: 0 };
    (s.workers[0].pc, s.workers[0].running) = (Pc::Run { t: 0 }, 0);
    s
}

#[test]
fn the_protocol_holds() {
    for (workers, lanes, threads, new, fuel) in [(2, 2, 3, 0, 4), (2, 1, 3, 1, 4), (3, 2, 3, 1, 2)] {
        let states = Explorer::run(Old::Nothing, start(workers, lanes, threads, new, fuel)).unwrap_or_else(|e| panic!("{e}"));
        println!("{workers} workers, {lanes} lanes, {threads} threads, {fuel} operations: {states} states");
        assert!(states > 1_000);
    }
}

#[test]
fn each_old_mistake_is_found() {
    for (old, start) in [
        (Old::HandOffGivesUp, start(2, 2, 4, 0, 6)),
        (Old::KeepsLaneOfVictim, start(2, 2, 4, 0, 7)),
        (Old::OwnerFirst, start(3, 2, 3, 0, 5)),
    ] {
        match Explorer::run(old, start) {
            Ok(states) => panic!("{old:?} was not found in {states} states"),
            Err(what) => println!("{old:?}: {}", what.lines().next().unwrap_or_default()),
        }
    }
}
