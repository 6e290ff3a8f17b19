//! Signals: a lost reader is an error and no death; interruption ends cleanly with 130; a crash says what happened.
//!
//! The handlers call only what a handler may call: `write`, `_exit`, and the outputs' try-lock.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::output::write_all;
use crate::runtime::{stderr, stdout};

/// An interruption is being served; the next one does not wait for it.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Bytes of the stack on which a crash is reported.
const CRASH_STACK: usize = 32 << 10;

/// What was there before [`install`].
pub struct Installed {
    interrupt: Option<libc::sigaction>,
    fault: [libc::sigaction; 2],
    pipe: libc::sigaction,
    crash_stack: *mut libc::c_void,
}

/// Installs the handlers for the run of a program.
pub fn install() -> Installed {
    install_with(interrupted)
}

/// Likewise, with a handler of one's own for interruptions.
pub fn install_with(interrupted: extern "C" fn(i32)) -> Installed {
    INTERRUPTED.store(false, Ordering::Relaxed);
    // SAFETY: the handlers have the signatures that their flags say; structures are plain data.
    unsafe {
        let pipe = set(libc::SIGPIPE, libc::SIG_IGN, 0);
        let handler = interrupted as extern "C" fn(i32) as usize;
        let mut interrupt = Some(set(libc::SIGINT, handler, libc::SA_NODEFER));
        if let Some(old) = interrupt.filter(|old| old.sa_sigaction == libc::SIG_IGN) {
            // Started in the background by a shell, or under nohup: stays so.
            libc::sigaction(libc::SIGINT, &old, core::ptr::null_mut());
            interrupt = None;
        }
        let crash_stack = crash_stack();
        let flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let handler = crashed as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        let fault = [set(libc::SIGSEGV, handler, flags), set(libc::SIGBUS, handler, flags)];
        Installed { interrupt, fault, pipe, crash_stack }
    }
}

/// The calling OS thread, which runs SML code, gets a stack for crash reports.
pub fn crash_stack() -> *mut libc::c_void {
    let memory = Box::leak(vec![0u8; CRASH_STACK].into_boxed_slice()).as_mut_ptr().cast();
    let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: CRASH_STACK };
    // SAFETY: the memory is never freed while the thread may use it.
    unsafe { libc::sigaltstack(&stack, core::ptr::null_mut()) };
    memory
}

impl Installed {
    /// Puts back what was there before.
    pub fn restore(self) {
        // SAFETY: these came from `sigaction`; the crash stack is switched off before it is freed.
        unsafe {
            let null = core::ptr::null_mut();
            if let Some(old) = self.interrupt {
                libc::sigaction(libc::SIGINT, &old, null);
            }
            libc::sigaction(libc::SIGSEGV, &self.fault[0], null);
            libc::sigaction(libc::SIGBUS, &self.fault[1], null);
            libc::sigaction(libc::SIGPIPE, &self.pipe, null);
            let off = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            libc::sigaltstack(&off, core::ptr::null_mut());
            drop(Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.crash_stack.cast::<u8>(), CRASH_STACK)));
        }
    }
}

unsafe fn set(signal: i32, handler: usize, flags: i32) -> libc::sigaction {
    // SAFETY: the caller's handler fits the flags.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        let mut old: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigaction(signal, &action, &mut old);
        old
    }
}

extern "C" fn interrupted(_signal: i32) {
    if !INTERRUPTED.swap(true, Ordering::SeqCst) {
        stdout().flush_from_signal();
        stderr().flush_from_signal();
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(130) };
}

extern "C" fn crashed(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel gives the information.
    let address = unsafe { (*info).si_addr() } as usize;
    stdout().flush_from_signal();
    let mut line = [0u8; 160];
    let mut len = 0;
    let mut put = |bytes: &[u8]| {
        line[len..len + bytes.len()].copy_from_slice(bytes);
        len += bytes.len();
    };
    put(b"the program crashed: ");
    put(if signal == libc::SIGSEGV { b"invalid memory access" } else { b"bus error" });
    put(b" at 0x");
    for shift in (0..16).rev() {
        put(&[b"0123456789abcdef"[(address >> (4 * shift)) & 15]]);
    }
    put(b" (a stack used up by foreign code, Unsafe, or a bug of Leat)\n");
    let _ = write_all(2, &line[..len]);
    // SAFETY: the default action, taken when the instruction is tried again, ends the process as a crash.
    unsafe {
        set(signal, libc::SIG_DFL, 0);
    }
}
