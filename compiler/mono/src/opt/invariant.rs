//! Static arguments: a recursive function that passes a function parameter on unchanged becomes a loop inside a
//! wrapper.
//!
//! Mono -> Mono. After Santos (1995), for parameters of function type only: `fun map f (x :: xs) = f x :: map f xs`
//! becomes `fun map (f, l) = let fun go (x :: xs) = f x :: go xs in go l end`, and inlining `map` at a call with a
//! known `f` gives a first-order loop. Keeps: evaluation order (the wrapper evaluates nothing).

use super::census::bodies_mut;
use super::copy::size;
use super::uncurry::visit_atoms;
use super::walk::{Order, groups};
use crate::ir::*;

/// Larger functions stay: a copy at each call would not pay.
const LARGEST: usize = 150;

pub fn run(program: &mut Program) {
    groups(program, Order::InnerFirst, &mut |program, group| {
        if let [function] = group.as_mut_slice() {
            wrap(program, function);
        }
    });
}

fn wrap(program: &mut Program, function: &mut Function) {
    let is_function = |program: &Program, var: Var| matches!(program.types.get(program.ty(var)), TyData::Arrow(..));
    let mut keep: Vec<bool> = function.params.iter().map(|&param| !is_function(program, param)).collect();
    if keep.iter().all(|&k| k) || function.inline != Inline::Auto || size(&function.body, LARGEST) > LARGEST {
        return;
    }
    let mut calls = 0;
    self_calls(&mut function.body, function.var, &mut |args| {
        calls += 1;
        for (i, arg) in args.iter().enumerate() {
            keep[i] |= *arg != Atom::Var(function.params[i]);
        }
    });
    let mut mentions = 0;
    visit_atoms(&function.body, &mut |atom| mentions += usize::from(atom == Atom::Var(function.var)));
    if calls == 0 || mentions != calls || keep.iter().all(|&k| k) {
        return;
    }

    let TyData::Arrow(param_types, results) = program.types.get(program.ty(function.var)).clone() else {
        unreachable!("M2")
    };
    let kept = |of: &[Ty]| of.iter().zip(&keep).filter(|(_, k)| **k).map(|(ty, _)| *ty).collect::<Vec<_>>();
    let loop_ty = program.types.intern(TyData::Arrow(kept(&param_types), results.clone()));
    let name = program.vars[function.var.0 as usize].name;
    let go = program.new_var(name, loop_ty);
    let mut loop_body = std::mem::take(&mut function.body);
    retarget(&mut loop_body, function.var, go, &keep);
    let mut loop_params = Vec::new();
    for (param, &k) in function.params.iter_mut().zip(&keep) {
        if k {
            loop_params.push(*param);
            let info = program.vars[param.0 as usize].clone();
            *param = program.new_var(info.name, info.ty);
        }
    }
    let args = function.params.iter().zip(&keep).filter(|(_, k)| **k).map(|(&param, _)| Atom::Var(param)).collect();
    let result_vars: Vec<Var> = results.iter().map(|&ty| program.new_var(name, ty)).collect();
    function.body = Body {
        binds: vec![
            Bind::Fun(vec![Function {
                var: go,
                params: loop_params,
                body: loop_body,
                loc: function.loc,
                inline: Inline::Auto,
                join: true,
            }]),
            Bind::Val { vars: result_vars.clone(), rhs: Rhs::App { f: Atom::Var(go), args }, loc: function.loc },
        ],
        result: Outcome::Values(result_vars.into_iter().map(Atom::Var).collect()),
    };
}

/// Calls `f` with the arguments of each application of `var`.
fn self_calls(b: &mut Body, var: Var, f: &mut dyn FnMut(&mut Vec<Atom>)) {
    for_each_app(b, &mut |callee, args| {
        if *callee == Atom::Var(var) {
            f(args);
        }
    });
}

/// Applications of `from` become applications of `to` without the arguments that are not kept.
fn retarget(b: &mut Body, from: Var, to: Var, keep: &[bool]) {
    for_each_app(b, &mut |callee, args| {
        if *callee == Atom::Var(from) {
            *callee = Atom::Var(to);
            let mut i = 0;
            args.retain(|_| {
                i += 1;
                keep[i - 1]
            });
        }
    });
}

fn for_each_app(b: &mut Body, f: &mut dyn FnMut(&mut Atom, &mut Vec<Atom>)) {
    for bind in &mut b.binds {
        match bind {
            Bind::Val { rhs, .. } => match rhs {
                Rhs::App { f: callee, args } => f(callee, args),
                Rhs::Case { arms, default, .. } => {
                    for inner in bodies_mut(arms).chain(default.iter_mut().map(|inner| &mut **inner)) {
                        for_each_app(inner, f);
                    }
                }
                Rhs::Handle { body, handler, .. } => {
                    for_each_app(body, f);
                    for_each_app(handler, f);
                }
                _ => {}
            },
            Bind::Fun(group) => group.iter_mut().for_each(|function| for_each_app(&mut function.body, f)),
        }
    }
}
