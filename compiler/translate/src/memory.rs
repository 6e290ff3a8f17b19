//! Objects: heap checks, allocation, fields, elements, write barriers.
//!
//! A heap check reads `tcb.alloc` once, and when the allocations that it covers fit, stores it moved behind all of
//! them: the objects stand at constant offsets below. Between them there is no safepoint (S11), so nobody sees them
//! unfinished. A guard between them may raise: then it gives back what is not allocated yet (`raise_block`), since a
//! nursery is a row of whole objects (A1).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlagsData, types};
use leat_abi::{header, prim::stub, tcb};
use leat_ssa::ir::{Elem, Inst, Op, Ty, Value};

use crate::codegen::{ALWAYS, CVal, Gen, Region, machine, object_bytes, plain};
use crate::options::Error;
use crate::plan::calls_out;

/// log2 of an element's bytes.
fn log2(elem: Elem) -> i64 {
    match elem {
        Elem::U8 | Elem::I8 => 0,
        Elem::U16 | Elem::I16 => 1,
        Elem::U32 | Elem::I32 | Elem::F32 => 2,
        Elem::I64 | Elem::F64 | Elem::Ref => 3,
    }
}

impl Gen<'_> {
    /// Makes room for the allocations in `rest` up to the next safepoint, or for `bytes` if that is more.
    pub fn heap_check(&mut self, bytes: u32, rest: &[Inst]) {
        let mut total = 0;
        for inst in rest {
            match &inst.op {
                Op::Alloc { raws, refs, .. } => total += object_bytes(self.align, raws.len() + refs.len()),
                Op::HeapCheck(_) | Op::Poll => break,
                Op::Atomic(n) if *n < 0 => break,
                Op::Call(callee, _) if calls_out(callee) => break,
                _ => {}
            }
        }
        let wanted = bytes.max(total);
        let tcb_value = self.tcb();
        let alloc = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::ALLOC);
        let limit = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::ALLOC_LIMIT);
        let top = self.add_constant(alloc, total as i64);
        let end = if wanted == total { top } else { self.add_constant(alloc, wanted as i64) };
        let full = self.pos.ins().icmp(IntCC::UnsignedGreaterThan, end, limit);
        let top = self.slow_path(full, ALWAYS, Some(top), |g| {
            let n = g.pos.ins().iconst(types::I64, wanted as i64);
            let call = g.call_slow(stub::GC, stub::GC_HANDLED, &[n]);
            let alloc = g.load_tcb(tcb::ALLOC);
            (call, Some(g.add_constant(alloc, total as i64)))
        });
        let top = top.expect("the join's parameter");
        if total > 0 {
            let tcb_value = self.tcb();
            self.pos.ins().store(plain(), top, tcb_value, tcb::ALLOC);
        }
        self.region = Some(Region { top, total, used: 0 });
    }

    /// Operations on objects.
    pub fn memory(&mut self, op: &Op, results: &[Value]) -> Result<(), Error> {
        match op {
            Op::Alloc { tag, raws, refs } => {
                let object = self.alloc(*tag, raws, refs)?;
                self.define(results[0], object);
            }
            Op::Load { ty, obj, field, .. } => {
                let obj = self.get(*obj);
                let value = self.pos.ins().load(machine(*ty), plain(), obj, field_offset(*field)?);
                self.define(results[0], value);
            }
            Op::Store { obj, field, value, barrier } => {
                let (value, offset) = (self.get(*value), field_offset(*field)?);
                let address = self.get(*obj);
                self.pos.ins().store(plain(), value, address, offset);
                if *barrier {
                    self.write_barrier(address, None);
                }
            }
            Op::Tag(obj) => {
                let obj = self.get(*obj);
                let tag = self.pos.ins().uload16(types::I64, plain(), obj, -8 + header::TAG_SHIFT as i32 / 8);
                self.define(results[0], tag);
            }
            Op::Length(obj) => {
                let obj = self.get(*obj);
                let word = self.pos.ins().load(types::I64, plain(), obj, -8);
                let shift = self.pos.ins().iconst(types::I64, header::LENGTH_SHIFT as i64);
                let length = self.pos.ins().ushr(word, shift);
                self.define(results[0], length);
            }
            Op::ElemLoad { elem, array, index, .. } => {
                let address = self.element(*elem, *array, *index);
                let flags = plain();
                let ins = self.pos.ins();
                let value = match elem {
                    Elem::U8 => ins.uload8(types::I64, flags, address, 0),
                    Elem::I8 => ins.sload8(types::I64, flags, address, 0),
                    Elem::U16 => ins.uload16(types::I64, flags, address, 0),
                    Elem::I16 => ins.sload16(types::I64, flags, address, 0),
                    Elem::U32 => ins.uload32(flags, address, 0),
                    Elem::I32 => ins.sload32(flags, address, 0),
                    Elem::I64 | Elem::Ref => ins.load(types::I64, flags, address, 0),
                    Elem::F32 => ins.load(types::F32, flags, address, 0),
                    Elem::F64 => ins.load(types::F64, flags, address, 0),
                };
                self.define(results[0], value);
            }
            Op::CountBytes { array, index, byte } => {
                // All ones where a byte is equal, a bit of each, the number of these bits.
                let address = self.element(Elem::U8, *array, *index);
                let bytes = self.pos.ins().load(types::I8X16, MemFlagsData::new().with_notrap(), address, 0);
                let constant = self.pos.func.dfg.constants.insert(vec![*byte; 16].into());
                let splat = self.pos.ins().vconst(types::I8X16, constant);
                let equal = self.pos.ins().icmp(IntCC::Equal, bytes, splat);
                let bits = self.pos.ins().vhigh_bits(types::I32, equal);
                let count = self.pos.ins().popcnt(bits);
                let count = self.pos.ins().uextend(types::I64, count);
                self.define(results[0], count);
            }
            Op::FindByte { array, index, set } => {
                // All ones where a byte is in the set, a bit of each, and one behind them: the lowest says where.
                let address = self.element(Elem::U8, *array, *index);
                let bytes = self.pos.ins().load(types::I8X16, MemFlagsData::new().with_notrap(), address, 0);
                let mut all = None;
                for &(low, high) in set.ranges() {
                    let one = self.bytes_between(bytes, low, high);
                    all = Some(match all {
                        None => one,
                        Some(other) => self.pos.ins().bor(other, one),
                    });
                }
                let all = all.ok_or_else(|| Error(format!("{}: a search for nothing", self.f.name)))?;
                let bits = self.pos.ins().vhigh_bits(types::I32, all);
                let flip = self.pos.ins().iconst(types::I32, if set.inverted { 0x1ffff } else { 0x10000 });
                let bits = self.pos.ins().bxor(bits, flip);
                let first = self.pos.ins().ctz(bits);
                let first = self.pos.ins().uextend(types::I64, first);
                self.define(results[0], first);
            }
            Op::ElemStore { elem, array, index, value, barrier } => {
                let value = self.get(*value);
                let address = self.element(*elem, *array, *index);
                let ins = self.pos.ins();
                match elem {
                    Elem::U8 | Elem::I8 => ins.istore8(plain(), value, address, 0),
                    Elem::U16 | Elem::I16 => ins.istore16(plain(), value, address, 0),
                    Elem::U32 | Elem::I32 => ins.istore32(plain(), value, address, 0),
                    Elem::I64 | Elem::Ref | Elem::F32 | Elem::F64 => ins.store(plain(), value, address, 0),
                };
                if *barrier {
                    let array = self.get(*array);
                    self.write_barrier(array, Some((address, value)));
                }
            }
            Op::Cas { ty, obj, field, old, new } => {
                let object = self.get(*obj);
                let (old, new) = (self.get(*old), self.get(*new));
                let address = self.add_constant(object, field_offset(*field)? as i64);
                let found = self.pos.ins().atomic_cas(plain(), address, old, new);
                let flag = self.pos.ins().icmp(IntCC::Equal, found, old);
                self.define_flag(results[0], flag);
                if *ty == Ty::Ref {
                    self.write_barrier(object, None);
                }
            }
            _ => unreachable!("not an operation on objects"),
        }
        Ok(())
    }

    /// All ones for each of sixteen bytes that is in a range.
    fn bytes_between(&mut self, bytes: CVal, low: u8, high: u8) -> CVal {
        let splat = |g: &mut Self, byte: u8| {
            let constant = g.pos.func.dfg.constants.insert(vec![byte; 16].into());
            g.pos.ins().vconst(types::I8X16, constant)
        };
        if low == high {
            let byte = splat(self, low);
            return self.pos.ins().icmp(IntCC::Equal, bytes, byte);
        }
        let from_low = if low == 0 {
            bytes
        } else {
            let low = splat(self, low);
            self.pos.ins().isub(bytes, low)
        };
        let width = splat(self, high - low);
        self.pos.ins().icmp(IntCC::UnsignedLessThanOrEqual, from_low, width)
    }

    fn alloc(&mut self, tag: u16, raws: &[Value], refs: &[Value]) -> Result<CVal, Error> {
        let fields = raws.len() + refs.len();
        if raws.len() > header::MAX_FIELDS || refs.len() > header::MAX_FIELDS {
            return Err(Error(format!("{}: a record of {fields} fields is too large", self.f.name)));
        }
        let bytes = object_bytes(self.align, fields);
        let Some(region) = &mut self.region else {
            return Err(Error(format!("S11: {}: an allocation without heap check", self.f.name)));
        };
        if region.used + bytes > region.total {
            return Err(Error(format!(
                "S11: {}: an allocation behind the safepoint after its heap check",
                self.f.name
            )));
        }
        let (top, below) = (region.top, region.used as i32 - region.total as i32);
        region.used += bytes;
        let word = header::record(raws.len(), refs.len(), tag);
        let word = self.pos.ins().iconst(types::I64, word as i64);
        self.pos.ins().store(plain(), word, top, below);
        for (i, &v) in raws.iter().chain(refs).enumerate() {
            let value = self.get(v);
            self.pos.ins().store(plain(), value, top, below + 8 + 8 * i as i32);
        }
        Ok(self.add_constant(top, below as i64 + 8))
    }

    /// Address of an element.
    fn element(&mut self, elem: Elem, array: Value, index: Value) -> CVal {
        let (array, index) = (self.get(array), self.get(index));
        let offset = match log2(elem) {
            0 => index,
            n => {
                let n = self.pos.ins().iconst(types::I64, n);
                self.pos.ins().ishl(index, n)
            }
        };
        self.pos.ins().iadd(array, offset)
    }

    /// After a store into an object that may be old: when it is not logged yet, logs it. Never collects. An array is
    /// not logged as a whole, so each store of a young reference into an old array is: `element` is its address and
    /// what was stored.
    fn write_barrier(&mut self, object: CVal, element: Option<(CVal, CVal)>) {
        let none: &[BlockArg] = &[];
        let header_byte = self.pos.ins().uload8(types::I64, plain(), object, -8);
        let bit = self.pos.ins().iconst(types::I64, header::UNLOGGED as i64);
        let unlogged = self.pos.ins().band(header_byte, bit);
        let (log, on) = (self.new_block(), self.new_block());
        self.pos.ins().brif(unlogged, log, none, on, none);
        self.start_block(log, true);
        match element {
            None => {
                self.call_stub(stub::WRITE_BARRIER, &[object]);
            }
            Some((address, value)) => {
                // One comparison for "even, and in the nursery", see `tcb`.
                let tcb_value = self.tcb();
                let base = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::YOUNG_BASE);
                let half = self.pos.ins().load(types::I64, plain(), tcb_value, tcb::YOUNG_HALF);
                let (offset, one) = (self.pos.ins().isub(value, base), self.pos.ins().iconst(types::I64, 1));
                let place = self.pos.ins().rotr(offset, one);
                let young = self.pos.ins().icmp(IntCC::UnsignedLessThan, place, half);
                let call = self.new_block();
                self.pos.ins().brif(young, call, none, on, none);
                self.start_block(call, true);
                self.call_stub(stub::ARRAY_BARRIER, &[object, address]);
            }
        }
        self.pos.ins().jump(on, none);
        let cold = self.block_is_cold();
        self.start_block(on, cold);
    }
}

/// Byte offset of a field.
fn field_offset(field: u32) -> Result<i32, Error> {
    i32::try_from(8 * field as i64).map_err(|_| Error(format!("field {field} is out of range")))
}
