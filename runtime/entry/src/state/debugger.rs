//! A program under a debugger: what its probes look at, and who is asked when one of them stops.
//!
//! A probe is a call of [`Probes::passed`] by way of `debug_probe`: it counts, and seldom says that somebody wants to
//! look. Who looks is a [`Watcher`]: it is called on the worker's OS thread, the only one that runs SML code, so
//! nothing of the program moves meanwhile. docs/internals/decisions/023-debugger.md says why it is so.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// Memory that the program's process shares with that of the debugger, so that it outlives a crash.
#[repr(C)]
#[derive(Default, Debug)]
pub struct Shared {
    /// How many probes were passed.
    pub count: AtomicU64,
    /// Not 0: the next probe stops.
    pub pause: AtomicU64,
    /// Not 0: the program has made a socket, and what comes through it from outside is not repeated.
    pub sockets: AtomicU64,
}

/// What probes look at. All of it is set before the program starts, or by the watcher while the program stands still.
#[derive(Debug)]
pub struct Probes {
    shared: AtomicPtr<Shared>,
    /// A byte for each place: not 0 when somebody wants to look there.
    flags: AtomicPtr<AtomicU8>,
    places: AtomicUsize,
    /// Every probe is looked at.
    every: AtomicBool,
    /// So is the one of this number.
    target: AtomicU64,
}

pub static PROBES: Probes = Probes {
    shared: AtomicPtr::new(core::ptr::null_mut()),
    flags: AtomicPtr::new(core::ptr::null_mut()),
    places: AtomicUsize::new(0),
    every: AtomicBool::new(false),
    target: AtomicU64::new(0),
};

impl Probes {
    /// Before the program starts. Both live as long as the process.
    pub fn begin(&self, shared: &'static Shared, flags: &'static [AtomicU8]) {
        self.flags.store(flags.as_ptr().cast_mut(), Ordering::Relaxed);
        self.places.store(flags.len(), Ordering::Relaxed);
        self.shared.store(core::ptr::from_ref(shared).cast_mut(), Ordering::Relaxed);
    }

    fn shared(&self) -> Option<&'static Shared> {
        // SAFETY: null, or what `begin` was given.
        unsafe { self.shared.load(Ordering::Relaxed).as_ref() }
    }

    /// The program makes a socket.
    pub fn makes_socket(&self) {
        if let Some(shared) = self.shared() {
            shared.sockets.store(1, Ordering::Relaxed);
        }
    }

    /// How many probes were passed so far.
    pub fn count(&self) -> u64 {
        self.shared().map_or(0, |shared| shared.count.load(Ordering::Relaxed))
    }

    /// What is looked at besides the places that are flagged: every probe, or the one of this number.
    pub fn look_at(&self, every: bool, target: u64) {
        self.every.store(every, Ordering::Relaxed);
        self.target.store(target, Ordering::Relaxed);
    }

    /// A thread comes by this place; whether somebody wants to look.
    #[inline]
    pub fn passed(&self, place: usize) -> bool {
        let Some(shared) = self.shared() else { return false };
        // One worker runs: nobody else adds.
        let count = shared.count.load(Ordering::Relaxed) + 1;
        shared.count.store(count, Ordering::Relaxed);
        // SAFETY: the array that `begin` was given.
        let is_flagged = place < self.places.load(Ordering::Relaxed)
            && unsafe { (*self.flags.load(Ordering::Relaxed).add(place)).load(Ordering::Relaxed) } != 0;
        is_flagged
            || self.every.load(Ordering::Relaxed)
            || count == self.target.load(Ordering::Relaxed)
            || shared.pause.load(Ordering::Relaxed) != 0
    }
}

/// A thread of the program, as a debugger shows it.
#[derive(Clone, Debug)]
pub struct ThreadView {
    pub id: u64,
    pub is_main: bool,
    pub name: Option<String>,
    /// `running`, `ready`, or what it waits for, in the words of a report.
    pub does: String,
    pub is_running: bool,
}

/// A frame of a thread's stack.
#[derive(Clone, Debug)]
pub struct FrameView {
    /// The functions whose code runs in it, the innermost first: a function that became a part of its caller has no
    /// frame of its own.
    pub places: Vec<PlaceView>,
    /// Deeper frames have smaller numbers; the same frame always has the same.
    pub place: usize,
    /// The numbers of the scopes that the frame holds, the innermost first.
    pub scopes: Vec<u32>,
}

/// A function and its line.
#[derive(Clone, Debug)]
pub struct PlaceView {
    pub function: String,
    /// As the program may write it.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub is_library: bool,
}

/// A variable that is asked for, or a part of it.
#[derive(Clone, Default, Debug)]
pub struct Request {
    pub thread: u64,
    /// Counted from the innermost, as in [`View::frames`].
    pub frame: usize,
    /// The number of the scope: one that the frame holds, or one that captures nothing.
    pub scope: u32,
    /// Which entry of the frame's scope.
    pub variable: i64,
    /// From the variable to its part.
    pub path: Vec<i64>,
    /// How deep, and how many of the parts from which one on.
    pub depth: i64,
    pub first: i64,
    pub length: i64,
}

/// Why the program stands still.
#[derive(Clone, Debug)]
pub enum Why {
    /// A probe at this place.
    Probe(u32),
    /// An exception is about to be raised; `NAME: message`.
    Raised(String),
    /// Nobody handles it: the report.
    Uncaught(String),
    /// The report.
    Deadlock(String),
    /// What was asked for has been answered; still at the probe of this place.
    Answered(u32),
}

/// The program, while it stands still.
pub trait View {
    /// How many probes were passed.
    fn count(&self) -> u64;
    /// The running thread; 0 for none.
    fn thread(&self) -> u64;
    fn threads(&self) -> Vec<ThreadView>;
    /// At most so many frames, the innermost first; and whether there are more.
    fn frames(&self, thread: u64, most: usize) -> (Vec<FrameView>, bool);
    /// The places of the innermost frame of the running thread that has a handler; none without one. No frame further
    /// out is looked at: this is asked at each raise.
    fn handler(&self) -> Vec<PlaceView>;
    /// The number of the frame that the running thread is in: see [`FrameView::place`].
    fn place(&self) -> usize;
}

/// What the program does next.
#[derive(Clone, Debug)]
pub enum Next {
    Go,
    /// A variable is described; then the watcher is called again. Only at a probe.
    Describe(Request),
}

/// Who looks at the program.
pub trait Watcher: Send {
    fn stopped(&mut self, why: Why, view: &dyn View) -> Next;
    /// The description that was asked for.
    fn answered(&mut self, text: &str);
    /// This is a process that the program has forked: nobody looks at it. What connects it with the debugger is closed.
    fn forked(&mut self);
}

static WATCHER: Mutex<Option<Box<dyn Watcher>>> = Mutex::new(None);
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Before the program starts.
pub fn watch(watcher: Box<dyn Watcher>) {
    *WATCHER.lock().unwrap_or_else(|e| e.into_inner()) = Some(watcher);
    IS_ON.store(true, Ordering::Relaxed);
}

/// Whether the program runs under a debugger.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// In a process that the program has forked: it is not watched. Its probes would count for the program, whose shared
/// memory it has, too, and both would talk on one socket.
pub fn in_child() {
    if !is_on() {
        return;
    }
    IS_ON.store(false, Ordering::Relaxed);
    PROBES.shared.store(core::ptr::null_mut(), Ordering::Relaxed);
    let watcher = WATCHER.lock().unwrap_or_else(|e| e.into_inner()).take();
    if let Some(mut watcher) = watcher {
        watcher.forked();
        // It knows the whole program, and there is nothing in it to be given back.
        core::mem::forget(watcher);
    }
}

/// Calls the watcher, if there is one.
pub fn with<T>(work: impl FnOnce(&mut (dyn Watcher + 'static)) -> T) -> Option<T> {
    let mut watcher = WATCHER.lock().unwrap_or_else(|e| e.into_inner());
    watcher.as_mut().map(|watcher| work(&mut **watcher))
}
