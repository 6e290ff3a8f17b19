//! A thread whose frames are in the heap comes to its lane, and the one that is there goes to the heap: the usual case
//! of it, for the stubs of the thread primitives. Thousands of threads that take turns do this at almost every switch.
//!
//! It does what `exchange` in `place.rs` does, on the same conditions: both stacks are small, each is one piece, and
//! the frames that go fit into the piece that they came from. So nothing is allocated, and nothing is told to the
//! collector. `tests` compares the two. One case is left to that function: that the running thread itself is to go,
//! whose frames are in use until the stub has left them.
//!
//! ```text
//!  r12 thread that comes   r13 its lane, which is this worker's   rdx worker   rcx running thread   r8 as in the stubs
//!  rbx thread that goes    r9 the piece that its frames go to     rdi the piece that the others come from
//! ```

/// Copies r14 + 32 bytes, 32 at least, from `$from` to `$to`, which are an address each; changes rax and r14. Four
/// words at a time, and the last four once more.
macro_rules! copying {
    ($at:literal, $from:literal, $to:literal) => {
        crate::lines! {
            "xor eax, eax";
            "test r14, r14";
            "je .Lexchange_" $at "_last";
            ".Lexchange_" $at "_next:";
            "movups xmm0, [" $from " + rax]";
            "movups xmm1, [" $from " + rax + 16]";
            "movups [" $to " + rax], xmm0";
            "movups [" $to " + rax + 16], xmm1";
            "add rax, 32";
            "cmp rax, r14";
            "jb .Lexchange_" $at "_next";
            ".Lexchange_" $at "_last:";
            "movups xmm0, [" $from " + r14]";
            "movups xmm1, [" $from " + r14 + 16]";
            "movups [" $to " + r14], xmm0";
            "movups [" $to " + r14 + 16], xmm1";
        }
    };
}

// Called from a stub: gives the zero flag when it is done; else nothing has changed. Keeps rcx, rdx, rsi, r8, r11, r12,
// r13.
crate::assembly!(
    crate::function!("leat_fiber_exchange"),
    ".cfi_startproc",
    // As in the stub that has called.
    ".cfi_def_cfa r8, 8",
    "mov rdi, [r12 + {stack}]",
    "prefetcht0 [rdi]",
    "prefetcht0 [rdi + 64]",
    "prefetcht0 [rdi + 128]",
    "mov rbx, [r13 + {resident}]",
    "mov r9, [r13 + {kept}]",
    "cmp rbx, 1",
    "je .Lexchange_unusual",
    "cmp r9, 1",
    "je .Lexchange_unusual",
    "cmp rbx, rcx",
    "je .Lexchange_unusual",
    // Each stack is one piece, and nobody has to be told of the changes.
    "cmp qword ptr [rbx + {stack}], 1",
    "jne .Lexchange_unusual",
    "cmp qword ptr [rdi], 1",
    "jne .Lexchange_unusual",
    "mov rax, [r9 - 8]",
    "mov r10, [rbx - 8]",
    "or r10, rax",
    "test r10b, {unlogged}",
    "jne .Lexchange_unusual",
    // r14: the bytes that go; rax: those that will be behind them.
    "mov r14, [r13 + {base}]",
    "sub r14, [r13 + {sp}]",
    "lea r10, [r14 - 32]",
    "cmp r10, {exchanged}",
    "ja .Lexchange_unusual",
    "shr rax, 16",
    "lea rax, [rax * 8 - {piece_head}]",
    "sub rax, r14",
    "cmp rax, r14",
    "ja .Lexchange_unusual",
    // r10: the bytes that come.
    "mov rbx, [rdi + {piece_frame}]",
    "test rbx, rbx",
    "jns .Lexchange_unusual",
    "add rbx, rbx",
    "shr rbx, {room_shift} + 1",
    "mov r10, [rdi - 8]",
    "shr r10, 16",
    "sub r10, rbx",
    "lea r10, [r10 * 8 - {piece_head}]",
    "lea rbx, [r10 - 32]",
    "cmp rbx, {exchanged}",
    "ja .Lexchange_unusual",
    // All is usual. The next in the queue will come soon, and the one behind that.
    "mov rbx, [rdx + {queue_head}]",
    "cmp rbx, r12",
    "cmove rbx, [r12 + {next}]",
    "cmp rbx, 1",
    "je .Lexchange_nobody_waits",
    "mov r9, [rbx + {stack}]",
    "mov rbx, [rbx + {next}]",
    "prefetcht0 [r9]",
    "prefetcht0 [r9 + 64]",
    "prefetcht0 [r9 + 128]",
    "prefetcht0 [rbx]",
    "prefetcht0 [rbx + 64]",
    "mov r9, [r13 + {kept}]",
    ".Lexchange_nobody_waits:",
    // The head of the piece: see `StackPiece`.
    "shl rax, {room_shift} - 3",
    "mov rbx, [rdx + {evictions}]",
    "shr rbx, {time_step}",
    "and ebx, {time_mask}",
    "shl rbx, {time_shift}",
    "or rax, rbx",
    "bts rax, 63",
    "mov rbx, [r13 + {fp}]",
    "test rbx, rbx",
    "je .Lexchange_no_frame",
    "sub rbx, [r13 + {sp}]",
    "shl rbx, 16",
    "or rax, rbx",
    ".Lexchange_no_frame:",
    "mov rbx, [r13 + {sp}]",
    "sub rax, rbx",
    "add rax, [r13 + {call_sp}]",
    "mov qword ptr [r9], 1",
    "mov [r9 + {piece_frame}], rax",
    "movzx eax, word ptr [r13 + {number}]",
    "shl rax, 48",
    "or rax, rbx",
    "mov [r9 + {piece_place}], rax",
    "sub r14, 32",
    copying!("out", "rbx", "r9 + {piece_head}"),
    "mov rbx, [r13 + {resident}]",
    "mov [rbx + {stack}], r9",
    "or byte ptr [rbx + {state}], {in_heap}",
    // What comes, and whether it was here a short time ago.
    "mov rbx, [rdi + {piece_frame}]",
    "mov rax, [rdx + {evictions}]",
    "inc rax",
    "mov [rdx + {evictions}], rax",
    "inc qword ptr [rdx + {restores}]",
    "shr rax, {time_step}",
    "mov r9, rbx",
    "shr r9, {time_shift}",
    "sub eax, r9d",
    "and eax, {time_mask}",
    "cmp eax, {lately}",
    "ja .Lexchange_long_ago",
    "inc qword ptr [rdx + {returns}]",
    ".Lexchange_long_ago:",
    "mov r9, [rdi + {piece_place}]",
    "shl r9, 16",
    "shr r9, 16",
    "mov [r13 + {sp}], r9",
    "movzx eax, bx",
    "add rax, r9",
    "mov [r13 + {call_sp}], rax",
    "shr rbx, 16",
    "mov ebx, ebx",
    "lea rax, [rbx + r9]",
    "test ebx, ebx",
    "cmovne rbx, rax",
    "mov [r13 + {fp}], rbx",
    "lea r14, [r10 - 32]",
    copying!("in", "rdi + {piece_head}", "r9"),
    "mov [r13 + {kept}], rdi",
    "mov [r13 + {resident}], r12",
    "mov qword ptr [r12 + {stack}], 1",
    "xor eax, eax",
    "ret",
    ".Lexchange_unusual:",
    "test rsp, rsp",
    "ret",
    ".cfi_endproc",
    ".size leat_fiber_exchange, . - leat_fiber_exchange",
);
