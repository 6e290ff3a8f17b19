//! Expressions. After the Definition, 4.10 rules 1 to 14 and the derived forms of appendix A.
//!
//! Types are synthesised; every place where two types must agree has a message of its own.

use crate::basis::{Op, ValEntry};
use crate::builtin::tyname;
use crate::clash::{JOINED, code_of};
use crate::ctx::{Binding, Elab, OverloadSite};
use crate::draft::{Exp, ExpKind, Pat, PatKind, Rule};
use crate::foreign;
use crate::ir::{Const, TyName};
use crate::pat::{ConInstance, ConUse, large_con};
use crate::types::{Kinds, Shape, Type, kinds};
use leat_abi::prim::Prim;
use leat_ast::ir as ast;
use leat_ast::ir::{ExpId, LongId, Name};
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};
use rustc_hash::FxHashSet;

/// What is told of `^` between numbers.
const POWER: &str = "`^` joins strings; a power of reals is `Math.pow (x, y)`, of integers `IntInf.pow (x, n)`";

/// What is told of `/` behind an int.
const QUOTIENT: &str =
    "integers are divided by `x div y`; a real of an int is `real n`, and a real constant is written `2.0`";

/// What is told of a handler that gives no exception, behind `raise`.
const RAISED: &str = "behind `raise e` a handler belongs to `e`: put what it is to guard into parentheses, \
                      `(raise e) handle ...`, `(case ... of ...) handle ...`";

pub(crate) fn exp(kind: ExpKind, ty: Type, span: Span) -> Exp {
    Exp { kind, ty, span }
}

fn error_exp(span: Span) -> Exp {
    exp(ExpKind::Record(vec![]), Type::ERROR, span)
}

/// `true` or `false`.
pub(crate) fn truth(value: bool, span: Span) -> Exp {
    exp(ExpKind::Con(tyname::BOOL, u32::from(value), vec![]), Type::BOOL, span)
}

impl Elab<'_> {
    pub(crate) fn elab_exp(&mut self, id: ExpId) -> Exp {
        let e = self.elab_exp_node(id);
        self.note_type(self.ast[id].span, e.ty);
        e
    }

    fn elab_exp_node(&mut self, id: ExpId) -> Exp {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            // [Rule 1]
            ast::ExpKind::Const(ast::Const::Int(literal)) if literal.to_i64().is_none() => {
                self.large_exp(literal, span)
            }
            ast::ExpKind::Const(c) => {
                let (c, ty) = self.elab_const(c, span);
                exp(ExpKind::Const(c), ty, span)
            }
            // [Rule 2]
            ast::ExpKind::Id { id, .. } => {
                let binding = self.long_val(id, "value");
                if matches!(binding, None | Some(Binding::Error)) && foreign::is_quotation(id.symbol.as_str()) {
                    self.quotations.push(span.lo);
                }
                let e = self.elab_id(binding, span);
                if !self.restricted.is_empty() {
                    self.note_use(&e);
                }
                e
            }
            // [Rule 3] [Rule 6]
            ast::ExpKind::Record(fields) => {
                let fields: Vec<(Symbol, Exp)> = fields.iter().map(|f| (f.0.symbol, self.elab_exp(f.1))).collect();
                let ty = self.record(fields.iter().map(|f| (f.0, f.1.ty)).collect());
                exp(ExpKind::Record(fields), ty, span)
            }
            ast::ExpKind::Tuple(parts) => {
                let parts: Vec<Exp> = parts.iter().map(|&e| self.elab_exp(e)).collect();
                self.tuple_exp(parts, span)
            }
            ast::ExpKind::Selector(label) => {
                let field = self.fresh();
                let record = self.flexible(vec![(label.symbol, field)]);
                self.pending.flexible.push((record, span));
                let ty = self.arrow(record, field);
                exp(ExpKind::Selector(label.symbol, record), ty, span)
            }
            ast::ExpKind::List(parts) => {
                let (parts, elem) = self.elab_alike(parts, "list");
                let ty = self.list(elem);
                exp(ExpKind::List(parts), ty, span)
            }
            ast::ExpKind::Vector(parts) => {
                let (parts, elem) = self.elab_alike(parts, "vector");
                let ty = self.con(tyname::VECTOR, &[elem]);
                exp(ExpKind::Vector(parts), ty, span)
            }
            ast::ExpKind::Seq(parts) => {
                let before_last = &parts[..parts.len().saturating_sub(1)];
                let lost = before_last.iter().find(|&&part| matches!(self.ast[part].kind, ast::ExpKind::Fn(_)));
                self.pending.lost_functions.extend(lost.map(|&part| (span, self.ast[part].span)));
                let parts: Vec<Exp> = parts.iter().map(|&e| self.elab_exp(e)).collect();
                let ty = parts.last().map_or(Type::UNIT, |e| e.ty);
                if let Some(thrown_away) = &mut self.pending.thrown_away {
                    thrown_away.extend(parts.iter().rev().skip(1).map(|part| (part.ty, part.span)));
                }
                exp(ExpKind::Seq(parts), ty, span)
            }
            // [Rule 4]
            ast::ExpKind::Let { decs, body } => self.elab_let(decs, *body, span),
            // [Rule 8]
            ast::ExpKind::App { fun, arg } => self.elab_app(*fun, *arg, span),
            ast::ExpKind::Infix { op, lhs, rhs } => {
                let binding = self.long_val(&LongId::short(*op), "value");
                self.elab_operator(binding, *op, *lhs, *rhs, span)
            }
            // [Rule 9]
            ast::ExpKind::Typed { exp: e, ty } => {
                let e = self.elab_exp(*e);
                let at = ast[*ty].span;
                let wanted = self.elab_ty(*ty);
                let wanted = self.import(wanted, &[]);
                let place = e.span;
                let ok = self.expect(
                    wanted,
                    e.ty,
                    place,
                    "this expression does not have the type that is written at it",
                    |w, f| vec![(place, format!("the expression has type `{f}`")), (at, format!("this says `{w}`"))],
                );
                // A real constant stays where it is: its place says which single it is (`Pending::singles`).
                let span = if matches!(e.kind, ExpKind::Const(Const::Real(_))) { place } else { span };
                if ok { Exp { span, ..e } } else { Exp { span, ty: wanted, ..e } }
            }
            ast::ExpKind::AndAlso(a, b) => {
                let a = self.elab_condition(*a, "the left side of `andalso`");
                let b = self.elab_condition(*b, "the right side of `andalso`");
                exp(ExpKind::If(Box::new(a), Box::new(b), Box::new(truth(false, span))), Type::BOOL, span)
            }
            ast::ExpKind::OrElse(a, b) => {
                let a = self.elab_condition(*a, "the left side of `orelse`");
                let b = self.elab_condition(*b, "the right side of `orelse`");
                exp(ExpKind::If(Box::new(a), Box::new(truth(true, span)), Box::new(b)), Type::BOOL, span)
            }
            // [Rule 10]
            ast::ExpKind::Handle { exp: e, rules } => {
                let e = self.elab_exp(*e);
                let result = e.ty;
                let body = e.span;
                let is_raised = matches!(self.shape(result), Shape::Con(tyname::EXN, _));
                let rules = self.elab_rules(rules, Type::EXN, None, &mut |this, arm, found| {
                    this.expect_or(
                        result,
                        found,
                        arm,
                        "the handler gives another type than the expression that it guards",
                        |r, f| {
                            vec![(body, format!("the expression has type `{r}`")), (arm, format!("this gives `{f}`"))]
                        },
                        |_| is_raised.then(|| RAISED.to_string()),
                    );
                });
                exp(ExpKind::Handle(Box::new(e), rules), result, span)
            }
            // [Rule 11]
            ast::ExpKind::Raise(e) => {
                let e = self.elab_exp(*e);
                let at = e.span;
                self.expect(Type::EXN, e.ty, at, "only an exception can be raised", |_, f| {
                    vec![(at, format!("this has type `{f}`, not `exn`"))]
                });
                let ty = self.fresh();
                exp(ExpKind::Raise(Box::new(e)), ty, span)
            }
            ast::ExpKind::If { cond, then, els } => {
                let cond = self.elab_condition(*cond, "the condition of `if`");
                let then = self.elab_exp(*then);
                let els = self.elab_exp(*els);
                let (a, b) = (then.span, els.span);
                self.expect(then.ty, els.ty, b, "the two branches of this `if` have different types", |t, e| {
                    vec![(a, format!("this branch has type `{t}`")), (b, format!("this branch has type `{e}`"))]
                });
                let ty = then.ty;
                exp(ExpKind::If(Box::new(cond), Box::new(then), Box::new(els)), ty, span)
            }
            ast::ExpKind::While { cond, body } => {
                let cond = self.elab_condition(*cond, "the condition of `while`");
                let body = self.elab_exp(*body);
                exp(ExpKind::While(Box::new(cond), Box::new(body)), Type::UNIT, span)
            }
            ast::ExpKind::Case { exp: e, rules } => {
                let e = self.elab_exp(*e);
                let (rules, result) = self.elab_match(rules, e.ty, Some(e.span));
                exp(ExpKind::Case(Box::new(e), rules), result, span)
            }
            // [Rule 12]
            ast::ExpKind::Fn(rules) => {
                let from = self.fresh();
                let written = rules;
                let (rules, to) = self.elab_match(rules, from, None);
                // How many arguments `fn x y => ...` is meant to have is not known.
                let misread = matches!(&rules[..], [rule] if rule.pat.ty == Type::ERROR)
                    && matches!(ast[written[0].pat].kind, ast::PatKind::App { .. });
                let ty = if misread { Type::ERROR } else { self.arrow(from, to) };
                exp(ExpKind::Fn(rules), ty, span)
            }
            ast::ExpKind::Prim { name, ty } => self.elab_prim(*name, *ty, span),
            ast::ExpKind::Foreign(foreign) => self.elab_foreign(foreign, span),
            ast::ExpKind::Error => error_exp(span),
        }
    }

    pub(crate) fn tuple_exp(&mut self, parts: Vec<Exp>, span: Span) -> Exp {
        let types: Vec<Type> = parts.iter().map(|e| e.ty).collect();
        let ty = self.tuple(&types);
        let fields = parts.into_iter().enumerate().map(|(i, e)| (Symbol::tuple_label(i + 1), e)).collect();
        exp(ExpKind::Record(fields), ty, span)
    }

    /// A constant that no int holds: the value of IntInf, from the start. Whether its type is IntInf.int is checked
    /// with the ranges of all constants.
    ///
    /// Differences from small ones, which stay constants until their type is known: a table beside the Core, by place,
    /// had held the digits, and `(18446744073709551616 : IntInf.int)`, whose place is the constraint's, was 0.
    fn large_exp(&mut self, literal: &ast::IntLit, span: Span) -> Exp {
        let (_, ty) = self.integer(literal, span);
        let words = literal.words().into_iter().map(|w| exp(ExpKind::Const(Const::Int(w as i64)), Type::WORD, span));
        let words = ExpKind::Vector(words.collect());
        let vector = self.con(tyname::VECTOR, &[Type::WORD]);
        let arrow = self.arrow(vector, ty);
        let con = exp(ExpKind::Con(tyname::INTINF, large_con(literal), vec![]), arrow, span);
        exp(ExpKind::App(Box::new(con), Box::new(exp(words, vector, span))), ty, span)
    }

    // ------------------------------------------------------------- identifiers

    /// An identifier at fresh types. [Rule 2]
    fn elab_id(&mut self, binding: Option<Binding>, span: Span) -> Exp {
        match binding {
            None | Some(Binding::Error) => {
                self.broken.uses_error();
                error_exp(span)
            }
            Some(Binding::Local { var, tyvars, ty }) => {
                self.broken.uses(var);
                if let Some(flexes) = self.u.rows.groups.get(&var).cloned() {
                    let inst = self.fresh_instance(&tyvars);
                    let copies = self.flexible_copies(&flexes, &inst);
                    let ty = self.instantiate_flexible(ty, &inst, &copies);
                    let types = inst.iter().map(|i| i.1).chain(copies.iter().map(|c| c.1)).collect();
                    return exp(ExpKind::Var(var, types), ty, span);
                }
                let inst = self.fresh_instance(&tyvars);
                let ty = if inst.is_empty() { ty } else { self.instantiate_local(ty, &inst) };
                exp(ExpKind::Var(var, inst.iter().map(|i| i.1).collect()), ty, span)
            }
            Some(Binding::Done(entry)) => self.elab_entry(&entry, span),
        }
    }

    /// A value of a basis at fresh types.
    pub(crate) fn elab_entry(&mut self, entry: &ValEntry, span: Span) -> Exp {
        match entry {
            ValEntry::Var { var, scheme } => {
                self.broken.uses(*var);
                if let Some(flexes) = self.u.rows.groups.get(var).cloned() {
                    return self.elab_flexible_entry(*var, scheme, &flexes, span);
                }
                let inst = self.fresh_instance(&scheme.tyvars);
                let ty = self.import(scheme.ty, &inst);
                exp(ExpKind::Var(*var, inst.iter().map(|i| i.1).collect()), ty, span)
            }
            ValEntry::Con { list, index } => {
                let ConInstance { con, arg, result } = self.instantiate_con(*list, *index);
                let ConUse::Con { rep, index, inst } = con else {
                    unreachable!("instantiate_con answers a constructor")
                };
                let ty = match arg {
                    Some(arg) => self.arrow(arg, result),
                    None => result,
                };
                exp(ExpKind::Con(rep, index, inst), ty, span)
            }
            ValEntry::Exn { exn, arg } => {
                let ty = match arg {
                    Some(arg) => {
                        let arg = self.import(*arg, &[]);
                        self.arrow(arg, Type::EXN)
                    }
                    None => Type::EXN,
                };
                exp(ExpKind::ExnCon(*exn), ty, span)
            }
            ValEntry::Ref => {
                let elem = self.fresh();
                let cell = self.con(tyname::REF, &[elem]);
                let ty = self.arrow(elem, cell);
                exp(ExpKind::RefCon(elem), ty, span)
            }
            ValEntry::Equal => {
                let operand = self.fresh_equality();
                let pair = self.tuple(&[operand, operand]);
                let ty = self.arrow(pair, Type::BOOL);
                exp(ExpKind::Prim(Prim::PolyEq, ty), ty, span)
            }
            ValEntry::NotEqual => {
                let operand = self.fresh_equality();
                let pair = self.tuple(&[operand, operand]);
                let ty = self.arrow(pair, Type::BOOL);
                let var = self.new_var(Symbol::intern("operands"), pair, span);
                let arg = exp(ExpKind::Var(var, vec![]), pair, span);
                let body = self.not_equal(arg, ty, span);
                let pat = Pat { kind: PatKind::Var(var), ty: pair, span };
                exp(ExpKind::Fn(vec![Rule { pat, exp: body }]), ty, span)
            }
            ValEntry::Overloaded(op) => {
                let operand = self.fresh_overloaded(class_of(*op));
                self.overloaded(*op, operand, span)
            }
        }
    }

    /// An overloaded operator at the type `operand`. Which primitive it is stands when the declaration is settled.
    fn overloaded(&mut self, op: Op, operand: Type, span: Span) -> Exp {
        let from = if is_unary(op) { operand } else { self.tuple(&[operand, operand]) };
        let to = if is_comparison(op) { Type::BOOL } else { operand };
        let ty = self.arrow(from, to);
        self.note_type(span, ty);
        let site = self.pending.overloads.len() as u32;
        self.pending.overloads.push(OverloadSite { op, operand, span });
        exp(ExpKind::Overloaded(site), ty, span)
    }

    /// `not (poly_eq arg)`, where `eq` is the type of the comparison.
    fn not_equal(&mut self, arg: Exp, eq: Type, span: Span) -> Exp {
        let equal = exp(ExpKind::Prim(Prim::PolyEq, eq), eq, span);
        let test = exp(ExpKind::App(Box::new(equal), Box::new(arg)), Type::BOOL, span);
        exp(ExpKind::If(Box::new(test), Box::new(truth(false, span)), Box::new(truth(true, span))), Type::BOOL, span)
    }

    // ------------------------------------------------------------ applications

    fn elab_app(&mut self, fun: ExpId, arg: ExpId, span: Span) -> Exp {
        let ast = self.ast;
        if let ast::ExpKind::Id { id, .. } = &ast[fun].kind {
            // Operators in prefix position with a written pair get the messages of infix ones.
            if let ast::ExpKind::Tuple(parts) = &ast[arg].kind
                && let [lhs, rhs] = parts[..]
                && let Some(binding @ Binding::Done(ValEntry::Overloaded(_) | ValEntry::Equal | ValEntry::NotEqual)) =
                    self.peek_val(id)
            {
                self.note_value(id, Some(&binding));
                return self.elab_operator(Some(binding), id.last(), lhs, rhs, span);
            }
            if let Some(Binding::Done(ValEntry::Overloaded(op))) = self.peek_val(id)
                && is_unary(op)
            {
                self.note_value(id, Some(&Binding::Done(ValEntry::Overloaded(op))));
                let operand = self.fresh_overloaded(class_of(op));
                let arg = self.elab_exp(arg);
                self.expect_operand(operand, &arg, op, "argument");
                let fun = self.overloaded(op, operand, ast[fun].span);
                return exp(ExpKind::App(Box::new(fun), Box::new(arg)), operand, span);
            }
        }
        let f = self.elab_exp(fun);
        if self.quotations.contains(&f.span.lo) {
            return error_exp(span);
        }
        if let ast::ExpKind::Tuple(parts) = &ast[arg].kind {
            let parts: Vec<Exp> = parts.iter().map(|&e| self.elab_exp(e)).collect();
            let places: Vec<Span> = parts.iter().map(|e| e.span).collect();
            let arg = self.tuple_exp(parts, ast[arg].span);
            return self.apply(f, arg, &places, span);
        }
        let arg = self.elab_exp(arg);
        self.apply(f, arg, &[], span)
    }

    /// An application; `places` are those of the components where the argument is written as a tuple. [Rule 8]
    fn apply(&mut self, fun: Exp, arg: Exp, places: &[Span], span: Span) -> Exp {
        let found = arg.ty;
        let result = match self.shape(fun.ty) {
            Shape::Arrow(wanted, result) => {
                if self.expect_argument(&fun, (wanted, result), &arg, places) {
                    result
                } else {
                    Type::ERROR
                }
            }
            Shape::Error => Type::ERROR,
            Shape::Var { kinds: 0, .. } => {
                let result = self.fresh();
                let arrow = self.arrow(found, result);
                let (f, at) = (fun.span, arg.span);
                self.expect(arrow, fun.ty, span, "this application would need an infinite type", |_, have| {
                    vec![(f, format!("this has type `{have}`")), (at, "and is applied to this".to_string())]
                });
                result
            }
            _ => {
                self.report_no_function(&fun, &arg);
                Type::ERROR
            }
        };
        exp(ExpKind::App(Box::new(fun), Box::new(arg)), result, span)
    }

    /// Answers false when it is no argument at all that was given: what comes of the application is not known then.
    fn expect_argument(&mut self, fun: &Exp, (wanted, result): (Type, Type), arg: &Exp, places: &[Span]) -> bool {
        let found = arg.ty;
        // Component by component, so that the message shows the one that does not fit.
        if let (Shape::Record(ws), Shape::Record(fs)) = (self.shape(wanted), self.shape(found))
            && ws.len() == fs.len()
            && fs.len() == places.len()
            && ws.iter().zip(&fs).all(|(w, f)| w.0 == f.0)
        {
            for (i, (w, f)) in ws.iter().zip(&fs).enumerate() {
                let (at, fun_at) = (places[i], fun.span);
                let message = format!("component {} of the argument does not fit the function", i + 1);
                let labels = |w: &str, f: &str| {
                    vec![(fun_at, format!("this function expects `{w}` there")), (at, format!("but this is `{f}`"))]
                };
                let advise = |this: &mut Self| this.advise_opened(fun, found);
                self.expect_or(w.1, f.1, at, &message, labels, advise);
            }
            return true;
        }
        let (at, fun_at) = (arg.span, fun.span);
        let message = match &fun.kind {
            ExpKind::Con(..) | ExpKind::ExnCon(_) => "the argument does not fit the constructor",
            _ => "the argument does not fit the function",
        };
        let labels = |w: &str, f: &str| {
            vec![(fun_at, format!("this function expects `{w}`")), (at, format!("but this is `{f}`"))]
        };
        let mut advised = false;
        let fits = self.expect_or(wanted, found, at, message, labels, |this| {
            let ExpKind::Var(var, _) = fun.kind else { return None };
            let name = this.tables.vars[var].name;
            let advice = this.advise_opened(fun, found);
            let advice = advice.or_else(|| this.advise_arguments(name.as_str(), wanted, result, found));
            advised = advice.is_some();
            advice
        });
        if !fits && !advised {
            self.explain_last(fun, arg);
        }
        !advised
    }

    /// Adds to the message about an application what the value restriction has to do with it.
    fn explain_last(&mut self, fun: &Exp, arg: &Exp) {
        if self.restricted.is_empty() {
            return;
        }
        if let Some(last) = self.diagnostics.pop() {
            let labels = last.labels.len();
            let d = self.explain_restricted(last, fun);
            let d = if d.labels.len() == labels { self.explain_restricted(d, arg) } else { d };
            self.report(d);
        }
    }

    fn report_no_function(&mut self, fun: &Exp, arg: &Exp) {
        // `x == 5`: that `==` is not bound has been said, and is why.
        if matches!(self.shape(arg.ty), Shape::Error) {
            return;
        }
        let shown = self.show(fun.ty);
        let mut count = 0;
        let mut head = fun;
        while let ExpKind::App(f, _) = &head.kind
            && !matches!(f.kind, ExpKind::Con(tyname::INTINF, ..))
        {
            head = f;
            count += 1;
        }
        let d = if count > 0 {
            let plural = if count == 1 { "one argument" } else { &format!("{count} arguments") };
            Diagnostic::error("type/not-a-function", arg.span, "this argument is one too many")
                .label(head.span, format!("this function takes {plural}"))
                .label(arg.span, format!("the result before it is `{shown}`, not a function"))
        } else {
            Diagnostic::error(
                "type/not-a-function",
                fun.span,
                "this is not a function, but it is applied to an argument",
            )
            .label(fun.span, format!("this has type `{shown}`"))
            .label(arg.span, "applied to this")
        };
        let d = if matches!(fun.kind, ExpKind::Const(_)) || matches!(fun.kind, ExpKind::Con(..)) {
            d.help("is an operator, a `;` or a comma missing between the two?")
        } else if count > 0 {
            d.help("is a `;`, an operator or a parenthesis missing before it?")
        } else {
            d
        };
        self.report(d);
    }

    /// `lhs op rhs`
    fn elab_operator(&mut self, binding: Option<Binding>, op: Name, lhs: ExpId, rhs: ExpId, span: Span) -> Exp {
        let lhs = self.elab_exp(lhs);
        let before = self.diagnostics.len();
        let rhs = self.elab_exp(rhs);
        let pair_at = lhs.span.to(rhs.span);
        if let Some(binding) = &binding
            && self.is_operator_as_argument(binding, &lhs)
        {
            // What is said of the right side comes of the same mistake.
            self.diagnostics.truncate(before);
            let d = Diagnostic::error(
                "exp/operator",
                op.span,
                format!(
                    "the operator `{op}` stands between two operands, but the left one is a function that expects one"
                ),
            );
            let d = d.label(lhs.span, "this expects a function as its argument");
            self.report(d.fix(
                format!("as an argument it is written `op {op}`: `f op {op} x`"),
                op.span,
                format!("op {op}"),
            ));
            return error_exp(span);
        }
        match binding {
            Some(Binding::Done(ValEntry::Overloaded(o))) if !is_unary(o) => {
                let operand = self.fresh_overloaded(class_of(o));
                if self.expect_operand(operand, &lhs, o, "left operand") {
                    self.expect_same_operand(&lhs, &rhs, op, operand);
                }
                let fun = self.overloaded(o, operand, op.span);
                let result = if is_comparison(o) { Type::BOOL } else { operand };
                let arg = self.tuple_exp(vec![lhs, rhs], pair_at);
                exp(ExpKind::App(Box::new(fun), Box::new(arg)), result, span)
            }
            Some(Binding::Done(entry @ (ValEntry::Equal | ValEntry::NotEqual))) => {
                let (l, r) = (lhs.span, rhs.span);
                let operand = lhs.ty;
                let same = self.expect(
                    operand,
                    rhs.ty,
                    r,
                    &format!("the two sides of `{op}` have different types"),
                    |x, y| vec![(l, format!("this is `{x}`")), (r, format!("this is `{y}`"))],
                );
                if same && let Err(clash) = self.require_equality(operand) {
                    let shown = self.show(operand);
                    let d = Diagnostic::error(
                        code_of(&clash),
                        op.span,
                        format!("values of type `{shown}` cannot be compared with `{op}`"),
                    );
                    let d = d.label(l, format!("this is `{shown}`"));
                    let d = self.explain(d, &clash, operand, operand);
                    self.report(d);
                }
                self.warn_truth(op, &lhs, &rhs);
                let pair = self.tuple(&[operand, operand]);
                let ty = self.arrow(pair, Type::BOOL);
                let arg = self.tuple_exp(vec![lhs, rhs], pair_at);
                self.note_type(op.span, ty);
                if entry == ValEntry::NotEqual {
                    return self.not_equal(arg, ty, span);
                }
                let fun = exp(ExpKind::Prim(Prim::PolyEq, ty), ty, op.span);
                exp(ExpKind::App(Box::new(fun), Box::new(arg)), Type::BOOL, span)
            }
            binding => {
                let fun = self.elab_id(binding, op.span);
                self.note_type(op.span, fun.ty);
                let places = [lhs.span, rhs.span];
                let arg = self.tuple_exp(vec![lhs, rhs], pair_at);
                if let Shape::Arrow(wanted, result) = self.shape(fun.ty)
                    && let Shape::Record(fields) = self.shape(wanted)
                    && matches!(fields[..], [(sym::L1, _), (sym::L2, _)])
                {
                    let Shape::Record(found) = self.shape(arg.ty) else { unreachable!("a pair is a record") };
                    let is_power = op.symbol.as_str() == "^"
                        && self.kind_of(fields[0].1) == kinds::STRING
                        && found.iter().all(|part| self.is_number(part.1));
                    for i in 0..2 {
                        let side = ["left", "right"][i];
                        let at = places[i];
                        let message = format!("the {side} side of `{op}` does not fit");
                        let labels = |w: &str, f: &str| {
                            vec![
                                (op.span, format!("this expects `{w}` on its {side}")),
                                (at, format!("but this is `{f}`")),
                            ]
                        };
                        let mut advised = false;
                        self.expect_or(fields[i].1, found[i].1, at, &message, labels, |this| {
                            let power = is_power.then(|| POWER.to_string());
                            let advice = this.advise_opened(&fun, arg.ty).or(power);
                            advised = advice.is_some();
                            advice
                        });
                        if advised {
                            // Another operator is meant, and what that gives is not known.
                            return error_exp(span);
                        }
                    }
                    return exp(ExpKind::App(Box::new(fun), Box::new(arg)), result, span);
                }
                self.apply(fun, arg, &places, span)
            }
        }
    }

    /// `foldl + 0 list`: the left operand is a function that expects one like the operator.
    fn is_operator_as_argument(&mut self, binding: &Binding, lhs: &Exp) -> bool {
        let Shape::Arrow(wanted, _) = self.shape(lhs.ty) else { return false };
        let Shape::Arrow(operands, _) = self.shape(wanted) else { return false };
        if !matches!(binding, Binding::Done(ValEntry::Overloaded(_) | ValEntry::Equal | ValEntry::NotEqual))
            || !matches!(lhs.kind, ExpKind::Var(..))
        {
            return false;
        }
        match self.shape(operands) {
            Shape::Record(fields) => fields.len() == 2,
            Shape::Var { .. } => true,
            _ => false,
        }
    }

    /// `x = true`, which is `x`.
    fn warn_truth(&mut self, op: Name, lhs: &Exp, rhs: &Exp) {
        let value = |e: &Exp| match e.kind {
            ExpKind::Con(tyname::BOOL, index, _) => Some(index == 1),
            _ => None,
        };
        let (Some(value), other) = (match (value(lhs), value(rhs)) {
            (value @ Some(_), None) => (value, rhs),
            (None, value) => (value, lhs),
            _ => return,
        }) else {
            return;
        };
        let d = Diagnostic::warning("exp/truth", rhs.span.to(lhs.span), format!("a `bool` is compared with `{value}`"));
        let d = d.label(other.span, "this is a `bool`");
        let plain = value == (op.symbol == sym::EQUALS);
        self.report(if plain {
            d.help(format!("`x {op} {value}` is `x`"))
        } else {
            d.help(format!("`x {op} {value}` is `not x`"))
        });
    }

    fn expect_operand(&mut self, operand: Type, e: &Exp, op: Op, side: &str) -> bool {
        let (name, at) = (op.symbol(), e.span);
        let Err(clash) = self.unify(operand, e.ty) else { return true };
        let shown = self.show(e.ty);
        let d = Diagnostic::error(
            "type/overload",
            at,
            format!("the {side} of `{name}` has a type that it does not work on"),
        );
        let d = d.label(at, format!("this is `{shown}`"));
        let mut d = self.explain(d, &clash, operand, e.ty);
        if op != Op::Add {
            d.help.retain(|help| help != JOINED);
        }
        if op == Op::RealDiv && self.kind_of(e.ty) & kinds::INT != 0 {
            d.help = vec![QUOTIENT.to_string()];
        }
        self.report(d);
        false
    }

    fn is_number(&mut self, t: Type) -> bool {
        self.kind_of(t) & (kinds::INT | kinds::WORD | kinds::REAL) != 0
    }

    fn expect_same_operand(&mut self, lhs: &Exp, rhs: &Exp, op: Name, operand: Type) {
        let (l, r) = (lhs.span, rhs.span);
        let Err(clash) = self.unify(operand, rhs.ty) else { return };
        let (x, y) = self.show_pair(operand, rhs.ty);
        let d = Diagnostic::error(code_of(&clash), r, format!("the operands of `{op}` have different types"));
        let d = d.label(l, format!("this is `{x}`")).label(r, format!("this is `{y}`"));
        let mut d = self.explain(d, &clash, operand, rhs.ty);
        let strings = self.kind_of(operand) | self.kind_of(rhs.ty);
        if op.symbol != sym::PLUS {
            d.help.retain(|help| help != JOINED);
        } else if strings & kinds::STRING != 0 && d.help.is_empty() {
            d = d.help("strings are joined with `^`; make a string of an int with `Int.toString`");
        }
        self.report(d);
    }

    // ------------------------------------------------------ parts of expressions

    fn elab_condition(&mut self, id: ExpId, what: &str) -> Exp {
        let e = self.elab_exp(id);
        let at = e.span;
        self.expect(Type::BOOL, e.ty, at, &format!("{what} must be a `bool`"), |_, f| {
            vec![(at, format!("this has type `{f}`"))]
        });
        e
    }

    /// Expressions of one type, which is the first one's.
    fn elab_alike(&mut self, parts: &[ExpId], what: &str) -> (Vec<Exp>, Type) {
        let mut exps: Vec<Exp> = Vec::with_capacity(parts.len());
        for &part in parts {
            let e = self.elab_exp(part);
            if let Some((elem, first)) = exps.first().map(|first| (first.ty, first.span)) {
                let at = e.span;
                let message = format!("the elements of this {what} have different types");
                self.expect(elem, e.ty, at, &message, |x, y| {
                    vec![(first, format!("the first element is `{x}`")), (at, format!("this is `{y}`"))]
                });
            }
            exps.push(e);
        }
        let elem = exps.first().map(|e| e.ty).unwrap_or_else(|| self.fresh());
        (exps, elem)
    }

    /// The rules of a `case` or `fn`, and the type that they give: the first one's, so that nothing is searched for a
    /// variable made for it, which nests would pay with the square of their depth. [Rule 13] [Rule 14]
    pub(crate) fn elab_match(&mut self, rules: &[ast::Rule], from: Type, subject: Option<Span>) -> (Vec<Rule>, Type) {
        let ast = self.ast;
        let first = rules.first().map_or(Span::NONE, |r| ast[r.exp].span);
        let mut to = None;
        let rules = self.elab_rules(rules, from, subject, &mut |this, arm, found| match to {
            None => to = Some(found),
            Some(to) => {
                this.expect(to, found, arm, "the arms of this match give different types", |t, f| {
                    vec![(first, format!("the first arm gives `{t}`")), (arm, format!("this arm gives `{f}`"))]
                });
            }
        });
        (rules, to.unwrap_or(Type::ERROR))
    }

    fn elab_rules(
        &mut self,
        rules: &[ast::Rule],
        from: Type,
        subject: Option<Span>,
        check: &mut dyn FnMut(&mut Self, Span, Type),
    ) -> Vec<Rule> {
        let mut out: Vec<Rule> = Vec::with_capacity(rules.len());
        self.matched.push(from);
        let mut said: FxHashSet<Vec<String>> = FxHashSet::default();
        for rule in rules {
            let mark = self.mark();
            let (pat, bound) = self.elab_pat_whole(rule.pat);
            let fits = self.expect_pattern(from, &pat, subject, out.first().map(|r: &Rule| r.pat.span));
            // That the same two types do not fit is said once: where the rules of two matches have become one, there
            // are many of them.
            if !fits {
                let is_said = |d: &mut Diagnostic| !said.insert(d.labels.iter().map(|label| label.1.clone()).collect());
                self.diagnostics.pop_if(is_said);
            }
            self.bind_mono(&bound);
            let body = self.elab_exp(rule.exp);
            check(self, body.span, body.ty);
            self.undo_to(mark);
            out.push(Rule { pat, exp: body });
        }
        self.matched.pop();
        out
    }

    fn expect_pattern(&mut self, from: Type, pat: &Pat, subject: Option<Span>, first: Option<Span>) -> bool {
        let at = pat.span;
        let message = match (subject, first) {
            (Some(_), _) => "this pattern does not fit the value that is matched",
            (None, Some(_)) => "the patterns of this match have different types",
            (None, None) => "this pattern does not have the type that is expected here",
        };
        let nested = first.is_some().then_some(pat.ty);
        let labels = |v: &str, p: &str| {
            let mut labels = vec![(at, format!("this pattern is for `{p}`"))];
            match (subject, first) {
                (Some(s), _) => labels.push((s, format!("this is `{v}`"))),
                (None, Some(s)) => labels.push((s, format!("the first pattern is for `{v}`"))),
                (None, None) => labels.push((at, format!("here it must be for `{v}`"))),
            }
            labels
        };
        self.expect_or(from, pat.ty, at, message, labels, |this| this.advise_nested(nested?))
    }

    /// The pattern of a further rule fits a match around: the inner one has taken its rules.
    fn advise_nested(&mut self, pat: Type) -> Option<String> {
        if matches!(self.shape(pat), Shape::Var { kinds: 0, .. } | Shape::Error) {
            return None;
        }
        let around = self.matched[..self.matched.len().saturating_sub(1)].to_vec();
        let fits = around.into_iter().rev().take(4).any(|from| {
            !matches!(self.shape(from), Shape::Var { kinds: 0, .. } | Shape::Error) && self.could_unify(from, pat)
        });
        fits.then(|| {
            "the rules that follow an inner `case`, `fn` or `handle` are its own: put it in parentheses, `(case ... of ...)`"
                .to_string()
        })
    }

    /// [Rule 4]
    fn elab_let(&mut self, decs: &[ast::DecId], body: ExpId, span: Span) -> Exp {
        let mark = self.mark();
        let first_new = self.tables.tynames.next_id();
        let mut out = vec![];
        for &dec in decs {
            self.elab_dec(dec, &mut out);
        }
        let body = self.elab_exp(body);
        self.undo_to(mark);
        let ty = body.ty;
        if self.tables.tynames.next_id() != first_new
            && let Some(name) = self.mentions_new_tyname(ty, first_new, &mut FxHashSet::default())
        {
            let shown = self.tables.tynames[name].name;
            let declared = self.tables.tynames[name].span;
            let d = Diagnostic::error(
                "type/escape",
                body.span,
                format!("the type `{shown}` would leave the `let` that declares it"),
            );
            let d = d.label(declared, "declared here").help("declare the type outside, where its values are used");
            self.report(d);
        }
        exp(ExpKind::Let(out, Box::new(body)), ty, span)
    }

    /// A type may be a graph whose tree is exponentially larger: `seen` has what was looked at.
    fn mentions_new_tyname(&mut self, t: Type, first: TyName, seen: &mut FxHashSet<Type>) -> Option<TyName> {
        let t = self.find(t);
        if !seen.insert(t) {
            return None;
        }
        match self.shape(t) {
            Shape::Con(name, _) if name >= first => Some(name),
            Shape::Con(_, args) => args.iter().find_map(|&a| self.mentions_new_tyname(a, first, seen)),
            Shape::Arrow(a, b) => {
                let found = self.mentions_new_tyname(a, first, seen);
                found.or_else(|| self.mentions_new_tyname(b, first, seen))
            }
            Shape::Record(fields) => fields.iter().find_map(|f| self.mentions_new_tyname(f.1, first, seen)),
            Shape::Flex { fields, .. } => fields.iter().find_map(|f| self.mentions_new_tyname(f.1, first, seen)),
            _ => None,
        }
    }

    // ---------------------------------------------------------- nonexpansiveness

    /// Is the expression non-expansive? [Definition, 4.7]
    pub(crate) fn is_nonexpansive(&self, id: ExpId) -> bool {
        match &self.ast[id].kind {
            ast::ExpKind::Const(_)
            | ast::ExpKind::Id { .. }
            | ast::ExpKind::Selector(_)
            | ast::ExpKind::Fn(_)
            | ast::ExpKind::Prim { .. }
            | ast::ExpKind::Foreign(_)
            | ast::ExpKind::Error => true,
            ast::ExpKind::Record(fields) => fields.iter().all(|f| self.is_nonexpansive(f.1)),
            ast::ExpKind::Tuple(es) | ast::ExpKind::List(es) | ast::ExpKind::Vector(es) => {
                es.iter().all(|&e| self.is_nonexpansive(e))
            }
            ast::ExpKind::Typed { exp, .. } => self.is_nonexpansive(*exp),
            ast::ExpKind::App { fun, arg } => self.is_conexp(*fun) && self.is_nonexpansive(*arg),
            ast::ExpKind::Infix { op, lhs, rhs } => {
                self.is_con(&LongId::short(*op)) && self.is_nonexpansive(*lhs) && self.is_nonexpansive(*rhs)
            }
            _ => false,
        }
    }

    fn is_conexp(&self, id: ExpId) -> bool {
        match &self.ast[id].kind {
            ast::ExpKind::Id { id, .. } => self.is_con(id),
            ast::ExpKind::Typed { exp, .. } => self.is_conexp(*exp),
            _ => false,
        }
    }

    fn is_con(&self, id: &LongId) -> bool {
        matches!(self.peek_val(id), Some(Binding::Done(ValEntry::Con { .. } | ValEntry::Exn { .. })))
    }

    /// The name under which a top-level expression's value is bound.
    pub(crate) fn it(span: Span) -> Name {
        Name { symbol: sym::IT, span }
    }
}

pub(crate) fn is_unary(op: Op) -> bool {
    matches!(op, Op::Neg | Op::Abs)
}

pub(crate) fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

/// The types that an operator works on. [Definition, appendix E; the Basis adds `~` on words]
pub(crate) fn class_of(op: Op) -> Kinds {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg => kinds::NUM,
        Op::Div | Op::Mod => kinds::WORDINT,
        Op::RealDiv => kinds::REAL,
        Op::Abs => kinds::REALINT,
        Op::Lt | Op::Le | Op::Gt | Op::Ge => kinds::NUMTXT,
    }
}
