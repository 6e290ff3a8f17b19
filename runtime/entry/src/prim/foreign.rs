//! Calls of C on the worker's C stack, or on an OS thread of the pool: a block of words -> registers and stack of the
//! System V convention, and the results back into the block.
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

use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use leat_abi::exn::Builtin;
use leat_abi::foreign::block;
use leat_abi::tcb::Tcb;
use leat_fiber::{NONE, Ref};

use crate::prim::check;
use crate::prim::jobs::{self, in_pool, named};
use crate::service::end::end_process;
use crate::service::objects::{bytes, bytes_mut, text};
use crate::service::raise::raise_builtin;
use crate::service::{exceptions, report};
use crate::state::arrivals::{CALLED, HANDLED, PENDING};
use crate::state::os_thread::{RUNS_SML, WAITS_AT, calling};
use crate::state::pool::{Answer, JobKind};
use crate::state::reentry::{self, Call, Entry};
use crate::state::runtime::{io, is_running, runtime, stderr, stdout, worker};

unsafe extern "C" {
    /// Where thunks lead.
    fn leat_callback();
    /// Where symbols of exported functions lead at first.
    fn leat_unexported();
    /// Calls the function of the block.
    fn leat_foreign_call(block: *mut u64);
}

/// A call whose `errno` is wanted, or that is looked at; for others the stub does all of this. C may do all that is
/// C's: it is on a C stack of its own, and the SML thread waits in its stub. Nothing moves while it runs, for the
/// worker comes to no safepoint.
///
/// # Safety
/// Called by its stub; the block is in the frame of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_go(tcb: *mut Tcb, block: u64) -> u64 {
    let block = block as *mut u64;
    // SAFETY: compiled code has filled the block in (`translate/src/foreign.rs`), as many words as it says.
    unsafe {
        if *block.add(block::FLAGS) & block::IS_CHECKED != 0 {
            check::call(tcb, block, || go(block));
        } else {
            go(block);
        }
    }
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
pub unsafe extern "C" fn leat_foreign_begin(tcb: *mut Tcb, block: u64) -> u64 {
    let pool = &runtime().events.pool;
    // SAFETY: the stub has noted where the return address of this call stands.
    let waits_at = unsafe { *((*tcb).saved_call_sp as *const usize) };
    let call = move || {
        let before = WAITS_AT.replace(waits_at);
        // SAFETY: as the caller says.
        unsafe { go(block as *mut u64) };
        WAITS_AT.set(before);
        Answer::default()
    };
    // Without a poller nobody could be told of its end: it is made here.
    if io().prepare().is_err() {
        return named(pool.done(call()), jobs::FOREIGN);
    }
    let id = pool.start(0, false, JobKind::Wait, call);
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

// -- C that calls SML

/// A stack with a block of so many words, all 0.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_stack(tcb: *mut Tcb, words: u64) -> u64 {
    // SAFETY: as the caller says; a stack that is taken is nobody else's.
    unsafe {
        let kept = std::mem::replace(&mut (*worker(tcb)).spare_call, null_mut());
        let call = if kept.is_null() { reentry::take() } else { Some(kept) };
        let Some(call) = call.filter(|_| words as usize <= reentry::MOST_WORDS) else {
            return raise_builtin(tcb, Builtin::OutOfMemory);
        };
        (*call).ticket += 1;
        let block = Call::block(call);
        (block as *mut u64).write_bytes(0, words as usize);
        block
    }
}

/// Calls the function of the block. Called by its stub, on the stack of the block.
///
/// # Safety
/// As [`leat_foreign_go`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_enter(_tcb: *mut Tcb, block: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { go(block as *mut u64) };
    0
}

/// The call that is to go on has done so already: a continuation was used twice.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_resume(tcb: *mut Tcb, _state: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { (*tcb).pending_exn = went_on() };
    0
}

/// What is raised then.
fn went_on() -> u64 {
    static PACKET: OnceLock<u64> = OnceLock::new();
    *PACKET.get_or_init(|| exceptions::fail("a call of C goes on only once"))
}

/// The function that C wants.
///
/// # Safety
/// Called by compiled code, with a present state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_function(state: u64) -> u64 {
    // SAFETY: as the caller says; entries stay.
    unsafe {
        let entry: &Entry = &*(*Call::of(state)).entry;
        match entry.function.load(Ordering::SeqCst) {
            NONE => {
                let name = reentry::name(entry);
                fatal(null_mut(), &format!("C has called {name}, which was freed by `Foreign.free`"))
            }
            function => function,
        }
    }
}

/// An exception was raised while C waits for SML: the first one of a call is kept, and C gets 0. 0 where C does not
/// wait: the call is over, or it is another one, or its continuation was used twice, which is what was raised.
///
/// # Safety
/// Called by compiled code, with a block of [`leat_foreign_stack`], the word before it as it was then, and a packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_failed(_tcb: *mut Tcb, block: u64, ticket: u64, packet: u64) -> u64 {
    let call = Call::of_block(block);
    // SAFETY: as the caller says.
    unsafe {
        if (*call).ticket != ticket || (*call).arguments.is_null() || packet == went_on() {
            return 0;
        }
        reentry::no_result(call);
        let _ = (*call).packet.compare_exchange(NONE, packet, Ordering::SeqCst, Ordering::SeqCst);
        Call::state(call)
    }
}

/// What an OS thread of C's has called has raised an exception, which returns to nobody who could handle it.
///
/// # Safety
/// Called by compiled code, with a state of [`leat_foreign_next`] and a packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_report(_tcb: *mut Tcb, state: u64, packet: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let call = Call::of(state);
        reentry::no_result(call);
        let (name, message) = exceptions::describe(packet);
        let what = reentry::name(&*(*call).entry);
        let message = message.map_or(String::new(), |message| format!(" {message}"));
        let _ = stdout().flush();
        let text = format!("uncaught exception in {what}, which C has called: {name}{message}\n");
        let _ = stderr().print_now(text.as_bytes());
    }
    0
}

/// The end of a call: its stack is given back, and what is kept is raised.
///
/// # Safety
/// Called by compiled code, with the block of a call that has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_leave(tcb: *mut Tcb, block: u64) -> u64 {
    let call = Call::of_block(block);
    // SAFETY: as the caller says.
    unsafe {
        let packet = (*call).packet.load(Ordering::Relaxed);
        if packet != NONE {
            (*call).packet.store(NONE, Ordering::SeqCst);
            (*tcb).pending_exn = packet;
        }
        let spare = &raw mut (*worker(tcb)).spare_call;
        if (*spare).is_null() {
            *spare = call;
        } else {
            reentry::give_back(call);
        }
    }
    0
}

/// Makes a function known to C: the address of its code.
///
/// # Safety
/// Called by compiled code: a function that takes an address, one of type unit -> unit, the address of a variable or 0,
/// a text, bytes of a result in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_export(
    tcb: *mut Tcb,
    function: u64,
    served: u64,
    slot: u64,
    what: u64,
    memory: u64,
) -> u64 {
    // SAFETY: as the caller says; nothing collects here.
    unsafe {
        let jump = leat_callback as *const () as usize;
        let Some(code) = reentry::export(function, slot, &text(what), memory, jump) else {
            return raise_builtin(tcb, Builtin::OutOfMemory);
        };
        if slot != 0 {
            (slot as *mut u64).write(code);
        }
        if runtime().callbacks.is_none() {
            runtime().callbacks.set(Ref::of(served));
        }
        HANDLED.fetch_or(CALLED, Ordering::SeqCst);
        code
    }
}

/// C does not call the function of this address any more.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_free(tcb: *mut Tcb, code: u64) -> u64 {
    let (was_there, left) = reentry::free(code);
    if left == 0 {
        HANDLED.fetch_and(!CALLED, Ordering::SeqCst);
    }
    if !was_there {
        static PACKET: OnceLock<u64> = OnceLock::new();
        let packet = PACKET.get_or_init(|| exceptions::fail("there is no callback of this address"));
        // SAFETY: the caller is a worker.
        unsafe { (*tcb).pending_exn = *packet };
    }
    0
}

/// The state of the next call of an OS thread that is no worker, or 0.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_next(_tcb: *mut Tcb) -> u64 {
    reentry::next_request().map_or(0, |call| call as u64)
}

/// That call is answered.
///
/// # Safety
/// Called by compiled code, with such a state, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_foreign_answer(_tcb: *mut Tcb, state: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { reentry::answer(Call::of(state)) };
    0
}

/// C has called a function of SML, and no call that may be called back from is under way on this OS thread. Either
/// somebody has forgotten `reentrant`, or this OS thread is C's: it waits for a thread of SML that evaluates the
/// function.
///
/// # Safety
/// Called by `leat_callback`, with an entry and the words that it has pushed.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_callback_outside(entry: *const Entry, arguments: *mut u64) {
    // SAFETY: as the caller says; entries stay.
    let name = || reentry::name(unsafe { &*entry });
    if RUNS_SML.get() {
        let message = format!("C has called {}, out of a function that is imported without `reentrant`", name());
        fatal(calling(), &message);
    }
    if !is_running() {
        fatal(null_mut(), &format!("C has called {}, but the program is over", name()));
    }
    let call = Call::outside(arguments, entry);
    reentry::request(&call, || {
        PENDING.fetch_or(CALLED, Ordering::SeqCst);
        runtime().fibers.interrupt();
        runtime().events.io.wake_from_signal();
    });
}

/// Where the symbols of exported functions lead before the export is evaluated.
pub fn unexported() -> usize {
    leat_unexported as *const () as usize
}

/// What `_export` has not been evaluated for.
///
/// # Safety
/// Called by the symbol of an exported function, with its name.
#[unsafe(no_mangle)]
unsafe extern "C" fn leat_not_exported(name: *const libc::c_char) {
    // SAFETY: as the caller says.
    let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy();
    fatal(calling(), &format!("C has called `{name}` before its `_export` was evaluated"));
}

/// The end of a program in which C has done what it may not. `tcb`: of the worker whose call it is out of, or null.
fn fatal(tcb: *mut Tcb, message: &str) -> ! {
    let mut text = format!("{message}\n");
    if !tcb.is_null() {
        // SAFETY: the worker is in a call of the runtime, on this OS thread.
        unsafe { report::backtrace(tcb, &mut text, false) };
    }
    if is_running() {
        let _ = stdout().flush();
    }
    let _ = stderr().print_now(text.as_bytes());
    end_process(1)
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
    "mov [rbx + {integers} + 8], rdx",
    "movsd [rbx + {reals}], xmm0",
    "movsd [rbx + {reals} + 8], xmm1",
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
