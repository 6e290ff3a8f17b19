//! Mono -> better Mono: while functions are still values.
//!
//! Rounds of [`census`] (what is used, and the unused gone) and [`simplify`] (inlining, known cases, case of case),
//! after [`uncurry`] and [`invariant`] have given the inliner something to hold: a wrapper and a worker. Keeps M1 to
//! M5, order of effects, termination.
//!
//! After Appel and Jim (shrinking reductions, 1997), Peyton Jones and Marlow (Secrets of the GHC inliner, 2002),
//! Santos (static argument transformation, 1995).

pub mod census;
mod components;
pub mod copy;
mod ends;
mod inline;
mod inlining;
pub mod invariant;
pub mod simplify;
pub mod uncurry;
mod walk;
pub mod whole;

use crate::ir::Program;
use crate::pass::{Level, Pass};

/// The passes in order.
pub const PASSES: &[Pass<fn(&mut Program)>] = &[
    Pass {
        name: "shrink",
        level: Level::None,
        run: shrink,
        after: &[],
        reason: "It drops what from_lambda made in advance: boxes and parts that nobody uses.",
    },
    Pass {
        name: "uncurry",
        level: Level::Full,
        run: uncurry::run,
        after: &["shrink"],
        reason: "It runs before the inliner, so that a curried call becomes a call of a worker.",
    },
    Pass {
        name: "invariant",
        level: Level::Full,
        run: invariant::run,
        after: &["uncurry"],
        reason: "It runs before the inliner, so that a loop over a known function becomes first order; workers have all arguments at once.",
    },
    Pass {
        name: "simplify1",
        level: Level::Full,
        run: simplify::run,
        after: &["uncurry", "invariant"],
        reason: "It inlines the wrappers that the two passes before it made, and small functions: most of the gain.",
    },
    Pass {
        name: "simplify2",
        level: Level::Full,
        run: simplify::run,
        after: &["simplify1"],
        reason: "It sees the counts after the first round, which show what is called once now.",
    },
    Pass {
        name: "uncurry2",
        level: Level::Full,
        run: uncurry::run,
        after: &["simplify2"],
        reason: "Inlining has made functions that are curried and were not before.",
    },
    Pass {
        name: "invariant2",
        level: Level::Full,
        run: invariant::run,
        after: &["uncurry2"],
        reason: "Inlining has exposed loops that pass a function on.",
    },
    Pass {
        name: "simplify3",
        level: Level::Full,
        run: simplify::run,
        after: &["uncurry2", "invariant2"],
        reason: "It inlines the wrappers of the second uncurry and invariant.",
    },
    Pass {
        name: "whole",
        level: Level::Full,
        run: whole::run,
        after: &["simplify3"],
        reason: "Functions are inlined as far as they will be, so most calls of those that are left are known.",
    },
    Pass {
        name: "simplify4",
        level: Level::Full,
        run: simplify::run,
        after: &["simplify3", "whole"],
        reason: "What the third round inlined is known now: cases that look at it, and functions that are called once.",
    },
    Pass {
        name: "shrink2",
        level: Level::Full,
        run: shrink,
        after: &["simplify4"],
        reason: "It comes last and leaves nothing unused to the next stage.",
    },
];

fn shrink(program: &mut Program) {
    census::run(program);
}

/// Runs the passes of a level; `observe` is called after each with its name (dumps, verification, timing).
pub fn run(program: &mut Program, level: Level, observe: &mut dyn FnMut(&'static str, &Program)) {
    for pass in PASSES.iter().filter(|pass| pass.level <= level) {
        (pass.run)(program);
        observe(pass.name, program);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_in_order() {
        crate::pass::check(super::PASSES).unwrap();
    }
}
