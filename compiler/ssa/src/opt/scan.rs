//! Scans: a loop that only looks for a byte goes over sixteen bytes at once.
//!
//! Ssa -> Ssa, before `unroll`. A loop that steps through an array of bytes up to a limit, and that leaves for some
//! bytes and goes on for the others, is run for each of the 256 bytes; so whatever the test is (comparisons, masks,
//! selections), what comes out is the set of bytes that end it. Where sixteen bytes are left, `find_byte` says which is
//! the first of the set; the loop itself looks at that one again and leaves. The first bytes and the last ones are
//! looked at one by one.
//!
//! ```text
//! before: jump header(i)                    before: most = min(stop, length a) - 17; jump header(i)
//! header(i): c = a[i]; ... exits ...   =>   header(i): as it was
//! latch: i' = i + 1                         latch: likewise, but goes on to `test`
//!        branch i' < stop, header(i'), ..   test(i):  branch i <= most, many(i), header(i)
//!                                           many(i):  k = find_byte a[i], set; branch k = 16, next(), found()
//!                                           next():   branch i + 16 <= most, many(i + 16), header(i + 16)
//!                                           found():  jump header(i + k)
//! ```
//!
//! Two iterations are peeled first. Keeps: no byte behind the array's end is read, whatever the limit is.

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::interp;
use crate::ir::*;
use crate::ops::Effect;
use crate::opt::{peel, rotate, simplify};
use rustc_hash::FxHashMap;

/// Most blocks and instructions of a loop that is looked at.
const MAX_BLOCKS: usize = 12;
const MAX_INSTS: usize = 40;
/// Bytes at once.
const STEP: i64 = 16;

/// Bytes that are looked at before the loop, one after the other: most gaps are one wide, many words are short.
const FIRST: usize = 2;

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    let bytes = |i: &Inst| matches!(i.op, Op::ElemLoad { elem: Elem::U8, .. });
    if !rotate::has_back_edge(f) || !f.blocks.iter().any(|b| b.insts.iter().any(bytes)) {
        return;
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    let ints = crate::cfg::int_constants(f);
    let (chosen, scans): (Vec<Loop>, Vec<Scan>) =
        loops.leaves().filter_map(|l| Some((l.clone(), scan(f, l, &ints)?))).unzip();
    if chosen.is_empty() {
        return;
    }
    for _ in 0..FIRST {
        peel::peel(f, &chosen);
    }
    for (l, scan) in chosen.iter().zip(&scans) {
        widen(f, l, scan);
    }
    simplify::function(f, datas);
}

/// What a loop is.
struct Scan {
    array: Value,
    stop: Stop,
    /// What ends it.
    set: ByteSet,
}

#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Value(Value),
    Int(i64),
}

/// What a value is while a known byte is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Sym {
    Unknown,
    Int(i64),
    /// The index, and how much further.
    Index(i64),
    /// From outside of the loop.
    Outside(Value),
    /// Whether the next index is below the limit.
    GoesOn(Stop, bool),
}

fn scan(f: &Function, l: &Loop, ints: &[Option<i64>]) -> Option<Scan> {
    let header = &f[l.header];
    let size: usize = l.blocks.iter().map(|&b| f[b].insts.len()).sum();
    let [index] = header.params[..] else { return None };
    let plain = |&b: &Block| !f[b].cold && f[b].handler == header.handler;
    if l.header == f.entry || l.blocks.len() > MAX_BLOCKS || size > MAX_INSTS || !l.blocks.iter().all(plain) {
        return None;
    }
    let mut run = Run { f, l, ints, index, known: FxHashMap::default(), array: None, stop: None };
    for &b in &l.blocks {
        let values = f[b].params.iter().copied().chain(f[b].insts.iter().flat_map(|i| i.results.iter().copied()));
        run.known.extend(values.map(|v| (v, Sym::Unknown)));
    }
    let mut ends = [false; 256];
    for (byte, end) in ends.iter_mut().enumerate() {
        *end = run.ends(byte as i64)?;
    }
    let set = ByteSet::of(|byte| ends[byte as usize])?;
    Some(Scan { array: run.array?, stop: run.stop?, set })
}

/// Runs of the loop's body.
struct Run<'a> {
    f: &'a Function,
    l: &'a Loop,
    ints: &'a [Option<i64>],
    index: Value,
    /// Of the values that the loop defines.
    known: FxHashMap<Value, Sym>,
    array: Option<Value>,
    stop: Option<Stop>,
}

impl Run<'_> {
    fn sym(&self, v: Value) -> Sym {
        match (self.ints[v.0 as usize], self.known.get(&v)) {
            (Some(n), _) => Sym::Int(n),
            (None, Some(&sym)) => sym,
            (None, None) => Sym::Outside(v),
        }
    }

    /// Whether this byte ends the loop; None when the loop is no scan.
    fn ends(&mut self, byte: i64) -> Option<bool> {
        let mut at = self.l.header;
        self.known.insert(self.index, Sym::Index(0));
        // No block twice: it would be the header again.
        for _ in 0..self.l.blocks.len() {
            let block = &self.f[at];
            for inst in &block.insts {
                let sym = self.op(&inst.op, byte)?;
                self.known.extend(inst.results.iter().map(|&r| (r, sym)));
            }
            let t = match &block.term {
                Term::Jump(t) => t,
                Term::Branch(c, yes, no) => match self.sym(*c) {
                    Sym::Int(n) => {
                        if n != 0 {
                            yes
                        } else {
                            no
                        }
                    }
                    Sym::GoesOn(stop, when) => {
                        let back = if when { yes } else { no };
                        let same = *self.stop.get_or_insert(stop) == stop;
                        let next = back.block == self.l.header && self.sym(*back.args.first()?) == Sym::Index(1);
                        let out = if when { no } else { yes };
                        return (same && next && !self.l.blocks.contains(&out.block)).then_some(false);
                    }
                    _ => return None,
                },
                Term::Switch(v, cases, default) => match self.sym(*v) {
                    Sym::Int(n) => cases.iter().find(|c| c.0 == n).map_or(default, |c| &c.1),
                    _ => return None,
                },
                _ => return None,
            };
            if !self.l.blocks.contains(&t.block) {
                return Some(true);
            }
            let args: Vec<Sym> = t.args.iter().map(|&v| self.sym(v)).collect();
            for (&p, sym) in self.f[t.block].params.iter().zip(args) {
                self.known.insert(p, sym);
            }
            at = t.block;
        }
        None
    }

    /// What an operation gives; None when it does more than that.
    fn op(&mut self, op: &Op, byte: i64) -> Option<Sym> {
        Some(match *op {
            Op::Iconst(n) => Sym::Int(n),
            Op::ElemLoad { elem: Elem::U8, array, index, .. } if self.sym(index) == Sym::Index(0) => {
                let Sym::Outside(array) = self.sym(array) else { return None };
                if *self.array.get_or_insert(array) != array {
                    return None;
                }
                Sym::Int(byte)
            }
            Op::Unary(op, x) => match self.sym(x) {
                Sym::Int(n) => Sym::Int(interp::unary(op, n as u64) as i64),
                _ => Sym::Unknown,
            },
            Op::Binary(op, x, y) => match (op, self.sym(x), self.sym(y)) {
                (Binary::Add, Sym::Index(k), Sym::Int(n)) | (Binary::Add, Sym::Int(n), Sym::Index(k)) => {
                    Sym::Index(k.checked_add(n)?)
                }
                (Binary::Sub, Sym::Index(k), Sym::Int(n)) => Sym::Index(k.checked_sub(n)?),
                (op, Sym::Int(x), Sym::Int(y)) => {
                    interp::binary(op, x as u64, y as u64).map_or(Sym::Unknown, |n| Sym::Int(n as i64))
                }
                _ => Sym::Unknown,
            },
            Op::Cmp(c, x, y) => {
                let stop = |sym| match sym {
                    Sym::Int(n) => Some(Stop::Int(n)),
                    Sym::Outside(v) => Some(Stop::Value(v)),
                    _ => None,
                };
                let (c, x, y) = match (self.sym(x), self.sym(y)) {
                    (x, y @ Sym::Index(_)) => (c.swapped(), y, x),
                    (x, y) => (c, x, y),
                };
                match (c, x, y) {
                    (c, Sym::Int(x), Sym::Int(y)) => Sym::Int(i64::from(c.holds(x, y))),
                    (Cond::Lt | Cond::Ge, Sym::Index(1), y) => match stop(y) {
                        Some(stop) => Sym::GoesOn(stop, c == Cond::Lt),
                        None => Sym::Unknown,
                    },
                    _ => Sym::Unknown,
                }
            }
            Op::Select(c, x, y) => match self.sym(c) {
                Sym::Int(n) => self.sym(if n != 0 { x } else { y }),
                _ => Sym::Unknown,
            },
            ref op => match op.effect() {
                Effect::Pure | Effect::Reads => Sym::Unknown,
                _ => return None,
            },
        })
    }
}

/// Puts the wide loop beside the loop.
fn widen(f: &mut Function, l: &Loop, scan: &Scan) {
    let header = l.header;
    let loc = f[header].insts.first().map(|i| i.loc).unwrap_or_default();
    let mut block = || {
        let b = f.new_block();
        f[b].handler = f[header].handler;
        f[b].loc = loc;
        b
    };
    let (before, test, many, next, found) = (block(), block(), block(), block(), block());
    for b in 0..before.0 {
        let to = if l.blocks.contains(&Block(b)) { test } else { before };
        f[Block(b)].term.each_target_mut(|t| {
            if t.block == header {
                t.block = to;
            }
        });
    }
    // What a loop before it has left for one behind it passes through: parameters that `peel` has added.
    let types: Vec<Ty> = f[header].params.iter().map(|&v| f.ty(v)).collect();
    let all: Values = types.iter().map(|&ty| f.add_param(before, ty)).collect();
    let length = f.push(before, Op::Length(scan.array), loc);
    let stop = match scan.stop {
        Stop::Value(v) => v,
        Stop::Int(n) => f.push(before, Op::Iconst(n), loc),
    };
    let nearer = f.push(before, Op::Cmp(Cond::Lt, stop, length), loc);
    let least = f.push(before, Op::Select(nearer, stop, length), loc);
    // One more is left: so the next index is below the limit, too.
    let back = f.push(before, Op::Iconst(-STEP - 1), loc);
    let most = f.push(before, Op::Binary(Binary::Add, least, back), loc);
    f[before].term = Term::Jump(Target::new(header, all));

    let all: Values = types.iter().map(|&ty| f.add_param(test, ty)).collect();
    let to_header = |i: Value| Target::new(header, std::iter::once(i).chain(all[1..].iter().copied()));
    let room = f.push(test, Op::Cmp(Cond::Le, all[0], most), loc);
    f[test].term = Term::Branch(room, Target::new(many, [all[0]]), to_header(all[0]));

    let i = f.add_param(many, Ty::I64);
    let k = f.push(many, Op::FindByte { array: scan.array, index: i, set: scan.set }, loc);
    let step = f.push(many, Op::Iconst(STEP), loc);
    let none = f.push(many, Op::Cmp(Cond::Eq, k, step), loc);
    f[many].term = Term::Branch(none, Target::new(next, []), Target::new(found, []));

    let step = f.push(next, Op::Iconst(STEP), loc);
    let on = f.push(next, Op::Binary(Binary::Add, i, step), loc);
    let room = f.push(next, Op::Cmp(Cond::Le, on, most), loc);
    f[next].term = Term::Branch(room, Target::new(many, [on]), to_header(on));

    let at = f.push(found, Op::Binary(Binary::Add, i, k), loc);
    f[found].term = Term::Jump(to_header(at));
}
