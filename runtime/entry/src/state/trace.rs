//! `--trace=FILE`: what workers and threads do -> a file for the viewers of Chrome and Perfetto, in the Trace Event Format.
//!
//! Two groups of tracks. Each worker has one: the thread that it runs, its collections and their phases, its idle
//! times, its time in the poller. Each thread has one: running, ready, or blocked and why; arrows go from who spawns or
//! wakes to who is spawned or woken; marks of the program ([`mark`]) are points.
//!
//! The fibers tell of every change of a thread ([`changed`]) outside of their stubs, which a traced program does
//! without: so a program that is not traced pays nothing on its fast paths. One lock orders the events of all workers;
//! they are written when some ten thousand bytes are there, so the memory that a trace takes grows with the threads
//! that live, not with the events. A file that ends early can be loaded too.
//!
//! A program may ask for a trace of itself while it runs ([`begin_now`]); that one stays in memory, up to a limit.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::Change;
use leat_io::own::Own;
use leat_memory::{Collection, Stats};

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Bytes of a trace that the program asks for while it runs, which stays in memory: later events are not in it.
const MOST_BYTES: usize = 64 << 20;

/// Threads that are followed at once; further ones have no spans of waiting.
const MOST_THREADS: usize = 1 << 20;

/// What a thread in a ready queue does; shorter times of it (ns) are not shown: a hand-over is none.
const READY: &str = "ready";
const SHORT: u64 = 1000;

/// Whether a program is being traced.
static ON: AtomicBool = AtomicBool::new(false);
static TRACE: Mutex<Option<Trace>> = Mutex::new(None);

/// The groups of tracks.
const WORKERS: u32 = 1;
const THREADS: u32 = 2;

/// What a thread that does not run does, and since when.
struct Waiting {
    since: u64,
    what: &'static str,
    /// Where the program has made it.
    made: Option<String>,
    /// The arrow that ends where it runs next; 0: none.
    flow: u64,
}

impl Waiting {
    fn name(&self) -> Name<'_> {
        Name::Waits(self.what, self.made.as_deref())
    }
}

/// What a worker runs.
#[derive(Clone, Copy)]
struct Running {
    thread: u64,
    since: u64,
}

/// What is known of a worker.
#[derive(Clone, Copy, Default)]
struct Worker {
    running: Option<Running>,
    /// The thread that it ran last, and when that stopped.
    last: (u64, u64),
}

/// Where a trace goes.
enum Out {
    /// Its name, and why it takes no more.
    File {
        file: Own,
        path: String,
        failed: Option<std::io::Error>,
    },
    Memory,
}

struct Trace {
    out: Out,
    buffer: String,
    start: Instant,
    waiting: HashMap<u64, Waiting>,
    /// Those that have a track.
    workers: Vec<Worker>,
    flows: u64,
}

/// Begins a trace of the program that starts next.
pub fn begin(path: &str) -> Result<(), String> {
    let file = File::create(path).map_err(|error| format!("no trace can be written to {path}: {error}"))?;
    let file = Own::from(OwnedFd::from(file));
    *lock() = Some(Trace::new(Out::File { file, path: path.to_string(), failed: None }));
    ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// Begins a trace that the program asks for, in memory: false when it is traced already. The fibers are to tell of
/// changes from now on.
pub fn begin_now() -> bool {
    let mut trace = lock();
    if trace.is_some() {
        return false;
    }
    *trace = Some(Trace::new(Out::Memory));
    ON.store(true, Ordering::SeqCst);
    true
}

/// The world stands: what this worker runs, it has run since the trace began.
///
/// # Safety
/// A worker's block.
pub unsafe fn runs_already(tcb: *mut Tcb) {
    // SAFETY: as the caller says; `current` is a thread, or none.
    let (worker, thread) = unsafe { ((*tcb).worker as usize, (*tcb).current) };
    if is_on() && thread > 1 {
        with(|trace, now| {
            if trace.workers.get(worker).is_none_or(|worker| worker.running.is_none()) {
                // SAFETY: as above.
                trace.runs(worker, unsafe { (*(thread as *const Thread)).id }, now);
            }
        });
    }
}

/// Ends the trace that [`begin_now`] has begun: its text.
pub fn finish_now() -> Option<String> {
    let trace = lock().take_if(|trace| matches!(trace.out, Out::Memory))?;
    ON.store(false, Ordering::SeqCst);
    Some(trace.ended())
}

/// The program is over: ends what is open, and the file. Why it is not whole, if it is not.
pub fn finish() -> Result<(), String> {
    if !ON.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let Some(mut trace) = lock().take() else { return Ok(()) };
    let Out::File { mut file, path, failed } = std::mem::replace(&mut trace.out, Out::Memory) else { return Ok(()) };
    let failed = failed.or_else(|| file.write_all(trace.ended().as_bytes()).err());
    failed.map_or(Ok(()), |error| Err(format!("no trace can be written to {path}: {error}\n")))
}

/// Whether somebody wants to know.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Runs `fork`, which tells whether this is the child: the trace stays the parent's.
pub fn around_fork(fork: impl FnOnce() -> bool) {
    let mut trace = lock();
    if fork() {
        ON.store(false, Ordering::Relaxed);
        if let Some(trace) = &mut *trace {
            trace.buffer.clear();
        }
        *trace = None;
    }
}

/// A thread begins or ceases to run, on this worker or by it; `made` says where the program has made what it waits for.
///
/// # Safety
/// `thread` is a thread object.
pub unsafe fn changed(worker: usize, change: Change, thread: *const Thread, made: Option<String>) {
    // SAFETY: as the caller says.
    let (id, reason) = unsafe { ((*thread).id, (*thread).reason) };
    with(|trace, now| match change {
        Change::Made => trace.released(worker, id, now, "new", false),
        Change::Runs => trace.runs(worker, id, now),
        Change::Blocks => trace.waits(worker, id, now, leat_fiber::reason::name(reason as u64), made),
        Change::Yields => trace.waits(worker, id, now, READY, None),
        Change::Ready => trace.released(worker, id, now, READY, false),
        Change::Handed => trace.released(worker, id, now, READY, true),
        Change::Ends => trace.ends(worker, id, now),
    });
}

/// A time span of a worker: ends when it is dropped.
pub struct Span {
    worker: usize,
    name: &'static str,
    since: u64,
}

/// Begins one, if the program is traced.
#[inline]
pub fn span(worker: usize, name: &'static str) -> Option<Span> {
    is_on().then(|| {
        let mut since = 0;
        with(|_, now| since = now);
        Span { worker, name, since }
    })
}

/// That of a collection.
#[inline]
pub fn collection(worker: usize, kind: Collection) -> Option<Span> {
    let name = match kind {
        Collection::Room | Collection::Minor => "minor collection",
        Collection::Major => "major collection",
        Collection::Full => "full collection",
        Collection::Pack => "packing collection",
    };
    span(worker, name)
}

/// The phases of a collection, which stand under its span.
#[derive(Clone, Copy)]
pub struct Phases {
    worker: usize,
    since: u64,
    /// What minor and major collections had taken before this one.
    before: (u64, u64),
}

impl Phases {
    /// The worker asks all others to stop.
    #[inline]
    #[allow(clippy::not_unsafe_ptr_arg_deref)] // a block lives as long as the program
    pub fn begin(tcb: *const Tcb) -> Option<Phases> {
        is_on().then(|| {
            let mut since = 0;
            with(|_, now| since = now);
            // SAFETY: the calling worker's block.
            Phases { worker: unsafe { (*tcb).worker } as usize, since, before: (0, 0) }
        })
    }

    /// All have stopped.
    pub fn stopped(self, stats: Stats) -> Phases {
        let mut stopped = 0;
        with(|trace, now| {
            stopped = now;
            trace.track_of(self.worker);
            trace.span(WORKERS, self.worker as u64, self.since, now, Name::Plain("stopping the workers"));
        });
        Phases { since: stopped, before: (stats.minor_ns, stats.major_ns), ..self }
    }

    /// What is young was copied, then, in a larger collection, what is old was marked and swept.
    pub fn collected(self, stats: Stats) {
        let young = stats.minor_ns - self.before.0;
        let old = stats.major_ns - self.before.1;
        with(|trace, now| {
            // Of two phases the first is told of late.
            let middle = if old > 0 { (self.since + young).min(now) } else { now };
            trace.span(WORKERS, self.worker as u64, self.since, middle, Name::Plain("copying what is young"));
            if old > 0 {
                trace.span(WORKERS, self.worker as u64, middle, now, Name::Plain("marking and sweeping what is old"));
            }
        });
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        with(|trace, now| {
            trace.track_of(self.worker);
            trace.span(WORKERS, self.worker as u64, self.since, now, Name::Plain(self.name));
        });
    }
}

/// A mark of the program in its thread's track, or the name of that track.
pub fn mark(id: u64, text: &str, is_name: bool) {
    with(|trace, now| match is_name {
        false => trace.point(id, now, text),
        true => trace.name_track(THREADS, Some(id), text),
    });
}

fn lock() -> MutexGuard<'static, Option<Trace>> {
    TRACE.lock().unwrap_or_else(|e| e.into_inner())
}

/// The time is taken with the lock held: so no event is older than one that was told of before it.
fn with(tell: impl FnOnce(&mut Trace, u64)) {
    if let Some(trace) = &mut *lock()
        && trace.buffer.len() < MOST_BYTES
    {
        let now = trace.now();
        tell(trace, now);
        trace.write_out();
    }
}

impl Trace {
    fn new(out: Out) -> Trace {
        let mut trace = Trace {
            out,
            buffer: String::from("[\n"),
            start: Instant::now(),
            waiting: HashMap::new(),
            workers: Vec::new(),
            flows: 0,
        };
        trace.name_track(WORKERS, None, "workers");
        trace.name_track(THREADS, None, "threads");
        trace
    }

    /// What is open ends now: the rest of the text.
    fn ended(mut self) -> String {
        let now = self.now();
        for worker in 0..self.workers.len() {
            self.stops(worker, now);
        }
        for (thread, waiting) in std::mem::take(&mut self.waiting) {
            self.span(THREADS, thread, waiting.since, now, waiting.name());
        }
        // The format has no comma after the last one.
        self.buffer.truncate(self.buffer.trim_end_matches(",\n").len());
        self.buffer.push_str("\n]\n");
        self.buffer
    }

    /// Nanoseconds since the start, by the real clock whatever the program sees.
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Writes to the file, when there is enough for that.
    fn write_out(&mut self) {
        if let Out::File { file, failed, .. } = &mut self.out
            && self.buffer.len() >= BUFFER
        {
            if failed.is_none() {
                *failed = file.write_all(self.buffer.as_bytes()).err();
            }
            self.buffer.clear();
        }
    }

    // -- threads

    fn runs(&mut self, worker: usize, id: u64, now: u64) {
        // One that was about to block or to yield, and need not, has begun a span of waiting of no length.
        self.stops(worker, now);
        if let Some(waiting) = self.waiting.remove(&id) {
            if waiting.what != READY || now - waiting.since >= SHORT {
                self.span(THREADS, id, waiting.since, now, waiting.name());
            }
            if waiting.flow != 0 {
                self.arrow('f', id, now, waiting.flow);
            }
        }
        self.track_of(worker);
        self.workers[worker].running = Some(Running { thread: id, since: now });
    }

    /// The thread that this worker runs, if any, does so no more.
    fn stops(&mut self, worker: usize, now: u64) {
        let Some(Running { thread, since }) = self.workers.get_mut(worker).and_then(|w| w.running.take()) else {
            return;
        };
        self.workers[worker].last = (thread, now);
        self.span(WORKERS, worker as u64, since, now, Name::Thread(thread));
        self.span(THREADS, thread, since, now, Name::Running(worker));
    }

    fn waits(&mut self, worker: usize, id: u64, now: u64, what: &'static str, made: Option<String>) {
        self.stops(worker, now);
        self.begin_waiting(id, Waiting { since: now, what, made, flow: 0 });
    }

    /// New, or ready from now on: by the thread that this worker runs, or by the one that it ran last.
    fn released(&mut self, worker: usize, id: u64, now: u64, what: &'static str, handed: bool) {
        if let Some(waiting) = self.waiting.remove(&id) {
            self.span(THREADS, id, waiting.since, now, waiting.name());
        }
        let worker = self.workers.get(worker).copied().unwrap_or_default();
        let by = match worker.running {
            Some(running) => Some((running.thread, now)),
            // Still inside its span, so that the viewer knows which one is meant.
            None if handed => Some((worker.last.0, worker.last.1.saturating_sub(1))),
            None => None,
        };
        let mut flow = 0;
        if let Some((thread, at)) = by {
            self.flows += 1;
            flow = self.flows;
            self.arrow('s', thread, at, flow);
        }
        self.begin_waiting(id, Waiting { since: now, what, made: None, flow });
    }

    fn begin_waiting(&mut self, id: u64, waiting: Waiting) {
        if self.waiting.len() < MOST_THREADS {
            self.waiting.insert(id, waiting);
        }
    }

    fn ends(&mut self, worker: usize, id: u64, now: u64) {
        if self.workers.get(worker).and_then(|w| w.running).is_some_and(|running| running.thread == id) {
            self.stops(worker, now);
        }
        if let Some(waiting) = self.waiting.remove(&id) {
            self.span(THREADS, id, waiting.since, now, waiting.name());
        }
        self.point(id, now, "exit");
    }

    // -- the format

    fn track_of(&mut self, worker: usize) {
        while self.workers.len() <= worker {
            let name = format!("worker {}", self.workers.len());
            self.name_track(WORKERS, Some(self.workers.len() as u64), &name);
            self.workers.push(Worker::default());
        }
    }

    fn name_track(&mut self, group: u32, track: Option<u64>, name: &str) {
        let what = if track.is_some() { "thread_name" } else { "process_name" };
        let track = track.unwrap_or(0);
        let name = escaped(name);
        let _ = writeln!(
            self.buffer,
            "{{\"ph\":\"M\",\"pid\":{group},\"tid\":{track},\"name\":\"{what}\",\"args\":{{\"name\":\"{name}\"}}}},"
        );
    }

    fn span(&mut self, group: u32, track: u64, from: u64, to: u64, name: Name<'_>) {
        self.head('X', group, track, from);
        self.push(",\"dur\":");
        self.push_micros(to - from);
        self.push(",\"name\":\"");
        match name {
            Name::Plain(name) => self.push(name),
            Name::Waits(name, made) => {
                self.push(name);
                if let Some(made) = made {
                    self.push("\",\"args\":{\"made\":\"");
                    self.push(&escaped(made));
                    return self.push("\"}},\n");
                }
            }
            Name::Thread(id) => {
                self.push("thread ");
                self.push_number(id);
            }
            Name::Running(worker) => {
                self.push("running\",\"args\":{\"worker\":");
                self.push_number(worker as u64);
                return self.push("}},\n");
            }
        }
        self.push("\"},\n");
    }

    fn point(&mut self, id: u64, now: u64, name: &str) {
        self.head('i', THREADS, id, now);
        self.push(",\"s\":\"t\",\"name\":\"");
        self.push(&escaped(name));
        self.push("\"},\n");
    }

    /// One end of an arrow: `s` its start, `f` its end.
    fn arrow(&mut self, end: char, id: u64, now: u64, flow: u64) {
        self.head(end, THREADS, id, now);
        self.push(",\"cat\":\"wake\",\"name\":\"wake\",\"id\":");
        self.push_number(flow);
        self.push(if end == 'f' { ",\"bp\":\"e\"},\n" } else { "},\n" });
    }

    /// What all have: the kind, the track, the time. Without the standard library's formatting, which takes most of the
    /// time of a trace.
    fn head(&mut self, kind: char, group: u32, track: u64, at: u64) {
        self.push("{\"ph\":\"");
        self.buffer.push(kind);
        self.push("\",\"pid\":");
        self.push_number(group as u64);
        self.push(",\"tid\":");
        self.push_number(track);
        self.push(",\"ts\":");
        self.push_micros(at);
    }

    fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
    }

    fn push_number(&mut self, mut n: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        digits[at..].iter().for_each(|digit| self.buffer.push(*digit as char));
    }

    /// Nanoseconds as microseconds, with a point.
    fn push_micros(&mut self, nanos: u64) {
        self.push_number(nanos / 1000);
        let rest = nanos % 1000;
        self.buffer.extend(['.', digit(rest / 100), digit(rest / 10), digit(rest)]);
    }
}

fn digit(n: u64) -> char {
    (b'0' + (n % 10) as u8) as char
}

/// What a span is called.
enum Name<'a> {
    Plain(&'static str),
    /// A thread waits, perhaps for what the program has made there.
    Waits(&'static str, Option<&'a str>),
    /// A thread runs, on its worker's track.
    Thread(u64),
    /// It runs on this worker, on its own track.
    Running(usize),
}

/// As it stands between quotes in JSON.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if (c as u32) < 0x20 => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}
