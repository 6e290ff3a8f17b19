//! Two runs -> which figures differ, by how much, and how sure that is. As Go's benchstat does.

use std::path::Path;
use std::process::ExitCode;

use crate::figure;
use crate::record::{self, Results};
use crate::stats::{geometric_mean, mann_whitney, median, quantile};
use crate::table::{Row, Table, is_leat};

/// What is as rare by chance is no chance.
const ALPHA: f64 = 0.05;
/// And what is less is not worth a word to CI: a build with other addresses does as much.
const LEAST: f64 = 0.03;
/// With fewer samples on each side, no difference can be that rare.
const FEWEST: usize = 4;

pub fn compare(folder: &Path, _table: &Table, rows: &[&Row], a: &str, b: &str) -> Result<ExitCode, String> {
    let (a, b) = (find(folder, a)?, find(folder, b)?);
    let (text, worse) = table(rows, &a, &b);
    say!("{text}");
    Ok(if worse { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A file's last run, or the last run of a commit in the history.
fn find(folder: &Path, name: &str) -> Result<Results, String> {
    if Path::new(name).is_file() {
        return Ok(record::read(Path::new(name))?.pop().unwrap_or_default());
    }
    let history = folder.join("history.jsonl");
    let runs = record::read(&history).map_err(|e| format!("{name} is no file, and the history cannot be read: {e}"))?;
    let is = |run: &&Results| !name.is_empty() && (run.run.commit.starts_with(name) || run.run.time.starts_with(name));
    let known =
        || runs.iter().map(|run| format!("{} of {}", run.run.commit, run.run.time)).collect::<Vec<_>>().join(", ");
    runs.iter()
        .rev()
        .find(is)
        .cloned()
        .ok_or_else(|| format!("{name} is no file and no run of {}, which has {}", history.display(), known()))
}

/// The table, and whether a figure of Leat got worse for sure.
fn table(rows: &[&Row], a: &Results, b: &Results) -> (String, bool) {
    let head =
        |r: &Results| format!("{}{} of {}", r.run.commit, if r.run.changed { " (changed)" } else { "" }, r.run.time);
    let mut text = format!("A: {}\nB: {}\n", head(a), head(b));
    if a.run.machine.processor != b.run.machine.processor || a.run.machine.cores != b.run.machine.cores {
        text += "The runs are of different machines: only ratios to C and to peers can be compared.\n";
    }
    text += "\n| row | figure | A | B | change | p | |\n|---|---|---:|---:|---:|---:|---|\n";
    let (mut worse, mut few, mut same, mut ratios) = (0, 0, 0, Vec::new());
    for row in rows {
        for new in b.figures.iter().filter(|f| f.row == row.id) {
            let (Some(old), Some(name)) = (a.samples(&row.id, &new.system, &new.name, new.x), row.name(&new.name))
            else {
                continue;
            };
            let ratio = median(&new.samples) / median(old);
            let p = mann_whitney(old, &new.samples);
            let is_ours = is_leat(&new.system);
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
            let at = new.x.map_or(String::new(), |x| format!(" at {}", figure::number(x)));
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
    text += &if worse > 0 {
        format!("{worse} figures of Leat got worse.\n")
    } else {
        "No figure of Leat got worse.\n".to_string()
    };
    (text, worse > 0)
}

/// The median, and half of what lies between the quartiles, in per cent of it.
fn with_spread(samples: &[f64], unit: &str) -> String {
    let middle = median(samples);
    let half = (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2.0;
    format!("{} ± {:.0} %", figure::text(middle, unit), 100.0 * half / middle.abs().max(f64::MIN_POSITIVE))
}
