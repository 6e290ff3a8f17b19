//! Every group of functions of a program, inner ones first or outer ones first.

use super::census::bodies_mut;
use crate::ir::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    InnerFirst,
    /// The functions of a group, also those that `f` has added, are walked behind it.
    OuterFirst,
}

/// Calls `f` with each group; it may change the group and add variables and types.
pub fn groups(program: &mut Program, order: Order, f: &mut dyn FnMut(&mut Program, &mut Vec<Function>)) {
    let mut main = std::mem::take(&mut program.main);
    body(program, &mut main, order, f);
    program.main = main;
}

fn body(program: &mut Program, b: &mut Body, order: Order, f: &mut dyn FnMut(&mut Program, &mut Vec<Function>)) {
    for bind in &mut b.binds {
        match bind {
            Bind::Val { rhs: Rhs::Case { arms, default, .. }, .. } => {
                for inner in bodies_mut(arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                    body(program, inner, order, f);
                }
            }
            Bind::Val { rhs: Rhs::Handle { body: inner, handler, .. }, .. } => {
                body(program, inner, order, f);
                body(program, handler, order, f);
            }
            Bind::Val { .. } => {}
            Bind::Fun(group) => {
                if order == Order::OuterFirst {
                    f(program, group);
                }
                for function in group.iter_mut() {
                    body(program, &mut function.body, order, f);
                }
                if order == Order::InnerFirst {
                    f(program, group);
                }
            }
        }
    }
}
