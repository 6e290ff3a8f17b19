//! Which functions become blocks, which are called directly, which need a closure, and what each captures.
//!
//! Contification: a function all of whose calls return to one place becomes a block of the function that has the
//! place. After Fluet and Weeks, Contification using dominators, ICFP 2001: nodes are functions and places to return
//! to; a call is an edge from the place (or, a tail call, from the caller) to the callee; a function is contified into
//! the child of the root that dominates it.
//!
//! Differences: it runs on nested functions, before closure conversion, so a contified function's variables stay
//! variables; a place inside a handler's scope is a place of its own.
//!
//! A function that is only called, but not contified, gets its free variables as further parameters (after Johnsson's
//! lambda lifting), unless they are many. The others have flat closures; those that capture nothing are static data.

use crate::cfg::immediate_dominators;
use crate::ir::{Data, RawInit, RefInit, StaticData, Ty};
use crate::once::evaluated_once;
use crate::repr::{ConRepr, Repr, Shape};
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_mono::ir::{Arms, Atom, Bind, Body, Function, Inline, Outcome, Program, Rhs, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bindings of a function, with those of the functions in its text that become blocks of it, if it is to become a block
/// itself and its result comes to the middle of its host.
const HOSTED: usize = 1000;
/// More free variables than this, and a function that is only called gets a closure nevertheless.
const MAX_LIFTED: usize = 8;
const NONE: u32 = u32::MAX;

/// A value known when compiling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Const {
    /// An `I64`.
    Int(i64),
    /// Bits of an `F64`.
    Real(u64),
    /// An immediate `Ref`.
    Imm(u64),
    Data(Data),
    ExnDesc(Builtin),
    ExnPacket(Builtin),
}

/// What an atom comes down to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Var(Var),
    Const(Const),
}

/// What becomes of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Never used: nothing is made of it.
    Dead,
    /// Blocks of its host.
    Contified,
    /// Called directly, its free variables behind its parameters.
    Lifted,
    /// Called through a closure too; the closure is its first parameter.
    Closure,
}

/// A function of the Mono program; number 0 is `main`.
pub struct FnInfo<'a> {
    /// None for `main`.
    pub function: Option<&'a Function>,
    /// The function around it.
    pub parent: u32,
    pub kind: FunctionKind,
    /// The function whose code has this one's body: itself, unless contified.
    pub host: u32,
    /// Captured variables, when it is its own host.
    pub free: Vec<Var>,
    /// Bindings of its own text.
    size: usize,
    uses: Vec<Var>,
    calls: Vec<(u32, u32)>,
    escapes: Vec<u32>,
    node: u32,
}

/// Static objects; equal ones are shared.
#[derive(Default)]
pub struct Datas {
    pub all: Vec<StaticData>,
    index: FxHashMap<StaticData, Data>,
}

impl Datas {
    pub fn add(&mut self, data: StaticData) -> Data {
        if let Some(&d) = self.index.get(&data) {
            return d;
        }
        let d = self.add_distinct(data.clone());
        self.index.insert(data, d);
        d
    }

    /// An object with an identity of its own.
    pub fn add_distinct(&mut self, data: StaticData) -> Data {
        self.all.push(data);
        Data(self.all.len() as u32 - 1)
    }

    /// A record of constants, if all of them can stand in static data.
    pub fn record(&mut self, tag: u16, fields: &[(Const, Ty)]) -> Option<Data> {
        let (mut raws, mut refs) = (Vec::new(), Vec::new());
        for &(field, ty) in fields {
            match (field, ty) {
                (Const::Imm(n), Ty::Ref) => refs.push(RefInit::Imm(n)),
                (Const::Data(d), Ty::Ref) => refs.push(RefInit::Data(d)),
                (Const::Int(n), Ty::I64) => raws.push(RawInit::Int(n)),
                (Const::Real(bits), Ty::F64) => raws.push(RawInit::Int(bits as i64)),
                _ => return None,
            }
        }
        Some(self.add(StaticData::Record { tag, raws, refs }))
    }
}

/// The result.
pub struct Analysis<'a> {
    pub fns: Vec<FnInfo<'a>>,
    pub datas: Datas,
    /// By variable: the function that it is, or `u32::MAX`.
    fn_of: Vec<u32>,
    /// By variable: what it stands for.
    alias: Vec<Operand>,
    /// By variable: used at all.
    pub used: Vec<bool>,
    /// By variable: a top one that is used in other functions than `main`.
    pub global: Vec<bool>,
    /// The program sets the rounding mode of reals.
    pub sets_rounding: bool,
}

impl<'a> Analysis<'a> {
    pub fn new(p: &'a Program, repr: &Repr) -> Analysis<'a> {
        let mut walk = Walk::new(p, repr);
        walk.run();
        walk.finish()
    }

    /// The function that a variable is.
    #[inline]
    pub fn function_of(&self, var: Var) -> Option<u32> {
        let f = self.fn_of[var.0 as usize];
        (f != NONE).then_some(f)
    }

    /// The body of a function.
    pub fn body(&self, p: &'a Program, f: u32) -> &'a Body {
        match self.fns[f as usize].function {
            Some(function) => &function.body,
            None => &p.main,
        }
    }

    /// The variable turned out to be a constant.
    pub fn set_constant(&mut self, var: Var, value: Const) {
        self.alias[var.0 as usize] = Operand::Const(value);
    }

    /// What an atom comes down to.
    pub fn resolve(&mut self, p: &Program, repr: &Repr, atom: Atom) -> Operand {
        resolve(&self.alias, &mut self.datas, p, repr, atom)
    }
}

fn resolve(alias: &[Operand], datas: &mut Datas, p: &Program, repr: &Repr, atom: Atom) -> Operand {
    match atom {
        // What it stands for may have turned out to be a constant since then.
        Atom::Var(v) => match alias[v.0 as usize] {
            Operand::Var(of) => alias[of.0 as usize],
            constant => constant,
        },
        Atom::Int(n) => Operand::Const(Const::Int(n)),
        Atom::Real(bits) => Operand::Const(Const::Real(bits)),
        Atom::Str(i) => Operand::Const(Const::Data(datas.add(StaticData::bytes(&*p.strings[i as usize])))),
        Atom::Con(data, con) => Operand::Const(match repr.con(data, con) {
            ConRepr::Number(n) => Const::Int(n),
            ConRepr::Immediate(n) => Const::Imm(n),
            // Only nullary constructors are atoms.
            ConRepr::Transparent | ConRepr::Thread(_) | ConRepr::Record(_) => Const::Imm(1),
        }),
    }
}

/// Whether the last binding of a body gives exactly the body's result.
pub fn is_tail(body: &Body, index: usize, vars: &[Var]) -> bool {
    index + 1 == body.binds.len()
        && match &body.result {
            Outcome::Values(atoms) => {
                atoms.len() == vars.len() && atoms.iter().zip(vars).all(|(&atom, &var)| atom == Atom::Var(var))
            }
            _ => false,
        }
}

#[derive(Clone, Copy)]
enum Node {
    Root,
    Fn(u32),
    /// A place to return to, in this function's text.
    Join(u32),
}

struct Task<'a> {
    body: &'a Body,
    func: u32,
    /// Where the body's result goes.
    cont: u32,
    /// The outermost declarations, as far as they are evaluated once.
    top: bool,
}

struct Walk<'a, 'r> {
    p: &'a Program,
    repr: &'r Repr<'r>,
    fns: Vec<FnInfo<'a>>,
    nodes: Vec<Node>,
    datas: Datas,
    fn_of: Vec<u32>,
    alias: Vec<Operand>,
    owner: Vec<u32>,
    top: Vec<bool>,
    used: Vec<bool>,
    tasks: Vec<Task<'a>>,
    sets_rounding: bool,
    /// So many of the outermost declarations are evaluated once.
    once: usize,
}

// `owner`: the function that binds a variable. `top`: bound by the outermost declarations, not inside of one, and evaluated
// once, so that other functions reach it by a global slot.
impl<'a, 'r> Walk<'a, 'r> {
    fn new(p: &'a Program, repr: &'r Repr<'r>) -> Self {
        let n = p.vars.len();
        Walk {
            p,
            repr,
            fns: Vec::new(),
            nodes: vec![Node::Root],
            datas: Datas::default(),
            fn_of: vec![NONE; n],
            alias: (0..n as u32).map(|v| Operand::Var(Var(v))).collect(),
            owner: vec![0; n],
            top: vec![false; n],
            used: vec![false; n],
            tasks: Vec::new(),
            sets_rounding: p.sets_rounding,
            once: evaluated_once(p),
        }
    }

    fn run(&mut self) {
        let main = self.add_fn(None, 0);
        let cont = self.fns[main as usize].node;
        self.tasks.push(Task { body: &self.p.main, func: main, cont, top: true });
        while let Some(task) = self.tasks.pop() {
            self.body(task);
        }
    }

    fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn add_fn(&mut self, function: Option<&'a Function>, parent: u32) -> u32 {
        let id = self.fns.len() as u32;
        let node = self.node(Node::Fn(id));
        self.fns.push(FnInfo {
            function,
            parent,
            kind: FunctionKind::Dead,
            host: id,
            free: Vec::new(),
            size: 0,
            uses: Vec::new(),
            calls: Vec::new(),
            escapes: Vec::new(),
            node,
        });
        id
    }

    fn bind(&mut self, var: Var, task: &Task) {
        self.owner[var.0 as usize] = task.func;
        self.top[var.0 as usize] = task.top && self.p.outermost.contains(&var);
    }

    fn resolve(&mut self, atom: Atom) -> Operand {
        resolve(&self.alias, &mut self.datas, self.p, self.repr, atom)
    }

    /// The variable is another name of what the atom comes down to, which lives in a slot if the variable may.
    fn stand_for(&mut self, var: Var, atom: Atom) {
        let operand = self.resolve(atom);
        if let Operand::Var(of) = operand {
            self.top[of.0 as usize] |= self.top[var.0 as usize];
        }
        self.alias[var.0 as usize] = operand;
    }

    /// A use as a value.
    fn using(&mut self, func: u32, atom: Atom) -> Operand {
        let operand = self.resolve(atom);
        if let Operand::Var(v) = operand {
            self.used[v.0 as usize] = true;
            match self.fn_of[v.0 as usize] {
                NONE => self.fns[func as usize].uses.push(v),
                f => self.fns[func as usize].escapes.push(f),
            }
        }
        operand
    }

    fn using_all(&mut self, func: u32, atoms: &[Atom]) {
        for &atom in atoms {
            self.using(func, atom);
        }
    }

    fn body(&mut self, mut task: Task<'a>) {
        let func = task.func;
        for (i, bind) in task.body.binds.iter().enumerate() {
            task.top &= i < self.once;
            match bind {
                Bind::Fun(group) => {
                    for function in group {
                        let f = self.add_fn(Some(function), func);
                        self.bind(function.var, &task);
                        self.fn_of[function.var.0 as usize] = f;
                        let cont = self.fns[f as usize].node;
                        let inner = Task { body: &function.body, func: f, cont, top: false };
                        function.params.iter().for_each(|&v| self.bind(v, &inner));
                        self.tasks.push(inner);
                    }
                }
                Bind::Val { vars, rhs, .. } => {
                    vars.iter().for_each(|&v| self.bind(v, &task));
                    self.fns[func as usize].size += 1;
                    let tail = is_tail(task.body, i, vars);
                    self.rhs(&task, vars, rhs, tail);
                    if tail {
                        return;
                    }
                }
            }
        }
        match &task.body.result {
            Outcome::Values(atoms) => self.using_all(func, atoms),
            Outcome::Raise(atom, _) => self.using_all(func, &[*atom]),
            Outcome::Unreachable => {}
        }
    }

    fn rhs(&mut self, task: &Task<'a>, vars: &[Var], rhs: &'a Rhs, tail: bool) {
        let func = task.func;
        match rhs {
            Rhs::Atoms(atoms) => {
                for (&var, &atom) in vars.iter().zip(atoms) {
                    self.stand_for(var, atom);
                }
                if tail {
                    self.using_all(func, atoms);
                }
            }
            Rhs::Prim { prim: Prim::Cast | Prim::Bits, args, .. } if vars.len() == 1 && args.len() == 1 => {
                self.stand_for(vars[0], args[0]);
                if tail {
                    self.using(func, args[0]);
                }
            }
            Rhs::Prim { prim, args, .. } => {
                self.sets_rounding |= *prim == Prim::RealSetRounding;
                self.using_all(func, args)
            }
            Rhs::Tuple(args) => {
                let operands: Vec<Operand> = args.iter().map(|&a| self.using(func, a)).collect();
                self.record(vars, 0, &operands, |walk, i| walk.repr.value(walk.tuple_part(vars, i)));
            }
            Rhs::Con { data, con, args } => {
                let fields = self.repr.fields(*data, *con);
                match self.repr.con(*data, *con) {
                    ConRepr::Transparent | ConRepr::Thread(_) => {
                        self.stand_for(vars[0], args[0]);
                        if tail {
                            self.using(func, args[0]);
                        }
                    }
                    ConRepr::Number(n) => self.alias[vars[0].0 as usize] = Operand::Const(Const::Int(n)),
                    ConRepr::Immediate(n) => self.alias[vars[0].0 as usize] = Operand::Const(Const::Imm(n)),
                    ConRepr::Record(tag) => {
                        let operands: Vec<Operand> = args.iter().map(|&a| self.using(func, a)).collect();
                        self.record(vars, tag, &operands, |walk, i| walk.repr.value(fields[i]));
                    }
                }
            }
            Rhs::Select(_, atom) | Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => self.using_all(func, &[*atom]),
            Rhs::App { f, args } => {
                self.using_all(func, args);
                let known = match self.resolve(*f) {
                    Operand::Var(v) => self.fn_of[v.0 as usize],
                    Operand::Const(_) => NONE,
                };
                if known == NONE {
                    self.using(func, *f);
                } else {
                    let cont = if tail { task.cont } else { self.node(Node::Join(func)) };
                    self.fns[func as usize].calls.push((cont, known));
                }
            }
            Rhs::Case { scrut, arms, default } => {
                self.using(func, *scrut);
                let cont = if tail { task.cont } else { self.node(Node::Join(func)) };
                let inner = |body: &'a Body| Task { body, func, cont, top: false };
                match arms {
                    Arms::Con(data, arms) => {
                        let whole = self.resolve(*scrut);
                        for (con, fields, body) in arms {
                            let transparent = match self.repr.shape(*data) {
                                Shape::Newtype(_) | Shape::OptionLike(_) => Some(whole),
                                _ => (self.repr.thread(*data) == Some(*con)).then_some(whole),
                            };
                            let task = inner(body);
                            for &v in fields {
                                self.bind(v, &task);
                                if let Some(whole) = transparent {
                                    self.alias[v.0 as usize] = whole;
                                }
                            }
                            self.tasks.push(task);
                        }
                    }
                    Arms::Int(arms) => self.tasks.extend(arms.iter().map(|(_, body)| inner(body))),
                    Arms::Str(arms) => self.tasks.extend(arms.iter().map(|(_, body)| inner(body))),
                }
                self.tasks.extend(default.iter().map(|body| inner(body)));
            }
            Rhs::Handle { body, exn, handler } => {
                let inside = self.node(Node::Join(func));
                self.tasks.push(Task { body, func, cont: inside, top: false });
                let cont = if tail { task.cont } else { self.node(Node::Join(func)) };
                let task = Task { body: handler, func, cont, top: false };
                self.bind(*exn, &task);
                self.tasks.push(task);
            }
            Rhs::NewExn { name, arg } => {
                // Evaluated once: static, with an identity of its own.
                if task.top {
                    let name = self.datas.add(StaticData::bytes(name.as_str()));
                    let kind = crate::repr::argument_kind(self.repr, *arg);
                    let raws = vec![RawInit::Int(kind as i64)];
                    let desc = StaticData::Record { tag: 0, raws, refs: vec![RefInit::Data(name)] };
                    let desc = self.datas.add_distinct(desc);
                    self.alias[vars[0].0 as usize] = Operand::Const(Const::Data(desc));
                }
            }
            Rhs::Table { elem, bits } => {
                let log2 = self.repr.elem(*elem).log2();
                let bytes = bits.iter().flat_map(|n| n.to_le_bytes().into_iter().take(1 << log2)).collect();
                let table = self.datas.add(StaticData::Array { log2, bytes });
                self.alias[vars[0].0 as usize] = Operand::Const(Const::Data(table));
            }
            Rhs::BuiltinExn(builtin) => self.alias[vars[0].0 as usize] = Operand::Const(Const::ExnDesc(*builtin)),
            Rhs::Packet { desc, arg } => {
                let desc = self.using(func, *desc);
                if let Some((arg, _)) = arg {
                    self.using(func, *arg);
                    return;
                }
                match desc {
                    Operand::Const(Const::ExnDesc(b)) if b.argument() == leat_abi::exn::Argument::None => {
                        self.alias[vars[0].0 as usize] = Operand::Const(Const::ExnPacket(b));
                    }
                    Operand::Const(Const::Data(d)) => {
                        let fields = [(Const::Data(d), Ty::Ref), (Const::Imm(1), Ty::Ref)];
                        if let Some(packet) = self.datas.record(0, &fields) {
                            self.alias[vars[0].0 as usize] = Operand::Const(Const::Data(packet));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn tuple_part(&self, vars: &[Var], i: usize) -> leat_mono::ir::Ty {
        match self.p.types.get(self.p.ty(vars[0])) {
            leat_mono::ir::TyData::Tuple(parts) => parts[i],
            other => panic!("M2: a tuple at type {other:?}"),
        }
    }

    /// A record whose fields are all constants is static data.
    fn record(&mut self, vars: &[Var], tag: u16, operands: &[Operand], ty: impl Fn(&Self, usize) -> Ty) {
        let mut fields = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            match operand {
                Operand::Const(c) => fields.push((*c, ty(self, i))),
                Operand::Var(_) => return,
            }
        }
        if fields.is_empty() {
            self.alias[vars[0].0 as usize] = Operand::Const(Const::Int(0));
        } else if let Some(data) = self.datas.record(tag, &fields) {
            self.alias[vars[0].0 as usize] = Operand::Const(Const::Data(data));
        }
    }

    fn finish(mut self) -> Analysis<'a> {
        self.mark_live();
        self.contify();
        let global = self.free_variables();
        Analysis {
            fns: self.fns,
            datas: self.datas,
            fn_of: self.fn_of,
            alias: self.alias,
            used: self.used,
            global,
            sets_rounding: self.sets_rounding,
        }
    }

    /// Live functions get the kind `Lifted`, those that escape `Closure`; `contify` looks further.
    fn mark_live(&mut self) {
        let mut work = vec![0u32];
        self.fns[0].kind = FunctionKind::Lifted;
        while let Some(f) = work.pop() {
            let FnInfo { ref calls, ref escapes, .. } = self.fns[f as usize];
            let callees: Vec<u32> = calls.iter().map(|c| c.1).collect();
            let escapes = escapes.clone();
            for g in callees {
                if self.fns[g as usize].kind == FunctionKind::Dead {
                    self.fns[g as usize].kind = FunctionKind::Lifted;
                    work.push(g);
                }
            }
            for g in escapes {
                if self.fns[g as usize].kind == FunctionKind::Dead {
                    work.push(g);
                }
                self.fns[g as usize].kind = FunctionKind::Closure;
            }
        }
    }

    fn contify(&mut self) {
        let n = self.nodes.len();
        let mut succs: Vec<Vec<u32>> = vec![Vec::new(); n];
        succs[0].push(self.fns[0].node);
        for (i, node) in self.nodes.iter().enumerate() {
            if let Node::Join(f) = *node
                && self.fns[f as usize].kind != FunctionKind::Dead
            {
                succs[0].push(i as u32);
            }
        }
        for (f, is_large) in self.fns.iter().zip(self.large_ones()) {
            let stays = is_large || f.function.is_some_and(|function| function.inline == Inline::Never);
            if f.kind == FunctionKind::Closure || (stays && f.kind != FunctionKind::Dead) {
                succs[0].push(f.node);
            }
            if f.kind != FunctionKind::Dead {
                for &(cont, callee) in &f.calls {
                    succs[cont as usize].push(self.fns[callee as usize].node);
                }
            }
        }
        let idom = immediate_dominators(n, 0, |v, out| succs[v as usize].iter().for_each(|&w| out(w)));
        // The child of the root above each node; shared by all nodes on the way.
        let mut above = vec![NONE; n];
        let mut path = Vec::new();
        for f in 0..self.fns.len() {
            if self.fns[f].kind == FunctionKind::Dead {
                continue;
            }
            let mut at = self.fns[f].node;
            while above[at as usize] == NONE && idom[at as usize] != 0 {
                path.push(at);
                at = idom[at as usize];
            }
            let top = if above[at as usize] == NONE { at } else { above[at as usize] };
            above[at as usize] = top;
            path.drain(..).for_each(|v| above[v as usize] = top);
        }
        // The host of a place is the host of the function whose text has it.
        let mut hosted = vec![false; self.fns.len()];
        for f in 0..self.fns.len() as u32 {
            if self.fns[f as usize].kind == FunctionKind::Dead {
                continue;
            }
            let mut way = Vec::new();
            let mut at = f;
            let host = loop {
                let info = &self.fns[at as usize];
                if hosted[at as usize] {
                    break info.host;
                }
                way.push(at);
                match self.nodes[above[info.node as usize] as usize] {
                    Node::Fn(g) if g == at => break at,
                    Node::Fn(g) | Node::Join(g) => at = g,
                    Node::Root => unreachable!("the root is no child of itself"),
                }
            };
            for g in way {
                hosted[g as usize] = true;
                let info = &mut self.fns[g as usize];
                info.host = host;
                if host != g {
                    info.kind = FunctionKind::Contified;
                }
            }
        }
    }

    /// By function: whether it stays on its own although all its calls return to one place, in the middle of a
    /// function: that one would be too large. Where n functions are nested, each called by the one around it, all would
    /// be one function, in which values of n bodies live at once; the compiler's back end takes n squared for it.
    fn large_ones(&self) -> Vec<bool> {
        let mut returns = vec![false; self.fns.len()];
        for &(cont, callee) in self.fns.iter().flat_map(|f| &f.calls) {
            returns[callee as usize] |= matches!(self.nodes[cont as usize], Node::Join(_));
        }
        let mut sizes: Vec<usize> = self.fns.iter().map(|f| f.size).collect();
        let mut large = vec![false; self.fns.len()];
        // A function stands behind the one around it.
        for (i, f) in self.fns.iter().enumerate().rev() {
            let Some(function) = f.function.filter(|_| f.kind == FunctionKind::Lifted) else { continue };
            large[i] = sizes[i] > HOSTED && returns[i] && !function.join;
            if !large[i] {
                sizes[f.parent as usize] += sizes[i];
            }
        }
        large
    }

    /// Fills `free`, and answers which variables need a global slot.
    fn free_variables(&mut self) -> Vec<bool> {
        let n = self.fns.len();
        let mut global = vec![false; self.p.vars.len()];
        let mut direct: Vec<Vec<Var>> = vec![Vec::new(); n];
        let mut refs: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut seen_refs: FxHashSet<(u32, u32)> = FxHashSet::default();
        for f in &self.fns {
            if f.kind == FunctionKind::Dead {
                continue;
            }
            let h = f.host;
            for &v in &f.uses {
                let owner = self.owner[v.0 as usize];
                if self.fns[owner as usize].host == h {
                    continue;
                }
                if self.top[v.0 as usize] {
                    global[v.0 as usize] = true;
                } else if seen.insert((h, v.0)) {
                    direct[h as usize].push(v);
                }
            }
            for &g in f.calls.iter().map(|(_, g)| g).chain(&f.escapes) {
                let info = &self.fns[g as usize];
                if info.host == g && g != h && seen_refs.insert((h, g)) {
                    refs[h as usize].push(g);
                    users[g as usize].push(h);
                }
            }
        }
        self.made_where_bound(&mut refs, &mut users, &mut seen_refs);
        self.propagate(&direct, &refs, &users);
        let mut many = false;
        for f in &mut self.fns {
            if f.kind == FunctionKind::Lifted && f.free.len() > MAX_LIFTED {
                f.kind = FunctionKind::Closure;
                many = true;
            }
        }
        if many {
            self.made_where_bound(&mut refs, &mut users, &mut seen_refs);
            self.propagate(&direct, &refs, &users);
        }
        global
    }

    /// A closure is made by the host of the function that binds it, whoever uses it: a lifted function may be the only
    /// one, and then its host must have what the closure holds all the same.
    fn made_where_bound(&self, refs: &mut [Vec<u32>], users: &mut [Vec<u32>], seen: &mut FxHashSet<(u32, u32)>) {
        for (g, info) in self.fns.iter().enumerate() {
            if info.kind != FunctionKind::Closure || info.function.is_none() {
                continue;
            }
            let h = self.fns[info.parent as usize].host;
            if h != g as u32 && seen.insert((h, g as u32)) {
                refs[h as usize].push(g as u32);
                users[g].push(h);
            }
        }
    }

    fn propagate(&mut self, direct: &[Vec<Var>], refs: &[Vec<u32>], users: &[Vec<u32>]) {
        let mut have: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut work: Vec<u32> = Vec::new();
        let mut queued = vec![false; self.fns.len()];
        for h in (0..self.fns.len() as u32).rev() {
            self.fns[h as usize].free = direct[h as usize].clone();
            have.extend(direct[h as usize].iter().map(|v| (h, v.0)));
            if self.fns[h as usize].host == h && self.fns[h as usize].kind != FunctionKind::Dead {
                work.push(h);
                queued[h as usize] = true;
            }
        }
        while let Some(h) = work.pop() {
            queued[h as usize] = false;
            let own = self.fns[h as usize].function.map(|f| f.var);
            let before = self.fns[h as usize].free.len();
            for &g in &refs[h as usize] {
                let info = &self.fns[g as usize];
                let Some(function) = info.function else { continue };
                let bound_here = self.fns[info.parent as usize].host == h;
                let wanted: Vec<Var> = if info.kind == FunctionKind::Lifted || bound_here {
                    info.free.clone()
                } else if info.free.is_empty() {
                    Vec::new()
                } else {
                    vec![function.var]
                };
                for v in wanted {
                    let owner = self.owner[v.0 as usize];
                    if self.fns[owner as usize].host != h && Some(v) != own && have.insert((h, v.0)) {
                        self.fns[h as usize].free.push(v);
                    }
                }
            }
            if self.fns[h as usize].free.len() != before {
                for &u in &users[h as usize] {
                    if !queued[u as usize] {
                        queued[u as usize] = true;
                        work.push(u);
                    }
                }
            }
        }
    }
}
