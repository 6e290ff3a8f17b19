//! Inference types are made, opened, and looked at: what the elaborator does with the nodes of [`crate::types`].

use crate::basis::compare_labels;
use crate::builtin::tyname;
use crate::ctx::Elab;
use crate::ir::{Ty, TyData, TyName, TyVar};
use crate::types::{CORE, Kinds, Node, Shape, Type};
use leat_base::Symbol;
use smallvec::SmallVec;

impl Elab<'_> {
    /// A node whose type names may be any of today's.
    pub(crate) fn node(&mut self, node: Node, level: u32) -> Type {
        let time = self.tables.tynames.len() as u32;
        self.node_at(node, level, time)
    }

    pub(crate) fn node_at(&mut self, node: Node, level: u32, time: u32) -> Type {
        let id = Type(self.u.nodes.len() as u32);
        self.u.nodes.push(node);
        self.u.levels.push(level);
        self.u.times.push(time);
        self.u.marks.push(0);
        id
    }

    /// An upper bound of the numbers of the type names in a type, plus one.
    pub(crate) fn time(&mut self, t: Type) -> u32 {
        let t = self.find(t);
        match t.as_core() {
            Some(core) => self.core_time(core),
            None => self.u.times[t.0 as usize],
        }
    }

    pub(crate) fn core_time(&mut self, ty: Ty) -> u32 {
        let i = ty.0 as usize;
        if let Some(time) = self.u.core_times.get(i).checked_sub(1) {
            return time;
        }
        let time = match self.tables.types[ty].clone() {
            TyData::Var(_) => 0,
            TyData::Con(name, args) => args.iter().map(|&a| self.core_time(a)).fold(name.0 + 1, u32::max),
            TyData::Arrow(a, b) => self.core_time(a).max(self.core_time(b)),
            TyData::Record(fields) => fields.iter().map(|f| self.core_time(f.1)).max().unwrap_or(0),
        };
        self.u.core_times.set(i, time + 1);
        time
    }

    pub(crate) fn fresh(&mut self) -> Type {
        self.node(Node::Var { equality: false, kinds: 0 }, self.u.level)
    }

    pub(crate) fn fresh_equality(&mut self) -> Type {
        self.node(Node::Var { equality: true, kinds: 0 }, self.u.level)
    }

    pub(crate) fn fresh_overloaded(&mut self, kinds: Kinds) -> Type {
        self.node(Node::Var { equality: false, kinds }, self.u.level)
    }

    /// A record that has at least these fields.
    pub(crate) fn flexible(&mut self, mut fields: Vec<(Symbol, Type)>) -> Type {
        fields.sort_by(|a, b| compare_labels(a.0, b.0));
        let row = self.u.rows.new_row();
        self.node(Node::Flex { equality: false, fields, row }, self.u.level)
    }

    /// The node of a type variable in scope; made at the present level.
    pub(crate) fn rigid(&mut self, tyvar: TyVar) -> Type {
        if let Some(&t) = self.u.tyvar_nodes.get(&tyvar) {
            return t;
        }
        let t = self.node_at(Node::Rigid(tyvar), self.u.level, 0);
        self.u.tyvar_nodes.insert(tyvar, t);
        t
    }

    pub(crate) fn arrow(&mut self, from: Type, to: Type) -> Type {
        if let (Some(a), Some(b)) = (from.as_core(), to.as_core()) {
            return Type::core(self.tables.intern(TyData::Arrow(a, b)));
        }
        let level = self.level(from).max(self.level(to));
        let time = self.time(from).max(self.time(to));
        self.node_at(Node::Arrow(from, to), level, time)
    }

    pub(crate) fn con(&mut self, name: TyName, args: &[Type]) -> Type {
        if let Some(core) = args.iter().map(|a| a.as_core()).collect::<Option<Vec<Ty>>>() {
            return Type::core(self.tables.intern(TyData::Con(name, core)));
        }
        let (level, time) = self.level_of_all(args.iter().copied());
        self.node_at(Node::Con(name, args.into()), level, time.max(name.0 + 1))
    }

    pub(crate) fn record(&mut self, mut fields: Vec<(Symbol, Type)>) -> Type {
        if !fields.is_sorted_by(|a, b| compare_labels(a.0, b.0).is_lt()) {
            fields.sort_by(|a, b| compare_labels(a.0, b.0));
        }
        if let Some(core) = fields.iter().map(|f| Some((f.0, f.1.as_core()?))).collect::<Option<Vec<_>>>() {
            return Type::core(self.tables.intern(TyData::Record(core)));
        }
        let (level, time) = self.level_of_all(fields.iter().map(|f| f.1));
        self.node_at(Node::Record(fields.into()), level, time)
    }

    pub(crate) fn tuple(&mut self, parts: &[Type]) -> Type {
        self.record(parts.iter().enumerate().map(|(i, &t)| (Symbol::tuple_label(i + 1), t)).collect())
    }

    pub(crate) fn list(&mut self, elem: Type) -> Type {
        self.con(tyname::LIST, &[elem])
    }

    /// The level of a type, or an upper bound of it.
    pub(crate) fn level(&mut self, t: Type) -> u32 {
        let t = self.find(t);
        if t.as_core().is_some() { 0 } else { self.u.levels[t.0 as usize] }
    }

    pub(crate) fn level_of_all(&mut self, types: impl Iterator<Item = Type>) -> (u32, u32) {
        let (mut level, mut time) = (0, 0);
        for t in types {
            level = level.max(self.level(t));
            time = time.max(self.time(t));
        }
        (level, time)
    }

    /// The representative of a type.
    pub(crate) fn find(&mut self, t: Type) -> Type {
        let mut root = t;
        while root.0 & CORE == 0
            && let Node::Link(next) = self.u.nodes[root.0 as usize]
        {
            root = next;
        }
        let mut at = t;
        while at != root {
            let Node::Link(next) = self.u.nodes[at.0 as usize] else { break };
            self.u.nodes[at.0 as usize] = Node::Link(root);
            at = next;
        }
        root
    }

    /// The outermost shape of a type.
    pub(crate) fn shape(&mut self, t: Type) -> Shape {
        let t = self.find(t);
        let Some(core) = t.as_core() else {
            return match &self.u.nodes[t.0 as usize] {
                Node::Link(_) => unreachable!("find answers no link"),
                &Node::Var { equality, kinds } => Shape::Var { equality, kinds },
                Node::Flex { equality, fields, row } => {
                    Shape::Flex { equality: *equality, fields: fields.clone(), row: *row }
                }
                &Node::Rigid(v) => Shape::Rigid(v),
                Node::Con(name, args) => Shape::Con(*name, SmallVec::from_slice(args)),
                &Node::Arrow(a, b) => Shape::Arrow(a, b),
                Node::Record(fields) => Shape::Record(SmallVec::from_slice(fields)),
            };
        };
        match &self.tables.types[core] {
            TyData::Con(tyname::ERROR, _) => Shape::Error,
            TyData::Con(name, args) => Shape::Con(*name, args.iter().map(|&a| Type::core(a)).collect()),
            &TyData::Arrow(a, b) => Shape::Arrow(Type::core(a), Type::core(b)),
            TyData::Record(fields) => Shape::Record(fields.iter().map(|f| (f.0, Type::core(f.1))).collect()),
            &TyData::Var(v) => Shape::Rigid(v),
        }
    }
}
