//! All rows of a document that have the same names -> a drawing of Leat's ratios, and a table for each name: one line
//! for each row.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::judge::{self, Verdict};
use crate::record::Results;
use crate::report::bars;
use crate::report::chart::{self, Axis, Curve, Key};
use crate::report::style;
use crate::report::words::{escape, label, unit};
use crate::stats::median;
use crate::table::{Document, Row, Scale, is_leat};

/// The drawing and the tables, if the document has them.
pub fn overview(body: &mut String, document: &Document, rows: &[&Row], results: &Results) {
    let Some(first) = rows.first().filter(|_| !document.overview.is_empty()) else { return };
    drawing(body, document, rows, results);
    for name in &document.overview {
        table(body, &format!("{}: {}", document.letter, label(first, name)), name, rows, results);
    }
}

/// Leat's figure of a name and what its bar says; the first of Leat's systems that has one.
fn verdict(row: &Row, name: &str, results: &Results) -> Option<Verdict> {
    judge::verdicts(row, results).into_iter().find(|verdict| verdict.name == name)
}

/// A group of bars for each row; a bar for each name: Leat's ratio to what its bar compares it with.
fn drawing(body: &mut String, document: &Document, rows: &[&Row], results: &Results) {
    let classes = style::colours(&vec!["leat"; document.overview.len()]);
    let ratio = |row: &Row, name: &str| verdict(row, name, results)?.ratio;
    let curve = |(name, class): (&String, String)| {
        let points = rows.iter().enumerate().filter_map(|(i, row)| Some((i as f64, ratio(row, name)?)));
        let points = points.map(|(i, ratio)| (i, ratio, ratio, ratio)).collect();
        Curve { label: label(rows[0], name), class, points, published: false }
    };
    let mut curves: Vec<Curve> = document.overview.iter().zip(classes).map(curve).collect();
    curves.retain(|curve| !curve.points.is_empty());
    if curves.is_empty() {
        return;
    }
    let title = format!("{}: what Leat takes, divided by what its bar compares it with", document.letter);
    let groups: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let axis = Axis { label: "ratio, less is better".to_string(), scale: Scale::Log, unit: String::new() };
    let _ = write!(
        body,
        "<figure><figcaption><b>{}</b></figcaption>{}<div class=\"paper\">{}</div><p class=\"note\">The axis is \
         logarithmic: a bar twice as high is not twice as much.</p></figure>\n",
        escape(&title),
        chart::legend(&curves, Key::Bar),
        bars::bars(&title, &groups, &curves, &axis)
    );
}

/// A line for each row, a column for each system, and how Leat's figure compares.
fn table(body: &mut String, caption: &str, name: &str, rows: &[&Row], results: &Results) {
    let mut systems: Vec<&str> = Vec::new();
    for system in rows.iter().flat_map(|row| &row.systems) {
        let has_any = rows.iter().any(|row| results.samples(&row.id, system, name, None).is_some());
        if has_any && !systems.contains(&system.as_str()) {
            systems.push(system);
        }
    }
    if systems.is_empty() {
        return;
    }
    let heads: String = systems.iter().map(|system| format!("<th scope=\"col\">{}</th>", escape(system))).collect();
    let _ = write!(
        body,
        "<div class=\"scroll\"><table><caption>{}</caption><thead><tr><th scope=\"col\">program</th>{heads}\
         <th scope=\"col\">ratio of Leat</th><th scope=\"col\">kept?</th></tr></thead><tbody>\n",
        escape(caption)
    );
    for row in rows {
        let cell = |system: &&str| {
            let class = if is_leat(system) { " class=\"ours\"" } else { "" };
            let samples = results.samples(&row.id, system, name, None);
            let text = samples.map_or(String::new(), |samples| figure::text(median(samples), unit(row, name)));
            format!("<td{class}>{}</td>", escape(&text))
        };
        let cells: String = systems.iter().map(cell).collect();
        let verdict = verdict(row, name, results);
        let ratio = verdict.as_ref().and_then(|v| v.ratio).map_or(String::new(), figure::number);
        let (class, word) = match verdict.map(|v| v.met) {
            Some(Some(true)) => ("met", "met"),
            Some(Some(false)) => ("missed", "missed"),
            Some(None) => ("soft", "not known"),
            None => ("soft", ""),
        };
        let _ = write!(
            body,
            "<tr><th scope=\"row\"><a href=\"#{0}\">{0}</a>: {1}</th>{cells}<td>{ratio}</td><td class=\"{class}\">{word}</td></tr>\n",
            escape(&row.id),
            escape(&row.title)
        );
    }
    *body += "</tbody></table></div>\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Figure;

    #[test]
    fn a_line_for_each_row_and_a_bar_for_each_name() {
        let row = |id: &str| -> Row {
            toml::from_str(&format!(
                "id = '{id}'\ntitle = 'Words'\nsystems = ['Go', 'leat']\nhow = ''\nmeans = ''\n\
                 names = [{{name = 'cpu', unit = 'ns', label = 'CPU time'}}, {{name = 'resident', unit = 'KB'}}]\n\
                 bars = [{{name = 'cpu', ratio = 1.2, best = ['Go']}}, {{name = 'resident', ratio = 2, best = ['Go']}}]"
            ))
            .unwrap()
        };
        let rows = [row("F1"), row("F2")];
        let document: Document =
            toml::from_str("letter = 'F'\ntitle = ''\nabout = ''\nlesson = ''\noverview = ['cpu', 'resident']")
                .unwrap();
        let one = |row: &str, system: &str, name: &str, value: f64| Figure {
            row: row.into(),
            system: system.into(),
            name: name.into(),
            samples: vec![value],
            ..Figure::default()
        };
        let figures = [
            ("F1", "Go", 4e6, 2048.0),
            ("F1", "leat", 2e6, 8192.0),
            ("F2", "Go", 1e6, 2048.0),
            ("F2", "leat", 3e6, 2048.0),
        ];
        let figures = figures.iter().flat_map(|(row, system, cpu, memory)| {
            [one(row, system, "cpu", *cpu), one(row, system, "resident", *memory)]
        });
        let results = Results { figures: figures.collect(), ..Results::default() };
        let mut body = String::new();
        overview(&mut body, &document, &rows.iter().collect::<Vec<_>>(), &results);
        for line in [
            "F1</a>: Words</th><td>4 ms</td><td class=\"ours\">2 ms</td><td>0.5</td><td class=\"met\">met</td>",
            "F2</a>: Words</th><td>1 ms</td><td class=\"ours\">3 ms</td><td>3</td><td class=\"missed\">missed</td>",
            "<td>2 MB</td><td class=\"ours\">8 MB</td><td>4</td><td class=\"missed\">missed</td>",
        ] {
            assert!(body.contains(line), "{line}: {body}");
        }
        assert_eq!((body.matches("<figure>").count(), body.matches("<caption>").count()), (1, 2), "{body}");
    }
}
