//! One test file -> its process, watched until it ends or is ended -> what became of each test.
//!
//! ```text
//! start --events--> end by itself ----------------------------------> done
//!                   a test is under way: it is at fault --restart behind it--> start
//!                   silence, or output without end: told, then killed ------'
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use leat_debugger::process::padded;
use rustix::process::{Pid, Signal};

use super::child::CANNOT_TELL;
use super::discover::TestFile;
use super::events::{Event, Reader, Verdict};
use super::plan::{Plan, quoted};
use crate::interrupt;

/// Most bytes that a test file may print.
const MOST_OUTPUT: u64 = 64 << 20;
/// How long a process that hangs may take at most to tell where its threads are.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How often one looks whether it has.
const LOOKS: Duration = Duration::from_millis(5);
/// The exit code of a program in which `--race` found something.
const RACES: i32 = 66;
/// Most lines of a process's output that are shown with one test.
const SHOWN_LINES: usize = 40;

/// What became of a file.
pub struct Outcome {
    pub path: String,
    pub tests: Vec<Test>,
    /// What is wrong beside the tests: it does not compile, ends too early.
    pub trouble: Option<String>,
    /// The trouble is what `--race` found.
    pub has_races: bool,
    /// What its processes printed.
    pub output: String,
    pub took: Duration,
}

/// What became of a test.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub verdict: Verdict,
    pub took: Duration,
    /// Why it failed.
    pub text: String,
    /// The first seed with which it did.
    pub seed: Option<u64>,
}

impl Outcome {
    pub fn count(&self, verdict: Verdict) -> usize {
        self.tests.iter().filter(|test| test.verdict == verdict).count()
    }

    pub fn is_well(&self) -> bool {
        self.trouble.is_none() && self.count(Verdict::Failed) == 0
    }
}

/// Runs a file's tests.
pub fn run(plan: &Plan, file: &TestFile) -> Outcome {
    let start = Instant::now();
    let path = file.path.display().to_string();
    let (trouble, output, took) = (None, String::new(), Duration::ZERO);
    let mut outcome = Outcome { path, tests: Vec::new(), trouble, has_races: false, output, took };
    let mut first = 0;
    loop {
        match Process::start(plan, file, first).and_then(|process| process.watch(plan, first)) {
            Ok(part) => {
                outcome.tests.extend(part.tests.into_iter().map(|mut test| {
                    test.text.push_str(&debugging(plan, &outcome.path, test.seed));
                    test
                }));
                outcome.output.push_str(&part.output);
                outcome.trouble = part.trouble.map(|text| text + &debugging(plan, &outcome.path, part.seed));
                outcome.has_races = part.has_races;
                match part.restart {
                    Some(next) if next > first => first = next,
                    _ => break,
                }
            }
            Err(message) => {
                outcome.trouble = Some(message);
                break;
            }
        }
    }
    outcome.took = start.elapsed();
    outcome
}

/// The command that opens the debugger in the run with this seed, as a line.
fn debugging(plan: &Plan, path: &str, seed: Option<u64>) -> String {
    let Some(seed) = seed else { return String::new() };
    let mut words =
        vec!["leat test --debug".to_string(), format!("--sched-seed={seed}"), format!("--seed={}", plan.seed)];
    words.extend(plan.repeated.iter().cloned());
    words.push(quoted(path));
    format!("\n`{}` stops where it fails, and goes back from there", words.join(" "))
}

/// The variable that names the file for what a process of tests tells.
pub const REPORT: &str = "LEAT_TEST_REPORT";

/// The other variables that it finds in its environment. `first`: the number of the first test that it is to run.
pub fn environment(plan: &Plan, first: usize) -> Vec<(&'static str, String)> {
    let flag = |on: bool| if on { "1".to_string() } else { "0".to_string() };
    vec![
        ("LEAT_TEST_FILTER", plan.filter.clone()),
        ("LEAT_TEST_SEED", plan.seed.to_string()),
        ("LEAT_TEST_BLESS", flag(plan.bless)),
        ("LEAT_TEST_EXPLORE", flag(plan.explore)),
        ("LEAT_TEST_FIRST", first.to_string()),
    ]
}

/// What a file of tests is compiled with, in order.
pub fn inputs(file: &TestFile) -> Result<Vec<PathBuf>, String> {
    Ok(file.project.clone()?.into_iter().chain([file.path.clone()]).collect())
}

/// What one process did.
#[derive(Default)]
struct Part {
    tests: Vec<Test>,
    trouble: Option<String>,
    has_races: bool,
    output: String,
    /// With which seed the trouble comes.
    seed: Option<u64>,
    /// The process ended in the test before this one.
    restart: Option<usize>,
}

struct Process {
    child: Child,
    /// What it prints.
    output: File,
    events: Reader,
    /// Where its events are on disk, while it runs.
    report: Option<tempfile::TempPath>,
}

/// A file for events, by which name the process finds it, and, if it is on disk, what removes it. Memory where the
/// system has files of memory: a full disk is no trouble of a test's.
fn file_for_events() -> std::io::Result<(File, PathBuf, Option<tempfile::TempPath>)> {
    if let Some(file) = file_of_memory() {
        let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
        if File::options().append(true).open(&path).is_ok() {
            return Ok((file, path, None));
        }
    }
    let (file, path) = tempfile::Builder::new().prefix("leat-test-").tempfile()?.into_parts();
    Ok((file, path.to_path_buf(), Some(path)))
}

fn file_for_output() -> std::io::Result<File> {
    file_of_memory().map_or_else(tempfile::tempfile, Ok)
}

fn file_of_memory() -> Option<File> {
    #[cfg(target_os = "linux")]
    return rustix::fs::memfd_create("leat-test", rustix::fs::MemfdFlags::CLOEXEC).ok().map(File::from);
    #[cfg(not(target_os = "linux"))]
    None
}

impl Process {
    fn start(plan: &Plan, file: &TestFile, first: usize) -> Result<Process, String> {
        let inputs = inputs(file)?;
        let trouble = |what: &str, error: std::io::Error| format!("{what}: {error}");
        let leat = std::env::current_exe().map_err(|error| trouble("cannot find Leat itself", error))?;
        let made = || file_for_events().and_then(|events| Ok((events, file_for_output()?)));
        let ((events, path, report), output) = made().map_err(|error| trouble("cannot make a scratch file", error))?;
        let both = || output.try_clone().map_err(|error| trouble("cannot share a scratch file", error));
        let mut command = Command::new(leat);
        command.arg("test-file").args(&plan.runtime).args(&plan.compile).args(&plan.foreign).args(inputs);
        command
            .env(REPORT, padded(&path))
            .envs(environment(plan, first))
            .stdin(Stdio::null())
            .stdout(both()?)
            .stderr(both()?)
            // A test that signals its process's group reaches its own, and whoever it has started ends with it.
            .process_group(0);
        leat_profile::end_with_parent(&mut command, libc::SIGKILL);
        let child = command.spawn().map_err(|error| trouble("cannot start a process", error))?;
        Ok(Process { child, output, events: Reader::new(events), report })
    }

    /// Follows the process to its end.
    fn watch(mut self, plan: &Plan, first: usize) -> Result<Part, String> {
        let main = (!plan.explore).then(|| u64::from(self.child.id()));
        let mut seen = Seen { main, ..Seen::default() };
        let mut news = Instant::now();
        let (mut ended, mut hangs) = (None, false);
        let mut pause = Duration::from_millis(1);
        // What is told behind its end counts for nothing: the signals that end a process may end what a test waits for,
        // too.
        let mut late = false;
        let status = loop {
            let status = self.child.try_wait().map_err(|error| format!("cannot wait for a process: {error}"))?;
            let printed = self.output.metadata().map_or(0, |data| data.len());
            for event in self.events.read().into_iter().filter(|_| !late) {
                news = Instant::now();
                seen.take(event);
            }
            if let Some(status) = status {
                break status;
            }
            if interrupt::is_wanted() {
                self.signal(Signal::KILL);
            }
            if ended.is_none() && seen.compiled && news.elapsed() > plan.patience {
                let seconds = plan.patience.as_secs();
                (ended, hangs) = (Some(format!("it hangs: no end after {seconds} s (--timeout)")), true);
                late = true;
                seen.note_alive();
                // The process itself tells where its threads are. Its children would die of the signal, and its tests
                // go on.
                self.signal_process(Signal::QUIT);
                self.wait_for_threads(printed);
                self.signal(Signal::KILL);
            } else if ended.is_none() && printed > MOST_OUTPUT {
                ended = Some(format!("it has printed more than {} MB", MOST_OUTPUT >> 20));
                late = true;
                seen.note_alive();
                self.signal(Signal::KILL);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        // What it has started ends with it.
        self.signal(Signal::KILL);
        let last = self.printed_from(0);
        for event in self.events.read().into_iter().filter(|_| !late) {
            seen.take(event);
        }
        if let Some(report) = self.report.take() {
            let _ = report.close();
        }
        let words = |from: u64| {
            let text = &last[(from as usize).min(last.len())..];
            if hangs { excerpt(&threads_of(text)) } else { excerpt(text) }
        };
        let output = |to: u64| String::from_utf8_lossy(&last[..(to as usize).min(last.len())]).into_owned();
        Ok(seen.part((plan, first), status, ended, &words, &output))
    }

    fn signal_process(&self, signal: Signal) {
        if let Some(process) = Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process(process, signal);
        }
    }

    /// Waits until the report of SIGQUIT stands whole behind this place of the output, or the process has ended.
    fn wait_for_threads(&mut self, place: u64) {
        let end = Instant::now() + LAST_WORDS;
        let (mut place, mut line) = (place, Vec::new());
        while Instant::now() < end && !interrupt::is_wanted() && matches!(self.child.try_wait(), Ok(None)) {
            let news = self.printed_from(place);
            place += news.len() as u64;
            line.extend_from_slice(&news);
            if has_threads(&line) {
                return;
            }
            // What follows may belong to the last line.
            let whole = line.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            line.drain(..whole);
            std::thread::sleep(LOOKS);
        }
    }

    /// To the process and whatever it has started.
    fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    fn printed_from(&mut self, place: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ = self.output.seek(SeekFrom::Start(place));
        let _ = (&self.output).take(MOST_OUTPUT).read_to_end(&mut bytes);
        bytes
    }
}

/// What a process and those that it explores in have told so far.
#[derive(Default)]
struct Seen {
    compiled: bool,
    over: bool,
    /// The process of the program, where it is one: the end of a child that a test has forked is not the program's.
    main: Option<u64>,
    /// What threads that began in no test under way have ended by, and with which seed: the first that was told of.
    died: Option<(Option<u64>, Vec<String>)>,
    /// Of processes that run by chance.
    seeds: HashMap<u64, u64>,
    tests: Vec<Runs>,
    /// Which of `tests` has a name, that of which it is the n-th in its process. Threads begin tests in any order, so
    /// their numbers mean nothing in another process.
    known: HashMap<(String, usize), usize>,
    /// Of each process, how often it has begun a test of a name.
    begun: HashMap<u64, HashMap<String, usize>>,
    /// Of each process, the tests that are under way, by their numbers: those of several threads, and tests in tests.
    open: BTreeMap<u64, BTreeMap<usize, Open>>,
    /// The processes that were there when all were ended.
    alive: Option<HashSet<u64>>,
}

/// A test that is under way.
struct Open {
    /// Which of the tests.
    test: usize,
    /// As in [`Event::Begins`].
    outer: usize,
    /// How much was printed before it.
    printed: u64,
    /// It takes random values.
    random: bool,
}

/// The runs of one test: one, or as many as are explored.
#[derive(Default)]
struct Runs {
    name: String,
    begun: u64,
    failed: u64,
    skipped: bool,
    took: Duration,
    /// Why the one with the smallest seed failed. Processes end in any order.
    first: Option<(Option<u64>, String)>,
}

impl Runs {
    fn fail(&mut self, seed: Option<u64>, text: String) {
        self.failed += 1;
        if self.first.as_ref().is_none_or(|first| seed < first.0) {
            self.first = Some((seed, text));
        }
    }
}

impl Seen {
    /// All processes are about to be ended. A test that was under way in one that has gone before did not end by that.
    fn note_alive(&mut self) {
        let lives = |process: u64| {
            Pid::from_raw(process as i32).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        };
        self.alive = Some(self.open.keys().copied().filter(|&process| lives(process)).collect());
    }

    fn seed(&self, process: u64) -> Option<u64> {
        self.seeds.get(&process).copied()
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Compiled => self.compiled = true,
            Event::Over { process } => self.over |= self.main.is_none_or(|main| main == process),
            Event::Seed { process, seed } => {
                // Another process may have had the number.
                self.begun.remove(&process);
                self.seeds.insert(process, seed);
            }
            Event::Died { process, text } => {
                let seed = self.seed(process);
                let (first, texts) = self.died.get_or_insert_with(|| (seed, Vec::new()));
                if *first == seed {
                    texts.push(text);
                }
            }
            Event::Begins { process, number, outer, printed, name } => {
                let before = self.begun.entry(process).or_default().entry(name.clone()).or_default();
                let test = *self.known.entry((name.clone(), *before)).or_insert(self.tests.len());
                *before += 1;
                if test == self.tests.len() {
                    self.tests.push(Runs { name, ..Runs::default() });
                }
                self.tests[test].begun += 1;
                self.open.entry(process).or_default().insert(number, Open { test, outer, printed, random: false });
            }
            Event::IsRandom { process, number } => {
                if let Some(open) = self.open.get_mut(&process).and_then(|open| open.get_mut(&number)) {
                    open.random = true;
                }
            }
            Event::Ends { process, number, verdict, micros, text } => {
                let Some(open) = self.open.get_mut(&process).and_then(|open| open.remove(&number)) else { return };
                let seed = self.seed(process);
                let runs = &mut self.tests[open.test];
                runs.took += Duration::from_micros(micros);
                runs.skipped = verdict == Verdict::Skipped;
                if verdict == Verdict::Failed {
                    runs.fail(seed, text);
                }
            }
        }
    }

    /// `end`: why the process was ended, if it was; `words`: what was printed from a place on; `output`: up to a place.
    fn part(
        mut self,
        (plan, first): (&Plan, usize),
        status: ExitStatus,
        end: Option<String>,
        words: &dyn Fn(u64) -> String,
        output: &dyn Fn(u64) -> String,
    ) -> Part {
        let mut part = Part { output: output(u64::MAX), ..Part::default() };
        let open: Vec<(u64, Open)> = std::mem::take(&mut self.open)
            .into_iter()
            .flat_map(|(process, open)| open.into_values().map(move |open| (process, open)))
            .collect();
        for (process, Open { test, printed, random, .. }) in &open {
            let seed = self.seed(*process);
            let was_gone = self.alive.as_ref().is_some_and(|alive| !alive.contains(process));
            let runs = &mut self.tests[*test];
            let why = match &end {
                Some(_) if was_gone => "it has ended its process".to_string(),
                Some(why) if plan.explore => format!("{why}; no further interleaving was tried"),
                Some(why) => why.clone(),
                None if plan.explore => "it has ended its process".to_string(),
                // By OS.Process.exit, by a deadlock, or since the main thread has ended.
                None if self.over => format!("the program has ended in it: {}", what(status)),
                None => format!("it has ended its process: {}", what(status)),
            };
            let mut text = if plan.explore { why } else { with(&why, &words(*printed)) };
            // A property that fails says so itself.
            if *random {
                text.push_str(&format!("\n--seed={} repeats it", plan.seed));
            }
            runs.fail(seed, text);
        }
        if !plan.explore && !open.is_empty() {
            part.restart = open.iter().map(|(_, open)| open.outer + 1).min();
            // What was printed since then has been shown.
            part.output = output(open.iter().map(|(_, open)| open.printed).min().unwrap_or(0));
        }
        let failed = self.tests.iter().any(|runs| runs.failed > 0);
        let explained = plan.explore && failed;
        let is_first = plan.filter.is_empty() && first == 0;
        part.trouble = match end {
            _ if !open.is_empty() => None,
            Some(why) => Some(with(&why, &words(0))),
            _ if status.code() == Some(CANNOT_TELL.into()) => Some(part.output.trim_end().to_string()),
            _ if !self.compiled => Some(with("it does not compile", part.output.trim_end())),
            _ if !self.over => Some(with(&format!("it has ended outside of a test: {}", what(status)), &words(0))),
            _ if self.died.is_some() => self.died.as_ref().map(|(_, texts)| texts.join("\n")),
            _ if !explained && !status.success() => {
                part.has_races = plan.race && status.code() == Some(RACES);
                Some(with(&what(status), &words(0)))
            }
            _ if self.tests.is_empty() && is_first => Some("it has no tests, or it ends before them".to_string()),
            _ => None,
        };
        let explored = part.output.lines().filter(|line| is_explorers(line)).map(str::to_string).collect::<Vec<_>>();
        let failing = explored.iter().find_map(|line| line.strip_prefix("seed ")?.split_once(' ')?.0.parse().ok());
        let died = self.died.as_ref().and_then(|died| died.0);
        part.seed = died.or(failing).or(plan.sched_seed.filter(|_| first == 0)).filter(|_| self.compiled);
        // Which seeds fail says nothing of one of several tests.
        let is_alone = self.tests.iter().filter(|runs| runs.failed > 0).count() == 1;
        for runs in self.tests {
            let verdict = match (runs.failed, runs.skipped) {
                (0, false) => Verdict::Passed,
                (0, true) => Verdict::Skipped,
                _ => Verdict::Failed,
            };
            let (seed, mut text) = runs.first.unwrap_or_default();
            // A process that does not begin with the first test runs another way.
            let seed = seed.or(plan.sched_seed.filter(|_| first == 0 && verdict == Verdict::Failed));
            if plan.explore && verdict == Verdict::Failed {
                let failed = runs.failed;
                text = format!("in {failed} of {} interleavings:\n{text}", runs.begun);
                if is_alone {
                    text.push_str(&format!("\n{}", explored.join("\n")));
                }
            }
            part.tests.push(Test { name: runs.name, verdict, took: runs.took, text, seed });
        }
        if plan.explore {
            // The rest has been told test by test.
            part.output.clear();
        }
        part
    }
}

/// Lines of `--explore` about which seeds fail.
fn is_explorers(line: &str) -> bool {
    line.contains(" seeds fail: ") || (line.starts_with("seed ") && line.contains("--sched-seed="))
}

/// A message, and below it what was printed.
fn with(message: &str, printed: &str) -> String {
    if printed.is_empty() { message.to_string() } else { format!("{message}\n{printed}") }
}

/// The report of SIGQUIT without its last lines, which are figures of the whole process.
fn threads_of(text: &[u8]) -> Vec<u8> {
    let is_figure = |line: &&[u8]| leat_driver::REPORT_FIGURES.iter().any(|word| line.starts_with(word.as_bytes()));
    text.split_inclusive(|&byte| byte == b'\n').filter(|line| !is_figure(line)).flatten().copied().collect()
}

/// Whether that report is there as a whole: its figures are its end.
fn has_threads(text: &[u8]) -> bool {
    let last = leat_driver::REPORT_FIGURES.last().map_or("", |word| word);
    text.split_inclusive(|&byte| byte == b'\n').any(|line| line.starts_with(last.as_bytes()) && line.ends_with(b"\n"))
}

/// The last lines of what was printed.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let hidden = lines.len().saturating_sub(SHOWN_LINES);
    let head = if hidden > 0 { format!("... ({hidden} lines)\n") } else { String::new() };
    head + &lines[hidden..].join("\n")
}

/// How a process ended, for a user.
fn what(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(RACES), _) => "exit code 66, which --race gives when there are races".to_string(),
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(9)) => "signal 9 (KILL); the system may have no memory left".to_string(),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::has_threads;

    /// A report of many threads once was cut off where it stood half a second later, and was none.
    #[test]
    fn a_report_is_whole_with_its_last_figures() {
        let text =
            b"printed\n1 thread\nthread 1: sleeping\nscheduler: workers 1\ncollector: minor 0\nwaiting: timers 1\n";
        assert!(has_threads(text));
        assert!((0..text.len()).all(|length| !has_threads(&text[..length])));
    }
}
