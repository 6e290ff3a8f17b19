//! Trees of calls -> what each function, line, and pair of caller and callee has cost.
//!
//! A cost counts for a function once, however often it stands in the stack: no share is above 100 %.

use std::collections::HashMap;

use crate::read::{Profile, Tree};

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Spent in itself; in itself and what it calls.
    pub own: u64,
    pub all: u64,
    /// Samples, waits, or calls: what the profile counts.
    pub count: u64,
    /// Of allocated bytes: how many of one's own survive a collection.
    pub survives: u64,
}

/// A call: from this function at this line, to this function.
pub type Edge = (u32, u32, u32);

#[derive(Clone, Default, Debug)]
pub struct Summary {
    pub total: u64,
    pub count: u64,
    pub survives: u64,
    /// By function.
    pub functions: Vec<Cost>,
    /// By (function, line).
    pub lines: HashMap<(u32, u32), Cost>,
    pub edges: HashMap<Edge, Cost>,
}

impl Summary {
    pub fn new(profile: &Profile) -> Summary {
        let mut summary = Summary { functions: vec![Cost::default(); profile.functions.len()], ..Summary::default() };
        for tree in &profile.trees {
            summary.add(tree, profile.kind == "calls");
        }
        summary
    }

    /// `exact`: a count is one of calls of the very node, not of samples in it and below.
    fn add(&mut self, tree: &Tree, exact: bool) {
        let nodes = &tree.nodes;
        let mut all: Vec<(u64, u64)> = nodes.iter().map(|node| (node.weight, node.count)).collect();
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                all[parent as usize].0 += all[i].0;
                all[parent as usize].1 += all[i].1;
                children[parent as usize].push(i as u32);
            }
        }
        let mut open: HashMap<Part, u32> = HashMap::new();
        // A node is entered, and left when all below it are done.
        let roots = (0..nodes.len() as u32).filter(|&i| nodes[i as usize].parent.is_none());
        let mut work: Vec<(u32, bool)> = roots.map(|i| (i, true)).collect();
        while let Some((i, enters)) = work.pop() {
            let node = &nodes[i as usize];
            let caller = node.parent.map(|parent| &nodes[parent as usize]);
            let parts = [
                Some(Part::Function(node.function)),
                Some(Part::Line(node.function, node.line)),
                caller.map(|caller| Part::Edge(caller.function, caller.line, node.function)),
            ];
            if !enters {
                for part in parts.iter().flatten() {
                    *open.entry(*part).or_default() -= 1;
                }
                continue;
            }
            let (weight, count) = all[i as usize];
            self.total += node.weight;
            self.count += node.count;
            self.functions[node.function as usize].own += node.weight;
            self.functions[node.function as usize].count += node.count;
            self.functions[node.function as usize].survives += node.survives;
            self.survives += node.survives;
            let line = self.lines.entry((node.function, node.line)).or_default();
            line.own += node.weight;
            line.count += node.count;
            for part in parts.iter().flatten() {
                let depth = open.entry(*part).or_default();
                *depth += 1;
                if *depth > 1 {
                    continue;
                }
                match *part {
                    Part::Function(f) => self.functions[f as usize].all += weight,
                    Part::Line(f, line) => self.lines.entry((f, line)).or_default().all += weight,
                    Part::Edge(from, line, to) => {
                        let edge = self.edges.entry((from, line, to)).or_default();
                        edge.all += weight;
                        edge.count += if exact { 0 } else { count };
                    }
                }
            }
            if let Some(caller) = caller.filter(|_| exact && node.count > 0) {
                self.edges.entry((caller.function, caller.line, node.function)).or_default().count += node.count;
            }
            work.push((i, false));
            work.extend(children[i as usize].iter().map(|&child| (child, true)));
        }
    }

    pub fn percent(&self, weight: u64) -> f64 {
        if self.total == 0 { 0.0 } else { 100.0 * weight as f64 / self.total as f64 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Function(u32),
    Line(u32, u32),
    Edge(u32, u32, u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn recursion_counts_once() {
        let summary = Summary::new(&read(SAMPLE).unwrap());
        let costs: Vec<(u64, u64)> = summary.functions.iter().map(|cost| (cost.own, cost.all)).collect();
        assert_eq!(summary.total, 100);
        assert_eq!(costs, [(10, 100), (50, 90), (25, 40), (15, 15)]);
        assert_eq!(summary.edges[&(1, 2, 1)].all, 70);
        assert_eq!(summary.edges[&(0, 9, 1)].all, 90);
    }
}
