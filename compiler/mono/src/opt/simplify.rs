//! The simplifier: inlining, known cases, case of case, known parts, copies. One walk forwards.
//!
//! Mono -> Mono. A variable's binding is known when the walk comes to its uses, so most chains fall in one round.
//! A function that is called once is not looked at where it stands, but moved to its call.
//! Keeps: order of effects; a function is copied whole (fresh names, M1); a loop is never unrolled, since a recursive
//! function is inlined nowhere; growth is bounded by fuel.
//!
//! Differences from the GHC inliner: functions are let-bound values in a normal form of several values, so that a
//! continuation of a case needs no join point unless it is large or has several predecessors.

use std::cell::Cell;
use std::rc::Rc;

use leat_abi::prim::Prim;
use leat_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::census::{self, Counts};
use super::components::components;
use super::copy::{Copier, relocate, size, size_without};
use super::uncurry::{mentions_itself, visit_atoms};
use crate::ir::*;
use crate::places::Places;

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

pub fn run(program: &mut Program) {
    let counts = census::run(program);
    let main = std::mem::take(&mut program.main);
    let n = program.vars.len();
    let before = size(&main, usize::MAX);
    let mut s = Simplifier {
        counts,
        subst: vec![None; n],
        known: vec![Known::Nothing; n],
        depth: 0,
        wrapper: 1,
        usual: Budget { fuel: 4000 + 2 * before, room: 4000 + 8 * before },
        loops: Budget::of(2 * LOOP + before / 2),
        given: FxHashSet::default(),
        wrappers: FxHashMap::default(),
        waiting: FxHashMap::default(),
        called_next: FxHashSet::default(),
        places: Places::new(std::mem::take(&mut program.inlined)),
        place: Symbol::intern("main"),
        ends: FxHashMap::default(),
        stale: FxHashMap::default(),
        program,
    };
    let main = s.body(main);
    let inlined = s.places.inlined;
    program.inlined = inlined;
    program.main = main;
}

/// What is known of a variable.
#[derive(Clone)]
pub(super) enum Known {
    Nothing,
    Tuple(Rc<[Atom]>),
    Con(u32, Rc<[Atom]>),
    Function(Rc<Inlinable>),
}

/// A function that may be inlined: already simplified.
pub(super) struct Inlinable {
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

/// Where the value of a case comes out, if it is not at the ends of its arms alone.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// At ends of the case's arms, too.
    pub tree: bool,
    /// At ends of the functions from this number on, of the group of joins that stands before the case.
    pub from: usize,
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

pub(super) struct Simplifier<'p> {
    pub(super) program: &'p mut Program,
    pub(super) counts: Counts,
    subst: Vec<Option<Atom>>,
    pub(super) known: Vec<Known>,
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
    places: Places,
    /// Name of the function whose body this is.
    pub(super) place: Symbol,
    /// Of the cases whose value comes out of joins: see `ends.rs`.
    pub(super) ends: FxHashMap<Var, Ends>,
    /// Groups of joins that have yet to get their types, by their first function: how many.
    pub(super) stale: FxHashMap<Var, usize>,
}

impl Simplifier<'_> {
    // ---------------------------------------------------------------- bodies

    fn body(&mut self, body: Body) -> Body {
        let mut out = Vec::with_capacity(body.binds.len());
        self.given.extend(given(&body));
        let result = self.binds(body, &mut out);
        self.settle(&mut out);
        Body { binds: out, result }
    }

    /// Simplifies a body's bindings onto the end of `out`; its outcome is the answer.
    pub(super) fn binds(&mut self, body: Body, out: &mut Vec<Bind>) -> Outcome {
        self.wrappers.extend(functions(&body).filter_map(|function| Some((worker(function)?, function.var))));
        for bind in body.binds {
            match bind {
                Bind::Val { vars, rhs, loc } => {
                    if let Some(stop) = self.val(vars, rhs, loc, out) {
                        return stop;
                    }
                }
                Bind::Fun(group) => self.group(group, out),
            }
        }
        self.outcome(body.result)
    }

    pub(super) fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Values(atoms) => Outcome::Values(self.atoms(&atoms)),
            Outcome::Raise(atom) => Outcome::Raise(self.atom(atom)),
            Outcome::Unreachable => Outcome::Unreachable,
        }
    }

    /// One binding. The answer is an outcome when what follows is never reached.
    pub(super) fn val(&mut self, vars: Vec<Var>, rhs: Rhs, loc: Loc, out: &mut Vec<Bind>) -> Option<Outcome> {
        let rhs = match rhs {
            Rhs::Atoms(atoms) => {
                let atoms = self.atoms(&atoms);
                self.alias(&vars, &atoms);
                return None;
            }
            Rhs::Prim { prim, tys, args } => {
                let args = self.atoms(&args);
                match self.fold(prim, &tys, &args) {
                    Some(atom) => {
                        self.alias(&vars, &[atom]);
                        return None;
                    }
                    None => Rhs::Prim { prim, tys, args },
                }
            }
            Rhs::Tuple(parts) => {
                let parts = self.atoms(&parts);
                self.set(vars[0], Known::Tuple(parts.as_slice().into()));
                Rhs::Tuple(parts)
            }
            Rhs::Select(i, tuple) => {
                let tuple = self.atom(tuple);
                if let Known::Tuple(parts) = self.known(tuple) {
                    let part = parts[i as usize];
                    self.alias_part(&vars, &[part]);
                    return None;
                }
                Rhs::Select(i, tuple)
            }
            Rhs::Con { data, con, args } => {
                if args.is_empty() {
                    self.alias(&vars, &[Atom::Con(data, con)]);
                    return None;
                }
                let args = self.atoms(&args);
                self.set(vars[0], Known::Con(con, args.as_slice().into()));
                Rhs::Con { data, con, args }
            }
            Rhs::App { f, args } => {
                let f = self.atom(f);
                let args = self.atoms(&args);
                if let Atom::Var(var) = f
                    && let Some(waiting) = self.waiting.remove(&var)
                {
                    return self.move_here(waiting.function, loc, &args, &vars, out);
                }
                if let Known::Function(function) = self.known(f)
                    && self.wants(f, &function, &args)
                {
                    self.release(&[f]);
                    let name = match f {
                        Atom::Var(var) => self.program.vars[var.0 as usize].name,
                        _ => Symbol::intern(""),
                    };
                    return self.inline(&function, (name, loc), &args, &vars, out);
                }
                Rhs::App { f, args }
            }
            Rhs::Case { scrut, arms, default } => return self.case(vars, scrut, arms, default, loc, out),
            Rhs::Handle { body, exn, handler } => {
                let body = self.body(*body);
                if body.binds.is_empty()
                    && let Outcome::Values(atoms) = &body.result
                {
                    let atoms = atoms.clone();
                    self.alias(&vars, &atoms);
                    return None;
                }
                Rhs::Handle { body: Box::new(body), exn, handler: Box::new(self.body(*handler)) }
            }
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => rhs,
            Rhs::Packet { desc, arg } => {
                Rhs::Packet { desc: self.atom(desc), arg: arg.map(|(atom, ty)| (self.atom(atom), ty)) }
            }
            Rhs::PacketDesc(packet) => Rhs::PacketDesc(self.atom(packet)),
            Rhs::PacketArg(packet, ty) => Rhs::PacketArg(self.atom(packet), ty),
        };
        out.push(Bind::Val { vars, rhs, loc });
        None
    }

    // ----------------------------------------------------------------- atoms

    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.subst[var.0 as usize].unwrap_or(atom),
            _ => atom,
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|&atom| self.atom(atom)).collect()
    }

    /// The variables mean these (simplified) atoms from here on; the uses of the atoms that said so are gone.
    fn alias(&mut self, vars: &[Var], atoms: &[Atom]) {
        self.alias_part(vars, atoms);
        self.release(atoms);
    }

    /// One use of each is gone.
    pub(super) fn release(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            if let Atom::Var(of) = atom {
                let count = &mut self.counts[of.0 as usize];
                count.uses = count.uses.saturating_sub(1);
            }
        }
    }

    /// Likewise, where the atoms are parts of an object that still stands: it still uses them.
    pub(super) fn alias_part(&mut self, vars: &[Var], atoms: &[Atom]) {
        debug_assert_eq!(vars.len(), atoms.len());
        for (&var, &atom) in vars.iter().zip(atoms) {
            self.subst[var.0 as usize] = Some(atom);
            if let Atom::Var(of) = atom {
                if self.program.outermost.contains(&var) {
                    self.program.outermost.insert(of);
                }
                let more = self.counts[var.0 as usize];
                let count = &mut self.counts[of.0 as usize];
                count.uses += more.uses;
                count.calls += more.calls;
            }
        }
    }

    fn set(&mut self, var: Var, known: Known) {
        self.known[var.0 as usize] = known;
    }

    pub(super) fn known(&self, atom: Atom) -> Known {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].clone(),
            Atom::Con(_, con) => Known::Con(con, Rc::from([])),
            _ => Known::Nothing,
        }
    }

    pub(super) fn new_var(&mut self, name: Symbol, ty: Ty, uses: u32, calls: u32) -> Var {
        let var = self.program.new_var(name, ty);
        self.grow();
        self.counts[var.0 as usize] = census::Count { uses, calls };
        var
    }

    fn grow(&mut self) {
        let n = self.program.vars.len();
        self.counts.resize(n, Default::default());
        self.subst.resize(n, None);
        self.known.resize(n, Known::Nothing);
    }

    /// Constant folding of what decides cases; arithmetic is folded again on Ssa.
    fn fold(&self, prim: Prim, tys: &[Ty], args: &[Atom]) -> Option<Atom> {
        let truth = |b: bool| Some(Atom::Con(BOOL, u32::from(b)));
        match (prim, args) {
            (Prim::IntEq, [Atom::Int(a), Atom::Int(b)]) => truth(a == b),
            (Prim::IntLt | Prim::CharLt, [Atom::Int(a), Atom::Int(b)]) => truth(a < b),
            (Prim::IntLe | Prim::CharLe, [Atom::Int(a), Atom::Int(b)]) => truth(a <= b),
            (Prim::IntGt | Prim::CharGt, [Atom::Int(a), Atom::Int(b)]) => truth(a > b),
            (Prim::IntGe | Prim::CharGe, [Atom::Int(a), Atom::Int(b)]) => truth(a >= b),
            (Prim::IntEq, [Atom::Var(a), Atom::Var(b)]) if a == b => truth(true),
            (Prim::IntAdd, [Atom::Int(a), Atom::Int(b)]) => a.checked_add(*b).map(Atom::Int),
            (Prim::IntSub, [Atom::Int(a), Atom::Int(b)]) => a.checked_sub(*b).map(Atom::Int),
            (Prim::IntMul, [Atom::Int(a), Atom::Int(b)]) => a.checked_mul(*b).map(Atom::Int),
            (Prim::IntNeg, [Atom::Int(a)]) => a.checked_neg().map(Atom::Int),
            (Prim::Cast, [atom]) if tys.len() == 2 && tys[0] == tys[1] => Some(*atom),
            _ => None,
        }
    }

    // -------------------------------------------------------------- inlining

    /// Is this call worth a copy of the function?
    fn wants(&self, f: Atom, function: &Inlinable, args: &[Atom]) -> bool {
        if function.params.len() != args.len() || self.depth > DEPTH {
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
            && (self.depth == 0 || function.size <= self.usual.fuel)
        {
            // In a copy it is paid for: a function may be its own argument, `g (T g); g (T g)`.
            return true;
        }
        if self.usual.fuel < function.size {
            return false;
        }
        if function.inline == Inline::Always {
            return true;
        }
        let Atom::Var(var) = f else { return false };
        let count = self.counts[var.0 as usize];
        if count.uses == 1 && function.size <= ONCE && (self.wrapper == 1 || self.wrapper * function.size <= WRAPPED) {
            return true;
        }
        if function.is_leaf && function.size * count.uses as usize <= LEAVES {
            return true;
        }
        if function.size > MEDIUM {
            return function.size <= self.loops.fuel
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
            self.loops.grow(function.size);
            function.looped.set(function.looped.get() + function.size);
        } else {
            self.usual.grow(function.size);
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
        self.depth += 1;
        let stop = self.splice(body, vars, out);
        self.depth -= 1;
        stop
    }

    /// The body's bindings go onto the end of `out`; the variables mean what it gives.
    fn splice(&mut self, body: Body, vars: &[Var], out: &mut Vec<Bind>) -> Option<Outcome> {
        match self.binds(body, out) {
            Outcome::Values(atoms) => {
                self.alias(vars, &atoms);
                None
            }
            stop => Some(stop),
        }
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
            self.called_next.insert(given);
        }
    }

    /// Is its only use a call, or will it be?
    fn is_called_once(&self, var: Var) -> bool {
        let count = self.counts[var.0 as usize];
        (count.uses, count.calls) == (1, 1) || self.called_next.contains(&var)
    }

    /// Does the function wait for its only call? Then it is no binding any more.
    fn wait(&mut self, function: Function) -> Option<Function> {
        let var = function.var;
        // A wrapper that is copied has no copies of its worker in it: see `WRAPPED`.
        if function.join
            || function.inline == Inline::Never
            || !self.is_called_once(var)
            || self.wrappers.get(&var).is_some_and(|&wrapper| !self.is_called_once(wrapper))
        {
            return Some(function);
        }
        // What the function gives is not in the way: a chain of n functions, each of which gives the next one, moves
        // link by link.
        let given = given_last(&function.body);
        let own = size_without(&function.body, &given, ONCE);
        if own > ONCE || own > self.usual.fuel.min(self.usual.room) {
            return Some(function);
        }
        let (mut size, mut depth) = (own, 1);
        visit_atoms(&function.body, &mut |atom| {
            if let Atom::Var(var) = atom
                && let Some(inner) = self.waiting.get(&var)
            {
                size += inner.size;
                depth = depth.max(inner.depth + 1);
            }
        });
        if size > ONCE || depth > WAITING_DEPTH {
            return Some(function);
        }
        // As if it had been copied.
        self.usual.grow(own);
        self.usual.keep(own);
        self.waiting.insert(var, Waiting { function, size, depth });
        None
    }

    // ------------------------------------------------------------- functions

    fn group(&mut self, group: Vec<Function>, out: &mut Vec<Bind>) {
        for component in components(group) {
            let recursive = component.recursive;
            let mut done = Vec::with_capacity(component.functions.len());
            // Wrappers first: they are small, and the others call them.
            let mut functions = component.functions;
            functions.sort_by_key(|function| function.inline != Inline::Always);
            for function in functions {
                let function = if recursive { Some(function) } else { self.wait(function) };
                done.extend(function.and_then(|function| self.function(function, recursive)));
            }
            if !done.is_empty() {
                out.push(Bind::Fun(done));
            }
        }
    }

    /// The function, simplified; nothing if it is not used, or is another name for one.
    pub(super) fn function(&mut self, mut function: Function, recursive: bool) -> Option<Function> {
        if self.counts[function.var.0 as usize].uses == 0 && !recursive {
            return None;
        }
        let name = self.program.vars[function.var.0 as usize].name;
        let outer = std::mem::replace(&mut self.place, name);
        let outer_wrapper = self.wrapper;
        if worker(&function).is_some() {
            self.wrapper = outer_wrapper.max(self.counts[function.var.0 as usize].uses as usize);
        }
        function.body = self.body(std::mem::take(&mut function.body));
        self.wrapper = outer_wrapper;
        self.place = outer;
        if !recursive
            && !function.join
            && let Some(target @ Atom::Var(var)) = eta(&function)
            && self.program.ty(var) == self.program.ty(function.var)
        {
            self.alias(&[function.var], &[target]);
            return None;
        }
        if !recursive && function.inline != Inline::Never || function.inline == Inline::Always {
            self.remember(&function);
        }
        Some(function)
    }

    /// Keeps a copy of a function that may be inlined.
    fn remember(&mut self, function: &Function) {
        let count = self.counts[function.var.0 as usize];
        if count.uses == 1 && self.given.contains(&function.var) {
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
        if size > limit || size > WRAPPER && size > self.usual.fuel.min(self.usual.room) {
            return;
        }
        if !anyway && size > MEDIUM {
            if size > self.loops.room {
                return;
            }
            self.loops.keep(size);
        }
        self.usual.keep(size);
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

    // ----------------------------------------------------------------- cases

    fn case(
        &mut self,
        vars: Vec<Var>,
        scrut: Atom,
        arms: Arms,
        default: Option<Box<Body>>,
        loc: Loc,
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        let before = scrut;
        let scrut = self.atom(scrut);
        if let Some(chosen) = self.choose(scrut, &arms) {
            let body = match chosen {
                Chosen::Con(i, fields) => {
                    let Arms::Con(_, arms) = arms else { unreachable!() };
                    let (_, field_vars, body) = arms.into_iter().nth(i).expect("chosen");
                    self.alias_part(&field_vars, &fields);
                    body
                }
                Chosen::Constant(i) => match arms {
                    Arms::Int(arms) => arms.into_iter().nth(i).expect("chosen").1,
                    Arms::Str(arms) => arms.into_iter().nth(i).expect("chosen").1,
                    Arms::Con(..) => unreachable!(),
                },
                Chosen::Default => *default.expect("M4: a case is exhaustive"),
            };
            return self.splice(body, &vars, out);
        }

        if before == scrut && self.is_inner_case(scrut, out) && matches!(arms, Arms::Con(..)) {
            self.case_of_case(vars, scrut, arms, default, loc, out);
            return None;
        }

        let arms = match arms {
            Arms::Con(data, arms) => {
                let arms = arms.into_iter().map(|(con, fields, body)| {
                    let saved = self.learn(scrut, con, &fields);
                    let body = self.body(body);
                    self.forget(scrut, saved);
                    (con, fields, body)
                });
                Arms::Con(data, arms.collect())
            }
            Arms::Int(arms) => Arms::Int(arms.into_iter().map(|(k, body)| (k, self.body(body))).collect()),
            Arms::Str(arms) => Arms::Str(arms.into_iter().map(|(k, body)| (k, self.body(body))).collect()),
        };
        let default = default.map(|body| Box::new(self.body(*body)));

        if vars.len() == 1 && is_identity(&arms, &default) {
            // case b of true => true | false => false
            self.alias(&vars, &[scrut]);
            return None;
        }
        out.push(Bind::Val { vars, rhs: Rhs::Case { scrut, arms, default }, loc });
        None
    }

    /// Which arm a known scrutinee takes.
    fn choose(&self, scrut: Atom, arms: &Arms) -> Option<Chosen> {
        match arms {
            Arms::Con(_, arms) => {
                let Known::Con(con, fields) = self.known(scrut) else { return None };
                Some(match arms.iter().position(|arm| arm.0 == con) {
                    Some(i) => Chosen::Con(i, fields),
                    None => Chosen::Default,
                })
            }
            Arms::Int(arms) => {
                let Atom::Int(k) = scrut else { return None };
                Some(arms.iter().position(|arm| arm.0 == k).map_or(Chosen::Default, Chosen::Constant))
            }
            Arms::Str(arms) => {
                let Atom::Str(k) = scrut else { return None };
                // Equal strings have equal numbers.
                Some(arms.iter().position(|arm| arm.0 == k).map_or(Chosen::Default, Chosen::Constant))
            }
        }
    }

    /// In an arm the scrutinee is known.
    pub(super) fn learn(&mut self, scrut: Atom, con: u32, fields: &[Var]) -> Option<Known> {
        let Atom::Var(var) = scrut else { return None };
        let fields: Rc<[Atom]> = fields.iter().map(|&field| Atom::Var(field)).collect();
        Some(std::mem::replace(&mut self.known[var.0 as usize], Known::Con(con, fields)))
    }

    pub(super) fn forget(&mut self, scrut: Atom, saved: Option<Known>) {
        if let (Atom::Var(var), Some(saved)) = (scrut, saved) {
            self.known[var.0 as usize] = saved;
        }
    }
}

enum Chosen {
    Con(usize, Rc<[Atom]>),
    Constant(usize),
    Default,
}

/// Does every arm give the very constructor that it is for?
pub(super) fn is_identity(arms: &Arms, default: &Option<Box<Body>>) -> bool {
    let Arms::Con(data, arms) = arms else { return false };
    default.is_none()
        && arms.iter().all(|(con, fields, body)| {
            fields.is_empty()
                && body.binds.is_empty()
                && matches!(&body.result, Outcome::Values(atoms) if atoms.as_slice() == [Atom::Con(*data, *con)])
        })
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

/// `fun f (x, y) = g (x, y)`: what f is another name for.
fn eta(function: &Function) -> Option<Atom> {
    let [Bind::Val { vars, rhs: Rhs::App { f, args }, .. }] = function.body.binds.as_slice() else { return None };
    let same = |atoms: &[Atom], vars: &[Var]| {
        atoms.len() == vars.len() && atoms.iter().zip(vars).all(|(&atom, &var)| atom == Atom::Var(var))
    };
    let Outcome::Values(result) = &function.body.result else { return None };
    let own = *f == Atom::Var(function.var) || function.params.iter().any(|&param| *f == Atom::Var(param));
    (same(args, &function.params) && same(result, vars) && !own).then_some(*f)
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
