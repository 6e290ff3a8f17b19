//! A profile of allocation -> what is allocated: by type, and by type and place; and the profile without types.
//!
//! What is made stands in the trees as a label below the function that makes it: `[:: of int list]`. In a program that
//! was not compiled to tell types there are none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::fold::is_programs;
use crate::read::{Node, Profile, Tree};
use crate::summary::{Cost, Summary};
use crate::table::amount;

/// Most rows of each table.
const ROWS: usize = 20;

/// Whether a node stands for what its parent makes. A thread's label is a root.
fn is_made(profile: &Profile, node: &Node) -> bool {
    node.parent.is_some() && profile.functions[node.function as usize].is_label()
}

/// The same profile, where what is made counts for the function that makes it.
pub fn without_types(profile: &Profile) -> Profile {
    let tree = |tree: &Tree| {
        let mut nodes: Vec<Node> = Vec::new();
        let mut went: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let parent = node.parent.map(|parent| went[parent as usize]);
            match parent {
                Some(parent) if is_made(profile, node) => {
                    let into = &mut nodes[parent as usize];
                    into.weight += node.weight;
                    into.count += node.count;
                    into.survives += node.survives;
                    went.push(parent);
                }
                _ => {
                    nodes.push(Node { parent, ..*node });
                    went.push(nodes.len() as u32 - 1);
                }
            }
        }
        Tree { name: tree.name.clone(), nodes }
    };
    Profile { trees: profile.trees.iter().map(tree).collect(), ..profile.clone() }
}

/// The tables; `library`: places in the library, too, not only the program's lines that call it.
pub fn tables(profile: &Profile, library: bool, most: usize) -> String {
    if !profile.trees.iter().any(|tree| tree.nodes.iter().any(|node| is_made(profile, node))) {
        return "\nWhat is allocated is not known: build the program with `leat build --alloc-types`.\n".into();
    }
    let (mut types, mut places): (BTreeMap<&str, Cost>, BTreeMap<_, Cost>) = Default::default();
    for tree in &profile.trees {
        for node in tree.nodes.iter().filter(|node| node.weight > 0) {
            let made = is_made(profile, node);
            let name = profile.functions[node.function as usize].name.as_str();
            let what = if made { name.trim_matches(['[', ']']) } else { OTHER };
            let mut at = if made { &tree.nodes[node.parent.expect("one that is made") as usize] } else { node };
            // The innermost of the program's own.
            let (first, shown) = (at, |at: &Node| library || is_programs(&profile.functions[at.function as usize]));
            while let Some(parent) = at.parent.filter(|_| !shown(at)) {
                at = &tree.nodes[parent as usize];
            }
            let at = if shown(at) { at } else { first };
            for cost in [types.entry(what).or_default(), places.entry((what, at.function, at.line)).or_default()] {
                cost.own += node.weight;
                cost.survives += node.survives;
            }
        }
    }
    let summary = Summary::new(profile);
    let most = most.min(ROWS);
    let share = |cost: &Cost| {
        let lives = 100.0 * cost.survives as f64 / cost.own as f64;
        format!("{:>7.2} {:>10} {lives:>8.1}", summary.percent(cost.own), amount(cost.own, &profile.unit))
    };
    let heading = format!("\n{:>7} {:>10} {:>8}", "share %", profile.unit, "lives %");
    let mut text = format!("{heading}  what\n");
    let mut rows: Vec<_> = types.into_iter().collect();
    rows.sort_by_key(|&(_, cost)| std::cmp::Reverse(cost.own));
    for (what, cost) in rows.iter().take(most) {
        let _ = writeln!(text, "{}  {what}", share(cost));
    }
    more(&mut text, rows.len(), most);
    let _ = writeln!(text, "{heading}  {:<30} {:<24} place", "what", "in");
    let mut rows: Vec<_> = places.into_iter().collect();
    rows.sort_by_key(|&(_, cost)| std::cmp::Reverse(cost.own));
    for ((what, function, line), cost) in rows.iter().take(most) {
        let function = &profile.functions[*function as usize];
        let place = if *line > 0 { format!("{}:{line}", function.file) } else { function.place() };
        let row = format!("{}  {what:<30} {:<24} {place}", share(cost), function.name);
        let _ = writeln!(text, "{}", row.trim_end());
    }
    more(&mut text, rows.len(), most);
    text
}

/// What the runtime makes for itself: threads, continuations, copies of stacks.
const OTHER: &str = "objects of the runtime";

fn more(text: &mut String, rows: usize, most: usize) {
    if rows > most {
        let _ = writeln!(text, "{:>27}  and {} more", "", rows - most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    /// main (line 9) calls List.map, which makes cells of a list, and f (line 2), which makes those and a tuple.
    const SAMPLE: &str = "leat-profile 1
kind alloc
unit bytes
elapsed 1000
program p.sml
f 0 p.sml 9 main
f 1 $(SML_LIB)/list.sml 1 List.map
f 2 ? 0 [:: of int list]
f 3 p.sml 1 f
f 4 ? 0 [int * int]
t all workers
n 1 0 0 9 0 0
n 2 1 1 1 0 0
n 3 2 2 0 50 5 10
n 4 1 3 2 0 0
n 5 4 2 0 20 2 20
n 6 4 4 0 25 2
n 7 4 3 3 5 1
";

    #[test]
    fn types_and_places() {
        let profile = read(SAMPLE).unwrap();
        let text = tables(&profile, false, 30);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[2][..], ["70.00", "70", "bytes", "42.9", "::", "of", "int", "list"], "{text}");
        assert_eq!(rows[3][..], ["25.00", "25", "bytes", "0.0", "int", "*", "int"], "{text}");
        assert_eq!(rows[4][4..], ["objects", "of", "the", "runtime"], "{text}");
        // The library's cells belong to the line that called it.
        assert_eq!(
            rows[7][..],
            ["50.00", "50", "bytes", "20.0", "::", "of", "int", "list", "main", "p.sml:9"],
            "{text}"
        );
        assert_eq!(rows[9][8..], ["f", "p.sml:2"], "{text}");
        let text = tables(&profile, true, 1);
        assert!(text.contains("List.map") && text.contains("and 3 more") && !text.contains("int * int"), "{text}");
    }

    #[test]
    fn without_them_functions_have_it_all() {
        let plain = without_types(&read(SAMPLE).unwrap());
        let summary = Summary::new(&plain);
        assert_eq!((summary.total, summary.survives), (100, 30));
        assert_eq!((summary.functions[1].own, summary.functions[3].own, summary.functions[2].own), (50, 50, 0));
        assert!(tables(&plain, false, 30).contains("--alloc-types"));
    }
}
