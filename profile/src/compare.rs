//! Two profiles of one kind, an older and a newer one -> what has become dearer or cheaper: a table, and a flame graph
//! of the newer one whose colours tell the change.
//!
//! The program's functions are the same if their names are: lines move when a program is edited, and files may be
//! renamed. Of the library's the files count, too. What is compared is the weight itself, not its share, so a function
//! whose cost stays keeps its colour when others become cheaper.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::fold::is_programs;
use crate::read::{Function, Profile};
use crate::summary::Summary;
use crate::table::amount;

/// Own costs of functions in both: older, newer.
type Change = (u64, u64);

/// Whether profiles of these kinds can be compared; the error says why not.
pub fn comparable(old: &str, new: &str) -> Result<(), String> {
    if old == new { Ok(()) } else { Err(format!("a profile of {new} cannot be compared with one of {old}")) }
}

/// What a function is known by in both profiles: its name, and of the library's the file.
pub type Key = (String, String);

pub fn key(function: &Function) -> Key {
    let file = if is_programs(function) { String::new() } else { function.file.clone() };
    (function.name.clone(), file)
}

/// The table, the largest changes first, at most so many. The error says why the two can't be compared.
pub fn table(old: &Profile, new: &Profile, most: usize) -> Result<String, String> {
    comparable(&old.kind, &new.kind)?;
    let mut rows: BTreeMap<Key, (Change, &Function)> = BTreeMap::new();
    let (old_sum, new_sum) = (Summary::new(old), Summary::new(new));
    for (function, cost) in old.functions.iter().zip(&old_sum.functions) {
        rows.entry(key(function)).or_insert(((0, 0), function)).0.0 += cost.own;
    }
    for (function, cost) in new.functions.iter().zip(&new_sum.functions) {
        let row = rows.entry(key(function)).or_insert(((0, 0), function));
        row.0.1 += cost.own;
        row.1 = function;
    }
    let mut rows: Vec<(Change, &Function)> = rows.into_values().filter(|row| row.0 != (0, 0)).collect();
    rows.sort_by_key(|((old, new), function)| (std::cmp::Reverse(old.abs_diff(*new)), &function.name));
    let unit = &new.unit;
    let mut text = format!(
        "{}: {} before, {} now{}\n\n{:>10} {:>10} {:>11}  {:<40} place\n",
        new.program,
        amount(old_sum.total, unit),
        amount(new_sum.total, unit),
        ratio(old_sum.total, new_sum.total),
        "before",
        "now",
        "change",
        "function",
    );
    for &((old, new), function) in rows.iter().take(most) {
        let sign = if new >= old { '+' } else { '-' };
        let change = format!("{sign}{}", amount(old.abs_diff(new), unit));
        let (before, now) = (amount(old, unit), amount(new, unit));
        let row = format!("{before:>10} {now:>10} {change:>11}  {:<40} {}", function.name, function.place());
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if rows.len() > most {
        let _ = writeln!(text, "{:>33}  and {} more", "", rows.len() - most);
    }
    Ok(text)
}

fn ratio(old: u64, new: u64) -> String {
    if old == 0 { String::new() } else { format!(", {:.2} times as much", new as f64 / old as f64) }
}

/// Costs of stacks with all that they call, by their functions, the outermost first; a function that
/// calls itself counts once.
pub type Stacks = BTreeMap<Vec<Key>, u64>;

/// All stacks of a profile, each with what is below it.
pub fn stacks(profile: &Profile) -> Stacks {
    let mut all = Stacks::new();
    for tree in &profile.trees {
        for node in tree.nodes.iter().filter(|node| node.weight > 0) {
            let mut path = Vec::new();
            for function in tree.stack(node) {
                let function = &profile.functions[function as usize];
                path.push(key(function));
                *all.entry(path.clone()).or_default() += node.weight;
            }
        }
    }
    all
}

/// Red for what costs more than before, blue for what costs less, the deeper the larger the change is beside the whole.
pub fn colour(old: u64, new: u64, total: u64) -> String {
    let change = (new as f64 - old as f64) / total.max(1) as f64;
    // A tenth of the whole is as deep as it goes.
    let deep = (change.abs() * 10.0).min(1.0);
    let hue = if change > 0.0 { 0 } else { 215 };
    format!("hsl({hue},{:.0}%,{:.0}%)", 80.0 * deep.sqrt(), 92.0 - 32.0 * deep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn the_largest_change_first() {
        let old = read(SAMPLE).unwrap();
        // g is at another line, f costs less, and there is a new function.
        let text = SAMPLE.replace("f 2 a%20b.sml 3 g", "f 2 a%20b.sml 5 g").replace("n 3 2 1 2 30 3", "n 3 2 1 2 3 3");
        let text = text.replace("f 3 ? 0 [collector]", "f 3 h.sml 1 h");
        let new = read(&text).unwrap();
        let table = table(&old, &new, 3).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "p.sml: 100 ns before, 73 ns now, 0.73 times as much");
        assert!(lines[3].starts_with("     50 ns      23 ns      -27 ns  f "), "{table}");
        assert!(lines[4].contains("-15 ns  [collector]") && lines[5].contains("+15 ns  h "), "{table}");
        assert!(lines[6].ends_with("and 2 more"), "{table}");
    }

    #[test]
    fn kinds_must_be_the_same() {
        let old = read(&SAMPLE.replace("kind time", "kind alloc")).unwrap();
        assert!(table(&old, &read(SAMPLE).unwrap(), 3).unwrap_err().contains("a profile of time"));
    }

    #[test]
    fn stacks_with_what_is_below() {
        let all = stacks(&read(SAMPLE).unwrap());
        let path: Vec<Key> = ["main", "f"].map(|name| (name.to_string(), String::new())).to_vec();
        assert_eq!(all[&path], 90);
        assert_eq!(colour(10, 10, 100), "hsl(215,0%,92%)");
        assert_eq!(colour(0, 50, 100), "hsl(0,80%,60%)");
    }
}
