//! Mono -> Ssa: nested functions of values become functions of blocks; closures, data and handlers get their form.
//!
//! [`crate::closure`] has decided which functions become blocks and what the others capture, [`crate::repr`] how values
//! look; here the code is written, body by body from a list of tasks, so nesting costs no stack. This file goes through
//! programs, bodies and bindings. Its parts are [`functions`] (functions, closures, calls), [`handlers`] (exceptions),
//! [`case`], [`variables`] (where one is), [`places`] (where an instruction is in the program's text) and [`calls`]
//! (from where a function has been called that is blocks).
//!
//! A contified function's body is written when its first call is met: all its calls are in the same context.

use crate::closure::{self, Analysis, Const, Operand};
use crate::ir::*;
use crate::ops::values;
use crate::repr::{ConRepr, Repr};
use crate::watch::Owners;
use leat_abi::exn::{self, Builtin};
use leat_abi::prim::{Lower, Prim};
use leat_mono::ir as mono;
use leat_mono::ir::{Atom, Bind, Body, Outcome, Rhs, Var};
use leat_mono::places::{Copied, Places};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

mod calls;
mod case;
mod functions;
mod handlers;
mod places;
mod variables;

use calls::{Calls, Part};

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
    /// What the body is a part of says the place of what stands before its first binding.
    part: Part,
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
    /// The calls of contified functions in this one.
    calls: Calls,
    /// That of the task being written.
    part: Part,
    raises: FxHashMap<(Block, Builtin), Block>,
    /// Of a handler's block: the place of its scope.
    scopes: FxHashMap<Block, Loc>,
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
            calls: Calls::default(),
            part: Part::default(),
            raises: FxHashMap::default(),
            scopes: FxHashMap::default(),
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

    // -- bodies --

    fn body(&mut self, task: Task<'a>) {
        self.handler = task.ctx.handler;
        self.called = task.called.clone();
        self.part = task.part;
        self.loc = self.calls.place(task.part);
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
                    let loc = self.place_of_call(rhs, *loc);
                    self.loc = self.place(loc);
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
            Outcome::Raise(atom, loc) => {
                self.loc = self.place(*loc);
                self.raise(*atom);
            }
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
            Rhs::Handle { body, exn, handler } => return self.handle(task, vars, body, *exn, handler, tail),
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
}
