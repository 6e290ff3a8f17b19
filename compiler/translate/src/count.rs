//! A Cranelift function -> the same function, which counts its calls and how often each of its blocks runs; and
//! afterwards, its machine code -> how many instructions each counter stands for.
//!
//! Every block adds one to its counter. Edges from a block with several successors to one with several predecessors get
//! a block of their own, so that each stretch of machine code runs as often as one counter says. Where a function is in
//! the tree of calls, its node, lies in its frame ([`leat_abi::calls`]).
//!
//! Counting disturbs the code little: it comes last, keeps nothing in a register from block to block, and its
//! instructions have source places of their own, by which they are known in the machine code and not counted
//! themselves. Known gap: a block that a raise leaves early is counted whole.

use cranelift_codegen::CompiledCode;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{
    self, AbiParam, AliasRegion, AliasRegionData, Block, BlockArg, ExtFuncData, ExternalName, InstBuilder,
    MemFlagsData, Signature, SourceLoc, StackSlotData, StackSlotKind, UserExternalName, condcodes::IntCC, types,
};
use cranelift_codegen::isa::CallConv;
use leat_abi::calls::{self, Stretch};
use leat_abi::prim::stub;
use leat_abi::tcb;
use leat_ssa::ir::{Inlined, Loc};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codegen::{NAME_EXTERN, NAME_FUNC, stub_index};
use crate::length::length;

/// Source places from here on are those of a counter's own instructions.
const COUNTER: u32 = 0x4000_0000;
/// That of what stands before a call, and of the jumps of edges.
const OTHER: u32 = 0x6000_0000;
/// That of a function's start.
const ENTRY: u32 = 0x7000_0000;

/// Whether a source place is one of the counters' own instructions.
pub(crate) fn is_of_counting(place: SourceLoc) -> bool {
    place.bits() >= COUNTER && !place.is_default()
}

/// What a function counts; offsets are from its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub counters: u32,
    /// By slot: an instruction of the call.
    pub calls: Vec<u32>,
    pub stretches: Vec<Stretch>,
    /// What was inlined (as `Loc::at`), and the counter of its first block; once for each copy.
    pub inlined: Vec<(u32, u32)>,
}

/// A function that counts, before it is machine code.
pub(crate) struct Counting {
    counters: u32,
    /// By counter: the calls of its block in order, with their slots.
    calls: Vec<Vec<Option<u32>>>,
    slots: u32,
    inlined: Vec<(u32, u32)>,
}

/// Makes a function count; it is the program's function of this number.
pub(crate) fn instrument(func: &mut ir::Function, number: u32, locs: &[Loc], inlined: &[Inlined]) -> Counting {
    split_edges(func);
    let entry = func.layout.entry_block().expect("a function has an entry");
    let first = func.layout.first_inst(entry).expect("no block is empty");
    let body = func.dfg.make_block();
    func.layout.split_block(body, first);
    let blocks: Vec<Block> = func.layout.blocks().filter(|&block| block != entry).collect();
    let mut counting = Counting { counters: blocks.len() as u32, calls: Vec::new(), slots: 0, inlined: Vec::new() };
    counting.find_inlined(func, &blocks, locs, inlined);

    let data = AliasRegionData { user_id: 0, description: "counters".into() };
    let region = func.dfg.alias_regions.insert(data);
    let slot = func.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
    let mut writer = Writer { pos: FuncCursor::new(func), region, slot };
    for (&block, counter) in blocks.iter().zip(0..) {
        let calls = writer.block(block, counter, counting.counters, &mut counting.slots);
        counting.calls.push(calls);
    }
    writer.entry(entry, body, number);
    counting
}

/// Gives each edge between a block with several successors and one with several predecessors a block.
fn split_edges(func: &mut ir::Function) {
    let mut preds: FxHashMap<Block, u32> = FxHashMap::default();
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let successors = |func: &ir::Function, block: Block| -> Vec<Block> {
        let Some(last) = func.layout.last_inst(block) else { return Vec::new() };
        let calls = func.dfg.insts[last].branch_destination(&func.dfg.jump_tables, &func.dfg.exception_tables);
        calls.iter().map(|call| call.block(&func.dfg.value_lists)).collect()
    };
    for &block in &blocks {
        for to in successors(func, block) {
            *preds.entry(to).or_default() += 1;
        }
    }
    for &block in &blocks {
        let to = successors(func, block);
        if to.len() < 2 {
            continue;
        }
        let last = func.layout.last_inst(block).expect("it has successors");
        for (i, &to) in to.iter().enumerate().filter(|(_, to)| preds[to] > 1) {
            let edge = func.dfg.make_block();
            let params: Vec<ir::Type> = func.dfg.block_param_types(to).collect();
            let params: Vec<BlockArg> =
                params.iter().map(|&ty| BlockArg::Value(func.dfg.append_block_param(edge, ty))).collect();
            func.layout.insert_block_after(edge, block);
            if func.layout.is_cold(to) {
                func.layout.set_cold(edge);
            }
            let mut pos = FuncCursor::new(func).at_bottom(edge);
            pos.set_srcloc(SourceLoc::new(OTHER));
            pos.ins().jump(to, &params);
            let dfg = &mut func.dfg;
            let calls = dfg.insts[last].branch_destination_mut(&mut dfg.jump_tables, &mut dfg.exception_tables);
            calls[i].set_block(edge, &mut dfg.value_lists);
        }
    }
}

impl Counting {
    /// Counters of each inlined function, and of each copy of one: that of the first block in which it stands. If that
    /// block is the head of a loop of the function's own, those of the ways into the loop: all that came before the
    /// loop may have been computed when compiling.
    fn find_inlined(&mut self, func: &ir::Function, blocks: &[Block], locs: &[Loc], inlined: &[Inlined]) {
        let loc_of = |inst: ir::Inst| locs.get(func.srcloc(inst).bits() as usize).filter(|loc| loc.at != 0);
        let place: FxHashMap<Block, usize> = blocks.iter().enumerate().map(|(i, &block)| (block, i)).collect();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for (i, &block) in blocks.iter().enumerate() {
            let Some(last) = func.layout.last_inst(block) else { continue };
            let ways = func.dfg.insts[last].branch_destination(&func.dfg.jump_tables, &func.dfg.exception_tables);
            for way in ways {
                if let Some(&to) = place.get(&way.block(&func.dfg.value_lists)) {
                    preds[to].push(i);
                }
            }
        }
        // Is a place in this inlined function, or in one inlined into it?
        let is_within = |mut at: u32, of: u32| {
            while at != 0 && at != of {
                at = inlined[at as usize - 1].call.at;
            }
            at == of
        };
        // Blocks stand behind those that dominate them.
        let is_own_loop = |head: usize, at: u32| {
            let Some(&end) = preds[head].iter().filter(|&&pred| pred >= head).max() else { return false };
            let insts = blocks[head..=end].iter().flat_map(|&block| func.layout.block_insts(block));
            // A poll has no place, and what was made above to count none of the program's.
            let places = insts.filter_map(|inst| locs.get(func.srcloc(inst).bits() as usize));
            places.filter(|loc| **loc != Loc::default()).all(|loc| is_within(loc.at, at))
        };
        let mut seen = FxHashSet::default();
        for (head, &block) in blocks.iter().enumerate() {
            for inst in func.layout.block_insts(block) {
                let Some(loc) = loc_of(inst).filter(|loc| seen.insert((loc.at, loc.copy))) else { continue };
                if is_own_loop(head, loc.at) {
                    let ways = preds[head].iter().filter(|&&pred| pred < head);
                    self.inlined.extend(ways.map(|&pred| (loc.at, pred as u32)));
                } else {
                    self.inlined.push((loc.at, head as u32));
                }
            }
        }
    }
}

struct Writer<'a> {
    pos: FuncCursor<'a>,
    region: AliasRegion,
    /// Where the node is in the frame.
    slot: ir::StackSlot,
}

/// Whether a call goes to SML code.
fn calls_sml(func: &ir::Function, inst: ir::Inst) -> bool {
    match func.dfg.insts[inst].analyze_call(&func.dfg.value_lists, &func.dfg.exception_tables) {
        ir::instructions::CallInfo::Direct(callee, _) | ir::instructions::CallInfo::DirectWithSig(callee, ..) => {
            match func.dfg.ext_funcs[callee].name {
                ExternalName::User(name) => func.params.user_named_funcs()[name].namespace == NAME_FUNC,
                _ => false,
            }
        }
        ir::instructions::CallInfo::Indirect(..) => true,
        ir::instructions::CallInfo::NotACall => false,
    }
}

impl Writer<'_> {
    /// Counting's memory: nothing of the program is there, and the program's stores do not order it.
    fn flags(&self) -> MemFlagsData {
        MemFlagsData::trusted().with_alias_region(Some(self.region))
    }

    fn load(&mut self, address: ir::Value, offset: i32) -> ir::Value {
        let flags = self.flags();
        self.pos.ins().load(types::I64, flags, address, offset)
    }

    fn store(&mut self, value: ir::Value, address: ir::Value, offset: i32) {
        let flags = self.flags();
        self.pos.ins().store(flags, value, address, offset);
    }

    fn node(&mut self) -> ir::Value {
        let address = self.pos.ins().stack_addr(types::I64, self.slot, 0);
        self.load(address, 0)
    }

    fn increment(&mut self, address: ir::Value, offset: i32) {
        let count = self.load(address, offset);
        let one = self.pos.ins().iconst(types::I64, 1);
        let count = self.pos.ins().iadd(count, one);
        self.store(count, address, offset);
    }

    /// Gives the block's calls in machine code's order; those that are no tail calls and go to SML code have a slot.
    fn block(&mut self, block: Block, counter: u32, counters: u32, slots: &mut u32) -> Vec<Option<u32>> {
        let mut calls = Vec::new();
        let insts: Vec<ir::Inst> = self.pos.func.layout.block_insts(block).collect();
        for inst in insts {
            let opcode = self.pos.func.dfg.insts[inst].opcode();
            if !opcode.is_call() {
                continue;
            }
            let slot = calls_sml(self.pos.func, inst).then(|| {
                *slots += 1;
                *slots - 1
            });
            if let Some(slot) = slot {
                self.pos.goto_inst(inst);
                self.pos.set_srcloc(SourceLoc::new(OTHER));
                let node = self.node();
                let slot = self.pos.ins().iadd_imm_s(node, i64::from(calls::slot(counters, slot)));
                let tcb = self.pos.ins().get_pinned_reg(types::I64);
                self.store(slot, tcb, tcb::COUNTERS);
            }
            calls.push(slot);
        }
        self.pos.goto_first_inst(block);
        self.pos.set_srcloc(SourceLoc::new(COUNTER + counter));
        let node = self.node();
        self.increment(node, calls::counter(counter));
        calls
    }

    /// The start of the function: finds its node.
    fn entry(&mut self, entry: Block, body: Block, number: u32) {
        let dfg = &mut self.pos.func.dfg;
        let (known, mine, unknown) = (dfg.make_block(), dfg.make_block(), dfg.make_block());
        let none: &[BlockArg] = &[];
        for block in [known, mine, unknown] {
            self.pos.func.layout.insert_block(block, body);
        }
        self.pos.func.layout.set_cold(unknown);
        let name = self.pos.func.declare_imported_user_function(UserExternalName::new(NAME_FUNC, number));
        let signature = self.pos.func.signature.clone();
        let signature = self.pos.func.import_signature(signature);
        let name = ExternalName::User(name);
        let itself = self.pos.func.import_function(ExtFuncData { name, signature, colocated: true, patchable: false });
        let stub = UserExternalName::new(NAME_EXTERN, stub_index(stub::COUNT_CALL));
        let name = ExternalName::User(self.pos.func.declare_imported_user_function(stub));
        let params = vec![AbiParam::new(types::I64); 2];
        let signature = Signature { params, returns: Vec::new(), call_conv: CallConv::PreserveAll };
        let signature = self.pos.func.import_signature(signature);
        let stub = self.pos.func.import_function(ExtFuncData { name, signature, colocated: true, patchable: false });

        self.pos.goto_bottom(entry);
        self.pos.set_srcloc(SourceLoc::new(ENTRY));
        let tcb = self.pos.ins().get_pinned_reg(types::I64);
        let slot = self.load(tcb, tcb::COUNTERS);
        let nothing = self.pos.ins().iconst(types::I64, 0);
        self.store(nothing, tcb, tcb::COUNTERS);
        self.pos.ins().brif(slot, known, none, unknown, none);

        self.pos.goto_bottom(known);
        let link = self.load(slot, calls::SLOT_LINKS);
        let function = self.load(link, calls::LINK_FUNCTION);
        let me = self.pos.ins().func_addr(types::I64, itself);
        let same = self.pos.ins().icmp(IntCC::Equal, function, me);
        self.pos.ins().brif(same, mine, none, unknown, none);

        self.pos.goto_bottom(mine);
        self.increment(link, calls::LINK_COUNT);
        let node = self.load(link, calls::LINK_NODE);
        let address = self.pos.ins().stack_addr(types::I64, self.slot, 0);
        self.store(node, address, 0);
        self.pos.ins().jump(body, none);

        self.pos.goto_bottom(unknown);
        let me = self.pos.ins().func_addr(types::I64, itself);
        self.pos.ins().call(stub, &[slot, me]);
        let tcb = self.pos.ins().get_pinned_reg(types::I64);
        let node = self.load(tcb, tcb::COUNTERS);
        let nothing = self.pos.ins().iconst(types::I64, 0);
        self.store(nothing, tcb, tcb::COUNTERS);
        let address = self.pos.ins().stack_addr(types::I64, self.slot, 0);
        self.store(node, address, 0);
        self.pos.ins().jump(body, none);
    }
}

impl Counting {
    /// What the counters stand for. `lines` are the starts of source places.
    pub fn finish(self, compiled: &CompiledCode, code: &[u8], lines: &[(u32, Loc)]) -> Counted {
        let buffer = &compiled.buffer;
        // Code that counts, and what it says of the block that it is in.
        let own: Vec<(u32, u32, u32)> = buffer
            .get_srclocs_sorted()
            .iter()
            .filter(|place| (COUNTER..=ENTRY).contains(&place.loc.bits()))
            .map(|place| {
                let (start, end, what) = (place.start, place.end, place.loc.bits());
                // What the register allocator moves behind it is the program's.
                let own = if what == ENTRY { None } else { own_bytes(&code[start as usize..end as usize]) };
                (start, own.map_or(end, |bytes| start + bytes), what)
            })
            .collect();
        let mut starts = compiled.bb_starts.clone();
        starts.push(code.len() as u32);
        starts[0] = 0;
        let mut counted = Counted {
            counters: self.counters,
            calls: vec![0; self.slots as usize],
            stretches: Vec::new(),
            inlined: self.inlined,
        };
        let returns: Vec<u32> = buffer.call_sites().map(|site| site.ret_addr).collect();
        // The entry's own instructions, of which the prologue is one, run as often as the body's.
        let mut counter = Some(0);
        let mut seen = false;
        for ends in starts.windows(2) {
            let (start, end) = (ends[0], ends[1]);
            let from = own.partition_point(|&(_, end, _)| end <= start);
            let inside = || own[from..].iter().take_while(|&&(at, ..)| at < end);
            match inside().find(|&&(_, _, place)| place < OTHER) {
                Some(&(_, _, place)) => (counter, seen) = (Some(place - COUNTER), true),
                None if seen => counter = None,
                None => {}
            }
            let Some(counter) = counter else { continue };
            let mut last = start;
            let mut at = start;
            while at < end {
                let Some(bytes) = length(&code[at as usize..end as usize]) else { break };
                // The jump of an edge would stand there too if something was moved on it.
                let moved = || counted.stretches.last().is_some_and(|s| seen && s.start >= start);
                let is_own = inside().any(|&(start, end, _)| start <= at && at < end);
                if !is_own || is_jump(code[at as usize]) && moved() {
                    let line = lines.partition_point(|&(start, _)| start <= at);
                    match counted.stretches.last_mut() {
                        Some(stretch)
                            if stretch.counter == counter
                                && stretch.start >= start
                                && lines.partition_point(|&(at, _)| at <= stretch.start) == line =>
                        {
                            stretch.instructions += 1
                        }
                        _ => counted.stretches.push(Stretch { start: at, counter, instructions: 1 }),
                    }
                }
                last = at;
                at += bytes as u32;
                // Behind these stand tables, constants, and traps.
                if ends_block(&code[last as usize..at as usize], end == code.len() as u32) {
                    break;
                }
            }
            // The calls of this block, in order; what has no return address is a tail call.
            if inside().any(|&(_, _, place)| place == COUNTER + counter) {
                let first = returns.partition_point(|&ret| ret <= start);
                let mut returns = returns[first..].iter().take_while(|&&ret| ret <= end);
                for call in &self.calls[counter as usize] {
                    let at = returns.next().map_or(last, |ret| ret - 1);
                    if let Some(slot) = call {
                        counted.calls[*slot as usize] = at;
                    }
                }
            }
        }
        counted
    }
}

/// Whether an instruction is the last one of its block for certain: a return, a trap, an indirect jump; or any jump,
/// where nothing follows.
#[cfg(target_arch = "x86_64")]
fn ends_block(instruction: &[u8], last: bool) -> bool {
    let opcode = if instruction[0] & 0xf0 == 0x40 { &instruction[1..] } else { instruction };
    match opcode {
        [0xc3 | 0xc2, ..] | [0x0f, 0x0b] => true,
        [0xff, modrm, ..] => modrm >> 3 & 7 == 4,
        [0xe9 | 0xeb, ..] => last,
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ends_block(instruction: &[u8], last: bool) -> bool {
    let &[a, b, c, d] = instruction else { return true };
    let word = u32::from_le_bytes([a, b, c, d]);
    // ret, br, brk; b.
    word & 0xff9f_fc1f == 0xd61f_0000 && word & 0x0020_0000 == 0
        || word & 0xffff_fc1f == 0xd65f_0000
        || word & 0xffe0_001f == 0xd420_0000
        || last && word & 0xfc00_0000 == 0x1400_0000
}

/// The bytes of counting's instructions at the start of a place of theirs, up to what writes a counter or the slot of a
/// call; none if that is not known.
#[cfg(target_arch = "x86_64")]
fn own_bytes(code: &[u8]) -> Option<u32> {
    let (mut at, mut found) = (0, None);
    while let Some(bytes) = length(&code[at..]).filter(|&bytes| bytes > 0) {
        let to_memory = |modrm: u8| modrm < 0xc0;
        let writes = match code[at..at + bytes] {
            // add qword [..], 1; inc qword [..]
            [0x48..=0x4f, 0x81 | 0x83, modrm, ..] => to_memory(modrm) && modrm >> 3 & 7 == 0,
            [0x48..=0x4f, 0xff, modrm, ..] => to_memory(modrm) && modrm >> 3 & 7 == 0,
            // mov [r15 + COUNTERS], register
            [rex @ 0x48..=0x4f, 0x89, modrm, ..] => rex & 1 == 1 && to_memory(modrm) && modrm & 7 == 7,
            _ => false,
        };
        at += bytes;
        if writes {
            found = Some(at as u32);
        }
    }
    found
}

#[cfg(not(target_arch = "x86_64"))]
fn own_bytes(_code: &[u8]) -> Option<u32> {
    None
}

/// Whether an instruction that begins so is a direct jump.
fn is_jump(first: u8) -> bool {
    cfg!(target_arch = "x86_64") && matches!(first, 0xe9 | 0xeb)
}
