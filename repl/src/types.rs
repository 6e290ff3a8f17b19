//! Types, type schemes, signatures -> text, as a user of the session would write them.
//!
//! A type name is written as short as its meaning allows here; one that has no name in scope any more is `?.t`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leat_base::{Span, Symbol};
use leat_elab::basis::{ConListId, Env, EnvId, Scheme, TyStr, TypeFcn, ValEntry};
use leat_elab::index::Space;
use leat_elab::ir::{Con, Ty, TyData, TyName, TyVar};
use leat_elab::{Basis, Tables, naming};
use rustc_hash::FxHashSet;

/// What names mean.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    pub tables: &'s Tables,
    pub basis: &'s Basis,
}

/// A member of a structure, as a signature would specify it.
pub struct Member {
    /// With what they are: `type` and `constructor`, `val`, `exception`, or `structure`.
    pub names: Vec<(Symbol, &'static str)>,
    /// Of a structure without what is inside.
    pub text: String,
    /// Where it is declared, as far as that is known.
    pub place: Span,
    pub inside: Vec<Member>,
}

/// Names in one text.
#[derive(Default)]
struct Names {
    /// Type variables: `'a`, `''b`, in order of appearance.
    given: RefCell<Vec<TyVar>>,
    /// Type names of the signature around.
    local: Rc<Vec<(TyName, String)>>,
    /// How many parts of types have been written.
    written: Cell<usize>,
}

/// A text has no more parts of types than this, and dots for the others: a type that has a part of it twice, which has
/// one twice, and so on, would fill the memory.
const MOST: usize = 5_000;

/// A text has no more members of structures than this: one that has a structure twice, which has one twice, and so on,
/// would fill the memory.
const MOST_MEMBERS: usize = 20_000;

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
        names.written.set(names.written.get() + 1);
        if names.written.get() > MOST {
            return "...".to_string();
        }
        let (text, own) = match &self.tables.types[ty] {
            TyData::Var(var) => (self.tyvar(names, *var), ARGUMENT + 1),
            TyData::Con(name, args) => {
                let local = names.local.iter().rev().find(|entry| entry.0 == *name);
                let path = local.map_or_else(|| self.ty_name(*name), |entry| entry.1.clone());
                let (text, own) = self.con(names, args, &path);
                if args.is_empty() || !path.contains('.') {
                    (text, own)
                } else {
                    self.abbreviated(names, args, *name, text)
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

    fn con(self, names: &Names, args: &[Ty], name: &str) -> (String, u8) {
        match args {
            [] => (name.to_string(), ARGUMENT + 1),
            [arg] => (format!("{} {name}", self.ty(names, *arg, ARGUMENT)), ARGUMENT),
            _ => {
                let args: Vec<String> = args.iter().map(|&arg| self.ty(names, arg, ARROW)).collect();
                (format!("({}) {name}", args.join(", ")), ARGUMENT)
            }
        }
    }

    /// An abbreviation of the library for an applied type name, if its text is shorter than `text`.
    fn abbreviated(self, names: &Names, args: &[Ty], name: TyName, text: String) -> (String, u8) {
        let open = |ty: &Ty| match &self.tables.types[*ty] {
            TyData::Con(name, args) => Some((*name, args.clone())),
            _ => None,
        };
        for short in naming::abbreviations(self.tables, self.basis, name) {
            if let Some(args) = short.arguments(self.tables, args, &open) {
                let other = self.con(names, &args, &short.path);
                if other.0.len() < text.len() {
                    return other;
                }
            }
        }
        (text, ARGUMENT)
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

    /// The path by which the user may write a type name.
    pub fn ty_name(self, name: TyName) -> String {
        naming::path_or_mark(self.tables, self.basis, name)
    }

    fn means(self, path: &str, name: TyName) -> bool {
        naming::means(self.tables, self.basis, path, name)
    }

    /// The constructors of an abstract type that has some where its full name is declared.
    pub fn visible_cons(self, name: TyName) -> Option<ConListId> {
        let tystr = naming::lookup(self.tables, self.basis, self.tables.tynames[name].name.as_str())?;
        if tystr.fcn == TypeFcn::Name(name) { tystr.cons } else { None }
    }

    // -- declarations and specifications, one or more lines without a line end

    /// `datatype 'a t = A | B of 'a`, `type t = int`.
    pub fn ty_dec(self, name: Symbol, tystr: &TyStr) -> String {
        self.ty_dec_in(&Names::default(), name, tystr, false)
    }

    fn ty_dec_in(self, names: &Names, name: Symbol, tystr: &TyStr, spec: bool) -> String {
        if let Some(list) = tystr.cons {
            let cons = &self.tables.modules.con_lists[list];
            let head = self.applied(names, &cons.tyvars, name.as_str());
            return format!("datatype {head} = {}", self.cons(names, list));
        }
        match &tystr.fcn {
            TypeFcn::Abbrev { tyvars, ty } => {
                let head = self.applied(names, tyvars, name.as_str());
                format!("type {head} = {}", self.ty(names, *ty, ARROW))
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
        self.exception_in(&Names::default(), name, arg)
    }

    fn exception_in(self, names: &Names, name: Symbol, arg: Option<Ty>) -> String {
        match arg {
            None => format!("exception {name}"),
            Some(arg) => format!("exception {name} of {}", self.ty(names, arg, ARROW)),
        }
    }

    /// `sig` to `end`; `params` are type names that a functor's parameter has.
    pub fn signature(self, env: EnvId, params: &[TyName]) -> String {
        let local = params.iter().map(|&name| (name, self.tables.tynames[name].name.to_string())).collect();
        let left = Cell::new(MOST_MEMBERS);
        let mut text = written(&self.members_in(env, &Rc::new(local), &left), 0);
        if left.get() == 0 {
            text.truncate(text.len() - "end".len());
            text.push_str("  ...\nend");
        }
        text
    }

    /// What a structure has: its types, its values, its structures, each by name.
    pub fn members(self, env: EnvId) -> Vec<Member> {
        self.members_in(env, &Rc::default(), &Cell::new(MOST_MEMBERS))
    }

    /// `left` members at most.
    fn members_in(self, env: EnvId, around: &Rc<Vec<(TyName, String)>>, left: &Cell<usize>) -> Vec<Member> {
        let env: &Env = &self.tables.modules.envs[env];
        let mut local = around.to_vec();
        let (mut below, mut seen) = (vec![], FxHashSet::default());
        for (name, inner) in env.strs.iter().rev() {
            self.declared(*inner, &format!("{name}."), &mut seen, &mut below);
        }
        local.extend(below.into_iter().rev());
        for (name, tystr) in env.tys.iter() {
            if let TypeFcn::Name(tyname) = tystr.fcn
                && self.is_own(tyname, *name)
            {
                local.push((tyname, name.to_string()));
            }
        }
        let local = Rc::new(local);
        let names = || Names { local: local.clone(), ..Names::default() };
        let mut members = Vec::new();
        let mut add = |names: Vec<(Symbol, &'static str)>, text: String, space: Space, inside: Vec<Member>| {
            let place = env.places.get(space, names[0].0);
            members.push(Member { names, text, place, inside });
        };
        let is_full = || left.replace(left.get().saturating_sub(1)) == 0;
        for (name, tystr) in env.tys.by_name() {
            if is_full() {
                break;
            }
            let mut all = vec![(*name, "type")];
            if let Some(list) = tystr.cons {
                all.extend(self.tables.modules.con_lists[list].cons.iter().map(|con| (con.name, "constructor")));
            }
            add(all, self.ty_dec_in(&names(), *name, tystr, true), Space::Ty, vec![]);
        }
        for (name, entry) in env.vals.by_name() {
            if is_full() {
                break;
            }
            match entry {
                ValEntry::Var { scheme, .. } => {
                    let text = format!("val {name} : {}", self.ty(&names(), scheme.ty, ARROW));
                    add(vec![(*name, "val")], text, Space::Val, vec![]);
                }
                ValEntry::Exn { arg, .. } => {
                    let text = self.exception_in(&names(), *name, *arg);
                    add(vec![(*name, "exception")], text, Space::Val, vec![]);
                }
                _ => {}
            }
        }
        for (name, inner) in env.strs.by_name() {
            if is_full() {
                break;
            }
            let inside = self.members_in(*inner, &local, left);
            add(vec![(*name, "structure")], format!("structure {name}"), Space::Str, inside);
        }
        members
    }

    /// Is it a type name that was made under this name, and is not known outside by it?
    fn is_own(self, tyname: TyName, name: Symbol) -> bool {
        let full = self.tables.tynames[tyname].name.as_str();
        full.rsplit('.').next() == Some(name.as_str()) && !self.means(name.as_str(), tyname)
    }

    /// The type names of a structure, as they are called around it, from the last to the first: of several names of a
    /// type the last one counts. A structure may have exponentially many paths: `seen` has those that were looked at.
    fn declared(self, env: EnvId, prefix: &str, seen: &mut FxHashSet<EnvId>, out: &mut Vec<(TyName, String)>) {
        if !seen.insert(env) {
            return;
        }
        let env = &self.tables.modules.envs[env];
        for (name, inner) in env.strs.iter().rev() {
            self.declared(*inner, &format!("{prefix}{name}."), seen, out);
        }
        for (name, tystr) in env.tys.iter().rev() {
            if let TypeFcn::Name(tyname) = tystr.fcn
                && self.is_own(tyname, *name)
            {
                out.push((tyname, format!("{prefix}{name}")));
            }
        }
    }
}

/// `sig` to `end`.
fn written(members: &[Member], indent: usize) -> String {
    let margin = " ".repeat(indent + 2);
    let mut out = String::from("sig\n");
    for member in members {
        out.push_str(&format!("{margin}{}", member.text));
        if member.names[0].1 == "structure" {
            out.push_str(&format!(" : {}", written(&member.inside, indent + 2)));
        }
        out.push('\n');
    }
    out.push_str(&margin[2..]);
    out.push_str("end");
    out
}

/// Are the labels 1, 2, ... and at least two?
pub fn is_tuple<T>(fields: &[(Symbol, T)]) -> bool {
    fields.len() >= 2 && fields.iter().enumerate().all(|(i, field)| field.0.as_tuple_label() == Some(i + 1))
}
