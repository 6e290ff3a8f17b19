//! Allocation from runtime functions, collections, and waiting outside the heap.
//!
//! A runtime function that holds references over one of these calls passes them as `keep`: they are roots meanwhile,
//! and are up to date afterwards. Raw bits must not stand there.

use core::sync::atomic::Ordering;

use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_memory::{Collection, OutOfMemory, Refusal};

use crate::profile;
use crate::service::end;
use crate::service::roots::ProgramRoots;
use crate::state::arrivals;
use crate::state::runtime::{RUNNING, keeping, runtime};
use crate::state::trace;

/// An object with this header: raw payload 0, references immediate 1. When memory is used up, the compiled code that
/// has called the runtime goes on with the exception, and this does not return.
///
/// # Safety
/// `tcb` is the calling worker's, which runs a thread that has called the runtime; `keep` holds references; no lock is held.
#[inline]
pub unsafe fn allocate(tcb: *mut Tcb, header: u64, keep: &mut [u64]) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let (object, full) = match runtime().heap.alloc(tcb, header, None) {
            Ok(object) => (object, false),
            Err(refusal) => (again(tcb, keep, refusal, |tried| runtime().heap.alloc(tcb, header, tried)), true),
        };
        profile::allocated(tcb, object, full);
        object
    }
}

/// As [`allocate`], for the runtime's own needs, when no compiled code waits for it: used-up memory ends the program.
///
/// # Safety
/// As [`allocate`].
pub unsafe fn allocate_or_end(tcb: *mut Tcb, header: u64, keep: &mut [u64]) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        match runtime().heap.alloc(tcb, header, None) {
            Ok(object) => object,
            Err(refusal) => match retry(tcb, keep, refusal, |tried| runtime().heap.alloc(tcb, header, tried)) {
                Ok(object) => object,
                Err(what) => end::out_of_memory(tcb, what),
            },
        }
    }
}

/// As [`allocate`], but the payload may hold anything: the caller fills it before the next safepoint.
///
/// # Safety
/// As [`allocate`].
#[inline]
pub unsafe fn allocate_uninit(tcb: *mut Tcb, header: u64, keep: &mut [u64]) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let (object, full) = match runtime().heap.alloc_uninit(tcb, header, None) {
            Ok(object) => (object, false),
            Err(refusal) => (again(tcb, keep, refusal, |tried| runtime().heap.alloc_uninit(tcb, header, tried)), true),
        };
        profile::allocated(tcb, object, full);
        object
    }
}

/// A string of so many bytes, to be filled before the next safepoint.
///
/// # Safety
/// As [`allocate`].
#[inline]
pub unsafe fn new_string_with(tcb: *mut Tcb, length: usize, keep: &mut [u64]) -> u64 {
    // SAFETY: as the caller says.
    unsafe { allocate_uninit(tcb, header::raw_array(0, length as u64), keep) }
}

/// A string of these bytes, which do not lie in the heap.
///
/// # Safety
/// As [`allocate`], with nothing kept.
pub unsafe fn new_string(tcb: *mut Tcb, bytes: &[u8]) -> u64 {
    // SAFETY: the string has room for the bytes.
    unsafe {
        let string = new_string_with(tcb, bytes.len(), &mut []);
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), string as *mut u8, bytes.len());
        string
    }
}

/// Makes room for `bytes` at the worker's allocation pointer. Used-up memory as in [`allocate`].
///
/// # Safety
/// `tcb` is the calling worker's; no raw reference survives the call.
pub unsafe fn make_room(tcb: *mut Tcb, bytes: usize) {
    // SAFETY: as the caller says.
    unsafe {
        profile::allocated(tcb, 0, true);
        if let Err(refusal) = runtime().heap.alloc_slow(tcb, bytes, None) {
            again(tcb, &mut [], refusal, |tried| runtime().heap.alloc_slow(tcb, bytes, tried));
        }
        profile::room(tcb, bytes);
    }
}

/// Collects as the refusal asks and tries again, until there is room; or raises.
#[cold]
unsafe fn again<T>(
    tcb: *mut Tcb,
    keep: &mut [u64],
    refusal: Refusal,
    attempt: impl FnMut(Option<Collection>) -> Result<T, Refusal>,
) -> T {
    // SAFETY: as the caller says.
    unsafe {
        match retry(tcb, keep, refusal, attempt) {
            Ok(result) => result,
            Err(what) => end::raise_out_of_memory(tcb, what),
        }
    }
}

/// Collects as the refusal asks and tries again, until there is room or none to be had.
unsafe fn retry<T>(
    tcb: *mut Tcb,
    keep: &mut [u64],
    mut refusal: Refusal,
    mut attempt: impl FnMut(Option<Collection>) -> Result<T, Refusal>,
) -> Result<T, OutOfMemory> {
    loop {
        match refusal {
            // SAFETY: as the caller says.
            Refusal::Collect(kind) => unsafe {
                let collected = match try_collect(tcb, kind, keep) {
                    Ok(collected) => collected,
                    Err(what) if what.is_last => end::out_of_memory(tcb, what),
                    Err(_) if ends_first(tcb) => true,
                    Err(what) => return Err(what),
                };
                match attempt(collected.then_some(kind)) {
                    Ok(result) => return Ok(result),
                    Err(next) => refusal = next,
                }
            },
            Refusal::OutOfMemory(what) => return Err(what),
        }
    }
}

/// Whether the thread goes on though the heap is full, in nurseries that are empty now. It does so in an atomic
/// section, for what it has begun there it ends; the next collection behind the section finds the heap full. See
/// [`end::raise_out_of_memory`]. And it does so while the program ends, by used-up memory perhaps: the exit functions
/// write out what streams have.
///
/// # Safety
/// `tcb` is the calling worker's.
unsafe fn ends_first(tcb: *mut Tcb) -> bool {
    // SAFETY: the calling worker's block.
    let is_atomic = unsafe { (*tcb).atomic_depth > 0 };
    is_atomic || runtime().exit_code.load(Ordering::Relaxed) != RUNNING
}

/// Stops the world and collects. False: another worker has collected first, and this one need not any more, perhaps.
/// Where the heap is full all the same, the nurseries are empty, and the next collection for a thread that allocates
/// tells it so.
///
/// # Safety
/// As [`allocate`].
pub unsafe fn collect(tcb: *mut Tcb, kind: Collection, keep: &mut [u64]) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        match try_collect(tcb, kind, keep) {
            Ok(done) => done,
            Err(what) if what.is_last => end::out_of_memory(tcb, what),
            Err(_) => true,
        }
    }
}

/// A minor collection for the sake of what is kept beside the heap. Whether the heap is full all the same, the next
/// allocation sees.
///
/// # Safety
/// As [`allocate`].
pub unsafe fn collect_what_is_dead(tcb: *mut Tcb, keep: &mut [u64]) {
    // SAFETY: as the caller says.
    let _ = unsafe { try_collect(tcb, Collection::Minor, keep) };
}

/// As [`collect`]; the error is a heap that is full even so. After the last one that the heap gives
/// ([`OutOfMemory::is_last`]) the program ends, whatever it would do: it has been told, and has kept more.
unsafe fn try_collect(tcb: *mut Tcb, kind: Collection, keep: &mut [u64]) -> Result<bool, OutOfMemory> {
    let mut result: Result<(), OutOfMemory> = Ok(());
    // SAFETY: everybody is stopped while the closure runs.
    let done = unsafe {
        let _span = trace::collection((*tcb).worker as usize, kind);
        let _collecting = profile::collecting();
        let phases = trace::Phases::begin(tcb);
        let collect = |tcbs: &[*mut Tcb]| {
            let phases = phases.map(|phases| phases.stopped(runtime().heap.stats(None)));
            let mut roots = ProgramRoots::new(runtime(), tcbs);
            runtime().heap.set_stacks(runtime().fibers.deep_stacks());
            result = runtime().heap.collect(kind, tcbs, &mut roots);
            if let Some(phases) = phases {
                phases.collected(runtime().heap.stats(None));
            }
            if kind > Collection::Minor {
                runtime().fibers.trim();
            }
        };
        keeping(tcb, keep, || leat_fiber::stop_world(tcb, collect))
    };
    if done {
        arrivals::collected();
    }
    result.map(|()| done)
}

/// Runs a function that may wait for the system and touches no heap object; the world may be stopped meanwhile.
///
/// # Safety
/// As [`allocate`].
pub unsafe fn while_blocked<T>(tcb: *mut Tcb, keep: &mut [u64], wait: impl FnOnce() -> T) -> T {
    // SAFETY: the references stand where the collector finds them.
    unsafe {
        keeping(tcb, keep, || {
            runtime().blocked_calls.fetch_add(1, Ordering::SeqCst);
            let result = leat_fiber::blocking(tcb, wait);
            runtime().blocked_calls.fetch_sub(1, Ordering::SeqCst);
            result
        })
    }
}
