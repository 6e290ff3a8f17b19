//! The table of passes: name, function, and the reason why it stands where it does.
//!
//! [`run`] goes down the table; after each pass it may verify, and it tells the caller, who dumps and times.

use crate::ir::Program;
use crate::opt::{
    captured, checks, flatten, gvn, inline, licm, localref, merge, reach, rotate, scan, select, simplify, unroll,
};
use crate::{safepoint, verify};
pub use leat_mono::pass::{Level, Pass};
use std::time::{Duration, Instant};

/// When to verify.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    Each,
    /// The result only.
    #[default]
    Stage,
    Off,
}

/// All passes in order. The last one makes S10 and S11 hold; nothing may come after it.
pub const PASSES: &[Pass<Program>] = &[
    Pass {
        name: "simplify",
        level: Level::Full,
        run: simplify::run,
        after: &[],
        reason: "The translation leaves constants, empty blocks and unused loads; without them callees show how small they are.",
    },
    Pass {
        name: "inline",
        level: Level::Full,
        run: inline::run,
        after: &["simplify"],
        reason: "Callees are small now, and all passes behind it see through the calls.",
    },
    Pass {
        name: "reach",
        level: Level::Full,
        run: reach::run,
        after: &["inline"],
        reason: "Inlining has left functions without callers, which the other passes need not treat.",
    },
    Pass {
        name: "merge",
        level: Level::Full,
        run: merge::run,
        after: &["inline", "reach"],
        reason: "The inliner has asked how many places call a function; the passes behind it treat equal ones once.",
    },
    Pass {
        name: "localref",
        level: Level::Full,
        run: localref::run,
        after: &["inline"],
        reason: "Inlined code loads and stores what it was given; loops are easier to see through without cells.",
    },
    Pass {
        name: "gvn",
        level: Level::Full,
        run: gvn::run,
        after: &["localref"],
        reason: "Shared loads and known conditions make the headers of loops small before rotate copies them.",
    },
    Pass {
        name: "simplify2",
        level: Level::Full,
        run: simplify::run,
        after: &["gvn"],
        reason: "Value numbering has decided branches.",
    },
    Pass {
        name: "rotate",
        level: Level::Full,
        run: rotate::run,
        after: &["gvn", "simplify2"],
        reason: "The headers that it copies are as small as they get; from here on loops have their final shape.",
    },
    Pass {
        name: "flatten",
        level: Level::Full,
        run: flatten::run,
        after: &["rotate"],
        reason: "A rotated loop shows how often it runs; one that runs a few times becomes straight code, whose counter is constants for gvn2.",
    },
    Pass {
        name: "gvn2",
        level: Level::Full,
        run: gvn::run,
        after: &["rotate", "flatten"],
        reason: "The tests that rotate copied are facts for the loops behind them.",
    },
    Pass {
        name: "licm",
        level: Level::Full,
        run: licm::run,
        after: &["gvn2"],
        reason: "Lengths must stand before the loop when checks proves bounds.",
    },
    Pass {
        name: "checks",
        level: Level::Full,
        run: checks::run,
        after: &["rotate", "gvn2", "licm"],
        reason: "Loops have their shape, conditions their normal form, and lengths stand before the loops.",
    },
    Pass {
        name: "gvn3",
        level: Level::Full,
        run: gvn::run,
        after: &["checks"],
        reason: "Without their checks, more operations are equal.",
    },
    Pass {
        name: "licm2",
        level: Level::Full,
        run: licm::run,
        after: &["checks"],
        reason: "Without their checks, more operations may leave a loop.",
    },
    Pass {
        name: "simplify3",
        level: Level::Full,
        run: simplify::run,
        after: &["licm2"],
        reason: "The passes over loops leave empty blocks and constants.",
    },
    Pass {
        name: "select",
        level: Level::Full,
        run: select::run,
        after: &["checks", "simplify3"],
        reason: "What could raise in a branch is gone, so both arms may be computed.",
    },
    Pass {
        name: "sink",
        level: Level::Full,
        run: localref::sink,
        after: &["gvn3", "licm2"],
        reason: "The passes behind it make no new uses, so what moves to its use stays there.",
    },
    Pass {
        name: "scan",
        level: Level::Full,
        run: scan::run,
        after: &["checks", "licm2"],
        reason: "Loops have no checks left, and unroll has not made them larger yet.",
    },
    Pass {
        name: "unroll",
        level: Level::Full,
        run: unroll::run,
        after: &["scan", "select"],
        reason: "Loops are as tight as they get, and one poll then serves four iterations.",
    },
    Pass {
        name: "captured",
        level: Level::None,
        run: captured::run,
        after: &[],
        reason: "Every level needs it, and it comes late: most closures are gone, and loads that nobody needs.",
    },
    Pass {
        name: "safepoint",
        level: Level::None,
        run: safepoint::run,
        after: &[],
        reason: "Every level needs it to run, and it comes last, because nothing may move a check afterwards.",
    },
];

/// How large a program is: its instructions, blocks and their parameters.
pub fn size(p: &Program) -> usize {
    let block = |block: &crate::ir::BlockData| 1 + block.params.len() + block.insts.len();
    p.funcs.iter().flat_map(|function| &function.blocks).map(block).sum()
}

/// Runs the passes of a level. `after` is called with "from_mono" and then each pass's name, the program as it is then,
/// and the time that the pass took. Errors are the verifier's.
pub fn run(
    p: &mut Program,
    level: Level,
    verify: Verify,
    after: &mut dyn FnMut(&str, &Program, Duration),
) -> Result<(), Vec<verify::Error>> {
    after("from_mono", p, Duration::ZERO);
    if verify == Verify::Each {
        verify::verify(p, "from_mono", false)?;
    }
    let last = PASSES.len() - 1;
    for (i, pass) in PASSES.iter().enumerate() {
        if pass.level > level {
            continue;
        }
        let start = Instant::now();
        (pass.run)(p);
        after(pass.name, p, start.elapsed());
        if verify == Verify::Each || (verify == Verify::Stage && i == last) {
            verify::verify(p, pass.name, i == last)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_the_safepoints_come_last() {
        leat_mono::pass::check(PASSES).unwrap();
        assert_eq!(PASSES.last().map(|p| p.name), Some("safepoint"));
    }
}
