//! Type expressions, and where type variables are bound.
//!
//! After the Definition, 4.10 rules 44 to 49, and 4.6 for the scope of type variables that no declaration names.

use crate::basis::{TyStr, TypeFcn, compare_labels};
use crate::builtin::ty;
use crate::ctx::Elab;
use crate::ir::{Ty, TyData, TyVar, TyVarInfo};
use leat_ast::ir as ast;
use leat_ast::ir::{
    DatBind, DecKind, ExpId, ExpKind, FunBind, LongId, Name, PatId, PatKind, TyId, TyKind, TypBind, ValBind,
};
use leat_base::{Diagnostic, Span, Symbol};

impl Elab<'_> {
    /// The type that a type expression means; its type variables must be in scope.
    pub(crate) fn elab_ty(&mut self, id: TyId) -> Ty {
        let node = &self.ast[id];
        match &node.kind {
            // [Rule 44]
            TyKind::Var(name) => match self.tyvar(*name) {
                Some(v) => self.tables.intern(TyData::Var(v)),
                None => {
                    if self.reported.insert((*name, "type variable")) {
                        let d = Diagnostic::error(
                            "scope/type-variable",
                            node.span,
                            format!("the type variable `{name}` is not bound"),
                        );
                        self.report(d.help(format!(
                            "a declaration's type variables stand before its name, as in `type {name} t` or `datatype {name} t`"
                        )));
                    }
                    ty::ERROR
                }
            },
            // [Rule 45] [Rule 49]
            TyKind::Record(fields) => {
                let mut row: Vec<(Symbol, Ty)> = fields.iter().map(|f| (f.0.symbol, self.elab_ty(f.1))).collect();
                row.sort_by(|a, b| compare_labels(a.0, b.0));
                self.tables.intern(TyData::Record(row))
            }
            TyKind::Tuple(parts) => {
                let row = parts.iter().enumerate();
                let row = row.map(|(i, &t)| (Symbol::tuple_label(i + 1), self.elab_ty(t))).collect();
                self.tables.intern(TyData::Record(row))
            }
            // [Rule 46]
            TyKind::Con { args, con } => {
                let args: Vec<Ty> = args.iter().map(|&t| self.elab_ty(t)).collect();
                let Some(tystr) = self.long_ty(con) else { return ty::ERROR };
                self.apply_tystr(&tystr, con, args, node.span)
            }
            // [Rule 47]
            TyKind::Arrow(from, to) => {
                let (from, to) = (self.elab_ty(*from), self.elab_ty(*to));
                self.tables.intern(TyData::Arrow(from, to))
            }
            TyKind::Error => ty::ERROR,
        }
    }

    fn apply_tystr(&mut self, tystr: &TyStr, con: &LongId, args: Vec<Ty>, span: Span) -> Ty {
        let arity = tystr.fcn.arity(self.tables);
        if tystr.fcn == TypeFcn::Name(crate::builtin::tyname::ERROR) {
            return ty::ERROR;
        }
        if arity != args.len() {
            let wants = match arity {
                0 => "takes no arguments".to_string(),
                1 => "takes one argument".to_string(),
                n => format!("takes {n} arguments"),
            };
            let has = match args.len() {
                0 => "none is given".to_string(),
                1 => "one is given".to_string(),
                n => format!("{n} are given"),
            };
            let mut d =
                Diagnostic::error("type/arity", span, format!("the type constructor `{con}` {wants}, but {has}"));
            if args.is_empty() {
                let params: Vec<&str> = ["'a", "'b", "'c", "'d"].into_iter().take(arity).collect();
                d = d.help(match &params[..] {
                    [one] => format!("for example `int {con}` or `{one} {con}`"),
                    all => format!("for example `({}) {con}`", all.join(", ")),
                });
            }
            self.report(d);
            return ty::ERROR;
        }
        tystr.fcn.apply(self.tables, args)
    }

    /// A new type variable of the program.
    pub(crate) fn new_tyvar(&mut self, name: Symbol) -> TyVar {
        self.tables.tyvars.push(TyVarInfo { name, equality: ast::is_equality_tyvar(name) })
    }

    /// Binds the parameters of a type or datatype declaration.
    pub(crate) fn bind_tyvars(&mut self, names: &[Name]) -> Vec<TyVar> {
        names
            .iter()
            .map(|n| {
                let v = self.new_tyvar(n.symbol);
                self.bind_tyvar(n.symbol, v);
                v
            })
            .collect()
    }

    /// Binds the type variables of a `val` or `fun` declaration: those that it names, then those that occur unguarded
    /// in it and are not yet in scope. They are rigid at the present level. [Definition, 4.6] [Rule 15]
    pub(crate) fn bind_dec_tyvars(&mut self, named: &[Name], found: Vec<Symbol>) -> Vec<TyVar> {
        let mut bound = vec![];
        for name in named {
            if self.tyvar(name.symbol).is_some() && self.reported.insert((name.symbol, "type variable twice")) {
                let d = Diagnostic::error(
                    "scope/type-variable-twice",
                    name.span,
                    format!("the type variable `{name}` is already bound by a declaration around this one"),
                );
                self.report(d.help("use another name, or leave it out here"));
            }
            let v = self.new_tyvar(name.symbol);
            self.bind_tyvar(name.symbol, v);
            bound.push(v);
        }
        for name in found {
            if self.tyvar(name).is_none() {
                let v = self.new_tyvar(name);
                self.bind_tyvar(name, v);
                bound.push(v);
            }
        }
        for &v in &bound {
            self.rigid(v);
        }
        bound
    }
}

/// Finds the type variables that occur unguarded: not inside a smaller `val` or `fun` declaration.
pub(crate) struct Unguarded<'a> {
    ast: &'a ast::Ast,
    found: Vec<Symbol>,
    /// The parameters of the type binding at hand.
    params: &'a [Name],
    /// Guarded ones, too.
    all: bool,
}

impl<'a> Unguarded<'a> {
    fn new(ast: &'a ast::Ast) -> Unguarded<'a> {
        Unguarded { ast, found: vec![], params: &[], all: false }
    }

    pub(crate) fn in_vals(ast: &'a ast::Ast, binds: &[ValBind]) -> Vec<Symbol> {
        let mut u = Unguarded::new(ast);
        binds.iter().for_each(|bind| u.val(bind));
        u.found
    }

    /// Which of those that are `unguarded` in a declaration occur in `some` of its bindings: what is unguarded in one
    /// binding is the declaration's in all of them, also where it is guarded.
    pub(crate) fn of_some(
        ast: &'a ast::Ast,
        unguarded: &[Symbol],
        binds: &[ValBind],
        some: impl Fn(&ValBind) -> bool,
    ) -> Vec<Symbol> {
        if unguarded.is_empty() || binds.len() == 1 {
            return unguarded.to_vec();
        }
        let mut u = Unguarded { all: true, ..Unguarded::new(ast) };
        binds.iter().filter(|&bind| some(bind)).for_each(|bind| u.val(bind));
        unguarded.iter().copied().filter(|name| u.found.contains(name)).collect()
    }

    pub(crate) fn in_funs(ast: &'a ast::Ast, binds: &[FunBind]) -> Vec<Symbol> {
        let mut u = Unguarded::new(ast);
        binds.iter().for_each(|bind| u.fun(bind));
        u.found
    }

    /// Those of an expression at top level: `val it = exp`.
    pub(crate) fn in_exp(ast: &'a ast::Ast, exp: ExpId) -> Vec<Symbol> {
        let mut u = Unguarded::new(ast);
        u.exp(exp);
        u.found
    }

    pub(crate) fn in_ty(ast: &'a ast::Ast, ty: TyId) -> Vec<Symbol> {
        let mut u = Unguarded::new(ast);
        u.ty(ty);
        u.found
    }

    fn val(&mut self, bind: &ValBind) {
        self.pat(bind.pat);
        self.exp(bind.exp);
    }

    fn fun(&mut self, bind: &FunBind) {
        for clause in &bind.clauses {
            clause.args.iter().for_each(|&p| self.pat(p));
            clause.result.iter().for_each(|&t| self.ty(t));
            self.exp(clause.body);
        }
    }

    fn ty(&mut self, id: TyId) {
        match &self.ast[id].kind {
            TyKind::Var(name) => {
                if !self.found.contains(name) && self.params.iter().all(|p| p.symbol != *name) {
                    self.found.push(*name);
                }
            }
            TyKind::Record(fields) => fields.iter().for_each(|f| self.ty(f.1)),
            TyKind::Con { args, .. } => args.iter().for_each(|&t| self.ty(t)),
            TyKind::Tuple(parts) => parts.iter().for_each(|&t| self.ty(t)),
            TyKind::Arrow(a, b) => {
                self.ty(*a);
                self.ty(*b);
            }
            TyKind::Error => {}
        }
    }

    /// Those of type bindings that are no parameters.
    fn types(&mut self, datbinds: &'a [DatBind], typbinds: &'a [TypBind]) {
        for bind in datbinds {
            self.params = &bind.tyvars;
            bind.cons.iter().filter_map(|con| con.arg).for_each(|t| self.ty(t));
        }
        for bind in typbinds {
            self.params = &bind.tyvars;
            self.ty(bind.ty);
        }
        self.params = &[];
    }

    fn pat(&mut self, id: PatId) {
        match &self.ast[id].kind {
            PatKind::Wild | PatKind::Const(_) | PatKind::Id { .. } | PatKind::Error => {}
            PatKind::Record { fields, .. } => fields.iter().for_each(|f| self.pat(f.1)),
            PatKind::Tuple(ps) | PatKind::List(ps) | PatKind::Vector(ps) => ps.iter().for_each(|&p| self.pat(p)),
            PatKind::App { arg, .. } => self.pat(*arg),
            PatKind::Infix { lhs, rhs, .. } => {
                self.pat(*lhs);
                self.pat(*rhs);
            }
            PatKind::Typed { pat, ty } => {
                self.pat(*pat);
                self.ty(*ty);
            }
            PatKind::Layered { ty, pat, .. } => {
                ty.iter().for_each(|&t| self.ty(t));
                self.pat(*pat);
            }
        }
    }

    fn rules(&mut self, rules: &[ast::Rule]) {
        for rule in rules {
            self.pat(rule.pat);
            self.exp(rule.exp);
        }
    }

    fn exp(&mut self, id: ExpId) {
        match &self.ast[id].kind {
            ExpKind::Const(_) | ExpKind::Id { .. } | ExpKind::Selector(_) | ExpKind::Error => {}
            ExpKind::Record(fields) => fields.iter().for_each(|f| self.exp(f.1)),
            ExpKind::Tuple(es) | ExpKind::List(es) | ExpKind::Vector(es) | ExpKind::Seq(es) => {
                es.iter().for_each(|&e| self.exp(e));
            }
            ExpKind::Let { decs, body } => {
                decs.iter().for_each(|&d| self.dec(d));
                self.exp(*body);
            }
            ExpKind::App { fun: a, arg: b }
            | ExpKind::Infix { lhs: a, rhs: b, .. }
            | ExpKind::AndAlso(a, b)
            | ExpKind::OrElse(a, b)
            | ExpKind::While { cond: a, body: b } => {
                self.exp(*a);
                self.exp(*b);
            }
            ExpKind::Typed { exp, ty } => {
                self.exp(*exp);
                self.ty(*ty);
            }
            ExpKind::Handle { exp, rules } | ExpKind::Case { exp, rules } => {
                self.exp(*exp);
                self.rules(rules);
            }
            ExpKind::Raise(e) => self.exp(*e),
            ExpKind::If { cond, then, els } => {
                self.exp(*cond);
                self.exp(*then);
                self.exp(*els);
            }
            ExpKind::Fn(rules) => self.rules(rules),
            ExpKind::Prim { ty, .. } | ExpKind::Foreign(ast::Foreign { ty, .. }) => self.ty(*ty),
        }
    }

    fn dec(&mut self, id: ast::DecId) {
        match &self.ast[id].kind {
            DecKind::Val { binds, .. } if self.all => binds.iter().for_each(|bind| self.val(bind)),
            DecKind::Fun { binds, .. } if self.all => binds.iter().for_each(|bind| self.fun(bind)),
            // Guarded: these have type variables of their own.
            DecKind::Val { .. } | DecKind::Fun { .. } => {}
            DecKind::Type(binds) => self.types(&[], binds),
            DecKind::Datatype { datbinds, withtype } => self.types(datbinds, withtype),
            DecKind::Replication { .. } => {}
            DecKind::Abstype { datbinds, withtype, decs } => {
                self.types(datbinds, withtype);
                decs.iter().for_each(|&d| self.dec(d));
            }
            DecKind::Exception(binds) => {
                for bind in binds {
                    if let ast::ExBindKind::New(Some(ty)) = bind.kind {
                        self.ty(ty);
                    }
                }
            }
            DecKind::Local { decs, body } => decs.iter().chain(body).for_each(|&d| self.dec(d)),
            DecKind::Open(_) | DecKind::Fixity { .. } | DecKind::Error => {}
            DecKind::Structure(_) | DecKind::Signature(_) | DecKind::Functor(_) | DecKind::Exp(_) => {}
        }
    }
}
