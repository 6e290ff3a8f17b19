//! What is visible at a point of a description: a basis, what is infix, and named bases.
//!
//! After the semantics of ML Basis files: every phrase gives an environment, and a sequence is the sum of its phrases'.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use leat_ast::{Fixity, FixityEnv};
use leat_base::{Span, Symbol};
use leat_elab::Basis;
use leat_elab::basis::{Env, Layer, SortedMap, ValEntry};
use leat_elab::index::Space;

/// An environment of descriptions. Also what a phrase adds to one: so `Nonfix` is recorded like the others.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub basis: Basis,
    pub fixity: Fixities,
    /// Bound by `basis b = ...`.
    pub bases: BTreeMap<Symbol, Rc<Scope>>,
}

impl Scope {
    /// Adds newer bindings, which win.
    pub fn add(&mut self, newer: &Scope) {
        self.basis = self.basis.plus(&newer.basis);
        self.fixity.extend(newer.fixity.iter().map(|(symbol, fixity)| (*symbol, *fixity)));
        self.bases.extend(newer.bases.iter().map(|(symbol, basis)| (*symbol, basis.clone())));
    }

    pub fn fixity_env(&self) -> FixityEnv {
        env_of(&self.fixity)
    }
}

/// What is infix, at some place.
pub type Fixities = BTreeMap<Symbol, Fixity>;

/// The same for the parser.
pub fn env_of(fixities: &Fixities) -> FixityEnv {
    let mut env = FixityEnv::empty();
    fixities.iter().for_each(|(symbol, fixity)| env.declare(*symbol, *fixity));
    env
}

/// A name with its place in a description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// A kind of names that descriptions speak of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ModuleKind {
    Structure,
    Signature,
    Functor,
}

impl ModuleKind {
    fn space(self) -> Space {
        match self {
            ModuleKind::Structure => Space::Str,
            ModuleKind::Signature => Space::Sig,
            ModuleKind::Functor => Space::Functor,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ModuleKind::Structure => "structure",
            ModuleKind::Signature => "signature",
            ModuleKind::Functor => "functor",
        }
    }
}

/// How one basis was made from another: the same one in the same way has the same stamp, so that what was analysed in
/// it is known again.
#[derive(Hash)]
enum Derived {
    /// One name, under another.
    Renamed(ModuleKind, Symbol, Symbol),
    OnlyModules,
    OnlyCore,
    TopPart(TopPart),
}

impl Derived {
    fn stamp(self, basis: Basis, from: &Basis) -> Basis {
        let mut hasher = std::hash::DefaultHasher::new();
        self.hash(&mut hasher);
        basis.stamped(from.stamp(), hasher.finish())
    }
}

/// What `name` is in `basis`, as a basis that binds it to `new`.
pub(super) fn rename(basis: &Basis, kind: ModuleKind, name: Symbol, new: Symbol) -> Option<Basis> {
    let mut layer = Layer::default();
    layer.env.places = basis.place_as(kind.space(), name, new);
    match kind {
        ModuleKind::Structure => layer.env.strs = SortedMap::new(vec![(new, basis.structure(name)?)]),
        ModuleKind::Signature => layer.sigs = SortedMap::new(vec![(new, basis.sig(name)?)]),
        ModuleKind::Functor => layer.functors = SortedMap::new(vec![(new, basis.functor(name)?)]),
    }
    Some(Derived::Renamed(kind, name, new).stamp(Basis::of(layer), basis))
}

/// All names of modules that a basis binds.
pub(super) fn modules(basis: &Basis) -> Vec<(ModuleKind, Symbol)> {
    let mut names = std::collections::BTreeSet::new();
    for layer in basis.layers() {
        names.extend(layer.env.strs.iter().map(|(name, _)| (ModuleKind::Structure, *name)));
        names.extend(layer.sigs.iter().map(|(name, _)| (ModuleKind::Signature, *name)));
        names.extend(layer.functors.iter().map(|(name, _)| (ModuleKind::Functor, *name)));
    }
    names.into_iter().collect()
}

/// Structures, signatures and functors alone.
pub(super) fn only_modules(basis: &Basis) -> Basis {
    let pick = |layer: &Layer| {
        let env = Env { strs: layer.env.strs.clone(), places: layer.env.places.clone(), ..Env::default() };
        Basis::of(Layer { env, sigs: layer.sigs.clone(), functors: layer.functors.clone() })
    };
    sum(basis, Derived::OnlyModules, pick)
}

/// Values and types of the top level alone.
pub(super) fn only_core(basis: &Basis) -> Basis {
    let pick = |layer: &Layer| {
        let Env { vals, tys, places, .. } = layer.env.clone();
        let env = Env { vals, tys, places, ..Env::default() };
        Basis::of(Layer { env, ..Layer::default() })
    };
    sum(basis, Derived::OnlyCore, pick)
}

/// A part of the top level, as MLton's files divide it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TopPart {
    /// Types, and the constructors of datatypes.
    Types,
    Exceptions,
    /// Values that are not overloaded, without equality.
    Values,
    /// `+` and its kin.
    Overloads,
    /// `=` and `<>`
    Equal,
}

impl TopPart {
    fn of(entry: &ValEntry) -> TopPart {
        match entry {
            ValEntry::Con { .. } | ValEntry::Ref => TopPart::Types,
            ValEntry::Exn { .. } => TopPart::Exceptions,
            ValEntry::Var { .. } => TopPart::Values,
            ValEntry::Overloaded(_) => TopPart::Overloads,
            ValEntry::Equal | ValEntry::NotEqual => TopPart::Equal,
        }
    }
}

/// One part of the top level alone.
pub(super) fn top_part(basis: &Basis, part: TopPart) -> Basis {
    let pick = |layer: &Layer| {
        let Env { vals, tys, places, .. } = layer.env.clone();
        // What a newer layer hides is not brought back by leaving that out.
        let visible = |name| basis.val(name).is_some_and(|entry| TopPart::of(entry) == part);
        let vals = SortedMap::new(vals.iter().filter(|(name, _)| visible(*name)).cloned().collect());
        let tys = if part == TopPart::Types { tys } else { SortedMap::default() };
        let env = Env { vals, tys, places, ..Env::default() };
        Basis::of(Layer { env, ..Layer::default() })
    };
    sum(basis, Derived::TopPart(part), pick)
}

fn sum(basis: &Basis, derived: Derived, pick: impl Fn(&Layer) -> Basis) -> Basis {
    let layers: Vec<&Layer> = basis.layers().collect();
    derived.stamp(layers.into_iter().rev().fold(Basis::default(), |sum, layer| sum.plus(&pick(layer))), basis)
}
