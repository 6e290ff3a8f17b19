//! What the elaborator knows of all units so far: types, type names, variables and modules, by number; and what is
//! computed of types with it.
//!
//! [`Tables`] only grow while a unit is elaborated; [`Tables::roll_back`] forgets what a unit has added. Types are
//! interned, so a type function that is applied twice to the same types answers the same number.

use crate::basis::{Modules, TypeFcn};
use crate::ir::{Ty, TyData, TyName, TyNameDef, TyNameInfo, TyVar, TyVarInfo, Var, VarInfo};
use crate::lazy::{LazyArena, TypeTable};
use leat_abi::prim::Prim;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What the elaborator knows of all units so far (the Basis image holds one); ids stay valid as it grows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tables {
    /// Interned: see [`Tables::intern`].
    pub types: TypeTable,
    pub tynames: LazyArena<TyName, TyNameInfo>,
    pub vars: LazyArena<Var, VarInfo>,
    pub tyvars: LazyArena<TyVar, TyVarInfo>,
    /// Structures, signatures and functors: elaboration's own.
    pub modules: Modules,
    /// While the library is made: its declarations of primitives. What mentions one mentions the primitive itself, so
    /// they cost nothing, and programs, which do not see them, need not know of them.
    #[serde(skip)]
    pub prims: FxHashMap<Var, Prim>,
}

/// How much the tables had at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    types: usize,
    tynames: usize,
    vars: usize,
    tyvars: usize,
    envs: usize,
    con_lists: usize,
    sigs: usize,
    functors: usize,
    overloaded: usize,
}

impl Checkpoint {
    /// How many items the tables had in all: a measure of memory.
    pub fn size(&self) -> usize {
        self.types + self.tynames + self.vars + self.tyvars + self.envs + self.con_lists + self.functors
    }

    /// Is this type name newer?
    pub fn lacks_tyname(&self, name: TyName) -> bool {
        name.0 as usize >= self.tynames
    }

    /// Is this variable newer?
    pub fn lacks_var(&self, var: Var) -> bool {
        var.0 as usize >= self.vars
    }
}

impl Tables {
    /// The present moment, to come back to.
    pub fn checkpoint(&self) -> Checkpoint {
        let m = &self.modules;
        Checkpoint {
            types: self.types.len(),
            tynames: self.tynames.len(),
            vars: self.vars.len(),
            tyvars: self.tyvars.len(),
            envs: m.envs.len(),
            con_lists: m.con_lists.len(),
            sigs: m.sigs.len(),
            functors: m.functors.len(),
            overloaded: m.overloaded.len(),
        }
    }

    /// Forgets all that units have added since: nothing of theirs may be in use.
    pub fn roll_back(&mut self, to: Checkpoint) {
        self.types.truncate(to.types);
        self.tynames.truncate(to.tynames);
        self.vars.truncate(to.vars);
        self.tyvars.truncate(to.tyvars);
        let m = &mut self.modules;
        m.envs.truncate(to.envs);
        m.con_lists.truncate(to.con_lists);
        m.sigs.truncate(to.sigs);
        m.functors.truncate(to.functors);
        m.overloaded.truncate(to.overloaded);
    }

    pub fn intern(&mut self, data: TyData) -> Ty {
        self.types.intern(data)
    }
}

impl TypeFcn {
    /// `Λ tyvars . ty`, as a name when it is one.
    pub fn new(tables: &Tables, tyvars: Vec<TyVar>, ty: Ty) -> TypeFcn {
        if let TyData::Con(name, args) = &tables.types[ty]
            && args.len() == tyvars.len()
            && args.iter().zip(&tyvars).all(|(&a, &v)| tables.types[a] == TyData::Var(v))
        {
            return TypeFcn::Name(*name);
        }
        TypeFcn::Abbrev { tyvars: tyvars.into(), ty }
    }

    pub fn arity(&self, tables: &Tables) -> usize {
        match self {
            TypeFcn::Name(t) => tables.tynames[*t].arity as usize,
            TypeFcn::Abbrev { tyvars, .. } => tyvars.len(),
        }
    }

    /// The type that it makes of its arguments.
    pub fn apply(&self, tables: &mut Tables, args: Vec<Ty>) -> Ty {
        match self {
            TypeFcn::Name(t) => tables.intern(TyData::Con(*t, args)),
            TypeFcn::Abbrev { tyvars, ty } => tables.substitute(*ty, tyvars, &args),
        }
    }
}

struct Substitution<'s> {
    tyvars: &'s [TyVar],
    args: &'s [Ty],
    steps: u32,
    done: FxHashMap<Ty, Ty>,
}

impl Tables {
    /// `ty` with `args` for `tyvars`.
    pub fn substitute(&mut self, ty: Ty, tyvars: &[TyVar], args: &[Ty]) -> Ty {
        if tyvars.is_empty() {
            return ty;
        }
        self.substitute_by(ty, &mut Substitution { tyvars, args, steps: 0, done: FxHashMap::default() })
    }

    fn substitute_by(&mut self, ty: Ty, s: &mut Substitution<'_>) -> Ty {
        let data = match &self.types[ty] {
            TyData::Var(v) => {
                return s.tyvars.iter().position(|w| w == v).and_then(|i| s.args.get(i)).map_or(ty, |&a| a);
            }
            TyData::Con(_, old) if old.is_empty() => return ty,
            data => data,
        };
        // A type may be a graph whose tree is exponentially larger: remember, once it is not small.
        s.steps += 1;
        if s.steps > 64
            && let Some(&done) = s.done.get(&ty)
        {
            return done;
        }
        let new = match data.clone() {
            TyData::Var(_) => return ty,
            TyData::Con(name, old) => TyData::Con(name, old.into_iter().map(|t| self.substitute_by(t, s)).collect()),
            TyData::Arrow(a, b) => TyData::Arrow(self.substitute_by(a, s), self.substitute_by(b, s)),
            TyData::Record(fields) => {
                TyData::Record(fields.into_iter().map(|(l, t)| (l, self.substitute_by(t, s))).collect())
            }
        };
        let new = self.intern(new);
        if s.steps > 64 {
            s.done.insert(ty, new);
        }
        new
    }

    /// The type that an opaque type stands for, as far as the outermost constructor.
    pub fn expand_abstract(&mut self, mut ty: Ty) -> Ty {
        while let TyData::Con(name, args) = &self.types[ty]
            && let TyNameDef::Abstract { tyvars, ty: def } = &self.tynames[*name].def
        {
            let (args, tyvars, def) = (args.clone(), tyvars.clone(), *def);
            ty = self.substitute(def, &tyvars, &args);
        }
        ty
    }
}
