//! Case of case, for the simplifier: each end of the case before goes on with the arm that its value chooses.
//! Part of [`super::simplify`].
//!
//! ```text
//! val t = case p of true => q | false => false        case p of true => case q of true => e1 | false => no ()
//! case t of true => e1 | false => e2             =>             | false => no ()           where fun no () = e2
//! ```
//!
//! An arm that one end chooses moves there. One that several choose becomes a function, a *join*, which they call; the
//! next stage makes a block of it, and of the calls jumps. No arm is copied unless all its copies together are small.
//!
//! Chains: `t` may be looked at by a case whose value another case looks at, and so on for hundreds of lines. Each link
//! asks for the ends of all the links before it. So the joins of a chain are one group of functions, which stands
//! before the case; where the value comes out is remembered ([`Ends`]); and as soon as there are more than
//! [`MOST_ENDS`] ends, all of them become calls of joins, whose bodies are then the only ends. A link then costs as
//! much as it has arms and ends itself, and the code grows by that.
//!
//! After Peyton Jones and Marlow (2002, section 3) for the joins, which they call join points; and MLton's `knownCase`,
//! which also has the blocks as the only thing that is shared.

use leat_base::Symbol;

use super::census::{self, bodies_mut};
use super::simplify::{Ends, Known, Simplifier};
use crate::ir::*;

/// More ends than these become calls of joins.
const MOST_ENDS: usize = 16;
/// Ends where nothing is known look at the value themselves, as long as they have no more arms than this together.
const MOST_LOOKS: usize = 16;

/// What the ends go on with.
struct Outer {
    data: Data,
    arms: Vec<Arm>,
    /// Number of the arm of the default, which takes no fields.
    default: Option<usize>,
    results: Vec<Ty>,
    name: Symbol,
    loc: Loc,
    /// How many ends choose the arm of this number.
    calls: Vec<usize>,
    /// Ends where nothing is known, and the join that looks for all of them, if they are many.
    unknown: usize,
    look: Option<Var>,
    /// Joins may be copied, and arms moved.
    open: bool,
}

/// A case and the functions that stand before it, of which the value comes out.
struct Link<'a> {
    scrut: Atom,
    arms: &'a mut Arms,
    default: &'a mut Option<Box<Body>>,
    /// Does it come out of the arms, too?
    tree: bool,
    joins: &'a mut [Function],
}

/// What is done with a body at whose end the value comes out.
type OnEnd<'a> = dyn FnMut(&mut Simplifier<'_>, &mut Body) + 'a;

struct Walk<'a, 'f> {
    /// Of the link, and of the links around it: a call of one is no end.
    joins: &'a [Var],
    results: Option<&'a [Ty]>,
    f: &'f mut OnEnd<'a>,
}

struct Arm {
    con: u32,
    fields: Vec<Ty>,
    code: Code,
}

enum Code {
    /// Not simplified yet; for the one end that takes it.
    Here(Vec<Var>, Body),
    Join(Var),
    Gone,
}

impl Simplifier<'_> {
    /// Is the scrutinee the only value of a case that stands right before, and used only here?
    pub(super) fn is_inner_case(&self, scrut: Atom, out: &[Bind]) -> bool {
        let Atom::Var(var) = scrut else { return false };
        self.counts[var.0 as usize].uses == 1 && self.case_gives_constructor(var, out)
    }

    /// Does the body end in a constructor that can be seen?
    fn gives_constructor(&self, body: &Body) -> bool {
        match &body.result {
            Outcome::Values(atoms) => match atoms[0] {
                Atom::Con(..) => true,
                Atom::Var(var) => {
                    matches!(self.known[var.0 as usize], Known::Con(..))
                        || self.case_gives_constructor(var, &body.binds)
                }
                _ => false,
            },
            Outcome::Raise(..) | Outcome::Unreachable => false,
        }
    }

    /// Is the variable the value of a case, the last of these, of which an end is a constructor that can be seen?
    fn case_gives_constructor(&self, var: Var, binds: &[Bind]) -> bool {
        let Some(Bind::Val { vars, rhs: Rhs::Case { arms, default, .. }, .. }) = binds.last() else { return false };
        if vars.as_slice() != [var] {
            return false;
        }
        let ends = self.ends.get(&var);
        ends.is_none_or(|ends| ends.tree)
            && census::bodies(arms).chain(default.iter().map(|body| &**body)).any(|body| self.gives_constructor(body))
            || ends.is_some_and(|ends| {
                let Some(Bind::Fun(group)) = binds.get(binds.len().wrapping_sub(2)) else { return false };
                group[ends.from..].iter().any(|join| self.gives_constructor(&join.body))
            })
    }

    /// `case scrut of arms`, where [`Self::is_inner_case`] holds of the scrutinee.
    pub(super) fn case_of_case(
        &mut self,
        vars: Vec<Var>,
        scrut: Atom,
        arms: Arms,
        default: Option<Box<Body>>,
        loc: Loc,
        out: &mut Vec<Bind>,
    ) {
        let (Arms::Con(data, arms), Atom::Var(scrut)) = (arms, scrut) else { unreachable!("is_inner_case") };
        let Some(Bind::Val { rhs: Rhs::Case { scrut: inner, arms: mut tree, default: mut other }, .. }) = out.pop()
        else {
            unreachable!("is_inner_case")
        };
        // The joins of the links before: those where the value does not come out, and those where it does.
        let (ends, mut closed, mut joins) = match self.ends.remove(&scrut) {
            None => (Ends { tree: true, from: 0 }, Vec::new(), Vec::new()),
            Some(ends) => {
                let Some(Bind::Fun(mut group)) = out.pop() else { unreachable!("joins stand before their case") };
                let joins = group.split_off(ends.from);
                (ends, group, joins)
            }
        };

        // 1. Which arm do the ends choose?
        let types = |s: &Self, fields: &[Var]| fields.iter().map(|&field| s.program.ty(field)).collect();
        let mut outer = Outer {
            data,
            arms: arms
                .into_iter()
                .map(|(con, fields, body)| Arm { con, fields: types(self, &fields), code: Code::Here(fields, body) })
                .collect(),
            default: None,
            results: types(self, &vars),
            name: self.program.vars[scrut.0 as usize].name,
            loc,
            calls: Vec::new(),
            unknown: 0,
            look: None,
            open: true,
        };
        if let Some(body) = default {
            outer.default = Some(outer.arms.len());
            outer.arms.push(Arm { con: u32::MAX, fields: Vec::new(), code: Code::Here(Vec::new(), *body) });
        }
        outer.calls = vec![0; outer.arms.len()];
        let mut found = 0;
        let mut link = Link { scrut: inner, arms: &mut tree, default: &mut other, tree: ends.tree, joins: &mut joins };
        self.all_ends(&mut link, &[], None, &mut |s, body| {
            found += 1;
            s.count(body, &mut outer);
        });
        outer.open = found + outer.unknown * (outer.arms.len() - 1) + link.joins.len() <= MOST_ENDS;
        let shared = outer.unknown > 1 && outer.unknown * outer.arms.len() > MOST_LOOKS;
        for calls in &mut outer.calls {
            *calls += if shared { 1 } else { outer.unknown };
        }

        // 2. An arm for several ends becomes a function.
        let mut made = Vec::new();
        for (arm, &calls) in outer.arms.iter_mut().zip(&outer.calls) {
            match calls {
                0 => arm.code = Code::Gone,
                1 if outer.open => {}
                _ => {
                    let Code::Here(params, body) = std::mem::replace(&mut arm.code, Code::Gone) else { unreachable!() };
                    let var = self.new_join(&arm.fields, &outer.results, calls);
                    arm.code = Code::Join(var);
                    let join = Function { var, params, body, loc, inline: Inline::Auto, join: true };
                    made.extend(self.function(join, false));
                }
            }
        }
        if shared {
            let ty = self.program.ty(scrut);
            let var = self.new_join(&[ty], &outer.results, outer.unknown);
            let param = self.new_var(outer.name, ty, 1, 0);
            let mut body = Body::default();
            self.look(&mut body, Atom::Var(param), &mut outer);
            made.push(Function { var, params: vec![param], body, loc, inline: Inline::Auto, join: true });
            outer.look = Some(var);
        }

        // 3. The ends go on.
        let mut link = Link { scrut: inner, arms: &mut tree, default: &mut other, tree: ends.tree, joins: &mut joins };
        let results = outer.results.clone();
        self.all_ends(&mut link, &[], Some(&results), &mut |s, body| s.go_on(body, &mut outer));
        made.retain(|join| self.counts[join.var.0 as usize].uses > 0);
        let is_stale = !ends.tree && results != [self.program.ty(scrut)];
        let next = if outer.open {
            Ends { tree: ends.tree, from: closed.len() }
        } else {
            Ends { tree: false, from: closed.len() + joins.len() }
        };
        closed.extend(joins.into_iter().chain(made));
        let group = closed;
        if is_stale {
            self.stale.insert(group[0].var, next.from);
        } else if let Some(from) = group.first().and_then(|first| self.stale.get_mut(&first.var)) {
            *from = next.from;
        }
        if let [var] = vars.as_slice()
            && group.len() > next.from
        {
            self.ends.insert(*var, next);
        }
        if !group.is_empty() {
            out.push(Bind::Fun(group));
        }
        out.push(Bind::Val { vars, rhs: Rhs::Case { scrut: inner, arms: tree, default: other }, loc });
    }

    /// The links of a chain that have no ends any more pass on what the last link gives: they get its types, once, when
    /// the chain is complete.
    pub(super) fn settle(&mut self, binds: &mut [Bind]) {
        if self.stale.is_empty() {
            return;
        }
        for i in 1..binds.len() {
            let [Bind::Fun(group), Bind::Val { vars, rhs: Rhs::Case { arms, default, .. }, .. }] =
                &mut binds[i - 1..=i]
            else {
                continue;
            };
            let Some(from) = self.stale.remove(&group[0].var) else { continue };
            let results: Vec<Ty> = vars.iter().map(|&var| self.program.ty(var)).collect();
            for body in bodies_mut(arms).chain(default.iter_mut().map(|body| &mut **body)) {
                self.pass_on(body, &results);
            }
            for join in &mut group[..from] {
                self.retype(join, &results);
                self.pass_on(&mut join.body, &results);
            }
        }
    }

    /// The body ends in a call of a join, in a case of such bodies, or without a value. The case may have joins of its
    /// own, whose bodies end likewise.
    fn pass_on(&mut self, body: &mut Body, results: &[Ty]) {
        if let Outcome::Values(_) = body.result
            && let Some((Bind::Val { vars, rhs, .. }, before)) = body.binds.split_last_mut()
        {
            if let Rhs::Case { arms, default, .. } = rhs {
                for inner in bodies_mut(arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                    self.pass_on(inner, results);
                }
                if let [var] = vars.as_slice()
                    && let Some(Ends { tree: true, from: 0 }) = self.ends.get(var)
                {
                    let Some(Bind::Fun(joins)) = before.last_mut() else {
                        unreachable!("joins stand before their case")
                    };
                    for join in joins {
                        self.retype(join, results);
                        self.pass_on(&mut join.body, results);
                    }
                }
            }
            let name = vars.first().map_or(self.place, |var| self.program.vars[var.0 as usize].name);
            *vars = self.fresh(name, results);
            body.result = Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect());
        }
    }

    fn fresh(&mut self, name: Symbol, types: &[Ty]) -> Vec<Var> {
        types.iter().map(|&ty| self.new_var(name, ty, 1, 0)).collect()
    }

    fn new_join(&mut self, fields: &[Ty], results: &[Ty], calls: usize) -> Var {
        let ty = self.program.types.intern(TyData::Arrow(fields.to_vec(), results.to_vec()));
        self.new_var(self.place, ty, calls as u32, calls as u32)
    }

    /// Calls `f` with each body at whose end the value comes out. With `results`, the cases on the way get results of
    /// these types.
    /// The value may also come out of joins around the link, which are looked at by themselves.
    fn all_ends(&mut self, link: &mut Link<'_>, around: &[Var], results: Option<&[Ty]>, f: &mut OnEnd<'_>) {
        let joins: Vec<Var> = link.joins.iter().map(|join| join.var).chain(around.iter().copied()).collect();
        let mut walk = Walk { joins: &joins, results, f };
        if link.tree {
            self.ends_of_case(link.scrut, link.arms, link.default, &mut walk);
        }
        for join in link.joins.iter_mut() {
            if let Some(results) = results {
                // What was remembered of it has the old ends.
                self.known[join.var.0 as usize] = Known::Nothing;
                self.retype(join, results);
            }
            self.ends_of(&mut join.body, &mut walk);
        }
    }

    fn ends_of_case(&mut self, scrut: Atom, arms: &mut Arms, default: &mut Option<Box<Body>>, walk: &mut Walk<'_, '_>) {
        if let Arms::Con(_, arms) = arms {
            for (con, fields, body) in arms {
                let saved = self.learn(scrut, *con, fields);
                self.ends_of(body, walk);
                self.forget(scrut, saved);
            }
        } else {
            for body in bodies_mut(arms) {
                self.ends_of(body, walk);
            }
        }
        if let Some(body) = default {
            self.ends_of(body, walk);
        }
    }

    fn ends_of(&mut self, body: &mut Body, walk: &mut Walk<'_, '_>) {
        let Outcome::Values(atoms) = &body.result else { return };
        if let &[Atom::Var(var)] = atoms.as_slice()
            && let Some((Bind::Val { vars, rhs, .. }, before)) = body.binds.split_last_mut()
            && vars.as_slice() == [var]
            && self.counts[var.0 as usize].uses == 1
        {
            let ends = self.ends.get(&var).copied();
            let through = match (rhs, ends) {
                // The value of a case at the arm's own end: further in.
                (Rhs::Case { scrut, arms, default }, None) => {
                    self.ends_of_case(*scrut, arms, default, walk);
                    true
                }
                // Likewise, of a chain of its own, whose links all have ends.
                (Rhs::Case { scrut, arms, default }, Some(Ends { tree: true, from: 0 })) => {
                    let Some(Bind::Fun(joins)) = before.last_mut() else {
                        unreachable!("joins stand before their case")
                    };
                    let mut link = Link { scrut: *scrut, arms, default, tree: true, joins };
                    self.all_ends(&mut link, walk.joins, walk.results, walk.f);
                    true
                }
                // A join gives it, whose ends are looked at by themselves.
                (Rhs::App { f: Atom::Var(join), .. }, _) => walk.joins.contains(join),
                _ => false,
            };
            if through {
                if let Some(types) = walk.results {
                    let new = self.fresh(self.program.vars[var.0 as usize].name, types);
                    body.result = Outcome::Values(new.iter().map(|&var| Atom::Var(var)).collect());
                    if let (Some(ends), [new]) = (ends, new.as_slice()) {
                        self.ends.insert(*new, ends);
                    }
                    *vars = new;
                }
                return;
            }
        }
        (walk.f)(self, body);
    }

    /// A join of an earlier link now gives what the new link gives.
    fn retype(&mut self, join: &Function, results: &[Ty]) {
        let TyData::Arrow(params, old) = self.program.types.get(self.program.ty(join.var)) else { unreachable!("M2") };
        if old != results {
            let data = TyData::Arrow(params.clone(), results.to_vec());
            self.program.vars[join.var.0 as usize].ty = self.program.types.intern(data);
        }
    }

    /// Counts what the end will choose.
    fn count(&self, body: &Body, outer: &mut Outer) {
        match self.known(end_value(body)) {
            Known::Con(con, _) => {
                let arm = outer.choose(con);
                outer.calls[arm] += 1;
            }
            _ => outer.unknown += 1,
        }
    }

    /// An end goes on with the arm that it chooses, or looks.
    fn go_on(&mut self, body: &mut Body, outer: &mut Outer) {
        let atom = end_value(body);
        match self.known(atom) {
            Known::Con(con, fields) => {
                let arm = outer.choose(con);
                // The default takes no fields.
                let fields = if outer.default == Some(arm) { &[] } else { &fields[..] };
                self.take(body, outer, arm, fields);
                self.release(&[atom]);
            }
            _ => match outer.look {
                Some(join) => self.jump(body, outer, join, &[atom]),
                None => self.look(body, atom, outer),
            },
        }
    }

    /// Nothing is known here: a case, and the choice in each of its arms.
    fn look(&mut self, body: &mut Body, atom: Atom, outer: &mut Outer) {
        let mut arms = Vec::new();
        let mut default = None;
        for i in 0..outer.arms.len() {
            let mut arm = Body { binds: Vec::new(), result: Outcome::Unreachable };
            if outer.default == Some(i) {
                self.take(&mut arm, outer, i, &[]);
                default = Some(Box::new(arm));
                continue;
            }
            let con = outer.arms[i].con;
            let types = outer.arms[i].fields.clone();
            let fields: Vec<Var> = types.iter().map(|&ty| self.new_var(outer.name, ty, 0, 0)).collect();
            let atoms: Vec<Atom> = fields.iter().map(|&field| Atom::Var(field)).collect();
            let saved = self.learn(atom, con, &fields);
            self.take(&mut arm, outer, i, &atoms);
            self.forget(atom, saved);
            arms.push((con, fields, arm));
        }
        let arms = Arms::Con(outer.data, arms);
        if outer.results.len() == 1 && super::simplify::is_identity(&arms, &default) {
            body.result = Outcome::Values(vec![atom]);
            return;
        }
        let vars = self.fresh(outer.name, &outer.results);
        body.result = Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect());
        body.binds.push(Bind::Val { vars, rhs: Rhs::Case { scrut: atom, arms, default }, loc: outer.loc });
    }

    /// The body goes on with an arm.
    fn take(&mut self, body: &mut Body, outer: &mut Outer, arm: usize, fields: &[Atom]) {
        match std::mem::replace(&mut outer.arms[arm].code, Code::Gone) {
            Code::Here(params, rest) => {
                self.alias_part(&params, fields);
                body.result = self.binds(rest, &mut body.binds);
                self.settle(&mut body.binds);
            }
            Code::Join(join) => {
                outer.arms[arm].code = Code::Join(join);
                self.jump(body, outer, join, fields);
            }
            Code::Gone => unreachable!("an arm that has been counted"),
        }
    }

    /// The body calls a join, or has a copy of it.
    fn jump(&mut self, body: &mut Body, outer: &Outer, join: Var, args: &[Atom]) {
        for arg in args {
            if let Atom::Var(var) = arg {
                self.counts[var.0 as usize].uses += 1;
            }
        }
        let vars = self.fresh(outer.name, &outer.results);
        let values = Outcome::Values(vars.iter().map(|&var| Atom::Var(var)).collect());
        let rhs = Rhs::App { f: Atom::Var(join), args: args.to_vec() };
        if outer.open {
            let stop = self.val(vars, rhs, outer.loc, &mut body.binds);
            body.result = stop.unwrap_or_else(|| self.outcome(values));
            // A copy of the join may have a chain that the join has not, since its arguments are known.
            self.settle(&mut body.binds);
        } else {
            body.binds.push(Bind::Val { vars, rhs, loc: outer.loc });
            body.result = values;
        }
    }
}

impl Outer {
    fn choose(&self, con: u32) -> usize {
        let arm = self.arms.iter().position(|arm| arm.con == con);
        arm.or(self.default).expect("M4: a case is exhaustive")
    }
}

fn end_value(body: &Body) -> Atom {
    let Outcome::Values(atoms) = &body.result else { unreachable!("an end has a value") };
    atoms[0]
}
