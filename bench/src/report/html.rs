//! A run -> `index.html`: what misses first, then a section for each document, in its order.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::record::{Results, Run};
use crate::report::words::{escape, paragraphs, version};
use crate::report::{drawings, overview, page, tables, text};
use crate::table::{Document, Row, Table};

pub fn page(table: &Table, results: &Results) -> String {
    let mut body = String::new();
    let rows: Vec<&Row> = table.rows.iter().filter(|row| has_anything(row, results)).collect();
    head(&mut body, results);
    tables::misses(&mut body, &rows, results);
    let of = |d: &Document| -> Vec<&Row> { rows.iter().copied().filter(|row| row.id.starts_with(&d.letter)).collect() };
    body += "<nav><h2>Contents</h2><ul>";
    for document in table.documents.iter().filter(|d| !of(d).is_empty()) {
        let _ = write!(body, "<li><a href=\"#{0}\">{0}. {1}</a><ul>", document.letter, escape(&document.title));
        for row in of(document) {
            let _ = write!(body, "<li><a href=\"#{0}\">{0}: {1}</a></li>", row.id, escape(&row.title));
        }
        body += "</ul></li>\n";
    }
    body += "</ul></nav>\n";
    for document in &table.documents {
        let rows = of(document);
        if rows.is_empty() {
            continue;
        }
        let (letter, title) = (&document.letter, escape(&document.title));
        let _ = write!(body, "<h2 id=\"{letter}\">{letter}. {title}</h2>\n{}", paragraphs(&document.about, "soft"));
        overview::overview(&mut body, document, &rows, results);
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
    for line in results.interruptions() {
        let _ = write!(body, "<p class=\"missed\">{}</p>\n", escape(&line));
    }
    if results.parts.iter().map(|part| &part.run).chain([run]).any(|run| run.machine.load > 0.7) {
        *body += "<p class=\"missed\">The machine was not quiet: other programs ran beside this one. Believe ratios, not times.</p>\n";
    }
    if !run.tools.is_empty() {
        *body += "<details><summary>What was measured with: paths and versions</summary><div class=\"scroll\"><table><thead><tr>\
             <th scope=\"col\">tool</th><th scope=\"col\" class=\"words\">version</th><th scope=\"col\" class=\"words\">path</th>\
             </tr></thead><tbody>\n";
        for (name, used) in &run.tools {
            let _ = write!(
                body,
                "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
                escape(name),
                escape(version(&used.version)),
                // What there is of kqueue is a question to uname.
                if used.path.ends_with("/uname") { "".to_string() } else { escape(&used.path) }
            );
        }
        *body += "</tbody></table></div></details>\n";
    }
}

fn section(body: &mut String, row: &Row, results: &Results) {
    let of =
        if row.of.is_empty() { String::new() } else { format!(" <span class=\"of\">({})</span>", escape(&row.of)) };
    let _ = write!(
        body,
        "<h3 id=\"{0}\">{0}: {1}{of} <a class=\"anchor\" href=\"#{0}\" title=\"a link to this section\">#{0}</a></h3>\n{2}",
        row.id,
        escape(&row.title),
        paragraphs(&row.how, "how")
    );
    row.plots.iter().for_each(|plot| drawings::figure(body, row, plot, results));
    let is_swept = row.x.is_some();
    if results.figures.iter().any(|f| f.row == row.id) {
        if is_swept { tables::by_x(body, row, results) } else { tables::by_name(body, row, results) }
    }
    tables::bars(body, row, results);
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
