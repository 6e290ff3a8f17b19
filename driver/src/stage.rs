//! What every stage does, in one wrapper: time, dump, stop, verify. For programs, the prompt, editors, the library's
//! image.
//!
//! This file is part of the build script and of the driver.

use std::fmt::Write as _;
use std::str::FromStr;
use std::time::{Duration, Instant};

use leat_base::Diagnostic;

/// The stages, in order; each is named by what it gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Tokens,
    Ast,
    Core,
    Lambda,
    Mono,
    Ssa,
    Clif,
    Asm,
}

impl Stage {
    pub const ALL: &'static [(Stage, &'static str)] = &[
        (Stage::Tokens, "tokens"),
        (Stage::Ast, "ast"),
        (Stage::Core, "core"),
        (Stage::Lambda, "lambda"),
        (Stage::Mono, "mono"),
        (Stage::Ssa, "ssa"),
        (Stage::Clif, "clif"),
        (Stage::Asm, "asm"),
    ];

    pub fn name(self) -> &'static str {
        Stage::ALL[self as usize].1
    }

    /// What it does, for `--print-pipeline`.
    pub fn about(self) -> &'static str {
        match self {
            Stage::Tokens => "A text is cut into tokens.",
            Stage::Ast => "Declarations are parsed, with the infix operators that are in scope.",
            Stage::Core => "Names are resolved and types inferred, after the Definition.",
            Stage::Lambda => "Patterns become tests, one at a time; records become tuples.",
            Stage::Mono => "The program gets what it needs of the library, and every type is closed.",
            Stage::Ssa => "Functions become blocks; closures and data get their representation.",
            Stage::Clif => "Each function becomes Cranelift's instructions, with maps of live references.",
            Stage::Asm => "Cranelift makes machine code, in memory or in an object file.",
        }
    }
}

impl FromStr for Stage {
    type Err = String;

    fn from_str(text: &str) -> Result<Stage, String> {
        Stage::ALL.iter().find(|(_, name)| *name == text).map(|(stage, _)| *stage).ok_or_else(|| {
            let names: Vec<&str> = Stage::ALL.iter().map(|(_, name)| *name).collect();
            format!("there is no stage {text}; the stages are {}", names.join(", "))
        })
    }
}

/// `--dump=ssa` or `--dump=ssa:after=inline`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    pub stage: Stage,
    /// After this pass, not at the end of the stage.
    pub after: Option<String>,
}

impl FromStr for Dump {
    type Err = String;

    fn from_str(text: &str) -> Result<Dump, String> {
        match text.split_once(":after=") {
            Some((stage, pass)) => Ok(Dump { stage: stage.parse()?, after: Some(pass.to_string()) }),
            None => Ok(Dump { stage: text.parse()?, after: None }),
        }
    }
}

/// When the verifiers of the stages run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    /// After each pass.
    Each,
    /// At the end of each stage.
    Stage,
    #[default]
    Off,
}

impl FromStr for Verify {
    type Err = String;

    fn from_str(text: &str) -> Result<Verify, String> {
        match text {
            "each" => Ok(Verify::Each),
            "stage" => Ok(Verify::Stage),
            "off" => Ok(Verify::Off),
            _ => Err("--verify is each, stage or off".to_string()),
        }
    }
}

/// Why there is no program.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors: they are rendered. Exit code 1.
    Errors(String),
    /// A file cannot be read or written, and the like. Exit code 1 (2 for wrong usage is the command line's).
    Trouble(String),
    /// `--stop-after`: nothing is wrong.
    Stopped,
}

/// What is asked of the stages.
#[derive(Clone, Copy, Default)]
pub struct Wishes<'w> {
    pub verify: Verify,
    pub dumps: &'w [Dump],
    /// Dumps show only functions whose name contains this.
    pub dump_fn: Option<&'w str>,
    pub stop_after: Option<Stage>,
}

impl Wishes<'_> {
    /// Is this dump asked for?
    pub fn dump(&self, stage: Stage, pass: Option<&str>) -> bool {
        self.dumps.iter().any(|dump| dump.stage == stage && dump.after.as_deref() == pass)
    }

    /// Does anybody want to see the stage behind one of its passes?
    pub fn dumps_between(&self, stage: Stage) -> bool {
        self.dumps.iter().any(|dump| dump.stage == stage && dump.after.is_some())
    }
}

/// How long everything has taken, in the order in which it was first done.
#[derive(Default)]
pub struct Times(Vec<(String, Duration)>);

impl Times {
    /// A stage of one unit: the times of all units add up.
    pub fn spent(&mut self, what: &str, took: Duration) {
        match self.0.iter_mut().find(|(name, _)| name == what) {
            Some((_, time)) => *time += took,
            None => self.took(what.to_string(), took),
        }
    }

    /// A row of its own.
    pub fn took(&mut self, what: String, took: Duration) {
        self.0.push((what, took));
    }

    pub fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }

    pub fn into_rows(self) -> Vec<(String, Duration)> {
        self.0
    }

    /// The table of `--time-passes`.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (what, time) in self.0.iter().chain([&("total".to_string(), self.total())]) {
            let _ = writeln!(text, "{:>10.3} ms  {what}", time.as_secs_f64() * 1e3);
        }
        text
    }
}

/// What has stages.
pub trait Staged: Sized {
    fn wishes(&self) -> Wishes<'_>;
    fn times(&mut self) -> &mut Times;
    /// Prints a dump.
    fn show(&self, text: &str);
    /// Fails if there are errors among these messages.
    fn refuse(&self, diagnostics: &[Diagnostic]) -> Result<(), Failure>;

    /// Runs a stage of one unit: time, dump, stop, verify. What it has to say of the unit joins `diagnostics`. Errors
    /// do not end it, for the next stage may have more to say; but what has errors is not verified.
    fn stage<T>(
        &mut self,
        stage: Stage,
        name: &str,
        diagnostics: &mut Vec<Diagnostic>,
        work: impl FnOnce(&mut Self, &mut Vec<Diagnostic>) -> Result<T, Failure>,
        print: impl FnOnce(&Self, &T) -> String,
        verify: impl FnOnce(&Self, &T) -> Result<(), String>,
    ) -> Result<T, Failure> {
        let (start, noted) = (Instant::now(), self.times().total());
        let made = work(self, diagnostics)?;
        // Its passes have noted their own times.
        let passes = self.times().total() - noted;
        self.times().spent(name, start.elapsed().saturating_sub(passes));
        if self.wishes().dump(stage, None) {
            let text = print(self, &made);
            if stage < Stage::Mono { self.show(&text) } else { self.dump(stage, &text) }
        }
        // All units of a program come to Lambda before it stops: see `program`.
        if stage != Stage::Lambda && self.wishes().stop_after.is_some_and(|last| last <= stage) {
            self.refuse(diagnostics)?;
            return Err(Failure::Stopped);
        }
        if self.wishes().verify != Verify::Off && !leat_base::diagnostic::has_errors(diagnostics) {
            broken(stage, verify(self, &made))?;
        }
        Ok(made)
    }

    /// Prints a dump: of all functions, or of those that `--dump-fn` names.
    fn dump(&self, stage: Stage, text: &str) {
        let Some(name) = self.wishes().dump_fn else {
            self.show(text);
            return;
        };
        if stage == Stage::Mono {
            self.show(&functions_named(name, text));
            return;
        }
        // A function is a paragraph whose first line has its name.
        for paragraph in text.split("\n\n").filter(|p| p.lines().next().is_some_and(|line| line.contains(name))) {
            self.show(&format!("{paragraph}\n\n"));
        }
    }
}

/// The functions of a text of Mono with this in their names. Functions stand in functions: each is a line that begins
/// with `fun` or `and`, with the lines behind it that stand further in.
fn functions_named(name: &str, text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_named = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("fun" | "and")) && words.next().is_some_and(|word| word.contains(name))
    };
    let mut found = String::new();
    // How far in the function stands that the walk is in.
    let mut within = None;
    for line in text.lines() {
        if within.is_some_and(|start| !line.trim().is_empty() && indent(line) <= start) {
            within = None;
            found.push('\n');
        }
        if within.is_none() && is_named(line) {
            within = Some(indent(line));
        }
        if within.is_some() {
            found += line;
            found.push('\n');
        }
    }
    found
}

/// A verifier's finding is a defect of Leat: it says where, and how to see it again.
pub fn broken(stage: Stage, found: Result<(), String>) -> Result<(), Failure> {
    found.map_err(|message| internal(stage, &message))
}

pub fn internal(stage: Stage, message: &str) -> Failure {
    let stage = stage.name();
    Failure::Trouble(format!(
        "this is a defect of leat: the stage `{stage}` broke an invariant\n{message}\n\
         to see it again: the same command with --verify=each --dump={stage}"
    ))
}

#[cfg(test)]
mod tests {
    use super::functions_named;

    #[test]
    fn functions_of_mono_are_found_by_their_names() {
        let text = "val a.1: int = 1\nfun f.2 (x.3: int) : (int) =\n  fun f.go.4 () : (int) =\n    x.3\n  f.go.4 ()\n\
                    fun g.5 () : (int) =\n  val f.6: int = f.2 (1)\n  f.6\n";
        let f = "fun f.2 (x.3: int) : (int) =\n  fun f.go.4 () : (int) =\n    x.3\n  f.go.4 ()\n\n";
        assert_eq!(functions_named("f.", text), f);
        assert_eq!(functions_named("go", text), "  fun f.go.4 () : (int) =\n    x.3\n\n");
        assert_eq!(functions_named("g.5", text), "fun g.5 () : (int) =\n  val f.6: int = f.2 (1)\n  f.6\n");
        assert_eq!(functions_named("nothing", text), "");
    }
}
