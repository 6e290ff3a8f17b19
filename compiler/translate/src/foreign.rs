//! Calls of C: the arguments of a foreign function -> registers and stack by the System V convention, on this stack or,
//! by way of the runtime and a block of words, on the worker's C stack.

use cranelift_codegen::ir::{self, ExtFuncData, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, types};
use cranelift_codegen::isa::CallConv;
use leat_abi::foreign::{Field, Foreign, Given, Param, Scalar, Way, Word, block, groups, words};
use leat_abi::prim::Prim;
use leat_ssa::ir::Value;
use smallvec::SmallVec;

use crate::calls::extern_index;
use crate::codegen::{CVal, Gen, NAME_FOREIGN, plain};
use crate::options::Error;

/// Words of the frame for a call of C: cells whose addresses C gets, then the block of a call that goes out, or a
/// result that C puts into memory.
#[derive(Clone, Copy)]
struct Memory {
    slot: Option<ir::StackSlot>,
    cells: usize,
}

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
                let scalar = foreign.scalar().unwrap_or(Scalar::Pointer);
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
        let filled = block::Filled::new(foreign);
        let behind = match &filled.given {
            _ if foreign.way.goes_out() => filled.words(),
            Given::Memory(words) => *words,
            Given::Registers(_) => 0,
        };
        let mut memory = Memory { slot: None, cells: foreign.cells().count() };
        memory.slot = self.memory_of_c(memory.cells + behind);
        let (mut given, mut cell) = (SmallVec::<[CVal; 8]>::new(), 0);
        for (param, &arg) in foreign.params.iter().zip(&args[first..]) {
            given.push(match *param {
                Param::Object | Param::Array | Param::Checked(_) => arg,
                Param::Scalar(Scalar::F32) => self.pos.ins().fdemote(types::F32, arg),
                Param::Scalar(_) | Param::Field { .. } => arg,
                Param::Cell(scalar) => {
                    let address = self.cell_address(memory, cell);
                    // What C reads of it beyond the content is 0.
                    let zero = self.pos.ins().iconst(types::I64, 0);
                    self.pos.ins().store(plain(), zero, address, 0);
                    self.put_to_memory(scalar, arg, address, 0);
                    cell += 1;
                    address
                }
            });
        }
        let address = (first > 0).then(|| args[0]);
        let values = if foreign.way.goes_out() {
            self.by_block(number, foreign, &filled, memory, address, &given)
        } else {
            self.in_place(number, foreign, &filled, memory, address, &given)
        };
        let mut defined = results.iter();
        for value in values {
            if let Some(&v) = defined.next() {
                self.define(v, value);
            }
        }
        for (i, scalar) in foreign.cells().enumerate() {
            let address = self.cell_address(memory, i);
            let value = self.of_memory(scalar, address, 0);
            if let Some(&v) = defined.next() {
                self.define(v, value);
            }
        }
    }

    /// The words of the frame that a call of C has, all calls the same ones: it writes them just before C runs, and
    /// reads them just behind. Cranelift lets no two slots share memory, and a thread that waits keeps its whole frame.
    fn memory_of_c(&mut self, words: usize) -> Option<ir::StackSlot> {
        if words == 0 {
            return None;
        }
        let bytes = 8 * words as u32;
        let slot = match self.memory_of_c {
            Some(slot) => slot,
            None => {
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3);
                self.pos.func.create_sized_stack_slot(data)
            }
        };
        self.memory_of_c = Some(slot);
        let size = &mut self.pos.func.sized_stack_slots[slot].size;
        *size = bytes.max(*size);
        Some(slot)
    }

    fn cell_address(&mut self, memory: Memory, i: usize) -> CVal {
        let slot = memory.slot.expect("there are words for the cells");
        self.pos.ins().stack_addr(types::I64, slot, 8 * i as i32)
    }

    /// What is behind the cells: the block, or the result that C puts into memory.
    fn behind_cells(&mut self, memory: Memory) -> CVal {
        self.cell_address(memory, memory.cells)
    }

    /// A call on this stack: its results.
    ///
    /// Cranelift gives registers to arguments in their order. Where structures are among them, that is not the
    /// convention's: one that lies on the stack leaves registers for those behind it. So the arguments are put in the
    /// order of the block's words then, with a 0 in each integer register that would else get a word of the stack.
    fn in_place(
        &mut self,
        number: u32,
        foreign: &Foreign,
        filled: &block::Filled,
        memory: Memory,
        address: Option<CVal>,
        given: &[CVal],
    ) -> Vec<CVal> {
        let result = match filled.given {
            Given::Registers(_) => None,
            Given::Memory(_) => Some(self.behind_cells(memory)),
        };
        let plain_order = result.is_none() && foreign.params.iter().all(|param| param.field().is_none());
        let values =
            if plain_order { SmallVec::from_slice(given) } else { self.in_order(foreign, filled, result, given) };
        let params: SmallVec<[ir::Type; 8]> = values.iter().map(|&value| self.pos.func.dfg.value_type(value)).collect();
        let fields = || foreign.result.iter().copied();
        let words = if result.is_some() { vec![] } else { words(fields()).unwrap_or_default() };
        let returns: SmallVec<[ir::Type; 2]> =
            words.iter().enumerate().map(|(i, &word)| word_type(word, foreign.result.iter(), i)).collect();
        let signature = self.signature(CallConv::SystemV, &params, &returns);
        let inst = match address {
            Some(address) => self.pos.ins().call_indirect(signature, address, &values),
            None => {
                let function = self.foreign_ref(number, signature);
                self.pos.ins().call(function, &values)
            }
        };
        if result.is_some() {
            let at = self.behind_cells(memory);
            return fields().map(|field| self.of_memory(field.scalar, at, field.at as i32)).collect();
        }
        let given: SmallVec<[CVal; 2]> = self.pos.func.dfg.inst_results(inst).into();
        fields().map(|field| self.of_word(field.scalar, given[field.at as usize / 8], field.at % 8)).collect()
    }

    /// The words of the block: integer registers, vector registers, the stack. `result`: the address of the memory for
    /// the result, where it comes there.
    fn in_order(
        &mut self,
        foreign: &Foreign,
        filled: &block::Filled,
        result: Option<CVal>,
        given: &[CVal],
    ) -> SmallVec<[CVal; 8]> {
        let mut words = self.words_of(foreign, filled, given);
        words.extend(result.map(|address| (block::INTEGERS, address)));
        words.sort_by_key(|word| word.0);
        let is_integer = |place: usize| (block::INTEGERS..block::REALS).contains(&place);
        let mut values: SmallVec<[CVal; 8]> =
            words.iter().filter(|word| is_integer(word.0)).map(|word| word.1).collect();
        if filled.stacked > 0 {
            while values.len() < block::REALS - block::INTEGERS {
                values.push(self.pos.ins().iconst(types::I64, 0));
            }
        }
        for (place, value) in words.into_iter().filter(|word| !is_integer(word.0)) {
            values.push(if place < block::STACK { value } else { self.as_integer(value) });
        }
        values
    }

    /// What each word gets of the arguments.
    fn words_of(&mut self, foreign: &Foreign, filled: &block::Filled, given: &[CVal]) -> Vec<(usize, CVal)> {
        let mut words: Vec<(usize, CVal)> = Vec::with_capacity(given.len() + 1);
        let mut next = 0;
        for group in groups(&foreign.params) {
            let (values, places) = (&given[next..next + group.len()], &filled.places[next..]);
            next += group.len();
            if group[0].field().is_none() {
                words.push((places[0] / 8, values[0]));
                continue;
            }
            let fields: SmallVec<[(Field, CVal); 8]> =
                group.iter().filter_map(|param| param.field()).zip(values.iter().copied()).collect();
            for word in fields.chunk_by(|a, b| a.0.at / 8 == b.0.at / 8) {
                let at = fields.iter().position(|field| field.0 == word[0].0).expect("it is one of them");
                let value = self.put_together(word);
                words.push((places[at] / 8, value));
            }
        }
        words
    }

    /// The fields of a word -> the word: an integer, or a real where all of them are reals.
    fn put_together(&mut self, fields: &[(Field, CVal)]) -> CVal {
        match fields {
            [(Field { scalar: Scalar::F32, at }, value)] if at % 8 == 0 => {
                return self.pos.ins().fdemote(types::F32, *value);
            }
            // What stands above the field counts as little as what C has there.
            [(field, value)] if field.at % 8 == 0 => return *value,
            _ => {}
        }
        let mut word: Option<CVal> = None;
        for &(field, value) in fields {
            let value = match field.scalar {
                Scalar::F32 => {
                    let single = self.pos.ins().fdemote(types::F32, value);
                    self.as_integer(single)
                }
                // Signed ones have copies of the sign above.
                scalar => match scalar.size() {
                    1 => self.pos.ins().band_imm_u(value, 0xff),
                    2 => self.pos.ins().band_imm_u(value, 0xffff),
                    4 => {
                        let low = self.pos.ins().ireduce(types::I32, value);
                        self.pos.ins().uextend(types::I64, low)
                    }
                    _ => value,
                },
            };
            let moved = match field.at % 8 {
                0 => value,
                byte => self.pos.ins().ishl_imm_u(value, i64::from(8 * byte)),
            };
            word = Some(word.map_or(moved, |word| self.pos.ins().bor(word, moved)));
        }
        let word = word.expect("a word has a field");
        if fields.iter().all(|field| field.0.scalar.is_real()) {
            return self.pos.ins().bitcast(types::F64, MemFlagsData::new(), word);
        }
        word
    }

    /// The bits of a value, as a word.
    fn as_integer(&mut self, value: CVal) -> CVal {
        let ty = self.pos.func.dfg.value_type(value);
        if ty == types::F64 {
            return self.pos.ins().bitcast(types::I64, MemFlagsData::new(), value);
        }
        if ty == types::F32 {
            let bits = self.pos.ins().bitcast(types::I32, MemFlagsData::new(), value);
            return self.pos.ins().uextend(types::I64, bits);
        }
        value
    }

    /// A field of a word that C gives.
    fn of_word(&mut self, scalar: Scalar, word: CVal, byte: u32) -> CVal {
        let ty = self.pos.func.dfg.value_type(word);
        if byte == 0 && (ty == types::I64) != scalar.is_real() && (ty == types::F32) == (scalar == Scalar::F32) {
            return self.of_register(scalar, word);
        }
        let word = self.as_integer(word);
        let word = if byte == 0 { word } else { self.pos.ins().ushr_imm_u(word, i64::from(8 * byte)) };
        if scalar != Scalar::F32 {
            return self.of_register(scalar, word);
        }
        let bits = self.pos.ins().ireduce(types::I32, word);
        let single = self.pos.ins().bitcast(types::F32, MemFlagsData::new(), bits);
        self.of_register(scalar, single)
    }

    /// A call on the worker's C stack: its results, and the number of the error if that is wanted.
    fn by_block(
        &mut self,
        number: u32,
        foreign: &Foreign,
        filled: &block::Filled,
        memory: Memory,
        address: Option<CVal>,
        given: &[CVal],
    ) -> Vec<CVal> {
        let code = match address {
            Some(address) => address,
            None => {
                let signature = self.signature(CallConv::SystemV, &[], &[]);
                let function = self.foreign_ref(number, signature);
                self.pos.ins().func_addr(types::I64, function)
            }
        };
        let stacked = self.pos.ins().iconst(types::I64, filled.stacked as i64);
        let flags = filled.flags | if foreign.checked { checked(foreign, filled) } else { 0 };
        let flags = self.pos.ins().iconst(types::I64, flags as i64);
        let at = self.behind_cells(memory);
        for (value, place) in [(code, block::CODE), (stacked, block::STACKED), (flags, block::FLAGS)] {
            self.pos.ins().store(plain(), value, at, 8 * place as i32);
        }
        if let Given::Memory(_) = filled.given {
            let result = self.cell_address(memory, memory.cells + block::STACK + filled.stacked);
            self.pos.ins().store(plain(), result, at, 8 * block::INTEGERS as i32);
        }
        for (place, value) in self.words_of(foreign, filled, given) {
            self.pos.ins().store(plain(), value, at, 8 * place as i32);
        }
        let signature = self.signature(CallConv::SystemV, &[types::I64, types::I64], &[types::I64]);
        let stub = self.extern_ref(extern_index(Prim::ForeignGo), signature);
        let tcb = self.tcb();
        self.region = None;
        self.at_safepoint(|g| g.pos.ins().call(stub, &[tcb, at]));
        let mut values: Vec<CVal> = match foreign.scalar() {
            Some(scalar) => {
                let place = filled.results(foreign)[0] as i32;
                let value = self.pos.ins().load(register(scalar), plain(), at, place);
                vec![self.of_register(scalar, value)]
            }
            None => {
                let fields = foreign.result.iter().zip(filled.results(foreign));
                fields.map(|(field, place)| self.of_memory(field.scalar, at, place as i32)).collect()
            }
        };
        if foreign.way == Way::Errno {
            values.push(self.pos.ins().load(types::I64, plain(), at, 8 * block::ERRNO as i32));
        }
        values
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
    if foreign.scalar() == Some(Scalar::Pointer) {
        flags |= block::GIVES_ADDRESS;
    }
    for (param, byte) in foreign.params.iter().zip(&filled.places) {
        let place = byte / 8;
        if matches!(param, Param::Object | Param::Array) && (block::INTEGERS..block::REALS).contains(&place) {
            flags |= 1 << (block::OBJECTS as usize + place - block::INTEGERS);
        }
    }
    flags
}

/// The type in which C gives a word of a result: a single `float` has a type of its own.
fn word_type<'a>(word: Word, fields: impl Iterator<Item = &'a Field>, number: usize) -> ir::Type {
    let scalars: SmallVec<[Scalar; 8]> =
        fields.filter(|field| field.at as usize / 8 == number).map(|field| field.scalar).collect();
    match (word, &scalars[..]) {
        (Word::Integer, _) => types::I64,
        (Word::Real, [Scalar::F32]) => types::F32,
        (Word::Real, _) => types::F64,
    }
}

/// The type in which C gives a result.
fn register(scalar: Scalar) -> ir::Type {
    match scalar {
        Scalar::F32 => types::F32,
        Scalar::F64 => types::F64,
        _ => types::I64,
    }
}
