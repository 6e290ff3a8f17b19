//! The report on the terminal: a line for each figure, then what misses its bar and what failed.

use crate::figure;
use crate::judge;
use crate::record::{Failed, Results};
use crate::stats::{median, quantile};
use crate::table::{Row, Table, is_leat};

/// The lines of a row.
pub fn row(row: &Row, results: &Results) -> String {
    let mut text = format!("\n{}: {}\n", row.id, row.title);
    let figures: Vec<_> = results.figures.iter().filter(|f| f.row == row.id).collect();
    let verdicts = judge::verdicts(row, results);
    let mut lines =
        vec![["figure", "system", "median", "quartiles", "to reference", "to best peer", "bar", ""].map(String::from)];
    // By name and x, so that systems stand below each other.
    for name in &row.names {
        let mut xs: Vec<Option<f64>> = figures.iter().filter(|f| f.name == name.name).map(|f| f.x).collect();
        xs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        xs.dedup();
        for x in xs {
            let at = figure::at(x);
            for f in figures.iter().filter(|f| f.name == name.name && f.x == x) {
                let verdict = verdicts.iter().filter(|v| v.name == f.name && v.system == f.system && v.x == x);
                let (bars, kept): (Vec<&str>, Vec<Option<bool>>) = verdict.map(|v| (v.bar.as_str(), v.met)).unzip();
                let ratio = judge::to_reference(row, results, &f.system, &f.name, x);
                let best = is_leat(&f.system).then(|| judge::to_best_peer(row, results, &f.system, name, x)).flatten();
                let shared = f.processes.map_or(String::new(), |k| format!(", {k} processes"));
                lines.push([
                    format!("{}{at}", name.name),
                    format!("{}{shared}", f.system),
                    figure::text(median(&f.samples), &name.unit),
                    match f.samples.len() {
                        1 => "one sample".to_string(),
                        _ => format!(
                            "{} to {}",
                            figure::text(quantile(&f.samples, 0.25), &name.unit),
                            figure::text(quantile(&f.samples, 0.75), &name.unit)
                        ),
                    },
                    ratio.map_or(String::new(), figure::number),
                    best.map_or(String::new(), |(peer, ratio)| format!("{} ({peer})", figure::number(ratio))),
                    bars.join("; "),
                    match kept.as_slice() {
                        [] => "",
                        all if all.contains(&Some(false)) => "missed",
                        all if all.contains(&Some(true)) => "met",
                        _ => "not known",
                    }
                    .to_string(),
                ]);
            }
        }
    }
    if lines.len() > 1 {
        text += &aligned(&lines);
    }
    for f in results.failed.iter().filter(|f| f.row == row.id) {
        text += &format!("  {}\n", failure(f));
    }
    text
}

pub fn failure(f: &Failed) -> String {
    let at = figure::at(f.x);
    match f.system.as_str() {
        "" => f.reason.clone(),
        system if f.note => format!("{system}{at} {}", f.reason),
        system => format!("{system}{at}: failed: {}", f.reason),
    }
}

/// Columns below each other; the first two to the left.
fn aligned(lines: &[[String; 8]]) -> String {
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().filter(|(_, (_, width))| **width > 0);
        let cells = cells.map(|(i, (cell, width))| match i {
            0 | 1 | 6 | 7 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += &format!("  {}", cells.collect::<Vec<_>>().join("  "));
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// What stands at the end of a run.
pub fn summary(table: &Table, results: &Results) -> String {
    let (mut met, mut missed, mut unknown) = (0, Vec::new(), 0);
    for row in &table.rows {
        for v in judge::verdicts(row, results) {
            match v.met {
                Some(true) => met += 1,
                Some(false) => missed.push((row, v)),
                None => unknown += 1,
            }
        }
    }
    let mut text = format!("\n{met} bars are met, {} missed", missed.len());
    if unknown > 0 {
        text += &format!(", {unknown} not known (what they compare with is not there)");
    }
    text.push('\n');
    for (row, v) in &missed {
        let at = figure::at(v.x);
        let unit = row.name(&v.name).map_or("", |n| n.unit.as_str());
        let ratio = v.ratio.map_or(String::new(), |r| format!(", {} of it", figure::number(r)));
        text += &format!(
            "  {} {}{at}, {}: {}{ratio}; bar {}\n",
            row.id,
            v.name,
            v.system,
            figure::text(v.value, unit),
            v.bar
        );
    }
    let heads = [(false, "failed or left out"), (true, "printed something else than their row has")];
    for (is_note, head) in heads {
        let all: Vec<&Failed> = results.failed.iter().filter(|f| f.note == is_note).collect();
        if !all.is_empty() {
            text += &format!("{} {head}:\n", all.len());
        }
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for f in all {
            let line = failure(f);
            match lines.iter_mut().find(|(l, _)| *l == line) {
                Some((_, rows)) => rows.push(&f.row),
                None => lines.push((line, vec![&f.row])),
            }
        }
        for (line, rows) in lines {
            text += &format!("  {}: {line}\n", rows.join(" "));
        }
    }
    for line in results.interruptions() {
        text += &format!("{line}\n");
    }
    text
}
