//! A profile in callgrind's format, for kcachegrind and `callgrind_annotate`.
//!
//! Costs of a function are told with its own file; of a call, the function's line, and what the callee costs in all.
//! A function is known by its file and name there: where a file has several of one name, their lines tell them apart.
//! Recursion is folded: a cost that was told of a call is not told again of the same call further up.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::read::Profile;
use crate::summary::{Cost, Summary};

pub fn text(profile: &Profile, summary: &Summary) -> String {
    let event = match profile.kind.as_str() {
        "time" => "CpuTime_ns",
        "wait" => "Wait_ns",
        "alloc" => "Bytes",
        _ => "Ir",
    };
    let mut text = format!(
        "# callgrind format\nversion: 1\ncreator: leat profile\ncmd: {}\npositions: line\nevents: {event}\nsummary: {}\n",
        profile.program, summary.total
    );
    let mut lines: BTreeMap<u32, BTreeMap<u32, Cost>> = BTreeMap::new();
    for (&(function, line), &cost) in &summary.lines {
        lines.entry(function).or_default().insert(line, cost);
    }
    let mut edges: BTreeMap<u32, BTreeMap<(u32, u32), Cost>> = BTreeMap::new();
    for (&(from, line, to), &cost) in &summary.edges {
        edges.entry(from).or_default().insert((line, to), cost);
    }
    let mut same: HashMap<(&str, &str), u32> = HashMap::new();
    profile.functions.iter().for_each(|f| *same.entry((&f.name, &f.file)).or_default() += 1);
    let name = |f: u32| {
        let known = &profile.functions[f as usize];
        let alone = same[&(known.name.as_str(), known.file.as_str())] == 1;
        if alone { known.name.clone() } else { format!("{}:{}", known.name, known.line) }
    };
    let file = |f: u32| match profile.functions[f as usize].file.as_str() {
        "?" => "???".to_string(),
        file => file.replace('\n', " "),
    };
    for (&function, costs) in &lines {
        let _ = writeln!(text, "\nfl={}\nfn={}", file(function), name(function));
        for (line, cost) in costs.iter().filter(|(_, cost)| cost.own > 0) {
            let _ = writeln!(text, "{line} {}", cost.own);
        }
        // A call of itself is in its own cost already.
        for (&(line, to), cost) in edges.get(&function).into_iter().flatten().filter(|((_, to), _)| *to != function) {
            let at = profile.functions[to as usize].line;
            let _ =
                writeln!(text, "cfi={}\ncfn={}\ncalls={} {at}\n{line} {}", file(to), name(to), cost.count, cost.all);
        }
    }
    let _ = writeln!(text, "\ntotals: {}", summary.total);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn functions_of_one_name() {
        let profile = read(&SAMPLE.replace("f 2 a%20b.sml 3 g", "f 2 p.sml 3 f")).unwrap();
        let text = text(&profile, &Summary::new(&profile));
        assert!(text.contains("fl=p.sml\nfn=f:1\n2 50\ncfi=p.sml\ncfn=f:3\ncalls=3 3\n2 40\n"), "{text}");
    }

    #[test]
    fn own_costs_add_up_to_the_total() {
        let profile = read(SAMPLE).unwrap();
        let text = text(&profile, &Summary::new(&profile));
        assert!(text.contains("fl=p.sml\nfn=f\n2 50\ncfi=a b.sml\ncfn=g\ncalls=3 3\n2 40\n"), "{text}");
        assert!(text.ends_with("totals: 100\n"));
    }
}
