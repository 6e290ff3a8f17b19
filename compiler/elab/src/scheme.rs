//! Type schemes: generalisation, instantiation, and the way back to Core types.
//!
//! After the Definition, 4.5 and 4.8, with levels: only what a declaration made is walked or copied.

use crate::builtin::ty;
use crate::ctx::Elab;
use crate::ir::{Ty, TyData, TyVar, TyVarInfo};
use crate::types::{GENERIC, Kinds, Node, Shape, Type, generated_name, kinds};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A walk that copies a type: after [`FREE_STEPS`] it remembers what it did, because a type may be a graph whose tree
/// is exponentially larger.
struct Walk<'i, K> {
    inst: &'i [(TyVar, Type)],
    /// Generalised flexible records with their copies.
    flexes: &'i [(Type, Type)],
    steps: u32,
    done: FxHashMap<K, Type>,
}

const FREE_STEPS: u32 = 64;

impl<K: std::hash::Hash + Eq> Walk<'_, K> {
    fn new(inst: &[(TyVar, Type)]) -> Walk<'_, K> {
        Walk { inst, flexes: &[], steps: 0, done: FxHashMap::default() }
    }

    fn known(&mut self, key: &K) -> Option<Type> {
        self.steps += 1;
        if self.steps > FREE_STEPS { self.done.get(key).copied() } else { None }
    }

    fn remember(&mut self, key: K, t: Type) {
        if self.steps > FREE_STEPS {
            self.done.insert(key, t);
        }
    }
}

impl Elab<'_> {
    /// Closes over the variables of `t` above `level`, adding them to `tyvars`. [Definition, 4.8] Overloaded variables
    /// wait for the whole declaration of the structure level; flexible records are generalised too (`flexible.rs`).
    pub(crate) fn generalise(&mut self, t: Type, level: u32, tyvars: &mut Vec<TyVar>) -> u32 {
        let t = self.find(t);
        if t.as_core().is_some() {
            return 0;
        }
        let old = self.u.levels[t.0 as usize];
        if old <= level || old == GENERIC {
            return old;
        }
        let new = match self.shape(t) {
            Shape::Var { kinds: 0, equality } => {
                let name = generated_name(tyvars.len(), equality);
                let tyvar = self.tables.tyvars.push(TyVarInfo { name, equality });
                tyvars.push(tyvar);
                self.u.nodes[t.0 as usize] = Node::Rigid(tyvar);
                GENERIC
            }
            Shape::Rigid(v) => {
                if !tyvars.contains(&v) {
                    tyvars.push(v);
                }
                GENERIC
            }
            Shape::Flex { fields, .. } => {
                for f in fields {
                    self.generalise(f.1, level, tyvars);
                }
                self.u.rows.generic.push(t);
                GENERIC
            }
            Shape::Var { .. } => {
                // Nothing inside lives deeper than the declaration itself, so this cannot fail.
                let _ = self.lower_to(t, level);
                level
            }
            Shape::Con(_, args) => args.iter().map(|&a| self.generalise(a, level, tyvars)).max().unwrap_or(0),
            Shape::Arrow(a, b) => {
                let first = self.generalise(a, level, tyvars);
                first.max(self.generalise(b, level, tyvars))
            }
            Shape::Record(fields) => fields.iter().map(|f| self.generalise(f.1, level, tyvars)).max().unwrap_or(0),
            Shape::Error => 0,
        };
        self.u.levels[t.0 as usize] = new;
        new
    }

    /// A copy of a local type scheme's body with `inst` for its type variables; what is not generalised is shared.
    pub(crate) fn instantiate_local(&mut self, t: Type, inst: &[(TyVar, Type)]) -> Type {
        self.instantiate(t, &mut Walk::new(inst))
    }

    /// Likewise, with `flexes` for the generalised flexible records.
    pub(crate) fn instantiate_flexible(&mut self, t: Type, inst: &[(TyVar, Type)], flexes: &[(Type, Type)]) -> Type {
        self.instantiate(t, &mut Walk { flexes, ..Walk::new(inst) })
    }

    fn instantiate(&mut self, t: Type, w: &mut Walk<'_, Type>) -> Type {
        let t = self.find(t);
        if t.as_core().is_some() || self.u.levels[t.0 as usize] != GENERIC {
            return t;
        }
        if let Some(done) = w.known(&t) {
            return done;
        }
        let new = match self.shape(t) {
            Shape::Rigid(v) => w.inst.iter().find(|i| i.0 == v).map_or(t, |i| i.1),
            Shape::Con(name, args) => {
                let args: SmallVec<[Type; 2]> = args.iter().map(|&a| self.instantiate(a, w)).collect();
                self.con(name, &args)
            }
            Shape::Arrow(a, b) => {
                let a = self.instantiate(a, w);
                let b = self.instantiate(b, w);
                self.arrow(a, b)
            }
            Shape::Record(fields) => {
                let fields = fields.iter().map(|f| (f.0, self.instantiate(f.1, w))).collect();
                self.record(fields)
            }
            Shape::Flex { .. } => w.flexes.iter().find(|f| f.0 == t).map_or(t, |f| f.1),
            Shape::Var { .. } | Shape::Error => t,
        };
        w.remember(t, new);
        new
    }

    /// A Core type with `inst` for type variables; others are those in scope.
    pub(crate) fn import(&mut self, ty: Ty, inst: &[(TyVar, Type)]) -> Type {
        self.import_by(ty, &mut Walk::new(inst))
    }

    fn import_by(&mut self, ty: Ty, w: &mut Walk<'_, Ty>) -> Type {
        if self.is_ground(ty) {
            return Type::core(ty);
        }
        if let Some(done) = w.known(&ty) {
            return done;
        }
        let new = match self.tables.types[ty].clone() {
            TyData::Var(v) => match w.inst.iter().find(|i| i.0 == v) {
                Some(i) => i.1,
                None => self.rigid(v),
            },
            TyData::Con(name, args) => {
                let args: SmallVec<[Type; 2]> = args.iter().map(|&a| self.import_by(a, w)).collect();
                self.con(name, &args)
            }
            TyData::Arrow(a, b) => {
                let a = self.import_by(a, w);
                let b = self.import_by(b, w);
                self.arrow(a, b)
            }
            TyData::Record(fields) => {
                let fields = fields.iter().map(|f| (f.0, self.import_by(f.1, w))).collect();
                self.record(fields)
            }
        };
        w.remember(ty, new);
        new
    }

    /// Fresh variables for type variables.
    pub(crate) fn fresh_instance(&mut self, tyvars: &[TyVar]) -> SmallVec<[(TyVar, Type); 4]> {
        tyvars
            .iter()
            .map(|&v| (v, if self.tables.tyvars[v].equality { self.fresh_equality() } else { self.fresh() }))
            .collect()
    }

    /// Has the type no type variables?
    pub(crate) fn is_ground(&mut self, ty: Ty) -> bool {
        let i = ty.0 as usize;
        if self.u.ground.get(i) == 0 {
            let ground = match self.tables.types[ty].clone() {
                TyData::Var(_) => false,
                TyData::Con(_, args) => args.iter().all(|&a| self.is_ground(a)),
                TyData::Arrow(a, b) => self.is_ground(a) && self.is_ground(b),
                TyData::Record(fields) => fields.iter().all(|f| self.is_ground(f.1)),
            };
            self.u.ground.set(i, if ground { 1 } else { 2 });
        }
        self.u.ground.get(i) == 1
    }

    // ------------------------------------------------------- back to Core types

    /// The Core type of a type at the end of a structure-level declaration. Variables that are still open become type
    /// variables that stand for them ("metas").
    pub(crate) fn export(&mut self, t: Type) -> Ty {
        self.core_of(t, &mut Some(FxHashMap::default())).0
    }

    /// The Core type of a type at the end of the unit; what is still open becomes unit, or its overloading's default.
    pub(crate) fn finish(&mut self, t: Type) -> Ty {
        self.core_of(t, &mut None).0
    }

    /// The type, and whether it is final. With a map, what is open stays so, and the map remembers such types.
    fn core_of(&mut self, t: Type, open: &mut Option<FxHashMap<Type, Ty>>) -> (Ty, bool) {
        let t = self.find(t);
        if let Some(core) = t.as_core() {
            return (core, true);
        }
        let i = t.0 as usize;
        if let Some(Some(done)) = self.u.finished.get(i) {
            return (*done, true);
        }
        if let Some(&known) = open.as_ref().and_then(|o| o.get(&t)) {
            return (known, false);
        }
        let keep_open = open.is_some();
        let mut done = true;
        let mut part = |this: &mut Self, t: Type| {
            let (ty, finished) = this.core_of(t, open);
            done &= finished;
            ty
        };
        let ty = match self.shape(t) {
            Shape::Var { .. } | Shape::Flex { .. } if keep_open => {
                let meta = self.meta(t);
                return (self.tables.intern(TyData::Var(meta)), false);
            }
            Shape::Var { kinds, .. } => {
                let default = self.default_of(kinds);
                self.link(t, Type::core(default));
                return (default, true);
            }
            Shape::Flex { fields, .. } => {
                let record = self.record(fields);
                self.link(t, record);
                return self.core_of(record, open);
            }
            Shape::Rigid(v) => TyData::Var(v),
            Shape::Con(name, args) => TyData::Con(name, args.iter().map(|&a| part(self, a)).collect()),
            Shape::Arrow(a, b) => TyData::Arrow(part(self, a), part(self, b)),
            Shape::Record(fields) => TyData::Record(fields.iter().map(|f| (f.0, part(self, f.1))).collect()),
            Shape::Error => return (ty::ERROR, true),
        };
        let ty = self.tables.intern(ty);
        if done {
            if i >= self.u.finished.len() {
                self.u.finished.resize(self.u.nodes.len(), None);
            }
            self.u.finished[i] = Some(ty);
        } else if let Some(open) = open {
            open.insert(t, ty);
        }
        (ty, done)
    }

    /// The type that an open overloaded variable becomes. [Definition, appendix E]
    pub(crate) fn default_of(&self, kinds: Kinds) -> Ty {
        match kinds {
            0 => ty::UNIT,
            k if k & kinds::INT != 0 => ty::INT,
            k if k & kinds::REAL != 0 => ty::REAL,
            k if k & kinds::WORD != 0 => ty::WORD,
            k if k & kinds::CHAR != 0 => ty::CHAR,
            _ => ty::STRING,
        }
    }

    fn meta(&mut self, t: Type) -> TyVar {
        if let Some(&v) = self.u.metas.get(&t) {
            return v;
        }
        let equality = matches!(self.shape(t), Shape::Var { equality: true, .. });
        let name = generated_name(self.u.metas.len(), equality);
        let v = self.tables.tyvars.push(TyVarInfo { name, equality });
        self.u.metas.insert(t, v);
        self.u.tyvar_nodes.insert(v, t);
        v
    }

    /// The type variables that stand for variables which were open at the end of their declaration.
    pub(crate) fn metas(&self) -> Vec<(TyVar, Type)> {
        let mut all: Vec<_> = self.u.metas.iter().map(|(&t, &v)| (v, t)).collect();
        all.sort();
        all
    }
}
