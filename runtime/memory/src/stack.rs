//! Scanning frames: in place on a lane, and in `Stack` objects; and the stack marker that spares old frames.
//!
//! After Cheng, Harper and Lee, Generational stack collection and profile-driven pretenuring, PLDI 1998.
//!
//! ```text
//!   young end                                                     old end (base)
//!   | frames since the last scan |S installed | ... |S site | ... |S site | ... |
//!         scanned at a minor       not scanned: everything they hold is old
//! ```
//!
//! Keeps: G8 (docs/internals/runtime/collector.md): a frame at or beyond the marker has not been returned into since
//! the last collection, so it holds no reference to the nursery.
//!
//! Differences: one return address at a time is replaced. The others that may be (the *sites*, every 256th frame) are
//! only noted; when the marker is hit it moves to the next site, so a stack that unwinds between two collections is
//! never rescanned by more than a site's distance.

use leat_abi::code::CodeTable;
use leat_abi::thread::{STACK_PIECE_WORDS, StackPiece};
use leat_abi::walk::Walk;

/// Frames between the top and the first site, and the least number of unknown frames that are worth a marker.
const FIRST_SITE: usize = 24;
const WORTH_A_MARKER: usize = 64;
/// Frames from site to site.
const SITE_DISTANCE: usize = 256;

/// The marker of one stack. It belongs to the stack: `entry` keeps one for each lane, and tells `fiber` of
/// [`Marker::pair`] after each call of a function here.
#[derive(Debug, Default)]
pub struct Marker {
    /// Address of the replaced stack word, 0 for none. A hint: a tail call may have moved the word.
    slot: usize,
    /// What stood there.
    ret: usize,
    /// Return-address slots of older frames, oldest first, where the marker may go next.
    sites: Vec<usize>,
}

impl Marker {
    /// For `Fibers::set_marker` and [`Walk::new`]; `(0, 0)` when no return address is replaced.
    pub fn pair(&self) -> (usize, usize) {
        (self.slot, self.ret)
    }

    /// A return went through the marker: gives the address to go to, and moves the marker to the next site.
    ///
    /// # Safety
    /// Called by the marker's stub, on the stack that this marker belongs to.
    pub unsafe fn hit(&mut self, stub: usize) -> usize {
        let ret = self.ret;
        // SAFETY: the older sites are in frames that are still there: they could not go before the marker was hit.
        unsafe { self.install_next(stub) };
        ret
    }

    /// Frames below `sp` have gone without returning through the marker (a raise, whose walk saw a frame that was
    /// `marked`, up to and with the handler's).
    ///
    /// # Safety
    /// `sp` is the stack pointer of the frame where execution goes on, on this stack.
    pub unsafe fn unwound(&mut self, sp: usize, stub: usize) {
        while self.sites.last().is_some_and(|&site| site < sp) {
            self.sites.pop();
        }
        // SAFETY: the remaining sites are in frames older than the handler's.
        unsafe { self.install_next(stub) };
    }

    /// Puts the replaced return address back and forgets every site: before frames are copied away or looked at by
    /// somebody who does not know of markers. The next minor collection scans the whole stack.
    ///
    /// # Safety
    /// `fp` and `ret_slot` are where a walk of this stack starts; nobody runs on it.
    pub unsafe fn remove(&mut self, tables: &[&CodeTable], fp: usize, ret_slot: usize) {
        if self.slot != 0 {
            let mut walk = Walk::new(tables, fp, ret_slot, self.pair());
            // SAFETY: the caller vouches for the stack.
            while let Some(frame) = unsafe { walk.next() } {
                if frame.marked {
                    // SAFETY: the word is a return address of this stack.
                    unsafe { *(frame.ret_slot as *mut usize) = self.ret };
                    break;
                }
            }
        }
        self.forget();
    }

    /// The stack is empty: a thread has ended, or a new one begins on the lane.
    pub fn forget(&mut self) {
        self.slot = 0;
        self.ret = 0;
        self.sites.clear();
    }

    /// # Safety
    /// No return address is replaced, and the last site's frame is suspended.
    unsafe fn install_next(&mut self, stub: usize) {
        match self.sites.pop() {
            Some(slot) => {
                self.slot = slot;
                // SAFETY: a site is the address of a return address on this stack, and its frame has not run since it
                // was noted.
                unsafe {
                    self.ret = *(slot as *const usize);
                    *(slot as *mut usize) = stub;
                }
            }
            None => {
                self.slot = 0;
                self.ret = 0;
            }
        }
    }
}

/// Visits the reference slots of a stack in place, from the frame whose pointer is `fp` and whose return address stands
/// at `ret_slot`. A minor scan stops at the marker; afterwards the marker is set so that the frames seen now are not
/// seen again before they run. `stub` is the address of the marker's stub (0: never set one). Gives the number of
/// frames.
///
/// # Safety
/// The stack is intact and nobody runs on it; after a minor scan every visited slot refers to no young object.
pub unsafe fn scan_stack<V: FnMut(*mut u64)>(
    tables: &[&CodeTable],
    fp: usize,
    ret_slot: usize,
    marker: &mut Marker,
    stub: usize,
    minor: bool,
    visit: &mut V,
) -> usize {
    let mut walk = Walk::new(tables, fp, ret_slot, marker.pair());
    let mut frames = 0;
    let mut fresh = Vec::new();
    let mut beyond = false;
    // SAFETY: the caller vouches for the stack.
    while let Some(frame) = unsafe { walk.next() } {
        if frame.marked {
            marker.slot = frame.ret_slot;
            beyond = true;
            if minor {
                break;
            }
        }
        for &slot in frame.table.slots_of(frame.site) {
            visit((frame.sp + slot as usize) as *mut u64);
        }
        if !beyond && frames >= FIRST_SITE && (frames - FIRST_SITE).is_multiple_of(SITE_DISTANCE) {
            fresh.push(frame.ret_slot);
        }
        frames += 1;
    }
    if minor && stub != 0 && !fresh.is_empty() && (beyond || frames >= WORTH_A_MARKER) {
        if marker.slot != 0 {
            // SAFETY: the walk found the word that holds the stub just now.
            unsafe { *(marker.slot as *mut usize) = marker.ret };
            marker.sites.push(marker.slot);
        }
        marker.sites.extend(fresh.into_iter().rev());
        // SAFETY: the last site is a frame that this walk has seen, below the running one.
        unsafe { marker.install_next(stub) };
    }
    frames
}

/// Visits the references of a `Stack` object: those in its frames and the link to the next piece. `payload` is its
/// address, `words` its length.
///
/// # Safety
/// The object is whole, and no marker is among its return addresses.
pub unsafe fn scan_piece<V: FnMut(*mut u64)>(tables: &[&CodeTable], payload: u64, words: usize, visit: &mut V) {
    let piece = payload as *mut StackPiece;
    visit(piece as *mut u64);
    let bytes_at = payload as usize + STACK_PIECE_WORDS * 8;
    // SAFETY: the caller vouches for the object.
    let (base, fp, call_sp, room) = unsafe { ((*piece).base(), (*piece).fp(), (*piece).call_sp(), (*piece).room()) };
    let end = base + (words - STACK_PIECE_WORDS - room) * 8;
    let shift = bytes_at.wrapping_sub(base);
    let mut walk = Walk::new(tables, fp, call_sp, (0, 0)).moved(shift);
    // The piece may end with the return address into a frame that is not in it.
    while walk.position().1 < end && walk.position().0 + 8 <= end {
        // SAFETY: as above.
        let Some(frame) = (unsafe { walk.next() }) else { break };
        for &slot in frame.table.slots_of(frame.site) {
            let at = frame.sp + slot as usize;
            if at < end {
                visit(at.wrapping_add(shift) as *mut u64);
            }
        }
    }
}
