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

use crate::prim::block::Block;
use crate::prim::check;
use crate::prim::jobs::{self, in_pool, named};
use crate::service::end::end_process;
use crate::service::here::{Here, Text, Word};
use crate::service::{exceptions, report};
use crate::state::arrivals::{CALLED, HANDLED, PENDING};
use crate::state::os_thread::{RUNS_SML, WAITS_AT, calling};
use crate::state::output::write_all;
use crate::state::pool::{Answer, JobKind};
use crate::state::reentry::{self, Call, Entry, Refused, Thunks, Waiting};
use crate::state::runtime::{io, is_running, runtime, stderr, stdout};

unsafe extern "C" {
    /// Where thunks lead.
    fn leat_callback();
    /// The first thunks.
    fn leat_first_thunks();
    /// Where symbols of exported functions lead at first.
    fn leat_unexported();
}

/// The call on a stack of its own whose block compiled code has.
pub struct OnStack(&'static Call);

impl Word for OnStack {
    #[inline(always)]
    unsafe fn of(word: u64) -> OnStack {
        // SAFETY: compiled code has the block from `foreign_stack`.
        OnStack(unsafe { Call::of_block(word) })
    }
}

impl Word for Waiting {
    #[inline(always)]
    unsafe fn of(word: u64) -> Waiting {
        // SAFETY: compiled code has the state of a call in which C waits.
        unsafe { Waiting::of(word) }
    }
}

/// A call whose `errno` is wanted, or that is looked at; for others the stub does all of this. C may do all that is
/// C's: it is on a C stack of its own, and the SML thread waits in its stub. Nothing moves while it runs, for the
/// worker comes to no safepoint.
pub fn leat_foreign_go(mut here: Here, block: Block) {
    if block.flags() & block::IS_CHECKED != 0 {
        check::call(&mut here, block, || block.go());
    } else {
        block.go();
    }
}

/// Memory of C, all 0. Without it the program ends, as where the heap has no room.
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

/// The end of it.
fn free(at: u64) {
    // SAFETY: compiled code has it from here, and does not use it any more.
    unsafe { libc::free(at as *mut libc::c_void) }
}

/// Memory for a block of so many words.
pub fn leat_foreign_block(_: Here, words: usize) -> u64 {
    memory(8 * words) as u64
}

/// A copy of a string or a raw array.
pub fn leat_foreign_copy(here: Here, object: Text) -> u64 {
    let from = here.bytes(&object);
    let at = memory(from.len());
    // SAFETY: the new memory is as long as the object.
    unsafe { at.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
    at as u64
}

/// Begins the call on an OS thread: the job's number. The block is left alone until the job is done.
pub fn leat_foreign_begin(here: Here, block: Block) -> u64 {
    let pool = &runtime().events.pool;
    let waits_at = here.called_from();
    let call = move || {
        let before = WAITS_AT.replace(waits_at);
        block.go();
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

/// The end of a copy, whose bytes the object gets if that is asked for. The copy is what `foreign_copy` gave for it.
pub fn leat_foreign_back(here: Here, copy: u64, mut object: Text, changes: bool) {
    if changes {
        let to = here.bytes_mut(&mut object);
        // SAFETY: the copy is as long as the object.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(copy as *const u8, to.len()) };
    }
    free(copy);
}

/// The end of a block and its job, which is done.
pub fn leat_foreign_end(_: Here, block: u64, id: u64) {
    runtime().events.pool.drop_job(in_pool(id));
    free(block);
}

// -- C that calls SML

/// A stack with a block of so many words, all 0. The stub gives one that the worker has, if the block has no words for
/// the stack; what stands in its registers is left there.
pub fn leat_foreign_stack(mut here: Here, words: usize) -> u64 {
    let call = here.spare_call().take().or_else(reentry::take);
    let Some(call) = call.filter(|_| words <= reentry::MOST_WORDS) else {
        return here.raise(Builtin::OutOfMemory);
    };
    call.ticket.set(call.ticket.get() + 1);
    let block = call.block();
    // SAFETY: a stack that is taken is nobody else's, and has so many words above the call.
    unsafe { (block as *mut u64).write_bytes(0, words) };
    block
}

/// A call whose `errno` is wanted; for others the stub does all of this. On the stack of the block.
pub fn leat_foreign_enter(_: Here, block: Block) {
    block.go();
}

/// The call that is to go on has done so already: a continuation was used twice.
pub fn leat_foreign_resume(mut here: Here, _state: u64, _serial: u64) {
    here.raise_packet(went_on());
}

/// What is raised then.
fn went_on() -> u64 {
    static PACKET: OnceLock<u64> = OnceLock::new();
    *PACKET.get_or_init(|| exceptions::fail("a call of C goes on only once"))
}

/// The function that C wants.
pub fn leat_foreign_function(call: Waiting) -> u64 {
    let entry = call.entry();
    match entry.function.load(Ordering::SeqCst) {
        NONE => {
            let name = reentry::name(entry);
            fatal(null_mut(), &format!("C has called {name}, which was freed by `Foreign.free`"))
        }
        function => function,
    }
}

/// An exception was raised while C waits for SML: the first one of a call is kept, and C gets 0. `ticket`: the word
/// before the block as it was when the call began. 0 where C does not wait: the call is over, or it is another one, or
/// its continuation was used twice, which is what was raised.
pub fn leat_foreign_failed(_: Here, call: OnStack, ticket: u64, packet: u64) -> u64 {
    match call.0.waiting(ticket) {
        Some(call) if packet != went_on() => {
            call.no_result();
            call.keep(packet);
            call.state()
        }
        _ => 0,
    }
}

/// What an OS thread of C's has called has raised an exception, which returns to nobody who could handle it.
pub fn leat_foreign_report(here: Here, call: Waiting, packet: u64) {
    call.no_result();
    let (name, message) = here.describe(packet);
    let what = reentry::name(call.entry());
    let message = message.map_or(String::new(), |message| format!(" {message}"));
    let _ = stdout().flush();
    let text = format!("uncaught exception in {what}, which C has called: {name}{message}\n");
    let _ = stderr().print_now(text.as_bytes());
}

/// The end of a call that has returned: its stack is given back, and what is kept is raised. The stub has done it if
/// nothing is kept and the worker has no stack yet.
pub fn leat_foreign_leave(mut here: Here, call: OnStack) {
    let packet = call.0.packet.swap(NONE, Ordering::SeqCst);
    if packet != NONE {
        here.raise_packet(packet);
    }
    let spare = here.spare_call();
    if spare.is_none() {
        *spare = Some(call.0);
    } else {
        reentry::give_back(call.0);
    }
}

/// Makes a function known to C: the address of its code. A function that takes an address, one of type unit -> unit,
/// the address of a variable or 0, a text, what is said of its registers.
pub fn leat_foreign_export(mut here: Here, function: u64, served: u64, slot: u64, what: Text, traits: u64) -> u64 {
    let at = |code: unsafe extern "C" fn()| code as *const () as usize;
    let thunks = Thunks { first: at(leat_first_thunks), callback: at(leat_callback) };
    let code = match reentry::export(function, slot, &here.text(&what), traits, thunks) {
        Ok(code) => code,
        Err(Refused::NoMemory) => return here.raise(Builtin::OutOfMemory),
        Err(Refused::NotExecutable) => {
            static PACKET: OnceLock<u64> = OnceLock::new();
            let what = "the system lets no memory become executable, so C can call no more functions of SML";
            here.raise_packet(*PACKET.get_or_init(|| exceptions::fail(what)));
            return 0;
        }
    };
    if slot != 0 {
        // SAFETY: a variable that the driver has made for the export.
        unsafe { (slot as *mut u64).write(code) };
    }
    if runtime().callbacks.is_none() {
        runtime().callbacks.set(Ref::of(served));
    }
    HANDLED.fetch_or(CALLED, Ordering::SeqCst);
    code
}

/// C does not call the function of this address any more.
pub fn leat_foreign_free(mut here: Here, code: u64) {
    let (was_there, left) = reentry::free(code);
    if left == 0 {
        HANDLED.fetch_and(!CALLED, Ordering::SeqCst);
    }
    if !was_there {
        static PACKET: OnceLock<u64> = OnceLock::new();
        here.raise_packet(*PACKET.get_or_init(|| exceptions::fail("there is no callback of this address")));
    }
}

/// The state of the next call of an OS thread that is no worker, or 0.
pub fn leat_foreign_next(_: Here) -> u64 {
    reentry::next_request().map_or(0, Waiting::state)
}

/// That call is answered.
pub fn leat_foreign_answer(_: Here, call: Waiting) {
    call.answer();
}

/// C has called a function of SML, and no call that may be called back from is under way on this OS thread. Either
/// somebody has forgotten `reentrant`, or this OS thread is C's: it waits for a thread of SML that evaluates the
/// function.
///
/// Called by `leat_callback`, with an entry and the words that it has pushed.
#[unsafe(no_mangle)]
extern "C" fn leat_callback_outside(entry: &'static Entry, arguments: *mut u64) {
    let name = || reentry::name(entry);
    if RUNS_SML.get() {
        let message = format!("C has called {}, out of a function that is imported without `reentrant`", name());
        fatal(calling(), &message);
    }
    if reentry::is_forked() {
        let message = format!("C has called {}, in a fork of the process that has opened the library\n", name());
        let _ = write_all(2, message.as_bytes());
        // SAFETY: ends the process, and touches nothing of the runtime's.
        unsafe { libc::_exit(1) }
    }
    let call = Call::outside(arguments, Some(entry));
    let wake = || {
        PENDING.fetch_or(CALLED, Ordering::SeqCst);
        runtime().fibers.interrupt();
        runtime().events.io.wake_from_signal();
    };
    if !is_running() || !reentry::request(&call, wake) {
        fatal(null_mut(), &format!("C has called {}, but the program is over", name()));
    }
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
        unsafe { report::backtrace(tcb, &mut text) };
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
