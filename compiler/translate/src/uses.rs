//! Which values an instruction reads and where a block goes: the only place that knows the shape of every operation.

use leat_ssa::ir::{Block, BlockData, Callee, Op, Target, Term, Value};

/// How an operand is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Tested against zero only: needs no 64-bit form.
    Condition,
    Data,
}

fn all(values: &[Value], f: &mut impl FnMut(Value, Use)) {
    for &v in values {
        f(v, Use::Data);
    }
}

fn callee(callee: &Callee, f: &mut impl FnMut(Value, Use)) {
    if let Callee::Closure(v) = callee {
        f(*v, Use::Data);
    }
}

/// Each operand of an operation.
pub fn op(op: &Op, f: &mut impl FnMut(Value, Use)) {
    use Use::Data;
    match op {
        Op::Iconst(_) | Op::Fconst(_) | Op::F32const(_) | Op::RefImm(_) | Op::Data(_) | Op::FuncAddr(_) => {}
        Op::GlobalLoad(_) | Op::ExnDesc(_) | Op::ExnPacket(_) | Op::CurrentThread | Op::WorkerMark => {}
        Op::Atomic(_) | Op::Poll | Op::HeapCheck(_) => {}
        Op::Unary(_, a) | Op::IsImm(a) | Op::ImmValue(a) | Op::Tag(a) | Op::Length(a) | Op::GlobalStore(_, a) => {
            f(*a, Data)
        }
        Op::Binary(_, a, b) | Op::Ovf(_, a, b) | Op::Cmp(_, a, b) | Op::FCmp(_, a, b) | Op::RefEq(a, b) => {
            f(*a, Data);
            f(*b, Data);
        }
        Op::Select(c, a, b) => {
            f(*c, Use::Condition);
            f(*a, Data);
            f(*b, Data);
        }
        Op::Guard(c, _) => f(*c, Use::Condition),
        Op::Alloc { raws, refs, .. } => {
            all(raws, f);
            all(refs, f);
        }
        Op::Load { obj, .. } => f(*obj, Data),
        Op::Store { obj, value, .. } => {
            f(*obj, Data);
            f(*value, Data);
        }
        Op::ElemLoad { array, index, .. } | Op::CountBytes { array, index, .. } | Op::FindByte { array, index, .. } => {
            f(*array, Data);
            f(*index, Data);
        }
        Op::ElemStore { array, index, value, .. } => {
            f(*array, Data);
            f(*index, Data);
            f(*value, Data);
        }
        Op::Cas { obj, old, new, .. } => {
            f(*obj, Data);
            f(*old, Data);
            f(*new, Data);
        }
        Op::Call(c, args) => {
            callee(c, f);
            all(args, f);
        }
    }
}

/// Each operand that a terminator reads before it leaves its block, except the arguments of its targets.
pub fn term(term: &Term, f: &mut impl FnMut(Value, Use)) {
    match term {
        Term::Jump(_) | Term::Scope { .. } | Term::RaiseBuiltin(_) | Term::Unreachable => {}
        Term::Branch(c, ..) => f(*c, Use::Condition),
        Term::Switch(v, ..) | Term::Raise(v) => f(*v, Use::Data),
        Term::Return(values) => all(values, f),
        Term::TailCall(c, args) | Term::Invoke { callee: c, args, .. } => {
            callee(c, f);
            all(args, f);
        }
    }
}

/// Each target of a terminator.
pub fn targets<'a>(term: &'a Term, f: &mut impl FnMut(&'a Target)) {
    match term {
        Term::Jump(t) => f(t),
        Term::Branch(_, a, b) => {
            f(a);
            f(b);
        }
        Term::Switch(_, cases, default) => {
            for (_, t) in cases {
                f(t);
            }
            f(default);
        }
        Term::Invoke { ok, handler, .. } | Term::Scope { body: ok, handler } => {
            f(ok);
            f(handler);
        }
        Term::Return(_) | Term::TailCall(..) | Term::Raise(_) | Term::RaiseBuiltin(_) | Term::Unreachable => {}
    }
}

/// Each block where control may go from here: targets, and the handler that slow paths raise to.
pub fn successors(block: &BlockData, f: &mut impl FnMut(Block)) {
    targets(&block.term, &mut |t| f(t.block));
    if let Some(h) = block.handler {
        f(h);
    }
}
