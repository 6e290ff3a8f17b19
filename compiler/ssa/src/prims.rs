//! Primitives -> instructions: everything that `abi::prim` calls `Inline`, and calls of the others.
//!
//! Checks are written as a condition and a guard. Shift counts of 64 and more are selected for, divisors of 0 guarded
//! (S9).

use crate::from_mono::Emit;
use crate::ir::*;
use crate::ops::values;
use crate::repr::array_shape;
use crate::watch::{Accessed, Announced};
use leat_abi::exn::Builtin;
use leat_abi::header;
use leat_abi::prim::{self, Lower, Prim, Raises};
use leat_abi::thread::Thread;
use leat_mono::ir as mono;
use leat_mono::ir::{Atom, Scalar, TyData, Var};

const THREAD_ID: u32 = (core::mem::offset_of!(Thread, id) / leat_abi::header::WORD) as u32;
const THREAD_PROPS: u32 = (core::mem::offset_of!(Thread, props) / leat_abi::header::WORD) as u32;
const THREAD_STAMP: u32 = (core::mem::offset_of!(Thread, stamp) / leat_abi::header::WORD) as u32;
const THREAD_MESSAGE: u32 = (core::mem::offset_of!(Thread, message) / leat_abi::header::WORD) as u32;
const THREAD_LABEL: u32 = (core::mem::offset_of!(Thread, label) / leat_abi::header::WORD) as u32;

impl Emit<'_, '_> {
    /// The primitive's value; none for a unit result. `vars` receive it.
    pub(crate) fn prim(&mut self, prim: Prim, tys: &[mono::Ty], args: &[Atom], vars: &[Var]) -> Option<Value> {
        use Prim::*;
        Some(match prim {
            IntAdd => self.checked(Ovf::Add, args),
            IntSub => self.checked(Ovf::Sub, args),
            IntMul => self.checked(Ovf::Mul, args),
            IntDiv | IntMod => self.div_floor(args, prim == IntMod),
            IntQuot | IntRem => {
                let (a, b) = self.two(args);
                let constant = self.int_of(args[1]);
                self.divide(a, b, constant, prim == IntRem)
            }
            IntNeg => {
                let a = self.atom(args[0]);
                let zero = self.iconst(0);
                self.checked_values(Ovf::Sub, zero, a)
            }
            IntAbs => {
                let a = self.atom(args[0]);
                let least = self.iconst(i64::MIN);
                let bad = self.push(Op::Cmp(Cond::Eq, a, least));
                self.guard(bad, Builtin::Overflow);
                let zero = self.iconst(0);
                let negative = self.push(Op::Cmp(Cond::Lt, a, zero));
                let minus = self.push(Op::Unary(Unary::Neg, a));
                self.push(Op::Select(negative, minus, a))
            }
            IntLt => self.cmp(Cond::Lt, args),
            IntLe => self.cmp(Cond::Le, args),
            IntGt => self.cmp(Cond::Gt, args),
            IntGe => self.cmp(Cond::Ge, args),
            IntEq => self.cmp(Cond::Eq, args),
            WordAdd => self.binary(Binary::Add, args),
            WordSub => self.binary(Binary::Sub, args),
            WordMul => self.binary(Binary::Mul, args),
            WordDiv => self.unsigned_division(Binary::UDiv, args),
            WordMod => self.unsigned_division(Binary::URem, args),
            WordNeg => self.unary(Unary::Neg, args),
            WordLt | CharLt | Word8Lt => self.cmp(Cond::ULt, args),
            WordLe | CharLe | Word8Le => self.cmp(Cond::ULe, args),
            WordGt | CharGt | Word8Gt => self.cmp(Cond::UGt, args),
            WordGe | CharGe | Word8Ge => self.cmp(Cond::UGe, args),
            WordAnd => self.binary(Binary::And, args),
            WordOr => self.binary(Binary::Or, args),
            WordXor => self.binary(Binary::Xor, args),
            WordNot => self.unary(Unary::Not, args),
            WordShl => self.shift(Binary::Shl, args),
            WordShr => self.shift(Binary::Shr, args),
            WordSar => self.shift(Binary::Sar, args),
            Bits | Cast => self.atom(*args.first()?),
            Zext8 => self.unary(Unary::Zext8, args),
            Zext16 => self.unary(Unary::Zext16, args),
            Zext32 => self.unary(Unary::Zext32, args),
            Sext8 => self.unary(Unary::Sext8, args),
            Sext16 => self.unary(Unary::Sext16, args),
            Sext32 => self.unary(Unary::Sext32, args),
            Word8Add => self.narrow(Binary::Add, args),
            Word8Sub => self.narrow(Binary::Sub, args),
            Word8Mul => self.narrow(Binary::Mul, args),
            Word8Div => self.unsigned_division(Binary::UDiv, args),
            Word8Mod => self.unsigned_division(Binary::URem, args),
            Word8Neg => {
                let minus = self.unary(Unary::Neg, args);
                self.push(Op::Unary(Unary::Zext8, minus))
            }
            RealAdd | RealSub | RealMul | RealDiv | RealSqrt | RealOfInt if self.an.sets_rounding => {
                let rounded = match prim {
                    RealAdd => RealAddRounded,
                    RealSub => RealSubRounded,
                    RealMul => RealMulRounded,
                    RealDiv => RealDivRounded,
                    RealSqrt => RealSqrtRounded,
                    _ => RealOfIntRounded,
                };
                let operands: Values = args.iter().map(|&arg| self.atom(arg)).collect();
                self.call(Callee::Prim(rounded), operands, &[Ty::F64], false)[0]
            }
            RealAdd => self.binary(Binary::FAdd, args),
            RealSub => self.binary(Binary::FSub, args),
            RealMul => self.binary(Binary::FMul, args),
            RealDiv => self.binary(Binary::FDiv, args),
            RealNeg => self.unary(Unary::FNeg, args),
            RealAbs => self.unary(Unary::FAbs, args),
            RealLt => self.fcmp(FCond::Lt, args),
            RealLe => self.fcmp(FCond::Le, args),
            RealGt => self.fcmp(FCond::Gt, args),
            RealGe => self.fcmp(FCond::Ge, args),
            RealEq => self.fcmp(FCond::Eq, args),
            RealSqrt => self.unary(Unary::FSqrt, args),
            RealFloor => self.unary(Unary::FFloor, args),
            RealCeil => self.unary(Unary::FCeil, args),
            RealTrunc => self.unary(Unary::FTrunc, args),
            RealRound => self.unary(Unary::FNearest, args),
            RealOfInt => self.unary(Unary::FOfInt, args),
            RealToIntUnsafe => self.unary(Unary::FToInt, args),
            RealToBits => self.unary(Unary::FToBits, args),
            RealOfBits => self.unary(Unary::FOfBits, args),
            RefNew | RefHere => {
                // A race is told of by the place where the reference was made.
                let known = prim == RefHere || self.p.watch == mono::Watch::Races;
                let tag = if known { self.place_number() } else { 0 };
                let value = self.content(args.first());
                let (raws, refs) =
                    if self.f.ty(value) == Ty::Ref { (&[][..], &[value][..]) } else { (&[value][..], &[][..]) };
                self.push(Op::Alloc { tag, raws: values(raws), refs: values(refs) })
            }
            RefGet => {
                let ty = self.elem_ty(tys, vars);
                let obj = self.atom(args[0]);
                self.before(prim::Access::Load, obj, tys);
                let value = self.push(Op::Load { ty, obj, field: 0, mutable: true });
                self.behind(obj, tys);
                value
            }
            RefSet => {
                let obj = self.atom(args[0]);
                let (value, barrier) = self.stored(args.get(1));
                self.before(prim::Access::Store, obj, tys);
                self.push(Op::Store { obj, field: 0, value, barrier });
                return None;
            }
            PtrEq => {
                let (a, b) = self.two(args);
                let op = match self.f.ty(a) {
                    Ty::Ref => Op::RefEq(a, b),
                    // Reals are the same if their bits are.
                    Ty::F64 => {
                        let (a, b) = (self.push(Op::Unary(Unary::FToBits, a)), self.push(Op::Unary(Unary::FToBits, b)));
                        Op::Cmp(Cond::Eq, a, b)
                    }
                    _ => Op::Cmp(Cond::Eq, a, b),
                };
                self.push(op)
            }
            RefCas => {
                let obj = self.atom(args[0]);
                let (old, new) = (self.content(args.get(1)), self.content(args.get(2)));
                let ty = self.f.ty(old);
                self.before(prim::Access::Swap, obj, tys);
                let done = self.push(Op::Cas { ty, obj, field: 0, old, new });
                self.behind(obj, tys);
                done
            }
            ArrayNew => {
                let count = self.atom(args[0]);
                let elem = self.elem(tys);
                let mut init = self.content(args.get(1));
                if elem == Elem::F32 {
                    init = self.call(Callee::Prim(Prim::RealToBits32), values(&[init]), &[Ty::I64], false)[0];
                } else if self.f.ty(init) == Ty::F64 {
                    init = self.push(Op::Unary(Unary::FToBits, init));
                }
                let shape = self.iconst(array_shape(elem));
                self.call(Callee::Prim(prim), values(&[count, init, shape]), &[Ty::Ref], true)[0]
            }
            ArrayNewUninit => {
                let count = self.atom(args[0]);
                let elem = self.elem(tys);
                let shape = self.iconst(array_shape(elem));
                self.call(Callee::Prim(prim), values(&[count, shape]), &[Ty::Ref], true)[0]
            }
            ArrayLacks => {
                let value = self.content(args.get(1));
                match tys.first() {
                    Some(&elem) if self.repr.is_address(elem) => self.push(Op::IsImm(value)),
                    _ => self.iconst(0),
                }
            }
            ArrayLength | StringSize => {
                let a = self.atom(args[0]);
                self.push(Op::Length(a))
            }
            ArraySub | ArraySubUnsafe | VectorSub | VectorSubUnsafe | StringSub | StringSubUnsafe => {
                let (array, index) = self.two(args);
                if matches!(prim, ArraySub | VectorSub | StringSub) {
                    self.bounds(array, index);
                }
                let elem = if matches!(prim, StringSub | StringSubUnsafe) { Elem::U8 } else { self.elem(tys) };
                let mutable = matches!(prim, ArraySub | ArraySubUnsafe);
                if mutable {
                    self.elements(prim::Access::Load, array, index, None);
                }
                let value = self.push(Op::ElemLoad { elem, array, index, mutable });
                if elem == Elem::F32 { self.push(Op::Unary(Unary::F32To64, value)) } else { value }
            }
            ArrayUpdate | ArrayUpdateUnsafe => {
                let (array, index) = self.two(args);
                if prim == ArrayUpdate {
                    self.bounds(array, index);
                }
                let elem = self.elem(tys);
                let (mut value, barrier) = self.stored(args.get(2));
                if elem == Elem::F32 {
                    value = self.push(Op::Unary(Unary::F64To32, value));
                }
                self.elements(prim::Access::Store, array, index, None);
                self.push(Op::ElemStore { elem, array, index, value, barrier });
                return None;
            }
            ArrayCopyUnsafe => {
                let vs: Values = args.iter().map(|&a| self.atom(a)).collect();
                if !self.is_vector(args[0]) {
                    self.elements(prim::Access::Load, vs[0], vs[1], Some(vs[4]));
                }
                self.elements(prim::Access::Store, vs[2], vs[3], Some(vs[4]));
                self.call(Callee::Prim(prim), vs, &[], prim.raises() != Raises::Nothing);
                return None;
            }
            StringLt => self.string_order(Cond::Lt, args),
            StringLe => self.string_order(Cond::Le, args),
            StringGt => self.string_order(Cond::Gt, args),
            StringGe => self.string_order(Cond::Ge, args),
            ExnName => {
                let desc = self.load(args, &[(Ty::Ref, 0)]);
                self.push(Op::Load { ty: Ty::Ref, obj: desc, field: 1, mutable: false })
            }
            ExnArgKind => self.load(args, &[(Ty::Ref, 0), (Ty::I64, 0)]),
            ExnArgString => self.load(args, &[(Ty::Ref, 1)]),
            ExnArgInt => self.load(args, &[(Ty::Ref, 1), (Ty::I64, 0)]),
            // What is no object is not kept alive by anything: such a pointer is dead from the start.
            WeakNew => {
                let mut value = self.content(args.first());
                if self.f.ty(value) != Ty::Ref {
                    value = self.push(Op::RefImm(header::immediate(0)));
                }
                let vs: Values = [value].into_iter().collect();
                return self.call(Callee::Prim(prim), vs, &[Ty::Ref], false).first().copied();
            }
            WeakGet => {
                let ty = self.elem_ty(tys, vars);
                let obj = self.atom(args[0]);
                let target = self.push(Op::Load { ty: Ty::Ref, obj, field: 0, mutable: true });
                if ty == Ty::Ref { target } else { self.push(Op::Load { ty, obj: target, field: 0, mutable: true }) }
            }
            WeakLive => {
                let obj = self.atom(args[0]);
                let target = self.push(Op::Load { ty: Ty::Ref, obj, field: 0, mutable: true });
                let dead = self.push(Op::IsImm(target));
                let zero = self.iconst(0);
                self.push(Op::Cmp(Cond::Eq, dead, zero))
            }
            ThreadSelf => self.push(Op::CurrentThread),
            WorkerMark => self.push(Op::WorkerMark),
            WorkerCompany => self.push(Op::WorkerCompany),
            ThreadId => self.load(args, &[(Ty::I64, THREAD_ID)]),
            ThreadProps | ThreadLabel => {
                let obj = if args.is_empty() { self.push(Op::CurrentThread) } else { self.atom(args[0]) };
                let field = if prim == ThreadProps { THREAD_PROPS } else { THREAD_LABEL };
                self.push(Op::Load { ty: Ty::Ref, obj, field, mutable: true })
            }
            ThreadSetProps | ThreadSetLabel => {
                let (obj, value) = match args {
                    [value] => (self.push(Op::CurrentThread), *value),
                    _ => (self.atom(args[0]), args[1]),
                };
                let field = if prim == ThreadSetProps { THREAD_PROPS } else { THREAD_LABEL };
                let (value, barrier) = self.stored(Some(&value));
                self.push(Op::Store { obj, field, value, barrier });
                return None;
            }
            ThreadStamp | ThreadMessage => {
                let obj = self.atom(args[0]);
                let (ty, field) = if prim == ThreadStamp { (Ty::I64, THREAD_STAMP) } else { (Ty::Ref, THREAD_MESSAGE) };
                let value = self.push(Op::Load { ty, obj, field, mutable: true });
                self.order(prim::Access::Acquire, obj);
                value
            }
            ThreadSetStamp | ThreadSetMessage => {
                let obj = self.atom(args[0]);
                let field = if prim == ThreadSetStamp { THREAD_STAMP } else { THREAD_MESSAGE };
                let (value, barrier) = self.stored(args.get(1));
                self.order(prim::Access::Release, obj);
                self.push(Op::Store { obj, field, value, barrier });
                return None;
            }
            ThreadCasStamp => {
                let obj = self.atom(args[0]);
                let (old, new) = (self.atom(args[1]), self.atom(args[2]));
                self.order(prim::Access::Release, obj);
                let done = self.push(Op::Cas { ty: Ty::I64, obj, field: THREAD_STAMP, old, new });
                self.order(prim::Access::Acquire, obj);
                done
            }
            // Its stamp says so.
            ThreadEnded => {
                let obj = self.atom(args[0]);
                let ended = self.call(Callee::Prim(prim), values(&[obj]), &[Ty::I64], false)[0];
                self.order(prim::Access::Acquire, obj);
                ended
            }
            AtomicBegin | AtomicEnd => {
                self.push(Op::Atomic(if prim == AtomicBegin { 1 } else { -1 }));
                return None;
            }
            PolyEq | Describe => {
                self.error = Some(format!("M5: {} in Mono", prim.name()));
                self.iconst(0)
            }
            _ => {
                debug_assert!(prim.lower() != Lower::Inline, "{} has no lowering", prim.name());
                let vs: Values = args.iter().map(|&a| self.atom(a)).collect();
                let types: Vec<Ty> = vars.iter().map(|&v| self.ty(v)).collect();
                return self.call(Callee::Prim(prim), vs, &types, prim.raises() != Raises::Nothing).first().copied();
            }
        })
    }

    /// In a watched program: the content of a reference is loaded or stored next.
    fn before(&mut self, access: prim::Access, obj: Value, tys: &[mono::Ty]) {
        match self.content_announced(tys) {
            Some(Announced::Access) => self.announce(access, obj, None, None),
            Some(Announced::Order) if access != prim::Access::Load => self.order(prim::Access::Release, obj),
            _ => {}
        }
    }

    /// Likewise: it was loaded.
    fn behind(&mut self, obj: Value, tys: &[mono::Ty]) {
        if self.content_announced(tys) == Some(Announced::Order) {
            self.order(prim::Access::Acquire, obj);
        }
    }

    /// Likewise: these elements of an array are loaded or stored next, or one when there is no count. The library
    /// orders nothing by elements.
    fn elements(&mut self, access: prim::Access, array: Value, first: Value, count: Option<Value>) {
        let accessed = Accessed::Elements { is_store: access != prim::Access::Load };
        if self.announced(accessed) == Some(Announced::Access) {
            self.announce(access, array, Some(first), count);
        }
    }

    /// Likewise: the library orders threads by a load or store of this object.
    fn order(&mut self, access: prim::Access, obj: Value) {
        if self.p.watch == mono::Watch::Races {
            self.announce(access, obj, None, None);
        }
    }

    /// What an access to a reference with such a content is for the runtime, here.
    fn content_announced(&self, tys: &[mono::Ty]) -> Option<Announced> {
        let is_number = tys.first().is_some_and(|&ty| matches!(self.repr.types().get(ty), TyData::Scalar(Scalar::Int)));
        self.announced(Accessed::Content { is_number })
    }

    fn announced(&self, accessed: Accessed) -> Option<Announced> {
        self.owners.as_ref()?.announced(self.loc, &self.places.inlined, accessed)
    }

    /// Whether it is a vector or a string, as it is written.
    fn is_vector(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(v) => !matches!(self.repr.types().get(self.p.ty(v)), TyData::Array(_)),
            _ => true,
        }
    }

    fn announce(&mut self, access: prim::Access, obj: Value, first: Option<Value>, count: Option<Value>) {
        let first = first.unwrap_or_else(|| self.iconst(0));
        let count = count.unwrap_or_else(|| self.iconst(1));
        let access = self.iconst(access as i64);
        self.call(Callee::Prim(Prim::Access), values(&[obj, first, count, access]), &[], false);
    }

    fn two(&mut self, args: &[Atom]) -> (Value, Value) {
        let a = self.atom(args[0]);
        (a, self.atom(args[1]))
    }

    fn unary(&mut self, op: Unary, args: &[Atom]) -> Value {
        let a = self.atom(args[0]);
        self.push(Op::Unary(op, a))
    }

    fn binary(&mut self, op: Binary, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        self.push(Op::Binary(op, a, b))
    }

    fn cmp(&mut self, cond: Cond, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        self.push(Op::Cmp(cond, a, b))
    }

    fn fcmp(&mut self, cond: FCond, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        self.push(Op::FCmp(cond, a, b))
    }

    /// word8: the low eight bits of the result.
    fn narrow(&mut self, op: Binary, args: &[Atom]) -> Value {
        let wide = self.binary(op, args);
        self.push(Op::Unary(Unary::Zext8, wide))
    }

    fn checked(&mut self, op: Ovf, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        self.checked_values(op, a, b)
    }

    fn checked_values(&mut self, op: Ovf, a: Value, b: Value) -> Value {
        let inst = self.f.make(Op::Ovf(op, a, b), &[Ty::I64, Ty::I64], self.loc);
        let (value, overflow) = (inst.results[0], inst.results[1]);
        self.f[self.cur].insts.push(inst);
        self.guard(overflow, Builtin::Overflow);
        value
    }

    /// The content of a reference or an array element; unit gives no argument.
    fn content(&mut self, arg: Option<&Atom>) -> Value {
        match arg {
            Some(&atom) => self.atom(atom),
            None => self.iconst(0),
        }
    }

    /// A value to be stored, and whether the store needs the write barrier: what is known when compiling is never
    /// young.
    fn stored(&mut self, arg: Option<&Atom>) -> (Value, bool) {
        let constant = arg.is_none_or(|&atom| matches!(self.operand(atom), crate::closure::Operand::Const(_)));
        let value = self.content(arg);
        (value, self.f.ty(value) == Ty::Ref && !constant)
    }

    fn elem(&mut self, tys: &[mono::Ty]) -> Elem {
        match tys.first() {
            Some(&ty) => self.repr.elem(ty),
            None => {
                self.error = Some("M2: an array primitive without its element type".into());
                Elem::Ref
            }
        }
    }

    fn elem_ty(&mut self, tys: &[mono::Ty], vars: &[Var]) -> Ty {
        match (tys.first(), vars.first()) {
            (Some(&ty), _) => self.repr.value(ty),
            (None, Some(&v)) => self.ty(v),
            (None, None) => Ty::I64,
        }
    }

    fn bounds(&mut self, array: Value, index: Value) {
        let length = self.push(Op::Length(array));
        let bad = self.push(Op::Cmp(Cond::UGe, index, length));
        self.guard(bad, Builtin::Subscript);
    }

    /// Loads one after the other, each from what the one before gave.
    fn load(&mut self, args: &[Atom], path: &[(Ty, u32)]) -> Value {
        let mut value = self.atom(args[0]);
        for &(ty, field) in path {
            value = self.push(Op::Load { ty, obj: value, field, mutable: false });
        }
        value
    }

    fn string_order(&mut self, cond: Cond, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        let order = self.call(Callee::Prim(Prim::StringCompare), values(&[a, b]), &[Ty::I64], false)[0];
        let zero = self.iconst(0);
        self.push(Op::Cmp(cond, order, zero))
    }

    fn shift(&mut self, op: Binary, args: &[Atom]) -> Value {
        let (a, n) = self.two(args);
        let limit = if op == Binary::Sar { 63 } else { 64 };
        match self.int_of(args[1]) {
            Some(k) if (k as u64) < 64 => self.push(Op::Binary(op, a, n)),
            Some(_) if op == Binary::Sar => {
                let n = self.iconst(limit);
                self.push(Op::Binary(op, a, n))
            }
            Some(_) => self.iconst(0),
            None if op == Binary::Sar => {
                let most = self.iconst(limit);
                let small = self.push(Op::Cmp(Cond::ULt, n, most));
                let count = self.push(Op::Select(small, n, most));
                self.push(Op::Binary(op, a, count))
            }
            None => {
                let mask = self.iconst(63);
                let count = self.push(Op::Binary(Binary::And, n, mask));
                let shifted = self.push(Op::Binary(op, a, count));
                let limit = self.iconst(limit);
                let small = self.push(Op::Cmp(Cond::ULt, n, limit));
                let zero = self.iconst(0);
                self.push(Op::Select(small, shifted, zero))
            }
        }
    }

    fn guard_zero(&mut self, b: Value, constant: Option<i64>) {
        if constant.is_none_or(|n| n == 0) {
            let zero = self.iconst(0);
            let bad = self.push(Op::Cmp(Cond::Eq, b, zero));
            self.guard(bad, Builtin::Div);
        }
    }

    /// For a divisor that is 0 when compiling: the guard always raises, and the division must not be written.
    fn divisor(&mut self, b: Value, constant: Option<i64>) -> Value {
        if constant == Some(0) { self.iconst(1) } else { b }
    }

    fn unsigned_division(&mut self, op: Binary, args: &[Atom]) -> Value {
        let (a, b) = self.two(args);
        let constant = self.int_of(args[1]);
        self.guard_zero(b, constant);
        let b = self.divisor(b, constant);
        self.push(Op::Binary(op, a, b))
    }

    /// Quotient or remainder, rounding to zero.
    fn divide(&mut self, a: Value, b: Value, constant: Option<i64>, remainder: bool) -> Value {
        self.guard_zero(b, constant);
        let b = self.divisor(b, constant);
        if remainder {
            return self.push(Op::Binary(Binary::SRem, a, b));
        }
        self.guard_least(a, b, constant);
        self.push(Op::Binary(Binary::SDiv, a, b))
    }

    /// The least int by -1 overflows.
    fn guard_least(&mut self, a: Value, b: Value, constant: Option<i64>) {
        if constant.is_none_or(|n| n == -1) {
            let least = self.iconst(i64::MIN);
            let is_least = self.push(Op::Cmp(Cond::Eq, a, least));
            let minus_one = self.iconst(-1);
            let is_minus_one = self.push(Op::Cmp(Cond::Eq, b, minus_one));
            let bad = self.push(Op::Binary(Binary::And, is_least, is_minus_one));
            self.guard(bad, Builtin::Overflow);
        }
    }

    /// `div` and `mod`, rounding down.
    fn div_floor(&mut self, args: &[Atom], modulo: bool) -> Value {
        let (a, b) = self.two(args);
        let constant = self.int_of(args[1]);
        self.guard_zero(b, constant);
        let b = self.divisor(b, constant);
        if !modulo {
            self.guard_least(a, b, constant);
        }
        self.push(Op::Binary(if modulo { Binary::Mod } else { Binary::Div }, a, b))
    }
}
