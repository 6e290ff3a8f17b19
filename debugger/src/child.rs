//! The process of the program: compiles it with probes, runs it, and does what the debugger asks for while it stands
//! still.
//!
//! The watcher is called by the only worker of the program, so whatever happens here happens between two probes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use leat_driver::foreign::is_foreign;
use leat_driver::options::watch;
use leat_driver::probes::{self, InsertPoint, Inserted, Probes};
use leat_driver::{Failure, Input, Options, RuntimeOptions, Session};
use leat_elab::builtin::ty;
use leat_elab::ir::Ty;
use leat_entry::debugger::{FrameView, Next, PROBES, Request, Shared, View, Watcher, Why};

use crate::back::Track;
use crate::protocol::*;
use crate::values::{DEPTH, Node, ONLY, Types};

/// Frames of a thread that are counted.
const FRAMES: usize = 100_000;

/// Parts of a list, array or vector inside of a text.
const LENGTH: i64 = 11;

/// Entries of scopes around scopes that are looked at.
const ENTRIES: usize = 10_000;

/// Runs the program whose debugger listens at the socket; gives the exit code.
pub fn run(socket: &Path, shared: &Path, options: Options, runtime: RuntimeOptions) -> Result<i32, String> {
    // Before it connects: then the debugger takes the names of both away.
    let shared = map(shared)?;
    let socket = UnixStream::connect(socket).map_err(|error| format!("{}: {error}", socket.display()))?;
    let lines = BufReader::new(socket.try_clone().map_err(|error| error.to_string())?);
    let mut wire = Wire { lines, socket, number: 0 };
    let start: Start = wire.read().ok_or("the debugger is gone")?;
    let mut options = options;
    let mut runtime = runtime;
    options.optimise = false;
    options.debug = Some(start.inserted.iter().map(inserted).collect());
    (runtime.sched_seed, runtime.explore) =
        if start.explore > 0 { (None, start.explore) } else { (Some(start.seed), 0) };
    runtime.workers = 1;
    options.watch = watch(&runtime);
    options.align = runtime.align as u32;
    let (foreign, inputs): (Vec<String>, Vec<String>) =
        start.inputs.iter().cloned().partition(|input| is_foreign(Path::new(input)));
    options.linking.files.extend(foreign.iter().map(PathBuf::from));
    if !foreign.is_empty() {
        options.annotations.insert(0, "allowFFI true".to_string());
    }
    let compiled = Session::new(options).and_then(|mut session| {
        if let Some(probes) = &mut session.probes {
            probes.keep(start.texts.clone().into_iter().collect());
        }
        let ssa = session.compile_all(inputs.iter().map(|input| Input::File(Path::new(input))))?;
        Ok((session, ssa))
    });
    let (mut session, ssa) = match compiled {
        Ok(compiled) => compiled,
        Err(failure) => {
            let message = match failure {
                Failure::Errors(text) | Failure::Trouble(text) => text,
                Failure::Stopped => "nothing was compiled".to_string(),
            };
            wire.write(&Event::Failed { message });
            return Ok(1);
        }
    };
    if let Some(folder) = &start.folder {
        std::env::set_current_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    }
    let probes = session.probes.take().unwrap_or_default();
    let arguments: Vec<std::ffi::OsString> = start.arguments.iter().map(Into::into).collect();
    if start.explore > 0 {
        // The explorer's processes are not watched.
        wire.write(&Event::Compiled { sites: Vec::new(), scopes: Vec::new(), texts: Texts::new() });
        return execute(&mut session, &ssa, &runtime, &start.name, &arguments);
    }
    let texts = if start.texts.is_empty() { probes.texts.clone().into_iter().collect() } else { Texts::new() };
    wire.write(&told(&mut session, &probes, texts));
    let flags: &'static [AtomicU8] = Vec::leak((0..probes.sites.len()).map(|_| AtomicU8::new(0)).collect());
    let loaded = leat_driver::execute::load(&mut session, &ssa).map_err(|failure| format!("{failure:?}"))?;
    let wire = Arc::new(Mutex::new(Some(wire)));
    let mut watcher = Looker {
        wire: wire.clone(),
        session,
        places: Places::of(&probes.sites),
        probes,
        flags,
        shared,
        go: Go::default(),
        by_site: HashMap::new(),
        hits: HashMap::new(),
        phase: Phase::Stopped,
        answer: String::new(),
        last: None,
        step: None,
        track: Track::default(),
        found: None,
        told: None,
    };
    // The first command says where to stop.
    if !watcher.first() {
        return Ok(1);
    }
    let program = leat_entry::Program {
        main: loaded.main,
        tables: vec![loaded.table],
        globals: loaded.globals,
        name: start.name.into_bytes(),
        arguments: start.arguments.into_iter().map(String::into_bytes).collect(),
        watched: true,
    };
    PROBES.begin(shared, flags);
    leat_entry::debugger::watch(Box::new(watcher));
    let code = leat_entry::run(&program, &runtime);
    if let Some(wire) = &mut *wire.lock().unwrap_or_else(|e| e.into_inner()) {
        wire.write(&Event::Ended { code });
    }
    Ok(code)
}

fn execute(
    session: &mut Session,
    ssa: &leat_driver::Ssa,
    runtime: &RuntimeOptions,
    name: &str,
    arguments: &[std::ffi::OsString],
) -> Result<i32, String> {
    leat_driver::run(session, ssa, runtime, name, arguments).map_err(|failure| format!("{failure:?}"))
}

/// The memory that outlives this process.
fn map(path: &Path) -> Result<&'static Shared, String> {
    let trouble = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = std::fs::File::options().read(true).write(true).open(path).map_err(trouble)?;
    if file.metadata().map_err(trouble)?.len() < size_of::<Shared>() as u64 {
        return Err(format!("{}: too short", path.display()));
    }
    let both = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a file that is long enough; it stays.
    unsafe {
        let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
        let at = libc::mmap(std::ptr::null_mut(), size_of::<Shared>(), both, libc::MAP_SHARED, fd, 0);
        if at == libc::MAP_FAILED {
            return Err(trouble(std::io::Error::last_os_error()));
        }
        Ok(&*at.cast())
    }
}

fn inserted(insert: &Insert) -> Inserted {
    let ScopePlace { file, start, end } = insert.at.clone();
    Inserted { at: InsertPoint { file, start, end }, number: insert.number, text: insert.text.clone() }
}

/// What the debugger has to know of the program.
fn told(session: &mut Session, probes: &Probes, texts: Texts) -> Event {
    let types = Types { session };
    let sites = probes.sites.iter().map(|site| Site {
        file: site.file.clone(),
        line: site.line,
        column: site.column,
        scope: site.scope,
        is_entry: site.is_entry,
        function: site.function.clone(),
    });
    let scopes = probes.scopes.iter().map(|scope| {
        let variables = scope.variables.iter().map(|variable| Variable {
            name: variable.name.clone(),
            ty: types.text(variable.ty),
            inserted: variable.inserted,
            is_doubtful: variable.is_doubtful,
        });
        let InsertPoint { file, start, end } = scope.at.clone();
        let at = ScopePlace { file, start, end };
        Scope {
            around: scope.around,
            variables: variables.collect(),
            hides: scope.hides.clone(),
            opens: scope.opens,
            is_global: scope.is_global,
            at,
        }
    });
    Event::Compiled { sites: sites.collect(), scopes: scopes.collect(), texts }
}

/// How much has been written to standard output and to standard error, which are files of the debugger's.
fn written() -> [u64; 2] {
    [libc::STDOUT_FILENO, libc::STDERR_FILENO].map(|fd| {
        // SAFETY: plain data, which the call fills.
        unsafe {
            let mut data: libc::stat = std::mem::zeroed();
            if libc::fstat(fd, &mut data) == 0 { data.st_size as u64 } else { 0 }
        }
    })
}

/// The socket, a JSON object a line in both directions.
struct Wire {
    lines: BufReader<UnixStream>,
    socket: UnixStream,
    /// Of the last command.
    number: u64,
}

impl Wire {
    fn write(&mut self, event: &Event) {
        let text = serde_json::to_string(&Numbered { number: self.number, what: event }).unwrap_or_default() + "\n";
        // A debugger that is gone is noticed by the next `read`.
        let _ = self.socket.write_all(text.as_bytes());
    }

    fn read<T: serde::de::DeserializeOwned>(&mut self) -> Option<T> {
        let mut line = String::new();
        if self.lines.read_line(&mut line).ok()? == 0 {
            return None;
        }
        serde_json::from_str(&line).ok()
    }

    fn read_command(&mut self) -> Option<Command> {
        let Numbered { number, what } = self.read()?;
        self.number = number;
        Some(what)
    }
}

/// Where the sites are: what is asked at each probe and for each frame.
struct Places {
    /// The number of each site's file.
    files: Vec<u32>,
    numbers: HashMap<String, u32>,
    /// The sites of a line, in order.
    lines: HashMap<(u32, u32), Vec<u32>>,
}

impl Places {
    fn of(sites: &[probes::Site]) -> Places {
        let mut places =
            Places { files: Vec::with_capacity(sites.len()), numbers: HashMap::new(), lines: HashMap::new() };
        for (number, site) in (0..).zip(sites) {
            let next = places.numbers.len() as u32;
            let file = match places.numbers.get(&site.file) {
                Some(&file) => file,
                None => *places.numbers.entry(site.file.clone()).or_insert(next),
            };
            places.files.push(file);
            places.lines.entry((file, site.line)).or_default().push(number);
        }
        places
    }

    /// The sites of this line.
    fn at(&self, file: &str, line: u32) -> &[u32] {
        let found = self.numbers.get(file).and_then(|&file| self.lines.get(&(file, line)));
        found.map_or(&[], |sites| sites)
    }
}

/// What the watcher is about.
#[derive(Clone, Debug)]
enum Phase {
    Runs,
    /// A condition, or a part of what a log point writes, is being described: which of the place's break points it
    /// belongs to.
    Weighs {
        entry: usize,
        part: usize,
        text: String,
        ids: Vec<u32>,
    },
    Stopped,
    /// Something is being described for the debugger.
    Describes(Describe),
}

/// Where a step began.
#[derive(Clone, Copy, Debug)]
struct StepFrom {
    thread: u64,
    place: usize,
    line: u32,
    file: u32,
    way: Way,
}

struct Looker {
    /// None in a process that the program has forked.
    wire: Arc<Mutex<Option<Wire>>>,
    session: Session,
    probes: Box<Probes>,
    places: Places,
    flags: &'static [AtomicU8],
    shared: &'static Shared,
    go: Go,
    /// Which of `go.breaks` are at a place.
    by_site: HashMap<u32, Vec<usize>>,
    /// How often each break point of the user's was come by.
    hits: HashMap<u32, u64>,
    phase: Phase,
    answer: String,
    /// Thread and place of the last stop.
    last: Option<(u64, u32)>,
    step: Option<StepFrom>,
    track: Track,
    found: Option<u64>,
    /// The count of the last exception that was told of, if no probe has been passed since.
    told: Option<u64>,
}

// SAFETY: what a session shares by counted references it shares with itself only, and the whole session is the
// watcher's. It is called behind a lock, by one thread of the operating system at a time.
unsafe impl Send for Looker {}

impl Looker {
    fn send(&self, event: &Event) {
        if let Some(wire) = &mut *self.wire.lock().unwrap_or_else(|e| e.into_inner()) {
            wire.write(event);
        }
    }

    fn next_command(&self) -> Option<Command> {
        self.wire.lock().unwrap_or_else(|e| e.into_inner()).as_mut()?.read_command()
    }

    /// Waits for the first `Go`.
    fn first(&mut self) -> bool {
        match self.next_command() {
            Some(Command::Go(go)) => {
                self.goes(go, None);
                true
            }
            _ => false,
        }
    }

    fn file_of(&self, site: u32) -> u32 {
        self.places.files[site as usize]
    }

    /// Probes are flagged at which a break point of `go` stands.
    fn flag(&mut self) {
        self.flags.iter().for_each(|flag| flag.store(0, Relaxed));
        self.by_site.clear();
        // On the way to a moment nothing stops, but times count.
        let is_of_use = |at: &Break| match self.go.mode {
            Mode::FindStep { .. } => false,
            Mode::Target { .. } => at.hits.is_some(),
            _ => true,
        };
        for (i, at) in self.go.stops.breaks.iter().enumerate().filter(|(_, at)| is_of_use(at)) {
            self.by_site.entry(at.site).or_default().push(i);
            if let Some(flag) = self.flags.get(at.site as usize) {
                flag.store(1, Relaxed);
            }
        }
    }

    /// Takes up break points that have changed while the program runs. No probe is passed, so the run stays the same.
    fn renew(&mut self) {
        self.send(&Event::Asks);
        match self.next_command() {
            Some(Command::Stops(stops)) => self.go.stops = stops,
            _ => gone(),
        }
        self.flag();
    }

    /// From here on the program runs.
    fn goes(&mut self, go: Go, view: Option<&dyn View>) {
        let (every, target) = match go.mode {
            Mode::Run => (false, 0),
            Mode::Step { .. } => (true, 0),
            Mode::Target { count } => (false, count),
            Mode::FindStep { .. } => (true, 0),
            Mode::FindBreak { until } => (false, until),
        };
        self.step = match (go.mode, view) {
            (Mode::Step { thread, way }, Some(view)) => {
                let own = self.last.filter(|last| last.0 == thread).map(|last| last.1);
                let place = match own {
                    Some(_) => view.place(),
                    None => {
                        let frames = view.frames(thread, FRAMES).0;
                        let frame = frames.iter().find(|frame| frame.places.iter().any(|place| !place.is_library));
                        frame.map_or(0, |frame| frame.place)
                    }
                };
                let line = own.map_or(0, |site| self.probes.sites[site as usize].line);
                let file = own.map_or(0, |site| self.file_of(site));
                Some(StepFrom { thread, place, line, file, way })
            }
            _ => None,
        };
        PROBES.look_at(every, target);
        // A stop without a place is one at an exception.
        self.told = view.filter(|_| go.told || self.last.is_none()).map(|view| view.count());
        self.go = go;
        self.flag();
        self.phase = Phase::Runs;
        self.track = Track::default();
        self.found = None;
    }

    /// The program stands still: does what is asked until it goes on, or SML code has to describe something.
    fn serve(&mut self, view: &dyn View, at_probe: bool) -> Next {
        loop {
            let Some(command) = self.next_command() else { gone() };
            match command {
                Command::Go(go) => {
                    self.goes(go, Some(view));
                    return Next::Go;
                }
                // Only asked for while it runs.
                Command::Stops(_) => {}
                Command::Threads => {
                    let threads = view.threads().into_iter().map(|thread| Thread {
                        id: thread.id,
                        name: thread.name,
                        is_main: thread.is_main,
                        does: thread.does,
                    });
                    self.send(&Event::Threads(threads.collect()));
                }
                Command::Frames { thread, most } => {
                    let site = self.last.filter(|last| at_probe && last.0 == thread).map(|last| last.1);
                    let (frames, _) = view.frames(thread, FRAMES);
                    let (frames, more) = shown(&self.probes, &self.places, &frames, site, most);
                    self.send(&Event::Frames { frames, more });
                }
                Command::Describe(what) if at_probe => {
                    let request = Request {
                        thread: what.thread,
                        frame: what.frame,
                        scope: what.scope,
                        variable: what.variable,
                        path: what.path.iter().copied().filter(|&index| index != ONLY).collect(),
                        depth: DEPTH + 1,
                        first: what.first,
                        length: if what.length > 0 { what.length } else { LENGTH },
                    };
                    self.phase = Phase::Describes(what);
                    return Next::Describe(request);
                }
                Command::Describe(_) => {
                    let message = "variables cannot be looked at here".to_string();
                    self.send(&Event::Refused { message });
                }
            }
        }
    }

    fn stop(&mut self, reason: Reason, text: String, site: Option<u32>, ids: Vec<u32>, view: &dyn View) -> Next {
        self.phase = Phase::Stopped;
        let (thread, count) = (view.thread(), view.count());
        self.last = site.map(|site| (thread, site));
        self.send(&Event::Stopped(Stopped { reason, text, thread, count, site, ids }));
        self.serve(view, site.is_some())
    }

    fn found(&mut self, count: Option<u64>, site: u32, view: &dyn View) -> Next {
        self.phase = Phase::Stopped;
        self.last = Some((view.thread(), site));
        self.send(&Event::Found { count });
        self.serve(view, true)
    }

    /// A probe that is looked at.
    fn probe(&mut self, site: u32, view: &dyn View) -> Next {
        let count = view.count();
        if let Mode::FindStep { thread, until } = self.go.mode {
            if view.thread() == thread {
                let at = &self.probes.sites[site as usize];
                let (line, entry) = (at.line, at.is_entry);
                self.track.passed(view.place(), self.file_of(site), line, entry, count);
            }
            if count >= until {
                let is_here = view.thread() == thread;
                return self.found(self.track.before(is_here), site, view);
            }
            return Next::Go;
        }
        if self.by_site.contains_key(&site) {
            return self.weigh(site, 0, 0, String::new(), Vec::new(), view);
        }
        self.weighed(site, Vec::new(), view)
    }

    /// Goes through the break points of a place: whose condition holds, and what those that log write.
    fn weigh(&mut self, site: u32, from: usize, part: usize, text: String, ids: Vec<u32>, view: &dyn View) -> Next {
        let (mut part, mut text, mut ids) = (part, text, ids);
        let entries = self.by_site.get(&site).cloned().unwrap_or_default();
        for (entry, &index) in entries.iter().enumerate().skip(from) {
            let at = self.go.stops.breaks[index].clone();
            // Part 0 is the condition, the others are those of the log.
            if part == 0 {
                if let Some(number) = at.condition {
                    return self.ask(number, site, Phase::Weighs { entry, part: 0, text, ids }, view);
                }
                part = 1;
                if !self.counts(&at) {
                    part = 0;
                    continue;
                }
            }
            let Some(log) = &at.log else {
                ids.push(at.id);
                part = 0;
                continue;
            };
            while let Some(piece) = log.get(part - 1) {
                match piece {
                    Log::Text(piece) => text.push_str(piece),
                    Log::Inserted(number) => {
                        return self.ask(*number, site, Phase::Weighs { entry, part, text, ids }, view);
                    }
                }
                part += 1;
            }
            if !matches!(self.go.mode, Mode::FindBreak { .. } | Mode::Target { .. }) {
                self.send(&Event::Log { text: std::mem::take(&mut text), site, written: written() });
            }
            part = 0;
        }
        self.weighed(site, ids, view)
    }

    /// Whether this time counts.
    fn counts(&mut self, at: &Break) -> bool {
        let hits = self.hits.entry(at.id).or_default();
        *hits += 1;
        match at.hits {
            None => true,
            Some(Hits::Exactly(n)) => *hits == n,
            Some(Hits::From(n)) => *hits >= n,
            Some(Hits::Every(n)) => hits.is_multiple_of(n.max(1)),
        }
    }

    /// Asks for an inserted expression of the running thread's innermost frame.
    fn ask(&mut self, number: u32, site: u32, phase: Phase, view: &dyn View) -> Next {
        let scope = self.probes.sites[site as usize].scope;
        let Some((variable, _)) = entries(&self.probes, scope).find(|(_, entry)| entry.2 == Some(number)) else {
            return self.weighed(site, Vec::new(), view);
        };
        self.phase = phase;
        let variable = variable as i64;
        let thread = view.thread();
        let (depth, length) = (DEPTH, LENGTH);
        Next::Describe(Request { thread, frame: 0, scope, variable, path: vec![], depth, first: 0, length })
    }

    /// The break points of a place are known; steps are next.
    fn weighed(&mut self, site: u32, ids: Vec<u32>, view: &dyn View) -> Next {
        self.phase = Phase::Runs;
        if let Mode::Target { count } = self.go.mode {
            return match view.count() >= count {
                true => self.stop(Reason::Target, String::new(), Some(site), vec![], view),
                false => Next::Go,
            };
        }
        if let Mode::FindBreak { until } = self.go.mode {
            if !ids.is_empty() {
                self.found = Some(view.count());
            }
            return match view.count() >= until {
                true => self.found(self.found, site, view),
                false => Next::Go,
            };
        }
        if !ids.is_empty() {
            return self.stop(Reason::Break, String::new(), Some(site), ids, view);
        }
        if self.shared.pause.load(Relaxed) == Pause::Stop as u64 {
            return self.stop(Reason::Pause, String::new(), Some(site), ids, view);
        }
        if let Some(from) = self.step
            && view.thread() == from.thread
        {
            let (place, at) = (view.place(), &self.probes.sites[site as usize]);
            let is_same_line = at.line == from.line && self.file_of(site) == from.file;
            let is_new = at.is_entry || place != from.place || !is_same_line;
            let stops = match from.way {
                Way::In => is_new,
                Way::Over => place >= from.place && is_new,
                Way::Out => place > from.place,
            };
            if stops {
                return self.stop(Reason::Step, String::new(), Some(site), ids, view);
            }
        }
        Next::Go
    }

    /// What was asked for has been described.
    fn described(&mut self, site: u32, view: &dyn View) -> Next {
        let answer = std::mem::take(&mut self.answer);
        match std::mem::replace(&mut self.phase, Phase::Runs) {
            Phase::Weighs { entry, part, mut text, ids } => {
                let index = self.by_site.get(&site).and_then(|entries| entries.get(entry)).copied();
                let Some(at) = index.map(|index| self.go.stops.breaks[index].clone()) else { return Next::Go };
                if part > 0 {
                    let ty = at.log.as_ref().and_then(|log| match log.get(part - 1) {
                        Some(Log::Inserted(number)) => self.type_of(site, *number),
                        _ => None,
                    });
                    let node = Node::parse(&answer).unwrap_or(Node::Leaf("?".to_string()));
                    let shown = Types { session: &mut self.session }.show(&node, ty);
                    text.push_str(written_of(&node, &shown));
                    return self.weigh(site, entry, part + 1, text, ids, view);
                }
                let holds = matches!(Node::parse(&answer), Some(Node::Leaf(text)) if text == "true");
                match holds && self.counts(&at) {
                    true => self.weigh(site, entry, 1, text, ids, view),
                    false => self.weigh(site, entry + 1, 0, text, ids, view),
                }
            }
            Phase::Describes(what) => {
                self.phase = Phase::Stopped;
                let event = self.value(&what, &answer);
                self.send(&event);
                self.serve(view, true)
            }
            phase => {
                self.phase = phase;
                self.serve(view, true)
            }
        }
    }

    fn type_of(&self, site: u32, number: u32) -> Option<Ty> {
        let scope = self.probes.sites[site as usize].scope;
        entries(&self.probes, scope).find(|(_, entry)| entry.2 == Some(number)).map(|(_, entry)| entry.1)
    }

    /// A description as a value with its parts.
    fn value(&mut self, what: &Describe, answer: &str) -> Event {
        let Some(node) = Node::parse(answer) else {
            return Event::Refused { message: "there is no such variable in this frame".to_string() };
        };
        let is_scope = (what.scope as usize) < self.probes.scopes.len();
        let variable = is_scope.then(|| entries(&self.probes, what.scope).nth(what.variable as usize)).flatten();
        let ty = variable.map(|(_, entry)| entry.1);
        let mut types = Types { session: &mut self.session };
        let ty = types.along(ty, &what.path);
        Event::Described { value: types.value(&node, ty), parts: types.parts(&node, ty) }
    }
}

/// The entries of a scope and of those around it, by number: name, type, what was inserted.
fn entries(probes: &Probes, scope: u32) -> impl Iterator<Item = (usize, (&str, Ty, Option<u32>))> {
    let scopes = std::iter::successors(Some(scope), move |&scope| probes.scopes[scope as usize].around);
    let all = scopes.flat_map(move |scope| &probes.scopes[scope as usize].variables);
    all.map(|variable| (&*variable.name, variable.ty, variable.inserted)).take(ENTRIES).enumerate()
}

/// A value as a log point writes it: a string without the quotes around it.
fn written_of<'s>(node: &Node, shown: &'s str) -> &'s str {
    let bare = || shown.strip_prefix('"')?.strip_suffix('"');
    match node {
        Node::Typed(ty::STRING, _) => bare().unwrap_or(shown),
        _ => shown,
    }
}

/// The debugger has ended, and so does its program.
fn gone() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) }
}

/// A line for each function of the frames. Of functions of the library that follow one another the outermost is shown,
/// which is what the program has called. `site`: where the innermost frame stands, if it stands at a probe.
fn shown(probes: &Probes, places: &Places, frames: &[FrameView], site: Option<u32>, most: usize) -> (Vec<Frame>, bool) {
    let count: usize = frames.iter().map(|frame| frame.places.len()).sum();
    let numbered = |(index, frame): (usize, &FrameView)| (0..frame.places.len()).map(move |inner| (index, inner));
    let mut all = frames.iter().enumerate().flat_map(numbered).enumerate().peekable();
    let mut out: Vec<Frame> = Vec::new();
    while let Some((at, (index, inner))) = all.next() {
        let place = &frames[index].places[inner];
        let own_next = all.peek().is_some_and(|&(_, (index, inner))| !frames[index].places[inner].is_library);
        if place.is_library && !own_next {
            continue;
        }
        if out.len() == most {
            return (out, true);
        }
        out.push(Frame {
            name: place.name.clone(),
            file: place.file.clone(),
            line: place.line,
            is_library: place.is_library,
            scope: scope_of(probes, places, &frames[index], inner, site.filter(|_| at == 0)),
            index,
            depth: count - 1 - at,
        });
    }
    (out, false)
}

/// The scope of one of the functions in a frame.
fn scope_of(probes: &Probes, places: &Places, frame: &FrameView, inner: usize, site: Option<u32>) -> Option<u32> {
    if let Some(site) = site {
        return Some(probes.sites[site as usize].scope);
    }
    let place = &frame.places[inner];
    if place.is_library {
        return None;
    }
    let held = match inner {
        0 => frame.scopes.first().copied(),
        _ => frame.scopes.iter().find(|&&scope| probes.scopes[scope as usize].function == place.function).copied(),
    };
    // A scope that captures nothing is held by no frame.
    held.or_else(|| {
        let here = places.at(&place.file, place.line);
        let own = here.iter().find(|&&site| probes.sites[site as usize].function == place.function);
        own.or(here.first()).map(|&site| probes.sites[site as usize].scope)
    })
}

impl Watcher for Looker {
    fn stopped(&mut self, why: Why, view: &dyn View) -> Next {
        if self.shared.pause.load(Relaxed) == Pause::Renew as u64 && !matches!(why, Why::Answered(_)) {
            self.renew();
        }
        let is_quiet = matches!(self.go.mode, Mode::Target { .. } | Mode::FindStep { .. } | Mode::FindBreak { .. });
        // An exception that was told of where it is raised is no new one where nobody handles it.
        let is_new = self.told != Some(view.count());
        match why {
            Why::Probe(site) => self.probe(site, view),
            Why::Answered(site) => self.described(site, view),
            _ if is_quiet => Next::Go,
            Why::Raised(text) if self.go.stops.raised && is_new => self.stop(Reason::Raised, text, None, vec![], view),
            Why::Raised(text) if self.go.stops.uncaught && is_new && fails_test(view) => {
                self.stop(Reason::Failed, text, None, vec![], view)
            }
            Why::Raised(_) => Next::Go,
            Why::Uncaught(text) if self.go.stops.uncaught && is_new => {
                self.stop(Reason::Uncaught, text, None, vec![], view)
            }
            Why::Deadlock(text) if self.go.stops.uncaught => self.stop(Reason::Deadlock, text, None, vec![], view),
            Why::Uncaught(_) | Why::Deadlock(_) => Next::Go,
        }
    }

    fn answered(&mut self, text: &str) {
        self.answer = text.to_string();
    }

    fn forked(&mut self) {
        *self.wire.lock().unwrap_or_else(|e| e.into_inner()) = None;
    }
}

/// Whether the exception that is raised makes a test fail: the innermost handler is the tests' own.
fn fails_test(view: &dyn View) -> bool {
    view.handler().iter().any(|place| place.file.starts_with("$(SML_LIB)/leat-test/test.sml"))
}

#[cfg(test)]
mod tests {
    use leat_entry::debugger::PlaceView;

    use super::*;

    fn site(file: &str, line: u32, scope: u32, function: &str) -> probes::Site {
        let (file, function) = (file.to_string(), function.to_string());
        probes::Site { file, line, column: 1, scope, is_entry: false, function }
    }

    /// Each frame went through all places of the program, and each probe through those of all files before its own.
    #[test]
    fn places_are_found_by_file_and_line() {
        let sites =
            [site("a.sml", 1, 0, "f"), site("b.sml", 1, 1, "g"), site("a.sml", 2, 2, ""), site("a.sml", 1, 3, "h")];
        let places = Places::of(&sites);
        assert_eq!(places.files, [0, 1, 0, 0]);
        assert_eq!(places.at("a.sml", 1), [0, 3]);
        assert_eq!(places.at("b.sml", 1), [1]);
        assert!(places.at("b.sml", 2).is_empty() && places.at("c.sml", 1).is_empty());
    }

    /// Frames are counted from the outermost one, however few are shown; the library's are one, which is called.
    #[test]
    fn no_more_frames_are_shown_than_are_asked_for() {
        let place = |name: &str, file: &str, is_library| PlaceView {
            function: name.to_string(),
            name: name.to_string(),
            file: file.to_string(),
            line: 1,
            is_library,
        };
        let frame = |places| FrameView { places, place: 0, scopes: vec![] };
        let frames = [
            frame(vec![place("inner", "lib", true)]),
            frame(vec![place("outer", "lib", true), place("h", "a.sml", false)]),
            frame(vec![place("g", "b.sml", false)]),
            frame(vec![place("start", "lib", true)]),
        ];
        let mut probes = Probes::default();
        probes.sites.extend([site("a.sml", 1, 0, "f"), site("a.sml", 1, 3, "h")]);
        let places = Places::of(&probes.sites);
        let of = |most: usize| {
            let (shown, more) = shown(&probes, &places, &frames, None, most);
            let shown: Vec<_> = shown.into_iter().map(|f| (f.name, f.index, f.depth, f.scope)).collect();
            (shown, more)
        };
        let all = [("outer", 1, 3, None), ("h", 1, 2, Some(3)), ("g", 2, 1, None)];
        let all = all.map(|(name, index, depth, scope)| (name.to_string(), index, depth, scope));
        assert_eq!(of(9), (all.to_vec(), false));
        assert_eq!(of(3), (all.to_vec(), false));
        assert_eq!(of(2), (all[..2].to_vec(), true));
    }

    /// All quotes at both ends were taken off, also those of the string itself and of a character.
    #[test]
    fn a_string_is_written_without_its_quotes() {
        let string = |shown: &str| written_of(&Node::Typed(ty::STRING, String::new()), shown).to_string();
        assert_eq!(string(r#""a""#), "a");
        assert_eq!(string(r#""\"""#), r#"\""#);
        assert_eq!(string(r#""""#), "");
        assert_eq!(written_of(&Node::Typed(ty::CHAR, String::new()), r##"#"a""##), r##"#"a""##);
    }
}
