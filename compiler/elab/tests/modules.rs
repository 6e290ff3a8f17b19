//! Random structures, signatures and functors, with items dropped, retyped, renamed or added on either side:
//! elaboration always answers, and agrees with a model of signature matching in a few lines.
//!
//! A structure and its signature are made from one list of items, so that they match; then each may be changed. The
//! values are used through the signature, by `:`, by `:>` and in a functor, with arguments that fit and with others:
//! what stands in for a missing item must bear every question that a message asks. `MODULES=n` runs more of them,
//! `SEED=n` others.

mod common;

use leat_random::{Random, setting};
use std::fmt::Write as _;

#[derive(Clone, PartialEq, Debug)]
enum Ty {
    Int,
    Str,
    Unit,
    List(Box<Ty>),
    Pair(Box<Ty>, Box<Ty>),
    Fn(Box<Ty>, Box<Ty>),
    /// `'a -> 'a`: of values only.
    Poly,
    /// A type of the same structure.
    Named(String),
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Val(Ty),
    /// In a signature with its definition, or without.
    Type(Ty, bool),
    Data(Vec<(String, Option<Ty>)>),
    Exn(Option<Ty>),
    Str(Vec<Item>),
}

#[derive(Clone, PartialEq, Debug)]
struct Item {
    name: String,
    kind: Kind,
}

impl Ty {
    fn text(&self) -> String {
        match self {
            Ty::Int => "int".into(),
            Ty::Str => "string".into(),
            Ty::Unit => "unit".into(),
            Ty::List(t) => format!("{} list", t.text()),
            Ty::Pair(a, b) => format!("({} * {})", a.text(), b.text()),
            Ty::Fn(a, b) => format!("({} -> {})", a.text(), b.text()),
            Ty::Poly => "'a -> 'a".into(),
            Ty::Named(name) => name.clone(),
        }
    }

    /// An expression of the type.
    fn value(&self) -> String {
        match self {
            Ty::Int => "1".into(),
            Ty::Str => "\"a\"".into(),
            Ty::Unit => "()".into(),
            Ty::List(t) => format!("[{}]", t.value()),
            Ty::Pair(a, b) => format!("({}, {})", a.value(), b.value()),
            Ty::Fn(a, b) => format!("(fn _ : {} => {})", a.text(), b.value()),
            Ty::Poly => "(fn x => x)".into(),
            Ty::Named(name) => format!("((raise Match) : {name})"),
        }
    }

    fn is_named(&self) -> bool {
        match self {
            Ty::Named(_) => true,
            Ty::List(t) => t.is_named(),
            Ty::Pair(a, b) | Ty::Fn(a, b) => a.is_named() || b.is_named(),
            _ => false,
        }
    }

    /// With the names of types replaced by what they stand for in the structure; `None` where one is not bound.
    fn resolved(&self, types: &[(String, Ty)]) -> Option<Ty> {
        Some(match self {
            Ty::List(t) => Ty::List(Box::new(t.resolved(types)?)),
            Ty::Pair(a, b) => Ty::Pair(Box::new(a.resolved(types)?), Box::new(b.resolved(types)?)),
            Ty::Fn(a, b) => Ty::Fn(Box::new(a.resolved(types)?), Box::new(b.resolved(types)?)),
            Ty::Named(name) => types.iter().rev().find(|t| t.0 == *name)?.1.clone(),
            other => other.clone(),
        })
    }
}

struct Gen {
    random: Random,
    names: usize,
}

impl Gen {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn ty(&mut self, depth: usize, types: &[String]) -> Ty {
        let n = if depth == 0 { 4 } else { 7 };
        let inner = |this: &mut Gen| Box::new(this.ty(depth - 1, types));
        match self.random.below(n) {
            0 => Ty::Int,
            1 => Ty::Str,
            2 => Ty::Unit,
            3 if !types.is_empty() => Ty::Named(types[self.random.below(types.len())].clone()),
            3 => Ty::Int,
            4 => Ty::List(inner(self)),
            5 => Ty::Pair(inner(self), inner(self)),
            _ => Ty::Fn(inner(self), inner(self)),
        }
    }

    fn items(&mut self, depth: usize, around: &[String]) -> Vec<Item> {
        let mut types = around.to_vec();
        (0..1 + self.random.below(5)).map(|_| self.item(depth, &mut types)).collect()
    }

    fn item(&mut self, depth: usize, types: &mut Vec<String>) -> Item {
        match self.random.below(if depth == 0 { 7 } else { 8 }) {
            0 => {
                let (kind, name) = (Kind::Type(self.ty(1, types), self.random.below(2) == 0), self.name("t"));
                types.push(name.clone());
                Item { name, kind }
            }
            1 => {
                let name = self.name("d");
                types.push(name.clone());
                let con = |this: &mut Gen| {
                    let arg = (this.random.below(2) == 0).then(|| this.ty(1, types));
                    (this.name("K"), arg)
                };
                let cons = (0..1 + self.random.below(3)).map(|_| con(self)).collect();
                Item { name, kind: Kind::Data(cons) }
            }
            2 => {
                let arg = (self.random.below(2) == 0).then(|| self.ty(1, types));
                Item { name: self.name("E"), kind: Kind::Exn(arg) }
            }
            3 => Item { name: self.name("v"), kind: Kind::Val(Ty::Poly) },
            7 => Item { name: self.name("S"), kind: Kind::Str(self.items(depth - 1, types)) },
            _ => {
                let ty = self.ty(2, types);
                Item { name: self.name("v"), kind: Kind::Val(ty) }
            }
        }
    }

    /// Drops, retypes, renames or adds an item, perhaps of a structure inside.
    fn mutate(&mut self, items: &mut Vec<Item>) {
        if items.is_empty() {
            return;
        }
        let i = self.random.below(items.len());
        if let Kind::Str(inner) = &mut items[i].kind
            && self.random.below(4) > 0
        {
            return self.mutate(inner);
        }
        match self.random.below(5) {
            0 => {
                items.remove(i);
            }
            1 => items[i].name.push('x'),
            2 => {
                let item = self.item(0, &mut vec![]);
                items.insert(i, item);
            }
            _ => {
                let ty = self.ty(1, &[]);
                match &mut items[i].kind {
                    Kind::Val(t) | Kind::Type(t, _) => *t = ty,
                    Kind::Exn(arg) => *arg = if arg.is_some() { None } else { Some(ty) },
                    Kind::Data(cons) if self.random.below(2) == 0 => cons[0].0.push('x'),
                    Kind::Data(cons) => cons[0].1 = if cons[0].1.is_some() { None } else { Some(ty) },
                    Kind::Str(inner) => inner.clear(),
                }
            }
        }
    }
}

fn cons_text(cons: &[(String, Option<Ty>)]) -> String {
    let con = |(name, arg): &(String, Option<Ty>)| match arg {
        Some(ty) => format!("{name} of {}", ty.text()),
        None => name.clone(),
    };
    cons.iter().map(con).collect::<Vec<_>>().join(" | ")
}

fn structure(items: &[Item]) -> String {
    let mut out = String::from("struct\n");
    for Item { name, kind } in items {
        let _ = match kind {
            Kind::Val(Ty::Poly) => writeln!(out, "fun {name} x = x"),
            Kind::Val(ty) => writeln!(out, "val {name} : {} = {}", ty.text(), ty.value()),
            Kind::Type(ty, _) => writeln!(out, "type {name} = {}", ty.text()),
            Kind::Data(cons) => writeln!(out, "datatype {name} = {}", cons_text(cons)),
            Kind::Exn(None) => writeln!(out, "exception {name}"),
            Kind::Exn(Some(ty)) => writeln!(out, "exception {name} of {}", ty.text()),
            Kind::Str(inner) => writeln!(out, "structure {name} = {}", structure(inner)),
        };
    }
    out + "end"
}

fn signature(items: &[Item]) -> String {
    let mut out = String::from("sig\n");
    for Item { name, kind } in items {
        let _ = match kind {
            Kind::Val(ty) => writeln!(out, "val {name} : {}", ty.text()),
            Kind::Type(ty, true) => writeln!(out, "type {name} = {}", ty.text()),
            Kind::Type(_, false) => writeln!(out, "type {name}"),
            Kind::Data(cons) => writeln!(out, "datatype {name} = {}", cons_text(cons)),
            Kind::Exn(None) => writeln!(out, "exception {name}"),
            Kind::Exn(Some(ty)) => writeln!(out, "exception {name} of {}", ty.text()),
            Kind::Str(inner) => writeln!(out, "structure {name} : {}", signature(inner)),
        };
    }
    out + "end"
}

/// Does the text of a signature, or of a structure, stand by itself: are the types that it names bound?
fn is_closed(items: &[Item], types: &[(String, Ty)], signature: bool) -> bool {
    let mut types = types.to_vec();
    items.iter().all(|item| {
        let ok = |ty: &Ty, types: &[(String, Ty)]| ty.resolved(types).is_some();
        match &item.kind {
            Kind::Val(ty) => ok(ty, &types),
            Kind::Type(ty, shown) => {
                let closed = ok(ty, &types) || signature && !shown;
                types.push((item.name.clone(), Ty::Named(item.name.clone())));
                closed
            }
            Kind::Data(cons) => {
                types.push((item.name.clone(), Ty::Named(item.name.clone())));
                cons.iter().all(|con| con.1.as_ref().is_none_or(|ty| ok(ty, &types)))
            }
            Kind::Exn(arg) => arg.as_ref().is_none_or(|ty| ok(ty, &types)),
            Kind::Str(inner) => is_closed(inner, &types, signature),
        }
    })
}

/// The model: does a structure have everything that a signature asks for? `types` are those of the structures around.
fn matches(spec: &[Item], actual: &[Item], types: &[(String, Ty)]) -> bool {
    let mut own = types.to_vec();
    for item in actual {
        match &item.kind {
            Kind::Type(ty, _) => {
                let ty = ty.resolved(&own).unwrap_or(Ty::Unit);
                own.push((item.name.clone(), ty));
            }
            Kind::Data(_) => own.push((item.name.clone(), Ty::Named(item.name.clone()))),
            _ => {}
        }
    }
    let same = |a: &Ty, b: &Ty| a.resolved(&own).is_some_and(|a| Some(a) == b.resolved(&own));
    let same_arg = |a: &Option<Ty>, b: &Option<Ty>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    };
    spec.iter().all(|wanted| {
        let found = actual.iter().rev().find(|item| item.name == wanted.name);
        match (&wanted.kind, found.map(|item| &item.kind)) {
            (Kind::Val(Ty::Poly), Some(Kind::Val(have))) => *have == Ty::Poly,
            (Kind::Val(want), Some(Kind::Val(Ty::Poly))) => match want.resolved(&own) {
                Some(Ty::Fn(a, b)) => a == b,
                _ => false,
            },
            (Kind::Val(want), Some(Kind::Val(have))) => same(want, have),
            (Kind::Type(want, true), Some(Kind::Type(..))) => same(want, &Ty::Named(wanted.name.clone())),
            (Kind::Type(_, false), Some(Kind::Type(..) | Kind::Data(_))) => true,
            (Kind::Data(want), Some(Kind::Data(have))) => {
                want.len() == have.len() && want.iter().all(|w| have.iter().any(|h| h.0 == w.0 && same_arg(&w.1, &h.1)))
            }
            (Kind::Exn(want), Some(Kind::Exn(have))) => same_arg(want, have),
            (Kind::Str(want), Some(Kind::Str(have))) => matches(want, have, &own),
            _ => false,
        }
    })
}

/// Uses of a structure's values by its signature; `wrong` counts those that do not fit.
fn uses(random: &mut Random, path: &str, spec: &[Item], out: &mut String, wrong: &mut usize) {
    for Item { name, kind } in spec {
        let bad = random.below(6) == 0;
        let _ = match kind {
            Kind::Val(Ty::Fn(..)) if bad => {
                *wrong += 1;
                writeln!(out, "val _ = {path}.{name} 0.5")
            }
            Kind::Val(Ty::Fn(from, _)) if !from.is_named() => writeln!(out, "val _ = {path}.{name} {}", from.value()),
            Kind::Val(Ty::Poly) => writeln!(out, "val _ = {path}.{name} {path}.{name} 3"),
            Kind::Val(ty) if !ty.is_named() && bad => {
                *wrong += 1;
                writeln!(out, "val _ = [{path}.{name}, ({}, 0.5)]", ty.value())
            }
            Kind::Val(_) => writeln!(out, "val _ = [{path}.{name}]"),
            Kind::Type(..) => writeln!(out, "fun f (x : {path}.{name}) = [x]"),
            Kind::Data(cons) => {
                let rule = |con: &(String, Option<Ty>)| {
                    format!("{path}.{} => 1", if con.1.is_some() { format!("{} _", con.0) } else { con.0.clone() })
                };
                let rules: Vec<String> = cons.iter().map(rule).collect();
                writeln!(out, "val _ = fn {}", rules.join(" | "))
            }
            Kind::Exn(_) if bad => {
                *wrong += 1;
                writeln!(out, "val _ = fn () => raise {path}.{name} 0.5")
            }
            Kind::Exn(None) => writeln!(out, "val _ = 1 handle {path}.{name} => 2"),
            Kind::Exn(Some(_)) => writeln!(out, "val _ = 1 handle {path}.{name} _ => 2"),
            Kind::Str(inner) => {
                uses(random, &format!("{path}.{name}"), inner, out, wrong);
                Ok(())
            }
        };
    }
}

#[test]
fn modules() {
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let (count, first) = (setting("MODULES", 3000), setting("SEED", 1));
    let (mut matched, mut good) = (0, 0);
    for seed in first..first + count {
        let random = Random::new(seed);
        let mut gen_ = Gen { random, names: 0 };
        let mut items = gen_.items(2, &[]);
        let mut spec = items.clone();
        for _ in 0..gen_.random.below(3) {
            let side = if gen_.random.below(2) == 0 { &mut items } else { &mut spec };
            gen_.mutate(side);
        }
        let fits = is_closed(&items, &[], false) && is_closed(&spec, &[], true) && matches(&spec, &items, &[]);
        let mut text = format!("signature S = {}\nstructure A = {}\n", signature(&spec), structure(&items));
        let mut wrong = 0;
        let form = gen_.random.below(4);
        match form {
            0 | 1 => {
                let _ = writeln!(text, "structure B {} S = A", if form == 0 { ":" } else { ":>" });
                uses(&mut gen_.random, "B", &spec, &mut text, &mut wrong);
            }
            2 => {
                let mut body = String::new();
                uses(&mut gen_.random, "X", &spec, &mut body, &mut wrong);
                let _ = writeln!(text, "functor F (X : S) = struct\n{body}structure Y = X end structure B = F (A)");
                // Messages about the body are given once: not where the functor's result is used.
                uses(&mut gen_.random, "B.Y", &spec, &mut text, &mut wrong);
            }
            _ => {
                let _ = writeln!(text, "functor F (X : S) : S = struct open X end structure B : S = F (A : S)");
                uses(&mut gen_.random, "B", &spec, &mut text, &mut wrong);
            }
        }
        let shown = text.clone();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut session = common::Session::new();
            let out = session.unit("module", &text);
            let messages = session.render(&out.diagnostics);
            session.unit("next", "val it = 1");
            (leat_base::diagnostic::has_errors(&out.diagnostics), messages)
        }));
        let Ok((refused, messages)) = result else { panic!("seed {seed}: the elaborator panicked on\n{shown}") };
        assert_eq!(refused, !fits || wrong > 0, "seed {seed}: {fits}, {wrong} wrong uses\n{shown}\n{messages}");
        matched += u64::from(fits);
        good += u64::from(!refused);
    }
    assert!(
        matched > count / 5 && good > count / 10,
        "{matched} match, {good} are right of {count}: too few to learn from"
    );
}
