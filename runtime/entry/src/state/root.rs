//! References that the runtime keeps outside of the heap: each a root of the collector's, or none, for objects of one
//! kind.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use leat_fiber::{NONE, Ref};

/// A place for a reference. Any worker reads and writes it, between two collections.
pub struct Root<K>(AtomicU64, PhantomData<fn() -> K>);

impl<K> Root<K> {
    pub const fn none() -> Root<K> {
        Root(AtomicU64::new(NONE), PhantomData)
    }

    pub fn get(&self) -> Option<Ref<K>> {
        Ref::of(self.0.load(Ordering::SeqCst)).some()
    }

    pub fn set(&self, object: Ref<K>) {
        self.0.store(object.word(), Ordering::SeqCst);
    }

    /// Afterwards there is none.
    pub fn take(&self) -> Option<Ref<K>> {
        Ref::of(self.0.swap(NONE, Ordering::SeqCst)).some()
    }

    pub fn is_none(&self) -> bool {
        self.get().is_none()
    }

    /// Is it this object?
    pub fn is(&self, object: Ref<K>) -> bool {
        self.get() == Some(object)
    }

    /// For the collector.
    pub fn slot(&self) -> *mut u64 {
        self.0.as_ptr()
    }
}
