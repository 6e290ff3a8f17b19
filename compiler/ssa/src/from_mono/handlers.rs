//! Exceptions: a handler's scope, and what may raise.
//!
//! A handler is a block whose only parameter is the packet. As long as the code that is written is in its scope
//! (`Emit::handler`), a raise is a jump to it, a guard is a branch to a block that makes the packet and jumps to it,
//! and a call that may raise is an `Invoke`, which ends its block. Without a handler they leave the function, by
//! `Raise`, `Guard` and a plain `Call`.

use super::{Ctx, Emit, Task};
use crate::closure::{Const, Operand};
use crate::ir::*;
use crate::ops::values;
use leat_abi::exn::{self, Builtin};
use leat_abi::prim::Prim;
use leat_mono::ir::{Atom, Body, Var};

impl<'a> Emit<'a, '_> {
    /// Writes a body with a handler; true when the body around it ends with it.
    pub(super) fn handle(
        &mut self,
        task: &Task<'a>,
        vars: &'a [Var],
        body: &'a Body,
        exn: Var,
        handler: &'a Body,
        tail: bool,
    ) -> bool {
        let ctx = task.ctx;
        let catch = self.f.new_block();
        let packet = self.f.add_param(catch, Ty::Ref);
        self.env[exn.0 as usize] = (self.host, packet);
        self.f[catch].cold = true;
        self.f[catch].handler = ctx.handler;
        self.scopes.insert(catch, self.loc);
        let done = self.join(vars);
        let start = self.f.new_block();
        self.end(Term::Scope { body: Target::new(start, []), handler: Target::new(catch, []) });
        let scope = Ctx { cont: Some(done), handler: Some(catch) };
        let called = task.called.clone();
        let part = self.calls.part(self.part, self.loc);
        self.tasks.push(Task { block: start, body, ctx: scope, top: false, called: called.clone(), part });
        let outer = if tail { ctx } else { Ctx { cont: Some(done), handler: ctx.handler } };
        self.tasks.push(Task { block: catch, body: handler, ctx: outer, top: false, called, part });
        if tail {
            self.go_on(done);
            let vs = Values::from_slice(&self.f[done].params);
            self.result(ctx, vs);
            return true;
        }
        self.after(Some(done), vars, task.top)
    }

    pub(super) fn raise(&mut self, atom: Atom) {
        let operand = self.operand(atom);
        let term = match (self.handler, operand) {
            (None, Operand::Const(Const::ExnPacket(b))) => Term::RaiseBuiltin(b),
            (None, _) => Term::Raise(self.atom(atom)),
            (Some(handler), _) => {
                let packet = self.atom(atom);
                Term::Jump(Target::new(handler, [packet]))
            }
        };
        self.end(term);
        let cur = self.cur;
        self.f[cur].cold = self.handler.is_none();
    }

    /// Raises when the condition is not 0, to the handler if there is one in this function.
    pub fn guard(&mut self, cond: Value, builtin: Builtin) {
        let Some(handler) = self.handler else {
            self.push(Op::Guard(cond, builtin));
            return;
        };
        let raise = match self.raises.get(&(handler, builtin)) {
            Some(&block) if !self.p.keeps_history => block,
            _ => {
                // A block that all such checks share has the place of the scope: what was inlined around one of them
                // has not been called where another one fails.
                let loc = if self.p.keeps_history { self.loc } else { self.scopes[&handler] };
                let block = self.f.new_block();
                let packet = self.f.push(block, Op::ExnPacket(builtin), loc);
                if self.p.keeps_history {
                    let how = self.f.push(block, Op::Iconst(exn::NOTE_HANDLED), loc);
                    let note = Op::Call(Callee::Prim(Prim::ExnNote), values(&[packet, how]));
                    let note = self.f.make(note, &[], loc);
                    self.f[block].insts.push(note);
                }
                self.f[block].loc = loc;
                self.f[block].handler = self.f[handler].handler;
                self.f[block].term = Term::Jump(Target::new(handler, [packet]));
                self.f[block].cold = true;
                self.raises.insert((handler, builtin), block);
                block
            }
        };
        let next = self.f.new_block();
        self.end(Term::Branch(cond, Target::new(raise, []), Target::new(next, [])));
        self.go_on(next);
    }

    /// A call that is not a tail call: its results.
    pub fn call(&mut self, callee: Callee, args: Values, types: &[Ty], may_raise: bool) -> Values {
        if let (Some(handler), true) = (self.handler, may_raise) {
            let ok = self.f.new_block();
            let results: Values = types.iter().map(|&ty| self.f.add_param(ok, ty)).collect();
            self.end(Term::Invoke { callee, args, ok: Target::new(ok, []), handler: Target::new(handler, []) });
            self.go_on(ok);
            return results;
        }
        let inst = self.f.make(Op::Call(callee, args), types, self.loc);
        let results = Values::from_slice(&inst.results);
        self.f[self.cur].insts.push(inst);
        results
    }
}
