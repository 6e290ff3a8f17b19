//! Uncurrying: `fun f x = fn y => e` becomes a worker of both arguments and a wrapper that is inlined everywhere.
//!
//! Mono -> Mono. `f a b` is then `(fn y => worker (a, y)) b`, which the simplifier turns into `worker (a, b)`; a partial
//! application keeps a small closure. Keeps: no work is moved, since nothing stands between the two functions.

use super::walk::groups;
use crate::ir::*;

pub fn run(program: &mut Program) {
    groups(program, &mut |program, group| {
        let mut i = 0;
        while i < group.len() {
            if let Some(worker) = split(program, &mut group[i]) {
                // The worker may be curried itself: it is looked at in its turn.
                group.push(worker);
            }
            i += 1;
        }
    });
}

/// Makes a wrapper of the function and answers its worker, if its body is one function and nothing else.
fn split(program: &mut Program, function: &mut Function) -> Option<Function> {
    let [Bind::Fun(inner)] = function.body.binds.as_slice() else { return None };
    let [inner] = inner.as_slice() else { return None };
    if function.body.result != Outcome::Values(vec![Atom::Var(inner.var)]) || mentions_itself(inner) {
        return None;
    }
    if function.inline == Inline::Always {
        // A wrapper already: its inner function calls the worker.
        return None;
    }
    let Some(Bind::Fun(mut inner)) = std::mem::take(&mut function.body).binds.pop() else { unreachable!() };
    let inner = inner.pop().expect("a group of one");

    let types = |program: &Program, vars: &[Var]| vars.iter().map(|&var| program.ty(var)).collect::<Vec<_>>();
    let mut param_types = types(program, &function.params);
    param_types.extend(types(program, &inner.params));
    let TyData::Arrow(_, results) = program.types.get(program.ty(inner.var)).clone() else { unreachable!("M2") };
    let worker_ty = program.types.intern(TyData::Arrow(param_types, results.clone()));
    let name = program.vars[function.var.0 as usize].name;
    let worker_var = program.new_var(name, worker_ty);

    let rename = |program: &mut Program, vars: &[Var]| -> Vec<Var> {
        vars.iter()
            .map(|&var| {
                let info = program.vars[var.0 as usize].clone();
                program.new_var(info.name, info.ty)
            })
            .collect()
    };
    let outer_params = rename(program, &function.params);
    let inner_params = rename(program, &inner.params);
    let args = outer_params.iter().chain(&inner_params).map(|&var| Atom::Var(var)).collect();
    let result_vars: Vec<Var> = results.iter().map(|&ty| program.new_var(name, ty)).collect();
    let call = Body {
        binds: vec![Bind::Val {
            vars: result_vars.clone(),
            rhs: Rhs::App { f: Atom::Var(worker_var), args },
            loc: inner.loc,
        }],
        result: Outcome::Values(result_vars.iter().map(|&var| Atom::Var(var)).collect()),
    };
    let worker = Function {
        var: worker_var,
        params: std::mem::replace(&mut function.params, outer_params).into_iter().chain(inner.params).collect(),
        body: inner.body,
        loc: function.loc,
        inline: if inner.inline == Inline::Never { Inline::Never } else { function.inline },
        join: false,
    };
    function.body = Body {
        result: Outcome::Values(vec![Atom::Var(inner.var)]),
        binds: vec![Bind::Fun(vec![Function {
            var: inner.var,
            params: inner_params,
            body: call,
            loc: inner.loc,
            inline: Inline::Always,
            join: false,
        }])],
    };
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
        Outcome::Raise(atom) => f(*atom),
        Outcome::Unreachable => {}
    }
}
