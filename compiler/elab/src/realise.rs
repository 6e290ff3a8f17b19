//! Realisations: type names replaced by type functions, throughout types, environments and Core.
//!
//! After the Definition, 5.6. Instantiating a signature, opaque ascription, `where type`, `sharing` and functor
//! application are all one of these.

use crate::basis::{ConListId, EnvId, Scheme, Sig, TyStr, TypeFcn, ValEntry, Width};
use crate::draft;
use crate::ir::{
    Dec, DecKind, ExnRef, Exp, ExpKind, Fun, Pat, PatKind, Rule, Ty, TyData, TyName, TyNameDef, Var, VarInfo,
};
use crate::tables::Tables;
use crate::types::Type;
use rustc_hash::FxHashMap;

/// A realisation φ, with what it does to constructors and variables.
#[derive(Default)]
pub(crate) struct Realisation {
    pub types: FxHashMap<TyName, TypeFcn>,
    /// What those of them are in C that are known to be something.
    pub widths: FxHashMap<TyName, Width>,
    /// The datatype whose constructors a datatype's become.
    pub reps: FxHashMap<TyName, TyName>,
    pub lists: FxHashMap<ConListId, ConListId>,
    pub vars: FxHashMap<Var, Var>,
    pub exns: FxHashMap<Var, ExnRef>,
    memo: FxHashMap<Ty, Ty>,
    pub envs: FxHashMap<EnvId, EnvId>,
}

impl Realisation {
    /// Whether a type structure may be another one when this is applied. That of a datatype may, by its constructors.
    pub(crate) fn may_change(&self, tystr: &TyStr) -> bool {
        !self.types.is_empty()
            && match tystr {
                TyStr { fcn: TypeFcn::Name(t), cons: None, .. } => self.types.contains_key(t),
                _ => true,
            }
    }

    pub(crate) fn ty(&mut self, tables: &mut Tables, ty: Ty) -> Ty {
        if self.types.is_empty() {
            return ty;
        }
        if let Some(&done) = self.memo.get(&ty) {
            return done;
        }
        let new = match tables.types[ty].clone() {
            TyData::Var(_) => ty,
            TyData::Con(name, args) => {
                let args: Vec<Ty> = args.into_iter().map(|a| self.ty(tables, a)).collect();
                match self.types.get(&name) {
                    Some(fcn) => fcn.apply(tables, args),
                    None => tables.intern(TyData::Con(name, args)),
                }
            }
            TyData::Arrow(a, b) => {
                let (a, b) = (self.ty(tables, a), self.ty(tables, b));
                tables.intern(TyData::Arrow(a, b))
            }
            TyData::Record(fields) => {
                let fields = fields.into_iter().map(|(l, t)| (l, self.ty(tables, t))).collect();
                tables.intern(TyData::Record(fields))
            }
        };
        self.memo.insert(ty, new);
        new
    }

    pub(crate) fn fcn(&mut self, tables: &mut Tables, fcn: &TypeFcn) -> TypeFcn {
        match fcn {
            TypeFcn::Name(t) => self.types.get(t).unwrap_or(fcn).clone(),
            TypeFcn::Abbrev { tyvars, ty } => {
                let ty = self.ty(tables, *ty);
                TypeFcn::new(tables, tyvars.to_vec(), ty)
            }
        }
    }

    pub(crate) fn scheme(&mut self, tables: &mut Tables, scheme: &Scheme) -> Scheme {
        Scheme { tyvars: scheme.tyvars.clone(), ty: self.ty(tables, scheme.ty) }
    }

    pub(crate) fn list(&mut self, tables: &mut Tables, id: ConListId) -> ConListId {
        if let Some(&done) = self.lists.get(&id) {
            return done;
        }
        let mut list = tables.modules.con_lists[id].clone();
        let mut changed = false;
        for con in &mut list.cons {
            if let Some(arg) = &mut con.arg {
                let new = self.ty(tables, *arg);
                changed |= new != *arg;
                *arg = new;
            }
        }
        if let Some(TypeFcn::Name(name)) = self.types.get(&list.name) {
            list.name = *name;
            changed = true;
        }
        if let Some(&rep) = self.reps.get(&list.rep) {
            list.rep = rep;
            // A functor's argument may declare them in another order than its parameter; a list that the body makes, by
            // an opaque constraint or `where type`, is in the parameter's.
            if let TyNameDef::Datatype { cons, .. } = &tables.tynames[rep].def {
                list.cons.sort_by_key(|con| cons.iter().position(|c| c.name == con.name));
            }
            changed = true;
        }
        let new = if changed { tables.modules.con_lists.push(list) } else { id };
        self.lists.insert(id, new);
        new
    }

    pub(crate) fn tystr(&mut self, tables: &mut Tables, tystr: &TyStr) -> TyStr {
        let cons = tystr.cons.map(|c| self.list(tables, c));
        let realised = match &tystr.fcn {
            TypeFcn::Name(t) => self.widths.get(t),
            TypeFcn::Abbrev { .. } => None,
        };
        let width = tystr.width.as_ref().or(realised).cloned();
        TyStr { fcn: self.fcn(tables, &tystr.fcn), cons, width }
    }

    fn exn(&self, exn: ExnRef) -> ExnRef {
        match exn {
            ExnRef::Builtin(_) => exn,
            ExnRef::Var(v) => match self.exns.get(&v) {
                Some(&e) => e,
                None => ExnRef::Var(self.var(v)),
            },
        }
    }

    fn var(&self, var: Var) -> Var {
        *self.vars.get(&var).unwrap_or(&var)
    }

    pub(crate) fn entry(&mut self, tables: &mut Tables, entry: &ValEntry) -> ValEntry {
        match entry {
            ValEntry::Var { var, scheme } => ValEntry::Var { var: self.var(*var), scheme: self.scheme(tables, scheme) },
            ValEntry::Con { list, index } => {
                let new = self.list(tables, *list);
                let lists = &tables.modules.con_lists;
                let name = lists[*list].cons.get(*index as usize).map(|c| c.name);
                let index = match lists[new].cons.iter().position(|c| Some(c.name) == name) {
                    Some(i) => i as u32,
                    None => *index,
                };
                ValEntry::Con { list: new, index }
            }
            ValEntry::Exn { exn, arg } => ValEntry::Exn { exn: self.exn(*exn), arg: arg.map(|a| self.ty(tables, a)) },
            ValEntry::Overloaded(_) | ValEntry::Equal | ValEntry::NotEqual | ValEntry::Ref => entry.clone(),
        }
    }

    pub(crate) fn env(&mut self, tables: &mut Tables, id: EnvId) -> EnvId {
        if let Some(&done) = self.envs.get(&id) {
            return done;
        }
        let mut env = tables.modules.envs[id].clone();
        let mut changed = false;
        for (_, entry) in env.vals.iter_mut() {
            let new = self.entry(tables, entry);
            changed |= new != *entry;
            *entry = new;
        }
        for (_, tystr) in env.tys.iter_mut() {
            let new = self.tystr(tables, tystr);
            changed |= new != *tystr;
            *tystr = new;
        }
        for (_, inner) in env.strs.iter_mut() {
            let new = self.env(tables, *inner);
            changed |= new != *inner;
            *inner = new;
        }
        // What stays as it was stays shared: a signature with all its structures inside is large.
        let new = if changed { tables.modules.envs.push(env) } else { id };
        self.envs.insert(id, new);
        new
    }

    /// Maps each of `names` to a new type name like it, and their definitions with them.
    pub(crate) fn rename(&mut self, tables: &mut Tables, names: &[TyName]) -> Vec<TyName> {
        let fresh: Vec<TyName> = names
            .iter()
            .map(|&t| {
                let info = tables.tynames[t].clone();
                let new = tables.tynames.push(info);
                self.types.insert(t, TypeFcn::Name(new));
                self.reps.insert(t, new);
                new
            })
            .collect();
        for &t in &fresh {
            self.redefine(tables, t);
        }
        fresh
    }

    /// As [`Realisation::rename`], for a realisation that was used already on types without `names`.
    pub(crate) fn rename_also(&mut self, tables: &mut Tables, names: &[TyName]) -> Vec<TyName> {
        self.memo.clear();
        self.rename(tables, names)
    }

    /// Applies the realisation to a type name's own definition.
    pub(crate) fn redefine(&mut self, tables: &mut Tables, t: TyName) {
        let def = match tables.tynames[t].def.clone() {
            TyNameDef::Datatype { tyvars, mut cons } => {
                for con in &mut cons {
                    con.arg = con.arg.map(|a| self.ty(tables, a));
                }
                TyNameDef::Datatype { tyvars, cons }
            }
            TyNameDef::Abstract { tyvars, ty } => TyNameDef::Abstract { tyvars, ty: self.ty(tables, ty) },
            def @ (TyNameDef::Prim(_) | TyNameDef::Formal) => def,
        };
        tables.tynames[t].def = def;
    }

    /// A signature with new type names for its bound ones.
    pub(crate) fn instance(tables: &mut Tables, sig: &Sig) -> Sig {
        if sig.bound.is_empty() {
            return sig.clone();
        }
        let mut phi = Realisation::default();
        let bound = phi.rename(tables, &sig.bound);
        Sig { bound, env: phi.env(tables, sig.env) }
    }

    // -------------------------------------------------------------------- Core

    /// A copy of Core with new variables, for a unit that is being elaborated.
    pub(crate) fn decs(&mut self, tables: &mut Tables, decs: &[Dec]) -> Vec<draft::Dec> {
        decs.iter().map(|d| self.dec(tables, d)).collect()
    }

    fn new_var(&mut self, tables: &mut Tables, var: Var) -> Var {
        let info = tables.vars[var].clone();
        let ty = self.ty(tables, info.ty);
        let new = tables.vars.push(VarInfo { ty, ..info });
        self.vars.insert(var, new);
        new
    }

    fn dec(&mut self, tables: &mut Tables, dec: &Dec) -> draft::Dec {
        let kind = match &dec.kind {
            DecKind::Val { tyvars, pat, exp } => {
                let exp = self.exp(tables, exp);
                DecKind::Val { tyvars: tyvars.clone(), pat: self.pat(tables, pat), exp }
            }
            DecKind::Fun { tyvars, funs } => {
                for f in funs {
                    self.new_var(tables, f.var);
                }
                let funs = funs
                    .iter()
                    .map(|f| Fun { var: self.var(f.var), exp: self.exp(tables, &f.exp), span: f.span })
                    .collect();
                DecKind::Fun { tyvars: tyvars.clone(), funs }
            }
            DecKind::Exception { var, name, arg } => {
                let var = self.new_var(tables, *var);
                DecKind::Exception { var, name: *name, arg: arg.map(|a| self.open(tables, a)) }
            }
        };
        Dec { kind, span: dec.span }
    }

    fn open(&mut self, tables: &mut Tables, ty: Ty) -> Type {
        Type::core(self.ty(tables, ty))
    }

    fn types(&mut self, tables: &mut Tables, types: &[Ty]) -> Vec<Type> {
        types.iter().map(|&t| self.open(tables, t)).collect()
    }

    /// The datatype and number of a constructor after the realisation.
    fn con(&self, tables: &Tables, t: TyName, index: u32) -> (TyName, u32) {
        let Some(&rep) = self.reps.get(&t) else { return (t, index) };
        if let (TyNameDef::Datatype { cons: old, .. }, TyNameDef::Datatype { cons: new, .. }) =
            (&tables.tynames[t].def, &tables.tynames[rep].def)
            && let Some(con) = old.get(index as usize)
            && let Some(i) = new.iter().position(|c| c.name == con.name)
        {
            return (rep, i as u32);
        }
        (rep, index)
    }

    fn pat(&mut self, tables: &mut Tables, pat: &Pat) -> draft::Pat {
        let kind = match &pat.kind {
            PatKind::Wild => PatKind::Wild,
            PatKind::Var(v) => PatKind::Var(self.new_var(tables, *v)),
            PatKind::Const(c) => PatKind::Const(c.clone()),
            PatKind::Con(t, index, inst, arg) => {
                let (t, index) = self.con(tables, *t, *index);
                let inst = self.types(tables, inst);
                PatKind::Con(t, index, inst, arg.as_ref().map(|p| Box::new(self.pat(tables, p))))
            }
            PatKind::Exn(exn, arg) => {
                let arg = arg.as_ref().map(|p| Box::new(self.pat(tables, p)));
                PatKind::Exn(self.exn(*exn), arg)
            }
            PatKind::Ref(p) => PatKind::Ref(Box::new(self.pat(tables, p))),
            PatKind::Record(fields) => PatKind::Record(fields.iter().map(|(l, p)| (*l, self.pat(tables, p))).collect()),
            PatKind::Vector(ps) => PatKind::Vector(ps.iter().map(|p| self.pat(tables, p)).collect()),
            PatKind::Layered(v, p) => {
                let v = self.new_var(tables, *v);
                PatKind::Layered(v, Box::new(self.pat(tables, p)))
            }
        };
        Pat { kind, ty: self.open(tables, pat.ty), span: pat.span }
    }

    fn rules(&mut self, tables: &mut Tables, rules: &[Rule]) -> Vec<draft::Rule> {
        rules
            .iter()
            .map(|r| {
                let pat = self.pat(tables, &r.pat);
                Rule { pat, exp: self.exp(tables, &r.exp) }
            })
            .collect()
    }

    fn boxed(&mut self, tables: &mut Tables, e: &Exp) -> Box<draft::Exp> {
        Box::new(self.exp(tables, e))
    }

    fn exps(&mut self, tables: &mut Tables, es: &[Exp]) -> Vec<draft::Exp> {
        es.iter().map(|e| self.exp(tables, e)).collect()
    }

    fn exp(&mut self, tables: &mut Tables, e: &Exp) -> draft::Exp {
        let kind = match &e.kind {
            ExpKind::Const(c) => ExpKind::Const(c.clone()),
            ExpKind::Var(v, inst) => ExpKind::Var(self.var(*v), self.types(tables, inst)),
            ExpKind::Con(t, index, inst) => {
                let (t, index) = self.con(tables, *t, *index);
                ExpKind::Con(t, index, self.types(tables, inst))
            }
            ExpKind::ExnCon(exn) => ExpKind::ExnCon(self.exn(*exn)),
            ExpKind::RefCon(t) => ExpKind::RefCon(self.open(tables, *t)),
            ExpKind::Prim(p, t) => ExpKind::Prim(*p, self.open(tables, *t)),
            ExpKind::Overloaded(_) => unreachable!("the body of a functor is finished"),
            ExpKind::Record(fields) => ExpKind::Record(fields.iter().map(|(l, e)| (*l, self.exp(tables, e))).collect()),
            ExpKind::Selector(l, t) => ExpKind::Selector(*l, self.open(tables, *t)),
            ExpKind::Vector(es) => ExpKind::Vector(self.exps(tables, es)),
            ExpKind::List(es) => ExpKind::List(self.exps(tables, es)),
            ExpKind::App(f, a) => ExpKind::App(self.boxed(tables, f), self.boxed(tables, a)),
            ExpKind::Fn(rules) => ExpKind::Fn(self.rules(tables, rules)),
            ExpKind::Case(e, rules) => ExpKind::Case(self.boxed(tables, e), self.rules(tables, rules)),
            ExpKind::If(c, t, e) => ExpKind::If(self.boxed(tables, c), self.boxed(tables, t), self.boxed(tables, e)),
            ExpKind::While(c, b) => ExpKind::While(self.boxed(tables, c), self.boxed(tables, b)),
            ExpKind::Seq(es) => ExpKind::Seq(self.exps(tables, es)),
            ExpKind::Let(decs, body) => {
                let decs = self.decs(tables, decs);
                ExpKind::Let(decs, self.boxed(tables, body))
            }
            ExpKind::Raise(e) => ExpKind::Raise(self.boxed(tables, e)),
            ExpKind::Handle(e, rules) => ExpKind::Handle(self.boxed(tables, e), self.rules(tables, rules)),
        };
        Exp { kind, ty: self.open(tables, e.ty), span: e.span }
    }
}
