//! Inlining, for the simplifier: which calls become copies of a function's body, and which functions move to a call.
//! Part of [`super::simplify`], whose walk asks here at each call.
//!
//! A function that is called in one place waits (`wait`) until the walk comes to the call, and moves there. Any other
//! one is simplified where it stands, and remembered (`remember`) if it may be worth a copy; what a call says of its
//! arguments decides (`wants`). Of recursive functions only wrappers are remembered (`uncurry`, `invariant`), so no
//! loop is unrolled.
//!
//! What bounds the growth: the sizes below, in instructions; fuel for copies and room for what is remembered
//! ([`super::inlining`]), in proportion to the program; and how deep copies nest.

use std::cell::Cell;
use std::rc::Rc;

use leat_base::Symbol;

use super::copy::{Copier, relocate, size, size_without};
use super::inlining::{Inlinable, LOOP, Waiting, given_last, is_leaf, looks_at, loops_over, only_result};
use super::simplify::{Known, Simplifier};
use super::uncurry::visit_atoms;
use crate::ir::*;
use crate::places::{Copied, Places};

/// Inlined wherever it is called; in a copy of another function only as long as there is fuel.
const SMALL: usize = 12;
/// Inlined wherever it is called, if it is a wrapper that `uncurry` or `invariant` made. A larger one, in which its
/// worker has been inlined, is paid for.
const WRAPPER: usize = 20;
/// Inlined where an argument is a known function or constructor that the body looks at.
const MEDIUM: usize = 90;
/// Inlined wherever it is called, if it calls nothing and all its copies together are no larger than `LEAVES`: so what
/// two calls compute alike is computed once.
const LEAF: usize = 60;
const LEAVES: usize = 600;
/// All such copies of one function together are no larger: a large one that is called everywhere, with functions of its
/// own each time, would be most of the program.
const LOOPS: usize = 4 * LOOP;
/// Called once: inlined unless it is enormous (compile time of one huge function).
const ONCE: usize = 2000;
/// The worker of a wrapper is inlined into the wrapper, where nothing else calls it, only if all copies of the wrapper
/// together are no larger: else each partial application would have a copy of the worker.
const WRAPPED: usize = 600;
/// An arm is copied to all its ends, or a function to all its calls, if this many instructions suffice for all copies.
const COPIES: usize = 24;
/// How deep inlining nests.
const DEPTH: u32 = 24;
/// How deep functions that are called once are put into one another before any of them is simplified.
const WAITING_DEPTH: u32 = 8;

impl Simplifier<'_> {
    /// A call of f. If that is worth it, the function's body goes in its place, and the answer is what [`Self::splice`]
    /// gives; else there is none, and the call stays.
    pub(super) fn inlined(
        &mut self,
        f: Atom,
        args: &[Atom],
        vars: &[Var],
        loc: Loc,
        out: &mut Vec<Bind>,
    ) -> Option<Option<Outcome>> {
        if let Atom::Var(var) = f
            && let Some(waiting) = self.inlining.waiting.remove(&var)
        {
            return Some(self.move_here(waiting.function, loc, args, vars, out));
        }
        if let Known::Function(function) = self.known(f)
            && self.wants(f, &function, args)
        {
            self.release(&[f]);
            let name = match f {
                Atom::Var(var) => self.program.vars[var.0 as usize].name,
                _ => Symbol::intern(""),
            };
            return Some(self.inline(&function, (name, loc), args, vars, out));
        }
        None
    }

    /// Is this call worth a copy of the function?
    fn wants(&self, f: Atom, function: &Inlinable, args: &[Atom]) -> bool {
        if function.params.len() != args.len() || self.inlining.depth > DEPTH {
            return false;
        }
        if function.inline == Inline::Never {
            return false;
        }
        if function.join {
            // All its copies together must be small: see `ends.rs`.
            if function.size * function.calls <= COPIES {
                return true;
            }
        } else if (function.size <= SMALL || function.inline == Inline::Always && function.size <= WRAPPER)
            && (self.inlining.depth == 0 || function.size <= self.inlining.usual.fuel)
        {
            // In a copy it is paid for: a function may be its own argument, `g (T g); g (T g)`.
            return true;
        }
        if self.inlining.usual.fuel < function.size {
            return false;
        }
        if function.inline == Inline::Always {
            return true;
        }
        let Atom::Var(var) = f else { return false };
        let count = self.counts[var.0 as usize];
        if count.uses == 1
            && function.size <= ONCE
            && (self.inlining.wrapper == 1 || self.inlining.wrapper * function.size <= WRAPPED)
        {
            return true;
        }
        if function.is_leaf && function.size * count.uses as usize <= LEAVES {
            return true;
        }
        if function.size > MEDIUM {
            return function.size <= self.inlining.loops.fuel
                && function.looped.get() + function.size <= LOOPS
                && self.loops_over(function, args);
        }
        function.size <= MEDIUM
            && args.iter().zip(&function.looks_at).any(|(&arg, &looks)| {
                looks
                    && match self.known(arg) {
                        Known::Nothing => matches!(arg, Atom::Int(_)) && function.size <= MEDIUM / 3,
                        _ => true,
                    }
            })
    }

    /// Does a loop of the function call an argument that is known?
    fn loops_over(&self, function: &Inlinable, args: &[Atom]) -> bool {
        let mut args = args.iter().zip(&function.loops_over);
        args.any(|(&arg, &loops)| loops && matches!(self.known(arg), Known::Function(_)))
    }

    /// Splices a copy of the function's body in place of the call.
    fn inline(
        &mut self,
        function: &Inlinable,
        (name, loc): (Symbol, Loc),
        args: &[Atom],
        vars: &[Var],
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        if function.size > MEDIUM && self.loops_over(function, args) {
            self.inlining.loops.grow(function.size);
            function.looped.set(function.looped.get() + function.size);
        } else {
            self.inlining.usual.grow(function.size);
        }
        let map = function.params.iter().copied().zip(args.iter().copied()).collect();
        let body = {
            let copied = (!function.join).then(|| self.place_of_copy(function.inline, (name, function.line), loc));
            let mut copier = Copier {
                vars: &mut self.program.vars,
                counts: &mut self.counts,
                map,
                places: &mut self.places,
                copied,
            };
            copier.body(&function.body)
        };
        self.grow();
        // The copier has counted the parameters' uses; the call's own are gone.
        self.release(args);
        self.expect_call(&body, vars);
        self.inlining.depth += 1;
        let stop = self.splice(body, vars, out);
        self.inlining.depth -= 1;
        stop
    }

    /// Where the body of a function of this name and line goes.
    fn place_of_copy(&mut self, inline: Inline, name: (Symbol, u32), call: Loc) -> Copied {
        match inline {
            Inline::Always => Places::pass(call),
            _ => self.places.enter(name, call, false),
        }
    }

    /// The body of a function goes where its only call was.
    fn move_here(
        &mut self,
        function: Function,
        loc: Loc,
        args: &[Atom],
        vars: &[Var],
        out: &mut Vec<Bind>,
    ) -> Option<Outcome> {
        let Function { var, params, mut body, inline, loc: Loc { line, .. }, .. } = function;
        let mut copied = self.place_of_copy(inline, (self.program.vars[var.0 as usize].name, line), loc);
        relocate(&mut body, &mut self.places, &mut copied);
        self.release(&[Atom::Var(var)]);
        self.alias(&params, args);
        self.expect_call(&body, vars);
        self.splice(body, vars, out)
    }

    /// `f a b`, where f is curried: what the body of f, which is put here, gives is called once if `f a` is.
    fn expect_call(&mut self, body: &Body, vars: &[Var]) {
        if let &[result] = vars
            && self.is_called_once(result)
            && let Some(given) = only_result(body)
            && self.counts[given.0 as usize].uses == 1
        {
            self.inlining.called_next.insert(given);
        }
    }

    /// Is its only use a call, or will it be?
    fn is_called_once(&self, var: Var) -> bool {
        let count = self.counts[var.0 as usize];
        (count.uses, count.calls) == (1, 1) || self.inlining.called_next.contains(&var)
    }

    /// Does the function wait for its only call? Then it is no binding any more.
    pub(super) fn wait(&mut self, function: Function) -> Option<Function> {
        let var = function.var;
        // A wrapper that is copied has no copies of its worker in it: see `WRAPPED`.
        if function.join
            || function.inline == Inline::Never
            || !self.is_called_once(var)
            || self.inlining.wrappers.get(&var).is_some_and(|&wrapper| !self.is_called_once(wrapper))
        {
            return Some(function);
        }
        // What the function gives is not in the way: a chain of n functions, each of which gives the next one, moves
        // link by link.
        let given = given_last(&function.body);
        let own = size_without(&function.body, &given, ONCE);
        if own > ONCE || own > self.inlining.moves.min(self.inlining.usual.room) {
            return Some(function);
        }
        let (mut size, mut depth) = (own, 1);
        visit_atoms(&function.body, &mut |atom| {
            if let Atom::Var(var) = atom
                && let Some(inner) = self.inlining.waiting.get(&var)
            {
                size += inner.size;
                depth = depth.max(inner.depth + 1);
            }
        });
        if size > ONCE || depth > WAITING_DEPTH {
            return Some(function);
        }
        self.inlining.moves -= own;
        self.inlining.usual.keep(own);
        self.inlining.waiting.insert(var, Waiting { function, size, depth });
        None
    }

    /// Keeps a copy of a function that may be inlined.
    pub(super) fn remember(&mut self, function: &Function) {
        let count = self.counts[function.var.0 as usize];
        if count.uses == 1 && self.inlining.given.contains(&function.var) {
            return;
        }
        let anyway = count.uses == 1 || function.inline == Inline::Always;
        // A function that calls none of its parameters is not measured further than it has to be: each function around
        // it is measured, too.
        let calls_one = function.params.iter().any(|param| self.counts[param.0 as usize].calls > 0);
        let size = size(&function.body, if anyway || calls_one { LOOP.max(ONCE) } else { MEDIUM });
        let loops_over = if calls_one && (MEDIUM + 1..=LOOP).contains(&size) {
            loops_over(&function.params, &function.body)
        } else {
            Vec::new()
        };
        let limit = if anyway {
            ONCE
        } else if loops_over.contains(&true) {
            LOOP
        } else {
            MEDIUM
        };
        if size > limit || size > WRAPPER && size > self.inlining.usual.fuel.min(self.inlining.usual.room) {
            return;
        }
        if !anyway && size > MEDIUM {
            if size > self.inlining.loops.room {
                return;
            }
            self.inlining.loops.keep(size);
        }
        self.inlining.usual.keep(size);
        let inlinable = Inlinable {
            params: function.params.clone(),
            body: function.body.clone(),
            line: function.loc.line,
            size,
            inline: function.inline,
            join: function.join,
            calls: count.uses as usize,
            looks_at: looks_at(&function.params, &function.body),
            loops_over,
            looped: Cell::new(0),
            is_leaf: !function.join && size <= LEAF && is_leaf(&function.body),
        };
        self.set(function.var, Known::Function(Rc::new(inlinable)));
    }
}
