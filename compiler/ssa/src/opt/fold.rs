//! One instruction whose arguments are known -> a constant, another value, or a cheaper instruction.
//!
//! Part of [`super::simplify`], whose sweep asks here for each instruction. Keeps: the instruction's value, of reals
//! in every rounding mode.

use super::simplify::{Fold, Known, Simplify};
use crate::interp;
use crate::ir::*;

impl Simplify<'_> {
    /// What becomes of an instruction with one result, by what is known of its arguments.
    pub(super) fn fold(&mut self, f: &mut Function, op: &mut Op, loc: Loc) -> Fold {
        match op {
            Op::Unary(u, a) => self.unary(*u, *a),
            Op::Binary(b, x, y) => {
                if b.commutes() && self.int(*x).is_some() && self.int(*y).is_none() {
                    std::mem::swap(x, y);
                }
                self.binary(f, *b, *x, *y, loc)
            }
            Op::Cmp(c, x, y) => {
                if self.int(*x).is_some() && self.int(*y).is_none() {
                    std::mem::swap(x, y);
                    *c = c.swapped();
                }
                self.cmp(f, *c, *x, *y, loc)
            }
            Op::FCmp(c, x, y) => match (self.known(*x), self.known(*y)) {
                (Known::Real(x), Known::Real(y)) => Fold::Int(i64::from(c.holds(f64::from_bits(x), f64::from_bits(y)))),
                _ => Fold::Keep,
            },
            Op::RefEq(x, y) => match (self.known(*x), self.known(*y)) {
                _ if x == y => Fold::Int(1),
                (Known::Imm(m), Known::Imm(n)) => Fold::Int(i64::from(m == n)),
                (Known::Imm(_), k) | (k, Known::Imm(_)) if is_address(k) => Fold::Int(0),
                _ => Fold::Keep,
            },
            Op::IsImm(x) => match self.known(*x) {
                Known::Imm(_) => Fold::Int(1),
                k if is_address(k) => Fold::Int(0),
                _ => Fold::Keep,
            },
            Op::ImmValue(x) => match self.known(*x) {
                Known::Imm(n) => Fold::Int((n >> 1) as i64),
                _ => Fold::Keep,
            },
            Op::Tag(x) => match self.known(*x) {
                Known::Alloc(i) => Fold::Int(i64::from(self.allocs[i as usize].0)),
                Known::Data(d) => match self.datas.get(d.0 as usize) {
                    Some(StaticData::Record { tag, .. }) => Fold::Int(i64::from(*tag)),
                    _ => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            Op::Length(x) => match self.known(*x) {
                Known::Data(d) => match self.datas.get(d.0 as usize) {
                    Some(StaticData::Array { log2, bytes }) => Fold::Int((bytes.len() >> log2) as i64),
                    _ => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            Op::Select(c, x, y) => match (self.int(*c), self.int(*x), self.int(*y)) {
                (Some(0), ..) => Fold::Value(*y),
                (Some(_), ..) => Fold::Value(*x),
                _ if x == y => Fold::Value(*x),
                (_, Some(1), Some(0)) if self.most(*c) <= 1 => Fold::Value(*c),
                (_, Some(0), Some(1)) => {
                    let zero = self.new_int(f, 0, loc);
                    Fold::Op(Op::Cmp(Cond::Eq, *c, zero))
                }
                _ => Fold::Keep,
            },
            Op::Load { obj, field, mutable: false, ty } => match self.known(*obj) {
                Known::Alloc(i) if !self.stored[obj.0 as usize] => match self.allocs[i as usize].1.get(*field as usize)
                {
                    Some(&v) if f.ty(v) == *ty => Fold::Value(v),
                    _ => Fold::Keep,
                },
                Known::Data(d) => self.static_field(d, *field, *ty),
                _ => Fold::Keep,
            },
            _ => Fold::Keep,
        }
    }

    fn static_field(&self, d: Data, field: u32, ty: Ty) -> Fold {
        let Some(StaticData::Record { raws, refs, .. }) = self.datas.get(d.0 as usize) else { return Fold::Keep };
        let field = field as usize;
        if field < raws.len() {
            return match (raws[field], ty) {
                (RawInit::Int(n), Ty::I64) => Fold::Int(n),
                (RawInit::Int(n), Ty::F64) => Fold::Op(Op::Fconst(n as u64)),
                _ => Fold::Keep,
            };
        }
        match (refs.get(field - raws.len()), ty) {
            (Some(RefInit::Imm(n)), Ty::Ref) => Fold::Op(Op::RefImm(*n)),
            (Some(RefInit::Data(d)), Ty::Ref) => Fold::Op(Op::Data(*d)),
            _ => Fold::Keep,
        }
    }

    fn unary(&self, u: Unary, a: Value) -> Fold {
        let constant = match self.known(a) {
            Known::Int(n) => Some(n as u64),
            Known::Real(bits) => Some(bits),
            _ => None,
        };
        if let Some(x) = constant
            && !matches!(u, Unary::F32To64 | Unary::F64To32)
        {
            let y = interp::unary(u, x);
            return if u.types().1 == Ty::I64 { Fold::Int(y as i64) } else { Fold::Op(Op::Fconst(y)) };
        }
        match (u, self.known(a)) {
            (Unary::Neg, Known::Unary(Unary::Neg, x))
            | (Unary::Not, Known::Unary(Unary::Not, x))
            | (Unary::FNeg, Known::Unary(Unary::FNeg, x))
            | (Unary::FOfBits, Known::Unary(Unary::FToBits, x))
            | (Unary::FToBits, Known::Unary(Unary::FOfBits, x)) => Fold::Value(x),
            (Unary::Zext8, _) if self.most(a) <= 0xff => Fold::Value(a),
            (Unary::Zext16, _) if self.most(a) <= 0xffff => Fold::Value(a),
            (Unary::Zext32, _) if self.most(a) <= 0xffff_ffff => Fold::Value(a),
            (Unary::Sext8, _) if self.most(a) <= 0x7f => Fold::Value(a),
            (Unary::Sext16, _) if self.most(a) <= 0x7fff => Fold::Value(a),
            (Unary::Sext32, _) if self.most(a) <= 0x7fff_ffff => Fold::Value(a),
            _ => Fold::Keep,
        }
    }

    fn binary(&mut self, f: &mut Function, op: Binary, x: Value, y: Value, loc: Loc) -> Fold {
        if let (Known::Real(a), Known::Real(b)) = (self.known(x), self.known(y)) {
            return interp::binary(op, a, b).map_or(Fold::Keep, |bits| Fold::Op(Op::Fconst(bits)));
        }
        // Exact in every rounding mode, and without a constant in a register.
        let is_two = |known| matches!(known, Known::Real(bits) if bits == 2f64.to_bits());
        match op {
            Binary::FMul if is_two(self.known(x)) => return Fold::Op(Op::Binary(Binary::FAdd, y, y)),
            Binary::FMul if is_two(self.known(y)) => return Fold::Op(Op::Binary(Binary::FAdd, x, x)),
            Binary::FDiv => {
                if let Known::Real(bits) = self.known(y)
                    && let Some(bits) = exact_reciprocal(bits)
                {
                    let y = self.new_real(f, bits, loc);
                    return Fold::Op(Op::Binary(Binary::FMul, x, y));
                }
            }
            _ => {}
        }
        if op.ty() != Ty::I64 {
            return Fold::Keep;
        }
        let (a, b) = (self.int(x), self.int(y));
        if let (Some(a), Some(b)) = (a, b) {
            return Fold::Int(interp::binary(op, a as u64, b as u64).unwrap_or(0) as i64);
        }
        match (op, b) {
            // Dead behind its guard, but still here: any value will do (S9).
            (Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem | Binary::UDiv | Binary::URem, Some(0)) => {
                Fold::Int(0)
            }
            (Binary::Shl | Binary::Shr | Binary::Sar, Some(n)) if n as u64 > 63 => Fold::Int(0),
            (
                Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr | Binary::Sar,
                Some(0),
            ) => Fold::Value(x),
            (Binary::Mul | Binary::And, Some(0)) => Fold::Int(0),
            (Binary::Mul | Binary::Div | Binary::SDiv | Binary::UDiv, Some(1)) | (Binary::And, Some(-1)) => {
                Fold::Value(x)
            }
            (Binary::Or, Some(-1)) => Fold::Int(-1),
            (Binary::Mod | Binary::SRem, Some(1 | -1)) | (Binary::URem, Some(1)) => Fold::Int(0),
            (Binary::Sub, Some(n)) => {
                let minus = self.new_int(f, n.wrapping_neg(), loc);
                Fold::Op(Op::Binary(Binary::Add, x, minus))
            }
            (Binary::Mul, Some(n)) if n > 0 && n & (n - 1) == 0 => {
                let count = self.new_int(f, i64::from(n.trailing_zeros()), loc);
                Fold::Op(Op::Binary(Binary::Shl, x, count))
            }
            (Binary::UDiv | Binary::NDiv, Some(n)) if (n as u64).is_power_of_two() => {
                let count = self.new_int(f, i64::from(n.trailing_zeros()), loc);
                Fold::Op(Op::Binary(Binary::Shr, x, count))
            }
            (Binary::Div, Some(n)) if n > 0 && n & (n - 1) == 0 => {
                let count = self.new_int(f, i64::from(n.trailing_zeros()), loc);
                Fold::Op(Op::Binary(Binary::Sar, x, count))
            }
            (Binary::Mod, Some(n)) if n > 0 && n & (n - 1) == 0 => {
                let mask = self.new_int(f, n - 1, loc);
                Fold::Op(Op::Binary(Binary::And, x, mask))
            }
            (Binary::URem | Binary::NRem, Some(n)) if (n as u64).is_power_of_two() => {
                let mask = self.new_int(f, n.wrapping_sub(1), loc);
                Fold::Op(Op::Binary(Binary::And, x, mask))
            }
            (Binary::And, Some(m)) if m >= 0 && (m as u64 + 1).is_power_of_two() && self.most(x) <= m as u64 => {
                Fold::Value(x)
            }
            (Binary::Xor, Some(1)) if self.most(x) <= 1 => self.negated(f, x, loc),
            (Binary::Add | Binary::And | Binary::Or | Binary::Xor, Some(n)) => match self.known(x) {
                Known::Binary(inner, z, m) if inner == op => {
                    match self.int(m).and_then(|m| interp::binary(op, m as u64, n as u64)) {
                        Some(both) => {
                            let both = self.new_int(f, both as i64, loc);
                            Fold::Op(Op::Binary(op, z, both))
                        }
                        None => Fold::Keep,
                    }
                }
                _ => Fold::Keep,
            },
            (Binary::Sub | Binary::Xor, _) if x == y => Fold::Int(0),
            (Binary::And | Binary::Or, _) if x == y => Fold::Value(x),
            _ => Fold::Keep,
        }
    }

    /// 1 for 0 and 0 for 1.
    fn negated(&mut self, f: &mut Function, x: Value, loc: Loc) -> Fold {
        match self.known(x) {
            Known::Cmp(c, a, b) => Fold::Op(Op::Cmp(c.negated(), a, b)),
            _ => {
                let zero = self.new_int(f, 0, loc);
                Fold::Op(Op::Cmp(Cond::Eq, x, zero))
            }
        }
    }

    fn cmp(&mut self, f: &mut Function, c: Cond, x: Value, y: Value, loc: Loc) -> Fold {
        if let (Some(a), Some(b)) = (self.int(x), self.int(y)) {
            return Fold::Int(i64::from(c.holds(a, b)));
        }
        if x == y {
            return Fold::Int(i64::from(c.holds(0, 0)));
        }
        let Some(n) = self.int(y) else { return Fold::Keep };
        let most = self.most(x);
        // A value from 0 to `most`, as a signed one too.
        if most <= i64::MAX as u64 {
            let (low, high) = (c.holds(0, n), c.holds(most as i64, n));
            let decided = match c {
                Cond::Lt | Cond::Le | Cond::Gt | Cond::Ge => (low == high).then_some(low),
                Cond::ULt | Cond::ULe | Cond::UGt | Cond::UGe => (low == high).then_some(low),
                Cond::Eq if n < 0 || n as u64 > most => Some(false),
                Cond::Ne if n < 0 || n as u64 > most => Some(true),
                _ => None,
            };
            if let Some(holds) = decided {
                return Fold::Int(i64::from(holds));
            }
        }
        if most <= 1 {
            return match (c, n) {
                (Cond::Ne, 0) | (Cond::Eq, 1) | (Cond::Gt | Cond::UGt, 0) | (Cond::Ge | Cond::UGe, 1) => Fold::Value(x),
                (Cond::Eq, 0) | (Cond::Ne, 1) => match self.known(x) {
                    Known::Cmp(c, a, b) => Fold::Op(Op::Cmp(c.negated(), a, b)),
                    _ if (c, n) == (Cond::Eq, 0) => Fold::Keep,
                    _ => {
                        let zero = self.new_int(f, 0, loc);
                        Fold::Op(Op::Cmp(Cond::Eq, x, zero))
                    }
                },
                _ => Fold::Keep,
            };
        }
        match (c, n) {
            (Cond::ULt, 0) => Fold::Int(0),
            (Cond::UGe, 0) => Fold::Int(1),
            (Cond::ULe, 0) => Fold::Op(Op::Cmp(Cond::Eq, x, y)),
            (Cond::UGt, 0) => Fold::Op(Op::Cmp(Cond::Ne, x, y)),
            // x + k = n is x = n - k; likewise for the others only without overflow, which is not known here.
            (Cond::Eq | Cond::Ne, n) => match self.known(x) {
                Known::Binary(Binary::Add, z, k) => match self.int(k) {
                    Some(k) => {
                        let n = self.new_int(f, n.wrapping_sub(k), loc);
                        Fold::Op(Op::Cmp(c, z, n))
                    }
                    None => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            _ => Fold::Keep,
        }
    }
}

/// 1 / x of a power of two: a product with it is the quotient, in every rounding mode.
fn exact_reciprocal(bits: u64) -> Option<u64> {
    let x = f64::from_bits(bits);
    let is_power = x.is_normal() && bits << 12 == 0;
    (is_power && (1.0 / x).is_normal()).then(|| (1.0 / x).to_bits())
}

fn is_address(k: Known) -> bool {
    matches!(k, Known::Data(_) | Known::Alloc(_) | Known::Address)
}
