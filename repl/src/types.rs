//! Types, type schemes, signatures -> text, as a user of the session would write them.
//!
//! A type name is written as short as its meaning allows here; one that has no name in scope any more is `?.t`.

use std::cell::RefCell;

use leat_base::Symbol;
use leat_elab::basis::{ConListId, Env, EnvId, Scheme, TyStr, TypeFcn, ValEntry};
use leat_elab::ir::{Con, Tables, Ty, TyData, TyName, TyVar};
use leat_elab::{Basis, builtin};

/// What names mean.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    pub tables: &'s Tables,
    pub basis: &'s Basis,
}

/// Names of type variables in one text: `'a`, `''b`, in order of appearance.
#[derive(Default)]
struct Names {
    given: RefCell<Vec<TyVar>>,
}

/// How tightly an operator of types binds.
const ARROW: u8 = 0;
const TUPLE: u8 = 1;
const ARGUMENT: u8 = 2;

/// A type as text.
pub fn ty(scope: Scope<'_>, ty: Ty) -> String {
    scope.ty(&Names::default(), ty, ARROW)
}

/// A type scheme as text.
pub fn scheme(scope: Scope<'_>, scheme: &Scheme) -> String {
    ty(scope, scheme.ty)
}

impl Scope<'_> {
    fn ty(self, names: &Names, ty: Ty, level: u8) -> String {
        let (text, own) = match &self.tables.types[ty] {
            TyData::Var(var) => (self.tyvar(names, *var), ARGUMENT + 1),
            TyData::Con(name, args) => {
                let text = self.ty_name(*name);
                match &args[..] {
                    [] => (text, ARGUMENT + 1),
                    [arg] => (format!("{} {text}", self.ty(names, *arg, ARGUMENT)), ARGUMENT),
                    _ => {
                        let args: Vec<String> = args.iter().map(|&arg| self.ty(names, arg, ARROW)).collect();
                        (format!("({}) {text}", args.join(", ")), ARGUMENT)
                    }
                }
            }
            TyData::Arrow(from, to) => {
                (format!("{} -> {}", self.ty(names, *from, TUPLE), self.ty(names, *to, ARROW)), ARROW)
            }
            TyData::Record(fields) if fields.is_empty() => ("unit".to_string(), ARGUMENT + 1),
            TyData::Record(fields) if is_tuple(fields) => {
                let parts: Vec<String> = fields.iter().map(|field| self.ty(names, field.1, ARGUMENT)).collect();
                (parts.join(" * "), TUPLE)
            }
            TyData::Record(fields) => {
                let parts: Vec<String> =
                    fields.iter().map(|(label, ty)| format!("{label}: {}", self.ty(names, *ty, ARROW))).collect();
                (format!("{{{}}}", parts.join(", ")), ARGUMENT + 1)
            }
        };
        if own < level { format!("({text})") } else { text }
    }

    fn tyvar(self, names: &Names, var: TyVar) -> String {
        let mut given = names.given.borrow_mut();
        let number = given.iter().position(|&other| other == var).unwrap_or_else(|| {
            given.push(var);
            given.len() - 1
        });
        let primes = if self.tables.tyvars[var].equality { "''" } else { "'" };
        let letter = (b'a' + (number % 26) as u8) as char;
        match number / 26 {
            0 => format!("{primes}{letter}"),
            more => format!("{primes}{letter}{more}"),
        }
    }

    /// The shortest end of a type name's full name that means it here.
    pub fn ty_name(self, name: TyName) -> String {
        let full = self.tables.tynames[name].name.as_str();
        let starts = full.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
        for start in starts {
            if self.means(&full[start..], name) {
                return full[start..].to_string();
            }
        }
        // The library's own names for types that the Basis abbreviates.
        if name.0 <= builtin::tyname::INTINF.0 { full.to_string() } else { format!("?.{full}") }
    }

    fn means(self, long: &str, name: TyName) -> bool {
        let mut parts: Vec<Symbol> = long.split('.').map(Symbol::intern).collect();
        let Some(last) = parts.pop() else { return false };
        let found = match parts.split_first() {
            None => self.basis.ty(last),
            Some((first, rest)) => {
                let envs = &self.tables.modules.envs;
                let start = self.basis.structure(*first);
                rest.iter()
                    .try_fold(start, |env, part| Some(env.and_then(|env| envs[env].strs.get(*part).copied())))
                    .flatten()
                    .and_then(|env| envs[env].tys.get(last))
            }
        };
        found.is_some_and(|tystr| tystr.fcn == TypeFcn::Name(name))
    }

    // -- declarations and specifications, one or more lines without a line end

    /// `datatype 'a t = A | B of 'a`, `type t = int`.
    pub fn ty_dec(self, name: Symbol, tystr: &TyStr, spec: bool) -> String {
        let names = Names::default();
        if let Some(list) = tystr.cons {
            let cons = &self.tables.modules.con_lists[list];
            let head = self.applied(&names, &cons.tyvars, name.as_str());
            return format!("datatype {head} = {}", self.cons(&names, list));
        }
        match &tystr.fcn {
            TypeFcn::Abbrev { tyvars, ty } => {
                let head = self.applied(&names, tyvars, name.as_str());
                format!("type {head} = {}", self.ty(&names, *ty, ARROW))
            }
            TypeFcn::Name(tyname) => {
                let info = &self.tables.tynames[*tyname];
                let letters: Vec<String> =
                    (0..info.arity).map(|i| format!("'{}", (b'a' + (i % 26) as u8) as char)).collect();
                let applied = |text: &str| match &letters[..] {
                    [] => text.to_string(),
                    [letter] => format!("{letter} {text}"),
                    _ => format!("({}) {text}", letters.join(", ")),
                };
                let meaning = self.ty_name(*tyname);
                let last = meaning.rsplit(['.']).next().unwrap_or("");
                if spec && last == name.as_str() {
                    format!("{} {}", if info.equality { "eqtype" } else { "type" }, applied(name.as_str()))
                } else if last == name.as_str() {
                    format!("type {}", applied(name.as_str()))
                } else {
                    format!("type {} = {}", applied(name.as_str()), applied(&meaning))
                }
            }
        }
    }

    fn applied(self, names: &Names, tyvars: &[TyVar], name: &str) -> String {
        let args: Vec<String> = tyvars.iter().map(|&var| self.tyvar(names, var)).collect();
        match &args[..] {
            [] => name.to_string(),
            [arg] => format!("{arg} {name}"),
            _ => format!("({}) {name}", args.join(", ")),
        }
    }

    fn cons(self, names: &Names, list: ConListId) -> String {
        let con = |con: &Con| match con.arg {
            None => con.name.to_string(),
            Some(arg) => format!("{} of {}", con.name, self.ty(names, arg, ARROW)),
        };
        let cons: Vec<String> = self.tables.modules.con_lists[list].cons.iter().map(con).collect();
        cons.join(" | ")
    }

    /// `exception E of int`
    pub fn exception(self, name: Symbol, arg: Option<Ty>) -> String {
        match arg {
            None => format!("exception {name}"),
            Some(arg) => format!("exception {name} of {}", ty(self, arg)),
        }
    }

    /// `sig` to `end`, indented.
    pub fn signature(self, env: EnvId, indent: usize) -> String {
        let env: &Env = &self.tables.modules.envs[env];
        let margin = " ".repeat(indent + 2);
        let mut out = String::from("sig\n");
        let mut line = |text: String| {
            out.push_str(&margin);
            out.push_str(&text);
            out.push('\n');
        };
        for (name, tystr) in env.tys.by_name() {
            line(self.ty_dec(*name, tystr, true));
        }
        for (name, entry) in env.vals.by_name() {
            match entry {
                ValEntry::Var { scheme, .. } => line(format!("val {name} : {}", ty(self, scheme.ty))),
                ValEntry::Exn { arg, .. } => line(self.exception(*name, *arg)),
                _ => {}
            }
        }
        for (name, env) in env.strs.by_name() {
            line(format!("structure {name} : {}", self.signature(*env, indent + 2)));
        }
        out.push_str(&margin[2..]);
        out.push_str("end");
        out
    }
}

/// Are the labels 1, 2, ... and at least two?
pub fn is_tuple<T>(fields: &[(Symbol, T)]) -> bool {
    fields.len() >= 2 && fields.iter().enumerate().all(|(i, field)| field.0.as_tuple_label() == Some(i + 1))
}
