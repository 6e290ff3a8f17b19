//! Types as text for messages: shortest names that are not ambiguous, and pairs where the difference stands out.

use crate::basis::compare_labels;
use crate::ctx::Elab;
use crate::ir::{TyName, TyVar};
use crate::naming;
use crate::types::{Kinds, Shape, Type, generated_name, kinds};
use leat_base::Symbol;
use leat_base::symbol::sym;
use rustc_hash::FxHashMap;

/// A type as a tree for printing.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Tree {
    Leaf(String),
    /// Arguments and constructor.
    Con(Vec<Tree>, TyName),
    Arrow(Box<Tree>, Box<Tree>),
    Tuple(Vec<Tree>),
    Record(Vec<(Symbol, Tree)>, bool),
    /// A part that is the same on the other side.
    Same,
    /// A part that differs from the other side.
    Differs(Box<Tree>),
}

/// Names of type variables in one message.
#[derive(Clone, Default)]
pub(crate) struct Names {
    tyvars: FxHashMap<TyVar, Symbol>,
    vars: FxHashMap<Type, Symbol>,
    used: Vec<Symbol>,
    next: usize,
    /// How many nodes of a type were shown.
    shown: usize,
}

/// So many levels of a type are shown.
const DEEPEST: usize = 13;
const WIDEST: usize = 24;
/// A type of more nodes is shown less deep.
const LARGEST: usize = 300;

impl Elab<'_> {
    /// The type as text.
    pub(crate) fn show(&mut self, t: Type) -> String {
        self.show_with(&mut Names::default(), t)
    }

    pub(crate) fn show_with(&mut self, names: &mut Names, t: Type) -> String {
        let tree = self.whole(names, t);
        self.text(&tree, 0)
    }

    /// The type as a tree as deep as there is room: a huge type is cut at the same depth everywhere.
    fn whole(&mut self, names: &mut Names, t: Type) -> Tree {
        let mut deepest = DEEPEST;
        loop {
            let mut own = Names { shown: 0, ..names.clone() };
            let tree = self.tree(&mut own, t, deepest);
            if own.shown <= LARGEST || deepest == 0 {
                *names = own;
                return tree;
            }
            deepest -= 1;
        }
    }

    /// Two types that should have been the same: equal parts of long types are `_`, differing ones are in brackets.
    pub(crate) fn show_pair(&mut self, a: Type, b: Type) -> (String, String) {
        let mut names = Names::default();
        let (x, y) = (self.whole(&mut names, a), self.whole(&mut names, b));
        let (full_x, full_y) = (self.text(&x, 0), self.text(&y, 0));
        if full_x.len().max(full_y.len()) <= 40 {
            return (full_x, full_y);
        }
        let (x, y) = difference(&x, &y);
        let strip = |t: Tree| if let Tree::Differs(inner) = t { *inner } else { t };
        let (x, y) = (strip(x), strip(y));
        (self.text(&x, 0), self.text(&y, 0))
    }

    /// `left`: how many levels more.
    fn tree(&mut self, names: &mut Names, t: Type, left: usize) -> Tree {
        names.shown += 1;
        let Some(d) = left.checked_sub(1).filter(|_| names.shown <= LARGEST) else {
            return Tree::Leaf("...".to_string());
        };
        let t = self.find(t);
        match self.shape(t) {
            Shape::Error => Tree::Leaf("_".to_string()),
            Shape::Var { kinds: 0, equality } => Tree::Leaf(names.var(t, equality).to_string()),
            Shape::Var { kinds, .. } => Tree::Leaf(default_name(kinds).to_string()),
            Shape::Rigid(v) => {
                let info = &self.tables.tyvars[v];
                let (name, equality) = (info.name, info.equality);
                Tree::Leaf(names.tyvar(v, name, equality).to_string())
            }
            Shape::Con(name, args) => Tree::Con(args.iter().map(|&a| self.tree(names, a, d)).collect(), name),
            Shape::Arrow(a, b) => Tree::Arrow(Box::new(self.tree(names, a, d)), Box::new(self.tree(names, b, d))),
            Shape::Record(fields) => {
                let tuple =
                    fields.len() >= 2 && fields.iter().enumerate().all(|(i, f)| f.0.as_tuple_label() == Some(i + 1));
                let more = fields.len() > WIDEST;
                let parts = fields.iter().take(WIDEST);
                if tuple {
                    let mut parts: Vec<Tree> = parts.map(|f| self.tree(names, f.1, d)).collect();
                    if more {
                        parts.push(Tree::Leaf("...".to_string()));
                    }
                    Tree::Tuple(parts)
                } else {
                    Tree::Record(parts.map(|f| (f.0, self.tree(names, f.1, d))).collect(), more)
                }
            }
            Shape::Flex { fields, row, .. } => {
                let parts = fields.iter().take(WIDEST);
                let mut parts: Vec<(Symbol, Tree)> = parts.map(|f| (f.0, self.tree(names, f.1, d))).collect();
                // Another use has told the labels: the types of the other fields are any.
                let labels = self.u.rows.labels(row);
                let more = labels.as_ref().is_none_or(|labels| labels.len() > WIDEST);
                for &label in labels.iter().flat_map(|labels| labels.iter()).filter(|_| !more) {
                    if fields.iter().all(|f| f.0 != label) {
                        parts.push((label, Tree::Leaf("_".to_string())));
                    }
                }
                parts.sort_by(|a, b| compare_labels(a.0, b.0));
                Tree::Record(parts, more)
            }
        }
    }

    fn text(&self, tree: &Tree, precedence: u8) -> String {
        let rec = |t: &Tree, p: u8| self.text(t, p);
        let (text, own) = match tree {
            Tree::Leaf(s) => (s.clone(), 3),
            Tree::Same => ("_".to_string(), 3),
            Tree::Differs(t) => (format!("[{}]", rec(t, 0)), 3),
            Tree::Con(args, name) => {
                let path = self.short_name(*name);
                let (text, own) = self.applied(args, &path);
                if args.is_empty() || !path.contains('.') { (text, own) } else { self.abbreviated(args, *name, text) }
            }
            Tree::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| rec(p, 2)).collect();
                (parts.join(" * "), 1)
            }
            Tree::Arrow(a, b) => (format!("{} -> {}", rec(a, 1), rec(b, 0)), 0),
            Tree::Record(fields, false) if fields.is_empty() => (sym::UNIT.as_str().to_string(), 3),
            Tree::Record(fields, open) => {
                let mut parts: Vec<String> = fields.iter().map(|(l, t)| format!("{l}: {}", rec(t, 0))).collect();
                if *open {
                    parts.push("...".to_string());
                }
                (format!("{{{}}}", parts.join(", ")), 3)
            }
        };
        if own < precedence { format!("({text})") } else { text }
    }

    /// The path by which the program may write a type name here, else a mark.
    pub(crate) fn short_name(&self, name: TyName) -> String {
        match self.signature_names.iter().rev().find(|entry| entry.0 == name) {
            Some((_, own)) => own.clone(),
            None => naming::path_or_mark(self.tables, self, name),
        }
    }

    /// An abbreviation of the library for an applied type name, if its text is shorter than `text`.
    fn abbreviated(&self, args: &[Tree], name: TyName, text: String) -> (String, u8) {
        let open = |tree: &Tree| match tree {
            Tree::Con(args, name) => Some((*name, args.clone())),
            _ => None,
        };
        for short in naming::abbreviations(self.tables, self, name) {
            if let Some(args) = short.arguments(self.tables, args, &open) {
                let other = self.applied(&args, &short.path);
                if other.0.len() < text.len() {
                    return other;
                }
            }
        }
        (text, 2)
    }

    fn applied(&self, args: &[Tree], name: &str) -> (String, u8) {
        match args {
            [] => (name.to_string(), 3),
            [arg] => (format!("{} {name}", self.text(arg, 2)), 2),
            _ => {
                let args: Vec<String> = args.iter().map(|a| self.text(a, 0)).collect();
                (format!("({}) {name}", args.join(", ")), 2)
            }
        }
    }
}

impl Names {
    fn fresh(&mut self, equality: bool) -> Symbol {
        loop {
            let name = generated_name(self.next, equality);
            self.next += 1;
            if !self.used.contains(&name) {
                self.used.push(name);
                return name;
            }
        }
    }

    fn var(&mut self, t: Type, equality: bool) -> Symbol {
        if let Some(&name) = self.vars.get(&t) {
            return name;
        }
        let name = self.fresh(equality);
        self.vars.insert(t, name);
        name
    }

    fn tyvar(&mut self, v: TyVar, name: Symbol, equality: bool) -> Symbol {
        if let Some(&name) = self.tyvars.get(&v) {
            return name;
        }
        let name = if self.used.contains(&name) { self.fresh(equality) } else { name };
        self.used.push(name);
        self.tyvars.insert(v, name);
        name
    }
}

/// The two trees with equal parts taken out and differing parts marked.
fn difference(a: &Tree, b: &Tree) -> (Tree, Tree) {
    let pair = |a: &Tree, b: &Tree| if a == b { (Tree::Same, Tree::Same) } else { difference(a, b) };
    match (a, b) {
        (Tree::Con(xs, n), Tree::Con(ys, m)) if n == m && xs.len() == ys.len() => {
            let (x, y) = xs.iter().zip(ys).map(|(x, y)| pair(x, y)).unzip();
            (Tree::Con(x, *n), Tree::Con(y, *m))
        }
        (Tree::Arrow(a1, r1), Tree::Arrow(a2, r2)) => {
            let (x1, y1) = pair(a1, a2);
            let (x2, y2) = pair(r1, r2);
            (Tree::Arrow(x1.into(), x2.into()), Tree::Arrow(y1.into(), y2.into()))
        }
        (Tree::Tuple(xs), Tree::Tuple(ys)) if xs.len() == ys.len() => {
            let (x, y) = xs.iter().zip(ys).map(|(x, y)| pair(x, y)).unzip();
            (Tree::Tuple(x), Tree::Tuple(y))
        }
        (Tree::Record(xs, o1), Tree::Record(ys, o2)) => {
            let side = |xs: &[(Symbol, Tree)], ys: &[(Symbol, Tree)], first: bool| {
                let mut out = vec![];
                let mut same = false;
                for (l, t) in xs {
                    match ys.iter().find(|y| y.0 == *l) {
                        Some((_, u)) if t == u => same = true,
                        Some((_, u)) => {
                            let (x, y) = if first { difference(t, u) } else { difference(u, t) };
                            out.push((*l, if first { x } else { y }));
                        }
                        None => out.push((*l, Tree::Differs(Box::new(t.clone())))),
                    }
                }
                (out, same)
            };
            let ((x, s1), (y, s2)) = (side(xs, ys, true), side(ys, xs, false));
            (Tree::Record(x, s1 || *o1), Tree::Record(y, s2 || *o2))
        }
        _ => (Tree::Differs(Box::new(a.clone())), Tree::Differs(Box::new(b.clone()))),
    }
}

fn default_name(kinds: Kinds) -> &'static str {
    match kinds {
        k if k & kinds::INT != 0 => "int",
        k if k & kinds::REAL != 0 => "real",
        k if k & kinds::WORD != 0 => "word",
        k if k & kinds::CHAR != 0 => "char",
        _ => "string",
    }
}

/// Kinds in words: `int, word or real`.
pub(crate) fn kinds_in_words(kinds: Kinds) -> String {
    let all = [
        (kinds::INT, "int"),
        (kinds::WORD, "word"),
        (kinds::REAL, "real"),
        (kinds::CHAR, "char"),
        (kinds::STRING, "string"),
    ];
    let names: Vec<&str> = all.iter().filter(|k| kinds & k.0 != 0).map(|k| k.1).collect();
    match names.split_last() {
        None => "nothing".to_string(),
        Some((last, [])) => last.to_string(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}
