//! Inference types: unification variables with levels, unification, generalisation, instantiation.
//!
//! After Rémy, Extension of ML type system with a sorted equational theory on types (1992), for levels: generalising a
//! declaration walks only the types that it made; instantiating copies only the generalised parts. Union-find with path
//! compression.
//!
//! A [`Type`] is either a node here or, with the highest bit set, a Core type without type variables: equal ones are
//! equal numbers, and they are opened only where they meet another shape. Core expressions carry `Type`s in their `ty`
//! fields ([`Type::hide`]) until `finish.rs` replaces them by Core types.
//!
//! Levels: 0 is a variable that waits for the rest of the unit (value restriction at top level), 1 and more is the
//! depth of `val` and `fun` declarations, [`GENERIC`] is generalised. The level of a composite node is an upper bound of
//! those inside.

use crate::basis::compare_labels;
use crate::builtin::{ty, tyname};
use crate::ctx::Elab;
use crate::ir::{Ty, TyData, TyName, TyVar};
use leat_base::{Sparse, Symbol};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

leat_base::entity!(
    /// An inference type.
    Type, "u");

pub(crate) const GENERIC: u32 = u32::MAX;
pub(crate) const CORE: u32 = 1 << 31;

impl Type {
    pub(crate) const ERROR: Type = Type::core(ty::ERROR);
    pub(crate) const UNIT: Type = Type::core(ty::UNIT);
    pub(crate) const WORD: Type = Type::core(ty::WORD);
    pub(crate) const STRING: Type = Type::core(ty::STRING);
    pub(crate) const BOOL: Type = Type::core(ty::BOOL);
    pub(crate) const EXN: Type = Type::core(ty::EXN);

    /// A Core type without type variables.
    pub(crate) const fn core(ty: Ty) -> Type {
        Type(ty.0 | CORE)
    }

    pub(crate) fn as_core(self) -> Option<Ty> {
        (self.0 & CORE != 0).then_some(Ty(self.0 & !CORE))
    }

    /// As it stands in a Core expression until the end of the unit.
    pub(crate) const fn hide(self) -> Ty {
        Ty(self.0)
    }

    /// The type of an expression that is not finished.
    pub(crate) const fn of(hidden: Ty) -> Type {
        Type(hidden.0)
    }
}

/// A set of the kinds of types that an overloaded variable may become; 0 when it is not overloaded.
pub(crate) type Kinds = u8;

/// The kinds of overloaded types, and the classes of the Definition, appendix E.
pub(crate) mod kinds {
    use super::Kinds;
    pub(crate) const INT: Kinds = 1;
    pub(crate) const WORD: Kinds = 2;
    pub(crate) const REAL: Kinds = 4;
    pub(crate) const CHAR: Kinds = 8;
    pub(crate) const STRING: Kinds = 16;
    pub(crate) const WORDINT: Kinds = INT | WORD;
    pub(crate) const REALINT: Kinds = INT | REAL;
    pub(crate) const NUM: Kinds = INT | WORD | REAL;
    pub(crate) const NUMTXT: Kinds = NUM | CHAR | STRING;
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Link(Type),
    Var {
        equality: bool,
        kinds: Kinds,
    },
    /// A record of which only some fields are known, sorted. `row` says which records have the same labels as this one.
    Flex {
        equality: bool,
        fields: Vec<(Symbol, Type)>,
        row: u32,
    },
    /// A type variable of the program, or a generalised one.
    Rigid(TyVar),
    Con(TyName, Box<[Type]>),
    Arrow(Type, Type),
    Record(Box<[(Symbol, Type)]>),
}

/// The outermost shape of a type.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Var { equality: bool, kinds: Kinds },
    Flex { equality: bool, fields: Vec<(Symbol, Type)>, row: u32 },
    Rigid(TyVar),
    Con(TyName, SmallVec<[Type; 2]>),
    Arrow(Type, Type),
    Record(SmallVec<[(Symbol, Type); 4]>),
    Error,
}

/// Why two types cannot be made equal.
#[derive(Clone, Debug)]
pub(crate) enum Clash {
    /// They differ somewhere.
    Mismatch,
    /// A variable would contain itself.
    Circular,
    /// This type does not admit equality.
    Equality(Type),
    /// An overloaded variable cannot be this type.
    Overload(Kinds, Type),
    /// A type variable of the program would leave its scope.
    Escape(TyVar),
    /// A record has no such field.
    Label(Symbol),
    /// The type name is newer than a variable that would have to become it.
    TooNew(TyName),
}

/// Nodes and levels. Part of [`Elab`].
#[derive(Default)]
pub(crate) struct Unifier {
    pub(crate) nodes: Vec<Node>,
    pub(crate) levels: Vec<u32>,
    /// A variable: the number that the next type name had when it was made; only older ones may become part of it.
    /// A composite: an upper bound of the type names in it, plus one.
    pub(crate) times: Vec<u32>,
    /// The number of the last walk that came by a node: types are graphs.
    pub(crate) marks: Vec<u32>,
    pub(crate) walk: u32,
    /// How often an error's type was taken to be equal to another.
    pub(crate) excuses: u32,
    /// The level of the declaration that is being elaborated.
    pub level: u32,
    /// Nodes of type variables of the program, and of those that stand for a level-0 variable in a Core type.
    pub(crate) tyvar_nodes: FxHashMap<TyVar, Type>,
    /// Level-0 variables that appear in Core types.
    pub(crate) metas: FxHashMap<Type, TyVar>,
    /// Which Core types have no type variables: 0 not known, 1 none, 2 some.
    pub(crate) ground: Sparse<u8>,
    /// Upper bounds of the type names in Core types, plus two; 0 where not known.
    pub(crate) core_times: Sparse<u32>,
    /// Which labels flexible records have.
    pub(crate) rows: crate::flexible::Rows,
    /// Core types of finished nodes.
    pub(crate) finished: Vec<Option<Ty>>,
}

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

/// `'a` to `'z`, then `'a1`, ...; with two primes for equality.
pub(crate) fn generated_name(n: usize, equality: bool) -> Symbol {
    let letter = (b'a' + (n % 26) as u8) as char;
    let primes = if equality { "''" } else { "'" };
    match n / 26 {
        0 => Symbol::intern(&format!("{primes}{letter}")),
        k => Symbol::intern(&format!("{primes}{letter}{k}")),
    }
}
