//! Core: what a program means after elaboration. Every name is resolved, every expression has its type.
//!
//! Structures, signatures and functors are gone: a structure is a static environment; each value in it has a [`Var`] of
//! its own. A signature ascription that makes a value less polymorphic becomes a `val` declaration; a functor's body is
//! copied with fresh names at each application. Opaque types are new type names whose `def` still says what they are,
//! so that the next stage sees through them.
//!
//! Patterns are still nested; records have labels; polymorphism is explicit (`Exp::Var` has its type arguments, a
//! declaration its type variables). Overloaded operators are resolved to primitives; flexible records are closed.

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::{Span, Symbol};
use serde::{Deserialize, Serialize};

leat_base::entity!(
    /// A variable: unique in the process, Basis included.
    Var, "x";
    /// A type name of the Definition (t).
    TyName, "T";
    /// An interned closed-or-open type; equal types have equal ids.
    Ty, "t";
    /// A bound type variable (explicit or generalised).
    TyVar, "a");

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum TyData {
    Var(TyVar),
    Con(TyName, Vec<Ty>),
    Arrow(Ty, Ty),
    /// By label, in the order of the Definition's labels: numbers first, by value. `(a, b)` has labels 1 and 2; unit
    /// none.
    Record(Vec<(Symbol, Ty)>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VarInfo {
    pub name: Symbol,
    /// Full name for dumps and back-traces: `List.map`.
    pub path: Symbol,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TyVarInfo {
    pub name: Symbol,
    pub equality: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TyNameInfo {
    /// As a message shows it: `int`, `Stack.stack`.
    pub name: Symbol,
    pub arity: u32,
    pub equality: bool,
    pub def: TyNameDef,
    /// Of an `abstype`: its constructors are hidden behind it.
    pub hidden: bool,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TyNameDef {
    Prim(PrimTy),
    Datatype {
        tyvars: Vec<TyVar>,
        cons: Vec<Con>,
    },
    /// Sealed by an opaque ascription, or an abstype: what it stands for.
    Abstract {
        tyvars: Vec<TyVar>,
        ty: Ty,
    },
    /// A functor parameter's type (while its body is checked once); never reaches the next stage.
    Formal,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Con {
    pub name: Symbol,
    pub arg: Option<Ty>,
}

/// Primitive type constructors. `char vector` and `string` are one type: `CharVector.vector = string`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PrimTy {
    Int,
    Int8,
    Int16,
    Int32,
    Word,
    Word8,
    Word16,
    Word32,
    Char,
    Real,
    Real32,
    String,
    Exn,
    Thread,
    Ref,
    Array,
    Vector,
    Weak,
}

/// An expression. Its types are Core's; while its unit is elaborated, they are inference types (`draft.rs`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exp<T = Ty> {
    pub kind: ExpKind<T>,
    pub ty: T,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExpKind<T = Ty> {
    Const(Const),
    /// With the types that its scheme is instantiated at.
    Var(Var, Vec<T>),
    /// Constructor number `con` of a datatype, at its type arguments: a value when nullary, else a function.
    Con(TyName, u32, Vec<T>),
    /// An exception constructor: a packet when it has no argument, else a function.
    ExnCon(ExnRef),
    /// Of the reference type constructor: `ref` as a function.
    RefCon(T),
    /// A primitive as a value of the annotated type.
    Prim(#[serde(with = "prim_number")] Prim, T),
    /// An overloaded operator, by the number of its site, until the unit is finished: then a primitive, or a variable.
    Overloaded(u32),
    /// Evaluated in the order written here.
    Record(Vec<(Symbol, Exp<T>)>),
    /// `#lab` as a function on the record type.
    Selector(Symbol, T),
    Vector(Vec<Exp<T>>),
    List(Vec<Exp<T>>),
    App(Box<Exp<T>>, Box<Exp<T>>),
    Fn(Vec<Rule<T>>),
    Case(Box<Exp<T>>, Vec<Rule<T>>),
    If(Box<Exp<T>>, Box<Exp<T>>, Box<Exp<T>>),
    While(Box<Exp<T>>, Box<Exp<T>>),
    /// All but the last for their effect.
    Seq(Vec<Exp<T>>),
    Let(Vec<Dec<T>>, Box<Exp<T>>),
    Raise(Box<Exp<T>>),
    /// Unmatched packets are raised again.
    Handle(Box<Exp<T>>, Vec<Rule<T>>),
}

/// A special constant; its `Exp` or `Pat` has the type that overloading resolved to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    /// int, word, char and their kin: the 64 bits (sign- or zero-extended), in range.
    Int(i64),
    /// Bits of a real.
    Real(u64),
    String(Box<[u8]>),
}

/// An exception constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ExnRef {
    /// By number: [`leat_abi::exn::Builtin`] `as u8`.
    Builtin(u8),
    /// Bound by a [`DecKind::Exception`].
    Var(Var),
}

impl From<Builtin> for ExnRef {
    fn from(b: Builtin) -> ExnRef {
        ExnRef::Builtin(b as u8)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule<T = Ty> {
    pub pat: Pat<T>,
    pub exp: Exp<T>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pat<T = Ty> {
    pub kind: PatKind<T>,
    pub ty: T,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PatKind<T = Ty> {
    Wild,
    /// Binds monomorphically; in a polymorphic `val` the declaration's type variables abstract it.
    Var(Var),
    Const(Const),
    Con(TyName, u32, Vec<T>, Option<Box<Pat<T>>>),
    Exn(ExnRef, Option<Box<Pat<T>>>),
    Ref(Box<Pat<T>>),
    /// Closed: fields that a `...` leaves out stand as `Wild` or are absent here.
    Record(Vec<(Symbol, Pat<T>)>),
    Vector(Vec<Pat<T>>),
    Layered(Var, Box<Pat<T>>),
}

impl<T> Pat<T> {
    /// Adds the variables that the pattern binds, from left to right.
    pub fn variables(&self, out: &mut Vec<Var>) {
        match &self.kind {
            PatKind::Wild | PatKind::Const(_) => {}
            PatKind::Var(v) => out.push(*v),
            PatKind::Layered(v, p) => {
                out.push(*v);
                p.variables(out);
            }
            PatKind::Con(_, _, _, arg) | PatKind::Exn(_, arg) => arg.iter().for_each(|p| p.variables(out)),
            PatKind::Ref(p) => p.variables(out),
            PatKind::Record(fields) => fields.iter().for_each(|f| f.1.variables(out)),
            PatKind::Vector(ps) => ps.iter().for_each(|p| p.variables(out)),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dec<T = Ty> {
    pub kind: DecKind<T>,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DecKind<T = Ty> {
    /// `val pat = exp`, generalised over `tyvars`: then every variable of the pattern is polymorphic in them (only a
    /// non-expansive `exp` has any). Raises Bind when the pattern does not match.
    Val { tyvars: Vec<TyVar>, pat: Pat<T>, exp: Exp<T> },
    /// Mutually recursive functions, generalised together.
    Fun { tyvars: Vec<TyVar>, funs: Vec<Fun<T>> },
    /// A new exception constructor at each evaluation.
    Exception { var: Var, name: Symbol, arg: Option<T> },
}

/// `fun f p q = e | ...` is curried: as many nested `Fn` as arguments, the matching done by a `Case` over the tuple of
/// arguments when there are several clauses. `val rec f = fn ...` likewise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fun<T = Ty> {
    pub var: Var,
    /// Of kind `Fn`.
    pub exp: Exp<T>,
    pub span: Span,
}

/// A primitive is stored by its number: the image belongs to the build that wrote it.
pub mod prim_number {
    use leat_abi::prim::Prim;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(prim: &Prim, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u16(*prim as u16)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Prim, D::Error> {
        Prim::by_number(u16::deserialize(d)?).ok_or_else(|| D::Error::custom("no such primitive"))
    }
}
