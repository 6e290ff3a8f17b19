//! Calls of C: the arguments of a foreign function -> registers and stack by the System V convention, on this stack or,
//! by way of the runtime and a block of words, on the worker's C stack.

use cranelift_codegen::ir::{self, ExtFuncData, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, types};
use cranelift_codegen::isa::CallConv;
use leat_abi::foreign::{Foreign, Param, Scalar, Way, block};
use leat_abi::prim::Prim;
use leat_ssa::ir::Value;
use smallvec::SmallVec;

use crate::calls::extern_index;
use crate::codegen::{CVal, Gen, NAME_FOREIGN, plain};
use crate::options::Error;

/// An argument as C gets it, and whether it is a real.
type Given = (CVal, bool);

impl Gen<'_> {
    pub(crate) fn foreign(&mut self, number: u32, args: &[Value], results: &[Value]) -> Result<(), Error> {
        let program = self.program;
        let foreign = &program.foreign[number as usize];
        let args: SmallVec<[CVal; 8]> = args.iter().map(|&v| self.get(v)).collect();
        match foreign.way {
            Way::Address => {
                let signature = self.signature(CallConv::SystemV, &[], &[]);
                let symbol = self.foreign_ref(number, signature);
                let address = self.pos.ins().func_addr(types::I64, symbol);
                self.define(results[0], address);
            }
            Way::Get => {
                let scalar = foreign.result.unwrap_or(Scalar::Pointer);
                let value = self.of_memory(scalar, args[0], 0);
                self.define(results[0], value);
            }
            Way::Set => {
                let scalar = match foreign.params[..] {
                    [_, Param::Scalar(scalar)] => scalar,
                    _ => return Err(Error(format!("{}: a store without a type", self.f.name))),
                };
                self.put_to_memory(scalar, args[1], args[0], 0);
            }
            _ => self.call_c(number, foreign, &args, results),
        }
        Ok(())
    }

    fn call_c(&mut self, number: u32, foreign: &Foreign, args: &[CVal], results: &[Value]) {
        let first = args.len() - foreign.params.len();
        let cells = foreign.cells().count();
        let cells = (cells > 0).then(|| self.words(cells));
        let (mut given, mut cell) = (SmallVec::<[Given; 8]>::new(), 0);
        for (param, &arg) in foreign.params.iter().zip(&args[first..]) {
            given.push(match *param {
                Param::Object | Param::Array | Param::Checked(_) => (arg, false),
                Param::Scalar(Scalar::F32) => (self.pos.ins().fdemote(types::F32, arg), true),
                Param::Scalar(scalar) => (arg, scalar.is_real()),
                Param::Cell(scalar) => {
                    let address = self.cell_address(cells, cell);
                    // What C reads of it beyond the content is 0.
                    let zero = self.pos.ins().iconst(types::I64, 0);
                    self.pos.ins().store(plain(), zero, address, 0);
                    self.put_to_memory(scalar, arg, address, 0);
                    cell += 1;
                    (address, false)
                }
            });
        }
        let address = (first > 0).then(|| args[0]);
        let (value, number) = if foreign.way.goes_out() {
            self.by_block(number, foreign, address, &given)
        } else {
            (self.in_place(number, foreign, address, &given), None)
        };
        let mut defined = results.iter();
        for value in value.into_iter().chain(number) {
            if let Some(&v) = defined.next() {
                self.define(v, value);
            }
        }
        for (i, scalar) in foreign.cells().enumerate() {
            let address = self.cell_address(cells, i);
            let value = self.of_memory(scalar, address, 0);
            if let Some(&v) = defined.next() {
                self.define(v, value);
            }
        }
    }

    fn words(&mut self, words: usize) -> ir::StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * words as u32, 3);
        self.pos.func.create_sized_stack_slot(data)
    }

    fn cell_address(&mut self, cells: Option<ir::StackSlot>, i: usize) -> CVal {
        let slot = cells.expect("made when there are any");
        self.pos.ins().stack_addr(types::I64, slot, 8 * i as i32)
    }

    /// A call on this stack.
    fn in_place(&mut self, number: u32, foreign: &Foreign, address: Option<CVal>, given: &[Given]) -> Option<CVal> {
        let params: SmallVec<[ir::Type; 8]> = given.iter().map(|g| self.pos.func.dfg.value_type(g.0)).collect();
        let returns: SmallVec<[ir::Type; 1]> = foreign.result.iter().map(|&scalar| register(scalar)).collect();
        let signature = self.signature(CallConv::SystemV, &params, &returns);
        let values: SmallVec<[CVal; 8]> = given.iter().map(|g| g.0).collect();
        let inst = match address {
            Some(address) => self.pos.ins().call_indirect(signature, address, &values),
            None => {
                let function = self.foreign_ref(number, signature);
                self.pos.ins().call(function, &values)
            }
        };
        let value = self.pos.func.dfg.inst_results(inst).first().copied()?;
        Some(self.of_register(foreign.result?, value))
    }

    /// A call on the worker's C stack: its result, and the number of the error if that is wanted.
    fn by_block(
        &mut self,
        number: u32,
        foreign: &Foreign,
        address: Option<CVal>,
        given: &[Given],
    ) -> (Option<CVal>, Option<CVal>) {
        let filled = block::Filled::new(given.iter().map(|g| g.1), foreign.way.wants_errno());
        let slot = self.words(block::STACK + filled.stacked);
        let code = match address {
            Some(address) => address,
            None => {
                let signature = self.signature(CallConv::SystemV, &[], &[]);
                let function = self.foreign_ref(number, signature);
                self.pos.ins().func_addr(types::I64, function)
            }
        };
        let stacked = self.pos.ins().iconst(types::I64, filled.stacked as i64);
        let flags = filled.flags | if foreign.checked { checked(foreign, &filled) } else { 0 };
        let flags = self.pos.ins().iconst(types::I64, flags as i64);
        let at = self.pos.ins().stack_addr(types::I64, slot, 0);
        for (value, place) in [(code, block::CODE), (stacked, block::STACKED), (flags, block::FLAGS)] {
            self.pos.ins().store(plain(), value, at, 8 * place as i32);
        }
        for (&(value, _), place) in given.iter().zip(filled.places) {
            self.pos.ins().store(plain(), value, at, 8 * place as i32);
        }
        let signature = self.signature(CallConv::SystemV, &[types::I64, types::I64], &[types::I64]);
        let stub = self.extern_ref(extern_index(Prim::ForeignGo), signature);
        let tcb = self.tcb();
        self.region = None;
        self.at_safepoint(|g| g.pos.ins().call(stub, &[tcb, at]));
        let value = foreign.result.map(|scalar| {
            let value = self.pos.ins().load(register(scalar), plain(), at, 8 * block::result(scalar) as i32);
            self.of_register(scalar, value)
        });
        let error =
            (foreign.way == Way::Errno).then(|| self.pos.ins().load(types::I64, plain(), at, 8 * block::ERRNO as i32));
        (value, error)
    }

    /// A result of C in a register -> the value of its type: of an integer only the low bits count.
    fn of_register(&mut self, scalar: Scalar, value: CVal) -> CVal {
        let bits = match scalar {
            Scalar::I8 | Scalar::U8 => types::I8,
            Scalar::I16 | Scalar::U16 => types::I16,
            Scalar::I32 | Scalar::U32 | Scalar::Bool => types::I32,
            Scalar::I64 | Scalar::U64 | Scalar::Pointer | Scalar::F64 => return value,
            Scalar::F32 => return self.pos.ins().fpromote(types::F64, value),
        };
        let low = self.pos.ins().ireduce(bits, value);
        match scalar {
            Scalar::Bool => {
                let set = self.pos.ins().icmp_imm_u(ir::condcodes::IntCC::NotEqual, low, 0);
                self.pos.ins().uextend(types::I64, set)
            }
            Scalar::I8 | Scalar::I16 | Scalar::I32 => self.pos.ins().sextend(types::I64, low),
            _ => self.pos.ins().uextend(types::I64, low),
        }
    }

    fn of_memory(&mut self, scalar: Scalar, address: CVal, offset: i32) -> CVal {
        let memory = MemFlagsData::new();
        let ins = self.pos.ins();
        match scalar {
            Scalar::I8 => ins.sload8(types::I64, memory, address, offset),
            Scalar::U8 => ins.uload8(types::I64, memory, address, offset),
            Scalar::I16 => ins.sload16(types::I64, memory, address, offset),
            Scalar::U16 => ins.uload16(types::I64, memory, address, offset),
            Scalar::I32 => ins.sload32(memory, address, offset),
            Scalar::U32 => ins.uload32(memory, address, offset),
            Scalar::I64 | Scalar::U64 | Scalar::Pointer => ins.load(types::I64, memory, address, offset),
            Scalar::F64 => ins.load(types::F64, memory, address, offset),
            Scalar::F32 => {
                let value = ins.load(types::F32, memory, address, offset);
                self.pos.ins().fpromote(types::F64, value)
            }
            Scalar::Bool => {
                let value = ins.uload32(memory, address, offset);
                let set = self.pos.ins().icmp_imm_u(ir::condcodes::IntCC::NotEqual, value, 0);
                self.pos.ins().uextend(types::I64, set)
            }
        }
    }

    fn put_to_memory(&mut self, scalar: Scalar, value: CVal, address: CVal, offset: i32) {
        let memory = MemFlagsData::new();
        match scalar {
            Scalar::I8 | Scalar::U8 => self.pos.ins().istore8(memory, value, address, offset),
            Scalar::I16 | Scalar::U16 => self.pos.ins().istore16(memory, value, address, offset),
            Scalar::I32 | Scalar::U32 | Scalar::Bool => self.pos.ins().istore32(memory, value, address, offset),
            Scalar::I64 | Scalar::U64 | Scalar::Pointer | Scalar::F64 => {
                self.pos.ins().store(memory, value, address, offset)
            }
            Scalar::F32 => {
                let single = self.pos.ins().fdemote(types::F32, value);
                self.pos.ins().store(memory, single, address, offset)
            }
        };
    }

    /// A symbol of C, which may be far: it is referred to by all bits of its address.
    fn foreign_ref(&mut self, number: u32, signature: ir::SigRef) -> ir::FuncRef {
        let name = self.name(NAME_FOREIGN, number);
        self.pos.func.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
    }
}

/// What the runtime is told of a call that it looks at.
fn checked(foreign: &Foreign, filled: &block::Filled) -> u64 {
    let mut flags = block::IS_CHECKED;
    if foreign.result == Some(Scalar::Pointer) {
        flags |= block::GIVES_ADDRESS;
    }
    for (param, &place) in foreign.params.iter().zip(&filled.places) {
        if matches!(param, Param::Object | Param::Array) && (block::INTEGERS..block::REALS).contains(&place) {
            flags |= 1 << (block::OBJECTS as usize + place - block::INTEGERS);
        }
    }
    flags
}

/// The type in which C gives a result.
fn register(scalar: Scalar) -> ir::Type {
    match scalar {
        Scalar::F32 => types::F32,
        Scalar::F64 => types::F64,
        _ => types::I64,
    }
}
