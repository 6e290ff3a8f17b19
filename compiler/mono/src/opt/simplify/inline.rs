//! Inlining, for the simplifier: which calls become copies of a function's body, and which functions move to a call.
//! Part of [`super::simplify`], whose walk asks here at each call.
//!
//! A function that is called in one place waits (`wait`) until the walk comes to the call, and moves there. Any other
//! one is simplified where it stands, and remembered (`remember`) if it may be worth a copy; what a call says of its
//! arguments decides (`wants`). Of recursive functions only wrappers are remembered (`uncurry`, `invariant`), so no
//! loop is unrolled.
//!
//! What bounds the growth: the sizes below, in instructions; fuel for copies and room for what is remembered
//! ([`Budget`]), in proportion to the program; and how deep copies nest.

use std::cell::Cell;
use std::rc::Rc;

use leat_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::census;
use super::super::copy::{Copier, relocate, size, size_without};
use super::super::uncurry::{mentions_itself, visit_atoms};
use super::{Known, Simplifier};
use crate::ir::*;

/// Inlined wherever it is called; in a copy of another function only as long as there is fuel.
const SMALL: usize = 12;
/// Inlined wherever it is called, if it is a wrapper that `uncurry` or `invariant` made. A larger one, in which its
/// worker has been inlined, is paid for.
const WRAPPER: usize = 20;
/// Inlined where an argument is a known function or constructor that the body looks at.
const MEDIUM: usize = 90;
/// Inlined wherever it is called, if it calls nothing and all its copies together are no larger than `LEAVES`: so what
/// two calls compute alike is computed once.
const LEAF: usize = 60;
const LEAVES: usize = 600;
/// Inlined where an argument is a known function that a loop of the body calls: then the loop is compiled for that
/// function. A budget of its own pays for it, so that there is fuel for small functions behind it.
const LOOP: usize = 2000;
/// All such copies of one function together are no larger: a large one that is called everywhere, with functions of its
/// own each time, would be most of the program.
const LOOPS: usize = 4 * LOOP;
/// Called once: inlined unless it is enormous (compile time of one huge function).
const ONCE: usize = 2000;
/// The worker of a wrapper is inlined into the wrapper, where nothing else calls it, only if all copies of the wrapper
/// together are no larger: else each partial application would have a copy of the worker.
const WRAPPED: usize = 600;
/// An arm is copied to all its ends, or a function to all its calls, if this many instructions suffice for all copies.
const COPIES: usize = 24;
/// How deep inlining nests.
const DEPTH: u32 = 24;
/// How deep functions that are called once are put into one another before any of them is simplified.
const WAITING_DEPTH: u32 = 8;

/// What the simplifier keeps for its decisions on calls.
pub(in crate::opt) struct Inlining {
    depth: u32,
    /// In a wrapper of `uncurry`: how many places use it. Else 1.
    wrapper: usize,
    /// Of functions that may be inlined.
    usual: Budget,
    /// Of functions whose loops call a known function.
    loops: Budget,
    /// Functions that a body ends with and gives: they cannot be called before the body is inlined.
    given: FxHashSet<Var>,
    /// Wrappers of `uncurry`, by the functions that they call.
    wrappers: FxHashMap<Var, Var>,
    /// Functions that are called in one place, which the walk has yet to come to: not simplified yet.
    waiting: FxHashMap<Var, Waiting>,
    /// What bodies that are put at calls give, if that is called once behind them.
    called_next: FxHashSet<Var>,
}

/// A function that may be inlined: already simplified.
pub(in crate::opt) struct Inlinable {
    params: Vec<Var>,
    body: Body,
    size: usize,
    inline: Inline,
    join: bool,
    /// Where it is called, when it is met.
    calls: usize,
    /// Parameters that the body calls, takes apart, or passes to what it calls.
    looks_at: Vec<bool>,
    /// Parameters that a loop inside the body calls; empty if the body is small or enormous.
    loops_over: Vec<bool>,
    /// How large the copies are that were made for the sake of its loops.
    looped: Cell<usize>,
    /// Small, and calls nothing.
    is_leaf: bool,
}

/// A function that is called once. Its body goes to the call as it stands, and is simplified there, once: a copy of
/// what is simplified already would be simplified again in each function around it.
struct Waiting {
    function: Function,
    /// With those that wait for a call in its body, and so on: how large they are, and how deep they nest.
    size: usize,
    depth: u32,
}

/// What inlining may still cost.
struct Budget {
    /// By how much the program may grow.
    fuel: usize,
    /// How much may be kept in copies of functions. A function in a function in a function is in three copies.
    room: usize,
}

impl Budget {
    fn of(both: usize) -> Budget {
        Budget { fuel: both, room: both }
    }

    fn grow(&mut self, size: usize) {
        self.fuel = self.fuel.saturating_sub(size);
    }

    fn keep(&mut self, size: usize) {
        self.room = self.room.saturating_sub(size);
    }
}

impl Inlining {
    /// Of a program of that size.
    pub(in crate::opt) fn new(before: usize) -> Inlining {
        Inlining {
            depth: 0,
            wrapper: 1,
            usual: Budget { fuel: 4000 + 2 * before, room: 4000 + 8 * before },
            loops: Budget::of(2 * LOOP + before / 2),
            given: FxHashSet::default(),
            wrappers: FxHashMap::default(),
            waiting: FxHashMap::default(),
            called_next: FxHashSet::default(),
        }
    }

    /// The walk comes to a body with these functions; likewise below.
    pub(in crate::opt) fn note_given(&mut self, body: &Body) {
        self.given.extend(given(body));
    }

    pub(in crate::opt) fn note_wrappers(&mut self, body: &Body) {
        self.wrappers.extend(functions(body).filter_map(|function| Some((worker(function)?, function.var))));
    }

    /// The walk goes into a function that is used so often. The answer is for `leave`.
    pub(in crate::opt) fn enter(&mut self, function: &Function, uses: u32) -> usize {
        let outer = self.wrapper;
        if worker(function).is_some() {
            self.wrapper = outer.max(uses as usize);
        }
        outer
    }

    pub(in crate::opt) fn leave(&mut self, outer: usize) {
        self.wrapper = outer;
    }
}

impl Simplifier<'_> {
    /// A call of f. If that is worth it, the function's body goes in its place, and the answer is what [`Self::splice`]
    /// gives; else there is none, and the call stays.
    pub(in crate::opt) fn inlined(
        &mut self,
        f: Atom,
        args: &[Atom],
        vars: &[Var],
        loc: Loc,
        out: &mut Vec<Bind>,
    ) -> Option<Option<Outcome>> {
        if let Atom::Var(var) = f
            && let Some(waiting) = self.inlining.waiting.remove(&var)
        {
            return Some(self.move_here(waiting.function, loc, args, vars, out));
        }
        if let Known::Function(function) = self.known(f)
            && self.wants(f, &function, args)
        {
            self.release(&[f]);
            let name = match f {
                Atom::Var(var) => self.program.vars[var.0 as usize].name,
                _ => Symbol::intern(""),
            };
            return Some(self.inline(&function, (name, loc), args, vars, out));
        }
        None
    }

    /// Is this call worth a copy of the function?
    fn wants(&self, f: Atom, function: &Inlinable, args: &[Atom]) -> bool {
        if function.params.len() != args.len() || self.inlining.depth > DEPTH {
            return false;
        }
        if function.inline == Inline::Never {
            return false;
        }
        if function.join {
            // All its copies together must be small: see `ends.rs`.
            if function.size * function.calls <= COPIES {
                return true;
            }
        } else if (function.size <= SMALL || function.inline == Inline::Always && function.size <= WRAPPER)
            && (self.inlining.depth == 0 || function.size <= self.inlining.usual.fuel)
        {
            // In a copy it is paid for: a function may be its own argument, `g (T g); g (T g)`.
            return true;
        }
        if self.inlining.usual.fuel < function.size {
            return false;
        }
        if function.inline == Inline::Always {
            return true;
        }
        let Atom::Var(var) = f else { return false };
        let count = self.counts[var.0 as usize];
        if count.uses == 1
            && function.size <= ONCE
            && (self.inlining.wrapper == 1 || self.inlining.wrapper * function.size <= WRAPPED)
        {
            return true;
        }
        if function.is_leaf && function.size * count.uses as usize <= LEAVES {
            return true;
        }
        if function.size > MEDIUM {
            return function.size <= self.inlining.loops.fuel
                && function.looped.get() + function.size <= LOOPS
                && self.loops_over(function, args);
        }
        function.size <= MEDIUM
            && args.iter().zip(&function.looks_at).any(|(&arg, &looks)| {
                looks
                    && match self.known(arg) {
                        Known::Nothing => matches!(arg, Atom::Int(_)) && function.size <= MEDIUM / 3,
                        _ => true,
                    }
            })
    }

    /// Does a loop of the function call an argument that is known?
    fn loops_over(&self, function: &Inlinable, args: &[Atom]) -> bool {
        let mut args = args.iter().zip(&function.loops_over);
        args.any(|(&arg, &loops)| loops && matches!(self.known(arg), Known::Function(_)))
    }

    /// Splices a copy of the function's body in place of the call.
    fn inline(
        &mut self,
        function: &Inlinable,
        (name, loc): (Symbol, Loc),
        args: &[Atom],
        vars: &[Var],
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        if function.size > MEDIUM && self.loops_over(function, args) {
            self.inlining.loops.grow(function.size);
            function.looped.set(function.looped.get() + function.size);
        } else {
            self.inlining.usual.grow(function.size);
        }
        let map = function.params.iter().copied().zip(args.iter().copied()).collect();
        let body = {
            let copied = (!function.join).then(|| self.places.enter(name, loc, false));
            let mut copier = Copier {
                vars: &mut self.program.vars,
                counts: &mut self.counts,
                map,
                places: &mut self.places,
                copied,
            };
            copier.body(&function.body)
        };
        self.grow();
        // The copier has counted the parameters' uses; the call's own are gone.
        self.release(args);
        self.expect_call(&body, vars);
        self.inlining.depth += 1;
        let stop = self.splice(body, vars, out);
        self.inlining.depth -= 1;
        stop
    }

    /// The body of a function goes where its only call was.
    fn move_here(
        &mut self,
        function: Function,
        loc: Loc,
        args: &[Atom],
        vars: &[Var],
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        let Function { var, params, mut body, .. } = function;
        let mut copied = self.places.enter(self.program.vars[var.0 as usize].name, loc, false);
        relocate(&mut body, &mut self.places, &mut copied);
        self.release(&[Atom::Var(var)]);
        self.alias(&params, args);
        self.expect_call(&body, vars);
        self.splice(body, vars, out)
    }

    /// `f a b`, where f is curried: what the body of f, which is put here, gives is called once if `f a` is.
    fn expect_call(&mut self, body: &Body, vars: &[Var]) {
        if let &[result] = vars
            && self.is_called_once(result)
            && let Some(given) = only_result(body)
            && self.counts[given.0 as usize].uses == 1
        {
            self.inlining.called_next.insert(given);
        }
    }

    /// Is its only use a call, or will it be?
    fn is_called_once(&self, var: Var) -> bool {
        let count = self.counts[var.0 as usize];
        (count.uses, count.calls) == (1, 1) || self.inlining.called_next.contains(&var)
    }

    /// Does the function wait for its only call? Then it is no binding any more.
    pub(in crate::opt) fn wait(&mut self, function: Function) -> Option<Function> {
        let var = function.var;
        // A wrapper that is copied has no copies of its worker in it: see `WRAPPED`.
        if function.join
            || function.inline == Inline::Never
            || !self.is_called_once(var)
            || self.inlining.wrappers.get(&var).is_some_and(|&wrapper| !self.is_called_once(wrapper))
        {
            return Some(function);
        }
        // What the function gives is not in the way: a chain of n functions, each of which gives the next one, moves
        // link by link.
        let given = given_last(&function.body);
        let own = size_without(&function.body, &given, ONCE);
        if own > ONCE || own > self.inlining.usual.fuel.min(self.inlining.usual.room) {
            return Some(function);
        }
        let (mut size, mut depth) = (own, 1);
        visit_atoms(&function.body, &mut |atom| {
            if let Atom::Var(var) = atom
                && let Some(inner) = self.inlining.waiting.get(&var)
            {
                size += inner.size;
                depth = depth.max(inner.depth + 1);
            }
        });
        if size > ONCE || depth > WAITING_DEPTH {
            return Some(function);
        }
        // As if it had been copied.
        self.inlining.usual.grow(own);
        self.inlining.usual.keep(own);
        self.inlining.waiting.insert(var, Waiting { function, size, depth });
        None
    }

    /// Keeps a copy of a function that may be inlined.
    pub(in crate::opt) fn remember(&mut self, function: &Function) {
        let count = self.counts[function.var.0 as usize];
        if count.uses == 1 && self.inlining.given.contains(&function.var) {
            return;
        }
        let size = size(&function.body, LOOP.max(ONCE));
        let loops_over =
            if (MEDIUM + 1..=LOOP).contains(&size) { loops_over(&function.params, &function.body) } else { Vec::new() };
        let anyway = count.uses == 1 || function.inline == Inline::Always;
        let limit = if anyway {
            ONCE
        } else if loops_over.contains(&true) {
            LOOP
        } else {
            MEDIUM
        };
        if size > limit || size > WRAPPER && size > self.inlining.usual.fuel.min(self.inlining.usual.room) {
            return;
        }
        if !anyway && size > MEDIUM {
            if size > self.inlining.loops.room {
                return;
            }
            self.inlining.loops.keep(size);
        }
        self.inlining.usual.keep(size);
        let inlinable = Inlinable {
            params: function.params.clone(),
            body: function.body.clone(),
            size,
            inline: function.inline,
            join: function.join,
            calls: count.uses as usize,
            looks_at: looks_at(&function.params, &function.body),
            loops_over,
            looped: Cell::new(0),
            is_leaf: !function.join && size <= LEAF && is_leaf(&function.body),
        };
        self.set(function.var, Known::Function(Rc::new(inlinable)));
    }
}

/// `let fun f x = .. in f end`: f.
fn given(body: &Body) -> Option<Var> {
    let Some(Bind::Fun(group)) = body.binds.last() else { return None };
    only_result(body).filter(|&var| matches!(group.as_slice(), [function] if function.var == var))
}

/// The variable that is all that a body gives.
fn only_result(body: &Body) -> Option<Var> {
    match &body.result {
        Outcome::Values(atoms) => match atoms.as_slice() {
            &[Atom::Var(var)] => Some(var),
            _ => None,
        },
        _ => None,
    }
}

/// The function that a body gives, and the worker that it is the wrapper of, if the body has them.
fn given_last(body: &Body) -> Vec<Var> {
    let given = only_result(body);
    let function = functions(body).find(|function| Some(function.var) == given);
    function.map_or(Vec::new(), |function| [function.var].into_iter().chain(worker(function)).collect())
}

/// The functions of a body, without those inside of them.
fn functions(body: &Body) -> impl Iterator<Item = &Function> {
    body.binds.iter().flat_map(|bind| match bind {
        Bind::Fun(group) => group.as_slice(),
        Bind::Val { .. } => &[],
    })
}

/// `fun f x = fn y => g (x, y)`, as `uncurry` makes it: g.
fn worker(function: &Function) -> Option<Var> {
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
fn is_leaf(body: &Body) -> bool {
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
fn loops_over(params: &[Var], body: &Body) -> Vec<bool> {
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
fn looks_at(params: &[Var], body: &Body) -> Vec<bool> {
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
