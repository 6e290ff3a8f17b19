//! A stand-in for compiled code: a few lines of assembly that run a script of calls into the runtime.
//!
//! Each step calls a stub with up to five arguments, constants or global slots, and stores the result in a global slot.
//! The first 32 slots are roots, so what they hold may move at each step. The assembly keeps the contract of compiled
//! code: frame pointers, one site, r15.

use std::sync::{Mutex, MutexGuard};

use leat_abi::code::{CodeTable, Function, Site, hash_table};
use leat_abi::header;
use leat_entry::{Outcome, Program, RuntimeOptions, run_captured, symbols};

/// An argument.
#[derive(Clone, Copy)]
pub enum Arg {
    /// These bits.
    Value(u64),
    /// What the global slot holds.
    Slot(u64),
}

pub use Arg::{Slot, Value};

/// Calls; the last one's function is 0.
type Step = [u64; 12];

/// No result is stored.
pub const NOWHERE: usize = SLOTS - 1;
const SLOTS: usize = 64;

unsafe extern "C" {
    fn leat_test_main();
    fn leat_test_closure();
    fn leat_test_returned();
    fn leat_test_end();
}

static mut MAIN: *const Step = core::ptr::null();

// rbx: the step. A frame of 16 bytes below the frame pointer.
core::arch::global_asm!(
    ".globl leat_test_main",
    "leat_test_main:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, [rip + {main}]",
    "jmp 1f",
    ".globl leat_test_closure",
    "leat_test_closure:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "mov rbx, [rdi + 8]",
    "1:",
    "mov rax, [rbx]",
    "test rax, rax",
    "je 9f",
    "mov r12, [r15 + {globals}]",
    "mov rdi, r15",
    "mov rsi, [rbx + 16]",
    "cmp qword ptr [rbx + 8], 0",
    "je 2f",
    "mov rsi, [r12 + rsi * 8]",
    "2:",
    "mov rdx, [rbx + 32]",
    "cmp qword ptr [rbx + 24], 0",
    "je 3f",
    "mov rdx, [r12 + rdx * 8]",
    "3:",
    "mov rcx, [rbx + 48]",
    "cmp qword ptr [rbx + 40], 0",
    "je 4f",
    "mov rcx, [r12 + rcx * 8]",
    "4:",
    "mov r8, [rbx + 64]",
    "cmp qword ptr [rbx + 56], 0",
    "je 5f",
    "mov r8, [r12 + r8 * 8]",
    "5:",
    "mov r9, [rbx + 80]",
    "cmp qword ptr [rbx + 72], 0",
    "je 6f",
    "mov r9, [r12 + r9 * 8]",
    "6:",
    "call rax",
    ".globl leat_test_returned",
    "leat_test_returned:",
    "mov rcx, [rbx + 88]",
    "mov r12, [r15 + {globals}]",
    "mov [r12 + rcx * 8], rax",
    "add rbx, 96",
    "jmp 1b",
    "9:",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".globl leat_test_end",
    "leat_test_end:",
    main = sym MAIN,
    globals = const leat_abi::tcb::GLOBALS,
);

/// A script that is being written.
#[derive(Default, Clone)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// Calls the runtime function of this name.
    pub fn call(mut self, name: &str, arguments: &[Arg], result: usize) -> Script {
        let stub = format!("{name}_stub");
        let Some((_, address)) = symbols().iter().find(|(symbol, _)| *symbol == stub) else {
            panic!("no symbol {stub}");
        };
        let mut step = [0; 12];
        step[0] = *address as u64;
        for (i, argument) in arguments.iter().enumerate() {
            (step[1 + 2 * i], step[2 + 2 * i]) = match argument {
                Value(bits) => (0, *bits),
                Slot(index) => (1, *index),
            };
        }
        step[11] = result as u64;
        self.steps.push(step);
        self
    }

    /// Prints a text.
    pub fn print(self, text: &str) -> Script {
        self.call("leat_print", &[Value(string(text))], NOWHERE)
    }

    /// Several times what `f` adds.
    pub fn repeat(mut self, times: usize, f: impl Fn(Script) -> Script) -> Script {
        for _ in 0..times {
            self = f(self);
        }
        self
    }

    fn finish(mut self) -> *const Step {
        self.steps.push([0; 12]);
        self.steps.leak().as_ptr()
    }

    /// A closure, outside the heap, that runs the script.
    pub fn closure(self) -> u64 {
        let code = leat_test_closure as *const () as u64;
        let words = vec![header::record(2, 0, 0) | header::STATIC, code, self.finish() as u64].leak();
        &words[1] as *const u64 as u64
    }

    /// Runs it as a program whose output is collected.
    pub fn run(self, options: &str) -> Outcome {
        self.with(options, run_captured)
    }

    /// Runs it as a program that writes to the process's outputs.
    pub fn run_for_real(self, options: &str) -> i32 {
        self.with(options, leat_entry::run)
    }

    fn with<T>(self, options: &str, run: impl FnOnce(&Program, &RuntimeOptions) -> T) -> T {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn: MutexGuard<()> = TURN.lock().unwrap_or_else(|e| e.into_inner());
        // SAFETY: one program at a time.
        unsafe { MAIN = self.finish() };
        let globals = vec![0u64; SLOTS].leak();
        let mut parsed = RuntimeOptions::default();
        parsed.take_all(options).unwrap();
        let program = Program {
            main: leat_test_main as *const u8,
            tables: vec![table()],
            globals: globals.as_mut_ptr(),
            name: b"script".to_vec(),
            arguments: vec![b"one".to_vec(), b"two".to_vec()],
            watched: false,
        };
        run(&program, &parsed)
    }
}

/// A string outside the heap.
pub fn string(text: &str) -> u64 {
    let mut words = vec![header::raw_array(0, text.len() as u64) | header::STATIC];
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_ne_bytes(word));
    }
    words.push(0);
    words.leak()[1..].as_ptr() as u64
}

/// A packet of an exception with this name and message, outside the heap.
pub fn packet(name: &str, message: &str) -> u64 {
    let words = vec![
        header::record(1, 1, 0) | header::STATIC,
        leat_abi::exn::Argument::String as u64,
        string(name),
        header::record(0, 2, 0) | header::STATIC,
        0,
        string(message),
    ]
    .leak();
    words[4] = &words[1] as *const u64 as u64;
    &words[4] as *const u64 as u64
}

fn table() -> &'static CodeTable {
    let base = leat_test_main as *const () as usize;
    let offset = |f: unsafe extern "C" fn()| (f as *const () as usize - base) as u32;
    let text = "scripttest.sml";
    let site = Site { ret: offset(leat_test_returned), frame: 16, line: 7, ..Site::default() };
    let sites = hash_table(&[site]).leak();
    let functions = vec![Function {
        start: 0,
        bytes: offset(leat_test_end),
        name: 0,
        name_len: 6,
        file: 6,
        file_len: 8,
        line: 1,
        counts: 0,
    }]
    .leak();
    let refs: &'static [u32] = (0..SLOTS as u32).filter(|i| *i < 32).collect::<Vec<_>>().leak();
    Box::leak(Box::new(CodeTable {
        base: base as *const u8,
        len: offset(leat_test_end) as usize,
        sites: sites.as_ptr(),
        site_slots: sites.len(),
        slots: core::ptr::null(),
        slot_count: 0,
        functions: functions.as_ptr(),
        function_count: 1,
        text: text.as_ptr(),
        text_len: text.len(),
        global_refs: refs.as_ptr(),
        global_ref_count: refs.len(),
        global_count: SLOTS,
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
