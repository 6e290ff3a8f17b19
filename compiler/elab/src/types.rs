//! Inference types: unification variables with levels, unification, generalisation, instantiation.
//!
//! After Rémy, Extension of ML type system with a sorted equational theory on types (1992), for levels: generalising a
//! declaration walks only the types that it made; instantiating copies only the generalised parts. Union-find with path
//! compression.
//!
//! A [`Type`] is either a node here or, with the highest bit set, a Core type without type variables: equal ones are
//! equal numbers, and they are opened only where they meet another shape. The expressions of a unit carry `Type`s
//! (`draft.rs`) until `finish.rs` makes Core of them.
//!
//! Levels: 0 is a variable that waits for the rest of the unit (value restriction at top level), 1 and more is the
//! depth of `val` and `fun` declarations, [`GENERIC`] is generalised. The level of a composite node is an upper bound
//! of those inside.

use crate::builtin::ty;
use crate::ir::{Ty, TyName, TyVar, Var};
use leat_base::{Sparse, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

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
    /// Pairs of composites that the unification under way has found to stay two, and whether they differ.
    pub(crate) apart: FxHashMap<(Type, Type), bool>,
    /// Core types that the walk for equality under way has come by.
    pub(crate) compared: FxHashSet<Ty>,
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
    pub(crate) rows: Rows,
    /// Core types of finished nodes.
    pub(crate) finished: Vec<Option<Ty>>,
}

/// What is known of a row's labels.
#[derive(Clone, Debug)]
enum Row {
    Open,
    /// Sorted.
    Known(Rc<[Symbol]>),
    SameAs(u32),
}

/// Which records of which not all fields are written have the same labels: see [`crate::flexible`].
#[derive(Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// Flexible records generalised by the declaration that is being finished.
    pub(crate) generic: Vec<Type>,
    /// Those of a declaration, by each variable that it binds.
    pub(crate) groups: FxHashMap<Var, Rc<[Type]>>,
    /// Those that uses of such variables have.
    pub(crate) copies: FxHashSet<Type>,
    /// What a generalised flexible record got when its labels were known: type variables for those it did not mention.
    pub(crate) extras: FxHashMap<Type, Vec<(Symbol, TyVar)>>,
}

impl Rows {
    pub(crate) fn new_row(&mut self) -> u32 {
        self.rows.push(Row::Open);
        self.rows.len() as u32 - 1
    }

    fn root(&self, mut row: u32) -> u32 {
        while let Row::SameAs(next) = self.rows[row as usize] {
            row = next;
        }
        row
    }

    pub(crate) fn labels(&self, row: u32) -> Option<Rc<[Symbol]>> {
        match &self.rows[self.root(row) as usize] {
            Row::Known(labels) => Some(labels.clone()),
            _ => None,
        }
    }

    /// Two rows become one, if they can be.
    pub(crate) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        match (self.labels(a), self.labels(b)) {
            _ if a == b => true,
            (Some(x), Some(y)) if x != y => false,
            (Some(_), _) => {
                self.rows[b as usize] = Row::SameAs(a);
                true
            }
            _ => {
                self.rows[a as usize] = Row::SameAs(b);
                true
            }
        }
    }

    /// The labels of a row are these, sorted; or were others already.
    pub(crate) fn close(&mut self, row: u32, labels: impl Iterator<Item = Symbol>) -> bool {
        let labels: Rc<[Symbol]> = labels.collect();
        match self.labels(row) {
            Some(known) => known == labels,
            None => {
                let root = self.root(row);
                self.rows[root as usize] = Row::Known(labels);
                true
            }
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
