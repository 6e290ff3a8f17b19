//! Global value numbering: what was computed on the way here is not computed again; what a branch decided is known.
//!
//! Ssa -> Ssa. One walk down the dominator tree with a scoped table, after Briggs, Cooper and Simpson, Value
//! numbering, 1997. Immutable loads, lengths, pure leaf calls and checked arithmetic are values like others; a mutable
//! load holds until a store of its kind or a call; a stored value is what the next load gives. Below a branch its
//! condition is a constant, and so is every comparison that it implies; behind a guard likewise.
//!
//! Differences: memory has a number for each kind of place, not one; a block with several predecessors begins anew.

use crate::cfg::{Cfg, Dominators};
use crate::ir::*;
use crate::ops::Effect;
use crate::opt::dead::table;
use rustc_hash::FxHashMap;

/// An operation without its results: a number for it, its operands, its constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u32, u32, u32, u32, u64);

const KINDS: usize = 16;
/// The version of each kind of memory: record fields by type, array elements by their type.
type Memory = [u32; KINDS];

fn field_kind(ty: Ty) -> usize {
    match ty {
        Ty::I64 => 0,
        Ty::F64 => 1,
        Ty::F32 => 2,
        Ty::Ref => 3,
    }
}

fn elem_kind(elem: Elem) -> usize {
    4 + elem as usize
}

/// Kept from one function to the next: most functions are small, and making the tables would cost more than filling
/// them.
#[derive(Default)]
struct Gvn {
    table: FxHashMap<Key, (Value, Value)>,
    /// What to restore when a subtree is left.
    undo: Vec<(Key, Option<(Value, Value)>)>,
    /// Constants that hold in the current subtree.
    facts: Vec<Option<i64>>,
    fact_undo: Vec<(Value, Option<i64>)>,
    /// Truth of comparisons in normal form.
    known: FxHashMap<(u8, Value, Value), bool>,
    known_undo: Vec<((u8, Value, Value), Option<bool>)>,
    subst: Vec<Value>,
    /// The constant that each value is.
    ints: Vec<Option<i64>>,
    /// The comparison that each value is.
    compares: Vec<Option<(Cond, Value, Value)>>,
    memory: Memory,
    version: u32,
    changed: bool,
    cfg: Cfg,
    /// What memory is at the end of each block.
    exits: Vec<Memory>,
}

/// One function; whether it has changed.
pub fn function(f: &mut Function) -> bool {
    if f.blocks.is_empty() {
        return false;
    }
    let mut g = POOL.take();
    let mut cfg = std::mem::take(&mut g.cfg);
    cfg.compute(f);
    let dom = Dominators::new(f, &cfg);
    g.begin(f.values.len());
    let mut exits = table(&mut g.exits, f.blocks.len(), [0; KINDS]);
    // Marks of the open ancestors: (depth, undo lengths).
    let mut open: Vec<(u32, usize, usize, usize)> = Vec::new();
    for &b in &dom.preorder {
        let depth = dom.depth[b.0 as usize];
        while let Some(&(d, undo, facts, known)) = open.last() {
            if d < depth {
                break;
            }
            g.leave(undo, facts, known);
            open.pop();
        }
        open.push((depth, g.undo.len(), g.fact_undo.len(), g.known_undo.len()));
        match cfg.preds(b) {
            // What the scope has stored before it raised is not known.
            [pred] if matches!(&f[*pred].term, Term::Scope { handler, .. } if handler.block == b) => g.forget(),
            [pred] => {
                g.memory = exits[pred.0 as usize];
                g.edge(f, *pred, b);
            }
            _ => g.forget(),
        }
        g.block(f, b);
        exits[b.0 as usize] = g.memory;
    }
    if g.changed {
        crate::opt::simplify::substitute(f, &mut g.subst);
    }
    let changed = g.changed;
    g.cfg = cfg;
    g.exits = exits;
    POOL.set(g);
    changed
}

thread_local! {
    static POOL: std::cell::Cell<Gvn> = std::cell::Cell::default();
}

fn out_of_range(op: Binary, n: Option<i64>) -> bool {
    match op {
        Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem | Binary::UDiv | Binary::URem => n == Some(0),
        Binary::NDiv | Binary::NRem => n.is_some_and(|n| n < 2),
        Binary::Shl | Binary::Shr | Binary::Sar => n.is_some_and(|n| n as u64 > 63),
        _ => false,
    }
}

impl Gvn {
    /// Nothing is known of a function's values.
    fn begin(&mut self, values: usize) {
        // To clear a hash table takes as long as it is large, which a large function has made it.
        if self.table.capacity() + self.known.capacity() > 1 << 12 {
            (self.table, self.known) = Default::default();
        }
        self.table.clear();
        self.known.clear();
        self.undo.clear();
        self.fact_undo.clear();
        self.known_undo.clear();
        self.facts = table(&mut self.facts, values, None);
        self.ints = table(&mut self.ints, values, None);
        self.compares = table(&mut self.compares, values, None);
        self.subst.clear();
        self.subst.extend((0..values as u32).map(Value));
        self.memory = [0; KINDS];
        self.version = 0;
        self.changed = false;
    }

    fn leave(&mut self, undo: usize, facts: usize, known: usize) {
        for (key, old) in self.undo.drain(undo..).rev() {
            match old {
                Some(v) => self.table.insert(key, v),
                None => self.table.remove(&key),
            };
        }
        for (v, old) in self.fact_undo.drain(facts..).rev() {
            self.facts[v.0 as usize] = old;
        }
        for (key, old) in self.known_undo.drain(known..).rev() {
            match old {
                Some(v) => self.known.insert(key, v),
                None => self.known.remove(&key),
            };
        }
    }

    fn forget(&mut self) {
        self.version += 1;
        self.memory = [self.version; KINDS];
    }

    fn write(&mut self, kind: usize) {
        self.version += 1;
        self.memory[kind] = self.version;
    }

    fn resolve(&self, v: Value) -> Value {
        let mut at = v;
        while self.subst[at.0 as usize] != at {
            at = self.subst[at.0 as usize];
        }
        at
    }

    fn learn(&mut self, v: Value, n: i64) {
        self.fact_undo.push((v, self.facts[v.0 as usize]));
        self.facts[v.0 as usize] = Some(n);
    }

    /// In normal form: a number for equal, less, less unsigned; the operands; whether it is negated.
    fn normal(c: Cond, a: Value, b: Value) -> ((u8, Value, Value), bool) {
        let eq = |a: Value, b: Value| if a <= b { (0, a, b) } else { (0, b, a) };
        match c {
            Cond::Eq => (eq(a, b), false),
            Cond::Ne => (eq(a, b), true),
            Cond::Lt => ((1, a, b), false),
            Cond::Ge => ((1, a, b), true),
            Cond::Gt => ((1, b, a), false),
            Cond::Le => ((1, b, a), true),
            Cond::ULt => ((2, a, b), false),
            Cond::UGe => ((2, a, b), true),
            Cond::UGt => ((2, b, a), false),
            Cond::ULe => ((2, b, a), true),
        }
    }

    fn set_known(&mut self, key: (u8, Value, Value), truth: bool) {
        let old = self.known.insert(key, truth);
        self.known_undo.push((key, old));
    }

    /// The value is 0, or is not.
    fn assume(&mut self, v: Value, zero: bool) {
        if let Some((c, a, b)) = self.compares[v.0 as usize] {
            self.learn(v, i64::from(!zero));
            let ((kind, a, b), negated) = Self::normal(c, a, b);
            let truth = negated == zero;
            self.set_known((kind, a, b), truth);
            let eq = |a: Value, b: Value| if a <= b { (0, a, b) } else { (0, b, a) };
            match (kind, truth) {
                (0, true) => {
                    for kind in [1, 2] {
                        self.set_known((kind, a, b), false);
                        self.set_known((kind, b, a), false);
                    }
                }
                (1 | 2, true) => {
                    self.set_known(eq(a, b), false);
                    self.set_known((kind, b, a), false);
                }
                _ => {}
            }
        } else if zero {
            self.learn(v, 0);
        }
    }

    /// What the only edge into a block says.
    fn edge(&mut self, f: &Function, pred: Block, b: Block) {
        match &f[pred].term {
            Term::Branch(c, yes, no) if yes.block != no.block => self.assume(*c, no.block == b),
            Term::Switch(v, cases, default) => {
                let mut hits = cases.iter().filter(|c| c.1.block == b);
                if let (Some((n, _)), None) = (hits.next(), hits.next())
                    && default.block != b
                {
                    self.learn(*v, *n);
                }
            }
            _ => {}
        }
    }

    /// The operand as it is here: a constant when it is known.
    fn operand(&mut self, f: &mut Function, out: &mut Vec<Inst>, v: Value) -> Value {
        let v = self.resolve(v);
        let Some(n) = self.facts[v.0 as usize] else { return v };
        let key = Key(1, 0, 0, 0, n as u64);
        self.changed = true;
        if let Some(&(c, _)) = self.table.get(&key) {
            return c;
        }
        let inst = f.make(Op::Iconst(n), &[Ty::I64], Loc::default());
        let c = inst.results[0];
        out.push(inst);
        self.facts.push(None);
        self.ints.push(Some(n));
        self.compares.push(None);
        self.subst.push(c);
        self.insert(key, (c, c));
        c
    }

    fn insert(&mut self, key: Key, value: (Value, Value)) {
        let old = self.table.insert(key, value);
        self.undo.push((key, old));
    }

    fn block(&mut self, f: &mut Function, b: Block) {
        let insts = std::mem::take(&mut f[b].insts);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            inst.op.map_operands(|v| self.operand(f, &mut out, v));
            // Dead behind its guard, but still here: any value will do (S9).
            if let Op::Binary(op, _, y) = inst.op
                && out_of_range(op, self.ints[y.0 as usize])
            {
                inst.op = Op::Iconst(0);
            }
            if let Op::Iconst(n) = inst.op {
                self.ints[inst.results[0].0 as usize] = Some(n);
            }
            match &mut inst.op {
                Op::Guard(c, _) => {
                    let c = *c;
                    if let Op::Iconst(0) = self.constant_of(&out, c) {
                        self.changed = true;
                        continue;
                    }
                    out.push(inst);
                    self.assume(c, true);
                    continue;
                }
                Op::Cmp(c, x, y) => {
                    let (key, negated) = Self::normal(*c, *x, *y);
                    if let Some(&truth) = self.known.get(&key) {
                        let n = i64::from(truth != negated);
                        inst.op = Op::Iconst(n);
                        self.ints[inst.results[0].0 as usize] = Some(n);
                    } else {
                        self.compares[inst.results[0].0 as usize] = Some((*c, *x, *y));
                    }
                }
                _ => {}
            }
            if let Some(key) = self.key(f, &inst.op) {
                if let Some(&(v, w)) = self.table.get(&key) {
                    self.subst[inst.results[0].0 as usize] = v;
                    if let Some(&second) = inst.results.get(1) {
                        self.subst[second.0 as usize] = w;
                    }
                    self.changed = true;
                    continue;
                }
                let first = inst.results[0];
                self.insert(key, (first, inst.results.get(1).copied().unwrap_or(first)));
            } else {
                self.effects(f, &inst.op);
            }
            // A new cell holds what it was made with.
            if let Op::Alloc { raws, refs, .. } = &inst.op {
                for (field, &v) in raws.iter().chain(refs).enumerate() {
                    let kind = field_kind(f.ty(v));
                    let key = Key(60 + kind as u32, inst.results[0].0, field as u32, self.memory[kind], 0);
                    self.insert(key, (v, v));
                }
            }
            out.push(inst);
        }
        let mut term = std::mem::replace(&mut f[b].term, Term::Unreachable);
        term.map_operands(|v| self.operand(f, &mut out, v));
        if matches!(term, Term::Invoke { .. }) {
            self.forget();
        }
        f[b].term = term;
        f[b].insts = out;
    }

    /// The constant among the last few instructions, where `operand` puts it; anything else when it is none.
    fn constant_of(&self, out: &[Inst], v: Value) -> Op {
        if self.table.get(&Key(1, 0, 0, 0, 0)).is_some_and(|c| c.0 == v) {
            return Op::Iconst(0);
        }
        out.iter().rev().take(4).find(|i| i.results.first() == Some(&v)).map_or(Op::Poll, |i| i.op.clone())
    }

    fn effects(&mut self, f: &Function, op: &Op) {
        match op {
            Op::Store { obj, field, value, .. } => {
                let ty = f.ty(*value);
                self.write(field_kind(ty));
                let key = Key(60 + field_kind(ty) as u32, obj.0, *field, self.memory[field_kind(ty)], 0);
                self.insert(key, (*value, *value));
            }
            Op::Cas { ty, .. } => self.write(field_kind(*ty)),
            Op::ElemStore { elem, array, index, value, .. } => {
                self.write(elem_kind(*elem));
                // What a narrow element gives back is not what was stored, unless it is a whole word.
                if matches!(elem, Elem::I64 | Elem::F64 | Elem::Ref) {
                    let kind = elem_kind(*elem);
                    self.insert(Key(70 + kind as u32, array.0, index.0, self.memory[kind], 0), (*value, *value));
                }
            }
            op if op.effect() == Effect::Writes => self.forget(),
            _ => {}
        }
    }

    /// The key of an operation whose value may be shared.
    fn key(&self, f: &Function, op: &Op) -> Option<Key> {
        Some(match *op {
            Op::Iconst(n) => Key(1, 0, 0, 0, n as u64),
            Op::Fconst(bits) => Key(2, 0, 0, 0, bits),
            Op::F32const(bits) => Key(3, 0, 0, 0, u64::from(bits)),
            Op::RefImm(n) => Key(4, 0, 0, 0, n),
            Op::Data(d) => Key(5, d.0, 0, 0, 0),
            Op::FuncAddr(g) => Key(6, g.0, 0, 0, 0),
            Op::Unary(u, a) => Key(7, a.0, 0, 0, u as u64),
            Op::Binary(b, x, y) => {
                let (x, y) = if b.commutes() && x > y { (y, x) } else { (x, y) };
                Key(8, x.0, y.0, 0, b as u64)
            }
            Op::Ovf(o, x, y) => {
                let (x, y) = if o != Ovf::Sub && x > y { (y, x) } else { (x, y) };
                Key(9, x.0, y.0, 0, o as u64)
            }
            Op::Cmp(c, x, y) => {
                let ((kind, x, y), negated) = Self::normal(c, x, y);
                Key(10, x.0, y.0, u32::from(kind), u64::from(negated))
            }
            Op::FCmp(c, x, y) => Key(11, x.0, y.0, 0, c as u64),
            Op::RefEq(x, y) => Key(12, x.0.min(y.0), x.0.max(y.0), 0, 0),
            Op::IsImm(x) => Key(13, x.0, 0, 0, 0),
            Op::ImmValue(x) => Key(14, x.0, 0, 0, 0),
            Op::Select(c, x, y) => Key(15, c.0, x.0, y.0, 0),
            Op::Tag(x) => Key(16, x.0, 0, 0, 0),
            Op::Length(x) => Key(17, x.0, 0, 0, 0),
            Op::Load { ty, obj, field, mutable: false } => Key(20 + field_kind(ty) as u32, obj.0, field, 0, 0),
            Op::Load { ty, obj, field, mutable: true } => {
                Key(60 + field_kind(ty) as u32, obj.0, field, self.memory[field_kind(ty)], 0)
            }
            Op::ElemLoad { elem, array, index, mutable: false } => Key(30 + elem as u32, array.0, index.0, 0, 0),
            Op::ElemLoad { elem, array, index, mutable: true } => {
                let kind = elem_kind(elem);
                Key(70 + kind as u32, array.0, index.0, self.memory[kind], 0)
            }
            Op::GlobalLoad(g) => Key(50, g.0, 0, 0, 0),
            Op::ExnDesc(b) => Key(51, b as u32, 0, 0, 0),
            Op::ExnPacket(b) => Key(52, b as u32, 0, 0, 0),
            Op::Call(Callee::Prim(p), ref args) if op.effect() == Effect::Pure && args.len() <= 3 => {
                let arg = |i: usize| args.get(i).map_or(0, |v| v.0);
                Key(54, arg(0), arg(1), arg(2), p as u64)
            }
            _ => {
                let _ = f;
                return None;
            }
        })
    }
}
