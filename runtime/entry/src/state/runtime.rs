//! The state of the running program: heap, fibers, events, arguments; one program at a time in a process.
//!
//! Primitives find it through [`runtime`], a worker's own part through [`worker`].

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use leat_abi::code::CodeTable;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{Thread, Waiter};
use leat_fiber::{Closure, Fibers};
use leat_io::Manager;
use leat_memory::{Collection, Heap, OutOfMemory, Refusal};

use crate::state::events::Events;
use crate::state::history::{History, Places};
use crate::state::markers::Markers;
use crate::state::messages::Messages;
use crate::state::options::RuntimeOptions;
use crate::state::output::{Output, Sink};
use crate::state::reentry::Call;
use crate::state::root::Root;
use crate::state::session::Session;
use crate::state::threads::AllThreads;

/// What all workers share.
pub struct Runtime {
    pub heap: Heap,
    pub fibers: Fibers,
    pub events: Events,
    pub options: RuntimeOptions,
    /// Code tables, for walks of the stack: a leaked slice, replaced by a longer one when a session adds a unit.
    pub(crate) tables: AtomicPtr<&'static [&'static CodeTable]>,
    /// The session whose units run here, if it is no program.
    pub session: Option<&'static Session>,
    /// The program's global slots.
    pub globals: *mut u64,
    /// `CommandLine.name` and `CommandLine.arguments`.
    pub name: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    /// Closures to run at exit, in order of registration. Roots.
    pub at_exit: Mutex<Vec<u64>>,
    /// The exit code while the program ends, or `RUNNING`.
    pub exit_code: AtomicU64,
    /// A child of `fork`: the OS thread that runs the program is all that it has.
    pub forked: AtomicBool,
    /// The thread that runs an exit function now.
    pub exit_thread: Root<Thread>,
    /// That thread is blocked for good: the signals' thread goes on with the next exit function.
    pub exit_stuck: AtomicBool,
    /// The thread in which signals are served, see [`crate::life::signals`].
    pub signal_thread: Root<Thread>,
    /// Serves the program's own signals.
    pub dispatcher: Root<Closure>,
    /// Evaluates what OS threads of C's call, see [`crate::state::reentry`].
    pub callbacks: Root<Closure>,
    pub main_thread: Root<Thread>,
    /// The waiter whose event is a deadlock.
    pub deadlock_waiter: Root<Waiter>,
    /// It needs no report.
    pub deadlock_quiet: AtomicBool,
    /// The library's function for uncaught exceptions of threads.
    pub uncaught_hook: Root<Closure>,
    /// It is told of the main thread's, too.
    pub uncaught_main: AtomicBool,
    /// The library's functions for messages of such ones.
    pub messages: Messages,
    /// Where exceptions were raised, by weak references to them.
    pub history: History,
    pub places: Places,
    /// The last stack that asked for more could have as much as the heap leaves, which was less than the option for
    /// stacks says.
    pub short_of_heap: AtomicBool,
    /// What the last `OutOfMemory` was raised for.
    pub last_refusal: Mutex<Option<OutOfMemory>>,
    /// Weak list of all threads.
    pub all_threads: Mutex<AllThreads>,
    /// How many threads were collected that had not ended.
    pub lost_threads: AtomicU64,
    /// Calls of the system that workers wait for. A program in which one is under way is not deadlocked.
    pub blocked_calls: AtomicUsize,
    /// The collector's stack markers, one for each lane.
    pub markers: Markers,
    pub began: Instant,
    /// The program asks for a summary of the collector's work at its end.
    pub summary: AtomicBool,
}

impl Runtime {
    /// Most bytes that a stack may have now, beside others of so many bytes.
    pub fn stack_max(&self, others: usize) -> usize {
        let (own, room) = (self.options.stack(), self.heap.room_for_stacks());
        let rest = room.saturating_sub(others);
        self.short_of_heap.store(rest < own, Ordering::Relaxed);
        rest.min(own)
    }

    /// What the last stack that was used up had no more of: bytes of one stack, or (true) of all, which the heap
    /// leaves.
    pub fn stack_limit(&self) -> (usize, bool) {
        match self.short_of_heap.load(Ordering::Relaxed) {
            true => (self.heap.room_for_stacks(), true),
            false => (self.options.stack(), false),
        }
    }

    /// Code tables, in ascending order of their code.
    pub fn tables(&self) -> &'static [&'static CodeTable] {
        // SAFETY: never null, never freed.
        unsafe { *self.tables.load(Ordering::Acquire) }
    }

    /// Makes these the code tables: all earlier ones, and new ones behind them.
    pub fn set_tables(&self, tables: &'static [&'static CodeTable]) {
        // The boxes are leaked: a walk on another worker may be reading the old ones.
        self.tables.store(Box::leak(Box::new(tables)), Ordering::Release);
        leat_fiber::set_tables(self.fibers, tables);
    }

    /// The list of all threads.
    pub fn all_threads(&self) -> MutexGuard<'_, AllThreads> {
        self.all_threads.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Forks by this function with those locks held that a child takes on its way to the end: another worker's would
    /// never be given back there. Nobody who has one of them waits for a lock that is held over a fork besides.
    pub fn around_fork<T>(&self, fork: impl FnOnce() -> T) -> T {
        let _exit = self.at_exit.lock();
        let _refusal = self.last_refusal.lock();
        let _threads = self.all_threads();
        let _messages = self.messages.lock();
        let _history = (self.history.hold(), self.places.hold());
        fork()
    }

    /// The list of all threads, with what the workers have noted since the last collection.
    ///
    /// # Safety
    /// All other workers are stopped or idle; the blocks are those of all workers.
    pub unsafe fn gather_threads(&self, tcbs: &[*mut Tcb]) -> MutexGuard<'_, AllThreads> {
        let mut all = self.all_threads();
        for &tcb in tcbs {
            // SAFETY: nobody else touches the worker's list.
            all.gather(unsafe { &mut (*worker(tcb)).threads });
        }
        all
    }
}

/// [`Runtime::exit_code`] before the end.
pub const RUNNING: u64 = u64::MAX;

// SAFETY: the raw pointer is to memory that stays for the program's life; what it refers to is SML's own business.
unsafe impl Send for Runtime {}
// SAFETY: as above; everything else is synchronised.
unsafe impl Sync for Runtime {}

/// A collection that was made for a piece of stack.
///
/// The word of it is for this piece alone, and the piece may find room without a word, at the allocation pointer, or be
/// wanted no more, since its thread was dead. So it says what it belongs to: it counts for nothing as soon as anything
/// has been allocated, or when another piece is wanted.
pub struct Tried {
    pub kind: Collection,
    pub words: usize,
    /// The allocation pointer.
    pub at: usize,
}

impl Tried {
    /// The collection, if it was made for a piece of so many words that is asked for at once.
    pub fn counts(self, words: usize, at: usize) -> Option<Collection> {
        (self.words == words && self.at == at).then_some(self.kind)
    }
}

/// One worker's part; `tcb.entry` points to it.
#[derive(Default)]
pub struct Worker {
    /// References that a runtime function holds while it collects or blocks: (first, how many). Owner only, and the
    /// collector while the owner is stopped.
    pub kept: (usize, usize),
    /// Why the last piece of stack was refused, and how many words it has; the collection that was made for its sake.
    /// Owner only.
    pub refused: Option<(Refusal, usize)>,
    pub tried: Option<Tried>,
    /// Threads made since the last collection: a part of [`Runtime::all_threads`]. Owner only, and the collector while
    /// the owner is stopped.
    pub threads: Vec<u64>,
    /// A stack for the next call that C may call back from. Owner only.
    pub spare_call: Option<&'static Call>,
}

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(core::ptr::null_mut());
static STDOUT: Output = Output::new(Sink::Descriptor(1));
static STDERR: Output = Output::new(Sink::Descriptor(2));

/// The running program's state. Only between its start and its end.
#[inline]
pub fn runtime() -> &'static Runtime {
    // SAFETY: compiled code runs only while a runtime is installed, and what is installed is never freed while it runs.
    unsafe { &*RUNTIME.load(Ordering::Acquire) }
}

/// The I/O manager of the running program.
#[inline]
pub(crate) fn io() -> &'static Manager {
    &runtime().events.io
}

/// Whether a program is running.
pub fn is_running() -> bool {
    !RUNTIME.load(Ordering::Acquire).is_null()
}

/// Makes a state the running program's.
pub(crate) fn install(runtime: *mut Runtime) {
    RUNTIME.store(runtime, Ordering::Release);
}

/// A worker's own part.
///
/// # Safety
/// `tcb` is an attached worker's block.
#[inline]
pub unsafe fn worker(tcb: *mut Tcb) -> *mut Worker {
    // SAFETY: set when the worker started.
    unsafe { (*tcb).entry as *mut Worker }
}

/// Runs `work`, in which the world may be stopped, with these references where the collector finds and mends them.
///
/// # Safety
/// `tcb` is the calling worker's; `work` does not come here again, and `keep` is not used in it.
pub unsafe fn keeping<T>(tcb: *mut Tcb, keep: &mut [u64], work: impl FnOnce() -> T) -> T {
    // SAFETY: the caller's promise: the owner writes `kept`.
    unsafe {
        (*worker(tcb)).kept = (keep.as_mut_ptr() as usize, keep.len());
        let result = work();
        (*worker(tcb)).kept = (0, 0);
        result
    }
}

/// Standard output.
pub fn stdout() -> &'static Output {
    &STDOUT
}

/// Standard error.
pub fn stderr() -> &'static Output {
    &STDERR
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collection for one piece of stack counted as tried for the next one, of another thread and another time: that
    /// one was refused for good, or made the nursery larger, though a collection would have made room.
    #[test]
    fn a_collection_counts_for_the_piece_that_it_was_made_for() {
        let tried = || Tried { kind: Collection::Full, words: 40, at: 1000 };
        assert_eq!(tried().counts(40, 1000), Some(Collection::Full));
        assert_eq!([tried().counts(41, 1000), tried().counts(40, 1008)], [None, None]);
    }
}
