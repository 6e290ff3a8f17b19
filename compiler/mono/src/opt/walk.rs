//! Every group of functions of a program, inner ones first.

use super::census::bodies_mut;
use crate::ir::*;

/// Calls `f` with each group; it may change the group and add variables and types.
pub fn groups(program: &mut Program, f: &mut dyn FnMut(&mut Program, &mut Vec<Function>)) {
    let mut main = std::mem::take(&mut program.main);
    body(program, &mut main, f);
    program.main = main;
}

fn body(program: &mut Program, b: &mut Body, f: &mut dyn FnMut(&mut Program, &mut Vec<Function>)) {
    for bind in &mut b.binds {
        match bind {
            Bind::Val { rhs: Rhs::Case { arms, default, .. }, .. } => {
                for inner in bodies_mut(arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                    body(program, inner, f);
                }
            }
            Bind::Val { rhs: Rhs::Handle { body: inner, handler, .. }, .. } => {
                body(program, inner, f);
                body(program, handler, f);
            }
            Bind::Val { .. } => {}
            Bind::Fun(group) => {
                for function in group.iter_mut() {
                    body(program, &mut function.body, f);
                }
                f(program, group);
            }
        }
    }
}
