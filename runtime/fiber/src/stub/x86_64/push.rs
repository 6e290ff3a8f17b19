//! What the stubs push and pop, each list once; how the SML stack is left, and how SML goes on.
//!
//! Bytes of a frame are counted for `.cfi` lines as they are there: 8 at a stub's first instruction, for the return
//! address.

/// The head of a function.
#[doc(hidden)]
#[macro_export]
macro_rules! function {
    ($name:expr) => {
        concat!(".p2align 4\n", $crate::label!($name))
    };
}

/// A name that the linker knows.
#[doc(hidden)]
#[macro_export]
macro_rules! label {
    ($name:expr) => {
        concat!(".globl ", $name, "\n.type ", $name, ", @function\n", $name, ":\n")
    };
}

/// Pushes what a call of the System V convention keeps.
#[doc(hidden)]
#[macro_export]
macro_rules! save_kept {
    () => {
        $crate::lines! {
            "push rbp"; ".cfi_def_cfa_offset 16"; ".cfi_offset rbp, -16";
            "push rbx"; ".cfi_def_cfa_offset 24"; ".cfi_offset rbx, -24";
            "push r12"; ".cfi_def_cfa_offset 32"; ".cfi_offset r12, -32";
            "push r13"; ".cfi_def_cfa_offset 40"; ".cfi_offset r13, -40";
            "push r14"; ".cfi_def_cfa_offset 48"; ".cfi_offset r14, -48";
        }
    };
}

/// Pops it. `plain`: where debuggers are told nothing of the frame.
#[doc(hidden)]
#[macro_export]
macro_rules! pop_kept {
    (plain) => {
        $crate::lines! {
            "pop r14";
            "pop r13";
            "pop r12";
            "pop rbx";
            "pop rbp";
        }
    };
    () => {
        $crate::lines! {
            "pop r14"; ".cfi_def_cfa_offset 40";
            "pop r13"; ".cfi_def_cfa_offset 32";
            "pop r12"; ".cfi_def_cfa_offset 24";
            "pop rbx"; ".cfi_def_cfa_offset 16";
            "pop rbp"; ".cfi_def_cfa_offset 8";
        }
    };
}

/// Pushes what a `preserve_all` call keeps: in that order [`save_kept!`]'s, the other registers, all vectors.
#[doc(hidden)]
#[macro_export]
macro_rules! save_all {
    () => {
        concat!(
            $crate::save_kept!(),
            $crate::lines! {
                "push rax"; ".cfi_def_cfa_offset 56";
                "push rcx"; ".cfi_def_cfa_offset 64";
                "push rdx"; ".cfi_def_cfa_offset 72";
                "push rsi"; ".cfi_def_cfa_offset 80";
                "push rdi"; ".cfi_def_cfa_offset 88";
                "push r8"; ".cfi_def_cfa_offset 96";
                "push r9"; ".cfi_def_cfa_offset 104";
                "push r10"; ".cfi_def_cfa_offset 112";
                "push r11"; ".cfi_def_cfa_offset 120";
                "sub rsp, 256"; ".cfi_def_cfa_offset 376";
            },
            $crate::save_vectors!(16)
        )
    };
}

/// Pops it.
#[doc(hidden)]
#[macro_export]
macro_rules! pop_all {
    () => {
        concat!(
            $crate::load_vectors!(16),
            $crate::lines! {
                "add rsp, 256"; ".cfi_def_cfa_offset 120";
                "pop r11"; ".cfi_def_cfa_offset 112";
                "pop r10"; ".cfi_def_cfa_offset 104";
                "pop r9"; ".cfi_def_cfa_offset 96";
                "pop r8"; ".cfi_def_cfa_offset 88";
                "pop rdi"; ".cfi_def_cfa_offset 80";
                "pop rsi"; ".cfi_def_cfa_offset 72";
                "pop rdx"; ".cfi_def_cfa_offset 64";
                "pop rcx"; ".cfi_def_cfa_offset 56";
                "pop rax"; ".cfi_def_cfa_offset 48";
            },
            $crate::pop_kept!()
        )
    };
}

/// Stores the first 8 vectors, or all 16, where the stack ends.
#[doc(hidden)]
#[macro_export]
macro_rules! save_vectors {
    (8) => {
        $crate::lines! {
            "movups [rsp], xmm0";
            "movups [rsp + 16], xmm1";
            "movups [rsp + 32], xmm2";
            "movups [rsp + 48], xmm3";
            "movups [rsp + 64], xmm4";
            "movups [rsp + 80], xmm5";
            "movups [rsp + 96], xmm6";
            "movups [rsp + 112], xmm7";
        }
    };
    (16) => {
        concat!(
            $crate::save_vectors!(8),
            $crate::lines! {
                "movups [rsp + 128], xmm8";
                "movups [rsp + 144], xmm9";
                "movups [rsp + 160], xmm10";
                "movups [rsp + 176], xmm11";
                "movups [rsp + 192], xmm12";
                "movups [rsp + 208], xmm13";
                "movups [rsp + 224], xmm14";
                "movups [rsp + 240], xmm15";
            }
        )
    };
}

/// Loads them.
#[doc(hidden)]
#[macro_export]
macro_rules! load_vectors {
    (8) => {
        $crate::lines! {
            "movups xmm0, [rsp]";
            "movups xmm1, [rsp + 16]";
            "movups xmm2, [rsp + 32]";
            "movups xmm3, [rsp + 48]";
            "movups xmm4, [rsp + 64]";
            "movups xmm5, [rsp + 80]";
            "movups xmm6, [rsp + 96]";
            "movups xmm7, [rsp + 112]";
        }
    };
    (16) => {
        concat!(
            $crate::load_vectors!(8),
            $crate::lines! {
                "movups xmm8, [rsp + 128]";
                "movups xmm9, [rsp + 144]";
                "movups xmm10, [rsp + 160]";
                "movups xmm11, [rsp + 176]";
                "movups xmm12, [rsp + 192]";
                "movups xmm13, [rsp + 208]";
                "movups xmm14, [rsp + 224]";
                "movups xmm15, [rsp + 240]";
            }
        )
    };
}

/// The SML stack, of which the stub has so many bytes, gets a resume address, and the thread block is told where it
/// ends. The third is the second and 8.
#[doc(hidden)]
#[macro_export]
macro_rules! suspend {
    ($resume:expr, $pushed:literal, $frame:literal) => {
        concat!(
            concat!("lea rax, [rip + ", $resume, "]\n"),
            $crate::lines! {
                "push rax";
                ".cfi_def_cfa_offset " $frame;
                "mov [r15 + {saved_sp}], rsp";
                "mov [r15 + {saved_fp}], rbp";
                "lea rax, [rsp + " $pushed "]";
                "mov [r15 + {saved_call_sp}], rax";
            }
        )
    };
}

/// To the worker's C stack; rbx says where the SML stack is, on which the stub has so many bytes.
#[doc(hidden)]
#[macro_export]
macro_rules! to_c_stack {
    ($frame:literal) => {
        $crate::lines! {
            "mov rbx, rsp";
            ".cfi_def_cfa rbx, " $frame;
            "mov rsp, [r15 + {c_sp}]";
        }
    };
}

/// SML goes on with the stack that the thread block tells of, which may be another thread's. The stub's own has so many
/// bytes with and without the resume address; `$line` is done between the two.
#[doc(hidden)]
#[macro_export]
macro_rules! go_on {
    () => {
        $crate::lines! {
            "mov rsp, [r15 + {saved_sp}]";
            "mov rbp, [r15 + {saved_fp}]";
            "pop rcx";
            "jmp rcx";
        }
    };
    ($frame:literal, $pushed:literal, $line:literal) => {
        $crate::lines! {
            "mov rsp, [r15 + {saved_sp}]";
            "mov rbp, [r15 + {saved_fp}]";
            ".cfi_def_cfa rsp, " $frame;
            $line;
            "pop rcx";
            ".cfi_def_cfa_offset " $pushed;
            "jmp rcx";
        }
    };
}
