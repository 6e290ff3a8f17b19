//! The static objects of the modules language: environments, signatures, functors, bases.
//!
//! After the Definition, chapters 4 and 5. All of them are plain data in arenas of [`Modules`] (a part of the
//! [`crate::Tables`]), named by id, with sorted vectors inside: cheap to load from the image of the Basis, and shared
//! when a structure has several names. A [`Basis`] is a stack of layers, newest last; a unit adds one.
//!
//! Differences from the Definition: the ValEnv of a type structure is a [`ConList`] that the constructors in the
//! environment name too; a signature's and a functor's bound type names are kept in order of first occurrence.

use crate::ir::{Con, Dec, ExnRef, Ty, TyName, TyVar, Var};
use crate::lazy::LazyArena;
use leat_base::{Span, Symbol, entity};
use serde::{Deserialize, Serialize};

entity! {
    /// The environment of a structure.
    EnvId, "env";
    /// The constructors of a datatype.
    ConListId, "cons";
    /// A signature.
    SigId, "sig";
    /// A functor.
    FunctorId, "functor";
}

/// A type of the library that constants and operators are overloaded at, besides those of the Definition. [Definition,
/// E]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OverloadedType {
    pub name: TyName,
    /// The library's structure whose values are the operators, and its name.
    pub env: EnvId,
    pub structure: Symbol,
    /// Of a sized type made by the library (`Int5`, `Word31`): whether it is signed, and its bits. A constant must fit.
    pub size: Option<(bool, u32)>,
}

/// Arenas of all module objects.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Modules {
    pub envs: LazyArena<EnvId, Env>,
    pub con_lists: LazyArena<ConListId, ConList>,
    pub sigs: LazyArena<SigId, Sig>,
    pub functors: LazyArena<FunctorId, Functor>,
    /// The types without primitives that constants and operators are overloaded at.
    pub overloaded: Vec<OverloadedType>,
}

/// A sorted association list. Sorted by symbol number, which is the same in every process that loads an image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SortedMap<V>(Vec<(Symbol, V)>);

impl<V> Default for SortedMap<V> {
    fn default() -> Self {
        SortedMap(Vec::new())
    }
}

impl<V> SortedMap<V> {
    /// From pairs with distinct names.
    pub fn new(mut pairs: Vec<(Symbol, V)>) -> Self {
        pairs.sort_by_key(|p| p.0);
        SortedMap(pairs)
    }

    /// What the name is bound to.
    pub fn get(&self, name: Symbol) -> Option<&V> {
        self.0.binary_search_by_key(&name, |p| p.0).ok().map(|i| &self.0[i].1)
    }

    /// All pairs, by symbol number.
    pub fn iter(&self) -> std::slice::Iter<'_, (Symbol, V)> {
        self.0.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, (Symbol, V)> {
        self.0.iter_mut()
    }

    /// All pairs in the order of the alphabet: for printing.
    pub fn by_name(&self) -> Vec<&(Symbol, V)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|p| p.0.as_str());
        all
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn retain(&mut self, keep: impl Fn(Symbol) -> bool) {
        self.0.retain(|p| keep(p.0));
    }
}

impl<V: Clone> SortedMap<V> {
    /// `self + newer`: newer bindings win.
    fn plus(&self, newer: &SortedMap<V>) -> SortedMap<V> {
        let mut out = Vec::with_capacity(self.len() + newer.len());
        let (mut a, mut b) = (self.0.iter().peekable(), newer.0.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 < y.0 => out.extend(a.next().cloned()),
                (Some(x), Some(y)) if x.0 == y.0 => {
                    a.next();
                }
                (_, Some(_)) => out.extend(b.next().cloned()),
                (Some(_), None) => out.extend(a.next().cloned()),
                (None, None) => return SortedMap(out),
            }
        }
    }
}

/// An environment, E = (SE, TE, VE).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Env {
    pub vals: SortedMap<ValEntry>,
    pub tys: SortedMap<TyStr>,
    pub strs: SortedMap<EnvId>,
    /// Where they are declared, for tools.
    #[serde(skip)]
    pub places: crate::index::Places,
}

/// A type scheme, `forall tyvars. ty`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scheme {
    pub tyvars: Box<[TyVar]>,
    pub ty: Ty,
}

/// What a value identifier stands for: its identifier status and type scheme.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ValEntry {
    /// A variable. In a signature the variable is [`NO_VAR`].
    Var { var: Var, scheme: Scheme },
    /// A constructor of a datatype.
    Con { list: ConListId, index: u32 },
    /// An exception constructor. In a signature the variable is [`NO_VAR`].
    Exn { exn: ExnRef, arg: Option<Ty> },
    /// `+` and its kin.
    Overloaded(Op),
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `ref`
    Ref,
}

/// The variable of a specification: in signatures only, and not in the tables. What an expression can name has one of
/// its own, also where a structure misses its signature.
pub const NO_VAR: Var = Var(u32::MAX);

/// The overloaded operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// `/`
    RealDiv,
    Neg,
    Abs,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A type structure, (θ, VE).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TyStr {
    pub fcn: TypeFcn,
    pub cons: Option<ConListId>,
    /// Of `int` and `word` and their abbreviations, or of a tuple that has them, also one whose type nobody sees: what
    /// it is in C. See `import.rs`.
    pub width: Option<Width>,
}

/// How wide an `int` or `word` is in a foreign type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Width {
    /// C's `int` and `unsigned`.
    Int,
    /// 64 bits.
    Wide,
    /// The parts of a tuple.
    Parts(Box<[Option<Width>]>),
}

/// A type function, θ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TypeFcn {
    Name(TyName),
    /// `Λ tyvars . ty`; never eta-convertible to a name.
    Abbrev {
        tyvars: Box<[TyVar]>,
        ty: Ty,
    },
}

/// The constructors of a datatype: constructor i has the scheme `forall tyvars. arg -> tyvars name`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConList {
    pub name: TyName,
    /// The datatype whose constructors they are at run time. It is `name`, unless an opaque ascription made `name`.
    pub rep: TyName,
    pub tyvars: Box<[TyVar]>,
    /// In the order of `rep`.
    pub cons: Vec<Con>,
}

/// A signature, Σ = (T)E.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sig {
    pub bound: Vec<TyName>,
    pub env: EnvId,
}

/// A functor signature, Φ = (T)(E, (T')E'), with its body in Core, to be copied at each application.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Functor {
    /// The parameter; the variables of its environment stand for the argument's in the body.
    pub param: Sig,
    /// The result; names made by the body are in `fresh`.
    pub result: EnvId,
    /// Type names that the body makes.
    pub fresh: Vec<TyName>,
    /// Shared: an application copies it in another way than a clone does.
    pub body: std::sync::Arc<[Dec]>,
    pub span: Span,
}

/// One unit's contribution to a basis.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Layer {
    pub env: Env,
    pub sigs: SortedMap<SigId>,
    pub functors: SortedMap<FunctorId>,
}

impl Layer {
    fn size(&self) -> usize {
        self.env.vals.len() + self.env.tys.len() + self.env.strs.len() + self.sigs.len() + self.functors.len()
    }

    /// Does it bind a name?
    pub fn binds(&self, space: crate::index::Space, name: Symbol) -> bool {
        use crate::index::Space;
        match space {
            Space::Val => self.env.vals.get(name).is_some(),
            Space::Ty => self.env.tys.get(name).is_some(),
            Space::Str => self.env.strs.get(name).is_some(),
            Space::Sig => self.sigs.get(name).is_some(),
            Space::Functor => self.functors.get(name).is_some(),
        }
    }

    fn plus(&self, newer: &Layer) -> Layer {
        Layer {
            env: Env {
                vals: self.env.vals.plus(&newer.env.vals),
                tys: self.env.tys.plus(&newer.env.tys),
                strs: self.env.strs.plus(&newer.env.strs),
                places: self.env.places.plus(&newer.env.places),
            },
            sigs: self.sigs.plus(&newer.sigs),
            functors: self.functors.plus(&newer.functors),
        }
    }
}

/// A basis, B = (T, F, G, E): the whole top level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Basis {
    layers: Vec<std::sync::Arc<Layer>>,
    /// For tools: made of the same parts in the same way, so equal; see [`Basis::stamp`].
    #[serde(skip)]
    stamp: u64,
}

/// The next basis that was made of a layer has this stamp.
static NEXT_STAMP: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1 << 32);

fn mixed(a: u64, b: u64) -> u64 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u64(a);
    hasher.write_u64(b);
    hasher.finish() | 1 << 63
}

impl Basis {
    /// A basis of one layer.
    pub fn of(layer: Layer) -> Basis {
        let stamp = NEXT_STAMP.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Basis { layers: vec![std::sync::Arc::new(layer)], stamp }
    }

    /// Two bases of one stamp are the same one, or the same sum of the same ones.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// With another's stamp: nobody can tell them apart but by where their names are declared.
    pub fn with_stamp_of(self, other: &Basis) -> Basis {
        Basis { stamp: other.stamp, ..self }
    }

    /// With other layers in place of its own, which bind the same but are declared elsewhere.
    pub fn with_layers(&self, put: &mut dyn FnMut(&std::sync::Arc<Layer>) -> std::sync::Arc<Layer>) -> Basis {
        Basis { layers: self.layers.iter().map(put).collect(), stamp: self.stamp }
    }

    /// With a stamp that tells how it was made: from `of`, and by what.
    pub fn stamped(self, of: u64, how: u64) -> Basis {
        Basis { stamp: mixed(of, how), ..self }
    }

    /// `self + newer`. Layers are merged so that there are at most logarithmically many.
    pub fn plus(&self, newer: &Basis) -> Basis {
        let mut layers = self.layers.clone();
        for layer in &newer.layers {
            layers.push(layer.clone());
            while let [.., a, b] = &layers[..]
                && a.size() <= 2 * b.size()
            {
                let merged = std::sync::Arc::new(a.plus(b));
                layers.truncate(layers.len() - 2);
                layers.push(merged);
            }
        }
        Basis { layers, stamp: mixed(self.stamp, newer.stamp) }
    }

    /// With those names alone for which this holds: of all but types, and of types.
    pub(crate) fn with_names(&self, keep: &dyn Fn(Symbol) -> bool, keep_type: &dyn Fn(Symbol) -> bool) -> Basis {
        let strip = |layer: &std::sync::Arc<Layer>| {
            let mut layer = Layer::clone(layer);
            layer.env.vals.retain(keep);
            layer.env.tys.retain(keep_type);
            layer.env.strs.retain(keep);
            layer.sigs.retain(keep);
            layer.functors.retain(keep);
            std::sync::Arc::new(layer)
        };
        Basis { layers: self.layers.iter().map(strip).collect(), stamp: self.stamp }
    }

    /// Layers, newest first.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().rev().map(|l| &**l)
    }

    /// Where its names are declared.
    pub(crate) fn places(&self) -> crate::index::Places {
        let oldest_first = self.layers.iter().map(|layer| &layer.env.places);
        oldest_first.fold(crate::index::Places::default(), |older, newer| older.plus(newer))
    }

    /// With these places of its names in place of those that it has.
    pub(crate) fn with_places(&self, places: &crate::index::Places) -> Basis {
        let put = |layer: &std::sync::Arc<Layer>| {
            let mut layer = Layer::clone(layer);
            layer.env.places = places.clone();
            std::sync::Arc::new(layer)
        };
        Basis { layers: self.layers.iter().map(put).collect(), stamp: self.stamp }
    }

    /// Where a name is declared, as the place of a `new` name.
    pub fn place_as(&self, space: crate::index::Space, name: Symbol, new: Symbol) -> crate::index::Places {
        let layer = self.layers().find(|layer| layer.binds(space, name));
        let place = layer.map_or(Span::NONE, |layer| layer.env.places.get(space, name));
        let places = if place.is_none() { vec![] } else { vec![((space, new), place)] };
        crate::index::Places::new(places.into_iter().collect())
    }

    pub fn val(&self, name: Symbol) -> Option<&ValEntry> {
        self.layers().find_map(|l| l.env.vals.get(name))
    }

    pub fn ty(&self, name: Symbol) -> Option<&TyStr> {
        self.layers().find_map(|l| l.env.tys.get(name))
    }

    pub fn structure(&self, name: Symbol) -> Option<EnvId> {
        self.layers().find_map(|l| l.env.strs.get(name)).copied()
    }

    pub fn sig(&self, name: Symbol) -> Option<SigId> {
        self.layers().find_map(|l| l.sigs.get(name)).copied()
    }

    pub fn functor(&self, name: Symbol) -> Option<FunctorId> {
        self.layers().find_map(|l| l.functors.get(name)).copied()
    }
}

impl Scheme {
    /// A scheme without type variables.
    pub fn mono(ty: Ty) -> Scheme {
        Scheme { tyvars: Box::new([]), ty }
    }
}

/// The order of labels: numbers first, by value, then names in the order of the alphabet.
pub fn compare_labels(a: Symbol, b: Symbol) -> std::cmp::Ordering {
    match (a.as_tuple_label(), b.as_tuple_label()) {
        (Some(x), Some(y)) => x.cmp(&y),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.as_str().cmp(b.as_str()),
    }
}
