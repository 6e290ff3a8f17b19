//! Two runs -> which figures differ, by how much, and how sure that is. As Go's benchstat does.

use std::cell::OnceCell;
use std::path::Path;
use std::process::ExitCode;

use crate::figure;
use crate::record::{Figure, Results};
use crate::stats::{geometric_mean, mann_whitney, median, quantile};
use crate::store;
use crate::table::{Row, is_leat};

/// What is as rare by chance is no chance.
const ALPHA: f64 = 0.05;
/// And what is less is not worth a word to CI: a build with other addresses does as much.
const LEAST: f64 = 0.03;
/// With fewer samples on each side, no difference can be that rare.
const FEWEST: usize = 4;

/// `asked` are the words of the command line that chose the rows.
pub fn compare(folder: &Path, rows: &[&Row], asked: &[String], a: &str, b: &str) -> Result<ExitCode, String> {
    let history = History { folder, runs: OnceCell::new() };
    let (a, b) = (history.find(a)?, history.find(b)?);
    let has =
        |word: &&String| rows.iter().any(|row| row.is_named(word) && (has_figure(&a, row) || has_figure(&b, row)));
    if let Some(word) = asked.iter().find(|word| !has(word)) {
        return Err(format!("there is no figure of {word} in A or in B"));
    }
    let comparison = table(rows, &a, &b);
    say!("{}", comparison.text);
    if comparison.common == 0 {
        return Err("the two runs have no figure in common".to_string());
    }
    Ok(if comparison.is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn has_figure(run: &Results, row: &Row) -> bool {
    run.figures.iter().any(|f| f.row == row.id)
}

/// The folder's runs, read once, if a name is no file.
struct History<'a> {
    folder: &'a Path,
    runs: OnceCell<Vec<Results>>,
}

impl History<'_> {
    /// A file's last run, or the last run of a commit in the history.
    fn find(&self, name: &str) -> Result<Results, String> {
        if Path::new(name).is_file() {
            return Ok(store::read(Path::new(name))?.pop().unwrap_or_default());
        }
        let path = self.folder.join("history.jsonl");
        let runs = match self.runs.get() {
            Some(runs) => runs,
            None => {
                let unread = |e| format!("{name} is no file, and the history cannot be read: {e}");
                let runs = store::read(&path).map_err(unread)?;
                self.runs.get_or_init(|| runs)
            }
        };
        let is =
            |run: &&Results| !name.is_empty() && (run.run.commit.starts_with(name) || run.run.time.starts_with(name));
        let known =
            || runs.iter().map(|run| format!("{} of {}", run.run.commit, run.run.time)).collect::<Vec<_>>().join(", ");
        runs.iter()
            .rev()
            .find(is)
            .cloned()
            .ok_or_else(|| format!("{name} is no file and no run of {}, which has {}", path.display(), known()))
    }
}

struct Comparison {
    text: String,
    /// Figures that both runs have.
    common: usize,
    /// Leat was compared, all of its figures are still there, and none got worse for sure.
    is_good: bool,
}

fn table(rows: &[&Row], a: &Results, b: &Results) -> Comparison {
    let head =
        |r: &Results| format!("{}{} of {}", r.run.commit, if r.run.changed { " (changed)" } else { "" }, r.run.time);
    let mut text = format!("A: {}\nB: {}\n", head(a), head(b));
    for (name, run) in [("A", a), ("B", b)] {
        run.interruptions().iter().for_each(|line| text += &format!("{name}: {line}\n"));
    }
    if a.run.machine.processor != b.run.machine.processor || a.run.machine.cores != b.run.machine.cores {
        text += "The runs are of different machines: only ratios to C and to peers can be compared.\n";
    }
    text += "\n| row | figure | A | B | change | p | |\n|---|---|---:|---:|---:|---:|---|\n";
    let (mut common, mut ours, mut worse, mut few, mut same, mut ratios) = (0, 0, 0, 0, 0, Vec::new());
    for row in rows {
        for new in b.figures.iter().filter(|f| f.row == row.id) {
            let (Some(old), Some(name)) = (a.samples(&row.id, &new.system, &new.name, new.x), row.name(&new.name))
            else {
                continue;
            };
            let ratio = median(&new.samples) / median(old);
            let p = mann_whitney(old, &new.samples);
            let is_ours = is_leat(&new.system);
            common += 1;
            ours += usize::from(is_ours);
            if is_ours && ratio.is_finite() && ratio > 0.0 {
                ratios.push(if name.more_is_better { 1.0 / ratio } else { ratio });
            }
            if old.len() < FEWEST || new.samples.len() < FEWEST {
                few += 1;
                continue;
            }
            if p >= ALPHA || (ratio - 1.0).abs() < LEAST {
                same += 1;
                continue;
            }
            let is_worse = (ratio > 1.0) != name.more_is_better;
            worse += usize::from(is_worse && is_ours);
            let at = figure::at(new.x);
            text += &format!(
                "| {} | {}: {}{at} | {} | {} | {:+.1} % | {p:.3} | {} |\n",
                row.id,
                new.system,
                new.name,
                with_spread(old, &name.unit),
                with_spread(&new.samples, &name.unit),
                (ratio - 1.0) * 100.0,
                match (is_worse, is_ours) {
                    (true, true) => "worse",
                    (true, false) => "worse (a peer: the machine?)",
                    _ => "better",
                }
            );
        }
    }
    text += &format!("\n{same} figures show no difference of {:.0} % at p < {ALPHA}.\n", LEAST * 100.0);
    if few > 0 {
        text += &format!(
            "{few} figures have fewer than {FEWEST} samples on a side: no difference can be sure; take more --rounds.\n"
        );
    }
    if !ratios.is_empty() {
        text += &format!(
            "Leat's geometric mean: {:.3} of A's (below 1 is better), over {} figures.\n",
            geometric_mean(&ratios),
            ratios.len()
        );
    }
    let missing = missing(rows, a, b);
    if !missing.is_empty() {
        let count: usize = missing.iter().map(|(_, figures)| figures.len()).sum();
        text += &format!("{count} figures of Leat are in A only:\n");
        for ((row, system), figures) in &missing {
            text += &format!("  {row} {system}: {} figures; {}\n", figures.len(), why(b, row, system));
        }
    }
    text += &match (worse, ours) {
        (0, 0) => "No figure of Leat could be compared.\n".to_string(),
        (0, _) if missing.is_empty() => "No figure of Leat got worse.\n".to_string(),
        (0, n) => format!("Of the {n} that are in both, none got worse.\n"),
        (worse, _) => format!("{worse} figures of Leat got worse.\n"),
    };
    Comparison { text, common, is_good: worse == 0 && ours > 0 && missing.is_empty() }
}

/// A row and a system of it, with figures.
type Lost<'a> = ((&'a str, &'a str), Vec<&'a Figure>);

/// The figures of Leat that A has and B does not, by row and system.
fn missing<'a>(rows: &[&Row], a: &'a Results, b: &Results) -> Vec<Lost<'a>> {
    let mut all: Vec<Lost> = Vec::new();
    for row in rows {
        let known = |f: &&Figure| f.row == row.id && is_leat(&f.system) && row.name(&f.name).is_some();
        for f in a.figures.iter().filter(known).filter(|f| b.samples(&f.row, &f.system, &f.name, f.x).is_none()) {
            let key = (f.row.as_str(), f.system.as_str());
            match all.iter_mut().find(|(k, _)| *k == key) {
                Some((_, figures)) => figures.push(f),
                None => all.push((key, vec![f])),
            }
        }
    }
    all
}

/// Why B does not have them, as far as it says so.
fn why(b: &Results, row: &str, system: &str) -> String {
    let failed = b.failed.iter().find(|f| f.row == row && (f.system == system || f.system.is_empty()) && !f.note);
    match failed {
        Some(f) if f.system.is_empty() => f.reason.clone(),
        Some(f) => format!("Leat failed{}: {}", figure::at(f.x), f.reason),
        None if b.run.interrupted.is_some() => "B was interrupted".to_string(),
        None => "B did not measure them".to_string(),
    }
}

/// The median, and half of what lies between the quartiles, in per cent of it.
fn with_spread(samples: &[f64], unit: &str) -> String {
    let middle = median(samples);
    let half = (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2.0;
    format!("{} ± {:.0} %", figure::text(middle, unit), 100.0 * half / middle.abs().max(f64::MIN_POSITIVE))
}
