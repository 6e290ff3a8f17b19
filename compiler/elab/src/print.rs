//! Core as text, for `--dump=core` and for tests: Standard ML with all types, in the dump's own names.
//!
//! A variable is `name.number`; type arguments stand in brackets.

use crate::ir::{Const, Dec, DecKind, ExnRef, Exp, ExpKind, Pat, PatKind, Rule, Ty, TyData, TyName, TyVar, Var};
use crate::tables::Tables;
use leat_abi::exn::BUILTINS;
use leat_base::Printer;

/// Declarations as text.
pub fn print(decs: &[Dec], tables: &Tables) -> String {
    let mut p = CorePrinter { tables, out: Printer::new() };
    decs.iter().for_each(|d| p.dec(d));
    p.out.finish()
}

/// A type as text; type variables have their names, with numbers where they are ambiguous in principle.
pub fn ty(tables: &Tables, ty: Ty) -> String {
    type_text(tables, ty, 0)
}

/// A type scheme's body as text with its variables renamed to `'a`, `'b`, ... in order of occurrence: for tests.
pub fn scheme(tables: &Tables, t: Ty) -> String {
    let mut order = vec![];
    occurrences(tables, t, &mut order);
    let mut text = type_text_by(tables, t, 0, &|v| {
        let i = order.iter().position(|w| *w == v).unwrap_or(0);
        crate::types::generated_name(i, tables.tyvars[v].equality).to_string()
    });
    if text.is_empty() {
        text.push('?');
    }
    text
}

fn occurrences(tables: &Tables, t: Ty, order: &mut Vec<TyVar>) {
    match &tables.types[t] {
        TyData::Var(v) => {
            if !order.contains(v) {
                order.push(*v);
            }
        }
        TyData::Con(_, args) => args.iter().for_each(|&a| occurrences(tables, a, order)),
        TyData::Arrow(a, b) => {
            occurrences(tables, *a, order);
            occurrences(tables, *b, order);
        }
        TyData::Record(fields) => fields.iter().for_each(|f| occurrences(tables, f.1, order)),
    }
}

fn type_text(tables: &Tables, t: Ty, precedence: u8) -> String {
    type_text_by(tables, t, precedence, &|v| tables.tyvars[v].name.to_string())
}

fn type_text_by(tables: &Tables, t: Ty, precedence: u8, var: &dyn Fn(TyVar) -> String) -> String {
    let rec = |t: Ty, p: u8| type_text_by(tables, t, p, var);
    let Some(data) = tables.types.get(t) else { return format!("{t}") };
    let (text, own) = match data {
        TyData::Var(v) => (var(*v), 3),
        TyData::Con(name, args) => {
            let name = tables.tynames[*name].name;
            match &args[..] {
                [] => (name.to_string(), 3),
                [arg] => (format!("{} {name}", rec(*arg, 2)), 2),
                _ => {
                    let args: Vec<String> = args.iter().map(|&a| rec(a, 0)).collect();
                    (format!("({}) {name}", args.join(", ")), 2)
                }
            }
        }
        TyData::Arrow(a, b) => (format!("{} -> {}", rec(*a, 1), rec(*b, 0)), 0),
        TyData::Record(fields) if fields.is_empty() => ("unit".to_string(), 3),
        TyData::Record(fields) => {
            let tuple =
                fields.len() >= 2 && fields.iter().enumerate().all(|(i, f)| f.0.as_tuple_label() == Some(i + 1));
            if tuple {
                let parts: Vec<String> = fields.iter().map(|f| rec(f.1, 2)).collect();
                (parts.join(" * "), 1)
            } else {
                let parts: Vec<String> = fields.iter().map(|f| format!("{}: {}", f.0, rec(f.1, 0))).collect();
                (format!("{{{}}}", parts.join(", ")), 3)
            }
        }
    };
    if own < precedence { format!("({text})") } else { text }
}

struct CorePrinter<'t> {
    tables: &'t Tables,
    out: Printer,
}

impl CorePrinter<'_> {
    fn text(&mut self, text: &str) {
        self.out.text(text);
    }

    fn var(&self, v: Var) -> String {
        match self.tables.vars.get(v) {
            Some(info) => format!("{}.{}", info.name, v.0),
            None => format!("{v}"),
        }
    }

    fn inst(&self, types: &[Ty]) -> String {
        if types.is_empty() {
            return String::new();
        }
        let types: Vec<String> = types.iter().map(|&t| ty(self.tables, t)).collect();
        format!("[{}]", types.join(", "))
    }

    fn con(&self, t: TyName, index: u32) -> String {
        use crate::ir::TyNameDef;
        match &self.tables.tynames[t].def {
            TyNameDef::Datatype { cons, .. } if (index as usize) < cons.len() => cons[index as usize].name.to_string(),
            _ => format!("{}#{index}", self.tables.tynames[t].name),
        }
    }

    fn exn(&self, e: ExnRef) -> String {
        match e {
            ExnRef::Builtin(n) => BUILTINS.get(n as usize).map_or("?".to_string(), |b| b.1.to_string()),
            ExnRef::Var(v) => self.var(v),
        }
    }

    fn tyvars(&self, tyvars: &[TyVar]) -> String {
        if tyvars.is_empty() {
            return String::new();
        }
        let names: Vec<String> = tyvars.iter().map(|&v| self.tables.tyvars[v].name.to_string()).collect();
        format!("({}) ", names.join(", "))
    }

    fn dec(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val { tyvars, pat, exp } => {
                let text = format!("val {}", self.tyvars(tyvars));
                self.text(&text);
                self.pat(pat);
                let text = format!(" : {} =\n", ty(self.tables, pat.ty));
                self.text(&text);
                self.out.indent();
                self.exp(exp);
                self.out.dedent();
                self.text("\n");
            }
            DecKind::Fun { tyvars, funs } => {
                for (i, f) in funs.iter().enumerate() {
                    let head = if i == 0 { format!("fun {}", self.tyvars(tyvars)) } else { "and ".to_string() };
                    let text = format!("{head}{} : {} =\n", self.var(f.var), ty(self.tables, f.exp.ty));
                    self.text(&text);
                    self.out.indent();
                    self.exp(&f.exp);
                    self.out.dedent();
                    self.text("\n");
                }
            }
            DecKind::Exception { var, name, arg } => {
                let of = arg.map_or(String::new(), |t| format!(" of {}", ty(self.tables, t)));
                let text = format!("exception {} = \"{name}\"{of}\n", self.var(*var));
                self.text(&text);
            }
        }
    }

    fn constant(&self, c: &Const, t: Ty) -> String {
        match c {
            Const::Int(n) => format!("{n}:{}", ty(self.tables, t)),
            Const::Real(bits) => format!("{:?}", f64::from_bits(*bits)),
            Const::String(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        }
    }

    fn pats(&mut self, pats: &[(String, &Pat)], open: &str, close: &str) {
        self.text(open);
        for (i, (label, p)) in pats.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.text(label);
            self.pat(p);
        }
        self.text(close);
    }

    fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Wild => self.text("_"),
            PatKind::Var(v) => {
                let text = self.var(*v);
                self.text(&text);
            }
            PatKind::Const(c) => {
                let text = self.constant(c, pat.ty);
                self.text(&text);
            }
            PatKind::Con(t, i, inst, arg) => {
                let text = format!("{}{}", self.con(*t, *i), self.inst(inst));
                self.text(&text);
                self.pat_arg(arg.as_deref());
            }
            PatKind::Exn(e, arg) => {
                let text = self.exn(*e);
                self.text(&text);
                self.pat_arg(arg.as_deref());
            }
            PatKind::Ref(p) => {
                self.text("ref");
                self.pat_arg(Some(p));
            }
            PatKind::Record(fields) => {
                let pats: Vec<(String, &Pat)> = fields.iter().map(|(l, p)| (format!("{l} = "), p)).collect();
                self.pats(&pats, "{", "}");
            }
            PatKind::Vector(ps) => {
                let pats: Vec<(String, &Pat)> = ps.iter().map(|p| (String::new(), p)).collect();
                self.pats(&pats, "#[", "]");
            }
            PatKind::Layered(v, p) => {
                let text = format!("{} as ", self.var(*v));
                self.text(&text);
                self.pat(p);
            }
        }
    }

    fn pat_arg(&mut self, arg: Option<&Pat>) {
        if let Some(p) = arg {
            self.text(" (");
            self.pat(p);
            self.text(")");
        }
    }

    fn rules(&mut self, rules: &[Rule]) {
        self.out.indent();
        for rule in rules {
            self.text("\n");
            self.text("| ");
            self.pat(&rule.pat);
            self.text(" => ");
            self.exp(&rule.exp);
        }
        self.out.dedent();
    }

    fn exps(&mut self, open: &str, es: &[Exp], separator: &str, close: &str) {
        self.text(open);
        for (i, e) in es.iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            self.exp(e);
        }
        self.text(close);
    }

    fn exp(&mut self, e: &Exp) {
        match &e.kind {
            ExpKind::Const(c) => {
                let text = self.constant(c, e.ty);
                self.text(&text);
            }
            ExpKind::Var(v, inst) => {
                let text = format!("{}{}", self.var(*v), self.inst(inst));
                self.text(&text);
            }
            ExpKind::Con(t, i, inst) => {
                let text = format!("{}{}", self.con(*t, *i), self.inst(inst));
                self.text(&text);
            }
            ExpKind::ExnCon(x) => {
                let text = self.exn(*x);
                self.text(&text);
            }
            ExpKind::RefCon(t) => {
                let text = format!("ref[{}]", ty(self.tables, *t));
                self.text(&text);
            }
            ExpKind::Prim(p, t) => {
                let text = format!("(_prim {} : {})", p.name(), ty(self.tables, *t));
                self.text(&text);
            }
            ExpKind::Overloaded(site) => self.text(&format!("(overloaded {site})")),
            ExpKind::Record(fields) => {
                self.text("{");
                for (i, (l, x)) in fields.iter().enumerate() {
                    let text = format!("{}{l} = ", if i > 0 { ", " } else { "" });
                    self.text(&text);
                    self.exp(x);
                }
                self.text("}");
            }
            ExpKind::Selector(l, t) => {
                let text = format!("(#{l} : {})", ty(self.tables, *t));
                self.text(&text);
            }
            ExpKind::Vector(es) => self.exps("#[", es, ", ", "]"),
            ExpKind::List(es) => self.exps("[", es, ", ", "]"),
            ExpKind::Seq(es) => self.exps("(", es, ";\n", ")"),
            ExpKind::App(f, a) => {
                self.exp(f);
                self.text(" (");
                self.exp(a);
                self.text(")");
            }
            ExpKind::Fn(rules) => {
                self.text("(fn");
                self.rules(rules);
                self.text(")");
            }
            ExpKind::Case(x, rules) => {
                self.text("(case ");
                self.exp(x);
                self.text(" of");
                self.rules(rules);
                self.text(")");
            }
            ExpKind::Handle(x, rules) => {
                self.text("((");
                self.exp(x);
                self.text(") handle");
                self.rules(rules);
                self.text(")");
            }
            ExpKind::If(c, t, x) => {
                self.text("(if ");
                self.exp(c);
                self.text("\n then ");
                self.exp(t);
                self.text("\n else ");
                self.exp(x);
                self.text(")");
            }
            ExpKind::While(c, b) => {
                self.text("(while ");
                self.exp(c);
                self.text(" do ");
                self.exp(b);
                self.text(")");
            }
            ExpKind::Let(decs, body) => {
                self.text("let\n");
                self.out.indent();
                decs.iter().for_each(|d| self.dec(d));
                self.out.dedent();
                self.text("in ");
                self.exp(body);
                self.text(" end");
            }
            ExpKind::Raise(x) => {
                self.text("(raise ");
                self.exp(x);
                self.text(")");
            }
        }
    }
}
