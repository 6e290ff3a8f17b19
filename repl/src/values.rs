//! A word in memory and its type -> text that looks like the expression for the value.
//!
//! The walk follows the type in three forms at once: as the elaborator knows it (names of constructors and labels, what
//! is abstract), closed (which fields an instance of a datatype has), and as it is represented (where they are).
//! Nothing is compiled for it, so a line costs nothing for being printed, and it works for every type that a value can
//! have. Functions are `fn`, abstract values `-`; what is deeper than a limit is `#`, what is longer `...`.

use std::rc::Rc;

use leat_abi::exn::Argument;
use leat_abi::header;
use leat_ast::{Fixity, FixityEnv};
use leat_base::Symbol;
use leat_elab::Tables;
use leat_elab::builtin::tyname;
use leat_elab::ir::{Con, Ty, TyData, TyName, TyNameDef, TyVar};
use leat_entry::objects;
use leat_entry::reals::{Format, Text, format_int, format_real};
use leat_mono::closed::ClosedTypes;
use leat_mono::ir as mono;
use leat_ssa::ir::Elem;
use leat_ssa::repr::{ConRepr, Repr, Shape};

use crate::layout::BREAK;
use crate::types::Scope;

/// How much of a value is shown.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Constructors, tuples, records and lists inside each other.
    pub depth: usize,
    /// Elements of a list, array or vector.
    pub length: usize,
    /// Characters of a string.
    pub string: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 10, length: 24, string: 200 }
    }
}

/// The greatest depth: a level takes a few frames of the session's stack.
pub const DEEPEST: usize = 1000;

/// What the type variables of a datatype's declaration stand for.
#[derive(Clone, Default)]
struct Env(Option<Rc<Frame>>);

struct Frame {
    args: Vec<(TyVar, Ty)>,
    /// The variables in those.
    outer: Env,
}

/// A type of the elaborator, closed by what its variables stand for.
#[derive(Clone)]
struct At {
    ty: Ty,
    env: Env,
}

/// Where a value is.
#[derive(Clone, Debug)]
enum Held {
    Word(u64),
    /// A tuple that is part of a constructor's argument, as the values in it: see `mono::Types::fields`.
    Flat(Vec<u64>),
}

/// Closed types of constructors' arguments, by datatype.
pub type ConArgs = Vec<Vec<Option<mono::Ty>>>;

/// Those of all types so far, which are settled.
pub fn con_args(closed: &mut ClosedTypes<'_>) -> ConArgs {
    let counts: Vec<usize> = closed.types().datatypes.iter().map(|data| data.cons.len()).collect();
    let args = |(data, cons): (usize, usize)| {
        (0..cons as u32).map(|con| closed.con_arg(mono::Data(data as u32), con)).collect()
    };
    counts.into_iter().enumerate().map(args).collect()
}

/// Texts of values.
pub struct Printer<'t> {
    tables: &'t Tables,
    scope: Scope<'t>,
    fixity: &'t FixityEnv,
    closed: &'t ClosedTypes<'t>,
    con_args: &'t ConArgs,
    repr: Repr<'t>,
    limits: Limits,
    /// Bytes of a text behind which parts are `#`.
    most: usize,
}

/// However low the limits are, a text may have so many bytes.
const LEAST: usize = 10_000;

/// What stands around a text decides whether it needs parentheses: four times one more than the precedence of the
/// operator there, and [`LEFT`] or [`RIGHT`] where an operator of the same precedence, which associates to that side,
/// needs none.
const LOOSE: u8 = 0;
const ATOMIC: u8 = 44;
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const NEITHER: u8 = 3;

impl<'t> Printer<'t> {
    /// `closed` knows all types that will be asked for, and is settled; `con_args` are its.
    pub fn new(
        scope: Scope<'t>,
        fixity: &'t FixityEnv,
        closed: &'t ClosedTypes<'t>,
        con_args: &'t ConArgs,
        limits: Limits,
    ) -> Printer<'t> {
        let most = limits.depth.saturating_mul(limits.length).saturating_mul(limits.string).max(LEAST);
        Printer { tables: scope.tables, scope, fixity, closed, con_args, repr: Repr::new(closed.types()), limits, most }
    }

    /// The value in a slot, at its type in both forms. Lines may be broken at [`BREAK`].
    ///
    /// # Safety
    /// The word is a value of the type, and nothing moves meanwhile.
    pub unsafe fn value(&self, word: u64, ty: Ty, closed: mono::Ty) -> String {
        let mut out = String::new();
        // SAFETY: as the caller says.
        unsafe { self.show(&Held::Word(word), &At { ty, env: Env::default() }, closed, 0, LOOSE, &mut out) };
        out
    }

    fn resolve(&self, at: &At) -> At {
        let mut at = at.clone();
        while let TyData::Var(var) = self.tables.types[at.ty] {
            let Some(frame) = at.env.0.clone() else { break };
            let Some(&(_, ty)) = frame.args.iter().find(|arg| arg.0 == var) else { break };
            at = At { ty, env: frame.outer.clone() };
        }
        at
    }

    unsafe fn show(&self, held: &Held, at: &At, closed: mono::Ty, depth: usize, level: u8, out: &mut String) {
        // What stands in a value many times is shown many times, at each level again.
        if out.len() >= self.most {
            return out.push('#');
        }
        let at = self.resolve(at);
        let inner = |ty: Ty| At { ty, env: at.env.clone() };
        // SAFETY: the word is a value of the type, so what it refers to has the form that the type says.
        unsafe {
            match &self.tables.types[at.ty] {
                // An unknown type stands for unit.
                TyData::Var(_) => out.push_str("()"),
                TyData::Arrow(..) => out.push_str("fn"),
                TyData::Record(fields) => match &fields[..] {
                    [] => out.push_str("()"),
                    [(label, ty)] => {
                        out.push_str(&format!("{{{label}="));
                        self.show(held, &inner(*ty), closed, depth, LOOSE, out);
                        out.push('}');
                    }
                    _ => {
                        let mono::TyData::Tuple(parts) = self.closed.types().get(closed) else { return out.push('-') };
                        let labels: Option<Vec<Symbol>> =
                            (!crate::types::is_tuple(fields)).then(|| fields.iter().map(|field| field.0).collect());
                        let held = self.parts(held, parts);
                        let values: Vec<(Held, At, mono::Ty)> = held
                            .into_iter()
                            .zip(fields)
                            .zip(parts)
                            .map(|((held, field), &closed)| (held, inner(field.1), closed))
                            .collect();
                        self.record(labels.as_deref(), &values, depth, out);
                    }
                },
                TyData::Con(name, args) => match held {
                    Held::Word(word) => self.con_ty(*word, *name, args, &at, closed, depth, level, out),
                    // An abstract type that stands for a tuple.
                    Held::Flat(_) => out.push('-'),
                },
            }
        }
    }

    /// The parts of a tuple.
    unsafe fn parts(&self, held: &Held, parts: &[mono::Ty]) -> Vec<Held> {
        match held {
            Held::Word(word) => {
                let layout = self.repr.layout(parts);
                // SAFETY: a record of these parts.
                layout.words.iter().map(|&at| Held::Word(unsafe { objects::word(*word, at as usize) })).collect()
            }
            Held::Flat(words) => {
                let mut rest = words.as_slice();
                let part = |&part: &mono::Ty| {
                    let (own, others) = rest.split_at(self.leaves(part).min(rest.len()));
                    rest = others;
                    match (self.closed.types().get(part), own) {
                        (mono::TyData::Tuple(_), _) => Held::Flat(own.to_vec()),
                        (_, own) => Held::Word(own.first().copied().unwrap_or(0)),
                    }
                };
                parts.iter().map(part).collect()
            }
        }
    }

    /// How many values a type is when tuples are flattened.
    fn leaves(&self, ty: mono::Ty) -> usize {
        match self.closed.types().get(ty) {
            mono::TyData::Tuple(parts) => parts.iter().map(|&part| self.leaves(part)).sum(),
            _ => 1,
        }
    }

    /// `(1, 2)` or `{a=1, b=2}`.
    unsafe fn record(
        &self,
        labels: Option<&[Symbol]>,
        values: &[(Held, At, mono::Ty)],
        depth: usize,
        out: &mut String,
    ) {
        if depth >= self.limits.depth {
            return out.push('#');
        }
        out.push(if labels.is_some() { '{' } else { '(' });
        for (i, (held, at, closed)) in values.iter().enumerate() {
            if i > 0 {
                out.push(',');
                out.push(BREAK);
            }
            if let Some(labels) = labels {
                out.push_str(labels[i].as_str());
                out.push('=');
            }
            // SAFETY: as `show`.
            unsafe { self.show(held, at, *closed, depth + 1, LOOSE, out) };
        }
        out.push(if labels.is_some() { '}' } else { ')' });
    }

    #[allow(clippy::too_many_arguments, reason = "one walk's state")]
    unsafe fn con_ty(
        &self,
        word: u64,
        name: TyName,
        args: &[Ty],
        at: &At,
        closed: mono::Ty,
        depth: usize,
        level: u8,
        out: &mut String,
    ) {
        let types = self.closed.types();
        // SAFETY: as `show`.
        unsafe {
            if name == tyname::INTINF {
                return self.intinf(word, closed, out);
            }
            if name == tyname::REAL32 {
                return real(word, out);
            }
            match &self.tables.tynames[name].def {
                TyNameDef::Prim(_) => match types.get(closed) {
                    mono::TyData::Scalar(scalar) => self.scalar(word, *scalar, out),
                    mono::TyData::Ref(elem) => {
                        let content = At { ty: args[0], env: at.env.clone() };
                        self.applied("ref", &Held::Word(objects::word(word, 0)), &content, *elem, depth, level, out);
                    }
                    mono::TyData::Array(elem) => self.array("[|", "|]", word, *elem, args, at, depth, out),
                    mono::TyData::Vector(elem) => self.array("#[", "]", word, *elem, args, at, depth, out),
                    _ => out.push('-'),
                },
                TyNameDef::Datatype { .. } if self.tables.tynames[name].hidden => out.push('-'),
                TyNameDef::Datatype { tyvars, cons } => {
                    self.datatype(word, name, tyvars, cons, args, at, closed, depth, level, out);
                }
                TyNameDef::Abstract { .. } => {
                    // An opaque signature may show the constructors.
                    match (self.scope.visible_cons(name), types.get(closed)) {
                        (Some(list), _) => {
                            let list = &self.tables.modules.con_lists[list];
                            let tyvars = list.tyvars.to_vec();
                            self.datatype(word, list.rep, &tyvars, &list.cons, args, at, closed, depth, level, out);
                        }
                        // `Int5.int`, `Word31.word`: numbers that the library makes.
                        (None, mono::TyData::Scalar(scalar)) if self.is_sized(name) => self.scalar(word, *scalar, out),
                        (None, _) => out.push('-'),
                    }
                }
                TyNameDef::Formal => out.push('-'),
            }
        }
    }

    fn is_sized(&self, name: TyName) -> bool {
        self.tables.modules.overloaded.iter().any(|other| other.name == name && other.size.is_some())
    }

    #[allow(clippy::too_many_arguments, reason = "one walk's state")]
    unsafe fn datatype(
        &self,
        word: u64,
        name: TyName,
        tyvars: &[TyVar],
        cons: &[Con],
        args: &[Ty],
        at: &At,
        closed: mono::Ty,
        depth: usize,
        level: u8,
        out: &mut String,
    ) {
        let mono::TyData::Data(data) = *self.closed.types().get(closed) else { return out.push('-') };
        let frame = Frame { args: tyvars.iter().copied().zip(args.iter().copied()).collect(), outer: at.env.clone() };
        let env = Env(Some(Rc::new(frame)));
        // SAFETY: as `show`.
        unsafe {
            let Some(con) = self.con_of(word, data, cons.len()) else { return out.push('-') };
            if name == tyname::LIST {
                return self.list(word, data, args, at, depth, out);
            }
            let Some(arg) = cons[con as usize].arg else { return out.push_str(&self.con(cons[con as usize].name)) };
            if depth >= self.limits.depth {
                return out.push('#');
            }
            let arg = self.resolve(&At { ty: arg, env });
            let name = cons[con as usize].name;
            let Some(closed_arg) = self.con_args[data.0 as usize][con as usize] else { return out.push('-') };
            let held = self.argument(word, data, con, closed_arg);
            // A tuple's parts are parts of the constructor's object.
            let labels = match (&self.tables.types[arg.ty], self.closed.types().get(closed_arg)) {
                (TyData::Record(labels), mono::TyData::Tuple(parts))
                    if labels.len() == parts.len() && labels.len() >= 2 =>
                {
                    Some((labels, parts))
                }
                _ => None,
            };
            let Some((labels, closed_parts)) = labels else {
                return match held.into_iter().next() {
                    Some(held) => self.applied(&self.con(name), &held, &arg, closed_arg, depth, level, out),
                    // Of unit.
                    None => out.push_str(&format!("{} ()", self.con(name))),
                };
            };
            let parts: Vec<(Symbol, At)> =
                labels.iter().map(|(label, ty)| (*label, At { ty: *ty, env: arg.env.clone() })).collect();
            let values: Vec<(Held, At, mono::Ty)> = held
                .into_iter()
                .zip(&parts)
                .zip(closed_parts)
                .map(|((held, part), &closed)| (held, part.1.clone(), closed))
                .collect();
            let is_tuple = crate::types::is_tuple(&parts);
            let infix = match self.fixity.get(name) {
                Fixity::Infix(n) => Some((4 * (n + 1), LEFT)),
                Fixity::Infixr(n) => Some((4 * (n + 1), RIGHT)),
                Fixity::Nonfix => None,
            };
            if let (Some((own, side)), 2, true) = (infix, values.len(), is_tuple) {
                // Of one precedence and two sides no chain can be written.
                let parens = own < level && own + side != level;
                let operand = |at: u8| if side == at { own + side } else { own + NEITHER };
                out.push_str(if parens { "(" } else { "" });
                self.show(&values[0].0, &values[0].1, values[0].2, depth + 1, operand(LEFT), out);
                out.push_str(&format!(" {name} "));
                out.push(BREAK);
                self.show(&values[1].0, &values[1].1, values[1].2, depth + 1, operand(RIGHT), out);
                return out.push_str(if parens { ")" } else { "" });
            }
            let labels: Option<Vec<Symbol>> = (!is_tuple).then(|| parts.iter().map(|part| part.0).collect());
            out.push_str(if level >= ATOMIC { "(" } else { "" });
            out.push_str(&self.con(name));
            out.push(' ');
            self.record(labels.as_deref(), &values, depth + 1, out);
            out.push_str(if level >= ATOMIC { ")" } else { "" });
        }
    }

    /// A constructor as it stands alone, or before its argument.
    fn con(&self, name: Symbol) -> String {
        if self.fixity.get(name) == Fixity::Nonfix { name.to_string() } else { format!("op {name}") }
    }

    /// `SOME 5`
    #[allow(clippy::too_many_arguments, reason = "one walk's state")]
    unsafe fn applied(
        &self,
        con: &str,
        held: &Held,
        arg: &At,
        closed: mono::Ty,
        depth: usize,
        level: u8,
        out: &mut String,
    ) {
        if depth >= self.limits.depth {
            return out.push('#');
        }
        out.push_str(if level >= ATOMIC { "(" } else { "" });
        out.push_str(con);
        out.push(' ');
        // SAFETY: as `show`.
        unsafe { self.show(held, arg, closed, depth + 1, ATOMIC, out) };
        out.push_str(if level >= ATOMIC { ")" } else { "" });
    }

    /// Which constructor a value has.
    unsafe fn con_of(&self, word: u64, data: mono::Data, cons: usize) -> Option<u32> {
        if self.closed.types().datatypes[data.0 as usize].cons.len() != cons {
            return None;
        }
        (0..cons as u32).find(|&con| match self.repr.con(data, con) {
            ConRepr::Number(n) => word == n as u64,
            ConRepr::Immediate(n) => word == n,
            ConRepr::Transparent => matches!(self.repr.shape(data), Shape::Newtype(_)) || !header::is_immediate(word),
            ConRepr::Thread(tag) | ConRepr::Record(tag) => {
                // SAFETY: a value that is no immediate is an object.
                !header::is_immediate(word) && header::tag(unsafe { objects::header_of(word) }) == tag
            }
        })
    }

    /// The words of a constructor's fields.
    unsafe fn fields(&self, word: u64, data: mono::Data, con: u32) -> Vec<u64> {
        let fields = self.repr.fields(data, con);
        match self.repr.con(data, con) {
            ConRepr::Number(_) | ConRepr::Immediate(_) => Vec::new(),
            ConRepr::Transparent | ConRepr::Thread(_) => vec![word],
            ConRepr::Record(_) => {
                let layout = self.repr.layout(fields);
                // SAFETY: a record of this constructor.
                layout.words.iter().map(|&at| unsafe { objects::word(word, at as usize) }).collect()
            }
        }
    }

    /// The parts of a constructor's argument, of this type.
    unsafe fn argument(&self, word: u64, data: mono::Data, con: u32, arg: mono::Ty) -> Vec<Held> {
        // SAFETY: as `show`.
        let words = unsafe { self.fields(word, data, con) };
        let types = self.closed.types();
        let parts = match types.get(arg) {
            mono::TyData::Tuple(parts) => parts.as_slice(),
            _ => return words.into_iter().map(Held::Word).collect(),
        };
        let mut rest = words.as_slice();
        let part = |(fields, &ty): (Vec<mono::Ty>, &mono::Ty)| {
            let (own, others) = rest.split_at(fields.len().min(rest.len()));
            rest = others;
            if fields == [ty] { Held::Word(own.first().copied().unwrap_or(0)) } else { Held::Flat(own.to_vec()) }
        };
        types.fields(arg).into_iter().zip(parts).map(part).collect()
    }

    unsafe fn list(&self, mut word: u64, data: mono::Data, args: &[Ty], at: &At, depth: usize, out: &mut String) {
        let elem = At { ty: args[0], env: at.env.clone() };
        // SAFETY: as `show`.
        unsafe {
            if self.con_of(word, data, 2) == Some(0) {
                return out.push_str("[]");
            }
            if depth >= self.limits.depth {
                return out.push('#');
            }
            out.push('[');
            let Some(cell) = self.con_args[data.0 as usize][1] else { return out.push_str("-]") };
            let mono::TyData::Tuple(parts) = self.closed.types().get(cell) else { return out.push_str("-]") };
            let mut count = 0;
            while self.con_of(word, data, 2) == Some(1) {
                if count > 0 {
                    out.push(',');
                    out.push(BREAK);
                }
                if count == self.limits.length {
                    out.push_str("...");
                    break;
                }
                let held = self.argument(word, data, 1, cell);
                let [head, Held::Word(tail)] = &held[..] else { break };
                self.show(head, &elem, parts[0], depth + 1, LOOSE, out);
                word = *tail;
                count += 1;
            }
            out.push(']');
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one walk's state")]
    unsafe fn array(
        &self,
        open: &str,
        close: &str,
        word: u64,
        elem: mono::Ty,
        args: &[Ty],
        at: &At,
        depth: usize,
        out: &mut String,
    ) {
        if depth >= self.limits.depth {
            return out.push('#');
        }
        let inner = At { ty: args[0], env: at.env.clone() };
        let form = self.repr.elem(elem);
        // SAFETY: an array whose elements have this form.
        unsafe {
            let length = header::length(objects::header_of(word)) as usize;
            out.push_str(open);
            for i in 0..length.min(self.limits.length + 1) {
                if i > 0 {
                    out.push(',');
                    out.push(BREAK);
                }
                if i == self.limits.length {
                    out.push_str("...");
                    break;
                }
                self.show(&Held::Word(element(word, form, i)), &inner, elem, depth + 1, LOOSE, out);
            }
            out.push_str(close);
        }
    }

    unsafe fn scalar(&self, word: u64, scalar: mono::Scalar, out: &mut String) {
        use mono::Scalar::*;
        match scalar {
            Int | Int8 | Int16 | Int32 => int(word as i64, out),
            Word | Word8 | Word16 | Word32 => out.push_str(&format!("0wx{word:X}")),
            Char => {
                out.push_str("#\"");
                character(word as u8, out);
                out.push('"');
            }
            Real | Real32 => real(word, out),
            String => {
                // SAFETY: a string's bytes are there as long as nothing moves.
                let bytes = unsafe { objects::bytes(word) };
                out.push('"');
                characters(bytes, self.limits.string, out);
                out.push_str(if bytes.len() > self.limits.string { "#\"" } else { "\"" });
            }
            // SAFETY: a packet.
            Exn => unsafe { self.packet(word, out) },
            Thread => out.push('-'),
        }
    }

    /// The name, and the argument if its form is known.
    unsafe fn packet(&self, packet: u64, out: &mut String) {
        // SAFETY: packets and descriptors have the shapes that `abi::exn` says.
        unsafe {
            let (descriptor, argument) = (objects::word(packet, 0), objects::word(packet, 1));
            out.push_str(&objects::text(objects::word(descriptor, 1)));
            let kind = objects::word(descriptor, 0);
            if kind == Argument::None as u64 || header::is_immediate(argument) && kind != Argument::Other as u64 {
                return;
            }
            out.push(' ');
            if kind == Argument::String as u64 {
                self.scalar(argument, mono::Scalar::String, out);
            } else if kind == Argument::Int as u64 {
                int(objects::word(argument, 0) as i64, out);
            } else {
                out.push('_');
            }
        }
    }

    /// A small number, or the words of a large one's magnitude, least first.
    unsafe fn intinf(&self, word: u64, closed: mono::Ty, out: &mut String) {
        let mono::TyData::Data(data) = *self.closed.types().get(closed) else { return out.push('-') };
        // SAFETY: as `show`.
        unsafe {
            let Some(con) = self.con_of(word, data, 3) else { return out.push('-') };
            let field = self.fields(word, data, con)[0];
            if con == 0 {
                return int(field as i64, out);
            }
            let count = header::length(objects::header_of(field)) as usize;
            if count > MANY_WORDS {
                return out.push('-');
            }
            let words = (0..count).map(|i| objects::word(field, i)).collect();
            out.push_str(if con == 2 { "~" } else { "" });
            out.push_str(&decimal(words));
        }
    }
}

/// Numbers with more words are not written.
const MANY_WORDS: usize = 4096;

/// A magnitude in decimal digits.
fn decimal(mut words: Vec<u64>) -> String {
    const STEP: u64 = 1_000_000_000_000_000_000;
    let mut groups = Vec::new();
    while words.iter().any(|&word| word != 0) {
        let mut rest = 0u128;
        for word in words.iter_mut().rev() {
            let now = rest << 64 | u128::from(*word);
            *word = (now / u128::from(STEP)) as u64;
            rest = now % u128::from(STEP);
        }
        groups.push(rest as u64);
        while words.last() == Some(&0) {
            words.pop();
        }
    }
    let Some((first, others)) = groups.split_last() else { return "0".to_string() };
    others.iter().rev().fold(first.to_string(), |text, group| text + &format!("{group:018}"))
}

unsafe fn element(array: u64, form: Elem, i: usize) -> u64 {
    // SAFETY: the caller has an array of this form with more than i elements.
    unsafe {
        match form {
            Elem::U8 => u64::from(*(array as *const u8).add(i)),
            Elem::I8 => *(array as *const i8).add(i) as i64 as u64,
            Elem::U16 => u64::from(*(array as *const u16).add(i)),
            Elem::I16 => *(array as *const i16).add(i) as i64 as u64,
            Elem::U32 => u64::from(*(array as *const u32).add(i)),
            Elem::I32 => *(array as *const i32).add(i) as i64 as u64,
            Elem::F32 => f64::from(*(array as *const f32).add(i)).to_bits(),
            Elem::I64 | Elem::F64 | Elem::Ref => *(array as *const u64).add(i),
        }
    }
}

fn int(value: i64, out: &mut String) {
    let mut text = Text::new();
    format_int(value, &mut text);
    out.push_str(&String::from_utf8_lossy(&text));
}

fn real(bits: u64, out: &mut String) {
    let mut text = Text::new();
    format_real(f64::from_bits(bits), Format::ToString, 0, &mut text);
    out.push_str(&String::from_utf8_lossy(&text));
}

/// So many bytes of a string. What is UTF-8 stays as it is: a string constant may hold it so.
pub fn characters(bytes: &[u8], most: usize, out: &mut String) {
    let mut left = most;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if left == 0 {
                return;
            }
            match c {
                // Neither control characters nor those that change the direction of a line.
                '\u{a1}'.. if !('\u{200b}'..='\u{206f}').contains(&c) && c != '\u{feff}' => out.push(c),
                c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| character(byte, out)),
            }
            left = left.saturating_sub(c.len_utf8());
        }
        for &byte in chunk.invalid().iter().take(left) {
            character(byte, out);
            left -= 1;
        }
    }
}

/// As `Char.toString` writes it.
fn character(byte: u8, out: &mut String) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        7 => out.push_str("\\a"),
        8 => out.push_str("\\b"),
        9 => out.push_str("\\t"),
        10 => out.push_str("\\n"),
        11 => out.push_str("\\v"),
        12 => out.push_str("\\f"),
        13 => out.push_str("\\r"),
        0..32 => out.push_str(&format!("\\^{}", (byte + 64) as char)),
        32..127 => out.push(byte as char),
        _ => out.push_str(&format!("\\{byte:03}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_strings() {
        let told = |bytes: &[u8], most| {
            let mut out = String::new();
            characters(bytes, most, &mut out);
            out
        };
        assert_eq!(told("aä\u{7f}\u{85}→\n".as_bytes(), 99), "aä\\127\\194\\133→\\n");
        assert_eq!(told(b"a\xe4\xffb", 99), "a\\228\\255b");
        assert_eq!((told("äöü".as_bytes(), 3), told(b"abc", 2)), ("äö".to_string(), "ab".to_string()));
    }

    #[test]
    fn magnitudes_in_digits() {
        assert_eq!(decimal(vec![]), "0");
        assert_eq!(decimal(vec![0, 1]), "18446744073709551616");
        assert_eq!(decimal(vec![1_000_000_000_000_000_000]), "1000000000000000000");
        assert_eq!(decimal(vec![0, 0, 1]), "340282366920938463463374607431768211456");
    }
}
