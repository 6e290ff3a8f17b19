//! The stubs between compiled code, the runtime's C stacks and the lanes, for x86-64 with the System V convention.
//!
//! # Stacks
//!
//! A suspended stack's lowest word is its resume address, and whatever lies above belongs to the code there: so any
//! stub can resume any stack (T1). Drawn in docs/internals/runtime/threads.md.
//!
//! ```text
//!  runtime_stub                 preserve_all_stub           new thread            worker's C stack (enter)
//!  | return address | call_sp   | return address | call_sp  | 0           | base  | return address       |
//!  | rbp            |           | rbp rbx r12..r14 |         | start       | sp    | rbp rbx r12..r15     |
//!  | rbx r12 .. r14 |           | rax rcx rdx rsi rdi r8..r11 |                   | leave                | enter_sp
//!  | resume         | sp        | xmm0 .. xmm15               |
//!                               | resume_all, gc_again        | sp
//! ```
//!
//! A stub that stops a thread (`threads`) pushes of rbx and r12 to r14 only what is not 0, and no rbp: what resumes a
//! stack loads that from `saved_fp`.
//!
//! # Registers
//!
//! | register | in compiled code | when the runtime's function is called | where a stack is resumed |
//! |---|---|---|---|
//! | r15 | the thread block, always | the same | the same; another worker's, if the thread has moved |
//! | rsp, rbp | the SML stack | the worker's C stack (`c_sp`); the SML stack's are in `saved_sp`, `saved_fp` | the SML stack |
//! | rbx, r12 to r14 | kept by who is called | on the SML stack; rbx says where that is | rbx: where the stack was at the call, or 0 |
//! | rdi, rsi, rdx, rcx, r8, r9 | arguments; rdi is the thread block in a call of a primitive | the same | nothing |
//! | rax | the first result | the function's result | what the primitive gives, `resume_value` |
//! | rcx | the second result | | the resume address |
//! | r11 | nobody's at a return | nothing | nothing |
//! | xmm0 to xmm15 | reals; all are nobody's at a call of a primitive | nothing | nothing |
//!
//! The stubs of `threads` and `conts` have a table of their own at their heads.
//!
//! # Labels
//!
//! A name that begins with `leat_` is known to the linker; `.Lpark_slow` is a place inside of the stub `park`. The ones
//! that stubs jump to which are not their own:
//!
//! | label | in | what happens there |
//! |---|---|---|
//! | `leat_fiber_resume` | `resume` | the registers that [`save_kept!`](crate::save_kept) has pushed are popped; on to the caller |
//! | `leat_fiber_resume_same` | `resume` | they are popped already, and the stack is where it was at the call |
//! | `leat_fiber_resume_thrown` | `resume` | as `leat_fiber_resume`, of who knows that nothing waits to be raised |
//! | `leat_fiber_resume_all` | `resume` | the registers that [`save_all!`](crate::save_all) has pushed are popped |
//! | `leat_fiber_resume_handled` | `resume` | the same, and what waits to be raised is left to compiled code |
//! | `leat_fiber_pending` | `resume` | the exception that waits is raised |
//! | `leat_fiber_resume_kept` | `threads` | one of sixteen: the registers that were not 0 are popped |
//! | `leat_fiber_resume_await` | `threads` | the same of a thread that awaits, which looks whether its wait is over |
//!
//! # What was looked up
//!
//! In Cranelift 0.135.8 (isa/x64/abi.rs): with the pinned register, r15 is never allocated and no convention saves it.
//! `tail` takes arguments as System V does (rdi, rsi, rdx, rcx, r8, r9; xmm0 to 7), keeps rbx, rbp and r12 to r14,
//! gives results in rax, rcx, rdx, rsi, rdi, r8, r9, r10 and xmm0 to 7, and pops its stack arguments. A `preserve_all`
//! call clobbers nothing, vectors count as 128 bits; so the xmm registers are all there is to keep. At a handler of a
//! `tail` or `preserve_all` call nothing but rsp, rbp and r15 is expected; of a `system_v` call (these stubs) also rbx
//! and r12 to r14, which each way to a handler here leaves as they were at the call.
//!
//! The `.cfi` lines are for debuggers and profilers: a stub's frame lies on the SML stack, and while the runtime runs,
//! rbx says where; a thread's first frame says that nobody called it.
//!
//! # Reading order
//!
//! `table` (names for offsets and numbers), `push` (what is pushed and popped), `enter` (an OS thread begins and ends to run
//! SML), `calls` (compiled code calls the runtime), `resume` and `raise` (it goes on), `returns` (barriers in place of
//! return addresses), `steps` and `threads` (switches without the runtime), `exchange` (small stacks that change
//! places), `conts`.

use core::ffi::c_void;

use leat_abi::tcb as offsets;
use leat_abi::tcb::Tcb;

mod calls;
mod conts;
mod enter;
mod exchange;
mod push;
mod raise;
mod resume;
mod returns;
mod steps;
#[doc(hidden)]
pub mod table;
#[cfg(test)]
mod tests;
mod threads;

/// Units of 1,024 cycles of the time stamp counter: a third to half of a microsecond. Only to tell soon from late.
pub fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() >> 10 }
}

/// Gives up the runtime function that the running thread has called: goes back to compiled code now, where the
/// exception that waits is raised. What the functions in between own is not dropped.
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

/// Gives up the C stack of the calling carrier, which has no worker any more: it waits for the next one, where it was
/// entered.
///
/// # Safety
/// The carrier is the calling OS thread's, and was entered at this stack pointer; nobody above holds a lock.
pub(crate) unsafe fn rest(carrier: *const c_void, base: usize) -> ! {
    // SAFETY: as the caller says; the frame at the base is that of `enter` or `carry`.
    unsafe {
        core::arch::asm!(
            "mov rsp, {base}",
            "jmp leat_fiber_wait",
            base = in(reg) base,
            in("rdi") carrier,
            options(noreturn),
        )
    }
}
