//! The stubs of calls that C may call back from, for x86-64: from the SML stack to C's own one and back.
//!
//! ```text
//! leat_foreign_go_stub       SML -> the function of the block, on the worker's C stack
//! leat_foreign_stack_stub    a stack that the worker has kept, which needs no switch
//! leat_foreign_enter_stub    SML -> the function of the block, on the stack below it; its return -> SML, 0
//! leat_callback              C's call of a thunk -> the registers are pushed -> SML, the call's state
//! leat_first_thunks          the thunks that are made before any page of them
//! leat_foreign_resume_stub   SML -> the registers are popped, C goes on
//! leat_foreign_leave_stub    the worker keeps the stack
//! ```
//!
//! To compiled code these are runtime primitives like others: while C runs, `saved_sp` says where the SML stack ends.
//! The word `leat_call_here` of each OS thread is the call that is under way on it, `leat_in_call` the worker of a call
//! that may not be called back from; both are 0 while SML runs.
//!
//! The processor foretells returns by a stack of its own, which does not know of these switches. So behind a switch
//! there is a jump to the return address, where a return would go elsewhere than the processor believes. And there are
//! no functions of Rust between C and the stub, which would return: a function that ends with its call of SML costs no
//! wrong prediction.

use core::mem::offset_of;

use leat_abi::foreign::{block, callback};
use leat_abi::tcb::Tcb;
use leat_fiber::NONE;

use crate::state::reentry::{BLOCK, Call, Entry, FIRST_THUNK, FIRST_THUNKS};
use crate::state::runtime::Worker;

/// Bytes that `leat_callback` pushes below the return address: rbp, rbx, r12 to r15, and the arguments.
const ARGUMENTS: usize = 8 * callback::PUSHED + 8;
// The arguments on C's stack are behind those, the six registers and the return address.
const _: () = assert!(8 * callback::STACK == ARGUMENTS + 8 * 7);

/// Calls the function of the block in r12 on this stack, and stores what it gives; then it goes on at
/// `.L<at>_returned`. By way of the runtime's function where the block asks for it: rdi and rsi are the thread block
/// and the block still.
macro_rules! call_of_block {
    ($at:literal) => {
        leat_fiber::lines! {
            "mov ecx, [r12 + {block_flags}]";
            "test cl, {by_runtime}";
            "jne .L" $at "_by_runtime";
            "mov rax, [r12 + {block_stacked}]";
            "test rax, rax";
            "jne .L" $at "_stacked";
            ".L" $at "_arguments:";
            "xor eax, eax";
            "test cl, {has_reals}";
            "je .L" $at "_integers";
            "movsd xmm0, [r12 + {block_reals}]";
            "movsd xmm1, [r12 + {block_reals} + 8]";
            "movsd xmm2, [r12 + {block_reals} + 16]";
            "movsd xmm3, [r12 + {block_reals} + 24]";
            "movsd xmm4, [r12 + {block_reals} + 32]";
            "movsd xmm5, [r12 + {block_reals} + 40]";
            "movsd xmm6, [r12 + {block_reals} + 48]";
            "movsd xmm7, [r12 + {block_reals} + 56]";
            "mov eax, 8";
            ".L" $at "_integers:";
            "mov rdi, [r12 + {block_integers}]";
            "mov rsi, [r12 + {block_integers} + 8]";
            "mov rdx, [r12 + {block_integers} + 16]";
            "mov rcx, [r12 + {block_integers} + 24]";
            "mov r8, [r12 + {block_integers} + 32]";
            "mov r9, [r12 + {block_integers} + 40]";
            "call [r12 + {block_code}]";
            "mov [r12 + {block_integers}], rax";
            "test byte ptr [r12 + {block_flags}], {gives_more}";
            "jne .L" $at "_more";
            ".L" $at "_returned:";
        }
    };
}

/// What of that is out of line.
macro_rules! call_of_block_otherwise {
    ($at:literal, $by_runtime:literal) => {
        leat_fiber::lines! {
            ".cfi_def_cfa rbx, 56";
            ".L" $at "_more:";
            "mov [r12 + {block_integers} + 8], rdx";
            "movsd [r12 + {block_reals}], xmm0";
            "movsd [r12 + {block_reals} + 8], xmm1";
            "jmp .L" $at "_returned";
            // An even number of words on the stack.
            ".L" $at "_stacked:";
            "lea rdx, [rax + 1]";
            "and rdx, -2";
            "shl rdx, 3";
            "sub rsp, rdx";
            ".L" $at "_stacked_word:";
            "mov rdx, [r12 + 8*rax + {block_stack} - 8]";
            "mov [rsp + 8*rax - 8], rdx";
            "dec rax";
            "jne .L" $at "_stacked_word";
            "jmp .L" $at "_arguments";
            ".L" $at "_by_runtime:";
            "call " $by_runtime;
            "jmp .L" $at "_returned";
        }
    };
}

/// SML goes on where C has called it, or has returned to it after such a call; rax is the state. The processor
/// foretells this jump best if each place has its own.
macro_rules! back_to_sml {
    () => {
        concat!(
            leat_fiber::lines! {
                "mov rcx, [r15 + {saved_sp}]";
                "lea rsp, [rcx + 8]";
            },
            leat_fiber::pop_kept!(plain),
            leat_fiber::lines! {
                "pop rcx";
                "jmp rcx";
            }
        )
    };
}

leat_fiber::runtime_stub!(leat_foreign_stack, "leat_foreign_stack_slow");
leat_fiber::runtime_stub!(leat_foreign_leave, "leat_foreign_leave_slow");

leat_fiber::assembly!(
    ".section .tbss,\"awT\",@nobits",
    ".globl leat_call_here",
    ".type leat_call_here, @object",
    ".size leat_call_here, 8",
    ".p2align 3",
    "leat_call_here:",
    ".zero 8",
    ".globl leat_in_call",
    ".type leat_in_call, @object",
    ".size leat_in_call, 8",
    "leat_in_call:",
    ".zero 8",
    ".text",
    leat_fiber::function!("leat_calling"),
    "mov rax, [rip + leat_in_call@GOTTPOFF]",
    "mov rax, fs:[rax]",
    "test rax, rax",
    "jne .Lcalling_found",
    "mov rax, [rip + leat_call_here@GOTTPOFF]",
    "mov rax, fs:[rax]",
    "test rax, rax",
    "je .Lcalling_found",
    "mov rax, [rax + {call_tcb}]",
    ".Lcalling_found:",
    "ret",
    // rdi: the thread block, rsi: the block of the call, which r12 keeps.
    leat_fiber::function!("leat_foreign_go_stub"),
    ".cfi_startproc",
    leat_fiber::save_kept!(),
    leat_fiber::suspend!("leat_fiber_resume", 48, 56),
    leat_fiber::to_c_stack!(56),
    "mov rcx, [rip + leat_in_call@GOTTPOFF]",
    "mov fs:[rcx], r15",
    "mov r12, rsi",
    call_of_block!("go"),
    "mov rcx, [rip + leat_in_call@GOTTPOFF]",
    "mov qword ptr fs:[rcx], 0",
    leat_fiber::go_on!(56, 48, ""),
    call_of_block_otherwise!("go", "leat_foreign_go"),
    ".cfi_endproc",
    // rdi: the thread block, rsi: how many words the block has.
    leat_fiber::function!("leat_foreign_stack_stub"),
    ".cfi_startproc",
    "mov rcx, [rdi + {worker}]",
    "mov rax, [rcx + {spare}]",
    "test rax, rax",
    "je leat_foreign_stack_slow",
    "cmp rsi, {registers}",
    "ja leat_foreign_stack_slow",
    "mov qword ptr [rcx + {spare}], 0",
    "inc qword ptr [rax + {call_ticket}]",
    "add rax, {block}",
    "ret",
    ".cfi_endproc",
    // rdi: the thread block, rsi: the block of the call.
    leat_fiber::function!("leat_foreign_leave_stub"),
    ".cfi_startproc",
    "mov rcx, [rdi + {worker}]",
    "cmp qword ptr [rcx + {spare}], 0",
    "jne leat_foreign_leave_slow",
    "cmp qword ptr [rsi + {call_packet} - {block}], {none}",
    "jne leat_foreign_leave_slow",
    "lea rax, [rsi - {block}]",
    "mov [rcx + {spare}], rax",
    "ret",
    ".cfi_endproc",
    // rdi: the thread block, rsi: the block of the call, which r12 keeps.
    leat_fiber::function!("leat_foreign_enter_stub"),
    ".cfi_startproc",
    leat_fiber::save_kept!(),
    leat_fiber::suspend!("leat_fiber_resume", 48, 56),
    "mov rbx, rsp",
    ".cfi_def_cfa rbx, 56",
    "lea rax, [rsi - {block}]",
    "mov [rax + {call_tcb}], r15",
    "mov rcx, [rip + leat_call_here@GOTTPOFF]",
    "mov fs:[rcx], rax",
    "mov rsp, rax",
    "mov r12, rsi",
    call_of_block!("enter"),
    "mov rcx, [rip + leat_call_here@GOTTPOFF]",
    "mov qword ptr fs:[rcx], 0",
    "inc qword ptr [r12 + {call_serial} - {block}]",
    // The thread may be another worker's by now.
    "mov r15, [r12 + {call_tcb} - {block}]",
    "xor eax, eax",
    "cmp [r12 + {call_arguments} - {block}], rax",
    "jne .Lenter_called_back",
    "mov rbx, [r15 + {saved_sp}]",
    "mov rsp, rbx",
    "mov rbp, [r15 + {saved_fp}]",
    ".cfi_def_cfa rsp, 56",
    "pop rcx",
    ".cfi_def_cfa_offset 48",
    "jmp rcx",
    // C has called SML meanwhile.
    ".Lenter_called_back:",
    "mov [r12 + {call_arguments} - {block}], rax",
    back_to_sml!(),
    call_of_block_otherwise!("enter", "leat_foreign_enter"),
    ".cfi_endproc",
    // r11: the entry.
    leat_fiber::function!("leat_callback"),
    ".cfi_startproc",
    "mov r10, [rip + leat_call_here@GOTTPOFF]",
    "mov r10, fs:[r10]",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    ".cfi_offset rbx, -24",
    ".cfi_offset r12, -32",
    ".cfi_offset r13, -40",
    ".cfi_offset r14, -48",
    ".cfi_offset r15, -56",
    "sub rsp, {pushed}",
    "mov [rsp + {integers}], rdi",
    "mov [rsp + {integers} + 8], rsi",
    "mov [rsp + {integers} + 16], rdx",
    "mov [rsp + {integers} + 24], rcx",
    "mov [rsp + {integers} + 32], r8",
    "mov [rsp + {integers} + 40], r9",
    "test byte ptr [r11 + {entry_traits}], {takes_reals}",
    "je .Lcallback_pushed",
    "movsd [rsp + {reals}], xmm0",
    "movsd [rsp + {reals} + 8], xmm1",
    "movsd [rsp + {reals} + 16], xmm2",
    "movsd [rsp + {reals} + 24], xmm3",
    "movsd [rsp + {reals} + 32], xmm4",
    "movsd [rsp + {reals} + 40], xmm5",
    "movsd [rsp + {reals} + 48], xmm6",
    "movsd [rsp + {reals} + 56], xmm7",
    ".Lcallback_pushed:",
    "test r10, r10",
    "je .Lcallback_outside",
    "mov [r10 + {call_arguments}], rsp",
    "mov [r10 + {call_entry}], r11",
    "mov eax, [r11 + {entry_traits}]",
    "mov [r10 + {call_traits}], eax",
    "inc qword ptr [r10 + {call_serial}]",
    "mov rcx, [rip + leat_call_here@GOTTPOFF]",
    "mov qword ptr fs:[rcx], 0",
    "mov r15, [r10 + {call_tcb}]",
    "mov rax, r10",
    back_to_sml!(),
    // No call is under way here that may be called back from.
    ".Lcallback_outside:",
    "mov rdi, r11",
    "mov rsi, rsp",
    "call leat_callback_outside",
    "mov rax, [rsp + {integers}]",
    "mov rdx, [rsp + {integers} + 8]",
    "movsd xmm0, [rsp + {reals}]",
    "movsd xmm1, [rsp + {reals} + 8]",
    "add rsp, {pushed}",
    "pop r15",
    leat_fiber::pop_kept!(plain),
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    // Thunks of the entries that are there from the beginning.
    ".hidden leat_first_entries",
    leat_fiber::function!("leat_first_thunks"),
    ".set .Lentry, 0",
    ".rept {first_thunks}",
    ".balign {first_thunk}",
    "lea r11, [rip + leat_first_entries + .Lentry]",
    "jmp leat_callback",
    ".set .Lentry, .Lentry + {entry_size}",
    ".endr",
    // What the symbol of an exported function leads to at first; r11: its name.
    leat_fiber::function!("leat_unexported"),
    "mov rdi, r11",
    "and rsp, -16",
    "call leat_not_exported",
    // rdi: the thread block, rsi: the state, rdx: the serial that it had.
    leat_fiber::function!("leat_foreign_resume_stub"),
    ".cfi_startproc",
    leat_fiber::save_kept!(),
    leat_fiber::suspend!("leat_fiber_resume", 48, 56),
    "mov rax, rsi",
    "cmp rdx, [rax + {call_serial}]",
    "jne .Lresume_over",
    "mov [rax + {call_tcb}], r15",
    "mov rcx, [rip + leat_call_here@GOTTPOFF]",
    "mov fs:[rcx], rax",
    "mov rsp, [rax + {call_arguments}]",
    "mov rax, [rsp + {integers}]",
    "mov rdx, [rsp + {integers} + 8]",
    "movsd xmm0, [rsp + {reals}]",
    "movsd xmm1, [rsp + {reals} + 8]",
    "add rsp, {pushed}",
    "pop r15",
    leat_fiber::pop_kept!(plain),
    "pop rcx",
    "jmp rcx",
    // It has gone on already: the function of this name raises an exception.
    ".Lresume_over:",
    leat_fiber::to_c_stack!(56),
    "call leat_foreign_resume",
    leat_fiber::go_on!(),
    ".cfi_endproc";
    block = BLOCK,
    block_code = 8 * block::CODE,
    block_stacked = 8 * block::STACKED,
    block_flags = 8 * block::FLAGS,
    block_integers = 8 * block::INTEGERS,
    block_reals = 8 * block::REALS,
    block_stack = 8 * block::STACK,
    has_reals = block::HAS_REALS,
    gives_more = block::GIVES_MORE,
    registers = block::STACK,
    worker = offset_of!(Tcb, entry),
    spare = offset_of!(Worker, spare_call),
    none = NONE,
    takes_reals = callback::HAS_REALS,
    entry_traits = offset_of!(Entry, traits),
    entry_size = size_of::<Entry>(),
    first_thunks = FIRST_THUNKS,
    first_thunk = FIRST_THUNK,
    call_packet = offset_of!(Call, packet),
    call_ticket = offset_of!(Call, ticket),
    by_runtime = block::WANTS_ERRNO | block::IS_CHECKED,
    call_tcb = offset_of!(Call, tcb),
    call_serial = offset_of!(Call, serial),
    call_arguments = offset_of!(Call, arguments),
    call_entry = offset_of!(Call, entry),
    call_traits = offset_of!(Call, traits),
    integers = 8 * callback::INTEGERS,
    reals = 8 * callback::REALS,
    pushed = ARGUMENTS,
);
