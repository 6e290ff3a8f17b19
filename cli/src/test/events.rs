//! The lines of a test's process, as `lib/leat-test/reporter.sml` describes them -> events.

use std::fs::File;
use std::io::Read;

/// What a process tells.
#[derive(PartialEq, Eq, Debug)]
pub enum Event {
    /// Compilation is over.
    Compiled,
    /// After so many bytes of output.
    Begins {
        process: u64,
        number: usize,
        /// How many began before it, or before the test in which it is, while none was under way.
        outer: usize,
        printed: u64,
        name: String,
    },
    /// It takes random values.
    IsRandom {
        process: u64,
        number: usize,
    },
    Ends {
        process: u64,
        number: usize,
        verdict: Verdict,
        micros: u64,
        text: String,
    },
    /// The process runs with this seed.
    Seed {
        process: u64,
        seed: u64,
    },
    /// A thread has ended by an exception, and it began in no test that is under way.
    Died {
        process: u64,
        text: String,
    },
    /// The program has come to its end.
    Over {
        process: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Passed,
    Failed,
    Skipped,
}

/// The file that the process appends to.
pub struct Reader {
    file: File,
    /// A line whose end is not there yet.
    rest: Vec<u8>,
}

impl Reader {
    pub fn new(file: File) -> Reader {
        Reader { file, rest: Vec::new() }
    }

    /// What has come since the last call.
    pub fn read(&mut self) -> Vec<Event> {
        // What is there is there: an error is like no news.
        let _ = self.file.read_to_end(&mut self.rest);
        let mut events = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            events.extend(event(&String::from_utf8_lossy(&line[..end])));
        }
        events
    }
}

/// Nothing for a line that is none of the reporter's: a test may know the file's name.
fn event(line: &str) -> Option<Event> {
    let words: Vec<String> = line.split('\t').map(unescape).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let process = words.first()?.parse().ok()?;
    Some(match words[1..] {
        ["C"] => Event::Compiled,
        ["B", number, outer, printed, name] => Event::Begins {
            process,
            number: number.parse().ok()?,
            outer: outer.parse().ok()?,
            printed: printed.parse().ok()?,
            name: name.to_string(),
        },
        ["P", number] => Event::IsRandom { process, number: number.parse().ok()? },
        ["E", number, verdict, micros, text] => Event::Ends {
            process,
            number: number.parse().ok()?,
            verdict: match verdict {
                "passed" => Verdict::Passed,
                "failed" => Verdict::Failed,
                _ => Verdict::Skipped,
            },
            micros: micros.parse().unwrap_or(0),
            text: text.to_string(),
        },
        ["S", seed] => Event::Seed { process, seed: seed.parse().ok()? },
        ["X", text] => Event::Died { process, text: text.to_string() },
        ["Z", _] => Event::Over { process },
        _ => return None,
    })
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let ends = event("7\tE\t2\tfailed\t15\ta\\nb\\tc\\\\n");
        let text = "a\nb\tc\\n".to_string();
        assert_eq!(ends, Some(Event::Ends { process: 7, number: 2, verdict: Verdict::Failed, micros: 15, text }));
        assert_eq!(event("0000000007\tS\t12"), Some(Event::Seed { process: 7, seed: 12 }));
        assert_eq!(event("7\tP\t2"), Some(Event::IsRandom { process: 7, number: 2 }));
        assert_eq!(event("what a test writes"), None);
        assert_eq!(event("1\tB\tx\t0\ty"), None);
    }
}
