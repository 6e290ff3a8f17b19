//! Ssa: first-order functions of basic blocks with parameters; closures, data and exceptions have their representation.
//!
//! Data types only. What the numbers S1.. mean stands in [`crate`]; `verify.rs` checks them.
//!
//! ```text
//! fn f3 "List.length" (v0: ref, v1: i64) -> (i64) {
//! b0(v0: ref, v1: i64):
//!     v2 = is_imm v0
//!     branch v2, b1(), b2()
//! b1():
//!     return v1
//! b2():
//!     v3 = load.ref v0[1]
//!     v4, v5 = add_ovf v1, 1        ; printed with constants in place
//!     guard v5, Overflow
//!     tail_call f3(v3, v4)
//! }
//! ```

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use smallvec::SmallVec;

leat_base::entity!(Func, "f");
leat_base::entity!(Block, "b");
leat_base::entity!(Value, "v");
leat_base::entity!(Data, "d");
leat_base::entity!(Global, "g");

/// What a machine value is. Everything integer-like is `I64`, booleans (0 or 1) included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    I64,
    F64,
    F32,
    /// An object's payload address or an odd word (immediate). Known to the collector.
    Ref,
}

/// Element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    /// char, word8, bool: one byte, zero-extended.
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    I64,
    F32,
    F64,
    Ref,
}

/// Where an instruction comes from: file number and line (0: unknown), and what was inlined.
pub use leat_mono::ir::{Inlined, Loc};

/// A whole program, closed.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub funcs: Vec<Function>,
    /// Runs all top-level declarations in order; no parameters, no results.
    pub main: Option<Func>,
    /// Type of each global slot.
    pub globals: Vec<Ty>,
    /// A unit of a session: which of the session's slots each global slot is, or [`PRIVATE`]. Empty: all are the
    /// program's own.
    pub slots: Vec<u32>,
    pub datas: Vec<StaticData>,
    /// File names by `Loc::file`.
    pub files: Vec<String>,
    /// By `Loc::at`, from 1 on.
    pub inlined: Vec<Inlined>,
    /// Where the program makes what threads wait for (`Prim::RefHere`): `file.sml:12.7`. The numbers of the places are
    /// the tags of these objects: they go on from `places_before`, those of the session's earlier units; the first
    /// place is 1.
    pub places: Vec<String>,
    pub places_before: u32,
    /// It sets the rounding mode of reals, or an earlier unit does.
    pub sets_rounding: bool,
    /// What of C it calls, by the numbers in [`Callee::Foreign`].
    pub foreign: Vec<leat_abi::foreign::Foreign>,
    /// It asks where exceptions were raised: each is noted, those that a check of the same function raises, too.
    pub keeps_history: bool,
    /// The place of an allocation says what is allocated, so each has its own heap check, where that can be.
    pub tells_types: bool,
}

/// In [`Program::slots`]: a slot that no other unit knows; it has a number of the session when the code is made.
pub const PRIVATE: u32 = u32::MAX;

impl Program {
    /// Where a global slot stands, counted from slot 0 of the program or of the session.
    pub fn place(&self, global: Global) -> u32 {
        self.slots.get(global.0 as usize).copied().unwrap_or(global.0)
    }
}

/// A static object (header bit S): its header is made by the target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StaticData {
    /// A string (elements of one byte) or another vector without references, of `bytes.len() >> log2` elements.
    Array { log2: u32, bytes: Vec<u8> },
    /// A record: raw words, then refs. For constant tuples and constructors, closures without free variables.
    Record { tag: u16, raws: Vec<RawInit>, refs: Vec<RefInit> },
}

impl StaticData {
    /// A string or another vector of bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> StaticData {
        StaticData::Array { log2: 0, bytes: bytes.into() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RawInit {
    Int(i64),
    Code(Func),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RefInit {
    /// An odd word.
    Imm(u64),
    Data(Data),
}

#[derive(Clone, Debug)]
pub struct Function {
    /// SML name for dumps, back-traces and profiles: `List.map`, `main.loop`, `List.map.fn`.
    pub name: String,
    pub loc: Loc,
    /// Parameters are the entry block's. A closure's code has the closure (Ref) as its first.
    pub blocks: Vec<BlockData>,
    pub entry: Block,
    pub results: Vec<Ty>,
    /// Type of each value.
    pub values: Vec<Ty>,
    /// Entered through closures too (its address is taken).
    pub is_closure: bool,
    /// Stays a function of its own: the library asked by `noinline`.
    pub noinline: bool,
    /// Set by the safepoint pass: check the stack limit at entry (recursive functions).
    pub entry_check: bool,
    /// The last number in [`Loc::copy`].
    pub copies: u32,
}

/// A block: unreachable ones may stand in the table; they are empty and skipped.
#[derive(Clone, Debug)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<Inst>,
    pub term: Term,
    /// Seldom runs: laid out at the end.
    pub cold: bool,
    /// Where an exception goes that a slow path (heap check, poll, end of an atomic section) of this block raises, with
    /// the packet; none: out of the function. A `Scope` leads here and there, see S12.
    pub handler: Option<Block>,
    /// Of the terminator.
    pub loc: Loc,
}

pub type Values = SmallVec<[Value; 3]>;

#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// As many as the operation gives (`Op::arity`, a call's results).
    pub results: SmallVec<[Value; 2]>,
    pub loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// I64: -x modular, bitwise complement.
    Neg,
    Not,
    Zext8,
    Zext16,
    Zext32,
    Sext8,
    Sext16,
    Sext32,
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    /// To nearest, ties to even.
    FNearest,
    /// I64 -> F64.
    FOfInt,
    /// F64 -> I64, saturating.
    FToInt,
    /// The same 64 bits.
    FToBits,
    FOfBits,
    F32To64,
    F64To32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// Counts are 0 to 63 (S9); from_mono selects for larger ones.
    Shl,
    Shr,
    Sar,
    /// Rounded down: `div` and `mod`. Divisor not 0, and of a quotient not -1 with the least int (S9): guards stand
    /// before.
    Div,
    Mod,
    /// Rounded to zero: `quot` and `rem`; and without sign. Divisors as above.
    SDiv,
    SRem,
    UDiv,
    URem,
    /// Of operands that are never negative, by a constant above 1 (S9): signed and unsigned are the same.
    NDiv,
    NRem,
    FAdd,
    FSub,
    FMul,
    FDiv,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ovf {
    Add,
    Sub,
    Mul,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cond {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    ULt,
    ULe,
    UGt,
    UGe,
}

/// Ordered comparisons; `Ne` is true for NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FCond {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Whom a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// Known; arguments exactly its parameters.
    Func(Func),
    /// Unknown: the closure's raw word 0 is its code, called with the closure before the arguments.
    Closure(Value),
    /// A primitive that is `Leaf` or `Runtime`; tcb is added by the target, an array shape stands last already.
    Prim(Prim),
    /// A function of C, by its number in [`Program::foreign`], and how it is called. Its arguments are those that the
    /// table has, behind the address of a function without a name; a `ref` is its content, and its content afterwards
    /// is a result.
    Foreign(u32, leat_abi::foreign::Way),
}

/// A set of bytes: those in a few ranges, or all others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet {
    pub(crate) ranges: [(u8, u8); ByteSet::MOST],
    pub(crate) count: u8,
    /// All others.
    pub inverted: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// `v1 = iconst 3`
    Iconst(i64),
    /// Bits of an F64.
    Fconst(u64),
    F32const(u32),
    /// An odd word as a Ref: a nullary constructor beside boxed ones.
    RefImm(u64),
    /// Address of a static object.
    Data(Data),
    /// Code address, I64: goes into raw word 0 of a closure.
    FuncAddr(Func),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// Two results: the wrapped result, and 1 when it overflowed.
    Ovf(Ovf, Value, Value),
    Cmp(Cond, Value, Value),
    FCmp(FCond, Value, Value),
    /// Same word. Not for objects without identity unless both are known immediates or interned.
    RefEq(Value, Value),
    /// 1 when the Ref is an odd word.
    IsImm(Value),
    /// Number k of an immediate 2k+1.
    ImmValue(Value),
    /// cond, if not 0, if 0
    Select(Value, Value, Value),
    /// When the condition is not 0: raises the builtin exception out of this function (never to a handler in it, S7).
    Guard(Value, Builtin),
    /// A record; mutable ones (ref cells) too.
    Alloc {
        tag: u16,
        raws: Values,
        refs: Values,
    },
    /// Word `field` of a record, raws counted first. `mutable`: a store may change it.
    Load {
        ty: Ty,
        obj: Value,
        field: u32,
        mutable: bool,
    },
    /// `barrier` only for Ref values into objects that may be old.
    Store {
        obj: Value,
        field: u32,
        value: Value,
        barrier: bool,
    },
    /// Constructor tag of a boxed object.
    Tag(Value),
    /// Length of an array or string.
    Length(Value),
    ElemLoad {
        elem: Elem,
        array: Value,
        index: Value,
        mutable: bool,
    },
    /// How many of the sixteen bytes from the index on are the byte.
    CountBytes {
        array: Value,
        index: Value,
        byte: u8,
    },
    /// Which of the sixteen bytes from the index on is the first of the set; 16 when none is.
    FindByte {
        array: Value,
        index: Value,
        set: ByteSet,
    },
    ElemStore {
        elem: Elem,
        array: Value,
        index: Value,
        value: Value,
        barrier: bool,
    },
    /// Compare and swap of a field: gives 1 when it was `old`.
    Cas {
        ty: Ty,
        obj: Value,
        field: u32,
        old: Value,
        new: Value,
    },
    GlobalLoad(Global),
    GlobalStore(Global, Value),
    /// Descriptor and packet of a builtin exception.
    ExnDesc(Builtin),
    ExnPacket(Builtin),
    /// The running thread's object.
    CurrentThread,
    /// What stands in a lock that belongs to the worker that runs this.
    WorkerMark,
    /// Whom cells have to be safe from.
    WorkerCompany,
    /// Adds to the depth of atomic sections (+1, -1; at 0 a put-off safepoint is served).
    /// Late, 0: the begin or the end of one that has no safepoint.
    Atomic(i64),
    Call(Callee, Values),
    /// Late: a safepoint where none else is on the cycle.
    Poll,
    /// Late: makes sure that the allocations up to the next check, call or block end fit.
    HeapCheck(u32),
}

/// A jump with the target's arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    pub block: Block,
    pub args: Values,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    Jump(Target),
    /// cond not 0, cond 0
    Branch(Value, Target, Target),
    Switch(Value, Vec<(i64, Target)>, Target),
    Return(Values),
    /// Of a `Func` or `Closure` with this function's result types.
    TailCall(Callee, Values),
    /// A call inside a handler's scope. `ok`'s block gets the results before its arguments; `handler`'s the packet.
    Invoke {
        callee: Callee,
        args: Values,
        ok: Target,
        handler: Target,
    },
    /// Enters a handler's scope: goes to `body`. That it may as well go to `handler`, with a packet, stands for the
    /// exceptions that the slow paths of the scope's blocks raise, wherever they are.
    Scope {
        body: Target,
        handler: Target,
    },
    /// Raises a packet out of this function.
    Raise(Value),
    RaiseBuiltin(Builtin),
    Unreachable,
}
