//! Mono: closed types, one name for each thing, every intermediate result named, several values at once.
//!
//! A higher-order A-normal form, strict, left to right. Functions take and give several values: tuples are gone from
//! parameters, results and bindings wherever their parts are used; the optimiser works here while functions are still
//! values, the next stage makes closures.
//!
//! ```text
//! fun length.12 (l.13: list.4, n.14: int) : (int) =
//!   case l.13 of
//!     nil => n.14
//!   | :: (x.15, rest.16) =>
//!       val m.17 = int_add(n.14, 1)
//!       length.12 (rest.16, m.17)
//! ```

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::Symbol;
use std::sync::Arc;

leat_base::entity!(Var, "x");
leat_base::entity!(Ty, "t");
leat_base::entity!(Data, "d");

/// A type; interned in [`Types`], so equal types have equal ids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyData {
    Scalar(Scalar),
    /// Immutable, boxed when it is a single value. Never of one part; the empty tuple is unit.
    Tuple(Vec<Ty>),
    /// Already flat: see [`Types::params`] and [`Types::results`].
    Arrow(Vec<Ty>, Vec<Ty>),
    /// An instance of a datatype.
    Data(Data),
    Ref(Ty),
    Array(Ty),
    /// Immutable array. `char vector` is `Scalar::String`, `word8 vector` is `Vector(word8)`.
    Vector(Ty),
    Weak(Ty),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
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
}

/// An instance of a datatype at closed types. `Data(0)` is bool (false = 0, true = 1).
#[derive(Clone, Debug)]
pub struct Datatype {
    /// `int list`
    pub name: String,
    pub cons: Vec<Con>,
}

#[derive(Clone, Debug)]
pub struct Con {
    pub name: Symbol,
    /// Fields: none for a nullary constructor; a tuple argument gives its parts, see [`Types::fields`].
    pub fields: Vec<Ty>,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    pub types: Vec<TyData>,
    pub index: rustc_hash::FxHashMap<TyData, Ty>,
    pub datatypes: Vec<Datatype>,
}

/// `Data` number of bool.
pub const BOOL: Data = Data(0);
/// Most values that parameters are flattened to.
pub const MAX_PARAMS: usize = 12;
/// Most values that results are flattened to.
pub const MAX_RESULTS: usize = 4;
/// Most values that a tuple inside a constructor's argument is flattened to, and most fields of a constructor that has
/// such a part: a list of pairs has cells of three words, but a cell does not hold a copy of a large record.
pub const MAX_PART: usize = 3;
pub const MAX_FIELDS: usize = 8;
/// Most places that are looked at in a tuple that is flattened: units are no values, however many there are.
const MAX_PLACES: usize = 256;

impl Types {
    pub fn intern(&mut self, data: TyData) -> Ty {
        if let Some(&ty) = self.index.get(&data) {
            return ty;
        }
        let ty = Ty(self.types.len() as u32);
        self.types.push(data.clone());
        self.index.insert(data, ty);
        ty
    }

    pub fn get(&self, ty: Ty) -> &TyData {
        &self.types[ty.0 as usize]
    }

    /// The values that a parameter of this type is: unit none, a tuple its parts' parts unless they are more than
    /// [`MAX_PARAMS`], anything else itself. A function of the type alone, so that all closures of a type agree.
    pub fn params(&self, ty: Ty) -> Vec<Ty> {
        self.flat(ty, MAX_PARAMS)
    }

    /// Likewise for results, bindings and case results, at most [`MAX_RESULTS`].
    pub fn results(&self, ty: Ty) -> Vec<Ty> {
        self.flat(ty, MAX_RESULTS)
    }

    /// The fields that a constructor's argument of this type becomes, part by part: an argument that is no tuple is one
    /// part; a part is one field, or, a small tuple, the values in it.
    pub fn fields(&self, arg: Ty) -> Vec<Vec<Ty>> {
        let TyData::Tuple(parts) = self.get(arg) else { return vec![vec![arg]] };
        let mut room = MAX_FIELDS.saturating_sub(parts.len());
        let field = |&part: &Ty| {
            let flat = self.flat(part, MAX_PART);
            // A unit is a field as before.
            if flat.is_empty() || flat.len() - 1 > room {
                return vec![part];
            }
            room -= flat.len() - 1;
            flat
        };
        parts.iter().map(field).collect()
    }

    fn flat(&self, ty: Ty, max: usize) -> Vec<Ty> {
        let mut out = Vec::new();
        // Stops as soon as there are too many, or too many units, which are no values: so a deep type costs no more
        // than `max` and `MAX_PLACES`.
        fn go(types: &Types, ty: Ty, max: usize, places: &mut usize, out: &mut Vec<Ty>) -> bool {
            *places += 1;
            match types.get(ty) {
                TyData::Tuple(parts) => {
                    *places <= MAX_PLACES && parts.iter().all(|&part| go(types, part, max, places, out))
                }
                _ => {
                    out.push(ty);
                    out.len() <= max
                }
            }
        }
        if go(self, ty, max, &mut 0, &mut out) { out } else { vec![ty] }
    }
}

/// A value that needs no computation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    Var(Var),
    /// int, word, char, word8 ...: the 64 bits; also unit (0) where a unit must be a value (a field, an element).
    Int(i64),
    /// Bits of a real.
    Real(u64),
    /// Index in [`Program::strings`].
    Str(u32),
    /// Nullary constructor, by number; true and false too.
    Con(Data, u32),
}

/// Bindings in order, then the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub binds: Vec<Bind>,
    pub result: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// To the function's caller, or to the binding whose `Case` or `Handle` this body is part of.
    Values(Vec<Atom>),
    /// A packet, and the place of the raise. The body gives no value.
    Raise(Atom, Loc),
    /// A tail call stands as the last binding whose variables are exactly the result.
    /// This outcome: control never arrives (the last binding does not return).
    Unreachable,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Bind {
    /// `val (x.1, x.2) = rhs`
    Val { vars: Vec<Var>, rhs: Rhs, loc: Loc },
    /// Mutually recursive functions; a lambda is a group of one.
    Fun(Vec<Function>),
}

/// File number (in [`Program::files`]) and line, 0 unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Loc {
    pub file: u16,
    /// In characters, from 1; 0 unknown. For texts of the program; tables of machine code go by lines.
    pub column: u16,
    pub line: u32,
    /// What was inlined here: number in [`Program::inlined`] counted from 1, or 0 for the function's own code.
    pub at: u32,
    /// Passes that copy loops number the copies of inlined code, each of which is a call that counts; 0: no copy. Or
    /// [`Loc::ONE_COPY`].
    pub copy: u32,
}

impl Loc {
    /// [`Loc::copy`] of code that passes do not number.
    pub const ONE_COPY: u32 = u32::MAX;
}

/// A function that was inlined: its name, the line of its definition (0 unknown), and where it was called, which may be
/// in inlined code itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inlined {
    pub name: Symbol,
    pub line: u32,
    pub call: Loc,
}

/// Which loads and stores of references and arrays are announced to the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Watch {
    #[default]
    Nothing,
    /// Those that other threads may see.
    Accesses,
    /// Likewise, and those by which the library orders threads.
    Races,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Of the arrow type.
    pub var: Var,
    pub params: Vec<Var>,
    pub body: Body,
    pub loc: Loc,
    /// Inlined at every call (wrappers that `uncurry` made), or never (the library asked by `noinline`).
    pub inline: Inline,
    /// Made by the compiler from a part of the function around it: its places are places of that function, and no
    /// back-trace has a line for it.
    pub join: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inline {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Rhs {
    /// `val x = y`: gone after the optimiser.
    Atoms(Vec<Atom>),
    /// `tys`: the type arguments that matter: of ref, array and vector primitives and casts the element type (for `Cast`: from, to).
    Prim {
        prim: Prim,
        tys: Vec<Ty>,
        args: Vec<Atom>,
    },
    Tuple(Vec<Atom>),
    /// Part i of a tuple value.
    Select(u32, Atom),
    /// Constructor with its fields.
    Con {
        data: Data,
        con: u32,
        args: Vec<Atom>,
    },
    App {
        f: Atom,
        args: Vec<Atom>,
    },
    /// Exhaustive: a default, or all constructors.
    Case {
        scrut: Atom,
        arms: Arms,
        default: Option<Box<Body>>,
    },
    /// Evaluates the body; a packet raised in it is bound to `exn` in the handler.
    Handle {
        body: Box<Body>,
        exn: Var,
        handler: Box<Body>,
    },
    /// A new descriptor: an evaluated `exception` declaration. Of type `Exn` descriptor: see [`Program::desc_ty`].
    NewExn {
        name: Symbol,
        arg: Option<Ty>,
    },
    /// The descriptor of a builtin exception.
    BuiltinExn(Builtin),
    /// A vector whose elements are known: integers, words, or bits of reals of the scalar type `elem`. Static data.
    Table {
        elem: Ty,
        bits: Arc<[i64]>,
    },
    /// A packet of a descriptor, and its argument (one value) if it has one.
    Packet {
        desc: Atom,
        arg: Option<(Atom, Ty)>,
    },
    /// The descriptor in a packet; compared by `PtrEq`.
    PacketDesc(Atom),
    /// The argument in a packet, at its type.
    PacketArg(Atom, Ty),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Arms {
    /// Constructor number, variables for its fields.
    Con(Data, Vec<(u32, Vec<Var>, Body)>),
    /// Of integer-like scalars.
    Int(Vec<(i64, Body)>),
    /// Index in [`Program::strings`].
    Str(Vec<(u32, Body)>),
}

impl Arms {
    /// What the arms do.
    pub fn bodies(&self) -> Vec<&Body> {
        match self {
            Arms::Con(_, arms) => arms.iter().map(|arm| &arm.2).collect(),
            Arms::Int(arms) => arms.iter().map(|arm| &arm.1).collect(),
            Arms::Str(arms) => arms.iter().map(|arm| &arm.1).collect(),
        }
    }
}

/// A whole program: `main` evaluates all top-level declarations in order and gives no value.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: Types,
    /// Type and name of each variable.
    pub vars: Vec<VarInfo>,
    pub strings: Vec<Box<[u8]>>,
    pub files: Vec<String>,
    /// See [`Loc::at`]; a call stands before what is inlined for calls in it.
    pub inlined: Vec<Inlined>,
    /// An earlier unit of the session sets the rounding mode of reals.
    pub sets_rounding: bool,
    /// How many places of [`Prim::RefHere`](leat_abi::prim::Prim::RefHere) the session's earlier units have.
    pub places_before: u32,
    /// The program asks where exceptions were raised: it notes each raise.
    pub keeps_history: bool,
    /// What of C it calls: the first argument of `Prim::ForeignCall` and its kin is a number in this table.
    pub foreign: Vec<leat_abi::foreign::Foreign>,
    pub watch: Watch,
    /// Places say what is allocated there: a type, as a function that is inlined: `[int list]`.
    pub tells_types: bool,
    pub main: Body,
    /// What the outermost declarations bind: that may live in global slots, which are never emptied. The variables of a
    /// `let` there, and of a function that is inlined there, may not.
    pub outermost: rustc_hash::FxHashSet<Var>,
    /// Type of exception descriptors (an opaque one-word object): `Ref(unit)` by convention.
    pub desc_ty: Option<Ty>,
}

#[derive(Clone, Debug)]
pub struct VarInfo {
    pub name: Symbol,
    pub ty: Ty,
}

impl Default for Body {
    fn default() -> Body {
        Body { binds: Vec::new(), result: Outcome::Values(Vec::new()) }
    }
}

impl Program {
    pub fn new_var(&mut self, name: Symbol, ty: Ty) -> Var {
        self.vars.push(VarInfo { name, ty });
        Var(self.vars.len() as u32 - 1)
    }

    pub fn ty(&self, var: Var) -> Ty {
        self.vars[var.0 as usize].ty
    }
}
