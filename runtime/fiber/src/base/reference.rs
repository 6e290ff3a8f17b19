//! References to heap objects as the runtime has them: a word of a kind, one value of which is none.
//!
//! Compiled code, the fields of objects and the collector's slots have words. A word becomes a reference where it comes
//! in ([`Ref::of`]), and is one again where it is stored ([`Ref::word`]); in between the kind says what it is. The
//! collector moves objects: a reference is good until the next safepoint, unless it stands in a root.

use std::fmt;
use std::marker::PhantomData;

/// The word of [`Ref::NONE`]: an immediate, which the collector does not follow.
pub const NONE: u64 = 1;

/// The kind of objects that SML functions are. That of threads is [`Thread`](leat_abi::thread::Thread), that of saved
/// frames [`StackPiece`](leat_abi::thread::StackPiece).
pub enum Closure {}

/// The kind of objects of which nothing but the first field is known here: what has a lock or a continuation there.
pub enum Cell {}

/// The kind of any object.
pub enum Object {}

/// A reference to an object of a kind, or none.
#[repr(transparent)]
pub struct Ref<K>(u64, PhantomData<fn() -> K>);

impl<K> Ref<K> {
    pub const NONE: Ref<K> = Ref(NONE, PhantomData);

    /// The word is an object of this kind, or [`NONE`].
    #[inline(always)]
    pub const fn of(word: u64) -> Ref<K> {
        Ref(word, PhantomData)
    }

    #[inline(always)]
    pub fn from_ptr(object: *const K) -> Ref<K> {
        Ref::of(object as u64)
    }

    /// The word, as compiled code and the collector have it.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Where the object's payload is. Of no meaning if there is none.
    #[inline(always)]
    pub const fn as_ptr(self) -> *mut K {
        self.0 as *mut K
    }

    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == NONE
    }

    #[inline(always)]
    pub fn some(self) -> Option<Ref<K>> {
        (!self.is_none()).then_some(self)
    }

    /// The same object, as one of another kind.
    #[inline(always)]
    pub const fn cast<L>(self) -> Ref<L> {
        Ref::of(self.0)
    }

    /// For the collector, which writes where the object has been moved to.
    pub(crate) fn slot(&mut self) -> *mut u64 {
        &raw mut self.0
    }
}

impl<K> Clone for Ref<K> {
    #[inline(always)]
    fn clone(&self) -> Ref<K> {
        *self
    }
}

impl<K> Copy for Ref<K> {}

impl<K> PartialEq for Ref<K> {
    #[inline(always)]
    fn eq(&self, other: &Ref<K>) -> bool {
        self.0 == other.0
    }
}

impl<K> Eq for Ref<K> {}

impl<K> fmt::Debug for Ref<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("none") } else { write!(f, "{:#x}", self.0) }
    }
}
