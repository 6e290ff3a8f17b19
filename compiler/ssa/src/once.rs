//! Which of the outermost declarations are evaluated once, and which may be evaluated again.
//!
//! A variable of the outermost declarations that other functions use lives in one global slot. That is right if its
//! declaration is evaluated once. But a continuation that was captured on the way, in a function that a declaration
//! calls, may be thrown to when the declarations behind it have been evaluated: they are evaluated again, and would
//! store over what the frames of other continuations and the closures of the first time still read. So:
//!
//! ```text
//! val a = 1 .. f ()                 once: a slot
//! val x = callcc (fn k => ..)       captures
//! val y = .. g x                    may be evaluated again, as x may: variables like those of a function
//! ```
//!
//! The declarations before the first one that may capture a continuation are evaluated once. A declaration may do so if
//! it, or a function that it may call, has the primitive; an unknown function may be any that is used as a value. Most
//! programs capture none, and all of their declarations are evaluated once.
//!
//! Another thread's continuation, or one that ends at a prompt, has no frame of the outermost declarations. It counts
//! as one that has nevertheless.

use leat_abi::prim::Prim;
use leat_mono::ir::{Atom, Bind, Body, Outcome, Program, Rhs, Var};

const NONE: u32 = u32::MAX;

/// So many of the first declarations of `main` are evaluated once.
pub fn evaluated_once(p: &Program) -> usize {
    let all = p.main.binds.len();
    let Some(fn_of) = functions(p) else { return all };
    let mut graph = Graph::new(p, fn_of);
    graph.fill(p);
    graph.spread();
    graph.nodes[..all].iter().position(|node| node.captures).unwrap_or(all)
}

/// By variable: the number of the function that it is; the first ones are those of the declarations of `main`. None if
/// nothing captures a continuation.
fn functions(p: &Program) -> Option<Vec<u32>> {
    let mut fn_of = vec![NONE; p.vars.len()];
    let mut next = p.main.binds.len() as u32;
    let mut captures = false;
    let mut bodies: Vec<&Body> = vec![&p.main];
    while let Some(body) = bodies.pop() {
        for bind in &body.binds {
            match bind {
                Bind::Fun(group) => {
                    for function in group {
                        fn_of[function.var.0 as usize] = next;
                        next += 1;
                        bodies.push(&function.body);
                    }
                }
                Bind::Val { rhs, .. } => {
                    // In a session, functions of earlier units may be called, which are not known here.
                    captures |= matches!(rhs, Rhs::Prim { prim: Prim::ContCapture | Prim::SlotGet, .. });
                    each_body(rhs, |inner| bodies.push(inner));
                }
            }
        }
    }
    captures.then_some(fn_of)
}

fn each_body<'a>(rhs: &'a Rhs, mut visit: impl FnMut(&'a Body)) {
    match rhs {
        Rhs::Case { arms, default, .. } => arms.bodies().into_iter().chain(default.as_deref()).for_each(visit),
        Rhs::Handle { body, handler, .. } => {
            visit(body);
            visit(handler);
        }
        _ => {}
    }
}

/// A declaration of `main`, or a function.
#[derive(Clone, Default)]
struct Node {
    captures: bool,
    /// Used as a value.
    escapes: bool,
    callers: Vec<u32>,
}

struct Graph {
    fn_of: Vec<u32>,
    nodes: Vec<Node>,
    /// Those that call what is not known here.
    unknown: Vec<u32>,
    /// What is not known may capture.
    stranger: bool,
}

impl Graph {
    fn new(p: &Program, fn_of: Vec<u32>) -> Graph {
        let functions = fn_of.iter().filter(|&&f| f != NONE).count();
        let nodes = vec![Node::default(); p.main.binds.len() + functions];
        Graph { fn_of, nodes, unknown: Vec::new(), stranger: false }
    }

    fn fill(&mut self, p: &Program) {
        let mut bodies: Vec<(&Body, Option<u32>)> = vec![(&p.main, None)];
        while let Some((body, node)) = bodies.pop() {
            for (i, bind) in body.binds.iter().enumerate() {
                match bind {
                    Bind::Fun(group) => {
                        for function in group {
                            bodies.push((&function.body, Some(self.fn_of[function.var.0 as usize])));
                        }
                    }
                    Bind::Val { rhs, .. } => {
                        let node = node.unwrap_or(i as u32);
                        self.rhs(node, rhs);
                        each_body(rhs, |inner| bodies.push((inner, Some(node))));
                    }
                }
            }
            match &body.result {
                Outcome::Values(atoms) => self.values(atoms),
                Outcome::Raise(atom, _) => self.value(*atom),
                Outcome::Unreachable => {}
            }
        }
    }

    fn rhs(&mut self, node: u32, rhs: &Rhs) {
        match rhs {
            Rhs::Prim { prim, args, .. } => {
                self.nodes[node as usize].captures |= *prim == Prim::ContCapture;
                self.stranger |= *prim == Prim::SlotGet;
                self.values(args);
            }
            Rhs::App { f, args } => {
                self.values(args);
                match self.function(*f) {
                    Some(f) => self.nodes[f as usize].callers.push(node),
                    None => self.unknown.push(node),
                }
            }
            Rhs::Atoms(args) | Rhs::Tuple(args) | Rhs::Con { args, .. } => self.values(args),
            Rhs::Packet { desc, arg } => {
                self.value(*desc);
                arg.iter().for_each(|&(arg, _)| self.value(arg));
            }
            Rhs::Case { scrut: atom, .. } | Rhs::Select(_, atom) | Rhs::PacketDesc(atom) | Rhs::PacketArg(atom, _) => {
                self.value(*atom)
            }
            Rhs::Handle { .. } | Rhs::NewExn { .. } | Rhs::BuiltinExn(_) | Rhs::Table { .. } => {}
        }
    }

    fn function(&self, atom: Atom) -> Option<u32> {
        let Atom::Var(Var(v)) = atom else { return None };
        Some(self.fn_of[v as usize]).filter(|&f| f != NONE)
    }

    fn values(&mut self, atoms: &[Atom]) {
        atoms.iter().for_each(|&atom| self.value(atom));
    }

    fn value(&mut self, atom: Atom) {
        if let Some(f) = self.function(atom) {
            self.nodes[f as usize].escapes = true;
        }
    }

    /// Who calls what captures, captures.
    fn spread(&mut self) {
        let mut work: Vec<u32> = (0..self.nodes.len() as u32).filter(|&n| self.nodes[n as usize].captures).collect();
        if self.stranger {
            work.append(&mut self.unknown);
        }
        while let Some(n) = work.pop() {
            let node = &mut self.nodes[n as usize];
            node.captures = true;
            let mut next = std::mem::take(&mut node.callers);
            if node.escapes {
                next.append(&mut self.unknown);
            }
            next.retain(|&n| !self.nodes[n as usize].captures);
            work.append(&mut next);
        }
    }
}
