//! A row -> its figures: builds, then rounds in which every system runs once at every x.
//!
//! In a round all systems run at one x, in turn, then all at the next. So a drift of the machine's speed hits alike what is
//! compared. A system that fails costs a line and is out of the row from there;
//! the others go on. What a system gave in the rounds before it failed is dropped: half a figure is none.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Instant;

use crate::place::Place;
use crate::process::{self, Done, Failure};
use crate::progress::Progress;
use crate::record::{Failed, Figure, Line, Series};
use crate::table::{Measure, Row, System};
use crate::tools::{Tools, Words};

/// Descriptors that a program has besides its pipes.
const BESIDES: f64 = 100.0;
/// Points of a series that are kept; above, neighbours share one.
const POINTS: usize = 1200;

pub struct Plan<'a> {
    pub place: &'a Place,
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
    failed: Option<String>,
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

    /// All of a row; of one that was interrupted, the rounds that were whole.
    pub fn row(&self, row: &Row, progress: &mut Progress) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut cells = Vec::new();
        for system in &row.ways {
            let result = match self.absent(system) {
                Some(reason) => Err(Failure::Because(reason)),
                None => self.build(row, system, progress),
            };
            match result {
                Err(Failure::Interrupted) => return lines,
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
        'rounds: for round in 0..row.warm + self.rounds * row.times {
            for &turn in &order {
                let cell = &mut cells[turn];
                if cell.failed.is_some() {
                    progress.skip(1);
                    continue;
                }
                progress.at(&format!("{} {}{}", row.id, cell.system.name, at(cell.x)));
                let start = Instant::now();
                let result = self.once(row, cell);
                progress.ran(start.elapsed());
                match result {
                    Ok(values) if round >= row.warm => {
                        for (list, value) in cell.samples.iter_mut().zip(values) {
                            list.extend(value);
                        }
                    }
                    Ok(_) => {}
                    Err(Failure::Because(reason)) => cell.failed = Some(reason),
                    Err(Failure::Interrupted) => break 'rounds,
                }
            }
        }
        for cell in &mut cells {
            if let Some(reason) = cell.failed.take() {
                lines.push(self.failed(row, cell.system, cell.x, reason, progress));
                continue;
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
        self.series(row, &mut lines, progress);
        lines
    }

    fn absent(&self, system: &System) -> Option<String> {
        let needed = crate::tools::tools_of(system, self.table_tools);
        needed.iter().find_map(|name| self.tools.get(name)?.as_ref().err().cloned())
    }

    fn words<'a>(&'a self, row: &'a Row, system: &'a System, x: Option<f64>, n: Option<f64>) -> Words<'a> {
        Words { place: self.place, tools: self.tools, system, x, n, arguments: &row.arguments }
    }

    /// The commands of a system's build, each once in a run of the lab.
    fn build(&self, row: &Row, system: &System, progress: &mut Progress) -> Result<(), Failure> {
        for line in system.build.lines().filter(|line| !line.trim().is_empty()) {
            progress.at(&format!("{} {}: building", row.id, system.name));
            let command = self.words(row, system, None, None).of(line)?;
            let key = command.join(" ");
            let known = self.built.borrow().get(&key).cloned();
            let result = known.unwrap_or_else(|| {
                process::run(self.place, &command, None, row.build_seconds, 1).map(|_| ()).map_err(|failure| {
                    match failure {
                        Failure::Because(reason) => Failure::Because(format!("cannot be built: {reason}")),
                        interrupted => interrupted,
                    }
                })
            });
            self.built.borrow_mut().insert(key, result.clone());
            result?;
        }
        Ok(())
    }

    fn cell<'a>(&self, row: &Row, system: &'a System, x: Option<f64>) -> Cell<'a> {
        let n = row.n.as_ref().map(|n| n.at(x.unwrap_or(0.0), self.quick));
        let fits = ((self.open_files as f64 - BESIDES) / 2.0).max(1.0);
        let processes = if system.shared { (x.unwrap_or(0.0) / fits).ceil().max(1.0) as usize } else { 1 };
        Cell { system, x, n, processes, samples: vec![Vec::new(); row.names.len()], failed: None }
    }

    /// The values of one run, in the order of the row's names.
    fn once(&self, row: &Row, cell: &Cell) -> Result<Vec<Option<f64>>, Failure> {
        let share = |all: Option<f64>| all.map(|all| (all / cell.processes as f64).round());
        let command = self.words(row, cell.system, share(cell.x), share(cell.n)).of(&cell.system.run)?;
        let all = process::run(self.place, &command, None, row.seconds, cell.processes)?;
        let each: Vec<Vec<Option<f64>>> =
            all.iter().map(|done| values(row, cell.system, done, share(cell.n))).collect::<Result<_, String>>()?;
        Ok(together(row, each))
    }

    fn failed(&self, row: &Row, system: &System, x: Option<f64>, reason: String, progress: &mut Progress) -> Line {
        let reason = self.place.shown(reason.lines().next().unwrap_or(""));
        progress.say(&format!("{} {}{}: failed: {reason}", row.id, system.name, at(x)));
        Line::Failed(Failed { row: row.id.clone(), system: system.name.clone(), x, reason })
    }

    fn series(&self, row: &Row, lines: &mut Vec<Line>, progress: &mut Progress) {
        for series in row.series.iter().filter(|s| s.quick.is_none_or(|quick| quick == self.quick)) {
            let out = |line: &Line| matches!(line, Line::Failed(f) if f.system == series.system && f.x.is_none());
            let Some(system) = row.ways.iter().find(|system| system.name == series.system) else { continue };
            if lines.iter().any(out) || process::interrupted() {
                continue;
            }
            progress.at(&format!("{} {}: every point", row.id, series.system));
            let done = (self.words(row, system, None, None).of(&series.run).map_err(Failure::Because))
                .and_then(|command| process::run(self.place, &command, None, row.seconds, 1));
            match done.and_then(|mut done| points(row, system, &done.swap_remove(0).output).map_err(Failure::Because)) {
                Ok(all) => lines.extend(all.into_iter().map(Line::Series)),
                Err(Failure::Because(reason)) => {
                    lines.push(self.failed(row, system, None, format!("no series: {reason}"), progress));
                }
                Err(Failure::Interrupted) => return,
            }
        }
    }
}

fn at(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!(" at {x}"))
}

/// What one process gave.
fn values(row: &Row, system: &System, done: &Done, n: Option<f64>) -> Result<Vec<Option<f64>>, String> {
    let mut values = vec![None; row.names.len()];
    let place = |name: &str| row.names.iter().position(|n| n.name == name);
    if system.measure == Measure::Process {
        values[0] = Some(done.wall);
    } else {
        for (name, value) in printed(&done.output)? {
            let name = system.rename.get(name).map_or(name, String::as_str);
            if let Some(i) = place(name) {
                values[i] = Some(value);
            }
        }
        if let Some(mean) = place("geometric-mean") {
            let all: Option<Vec<f64>> =
                values.iter().enumerate().filter(|(i, _)| *i != mean).map(|(_, v)| v.filter(|v| *v > 0.0)).collect();
            values[mean] = all.map(|all| crate::stats::geometric_mean(&all));
        }
        if values.iter().all(Option::is_none) {
            let names: Vec<&str> = row.names.iter().map(|n| n.name.as_str()).collect();
            return Err(format!("printed none of {}", names.join(", ")));
        }
    }
    if system.measure != Measure::Prints {
        if let Some(i) = place("cpu") {
            values[i] = Some(done.cpu * 1e9 / n.unwrap_or(1.0));
        }
        if let Some(i) = place("resident") {
            values[i] = Some(done.resident);
        }
    }
    Ok(values)
}

/// Processes that shared x and n: the slowest one's time a message is that of n / processes messages; CPU time is a mean;
/// memory adds up.
fn together(row: &Row, each: Vec<Vec<Option<f64>>>) -> Vec<Option<f64>> {
    let count = each.len() as f64;
    let column = |i: usize| each.iter().map(move |values| values[i]);
    row.names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let all: Option<Vec<f64>> = column(i).collect();
            all.map(|all| match name.name.as_str() {
                _ if count == 1.0 => all[0],
                "resident" => all.iter().sum(),
                "cpu" => all.iter().sum::<f64>() / count,
                _ => all.iter().copied().fold(0.0, f64::max) / count,
            })
        })
        .collect()
}

/// Lines `name value`; a line of another form is nonsense.
fn printed(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let short = || format!("printed `{}`, which is no figure", line.chars().take(60).collect::<String>());
            let (name, value) = line.trim().split_once(' ').ok_or_else(short)?;
            // SML writes a minus as `~`.
            let value: f64 = value.trim().replace('~', "-").parse().map_err(|_| short())?;
            if value.is_finite() { Ok((name, value)) } else { Err(short()) }
        })
        .collect()
}

/// Lines `name index value` and `mark name index words`.
fn points(row: &Row, system: &System, text: &str) -> Result<Vec<Series>, String> {
    let mut all: Vec<Series> = Vec::new();
    let mut marks: Vec<(&str, f64, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let short = || format!("printed `{}`, which is no point", line.chars().take(60).collect::<String>());
        let words: Vec<&str> = line.split_whitespace().collect();
        let number =
            |word: &str| word.replace('~', "-").parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(short);
        match words[..] {
            ["mark", name, index, ..] => marks.push((name, number(index)?, words[3..].join(" "))),
            [name, index, value] => {
                let point = (number(index)?, number(value)?);
                let at = all.iter().position(|s| s.name == name).unwrap_or_else(|| {
                    all.push(Series {
                        row: row.id.clone(),
                        system: system.name.clone(),
                        name: name.to_string(),
                        unit: row.name(name).map_or(String::new(), |n| n.unit.clone()),
                        ..Series::default()
                    });
                    all.len() - 1
                });
                all[at].points.push((point.0, point.1, point.1));
            }
            _ => return Err(short()),
        }
    }
    for (name, index, cause) in marks {
        let Some(series) = all.iter_mut().find(|s| s.name == name) else { continue };
        let value = series.points.iter().find(|p| p.0 == index).map(|p| p.1);
        series.marks.extend(value.map(|value| (index, value, cause)));
    }
    for series in &mut all {
        series.count = series.points.len();
        series.points = thinned(&series.points);
        // The highest: the rest would hide the drawing.
        series.marks.sort_by(|a, b| b.1.total_cmp(&a.1));
        series.marks.truncate(40);
    }
    if all.is_empty() { Err("printed no point".to_string()) } else { Ok(all) }
}

/// Neighbours in one: the median, and the largest, so that no spike is lost.
fn thinned(points: &[(f64, f64, f64)]) -> Vec<(f64, f64, f64)> {
    let size = points.len().div_ceil(POINTS).max(1);
    points
        .chunks(size)
        .map(|chunk| {
            let values: Vec<f64> = chunk.iter().map(|p| p.1).collect();
            (chunk[0].0, crate::stats::median(&values), values.iter().copied().fold(f64::MIN, f64::max))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_nonsense() {
        assert_eq!(printed("a 1\nb-c 2.5\n\nd ~3\n").unwrap(), [("a", 1.0), ("b-c", 2.5), ("d", -3.0)]);
        assert!(printed("hello\n").unwrap_err().contains("`hello`"));
        assert!(printed("a nan\n").is_err());
        assert!(printed("Segmentation fault\n").is_err());
    }

    /// A spike among a million points is still there.
    #[test]
    fn no_spike_is_lost() {
        let mut points: Vec<(f64, f64, f64)> = (0..1_000_000).map(|i| (f64::from(i), 1.0, 1.0)).collect();
        points[777_777] = (777_777.0, 500.0, 500.0);
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS);
        assert!(thin.iter().any(|p| p.2 == 500.0 && p.1 == 1.0));
    }
}
