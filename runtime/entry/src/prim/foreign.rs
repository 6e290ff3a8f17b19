//! Calls of C on the worker's C stack, or on an OS thread of the pool: a block of words -> registers and stack of the System V
//! convention, and the results back into the block.
//!
//! A blocking call, which Mono makes of these:
//!
//! ```text
//! foreign_block, foreign_copy   what C is to have, in memory of C: the collector may run meanwhile, and moves none of it
//! foreign_begin                 the call becomes a job of the pool
//! job_wait                      the thread is parked until C has returned, also one that is cancelled: C may have addresses
//!                               that are good only as long as the caller waits
//! foreign_back, foreign_end     what C has changed, and the end of it all
//! ```

use leat_abi::foreign::block;
use leat_abi::tcb::Tcb;

use crate::prim::jobs::{self, in_pool, named};
use crate::service::objects::{bytes, bytes_mut};
use crate::state::pool::{Answer, Kind};
use crate::state::runtime::{io, runtime};

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
    // SAFETY: compiled code has filled the block in (`translate/src/foreign.rs`), as many words as it says.
    unsafe { go(block as *mut u64) };
    0
}

/// Calls the function of the block.
///
/// # Safety
/// The block is filled in, and nobody else's until this returns.
unsafe fn go(block: *mut u64) {
    // SAFETY: as the caller says.
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
}

/// Memory of C. Without it the program ends, as where the heap has no room.
fn memory(size: usize) -> *mut u8 {
    // SAFETY: a call of the C library.
    let at = unsafe { libc::calloc(size.max(1), 1) } as *mut u8;
    if at.is_null() {
        std::alloc::handle_alloc_error(
            std::alloc::Layout::array::<u8>(size).unwrap_or(std::alloc::Layout::new::<u64>()),
        );
    }
    at
}

/// Memory for a block of so many words.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_block(_tcb: *mut Tcb, words: u64) -> u64 {
    memory(8 * words as usize) as u64
}

/// A copy of an object.
///
/// # Safety
/// Called by compiled code, with a string or a raw array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_copy(_tcb: *mut Tcb, object: u64) -> u64 {
    // SAFETY: as the caller says; nothing collects here, and the new memory is as long as the object.
    unsafe {
        let from = bytes(object);
        let at = memory(from.len());
        at.copy_from_nonoverlapping(from.as_ptr(), from.len());
        at as u64
    }
}

/// Begins the call on an OS thread: the job's number.
///
/// # Safety
/// Called by compiled code, which has filled the block in and leaves it alone until the job is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_begin(_tcb: *mut Tcb, block: u64) -> u64 {
    let pool = &runtime().events.pool;
    let call = move || {
        // SAFETY: as the caller says.
        unsafe { go(block as *mut u64) };
        Answer::default()
    };
    // Without a poller nobody could be told of its end: it is made here.
    if io().prepare().is_err() {
        return named(pool.done(call()), jobs::FOREIGN);
    }
    let id = pool.start(0, false, Kind::Wait, call);
    match pool.take(id) {
        // The system gives no OS thread.
        Some(answer) if answer.number != 0 => named(pool.done(call()), jobs::FOREIGN),
        Some(answer) => named(pool.done(answer), jobs::FOREIGN),
        None => named(id, jobs::FOREIGN),
    }
}

/// The end of a copy, whose bytes the object gets if that is asked for.
///
/// # Safety
/// Called by compiled code, with what `foreign_copy` gave for the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_back(_tcb: *mut Tcb, copy: u64, object: u64, changes: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if changes != 0 {
            let to = bytes_mut(object);
            to.as_mut_ptr().copy_from_nonoverlapping(copy as *const u8, to.len());
        }
        libc::free(copy as *mut libc::c_void);
    }
    0
}

/// The end of a block and its job.
///
/// # Safety
/// Called by compiled code, when the job is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_end(_tcb: *mut Tcb, block: u64, id: u64) -> u64 {
    runtime().events.pool.drop_job(in_pool(id));
    // SAFETY: the block is of `foreign_block`, and nobody has it any more.
    unsafe { libc::free(block as *mut libc::c_void) };
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
