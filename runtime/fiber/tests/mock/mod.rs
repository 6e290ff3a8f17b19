//! A runtime around the threads for tests and benches: a heap that leaks (and can move every thread and stack piece),
//! mock compiled code in assembly, a host whose idle workers wait on a condition variable.
//!
//! A mock thread's closure is a record: code, step function, three words of data. The code calls `leat_step` (a runtime
//! function with a stub, like any primitive) until that gives something else than 0; what the step does is the test's.

#![allow(dead_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, State, Thread};
use leat_fiber::reference::Object;
use leat_fiber::{Config, Fibers, Host, Ref};

leat_fiber::stubs!();
leat_fiber::runtime_stub!(leat_step);

pub type Step = unsafe fn(*mut Tcb, &'static Closure) -> u64;

#[repr(C)]
pub struct Closure {
    code: usize,
    step: Step,
    /// Depth of `deep` code; data of the step otherwise.
    pub a: AtomicU64,
    pub b: AtomicU64,
    /// Where `deep` code leaves its sum.
    pub result: AtomicU64,
    pub test: &'static Test,
}

unsafe extern "C" {
    fn mock_thread();
    fn mock_deep();
    fn mock_busy();
    fn mock_deep_args();
    fn mock_raise();
    fn leat_step_stub();
}

/// Calls steps, no more.
pub fn plain() -> usize {
    mock_thread as *const () as usize
}

/// Goes down `a` frames, calls steps there, and one step at each 8th frame on the way up.
pub fn deep() -> usize {
    mock_deep as *const () as usize
}

/// Like `deep`, with arguments on the stack.
pub fn deep_args() -> usize {
    mock_deep_args as *const () as usize
}

/// Does nothing but poll until `b` is set.
pub fn busy() -> usize {
    mock_busy as *const () as usize
}

pub fn raising() -> usize {
    mock_raise as *const () as usize
}

core::arch::global_asm!(
    ".p2align 4",
    ".globl mock_thread",
    "mock_thread:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, rdi",
    "2:",
    "cmp qword ptr [r15 + {poll}], 0",
    "je 3f",
    "call leat_poll_stub",
    "3:",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    ".globl mock_thread_site",
    "mock_thread_site:",
    "test rax, rax",
    "jz 2b",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    // Runs without a call until `b` is set; counts in a register, keeps others, and is ended by a time slice alone.
    ".globl mock_busy",
    "mock_busy:",
    "push rbp",
    "mov rbp, rsp",
    "mov eax, 5",
    "movq xmm15, rax",
    "2:",
    "cmp qword ptr [r15 + {poll}], 0",
    "je 3f",
    "call leat_poll_stub",
    "3:",
    "cmp eax, 5",
    "jne 9f",
    "movq rcx, xmm15",
    "cmp rcx, rax",
    "jne 9f",
    "cmp qword ptr [rdi + 24], 0",
    "je 2b",
    "pop rbp",
    "ret",
    "9:",
    "ud2",
    // Each frame keeps its depth in two places, its stack pointer in a register, and looks at all of them afterwards.
    ".globl mock_deep",
    "mock_deep:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, rdi",
    "mov rsi, [rdi + 16]",
    "call mock_down",
    ".globl mock_deep_site",
    "mock_deep_site:",
    "mov [rbx + 32], rax",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    "mock_down:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push rsi",
    "push rsi",
    "mov rbx, rdi",
    "mov r12, rsi",
    "mov r13, rsp",
    "lea r14, [rsi + rsi * 4]",
    "test rsi, rsi",
    "jz 3f",
    "dec rsi",
    "call mock_down",
    ".globl mock_down_site",
    "mock_down_site:",
    // All that a function may return in registers.
    "lea r11, [rax + 1]",
    "cmp r11, rcx",
    "jne 9f",
    "cmp r11, rdx",
    "jne 9f",
    "cmp r11, rsi",
    "jne 9f",
    "cmp r11, rdi",
    "jne 9f",
    "cmp r11, r8",
    "jne 9f",
    "cmp r11, r9",
    "jne 9f",
    "cmp r11, r10",
    "jne 9f",
    "movq r11, xmm0",
    "cmp r11, rax",
    "jne 9f",
    "movq r11, xmm7",
    "cmp r11, rax",
    "jne 9f",
    "jmp 4f",
    "3:",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    ".globl mock_leaf_site",
    "mock_leaf_site:",
    "test rax, rax",
    "jz 3b",
    "xor eax, eax",
    "4:",
    "cmp r13, rsp",
    "jne 9f",
    "cmp r12, [rsp]",
    "jne 9f",
    "cmp r12, [rsp + 8]",
    "jne 9f",
    "lea rcx, [r12 + r12 * 4]",
    "cmp rcx, r14",
    "jne 9f",
    "test r12, 7",
    "jnz 5f",
    "mov [rsp], rax",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    ".globl mock_up_site",
    "mock_up_site:",
    "mov rax, [rsp]",
    "5:",
    "add rax, r12",
    "lea rcx, [rax + 1]",
    "mov rdx, rcx",
    "mov rsi, rcx",
    "mov rdi, rcx",
    "mov r8, rcx",
    "mov r9, rcx",
    "mov r10, rcx",
    "movq xmm0, rax",
    "movq xmm7, rax",
    "pop r11",
    "pop r11",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    "9:",
    "ud2",
    // Recursion with arguments on the stack, which the callee pops. Every second one is as after a tail call to a
    // function with fewer of them: its return address has moved up into its caller's area.
    ".globl mock_deep_args",
    "mock_deep_args:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, rdi",
    "push 0",
    "push qword ptr [rdi + 16]",
    "call mock_args",
    "mov [rbx + 32], rax",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    "mock_args:",
    "mov rsi, [rsp + 8]",
    "test rsi, 1",
    "jz mock_args_even",
    "mov rax, [rsp]",
    "add rsp, 16",
    "mov [rsp], rax",
    ".macro mock_args_body",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "push r13",
    "push rsi",
    "mov rbx, rdi",
    "mov r12, rsi",
    "mov r13, rsp",
    "test rsi, rsi",
    "jz 3f",
    "dec rsi",
    "push 0",
    "push rsi",
    "call mock_args",
    "jmp 4f",
    "3:",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    "test rax, rax",
    "jz 3b",
    "xor eax, eax",
    "4:",
    "cmp r13, rsp",
    "jne 9f",
    "cmp r12, [rsp]",
    "jne 9f",
    "test r12, 7",
    "jnz 5f",
    "mov [rsp], rax",
    "mov rdi, r15",
    "mov rsi, rbx",
    "call leat_step_stub",
    "mov rax, [rsp]",
    "5:",
    "add rax, r12",
    "pop r11",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".endm",
    "mock_args_body",
    "ret",
    "9:",
    "ud2",
    "mock_args_even:",
    "mock_args_body",
    "ret 16",
    "9:",
    "ud2",
    // A handler around a deep call: the leaf raises, or a step sets pending_exn.
    ".globl mock_raise",
    "mock_raise:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push rdi",
    "mov rbx, rdi",
    "mov rsi, [rdi + 16]",
    "call mock_down",
    ".globl mock_raise_site",
    "mock_raise_site:",
    "mov qword ptr [rbx + 32], 1",
    "pop rdi",
    "pop rbx",
    "pop rbp",
    "ret",
    ".globl mock_handler",
    "mock_handler:",
    // Nothing but rsp, rbp, rax, r15: the closure comes from the frame.
    "mov rbx, [rbp - 16]",
    "mov [rbx + 32], rax",
    "pop rdi",
    "pop rbx",
    "pop rbp",
    "ret",
    ".globl mock_end",
    "mock_end:",
    "nop",
    poll = const leat_abi::tcb::POLL,
);

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_step(tcb: *mut Tcb, closure: &'static Closure) -> u64 {
    // SAFETY: the mock code gives its own block.
    unsafe { (closure.step)(tcb, closure) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_gc(tcb: *mut Tcb, _bytes: usize) {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::poll(tcb) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_poll(tcb: *mut Tcb) {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::poll(tcb) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_stack_check(tcb: *mut Tcb) {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::poll(tcb) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_atomic_end(tcb: *mut Tcb) {
    // SAFETY: called by the stub.
    unsafe { leat_fiber::atomic_end(tcb) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_write_barrier(_tcb: *mut Tcb, _object: u64) {}

#[unsafe(no_mangle)]
unsafe extern "C" fn leat_array_barrier(_tcb: *mut Tcb, _array: u64, _slot: u64) {}

#[derive(Default)]
pub struct Bump {
    start: usize,
    at: usize,
    end: usize,
    /// Never reuse.
    pub keep: bool,
}

// SAFETY: `bump` is used by benches with one worker alone.
unsafe impl Sync for Test {}

/// One test's world.
pub struct Test {
    pub fibers: std::sync::OnceLock<Fibers>,
    /// Every thread, at its present address: moved by a collection.
    pub threads: Mutex<Vec<u64>>,
    /// Pieces are allocated; each n-th asks for a collection first.
    pub allocations: AtomicU64,
    pub collect_every: u64,
    pub collections: AtomicU64,
    pub logged: AtomicU64,
    pub uncaught: AtomicU64,
    pub trace: AtomicUsize,
    pub counter: AtomicU64,
    pub pending: AtomicBool,
    /// Threads that wait for an event, which comes when somebody has looked for it some times.
    pub due: Mutex<Vec<usize>>,
    looks: AtomicUsize,
    pub bump: std::cell::UnsafeCell<Bump>,
    wake: (Mutex<u64>, Condvar),
}

pub fn test(config: Config, collect_every: u64) -> &'static Test {
    let test: &'static Test = Box::leak(Box::new(Test {
        fibers: std::sync::OnceLock::new(),
        threads: Mutex::new(Vec::new()),
        allocations: AtomicU64::new(0),
        collect_every,
        collections: AtomicU64::new(0),
        logged: AtomicU64::new(0),
        uncaught: AtomicU64::new(0),
        trace: AtomicUsize::new(0),
        counter: AtomicU64::new(0),
        pending: AtomicBool::new(false),
        due: Mutex::new(Vec::new()),
        looks: AtomicUsize::new(0),
        bump: Default::default(),
        wake: (Mutex::new(0), Condvar::new()),
    }));
    let fibers = Fibers::new(config, test).unwrap();
    let _ = test.fibers.set(fibers);
    test
}

pub fn small(workers: usize, lanes: usize) -> Config {
    Config {
        workers,
        lanes,
        main_stack: 1 << 30,
        lane_stack: 256 << 20,
        address_space: None,
        slice: 20_000_000,
        align: 0,
        seed: None,
        trace: false,
        scatter: false,
        explored: None,
    }
}

fn words(count: usize, header: u64) -> u64 {
    let object = Box::leak(vec![0u64; count + 2].into_boxed_slice());
    object[1] = header;
    &raw mut object[2] as u64
}

impl Test {
    pub fn fibers(&self) -> Fibers {
        *self.fibers.get().unwrap()
    }

    pub fn tcb(&self) -> *mut Tcb {
        self.fibers().main_tcb()
    }

    /// A new thread; its number in `threads`.
    pub fn thread(&'static self, tcb: *mut Tcb, code: usize, step: Step, a: u64, b: u64) -> usize {
        let closure = Box::leak(Box::new(Closure {
            code,
            step,
            a: AtomicU64::new(a),
            b: AtomicU64::new(b),
            result: AtomicU64::new(0),
            test: self,
        }));
        let thread = words(std::mem::size_of::<Thread>() / 8, Thread::HEADER | header::UNLOGGED);
        // SAFETY: a fresh object.
        unsafe {
            leat_fiber::init_thread(tcb, Ref::of(thread), Ref::of(closure as *mut Closure as u64));
            (*(thread as *mut Thread)).props = closure as *mut Closure as u64;
        }
        let mut threads = self.threads.lock().unwrap();
        threads.push(thread);
        threads.len() - 1
    }

    pub fn at(&self, thread: usize) -> Ref<Thread> {
        Ref::of(self.threads.lock().unwrap()[thread])
    }

    /// The closure is found by the result's place.
    pub fn run(&'static self, code: usize, step: Step, a: u64, b: u64) -> u64 {
        let main = self.thread(self.tcb(), code, step, a, b);
        // SAFETY: a new thread.
        unsafe { self.fibers().run(self.at(main)) }
    }

    /// Moves all threads and pieces, and spoils what they were.
    fn move_all(&self) {
        let fibers = self.fibers();
        let mut map = std::collections::HashMap::new();
        let mut threads = self.threads.lock().unwrap();
        for slot in threads.iter_mut() {
            let old = *slot as *mut Thread;
            let new = words(std::mem::size_of::<Thread>() / 8, Thread::HEADER | header::UNLOGGED);
            // SAFETY: all workers are stopped; the objects are what they should be.
            unsafe {
                std::ptr::copy_nonoverlapping(old, new as *mut Thread, 1);
                let mut link = &raw mut (*(new as *mut Thread)).stack;
                while *link != 1 {
                    let header = *((*link - 8) as *const u64);
                    let length = header::length(header) as usize;
                    let piece = words(length, header);
                    std::ptr::copy_nonoverlapping(*link as *const u64, piece as *mut u64, length);
                    std::slice::from_raw_parts_mut(*link as *mut u64, length).fill(0xdead_dead);
                    *((*link - 8) as *mut u64) = 0;
                    *link = piece;
                    link = &raw mut (*(piece as *mut StackPiece)).under;
                }
            }
            map.insert(*slot, new);
            *slot = new;
        }
        for (&old, &new) in &map {
            // SAFETY: as above.
            unsafe {
                let next = &raw mut (*(new as *mut Thread)).next;
                if *next != 1 {
                    *next = map[&*next];
                }
                std::slice::from_raw_parts_mut(old as *mut u64, std::mem::size_of::<Thread>() / 8).fill(0xbad_bad);
            }
        }
        let forward = |slot: *mut u64| {
            // SAFETY: a root.
            unsafe {
                if *slot & 1 == 0 {
                    *slot = map[&*slot];
                }
            }
        };
        // SAFETY: all workers are stopped.
        unsafe {
            for tcb in fibers.tcbs() {
                forward(&raw mut (*tcb).current);
            }
            fibers.roots(forward);
            fibers.residents(|thread| map.get(&thread.word()).copied().map(Ref::of));
            fibers.kept_pieces(|_| None);
            fibers.bound_threads(|thread| map.get(&thread.word()).copied().map(Ref::of));
        }
        self.collections.fetch_add(1, Ordering::Relaxed);
    }

    pub fn collect(&self, tcb: *mut Tcb) {
        // SAFETY: called at a safepoint.
        unsafe { leat_fiber::stop_world(tcb, |_| self.move_all()) };
    }

    fn notify(&self) {
        *self.wake.0.lock().unwrap() += 1;
        self.wake.1.notify_all();
    }
}

impl Host for Test {
    unsafe fn alloc_stack(&self, _tcb: *mut Tcb, count: usize) -> Ref<StackPiece> {
        let n = self.allocations.fetch_add(1, Ordering::Relaxed) + 1;
        if self.collect_every == 0 {
            // A bump allocator that goes round in a megabyte, or on and on: for benches, where nothing lives long.
            // SAFETY: benches have one worker.
            let bump = unsafe { &mut *self.bump.get() };
            let bytes = (count + 1) * 8;
            if bump.at + bytes > bump.end {
                if bump.start == 0 || bump.keep || bytes > bump.end - bump.start {
                    let size = if bump.keep { 64 << 20 } else { bytes.max(1 << 20) };
                    bump.start = Box::leak(vec![0u64; size / 8].into_boxed_slice()).as_ptr() as usize;
                    bump.end = bump.start + size;
                }
                bump.at = bump.start;
            }
            let at = bump.at;
            bump.at += bytes;
            // SAFETY: in the chunk.
            unsafe { *(at as *mut u64) = header::stack(count as u64) };
            return Ref::of(at as u64 + 8);
        }
        if n.is_multiple_of(self.collect_every) {
            return Ref::NONE;
        }
        Ref::of(words(count, header::stack(count as u64)))
    }

    unsafe fn collect(&self, tcb: *mut Tcb, _bytes: usize) {
        Test::collect(self, tcb);
    }

    unsafe fn write_barrier(&self, _tcb: *mut Tcb, object: Ref<Object>) {
        self.logged.fetch_add(1, Ordering::Relaxed);
        // SAFETY: a header.
        unsafe { *(object.as_ptr() as *mut u64).sub(1) &= !header::UNLOGGED };
    }

    unsafe fn restore_alloc_limit(&self, tcb: *mut Tcb) {
        // SAFETY: the worker's own block.
        unsafe { (*tcb).alloc_limit.store(usize::MAX, Ordering::Relaxed) };
    }

    unsafe fn events(&self, tcb: *mut Tcb, _often: bool) -> bool {
        let mut due = self.due.lock().unwrap();
        if due.is_empty() || !self.looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(3) {
            return true;
        }
        let threads = std::mem::take(&mut *due);
        drop(due);
        for thread in threads {
            // SAFETY: the caller's block; no safepoint comes in between.
            unsafe { leat_fiber::ready(tcb, self.at(thread)) };
        }
        true
    }

    fn pending(&self) -> bool {
        self.pending.load(Ordering::SeqCst) || !self.due.lock().unwrap().is_empty()
    }

    fn wait(&self, _worker: usize, _most: Option<u64>) {
        if !self.due.lock().unwrap().is_empty() {
            return std::thread::yield_now();
        }
        // One count for all: every wake wakes everybody; at worst each looks once more.
        let guard = self.wake.0.lock().unwrap();
        let _ = self.wake.1.wait_timeout(guard, std::time::Duration::from_millis(2)).unwrap();
    }

    fn wake(&self, _worker: usize) {
        self.notify();
    }

    unsafe fn deadlock(&self, _tcb: *mut Tcb) -> bool {
        false
    }

    unsafe fn uncaught(&self, tcb: *mut Tcb, packet: u64) -> u64 {
        self.uncaught.store(packet, Ordering::SeqCst);
        // SAFETY: the stack is intact.
        unsafe {
            self.trace.store(leat_fiber::backtrace(tcb, 1000).len(), Ordering::SeqCst);
            leat_fiber::exit(tcb)
        }
    }

    unsafe fn worker_started(&self, _tcb: *mut Tcb) {}

    unsafe fn marker_hit(&self, _tcb: *mut Tcb, lane: usize) -> usize {
        // SAFETY: the worker runs this lane.
        unsafe {
            let (_, ret) = self.fibers().marker(lane);
            self.fibers().set_marker(lane, (0, 0));
            self.counter.fetch_add(1, Ordering::Relaxed);
            ret
        }
    }

    unsafe fn marker_unwound(&self, _tcb: *mut Tcb, lane: usize, _sp: usize) {
        // SAFETY: the worker runs this lane.
        unsafe { self.fibers().set_marker(lane, (0, 0)) };
    }

    unsafe fn marker_remove(&self, _tcb: *mut Tcb, lane: usize, _fp: usize, _ret_slot: usize) {
        // SAFETY: the worker owns this lane; the word has not moved in these tests.
        unsafe {
            let (slot, ret) = self.fibers().marker(lane);
            *(slot as *mut usize) = ret;
        }
    }

    fn marker_forget(&self, _lane: usize) {}
}

/// The mock code's table; handlers as wanted.
pub fn table() -> &'static leat_abi::code::CodeTable {
    use leat_abi::code::{CodeTable, Function, Site, hash_table};
    unsafe extern "C" {
        fn mock_thread_site();
        fn mock_deep_site();
        fn mock_down_site();
        fn mock_leaf_site();
        fn mock_up_site();
        fn mock_raise_site();
        fn mock_handler();
        fn mock_end();
    }
    let base = mock_thread as *const () as usize;
    let offset = |f: unsafe extern "C" fn()| (f as *const () as usize - base) as u32;
    let site = |at, frame, handler, line| Site { ret: offset(at), frame, handler, line, ..Site::default() };
    let sites = hash_table(&[
        site(mock_thread_site, 16, 0, 1),
        site(mock_deep_site, 16, 0, 2),
        site(mock_down_site, 48, 0, 3),
        site(mock_leaf_site, 48, 0, 4),
        site(mock_up_site, 48, 0, 5),
        site(mock_raise_site, 16, offset(mock_handler), 6),
    ]);
    let sites = Box::leak(sites.into_boxed_slice());
    let text = "mock";
    let functions = Box::leak(Box::new([Function {
        start: 0,
        bytes: 0,
        name: 0,
        name_len: 4,
        file: 0,
        file_len: 4,
        line: 0,
        counts: 0,
    }]));
    Box::leak(Box::new(CodeTable {
        base: base as *const u8,
        len: mock_end as *const () as usize - base,
        sites: sites.as_ptr(),
        site_slots: sites.len(),
        slots: std::ptr::null(),
        slot_count: 0,
        functions: functions.as_ptr(),
        function_count: 1,
        text: text.as_ptr(),
        text_len: 4,
        global_refs: std::ptr::null(),
        global_ref_count: 0,
        global_count: 0,
        inlined: std::ptr::null(),
        inlined_count: 0,
        lines: std::ptr::null(),
        line_count: 0,
        counts: std::ptr::null(),
        count_words: 0,
        places: std::ptr::null(),
        place_count: 0,
        places_before: 0,
    }))
}

/// Low byte of a thread's state.
pub fn state(thread: Ref<Thread>) -> u64 {
    // SAFETY: a thread object.
    unsafe { ((*thread.as_ptr()).state & leat_abi::thread::STATE_MASK) as u64 }
}

pub const DEAD: u64 = State::Dead as u64;
