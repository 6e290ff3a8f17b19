//! All runs of a folder -> `history.html`: each of Leat's figures over time.

use std::path::Path;
use std::process::ExitCode;

use crate::figure;
use crate::record::Results;
use crate::report::chart::{self, Axis, Curve, escape};
use crate::report::page;
use crate::stats::{median, quantile};
use crate::store;
use crate::table::{Row, Scale, is_leat};

pub fn draw(folder: &Path, rows: &[&Row], asked: &[String]) -> Result<ExitCode, String> {
    let file = folder.join("history.jsonl");
    let runs = store::read(&file)?;
    if !rows.iter().any(|row| runs.iter().any(|run| run.figures.iter().any(|f| f.row == row.id))) {
        return Err(match asked {
            [] => format!("{}: there is no figure in it that a row has", file.display()),
            asked => format!("{}: there is no figure of {} in it", file.display(), asked.join(", ")),
        });
    }
    let path = folder.join("history.html");
    store::replace(&path, &history(rows, &runs))?;
    say!("{}", text(rows, &runs));
    say!("\n{} ({} runs)\n", path.display(), runs.len());
    Ok(ExitCode::SUCCESS)
}

/// A figure over the runs: number of the run, median, quartiles.
type Line = Vec<(f64, f64, f64, f64)>;

/// The lines of a row's name at one x: those of Leat, and of the reference, which shows the machine.
fn lines(row: &Row, name: &str, x: Option<f64>, runs: &[Results]) -> Vec<(String, Line)> {
    let wanted = row.systems.iter().enumerate().filter(|(i, system)| *i == 0 || is_leat(system));
    let line = |system: &str| -> Line {
        let one = |(i, run): (usize, &Results)| {
            let samples = run.samples(&row.id, system, name, x)?;
            Some((i as f64 + 1.0, median(samples), quantile(samples, 0.25), quantile(samples, 0.75)))
        };
        runs.iter().enumerate().filter_map(one).collect()
    };
    wanted.map(|(_, system)| (system.clone(), line(system))).filter(|(_, line)| !line.is_empty()).collect()
}

fn xs(row: &Row, name: &str, runs: &[Results]) -> Vec<Option<f64>> {
    let all = runs.iter().flat_map(|run| &run.figures).filter(|f| f.row == row.id && f.name == name);
    let mut xs: Vec<Option<f64>> = all.map(|f| f.x).collect();
    xs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    xs.dedup();
    xs
}

fn history(rows: &[&Row], runs: &[Results]) -> String {
    let mut body = "<h1>The lab of Leat, over time</h1>\n<p>Each run of the lab is appended to its history. The reference is drawn \
                    too: where it moves with Leat, the machine moved.</p>\n<div class=\"scroll\"><table><tr><th>run</th><th>commit</th>\
                    <th>time</th><th class=\"words\">machine</th><th>rounds</th></tr>\n"
        .to_string();
    for (i, r) in runs.iter().enumerate() {
        let changed = if r.run.changed { " (changed)" } else { "" };
        body += &format!(
            "<tr><td>{}</td><td>{}{changed}</td><td>{}</td><td class=\"words\">{}, {} cores, load {}</td><td>{}</td></tr>\n",
            i + 1,
            escape(&r.run.commit),
            escape(&r.run.time),
            escape(&r.run.machine.processor),
            r.run.machine.cores,
            figure::number(r.run.machine.load),
            r.run.rounds
        );
    }
    body += "</table></div>\n";
    for row in rows {
        let mut drawings = String::new();
        for name in &row.names {
            for x in xs(row, &name.name, runs) {
                let lines = lines(row, &name.name, x, runs);
                let classes =
                    |system: &str, i: usize| if is_leat(system) { format!("c{}", i % 4) } else { "k".to_string() };
                let curves: Vec<Curve> = lines
                    .into_iter()
                    .enumerate()
                    .map(|(i, (label, points))| Curve { class: classes(&label, i), label, points, published: false })
                    .collect();
                if curves.is_empty() {
                    continue;
                }
                let at = figure::at(x);
                let title = format!("{}{at}", name.name);
                let across = Axis { label: "run".into(), scale: Scale::Linear, unit: String::new() };
                let up = Axis { label: String::new(), scale: Scale::Log, unit: name.unit.clone() };
                let legend = chart::legend(&curves, chart::Key::Line);
                let svg = chart::curves(&title, &curves, &across, &up);
                drawings += &format!(
                    "<figure><figcaption><b>{}</b></figcaption>{legend}<div class=\"paper\">{svg}</div></figure>\n",
                    escape(&title)
                );
            }
        }
        if !drawings.is_empty() {
            body += &format!("<h3 id=\"{0}\">{0}: {1}</h3>\n{drawings}", row.id, escape(&row.title));
        }
    }
    page::around("The lab of Leat, over time", &body)
}

/// A line for each of Leat's figures: its medians, oldest first (the last eight).
fn text(rows: &[&Row], runs: &[Results]) -> String {
    let mut text = String::new();
    for row in rows {
        for name in &row.names {
            for x in xs(row, &name.name, runs) {
                for (system, line) in lines(row, &name.name, x, runs).into_iter().filter(|(system, _)| is_leat(system))
                {
                    let at = figure::at(x);
                    let last = &line[line.len().saturating_sub(8)..];
                    let values: Vec<String> = last.iter().map(|p| figure::text(p.1, &name.unit)).collect();
                    text += &format!("{} {}{at}, {system}: {}\n", row.id, name.name, values.join(" -> "));
                }
            }
        }
    }
    text
}
