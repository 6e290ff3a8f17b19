//! What `--profile` asks for: a kind, and the file that takes the profile.

use std::str::FromStr;
use std::time::Instant;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProfileKind {
    Time,
    Wait,
    Alloc,
    Calls,
}

/// A kind, and the file that takes the profile: `time:prog.prof`. `threads`: each thread's stacks apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub kind: ProfileKind,
    pub threads: bool,
    pub file: String,
}

impl FromStr for Request {
    type Err = String;

    fn from_str(text: &str) -> Result<Request, String> {
        let (kind, file) = text.split_once(':').filter(|(_, file)| !file.is_empty()).ok_or_else(|| {
            format!("option --profile must name what to measure and a file, as in --profile=time:prog.prof, not {text}")
        })?;
        let (kind, threads) = match kind.strip_suffix(",threads") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let kind = match kind {
            "time" => ProfileKind::Time,
            "wait" => ProfileKind::Wait,
            "alloc" => ProfileKind::Alloc,
            "calls" => ProfileKind::Calls,
            other => return Err(format!("option --profile measures time, calls, wait or alloc, not {other}")),
        };
        Ok(Request { kind, threads, file: file.to_string() })
    }
}

/// The profile of a program that runs.
pub(super) struct Profile {
    pub request: Request,
    pub start: Instant,
    pub program: String,
}
