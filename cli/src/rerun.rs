//! `leat run --watch`: the program's process -> ended and started again whenever a source changes.
//!
//! The process is this command once more, without the option. It is in our group: what is typed at the terminal, Ctrl-C
//! among it, is the program's.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use leat_driver::say::tell;
use rustix::process::{Pid, Signal};

use crate::interrupt;
use crate::watch::{PERIOD, SETTLE, Watch};

/// How long a program may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// Runs the program of these files until a signal ends it all.
pub fn run(files: &[PathBuf]) -> u8 {
    interrupt::catch();
    let mut watch = Watch::new(files);
    loop {
        watch.look();
        let mut child = match start() {
            Ok(child) => Some(child),
            Err(error) => {
                tell(&format!("leat: cannot start the program: {error}\n"));
                return 2;
            }
        };
        while !watch.has_changed() {
            if interrupt::is_wanted() {
                end(child.take());
                interrupt::end_by_it();
            }
            if let Some(status) = child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                child = None;
                tell(&format!("{}; waiting for a change (Ctrl-C ends)\n", how(status)));
            }
            std::thread::sleep(PERIOD);
        }
        std::thread::sleep(SETTLE);
        end(child);
    }
}

/// This command without `--watch`: it is ours, and so it stands before the program's own words.
fn start() -> std::io::Result<Child> {
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(at) = words.iter().position(|word| word == "--watch") {
        words.remove(at);
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words);
    leat_profile::end_with_parent(&mut command, libc::SIGTERM);
    command.spawn()
}

/// Ends the program, if it runs: by its own means, and if it does not, without them.
fn end(child: Option<Child>) {
    let Some(mut child) = child else { return };
    let _ = rustix::process::kill_process(Pid::from_child(&child), Signal::TERM);
    let begun = Instant::now();
    while begun.elapsed() < GRACE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => "the program has ended".to_string(),
        (Some(code), _) => format!("the program has ended with exit code {code}"),
        (None, signal) => format!("the program was ended by signal {}", signal.unwrap_or(0)),
    }
}
