//! Checks the invariants L1 to L5 of Lambda; an error starts with the number.

use crate::ir::*;
use crate::reach;
use crate::tree::values;
use leat_elab::Tables;
use leat_elab::ir::{TyData, TyNameDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks declarations in order. Variables of earlier units are taken as bound.
pub fn verify<'d>(decs: impl Iterator<Item = &'d TopDec>, tables: &Tables) -> Result<(), String> {
    let mut verifier =
        Verifier { tables, scope: FxHashMap::default(), bound: FxHashSet::default(), inside: Vec::new() };
    for top in decs {
        verifier.dec(&top.dec)?;
        let free = reach::free_vars(&top.dec).uses;
        if free != top.uses {
            let names: Vec<String> = top.dec.binds().iter().map(|&var| verifier.show(var)).collect();
            return Err(format!("L5: uses of {} are {free:?}, not {:?}", names.join(", "), top.uses));
        }
    }
    Ok(())
}

struct Verifier<'t> {
    tables: &'t Tables,
    /// Variables in scope with the number of their type variables.
    scope: FxHashMap<Var, usize>,
    /// Every variable bound so far.
    bound: FxHashSet<Var>,
    /// Groups around: there a function may leave its type arguments out.
    inside: Vec<Var>,
}

impl Verifier<'_> {
    fn show(&self, var: Var) -> String {
        format!("{}.{}", self.tables.vars.get(var).map_or("?", |info| info.name.as_str()), var.0)
    }

    fn bind(&mut self, var: Var, tyvars: usize) -> Result<(), String> {
        if self.tables.vars.get(var).is_none() {
            return Err(format!("L1: {var} is in no table"));
        }
        if !self.bound.insert(var) {
            return Err(format!("L1: {} is bound twice", self.show(var)));
        }
        self.scope.insert(var, tyvars);
        Ok(())
    }

    fn dec(&mut self, dec: &Dec) -> Result<(), String> {
        match &dec.kind {
            DecKind::Val { tyvars, var, exp, .. } => {
                self.exp(exp)?;
                self.bind(*var, tyvars.len())
            }
            DecKind::Fun { tyvars, funs } => {
                for fun in funs {
                    self.bind(fun.var, tyvars.len())?;
                }
                let mark = self.inside.len();
                self.inside.extend(funs.iter().map(|fun| fun.var));
                for fun in funs {
                    self.bind(fun.param, 0)?;
                    self.exp(&fun.body)?;
                    self.scope.remove(&fun.param);
                }
                self.inside.truncate(mark);
                Ok(())
            }
            DecKind::Exception { var, .. } => self.bind(*var, 0),
        }
    }

    fn var(&self, var: Var, tys: usize) -> Result<(), String> {
        match self.scope.get(&var) {
            Some(&n) if n == tys || tys == 0 && self.inside.contains(&var) => Ok(()),
            Some(n) => Err(format!("L3: {} has {n} type variables and {tys} arguments", self.show(var))),
            None if self.bound.contains(&var) => Err(format!("L1: {} is used outside its scope", self.show(var))),
            // Of an earlier unit.
            None => Ok(()),
        }
    }

    fn exn(&self, exn: ExnRef) -> Result<(), String> {
        match exn {
            ExnRef::Var(var) => self.var(var, 0),
            ExnRef::Builtin(_) => Ok(()),
        }
    }

    fn width(&self, ty: Ty) -> Option<usize> {
        match self.tables.types.get(ty) {
            Some(TyData::Record(fields)) => Some(fields.len()),
            _ => None,
        }
    }

    fn all<'e>(&mut self, exps: impl IntoIterator<Item = &'e Exp>) -> Result<(), String> {
        exps.into_iter().try_for_each(|exp| self.exp(exp))
    }

    fn exp(&mut self, exp: &Exp) -> Result<(), String> {
        match &exp.kind {
            ExpKind::Const(_) | ExpKind::Con(..) | ExpKind::Prim(..) => Ok(()),
            ExpKind::Var(var, tys) => self.var(*var, tys.len()),
            ExpKind::ExnCon(exn) => self.exn(*exn),
            ExpKind::Tuple(exps) => {
                if self.width(exp.ty).is_some_and(|width| width != exps.len()) {
                    return Err(format!("L4: a tuple of {} parts at {:?}", exps.len(), exp.span));
                }
                self.all(exps)
            }
            ExpKind::Vector(exps) | ExpKind::List(exps) => self.all(exps),
            ExpKind::Seq(exps) if exps.is_empty() => Err(format!("L4: an empty sequence at {:?}", exp.span)),
            ExpKind::Seq(exps) => self.all(exps),
            ExpKind::Select(i, of) => {
                if self.width(of.ty).is_some_and(|width| *i as usize >= width) {
                    return Err(format!("L4: part {i} at {:?}", exp.span));
                }
                self.exp(of)
            }
            ExpKind::App(a, b) | ExpKind::While(a, b) => self.all([&**a, &**b]),
            ExpKind::Raise(a) => self.exp(a),
            ExpKind::If(a, b, c) => self.all([&**a, &**b, &**c]),
            ExpKind::Fn(param, body) => {
                self.bind(*param, 0)?;
                self.exp(body)?;
                self.scope.remove(param);
                Ok(())
            }
            ExpKind::Handle(body, packet, handler) => {
                self.exp(body)?;
                self.bind(*packet, 0)?;
                self.exp(handler)?;
                self.scope.remove(packet);
                Ok(())
            }
            ExpKind::Let(decs, body) => {
                decs.iter().try_for_each(|dec| self.dec(dec))?;
                self.exp(body)?;
                for dec in decs {
                    dec.binds().iter().for_each(|var| {
                        self.scope.remove(var);
                    });
                }
                Ok(())
            }
            ExpKind::Case { scrut, arms, default } => {
                self.exp(scrut)?;
                self.arms(arms, scrut.ty, default.is_some()).map_err(|error| format!("{error} at {:?}", exp.span))?;
                self.all(default.as_deref())
            }
        }
    }

    fn arms(&mut self, arms: &Arms, scrut: Ty, has_default: bool) -> Result<(), String> {
        let (distinct, complete) = match arms {
            Arms::Con(name, arms) => {
                let cons: FxHashSet<u32> = arms.iter().map(|arm| arm.0).collect();
                let all = match &self.tables.tynames[*name].def {
                    TyNameDef::Datatype { cons, .. } => cons.len(),
                    _ => 0,
                };
                (cons.len() == arms.len(), cons.len() == all)
            }
            Arms::Int(arms) => {
                let ints: FxHashSet<i64> = arms.iter().map(|arm| arm.0).collect();
                (ints.len() == arms.len(), Some(ints.len()) == values(self.tables, scrut))
            }
            Arms::Str(arms) => (arms.iter().map(|arm| &arm.0).collect::<FxHashSet<_>>().len() == arms.len(), false),
            Arms::Exn(arms) => (arms.iter().map(|arm| arm.0).collect::<FxHashSet<_>>().len() == arms.len(), false),
        };
        if !distinct {
            return Err("L2: two arms are the same".to_string());
        }
        if !complete && !has_default {
            return Err("L2: a case is not exhaustive".to_string());
        }
        let vars: Vec<Option<Var>> = match arms {
            Arms::Con(_, arms) => arms.iter().map(|arm| arm.1).collect(),
            Arms::Exn(arms) => {
                arms.iter().try_for_each(|arm| self.exn(arm.0))?;
                arms.iter().map(|arm| arm.1).collect()
            }
            Arms::Int(_) | Arms::Str(_) => Vec::new(),
        };
        for (i, body) in arms.bodies().into_iter().enumerate() {
            let var = vars.get(i).copied().flatten();
            if let Some(var) = var {
                self.bind(var, 0)?;
            }
            self.exp(body)?;
            if let Some(var) = var {
                self.scope.remove(&var);
            }
        }
        Ok(())
    }
}
