//! The path to a failure of a match -> a pattern that no rule matches, as SML text.
//!
//! After Maranget, Warnings for Pattern Matching, JFP 2007: the decisions on the way say what the value is known to be.

use crate::ir::*;
use crate::occurrence::{Decision, Head, Numbers, Occ, OccInfo, Parts, ROOT, Step, numbers};
use leat_base::Symbol;
use leat_base::symbol::sym;
use leat_elab::Tables;
use leat_elab::builtin::tyname;
use leat_elab::ir::{TyData, TyNameDef};
use rustc_hash::{FxHashMap, FxHashSet};

struct Known<'m, 'p> {
    tables: &'m Tables,
    occs: &'m [OccInfo],
    parts: &'m Parts,
    decisions: FxHashMap<Occ, &'m Decision<'p>>,
    /// Occurrences that have a decision inside.
    inside: FxHashSet<Occ>,
    /// Characters that may still be written: nobody reads a long pattern.
    room: std::cell::Cell<usize>,
}

/// A pattern for the values that take this path.
pub(crate) fn describe(tables: &Tables, occs: &[OccInfo], parts: &Parts, path: &[(Occ, Decision<'_>)]) -> String {
    let mut inside = FxHashSet::default();
    for (occ, _) in path {
        let mut occ = *occ;
        while inside.insert(occ) {
            match occs[occ.0 as usize].parent {
                Some((parent, _)) => occ = parent,
                None => break,
            }
        }
    }
    let decisions = path.iter().map(|(occ, decision)| (*occ, decision)).collect();
    Known { tables, occs, parts, decisions, inside, room: std::cell::Cell::new(200) }.pattern(Some(ROOT), Level::Top)
}

/// What the place asks for; a pattern below it gets parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Top,
    /// Left operand of `::`.
    Application,
    Atomic,
}

impl<'p> Known<'_, 'p> {
    fn pattern(&self, occ: Option<Occ>, level: Level) -> String {
        let Some(occ) = occ.filter(|occ| self.inside.contains(occ)) else { return "_".to_string() };
        if self.room.get() == 0 {
            return "_".to_string();
        }
        self.room.set(self.room.get().saturating_sub(4));
        match self.decisions.get(&occ) {
            Some(Decision::Is(head)) => self.head(*head, occ, level),
            Some(Decision::Not(heads)) => self.other_than(heads, occ, level),
            None => self.record_or_ref(occ, level),
        }
    }

    fn part(&self, occ: Occ, step: Step) -> Option<Occ> {
        self.parts.get(&(occ, step)).copied()
    }

    fn ty(&self, occ: Occ) -> &TyData {
        &self.tables.types[self.occs[occ.0 as usize].ty]
    }

    fn head(&self, head: Head<'p>, occ: Occ, level: Level) -> String {
        match head {
            Head::Con(name, con) => self.con(name, con, self.part(occ, Step::ConArg(con)), level),
            Head::Int(n) => self.int(n, occ),
            Head::Str(text) => quote(text),
            Head::Exn(ExnRef::Builtin(n)) => {
                let name = leat_abi::exn::BUILTINS.get(n as usize).map_or("_", |builtin| builtin.1);
                applied(
                    name,
                    self.part(occ, Step::ExnArg(ExnRef::Builtin(n))).map(|arg| self.pattern(Some(arg), Level::Atomic)),
                    level,
                )
            }
            Head::Exn(ExnRef::Var(var)) => {
                let name = self.tables.vars[var].name;
                let arg = self.part(occ, Step::ExnArg(ExnRef::Var(var)));
                applied(name.as_str(), arg.map(|arg| self.pattern(Some(arg), Level::Atomic)), level)
            }
            Head::Len(n) => {
                let elems: Vec<String> =
                    (0..n.min(20)).map(|i| self.pattern(self.part(occ, Step::Elem(n, i)), Level::Top)).collect();
                format!("#[{}]", elems.join(", "))
            }
        }
    }

    fn con(&self, name: TyName, con: u32, arg: Option<Occ>, level: Level) -> String {
        // Programs see a number.
        if name == tyname::INTINF && con == 0 {
            return if self.has_decision(arg) { self.pattern(arg, level) } else { "0".into() };
        }
        let TyNameDef::Datatype { cons, .. } = &self.tables.tynames[name].def else { return "_".into() };
        let Some(data) = cons.get(con as usize) else { return "_".into() };
        let Some(arg_ty) = data.arg else { return data.name.as_str().to_string() };
        let is_pair = matches!(&self.tables.types[arg_ty], TyData::Record(fields) if fields.len() == 2);
        if data.name.is_symbolic() && is_pair && !self.has_decision(arg) {
            let side = |i, level| self.pattern(arg.and_then(|arg| self.part(arg, Step::Field(i))), level);
            let text = format!(
                "{} {} {}",
                side(0, Level::Application),
                data.name,
                side(1, if data.name == sym::CONS { Level::Top } else { Level::Application })
            );
            return if level > Level::Top { format!("({text})") } else { text };
        }
        applied(data.name.as_str(), Some(self.pattern(arg, Level::Atomic)), level)
    }

    fn has_decision(&self, occ: Option<Occ>) -> bool {
        occ.is_some_and(|occ| self.decisions.contains_key(&occ))
    }

    fn int(&self, n: i64, occ: Occ) -> String {
        match self.numbers(occ) {
            Some(Numbers::Char) => format!("#{}", quote(&[n as u8])),
            Some(Numbers::Word(_)) => format!("0w{}", n as u64),
            _ if n < 0 => format!("~{}", n.unsigned_abs()),
            _ => n.to_string(),
        }
    }

    fn numbers(&self, occ: Occ) -> Option<Numbers> {
        numbers(self.tables, self.occs[occ.0 as usize].ty)
    }

    /// The simplest pattern for a value that is none of `heads` (sorted where they have an order).
    fn other_than(&self, heads: &[Head<'p>], occ: Occ, level: Level) -> String {
        match heads[0] {
            Head::Con(name, _) => {
                let present: FxHashSet<Head<'_>> = heads.iter().copied().collect();
                let con = (0..).find(|&con| !present.contains(&Head::Con(name, con))).unwrap_or(0);
                self.con(name, con, None, level)
            }
            Head::Int(_) => {
                let present: FxHashSet<Head<'_>> = heads.iter().copied().collect();
                let mut all: Box<dyn Iterator<Item = i64>> = match self.numbers(occ) {
                    Some(Numbers::Char) => Box::new((i64::from(b'a')..256).chain(0..i64::from(b'a'))),
                    Some(Numbers::Word(bits @ ..64)) => Box::new(0..1 << bits),
                    Some(Numbers::Int(bits @ ..64)) => {
                        let end = 1 << (bits - 1);
                        Box::new((0..end).chain((-end..0).rev()))
                    }
                    _ => Box::new(0..=i64::MAX),
                };
                match all.find(|&n| !present.contains(&Head::Int(n))) {
                    Some(n) => self.int(n, occ),
                    None => "_".to_string(),
                }
            }
            Head::Str(_) => {
                let present: FxHashSet<Head<'_>> = heads.iter().copied().collect();
                let all = "a".repeat(heads.len());
                let free =
                    (0..=heads.len()).map(|n| &all.as_bytes()[..n]).find(|text| !present.contains(&Head::Str(text)));
                free.map_or_else(|| "_".to_string(), quote)
            }
            Head::Exn(_) => "_".to_string(),
            Head::Len(_) => {
                let n =
                    (0..).zip(heads).find(|(n, head)| **head != Head::Len(*n)).map_or(heads.len() as u32, |(n, _)| n);
                format!("#[{}]", vec!["_"; n.min(20) as usize].join(", "))
            }
        }
    }

    fn record_or_ref(&self, occ: Occ, level: Level) -> String {
        if let TyData::Record(fields) = self.ty(occ) {
            let part = |i| self.pattern(self.part(occ, Step::Field(i as u32)), Level::Top);
            let is_tuple = fields.iter().enumerate().all(|(i, field)| field.0 == Symbol::tuple_label(i + 1));
            if is_tuple && fields.len() >= 2 {
                let parts: Vec<String> = (0..fields.len()).map(part).collect();
                return format!("({})", parts.join(", "));
            }
            let known: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(i, field)| (field.0, part(i)))
                .filter(|(_, text)| text != "_")
                .map(|(label, text)| format!("{label} = {text}"))
                .collect();
            // An exception that no rule names is `_`, as is what there is no room for.
            if known.is_empty() {
                return "_".to_string();
            }
            let rest = if known.len() < fields.len() { ", ..." } else { "" };
            return format!("{{{}{rest}}}", known.join(", "));
        }
        match self.part(occ, Step::Content) {
            Some(content) => applied("ref", Some(self.pattern(Some(content), Level::Atomic)), level),
            None => "_".to_string(),
        }
    }
}

fn applied(name: &str, arg: Option<String>, level: Level) -> String {
    match arg {
        None => name.to_string(),
        Some(arg) if level == Level::Atomic => format!("({name} {arg})"),
        Some(arg) => format!("{name} {arg}"),
    }
}

/// A string constant of SML.
pub(crate) fn quote(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(byte as char),
            _ => out.push_str(&format!("\\{byte:03}")),
        }
    }
    out.push('"');
    out
}
