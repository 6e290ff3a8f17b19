//! Simplify: constants folded, algebra, known branches, blocks merged, jumps threaded, dead code and parameters dropped.
//!
//! Ssa -> Ssa, one function at a time, in rounds of linear sweeps until nothing changes (at most [`ROUNDS`]).
//! Keeps: order of effects, types, dominance. After Click and Cooper's and others' combined sweeps, with nothing
//! optimistic in it: parameters are replaced only by what is already known equal.

use crate::cfg::{Cfg, renumber};
use crate::ir::*;
use crate::ops::Effect;
use crate::interp;
use smallvec::SmallVec;

const ROUNDS: usize = 8;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    let Program { funcs, datas, .. } = p;
    for f in funcs {
        function(f, datas);
    }
}

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    let mut pool = POOL.take();
    let mut cfg = std::mem::take(&mut pool.cfg);
    for _ in 0..ROUNDS {
        let mut s = Simplify::new(f, datas, &mut pool);
        cfg.compute(f);
        s.values(f, &cfg);
        // What one sweep over the values leaves comes from new ways only.
        let params = drop_params(f, &mut s);
        let threaded = thread(f);
        let merged = merge(f, &mut cfg);
        let back = s.back;
        s.give_back(&mut pool);
        dead_code_in(f, &mut pool);
        if !threaded && !merged && !(params && back) {
            break;
        }
    }
    renumber(f, &mut cfg);
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
    live: Vec<bool>,
    place: Vec<Place>,
    work: Vec<Value>,
    edges: Vec<SmallVec<[(u32, u32); 2]>>,
    cfg: Cfg,
}

thread_local! {
    static POOL: std::cell::Cell<Pool> = std::cell::Cell::default();
}

/// Takes a table and fills it anew.
fn table<T: Clone>(from: &mut Vec<T>, n: usize, item: T) -> Vec<T> {
    let mut out = std::mem::take(from);
    out.clear();
    out.resize(n, item);
    out
}

/// Where a value is defined: block and number there.
#[derive(Clone, Copy)]
enum Place {
    None,
    Param(u32, u32),
    Inst(u32, u32),
}

/// What is known of a value from its definition.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
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

struct Simplify<'a> {
    datas: &'a [StaticData],
    known: Vec<Known>,
    /// What stands for each value.
    subst: Vec<Value>,
    allocs: Vec<(u16, Values)>,
    /// Objects that a store goes to.
    stored: Vec<bool>,
    changed: bool,
    /// The function has a loop.
    back: bool,
    out: Vec<Inst>,
}

/// What becomes of an instruction with one result.
enum Fold {
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

    fn known(&self, v: Value) -> Known {
        self.known[v.0 as usize]
    }

    fn int(&self, v: Value) -> Option<i64> {
        match self.known(v) {
            Known::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The largest that a value can be, unsigned.
    fn most(&self, v: Value) -> u64 {
        match self.known(v) {
            Known::Int(n) => n as u64,
            Known::Bool | Known::Cmp(..) | Known::FCmp(..) => 1,
            Known::Below(n) => n,
            Known::Unary(Unary::Zext8, _) => 0xff,
            Known::Unary(Unary::Zext16, _) => 0xffff,
            Known::Unary(Unary::Zext32, _) => 0xffff_ffff,
            Known::Binary(Binary::And, _, m) => self.int(m).filter(|&m| m >= 0).map_or(u64::MAX, |m| m as u64),
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

    fn new_int(&mut self, f: &mut Function, n: i64, loc: Loc) -> Value {
        let inst = f.make(Op::Iconst(n), &[Ty::I64], loc);
        let v = inst.results[0];
        self.out.push(inst);
        self.grow(f);
        self.known[v.0 as usize] = Known::Int(n);
        v
    }

    /// Rewrites all reachable blocks; empties the others.
    fn values(&mut self, f: &mut Function, cfg: &Cfg) {
        for b in 0..f.blocks.len() as u32 {
            if !cfg.reachable(Block(b)) && !(f[Block(b)].insts.is_empty() && f[Block(b)].params.is_empty()) {
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
                let Some(Inst { op: Op::Guard(_, builtin), .. }) = self.out.pop() else { unreachable!("a guard ends it") };
                f[b].term = Term::RaiseBuiltin(builtin);
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
            Op::Select(_, a, b) if self.most(a).max(self.most(b)) != u64::MAX => Known::Below(self.most(a).max(self.most(b))),
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

    fn fold(&mut self, f: &mut Function, op: &mut Op, loc: Loc) -> Fold {
        match op {
            Op::Unary(u, a) => self.unary(*u, *a),
            Op::Binary(b, x, y) => {
                if b.commutes() && self.int(*x).is_some() && self.int(*y).is_none() {
                    std::mem::swap(x, y);
                }
                self.binary(f, *b, *x, *y, loc)
            }
            Op::Cmp(c, x, y) => {
                if self.int(*x).is_some() && self.int(*y).is_none() {
                    std::mem::swap(x, y);
                    *c = c.swapped();
                }
                self.cmp(f, *c, *x, *y, loc)
            }
            Op::FCmp(c, x, y) => match (self.known(*x), self.known(*y)) {
                (Known::Real(x), Known::Real(y)) => Fold::Int(i64::from(c.holds(f64::from_bits(x), f64::from_bits(y)))),
                _ => Fold::Keep,
            },
            Op::RefEq(x, y) => match (self.known(*x), self.known(*y)) {
                _ if x == y => Fold::Int(1),
                (Known::Imm(m), Known::Imm(n)) => Fold::Int(i64::from(m == n)),
                (Known::Imm(_), k) | (k, Known::Imm(_)) if is_address(k) => Fold::Int(0),
                _ => Fold::Keep,
            },
            Op::IsImm(x) => match self.known(*x) {
                Known::Imm(_) => Fold::Int(1),
                k if is_address(k) => Fold::Int(0),
                _ => Fold::Keep,
            },
            Op::ImmValue(x) => match self.known(*x) {
                Known::Imm(n) => Fold::Int((n >> 1) as i64),
                _ => Fold::Keep,
            },
            Op::Tag(x) => match self.known(*x) {
                Known::Alloc(i) => Fold::Int(i64::from(self.allocs[i as usize].0)),
                Known::Data(d) => match self.datas.get(d.0 as usize) {
                    Some(StaticData::Record { tag, .. }) => Fold::Int(i64::from(*tag)),
                    _ => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            Op::Length(x) => match self.known(*x) {
                Known::Data(d) => match self.datas.get(d.0 as usize) {
                    Some(StaticData::Bytes(bytes)) => Fold::Int(bytes.len() as i64),
                    _ => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            Op::Select(c, x, y) => match (self.int(*c), self.int(*x), self.int(*y)) {
                (Some(0), ..) => Fold::Value(*y),
                (Some(_), ..) => Fold::Value(*x),
                _ if x == y => Fold::Value(*x),
                (_, Some(1), Some(0)) if self.most(*c) <= 1 => Fold::Value(*c),
                (_, Some(0), Some(1)) => {
                    let zero = self.new_int(f, 0, loc);
                    Fold::Op(Op::Cmp(Cond::Eq, *c, zero))
                }
                _ => Fold::Keep,
            },
            Op::Load { obj, field, mutable: false, ty } => match self.known(*obj) {
                Known::Alloc(i) if !self.stored[obj.0 as usize] => match self.allocs[i as usize].1.get(*field as usize) {
                    Some(&v) if f.ty(v) == *ty => Fold::Value(v),
                    _ => Fold::Keep,
                },
                Known::Data(d) => self.static_field(d, *field, *ty),
                _ => Fold::Keep,
            },
            _ => Fold::Keep,
        }
    }

    fn static_field(&self, d: Data, field: u32, ty: Ty) -> Fold {
        let Some(StaticData::Record { raws, refs, .. }) = self.datas.get(d.0 as usize) else { return Fold::Keep };
        let field = field as usize;
        if field < raws.len() {
            return match (raws[field], ty) {
                (RawInit::Int(n), Ty::I64) => Fold::Int(n),
                (RawInit::Int(n), Ty::F64) => Fold::Op(Op::Fconst(n as u64)),
                _ => Fold::Keep,
            };
        }
        match (refs.get(field - raws.len()), ty) {
            (Some(RefInit::Imm(n)), Ty::Ref) => Fold::Op(Op::RefImm(*n)),
            (Some(RefInit::Data(d)), Ty::Ref) => Fold::Op(Op::Data(*d)),
            _ => Fold::Keep,
        }
    }

    fn unary(&self, u: Unary, a: Value) -> Fold {
        let constant = match self.known(a) {
            Known::Int(n) => Some(n as u64),
            Known::Real(bits) => Some(bits),
            _ => None,
        };
        if let Some(x) = constant
            && !matches!(u, Unary::F32To64 | Unary::F64To32)
        {
            let y = interp::unary(u, x);
            return if u.types().1 == Ty::I64 { Fold::Int(y as i64) } else { Fold::Op(Op::Fconst(y)) };
        }
        match (u, self.known(a)) {
            (Unary::Neg, Known::Unary(Unary::Neg, x))
            | (Unary::Not, Known::Unary(Unary::Not, x))
            | (Unary::FNeg, Known::Unary(Unary::FNeg, x))
            | (Unary::FOfBits, Known::Unary(Unary::FToBits, x))
            | (Unary::FToBits, Known::Unary(Unary::FOfBits, x)) => Fold::Value(x),
            (Unary::Zext8, _) if self.most(a) <= 0xff => Fold::Value(a),
            (Unary::Zext16, _) if self.most(a) <= 0xffff => Fold::Value(a),
            (Unary::Zext32, _) if self.most(a) <= 0xffff_ffff => Fold::Value(a),
            (Unary::Sext8, _) if self.most(a) <= 0x7f => Fold::Value(a),
            (Unary::Sext16, _) if self.most(a) <= 0x7fff => Fold::Value(a),
            (Unary::Sext32, _) if self.most(a) <= 0x7fff_ffff => Fold::Value(a),
            _ => Fold::Keep,
        }
    }

    fn binary(&mut self, f: &mut Function, op: Binary, x: Value, y: Value, loc: Loc) -> Fold {
        if let (Known::Real(a), Known::Real(b)) = (self.known(x), self.known(y)) {
            return interp::binary(op, a, b).map_or(Fold::Keep, |bits| Fold::Op(Op::Fconst(bits)));
        }
        if op.ty() != Ty::I64 {
            return Fold::Keep;
        }
        let (a, b) = (self.int(x), self.int(y));
        if let (Some(a), Some(b)) = (a, b) {
            return Fold::Int(interp::binary(op, a as u64, b as u64).unwrap_or(0) as i64);
        }
        match (op, b) {
            // Dead behind its guard, but still here: any value will do (S9).
            (Binary::SDiv | Binary::SRem | Binary::UDiv | Binary::URem, Some(0)) => Fold::Int(0),
            (Binary::Shl | Binary::Shr | Binary::Sar, Some(n)) if n as u64 > 63 => Fold::Int(0),
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr | Binary::Sar, Some(0)) => Fold::Value(x),
            (Binary::Mul | Binary::And, Some(0)) => Fold::Int(0),
            (Binary::Mul | Binary::SDiv | Binary::UDiv, Some(1)) | (Binary::And, Some(-1)) => Fold::Value(x),
            (Binary::Or, Some(-1)) => Fold::Int(-1),
            (Binary::SRem | Binary::URem, Some(1)) => Fold::Int(0),
            (Binary::Sub, Some(n)) => {
                let minus = self.new_int(f, n.wrapping_neg(), loc);
                Fold::Op(Op::Binary(Binary::Add, x, minus))
            }
            (Binary::Mul, Some(n)) if n > 0 && n & (n - 1) == 0 => {
                let count = self.new_int(f, i64::from(n.trailing_zeros()), loc);
                Fold::Op(Op::Binary(Binary::Shl, x, count))
            }
            (Binary::UDiv, Some(n)) if (n as u64).is_power_of_two() => {
                let count = self.new_int(f, i64::from(n.trailing_zeros()), loc);
                Fold::Op(Op::Binary(Binary::Shr, x, count))
            }
            (Binary::URem, Some(n)) if (n as u64).is_power_of_two() => {
                let mask = self.new_int(f, n.wrapping_sub(1), loc);
                Fold::Op(Op::Binary(Binary::And, x, mask))
            }
            (Binary::And, Some(m)) if m >= 0 && (m as u64 + 1).is_power_of_two() && self.most(x) <= m as u64 => Fold::Value(x),
            (Binary::Xor, Some(1)) if self.most(x) <= 1 => self.negated(f, x, loc),
            (Binary::Add | Binary::And | Binary::Or | Binary::Xor, Some(n)) => match self.known(x) {
                Known::Binary(inner, z, m) if inner == op => match self.int(m).and_then(|m| interp::binary(op, m as u64, n as u64)) {
                    Some(both) => {
                        let both = self.new_int(f, both as i64, loc);
                        Fold::Op(Op::Binary(op, z, both))
                    }
                    None => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            (Binary::Sub | Binary::Xor, _) if x == y => Fold::Int(0),
            (Binary::And | Binary::Or, _) if x == y => Fold::Value(x),
            _ => Fold::Keep,
        }
    }

    /// 1 for 0 and 0 for 1.
    fn negated(&mut self, f: &mut Function, x: Value, loc: Loc) -> Fold {
        match self.known(x) {
            Known::Cmp(c, a, b) => Fold::Op(Op::Cmp(c.negated(), a, b)),
            _ => {
                let zero = self.new_int(f, 0, loc);
                Fold::Op(Op::Cmp(Cond::Eq, x, zero))
            }
        }
    }

    fn cmp(&mut self, f: &mut Function, c: Cond, x: Value, y: Value, loc: Loc) -> Fold {
        if let (Some(a), Some(b)) = (self.int(x), self.int(y)) {
            return Fold::Int(i64::from(c.holds(a, b)));
        }
        if x == y {
            return Fold::Int(i64::from(c.holds(0, 0)));
        }
        let Some(n) = self.int(y) else { return Fold::Keep };
        let most = self.most(x);
        // A value from 0 to `most`, as a signed one too.
        if most <= i64::MAX as u64 {
            let (low, high) = (c.holds(0, n), c.holds(most as i64, n));
            let decided = match c {
                Cond::Lt | Cond::Le | Cond::Gt | Cond::Ge => (low == high).then_some(low),
                Cond::ULt | Cond::ULe | Cond::UGt | Cond::UGe => (low == high).then_some(low),
                Cond::Eq if n < 0 || n as u64 > most => Some(false),
                Cond::Ne if n < 0 || n as u64 > most => Some(true),
                _ => None,
            };
            if let Some(holds) = decided {
                return Fold::Int(i64::from(holds));
            }
        }
        if most <= 1 {
            return match (c, n) {
                (Cond::Ne, 0) | (Cond::Eq, 1) | (Cond::Gt | Cond::UGt, 0) | (Cond::Ge | Cond::UGe, 1) => Fold::Value(x),
                (Cond::Eq, 0) | (Cond::Ne, 1) => match self.known(x) {
                    Known::Cmp(c, a, b) => Fold::Op(Op::Cmp(c.negated(), a, b)),
                    _ if (c, n) == (Cond::Eq, 0) => Fold::Keep,
                    _ => {
                        let zero = self.new_int(f, 0, loc);
                        Fold::Op(Op::Cmp(Cond::Eq, x, zero))
                    }
                },
                _ => Fold::Keep,
            };
        }
        match (c, n) {
            (Cond::ULt, 0) => Fold::Int(0),
            (Cond::UGe, 0) => Fold::Int(1),
            (Cond::ULe, 0) => Fold::Op(Op::Cmp(Cond::Eq, x, y)),
            (Cond::UGt, 0) => Fold::Op(Op::Cmp(Cond::Ne, x, y)),
            // x + k = n is x = n - k; likewise for the others only without overflow, which is not known here.
            (Cond::Eq | Cond::Ne, n) => match self.known(x) {
                Known::Binary(Binary::Add, z, k) => match self.int(k) {
                    Some(k) => {
                        let n = self.new_int(f, n.wrapping_sub(k), loc);
                        Fold::Op(Op::Cmp(c, z, n))
                    }
                    None => Fold::Keep,
                },
                _ => Fold::Keep,
            },
            _ => Fold::Keep,
        }
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

fn is_address(k: Known) -> bool {
    matches!(k, Known::Data(_) | Known::Alloc(_) | Known::Address)
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
        filter_params(f, &keep);
    }
    any
}

/// Keeps the parameters (and the arguments of every edge) that the masks keep.
pub(crate) fn filter_params(f: &mut Function, keep: &[Option<Vec<bool>>]) {
    for block in &mut f.blocks {
        block.term.each_target_mut(|t| {
            if let Some(mask) = &keep[t.block.0 as usize] {
                let given = mask.len() - t.args.len();
                let mut i = given;
                t.args.retain(|_| {
                    i += 1;
                    mask[i - 1]
                });
            }
        });
    }
    for (block, mask) in f.blocks.iter_mut().zip(keep) {
        if let Some(mask) = mask {
            let mut i = 0;
            block.params.retain(|_| {
                i += 1;
                mask[i - 1]
            });
        }
    }
}

/// Whether all uses of a block's parameters are in the block itself.
fn params_stay(f: &Function, b: Block, uses: &[u32]) -> bool {
    let block = &f[b];
    if block.params.is_empty() {
        return true;
    }
    let mut here: SmallVec<[u32; 8]> = SmallVec::from_elem(0, block.params.len());
    let mut count = |v: Value| {
        if let Some(i) = block.params.iter().position(|&p| p == v) {
            here[i] += 1;
        }
    };
    block.insts.iter().for_each(|inst| inst.op.each_operand(&mut count));
    block.term.each_operand(&mut count);
    block.params.iter().zip(&here).all(|(p, &n)| uses[p.0 as usize] == n)
}

/// What a block that only passes control on does with an edge.
fn forward(f: &Function, ints: &[Option<i64>], stays: &mut [Option<bool>], uses: &[u32], t: &Target) -> Option<Target> {
    let block = &f[t.block];
    if block.insts.len() > 2 || t.block == f.entry || block.params.len() != t.args.len() {
        return None;
    }
    match &block.term {
        Term::Jump(next) if next.block != t.block && block.insts.is_empty() => {}
        Term::Branch(..) => {}
        Term::Switch(..) if block.insts.is_empty() => {}
        _ => return None,
    }
    let stay = *stays[t.block.0 as usize].get_or_insert_with(|| {
        params_stay(f, t.block, uses)
            && block.insts.iter().all(|i| i.results.iter().all(|&r| {
                // Results must be used in the block's own instructions and terminator only, not as arguments.
                let mut n = 0;
                block.insts.iter().for_each(|i| i.op.each_operand(|v| n += u32::from(v == r)));
                match &block.term {
                    Term::Branch(c, ..) => n += u32::from(*c == r),
                    Term::Switch(c, ..) => n += u32::from(*c == r),
                    _ => {}
                }
                uses[r.0 as usize] == n
            }))
    });
    if !stay {
        return None;
    }
    let arg = |v: Value| block.params.iter().position(|&p| p == v).map_or(v, |i| t.args[i]);
    // The few instructions before a branch are evaluated on this edge.
    let mut local: SmallVec<[(Value, i64); 4]> = SmallVec::new();
    let int = |v: Value, local: &[(Value, i64)]| match local.iter().find(|l| l.0 == v) {
        Some(l) => Some(l.1),
        None => ints.get(arg(v).0 as usize).copied().flatten(),
    };
    for inst in &block.insts {
        let value = match &inst.op {
            Op::Iconst(n) => *n,
            Op::Cmp(c, x, y) => i64::from(c.holds(int(*x, &local)?, int(*y, &local)?)),
            _ => return None,
        };
        local.push((inst.results[0], value));
    }
    let next = match &block.term {
        Term::Jump(next) => next,
        Term::Branch(c, yes, no) => {
            if int(*c, &local)? != 0 {
                yes
            } else {
                no
            }
        }
        Term::Switch(c, cases, default) => {
            let n = int(*c, &local)?;
            cases.iter().find(|x| x.0 == n).map_or(default, |x| &x.1)
        }
        _ => return None,
    };
    Some(Target { block: next.block, args: next.args.iter().map(|&v| arg(v)).collect() })
}

/// Threads jumps through empty blocks and through branches that a constant argument decides.
fn thread(f: &mut Function) -> bool {
    let mut changed = false;
    let passes_on = |(i, b): (usize, &BlockData)| {
        i != f.entry.0 as usize
            && b.insts.len() <= 2
            && matches!(b.term, Term::Jump(_) | Term::Branch(..) | Term::Switch(..) | Term::Return(_) | Term::RaiseBuiltin(_))
            && (b.insts.is_empty() || matches!(b.term, Term::Branch(..)) && !b.params.is_empty())
    };
    if !f.blocks.iter().enumerate().any(passes_on) {
        return false;
    }
    let mut uses = crate::cfg::use_counts(f);
    let ints = crate::cfg::int_constants(f);
    let mut stays: Vec<Option<bool>> = vec![None; f.blocks.len()];
    for b in 0..f.blocks.len() as u32 {
        let b = Block(b);
        let mut term = std::mem::replace(&mut f[b].term, Term::Unreachable);
        let invoke = matches!(term, Term::Invoke { .. });
        let mut before: SmallVec<[Value; 8]> = SmallVec::new();
        term.each_operand(|v| before.push(v));
        let mut touched = false;
        term.each_target_mut(|t| {
            // A chain of a few; longer ones in the next round. Block `b` itself has no terminator now.
            for _ in 0..4 {
                if t.block == b || (invoke && !f[t.block].params.is_empty()) {
                    break;
                }
                match forward(f, &ints, &mut stays, &uses, t) {
                    Some(next) if !(invoke && !next.args.is_empty()) => {
                        *t = next;
                        touched = true;
                    }
                    _ => break,
                }
            }
        });
        // A jump to a block that only returns returns.
        if let Term::Jump(t) = &term
            && t.block != b
            && f[t.block].insts.is_empty()
        {
            let target = &f[t.block];
            let arg = |v: Value| target.params.iter().position(|&p| p == v).map_or(v, |i| t.args[i]);
            match &target.term {
                Term::Return(vs) => {
                    term = Term::Return(vs.iter().map(|&v| arg(v)).collect());
                    touched = true;
                }
                Term::RaiseBuiltin(e) => {
                    term = Term::RaiseBuiltin(*e);
                    touched = true;
                }
                _ => {}
            }
        }
        if touched {
            changed = true;
            before.iter().for_each(|v| uses[v.0 as usize] -= 1);
            term.each_operand(|v| uses[v.0 as usize] += 1);
        }
        f[b].term = term;
    }
    changed
}

/// Appends a block to the only block that jumps to it; answers whether parameters became something else by it.
fn merge(f: &mut Function, cfg: &mut Cfg) -> bool {
    cfg.compute(f);
    // Threading may have left blocks without a way to them; their jumps must not count.
    for b in 0..f.blocks.len() as u32 {
        if !cfg.reachable(Block(b)) {
            f[Block(b)] = BlockData::default();
        }
    }
    let mut subst: Vec<Value> = Vec::new();
    let mut gone = vec![false; f.blocks.len()];
    for &b in &cfg.rpo {
        if gone[b.0 as usize] {
            continue;
        }
        while let Term::Jump(t) = &f[b].term {
            let next = t.block;
            if next == f.entry || next == b || cfg.preds(next).len() != 1 {
                break;
            }
            let Term::Jump(t) = std::mem::replace(&mut f[b].term, Term::Unreachable) else { unreachable!("just seen") };
            let block = std::mem::take(&mut f[next]);
            if subst.is_empty() {
                subst = (0..f.values.len() as u32).map(Value).collect();
            }
            for (&p, &a) in block.params.iter().zip(&t.args) {
                subst[p.0 as usize] = a;
            }
            f[b].insts.extend(block.insts);
            f[b].term = block.term;
            // A block that is always followed by a cold one is as hot as itself.
            gone[next.0 as usize] = true;
        }
    }
    if !gone.iter().any(|&g| g) {
        return false;
    }
    let any = subst.iter().enumerate().any(|(i, v)| v.0 as usize != i);
    if any {
        substitute(f, &mut subst);
    }
    any
}

/// Replaces values everywhere; chains are followed.
pub(crate) fn substitute(f: &mut Function, subst: &mut [Value]) {
    let mut resolve = |v: Value| {
        let mut at = v;
        while subst[at.0 as usize] != at {
            at = subst[at.0 as usize];
        }
        let mut from = v;
        while subst[from.0 as usize] != at {
            from = std::mem::replace(&mut subst[from.0 as usize], at);
        }
        at
    };
    for block in &mut f.blocks {
        block.insts.iter_mut().for_each(|inst| inst.op.map_operands(&mut resolve));
        block.term.map_operands(&mut resolve);
    }
}

/// Drops instructions and parameters that nothing needs: marks from the effects backwards.
pub(crate) fn dead_code(f: &mut Function) -> bool {
    dead_code_in(f, &mut Pool::default())
}

fn dead_code_in(f: &mut Function, pool: &mut Pool) -> bool {
    let n = f.values.len();
    let mut place = table(&mut pool.place, n, Place::None);
    // Edges into each block: (block, number of the target).
    let mut edges = table(&mut pool.edges, f.blocks.len(), SmallVec::new());
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, &p) in block.params.iter().enumerate() {
            place[p.0 as usize] = Place::Param(b as u32, i as u32);
        }
        for (i, inst) in block.insts.iter().enumerate() {
            inst.results.iter().for_each(|r| place[r.0 as usize] = Place::Inst(b as u32, i as u32));
        }
        let mut k = 0;
        block.term.each_target(|t| {
            edges[t.block.0 as usize].push((b as u32, k));
            k += 1;
        });
    }
    let mut live = table(&mut pool.live, n, false);
    let mut work = table(&mut pool.work, 0, Value(0));
    let mut mark = |v: Value, work: &mut Vec<Value>| {
        if !std::mem::replace(&mut live[v.0 as usize], true) {
            work.push(v);
        }
    };
    for block in &f.blocks {
        for inst in &block.insts {
            if matches!(inst.op.effect(), Effect::Writes | Effect::Guards) {
                inst.op.each_operand(|v| mark(v, &mut work));
            }
        }
        // Operands of the terminator, but not the arguments of its targets.
        match &block.term {
            Term::Branch(v, ..) | Term::Switch(v, ..) | Term::Raise(v) => mark(*v, &mut work),
            Term::Return(vs) => vs.iter().for_each(|&v| mark(v, &mut work)),
            Term::TailCall(callee, args) | Term::Invoke { callee, args, .. } => {
                callee.each_operand(|v| mark(v, &mut work));
                args.iter().for_each(|&v| mark(v, &mut work));
            }
            Term::Jump(_) | Term::RaiseBuiltin(_) | Term::Unreachable => {}
        }
    }
    // What an invoke gives stays, though unused; so what other edges give in its place is needed.
    let mut given: Vec<usize> = vec![0; f.blocks.len()];
    for block in &f.blocks {
        block.term.each_target(|t| {
            let most = &mut given[t.block.0 as usize];
            *most = (*most).max(f[t.block].params.len() - t.args.len());
        });
    }
    for (b, &count) in given.iter().enumerate() {
        f.blocks[b].params[..count].iter().for_each(|&v| mark(v, &mut work));
    }
    while let Some(v) = work.pop() {
        match place[v.0 as usize] {
            Place::None => {}
            Place::Inst(b, i) => {
                let op = &f.blocks[b as usize].insts[i as usize].op;
                if !matches!(op.effect(), Effect::Writes | Effect::Guards) {
                    op.each_operand(|v| mark(v, &mut work));
                }
            }
            Place::Param(b, i) => {
                let count = f.blocks[b as usize].params.len();
                for &(from, k) in &edges[b as usize] {
                    let mut at = 0;
                    f.blocks[from as usize].term.each_target(|t| {
                        if at == k {
                            let given = count - t.args.len();
                            if let Some(j) = (i as usize).checked_sub(given) {
                                mark(t.args[j], &mut work);
                            }
                        }
                        at += 1;
                    });
                }
            }
        }
    }
    let mut changed = false;
    for block in &mut f.blocks {
        let before = block.insts.len();
        block.insts.retain_mut(|inst| {
            // An addition whose overflow nobody looks at wraps.
            if let Op::Ovf(op, a, b) = inst.op
                && !live[inst.results[1].0 as usize]
                && live[inst.results[0].0 as usize]
            {
                let op = match op {
                    Ovf::Add => Binary::Add,
                    Ovf::Sub => Binary::Sub,
                    Ovf::Mul => Binary::Mul,
                };
                inst.op = Op::Binary(op, a, b);
                inst.results.pop();
                changed = true;
            }
            matches!(inst.op.effect(), Effect::Writes | Effect::Guards) || inst.results.iter().any(|r| live[r.0 as usize])
        });
        changed |= block.insts.len() != before;
    }
    let mut keep: Vec<Option<Vec<bool>>> = Vec::new();
    let mut any = false;
    for (b, block) in f.blocks.iter().enumerate() {
        if b == f.entry.0 as usize || block.params.iter().all(|p| live[p.0 as usize]) {
            continue;
        }
        let mask: Vec<bool> = block.params.iter().map(|p| live[p.0 as usize]).collect();
        if mask.iter().any(|k| !k) {
            keep.resize(f.blocks.len(), None);
            keep[b] = Some(mask);
            any = true;
        }
    }
    if any {
        filter_params(f, &keep);
        changed = true;
    }
    pool.place = place;
    pool.edges = edges;
    pool.live = live;
    pool.work = work;
    changed
}
