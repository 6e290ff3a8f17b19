//! Ssa -> text, as shown in [`crate::ir`]. What is printed can be read again by [`crate::parse`].
//!
//! Constants stand in place where they are used: `1`, `f64(1.5)`, `imm(3)`, `d0`, `@f1`. A comment begins with `;`.

use crate::ir::*;
use std::fmt::{self, Write};

/// The whole program.
pub fn program(p: &Program) -> String {
    let mut out = String::new();
    for (i, ty) in p.globals.iter().enumerate() {
        let _ = writeln!(out, "global {}: {ty}", Global(i as u32));
    }
    for (i, data) in p.datas.iter().enumerate() {
        let _ = writeln!(out, "data {} = {}", Data(i as u32), Show(data));
    }
    if let Some(main) = p.main {
        let _ = writeln!(out, "main {main}");
    }
    for i in 0..p.funcs.len() as u32 {
        function_into(&mut out, p, Func(i));
    }
    out
}

/// One function.
pub fn function(p: &Program, func: Func) -> String {
    let mut out = String::new();
    function_into(&mut out, p, func);
    out
}

fn function_into(out: &mut String, p: &Program, func: Func) {
    let f = &p.funcs[func.0 as usize];
    let _ = write!(out, "\nfn {func} \"{}\"", f.name.escape_default());
    if f.is_closure {
        out.push_str(" closure");
    }
    if f.noinline {
        out.push_str(" noinline");
    }
    if f.entry_check {
        out.push_str(" entry_check");
    }
    out.push_str(" (");
    list(out, &f[f.entry].params, |out, &v| write!(out, "{v}: {}", f.ty(v)));
    out.push_str(") -> (");
    list(out, &f.results, |out, ty| write!(out, "{ty}"));
    out.push_str(") {\n");
    let consts = constants(f);
    // The entry comes first; the parser takes the first block as the entry.
    let order = std::iter::once(f.entry).chain((0..f.blocks.len() as u32).map(Block).filter(|&b| b != f.entry));
    for b in order {
        let block = &f[b];
        if b != f.entry && crate::cfg::is_empty_block(f, b) && block.params.is_empty() && !is_target(f, b) {
            continue;
        }
        let _ = write!(out, "{b}(");
        list(out, &block.params, |out, &v| write!(out, "{v}: {}", f.ty(v)));
        out.push_str(if block.cold { ") cold" } else { ")" });
        if let Some(handler) = block.handler {
            let _ = write!(out, " handler {handler}");
        }
        out.push_str(":\n");
        for inst in &block.insts {
            if inst.op.is_const() {
                continue;
            }
            out.push_str("    ");
            inst_into(out, f, &consts, inst);
            out.push('\n');
        }
        out.push_str("    ");
        term_into(out, &consts, &block.term);
        out.push('\n');
    }
    out.push_str("}\n");
}

fn is_target(f: &Function, b: Block) -> bool {
    let mut found = false;
    for block in &f.blocks {
        block.term.each_target(|t| found |= t.block == b);
    }
    found
}

/// The constant that each value is, if it is one.
fn constants(f: &Function) -> Vec<Option<Op>> {
    let mut out = vec![None; f.values.len()];
    for block in &f.blocks {
        for inst in &block.insts {
            if inst.op.is_const() {
                out[inst.results[0].0 as usize] = Some(inst.op.clone());
            }
        }
    }
    out
}

/// One instruction, for messages.
pub fn inst(f: &Function, inst: &Inst) -> String {
    let mut out = String::new();
    inst_into(&mut out, f, &constants(f), inst);
    out
}

/// One terminator, for messages.
pub fn term(f: &Function, term: &Term) -> String {
    let mut out = String::new();
    term_into(&mut out, &constants(f), term);
    out
}

fn list<T>(out: &mut String, items: &[T], mut each: impl FnMut(&mut String, &T) -> fmt::Result) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let _ = each(out, item);
    }
}

/// A value in operand position.
struct V<'a>(Value, &'a [Option<Op>]);

impl fmt::Display for V<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.get(self.0.0 as usize).and_then(|c| c.as_ref()) {
            Some(Op::Iconst(n)) => write!(out, "{n}"),
            Some(Op::Fconst(bits)) => {
                let x = f64::from_bits(*bits);
                if x.is_nan() { write!(out, "f64(0x{bits:x})") } else { write!(out, "f64({x:?})") }
            }
            Some(Op::F32const(bits)) => write!(out, "f32(0x{bits:x})"),
            Some(Op::RefImm(n)) => write!(out, "imm({n})"),
            Some(Op::Data(d)) => write!(out, "{d}"),
            Some(Op::FuncAddr(f)) => write!(out, "@{f}"),
            _ => write!(out, "{}", self.0),
        }
    }
}

fn args(out: &mut String, c: &[Option<Op>], vs: &[Value]) {
    list(out, vs, |out, &v| write!(out, "{}", V(v, c)));
}

fn callee(out: &mut String, c: &[Option<Op>], callee: Callee, vs: &[Value]) {
    let _ = match callee {
        Callee::Func(f) => write!(out, "{f}"),
        Callee::Closure(v) => write!(out, "*{}", V(v, c)),
        Callee::Prim(p) => write!(out, "{}", p.name()),
        Callee::Foreign(n, way) => write!(out, "c{n}_{}", way.name()),
    };
    out.push('(');
    args(out, c, vs);
    out.push(')');
}

fn inst_into(out: &mut String, f: &Function, c: &[Option<Op>], inst: &Inst) {
    if !inst.results.is_empty() {
        let typed = matches!(inst.op, Op::Call(..));
        list(out, &inst.results, |out, &v| if typed { write!(out, "{v}: {}", f.ty(v)) } else { write!(out, "{v}") });
        out.push_str(" = ");
    }
    let v = |v: Value| V(v, c);
    let _ = match &inst.op {
        Op::Iconst(n) => write!(out, "iconst {n}"),
        Op::Fconst(bits) => write!(out, "fconst 0x{bits:x}"),
        Op::F32const(bits) => write!(out, "f32const 0x{bits:x}"),
        Op::RefImm(n) => write!(out, "ref_imm {n}"),
        Op::Data(d) => write!(out, "data {d}"),
        Op::FuncAddr(f) => write!(out, "func_addr {f}"),
        Op::Unary(u, a) => write!(out, "{} {}", unary_name(*u), v(*a)),
        Op::Binary(b, x, y) => write!(out, "{} {}, {}", binary_name(*b), v(*x), v(*y)),
        Op::Ovf(o, x, y) => write!(out, "{} {}, {}", ovf_name(*o), v(*x), v(*y)),
        Op::Cmp(cond, x, y) => write!(out, "cmp.{} {}, {}", cond_name(*cond), v(*x), v(*y)),
        Op::FCmp(cond, x, y) => write!(out, "fcmp.{} {}, {}", fcond_name(*cond), v(*x), v(*y)),
        Op::RefEq(x, y) => write!(out, "ref_eq {}, {}", v(*x), v(*y)),
        Op::IsImm(x) => write!(out, "is_imm {}", v(*x)),
        Op::ImmValue(x) => write!(out, "imm_value {}", v(*x)),
        Op::Select(a, x, y) => write!(out, "select {}, {}, {}", v(*a), v(*x), v(*y)),
        Op::Guard(x, b) => write!(out, "guard {}, {}", v(*x), b.name()),
        Op::Alloc { tag, raws, refs } => {
            let _ = write!(out, "alloc {tag} [");
            args(out, c, raws);
            out.push_str("] [");
            args(out, c, refs);
            out.write_char(']')
        }
        Op::Load { ty, obj, field, mutable } => {
            write!(out, "load{}.{ty} {}[{field}]", if *mutable { "_mut" } else { "" }, v(*obj))
        }
        Op::Store { obj, field, value, barrier } => {
            write!(out, "store{} {}[{field}], {}", if *barrier { "_barrier" } else { "" }, v(*obj), v(*value))
        }
        Op::Tag(x) => write!(out, "tag {}", v(*x)),
        Op::Length(x) => write!(out, "length {}", v(*x)),
        Op::ElemLoad { elem, array, index, mutable } => {
            write!(out, "elem{}.{elem} {}[{}]", if *mutable { "_mut" } else { "" }, v(*array), v(*index))
        }
        Op::CountBytes { array, index, byte } => write!(out, "count_bytes {}[{}], {byte}", v(*array), v(*index)),
        Op::FindByte { array, index, set } => {
            let _ = write!(out, "find_byte {}[{}] {}[", v(*array), v(*index), if set.inverted { "not " } else { "" });
            for (i, (low, high)) in set.ranges().iter().enumerate() {
                let _ = write!(out, "{}{low}: {high}", if i > 0 { ", " } else { "" });
            }
            write!(out, "]")
        }
        Op::ElemStore { elem, array, index, value, barrier } => {
            let barrier = if *barrier { "_barrier" } else { "" };
            write!(out, "elem_store{barrier}.{elem} {}[{}], {}", v(*array), v(*index), v(*value))
        }
        Op::Cas { ty, obj, field, old, new } => write!(out, "cas.{ty} {}[{field}], {}, {}", v(*obj), v(*old), v(*new)),
        Op::GlobalLoad(g) => write!(out, "global {g}"),
        Op::GlobalStore(g, x) => write!(out, "global_store {g}, {}", v(*x)),
        Op::ExnDesc(b) => write!(out, "exn_desc {}", b.name()),
        Op::ExnPacket(b) => write!(out, "exn_packet {}", b.name()),
        Op::CurrentThread => write!(out, "current_thread"),
        Op::WorkerMark => write!(out, "worker_mark"),
        Op::WorkerCompany => write!(out, "worker_company"),
        Op::Atomic(n) => write!(out, "atomic {n}"),
        Op::Call(to, vs) => {
            out.push_str("call ");
            callee(out, c, *to, vs);
            Ok(())
        }
        Op::Poll => write!(out, "poll"),
        Op::HeapCheck(bytes) => write!(out, "heap_check {bytes}"),
    };
}

fn target(out: &mut String, c: &[Option<Op>], t: &Target) {
    let _ = write!(out, "{}(", t.block);
    args(out, c, &t.args);
    out.push(')');
}

fn term_into(out: &mut String, c: &[Option<Op>], term: &Term) {
    match term {
        Term::Jump(t) => {
            out.push_str("jump ");
            target(out, c, t);
        }
        Term::Branch(v, a, b) => {
            let _ = write!(out, "branch {}, ", V(*v, c));
            target(out, c, a);
            out.push_str(", ");
            target(out, c, b);
        }
        Term::Switch(v, cases, default) => {
            let _ = write!(out, "switch {} {{", V(*v, c));
            for (i, (n, t)) in cases.iter().enumerate() {
                let _ = write!(out, "{}{n}: ", if i > 0 { ", " } else { "" });
                target(out, c, t);
            }
            out.push_str("} else ");
            target(out, c, default);
        }
        Term::Return(vs) => {
            out.push_str(if vs.is_empty() { "return" } else { "return " });
            args(out, c, vs);
        }
        Term::TailCall(to, vs) => {
            out.push_str("tail_call ");
            callee(out, c, *to, vs);
        }
        Term::Invoke { callee: to, args: vs, ok, handler } => {
            out.push_str("invoke ");
            callee(out, c, *to, vs);
            out.push_str(" -> ");
            target(out, c, ok);
            out.push_str(", ");
            target(out, c, handler);
        }
        Term::Scope { body, handler } => {
            out.push_str("scope ");
            target(out, c, body);
            out.push_str(", ");
            target(out, c, handler);
        }
        Term::Raise(v) => {
            let _ = write!(out, "raise {}", V(*v, c));
        }
        Term::RaiseBuiltin(b) => {
            let _ = write!(out, "raise_builtin {}", b.name());
        }
        Term::Unreachable => out.push_str("unreachable"),
    }
}

struct Show<'a>(&'a StaticData);

impl fmt::Display for Show<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            StaticData::Array { log2: 0, bytes } => write!(out, "bytes \"{}\"", bytes.escape_ascii()),
            StaticData::Array { log2, bytes } => write!(out, "array {log2} \"{}\"", bytes.escape_ascii()),
            StaticData::Record { tag, raws, refs } => {
                write!(out, "record {tag} [")?;
                for (i, raw) in raws.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    match raw {
                        RawInit::Int(n) => write!(out, "{comma}{n}")?,
                        RawInit::Code(f) => write!(out, "{comma}@{f}")?,
                    }
                }
                write!(out, "] [")?;
                for (i, r) in refs.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    match r {
                        RefInit::Imm(n) => write!(out, "{comma}imm({n})")?,
                        RefInit::Data(d) => write!(out, "{comma}{d}")?,
                    }
                }
                write!(out, "]")
            }
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Ty::I64 => "i64",
            Ty::F64 => "f64",
            Ty::F32 => "f32",
            Ty::Ref => "ref",
        })
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(elem_name(*self))
    }
}

macro_rules! names {
    ($table:ident $name:ident $ty:ty { $($variant:ident = $text:literal),* $(,)? }) => {
        /// Every operation with its name in the dump.
        pub(crate) const $table: &[($ty, &str)] = &[$((<$ty>::$variant, $text)),*];
        pub(crate) fn $name(x: $ty) -> &'static str {
            match x { $(<$ty>::$variant => $text),* }
        }
    };
}

names!(UNARIES unary_name Unary {
    Neg = "neg", Not = "not", Zext8 = "zext8", Zext16 = "zext16", Zext32 = "zext32", Sext8 = "sext8", Sext16 = "sext16",
    Sext32 = "sext32", FNeg = "fneg", FAbs = "fabs", FSqrt = "fsqrt", FFloor = "ffloor", FCeil = "fceil", FTrunc = "ftrunc",
    FNearest = "fnearest", FOfInt = "f_of_int", FToInt = "f_to_int", FToBits = "f_to_bits", FOfBits = "f_of_bits",
    F32To64 = "f32_to_f64", F64To32 = "f64_to_f32",
});
names!(BINARIES binary_name Binary {
    Add = "add", Sub = "sub", Mul = "mul", And = "and", Or = "or", Xor = "xor", Shl = "shl", Shr = "shr", Sar = "sar",
    Div = "div", Mod = "mod", SDiv = "sdiv", SRem = "srem", UDiv = "udiv", URem = "urem", NDiv = "ndiv", NRem = "nrem", FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv",
});
names!(OVFS ovf_name Ovf { Add = "add_ovf", Sub = "sub_ovf", Mul = "mul_ovf" });
names!(CONDS cond_name Cond {
    Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", ULt = "ult", ULe = "ule", UGt = "ugt", UGe = "uge",
});
names!(FCONDS fcond_name FCond { Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge" });
names!(ELEMS elem_name Elem {
    U8 = "u8", I8 = "i8", U16 = "u16", I16 = "i16", U32 = "u32", I32 = "i32", I64 = "i64", F32 = "f32", F64 = "f64", Ref = "ref",
});
