//! Type names -> the paths by which a program may write them, for messages and for the prompt.
//!
//! The library makes many types in structures of its own (`Channel'.chan`) and gives them to programs under other paths
//! (`CML.chan`). Only what the program may write is shown. In this order:
//! 1. the type's own name: `t` where it means this type, or `S.t` as it was declared;
//! 2. of all paths that mean it one without a prime, then one with the type's own last name, then the shortest, then
//!    the first of the alphabet;
//! 3. a type that no path reaches has none, and is shown as `?.t`.
//!
//! An abbreviation of the library that is shorter than what it stands for is written in its place, if the type's
//! constructor has no name at top level: `Word8VectorSlice.slice` for `Word8.word VectorSlice.slice`.
//!
//! All of this is done by looking through the structures in scope, when a message is made.

use crate::basis::{Basis, EnvId, TyStr, TypeFcn};
use crate::builtin::tyname;
use crate::ir::{Ty, TyData, TyName, TyVar};
use crate::tables::Tables;
use leat_base::Symbol;
use rustc_hash::FxHashSet;

/// What a program may write at some place.
pub trait Visible {
    fn ty(&self, name: Symbol) -> Option<&TyStr>;
    fn structure(&self, name: Symbol) -> Option<EnvId>;
    /// Names of types at top level.
    fn types(&self) -> Vec<Symbol>;
    /// Names of structures at top level.
    fn structures(&self) -> Vec<Symbol>;
}

impl Visible for Basis {
    fn ty(&self, name: Symbol) -> Option<&TyStr> {
        Basis::ty(self, name)
    }

    fn structure(&self, name: Symbol) -> Option<EnvId> {
        Basis::structure(self, name)
    }

    fn types(&self) -> Vec<Symbol> {
        self.layers().flat_map(|layer| layer.env.tys.iter().map(|entry| entry.0)).collect()
    }

    fn structures(&self) -> Vec<Symbol> {
        self.layers().flat_map(|layer| layer.env.strs.iter().map(|entry| entry.0)).collect()
    }
}

/// Types that the compiler makes under names which programs do not have.
const MADE: &[(TyName, &str)] = &[
    (tyname::INT8, "Int8.int"),
    (tyname::INT16, "Int16.int"),
    (tyname::INT32, "Int32.int"),
    (tyname::WORD8, "Word8.word"),
    (tyname::WORD16, "Word16.word"),
    (tyname::WORD32, "Word32.word"),
    (tyname::REAL32, "Real32.real"),
    (tyname::INTINF, "IntInf.int"),
    (tyname::THREAD, "CML.thread_id"),
    (tyname::WEAK, "SMLofNJ.Weak.weak"),
];

/// How deep structures are looked into.
const DEEPEST: usize = 5;
/// How many structures are looked into.
const MOST: usize = 20_000;

/// The path by which a program may write a type name.
pub fn path_of(tables: &Tables, visible: &dyn Visible, name: TyName) -> Option<String> {
    let full = own_name(tables, name);
    let last = full.rsplit('.').next().unwrap_or(&full);
    let own = [last, &*full];
    let own = own.into_iter().find(|path| !path.contains('\'') && means(tables, visible, path, name));
    match own {
        // A long own name may have a shorter path: `Posix.IO.file_desc`.
        Some(path) if path.matches('.').count() < 2 || is_made(name) => Some(path.to_string()),
        own => search(tables, visible, name, Symbol::intern(last)).or(own.map(str::to_string)),
    }
}

/// The path, or the mark of a type that no path reaches: `?.t`.
pub fn path_or_mark(tables: &Tables, visible: &dyn Visible, name: TyName) -> String {
    path_of(tables, visible, name).unwrap_or_else(|| {
        let full = own_name(tables, name);
        // Made by the compiler, and not hidden by anything: sources without the Basis library.
        if is_made(name) || name.0 <= tyname::INTINF.0 {
            return full;
        }
        // The library's insides are nobody's business.
        let shown = if full.contains('\'') { full.rsplit('.').next().unwrap_or_default() } else { &full };
        format!("?.{shown}")
    })
}

fn is_made(name: TyName) -> bool {
    MADE.iter().any(|made| made.0 == name)
}

/// The name with its structures, as it was declared.
fn own_name(tables: &Tables, name: TyName) -> String {
    let made = MADE.iter().find(|made| made.0 == name);
    made.map_or_else(|| tables.tynames[name].name.to_string(), |made| made.1.to_string())
}

/// Does a path mean this type name?
pub fn means(tables: &Tables, visible: &dyn Visible, path: &str, name: TyName) -> bool {
    lookup(tables, visible, path).is_some_and(|tystr| tystr.fcn == TypeFcn::Name(name))
}

/// What a path means as a type.
pub fn lookup<'v>(tables: &'v Tables, visible: &'v dyn Visible, path: &str) -> Option<&'v TyStr> {
    let mut parts = path.split('.').map(Symbol::intern).peekable();
    let mut env = None;
    loop {
        let part = parts.next()?;
        let last = parts.peek().is_none();
        match env {
            None if last => return visible.ty(part),
            None => env = Some(visible.structure(part)?),
            Some(at) if last => return tables.modules.envs[at].tys.get(part),
            Some(at) => env = Some(*tables.modules.envs[at].strs.get(part)?),
        }
    }
}

/// Which of two paths is better: without a prime, then with the type's own last name, then shorter, then first in the
/// alphabet.
type Rank = (bool, bool, usize, String);

fn search(tables: &Tables, visible: &dyn Visible, name: TyName, own: Symbol) -> Option<String> {
    let mut best: Option<Rank> = None;
    let mut offer = |prefix: &str, found: Symbol| {
        let path = format!("{prefix}{found}");
        let rank = (path.contains('\''), found != own, path.len(), path);
        if best.as_ref().is_none_or(|best| rank < *best) {
            best = Some(rank);
        }
    };
    for found in visible.types() {
        if visible.ty(found).is_some_and(|tystr| tystr.fcn == TypeFcn::Name(name)) {
            offer("", found);
        }
    }
    walk(tables, visible, &mut |prefix, env| {
        for (found, tystr) in tables.modules.envs[env].tys.iter() {
            if tystr.fcn == TypeFcn::Name(name) {
                offer(prefix, *found);
            }
        }
    });
    best.map(|rank| rank.3)
}

/// Goes through the structures in scope, those with the fewest parts first. `look` is told each, with its best path of
/// so many parts and a dot.
fn walk(tables: &Tables, visible: &dyn Visible, look: &mut dyn FnMut(&str, EnvId)) {
    let mut level: Vec<(String, EnvId)> = vec![];
    let mut names = visible.structures();
    names.sort_unstable();
    names.dedup();
    level.extend(names.into_iter().filter_map(|name| Some((format!("{name}."), visible.structure(name)?))));
    let mut seen = FxHashSet::default();
    for _ in 0..DEEPEST {
        // The best path to a structure that has several comes first.
        level
            .sort_unstable_by(|a, b| (a.0.contains('\''), a.0.len(), &a.0).cmp(&(b.0.contains('\''), b.0.len(), &b.0)));
        level.retain(|(_, env)| seen.insert(*env));
        let mut next = vec![];
        for (prefix, env) in &level {
            look(prefix, *env);
            let inner = tables.modules.envs[*env].strs.iter();
            next.extend(inner.map(|(name, env)| (format!("{prefix}{name}."), *env)));
        }
        if seen.len() > MOST {
            return;
        }
        level = next;
    }
}

/// An abbreviation of the library: `type slice = Word8.word VectorSlice.slice`.
#[derive(Clone, Debug)]
pub struct Abbreviation {
    pub path: String,
    pub tyvars: Box<[TyVar]>,
    /// An applied type name.
    pub ty: Ty,
}

/// The library's abbreviations in scope that stand for an application of a type name: those that have its last name
/// first, then the shortest.
pub fn abbreviations(tables: &Tables, visible: &dyn Visible, of: TyName) -> Vec<Abbreviation> {
    let mut found: Vec<Abbreviation> = vec![];
    let own = tables.tynames[of].name.as_str().rsplit('.').next().unwrap_or_default();
    walk(tables, visible, &mut |prefix, env| {
        if prefix.contains('\'') || tables.modules.envs.is_added(env) {
            return;
        }
        for (name, tystr) in tables.modules.envs[env].tys.iter() {
            if let TypeFcn::Abbrev { tyvars, ty } = &tystr.fcn
                && matches!(&tables.types[*ty], TyData::Con(con, args) if *con == of && !args.is_empty())
                && !name.as_str().contains('\'')
            {
                found.push(Abbreviation { path: format!("{prefix}{name}"), tyvars: tyvars.clone(), ty: *ty });
            }
        }
    });
    let rank = |path: &str| (path.rsplit('.').next() != Some(own), path.len());
    found.sort_by(|a, b| (rank(&a.path), &a.path).cmp(&(rank(&b.path), &b.path)));
    found
}

/// Takes an argument apart that is an applied type name.
type Open<'a, T> = &'a dyn Fn(&T) -> Option<(TyName, Vec<T>)>;

impl Abbreviation {
    /// The arguments of the abbreviation, if the type `con` of `args` is what it stands for.
    pub fn arguments<T: Clone + PartialEq>(&self, tables: &Tables, args: &[T], open: Open<'_, T>) -> Option<Vec<T>> {
        let mut bound: Vec<Option<T>> = vec![None; self.tyvars.len()];
        let TyData::Con(_, patterns) = &tables.types[self.ty] else { return None };
        let fits = patterns.len() == args.len()
            && patterns.iter().zip(args).all(|(&pattern, arg)| self.fits(tables, pattern, arg, open, &mut bound));
        if fits { bound.into_iter().collect() } else { None }
    }

    fn fits<T: Clone + PartialEq>(
        &self,
        tables: &Tables,
        pattern: Ty,
        arg: &T,
        open: Open<'_, T>,
        bound: &mut Vec<Option<T>>,
    ) -> bool {
        match &tables.types[pattern] {
            TyData::Var(v) => {
                let Some(i) = self.tyvars.iter().position(|w| w == v) else { return false };
                match &bound[i] {
                    Some(before) => before == arg,
                    None => {
                        bound[i] = Some(arg.clone());
                        true
                    }
                }
            }
            TyData::Con(name, patterns) => open(arg).is_some_and(|(other, args)| {
                *name == other
                    && patterns.len() == args.len()
                    && patterns.iter().zip(&args).all(|(&p, a)| self.fits(tables, p, a, open, bound))
            }),
            _ => false,
        }
    }
}
