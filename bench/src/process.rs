//! A command -> what it printed and what it cost: fresh processes that are ended after a time, by Ctrl-C, or for
//! printing without end.
//!
//! The command runs below `launch.c`, which measures it, in a process group of its own, so that what it started ends
//! with it, and a Ctrl-C at the terminal reaches the lab only.

use std::io::{ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::place::Lab;

/// Most that a command may print.
const MOST_OUTPUT: usize = 256 << 20;

/// A process that has ended well.
#[derive(Clone, Debug)]
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

/// The signal that ends the run; 0 before there is one. The handler writes it once.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The first Ctrl-C ends the run and keeps what it has; the second one ends the lab. SIGTERM and SIGHUP (the terminal
/// was closed) do the same, but what was started to survive its terminal (`nohup`) does.
pub fn catch_interrupts() {
    extern "C" fn note(signal: libc::c_int) {
        let _ = SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only stores an atomic; SA_RESETHAND gives the second one its own meaning again.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action);
            if signal == libc::SIGHUP && action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action = std::mem::zeroed();
            action.sa_sigaction = note as extern "C" fn(libc::c_int) as usize;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

pub fn interrupted() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// The name of the signal that ended the run, and the exit code that says so to a shell.
pub fn interruption() -> Option<(&'static str, u8)> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        libc::SIGHUP => Some(("SIGHUP", 129)),
        libc::SIGINT => Some(("SIGINT", 130)),
        _ => Some(("SIGTERM", 143)),
    }
}

/// Runs copies of a command at one time. Each word of it stands as it is.
pub fn run(
    place: &Lab,
    command: &[String],
    folder: Option<&Path>,
    seconds: u64,
    copies: usize,
) -> Result<Vec<Done>, Failure> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut started: Vec<Running> = Vec::new();
    for copy in 0..copies {
        match start(place, command, folder, copy) {
            Ok(running) => started.push(running),
            Err(reason) => {
                started.iter_mut().for_each(Running::kill);
                return Err(reason.into());
            }
        }
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

/// What a stream of a program has given so far. A thread of its own fills it; the lab takes it when the program has
/// ended.
#[derive(Default)]
struct Stream {
    bytes: Mutex<Vec<u8>>,
    /// Nobody reads on.
    is_left: AtomicBool,
}

impl Stream {
    /// To the end, which may be never: what a program started may hold its output open.
    fn collect(&self, mut from: impl Read) -> Result<(), String> {
        let mut buffer = vec![0; 64 << 10];
        while !self.is_left.load(Ordering::Relaxed) {
            let count = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.to_string()),
            };
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            bytes.extend_from_slice(&buffer[..count]);
            if bytes.len() >= MOST_OUTPUT {
                return Err(format!("printed more than {} MB", MOST_OUTPUT >> 20));
            }
        }
        Ok(())
    }

    fn take(&self) -> String {
        self.is_left.store(true, Ordering::Relaxed);
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

struct Running {
    child: Child,
    /// Output and errors.
    streams: [Arc<Stream>; 2],
    /// Each stream's end.
    ends: Receiver<Result<(), String>>,
    /// Where the launcher writes.
    costs: std::path::PathBuf,
}

fn start(place: &Lab, command: &[String], folder: Option<&Path>, copy: usize) -> Result<Running, String> {
    let costs = place.out.join(format!("costs-{copy}"));
    let _ = std::fs::remove_file(&costs);
    let mut launch = Command::new(&place.launch);
    launch.arg(&costs).args(command).process_group(0);
    launch.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    launch.current_dir(folder.unwrap_or(&place.out));
    let mut child = launch.spawn().map_err(|e| format!("{}: {e}", place.launch.display()))?;
    let (send, ends) = channel();
    let streams: [Arc<Stream>; 2] = Default::default();
    let pipes: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
    for (pipe, stream) in pipes.into_iter().flatten().zip(&streams) {
        let (send, stream) = (send.clone(), stream.clone());
        std::thread::spawn(move || send.send(stream.collect(pipe)));
    }
    Ok(Running { child, streams, ends, costs })
}

impl Running {
    fn wait(mut self, command: &[String], deadline: Instant, seconds: u64) -> Result<Done, Failure> {
        let result = self.end(deadline, seconds);
        if result.is_err() {
            self.kill();
        }
        let [output, errors] = self.streams.each_ref().map(|stream| stream.take());
        result?;
        self.done(command, output, errors)
    }

    /// Until it has ended and all that it printed has been read.
    fn end(&mut self, deadline: Instant, seconds: u64) -> Result<(), Failure> {
        let mut open = self.streams.len();
        let mut ended: Option<Instant> = None;
        while open > 0 || ended.is_none() {
            if interrupted() {
                return Err(Failure::Interrupted);
            }
            if ended.is_none() && Instant::now() > deadline {
                return Err(Failure::Because(format!("still running after {seconds} s")));
            }
            match self.ends.recv_timeout(Duration::from_millis(20)) {
                Ok(end) => {
                    end?;
                    open -= 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Both have been read: now it only has to end.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
            if ended.is_none() {
                let status = self.child.try_wait().map_err(|e| e.to_string())?;
                ended = status.map(|_| Instant::now());
            }
            // What it started may hold its output open for ever: it is ended, or, in a session of its own, left; what
            // was printed is taken.
            let Some(for_long) = ended.map(|at| at.elapsed()) else { continue };
            if for_long > Duration::from_secs(2) {
                self.kill();
            }
            if for_long > Duration::from_secs(4) {
                break;
            }
        }
        Ok(())
    }

    fn done(&self, command: &[String], output: String, errors: String) -> Result<Done, Failure> {
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
        // SAFETY: the group is this child's own (`process_group(0)`); its number is not given to another as long as one
        // of it lives.
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
