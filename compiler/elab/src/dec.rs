//! Core declarations. After the Definition, 4.10 rules 15 to 31, and 4.7, 4.8 for generalisation.
//!
//! Each gives its Core declarations and binds its names. At the structure level a declaration is then settled:
//! overloading is resolved, and its bindings get Core types.

use crate::basis::{Scheme, TyStr, ValEntry};
use crate::ctx::{Binding, Elab, Mark};
use crate::draft::{Dec, DecKind, Exp, ExpKind, Fun, Pat, PatKind, Rule};
use crate::exp::exp;
use crate::index::NameKind;
use crate::ir::{ExnRef, TyVar, Var};
use crate::pat::Bound;
use crate::ty::Unguarded;
use crate::types::{Clash, Shape, Type};
use leat_ast::ir as ast;
use leat_ast::ir::{Clause, DecId, FunBind, Name, ValBind};
use leat_base::{Diagnostic, Span, Symbol};

/// A clause whose `=` is missing, or in which a constructor and its argument stand as two arguments.
fn is_misread(ast: &ast::Ast, clause: &Clause, pats: &[Pat]) -> bool {
    let is_cut = matches!(ast[clause.body].kind, ast::ExpKind::Error)
        && clause.args.iter().any(|&arg| matches!(ast[arg].kind, ast::PatKind::Error));
    let is_bare =
        |(&arg, pat): (&ast::PatId, &Pat)| pat.ty == Type::ERROR && matches!(ast[arg].kind, ast::PatKind::Id { .. });
    is_cut || clause.args.len() > 1 && clause.args.iter().zip(pats).any(is_bare)
}

impl Elab<'_> {
    /// A declaration of the core language inside an expression or at the structure level.
    pub(crate) fn elab_dec(&mut self, id: DecId, out: &mut Vec<Dec>) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            // [Rule 15]
            ast::DecKind::Val { tyvars, binds } => self.elab_val(tyvars, binds, span, out),
            ast::DecKind::Fun { tyvars, binds } => self.elab_fun(tyvars, binds, span, out),
            // `it` [Rule 15]
            ast::DecKind::Exp(e) => self.elab_it(*e, span, out),
            // [Rule 16] [Rule 27]
            ast::DecKind::Type(binds) => {
                let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
                self.check_distinct(&names, "type");
                for (name, tystr) in self.elab_typbinds(binds) {
                    self.bind_ty(name, tystr);
                }
                names.iter().for_each(|&name| self.note_declared(NameKind::Type, name));
            }
            // [Rule 17]
            ast::DecKind::Datatype { datbinds, withtype } => {
                self.elab_datatype(datbinds, withtype);
            }
            // [Rule 18]
            ast::DecKind::Replication { name, target } => self.elab_replication(*name, target),
            // [Rule 19] Differences: the types keep their equality outside, as in MLton: without it, a type that the body
            // makes of them, or a function that it leaves, would admit what they do not.
            ast::DecKind::Abstype { datbinds, withtype, decs } => {
                let outer = self.mark();
                for name in self.elab_datatype(datbinds, withtype) {
                    self.tables.tynames[name].hidden = true;
                }
                let types: Vec<Symbol> = datbinds.iter().map(|d| d.name.symbol).collect();
                let others: Vec<Symbol> = withtype.iter().map(|d| d.name.symbol).collect();
                let kept: Vec<(Symbol, TyStr)> = types
                    .iter()
                    .chain(&others)
                    .filter_map(|&n| Some((n, self.ty_by_name(n)?.clone())))
                    .map(|(n, t)| (n, TyStr { cons: None, ..t }))
                    .collect();
                // The body sees datatypes, whose constructors `datatype u = datatype t` exports. What it does not
                // declare anew is abstract behind it.
                let inner = self.mark();
                decs.iter().for_each(|&d| self.elab_dec_here(d, out));
                for (name, tystr) in kept {
                    if !self.is_type_bound_since(inner, name) {
                        self.bind_ty(name, tystr);
                        self.place_again(datbinds, withtype, |ty| ty == name);
                    }
                }
                self.hide_between(outer, inner);
            }
            // [Rule 20]
            ast::DecKind::Exception(binds) => self.elab_exceptions(binds, span, out),
            // [Rule 21]
            ast::DecKind::Local { decs, body } => {
                let outer = self.mark();
                decs.iter().for_each(|&d| self.elab_dec_here(d, out));
                if self.u.level == 0 {
                    self.hide_values(outer, span);
                }
                let inner = self.mark();
                body.iter().for_each(|&d| self.elab_dec_here(d, out));
                self.hide_between(outer, inner);
            }
            // [Rule 22]
            ast::DecKind::Open(ids) => {
                let envs: Vec<_> = ids.iter().filter_map(|id| Some((id, self.long_structure(id)?))).collect();
                self.opened.extend(&envs);
                for (_, env) in envs {
                    let env = self.tables.modules.envs[env].clone();
                    self.bind_env(&env);
                }
            }
            // [Rule 23] [Rule 24] The empty and the sequential declaration are the vectors of declarations.
            ast::DecKind::Fixity { .. } | ast::DecKind::Error => {}
            ast::DecKind::Structure(_) | ast::DecKind::Signature(_) | ast::DecKind::Functor(_) => {
                self.elab_module_dec(id, out);
            }
        }
    }

    /// A declaration inside `local` or `abstype`: at the structure level when that is.
    fn elab_dec_here(&mut self, id: DecId, out: &mut Vec<Dec>) {
        if self.u.level == 0 {
            self.elab_strdec(id, out);
        } else {
            self.elab_dec(id, out);
        }
    }

    // --------------------------------------------------------------------- val

    /// [Rule 15] [Rule 25] [Rule 26]
    fn elab_val(&mut self, named: &[Name], binds: &[ValBind], span: Span, out: &mut Vec<Dec>) {
        let ast = self.ast;
        let start = self.broken.begins(self.diagnostics.len());
        let mut vars: Vec<Var> = vec![];
        let mark = self.mark();
        let unguarded = Unguarded::in_vals(ast, binds);
        self.u.level += 1;
        let mut done = vec![];
        for bind in binds.iter().filter(|b| !b.rec) {
            // Each binding has the declaration's type variables for itself: no type of one reaches another.
            let inner = self.mark();
            let found = Unguarded::of_some(ast, &unguarded, binds, |b| std::ptr::eq(b, bind));
            let explicit = self.bind_dec_tyvars(named, found);
            let nonexpansive = self.is_nonexpansive(bind.exp);
            let e = match ast[bind.pat].kind {
                ast::PatKind::Id { ref id, .. } if id.qualifiers.is_empty() => {
                    self.within(id.symbol, |this| this.elab_exp(bind.exp))
                }
                _ => self.elab_exp(bind.exp),
            };
            let (pat, bound) = self.elab_pat_whole(bind.pat);
            if self.u.level == 1 {
                bound.iter().for_each(|b| self.name_fully(b.var));
            }
            let (p, at) = (pat.span, e.span);
            let typed = matches!(ast[bind.pat].kind, ast::PatKind::Typed { .. });
            let message = if typed {
                "the value does not have the type that is written for it"
            } else {
                "this pattern does not fit the value that it is bound to"
            };
            self.expect(pat.ty, e.ty, at, message, |w, f| {
                let says = if typed { "this says" } else { "the pattern is for" };
                vec![(p, format!("{says} `{w}`")), (at, format!("the value has type `{f}`"))]
            });
            self.undo_to(inner);
            done.push((bind, pat, e, bound, explicit, nonexpansive));
        }
        let rec: Vec<&ValBind> = binds.iter().filter(|b| b.rec).collect();
        let found = Unguarded::of_some(ast, &unguarded, binds, |b| b.rec);
        let explicit = if rec.is_empty() { vec![] } else { self.bind_dec_tyvars(named, found) };
        let rec_bound = self.elab_rec(&rec);
        self.u.level -= 1;
        self.undo_to(mark);
        let mut names: Vec<Name> = vec![];
        for (bind, pat, e, bound, mut tyvars, nonexpansive) in done {
            if nonexpansive {
                for b in &bound {
                    self.generalise(b.ty, self.u.level, &mut tyvars);
                }
                self.generalise(pat.ty, self.u.level, &mut tyvars);
                self.generalise_flexible(bound.iter().map(|b| b.var));
            } else {
                let explicit = std::mem::take(&mut tyvars);
                let mut escaped = None;
                for b in &bound {
                    if let Err(Clash::Escape(v)) = self.lower_to(b.ty, self.u.level) {
                        escaped = Some((v, *b));
                    }
                }
                // Only what is bound may not mention the declaration's type variables.
                let _ = self.lower_to(pat.ty, self.u.level);
                for b in &bound {
                    self.restrict(b.var, b.ty, self.ast[bind.exp].span);
                }
                if let Some((v, b)) = escaped {
                    self.report_value_restriction(v, b.name, bind.exp);
                }
                explicit.iter().for_each(|&v| self.forget_rigid(v));
            }
            names.extend(bound.iter().map(|b| b.name));
            vars.extend(bound.iter().map(|b| b.var));
            self.bind_generalised(&bound, &tyvars);
            out.push(Dec { kind: DecKind::Val { tyvars, pat, exp: e }, span });
        }
        if let Some((bound, funs)) = rec_bound {
            names.extend(bound.iter().map(|b| b.name));
            vars.extend(bound.iter().map(|b| b.var));
            self.finish_funs(&bound, funs, explicit, span, out);
        }
        self.broken.ends(start, &self.diagnostics, vars.into_iter());
        // Those of one plain pattern were compared; those of `rec f as g` were not.
        if binds.len() > 1 || binds.iter().any(|b| b.rec) {
            self.check_distinct(&names, "variable");
        }
    }

    fn report_value_restriction(&mut self, v: TyVar, name: Name, computed: ast::ExpId) {
        let tyvar = self.tables.tyvars[v].name;
        let at = self.ast[computed].span;
        let d = Diagnostic::error(
            "type/value-restriction",
            name.span,
            format!("`{name}` cannot be polymorphic in `{tyvar}`"),
        );
        let d = d.label(at, "this expression does something when it is evaluated (it is not a value)");
        let d = d.note("only a value (a function, a constant, a constructor applied to values) can have a polymorphic type; else one reference could be used at two types");
        self.report(
            d.help(format!("write it as a function, `fun {name} x = ... x`, or give it a type without `{tyvar}`")),
        );
    }

    fn bind_generalised(&mut self, bound: &[Bound], tyvars: &[TyVar]) {
        for b in bound {
            self.bind_val(b.name.symbol, Binding::Local { var: b.var, tyvars: tyvars.into(), ty: b.ty });
        }
    }

    /// [Rule 26]
    fn elab_rec(&mut self, binds: &[&ValBind]) -> Option<(Vec<Bound>, Vec<Fun>)> {
        if binds.is_empty() {
            return None;
        }
        let ast = self.ast;
        let mut all = vec![];
        let mut heads: Vec<(Var, Type)> = vec![];
        for bind in binds {
            let ty = self.fresh();
            let mut bound: Vec<Bound> = vec![];
            self.elab_rec_pat(bind.pat, ty, &mut bound);
            let var = match bound.first() {
                Some(b) => b.var,
                None => self.new_var(Symbol::intern("_"), ty, ast[bind.pat].span),
            };
            // All names of `f as g` are one function.
            for b in &mut bound {
                b.var = var;
            }
            heads.push((var, ty));
            all.extend(bound);
        }
        self.bind_mono(&all);
        let mut funs = vec![];
        for (bind, (var, ty)) in binds.iter().zip(heads) {
            let name = self.tables.vars[var].name;
            let e = self.within(name, |this| this.elab_exp(bind.exp));
            let (p, at) = (ast[bind.pat].span, e.span);
            self.expect(ty, e.ty, at, "this function is used or annotated at another type than it has", |w, f| {
                vec![(p, format!("this is `{w}`")), (at, format!("the function has type `{f}`"))]
            });
            funs.push(Fun { var, exp: e, span: bind.span });
        }
        Some((all, funs))
    }

    /// The pattern of a `val rec`: variables, constraints, `as`, wildcards.
    fn elab_rec_pat(&mut self, id: ast::PatId, ty: Type, bound: &mut Vec<Bound>) {
        let ast = self.ast;
        let span = ast[id].span;
        let mut bind = |this: &mut Self, name: Name| {
            this.check_rebinding(name, "function");
            let var = this.new_var(name.symbol, ty, name.span);
            this.name_fully(var);
            this.note_var(name, ty);
            bound.push(Bound { name, var, ty });
        };
        match &ast[id].kind {
            ast::PatKind::Wild | ast::PatKind::Error => {}
            ast::PatKind::Id { id, .. } if id.qualifiers.is_empty() => bind(self, id.last()),
            ast::PatKind::Typed { pat, ty: written } => {
                self.constrain_rec(ty, *written, span);
                self.elab_rec_pat(*pat, ty, bound);
            }
            ast::PatKind::Layered { name, ty: written, pat, .. } => {
                bind(self, *name);
                if let Some(written) = written {
                    self.constrain_rec(ty, *written, span);
                }
                self.elab_rec_pat(*pat, ty, bound);
            }
            _ => {
                let d = Diagnostic::error("type/rec", span, "`val rec` can only bind names to functions");
                self.report(d.label(span, "not a name"));
            }
        }
    }

    fn constrain_rec(&mut self, ty: Type, written: ast::TyId, span: Span) {
        let wanted = self.elab_ty(written);
        let wanted = self.import(wanted, &[]);
        self.expect(wanted, ty, span, "this pattern does not have the type that is written at it", |w, f| {
            vec![(span, format!("this says `{w}`, but it is `{f}`"))]
        });
    }

    fn elab_it(&mut self, e: ast::ExpId, span: Span, out: &mut Vec<Dec>) {
        self.u.level += 1;
        let mark = self.mark();
        let mut tyvars = self.bind_dec_tyvars(&[], Unguarded::in_exp(self.ast, e));
        let body = self.elab_exp(e);
        self.undo_to(mark);
        self.u.level -= 1;
        let ty = body.ty;
        let name = Self::it(body.span);
        let var = self.new_var(name.symbol, ty, name.span);
        if self.is_nonexpansive(e) {
            self.generalise(ty, self.u.level, &mut tyvars);
            self.generalise_flexible(std::iter::once(var));
        } else {
            if let Err(Clash::Escape(v)) = self.lower_to(ty, self.u.level) {
                self.report_value_restriction(v, name, e);
            }
            std::mem::take(&mut tyvars).into_iter().for_each(|v| self.forget_rigid(v));
        }
        self.bind_generalised(&[Bound { name, var, ty }], &tyvars);
        let pat = Pat { kind: PatKind::Var(var), ty, span: name.span };
        out.push(Dec { kind: DecKind::Val { tyvars, pat, exp: body }, span });
    }

    // --------------------------------------------------------------------- fun

    /// [Rule 15] [Rule 26], by the derived form of `fun`.
    fn elab_fun(&mut self, named: &[Name], binds: &[FunBind], span: Span, out: &mut Vec<Dec>) {
        let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
        self.check_distinct(&names, "function");
        let start = self.broken.begins(self.diagnostics.len());
        let mark = self.mark();
        self.u.level += 1;
        let explicit = self.bind_dec_tyvars(named, Unguarded::in_funs(self.ast, binds));
        let mut bound: Vec<Bound> = binds
            .iter()
            .map(|b| {
                self.check_rebinding(b.name, "function");
                let ty = self.fresh();
                let var = self.new_var(b.name.symbol, ty, b.name.span);
                self.name_fully(var);
                self.note_var(b.name, ty);
                Bound { name: b.name, var, ty }
            })
            .collect();
        self.bind_mono(&bound);
        let mut funs = vec![];
        for (bind, head) in binds.iter().zip(&mut bound) {
            let (e, misread) = self.within(bind.name.symbol, |this| this.elab_clauses(bind, head.ty));
            funs.push(Fun { var: head.var, exp: e, span: bind.span });
            if misread {
                head.ty = Type::ERROR;
            }
        }
        self.u.level -= 1;
        self.undo_to(mark);
        self.finish_funs(&bound, funs, explicit, span, out);
        self.broken.ends(start, &self.diagnostics, bound.iter().map(|b| b.var));
    }

    fn finish_funs(&mut self, bound: &[Bound], funs: Vec<Fun>, mut tyvars: Vec<TyVar>, span: Span, out: &mut Vec<Dec>) {
        for f in &funs {
            self.generalise(f.exp.ty, self.u.level, &mut tyvars);
        }
        for b in bound {
            self.generalise(b.ty, self.u.level, &mut tyvars);
        }
        self.generalise_flexible(funs.iter().map(|f| f.var));
        self.bind_generalised(bound, &tyvars);
        out.push(Dec { kind: DecKind::Fun { tyvars, funs }, span });
    }

    /// The clauses of one function as a curried `Fn`; and whether it is not even known what its arguments are.
    fn elab_clauses(&mut self, bind: &FunBind, head: Type) -> (Exp, bool) {
        let arity = bind.clauses.iter().map(|c| c.args.len()).max().unwrap_or(0);
        let params: Vec<Type> = (0..arity).map(|_| self.fresh()).collect();
        let result = self.fresh();
        let mut ty = result;
        for &p in params.iter().rev() {
            ty = self.arrow(p, ty);
        }
        // The function's own type first: recursive calls then see its shape.
        self.expect(head, ty, bind.name.span, "this function does not have the type that it is used at", |_, _| vec![]);
        let clauses: Vec<(Vec<Pat>, Exp)> =
            bind.clauses.iter().map(|c| self.elab_clause(bind, c, &params, result)).collect();
        let misread = bind.clauses.iter().zip(&clauses).any(|(clause, (pats, _))| is_misread(self.ast, clause, pats));
        (self.curried(clauses, &params, result, bind.span), misread)
    }

    fn elab_clause(&mut self, bind: &FunBind, clause: &Clause, params: &[Type], result: Type) -> (Vec<Pat>, Exp) {
        let ast = self.ast;
        let mark = self.mark();
        let mut bound = vec![];
        let mut pats = vec![];
        let first = &bind.clauses[0];
        for (i, &arg) in clause.args.iter().enumerate() {
            let pat = self.elab_argument(arg, clause.args.get(i + 1).copied(), &mut bound);
            let (at, before) = (pat.span, first.args.get(i).map_or(pat.span, |&p| ast[p].span));
            if let Some(&param) = params.get(i) {
                self.expect(
                    param,
                    pat.ty,
                    at,
                    "the clauses of this function have patterns of different types",
                    |w, f| {
                        let mut labels = vec![(at, format!("this pattern is for `{f}`"))];
                        labels.push((
                            before,
                            if before == at {
                                format!("used for `{w}`")
                            } else {
                                format!("in the first clause it is for `{w}`")
                            },
                        ));
                        labels
                    },
                );
            }
            pats.push(pat);
        }
        let names: Vec<Name> = bound.iter().map(|b| b.name).collect();
        self.check_distinct(&names, "variable");
        self.bind_mono(&bound);
        if let Some(written) = clause.result {
            let wanted = self.elab_ty(written);
            let wanted = self.import(wanted, &[]);
            let at = ast[written].span;
            self.expect(result, wanted, at, "the result type written here is not that of the function", |r, w| {
                vec![(at, format!("this says `{w}`, but the function's result is `{r}`"))]
            });
        }
        let body = self.elab_exp(clause.body);
        let at = body.span;
        let other = match clause.result {
            Some(t) => Some((ast[t].span, "the result type is written here as")),
            None if !std::ptr::eq(clause, first) => Some((ast[first.body].span, "the first clause gives")),
            None => None,
        };
        let message = match other {
            Some((_, text)) if text.starts_with("the result") => {
                "the body does not have the result type that is written"
            }
            Some(_) => "the clauses of this function give different types",
            None => "the body does not have the type at which the function is used",
        };
        self.expect(result, body.ty, at, message, |w, f| {
            let mut labels = vec![(at, format!("this is `{f}`"))];
            match other {
                Some((place, text)) => labels.push((place, format!("{text} `{w}`"))),
                None => labels.push((bind.name.span, format!("the result is used as `{w}`"))),
            }
            labels
        });
        self.undo_to(mark);
        (pats, body)
    }

    /// Nested `Fn`s: plain when there is one clause of variables, or one argument; else with a `Case` over the tuple.
    fn curried(&mut self, mut clauses: Vec<(Vec<Pat>, Exp)>, params: &[Type], result: Type, span: Span) -> Exp {
        let plain = |p: &Pat| matches!(p.kind, PatKind::Var(_) | PatKind::Wild);
        if params.len() == 1 {
            let rules = clauses.into_iter().filter_map(|(mut pats, body)| Some(Rule { pat: pats.pop()?, exp: body }));
            let rules = rules.collect();
            let ty = self.arrow(params[0], result);
            return exp(ExpKind::Fn(rules), ty, span);
        }
        let (heads, mut body) = if clauses.len() == 1 && clauses[0].0.iter().all(plain) {
            let (pats, body) = clauses.remove(0);
            (pats, body)
        } else {
            let heads: Vec<Pat> = params
                .iter()
                .enumerate()
                .map(|(i, &ty)| {
                    let var = self.new_var(Symbol::intern(&format!("arg{}", i + 1)), ty, span);
                    Pat { kind: PatKind::Var(var), ty, span }
                })
                .collect();
            let args = heads.iter().zip(params).map(|(p, &ty)| match p.kind {
                PatKind::Var(v) => exp(ExpKind::Var(v, vec![]), ty, span),
                _ => unreachable!("made a line above"),
            });
            let args = args.collect();
            let subject = self.tuple_exp(args, span);
            let tuple = subject.ty;
            let rules = clauses
                .into_iter()
                .map(|(pats, body)| {
                    let at = pats.iter().fold(Span::NONE, |s, p| s.to(p.span));
                    let fields = pats.into_iter().enumerate().map(|(i, p)| (Symbol::tuple_label(i + 1), p)).collect();
                    Rule { pat: Pat { kind: PatKind::Record(fields), ty: tuple, span: at }, exp: body }
                })
                .collect();
            let body = exp(ExpKind::Case(Box::new(subject), rules), result, span);
            (heads, body)
        };
        let mut ty = result;
        for (pat, &param) in heads.into_iter().zip(params).rev() {
            ty = self.arrow(param, ty);
            body = exp(ExpKind::Fn(vec![Rule { pat, exp: body }]), ty, span);
        }
        body
    }

    // --------------------------------------------------------------- exceptions

    /// [Rule 20] [Rule 30] [Rule 31]
    fn elab_exceptions(&mut self, binds: &[ast::ExBind], span: Span, out: &mut Vec<Dec>) {
        let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
        self.check_distinct(&names, "exception");
        let mut new = vec![];
        for bind in binds {
            self.check_rebinding(bind.name, "constructor");
            let entry = match &bind.kind {
                ast::ExBindKind::New(arg) => {
                    let arg = arg.map(|t| self.elab_ty(t));
                    let ty = match arg {
                        Some(arg) => {
                            let arg = self.import(arg, &[]);
                            self.arrow(arg, Type::EXN)
                        }
                        None => Type::EXN,
                    };
                    let var = self.new_var(bind.name.symbol, ty, bind.name.span);
                    let hidden = arg.map(|a| self.import(a, &[]));
                    let kind = DecKind::Exception { var, name: bind.name.symbol, arg: hidden };
                    out.push(Dec { kind, span });
                    ValEntry::Exn { exn: ExnRef::Var(var), arg }
                }
                // [Rule 131] The same name: nothing happens at run time.
                ast::ExBindKind::Alias(id) => match self.long_val(id, "exception") {
                    Some(Binding::Done(entry @ ValEntry::Exn { .. })) => entry,
                    None | Some(Binding::Error) => continue,
                    Some(_) => {
                        self.error("type/exception", id.span, format!("`{id}` is not an exception"));
                        continue;
                    }
                },
            };
            new.push((bind.name, entry));
        }
        for (name, entry) in new {
            self.bind_val(name.symbol, Binding::Done(entry));
            self.note_declared(NameKind::Exception, name);
        }
    }

    // ---------------------------------------------------------- structure level

    /// A core declaration at the structure level. [Rule 56]
    pub(crate) fn elab_core_strdec(&mut self, id: DecId, out: &mut Vec<Dec>) {
        let mark = self.mark();
        self.elab_dec(id, out);
        self.settle(mark);
    }

    /// Gives the bindings since `mark` Core types; what is still open becomes a type variable that stands for it.
    pub(crate) fn settle(&mut self, mark: Mark) {
        for name in self.vals_since(mark) {
            let Some(Binding::Local { var, tyvars, ty }) = self.own_val(name).cloned() else { continue };
            let ty = self.export(ty);
            let entry = ValEntry::Var { var, scheme: Scheme { tyvars, ty } };
            self.replace_val(name, Binding::Done(entry));
        }
    }

    /// The end of a run of core declarations: operators and constants whose types nothing has told have their defaults
    /// now.
    ///
    /// Differences: the Definition lets an implementation look at a smaller text than the whole structure-level
    /// declaration (E.1). As in MLton, that is all core declarations that follow each other: in `fun next x = x + 1`
    /// and then `val y = next (0 : IntInf.int)`, `next` is of IntInf.
    pub(crate) fn settle_overloads(&mut self) {
        for i in self.pending.settled..self.pending.overloads.len() {
            self.settle_kind(self.pending.overloads[i].operand);
        }
        self.pending.settled = self.pending.overloads.len();
        for ty in std::mem::take(&mut self.pending.constants) {
            self.settle_kind(ty);
        }
        for site in std::mem::take(&mut self.pending.literals) {
            self.settle_kind(site.ty);
            self.check_range(&site);
        }
    }

    /// Gives an open overloaded type its default.
    fn settle_kind(&mut self, ty: Type) {
        if let Shape::Var { kinds, .. } = self.shape(ty) {
            let default = Type::core(self.default_of(kinds));
            let _ = self.unify(ty, default);
        }
    }

    /// Is a constant in the range of its type? [Definition, E.1]
    fn check_range(&mut self, site: &crate::ctx::LiteralSite) {
        use crate::builtin::tyname as t;
        let Shape::Con(name, _) = self.shape(site.ty) else { return };
        let (bits, signed) = match name {
            t::INT => (64, true),
            t::INT8 => (8, true),
            t::INT16 => (16, true),
            t::INT32 => (32, true),
            t::WORD => (64, false),
            t::WORD8 => (8, false),
            t::WORD16 => (16, false),
            t::WORD32 => (32, false),
            t::INTINF => return,
            name => match self.sized_type(name) {
                Some((signed, bits)) => (bits, signed),
                None => return,
            },
        };
        let fits = if signed {
            site.literal
                .to_i64()
                .is_some_and(|v| bits == 64 || (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&v))
        } else {
            site.literal.to_u64().is_some_and(|v| bits == 64 || v < 1u64 << bits)
        };
        if !fits {
            let shown = self.short_name(name);
            let d =
                Diagnostic::error("constant/range", site.span, format!("this constant does not fit into `{shown}`"));
            self.report(match (signed, bits) {
                (true, 64) => d.note("an `int` is between ~9223372036854775808 and 9223372036854775807"),
                (true, _) => d.note(format!("it has {bits} bits, one of them the sign")),
                (false, _) => d.note(format!("it has {bits} bits")),
            });
        }
    }
}
