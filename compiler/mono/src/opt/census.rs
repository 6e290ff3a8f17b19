//! How often each variable is used and called; what is not used and has no effect is removed.
//!
//! Mono -> smaller Mono, one walk backwards: uses stand after bindings, so one walk finds whole dead chains.

use leat_abi::prim::{Prim, Raises};

use crate::ir::*;

/// Uses of a variable; `calls` are those as the function of an application.
#[derive(Clone, Copy, Default, Debug)]
pub struct Count {
    pub uses: u32,
    pub calls: u32,
    /// It is a function whose body does not name it. False also says that nobody has looked.
    pub is_not_in_itself: bool,
}

/// Counts by variable.
pub type Counts = Vec<Count>;

/// Removes dead bindings and answers the counts of what is left.
pub fn run(program: &mut Program) -> Counts {
    let mut census =
        Census { counts: vec![Count::default(); program.vars.len()], keeps_history: program.keeps_history };
    let mut main = std::mem::take(&mut program.main);
    census.body(&mut main);
    program.main = main;
    census.counts
}

/// May the binding be dropped when its variables are unused?
pub fn droppable(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Atoms(_)
        | Rhs::Tuple(_)
        | Rhs::Select(..)
        | Rhs::Con { .. }
        | Rhs::NewExn { .. }
        | Rhs::BuiltinExn(_)
        | Rhs::Table { .. }
        | Rhs::Packet { .. }
        | Rhs::PacketDesc(_)
        | Rhs::PacketArg(..) => true,
        Rhs::Prim { prim, .. } => !prim.writes() && prim.raises() == Raises::Nothing,
        Rhs::App { .. } => false,
        Rhs::Case { arms, default, .. } => bodies(arms).all(quiet) && default.iter().all(|body| quiet(body)),
        Rhs::Handle { body, .. } => quiet(body),
    }
}

/// Has the body no effect and a value?
fn quiet(body: &Body) -> bool {
    matches!(body.result, Outcome::Values(_))
        && body.binds.iter().all(|bind| match bind {
            Bind::Val { rhs, .. } => droppable(rhs),
            Bind::Fun(_) => true,
        })
}

/// The bodies of the arms.
pub fn bodies(arms: &Arms) -> Box<dyn Iterator<Item = &Body> + '_> {
    match arms {
        Arms::Con(_, arms) => Box::new(arms.iter().map(|arm| &arm.2)),
        Arms::Int(arms) => Box::new(arms.iter().map(|arm| &arm.1)),
        Arms::Str(arms) => Box::new(arms.iter().map(|arm| &arm.1)),
    }
}

/// The bodies of the arms, to change.
pub fn bodies_mut(arms: &mut Arms) -> Box<dyn Iterator<Item = &mut Body> + '_> {
    match arms {
        Arms::Con(_, arms) => Box::new(arms.iter_mut().map(|arm| &mut arm.2)),
        Arms::Int(arms) => Box::new(arms.iter_mut().map(|arm| &mut arm.1)),
        Arms::Str(arms) => Box::new(arms.iter_mut().map(|arm| &mut arm.1)),
    }
}

struct Census {
    counts: Counts,
    keeps_history: bool,
}

impl Census {
    fn used(&self, var: Var) -> bool {
        self.counts[var.0 as usize].uses > 0
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.counts[var.0 as usize].uses += 1;
        }
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        for &atom in atoms {
            self.atom(atom);
        }
    }

    fn body(&mut self, body: &mut Body) {
        match &body.result {
            Outcome::Values(atoms) => self.atoms(atoms),
            Outcome::Raise(atom) => self.atom(*atom),
            Outcome::Unreachable => {}
        }
        // From the last to the first.
        let mut dead = Vec::new();
        for (i, bind) in body.binds.iter_mut().enumerate().rev() {
            if !self.bind(bind) {
                dead.push(i);
            }
        }
        if !dead.is_empty() {
            let mut i = 0;
            body.binds.retain(|_| {
                let stays = dead.pop_if(|next| *next == i).is_none();
                i += 1;
                stays
            });
        }
    }

    /// Whether the binding stays.
    fn bind(&mut self, bind: &mut Bind) -> bool {
        match bind {
            Bind::Val { rhs: Rhs::Prim { prim: Prim::ExnNote, .. }, .. } if !self.keeps_history => false,
            Bind::Val { vars, rhs, .. } => {
                // In this order: a chain of `else if`s, each of which is used, is not looked through at each link.
                if !vars.iter().any(|&var| self.used(var)) && droppable(rhs) {
                    return false;
                }
                self.drop_results(vars, rhs);
                self.rhs(rhs);
                true
            }
            Bind::Fun(group) => {
                self.group(group);
                !group.is_empty()
            }
        }
    }

    /// A function of a group is used when something outside, or a used one, names it.
    fn group(&mut self, group: &mut Vec<Function>) {
        let mut waiting: Vec<Function> = std::mem::take(group);
        let mut kept = Vec::new();
        loop {
            let before = waiting.len();
            let mut rest = Vec::new();
            for mut function in waiting {
                if self.used(function.var) {
                    let before = self.counts[function.var.0 as usize].uses;
                    self.body(&mut function.body);
                    let count = &mut self.counts[function.var.0 as usize];
                    count.is_not_in_itself = count.uses == before;
                    kept.push(function);
                } else {
                    rest.push(function);
                }
            }
            waiting = rest;
            if waiting.is_empty() || waiting.len() == before {
                break;
            }
        }
        *group = kept;
    }

    /// Values of a case or handle that nobody uses are not passed out of it.
    fn drop_results(&mut self, vars: &mut Vec<Var>, rhs: &mut Rhs) {
        if vars.iter().all(|&var| self.used(var)) {
            return;
        }
        let keep: Vec<bool> = vars.iter().map(|&var| self.used(var)).collect();
        match rhs {
            Rhs::Case { arms, default, .. } => {
                // An arm that ends in a call gives what the call gives: it stays as it is, bound to variables.
                for body in bodies_mut(arms).chain(default.iter_mut().map(|body| &mut **body)) {
                    narrow(body, &keep);
                }
            }
            Rhs::Handle { body, handler, .. } => {
                narrow(body, &keep);
                narrow(handler, &keep);
            }
            _ => return,
        }
        let mut i = 0;
        vars.retain(|_| {
            i += 1;
            keep[i - 1]
        });
    }

    fn rhs(&mut self, rhs: &mut Rhs) {
        match rhs {
            Rhs::Atoms(atoms) | Rhs::Tuple(atoms) => self.atoms(atoms),
            Rhs::Prim { args, .. } | Rhs::Con { args, .. } => self.atoms(args),
            Rhs::Select(_, atom) | Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => self.atom(*atom),
            Rhs::App { f, args } => {
                self.atom(*f);
                if let Atom::Var(var) = *f {
                    self.counts[var.0 as usize].calls += 1;
                }
                self.atoms(args);
            }
            Rhs::Case { scrut, arms, default } => {
                for body in bodies_mut(arms) {
                    self.body(body);
                }
                if let Some(body) = default {
                    self.body(body);
                }
                self.atom(*scrut);
            }
            Rhs::Handle { body, handler, .. } => {
                self.body(body);
                self.body(handler);
            }
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
            Rhs::Packet { desc, arg } => {
                self.atom(*desc);
                if let Some((atom, _)) = arg {
                    self.atom(*atom);
                }
            }
        }
    }
}

fn narrow(body: &mut Body, keep: &[bool]) {
    if let Outcome::Values(atoms) = &mut body.result {
        let mut i = 0;
        atoms.retain(|_| {
            i += 1;
            keep[i - 1]
        });
    }
}
