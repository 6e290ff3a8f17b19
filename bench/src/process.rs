//! A command -> what it printed and what it cost: fresh processes that are ended after a time, by Ctrl-C, or for printing
//! without end.
//!
//! The command runs below `launch.c`, which measures it, in a process group of its own, so that what it started ends with
//! it, and a Ctrl-C at the terminal reaches the lab only.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::place::Place;

/// Most that a command may print.
const MOST_OUTPUT: usize = 256 << 20;

/// A process that has ended well.
pub struct Done {
    /// Its standard output and error.
    pub output: String,
    pub errors: String,
    /// Seconds of CPU time, the kernel's on its behalf too.
    pub cpu: f64,
    /// The most memory that was resident, in KB.
    pub resident: f64,
    /// Nanoseconds from its start to its end.
    pub wall: f64,
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// One line.
    Because(String),
    /// Ctrl-C: nothing is said of the program.
    Interrupted,
}

impl From<String> for Failure {
    fn from(reason: String) -> Failure {
        Failure::Because(reason)
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first Ctrl-C ends the run and keeps what it has; the second one ends the lab.
pub fn catch_interrupts() {
    extern "C" fn note(_: libc::c_int) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the handler only stores an atomic; SA_RESETHAND gives the second one its own meaning again.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = note as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
    }
}

pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs copies of a command at one time. Each word of it stands as it is.
pub fn run(
    place: &Place,
    command: &[String],
    folder: Option<&Path>,
    seconds: u64,
    copies: usize,
) -> Result<Vec<Done>, Failure> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut started = Vec::new();
    for copy in 0..copies {
        started.push(start(place, command, folder, copy)?);
    }
    // All are waited for, so that none is left behind; the first failure is the answer.
    let mut done = Ok(Vec::new());
    for running in started {
        match (running.wait(command, deadline, seconds), &mut done) {
            (Ok(one), Ok(all)) => all.push(one),
            (Err(failure), Ok(_)) => done = Err(failure),
            (_, Err(_)) => {}
        }
    }
    done
}

struct Running {
    child: Child,
    pipes: Receiver<(usize, Result<Vec<u8>, String>)>,
    /// Where the launcher writes.
    costs: std::path::PathBuf,
}

fn start(place: &Place, command: &[String], folder: Option<&Path>, copy: usize) -> Result<Running, String> {
    let costs = place.out.join(format!("costs-{copy}"));
    let _ = std::fs::remove_file(&costs);
    let mut launch = Command::new(&place.launch);
    launch.arg(&costs).args(command).process_group(0);
    launch.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    launch.current_dir(folder.unwrap_or(&place.out));
    let mut child = launch.spawn().map_err(|e| format!("{}: {e}", place.launch.display()))?;
    let (send, pipes) = channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
    for (i, stream) in streams.into_iter().enumerate() {
        let send = send.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let Some(stream) = stream else { return };
            let read = stream.take(MOST_OUTPUT as u64).read_to_end(&mut bytes).map_err(|e| e.to_string());
            let _ = send.send((i, read.map(|_| bytes)));
        });
    }
    Ok(Running { child, pipes, costs })
}

impl Running {
    fn wait(mut self, command: &[String], deadline: Instant, seconds: u64) -> Result<Done, Failure> {
        let mut texts = [None, None];
        let mut ended: Option<(Option<ExitStatus>, Instant)> = None;
        while texts.iter().any(Option::is_none) || ended.is_none() {
            if interrupted() {
                self.kill();
                return Err(Failure::Interrupted);
            }
            if ended.is_none() && Instant::now() > deadline {
                self.kill();
                return Err(Failure::Because(format!("still running after {seconds} s")));
            }
            match self.pipes.recv_timeout(Duration::from_millis(20)) {
                Ok((_, Err(error))) => return Err(Failure::Because(error)),
                Ok((_, Ok(bytes))) if bytes.len() >= MOST_OUTPUT => {
                    self.kill();
                    return Err(Failure::Because(format!("printed more than {} MB", MOST_OUTPUT >> 20)));
                }
                Ok((i, Ok(bytes))) => texts[i] = Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(RecvTimeoutError::Timeout) => {}
                // Both have been read: now it only has to end.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
            if ended.is_none() {
                let status = self.child.try_wait().map_err(|e| e.to_string())?;
                ended = status.map(|status| (Some(status), Instant::now()));
            }
            // What it started may hold its output open for ever: it is ended, and what was printed is taken.
            let Some(for_long) = ended.map(|(_, at)| at.elapsed()) else { continue };
            if for_long > Duration::from_secs(2) {
                self.kill();
            }
            if for_long > Duration::from_secs(4) {
                break;
            }
        }
        let [output, errors] = texts.map(Option::unwrap_or_default);
        let name = command[0].rsplit('/').next().unwrap_or("").to_string();
        let costs = std::fs::read_to_string(&self.costs).unwrap_or_default();
        if let Some(error) = costs.strip_prefix("error ") {
            return Err(Failure::Because(format!("{name}: {}", error.trim())));
        }
        let numbers: Vec<f64> = costs.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [status, user, system, resident, wall] = numbers[..] else {
            return Err(Failure::Because(format!("{name}: its costs are not known: {}", costs.trim())));
        };
        let status = ExitStatus::from_raw(status as i32);
        if !status.success() {
            return Err(Failure::Because(format!("{status}{}", last_words(&errors, &output))));
        }
        Ok(Done { output, errors, cpu: (user + system) / 1e6, resident, wall })
    }

    /// The launcher and all that it started.
    fn kill(&mut self) {
        // SAFETY: the group is this child's own (`process_group(0)`); its number is not given to another as long as one of it lives.
        unsafe { libc::kill(-(self.child.id() as libc::pid_t), libc::SIGKILL) };
        let _ = self.child.wait();
    }
}

/// The line that most likely says what went wrong.
fn last_words(errors: &str, output: &str) -> String {
    let lines = || errors.lines().chain(output.lines()).map(str::trim).filter(|line| !line.is_empty());
    let telling = ["rror", "xception", "annot", "anic", "ault", "illed", "emory"];
    let line = lines().find(|line| telling.iter().any(|word| line.contains(word))).or_else(|| lines().next_back());
    line.map_or(String::new(), |line| format!(": {}", line.chars().take(160).collect::<String>()))
}
