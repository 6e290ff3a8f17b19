//! Core -> Lambda, expression by expression; matches go to `matching`.
//!
//! Keeps: types, order of evaluation, generativity. Records are tuples in the order of their type's labels; a `val`
//! with a pattern is a `val` of a variable for each variable of the pattern.

use crate::ctx::{Ctx, position, val};
use crate::ir::*;
use crate::matching::{Fail, Match, Rhs};
use crate::reach;
use leat_abi::prim::Prim;
use leat_base::{Diagnostic, Span, Symbol};
use leat_elab::ir::{self as core, TyData};
use leat_elab::{Tables, builtin};

/// How a unit is lowered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A unit of the library: a declaration that binds a variable is dropped when nobody uses it, whatever it computes.
    /// `val () = ..` and `val _ = ..` stay.
    pub library: bool,
}

/// Lowers one unit. Adds variables and types to `tables`. The diagnostics are warnings: matches that are not
/// exhaustive, rules that are never reached.
pub fn lower(decs: Vec<core::Dec>, tables: &mut Tables, options: Options) -> (Lambda, Vec<Diagnostic>) {
    let mut ctx = Ctx::new(tables);
    let mut lowered = Vec::new();
    let mut top = Vec::with_capacity(decs.len());
    for dec in decs {
        let anonymous = options.library && !binds_a_variable(&dec);
        ctx.lower_dec(dec, &mut lowered);
        for dec in lowered.drain(..) {
            let free = reach::free_vars(&dec);
            let effect = if options.library { anonymous && free.effect } else { free.effect };
            top.push(TopDec { dec, uses: free.uses, effect });
        }
    }
    (Lambda { decs: top }, ctx.diagnostics)
}

fn binds_a_variable(dec: &core::Dec) -> bool {
    fn pat_binds(pat: &core::Pat) -> bool {
        match &pat.kind {
            core::PatKind::Wild | core::PatKind::Const(_) => false,
            core::PatKind::Var(_) | core::PatKind::Layered(..) => true,
            core::PatKind::Con(_, _, _, arg) | core::PatKind::Exn(_, arg) => arg.as_deref().is_some_and(pat_binds),
            core::PatKind::Ref(pat) => pat_binds(pat),
            core::PatKind::Record(fields) => fields.iter().any(|(_, pat)| pat_binds(pat)),
            core::PatKind::Vector(pats) => pats.iter().any(pat_binds),
        }
    }
    match &dec.kind {
        core::DecKind::Val { pat, .. } => pat_binds(pat),
        core::DecKind::Fun { .. } | core::DecKind::Exception { .. } => true,
    }
}

/// The variable of all that the pattern matches.
fn names(pat: &core::Pat) -> Option<Var> {
    match pat.kind {
        core::PatKind::Var(var) | core::PatKind::Layered(var, _) => Some(var),
        _ => None,
    }
}

/// Packets that a constructor's argument has.
fn kept_packets(pat: &core::Pat, inside: bool, visit: &mut impl FnMut(Var)) {
    match &pat.kind {
        core::PatKind::Wild | core::PatKind::Const(_) => {}
        core::PatKind::Var(var) if inside && pat.ty == builtin::ty::EXN => visit(*var),
        core::PatKind::Var(_) => {}
        core::PatKind::Con(_, _, _, arg) | core::PatKind::Exn(_, arg) => {
            arg.iter().for_each(|pat| kept_packets(pat, true, visit));
        }
        core::PatKind::Ref(pat) | core::PatKind::Layered(_, pat) => kept_packets(pat, inside, visit),
        core::PatKind::Record(fields) => fields.iter().for_each(|(_, pat)| kept_packets(pat, inside, visit)),
        core::PatKind::Vector(pats) => pats.iter().for_each(|pat| kept_packets(pat, true, visit)),
    }
}

/// Whether to match the pattern calls a function.
fn compares_strings(pat: &core::Pat) -> bool {
    match &pat.kind {
        core::PatKind::Const(c) => matches!(c, core::Const::String(_)),
        core::PatKind::Wild | core::PatKind::Var(_) => false,
        core::PatKind::Con(_, _, _, arg) | core::PatKind::Exn(_, arg) => arg.as_deref().is_some_and(compares_strings),
        core::PatKind::Ref(pat) | core::PatKind::Layered(_, pat) => compares_strings(pat),
        core::PatKind::Record(fields) => fields.iter().any(|(_, pat)| compares_strings(pat)),
        core::PatKind::Vector(pats) => pats.iter().any(compares_strings),
    }
}

impl Ctx<'_> {
    // -- expressions

    /// The dynamic rules of expressions, as far as the order of evaluation goes: what each form does is its own in
    /// every later language.
    pub fn lower_exp(&mut self, exp: core::Exp) -> Exp {
        let core::Exp { kind, ty, span } = exp;
        let kind = match kind {
            // [Rule 90]
            core::ExpKind::Const(c) => ExpKind::Const(c),
            // [Rule 91]
            core::ExpKind::Var(var, tys) => {
                self.mark(var);
                match self.tables.prims.get(&var) {
                    Some(&prim) => ExpKind::Prim(prim, ty),
                    None => ExpKind::Var(var, tys),
                }
            }
            core::ExpKind::Con(name, con, tys) => ExpKind::Con(name, con, tys),
            core::ExpKind::ExnCon(exn) => ExpKind::ExnCon(exn),
            core::ExpKind::RefCon(_) => ExpKind::Prim(Prim::RefNew, ty),
            core::ExpKind::Prim(prim, ty) => ExpKind::Prim(prim, ty),
            core::ExpKind::Overloaded(_) => unreachable!("Core of a unit without errors is finished (C8)"),
            // [Rule 92] [Rule 95]
            core::ExpKind::Record(fields) => return self.lower_record(fields, ty, span),
            core::ExpKind::Selector(label, record) => {
                let param = self.fresh("r", record, span);
                let arg = self.var_exp(param, span);
                let index = position(self.tables, record, label, usize::MAX) as u32;
                let field = match &self.tables.types[ty] {
                    TyData::Arrow(_, to) => *to,
                    _ => ty,
                };
                let body = Exp { kind: ExpKind::Select(index, Box::new(arg)), ty: field, span };
                ExpKind::Fn(param, Box::new(body))
            }
            core::ExpKind::Vector(exps) => ExpKind::Vector(self.lower_exps(exps)),
            core::ExpKind::List(exps) => ExpKind::List(self.lower_exps(exps)),
            // [Rule 97] [Rule 98] [Rule 99] [Rule 100] [Rule 101] [Rule 102] [Rule 103] The function is evaluated before its
            // argument; what is applied decides: a constructor, an exception, `ref`, `:=`, a primitive, a closure.
            core::ExpKind::App(f, arg) => match f.kind {
                core::ExpKind::Selector(label, record) => {
                    let index = position(self.tables, record, label, usize::MAX) as u32;
                    ExpKind::Select(index, Box::new(self.lower_exp(*arg)))
                }
                _ => {
                    self.applications += 1;
                    let f = self.lower_exp(*f);
                    let arg = self.lower_exp(*arg);
                    ExpKind::App(Box::new(f), Box::new(arg))
                }
            },
            // [Rule 108]
            core::ExpKind::Fn(rules) => {
                let (param, body) = self.lower_fn(rules, ty, span);
                ExpKind::Fn(param, Box::new(body))
            }
            core::ExpKind::Case(scrut, rules) => return self.lower_case(*scrut, rules, ty, span),
            core::ExpKind::If(a, b, c) => {
                let (a, b, c) = (self.lower_exp(*a), self.lower_exp(*b), self.lower_exp(*c));
                ExpKind::If(Box::new(a), Box::new(b), Box::new(c))
            }
            core::ExpKind::While(a, b) => {
                let (a, b) = (self.lower_exp(*a), self.lower_exp(*b));
                ExpKind::While(Box::new(a), Box::new(b))
            }
            core::ExpKind::Seq(exps) => ExpKind::Seq(self.lower_exps(exps)),
            // [Rule 93]
            core::ExpKind::Let(decs, body) => {
                let mut lowered = Vec::with_capacity(decs.len());
                for dec in decs {
                    self.lower_dec(dec, &mut lowered);
                }
                let body = self.lower_exp(*body);
                if lowered.is_empty() {
                    return body;
                }
                ExpKind::Let(lowered, Box::new(body))
            }
            // [Rule 107]
            core::ExpKind::Raise(packet) => {
                let packet = self.lower_exp(*packet);
                let again = match packet.kind {
                    ExpKind::Var(var, _) if self.raised.contains(&var) => Some(packet.clone()),
                    _ => None,
                };
                let raise = ExpKind::Raise(Box::new(packet));
                match again {
                    None => raise,
                    Some(packet) => {
                        let note = self.prim_app(Prim::ExnAgain, packet, builtin::ty::UNIT, span);
                        ExpKind::Seq(vec![note, Exp { kind: raise, ty, span }])
                    }
                }
            }
            // [Rule 104] [Rule 105] [Rule 106] A packet that no rule matches is raised again.
            core::ExpKind::Handle(body, rules) => {
                let body = self.lower_exp(*body);
                let packet_ty = rules.first().map_or(ty, |rule| rule.pat.ty);
                let packet = self.fresh("exn", packet_ty, span);
                let compares = rules.iter().any(|rule| compares_strings(&rule.pat));
                self.raised.extend(rules.iter().filter_map(|rule| names(&rule.pat)));
                let mut handler = self.lower_match(packet, rules, Fail::Reraise(packet), ty, span);
                if compares {
                    handler = self.placed(packet, handler);
                }
                ExpKind::Handle(Box::new(body), packet, Box::new(handler))
            }
        };
        Exp { kind, ty, span }
    }

    fn lower_exps(&mut self, exps: Vec<core::Exp>) -> Vec<Exp> {
        exps.into_iter().map(|exp| self.lower_exp(exp)).collect()
    }

    /// Fields are evaluated as written, and stand as the type says.
    fn lower_record(&mut self, fields: Vec<(Symbol, core::Exp)>, ty: Ty, span: Span) -> Exp {
        let positions: Vec<usize> =
            fields.iter().enumerate().map(|(i, (label, _))| position(self.tables, ty, *label, i)).collect();
        let exps: Vec<Exp> = fields.into_iter().map(|(_, exp)| self.lower_exp(exp)).collect();
        if positions.iter().enumerate().all(|(i, &position)| i == position) {
            return Exp { kind: ExpKind::Tuple(exps), ty, span };
        }
        let mut decs = Vec::with_capacity(exps.len());
        let mut parts: Vec<(usize, Exp)> = Vec::with_capacity(exps.len());
        for (exp, position) in exps.into_iter().zip(positions) {
            let var = self.fresh("field", exp.ty, exp.span);
            parts.push((position, self.var_exp(var, exp.span)));
            decs.push(val(var, exp));
        }
        parts.sort_by_key(|part| part.0);
        let tuple = Exp { kind: ExpKind::Tuple(parts.into_iter().map(|part| part.1).collect()), ty, span };
        Exp { kind: ExpKind::Let(decs, Box::new(tuple)), ty, span }
    }

    /// Parameter and body; `ty` is the function's.
    fn lower_fn(&mut self, mut rules: Vec<core::Rule>, ty: Ty, span: Span) -> (Var, Exp) {
        let (from, to) = match &self.tables.types[ty] {
            TyData::Arrow(from, to) => (*from, *to),
            _ => (ty, ty),
        };
        if rules.len() == 1
            && let core::PatKind::Var(param) = rules[0].pat.kind
        {
            let body = self.lower_exp(rules.swap_remove(0).exp);
            return (param, body);
        }
        let param = self.fresh("arg", from, span);
        let body = self.lower_match(param, rules, Fail::Match, to, span);
        (param, body)
    }

    fn lower_case(&mut self, scrut: core::Exp, mut rules: Vec<core::Rule>, ty: Ty, span: Span) -> Exp {
        let scrut = self.lower_exp(scrut);
        if let ExpKind::Var(var, tys) = &scrut.kind
            && tys.is_empty()
        {
            return self.lower_match(*var, rules, Fail::Match, ty, span);
        }
        if rules.len() == 1
            && let core::PatKind::Var(var) = rules[0].pat.kind
        {
            let body = self.lower_exp(rules.swap_remove(0).exp);
            return Exp { kind: ExpKind::Let(vec![val(var, scrut)], Box::new(body)), ty, span };
        }
        let var = self.fresh("scrut", scrut.ty, scrut.span);
        let body = self.lower_match(var, rules, Fail::Match, ty, span);
        Exp { kind: ExpKind::Let(vec![val(var, scrut)], Box::new(body)), ty, span }
    }

    /// The body of a handler's rule that calls something. If it has a name for the packet, and so may raise it again or
    /// keep it for later, where it was raised is kept first, for reports.
    fn keep_place(&mut self, pat: &core::Pat, body: Exp) -> Exp {
        match names(pat) {
            Some(packet) if self.is_used(packet) => self.placed(packet, body),
            _ => body,
        }
    }

    fn placed(&mut self, packet: Var, body: Exp) -> Exp {
        let (ty, span) = (body.ty, body.span);
        let packet = self.var_exp(packet, span);
        let note = self.prim_app(Prim::ExnPlace, packet, builtin::ty::UNIT, span);
        Exp { kind: ExpKind::Seq(vec![note, body]), ty, span }
    }

    /// [Rule 109] [Rule 110] [Rule 111] [Rule 112] [Rule 113]
    fn lower_match(&mut self, scrut: Var, rules: Vec<core::Rule>, fail: Fail, ty: Ty, span: Span) -> Exp {
        let mut pats = Vec::with_capacity(rules.len());
        let mut rhs = Vec::with_capacity(rules.len());
        for rule in rules {
            kept_packets(&rule.pat, false, &mut |var| {
                self.raised.insert(var);
            });
            let before = self.applications;
            let mut body = self.lower_exp(rule.exp);
            if matches!(fail, Fail::Reraise(_)) && self.applications > before {
                body = self.keep_place(&rule.pat, body);
            }
            rhs.push(Rhs::Exp(Some(body)));
            pats.push(rule.pat);
        }
        Match::new(self, &pats, rhs, scrut, fail, ty, span).compile()
    }

    // -- declarations

    pub fn lower_dec(&mut self, dec: core::Dec, out: &mut Vec<Dec>) {
        let span = dec.span;
        match dec.kind {
            // [Rule 114]
            core::DecKind::Val { tyvars, pat, exp } => {
                self.note_prim(&pat, &exp);
                let exp = self.lower_exp(exp);
                self.lower_val(tyvars, pat, exp, span, out);
            }
            // [Rule 126]
            core::DecKind::Fun { tyvars, funs } => {
                let funs = funs.into_iter().map(|fun| self.lower_fun(fun)).collect();
                out.push(Dec { kind: DecKind::Fun { tyvars, funs }, span });
            }
            // [Rule 119] [Rule 130] A new name at each evaluation.
            core::DecKind::Exception { var, name, arg } => {
                out.push(Dec { kind: DecKind::Exception { var, name, arg }, span });
            }
        }
    }

    /// A `val` that binds a primitive under its own name, perhaps with more behind it, declares it (`lib/prim`). Other
    /// names for a primitive stay, for dumps and back-traces.
    fn note_prim(&mut self, pat: &core::Pat, exp: &core::Exp) {
        if let (core::PatKind::Var(var), core::ExpKind::Prim(prim, _)) = (&pat.kind, &exp.kind)
            && self.tables.vars[*var].name.as_str().starts_with(prim.name())
        {
            self.tables.prims.insert(*var, *prim);
        }
    }

    fn lower_fun(&mut self, fun: core::Fun) -> Fun {
        let core::Fun { var, exp, span } = fun;
        match exp.kind {
            core::ExpKind::Fn(rules) => {
                let (param, body) = self.lower_fn(rules, exp.ty, exp.span);
                Fun { var, param, body, span, join: false }
            }
            // The elaborator gives a `Fn`; anything else that is a function is applied to its argument.
            kind => {
                let (from, to) = match &self.tables.types[exp.ty] {
                    TyData::Arrow(from, to) => (*from, *to),
                    _ => (exp.ty, exp.ty),
                };
                let param = self.fresh("arg", from, span);
                let f = self.lower_exp(core::Exp { kind, ..exp });
                let arg = self.var_exp(param, span);
                let body = Exp { kind: ExpKind::App(Box::new(f), Box::new(arg)), ty: to, span };
                Fun { var, param, body, span, join: false }
            }
        }
    }

    /// [Rule 124] [Rule 125] A pattern that does not match raises `Bind`.
    fn lower_val(&mut self, tyvars: Vec<TyVar>, pat: core::Pat, exp: Exp, span: Span, out: &mut Vec<Dec>) {
        let poly_val = |tyvars: &[TyVar], var, exp, keep| Dec {
            kind: DecKind::Val { tyvars: tyvars.to_vec(), var, exp, keep },
            span,
        };
        match pat.kind {
            core::PatKind::Var(var) => return out.push(poly_val(&tyvars, var, exp, false)),
            core::PatKind::Wild => {
                let var = self.fresh("_", exp.ty, span);
                return out.push(poly_val(&tyvars, var, exp, false));
            }
            _ => {}
        }
        let tys: Vec<Ty> = tyvars.iter().map(|&tyvar| self.tables.intern(TyData::Var(tyvar))).collect();
        let pats = [pat];
        let pat_span = pats[0].span;
        let scrut = self.fresh("_", exp.ty, span);
        let at_scrut = Exp { kind: ExpKind::Var(scrut, tys.clone()), ty: exp.ty, span: pat_span };
        let matching = Match::new(self, &pats, vec![], scrut, Fail::Bind, exp.ty, pat_span);
        if let Some(projections) = matching.irrefutable(&at_scrut) {
            out.push(poly_val(&tyvars, scrut, exp, false));
            out.extend(projections.into_iter().map(|(var, exp)| poly_val(&tyvars, var, exp, false)));
            return;
        }
        // One match that gives the tuple of all variables, then its parts.
        let vars = matching.variables();
        let parts: Vec<Ty> = vars.iter().map(|&var| self.tables.vars[var].ty).collect();
        let (result, result_ty) = match parts[..] {
            [ty] => (vars[0], ty),
            _ => {
                let ty = self.tuple_ty(&parts);
                (self.fresh("parts", ty, span), ty)
            }
        };
        let body =
            Match::new(self, &pats, vec![Rhs::Vars(vars.clone())], scrut, Fail::Bind, result_ty, pat_span).compile();
        let matched = Exp { kind: ExpKind::Let(vec![val(scrut, exp)], Box::new(body)), ty: result_ty, span };
        let keep = !tyvars.is_empty();
        out.push(poly_val(&tyvars, result, matched, keep));
        if vars.len() != 1 {
            for (i, (&var, &ty)) in vars.iter().zip(&parts).enumerate() {
                let tuple = Exp { kind: ExpKind::Var(result, tys.clone()), ty: result_ty, span: pat_span };
                let part = Exp { kind: ExpKind::Select(i as u32, Box::new(tuple)), ty, span: pat_span };
                out.push(poly_val(&tyvars, var, part, false));
            }
        }
    }
}
