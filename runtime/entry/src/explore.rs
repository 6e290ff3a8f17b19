//! `--explore=N`: one run for each of the seeds 1 to N, in a process of its own -> which ones fail, and how often outputs differ.
//!
//! A run fails when its exit code is not 0, or when it is still running after some seconds of the processor's time. What it
//! printed is shown for the first failure, with the option that repeats it.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use crate::options::RuntimeOptions;

/// Seconds of the processor that one run may take.
const SECONDS: u64 = 20;

/// Runs everything; gives the exit code: 0, or that of the first run that failed.
pub fn run(options: &RuntimeOptions, mut once: impl FnMut(&RuntimeOptions) -> i32) -> i32 {
    let mut outputs: HashMap<Vec<u8>, (u64, u64)> = HashMap::new();
    let mut failed: Vec<(u64, i32)> = Vec::new();
    for seed in 1..=options.explore {
        let one = RuntimeOptions { sched_seed: Some(seed), explore: 0, ..options.clone() };
        let (output, status) = match in_child(&one, &mut once) {
            Ok(result) => result,
            Err(error) => {
                eprintln!("cannot start a process: {error}");
                return 1;
            }
        };
        if status != 0 {
            if failed.is_empty() {
                let _ = std::io::stderr().write_all(&output);
                eprintln!("seed {seed} fails: {}; --sched-seed={seed} repeats it", what(status));
            }
            failed.push((seed, status));
        }
        outputs.entry(output).or_insert((seed, 0)).1 += 1;
    }
    let count = options.explore;
    if let Some(&(_, status)) = failed.first() {
        let seeds: Vec<String> = failed.iter().take(20).map(|(seed, _)| seed.to_string()).collect();
        let more = if failed.len() > 20 { " .." } else { "" };
        eprintln!("{} of {count} seeds fail: {}{more}", failed.len(), seeds.join(" "));
        return if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 };
    }
    let mut kinds: Vec<(u64, u64)> = outputs.into_values().collect();
    kinds.sort_unstable();
    if kinds.len() > 1 {
        let seeds: Vec<String> = kinds.iter().take(20).map(|(seed, _)| seed.to_string()).collect();
        eprintln!("{count} seeds, none fails; {} different outputs, as with the seeds {}", kinds.len(), seeds.join(" "));
    } else {
        eprintln!("{count} seeds, none fails; all outputs are the same");
    }
    0
}

/// Runs once in a child; gives what it wrote to both standard streams, and its wait status.
fn in_child(options: &RuntimeOptions, once: &mut impl FnMut(&RuntimeOptions) -> i32) -> std::io::Result<(Vec<u8>, i32)> {
    let mut ends = [0; 2];
    // SAFETY: plain system calls. No other OS thread is needed by the child: the program's are started in it.
    unsafe {
        if libc::pipe(ends.as_mut_ptr()) < 0 {
            return Err(std::io::Error::last_os_error());
        }
        match libc::fork() {
            -1 => Err(std::io::Error::last_os_error()),
            0 => {
                libc::close(ends[0]);
                libc::dup2(ends[1], 1);
                libc::dup2(ends[1], 2);
                libc::close(ends[1]);
                let limit = libc::rlimit { rlim_cur: SECONDS, rlim_max: SECONDS };
                libc::setrlimit(libc::RLIMIT_CPU, &limit);
                libc::_exit(once(options) & 0xff)
            }
            child => {
                libc::close(ends[1]);
                let mut output = Vec::new();
                let read = std::fs::File::from_raw_fd(ends[0]).read_to_end(&mut output);
                let mut status = 0;
                while libc::waitpid(child, &mut status, 0) < 0 && crate::output::errno() == libc::EINTR {}
                read.map(|_| (output, status))
            }
        }
    }
}

/// A wait status for the user.
fn what(status: i32) -> String {
    if libc::WIFEXITED(status) {
        return format!("exit code {}", libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGXCPU | libc::SIGKILL => format!("still running after {SECONDS} seconds"),
        signal => format!("signal {signal}"),
    }
}
