//! `--explore=N`: one run for each of the seeds 1 to N, in a process of its own -> which ones fail, and how often outputs differ.
//!
//! The program is compiled once; each run is a fork of this process, and as many go on at once as there are processors.
//! A run fails when its exit code is not 0, when an exception that nobody handles has ended one of its threads, or when
//! it is still running after some seconds of the processor's time, or much longer asleep. What it printed is shown for
//! the first failure, with the option that repeats it. The last line says what was explored: at which points of the
//! program another thread could go on, and how often one did.
//!
//! A run is to be the one that `--sched-seed` repeats. So each has standard input for itself, from where it stands now:
//! a file is opened once more, and what comes through a pipe is read to its end first. And the clock that bounds a run
//! is this process's, since a process has one alarm, which may be the program's.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileTypeExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use leat_fiber::Explored;

use crate::service::system::pidfd;
use crate::state::options::RuntimeOptions;
use crate::state::output::errno;

/// Seconds of the processor that one run may take.
const SECONDS: u64 = 20;

/// Seconds by the clock: one that takes longer waits for what does not come.
const ASLEEP: Duration = Duration::from_secs(120);

/// Where the system does not tell of a run's end, it is looked at so often.
const NAP: Duration = Duration::from_millis(2);

/// After so long without anything at a pipe the runs share it; or the user is told what is waited for.
const SILENCE: Duration = Duration::from_secs(1);

/// Most bytes that are read of a pipe.
const MOST: usize = 64 << 20;

/// A run that goes on.
struct Run {
    seed: u64,
    child: libc::pid_t,
    began: Instant,
    /// What it writes to both standard streams.
    output: File,
    /// What it tells beside its exit code.
    told: Told,
}

/// What the runs have as standard input.
enum Input {
    /// That of this process: a terminal or another device, or nothing.
    Common,
    /// Each its own descriptor of this file, which begins there.
    Own(File, u64),
    /// Each for itself what this file has, which a pipe or a socket gave.
    Read(File),
}

impl Input {
    fn new() -> std::io::Result<Input> {
        let Ok(mut file) = std::io::stdin().as_fd().try_clone_to_owned().map(File::from) else {
            return Ok(Input::Common);
        };
        let kind = file.metadata()?.file_type();
        if kind.is_file() {
            let start = file.stream_position()?;
            return Ok(Input::Own(file, start));
        }
        if !kind.is_fifo() && !kind.is_socket() {
            return Ok(Input::Common);
        }
        // A pipe that nobody writes to or closes: perhaps the program does not read it.
        if poll_read(0, SILENCE.as_millis() as i32) == 0 {
            eprintln!("--explore: nothing comes on standard input, so the runs share it");
            return Ok(Input::Common);
        }
        let mut all = nameless_file()?;
        keep(&mut file, &mut all)?;
        Ok(Input::Read(all))
    }

    /// For one run. None: the common one, also where the system opens no descriptor's file anew.
    fn open(&self) -> std::io::Result<Option<File>> {
        let anew = |file: &File| File::open(format!("/proc/self/fd/{}", file.as_raw_fd()));
        match self {
            Input::Common => Ok(None),
            Input::Own(file, start) => {
                let Ok(mut own) = anew(file) else { return Ok(None) };
                own.seek(SeekFrom::Start(*start))?;
                Ok(Some(own))
            }
            Input::Read(all) => match anew(all) {
                Ok(own) => Ok(Some(own)),
                Err(_) => {
                    let (mut all, mut copy) = (all, nameless_file()?);
                    all.rewind()?;
                    std::io::copy(&mut all, &mut copy)?;
                    copy.rewind()?;
                    Ok(Some(copy))
                }
            },
        }
    }
}

/// Reads a pipe or a socket to its end, into a file. Says what it waits for when the writer is slow, and leaves the
/// rest of an endless one.
fn keep(input: &mut File, all: &mut File) -> std::io::Result<()> {
    let mut room = vec![0; 64 << 10];
    let (mut length, mut is_told) = (0, false);
    loop {
        if poll_read(0, SILENCE.as_millis() as i32) == 0 {
            if !is_told {
                eprintln!("--explore: reads standard input to its end first");
                is_told = true;
            }
            continue;
        }
        let count = match input.read(&mut room) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => continue,
            Err(error) => return Err(error),
        };
        let kept = count.min(MOST - length);
        all.write_all(&room[..kept])?;
        length += kept;
        if kept < count {
            eprintln!("--explore: standard input goes on after {} MB: the runs get these", MOST >> 20);
            return Ok(());
        }
    }
}

/// A word that a run shares with the process that started it: is not zero when an exception has ended a thread.
struct Told(*mut AtomicU32);

impl Told {
    fn new() -> std::io::Result<Told> {
        Ok(Told(share(size_of::<AtomicU32>())?.cast()))
    }

    fn is_thread_dead(&self) -> bool {
        // SAFETY: a mapping of this size, which goes with `self`.
        unsafe { (*self.0).load(Ordering::Relaxed) != 0 }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made.
        unsafe { libc::munmap(self.0.cast(), size_of::<AtomicU32>()) };
    }
}

/// In a run's own process: its word; null elsewhere.
static TOLD: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());

/// What is done first with each seed.
static BEGINS: OnceLock<fn(u64)> = OnceLock::new();

/// From now on each seed is told to this function, in the process that runs with it, before the program begins. The
/// first such function stays.
pub fn at_each_seed(begins: fn(u64)) {
    let _ = BEGINS.set(begins);
}

/// What is said below the first seed that fails.
static ADVICE: OnceLock<String> = OnceLock::new();

/// From now on this line is told when a seed fails: the command that goes to such a failure in a debugger. The first
/// one stays.
pub fn advise(line: String) {
    let _ = ADVICE.set(line);
}

/// An exception that nobody handles ends a thread that is not the main one.
pub fn note_dead_thread() {
    // SAFETY: null, or a mapping that stays as long as this process.
    if let Some(told) = unsafe { TOLD.load(Ordering::Relaxed).as_ref() } {
        told.store(1, Ordering::Relaxed);
    }
}

/// Where the runs of this process and its children count; null while nothing is explored.
static COUNTS: AtomicPtr<Explored> = AtomicPtr::new(core::ptr::null_mut());

/// What the runs that are explored count into.
pub fn counts() -> Option<&'static Explored> {
    // SAFETY: null, or a mapping that stays.
    unsafe { COUNTS.load(Ordering::Relaxed).as_ref() }
}

/// Memory that the children share with this process: zeros at first.
fn share(size: usize) -> std::io::Result<*mut libc::c_void> {
    let both = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping.
    let page = unsafe { libc::mmap(core::ptr::null_mut(), size, both, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0) };
    if page == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(page) }
}

/// Runs everything; gives the exit code: 0, or that of the first run that failed. `watched`: see [`crate::Program`].
pub fn run(options: &RuntimeOptions, watched: bool, once: impl FnMut(&RuntimeOptions) -> i32) -> i32 {
    match share(size_of::<Explored>()) {
        Ok(page) => COUNTS.store(page.cast(), Ordering::Relaxed),
        Err(error) => {
            eprintln!("no memory to share with a process: {error}");
            return 1;
        }
    }
    let code = run_seeds(options, once);
    let Some(counts) = counts() else { return code };
    let [points, accesses, switches] =
        [&counts.points, &counts.accesses, &counts.switches].map(|count| count.load(Ordering::Relaxed));
    let (seeds, safepoints) = (options.explore, points - accesses);
    if watched {
        eprintln!(
            "explored: {seeds} seeds; threads switched {switches} times, and could before each of {accesses} loads and \
             stores of references and arrays, and at {safepoints} safepoints"
        );
    } else {
        eprintln!(
            "explored: {seeds} seeds; threads switched {switches} times, and could at {safepoints} safepoints only, not \
             between a load and a store (leat run --explore does that)"
        );
    }
    code
}

fn run_seeds(options: &RuntimeOptions, mut once: impl FnMut(&RuntimeOptions) -> i32) -> i32 {
    let mut outputs: HashMap<Vec<u8>, (u64, u64)> = HashMap::new();
    let mut failed: Vec<(u64, i32)> = Vec::new();
    let input = match Input::new() {
        Ok(input) => input,
        Err(error) => {
            eprintln!("cannot read standard input: {error}");
            return 1;
        }
    };
    let at_once = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut running: VecDeque<Run> = VecDeque::new();
    let mut next = 1;
    loop {
        while next <= options.explore && running.len() < at_once {
            let one = RuntimeOptions { sched_seed: Some(next), explore: 0, trace: None, ..options.clone() };
            match start(next, &one, &input, &running, &mut once) {
                Ok(run) => running.push_back(run),
                Err(error) => {
                    eprintln!("cannot start a process: {error}");
                    return 1;
                }
            }
            next += 1;
        }
        let Some(run) = running.pop_front() else { break };
        let seed = run.seed;
        let (output, ended) = match run.end() {
            Ok(result) => result,
            Err(error) => {
                eprintln!("cannot read what a process wrote: {error}");
                return 1;
            }
        };
        if let Some(failure) = ended {
            if failed.is_empty() {
                let _ = std::io::stderr().write_all(&output);
                eprintln!("seed {seed} fails: {}; --sched-seed={seed} repeats it", failure.why);
                if let Some(advice) = ADVICE.get() {
                    eprintln!("{advice}");
                }
            }
            failed.push((seed, failure.code));
        }
        outputs.entry(output).or_insert((seed, 0)).1 += 1;
    }
    let count = options.explore;
    if let Some(&(_, code)) = failed.first() {
        let seeds: Vec<String> = failed.iter().take(20).map(|(seed, _)| seed.to_string()).collect();
        let more = if failed.len() > 20 { " .." } else { "" };
        eprintln!("{} of {count} seeds fail: {}{more}", failed.len(), seeds.join(" "));
        return code;
    }
    let mut kinds: Vec<(u64, u64)> = outputs.into_values().collect();
    kinds.sort_unstable();
    if kinds.len() > 1 {
        let seeds: Vec<String> = kinds.iter().take(20).map(|(seed, _)| seed.to_string()).collect();
        eprintln!(
            "{count} seeds, none fails; {} different outputs, as with the seeds {}",
            kinds.len(),
            seeds.join(" ")
        );
    } else {
        eprintln!("{count} seeds, none fails; all outputs are the same");
    }
    0
}

/// Starts a run in a child, which has no descriptors but those that a run by `--sched-seed` has.
fn start(
    seed: u64,
    options: &RuntimeOptions,
    input: &Input,
    others: &VecDeque<Run>,
    once: &mut impl FnMut(&RuntimeOptions) -> i32,
) -> std::io::Result<Run> {
    let (own_input, output, told) = (input.open()?, nameless_file()?, Told::new()?);
    let parent = std::process::id();
    // SAFETY: plain system calls. No other OS thread is needed by the child: the program's are started in it.
    unsafe {
        match libc::fork() {
            -1 => Err(std::io::Error::last_os_error()),
            0 => {
                end_with(parent);
                let common = match input {
                    Input::Common => None,
                    Input::Own(file, _) | Input::Read(file) => Some(file),
                };
                if let Some(own) = &own_input {
                    libc::dup2(own.as_raw_fd(), 0);
                }
                libc::dup2(output.as_raw_fd(), 1);
                libc::dup2(output.as_raw_fd(), 2);
                for file in others.iter().map(|run| &run.output).chain([&output]).chain(&own_input).chain(common) {
                    libc::close(file.as_raw_fd());
                }
                let limit = libc::rlimit { rlim_cur: SECONDS, rlim_max: SECONDS };
                libc::setrlimit(libc::RLIMIT_CPU, &limit);
                TOLD.store(told.0, Ordering::Relaxed);
                if let Some(begins) = BEGINS.get() {
                    begins(seed);
                }
                libc::_exit(once(options) & 0xff)
            }
            child => Ok(Run { seed, child, began: Instant::now(), output, told }),
        }
    }
}

/// This process ends when its parent does: nobody would read what it finds.
fn end_with(parent: u32) {
    #[cfg(target_os = "linux")]
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have ended before.
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
}

impl Run {
    /// Waits for its end: what it wrote, and why it failed, if it did.
    fn end(mut self) -> std::io::Result<(Vec<u8>, Option<Failure>)> {
        let (status, is_asleep) = self.wait();
        let mut text = Vec::new();
        self.output.rewind()?;
        self.output.read_to_end(&mut text)?;
        let failure = match status {
            0 if self.told.is_thread_dead() => {
                Some(Failure { why: "an exception ended a thread".to_string(), code: 1 })
            }
            0 => None,
            _ if libc::WIFEXITED(status) => Some(Failure { why: what(status), code: libc::WEXITSTATUS(status) }),
            _ if is_asleep => {
                Some(Failure { why: format!("still waiting after {} seconds", ASLEEP.as_secs()), code: 1 })
            }
            _ => Some(Failure { why: what(status), code: 1 }),
        };
        Ok((text, failure))
    }

    /// Its wait status, and whether its time was over: then it is killed.
    fn wait(&self) -> (libc::c_int, bool) {
        let (mut status, mut is_asleep) = (0, false);
        loop {
            let how = if is_asleep { 0 } else { libc::WNOHANG };
            // SAFETY: room for the status.
            match unsafe { libc::waitpid(self.child, &mut status, how) } {
                0 => {}
                -1 if errno() == libc::EINTR => continue,
                _ => return (status, is_asleep),
            }
            let left = ASLEEP.saturating_sub(self.began.elapsed());
            if left.is_zero() {
                // SAFETY: a plain system call, for a child that nobody has waited for.
                unsafe { libc::kill(self.child, libc::SIGKILL) };
                is_asleep = true;
            } else {
                until_end(self.child, left);
            }
        }
    }
}

/// Waits until a descriptor can be read; 0: it could not within so many milliseconds.
fn poll_read(fd: i32, time: libc::c_int) -> libc::c_int {
    let mut set = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live entry.
    unsafe { libc::poll(&mut set, 1, time) }
}

/// Waits until a child ends, or for this time; may come back for no reason.
fn until_end(child: libc::pid_t, time: Duration) {
    match pidfd(child) {
        Ok(fd) => _ = poll_read(fd.as_raw_fd(), time.as_millis() as i32 + 1),
        Err(_) => std::thread::sleep(time.min(NAP)),
    }
}

/// A run that failed.
struct Failure {
    why: String,
    /// The exit code of the whole, if this is the first.
    code: i32,
}

/// A file that is gone when the last process has closed it. A pipe would have to be read while the run goes on.
fn nameless_file() -> std::io::Result<File> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = format!("leat-explore-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
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
