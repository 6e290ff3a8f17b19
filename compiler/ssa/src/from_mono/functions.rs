//! Functions of Mono -> functions of Ssa, blocks, closures; and their calls.
//!
//! [`crate::closure`] has decided which of three ([`FunctionKind`]) each function is:
//!
//! - *contified*: it becomes a block of a function around it, its host, and its calls become jumps;
//! - *lifted*: it is called directly only, and what it captures comes behind its parameters;
//! - a *closure*: its first parameter is the object that has its code and what it captures. Where a call knows the
//!   function, it is direct; else it loads the code.
//!
//! A tail call of the host itself is a jump to the header, the block that the entry then goes to.

use super::{Ctx, Emit, Task};
use crate::closure::{FunctionKind, Operand};
use crate::ir::*;
use crate::ops::values;
use crate::repr;
use crate::safepoint::{MAX_CHECK, alloc_bytes};
use leat_mono::ir as mono;
use leat_mono::ir::{Atom, Var};
use leat_mono::places::Places;
use std::cell::RefCell;
use std::rc::Rc;

impl<'a> Emit<'a, '_> {
    pub(super) fn function(&mut self, id: u32) {
        let info = &self.an.fns[id as usize];
        let function = info.function;
        let kind = info.kind;
        let free = info.free.clone();
        let results = match function {
            Some(function) => match self.repr.types().get(self.p.ty(function.var)) {
                mono::TyData::Arrow(_, results) => results.iter().map(|&ty| self.repr.value(ty)).collect(),
                other => panic!("M3: a function at type {other:?}"),
            },
            None => Vec::new(),
        };
        self.f = Function::new(self.name(id), results);
        self.f.noinline = function.is_some_and(|f| f.inline == mono::Inline::Never);
        self.host = id;
        self.header = self.f.entry;
        self.looped = false;
        self.closure = None;
        self.loaded.clear();
        self.captured.clear();
        self.raises.clear();
        self.scopes.clear();
        self.loc = function.map(|f| Loc { at: 0, ..f.loc }).unwrap_or_default();
        self.f.loc = self.loc;
        for &v in function.map_or(&[][..], |f| &f.params) {
            let ty = self.ty(v);
            let value = self.f.add_param(self.header, ty);
            self.env[v.0 as usize] = (id, value);
        }
        let mut lifted = Vec::new();
        if kind == FunctionKind::Closure {
            self.f.is_closure = true;
            self.closure = Some(self.f.new_value(Ty::Ref));
            for (v, word, ty) in self.closure_layout(&free).0 {
                self.captured.insert(v, (word, ty));
            }
        } else {
            for &v in &free {
                let ty = self.ty(v);
                let value = self.f.new_value(ty);
                self.env[v.0 as usize] = (id, value);
                lifted.push(value);
            }
        }
        let ctx = Ctx { cont: None, handler: None };
        let body = self.an.body(self.p, id);
        let join = function.filter(|f| f.join && f.loc.at != 0);
        let called = join.map(|f| Rc::new(RefCell::new(Places::leave(f.loc.at))));
        let part = self.calls.begin(self.loc);
        self.tasks.push(Task { block: self.header, body, ctx, top: id == 0, called, part });
        while let Some(task) = self.tasks.pop() {
            self.body(task);
        }
        self.calls.settle(&mut self.places.inlined);
        // The header is the entry, unless the function jumps back to it.
        if self.looped {
            let entry = self.f.new_block();
            let types: Vec<Ty> = self.f[self.header].params.iter().map(|&v| self.f.ty(v)).collect();
            let args: Vec<Value> = types.into_iter().map(|ty| self.f.add_param(entry, ty)).collect();
            self.f[entry].term = Term::Jump(Target::new(self.header, args));
            self.f.entry = entry;
        }
        let entry = self.f.entry;
        if let Some(closure) = self.closure {
            self.f[entry].params.insert(0, closure);
        }
        self.f[entry].params.extend(lifted);
        let mut f = std::mem::replace(&mut self.f, Function::new(String::new(), Vec::new()));
        crate::cfg::renumber_blocks(&mut f);
        self.funcs[self.ids[id as usize] as usize] = Some(f);
    }

    /// Mono's names are full: `List.app.go`.
    pub(super) fn name(&self, f: u32) -> String {
        let name = self.an.fns[f as usize].function.map(|function| self.p.vars[function.var.0 as usize].name.as_str());
        match name {
            None => "main".into(),
            Some("") => "fn".into(),
            Some(name) => name.into(),
        }
    }

    /// Where a closure keeps its variables: (variable, word, type) each, and how many raw words. Word 0 is the code.
    pub(super) fn closure_layout(&mut self, free: &[Var]) -> (Vec<(Var, u32, Ty)>, u32) {
        let mut types = vec![Ty::I64];
        types.extend(free.iter().map(|&v| self.ty(v)));
        let layout = repr::layout(types);
        self.limit(layout.types.len());
        (free.iter().enumerate().map(|(i, &v)| (v, layout.words[i + 1], layout.types[i + 1])).collect(), layout.raws)
    }

    /// Allocates the closures of a group; those that refer to a later one of the group are completed afterwards.
    pub(super) fn closures(&mut self, group: &'a [mono::Function]) {
        let (mut later, mut bytes): (Vec<(Value, u32, Var)>, i64) = Default::default();
        for function in group {
            let Some(g) = self.an.function_of(function.var) else { continue };
            let info = &self.an.fns[g as usize];
            if info.kind != FunctionKind::Closure || info.free.is_empty() {
                continue;
            }
            let free = info.free.clone();
            let waiting: Vec<Var> = group
                .iter()
                .map(|f| f.var)
                .filter(|v| free.contains(v) && self.env[v.0 as usize].0 != self.host)
                .collect();
            let func = self.func_id(g);
            let code = self.push(Op::FuncAddr(func));
            let (mut raws, mut refs) = (values(&[code]), Values::new());
            let (layout, _) = self.closure_layout(&free);
            let mut holes = Vec::new();
            for (v, word, ty) in layout {
                if waiting.contains(&v) {
                    holes.push((word, v));
                    refs.push(self.push(Op::RefImm(1)));
                } else {
                    let value = self.atom(Atom::Var(v));
                    if ty == Ty::Ref { refs.push(value) } else { raws.push(value) }
                }
            }
            let here = self.makes(|emit| match emit.p.vars[function.var.0 as usize].name.as_str() {
                "" => "closure".into(),
                name => format!("closure of {name}"),
            });
            bytes += alloc_bytes(raws.len() + refs.len());
            let closure = self.push(Op::Alloc { tag: 0, raws, refs });
            self.loc = here;
            self.env[function.var.0 as usize] = (self.host, closure);
            later.extend(holes.into_iter().map(|(word, v)| (closure, word, v)));
        }
        for (obj, field, v) in later {
            let value = self.var(v);
            // The allocations of the group stand together: no collection can come between, if one heap check covers
            // all.
            self.push(Op::Store { obj, field, value, barrier: bytes > MAX_CHECK });
        }
    }

    pub(super) fn app(&mut self, task: &Task<'a>, vars: &'a [Var], f: Atom, args: &[Atom], tail: bool) -> bool {
        let ctx = task.ctx;
        let known = match self.an.resolve(self.p, self.repr, f) {
            Operand::Var(v) => self.an.function_of(v),
            Operand::Const(_) => None,
        };
        let mut vs: Values = args.iter().map(|&a| self.atom(a)).collect();
        let callee = match known {
            None => Callee::Closure(self.atom(f)),
            Some(g) if self.an.fns[g as usize].kind == FunctionKind::Contified => {
                let (inner, join) = self.inner(ctx, vars, tail);
                let block = self.contified(g, inner);
                self.end(Term::Jump(Target { block, args: vs }));
                return self.after(join, vars, task.top);
            }
            Some(g) if tail && ctx.cont.is_none() && g == self.host => {
                self.looped = true;
                self.end(Term::Jump(Target { block: self.header, args: vs }));
                return true;
            }
            Some(g) => {
                let info = &self.an.fns[g as usize];
                let free = info.free.clone();
                if info.kind == FunctionKind::Closure {
                    let closure = if free.is_empty() {
                        self.push(Op::RefImm(1))
                    } else {
                        self.var(info.function.expect("main is not called").var)
                    };
                    vs.insert(0, closure);
                } else {
                    for v in free {
                        let value = self.atom(Atom::Var(v));
                        vs.push(value);
                    }
                }
                Callee::Func(self.func_id(g))
            }
        };
        // A tail call out of `main` would gain nothing.
        if tail && ctx.cont.is_none() && self.host != 0 {
            self.end(Term::TailCall(callee, vs));
            return true;
        }
        let types: Vec<Ty> = vars.iter().map(|&v| self.ty(v)).collect();
        let results = self.call(callee, vs, &types, true);
        if tail {
            self.result(ctx, results);
            return true;
        }
        for (&v, &value) in vars.iter().zip(&results) {
            self.define(v, value, task.top);
        }
        false
    }

    /// The block of a contified function; its body is written in the context of its first call.
    pub(super) fn contified(&mut self, g: u32, ctx: Ctx) -> Block {
        if let Some(block) = self.blocks[g as usize] {
            self.calls.again(g, self.part, self.loc);
            return block;
        }
        let function = self.an.fns[g as usize].function.expect("main is not called");
        let block = self.join(&function.params);
        for (i, &v) in function.params.iter().enumerate() {
            self.env[v.0 as usize] = (self.host, self.f[block].params[i]);
        }
        self.blocks[g as usize] = Some(block);
        let call = self.loc;
        let (called, own) = if function.join {
            (self.called.clone(), call)
        } else {
            let mut called =
                self.places.enter((self.p.vars[function.var.0 as usize].name, function.loc.line), call, true);
            let own = self.places.place(&mut called, Loc { at: 0, ..function.loc });
            (Some(Rc::new(RefCell::new(called))), own)
        };
        let part = self.calls.first(g, self.part, call, own);
        self.tasks.push(Task { block, body: &function.body, ctx, top: false, called, part });
        block
    }
}
