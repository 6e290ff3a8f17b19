//! A value of any closed type -> its description, which SML code prints (`PolyML.makestring`).
//!
//! The primitive `describe` answers a value of a datatype that the library declares. Its constructors, by position:
//!
//! ```text
//! 0 Other of string     no more is known: a function, unit
//! 1 Constant of string  a constructor without argument
//! 2 Tuple    3 Record    4 Con    5 Ref    6 Array    7 Vector     of string * int * (int -> shape)
//! 8 and after: leaves, each of one type, which hold a value of that type as it is
//! ```
//!
//! The string is a constructor's name, or a record's labels with commas between; the number counts the parts, and the
//! function describes one. So nothing is described that nobody looks at, and a value may hold itself.
//!
//! One function for each datatype, as in [`crate::equality`]. Types are closed here: an abstract type is described as
//! what it stands for, and labels are known where a constructor's declaration has them, else a record is a tuple.

use crate::builder::{Builder, Val};
use crate::ir::*;
use leat_abi::prim::Prim;
use leat_base::Symbol;
use rustc_hash::FxHashMap;

/// The describing functions of a program.
#[derive(Default)]
pub(crate) struct Describing {
    /// By the type that is described, and the type of descriptions.
    functions: FxHashMap<(Ty, Ty), Var>,
    /// Asked for, not yet written.
    pending: Vec<(Ty, Ty)>,
}

const OTHER: u32 = 0;
const CONSTANT: u32 = 1;
const TUPLE: u32 = 2;
const RECORD: u32 = 3;
const CON: u32 = 4;
const REF: u32 = 5;
const ARRAY: u32 = 6;
const VECTOR: u32 = 7;
const LEAVES: u32 = 8;

/// What is to be described, part by part.
enum Parts {
    /// Each with its type.
    Known(Vec<(Ty, Val)>),
    /// Elements of an array or a vector.
    Elements { of: Atom, elem: Ty, sub: Prim },
}

impl Describing {
    /// The description of `x`, as the type `shape`.
    pub fn describe(&mut self, b: &mut Builder<'_>, shape: Ty, ty: Ty, x: &Val) -> Atom {
        if let Some(leaf) = leaf(b, shape, ty) {
            return make(b, shape, leaf, x);
        }
        match b.types().get(ty).clone() {
            TyData::Scalar(_) | TyData::Weak(_) => word(b, shape, OTHER, "?"),
            TyData::Arrow(..) => word(b, shape, OTHER, "fn"),
            TyData::Tuple(tys) if tys.is_empty() => word(b, shape, OTHER, "()"),
            TyData::Tuple(tys) => {
                let parts = b.parts(x);
                self.compound(b, shape, TUPLE, "", Parts::Known(tys.into_iter().zip(parts).collect()))
            }
            TyData::Ref(elem) => {
                let cell = b.boxed(x);
                self.compound(b, shape, REF, "", Parts::Elements { of: cell, elem, sub: Prim::RefGet })
            }
            TyData::Array(elem) => {
                let of = b.boxed(x);
                self.compound(b, shape, ARRAY, "", Parts::Elements { of, elem, sub: Prim::ArraySubUnsafe })
            }
            TyData::Vector(elem) => {
                let of = b.boxed(x);
                self.compound(b, shape, VECTOR, "", Parts::Elements { of, elem, sub: Prim::VectorSubUnsafe })
            }
            TyData::Data(_) => {
                let f = Atom::Var(self.function(b, shape, ty));
                let args = vec![b.boxed(x)];
                b.atom(Rhs::App { f, args }, shape)
            }
        }
    }

    fn function(&mut self, b: &mut Builder<'_>, shape: Ty, ty: Ty) -> Var {
        if let Some(&var) = self.functions.get(&(ty, shape)) {
            return var;
        }
        let mut name = String::from("describe.");
        crate::show::show_ty_at(b.types(), ty, 0, &mut name);
        let arrow = b.closing.types.intern(TyData::Arrow(vec![ty], vec![shape]));
        let var = b.fresh(Symbol::intern(&name), arrow);
        self.functions.insert((ty, shape), var);
        self.pending.push((ty, shape));
        var
    }

    fn compound(&mut self, b: &mut Builder<'_>, shape: Ty, kind: u32, text: &str, parts: Parts) -> Atom {
        let count = match &parts {
            Parts::Known(parts) => Atom::Int(parts.len() as i64),
            Parts::Elements { sub: Prim::RefGet, .. } => Atom::Int(1),
            Parts::Elements { of, elem, .. } => {
                let int = b.closing.int;
                b.prim(Prim::ArrayLength, vec![*elem], vec![*of], int)
            }
        };
        compound_by(b, shape, kind, text, count, |b, i| match parts {
            Parts::Known(parts) => self.known(b, shape, i, parts),
            Parts::Elements { of, elem, sub } => {
                let mut args = vec![of];
                if sub != Prim::RefGet {
                    args.push(Atom::Var(i));
                }
                let atom = b.prim(sub, vec![elem], args, elem);
                let val = b.val_of(atom, elem);
                self.describe(b, shape, elem, &val)
            }
        })
    }

    /// Part `i` of those; the last one stands for every other number.
    fn known(&mut self, b: &mut Builder<'_>, shape: Ty, i: Var, mut parts: Vec<(Ty, Val)>) -> Atom {
        let Some((last_ty, last)) = parts.pop() else { return word(b, shape, OTHER, "?") };
        if parts.is_empty() {
            return self.describe(b, shape, last_ty, &last);
        }
        let mut arms = Vec::with_capacity(parts.len());
        for (n, (ty, val)) in parts.iter().enumerate() {
            arms.push((n as i64, Builder::body(b, |b| Some(vec![self.describe(b, shape, *ty, val)]))));
        }
        let default = Builder::body(b, |b| Some(vec![self.describe(b, shape, last_ty, &last)]));
        b.atom(Rhs::Case { scrut: Atom::Var(i), arms: Arms::Int(arms), default: Some(Box::new(default)) }, shape)
    }

    /// Writes the functions that were asked for, and those that they ask for. `made` and `open` as for
    /// [`crate::equality::Equality::write`]: an instance of a datatype without a value has no description, which ends
    /// the chains of datatypes that are not regular.
    pub fn write(&mut self, b: &mut Builder<'_>, made: &[bool], open: bool) -> Vec<Function> {
        b.loc = Loc::default();
        let mentioned = made.len();
        let mut out = Vec::new();
        while let Some((ty, shape)) = self.pending.pop() {
            let x = b.fresh(b.temp, ty);
            let body = Builder::function_body(b, |b| {
                let data = data_of(b.types(), ty);
                let near = (data.0 as usize) < mentioned + crate::equality::MORE_INSTANCES;
                let known = if open { near } else { made.get(data.0 as usize) == Some(&true) };
                Some(vec![if known { self.cons(b, shape, data, x) } else { word(b, shape, OTHER, "...") }])
            });
            out.push(function(self.functions[&(ty, shape)], vec![x], body));
        }
        out
    }

    fn cons(&mut self, b: &mut Builder<'_>, shape: Ty, data: Data, x: Var) -> Atom {
        b.closing.look(data);
        let names: Vec<Symbol> = b.types().datatypes[data.0 as usize].cons.iter().map(|con| con.name).collect();
        if names.is_empty() {
            return word(b, shape, OTHER, "?");
        }
        let mut arms = Vec::with_capacity(names.len());
        for (con, name) in (0..).zip(names) {
            let (xs, arg) = b.con_fields(b.temp, data, con);
            let body = Builder::body(b, |b| {
                let Some(ty) = b.closing.con_arg(data, con) else {
                    return Some(vec![word(b, shape, CONSTANT, name.as_str())]);
                };
                Some(vec![match b.closing.con_labels(data, con) {
                    Some(labels) => self.labelled(b, shape, name, &labels, ty, &arg),
                    None => self.compound(b, shape, CON, name.as_str(), Parts::Known(vec![(ty, arg)])),
                }])
            });
            arms.push((con, xs, body));
        }
        b.atom(Rhs::Case { scrut: Atom::Var(x), arms: Arms::Con(data, arms), default: None }, shape)
    }

    /// A constructor whose argument is a record: its one part is made here, since the type alone does not know the
    /// labels.
    fn labelled(&mut self, b: &mut Builder<'_>, shape: Ty, name: Symbol, labels: &[Symbol], ty: Ty, arg: &Val) -> Atom {
        let texts: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
        // A record of one field is that field.
        let parts = match (b.types().get(ty).clone(), &texts[..]) {
            (TyData::Tuple(tys), [_, _, ..]) => tys.into_iter().zip(b.parts(arg)).collect(),
            _ => vec![(ty, arg.clone())],
        };
        compound_by(b, shape, CON, name.as_str(), Atom::Int(1), |b, _| {
            self.compound(b, shape, RECORD, &texts.join(","), Parts::Known(parts))
        })
    }
}

/// A constructor of `shape` for several parts: the function that describes one is a closure of its own.
fn compound_by<'t>(
    b: &mut Builder<'t>,
    shape: Ty,
    kind: u32,
    text: &str,
    count: Atom,
    describe: impl FnOnce(&mut Builder<'t>, Var) -> Atom,
) -> Atom {
    let int = b.closing.int;
    let arrow = b.closing.types.intern(TyData::Arrow(vec![int], vec![shape]));
    let (part, i) = (b.fresh(Symbol::intern("part"), arrow), b.fresh(Symbol::intern("i"), int));
    let body = Builder::function_body(b, |b| Some(vec![describe(b, i)]));
    b.bind(Bind::Fun(vec![function(part, vec![i], body)]));
    let arg = b.closing.con_arg(data_of(b.types(), shape), kind).expect("a compound shape has an argument");
    let text = Atom::Str(b.string(text.as_bytes()));
    let arg = b.tuple(arg, vec![Val::Atom(text), Val::Atom(count), Val::Atom(Atom::Var(part))]);
    make(b, shape, kind, &arg)
}

fn data_of(types: &Types, ty: Ty) -> Data {
    match types.get(ty) {
        TyData::Data(data) => *data,
        _ => panic!("M2: a description at a type that is no datatype"),
    }
}

/// The constructor of descriptions that holds a value of this type as it is.
fn leaf(b: &mut Builder<'_>, shape: Ty, ty: Ty) -> Option<u32> {
    let data = data_of(b.types(), shape);
    b.closing.look(data);
    let count = b.types().datatypes[data.0 as usize].cons.len() as u32;
    (LEAVES..count).find(|&con| b.closing.con_arg(data, con) == Some(ty))
}

fn make(b: &mut Builder<'_>, shape: Ty, con: u32, arg: &Val) -> Atom {
    let data = data_of(b.types(), shape);
    b.con(data, con, Some(arg), shape)
}

fn word(b: &mut Builder<'_>, shape: Ty, con: u32, text: &str) -> Atom {
    let text = Val::Atom(Atom::Str(b.string(text.as_bytes())));
    make(b, shape, con, &text)
}

fn function(var: Var, params: Vec<Var>, body: Body) -> Function {
    Function { var, params, body, loc: Loc::default(), inline: Inline::Auto, join: false }
}
