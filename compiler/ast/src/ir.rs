//! The Ast: the whole syntax of the Definition of Standard ML (Revised), core and modules.
//!
//! Nodes live in arenas of one [`Ast`] and name their children by id, so a tree of any depth is
//! dropped and walked without recursion, and a later stage can keep side tables by id:
//! `ast[e].kind`, `ast[e].span` for an [`ExpId`] and likewise for the other ids.
//!
//! What the parser has done already:
//! - infix operators are resolved (`Infix` nodes; `op` is a flag on identifiers);
//! - parentheses are gone; `(e)` is `e`;
//! - punned record patterns `{x : t as p}` are written out as a label and a pattern;
//! - top-level `e;` is `DecKind::Exp` (it means `val it = e`);
//! - `fun` clauses with infix heads have their operands as one tuple pattern.
//!
//! Derived forms that elaboration treats itself: `Tuple`, `List`, `Vector`, `If`, `AndAlso`,
//! `OrElse`, `While`, `Seq`, `Case`, `Selector`, `Infix`, `Fun` clauses, `withtype`,
//! `FunctorParam::Specs`, `FunctorArg::Decs`, `type t = ty` in signatures.
//!
//! What the parser has checked (a diagnostic was given; the node may still be there):
//! - A1: labels of a record expression, pattern or type are distinct;
//! - A2: the clauses of a `fun` binding name one function and have equally many arguments;
//! - A3: the right sides under `val rec` are `fn` expressions;
//! - A4: type variables of a sequence are distinct; no real constant is matched;
//! - A5: `structure`, `signature` and `functor` stand only where the Definition has them (the two
//!   latter also in a `local` at top level).
//!
//! Left to elaboration because they need the environment or are semantic: variables bound twice
//! in a pattern, names bound twice by one `and` group, rebinding of `true`, `nil`, `it`, `ref`,
//! type variables of a datatype's right side that are unbound, whether an `Id` pattern is a
//! constructor, ranges of constants.
//!
//! An `Error` node stands where text could not be understood; a diagnostic was given, so that
//! elaboration can give it any type and be silent.

use leat_base::symbol::sym;
use leat_base::{Arena, FileId, Span, Symbol, entity};
use serde::{Deserialize, Serialize};

entity! {
    /// An expression.
    ExpId, "e";
    /// A pattern.
    PatId, "p";
    /// A type.
    TyId, "t";
    /// A declaration of the core or the modules language.
    DecId, "d";
    /// A structure expression.
    StrExpId, "str";
    /// A signature expression.
    SigExpId, "sig";
    /// A specification.
    SpecId, "spec";
}

/// All nodes of one source text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ast {
    pub exps: Arena<ExpId, Exp>,
    pub pats: Arena<PatId, Pat>,
    pub tys: Arena<TyId, Ty>,
    pub decs: Arena<DecId, Dec>,
    pub strexps: Arena<StrExpId, StrExp>,
    pub sigexps: Arena<SigExpId, SigExp>,
    pub specs: Arena<SpecId, Spec>,
    /// Declarations with a closing bracket that closes nothing: what they say is not what was meant.
    pub cut: Vec<Span>,
    /// `struct`s without their `end`.
    pub unclosed: Vec<StrExpId>,
}

/// One source text: a file, or a line of the REPL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    pub file: FileId,
    pub ast: Ast,
    /// The top-level declarations in order; separating semicolons are not among them.
    pub decs: Vec<DecId>,
    /// Where a semicolon ends a top-level declaration: how many of `decs` stand before it.
    pub ends: Vec<u32>,
}

/// A name with its place: a variable, constructor, label, type name, structure, ...
/// A type variable keeps its primes: `'a`, `''a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// `x`, `A.B.x`. A long identifier has no blanks inside, so the places of its parts follow from
/// `span` and the lengths of the texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct LongId {
    /// `A`, `B` of `A.B.x`.
    pub qualifiers: Box<[Symbol]>,
    /// `x` of `A.B.x`.
    pub symbol: Symbol,
    pub span: Span,
}

// ---------------------------------------------------------------- constants

/// A special constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    /// `3`, `~3`, `0x1F`
    Int(IntLit),
    /// `0w3`, `0wx1F` (never negative)
    Word(IntLit),
    /// `1.5`, `~1.5e~3`: its text as written. See [`real_value`].
    Real(Box<str>),
    /// `#"c"`
    Char(u8),
    /// `"text"`: its bytes; source text outside ASCII is there as UTF-8.
    String(Box<[u8]>),
}

/// An integer or word constant of any size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct IntLit {
    pub negative: bool,
    /// Written in hexadecimal?
    pub hex: bool,
    pub magnitude: Magnitude,
}

/// The size of an integer constant without its sign.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Magnitude {
    Small(u64),
    /// More than 64 bits: the digits as written, without prefix, in the radix that `hex` says.
    Big(Box<str>),
}

impl IntLit {
    /// The value as a 64-bit signed integer, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match (&self.magnitude, self.negative) {
            (Magnitude::Small(m), false) => i64::try_from(*m).ok(),
            (Magnitude::Small(m), true) => 0i64.checked_sub_unsigned(*m),
            (Magnitude::Big(_), _) => None,
        }
    }

    /// The magnitude in words, least first, without leading zeros.
    pub fn words(&self) -> Vec<u64> {
        match &self.magnitude {
            Magnitude::Small(0) => vec![],
            Magnitude::Small(m) => vec![*m],
            Magnitude::Big(digits) => crate::digits::words(digits, if self.hex { 16 } else { 10 }),
        }
    }

    /// The value as a 64-bit word, if it is not negative and fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.magnitude {
            Magnitude::Small(m) if !self.negative || m == 0 => Some(m),
            _ => None,
        }
    }
}

/// The value of a real constant's text, correctly rounded (infinite if it is too large).
pub fn real_value(text: &str) -> f64 {
    text.replace('~', "-").parse().unwrap_or(f64::NAN)
}

/// The same of a constant of type `Real32.real`.
pub fn single_value(text: &str) -> f32 {
    text.replace('~', "-").parse().unwrap_or(f32::NAN)
}

// -------------------------------------------------------------- expressions

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exp {
    pub kind: ExpKind,
    pub span: Span,
}

/// MLton's expressions for what is in C.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Foreign {
    pub word: ForeignWord,
    /// `"f"`; none is `*`.
    pub name: Option<Symbol>,
    /// `public`, `reentrant`
    pub attributes: Vec<Name>,
    pub ty: TyId,
    /// A semicolon ends it.
    pub ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ForeignWord {
    Import,
    Export,
    Address,
    Symbol,
}

impl ForeignWord {
    /// The word, without the underscore.
    pub fn text(self) -> &'static str {
        match self {
            ForeignWord::Import => "import",
            ForeignWord::Export => "export",
            ForeignWord::Address => "address",
            ForeignWord::Symbol => "symbol",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExpKind {
    /// `3`
    Const(Const),
    /// `x`, `A.x`, `op +`, `SOME`: a variable, constructor or exception.
    Id { id: LongId, op: bool },
    /// `{a = e, b = e}`; `{}` has no fields.
    Record(Vec<(Name, ExpId)>),
    /// `()`, `(e, e)`: no or at least two components.
    Tuple(Vec<ExpId>),
    /// `#lab`
    Selector(Name),
    /// `[e, e]`
    List(Vec<ExpId>),
    /// `#[e, e]`
    Vector(Vec<ExpId>),
    /// `(e; e)`, and `e; e` in a `let` body: at least two.
    Seq(Vec<ExpId>),
    /// `let dec in e end`
    Let { decs: Vec<DecId>, body: ExpId },
    /// `e e`
    App { fun: ExpId, arg: ExpId },
    /// `e + e`: means `(op +) (e, e)`.
    Infix { op: Name, lhs: ExpId, rhs: ExpId },
    /// `e : ty`
    Typed { exp: ExpId, ty: TyId },
    /// `e andalso e`
    AndAlso(ExpId, ExpId),
    /// `e orelse e`
    OrElse(ExpId, ExpId),
    /// `e handle match`
    Handle { exp: ExpId, rules: Vec<Rule> },
    /// `raise e`
    Raise(ExpId),
    /// `if e then e else e`
    If { cond: ExpId, then: ExpId, els: ExpId },
    /// `while e do e`
    While { cond: ExpId, body: ExpId },
    /// `case e of match`
    Case { exp: ExpId, rules: Vec<Rule> },
    /// `fn match`
    Fn(Vec<Rule>),
    /// `_prim "name" : ty` (library sources only)
    Prim { name: Symbol, ty: TyId },
    /// `_import "f" public : int -> real;`
    Foreign(Foreign),
    /// Text that could not be understood.
    Error,
}

/// `pat => exp`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    pub pat: PatId,
    pub exp: ExpId,
    pub span: Span,
}

// ----------------------------------------------------------------- patterns

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PatKind {
    /// `_`
    Wild,
    /// `3`, `"s"`; never a real.
    Const(Const),
    /// `x`, `NONE`, `A.C`, `op x`: a variable or a constructor, as the environment says.
    Id { id: LongId, op: bool },
    /// `{a = p, b = p, ...}`; `{}` has no fields. `flexible` is the place of the `...`.
    Record { fields: Vec<(Name, PatId)>, flexible: Option<Span> },
    /// `()`, `(p, p)`: no or at least two components.
    Tuple(Vec<PatId>),
    /// `[p, p]`
    List(Vec<PatId>),
    /// `#[p, p]`
    Vector(Vec<PatId>),
    /// `C p`, `op C p`
    App { con: LongId, op: bool, arg: PatId },
    /// `p :: p`: means `(op ::) (p, p)`.
    Infix { con: Name, lhs: PatId, rhs: PatId },
    /// `p : ty`
    Typed { pat: PatId, ty: TyId },
    /// `x as p`, `x : ty as p`
    Layered { name: Name, op: bool, ty: Option<TyId>, pat: PatId },
    /// Text that could not be understood.
    Error,
}

// -------------------------------------------------------------------- types

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ty {
    pub kind: TyKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TyKind {
    /// `'a`, `''a` (with its primes)
    Var(Symbol),
    /// `{a : ty, b : ty}`; `{}` has no fields.
    Record(Vec<(Name, TyId)>),
    /// `int`, `'a list`, `(ty, ty) A.t`
    Con { args: Vec<TyId>, con: LongId },
    /// `ty * ty`: at least two components.
    Tuple(Vec<TyId>),
    /// `ty -> ty`
    Arrow(TyId, TyId),
    /// Text that could not be understood.
    Error,
}

/// Is the type variable an equality type variable (`''a`)?
pub fn is_equality_tyvar(tyvar: Symbol) -> bool {
    tyvar.as_str().starts_with("''")
}

// ------------------------------------------------------------- declarations

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dec {
    pub kind: DecKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DecKind {
    /// `val 'a x = e and rec f = fn ...`
    Val { tyvars: Vec<Name>, binds: Vec<ValBind> },
    /// `fun 'a f p p = e | f p p = e and g ...`
    Fun { tyvars: Vec<Name>, binds: Vec<FunBind> },
    /// `type 'a t = ty and ...`
    Type(Vec<TypBind>),
    /// `datatype 'a t = A | B of ty and ... withtype ...`
    Datatype { datbinds: Vec<DatBind>, withtype: Vec<TypBind> },
    /// `datatype t = datatype A.u`
    Replication { name: Name, target: LongId },
    /// `abstype t = A withtype ... with dec end`
    Abstype { datbinds: Vec<DatBind>, withtype: Vec<TypBind>, decs: Vec<DecId> },
    /// `exception E of ty and F = A.G`
    Exception(Vec<ExBind>),
    /// `local dec in dec end`
    Local { decs: Vec<DecId>, body: Vec<DecId> },
    /// `open A B.C`
    Open(Vec<LongId>),
    /// `infix 4 < >`: already in force in the parser; kept for printing.
    Fixity { fixity: Fixity, names: Vec<Name> },
    /// `structure A : S = strexp and ...`
    Structure(Vec<StrBind>),
    /// `signature S = sigexp and ...`
    Signature(Vec<SigBind>),
    /// `functor F (X : S) : T = strexp and ...`
    Functor(Vec<FunctorBind>),
    /// `e;` at top level: means `val it = e`.
    Exp(ExpId),
    /// Text that could not be understood.
    Error,
}

/// `pat = exp`. `rec` holds for the binding after the keyword and all later ones of the group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ValBind {
    pub rec: bool,
    pub pat: PatId,
    pub exp: ExpId,
    pub span: Span,
}

/// One function with all its clauses (at least one).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunBind {
    pub name: Name,
    pub clauses: Vec<Clause>,
    pub span: Span,
}

/// `f p p : ty = e`; for `p ++ p = e` and `(p ++ p) p = e` the first argument is the tuple of
/// the operands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clause {
    /// At least one.
    pub args: Vec<PatId>,
    pub result: Option<TyId>,
    pub body: ExpId,
    /// Written with an infix head?
    pub infix: bool,
    pub span: Span,
}

/// `('a, 'b) t = ty`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypBind {
    pub tyvars: Vec<Name>,
    pub name: Name,
    pub ty: TyId,
    pub span: Span,
}

/// `'a t = A | B of ty`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DatBind {
    pub tyvars: Vec<Name>,
    pub name: Name,
    pub cons: Vec<ConBind>,
    pub span: Span,
}

/// `B of ty`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConBind {
    pub name: Name,
    pub arg: Option<TyId>,
}

/// `E`, `E of ty`, `E = A.F`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExBind {
    pub name: Name,
    pub kind: ExBindKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExBindKind {
    /// `E`, `E of ty`: a new exception.
    New(Option<TyId>),
    /// `E = A.F`: another name for one.
    Alias(LongId),
}

/// What an `infix`, `infixr` or `nonfix` declaration says. Precedences are 0 to 9.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Fixity {
    Infix(u8),
    Infixr(u8),
    Nonfix,
}

// ------------------------------------------------------------------ modules

/// `: sigexp` or `:> sigexp`
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ascription {
    pub opaque: bool,
    pub sig: SigExpId,
}

/// `A : S = strexp`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StrBind {
    pub name: Name,
    pub ascription: Option<Ascription>,
    pub body: StrExpId,
    pub span: Span,
}

/// `S = sigexp`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SigBind {
    pub name: Name,
    pub sig: SigExpId,
    pub span: Span,
}

/// `F (X : S) :> T = strexp`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctorBind {
    pub name: Name,
    pub param: FunctorParam,
    pub ascription: Option<Ascription>,
    pub body: StrExpId,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FunctorParam {
    /// `(X : S)`
    Named(Name, SigExpId),
    /// `(val x : int type t)`: the body sees the names opened.
    Specs(Vec<SpecId>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FunctorArg {
    /// `F (strexp)`
    Str(StrExpId),
    /// `F (val x = 1)`: means `F (struct val x = 1 end)`.
    Decs(Vec<DecId>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StrExp {
    pub kind: StrExpKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum StrExpKind {
    /// `struct dec end`
    Struct(Vec<DecId>),
    /// `A.B`
    Id(LongId),
    /// `strexp : S`, `strexp :> S`
    Ascribe { body: StrExpId, ascription: Ascription },
    /// `F (strexp)`
    App { functor: Name, arg: FunctorArg },
    /// `let dec in strexp end`
    Let { decs: Vec<DecId>, body: StrExpId },
    /// Text that could not be understood.
    Error,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SigExp {
    pub kind: SigExpKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SigExpKind {
    /// `sig spec end`
    Sig(Vec<SpecId>),
    /// `S`
    Id(Name),
    /// `sigexp where type 'a A.t = ty and type ...`
    Where { sig: SigExpId, wheres: Vec<WhereType> },
    /// Text that could not be understood.
    Error,
}

/// `type ('a, 'b) A.t = ty`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WhereType {
    pub tyvars: Vec<Name>,
    pub con: LongId,
    pub ty: TyId,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub kind: SpecKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SpecKind {
    /// `val x : ty and y : ty`
    Val(Vec<(Name, TyId)>),
    /// `type 'a t and u`, `eqtype t`, `type t = ty`
    Type { equality: bool, descs: Vec<TypDesc> },
    /// `datatype 'a t = A | B of ty and ...`
    Datatype { datbinds: Vec<DatBind>, withtype: Vec<TypBind> },
    /// `datatype t = datatype A.u`
    Replication { name: Name, target: LongId },
    /// `exception E of ty and F`
    Exception(Vec<ConBind>),
    /// `structure A : S and B : T`
    Structure(Vec<(Name, SigExpId)>),
    /// `include S`, `include S T`
    Include(Vec<SigExpId>),
    /// `sharing type A.t = B.u = v`: about all specifications before it in its list.
    SharingType(Vec<LongId>),
    /// `sharing A = B.C`: about all specifications before it in its list.
    SharingStructure(Vec<LongId>),
    /// `infix 4 <`: not in the Definition, but SML/NJ has it; ignored by elaboration.
    Fixity { fixity: Fixity, names: Vec<Name> },
    /// Text that could not be understood.
    Error,
}

/// `'a t`, `'a t = ty`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypDesc {
    pub tyvars: Vec<Name>,
    pub name: Name,
    pub ty: Option<TyId>,
    pub span: Span,
}

// ------------------------------------------------------------------ helpers

macro_rules! ast_index {
    ($($id:ident $node:ident $kind:ident $arena:ident $add:ident),*) => {
        impl Ast {$(
            /// Adds a node.
            pub fn $add(&mut self, kind: $kind, span: Span) -> $id {
                self.$arena.push($node { kind, span })
            }
        )*}
        $(impl std::ops::Index<$id> for Ast {
            type Output = $node;
            #[inline]
            fn index(&self, id: $id) -> &$node {
                &self.$arena[id]
            }
        })*
    };
}

ast_index! {
    ExpId Exp ExpKind exps exp, PatId Pat PatKind pats pat, TyId Ty TyKind tys ty,
    DecId Dec DecKind decs dec, StrExpId StrExp StrExpKind strexps strexp,
    SigExpId SigExp SigExpKind sigexps sigexp, SpecId Spec SpecKind specs spec
}

impl LongId {
    /// An identifier without qualifiers.
    pub fn short(name: Name) -> LongId {
        LongId { qualifiers: Box::new([]), symbol: name.symbol, span: name.span }
    }

    /// The last part with its own place.
    pub fn last(&self) -> Name {
        let lo = self.span.hi.saturating_sub(length(self.symbol)).max(self.span.lo);
        Name { symbol: self.symbol, span: Span { lo, ..self.span } }
    }

    /// The identifier, if it has no qualifiers.
    pub fn as_short(&self) -> Option<Name> {
        if self.qualifiers.is_empty() { Some(Name { symbol: self.symbol, span: self.span }) } else { None }
    }

    /// Every part with its own place, in order: `A`, `B`, `x`.
    pub fn parts(&self) -> impl Iterator<Item = Name> + '_ {
        let mut lo = self.span.lo;
        self.qualifiers.iter().copied().chain([self.symbol]).map(move |symbol| {
            let hi = lo + length(symbol);
            let span = Span { lo, hi, ..self.span };
            lo = hi + 1;
            Name { symbol, span }
        })
    }
}

/// Of a part of a long identifier in the text. What stands for a missing one has no length.
fn length(symbol: Symbol) -> u32 {
    if symbol == sym::ERROR { 0 } else { symbol.as_str().len() as u32 }
}

impl std::fmt::Display for LongId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for q in &self.qualifiers {
            write!(f, "{q}.")?;
        }
        write!(f, "{}", self.symbol)
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.symbol.as_str())
    }
}
