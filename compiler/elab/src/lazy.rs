//! Arenas that are loaded from an image without decoding: an item is decoded when it is first looked at.
//!
//! A program uses a small part of what the Basis has, and the image is loaded at every start. So loading copies the
//! bytes of an arena (some tens of kilobytes), and nothing more. [`TypeTable`] is such an arena of types with the hash
//! table that finds equal ones, made when the image was written.
//!
//! ```text
//! u32 little-endian: offset of each item, and the end
//! postcard: each item
//! ```

use crate::ir::{Ty, TyData};
use leat_base::EntityId;
use rustc_hash::{FxHashMap, FxHasher};
use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Deref, Index, IndexMut};
use std::sync::{Arc, OnceLock};

/// An [`leat_base::Arena`] whose first items may come from an image.
pub struct LazyArena<I, T> {
    image: Arc<[u8]>,
    /// Items of the image that were looked at.
    seen: Box<[OnceLock<Box<T>>]>,
    /// Items that were added after loading.
    added: Vec<T>,
    index: PhantomData<fn(I) -> I>,
}

impl<I: EntityId, T> LazyArena<I, T> {
    /// Adds an item and answers its id.
    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.added.push(item);
        id
    }

    /// The id that the next `push` will answer.
    pub fn next_id(&self) -> I {
        I::from_index(self.len())
    }

    /// How many items.
    pub fn len(&self) -> usize {
        self.seen.len() + self.added.len()
    }

    /// Is there no item?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items that are not from the image.
    pub fn added_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.added.iter_mut()
    }

    fn bytes_of(&self, i: usize) -> &[u8] {
        let offset = |i: usize| {
            let bytes = &self.image[4 * i..4 * i + 4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
        };
        &self.image[offset(i)..offset(i + 1)]
    }
}

impl<I: EntityId, T: DeserializeOwned> LazyArena<I, T> {
    /// The item, if there is one with that id.
    pub fn get(&self, id: I) -> Option<&T> {
        let i = id.index();
        match self.seen.get(i) {
            Some(cell) => Some(cell.get_or_init(|| self.decode(i))),
            None => self.added.get(i - self.seen.len()),
        }
    }

    /// Ids with their items, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        (0..self.len()).map(|i| (I::from_index(i), &self[I::from_index(i)]))
    }

    fn decode(&self, i: usize) -> Box<T> {
        // The image was written by the same build, beside the code: bytes that do not fit are a broken executable.
        Box::new(postcard::from_bytes(self.bytes_of(i)).expect("the image of the Basis is damaged"))
    }
}

impl<I: EntityId, T: DeserializeOwned> Index<I> for LazyArena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        let i = id.index();
        match self.seen.get(i) {
            Some(cell) => match cell.get() {
                Some(item) => item,
                None => cell.get_or_init(|| self.decode(i)),
            },
            None => &self.added[i - self.seen.len()],
        }
    }
}

impl<I: EntityId, T: DeserializeOwned> IndexMut<I> for LazyArena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        let i = id.index();
        if i >= self.seen.len() {
            let i = i - self.seen.len();
            return &mut self.added[i];
        }
        if self.seen[i].get().is_none() {
            self.seen[i] = OnceLock::from(self.decode(i));
        }
        self.seen[i].get_mut().expect("decoded a line above")
    }
}

impl<I, T> Default for LazyArena<I, T> {
    fn default() -> Self {
        LazyArena { image: Arc::new([]), seen: Box::new([]), added: Vec::new(), index: PhantomData }
    }
}

impl<I, T: Clone> Clone for LazyArena<I, T> {
    fn clone(&self) -> Self {
        LazyArena { image: self.image.clone(), seen: self.seen.clone(), added: self.added.clone(), index: PhantomData }
    }
}

impl<I, T> fmt::Debug for LazyArena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items from the image, {} more", self.seen.len(), self.added.len())
    }
}

impl<I: EntityId, T: Serialize + DeserializeOwned> Serialize for LazyArena<I, T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut items = Vec::new();
        let first = 4 * (self.len() as u32 + 1);
        let mut offsets = vec![first];
        for (_, item) in self.iter() {
            items = postcard::to_extend(item, items).map_err(serde::ser::Error::custom)?;
            offsets.push(first + items.len() as u32);
        }
        let mut bytes: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
        bytes.extend(items);
        s.serialize_bytes(&bytes)
    }
}

impl<'de, I, T> Deserialize<'de> for LazyArena<I, T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let image = d.deserialize_bytes(Bytes)?;
        let first = image.get(0..4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        let Some(n) = first.and_then(|f| (f as usize / 4).checked_sub(1)) else {
            return Err(D::Error::custom("an arena without its offsets"));
        };
        Ok(LazyArena { image, seen: (0..n).map(|_| OnceLock::new()).collect(), added: Vec::new(), index: PhantomData })
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Arc<[u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(bytes.into())
    }
}

// ------------------------------------------------------------------------- types

/// Interned types: equal ones have equal ids.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: LazyArena<Ty, TyData>,
    /// The image's hash table, open addressing with linear probing; a power of two of slots, each a little-endian u32:
    /// 0 is free, else the highest bits are the hash's and the lowest [`ID_BITS`] the id plus one.
    slots: Arc<[u8]>,
    /// Ids of the types that were added after loading.
    ids: FxHashMap<TyData, Ty>,
}

const ID_BITS: u32 = 20;
const ID_MASK: u32 = (1 << ID_BITS) - 1;

fn hash(data: &TyData) -> u64 {
    let mut hasher = FxHasher::default();
    data.hash(&mut hasher);
    hasher.finish()
}

impl TypeTable {
    /// The id of a type.
    pub fn intern(&mut self, data: TyData) -> Ty {
        if let Some(ty) = self.find_in_image(&data) {
            return ty;
        }
        if let Some(&ty) = self.ids.get(&data) {
            return ty;
        }
        let ty = self.types.push(data.clone());
        self.ids.insert(data, ty);
        ty
    }

    fn find_in_image(&self, data: &TyData) -> Option<Ty> {
        let count = self.slots.len() / 4;
        if count == 0 {
            return None;
        }
        let hash = hash(data);
        let tag = (hash >> 32) as u32 & !ID_MASK;
        let mut at = hash as usize & (count - 1);
        loop {
            let bytes = &self.slots[4 * at..4 * at + 4];
            let slot = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if slot == 0 {
                return None;
            }
            let ty = Ty((slot & ID_MASK) - 1);
            if slot & !ID_MASK == tag && self.types[ty] == *data {
                return Some(ty);
            }
            at = (at + 1) & (count - 1);
        }
    }

    fn make_slots(&self) -> Vec<u8> {
        let count = (2 * self.types.len()).next_power_of_two();
        let mut slots = vec![0u32; count];
        for (ty, data) in self.types.iter() {
            // What does not fit is only found to be new once more; no image has a million types.
            if ty.0 + 1 > ID_MASK {
                break;
            }
            let hash = hash(data);
            let mut at = hash as usize & (count - 1);
            while slots[at] != 0 {
                at = (at + 1) & (count - 1);
            }
            slots[at] = (hash >> 32) as u32 & !ID_MASK | (ty.0 + 1);
        }
        slots.iter().flat_map(|s| s.to_le_bytes()).collect()
    }
}

impl Deref for TypeTable {
    type Target = LazyArena<Ty, TyData>;
    fn deref(&self) -> &Self::Target {
        &self.types
    }
}

/// Bytes as one item.
struct Blob(Arc<[u8]>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_bytes(Bytes).map(Blob)
    }
}

impl Serialize for TypeTable {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        (&self.types, Blob(self.make_slots().into())).serialize(s)
    }
}

impl<'de> Deserialize<'de> for TypeTable {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (types, slots): (_, Blob) = Deserialize::deserialize(d)?;
        if !slots.0.is_empty() && !(slots.0.len() / 4).is_power_of_two() {
            return Err(D::Error::custom("a hash table that is not a power of two"));
        }
        Ok(TypeTable { types, slots: slots.0, ids: FxHashMap::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::TyName;

    #[test]
    fn a_loaded_table_knows_its_types() {
        let mut table = TypeTable::default();
        let all: Vec<TyData> = (0..1000)
            .map(|i| match i % 2 {
                0 => TyData::Con(TyName(i), vec![]),
                _ => TyData::Con(TyName(1), vec![Ty(i - 1), Ty(i / 2)]),
            })
            .collect();
        let ids: Vec<Ty> = all.iter().map(|d| table.intern(d.clone())).collect();
        let bytes = postcard::to_stdvec(&table).unwrap();
        let mut loaded: TypeTable = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(loaded.len(), table.len());
        let more = loaded.intern(TyData::Arrow(Ty(0), Ty(1)));
        assert_eq!(more.0 as usize, table.len());
        for (data, id) in all.iter().zip(ids) {
            assert_eq!(loaded.intern(data.clone()), id);
            assert_eq!(loaded[id], *data);
        }
        assert_eq!(loaded.intern(TyData::Arrow(Ty(0), Ty(1))), more);
        // And once more, with what was added.
        let again: TypeTable = postcard::from_bytes(&postcard::to_stdvec(&loaded).unwrap()).unwrap();
        assert_eq!(again[more], TyData::Arrow(Ty(0), Ty(1)));
    }
}
