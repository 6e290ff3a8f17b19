//! What the threads ask of the rest of the runtime; `entry` implements it with `memory` and `io`, tests with mocks.

use std::sync::atomic::AtomicU64;

use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, Thread};

use crate::base::reference::{Object, Ref};

/// How many workers, how large the stacks.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Workers that may run, 1 or more; the others are started when first needed.
    pub workers: usize,
    /// Most lanes, lane 0 included.
    pub lanes: usize,
    /// Bytes reserved for the main thread's stack (lane 0), and for each other lane. Not committed.
    pub main_stack: usize,
    pub lane_stack: usize,
    /// Bytes of address space that the process may have, if that is limited: then lanes are fewer and smaller.
    pub address_space: Option<usize>,
    /// Nanoseconds for which threads that compute run one after the other; 0 for no end (no ticker thread). A twentieth
    /// of it is a tick, at which it is looked whether another thread goes before them.
    pub slice: u64,
    /// Alignment of objects, for pieces that are allocated at `tcb.alloc` when they fit; 0: the host is always asked.
    pub align: usize,
    /// Deterministic mode: one worker, no ticker; the seed decides who runs when. The host's time must be virtual.
    pub seed: Option<u64>,
    /// Threads change their worker at random, with each tick: for tests of what they share. The rule that keeps threads
    /// together that communicate (fold.rs) would hide what is wrong between two workers.
    pub scatter: bool,
    /// Counts what such a run comes by.
    pub explored: Option<&'static Explored>,
    /// The host is told of every change of a thread ([`Host::changed`]), and its primitives of threads are called:
    /// nothing is left to the stubs then. [`crate::stop::tell_changes`] does it for a while.
    pub trace: bool,
}

/// What runs by chance have come by. A run adds its own; several processes may share one.
#[derive(Default, Debug)]
pub struct Explored {
    /// Points where another thread could have gone on: safepoints and accesses.
    pub points: AtomicU64,
    pub accesses: AtomicU64,
    /// Times that another thread went on than the one before.
    pub switches: AtomicU64,
}

/// What becomes of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Made,
    /// Runs on this worker from now on, or goes on although it was about to block.
    Runs,
    /// Is about to block, for `Thread::reason`.
    Blocks,
    /// Is about to go to the end of a queue.
    Yields,
    /// Was blocked or new, and is ready.
    Ready,
    /// Likewise, by the thread that has just blocked or yielded on this worker; it is to run at once, if it can.
    Handed,
    Ends,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            workers: 1,
            lanes: 256,
            main_stack: 4 << 30,
            lane_stack: 4 << 30,
            address_space: None,
            slice: 20_000_000,
            align: 0,
            seed: None,
            scatter: false,
            explored: None,
            trace: false,
        }
    }
}

/// The rest of the runtime, as the threads see it. All functions run on a worker's C stack unless they say otherwise.
pub trait Host: Sync {
    /// A new `ObjectKind::Stack` object of this many payload words (header written, payload not), or none when a
    /// collection must come first. Never collects and moves nothing. The payload is filled before the next safepoint.
    /// When the object is not in the nursery it counts as logged.
    ///
    /// # Safety
    /// `tcb` is the calling worker's.
    unsafe fn alloc_stack(&self, tcb: *mut Tcb, words: usize) -> Ref<StackPiece>;

    /// Collects, so that `bytes` can be allocated next. The fibers' roots are [`crate::Fibers::roots`]. When memory is
    /// used up for good it does not return.
    ///
    /// # Safety
    /// As above; no raw reference survives the call.
    unsafe fn collect(&self, tcb: *mut Tcb, bytes: usize);

    /// The OS thread that ends time slices begins, and the program has one worker: it will use no descriptor. On that
    /// OS thread.
    fn ticker_started(&self) {}

    /// The system gives no OS thread for that: no thread is interrupted at the end of its time slice.
    fn no_ticker(&self, _error: &std::io::Error) {}

    /// A reference was stored into `object`, whose header has `UNLOGGED` (the caller looked): logs it.
    ///
    /// # Safety
    /// As above.
    unsafe fn write_barrier(&self, tcb: *mut Tcb, object: Ref<Object>);

    /// Gives `tcb.alloc_limit` its true value again after a safepoint had set it to `LIMIT_STOP`.
    ///
    /// # Safety
    /// As above.
    unsafe fn restore_alloc_limit(&self, tcb: *mut Tcb);

    /// Makes ready (with [`crate::ready`]) the threads whose time-out or I/O is due, without waiting. Called by a
    /// worker after a wait, at a tick if they may be due ([`Host::due_in`]), and once in a few hundred switches: then
    /// `often` is true, and what costs much may be left out. False: it was, so that the ticker asks for it.
    ///
    /// # Safety
    /// As above. May not collect.
    unsafe fn events(&self, tcb: *mut Tcb, often: bool) -> bool;

    /// The most bytes that a stack may have now, beside other deep stacks of so many bytes. Asked by one that has come
    /// to 4 MiB, and each time that it has doubled.
    fn stack_max(&self, _others: usize) -> usize {
        usize::MAX
    }

    /// In how many nanoseconds a time-out or I/O may be due that no idle worker waits for, 0 for now, or for any time;
    /// then workers that compute are asked to look. None: nothing is waited for. Called each tick on the ticker's OS
    /// thread, which takes no lock here that the child of a fork would miss.
    fn due_in(&self) -> Option<u64> {
        None
    }

    /// A time slice has ended, outside of atomic sections. Some: the running thread was given up, and the value is what
    /// a function that switched threads returned.
    ///
    /// # Safety
    /// As above; the result is returned at once.
    unsafe fn cancel(&self, _tcb: *mut Tcb) -> Option<u64> {
        None
    }

    /// Whether a timer, a descriptor or anything else outside may still make a thread ready.
    fn pending(&self) -> bool;

    /// Blocks the calling OS thread until an event is due or [`Host::wake`] is called for this worker (also when that
    /// was before the wait), or for about so many nanoseconds. Touches no heap object: another worker may collect
    /// meanwhile.
    fn wait(&self, worker: usize, most: Option<u64>);

    /// Ends the wait of this worker; any OS thread.
    fn wake(&self, worker: usize);

    /// No thread can run and nothing is pending. Makes a thread ready (a deadlock report's handler), or does not
    /// return, or returns false: then the worker leaves with [`crate::base::worker::DEADLOCK`].
    ///
    /// # Safety
    /// As above.
    unsafe fn deadlock(&self, tcb: *mut Tcb) -> bool;

    /// No handler for this packet; the stack is intact, see [`crate::backtrace`]. Does not return, or ends in
    /// [`crate::exit`] or [`crate::leave`]; its result is theirs.
    ///
    /// # Safety
    /// As above.
    unsafe fn uncaught(&self, tcb: *mut Tcb, packet: u64) -> u64;

    /// The closure of the running thread has returned, and the thread has properties, by which somebody may wait for
    /// that. Ends in [`crate::exit`]; its result is that one's.
    ///
    /// # Safety
    /// As above.
    unsafe fn returned(&self, tcb: *mut Tcb) -> u64 {
        // SAFETY: as the caller says.
        unsafe { crate::exit(tcb) }
    }

    /// A worker starts on a new OS thread: fills the block's `alloc`, `globals`, `exn_*`, `memory`, `entry`, `io`.
    ///
    /// # Safety
    /// As above; no other worker is in a collection.
    unsafe fn worker_started(&self, tcb: *mut Tcb);

    /// An OS thread of a bound thread begins: prepares it, and calls `carry`, which comes back at its end. On that OS
    /// thread.
    fn carrier_started(&self, carry: &mut dyn FnMut()) {
        carry()
    }

    /// The worker goes to another OS thread, and has come to the calling one. The first is called before, on the OS
    /// thread that it leaves.
    fn carried_away(&self, _worker: usize) {}

    /// See [`Host::carried_away`].
    ///
    /// # Safety
    /// `tcb` is the calling worker's.
    unsafe fn carried(&self, _tcb: *mut Tcb) {}

    /// In the child of a fork, a bound thread's turn has come, and the system gives no OS thread for it (an error
    /// number). Ends the process.
    fn cannot_carry(&self, _error: i32) -> ! {
        std::process::abort()
    }

    /// Deterministic mode: another thread's turn has come. Virtual time may move on a little.
    fn turn(&self) {}

    /// A thread changes, by the running thread of this worker or on it. Called if [`Config::trace`] is set.
    ///
    /// # Safety
    /// `thread` is a thread object. May not collect.
    unsafe fn changed(&self, _worker: usize, _change: Change, _thread: *const Thread) {}

    /// The program has a second thread, and there is no address space for the lane of one: ends the process.
    fn no_lane(&self) -> ! {
        std::process::abort()
    }

    /// In the child of a fork: the block's worker has stayed behind, and what it keeps is of no use any more.
    ///
    /// # Safety
    /// No worker uses the block.
    unsafe fn gone(&self, _tcb: *mut Tcb) {}

    /// The program is over in the child of a fork, on an OS thread that has nobody to go back to. Ends the process.
    fn ended_in_child(&self) -> ! {
        std::process::abort()
    }

    /// The handler of a packet is about to be looked for, from the running thread's call into the runtime. Called after
    /// `Fibers::note_raises`. No safepoint.
    ///
    /// # Safety
    /// As above.
    unsafe fn raised(&self, tcb: *mut Tcb, packet: u64) {
        let _ = (tcb, packet);
    }

    /// A handler that will raise this packet again asks to keep where it was raised ([`crate::unwind::passed`]). No
    /// safepoint.
    ///
    /// # Safety
    /// As above.
    unsafe fn placed(&self, tcb: *mut Tcb, packet: u64) {
        let _ = (tcb, packet);
    }

    // -- stack markers of the collector: one for each lane, see [`crate::Fibers::set_marker`]. Called only for a lane
    // whose marker pair is not (0, 0); each of them ends with `set_marker`.

    /// A return went through the marker of this lane: gives the address to go to.
    ///
    /// # Safety
    /// On the C stack of the worker that runs the lane.
    unsafe fn marker_hit(&self, tcb: *mut Tcb, lane: usize) -> usize;

    /// A raise goes on at a frame beyond the marker; `sp` is that frame's stack pointer.
    ///
    /// # Safety
    /// As above.
    unsafe fn marker_unwound(&self, tcb: *mut Tcb, lane: usize, sp: usize);

    /// The frames of this lane are about to be copied away: the marker is taken out. A walk of them starts at `fp`,
    /// `ret_slot`.
    ///
    /// # Safety
    /// As above, or nobody runs on the lane.
    unsafe fn marker_remove(&self, tcb: *mut Tcb, lane: usize, fp: usize, ret_slot: usize);

    /// The lane is empty: its thread ended or died.
    fn marker_forget(&self, lane: usize);
}
