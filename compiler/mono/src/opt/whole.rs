//! Tuples that stay whole: a function that puts its parameters together again gets the tuple that its callers have.
//!
//! Mono -> Mono. A parameter that is a tuple is its parts ([`Types::params`]), for all closures of a type must agree.
//! So a function that keeps an element of an array, and stores it into another place, would take each element apart and
//! allocate it anew, and what was shared would be shared no more. Where all calls of a function are known, it need not
//! agree with others: parameters of which its body makes a tuple become one parameter, the tuple, if each call has it:
//!
//! ```text
//! fun go (i, a, b) =                          fun go (i, x) =
//!   .. val t = tuple (a, b)                     val a = #0 x  val b = #1 x
//!      val () = update (s, i, t)         -->    .. val () = update (s, i, x)
//!   .. val p = #0 u  val q = #1 u               .. go (i + 1, u)
//!      go (i + 1, p, q)
//! ```
//!
//! A call has the tuple if the arguments are the parts of one, or parameters that become one. A call from outside, by
//! which a recursive function begins, may also make it: once, where each round would. Keeps: M1, M2; order of effects,
//! since nothing here has one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::census::{bodies, bodies_mut};
use crate::ir::*;

pub fn run(program: &mut Program) {
    let mut facts = Facts::new(program);
    facts.body(program, &program.main);
    facts.pass_on();
    facts.narrow(program);
    if facts.groups.is_empty() {
        return;
    }
    let tuple = |at: At| {
        let Group { ty, tuple, .. } = facts.groups[&at];
        (at, program.new_var(program.vars[tuple.0 as usize].name, ty))
    };
    let wholes = facts.in_order().into_iter().map(tuple).collect();
    let mut main = std::mem::take(&mut program.main);
    Rewrite { program, facts, wholes }.body(&mut main);
    program.main = main;
}

/// A function, by its number, and its first parameter of a group.
type At = (usize, usize);

/// Parameters that follow each other, and are the parts of a tuple.
#[derive(Clone, Copy)]
struct Group {
    count: usize,
    ty: Ty,
    /// A variable of the tuple, whose name the parameter gets.
    tuple: Var,
}

struct Known {
    /// Functions that call each other have the same.
    group: usize,
    /// It is used otherwise than by calls.
    escapes: bool,
    calls: Vec<Call>,
}

struct Call {
    args: Vec<Atom>,
    /// It stands in the function itself, or in one of its group.
    within: bool,
}

struct Facts {
    functions: Vec<Known>,
    numbers: FxHashMap<Var, usize>,
    /// Of parameters: the function and which of its parameters it is.
    params: Vec<Option<At>>,
    /// Of parts: the tuple and which part.
    selects: Vec<Option<(Var, u32)>>,
    groups: FxHashMap<At, Group>,
    /// The groups of functions in whose bodies the walk is.
    around: Vec<usize>,
    next: usize,
}

impl Facts {
    fn new(program: &Program) -> Facts {
        let n = program.vars.len();
        Facts {
            functions: Vec::new(),
            numbers: FxHashMap::default(),
            params: vec![None; n],
            selects: vec![None; n],
            groups: FxHashMap::default(),
            around: Vec::new(),
            next: 0,
        }
    }

    fn body(&mut self, program: &Program, body: &Body) {
        for bind in &body.binds {
            match bind {
                Bind::Val { vars, rhs, .. } => self.rhs(program, vars, rhs),
                Bind::Fun(group) => self.group(program, group),
            }
        }
        match &body.result {
            Outcome::Values(atoms) => self.atoms(atoms),
            Outcome::Raise(atom, _) => self.atom(*atom),
            Outcome::Unreachable => {}
        }
    }

    fn group(&mut self, program: &Program, group: &[Function]) {
        let number = self.next;
        self.next += 1;
        for function in group {
            let at = self.functions.len();
            self.numbers.insert(function.var, at);
            for (i, &param) in function.params.iter().enumerate() {
                self.params[param.0 as usize] = Some((at, i));
            }
            self.functions.push(Known { group: number, escapes: false, calls: Vec::new() });
        }
        self.around.push(number);
        for function in group {
            self.body(program, &function.body);
        }
        self.around.pop();
    }

    fn rhs(&mut self, program: &Program, vars: &[Var], rhs: &Rhs) {
        match rhs {
            Rhs::Tuple(parts) => {
                if let Some(at) = together(&self.params, parts) {
                    let group = Group { count: parts.len(), ty: program.ty(vars[0]), tuple: vars[0] };
                    self.groups.entry(at).or_insert(group);
                }
                self.atoms(parts);
            }
            Rhs::Select(i, atom) => {
                if let Atom::Var(tuple) = atom {
                    self.selects[vars[0].0 as usize] = Some((*tuple, *i));
                }
                self.atom(*atom);
            }
            Rhs::App { f, args } => {
                match f {
                    Atom::Var(var) if self.numbers.contains_key(var) => {
                        let known = &mut self.functions[self.numbers[var]];
                        let within = self.around.contains(&known.group);
                        known.calls.push(Call { args: args.clone(), within });
                    }
                    _ => self.atom(*f),
                }
                self.atoms(args);
            }
            Rhs::Atoms(atoms) | Rhs::Prim { args: atoms, .. } | Rhs::Con { args: atoms, .. } => self.atoms(atoms),
            Rhs::Case { scrut, arms, default } => {
                self.atom(*scrut);
                for body in bodies(arms).chain(default.iter().map(|body| &**body)) {
                    self.body(program, body);
                }
            }
            Rhs::Handle { body, handler, .. } => {
                self.body(program, body);
                self.body(program, handler);
            }
            Rhs::Packet { desc, arg } => {
                self.atom(*desc);
                self.atoms(arg.as_ref().map(|(atom, _)| *atom).as_slice());
            }
            Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => self.atom(*atom),
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
        }
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        atoms.iter().for_each(|&atom| self.atom(atom));
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && let Some(&at) = self.numbers.get(&var)
        {
            self.functions[at].escapes = true;
        }
    }

    /// Parameters that are passed on to such a group are one as well.
    fn pass_on(&mut self) {
        let mut work = self.in_order();
        while let Some(at @ (function, first)) = work.pop() {
            let group = self.groups[&at];
            for call in &self.functions[function].calls {
                if let Some(from) = together(&self.params, &call.args[first..first + group.count])
                    && !self.groups.contains_key(&from)
                {
                    self.groups.insert(from, group);
                    work.push(from);
                }
            }
        }
    }

    /// Leaves the groups of which each call has the tuple, those alone that do not overlap.
    fn narrow(&mut self, program: &Program) {
        let mut last: Option<(At, usize)> = None;
        for at in self.in_order() {
            if last.is_some_and(|((function, first), count)| function == at.0 && at.1 < first + count) {
                self.groups.remove(&at);
            } else {
                last = Some((at, self.groups[&at].count));
            }
        }
        loop {
            let lacks = |(&(function, first), group): (&At, &Group)| {
                let Known { escapes, calls, .. } = &self.functions[function];
                let has = |call: &Call| self.whole(program, group, &call.args[first..first + group.count]).is_some();
                let recurs = calls.iter().any(|call| call.within);
                let all = calls.iter().all(|call| has(call) || (recurs && !call.within));
                (*escapes || calls.is_empty() || !all).then_some((function, first))
            };
            let lacking: FxHashSet<At> = self.groups.iter().filter_map(lacks).collect();
            if lacking.is_empty() {
                return;
            }
            self.groups.retain(|at, _| !lacking.contains(at));
        }
    }

    fn in_order(&self) -> Vec<At> {
        let mut order: Vec<At> = self.groups.keys().copied().collect();
        order.sort_unstable();
        order
    }

    /// What has these arguments as its parts, which a group of a function gets.
    fn whole(&self, program: &Program, group: &Group, args: &[Atom]) -> Option<Whole> {
        if let Some(at) = together(&self.params, args) {
            let same = self.groups.get(&at).is_some_and(|from| from.count == group.count && from.ty == group.ty);
            return same.then_some(Whole::Group(at));
        }
        let part = |atom: &Atom| match atom {
            Atom::Var(var) => self.selects.get(var.0 as usize).copied().flatten(),
            _ => None,
        };
        let (tuple, _) = part(args.first()?)?;
        let all = args.iter().enumerate().all(|(i, atom)| part(atom) == Some((tuple, i as u32)));
        (all && program.ty(tuple) == group.ty).then_some(Whole::Tuple(tuple))
    }
}

/// The function of which these are parameters that follow each other, two or more, and the first one.
fn together(params: &[Option<At>], atoms: &[Atom]) -> Option<At> {
    let param = |atom: &Atom| match atom {
        Atom::Var(var) => params.get(var.0 as usize).copied().flatten(),
        _ => None,
    };
    let (function, first) = param(atoms.first()?)?;
    let all = atoms.iter().enumerate().all(|(i, atom)| param(atom) == Some((function, first + i)));
    (atoms.len() > 1 && all).then_some((function, first))
}

/// What has the arguments as its parts.
enum Whole {
    Tuple(Var),
    Group(At),
}

struct Rewrite<'p> {
    program: &'p mut Program,
    facts: Facts,
    /// The new parameters.
    wholes: FxHashMap<At, Var>,
}

impl Rewrite<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.binds.len());
        for mut bind in std::mem::take(&mut body.binds) {
            match &mut bind {
                Bind::Val { rhs, loc, .. } => self.rhs(rhs, *loc, &mut out),
                Bind::Fun(group) => group.iter_mut().for_each(|function| self.function(function)),
            }
            out.push(bind);
        }
        body.binds = out;
    }

    fn rhs(&mut self, rhs: &mut Rhs, loc: Loc, out: &mut Vec<Bind>) {
        match rhs {
            Rhs::Tuple(parts) => {
                if let Some(at) = together(&self.facts.params, parts)
                    && self.facts.groups.get(&at).is_some_and(|group| group.count == parts.len())
                {
                    *rhs = Rhs::Atoms(vec![Atom::Var(self.wholes[&at])]);
                }
            }
            Rhs::App { f: Atom::Var(f), args } => {
                if let Some(&function) = self.facts.numbers.get(f) {
                    self.call(function, args, loc, out);
                }
            }
            Rhs::Case { arms, default, .. } => {
                for body in bodies_mut(arms).chain(default.iter_mut().map(|body| &mut **body)) {
                    self.body(body);
                }
            }
            Rhs::Handle { body, handler, .. } => {
                self.body(body);
                self.body(handler);
            }
            _ => {}
        }
    }

    /// The groups of a function, the last one first.
    fn groups_of(&self, function: usize, params: usize) -> Vec<(usize, Group)> {
        (0..params).rev().filter_map(|first| Some((first, *self.facts.groups.get(&(function, first))?))).collect()
    }

    fn call(&mut self, function: usize, args: &mut Vec<Atom>, loc: Loc, out: &mut Vec<Bind>) {
        for (first, group) in self.groups_of(function, args.len()) {
            let parts = &args[first..first + group.count];
            let tuple = match self.facts.whole(self.program, &group, parts) {
                Some(Whole::Tuple(tuple)) => tuple,
                Some(Whole::Group(at)) => self.wholes[&at],
                None => {
                    let name = self.program.vars[group.tuple.0 as usize].name;
                    let tuple = self.program.new_var(name, group.ty);
                    out.push(Bind::Val { vars: vec![tuple], rhs: Rhs::Tuple(parts.to_vec()), loc });
                    tuple
                }
            };
            args.splice(first..first + group.count, [Atom::Var(tuple)]);
        }
    }

    fn function(&mut self, function: &mut Function) {
        self.body(&mut function.body);
        let number = self.facts.numbers[&function.var];
        let groups = self.groups_of(number, function.params.len());
        if groups.is_empty() {
            return;
        }
        let mut parts = Vec::new();
        for (first, group) in groups {
            let tuple = self.wholes[&(number, first)];
            let taken = function.params.splice(first..first + group.count, [tuple]);
            parts.extend(taken.enumerate().map(|(i, part)| Bind::Val {
                vars: vec![part],
                rhs: Rhs::Select(i as u32, Atom::Var(tuple)),
                loc: function.loc,
            }));
        }
        function.body.binds.splice(0..0, parts);
        let types = function.params.iter().map(|&param| self.program.ty(param)).collect();
        let TyData::Arrow(_, results) = self.program.types.get(self.program.ty(function.var)).clone() else {
            unreachable!("M2")
        };
        self.program.vars[function.var.0 as usize].ty = self.program.types.intern(TyData::Arrow(types, results));
    }
}
