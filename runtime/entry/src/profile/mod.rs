//! `--profile=KIND:FILE`: what a program spends where -> a file that `leat profile` makes tables, pictures and other formats of.
//!
//! ```text
//!   time    a signal a millisecond per worker -> its stack, with the processor time since the last one
//!   alloc   each time that a nursery is full -> the stack, with the bytes allocated since the last time
//!   calls   code that counts, because it was compiled so -> each function in each chain of callers, with its counts
//!   wait    each time that a thread blocks -> its stack, with the time until it is ready, and until it runs
//! ```
//!
//! Each kind grows trees of calls ([`tree`]) and ends with [`file`]. A program that is not profiled pays nothing: no
//! signal comes, and the hooks here look at one word where something slow happens anyway.

mod alloc;
mod calls;
mod file;
mod names;
pub(crate) mod request;
mod time;
mod tree;
mod wait;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::{Change, stop};

use crate::state::runtime::runtime;
use crate::state::trace;

use request::Profile;
pub use request::{ProfileKind, Request};
use time::TIME;
pub use time::{Collecting, collecting};
use tree::Tree;

/// The profile of the running program.
static PROFILE: Mutex<Option<Profile>> = Mutex::new(None);
/// Whether waits are noted, and allocations.
static WAIT: AtomicBool = AtomicBool::new(false);
static ALLOC: AtomicBool = AtomicBool::new(false);

/// Begins the profile of the program that starts next.
pub fn begin(request: &Request, program: &[u8]) -> Result<(), String> {
    let program = String::from_utf8_lossy(program).into_owned();
    if request.kind == ProfileKind::Calls && runtime().tables().iter().all(|table| table.count_words == 0) {
        return Err(format!("{program} does not count its calls: make it with leat build --count-calls"));
    }
    // A file that cannot be written is told before the program has run for hours.
    std::fs::File::create(&request.file)
        .map_err(|error| format!("no profile can be written to {}: {error}", request.file))?;
    match request.kind {
        ProfileKind::Time => {
            time::begin(request.threads)?;
            TIME.store(true, Ordering::SeqCst);
        }
        ProfileKind::Wait => {
            wait::begin(request.threads);
            WAIT.store(true, Ordering::SeqCst);
        }
        ProfileKind::Alloc => {
            alloc::begin(request.threads, 0);
            ALLOC.store(true, Ordering::SeqCst);
        }
        ProfileKind::Calls => calls::begin(request.threads),
    }
    *PROFILE.lock().unwrap_or_else(|e| e.into_inner()) =
        Some(Profile { request: request.clone(), start: Instant::now(), program });
    Ok(())
}

/// A worker begins, on the calling OS thread.
///
/// # Safety
/// Its block is filled.
pub unsafe fn worker_started(tcb: *mut Tcb) {
    // SAFETY: as the caller says.
    unsafe {
        if TIME.load(Ordering::Relaxed) {
            time::attach(tcb);
        }
        if WAIT.load(Ordering::Relaxed) {
            wait::attach(tcb);
        }
    }
}

/// The worker leaves the calling OS thread for another one.
#[inline]
pub fn carried_away(worker: usize) {
    if TIME.load(Ordering::Relaxed) {
        time::carried_away(worker);
    }
}

/// The worker has come to the calling OS thread.
///
/// # Safety
/// `tcb` is the calling worker's.
#[inline]
pub unsafe fn carried(tcb: *mut Tcb) {
    if TIME.load(Ordering::Relaxed) {
        // SAFETY: as the caller says.
        unsafe { time::carried((*tcb).worker as usize) };
    }
}

/// The program is over: writes the file. False: that failed, and was said.
pub fn finish() -> bool {
    let Some(profile) = PROFILE.lock().unwrap_or_else(|e| e.into_inner()).take() else { return true };
    if profile.request.file.is_empty() {
        // One that the program asked for, and did not live to see.
        trees(profile.request.kind);
        return true;
    }
    let Err(error) = std::fs::write(&profile.request.file, text(&profile)) else { return true };
    let message = format!("no profile can be written to {}: {error}\n", profile.request.file);
    let _ = crate::state::runtime::stderr().print_now(message.as_bytes());
    false
}

/// Ends what is measured: the unit, and the trees.
fn trees(kind: ProfileKind) -> (&'static str, Vec<(String, Tree)>) {
    match kind {
        // They have no tree of samples: the file asks for them.
        ProfileKind::Calls => ("instructions", Vec::new()),
        ProfileKind::Time => {
            TIME.store(false, Ordering::SeqCst);
            ("ns", time::finish())
        }
        ProfileKind::Wait => {
            WAIT.store(false, Ordering::SeqCst);
            ("ns", wait::finish())
        }
        ProfileKind::Alloc => {
            ALLOC.store(false, Ordering::SeqCst);
            ("bytes", alloc::finish())
        }
    }
}

/// Ends the profile: the text of its file.
fn text(profile: &Profile) -> String {
    let elapsed = profile.start.elapsed();
    let (unit, trees) = trees(profile.request.kind);
    file::text(profile, unit, elapsed, &trees)
}

/// Begins a profile that the program asks for: of allocation from the next full nursery of each worker on; of waiting
/// with what begins to wait; of time at once on the calling worker, on others from their next safepoint on. False:
/// there is one already.
///
/// # Safety
/// `tcb` is the calling worker's, and this is a safepoint.
pub unsafe fn start_now(tcb: *mut Tcb, kind: ProfileKind, program: &[u8]) -> bool {
    let mut profile = PROFILE.lock().unwrap_or_else(|e| e.into_inner());
    if profile.is_some() || kind == ProfileKind::Time && time::begin(false).is_err() {
        return false;
    }
    let request = Request { kind, threads: false, file: String::new() };
    let program = String::from_utf8_lossy(program).into_owned();
    *profile = Some(Profile { request, start: Instant::now(), program });
    // SAFETY: as the caller says.
    unsafe {
        match kind {
            ProfileKind::Time => {
                TIME.store(true, Ordering::SeqCst);
                time::attach(tcb);
                runtime().fibers.interrupt();
            }
            ProfileKind::Alloc => {
                alloc::begin(false, runtime().heap.stats(Some(&*tcb)).allocated);
                ALLOC.store(true, Ordering::SeqCst);
            }
            ProfileKind::Wait => {
                wait::begin(false);
                WAIT.store(true, Ordering::SeqCst);
                // Who waits for the lock comes to no safepoint.
                drop(profile);
                tell_changes(tcb);
            }
            ProfileKind::Calls => {}
        }
    }
    true
}

/// The fibers tell of changes from now on if somebody wants to know of them.
///
/// # Safety
/// `tcb` is the calling worker's, and this is a safepoint.
pub unsafe fn tell_changes(tcb: *mut Tcb) {
    let is_wanted = WAIT.load(Ordering::SeqCst) || trace::is_on();
    // SAFETY: as the caller says; the blocks of workers are filled.
    unsafe {
        stop::tell_changes(tcb, is_wanted, |tcbs| {
            for &tcb in tcbs {
                wait::attach(tcb);
                trace::runs_already(tcb);
            }
        });
    }
}

/// A worker that was there before the profile of time began joins it. At a safepoint.
///
/// # Safety
/// `tcb` is the calling worker's.
#[inline]
pub unsafe fn join(tcb: *mut Tcb) {
    if TIME.load(Ordering::Relaxed) {
        // SAFETY: as the caller says.
        unsafe { time::join(tcb) };
    }
}

/// Ends the profile that [`start_now`] began: its text, as a file of `leat profile` has it.
///
/// # Safety
/// `tcb` is the calling worker's, and this is a safepoint.
pub unsafe fn stop_now(tcb: *mut Tcb, kind: ProfileKind) -> Option<String> {
    let mut held = PROFILE.lock().unwrap_or_else(|e| e.into_inner());
    let profile = held.take_if(|profile| profile.request.file.is_empty() && profile.request.kind == kind)?;
    let text = text(&profile);
    // Who waits for the lock comes to no safepoint.
    drop(held);
    if kind == ProfileKind::Wait {
        // SAFETY: as the caller says.
        unsafe { tell_changes(tcb) };
    }
    Some(text)
}

/// The child of a fork has no timers; the profile stays the parent's.
pub fn in_child() {
    TIME.store(false, Ordering::SeqCst);
    WAIT.store(false, Ordering::SeqCst);
    ALLOC.store(false, Ordering::SeqCst);
    // Who held the lock may have stayed behind.
    if let Ok(mut profile) = PROFILE.try_lock() {
        *profile = None;
    }
}

/// Whether the fibers are to tell of every change of a thread.
pub fn wants_changes(request: Option<&Request>) -> bool {
    request.is_some_and(|request| request.kind == ProfileKind::Wait)
}

/// A thread begins or ceases to run, or becomes ready.
///
/// # Safety
/// As [`crate::state::trace::changed`].
#[inline]
pub unsafe fn changed(worker: usize, change: Change, thread: *const Thread) {
    if WAIT.load(Ordering::Relaxed) {
        // SAFETY: as the caller says.
        unsafe { wait::changed(worker, change, thread) };
    }
}

/// A nursery is full (`object` is 0), or the runtime has allocated this object, and perhaps the nursery was too full
/// for it.
///
/// # Safety
/// `tcb` is the calling worker's, which runs a thread that has called the runtime.
#[inline]
pub unsafe fn allocated(tcb: *mut Tcb, object: u64, full: bool) {
    if ALLOC.load(Ordering::Relaxed) {
        // SAFETY: as the caller says.
        unsafe { alloc::note(tcb, object, full) };
    }
}

/// The nursery has room for so many bytes, after [`allocated`] has told that it is full.
///
/// # Safety
/// As [`allocated`].
#[inline]
pub unsafe fn room(tcb: *mut Tcb, bytes: usize) {
    if ALLOC.load(Ordering::Relaxed) {
        // SAFETY: as the caller says.
        unsafe { alloc::room(tcb, bytes) };
    }
}

/// A collection is over, the world still stopped; `forward` as in the collector's `Roots::after`.
#[inline]
pub fn after_collection(forward: &impl Fn(u64) -> Option<u64>) {
    if ALLOC.load(Ordering::Relaxed) {
        alloc::after(forward);
    }
}

/// The nursery of a program whose allocations are noted: small, for there is a note each time that it is full.
pub fn nursery(request: Option<&Request>) -> Option<usize> {
    request.filter(|request| request.kind == ProfileKind::Alloc).map(|_| alloc::NURSERY)
}

/// A worker has nothing to run, until this is dropped: no signal wakes it.
pub struct Idle(Option<*mut Tcb>);

#[inline]
pub fn idle(worker: usize) -> Idle {
    if !TIME.load(Ordering::Relaxed) {
        return Idle(None);
    }
    Idle(time::pause(worker))
}

impl Drop for Idle {
    fn drop(&mut self) {
        if let Some(tcb) = self.0 {
            time::resume(tcb);
        }
    }
}
