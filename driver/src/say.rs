//! What Leat itself prints: dumps on standard output, messages on standard error; outputs that are full or closed.
//!
//! The standard library's macros panic when an output takes nothing; here a lost dump is an error, and a lost message
//! is one that nobody wants to see.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// 128 and the number of SIGPIPE, as a program ends whose output nobody reads any more.
const BROKEN_PIPE: i32 = 141;

/// Prints to standard output. Where that fails, Leat ends as a program does that loses its output.
pub fn show(text: &str) {
    show_bytes(text.as_bytes());
}

/// Likewise what may be no UTF-8.
pub fn show_bytes(bytes: &[u8]) {
    if let Err(error) = std::io::stdout().flush().and_then(|()| write(bytes)) {
        std::process::exit(output_lost(&error));
    }
}

/// Says what has become of standard output. The answer is the exit code that follows from it: 1; where its reader has
/// ended, which is nothing to speak of (`leat check --dump=ast a.sml | head`), 141.
pub fn output_lost(error: &std::io::Error) -> i32 {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return BROKEN_PIPE;
    }
    tell(&format!("leat: cannot write to standard output: {error}\n"));
    1
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
