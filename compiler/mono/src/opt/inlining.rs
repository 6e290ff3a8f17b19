//! What inlining knows: the functions that may be copied or moved to a call, what that may still cost, and what a
//! function's body says of both. [`super::simplify`] keeps it while it walks; [`super::inline`] decides by it.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::census;
use super::uncurry::mentions_itself;
use crate::ir::*;

/// Inlined where an argument is a known function that a loop of the body calls: then the loop is compiled for that
/// function. A budget of its own pays for it, so that there is fuel for small functions behind it.
pub(super) const LOOP: usize = 2000;

/// Of so many instructions of a program each brings fuel for two, when the walk begins.
const PLENTY: usize = 20_000;
/// Of the rest, so many bring fuel for one, as the walk comes to them. With more, a large program takes longer to
/// compile, and is no faster (docs/internals/ir/mono.md).
const INCOME: usize = 16;

/// What the simplifier keeps for its decisions on calls.
pub(super) struct Inlining {
    pub depth: u32,
    /// In a wrapper of `uncurry`: how many places use it. Else 1.
    pub wrapper: usize,
    /// Of functions that may be inlined.
    pub usual: Budget,
    /// How large functions may be, all together, that are called once and move to the call. The program does not grow
    /// by them.
    pub moves: usize,
    /// How large the bindings of the outermost body are that the walk has come to.
    walked: usize,
    /// Of functions whose loops call a known function.
    pub loops: Budget,
    /// Functions that a body ends with and gives: they cannot be called before the body is inlined.
    pub given: FxHashSet<Var>,
    /// Wrappers of `uncurry`, by the functions that they call.
    pub wrappers: FxHashMap<Var, Var>,
    /// Functions that are called in one place, which the walk has yet to come to: not simplified yet.
    pub waiting: FxHashMap<Var, Waiting>,
    /// What bodies that are put at calls give, if that is called once behind them.
    pub called_next: FxHashSet<Var>,
}

/// A function that may be inlined: already simplified.
pub(super) struct Inlinable {
    pub params: Vec<Var>,
    pub body: Body,
    /// Of its definition.
    pub line: u32,
    pub size: usize,
    pub inline: Inline,
    pub join: bool,
    /// Where it is called, when it is met.
    pub calls: usize,
    /// Parameters that the body calls, takes apart, or passes to what it calls.
    pub looks_at: Vec<bool>,
    /// Parameters that a loop inside the body calls; empty if the body is small or enormous.
    pub loops_over: Vec<bool>,
    /// How large the copies are that were made for the sake of its loops.
    pub looped: Cell<usize>,
    /// Small, and calls nothing.
    pub is_leaf: bool,
}

/// A function that is called once. Its body goes to the call as it stands, and is simplified there, once: a copy of
/// what is simplified already would be simplified again in each function around it.
pub(super) struct Waiting {
    pub function: Function,
    /// With those that wait for a call in its body, and so on: how large they are, and how deep they nest.
    pub size: usize,
    pub depth: u32,
}

/// What inlining may still cost.
pub(super) struct Budget {
    /// By how much the program may grow.
    pub fuel: usize,
    /// How much may be kept in copies of functions. A function in a function in a function is in three copies.
    pub room: usize,
}

impl Budget {
    pub fn of(both: usize) -> Budget {
        Budget { fuel: both, room: both }
    }

    pub fn grow(&mut self, size: usize) {
        self.fuel = self.fuel.saturating_sub(size);
    }

    pub fn keep(&mut self, size: usize) {
        self.room = self.room.saturating_sub(size);
    }
}

impl Inlining {
    /// Nothing yet, for a program of that size.
    pub fn new(before: usize) -> Inlining {
        Inlining {
            depth: 0,
            wrapper: 1,
            usual: Budget { fuel: 4000 + 2 * before.min(PLENTY), room: 4000 + 8 * before.min(PLENTY) },
            moves: 4000 + 2 * before,
            walked: 0,
            loops: Budget::of(2 * LOOP + before / 2),
            given: FxHashSet::default(),
            wrappers: FxHashMap::default(),
            waiting: FxHashMap::default(),
            called_next: FxHashSet::default(),
        }
    }

    /// The walk comes to a binding of the outermost body, of this size.
    pub fn come_to(&mut self, size: usize) {
        let income = |walked: usize| walked.saturating_sub(PLENTY) / INCOME;
        let more = income(self.walked + size) - income(self.walked);
        self.walked += size;
        self.usual.fuel += more;
        self.usual.room += 4 * more;
    }

    /// The walk comes to a body with these functions; likewise below.
    pub fn note_given(&mut self, body: &Body) {
        self.given.extend(given(body));
    }

    pub fn note_wrappers(&mut self, body: &Body) {
        self.wrappers.extend(functions(body).filter_map(|function| Some((worker(function)?, function.var))));
    }

    /// The walk goes into a function that is used so often. The answer is for `leave`.
    pub fn enter(&mut self, function: &Function, uses: u32) -> usize {
        let outer = self.wrapper;
        if worker(function).is_some() {
            self.wrapper = outer.max(uses as usize);
        }
        outer
    }

    pub fn leave(&mut self, outer: usize) {
        self.wrapper = outer;
    }
}

/// `let fun f x = .. in f end`: f.
pub(super) fn given(body: &Body) -> Option<Var> {
    let Some(Bind::Fun(group)) = body.binds.last() else { return None };
    only_result(body).filter(|&var| matches!(group.as_slice(), [function] if function.var == var))
}

/// The variable that is all that a body gives.
pub(super) fn only_result(body: &Body) -> Option<Var> {
    match &body.result {
        Outcome::Values(atoms) => match atoms.as_slice() {
            &[Atom::Var(var)] => Some(var),
            _ => None,
        },
        _ => None,
    }
}

/// The function that a body gives, and the worker that it is the wrapper of, if the body has them.
pub(super) fn given_last(body: &Body) -> Vec<Var> {
    let given = only_result(body);
    let function = functions(body).find(|function| Some(function.var) == given);
    function.map_or(Vec::new(), |function| [function.var].into_iter().chain(worker(function)).collect())
}

/// The functions of a body, without those inside of them.
pub(super) fn functions(body: &Body) -> impl Iterator<Item = &Function> {
    body.binds.iter().flat_map(|bind| match bind {
        Bind::Fun(group) => group.as_slice(),
        Bind::Val { .. } => &[],
    })
}

/// `fun f x = fn y => g (x, y)`, as `uncurry` makes it: g.
pub(super) fn worker(function: &Function) -> Option<Var> {
    if function.inline != Inline::Always {
        return None;
    }
    let mut body = &function.body;
    let mut lists = 0;
    while let [Bind::Fun(inner)] = body.binds.as_slice()
        && let [inner] = inner.as_slice()
    {
        lists += 1;
        body = &inner.body;
    }
    match body.binds.as_slice() {
        &[Bind::Val { rhs: Rhs::App { f: Atom::Var(worker), .. }, .. }] if lists > 0 => Some(worker),
        _ => None,
    }
}

/// A body without calls and functions.
pub(super) fn is_leaf(body: &Body) -> bool {
    body.binds.iter().all(|bind| match bind {
        Bind::Val { rhs: Rhs::App { .. }, .. } | Bind::Fun(_) => false,
        Bind::Val { rhs: Rhs::Case { arms, default, .. }, .. } => {
            census::bodies(arms).chain(default.iter().map(|body| &**body)).all(is_leaf)
        }
        Bind::Val { rhs: Rhs::Handle { .. }, .. } => false,
        Bind::Val { .. } => true,
    })
}

/// Which parameters a loop inside the body calls.
pub(super) fn loops_over(params: &[Var], body: &Body) -> Vec<bool> {
    fn go(body: &Body, inside: bool, mark: &mut dyn FnMut(Atom)) {
        for bind in &body.binds {
            match bind {
                Bind::Val { rhs: Rhs::App { f, .. }, .. } if inside => mark(*f),
                Bind::Val { rhs: Rhs::Case { arms, default, .. }, .. } => {
                    for body in census::bodies(arms).chain(default.iter().map(|body| &**body)) {
                        go(body, inside, mark);
                    }
                }
                Bind::Val { rhs: Rhs::Handle { body, handler, .. }, .. } => {
                    go(body, inside, mark);
                    go(handler, inside, mark);
                }
                Bind::Val { .. } => {}
                Bind::Fun(group) => {
                    let loops = inside || group.len() > 1 || group.iter().any(mentions_itself);
                    group.iter().for_each(|function| go(&function.body, loops, mark));
                }
            }
        }
    }
    let mut loops = vec![false; params.len()];
    let mut mark = |atom: Atom| {
        if let Atom::Var(var) = atom
            && let Some(i) = params.iter().position(|&param| param == var)
        {
            loops[i] = true;
        }
    };
    go(body, false, &mut mark);
    loops
}

/// Which parameters the body calls, takes apart or passes on.
pub(super) fn looks_at(params: &[Var], body: &Body) -> Vec<bool> {
    let mut looks = vec![false; params.len()];
    let mut mark = |atom: Atom| {
        if let Atom::Var(var) = atom
            && let Some(i) = params.iter().position(|&param| param == var)
        {
            looks[i] = true;
        }
    };
    fn go(body: &Body, mark: &mut dyn FnMut(Atom)) {
        for bind in &body.binds {
            match bind {
                Bind::Val { rhs, .. } => match rhs {
                    Rhs::App { f, args } => {
                        mark(*f);
                        args.iter().for_each(|&arg| mark(arg));
                    }
                    Rhs::Select(_, atom) => mark(*atom),
                    Rhs::Case { scrut, arms, default } => {
                        mark(*scrut);
                        for body in census::bodies(arms).chain(default.iter().map(|body| &**body)) {
                            go(body, mark);
                        }
                    }
                    Rhs::Handle { body, handler, .. } => {
                        go(body, mark);
                        go(handler, mark);
                    }
                    _ => {}
                },
                Bind::Fun(group) => group.iter().for_each(|function| go(&function.body, mark)),
            }
        }
    }
    go(body, &mut mark);
    looks
}
