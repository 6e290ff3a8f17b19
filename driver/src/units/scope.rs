//! What is visible at a point of a description: a basis, what is infix, and named bases.
//!
//! After the semantics of ML Basis files: every phrase gives an environment, and a sequence is the sum of its phrases'.

use std::collections::BTreeMap;
use std::rc::Rc;

use leat_ast::{Fixity, FixityEnv};
use leat_base::{Span, Symbol};
use leat_elab::Basis;
use leat_elab::basis::{Env, Layer, SortedMap};
use leat_elab::index::Space;

/// An environment of descriptions. Also what a phrase adds to one: so `Nonfix` is recorded like the others.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub basis: Basis,
    pub fixity: BTreeMap<Symbol, Fixity>,
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
        let mut env = FixityEnv::empty();
        for (symbol, fixity) in &self.fixity {
            env.declare(*symbol, *fixity);
        }
        env
    }
}

/// A name with its place in a description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// A kind of names that descriptions speak of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Kind {
    Structure,
    Signature,
    Functor,
}

impl Kind {
    fn space(self) -> Space {
        match self {
            Kind::Structure => Space::Str,
            Kind::Signature => Space::Sig,
            Kind::Functor => Space::Functor,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Structure => "structure",
            Kind::Signature => "signature",
            Kind::Functor => "functor",
        }
    }
}

/// What `name` is in `basis`, as a basis that binds it to `new`.
pub(super) fn rename(basis: &Basis, kind: Kind, name: Symbol, new: Symbol) -> Option<Basis> {
    let mut layer = Layer::default();
    layer.env.places = basis.place_as(kind.space(), name, new);
    match kind {
        Kind::Structure => layer.env.strs = SortedMap::new(vec![(new, basis.structure(name)?)]),
        Kind::Signature => layer.sigs = SortedMap::new(vec![(new, basis.sig(name)?)]),
        Kind::Functor => layer.functors = SortedMap::new(vec![(new, basis.functor(name)?)]),
    }
    let how = (kind as u64) << 60 ^ u64::from(name.0) << 30 ^ u64::from(new.0);
    Some(Basis::of(layer).stamped(basis.stamp(), how))
}

/// All names of modules that a basis binds.
pub(super) fn modules(basis: &Basis) -> Vec<(Kind, Symbol)> {
    let mut names = std::collections::BTreeSet::new();
    for layer in basis.layers() {
        names.extend(layer.env.strs.iter().map(|(name, _)| (Kind::Structure, *name)));
        names.extend(layer.sigs.iter().map(|(name, _)| (Kind::Signature, *name)));
        names.extend(layer.functors.iter().map(|(name, _)| (Kind::Functor, *name)));
    }
    names.into_iter().collect()
}

/// Structures, signatures and functors alone.
pub(super) fn only_modules(basis: &Basis) -> Basis {
    let pick = |layer: &Layer| {
        let env = Env { strs: layer.env.strs.clone(), places: layer.env.places.clone(), ..Env::default() };
        Basis::of(Layer { env, sigs: layer.sigs.clone(), functors: layer.functors.clone() })
    };
    sum(basis, 1, pick)
}

/// Values and types of the top level alone.
pub(super) fn only_core(basis: &Basis) -> Basis {
    let pick = |layer: &Layer| {
        let Env { vals, tys, places, .. } = layer.env.clone();
        let env = Env { vals, tys, places, ..Env::default() };
        Basis::of(Layer { env, ..Layer::default() })
    };
    sum(basis, 2, pick)
}

fn sum(basis: &Basis, how: u64, pick: impl Fn(&Layer) -> Basis) -> Basis {
    let layers: Vec<&Layer> = basis.layers().collect();
    let stamp = basis.stamp();
    layers.into_iter().rev().fold(Basis::default(), |sum, layer| sum.plus(&pick(layer))).stamped(stamp, how)
}
