//! A model of marking while a program runs: all orders of the program's steps, the marker's, minor collections,
//! beginnings and ends, for a few objects. In each state everything that the program can reach is there; nothing that
//! is dead survives two markings.
//!
//! The model is of what `slices.rs` and `beside.rs` do, not of how: an object is free, young or old, marked or not; a
//! marking has a stack, and lists of what it is to look at again. Each mistake of [`Mistake`] is planted in turn, and
//! must be found.
//!
//! | in the model | in the collector |
//! |---|---|
//! | `top`, `deep` | frames of the running thread; `deep` has not run since the last minor collection, unless it is `fresh` |
//! | `table` | a timer: a root that a minor collection looks at only if it was noted, and a marking at some time, or when it was noted |
//! | a thread's `fields[0]` | its frames, on a lane: found by minor collections always, by a marking when the thread is |
//! | `pending` | a store of a header's word that was loaded before (only by mistake) |

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// What an object is; how many references it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pair,
    Cell,
    /// An array that is born old.
    Large,
    Thread,
}

impl Kind {
    fn fields(self) -> usize {
        if self == Kind::Pair { 2 } else { 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Age {
    #[default]
    Free,
    Young,
    Old,
}

const MOST: usize = 3;
/// The number of an object and 1; 0: no object.
type Word = u8;
/// A set of objects.
type Set = u8;

fn bit(word: Word) -> Set {
    if word == 0 { 0 } else { 1 << (word - 1) }
}

fn words(set: Set) -> impl Iterator<Item = Word> {
    (1..=MOST as Word).filter(move |&word| set & bit(word) != 0)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Object {
    age: Age,
    is_marked: bool,
    fields: [Word; 2],
    /// Markings at whose beginning it was dead.
    dead: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct State {
    objects: [Object; MOST],
    top: Word,
    deep: Word,
    is_fresh: bool,
    table: Word,
    is_noted: bool,
    /// The marking that is under way has not looked at the table.
    is_unseen: bool,
    weak: Word,
    /// The workers': logged objects, arrays with dirty cards, objects that were stored into large arrays.
    log: Set,
    cards: Set,
    noted: Set,
    /// All workers are stopped, and nurseries and logs are empty.
    is_stopped: bool,
    /// A marking is under way: what it has yet to scan, and what it leaves to the next slice.
    is_marking: bool,
    stack: Set,
    later: Set,
    /// The object that is being scanned, and the field that comes next.
    at: Word,
    next: u8,
    /// By mistake: an object and whether it was marked.
    pending: Word,
    was_marked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    None,
    /// A log is emptied before the marking has it.
    LogNotHandedOver,
    /// Of a logged object one reference is looked at.
    LogHalfScanned,
    /// The top frame is no root at the end.
    FrameNotMarked,
    /// Frames that have not run are no roots at the end.
    DeepNotMarked,
    /// A marking ends before it has looked at a table of the runtime's.
    TableNotMarked,
    /// A table's new entry is not noted.
    TableNotNoted,
    /// A table's new entry is noted, but not marked, since it is old.
    NotedNotMarked,
    /// What was promoted is not scanned.
    RowNotHandedOver,
    /// What is promoted is marked by nobody, and counts as scanned.
    PromotedNotMarked,
    /// An old object that is stored into a large array is not noted.
    StoredNotNoted,
    /// A large array is not logged when it is made.
    LargeNotLogged,
    /// The frames of a thread that was not reached are roots of a marking.
    DeadThreadScanned,
    /// A thread that is reached at the end is not scanned.
    LateThreadNotScanned,
    /// What the marker leaves to a slice is forgotten.
    LaterForgotten,
    /// A marking ends although something is left to scan.
    EndsWithGrey,
    /// And although an object has been scanned in part.
    EndsAmidObject,
    /// Weak pointers are cleared before the roots are marked for the last time.
    WeakTooEarly,
    /// The marker follows young addresses.
    YoungFollowed,
    /// A marking begins while there is a log, which is emptied.
    BeginsWithLog,
    /// `U` and `M` are written as one word.
    OneWord,
}

const MISTAKES: [Mistake; 20] = [
    Mistake::LogNotHandedOver,
    Mistake::LogHalfScanned,
    Mistake::FrameNotMarked,
    Mistake::DeepNotMarked,
    Mistake::TableNotMarked,
    Mistake::TableNotNoted,
    Mistake::NotedNotMarked,
    Mistake::RowNotHandedOver,
    Mistake::PromotedNotMarked,
    Mistake::StoredNotNoted,
    Mistake::LargeNotLogged,
    Mistake::DeadThreadScanned,
    Mistake::LateThreadNotScanned,
    Mistake::LaterForgotten,
    Mistake::EndsWithGrey,
    Mistake::EndsAmidObject,
    Mistake::WeakTooEarly,
    Mistake::YoungFollowed,
    Mistake::BeginsWithLog,
    Mistake::OneWord,
];

/// What there is, and what is done with it.
#[derive(Clone, Copy)]
struct Scene {
    kinds: &'static [Kind],
    has_table: bool,
    has_weak: bool,
    /// The marker works while the program runs; else only while it is stopped.
    is_beside: bool,
    mistake: Mistake,
}

impl Scene {
    fn kind(&self, word: Word) -> Kind {
        self.kinds[word as usize - 1]
    }

    fn fields(&self, word: Word) -> &'static [usize] {
        &[0, 1][..self.kind(word).fields()]
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == mistake
    }

    /// All that the program can come to.
    fn reachable(&self, s: &State) -> Result<Set, String> {
        self.reach(s, s.weak)
    }

    /// All that its roots, and this object, lead to.
    fn reach(&self, s: &State, weak: Word) -> Result<Set, String> {
        let mut seen = 0;
        let mut todo = vec![s.top, s.deep, s.table, weak];
        while let Some(word) = todo.pop() {
            if word == 0 || seen & bit(word) != 0 {
                continue;
            }
            if s.object(word).age == Age::Free {
                return Err(format!("object {word} is reachable, and free"));
            }
            seen |= bit(word);
            todo.extend(self.fields(word).iter().map(|&field| s.object(word).fields[field]));
        }
        Ok(seen)
    }

    /// What must hold in each state.
    fn check(&self, s: &State) -> Result<(), String> {
        self.reachable(s)?;
        for word in words(s.stack | s.later | bit(s.at)) {
            if s.object(word).age != Age::Old {
                return Err(format!("object {word} is to be scanned, and not old"));
            }
        }
        Ok(())
    }

    /// A store into an object, with its barrier.
    fn store(&self, s: &mut State, holder: Word, field: usize, value: Word) {
        s.object_mut(holder).fields[field] = value;
        if s.object(holder).age != Age::Old || s.log & bit(holder) != 0 {
            return;
        }
        if self.kind(holder) == Kind::Large {
            if value != 0 && s.object(value).age == Age::Young {
                s.cards |= bit(holder);
            } else if value != 0 && s.is_marking && !s.object(value).is_marked && !self.makes(Mistake::StoredNotNoted) {
                s.noted |= bit(value);
            }
            return;
        }
        s.log |= bit(holder);
        if self.makes(Mistake::OneWord) && self.is_beside {
            (s.pending, s.was_marked) = (holder, s.object(holder).is_marked);
        }
    }

    /// Marks an object, which is to be scanned then.
    fn mark(&self, s: &mut State, word: Word) {
        if word == 0 {
            return;
        }
        let object = s.object_mut(word);
        if object.age == Age::Old && !object.is_marked {
            object.is_marked = true;
            s.stack |= bit(word);
        } else if object.age == Age::Young && self.makes(Mistake::YoungFollowed) {
            s.stack |= bit(word);
        }
    }

    fn scan(&self, s: &mut State, word: Word, fields: usize) {
        for &field in self.fields(word).iter().take(fields) {
            self.mark(s, s.object(word).fields[field]);
        }
    }

    fn mark_roots(&self, s: &mut State, is_end: bool) {
        let wrong = |mistake| is_end && self.makes(mistake);
        if !wrong(Mistake::FrameNotMarked) {
            self.mark(s, s.top);
        }
        if !wrong(Mistake::DeepNotMarked) {
            self.mark(s, s.deep);
        }
        if self.makes(Mistake::DeadThreadScanned) {
            for word in 1..=self.kinds.len() as Word {
                if self.kind(word) == Kind::Thread && s.object(word).age == Age::Old {
                    self.scan(s, word, 2);
                }
            }
        }
    }

    /// All workers stop: survivors of the nursery become old, logs are handed over.
    fn minor(&self, s: &mut State) {
        let mut reached = 0;
        let mut todo = vec![s.top];
        if s.is_fresh {
            todo.push(s.deep);
        }
        if s.is_noted {
            todo.push(s.table);
        }
        for word in 1..=self.kinds.len() as Word {
            let age = s.object(word).age;
            let is_lane = self.kind(word) == Kind::Thread && age != Age::Free;
            if is_lane || (s.log | s.cards) & bit(word) != 0 {
                todo.extend(s.object(word).fields);
            }
        }
        while let Some(word) = todo.pop() {
            if word != 0 && s.object(word).age == Age::Young && reached & bit(word) == 0 {
                reached |= bit(word);
                todo.extend(s.object(word).fields);
            }
        }
        for word in 1..=self.kinds.len() as Word {
            if s.object(word).age != Age::Young {
                continue;
            }
            if reached & bit(word) != 0 {
                let is_marked = !self.makes(Mistake::PromotedNotMarked);
                *s.object_mut(word) = Object { age: Age::Old, is_marked, ..s.object(word) };
            } else {
                *s.object_mut(word) = Object::default();
                if s.weak == word {
                    s.weak = 0;
                }
            }
        }
        let is_noted = s.is_noted;
        let (log, noted) = (std::mem::take(&mut s.log), std::mem::take(&mut s.noted));
        (s.cards, s.is_fresh, s.is_noted, s.is_stopped) = (0, false, false, true);
        if !s.is_marking {
            return;
        }
        // What a slice begins with.
        if !self.makes(Mistake::RowNotHandedOver) && !self.makes(Mistake::PromotedNotMarked) {
            words(reached).for_each(|word| self.scan(s, word, 2));
        }
        if !self.makes(Mistake::LogNotHandedOver) {
            for word in words(log).filter(|&word| s.object(word).is_marked).collect::<Vec<_>>() {
                self.scan(s, word, if self.makes(Mistake::LogHalfScanned) { 1 } else { 2 });
            }
        }
        words(noted).for_each(|word| self.mark(s, word));
        if is_noted && !self.makes(Mistake::NotedNotMarked) {
            self.mark(s, s.table);
        }
        let later = std::mem::take(&mut s.later);
        if !self.makes(Mistake::LaterForgotten) {
            words(later).for_each(|word| self.scan(s, word, 2));
        }
    }

    fn begin(&self, s: &mut State) {
        let live = self.reachable(s).unwrap_or(0);
        for word in 1..=self.kinds.len() as Word {
            let object = s.object_mut(word);
            object.is_marked = false;
            object.dead = if object.age == Age::Old && live & bit(word) == 0 { object.dead + 1 } else { 0 };
        }
        (s.is_marking, s.is_unseen) = (true, self.has_table);
        self.mark_roots(s, false);
    }

    /// The marker's next step; it may take any object.
    fn step(&self, s: &State) -> Vec<State> {
        if s.at != 0 {
            let mut t = *s;
            self.mark(&mut t, s.object(s.at).fields[s.next as usize]);
            t.next += 1;
            if t.next as usize == self.kind(t.at).fields() {
                (t.at, t.next) = (0, 0);
            }
            return vec![t];
        }
        words(s.stack)
            .map(|word| {
                let mut t = *s;
                t.stack &= !bit(word);
                if self.kind(word) != Kind::Thread {
                    t.at = word;
                } else if t.is_stopped {
                    self.scan(&mut t, word, 2);
                } else {
                    t.later |= bit(word);
                }
                t
            })
            .collect()
    }

    /// Nothing is left to scan, as it seems: roots, weak pointers, and what was not marked is free.
    fn end(&self, s: &mut State) -> Result<(), String> {
        let clear = |s: &mut State| {
            if s.weak != 0 && !s.object(s.weak).is_marked {
                s.weak = 0;
            }
        };
        let (weak, strong) = (s.weak, self.reach(s, 0)?);
        if self.makes(Mistake::WeakTooEarly) {
            clear(s);
        }
        self.mark_roots(s, true);
        if !self.makes(Mistake::EndsWithGrey) {
            while let Some(word) = words(s.stack).next() {
                s.stack &= !bit(word);
                if !(self.kind(word) == Kind::Thread && self.makes(Mistake::LateThreadNotScanned)) {
                    self.scan(s, word, 2);
                }
            }
        }
        (s.stack, s.at, s.next, s.is_marking, s.is_unseen) = (0, 0, 0, false, false);
        clear(s);
        if s.weak != weak && strong & bit(weak) != 0 {
            return Err(format!("the weak pointer to {weak} is cleared, and it lives"));
        }
        for word in 1..=self.kinds.len() as Word {
            let object = s.object_mut(word);
            if object.age == Age::Old && !object.is_marked {
                *object = Object::default();
            }
            if object.dead >= 2 {
                return Err(format!("object {word} was dead at the beginning of two markings, and lives"));
            }
        }
        Ok(())
    }

    /// The states that come next. Err: something is wrong in one of them.
    fn next(&self, s: &State) -> Result<Vec<State>, String> {
        let mut all = Vec::new();
        if s.pending != 0 {
            // The word comes now, or the marker is faster.
            let mut t = *s;
            t.object_mut(s.pending).is_marked = s.was_marked;
            (t.pending, t.was_marked) = (0, false);
            all.push(t);
            all.extend(if s.is_marking { self.step(s) } else { Vec::new() });
            return Ok(all);
        }
        if s.is_marking && (s.is_stopped || self.is_beside) {
            all.extend(self.step(s));
        }
        if s.is_stopped {
            if !s.is_marking {
                let mut t = *s;
                self.begin(&mut t);
                all.push(t);
            } else {
                if s.is_unseen {
                    let mut t = *s;
                    self.mark(&mut t, s.table);
                    t.is_unseen = false;
                    all.push(t);
                }
                let is_dry = s.stack == 0 && s.later == 0 && s.at == 0;
                let ends = match self.mistake {
                    Mistake::EndsWithGrey => s.at == 0 && s.later == 0 && !s.is_unseen,
                    Mistake::EndsAmidObject => s.stack == 0 && s.later == 0 && !s.is_unseen,
                    Mistake::TableNotMarked => is_dry,
                    _ => is_dry && !s.is_unseen,
                };
                if ends {
                    let mut t = *s;
                    self.end(&mut t)?;
                    all.push(t);
                    // It was more than the budget allows.
                    let mut t = *s;
                    self.mark_roots(&mut t, false);
                    all.push(t);
                }
            }
            all.push(State { is_stopped: false, ..*s });
            return Ok(all);
        }
        let mut t = *s;
        self.minor(&mut t);
        all.push(t);
        if self.makes(Mistake::BeginsWithLog) && !s.is_marking {
            let mut t = *s;
            t.log = 0;
            self.begin(&mut t);
            all.push(t);
        }
        self.program(s, &mut all);
        Ok(all)
    }

    /// What the program may do.
    fn program(&self, s: &State, all: &mut Vec<State>) {
        let mut add = |change: &dyn Fn(&mut State)| {
            let mut t = *s;
            change(&mut t);
            all.push(t);
        };
        for word in 1..=self.kinds.len() as Word {
            if s.object(word).age == Age::Free {
                // A large one holds something at once, without a barrier.
                let is_large = self.kind(word) == Kind::Large;
                add(&|t| {
                    let (age, first) = if is_large { (Age::Old, t.deep) } else { (Age::Young, 0) };
                    *t.object_mut(word) = Object { age, is_marked: true, fields: [first, 0], dead: 0 };
                    t.top = word;
                    if is_large && !self.makes(Mistake::LargeNotLogged) {
                        t.log |= bit(word);
                    }
                });
                // Which one of a kind does not matter.
                if word > 1 && self.kind(word) == self.kind(word - 1) {
                    continue;
                }
            }
        }
        add(&|t| {
            (t.top, t.deep) = (t.deep, t.top);
            t.is_fresh = true;
        });
        if s.top != 0 {
            add(&|t| t.top = 0);
            for &field in self.fields(s.top) {
                add(&|t| t.top = t.object(t.top).fields[field]);
                add(&|t| self.store(t, t.top, field, t.deep));
                if s.deep != 0 {
                    add(&|t| self.store(t, t.top, field, 0));
                }
            }
            if self.has_weak {
                add(&|t| t.weak = t.top);
            }
        }
        if self.has_weak {
            add(&|t| t.top = t.weak);
        }
        if self.has_table {
            add(&|t| {
                t.table = t.top;
                t.is_noted = !self.makes(Mistake::TableNotNoted);
            });
            add(&|t| t.top = t.table);
        }
    }

    /// Looks at all states that there are. Gives their number, or what is wrong in one of them.
    fn explore(&self) -> Result<usize, String> {
        let mut seen: HashSet<State, BuildHasherDefault<Fast>> = HashSet::default();
        let mut todo = vec![State::default()];
        seen.insert(State::default());
        while let Some(state) = todo.pop() {
            for next in self.next(&state)? {
                if seen.insert(next) {
                    self.check(&next)?;
                    todo.push(next);
                }
            }
        }
        Ok(seen.len())
    }
}

impl State {
    fn object(&self, word: Word) -> Object {
        self.objects[word as usize - 1]
    }

    fn object_mut(&mut self, word: Word) -> &mut Object {
        &mut self.objects[word as usize - 1]
    }
}

#[derive(Default)]
struct Fast(u64);

impl Hasher for Fast {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u8(byte));
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u8(word as u8);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

use Kind::{Cell, Large, Pair, Thread};

/// What is looked at: kinds, a table, a weak pointer.
const SCENES: [(&[Kind], bool, bool); 5] = [
    (&[Pair, Cell], false, false),
    (&[Cell, Cell], true, true),
    (&[Cell, Large], true, false),
    (&[Cell, Thread], true, true),
    (&[Cell, Cell, Cell], false, false),
];

fn scenes(mistake: Mistake) -> impl Iterator<Item = Scene> {
    let all = SCENES.iter().flat_map(|scene| [(scene, false), (scene, true)]);
    all.map(move |(&(kinds, has_table, has_weak), is_beside)| Scene { kinds, has_table, has_weak, is_beside, mistake })
}

#[test]
fn what_is_reachable_is_never_freed() {
    for scene in scenes(Mistake::None) {
        let states = scene.explore().unwrap_or_else(|wrong| panic!("{:?}: {wrong}", scene.kinds));
        println!("{:?} beside {}: {states} states", scene.kinds, scene.is_beside);
        assert!(states > 1_000);
    }
}

#[test]
fn each_mistake_is_found() {
    let missed: Vec<Mistake> =
        MISTAKES.into_iter().filter(|&mistake| scenes(mistake).all(|scene| scene.explore().is_ok())).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
