//! A runtime for tests: one thread, a copying collector that moves everything, fills what it left with garbage, and may
//! be asked to collect at every allocation; so a stale reference gives a wrong answer or a crash.
//!
//! Compiled code runs on the Rust stack. Each stub notes where it was called and calls Rust.

// Its stubs are called by compiled code alone, with the block of the one thread and words of its own heap.
#![allow(clippy::undocumented_unsafe_blocks)]
#![allow(dead_code)]

use std::arch::global_asm;
use std::cell::UnsafeCell;
use std::sync::Once;
use std::sync::atomic::Ordering;

use leat_abi::code::CodeTable;
use leat_abi::exn::{BUILTIN_COUNT, BUILTINS, Builtin};
use leat_abi::header::{self, ObjectKind};
use leat_abi::prim::{Lower, Prim};
use leat_abi::tcb::Tcb;
use leat_abi::walk::Walk;
use leat_abi::{prim::stub, tcb};
use leat_ssa::ir::Program;
use leat_translate::{Jit, Loaded, Options};

const SPACE: usize = 64 << 20;

/// What the stubs and the collector know.
pub struct Mock {
    pub tcb: Box<Tcb>,
    tables: Vec<&'static CodeTable>,
    spaces: [usize; 2],
    align: usize,
    now: usize,
    /// Collect at every heap check.
    pub stress: bool,
    pub collections: u64,
    pub logged: u64,
    pub polls: u64,
    /// The poll that finds an exception for the thread, from 1 on: the interruption.
    pub interrupted_at: u64,
    pub printed: Vec<String>,
    globals: *mut u64,
    global_refs: Vec<u32>,
}

thread_local! {
    static UNCAUGHT: UnsafeCell<u64> = const { UnsafeCell::new(0) };
}

unsafe extern "C" {
    fn mock_enter(code: *const u8, tcb: *mut Tcb, a: u64, b: u64, c: u64, d: u64) -> u64;
    fn mock_gc_stub();
    fn mock_poll_stub();
    fn mock_stack_check_stub();
    fn mock_atomic_end_stub();
    fn mock_write_barrier_stub();
    fn mock_array_barrier_stub();
    fn mock_raise_stub();
    fn mock_raise_builtin_stub();
    fn mock_collect_stub();
    fn mock_stat_stub();
    fn mock_yield_stub();
    fn mock_print_stub();
    fn mock_int_to_string_stub();
    fn mock_absent_stub();
}

impl Mock {
    pub fn new(align: usize) -> Box<Mock> {
        let space = || {
            let bytes = vec![0u64; SPACE / 8 + 8].leak();
            (bytes.as_ptr() as usize).next_multiple_of(64)
        };
        let mut mock = Box::new(Mock {
            tcb: Box::new(Tcb::empty()),
            tables: Vec::new(),
            spaces: [space(), space()],
            align,
            now: 0,
            stress: false,
            collections: 0,
            logged: 0,
            polls: 0,
            interrupted_at: 0,
            printed: Vec::new(),
            globals: std::ptr::null_mut(),
            global_refs: Vec::new(),
        });
        mock.tcb.alloc = mock.spaces[0] + align - 8;
        mock.tcb.stack_limit.store(0, Ordering::Relaxed);
        mock.tcb.memory = &mut *mock as *mut Mock as usize;
        mock.set_limit();
        // Descriptors are raw words in disguise: packets are records of two immediates, told apart by the first.
        for (i, _) in BUILTINS.iter().enumerate() {
            let packet = mock.record(0, &[], &[2 * i as u64 + 1, 1]);
            mock.tcb.exn_packet[i] = packet;
        }
        mock
    }

    pub fn load(&mut self, program: &Program, options: &Options) -> Loaded {
        let mut jit = Jit::new(&symbols(), options).expect("a region");
        let loaded = jit.add(program).unwrap_or_else(|e| panic!("{e}"));
        self.register(&loaded);
        loaded
    }

    /// Empties the heap and forgets all programs.
    pub fn forget(&mut self) {
        self.tables.clear();
        self.global_refs.clear();
        self.now = 0;
        self.tcb.alloc = self.spaces[0] + self.align - 8;
        self.set_stress(false);
        for i in 0..BUILTIN_COUNT {
            self.tcb.exn_packet[i] = self.record(0, &[], &[2 * i as u64 + 1, 1]);
        }
    }

    pub fn register(&mut self, loaded: &Loaded) {
        self.tables.push(loaded.table);
        self.globals = loaded.globals;
        self.tcb.globals = loaded.globals as usize;
        let t = loaded.table;
        // SAFETY: as the table says.
        self.global_refs.extend_from_slice(unsafe { std::slice::from_raw_parts(t.global_refs, t.global_ref_count) });
    }

    /// Calls compiled code; an exception that nobody handles gives `Err` with the number of the builtin.
    pub fn call(&mut self, code: *const u8, args: [u64; 4]) -> Result<u64, u64> {
        let tcb: *mut Tcb = &mut *self.tcb;
        UNCAUGHT.with(|u| unsafe { *u.get() = 0 });
        let result = unsafe { mock_enter(code, tcb, args[0], args[1], args[2], args[3]) };
        let packet = UNCAUGHT.with(|u| unsafe { *u.get() });
        if packet == 0 { Ok(result) } else { Err(unsafe { *(packet as *const u64) } >> 1) }
    }

    pub fn call_fn(&mut self, loaded: &Loaded, f: usize, args: [u64; 4]) -> Result<u64, u64> {
        self.call(function(loaded, f), args)
    }

    fn set_limit(&mut self) {
        let limit = if self.stress { 0 } else { self.spaces[self.now] + SPACE };
        self.tcb.alloc_limit.store(limit, Ordering::Relaxed);
    }

    pub fn set_stress(&mut self, on: bool) {
        self.stress = on;
        self.set_limit();
    }

    /// Allocates outside of compiled code.
    pub fn record(&mut self, tag: u16, raws: &[u64], refs: &[u64]) -> u64 {
        let word = header::record(raws.len(), refs.len(), tag);
        let at = self.allocate(word);
        for (i, &w) in raws.iter().chain(refs).enumerate() {
            unsafe { *((at + 8 * i) as *mut u64) = w };
        }
        at as u64
    }

    pub fn allocate(&mut self, word: u64) -> usize {
        let at = self.tcb.alloc;
        unsafe { *(at as *mut u64) = word };
        self.tcb.alloc += (8 + header::payload_bytes(word)).next_multiple_of(self.align);
        assert!(self.tcb.alloc < self.spaces[self.now] + SPACE, "the mock's heap is full");
        at + 8
    }

    /// A call that may collect.
    fn chance(&mut self, ret_slot: usize, fp: usize) {
        if self.stress {
            self.collect(ret_slot, fp);
        }
    }

    fn collect(&mut self, ret_slot: usize, fp: usize) {
        self.collections += 1;
        let (from, to) = (self.spaces[self.now], self.spaces[1 - self.now]);
        let end = self.tcb.alloc;
        self.now = 1 - self.now;
        let mut copy = Copy { from, end, free: to + self.align - 8, align: self.align };
        let mut walk = Walk::new(&self.tables, fp, ret_slot, (0, 0));
        while let Some(frame) = unsafe { walk.next() } {
            for &slot in frame.table.slots_of(frame.site) {
                copy.forward((frame.sp + slot as usize) as *mut u64);
            }
        }
        for packet in &mut self.tcb.exn_packet {
            copy.forward(packet);
        }
        for &g in &self.global_refs {
            copy.forward(unsafe { self.globals.add(g as usize) });
        }
        let mut scan = to + self.align - 8;
        while scan < copy.free {
            let word = unsafe { *(scan as *const u64) };
            let refs = match ObjectKind::of(word) {
                ObjectKind::Record => header::raw_words(word)..header::raw_words(word) + header::ref_words(word),
                ObjectKind::RefArray => 0..header::length(word) as usize,
                _ => 0..0,
            };
            for i in refs {
                copy.forward((scan + 8 + 8 * i) as *mut u64);
            }
            scan += (8 + header::payload_bytes(word)).next_multiple_of(self.align);
        }
        // Odd and far away: neither an address nor a plausible number.
        for at in (from..end).step_by(8) {
            unsafe { *(at as *mut u64) = 0xdead_dead_dead_dead };
        }
        self.tcb.alloc = copy.free;
        self.set_limit();
    }
}

struct Copy {
    from: usize,
    end: usize,
    free: usize,
    align: usize,
}

impl Copy {
    fn forward(&mut self, slot: *mut u64) {
        let old = unsafe { *slot };
        if header::is_immediate(old) {
            return;
        }
        let object = old as usize;
        if object <= self.from || object > self.end {
            let word = unsafe { *((object - 8) as *const u64) };
            assert!(word & header::STATIC != 0, "{object:#x} is no object: {word:#x}");
            return;
        }
        assert_eq!(object % self.align, 0, "a misaligned payload");
        let word = unsafe { *((object - 8) as *const u64) };
        if word & 1 == 0 {
            unsafe { *slot = word };
            return;
        }
        assert_ne!(word, 0xdead_dead_dead_dead, "a reference to a dead object");
        let bytes = 8 + header::payload_bytes(word);
        unsafe { std::ptr::copy_nonoverlapping((object - 8) as *const u8, self.free as *mut u8, bytes) };
        let new = self.free as u64 + 8;
        self.free += bytes.next_multiple_of(self.align);
        unsafe {
            *((object - 8) as *mut u64) = new;
            *slot = new;
        }
    }
}

/// Address of a function of a loaded program.
pub fn function(loaded: &Loaded, f: usize) -> *const u8 {
    unsafe { loaded.table.base.add((*loaded.table.functions.add(f)).start as usize) }
}

/// Everything that a program may ask for; primitives that the mock lacks abort.
pub fn symbols() -> Vec<(&'static str, *const u8)> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| assert_eq!(BUILTIN_COUNT, BUILTINS.len()));
    let mut list: Vec<(&'static str, *const u8)> = vec![
        (stub::GC, mock_gc_stub as *const u8),
        (stub::POLL, mock_poll_stub as *const u8),
        (stub::STACK_CHECK, mock_stack_check_stub as *const u8),
        (stub::RAISE, mock_raise_stub as *const u8),
        (stub::RAISE_AGAIN, mock_raise_stub as *const u8),
        (stub::EXN_PLACE, mock_absent_stub as *const u8),
        (stub::RAISED_HERE, mock_absent_stub as *const u8),
        (stub::RAISE_BUILTIN, mock_raise_builtin_stub as *const u8),
        (stub::WRITE_BARRIER, mock_write_barrier_stub as *const u8),
        (stub::ARRAY_BARRIER, mock_array_barrier_stub as *const u8),
        (stub::ATOMIC_END, mock_atomic_end_stub as *const u8),
        // Without a raise they come back like the others.
        (stub::GC_HANDLED, mock_gc_stub as *const u8),
        (stub::POLL_HANDLED, mock_poll_stub as *const u8),
        (stub::ATOMIC_END_HANDLED, mock_atomic_end_stub as *const u8),
    ];
    for p in Prim::all() {
        match p.lower() {
            Lower::Inline => {}
            Lower::Leaf => {
                let at = match p {
                    Prim::RealPow => mock_pow as *const u8,
                    Prim::StringCompare => mock_string_compare as *const u8,
                    _ => mock_absent_stub as *const u8,
                };
                list.push((p.entry(), at));
            }
            Lower::Runtime => {
                let at = match p {
                    Prim::GcCollect => mock_collect_stub as *const u8,
                    Prim::GcStat => mock_stat_stub as *const u8,
                    Prim::ThreadSleepUntil => mock_yield_stub as *const u8,
                    // One function at two types.
                    Prim::Print | Prim::PrintOut => mock_print_stub as *const u8,
                    Prim::IntToString => mock_int_to_string_stub as *const u8,
                    _ => mock_absent_stub as *const u8,
                };
                list.push((p.entry(), at));
            }
        }
    }
    list
}

fn mock(tcb: *mut Tcb) -> &'static mut Mock {
    unsafe { &mut *((*tcb).memory as *mut Mock) }
}

fn here(tcb: *mut Tcb) -> (usize, usize) {
    unsafe { ((*tcb).saved_call_sp, (*tcb).saved_fp) }
}

#[unsafe(no_mangle)]
extern "C" fn mock_gc(tcb: *mut Tcb, bytes: u64) {
    let (ret_slot, fp) = here(tcb);
    let m = mock(tcb);
    m.collect(ret_slot, fp);
    if m.stress {
        m.tcb.alloc_limit.store(m.tcb.alloc + bytes as usize, Ordering::Relaxed);
    }
    // What compiled code does with memory that it was not given shows.
    let fresh = m.tcb.alloc;
    for i in 0..bytes as usize / 8 {
        unsafe { *((fresh + 8 * i) as *mut u64) = 0xdead_dead_dead_dead };
    }
}

#[unsafe(no_mangle)]
extern "C" fn mock_poll(tcb: *mut Tcb) {
    let (ret_slot, fp) = here(tcb);
    let m = mock(tcb);
    m.polls += 1;
    m.collect(ret_slot, fp);
    if m.polls == m.interrupted_at {
        m.tcb.pending_exn = m.tcb.exn_packet[Builtin::Interrupt as usize];
    }
}

#[unsafe(no_mangle)]
extern "C" fn mock_write_barrier(tcb: *mut Tcb, object: u64) {
    mock(tcb).logged += 1;
    unsafe { *((object - 8) as *mut u64) &= !header::UNLOGGED };
}

#[unsafe(no_mangle)]
extern "C" fn mock_array_barrier(tcb: *mut Tcb, array: u64, slot: u64) {
    assert!(slot >= array);
    mock_write_barrier(tcb, array);
}

/// Gives the handler's address in `resume_value`, its stack pointer in `saved_sp`, its frame pointer in `saved_fp`.
#[unsafe(no_mangle)]
extern "C" fn mock_find(tcb: *mut Tcb, packet: u64) -> u64 {
    let (ret_slot, fp) = here(tcb);
    let mut walk = Walk::new(&mock(tcb).tables, fp, ret_slot, (0, 0));
    while let Some(frame) = unsafe { walk.next() } {
        if frame.site.handler != 0 {
            unsafe {
                (*tcb).saved_sp = frame.sp;
                (*tcb).saved_fp = frame.fp;
            }
            return frame.table.base as u64 + frame.site.handler as u64;
        }
    }
    UNCAUGHT.with(|u| unsafe { *u.get() = packet });
    0
}

#[unsafe(no_mangle)]
extern "C" fn mock_collect(tcb: *mut Tcb, _n: u64) -> u64 {
    let (ret_slot, fp) = here(tcb);
    mock(tcb).collect(ret_slot, fp);
    0
}

#[unsafe(no_mangle)]
extern "C" fn mock_stat(tcb: *mut Tcb, n: u64) -> u64 {
    let (ret_slot, fp) = here(tcb);
    mock(tcb).chance(ret_slot, fp);
    n * 2 + 1
}

/// Raises the builtin exception of this number, if there is one.
#[unsafe(no_mangle)]
extern "C" fn mock_yield(tcb: *mut Tcb, n: u64) -> u64 {
    let (ret_slot, fp) = here(tcb);
    mock(tcb).chance(ret_slot, fp);
    if (n as usize) < BUILTIN_COUNT {
        unsafe { (*tcb).pending_exn = (*tcb).exn_packet[n as usize] };
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn mock_print(tcb: *mut Tcb, string: u64) -> u64 {
    let text = unsafe {
        let word = *((string - 8) as *const u64);
        std::slice::from_raw_parts(string as *const u8, header::length(word) as usize)
    };
    mock(tcb).printed.push(String::from_utf8_lossy(text).into_owned());
    let (ret_slot, fp) = here(tcb);
    mock(tcb).chance(ret_slot, fp);
    0
}

#[unsafe(no_mangle)]
extern "C" fn mock_int_to_string(tcb: *mut Tcb, n: i64) -> u64 {
    let (ret_slot, fp) = here(tcb);
    mock(tcb).chance(ret_slot, fp);
    let text = n.to_string();
    let at = mock(tcb).allocate(header::raw_array(0, text.len() as u64));
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), at as *mut u8, text.len()) };
    at as u64
}

extern "C" fn mock_pow(a: f64, b: f64) -> f64 {
    a.powf(b)
}

extern "C" fn mock_string_compare(a: u64, b: u64) -> i64 {
    let text = |s: u64| unsafe {
        let word = *((s - 8) as *const u64);
        std::slice::from_raw_parts(s as *const u8, header::length(word) as usize)
    };
    text(a).cmp(text(b)) as i64
}

#[unsafe(no_mangle)]
extern "C" fn mock_absent(_tcb: *mut Tcb) -> ! {
    eprintln!("the mock has no such primitive");
    std::process::abort()
}

global_asm!(
    "mock_enter:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "mov rax, rdi",
    "mov r15, rsi",
    "mov [r15 + {c_sp}], rsp",
    "mov rdi, rdx",
    "mov rsi, rcx",
    "mov rdx, r8",
    "mov rcx, r9",
    "call rax",
    "mock_leave:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    "mock_raise_builtin_stub:",
    "mov rdi, [r15 + {packets} + rdi * 8]",
    "mock_raise_stub:",
    "mov [r15 + {saved_fp}], rbp",
    "mov [r15 + {saved_call_sp}], rsp",
    "mov rsi, rdi",
    "mov rdi, r15",
    "push rsi",
    "call mock_find",
    "pop rcx",
    "test rax, rax",
    "je 2f",
    "mov rdx, rax",
    "mov rax, rcx",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    // Nothing but these is promised at a handler.
    "mov rbx, 0x5bad",
    "mov rcx, 0x5bad",
    "mov rsi, 0x5bad",
    "mov rdi, 0x5bad",
    "mov r8, 0x5bad",
    "mov r9, 0x5bad",
    "mov r10, 0x5bad",
    "mov r11, 0x5bad",
    "mov r12, 0x5bad",
    "mov r13, 0x5bad",
    "mov r14, 0x5bad",
    "jmp rdx",
    "2:",
    "mov rsp, [r15 + {c_sp}]",
    "jmp mock_leave",
    c_sp = const tcb::C_SP,
    packets = const tcb::EXN_PACKET,
    saved_sp = const tcb::SAVED_SP,
    saved_fp = const tcb::SAVED_FP,
    saved_call_sp = const tcb::SAVED_CALL_SP,
);

macro_rules! keep_all {
    ($name:literal, $target:literal) => {
        global_asm!(
            concat!($name, ":"),
            "push rax; push rcx; push rdx; push rsi; push rdi; push r8; push r9; push r10; push r11",
            "sub rsp, 256",
            "movups [rsp], xmm0; movups [rsp + 16], xmm1; movups [rsp + 32], xmm2; movups [rsp + 48], xmm3",
            "movups [rsp + 64], xmm4; movups [rsp + 80], xmm5; movups [rsp + 96], xmm6; movups [rsp + 112], xmm7",
            "movups [rsp + 128], xmm8; movups [rsp + 144], xmm9; movups [rsp + 160], xmm10; movups [rsp + 176], xmm11",
            "movups [rsp + 192], xmm12; movups [rsp + 208], xmm13; movups [rsp + 224], xmm14; movups [rsp + 240], xmm15",
            "mov [r15 + {saved_fp}], rbp",
            "lea rax, [rsp + 328]",
            "mov [r15 + {saved_call_sp}], rax",
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, r15",
            concat!("call ", $target),
            "movups xmm0, [rsp]; movups xmm1, [rsp + 16]; movups xmm2, [rsp + 32]; movups xmm3, [rsp + 48]",
            "movups xmm4, [rsp + 64]; movups xmm5, [rsp + 80]; movups xmm6, [rsp + 96]; movups xmm7, [rsp + 112]",
            "movups xmm8, [rsp + 128]; movups xmm9, [rsp + 144]; movups xmm10, [rsp + 160]; movups xmm11, [rsp + 176]",
            "movups xmm12, [rsp + 192]; movups xmm13, [rsp + 208]; movups xmm14, [rsp + 224]; movups xmm15, [rsp + 240]",
            "add rsp, 256",
            "pop r11; pop r10; pop r9; pop r8; pop rdi; pop rsi; pop rdx; pop rcx; pop rax",
            "ret",
            saved_fp = const tcb::SAVED_FP,
            saved_call_sp = const tcb::SAVED_CALL_SP,
        );
    };
}

keep_all!("mock_gc_stub", "mock_gc");
keep_all!("mock_poll_stub", "mock_poll");
keep_all!("mock_stack_check_stub", "mock_poll");
keep_all!("mock_atomic_end_stub", "mock_poll");
keep_all!("mock_write_barrier_stub", "mock_write_barrier");
keep_all!("mock_array_barrier_stub", "mock_array_barrier");

macro_rules! runtime {
    ($name:literal, $target:literal) => {
        global_asm!(
            concat!($name, ":"),
            "mov [r15 + {saved_fp}], rbp",
            "mov [r15 + {saved_call_sp}], rsp",
            "sub rsp, 8",
            concat!("call ", $target),
            "add rsp, 8",
            "cmp qword ptr [r15 + {pending}], 0",
            "je 2f",
            "mov rdi, [r15 + {pending}]",
            "mov qword ptr [r15 + {pending}], 0",
            "jmp mock_raise_stub",
            "2: ret",
            saved_fp = const tcb::SAVED_FP,
            saved_call_sp = const tcb::SAVED_CALL_SP,
            pending = const tcb::PENDING_EXN,
        );
    };
}

runtime!("mock_collect_stub", "mock_collect");
runtime!("mock_stat_stub", "mock_stat");
runtime!("mock_yield_stub", "mock_yield");
runtime!("mock_print_stub", "mock_print");
runtime!("mock_int_to_string_stub", "mock_int_to_string");
runtime!("mock_absent_stub", "mock_absent");
