//! The simplifier: inlining, known cases, case of case, known parts, copies. One walk forwards.
//!
//! Mono -> Mono. A variable's binding is known when the walk comes to its uses, so most chains fall in one round.
//! Keeps: order of effects; a function is copied whole (fresh names, M1); a loop is never unrolled, since a recursive
//! function is inlined nowhere; growth is bounded by fuel.
//!
//! Differences from the GHC inliner: functions are let-bound values in a normal form of several values, so that a
//! continuation of a case needs no join point unless it is large or has several predecessors.

use std::rc::Rc;

use leat_abi::prim::Prim;
use leat_base::Symbol;

use super::census::{self, Counts, bodies_mut};
use super::copy::{Copier, size};
use super::uncurry::visit_atoms;
use crate::ir::*;
use crate::places::Places;

/// Inlined wherever it is called.
const SMALL: usize = 12;
/// Inlined where an argument is a known function or constructor that the body looks at.
const MEDIUM: usize = 90;
/// Called once: inlined unless it is enormous (compile time of one huge function).
const ONCE: usize = 2000;
/// How deep inlining nests.
const DEPTH: u32 = 24;

pub fn run(program: &mut Program) {
    let counts = census::run(program);
    let main = std::mem::take(&mut program.main);
    let n = program.vars.len();
    let mut s = Simplifier {
        counts,
        subst: vec![None; n],
        known: vec![Known::Nothing; n],
        depth: 0,
        fuel: 4000 + 2 * size(&main, 1 << 20),
        places: Places::new(std::mem::take(&mut program.inlined)),
        place: Symbol::intern("main"),
        program,
    };
    let main = s.body(main);
    let inlined = s.places.inlined;
    program.inlined = inlined;
    program.main = main;
}

/// What is known of a variable.
#[derive(Clone)]
enum Known {
    Nothing,
    Tuple(Rc<[Atom]>),
    Con(u32, Rc<[Atom]>),
    Function(Rc<Inlinable>),
}

/// A function that may be inlined: already simplified.
struct Inlinable {
    params: Vec<Var>,
    body: Body,
    size: usize,
    inline: Inline,
    join: bool,
    /// Parameters that the body calls, takes apart, or passes to what it calls.
    looks_at: Vec<bool>,
}

struct Simplifier<'p> {
    program: &'p mut Program,
    counts: Counts,
    subst: Vec<Option<Atom>>,
    known: Vec<Known>,
    depth: u32,
    fuel: usize,
    places: Places,
    /// Name of the function whose body this is.
    place: Symbol,
}

impl Simplifier<'_> {
    // ---------------------------------------------------------------- bodies

    fn body(&mut self, body: Body) -> Body {
        let mut out = Vec::with_capacity(body.binds.len());
        let result = self.binds(body, &mut out);
        Body { binds: out, result }
    }

    /// Simplifies a body's bindings onto the end of `out`; its outcome is the answer.
    fn binds(&mut self, body: Body, out: &mut Vec<Bind>) -> Outcome {
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
        match body.result {
            Outcome::Values(atoms) => Outcome::Values(self.atoms(&atoms)),
            Outcome::Raise(atom) => Outcome::Raise(self.atom(atom)),
            Outcome::Unreachable => Outcome::Unreachable,
        }
    }

    /// One binding. The answer is an outcome when what follows is never reached.
    fn val(&mut self, vars: Vec<Var>, rhs: Rhs, loc: Loc, out: &mut Vec<Bind>) -> Option<Outcome> {
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
                if let Known::Function(function) = self.known(f)
                    && self.wants(f, &function, &args)
                {
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
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) => rhs,
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
    fn release(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            if let Atom::Var(of) = atom {
                let count = &mut self.counts[of.0 as usize];
                count.uses = count.uses.saturating_sub(1);
            }
        }
    }

    /// Likewise, where the atoms are parts of an object that still stands: it still uses them.
    fn alias_part(&mut self, vars: &[Var], atoms: &[Atom]) {
        debug_assert_eq!(vars.len(), atoms.len());
        for (&var, &atom) in vars.iter().zip(atoms) {
            self.subst[var.0 as usize] = Some(atom);
            if let Atom::Var(of) = atom {
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

    fn known(&self, atom: Atom) -> Known {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].clone(),
            Atom::Con(_, con) => Known::Con(con, Rc::from([])),
            _ => Known::Nothing,
        }
    }

    fn new_var(&mut self, name: Symbol, ty: Ty, uses: u32, calls: u32) -> Var {
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
        match function.inline {
            Inline::Always => return true,
            Inline::Never => return false,
            Inline::Auto => {}
        }
        if function.size <= SMALL {
            return true;
        }
        if self.fuel < function.size {
            return false;
        }
        let Atom::Var(var) = f else { return false };
        let count = self.counts[var.0 as usize];
        if count.uses == 1 && function.size <= ONCE {
            return true;
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

    /// Splices a copy of the function's body in place of the call.
    fn inline(
        &mut self,
        function: &Inlinable,
        (name, loc): (Symbol, Loc),
        args: &[Atom],
        vars: &[Var],
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        self.fuel = self.fuel.saturating_sub(function.size);
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
        self.depth += 1;
        let outcome = self.binds(body, out);
        self.depth -= 1;
        match outcome {
            Outcome::Values(atoms) => {
                self.alias(vars, &atoms);
                None
            }
            stop => Some(stop),
        }
    }

    // ------------------------------------------------------------- functions

    fn group(&mut self, group: Vec<Function>, out: &mut Vec<Bind>) {
        for component in components(group) {
            let recursive = component.recursive;
            let mut done = Vec::with_capacity(component.functions.len());
            // Wrappers first: they are small, and the others call them.
            let mut functions = component.functions;
            functions.sort_by_key(|function| function.inline != Inline::Always);
            for mut function in functions {
                if self.counts[function.var.0 as usize].uses == 0 && !recursive {
                    continue;
                }
                let name = self.program.vars[function.var.0 as usize].name;
                let outer = std::mem::replace(&mut self.place, name);
                function.body = self.body(std::mem::take(&mut function.body));
                self.place = outer;
                if !recursive && let Some(target) = eta(&function) {
                    let same = match target {
                        Atom::Var(var) => self.program.ty(var) == self.program.ty(function.var),
                        _ => false,
                    };
                    if same {
                        self.alias(&[function.var], &[target]);
                        continue;
                    }
                }
                if !recursive && function.inline != Inline::Never || function.inline == Inline::Always {
                    self.remember(&function);
                }
                done.push(function);
            }
            if !done.is_empty() {
                out.push(Bind::Fun(done));
            }
        }
    }

    /// Keeps a copy of a function that may be inlined.
    fn remember(&mut self, function: &Function) {
        let count = self.counts[function.var.0 as usize];
        if count.calls == 0 && function.inline != Inline::Always && count.uses > 1 {
            // It escapes; it may still be called where it is passed to an inlined function: keep small ones.
            if size(&function.body, MEDIUM) > MEDIUM {
                return;
            }
        }
        let limit = if count.uses == 1 { ONCE } else { MEDIUM };
        let size = size(&function.body, limit);
        if size > limit && function.inline != Inline::Always {
            return;
        }
        let inlinable = Inlinable {
            params: function.params.clone(),
            body: function.body.clone(),
            size,
            inline: function.inline,
            join: function.join,
            looks_at: looks_at(&function.params, &function.body),
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
            return match self.binds(body, out) {
                Outcome::Values(atoms) => {
                    self.alias(&vars, &atoms);
                    None
                }
                stop => Some(stop),
            };
        }

        if before == scrut && self.is_inner_case(scrut, out) && matches!(arms, Arms::Con(..)) && self.depth < DEPTH {
            return self.case_of_case(vars, scrut, arms, default, loc, out);
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
    fn learn(&mut self, scrut: Atom, con: u32, fields: &[Var]) -> Option<Known> {
        let Atom::Var(var) = scrut else { return None };
        let fields: Rc<[Atom]> = fields.iter().map(|&field| Atom::Var(field)).collect();
        Some(std::mem::replace(&mut self.known[var.0 as usize], Known::Con(con, fields)))
    }

    fn forget(&mut self, scrut: Atom, saved: Option<Known>) {
        if let (Atom::Var(var), Some(saved)) = (scrut, saved) {
            self.known[var.0 as usize] = saved;
        }
    }

    /// Is the scrutinee the only value of a case that stands right before, and used only here?
    fn is_inner_case(&self, scrut: Atom, out: &[Bind]) -> bool {
        let Atom::Var(var) = scrut else { return false };
        let Some(Bind::Val { vars, rhs: Rhs::Case { arms, default, .. }, .. }) = out.last() else { return false };
        vars.as_slice() == [var]
            && self.counts[var.0 as usize].uses == 1
            && census::bodies(arms).chain(default.iter().map(|body| &**body)).any(|body| self.gives_constructor(body))
    }

    /// Does the body end in a constructor that can be seen?
    fn gives_constructor(&self, body: &Body) -> bool {
        match &body.result {
            Outcome::Values(atoms) => match atoms[0] {
                Atom::Con(..) => true,
                Atom::Var(var) => {
                    matches!(self.known[var.0 as usize], Known::Con(..))
                        || matches!(body.binds.last(), Some(Bind::Val { vars, rhs: Rhs::Case { arms, default, .. }, .. })
                            if vars.as_slice() == [var]
                                && census::bodies(arms).chain(default.iter().map(|b| &**b)).any(|b| self.gives_constructor(b)))
                }
                _ => false,
            },
            Outcome::Raise(_) | Outcome::Unreachable => false,
        }
    }

    /// `case (case a of p => C e | ...) of C x => e1 | ...`: each inner arm goes on with the outer arm that it chooses. An
    /// outer arm becomes a function of its fields, called at the end of the inner arms; the next stage makes blocks of
    /// those that stay.
    fn case_of_case(
        &mut self,
        vars: Vec<Var>,
        scrut: Atom,
        arms: Arms,
        default: Option<Box<Body>>,
        loc: Loc,
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        let Some(Bind::Val {
            rhs: Rhs::Case { scrut: inner_scrut, arms: mut inner_arms, default: mut inner_default },
            ..
        }) = out.pop()
        else {
            unreachable!("is_inner_case")
        };
        let Arms::Con(data, arms) = arms else { unreachable!("is_inner_case") };
        let Atom::Var(scrut_var) = scrut else { unreachable!("is_inner_case") };

        // One function for each outer arm.
        let result_types: Vec<Ty> = vars.iter().map(|&var| self.program.ty(var)).collect();
        let name = self.program.vars[scrut_var.0 as usize].name;
        let mut ends = Ends { data, arms: Vec::new(), default: None, results: result_types.clone(), name, loc };
        let mut functions = Vec::new();
        let mut join = |s: &mut Self, params: Vec<Var>, body: Body| {
            let param_types = params.iter().map(|&param| s.program.ty(param)).collect();
            let ty = s.program.types.intern(TyData::Arrow(param_types, result_types.clone()));
            let var = s.new_var(s.place, ty, 0, 0);
            functions.push(Function { var, params, body, loc, inline: Inline::Auto, join: true });
            var
        };
        for (con, fields, body) in arms {
            let types = fields.iter().map(|&field| self.program.ty(field)).collect();
            ends.arms.push((con, types, join(self, fields, body)));
        }
        if let Some(body) = default {
            ends.default = Some(join(self, Vec::new(), *body));
        }
        for body in bodies_mut(&mut inner_arms).chain(inner_default.iter_mut().map(|body| &mut **body)) {
            self.extend(body, &ends);
        }
        for function in functions {
            self.group(vec![function], out);
        }
        self.depth += 1;
        let stop = self.val(vars, Rhs::Case { scrut: inner_scrut, arms: inner_arms, default: inner_default }, loc, out);
        self.depth -= 1;
        stop
    }

    /// Goes on from the end of an inner arm to the outer arm that its constructor chooses.
    fn extend(&mut self, body: &mut Body, ends: &Ends) {
        let Outcome::Values(atoms) = &body.result else { return };
        let atom = atoms[0];
        // The value of a case at the arm's own end: further in.
        if let Atom::Var(var) = atom
            && let Some(Bind::Val { vars, rhs: Rhs::Case { .. }, .. }) = body.binds.last()
            && vars.as_slice() == [var]
            && self.counts[var.0 as usize].uses == 1
        {
            let Some(Bind::Val { rhs: Rhs::Case { scrut, mut arms, mut default }, loc, .. }) = body.binds.pop() else {
                unreachable!()
            };
            for inner in bodies_mut(&mut arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                self.extend(inner, ends);
            }
            let vars = self.results(ends);
            body.result = Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect());
            body.binds.push(Bind::Val { vars, rhs: Rhs::Case { scrut, arms, default }, loc });
            return;
        }
        let (con, fields) = match self.known(atom) {
            Known::Con(con, fields) => (con, fields),
            _ => {
                // Unknown here: looks at it, and goes on in each arm.
                let mut arms = Vec::new();
                for i in 0..ends.arms.len() {
                    let (con, types, _) = ends.arms[i].clone();
                    let fields: Vec<Var> = types.iter().map(|&ty| self.new_var(ends.name, ty, 1, 0)).collect();
                    let atoms: Vec<Atom> = fields.iter().map(|&field| Atom::Var(field)).collect();
                    arms.push((con, fields, self.jump(ends, ends.arms[i].2, &atoms)));
                }
                let default = ends.default.map(|join| Box::new(self.jump(ends, join, &[])));
                let vars = self.results(ends);
                body.result = Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect());
                body.binds.push(Bind::Val {
                    vars,
                    rhs: Rhs::Case { scrut: atom, arms: Arms::Con(ends.data, arms), default },
                    loc: ends.loc,
                });
                return;
            }
        };
        let call = match ends.arms.iter().find(|arm| arm.0 == con) {
            Some(&(_, _, join)) => self.jump(ends, join, &fields),
            None => self.jump(ends, ends.default.expect("M4: a case is exhaustive"), &[]),
        };
        body.binds.extend(call.binds);
        body.result = call.result;
    }

    /// A body that calls an outer arm's function.
    fn jump(&mut self, ends: &Ends, join: Var, args: &[Atom]) -> Body {
        let count = &mut self.counts[join.0 as usize];
        count.uses += 1;
        count.calls += 1;
        for arg in args {
            if let Atom::Var(var) = arg {
                self.counts[var.0 as usize].uses += 1;
            }
        }
        let vars = self.results(ends);
        Body {
            result: Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect()),
            binds: vec![Bind::Val { vars, rhs: Rhs::App { f: Atom::Var(join), args: args.to_vec() }, loc: ends.loc }],
        }
    }

    fn results(&mut self, ends: &Ends) -> Vec<Var> {
        ends.results.iter().map(|&ty| self.new_var(ends.name, ty, 1, 0)).collect()
    }
}

/// Where the arms of a case of case go on.
struct Ends {
    data: Data,
    /// Constructor, types of its fields, function.
    arms: Vec<(u32, Vec<Ty>, Var)>,
    default: Option<Var>,
    results: Vec<Ty>,
    name: Symbol,
    loc: Loc,
}

enum Chosen {
    Con(usize, Rc<[Atom]>),
    Constant(usize),
    Default,
}

/// Does every arm give the very constructor that it is for?
fn is_identity(arms: &Arms, default: &Option<Box<Body>>) -> bool {
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

struct Component {
    functions: Vec<Function>,
    recursive: bool,
}

/// The strongly connected components of a group, those that others use first (Tarjan).
fn components(group: Vec<Function>) -> Vec<Component> {
    let index: rustc_hash::FxHashMap<Var, usize> = group.iter().enumerate().map(|(i, f)| (f.var, i)).collect();
    let uses: Vec<Vec<usize>> = group
        .iter()
        .map(|function| {
            let mut used = Vec::new();
            visit_atoms(&function.body, &mut |atom| {
                if let Atom::Var(var) = atom
                    && let Some(&i) = index.get(&var)
                {
                    used.push(i);
                }
            });
            used.sort_unstable();
            used.dedup();
            used
        })
        .collect();
    if group.len() == 1 {
        return vec![Component { recursive: !uses[0].is_empty(), functions: group }];
    }
    let order = tarjan(&uses);
    let mut functions: Vec<Option<Function>> = group.into_iter().map(Some).collect();
    order
        .into_iter()
        .map(|members| Component {
            recursive: members.len() > 1 || uses[members[0]].contains(&members[0]),
            functions: members.into_iter().map(|i| functions[i].take().expect("each once")).collect(),
        })
        .collect()
}

/// Strongly connected components, callees before callers; iterative, since groups can be long.
fn tarjan(uses: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n = uses.len();
    let (mut index, mut low) = (vec![UNSEEN; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut order = Vec::new();
    let mut next = 0;
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
            if *edge == 0 {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = uses[v].get(*edge) {
                *edge += 1;
                if index[w] == UNSEEN {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let mut members = Vec::new();
                loop {
                    let w = stack.pop().expect("v is on the stack");
                    on_stack[w] = false;
                    members.push(w);
                    if w == v {
                        break;
                    }
                }
                members.reverse();
                order.push(members);
            }
        }
    }
    order
}
