//! Which datatypes a program makes a value of: only those need comparisons and descriptions.

use crate::ir::*;

/// By datatype: does the program make a value of it?
pub(super) fn made(body: &Body, count: usize) -> Vec<bool> {
    struct Made(Vec<bool>);
    impl Made {
        fn atom(&mut self, atom: &Atom) {
            if let Atom::Con(data, _) = atom {
                self.0[data.0 as usize] = true;
            }
        }
        fn body(&mut self, body: &Body) {
            for bind in &body.binds {
                match bind {
                    Bind::Fun(functions) => functions.iter().for_each(|function| self.body(&function.body)),
                    Bind::Val { rhs, .. } => self.rhs(rhs),
                }
            }
            match &body.result {
                Outcome::Values(atoms) => atoms.iter().for_each(|atom| self.atom(atom)),
                Outcome::Raise(atom, _) => self.atom(atom),
                Outcome::Unreachable => {}
            }
        }
        fn rhs(&mut self, rhs: &Rhs) {
            match rhs {
                Rhs::Con { data, args, .. } => {
                    self.0[data.0 as usize] = true;
                    args.iter().for_each(|atom| self.atom(atom));
                }
                Rhs::Atoms(args) | Rhs::Tuple(args) | Rhs::Prim { args, .. } | Rhs::App { args, .. } => {
                    args.iter().for_each(|atom| self.atom(atom));
                }
                Rhs::Packet { arg: Some((atom, _)), .. } => self.atom(atom),
                Rhs::Case { arms, default, .. } => {
                    arms.bodies().into_iter().chain(default.as_deref()).for_each(|body| self.body(body));
                }
                Rhs::Handle { body, handler, .. } => {
                    self.body(body);
                    self.body(handler);
                }
                _ => {}
            }
        }
    }
    let mut made = Made(vec![false; count]);
    made.0[BOOL.0 as usize] = true;
    made.body(body);
    made.0
}
