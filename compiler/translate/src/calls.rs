//! Calls: SML functions, closures, primitives; with and without a handler.
//!
//! SML code calls SML code by the tail convention. A leaf primitive is a C function called on the SML stack. A runtime
//! primitive is called by way of its stub, thread block first; its result comes in the first integer register, a real
//! as its bits. Under a handler the stub is called by the tail convention (arguments stand in the same registers), for
//! behind a raise no register is kept.

use cranelift_codegen::ir::{self, BlockArg, BlockCall, ExceptionTableData, ExceptionTableItem, InstBuilder, types};
use cranelift_codegen::isa::CallConv;
use leat_abi::prim::{Lower, Prim, stub};
use leat_abi::tcb;
use leat_base::arena::EntityId;
use leat_ssa::ir::{Callee, Target, Term, Ty, Value};
use smallvec::SmallVec;

use crate::codegen::{Args, CVal, Gen, machine, plain};
use crate::ops::little;
use crate::options::Error;
use crate::plan::{calls_out, may_raise};

/// Integer arguments in registers.
const REGISTERS: usize = 6;

/// What is called, translated.
enum To {
    Direct(ir::FuncRef),
    Indirect(ir::SigRef, CVal),
}

impl Gen<'_> {
    /// A call that raises out of this function, if at all.
    pub fn call(&mut self, callee: &Callee, args: &[Value], results: &[Value]) -> Result<(), Error> {
        if let Callee::Foreign(number, _) = *callee {
            return self.foreign(number, args, results);
        }
        if let Callee::Prim(Prim::ExnPlace) = callee {
            self.place(args[0]);
            return Ok(());
        }
        if let Callee::Prim(Prim::ExnAgain) = callee {
            self.store_tcb(tcb::RAISES_AGAIN, 1);
            return Ok(());
        }
        let (to, values) = self.prepare(callee, args, results, false)?;
        let emit = |g: &mut Self| match to {
            To::Direct(f) => g.pos.ins().call(f, &values),
            To::Indirect(signature, code) => g.pos.ins().call_indirect(signature, code, &values),
        };
        let inst = if calls_out(callee) {
            self.region = None;
            self.at_safepoint(emit)
        } else {
            emit(self)
        };
        let values: SmallVec<[CVal; 4]> = SmallVec::from_slice(self.pos.func.dfg.inst_results(inst));
        for (&v, value) in results.iter().zip(values) {
            let value = self.of_machine(callee, v, value);
            self.define(v, value);
        }
        Ok(())
    }

    /// A call in tail position of an SML function.
    pub fn tail_call(&mut self, callee: &Callee, args: &[Value]) -> Result<(), Error> {
        if let Callee::Prim(p) = callee {
            return Err(Error(format!("{}: tail call of primitive {}", self.f.name, p.name())));
        }
        let f = self.f;
        let returns: SmallVec<[ir::Type; 4]> = f.results.iter().map(|&t| machine(t)).collect();
        let (to, values) = self.prepare_typed(callee, args, &returns, false)?;
        match to {
            To::Direct(f) => self.pos.ins().return_call(f, &values),
            To::Indirect(signature, code) => self.pos.ins().return_call_indirect(signature, code, &values),
        };
        Ok(())
    }

    /// Whether the function ends with these results of a primitive, in the register in which the primitive gives them,
    /// or with none.
    pub fn returns(&self, term: &Term, results: &[Value]) -> bool {
        let Term::Return(values) = term else { return false };
        values.is_empty() || values[..] == *results && results.iter().all(|&v| self.ty(v) != Ty::F64)
    }

    /// A primitive that stops the running thread, in tail position: a jump to its stub, so that the thread that waits
    /// has no frame of this function.
    pub fn switch_last(&mut self, p: Prim, args: &[Value]) -> Result<(), Error> {
        let f = self.f;
        let returns: SmallVec<[ir::Type; 4]> = f.results.iter().map(|&t| machine(t)).collect();
        let mut values: SmallVec<[CVal; 8]> = SmallVec::from_slice(&[self.tcb()]);
        values.extend(args.iter().map(|&v| self.get(v)));
        let params: SmallVec<[ir::Type; 8]> = values.iter().map(|_| types::I64).collect();
        let signature = self.signature(CallConv::Tail, &params, &returns);
        let stub = self.extern_ref(extern_index(p), signature);
        self.pos.ins().return_call(stub, &values);
        Ok(())
    }

    /// A call with a handler; ends the block.
    pub fn invoke(&mut self, callee: &Callee, args: &[Value], ok: &Target, handler: &Target) -> Result<(), Error> {
        let ok_place = self.plan.flow.place[ok.block.index()];
        let ok_block = &self.f.blocks[ok.block.index()];
        let results: SmallVec<[Value; 2]> =
            SmallVec::from_slice(&ok_block.params[..ok_block.params.len() - ok.args.len()]);
        if !may_raise(callee) {
            return self.invoke_safe(callee, args, &results, ok);
        }
        let (to, values) = self.prepare(callee, args, &results, true)?;
        let (signature, n) = match to {
            To::Direct(f) => (self.pos.func.dfg.ext_funcs[f].signature, results.len()),
            To::Indirect(signature, _) => (signature, results.len()),
        };

        // The edges: straight to their blocks, or by way of a block that reloads what they pass.
        let handler_place = self.plan.flow.place[handler.block.index()];
        let same_form = results.iter().all(|&v| !self.comes_as_bits(callee, v));
        let straight = |g: &Self, t: &Target, place: u32| t.args.is_empty() && g.plan.extra[place as usize].is_empty();
        let ok_edge = if same_form && straight(self, ok, ok_place) { None } else { Some(self.new_block()) };
        let handler_edge = if straight(self, handler, handler_place) { None } else { Some(self.new_block()) };
        let ok_to = ok_edge.unwrap_or(self.blocks[ok_place as usize]);
        let handler_to = handler_edge.unwrap_or(self.blocks[handler_place as usize]);
        let pool = &mut self.pos.func.dfg.value_lists;
        let ok_call = BlockCall::new(ok_to, (0..n as u32).map(BlockArg::TryCallRet), pool);
        let handler_call = BlockCall::new(handler_to, [BlockArg::TryCallExn(0)], pool);
        let table = ExceptionTableData::new(signature, ok_call, [ExceptionTableItem::Default(handler_call)]);
        let table = self.pos.func.dfg.exception_tables.push(table);
        self.at_safepoint(|g| match to {
            To::Direct(f) => g.pos.ins().try_call(f, &values, table),
            To::Indirect(_, code) => g.pos.ins().try_call_indirect(code, &values, table),
        });

        if let Some(edge) = ok_edge {
            let cold = ok_block.cold;
            self.start_block(edge, cold);
            let mut passed = Args::new();
            for &v in &results {
                let bits = self.comes_as_bits(callee, v);
                let ty = if bits { types::I64 } else { machine(self.ty(v)) };
                let value = self.pos.func.dfg.append_block_param(edge, ty);
                let value = self.of_machine(callee, v, value);
                passed.push(BlockArg::Value(value));
            }
            self.on_edge(|g| g.target_args(ok, &mut passed));
            self.pos.ins().jump(self.blocks[ok_place as usize], &passed);
        }
        if let Some(edge) = handler_edge {
            self.start_block(edge, true);
            let packet = self.pos.func.dfg.append_block_param(edge, types::I64);
            let mut passed = Args::from_slice(&[BlockArg::Value(packet)]);
            self.on_edge(|g| g.target_args(handler, &mut passed));
            self.pos.ins().jump(self.blocks[handler_place as usize], &passed);
        }
        Ok(())
    }

    /// A call under a handler that never raises.
    fn invoke_safe(&mut self, callee: &Callee, args: &[Value], results: &[Value], ok: &Target) -> Result<(), Error> {
        let (to, values) = self.prepare(callee, args, results, false)?;
        let emit = |g: &mut Self| match to {
            To::Direct(f) => g.pos.ins().call(f, &values),
            To::Indirect(signature, code) => g.pos.ins().call_indirect(signature, code, &values),
        };
        let inst = if calls_out(callee) { self.at_safepoint(emit) } else { emit(self) };
        let values: SmallVec<[CVal; 4]> = SmallVec::from_slice(self.pos.func.dfg.inst_results(inst));
        let mut passed = Args::new();
        for (&v, value) in results.iter().zip(values) {
            let value = self.of_machine(callee, v, value);
            passed.push(BlockArg::Value(value));
        }
        self.target_args(ok, &mut passed);
        let place = self.plan.flow.place[ok.block.index()];
        self.pos.ins().jump(self.blocks[place as usize], &passed);
        Ok(())
    }

    fn prepare(
        &mut self,
        callee: &Callee,
        args: &[Value],
        results: &[Value],
        handled: bool,
    ) -> Result<(To, SmallVec<[CVal; 8]>), Error> {
        let returns: SmallVec<[ir::Type; 4]> = results
            .iter()
            .map(|&v| if self.comes_as_bits(callee, v) { types::I64 } else { machine(self.ty(v)) })
            .collect();
        self.prepare_typed(callee, args, &returns, handled)
    }

    /// The callee and the machine arguments.
    fn prepare_typed(
        &mut self,
        callee: &Callee,
        args: &[Value],
        returns: &[ir::Type],
        handled: bool,
    ) -> Result<(To, SmallVec<[CVal; 8]>), Error> {
        let mut values: SmallVec<[CVal; 8]> = SmallVec::new();
        let mut params: SmallVec<[ir::Type; 8]> = args.iter().map(|&v| machine(self.ty(v))).collect();
        let to = match *callee {
            Callee::Func(f) => To::Direct(self.function_ref(f)),
            Callee::Closure(closure) => {
                let closure = self.get(closure);
                values.push(closure);
                params.insert(0, types::I64);
                let signature = self.signature(CallConv::Tail, &params, returns);
                let code = self.pos.ins().load(types::I64, plain(), closure, 0);
                To::Indirect(signature, code)
            }
            Callee::Prim(p) => {
                if p.lower() == Lower::Runtime {
                    values.push(self.tcb());
                    params.insert(0, types::I64);
                }
                let conv = self.convention(p, &params, handled)?;
                let signature = self.signature(conv, &params, returns);
                To::Direct(self.extern_ref(extern_index(p), signature))
            }
            Callee::Foreign(..) => {
                return Err(Error(format!(
                    "{}: a foreign function is called by an instruction of its own",
                    self.f.name
                )));
            }
        };
        for &v in args {
            values.push(self.get(v));
        }
        Ok((to, values))
    }

    fn convention(&self, p: Prim, params: &[ir::Type], handled: bool) -> Result<CallConv, Error> {
        if let Lower::Inline = p.lower() {
            return Err(Error(format!("{}: call of the inline primitive {}", self.f.name, p.name())));
        }
        let integers = params.iter().filter(|&&t| t == types::I64).count();
        match handled {
            false => Ok(CallConv::SystemV),
            true if integers <= REGISTERS => Ok(CallConv::Tail),
            true => {
                Err(Error(format!("{}: {} has too many arguments for a call under a handler", self.f.name, p.name())))
            }
        }
    }

    /// A real that a runtime primitive gives as bits.
    fn comes_as_bits(&self, callee: &Callee, v: Value) -> bool {
        matches!(callee, Callee::Prim(_)) && calls_out(callee) && self.ty(v) == Ty::F64
    }

    fn of_machine(&mut self, callee: &Callee, v: Value, value: CVal) -> CVal {
        if self.comes_as_bits(callee, v) { self.pos.ins().bitcast(types::F64, little(), value) } else { value }
    }
}

/// The number of a primitive among external names.
pub(crate) fn extern_index(p: Prim) -> u32 {
    stub::ALL.len() as u32 + p as u32
}

/// The symbol of an external name.
pub(crate) fn extern_symbol(index: u32) -> String {
    match stub::ALL.get(index as usize) {
        Some(symbol) => symbol.to_string(),
        None => {
            let p = Prim::all().nth(index as usize - stub::ALL.len()).expect("a primitive's number");
            assert!(p.lower() != Lower::Inline, "inline primitives are not called");
            p.entry().to_string()
        }
    }
}
