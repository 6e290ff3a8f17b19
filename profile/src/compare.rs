//! Two profiles of one kind, an older and a newer one -> what has become dearer or cheaper: a table, and a flame graph
//! of the newer one whose colours tell the change.
//!
//! The program's functions are the same if their names are: lines move when a program is edited, and files may be
//! renamed. Of the library's the files count, too. Of several of one name the first is the first, if both profiles have
//! equally many; else those are the same that stand at the same place, and then the first is the first of the rest.
//! What is compared is the weight itself, not its share, so a function whose cost stays keeps its colour when others
//! become cheaper.

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

/// What a function is known by in both profiles.
pub type Key = u32;

/// What the functions of an older and a newer profile are known by, in their order.
pub fn keys(old: &Profile, new: &Profile) -> (Vec<Key>, Vec<Key>) {
    let mut groups: BTreeMap<(&str, &str), [Vec<usize>; 2]> = BTreeMap::new();
    for (which, profile) in [old, new].into_iter().enumerate() {
        for (i, function) in profile.functions.iter().enumerate() {
            let file = if is_programs(function) { "" } else { &function.file };
            groups.entry((&function.name, file)).or_default()[which].push(i);
        }
    }
    let mut keys = (vec![0; old.functions.len()], vec![0; new.functions.len()]);
    let mut next = 0..;
    for [mut olds, mut news] in groups.into_values() {
        let place = |profile: &Profile, i: usize| (profile.functions[i].file.clone(), profile.functions[i].line);
        olds.sort_by_key(|&i| place(old, i));
        news.sort_by_key(|&i| place(new, i));
        if olds.len() != news.len() {
            olds.retain(|&o| {
                let Some(at) = news.iter().position(|&n| place(old, o) == place(new, n)) else { return true };
                (keys.0[o], keys.1[news.remove(at)]) = next.next().map(|key| (key, key)).expect("keys without end");
                false
            });
        }
        for i in 0..olds.len().max(news.len()) {
            let key = next.next().expect("keys without end");
            olds.get(i).into_iter().for_each(|&o| keys.0[o] = key);
            news.get(i).into_iter().for_each(|&n| keys.1[n] = key);
        }
    }
    keys
}

/// The table, the largest changes first, at most so many. The error says why the two can't be compared.
pub fn table(old: &Profile, new: &Profile, most: usize) -> Result<String, String> {
    comparable(&old.kind, &new.kind)?;
    let mut rows: BTreeMap<Key, (Change, &Function)> = BTreeMap::new();
    let (old_sum, new_sum) = (Summary::new(old), Summary::new(new));
    let (old_keys, new_keys) = keys(old, new);
    for ((function, cost), key) in old.functions.iter().zip(&old_sum.functions).zip(old_keys) {
        rows.entry(key).or_insert(((0, 0), function)).0.0 += cost.own;
    }
    for ((function, cost), key) in new.functions.iter().zip(&new_sum.functions).zip(new_keys) {
        let row = rows.entry(key).or_insert(((0, 0), function));
        row.0.1 += cost.own;
        row.1 = function;
    }
    let mut rows: Vec<(Change, &Function)> = rows.into_values().filter(|row| row.0 != (0, 0)).collect();
    rows.sort_by_key(|((old, new), function)| {
        (std::cmp::Reverse(old.abs_diff(*new)), &function.name, &function.file, function.line)
    });
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

/// All stacks of a profile, each with what is below it. `keys`: what its functions are known by.
pub fn stacks(profile: &Profile, keys: &[Key]) -> Stacks {
    let mut all = Stacks::new();
    for tree in &profile.trees {
        for node in tree.nodes.iter().filter(|node| node.weight > 0) {
            let mut path = Vec::new();
            for function in tree.stack(node) {
                path.push(keys[function as usize]);
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

    /// Two functions of one name were one row, at the place of one of them.
    #[test]
    fn functions_of_one_name() {
        let two = SAMPLE.replace("f 2 a%20b.sml 3 g", "f 2 p.sml 3 f");
        let old = read(&two).unwrap();
        let rows = |new: &str| {
            let table = table(&old, &read(new).unwrap(), 9).unwrap();
            let row = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            table.lines().skip(3).map(row).filter(|row| row.contains(" f ")).collect::<Vec<_>>()
        };
        // Both are further down, and the second costs less.
        let moved = two.replace("p.sml 1 f", "p.sml 3 f").replace("2 p.sml 3 f", "2 p.sml 8 f");
        let moved = moved.replace("n 4 3 2 4 25 2", "n 4 3 2 4 5 2");
        assert_eq!(rows(&moved), ["25 ns 5 ns -20 ns f p.sml:8", "50 ns 50 ns +0 ns f p.sml:3"]);
        // The first was not seen.
        let one = two.replace("f 1 p.sml 1 f", "f 1 p.sml 9 h");
        assert_eq!(rows(&one), ["50 ns 0 ns -50 ns f p.sml:1", "25 ns 25 ns +0 ns f p.sml:3"]);
    }

    #[test]
    fn kinds_must_be_the_same() {
        let old = read(&SAMPLE.replace("kind time", "kind alloc")).unwrap();
        assert!(table(&old, &read(SAMPLE).unwrap(), 3).unwrap_err().contains("a profile of time"));
    }

    #[test]
    fn stacks_with_what_is_below() {
        let profile = read(SAMPLE).unwrap();
        let (keys, same) = keys(&profile, &profile);
        assert_eq!(keys, same);
        assert_eq!(stacks(&profile, &keys)[&keys[..2].to_vec()], 90);
        assert_eq!(colour(10, 10, 100), "hsl(215,0%,92%)");
        assert_eq!(colour(0, 50, 100), "hsl(0,80%,60%)");
    }
}
