//! Uncurrying: `fun f x = fn y => e` becomes a worker of both arguments and a wrapper that is inlined everywhere.
//!
//! Mono -> Mono. `f a b` is then `(fn y => worker (a, y)) b`, which the simplifier turns into `worker (a, b)`; a
//! partial application keeps a small closure. Up to [`LISTS`] argument lists become one worker; what follows them in
//! its body has a worker of its own, so each parameter stands in one worker and one wrapper, however many lists there
//! are. Keeps: no work is moved, since nothing stands between two functions but tuples that are made or taken apart, as
//! a pattern does: `fun f (x as {a, b}) y`.

use super::walk::{Order, groups};
use crate::ir::*;
use rustc_hash::FxHashSet;

/// So many argument lists become one.
const LISTS: usize = 4;
/// So many parameters a worker has at most, if it is to have a further list.
const PARAMS: usize = 16;
/// So many tuples may stand before each inner function.
const BETWEEN: usize = 8;

pub fn run(program: &mut Program) {
    // Outer ones first: what is inside a function of three argument lists is no group of a wrapper and a worker yet.
    groups(program, Order::OuterFirst, &mut |program, group| {
        for i in 0..group.len() {
            // The worker itself is not looked at; functions in its body are groups of their own.
            if let Some(worker) = split(program, &mut group[i]) {
                group.push(worker);
            }
        }
    });
}

/// The function that is all of a body but tuples.
fn next_list(body: &Body) -> Option<&Function> {
    let [between @ .., Bind::Fun(inner)] = body.binds.as_slice() else { return None };
    let [inner] = inner.as_slice() else { return None };
    let is_tuple = |bind: &Bind| matches!(bind, Bind::Val { rhs: Rhs::Tuple(_) | Rhs::Select(..) | Rhs::Atoms(_), .. });
    let is_all = between.len() <= BETWEEN
        && between.iter().all(is_tuple)
        && body.result == Outcome::Values(vec![Atom::Var(inner.var)])
        && !mentions_itself(inner);
    is_all.then_some(inner)
}

/// How many inner functions become one with the function.
fn lists(function: &Function) -> usize {
    let mut count = 0;
    let mut params = function.params.len();
    let mut body = &function.body;
    while let Some(inner) = next_list(body) {
        params += inner.params.len();
        if count + 1 == LISTS || params > PARAMS {
            break;
        }
        count += 1;
        body = &inner.body;
    }
    count
}

/// Makes a wrapper of the function and answers its worker, if its body is one function and nothing else but tuples.
fn split(program: &mut Program, function: &mut Function) -> Option<Function> {
    if function.inline == Inline::Always {
        // A wrapper already: its inner function calls the worker.
        return None;
    }
    let count = lists(function);
    if count == 0 {
        return None;
    }
    // The body of the worker, and the inner functions with nothing in them.
    let mut body = std::mem::take(&mut function.body);
    let mut inners = Vec::new();
    for _ in 0..count {
        let Some(Bind::Fun(mut inner)) = body.binds.pop() else { unreachable!("next_list has seen it") };
        let mut inner = inner.pop().expect("a group of one");
        let rest = std::mem::take(&mut inner.body);
        body.binds.extend(rest.binds);
        body.result = rest.result;
        inners.push(inner);
    }

    // What the body does not use is no parameter: else a partial application would keep it alive.
    let mut used = FxHashSet::default();
    visit_atoms(&body, &mut |atom| {
        if let Atom::Var(var) = atom {
            used.insert(var);
        }
    });
    let all = function.params.iter().chain(inners.iter().flat_map(|inner| &inner.params));
    let (keep, all): (Vec<bool>, Vec<Var>) = all.map(|&var| (used.contains(&var), var)).unzip();
    let params: Vec<Var> = all.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(&var, _)| var).collect();
    let param_types = params.iter().map(|&var| program.ty(var)).collect::<Vec<_>>();
    let last = inners.last().expect("one at least");
    let TyData::Arrow(_, results) = program.types.get(program.ty(last.var)).clone() else { unreachable!("M2") };
    let worker_ty = program.types.intern(TyData::Arrow(param_types, results.clone()));
    let name = program.vars[function.var.0 as usize].name;
    let worker_var = program.new_var(name, worker_ty);
    let loc = last.loc;
    let inline = if last.inline == Inline::Never { Inline::Never } else { function.inline };

    let rename = |program: &mut Program, vars: &mut Vec<Var>| {
        for var in vars {
            let info = program.vars[var.0 as usize].clone();
            *var = program.new_var(info.name, info.ty);
        }
    };
    rename(program, &mut function.params);
    inners.iter_mut().for_each(|inner| rename(program, &mut inner.params));
    let args = function.params.iter().chain(inners.iter().flat_map(|inner| &inner.params));
    let args = args.zip(&keep).filter(|(_, keep)| **keep).map(|(&var, _)| Atom::Var(var)).collect();
    let result_vars: Vec<Var> = results.iter().map(|&ty| program.new_var(name, ty)).collect();
    let call = Body {
        binds: vec![Bind::Val { vars: result_vars.clone(), rhs: Rhs::App { f: Atom::Var(worker_var), args }, loc }],
        result: Outcome::Values(result_vars.iter().map(|&var| Atom::Var(var)).collect()),
    };
    let worker = Function { var: worker_var, params, body, loc: function.loc, inline, join: false };
    function.body = inners.into_iter().rev().fold(call, |body, inner| Body {
        result: Outcome::Values(vec![Atom::Var(inner.var)]),
        binds: vec![Bind::Fun(vec![Function { body, inline: Inline::Always, join: false, ..inner }])],
    });
    function.inline = Inline::Always;
    Some(worker)
}

/// A recursive inner function (`fun map f = let fun go ... in go end`) is no second argument list: it stays.
pub fn mentions_itself(function: &Function) -> bool {
    let mut found = false;
    visit_atoms(&function.body, &mut |atom| found |= atom == Atom::Var(function.var));
    found
}

/// Calls `f` with every atom that is used in the body.
pub fn visit_atoms(b: &Body, f: &mut impl FnMut(Atom)) {
    visit(b, f);
}

fn visit(b: &Body, f: &mut dyn FnMut(Atom)) {
    for bind in &b.binds {
        match bind {
            Bind::Val { rhs, .. } => match rhs {
                Rhs::Atoms(atoms) | Rhs::Tuple(atoms) => atoms.iter().for_each(|&atom| f(atom)),
                Rhs::Prim { args, .. } | Rhs::Con { args, .. } => args.iter().for_each(|&atom| f(atom)),
                Rhs::Select(_, atom) | Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => f(*atom),
                Rhs::App { f: callee, args } => {
                    f(*callee);
                    args.iter().for_each(|&atom| f(atom));
                }
                Rhs::Case { scrut, arms, default } => {
                    f(*scrut);
                    for inner in super::census::bodies(arms).chain(default.iter().map(|inner| &**inner)) {
                        visit(inner, f);
                    }
                }
                Rhs::Handle { body, handler, .. } => {
                    visit(body, f);
                    visit(handler, f);
                }
                Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
                Rhs::Packet { desc, arg } => {
                    f(*desc);
                    if let Some((atom, _)) = arg {
                        f(*atom);
                    }
                }
            },
            Bind::Fun(group) => group.iter().for_each(|function| visit(&function.body, f)),
        }
    }
    match &b.result {
        Outcome::Values(atoms) => atoms.iter().for_each(|&atom| f(atom)),
        Outcome::Raise(atom, _) => f(*atom),
        Outcome::Unreachable => {}
    }
}
