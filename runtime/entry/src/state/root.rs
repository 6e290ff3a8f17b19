//! References that the runtime keeps outside of the heap: each a root of the collector's, or none, for objects of one kind.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use leat_fiber::NONE;

/// The kind of objects that SML functions are; that of threads is [`Thread`](leat_abi::thread::Thread).
pub enum Closure {}

/// A reference to an object of a kind. The collector moves objects: it is good until the next safepoint.
pub struct Ref<K>(u64, PhantomData<fn() -> K>);

impl<K> Clone for Ref<K> {
    fn clone(&self) -> Ref<K> {
        *self
    }
}

impl<K> Copy for Ref<K> {}

impl<K> Ref<K> {
    /// The word, as compiled code and the fibers have it.
    pub fn word(self) -> u64 {
        self.0
    }

    pub fn as_ptr(self) -> *const K {
        self.0 as *const K
    }
}

/// A place for such a reference. Any worker reads and writes it, between two collections.
pub struct Root<K>(AtomicU64, PhantomData<fn() -> K>);

impl<K> Root<K> {
    pub const fn none() -> Root<K> {
        Root(AtomicU64::new(NONE), PhantomData)
    }

    pub fn get(&self) -> Option<Ref<K>> {
        Root::of(self.0.load(Ordering::SeqCst))
    }

    /// `object` is one of this kind.
    pub fn set(&self, object: u64) {
        self.0.store(object, Ordering::SeqCst);
    }

    /// Afterwards there is none.
    pub fn take(&self) -> Option<Ref<K>> {
        Root::of(self.0.swap(NONE, Ordering::SeqCst))
    }

    pub fn is_none(&self) -> bool {
        self.get().is_none()
    }

    /// Is it this object?
    pub fn is(&self, object: u64) -> bool {
        self.0.load(Ordering::SeqCst) == object && object != NONE
    }

    /// For the collector.
    pub fn slot(&self) -> *mut u64 {
        self.0.as_ptr()
    }

    fn of(word: u64) -> Option<Ref<K>> {
        (word != NONE).then_some(Ref(word, PhantomData))
    }
}
