//! An OS thread begins to run SML threads, and ends; an SML thread begins, and ends.

/// The frame at the bottom of a carrier's C stack, by which it is left; rsi says where its stack pointer goes.
macro_rules! entered {
    () => {
        concat!(
            crate::save_kept!(),
            crate::lines! {
                "push r15";
                ".cfi_def_cfa_offset 56";
                ".cfi_offset r15, -56";
                "lea rax, [rip + leat_fiber_leave]";
                "push rax";
                ".cfi_def_cfa_offset 64";
                "mov [rsi], rsp";
            }
        )
    };
}

crate::assembly!(
    // rdi: the thread block.
    crate::function!("leat_fiber_enter"),
    ".cfi_startproc",
    entered!(),
    "mov r15, rdi",
    "mov [r15 + {c_sp}], rsp",
    "call leat_fiber_first",
    crate::go_on!(),
    "leat_fiber_leave:",
    ".cfi_def_cfa_offset 56",
    "pop r15",
    ".cfi_def_cfa_offset 48",
    crate::pop_kept!(),
    "ret",
    ".cfi_endproc",
    // rdi: a carrier, which has no worker yet.
    crate::function!("leat_fiber_carry"),
    ".cfi_startproc",
    entered!(),
    // rdi: the carrier, nothing above its base on the stack.
    crate::label!("leat_fiber_wait"),
    "call leat_fiber_carried",
    "test rax, rax",
    "je .Lwait_over",
    "mov r15, rax",
    "mov [r15 + {c_sp}], rsp",
    "mov rax, [r15 + {resume_value}]",
    "test rdx, rdx",
    "je .Lwait_resumes",
    "mov rdi, r15",
    "call leat_fiber_first",
    ".Lwait_resumes:",
    "xor ebx, ebx",
    "mov rsp, [r15 + {saved_sp}]",
    "mov rbp, [r15 + {saved_fp}]",
    ".Lwait_over:",
    "pop rcx",
    "jmp rcx",
    ".cfi_endproc",
    // A new thread: rax is its closure, whose first raw word is the code's address. The return address of this call
    // belongs to no code table, which ends a walk; rbp 0 ends the chain of frame pointers.
    crate::function!("leat_fiber_start"),
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
    "mov rax, [r15 + {current}]",
    "test byte ptr [r15 + {company}], {ever}",
    "je .Lstart_alone",
    // Another worker may be about to ask for its end. First it says that it ends, then it looks, with a full fence in
    // between: see `leat_thread_ended`. Who had said so before goes the other way.
    "mov rdx, {ending}",
    "mov rcx, rdx",
    "xchg [rax + {stamp}], rcx",
    "cmp rcx, rdx",
    "je .Lstart_alone",
    "cmp qword ptr [rax + {props}], {none}",
    "je .Lstart_ends",
    // They are told below, where it says so once more.
    "mov [rax + {stamp}], rcx",
    "jmp .Lstart_asked",
    // It has properties: somebody may wait for its end. A call of the runtime, which may collect.
    ".Lstart_alone:",
    "cmp qword ptr [rax + {props}], {none}",
    "jne .Lstart_asked",
    ".Lstart_ends:",
    "mov rdi, r15",
    "mov rsp, [r15 + {c_sp}]",
    "call leat_fiber_finish",
    crate::go_on!(),
    ".Lstart_asked:",
    "mov rdi, r15",
    "call leat_fiber_returned_stub",
    ".cfi_endproc";
    props = std::mem::offset_of!(leat_abi::thread::Thread, props),
    company = std::mem::offset_of!(leat_abi::tcb::Tcb, company),
    ever = leat_abi::tcb::SEVERAL,
    ending = leat_abi::thread::ENDING,
    none = crate::base::reference::NONE,
);

crate::runtime_stub!(leat_fiber_returned);
