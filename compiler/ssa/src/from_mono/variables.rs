//! Where a variable of Mono is in the function that is being written: a value of its own, the closure's word, a global,
//! or a constant. What was loaded on the way to a place is not loaded there again.

use super::{Emit, NONE};
use crate::closure::{Const, Operand};
use crate::ir::*;
use leat_mono::ir::{Atom, Var};

impl Emit<'_, '_> {
    pub fn ty(&self, v: Var) -> Ty {
        self.repr.value(self.p.ty(v))
    }

    pub fn push(&mut self, op: Op) -> Value {
        self.f.push(self.cur, op, self.loc)
    }

    pub fn iconst(&mut self, n: i64) -> Value {
        self.push(Op::Iconst(n))
    }

    pub fn constant(&mut self, c: Const) -> Value {
        self.push(match c {
            Const::Int(n) => Op::Iconst(n),
            Const::Real(bits) => Op::Fconst(bits),
            Const::Imm(n) => Op::RefImm(n),
            Const::Data(d) => Op::Data(d),
            Const::ExnDesc(b) => Op::ExnDesc(b),
            Const::ExnPacket(b) => Op::ExnPacket(b),
        })
    }

    /// What an atom comes down to: a closure that captures nothing is a constant.
    pub fn operand(&mut self, atom: Atom) -> Operand {
        let operand = self.an.resolve(self.p, self.repr, atom);
        if let Operand::Var(v) = operand
            && let Some(g) = self.an.function_of(v)
            && self.an.fns[g as usize].free.is_empty()
        {
            let code = RawInit::Code(self.func_id(g));
            let data = self.an.datas.add(StaticData::Record { tag: 0, raws: vec![code], refs: Vec::new() });
            return Operand::Const(Const::Data(data));
        }
        operand
    }

    pub fn atom(&mut self, atom: Atom) -> Value {
        match self.operand(atom) {
            Operand::Const(c) => self.constant(c),
            Operand::Var(v) => self.var(v),
        }
    }

    /// The integer that an atom is, if known.
    pub fn int_of(&mut self, atom: Atom) -> Option<i64> {
        match self.operand(atom) {
            Operand::Const(Const::Int(n)) => Some(n),
            _ => None,
        }
    }

    pub(super) fn var(&mut self, v: Var) -> Value {
        if let (host, value) = self.env[v.0 as usize]
            && host == self.host
        {
            return value;
        }
        if let Some(closure) = self.closure
            && self.an.fns[self.host as usize].function.is_some_and(|f| f.var == v)
        {
            return closure;
        }
        if let Some(&value) = self.loaded.get(&v) {
            return value;
        }
        let value = if let (Some(&(field, ty)), Some(obj)) = (self.captured.get(&v), self.closure) {
            self.push(Op::Load { ty, obj, field, mutable: false })
        } else if self.slots[v.0 as usize] != NONE {
            let slot = self.slots[v.0 as usize];
            let ty = self.globals[slot as usize];
            let inst = self.f.make(Op::GlobalLoad(Global(slot)), &[ty], self.loc);
            let value = inst.results[0];
            self.f[self.cur].insts.push(inst);
            value
        } else {
            panic!("M1: {} {v} is used in {} out of its scope", self.p.vars[v.0 as usize].name, self.f.name)
        };
        self.loaded.insert(v, value);
        value
    }

    pub(super) fn define(&mut self, v: Var, value: Value, top: bool) {
        self.env[v.0 as usize] = (self.host, value);
        if top && self.an.global[v.0 as usize] && self.an.function_of(v).is_none() {
            let slot = self.new_global(self.f.ty(value), PRIVATE);
            self.slots[v.0 as usize] = slot;
            self.push(Op::GlobalStore(Global(slot), value));
        }
    }

    pub(super) fn new_global(&mut self, ty: Ty, session: u32) -> u32 {
        self.globals.push(ty);
        self.session.push(session);
        self.globals.len() as u32 - 1
    }

    /// The global that a slot of the session is.
    pub(super) fn session_slot(&mut self, number: Atom, ty: Ty) -> Global {
        let Some(number) = self.int_of(number) else { panic!("M2: the number of a slot is known") };
        if let Some(&global) = self.of_session.get(&(number as u32)) {
            return Global(global);
        }
        let global = self.new_global(ty, number as u32);
        self.of_session.insert(number as u32, global);
        Global(global)
    }
}
