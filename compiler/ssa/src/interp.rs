//! A plain interpreter of Ssa: the oracle that optimised programs are compared with.
//!
//! Everything that a right program never does is a [`End::Trap`]: a field or element out of bounds, a shift count or
//! divisor out of range (S9), a switch on an object that has no tag. Frames are on a list, so deep recursion is no
//! trouble; a limit of steps ends what does not end.

use crate::ir::*;
use leat_abi::exn::{BUILTINS, Builtin};
use leat_abi::prim::Prim;

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// The function's results: integers, bits of reals; refs as 0.
    Returned(Vec<u64>),
    /// Name of the exception.
    Raised(String),
    /// More steps than allowed.
    Steps,
    /// What a right program never does.
    Trap(String),
}

/// What a run did.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub end: End,
    /// What it printed.
    pub output: String,
    /// Instructions and terminators executed.
    pub steps: u64,
}

enum Obj {
    Record { tag: u16, words: Vec<u64> },
    Array { elem: u32, refs: bool, bytes: Vec<u8> },
}

struct Frame<'a> {
    f: &'a Function,
    values: Vec<u64>,
    block: Block,
    at: usize,
}

struct Machine<'a> {
    p: &'a Program,
    heap: Vec<Obj>,
    datas: Vec<u64>,
    globals: Vec<u64>,
    frames: Vec<Frame<'a>>,
    output: String,
    steps: u64,
    /// Descriptor and packet of each builtin exception.
    builtins: Vec<(u64, u64)>,
}

/// What an instruction wants next.
enum Next {
    Go,
    Call(Callee, Vec<u64>),
    Tail(Callee, Vec<u64>),
    Return(Vec<u64>),
    Raise(u64),
}

type Step<T> = Result<T, String>;

/// Runs a function of no refs with these arguments.
pub fn run(p: &Program, func: Func, args: &[u64], max_steps: u64) -> Run {
    let mut m = Machine {
        p,
        heap: Vec::new(),
        datas: Vec::new(),
        globals: vec![0; p.globals.len()],
        frames: Vec::new(),
        output: String::new(),
        steps: 0,
        builtins: Vec::new(),
    };
    m.start();
    let end = match m.enter(Callee::Func(func), args.to_vec()) {
        Ok(_) => m.go(max_steps).unwrap_or_else(End::Trap),
        Err(e) => End::Trap(e),
    };
    Run { end, output: m.output, steps: m.steps }
}

impl<'a> Machine<'a> {
    fn start(&mut self) {
        for data in &self.p.datas {
            let obj = match data {
                StaticData::Array { log2, bytes } => Obj::Array { elem: *log2, refs: false, bytes: bytes.clone() },
                StaticData::Record { tag, .. } => Obj::Record { tag: *tag, words: Vec::new() },
            };
            let at = self.add(obj);
            self.datas.push(at);
        }
        for (i, data) in self.p.datas.iter().enumerate() {
            if let StaticData::Record { tag, raws, refs } = data {
                let raws = raws.iter().map(|r| match r {
                    RawInit::Int(n) => *n as u64,
                    RawInit::Code(f) => u64::from(f.0),
                });
                let refs = refs.iter().map(|r| match r {
                    RefInit::Imm(n) => *n,
                    RefInit::Data(d) => self.datas[d.0 as usize],
                });
                self.heap[i] = Obj::Record { tag: *tag, words: raws.chain(refs).collect() };
            }
        }
        for &(_, name, kind) in BUILTINS {
            let name = self.string(name.as_bytes());
            let desc = self.add(Obj::Record { tag: 0, words: vec![kind as u64, name] });
            let packet = self.add(Obj::Record { tag: 0, words: vec![desc, 1] });
            self.builtins.push((desc, packet));
        }
    }

    fn add(&mut self, obj: Obj) -> u64 {
        self.heap.push(obj);
        self.heap.len() as u64 * 8
    }

    fn string(&mut self, bytes: &[u8]) -> u64 {
        self.add(Obj::Array { elem: 0, refs: false, bytes: bytes.to_vec() })
    }

    fn obj(&mut self, address: u64) -> Step<&mut Obj> {
        if address & 7 != 0 || address == 0 {
            return Err(format!("{address} is no object"));
        }
        self.heap.get_mut(address as usize / 8 - 1).ok_or(format!("{address} is no object"))
    }

    fn record(&mut self, address: u64) -> Step<&mut Vec<u64>> {
        match self.obj(address)? {
            Obj::Record { words, .. } => Ok(words),
            Obj::Array { .. } => Err("an array, not a record".into()),
        }
    }

    fn bytes(&mut self, address: u64) -> Step<Vec<u8>> {
        match self.obj(address)? {
            Obj::Array { elem: 0, bytes, .. } => Ok(bytes.clone()),
            _ => Err("no string".into()),
        }
    }

    fn field(&mut self, address: u64, field: u32) -> Step<&mut u64> {
        self.record(address)?.get_mut(field as usize).ok_or(format!("no field {field}"))
    }

    fn builtin(&self, b: Builtin) -> (u64, u64) {
        self.builtins[b as usize]
    }

    /// Begins a call: a frame, or a primitive's results.
    fn enter(&mut self, callee: Callee, mut args: Vec<u64>) -> Step<Option<Result<Vec<u64>, u64>>> {
        let func = match callee {
            Callee::Func(f) => f,
            Callee::Closure(_) => Func(*self.field(args[0], 0)? as u32),
            Callee::Prim(p) => return self.prim(p, &args).map(Some),
            Callee::Foreign(..) => return Err("foreign functions are not interpreted".into()),
        };
        let f = self.p.funcs.get(func.0 as usize).ok_or("no such function")?;
        let mut values = vec![0; f.values.len()];
        let params = &f[f.entry].params;
        if params.len() != args.len() {
            return Err(format!("{} takes {} arguments, not {}", f.name, params.len(), args.len()));
        }
        for (&p, a) in params.iter().zip(args.drain(..)) {
            values[p.0 as usize] = a;
        }
        self.frames.push(Frame { f, values, block: f.entry, at: 0 });
        if self.frames.len() > 1 << 20 {
            return Err("the stack is used up".into());
        }
        Ok(None)
    }

    fn go(&mut self, max_steps: u64) -> Step<End> {
        loop {
            self.steps += 1;
            if self.steps > max_steps {
                return Ok(End::Steps);
            }
            let next = self.step()?;
            let (callee, args, tail) = match next {
                Next::Go => continue,
                Next::Call(callee, args) => (callee, args, false),
                Next::Tail(callee, args) => (callee, args, true),
                Next::Return(vs) => {
                    self.frames.pop();
                    if self.frames.is_empty() {
                        return Ok(End::Returned(vs));
                    }
                    self.deliver(vs)?;
                    continue;
                }
                Next::Raise(packet) => match self.unwind(packet)? {
                    Some(end) => return Ok(end),
                    None => continue,
                },
            };
            if tail {
                self.frames.pop();
            }
            match self.enter(callee, args)? {
                None => {}
                Some(Ok(vs)) => self.deliver(vs)?,
                Some(Err(packet)) => {
                    if let Some(end) = self.unwind_from_call(packet)? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Gives results to the call where the topmost frame stands.
    fn deliver(&mut self, vs: Vec<u64>) -> Step<()> {
        let frame = self.frames.last_mut().ok_or("no frame")?;
        let f = frame.f;
        let block = &f[frame.block];
        if let Some(inst) = block.insts.get(frame.at) {
            if inst.results.len() != vs.len() {
                return Err("wrong number of results".into());
            }
            inst.results.iter().zip(vs).for_each(|(r, v)| frame.values[r.0 as usize] = v);
            frame.at += 1;
            return Ok(());
        }
        match &block.term {
            Term::Invoke { ok, .. } => {
                jump(frame, ok, vs);
                Ok(())
            }
            _ => Err("results to nowhere".into()),
        }
    }

    /// A raise out of the topmost frame.
    fn unwind(&mut self, packet: u64) -> Step<Option<End>> {
        self.frames.pop();
        self.unwind_from_call(packet)
    }

    /// A raise out of what the topmost frame called.
    fn unwind_from_call(&mut self, packet: u64) -> Step<Option<End>> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                let desc = *self.field(packet, 0)?;
                let name = *self.field(desc, 1)?;
                let name = self.bytes(name)?;
                return Ok(Some(End::Raised(String::from_utf8_lossy(&name).into_owned())));
            };
            let f = frame.f;
            let block = &f[frame.block];
            if frame.at == block.insts.len()
                && let Term::Invoke { handler, .. } = &block.term
            {
                jump(frame, handler, vec![packet]);
                return Ok(None);
            }
            self.frames.pop();
        }
    }

    fn step(&mut self) -> Step<Next> {
        let frame = self.frames.last_mut().expect("there is a frame");
        let f: &'a Function = frame.f;
        let block = &f[frame.block];
        let Some(inst) = block.insts.get(frame.at) else {
            return self.term(&block.term);
        };
        let v = |v: Value| frame.values[v.0 as usize];
        let call = |callee: Callee, args: &Values| {
            let mut vs: Vec<u64> = Vec::new();
            if let Callee::Closure(c) = callee {
                vs.push(v(c));
            }
            vs.extend(args.iter().map(|&a| v(a)));
            vs
        };
        let result: u64 = match &inst.op {
            Op::Call(callee, args) => return Ok(Next::Call(*callee, call(*callee, args))),
            Op::Guard(c, b) => {
                if v(*c) != 0 {
                    let packet = self.builtin(*b).1;
                    return Ok(Next::Raise(packet));
                }
                0
            }
            Op::Ovf(op, a, b) => {
                let (wrapped, overflow) = ovf(*op, v(*a) as i64, v(*b) as i64);
                frame.values[inst.results[0].0 as usize] = wrapped as u64;
                frame.values[inst.results[1].0 as usize] = u64::from(overflow);
                frame.at += 1;
                return Ok(Next::Go);
            }
            op => {
                let mut operands: smallvec::SmallVec<[u64; 6]> = smallvec::SmallVec::new();
                op.each_operand(|x| operands.push(v(x)));
                self.op(op, &operands)?
            }
        };
        let frame = self.frames.last_mut().expect("there is a frame");
        if let Some(&r) = inst.results.first() {
            frame.values[r.0 as usize] = result;
        }
        frame.at += 1;
        Ok(Next::Go)
    }

    fn op(&mut self, op: &Op, o: &[u64]) -> Step<u64> {
        Ok(match op {
            Op::Iconst(n) => *n as u64,
            Op::Fconst(bits) => *bits,
            Op::F32const(bits) => u64::from(*bits),
            Op::RefImm(n) => *n,
            Op::Data(d) => self.datas[d.0 as usize],
            Op::FuncAddr(f) => u64::from(f.0),
            Op::Unary(u, _) => unary(*u, o[0]),
            Op::Binary(b, ..) => binary(*b, o[0], o[1]).ok_or("S9: a shift count or divisor out of range")?,
            Op::Cmp(c, ..) => u64::from(c.holds(o[0] as i64, o[1] as i64)),
            Op::FCmp(c, ..) => u64::from(c.holds(f64::from_bits(o[0]), f64::from_bits(o[1]))),
            Op::RefEq(..) => u64::from(o[0] == o[1]),
            Op::IsImm(_) => o[0] & 1,
            Op::ImmValue(_) if o[0] & 1 == 0 => return Err("imm_value of an object".into()),
            Op::ImmValue(_) => o[0] >> 1,
            Op::Select(..) => o[if o[0] != 0 { 1 } else { 2 }],
            Op::Alloc { tag, .. } => self.add(Obj::Record { tag: *tag, words: o.to_vec() }),
            Op::Load { field, .. } => *self.field(o[0], *field)?,
            Op::Store { field, .. } => {
                *self.field(o[0], *field)? = o[1];
                0
            }
            Op::Tag(_) => match self.obj(o[0])? {
                Obj::Record { tag, .. } => u64::from(*tag),
                Obj::Array { .. } => return Err("tag of an array".into()),
            },
            Op::Length(_) => match self.obj(o[0])? {
                Obj::Array { elem, bytes, .. } => (bytes.len() >> *elem) as u64,
                Obj::Record { .. } => return Err("length of a record".into()),
            },
            Op::ElemLoad { elem, .. } => {
                let bytes = self.element(*elem, o[0], o[1])?;
                let mut word = [0u8; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                let word = u64::from_le_bytes(word);
                match elem {
                    Elem::I8 => word as i8 as u64,
                    Elem::I16 => word as i16 as u64,
                    Elem::I32 => word as i32 as u64,
                    _ => word,
                }
            }
            Op::CountBytes { byte, .. } => {
                let mut count = 0;
                for i in 0..16 {
                    count += u64::from(self.element(Elem::U8, o[0], o[1].wrapping_add(i))?[0] == *byte);
                }
                count
            }
            Op::FindByte { set, .. } => {
                let mut found = 16;
                for i in (0..16).rev() {
                    if set.has(self.element(Elem::U8, o[0], o[1].wrapping_add(i))?[0]) {
                        found = i;
                    }
                }
                found
            }
            Op::ElemStore { elem, .. } => {
                let bytes = self.element(*elem, o[0], o[1])?;
                let n = bytes.len();
                bytes.copy_from_slice(&o[2].to_le_bytes()[..n]);
                0
            }
            Op::Cas { field, .. } => {
                let place = self.field(o[0], *field)?;
                let same = *place == o[1];
                if same {
                    *place = o[2];
                }
                u64::from(same)
            }
            Op::GlobalLoad(g) => self.globals[g.0 as usize],
            Op::GlobalStore(g, _) => {
                self.globals[g.0 as usize] = o[0];
                0
            }
            Op::ExnDesc(b) => self.builtin(*b).0,
            Op::ExnPacket(b) => self.builtin(*b).1,
            Op::CurrentThread | Op::WorkerMark | Op::WorkerCompany => return Err("there are no threads".into()),
            Op::Atomic(_) | Op::Poll | Op::HeapCheck(_) => 0,
            Op::Guard(..) | Op::Call(..) | Op::Ovf(..) => return Err("treated by step".into()),
        })
    }

    fn element(&mut self, elem: Elem, array: u64, index: u64) -> Step<&mut [u8]> {
        match self.obj(array)? {
            Obj::Array { elem: log2, refs, bytes } if *log2 == elem.log2() && *refs == (elem == Elem::Ref) => {
                let start = (index as usize).checked_shl(*log2).ok_or("an index out of bounds")?;
                let end = start.checked_add(1 << *log2).ok_or("an index out of bounds")?;
                if index >> 48 != 0 || end > bytes.len() {
                    return Err(format!("index {} is out of bounds", index as i64));
                }
                Ok(&mut bytes[start..end])
            }
            _ => Err("no array of such elements".into()),
        }
    }

    fn term(&mut self, term: &'a Term) -> Step<Next> {
        let frame = self.frames.last_mut().expect("there is a frame");
        let v = |v: Value| frame.values[v.0 as usize];
        let call = |callee: &Callee, args: &Values| {
            let mut vs: Vec<u64> = Vec::new();
            if let Callee::Closure(c) = callee {
                vs.push(v(*c));
            }
            vs.extend(args.iter().map(|&a| v(a)));
            vs
        };
        match term {
            Term::Jump(t) | Term::Scope { body: t, .. } => jump(frame, t, Vec::new()),
            Term::Branch(c, yes, no) => {
                let t = if v(*c) != 0 { yes } else { no };
                jump(frame, t, Vec::new());
            }
            Term::Switch(x, cases, default) => {
                let x = v(*x) as i64;
                let t = cases.iter().find(|(n, _)| *n == x).map_or(default, |(_, t)| t);
                jump(frame, t, Vec::new());
            }
            Term::Return(vs) => return Ok(Next::Return(vs.iter().map(|&x| v(x)).collect())),
            Term::TailCall(callee, args) => return Ok(Next::Tail(*callee, call(callee, args))),
            Term::Invoke { callee, args, .. } => return Ok(Next::Call(*callee, call(callee, args))),
            Term::Raise(p) => return Ok(Next::Raise(v(*p))),
            Term::RaiseBuiltin(b) => return Ok(Next::Raise(self.builtin(*b).1)),
            Term::Unreachable => return Err("unreachable was reached".into()),
        }
        Ok(Next::Go)
    }

    /// A primitive's results, or the packet that it raises.
    fn prim(&mut self, prim: Prim, a: &[u64]) -> Step<Result<Vec<u64>, u64>> {
        let f = |i: usize| f64::from_bits(a[i]);
        let real = |x: f64| vec![x.to_bits()];
        Ok(Ok(match prim {
            Prim::Print | Prim::PrintErr => {
                let bytes = self.bytes(a[0])?;
                self.output.push_str(&String::from_utf8_lossy(&bytes));
                Vec::new()
            }
            Prim::Access | Prim::ExnPlace | Prim::ExnAgain => Vec::new(),
            // What is printed is never kept.
            Prim::OutDue => vec![0],
            Prim::OutSettle => vec![-1i64 as u64],
            Prim::StringEq => vec![u64::from(self.bytes(a[0])? == self.bytes(a[1])?)],
            Prim::StringCompare => vec![self.bytes(a[0])?.cmp(&self.bytes(a[1])?) as i64 as u64],
            Prim::StringConcat => {
                let joined = [self.bytes(a[0])?, self.bytes(a[1])?].concat();
                vec![self.string(&joined)]
            }
            Prim::StringExtractUnsafe => {
                let bytes = self.bytes(a[0])?;
                let part = bytes.get(a[1] as usize..(a[1] + a[2]) as usize).ok_or("extract out of bounds")?.to_vec();
                vec![self.string(&part)]
            }
            Prim::IntToString => {
                let text = (a[0] as i64).to_string().replace('-', "~");
                vec![self.string(text.as_bytes())]
            }
            Prim::ArrayNew | Prim::ArrayNewUninit => {
                let count = a[0];
                if count > 1 << 20 {
                    return Ok(Err(self.builtin(Builtin::Size).1));
                }
                let shape = a[a.len() - 1];
                let elem = leat_abi::header::elem_log2(shape);
                let refs = leat_abi::header::ObjectKind::of(shape) == leat_abi::header::ObjectKind::RefArray;
                let init = if prim == Prim::ArrayNew { a[1] } else { u64::from(refs) };
                let one = &init.to_le_bytes()[..1 << elem];
                let bytes = one.repeat(count as usize);
                vec![self.add(Obj::Array { elem, refs, bytes })]
            }
            Prim::ArrayCopyUnsafe => {
                let Obj::Array { elem, bytes, .. } = self.obj(a[0])? else { return Err("no array".into()) };
                let elem = *elem;
                let part = bytes
                    .get((a[1] << elem) as usize..((a[1] + a[4]) << elem) as usize)
                    .ok_or("copy out of bounds")?
                    .to_vec();
                let Obj::Array { bytes, .. } = self.obj(a[2])? else { return Err("no array".into()) };
                bytes
                    .get_mut((a[3] << elem) as usize..((a[3] + a[4]) << elem) as usize)
                    .ok_or("copy out of bounds")?
                    .copy_from_slice(&part);
                Vec::new()
            }
            Prim::RealSin => real(f(0).sin()),
            Prim::RealCos => real(f(0).cos()),
            Prim::RealExp => real(f(0).exp()),
            Prim::RealLn => real(f(0).ln()),
            Prim::RealPow => real(f(0).powf(f(1))),
            Prim::RealAtan2 => real(f(0).atan2(f(1))),
            _ => return Err(format!("{} is not interpreted", prim.name())),
        }))
    }
}

/// Goes to a target; `given` are the values that come before its arguments.
fn jump(frame: &mut Frame, t: &Target, given: Vec<u64>) {
    let mut args = given;
    args.extend(t.args.iter().map(|a| frame.values[a.0 as usize]));
    let f = frame.f;
    for (&p, a) in f[t.block].params.iter().zip(args) {
        frame.values[p.0 as usize] = a;
    }
    frame.block = t.block;
    frame.at = 0;
}

pub(crate) fn ovf(op: Ovf, a: i64, b: i64) -> (i64, bool) {
    match op {
        Ovf::Add => a.overflowing_add(b),
        Ovf::Sub => a.overflowing_sub(b),
        Ovf::Mul => a.overflowing_mul(b),
    }
}

pub(crate) fn unary(op: Unary, x: u64) -> u64 {
    let f = f64::from_bits(x);
    match op {
        Unary::Neg => (x as i64).wrapping_neg() as u64,
        Unary::Not => !x,
        Unary::Zext8 => x & 0xff,
        Unary::Zext16 => x & 0xffff,
        Unary::Zext32 => x & 0xffff_ffff,
        Unary::Sext8 => x as i8 as u64,
        Unary::Sext16 => x as i16 as u64,
        Unary::Sext32 => x as i32 as u64,
        Unary::FNeg => x ^ 1 << 63,
        Unary::FAbs => x & !(1 << 63),
        Unary::FSqrt => f.sqrt().to_bits(),
        Unary::FFloor => f.floor().to_bits(),
        Unary::FCeil => f.ceil().to_bits(),
        Unary::FTrunc => f.trunc().to_bits(),
        Unary::FNearest => f.round_ties_even().to_bits(),
        Unary::FOfInt => (x as i64 as f64).to_bits(),
        Unary::FToInt => f as i64 as u64,
        Unary::FToBits | Unary::FOfBits => x,
        Unary::F32To64 => f64::from(f32::from_bits(x as u32)).to_bits(),
        Unary::F64To32 => u64::from((f as f32).to_bits()),
    }
}

/// None when S9 is broken.
pub(crate) fn binary(op: Binary, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl if b < 64 => a << b,
        Binary::Shr if b < 64 => a >> b,
        Binary::Sar if b < 64 => ((a as i64) >> b) as u64,
        Binary::Shl | Binary::Shr | Binary::Sar => return None,
        Binary::Div | Binary::Mod if b == 0 => return None,
        Binary::Div => {
            let (a, b) = (a as i64, b as i64);
            let wrong = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            (a.checked_div(b)? - i64::from(wrong)) as u64
        }
        Binary::Mod => {
            let (rest, b) = ((a as i64).wrapping_rem(b as i64), b as i64);
            (if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }) as u64
        }
        Binary::SDiv => (a as i64).checked_div(b as i64)? as u64,
        Binary::SRem if b == 0 => return None,
        Binary::SRem => (a as i64).wrapping_rem(b as i64) as u64,
        Binary::UDiv => a.checked_div(b)?,
        Binary::URem => a.checked_rem(b)?,
        Binary::NDiv | Binary::NRem if (a as i64) < 0 || (b as i64) < 2 => return None,
        Binary::NDiv => a / b,
        Binary::NRem => a % b,
        Binary::FAdd => (x + y).to_bits(),
        Binary::FSub => (x - y).to_bits(),
        Binary::FMul => (x * y).to_bits(),
        Binary::FDiv => (x / y).to_bits(),
    })
}
