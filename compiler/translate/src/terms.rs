//! Terminators of Ssa -> ends of Cranelift blocks; switches by table or by bisection.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, BlockArg, BlockCall, InstBuilder, JumpTableData, types};
use cranelift_codegen::isa::CallConv;
use leat_abi::prim::stub;
use leat_base::arena::EntityId;
use leat_ssa::ir::{Target, Term};
use smallvec::SmallVec;

use crate::codegen::{Args, CVal, Gen, machine, stub_index};
use crate::options::Error;

/// A jump table pays from this many cases on, ...
const TABLE_CASES: usize = 5;
/// ... when at least one in so many of its entries is a case.
const TABLE_SPARSENESS: u64 = 3;

/// Why an edge has a block of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detour {
    None,
    LeavesLoop,
    Raise,
}

impl Gen<'_> {
    /// Ends the block.
    pub fn term(&mut self, term: &Term) -> Result<(), Error> {
        match term {
            Term::Jump(t) | Term::Scope { body: t, .. } => {
                if self.again.is_own(self.block_here(), t) {
                    self.raises_itself();
                }
                let args = self.args_of(t);
                let block = self.block_of(t);
                self.pos.ins().jump(block, &args);
            }
            Term::Branch(c, then, other) => {
                let c = self.condition(*c);
                let (then_args, other_args) = (self.args_of(then), self.args_of(other));
                let (then_detour, other_detour) = (self.detour(then, &then_args), self.detour(other, &other_args));
                let (then, other) = (self.block_of(then), self.block_of(other));
                self.branch(c, (then, &then_args, then_detour), (other, &other_args, other_detour));
            }
            Term::Switch(v, cases, default) => self.switch(*v, cases, default),
            Term::Return(values) => {
                let values: SmallVec<[CVal; 4]> = values.iter().map(|&v| self.get(v)).collect();
                self.return_(&values);
            }
            Term::TailCall(callee, args) => self.tail_call(callee, args)?,
            Term::Invoke { callee, args, ok, handler } => self.invoke(callee, args, ok, handler)?,
            Term::Raise(packet) => {
                let again = self.again.is_again(self.block_here(), *packet);
                let packet = self.get(*packet);
                self.call_stub(if again { stub::RAISE_AGAIN } else { stub::RAISE }, &[packet]);
                self.unreachable();
            }
            Term::RaiseBuiltin(exn) => self.raise_builtin(*exn),
            Term::Unreachable => self.unreachable(),
        }
        Ok(())
    }

    /// Behind a switch the processor expects that a return goes where another thread's last call was. So the return is
    /// a jump there (`stub::RETURN`), which is foretold by where it went before.
    fn return_(&mut self, values: &[CVal]) {
        let types: SmallVec<[ir::Type; 4]> = self.f.results.iter().map(|&t| machine(t)).collect();
        let integers = types.iter().filter(|&&t| t == types::I64).count();
        if !self.switched[self.here as usize] || integers > stub::RETURNED {
            self.pos.ins().return_(values);
            return;
        }
        let signature = self.signature(CallConv::Tail, &types, &types);
        let stub = self.extern_ref(stub_index(stub::RETURN), signature);
        self.pos.ins().return_call(stub, values);
    }

    /// Is this a way out of a loop that moves values? Cranelift gives such an edge a block of its own. So does a raise
    /// to a handler of the function's own.
    fn detour(&self, t: &Target, args: &Args) -> Detour {
        let flow = &self.plan.flow;
        let place = flow.place[t.block.index()] as usize;
        if self.again.is_own(self.block_here(), t) {
            Detour::Raise
        } else if !args.is_empty() && flow.depth[place] < flow.depth[self.here as usize] {
            Detour::LeavesLoop
        } else {
            Detour::None
        }
    }

    /// A branch whose ways out of a loop go by way of cold blocks: standing inside of the loop they would make every
    /// iteration jump over them (two taken branches for each character of a scan instead of one).
    fn branch(&mut self, c: CVal, then: (ir::Block, &Args, Detour), other: (ir::Block, &Args, Detour)) {
        let none = Args::new();
        let mut detours: SmallVec<[(ir::Block, ir::Block, &Args, Detour); 2]> = SmallVec::new();
        let mut way = |this: &mut Self, (block, args, detour): (ir::Block, _, Detour)| -> ir::Block {
            if detour == Detour::None {
                return block;
            }
            let cold = this.new_block();
            detours.push((cold, block, args, detour));
            cold
        };
        let (then_block, other_block) = (way(self, then), way(self, other));
        let then_args = if then.2 == Detour::None { then.1 } else { &none };
        let other_args = if other.2 == Detour::None { other.1 } else { &none };
        self.pos.ins().brif(c, then_block, then_args, other_block, other_args);
        for (cold, block, args, detour) in detours {
            self.start_block(cold, true);
            if detour == Detour::Raise {
                self.raises_itself();
            }
            self.pos.ins().jump(block, args);
        }
    }

    /// The Cranelift block of a target.
    pub fn block_of(&self, t: &Target) -> ir::Block {
        self.blocks[self.plan.flow.place[t.block.index()] as usize]
    }

    /// Appends a target's arguments, and the versions of references that its block takes.
    pub fn target_args(&mut self, t: &Target, args: &mut Args) {
        for &v in &t.args {
            args.push(BlockArg::Value(self.get(v)));
        }
        let place = self.plan.flow.place[t.block.index()] as usize;
        for i in 0..self.plan.extra[place].len() {
            let v = self.plan.extra[place][i];
            args.push(BlockArg::Value(self.get(v)));
        }
    }

    fn args_of(&mut self, t: &Target) -> Args {
        let mut args = Args::new();
        self.target_args(t, &mut args);
        args
    }

    fn unreachable(&mut self) {
        self.pos.ins().trap(ir::TrapCode::unwrap_user(1));
    }

    fn switch(&mut self, v: leat_ssa::ir::Value, cases: &[(i64, Target)], default: &Target) {
        let value = self.get(v);
        let default_call = (self.block_of(default), self.args_of(default));
        let mut calls: Vec<Case> =
            cases.iter().map(|(n, t)| Case { n: *n, block: self.block_of(t), args: self.args_of(t) }).collect();
        calls.sort_by_key(|c| c.n);
        calls.dedup_by_key(|c| c.n);
        self.switch_range(value, &calls, &default_call);
    }

    /// Decides among sorted cases; ends the block.
    fn switch_range(&mut self, value: CVal, cases: &[Case], default: &(ir::Block, Args)) {
        let span = |cases: &[Case]| cases[cases.len() - 1].n.wrapping_sub(cases[0].n) as u64;
        if cases.len() >= TABLE_CASES && span(cases) / TABLE_SPARSENESS < cases.len() as u64 {
            return self.jump_table(value, cases, span(cases), default);
        }
        if cases.len() < TABLE_CASES {
            for case in cases {
                let n = self.pos.ins().iconst(types::I64, case.n);
                let equal = self.pos.ins().icmp(IntCC::Equal, value, n);
                let next = self.new_block();
                self.pos.ins().brif(equal, case.block, &case.args, next, &[] as &[BlockArg]);
                let cold = self.block_is_cold();
                self.start_block(next, cold);
            }
            self.pos.ins().jump(default.0, &default.1);
            return;
        }
        let (low, high) = cases.split_at(cases.len() / 2);
        let (below, above) = (self.new_block(), self.new_block());
        let middle = self.pos.ins().iconst(types::I64, high[0].n);
        let less = self.pos.ins().icmp(IntCC::SignedLessThan, value, middle);
        self.pos.ins().brif(less, below, &[] as &[BlockArg], above, &[] as &[BlockArg]);
        let cold = self.block_is_cold();
        self.start_block(below, cold);
        self.switch_range(value, low, default);
        self.start_block(above, cold);
        self.switch_range(value, high, default);
    }

    fn jump_table(&mut self, value: CVal, cases: &[Case], span: u64, default: &(ir::Block, Args)) {
        let first = cases[0].n;
        let index = self.add_constant(value, first.wrapping_neg());
        let last = self.pos.ins().iconst(types::I64, span as i64);
        let outside = self.pos.ins().icmp(IntCC::UnsignedGreaterThan, index, last);
        let inside = self.new_block();
        self.pos.ins().brif(outside, default.0, &default.1, inside, &[] as &[BlockArg]);
        let cold = self.block_is_cold();
        self.start_block(inside, cold);
        let pool = &mut self.pos.func.dfg.value_lists;
        // Each entry has its own argument list: Cranelift edits them one by one.
        let mut cases = cases.iter().peekable();
        let table: Vec<BlockCall> = (0..=span)
            .map(|i| match cases.next_if(|c| c.n.wrapping_sub(first) as u64 == i) {
                Some(case) => BlockCall::new(case.block, case.args.iter().copied(), pool),
                None => BlockCall::new(default.0, default.1.iter().copied(), pool),
            })
            .collect();
        let default_call = BlockCall::new(default.0, default.1.iter().copied(), pool);
        let table = self.pos.func.create_jump_table(JumpTableData::new(default_call, &table));
        let index = self.pos.ins().ireduce(types::I32, index);
        self.pos.ins().br_table(index, table);
    }
}

/// A case of a switch, translated.
struct Case {
    n: i64,
    block: ir::Block,
    args: Args,
}
