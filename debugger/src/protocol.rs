//! What the debugger and the process of the program say to each other: a JSON object a line, over a socket of their
//! own.
//!
//! ```text
//! debugger                               process of the program
//!    | ---- Start: what to compile ---------> |
//!    | <--- Compiled, or Failed ------------- |
//!    | ---- Go: where to stop --------------> |  runs
//!    | <--- Stopped ------------------------- |
//!    | ---- Threads, Frames, Describe, .. --> |  stands still, and answers
//!    | ---- Go -----------------------------> |  runs
//!    | <--- Asks ---------------------------- |  the break points have changed: waits at a probe
//!    | ---- Stops: where to stop -----------> |  runs on
//!    | <--- Ended --------------------------- |
//! ```
//!
//! Commands are numbered, and each event has the number of the command that was read last. So an answer that nobody
//! waited for is known as one to an older question.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Sources by name.
pub type Texts = BTreeMap<String, String>;

/// What is to be compiled, and how it is run.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Start {
    pub inputs: Vec<String>,
    pub name: String,
    pub arguments: Vec<String>,
    /// Where it runs, if not where it is compiled.
    pub folder: Option<String>,
    pub seed: u64,
    /// Not 0: nothing is debugged; the program is run with so many seeds.
    pub explore: u64,
    pub inserted: Vec<Insert>,
    /// What the debugger has begun with; nothing at the first time. What is on disk may be another text by now.
    pub texts: Texts,
}

/// `leat_driver::probes::Inserted`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub struct Insert {
    pub at: ScopePlace,
    pub number: u32,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub struct ScopePlace {
    pub file: String,
    pub start: u32,
    pub end: u32,
}

/// Where the program may be stopped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Site {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub scope: u32,
    /// The first one of a function's body, or of a rule's.
    pub is_entry: bool,
    pub function: String,
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: String,
    /// Something that was inserted under this number.
    pub inserted: Option<u32>,
    /// An `open` may have brought another one of its name.
    pub is_doubtful: bool,
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Scope {
    pub around: Option<u32>,
    pub variables: Vec<Variable>,
    /// Names of scopes around that are no variables any more.
    pub hides: Vec<String>,
    /// Any variable of the scopes around may be hidden.
    pub opens: bool,
    pub is_global: bool,
    pub at: ScopePlace,
}

/// Where the program is to stop, wherever it goes.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Stops {
    pub breaks: Vec<Break>,
    /// Every exception, also those that are handled.
    pub raised: bool,
    /// Exceptions that nobody handles, and those that make a test fail.
    pub uncaught: bool,
}

/// How the program goes on.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Go {
    pub stops: Stops,
    /// The exception that is raised behind the probe where the program stands has been told of.
    pub told: bool,
    pub mode: Mode,
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Break {
    pub site: u32,
    /// The number of an inserted expression of type bool.
    pub condition: Option<u32>,
    /// Only every so manieth time, counted over all sites of the break point.
    pub hits: Option<Hits>,
    /// Which break point of the user's it is.
    pub id: u32,
    /// It writes this instead of stopping.
    pub log: Option<Vec<Log>>,
}

/// Which times count.
#[derive(Clone, Copy, Serialize, Deserialize, PartialEq, Eq, Debug)]
pub enum Hits {
    Exactly(u64),
    From(u64),
    Every(u64),
}

#[derive(Clone, Serialize, Deserialize, PartialEq, Eq, Debug)]
pub enum Log {
    Text(String),
    /// The value of an inserted expression.
    Inserted(u32),
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Mode {
    #[default]
    Run,
    /// A step of a thread.
    Step { thread: u64, way: Way },
    /// Nowhere but at this probe.
    Target { count: u64 },
    /// Runs to this probe, and finds the one before it where a step of the thread would have begun.
    FindStep { thread: u64, until: u64 },
    /// Runs to this probe, and finds the last one at which a break point stops; that may be this one.
    FindBreak { until: u64 },
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Way {
    In,
    Over,
    Out,
}

/// What the shared word asks of the next probe that is passed; 0: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pause {
    Stop = 1,
    /// To take up break points that have changed.
    Renew = 2,
}

/// A command with its number, or an event with that of the last command.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Numbered<T> {
    pub number: u64,
    pub what: T,
}

/// To the process of the program.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub enum Command {
    Go(Go),
    /// The answer to [`Event::Asks`].
    Stops(Stops),
    Threads,
    Frames {
        thread: u64,
        most: usize,
    },
    Describe(Describe),
}

/// A variable, or a part of it.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Describe {
    pub thread: u64,
    pub frame: usize,
    pub scope: u32,
    pub variable: i64,
    pub path: Vec<i64>,
    pub first: i64,
    pub length: i64,
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Thread {
    pub id: u64,
    pub name: Option<String>,
    pub is_main: bool,
    pub does: String,
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Frame {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub is_library: bool,
    pub scope: Option<u32>,
    /// As it is counted in [`Describe::frame`].
    pub index: usize,
    /// Counted from the outermost frame, which is 0.
    pub depth: usize,
}

/// A value as it is shown.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Value {
    pub text: String,
    pub ty: String,
    /// How many parts it has, and whether they are numbered.
    pub parts: u64,
    pub is_indexed: bool,
}

/// A part of a value: its name, itself.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Part {
    pub name: String,
    pub index: i64,
    pub value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Reason {
    Break,
    Step,
    Pause,
    /// The target of [`Mode::Target`].
    Target,
    Raised,
    Uncaught,
    /// An exception that makes a test fail.
    Failed,
    Deadlock,
}

/// From the process of the program.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub enum Event {
    Compiled {
        sites: Vec<Site>,
        scopes: Vec<Scope>,
        /// Those that were read, if [`Start::texts`] has none.
        texts: Texts,
    },
    Failed {
        message: String,
    },
    Stopped(Stopped),
    /// The process was told that the break points have changed. It waits for them, and goes on.
    Asks,
    /// What [`Mode::FindStep`] or [`Mode::FindBreak`] has found.
    Found {
        count: Option<u64>,
    },
    Threads(Vec<Thread>),
    Frames {
        frames: Vec<Frame>,
        more: bool,
    },
    Described {
        value: Value,
        parts: Vec<Part>,
    },
    Refused {
        message: String,
    },
    /// What a log point writes.
    Log {
        text: String,
        site: u32,
        /// How much the program had written to standard output and to standard error.
        written: [u64; 2],
    },
    Ended {
        code: i32,
    },
}

#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Stopped {
    pub reason: Reason,
    /// What is to be said of it: an exception, a deadlock.
    pub text: String,
    pub thread: u64,
    /// How many probes were passed.
    pub count: u64,
    /// The place, at a probe: then variables can be looked at.
    pub site: Option<u32>,
    /// Of break points: which.
    pub ids: Vec<u32>,
}
