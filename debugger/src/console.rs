//! The debugger at a terminal: a command a line -> what the engine says, as text.
//!
//! The program begins at once. Where it stops the line is shown; an empty line does the last step again.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::engine::{Engine, Happens, Wish, names};
use crate::process::Config;
use crate::protocol::{Frame, Mode, Reason, Stopped, Way};

const HELP: &str = "\
break [FILE:]LINE [if EXP]   stops there; without anything: tells the break points
break [FILE:]FUNCTION [..]   stops where a function begins
delete N                     takes a break point away
run                          from the beginning
continue, next, step, out    goes on: to the next stop, line, call, or out of the function
back, rcontinue              goes back: to the line before, to the stop before; also from the program's end
threads, thread N            all threads; looks at another one
where, frame N               the frames of the thread; looks at another one
locals, globals              the variables of the frame
print EXP                    any expression, in the frame
quit
The first letters of a command do. An empty line is the last step once more.
";

/// Frames that `where` shows.
const FRAMES: usize = 50;

/// What stands there before the program begins, and how it begins.
pub struct Plan {
    pub config: Config,
    pub explore: u64,
    /// The program runs at once, to its failure. So does one whose seed is looked for.
    pub runs: bool,
}

/// Set by SIGINT: the program is paused, or what is being waited for is given up.
static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From here on SIGINT is for the program. Where it was ignored it stays so.
fn catch_interrupts() -> Arc<AtomicBool> {
    extern "C" fn note(_: libc::c_int) {
        if let Some(flag) = INTERRUPTED.get() {
            flag.store(true, Ordering::Relaxed);
        }
    }
    let flag = INTERRUPTED.get_or_init(Arc::default).clone();
    // SAFETY: the handler loads and stores atomics and nothing else; the structures are plain data.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action);
        if action.sa_sigaction != libc::SIG_IGN {
            action = std::mem::zeroed();
            action.sa_sigaction = note as extern "C" fn(libc::c_int) as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
        }
    }
    flag
}

/// Reads commands until the input ends; gives the exit code.
pub fn run(plan: Plan, input: &mut dyn BufRead, out: &mut dyn Write) -> i32 {
    match Console::start(plan, out) {
        Ok(mut console) => {
            console.read(input);
            0
        }
        Err(message) => {
            let _ = writeln!(out, "{message}");
            1
        }
    }
}

struct Console<'o> {
    engine: Engine,
    out: &'o mut dyn Write,
    /// The file of the program.
    file: PathBuf,
    /// Those that have code: as the frames call them, and where they are.
    files: Vec<(String, PathBuf)>,
    breaks: HashMap<PathBuf, Vec<Wish>>,
    thread: u64,
    frame: usize,
    texts: HashMap<String, Vec<String>>,
    last: String,
    ended: bool,
}

impl<'o> Console<'o> {
    fn start(plan: Plan, out: &'o mut dyn Write) -> Result<Console<'o>, String> {
        let Plan { mut config, explore, runs } = plan;
        let cancel = catch_interrupts();
        if explore > 0 {
            match Engine::explore(&config, explore, &cancel)? {
                Some(seed) => {
                    let _ = writeln!(out, "seed {seed} of {explore} fails");
                    config.seed = seed;
                }
                None => {
                    let _ = writeln!(out, "none of {explore} seeds fails");
                }
            }
        }
        // As `file_named` gives it, so that it has one list of break points.
        let file = PathBuf::from(config.inputs.last().cloned().unwrap_or_default());
        let file = file.canonicalize().unwrap_or(file);
        let engine = Engine::new(config, cancel)?;
        let files = engine.files().to_vec();
        let mut console = Console {
            engine,
            out,
            file,
            files,
            breaks: HashMap::new(),
            thread: 1,
            frame: 0,
            texts: HashMap::new(),
            last: String::new(),
            ended: false,
        };
        // A failing seed goes to its failure, any other program waits for its first command.
        console.go(if explore > 0 || runs { Mode::Run } else { Mode::Target { count: 1 } });
        Ok(console)
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn read(&mut self, input: &mut dyn BufRead) {
        loop {
            let _ = write!(self.out, "(leat) ").and_then(|()| self.out.flush());
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                return self.say("");
            }
            // One that came while nothing was under way.
            self.engine.cancel.store(false, Ordering::Relaxed);
            // A command that is not UTF-8 is no reason to end.
            let line = String::from_utf8_lossy(&line);
            let line = match line.trim() {
                "" => self.last.clone(),
                line => line.to_string(),
            };
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            let rest = rest.trim().to_string();
            match self.command(word, &rest) {
                Ok(true) => {}
                Ok(false) => return,
                Err(message) => self.say(&message),
            }
        }
    }

    fn command(&mut self, word: &str, rest: &str) -> Result<bool, String> {
        const COMMANDS: &[&str] = &[
            "break",
            "back",
            "continue",
            "delete",
            "next",
            "step",
            "out",
            "run",
            "rcontinue",
            "threads",
            "thread",
            "where",
            "frame",
            "locals",
            "globals",
            "print",
            "quit",
            "help",
        ];
        let known = COMMANDS.iter().find(|name| **name == word).or(COMMANDS.iter().find(|name| name.starts_with(word)));
        let Some(&known) = known.filter(|_| !word.is_empty()) else {
            return Err(if word.is_empty() {
                "help tells the commands".to_string()
            } else {
                format!("no command {word}; help tells them")
            });
        };
        // `t 2` is short for `thread 2`.
        let known = if known == "threads" && !rest.is_empty() { "thread" } else { known };
        self.last = match known {
            "next" | "step" | "out" | "continue" | "back" | "rcontinue" => known.to_string(),
            _ => String::new(),
        };
        let thread = self.thread;
        match known {
            "help" => self.say(HELP.trim_end()),
            "quit" => return Ok(false),
            "break" => self.set_break(rest)?,
            "delete" => self.delete(rest)?,
            "continue" => self.go(Mode::Run),
            "next" => self.go(Mode::Step { thread, way: Way::Over }),
            "step" => self.go(Mode::Step { thread, way: Way::In }),
            "out" => self.go(Mode::Step { thread, way: Way::Out }),
            "run" => {
                if self.engine.restart()?.breaks.is_some() {
                    self.renewed();
                }
                self.ended = false;
                self.go(Mode::Run);
            }
            "back" => {
                let stopped = self.engine.step_back(thread)?;
                self.ended = false;
                self.stopped(&stopped);
            }
            "rcontinue" => {
                let stopped = self.engine.run_back()?;
                self.ended = false;
                self.stopped(&stopped);
            }
            "threads" => {
                let threads = self.engine.threads()?;
                let named = names(&threads);
                for thread in &threads {
                    let mark = if thread.id == self.thread { "* " } else { "  " };
                    let text = format!("{mark}{}", self.named_in(&named[&thread.id]));
                    self.say(&text);
                }
            }
            "thread" => {
                let number = rest.parse().map_err(|_| "thread takes a number".to_string())?;
                if !self.engine.threads()?.iter().any(|thread| thread.id == number) {
                    return Err(format!("there is no thread {number}"));
                }
                (self.thread, self.frame) = (number, 0);
                self.show_place()?;
            }
            "where" => {
                let (frames, more) = self.engine.frames(thread, FRAMES)?;
                for (number, frame) in frames.iter().enumerate() {
                    let mark = if number == self.frame { "* " } else { "  " };
                    self.say(&format!("{mark}{number} {} at {}", frame.name, self.place(frame)));
                }
                if more {
                    self.say("  ...");
                }
            }
            "frame" => {
                let number: usize = rest.parse().map_err(|_| "frame takes a number".to_string())?;
                let before = std::mem::replace(&mut self.frame, number);
                if let Err(message) = self.show_place() {
                    self.frame = before;
                    return Err(message);
                }
            }
            "locals" | "globals" => self.variables(known)?,
            "print" => {
                let frame = self.frame_now()?;
                let shown = self.engine.evaluate(thread, &frame, rest.trim_end_matches(';'), false)?;
                self.say(&format!("{} : {}", shown.value.text, shown.value.ty));
            }
            _ => {}
        }
        Ok(true)
    }

    fn frame_now(&mut self) -> Result<Frame, String> {
        let frames = self.engine.frames(self.thread, self.frame + 1)?.0;
        frames.into_iter().nth(self.frame).ok_or_else(|| "there is no such frame".to_string())
    }

    fn variables(&mut self, which: &str) -> Result<(), String> {
        let frame = self.frame_now()?;
        let mut none = true;
        for group in self.engine.groups(self.thread, &frame) {
            if group.name.to_lowercase() != which {
                continue;
            }
            none &= group.variables.is_empty();
            let values = self.engine.values(self.thread, &frame, &group.variables);
            for (seen, value) in group.variables.iter().zip(values) {
                match value.map(|shown| shown.value) {
                    Ok(value) => self.say(&format!("val {} = {} : {}", seen.name, value.text, value.ty)),
                    Err(why) => self.say(&format!("val {} : {} ({why})", seen.name, seen.ty)),
                }
            }
        }
        match which {
            "locals" if none => self.say("there are none here; globals tells the variables of the top level"),
            _ if none => self.say("there are none here"),
            _ => {}
        }
        Ok(())
    }

    // -- break points

    fn set_break(&mut self, rest: &str) -> Result<(), String> {
        if rest.is_empty() {
            let mut all: Vec<String> = Vec::new();
            for (file, wishes) in self.breaks.clone() {
                for at in self.engine.set_breaks(&file, wishes) {
                    let condition = at.condition().map_or_else(String::new, |text| format!(" if {text}"));
                    all.push(format!("{}: {}:{}{condition}", at.id, self.name_of(&file), at.at.map_or(0, |at| at.0)));
                }
            }
            all.sort();
            all.iter().for_each(|line| self.say(line));
            return Ok(());
        }
        let (at, condition) = match rest.split_once(" if ") {
            Some((at, condition)) => (at.trim(), Some(condition.trim().to_string())),
            None => (rest, None),
        };
        let (file, place) = match at.rsplit_once(':') {
            Some((file, place)) => (Some(self.file_named(file)?), place),
            None => (None, at),
        };
        let (file, wish) = match (place.parse(), file) {
            (Ok(line), file) => {
                (file.unwrap_or_else(|| self.file.clone()), Wish { line, condition, ..Wish::default() })
            }
            (Err(_), file) => {
                let file = match file {
                    Some(file) => file,
                    None => self.file_with(place)?,
                };
                (file, Wish { function: Some(place.to_string()), condition, ..Wish::default() })
            }
        };
        let mut wishes = self.breaks.get(&file).cloned().unwrap_or_default();
        // One that is set again stays the one that it is.
        wishes.retain(|known| *known != wish);
        wishes.push(wish);
        let made = self.engine.set_breaks(&file, wishes.clone());
        let Some(last) = made.last() else { return Ok(()) };
        match (last.at, &last.message) {
            (Some((line, _)), _) => {
                let text = format!("break point {} at {}:{line}", last.id, self.name_of(&file));
                self.breaks.insert(file, wishes);
                self.say(&text);
                Ok(())
            }
            (None, message) => {
                let message = message.clone().unwrap_or_default();
                wishes.pop();
                self.engine.set_breaks(&file, wishes);
                Err(message)
            }
        }
    }

    /// The sources were others: so are the places of the break points.
    fn renewed(&mut self) {
        self.files = self.engine.files().to_vec();
        self.texts.clear();
        self.say("the sources have changed: the program was compiled anew");
        for (file, wishes) in self.breaks.clone() {
            for at in self.engine.set_breaks(&file, wishes) {
                let text = match (at.at, &at.message) {
                    (Some((line, _)), _) => format!("break point {} at {}:{line}", at.id, self.name_of(&file)),
                    (None, message) => format!("break point {}: {}", at.id, message.as_deref().unwrap_or("no place")),
                };
                self.say(&text);
            }
        }
    }

    /// The file of the program that has a function of this name.
    fn file_with(&self, function: &str) -> Result<PathBuf, String> {
        let files = self.engine.files_with(function);
        match &files[..] {
            [] => Err(format!("the program has no function {function}; break takes a line or a function")),
            [file] => Ok(file.clone()),
            _ => {
                let names: Vec<String> =
                    files.iter().map(|file| format!("{}:{function}", self.name_of(file))).collect();
                Err(format!("{function} may be {}", names.join(" or ")))
            }
        }
    }

    /// A text that names places, with the names of files as they are shown here.
    fn named_in(&self, text: &str) -> String {
        let names = self.files.iter().filter(|(name, _)| Path::new(name).is_absolute());
        names.fold(text.to_string(), |text, (name, path)| text.replace(name, &self.name_of(path)))
    }

    /// A file of the program, by the end of its path.
    fn file_named(&self, name: &str) -> Result<PathBuf, String> {
        let files: Vec<&PathBuf> = self.files.iter().map(|file| &file.1).filter(|path| path.ends_with(name)).collect();
        // From the working folder a name is whole.
        let whole = std::fs::canonicalize(name).ok();
        if let Some(whole) = whole.filter(|whole| files.contains(&whole)) {
            return Ok(whole);
        }
        match files[..] {
            [] => Err(format!("no file of the program is called {name}")),
            [path] => Ok(path.clone()),
            _ => {
                let names: Vec<String> = files.iter().map(|path| self.name_of(path)).collect();
                Err(format!("{name} may be {}", names.join(" or ")))
            }
        }
    }

    /// A file's name, with so many folders before it that no other file of the program is called so.
    fn name_of(&self, file: &Path) -> String {
        let file = self.files.iter().find(|(name, _)| Path::new(name) == file).map_or(file, |(_, path)| path);
        let parts: Vec<Component<'_>> = file.components().collect();
        let mut names = (1..=parts.len()).map(|n| parts[parts.len() - n..].iter().collect::<PathBuf>());
        let is_one = |name: &PathBuf| self.files.iter().filter(|(_, path)| path.ends_with(name)).count() < 2;
        names.find(is_one).unwrap_or_else(|| file.to_path_buf()).display().to_string()
    }

    fn place(&self, frame: &Frame) -> String {
        format!("{}:{}", self.name_of(Path::new(&frame.file)), frame.line)
    }

    fn delete(&mut self, rest: &str) -> Result<(), String> {
        let number: u32 = rest.parse().map_err(|_| "delete takes the number of a break point".to_string())?;
        for (file, wishes) in self.breaks.clone() {
            let made = self.engine.set_breaks(&file, wishes.clone());
            if let Some(index) = made.iter().position(|at| at.id == number) {
                let mut wishes = wishes;
                wishes.remove(index);
                self.engine.set_breaks(&file, wishes.clone());
                self.breaks.insert(file, wishes);
                return Ok(());
            }
        }
        Err(format!("there is no break point {number}"))
    }

    // -- the program

    fn go(&mut self, mode: Mode) {
        if self.ended {
            return self.say("the program has ended; back goes to its last line, run begins it again");
        }
        if let Err(message) = self.engine.go(mode) {
            return self.say(&message);
        }
        loop {
            if self.engine.cancel.swap(false, Ordering::Relaxed) {
                self.engine.pause();
            }
            for happens in self.engine.poll() {
                match happens {
                    Happens::Output { text, .. } => {
                        let _ = write!(self.out, "{text}");
                    }
                    Happens::Log { text, .. } => self.say(&text),
                    Happens::Stopped(stopped) => return self.stopped(&stopped),
                    Happens::Ended { code } => {
                        self.ended = true;
                        return self.say(&format!("the program has ended with exit code {code}"));
                    }
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn stopped(&mut self, stopped: &Stopped) {
        self.thread = if stopped.thread == 0 { 1 } else { stopped.thread };
        self.frame = 0;
        for file in self.engine.changed() {
            let text = "has changed: the session goes on with the text that it began with, `run` takes the new one";
            self.say(&format!("{} {text}", self.name_of(&file)));
        }
        if matches!(stopped.reason, Reason::Raised | Reason::Uncaught | Reason::Failed | Reason::Deadlock) {
            self.say(stopped.text.lines().next().unwrap_or(""));
        }
        // What was called by the program is of less interest than the program.
        let frames = self.engine.frames(self.thread, FRAMES).map(|frames| frames.0).unwrap_or_default();
        self.frame = frames.iter().position(|frame| !frame.is_library).unwrap_or(0);
        if let Err(message) = self.show_place() {
            self.say(&message);
        }
    }

    fn show_place(&mut self) -> Result<(), String> {
        let frame = self.frame_now()?;
        self.say(&format!("thread {} in {} at {}", self.thread, frame.name, self.place(&frame)));
        if let Some(text) = self.text(&frame) {
            self.say(&format!("{:>5} | {text}", frame.line));
        }
        Ok(())
    }

    fn text(&mut self, frame: &Frame) -> Option<String> {
        if !self.texts.contains_key(&frame.file) {
            let lines = self.engine.text(&frame.file)?.lines().map(str::to_string).collect();
            self.texts.insert(frame.file.clone(), lines);
        }
        self.texts.get(&frame.file)?.get(frame.line.checked_sub(1)? as usize).cloned()
    }
}
