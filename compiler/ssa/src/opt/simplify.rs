//! Simplify: constants folded, algebra, known branches, blocks merged, jumps threaded, dead code and parameters
//! dropped.
//!
//! Ssa -> Ssa, one function at a time, in rounds of linear sweeps until nothing changes (at most [`ROUNDS`]).
//! This file has the sweep, and what is known of values; `fold` has what becomes of one instruction.
//! Keeps: order of effects, types, dominance. After Click and Cooper's and others' combined sweeps, with nothing
//! optimistic in it: parameters are replaced only by what is already known equal.

use crate::cfg::{Cfg, renumber, renumber_values};
use crate::interp;
use crate::ir::*;
pub(crate) use crate::opt::dead::dead_code;
use crate::opt::dead::{self, table};
use crate::opt::jumps;
pub(crate) use crate::opt::jumps::substitute;
use smallvec::SmallVec;

const ROUNDS: usize = 8;

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    crate::scope::tidy(f);
    let mut pool = POOL.take();
    let mut cfg = std::mem::take(&mut pool.cfg);
    for _ in 0..ROUNDS {
        let mut s = Simplify::new(f, datas, &mut pool);
        cfg.compute(f);
        s.values(f, &cfg);
        // What one sweep over the values leaves comes from new ways only.
        let params = drop_params(f, &mut s);
        let threaded = jumps::thread(f);
        let merged = jumps::merge(f, &mut cfg);
        let back = s.back;
        s.give_back(&mut pool);
        dead::run(f, &mut pool.dead);
        let changed = threaded || merged || params && back;
        if !changed {
            break;
        }
    }
    renumber(f, &mut cfg);
    renumber_values(f);
    pool.cfg = cfg;
    POOL.set(pool);
}

/// Tables by value, kept from one function to the next: most functions are small, and making the tables would cost more
/// than filling them.
#[derive(Default)]
struct Pool {
    known: Vec<Known>,
    subst: Vec<Value>,
    stored: Vec<bool>,
    allocs: Vec<(u16, Values)>,
    out: Vec<Inst>,
    dead: dead::Pool,
    cfg: Cfg,
}

thread_local! {
    static POOL: std::cell::Cell<Pool> = std::cell::Cell::default();
}

/// What is known of a value from its definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Known {
    Nothing,
    Int(i64),
    Real(u64),
    Imm(u64),
    Data(Data),
    Code(Func),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    Cmp(Cond, Value, Value),
    FCmp(FCond, Value, Value),
    /// 0 or 1.
    Bool,
    /// From 0 to this, unsigned.
    Below(u64),
    /// Index in `allocs`.
    Alloc(u32),
    /// An array just made: an address.
    Address,
}

pub(super) struct Simplify<'a> {
    pub(super) datas: &'a [StaticData],
    known: Vec<Known>,
    /// What stands for each value.
    subst: Vec<Value>,
    pub(super) allocs: Vec<(u16, Values)>,
    /// Objects that a store goes to.
    pub(super) stored: Vec<bool>,
    changed: bool,
    /// The function has a loop.
    back: bool,
    out: Vec<Inst>,
}

/// What becomes of an instruction with one result.
pub(super) enum Fold {
    Keep,
    Value(Value),
    Int(i64),
    Op(Op),
}

impl<'a> Simplify<'a> {
    fn new(f: &Function, datas: &'a [StaticData], pool: &mut Pool) -> Self {
        let n = f.values.len();
        let mut stored = table(&mut pool.stored, n, false);
        for block in &f.blocks {
            for inst in &block.insts {
                if let Op::Store { obj, .. } | Op::Cas { obj, .. } = inst.op {
                    stored[obj.0 as usize] = true;
                }
            }
        }
        Simplify {
            datas,
            known: table(&mut pool.known, n, Known::Nothing),
            subst: {
                let mut subst = table(&mut pool.subst, 0, Value(0));
                subst.extend((0..n as u32).map(Value));
                subst
            },
            allocs: table(&mut pool.allocs, 0, (0, Values::new())),
            stored,
            changed: false,
            back: false,
            out: std::mem::take(&mut pool.out),
        }
    }

    fn give_back(self, pool: &mut Pool) {
        pool.known = self.known;
        pool.subst = self.subst;
        pool.stored = self.stored;
        pool.allocs = self.allocs;
        pool.out = self.out;
    }

    fn resolve(&mut self, v: Value) -> Value {
        let mut at = v;
        while self.subst[at.0 as usize] != at {
            at = self.subst[at.0 as usize];
        }
        // Shortens the way for the next time.
        let mut from = v;
        while self.subst[from.0 as usize] != at {
            from = std::mem::replace(&mut self.subst[from.0 as usize], at);
        }
        at
    }

    pub(super) fn known(&self, v: Value) -> Known {
        self.known[v.0 as usize]
    }

    pub(super) fn int(&self, v: Value) -> Option<i64> {
        match self.known(v) {
            Known::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The largest that a value can be, unsigned.
    pub(super) fn most(&self, v: Value) -> u64 {
        match self.known(v) {
            Known::Int(n) => n as u64,
            Known::Bool | Known::Cmp(..) | Known::FCmp(..) => 1,
            Known::Below(n) => n,
            Known::Unary(Unary::Zext8, _) => 0xff,
            Known::Unary(Unary::Zext16, _) => 0xffff,
            Known::Unary(Unary::Zext32, _) => 0xffff_ffff,
            Known::Binary(Binary::And, _, m) => self.int(m).filter(|&m| m >= 0).map_or(u64::MAX, |m| m as u64),
            Known::Binary(Binary::Mod | Binary::NRem | Binary::URem, _, n) => {
                self.int(n).filter(|&n| n > 0).map_or(u64::MAX, |n| n as u64 - 1)
            }
            Known::Binary(Binary::Shr, _, n) => self.int(n).map_or(u64::MAX, |n| u64::MAX >> (n & 63)),
            _ => u64::MAX,
        }
    }

    fn grow(&mut self, f: &Function) {
        while self.subst.len() < f.values.len() {
            self.subst.push(Value(self.subst.len() as u32));
            self.known.push(Known::Nothing);
            self.stored.push(false);
        }
    }

    pub(super) fn new_int(&mut self, f: &mut Function, n: i64, loc: Loc) -> Value {
        self.new_constant(f, Op::Iconst(n), Ty::I64, Known::Int(n), loc)
    }

    pub(super) fn new_real(&mut self, f: &mut Function, bits: u64, loc: Loc) -> Value {
        self.new_constant(f, Op::Fconst(bits), Ty::F64, Known::Real(bits), loc)
    }

    fn new_constant(&mut self, f: &mut Function, op: Op, ty: Ty, known: Known, loc: Loc) -> Value {
        let inst = f.make(op, &[ty], loc);
        let v = inst.results[0];
        self.out.push(inst);
        self.grow(f);
        self.known[v.0 as usize] = known;
        v
    }

    /// Rewrites all reachable blocks; empties the others.
    fn values(&mut self, f: &mut Function, cfg: &Cfg) {
        for b in 0..f.blocks.len() as u32 {
            let empty = f[Block(b)].insts.is_empty() && f[Block(b)].params.is_empty();
            if !cfg.reachable(Block(b)) && !empty {
                f[Block(b)] = BlockData::default();
            }
        }
        for &b in &cfg.rpo {
            if b != f.entry {
                self.params(f, cfg, b);
            }
            let mut insts = std::mem::take(&mut f[b].insts);
            let mut ended = false;
            for mut inst in insts.drain(..) {
                inst.op.map_operands(|v| self.resolve(v));
                if self.inst(f, inst) {
                    ended = true;
                    break;
                }
            }
            if ended {
                let Some(Inst { op: Op::Guard(_, builtin), loc, .. }) = self.out.pop() else {
                    unreachable!("a guard ends it")
                };
                f[b].term = Term::RaiseBuiltin(builtin);
                f[b].loc = loc;
                self.changed = true;
            } else {
                let mut term = std::mem::replace(&mut f[b].term, Term::Unreachable);
                term.map_operands(|v| self.resolve(v));
                f[b].term = self.term(f, term);
            }
            insts.append(&mut self.out);
            f[b].insts = insts;
        }
        // Uses that were rewritten before their definition was.
        let goes_back = |&b: &Block| cfg.preds(b).iter().any(|p| cfg.order[p.0 as usize] >= cfg.order[b.0 as usize]);
        self.back = cfg.rpo.iter().any(goes_back);
        if self.changed && self.back {
            for b in 0..f.blocks.len() {
                let mut block = std::mem::take(&mut f.blocks[b]);
                block.insts.iter_mut().for_each(|inst| inst.op.map_operands(|v| self.resolve(v)));
                block.term.map_operands(|v| self.resolve(v));
                f.blocks[b] = block;
            }
        }
    }

    /// Parameters that are the same value on every edge.
    fn params(&mut self, f: &mut Function, cfg: &Cfg, b: Block) {
        if f[b].params.is_empty() {
            return;
        }
        let params: SmallVec<[Value; 8]> = f[b].params.iter().copied().collect();
        let mut only: SmallVec<[Option<Value>; 8]> = SmallVec::from_elem(None, params.len());
        let mut bad: SmallVec<[bool; 8]> = SmallVec::from_elem(false, params.len());
        let mut seen: SmallVec<[Block; 8]> = SmallVec::new();
        for &pred in cfg.preds(b) {
            if seen.last() == Some(&pred) {
                continue;
            }
            seen.push(pred);
            f[pred].term.each_target(|t| {
                if t.block != b {
                    return;
                }
                let given = params.len() - t.args.len();
                bad[..given].iter_mut().for_each(|x| *x = true);
                for (i, &arg) in t.args.iter().enumerate() {
                    let i = i + given;
                    let arg = self.resolve(arg);
                    if arg == params[i] || bad[i] {
                        continue;
                    }
                    match only[i] {
                        None => only[i] = Some(arg),
                        Some(v) if v == arg => {}
                        Some(v) if self.known(v) == self.known(arg) && is_constant(self.known(v)) => {}
                        Some(_) => bad[i] = true,
                    }
                }
            });
        }
        for (i, &param) in params.iter().enumerate() {
            let (false, Some(v)) = (bad[i], only[i]) else { continue };
            // The parameters of a loop that is no longer entered may stand for each other all around.
            let v = self.resolve(v);
            if v == param {
                continue;
            }
            let stands = match self.known(v) {
                // A constant is made anew: its definitions need not dominate.
                Known::Int(n) => self.new_int(f, n, Loc::default()),
                Known::Real(bits) => self.new_op(f, Op::Fconst(bits), Ty::F64, Known::Real(bits)),
                Known::Imm(n) => self.new_op(f, Op::RefImm(n), Ty::Ref, Known::Imm(n)),
                Known::Data(d) => self.new_op(f, Op::Data(d), Ty::Ref, Known::Data(d)),
                _ => v,
            };
            self.subst[param.0 as usize] = stands;
            self.changed = true;
        }
    }

    fn new_op(&mut self, f: &mut Function, op: Op, ty: Ty, known: Known) -> Value {
        let inst = f.make(op, &[ty], Loc::default());
        let v = inst.results[0];
        self.out.push(inst);
        self.grow(f);
        self.known[v.0 as usize] = known;
        v
    }

    /// Adds an instruction, folded, to `out`; true when it is a guard that always raises.
    fn inst(&mut self, f: &mut Function, mut inst: Inst) -> bool {
        match &mut inst.op {
            Op::Guard(c, _) => match self.known(*c) {
                Known::Int(0) => {
                    self.changed = true;
                    return false;
                }
                Known::Int(_) => {
                    self.out.push(inst);
                    return true;
                }
                _ => {}
            },
            Op::Ovf(op, a, b) => {
                if matches!(op, Ovf::Add | Ovf::Mul) && self.int(*a).is_some() {
                    std::mem::swap(a, b);
                }
                let folded = match (*op, self.int(*a), self.int(*b)) {
                    (op, Some(x), Some(y)) => {
                        let (n, overflow) = interp::ovf(op, x, y);
                        Some((self.new_int(f, n, inst.loc), overflow))
                    }
                    (Ovf::Add | Ovf::Sub, _, Some(0)) | (Ovf::Mul, _, Some(1)) => Some((*a, false)),
                    (Ovf::Mul, _, Some(0)) => Some((self.new_int(f, 0, inst.loc), false)),
                    // Small operands cannot overflow.
                    (op, _, _) if op != Ovf::Sub && self.most(*a) <= 0x7fff_ffff && self.most(*b) <= 0x7fff_ffff => {
                        let op = if op == Ovf::Add { Binary::Add } else { Binary::Mul };
                        let plain = f.make(Op::Binary(op, *a, *b), &[Ty::I64], inst.loc);
                        let v = plain.results[0];
                        self.grow(f);
                        self.out.push(plain);
                        Some((v, false))
                    }
                    (Ovf::Sub, _, _) if self.most(*a) <= 1 << 62 && self.most(*b) <= 1 << 62 => {
                        let plain = f.make(Op::Binary(Binary::Sub, *a, *b), &[Ty::I64], inst.loc);
                        let v = plain.results[0];
                        self.grow(f);
                        self.out.push(plain);
                        Some((v, false))
                    }
                    _ => None,
                };
                if let Some((value, overflow)) = folded {
                    let flag = self.new_int(f, i64::from(overflow), inst.loc);
                    self.subst[inst.results[0].0 as usize] = value;
                    self.subst[inst.results[1].0 as usize] = flag;
                    self.changed = true;
                    return false;
                }
                self.known[inst.results[1].0 as usize] = Known::Bool;
            }
            Op::Call(callee, args) => {
                if let Some(known) = self.callee(*callee, args) {
                    *callee = known;
                    self.changed = true;
                }
            }
            _ => {
                // A new form may fold again: `x - 1` is `x + -1`, and that may be `y + 2 + -1`.
                for _ in 0..4 {
                    let [result] = *inst.results else { break };
                    match self.fold(f, &mut inst.op, inst.loc) {
                        Fold::Keep => break,
                        Fold::Value(v) => {
                            self.subst[result.0 as usize] = v;
                            self.changed = true;
                            return false;
                        }
                        Fold::Int(n) => {
                            inst.op = Op::Iconst(n);
                            self.changed = true;
                            break;
                        }
                        Fold::Op(op) => {
                            inst.op = op;
                            self.changed = true;
                        }
                    }
                }
            }
        }
        if let Some(&result) = inst.results.first() {
            self.known[result.0 as usize] = self.learn(&inst.op);
        }
        self.out.push(inst);
        false
    }

    fn learn(&mut self, op: &Op) -> Known {
        match *op {
            Op::Iconst(n) => Known::Int(n),
            Op::Fconst(bits) => Known::Real(bits),
            Op::RefImm(n) => Known::Imm(n),
            Op::Data(d) => Known::Data(d),
            Op::FuncAddr(f) => Known::Code(f),
            Op::Unary(u, a) => Known::Unary(u, a),
            Op::Binary(b, x, y) => Known::Binary(b, x, y),
            Op::Cmp(c, x, y) => Known::Cmp(c, x, y),
            Op::FCmp(c, x, y) => Known::FCmp(c, x, y),
            Op::RefEq(..) | Op::IsImm(_) | Op::Cas { .. } => Known::Bool,
            Op::Tag(_) | Op::ElemLoad { elem: Elem::U16, .. } => Known::Below(0xffff),
            Op::ImmValue(_) => Known::Below(u64::MAX >> 1),
            Op::Length(_) => Known::Below(leat_abi::header::MAX_LENGTH),
            Op::ElemLoad { elem: Elem::U8, .. } => Known::Below(0xff),
            Op::ElemLoad { elem: Elem::U32, .. } => Known::Below(0xffff_ffff),
            Op::Alloc { tag, ref raws, ref refs } => {
                self.allocs.push((tag, raws.iter().chain(refs).copied().collect()));
                Known::Alloc(self.allocs.len() as u32 - 1)
            }
            Op::ExnDesc(_) | Op::ExnPacket(_) | Op::CurrentThread => Known::Address,
            Op::Select(_, a, b) if self.most(a).max(self.most(b)) == 1 => Known::Bool,
            Op::Select(_, a, b) if self.most(a).max(self.most(b)) != u64::MAX => {
                Known::Below(self.most(a).max(self.most(b)))
            }
            _ => Known::Nothing,
        }
    }

    /// The function that a closure's call comes to; its arguments get the closure in front.
    fn callee(&self, callee: Callee, args: &mut Values) -> Option<Callee> {
        let Callee::Closure(closure) = callee else { return None };
        let code = match self.known(closure) {
            Known::Data(d) => match self.datas.get(d.0 as usize) {
                Some(StaticData::Record { raws, .. }) => match raws.first() {
                    Some(RawInit::Code(f)) => Some(*f),
                    _ => None,
                },
                _ => None,
            },
            Known::Alloc(i) => match self.known(*self.allocs[i as usize].1.first()?) {
                Known::Code(f) => Some(f),
                _ => None,
            },
            _ => None,
        }?;
        args.insert(0, closure);
        Some(Callee::Func(code))
    }

    fn term(&mut self, f: &mut Function, term: Term) -> Term {
        match term {
            Term::Branch(c, yes, no) => match self.known(c) {
                Known::Int(n) => {
                    self.changed = true;
                    Term::Jump(if n != 0 { yes } else { no })
                }
                _ if yes == no => {
                    self.changed = true;
                    Term::Jump(yes)
                }
                Known::Cmp(Cond::Eq, x, y) if self.int(y) == Some(0) => {
                    self.changed = true;
                    Term::Branch(x, no, yes)
                }
                Known::Cmp(Cond::Ne, x, y) if self.int(y) == Some(0) => {
                    self.changed = true;
                    Term::Branch(x, yes, no)
                }
                _ => Term::Branch(c, yes, no),
            },
            Term::Switch(v, mut cases, default) => {
                if let Some(n) = self.int(v) {
                    self.changed = true;
                    let taken = cases.iter().position(|c| c.0 == n).map(|i| cases.swap_remove(i).1);
                    return Term::Jump(taken.unwrap_or(default));
                }
                let before = cases.len();
                cases.retain(|(_, t)| *t != default);
                let most = self.most(v);
                cases.retain(|(n, _)| *n as u64 <= most);
                self.changed |= cases.len() != before;
                match cases.len() {
                    0 => {
                        self.changed = true;
                        Term::Jump(default)
                    }
                    1 => {
                        self.changed = true;
                        let (n, t) = cases.pop().expect("one case");
                        if n == 0 {
                            return Term::Branch(v, default, t);
                        }
                        let n = self.new_int(f, n, Loc::default());
                        let inst = f.make(Op::Cmp(Cond::Eq, v, n), &[Ty::I64], Loc::default());
                        let c = inst.results[0];
                        self.grow(f);
                        self.out.push(inst);
                        Term::Branch(c, t, default)
                    }
                    _ => Term::Switch(v, cases, default),
                }
            }
            Term::TailCall(callee, mut args) => {
                let known = self.callee(callee, &mut args);
                self.changed |= known.is_some();
                Term::TailCall(known.unwrap_or(callee), args)
            }
            Term::Invoke { callee, mut args, ok, handler } => {
                let known = self.callee(callee, &mut args);
                self.changed |= known.is_some();
                Term::Invoke { callee: known.unwrap_or(callee), args, ok, handler }
            }
            other => other,
        }
    }
}

fn is_constant(k: Known) -> bool {
    matches!(k, Known::Int(_) | Known::Real(_) | Known::Imm(_) | Known::Data(_))
}

/// Drops the parameters that something else stands for now, with their arguments.
fn drop_params(f: &mut Function, s: &mut Simplify) -> bool {
    let entry = f.entry;
    let mut keep: Vec<Option<Vec<bool>>> = Vec::new();
    let mut any = false;
    for (b, block) in f.blocks.iter().enumerate() {
        if b != entry.0 as usize && block.params.iter().any(|&p| s.resolve(p) != p) {
            keep.resize(f.blocks.len(), None);
            keep[b] = Some(block.params.iter().map(|&p| s.resolve(p) == p).collect());
            any = true;
        }
    }
    if any {
        dead::filter_params(f, &keep);
    }
    any
}
