//! One Ssa function -> one Cranelift function.
//!
//! Ssa values become Cranelift values one to one, but for references, which have a version for each epoch (see
//! [`crate::plan`]). Blocks are translated in preorder of the dominator tree: a definition is met before its uses, and
//! the versions of a reference are a stack, whose top serves until the walk leaves the blocks that it dominates. Slow
//! paths (collections, guards, barriers) are cold blocks of their own, their stubs keep all registers.
//!
//! Keeps: r15 is read anew in each block (another worker may have taken the thread over behind a safepoint); no heap
//! load may move; boolean values stay flags until somebody wants a number.

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::entity::packed_option::ReservedValue;
use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, ExtFuncData, ExternalName, GlobalValueData, InstBuilder, MemFlagsData, Signature,
    SourceLoc, StackSlotData, StackSlotKind, UserExternalName, UserStackMapEntry, types,
};
use cranelift_codegen::isa::CallConv;
use leat_abi::exn::Builtin;
use leat_abi::prim::{Also, Prim, stub};
use leat_abi::tcb;
use leat_base::arena::EntityId;
use leat_ssa::ir::{Block, BlockData, Callee, Data, Func, Function, Inst, Loc, Op, Program, Term, Ty, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::again::Again;
use crate::flow::NONE;
use crate::options::Error;
use crate::plan::{Plan, SafepointKind, epoch_after};

/// A Cranelift value.
pub(crate) type CVal = ir::Value;
pub(crate) type Args = SmallVec<[BlockArg; 8]>;

/// Name spaces of external names.
pub(crate) const NAME_FUNC: u32 = 0;
pub(crate) const NAME_DATA: u32 = 1;
pub(crate) const NAME_EXTERN: u32 = 2;
/// A function or variable of C, by its number in the program.
pub(crate) const NAME_FOREIGN: u32 = 4;
pub(crate) const NAME_GLOBALS: u32 = 3;

/// Where a block goes on when somebody has thrown to the continuation that it captures: a capture gives its own
/// argument the first time, and what was thrown each other time.
fn thrown_to(source: &BlockData) -> Option<Block> {
    let Term::Branch(first, _, thrown) = &source.term else { return None };
    let compared = source.insts.iter().rev().find(|inst| inst.results[..] == [*first])?;
    let Op::RefEq(a, b) = compared.op else { return None };
    let is_capture = |inst: &Inst| match &inst.op {
        Op::Call(Callee::Prim(Prim::ContCapture), args) => {
            (inst.results[0], args[0]) == (a, b) || (inst.results[0], args[0]) == (b, a)
        }
        _ => false,
    };
    source.insts.iter().any(is_capture).then_some(thrown.block)
}

/// The number of a stub among external names.
pub(crate) fn stub_index(name: &str) -> u32 {
    stub::ALL.iter().position(|&s| s == name).expect("a stub of the table") as u32
}

/// Bytes of an object: header, fields, rounded.
pub(crate) fn object_bytes(align: u32, fields: usize) -> u32 {
    (8 + 8 * fields as u32).next_multiple_of(align)
}

/// No second condition of a slow path.
pub(crate) const ALWAYS: Option<fn(&mut Gen<'_>) -> CVal> = None;

/// Access to memory that is there and aligned. Nothing is called `readonly`: with `can_move` beside it a load would be
/// sunk past a safepoint and read through an address that is no longer one; alone it does nothing.
pub(crate) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// A version of a value that is in a register.
#[derive(Clone, Copy)]
struct Version {
    value: CVal,
    epoch: u32,
    block: u32,
    /// The one that hides behind it, in a block that dominates this one.
    under: u32,
}

/// The allocations that the last heap check made room for.
pub(crate) struct Region {
    /// `tcb.alloc` behind all of them.
    pub top: CVal,
    pub total: u32,
    pub used: u32,
}

/// Translation of one function.
pub(crate) struct Gen<'a> {
    pub program: &'a Program,
    pub f: &'a Function,
    pub align: u32,
    pub plan: Plan,
    pub pos: FuncCursor<'a>,
    pub region: Option<Region>,
    /// Source places by srcloc.
    pub locs: Vec<Loc>,
    /// Cranelift blocks by place.
    pub blocks: Vec<ir::Block>,
    /// Place of the block being translated.
    pub here: u32,
    versions: Vec<Version>,
    /// The top version of each value.
    top: Vec<u32>,
    flags: Vec<CVal>,
    /// Sums of flags that fit a byte: the byte, and the most that it can be.
    pub small: FxHashMap<Value, (CVal, u32)>,
    epoch: u32,
    next_safepoint: u32,
    /// Reloads on an edge are good on that edge only.
    on_edge: bool,
    slots: Option<ir::StackSlot>,
    /// For calls of C: see `foreign.rs`.
    pub memory_of_c: Option<ir::StackSlot>,
    signatures: FxHashMap<SmallVec<[u8; 16]>, ir::SigRef>,
    functions: FxHashMap<(u32, u32), ir::FuncRef>,
    symbols: FxHashMap<(u32, u32, u32), ir::GlobalValue>,
    /// By place: whether every way to the block's end goes by a switch to another thread, or by a throw to here.
    pub switched: Vec<bool>,
    pub again: Again,
    /// Calls translated so far that may last.
    pub calls: u32,
    raises: FxHashMap<Raise, ir::Block>,
}

/// What a raise needs a block of its own for: the exception, the line, and the rest of a region, as its end and bytes.
type Raise = (Builtin, u32, Option<(CVal, u32)>);

/// The machine type of a value.
pub(crate) fn machine(ty: Ty) -> ir::Type {
    match ty {
        Ty::I64 | Ty::Ref => types::I64,
        Ty::F64 => types::F64,
        Ty::F32 => types::F32,
    }
}

/// The Cranelift signature of an Ssa function.
pub(crate) fn signature_of(f: &Function) -> Signature {
    let param = |ty: Ty| AbiParam::new(machine(ty));
    Signature {
        params: f.blocks[f.entry.index()].params.iter().map(|p| param(f.values[p.index()])).collect(),
        returns: f.results.iter().map(|&t| param(t)).collect(),
        call_conv: CallConv::Tail,
    }
}

/// Translates a function into an empty one that has its signature; gives the source places.
pub(crate) fn translate(
    program: &Program,
    f: &Function,
    align: u32,
    into: &mut ir::Function,
) -> Result<Vec<Loc>, Error> {
    let plan = Plan::new(f);
    let mut g = Gen {
        program,
        f,
        align,
        again: Again::new(f, &plan.flow),
        plan,
        pos: FuncCursor::new(into),
        region: None,
        locs: Vec::new(),
        blocks: Vec::new(),
        here: 0,
        versions: Vec::with_capacity(f.values.len()),
        top: vec![NONE; f.values.len()],
        flags: vec![CVal::reserved_value(); f.values.len()],
        small: FxHashMap::default(),
        epoch: 0,
        next_safepoint: 0,
        on_edge: false,
        slots: None,
        memory_of_c: None,
        signatures: FxHashMap::default(),
        functions: FxHashMap::default(),
        symbols: FxHashMap::default(),
        switched: Vec::new(),
        calls: 0,
        raises: FxHashMap::default(),
    };
    g.function()?;
    Ok(g.locs)
}

impl Gen<'_> {
    fn function(&mut self) -> Result<(), Error> {
        if self.plan.slots > 0 {
            let bytes = 8 * self.plan.slots;
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3);
            self.slots = Some(self.pos.func.create_sized_stack_slot(data));
        }
        for place in 0..self.plan.flow.order.len() {
            let source = &self.f.blocks[self.plan.flow.order[place].index()];
            let block = self.pos.func.dfg.make_block();
            for p in &source.params {
                self.pos.func.dfg.append_block_param(block, machine(self.f.values[p.index()]));
            }
            for _ in 0..self.plan.extra[place].len() {
                self.pos.func.dfg.append_block_param(block, types::I64);
            }
            self.blocks.push(block);
        }
        self.switched = vec![false; self.plan.flow.order.len()];
        for place in self.plan.flow.dominator_order() {
            self.block(place)?;
        }
        Ok(())
    }

    fn block(&mut self, place: u32) -> Result<(), Error> {
        let f = self.f;
        let source = &f.blocks[self.plan.flow.order[place as usize].index()];
        let block = self.blocks[place as usize];
        self.here = place;
        self.epoch = self.plan.epoch_in[place as usize];
        self.next_safepoint = self.plan.first_safepoint[place as usize];
        self.region = None;
        // Cranelift wants the entry block first, however seldom the function runs.
        self.start_block(block, source.cold && place != 0);
        let params: SmallVec<[CVal; 8]> = SmallVec::from_slice(self.pos.func.dfg.block_params(block));
        let extra = std::mem::take(&mut self.plan.extra[place as usize]);
        for (&v, &value) in extra.iter().zip(&params[source.params.len()..]) {
            self.set_version(v, value);
        }
        self.plan.extra[place as usize] = extra;
        self.locate(source.insts.iter().map(|inst| inst.loc).find(|loc| loc.line != 0).unwrap_or(source.loc));
        for (&v, &value) in source.params.iter().zip(&params) {
            self.define(v, value);
        }
        for v in std::mem::take(&mut self.plan.homes_at[place as usize]) {
            let value = self.get(v);
            self.store_slot(v, value);
        }
        if place == 0 && f.entry_check {
            self.locate(f.loc);
            self.entry_check();
        }
        let before = place != 0 && self.switched[self.plan.flow.idom[place as usize] as usize];
        self.switched[place as usize] |= before
            || source.insts.iter().any(|inst| matches!(&inst.op, Op::Call(Callee::Prim(p), _) if p.is(Also::Switches)))
            || matches!(&source.term, Term::Invoke { callee: Callee::Prim(p), .. } if p.is(Also::Switches));
        if let Some(thrown) = thrown_to(source) {
            let there = self.plan.flow.place[thrown.index()];
            self.switched[there as usize] |= self.plan.flow.preds(there) == [place];
        }
        for (i, inst) in source.insts.iter().enumerate() {
            self.locate(inst.loc);
            match &inst.op {
                Op::Call(Callee::Prim(p), args)
                    if p.is(Also::JumpsLast)
                        && i + 1 == source.insts.len()
                        && self.returns(&source.term, &inst.results) =>
                {
                    return self.switch_last(*p, args);
                }
                Op::HeapCheck(bytes) => self.heap_check(*bytes, &source.insts[i + 1..]),
                Op::Call(callee, args) => self.call(callee, args, &inst.results)?,
                op => self.op(op, &inst.results)?,
            }
        }
        self.locate(source.loc);
        self.term(&source.term)
    }

    /// Appends a block to the layout and goes on there.
    pub fn start_block(&mut self, block: ir::Block, cold: bool) {
        self.pos.func.layout.append_block(block);
        if cold {
            self.pos.func.layout.set_cold(block);
        }
        self.pos.goto_bottom(block);
    }

    /// A new block, not yet in the layout.
    pub fn new_block(&mut self) -> ir::Block {
        self.pos.func.dfg.make_block()
    }

    fn locate(&mut self, loc: Loc) {
        if loc.line != 0 {
            let loc = Loc { column: 0, ..loc };
            if self.locs.last() != Some(&loc) {
                self.locs.push(loc);
            }
            self.pos.set_srcloc(SourceLoc::new(self.locs.len() as u32 - 1));
        }
    }

    /// The index in `locs` of the present place.
    pub fn place_in_source(&self) -> u32 {
        self.pos.srcloc().bits()
    }

    // -- values

    /// Records the definition of a value.
    pub fn define(&mut self, v: Value, value: CVal) {
        self.set_version(v, value);
        if self.plan.home_at_definition(v) {
            self.store_slot(v, value);
        }
    }

    /// Defines a boolean by a flag (8 bits, 0 or 1).
    pub fn define_flag(&mut self, v: Value, flag: CVal) {
        self.flags[v.index()] = flag;
        if self.plan.data_use[v.index()] {
            let value = self.pos.ins().uextend(types::I64, flag);
            self.set_version(v, value);
        }
    }

    /// A value to test against zero.
    pub fn condition(&mut self, v: Value) -> CVal {
        let flag = self.flags[v.index()];
        if flag.is_reserved_value() { self.get(v) } else { flag }
    }

    /// A flag, or a sum of flags, as a byte.
    pub fn as_byte(&self, v: Value) -> Option<(CVal, u32)> {
        let flag = self.flags[v.index()];
        if flag.is_reserved_value() { self.small.get(&v).copied() } else { Some((flag, 1)) }
    }

    /// The present version of a value; reloads it when only its slot has it. A constant is made again in each block and
    /// behind each call that needs it: kept in a register or a slot it would cost more.
    pub fn get(&mut self, v: Value) -> CVal {
        if let Some(value) = self.current(v) {
            let version = &self.versions[self.top[v.index()] as usize];
            if (version.block != self.here || version.epoch != self.epoch || self.on_edge)
                && let Some(n) = self.constant(value)
            {
                let value = self.pos.ins().iconst(types::I64, n);
                if !self.on_edge {
                    self.set_version(v, value);
                }
                return value;
            }
            return value;
        }
        assert!(
            self.plan.at_home(v, self.here),
            "{v} of {} has no version in {}",
            self.f.name,
            self.plan.flow.order[self.here as usize]
        );
        let value = self.load_slot(v);
        if !self.on_edge {
            self.set_version(v, value);
        }
        value
    }

    /// The present version of a value if a register has it.
    fn current(&mut self, v: Value) -> Option<CVal> {
        let top = &mut self.top[v.index()];
        while *top != NONE && !self.plan.flow.dominates(self.versions[*top as usize].block, self.here) {
            *top = self.versions[*top as usize].under;
        }
        let version = self.versions.get(*top as usize)?;
        (version.epoch == self.epoch || !self.plan.tracked[v.index()]).then_some(version.value)
    }

    /// The constant that a machine value is.
    pub fn constant(&self, value: CVal) -> Option<i64> {
        let inst = self.pos.func.dfg.value_def(value).inst()?;
        match self.pos.func.dfg.insts[inst] {
            ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    fn set_version(&mut self, v: Value, value: CVal) {
        let under = self.top[v.index()];
        let version = Version { value, epoch: self.epoch, block: self.here, under };
        match self.versions.get_mut(under as usize) {
            // An older one of the same block is of no more use.
            Some(old) if old.block == self.here => *old = Version { under: old.under, ..version },
            _ => {
                self.top[v.index()] = self.versions.len() as u32;
                self.versions.push(version);
            }
        }
    }

    fn slot_address(&mut self, v: Value) -> CVal {
        let slots = self.slots.expect("slots are made when there are any");
        self.pos.ins().stack_addr(types::I64, slots, 8 * self.plan.slot(v) as i32)
    }

    fn store_slot(&mut self, v: Value, value: CVal) {
        let address = self.slot_address(v);
        self.pos.ins().store(plain(), value, address, 0);
    }

    fn load_slot(&mut self, v: Value) -> CVal {
        let address = self.slot_address(v);
        self.pos.ins().load(types::I64, plain(), address, 0)
    }

    /// The thread-control block.
    pub fn tcb(&mut self) -> CVal {
        self.pos.ins().get_pinned_reg(types::I64)
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, value: CVal, n: i64) -> CVal {
        if n == 0 {
            return value;
        }
        let n = self.pos.ins().iconst(types::I64, n);
        self.pos.ins().iadd(value, n)
    }

    // -- safepoints

    /// Runs a call that may collect inside of `emit`, saving what is live across it. For calls that always run.
    pub fn at_safepoint(&mut self, emit: impl FnOnce(&mut Self) -> ir::Inst) -> ir::Inst {
        let safepoint = self.take_safepoint();
        let spill = self.plan.safepoints[safepoint as usize].kind == SafepointKind::Spill;
        let live: SmallVec<[Value; 8]> = self.plan.live(safepoint).iter().map(|l| l.value).collect();
        let mut spilled: SmallVec<[Value; 8]> = SmallVec::new();
        for &v in &live {
            if spill && !self.plan.at_home(v, self.here) {
                let value = self.get(v);
                self.store_slot(v, value);
                spilled.push(v);
            }
        }
        let inst = emit(self);
        self.map(inst, &live);
        self.calls += 1;
        self.epoch = epoch_after(safepoint);
        for v in spilled {
            let value = self.load_slot(v);
            self.set_version(v, value);
        }
        inst
    }

    /// Branches to a slow path when the condition holds, and so does the second, looked at then only. What `slow` gives
    /// is the path's counterpart of `carry`; the join gets one of them.
    pub fn slow_path(
        &mut self,
        condition: CVal,
        second: Option<impl FnOnce(&mut Self) -> CVal>,
        carry: Option<CVal>,
        slow: impl FnOnce(&mut Self) -> (ir::Inst, Option<CVal>),
    ) -> Option<CVal> {
        let safepoint = self.take_safepoint();
        let lives: SmallVec<[_; 8]> = SmallVec::from_slice(self.plan.live(safepoint));
        let mut args: Args = carry.into_iter().map(BlockArg::Value).collect();
        let mut travel: SmallVec<[Value; 8]> = SmallVec::new();
        let mut spill: SmallVec<[(Value, CVal); 8]> = SmallVec::new();
        for l in &lives {
            let at_home = self.plan.at_home(l.value, self.here);
            if at_home && !(l.again && self.current(l.value).is_some()) {
                continue;
            }
            let value = self.get(l.value);
            if !at_home {
                spill.push((l.value, value));
            }
            travel.push(l.value);
            args.push(BlockArg::Value(value));
        }
        let (cold, join) = (self.new_block(), self.new_block());
        if let Some(second) = second {
            let check = self.new_block();
            self.pos.ins().brif(condition, check, &[], join, &args);
            self.start_block(check, true);
            let condition = second(self);
            self.pos.ins().brif(condition, cold, &[], join, &args);
        } else {
            self.pos.ins().brif(condition, cold, &[], join, &args);
        }

        self.start_block(cold, true);
        for (v, value) in spill {
            self.store_slot(v, value);
        }
        let (inst, carried) = slow(self);
        let live: SmallVec<[Value; 8]> = lives.iter().map(|l| l.value).collect();
        self.map(inst, &live);
        if let Some(handler) = self.handler() {
            self.raise_if_pending(handler);
        }
        args.clear();
        args.extend(carried.map(BlockArg::Value));
        for &v in &travel {
            let value = self.load_slot(v);
            args.push(BlockArg::Value(value));
        }
        self.pos.ins().jump(join, &args);

        let cold_block = self.f.blocks[self.plan.flow.order[self.here as usize].index()].cold;
        self.start_block(join, cold_block);
        self.epoch = epoch_after(safepoint);
        let result = carry.map(|_| self.pos.func.dfg.append_block_param(join, types::I64));
        for v in travel {
            let value = self.pos.func.dfg.append_block_param(join, types::I64);
            self.set_version(v, value);
        }
        result
    }

    /// The handler of the block being translated: the stubs of its slow paths come back with an exception.
    pub fn handler(&self) -> Option<Block> {
        self.f.blocks[self.block_here().index()].handler
    }

    /// The Ssa block being translated.
    pub fn block_here(&self) -> Block {
        self.plan.flow.order[self.here as usize]
    }

    /// Behind the call of a slow path: an exception that waits goes to the handler, which takes its references from
    /// their slots. The stub keeps all registers, so this costs nothing where nothing is slow.
    fn raise_if_pending(&mut self, handler: Block) {
        let none: &[BlockArg] = &[];
        let place = self.plan.flow.place[handler.index()] as usize;
        let packet = self.load_tcb(tcb::PENDING_EXN);
        let (raise, on) = (self.new_block(), self.new_block());
        self.pos.ins().brif(packet, raise, none, on, none);
        self.start_block(raise, true);
        self.store_tcb(tcb::PENDING_EXN, 0);
        if self.again.takes_packets(handler) {
            self.raises_itself();
        }
        let mut args = Args::from_slice(&[BlockArg::Value(packet)]);
        for i in 0..self.plan.extra[place].len() {
            let v = self.plan.extra[place][i];
            args.push(BlockArg::Value(self.load_slot(v)));
        }
        self.pos.ins().jump(self.blocks[place], &args);
        self.start_block(on, true);
    }

    /// Keeps where a packet was raised that has landed just now.
    pub fn place(&mut self, packet: Value) {
        if self.again.has_just_landed(self.f, self.block_here(), packet) {
            let packet = self.get(packet);
            let signature = self.signature(CallConv::SystemV, &[types::I64], &[]);
            let stub = self.extern_ref(stub_index(stub::EXN_PLACE), signature);
            self.pos.ins().call(stub, &[packet]);
        }
    }

    /// The way to a handler of this function's own raises: see [`again`](crate::again).
    pub fn raises_itself(&mut self) {
        if self.again.places {
            self.call_stub(stub::RAISED_HERE, &[]);
            return;
        }
        self.store_tcb(tcb::RAISED_SP, 0);
        self.store_tcb(tcb::RAISES_AGAIN, 0);
    }

    pub fn store_tcb(&mut self, offset: i32, value: i64) {
        let value = self.pos.ins().iconst(types::I64, value);
        let tcb_value = self.tcb();
        self.pos.ins().store(plain(), value, tcb_value, offset);
    }

    /// Emits on an edge that leaves the block behind its last safepoint.
    pub fn on_edge<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        self.on_edge = true;
        let result = emit(self);
        self.on_edge = false;
        result
    }

    fn take_safepoint(&mut self) -> u32 {
        self.next_safepoint += 1;
        self.next_safepoint - 1
    }

    fn map(&mut self, inst: ir::Inst, live: &[Value]) {
        for &v in live {
            let slot = self.slots.expect("slots are made when there are any");
            let entry = UserStackMapEntry { ty: types::I64, slot, offset: 8 * self.plan.slot(v) };
            self.pos.func.dfg.append_user_stack_map_entry(inst, entry);
        }
    }

    // -- names

    /// A signature, made once.
    pub fn signature(&mut self, conv: CallConv, params: &[ir::Type], returns: &[ir::Type]) -> ir::SigRef {
        let mut key: SmallVec<[u8; 16]> = SmallVec::new();
        key.push(conv as u8);
        let code = |t: &ir::Type| {
            if *t == types::I64 {
                1
            } else if *t == types::F64 {
                2
            } else {
                3
            }
        };
        key.extend(params.iter().map(code));
        key.push(0);
        key.extend(returns.iter().map(code));
        if let Some(&s) = self.signatures.get(&key) {
            return s;
        }
        let list = |types: &[ir::Type]| types.iter().map(|&t| AbiParam::new(t)).collect();
        let signature = Signature { params: list(params), returns: list(returns), call_conv: conv };
        let s = self.pos.func.import_signature(signature);
        self.signatures.insert(key, s);
        s
    }

    pub(crate) fn name(&mut self, space: u32, index: u32) -> ExternalName {
        let name = self.pos.func.declare_imported_user_function(UserExternalName::new(space, index));
        ExternalName::User(name)
    }

    fn import(&mut self, space: u32, index: u32, signature: ir::SigRef) -> ir::FuncRef {
        if let Some(&r) = self.functions.get(&(space, index)) {
            return r;
        }
        let name = self.name(space, index);
        let data = ExtFuncData { name, signature, colocated: true, patchable: false };
        let r = self.pos.func.import_function(data);
        self.functions.insert((space, index), r);
        r
    }

    /// An SML function of the program.
    pub fn function_ref(&mut self, callee: Func) -> ir::FuncRef {
        let f = &self.program.funcs[callee.index()];
        let params: SmallVec<[ir::Type; 8]> =
            f.blocks[f.entry.index()].params.iter().map(|p| machine(f.values[p.index()])).collect();
        let returns: SmallVec<[ir::Type; 4]> = f.results.iter().map(|&t| machine(t)).collect();
        let signature = self.signature(CallConv::Tail, &params, &returns);
        self.import(NAME_FUNC, callee.0, signature)
    }

    /// A function of the runtime, by its number among externals; one name may have several conventions.
    pub fn extern_ref(&mut self, index: u32, signature: ir::SigRef) -> ir::FuncRef {
        let key = (NAME_EXTERN + 1 + signature.as_u32(), index);
        if let Some(&r) = self.functions.get(&key) {
            return r;
        }
        let name = self.name(NAME_EXTERN, index);
        let r = self.pos.func.import_function(ExtFuncData { name, signature, colocated: true, patchable: false });
        self.functions.insert(key, r);
        r
    }

    /// Calls a stub that keeps all registers.
    pub fn call_stub(&mut self, name: &str, args: &[CVal]) -> ir::Inst {
        let index = stub_index(name);
        let params: SmallVec<[ir::Type; 2]> = args.iter().map(|_| types::I64).collect();
        let signature = self.signature(CallConv::PreserveAll, &params, &[]);
        let stub = self.extern_ref(index, signature);
        self.pos.ins().call(stub, args)
    }

    /// Calls the stub of a slow path: the second one where this function handles what it raises.
    pub fn call_slow(&mut self, raises: &str, comes_back: &str, args: &[CVal]) -> ir::Inst {
        let name = if self.handler().is_some() { comes_back } else { raises };
        self.call_stub(name, args)
    }

    /// Address of static data.
    pub fn data_address(&mut self, data: Data) -> CVal {
        self.symbol(NAME_DATA, data.0, 0)
    }

    /// Address of global slot 0 of this program. It is made anew behind a call, for Cranelift would save a register to
    /// keep it, in the frame of each thread that waits below; in a loop it is kept.
    pub fn globals(&mut self) -> CVal {
        let copy = if self.plan.flow.depth[self.here as usize] == 0 { self.calls } else { 0 };
        self.symbol(NAME_GLOBALS, 0, copy)
    }

    /// Copies with different numbers are not taken for one value.
    fn symbol(&mut self, space: u32, index: u32, copy: u32) -> CVal {
        let gv = match self.symbols.get(&(space, index, copy)) {
            Some(&gv) => gv,
            None => {
                let name = self.name(space, index);
                let data = GlobalValueData::Symbol { name, offset: 0.into(), colocated: true, tls: false };
                let gv = self.pos.func.create_global_value(data);
                self.symbols.insert((space, index, copy), gv);
                gv
            }
        };
        self.pos.ins().symbol_value(types::I64, gv)
    }

    // -- raising

    /// The cold block that raises a builtin exception here; made once for each line, and for each rest of a region:
    /// what is not allocated yet is given back, for a nursery is a row of whole objects (A1).
    pub fn raise_block(&mut self, exn: Builtin) -> ir::Block {
        let rest = self.region.as_ref().filter(|r| r.used < r.total).map(|r| (r.top, r.total - r.used));
        let key = (exn, self.place_in_source(), rest);
        if let Some(&block) = self.raises.get(&key) {
            return block;
        }
        let (block, back) = (self.new_block(), self.pos.position());
        self.start_block(block, true);
        if let Some((top, bytes)) = rest {
            let free = self.add_constant(top, -i64::from(bytes));
            let tcb_value = self.tcb();
            self.pos.ins().store(plain(), free, tcb_value, tcb::ALLOC);
        }
        self.raise_builtin(exn);
        self.pos.set_position(back);
        self.raises.insert(key, block);
        block
    }

    /// Raises a builtin exception and ends the block.
    pub fn raise_builtin(&mut self, exn: Builtin) {
        let number = self.pos.ins().iconst(types::I64, exn as i64);
        self.call_stub(stub::RAISE_BUILTIN, &[number]);
        self.pos.ins().trap(ir::TrapCode::user(1).expect("a user trap code"));
    }
}
