//! The prompt: lines in, declarations with their types and values out.
//!
//! ```text
//! - fun twice f x = f (f x);
//! val twice = fn : ('a -> 'a) -> 'a -> 'a
//! - twice (fn n => n * 3) 5;
//! val it = 45 : int
//! ```
//!
//! Reading order: [`input`] (lines), [`help`] (completion and colours), this file (units, commands, what is said),
//! [`echo`] (what a unit has bound), [`values`] and [`types`] (as text), [`layout`], [`look`] (what names mean). What
//! is behind it: `leat_driver::interactive`.

pub mod echo;
pub mod help;
pub mod input;
pub mod layout;
pub mod look;
pub mod types;
pub mod values;

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use leat_ast::units::{self, Asked, Growing, Next, Request, Standing};
use leat_base::{FileId, Symbol};
use leat_driver::units::is_description;
use leat_driver::{Failure, Interactive, Options, RuntimeOptions};
use leat_entry::{Ended, session};

use crate::input::{Input, Read1};
use crate::types::Scope;
use crate::values::{DEEPEST, Limits};

/// Completion knows the members of so many structures, those with short paths first.
const MOST_NAMED: usize = 10_000;
const PROMPT: &str = "- ";
/// Where a unit goes on.
const CONTINUED: &str = "= ";

const HELP: &str = "\
DECLARATION;        is evaluated; so is EXPRESSION; whose value is called `it`
use \"FILE\";         evaluates a file, also a .mlb or .cm file; so does :load FILE
:type EXPRESSION    tells the type, without evaluation
:doc NAME           tells what a structure, signature or function is for: :doc List, :doc List.map
:browse NAME        tells what a structure or signature has; without a name, what the session has bound
:time               tells how long things take, or no longer
:time EXPRESSION    evaluates it, and tells how long that took
:set                tells the settings; :set NAME VALUE changes one of depth, length, string, time
:reset              forgets all that was bound
:depth N, :length N, :string N
                    how deep values are shown (up to 1000), how many elements, how many characters
:help               tells this
:quit               ends the session, as the end of input does
Interrupt (Ctrl-C) ends an evaluation, or takes back what was typed.
";

/// A unit of more bytes is not looked at after each of its lines whether it is an expression: nobody's first one is so
/// long, and a text that is pasted would be read as often as it has lines.
const LONG: usize = 2000;

/// Exit code of a script in which something failed.
const FAILED: i32 = 1;

/// A session at the prompt.
struct Repl {
    interactive: Interactive,
    input: Input,
    limits: Limits,
    timing: bool,
    /// Something was wrong, which ends a script with 1.
    failed: bool,
    /// The program has ended itself.
    over: Option<i32>,
    /// Where the terminal's completion looks names up, and of which environments they were taken.
    names: help::Names,
    named: std::collections::HashMap<String, leat_elab::basis::EnvId>,
    /// Comments of sources, once somebody has asked for them.
    docs: Option<look::Docs>,
    /// The hint at a missing semicolon was given for this unit.
    hinted: bool,
    /// In this session, once behind an expression.
    taught: bool,
    /// Files that are being used: they may not use each other in a circle.
    using: Vec<std::path::PathBuf>,
}

/// Whether to go on with the rest of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Went {
    Well,
    Wrong,
}

/// Runs the prompt on standard input; gives the exit code. `files` are used first.
pub fn run(options: Options, runtime: &RuntimeOptions, files: &[std::path::PathBuf]) -> Result<i32, Failure> {
    let names = help::Names::default();
    let color = options.color;
    let interactive = Interactive::new(options, runtime, "leat", &[])?;
    let input = Input::standard(&names, color);
    let mut repl = Repl {
        interactive,
        input,
        limits: Limits::default(),
        timing: false,
        failed: false,
        over: None,
        names,
        named: std::collections::HashMap::new(),
        docs: None,
        hinted: false,
        taught: false,
        using: Vec::new(),
    };
    if repl.input.is_terminal() {
        say(&format!("Leat {}, Standard ML. A unit ends with `;`. :help tells more.\n", env!("CARGO_PKG_VERSION")));
    }
    for file in files {
        if repl.over.is_none() && repl.use_file(file) == Went::Wrong && !repl.input.is_terminal() {
            break;
        }
    }
    if repl.over.is_none() {
        repl.read_all();
    }
    let code = if repl.failed && !repl.input.is_terminal() { FAILED } else { 0 };
    Ok(match repl.over {
        Some(code) => code,
        None => repl.interactive.quit(code),
    })
}

impl Repl {
    /// Reads units until the input ends.
    fn read_all(&mut self) {
        let mut typed = Growing::default();
        let mut standing = Standing::Nothing;
        while self.over.is_none() {
            let prompt = if standing == Standing::Nothing { PROMPT } else { CONTINUED };
            if prompt == PROMPT {
                self.refresh_names();
                self.hinted = false;
            }
            // The program may end while nothing is typed: by a signal, by a thread of its own.
            let end = Box::new(|code| {
                session::restore_terminal();
                // SAFETY: ends the process. The program has left, and its output is written.
                unsafe { libc::_exit(code) }
            });
            let (interactive, input) = (&self.interactive, &mut self.input);
            let line = match interactive.wait_for(end, || input.line(prompt)) {
                Ok(line) => line,
                Err(code) => {
                    self.over = Some(code);
                    return;
                }
            };
            match line {
                Read1::End => {
                    if standing != Standing::Nothing {
                        self.text("stdin", typed.text(), true);
                    } else if self.input.is_terminal() {
                        say("\n");
                    }
                    return;
                }
                Read1::NotText => complain("this is not UTF-8 text, and is left out\n"),
                Read1::Interrupted => {
                    session::take_interruption();
                    if !self.input.is_terminal() {
                        // A script that waits for its input is a program like any other.
                        self.over = Some(130);
                    }
                    typed.take();
                    standing = Standing::Nothing;
                }
                Read1::Line(line) => {
                    if standing == Standing::Nothing && line.trim_start().starts_with(':') {
                        self.input.remember(&line);
                        typed.take();
                        if !self.command(line.trim()) {
                            return;
                        }
                        continue;
                    }
                    standing = typed.add(&line);
                    if standing == Standing::Whole {
                        let text = typed.take();
                        self.input.remember(&text);
                        self.text("stdin", &text, false);
                        standing = Standing::Nothing;
                    } else if typed.text().trim().is_empty() {
                        // A unit's lines are counted from its own first one.
                        typed.take();
                    } else if self.input.is_terminal()
                        && standing == Standing::Open
                        && !self.hinted
                        && (line.trim().is_empty()
                            || !self.taught && typed.text().len() < LONG && is_expression(typed.text()))
                    {
                        // Somebody waits for an answer. After an expression that is told once.
                        (self.hinted, self.taught) = (true, true);
                        complain("a unit ends with `;` (Ctrl-C takes it back)\n");
                    }
                }
            }
        }
    }

    /// A command; false: the session is over.
    fn command(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            ":help" | ":h" | ":?" => say(HELP),
            ":quit" | ":q" => return false,
            ":type" | ":t" => self.type_of(rest),
            ":use" | ":load" | ":l" => match rest.trim_matches(['"', ';']) {
                "" => self.refuse(&format!("{word} takes the name of a file\n")),
                file => {
                    self.use_file(Path::new(file));
                }
            },
            ":doc" => self.doc(rest),
            ":browse" | ":b" => match look::browse(&self.interactive.session, rest.trim_end_matches(';')) {
                Some(text) => say(&format!("{text}\n")),
                None => self.refuse(&format!("there is no structure or signature {rest}\n")),
            },
            ":reset" => {
                self.interactive.reset();
                say("all that was bound is forgotten\n");
            }
            ":set" => self.set(rest),
            ":time" if !rest.is_empty() => {
                let before = std::mem::replace(&mut self.timing, true);
                self.text("stdin", rest, true);
                self.timing = before;
            }
            ":time" => {
                self.timing = !self.timing;
                say(if self.timing { "times are told\n" } else { "times are not told\n" });
            }
            ":depth" | ":length" | ":string" => self.limit(word, rest),
            _ => self.refuse(&format!("there is no command {word}; :help tells those that there are\n")),
        }
        true
    }

    fn doc(&mut self, name: &str) {
        let docs = self.docs.get_or_insert_with(look::Docs::of_library);
        let name = name.trim_end_matches(';');
        match docs.about(&self.interactive.session, name) {
            Some(text) => say(&text),
            None if name.is_empty() => self.refuse(":doc takes a name: List, List.map, map\n"),
            // A name that nobody has written about has a type all the same; what is not bound is told of.
            None if Symbol::intern(name).is_symbolic() => self.type_of(&format!("op {name}")),
            None => self.type_of(name),
        }
    }

    fn set(&mut self, rest: &str) {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let Limits { depth, length, string } = self.limits;
        match words[..] {
            [] => {
                let time = if self.timing { "on" } else { "off" };
                say(&format!("depth {depth}\nlength {length}\nstring {string}\ntime {time}\n"));
            }
            ["time", "on"] => self.timing = true,
            ["time", "off"] => self.timing = false,
            [name @ ("depth" | "length" | "string"), number] => self.limit(name, number),
            _ => self.refuse("there are: depth N, length N, string N, time on, time off\n"),
        }
    }

    /// Sets a limit of what is shown. `name` may begin with a colon.
    fn limit(&mut self, name: &str, number: &str) {
        let limit = match name.trim_start_matches(':') {
            "depth" => &mut self.limits.depth,
            "length" => &mut self.limits.length,
            _ => &mut self.limits.string,
        };
        let most = if name.ends_with("depth") { DEEPEST } else { usize::MAX };
        match number.parse() {
            Ok(n) if n <= most => *limit = n,
            Ok(_) => {
                let text = format!("{name} is {most} at most; it is {limit}\n");
                self.refuse(&text);
            }
            Err(_) => {
                let text = format!("{name} takes a number; it is {limit}\n");
                self.refuse(&text);
            }
        }
    }

    /// Tells why a command does nothing.
    fn refuse(&mut self, text: &str) {
        self.wrong(text);
    }

    /// What completion knows follows what is in scope. Only structures that are new are looked into.
    fn refresh_names(&mut self) {
        if !self.input.is_terminal() {
            return;
        }
        let session = &self.interactive.session;
        let mut names = self.names.borrow_mut();
        names.insert(String::new(), look::names(session, ""));
        let mut waiting: VecDeque<(String, leat_elab::basis::EnvId)> = VecDeque::new();
        for layer in session.basis().layers() {
            for (name, _) in layer.env.strs.iter() {
                waiting.extend(session.basis().structure(*name).map(|env| (name.to_string(), env)));
            }
        }
        while let Some((name, env)) = waiting.pop_front() {
            let known = self.named.get(&name);
            if known == Some(&env) || known.is_none() && self.named.len() >= MOST_NAMED {
                continue;
            }
            let inner = session.tables().modules.envs[env].strs.iter();
            waiting.extend(inner.map(|(part, env)| (format!("{name}.{part}"), *env)));
            names.insert(name.clone(), look::names(session, &name));
            self.named.insert(name, env);
        }
    }

    fn type_of(&mut self, expression: &str) {
        let text = expression.trim_end().trim_end_matches(';');
        let file = self.interactive.add_text("stdin", text);
        match self.interactive.elaborate(file, 0..text.len()) {
            Err(failure) => {
                self.report(&failure);
            }
            Ok(line) => {
                let session = &self.interactive.session;
                let scope = Scope { tables: session.tables(), basis: session.basis() };
                match echo::type_of_it(scope, &line.added) {
                    Some(text) => say(&format!("{text}\n")),
                    None => self.refuse(":type takes an expression\n"),
                }
                self.interactive.session.warnings.clear();
                self.interactive.forget(line);
            }
        }
    }

    // -- texts

    /// Evaluates the units of a text; the rest behind one that goes wrong is dropped. `whole`: the end of the text ends
    /// a unit too.
    fn text(&mut self, name: &str, text: &str, whole: bool) -> Went {
        let file = self.interactive.add_text(name, text);
        self.units(file, whole)
    }

    fn units(&mut self, file: FileId, whole: bool) -> Went {
        let mut at = 0;
        loop {
            let text = self.interactive.text(file);
            let end = match units::next(text, at) {
                Next::Unit(end) => end,
                Next::Open if whole => text.len(),
                Next::Open | Next::Nothing => return Went::Well,
            };
            let went = match units::used_file(&text[at..end]) {
                Some(used) if self.interactive.session.basis().val(Symbol::intern("use")).is_none() => {
                    let used = self.relative(file, used);
                    self.use_file(&used)
                }
                _ => match request(&text[at..end]) {
                    Some(mut asked) if asked.kind == Asked::Description && self.interactive.session.has_own_cm() => {
                        asked.place = at + asked.place.start..at + asked.place.end;
                        self.request(file, asked)
                    }
                    _ => self.unit(file, at, end),
                },
            };
            if went == Went::Wrong || self.over.is_some() {
                return Went::Wrong;
            }
            at = end;
        }
    }

    fn unit(&mut self, file: FileId, start: usize, end: usize) -> Went {
        let went = self.try_unit(file, start, end);
        let times = self.interactive.session.take_times();
        if self.timing {
            tell_times(&times);
        }
        went
    }

    fn try_unit(&mut self, file: FileId, start: usize, end: usize) -> Went {
        session::take_interruption();
        match self.interactive.elaborate(file, start..end) {
            Ok(line) => self.evaluate(line, None),
            Err(failure) => self.report(&failure),
        }
    }

    /// `instead`: what is told in the place of what the unit binds.
    fn evaluate(&mut self, line: leat_driver::Line, instead: Option<String>) -> Went {
        self.warn();
        let limits = self.limits;
        let mut told = String::new();
        let ended = self.interactive.run(line, &mut |values| told = echo::unit(values, limits));
        match ended {
            Err(failure) => self.report(&failure),
            Ok(Ended::Done) => {
                say(&instead.unwrap_or(told));
                Went::Well
            }
            Ok(Ended::Raised(text) | Ended::Deadlocked(text)) => self.wrong(&text),
            Ok(Ended::Left) => self.wrong("the evaluation has not come to its end\n"),
            Ok(Ended::Interrupted) => self.wrong("interrupted\n"),
            Ok(Ended::Over(code)) => {
                self.over = Some(code);
                Went::Wrong
            }
        }
    }

    /// Tells the warnings about what was read last.
    fn warn(&mut self) {
        let warnings = self.interactive.session.take_warnings();
        if !warnings.is_empty() {
            complain(&warnings);
        }
    }

    fn wrong(&mut self, text: &str) -> Went {
        complain(text);
        self.failed = true;
        Went::Wrong
    }

    fn report(&mut self, failure: &Failure) -> Went {
        // Of a description, those about the sources before the one with the error.
        self.warn();
        match failure {
            Failure::Stopped => Went::Well,
            Failure::Errors(text) => self.wrong(text),
            Failure::Trouble(text) => self.wrong(&format!("{text}\n")),
        }
    }

    // -- files

    fn use_file(&mut self, path: &Path) -> Went {
        if is_description(path) {
            session::take_interruption();
            return match self.interactive.elaborate_description(path) {
                Ok(line) => self.evaluate(line, None),
                Err(failure) => self.report(&failure),
            };
        }
        let key = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if self.using.contains(&key) {
            return self.wrong(&format!("{}: uses itself\n", path.display()));
        }
        match self.interactive.add_file(path) {
            Err(failure) => self.report(&failure),
            Ok(file) => {
                self.using.push(key);
                let went = self.units(file, true);
                self.using.pop();
                went
            }
        }
    }

    /// `CM.make "x.cm";`
    fn request(&mut self, file: FileId, mut request: Request) -> Went {
        session::take_interruption();
        let path = self.relative(file, request.name.clone());
        if path.exists() {
            request.name = path.display().to_string();
        }
        // A library has many names.
        let library = request.name.starts_with('$').then(|| format!("library {}\n", request.name));
        match self.interactive.elaborate_request(file, &request) {
            Ok(line) => self.evaluate(line, library),
            Err(failure) => self.report(&failure),
        }
    }

    /// A file that another one uses is named as seen from there.
    fn relative(&self, file: FileId, used: String) -> std::path::PathBuf {
        let user = self.interactive.session.sources.get(file).map_or("", |file| &file.name);
        match (Path::new(&used).is_relative() && !self.using.is_empty(), Path::new(user).parent()) {
            (true, Some(folder)) if !Path::new(&used).exists() => folder.join(used),
            _ => used.into(),
        }
    }
}

/// Is it an expression that could end here? Declarations go on more often than not.
fn is_expression(text: &str) -> bool {
    let options = leat_ast::ParseOptions::default();
    let (program, diagnostics) = leat_ast::parse(FileId::NONE, text, &options, &mut leat_ast::FixityEnv::basis());
    let mut decs = program.decs.iter().map(|dec| &program.ast[*dec].kind);
    diagnostics.is_empty() && decs.len() > 0 && decs.all(|kind| matches!(kind, leat_ast::DecKind::Exp(_)))
}

/// The request, if the unit is one.
fn request(unit: &str) -> Option<Request> {
    let request = units::requests(unit).into_iter().next()?;
    let alone = units::next(&unit[..request.part.start], 0) == Next::Nothing
        && units::next(unit, request.part.end) == Next::Nothing;
    alone.then_some(request)
}

/// Where the time went, in one line.
fn tell_times(times: &[(String, Duration)]) {
    let sum = |names: &[&str]| -> f64 {
        let is_of = |what: &str| {
            names.iter().any(|name| what == *name || what.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
        };
        times.iter().filter(|(what, _)| is_of(what)).map(|(_, time)| time.as_secs_f64() * 1e3).sum::<f64>() + 0.0
    };
    complain(&format!(
        "types {:.1} ms, compiled {:.1} ms, code {:.1} ms, run {:.1} ms\n",
        sum(&["parse", "elab", "lambda"]),
        sum(&["reachable", "mono", "ssa"]),
        sum(&["jit"]),
        sum(&["run"]),
    ));
}

/// To standard output, at once. Where that fails the session ends, as a program does that loses its output.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        session::restore_terminal();
        let code = leat_driver::say::output_lost(&error);
        // SAFETY: ends the process.
        unsafe { libc::_exit(code) }
    }
}

/// To standard error.
fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
