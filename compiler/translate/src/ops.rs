//! Operations of Ssa -> Cranelift instructions: arithmetic, comparisons, guards, constants, the thread block.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, InstructionData, Opcode, types};
use leat_abi::exn::Builtin;
use leat_abi::{prim::stub, tcb};
use leat_ssa::ir::{Binary, Cond, FCond, Op, Ovf, Ty, Unary, Value};

use crate::codegen::{ALWAYS, CVal, Gen, machine, plain};
use crate::options::Error;

fn int_cc(cond: Cond) -> IntCC {
    match cond {
        Cond::Eq => IntCC::Equal,
        Cond::Ne => IntCC::NotEqual,
        Cond::Lt => IntCC::SignedLessThan,
        Cond::Le => IntCC::SignedLessThanOrEqual,
        Cond::Gt => IntCC::SignedGreaterThan,
        Cond::Ge => IntCC::SignedGreaterThanOrEqual,
        Cond::ULt => IntCC::UnsignedLessThan,
        Cond::ULe => IntCC::UnsignedLessThanOrEqual,
        Cond::UGt => IntCC::UnsignedGreaterThan,
        Cond::UGe => IntCC::UnsignedGreaterThanOrEqual,
    }
}

fn float_cc(cond: FCond) -> FloatCC {
    match cond {
        FCond::Eq => FloatCC::Equal,
        FCond::Ne => FloatCC::NotEqual,
        FCond::Lt => FloatCC::LessThan,
        FCond::Le => FloatCC::LessThanOrEqual,
        FCond::Gt => FloatCC::GreaterThan,
        FCond::Ge => FloatCC::GreaterThanOrEqual,
    }
}

impl Gen<'_> {
    /// Any operation but calls and heap checks.
    pub fn op(&mut self, op: &Op, results: &[Value]) -> Result<(), Error> {
        let value = match op {
            Op::Iconst(n) => self.pos.ins().iconst(types::I64, *n),
            Op::Fconst(bits) => self.pos.ins().f64const(Ieee64::with_bits(*bits)),
            Op::F32const(bits) => self.pos.ins().f32const(Ieee32::with_bits(*bits)),
            Op::RefImm(word) => self.pos.ins().iconst(types::I64, *word as i64),
            Op::Data(data) => self.data_address(*data),
            Op::FuncAddr(f) => {
                let f = self.function_ref(*f);
                self.pos.ins().func_addr(types::I64, f)
            }
            Op::Unary(op, a) => self.unary(*op, *a),
            Op::Binary(Binary::Add, a, b) => match self.sum_of_flags(*a, *b, results[0]) {
                Some(sum) => sum,
                None => self.binary(Binary::Add, *a, *b),
            },
            Op::Binary(op, a, b) => self.binary(*op, *a, *b),
            Op::Ovf(op, a, b) => {
                let (value, flag) = self.overflowing(*op, *a, *b);
                self.define(results[0], value);
                self.define_flag(results[1], flag);
                return Ok(());
            }
            Op::Cmp(cond, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let flag = self.pos.ins().icmp(int_cc(*cond), a, b);
                self.define_flag(results[0], flag);
                return Ok(());
            }
            Op::RefEq(a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let flag = self.pos.ins().icmp(IntCC::Equal, a, b);
                self.define_flag(results[0], flag);
                return Ok(());
            }
            Op::FCmp(cond, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let flag = self.pos.ins().fcmp(float_cc(*cond), a, b);
                self.define_flag(results[0], flag);
                return Ok(());
            }
            Op::IsImm(a) => {
                let a = self.get(*a);
                let one = self.pos.ins().iconst(types::I64, 1);
                let bit = self.pos.ins().band(a, one);
                self.define(results[0], bit);
                return Ok(());
            }
            Op::ImmValue(a) => {
                let (a, one) = (self.get(*a), self.pos.ins().iconst(types::I64, 1));
                self.pos.ins().ushr(a, one)
            }
            Op::Select(c, a, b) => {
                let (c, a, b) = (self.condition(*c), self.get(*a), self.get(*b));
                self.pos.ins().select(c, a, b)
            }
            Op::Guard(c, exn) => {
                self.guard(*c, *exn);
                return Ok(());
            }
            Op::ExnDesc(exn) => self.load_tcb(tcb::EXN_DESC + 8 * *exn as i32),
            Op::ExnPacket(exn) => self.load_tcb(tcb::EXN_PACKET + 8 * *exn as i32),
            Op::CurrentThread => self.load_tcb(tcb::CURRENT),
            Op::WorkerMark => self.load_tcb(tcb::MARK),
            Op::WorkerCompany => self.load_tcb(tcb::COMPANY),
            Op::GlobalLoad(g) => {
                let base = self.globals();
                let ty = machine(self.program.globals[g.0 as usize]);
                self.pos.ins().load(ty, plain(), base, 8 * self.program.place(*g) as i32)
            }
            Op::GlobalStore(g, v) => {
                let (base, value) = (self.globals(), self.get(*v));
                self.pos.ins().store(plain(), value, base, 8 * self.program.place(*g) as i32);
                return Ok(());
            }
            // A section without a safepoint.
            Op::Atomic(0) => return Ok(()),
            Op::Atomic(n) => {
                self.atomic(*n);
                return Ok(());
            }
            Op::Poll => {
                let poll = self.load_tcb(tcb::POLL);
                self.slow_path(poll, ALWAYS, None, |g| (g.call_slow(stub::POLL, stub::POLL_HANDLED, &[]), None));
                return Ok(());
            }
            Op::Alloc { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Tag(_)
            | Op::Length(_)
            | Op::ElemLoad { .. }
            | Op::CountBytes { .. }
            | Op::FindByte { .. }
            | Op::ElemStore { .. }
            | Op::Cas { .. } => return self.memory(op, results),
            Op::Call(..) | Op::HeapCheck(_) => unreachable!("translated by their block"),
        };
        self.define(results[0], value);
        Ok(())
    }

    /// A word of the thread block.
    pub fn load_tcb(&mut self, offset: i32) -> CVal {
        let tcb = self.tcb();
        self.pos.ins().load(types::I64, plain(), tcb, offset)
    }

    /// The stack limit is a poll too: a request for a safepoint sets it to the top.
    pub fn entry_check(&mut self) {
        let limit = self.load_tcb(tcb::STACK_LIMIT);
        let sp = self.pos.ins().get_stack_pointer(types::I64);
        let below = self.pos.ins().icmp(IntCC::UnsignedLessThan, sp, limit);
        self.slow_path(below, ALWAYS, None, |g| (g.call_stub(stub::STACK_CHECK, &[]), None));
    }

    /// Goes to a cold block that raises when the condition holds.
    fn guard(&mut self, condition: Value, exn: Builtin) {
        let condition = self.condition(condition);
        let (raise, on) = (self.raise_block(exn), self.new_block());
        self.pos.ins().brif(condition, raise, &[] as &[BlockArg], on, &[] as &[BlockArg]);
        let cold = self.block_is_cold();
        self.start_block(on, cold);
    }

    fn atomic(&mut self, n: i64) {
        let tcb_value = self.tcb();
        let old = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::ATOMIC_DEPTH);
        let mut depth = self.add_constant(old, n);
        if n < 0 {
            // A thread that has waited has left all its sections, so there may be none to end.
            let zero = self.pos.ins().iconst(types::I64, 0);
            depth = self.pos.ins().smax(depth, zero);
        }
        self.pos.ins().store(plain(), depth, tcb_value, tcb::ATOMIC_DEPTH);
        if n < 0 {
            let poll = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::POLL);
            let outermost = |g: &mut Self| {
                let zero = g.pos.ins().iconst(types::I64, 0);
                g.pos.ins().icmp(IntCC::Equal, depth, zero)
            };
            self.slow_path(poll, Some(outermost), None, |g| {
                (g.call_slow(stub::ATOMIC_END, stub::ATOMIC_END_HANDLED, &[]), None)
            });
        }
    }

    fn unary(&mut self, op: Unary, a: Value) -> CVal {
        let value = self.get(a);
        let ins = self.pos.ins();
        let (narrow, signed) = match op {
            Unary::Neg => return ins.ineg(value),
            Unary::Not => return ins.bnot(value),
            Unary::FNeg => return ins.fneg(value),
            Unary::FAbs => return ins.fabs(value),
            Unary::FSqrt => return ins.sqrt(value),
            Unary::FFloor => return ins.floor(value),
            Unary::FCeil => return ins.ceil(value),
            Unary::FTrunc => return ins.trunc(value),
            Unary::FNearest => return ins.nearest(value),
            Unary::FOfInt => return ins.fcvt_from_sint(types::F64, value),
            Unary::FToInt => return ins.fcvt_to_sint_sat(types::I64, value),
            Unary::FToBits => return ins.bitcast(types::I64, little(), value),
            Unary::FOfBits => return ins.bitcast(types::F64, little(), value),
            Unary::F32To64 => return ins.fpromote(types::F64, value),
            Unary::F64To32 => return ins.fdemote(types::F32, value),
            Unary::Zext8 => (types::I8, false),
            Unary::Zext16 => (types::I16, false),
            Unary::Zext32 => (types::I32, false),
            Unary::Sext8 => (types::I8, true),
            Unary::Sext16 => (types::I16, true),
            Unary::Sext32 => (types::I32, true),
        };
        let low = ins.ireduce(narrow, value);
        if signed { self.pos.ins().sextend(types::I64, low) } else { self.pos.ins().uextend(types::I64, low) }
    }

    /// Flags are added as bytes, and the sum is extended once: counting takes an instruction less for each flag.
    fn sum_of_flags(&mut self, a: Value, b: Value, result: Value) -> Option<CVal> {
        let ((a, most_a), (b, most_b)) = (self.as_byte(a)?, self.as_byte(b)?);
        if most_a + most_b > 255 {
            return None;
        }
        let sum = self.pos.ins().iadd(a, b);
        self.small.insert(result, (sum, most_a + most_b));
        Some(self.pos.ins().uextend(types::I64, sum))
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> CVal {
        let (a, b) = (self.get(a), self.get(b));
        // `lea` adds into another register; `sub` would need a copy first.
        if let (Binary::Sub, Some(n)) = (op, self.constant(b)) {
            return self.add_constant(a, n.wrapping_neg());
        }
        match (op, self.constant(b)) {
            (Binary::NDiv | Binary::NRem, Some(n)) => return self.by_reciprocal(op, a, n as u64),
            // A constant 0 stands behind a guard that has raised (S9).
            (Binary::Div | Binary::Mod, Some(n)) if n != 0 => {
                let quotient = self.floor_quotient(a, n);
                return if op == Binary::Div { quotient } else { self.rest(a, quotient, n) };
            }
            (Binary::SDiv | Binary::SRem, Some(n)) if n != 0 => {
                let quotient = self.quotient(a, n);
                return if op == Binary::SDiv { quotient } else { self.rest(a, quotient, n) };
            }
            (Binary::UDiv | Binary::URem, Some(n)) if n != 0 => {
                let quotient = self.unsigned_quotient(a, n as u64);
                return if op == Binary::UDiv { quotient } else { self.rest(a, quotient, n) };
            }
            (Binary::Or, _) => {
                if let Some(rotated) = self.rotation(a, b).or_else(|| self.rotation(b, a)) {
                    return rotated;
                }
            }
            (Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem, _) => return self.divide(op, a, b),
            _ => {}
        }
        let ins = self.pos.ins();
        match op {
            Binary::Add => ins.iadd(a, b),
            Binary::Sub => ins.isub(a, b),
            Binary::Mul => ins.imul(a, b),
            Binary::And => ins.band(a, b),
            Binary::Or => ins.bor(a, b),
            Binary::Xor => ins.bxor(a, b),
            Binary::Shl => ins.ishl(a, b),
            Binary::Shr => ins.ushr(a, b),
            Binary::Sar => ins.sshr(a, b),
            Binary::UDiv | Binary::NDiv => ins.udiv(a, b),
            Binary::URem | Binary::NRem => ins.urem(a, b),
            Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem => unreachable!("divided above"),
            Binary::FAdd => ins.fadd(a, b),
            Binary::FSub => ins.fsub(a, b),
            Binary::FMul => ins.fmul(a, b),
            Binary::FDiv => ins.fdiv(a, b),
        }
    }

    /// A division with signs, by a number that is not known. Two numbers of 32 bits, neither of them negative, are
    /// divided as such: that is all that most programs divide, rounding needs no look at signs, and the machine takes
    /// two thirds of the time, or less, that it takes for 64 bits.
    fn divide(&mut self, op: Binary, a: CVal, b: CVal) -> CVal {
        if self.block_is_cold() {
            return self.divide_any(op, a, b);
        }
        let both = self.pos.ins().bor(a, b);
        let high = self.pos.ins().ushr_imm_u(both, 32);
        let (small, any, join) = (self.new_block(), self.new_block(), self.new_block());
        self.pos.ins().brif(high, any, &[] as &[BlockArg], small, &[] as &[BlockArg]);

        self.start_block(small, false);
        let low_a = self.pos.ins().ireduce(types::I32, a);
        let low_b = self.pos.ins().ireduce(types::I32, b);
        let low = match op {
            Binary::Div | Binary::SDiv => self.pos.ins().udiv(low_a, low_b),
            _ => self.pos.ins().urem(low_a, low_b),
        };
        let result = self.pos.ins().uextend(types::I64, low);
        self.pos.ins().jump(join, &[BlockArg::Value(result)]);

        self.start_block(any, true);
        let result = self.divide_any(op, a, b);
        self.pos.ins().jump(join, &[BlockArg::Value(result)]);

        self.start_block(join, false);
        self.pos.func.dfg.append_block_param(join, types::I64)
    }

    /// The same of any numbers. The machine rounds to zero; rounded down, a remainder whose sign is not the divisor's
    /// is too small by the divisor, and the quotient too large by 1.
    fn divide_any(&mut self, op: Binary, a: CVal, b: CVal) -> CVal {
        let ins = self.pos.ins();
        let (quotient, rest) = match op {
            Binary::SDiv => return ins.sdiv(a, b),
            Binary::SRem => return ins.srem(a, b),
            Binary::Mod => (None, ins.srem(a, b)),
            _ => {
                let quotient = ins.sdiv(a, b);
                let product = self.pos.ins().imul(quotient, b);
                (Some(quotient), self.pos.ins().isub(a, product))
            }
        };
        // The remainder, with its sign changed if the divisor has one: negative where the signs differ, 0 stays 0.
        let sign = self.pos.ins().sshr_imm_u(b, 63);
        let flipped = self.pos.ins().bxor(rest, sign);
        let flipped = self.pos.ins().isub(flipped, sign);
        let wrong = self.pos.ins().sshr_imm_u(flipped, 63);
        match quotient {
            Some(quotient) => self.pos.ins().iadd(quotient, wrong),
            None => {
                let correction = self.pos.ins().band(b, wrong);
                self.pos.ins().iadd(rest, correction)
            }
        }
    }

    /// `a` by `n`, rounded down. Of a negative `a`, -1 - a is divided: the quotient is then -1 less that.
    fn floor_quotient(&mut self, a: CVal, n: i64) -> CVal {
        if n > 0 && n.count_ones() == 1 {
            return self.pos.ins().sshr_imm_u(a, i64::from(n.trailing_zeros()));
        }
        if n < 0 {
            let quotient = self.quotient(a, n);
            let rest = self.rest(a, quotient, n);
            let zero = self.pos.ins().iconst(types::I64, 0);
            let wrong = self.pos.ins().icmp(IntCC::SignedGreaterThan, rest, zero);
            let wrong = self.pos.ins().uextend(types::I64, wrong);
            return self.pos.ins().isub(quotient, wrong);
        }
        let sign = self.pos.ins().sshr_imm_u(a, 63);
        let size = self.pos.ins().bxor(a, sign);
        let quotient = self.by_reciprocal(Binary::NDiv, size, n as u64);
        self.pos.ins().bxor(quotient, sign)
    }

    /// Quotient or remainder of an `a` below 2^63 by n, which is above 1: the upper word of a product, and a shift.
    /// With l bits in n - 1, the factor is 2^(63 + l) / n rounded up, which has 64 bits. It is less than 1 too large,
    /// so the product is less than 2^63 too large, and that over 2^(63 + l) is at most 1 / 2^l, less than what the
    /// quotient lacks to the next number (Granlund and Montgomery, PLDI 1994).
    fn by_reciprocal(&mut self, op: Binary, a: CVal, n: u64) -> CVal {
        let bits = 64 - (n - 1).leading_zeros();
        let factor = (1u128 << (63 + bits)).div_ceil(u128::from(n)) as u64;
        let factor = self.pos.ins().iconst(types::I64, factor as i64);
        let high = self.pos.ins().umulhi(a, factor);
        let quotient = self.pos.ins().ushr_imm_u(high, i64::from(bits) - 1);
        if op == Binary::NDiv { quotient } else { self.rest(a, quotient, n as i64) }
    }

    /// What a quotient by `n` leaves of `a`.
    fn rest(&mut self, a: CVal, quotient: CVal, n: i64) -> CVal {
        let product = self.pos.ins().imul_imm_s(quotient, n);
        self.pos.ins().isub(a, product)
    }

    /// `a` by `n`, rounded to zero: the upper word of a product with a factor, shifted, plus 1 where that is negative.
    /// The factor is 2^(64 + s) / |n| rounded up, for the least s for which it is exact for all numbers of 64 bits
    /// (Granlund and Montgomery, PLDI 1994, section 5).
    fn quotient(&mut self, a: CVal, n: i64) -> CVal {
        let size = n.unsigned_abs();
        let quotient = if size == 1 {
            a
        } else if size.is_power_of_two() {
            // Negative numbers are rounded up: by |n| - 1, made of copies of the sign.
            let bits = i64::from(size.trailing_zeros());
            let signs = self.pos.ins().sshr_imm_u(a, bits - 1);
            let most = self.pos.ins().ushr_imm_u(signs, 64 - bits);
            let sum = self.pos.ins().iadd(a, most);
            self.pos.ins().sshr_imm_u(sum, bits)
        } else {
            let (factor, shift) = signed_factor(size);
            let constant = self.pos.ins().iconst(types::I64, factor as i64);
            let mut high = self.pos.ins().smulhi(a, constant);
            if (factor as i64) < 0 {
                // The factor was taken for 2^64 less than it is.
                high = self.pos.ins().iadd(high, a);
            }
            let shifted = if shift == 0 { high } else { self.pos.ins().sshr_imm_u(high, i64::from(shift)) };
            let sign = self.pos.ins().ushr_imm_u(shifted, 63);
            self.pos.ins().iadd(shifted, sign)
        };
        if n < 0 { self.pos.ins().ineg(quotient) } else { quotient }
    }

    /// The same of numbers without sign. The factor has 65 bits: its upper one is the sum with `a`, which is halved
    /// before it can overflow (the same paper, figure 4.1).
    fn unsigned_quotient(&mut self, a: CVal, n: u64) -> CVal {
        if n.is_power_of_two() {
            return self.pos.ins().ushr_imm_u(a, i64::from(n.trailing_zeros()));
        }
        let bits = 64 - (n - 1).leading_zeros();
        let factor = (((1u128 << bits) - u128::from(n)) << 64) / u128::from(n) + 1;
        let constant = self.pos.ins().iconst(types::I64, factor as u64 as i64);
        let high = self.pos.ins().umulhi(a, constant);
        let left = self.pos.ins().isub(a, high);
        let half = self.pos.ins().ushr_imm_u(left, 1);
        let sum = self.pos.ins().iadd(half, high);
        self.pos.ins().ushr_imm_u(sum, i64::from(bits) - 1)
    }

    /// `(x << n) or (x >> (64 - n))`, shifted by constants.
    fn rotation(&mut self, left: CVal, right: CVal) -> Option<CVal> {
        let dfg = &self.pos.func.dfg;
        let shift = |value: CVal, wanted: Opcode| match dfg.insts[dfg.value_def(value).inst()?] {
            InstructionData::Binary { opcode, args } if opcode == wanted => Some((args[0], self.constant(args[1])?)),
            _ => None,
        };
        let (x, n) = shift(left, Opcode::Ishl)?;
        let (y, m) = shift(right, Opcode::Ushr)?;
        (x == y && n > 0 && m > 0 && n + m == 64).then(|| self.pos.ins().rotl_imm_u(x, n))
    }

    /// The wrapped result and the overflow flag. Adding a constant overflows when the sum lies on the wrong side of the
    /// other operand: one comparison that fuses with its branch, where the machine's overflow flag would be
    /// materialised.
    fn overflowing(&mut self, op: Ovf, a: Value, b: Value) -> (CVal, CVal) {
        let (a, b) = (self.get(a), self.get(b));
        let (other, n) = match (op, self.constant(a), self.constant(b)) {
            (Ovf::Add, _, Some(n)) => (a, Some(n)),
            (Ovf::Add, Some(n), _) => (b, Some(n)),
            (Ovf::Sub, _, Some(n)) if n != i64::MIN => (a, Some(-n)),
            _ => (a, None),
        };
        match (op, n) {
            (Ovf::Add | Ovf::Sub, Some(n)) => {
                let sum = self.add_constant(other, n);
                let cc = if n < 0 { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
                let flag = self.pos.ins().icmp(cc, sum, other);
                (sum, flag)
            }
            (Ovf::Add, None) => self.pos.ins().sadd_overflow(a, b),
            (Ovf::Sub, None) => self.pos.ins().ssub_overflow(a, b),
            (Ovf::Mul, _) => self.pos.ins().smul_overflow(a, b),
        }
    }

    /// Whether the block being translated is a cold one.
    pub fn block_is_cold(&self) -> bool {
        use leat_base::arena::EntityId;
        self.f.blocks[self.plan.flow.order[self.here as usize].index()].cold
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Ty {
        self.f.values[v.0 as usize]
    }
}

/// Flags of a reinterpretation.
pub(crate) fn little() -> cranelift_codegen::ir::MemFlagsData {
    cranelift_codegen::ir::MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little)
}

/// The factor and the shift of a signed division by a number that is no power of two.
fn signed_factor(n: u64) -> (u64, u32) {
    let n = u128::from(n);
    // The largest number that leaves n - 1, of those that have 63 bits.
    let most = (1u128 << 63) - 1 - (1u128 << 63) % n;
    let is_exact = |shift: u32| {
        let power = 1u128 << (64 + shift);
        power > most * (n - power % n)
    };
    let shift = (0..).find(|&shift| is_exact(shift)).expect("by 62 at the latest");
    let power = 1u128 << (64 + shift);
    (((power + n - power % n) / n) as u64, shift)
}

#[cfg(test)]
mod tests {
    use super::signed_factor;

    /// As `quotient` computes it.
    fn quotient(a: i64, n: u64) -> i64 {
        let (factor, shift) = signed_factor(n);
        let mut high = ((i128::from(a) * i128::from(factor as i64)) >> 64) as i64;
        if (factor as i64) < 0 {
            high = high.wrapping_add(a);
        }
        let shifted = high >> shift;
        shifted + (shifted as u64 >> 63) as i64
    }

    #[test]
    fn factors_are_exact() {
        let mut random = 42u64;
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            random >> (random >> 58)
        };
        let mut divisors: Vec<u64> = (3..200).chain((1 << 63) - 200..(1 << 63)).collect();
        divisors.extend((0..20_000).map(|_| next() >> 1));
        for n in divisors.into_iter().filter(|&n| n > 2 && !n.is_power_of_two()) {
            let near = [1, n / 2, n - 1, n, n + 1, i64::MAX as u64 / n * n, (i64::MAX as u64 / n * n).wrapping_sub(1)];
            let numbers =
                near.into_iter().chain((0..20).map(|_| next())).flat_map(|a| [a as i64, (a as i64).wrapping_neg()]);
            for a in numbers.chain([i64::MAX, i64::MIN, i64::MIN + 1, 0]) {
                assert_eq!(i128::from(quotient(a, n)), i128::from(a) / i128::from(n), "{a} / {n}");
            }
        }
    }
}
