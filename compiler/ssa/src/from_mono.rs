//! Mono -> Ssa: nested functions of values become functions of blocks; closures, data and handlers get their form.
//!
//! [`crate::closure`] has decided which functions become blocks and what the others capture, [`crate::repr`] how values
//! look; here the code is written, body by body from a list of tasks, so nesting costs no stack. Exceptions that are
//! raised inside a handler's scope of the same function are jumps to the handler; calls there are `Invoke`.
//!
//! A contified function's body is written when its first call is met: all its calls are in the same context.

use crate::closure::{self, Analysis, Const, Kind, Operand};
use crate::ir::*;
use crate::ops::values;
use crate::repr::{self, ConRepr, Repr};
use crate::safepoint::{MAX_CHECK, alloc_bytes};
use crate::watch::Owners;
use leat_abi::exn::{self, Builtin};
use leat_abi::prim::{Lower, Prim};
use leat_base::Symbol;
use leat_mono::ir as mono;
use leat_mono::ir::{Atom, Bind, Body, Outcome, Rhs, Var};
use leat_mono::places::{Copied, Places};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

mod case;

const NONE: u32 = u32::MAX;

/// Translates a whole program. The error is a limit that the program exceeds.
pub fn from_mono(p: &mono::Program) -> Result<Program, String> {
    for data in &p.types.datatypes {
        // Those without an argument are numbers or immediates, of which there are enough.
        let boxed = data.cons.iter().filter(|con| !con.fields.is_empty()).count();
        if boxed > leat_abi::header::MAX_FIELDS {
            return Err(format!(
                "the datatype `{}` has {boxed} constructors with an argument; there can be {}: group some of them under \
                 a constructor of another datatype",
                data.name,
                leat_abi::header::MAX_FIELDS
            ));
        }
    }
    let repr = Repr::new(&p.types);
    let an = Analysis::new(p, &repr);
    let mut emit = Emit::new(p, &repr, an);
    emit.func_id(0);
    while let Some(f) = emit.queue.pop() {
        emit.function(f);
    }
    match emit.error.take() {
        Some(error) => Err(error),
        None => Ok(emit.finish()),
    }
}

/// Where the values of a body go, and who handles its exceptions.
#[derive(Clone, Copy)]
pub(crate) struct Ctx {
    /// None: the function's caller.
    cont: Option<Block>,
    /// Its parameter is the packet.
    handler: Option<Block>,
}

struct Task<'a> {
    block: Block,
    body: &'a Body,
    ctx: Ctx,
    top: bool,
    /// The contified function that the body is a part of, if any.
    called: Called,
}

type Called = Option<Rc<RefCell<Copied>>>;

pub(crate) struct Emit<'a, 'r> {
    pub p: &'a mono::Program,
    pub repr: &'r Repr<'r>,
    pub an: Analysis<'a>,
    funcs: Vec<Option<Function>>,
    /// By function of the analysis.
    ids: Vec<u32>,
    queue: Vec<u32>,
    globals: Vec<Ty>,
    /// By global: slot of the session.
    session: Vec<u32>,
    /// By slot of the session: global.
    of_session: FxHashMap<u32, u32>,
    /// Global slot by variable.
    slots: Vec<u32>,
    pub error: Option<String>,
    // -- of the function being written --
    host: u32,
    pub f: Function,
    pub cur: Block,
    pub handler: Option<Block>,
    pub loc: Loc,
    pub places: Places,
    /// What [`Program::places`] will be.
    made: Vec<String>,
    /// Their numbers there.
    made_at: FxHashMap<String, u16>,
    /// Of a watched program.
    pub owners: Option<Owners>,
    closure: Option<Value>,
    header: Block,
    /// Whether something jumps to the header.
    looped: bool,
    tasks: Vec<Task<'a>>,
    /// That of the task being written.
    called: Called,
    /// By variable: the function whose code defined it, and its value there.
    env: Vec<(u32, Value)>,
    /// Captured variables and globals already loaded on the way to the current place.
    loaded: FxHashMap<Var, Value>,
    /// Word and type of each captured variable in the closure.
    captured: FxHashMap<Var, (u32, Ty)>,
    /// By function: block of a contified one.
    blocks: Vec<Option<Block>>,
    raises: FxHashMap<(Block, Builtin), Block>,
}

impl<'a, 'r> Emit<'a, 'r> {
    fn new(p: &'a mono::Program, repr: &'r Repr<'r>, an: Analysis<'a>) -> Self {
        let fns = an.fns.len();
        Emit {
            p,
            repr,
            an,
            funcs: Vec::new(),
            ids: vec![NONE; fns],
            queue: Vec::new(),
            globals: Vec::new(),
            session: Vec::new(),
            of_session: FxHashMap::default(),
            slots: vec![NONE; p.vars.len()],
            error: None,
            host: 0,
            f: Function::new(String::new(), Vec::new()),
            cur: Block(0),
            handler: None,
            loc: Loc::default(),
            places: Places::new(p.inlined.clone()),
            made: Vec::new(),
            made_at: FxHashMap::default(),
            owners: Owners::new(&p.files, p.watch),
            closure: None,
            header: Block(0),
            looped: false,
            tasks: Vec::new(),
            called: None,
            env: vec![(NONE, Value(0)); p.vars.len()],
            loaded: FxHashMap::default(),
            captured: FxHashMap::default(),
            blocks: vec![None; fns],
            raises: FxHashMap::default(),
        }
    }

    fn finish(self) -> Program {
        Program {
            funcs: self.funcs.into_iter().map(|f| f.expect("every function that is referred to is written")).collect(),
            main: Some(Func(0)),
            globals: self.globals,
            slots: if self.of_session.is_empty() { Vec::new() } else { self.session },
            datas: self.an.datas.all,
            files: self.p.files.clone(),
            inlined: self.places.inlined,
            places: self.made,
            places_before: self.p.places_before,
            sets_rounding: self.an.sets_rounding,
            keeps_history: self.p.keeps_history,
            tells_types: self.p.tells_types,
            foreign: self.p.foreign.clone(),
        }
    }

    /// The Ssa function of a function that is its own host; it will be written.
    fn func_id(&mut self, f: u32) -> Func {
        if self.ids[f as usize] == NONE {
            self.ids[f as usize] = self.funcs.len() as u32;
            self.funcs.push(None);
            self.queue.push(f);
        }
        Func(self.ids[f as usize])
    }

    /// Mono's names are full: `List.app.go`.
    fn name(&self, f: u32) -> String {
        let name = self.an.fns[f as usize].function.map(|function| self.p.vars[function.var.0 as usize].name.as_str());
        match name {
            None => "main".into(),
            Some("") => "fn".into(),
            Some(name) => name.into(),
        }
    }

    // -- functions --

    fn function(&mut self, id: u32) {
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
        self.loc = function.map(|f| Loc { at: 0, ..f.loc }).unwrap_or_default();
        self.f.loc = self.loc;
        for &v in function.map_or(&[][..], |f| &f.params) {
            let ty = self.ty(v);
            let value = self.f.add_param(self.header, ty);
            self.env[v.0 as usize] = (id, value);
        }
        let mut lifted = Vec::new();
        if kind == Kind::Closure {
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
        self.tasks.push(Task { block: self.header, body, ctx, top: id == 0, called: None });
        while let Some(task) = self.tasks.pop() {
            self.body(task);
        }
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

    /// Where a closure keeps its variables: (variable, word, type) each, and how many raw words. Word 0 is the code.
    fn closure_layout(&mut self, free: &[Var]) -> (Vec<(Var, u32, Ty)>, u32) {
        let mut types = vec![Ty::I64];
        types.extend(free.iter().map(|&v| self.ty(v)));
        let layout = repr::layout(types);
        self.limit(layout.types.len());
        (free.iter().enumerate().map(|(i, &v)| (v, layout.words[i + 1], layout.types[i + 1])).collect(), layout.raws)
    }

    fn limit(&mut self, fields: usize) {
        if fields > leat_abi::header::MAX_FIELDS {
            self.error = Some(format!(
                "in `{}`: a tuple, a record or what a function keeps has {fields} parts; there can be {}: use a vector or \
                 an array",
                self.f.name,
                leat_abi::header::MAX_FIELDS
            ));
        }
    }

    // -- values --

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

    fn var(&mut self, v: Var) -> Value {
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

    fn define(&mut self, v: Var, value: Value, top: bool) {
        self.env[v.0 as usize] = (self.host, value);
        if top && self.an.global[v.0 as usize] && self.an.function_of(v).is_none() {
            let slot = self.new_global(self.f.ty(value), PRIVATE);
            self.slots[v.0 as usize] = slot;
            self.push(Op::GlobalStore(Global(slot), value));
        }
    }

    fn new_global(&mut self, ty: Ty, session: u32) -> u32 {
        self.globals.push(ty);
        self.session.push(session);
        self.globals.len() as u32 - 1
    }

    /// The global that a slot of the session is.
    fn session_slot(&mut self, number: Atom, ty: Ty) -> Global {
        let Some(number) = self.int_of(number) else { panic!("M2: the number of a slot is known") };
        if let Some(&global) = self.of_session.get(&(number as u32)) {
            return Global(global);
        }
        let global = self.new_global(ty, number as u32);
        self.of_session.insert(number as u32, global);
        Global(global)
    }

    // -- bodies --

    /// A place of a task's body; that of a contified function is a place in the function that it has become a part of.
    fn place(&mut self, loc: Loc) -> Loc {
        match &self.called {
            None => loc,
            Some(called) => self.places.place(&mut called.borrow_mut(), loc),
        }
    }

    /// The innermost place of the program's own among what was inlined here: `file.sml:12.7`. Empty when all is the
    /// library's.
    fn called_at(&self) -> String {
        let around = |loc: &Loc| (loc.at != 0).then(|| self.places.inlined[loc.at as usize - 1].call);
        let file = |loc: &Loc| self.p.files.get(loc.file as usize);
        let is_own =
            |loc: &Loc| loc.line != 0 && file(loc).is_some_and(|name| !name.starts_with(crate::watch::LIBRARY));
        let own = std::iter::successors(Some(self.loc), around).find(is_own);
        let Some(loc) = own else { return String::new() };
        let mut text = file(&loc).map_or(String::new(), |file| format!("{file}:{}", loc.line));
        if loc.column != 0 {
            text += &format!(".{}", loc.column);
        }
        text
    }

    /// The number of that place, for the header of what is made there; 0 when there is none, or when all numbers are
    /// used up.
    pub fn place_number(&mut self) -> u16 {
        let text = self.called_at();
        if text.is_empty() {
            return 0;
        }
        if let Some(&number) = self.made_at.get(&text) {
            return number;
        }
        let Ok(number) = u16::try_from(self.p.places_before as usize + self.made.len() + 1) else { return 0 };
        self.made.push(text.clone());
        self.made_at.insert(text, number);
        number
    }

    fn body(&mut self, task: Task<'a>) {
        self.handler = task.ctx.handler;
        self.called = task.called.clone();
        self.go_on(task.block);
        self.loaded.clear();
        for (i, bind) in task.body.binds.iter().enumerate() {
            match bind {
                Bind::Fun(group) => {
                    if let Some(function) = group.first() {
                        self.loc = self.place(function.loc);
                    }
                    self.closures(group);
                }
                Bind::Val { vars, rhs, loc } => {
                    self.loc = self.place(*loc);
                    let tail = closure::is_tail(task.body, i, vars);
                    if self.rhs(&task, vars, rhs, tail) {
                        return;
                    }
                }
            }
        }
        match &task.body.result {
            Outcome::Values(atoms) => {
                let vs: Values = atoms.iter().map(|&a| self.atom(a)).collect();
                self.result(task.ctx, vs);
            }
            Outcome::Raise(atom) => self.raise(*atom),
            Outcome::Unreachable => self.end(Term::Unreachable),
        }
    }

    /// Goes on writing in a block.
    fn go_on(&mut self, block: Block) {
        self.cur = block;
        self.f[block].handler = self.handler;
    }

    pub fn end(&mut self, term: Term) {
        self.f[self.cur].term = term;
        self.f[self.cur].loc = self.loc;
    }

    fn result(&mut self, ctx: Ctx, vs: Values) {
        self.end(match ctx.cont {
            None => Term::Return(vs),
            Some(block) => Term::Jump(Target { block, args: vs }),
        });
    }

    fn raise(&mut self, atom: Atom) {
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
                let block = self.f.new_block();
                let packet = self.f.push(block, Op::ExnPacket(builtin), self.loc);
                if self.p.keeps_history {
                    let how = self.f.push(block, Op::Iconst(exn::NOTE_HANDLED), self.loc);
                    let note = Op::Call(Callee::Prim(Prim::ExnNote), values(&[packet, how]));
                    let note = self.f.make(note, &[], self.loc);
                    self.f[block].insts.push(note);
                }
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

    /// A block that receives these variables.
    fn join(&mut self, vars: &[Var]) -> Block {
        let block = self.f.new_block();
        for &v in vars {
            let ty = self.ty(v);
            self.f.add_param(block, ty);
        }
        block
    }

    /// Goes on in a join block.
    fn enter(&mut self, block: Block, vars: &[Var], top: bool) {
        self.go_on(block);
        for (i, &v) in vars.iter().enumerate() {
            let value = self.f[block].params[i];
            self.define(v, value, top);
        }
    }

    /// Writes a binding; true when the body ends with it.
    fn rhs(&mut self, task: &Task<'a>, vars: &'a [Var], rhs: &'a Rhs, tail: bool) -> bool {
        let ctx = task.ctx;
        match rhs {
            Rhs::App { f, args } => return self.app(task, vars, *f, args, tail),
            Rhs::Case { scrut, arms, default } => {
                let (inner, join) = self.inner(ctx, vars, tail);
                self.case(*scrut, arms, default.as_deref(), inner);
                return self.after(join, vars, task.top);
            }
            Rhs::Handle { body, exn, handler } => {
                let catch = self.f.new_block();
                let packet = self.f.add_param(catch, Ty::Ref);
                self.env[exn.0 as usize] = (self.host, packet);
                self.f[catch].cold = true;
                let done = self.join(vars);
                let start = self.f.new_block();
                self.end(Term::Scope { body: Target::new(start, []), handler: Target::new(catch, []) });
                let scope = Ctx { cont: Some(done), handler: Some(catch) };
                let called = task.called.clone();
                self.tasks.push(Task { block: start, body, ctx: scope, top: false, called: called.clone() });
                let outer = if tail { ctx } else { Ctx { cont: Some(done), handler: ctx.handler } };
                self.tasks.push(Task { block: catch, body: handler, ctx: outer, top: false, called });
                if tail {
                    self.go_on(done);
                    let vs = Values::from_slice(&self.f[done].params);
                    self.result(ctx, vs);
                    return true;
                }
                return self.after(Some(done), vars, task.top);
            }
            Rhs::Atoms(_) | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
            Rhs::Prim { prim: Prim::Cast | Prim::Bits, args, .. } if vars.len() == 1 && args.len() == 1 => {}
            Rhs::Prim { prim: Prim::SlotGet, args, .. } => {
                let ty = self.ty(vars[0]);
                let global = self.session_slot(args[0], ty);
                // A variable of an earlier unit is not stored again.
                if task.top {
                    self.slots[vars[0].0 as usize] = global.0;
                }
                let inst = self.f.make(Op::GlobalLoad(global), &[ty], self.loc);
                self.env[vars[0].0 as usize] = (self.host, inst.results[0]);
                self.f[self.cur].insts.push(inst);
            }
            Rhs::Prim { prim: Prim::SlotSet, args, .. } => {
                let value = self.atom(args[1]);
                let global = self.session_slot(args[0], self.f.ty(value));
                self.push(Op::GlobalStore(global, value));
            }
            Rhs::Prim { prim: Prim::ExnNote, args, .. } if self.handler.is_some() => {
                let packet = self.atom(args[0]);
                let again = self.int_of(args[1]).unwrap_or(0);
                let how = self.iconst(again | exn::NOTE_HANDLED);
                self.call(Callee::Prim(Prim::ExnNote), values(&[packet, how]), &[], false);
            }
            Rhs::Prim {
                prim: Prim::ForeignCall | Prim::ForeignWrite | Prim::ForeignRead | Prim::ForeignPure,
                args,
                ..
            } => {
                let number = self.int_of(args[0]).unwrap_or(-1);
                let Some(way) = self.p.foreign.get(number as usize).map(|foreign| foreign.way) else {
                    self.error = Some(format!("M2: there is no foreign function {number}"));
                    return true;
                };
                let given: Values = args[1..].iter().map(|&a| self.atom(a)).collect();
                let types: Vec<Ty> = vars.iter().map(|&v| self.ty(v)).collect();
                let results = self.call(Callee::Foreign(number as u32, way), given, &types, false);
                for (&var, &value) in vars.iter().zip(&results) {
                    self.define(var, value, task.top);
                }
            }
            Rhs::Prim { prim, tys, args } => {
                let makes = matches!(prim, Prim::RefNew | Prim::RefHere) || prim.lower() != Lower::Inline;
                let here = match vars {
                    [var] if makes && self.ty(*var) == Ty::Ref => self.makes(|emit| emit.shown(*var)),
                    _ => self.loc,
                };
                let value = self.prim(*prim, tys, args, vars);
                self.loc = here;
                if let Some(value) = value
                    && let Some(&var) = vars.first()
                {
                    if self.f.ty(value) != self.ty(var) {
                        self.error = Some(format!(
                            "the primitive {} gives {}, not {}",
                            prim.name(),
                            self.f.ty(value),
                            self.ty(var)
                        ));
                    }
                    self.define(var, value, task.top);
                } else {
                    // A unit result where the type is not known to be one.
                    for &var in vars {
                        let unit = self.iconst(0);
                        self.define(var, unit, task.top);
                    }
                }
            }
            Rhs::Tuple(args) => {
                let types = match self.repr.types().get(self.p.ty(vars[0])) {
                    mono::TyData::Tuple(parts) => parts.as_slice(),
                    other => panic!("M2: a tuple at type {other:?}"),
                };
                if !types.is_empty() {
                    let here = self.makes(|emit| emit.shown(vars[0]));
                    self.record(vars[0], 0, types, args, task.top);
                    self.loc = here;
                }
            }
            Rhs::Con { data, con, args } => {
                if let ConRepr::Record(tag) = self.repr.con(*data, *con) {
                    let here = self.makes(|emit| {
                        let data = &emit.p.types.datatypes[data.0 as usize];
                        format!("{} of {}", data.cons[*con as usize].name, data.name)
                    });
                    self.record(vars[0], tag, self.repr.fields(*data, *con), args, task.top);
                    self.loc = here;
                }
            }
            Rhs::Select(i, atom) => {
                let mono_ty = self.atom_ty(*atom);
                let layout = match mono_ty.map(|ty| self.repr.types().get(ty)) {
                    Some(mono::TyData::Tuple(parts)) => self.repr.layout(parts),
                    other => panic!("M2: a selection at type {other:?}"),
                };
                let obj = self.atom(*atom);
                let (ty, field) = (layout.types[*i as usize], layout.words[*i as usize]);
                let value = self.push(Op::Load { ty, obj, field, mutable: false });
                self.define(vars[0], value, task.top);
            }
            Rhs::NewExn { name, arg } => {
                if !matches!(self.operand(Atom::Var(vars[0])), Operand::Const(_)) {
                    let text = self.an.datas.add(StaticData::bytes(name.as_str()));
                    let kind = self.iconst(crate::repr::argument_kind(self.repr, *arg) as i64);
                    let text = self.push(Op::Data(text));
                    let here = self.makes(|_| format!("exception {name}"));
                    let desc = self.push(Op::Alloc { tag: 0, raws: values(&[kind]), refs: values(&[text]) });
                    self.loc = here;
                    self.define(vars[0], desc, task.top);
                }
            }
            Rhs::Packet { desc, arg } => {
                if !matches!(self.operand(Atom::Var(vars[0])), Operand::Const(_)) {
                    let desc = self.atom(*desc);
                    let here = self.makes(|_| "exn".into());
                    let arg = match arg {
                        None => self.push(Op::RefImm(1)),
                        Some((arg, _)) => {
                            let value = self.atom(*arg);
                            if self.f.ty(value) == Ty::Ref {
                                value
                            } else {
                                self.push(Op::Alloc { tag: 0, raws: values(&[value]), refs: values(&[]) })
                            }
                        }
                    };
                    let packet = self.push(Op::Alloc { tag: 0, raws: values(&[]), refs: values(&[desc, arg]) });
                    self.loc = here;
                    self.define(vars[0], packet, task.top);
                }
            }
            Rhs::PacketDesc(atom) => {
                let obj = self.atom(*atom);
                let desc = self.push(Op::Load { ty: Ty::Ref, obj, field: 0, mutable: false });
                self.define(vars[0], desc, task.top);
            }
            Rhs::PacketArg(atom, ty) => {
                let obj = self.atom(*atom);
                let mut arg = self.push(Op::Load { ty: Ty::Ref, obj, field: 1, mutable: false });
                let ty = self.repr.value(*ty);
                if ty != Ty::Ref {
                    arg = self.push(Op::Load { ty, obj: arg, field: 0, mutable: false });
                }
                if let Some(&var) = vars.first() {
                    self.define(var, arg, task.top);
                }
            }
        }
        false
    }

    /// The context of the parts of a `Case`, and the block where the body goes on if it does.
    fn inner(&mut self, ctx: Ctx, vars: &[Var], tail: bool) -> (Ctx, Option<Block>) {
        if tail {
            return (ctx, None);
        }
        let join = self.join(vars);
        (Ctx { cont: Some(join), handler: ctx.handler }, Some(join))
    }

    fn after(&mut self, join: Option<Block>, vars: &[Var], top: bool) -> bool {
        match join {
            None => true,
            Some(block) => {
                self.enter(block, vars, top);
                false
            }
        }
    }

    fn atom_ty(&self, atom: Atom) -> Option<mono::Ty> {
        match atom {
            Atom::Var(v) => Some(self.p.ty(v)),
            _ => None,
        }
    }

    /// What follows allocates: if such places say what, this one does, until the one that is answered is put back.
    fn makes(&mut self, what: impl FnOnce(&Self) -> String) -> Loc {
        let here = self.loc;
        if self.p.tells_types {
            let name = Symbol::intern(&format!("[{}]", what(self)));
            // Not a call: copies of it are not counted.
            let mut made = self.places.enter(name, here, true);
            self.loc = self.places.place(&mut made, Loc { at: 0, ..here });
        }
        here
    }

    /// The type of a variable.
    fn shown(&self, var: Var) -> String {
        leat_mono::show::show_ty(&self.p.types, self.p.ty(var))
    }

    /// Allocates a record, or makes it static when all fields are constants.
    fn record(&mut self, var: Var, tag: u16, types: &[mono::Ty], args: &[Atom], top: bool) {
        if let Operand::Const(_) = self.operand(Atom::Var(var)) {
            return;
        }
        self.limit(types.len());
        let operands: Vec<Operand> = args.iter().map(|&a| self.operand(a)).collect();
        let constants: Option<Vec<(Const, Ty)>> = operands
            .iter()
            .zip(types)
            .map(|(&o, &ty)| if let Operand::Const(c) = o { Some((c, self.repr.value(ty))) } else { None })
            .collect();
        if let Some(data) = constants.and_then(|fields| self.an.datas.record(tag, &fields)) {
            self.an.set_constant(var, Const::Data(data));
            return;
        }
        let (mut raws, mut refs) = (Values::new(), Values::new());
        for &arg in args {
            let value = self.atom(arg);
            if self.f.ty(value) == Ty::Ref { refs.push(value) } else { raws.push(value) }
        }
        let value = self.push(Op::Alloc { tag, raws, refs });
        self.define(var, value, top);
    }

    /// Allocates the closures of a group; those that refer to a later one of the group are completed afterwards.
    fn closures(&mut self, group: &'a [mono::Function]) {
        let (mut later, mut bytes): (Vec<(Value, u32, Var)>, i64) = Default::default();
        for function in group {
            let Some(g) = self.an.function_of(function.var) else { continue };
            let info = &self.an.fns[g as usize];
            if info.kind != Kind::Closure || info.free.is_empty() {
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

    fn app(&mut self, task: &Task<'a>, vars: &'a [Var], f: Atom, args: &[Atom], tail: bool) -> bool {
        let ctx = task.ctx;
        let known = match self.an.resolve(self.p, self.repr, f) {
            Operand::Var(v) => self.an.function_of(v),
            Operand::Const(_) => None,
        };
        let mut vs: Values = args.iter().map(|&a| self.atom(a)).collect();
        let callee = match known {
            None => Callee::Closure(self.atom(f)),
            Some(g) if self.an.fns[g as usize].kind == Kind::Contified => {
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
                if info.kind == Kind::Closure {
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
    fn contified(&mut self, g: u32, ctx: Ctx) -> Block {
        if let Some(block) = self.blocks[g as usize] {
            return block;
        }
        let function = self.an.fns[g as usize].function.expect("main is not called");
        let block = self.join(&function.params);
        for (i, &v) in function.params.iter().enumerate() {
            self.env[v.0 as usize] = (self.host, self.f[block].params[i]);
        }
        self.blocks[g as usize] = Some(block);
        // Called from one place as a rule; otherwise the first one stands for all.
        let called = if function.join {
            self.called.clone()
        } else {
            let called = self.places.enter(self.p.vars[function.var.0 as usize].name, self.loc, true);
            Some(Rc::new(RefCell::new(called)))
        };
        self.tasks.push(Task { block, body: &function.body, ctx, top: false, called });
        block
    }
}
