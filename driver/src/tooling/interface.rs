//! What a unit bound before and binds now -> whether those who use it can tell a difference, and where names have
//! moved.
//!
//! Two elaborations of a text make type names and variables of their own; the bindings are the same when one is the
//! other with names for names. Then the old ones stay, with the places of the new: whatever was elaborated against them
//! holds. The body of a functor is not compared: no message about its applications comes from there.

use std::collections::HashMap;
use std::sync::Arc;

use leat_base::{FileId, Span, Symbol};
use leat_elab::basis::{ConListId, EnvId, Functor, FunctorId, Layer, NO_VAR, Sig, SortedMap, TyStr, TypeFcn, ValEntry};
use leat_elab::index::Space;
use leat_elab::ir::{ExnRef, Ty, TyData, TyName, TyNameDef, TyVar, Var};
use leat_elab::tables::{Checkpoint, Tables};
use leat_elab::{Basis, Env};
use rustc_hash::{FxHashMap, FxHashSet};

/// The old bindings, with the new places; and the places that are others now.
pub(super) struct Same {
    pub basis: Basis,
    pub moved: Moved,
}

/// Is `new`, which was made since `since` of a part of a file that begins at `begin`, the same as `old`? Then the
/// tables have the new places.
///
/// Who uses a binding has noted no more of it than its place. So they are not the same either, if two names were
/// declared at one place, which are at two now; or if a name was declared in another file, where others may have it
/// from, and is not any more.
pub(super) fn same(
    tables: &mut Tables,
    since: Checkpoint,
    (file, begin): (FileId, usize),
    old: &Basis,
    new: &Basis,
) -> Option<Same> {
    let (olds, news): (Vec<&Layer>, Vec<&Layer>) = (old.layers().collect(), new.layers().collect());
    let ([a], [b]) = (&olds[..], &news[..]) else { return None };
    let mut compare = Compare {
        tables,
        since,
        names: FxHashMap::default(),
        back: FxHashMap::default(),
        tyvars: FxHashMap::default(),
        types: FxHashSet::default(),
        vars: vec![],
        envs: FxHashMap::default(),
        lists: FxHashMap::default(),
        functors: vec![],
    };
    if !compare.layer(a, b) {
        return None;
    }
    let Compare { names, vars, envs, functors, .. } = compare;
    let mut moved = HashMap::new();
    let is_own = |place: Span| place.file == file && place.lo as usize >= begin;
    let all = envs.iter().map(|(old, new)| (&tables.modules.envs[*old], &tables.modules.envs[*new]));
    for (old, new) in [(&a.env, &b.env)].into_iter().chain(all) {
        let places = old.places.iter().chain(new.places.iter()).map(|(key, _)| key);
        let without = old.vals.iter().map(|val| (Space::Val, val.0)).chain(old.tys.iter().map(|ty| (Space::Ty, ty.0)));
        for (space, name) in places.chain(without) {
            let (from, to) = (old.places.get(space, name), new.places.get(space, name));
            let fits = if is_own(from) {
                !to.is_none() && *moved.entry(from).or_insert(to) == to
            } else {
                let own = |env: &Env| own_place(tables, env, space, name);
                from == to && (!from.is_none() || own(old) == own(new))
            };
            if !fits {
                return None;
            }
        }
    }
    moved.retain(|old, new| old != new);
    for (old, new) in &envs {
        tables.modules.envs[*old].places = tables.modules.envs[*new].places.clone();
    }
    for (new, old) in names {
        tables.tynames[old].span = tables.tynames[new].span;
    }
    for (old, new) in vars {
        tables.vars[old].span = tables.vars[new].span;
    }
    for (old, new) in functors {
        tables.modules.functors[old].span = tables.modules.functors[new].span;
    }
    let mut layer = Layer::clone(a);
    layer.env.places = b.env.places.clone();
    let done = envs.into_iter().flat_map(|(old, new)| [old, new]).collect();
    let moved = Moved { places: moved, envs: done, layers: FxHashMap::default() };
    Some(Same { basis: Basis::of(layer).with_stamp_of(old), moved })
}

/// Where a name is declared whose environment does not say it: who uses it has noted the place of what it stands for.
fn own_place(tables: &Tables, env: &Env, space: Space, name: Symbol) -> Span {
    match space {
        Space::Val => match env.vals.get(name) {
            Some(ValEntry::Var { var, .. } | ValEntry::Exn { exn: ExnRef::Var(var), .. }) if *var != NO_VAR => {
                tables.vars[*var].span
            }
            Some(ValEntry::Con { list, .. }) => tables.tynames[tables.modules.con_lists[*list].name].span,
            _ => Span::NONE,
        },
        Space::Ty => match env.tys.get(name).map(|tystr| &tystr.fcn) {
            Some(TypeFcn::Name(name)) => tables.tynames[*name].span,
            _ => Span::NONE,
        },
        _ => Span::NONE,
    }
}

/// Places that are others now, and what has the new ones already.
pub(super) struct Moved {
    places: HashMap<Span, Span>,
    envs: FxHashSet<EnvId>,
    /// By their addresses: those before, which are kept so that no other gets its address, and those after.
    layers: FxHashMap<*const Layer, (Arc<Layer>, Arc<Layer>)>,
}

impl Moved {
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where what was declared there is declared now.
    pub fn place(&self, old: Span) -> Span {
        self.places.get(&old).copied().unwrap_or(old)
    }

    /// What others have bound may be declared here, as by an `open`: gives a basis of theirs the new places, and all
    /// environments in it.
    pub fn in_basis(&mut self, tables: &mut Tables, basis: &Basis) -> Basis {
        basis.with_layers(&mut |layer| self.in_layer(tables, layer))
    }

    fn in_layer(&mut self, tables: &mut Tables, layer: &Arc<Layer>) -> Arc<Layer> {
        if let Some((_, known)) = self.layers.get(&Arc::as_ptr(layer)) {
            return known.clone();
        }
        // Nothing in the library's is declared elsewhere.
        let modules = &mut tables.modules;
        let mut todo: Vec<EnvId> = layer.env.strs.iter().map(|(_, env)| *env).collect();
        let sigs = layer.sigs.iter().filter(|(_, sig)| modules.sigs.is_added(*sig));
        todo.extend(sigs.map(|(_, sig)| modules.sigs[*sig].env));
        for (_, functor) in layer.functors.iter().filter(|(_, functor)| modules.functors.is_added(*functor)) {
            let functor = &modules.functors[*functor];
            todo.extend([functor.param.env, functor.result]);
        }
        while let Some(env) = todo.pop() {
            if modules.envs.is_added(env) && self.envs.insert(env) {
                let env = &mut modules.envs[env];
                todo.extend(env.strs.iter().map(|(_, inner)| *inner));
                if self.concerns(env) {
                    env.places = env.places.moved(&|place| self.place(place));
                }
            }
        }
        let new = if self.concerns(&layer.env) {
            let mut new = Layer::clone(layer);
            new.env.places = new.env.places.moved(&|place| self.place(place));
            Arc::new(new)
        } else {
            layer.clone()
        };
        self.layers.insert(Arc::as_ptr(layer), (layer.clone(), new.clone()));
        // Who has that one already has the new places.
        self.layers.insert(Arc::as_ptr(&new), (new.clone(), new.clone()));
        new
    }

    fn concerns(&self, env: &Env) -> bool {
        env.places.iter().any(|(_, place)| self.places.contains_key(&place))
    }
}

struct Compare<'t> {
    tables: &'t Tables,
    since: Checkpoint,
    /// New type names that are old ones; and the other way round.
    names: FxHashMap<TyName, TyName>,
    back: FxHashMap<TyName, TyName>,
    tyvars: FxHashMap<TyVar, TyVar>,
    types: FxHashSet<(Ty, Ty)>,
    vars: Vec<(Var, Var)>,
    envs: FxHashMap<EnvId, EnvId>,
    lists: FxHashMap<ConListId, ConListId>,
    functors: Vec<(FunctorId, FunctorId)>,
}

impl Compare<'_> {
    fn layer(&mut self, a: &Layer, b: &Layer) -> bool {
        self.env_parts(&a.env, &b.env)
            && self.maps(&a.sigs, &b.sigs, |this, a, b| {
                a == b || {
                    let sigs = &this.tables.modules.sigs;
                    let (a, b) = (sigs[*a].clone(), sigs[*b].clone());
                    this.sig(&a, &b)
                }
            })
            && self.maps(&a.functors, &b.functors, |this, a, b| a == b || this.functor(*a, *b))
    }

    fn maps<V>(&mut self, a: &SortedMap<V>, b: &SortedMap<V>, same: impl Fn(&mut Self, &V, &V) -> bool) -> bool {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.0 == y.0 && same(self, &x.1, &y.1))
    }

    fn env_parts(&mut self, a: &Env, b: &Env) -> bool {
        self.maps(&a.tys, &b.tys, Self::tystr)
            && self.maps(&a.vals, &b.vals, Self::entry)
            && self.maps(&a.strs, &b.strs, |this, a, b| this.env(*a, *b))
    }

    fn env(&mut self, a: EnvId, b: EnvId) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.envs.get(&a) {
            return known == b;
        }
        self.envs.insert(a, b);
        let envs = &self.tables.modules.envs;
        self.env_parts(&envs[a], &envs[b])
    }

    fn sig(&mut self, a: &Sig, b: &Sig) -> bool {
        a.bound.len() == b.bound.len()
            && a.bound.iter().zip(&b.bound).all(|(&x, &y)| self.name(x, y))
            && self.env(a.env, b.env)
    }

    fn functor(&mut self, a: FunctorId, b: FunctorId) -> bool {
        self.functors.push((a, b));
        let functors = &self.tables.modules.functors;
        let (x, y): (&Functor, &Functor) = (&functors[a], &functors[b]);
        x.body.len() == y.body.len()
            && x.fresh.len() == y.fresh.len()
            && self.sig(&x.param, &y.param)
            && self.env(x.result, y.result)
            && x.fresh.iter().zip(&y.fresh).all(|(&x, &y)| self.name(x, y))
    }

    fn entry(&mut self, a: &ValEntry, b: &ValEntry) -> bool {
        match (a, b) {
            (ValEntry::Var { var: x, scheme: s }, ValEntry::Var { var: y, scheme: t }) => {
                self.var(*x, *y) && self.bind_tyvars(&s.tyvars, &t.tyvars) && self.ty(s.ty, t.ty)
            }
            (ValEntry::Con { list: x, index: i }, ValEntry::Con { list: y, index: j }) => i == j && self.list(*x, *y),
            (ValEntry::Exn { exn: x, arg: s }, ValEntry::Exn { exn: y, arg: t }) => {
                let same = match (x, y) {
                    (ExnRef::Var(x), ExnRef::Var(y)) => self.var(*x, *y),
                    _ => x == y,
                };
                same && match (s, t) {
                    (Some(s), Some(t)) => self.ty(*s, *t),
                    (s, t) => s == t,
                }
            }
            _ => a == b,
        }
    }

    fn var(&mut self, a: Var, b: Var) -> bool {
        if a == NO_VAR || b == NO_VAR || !self.since.lacks_var(b) {
            return a == b;
        }
        self.vars.push((a, b));
        true
    }

    fn bind_tyvars(&mut self, a: &[TyVar], b: &[TyVar]) -> bool {
        let info = &self.tables.tyvars;
        a.len() == b.len()
            && a.iter().zip(b).all(|(&x, &y)| {
                self.tyvars.insert(y, x);
                info[x].equality == info[y].equality
            })
    }

    fn tystr(&mut self, a: &TyStr, b: &TyStr) -> bool {
        let fcn = match (&a.fcn, &b.fcn) {
            (TypeFcn::Name(x), TypeFcn::Name(y)) => self.name(*x, *y),
            (TypeFcn::Abbrev { tyvars: s, ty: x }, TypeFcn::Abbrev { tyvars: t, ty: y }) => {
                self.bind_tyvars(s, t) && self.ty(*x, *y)
            }
            _ => false,
        };
        fcn && match (a.cons, b.cons) {
            (Some(x), Some(y)) => self.list(x, y),
            (x, y) => x == y,
        }
    }

    fn list(&mut self, a: ConListId, b: ConListId) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.lists.get(&a) {
            return known == b;
        }
        self.lists.insert(a, b);
        let lists = &self.tables.modules.con_lists;
        let (x, y) = (&lists[a], &lists[b]);
        x.cons.len() == y.cons.len()
            && self.name(x.name, y.name)
            && self.name(x.rep, y.rep)
            && self.bind_tyvars(&x.tyvars, &y.tyvars)
            && x.cons.iter().zip(&y.cons).all(|(x, y)| x.name == y.name && self.option(x.arg, y.arg))
    }

    fn option(&mut self, a: Option<Ty>, b: Option<Ty>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.ty(a, b),
            (a, b) => a == b,
        }
    }

    fn name(&mut self, a: TyName, b: TyName) -> bool {
        if !self.since.lacks_tyname(b) {
            return a == b;
        }
        if let Some(&known) = self.names.get(&b) {
            return known == a;
        }
        if self.back.insert(a, b).is_some() {
            return false;
        }
        self.names.insert(b, a);
        let (x, y) = (&self.tables.tynames[a], &self.tables.tynames[b]);
        if x.name != y.name || x.arity != y.arity || x.equality != y.equality || x.span.file != y.span.file {
            return false;
        }
        match (&x.def, &y.def) {
            (TyNameDef::Datatype { tyvars: s, cons: c }, TyNameDef::Datatype { tyvars: t, cons: d }) => {
                c.len() == d.len()
                    && self.bind_tyvars(s, t)
                    && c.iter().zip(d).all(|(x, y)| x.name == y.name && self.option(x.arg, y.arg))
            }
            (TyNameDef::Abstract { tyvars: s, ty: x }, TyNameDef::Abstract { tyvars: t, ty: y }) => {
                self.bind_tyvars(s, t) && self.ty(*x, *y)
            }
            (TyNameDef::Formal, TyNameDef::Formal) => true,
            _ => false,
        }
    }

    fn ty(&mut self, a: Ty, b: Ty) -> bool {
        if a == b || self.types.contains(&(a, b)) {
            return true;
        }
        let types = &self.tables.types;
        let same = match (&types[a], &types[b]) {
            (TyData::Var(x), TyData::Var(y)) => x == y || self.tyvars.get(y) == Some(x),
            (TyData::Con(x, s), TyData::Con(y, t)) => {
                s.len() == t.len() && self.name(*x, *y) && s.iter().zip(t).all(|(&s, &t)| self.ty(s, t))
            }
            (TyData::Arrow(a, b), TyData::Arrow(c, d)) => self.ty(*a, *c) && self.ty(*b, *d),
            (TyData::Record(x), TyData::Record(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.0 == y.0 && self.ty(x.1, y.1))
            }
            _ => false,
        };
        if same {
            self.types.insert((a, b));
        }
        same
    }
}
