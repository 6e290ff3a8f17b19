//! Which instances of polymorphic declarations a program needs: a walk from `main` over (variable, closed types).
//!
//! Instances nest as their declarations do: an instance of a declaration inside a polymorphic function belongs to an
//! instance of that function. Only code that is reached asks for instances, so the walk ends: SML has no polymorphic
//! recursion.

use crate::closing::{Closing, TyEnv};
use crate::ir::Ty;
use leat_lambda::ir::{Dec, DecKind, Exp, ExpKind, TyVar, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

leat_base::entity!(
    /// An instance; `i0` is the program itself.
    Inst, "i");

/// A variable that a polymorphic declaration binds.
#[derive(Clone, Copy)]
pub(crate) struct Poly<'a> {
    pub tyvars: &'a [TyVar],
    /// Of the instances in which it is declared: how many instances are around.
    depth: u32,
    code: &'a Exp,
}

struct Info<'a> {
    parent: Inst,
    depth: u32,
    vars: Rc<[(TyVar, Ty)]>,
    code: Option<&'a Exp>,
}

pub(crate) struct Instances<'a> {
    infos: Vec<Info<'a>>,
    by_types: FxHashMap<(Inst, Var, Box<[Ty]>), Inst>,
    children: FxHashMap<(Inst, Var), Vec<Inst>>,
    polys: FxHashMap<Var, Poly<'a>>,
    work: Vec<Inst>,
}

/// More instances than this are not made: types that double from one declaration to the next.
const MOST: usize = 500_000;

/// Walks the whole program.
pub(crate) fn collect<'a>(decs: &[&'a Dec], closing: &mut Closing<'_>) -> Result<Instances<'a>, String> {
    let root = Info { parent: Inst(0), depth: 0, vars: Rc::new([]), code: None };
    let mut instances = Instances {
        infos: vec![root],
        by_types: FxHashMap::default(),
        children: FxHashMap::default(),
        polys: FxHashMap::default(),
        work: Vec::new(),
    };
    let mut walk = Walk { instances: &mut instances, closing, inst: Inst(0), env: TyEnv::default() };
    decs.iter().for_each(|dec| walk.dec(dec));
    while let Some(inst) = instances.work.pop() {
        if instances.infos.len() > MOST {
            return Err(format!("the program has more than {MOST} instances of polymorphic functions"));
        }
        let info = &instances.infos[inst.0 as usize];
        let (code, env) = (info.code, TyEnv::new(info.vars.clone()));
        if let Some(code) = code {
            Walk { instances: &mut instances, closing, inst, env }.exp(code);
        }
    }
    Ok(instances)
}

impl<'a> Instances<'a> {
    pub fn count(&self) -> usize {
        self.infos.len()
    }

    pub fn vars(&self, inst: Inst) -> Rc<[(TyVar, Ty)]> {
        self.infos[inst.0 as usize].vars.clone()
    }

    /// The instances of a declared variable inside an instance.
    pub fn children(&self, inst: Inst, var: Var) -> &[Inst] {
        self.children.get(&(inst, var)).map_or(&[], Vec::as_slice)
    }

    pub fn poly(&self, var: Var) -> Option<Poly<'a>> {
        self.polys.get(&var).copied()
    }

    fn ancestor(&self, mut inst: Inst, depth: u32) -> Inst {
        while self.infos[inst.0 as usize].depth > depth {
            inst = self.infos[inst.0 as usize].parent;
        }
        inst
    }

    /// The instance of `var` that code inside `inst` means.
    pub fn find(&self, inst: Inst, var: Var, poly: Poly<'_>, tys: &[Ty]) -> Option<Inst> {
        let owner = self.ancestor(inst, poly.depth);
        // A key that borrows would need a hash of its own; instances are looked up once a mention.
        self.by_types.get(&(owner, var, tys.into())).copied()
    }

    fn demand(&mut self, inst: Inst, var: Var, tys: Box<[Ty]>) {
        let poly = self.polys[&var];
        let owner = self.ancestor(inst, poly.depth);
        let key = (owner, var, tys);
        if self.by_types.contains_key(&key) {
            return;
        }
        let outer = &self.infos[owner.0 as usize];
        let own = poly.tyvars.iter().copied().zip(key.2.iter().copied());
        let vars = outer.vars.iter().copied().chain(own).collect();
        let info = Info { parent: owner, depth: outer.depth + 1, vars, code: Some(poly.code) };
        let child = Inst(self.infos.len() as u32);
        self.infos.push(info);
        self.children.entry((owner, var)).or_default().push(child);
        self.by_types.insert(key, child);
        self.work.push(child);
    }
}

/// The closed type arguments of a mention of a polymorphic variable; inside its own group they may be left out.
pub(crate) fn type_args(
    closing: &mut Closing<'_>,
    env: &mut TyEnv,
    poly: Poly<'_>,
    tys: &[leat_lambda::ir::Ty],
) -> Box<[Ty]> {
    if tys.is_empty() {
        let unit = closing.unit;
        return poly.tyvars.iter().map(|&var| env.get(var).unwrap_or(unit)).collect();
    }
    tys.iter().map(|&ty| closing.close(ty, env)).collect()
}

struct Walk<'a, 'i, 'c, 't> {
    instances: &'i mut Instances<'a>,
    closing: &'c mut Closing<'t>,
    inst: Inst,
    env: TyEnv,
}

impl<'a> Walk<'a, '_, '_, '_> {
    fn dec(&mut self, dec: &'a Dec) {
        let depth = self.instances.infos[self.inst.0 as usize].depth;
        match &dec.kind {
            DecKind::Val { tyvars, exp, .. } if tyvars.is_empty() => self.exp(exp),
            DecKind::Val { tyvars, var, exp, keep } => {
                self.instances.polys.insert(*var, Poly { tyvars, depth, code: exp });
                if *keep {
                    let tys = vec![self.closing.unit; tyvars.len()].into_boxed_slice();
                    self.instances.demand(self.inst, *var, tys);
                }
            }
            DecKind::Fun { tyvars, funs } if tyvars.is_empty() => funs.iter().for_each(|fun| self.exp(&fun.body)),
            DecKind::Fun { tyvars, funs } => {
                for fun in funs {
                    self.instances.polys.insert(fun.var, Poly { tyvars, depth, code: &fun.body });
                }
            }
            DecKind::Exception { .. } => {}
        }
    }

    fn exp(&mut self, exp: &'a Exp) {
        match &exp.kind {
            ExpKind::Const(_) | ExpKind::Con(..) | ExpKind::ExnCon(_) | ExpKind::Prim(..) => {}
            ExpKind::Var(var, tys) => {
                if let Some(poly) = self.instances.poly(*var) {
                    let tys = type_args(self.closing, &mut self.env, poly, tys);
                    self.instances.demand(self.inst, *var, tys);
                }
            }
            ExpKind::Tuple(exps) | ExpKind::Vector(exps) | ExpKind::List(exps) | ExpKind::Seq(exps) => {
                exps.iter().for_each(|exp| self.exp(exp));
            }
            ExpKind::Select(_, exp) | ExpKind::Fn(_, exp) | ExpKind::Raise(exp) => self.exp(exp),
            ExpKind::App(a, b) | ExpKind::While(a, b) | ExpKind::Handle(a, _, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::If(a, b, c) => [a, b, c].into_iter().for_each(|exp| self.exp(exp)),
            ExpKind::Let(decs, body) => {
                decs.iter().for_each(|dec| self.dec(dec));
                self.exp(body);
            }
            ExpKind::Case { scrut, arms, default } => {
                self.exp(scrut);
                arms.bodies().into_iter().for_each(|exp| self.exp(exp));
                if let Some(exp) = default {
                    self.exp(exp);
                }
            }
        }
    }
}
