//! Polymorphic equality at closed types: primitives for scalars, one function for each datatype and vector type.
//!
//! Integer-like scalars and enumerations compare as ints, strings as strings, mutable objects by address, tuples part
//! by part, large ones by a function of their own, since a type may have very many parts. Functions are made on demand
//! and stand before everything else in `main`. A comparison of parts does the cheap ones first and the part of the
//! datatype itself last, so that lists are compared by a loop. An instance of a datatype of which the program makes no
//! value has no comparison: that ends the chains of non-regular datatypes.

use crate::builder::{Builder, FALSE, TRUE, Val};
use crate::ir::*;
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::Symbol;
use rustc_hash::FxHashMap;

/// The comparison functions of a program.
#[derive(Default)]
pub(crate) struct Equality {
    functions: FxHashMap<Ty, Var>,
    /// Asked for, not yet written.
    pending: Vec<Ty>,
}

/// Two values to compare, at their type.
type Pair = (Ty, Val, Val);

impl Equality {
    /// `x = y`
    pub fn equal(&mut self, b: &mut Builder<'_>, ty: Ty, x: &Val, y: &Val) -> Atom {
        let bool = b.closing.bool;
        let prim = match b.types().get(ty).clone() {
            TyData::Scalar(Scalar::String) => Prim::StringEq,
            TyData::Scalar(Scalar::Real | Scalar::Real32) => Prim::RealEq,
            TyData::Scalar(Scalar::Exn | Scalar::Thread) => Prim::PtrEq,
            TyData::Scalar(_) => Prim::IntEq,
            TyData::Ref(_) | TyData::Array(_) | TyData::Weak(_) | TyData::Arrow(..) => Prim::PtrEq,
            TyData::Data(data) if self.is_enumeration(b, data) => Prim::IntEq,
            TyData::Tuple(tys) if parts(b.types(), ty, MOST_PARTS) <= MOST_PARTS => return self.tuples(b, tys, x, y),
            TyData::Data(_) | TyData::Vector(_) | TyData::Tuple(_) => {
                let f = Atom::Var(self.function(b, ty));
                let args = vec![b.boxed(x), b.boxed(y)];
                return b.atom(Rhs::App { f, args }, bool);
            }
        };
        let args = vec![b.boxed(x), b.boxed(y)];
        b.prim(prim, Vec::new(), args, bool)
    }

    fn tuples(&mut self, b: &mut Builder<'_>, tys: Vec<Ty>, x: &Val, y: &Val) -> Atom {
        let (xs, ys) = (b.parts(x), b.parts(y));
        let pairs = tys.into_iter().zip(xs).zip(ys).map(|((ty, x), y)| (ty, x, y)).collect();
        self.all(b, pairs, None)
    }

    fn is_enumeration(&self, b: &mut Builder<'_>, data: Data) -> bool {
        b.closing.look(data);
        b.types().datatypes[data.0 as usize].cons.iter().all(|con| con.fields.is_empty())
    }

    /// All pairs are equal; `whole` is the datatype that they are parts of.
    fn all(&mut self, b: &mut Builder<'_>, mut pairs: Vec<Pair>, whole: Option<Ty>) -> Atom {
        pairs.sort_by_key(|pair| if Some(pair.0) == whole { 9 } else { cost(b.types(), pair.0) });
        pairs.reverse();
        self.all_sorted(b, pairs)
    }

    /// The last pair first.
    fn all_sorted(&mut self, b: &mut Builder<'_>, mut pairs: Vec<Pair>) -> Atom {
        let Some((ty, x, y)) = pairs.pop() else { return TRUE };
        let equal = self.equal(b, ty, &x, &y);
        if pairs.is_empty() {
            return equal;
        }
        let bool = b.closing.bool;
        Builder::if_else(b, equal, bool, |b| Some(vec![self.all_sorted(b, pairs)]), |_| Some(vec![FALSE]))
    }

    fn function(&mut self, b: &mut Builder<'_>, ty: Ty) -> Var {
        if let Some(&var) = self.functions.get(&ty) {
            return var;
        }
        let mut name = String::from("=.");
        crate::show::show_ty_at(b.types(), ty, 0, &mut name);
        let bool = b.closing.bool;
        let arrow = b.closing.types.intern(TyData::Arrow(vec![ty, ty], vec![bool]));
        let var = b.fresh(Symbol::intern(&name), arrow);
        self.functions.insert(ty, var);
        self.pending.push(ty);
        var
    }

    /// Writes the functions that were asked for, and those that they ask for. `made`: by datatype, whether the program
    /// makes a value of it. `open`: other units may have made values too, also of datatypes that this one does not
    /// mention.
    pub fn write(&mut self, b: &mut Builder<'_>, made: &[bool], open: bool) -> Vec<Function> {
        b.loc = Loc::default();
        let mentioned = made.len();
        let mut out = Vec::new();
        while let Some(ty) = self.pending.pop() {
            let (x, y) = (b.fresh(b.temp, ty), b.fresh(b.temp, ty));
            let body = Builder::function_body(b, |b| {
                let atom = match b.types().get(ty).clone() {
                    TyData::Vector(elem) => self.vectors(b, elem, x, y),
                    TyData::Tuple(tys) => {
                        // Of parts that are shared each pair would be compared as often as it stands there.
                        let bool = b.closing.bool;
                        let same = b.prim(Prim::PtrEq, Vec::new(), vec![Atom::Var(x), Atom::Var(y)], bool);
                        let (x, y) = (b.val_of(Atom::Var(x), ty), b.val_of(Atom::Var(y), ty));
                        let parts = |b: &mut Builder<'_>| Some(vec![self.tuples(b, tys, &x, &y)]);
                        Builder::if_else(b, same, bool, |_| Some(vec![TRUE]), parts)
                    }
                    TyData::Data(data) if open && data.0 as usize >= mentioned + MORE_INSTANCES => {
                        raise(b, "equality of values of a non-regular datatype is not known so deep");
                        return None;
                    }
                    TyData::Data(data) if open || made.get(data.0 as usize) == Some(&true) => {
                        self.datas(b, ty, data, x, y)
                    }
                    _ => TRUE,
                };
                Some(vec![atom])
            });
            let var = self.functions[&ty];
            out.push(Function {
                var,
                params: vec![x, y],
                body,
                loc: Loc::default(),
                inline: Inline::Auto,
                join: false,
            });
        }
        out
    }

    /// Of a datatype with fields. With several constructors the same object is equal to itself, and then a nullary
    /// constructor is equal to nothing else.
    fn datas(&mut self, b: &mut Builder<'_>, ty: Ty, data: Data, x: Var, y: Var) -> Atom {
        b.closing.look(data);
        let cons = b.types().datatypes[data.0 as usize].cons.len();
        if cons < 2 {
            return self.cons(b, ty, data, x, y);
        }
        let bool = b.closing.bool;
        let same = b.prim(Prim::PtrEq, Vec::new(), vec![Atom::Var(x), Atom::Var(y)], bool);
        Builder::if_else(b, same, bool, |_| Some(vec![TRUE]), |b| Some(vec![self.cons(b, ty, data, x, y)]))
    }

    fn cons(&mut self, b: &mut Builder<'_>, ty: Ty, data: Data, x: Var, y: Var) -> Atom {
        let bool = b.closing.bool;
        let count = b.types().datatypes[data.0 as usize].cons.len();
        let mut arms = Vec::new();
        for con in 0..count as u32 {
            if b.types().datatypes[data.0 as usize].cons[con as usize].fields.is_empty() {
                continue;
            }
            let fields = b.types().datatypes[data.0 as usize].cons[con as usize].fields.clone();
            let (xs, _) = b.con_fields(b.temp, data, con);
            let body = Builder::body(b, |b| {
                let (ys, _) = b.con_fields(b.temp, data, con);
                let inner = Builder::body(b, |b| {
                    let mut pairs = Vec::with_capacity(fields.len());
                    for ((&ty, &x), &y) in fields.iter().zip(&xs).zip(&ys) {
                        pairs.push((ty, b.val_of(Atom::Var(x), ty), b.val_of(Atom::Var(y), ty)));
                    }
                    Some(vec![self.all(b, pairs, Some(ty))])
                });
                let arms = Arms::Con(data, vec![(con, ys, inner)]);
                let default = (count > 1).then(|| Box::new(constant(FALSE)));
                Some(vec![b.atom(Rhs::Case { scrut: Atom::Var(y), arms, default }, bool)])
            });
            arms.push((con, xs, body));
        }
        let default = (arms.len() < count).then(|| Box::new(constant(FALSE)));
        b.atom(Rhs::Case { scrut: Atom::Var(x), arms: Arms::Con(data, arms), default }, bool)
    }

    fn vectors(&mut self, b: &mut Builder<'_>, elem: Ty, x: Var, y: Var) -> Atom {
        let (bool, int) = (b.closing.bool, b.closing.int);
        let length = |b: &mut Builder<'_>, v| b.prim(Prim::ArrayLength, vec![elem], vec![Atom::Var(v)], int);
        let (n, m) = (length(b, x), length(b, y));
        let same_length = b.prim(Prim::IntEq, Vec::new(), vec![n, m], bool);
        Builder::if_else(
            b,
            same_length,
            bool,
            |b| {
                let ty = b.closing.types.intern(TyData::Arrow(vec![int], vec![bool]));
                let looping = b.fresh(Symbol::intern("loop"), ty);
                let i = b.fresh(Symbol::intern("i"), int);
                let body = Builder::function_body(b, |b| {
                    let end = b.prim(Prim::IntEq, Vec::new(), vec![Atom::Var(i), n], bool);
                    let rest = |b: &mut Builder<'_>| {
                        let mut sub = |v| {
                            let atom =
                                b.prim(Prim::VectorSubUnsafe, vec![elem], vec![Atom::Var(v), Atom::Var(i)], elem);
                            b.val_of(atom, elem)
                        };
                        let (a, c) = (sub(x), sub(y));
                        let equal = self.equal(b, elem, &a, &c);
                        let next = |b: &mut Builder<'_>| {
                            let next = b.prim(Prim::IntAdd, Vec::new(), vec![Atom::Var(i), Atom::Int(1)], int);
                            Some(vec![b.atom(Rhs::App { f: Atom::Var(looping), args: vec![next] }, bool)])
                        };
                        Some(vec![Builder::if_else(b, equal, bool, next, |_| Some(vec![FALSE]))])
                    };
                    Some(vec![Builder::if_else(b, end, bool, |_| Some(vec![TRUE]), rest)])
                });
                let function = Function {
                    var: looping,
                    params: vec![i],
                    body,
                    loc: Loc::default(),
                    inline: Inline::Auto,
                    join: false,
                };
                b.bind(Bind::Fun(vec![function]));
                Some(vec![b.atom(Rhs::App { f: Atom::Var(looping), args: vec![Atom::Int(0)] }, bool)])
            },
            |_| Some(vec![FALSE]),
        )
    }
}

/// Instances of non-regular datatypes that values of other units are compared at, beyond those that a unit mentions.
pub(crate) const MORE_INSTANCES: usize = 4;

fn raise(b: &mut Builder<'_>, message: &str) {
    let string = b.closing.types.intern(TyData::Scalar(Scalar::String));
    let desc_ty = b.closing.types.intern(TyData::Ref(b.closing.unit));
    let exn = b.closing.exn;
    let text = Atom::Str(b.string(message.as_bytes()));
    let desc = b.atom(Rhs::BuiltinExn(Builtin::Fail), desc_ty);
    let packet = b.atom(Rhs::Packet { desc, arg: Some((text, string)) }, exn);
    b.leave(Outcome::Raise(packet, b.loc));
}

fn constant(atom: Atom) -> Body {
    Body { binds: Vec::new(), result: Outcome::Values(vec![atom]) }
}

/// A tuple of more parts, and parts of parts, is compared by a function. (Fourteen pairs, each of the one before twice,
/// took two seconds to compile, and each further one twice as long.)
const MOST_PARTS: usize = 64;

/// How many parts a type has, with their parts and itself; not counted beyond `most`.
fn parts(types: &Types, ty: Ty, most: usize) -> usize {
    match types.get(ty) {
        TyData::Tuple(tys) => tys.iter().fold(1, |n, &ty| if n > most { n } else { n + parts(types, ty, most - n) }),
        _ => 1,
    }
}

/// What comes first: scalars, then strings, then what takes a call.
fn cost(types: &Types, ty: Ty) -> u32 {
    match types.get(ty) {
        TyData::Scalar(Scalar::String) => 1,
        TyData::Scalar(_) | TyData::Ref(_) | TyData::Array(_) | TyData::Weak(_) | TyData::Arrow(..) => 0,
        TyData::Tuple(parts) if parts.is_empty() => 0,
        TyData::Tuple(_) => 2,
        TyData::Data(data) if types.datatypes[data.0 as usize].cons.iter().all(|con| con.fields.is_empty()) => 0,
        TyData::Data(_) | TyData::Vector(_) => 3,
    }
}
