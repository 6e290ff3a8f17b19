//! Lambda: a polymorphic typed lambda calculus, strict, left to right. Core without nested patterns and labels.
//!
//! Data types only. Types, type names, type variables and variables are those of [`leat_elab::Tables`]: a stage adds
//! variables there. What the numbers L1.. mean stands in [`crate`]; `verify.rs` checks them.
//!
//! ```text
//! fun ['a] length (l: 'a list): int =
//!   case l of
//!     nil => 0
//!   | :: p =>
//!       let val rest = #1 p
//!       in int_add (length ['a] rest, 1) end
//! ```

use leat_abi::prim::Prim;
use leat_base::{Span, Symbol};
use leat_elab::ir::prim_number;
pub use leat_elab::ir::{Const, ExnRef, Ty, TyName, TyVar, Var};
use serde::{Deserialize, Serialize};

/// A unit of compilation: a program, a library, a line of the REPL.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lambda {
    pub decs: Vec<TopDec>,
}

/// A declaration that can be decoded, kept and dropped by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TopDec {
    pub dec: Dec,
    /// Variables (and exception constructors) of other top-level declarations that it mentions; each once.
    pub uses: Vec<Var>,
    /// Its evaluation does something besides binding: it stays even if nobody uses what it binds.
    pub effect: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dec {
    pub kind: DecKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DecKind {
    /// `val ['a] x = exp`. With type variables, `exp` is a value that is evaluated at each instance; `keep`: it may raise
    /// Bind, so one instance is evaluated even if nobody asks for any.
    Val { tyvars: Vec<TyVar>, var: Var, exp: Exp, keep: bool },
    /// `fun ['a] f x = .. and g y = ..`; inside the group a function's type arguments are the type variables themselves,
    /// or are left out.
    Fun { tyvars: Vec<TyVar>, funs: Vec<Fun> },
    /// `exception E of t`: a new descriptor at each evaluation.
    Exception { var: Var, name: Symbol, arg: Option<Ty> },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fun {
    pub var: Var,
    pub param: Var,
    pub body: Exp,
    pub span: Span,
    /// A part of the function around it that several rules of a match share; the program knows nothing of it.
    pub join: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exp {
    pub kind: ExpKind,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExpKind {
    /// `3`, `"abc"`
    Const(Const),
    /// `x`, `map [int, string]`
    Var(Var, Vec<Ty>),
    /// `SOME [int]`: a value when nullary, else a function.
    Con(TyName, u32, Vec<Ty>),
    /// `Fail`: a packet when it has no argument, else a function.
    ExnCon(ExnRef),
    /// `int_add : int * int -> int`
    Prim(#[serde(with = "prim_number")] Prim, Ty),
    /// `(a, b)`: by position of the type's labels; unit has none, a record with one label has one.
    Tuple(Vec<Exp>),
    /// `#0 e`
    Select(u32, Box<Exp>),
    /// `#[a, b]`
    Vector(Vec<Exp>),
    /// `[a, b]`
    List(Vec<Exp>),
    /// `f x`
    App(Box<Exp>, Box<Exp>),
    /// `fn x => e`
    Fn(Var, Box<Exp>),
    /// One test; exhaustive: a default, or all constructors.
    Case { scrut: Box<Exp>, arms: Arms, default: Option<Box<Exp>> },
    /// `if a then b else c`
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `while a do b`
    While(Box<Exp>, Box<Exp>),
    /// `(a; b; c)`: at least one.
    Seq(Vec<Exp>),
    /// `let decs in e end`
    Let(Vec<Dec>, Box<Exp>),
    /// `raise e`
    Raise(Box<Exp>),
    /// `e handle x => h`: every packet.
    Handle(Box<Exp>, Var, Box<Exp>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Arms {
    /// Of a datatype: constructor number, variable for its argument (absent: nullary, or nobody looks), body.
    Con(TyName, Vec<(u32, Option<Var>, Exp)>),
    /// Of an integer-like type.
    Int(Vec<(i64, Exp)>),
    Str(Vec<(Box<[u8]>, Exp)>),
    /// Of packets; tried in order, but no two can match.
    Exn(Vec<(ExnRef, Option<Var>, Exp)>),
}

impl Dec {
    /// The variables that it binds.
    pub fn binds(&self) -> Vec<Var> {
        match &self.kind {
            DecKind::Val { var, .. } | DecKind::Exception { var, .. } => vec![*var],
            DecKind::Fun { funs, .. } => funs.iter().map(|fun| fun.var).collect(),
        }
    }
}

impl Arms {
    /// The bodies in order.
    pub fn bodies(&self) -> Vec<&Exp> {
        match self {
            Arms::Con(_, arms) => arms.iter().map(|arm| &arm.2).collect(),
            Arms::Int(arms) => arms.iter().map(|arm| &arm.1).collect(),
            Arms::Str(arms) => arms.iter().map(|arm| &arm.1).collect(),
            Arms::Exn(arms) => arms.iter().map(|arm| &arm.2).collect(),
        }
    }
}
