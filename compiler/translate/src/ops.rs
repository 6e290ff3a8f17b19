//! Operations of Ssa -> Cranelift instructions: arithmetic, comparisons, guards, constants, the thread block.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, types};
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
        if let (Binary::NDiv | Binary::NRem, Some(n)) = (op, self.constant(b)) {
            return self.by_reciprocal(op, a, n as u64);
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
            Binary::SDiv => ins.sdiv(a, b),
            Binary::SRem => ins.srem(a, b),
            Binary::UDiv | Binary::NDiv => ins.udiv(a, b),
            Binary::URem | Binary::NRem => ins.urem(a, b),
            Binary::FAdd => ins.fadd(a, b),
            Binary::FSub => ins.fsub(a, b),
            Binary::FMul => ins.fmul(a, b),
            Binary::FDiv => ins.fdiv(a, b),
        }
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
        if op == Binary::NDiv {
            return quotient;
        }
        let product = self.pos.ins().imul_imm_s(quotient, n as i64);
        self.pos.ins().isub(a, product)
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
