//! Arenas that are loaded from an image without decoding: an item is decoded when it is first looked at.
//!
//! A program uses a small part of what the Basis has, and the image is loaded at every start. So loading keeps the
//! bytes of an arena, and makes nothing of them. [`TypeTable`] is such an arena of types with the hash
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

/// The image that the executable carries: its arenas are not even copied.
static IMAGE: OnceLock<&'static [u8]> = OnceLock::new();

/// Says that `image` will be decoded and lives for ever. Without it loading copies the bytes.
pub fn keep_image(image: &'static [u8]) {
    // A second image is copied, that is all.
    let _ = IMAGE.set(image);
}

/// Bytes of an image.
#[derive(Clone)]
enum Bytes {
    Kept(&'static [u8]),
    Copied(Arc<[u8]>),
}

impl Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Kept(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

impl Bytes {
    fn new(bytes: &[u8]) -> Bytes {
        if let Some(image) = IMAGE.get() {
            let at = (bytes.as_ptr() as usize).wrapping_sub(image.as_ptr() as usize);
            if let Some(kept) = at.checked_add(bytes.len()).and_then(|end| image.get(at..end)) {
                return Bytes::Kept(kept);
            }
        }
        Bytes::Copied(bytes.into())
    }

    fn word(&self, i: usize) -> u32 {
        let bytes = &self[4 * i..4 * i + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }
}

/// Cells that are made together when one of them is looked at.
const CHUNK: usize = 32;

type Chunk<T> = OnceLock<Box<[OnceLock<T>; CHUNK]>>;

/// An [`leat_base::Arena`] whose first items may come from an image.
pub struct LazyArena<I, T> {
    image: Bytes,
    /// How many items the image has.
    count: usize,
    /// Those that were looked at.
    seen: Box<[Chunk<T>]>,
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

    /// Is the item not from the image?
    pub fn is_added(&self, id: I) -> bool {
        id.index() >= self.count
    }

    /// How many items.
    pub fn len(&self) -> usize {
        self.count + self.added.len()
    }

    /// Is there no item?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all items from number `len` on, which are not from the image.
    pub fn truncate(&mut self, len: usize) {
        debug_assert!(len >= self.count);
        self.added.truncate(len.saturating_sub(self.count));
    }

    /// Items that are not from the image.
    pub fn added_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.added.iter_mut()
    }
}

fn new_chunk<T>() -> Box<[OnceLock<T>; CHUNK]> {
    Box::new([const { OnceLock::new() }; CHUNK])
}

impl<I: EntityId, T: DeserializeOwned> LazyArena<I, T> {
    /// The item, if there is one with that id.
    pub fn get(&self, id: I) -> Option<&T> {
        if id.index() < self.len() { Some(&self[id]) } else { None }
    }

    /// Ids with their items, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        (0..self.len()).map(|i| (I::from_index(i), &self[I::from_index(i)]))
    }

    /// The item number `i` of the image.
    #[inline]
    fn of_image(&self, i: usize) -> &T {
        let cell = &self.seen[i / CHUNK].get_or_init(new_chunk)[i % CHUNK];
        match cell.get() {
            Some(item) => item,
            None => cell.get_or_init(|| self.decode(i)),
        }
    }

    #[cold]
    fn decode(&self, i: usize) -> T {
        let bytes = &self.image[self.image.word(i) as usize..self.image.word(i + 1) as usize];
        // The image was written by the same build, beside the code: bytes that do not fit are a broken executable.
        postcard::from_bytes(bytes).expect("the image of the Basis is damaged")
    }
}

impl<I: EntityId, T: DeserializeOwned> Index<I> for LazyArena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        let i = id.index();
        if i < self.count { self.of_image(i) } else { &self.added[i - self.count] }
    }
}

impl<I: EntityId, T: DeserializeOwned> IndexMut<I> for LazyArena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        let i = id.index();
        if i >= self.count {
            let i = i - self.count;
            return &mut self.added[i];
        }
        self.of_image(i);
        let chunk = self.seen[i / CHUNK].get_mut().expect("made a line above");
        chunk[i % CHUNK].get_mut().expect("decoded two lines above")
    }
}

impl<I, T> Default for LazyArena<I, T> {
    fn default() -> Self {
        LazyArena { image: Bytes::Kept(&[]), count: 0, seen: Box::new([]), added: Vec::new(), index: PhantomData }
    }
}

impl<I, T: Clone> Clone for LazyArena<I, T> {
    fn clone(&self) -> Self {
        let (image, added) = (self.image.clone(), self.added.clone());
        LazyArena { image, count: self.count, seen: self.seen.clone(), added, index: PhantomData }
    }
}

impl<I, T> fmt::Debug for LazyArena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items from the image, {} more", self.count, self.added.len())
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
        let image = d.deserialize_bytes(BytesVisitor)?;
        let offsets = if image.len() < 4 { 0 } else { image.word(0) as usize / 4 };
        let Some(count) = offsets.checked_sub(1).filter(|_| 4 * offsets <= image.len()) else {
            return Err(D::Error::custom("an arena without its offsets"));
        };
        let seen = (0..count.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect();
        Ok(LazyArena { image, count, seen, added: Vec::new(), index: PhantomData })
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Bytes::new(bytes))
    }
}

// ------------------------------------------------------------------------- types

/// Interned types: equal ones have equal ids.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: LazyArena<Ty, TyData>,
    /// The image's hash table, open addressing with linear probing; a power of two of slots, each a little-endian u32:
    /// 0 is free, else the highest bits are the hash's and the lowest [`ID_BITS`] the id plus one.
    slots: Blob,
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

    /// Forgets all types from number `len` on, which are not from the image.
    pub fn truncate(&mut self, len: usize) {
        for i in len..self.types.len() {
            self.ids.remove(&self.types[Ty(i as u32)]);
        }
        self.types.truncate(len);
    }

    fn find_in_image(&self, data: &TyData) -> Option<Ty> {
        let count = self.slots.0.len() / 4;
        if count == 0 {
            return None;
        }
        let hash = hash(data);
        let tag = (hash >> 32) as u32 & !ID_MASK;
        let mut at = hash as usize & (count - 1);
        loop {
            let slot = self.slots.0.word(at);
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
#[derive(Clone)]
struct Blob(Bytes);

impl Default for Blob {
    fn default() -> Self {
        Blob(Bytes::Kept(&[]))
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_bytes(BytesVisitor).map(Blob)
    }
}

impl Serialize for TypeTable {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        (&self.types, Blob(Bytes::Copied(self.make_slots().into()))).serialize(s)
    }
}

impl<'de> Deserialize<'de> for TypeTable {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (types, slots): (_, Blob) = Deserialize::deserialize(d)?;
        if !slots.0.is_empty() && !(slots.0.len() / 4).is_power_of_two() {
            return Err(D::Error::custom("a hash table that is not a power of two"));
        }
        Ok(TypeTable { types, slots, ids: FxHashMap::default() })
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
