//! Calls of C on the worker's C stack: a block of words -> registers and stack of the System V convention, and the results
//! back into the block.

use leat_abi::foreign::block;
use leat_abi::tcb::Tcb;

unsafe extern "C" {
    /// Calls the function of the block.
    fn leat_foreign_call(block: *mut u64);
}

/// C may do all that is C's: it is on a C stack of its own, and the SML thread waits in its stub. Nothing moves while it runs,
/// for the worker comes to no safepoint.
///
/// # Safety
/// Called by its stub; the block is in the frame of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_go(_tcb: *mut Tcb, block: u64) -> u64 {
    let block = block as *mut u64;
    // SAFETY: compiled code has filled the block in (`translate/src/foreign.rs`), as many words as it says.
    unsafe {
        let wants_errno = *block.add(block::FLAGS) & block::WANTS_ERRNO != 0;
        if wants_errno {
            *libc::__errno_location() = 0;
        }
        leat_foreign_call(block);
        if wants_errno {
            *block.add(block::ERRNO) = *libc::__errno_location() as u64;
        }
    }
    0
}

// rbx keeps the block. `al` says how many vector registers a function with `...` may look for.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".p2align 4",
    ".globl leat_foreign_call",
    ".type leat_foreign_call, @function",
    "leat_foreign_call:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    ".cfi_offset rbx, -24",
    "push rbx",
    "mov rbx, rdi",
    "mov rcx, [rbx + {stacked}]",
    "test rcx, rcx",
    "je 3f",
    // An even number of words.
    "lea rax, [rcx + 1]",
    "and rax, -2",
    "shl rax, 3",
    "sub rsp, rax",
    "2:",
    "mov rax, [rbx + 8*rcx + {stack} - 8]",
    "mov [rsp + 8*rcx - 8], rax",
    "dec rcx",
    "jne 2b",
    "3:",
    "xor eax, eax",
    "test byte ptr [rbx + {flags}], {has_reals}",
    "je 4f",
    "movsd xmm0, [rbx + {reals}]",
    "movsd xmm1, [rbx + {reals} + 8]",
    "movsd xmm2, [rbx + {reals} + 16]",
    "movsd xmm3, [rbx + {reals} + 24]",
    "movsd xmm4, [rbx + {reals} + 32]",
    "movsd xmm5, [rbx + {reals} + 40]",
    "movsd xmm6, [rbx + {reals} + 48]",
    "movsd xmm7, [rbx + {reals} + 56]",
    "mov eax, 8",
    "4:",
    "mov rdi, [rbx + {integers}]",
    "mov rsi, [rbx + {integers} + 8]",
    "mov rdx, [rbx + {integers} + 16]",
    "mov rcx, [rbx + {integers} + 24]",
    "mov r8, [rbx + {integers} + 32]",
    "mov r9, [rbx + {integers} + 40]",
    "call [rbx + {code}]",
    "mov [rbx + {integers}], rax",
    "movsd [rbx + {reals}], xmm0",
    "mov rbx, [rbp - 8]",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    code = const 8 * block::CODE,
    stacked = const 8 * block::STACKED,
    flags = const 8 * block::FLAGS,
    integers = const 8 * block::INTEGERS,
    reals = const 8 * block::REALS,
    stack = const 8 * block::STACK,
    has_reals = const block::HAS_REALS,
);
