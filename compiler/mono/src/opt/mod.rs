//! Mono -> better Mono: while functions are still values.
//!
//! Rounds of [`census`] (what is used, and the unused gone) and [`simplify`] (inlining, known cases, case of case), after
//! [`uncurry`] and [`invariant`] have given the inliner something to hold: a wrapper and a worker.
//! Keeps M1 to M5, order of effects, termination.
//!
//! After Appel and Jim (shrinking reductions, 1997), Peyton Jones and Marlow (Secrets of the GHC inliner, 2002),
//! Santos (static argument transformation, 1995).

pub mod census;
pub mod copy;
pub mod invariant;
pub mod simplify;
pub mod uncurry;
mod walk;

use crate::ir::Program;

/// One pass: its name in dumps, and why it stands where it stands.
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Program),
    pub reason: &'static str,
}

/// The passes in order.
pub const PASSES: &[Pass] = &[
    Pass { name: "shrink", run: shrink, reason: "drops what from_lambda made in advance: boxes, unused parts" },
    Pass {
        name: "uncurry",
        run: uncurry::run,
        reason: "before inlining, so that curried calls become calls of workers",
    },
    Pass {
        name: "invariant",
        run: invariant::run,
        reason: "before inlining: a loop over a known function becomes first order",
    },
    Pass { name: "simplify1", run: simplify::run, reason: "inlines wrappers and small functions; most of the gain" },
    Pass {
        name: "simplify2",
        run: simplify::run,
        reason: "sees counts after the first round: what is called once now",
    },
    Pass { name: "uncurry2", run: uncurry::run, reason: "functions that inlining made curried" },
    Pass { name: "invariant2", run: invariant::run, reason: "loops that inlining exposed" },
    Pass { name: "simplify3", run: simplify::run, reason: "the wrappers of the second uncurry" },
    Pass {
        name: "simplify4",
        run: simplify::run,
        reason: "case of case chains need one round a link; three cover the Basis",
    },
    Pass { name: "shrink2", run: shrink, reason: "leaves nothing unused to the next stage" },
];

fn shrink(program: &mut Program) {
    census::run(program);
}

/// Runs the passes; `observe` is called after each with its name (dumps, verification, timing).
pub fn optimise(program: &mut Program, observe: &mut dyn FnMut(&'static str, &Program)) {
    for pass in PASSES {
        (pass.run)(program);
        observe(pass.name, program);
    }
}

/// Without optimisation: only what from_lambda leaves unused is dropped.
pub fn shrink_only(program: &mut Program) {
    shrink(program);
}
