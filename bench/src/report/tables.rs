//! Figures and verdicts of a row -> tables, each with a caption that names its row.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::judge::{self, Verdict};
use crate::record::{Figure, Results};
use crate::report::words::{escape, label, paragraphs, range, sorted_xs, unit};
use crate::stats::{median, quantile};
use crate::table::{Name, Row, is_leat};

/// The lines of a table: who it is about, and its cells.
struct Line {
    class: &'static str,
    head: String,
    cells: Vec<Cell>,
}

#[derive(Clone, Default)]
struct Cell {
    html: String,
    title: &'static str,
}

/// A table of heads and lines; `is_turned` makes columns of the lines.
fn write_table(body: &mut String, caption: &str, corner: &str, heads: &[String], lines: &[Line], is_turned: bool) {
    let across = if is_turned { lines.len() } else { heads.len() };
    let many = if across > 8 { " class=\"many\"" } else { "" };
    let _ = write!(
        body,
        "<div class=\"scroll\"><table{many}><caption>{}</caption><thead><tr><th scope=\"col\">{}</th>",
        escape(caption),
        escape(corner)
    );
    let head = |class: &str, text: &str| format!("<th scope=\"col\"{class}>{}</th>", escape(text));
    let cell = |class: &str, cell: &Cell| {
        let title = if cell.title.is_empty() { String::new() } else { format!(" title=\"{}\"", cell.title) };
        format!("<td{class}{title}>{}</td>", cell.html)
    };
    if is_turned {
        let class = |line: &Line| format!(" class=\"{}\"", line.class);
        *body += &lines.iter().map(|line| head(&class(line), &line.head)).collect::<String>();
        *body += "</tr></thead><tbody>\n";
        for (i, name) in heads.iter().enumerate() {
            let cells: String = lines.iter().map(|line| cell(&class(line), &line.cells[i])).collect();
            let _ = write!(body, "<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(name));
        }
    } else {
        *body += &heads.iter().map(|name| head("", name)).collect::<String>();
        *body += "</tr></thead><tbody>\n";
        for line in lines {
            let cells: String = line.cells.iter().map(|c| cell("", c)).collect();
            let name = escape(&line.head);
            let _ = write!(body, "<tr class=\"{}\"><th scope=\"row\">{name}</th>{cells}</tr>\n", line.class);
        }
    }
    *body += "</tbody></table></div>\n";
}

/// A ratio, and nothing where 0 is on one side of it.
fn ratio_text(ratio: f64) -> Option<String> {
    (ratio.is_finite() && ratio > 0.0).then(|| figure::number(ratio))
}

const NO_RATIO: &str = "0 was measured, by this or by the other: there is no ratio";

fn cell(row: &Row, results: &Results, f: &Figure) -> Cell {
    let unit = unit(row, &f.name);
    let mut cell = Cell { html: escape(&figure::text(median(&f.samples), unit)), title: "" };
    let mut small = Vec::new();
    if f.samples.len() > 1 {
        small.push(range(quantile(&f.samples, 0.25), quantile(&f.samples, 0.75), unit));
    }
    if let Some(reference) = reference(row).filter(|reference| *reference != f.system) {
        let is_there = results.samples(&row.id, reference, &f.name, f.x).is_some();
        match judge::to_reference(row, results, &f.system, &f.name, f.x).and_then(ratio_text) {
            Some(ratio) => small.push(format!("{ratio} ×")),
            None if is_there => cell.title = NO_RATIO,
            None => {}
        }
    }
    if let Some(k) = f.processes {
        small.push(format!("{k} processes"));
    }
    cell.html.extend(small.iter().map(|text| format!("<small>{}</small>", escape(text))));
    cell
}

/// With whom the systems of a row are compared.
fn reference(row: &Row) -> Option<&str> {
    row.systems.first().map(String::as_str).filter(|first| !is_leat(first))
}

/// What the small print of a table means.
fn caption(row: &Row, what: &str, lines: &[Line]) -> String {
    let has_ratio = lines.iter().flat_map(|line| &line.cells).any(|cell| cell.html.contains('×'));
    let ratios = reference(row).filter(|_| has_ratio);
    let ratios = ratios.map_or(String::new(), |reference| format!(" (×: ratio to {reference})"));
    if what.is_empty() { format!("{}: {}{ratios}", row.id, row.title) } else { format!("{}: {what}{ratios}", row.id) }
}

fn ours(system: &str) -> &'static str {
    if is_leat(system) { "ours" } else { "theirs" }
}

/// A table for each name: a line for each system, a column for each x.
pub fn by_x(body: &mut String, row: &Row, results: &Results) {
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
        let mut lines = Vec::new();
        for system in &row.systems {
            let find = |x: &Option<f64>| {
                let is = |f: &&Figure| f.row == row.id && f.system == *system && f.name == name.name && f.x == *x;
                results.figures.iter().find(is)
            };
            if xs.iter().any(|x| find(x).is_some()) {
                let cells = xs.iter().map(|x| find(x).map_or(Cell::default(), |f| cell(row, results, f))).collect();
                lines.push(Line { class: ours(system), head: system.clone(), cells });
            }
        }
        for published in &row.published {
            let Some(points) = published.points.get(&name.name) else { continue };
            let value = |x: &Option<f64>| points.iter().find(|p| Some(p.0) == *x).map(|p| p.1);
            let cells: Vec<Cell> = xs.iter().map(|x| of_published(value(x), &name.unit)).collect();
            if cells.iter().any(|cell| !cell.html.is_empty()) {
                lines.push(Line { class: "old", head: format!("published: {}", published.system), cells });
            }
        }
        let heads: Vec<String> = xs.iter().map(|x| figure::number(x.unwrap_or(0.0))).collect();
        let over = row.x.as_ref().map_or("", |x| x.name.as_str());
        write_table(body, &caption(row, &label(row, &name.name), &lines), over, &heads, &lines, false);
    }
}

fn of_published(value: Option<f64>, unit: &str) -> Cell {
    Cell { html: value.map_or(String::new(), |v| escape(&figure::published(v, unit))), title: "" }
}

/// A line for each system and a column for each name; of few systems with many names the other way round.
pub fn by_name(body: &mut String, row: &Row, results: &Results) {
    let find = |system: &str, name: &str| {
        results.figures.iter().find(|f| f.row == row.id && f.system == system && f.name == name && f.x.is_none())
    };
    let systems = row.systems.iter().filter(|s| results.figures.iter().any(|f| f.row == row.id && f.system == **s));
    let systems: Vec<&String> = systems.collect();
    let published: Vec<_> = row.published.iter().filter(|p| !p.values.is_empty()).collect();
    let is_there = |n: &&Name| {
        systems.iter().any(|s| find(s, &n.name).is_some()) || published.iter().any(|p| p.values.contains_key(&n.name))
    };
    let names: Vec<&Name> = row.names.iter().filter(is_there).collect();
    let mut lines = Vec::new();
    for system in systems {
        let one = |n: &&Name| find(system, &n.name).map_or(Cell::default(), |f| cell(row, results, f));
        lines.push(Line { class: ours(system), head: system.clone(), cells: names.iter().map(one).collect() });
    }
    for p in published {
        let cells = names.iter().map(|n| of_published(p.values.get(&n.name).copied(), &n.unit)).collect();
        lines.push(Line { class: "old", head: format!("published: {}", p.system), cells });
    }
    let heads: Vec<String> = names.iter().map(|n| label(row, &n.name)).collect();
    let is_turned = names.len() > 4 && names.len() >= lines.len();
    write_table(body, &caption(row, "", &lines), "", &heads, &lines, is_turned);
}

/// A cell of a table that is a list of cards on a phone: there its head stands before it.
fn named(head: &str, class: &str, text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<td data-l=\"{head}\"{class}>{text}</td>")
}

fn ratio_of(ratio: Option<f64>) -> String {
    ratio.and_then(ratio_text).unwrap_or_default()
}

/// Verdicts, those of one bar and system together.
pub fn bars(body: &mut String, row: &Row, results: &Results) {
    let verdicts = judge::verdicts(row, results);
    if verdicts.is_empty() {
        return;
    }
    let _ = write!(
        body,
        "<div class=\"scroll\"><table class=\"cards\"><caption>{}: its bars</caption><thead><tr><th scope=\"col\">bar</th>\
         <th scope=\"col\" class=\"words\">is</th><th scope=\"col\">Leat</th><th scope=\"col\">ratio</th>\
         <th scope=\"col\">best peer</th><th scope=\"col\">kept?</th></tr></thead><tbody>\n",
        escape(&row.id)
    );
    for v in &verdicts {
        let best = row.name(&v.name).and_then(|name| judge::to_best_peer(row, results, &v.system, name, v.x));
        let (class, word) = match v.met {
            Some(true) => ("met", "met"),
            Some(false) => ("missed", "missed"),
            None => ("soft", "not known"),
        };
        let system = if v.system == "leat" { String::new() } else { format!(", {}", v.system) };
        let best = best.and_then(|(peer, r)| Some(format!("{} × {peer}", ratio_text(r)?)));
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}</th>{}{}{}{}{}</tr>\n",
            escape(&format!("{}{}{system}", v.name, figure::at(v.x))),
            named("is", "words", &escape(&v.bar)),
            named("Leat", "", &escape(&figure::text(v.value, unit(row, &v.name)))),
            named("ratio", "", &ratio_of(v.ratio)),
            named("best peer", "", &escape(&best.unwrap_or_default())),
            named("kept?", class, word)
        );
    }
    *body += "</tbody></table></div>\n";
}

/// What a reader must know first.
pub fn misses(body: &mut String, rows: &[&Row], results: &Results) {
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
    *body += "<h3 id=\"misses\">What misses its bar</h3>\n<div class=\"scroll\"><table class=\"cards\"><thead><tr>\
              <th scope=\"col\">row</th><th scope=\"col\" class=\"words\">figure</th><th scope=\"col\">Leat</th>\
              <th scope=\"col\">ratio</th><th scope=\"col\" class=\"words\">bar</th></tr></thead><tbody>\n";
    for (row, v) in &missed {
        let _ = write!(
            body,
            "<tr><th scope=\"row\"><a href=\"#{0}\">{0}</a></th>{1}{2}{3}{4}</tr>\n",
            row.id,
            named("figure", "words", &escape(&format!("{}{}, {}", v.name, figure::at(v.x), v.system))),
            named("Leat", "", &escape(&figure::text(v.value, unit(row, &v.name)))),
            named("ratio", "", &ratio_of(v.ratio)),
            named("bar", "words", &escape(&v.bar))
        );
    }
    *body += "</tbody></table></div>\n";
    let mut told: Vec<&str> = Vec::new();
    for (row, _) in &missed {
        if !row.misses.is_empty() && !told.contains(&row.id.as_str()) {
            told.push(&row.id);
            let _ =
                write!(body, "<div class=\"misses\"><p><b>{}</b></p>{}</div>\n", row.id, paragraphs(&row.misses, ""));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "0 × tokio" stood in A4, where a clock of whole milliseconds had told 0.
    #[test]
    fn there_is_no_ratio_of_zero() {
        assert_eq!([ratio_text(0.0), ratio_text(f64::INFINITY), ratio_text(f64::NAN)], [None, None, None]);
        assert_eq!(ratio_text(0.5).as_deref(), Some("0.5"));
        assert_eq!(ratio_of(Some(0.0)), "");
    }
}
