//! What the optimiser and the verifier ask of an instruction: its operands, its targets, what it may do.
//!
//! One place for each fact about an operation, so that a new operation is added here and in `print`, `parse`, `verify`.

use crate::ir::{BlockData, Callee, Elem, Func, Function, Inst, Loc, Op, Target, Term, Ty, Value, Values};
use leat_abi::foreign::Way;
use leat_abi::prim::{self, Lower, Prim};
use smallvec::SmallVec;

/// What an operation may do besides giving its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Depends on its operands alone: may be dropped, shared, moved to where its operands are (loads of immutable
    /// fields only where the object is known to have the field).
    Pure,
    /// A new object: may be dropped when unused, never shared.
    Alloc,
    /// Depends on mutable memory: may be dropped when unused, shared up to the next write.
    Reads,
    /// Raises or not, nothing else: may be dropped when it never raises or when the same one stands before.
    Guards,
    /// Writes memory, calls, or is a safepoint: stays, in order.
    Writes,
}

/// How an operand is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Tested against zero only: needs no 64-bit form.
    Condition,
    Data,
}

/// Does something with each operand of an operation, in order: `$v` is a reference as `$op` and `$iter` are.
macro_rules! operands {
    ($op:expr, $iter:ident, |$v:ident| $do:expr) => {
        match $op {
            Op::Iconst(_)
            | Op::Fconst(_)
            | Op::F32const(_)
            | Op::RefImm(_)
            | Op::Data(_)
            | Op::FuncAddr(_)
            | Op::GlobalLoad(_)
            | Op::ExnDesc(_)
            | Op::ExnPacket(_)
            | Op::CurrentThread
            | Op::WorkerMark
            | Op::WorkerCompany
            | Op::Atomic(_)
            | Op::Poll
            | Op::HeapCheck(_) => {}
            Op::Unary(_, $v)
            | Op::IsImm($v)
            | Op::ImmValue($v)
            | Op::Guard($v, _)
            | Op::Tag($v)
            | Op::Length($v)
            | Op::Load { obj: $v, .. }
            | Op::GlobalStore(_, $v) => $do,
            Op::Binary(_, a, b)
            | Op::Ovf(_, a, b)
            | Op::Cmp(_, a, b)
            | Op::FCmp(_, a, b)
            | Op::RefEq(a, b)
            | Op::ElemLoad { array: a, index: b, .. }
            | Op::CountBytes { array: a, index: b, .. }
            | Op::FindByte { array: a, index: b, .. }
            | Op::Store { obj: a, value: b, .. } => [a, b].into_iter().for_each(|$v| $do),
            Op::Select(a, b, c)
            | Op::ElemStore { array: a, index: b, value: c, .. }
            | Op::Cas { obj: a, old: b, new: c, .. } => {
                [a, b, c].into_iter().for_each(|$v| $do);
            }
            Op::Alloc { raws, refs, .. } => raws.$iter().chain(refs.$iter()).for_each(|$v| $do),
            Op::Call(callee, args) => {
                if let Callee::Closure($v) = callee {
                    $do;
                }
                args.$iter().for_each(|$v| $do);
            }
        }
    };
}

/// The same with each operand of a terminator that is not an argument of a target.
macro_rules! own_operands {
    ($term:expr, $iter:ident, |$v:ident| $do:expr) => {
        match $term {
            Term::Jump(_) | Term::Scope { .. } | Term::RaiseBuiltin(_) | Term::Unreachable => {}
            Term::Branch($v, ..) | Term::Switch($v, ..) | Term::Raise($v) => $do,
            Term::Return(vs) => vs.$iter().for_each(|$v| $do),
            Term::TailCall(callee, args) | Term::Invoke { callee, args, .. } => {
                if let Callee::Closure($v) = callee {
                    $do;
                }
                args.$iter().for_each(|$v| $do);
            }
        }
    };
}

/// Calls a function with each target of a terminator, in order.
macro_rules! targets {
    ($term:expr, $iter:ident, $f:ident) => {
        match $term {
            Term::Jump(t) => $f(t),
            Term::Branch(_, a, b) | Term::Invoke { ok: a, handler: b, .. } | Term::Scope { body: a, handler: b } => {
                $f(a);
                $f(b);
            }
            Term::Switch(_, cases, default) => {
                cases.$iter().for_each(|(_, t)| $f(t));
                $f(default);
            }
            _ => {}
        }
    };
}

impl Op {
    /// Calls `f` with each operand, in order.
    #[inline]
    pub fn each_operand(&self, mut f: impl FnMut(Value)) {
        operands!(self, iter, |v| f(*v));
    }

    /// Calls `f` with each operand, in order, and how it is read.
    #[inline]
    pub fn each_use(&self, mut f: impl FnMut(Value, Use)) {
        // A condition comes first.
        let mut how = if matches!(self, Op::Select(..) | Op::Guard(..)) { Use::Condition } else { Use::Data };
        self.each_operand(|v| f(v, std::mem::replace(&mut how, Use::Data)));
    }

    /// Replaces each operand.
    #[inline]
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        operands!(self, iter_mut, |v| *v = f(*v));
    }

    /// The function that is called, or whose address it is.
    pub fn function(&self) -> Option<Func> {
        match *self {
            Op::Call(Callee::Func(f), _) | Op::FuncAddr(f) => Some(f),
            _ => None,
        }
    }

    /// A constant: no operand, no effect, cheap to make again at each use.
    pub fn is_const(&self) -> bool {
        matches!(self, Op::Iconst(_) | Op::Fconst(_) | Op::F32const(_) | Op::RefImm(_) | Op::Data(_) | Op::FuncAddr(_))
    }

    pub fn effect(&self) -> Effect {
        match self {
            Op::Iconst(_)
            | Op::Fconst(_)
            | Op::F32const(_)
            | Op::RefImm(_)
            | Op::Data(_)
            | Op::FuncAddr(_)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Ovf(..)
            | Op::Cmp(..)
            | Op::FCmp(..)
            | Op::RefEq(..)
            | Op::IsImm(_)
            | Op::ImmValue(_)
            | Op::Select(..)
            | Op::Load { mutable: false, .. }
            | Op::Tag(_)
            | Op::Length(_)
            | Op::ElemLoad { mutable: false, .. }
            // Stored once, before any load.
            | Op::GlobalLoad(_)
            | Op::ExnDesc(_)
            | Op::ExnPacket(_) => Effect::Pure,
            Op::Alloc { .. } => Effect::Alloc,
            // Not the same before and after a call: another thread may throw to a continuation that the call captured.
            Op::CurrentThread | Op::WorkerMark | Op::WorkerCompany => Effect::Reads,
            Op::Load { .. } | Op::ElemLoad { .. } | Op::CountBytes { .. } | Op::FindByte { .. } => Effect::Reads,
            Op::Guard(..) => Effect::Guards,
            Op::Call(Callee::Prim(p), _) => match (p.lower(), p.effect(), p.raises()) {
                (Lower::Leaf, prim::Effect::Pure, prim::Raises::Nothing) => Effect::Pure,
                (_, prim::Effect::Pure, prim::Raises::Nothing) => Effect::Alloc,
                (Lower::Leaf, prim::Effect::Reads, prim::Raises::Nothing) => Effect::Reads,
                (_, prim::Effect::Reads, prim::Raises::Nothing) => Effect::Alloc,
                _ => Effect::Writes,
            },
            Op::Call(Callee::Foreign(_, Way::Pure | Way::Address), _) => Effect::Pure,
            Op::Call(Callee::Foreign(_, Way::Get), _) => Effect::Reads,
            Op::Store { .. }
            | Op::ElemStore { .. }
            | Op::Cas { .. }
            | Op::GlobalStore(..)
            | Op::Atomic(_)
            | Op::Call(..)
            | Op::Poll
            | Op::HeapCheck(_) => Effect::Writes,
        }
    }

    /// Control may reach a safepoint inside: the collector may run, or another thread.
    pub fn is_safepoint(&self) -> bool {
        match self {
            Op::Call(Callee::Prim(p), _) => is_runtime(*p),
            Op::Call(Callee::Foreign(_, way), _) => way.goes_out(),
            Op::Call(..) | Op::Poll | Op::HeapCheck(_) => true,
            Op::Atomic(n) => *n < 0,
            _ => false,
        }
    }

    /// Types of the results; a call's follow from its callee and are none here.
    pub fn result_types(&self, values: &[Ty]) -> SmallVec<[Ty; 2]> {
        let one = |ty| SmallVec::from_slice(&[ty]);
        match self {
            Op::Iconst(_) | Op::FuncAddr(_) | Op::WorkerMark | Op::WorkerCompany => one(Ty::I64),
            Op::Fconst(_) => one(Ty::F64),
            Op::F32const(_) => one(Ty::F32),
            Op::RefImm(_) | Op::Data(_) | Op::ExnDesc(_) | Op::ExnPacket(_) | Op::CurrentThread | Op::Alloc { .. } => {
                one(Ty::Ref)
            }
            Op::Unary(u, _) => one(u.types().1),
            Op::Binary(b, ..) => one(b.ty()),
            Op::Ovf(..) => SmallVec::from_slice(&[Ty::I64, Ty::I64]),
            Op::Cmp(..)
            | Op::FCmp(..)
            | Op::RefEq(..)
            | Op::IsImm(_)
            | Op::ImmValue(_)
            | Op::Tag(_)
            | Op::Length(_)
            | Op::Cas { .. }
            | Op::CountBytes { .. }
            | Op::FindByte { .. } => one(Ty::I64),
            Op::Select(_, a, _) => one(values[a.0 as usize]),
            Op::Load { ty, .. } => one(*ty),
            Op::ElemLoad { elem, .. } => one(elem.ty()),
            // The program's table says; see `Function::push`.
            Op::GlobalLoad(_) | Op::Call(..) => SmallVec::new(),
            Op::Guard(..)
            | Op::Store { .. }
            | Op::ElemStore { .. }
            | Op::GlobalStore(..)
            | Op::Atomic(_)
            | Op::Poll
            | Op::HeapCheck(_) => SmallVec::new(),
        }
    }
}

/// Whether the primitive goes by way of the runtime's C stack, where it may collect or switch.
pub fn is_runtime(prim: Prim) -> bool {
    !matches!(prim.lower(), Lower::Leaf)
}

impl Callee {
    #[inline]
    pub fn each_operand(&self, mut f: impl FnMut(Value)) {
        if let Callee::Closure(v) = self {
            f(*v);
        }
    }
}

impl crate::ir::Unary {
    /// Types of operand and result.
    pub fn types(self) -> (Ty, Ty) {
        use crate::ir::Unary::*;
        match self {
            Neg | Not | Zext8 | Zext16 | Zext32 | Sext8 | Sext16 | Sext32 => (Ty::I64, Ty::I64),
            FNeg | FAbs | FSqrt | FFloor | FCeil | FTrunc | FNearest => (Ty::F64, Ty::F64),
            FOfInt | FOfBits => (Ty::I64, Ty::F64),
            FToInt | FToBits => (Ty::F64, Ty::I64),
            F32To64 => (Ty::F32, Ty::F64),
            F64To32 => (Ty::F64, Ty::F32),
        }
    }
}

impl crate::ir::Binary {
    /// Type of operands and result.
    pub fn ty(self) -> Ty {
        use crate::ir::Binary::*;
        match self {
            FAdd | FSub | FMul | FDiv => Ty::F64,
            _ => Ty::I64,
        }
    }

    pub fn commutes(self) -> bool {
        use crate::ir::Binary::*;
        matches!(self, Add | Mul | And | Or | Xor | FAdd | FMul)
    }
}

impl crate::ir::Cond {
    /// The condition that holds when this one does not.
    pub fn negated(self) -> Self {
        use crate::ir::Cond::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Lt => Ge,
            Ge => Lt,
            Le => Gt,
            Gt => Le,
            ULt => UGe,
            UGe => ULt,
            ULe => UGt,
            UGt => ULe,
        }
    }

    /// The condition with its operands exchanged.
    pub fn swapped(self) -> Self {
        use crate::ir::Cond::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Lt => Gt,
            Gt => Lt,
            Le => Ge,
            Ge => Le,
            ULt => UGt,
            UGt => ULt,
            ULe => UGe,
            UGe => ULe,
        }
    }

    pub fn holds(self, a: i64, b: i64) -> bool {
        use crate::ir::Cond::*;
        match self {
            Eq => a == b,
            Ne => a != b,
            Lt => a < b,
            Le => a <= b,
            Gt => a > b,
            Ge => a >= b,
            ULt => (a as u64) < b as u64,
            ULe => a as u64 <= b as u64,
            UGt => a as u64 > b as u64,
            UGe => a as u64 >= b as u64,
        }
    }
}

impl crate::ir::ByteSet {
    /// Most ranges.
    pub const MOST: usize = 4;

    /// No byte.
    pub fn empty(inverted: bool) -> Self {
        Self { ranges: [(0, 0); Self::MOST], count: 0, inverted }
    }

    /// Adds a range; false when there is no room.
    pub fn add(&mut self, low: u8, high: u8) -> bool {
        let Some(range) = self.ranges.get_mut(usize::from(self.count)) else { return false };
        *range = (low, high);
        self.count += 1;
        true
    }

    /// The bytes for which the function holds, if a few ranges say so; neither none nor all.
    pub fn of(holds: impl Fn(u8) -> bool) -> Option<Self> {
        let ranges = |inverted: bool| {
            let mut set = Self::empty(inverted);
            let mut low = None;
            for byte in 0..=u8::MAX {
                let start = match (holds(byte) != inverted, low) {
                    (true, None) => byte,
                    (true, Some(low)) => low,
                    (false, None) => continue,
                    (false, Some(start)) => {
                        low = None;
                        if !set.add(start, byte - 1) {
                            return None;
                        }
                        continue;
                    }
                };
                low = Some(start);
            }
            let fits = low.is_none_or(|low| set.add(low, u8::MAX));
            (fits && set.count > 0).then_some(set)
        };
        match (ranges(false)?, ranges(true)?) {
            (these, others) if others.count < these.count => Some(others),
            (these, _) => Some(these),
        }
    }

    /// Lowest and highest of each range.
    pub fn ranges(&self) -> &[(u8, u8)] {
        &self.ranges[..usize::from(self.count)]
    }

    /// Whether it has the byte.
    pub fn has(&self, byte: u8) -> bool {
        self.ranges().iter().any(|&(low, high)| (low..=high).contains(&byte)) != self.inverted
    }
}

impl crate::ir::FCond {
    pub fn holds(self, a: f64, b: f64) -> bool {
        use crate::ir::FCond::*;
        match self {
            Eq => a == b,
            Ne => a != b,
            Lt => a < b,
            Le => a <= b,
            Gt => a > b,
            Ge => a >= b,
        }
    }
}

impl Elem {
    /// Type of the element as a value.
    pub fn ty(self) -> Ty {
        match self {
            Elem::F32 => Ty::F32,
            Elem::F64 => Ty::F64,
            Elem::Ref => Ty::Ref,
            _ => Ty::I64,
        }
    }

    /// log2 of its size in bytes.
    pub fn log2(self) -> u32 {
        match self {
            Elem::U8 | Elem::I8 => 0,
            Elem::U16 | Elem::I16 => 1,
            Elem::U32 | Elem::I32 | Elem::F32 => 2,
            Elem::I64 | Elem::F64 | Elem::Ref => 3,
        }
    }
}

impl Target {
    pub fn new(block: crate::ir::Block, args: impl IntoIterator<Item = Value>) -> Target {
        Target { block, args: args.into_iter().collect() }
    }
}

impl Term {
    /// The function that is called.
    pub fn function(&self) -> Option<Func> {
        match *self {
            Term::TailCall(Callee::Func(f), _) | Term::Invoke { callee: Callee::Func(f), .. } => Some(f),
            _ => None,
        }
    }

    /// Calls `f` with each operand, arguments of targets included.
    #[inline]
    pub fn each_operand(&self, mut f: impl FnMut(Value)) {
        own_operands!(self, iter, |v| f(*v));
        self.each_target(|t| t.args.iter().for_each(|&v| f(v)));
    }

    /// Calls `f` with each operand that is read before control leaves the block, and how it is read: all but the
    /// arguments of targets.
    #[inline]
    pub fn each_own_use(&self, mut f: impl FnMut(Value, Use)) {
        let how = if matches!(self, Term::Branch(..)) { Use::Condition } else { Use::Data };
        own_operands!(self, iter, |v| f(*v, how));
    }

    /// Replaces each operand, arguments of targets included.
    #[inline]
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        own_operands!(self, iter_mut, |v| *v = f(*v));
        self.each_target_mut(|t| t.args.iter_mut().for_each(|v| *v = f(*v)));
    }

    /// Calls `f` with each target, in order; a `Switch`'s default last.
    #[inline]
    pub fn each_target(&self, mut f: impl FnMut(&Target)) {
        targets!(self, iter, f);
    }

    #[inline]
    pub fn each_target_mut(&mut self, mut f: impl FnMut(&mut Target)) {
        targets!(self, iter_mut, f);
    }
}

impl BlockData {
    /// Calls `f` with each block where control may go from here: targets, and the handler that slow paths raise to.
    #[inline]
    pub fn each_successor(&self, mut f: impl FnMut(crate::ir::Block)) {
        self.term.each_target(|t| f(t.block));
        if let Some(handler) = self.handler {
            f(handler);
        }
    }
}

impl Default for BlockData {
    fn default() -> BlockData {
        BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term: Term::Unreachable,
            cold: false,
            handler: None,
            loc: Loc::default(),
        }
    }
}

impl Function {
    /// A function without code: one empty entry block.
    pub fn new(name: String, results: Vec<Ty>) -> Function {
        Function {
            name,
            loc: Loc::default(),
            blocks: vec![BlockData::default()],
            entry: crate::ir::Block(0),
            results,
            values: Vec::new(),
            is_closure: false,
            noinline: false,
            copies: 0,
            entry_check: false,
        }
    }

    pub fn new_value(&mut self, ty: Ty) -> Value {
        self.values.push(ty);
        Value(self.values.len() as u32 - 1)
    }

    pub fn new_block(&mut self) -> crate::ir::Block {
        self.blocks.push(BlockData::default());
        crate::ir::Block(self.blocks.len() as u32 - 1)
    }

    /// A new parameter at the end of a block's.
    pub fn add_param(&mut self, block: crate::ir::Block, ty: Ty) -> Value {
        let value = self.new_value(ty);
        self[block].params.push(value);
        value
    }

    #[inline]
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.0 as usize]
    }

    /// A new instruction with results of these types; not yet in a block.
    pub fn make(&mut self, op: Op, types: &[Ty], loc: Loc) -> Inst {
        let results = types.iter().map(|&ty| self.new_value(ty)).collect();
        Inst { op, results, loc }
    }

    /// Appends an operation whose result types follow from itself; answers its first result, or `Value(u32::MAX)`.
    pub fn push(&mut self, block: crate::ir::Block, op: Op, loc: Loc) -> Value {
        let types = op.result_types(&self.values);
        let inst = self.make(op, &types, loc);
        let first = inst.results.first().copied().unwrap_or(Value(u32::MAX));
        self[block].insts.push(inst);
        first
    }

    /// Parameters' types.
    pub fn params(&self) -> impl Iterator<Item = Ty> + '_ {
        self[self.entry].params.iter().map(|&v| self.ty(v))
    }
}

impl std::ops::Index<crate::ir::Block> for Function {
    type Output = BlockData;
    #[inline]
    fn index(&self, block: crate::ir::Block) -> &BlockData {
        &self.blocks[block.0 as usize]
    }
}

impl std::ops::IndexMut<crate::ir::Block> for Function {
    #[inline]
    fn index_mut(&mut self, block: crate::ir::Block) -> &mut BlockData {
        &mut self.blocks[block.0 as usize]
    }
}

/// The values, as an instruction's operand list.
pub fn values(vs: &[Value]) -> Values {
    Values::from_slice(vs)
}
