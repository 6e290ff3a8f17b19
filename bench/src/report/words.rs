//! Names, values and text of a row -> words of the page.

use std::fmt::Write;

use crate::figure;
use crate::record::Results;
use crate::table::Row;

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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

pub fn unit<'a>(row: &'a Row, name: &str) -> &'a str {
    row.name(name).map_or("", |n| n.unit.as_str())
}

/// What a name is called.
pub fn label(row: &Row, name: &str) -> String {
    row.name(name)
        .map(|n| if n.label.is_empty() { n.name.clone() } else { n.label.clone() })
        .unwrap_or_else(|| name.to_string())
}

/// The x at which a name was measured.
pub fn sorted_xs(row: &Row, results: &Results, name: &str) -> Vec<Option<f64>> {
    let all = results.figures.iter().filter(|f| f.row == row.id && f.name == name);
    let mut xs: Vec<f64> = all.filter_map(|f| f.x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    xs.into_iter().map(Some).collect()
}

/// A range in one unit, if both ends have the same: 1.2 to 3.4 ms.
pub fn range(low: f64, high: f64, unit: &str) -> String {
    let (low, high) = (figure::text(low, unit), figure::text(high, unit));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, of_low)), Some((_, of_high))) if of_low == of_high => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// The version of a tool, as its program tells it.
pub fn version(told: &str) -> &str {
    if told.trim().is_empty() || told.contains("????") { "version not told" } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_says_its_unit_once() {
        assert_eq!(range(1_200.0, 3_400.0, "ns"), "1.2 to 3.4 us");
        assert_eq!(range(900.0, 3_400.0, "ns"), "900 ns to 3.4 us");
        assert_eq!(range(1.0, 2.0, ""), "1 to 2");
    }

    /// MLton of a build from a snapshot calls itself `MLton ????????`; the list of tools looked broken.
    #[test]
    fn a_version_that_nobody_told() {
        assert_eq!(
            [version("MLton ????????"), version(""), version("sml 110.79")],
            ["version not told", "version not told", "sml 110.79"]
        );
    }
}
