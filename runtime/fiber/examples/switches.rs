//! What the threads cost by themselves: switches, spawns, evictions. Row R1 of the lab;
//! `cargo run --release -p leat-fiber --example switches [basic] [deep] [million]`, everything without a word.
//!
//! Mock compiled code in assembly calls the stubs as compiled code does; best of several runs, ns each.

#[path = "../tests/mock/mod.rs"]
mod mock;

use std::sync::atomic::Ordering::Relaxed;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::{Ref, leave, ready};
use mock::{Closure, Test};

leat_fiber::runtime_stub!(leat_handoff);
leat_fiber::runtime_stub!(leat_yield);
leat_fiber::runtime_stub!(leat_exchange);
leat_fiber::runtime_stub!(leat_nothing);
leat_fiber::runtime_stub!(leat_spawn);
leat_fiber::runtime_stub!(leat_throw);

core::arch::global_asm!(
    // Loops `a` times over a primitive with argument [closure + 24], then a step.
    ".macro bench_loop name, stub",
    ".p2align 4",
    ".globl \\name",
    "\\name:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, rdi",
    "2:",
    "mov r12, [rbx + 16]",
    "3:",
    "mov rdi, r15",
    "mov rsi, [rbx + 24]",
    "call \\stub",
    "dec r12",
    "jnz 3b",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    "test rax, rax",
    "jz 2b",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".endm",
    "bench_loop bench_handoff, leat_handoff_stub",
    "bench_loop bench_yield, leat_yield_stub",
    "bench_loop bench_exchange, leat_exchange_stub",
    "bench_loop bench_nothing, leat_nothing_stub",
    "bench_loop bench_spawn, leat_spawn_stub",
    ".globl bench_empty",
    "bench_empty:",
    "ret",
);

unsafe extern "C" {
    fn bench_handoff();
    fn bench_yield();
    fn bench_exchange();
    fn bench_nothing();
    fn bench_spawn();
    fn bench_empty();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_handoff(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::handoff(tcb, Ref::of(thread)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_yield(tcb: *mut Tcb) -> u64 {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::yield_now(tcb) }
}

/// Wakes the other and parks.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_exchange(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: called by the stub.
    unsafe {
        ready(tcb, Ref::of(thread));
        leat_fiber::park(tcb, 0)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_nothing(_tcb: *mut Tcb) -> u64 {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_throw(tcb: *mut Tcb, packet: u64) -> u64 {
    // SAFETY: called by the stub.
    unsafe { (*tcb).pending_exn = packet };
    0
}

/// A new thread in a ring of old objects; it runs at once and the parent goes to the back.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_spawn(tcb: *mut Tcb, closure: u64) -> u64 {
    static RING: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    static AT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let ring = *RING.get_or_init(|| Box::leak(vec![0u64; 17 * 1024].into_boxed_slice()).as_ptr() as usize);
    let at = AT.load(Relaxed);
    AT.store((at + 1) % 1024, Relaxed);
    let thread = ring + at * 17 * 8 + 8;
    // SAFETY: the thread of 1024 spawns ago has ended.
    unsafe {
        *((thread - 8) as *mut u64) = Thread::HEADER;
        let new = Ref::of(thread as u64);
        leat_fiber::init_thread(tcb, new, Ref::of(closure));
        leat_fiber::switch(tcb, new)
    }
}

fn addr(f: unsafe extern "C" fn()) -> usize {
    f as *const () as usize
}

unsafe fn finish(tcb: *mut Tcb, _: &'static Closure) -> u64 {
    // SAFETY: called by the stub.
    unsafe { leave(tcb, 0) }
}

/// Processor time, so that a busy machine does not count.
fn cpu() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

fn ns(n: u64, f: impl FnOnce()) -> f64 {
    let start = cpu();
    f();
    (cpu() - start) as f64 / n as f64
}

/// A line of the lab: a figure's name, in words with hyphens between them, and nanoseconds.
fn tell(name: &str, ns: f64) {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    println!("{} {ns:.1}", words.join("-"));
}

fn closure_of(thread: Ref<Thread>) -> &'static Closure {
    // SAFETY: a new thread's start is its closure.
    unsafe { &*((*thread.as_ptr()).start as *const Closure) }
}

/// `count` threads in a ring, each passing on to the next by `code`'s primitive.
fn ring(name: &str, code: usize, count: usize, lanes: usize, workers: usize) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let test = mock::test(mock::small(workers, lanes), 0);
        let n = 3_000_000u64 / count as u64;
        for _ in 0..count {
            test.thread(test.tcb(), code, finish, n, 0);
        }
        for i in 0..count {
            closure_of(test.at(i)).b.store(test.at((i + 1) % count).word(), Relaxed);
        }
        if code == addr(bench_yield) {
            for i in 1..count {
                // SAFETY: before the workers run.
                unsafe { ready(test.tcb(), test.at(i)) };
            }
        }
        let main = test.at(0);
        // SAFETY: a new thread.
        best = best.min(ns(n * count as u64, || unsafe {
            test.fibers().run(main);
        }));
    }
    tell(name, best);
}

/// Threads blocked under frames, switching with one another through the heap.
fn deep_ring(name: &str, depth: u64, lanes: usize) {
    unsafe fn step(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        let left = c.b.load(Relaxed);
        c.b.store(left.wrapping_sub(1), Relaxed);
        if left == 199_900 {
            // The bottom pieces stay; from here on a ring of memory will do.
            // SAFETY: one worker.
            unsafe { *c.test.bump.get() = mock::Bump::default() };
        }
        // SAFETY: called by the stub.
        unsafe { if left == 0 { leave(tcb, 0) } else { leat_fiber::yield_now(tcb) } }
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: called by the stub.
        unsafe {
            let count = c.test.threads.lock().unwrap().len();
            for t in 1..count {
                ready(tcb, c.test.at(t));
            }
            leat_fiber::park(tcb, 0)
        }
    }
    let mut best = f64::MAX;
    for _ in 0..3 {
        let test: &'static Test = mock::test(mock::small(1, lanes), 0);
        let n = 200_000;
        test.thread(test.tcb(), mock::plain(), main, 0, 0);
        test.thread(test.tcb(), mock::deep(), step, depth, n);
        test.thread(test.tcb(), mock::deep(), step, depth, n + 2);
        let first = test.at(0);
        // SAFETY: no worker runs.
        unsafe { (*test.bump.get()).keep = true };
        // SAFETY: a new thread.
        best = best.min(ns(2 * n, || unsafe {
            test.fibers().run(first);
        }));
    }
    tell(name, best);
}

fn single(name: &str, code: usize, n: u64, b: u64) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let test = mock::test(mock::small(1, 8), 0);
        best = best.min(ns(n, || {
            test.run(code, finish, n, b);
        }));
    }
    tell(name, best);
}

/// A million threads, each spawned, run until it blocks; then all woken, and ended.
fn million(count: usize) {
    unsafe fn block(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: called by the stub.
        unsafe {
            if c.a.swap(1, Relaxed) == 0 {
                return leat_fiber::park(tcb, 0);
            }
            1
        }
    }
    unsafe fn main(tcb: *mut Tcb, c: &'static Closure) -> u64 {
        // SAFETY: called by the stub.
        unsafe {
            let threads = c.test.trace.load(Relaxed);
            let at = c.b.load(Relaxed) as usize;
            let count = c.a.load(Relaxed) as usize;
            if at == 0 {
                c.result.store(c.test.counter.load(Relaxed), Relaxed);
            }
            let thread = |i: usize| Ref::of((threads + i * 17 * 8 + 8) as u64);
            if at < count {
                c.b.store(at as u64 + 1, Relaxed);
                return leat_fiber::switch(tcb, thread(at));
            }
            if at == count {
                c.b.store(at as u64 + 1, Relaxed);
                c.test.counter.store(cpu(), Relaxed);
                for i in 0..count {
                    ready(tcb, thread(i));
                }
                return leat_fiber::yield_now(tcb);
            }
            leave(tcb, 0)
        }
    }
    let test = mock::test(mock::small(1, 256), 0);
    let objects = Box::leak(vec![0u64; 17 * count].into_boxed_slice());
    let closures: Vec<u64> = (0..count)
        .map(|_| {
            let t = test.thread(test.tcb(), mock::plain(), block, 0, 0);
            let c = closure_of(test.at(t)) as *const Closure as u64;
            test.threads.lock().unwrap().clear();
            c
        })
        .collect();
    for (i, closure) in closures.iter().enumerate() {
        objects[i * 17] = Thread::HEADER;
        // SAFETY: room for a thread.
        unsafe {
            leat_fiber::init_thread(
                test.tcb(),
                Ref::from_ptr((&raw const objects[i * 17 + 1]).cast()),
                Ref::of(*closure),
            )
        };
    }
    test.trace.store(objects.as_ptr() as usize, Relaxed);
    // SAFETY: no worker runs.
    unsafe { (*test.bump.get()).keep = true };
    let before = cpu();
    test.run(mock::plain(), main, count as u64, 0);
    let woken = test.counter.load(Relaxed);
    let end = cpu();
    tell(&format!("start and block {count}"), (woken - before) as f64 / count as f64);
    tell(&format!("wake, resume, end {count}"), (end - woken) as f64 / count as f64);
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let want = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if want("basic") {
        single("a stub and back", addr(bench_nothing), 10_000_000, 0);
        ring("hand-off, 2 threads", addr(bench_handoff), 2, 8, 1);
        ring("hand-off, 12 threads", addr(bench_handoff), 12, 16, 1);
        ring("hand-off, 16 threads on 1 lane", addr(bench_handoff), 16, 2, 1);
        ring("hand-off, 1000 threads on 15 lanes", addr(bench_handoff), 1000, 16, 1);
        ring("yield, 2 threads", addr(bench_yield), 2, 8, 1);
        ring("yield, 12 threads", addr(bench_yield), 12, 16, 1);
        ring("ready and park, 2 threads", addr(bench_exchange), 2, 8, 1);
        ring("hand-off, 2 threads, 2 workers allowed", addr(bench_handoff), 2, 8, 2);
        let empty = Box::leak(Box::new([addr(bench_empty), 0]));
        single("spawn and exit", addr(bench_spawn), 3_000_000, empty.as_ptr() as u64);
    }
    if want("deep") {
        for (depth, lanes) in [(3, 8), (3, 2), (30, 2), (300, 2), (3_000, 2), (100_000, 2), (100_000, 8)] {
            let place = if lanes == 2 { "one lane" } else { "two lanes" };
            deep_ring(&format!("yield under {depth} frames, {place}"), depth, lanes);
        }
    }
    if want("million") {
        for count in [100, 1_000, 10_000, 100_000, 1_000_000] {
            million(count);
        }
    }
}
