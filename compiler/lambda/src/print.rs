//! Lambda -> text for dumps, in SML's own syntax as far as it goes; variables carry their number.

use crate::ir::*;
use crate::missing::quote;
use leat_base::{Printer, Symbol};
use leat_elab::Tables;
use leat_elab::ir::{TyData, TyNameDef};
use std::fmt::Write;

/// All declarations.
pub fn print<'d>(decs: impl Iterator<Item = &'d TopDec>, tables: &Tables) -> String {
    let mut p = Print { p: Printer::new(), tables };
    for top in decs {
        p.dec(&top.dec);
    }
    p.p.finish()
}

/// A type as SML writes it.
pub fn show_ty(tables: &Tables, ty: Ty) -> String {
    let mut out = String::new();
    ty_at(tables, ty, 0, &mut out);
    out
}

/// Levels: 0 arrow, 1 operand of an arrow, 2 operand of `*`, 3 argument of a type constructor.
fn ty_at(tables: &Tables, ty: Ty, level: u32, out: &mut String) {
    if out.len() > 2000 {
        return out.push_str("..");
    }
    let Some(data) = tables.types.get(ty) else { return out.push('?') };
    match data {
        TyData::Var(var) => out.push_str(tables.tyvars.get(*var).map_or("'?", |info| info.name.as_str())),
        TyData::Con(name, args) => {
            match &args[..] {
                [] => {}
                [arg] => {
                    ty_at(tables, *arg, 3, out);
                    out.push(' ');
                }
                _ => {
                    for (i, arg) in args.iter().enumerate() {
                        out.push_str(if i == 0 { "(" } else { ", " });
                        ty_at(tables, *arg, 0, out);
                    }
                    out.push_str(") ");
                }
            }
            out.push_str(tables.tynames.get(*name).map_or("?", |info| info.name.as_str()));
        }
        TyData::Arrow(from, to) => {
            out.push_str(if level > 0 { "(" } else { "" });
            ty_at(tables, *from, 1, out);
            out.push_str(" -> ");
            ty_at(tables, *to, 0, out);
            out.push_str(if level > 0 { ")" } else { "" });
        }
        TyData::Record(fields) if fields.is_empty() => out.push_str("unit"),
        TyData::Record(fields) => {
            let tuple = fields.len() > 1 && fields.iter().enumerate().all(|(i, f)| f.0 == Symbol::tuple_label(i + 1));
            if tuple {
                out.push_str(if level > 1 { "(" } else { "" });
                for (i, field) in fields.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { " * " });
                    ty_at(tables, field.1, 2, out);
                }
                out.push_str(if level > 1 { ")" } else { "" });
            } else {
                for (i, (label, ty)) in fields.iter().enumerate() {
                    let _ = write!(out, "{}{label}: ", if i == 0 { "{" } else { ", " });
                    ty_at(tables, *ty, 0, out);
                }
                out.push('}');
            }
        }
    }
}

struct Print<'t> {
    p: Printer,
    tables: &'t Tables,
}

impl Print<'_> {
    fn name(&self, var: Var) -> String {
        format!("{}.{}", self.tables.vars.get(var).map_or("?", |info| info.name.as_str()), var.0)
    }

    fn typed(&self, var: Var) -> String {
        match self.tables.vars.get(var) {
            Some(info) => format!("{}: {}", self.name(var), show_ty(self.tables, info.ty)),
            None => self.name(var),
        }
    }

    fn exn(&self, exn: ExnRef) -> String {
        match exn {
            ExnRef::Builtin(n) => leat_abi::exn::BUILTINS.get(n as usize).map_or("?", |builtin| builtin.1).to_string(),
            ExnRef::Var(var) => self.name(var),
        }
    }

    fn con(&self, name: TyName, con: u32) -> String {
        match self.tables.tynames.get(name).map(|info| &info.def) {
            Some(TyNameDef::Datatype { cons, .. }) => {
                cons.get(con as usize).map_or("?", |con| con.name.as_str()).into()
            }
            _ => format!("{name}#{con}"),
        }
    }

    fn tyvars(&self, tyvars: &[TyVar]) -> String {
        if tyvars.is_empty() {
            return String::new();
        }
        let names: Vec<&str> =
            tyvars.iter().map(|&var| self.tables.tyvars.get(var).map_or("'?", |info| info.name.as_str())).collect();
        format!("[{}] ", names.join(", "))
    }

    fn tys(&self, tys: &[Ty]) -> String {
        if tys.is_empty() {
            return String::new();
        }
        let tys: Vec<String> = tys.iter().map(|&ty| show_ty(self.tables, ty)).collect();
        format!(" [{}]", tys.join(", "))
    }

    fn dec(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val { tyvars, var, exp, .. } => {
                let _ = write!(self.p, "val {}{} = ", self.tyvars(tyvars), self.typed(*var));
                self.exp(exp, 0);
                self.p.newline();
            }
            DecKind::Fun { tyvars, funs } => {
                for (i, fun) in funs.iter().enumerate() {
                    let keyword = if i == 0 { "fun" } else { "and" };
                    let (name, param) = (self.name(fun.var), self.typed(fun.param));
                    let result = show_ty(self.tables, fun.body.ty);
                    let _ = writeln!(self.p, "{keyword} {}{name} ({param}): {result} =", self.tyvars(tyvars));
                    self.block(&fun.body);
                }
            }
            DecKind::Exception { var, arg, .. } => {
                let arg = arg.map_or(String::new(), |ty| format!(" of {}", show_ty(self.tables, ty)));
                let _ = writeln!(self.p, "exception {}{arg}", self.name(*var));
            }
        }
    }

    /// On lines of its own, one level deeper.
    fn block(&mut self, exp: &Exp) {
        self.p.indent();
        self.exp(exp, 0);
        self.p.newline();
        self.p.dedent();
    }

    fn list(&mut self, open: &str, exps: &[Exp], separator: &str, close: &str) {
        self.p.text(open);
        for (i, exp) in exps.iter().enumerate() {
            self.p.text(if i == 0 { "" } else { separator });
            self.exp(exp, 0);
        }
        self.p.text(close);
    }

    /// Levels: 0 anything, 1 function, 2 argument.
    fn exp(&mut self, exp: &Exp, level: u32) {
        let open = |p: &mut Printer, yes: bool| p.text(if yes { "(" } else { "" });
        let close = |p: &mut Printer, yes: bool| p.text(if yes { ")" } else { "" });
        match &exp.kind {
            ExpKind::Const(Const::Int(n)) => self.p.text(&n.to_string().replace('-', "~")),
            ExpKind::Const(Const::Real(bits)) => {
                self.p.text(&format!("{:?}", f64::from_bits(*bits)).replace('-', "~"));
            }
            ExpKind::Const(Const::String(text)) => self.p.text(&quote(text)),
            ExpKind::Var(var, tys) => self.p.text(&format!("{}{}", self.name(*var), self.tys(tys))),
            ExpKind::Con(name, con, tys) => self.p.text(&format!("{}{}", self.con(*name, *con), self.tys(tys))),
            ExpKind::ExnCon(exn) => self.p.text(&self.exn(*exn)),
            ExpKind::Prim(prim, _) => self.p.text(prim.name()),
            ExpKind::Tuple(exps) => self.list("(", exps, ", ", ")"),
            ExpKind::Vector(exps) => self.list("#[", exps, ", ", "]"),
            ExpKind::List(exps) => self.list("[", exps, ", ", "]"),
            ExpKind::Seq(exps) => self.list("(", exps, "; ", ")"),
            ExpKind::Select(i, of) => {
                open(&mut self.p, level > 1);
                self.p.text(&format!("#{i} "));
                self.exp(of, 2);
                close(&mut self.p, level > 1);
            }
            ExpKind::App(f, arg) => {
                open(&mut self.p, level > 1);
                self.exp(f, 1);
                self.p.text(" ");
                self.exp(arg, 2);
                close(&mut self.p, level > 1);
            }
            ExpKind::Raise(packet) => {
                open(&mut self.p, level > 0);
                self.p.text("raise ");
                self.exp(packet, 0);
                close(&mut self.p, level > 0);
            }
            ExpKind::Fn(param, body) => {
                open(&mut self.p, level > 0);
                let head = format!("fn {} =>", self.typed(*param));
                self.p.line(&head);
                self.p.indent();
                self.exp(body, 0);
                self.p.dedent();
                close(&mut self.p, level > 0);
            }
            ExpKind::If(a, b, c) => {
                open(&mut self.p, level > 0);
                self.p.text("if ");
                self.exp(a, 0);
                self.p.line(" then");
                self.block(b);
                self.p.line("else");
                self.p.indent();
                self.exp(c, 0);
                self.p.dedent();
                close(&mut self.p, level > 0);
            }
            ExpKind::While(a, b) => {
                open(&mut self.p, level > 0);
                self.p.text("while ");
                self.exp(a, 0);
                self.p.line(" do");
                self.p.indent();
                self.exp(b, 0);
                self.p.dedent();
                close(&mut self.p, level > 0);
            }
            ExpKind::Let(decs, body) => {
                self.p.line("let");
                self.p.indent();
                decs.iter().for_each(|dec| self.dec(dec));
                self.p.dedent();
                self.p.line("in");
                self.block(body);
                self.p.text("end");
            }
            ExpKind::Handle(body, packet, handler) => {
                open(&mut self.p, level > 0);
                self.exp(body, 1);
                let head = format!(" handle {} =>", self.name(*packet));
                self.p.line(&head);
                self.p.indent();
                self.exp(handler, 0);
                self.p.dedent();
                close(&mut self.p, level > 0);
            }
            ExpKind::Case { scrut, arms, default } => {
                open(&mut self.p, level > 0);
                self.p.text("case ");
                self.exp(scrut, 0);
                self.p.text(" of");
                let arg = |var: &Option<Var>| var.map_or(String::new(), |var| format!(" {}", self.typed(var)));
                let heads: Vec<String> = match arms {
                    Arms::Con(name, arms) => {
                        arms.iter().map(|(con, var, _)| format!("{}{}", self.con(*name, *con), arg(var))).collect()
                    }
                    Arms::Exn(arms) => {
                        arms.iter().map(|(exn, var, _)| format!("{}{}", self.exn(*exn), arg(var))).collect()
                    }
                    Arms::Int(arms) => arms.iter().map(|arm| arm.0.to_string().replace('-', "~")).collect(),
                    Arms::Str(arms) => arms.iter().map(|arm| quote(&arm.0)).collect(),
                };
                let bodies = arms.bodies();
                let rest = default.as_deref().map(|body| ("_".to_string(), body));
                self.p.indent();
                for (head, body) in heads.into_iter().zip(bodies).chain(rest) {
                    self.p.newline();
                    self.p.line(&format!("{head} =>"));
                    self.p.indent();
                    self.exp(body, 0);
                    self.p.dedent();
                }
                self.p.dedent();
                close(&mut self.p, level > 0);
            }
        }
    }
}
