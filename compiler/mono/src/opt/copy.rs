//! A copy of a function's body with names of its own (M1), for inlining; and how large a body is.
//!
//! The copy's uses are counted as it is made, those of its free variables too: the original may have changed since it
//! was counted, and a count that is too low would drop a binding that is used.

use rustc_hash::FxHashMap;

use super::census::{Counts, bodies, bodies_mut};
use crate::ir::*;
use crate::places::{Copied, Places};

/// Copies bodies; variables bound in them get fresh ones.
pub struct Copier<'a> {
    pub vars: &'a mut Vec<VarInfo>,
    pub counts: &'a mut Counts,
    pub map: FxHashMap<Var, Atom>,
    pub places: &'a mut Places,
    /// None in functions inside of the body, which have places of their own.
    pub copied: Option<Copied>,
}

impl Copier<'_> {
    fn fresh(&mut self, var: Var) -> Var {
        let new = Var(self.vars.len() as u32);
        let info = self.vars[var.0 as usize].clone();
        self.vars.push(info);
        self.counts.resize(self.vars.len(), Default::default());
        self.map.insert(var, Atom::Var(new));
        new
    }

    fn fresh_all(&mut self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|&var| self.fresh(var)).collect()
    }

    fn atom(&mut self, atom: Atom) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        let copy = self.map.get(&var).copied().unwrap_or(atom);
        if let Atom::Var(var) = copy {
            self.counts[var.0 as usize].uses += 1;
        }
        copy
    }

    fn callee(&mut self, atom: Atom) -> Atom {
        let copy = self.atom(atom);
        if let Atom::Var(var) = copy {
            self.counts[var.0 as usize].calls += 1;
        }
        copy
    }

    fn atoms(&mut self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|&atom| self.atom(atom)).collect()
    }

    fn place(&mut self, loc: Loc) -> Loc {
        match &mut self.copied {
            Some(copied) => self.places.place(copied, loc),
            None => loc,
        }
    }

    pub fn body(&mut self, body: &Body) -> Body {
        let binds = body.binds.iter().map(|bind| self.bind(bind)).collect();
        let result = match &body.result {
            Outcome::Values(atoms) => Outcome::Values(self.atoms(atoms)),
            Outcome::Raise(atom, loc) => Outcome::Raise(self.atom(*atom), self.place(*loc)),
            Outcome::Unreachable => Outcome::Unreachable,
        };
        Body { binds, result }
    }

    fn bind(&mut self, bind: &Bind) -> Bind {
        match bind {
            Bind::Val { vars, rhs, loc } => {
                let rhs = self.rhs(rhs);
                let loc = self.place(*loc);
                Bind::Val { vars: self.fresh_all(vars), rhs, loc }
            }
            Bind::Fun(group) => {
                let names: Vec<Var> = group.iter().map(|function| self.fresh(function.var)).collect();
                let functions = group
                    .iter()
                    .zip(names)
                    .map(|(function, var)| {
                        let params = self.fresh_all(&function.params);
                        let loc = match &mut self.copied {
                            Some(copied) if function.join => self.places.place(copied, function.loc),
                            _ => function.loc,
                        };
                        let copied = if function.join { None } else { self.copied.take() };
                        let body = self.body(&function.body);
                        if copied.is_some() {
                            self.copied = copied;
                        }
                        Function { var, params, body, loc, inline: function.inline, join: function.join }
                    })
                    .collect();
                Bind::Fun(functions)
            }
        }
    }

    fn rhs(&mut self, rhs: &Rhs) -> Rhs {
        match rhs {
            Rhs::Atoms(atoms) => Rhs::Atoms(self.atoms(atoms)),
            Rhs::Prim { prim, tys, args } => Rhs::Prim { prim: *prim, tys: tys.clone(), args: self.atoms(args) },
            Rhs::Tuple(atoms) => Rhs::Tuple(self.atoms(atoms)),
            Rhs::Select(i, atom) => Rhs::Select(*i, self.atom(*atom)),
            Rhs::Con { data, con, args } => Rhs::Con { data: *data, con: *con, args: self.atoms(args) },
            Rhs::App { f, args } => Rhs::App { f: self.callee(*f), args: self.atoms(args) },
            Rhs::Case { scrut, arms, default } => {
                let scrut = self.atom(*scrut);
                let arms = match arms {
                    Arms::Con(data, arms) => {
                        let arms = arms.iter().map(|(con, vars, body)| {
                            let vars = self.fresh_all(vars);
                            (*con, vars, self.body(body))
                        });
                        Arms::Con(*data, arms.collect())
                    }
                    Arms::Int(arms) => Arms::Int(arms.iter().map(|(k, body)| (*k, self.body(body))).collect()),
                    Arms::Str(arms) => Arms::Str(arms.iter().map(|(k, body)| (*k, self.body(body))).collect()),
                };
                let default = default.as_ref().map(|body| Box::new(self.body(body)));
                Rhs::Case { scrut, arms, default }
            }
            Rhs::Handle { body, exn, handler } => {
                let body = Box::new(self.body(body));
                let exn = self.fresh(*exn);
                Rhs::Handle { body, exn, handler: Box::new(self.body(handler)) }
            }
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => rhs.clone(),
            Rhs::Packet { desc, arg } => {
                Rhs::Packet { desc: self.atom(*desc), arg: arg.map(|(atom, ty)| (self.atom(atom), ty)) }
            }
            Rhs::PacketDesc(atom) => Rhs::PacketDesc(self.atom(*atom)),
            Rhs::PacketArg(atom, ty) => Rhs::PacketArg(self.atom(*atom), *ty),
        }
    }
}

/// Gives the body's places those of one inlining, as a copy has them; the body itself becomes the copy.
pub fn relocate(body: &mut Body, places: &mut Places, copied: &mut Copied) {
    for bind in &mut body.binds {
        match bind {
            Bind::Val { rhs, loc, .. } => {
                *loc = places.place(copied, *loc);
                match rhs {
                    Rhs::Case { arms, default, .. } => {
                        for inner in bodies_mut(arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                            relocate(inner, places, copied);
                        }
                    }
                    Rhs::Handle { body, handler, .. } => {
                        relocate(body, places, copied);
                        relocate(handler, places, copied);
                    }
                    _ => {}
                }
            }
            // Functions inside of the body, other than joins, have places of their own.
            Bind::Fun(group) => {
                for function in group.iter_mut().filter(|function| function.join) {
                    function.loc = places.place(copied, function.loc);
                    relocate(&mut function.body, places, copied);
                }
            }
        }
    }
    if let Outcome::Raise(_, loc) = &mut body.result {
        *loc = places.place(copied, *loc);
    }
}

/// Roughly how many instructions a body is; stops counting above `limit`.
pub fn size(body: &Body, limit: usize) -> usize {
    size_without(body, &[], limit)
}

/// The same without some of the functions that it binds.
pub fn size_without(body: &Body, without: &[Var], limit: usize) -> usize {
    let mut total = 0;
    add_size(body, without, limit, &mut total);
    total
}

/// That of a binding.
pub fn bind_size(bind: &Bind) -> usize {
    let mut total = 0;
    add_bind(bind, &[], usize::MAX, &mut total);
    total
}

fn add_size(body: &Body, without: &[Var], limit: usize, total: &mut usize) {
    for bind in &body.binds {
        if *total > limit {
            return;
        }
        add_bind(bind, without, limit, total);
    }
    if let Outcome::Raise(..) = body.result {
        *total += 1;
    }
}

fn add_bind(bind: &Bind, without: &[Var], limit: usize, total: &mut usize) {
    match bind {
        Bind::Val { rhs, .. } => match rhs {
            Rhs::Atoms(_) | Rhs::Select(..) | Rhs::BuiltinExn(_) | Rhs::Table { .. } | Rhs::PacketDesc(_) => {
                *total += 1;
            }
            Rhs::Prim { .. } | Rhs::PacketArg(..) => *total += 1,
            Rhs::Tuple(args) | Rhs::Con { args, .. } => *total += 1 + args.len() / 2,
            Rhs::Packet { .. } | Rhs::NewExn { .. } => *total += 2,
            Rhs::App { args, .. } => *total += 2 + args.len() / 3,
            Rhs::Case { arms, default, .. } => {
                *total += 1;
                for body in bodies(arms).chain(default.iter().map(|body| &**body)) {
                    *total += 1;
                    add_size(body, &[], limit, total);
                }
            }
            Rhs::Handle { body, handler, .. } => {
                *total += 3;
                add_size(body, &[], limit, total);
                add_size(handler, &[], limit, total);
            }
        },
        Bind::Fun(group) => {
            for function in group.iter().filter(|function| !without.contains(&function.var)) {
                *total += 3;
                add_size(&function.body, &[], limit, total);
            }
        }
    }
}
