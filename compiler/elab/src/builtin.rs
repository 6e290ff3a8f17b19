//! The initial basis: type names, constructors, exceptions and overloaded operators that every program starts with.
//!
//! After the Definition, appendix C. The Basis Library is elaborated on it. Type names and types that the compiler
//! itself mentions have fixed ids, because they are made first.

use crate::basis::{Basis, ConList, ConListId, Env, Layer, Op, SortedMap, TyStr, TypeFcn, ValEntry, Width};
use crate::ir::{Con, PrimTy, Ty, TyData, TyName, TyNameDef, TyNameInfo, TyVar, TyVarInfo};
use crate::tables::Tables;
use leat_abi::exn::{Argument, BUILTINS};
use leat_base::symbol::sym;
use leat_base::{Span, Symbol};

/// Type names with fixed ids.
pub mod tyname {
    use super::TyName;
    pub const INT: TyName = TyName(0);
    pub const INT8: TyName = TyName(1);
    pub const INT16: TyName = TyName(2);
    pub const INT32: TyName = TyName(3);
    pub const WORD: TyName = TyName(4);
    pub const WORD8: TyName = TyName(5);
    pub const WORD16: TyName = TyName(6);
    pub const WORD32: TyName = TyName(7);
    pub const CHAR: TyName = TyName(8);
    pub const REAL: TyName = TyName(9);
    pub const REAL32: TyName = TyName(10);
    pub const STRING: TyName = TyName(11);
    pub const EXN: TyName = TyName(12);
    pub const THREAD: TyName = TyName(13);
    pub const REF: TyName = TyName(14);
    pub const ARRAY: TyName = TyName(15);
    pub const VECTOR: TyName = TyName(16);
    pub const WEAK: TyName = TyName(17);
    /// Constructor 0 is `false`, 1 is `true`.
    pub const BOOL: TyName = TyName(18);
    /// Constructor 0 is `nil`, 1 is `::` with an argument `{1, 2}`.
    pub const LIST: TyName = TyName(19);
    /// Stands where an error was reported; any type.
    pub const ERROR: TyName = TyName(20);
    /// Integers of any size: constructor 0 is of an `int`, 1 of the words of a larger magnitude, least first, 2 of
    /// those of a negative number's. Whatever fits into an `int` is one. The library's IntInf has the operations.
    pub const INTINF: TyName = TyName(21);
    /// An address of C's memory, `MLton.Pointer.t`: inside it is a word, but no foreign type confuses the two.
    pub const POINTER: TyName = TyName(22);
}

/// Types with fixed ids.
pub mod ty {
    use super::Ty;
    pub const UNIT: Ty = Ty(0);
    pub const INT: Ty = Ty(1);
    pub const WORD: Ty = Ty(2);
    pub const CHAR: Ty = Ty(3);
    pub const REAL: Ty = Ty(4);
    pub const STRING: Ty = Ty(5);
    pub const EXN: Ty = Ty(6);
    pub const BOOL: Ty = Ty(7);
    pub const ERROR: Ty = Ty(8);
}

/// The constructors of bool.
pub const BOOL_CONS: ConListId = ConListId(0);
/// The constructors of list.
pub const LIST_CONS: ConListId = ConListId(1);
/// The constructors of intinf, which only the library sees.
pub const INTINF_CONS: ConListId = ConListId(2);

/// Structures of the library whose values are the overloaded operators of types that have no primitives for them.
pub(crate) const OVERLOAD_STRUCTURES: &[(&str, TyName)] = &[
    ("Int8", tyname::INT8),
    ("Int16", tyname::INT16),
    ("Int32", tyname::INT32),
    ("IntInf", tyname::INTINF),
    ("Word16", tyname::WORD16),
    ("Word32", tyname::WORD32),
    ("Real32", tyname::REAL32),
];

/// `Int` and `Word` with a number of bits up to this one: the library has them all, those that are not in the table above
/// as abstract types.
pub(crate) const MOST_BITS: u32 = 31;

/// The name under which library sources see [`tyname::INTINF`].
const INTINF_NAME: &str = "intinf";

/// The names under which library sources see `int` and `word` with 64 bits in foreign types.
const WIDE_NAMES: &[(&str, TyName)] = &[("int64", tyname::INT), ("word64", tyname::WORD)];

/// The name under which library sources see [`tyname::POINTER`].
const POINTER_NAME: &str = "pointer";

const FALSE: u32 = 0;
const TRUE: u32 = 1;

const PRIM_TYPES: &[(TyName, &str, u32, bool, PrimTy)] = &[
    (tyname::INT, "int", 0, true, PrimTy::Int),
    (tyname::INT8, "int8", 0, true, PrimTy::Int8),
    (tyname::INT16, "int16", 0, true, PrimTy::Int16),
    (tyname::INT32, "int32", 0, true, PrimTy::Int32),
    (tyname::WORD, "word", 0, true, PrimTy::Word),
    (tyname::WORD8, "word8", 0, true, PrimTy::Word8),
    (tyname::WORD16, "word16", 0, true, PrimTy::Word16),
    (tyname::WORD32, "word32", 0, true, PrimTy::Word32),
    (tyname::CHAR, "char", 0, true, PrimTy::Char),
    (tyname::REAL, "real", 0, false, PrimTy::Real),
    (tyname::REAL32, "real32", 0, false, PrimTy::Real32),
    (tyname::STRING, "string", 0, true, PrimTy::String),
    (tyname::EXN, "exn", 0, false, PrimTy::Exn),
    (tyname::THREAD, "thread", 0, true, PrimTy::Thread),
    (tyname::REF, "ref", 1, true, PrimTy::Ref),
    (tyname::ARRAY, "array", 1, true, PrimTy::Array),
    (tyname::VECTOR, "vector", 1, true, PrimTy::Vector),
    (tyname::WEAK, "weak", 1, false, PrimTy::Weak),
];

/// Types at top level that every program sees; the others are for library sources.
const STANDARD: &[&str] = &["int", "word", "char", "real", "string", "exn", "ref", "array", "vector"];

const OPERATORS: &[(Symbol, Op)] = &[
    (sym::PLUS, Op::Add),
    (sym::MINUS, Op::Sub),
    (sym::ASTERISK, Op::Mul),
    (sym::DIV, Op::Div),
    (sym::MOD, Op::Mod),
    (sym::SLASH, Op::RealDiv),
    (sym::TILDE, Op::Neg),
    (sym::ABS, Op::Abs),
    (sym::LESS, Op::Lt),
    (sym::LESS_EQ, Op::Le),
    (sym::GREATER, Op::Gt),
    (sym::GREATER_EQ, Op::Ge),
];

/// The basis that the Basis Library is elaborated on. `tables` must be new. It has some more types than the Definition
/// (`word8`, `thread`, ...): [`Basis::without_names_ending_in_prime`] takes them away.
pub fn initial_basis(tables: &mut Tables) -> Basis {
    assert!(tables.types.is_empty() && tables.tynames.is_empty(), "the tables already have a basis");
    for &(_, name, arity, equality, prim) in PRIM_TYPES {
        add_tyname(tables, Symbol::intern(name), arity, equality, TyNameDef::Prim(prim));
    }
    // A real of 32 bits is kept in one of 64; the library rounds.
    tables.tynames[tyname::REAL32].def = TyNameDef::Abstract { tyvars: vec![], ty: ty::REAL };
    let pending = || TyNameDef::Datatype { tyvars: vec![], cons: vec![] };
    add_tyname(tables, sym::BOOL, 0, true, pending());
    add_tyname(tables, sym::LIST, 1, true, pending());
    add_tyname(tables, sym::ERROR, 0, true, TyNameDef::Formal);
    add_tyname(tables, Symbol::intern("IntInf.int"), 0, true, pending());
    let address = TyNameDef::Abstract { tyvars: vec![], ty: ty::WORD };
    add_tyname(tables, Symbol::intern("MLton.Pointer.t"), 0, true, address);
    tables.intern(TyData::Record(vec![]));
    for name in [
        tyname::INT,
        tyname::WORD,
        tyname::CHAR,
        tyname::REAL,
        tyname::STRING,
        tyname::EXN,
        tyname::BOOL,
        tyname::ERROR,
    ] {
        tables.intern(TyData::Con(name, vec![]));
    }
    let plain = |name| Con { name, arg: None };
    let bools = datatype(tables, tyname::BOOL, vec![], vec![plain(sym::FALSE), plain(sym::TRUE)]);
    let a = tables.tyvars.push(TyVarInfo { name: Symbol::intern("'a"), equality: false });
    let elem = tables.intern(TyData::Var(a));
    let list = tables.intern(TyData::Con(tyname::LIST, vec![elem]));
    let cell = tables.intern(TyData::Record(vec![(sym::L1, elem), (sym::L2, list)]));
    let cons = vec![plain(sym::NIL), Con { name: sym::CONS, arg: Some(cell) }];
    let lists = datatype(tables, tyname::LIST, vec![a], cons);
    let words = tables.intern(TyData::Con(tyname::VECTOR, vec![ty::WORD]));
    let of = |name, arg| Con { name: Symbol::intern(name), arg: Some(arg) };
    let sizes = vec![of("Small'", ty::INT), of("Pos'", words), of("Neg'", words)];
    let intinfs = datatype(tables, tyname::INTINF, vec![], sizes);
    debug_assert_eq!((bools, lists, intinfs), (BOOL_CONS, LIST_CONS, INTINF_CONS));

    let mut vals = vec![
        (sym::FALSE, ValEntry::Con { list: BOOL_CONS, index: FALSE }),
        (sym::TRUE, ValEntry::Con { list: BOOL_CONS, index: TRUE }),
        (sym::NIL, ValEntry::Con { list: LIST_CONS, index: 0 }),
        (sym::CONS, ValEntry::Con { list: LIST_CONS, index: 1 }),
        (sym::REF, ValEntry::Ref),
        (sym::EQUALS, ValEntry::Equal),
        (sym::NOT_EQUALS, ValEntry::NotEqual),
    ];
    vals.extend(OPERATORS.iter().map(|&(name, op)| (name, ValEntry::Overloaded(op))));
    for &(builtin, name, argument) in BUILTINS {
        let arg = match argument {
            Argument::None => None,
            _ => Some(ty::STRING),
        };
        vals.push((Symbol::intern(name), ValEntry::Exn { exn: builtin.into(), arg }));
    }
    let named = |name: TyName, cons| TyStr { fcn: TypeFcn::Name(name), cons, width: None };
    let mut tys = vec![
        (sym::BOOL, named(tyname::BOOL, Some(BOOL_CONS))),
        (sym::LIST, named(tyname::LIST, Some(LIST_CONS))),
        (Symbol::intern(INTINF_NAME), named(tyname::INTINF, Some(INTINF_CONS))),
        (Symbol::intern(POINTER_NAME), named(tyname::POINTER, None)),
        (sym::UNIT, TyStr { fcn: TypeFcn::Abbrev { tyvars: Box::new([]), ty: ty::UNIT }, cons: None, width: None }),
    ];
    tys.extend(PRIM_TYPES.iter().map(|&(tyname, name, ..)| {
        let width = [tyname::INT, tyname::WORD].contains(&tyname).then_some(Width::Int);
        (Symbol::intern(name), TyStr { width, ..named(tyname, None) })
    }));
    tys.extend(
        WIDE_NAMES
            .iter()
            .map(|&(name, tyname)| (Symbol::intern(name), TyStr { width: Some(Width::Wide), ..named(tyname, None) })),
    );
    let env =
        Env { vals: SortedMap::new(vals), tys: SortedMap::new(tys), strs: SortedMap::default(), ..Env::default() };
    Basis::of(Layer { env, ..Layer::default() })
}

fn add_tyname(tables: &mut Tables, name: Symbol, arity: u32, equality: bool, def: TyNameDef) -> TyName {
    tables.tynames.push(TyNameInfo { name, arity, equality, def, hidden: false, span: Span::NONE })
}

fn datatype(tables: &mut Tables, name: TyName, tyvars: Vec<TyVar>, cons: Vec<Con>) -> ConListId {
    tables.tynames[name].def = TyNameDef::Datatype { tyvars: tyvars.clone(), cons: cons.clone() };
    tables.modules.con_lists.push(ConList { name, rep: name, tyvars: tyvars.into(), cons })
}

/// Is it a type that only library sources see under this name: `word8`, `thread`, ...?
fn is_private_type(name: Symbol) -> bool {
    let name = name.as_str();
    let is_other = [INTINF_NAME, POINTER_NAME].contains(&name) || WIDE_NAMES.iter().any(|wide| wide.0 == name);
    is_other || PRIM_TYPES.iter().any(|t| t.1 == name) && !STANDARD.contains(&name)
}

impl Basis {
    /// What programs see of the library: without names that end in a prime, and without the types that only library
    /// sources may name.
    pub fn without_names_ending_in_prime(&self) -> Basis {
        let own = |name: Symbol| !name.as_str().ends_with('\'');
        self.with_names(&own, &|name| own(name) && !is_private_type(name))
    }
}

impl Op {
    /// As in the source.
    pub fn symbol(self) -> Symbol {
        OPERATORS.iter().find(|o| o.1 == self).map_or(sym::EMPTY, |o| o.0)
    }

    /// The second part of the primitives' names: `int_add`.
    pub fn suffix(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Div | Op::RealDiv => "div",
            Op::Mod => "mod",
            Op::Neg => "neg",
            Op::Abs => "abs",
            Op::Lt => "lt",
            Op::Le => "le",
            Op::Gt => "gt",
            Op::Ge => "ge",
        }
    }
}
