//! Applications of primitives: how many arguments a primitive takes, which of its types matter, what it gives.

use crate::builder::{Builder, Val};
use crate::ir::*;
use leat_abi::prim::{Effect, Prim};
use leat_abi::signature::Element;
use leat_base::Symbol;
use leat_lambda::tables as elab;

/// A primitive at closed types.
#[derive(Clone, Copy)]
pub(crate) struct PrimUse {
    pub prim: Prim,
    /// Closed types of argument and result.
    pub from: Ty,
    pub to: Ty,
    /// Its argument is one value, whatever the type variables stand for; else a tuple gives one for each part.
    single: bool,
}

/// A primitive of type `ty` (not closed: there a type variable is one value).
pub(crate) fn prim_use(b: &mut Builder<'_>, prim: Prim, ty: elab::Ty, env: &mut crate::closing::TyEnv) -> PrimUse {
    let tables = b.closing.tables;
    match &tables.types[ty] {
        elab::TyData::Arrow(from, to) => {
            let single = prim.signature().takes_one();
            PrimUse { prim, from: b.closing.close(*from, env), to: b.closing.close(*to, env), single }
        }
        _ => PrimUse { prim, from: b.closing.unit, to: b.closing.close(ty, env), single: false },
    }
}

/// How many values a primitive with this result type gives: none for unit, unless it is an element.
pub(crate) fn result_count(types: &Types, prim: Prim, to: Ty) -> usize {
    match types.get(to) {
        TyData::Tuple(parts) if parts.is_empty() && !prim.signature().gives_element() => 0,
        _ => 1,
    }
}

/// The type of an element of a ref, array, vector, string or weak pointer.
pub(crate) fn element(types: &mut Types, ty: Ty) -> Option<Ty> {
    match *types.get(ty) {
        TyData::Ref(elem) | TyData::Array(elem) | TyData::Vector(elem) | TyData::Weak(elem) => Some(elem),
        TyData::Scalar(Scalar::String) => Some(types.intern(TyData::Scalar(Scalar::Char))),
        _ => None,
    }
}

impl Builder<'_> {
    /// Types of the arguments as values.
    fn prim_arg_types(&self, prim: &PrimUse) -> Vec<Ty> {
        match self.types().get(prim.from) {
            TyData::Tuple(parts) if !prim.single => parts.clone(),
            _ => vec![prim.from],
        }
    }

    /// The primitive applied to its argument; nothing when it never returns.
    pub fn prim_app(&mut self, prim: &PrimUse, arg: &Val) -> Option<Val> {
        if matches!(prim.prim, Prim::PolyEq | Prim::Describe) {
            panic!("M5: {} is lowered before", prim.prim.name());
        }
        let args: Vec<Atom> = if prim.single || matches!(arg, Val::Atom(_)) {
            vec![self.boxed(arg)]
        } else {
            let parts = self.parts(arg);
            parts.iter().map(|part| self.boxed(part)).collect()
        };
        let arg_types = self.prim_arg_types(prim);
        let first = arg_types.first().copied().unwrap_or(prim.from);
        let types = &mut self.closing.types;
        let mut op = prim.prim;
        // A char vector is a string, whatever the library's polymorphic code calls it.
        if *types.get(first) == TyData::Scalar(Scalar::String) {
            op = match op {
                Prim::ArrayLength => Prim::StringSize,
                Prim::VectorSub | Prim::ArraySub => Prim::StringSub,
                Prim::VectorSubUnsafe | Prim::ArraySubUnsafe => Prim::StringSubUnsafe,
                op => op,
            };
        }
        let tys = match op.signature().element() {
            Some(Element::OfResult) => element(types, prim.to).into_iter().collect(),
            Some(Element::OfFirst) => element(types, first).into_iter().collect(),
            None if op == Prim::Cast => vec![first, prim.to],
            None => Vec::new(),
        };
        if op.effect() == Effect::Outside {
            self.settle();
        }
        let rhs = Rhs::Prim { prim: op, tys, args };
        if op.signature().is_final() {
            self.val(Vec::new(), rhs);
            self.leave(Outcome::Unreachable);
            return None;
        }
        if result_count(self.types(), prim.prim, prim.to) == 0 {
            self.val(Vec::new(), rhs);
            return Some(Val::Unit);
        }
        let atom = self.atom(rhs, prim.to);
        Some(self.val_of(atom, prim.to))
    }

    /// What was printed is out from here on. A wait that was begun is waited for to its end (2), even if there is
    /// nothing to wait for any more: else the thread would be woken in another wait.
    ///
    /// ```text
    /// fun settle again = case out_settle again of 0 => settle 2 | 1 => settle 0 | _ => ()
    /// case out_due () of 0 => () | _ => settle 0
    /// ```
    pub fn settle(&mut self) {
        let int = self.closing.int;
        let arrow = self.closing.types.intern(TyData::Arrow(vec![int], Vec::new()));
        let settle = self.fresh(Symbol::intern("settle"), arrow);
        let again = self.fresh(Symbol::intern("again"), int);
        let call = |again: i64| {
            move |b: &mut Self| {
                b.val(Vec::new(), Rhs::App { f: Atom::Var(settle), args: vec![Atom::Int(again)] });
                Some(Vec::new())
            }
        };
        let nothing = || Body { binds: Vec::new(), result: Outcome::Values(Vec::new()) };
        let body = Builder::function_body(self, |b: &mut Self| {
            let args = vec![Atom::Var(again)];
            let result = b.atom(Rhs::Prim { prim: Prim::OutSettle, tys: Vec::new(), args }, int);
            let arms = Arms::Int(vec![(0, Builder::body(b, call(2))), (1, Builder::body(b, call(0)))]);
            b.val(Vec::new(), Rhs::Case { scrut: result, arms, default: Some(Box::new(nothing())) });
            Some(Vec::new())
        });
        let (loc, inline) = (self.loc, Inline::Auto);
        self.bind(Bind::Fun(vec![Function { var: settle, params: vec![again], body, loc, inline, join: true }]));
        let due = self.atom(Rhs::Prim { prim: Prim::OutDue, tys: Vec::new(), args: Vec::new() }, int);
        let write = Builder::body(self, call(0));
        let arms = Arms::Int(vec![(0, nothing())]);
        self.val(Vec::new(), Rhs::Case { scrut: due, arms, default: Some(Box::new(write)) });
    }
}
