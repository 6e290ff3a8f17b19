//! A row -> its figures: builds, then rounds in which every system runs once at every x.
//!
//! In a round all systems run at one x, in turn, then all at the next. So a drift of the machine's speed hits alike
//! what is compared. A system that fails costs a line and is out of the row from there; the others go on. What a system
//! gave in the rounds before it failed is dropped: half a figure is none. Of a row that is interrupted the whole rounds
//! are kept, so that all systems have as many; or, before the first was whole, what there is.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::figure;
use crate::place::Lab;
use crate::printed::{self, Values};
use crate::process::{self, Failure};
use crate::progress::Progress;
use crate::record::{Failed, Figure, Line};
use crate::say::plain;
use crate::table::{Row, System};
use crate::tools::{Tools, Words};

/// Descriptors that a program has besides its pipes.
const BESIDES: f64 = 100.0;

pub struct Plan<'a> {
    pub place: &'a Lab,
    pub tools: &'a Tools,
    pub rounds: usize,
    pub quick: bool,
    pub open_files: u64,
    pub table_tools: &'a [crate::table::Tool],
    /// What has been built in this run.
    pub built: RefCell<BTreeMap<String, Result<(), Failure>>>,
}

/// One system at one x.
struct Cell<'a> {
    system: &'a System,
    x: Option<f64>,
    n: Option<f64>,
    processes: usize,
    /// In the order of the row's names.
    samples: Vec<Vec<f64>>,
    /// What it printed and the row does not have.
    unknown: BTreeSet<String>,
    failed: Option<String>,
}

/// What a row gave.
pub struct Outcome {
    pub lines: Vec<Line>,
    /// All rounds, builds and series were; the run was not interrupted in it.
    pub is_whole: bool,
}

impl Plan<'_> {
    /// How often a program runs for a row.
    pub fn runs(&self, row: &Row) -> usize {
        let ways = row.ways.iter().filter(|system| !system.run.is_empty());
        let cells = ways.map(|system| self.xs(row, system).len()).sum::<usize>();
        cells * (row.warm + self.rounds * row.times)
    }

    fn xs(&self, row: &Row, system: &System) -> Vec<Option<f64>> {
        let fits = |x: &Option<f64>| x.is_none_or(|x| system.up_to.is_none_or(|most| x <= most));
        row.xs(self.quick).into_iter().filter(fits).collect()
    }

    /// All of a row, or what there was of it when the run was interrupted.
    pub fn row(&self, row: &Row, progress: &mut Progress) -> Outcome {
        let mut lines = Vec::new();
        let mut cells = Vec::new();
        match row.ways.first().map_or(Ok(()), |system| self.commands(row, system, &row.prepare, "preparing", progress))
        {
            Ok(()) => {}
            Err(Failure::Interrupted) => return Outcome { lines, is_whole: false },
            Err(Failure::Because(reason)) => {
                progress.skip(self.runs(row));
                let reason = plain(&self.place.shown(&format!("cannot be prepared: {reason}")));
                lines.push(Line::Failed(Failed { row: row.id.clone(), reason, ..Failed::default() }));
                return Outcome { lines, is_whole: true };
            }
        }
        for system in &row.ways {
            let result = match self.absent(system) {
                Some(reason) => Err(Failure::Because(reason)),
                None => self.build(row, system, progress),
            };
            match result {
                Err(Failure::Interrupted) => return Outcome { lines, is_whole: false },
                Err(Failure::Because(reason)) => {
                    progress.skip(self.xs(row, system).len() * (row.warm + self.rounds * row.times));
                    lines.push(self.failed(row, system, None, reason, progress));
                }
                // A system of series only.
                Ok(()) if system.run.is_empty() => {}
                Ok(()) => cells.extend(self.xs(row, system).into_iter().map(|x| self.cell(row, system, x))),
            }
        }
        // Those that are compared run next to each other.
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by(|&a, &b| cells[a].x.partial_cmp(&cells[b].x).unwrap_or(Ordering::Equal));
        let is_whole = (0..row.warm + self.rounds * row.times).all(|round| {
            let before: Vec<Vec<usize>> = cells.iter().map(|c| c.samples.iter().map(Vec::len).collect()).collect();
            let is_whole = self.round(row, &mut cells, &order, round >= row.warm, progress);
            if !is_whole && round > row.warm {
                for (cell, lengths) in cells.iter_mut().zip(before) {
                    cell.samples.iter_mut().zip(lengths).for_each(|(list, length)| list.truncate(length));
                }
            }
            is_whole
        });
        for cell in &mut cells {
            if let Some(reason) = cell.failed.take() {
                lines.push(self.failed(row, cell.system, cell.x, reason, progress));
                continue;
            }
            if row.best {
                cell.samples.iter_mut().for_each(|samples| *samples = best_of(samples, row.times));
            }
            for (name, samples) in row.names.iter().zip(&cell.samples).filter(|(_, samples)| !samples.is_empty()) {
                lines.push(Line::Figure(Figure {
                    row: row.id.clone(),
                    system: cell.system.name.clone(),
                    x: cell.x,
                    name: name.name.clone(),
                    unit: name.unit.clone(),
                    samples: samples.clone(),
                    processes: (cell.processes > 1).then_some(cell.processes),
                }));
            }
        }
        lines.extend(notes(row, &cells));
        let is_whole = is_whole && self.series(row, &mut lines, progress);
        Outcome { lines, is_whole }
    }

    /// One round; whether it came to its end.
    fn round(&self, row: &Row, cells: &mut [Cell], order: &[usize], counts: bool, progress: &mut Progress) -> bool {
        for &turn in order {
            let cell = &mut cells[turn];
            if cell.failed.is_some() {
                progress.skip(1);
                continue;
            }
            progress.at(&format!("{} {}{}", row.id, cell.system.name, at(cell.x)));
            match self.once(row, cell) {
                Ok((values, unknown)) if counts => {
                    for (list, value) in cell.samples.iter_mut().zip(values) {
                        list.extend(value);
                    }
                    cell.unknown.extend(unknown);
                }
                Ok(_) => {}
                Err(Failure::Because(reason)) => cell.failed = Some(reason),
                Err(Failure::Interrupted) => return false,
            }
            progress.ran();
        }
        true
    }

    fn absent(&self, system: &System) -> Option<String> {
        let needed = crate::tools::tools_of(system, self.table_tools);
        needed.iter().find_map(|name| self.tools.get(name)?.as_ref().err().cloned())
    }

    fn words<'a>(&'a self, row: &'a Row, system: &'a System, x: Option<f64>, n: Option<f64>) -> Words<'a> {
        Words { place: self.place, tools: self.tools, system, x, n, program: &row.program, arguments: &row.arguments }
    }

    fn build(&self, row: &Row, system: &System, progress: &mut Progress) -> Result<(), Failure> {
        let what = format!("{}: building", system.name);
        self.commands(row, system, &system.build, &what, progress).map_err(|failure| match failure {
            Failure::Because(reason) => Failure::Because(format!("cannot be built: {reason}")),
            interrupted => interrupted,
        })
    }

    /// The commands of these lines, each once in a run of the lab.
    fn commands(
        &self,
        row: &Row,
        system: &System,
        lines: &str,
        what: &str,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            progress.at(&format!("{} {what}", row.id));
            let command = self.words(row, system, None, None).of(line)?;
            let key = command.join(" ");
            let known = self.built.borrow().get(&key).cloned();
            let result =
                known.unwrap_or_else(|| process::run(self.place, &command, None, row.build_seconds, 1).map(|_| ()));
            self.built.borrow_mut().insert(key, result.clone());
            result?;
        }
        Ok(())
    }

    fn cell<'a>(&self, row: &Row, system: &'a System, x: Option<f64>) -> Cell<'a> {
        let n = row.n.as_ref().map(|n| n.at(x.unwrap_or(0.0), self.quick));
        let fits = ((self.open_files as f64 - BESIDES) / 2.0).max(1.0);
        let processes = if system.shared { (x.unwrap_or(0.0) / fits).ceil().max(1.0) as usize } else { 1 };
        Cell {
            system,
            x,
            n,
            processes,
            samples: vec![Vec::new(); row.names.len()],
            unknown: BTreeSet::new(),
            failed: None,
        }
    }

    /// The values of one run, and the names that the row does not have.
    fn once(&self, row: &Row, cell: &Cell) -> Result<(Values, Vec<String>), Failure> {
        let share = |all: Option<f64>| all.map(|all| (all / cell.processes as f64).round());
        let command = self.words(row, cell.system, share(cell.x), share(cell.n)).of(&cell.system.run)?;
        let all = process::run(self.place, &command, None, row.seconds, cell.processes)?;
        if let Some(file) = row.expected() {
            let expected = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            all.iter().try_for_each(|done| printed::same(&done.output, &expected))?;
        }
        let each = all.iter().map(|done| printed::values(row, cell.system, done, share(cell.n)));
        let (each, unknown): (Vec<Values>, Vec<_>) = each.collect::<Result<Vec<_>, String>>()?.into_iter().unzip();
        Ok((printed::together(row, each), unknown.concat()))
    }

    fn failed(&self, row: &Row, system: &System, x: Option<f64>, reason: String, progress: &mut Progress) -> Line {
        let reason = plain(&self.place.shown(reason.lines().next().unwrap_or("")));
        progress.say(&format!("{} {}{}: failed: {reason}", row.id, system.name, at(x)));
        Line::Failed(Failed { row: row.id.clone(), system: system.name.clone(), x, reason, note: false })
    }

    /// The series of a row; whether all were run.
    fn series(&self, row: &Row, lines: &mut Vec<Line>, progress: &mut Progress) -> bool {
        for series in row.series.iter().filter(|s| s.quick.is_none_or(|quick| quick == self.quick)) {
            let out =
                |line: &Line| matches!(line, Line::Failed(f) if f.system == series.system && f.x.is_none() && !f.note);
            let Some(system) = row.ways.iter().find(|system| system.name == series.system) else { continue };
            if lines.iter().any(out) {
                continue;
            }
            progress.at(&format!("{} {}: every point", row.id, series.system));
            let done = (self.words(row, system, None, None).of(&series.run).map_err(Failure::Because))
                .and_then(|command| process::run(self.place, &command, None, row.seconds, 1));
            match done.and_then(|mut done| {
                printed::points(row, system, &done.swap_remove(0).output).map_err(Failure::Because)
            }) {
                Ok(all) => lines.extend(all.into_iter().map(Line::Series)),
                Err(Failure::Because(reason)) => {
                    lines.push(self.failed(row, system, None, format!("no series: {reason}"), progress));
                }
                Err(Failure::Interrupted) => return false,
            }
        }
        true
    }
}

/// The least of each round's runs.
fn best_of(samples: &[f64], times: usize) -> Vec<f64> {
    samples.chunks(times).map(|runs| runs.iter().copied().fold(f64::INFINITY, f64::min)).collect()
}

fn at(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!(" at {x}"))
}

/// What was odd about what the systems printed that did not fail: a line for each.
fn notes(row: &Row, cells: &[Cell]) -> Vec<Line> {
    let mut lines = Vec::new();
    for system in &row.ways {
        let of: Vec<&Cell> = cells.iter().filter(|c| c.system.name == system.name && c.failed.is_none()).collect();
        // The first round may not have come so far.
        let of: Vec<&Cell> = of.into_iter().filter(|c| c.samples.iter().any(|list| !list.is_empty())).collect();
        let mut missing: Vec<String> = Vec::new();
        for (i, name) in printed::expected(row, system) {
            let without: Vec<String> = of
                .iter()
                .filter(|c| c.samples[i].is_empty())
                .map(|c| c.x.map_or(String::new(), figure::number))
                .collect();
            match without.len() {
                0 => {}
                n if n == of.len() => missing.push(name.to_string()),
                _ => missing.push(format!("{name} at {}", without.join(", "))),
            }
        }
        let unknown: BTreeSet<&str> = of.iter().flat_map(|c| &c.unknown).map(String::as_str).collect();
        // A program may print more than this row wants of it. Where something is missing, its name may be misspelt.
        if !missing.is_empty() {
            let mut parts = vec![format!("printed no {}", missing.join(", no "))];
            if !unknown.is_empty() {
                let all: Vec<&str> = unknown.into_iter().take(10).collect();
                parts.push(format!("printed {}, which the row does not have", all.join(", ")));
            }
            let reason = plain(&parts.join("; "));
            lines.push(Line::Failed(Failed {
                row: row.id.clone(),
                system: system.name.clone(),
                x: None,
                reason,
                note: true,
            }));
        }
    }
    lines
}
