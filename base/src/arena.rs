//! Vectors indexed by a u32 newtype of their own, which prints as in the dumps (`v12`).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A u32 newtype made by `entity!`.
pub trait EntityId: Copy + Eq {
    /// The id with this number.
    fn from_index(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// `entity!(VarId, "v")` makes a u32 newtype that prints as `v12`; several may be given,
/// separated by `;`, each with doc comments.
#[macro_export]
macro_rules! entity {
    ($($(#[$meta:meta])* $name:ident, $prefix:literal);+ $(;)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $crate::arena::EntityId for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                $name(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl $crate::__serde::Serialize for $name {
            fn serialize<S: $crate::__serde::Serializer>(&self, s: S) -> ::std::result::Result<S::Ok, S::Error> {
                s.serialize_u32(self.0)
            }
        }
        impl<'de> $crate::__serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__serde::Deserializer<'de>>(d: D) -> ::std::result::Result<Self, D::Error> {
                <u32 as $crate::__serde::Deserialize>::deserialize(d).map($name)
            }
        }
    )+};
}

/// A vector whose index is the newtype `I`. Nothing is ever taken out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arena<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    index: PhantomData<fn(I) -> I>,
}

impl<I: EntityId, T> Arena<I, T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Arena { items: Vec::new(), index: PhantomData }
    }

    /// An empty arena with room for `n`.
    pub fn with_capacity(n: usize) -> Self {
        Arena { items: Vec::with_capacity(n), index: PhantomData }
    }

    /// Adds an item and answers its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The id that the next `push` will answer.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// How many items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Is there no item?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, if there is one with that id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Ids with their items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// Ids with their items, in order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.items.iter_mut().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// The items, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items, in order.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Makes the arena long enough to have `id`, filling with `item`: for side tables.
    pub fn grow_to(&mut self, id: I, item: T)
    where
        T: Clone,
    {
        if id.index() >= self.items.len() {
            self.items.resize(id.index() + 1, item);
        }
    }

    /// Keeps the first `n` items.
    pub fn truncate(&mut self, n: usize) {
        self.items.truncate(n);
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The vector inside.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<I: EntityId, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<I: EntityId, T> From<Vec<T>> for Arena<I, T> {
    fn from(items: Vec<T>) -> Self {
        Arena { items, index: PhantomData }
    }
}

impl<I: EntityId, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Arena { items: items.into_iter().collect(), index: PhantomData }
    }
}

impl<I: EntityId, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: EntityId, T> IndexMut<I> for Arena<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: EntityId + fmt::Debug, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::entity! {
        /// A test variable.
        VarId, "v";
        BlockId, "b";
    }

    #[test]
    fn entities_print_as_in_dumps() {
        let mut a: Arena<VarId, &str> = Arena::new();
        assert_eq!(a.next_id(), VarId(0));
        let x = a.push("x");
        let y = a.push("y");
        assert_eq!((format!("{x}"), format!("{y:?}"), BlockId(3).to_string()), ("v0".into(), "v1".into(), "b3".into()));
        assert_eq!(a[y], "y");
        a.grow_to(VarId(5), "z");
        assert_eq!(a.len(), 6);
        assert_eq!(a.ids().next_back(), Some(VarId(5)));
    }
}
