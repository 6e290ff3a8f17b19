//! `[Rule n]` in the sources, and the list of the Definition's rules -> the table of `docs/reference/definition.md`.
//!
//! A tag stands in the comment of a function, or inside one; `[Rule 56] to [Rule 60]` is five tags. A rule without code
//! has its reason in `data/rules.txt`. The text around the table is written by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::{collect, root};

const FILE: &str = "docs/reference/definition.md";
const BEGIN: &str = "<!-- begin: rules, written by `cargo xtask definition` -->\n";
const END: &str = "<!-- end: rules -->";
/// Where tags are looked for.
const FOLDERS: &[&str] = &["compiler", "driver/src", "runtime/entry/src"];

/// Writes the table.
pub fn write() -> io::Result<()> {
    fs::write(root().join(FILE), document()?)
}

/// The document with the table as it should be.
pub fn document() -> io::Result<String> {
    let text = fs::read_to_string(root().join(FILE))?;
    let missing = || io::Error::other("the markers of the table are missing");
    let begin = text.find(BEGIN).ok_or_else(missing)? + BEGIN.len();
    let end = text.find(END).ok_or_else(missing)?;
    Ok(format!("{}{}{}", &text[..begin], table()?, &text[end..]))
}

fn table() -> io::Result<String> {
    let places = tags()?;
    let list = fs::read_to_string(root().join("xtask/data/rules.txt"))?;
    let mut out = String::new();
    let mut seen = 0;
    for line in list.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let _ = write!(out, "\n### {title}\n\n| Rule | Phrase | Where |\n|---|---|---|\n");
            continue;
        }
        let mut parts = line.split(" | ");
        let (Some(Ok(rule)), Some(phrase)) = (parts.next().map(str::parse::<u32>), parts.next()) else { continue };
        seen += 1;
        let here = match (places.get(&rule), parts.next()) {
            // The reason says more than the comment that names it.
            (_, Some(reason)) => format!("no code: {reason}"),
            (Some(places), None) => places.join("<br>"),
            (None, None) => {
                return Err(io::Error::other(format!(
                    "[Rule {rule}] stands nowhere, and data/rules.txt has no reason"
                )));
            }
        };
        let _ = writeln!(out, "| {rule} | {phrase} | {here} |");
    }
    match places.keys().find(|rule| **rule > seen) {
        Some(rule) => Err(io::Error::other(format!("[Rule {rule}] is tagged, but is not in data/rules.txt"))),
        None => Ok(out),
    }
}

/// For each rule the functions that implement it, as `file: function`.
fn tags() -> io::Result<BTreeMap<u32, Vec<String>>> {
    let mut tags: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for folder in FOLDERS {
        let mut files = Vec::new();
        collect(&root().join(folder), &mut files)?;
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file)?;
            let name = shown(&file);
            let lines: Vec<&str> = text.lines().collect();
            // What a tag in each line belongs to.
            let mut function = "";
            for (i, line) in lines.iter().enumerate() {
                function = function_of(line).unwrap_or(function);
                if !line.contains("[Rule ") || line.trim_start().starts_with("//!") {
                    continue;
                }
                let documented = line.trim_start().starts_with("///");
                let owner = match documented {
                    true => lines[i..].iter().find_map(|line| function_of(line)).unwrap_or(function),
                    false => function,
                };
                // A tag's range may go on in the next line of the comment.
                let next = lines.get(i + 1).map_or("", |next| next.trim_start().trim_start_matches("///"));
                for rule in rules(line, next) {
                    let place = format!("`{name}`: `{owner}`");
                    let places = tags.entry(rule).or_default();
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
    }
    Ok(tags)
}

/// The numbers of the tags of a line, `next` being the one after it.
fn rules(line: &str, next: &str) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for (i, (at, _)) in line.match_indices("[Rule ").enumerate() {
        let Some(number) = number(&line[at..]) else { continue };
        let before = line[..at].trim_end();
        if i > 0 && before.ends_with("to") {
            let from = out.last().map_or(number, |last| last + 1);
            out.extend(from..=number);
        } else {
            out.push(number);
        }
    }
    // `[Rule 150] to` at the end of a line.
    if line.trim_end().ends_with("] to")
        && let (Some(&last), Some(end)) =
            (out.last(), next.trim_start().strip_prefix("[Rule ").and(number(next.trim_start())))
    {
        out.extend(last + 1..=end);
    }
    out
}

fn number(tag: &str) -> Option<u32> {
    tag.strip_prefix("[Rule ")?.split(']').next()?.parse().ok()
}

/// The name of the function that a line begins.
fn function_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let words = ["pub ", "pub(crate) ", "pub(super) ", "unsafe "];
    let line = words.iter().fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let name = line.strip_prefix("fn ")?;
    name.split(['(', '<']).next()
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string().replace("/src/", "/").replace("compiler/", "")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definition_is_covered() {
        let text = std::fs::read_to_string(super::root().join(super::FILE)).unwrap();
        assert!(text == super::document().unwrap(), "run `cargo xtask definition`");
    }

    #[test]
    fn ranges() {
        assert_eq!(
            super::rules("/// [Rule 3], [Rule 5] to [Rule 7]; [Rule 9] to", "[Rule 11] and"),
            [3, 5, 6, 7, 9, 10, 11]
        );
    }
}
