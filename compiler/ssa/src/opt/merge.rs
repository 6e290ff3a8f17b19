//! Merge: of functions that are equal in everything but their number, one stays.
//!
//! Ssa -> Ssa. A polymorphic function has one copy for each closed type, and types with the same representation give
//! the same code; so does the function inside of a curried one that was inlined in many places. After Hopcroft's
//! minimisation of automata: all functions of one shape are taken for equal, until the functions that they refer to
//! are found to differ. So equal groups of functions that call each other are found, too.
//!
//! ```text
//! fn f3 "map" .. call f7 .. tail_call f3       fn f4 "map" .. call f8 .. tail_call f4       f7 and f8 differ: both stay
//! fn f5 "map" .. call f7 .. tail_call f5                                                    becomes f3
//! ```
//!
//! A shape has names and source places, those of what was inlined, too: a back-trace says the same as before. Merging
//! comes behind the inliner, which asks how many places call a function. Static closures of merged functions become one
//! as well. No other static object does: two exceptions of one name are two.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::ir::*;
use crate::opt::reach;

/// A function, or a static closure: closures have the numbers after the functions.
type Node = u32;
/// What is taken for equal.
type Class = u32;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    if p.main.is_none() || p.funcs.len() < 2 {
        return;
    }
    let nodes = Nodes::new(p);
    let classes = Classes::new(p, &nodes).refined(&nodes);
    // Everything becomes the first of its class.
    let mut first = vec![Node::MAX; classes.members.len()];
    let became: Vec<Node> = classes
        .of
        .iter()
        .zip(0..)
        .map(|(&class, node)| {
            let first = &mut first[class as usize];
            *first = (*first).min(node);
            *first
        })
        .collect();
    if became.iter().zip(0..).all(|(&new, old)| new == old) {
        return;
    }
    let (funcs, closures) = became.split_at(p.funcs.len());
    let mut datas: Vec<u32> = (0..p.datas.len() as u32).collect();
    for (data, &new) in nodes.closures.iter().zip(closures) {
        datas[data.0 as usize] = nodes.closures[new as usize - nodes.funcs].0;
    }
    // What nothing refers to any more goes; until then it need not be looked at.
    for (f, _) in p.funcs.iter_mut().zip(0..).filter(|&(_, old)| funcs[old as usize] != old) {
        f.blocks.clear();
    }
    reach::renumber(p, funcs, &datas, None);
    reach::drop_unreached(p);
}

/// What refers to what.
struct Nodes {
    funcs: usize,
    closures: Vec<Data>,
    /// By static object: its node, if it is a closure.
    node_of: Vec<Node>,
    /// The nodes that a node refers to, in order: `refs[starts[n]..starts[n + 1]]`.
    refs: Vec<Node>,
    starts: Vec<u32>,
}

impl Nodes {
    fn new(p: &Program) -> Nodes {
        let mut nodes = Nodes {
            funcs: p.funcs.len(),
            closures: Vec::new(),
            node_of: vec![Node::MAX; p.datas.len()],
            refs: Vec::new(),
            starts: vec![0],
        };
        for (i, data) in p.datas.iter().enumerate() {
            if let StaticData::Record { raws, .. } = data
                && raws.iter().any(|raw| matches!(raw, RawInit::Code(_)))
            {
                nodes.node_of[i] = (nodes.funcs + nodes.closures.len()) as Node;
                nodes.closures.push(Data(i as u32));
            }
        }
        for f in &p.funcs {
            for block in &f.blocks {
                for inst in &block.insts {
                    nodes.refs.extend(nodes.of_op(&inst.op));
                }
                nodes.refs.extend(block.term.function().map(|f| f.0));
            }
            nodes.starts.push(nodes.refs.len() as u32);
        }
        for &data in &nodes.closures {
            if let StaticData::Record { raws, refs, .. } = &p.datas[data.0 as usize] {
                for raw in raws {
                    nodes.refs.extend(of_raw(raw));
                }
                for r in refs {
                    nodes.refs.extend(nodes.of_ref(r));
                }
            }
            nodes.starts.push(nodes.refs.len() as u32);
        }
        nodes
    }

    fn len(&self) -> usize {
        self.funcs + self.closures.len()
    }

    fn refs(&self, node: Node) -> &[Node] {
        &self.refs[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The node that an operation refers to.
    fn of_op(&self, op: &Op) -> Option<Node> {
        match *op {
            Op::Data(d) => self.of_data(d),
            _ => op.function().map(|f| f.0),
        }
    }

    /// The node that a static object is.
    fn of_data(&self, data: Data) -> Option<Node> {
        Some(self.node_of[data.0 as usize]).filter(|&node| node != Node::MAX)
    }

    fn of_ref(&self, r: &RefInit) -> Option<Node> {
        match *r {
            RefInit::Data(d) => self.of_data(d),
            RefInit::Imm(_) => None,
        }
    }
}

fn of_raw(raw: &RawInit) -> Option<Node> {
    match *raw {
        RawInit::Code(f) => Some(f.0),
        RawInit::Int(_) => None,
    }
}

/// The classes of nodes: a node is in one of them.
struct Classes {
    of: Vec<Class>,
    /// By class.
    members: Vec<Vec<Node>>,
    /// Where a node stands among the members of its class.
    at: Vec<u32>,
}

impl Classes {
    /// Nodes of the same shape, whatever they refer to.
    fn new(p: &Program, nodes: &Nodes) -> Classes {
        let shapes = Shapes { p, nodes };
        let mut classes = Classes { of: Vec::new(), members: Vec::new(), at: Vec::new() };
        let mut by_hash: FxHashMap<u64, Vec<Class>> = FxHashMap::default();
        for node in 0..nodes.len() as Node {
            let known = by_hash.entry(shapes.hash(node)).or_default();
            let class = known.iter().copied().find(|&c| shapes.equal(classes.members[c as usize][0], node));
            let class = class.unwrap_or_else(|| {
                known.push(classes.members.len() as Class);
                classes.members.push(Vec::new());
                classes.members.len() as Class - 1
            });
            classes.of.push(class);
            classes.at.push(classes.members[class as usize].len() as u32);
            classes.members[class as usize].push(node);
        }
        classes
    }

    /// Classes whose members refer to the same classes. The largest part of a class that is split keeps its number, so
    /// a node changes its class at most as often as the number of nodes can be halved.
    fn refined(mut self, nodes: &Nodes) -> Classes {
        let users = Users::new(nodes);
        // By class: the members that refer to what has changed its class.
        let mut changed: Vec<Vec<Node>> = self.members.clone();
        let mut is_changed = vec![true; nodes.len()];
        let mut work: Vec<Class> = (0..self.members.len() as Class).collect();
        while let Some(class) = work.pop() {
            let changed_here = std::mem::take(&mut changed[class as usize]);
            let parts = self.parts(class, &changed_here, &is_changed, nodes);
            changed_here.iter().for_each(|&node| is_changed[node as usize] = false);
            parts.iter().for_each(|part| self.split(class, part));
            changed.resize(self.members.len(), Vec::new());
            for &user in parts.iter().flatten().flat_map(|&node| users.of(node)) {
                if !std::mem::replace(&mut is_changed[user as usize], true) {
                    let class = self.of[user as usize];
                    if changed[class as usize].is_empty() {
                        work.push(class);
                    }
                    changed[class as usize].push(user);
                }
            }
        }
        self
    }

    /// The parts of a class that have to leave it: all but the largest one.
    fn parts(&self, class: Class, changed: &[Node], is_changed: &[bool], nodes: &Nodes) -> Vec<Vec<Node>> {
        let members = &self.members[class as usize];
        if members.len() < 2 {
            return Vec::new();
        }
        let key =
            |node: Node| -> SmallVec<[Class; 8]> { nodes.refs(node).iter().map(|&r| self.of[r as usize]).collect() };
        let mut parts: FxHashMap<SmallVec<[Class; 8]>, Vec<Node>> = FxHashMap::default();
        for &node in changed {
            parts.entry(key(node)).or_default().push(node);
        }
        // The unchanged ones refer to the same classes as each other. Not more than the changed ones stand before the
        // first of them.
        let unchanged = members.iter().copied().filter(|&node| !is_changed[node as usize]);
        let with_unchanged = unchanged.clone().next().map(|node| parts.remove(&key(node)).unwrap_or_default());
        let mut parts: Vec<Vec<Node>> = parts.into_values().collect();
        let Some(largest) = (0..parts.len()).max_by_key(|&i| parts[i].len()) else { return parts };
        match with_unchanged {
            None => drop(parts.swap_remove(largest)),
            // They are listed only if they are fewer than those that are looked at anyway.
            Some(mut with) if members.len() - changed.len() + with.len() < parts[largest].len() => {
                with.extend(unchanged);
                parts[largest] = with;
            }
            Some(_) => {}
        }
        parts
    }

    /// Makes a class of some members of a class.
    fn split(&mut self, class: Class, part: &[Node]) {
        let new = self.members.len() as Class;
        for (&node, place) in part.iter().zip(0..) {
            let at = self.at[node as usize] as usize;
            let members = &mut self.members[class as usize];
            members.swap_remove(at);
            if let Some(&moved) = members.get(at) {
                self.at[moved as usize] = at as u32;
            }
            self.at[node as usize] = place;
            self.of[node as usize] = new;
        }
        self.members.push(part.to_vec());
    }
}

/// Which nodes refer to a node: `users[starts[n]..starts[n + 1]]`.
struct Users {
    users: Vec<Node>,
    starts: Vec<u32>,
}

impl Users {
    fn new(nodes: &Nodes) -> Users {
        let mut starts = vec![0; nodes.len() + 1];
        nodes.refs.iter().for_each(|&r| starts[r as usize + 1] += 1);
        (0..nodes.len()).for_each(|n| starts[n + 1] += starts[n]);
        let mut next = starts.clone();
        let mut users = vec![0; nodes.refs.len()];
        for node in 0..nodes.len() as Node {
            for &r in nodes.refs(node) {
                users[next[r as usize] as usize] = node;
                next[r as usize] += 1;
            }
        }
        Users { users, starts }
    }

    fn of(&self, node: Node) -> &[Node] {
        &self.users[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// Compares nodes without regard to which nodes they refer to.
struct Shapes<'a> {
    p: &'a Program,
    nodes: &'a Nodes,
}

impl Shapes<'_> {
    fn hash(&self, node: Node) -> u64 {
        let mut hasher = FxHasher::default();
        match self.p.funcs.get(node as usize) {
            Some(f) => self.hash_function(f, &mut hasher),
            None => self.closure(node, |tag, raws, refs| {
                (tag, raws.len(), refs.len()).hash(&mut hasher);
            }),
        }
        hasher.finish()
    }

    fn equal(&self, a: Node, b: Node) -> bool {
        match (self.p.funcs.get(a as usize), self.p.funcs.get(b as usize)) {
            (Some(f), Some(g)) => self.equal_functions(f, g),
            (None, None) => self.closure(a, |tag_a, raws_a, refs_a| {
                self.closure(b, |tag_b, raws_b, refs_b| {
                    let raw = |(a, b): (&RawInit, &RawInit)| (of_raw(a).is_some() && of_raw(b).is_some()) || a == b;
                    let node = |r: &RefInit| self.nodes.of_ref(r).is_some();
                    let reference = |(a, b): (&RefInit, &RefInit)| (node(a) && node(b)) || a == b;
                    (tag_a, raws_a.len(), refs_a.len()) == (tag_b, raws_b.len(), refs_b.len())
                        && raws_a.iter().zip(raws_b).all(raw)
                        && refs_a.iter().zip(refs_b).all(reference)
                })
            }),
            _ => false,
        }
    }

    fn closure<T>(&self, node: Node, look: impl FnOnce(u16, &[RawInit], &[RefInit]) -> T) -> T {
        match &self.p.datas[self.nodes.closures[node as usize - self.nodes.funcs].0 as usize] {
            StaticData::Record { tag, raws, refs } => look(*tag, raws, refs),
            StaticData::Array { .. } => unreachable!("a closure is a record"),
        }
    }

    /// Of much that `equal_functions` compares, but not of all.
    fn hash_function(&self, f: &Function, hasher: &mut FxHasher) {
        (&f.name, f.loc.line, f.values.len(), f.blocks.len(), &f.results).hash(hasher);
        for block in &f.blocks {
            (&block.params, block.insts.len(), block.loc.line).hash(hasher);
            for inst in &block.insts {
                std::mem::discriminant(&inst.op).hash(hasher);
                inst.loc.line.hash(hasher);
                match &inst.op {
                    Op::Iconst(n) => n.hash(hasher),
                    Op::Data(d) if self.nodes.of_data(*d).is_none() => d.hash(hasher),
                    Op::Load { obj, field, .. } => (obj, field).hash(hasher),
                    Op::GlobalLoad(g) => g.hash(hasher),
                    Op::Call(_, args) => args.hash(hasher),
                    _ => {}
                }
            }
            std::mem::discriminant(&block.term).hash(hasher);
        }
    }

    fn equal_functions(&self, f: &Function, g: &Function) -> bool {
        f.name == g.name
            && self.equal_places(f.loc, g.loc)
            && (f.entry, f.is_closure, f.noinline, f.entry_check, f.copies)
                == (g.entry, g.is_closure, g.noinline, g.entry_check, g.copies)
            && f.results == g.results
            && f.values == g.values
            && f.blocks.len() == g.blocks.len()
            && f.blocks.iter().zip(&g.blocks).all(|(a, b)| self.equal_blocks(a, b))
    }

    fn equal_blocks(&self, a: &BlockData, b: &BlockData) -> bool {
        let inst = |(a, b): (&Inst, &Inst)| {
            a.results == b.results && self.equal_ops(&a.op, &b.op) && self.equal_places(a.loc, b.loc)
        };
        (&a.params, a.cold, a.handler, a.insts.len()) == (&b.params, b.cold, b.handler, b.insts.len())
            && a.insts.iter().zip(&b.insts).all(inst)
            && equal_terms(&a.term, &b.term)
            && self.equal_places(a.loc, b.loc)
    }

    fn equal_ops(&self, a: &Op, b: &Op) -> bool {
        match (a, b) {
            (Op::Call(Callee::Func(_), a), Op::Call(Callee::Func(_), b)) => a == b,
            (Op::FuncAddr(_), Op::FuncAddr(_)) => true,
            (Op::Data(c), Op::Data(d)) => {
                c == d || (self.nodes.of_data(*c).is_some() && self.nodes.of_data(*d).is_some())
            }
            _ => a == b,
        }
    }

    /// The same place, inlined in the same way. Each inlining has numbers of its own.
    fn equal_places(&self, mut a: Loc, mut b: Loc) -> bool {
        loop {
            if a == b {
                return true;
            }
            if a.at == 0 || b.at == 0 || (Loc { at: b.at, ..a }) != b {
                return false;
            }
            let (inlined_a, inlined_b) = (self.p.inlined[a.at as usize - 1], self.p.inlined[b.at as usize - 1]);
            if inlined_a.name != inlined_b.name {
                return false;
            }
            (a, b) = (inlined_a.call, inlined_b.call);
        }
    }
}

fn equal_terms(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::TailCall(Callee::Func(_), a), Term::TailCall(Callee::Func(_), b)) => a == b,
        (
            Term::Invoke { callee: Callee::Func(_), args: args_a, ok: ok_a, handler: handler_a },
            Term::Invoke { callee: Callee::Func(_), args: args_b, ok: ok_b, handler: handler_b },
        ) => (args_a, ok_a, handler_a) == (args_b, ok_b, handler_b),
        _ => a == b,
    }
}
