//! What Leat itself prints: dumps on standard output, messages on standard error; outputs that are full or closed.
//!
//! The standard library's macros panic when an output takes nothing; here a lost dump is an error, and a lost message
//! is one that nobody wants to see.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints to standard output. Where that fails, Leat ends with exit code 1, as a program does that loses its output.
pub fn show(text: &str) {
    if let Err(error) = std::io::stdout().flush().and_then(|()| write(text.as_bytes())) {
        tell(&format!("leat: cannot write to standard output: {error}\n"));
        std::process::exit(1);
    }
}

/// To the descriptor itself: for the standard library, what is written to a closed one is written.
fn write(mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Prints to standard error.
pub fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Was standard output closed when the process began? Written before `main`, read by it.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
mod before_main {
    use super::{CLOSED, Ordering};

    extern "C" fn look() {
        CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }

    // The standard library puts `/dev/null` in the place of a closed descriptor before `main`: it must be seen before.
    // SAFETY: `.init_array` is an array of such functions; this one makes a system call and touches an atomic only.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}

/// Makes a standard output that was closed refuse what is written to it, so that a program's lost output is an error.
/// It stays open, else the next file that is opened would be the standard output. To be called first in `main`.
pub fn keep_closed_output_closed() {
    #[cfg(target_os = "linux")]
    if CLOSED.load(Ordering::Relaxed) {
        use rustix::fs::{Mode, OFlags, open};
        if let Ok(null) = open("/dev/null", OFlags::RDONLY, Mode::empty()) {
            let _ = rustix::stdio::dup2_stdout(&null);
        }
    }
}
