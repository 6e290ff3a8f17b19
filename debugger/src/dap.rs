//! The Debug Adapter Protocol over the engine ([`crate::engine`]): requests of an editor -> answers and events.
//!
//! One thread answers, one reads. While the program runs, the answering one looks at it every few milliseconds.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use serde_json::{Value as Json, json};

use crate::engine::{BreakPoint, Engine, Handle, Happens, Seen, Shown, Wish, names};
use crate::process::Config;
use crate::protocol::{Frame, Mode, Reason, Stopped, Thread, Way};
use crate::wire::{Interrupts, Message, Writer, read_all};

/// Between two looks at a running program.
const TICK: Duration = Duration::from_millis(10);

/// Events of a program between two requests: a request may be one to stop it.
const LOOKS: usize = 1000;

/// Frames of a thread that are shown, if the editor does not say how many.
const FRAMES: usize = 1000;

/// Parts of a value that are asked for at a time.
const PARTS: i64 = 100;

/// Of a value with more parts more are asked for at a time.
const MANY: u64 = 10_000;

/// What a request of `launch` may leave out: from the command line.
#[derive(Clone, Default, Debug)]
pub struct Defaults {
    pub config: Config,
    pub explore: u64,
    /// Which sources make a program of a file: more than itself for a test.
    pub inputs: Option<fn(&Path) -> Vec<String>>,
}

/// Serves one editor; ends when it is gone. Was there one? At least one request came. An error: there is no OS thread
/// that reads.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    defaults: Defaults,
) -> io::Result<bool> {
    let (sender, requests) = unbounded();
    let interrupts = Interrupts::default();
    let told = interrupts.clone();
    std::thread::Builder::new().spawn(move || read_all(&mut input, &sender, &told))?;
    let mut server = Server {
        writer: Writer::new(output),
        requests,
        interrupts,
        defaults,
        engine: None,
        stop_at_start: false,
        frames: Vec::new(),
        handles: Vec::new(),
        threads: Vec::new(),
        late: Vec::new(),
        counts: Counts { line: 1, column: 1 },
        temporary: None,
        explained: false,
        begun: false,
        spoken: false,
    };
    while server.turn() {}
    Ok(server.spoken)
}

/// What a number of the protocol stands for, until the program goes on.
enum Held {
    /// The variables of a group of a frame.
    Group {
        frame: usize,
        variables: Vec<Seen>,
    },
    Value(Handle),
}

struct Server {
    writer: Writer,
    requests: Receiver<Message>,
    interrupts: Interrupts,
    defaults: Defaults,
    engine: Option<Engine>,
    stop_at_start: bool,
    /// By number of the protocol, from 1: a thread and its frame.
    frames: Vec<(u64, Frame)>,
    handles: Vec<Held>,
    threads: Vec<Thread>,
    /// Break points that were set while the program ran, and have an effect from its next stop on.
    late: Vec<BreakPoint>,
    counts: Counts,
    /// The text that the program reads.
    temporary: Option<tempfile::NamedTempFile>,
    explained: bool,
    begun: bool,
    /// A request has come.
    spoken: bool,
}

/// The numbers of the first line and of the first column, as the editor counts.
#[derive(Clone, Copy)]
struct Counts {
    line: u32,
    column: u32,
}

impl Counts {
    fn of(arguments: &Json) -> Counts {
        let first = |name: &str| u32::from(arguments.get(name).and_then(Json::as_bool).unwrap_or(true));
        Counts { line: first("linesStartAt1"), column: first("columnsStartAt1") }
    }

    /// A line of the engine's, for the editor.
    fn line(self, line: u32) -> u32 {
        (line + self.line).saturating_sub(1)
    }

    /// A line of the editor's.
    fn own_line(self, line: u64) -> u32 {
        u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1 - self.line)
    }

    /// A column of the engine's, in characters of this line. The editor's are UTF-16 units.
    fn column(self, line: &str, column: u32) -> u32 {
        let before = column.saturating_sub(1) as usize;
        line.chars().take(before).map(|c| c.len_utf16() as u32).sum::<u32>() + self.column
    }

    /// A column of the editor's.
    fn own_column(self, line: &str, column: u64) -> u32 {
        let units = u32::try_from(column).unwrap_or(u32::MAX).saturating_sub(self.column);
        let mut left = units;
        let mut own = 1;
        for c in line.chars() {
            let width = c.len_utf16() as u32;
            if left < width {
                return own;
            }
            (left, own) = (left - width, own + 1);
        }
        // Behind the end of the line.
        own.saturating_add(left)
    }
}

/// An answer, or why there is none.
type Answer = Result<Json, String>;

impl Server {
    /// One request, or one look at the program; false at the end.
    fn turn(&mut self) -> bool {
        let runs = self.engine.as_ref().is_some_and(Engine::is_running);
        let message = if runs {
            match self.requests.recv_timeout(TICK) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        } else {
            match self.requests.recv() {
                Ok(message) => Some(message),
                Err(_) => return false,
            }
        };
        let goes_on = message.is_none_or(|message| self.message(message));
        self.look();
        goes_on
    }

    fn message(&mut self, message: Message) -> bool {
        match message {
            Message::Bad { seq, why } => {
                self.writer.refuse(seq, "", &why);
                true
            }
            Message::Request { seq, command, arguments } => {
                self.spoken = true;
                if Interrupts::is_for(&command) {
                    self.interrupts.is_handled();
                }
                match self.request(&command, &arguments) {
                    Ok(body) => self.writer.answer(seq, &command, body),
                    Err(why) => self.writer.refuse(seq, &command, &why),
                }
                self.after(&command);
                command != "disconnect"
            }
        }
    }

    /// Events that follow an answer.
    fn after(&mut self, command: &str) {
        match command {
            "launch" if self.engine.is_some() => self.writer.event("initialized", json!({})),
            "terminate" => {
                self.engine = None;
                self.writer.event("terminated", json!({}));
            }
            "stepBack" | "reverseContinue" => {
                if let Some(moment) = self.engine.as_ref().and_then(|engine| engine.moment.clone()) {
                    self.stopped(&moment);
                }
            }
            _ => {}
        }
    }

    fn engine(&mut self) -> Result<&mut Engine, String> {
        self.engine.as_mut().ok_or_else(|| "no program is being debugged".to_string())
    }

    /// What the program has done. A log point may write much between two requests.
    fn look(&mut self) {
        for _ in 0..LOOKS {
            let all = self.engine.as_mut().map(Engine::poll).unwrap_or_default();
            if all.is_empty() {
                return;
            }
            self.tell(all);
        }
    }

    fn tell(&mut self, all: Vec<Happens>) {
        for happens in all {
            match happens {
                Happens::Output { is_error, text } => {
                    let category = if is_error { "stderr" } else { "stdout" };
                    self.writer.event("output", json!({ "category": category, "output": text }));
                }
                Happens::Log { text, file, line } => {
                    let source = self.engine.as_ref().map_or(Json::Null, |engine| source(engine, &file));
                    let line = self.counts.line(line);
                    let output = format!("{text}\n");
                    self.writer.event(
                        "output",
                        json!({ "category": "console", "output": output, "source": source, "line": line }),
                    );
                }
                Happens::Stopped(stopped) => self.stopped(&stopped),
                Happens::Ended { code } => {
                    self.forget();
                    let late = std::mem::take(&mut self.late);
                    self.tell_breaks(&late);
                    self.writer.event("exited", json!({ "exitCode": code }));
                    self.writer.event("terminated", json!({}));
                }
            }
        }
    }

    fn forget(&mut self) {
        self.frames.clear();
        self.handles.clear();
        self.threads.clear();
    }

    /// The sources were others: so are the places of the break points.
    fn renewed(&mut self, breaks: &[BreakPoint]) {
        self.say("the sources have changed: the program was compiled anew\n");
        self.tell_breaks(breaks);
    }

    fn tell_breaks(&mut self, breaks: &[BreakPoint]) {
        for at in breaks {
            let body = self.break_point(at);
            self.writer.event("breakpoint", json!({ "reason": "changed", "breakpoint": body }));
        }
    }

    /// A break point as the editor shows it.
    fn break_point(&self, at: &BreakPoint) -> Json {
        let is_late = self.engine.as_ref().is_some_and(|engine| engine.is_late(at));
        let mut body = json!({ "id": at.id, "verified": at.at.is_some() && !is_late });
        if let Some((line, column)) = at.at {
            let column = self.counts.column(&self.line_of(at.file(), line), column);
            (body["line"], body["column"]) = (self.counts.line(line).into(), column.into());
        }
        if is_late {
            body["message"] = "takes effect when the program stops".into();
        }
        if let Some(message) = &at.message {
            body["message"] = message.as_str().into();
        }
        body
    }

    /// The text of a line of a file, as the program was compiled from it.
    fn line_of(&self, file: &Path, line: u32) -> String {
        let text = self.engine.as_ref().and_then(|engine| engine.text_at(file));
        let line = text.and_then(|text| text.lines().nth(line.checked_sub(1)? as usize));
        line.unwrap_or("").to_string()
    }

    fn say(&mut self, text: &str) {
        self.writer.event("output", json!({ "category": "console", "output": text }));
    }

    fn stopped(&mut self, stopped: &Stopped) {
        self.forget();
        let late = std::mem::take(&mut self.late);
        self.tell_breaks(&late);
        for file in self.engine.as_mut().map(Engine::changed).unwrap_or_default() {
            let text = "has changed: the session goes on with the text that it began with, a restart takes the new one";
            self.say(&format!("{} {text}\n", file.display()));
        }
        self.explained =
            matches!(stopped.reason, Reason::Raised | Reason::Uncaught | Reason::Failed | Reason::Deadlock);
        let (reason, description) = match stopped.reason {
            Reason::Break => ("breakpoint", "Stopped at a break point"),
            Reason::Step => ("step", "Stopped after a step"),
            Reason::Pause => ("pause", "Stopped"),
            Reason::Target => ("entry", "Stopped at the beginning"),
            Reason::Raised => ("exception", "An exception is raised"),
            Reason::Uncaught => ("exception", "Nobody handles an exception"),
            Reason::Failed => ("exception", "An exception makes a test fail"),
            Reason::Deadlock => ("exception", "Deadlock"),
        };
        let thread = if stopped.thread == 0 { 1 } else { stopped.thread };
        self.writer.event(
            "stopped",
            json!({
                "reason": reason, "description": description, "text": stopped.text.lines().next().unwrap_or(""),
                "threadId": thread, "allThreadsStopped": true, "hitBreakpointIds": stopped.ids,
            }),
        );
    }

    fn request(&mut self, command: &str, arguments: &Json) -> Answer {
        match command {
            "initialize" => {
                self.counts = Counts::of(arguments);
                Ok(capabilities())
            }
            "launch" => self.launch(arguments),
            "attach" => {
                Err("a program is started by the debugger; there is no way to one that runs already".to_string())
            }
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(arguments),
            "setFunctionBreakpoints" => Ok(json!({ "breakpoints": [] })),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "configurationDone" => self.begin(),
            "restart" => {
                let restarted = self.engine()?.restart()?;
                if let Some(breaks) = restarted.breaks {
                    self.renewed(&breaks);
                }
                self.begin()
            }
            "threads" => self.list_threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "exceptionInfo" => self.exception_info(),
            "continue" => self.go(Mode::Run, json!({ "allThreadsContinued": true })),
            "next" => self.step(arguments, Way::Over),
            "stepIn" => self.step(arguments, Way::In),
            "stepOut" => self.step(arguments, Way::Out),
            "stepBack" => {
                let thread = number(arguments, "threadId")?;
                self.forget();
                self.engine()?.step_back(thread).map(|_| Json::Null)
            }
            "reverseContinue" => {
                self.forget();
                self.engine()?.run_back().map(|_| Json::Null)
            }
            "pause" => {
                self.engine()?.pause();
                Ok(Json::Null)
            }
            "loadedSources" => {
                let engine = self.engine()?;
                let files = engine.files();
                Ok(json!({ "sources": files.iter().map(|(name, _)| source(engine, name)).collect::<Vec<_>>() }))
            }
            "terminate" => Ok(Json::Null),
            "disconnect" => {
                self.engine = None;
                Ok(Json::Null)
            }
            _ => Err(format!("there is no request `{command}`")),
        }
    }

    // -- the program

    fn launch(&mut self, arguments: &Json) -> Answer {
        if self.engine.is_some() {
            return Err("a program is being debugged already".to_string());
        }
        let text = |name: &str| arguments.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
        let texts = |name: &str| -> Vec<String> {
            let all = arguments.get(name).and_then(Json::as_array);
            all.into_iter().flatten().filter_map(|text| text.as_str().map(str::to_string)).collect()
        };
        let mut config = self.defaults.config.clone();
        if let Some(folder) = text("cwd") {
            config.folder = Some(PathBuf::from(folder));
        }
        if let Some(program) = text("program") {
            let path = Path::new(program);
            let there = config.folder.as_ref().map_or_else(|| path.to_path_buf(), |folder| folder.join(path));
            if !there.exists() {
                return Err(format!("there is no program {program}"));
            }
            config.inputs = match self.defaults.inputs {
                Some(inputs) => inputs(&there),
                None => vec![program.to_string()],
            };
        }
        if config.inputs.is_empty() {
            return Err("`program` says no file".to_string());
        }
        if !texts("args").is_empty() {
            config.arguments = texts("args");
        }
        config.options.extend(texts("options"));
        if let Some(variables) = arguments.get("env").and_then(Json::as_object) {
            let all = variables.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string())));
            config.variables.extend(all);
        }
        if let Some(file) = text("stdin") {
            let path = Path::new(file);
            config.stdin = Some(config.folder.as_ref().map_or_else(|| path.to_path_buf(), |folder| folder.join(path)));
        }
        if let Some(input) = arguments.get("input").and_then(Json::as_str) {
            let mut file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
            file.write_all(input.as_bytes()).map_err(|error| error.to_string())?;
            config.stdin = Some(file.path().to_path_buf());
            self.temporary = Some(file);
        }
        if let Some(seed) = arguments.get("seed") {
            config.seed = seed.as_u64().ok_or("`seed` is no number")?;
        }
        let explore = match arguments.get("explore") {
            None => self.defaults.explore,
            Some(number) => number.as_u64().ok_or("`explore` is no number")?,
        };
        self.stop_at_start = arguments.get("stopOnEntry").and_then(Json::as_bool).unwrap_or(false);
        if explore > 0 {
            let say = |writer: &mut Writer, text: String| {
                writer.event("output", json!({ "category": "console", "output": text }));
            };
            say(&mut self.writer, format!("trying {explore} interleavings\n"));
            match Engine::explore(&config, explore, &self.interrupts.cancel)? {
                Some(seed) => {
                    say(&mut self.writer, format!("seed {seed} fails: the program runs with it\n"));
                    config.seed = seed;
                }
                None => say(&mut self.writer, format!("none of {explore} interleavings fails\n")),
            }
        }
        let engine = Engine::new(config, self.interrupts.cancel.clone()).inspect_err(|message| {
            self.writer.event("output", json!({ "category": "stderr", "output": format!("{message}\n") }));
        })?;
        self.engine = Some(engine);
        Ok(Json::Null)
    }

    fn begin(&mut self) -> Answer {
        let mode = if self.stop_at_start { Mode::Target { count: 1 } } else { Mode::Run };
        self.begun = true;
        self.go(mode, Json::Null)
    }

    fn go(&mut self, mode: Mode, answer: Json) -> Answer {
        self.forget();
        self.engine()?.go(mode)?;
        Ok(answer)
    }

    fn step(&mut self, arguments: &Json, way: Way) -> Answer {
        let thread = number(arguments, "threadId")?;
        self.go(Mode::Step { thread, way }, Json::Null)
    }

    // -- break points

    fn set_breakpoints(&mut self, arguments: &Json) -> Answer {
        let path = arguments.pointer("/source/path").and_then(Json::as_str).ok_or("`source` has no path")?.to_string();
        let path = PathBuf::from(path);
        let all = arguments.get("breakpoints").and_then(Json::as_array).cloned().unwrap_or_default();
        let mut wishes = Vec::new();
        for at in &all {
            let text = |name: &str| at.get(name).and_then(Json::as_str).map(str::to_string);
            let line = self.counts.own_line(number(at, "line")?);
            let column = at.get("column").and_then(Json::as_u64);
            wishes.push(Wish {
                line,
                column: column.map(|column| self.counts.own_column(&self.line_of(&path, line), column)),
                condition: text("condition"),
                hits: text("hitCondition"),
                log: text("logMessage"),
                ..Wish::default()
            });
        }
        let engine = self.engine()?;
        let made = engine.set_breaks(&path, wishes);
        let late: Vec<BreakPoint> = made.iter().filter(|at| engine.is_late(at)).cloned().collect();
        self.late.retain(|at| at.file() != path);
        self.late.extend(late);
        let shown = |at: &BreakPoint| {
            let mut body = self.break_point(at);
            body["source"] = json!({ "path": path });
            body
        };
        Ok(json!({ "breakpoints": made.iter().map(shown).collect::<Vec<_>>() }))
    }

    fn set_exception_breakpoints(&mut self, arguments: &Json) -> Answer {
        let filters = arguments.get("filters").and_then(Json::as_array).cloned().unwrap_or_default();
        let has = |name: &str| filters.iter().any(|filter| filter.as_str() == Some(name));
        let engine = self.engine()?;
        (engine.raised, engine.uncaught) = (has("all"), has("uncaught"));
        engine.renew();
        Ok(Json::Null)
    }

    fn breakpoint_locations(&mut self, arguments: &Json) -> Answer {
        let path = arguments.pointer("/source/path").and_then(Json::as_str).ok_or("`source` has no path")?;
        let counts = self.counts;
        let line = counts.own_line(number(arguments, "line")?);
        let end = arguments.get("endLine").and_then(Json::as_u64).map_or(line, |line| counts.own_line(line));
        let path = Path::new(path);
        let places = self.engine()?.places(path, line, end);
        let shown = places.iter().map(|&(line, column)| {
            let column = counts.column(&self.line_of(path, line), column);
            json!({ "line": counts.line(line), "column": column })
        });
        Ok(json!({ "breakpoints": shown.collect::<Vec<_>>() }))
    }

    // -- looking

    fn list_threads(&mut self) -> Answer {
        let engine = self.engine()?;
        if engine.is_running() || engine.moment.is_none() {
            // There must be one; the others are known when the program stands still.
            return Ok(json!({ "threads": [{ "id": 1, "name": "thread 1 (main)" }] }));
        }
        let threads = engine.threads()?;
        let named = names(&threads);
        let mut shown: Vec<Json> =
            threads.iter().map(|thread| json!({ "id": thread.id, "name": named[&thread.id] })).collect();
        if shown.is_empty() {
            shown.push(json!({ "id": 1, "name": "thread 1 (main), ended" }));
        }
        self.threads = threads;
        Ok(json!({ "threads": shown }))
    }

    fn stack_trace(&mut self, arguments: &Json) -> Answer {
        let thread = number(arguments, "threadId")?;
        let start = arguments.get("startFrame").and_then(Json::as_u64).unwrap_or(0) as usize;
        let levels =
            arguments.get("levels").and_then(Json::as_u64).filter(|&n| n > 0).unwrap_or(FRAMES as u64) as usize;
        let engine = self.engine()?;
        let moment = engine.moment.clone().ok_or("the program runs")?;
        let (frames, more) = engine.frames(thread, start.saturating_add(levels))?;
        let total = frames.len() + usize::from(more);
        let mut shown = Vec::new();
        for (index, frame) in frames.into_iter().enumerate().skip(start) {
            let counts = self.counts;
            let engine = self.engine()?;
            // The innermost frame stands at the probe, of which the column is known.
            let site = moment.site.filter(|_| index == 0 && thread == moment.thread).and_then(|site| engine.site(site));
            let column =
                site.map_or(counts.column, |site| counts.column(engine.line(&site.file, site.line), site.column));
            let line = counts.line(site.map_or(frame.line, |site| site.line));
            let hint = if frame.is_library { "subtle" } else { "normal" };
            let source = source(engine, &frame.file);
            let name = frame.name.clone();
            self.frames.push((thread, frame));
            shown.push(json!({
                "id": self.frames.len(), "name": name, "line": line, "column": column, "source": source,
                "presentationHint": hint,
            }));
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    fn frame(&self, id: u64) -> Result<(u64, Frame), String> {
        let index = (id as usize).checked_sub(1);
        index
            .and_then(|index| self.frames.get(index))
            .cloned()
            .ok_or_else(|| "there is no such frame any more".to_string())
    }

    fn scopes(&mut self, arguments: &Json) -> Answer {
        let id = number(arguments, "frameId")?;
        let (thread, frame) = self.frame(id)?;
        let mut shown = Vec::new();
        for group in self.engine()?.groups(thread, &frame) {
            if group.variables.is_empty() {
                continue;
            }
            let count = group.variables.len();
            self.handles.push(Held::Group { frame: id as usize, variables: group.variables });
            shown.push(json!({
                "name": group.name, "variablesReference": self.handles.len(), "namedVariables": count,
                "expensive": group.name != "Locals",
                "presentationHint": if group.name == "Locals" { "locals" } else { "registers" },
            }));
        }
        Ok(json!({ "scopes": shown }))
    }

    fn variables(&mut self, arguments: &Json) -> Answer {
        let reference = number(arguments, "variablesReference")?;
        let first = arguments.get("start").and_then(Json::as_u64).unwrap_or(0) as i64;
        let length = arguments.get("count").and_then(Json::as_u64).filter(|&n| n > 0).map_or(i64::MAX, |n| n as i64);
        let held = (reference as usize).checked_sub(1).and_then(|index| self.handles.get(index));
        let mut shown = Vec::new();
        match held.ok_or("there is no such value any more")? {
            Held::Group { frame, variables } => {
                let (frame, variables) = (*frame as u64, variables.clone());
                let (thread, frame) = self.frame(frame)?;
                let values = self.engine()?.values(thread, &frame, &variables);
                for (seen, value) in variables.iter().zip(values) {
                    shown.push(match value {
                        Ok(variable) => self.shown(variable),
                        Err(why) => {
                            json!({ "name": seen.name, "value": why, "type": seen.ty, "variablesReference": 0 })
                        }
                    });
                }
            }
            Held::Value(handle) => {
                let handle = handle.clone();
                // Without a number all are wanted. Each request goes through a list from its begin.
                let mut at_a_time = PARTS;
                while (shown.len() as i64) < length {
                    let from = first.saturating_add(shown.len() as i64);
                    let rest = length - shown.len() as i64;
                    let (value, parts) = self.engine()?.describe(&handle, from, at_a_time.min(rest))?;
                    let none = parts.is_empty();
                    shown.extend(parts.into_iter().map(|part| self.shown(part)));
                    if none || first.saturating_add(shown.len() as i64) >= value.parts as i64 {
                        break;
                    }
                    if value.parts > MANY {
                        at_a_time = 10 * PARTS;
                    }
                }
            }
        }
        Ok(json!({ "variables": shown }))
    }

    fn shown(&mut self, shown: Shown) -> Json {
        let Shown { name, value, handle } = shown;
        let mut body = json!({ "name": name, "value": value.text, "type": value.ty, "variablesReference": 0 });
        if value.parts > 0 {
            self.handles.push(Held::Value(handle));
            body["variablesReference"] = self.handles.len().into();
            body[if value.is_indexed { "indexedVariables" } else { "namedVariables" }] = value.parts.into();
        }
        body
    }

    fn evaluate(&mut self, arguments: &Json) -> Answer {
        let text = arguments.get("expression").and_then(Json::as_str).ok_or("there is no `expression`")?;
        let is_hover = arguments.get("context").and_then(Json::as_str) == Some("hover");
        let (thread, frame) = match arguments.get("frameId").and_then(Json::as_u64) {
            Some(id) => self.frame(id)?,
            None => {
                let engine = self.engine()?;
                let thread = engine.moment.as_ref().ok_or("the program runs")?.thread;
                let frames = engine.frames(thread, 1)?.0;
                (thread, frames.into_iter().next().ok_or("no thread runs")?)
            }
        };
        let text = text.trim().trim_end_matches(';');
        let shown = self.engine()?.evaluate(thread, &frame, text, is_hover)?;
        let mut body = self.shown(shown);
        body["result"] = body["value"].take();
        Ok(body)
    }

    fn exception_info(&mut self) -> Answer {
        let explained = self.explained;
        let moment = self.engine()?.moment.clone().filter(|_| explained).ok_or("no exception is known")?;
        let first = moment.text.lines().next().unwrap_or("");
        let id = first.trim_start_matches("uncaught exception ").split([':', ' ']).next().unwrap_or("").to_string();
        let mode = if moment.reason == Reason::Raised { "always" } else { "unhandled" };
        Ok(json!({
            "exceptionId": if moment.reason == Reason::Deadlock { "deadlock".to_string() } else { id },
            "description": moment.text, "breakMode": mode,
        }))
    }
}

fn capabilities() -> Json {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsExceptionInfoRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsTerminateRequest": true,
        "supportsRestartRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "exceptionBreakpointFilters": [
            { "filter": "uncaught", "label": "Exceptions that nobody handles, deadlocks, crashes", "default": true },
            { "filter": "all", "label": "All exceptions", "default": false },
        ],
    })
}

fn number(arguments: &Json, name: &str) -> Result<u64, String> {
    arguments.get(name).and_then(Json::as_u64).ok_or_else(|| format!("`{name}` is no number"))
}

/// A file for the editor; those of the library have a name and no path.
fn source(engine: &Engine, file: &str) -> Json {
    if file.is_empty() {
        return Json::Null;
    }
    let name = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
    if file.starts_with("$(") {
        return json!({ "name": name, "origin": file, "presentationHint": "deemphasize" });
    }
    let path = engine.path_of(file).unwrap_or(Path::new(file));
    json!({ "name": name, "path": path.display().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns were characters, and lines and columns counted from 1 for every editor.
    #[test]
    fn places_are_as_the_editor_counts() {
        let line = "a\u{1f600}b\u{e9}c";
        let all = [(1, 1), (2, 2), (3, 4), (4, 5), (5, 6), (6, 7), (9, 10)];
        let counts = Counts::of(&json!({}));
        for (own, shown) in all {
            let column = counts.column(line, own);
            assert!(own > 6 || column == shown, "{own}: {column}");
            assert_eq!(counts.own_column(line, shown.into()), own);
        }
        // In the midst of a pair.
        assert_eq!(counts.own_column(line, 3), 2);
        assert_eq!((counts.line(7), counts.own_line(7)), (7, 7));
        let counts = Counts::of(&json!({ "linesStartAt1": false, "columnsStartAt1": false }));
        assert_eq!((counts.line(7), counts.own_line(6), counts.own_line(u64::MAX)), (6, 7, u32::MAX));
        assert_eq!((counts.column(line, 3), counts.own_column(line, 3)), (3, 3));
    }
}
