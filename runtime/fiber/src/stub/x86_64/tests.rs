//! The fast stubs of the thread primitives against the functions of [`crate::run::switch`].
//!
//! Over all states of the words that a stub looks at: either it goes the slow way and has changed nothing, or it leaves
//! the world as the function does.
//!
//! The stubs are expanded here as `entry` expands them. The primitives that they fall back on note that they were
//! called, and how they found the world. The running thread is on lane 1; the one that the case is about, the subject,
//! is the argument, or for park and yield the first of the queue.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{NO_LANE, STACK_PIECE_WORDS, StackPiece, State, Thread};

use crate::base::host::Config;
use crate::base::lane::Lane;
use crate::base::no_host::NoHost;
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{AWAY, WATCHED, Worker, set_watched, worker_of};
use crate::fibers::Fibers;
use crate::run::place::{EXCHANGED, PUSHED};
use crate::run::switch::EVENTS_EVERY;
use crate::thread::word::{BOUND, IN_HEAP, NEW, ON_LANE, PERMIT, QUEUED, READIED, RUNNING};

crate::thread_stubs!();
crate::continuation_stubs!();

unsafe extern "C" {
    fn leat_thread_handoff_stub();
    fn leat_thread_switch_stub();
    fn leat_thread_park_stub();
    fn leat_thread_await_stub();
    fn leat_thread_yield_stub();
    fn leat_thread_ready_stub();
    fn leat_segment_swap_stub();
    fn leat_fiber_resume();
    /// Sixteen of each, for the registers that were pushed.
    fn leat_fiber_resume_kept();
    fn leat_fiber_resume_await();
    /// Calls a stub on the running thread's stack, with this in rbx, r12, r13 and r14; gives what is in rax when a
    /// thread goes on.
    fn fast_tests_enter(tcb: *mut Tcb, argument: u64, stub: usize, stack: *mut u64, kept: *const [u64; 4]) -> u64;
    /// Where every thread of these tests goes on.
    fn fast_tests_landing();
    /// The stack pointers here and there; rbp, rbx, r12, r13 and r14 there.
    static mut fast_tests_ends: [u64; 7];
}

/// What rbp is at a call of a stub.
const FRAME: usize = 0x1230;
/// What rbp, rbx, r12, r13 and r14 were when the subject stopped, if they were not 0.
const SUBJECT: [u64; 5] = [0x4560, 11, 12, 13, 14];
/// What was left for the subject.
const LEFT: u64 = 4711;

core::arch::global_asm!(
    ".globl fast_tests_enter",
    "fast_tests_enter:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov [rip + fast_tests_ends], rsp",
    "mov r15, rdi",
    "mov rsp, rcx",
    "mov ebp, {frame}",
    "mov rbx, [r8]",
    "mov r12, [r8 + 8]",
    "mov r13, [r8 + 16]",
    "mov r14, [r8 + 24]",
    "call rdx",
    ".globl fast_tests_landing",
    "fast_tests_landing:",
    "mov [rip + fast_tests_ends + 8], rsp",
    "mov [rip + fast_tests_ends + 16], rbp",
    "mov [rip + fast_tests_ends + 24], rbx",
    "mov [rip + fast_tests_ends + 32], r12",
    "mov [rip + fast_tests_ends + 40], r13",
    "mov [rip + fast_tests_ends + 48], r14",
    "mov rsp, [rip + fast_tests_ends]",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".pushsection .bss",
    ".p2align 3",
    ".globl fast_tests_ends",
    "fast_tests_ends:",
    ".zero 56",
    ".popsection",
    frame = const FRAME,
);

/// How a primitive that a stub has fallen back on found the world; see [`fall_back`].
static FOUND: std::sync::Mutex<Option<(u64, Vec<u64>)>> = std::sync::Mutex::new(None);
/// Address of the world of the test that runs.
static WORLD: AtomicU64 = AtomicU64::new(0);

/// A primitive is called by the slow way of its stub: notes its argument and the world, and has the stub land.
unsafe fn fall_back(tcb: *mut Tcb, argument: u64) -> u64 {
    // SAFETY: the test that called the stub has the world on its stack.
    unsafe {
        let world = &*(WORLD.load(Relaxed) as *const World);
        *FOUND.lock().unwrap() = Some((argument, world.words()));
        (*tcb).saved_sp = world.landing.as_ptr() as usize;
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_handoff(tcb: *mut Tcb, target: u64) -> u64 {
    // SAFETY: called by the stub alone; so are the others.
    unsafe { fall_back(tcb, target) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_switch(tcb: *mut Tcb, target: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, target) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_park(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, reason) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_await(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, reason) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_yield(tcb: *mut Tcb, argument: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, argument) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_thread_ready(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, thread) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_segment_swap(tcb: *mut Tcb, segment: u64, _: u64) -> u64 {
    // SAFETY: as above.
    unsafe { fall_back(tcb, segment) }
}
#[unsafe(no_mangle)]
extern "C" fn leat_cont_capture(_: *mut Tcb, _: u64) -> u64 {
    unreachable!("its stub is not called here")
}
#[unsafe(no_mangle)]
extern "C" fn leat_cont_throw(_: *mut Tcb, _: u64, _: u64) -> u64 {
    unreachable!("its stub is not called here")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Primitive {
    Handoff,
    Switch,
    Park,
    Await,
    Yield,
    Ready,
    /// Of segments. The subject is one, and [`Case::tail_unlogged`] is about it; what it is given is the stub's
    /// address.
    Swap,
}
use Primitive::*;

/// Where a thread's lane is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    Own,
    Another,
    Nowhere,
}

/// What the subject was stopped by: a stub of these or that of `await`, with something in these registers (rbx, r12,
/// r13, r14); that of another primitive; one of another kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    These([bool; 4]),
    Await([bool; 4]),
    Primitive,
    Another,
}

/// What is unusual where the subject's frames are in the heap, and another thread is on its lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Heap {
    Usual,
    NobodyThere,
    /// The running thread is there.
    RunningThere,
    NothingKept,
    KeptUnlogged,
    ThereUnlogged,
    /// One of the two stacks has more in the heap.
    ThereDeep,
    ComesDeep,
    /// A continuation has the piece, too.
    Shared,
    /// The frames that go, or those that come, are too few or too many, or do not fit, or leave most of the piece
    /// unused.
    GoFew,
    GoMany,
    ComeFew,
    ComeMany,
    NoRoom,
    MuchRoom,
}

/// Their order makes no difference; there are as many as no other value has.
const HEAPS: [Heap; 23] = {
    use Heap::*;
    [
        Usual,
        NobodyThere,
        Usual,
        RunningThere,
        Usual,
        NothingKept,
        Usual,
        KeptUnlogged,
        ThereUnlogged,
        Usual,
        ThereDeep,
        Usual,
        ComesDeep,
        Shared,
        Usual,
        GoFew,
        GoMany,
        Usual,
        ComeFew,
        ComeMany,
        NoRoom,
        Usual,
        MuchRoom,
    ]
};

/// The words of the stacks that are exchanged, and of what is behind them in their pieces.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    go: usize,
    behind: usize,
    come: usize,
    rest: usize,
    /// How many evictions ago the piece of the subject was made.
    age: u64,
    /// The two have frame pointers.
    framed: [bool; 2],
}

impl Sizes {
    /// Some of all that are usual, and those of an unusual case.
    fn of(heap: Heap, i: usize) -> Sizes {
        let go = PUSHED + i % (EXCHANGED - PUSHED + 1);
        let usual = Sizes {
            go,
            behind: i / 3 % (go + 1),
            come: 7 + i / 7 % (EXCHANGED - 6),
            rest: i / 11 % 9,
            age: [0, 31, 480, 512, 544, 1000][i / 5 % 6],
            framed: [!i.is_multiple_of(3), !(i / 2).is_multiple_of(3)],
        };
        match heap {
            Heap::GoFew => Sizes { go: PUSHED - 1, behind: 0, ..usual },
            Heap::GoMany => Sizes { go: EXCHANGED + 1, behind: 0, ..usual },
            Heap::ComeFew => Sizes { come: PUSHED - 1, ..usual },
            Heap::ComeMany => Sizes { come: EXCHANGED + 1, ..usual },
            Heap::MuchRoom => Sizes { behind: go + 1, ..usual },
            _ => usual,
        }
    }
}

/// Words of a registers' epilogue.
const ENTRY: usize = super::table::EPILOGUE;

/// A state of the words.
#[derive(Clone, Copy, Debug)]
struct Case {
    watched: bool,
    /// Of the running thread; a bound one's worker is away.
    bound: bool,
    permit: bool,
    unlogged: bool,
    depth: u64,
    poll: u64,
    /// Of the subject.
    lane: Where,
    state: u8,
    start: u64,
    by: By,
    /// How many threads are in the queue; for park and yield, the subject is the first of them.
    queued: usize,
    tail_unlogged: bool,
    since: u32,
    /// Whether the worker's guesses are right: the running thread's lane, the subject's.
    guessed: [bool; 2],
    heap: Heap,
    sizes: Sizes,
}

impl Case {
    /// The subject's frames are.
    fn is_in_heap(&self) -> bool {
        self.state & leat_abi::thread::STATE_MASK == IN_HEAP
    }

    /// Is it one that the stub does itself?
    fn is_usual(&self, primitive: Primitive) -> bool {
        let stops = !self.permit && !self.unlogged;
        let watched = self.watched || self.bound;
        let own = !watched && self.lane == Where::Own;
        let is_new = !watched && self.lane == Where::Nowhere && self.state == NEW;
        let can_queue = self.queued == 0 || !self.tail_unlogged;
        let can_run = self.start == NONE;
        let is_there = |state| state == ON_LANE || state == IN_HEAP && self.heap == Heap::Usual;
        let is_first = self.queued > 0
            && can_run
            && is_there(self.state & (leat_abi::thread::STATE_MASK | BOUND))
            && self.since + 1 < EVENTS_EVERY;
        match primitive {
            Swap => self.lane == Where::Own && self.state == ON_LANE && !self.unlogged && !self.tail_unlogged,
            Ready if is_new => can_queue,
            _ if !own => false,
            Handoff => stops && can_run && is_there(self.state),
            Switch => stops && can_run && is_there(self.state) && can_queue,
            Park | Await => stops && is_first,
            Yield => stops && is_first && can_queue,
            Ready => matches!(self.state, ON_LANE | IN_HEAP) && can_queue,
        }
    }
}

/// Every combination of the values of each word.
fn cases(primitive: Primitive) -> Vec<Case> {
    let new = State::New as u8;
    let dead = State::Dead as u8;
    let states: &[u8] = match primitive {
        // In the queue.
        Park | Await | Yield => &[
            ON_LANE | QUEUED,
            ON_LANE | QUEUED | READIED,
            ON_LANE | QUEUED | READIED | PERMIT,
            IN_HEAP | QUEUED,
            IN_HEAP | QUEUED | READIED | PERMIT,
            new | QUEUED | READIED,
            BOUND | ON_LANE | QUEUED | READIED,
            BOUND | new | QUEUED | READIED,
        ],
        _ => &[
            ON_LANE,
            ON_LANE | QUEUED,
            ON_LANE | QUEUED | READIED,
            ON_LANE | QUEUED | PERMIT,
            IN_HEAP,
            IN_HEAP | QUEUED | READIED,
            RUNNING,
            RUNNING | PERMIT,
            new,
            new | QUEUED | READIED,
            dead,
            BOUND | ON_LANE,
            BOUND | IN_HEAP,
            BOUND | new,
        ],
    };
    let mut all = vec![Case {
        watched: false,
        bound: false,
        permit: false,
        unlogged: false,
        depth: 0,
        poll: 0,
        lane: Where::Own,
        state: 0,
        start: NONE,
        by: By::Another,
        queued: 0,
        tail_unlogged: false,
        since: 0,
        guessed: [true; 2],
        heap: Heap::Usual,
        sizes: Sizes::default(),
    }];
    fn each<T: Copy>(all: &mut Vec<Case>, values: &[T], set: impl Fn(&mut Case, T)) {
        *all = all
            .iter()
            .flat_map(|case| {
                values.iter().map(|&value| {
                    let mut case = *case;
                    set(&mut case, value);
                    case
                })
            })
            .collect();
    }
    each(&mut all, &[false, true], |case, v| case.watched = v);
    each(&mut all, &[false, true], |case, v| case.bound = v);
    each(&mut all, &[false, true], |case, v| case.permit = v);
    each(&mut all, &[false, true], |case, v| case.unlogged = v);
    each(&mut all, &[0, 3], |case, v| case.depth = v);
    each(&mut all, &[0, 1], |case, v| case.poll = v);
    each(&mut all, &[Where::Own, Where::Another, Where::Nowhere], |case, v| case.lane = v);
    each(&mut all, states, |case, v| case.state = v);
    // Nothing, twice a number plus 1, an object.
    each(&mut all, &[NONE, 15, 0x4000], |case, v| case.start = v);
    let by = [By::These([false; 4]), By::Primitive, By::Another, By::Await([false; 4])];
    // A segment does not wait.
    each(&mut all, if primitive == Swap { &by[..3] } else { &by }, |case, v| case.by = v);
    each(&mut all, &[0, 1, 2], |case, v| case.queued = v);
    each(&mut all, &[false, true], |case, v| case.tail_unlogged = v);
    each(&mut all, &[0, EVENTS_EVERY - 2, EVENTS_EVERY - 1], |case, v| case.since = v);
    all
}

/// A thread object: header and words.
#[repr(C)]
struct Object {
    header: u64,
    thread: Thread,
}

struct World {
    tcb: *mut Tcb,
    worker: *mut Worker,
    /// The running thread, the subject, two more that are ready, and the one that is on the subject's lane while that
    /// is in the heap.
    objects: [*mut Object; 5],
    /// The pieces of the subject and of that one, with their headers.
    pieces: [*mut [u64]; 2],
    /// The subject is in the heap.
    in_heap: bool,
    lanes: [*mut Lane; 4],
    /// The stacks of the running thread, of the subject, and the worker's own.
    stacks: [*mut [u64]; 3],
    /// A suspended stack of one word.
    landing: [u64; 1],
    /// A cell with what was left for the subject: header and word.
    cell: [u64; 2],
}

const WORDS: usize = 1 << 13;
/// Words of a piece that may be in use.
const PIECE: usize = 2 * EXCHANGED + 16;

impl World {
    fn new() -> World {
        let config = Config { lanes: 8, main_stack: 1 << 20, lane_stack: 1 << 20, slice: 0, ..Config::default() };
        let fibers = Fibers::new(config, NoHost::STILL).unwrap();
        let tcb = fibers.main_tcb();
        // SAFETY: the block of worker 0.
        let worker = unsafe { worker_of(tcb) };
        let lanes = [0, 1, 2, 3].map(|i| {
            while fibers.shared.lanes.count() <= i {
                fibers.shared.lanes.grow(0).unwrap();
            }
            fibers.shared.lanes.at(i)
        });
        let object = || {
            let words = Box::leak(vec![0u64; size_of::<Object>() / 8 + 1].into_boxed_slice());
            words.as_mut_ptr().cast::<Object>()
        };
        let stack = || &raw mut *Box::leak(vec![0u64; WORDS].into_boxed_slice());
        World {
            tcb,
            worker,
            objects: [object(), object(), object(), object(), object()],
            pieces: [stack(), stack()],
            in_heap: false,
            lanes,
            stacks: [stack(), stack(), stack()],
            landing: [fast_tests_landing as *const () as u64],
            cell: [header::record(1, 0, 0), LEFT],
        }
    }

    fn thread(&self, i: usize) -> Ref<Thread> {
        // SAFETY: objects live as long as the program.
        unsafe { Ref::from_ptr(&raw const (*self.objects[i]).thread) }
    }

    /// An even number of words below a stack's end.
    fn top(&self, i: usize) -> *mut u64 {
        // SAFETY: inside of the stack.
        unsafe { (self.stacks[i] as *mut u64).add(WORDS - 64).map_addr(|at| at & !15) }
    }

    /// A piece of the subject (0) or of the thread on its lane.
    fn piece(&self, i: usize) -> *mut StackPiece {
        // SAFETY: behind the header.
        unsafe { (self.pieces[i] as *mut u64).add(1).cast() }
    }

    /// The subject's frames, which begin with these words, are in its piece; another thread's are on the lane.
    unsafe fn put_in_heap(&mut self, words: &[u64], case: &Case) {
        // SAFETY: all of it is this test's own.
        unsafe {
            let lane = &mut *self.lanes[2];
            let Sizes { go, behind, come, rest, age, framed } = case.sizes;
            let evictions = 5000;
            let counters = &(*self.worker).counters;
            counters.evictions.store(evictions, Relaxed);
            counters.restores.store(200, Relaxed);
            counters.returns.store(300, Relaxed);
            for (i, &piece) in self.pieces.iter().enumerate() {
                (&mut *piece)[..PIECE].iter_mut().zip(1000 * i as u64..).for_each(|(word, number)| *word = number);
            }
            for i in 1..=EXCHANGED + 8 {
                self.top(1).sub(i).write(9000 + i as u64);
            }
            lane.base = self.top(1) as usize;
            lane.sp = lane.base - go * 8;
            lane.fp = if framed[0] { lane.sp + 16 } else { 0 };
            lane.call_sp = lane.sp + 8;
            let deep = self.thread(3).word();
            let under = |is_deep: bool| if is_deep { deep } else { NONE };
            let there = &mut *self.objects[4];
            there.thread.stack = under(case.heap == Heap::ThereDeep);
            there.header |= if case.heap == Heap::ThereUnlogged { header::UNLOGGED } else { 0 };
            lane.resident = match case.heap {
                Heap::NobodyThere => Ref::NONE,
                Heap::RunningThere => self.thread(0),
                _ => self.thread(4),
            };
            let room = if case.heap == Heap::NoRoom { go - 1 } else { go + behind };
            let unlogged = if case.heap == Heap::KeptUnlogged { header::UNLOGGED } else { 0 };
            (*self.pieces[1])[0] = header::stack((STACK_PIECE_WORDS + room) as u64) | unlogged;
            lane.kept = if case.heap == Heap::NothingKept { Ref::NONE } else { Ref::from_ptr(self.piece(1)) };
            let base = lane.base - come * 8;
            let fp = if framed[1] { base + 24 } else { 0 };
            let piece = StackPiece::new(under(case.heap == Heap::ComesDeep), 2, base, fp, base + 16);
            let own = piece.own(rest, evictions + 1 - age);
            (*self.pieces[0])[0] = header::stack((STACK_PIECE_WORDS + come + rest) as u64);
            self.piece(0).write(own);
            if case.heap == Heap::Shared {
                (*self.piece(0)).share();
            }
            let frames = self.piece(0).cast::<u64>().add(STACK_PIECE_WORDS);
            frames.copy_from_nonoverlapping(words.as_ptr(), words.len());
            (*self.objects[1]).thread.stack = self.piece(0) as u64;
        }
    }

    fn set(&mut self, primitive: Primitive, case: &Case) {
        let in_queue: Vec<usize> = match primitive {
            Park | Await | Yield => [1, 2].into_iter().take(case.queued).collect(),
            _ => [2, 3].into_iter().take(case.queued).collect(),
        };
        // SAFETY: all of it is this test's own.
        unsafe {
            for (i, &object) in self.objects.iter().enumerate() {
                (*object).header = Thread::HEADER;
                (*object).thread = Thread::new(i as u64 + 1, NONE);
            }
            let running = &mut *self.objects[0];
            running.header |= if case.unlogged { header::UNLOGGED } else { 0 };
            running.thread.state = RUNNING | if case.permit { PERMIT } else { 0 } | if case.bound { BOUND } else { 0 };
            running.thread.lane = 1;
            let subject = &mut (*self.objects[1]).thread;
            subject.state = case.state;
            subject.start = case.start;
            subject.atomic_depth = 7;
            if primitive == Swap {
                // It holds what another reset left, and is a ring of one.
                (subject.start, subject.stack, subject.label) = (NONE, 0x4000, self.thread(1).word());
                (running.thread.stack, running.thread.label) = (0x5000, self.thread(2).word());
                (*self.objects[1]).header |= if case.tail_unlogged { header::UNLOGGED } else { 0 };
            }
            subject.lane = match case.lane {
                Where::Own => 2,
                Where::Another => 3,
                Where::Nowhere => NO_LANE,
            };
            for &object in &self.objects[2..4] {
                (*object).thread.state = ON_LANE | QUEUED;
                (*object).thread.lane = 0;
            }
            ((*self.objects[4]).thread.state, (*self.objects[4]).thread.lane) = (ON_LANE, 2);
            for pair in in_queue.windows(2) {
                (*self.objects[pair[0]]).thread.next = self.thread(pair[1]).word();
            }
            let end = |i: Option<&usize>| i.map_or(Ref::NONE, |&i| self.thread(i));
            let (head, tail) = (end(in_queue.first()), end(in_queue.last()));
            ((*self.worker).queue.head, (*self.worker).queue.tail) = (head, tail);
            if let Some(&last) = in_queue.last()
                && case.tail_unlogged
            {
                (*self.objects[last]).header |= header::UNLOGGED;
            }
            let watched = if case.watched { WATCHED } else { 0 } | if case.bound { AWAY } else { 0 };
            set_watched(self.worker, watched);
            (*self.worker).since_events = case.since;
            (*self.worker).lane_now = self.lanes[if case.guessed[0] { 1 } else { 3 }];
            (*self.worker).lane_before = self.lanes[if case.guessed[1] { 2 } else { 0 }];
            (*self.worker).counters.switches.store(100, Relaxed);
            for (i, &lane) in self.lanes.iter().enumerate() {
                (*lane).owner.store(u32::from(i == 3), Relaxed);
                ((*lane).sp, (*lane).fp, (*lane).call_sp) = (0, 0, 0);
                ((*lane).resident, (*lane).kept) = (Ref::NONE, Ref::NONE);
            }
            (*self.lanes[1]).resident = self.thread(0);
            // T2.
            if matches!(case.state & leat_abi::thread::STATE_MASK, ON_LANE | RUNNING) {
                match case.lane {
                    Where::Own => (*self.lanes[2]).resident = self.thread(1),
                    Where::Another => (*self.lanes[3]).resident = self.thread(1),
                    Where::Nowhere => {}
                }
            }
            // As a stub has left it: its resume address, registers, the return address.
            let sp = self.top(1);
            let landing = self.landing[0];
            let [rbp, kept @ ..] = SUBJECT;
            let pushed = |first: unsafe extern "C" fn(), holds: [bool; 4]| {
                let number: usize = (0..4).map(|i| usize::from(holds[i]) << i).sum();
                let held = (0..4).rev().filter(|&i| holds[i]).map(|i| kept[i]);
                [(first as *const () as usize + number * ENTRY) as u64]
                    .into_iter()
                    .chain(held)
                    .chain([landing])
                    .collect()
            };
            let words: Vec<u64> = match case.by {
                By::These(holds) => pushed(leat_fiber_resume_kept, holds),
                By::Await(holds) => pushed(leat_fiber_resume_await, holds),
                By::Primitive => {
                    let [rbx, r12, r13, r14] = kept;
                    vec![leat_fiber_resume as *const () as u64, r14, r13, r12, rbx, rbp, landing]
                }
                By::Another => vec![landing],
            };
            if let By::Await(_) = case.by {
                subject.stamp = leat_abi::thread::OVER;
                subject.message = &raw const self.cell[1] as u64;
            }
            sp.copy_from_nonoverlapping(words.as_ptr(), words.len());
            (*self.lanes[2]).sp = sp as usize;
            (*self.lanes[2]).fp = rbp as usize;
            self.in_heap = case.is_in_heap() && primitive != Swap;
            if self.in_heap {
                self.put_in_heap(&words, case);
            }
            let tcb = &mut *self.tcb;
            tcb.current = self.thread(0).word();
            tcb.atomic_depth = case.depth;
            tcb.poll.store(case.poll, Relaxed);
            tcb.stack_limit.store(1, Relaxed);
            tcb.resume_value = 99;
            tcb.pending_exn = 0;
            tcb.c_sp = self.top(2) as usize;
            (tcb.saved_sp, tcb.saved_fp, tcb.saved_call_sp) = (0, 0, 0);
        }
    }

    /// The words that stubs and functions change.
    fn words(&self) -> Vec<u64> {
        // SAFETY: as above.
        unsafe {
            let mut words = Vec::new();
            for &object in &self.objects {
                let length = size_of::<Object>() / 8;
                words.extend_from_slice(std::slice::from_raw_parts(object.cast::<u64>(), length));
            }
            for &lane in &self.lanes {
                words.extend(
                    [(*lane).sp, (*lane).fp, (*lane).call_sp, (*lane).resident.word() as usize].map(|word| word as u64),
                );
                words.push((*lane).kept.word());
            }
            if self.in_heap {
                for piece in self.pieces {
                    words.extend_from_slice(&(&*piece)[..PIECE]);
                }
                words.extend_from_slice(std::slice::from_raw_parts(self.top(1).sub(EXCHANGED + 8), EXCHANGED + 16));
            }
            let (worker, tcb) = (&*self.worker, &*self.tcb);
            words.extend([worker.queue.head, worker.queue.tail, worker.hand].map(Ref::word));
            words.push(u64::from(worker.since_events));
            let counters = &worker.counters;
            words.extend(
                [&counters.switches, &counters.evictions, &counters.restores, &counters.returns]
                    .map(|n| n.load(Relaxed)),
            );
            words.extend([tcb.current, tcb.atomic_depth, tcb.stack_limit.load(Relaxed) as u64]);
            words
        }
    }
}

/// One of them at a time: they share the world's address.
static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn compare(primitive: Primitive, stub: unsafe extern "C" fn()) {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let world = UnsafeCell::new(World::new());
    let mut usual = 0;
    for (i, case) in cases(primitive).into_iter().enumerate() {
        // Which of the four registers hold something goes on in steps that have no factor in common with the numbers of
        // the other values.
        let holds = |n: usize| [1, 2, 4, 8].map(|bit| (n % 17) & bit != 0);
        let kept = holds(i).map(|holds| if holds { 1 << 40 } else { 0 });
        let mut case = case;
        if let By::These(holding) | By::Await(holding) = &mut case.by {
            *holding = holds(i / 17);
        }
        case.guessed = [i % 5 < 3, i % 5 % 2 == 0];
        if case.is_in_heap() {
            case.heap = HEAPS[i % HEAPS.len()];
            case.sizes = Sizes::of(case.heap, i / HEAPS.len());
        }
        // SAFETY: nobody else has it; the stub's way to it ends before the call does.
        let world = unsafe { &mut *world.get() };
        WORLD.store(world as *mut World as u64, Relaxed);
        world.set(primitive, &case);
        let before = world.words();
        let argument = match primitive {
            Park | Await => 5,
            Yield => 1,
            _ => world.thread(1).word(),
        };
        *FOUND.lock().unwrap() = None;
        let stack = world.top(0);
        // SAFETY: the world is as a stub finds it; every way out of it lands.
        let (given, [_, landed, registers @ ..]) = unsafe {
            let given = fast_tests_enter(world.tcb, argument, stub as *const () as usize, stack, &kept);
            (given, fast_tests_ends)
        };
        let fast = FOUND.lock().unwrap().is_none();
        assert_eq!(fast, case.is_usual(primitive), "{primitive:?} {case:?}: does the stub do it itself?");
        if let Some((with, found)) = FOUND.lock().unwrap().take() {
            assert_eq!(found, before, "{primitive:?} {case:?}: the slow way must find what was there");
            if primitive != Yield {
                assert_eq!(with, argument, "{primitive:?} {case:?}: its argument");
            }
            continue;
        }
        usual += 1;
        // SAFETY: the world's block.
        let (after, resume_value) = unsafe { (world.words(), (*world.tcb).resume_value) };

        world.set(primitive, &case);
        // SAFETY: the same world again, with what a stub stores before it calls the primitive.
        let slow = unsafe {
            let tcb = world.tcb;
            (*tcb).saved_call_sp = stack.sub(1) as usize;
            (*tcb).saved_sp = stack.sub(match primitive {
                Handoff | Yield => 7,
                _ => 2 + kept.iter().filter(|&&kept| kept != 0).count(),
            }) as usize;
            (*tcb).saved_fp = FRAME;
            match primitive {
                Handoff => crate::handoff(tcb, Ref::of(argument)),
                Switch => crate::switch(tcb, Ref::of(argument)),
                Park | Await => crate::park(tcb, argument),
                Yield => crate::yield_now(tcb),
                Swap => crate::segment_swap(tcb, Ref::of(argument), stub as *const () as u64),
                Ready => {
                    crate::ready(tcb, Ref::of(argument));
                    0
                }
            }
        };
        let slow = match case.by {
            // Its epilogue takes what was left.
            By::Await(_) if primitive != Ready => {
                // SAFETY: as above.
                unsafe { (*world.objects[1]).thread.message = NONE };
                LEFT
            }
            _ => slow,
        };
        assert_eq!(after, world.words(), "{primitive:?} {case:?}: the stub and the function");
        assert_eq!(given, slow, "{primitive:?} {case:?}: what the primitive gives");
        if primitive == Ready {
            assert_eq!(landed, stack as u64, "it has returned");
            continue;
        }
        // SAFETY: as above.
        let (sp, value) = unsafe { ((*world.tcb).saved_sp as u64, (*world.tcb).resume_value) };
        // SAFETY: as above.
        let fp = unsafe { (*world.lanes[2]).fp as u64 };
        let has = |holds: [bool; 4]| {
            let mut has = SUBJECT;
            has[0] = fp;
            has[1..].iter_mut().zip(holds).for_each(|(has, holds)| *has *= u64::from(holds));
            (2 + holds.iter().filter(|&&holds| holds).count() as u64, Some(has))
        };
        let (popped, has) = match case.by {
            By::These(holds) | By::Await(holds) => has(holds),
            By::Primitive => (7, Some(SUBJECT)),
            By::Another => (1, None),
        };
        assert_eq!(landed, sp + 8 * popped, "{primitive:?} {case:?}: where the next thread goes on");
        match has {
            Some(has) => assert_eq!(registers, has, "{primitive:?} {case:?}: the registers that are kept"),
            None => assert_eq!(resume_value, value, "{primitive:?} {case:?}: what another stub's stack is told"),
        }
    }
    assert!(usual > 10, "{primitive:?}: only {usual} cases go the fast way");
}

#[test]
fn handoff() {
    compare(Handoff, leat_thread_handoff_stub);
}

#[test]
fn switch() {
    compare(Switch, leat_thread_switch_stub);
}

#[test]
fn park() {
    compare(Park, leat_thread_park_stub);
}

#[test]
fn awaits() {
    compare(Await, leat_thread_await_stub);
}

#[test]
fn yields() {
    compare(Yield, leat_thread_yield_stub);
}

#[test]
fn ready() {
    compare(Ready, leat_thread_ready_stub);
}

#[test]
fn swap() {
    compare(Swap, leat_segment_swap_stub);
}
