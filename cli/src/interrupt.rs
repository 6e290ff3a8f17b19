//! SIGINT, SIGTERM, SIGHUP -> a flag that whoever supervises processes looks at, and at the end the death that the
//! signal meant.
//!
//! What tests have started ends with them: each test's process is a group of its own, which no Ctrl-C at the terminal
//! reaches; and what leaves its group, as daemons do, becomes a child of this process, which ends it.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that came; 0 before one does.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From here on the signals are noted. What was started to survive its terminal (`nohup`, a job in the background of a
/// script) does, as before.
pub fn catch() {
    extern "C" fn note(signal: libc::c_int) {
        let _ = SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler stores an atomic and nothing else; the structures are plain data. SA_RESETHAND: a second
        // signal ends this process at once.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action = std::mem::zeroed();
            action.sa_sigaction = note as extern "C" fn(libc::c_int) as *const () as usize;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    #[cfg(target_os = "linux")]
    BEFORE.get_or_init(|| children().unwrap_or_default());
    #[cfg(target_os = "linux")]
    // SAFETY: a plain system call. Children whose parents end become this process's.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1 as libc::c_ulong);
    }
}

/// Children that were there before any test: who has become this program by `exec` may have started some.
#[cfg(target_os = "linux")]
static BEFORE: std::sync::OnceLock<Vec<libc::pid_t>> = std::sync::OnceLock::new();

/// Is the run to end?
pub fn is_wanted() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// Ends what has left its group: every child that there still is, when no test runs.
pub fn end_orphans() {
    #[cfg(target_os = "linux")]
    let others = || {
        let before = BEFORE.get();
        children().map(|all| all.into_iter().filter(|child| before.is_none_or(|it| !it.contains(child))).collect())
    };
    #[cfg(target_os = "linux")]
    // Those whose parents end by this become children in their turn.
    while let Some(children) = others().filter(|children: &Vec<_>| !children.is_empty()) {
        for child in children {
            // SAFETY: plain system calls; the process is a child that nobody has waited for, so the number is its own.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
        }
    }
}

/// The children of this process, of whichever of its threads.
#[cfg(target_os = "linux")]
fn children() -> Option<Vec<libc::pid_t>> {
    let me = std::process::id();
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else { continue };
        // The name, which may have any character in it, stands in parentheses; then the state, then the parent.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        if parent == Some(me) {
            found.push(number);
        }
    }
    Some(found)
}

/// Ends this process by the signal that came, so that whoever waits for it knows.
pub fn end_by_it() {
    let signal = SIGNAL.load(Ordering::Relaxed);
    if signal != 0 {
        // SAFETY: plain system calls; the signal's own meaning is back, see `catch`.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
