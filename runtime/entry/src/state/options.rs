//! The options of the runtime: words of `leat run` before the program, or of the variable `LEAT_RUN` ->
//! [`RuntimeOptions`].
//!
//! `LEAT_RUN="--gc-log --nursery=8M" ./program`. A bad option is a message for the caller to print, with exit code 2.

use leat_io::Backend;

use crate::profile::request::Request;

/// How a program is to be run. Sizes in bytes; 0 leaves the choice to the runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeOptions {
    /// The program is a library of C. No option says this.
    pub library: bool,
    /// Nursery of each worker.
    pub nursery: usize,
    /// Most bytes that the heap may have.
    pub heap_max: usize,
    /// Nanoseconds that a collection may take, as a goal; 0: each one does all of its work at once.
    pub pause: u64,
    /// Where pauses have a goal: mark on a thread of the collector's, too, if there is a core for it.
    pub gc_thread: bool,
    /// Thousandths of what lives that the heap may have.
    pub spend: usize,
    /// Most bytes that it is to have, as long as that can be had by collecting more often.
    pub heap_soft: usize,
    /// Object alignment: 8, 16 or 32. A built program has its own compiled in.
    pub align: usize,
    /// A line on stderr for each collection.
    pub gc_log: bool,
    /// What the collector did, told at the end: on stderr if the file's name is empty.
    pub gc_summary: Option<String>,
    /// Collect at every n-th allocation that asks the runtime; 0 for never.
    pub gc_stress: u64,
    /// Check the heap before and after each collection.
    pub gc_verify: bool,
    /// Workers that run SML code.
    pub workers: usize,
    /// Stack lanes.
    pub lanes: usize,
    /// Threads change their worker at random.
    pub scatter: bool,
    /// Most bytes of a thread's stack: see [`RuntimeOptions::stack`].
    pub stack: usize,
    /// Virtual time.
    pub fake_clock: bool,
    /// Deterministic mode: what decides who runs when.
    pub sched_seed: Option<u64>,
    /// Runs the program with so many seeds, and tells which ones fail; 0: an ordinary run.
    pub explore: u64,
    /// Looks for races.
    pub race: bool,
    /// File for a trace.
    pub trace: Option<String>,
    /// What is measured, and the file for it.
    pub profile: Option<Request>,
    /// What waits for descriptors.
    pub backend: Backend,
    /// Words of SML/NJ's and MLton's runtimes are taken from the program's own: see [`super::foreign_words`].
    pub runtime_words: bool,
}

impl Default for RuntimeOptions {
    fn default() -> Self {
        RuntimeOptions {
            nursery: 0,
            heap_max: 0,
            pause: 0,
            gc_thread: false,
            spend: 0,
            heap_soft: 0,
            align: 8,
            gc_log: false,
            gc_summary: None,
            gc_stress: 0,
            gc_verify: false,
            workers: 1,
            lanes: 0,
            scatter: false,
            stack: 0,
            fake_clock: false,
            sched_seed: None,
            explore: 0,
            race: false,
            trace: None,
            profile: None,
            backend: Backend::default(),
            runtime_words: false,
            library: false,
        }
    }
}

/// Most workers that may be asked for.
pub const MAX_WORKERS: usize = leat_fiber::worker::MAX_WORKERS;

/// One line for each option, for help texts.
pub const HELP: &[(&str, &str)] = &[
    ("--nursery=SIZE", "bytes of each worker's nursery, like 512K or 8M"),
    ("--heap-max=SIZE", "most bytes of heap; more ends the program with a clear message"),
    ("--pause=MS", "how many milliseconds a collection may take, as a goal, like 1 or 0.5; 0 for none"),
    ("--gc-thread", "with --pause: mark on a thread beside the program, if a core is free (experimental)"),
    ("--spend=FACTOR", "how much memory the heap may take, in multiples of what lives, like 1.5 or 8"),
    ("--heap-soft=SIZE", "most bytes that the heap is to have, as long as collecting more often helps"),
    ("--align=8|16|32", "alignment of objects (leat run; for leat build it is a build option)"),
    ("--gc-log", "a line on stderr for each collection"),
    ("--gc-summary[=FILE]", "what the collector did, when the program has ended"),
    ("--gc-stress[=N]", "collect at every N-th allocation"),
    ("--gc-verify", "check the heap before and after each collection"),
    ("--workers=N|auto", "OS threads that run SML threads (default 1)"),
    ("--lanes=N", "stacks that threads share"),
    ("--stack=SIZE", "most bytes of a thread's stack (default 1G); more raises StackOverflow"),
    ("--scatter", "threads change their worker at random, for tests of what they share"),
    ("--fake-clock", "virtual time: sleeping takes none"),
    (
        "--sched-seed=N",
        "who runs when is a function of the seed, down to single loads and stores; time is virtual; one worker",
    ),
    ("--explore=N", "run with the seeds 1 to N, and tell which of them fails"),
    ("--race", "tell of loads and stores by two threads that nothing orders; exit code 66 if there are any"),
    ("--trace=FILE", "what threads and workers do, for the trace viewers of Chrome and Perfetto"),
    ("--profile=KIND:FILE", "what is measured (time, calls, wait or alloc), and the file for `leat profile --load`"),
    ("--io-backend=epoll|poll|kqueue", "what waits for descriptors, where the platform has it"),
    ("--runtime-words", "take @SMLalloc=… and @MLton … -- from the program's words, as SML/NJ and MLton do"),
];

impl RuntimeOptions {
    /// Most bytes of a thread's stack. Go and OCaml have the same default: endless recursion comes to it within a
    /// second or so, and a recursion ten million deep has 107 bytes a frame.
    pub fn stack(&self) -> usize {
        if self.stack > 0 { self.stack } else { 1 << 30 }
    }

    /// Takes one word. `Ok(false)`: it is no option of the runtime.
    pub fn take(&mut self, word: &str) -> Result<bool, String> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let need = || {
            value
                .filter(|v| !v.is_empty())
                .ok_or_else(|| format!("option {name} needs a value, as in {}", example(name)))
        };
        let none = || match value {
            Some(_) => Err(format!("option {name} takes no value")),
            None => Ok(true),
        };
        match name {
            "--nursery" => self.nursery = size(name, need()?, 64 << 10)?,
            "--heap-max" => self.heap_max = size(name, need()?, 1 << 20)?,
            "--pause" => self.pause = milliseconds(name, need()?)?,
            "--gc-thread" => self.gc_thread = none()?,
            "--spend" => self.spend = factor(name, need()?)?,
            "--heap-soft" => self.heap_soft = size(name, need()?, 1 << 20)?,
            "--stack" => self.stack = size(name, need()?, 64 << 10)?,
            "--align" => {
                self.align = match need()? {
                    "8" => 8,
                    "16" => 16,
                    "32" => 32,
                    other => return Err(format!("option --align must be 8, 16 or 32, not {other}")),
                }
            }
            "--gc-log" => self.gc_log = none()?,
            "--gc-summary" => self.gc_summary = Some(value.unwrap_or_default().to_string()),
            "--runtime-words" => self.runtime_words = none()?,
            "--gc-verify" => self.gc_verify = none()?,
            "--race" => self.race = none()?,
            "--scatter" => self.scatter = none()?,
            "--fake-clock" => self.fake_clock = none()?,
            "--sched-seed" => self.sched_seed = Some(number(name, need()?, 0, u64::MAX)?),
            "--explore" => self.explore = number(name, need()?, 1, 1 << 32)?,
            "--gc-stress" => self.gc_stress = if value.is_some() { number(name, need()?, 0, u64::MAX)? } else { 1 },
            "--workers" if value == Some("auto") => {
                self.workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(MAX_WORKERS)
            }
            "--workers" => self.workers = number(name, need()?, 1, MAX_WORKERS as u64)? as usize,
            "--lanes" => self.lanes = number(name, need()?, 1, (1 << 16) - 1)? as usize,
            "--profile" => self.profile = Some(need()?.parse()?),
            "--trace" => self.trace = Some(need()?.to_string()),
            "--io-backend" => {
                self.backend = Backend::by_name(need()?).map_err(|e| format!("option --io-backend: {e}"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes all words of a text like that of `LEAT_RUN`.
    pub fn take_all(&mut self, text: &str) -> Result<(), String> {
        for word in text.split_ascii_whitespace() {
            if !self.take(word)? {
                return Err(format!("unknown option {word}"));
            }
        }
        self.check()
    }

    /// Refuses options that contradict each other. After the last word.
    pub fn check(&self) -> Result<(), String> {
        let seeded = if self.explore > 0 { "--explore" } else { "--sched-seed" };
        if self.by_chance() && self.workers > 1 {
            return Err(format!(
                "options {seeded} and --workers={} exclude each other: a seed decides everything on one worker, and \
                 nothing decides which of two workers is faster",
                self.workers
            ));
        }
        Ok(())
    }

    /// Refuses what only a program in memory can do.
    pub fn check_built(&self) -> Result<(), String> {
        match self.race {
            true => Err("a built program does not say what it loads and stores: leat run --race".to_string()),
            false => Ok(()),
        }
    }

    /// Whether a seed decides who runs when.
    pub fn by_chance(&self) -> bool {
        self.explore > 0 || self.sched_seed.is_some()
    }
}

fn example(name: &str) -> &'static str {
    HELP.iter().find(|(text, _)| text.split(['=', '[']).next() == Some(name)).map_or("--name=value", |(text, _)| text)
}

fn number(name: &str, text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        Ok(_) => Err(format!("option {name} must be between {least} and {most}, not {text}")),
        Err(_) => Err(format!("option {name} must be a number, not {text}")),
    }
}

/// Milliseconds, with a point perhaps -> nanoseconds.
fn milliseconds(name: &str, text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(ms) if ms == 0.0 || (0.1..=1000.0).contains(&ms) => Ok((ms * 1e6) as u64),
        Ok(_) => Err(format!("option {name} must be 0, or between 0.1 and 1000 milliseconds, not {text}")),
        Err(_) => Err(format!("option {name} must be a number of milliseconds, not {text}")),
    }
}

/// How much memory may be spent, in multiples of what lives -> thousandths.
fn factor(name: &str, text: &str) -> Result<usize, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor == 0.0 || (1.1..=1000.0).contains(&factor) => Ok((factor * 1000.0).round() as usize),
        Ok(_) => Err(format!("option {name} must be 0, or between 1.1 and 1000, not {text}")),
        Err(_) => Err(format!("option {name} must be a number like 1.5 or 8, not {text}")),
    }
}

/// A number with K, M, G or T behind it (powers of 1024).
pub(crate) fn size(name: &str, text: &str, least: usize) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        Some(b'T') => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(1 << shift)).filter(|n| *n < 1 << 47);
    match bytes {
        Some(n) if n >= least => Ok(n),
        Some(_) => Err(format!("option {name} must be at least {}K, not {text}", least >> 10)),
        None => Err(format!("option {name} must be a size like 512K or 8M, not {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_options() {
        let mut options = RuntimeOptions::default();
        options
            .take_all(
                "--gc-log --nursery=8M  --workers=2 --gc-stress --align=16 --heap-max=1G --fake-clock --spend=1.5 \
                 --heap-soft=64M",
            )
            .unwrap();
        let mut seeded = RuntimeOptions::default();
        seeded.take_all("--sched-seed=7 --explore=3").unwrap();
        assert_eq!((seeded.sched_seed, seeded.explore), (Some(7), 3));
        let expected = RuntimeOptions {
            gc_log: true,
            nursery: 8 << 20,
            workers: 2,
            gc_stress: 1,
            align: 16,
            heap_max: 1 << 30,
            spend: 1500,
            heap_soft: 64 << 20,
            fake_clock: true,
            ..RuntimeOptions::default()
        };
        assert_eq!(options, expected);
        assert_eq!(options.take("prog.sml"), Ok(false));
    }

    #[test]
    fn bad_options_say_what_is_wrong() {
        let table = [
            ("--nursery", "option --nursery needs a value, as in --nursery=SIZE"),
            ("--nursery=", "option --nursery needs a value, as in --nursery=SIZE"),
            ("--nursery=1K", "option --nursery must be at least 64K, not 1K"),
            ("--nursery=big", "option --nursery must be a size like 512K or 8M, not big"),
            ("--heap-max=99999999999T", "option --heap-max must be a size like 512K or 8M, not 99999999999T"),
            ("--heap-max=é", "option --heap-max must be a size like 512K or 8M, not é"),
            ("--workers=0", "option --workers must be between 1 and 64, not 0"),
            ("--workers=two", "option --workers must be a number, not two"),
            ("--align=12", "option --align must be 8, 16 or 32, not 12"),
            ("--spend=1", "option --spend must be 0, or between 1.1 and 1000, not 1"),
            ("--spend=50%", "option --spend must be a number like 1.5 or 8, not 50%"),
            ("--heap-soft=1K", "option --heap-soft must be at least 1024K, not 1K"),
            ("--gc-log=yes", "option --gc-log takes no value"),
            (
                "--explore=9 --workers=2",
                "options --explore and --workers=2 exclude each other: a seed decides everything on one worker, and \
                 nothing decides which of two workers is faster",
            ),
            ("--nonsense", "unknown option --nonsense"),
            ("hello", "unknown option hello"),
        ];
        for (text, message) in table {
            assert_eq!(RuntimeOptions::default().take_all(text), Err(message.to_string()));
        }
    }
}
