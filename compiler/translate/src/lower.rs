//! A Cranelift function -> machine code, as [`Context::compile`] does it, but for two things: only functions that gain
//! by it pass Cranelift's optimiser; and what that has copied gets the source place of what it is a copy of.
//!
//! The stage before has numbered values, moved them out of loops and folded constants already; divisions by constants,
//! rotations and constants where they are needed are made on the way here. What is left for the optimiser are loops
//! without calls, where each instruction counts. In other functions it took a fifth of the time of a whole compilation,
//! and the copies that it makes filled the tables of places.
//!
//! Cranelift's optimiser computes an expression where it is needed: if two blocks need it, neither of which always runs
//! before the other, each gets a copy of its instructions, and the copies have no place. Machine code without a place
//! belongs to what stands before it, so half of an unrolled loop once stood at the `print` that came before that half
//! in memory.

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, SourceLoc, Type, Value};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::OptLevel;
use cranelift_codegen::{CodegenError, CompiledCode, Context};
use rustc_hash::FxHashMap;

use crate::count::is_of_counting;

/// What compiling one function after the other needs.
pub(crate) struct Lowering {
    /// Holds the function.
    pub context: Context,
    registers: regalloc2::Ctx,
}

impl Lowering {
    pub fn new() -> Lowering {
        Lowering { context: Context::new(), registers: regalloc2::Ctx::default() }
    }

    /// Compiles the function that `context` holds.
    pub fn compile(&mut self, isa: &dyn TargetIsa) -> Result<CompiledCode, CodegenError> {
        let Lowering { context, registers } = self;
        let control = &mut ControlPlane::default();
        // The steps of `Context::optimize`.
        context.verify_if(isa)?;
        context.compute_cfg();
        context.compute_domtree();
        context.eliminate_unreachable_code(isa)?;
        context.remove_constant_phis(isa)?;
        context.func.dfg.resolve_all_aliases();
        if isa.flags().opt_level() != OptLevel::None && gains(&context.func, &context.domtree) {
            context.egraph_pass(isa, control)?;
            place_copies(context);
        }
        let stencil = isa.compile_function(&context.func, &context.domtree, registers, context.want_disasm, control)?;
        Ok(stencil.apply_params(&context.func.params))
    }
}

/// Whether the optimiser makes the function faster: it has a loop without calls.
fn gains(func: &Function, domtree: &DominatorTree) -> bool {
    // Reverse postorder: what lies between the head of a loop and its end is the loop, and at times a way out of it.
    let order: Vec<Block> = domtree.cfg_rpo().copied().collect();
    let mut place: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
    order.iter().enumerate().for_each(|(i, &block)| place[block] = i);
    // How many calls stand before each place; those that are hardly ever made do not count.
    let mut calls = vec![0usize; order.len() + 1];
    for (i, &block) in order.iter().enumerate() {
        calls[i + 1] = calls[i];
        if func.layout.is_cold(block) {
            continue;
        }
        let is_call = |inst: &Inst| func.dfg.insts[*inst].opcode().is_call();
        calls[i + 1] += func.layout.block_insts(block).filter(is_call).count();
        let Some(end) = func.layout.last_inst(block) else { continue };
        let ways = func.dfg.insts[end].branch_destination(&func.dfg.jump_tables, &func.dfg.exception_tables);
        let mut heads = ways.iter().map(|way| place[way.block(&func.dfg.value_lists)]).filter(|&head| head <= i);
        if heads.any(|head| calls[head] == calls[i + 1]) {
            return true;
        }
    }
    false
}

/// Whether the optimiser may have copied such an instruction.
fn is_pure(opcode: Opcode) -> bool {
    !(opcode.is_terminator()
        || opcode.is_call()
        || opcode.can_load()
        || opcode.can_store()
        || opcode.can_trap()
        || opcode.other_side_effects())
}

/// Gives each instruction without a place that of an equal one; what has no equal gets the place of what follows in its
/// block, and a block without any place that with which the block ends that dominates it: a poll, and the branch behind
/// it, belong to the loop that they stand in.
fn place_copies(context: &mut Context) {
    let func = &mut context.func;
    // Each block stands behind those that dominate it, so arguments before what is computed from them.
    let blocks: Vec<Block> = context.domtree.cfg_rpo().copied().collect();
    // Most copies are constants, of which no loop consists. What computes something is looked for only if it was
    // copied.
    let mut copied = [false; 256];
    let (mut some, mut computing) = (false, false);
    for &block in &blocks {
        for inst in func.layout.block_insts(block) {
            if func.srcloc(inst).is_default() {
                let opcode = func.dfg.insts[inst].opcode();
                copied[opcode as usize] = true;
                some = true;
                computing |= is_pure(opcode) && !func.dfg.inst_args(inst).is_empty();
            }
        }
    }
    if computing {
        place_as_equals(func, &blocks, &copied);
    }
    if some {
        place_as_next(func, &blocks);
        place_as_before(context, &blocks);
    }
}

/// Gives copies, which are of some opcodes, the places of what they are copies of.
fn place_as_equals(func: &mut Function, blocks: &[Block], copied: &[bool; 256]) {
    // Equal expressions have one number: the value of the first of them. What was not copied is equal to itself alone.
    let mut first: FxHashMap<(InstructionData, Type), Value> = FxHashMap::default();
    let mut equal: FxHashMap<Value, Value> = FxHashMap::default();
    let mut places: FxHashMap<Value, SourceLoc> = FxHashMap::default();
    let mut copies: Vec<(Inst, Value)> = Vec::new();
    for &block in blocks {
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            let mut data = func.dfg.insts[inst];
            let &[result] = func.dfg.inst_results(inst) else { continue };
            if !copied[data.opcode() as usize] || !is_pure(data.opcode()) {
                continue;
            }
            let ty = func.dfg.value_type(result);
            let dfg = &mut func.dfg;
            data.map_values(&mut dfg.value_lists, &mut dfg.jump_tables, &mut dfg.exception_tables, |value| {
                equal.get(&value).copied().unwrap_or(value)
            });
            let number = *first.entry((data, ty)).or_insert(result);
            if number != result {
                equal.insert(result, number);
            }
            let place = func.srcloc(inst);
            if place.is_default() {
                // A constant belongs to what it is made again for, not to where another one is equal by chance.
                if !func.dfg.inst_args(inst).is_empty() {
                    copies.push((inst, number));
                }
            } else if !is_of_counting(place) {
                places.entry(number).or_insert(place);
            }
        }
    }
    for (inst, number) in copies {
        if let Some(&place) = places.get(&number) {
            func.set_srcloc(inst, place);
        }
    }
}

/// Gives what has no place that of what follows in its block.
fn place_as_next(func: &mut Function, blocks: &[Block]) {
    for &block in blocks {
        let mut place = None;
        let mut next = func.layout.last_inst(block);
        while let Some(inst) = next {
            next = func.layout.prev_inst(inst);
            let own = func.srcloc(inst);
            if !own.is_default() {
                place = Some(own).filter(|&own| !is_of_counting(own));
            } else if let Some(place) = place {
                func.set_srcloc(inst, place);
            }
        }
    }
}

/// Gives blocks that have no place that of the end of what dominates them.
fn place_as_before(context: &mut Context, blocks: &[Block]) {
    let (func, domtree) = (&mut context.func, &context.domtree);
    let mut ends: SecondaryMap<Block, SourceLoc> = SecondaryMap::new();
    for &block in blocks {
        let last = func.layout.block_insts(block).rev().map(|inst| func.srcloc(inst));
        let own = last.into_iter().find(|place| !place.is_default() && !is_of_counting(*place));
        ends[block] = own.or_else(|| domtree.idom(block).map(|above| ends[above])).unwrap_or_default();
        if own.is_none() && !ends[block].is_default() {
            let mut next = func.layout.first_inst(block);
            while let Some(inst) = next {
                next = func.layout.next_inst(inst);
                if func.srcloc(inst).is_default() {
                    func.set_srcloc(inst, ends[block]);
                }
            }
        }
    }
}
