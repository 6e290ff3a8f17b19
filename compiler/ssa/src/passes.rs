//! The table of passes: name, function, and the reason why it stands where it does.
//!
//! [`run`] goes down the table; after each pass it may verify, and it tells the caller, who dumps and times.

use crate::ir::Program;
use crate::opt::{checks, flatten, gvn, inline, licm, localref, reach, rotate, scan, select, simplify, unroll};
use crate::{safepoint, verify};
use std::time::{Duration, Instant};

/// How much to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Only what is needed to run: `-O0`.
    None,
    #[default]
    Full,
}

/// When to verify.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    Each,
    /// The result only.
    #[default]
    Stage,
    Off,
}

/// A pass.
pub struct Pass {
    pub name: &'static str,
    /// From this level on.
    pub level: Level,
    pub run: fn(&mut Program),
    /// Why it stands here.
    pub reason: &'static str,
}

/// All passes in order. The last one makes S10 and S11 hold; nothing may come after it.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "simplify",
        level: Level::Full,
        run: simplify::run,
        reason: "what the translation leaves: constants, empty blocks, unused loads",
    },
    Pass {
        name: "inline",
        level: Level::Full,
        run: inline::run,
        reason: "callees are small now; what follows sees through the calls",
    },
    Pass {
        name: "reach",
        level: Level::Full,
        run: reach::run,
        reason: "inlining left functions without callers; the rest need not treat them",
    },
    Pass {
        name: "localref",
        level: Level::Full,
        run: localref::run,
        reason: "inlined code loads and stores what it was given; loops are easier to see through without cells",
    },
    Pass {
        name: "gvn",
        level: Level::Full,
        run: gvn::run,
        reason: "shared loads and known conditions make headers small before they are copied",
    },
    Pass { name: "simplify2", level: Level::Full, run: simplify::run, reason: "branches that value numbering decided" },
    Pass { name: "rotate", level: Level::Full, run: rotate::run, reason: "loops have their final shape from here on" },
    Pass {
        name: "flatten",
        level: Level::Full,
        run: flatten::run,
        reason: "a loop of a few rounds is none for the loop passes; its counter is constants",
    },
    Pass {
        name: "gvn2",
        level: Level::Full,
        run: gvn::run,
        reason: "the copied tests make facts for the loops behind them",
    },
    Pass {
        name: "licm",
        level: Level::Full,
        run: licm::run,
        reason: "lengths must stand before the loop for the proofs of bounds",
    },
    Pass {
        name: "checks",
        level: Level::Full,
        run: checks::run,
        reason: "loops have their shape, conditions their normal form",
    },
    Pass { name: "gvn3", level: Level::Full, run: gvn::run, reason: "without their checks, more operations are equal" },
    Pass { name: "licm2", level: Level::Full, run: licm::run, reason: "what checks held back" },
    Pass { name: "simplify3", level: Level::Full, run: simplify::run, reason: "what the loop passes leave" },
    Pass { name: "select", level: Level::Full, run: select::run, reason: "what could raise in a branch is gone" },
    Pass { name: "sink", level: Level::Full, run: localref::sink, reason: "no pass after it makes uses anew" },
    Pass {
        name: "scan",
        level: Level::Full,
        run: scan::run,
        reason: "loops have no checks left, and have not grown yet",
    },
    Pass {
        name: "unroll",
        level: Level::Full,
        run: unroll::run,
        reason: "loops are as tight as they get; one poll serves four iterations",
    },
    Pass {
        name: "safepoint",
        level: Level::None,
        run: safepoint::run,
        reason: "needed to run; nothing may move a check afterwards",
    },
];

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
    fn every_pass_has_a_reason_and_the_safepoints_come_last() {
        assert!(PASSES.iter().all(|p| !p.reason.is_empty()));
        assert_eq!(PASSES.last().map(|p| p.name), Some("safepoint"));
    }
}
