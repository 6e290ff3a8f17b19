//! The simplifier: inlining, known cases, case of case, known parts, copies. One walk forwards.
//!
//! Mono -> Mono. A variable's binding is known when the walk comes to its uses, so most chains fall in one round.
//! This file has the walk, and what is known of variables; [`super::inline`] decides on calls, [`super::ends`] has case
//! of case.
//! Keeps: order of effects; M1, since copies have fresh names.
//!
//! Differences from the GHC inliner: functions are let-bound values in a normal form of several values, so that a
//! continuation of a case needs no join point unless it is large or has several predecessors.

use std::rc::Rc;

use leat_abi::prim::Prim;
use leat_base::Symbol;
use rustc_hash::FxHashMap;

use super::census::{self, Counts};
use super::components::components;
use super::copy::bind_size;
use super::inlining::{Inlinable, Inlining};
use crate::ir::*;
use crate::places::Places;

pub fn run(program: &mut Program) {
    let counts = census::run(program);
    let main = std::mem::take(&mut program.main);
    let n = program.vars.len();
    let sizes: Vec<usize> = main.binds.iter().map(bind_size).collect();
    let mut s = Simplifier {
        counts,
        subst: vec![None; n],
        known: vec![Known::Nothing; n],
        inlining: Inlining::new(sizes.iter().sum()),
        places: Places::new(std::mem::take(&mut program.inlined)),
        place: Symbol::intern("main"),
        ends: FxHashMap::default(),
        stale: FxHashMap::default(),
        program,
    };
    let main = s.outermost(main, &sizes);
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

/// Where the value of a case comes out, if it is not at the ends of its arms alone.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// At ends of the case's arms, too.
    pub tree: bool,
    /// At ends of the functions from this number on, of the group of joins that stands before the case.
    pub from: usize,
}

pub(super) struct Simplifier<'p> {
    pub(super) program: &'p mut Program,
    pub(super) counts: Counts,
    subst: Vec<Option<Atom>>,
    pub(super) known: Vec<Known>,
    pub(super) inlining: Inlining,
    pub(super) places: Places,
    /// Name of the function whose body this is.
    pub(super) place: Symbol,
    /// Of the cases whose value comes out of joins: see `ends.rs`.
    pub(super) ends: FxHashMap<Var, Ends>,
    /// Groups of joins that have yet to get their types, by their first function: how many.
    pub(super) stale: FxHashMap<Var, usize>,
}

impl Simplifier<'_> {
    // ---------------------------------------------------------------- bodies

    /// The body that has all others in it, and how large its bindings are.
    fn outermost(&mut self, body: Body, sizes: &[usize]) -> Body {
        let mut out = Vec::with_capacity(body.binds.len());
        self.inlining.note_given(&body);
        self.inlining.note_wrappers(&body);
        let mut stop = None;
        for (bind, &size) in body.binds.into_iter().zip(sizes) {
            self.inlining.come_to(size);
            stop = self.bind(bind, &mut out);
            if stop.is_some() {
                break;
            }
        }
        let result = stop.unwrap_or_else(|| self.outcome(body.result));
        self.settle(&mut out);
        Body { binds: out, result }
    }

    fn body(&mut self, body: Body) -> Body {
        let mut out = Vec::with_capacity(body.binds.len());
        self.inlining.note_given(&body);
        let result = self.binds(body, &mut out);
        self.settle(&mut out);
        Body { binds: out, result }
    }

    /// Simplifies a body's bindings onto the end of `out`; its outcome is the answer.
    pub(super) fn binds(&mut self, body: Body, out: &mut Vec<Bind>) -> Outcome {
        self.inlining.note_wrappers(&body);
        for bind in body.binds {
            if let Some(stop) = self.bind(bind, out) {
                return stop;
            }
        }
        self.outcome(body.result)
    }

    /// One binding. The answer is an outcome when what follows is never reached.
    fn bind(&mut self, bind: Bind, out: &mut Vec<Bind>) -> Option<Outcome> {
        match bind {
            Bind::Val { vars, rhs, loc } => self.val(vars, rhs, loc, out),
            Bind::Fun(group) => {
                self.group(group, out);
                None
            }
        }
    }

    /// The body's bindings go onto the end of `out`; the variables mean what it gives.
    pub(super) fn splice(&mut self, body: Body, vars: &[Var], out: &mut Vec<Bind>) -> Option<Outcome> {
        match self.binds(body, out) {
            Outcome::Values(atoms) => {
                self.alias(vars, &atoms);
                None
            }
            stop => Some(stop),
        }
    }

    pub(super) fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Values(atoms) => Outcome::Values(self.atoms(atoms)),
            Outcome::Raise(atom, loc) => Outcome::Raise(self.atom(atom), loc),
            Outcome::Unreachable => Outcome::Unreachable,
        }
    }

    /// One binding. The answer is an outcome when what follows is never reached.
    pub(super) fn val(&mut self, vars: Vec<Var>, rhs: Rhs, loc: Loc, out: &mut Vec<Bind>) -> Option<Outcome> {
        let rhs = match rhs {
            Rhs::Atoms(atoms) => {
                let atoms = self.atoms(atoms);
                self.alias(&vars, &atoms);
                return None;
            }
            Rhs::Prim { prim, tys, args } => {
                let args = self.atoms(args);
                match self.fold(prim, &tys, &args) {
                    Some(atom) => {
                        self.alias(&vars, &[atom]);
                        return None;
                    }
                    None => Rhs::Prim { prim, tys, args },
                }
            }
            Rhs::Tuple(parts) => {
                let parts = self.atoms(parts);
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
                let args = self.atoms(args);
                self.set(vars[0], Known::Con(con, args.as_slice().into()));
                Rhs::Con { data, con, args }
            }
            Rhs::App { f, args } => {
                let f = self.atom(f);
                let args = self.atoms(args);
                if let Some(outcome) = self.inlined(f, &args, &vars, loc, out) {
                    return outcome;
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

    fn atoms(&self, mut atoms: Vec<Atom>) -> Vec<Atom> {
        atoms.iter_mut().for_each(|atom| *atom = self.atom(*atom));
        atoms
    }

    /// The variables mean these (simplified) atoms from here on; the uses of the atoms that said so are gone.
    pub(super) fn alias(&mut self, vars: &[Var], atoms: &[Atom]) {
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

    pub(super) fn set(&mut self, var: Var, known: Known) {
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
        self.counts[var.0 as usize] = census::Count { uses, calls, ..census::Count::default() };
        var
    }

    pub(super) fn grow(&mut self) {
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

    // ------------------------------------------------------------- functions

    fn group(&mut self, group: Vec<Function>, out: &mut Vec<Bind>) {
        for component in components(group, &self.counts) {
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
        let outer_wrapper = self.inlining.enter(&function, self.counts[function.var.0 as usize].uses);
        function.body = self.body(std::mem::take(&mut function.body));
        self.inlining.leave(outer_wrapper);
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
