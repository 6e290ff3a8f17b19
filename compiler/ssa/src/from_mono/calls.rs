//! From where the contified functions of a function have been called: their calls are jumps to their blocks, so the
//! place of the call, which back-traces show, is one for all calls of such a function.
//!
//! Where a function is called in one place, it is that. Otherwise it is where the expression begins that has all its
//! calls, and whose value each of them gives: the nearest one, since that of the first call would be a lie for the
//! others. A call that a function makes of itself, by way of others or not, is a step of a loop, and nothing from where
//! the loop has been called; and where each of two functions that are called in different places may call a third one,
//! that has been called from where both have been. So the functions are seen as a graph of who calls whom, and what
//! counts are the calls on the way from the function that dominates.

use crate::cfg::immediate_dominators;
use crate::ir::*;
use rustc_hash::FxHashMap;

/// A part of a function's text that is written as one: the body of a function, an arm, a handler and what it guards.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Part(u32);

/// The functions that become one: the host, which is number 0, and those that are blocks of it, as they are met.
type Node = u32;

struct PartData {
    /// The function whose text it is in.
    function: Node,
    /// The part around it in that text; itself for the function's body.
    around: Part,
    depth: u32,
    /// Of the binding that it is a part of; the function's own place for its body.
    loc: Loc,
}

/// A place in the text of a function, and the part that it is in.
#[derive(Clone, Copy)]
struct Site {
    part: Part,
    loc: Loc,
}

#[derive(Default)]
pub(crate) struct Calls {
    parts: Vec<PartData>,
    nodes: FxHashMap<u32, Node>,
    /// By node: what it was inlined as ([`Loc::at`]); 0 for a join, which nobody has called.
    at: Vec<u32>,
    /// By node: its calls. The first one is that by which it was met.
    of: Vec<Vec<Site>>,
    is_any_called_twice: bool,
}

impl Calls {
    /// A function that is its own host, at this place.
    pub fn begin(&mut self, loc: Loc) -> Part {
        *self = Calls { at: vec![0], of: vec![Vec::new()], ..Calls::default() };
        self.body(0, loc)
    }

    /// The place of what stands in a part before its first binding.
    pub fn place(&self, part: Part) -> Loc {
        self.parts[part.0 as usize].loc
    }

    /// A part of a binding at this place, which is in another part.
    pub fn part(&mut self, around: Part, loc: Loc) -> Part {
        let PartData { function, depth, .. } = self.parts[around.0 as usize];
        self.parts.push(PartData { function, around, depth: depth + 1, loc });
        Part(self.parts.len() as u32 - 1)
    }

    fn body(&mut self, function: Node, loc: Loc) -> Part {
        let part = Part(self.parts.len() as u32);
        self.parts.push(PartData { function, around: part, depth: 0, loc });
        part
    }

    /// A function is met at a call; its own place says as what it is inlined there, unless it is a join.
    pub fn first(&mut self, function: u32, from: Part, call: Loc, own: Loc) -> Part {
        let node = self.of.len() as Node;
        self.nodes.insert(function, node);
        self.at.push(if own.at == call.at { 0 } else { own.at });
        self.of.push(vec![Site { part: from, loc: call }]);
        self.body(node, own)
    }

    /// A further call of it.
    pub fn again(&mut self, function: u32, from: Part, call: Loc) {
        let node = self.nodes[&function];
        self.of[node as usize].push(Site { part: from, loc: call });
        self.is_any_called_twice = true;
    }

    /// All calls are known: each function that is inlined gets the place from where it has been called.
    pub fn settle(&self, inlined: &mut [Inlined]) {
        if !self.is_any_called_twice {
            return;
        }
        let n = self.of.len();
        let caller = |site: &Site| self.parts[site.part.0 as usize].function;
        let mut callees: Vec<Vec<Node>> = vec![Vec::new(); n];
        for (callee, calls) in self.of.iter().enumerate() {
            calls.iter().for_each(|site| callees[caller(site) as usize].push(callee as Node));
        }
        let idom = immediate_dominators(n, 0, |v, out| callees[v as usize].iter().for_each(|&w| out(w)));
        // The sibling, if not the function itself, by way of which a call comes from the dominator.
        let way = |node: Node, site: &Site| {
            let mut at = caller(site);
            if at == idom[node as usize] {
                return None;
            }
            while idom[at as usize] != idom[node as usize] {
                at = idom[at as usize];
            }
            Some(at)
        };
        let ways: Vec<Vec<Option<Node>>> =
            self.of.iter().zip(0..).map(|(calls, node)| calls.iter().map(|site| way(node, site)).collect()).collect();
        let mut from: Vec<Option<Site>> = vec![None; n];
        loop {
            let mut changed = false;
            for node in 1..n {
                for (&site, &way) in self.of[node].iter().zip(&ways[node]) {
                    let site = match way {
                        None => Some(site),
                        Some(way) if way as usize == node => None,
                        Some(way) => from[way as usize],
                    };
                    let Some(site) = site else { continue };
                    match &mut from[node] {
                        Some(known) => changed |= self.meet(known, site, inlined),
                        unknown => {
                            *unknown = Some(site);
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for (&at, site) in self.at.iter().zip(from) {
            if let (1.., Some(site)) = (at, site) {
                inlined[at as usize - 1].call = site.loc;
            }
        }
    }

    /// A site becomes the expression that has both; answers whether it has changed. The ends of an inlined function may
    /// have gone on with the calls: it has not called anything, so that expression is none of its own.
    fn meet(&self, site: &mut Site, other: Site, inlined: &[Inlined]) -> bool {
        let line = |loc: Loc| (loc.file, loc.line, loc.at);
        if line(site.loc) == line(other.loc) {
            return false;
        }
        let data = |part: Part| &self.parts[part.0 as usize];
        let (mut one, mut two) = (*site, other.part);
        let up = |one: &mut Site| *one = Site { part: data(one.part).around, loc: data(one.part).loc };
        while data(two).depth > data(one.part).depth {
            two = data(two).around;
        }
        while data(one.part).depth > data(two).depth {
            up(&mut one);
        }
        while one.part != two && data(two).depth > 0 {
            up(&mut one);
            two = data(two).around;
        }
        let is_within = |loc: Loc, at: u32| {
            let around = |&at: &u32| Some(inlined[at as usize - 1].call.at).filter(|&at| at != 0);
            at == 0 || std::iter::successors(Some(loc.at).filter(|&at| at != 0), around).any(|inner| inner == at)
        };
        let (here, there) = (site.loc, other.loc);
        while data(one.part).depth > 0 && !(is_within(here, one.loc.at) && is_within(there, one.loc.at)) {
            up(&mut one);
        }
        let changed = one.part != site.part;
        *site = one;
        changed
    }
}
