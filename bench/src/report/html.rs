//! A run -> `index.html`: what misses first, then a section for each document, in its order.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::judge::{self, Verdict};
use crate::record::{Figure, Results, Run};
use crate::report::chart::{self, Axis, Curve, Mark, escape};
use crate::report::{page, text};
use crate::stats::{median, quantile};
use crate::table::{Document, Kind, Plot, Row, Table, is_leat};

pub fn page(table: &Table, results: &Results) -> String {
    let mut body = String::new();
    let rows: Vec<&Row> = table.rows.iter().filter(|row| has_anything(row, results)).collect();
    head(&mut body, results);
    misses(&mut body, &rows, results);
    let of = |d: &Document| -> Vec<&Row> { rows.iter().copied().filter(|row| row.id.starts_with(&d.letter)).collect() };
    body += "<nav><h2>Contents</h2><ul>";
    for document in table.documents.iter().filter(|d| !of(d).is_empty()) {
        let _ = write!(body, "<li><a href=\"#{0}\">{0}. {1}</a></li>", document.letter, escape(&document.title));
    }
    body += "</ul></nav>\n";
    for document in &table.documents {
        let rows = of(document);
        if rows.is_empty() {
            continue;
        }
        let (letter, title) = (&document.letter, escape(&document.title));
        let _ = write!(body, "<h2 id=\"{letter}\">{letter}. {title}</h2>\n{}", paragraphs(&document.about, "soft"));
        rows.iter().for_each(|row| section(&mut body, row, results));
        let _ = write!(
            body,
            "<h3>{letter}: what to take from it</h3>\n<div class=\"means\">{}</div>\n",
            paragraphs(&document.lesson, "")
        );
    }
    failures(&mut body, results);
    page::around("The lab of Leat", &body)
}

fn has_anything(row: &Row, results: &Results) -> bool {
    results.figures.iter().any(|f| f.row == row.id)
        || results.failed.iter().any(|f| f.row == row.id)
        || results.series.iter().any(|s| s.row == row.id)
}

/// Text with empty lines between paragraphs, and `code` between backquotes.
pub fn paragraphs(words: &str, class: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let all = words.split("\n\n").map(str::trim).filter(|words| !words.is_empty());
    all.map(|words| {
        let parts: Vec<String> = escape(words).split('`').map(String::from).collect();
        let mut text = String::new();
        for (i, part) in parts.iter().enumerate() {
            let _ = if i % 2 == 1 { write!(text, "<code>{part}</code>") } else { write!(text, "{part}") };
        }
        format!("<p{class}>{text}</p>\n")
    })
    .collect()
}

/// How much of a run there was.
fn rounds(run: &Run) -> String {
    match (run.rounds, run.quick) {
        (1, true) => "one round, few sizes (--quick): only for a look".to_string(),
        (n, true) => format!("{n} rounds, few sizes (--quick)"),
        (1, false) => "one round".to_string(),
        (n, false) => format!("{n} rounds"),
    }
}

fn head(body: &mut String, results: &Results) {
    let run = &results.run;
    let m = &run.machine;
    let changed = if run.changed { " with changes that are in no commit" } else { "" };
    let _ = write!(
        body,
        "<h1>The lab of Leat</h1>\n<p>Five documents describe systems by measuring them. Here each of their tables and figures is \
         made again: Leat, C and the documents' own systems in the same run, and the published figures beside them.</p>\n\
         <p class=\"soft\">Commit {}{changed}, {}. {}, {} cores, {} of memory, {}, {} open files allowed; load {} when it began. \
         Each row has {}. A figure is the median of its rounds, in fresh processes, all systems in turn in each round; a ratio is the median of \
         the rounds' ratios; the small print is the range of the middle half.</p>\n",
        escape(&run.commit),
        escape(&run.time),
        escape(&m.processor),
        m.cores,
        figure::text(m.memory_mb as f64 * 1024.0, "KB"),
        escape(&m.system),
        figure::number(m.open_files as f64),
        figure::number(m.load),
        rounds(run),
    );
    for part in &results.parts {
        let run = &part.run;
        let _ = write!(
            body,
            "<p class=\"soft\">Measured at another time: {}. Commit {}{}, {}, {}, load {} when it began.</p>\n",
            escape(&part.rows.join(", ")),
            escape(&run.commit),
            if run.changed { " with changes that are in no commit" } else { "" },
            escape(&run.time),
            rounds(run),
            figure::number(run.machine.load),
        );
    }
    if results.parts.iter().map(|part| &part.run).chain([run]).any(|run| run.machine.load > 0.7) {
        *body += "<p class=\"missed\">The machine was not quiet: other programs ran beside this one. Believe ratios, not times.</p>\n";
    }
    if !run.tools.is_empty() {
        *body +=
            "<details><summary>What was measured with: paths and versions</summary><div class=\"scroll\"><table>\n";
        for (name, used) in &run.tools {
            let _ = write!(
                body,
                "<tr><td>{}</td><td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
                escape(name),
                escape(&used.version),
                escape(&used.path)
            );
        }
        *body += "</table></div></details>\n";
    }
}

/// What a reader must know first.
fn misses(body: &mut String, rows: &[&Row], results: &Results) {
    let all: Vec<(&Row, Verdict)> =
        rows.iter().flat_map(|row| judge::verdicts(row, results).into_iter().map(move |v| (*row, v))).collect();
    let count = |met| all.iter().filter(|(_, v)| v.met == met).count();
    let _ = write!(
        body,
        "<p><span class=\"met\">{} bars are met</span>, <span class=\"{}\">{} missed</span>",
        count(Some(true)),
        if count(Some(false)) > 0 { "missed" } else { "met" },
        count(Some(false))
    );
    if count(None) > 0 {
        let _ = write!(body, ", {} cannot be told (what they compare with is not there)", count(None));
    }
    *body += ".</p>\n";
    let missed: Vec<_> = all.iter().filter(|(_, v)| v.met == Some(false)).collect();
    if missed.is_empty() {
        return;
    }
    *body += "<h3>What misses its bar</h3>\n<div class=\"scroll\"><table><tr><th>row</th><th class=\"words\">figure</th><th>Leat</th>\
              <th>ratio</th><th class=\"words\">bar</th></tr>\n";
    for (row, v) in &missed {
        let _ = write!(
            body,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"words\">{1}</td><td>{2}</td><td>{3}</td><td class=\"words\">{4}</td></tr>\n",
            row.id,
            escape(&format!("{}{}, {}", v.name, at(v.x), v.system)),
            escape(&figure::text(v.value, unit(row, &v.name))),
            v.ratio.map_or(String::new(), figure::number),
            escape(&v.bar)
        );
    }
    *body += "</table></div>\n";
    let mut told: Vec<&str> = Vec::new();
    for (row, _) in &missed {
        if !row.misses.is_empty() && !told.contains(&row.id.as_str()) {
            told.push(&row.id);
            let _ =
                write!(body, "<div class=\"misses\"><p><b>{}</b></p>{}</div>\n", row.id, paragraphs(&row.misses, ""));
        }
    }
}

fn at(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!(" at {}", figure::number(x)))
}

fn unit<'a>(row: &'a Row, name: &str) -> &'a str {
    row.name(name).map_or("", |n| n.unit.as_str())
}

fn section(body: &mut String, row: &Row, results: &Results) {
    let of =
        if row.of.is_empty() { String::new() } else { format!(" <span class=\"of\">({})</span>", escape(&row.of)) };
    let _ =
        write!(body, "<h3 id=\"{0}\">{0}: {1}{of}</h3>\n{2}", row.id, escape(&row.title), paragraphs(&row.how, "how"));
    row.plots.iter().for_each(|plot| figure(body, row, plot, results));
    let is_swept = row.x.is_some();
    if results.figures.iter().any(|f| f.row == row.id) {
        if is_swept { by_x(body, row, results) } else { by_name(body, row, results) }
    }
    bars(body, row, results);
    for published in row.published.iter().filter(|p| !p.words.is_empty()) {
        let _ = write!(
            body,
            "<p class=\"soft\">Published, {}: {}</p>\n",
            escape(&published.system),
            escape(&published.words)
        );
    }
    let failed: Vec<String> = results.failed.iter().filter(|f| f.row == row.id).map(text::failure).collect();
    if !failed.is_empty() {
        let lines: String = failed.iter().map(|line| format!("<br>{}", escape(line))).collect();
        let _ = write!(body, "<p class=\"soft\">Not measured:{lines}</p>\n");
    }
    let _ = write!(body, "<div class=\"means\">{}</div>\n", paragraphs(&row.means, ""));
}

/// The class of a system's colour in a row: Leat's own are blue, C is grey, peers have one each, what was published is pale.
fn class(row: &Row, system: &str) -> String {
    let place = |is: &dyn Fn(&str) -> bool| row.systems.iter().filter(|s| is(s)).position(|s| s == system).unwrap_or(0);
    let is_c = |s: &str| s == "C" || s.starts_with("C ");
    if is_leat(system) {
        format!("c{}", place(&is_leat) % 4)
    } else if is_c(system) {
        "k".to_string()
    } else {
        format!("p{}", place(&|s| !is_leat(s) && !is_c(s)) % 8)
    }
}

fn figure(body: &mut String, row: &Row, plot: &Plot, results: &Results) {
    let unit = plot.names.first().map_or("", |name| unit(row, name));
    let plain = plot.inverse.is_none() && plot.divide == 1.0;
    let y =
        Axis { label: plot.y_label.clone(), scale: plot.y, unit: if plain { unit.to_string() } else { String::new() } };
    let x = Axis { label: plot.x_label.clone(), scale: plot.x, unit: String::new() };
    let drawn = |value: f64| plot.inverse.map_or(value / plot.divide, |k| k / value);
    let wanted = |system: &str| plot.systems.is_empty() || plot.systems.iter().any(|s| s == system);
    let mut marks = Vec::new();
    let mut groups: Vec<String> = Vec::new();
    let mut curves: Vec<Curve> = match plot.kind {
        Kind::Curves => curves(row, plot, results, &wanted, &drawn),
        Kind::Bars => {
            // Over x, if the row has one and the plot one name; else over the names.
            let xs: Vec<Option<f64>> = match (&row.x, plot.names.as_slice()) {
                (Some(_), [_]) => sorted_xs(row, results, &plot.names[0]),
                _ => Vec::new(),
            };
            if xs.is_empty() {
                groups = plot.names.iter().map(|n| label(row, n)).collect();
            } else {
                groups = xs.iter().map(|x| figure::number(x.unwrap_or(0.0))).collect();
            }
            groups_of_bars(row, plot, results, &xs, &wanted, &drawn)
        }
        Kind::Dots => {
            let all =
                results.series.iter().filter(|s| s.row == row.id && wanted(&s.system) && plot.names.contains(&s.name));
            all.map(|series| {
                marks.extend(series.marks.iter().map(|(x, y, word)| Mark { x: *x, y: drawn(*y), word: word.clone() }));
                let points = series.points.iter().map(|p| (p.0, drawn(p.1), drawn(p.1), drawn(p.2)));
                let several = plot.names.len() > 1;
                let label = if several {
                    format!("{}: {}", series.system, label(row, &series.name))
                } else {
                    series.system.clone()
                };
                let own = plot.names.iter().position(|n| *n == series.name).unwrap_or(0);
                let class = if is_leat(&series.system) && several {
                    format!("c{}", own % 4)
                } else {
                    class(row, &series.system)
                };
                Curve { label, class, points: points.collect(), published: false }
            })
            .collect()
        }
    };
    curves.retain(|curve| curve.points.iter().any(|p| p.1.is_finite()));
    if curves.is_empty() {
        return;
    }
    marks.sort_by(|a, b| b.y.total_cmp(&a.y));
    let svg = match plot.kind {
        Kind::Curves => chart::curves(&plot.title, &curves, &x, &y),
        Kind::Bars => chart::bars(&plot.title, &groups, &curves, &y),
        Kind::Dots => chart::dots(&plot.title, &curves, &marks, &x, &y),
    };
    let legend: String = curves
        .iter()
        .map(|c| {
            let published = if c.published { " published" } else { "" };
            format!("<li class=\"{}{published}\"><i></i><span>{}</span></li>", c.class, escape(&c.label))
        })
        .collect();
    let _ = write!(
        body,
        "<figure><figcaption><b>{}</b></figcaption><ul class=\"legend\">{legend}</ul><div class=\"paper\">{svg}</div></figure>\n",
        escape(&plot.title)
    );
}

fn label(row: &Row, name: &str) -> String {
    row.name(name)
        .map(|n| if n.label.is_empty() { n.name.clone() } else { n.label.clone() })
        .unwrap_or_else(|| name.to_string())
}

fn point(x: f64, samples: &[f64], drawn: &dyn Fn(f64) -> f64) -> (f64, f64, f64, f64) {
    (x, drawn(median(samples)), drawn(quantile(samples, 0.25)), drawn(quantile(samples, 0.75)))
}

type Wanted<'a> = &'a dyn Fn(&str) -> bool;
type Drawn<'a> = &'a dyn Fn(f64) -> f64;

fn curves(row: &Row, plot: &Plot, results: &Results, wanted: Wanted, drawn: Drawn) -> Vec<Curve> {
    let several = plot.names.len() > 1;
    let labelled =
        |system: &str, name: &str| if several { format!("{system}: {}", label(row, name)) } else { system.to_string() };
    let mut curves = Vec::new();
    for name in &plot.names {
        for system in row.systems.iter().filter(|s| wanted(s)) {
            let all = results.figures.iter().filter(|f| f.row == row.id && f.name == *name && f.system == *system);
            let points = all.filter_map(|f| Some(point(f.x?, &f.samples, drawn))).collect();
            curves.push(Curve { label: labelled(system, name), class: class(row, system), points, published: false });
        }
        for published in &row.published {
            let points = published.points.get(name).into_iter().flatten();
            let points = points.map(|(x, y)| (*x, drawn(*y), drawn(*y), drawn(*y))).collect();
            let label = format!("published: {}", labelled(&published.system, name));
            curves.push(Curve { label, class: "old".into(), points, published: true });
        }
    }
    curves
}

fn groups_of_bars(
    row: &Row,
    plot: &Plot,
    results: &Results,
    xs: &[Option<f64>],
    wanted: Wanted,
    drawn: Drawn,
) -> Vec<Curve> {
    let mut curves = Vec::new();
    for system in row.systems.iter().filter(|s| wanted(s)) {
        let mut points = Vec::new();
        if xs.is_empty() {
            for (i, name) in plot.names.iter().enumerate() {
                let samples = results.samples(&row.id, system, name, None);
                points.extend(samples.map(|samples| point(i as f64, samples, drawn)));
            }
        } else {
            for (i, x) in xs.iter().enumerate() {
                let samples = results.samples(&row.id, system, &plot.names[0], *x);
                points.extend(samples.map(|samples| point(i as f64, samples, drawn)));
            }
        }
        curves.push(Curve { label: system.clone(), class: class(row, system), points, published: false });
    }
    for published in &row.published {
        let mut points = Vec::new();
        if xs.is_empty() {
            for (i, name) in plot.names.iter().enumerate() {
                points.extend(published.values.get(name).map(|v| (i as f64, drawn(*v), drawn(*v), drawn(*v))));
            }
        } else if let Some(all) = published.points.get(&plot.names[0]) {
            for (x, v) in all {
                let place = xs.iter().position(|other| *other == Some(*x));
                points.extend(place.map(|i| (i as f64, drawn(*v), drawn(*v), drawn(*v))));
            }
        }
        curves.push(Curve {
            label: format!("published: {}", published.system),
            class: "old".into(),
            points,
            published: true,
        });
    }
    curves
}

fn sorted_xs(row: &Row, results: &Results, name: &str) -> Vec<Option<f64>> {
    let all = results.figures.iter().filter(|f| f.row == row.id && f.name == name);
    let mut xs: Vec<f64> = all.filter_map(|f| f.x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    xs.into_iter().map(Some).collect()
}

fn cell(row: &Row, results: &Results, f: &Figure) -> String {
    let unit = unit(row, &f.name);
    let mut small = Vec::new();
    if f.samples.len() > 1 {
        let quartile = |part| figure::text(quantile(&f.samples, part), unit);
        small.push(format!("{} to {}", quartile(0.25), quartile(0.75)));
    }
    if let Some(ratio) = judge::to_reference(row, results, &f.system, &f.name, f.x) {
        small.push(format!("{} × {}", figure::number(ratio), row.systems[0]));
    }
    if let Some(k) = f.processes {
        small.push(format!("{k} processes"));
    }
    let small: String = small.iter().map(|text| format!("<small>{}</small>", escape(text))).collect();
    format!("<td>{}{small}</td>", escape(&figure::text(median(&f.samples), unit)))
}

/// A table for each name: a line for each system, a column for each x.
fn by_x(body: &mut String, row: &Row, results: &Results) {
    for name in &row.names {
        let mut xs = sorted_xs(row, results, &name.name);
        // A long series is in the drawing; the table has some of it.
        if xs.len() > 10 {
            let step = (xs.len() - 1) as f64 / 7.0;
            xs = (0..8).map(|i| xs[(f64::from(i) * step).round() as usize]).collect();
        }
        if xs.is_empty() {
            continue;
        }
        let over = row.x.as_ref().map_or("", |x| x.name.as_str());
        let head: String = xs.iter().map(|x| format!("<th>{}</th>", figure::number(x.unwrap_or(0.0)))).collect();
        let _ = write!(
            body,
            "<h4>{}</h4><div class=\"scroll\"><table><tr><th>{}</th>{head}</tr>\n",
            escape(&label(row, &name.name)),
            escape(over)
        );
        for system in &row.systems {
            let find = |x: &Option<f64>| {
                let is = |f: &&Figure| f.row == row.id && f.system == *system && f.name == name.name && f.x == *x;
                results.figures.iter().find(is)
            };
            if xs.iter().all(|x| find(x).is_none()) {
                continue;
            }
            let cells: String =
                xs.iter().map(|x| find(x).map_or("<td></td>".to_string(), |f| cell(row, results, f))).collect();
            let _ = write!(body, "<tr class=\"{}\"><td>{}</td>{cells}</tr>\n", ours(system), escape(system));
        }
        for published in &row.published {
            let Some(points) = published.points.get(&name.name) else { continue };
            let value =
                |x: &Option<f64>| points.iter().find(|p| Some(p.0) == *x).map(|p| figure::text(p.1, &name.unit));
            let cells: String = xs.iter().map(|x| format!("<td>{}</td>", value(x).unwrap_or_default())).collect();
            let _ = write!(body, "<tr class=\"old\"><td>published: {}</td>{cells}</tr>\n", escape(&published.system));
        }
        *body += "</table></div>\n";
    }
}

fn ours(system: &str) -> &'static str {
    if is_leat(system) { "ours" } else { "theirs" }
}

/// A line for each name, a column for each system; of many systems with few names the other way round.
fn by_name(body: &mut String, row: &Row, results: &Results) {
    let find = |system: &str, name: &str| {
        results.figures.iter().find(|f| f.row == row.id && f.system == system && f.name == name && f.x.is_none())
    };
    let there = |system: &&String| results.figures.iter().any(|f| f.row == row.id && f.system == **system);
    let systems: Vec<&String> = row.systems.iter().filter(there).collect();
    let published: Vec<_> = row.published.iter().filter(|p| !p.values.is_empty()).collect();
    let names: Vec<_> = row
        .names
        .iter()
        .filter(|n| {
            systems.iter().any(|s| find(s, &n.name).is_some())
                || published.iter().any(|p| p.values.contains_key(&n.name))
        })
        .collect();
    *body += "<div class=\"scroll\"><table>\n";
    let of_published = |name: &str, unit: &str, values: &std::collections::BTreeMap<String, f64>| {
        format!("<td>{}</td>", values.get(name).map_or(String::new(), |v| escape(&figure::text(*v, unit))))
    };
    // Systems as lines: they are what grows.
    let head: String = names.iter().map(|n| format!("<th>{}</th>", escape(&label(row, &n.name)))).collect();
    let _ = write!(body, "<tr><th></th>{head}</tr>\n");
    for system in systems {
        let one =
            |n: &&crate::table::Name| find(system, &n.name).map_or("<td></td>".to_string(), |f| cell(row, results, f));
        let cells: String = names.iter().map(one).collect();
        let _ = write!(body, "<tr class=\"{}\"><td>{}</td>{cells}</tr>\n", ours(system), escape(system));
    }
    for p in published {
        let cells: String = names.iter().map(|n| of_published(&n.name, &n.unit, &p.values)).collect();
        let _ = write!(body, "<tr class=\"old\"><td>published: {}</td>{cells}</tr>\n", escape(&p.system));
    }
    *body += "</table></div>\n";
}

/// Verdicts, those of one bar and system together.
fn bars(body: &mut String, row: &Row, results: &Results) {
    let verdicts = judge::verdicts(row, results);
    if verdicts.is_empty() {
        return;
    }
    *body += "<div class=\"scroll\"><table><tr><th>bar</th><th class=\"words\">is</th><th>Leat</th><th>ratio</th><th>best peer</th><th></th></tr>\n";
    for v in &verdicts {
        let best = row.name(&v.name).and_then(|name| judge::to_best_peer(row, results, &v.system, name, v.x));
        let (class, word) = match v.met {
            Some(true) => ("met", "met"),
            Some(false) => ("missed", "missed"),
            None => ("soft", "not known"),
        };
        let system = if v.system == "leat" { String::new() } else { format!(", {}", v.system) };
        let _ = write!(
            body,
            "<tr><td>{}</td><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{word}</td></tr>\n",
            escape(&format!("{}{}{system}", v.name, at(v.x))),
            escape(&v.bar),
            escape(&figure::text(v.value, unit(row, &v.name))),
            v.ratio.map_or(String::new(), figure::number),
            best.map_or(String::new(), |(peer, r)| escape(&format!("{} × {peer}", figure::number(r))))
        );
    }
    *body += "</table></div>\n";
}

fn failures(body: &mut String, results: &Results) {
    if results.failed.is_empty() {
        return;
    }
    *body += "<h2>What was not measured</h2>\n<ul>";
    for f in &results.failed {
        let _ = write!(body, "<li>{}: {}</li>", escape(&f.row), escape(&text::failure(f)));
    }
    *body += "</ul>\n";
}
