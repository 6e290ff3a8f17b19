//! The collector's stack markers: one for each lane; the fibers hold a copy of its pair for their own walks.

use std::cell::UnsafeCell;
use std::sync::OnceLock;

use leat_fiber::{Fibers, stub};
use leat_memory::Marker;

/// All lanes' markers. A marker is touched by the worker that owns its lane, or with all workers stopped.
pub struct Markers {
    lanes: usize,
    table: OnceLock<Box<[UnsafeCell<Marker>]>>,
}

// SAFETY: see the type: who touches an entry has it for itself.
unsafe impl Sync for Markers {}

impl Markers {
    pub fn new(lanes: usize) -> Markers {
        Markers { lanes, table: OnceLock::new() }
    }

    /// Does something to a lane's marker, and tells the fibers.
    ///
    /// # Safety
    /// The caller owns the lane, or all workers are stopped.
    pub unsafe fn with<T>(&self, fibers: Fibers, lane: usize, f: impl FnOnce(&mut Marker) -> T) -> T {
        let table = self.table.get_or_init(|| (0..self.lanes).map(|_| UnsafeCell::default()).collect());
        // SAFETY: as the caller says.
        unsafe {
            let marker = &mut *table[lane].get();
            let result = f(marker);
            fibers.set_marker(lane, marker.pair());
            result
        }
    }
}

/// What stands in place of a marked return address.
pub fn stub() -> usize {
    stub::marker_address()
}
