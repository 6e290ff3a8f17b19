//! Where SML goes on behind a call of the runtime: the epilogues that the stubs share.

crate::assembly!(
    // rbx, which the runtime's function has kept, says where the stack was at the call.
    crate::function!("leat_fiber_resume"),
    ".cfi_startproc",
    ".cfi_def_cfa_offset 48",
    ".cfi_offset rbp, -16",
    "lea rcx, [rsp - 8]",
    "cmp rcx, rbx",
    crate::pop_kept!(),
    ".cfi_same_value rbp",
    "jne .Lresume_elsewhere",
    crate::label!("leat_fiber_resume_same"),
    "cmp qword ptr [r15 + {pending}], 0",
    "jne leat_fiber_pending",
    "ret",
    // The stack is not where it was: most likely it is another thread's, and the processor's own stack of return
    // addresses would foretell where the caller's thread goes on.
    ".Lresume_elsewhere:",
    "cmp qword ptr [r15 + {pending}], 0",
    "jne leat_fiber_pending",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    // The same for who knows that it does not go back to the caller, though the stack may be where it was.
    crate::function!("leat_fiber_resume_thrown"),
    crate::pop_kept!(plain),
    "pop rcx",
    "jmp rcx",
    // In place of a return behind a switch: arguments become results, the return address is jumped to.
    crate::function!("leat_return_stub"),
    "mov rax, rdi",
    "mov rcx, rsi",
    "pop r11",
    "jmp r11",
    crate::function!("leat_fiber_resume_all"),
    ".cfi_startproc",
    ".cfi_def_cfa_offset 376",
    ".cfi_offset rbp, -16",
    "cmp qword ptr [r15 + {pending}], 0",
    "jne .Lresume_all_raises",
    crate::label!("leat_fiber_resume_handled"),
    crate::pop_all!(),
    ".cfi_same_value rbp",
    "ret",
    ".cfi_endproc",
    // Of the registers a handler expects rbx and r12 to r14, and the raise rbp.
    ".Lresume_all_raises:",
    "add rsp, 328",
    crate::pop_kept!(plain),
    // An exception that the runtime call raises, as if at that call.
    crate::label!("leat_fiber_pending"),
    "mov rdi, [r15 + {pending}]",
    "mov qword ptr [r15 + {pending}], 0",
    "jmp leat_raise_stub",
);
