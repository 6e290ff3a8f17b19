//! The table -> docs/lab/rows.md: what each row is, its published figures and its bars, for who meets "row A7".

use std::fmt::Write;

use crate::figure;
use crate::table::{Bar, Least, Row, Table};

pub fn rows(table: &Table) -> String {
    let mut text = "# The rows of the lab\n\n\
        Written by `cargo run --release -p leat-bench -- --docs` from the tables beside the programs (`bench/programs/*/rows.toml`); a test compares it.\n\
        The lab follows five published documents, A to E; each row makes one table or figure of its document again.\n\
        The rows F (everyday programs), G (functions of C), P (pauses), R (parts of the runtime) and W (several workers) are Leat's own.\n\
        For each row the page says what is measured, for which systems and sizes, in which unit, and what it shows.\n\
        A *bar* is what Leat's figure should be at most (or at least, where more is better): a ratio to another system (the first of the list, if none is named), or a value.\n\
        \"If it misses\" says why a figure may be beyond its bar; the report that is kept shows which ones are (docs/lab/README.md).\n\
        Published figures are those of the documents, from the machines of their time.\n"
        .to_string();
    for document in &table.documents {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| row.id.starts_with(&document.letter)).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}. {}\n\n{}\n", document.letter, document.title, sentences(&document.about));
        rows.iter().for_each(|row| one(&mut text, row));
        let _ = write!(text, "\n### What to take from it\n\n{}\n", sentences(&document.lesson));
    }
    text
}

fn one(text: &mut String, row: &Row) {
    let of = if row.of.is_empty() { String::new() } else { format!(" ({})", row.of) };
    let _ = write!(text, "\n### {}: {}{of}\n\n{}\n\n", row.id, row.title, sentences(&row.how));
    let _ = writeln!(text, "- Systems: {}.", row.systems.join("; "));
    if let Some(x) = &row.x {
        let all = x.all();
        let values = match all.as_slice() {
            [first, second, .., last] if all.len() > 8 => {
                format!(
                    "{}, {} and so on to {}",
                    figure::number(*first),
                    figure::number(*second),
                    figure::number(*last)
                )
            }
            all => all.iter().map(|x| figure::number(*x)).collect::<Vec<_>>().join("; "),
        };
        let _ = writeln!(text, "- Over {}: {values}.", x.name);
    }
    for name in &row.names {
        let label = if name.label.is_empty() { String::new() } else { format!(" ({})", name.label) };
        let better = if name.more_is_better { ", more is better" } else { "" };
        let unit = if name.unit.is_empty() { String::new() } else { format!(", in {}", name.unit) };
        let _ = writeln!(text, "- `{}`{label}{unit}{better}.", name.name);
    }
    for bar in &row.bars {
        let _ = writeln!(text, "- Bar: {}.", words(row, bar));
    }
    for p in &row.published {
        let of = |name: &str, value: f64| figure::published(value, row.name(name).map_or("", |n| n.unit.as_str()));
        let mut parts: Vec<String> = p.values.iter().map(|(name, v)| format!("{name} {}", of(name, *v))).collect();
        for (name, points) in &p.points {
            let points: Vec<String> =
                points.iter().map(|(x, v)| format!("{} at {}", of(name, *v), figure::number(*x))).collect();
            parts.push(format!("{name} {}", points.join(", ")));
        }
        if !p.words.is_empty() {
            parts.push(p.words.trim().trim_end_matches('.').to_string());
        }
        let _ = writeln!(text, "- Published, {}: {}.", p.system, parts.join("; "));
    }
    let _ = write!(text, "\n{}\n", sentences(&row.means));
    if !row.misses.is_empty() {
        let _ = write!(text, "\nIf it misses: {}\n", sentences(&row.misses));
    }
}

fn words(row: &Row, bar: &Bar) -> String {
    let name = row.name(&bar.name);
    let most = if name.is_some_and(|n| n.more_is_better) { "at least" } else { "at most" };
    let mut parts = Vec::new();
    if let Some(value) = bar.value {
        let over = if bar.over_x { " divided by x" } else { "" };
        let or = |least: &Least| {
            format!(", or {} of what the same system has in row {}, whichever is more", least.ratio, least.row)
        };
        let least = bar.least.as_ref().map_or(String::new(), or);
        parts.push(format!("{most} {}{over}{least}", figure::text(value, name.map_or("", |n| n.unit.as_str()))));
    }
    if let Some(ratio) = bar.ratio {
        let to = match (&bar.to, bar.best.as_slice()) {
            (_, [_, ..]) => format!("the best of {}", bar.best.join(", ")),
            (to, _) if to.is_empty() => row.systems[0].clone(),
            (to, _) => to.clone(),
        };
        let of = if bar.of.is_empty() { String::new() } else { format!("'s `{}`", bar.of) };
        let at = figure::at(bar.of_x);
        parts.push(format!("{most} {ratio} of {to}{of}{at}"));
    }
    if bar.runs {
        parts.push("is given by each of Leat's systems at each of its sizes".to_string());
    }
    let system = if bar.system.is_empty() { String::new() } else { format!(" of {}", bar.system) };
    let xs: Vec<String> = bar.x.iter().map(|x| figure::number(*x)).collect();
    let at = if xs.is_empty() { String::new() } else { format!(" at {}", xs.join("; ")) };
    format!("`{}`{system}{at} {}", bar.name, parts.join(", and "))
}

/// Text of a table: its lines are broken anywhere; Markdown has one sentence a line.
fn sentences(words: &str) -> String {
    let paragraphs = words.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "));
    let paragraphs = paragraphs.filter(|p| !p.is_empty());
    let broken = paragraphs.map(|p| {
        let mut text = String::new();
        let mut chars = p.chars().peekable();
        while let Some(c) = chars.next() {
            text.push(c);
            // A full stop, a space and a capital letter end a sentence.
            if c == '.' && chars.peek() == Some(&' ') {
                let next = chars.clone().nth(1);
                if next.is_some_and(|c| c.is_uppercase()) {
                    chars.next();
                    text.push('\n');
                }
            }
        }
        text
    });
    broken.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The page is what the tables say.
    #[test]
    fn the_page_is_fresh() {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR"));
        let table = crate::read::tables(&tree.join("programs")).unwrap();
        let page = std::fs::read_to_string(tree.join("../docs/lab/rows.md")).unwrap();
        assert!(page == super::rows(&table), "run `cargo run --release -p leat-bench -- --docs`");
    }
}
