//! For tools: which declaration each name of a unit means, which type each phrase has, what is in scope at a place.
//!
//! The elaborator notes it where it looks a name up or binds one (`noting.rs`), so a tool knows exactly what the
//! compiler knows. Off, it costs a test of an empty option at each of these places. [`Places`] go with environments:
//! where each name that an environment binds is declared.

use crate::ir::Ty;
use leat_base::{Span, Symbol};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A name space of the Definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Space {
    Val,
    Ty,
    Str,
    Sig,
    Functor,
}

/// What a name is, as a reader of the text would say it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    Value,
    Constructor,
    Exception,
    Type,
    Structure,
    Signature,
    Functor,
}

/// A name in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    pub name: Symbol,
    pub span: Span,
    pub kind: NameKind,
    /// Where its declaration has the name; the same place for a declaration; `Span::NONE` where that is not known.
    pub declared: Span,
}

impl Occurrence {
    /// Is this where it is declared?
    pub fn is_declaration(&self) -> bool {
        self.span == self.declared
    }
}

/// A name that may stand at the place that was asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub name: Symbol,
    pub kind: NameKind,
    /// Its type, as messages show it; empty where it has none.
    pub ty: String,
    pub declared: Span,
    /// Bound in this unit and not by what was there before?
    pub own: bool,
}

/// What a unit's text means, for tools.
#[derive(Clone, Default, Debug)]
pub struct Index {
    pub names: Vec<Occurrence>,
    /// Types of expressions, patterns and bound names, inner ones first.
    pub types: Vec<(Span, Ty)>,
    /// Two declarations that must have one name: a specification and what matches it.
    pub links: Vec<(Span, Span)>,
    /// Declarations that match a specification whose place is not known, as the Basis Library's have none: they must
    /// have the names that they have.
    pub specified: Vec<Span>,
    /// For [`crate::Options::ask`].
    pub candidates: Vec<Candidate>,
}

/// Where the names of an environment are declared: nothing, unless a tool asks. No part of what the environment is.
#[derive(Clone, Default, Debug)]
pub struct Places(Option<Arc<FxHashMap<(Space, Symbol), Span>>>);

impl PartialEq for Places {
    fn eq(&self, _: &Places) -> bool {
        true
    }
}

impl Eq for Places {}

impl Places {
    pub(crate) fn new(places: FxHashMap<(Space, Symbol), Span>) -> Places {
        Places(if places.is_empty() { None } else { Some(Arc::new(places)) })
    }

    /// Where a name is declared; `Span::NONE` where that is not known.
    pub fn get(&self, space: Space, name: Symbol) -> Span {
        self.0.as_ref().and_then(|places| places.get(&(space, name))).copied().unwrap_or(Span::NONE)
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = ((Space, Symbol), Span)> + '_ {
        self.0.iter().flat_map(|places| places.iter()).map(|(key, span)| (*key, *span))
    }

    /// `self + newer`: newer ones win.
    pub(crate) fn plus(&self, newer: &Places) -> Places {
        match (&self.0, &newer.0) {
            (_, None) => self.clone(),
            (None, _) => newer.clone(),
            (Some(old), Some(new)) => {
                let mut sum = FxHashMap::clone(old);
                sum.extend(new.iter().map(|(key, span)| (*key, *span)));
                Places(Some(Arc::new(sum)))
            }
        }
    }

    /// With other spans, as `moved` says.
    pub fn moved(&self, moved: &dyn Fn(Span) -> Span) -> Places {
        match &self.0 {
            None => Places(None),
            Some(old) => Places(Some(Arc::new(old.iter().map(|(key, span)| (*key, moved(*span))).collect()))),
        }
    }
}
