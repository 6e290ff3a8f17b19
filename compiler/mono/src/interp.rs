//! An interpreter of Mono: runs a program without a back end, and is the oracle of the stages after it.
//!
//! Calls in tail position take no stack. Values know what they are, so a program that breaks M2 ends in an error, not
//! in a wrong answer. Threads, files and the collector's controls are not there: a program that uses them ends in an
//! error.

use crate::ir::*;
use leat_abi::exn::{BUILTINS, Builtin};
use leat_abi::prim::Prim;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How a program ended.
#[derive(Debug, Default, PartialEq)]
pub struct Ended {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Exit code; 1 after an uncaught exception.
    pub code: i64,
    /// Name of an uncaught exception.
    pub uncaught: Option<String>,
}

/// Runs a program; `args` are its arguments. At most `steps` bindings are evaluated. Deep recursion of the program
/// takes Rust's stack: run it on a thread with much. The error says what the interpreter cannot do.
pub fn run(program: &Program, args: &[&str], steps: u64) -> Result<Ended, String> {
    let mut layouts = Layouts::default();
    layouts.function(&program.main, &[], 0);
    let frame = Frame { slots: vec![None; layouts.all[0].size], layout: 0 };
    let builtins = BUILTINS.iter().map(|(_, name, _)| Rc::new(Desc { name: (*name).to_string() })).collect();
    let mut machine = Machine {
        program,
        layouts,
        builtins,
        args: args.iter().map(|arg| (*arg).to_string()).collect(),
        ended: Ended::default(),
        at_exit: Vec::new(),
        steps,
    };
    let mut stop = machine.main(frame);
    while let Some(f) = machine.at_exit.pop() {
        if let Err(other @ (Stop::Fault(_) | Stop::Raise(_))) = machine.call(f, Vec::new()) {
            stop = Err(other);
        }
    }
    match stop {
        Ok(()) | Err(Stop::Exit) => {}
        Err(Stop::Fault(text)) => return Err(text),
        Err(Stop::Raise(packet)) => {
            let Value::Packet(packet) = packet else { return Err("M2: a raised value is no packet".to_string()) };
            machine.ended.code = 1;
            machine.ended.uncaught = Some(packet.desc.name.clone());
        }
    }
    Ok(machine.ended)
}

#[derive(Clone)]
enum Value {
    /// Every integer-like scalar, and unit.
    Int(i64),
    Real(f64),
    Str(Rc<[u8]>),
    Tuple(Rc<[Value]>),
    Con(u32, Option<Rc<[Value]>>),
    Closure(Rc<Closure>),
    Ref(Rc<RefCell<Value>>),
    /// Arrays and vectors.
    Array(Rc<RefCell<Vec<Value>>>),
    Desc(Rc<Desc>),
    Packet(Rc<Packet>),
}

struct Closure {
    function: *const Function,
    layout: usize,
    /// Values of the layout's free variables; a function of the same group is there after the group is made.
    free: RefCell<Vec<Value>>,
}

struct Desc {
    name: String,
}

struct Packet {
    desc: Rc<Desc>,
    arg: Option<Value>,
}

/// Where a function's variables are in its frame: parameters, free variables, locals.
struct Layout {
    slots: FxHashMap<Var, usize>,
    free: Vec<Var>,
    size: usize,
}

#[derive(Default)]
struct Layouts {
    all: Vec<Layout>,
    of: FxHashMap<Var, usize>,
}

impl Layouts {
    /// Lays out a function after those inside it, at number `at`.
    fn function(&mut self, body: &Body, params: &[Var], at: usize) {
        if self.all.len() <= at {
            self.all.push(Layout { slots: FxHashMap::default(), free: Vec::new(), size: 0 });
        }
        let mut layout = Layout { slots: FxHashMap::default(), free: Vec::new(), size: 0 };
        for &param in params {
            layout.local(param);
        }
        let mut uses = Vec::new();
        self.body(body, &mut layout, &mut uses);
        for var in uses {
            if !layout.slots.contains_key(&var) {
                layout.local(var);
                layout.free.push(var);
            }
        }
        self.all[at] = layout;
    }

    fn body(&mut self, body: &Body, layout: &mut Layout, uses: &mut Vec<Var>) {
        let atom = |atom: &Atom, uses: &mut Vec<Var>| {
            if let Atom::Var(var) = atom {
                uses.push(*var);
            }
        };
        for bind in &body.binds {
            match bind {
                Bind::Fun(functions) => {
                    for function in functions {
                        layout.local(function.var);
                    }
                    for function in functions {
                        let at = self.all.len();
                        self.all.push(Layout { slots: FxHashMap::default(), free: Vec::new(), size: 0 });
                        self.function(&function.body, &function.params, at);
                        self.of.insert(function.var, at);
                        uses.extend(&self.all[at].free);
                    }
                }
                Bind::Val { vars, rhs, .. } => {
                    match rhs {
                        Rhs::Atoms(args) | Rhs::Tuple(args) | Rhs::Con { args, .. } | Rhs::Prim { args, .. } => {
                            args.iter().for_each(|a| atom(a, uses));
                        }
                        Rhs::App { f, args } => {
                            atom(f, uses);
                            args.iter().for_each(|a| atom(a, uses));
                        }
                        Rhs::Select(_, a) | Rhs::PacketDesc(a) | Rhs::PacketArg(a, _) => atom(a, uses),
                        Rhs::Packet { desc, arg } => {
                            atom(desc, uses);
                            if let Some((a, _)) = arg {
                                atom(a, uses);
                            }
                        }
                        Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
                        Rhs::Case { scrut, arms, default } => {
                            atom(scrut, uses);
                            if let Arms::Con(_, arms) = arms {
                                arms.iter().flat_map(|arm| &arm.1).for_each(|&var| layout.local(var));
                            }
                            for body in arms.bodies().into_iter().chain(default.as_deref()) {
                                self.body(body, layout, uses);
                            }
                        }
                        Rhs::Handle { body, exn, handler } => {
                            self.body(body, layout, uses);
                            layout.local(*exn);
                            self.body(handler, layout, uses);
                        }
                    }
                    vars.iter().for_each(|&var| layout.local(var));
                }
            }
        }
        match &body.result {
            Outcome::Values(atoms) => atoms.iter().for_each(|a| atom(a, uses)),
            Outcome::Raise(a, _) => atom(a, uses),
            Outcome::Unreachable => {}
        }
    }
}

impl Layout {
    fn local(&mut self, var: Var) {
        self.slots.insert(var, self.size);
        self.size += 1;
    }
}

struct Frame {
    slots: Vec<Option<Value>>,
    layout: usize,
}

/// Why control goes elsewhere.
enum Stop {
    Raise(Value),
    Exit,
    Fault(String),
}

enum Flow {
    Values(Vec<Value>),
    Call(Value, Vec<Value>),
}

type Run<T> = Result<T, Stop>;

struct Machine<'p> {
    program: &'p Program,
    layouts: Layouts,
    builtins: Vec<Rc<Desc>>,
    args: Vec<String>,
    ended: Ended,
    at_exit: Vec<Value>,
    steps: u64,
}

fn fault<T>(text: impl Into<String>) -> Run<T> {
    Err(Stop::Fault(text.into()))
}

fn bool_value(yes: bool) -> Value {
    Value::Con(u32::from(yes), None)
}

impl Machine<'_> {
    fn main(&mut self, mut frame: Frame) -> Run<()> {
        let program = self.program;
        match self.body(&mut frame, &program.main, false)? {
            Flow::Values(_) => Ok(()),
            Flow::Call(..) => fault("main ends in no call"),
        }
    }

    fn get(&self, frame: &Frame, atom: Atom) -> Run<Value> {
        Ok(match atom {
            Atom::Var(var) => {
                let slot = self.layouts.all[frame.layout].slots.get(&var);
                match slot.and_then(|&slot| frame.slots[slot].clone()) {
                    Some(value) => value,
                    None => {
                        return fault(format!("M1: {}.{} has no value", self.program.vars[var.0 as usize].name, var.0));
                    }
                }
            }
            Atom::Int(n) => Value::Int(n),
            Atom::Real(bits) => Value::Real(f64::from_bits(bits)),
            Atom::Str(i) => Value::Str(self.program.strings[i as usize].as_ref().into()),
            Atom::Con(_, con) => Value::Con(con, None),
        })
    }

    fn all(&self, frame: &Frame, atoms: &[Atom]) -> Run<Vec<Value>> {
        atoms.iter().map(|&atom| self.get(frame, atom)).collect()
    }

    fn set(&self, frame: &mut Frame, var: Var, value: Value) {
        let slot = self.layouts.all[frame.layout].slots[&var];
        frame.slots[slot] = Some(value);
    }

    fn call(&mut self, f: Value, args: Vec<Value>) -> Run<Vec<Value>> {
        let (mut f, mut args) = (f, args);
        loop {
            let Value::Closure(closure) = &f else { return fault("M2: no function is applied") };
            // SAFETY: the program outlives the machine, and the closure was made from a function in it.
            let function = unsafe { &*closure.function };
            if function.params.len() != args.len() {
                return fault("M3: a call with the wrong number of arguments");
            }
            let layout = &self.layouts.all[closure.layout];
            let mut slots = vec![None; layout.size];
            for (slot, arg) in slots.iter_mut().zip(args) {
                *slot = Some(arg);
            }
            for (var, value) in layout.free.iter().zip(closure.free.borrow().iter()) {
                slots[layout.slots[var]] = Some(value.clone());
            }
            let mut frame = Frame { slots, layout: closure.layout };
            match self.body(&mut frame, &function.body, true)? {
                Flow::Values(values) => return Ok(values),
                Flow::Call(next, next_args) => (f, args) = (next, next_args),
            }
        }
    }

    /// `tail`: a call at the end is left to the caller.
    fn body(&mut self, frame: &mut Frame, body: &Body, tail: bool) -> Run<Flow> {
        for (i, bind) in body.binds.iter().enumerate() {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return fault("the program takes too many steps");
            }
            match bind {
                Bind::Fun(functions) => self.functions(frame, functions)?,
                Bind::Val { vars, rhs, .. } => {
                    let last = tail && i + 1 == body.binds.len() && is_result(&body.result, vars);
                    let values = match self.rhs(frame, rhs, last)? {
                        flow if last => return Ok(flow),
                        Flow::Values(values) => values,
                        Flow::Call(f, args) => self.call(f, args)?,
                    };
                    if values.len() < vars.len() {
                        return fault("M3: too few results");
                    }
                    for (&var, value) in vars.iter().zip(values) {
                        self.set(frame, var, value);
                    }
                }
            }
        }
        match &body.result {
            Outcome::Values(atoms) => Ok(Flow::Values(self.all(frame, atoms)?)),
            Outcome::Raise(atom, _) => Err(Stop::Raise(self.get(frame, *atom)?)),
            Outcome::Unreachable => fault("control came to an unreachable end"),
        }
    }

    fn functions(&mut self, frame: &mut Frame, functions: &[Function]) -> Run<()> {
        let mut made = Vec::with_capacity(functions.len());
        for function in functions {
            let layout = self.layouts.of[&function.var];
            let closure = Rc::new(Closure { function, layout, free: RefCell::new(Vec::new()) });
            self.set(frame, function.var, Value::Closure(closure.clone()));
            made.push(closure);
        }
        for closure in made {
            let free = &self.layouts.all[closure.layout].free;
            let values: Run<Vec<Value>> = free.iter().map(|&var| self.get(frame, Atom::Var(var))).collect();
            *closure.free.borrow_mut() = values?;
        }
        Ok(())
    }

    fn rhs(&mut self, frame: &mut Frame, rhs: &Rhs, tail: bool) -> Run<Flow> {
        let one = |value| Ok(Flow::Values(vec![value]));
        match rhs {
            Rhs::Atoms(atoms) => Ok(Flow::Values(self.all(frame, atoms)?)),
            Rhs::Tuple(atoms) => one(Value::Tuple(self.all(frame, atoms)?.into())),
            Rhs::Select(i, atom) => match self.get(frame, *atom)? {
                Value::Tuple(parts) if (*i as usize) < parts.len() => one(parts[*i as usize].clone()),
                _ => fault("M2: a selection from no tuple"),
            },
            Rhs::Con { con, args, .. } if args.is_empty() => one(Value::Con(*con, None)),
            Rhs::Con { con, args, .. } => one(Value::Con(*con, Some(self.all(frame, args)?.into()))),
            Rhs::App { f, args } => Ok(Flow::Call(self.get(frame, *f)?, self.all(frame, args)?)),
            Rhs::NewExn { name, .. } => one(Value::Desc(Rc::new(Desc { name: name.as_str().to_string() }))),
            Rhs::BuiltinExn(builtin) => one(Value::Desc(self.builtins[*builtin as usize].clone())),
            Rhs::Table { elem, bits } => {
                let real = matches!(self.program.types.get(*elem), TyData::Scalar(Scalar::Real));
                let value = |&n: &i64| if real { Value::Real(f64::from_bits(n as u64)) } else { Value::Int(n) };
                one(Value::Array(Rc::new(RefCell::new(bits.iter().map(value).collect()))))
            }
            Rhs::Packet { desc, arg } => {
                let Value::Desc(desc) = self.get(frame, *desc)? else { return fault("M2: no descriptor in a packet") };
                let arg = arg.map(|(atom, _)| self.get(frame, atom)).transpose()?;
                one(Value::Packet(Rc::new(Packet { desc, arg })))
            }
            Rhs::PacketDesc(atom) => match self.get(frame, *atom)? {
                Value::Packet(packet) => one(Value::Desc(packet.desc.clone())),
                _ => fault("M2: a descriptor of no packet"),
            },
            Rhs::PacketArg(atom, _) => match self.get(frame, *atom)? {
                Value::Packet(packet) => match &packet.arg {
                    Some(arg) => one(arg.clone()),
                    None => fault("M2: an argument of a packet without one"),
                },
                _ => fault("M2: an argument of no packet"),
            },
            Rhs::Handle { body, exn, handler } => match self.body(frame, body, false) {
                Err(Stop::Raise(packet)) => {
                    self.set(frame, *exn, packet);
                    self.body(frame, handler, tail)
                }
                other => other,
            },
            Rhs::Case { scrut, arms, default } => {
                let scrut = self.get(frame, *scrut)?;
                let arm = match (arms, &scrut) {
                    (Arms::Con(_, arms), Value::Con(con, fields)) => match arms.iter().find(|arm| arm.0 == *con) {
                        Some((_, vars, body)) => {
                            let fields = fields.as_deref().unwrap_or(&[]);
                            if fields.len() != vars.len() {
                                return fault("M2: a constructor with other fields");
                            }
                            for (&var, field) in vars.iter().zip(fields) {
                                self.set(frame, var, field.clone());
                            }
                            Some(body)
                        }
                        None => None,
                    },
                    (Arms::Int(arms), Value::Int(n)) => arms.iter().find(|arm| arm.0 == *n).map(|arm| &arm.1),
                    (Arms::Str(arms), Value::Str(text)) => arms
                        .iter()
                        .find(|arm| self.program.strings[arm.0 as usize].as_ref() == text.as_ref())
                        .map(|arm| &arm.1),
                    _ => return fault("M2: a case of another type"),
                };
                match arm.or(default.as_deref()) {
                    Some(body) => self.body(frame, body, tail),
                    None => fault("M4: no arm"),
                }
            }
            Rhs::Prim { prim, tys, args } => {
                let args = self.all(frame, args)?;
                Ok(Flow::Values(self.prim(*prim, tys, args)?.into_iter().collect()))
            }
        }
    }

    fn raise<T>(&self, builtin: Builtin) -> Run<T> {
        let desc = self.builtins[builtin as usize].clone();
        Err(Stop::Raise(Value::Packet(Rc::new(Packet { desc, arg: None }))))
    }

    fn checked(&self, n: Option<i64>) -> Run<Option<Value>> {
        match n {
            Some(n) => Ok(Some(Value::Int(n))),
            None => self.raise(Builtin::Overflow),
        }
    }

    fn prim(&mut self, prim: Prim, tys: &[Ty], args: Vec<Value>) -> Run<Option<Value>> {
        use Prim::*;
        let int = |i: usize| match args.get(i) {
            Some(Value::Int(n)) => Ok(*n),
            Some(Value::Con(con, None)) => Ok(i64::from(*con)),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let word = |i: usize| int(i).map(|n| n as u64);
        let real = |i: usize| match args.get(i) {
            Some(Value::Real(x)) => Ok(*x),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let text = |i: usize| match args.get(i) {
            Some(Value::Str(text)) => Ok(text.clone()),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let array = |i: usize| match args.get(i) {
            Some(Value::Array(array)) => Ok(array.clone()),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let cell = |i: usize| match args.get(i) {
            Some(Value::Ref(cell)) => Ok(cell.clone()),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let packet = |i: usize| match args.get(i) {
            Some(Value::Packet(packet)) => Ok(packet.clone()),
            _ => fault(format!("M2: argument {i} of {}", prim.name())),
        };
        let i = |n: i64| Ok(Some(Value::Int(n)));
        let w = |n: u64| Ok(Some(Value::Int(n as i64)));
        let r = |x: f64| Ok(Some(Value::Real(x)));
        let b = |yes: bool| Ok(Some(bool_value(yes)));
        let s = |text: &[u8]| Ok(Some(Value::Str(text.into())));
        match prim {
            IntAdd => self.checked(int(0)?.checked_add(int(1)?)),
            IntSub => self.checked(int(0)?.checked_sub(int(1)?)),
            IntMul => self.checked(int(0)?.checked_mul(int(1)?)),
            IntDiv | IntMod | IntQuot | IntRem | WordDiv | WordMod | Word8Div | Word8Mod if int(1)? == 0 => {
                self.raise(Builtin::Div)
            }
            IntDiv => {
                let (x, y) = (int(0)?, int(1)?);
                self.checked(x.checked_div(y).map(|q| if x % y != 0 && (x < 0) != (y < 0) { q - 1 } else { q }))
            }
            IntMod => {
                let (x, y) = (int(0)?, int(1)?);
                let m = x.wrapping_rem(y);
                i(if m != 0 && (m < 0) != (y < 0) { m + y } else { m })
            }
            IntQuot => self.checked(int(0)?.checked_div(int(1)?)),
            IntRem => i(int(0)?.wrapping_rem(int(1)?)),
            IntNeg => self.checked(int(0)?.checked_neg()),
            IntAbs => self.checked(int(0)?.checked_abs()),
            IntLt => b(int(0)? < int(1)?),
            IntLe => b(int(0)? <= int(1)?),
            IntGt => b(int(0)? > int(1)?),
            IntGe => b(int(0)? >= int(1)?),
            IntEq => b(int(0)? == int(1)?),
            WordAdd => w(word(0)?.wrapping_add(word(1)?)),
            WordSub => w(word(0)?.wrapping_sub(word(1)?)),
            WordMul => w(word(0)?.wrapping_mul(word(1)?)),
            WordDiv => w(word(0)? / word(1)?),
            WordMod => w(word(0)? % word(1)?),
            WordNeg => w(word(0)?.wrapping_neg()),
            WordLt | CharLt | Word8Lt => b(word(0)? < word(1)?),
            WordLe | CharLe | Word8Le => b(word(0)? <= word(1)?),
            WordGt | CharGt | Word8Gt => b(word(0)? > word(1)?),
            WordGe | CharGe | Word8Ge => b(word(0)? >= word(1)?),
            WordAnd => w(word(0)? & word(1)?),
            WordOr => w(word(0)? | word(1)?),
            WordXor => w(word(0)? ^ word(1)?),
            WordNot => w(!word(0)?),
            WordShl | WordShr | WordSar => {
                let (x, n) = (word(0)?, word(1)?.min(64) as u32);
                w(match prim {
                    WordShl => x.checked_shl(n).unwrap_or(0),
                    WordShr => x.checked_shr(n).unwrap_or(0),
                    _ => ((x as i64) >> n.min(63)) as u64,
                })
            }
            Bits => i(int(0)?),
            Zext8 => w(word(0)? & 0xff),
            Zext16 => w(word(0)? & 0xffff),
            Zext32 => w(word(0)? & 0xffff_ffff),
            Sext8 => i(i64::from(int(0)? as i8)),
            Sext16 => i(i64::from(int(0)? as i16)),
            Sext32 => i(i64::from(int(0)? as i32)),
            Word8Add => w(word(0)?.wrapping_add(word(1)?) & 0xff),
            Word8Sub => w(word(0)?.wrapping_sub(word(1)?) & 0xff),
            Word8Mul => w(word(0)?.wrapping_mul(word(1)?) & 0xff),
            Word8Div => w(word(0)? / word(1)?),
            Word8Mod => w(word(0)? % word(1)?),
            Word8Neg => w(word(0)?.wrapping_neg() & 0xff),
            RealAdd => r(real(0)? + real(1)?),
            RealSub => r(real(0)? - real(1)?),
            RealMul => r(real(0)? * real(1)?),
            RealDiv => r(real(0)? / real(1)?),
            RealNeg => r(-real(0)?),
            RealAbs => r(real(0)?.abs()),
            RealLt => b(real(0)? < real(1)?),
            RealLe => b(real(0)? <= real(1)?),
            RealGt => b(real(0)? > real(1)?),
            RealGe => b(real(0)? >= real(1)?),
            RealEq => b(real(0)? == real(1)?),
            RealSqrt => r(real(0)?.sqrt()),
            RealFloor => r(real(0)?.floor()),
            RealCeil => r(real(0)?.ceil()),
            RealTrunc => r(real(0)?.trunc()),
            RealRound => r(real(0)?.round_ties_even()),
            RealOfInt => r(int(0)? as f64),
            RealToIntUnsafe => i(real(0)? as i64),
            RealToBits => w(real(0)?.to_bits()),
            RealOfBits => r(f64::from_bits(word(0)?)),
            RealSin => r(real(0)?.sin()),
            RealCos => r(real(0)?.cos()),
            RealTan => r(real(0)?.tan()),
            RealAsin => r(real(0)?.asin()),
            RealAcos => r(real(0)?.acos()),
            RealAtan => r(real(0)?.atan()),
            RealAtan2 => r(real(0)?.atan2(real(1)?)),
            RealExp => r(real(0)?.exp()),
            RealLn => r(real(0)?.ln()),
            RealLog10 => r(real(0)?.log10()),
            RealPow => r(real(0)?.powf(real(1)?)),
            RealSinh => r(real(0)?.sinh()),
            RealCosh => r(real(0)?.cosh()),
            RealTanh => r(real(0)?.tanh()),
            RealRem => r(real(0)? % real(1)?),
            RealFmt => s(format_real(real(0)?, int(1)?, int(2)?).as_bytes()),
            RealOfString => {
                let text = String::from_utf8_lossy(&text(0)?).replace('~', "-");
                r(text.parse().unwrap_or(f64::NAN))
            }
            SingleOfString => {
                let text = String::from_utf8_lossy(&text(0)?).replace('~', "-");
                r(f64::from(text.parse::<f32>().unwrap_or(f32::NAN)))
            }
            RefNew | RefHere => Ok(Some(Value::Ref(Rc::new(RefCell::new(args[0].clone()))))),
            RefGet => Ok(Some(cell(0)?.borrow().clone())),
            RefSet => {
                *cell(0)?.borrow_mut() = args[1].clone();
                Ok(None)
            }
            RefCas => {
                let cell = cell(0)?;
                let holds = same(&cell.borrow(), &args[1]);
                if holds {
                    *cell.borrow_mut() = args[2].clone();
                }
                b(holds)
            }
            PtrEq => b(same(&args[0], &args[1])),
            ArrayNew | ArrayNewUninit => {
                let n = int(0)?;
                if !(0..1 << 32).contains(&n) {
                    return self.raise(Builtin::Size);
                }
                let filler = args.get(1).cloned().unwrap_or(Value::Int(0));
                Ok(Some(Value::Array(Rc::new(RefCell::new(vec![filler; n as usize])))))
            }
            ArrayLength => match &args[0] {
                Value::Str(text) => i(text.len() as i64),
                _ => i(array(0)?.borrow().len() as i64),
            },
            ArraySub | ArraySubUnsafe | VectorSub | VectorSubUnsafe => {
                let (array, n) = (array(0)?, int(1)?);
                match usize::try_from(n).ok().and_then(|n| array.borrow().get(n).cloned()) {
                    Some(value) => Ok(Some(value)),
                    None if matches!(prim, ArraySub | VectorSub) => self.raise(Builtin::Subscript),
                    None => fault("an unsafe subscript out of range"),
                }
            }
            ArrayUpdate | ArrayUpdateUnsafe => {
                let (array, n) = (array(0)?, int(1)?);
                let mut array = array.borrow_mut();
                match usize::try_from(n).ok().and_then(|n| array.get_mut(n)) {
                    Some(place) => {
                        *place = args[2].clone();
                        Ok(None)
                    }
                    None if prim == ArrayUpdate => self.raise(Builtin::Subscript),
                    None => fault("an unsafe update out of range"),
                }
            }
            ArrayCopyUnsafe => {
                let (start, dst, at, n) = (int(1)? as usize, array(2)?, int(3)? as usize, int(4)? as usize);
                let from: Vec<Value> = match &args[0] {
                    Value::Str(text) => text.iter().map(|&byte| Value::Int(i64::from(byte))).collect(),
                    _ => array(0)?.borrow().clone(),
                };
                let mut dst = dst.borrow_mut();
                if start + n > from.len() || at + n > dst.len() {
                    return fault("an unsafe copy out of range");
                }
                dst[at..at + n].clone_from_slice(&from[start..start + n]);
                Ok(None)
            }
            Cast => {
                let is_string = |ty: Option<&Ty>| {
                    ty.is_some_and(|&ty| *self.program.types.get(ty) == TyData::Scalar(Scalar::String))
                };
                match &args[0] {
                    Value::Array(array) if is_string(tys.get(1)) => {
                        let bytes: Option<Vec<u8>> = array
                            .borrow()
                            .iter()
                            .map(|value| if let Value::Int(n) = value { Some(*n as u8) } else { None })
                            .collect();
                        match bytes {
                            Some(bytes) => s(&bytes),
                            None => fault("M2: an array of something else is cast to string"),
                        }
                    }
                    Value::Str(text) if !is_string(tys.get(1)) => {
                        let values = text.iter().map(|&byte| Value::Int(i64::from(byte))).collect();
                        Ok(Some(Value::Array(Rc::new(RefCell::new(values)))))
                    }
                    other => Ok(Some(other.clone())),
                }
            }
            StringSize => i(text(0)?.len() as i64),
            StringSub | StringSubUnsafe => {
                let (text, n) = (text(0)?, int(1)?);
                match usize::try_from(n).ok().and_then(|n| text.get(n)) {
                    Some(&byte) => i(i64::from(byte)),
                    None if prim == StringSub => self.raise(Builtin::Subscript),
                    None => fault("an unsafe subscript out of range"),
                }
            }
            StringEq => b(text(0)? == text(1)?),
            StringCompare => i(text(0)?.cmp(&text(1)?) as i64),
            StringLt => b(text(0)? < text(1)?),
            StringLe => b(text(0)? <= text(1)?),
            StringGt => b(text(0)? > text(1)?),
            StringGe => b(text(0)? >= text(1)?),
            StringConcat => s(&[text(0)?, text(1)?].concat()),
            StringExtractUnsafe => {
                let (text, start, n) = (text(0)?, int(1)? as usize, int(2)? as usize);
                match text.get(start..start.saturating_add(n)) {
                    Some(part) => s(part),
                    None => fault("an unsafe extract out of range"),
                }
            }
            IntToString => s(int(0)?.to_string().replace('-', "~").as_bytes()),
            ExnName => s(packet(0)?.desc.name.as_bytes()),
            ExnArgKind => i(match &packet(0)?.arg {
                None => 0,
                Some(Value::Str(_)) => 1,
                Some(Value::Int(_)) => 2,
                Some(_) => 3,
            }),
            ExnArgString => match &packet(0)?.arg {
                Some(Value::Str(text)) => s(text),
                _ => fault("no string in a packet"),
            },
            ExnArgInt => match &packet(0)?.arg {
                Some(Value::Int(n)) => i(*n),
                _ => fault("no int in a packet"),
            },
            ExnHistory => s(b""),
            ExnKeep | ExnNote | ExnPlace | ExnAgain => Ok(None),
            Print => {
                self.ended.stdout.extend_from_slice(&text(0)?);
                Ok(None)
            }
            PrintErr => {
                self.ended.stderr.extend_from_slice(&text(0)?);
                Ok(None)
            }
            FlushOut | GcCollect | GcMessages | GcSetNursery | AtomicBegin | AtomicEnd => Ok(None),
            Exit => {
                self.ended.code = int(0)?;
                Err(Stop::Exit)
            }
            AtExit => {
                self.at_exit.push(args[0].clone());
                Ok(None)
            }
            ArgCount => i(self.args.len() as i64),
            Arg => match usize::try_from(int(0)?).ok().and_then(|n| self.args.get(n)) {
                Some(arg) => s(arg.as_bytes()),
                None => self.raise(Builtin::Subscript),
            },
            ProgramName => s(b"program"),
            Env => s(b""),
            EnvHas | GcStat | ThreadStat | OutDue => i(0),
            OutSettle => i(-1),
            TimeNow | TimeMonotonic | TimeRecent | TimeUser | TimeSystem | TimeGc => i(1),
            WeakNew => Ok(Some(Value::Tuple([args[0].clone()].into()))),
            WeakGet => match &args[0] {
                Value::Tuple(parts) => Ok(Some(parts[0].clone())),
                _ => fault("M2: no weak pointer"),
            },
            WeakLive => b(true),
            PolyEq | Describe => fault(format!("M5: {}", prim.name())),
            _ => fault(format!("the interpreter has no {}", prim.name())),
        }
    }
}

fn is_result(result: &Outcome, vars: &[Var]) -> bool {
    match result {
        Outcome::Values(atoms) => {
            atoms.len() == vars.len() && atoms.iter().zip(vars).all(|(atom, &var)| *atom == Atom::Var(var))
        }
        _ => false,
    }
}

/// The same object, or the same scalar.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Con(a, None), Value::Con(b, None)) => a == b,
        (Value::Con(_, Some(a)), Value::Con(_, Some(b))) | (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
        (Value::Str(a), Value::Str(b)) => Rc::ptr_eq(a, b),
        (Value::Ref(a), Value::Ref(b)) => Rc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b),
        (Value::Desc(a), Value::Desc(b)) => Rc::ptr_eq(a, b),
        (Value::Packet(a), Value::Packet(b)) => Rc::ptr_eq(a, b),
        (Value::Closure(a), Value::Closure(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

/// Modes: 0 SCI, 1 FIX, 2 GEN, others the `toString` of the Basis (12 digits).
fn format_real(x: f64, mode: i64, digits: i64) -> String {
    if !x.is_finite() {
        return if x.is_nan() {
            "nan"
        } else if x > 0.0 {
            "inf"
        } else {
            "~inf"
        }
        .to_string();
    }
    let digits = digits.clamp(0, 1000) as usize;
    let text = match mode {
        0 => format!("{x:.digits$e}"),
        1 => format!("{x:.digits$}"),
        2 => general(x, digits.max(1)),
        _ => {
            let text = general(x, 12);
            if text.contains(['.', 'e']) { text } else { text + ".0" }
        }
    };
    text.replace('-', "~").replace('e', "E")
}

/// At most so many significant digits, without zeros at the end; with an exponent where that is what C's `%g` does.
fn general(x: f64, digits: usize) -> String {
    let scientific = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.to_string() }
    };
    if exponent < -5 || exponent >= digits as i32 {
        format!("{}e{exponent}", trim(mantissa))
    } else {
        trim(&format!("{x:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
    }
}
