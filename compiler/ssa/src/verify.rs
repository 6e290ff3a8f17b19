//! Checks the invariants S1 to S12 of [`crate`]; a message names the number, the pass, the function, the instruction.
//!
//! Linear in the size of the program: dominance is two number comparisons, and S10 is one walk for cycles.

use crate::cfg::{Cfg, Def, Dominators};
use crate::ir::*;
use crate::safepoint;
use leat_abi::foreign::Way;
use leat_abi::prim::{Also, Lower};
use leat_abi::signature::Register;

/// What is wrong. Shown as
/// `after simplify, f3 "List.map", b2: S4: use of v12 not dominated by its definition: v13 = add v12, 1`.
#[derive(Clone, Debug)]
pub struct Error {
    pub pass: String,
    pub func: Func,
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "after {}, {} {}", self.pass, self.func, self.message)
    }
}

/// Checks the whole program; `late` after the safepoint pass (S10, S11). At most 20 errors are reported.
pub fn verify(p: &Program, pass: &str, late: bool) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    for i in 0..p.funcs.len() as u32 {
        let mut check = Check { p, f: &p.funcs[i as usize], errors: Vec::new(), block: Block(0) };
        check.function(late);
        errors.extend(check.errors.into_iter().map(|message| Error { pass: pass.into(), func: Func(i), message }));
        if errors.len() >= 20 {
            break;
        }
    }
    if errors.is_empty() && late {
        for (func, message) in safepoint::uncovered_cycles(p) {
            errors.push(Error { pass: pass.into(), func, message });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

struct Check<'a> {
    p: &'a Program,
    f: &'a Function,
    errors: Vec<String>,
    block: Block,
}

impl Check<'_> {
    fn error(&mut self, message: String) {
        if self.errors.len() < 5 {
            self.errors.push(format!("\"{}\", {}: {message}", self.f.name, self.block));
        }
    }

    fn ty(&self, v: Value) -> Option<Ty> {
        self.f.values.get(v.0 as usize).copied()
    }

    fn function(&mut self, late: bool) {
        let f = self.f;
        if f.entry.0 as usize >= f.blocks.len() {
            return self.error("S1: there is no entry block".into());
        }
        let blocks = f.blocks.len() as u32;
        let values = f.values.len() as u32;
        for b in 0..blocks {
            self.block = Block(b);
            let mut bad = false;
            f[Block(b)].term.each_target(|t| bad |= t.block.0 >= blocks);
            if bad {
                return self.error(format!(
                    "S1: a target is not in the function: {}",
                    crate::print::term(f, &f[Block(b)].term)
                ));
            }
        }
        let cfg = Cfg::new(f);
        let dom = Dominators::new(f, &cfg);
        // S2, and where each value is defined.
        let mut defs = vec![Def::None; f.values.len()];
        for b in 0..blocks {
            self.block = Block(b);
            let block = &f[Block(b)];
            let params =
                block.params.iter().enumerate().map(|(i, &v)| (v, Def::Param { block: Block(b), index: i as u32 }));
            let insts = block.insts.iter().enumerate().flat_map(|(i, inst)| {
                let place = Def::Inst { block: Block(b), inst: i as u32, result: 0 };
                inst.results.iter().map(move |&v| (v, place))
            });
            for (v, place) in params.chain(insts) {
                if v.0 >= values {
                    self.error(format!("S2: {v} has no type"));
                } else if defs[v.0 as usize] != Def::None {
                    self.error(format!("S2: {v} is defined twice"));
                } else {
                    defs[v.0 as usize] = place;
                }
            }
        }
        self.block = f.entry;
        if !cfg.preds(f.entry).is_empty() {
            self.error("S6: the entry block has a predecessor".into());
        }
        if f.is_closure && f[f.entry].params.first().map(|&v| f.ty(v)) != Some(Ty::Ref) {
            self.error("S3: a closure's first parameter is not a ref".into());
        }
        let constants = crate::cfg::int_constants(f);
        for b in 0..blocks {
            self.block = Block(b);
            if !cfg.reachable(Block(b)) {
                if !f[Block(b)].insts.is_empty() {
                    self.error("S1: an unreachable block is not empty".into());
                }
                continue;
            }
            let mut room: i64 = 0;
            for (i, inst) in f[Block(b)].insts.iter().enumerate() {
                self.dominance(&defs, &dom, i as u32, |g| inst.op.each_operand(g), || crate::print::inst(f, inst));
                self.inst(inst, &constants);
                if late {
                    match &inst.op {
                        Op::HeapCheck(bytes) => room = i64::from(*bytes),
                        op if op.is_safepoint() => room = 0,
                        Op::Alloc { raws, refs, .. } => {
                            room -= safepoint::alloc_bytes(raws.len() + refs.len());
                            if room < 0 {
                                self.error(format!("S11: no heap check covers {}", crate::print::inst(f, inst)));
                            }
                        }
                        _ => {}
                    }
                } else if matches!(inst.op, Op::HeapCheck(_) | Op::Poll) {
                    self.error("S11: a heap check or poll before the safepoint pass".into());
                }
            }
            if !late && let Some(to) = crate::scope::entered_aside(f, Block(b)) {
                self.error(format!("S12: b{b} leads to {to}, whose scope it is not in"));
            }
            if let Some(h) = f[Block(b)].handler {
                match h.0 < blocks && cfg.reachable(h) {
                    false => self.error(format!("S12: its handler {h} is not in the function")),
                    true => {
                        if let Some(what) = crate::scope::broken(f, &dom, Block(b), h) {
                            self.error(format!("S12: {what}"));
                        }
                    }
                }
            }
            let term = &f[Block(b)].term;
            self.dominance(&defs, &dom, u32::MAX, |g| term.each_operand(g), || crate::print::term(f, term));
            self.term(term);
        }
    }

    fn dominance(
        &mut self,
        defs: &[Def],
        dom: &Dominators,
        at: u32,
        each: impl Fn(&mut dyn FnMut(Value)),
        show: impl Fn() -> String,
    ) {
        let here = self.block;
        let mut bad = None;
        each(&mut |v| {
            let ok = match defs.get(v.0 as usize) {
                Some(Def::Param { block, .. }) => dom.dominates(*block, here),
                Some(Def::Inst { block, inst, .. }) if *block == here => *inst < at,
                Some(Def::Inst { block, .. }) => dom.dominates(*block, here),
                _ => false,
            };
            if !ok {
                bad = Some(v);
            }
        });
        if let Some(v) = bad {
            self.error(format!("S4: use of {v} not dominated by its definition: {}", show()));
        }
    }

    fn inst(&mut self, inst: &Inst, constants: &[Option<i64>]) {
        let f = self.f;
        use Ty::*;
        let t = |v: Value| f.values.get(v.0 as usize).copied();
        let is = |v: Value, ty: Ty| t(v) == Some(ty);
        let all = |vs: &[Value], ok: fn(Ty) -> bool| vs.iter().all(|&v| t(v).is_some_and(ok));
        let ok = match &inst.op {
            Op::Iconst(_)
            | Op::Fconst(_)
            | Op::F32const(_)
            | Op::CurrentThread
            | Op::WorkerMark
            | Op::WorkerCompany
            | Op::Atomic(_)
            | Op::Poll
            | Op::HeapCheck(_) => true,
            Op::RefImm(n) => n & 1 == 1,
            Op::Data(d) => (d.0 as usize) < self.p.datas.len(),
            Op::FuncAddr(to) => self.p.funcs.get(to.0 as usize).is_some_and(|f| f.is_closure),
            Op::Unary(u, a) => is(*a, u.types().0),
            Op::Binary(b, x, y) => is(*x, b.ty()) && is(*y, b.ty()),
            Op::Ovf(_, x, y) | Op::Cmp(_, x, y) => is(*x, I64) && is(*y, I64),
            Op::FCmp(_, x, y) => is(*x, F64) && is(*y, F64),
            Op::RefEq(x, y) => is(*x, Ref) && is(*y, Ref),
            Op::IsImm(x) | Op::ImmValue(x) | Op::Tag(x) | Op::Length(x) => is(*x, Ref),
            Op::Select(c, x, y) => is(*c, I64) && t(*x) == t(*y),
            Op::Guard(c, _) => is(*c, I64),
            Op::Alloc { raws, refs, .. } => {
                raws.len() <= 0xffff && refs.len() <= 0xffff && all(raws, |ty| ty != Ref) && all(refs, |ty| ty == Ref)
            }
            Op::Load { obj, .. } => is(*obj, Ref),
            Op::Store { obj, value, barrier, .. } => is(*obj, Ref) && (!barrier || is(*value, Ref)),
            Op::ElemLoad { array, index, .. }
            | Op::CountBytes { array, index, .. }
            | Op::FindByte { array, index, .. } => is(*array, Ref) && is(*index, I64),
            Op::ElemStore { elem, array, index, value, barrier } => {
                is(*array, Ref) && is(*index, I64) && is(*value, elem.ty()) && (!barrier || *elem == Elem::Ref)
            }
            Op::Cas { ty, obj, old, new, .. } => is(*obj, Ref) && is(*old, *ty) && is(*new, *ty),
            Op::GlobalLoad(g) => self.p.globals.get(g.0 as usize).is_some_and(|&ty| is(inst.results[0], ty)),
            Op::GlobalStore(g, v) => self.p.globals.get(g.0 as usize).is_some_and(|&ty| is(*v, ty)),
            Op::ExnDesc(_) | Op::ExnPacket(_) => true,
            Op::Call(callee, args) => {
                let results: Vec<Option<Ty>> = inst.results.iter().map(|&v| t(v)).collect();
                self.call(*callee, args, &results)
            }
        };
        let results = inst.op.result_types(&f.values);
        let results_ok = match &inst.op {
            Op::Call(..) => true,
            Op::GlobalLoad(_) => inst.results.len() == 1,
            _ => inst.results.len() == results.len() && inst.results.iter().zip(&results).all(|(&v, &ty)| is(v, ty)),
        };
        if !ok || !results_ok {
            self.error(format!("S3: operands or results have wrong types: {}", crate::print::inst(f, inst)));
        }
        if let Op::Binary(op, _, y) = inst.op
            && let Some(n) = constants[y.0 as usize]
        {
            let bad = match op {
                Binary::Shl | Binary::Shr | Binary::Sar => !(0..64).contains(&n),
                Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem | Binary::UDiv | Binary::URem => n == 0,
                Binary::NDiv | Binary::NRem => n < 2,
                _ => false,
            };
            if bad {
                self.error(format!("S9: shift count or divisor out of range: {}", crate::print::inst(f, inst)));
            }
        }
    }

    /// Whether the arguments and results agree with the callee.
    fn call(&self, callee: Callee, args: &[Value], results: &[Option<Ty>]) -> bool {
        match callee {
            Callee::Func(func) => {
                let Some(to) = self.p.funcs.get(func.0 as usize) else { return false };
                let params = &to[to.entry].params;
                params.len() == args.len()
                    && params.iter().zip(args).all(|(&p, &a)| self.ty(a) == Some(to.ty(p)))
                    && to.results.len() == results.len()
                    && to.results.iter().zip(results).all(|(&t, &r)| Some(t) == r)
            }
            Callee::Closure(v) => self.ty(v) == Some(Ty::Ref),
            Callee::Foreign(number, way) => {
                let Some(foreign) = self.p.foreign.get(number as usize) else { return false };
                let address = usize::from(foreign.name.is_none() && !matches!(way, Way::Get | Way::Set));
                foreign.way == way && args.len() == address + foreign.params.len() && results.len() == foreign.results()
            }
            Callee::Prim(p) => {
                let signature = p.signature();
                let count = signature.args.len() + usize::from(p.is(Also::TakesShape));
                let fits = |wanted: Register, ty: Option<Ty>| match wanted {
                    Register::None => false,
                    Register::Int => ty == Some(Ty::I64),
                    Register::Real => ty == Some(Ty::F64),
                    Register::Ref => ty == Some(Ty::Ref),
                    Register::Word => matches!(ty, Some(Ty::I64 | Ty::Ref)),
                };
                let wanted = signature.args.iter().map(|ty| ty.register()).chain([Register::Int]);
                p.lower() != Lower::Inline
                    && args.len() == count
                    && args.iter().zip(wanted).all(|(&a, wanted)| fits(wanted, self.ty(a)))
                    && results.len() <= 1
                    && results.iter().all(|&ty| {
                        let result = signature.result.register();
                        // A runtime primitive gives a real as its bits: so a value of any type may be one.
                        let is_real = p.lower() == Lower::Runtime && result == Register::Word && ty == Some(Ty::F64);
                        is_real || fits(result, ty)
                    })
            }
        }
    }

    fn target(&self, t: &Target, given: &[Option<Ty>]) -> bool {
        let params = &self.f[t.block].params;
        params.len() == given.len() + t.args.len()
            && given
                .iter()
                .copied()
                .chain(t.args.iter().map(|&v| self.ty(v)))
                .zip(params)
                .all(|(a, &p)| a == self.ty(p))
    }

    fn term(&mut self, term: &Term) {
        let f = self.f;
        let show = || crate::print::term(f, term);
        match term {
            Term::Jump(t) => {
                if !self.target(t, &[]) {
                    self.error(format!("S1: arguments do not fit: {}", show()));
                }
            }
            Term::Branch(v, a, b) => {
                if self.ty(*v) != Some(Ty::I64) || !self.target(a, &[]) || !self.target(b, &[]) {
                    self.error(format!("S1: arguments do not fit: {}", show()));
                }
            }
            Term::Switch(v, cases, default) => {
                if self.ty(*v) != Some(Ty::I64)
                    || !self.target(default, &[])
                    || !cases.iter().all(|(_, t)| self.target(t, &[]))
                {
                    self.error(format!("S1: arguments do not fit: {}", show()));
                }
                let mut seen: Vec<i64> = cases.iter().map(|(n, _)| *n).collect();
                seen.sort_unstable();
                if seen.windows(2).any(|w| w[0] == w[1]) {
                    self.error(format!("S1: a case stands twice: {}", show()));
                }
            }
            Term::Return(vs) => {
                if vs.len() != f.results.len() || vs.iter().zip(&f.results).any(|(&v, &ty)| self.ty(v) != Some(ty)) {
                    self.error(format!("S5: results do not agree: {}", show()));
                }
            }
            Term::TailCall(callee, args) => {
                let results: Vec<Option<Ty>> = f.results.iter().map(|&t| Some(t)).collect();
                if matches!(callee, Callee::Prim(_) | Callee::Foreign(..)) || !self.call(*callee, args, &results) {
                    self.error(format!("S5: the tail call does not agree: {}", show()));
                }
            }
            Term::Invoke { callee, args, ok, handler } => {
                let params = &f[ok.block].params;
                let count = params.len().saturating_sub(ok.args.len());
                let results: Vec<Option<Ty>> = params[..count].iter().map(|&v| self.ty(v)).collect();
                if !self.call(*callee, args, &results) {
                    self.error(format!("S3: the call does not agree with its callee: {}", show()));
                }
                if !self.target(ok, &results) || !self.target(handler, &[Some(Ty::Ref)]) {
                    self.error(format!("S1: arguments do not fit: {}", show()));
                }
            }
            Term::Scope { body, handler } => {
                if !self.target(body, &[]) || !self.target(handler, &[Some(Ty::Ref)]) {
                    self.error(format!("S1: arguments do not fit: {}", show()));
                }
            }
            Term::Raise(v) => {
                if self.ty(*v) != Some(Ty::Ref) {
                    self.error(format!("S3: raise of no packet: {}", show()));
                }
            }
            Term::RaiseBuiltin(_) | Term::Unreachable => {}
        }
    }
}
