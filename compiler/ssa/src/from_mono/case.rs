//! A `Case` of Mono -> branches and switches: on integers, on strings by length and then by equality, on constructors
//! by what the datatype's representation tells apart first.

use super::{Ctx, Emit, Task};
use crate::ir::*;
use crate::ops::values;
use crate::repr::{ConRepr, Shape};
use leat_abi::prim::Prim;
use leat_mono::ir as mono;
use leat_mono::ir::{Arms, Atom, Body, Var};
use rustc_hash::FxHashMap;

impl<'a> Emit<'a, '_> {
    /// A block for a part of a case; its fields are in the scrutinee at these places.
    fn arm(&mut self, body: &'a Body, ctx: Ctx) -> Block {
        let block = self.f.new_block();
        let called = self.called.clone();
        let part = self.calls.part(self.part, self.loc);
        self.tasks.push(Task { block, body, ctx, top: false, called, part });
        block
    }

    pub(super) fn case(&mut self, scrut: Atom, arms: &'a Arms, default: Option<&'a Body>, ctx: Ctx) {
        let default = default.map(|body| self.arm(body, ctx));
        match arms {
            Arms::Int(arms) => {
                let cases: Vec<(i64, Block)> = arms.iter().map(|(n, body)| (*n, self.arm(body, ctx))).collect();
                let value = self.atom(scrut);
                self.switch(value, cases, default, false);
            }
            Arms::Str(arms) => {
                let cases: Vec<(u32, Block)> = arms.iter().map(|(s, body)| (*s, self.arm(body, ctx))).collect();
                self.case_string(scrut, cases, default);
            }
            Arms::Con(data, arms) => self.case_con(scrut, *data, arms, default, ctx),
        }
    }

    /// Goes to one of the blocks; the last case stands for a missing default.
    fn switch(&mut self, value: Value, mut cases: Vec<(i64, Block)>, default: Option<Block>, two: bool) {
        let default = match default.or_else(|| cases.pop().map(|c| c.1)) {
            Some(block) => block,
            None => return self.end(Term::Unreachable),
        };
        let to = |block| Target::new(block, []);
        let term = match cases.as_slice() {
            [] => Term::Jump(to(default)),
            [(0, block)] => Term::Branch(value, to(default), to(*block)),
            [(1, block)] if two => Term::Branch(value, to(*block), to(default)),
            [(n, block)] => {
                let n = self.iconst(*n);
                let equal = self.push(Op::Cmp(Cond::Eq, value, n));
                Term::Branch(equal, to(*block), to(default))
            }
            _ => Term::Switch(value, cases.into_iter().map(|(n, block)| (n, to(block))).collect(), to(default)),
        };
        self.end(term);
    }

    fn case_con(
        &mut self,
        scrut: Atom,
        data: mono::Data,
        arms: &'a [(u32, Vec<Var>, Body)],
        default: Option<Block>,
        ctx: Ctx,
    ) {
        let obj = self.atom(scrut);
        let (nullary, boxed) = self.repr.counts(data);
        match self.repr.shape(data) {
            Shape::Enum => {
                let cases = arms.iter().map(|(con, _, body)| (i64::from(*con), self.arm(body, ctx))).collect();
                self.switch(obj, cases, default, nullary == 2);
            }
            Shape::Newtype(_) => {
                // Its variable stands for the scrutinee.
                let block = match arms.first() {
                    Some((_, _, body)) => Some(self.arm(body, ctx)),
                    None => default,
                };
                self.switch(obj, Vec::new(), block, false);
            }
            shape => {
                let (mut immediate, mut records) = (Vec::new(), Vec::new());
                for (con, fields, body) in arms {
                    let block = self.arm(body, ctx);
                    let types = self.repr.fields(data, *con);
                    let rank = i64::from(self.repr.rank(data, *con));
                    if types.is_empty() {
                        immediate.push((rank, block));
                        continue;
                    }
                    if let ConRepr::Thread(tag) = self.repr.con(data, *con) {
                        // Its variable stands for the scrutinee.
                        records.push((i64::from(tag), block));
                        continue;
                    }
                    records.push((rank, block));
                    if let Shape::Boxed = shape {
                        let layout = self.repr.layout(types);
                        for (i, &v) in fields.iter().enumerate() {
                            if self.an.used[v.0 as usize] {
                                let (ty, field) = (layout.types[i], layout.words[i]);
                                let value = self.f.push(block, Op::Load { ty, obj, field, mutable: false }, self.loc);
                                self.env[v.0 as usize] = (self.host, value);
                            }
                        }
                    }
                }
                if boxed == 0 || (immediate.is_empty() && records.is_empty()) {
                    return self.switch(obj, immediate, default, false);
                }
                let here = self.cur;
                let imm =
                    (nullary > 0).then(|| self.side(immediate, nullary, default, Op::ImmValue(obj), nullary == 2));
                let two = boxed == 2 && self.repr.thread(data).is_none();
                let rec = self.side(records, boxed, default, Op::Tag(obj), two);
                self.cur = here;
                let to = |block| Target::new(block, []);
                match imm {
                    Some(imm) if imm != rec => {
                        let is_imm = self.push(Op::IsImm(obj));
                        self.end(Term::Branch(is_imm, to(imm), to(rec)));
                    }
                    _ => self.end(Term::Jump(to(rec))),
                }
            }
        }
    }

    /// The block that tells the immediates, or the records, of a datatype apart: by this number, which is 0 or 1 if
    /// `two`.
    fn side(&mut self, cases: Vec<(i64, Block)>, count: u32, default: Option<Block>, number: Op, two: bool) -> Block {
        if let (true, Some(default)) = (cases.is_empty(), default) {
            return default;
        }
        if let (1, [(_, block)]) = (count, cases.as_slice()) {
            return *block;
        }
        let block = self.f.new_block();
        self.go_on(block);
        let rest = if cases.len() == count as usize { None } else { default };
        let value = self.push(number);
        self.switch(value, cases, rest, two);
        block
    }

    fn case_string(&mut self, scrut: Atom, cases: Vec<(u32, Block)>, default: Option<Block>) {
        let Some(default) = default.or_else(|| cases.last().map(|c| c.1)) else { return self.end(Term::Unreachable) };
        let s = self.atom(scrut);
        let mut by_length: Vec<(i64, Vec<(u32, Block)>)> = Vec::new();
        let mut index: FxHashMap<i64, usize> = FxHashMap::default();
        for (text, block) in cases {
            let length = self.p.strings[text as usize].len() as i64;
            let at = *index.entry(length).or_insert_with(|| {
                by_length.push((length, Vec::new()));
                by_length.len() - 1
            });
            by_length[at].1.push((text, block));
        }
        let here = self.cur;
        let mut groups = Vec::new();
        for (length, group) in by_length {
            if length == 0 {
                groups.push((0, group[0].1));
                continue;
            }
            let first = self.f.new_block();
            self.go_on(first);
            for (text, block) in group {
                let text = self.atom(Atom::Str(text));
                let equal = self.call(Callee::Prim(Prim::StringEq), values(&[s, text]), &[Ty::I64], false)[0];
                let next = self.f.new_block();
                self.end(Term::Branch(equal, Target::new(block, []), Target::new(next, [])));
                self.go_on(next);
            }
            self.end(Term::Jump(Target::new(default, [])));
            groups.push((length, first));
        }
        self.cur = here;
        let length = self.push(Op::Length(s));
        self.switch(length, groups, Some(default), false);
    }
}
