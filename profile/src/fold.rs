//! A profile -> the same costs as the user's program has them: what the library and the runtime spend belongs to the
//! line of the program that called them.
//!
//! A node is the program's if its source is a file of the program's. Every other one goes into the nearest of the
//! program's above it, whose line is that of the call; one without any above stays as it is, with the runtime's
//! functions below it. Of waits the reasons stay, too: they are what was asked for. Where the cost was spent is kept as
//! sums ([`Part`]).

use crate::read::{Function, Node, Profile, Tree};

/// A profile of the program's own lines.
pub struct Folded {
    pub profile: Profile,
    /// What was spent where, the largest first, nothing left out; empty for waits.
    pub parts: Vec<(Part, u64)>,
}

/// Where a cost was spent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    Program,
    Library,
    Collector,
    Kernel,
    Runtime,
}

impl Part {
    const ALL: [Part; 5] = [Part::Program, Part::Library, Part::Collector, Part::Kernel, Part::Runtime];

    pub fn name(self) -> &'static str {
        match self {
            Part::Program => "the program's own code",
            Part::Library => "the library",
            Part::Collector => "the collector",
            Part::Kernel => "the kernel",
            Part::Runtime => "the runtime",
        }
    }

    /// Of a function, called by one that belongs to `above`.
    fn of(function: &Function, above: Option<Part>) -> Part {
        match function.name.as_str() {
            _ if is_programs(function) => Part::Program,
            _ if function.file != "?" => Part::Library,
            "[collector]" => Part::Collector,
            "[kernel]" => Part::Kernel,
            // The collector's functions stand below its label.
            _ if above == Some(Part::Collector) => Part::Collector,
            "[deeper frames]" => above.unwrap_or(Part::Program),
            _ => Part::Runtime,
        }
    }
}

/// Whether a function stands in a source of the program, not in the library's or the runtime's.
pub fn is_programs(function: &Function) -> bool {
    function.file != "?" && !function.file.starts_with("$(")
}

/// Folds time, waits and allocation; counts of calls are exact for each function, and stay with it.
pub fn folded(profile: &Profile) -> Option<Folded> {
    if profile.kind == "calls" {
        return None;
    }
    let waits = profile.kind == "wait";
    let mut sums = [0; Part::ALL.len()];
    let trees = profile.trees.iter().map(|tree| fold(profile, tree, waits, &mut sums)).collect();
    let mut parts: Vec<(Part, u64)> = Part::ALL.into_iter().zip(sums).filter(|part| part.1 > 0 && !waits).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.1));
    Some(Folded { profile: Profile { trees, ..profile.clone() }, parts })
}

fn fold(profile: &Profile, tree: &Tree, waits: bool, sums: &mut [u64; Part::ALL.len()]) -> Tree {
    let mut nodes: Vec<Node> = Vec::new();
    // By node: where it went, whether that is or is below one of the program's, and to which part it belongs.
    let mut went: Vec<(u32, bool, Part)> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let above = node.parent.map(|parent| went[parent as usize]);
        let function = &profile.functions[node.function as usize];
        let part = Part::of(function, above.map(|above| above.2));
        sums[part as usize] += node.weight;
        let own = is_programs(function);
        let stays = own || waits && function.is_label();
        match above {
            // A function of the runtime is a part of what its label counts.
            Some((into, rooted, _)) if !stays && (rooted || function.file == "?" && !function.is_label()) => {
                let into = &mut nodes[into as usize];
                into.weight += node.weight;
                into.count += node.count;
                into.survives += node.survives;
                went.push((above.expect("it has one above").0, rooted, part));
            }
            _ => {
                nodes.push(Node { parent: above.map(|above| above.0), ..*node });
                went.push((nodes.len() as u32 - 1, own || above.is_some_and(|above| above.1), part));
            }
        }
    }
    Tree { name: tree.name.clone(), nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use crate::summary::Summary;

    /// main (line 9) calls List.map (line 1 of the library), which calls main.fn (line 10), which allocates; and a root
    /// of the library.
    const SAMPLE: &str = "leat-profile 1
kind time
unit ns
elapsed 1000
program p.sml
f 0 p.sml 9 main
f 1 $(SML_LIB)/list.sml 1 List.map
f 2 p.sml 10 main.fn
f 3 ? 0 [collector]
f 4 ? 0 leat_memory::minor
f 5 ? 0 [kernel]
t worker 0
n 1 0 0 9 10 1
n 2 1 1 1 20 2
n 3 2 2 10 30 3
n 4 3 3 0 1 1
n 5 4 4 0 15 1
n 6 0 1 7 4 1
n 7 6 5 0 3 1
";

    #[test]
    fn costs_go_to_the_line_that_calls() {
        let folded = folded(&read(SAMPLE).unwrap()).unwrap();
        let summary = Summary::new(&folded.profile);
        assert_eq!(summary.total, 83);
        assert_eq!(summary.lines[&(0, 9)].own, 30);
        assert_eq!(summary.lines[&(2, 10)].own, 46);
        assert_eq!((summary.functions[0].all, summary.functions[2].all), (76, 46));
        // Nothing of the program's is above those.
        assert_eq!((summary.functions[1].own, summary.functions[5].own), (4, 3));
        let parts = [(Part::Program, 40), (Part::Library, 24), (Part::Collector, 16), (Part::Kernel, 3)];
        assert_eq!(folded.parts, parts);
    }

    #[test]
    fn reasons_of_waits_stay() {
        let text = SAMPLE.replace("kind time", "kind wait").replace("[collector]", "[waits: receiving]");
        let folded = folded(&read(&text).unwrap()).unwrap();
        let summary = Summary::new(&folded.profile);
        assert_eq!(summary.functions[3].own, 16);
        assert!(folded.parts.is_empty());
    }

    #[test]
    fn calls_are_not_folded() {
        assert!(folded(&read(&SAMPLE.replace("kind time", "kind calls")).unwrap()).is_none());
    }
}
