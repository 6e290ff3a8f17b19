//! Locks that belong to a worker (`biased.rs`), explored exhaustively: every interleaving of taking, wanting and
//! giving.
//!
//! A worker takes one lock or another as often as it likes, in an atomic section, and never two at once. Each access to
//! a lock word, to a wish and to a worker's lock is a step of its own; an answer is three: a look at the wish, the
//! store of the lock, the end of the wish. Memory is sequentially consistent.
//!
//! An answer makes the worker that wanted the lock its owner, and that one makes it a held one, shared from then on, if
//! it is not held in turns.
//!
//! Checked in each state: L1 no two workers are in what one lock guards; L2 each worker in an atomic section can come
//! to its end, though nobody begins anything new meanwhile: from a circle of workers that wait for one another, or
//! after a wish that nobody sees, it could not; L3 a worker that was given a lock is the next one that takes it,
//! however late it comes to that.
//!
//! `Mistake` switches on what would be wrong; the model finds all of them.

use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    Nothing,
    /// A worker gives a lock away in what that lock guards.
    GivesInSection,
    /// A lock is taken from a worker that is outside in the middle of an atomic section.
    TakesFromSection,
    /// A worker that waits for a lock gives none away.
    WaitsDeaf,
    /// A shared lock is taken by a load and a store.
    NoSwap,
    /// Who acts for a worker that is outside does not hold its lock meanwhile.
    ActsUnlocked,
    /// An answer does not look whether the lock is still whose it was.
    AnswersBlindly,
    /// An answer makes a lock free for all.
    GivesToNobody,
    /// A worker that waits for a lock gives it away again before it has looked.
    GivesBack,
}

const NO: u8 = 255;
/// Takes in a row after which it belongs to the taker again.
const ROW: u8 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Word {
    /// `turns`: held in turns. Whether a lock becomes that, and when it ceases to be, is a matter of time: here it may
    /// or may not at any take. How long a turn is makes no difference to what can happen.
    Owned {
        by: u8,
        turns: bool,
    },
    Free {
        last: u8,
        row: u8,
    },
    Held {
        last: u8,
        row: u8,
    },
}

/// What a worker wants, and of whom.
type Wish = Option<(u8, u8)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Pc {
    /// Not in an atomic section.
    Open,
    /// In one, before `attempt` for lock `l`.
    Want {
        l: u8,
    },
    /// Has read a word that says free.
    Saw {
        l: u8,
        word: Word,
    },
    /// Has read that a lock that is held in turns is its own, and writes that it is no longer held so.
    Cool {
        l: u8,
    },
    Claim {
        l: u8,
        of: u8,
    },
    /// Looks whether the wish is fulfilled.
    Wait {
        l: u8,
        of: u8,
    },
    /// The wish is no longer there: fulfilled, not fulfilled, or withdrawn.
    Answered {
        l: u8,
    },
    /// Looks, under the owner's lock, whether that is outside.
    Knock {
        l: u8,
        of: u8,
    },
    /// It is.
    Acts {
        l: u8,
        of: u8,
    },
    /// Gives locks away: looks at the wish of `other`, stores the lock, ends the wish.
    Give {
        other: u8,
        back: Back,
    },
    Store {
        other: u8,
        wish: (u8, u8),
        back: Back,
    },
    End {
        other: u8,
        wish: (u8, u8),
        back: Back,
    },
    /// Has lock `l`, in the section that it guards.
    Inside {
        l: u8,
    },
    Release {
        l: u8,
    },
    /// Outside: between two threads, or in C, in an atomic section or not.
    Away {
        section: Option<u8>,
    },
}

/// Where a worker was when it began to give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Back {
    Open,
    Want(u8),
    Wait(u8, u8),
    Inside(u8),
    /// An answer to itself, for an owner that is outside.
    Own(u8, u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Worker {
    pc: Pc,
    wish: Wish,
    /// Whether it is outside, and whether in an atomic section; who has its lock.
    outside: bool,
    atomic: bool,
    lock: u8,
    /// A safepoint is asked for.
    request: bool,
    /// The lock that it was given, and has not come to take: for L3.
    due: Option<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    words: Vec<Word>,
    workers: Vec<Worker>,
}

struct Steps<'a> {
    mistake: Mistake,
    state: &'a State,
    w: usize,
    /// The states that come next, and whether something new begins there.
    next: Vec<(State, bool)>,
}

impl Steps<'_> {
    fn add(&mut self, s: State) {
        self.next.push((s, false));
    }

    fn goto(&mut self, mut s: State, pc: Pc) {
        s.workers[self.w].pc = pc;
        self.add(s);
    }

    /// All ways in which the worker can go on.
    fn all(&mut self) {
        let (w, me) = (self.w, self.w as u8);
        let mut s = self.state.clone();
        let worker = s.workers[w];
        match worker.pc {
            Pc::Open => {
                for l in 0..s.words.len() as u8 {
                    let mut begun = s.clone();
                    begun.workers[w].pc = Pc::Want { l };
                    begun.workers[w].atomic = true;
                    self.next.push((begun, true));
                }
                if worker.lock == NO {
                    let mut away = s.clone();
                    away.workers[w].outside = true;
                    away.workers[w].pc = Pc::Away { section: None };
                    self.next.push((away, true));
                }
                if worker.request {
                    s.workers[w].request = false;
                    self.goto(s, Pc::Give { other: 0, back: Back::Open });
                }
            }
            Pc::Want { l } => match s.words[l as usize] {
                Word::Owned { by, turns } if by == me => {
                    if turns {
                        self.goto(s.clone(), Pc::Cool { l });
                    }
                    self.goto(s, Pc::Inside { l });
                }
                Word::Owned { by, .. } => self.goto(s, Pc::Claim { l, of: by }),
                word @ Word::Free { .. } => self.goto(s, Pc::Saw { l, word }),
                // Tries again, or gives first.
                Word::Held { .. } if self.mistake == Mistake::WaitsDeaf => {}
                Word::Held { .. } => self.goto(s, Pc::Give { other: 0, back: Back::Want(l) }),
            },
            Pc::Saw { l, word } => {
                let Word::Free { last, row } = word else { unreachable!("only a free lock is taken") };
                if s.words[l as usize] != word && self.mistake != Mistake::NoSwap {
                    return self.goto(s, Pc::Want { l });
                }
                if last != me && last != NO {
                    let mut hot = s.clone();
                    hot.words[l as usize] = Word::Owned { by: me, turns: true };
                    self.goto(hot, Pc::Inside { l });
                }
                let row = if last == me { row + 1 } else { 0 };
                s.words[l as usize] =
                    if row >= ROW { Word::Owned { by: me, turns: false } } else { Word::Held { last: me, row } };
                self.goto(s, Pc::Inside { l });
            }
            Pc::Cool { l } => {
                s.words[l as usize] = Word::Owned { by: me, turns: false };
                self.goto(s, Pc::Inside { l });
            }
            Pc::Claim { l, of } => {
                s.workers[w].wish = Some((l, of));
                self.goto(s, Pc::Wait { l, of });
            }
            Pc::Wait { l, of } => {
                if worker.wish.is_none() {
                    return self.goto(s, Pc::Answered { l });
                }
                self.goto(s.clone(), Pc::Knock { l, of });
                if self.mistake != Mistake::WaitsDeaf {
                    self.goto(s.clone(), Pc::Give { other: 0, back: Back::Wait(l, of) });
                }
                // The world is stopped: withdraws, and asks again afterwards.
                s.workers[w].wish = None;
                s.workers[w].pc = Pc::Answered { l };
                self.next.push((s, true));
            }
            Pc::Answered { l } => {
                s.workers[w].due = None;
                match s.words[l as usize] {
                    Word::Owned { by, turns } if by == me => {
                        if turns {
                            self.goto(s.clone(), Pc::Cool { l });
                        } else {
                            s.words[l as usize] = Word::Held { last: me, row: 0 };
                        }
                        self.goto(s, Pc::Inside { l });
                    }
                    _ => self.goto(s, Pc::Want { l }),
                }
            }
            Pc::Knock { l, of } => {
                let holder = &mut s.workers[of as usize];
                if holder.lock != NO {
                    return;
                }
                if !holder.outside {
                    holder.request = true;
                } else if !holder.atomic || self.mistake == Mistake::TakesFromSection {
                    if self.mistake != Mistake::ActsUnlocked {
                        holder.lock = me;
                    }
                    return self.goto(s, Pc::Acts { l, of });
                }
                self.goto(s, Pc::Wait { l, of });
            }
            Pc::Acts { l, of } => match worker.wish {
                Some(wish) => self.goto(s, Pc::Store { other: me, wish, back: Back::Own(l, of) }),
                None => self.end(s, Back::Own(l, of)),
            },
            Pc::Give { other, back } => {
                if other as usize == s.workers.len() {
                    return self.end(s, back);
                }
                match s.workers[other as usize].wish {
                    Some(wish) if wish.1 == me && self.keeps(back, wish.0) => {
                        self.goto(s, Pc::End { other, wish, back })
                    }
                    Some(wish) if wish.1 == me => self.goto(s, Pc::Store { other, wish, back }),
                    _ => self.goto(s, Pc::Give { other: other + 1, back }),
                }
            }
            Pc::Store { other, wish, back } => {
                let word = &mut s.words[wish.0 as usize];
                match *word {
                    Word::Owned { by, turns } if by == wish.1 => {
                        *word = if turns || self.mistake != Mistake::GivesToNobody {
                            Word::Owned { by: other, turns }
                        } else {
                            Word::Free { last: NO, row: 0 }
                        };
                        if s.workers[other as usize].wish == Some(wish) {
                            s.workers[other as usize].due = Some(wish.0);
                        }
                    }
                    _ if self.mistake == Mistake::AnswersBlindly => *word = Word::Owned { by: other, turns: false },
                    _ => {}
                }
                self.goto(s, Pc::End { other, wish, back });
            }
            Pc::End { other, wish, back } => {
                if s.workers[other as usize].wish == Some(wish) {
                    s.workers[other as usize].wish = None;
                }
                match back {
                    Back::Own(..) => self.end(s, back),
                    _ => self.goto(s, Pc::Give { other: other + 1, back }),
                }
            }
            Pc::Inside { l } => {
                self.goto(s.clone(), Pc::Release { l });
                if worker.request && self.mistake == Mistake::GivesInSection {
                    let mut gives = s.clone();
                    gives.workers[w].request = false;
                    self.goto(gives, Pc::Give { other: 0, back: Back::Inside(l) });
                }
                if worker.lock == NO {
                    s.workers[w].outside = true;
                    s.workers[w].pc = Pc::Away { section: Some(l) };
                    self.next.push((s, true));
                }
            }
            Pc::Release { l } => {
                if let Word::Held { last, row } = s.words[l as usize] {
                    s.words[l as usize] = Word::Free { last, row };
                }
                s.workers[w].atomic = false;
                self.goto(s, Pc::Open);
            }
            Pc::Away { section } => {
                if worker.lock == NO {
                    s.workers[w].outside = false;
                    self.goto(s, section.map_or(Pc::Open, |l| Pc::Inside { l }));
                }
            }
        }
    }

    /// Whether a worker that gives locks away refuses this one, since it wants it itself.
    fn keeps(&self, back: Back, lock: u8) -> bool {
        self.mistake != Mistake::GivesBack && matches!(back, Back::Wait(l, _) if l == lock)
    }

    fn end(&mut self, mut s: State, back: Back) {
        let pc = match back {
            Back::Open => Pc::Open,
            Back::Want(l) => Pc::Want { l },
            Back::Wait(l, of) => Pc::Wait { l, of },
            Back::Inside(l) => Pc::Inside { l },
            Back::Own(l, of) => {
                if s.workers[of as usize].lock == self.w as u8 {
                    s.workers[of as usize].lock = NO;
                }
                Pc::Wait { l, of }
            }
        };
        self.goto(s, pc);
    }
}

/// Which lock a worker is in, and which it wants.
fn inside(worker: &Worker) -> Option<u8> {
    match worker.pc {
        Pc::Inside { l } | Pc::Release { l } | Pc::Away { section: Some(l) } => Some(l),
        Pc::Give { back: Back::Inside(l), .. } | Pc::Store { back: Back::Inside(l), .. } => Some(l),
        Pc::End { back: Back::Inside(l), .. } => Some(l),
        _ => None,
    }
}

/// Explores everything that can be reached; gives what is wrong, or the number of states.
fn run(mistake: Mistake, workers: usize, locks: usize) -> Result<usize, String> {
    let worker =
        Worker { pc: Pc::Open, wish: None, outside: false, atomic: false, lock: NO, request: false, due: None };
    let start = State {
        words: (0..locks as u8).map(|l| Word::Owned { by: l % workers as u8, turns: false }).collect(),
        workers: vec![worker; workers],
    };
    let mut index = HashMap::from([(start.clone(), 0usize)]);
    let mut states = vec![start];
    // For each state: who comes here by a step in which nothing new begins.
    let mut before: Vec<Vec<u32>> = vec![Vec::new()];
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        for l in 0..locks as u8 {
            if state.workers.iter().filter(|worker| inside(worker) == Some(l)).count() > 1 {
                return Err(format!("L1: two workers are in what one lock guards\n{state:?}"));
            }
        }
        for (w, worker) in state.workers.iter().enumerate() {
            let is_elsewhere =
                |l| state.workers.iter().enumerate().any(|(v, other)| v != w && inside(other) == Some(l));
            if worker.due.is_some_and(is_elsewhere) {
                return Err(format!("L3: another worker is in the lock that worker {w} was given\n{state:?}"));
            }
        }
        for w in 0..workers {
            let mut steps = Steps { mistake, state: &state, w, next: Vec::new() };
            steps.all();
            for (next, begins) in steps.next {
                let to = *index.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    before.push(Vec::new());
                    states.len() - 1
                });
                if !begins {
                    before[to].push(at as u32);
                }
            }
        }
        at += 1;
    }
    // From where can worker `w` come to be in no lock and want none, if nobody begins anything new?
    for w in 0..workers {
        let mut can = vec![false; states.len()];
        let mut todo: Vec<u32> = Vec::new();
        for (i, state) in states.iter().enumerate() {
            if !state.workers[w].atomic {
                can[i] = true;
                todo.push(i as u32);
            }
        }
        while let Some(i) = todo.pop() {
            for &from in &before[i as usize] {
                if !std::mem::replace(&mut can[from as usize], true) {
                    todo.push(from);
                }
            }
        }
        if let Some(i) = can.iter().position(|&can| !can) {
            return Err(format!("L2: worker {w} waits for ever\n{:?}", states[i]));
        }
    }
    Ok(states.len())
}

#[test]
fn locks_are_given_and_taken_by_one_at_a_time() {
    for (workers, locks) in [(2, 1), (2, 2)] {
        let states = run(Mistake::Nothing, workers, locks).unwrap_or_else(|e| panic!("{e}"));
        println!("{workers} workers, {locks} locks: {states} states");
    }
}

/// `cargo test --release --test locks -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn three_workers() {
    let states = run(Mistake::Nothing, 3, 1).unwrap_or_else(|e| panic!("{e}"));
    println!("3 workers, 1 lock: {states} states");
}

#[test]
fn each_mistake_is_found() {
    for (mistake, workers, locks) in [
        (Mistake::GivesInSection, 2, 1),
        (Mistake::TakesFromSection, 2, 1),
        (Mistake::WaitsDeaf, 2, 2),
        (Mistake::NoSwap, 2, 1),
        (Mistake::ActsUnlocked, 2, 1),
        (Mistake::AnswersBlindly, 3, 1),
        (Mistake::GivesToNobody, 2, 1),
        (Mistake::GivesBack, 3, 1),
    ] {
        match run(mistake, workers, locks) {
            Ok(states) => panic!("{mistake:?} was not found in {states} states"),
            Err(what) => println!("{mistake:?}: {}", what.lines().next().unwrap_or_default()),
        }
    }
}
