//! How often each variable is used and called; what is not used and has no effect is removed.
//!
//! Mono -> smaller Mono, one walk backwards: uses stand after bindings, so one walk finds whole dead chains.
//!
//! Variables get new numbers, those that the walk meets first the least. So what is near in the program is near in the
//! tables by variable, and the many variables that are gone have no place there. In a program of 60,000 lines these
//! tables are larger than the processor's caches.

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

/// Removes dead bindings, gives all variables new numbers, and answers the counts of what is left.
pub fn run(program: &mut Program) -> Counts {
    let mut census = Census {
        counts: Vec::new(),
        numbers: vec![NONE; program.vars.len()],
        vars: Vec::new(),
        keeps_history: program.keeps_history,
    };
    let mut main = std::mem::take(&mut program.main);
    census.body(&mut main);
    program.main = main;
    let Census { counts, numbers, vars, .. } = census;
    program.vars = vars.iter().map(|old| program.vars[old.0 as usize].clone()).collect();
    let number = |old: Var| Some(numbers[old.0 as usize]).filter(|&number| number != NONE).map(Var);
    program.outermost = program.outermost.iter().filter_map(|&old| number(old)).collect();
    counts
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

/// The walk. Each place of a variable has its old number until the walk has come by.
struct Census {
    /// By new number.
    counts: Counts,
    /// From old numbers to new ones.
    numbers: Vec<u32>,
    /// From new numbers to old ones.
    vars: Vec<Var>,
    keeps_history: bool,
}

/// No new number yet: nothing that the walk has met names the variable.
const NONE: u32 = u32::MAX;

impl Census {
    /// By old number.
    fn used(&self, var: Var) -> bool {
        self.uses(var) > 0
    }

    fn uses(&self, var: Var) -> u32 {
        match self.numbers[var.0 as usize] {
            NONE => 0,
            number => self.counts[number as usize].uses,
        }
    }

    /// Gives the variable its new number, at one place.
    fn var(&mut self, var: &mut Var) -> &mut Count {
        let number = &mut self.numbers[var.0 as usize];
        if *number == NONE {
            *number = self.counts.len() as u32;
            self.counts.push(Count::default());
            self.vars.push(*var);
        }
        *var = Var(*number);
        &mut self.counts[var.0 as usize]
    }

    fn bound(&mut self, vars: &mut [Var]) {
        for var in vars {
            self.var(var);
        }
    }

    fn atom(&mut self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            self.var(var).uses += 1;
        }
    }

    fn atoms(&mut self, atoms: &mut [Atom]) {
        for atom in atoms {
            self.atom(atom);
        }
    }

    fn body(&mut self, body: &mut Body) {
        match &mut body.result {
            Outcome::Values(atoms) => self.atoms(atoms),
            Outcome::Raise(atom, _) => self.atom(atom),
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
                self.bound(vars);
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
                let uses = self.uses(function.var);
                if uses > 0 {
                    self.body(&mut function.body);
                    self.bound(&mut function.params);
                    let count = self.var(&mut function.var);
                    count.is_not_in_itself = count.uses == uses;
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
            Rhs::Select(_, atom) | Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => self.atom(atom),
            Rhs::App { f, args } => {
                self.atom(f);
                if let Atom::Var(var) = *f {
                    self.counts[var.0 as usize].calls += 1;
                }
                self.atoms(args);
            }
            Rhs::Case { scrut, arms, default } => {
                match arms {
                    Arms::Con(_, arms) => {
                        for (_, fields, body) in arms {
                            self.body(body);
                            self.bound(fields);
                        }
                    }
                    Arms::Int(arms) => arms.iter_mut().for_each(|(_, body)| self.body(body)),
                    Arms::Str(arms) => arms.iter_mut().for_each(|(_, body)| self.body(body)),
                }
                if let Some(body) = default {
                    self.body(body);
                }
                self.atom(scrut);
            }
            Rhs::Handle { body, exn, handler } => {
                self.body(body);
                self.body(handler);
                self.var(exn);
            }
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
            Rhs::Packet { desc, arg } => {
                self.atom(desc);
                if let Some((atom, _)) = arg {
                    self.atom(atom);
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
