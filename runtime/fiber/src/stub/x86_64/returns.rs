//! What stands in place of a return address, so that the return to it is noticed: the collector's marker, and the
//! boundary between frames that are in place and frames that are still in the heap.

macro_rules! return_barrier {
    ($name:literal, $function:literal) => {
        // A function has returned to what stands in place of its return address. All result registers are kept, on the
        // C stack: the words below rsp may be about to be overwritten.
        crate::assembly!(
            ".p2align 4",
            // A debugger looks up the byte before a return address: its walk ends here.
            ".cfi_startproc",
            ".cfi_undefined rip",
            "nop",
            crate::label!($name),
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
            crate::save_vectors!(8),
            "mov rdi, r15",
            "mov rsi, r11",
            concat!("call ", $function),
            "mov r11, rax",
            crate::load_vectors!(8),
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
        );
    };
}

return_barrier!("leat_fiber_marker", "leat_fiber_marker_hit");
return_barrier!("leat_fiber_boundary", "leat_fiber_boundary_hit");
