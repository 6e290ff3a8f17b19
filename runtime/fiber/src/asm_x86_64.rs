//! The stubs between compiled code, the runtime's C stacks and the lanes, for x86-64 with the System V convention.
//!
//! A suspended stack's lowest word is its resume address, and whatever lies above belongs to the code there: so any stub
//! can resume any stack (T1). Drawn in docs/internals/runtime/threads.md.
//!
//! ```text
//!  runtime_stub                 preserve_all stub               new thread            worker's C stack (enter)
//!  | return address | call_sp   | return address | call_sp      | 0           | base  | return address       |
//!  | rbp            |           | rbp rbx r12..r14            | | start       | sp    | rbp rbx r12..r15     |
//!  | rbx r12 .. r14 |           | rax rcx rdx rsi rdi r8..r11 |                       | leave                | enter_sp
//!  | resume         | sp        | xmm0 .. xmm15               |
//!                               | resume_all or resume_gc     | sp
//! ```
//!
//! What was looked up in Cranelift 0.135.8 (isa/x64/abi.rs): with the pinned register, r15 is never allocated and no
//! convention saves it. `tail` takes arguments as System V does (rdi, rsi, rdx, rcx, r8, r9; xmm0 to 7), keeps rbx, rbp
//! and r12 to r14, gives results in rax, rcx, rdx, rsi, rdi, r8, r9, r10 and xmm0 to 7, and pops its stack arguments. r11 is
//! nobody's at a return. A `preserve_all` call clobbers nothing, vectors count as 128 bits; so the xmm registers are all
//! there is to keep. At a handler of a `tail` or `preserve_all` call nothing but rsp, rbp and r15 is expected; of a
//! `system_v` call (these stubs) also rbx and r12 to r14, which each way to a handler here leaves as they were at the call.
//!
//! A stub that stops a thread ([`crate::fast`]) pushes of rbx and r12 to r14 only what is not 0, and no rbp: what resumes a stack
//! loads that from `saved_fp`.
//!
//! The `.cfi` lines are for debuggers and profilers: a stub's frame lies on the SML stack, and while the runtime runs, rbx says
//! where; a thread's first frame says that nobody called it.

use core::arch::global_asm;
use core::ffi::c_void;
use core::mem::offset_of;

use leat_abi::tcb::Tcb;

use crate::worker::{Shared, Worker};
use crate::{landings, unwind};

#[doc(hidden)]
pub use leat_abi::tcb as offsets;

unsafe extern "C" {
    /// Runs SML threads on this OS thread; comes back when one of the runtime functions has let the worker leave.
    pub(crate) fn leat_fiber_enter(tcb: *mut Tcb, base: *mut usize) -> u64;
    /// This OS thread carries workers that are given to it; comes back at its end, or as `leat_fiber_enter` does.
    pub(crate) fn leat_fiber_carry(carrier: *const c_void, base: *mut usize);
    fn leat_fiber_wait();
    fn leat_fiber_start();
    fn leat_fiber_marker();
    fn leat_fiber_boundary();
    fn leat_fiber_resume_thrown();
    fn leat_raise_stub();
    fn leat_raise_builtin_stub();
}

/// Units of 1,024 cycles of the time stamp counter: a third to half of a microsecond. Only to tell soon from late.
pub fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() >> 10 }
}

/// Resume address of a new thread: calls the closure that it finds in rax, then ends the thread.
pub fn start_address() -> usize {
    leat_fiber_start as *const () as usize
}

/// What stands in place of a return address where the collector's marker is.
pub fn marker_address() -> usize {
    leat_fiber_marker as *const () as usize
}

/// What stands in place of a return address whose frame is still in the heap.
pub fn boundary_address() -> usize {
    leat_fiber_boundary as *const () as usize
}

/// Resume address of a primitive's call in a stack that was thrown to.
pub(crate) fn thrown_address() -> usize {
    leat_fiber_resume_thrown as *const () as usize
}

/// Stub for `raise`: the packet in rdi.
pub fn raise_address() -> usize {
    leat_raise_stub as *const () as usize
}

/// Stub for raising a builtin exception: its number in rdi.
pub fn raise_builtin_address() -> usize {
    leat_raise_builtin_stub as *const () as usize
}

/// Gives up the runtime function that the running thread has called: goes back to compiled code now, where the exception
/// that waits is raised. What the functions in between own is not dropped.
///
/// # Safety
/// `tcb` is the calling worker's, `pending_exn` a packet; the stub of a runtime function, or of a slow path, is on the C
/// stack, and nobody above it holds a lock.
pub unsafe fn abandon(tcb: *mut Tcb) -> ! {
    // SAFETY: as the caller says; the word at `saved_sp` is a resume address.
    unsafe {
        core::arch::asm!(
            "mov r15, {tcb}",
            "mov rsp, [r15 + {saved_sp}]",
            "mov rbp, [r15 + {saved_fp}]",
            "pop rcx",
            "jmp rcx",
            tcb = in(reg) tcb,
            saved_sp = const offsets::SAVED_SP,
            saved_fp = const offsets::SAVED_FP,
            options(noreturn),
        )
    }
}

/// Gives up the C stack of the calling carrier, which has no worker any more: it waits for the next one, where it was entered.
///
/// # Safety
/// The carrier is the calling OS thread's, and was entered at this stack pointer; nobody above holds a lock.
pub(crate) unsafe fn rest(carrier: *const c_void, base: usize) -> ! {
    // SAFETY: as the caller says; the frame at the base is that of `enter` or `carry`.
    unsafe {
        core::arch::asm!(
            "mov rsp, {base}",
            "jmp {wait}",
            base = in(reg) base,
            in("rdi") carrier,
            wait = sym leat_fiber_wait,
            options(noreturn),
        )
    }
}

/// The frame at the bottom of a carrier's C stack, by which it is left; rsi says where its stack pointer goes.
macro_rules! entered {
    () => {
        concat!(
            $crate::save_kept!(),
            "
         push r15
         .cfi_def_cfa_offset 56
         .cfi_offset r15, -56
         lea rax, [rip + leat_fiber_leave]
         push rax
         .cfi_def_cfa_offset 64
         mov [rsi], rsp"
        )
    };
}

// Entering and leaving; starting and ending a thread.
global_asm!(
    ".p2align 4",
    ".globl leat_fiber_enter",
    ".type leat_fiber_enter, @function",
    "leat_fiber_enter:",
    ".cfi_startproc",
    entered!(),
    "mov r15, rdi",
    "mov [r15 + {c_sp}], rsp",
    "call {first}",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    "pop rcx",
    "jmp rcx",
    "leat_fiber_leave:",
    ".cfi_def_cfa_offset 56",
    "pop r15",
    ".cfi_def_cfa_offset 48",
    "pop r14",
    ".cfi_def_cfa_offset 40",
    "pop r13",
    ".cfi_def_cfa_offset 32",
    "pop r12",
    ".cfi_def_cfa_offset 24",
    "pop rbx",
    ".cfi_def_cfa_offset 16",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    // The same frame, of a carrier that has no worker yet.
    ".p2align 4",
    ".globl leat_fiber_carry",
    ".type leat_fiber_carry, @function",
    "leat_fiber_carry:",
    ".cfi_startproc",
    entered!(),
    // The carrier in rdi, nothing above its base on the stack.
    ".globl leat_fiber_wait",
    ".type leat_fiber_wait, @function",
    "leat_fiber_wait:",
    "call {carried}",
    "test rax, rax",
    "je 3f",
    "mov r15, rax",
    "mov [r15 + {c_sp}], rsp",
    "mov rax, [r15 + {resume_value}]",
    "test rdx, rdx",
    "je 2f",
    "mov rdi, r15",
    "call {first}",
    "2:",
    "xor ebx, ebx",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    "3:",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    // A new thread: rax is its closure, whose first raw word is the code's address. The return address of this call belongs
    // to no code table, which ends a walk; rbp 0 ends the chain of frame pointers.
    ".p2align 4",
    ".globl leat_fiber_start",
    ".type leat_fiber_start, @function",
    "leat_fiber_start:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "xor ebp, ebp",
    // As a stub finds them that need not push them.
    "xor ebx, ebx",
    "xor r12d, r12d",
    "xor r13d, r13d",
    "xor r14d, r14d",
    "mov rdi, rax",
    "call [rax]",
    "mov rdi, r15",
    "mov rsp, [r15 + {c_sp}]",
    "call {finish}",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    c_sp = const offsets::C_SP,
    saved_sp = const offsets::SAVED_SP,
    saved_fp = const offsets::SAVED_FP,
    resume_value = const offsets::RESUME_VALUE,
    carried = sym crate::carrier::leat_fiber_carried,
    first = sym crate::switch::leat_fiber_first,
    finish = sym crate::switch::leat_fiber_finish,
);

// The epilogues that the stubs share, and the way to a handler.
global_asm!(
    ".p2align 4",
    ".globl leat_fiber_resume",
    ".type leat_fiber_resume, @function",
    "leat_fiber_resume:",
    ".cfi_startproc",
    ".cfi_def_cfa_offset 48",
    ".cfi_offset rbp, -16",
    "lea rcx, [rsp - 8]",
    "cmp rcx, rbx",
    "pop r14",
    ".cfi_def_cfa_offset 40",
    "pop r13",
    ".cfi_def_cfa_offset 32",
    "pop r12",
    ".cfi_def_cfa_offset 24",
    "pop rbx",
    ".cfi_def_cfa_offset 16",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    ".cfi_same_value rbp",
    "jne 2f",
    ".globl leat_fiber_resume_same",
    ".type leat_fiber_resume_same, @function",
    "leat_fiber_resume_same:",
    "cmp qword ptr [r15 + {pending}], 0",
    "jne leat_fiber_pending",
    "ret",
    // The stack is not where it was at the call (rbx, which the runtime function has kept): most likely it is another
    // thread's, and the processor's own stack of return addresses would foretell where the caller's thread goes on.
    "2:",
    "cmp qword ptr [r15 + {pending}], 0",
    "jne leat_fiber_pending",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    // The same for who knows that it does not go back to the caller, though the stack may be where it was.
    ".p2align 4",
    ".globl leat_fiber_resume_thrown",
    ".type leat_fiber_resume_thrown, @function",
    "leat_fiber_resume_thrown:",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "pop rcx",
    "jmp rcx",
    // In place of a return behind a switch: arguments become results, the return address is jumped to.
    ".p2align 4",
    ".globl leat_return_stub",
    ".type leat_return_stub, @function",
    "leat_return_stub:",
    "mov rax, rdi",
    "mov rcx, rsi",
    "pop r11",
    "jmp r11",
    ".p2align 4",
    ".globl leat_fiber_resume_all",
    ".type leat_fiber_resume_all, @function",
    "leat_fiber_resume_all:",
    ".cfi_startproc",
    ".cfi_def_cfa_offset 376",
    ".cfi_offset rbp, -16",
    "cmp qword ptr [r15 + {pending}], 0",
    "jne leat_fiber_raise_all",
    ".globl leat_fiber_resume_handled",
    ".type leat_fiber_resume_handled, @function",
    "leat_fiber_resume_handled:",
    "movups xmm0, [rsp]",
    "movups xmm1, [rsp + 16]",
    "movups xmm2, [rsp + 32]",
    "movups xmm3, [rsp + 48]",
    "movups xmm4, [rsp + 64]",
    "movups xmm5, [rsp + 80]",
    "movups xmm6, [rsp + 96]",
    "movups xmm7, [rsp + 112]",
    "movups xmm8, [rsp + 128]",
    "movups xmm9, [rsp + 144]",
    "movups xmm10, [rsp + 160]",
    "movups xmm11, [rsp + 176]",
    "movups xmm12, [rsp + 192]",
    "movups xmm13, [rsp + 208]",
    "movups xmm14, [rsp + 224]",
    "movups xmm15, [rsp + 240]",
    "add rsp, 256",
    ".cfi_def_cfa_offset 120",
    "pop r11",
    ".cfi_def_cfa_offset 112",
    "pop r10",
    ".cfi_def_cfa_offset 104",
    "pop r9",
    ".cfi_def_cfa_offset 96",
    "pop r8",
    ".cfi_def_cfa_offset 88",
    "pop rdi",
    ".cfi_def_cfa_offset 80",
    "pop rsi",
    ".cfi_def_cfa_offset 72",
    "pop rdx",
    ".cfi_def_cfa_offset 64",
    "pop rcx",
    ".cfi_def_cfa_offset 56",
    "pop rax",
    ".cfi_def_cfa_offset 48",
    "pop r14",
    ".cfi_def_cfa_offset 40",
    "pop r13",
    ".cfi_def_cfa_offset 32",
    "pop r12",
    ".cfi_def_cfa_offset 24",
    "pop rbx",
    ".cfi_def_cfa_offset 16",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    ".cfi_same_value rbp",
    "ret",
    ".cfi_endproc",
    // Of the registers a handler expects rbx and r12 to r14, and the raise rbp.
    "leat_fiber_raise_all:",
    "add rsp, 328",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".globl leat_fiber_pending",
    ".type leat_fiber_pending, @function",
    // An exception that the runtime call raises, as if at that call.
    "leat_fiber_pending:",
    "mov rdi, [r15 + {pending}]",
    "mov qword ptr [r15 + {pending}], 0",
    "jmp leat_raise_stub",
    ".p2align 4",
    ".globl leat_raise_builtin_stub",
    ".type leat_raise_builtin_stub, @function",
    "leat_raise_builtin_stub:",
    "mov rdi, [r15 + {packets} + rdi * 8]",
    ".globl leat_raise_stub",
    ".type leat_raise_stub, @function",
    // Over the frames by what earlier raises have found: the same walk as `leat_fiber_find_handler`'s, which does it anew when
    // a word is not in the table. Nothing is written before the handler is found. rsi: the return address's place, rdx: the
    // frame that it returns to, r8: what is known of it.
    "leat_raise_stub:",
    ".cfi_startproc",
    "mov r11, [r15 + {fiber}]",
    "mov rax, [r11 + {shared}]",
    "cmp byte ptr [rax + {notes_raises}], 0",
    "jne 6f",
    "add r11, {landings}",
    "mov rsi, rsp",
    "mov rdx, rbp",
    "jmp 3f",
    ".p2align 4",
    "2:",
    "lea rsi, [rdx + 8]",
    "mov rdx, [rdx]",
    "3:",
    "mov rax, [rsi]",
    "imul r8d, eax, {multiplier}",
    "shr r8d, {shift}",
    "lea r8, [r8 + r8 * 2]",
    "lea r8, [r11 + r8 * 8]",
    "cmp [r8], rax",
    "jne 6f",
    "mov rcx, [r8 + {handler}]",
    "test rcx, rcx",
    "jne 5f",
    // A recursion's frames come from one call and are equally large. So where the next one is need not be waited for: it is
    // reckoned, and compared with the chain.
    "mov r9, [r8 + {frame}]",
    "add r9, 16",
    "4:",
    "cmp [rdx + 8], rax",
    "jne 2b",
    "lea r10, [rdx + r9]",
    "cmp [rdx], r10",
    "jne 2b",
    "mov rdx, r10",
    "jmp 4b",
    "5:",
    "mov rsi, rdx",
    "sub rsi, [r8 + {frame}]",
    "mov rax, rsi",
    "sub rax, rsp",
    "cmp rax, {much}",
    "ja 6f",
    "mov rax, rdi",
    // A handler in a loop gets the same frame again. It is then taken from the last raise, so that the processor goes on
    // with the handler while it still walks; else what comes next would wait for each load of the walk.
    "cmp rsi, [r11 + {last_sp}]",
    "jne 8f",
    "cmp rdx, [r11 + {last_fp}]",
    "jne 8f",
    "mov rsp, [r11 + {last_sp}]",
    "mov rbp, [r11 + {last_fp}]",
    "jmp rcx",
    "8:",
    "mov [r11 + {last_sp}], rsi",
    "mov [r11 + {last_fp}], rdx",
    "mov rsp, rsi",
    "mov rbp, rdx",
    "jmp rcx",
    "6:",
    "mov [r15 + {saved_sp}], rsp",
    "mov [r15 + {saved_fp}], rbp",
    "mov [r15 + {saved_call_sp}], rsp",
    "mov rsi, rdi",
    "mov rdi, r15",
    "mov rdx, rbp",
    "mov rcx, rsp",
    // CFA = [r15 + saved_sp] + 8
    ".cfi_escape 0x0f, 5, 0x7f, {saved_sp}, 0x06, 0x23, 8",
    "mov rsp, [r15 + {c_sp}]",
    "push rsi",
    "push rsi",
    "call {find}",
    "test rax, rax",
    "je 7f",
    "mov rcx, rax",
    "mov rax, [rsp]",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, rdx",
    "jmp rcx",
    "7:",
    "pop rsi",
    "pop rsi",
    "mov rdi, r15",
    "call {uncaught}",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    pending = const offsets::PENDING_EXN,
    packets = const offsets::EXN_PACKET,
    c_sp = const offsets::C_SP,
    saved_sp = const offsets::SAVED_SP,
    saved_fp = const offsets::SAVED_FP,
    saved_call_sp = const offsets::SAVED_CALL_SP,
    fiber = const offset_of!(Tcb, fiber),
    shared = const offset_of!(Worker, shared),
    notes_raises = const offset_of!(Shared, notes_raises),
    landings = const offset_of!(Worker, landings),
    multiplier = const landings::MULTIPLIER as i32,
    shift = const landings::SHIFT,
    handler = const landings::HANDLER,
    frame = const landings::FRAME,
    last_sp = const landings::LAST_SP,
    last_fp = const landings::LAST_FP,
    much = const unwind::MUCH,
    find = sym crate::unwind::leat_fiber_find_handler,
    uncaught = sym crate::unwind::leat_fiber_uncaught,
);

/// A byte of the stubs' unwinding rules holds it.
const _: () = assert!(offsets::SAVED_SP < 64);

macro_rules! return_barrier {
    ($name:literal, $function:path) => {
        // A function has returned to what stands in place of its return address. All result registers are kept, on the C
        // stack: the words below rsp may be about to be overwritten.
        global_asm!(
            ".p2align 4",
            // A debugger looks up the byte before a return address: its walk ends here.
            ".cfi_startproc",
            ".cfi_undefined rip",
            "nop",
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            "mov r11, rsp",
            "mov rsp, [r15 + {c_sp}]",
            "push r11",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            "sub rsp, 136",
            "movups [rsp], xmm0",
            "movups [rsp + 16], xmm1",
            "movups [rsp + 32], xmm2",
            "movups [rsp + 48], xmm3",
            "movups [rsp + 64], xmm4",
            "movups [rsp + 80], xmm5",
            "movups [rsp + 96], xmm6",
            "movups [rsp + 112], xmm7",
            "mov rdi, r15",
            "mov rsi, r11",
            "call {function}",
            "mov r11, rax",
            "movups xmm0, [rsp]",
            "movups xmm1, [rsp + 16]",
            "movups xmm2, [rsp + 32]",
            "movups xmm3, [rsp + 48]",
            "movups xmm4, [rsp + 64]",
            "movups xmm5, [rsp + 80]",
            "movups xmm6, [rsp + 96]",
            "movups xmm7, [rsp + 112]",
            "add rsp, 136",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rax",
            "pop rsp",
            "jmp r11",
            ".cfi_endproc",
            c_sp = const offsets::C_SP,
            function = sym $function,
        );
    };
}

return_barrier!("leat_fiber_marker", crate::unwind::leat_fiber_marker_hit);
return_barrier!("leat_fiber_boundary", crate::place::leat_fiber_boundary_hit);

/// Pushes what a call of the System V convention keeps. For the macros below.
#[doc(hidden)]
#[macro_export]
macro_rules! save_kept {
    () => {
        "push rbp
         .cfi_def_cfa_offset 16
         .cfi_offset rbp, -16
         push rbx
         .cfi_def_cfa_offset 24
         .cfi_offset rbx, -24
         push r12
         .cfi_def_cfa_offset 32
         .cfi_offset r12, -32
         push r13
         .cfi_def_cfa_offset 40
         .cfi_offset r13, -40
         push r14
         .cfi_def_cfa_offset 48
         .cfi_offset r14, -48"
    };
}

/// `runtime_stub!(leat_print)` makes `leat_print_stub`: compiled code calls it with the System V convention and rdi = tcb,
/// and it calls `leat_print` on the worker's C stack with the same arguments. Afterwards it goes on with the stack at
/// `tcb.saved_sp`, which may be another thread's.
#[macro_export]
macro_rules! runtime_stub {
    ($symbol:ident) => {
        $crate::runtime_stub!($symbol, concat!(stringify!($symbol), "_stub"));
    };
    ($symbol:ident, $stub:expr) => {
        ::core::arch::global_asm!(
            // A section of its own: the linker drops it, and the function, where nothing calls it.
            concat!(".pushsection .text.", $stub, ", \"ax\", @progbits"),
            ".p2align 4",
            concat!(".globl ", $stub),
            concat!(".type ", $stub, ", @function"),
            concat!($stub, ":"),
            ".cfi_startproc",
            $crate::save_kept!(),
            "lea rax, [rip + leat_fiber_resume]",
            "push rax",
            ".cfi_def_cfa_offset 56",
            "mov [r15 + {saved_sp}], rsp",
            "mov [r15 + {saved_fp}], rbp",
            "lea rax, [rsp + 48]",
            "mov [r15 + {saved_call_sp}], rax",
            "mov rbx, rsp",
            ".cfi_def_cfa rbx, 56",
            "mov rsp, [r15 + {c_sp}]",
            concat!("call ", stringify!($symbol)),
            "mov rsp, [r15 + {saved_sp}]",
            "mov rbp, [r15 + {saved_fp}]",
            ".cfi_def_cfa rsp, 56",
            "pop rcx",
            ".cfi_def_cfa_offset 48",
            "jmp rcx",
            ".cfi_endproc",
            ".popsection",
            c_sp = const $crate::asm::offsets::C_SP,
            saved_sp = const $crate::asm::offsets::SAVED_SP,
            saved_fp = const $crate::asm::offsets::SAVED_FP,
            saved_call_sp = const $crate::asm::offsets::SAVED_CALL_SP,
        );
    };
}

/// `quick_stub!(leat_string_concat)` makes `leat_string_concat_stub`, which calls the leaf `leat_string_concat_quick` with the same
/// arguments, six at most, where it is, on the SML stack. If that gives 0 it has done nothing, and the call is made again by the
/// way of every primitive.
#[macro_export]
macro_rules! quick_stub {
    ($symbol:ident) => {
        $crate::runtime_stub!($symbol, concat!(stringify!($symbol), "_slow"));
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", stringify!($symbol), "_stub"),
            concat!(".type ", stringify!($symbol), "_stub, @function"),
            concat!(stringify!($symbol), "_stub:"),
            ".cfi_startproc",
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "sub rsp, 8",
            ".cfi_def_cfa_offset 64",
            concat!("call ", stringify!($symbol), "_quick"),
            "test rax, rax",
            "je 2f",
            "add rsp, 56",
            ".cfi_def_cfa_offset 8",
            "ret",
            "2:",
            ".cfi_def_cfa_offset 64",
            "add rsp, 8",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            ".cfi_def_cfa_offset 8",
            concat!("jmp ", stringify!($symbol), "_slow"),
            ".cfi_endproc",
        );
    };
}

/// Pushes what a `preserve_all` call keeps. For the macros below.
#[doc(hidden)]
#[macro_export]
macro_rules! save_all {
    () => {
        concat!(
            $crate::save_kept!(),
            "
         push rax
         .cfi_def_cfa_offset 56
         push rcx
         .cfi_def_cfa_offset 64
         push rdx
         .cfi_def_cfa_offset 72
         push rsi
         .cfi_def_cfa_offset 80
         push rdi
         .cfi_def_cfa_offset 88
         push r8
         .cfi_def_cfa_offset 96
         push r9
         .cfi_def_cfa_offset 104
         push r10
         .cfi_def_cfa_offset 112
         push r11
         .cfi_def_cfa_offset 120
         sub rsp, 256
         .cfi_def_cfa_offset 376
         movups [rsp], xmm0
         movups [rsp + 16], xmm1
         movups [rsp + 32], xmm2
         movups [rsp + 48], xmm3
         movups [rsp + 64], xmm4
         movups [rsp + 80], xmm5
         movups [rsp + 96], xmm6
         movups [rsp + 112], xmm7
         movups [rsp + 128], xmm8
         movups [rsp + 144], xmm9
         movups [rsp + 160], xmm10
         movups [rsp + 176], xmm11
         movups [rsp + 192], xmm12
         movups [rsp + 208], xmm13
         movups [rsp + 224], xmm14
         movups [rsp + 240], xmm15"
        )
    };
}

/// `preserve_all_stub!(leat_poll)` makes `leat_poll_stub`, which keeps every register and calls
/// `extern "C" fn leat_poll(tcb, first argument, second argument)`; that may switch threads or raise. What it returns is
/// ignored: if another thread goes on, that one's value is in `tcb.resume_value`.
#[macro_export]
macro_rules! preserve_all_stub {
    ($symbol:ident) => {
        $crate::preserve_all_stub!($symbol, "_stub", "leat_fiber_resume_all");
    };
    ($symbol:ident, $suffix:literal, $resume:literal) => {
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", stringify!($symbol), $suffix),
            concat!(".type ", stringify!($symbol), $suffix, ", @function"),
            concat!(stringify!($symbol), $suffix, ":"),
            ".cfi_startproc",
            $crate::save_all!(),
            concat!("lea rax, [rip + ", $resume, "]"),
            "push rax",
            ".cfi_def_cfa_offset 384",
            "mov [r15 + {saved_sp}], rsp",
            "mov [r15 + {saved_fp}], rbp",
            "lea rax, [rsp + 376]",
            "mov [r15 + {saved_call_sp}], rax",
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, r15",
            "mov rbx, rsp",
            ".cfi_def_cfa rbx, 384",
            "mov rsp, [r15 + {c_sp}]",
            concat!("call ", stringify!($symbol)),
            "mov rsp, [r15 + {saved_sp}]",
            "mov rbp, [r15 + {saved_fp}]",
            ".cfi_def_cfa rsp, 384",
            "mov rax, [r15 + {resume_value}]",
            "pop rcx",
            ".cfi_def_cfa_offset 376",
            "jmp rcx",
            ".cfi_endproc",
            c_sp = const $crate::asm::offsets::C_SP,
            saved_sp = const $crate::asm::offsets::SAVED_SP,
            saved_fp = const $crate::asm::offsets::SAVED_FP,
            saved_call_sp = const $crate::asm::offsets::SAVED_CALL_SP,
            resume_value = const $crate::asm::offsets::RESUME_VALUE,
        );
    };
}

/// `gc_stub!(leat_gc)` makes `leat_gc_stub`: like [`preserve_all_stub!`], and it calls `leat_gc(tcb, bytes)` again and again
/// until `alloc + bytes <= alloc_limit` or an exception is pending: also when the thread was switched off meanwhile and
/// resumes with another nursery.
#[macro_export]
macro_rules! gc_stub {
    ($symbol:ident) => {
        $crate::gc_stub!($symbol, "_stub", "leat_fiber_resume_all");
    };
    ($symbol:ident, $suffix:literal, $resume:literal) => {
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", stringify!($symbol), $suffix),
            concat!(".type ", stringify!($symbol), $suffix, ", @function"),
            concat!(stringify!($symbol), $suffix, ":"),
            ".cfi_startproc",
            $crate::save_all!(),
            "2:",
            "mov rsi, rdi",
            "lea rax, [rip + 3f]",
            "push rax",
            ".cfi_def_cfa_offset 384",
            "mov [r15 + {saved_sp}], rsp",
            "mov [r15 + {saved_fp}], rbp",
            "lea rax, [rsp + 376]",
            "mov [r15 + {saved_call_sp}], rax",
            "mov rdi, r15",
            "mov rbx, rsp",
            ".cfi_def_cfa rbx, 384",
            "mov rsp, [r15 + {c_sp}]",
            concat!("call ", stringify!($symbol)),
            "mov rsp, [r15 + {saved_sp}]",
            "mov rbp, [r15 + {saved_fp}]",
            ".cfi_def_cfa rsp, 384",
            "mov rax, [r15 + {resume_value}]",
            "pop rcx",
            ".cfi_def_cfa_offset 376",
            "jmp rcx",
            "3:",
            "mov rdi, [rsp + 288]",
            "mov rbp, [rsp + 360]",
            "mov rax, [r15 + {alloc}]",
            "add rax, rdi",
            "cmp rax, [r15 + {alloc_limit}]",
            concat!("jbe ", $resume),
            "cmp qword ptr [r15 + {pending}], 0",
            "je 2b",
            concat!("jmp ", $resume),
            ".cfi_endproc",
            c_sp = const $crate::asm::offsets::C_SP,
            saved_sp = const $crate::asm::offsets::SAVED_SP,
            saved_fp = const $crate::asm::offsets::SAVED_FP,
            saved_call_sp = const $crate::asm::offsets::SAVED_CALL_SP,
            resume_value = const $crate::asm::offsets::RESUME_VALUE,
            alloc = const $crate::asm::offsets::ALLOC,
            alloc_limit = const $crate::asm::offsets::ALLOC_LIMIT,
            pending = const $crate::asm::offsets::PENDING_EXN,
        );
    };
}

/// `barrier_stub!(leat_write_barrier)` makes `leat_write_barrier_stub`, which keeps every register and calls
/// `extern "C" fn leat_write_barrier(tcb, first argument, second argument)`, a leaf: no safepoint, no raise. Nothing of
/// the thread block is written, so it may stand between a call and its safepoint.
#[macro_export]
macro_rules! barrier_stub {
    ($symbol:ident) => {
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", stringify!($symbol), "_stub"),
            concat!(".type ", stringify!($symbol), "_stub, @function"),
            concat!(stringify!($symbol), "_stub:"),
            ".cfi_startproc",
            $crate::save_all!(),
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, r15",
            "mov rbx, rsp",
            ".cfi_def_cfa rbx, 376",
            "mov rsp, [r15 + {c_sp}]",
            // For the profiler: no word of the thread block says where the SML stack is.
            "push rbx",
            "push rbx",
            concat!("call ", stringify!($symbol)),
            "mov rsp, rbx",
            ".cfi_def_cfa rsp, 376",
            "jmp leat_fiber_resume_all",
            ".cfi_endproc",
            c_sp = const $crate::asm::offsets::C_SP,
        );
    };
}

/// Like [`barrier_stub!`] for (array, address of the element): returns at once when what the element holds now is not a
/// reference to a young object, so that a large old array can be updated again and again.
#[macro_export]
macro_rules! array_barrier_stub {
    ($symbol:ident) => {
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", stringify!($symbol), "_stub"),
            concat!(".type ", stringify!($symbol), "_stub, @function"),
            concat!(stringify!($symbol), "_stub:"),
            ".cfi_startproc",
            "push rax",
            ".cfi_def_cfa_offset 16",
            "mov rax, [rsi]",
            "sub rax, [r15 + {young_base}]",
            "ror rax, 1",
            "cmp rax, [r15 + {young_half}]",
            "pop rax",
            ".cfi_def_cfa_offset 8",
            "jb 2f",
            "ret",
            "2:",
            $crate::save_all!(),
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, r15",
            "mov rbx, rsp",
            ".cfi_def_cfa rbx, 376",
            "mov rsp, [r15 + {c_sp}]",
            // For the profiler: no word of the thread block says where the SML stack is.
            "push rbx",
            "push rbx",
            concat!("call ", stringify!($symbol)),
            "mov rsp, rbx",
            ".cfi_def_cfa rsp, 376",
            "jmp leat_fiber_resume_all",
            ".cfi_endproc",
            c_sp = const $crate::asm::offsets::C_SP,
            young_base = const $crate::asm::offsets::YOUNG_BASE,
            young_half = const $crate::asm::offsets::YOUNG_HALF,
        );
    };
}

/// The stubs that are no primitives: `leat_gc`, `leat_poll`, `leat_stack_check`, `leat_atomic_end`, `leat_write_barrier`,
/// `leat_array_barrier`, which the invoking crate defines as `extern "C"` functions without mangling.
#[macro_export]
macro_rules! stubs {
    () => {
        $crate::gc_stub!(leat_gc);
        $crate::preserve_all_stub!(leat_poll);
        $crate::preserve_all_stub!(leat_stack_check);
        $crate::preserve_all_stub!(leat_atomic_end);
        $crate::gc_stub!(leat_gc, "_handled_stub", "leat_fiber_resume_handled");
        $crate::preserve_all_stub!(leat_poll, "_handled_stub", "leat_fiber_resume_handled");
        $crate::preserve_all_stub!(leat_atomic_end, "_handled_stub", "leat_fiber_resume_handled");
        $crate::barrier_stub!(leat_write_barrier);
        $crate::array_barrier_stub!(leat_array_barrier);
    };
}
