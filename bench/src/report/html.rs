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

/// Whether the run at the head of a file measured a row of it itself: in a report of pieces each row may be of a part.
fn has_own(results: &Results) -> bool {
    let rows = results.figures.iter().map(|f| &f.row).chain(results.series.iter().map(|s| &s.row));
    let mut rows = rows.chain(results.failed.iter().map(|f| &f.row));
    results.parts.is_empty() || rows.any(|row| !results.parts.iter().any(|part| part.rows.contains(row)))
}

/// Of what a run was, when, where, and how much of it there was.
fn about(run: &Run) -> String {
    let m = &run.machine;
    format!(
        "Commit {}{}, {}. {}, {} cores, {} of memory, {}, {} open files allowed; load {} when it began; {}.",
        escape(&run.commit),
        if run.changed { " with changes that are in no commit" } else { "" },
        escape(&run.time),
        escape(&m.processor),
        m.cores,
        figure::text(m.memory_mb as f64 * 1024.0, "KB"),
        escape(&m.system),
        figure::number(m.open_files as f64),
        figure::number(m.load),
        rounds(run),
    )
}

fn head(body: &mut String, results: &Results) {
    let run = &results.run;
    let has_own = has_own(results);
    *body += "<h1>The lab of Leat</h1>\n<p>Five documents describe systems by measuring them. Here each of their tables and \
              figures is made again: Leat, C and the documents' own systems in the same run, and the published figures beside \
              them.</p>\n<p class=\"soft\">A figure is the median of its rounds, in fresh processes, all systems in turn in \
              each round; a ratio is that of two medians; the small print is the range of the middle half.</p>\n";
    if has_own {
        let _ = write!(body, "<p class=\"soft\">{}</p>\n", about(run));
    } else {
        *body += "<p class=\"soft\">It was measured in pieces, runs of some rows each.</p>\n";
    }
    let before = if has_own { "Measured at another time: " } else { "" };
    for part in &results.parts {
        let rows = escape(&part.rows.join(", "));
        let _ = write!(body, "<p class=\"soft\">{before}{rows}. {}</p>\n", about(&part.run));
    }
    for line in results.interruptions() {
        let _ = write!(body, "<p class=\"missed\">{}</p>\n", escape(&line));
    }
    let loads = results.parts.iter().map(|part| &part.run).chain(has_own.then_some(run)).map(|run| run.machine.load);
    let most = loads.fold(0.0, f64::max);
    if most > 0.7 {
        let _ = write!(
            body,
            "<p class=\"missed\">The load was {} when a run began: either other programs ran, or the run before had just \
             ended. If others ran, believe ratios, not times.</p>\n",
            figure::number(most)
        );
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Figure, Machine, Part};

    fn run(commit: &str, processor: &str, load: f64) -> Run {
        let machine = Machine { processor: processor.into(), load, ..Machine::default() };
        Run { commit: commit.into(), machine, rounds: 3, ..Run::default() }
    }

    /// The head named the commit, the machine and the load of a run of which no row was left, and not the machine on
    /// which the rows had been measured.
    #[test]
    fn a_run_without_rows_is_not_at_the_head() {
        let mut results = Results { run: run("old", "An old one", 8.25), ..Results::default() };
        results.figures.push(Figure { row: "A1".into(), ..Figure::default() });
        results.parts.push(Part { rows: vec!["A1".into()], run: run("new", "A new one", 0.9) });
        let of = |results: &Results| {
            let mut page = String::new();
            head(&mut page, results);
            page
        };
        let page = of(&results);
        assert!(page.contains("A1. Commit new, ") && page.contains("A new one, 0 cores"), "{page}");
        assert!(page.contains("The load was 0.9 when a run began") && !page.contains("old"), "{page}");
        results.figures.push(Figure { row: "A2".into(), ..Figure::default() });
        let page = of(&results);
        assert!(page.contains("An old one") && page.contains("Measured at another time: A1. Commit new, "), "{page}");
        assert!(page.contains("The load was 8.25"), "{page}");
    }
}
