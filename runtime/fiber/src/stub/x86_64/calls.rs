//! Compiled code calls the runtime: the stubs of primitives, of the slow paths of allocation and safepoints, and of the
//! barriers.

/// `runtime_stub!(leat_print)` makes `leat_print_stub`: compiled code calls it with the System V convention and rdi = tcb,
/// and it calls `leat_print` on the worker's C stack with the same arguments. Afterwards it goes on with the stack at
/// `tcb.saved_sp`, which may be another thread's.
#[macro_export]
macro_rules! runtime_stub {
    ($symbol:ident) => {
        $crate::runtime_stub!($symbol, concat!(stringify!($symbol), "_stub"));
    };
    ($symbol:ident, $stub:expr) => {
        $crate::assembly!(
            // A section of its own: the linker drops it, and the function, where nothing calls it.
            concat!(".pushsection .text.", $stub, ", \"ax\", @progbits"),
            $crate::function!($stub),
            ".cfi_startproc",
            $crate::save_kept!(),
            $crate::suspend!("leat_fiber_resume", 48, 56),
            $crate::to_c_stack!(56),
            concat!("call ", stringify!($symbol)),
            $crate::go_on!(56, 48, ""),
            ".cfi_endproc",
            ".popsection",
        );
    };
}

/// `quick_stub!(leat_string_concat)` makes `leat_string_concat_stub`, which calls the leaf `leat_string_concat_quick` with the same
/// arguments, six words and a real at most, where it is, on the SML stack. If that gives 0 it has done nothing, and the
/// call is made again by the way of every primitive.
#[macro_export]
macro_rules! quick_stub {
    ($symbol:ident) => {
        $crate::runtime_stub!($symbol, concat!(stringify!($symbol), "_slow"));
        $crate::assembly!(
            $crate::function!(concat!(stringify!($symbol), "_stub")),
            ".cfi_startproc",
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "sub rsp, 8",
            ".cfi_def_cfa_offset 64",
            "movsd [rsp], xmm0",
            concat!("call ", stringify!($symbol), "_quick"),
            "test rax, rax",
            concat!("je .L", stringify!($symbol), "_refused"),
            "add rsp, 56",
            ".cfi_def_cfa_offset 8",
            "ret",
            concat!(".L", stringify!($symbol), "_refused:"),
            ".cfi_def_cfa_offset 64",
            "movsd xmm0, [rsp]",
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

/// `preserve_all_stub!(leat_poll)` makes `leat_poll_stub`, which keeps every register and calls
/// `extern "C" fn leat_poll(tcb, first argument, second argument)`; that may switch threads or raise. What it returns is
/// ignored: if another thread goes on, that one's value is in `tcb.resume_value`.
#[macro_export]
macro_rules! preserve_all_stub {
    ($symbol:ident) => {
        $crate::preserve_all_stub!($symbol, "_stub", "leat_fiber_resume_all");
    };
    ($symbol:ident, $suffix:literal, $resume:literal) => {
        $crate::assembly!(
            $crate::function!(concat!(stringify!($symbol), $suffix)),
            ".cfi_startproc",
            $crate::save_all!(),
            $crate::suspend!($resume, 376, 384),
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, r15",
            $crate::to_c_stack!(384),
            concat!("call ", stringify!($symbol)),
            $crate::go_on!(384, 376, "mov rax, [r15 + {resume_value}]"),
            ".cfi_endproc",
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
        $crate::assembly!(
            $crate::function!(concat!(stringify!($symbol), $suffix)),
            ".cfi_startproc",
            $crate::save_all!(),
            concat!(".L", stringify!($symbol), $suffix, "_again:"),
            "mov rsi, rdi",
            $crate::suspend!(concat!(".L", stringify!($symbol), $suffix, "_done"), 376, 384),
            "mov rdi, r15",
            $crate::to_c_stack!(384),
            concat!("call ", stringify!($symbol)),
            $crate::go_on!(384, 376, "mov rax, [r15 + {resume_value}]"),
            // Here the stack is resumed. Of the registers that were pushed rdi has the bytes that are wanted.
            concat!(".L", stringify!($symbol), $suffix, "_done:"),
            "mov rdi, [rsp + 288]",
            "mov rbp, [rsp + 360]",
            "mov rax, [r15 + {alloc}]",
            "add rax, rdi",
            "cmp rax, [r15 + {alloc_limit}]",
            concat!("jbe ", $resume),
            "cmp qword ptr [r15 + {pending}], 0",
            concat!("je .L", stringify!($symbol), $suffix, "_again"),
            concat!("jmp ", $resume),
            ".cfi_endproc",
        );
    };
}

/// `barrier_stub!(leat_write_barrier)` makes `leat_write_barrier_stub`, which keeps every register and calls
/// `extern "C" fn leat_write_barrier(tcb, first argument, second argument)`, a leaf: no safepoint, no raise. Nothing of
/// the thread block is written, so it may stand between a call and its safepoint.
#[macro_export]
macro_rules! barrier_stub {
    ($symbol:ident) => {
        $crate::assembly!(
            $crate::function!(concat!(stringify!($symbol), "_stub")),
            ".cfi_startproc",
            $crate::calling_barrier!($symbol),
            ".cfi_endproc",
        );
    };
}

/// Like [`barrier_stub!`] for (array, address of the element): returns at once when what the element holds now is not a
/// reference to a young object, and when a large array's part of a card is logged already: so a large old array can be
/// updated again and again.
#[macro_export]
macro_rules! array_barrier_stub {
    ($symbol:ident) => {
        $crate::assembly!(
            $crate::function!(concat!(stringify!($symbol), "_stub")),
            ".cfi_startproc",
            "push rax",
            ".cfi_def_cfa_offset 16",
            "mov rax, [rsi]",
            "sub rax, [r15 + {young_base}]",
            "ror rax, 1",
            "cmp rax, [r15 + {young_half}]",
            concat!("jb .L", stringify!($symbol), "_young"),
            "pop rax",
            ".cfi_def_cfa_offset 8",
            "ret",
            concat!(".L", stringify!($symbol), "_young:"),
            ".cfi_def_cfa_offset 16",
            "mov rax, [r15 + {cards}]",
            "test rax, rax",
            concat!("jz .L", stringify!($symbol), "_logs"),
            "test byte ptr [rdi - 8], {unlogged}",
            concat!("jz .L", stringify!($symbol), "_logs"),
            "bt dword ptr [rdi - 8], {large_shift}",
            concat!("jnc .L", stringify!($symbol), "_logs"),
            "push rcx",
            ".cfi_def_cfa_offset 24",
            "mov rcx, rsi",
            "shr rcx, {card_shift}",
            "movzx eax, byte ptr [rax + rcx]",
            "mov ecx, esi",
            "shr ecx, {part_shift}",
            "and ecx, 7",
            "bt eax, ecx",
            "pop rcx",
            ".cfi_def_cfa_offset 16",
            concat!("jnc .L", stringify!($symbol), "_logs"),
            "pop rax",
            ".cfi_def_cfa_offset 8",
            "ret",
            concat!(".L", stringify!($symbol), "_logs:"),
            ".cfi_def_cfa_offset 16",
            "pop rax",
            ".cfi_def_cfa_offset 8",
            $crate::calling_barrier!($symbol),
            ".cfi_endproc",
        );
    };
}

/// Calls a barrier, with all registers kept. For the two macros above.
#[doc(hidden)]
#[macro_export]
macro_rules! calling_barrier {
    ($symbol:ident) => {
        concat!(
            $crate::save_all!(),
            "mov rdx, rsi\n",
            "mov rsi, rdi\n",
            "mov rdi, r15\n",
            $crate::to_c_stack!(376),
            // For the profiler: no word of the thread block says where the SML stack is.
            "push rbx\n",
            "push rbx\n",
            "call ",
            stringify!($symbol),
            "\n",
            "mov rsp, rbx\n",
            ".cfi_def_cfa rsp, 376\n",
            "jmp leat_fiber_resume_all\n",
        )
    };
}

/// The stubs that are no primitives: `leat_gc`, `leat_poll`, `leat_stack_check`, `leat_atomic_end`,
/// `leat_write_barrier`, `leat_array_barrier`, which the invoking crate defines as `extern "C"` functions without
/// mangling.
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
