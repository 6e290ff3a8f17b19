//! Ast -> text that looks like the source and parses to the same Ast.
//!
//! Parentheses stand where the tree needs them, as the fixities in force at that place say;
//! `print_explicit` puts them around every compound part, to show how a text was understood.
//! Chains of operators, applications and `else if`s are loops, so long ones need no stack.

mod dec;

use crate::fixity::{FixityEnv, powers};
use crate::ir::*;
use leat_base::{Printer, Symbol, symbol::sym};

/// The program as text. `fixity` is the environment in which the text was parsed.
pub fn print(program: &Program, fixity: &FixityEnv) -> String {
    run(program, fixity, false)
}

/// The same with parentheses around every compound expression, pattern and type inside another.
pub fn print_explicit(program: &Program, fixity: &FixityEnv) -> String {
    run(program, fixity, true)
}

fn run(program: &Program, fixity: &FixityEnv, explicit: bool) -> String {
    let mut p = AstPrinter { ast: &program.ast, fixity: fixity.clone(), explicit, last: b' ', out: Printer::new() };
    for (i, &d) in program.decs.iter().enumerate() {
        p.dec(d);
        // Without the `;` an expression would continue the declaration before it.
        let is_exp = |d: DecId| matches!(program.ast[d].kind, DecKind::Exp(_));
        if is_exp(d) || program.decs.get(i + 1).is_some_and(|&next| is_exp(next)) {
            p.out.text(";");
        }
        p.out.newline();
    }
    let text = p.out.finish();
    // An identifier `#!` at the very beginning would make it a script's first line.
    if text.starts_with("#!") { format!(" {text}") } else { text }
}

struct AstPrinter<'a> {
    ast: &'a Ast,
    fixity: FixityEnv,
    explicit: bool,
    /// The last byte that was written.
    last: u8,
    out: Printer,
}

/// What may stand at a place without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Anything.
    Any,
    /// Operators, applications, atoms.
    Infix,
    /// Applications, atoms.
    App,
    /// Atoms.
    Atom,
}

fn exp_place(kind: &ExpKind) -> Place {
    use ExpKind::*;
    match kind {
        Infix { .. } => Place::Infix,
        App { .. } => Place::App,
        Typed { .. }
        | AndAlso(..)
        | OrElse(..)
        | Handle { .. }
        | Raise(_)
        | If { .. }
        | While { .. }
        | Case { .. }
        | Fn(_)
        | Prim { .. }
        | Foreign(_) => Place::Any,
        _ => Place::Atom,
    }
}

fn pat_place(kind: &PatKind) -> Place {
    match kind {
        PatKind::Infix { .. } => Place::Infix,
        PatKind::App { .. } => Place::App,
        PatKind::Typed { .. } | PatKind::Layered { .. } => Place::Any,
        _ => Place::Atom,
    }
}

/// A step of printing a chain of infix operators.
enum Step<Id> {
    Node { id: Id, parens: bool },
    Operator(Symbol),
}

impl AstPrinter<'_> {
    fn text(&mut self, text: &str) {
        // `( * )` and `(op * )`: without the blank they would open or close a comment.
        let glued = match (self.last, text.bytes().next()) {
            (b'(', first) => first == Some(b'*'),
            (b'*', first) => first == Some(b')'),
            _ => false,
        };
        if glued {
            self.out.text(" ");
        }
        self.out.text(text);
        self.last = text.bytes().last().unwrap_or(self.last);
    }

    fn parens(&mut self, wanted: bool, f: impl FnOnce(&mut Self)) {
        if wanted {
            self.text("(");
            f(self);
            self.text(")");
        } else {
            f(self);
        }
    }

    fn list<T: Copy>(&mut self, items: &[T], separator: &str, mut f: impl FnMut(&mut Self, T)) {
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            f(self, item);
        }
    }

    fn block(&mut self, f: impl FnOnce(&mut Self)) {
        self.out.newline();
        self.out.indent();
        f(self);
        self.out.dedent();
    }

    fn long_id(&mut self, id: &LongId) {
        for &q in &id.qualifiers {
            self.text(q.as_str());
            self.text(".");
        }
        self.text(id.symbol.as_str());
    }

    /// The infix status; `=` is always infix.
    fn fixity_of(&self, symbol: Symbol) -> Fixity {
        match self.fixity.get(symbol) {
            Fixity::Nonfix if symbol == sym::EQUALS => Fixity::Infix(4),
            fixity => fixity,
        }
    }

    // ------------------------------------------------------ expressions

    fn exp(&mut self, e: ExpId) {
        self.exp_at(e, Place::Any);
    }

    fn exp_at(&mut self, e: ExpId, place: Place) {
        let own = exp_place(&self.ast[e].kind);
        let parens = own < place || (self.explicit && place > Place::Any && own < Place::Atom);
        self.parens(parens, |p| p.exp_bare(e));
    }

    fn exp_bare(&mut self, e: ExpId) {
        let ast = self.ast;
        match &ast[e].kind {
            ExpKind::Const(c) => self.constant(c),
            ExpKind::Id { id, op } => {
                self.text(if *op { "op " } else { "" });
                self.long_id(id);
            }
            ExpKind::Record(fields) => {
                self.text("{");
                self.list_ref(fields, ", ", |p, (label, e)| {
                    p.text(label.symbol.as_str());
                    p.text(" = ");
                    p.exp(*e);
                });
                self.text("}");
            }
            ExpKind::Tuple(es) => self.exps("(", es, ", ", ")"),
            ExpKind::Selector(label) => {
                self.text("#");
                // A blank keeps `#` and a symbolic label apart.
                self.text(if label.symbol.is_symbolic() { " " } else { "" });
                self.text(label.symbol.as_str());
            }
            ExpKind::List(es) => self.exps("[", es, ", ", "]"),
            ExpKind::Vector(es) => self.exps("#[", es, ", ", "]"),
            ExpKind::Seq(es) => self.exps("(", es, "; ", ")"),
            ExpKind::Let { decs, body } => {
                self.text("let");
                let mark = self.fixity.enter();
                self.block(|p| p.decs(decs));
                self.text("in");
                self.block(|p| {
                    match &ast[*body].kind {
                        ExpKind::Seq(es) => p.list(es, ";\n", |p, e| p.exp(e)),
                        _ => p.exp(*body),
                    }
                    p.out.newline();
                });
                self.fixity.leave(mark);
                self.text("end");
            }
            ExpKind::App { .. } => self.app(e),
            ExpKind::Infix { .. } => self.infix(e),
            ExpKind::Typed { exp, ty } => {
                self.exp_at(
                    *exp,
                    if matches!(ast[*exp].kind, ExpKind::Typed { .. }) && !self.explicit {
                        Place::Any
                    } else {
                        Place::Infix
                    },
                );
                self.text(" : ");
                self.ty(*ty);
            }
            ExpKind::AndAlso(..) | ExpKind::OrElse(..) => self.logical(e),
            ExpKind::Handle { exp, rules } => {
                self.exp_at(*exp, Place::Infix);
                self.text(" handle ");
                self.rules(rules);
            }
            ExpKind::Raise(e) => {
                self.text("raise ");
                self.exp(*e);
            }
            ExpKind::If { .. } => self.conditional(e),
            ExpKind::While { cond, body } => {
                self.text("while ");
                self.exp(*cond);
                self.text(" do ");
                self.exp(*body);
            }
            ExpKind::Case { exp, rules } => {
                self.text("case ");
                self.exp(*exp);
                self.text(" of");
                self.out.indent();
                self.text("\n  ");
                self.rules(rules);
                self.out.dedent();
            }
            ExpKind::Fn(rules) => {
                self.text("fn ");
                self.rules(rules);
            }
            ExpKind::Prim { name, ty } => {
                self.text("_prim ");
                self.constant(&Const::String(name.as_str().as_bytes().into()));
                self.text(" : ");
                self.ty(*ty);
            }
            ExpKind::Foreign(foreign) => {
                self.text(&format!("_{}", foreign.word.text()));
                match foreign.name {
                    Some(name) => {
                        self.text(" ");
                        self.constant(&Const::String(name.as_str().as_bytes().into()));
                    }
                    None => self.text(" *"),
                }
                for attribute in &foreign.attributes {
                    self.text(&format!(" {}", attribute.symbol));
                }
                self.text(" : ");
                self.ty(foreign.ty);
                if foreign.ended {
                    self.text(";");
                }
            }
            ExpKind::Error => self.text("(* error *)"),
        }
    }

    fn list_ref<T>(&mut self, items: &[T], separator: &str, mut f: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            f(self, item);
        }
    }

    fn exps(&mut self, open: &str, es: &[ExpId], separator: &str, close: &str) {
        self.text(open);
        self.list(es, separator, |p, e| p.exp(e));
        self.text(close);
    }

    fn app(&mut self, e: ExpId) {
        let mut args = vec![];
        let mut head = e;
        while let ExpKind::App { fun, arg } = self.ast[head].kind {
            args.push(arg);
            head = fun;
        }
        if self.explicit {
            self.text(&"(".repeat(args.len() - 1));
        }
        self.exp_at(head, Place::Atom);
        for (i, &arg) in args.iter().rev().enumerate() {
            self.text(" ");
            self.exp_at(arg, Place::Atom);
            if self.explicit && i + 1 < args.len() {
                self.text(")");
            }
        }
    }

    fn infix(&mut self, e: ExpId) {
        self.infix_tree(
            e,
            |p, id| match p.ast[id].kind {
                ExpKind::Infix { op, lhs, rhs } => Some((op.symbol, lhs, rhs)),
                _ => None,
            },
            |p, id| exp_place(&p.ast[id].kind),
            |p, id| p.exp_bare(id),
            |p, lhs, rhs| p.exps(" (", &[lhs, rhs], ", ", ")"),
        );
    }

    /// Operands and operators of a tree, with parentheses where the operators' powers need them; nesting costs no
    /// stack. `infix` takes a node apart; `pair` prints the operands of an operator that is not infix here.
    fn infix_tree<Id: Copy>(
        &mut self,
        root: Id,
        infix: impl Fn(&Self, Id) -> Option<(Symbol, Id, Id)>,
        place: impl Fn(&Self, Id) -> Place,
        bare: impl Fn(&mut Self, Id),
        pair: impl Fn(&mut Self, Id, Id),
    ) {
        let mut steps = vec![Step::Node { id: root, parens: false }];
        let mut top = true;
        while let Some(step) = steps.pop() {
            let id = match step {
                Step::Operator(symbol) => {
                    self.text(" ");
                    self.text(symbol.as_str());
                    self.text(" ");
                    continue;
                }
                Step::Node { id, parens: true } => {
                    self.parens(true, |p| bare(p, id));
                    continue;
                }
                Step::Node { id, .. } => id,
            };
            match infix(self, id) {
                Some((op, lhs, rhs)) if self.fixity_of(op) != Fixity::Nonfix && (top || !self.explicit) => {
                    let (left, right) = powers(self.fixity_of(op));
                    let parens = |child: Id, is_left: bool| match infix(self, child) {
                        Some((op, ..)) => {
                            let (l, r) = powers(self.fixity_of(op));
                            self.explicit || if is_left { r <= left } else { right >= l }
                        }
                        None => place(self, child) < if self.explicit { Place::Atom } else { Place::App },
                    };
                    let (lhs_parens, rhs_parens) = (parens(lhs, true), parens(rhs, false));
                    steps.push(Step::Node { id: rhs, parens: rhs_parens });
                    steps.push(Step::Operator(op));
                    steps.push(Step::Node { id: lhs, parens: lhs_parens });
                }
                Some((op, lhs, rhs)) => {
                    self.text("op ");
                    self.text(op.as_str());
                    pair(self, lhs, rhs);
                }
                None => bare(self, id),
            }
            top = false;
        }
    }

    fn logical(&mut self, e: ExpId) {
        let is_and = matches!(self.ast[e].kind, ExpKind::AndAlso(..));
        let mut rights = vec![];
        let mut head = e;
        loop {
            match self.ast[head].kind {
                ExpKind::AndAlso(l, r) if is_and && (head == e || !self.explicit) => (rights.push(r), head = l).1,
                ExpKind::OrElse(l, r) if !is_and && (head == e || !self.explicit) => (rights.push(r), head = l).1,
                _ => break,
            }
        }
        self.exp_at(head, Place::Infix);
        for &r in rights.iter().rev() {
            self.text(if is_and { " andalso " } else { " orelse " });
            self.exp_at(r, Place::Infix);
        }
    }

    fn conditional(&mut self, e: ExpId) {
        let mut e = e;
        while let ExpKind::If { cond, then, els } = self.ast[e].kind {
            self.text("if ");
            self.exp(cond);
            self.text(" then ");
            // An `if` without its own `else` cannot stand here, so nothing needs parentheses.
            self.exp(then);
            self.text(" else ");
            e = els;
        }
        self.exp(e);
    }

    /// Does a `|` after the expression belong to it?
    fn ends_in_rules(&self, e: ExpId) -> bool {
        let mut e = e;
        loop {
            e = match self.ast[e].kind {
                ExpKind::If { els, .. } => els,
                ExpKind::While { body, .. } => body,
                ExpKind::Raise(e) => e,
                ExpKind::Case { .. } | ExpKind::Fn(_) | ExpKind::Handle { .. } => return true,
                _ => return false,
            };
        }
    }

    /// An expression before a `|`.
    fn exp_before_bar(&mut self, e: ExpId, last: bool) {
        let parens = !last && self.ends_in_rules(e);
        self.parens(parens, |p| p.exp(e));
    }

    fn rules(&mut self, rules: &[Rule]) {
        for (i, rule) in rules.iter().enumerate() {
            if i > 0 {
                self.text("\n| ");
            }
            self.pat(rule.pat);
            self.text(" => ");
            self.exp_before_bar(rule.exp, i + 1 == rules.len());
        }
    }

    fn constant(&mut self, c: &Const) {
        let text = match c {
            Const::Int(i) => {
                format!("{}{}{}", if i.negative { "~" } else { "" }, if i.hex { "0x" } else { "" }, digits(i))
            }
            Const::Word(i) => format!("{}{}", if i.hex { "0wx" } else { "0w" }, digits(i)),
            Const::Real(text) => text.to_string(),
            Const::Char(b) => format!("#\"{}\"", escape(&[*b])),
            Const::String(bytes) => format!("\"{}\"", escape(bytes)),
        };
        self.text(&text);
    }

    // --------------------------------------------------------- patterns

    fn pat(&mut self, p: PatId) {
        self.pat_at(p, Place::Any);
    }

    fn pat_at(&mut self, pat: PatId, place: Place) {
        let own = pat_place(&self.ast[pat].kind);
        let parens = own < place || (self.explicit && place > Place::Any && own < Place::Atom);
        self.parens(parens, |p| p.pat_bare(pat));
    }

    fn op_long_id(&mut self, id: &LongId, op: bool) {
        self.text(if op { "op " } else { "" });
        self.long_id(id);
    }

    fn pat_bare(&mut self, pat: PatId) {
        let ast = self.ast;
        match &ast[pat].kind {
            PatKind::Wild => self.text("_"),
            PatKind::Const(c) => self.constant(c),
            PatKind::Id { id, op } => self.op_long_id(id, *op),
            PatKind::Record { fields, flexible } => {
                self.text("{");
                self.list_ref(fields, ", ", |p, (label, pat)| {
                    p.text(label.symbol.as_str());
                    p.text(" = ");
                    p.pat(*pat);
                });
                if flexible.is_some() {
                    self.text(if fields.is_empty() { "..." } else { ", ..." });
                }
                self.text("}");
            }
            PatKind::Tuple(ps) => self.pats("(", ps, ")"),
            PatKind::List(ps) => self.pats("[", ps, "]"),
            PatKind::Vector(ps) => self.pats("#[", ps, "]"),
            PatKind::App { con, op, arg } => {
                self.op_long_id(con, *op);
                self.text(" ");
                self.pat_at(*arg, Place::Atom);
            }
            PatKind::Infix { .. } => self.pat_infix(pat),
            PatKind::Typed { pat, ty } => {
                let nested = matches!(ast[*pat].kind, PatKind::Typed { .. }) && !self.explicit;
                self.pat_at(*pat, if nested { Place::Any } else { Place::Infix });
                self.text(" : ");
                self.ty(*ty);
            }
            PatKind::Layered { name, op, ty, pat } => {
                self.text(if *op { "op " } else { "" });
                self.text(name.symbol.as_str());
                if let Some(ty) = ty {
                    self.text(" : ");
                    self.ty(*ty);
                }
                self.text(" as ");
                self.pat(*pat);
            }
            PatKind::Error => self.text("(* error *)"),
        }
    }

    fn pats(&mut self, open: &str, ps: &[PatId], close: &str) {
        self.text(open);
        self.list(ps, ", ", |p, pat| p.pat(pat));
        self.text(close);
    }

    fn pat_infix(&mut self, pat: PatId) {
        self.infix_tree(
            pat,
            |p, id| match p.ast[id].kind {
                PatKind::Infix { con, lhs, rhs } => Some((con.symbol, lhs, rhs)),
                _ => None,
            },
            |p, id| pat_place(&p.ast[id].kind),
            |p, id| p.pat_bare(id),
            |p, lhs, rhs| p.pats(" (", &[lhs, rhs], ")"),
        );
    }

    // ------------------------------------------------------------ types

    fn ty(&mut self, ty: TyId) {
        self.ty_at(ty, Place::Any);
    }

    /// `Any`: arrows; `Infix`: tuples; `App`: constructors behind arguments; `Atom` is not needed.
    fn ty_at(&mut self, ty: TyId, place: Place) {
        let own = match &self.ast[ty].kind {
            TyKind::Arrow(..) => Place::Any,
            TyKind::Tuple(_) => Place::Infix,
            _ => Place::App,
        };
        let parens = own < place || (self.explicit && place > Place::Any && own < Place::App);
        self.parens(parens, |p| p.ty_bare(ty));
    }

    fn ty_bare(&mut self, ty: TyId) {
        let ast = self.ast;
        match &ast[ty].kind {
            TyKind::Var(name) => self.text(name.as_str()),
            TyKind::Record(fields) => {
                self.text("{");
                self.list_ref(fields, ", ", |p, (label, ty)| {
                    p.text(label.symbol.as_str());
                    p.text(" : ");
                    p.ty(*ty);
                });
                self.text("}");
            }
            TyKind::Con { .. } => {
                // `int list option ...`: down the single arguments, then back.
                let mut cons = vec![];
                let mut inner = ty;
                while let TyKind::Con { args, con } = &ast[inner].kind {
                    cons.push(con);
                    match args.as_slice() {
                        [one] => inner = *one,
                        [] => break,
                        many => {
                            self.text("(");
                            self.list(many, ", ", |p, ty| p.ty(ty));
                            self.text(")");
                            break;
                        }
                    }
                }
                let bare = match &ast[inner].kind {
                    TyKind::Con { args, .. } => args.is_empty(),
                    _ => {
                        self.ty_at(inner, Place::App);
                        false
                    }
                };
                for (i, con) in cons.iter().rev().enumerate() {
                    self.text(if i == 0 && bare { "" } else { " " });
                    self.long_id(con);
                }
            }
            TyKind::Tuple(tys) => self.list(tys, " * ", |p, ty| p.ty_at(ty, Place::App)),
            TyKind::Arrow(..) => {
                let mut ty = ty;
                while let TyKind::Arrow(arg, result) = ast[ty].kind {
                    self.ty_at(arg, Place::Infix);
                    self.text(" -> ");
                    if self.explicit {
                        return self.ty_at(result, Place::Infix);
                    }
                    ty = result;
                }
                self.ty(ty);
            }
            TyKind::Error => self.text("(* error *)"),
        }
    }
}

fn digits(i: &IntLit) -> String {
    match &i.magnitude {
        Magnitude::Small(m) if i.hex => format!("{m:x}"),
        Magnitude::Small(m) => m.to_string(),
        Magnitude::Big(digits) => digits.to_string(),
    }
}

/// The inside of a string constant.
fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0x20..=0x7E => out.push(char::from(b)),
            _ => out.push_str(&format!("\\{b:03}")),
        }
    }
    out
}
