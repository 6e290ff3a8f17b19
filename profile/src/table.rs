//! Costs -> tables for the terminal: all functions, the most expensive first; callers and callees of one.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::fold::{Folded, Part, is_programs};
use crate::read::{Function, Node, Profile};
use crate::summary::{Cost, Summary};

/// What the profile counts, as a heading.
fn counted(kind: &str) -> &'static str {
    match kind {
        "calls" => "calls",
        "wait" => "waits",
        _ => "samples",
    }
}

/// A weight with its unit: `12.3 ms`.
pub fn amount(weight: u64, unit: &str) -> String {
    let w = weight as f64;
    let (scaled, name) = match unit {
        "ns" if w < 1e3 => return format!("{weight} ns"),
        "ns" if w < 1e6 => (w / 1e3, "us"),
        "ns" if w < 1e9 => (w / 1e6, "ms"),
        "ns" => (w / 1e9, "s"),
        "bytes" if w < 1e4 => return format!("{weight} bytes"),
        "bytes" if w < 1e7 => (w / 1e3, "kB"),
        "bytes" if w < 1e10 => (w / 1e6, "MB"),
        "bytes" => (w / 1e9, "GB"),
        _ => return format!("{} {unit}", thousands(weight)),
    };
    format!("{scaled:.1} {name}")
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What the tables begin with.
fn head(profile: &Profile, summary: &Summary) -> String {
    let what = match profile.kind.as_str() {
        "time" => "of processor time",
        "wait" => "in which threads waited",
        "alloc" => "allocated",
        _ => "of compiled code",
    };
    let lives = match profile.kind.as_str() {
        "alloc" => format!(", {:.1} % survive a collection", summary.percent(summary.survives)),
        _ => String::new(),
    };
    format!(
        "{}: {} {what}{lives}, {} {}, in {}\n\n",
        profile.program,
        amount(summary.total, &profile.unit),
        thousands(summary.count),
        counted(&profile.kind),
        amount(profile.elapsed, "ns"),
    )
}

/// What the program's own lines cost, with the library and the runtime that they call: functions and lines, or what
/// threads waited for. `load` gives a source's text.
pub fn own(folded: &Folded, summary: &Summary, most: usize, load: impl Fn(&str) -> Option<String>) -> String {
    if folded.profile.kind == "wait" {
        return waits(&folded.profile, summary, most);
    }
    let mut text = flat(&folded.profile, summary, most);
    let spent = |(part, weight): &(Part, u64)| format!("{:.1} % in {}", summary.percent(*weight), part.name());
    if !folded.parts.is_empty() {
        let parts: Vec<String> = folded.parts.iter().map(spent).collect();
        let end = text.find("\n\n").unwrap_or(0);
        text.insert_str(end, &format!("\n{}", parts.join(", ")));
    }
    text + &lines(&folded.profile, summary, most.min(LINES), load)
}

/// Rows of the table of lines.
const LINES: usize = 10;

/// The program's most expensive lines, with their text.
fn lines(profile: &Profile, summary: &Summary, most: usize, load: impl Fn(&str) -> Option<String>) -> String {
    let mut sums: BTreeMap<(&str, u32), u64> = BTreeMap::new();
    for (&(function, line), cost) in &summary.lines {
        let function = &profile.functions[function as usize];
        if is_programs(function) && line > 0 && cost.own > 0 {
            *sums.entry((&function.file, line)).or_default() += cost.own;
        }
    }
    let mut order: Vec<((&str, u32), u64)> = sums.into_iter().collect();
    order.sort_by_key(|&(_, own)| std::cmp::Reverse(own));
    if order.is_empty() {
        return String::new();
    }
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    let mut text = format!("\n{:>7}  {:<30} source\n", "self %", "line");
    for &((file, line), own) in order.iter().take(most) {
        let source = texts.entry(file).or_insert_with(|| load(file));
        let shown = source.as_deref().and_then(|source| source.lines().nth(line as usize - 1)).unwrap_or("").trim();
        let shown: String = shown.chars().take(70).collect();
        let row = format!("{:>7.2}  {:<30} {shown}", summary.percent(own), format!("{file}:{line}"));
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if order.len() > most {
        let _ = writeln!(text, "{:>7}  and {} more", "", order.len() - most);
    }
    text
}

/// The thread whose label a tree of stacks begins with, when each thread's are apart.
fn thread(function: &Function) -> Option<u64> {
    function.name.strip_prefix("[thread ")?.strip_suffix(']')?.parse().ok()
}

/// What threads waited for, and at which lines of the program; each thread on its own when its stacks are apart.
fn waits(profile: &Profile, summary: &Summary, most: usize) -> String {
    let mut text = head(profile, summary);
    /// The thread, what is waited for, and the function and line that wait.
    type Wait<'p> = (Option<u64>, &'p str, Option<(u32, u32)>);
    let mut sums: BTreeMap<Wait<'_>, Cost> = BTreeMap::new();
    let function = |node: &Node| &profile.functions[node.function as usize];
    for tree in &profile.trees {
        // Parents come first.
        let mut threads: Vec<Option<u64>> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let above = node.parent.map(|parent| (&tree.nodes[parent as usize], threads[parent as usize]));
            threads.push(thread(function(node)).or(above.and_then(|above| above.1)));
            if node.weight == 0 {
                continue;
            }
            let caller = above.map(|above| above.0).filter(|caller| thread(function(caller)).is_none());
            let at = caller.map(|caller| (caller.function, caller.line));
            let sum = sums.entry((threads[threads.len() - 1], &function(node).name, at)).or_default();
            sum.own += node.weight;
            sum.count += node.count;
        }
    }
    let apart = sums.keys().any(|(thread, ..)| thread.is_some());
    let column = |text: &str| if apart { format!("{text:>7}  ") } else { String::new() };
    let mut order: Vec<_> = sums.into_iter().collect();
    order.sort_by_key(|&(_, cost)| std::cmp::Reverse(cost.own));
    let _ = writeln!(
        text,
        "{:>7} {:>9} {:>9}  {}{:<24} {:<30} for",
        "share %",
        "time",
        "waits",
        column("thread"),
        "in",
        "place"
    );
    for ((thread, what, at), cost) in order.iter().take(most) {
        let thread = column(&thread.map_or(String::new(), |thread| thread.to_string()));
        let what = what.trim_matches(['[', ']']);
        let what = what.strip_prefix("waits: ").unwrap_or(what);
        let (function, place) = match at {
            Some((function, line)) => {
                let function = &profile.functions[*function as usize];
                let place = if *line > 0 { format!("{}:{line}", function.file) } else { function.place() };
                (function.name.as_str(), place)
            }
            None => ("", String::new()),
        };
        let row = format!(
            "{:>7.2} {:>9} {:>9}  {thread}{function:<24} {place:<30} {what}",
            summary.percent(cost.own),
            amount(cost.own, &profile.unit),
            cost.count,
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if order.len() > most {
        let _ = writeln!(text, "{:>29}and {} more", "", order.len() - most);
    }
    text
}

/// All functions that have a cost, at most so many.
pub fn flat(profile: &Profile, summary: &Summary, most: usize) -> String {
    let mut text = head(profile, summary);
    let count = counted(&profile.kind);
    let alloc = profile.kind == "alloc";
    let lives = if alloc { "  lives %" } else { "" };
    let _ = writeln!(text, "{:>7} {:>7} {:>9}{lives}  {:<40} place", "self %", "cumul %", count, "function");
    let mut order: Vec<usize> = (0..profile.functions.len()).filter(|&f| summary.functions[f].all > 0).collect();
    order.sort_by_key(|&f| {
        let cost = summary.functions[f];
        // What is no function stands where all of it counts: its parts are told as functions of their own.
        let weight = if profile.functions[f].is_label() { cost.all } else { cost.own };
        (std::cmp::Reverse((weight, cost.all)), &profile.functions[f].name)
    });
    for &f in order.iter().take(most) {
        let (cost, function) = (summary.functions[f], &profile.functions[f]);
        let row = format!(
            "{:>7.2} {:>7.2} {:>9}{}  {:<40} {}",
            summary.percent(cost.own),
            summary.percent(cost.all),
            cost.count,
            if alloc { survives(cost) } else { String::new() },
            function.name,
            function.place()
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if order.len() > most {
        let _ = writeln!(text, "{:>25}  and {} more", "", order.len() - most);
    }
    text
}

/// How much of what a function allocates survives a collection.
fn survives(cost: Cost) -> String {
    if cost.own == 0 {
        format!("{:>9}", "")
    } else {
        format!("{:>9.1}", 100.0 * cost.survives as f64 / cost.own as f64)
    }
}

/// The functions that a user means by a name: it is the whole name, or its end after a dot.
pub fn named(profile: &Profile, name: &str) -> Result<Vec<u32>, String> {
    let fits = |f: &Function| f.name == name || f.name.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let found: Vec<u32> = (0..).zip(&profile.functions).filter(|(_, f)| fits(f)).map(|(i, _)| i).collect();
    if found.is_empty() {
        let like: Vec<&str> =
            profile.functions.iter().map(|f| f.name.as_str()).filter(|known| known.contains(name)).take(5).collect();
        let hint = if like.is_empty() { String::new() } else { format!("; there are {}", like.join(", ")) };
        return Err(format!("no function {name} is in the profile{hint}"));
    }
    Ok(found)
}

/// Who calls a function, and from where; or what it calls.
pub fn neighbours(profile: &Profile, summary: &Summary, name: &str, callers: bool) -> Result<String, String> {
    let mut text = head(profile, summary);
    for function in named(profile, name)? {
        let (known, cost) = (&profile.functions[function as usize], summary.functions[function as usize]);
        let what = if callers { "callers" } else { "callees" };
        let _ = writeln!(text, "{what} of {}  {}", known.name, known.place());
        let _ = writeln!(
            text,
            "{:>7.2} % of all is its own, {:.2} % with what it calls",
            summary.percent(cost.own),
            summary.percent(cost.all)
        );
        let _ = writeln!(text, "{:>7} {:>9}  {:<40} at line", "cumul %", counted(&profile.kind), "function");
        let mut edges: Vec<(u32, u32, Cost)> = summary
            .edges
            .iter()
            .filter(|((from, _, to), _)| if callers { *to == function } else { *from == function })
            .map(|(&(from, line, to), &cost)| (if callers { from } else { to }, line, cost))
            .collect();
        edges.sort_by_key(|&(other, line, cost)| (std::cmp::Reverse(cost.all), other, line));
        for (other, line, cost) in edges {
            let other = &profile.functions[other as usize];
            let place = if callers { &other.file } else { &known.file };
            let place = if line == 0 { String::new() } else { format!("{place}:{line}") };
            let _ = writeln!(text, "{:>7.2} {:>9}  {:<40} {place}", summary.percent(cost.all), cost.count, other.name);
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn the_flat_table() {
        let profile = read(SAMPLE).unwrap();
        let text = flat(&profile, &Summary::new(&profile), 2);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "p.sml: 100 ns of processor time, 9 samples, in 1.0 us");
        assert!(lines[3].starts_with("  50.00   90.00         5  f "), "{}", lines[3]);
        assert!(lines[4].ends_with("a b.sml:3"), "{}", lines[4]);
        assert!(lines[5].ends_with("and 2 more"));
    }

    /// With `--threads` the table of waits was the same as without.
    #[test]
    fn waits_of_each_thread() {
        let text = "leat-profile 1
kind wait
unit ns
elapsed 1000
program p.sml
f 0 ? 0 [thread 1]
f 1 ? 0 [thread 2]
f 2 p.sml 3 f
f 3 ? 0 [waits: receiving]
f 4 ? 0 [waits: ready]
t threads
n 1 0 0 0 0 0
n 2 1 2 4 0 0
n 3 2 3 0 70 2
n 4 0 1 0 0 0
n 5 4 4 0 10 1
n 6 4 2 4 0 0
n 7 6 3 0 20 1
";
        let table = |text: &str| {
            let profile = read(text).unwrap();
            let table = waits(&profile, &Summary::new(&profile), 9);
            let row = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            table.lines().skip(3).map(row).collect::<Vec<_>>()
        };
        assert_eq!(
            table(text),
            ["70.00 70 ns 2 1 f p.sml:4 receiving", "20.00 20 ns 1 2 f p.sml:4 receiving", "10.00 10 ns 1 2 ready"]
        );
        let together = text.replace("[thread 1]", "main").replace("[thread 2]", "main");
        assert_eq!(table(&together)[0], "90.00 90 ns 3 f p.sml:4 receiving");
    }

    #[test]
    fn callers_and_callees() {
        let profile = read(SAMPLE).unwrap();
        let summary = Summary::new(&profile);
        let text = neighbours(&profile, &summary, "f", true).unwrap();
        assert!(text.contains("  90.00         8  main "), "{text}");
        assert!(neighbours(&profile, &summary, "g", false).unwrap().contains("[collector]"));
        assert_eq!(named(&profile, "ai").unwrap_err(), "no function ai is in the profile; there are main");
    }
}
