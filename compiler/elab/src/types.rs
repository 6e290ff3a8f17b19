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
use crate::ir::{Ty, TyData, TyName, TyVar, TyVarInfo};
use leat_base::Symbol;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

leat_base::entity!(
    /// An inference type.
    Type, "u");

pub(crate) const GENERIC: u32 = u32::MAX;
const CORE: u32 = 1 << 31;

impl Type {
    pub(crate) const ERROR: Type = Type::core(ty::ERROR);
    pub(crate) const UNIT: Type = Type::core(ty::UNIT);
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
    Var { equality: bool, kinds: Kinds },
    /// A record of which only some fields are known, sorted.
    Flex { equality: bool, fields: Vec<(Symbol, Type)> },
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
    Flex { equality: bool, fields: Vec<(Symbol, Type)> },
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

/// A walk that copies a type: after [`FREE_STEPS`] it remembers what it did, because a type may be a graph whose tree is
/// exponentially larger.
struct Walk<'i, K> {
    inst: &'i [(TyVar, Type)],
    steps: u32,
    done: FxHashMap<K, Type>,
}

const FREE_STEPS: u32 = 64;

impl<K: std::hash::Hash + Eq> Walk<'_, K> {
    fn new(inst: &[(TyVar, Type)]) -> Walk<'_, K> {
        Walk { inst, steps: 0, done: FxHashMap::default() }
    }

    fn known(&mut self, key: &K) -> Option<Type> {
        self.steps += 1;
        if self.steps > FREE_STEPS { self.done.get(key).copied() } else { None }
    }

    fn remember(&mut self, key: K, t: Type) {
        if self.steps > FREE_STEPS {
            self.done.insert(key, t);
        }
    }
}

/// Nodes and levels. Part of [`Elab`].
#[derive(Default)]
pub(crate) struct Unifier {
    nodes: Vec<Node>,
    levels: Vec<u32>,
    /// A variable: the number that the next type name had when it was made; only older ones may become part of it.
    /// A composite: an upper bound of the type names in it, plus one.
    times: Vec<u32>,
    /// The number of the last walk that came by a node: types are graphs.
    marks: Vec<u32>,
    walk: u32,
    /// How often an error's type was taken to be equal to another.
    excuses: u32,
    /// The level of the declaration that is being elaborated.
    pub level: u32,
    /// Nodes of type variables of the program, and of those that stand for a level-0 variable in a Core type.
    tyvar_nodes: FxHashMap<TyVar, Type>,
    /// Level-0 variables that appear in Core types.
    metas: FxHashMap<Type, TyVar>,
    /// Which Core types have no type variables: 0 not known, 1 none, 2 some.
    ground: Vec<u8>,
    /// Upper bounds of the type names in Core types, plus one; `u32::MAX` where not known.
    core_times: Vec<u32>,
    /// Core types of finished nodes.
    finished: Vec<Option<Ty>>,
}

impl Elab<'_> {
    /// A node whose type names may be any of today's.
    fn node(&mut self, node: Node, level: u32) -> Type {
        let time = self.tables.tynames.len() as u32;
        self.node_at(node, level, time)
    }

    fn node_at(&mut self, node: Node, level: u32, time: u32) -> Type {
        let id = Type(self.u.nodes.len() as u32);
        self.u.nodes.push(node);
        self.u.levels.push(level);
        self.u.times.push(time);
        self.u.marks.push(0);
        id
    }

    /// An upper bound of the numbers of the type names in a type, plus one.
    fn time(&mut self, t: Type) -> u32 {
        let t = self.find(t);
        match t.as_core() {
            Some(core) => self.core_time(core),
            None => self.u.times[t.0 as usize],
        }
    }

    fn core_time(&mut self, ty: Ty) -> u32 {
        let i = ty.0 as usize;
        if i >= self.u.core_times.len() {
            self.u.core_times.resize(self.tables.types.len().max(i + 1), u32::MAX);
        }
        if self.u.core_times[i] == u32::MAX {
            let time = match self.tables.types[ty].clone() {
                TyData::Var(_) => 0,
                TyData::Con(name, args) => args.iter().map(|&a| self.core_time(a)).fold(name.0 + 1, u32::max),
                TyData::Arrow(a, b) => self.core_time(a).max(self.core_time(b)),
                TyData::Record(fields) => fields.iter().map(|f| self.core_time(f.1)).max().unwrap_or(0),
            };
            self.u.core_times[i] = time;
        }
        self.u.core_times[i]
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
        self.node(Node::Flex { equality: false, fields }, self.u.level)
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

    fn level_of_all(&mut self, types: impl Iterator<Item = Type>) -> (u32, u32) {
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
                Node::Flex { equality, fields } => Shape::Flex { equality: *equality, fields: fields.clone() },
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

    // -------------------------------------------------------------- unification

    /// Makes two types equal, or says why they cannot be.
    pub(crate) fn unify(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        if let (Some(_), Some(_)) = (a.as_core(), b.as_core()) {
            // Interned types without type variables: equal only when the same, unless there is an error inside.
            return self.unify_shapes(a, b);
        }
        match (self.unifiable(a), self.unifiable(b)) {
            (true, true) => self.unify_vars(a, b),
            (true, false) => self.bind(a, b),
            (false, true) => self.bind(b, a),
            (false, false) => {
                let excuses = self.u.excuses;
                self.unify_shapes(a, b)?;
                // They are one from now on, so that graphs are compared in linear time; but not where they only passed as
                // equal because there was an error: one may be inside the other.
                if excuses == self.u.excuses && a.as_core().is_none() && b.as_core().is_none() && self.find(a) == a && self.find(b) == b && a != b {
                    let (i, j) = (a.0 as usize, b.0 as usize);
                    self.u.levels[j] = self.u.levels[j].min(self.u.levels[i]);
                    self.u.times[j] = self.u.times[j].min(self.u.times[i]);
                    self.link(a, b);
                }
                Ok(())
            }
        }
    }

    fn unifiable(&self, t: Type) -> bool {
        t.as_core().is_none() && matches!(self.u.nodes[t.0 as usize], Node::Var { .. } | Node::Flex { .. })
    }

    fn unify_shapes(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        match (self.shape(a), self.shape(b)) {
            (Shape::Error, _) | (_, Shape::Error) => {
                self.u.excuses += 1;
                Ok(())
            }
            (Shape::Rigid(x), Shape::Rigid(y)) if x == y => Ok(()),
            (Shape::Con(x, xs), Shape::Con(y, ys)) if x == y => {
                // Look at all the arguments, so that a message can show all that differs.
                let mut result = Ok(());
                for (&s, &t) in xs.iter().zip(&ys) {
                    result = result.and(self.unify(s, t));
                }
                result
            }
            (Shape::Arrow(a, b), Shape::Arrow(c, d)) => {
                let first = self.unify(a, c);
                first.and(self.unify(b, d))
            }
            (Shape::Record(xs), Shape::Record(ys)) => {
                if xs.len() != ys.len() || xs.iter().zip(&ys).any(|(x, y)| x.0 != y.0) {
                    return Err(Clash::Mismatch);
                }
                let mut result = Ok(());
                for (x, y) in xs.iter().zip(&ys) {
                    result = result.and(self.unify(x.1, y.1));
                }
                result
            }
            _ => Err(Clash::Mismatch),
        }
    }

    fn link(&mut self, var: Type, to: Type) {
        self.u.nodes[var.0 as usize] = Node::Link(to);
    }

    fn unify_vars(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        let level = self.u.levels[a.0 as usize].min(self.u.levels[b.0 as usize]);
        let time = self.u.times[a.0 as usize].min(self.u.times[b.0 as usize]);
        match (self.shape(a), self.shape(b)) {
            (Shape::Var { equality: e1, kinds: k1 }, Shape::Var { equality: e2, kinds: k2 }) => {
                let equality = e1 || e2;
                let mut kinds = if k1 == 0 { k2 } else if k2 == 0 { k1 } else { k1 & k2 };
                if equality {
                    kinds &= !kinds::REAL;
                }
                if kinds == 0 && (k1 | k2) != 0 {
                    return Err(if k1 & k2 != 0 { Clash::Equality(a) } else { Clash::Mismatch });
                }
                // Keep the older variable, so that a level-0 one stays what Core types name.
                let (from, to) = if self.u.metas.contains_key(&a) { (b, a) } else { (a, b) };
                self.u.nodes[to.0 as usize] = Node::Var { equality, kinds };
                self.u.levels[to.0 as usize] = level;
                self.u.times[to.0 as usize] = time;
                self.link(from, to);
                Ok(())
            }
            (Shape::Var { kinds: 0, equality }, Shape::Flex { .. }) => self.link_flexible(a, b, (level, time), equality),
            (Shape::Flex { .. }, Shape::Var { kinds: 0, equality }) => self.link_flexible(b, a, (level, time), equality),
            (Shape::Flex { equality: e1, fields: xs }, Shape::Flex { equality: e2, fields: ys }) => {
                let mut fields = xs;
                let mut pairs = vec![];
                for (label, t) in ys {
                    match fields.binary_search_by(|f| compare_labels(f.0, label)) {
                        Ok(i) => pairs.push((fields[i].1, t)),
                        Err(i) => fields.insert(i, (label, t)),
                    }
                }
                for (_, t) in &fields {
                    self.lower(*t, a, level, time)?;
                    self.lower(*t, b, level, time)?;
                }
                let equality = e1 || e2;
                if equality {
                    for (_, t) in &fields {
                        self.require_equality(*t)?;
                    }
                }
                self.u.nodes[b.0 as usize] = Node::Flex { equality, fields };
                self.u.levels[b.0 as usize] = level;
                self.u.times[b.0 as usize] = time;
                self.link(a, b);
                for (s, t) in pairs {
                    self.unify(s, t)?;
                }
                Ok(())
            }
            _ => Err(Clash::Mismatch),
        }
    }

    fn link_flexible(&mut self, var: Type, flex: Type, bounds: (u32, u32), equality: bool) -> Result<(), Clash> {
        self.lower(flex, var, bounds.0, bounds.1)?;
        if equality {
            self.require_equality(flex)?;
        }
        self.link(var, flex);
        Ok(())
    }

    /// A variable or flexible record becomes `t`, which is neither.
    fn bind(&mut self, var: Type, t: Type) -> Result<(), Clash> {
        let (level, time) = (self.u.levels[var.0 as usize], self.u.times[var.0 as usize]);
        self.lower(t, var, level, time)?;
        match self.shape(var) {
            Shape::Var { equality, kinds } => {
                if kinds != 0 && t != Type::ERROR && self.kind_of(t) & kinds == 0 {
                    // A constant is no different from a type that is known.
                    let constant = kinds & (kinds - 1) == 0;
                    return Err(if constant { Clash::Mismatch } else { Clash::Overload(kinds, t) });
                }
                if equality {
                    self.require_equality(t)?;
                }
                self.link(var, t);
                Ok(())
            }
            Shape::Flex { equality, fields } => match self.shape(t) {
                Shape::Record(all) => {
                    if let Some(f) = fields.iter().find(|f| all.iter().all(|a| a.0 != f.0)) {
                        return Err(Clash::Label(f.0));
                    }
                    if equality {
                        self.require_equality(t)?;
                    }
                    self.link(var, t);
                    let mut result = Ok(());
                    for (label, s) in fields {
                        if let Some(f) = all.iter().find(|f| f.0 == label) {
                            result = result.and(self.unify(s, f.1));
                        }
                    }
                    result
                }
                Shape::Error => {
                    self.link(var, t);
                    Ok(())
                }
                _ => Err(Clash::Mismatch),
            },
            _ => Err(Clash::Mismatch),
        }
    }

    /// Lowers the levels in `t` to `level`, and the times to `time`; fails if `var` is in it, or a type variable that
    /// lives at a deeper level, or a newer type name.
    fn lower(&mut self, t: Type, var: Type, level: u32, time: u32) -> Result<(), Clash> {
        self.u.walk += 1;
        self.adjust(t, var, level, time)
    }

    fn adjust(&mut self, t: Type, var: Type, level: u32, time: u32) -> Result<(), Clash> {
        let t = self.find(t);
        if t == var {
            return Err(Clash::Circular);
        }
        if let Some(core) = t.as_core() {
            return if self.core_time(core) <= time { Ok(()) } else { Err(Clash::TooNew(self.newest(core))) };
        }
        let i = t.0 as usize;
        if self.u.levels[i] < level && self.u.times[i] <= time || self.u.marks[i] == self.u.walk {
            return Ok(());
        }
        self.u.marks[i] = self.u.walk;
        let lower = self.u.levels[i] > level;
        if let Node::Rigid(v) = self.u.nodes[i] {
            return if lower { Err(Clash::Escape(v)) } else { Ok(()) };
        }
        if let Node::Con(name, _) = self.u.nodes[i]
            && name.0 >= time
        {
            return Err(Clash::TooNew(name));
        }
        self.u.levels[i] = self.u.levels[i].min(level);
        self.u.times[i] = self.u.times[i].min(time);
        match self.shape(t) {
            Shape::Con(_, args) => args.iter().try_for_each(|&a| self.adjust(a, var, level, time)),
            Shape::Arrow(a, b) => {
                self.adjust(a, var, level, time)?;
                self.adjust(b, var, level, time)
            }
            Shape::Record(fields) => fields.iter().try_for_each(|f| self.adjust(f.1, var, level, time)),
            Shape::Flex { fields, .. } => fields.iter().try_for_each(|f| self.adjust(f.1, var, level, time)),
            Shape::Var { .. } | Shape::Rigid(_) | Shape::Error => Ok(()),
        }
    }

    /// The newest type name of a Core type.
    fn newest(&self, ty: Ty) -> TyName {
        let newest = |types: &mut dyn Iterator<Item = Ty>| types.map(|t| self.newest(t)).max().unwrap_or(TyName(0));
        match &self.tables.types[ty] {
            TyData::Var(_) => TyName(0),
            TyData::Con(name, args) => newest(&mut args.iter().copied()).max(*name),
            TyData::Arrow(a, b) => self.newest(*a).max(self.newest(*b)),
            TyData::Record(fields) => newest(&mut fields.iter().map(|f| f.1)),
        }
    }

    /// Keeps the variables of `t` from being generalised by the declaration at `level + 1`.
    pub(crate) fn lower_to(&mut self, t: Type, level: u32) -> Result<(), Clash> {
        self.lower(t, Type(CORE - 1), level, u32::MAX)
    }

    /// The type variables of an expansive declaration that nothing it binds mentions: they may be any type.
    pub(crate) fn forget_rigid(&mut self, v: TyVar) {
        if let Some(&t) = self.u.tyvar_nodes.get(&v)
            && matches!(self.u.nodes[t.0 as usize], Node::Rigid(_))
        {
            self.link(t, Type::UNIT);
        }
    }

    /// The overloaded kind of a type; 0 when it has none.
    pub(crate) fn kind_of(&mut self, t: Type) -> Kinds {
        match self.shape(t) {
            Shape::Con(name, _) => match name {
                tyname::INT | tyname::INT8 | tyname::INT16 | tyname::INT32 | tyname::INTINF => kinds::INT,
                tyname::WORD | tyname::WORD8 | tyname::WORD16 | tyname::WORD32 => kinds::WORD,
                tyname::REAL | tyname::REAL32 => kinds::REAL,
                tyname::CHAR => kinds::CHAR,
                tyname::STRING => kinds::STRING,
                _ => 0,
            },
            Shape::Var { kinds, .. } => kinds,
            _ => 0,
        }
    }

    /// Makes a type admit equality, or names the part that does not. [Definition, 4.4]
    pub(crate) fn require_equality(&mut self, t: Type) -> Result<(), Clash> {
        self.u.walk += 1;
        self.admit_equality(t)
    }

    fn admit_equality(&mut self, t: Type) -> Result<(), Clash> {
        let t = self.find(t);
        if t.as_core().is_none() {
            if self.u.marks[t.0 as usize] == self.u.walk {
                return Ok(());
            }
            self.u.marks[t.0 as usize] = self.u.walk;
        }
        match self.shape(t) {
            Shape::Var { equality: true, .. } | Shape::Error => Ok(()),
            Shape::Var { equality: false, kinds } => {
                let left = kinds & !kinds::REAL;
                if kinds != 0 && left == 0 {
                    return Err(Clash::Equality(t));
                }
                self.u.nodes[t.0 as usize] = Node::Var { equality: true, kinds: left };
                Ok(())
            }
            Shape::Flex { equality, fields } => {
                if !equality {
                    self.u.nodes[t.0 as usize] = Node::Flex { equality: true, fields: fields.clone() };
                }
                fields.iter().try_for_each(|f| self.admit_equality(f.1))
            }
            Shape::Rigid(v) => {
                if self.tables.tyvars[v].equality { Ok(()) } else { Err(Clash::Equality(t)) }
            }
            Shape::Con(tyname::REF | tyname::ARRAY, _) => Ok(()),
            Shape::Con(name, args) => {
                if !self.tables.tynames[name].equality {
                    return Err(Clash::Equality(t));
                }
                args.iter().try_for_each(|&a| self.admit_equality(a))
            }
            Shape::Arrow(..) => Err(Clash::Equality(t)),
            Shape::Record(fields) => fields.iter().try_for_each(|f| self.admit_equality(f.1)),
        }
    }

    // ------------------------------------------- generalisation, instantiation

    /// Closes over the variables of `t` above `level`, adding them to `tyvars`. [Definition, 4.8]
    /// Overloaded variables and flexible records wait for the whole declaration of the structure level.
    pub(crate) fn generalise(&mut self, t: Type, level: u32, tyvars: &mut Vec<TyVar>) -> u32 {
        let t = self.find(t);
        if t.as_core().is_some() {
            return 0;
        }
        let old = self.u.levels[t.0 as usize];
        if old <= level || old == GENERIC {
            return old;
        }
        let new = match self.shape(t) {
            Shape::Var { kinds: 0, equality } => {
                let name = generated_name(tyvars.len(), equality);
                let tyvar = self.tables.tyvars.push(TyVarInfo { name, equality });
                tyvars.push(tyvar);
                self.u.nodes[t.0 as usize] = Node::Rigid(tyvar);
                GENERIC
            }
            Shape::Rigid(v) => {
                if !tyvars.contains(&v) {
                    tyvars.push(v);
                }
                GENERIC
            }
            Shape::Var { .. } | Shape::Flex { .. } => {
                // Nothing inside lives deeper than the declaration itself, so this cannot fail.
                let _ = self.lower_to(t, level);
                level
            }
            Shape::Con(_, args) => {
                args.iter().map(|&a| self.generalise(a, level, tyvars)).max().unwrap_or(0)
            }
            Shape::Arrow(a, b) => {
                let first = self.generalise(a, level, tyvars);
                first.max(self.generalise(b, level, tyvars))
            }
            Shape::Record(fields) => {
                fields.iter().map(|f| self.generalise(f.1, level, tyvars)).max().unwrap_or(0)
            }
            Shape::Error => 0,
        };
        self.u.levels[t.0 as usize] = new;
        new
    }

    /// A copy of a local type scheme's body with `inst` for its type variables; what is not generalised is shared.
    pub(crate) fn instantiate_local(&mut self, t: Type, inst: &[(TyVar, Type)]) -> Type {
        self.instantiate(t, &mut Walk::new(inst))
    }

    fn instantiate(&mut self, t: Type, w: &mut Walk<'_, Type>) -> Type {
        let t = self.find(t);
        if t.as_core().is_some() || self.u.levels[t.0 as usize] != GENERIC {
            return t;
        }
        if let Some(done) = w.known(&t) {
            return done;
        }
        let new = match self.shape(t) {
            Shape::Rigid(v) => w.inst.iter().find(|i| i.0 == v).map_or(t, |i| i.1),
            Shape::Con(name, args) => {
                let args: SmallVec<[Type; 2]> = args.iter().map(|&a| self.instantiate(a, w)).collect();
                self.con(name, &args)
            }
            Shape::Arrow(a, b) => {
                let a = self.instantiate(a, w);
                let b = self.instantiate(b, w);
                self.arrow(a, b)
            }
            Shape::Record(fields) => {
                let fields = fields.iter().map(|f| (f.0, self.instantiate(f.1, w))).collect();
                self.record(fields)
            }
            Shape::Var { .. } | Shape::Flex { .. } | Shape::Error => t,
        };
        w.remember(t, new);
        new
    }

    /// A Core type with `inst` for type variables; others are those in scope.
    pub(crate) fn import(&mut self, ty: Ty, inst: &[(TyVar, Type)]) -> Type {
        self.import_by(ty, &mut Walk::new(inst))
    }

    fn import_by(&mut self, ty: Ty, w: &mut Walk<'_, Ty>) -> Type {
        if self.is_ground(ty) {
            return Type::core(ty);
        }
        if let Some(done) = w.known(&ty) {
            return done;
        }
        let new = match self.tables.types[ty].clone() {
            TyData::Var(v) => match w.inst.iter().find(|i| i.0 == v) {
                Some(i) => i.1,
                None => self.rigid(v),
            },
            TyData::Con(name, args) => {
                let args: SmallVec<[Type; 2]> = args.iter().map(|&a| self.import_by(a, w)).collect();
                self.con(name, &args)
            }
            TyData::Arrow(a, b) => {
                let a = self.import_by(a, w);
                let b = self.import_by(b, w);
                self.arrow(a, b)
            }
            TyData::Record(fields) => {
                let fields = fields.iter().map(|f| (f.0, self.import_by(f.1, w))).collect();
                self.record(fields)
            }
        };
        w.remember(ty, new);
        new
    }

    /// Fresh variables for type variables.
    pub(crate) fn fresh_instance(&mut self, tyvars: &[TyVar]) -> SmallVec<[(TyVar, Type); 4]> {
        tyvars
            .iter()
            .map(|&v| (v, if self.tables.tyvars[v].equality { self.fresh_equality() } else { self.fresh() }))
            .collect()
    }

    /// Has the type no type variables?
    pub(crate) fn is_ground(&mut self, ty: Ty) -> bool {
        let i = ty.0 as usize;
        if i >= self.u.ground.len() {
            self.u.ground.resize(self.tables.types.len().max(i + 1), 0);
        }
        if self.u.ground[i] == 0 {
            let ground = match self.tables.types[ty].clone() {
                TyData::Var(_) => false,
                TyData::Con(_, args) => args.iter().all(|&a| self.is_ground(a)),
                TyData::Arrow(a, b) => self.is_ground(a) && self.is_ground(b),
                TyData::Record(fields) => fields.iter().all(|f| self.is_ground(f.1)),
            };
            self.u.ground[i] = if ground { 1 } else { 2 };
        }
        self.u.ground[i] == 1
    }

    // ------------------------------------------------------- back to Core types

    /// The Core type of a type at the end of a structure-level declaration. Variables that are still open become type
    /// variables that stand for them ("metas").
    pub(crate) fn export(&mut self, t: Type) -> Ty {
        self.to_core(t, &mut Some(FxHashMap::default())).0
    }

    /// The Core type of a type at the end of the unit; what is still open becomes unit, or its overloading's default.
    pub(crate) fn finish(&mut self, t: Type) -> Ty {
        self.to_core(t, &mut None).0
    }

    /// The type, and whether it is final. With a map, what is open stays so, and the map remembers such types.
    fn to_core(&mut self, t: Type, open: &mut Option<FxHashMap<Type, Ty>>) -> (Ty, bool) {
        let t = self.find(t);
        if let Some(core) = t.as_core() {
            return (core, true);
        }
        let i = t.0 as usize;
        if let Some(Some(done)) = self.u.finished.get(i) {
            return (*done, true);
        }
        if let Some(&known) = open.as_ref().and_then(|o| o.get(&t)) {
            return (known, false);
        }
        let keep_open = open.is_some();
        let mut done = true;
        let mut part = |this: &mut Self, t: Type| {
            let (ty, finished) = this.to_core(t, open);
            done &= finished;
            ty
        };
        let ty = match self.shape(t) {
            Shape::Var { .. } | Shape::Flex { .. } if keep_open => {
                let meta = self.meta(t);
                return (self.tables.intern(TyData::Var(meta)), false);
            }
            Shape::Var { kinds, .. } => {
                let default = self.default_of(kinds);
                self.link(t, Type::core(default));
                return (default, true);
            }
            Shape::Flex { fields, .. } => {
                let record = self.record(fields);
                self.link(t, record);
                return self.to_core(record, open);
            }
            Shape::Rigid(v) => TyData::Var(v),
            Shape::Con(name, args) => TyData::Con(name, args.iter().map(|&a| part(self, a)).collect()),
            Shape::Arrow(a, b) => TyData::Arrow(part(self, a), part(self, b)),
            Shape::Record(fields) => TyData::Record(fields.iter().map(|f| (f.0, part(self, f.1))).collect()),
            Shape::Error => return (ty::ERROR, true),
        };
        let ty = self.tables.intern(ty);
        if done {
            if i >= self.u.finished.len() {
                self.u.finished.resize(self.u.nodes.len(), None);
            }
            self.u.finished[i] = Some(ty);
        } else if let Some(open) = open {
            open.insert(t, ty);
        }
        (ty, done)
    }

    /// The type that an open overloaded variable becomes. [Definition, appendix E]
    pub(crate) fn default_of(&self, kinds: Kinds) -> Ty {
        match kinds {
            0 => ty::UNIT,
            k if k & kinds::INT != 0 => ty::INT,
            k if k & kinds::REAL != 0 => ty::REAL,
            k if k & kinds::WORD != 0 => ty::WORD,
            k if k & kinds::CHAR != 0 => ty::CHAR,
            _ => ty::STRING,
        }
    }

    fn meta(&mut self, t: Type) -> TyVar {
        if let Some(&v) = self.u.metas.get(&t) {
            return v;
        }
        let equality = matches!(self.shape(t), Shape::Var { equality: true, .. });
        let name = generated_name(self.u.metas.len(), equality);
        let v = self.tables.tyvars.push(TyVarInfo { name, equality });
        self.u.metas.insert(t, v);
        self.u.tyvar_nodes.insert(v, t);
        v
    }

    /// The type variables that stand for variables which were open at the end of their declaration.
    pub(crate) fn metas(&self) -> Vec<(TyVar, Type)> {
        let mut all: Vec<_> = self.u.metas.iter().map(|(&t, &v)| (v, t)).collect();
        all.sort();
        all
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
