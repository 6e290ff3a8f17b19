//! The table of passes: name, function, and the reason why it stands where it does.
//!
//! [`run`] goes down the table. Passes over single functions that follow each other are run function by function: all
//! of them on one function, which is in the processor's caches then, and on several processors. A caller that wants to
//! see the program behind each pass, or to have it verified, gets pass by pass; the result is the same.

use crate::ir::{Function, Program, StaticData};
use crate::opt::{
    captured, checks, flatten, gvn, inline, licm, localref, merge, reach, rotate, scan, select, simplify, unroll,
};
use crate::{safepoint, verify};
pub use leat_mono::pass::{Level, Pass};
use std::sync::Mutex;
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

/// What a pass runs.
#[derive(Clone, Copy)]
pub enum Run {
    Program(fn(&mut Program)),
    /// On each function. It answers whether the function may have changed.
    Function(fn(&mut Function, &Around) -> bool),
    /// On each function that one of the passes of these names has changed.
    Changed(&'static [&'static str], fn(&mut Function, &Around) -> bool),
}

/// What a pass over a function knows of the program around it.
pub struct Around<'a> {
    pub datas: &'a [StaticData],
    /// The program captures continuations: a call may return more than once.
    pub captures: bool,
}

/// All passes in order. The last one makes S10 and S11 hold; nothing may come after it.
pub const PASSES: &[Pass<Run>] = &[
    Pass {
        name: "simplify",
        level: Level::Full,
        run: Run::Function(simplified),
        after: &[],
        reason: "The translation leaves constants, empty blocks and unused loads; without them callees show how small they are.",
    },
    Pass {
        name: "inline",
        level: Level::Full,
        run: Run::Program(inline::run),
        after: &["simplify"],
        reason: "Callees are small now, and all passes behind it see through the calls.",
    },
    Pass {
        name: "reach",
        level: Level::Full,
        run: Run::Program(reach::run),
        after: &["inline"],
        reason: "Inlining has left functions without callers, which the other passes need not treat.",
    },
    Pass {
        name: "merge",
        level: Level::Full,
        run: Run::Program(merge::run),
        after: &["inline", "reach"],
        reason: "The inliner has asked how many places call a function; the passes behind it treat equal ones once.",
    },
    Pass {
        name: "localref",
        level: Level::Full,
        run: Run::Function(|f, around| localref::function(f, around.datas, around.captures)),
        after: &["inline"],
        reason: "Inlined code loads and stores what it was given; loops are easier to see through without cells.",
    },
    Pass {
        name: "gvn",
        level: Level::Full,
        run: Run::Function(|f, _| gvn::function(f)),
        after: &["localref"],
        reason: "Shared loads and known conditions make the headers of loops small before rotate copies them.",
    },
    Pass {
        name: "simplify2",
        level: Level::Full,
        run: Run::Function(simplified),
        after: &["gvn"],
        reason: "Value numbering has decided branches.",
    },
    Pass {
        name: "rotate",
        level: Level::Full,
        run: Run::Function(|f, around| rotate::function(f, around.datas)),
        after: &["gvn", "simplify2"],
        reason: "The headers that it copies are as small as they get; from here on loops have their final shape.",
    },
    Pass {
        name: "flatten",
        level: Level::Full,
        run: Run::Function(|f, around| flatten::function(f, around.datas)),
        after: &["rotate"],
        reason: "A rotated loop shows how often it runs; one that runs a few times becomes straight code, whose counter is constants for gvn2.",
    },
    Pass {
        name: "gvn2",
        level: Level::Full,
        run: Run::Changed(&["rotate", "flatten"], |f, _| gvn::function(f)),
        after: &["rotate", "flatten"],
        reason: "The tests that rotate copied are facts for the loops behind them.",
    },
    Pass {
        name: "licm",
        level: Level::Full,
        run: Run::Function(|f, _| licm::function(f)),
        after: &["gvn2"],
        reason: "Lengths must stand before the loop when checks proves bounds.",
    },
    Pass {
        name: "checks",
        level: Level::Full,
        run: Run::Function(|f, around| checks::function(f, around.datas)),
        after: &["rotate", "gvn2", "licm"],
        reason: "Loops have their shape, conditions their normal form, and lengths stand before the loops.",
    },
    Pass {
        name: "gvn3",
        level: Level::Full,
        run: Run::Changed(&["checks"], |f, _| gvn::function(f)),
        after: &["checks"],
        reason: "Without their checks, more operations are equal.",
    },
    Pass {
        name: "licm2",
        level: Level::Full,
        run: Run::Changed(&["checks", "gvn3"], |f, _| licm::function(f)),
        after: &["checks"],
        reason: "Without their checks, more operations may leave a loop.",
    },
    Pass {
        name: "simplify3",
        level: Level::Full,
        run: Run::Changed(&["rotate", "flatten", "gvn2", "licm", "checks", "gvn3", "licm2"], simplified),
        after: &["licm2"],
        reason: "The passes over loops leave empty blocks and constants.",
    },
    Pass {
        name: "select",
        level: Level::Full,
        run: Run::Function(|f, around| select::function(f, around.datas)),
        after: &["checks", "simplify3"],
        reason: "What could raise in a branch is gone, so both arms may be computed.",
    },
    Pass {
        name: "sink",
        level: Level::Full,
        run: Run::Function(|f, around| {
            localref::sink(f, around.captures);
            true
        }),
        after: &["gvn3", "licm2"],
        reason: "The passes behind it make no new uses, so what moves to its use stays there.",
    },
    Pass {
        name: "scan",
        level: Level::Full,
        run: Run::Function(|f, around| {
            scan::function(f, around.datas);
            true
        }),
        after: &["checks", "licm2"],
        reason: "Loops have no checks left, and unroll has not made them larger yet.",
    },
    Pass {
        name: "unroll",
        level: Level::Full,
        run: Run::Function(|f, around| {
            unroll::function(f, around.datas);
            true
        }),
        after: &["scan", "select"],
        reason: "Loops are as tight as they get, and one poll then serves four iterations.",
    },
    Pass {
        name: "captured",
        level: Level::None,
        run: Run::Function(|f, _| {
            captured::function(f);
            true
        }),
        after: &[],
        reason: "Every level needs it, and it comes late: most closures are gone, and loads that nobody needs.",
    },
    Pass {
        name: "safepoint",
        level: Level::None,
        run: Run::Program(safepoint::run),
        after: &[],
        reason: "Every level needs it to run, and it comes last, because nothing may move a check afterwards.",
    },
];

fn simplified(f: &mut Function, around: &Around) -> bool {
    simplify::function(f, around.datas);
    true
}

/// How large a program is: its instructions, blocks and their parameters.
pub fn size(p: &Program) -> usize {
    let block = |block: &crate::ir::BlockData| 1 + block.params.len() + block.insts.len();
    p.funcs.iter().flat_map(|function| &function.blocks).map(block).sum()
}

/// Told a pass's name, and the program behind it.
pub type See<'a> = &'a mut dyn FnMut(&str, &Program);

/// Runs the passes of a level. `see` is told "from_mono" and each pass's name, and the program behind it; with it, or
/// if each pass is verified, a pass runs on the whole program before the next one begins, on one processor. `time` is
/// told how long each pass took, on all processors together. Errors are the verifier's.
pub fn run(
    p: &mut Program,
    level: Level,
    verify: Verify,
    mut see: Option<See>,
    time: &mut dyn FnMut(&str, Duration),
) -> Result<(), Vec<verify::Error>> {
    let passes: Vec<&Pass<Run>> = PASSES.iter().filter(|pass| pass.level <= level).collect();
    let one_by_one = see.is_some() || verify == Verify::Each;
    let mut behind = |p: &Program, name: &str, last: bool| -> Result<(), Vec<verify::Error>> {
        if let Some(see) = &mut see {
            see(name, p);
        }
        if verify == Verify::Each || (verify == Verify::Stage && last) {
            verify::verify(p, name, last)?;
        }
        Ok(())
    };
    behind(p, "from_mono", false)?;
    let mut group = Group::default();
    let mut at = 0;
    while at < passes.len() {
        let first = at;
        let of_program = |pass: &&Pass<Run>| matches!(pass.run, Run::Program(_));
        at += if one_by_one || of_program(&passes[first]) {
            1
        } else {
            passes[first..].iter().take_while(|pass| !of_program(pass)).count()
        };
        let times = group.run(p, &passes[first..at], !one_by_one);
        passes[first..at].iter().zip(times).for_each(|(pass, took)| time(pass.name, took));
        behind(p, passes[at - 1].name, at == passes.len())?;
    }
    Ok(())
}

/// Runs one pass of this name, by itself: for tests.
///
/// # Panics
/// If there is none.
pub fn run_one(p: &mut Program, name: &str) {
    let pass = PASSES.iter().find(|pass| pass.name == name).unwrap_or_else(|| panic!("no pass {name}"));
    let alone = Pass {
        run: match pass.run {
            Run::Changed(_, run) => Run::Function(run),
            run => run,
        },
        ..*pass
    };
    Group::default().run(p, &[&alone], false);
}

/// Fewer functions than this for each thread are not worth one.
const FUNCTIONS_PER_THREAD: usize = 64;
/// So many functions go through all passes of a group together: few enough that they stay in the caches, enough that
/// the code of a pass is used more than once.
const FUNCTIONS_AT_ONCE: usize = 8;

/// A pass over functions.
struct Step {
    run: fn(&mut Function, &Around) -> bool,
    /// Its bit in a set of passes.
    bit: u32,
    /// It runs if one of these has changed the function.
    by: u32,
    took: Duration,
}

impl Step {
    /// None: the pass is one over programs.
    fn new(pass: &Pass<Run>) -> Option<Step> {
        let bit = |name: &str| 1 << PASSES.iter().position(|pass| pass.name == name).expect("a pass of the table");
        let (run, by) = match pass.run {
            Run::Program(_) => return None,
            Run::Function(run) => (run, ALWAYS),
            Run::Changed(by, run) => (run, by.iter().map(|name| bit(name)).sum()),
        };
        Some(Step { run, bit: bit(pass.name), by, took: Duration::ZERO })
    }

    fn run(&mut self, funcs: &mut [Function], changed: &mut [u32], around: &Around) {
        let start = Instant::now();
        for (f, changed) in funcs.iter_mut().zip(changed) {
            if *changed & self.by != 0 && (self.run)(f, around) {
                *changed |= self.bit;
            }
        }
        self.took += start.elapsed();
    }
}

/// In the set of passes that have changed a function: it is there.
const ALWAYS: u32 = 1 << 31;

/// Passes over functions that follow each other, whether they run together or one by one.
#[derive(Default)]
struct Group {
    /// For each function the passes that have changed it.
    changed: Vec<u32>,
    /// See [`Around::captures`]; as it was when the first of them began. None: none has.
    captures: Option<bool>,
}

impl Group {
    /// One pass over the program, which ends the group, or some over its functions: how long each took.
    fn run(&mut self, p: &mut Program, passes: &[&Pass<Run>], parallel: bool) -> Vec<Duration> {
        if let [Pass { run: Run::Program(run), .. }] = passes {
            *self = Group::default();
            let start = Instant::now();
            run(p);
            return vec![start.elapsed()];
        }
        let captures = *self.captures.get_or_insert_with(|| localref::has_captures(p));
        self.changed.resize(p.funcs.len(), ALWAYS);
        let Program { funcs, datas, .. } = p;
        let around = Around { datas, captures };
        let mut threads = if parallel { funcs.len() / FUNCTIONS_PER_THREAD } else { 1 };
        if threads > 1 {
            threads = threads.min(std::thread::available_parallelism().map_or(1, |n| n.get()));
        }
        let work = Mutex::new(funcs.chunks_mut(FUNCTIONS_AT_ONCE).zip(self.changed.chunks_mut(FUNCTIONS_AT_ONCE)));
        let times = Mutex::new(vec![Duration::ZERO; passes.len()]);
        let run = || {
            let mut steps: Vec<Step> = passes.iter().filter_map(|pass| Step::new(pass)).collect();
            loop {
                let next = work.lock().expect("nobody panics").next();
                let Some((funcs, changed)) = next else { break };
                for step in &mut steps {
                    step.run(funcs, changed, &around);
                }
            }
            let mut times = times.lock().expect("nobody panics");
            times.iter_mut().zip(steps).for_each(|(time, step)| *time += step.took);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Where no thread is to be had, the others do its work.
                let _ = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, run);
            }
            run();
        });
        times.into_inner().expect("nobody panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_the_safepoints_come_last() {
        leat_mono::pass::check(PASSES).unwrap();
        assert_eq!(PASSES.last().map(|p| p.name), Some("safepoint"));
        // The names of passes that a pass follows up on are known, and stand before it.
        for (at, pass) in PASSES.iter().enumerate() {
            let by = Step::new(pass).map_or(ALWAYS, |step| step.by);
            assert!(by == ALWAYS || by < 1 << at, "{} follows up on a later pass", pass.name);
        }
    }
}
