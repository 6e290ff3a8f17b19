//! Costs by line -> the source with them beside it, as `callgrind_annotate` and gcov show it.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::read::{Node, Profile};
use crate::summary::Summary;

/// Lines shown around one that has a cost.
const AROUND: u32 = 3;

/// The source files that have a cost, or the one that is named, with each line's share. `load` gives a file's text.
pub fn annotate(
    profile: &Profile,
    summary: &Summary,
    only: Option<&str>,
    load: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut files: BTreeMap<&str, BTreeMap<u32, (u64, u64)>> = BTreeMap::new();
    for (&(function, line), cost) in &summary.lines {
        let file = profile.functions[function as usize].file.as_str();
        if file != "?" && line > 0 {
            files.entry(file).or_default().entry(line).or_default().0 += cost.own;
        }
    }
    for tree in &profile.trees {
        // Two functions of one line (an inlined one in its caller) may stand in one stack: there the line counts once.
        let mut all: Vec<u64> = tree.nodes.iter().map(|node| node.weight).collect();
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                all[parent as usize] += all[i];
            }
        }
        let place = |node: &Node| (profile.functions[node.function as usize].file.as_str(), node.line);
        for (node, all) in tree.nodes.iter().zip(all) {
            let here = place(node);
            let mut above = std::iter::successors(node.parent, |&i| tree.nodes[i as usize].parent);
            if !above.any(|i| place(&tree.nodes[i as usize]) == here)
                && let Some(sum) = files.get_mut(here.0).and_then(|lines| lines.get_mut(&here.1))
            {
                sum.1 += all;
            }
        }
    }
    let is_wanted = |file: &&str| only.is_none_or(|only| Path::new(file).ends_with(only));
    let chosen: Vec<&str> = files.keys().copied().filter(is_wanted).collect();
    if chosen.is_empty() {
        return Err(match only {
            Some(only) => format!("no line of {only} is in the profile"),
            None => "no line of source is in the profile".into(),
        });
    }
    let mut text = String::new();
    for file in chosen {
        let costs = &files[file];
        let _ = writeln!(text, "{file}\n{:>7} {:>7} {:>5}", "self %", "cumul %", "line");
        let Some(source) = load(file) else {
            for (line, (own, all)) in costs {
                let _ = writeln!(text, "{:>7.2} {:>7.2} {line:>5}", summary.percent(*own), summary.percent(*all));
            }
            text.push('\n');
            continue;
        };
        let near: HashSet<u32> =
            costs.keys().flat_map(|&line| line.saturating_sub(AROUND)..=line.saturating_add(AROUND)).collect();
        let mut gap = false;
        for (number, line) in (1..).zip(source.lines()) {
            if !near.contains(&number) {
                gap = true;
                continue;
            }
            if std::mem::take(&mut gap) {
                let _ = writeln!(text, "{:>21}", "...");
            }
            let (own, all) = match costs.get(&number) {
                Some((own, all)) => (share(summary, *own), share(summary, *all)),
                None => (String::new(), String::new()),
            };
            let _ = writeln!(text, "{own:>7} {all:>7} {number:>5}  {line}");
        }
        text.push('\n');
    }
    Ok(text)
}

fn share(summary: &Summary, weight: u64) -> String {
    if weight == 0 { ".".into() } else { format!("{:.2}", summary.percent(weight)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn lines_with_their_costs() {
        let profile = read(SAMPLE).unwrap();
        let load = |file: &str| (file == "p.sml").then(|| (1..=20).map(|n| format!("line {n}\n")).collect());
        let text = annotate(&profile, &Summary::new(&profile), Some("p.sml"), load).unwrap();
        assert!(text.contains("  50.00   90.00     2  line 2\n"), "{text}");
        assert!(text.contains("                    5  line 5\n") && !text.contains("line 20"), "{text}");
    }

    /// A file whose name ends in that of another one was shown with it.
    #[test]
    fn a_file_is_named_by_parts_of_its_path() {
        let profile = read(&SAMPLE.replace("a%20b.sml", "src/ab.sml")).unwrap();
        let of = |name: &str| annotate(&profile, &Summary::new(&profile), Some(name), |_| None);
        for name in ["ab.sml", "src/ab.sml"] {
            assert!(of(name).is_ok_and(|text| text.contains("src/ab.sml\n") && !text.contains("p.sml\n")), "{name}");
        }
        assert_eq!(of("b.sml"), Err("no line of b.sml is in the profile".to_string()));
    }
}
