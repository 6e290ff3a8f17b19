//! The debugger itself, whoever speaks with it: break points, going on, going back, threads, frames, variables,
//! expressions.
//!
//! A moment of a run is the number of probes that were passed. To be at a moment that is past, or to have another
//! expression in the program, a process is started anew and runs to that number.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use leat_driver::probes;

use crate::process::{Compiled, Config, Gone, Process, signal};
use crate::protocol::*;

/// Numbers of expressions that are evaluated once; below them are those of break points.
const ONCE: u32 = 1_000_000;

/// Parts of a break point that are expressions.
const OF_ONE: u32 = 32;

/// Processes that stand at this moment besides the program's: each has a heap of its own.
const KEPT: usize = 2;

/// Frames of a thread among which another one is looked for first.
const FRAMES: usize = 100;

/// How long a run is repeated that has used sockets.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the user wants of a line.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Wish {
    pub line: u32,
    pub column: Option<u32>,
    /// Where a function begins, each of its rules, and no line.
    pub function: Option<String>,
    pub condition: Option<String>,
    pub hits: Option<String>,
    pub log: Option<String>,
}

/// A break point, and where it has come to stand.
#[derive(Clone, Debug)]
pub struct BreakPoint {
    pub id: u32,
    file: PathBuf,
    wish: Wish,
    /// Line and column, if there is code for it.
    pub at: Option<(u32, u32)>,
    pub message: Option<String>,
    sites: Vec<u32>,
    hits: Option<Hits>,
    log: Option<Vec<Log>>,
    inserted: Vec<Insert>,
}

/// What happens while the program runs.
#[derive(Clone, Debug)]
pub enum Happens {
    Stopped(Stopped),
    Output { is_error: bool, text: String },
    Log { text: String, file: String, line: u32 },
    Ended { code: i32 },
}

/// Where a variable, or a part of it, is.
#[derive(Clone, Debug)]
pub struct Handle {
    /// What is inserted in the process that has it; nothing: it is the program's own.
    view: Option<Arc<Vec<Insert>>>,
    what: Describe,
}

/// A variable as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    pub name: String,
    pub value: Value,
    pub handle: Handle,
}

/// A scope of a frame.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: &'static str,
    pub variables: Vec<Seen>,
}

/// A variable that is seen in a frame.
#[derive(Clone, Debug)]
pub struct Seen {
    pub name: String,
    pub ty: String,
    /// Which entry of the frame's scope it is. None: an `open` may have brought another one of its name, and only the
    /// compiler knows.
    number: Option<i64>,
}

/// What a new beginning has brought.
#[derive(Debug)]
pub struct Restarted {
    /// The sources were other ones: then these are the break points, at their new places.
    pub breaks: Option<Vec<BreakPoint>>,
}

impl BreakPoint {
    pub fn condition(&self) -> Option<&str> {
        self.wish.condition.as_deref()
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether these are all expressions that it needs.
    fn is_in(&self, inserted: &[Insert]) -> bool {
        self.inserted.iter().all(|insert| inserted.contains(insert))
    }
}

pub struct Engine {
    pub config: Config,
    /// Set by whoever wants no call of this to wait any longer.
    pub cancel: Arc<AtomicBool>,
    pub raised: bool,
    pub uncaught: bool,
    sites: Vec<Site>,
    scopes: Vec<Scope>,
    /// Files that have code: as frames call them, and where they are.
    files: Vec<(String, PathBuf)>,
    /// When the sources were read, and whether it was told that they are others by now.
    read: SystemTime,
    told: bool,
    process: Option<Process>,
    /// Compiled, and not started yet.
    spare: Vec<Process>,
    /// Processes that stand at this moment, too, the last one that was asked behind the others.
    views: Vec<Process>,
    breaks: Vec<BreakPoint>,
    next_id: u32,
    pub moment: Option<Stopped>,
    runs: bool,
    /// The program crashed behind this probe, and that was told.
    crashed: Option<u64>,
    /// The program has ended behind this probe.
    end: Option<u64>,
    /// One that has ended had sockets.
    had_sockets: bool,
    goes_back: bool,
}

type Outcome<T> = Result<T, String>;

impl Engine {
    /// Compiles the program; it is not started.
    pub fn new(mut config: Config, cancel: Arc<AtomicBool>) -> Outcome<Engine> {
        let read = SystemTime::now();
        config.texts.clear();
        let mut process = Process::start(&config, &[], 0)?;
        process.compile(&cancel)?;
        let Compiled { sites, scopes, texts } = process.compiled.clone().unwrap_or_default();
        config.texts = texts;
        Ok(Engine {
            files: files(&config, &sites),
            read,
            told: false,
            config,
            cancel,
            raised: false,
            uncaught: true,
            sites,
            scopes,
            process: Some(process),
            spare: Vec::new(),
            views: Vec::new(),
            breaks: Vec::new(),
            next_id: 1,
            moment: None,
            runs: false,
            crashed: None,
            end: None,
            had_sockets: false,
            goes_back: false,
        })
    }

    /// The first seed with which the program fails, of so many.
    pub fn explore(config: &Config, seeds: u64, cancel: &AtomicBool) -> Outcome<Option<u64>> {
        let mut process = Process::start(config, &[], seeds)?;
        process.compile(cancel)?;
        process.end(cancel);
        let said = process.read_output().1;
        let number = |line: &str| line.strip_prefix("seed ")?.split_once(" fails")?.0.parse().ok();
        Ok(said.lines().find_map(number))
    }

    // -- break points

    /// Files that have code: as frames call them, and where they are.
    pub fn files(&self) -> &[(String, PathBuf)] {
        &self.files
    }

    /// Where a file is that frames call so.
    pub fn path_of(&self, file: &str) -> Option<&Path> {
        self.files.iter().find(|(name, _)| name == file).map(|(_, path)| &**path)
    }

    /// Lines and columns of a file at which the program may be stopped, in these lines.
    pub fn places(&self, file: &Path, from: u32, to: u32) -> Vec<(u32, u32)> {
        let mut places: Vec<(u32, u32)> = self
            .sites_of(file)
            .map(|(_, site)| (site.line, site.column))
            .filter(|place| (from..=to).contains(&place.0))
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn sites_of(&self, file: &Path) -> impl Iterator<Item = (u32, &Site)> {
        let whole = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let names: Vec<&str> = self.files.iter().filter(|(_, path)| *path == whole).map(|(name, _)| &**name).collect();
        (0..).zip(&self.sites).filter(move |(_, site)| names.contains(&&*site.file))
    }

    /// These are the break points of the file from now on.
    pub fn set_breaks(&mut self, file: &Path, wishes: Vec<Wish>) -> Vec<BreakPoint> {
        let mut old: Vec<BreakPoint> = Vec::new();
        self.breaks.retain(|at| {
            if at.file == file {
                old.push(at.clone());
            }
            at.file != file
        });
        let mut made = Vec::new();
        for wish in wishes {
            let known = old.iter().find(|at| at.wish == wish).cloned();
            made.push(known.unwrap_or_else(|| {
                self.next_id += 1;
                self.break_point(self.next_id - 1, file, wish)
            }));
        }
        self.breaks.extend(made.iter().cloned());
        self.renew();
        made
    }

    fn break_point(&mut self, id: u32, file: &Path, wish: Wish) -> BreakPoint {
        let mut at = BreakPoint {
            id,
            file: file.to_path_buf(),
            wish,
            at: None,
            message: None,
            sites: Vec::new(),
            hits: None,
            log: None,
            inserted: Vec::new(),
        };
        let places = self.places(file, 1, u32::MAX);
        let wish = at.wish.clone();
        if let Some(function) = &wish.function {
            at.sites = self.entries_of_function(function, |site| self.path_of(&site.file) == Some(file));
            at.at = at.sites.iter().map(|&site| &self.sites[site as usize]).map(|site| (site.line, site.column)).min();
            match at.at {
                Some(_) => self.complete_or_refuse(&mut at),
                None => at.message = Some(format!("this file has no function {function}")),
            }
            return at;
        }
        let nearest = places.iter().copied().find(|place| match wish.column {
            Some(column) => *place >= (wish.line, column),
            None => place.0 >= wish.line,
        });
        let Some(place) = nearest else {
            at.message = Some(match places.is_empty() {
                true => "this file is no part of the program".to_string(),
                false => "no code begins at this line or below it".to_string(),
            });
            return at;
        };
        at.at = Some(place);
        at.sites = self.sites_of(file).filter(|(_, site)| (site.line, site.column) == place).map(|s| s.0).collect();
        self.complete_or_refuse(&mut at);
        at
    }

    fn complete_or_refuse(&mut self, at: &mut BreakPoint) {
        if let Err(message) = self.complete(at) {
            (at.at, at.message) = (None, Some(message));
            at.sites.clear();
            at.inserted.clear();
        }
    }

    /// Files that have a function of this name.
    pub fn files_with(&self, function: &str) -> Vec<PathBuf> {
        let sites = self.entries_of_function(function, |_| true);
        let path = |site: u32| self.path_of(&self.sites[site as usize].file).map(Path::to_path_buf);
        let mut files: Vec<PathBuf> = sites.into_iter().filter_map(path).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Where the rules of a function begin: `f`, or what ends in `.f`. Functions without a name inside of it have its
    /// name in their places; their scopes are inside of its own.
    fn entries_of_function(&self, name: &str, is_wanted: impl Fn(&Site) -> bool) -> Vec<u32> {
        let is_it = |site: &Site| {
            site.function.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let entries: Vec<(u32, &Site)> =
            (0..).zip(&self.sites).filter(|(_, site)| site.is_entry && is_it(site) && is_wanted(site)).collect();
        let around = |scope: u32| self.scopes.get(scope as usize).and_then(|scope| scope.around);
        let is_inner = |site: &Site| {
            std::iter::successors(around(site.scope), |&scope| around(scope))
                .any(|scope| entries.iter().any(|(_, outer)| outer.scope == scope && outer.function == site.function))
        };
        entries.iter().filter(|(_, site)| !is_inner(site)).map(|(number, _)| *number).collect()
    }

    /// Condition, hits and text of a break point.
    fn complete(&mut self, at: &mut BreakPoint) -> Outcome<()> {
        at.hits = at.wish.hits.as_deref().map(hits).transpose()?;
        let mut texts = Vec::new();
        let condition = at.id * OF_ONE;
        if let Some(text) = at.wish.condition.as_ref().filter(|text| !text.trim().is_empty()) {
            texts.push((condition, text.clone()));
        }
        if let Some(log) = &at.wish.log {
            let mut pieces = Vec::new();
            for (text, is_expression) in pieces_of(log) {
                if !is_expression {
                    pieces.push(Log::Text(text));
                    continue;
                }
                let number = at.id * OF_ONE + 1 + pieces.len() as u32;
                if pieces.len() as u32 + 2 > OF_ONE {
                    return Err("too many expressions".to_string());
                }
                texts.push((number, text));
                pieces.push(Log::Inserted(number));
            }
            at.log = Some(pieces);
        }
        let mut scopes: Vec<ScopePlace> =
            at.sites.iter().map(|&site| self.scopes[self.sites[site as usize].scope as usize].at.clone()).collect();
        scopes.sort();
        scopes.dedup();
        for (number, text) in texts {
            probes::check(&text)?;
            for scope in &scopes {
                at.inserted.push(Insert { at: scope.clone(), number, text: text.clone() });
            }
        }
        if !at.inserted.is_empty() {
            let mut trial = Process::start(&self.config, &at.inserted, 0)?;
            trial.compile(&self.cancel).map_err(|message| in_short(&message))?;
            let scopes = trial.compiled.iter().flat_map(|compiled| &compiled.scopes);
            let mut variables = scopes.flat_map(|scope| &scope.variables);
            let is_bool = |ty: &str| ty == "bool" || ty.starts_with('\'');
            if let Some(other) = variables.find(|at| at.inserted == Some(condition) && !is_bool(&at.ty)) {
                return Err(format!("a condition has the type bool, this one has {}", other.ty));
            }
        }
        Ok(())
    }

    fn inserted(&self) -> Vec<Insert> {
        let mut all: Vec<Insert> = self.breaks.iter().flat_map(|at| at.inserted.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Where a process stops that has these expressions.
    fn stops(&self, inserted: &[Insert]) -> Stops {
        let breaks = self.breaks.iter().filter(|at| at.is_in(inserted)).flat_map(|at| {
            let condition = at.inserted.iter().map(|insert| insert.number).find(|number| number % OF_ONE == 0);
            at.sites.iter().map(move |&site| Break { site, condition, hits: at.hits, id: at.id, log: at.log.clone() })
        });
        Stops { breaks: breaks.collect(), raised: self.raised, uncaught: self.uncaught }
    }

    fn go_with(&self, inserted: &[Insert], mode: Mode) -> Command {
        // A failure of a test is shown at the last probe before it.
        let told = self.moment.as_ref().is_some_and(|moment| moment.reason == Reason::Failed);
        Command::Go(Go { stops: self.stops(inserted), told, mode })
    }

    /// Where the program stops has changed: one that runs is told so.
    pub fn renew(&self) {
        if let Some(process) = self.process.as_ref().filter(|_| self.runs) {
            process.renew();
        }
    }

    /// Whether a break point has an effect when the program stops only: one that runs has no expression of it.
    pub fn is_late(&self, at: &BreakPoint) -> bool {
        self.runs && self.process.as_ref().is_some_and(|process| !at.is_in(&process.inserted))
    }

    // -- going on

    fn fresh(&mut self, inserted: &[Insert]) -> Outcome<Process> {
        self.spare.retain(|spare| spare.inserted == inserted);
        let mut process = match self.spare.pop() {
            Some(spare) => spare,
            None => Process::start(&self.config, inserted, 0)?,
        };
        process.compile(&self.cancel)?;
        // Its sources are those of the beginning; which they are a description says.
        let is_same = process
            .compiled
            .as_ref()
            .is_some_and(|compiled| compiled.sites == self.sites && compiled.scopes.len() == self.scopes.len());
        if !is_same {
            return Err("the program has other files than when it was started".to_string());
        }
        Ok(process)
    }

    /// A process that stands at this moment.
    fn at(&mut self, inserted: &[Insert], count: u64) -> Outcome<(Process, Stopped)> {
        let mut process = self.fresh(inserted)?;
        let end = self.patience();
        process.send(&self.go_with(inserted, Mode::Target { count }));
        match process.wait_until(&self.cancel, end) {
            Ok(Event::Stopped(stopped)) => {
                process.skip_output();
                Ok((process, stopped))
            }
            Ok(_) | Err(Gone::Ended | Gone::Late) => Err(self.not_repeated()),
            Err(Gone::Cancelled) => Err("cancelled".to_string()),
        }
    }

    fn has_sockets(&self) -> bool {
        self.had_sockets || self.process.as_ref().is_some_and(Process::has_sockets)
    }

    /// When a run that is repeated is given up: one with sockets may wait for somebody who does not come again.
    fn patience(&self) -> Option<Instant> {
        self.has_sockets().then(|| Instant::now() + PATIENCE)
    }

    fn not_repeated(&self) -> String {
        let why = if self.has_sockets() {
            "the program has used sockets, and what came through them from outside is not there again"
        } else {
            "what the program reads may have changed"
        };
        format!("the run could not be repeated: {why}")
    }

    /// Whether the program runs.
    pub fn is_running(&self) -> bool {
        self.runs
    }

    /// Goes on, or begins.
    pub fn go(&mut self, mode: Mode) -> Outcome<()> {
        if self.runs {
            return Err("the program runs".to_string());
        }
        let inserted = self.inserted();
        if self.process.as_ref().is_none_or(|process| process.inserted != inserted) {
            let count = self.moment.as_ref().map_or(0, |moment| moment.count);
            let process = match count {
                0 => self.fresh(&inserted)?,
                count => self.at(&inserted, count)?.0,
            };
            self.process = Some(process);
        }
        self.views.clear();
        let command = self.go_with(&inserted, mode);
        self.moment = None;
        let process = self.process.as_mut().ok_or("the program has ended")?;
        process.send(&command);
        self.runs = true;
        Ok(())
    }

    /// The program is compiled anew, to be started from the beginning. If it cannot be compiled, all stays as it is.
    pub fn restart(&mut self) -> Outcome<Restarted> {
        let read = SystemTime::now();
        let config = Config { texts: Texts::new(), ..self.config.clone() };
        let mut process = Process::start(&config, &[], 0)?;
        process.compile(&self.cancel)?;
        let Compiled { sites, scopes, texts } = process.compiled.clone().unwrap_or_default();
        let is_same = texts == self.config.texts && sites == self.sites;
        self.process = Some(process);
        self.views.clear();
        self.moment = None;
        self.runs = false;
        self.crashed = None;
        self.end = None;
        (self.read, self.told) = (read, false);
        if is_same {
            return Ok(Restarted { breaks: None });
        }
        (self.sites, self.scopes, self.config.texts) = (sites, scopes, texts);
        self.files = files(&self.config, &self.sites);
        self.spare.clear();
        let old = std::mem::take(&mut self.breaks);
        self.breaks = old.into_iter().map(|at| self.break_point(at.id, &at.file, at.wish)).collect();
        Ok(Restarted { breaks: Some(self.breaks.clone()) })
    }

    /// Files that are others by now than those that the program was compiled from. That is told once.
    pub fn changed(&mut self) -> Vec<PathBuf> {
        if self.told {
            return Vec::new();
        }
        let is_changed = |(name, text): (&String, &String)| {
            let path = whole(&self.config, name);
            let is_new = std::fs::metadata(&path).and_then(|data| data.modified()).is_ok_and(|time| time >= self.read);
            let other = is_new && std::fs::read(&path).is_ok_and(|bytes| bytes != text.as_bytes());
            other.then_some(path)
        };
        let changed: Vec<PathBuf> = self.config.texts.iter().filter_map(is_changed).collect();
        self.told = !changed.is_empty();
        changed
    }

    /// The text of a source, as the program was compiled from it.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.config.texts.get(file).map(|text| &**text)
    }

    /// Likewise by its place.
    pub fn text_at(&self, file: &Path) -> Option<&str> {
        let whole = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        self.files.iter().find(|(_, path)| *path == whole).and_then(|(name, _)| self.text(name))
    }

    /// A line of a source.
    pub fn line(&self, file: &str, line: u32) -> &str {
        let line = self.text(file).and_then(|text| text.lines().nth(line.checked_sub(1)? as usize));
        line.unwrap_or("")
    }

    pub fn pause(&self) {
        if let Some(process) = self.process.as_ref().filter(|_| self.runs) {
            process.pause();
        }
    }

    /// What has happened since the last call.
    pub fn poll(&mut self) -> Vec<Happens> {
        let mut out = Vec::new();
        let Some(process) = &mut self.process else { return out };
        if !self.runs {
            return out;
        }
        // In this order: what a process has told before it ends has come, and so has a message that belongs before
        // something that was written.
        let has_ended = process.status().is_some();
        let written = process.written();
        let event = process.poll();
        let written = match &event {
            Some(Event::Log { written, .. }) => *written,
            None if !has_ended => written,
            _ => [u64::MAX; 2],
        };
        let (stdout, stderr) = process.read_until(written);
        for (is_error, text) in [(false, stdout), (true, stderr)] {
            if !text.is_empty() {
                out.push(Happens::Output { is_error, text });
            }
        }
        match event {
            Some(Event::Asks) => {
                let stops = self.process.as_ref().map(|process| self.stops(&process.inserted));
                if let (Some(process), Some(stops)) = (&mut self.process, stops) {
                    process.renewed(stops);
                }
            }
            Some(Event::Stopped(mut stopped)) => {
                self.runs = false;
                self.moment = Some(stopped.clone());
                // What a test calls last leaves no frame of it: its last line is shown.
                if stopped.reason == Reason::Failed
                    && let Ok(before) = self.come_to(stopped.count, Reason::Failed, vec![])
                {
                    stopped = Stopped { text: stopped.text, ..before };
                    self.moment = Some(stopped.clone());
                }
                out.push(Happens::Stopped(stopped));
                self.prepare();
            }
            Some(Event::Log { text, site, .. }) => {
                let site = self.sites.get(site as usize);
                let (file, line) = site.map_or((String::new(), 0), |site| (site.file.clone(), site.line));
                out.push(Happens::Log { text, file, line });
            }
            Some(Event::Ended { code }) => {
                self.ended(&mut out);
                out.push(Happens::Ended { code });
            }
            Some(_) => {}
            None if has_ended => self.crashes(&mut out),
            None => {}
        }
        out
    }

    fn ended(&mut self, out: &mut Vec<Happens>) {
        self.runs = false;
        if let Some(process) = &mut self.process {
            process.end(&self.cancel);
            self.end = Some(process.count());
            self.had_sockets |= process.has_sockets();
            let (stdout, stderr) = process.read_output();
            for (is_error, text) in [(false, stdout), (true, stderr)] {
                if !text.is_empty() {
                    out.push(Happens::Output { is_error, text });
                }
            }
        }
        self.process = None;
    }

    /// The process is gone without a word: the last moment before is shown.
    fn crashes(&mut self, out: &mut Vec<Happens>) {
        let Some(process) = &mut self.process else { return };
        let (count, status) = (process.count(), process.status());
        let number = status.and_then(signal);
        let code = match (status.and_then(|status| status.code()), number) {
            (Some(code), _) => code,
            (None, Some(signal)) => 128 + signal,
            (None, None) => 1,
        };
        self.ended(out);
        if number.is_some() && self.uncaught && count > 0 && self.crashed != Some(count) {
            self.crashed = Some(count);
            let inserted = self.inserted();
            if let Ok((process, mut stopped)) = self.at(&inserted, count) {
                self.process = Some(process);
                stopped.reason = Reason::Uncaught;
                stopped.text = format!("the program crashed by signal {}", number.unwrap_or(0));
                self.moment = Some(stopped.clone());
                out.push(Happens::Stopped(stopped));
                return;
            }
        }
        out.push(Happens::Ended { code });
    }

    /// Who has gone back once does so again: processes for that are compiled meanwhile.
    fn prepare(&mut self) {
        if !self.goes_back {
            return;
        }
        let inserted = self.inserted();
        self.spare.retain(|spare| spare.inserted == inserted);
        while self.spare.len() < 2 {
            match Process::start(&self.config, &inserted, 0) {
                Ok(process) => self.spare.push(process),
                Err(_) => return,
            }
        }
    }

    // -- going back

    fn come_to(&mut self, count: u64, reason: Reason, ids: Vec<u32>) -> Outcome<Stopped> {
        let inserted = self.inserted();
        let (process, mut stopped) = self.at(&inserted, count)?;
        self.process = Some(process);
        self.views.clear();
        (stopped.reason, stopped.ids) = (reason, ids);
        self.moment = Some(stopped.clone());
        self.prepare();
        Ok(stopped)
    }

    fn find(&mut self, mode: Mode) -> Outcome<Option<u64>> {
        let inserted = self.inserted();
        let mut process = self.fresh(&inserted)?;
        let end = self.patience();
        process.send(&self.go_with(&inserted, mode));
        loop {
            match process.wait_until(&self.cancel, end) {
                Ok(Event::Found { count }) => return Ok(count),
                Ok(Event::Log { .. }) => {}
                Ok(_) | Err(Gone::Ended | Gone::Late) => return Err(self.not_repeated()),
                Err(Gone::Cancelled) => return Err("cancelled".to_string()),
            }
        }
    }

    fn now(&self) -> Outcome<Stopped> {
        let why = if self.runs { "the program runs" } else { "the program has ended" };
        self.moment.clone().ok_or_else(|| why.to_string())
    }

    /// From where one goes back. The end of the program is a moment behind its last probe.
    fn from(&self) -> Outcome<Stopped> {
        match self.end.filter(|&count| self.moment.is_none() && !self.runs && count > 0) {
            Some(count) => {
                Ok(Stopped { reason: Reason::Target, text: String::new(), thread: 0, count, site: None, ids: vec![] })
            }
            None => self.now(),
        }
    }

    /// To the line before, of this thread: over calls, and out of a function at its begin. From the end of the program
    /// to the last line of all threads.
    pub fn step_back(&mut self, thread: u64) -> Outcome<Stopped> {
        let now = self.from()?;
        self.goes_back = true;
        if now.site.is_none() {
            // It stands behind its last probe.
            return self.come_to(now.count.max(1), Reason::Step, vec![]);
        }
        let found = self.find(Mode::FindStep { thread, until: now.count })?;
        self.come_to(found.unwrap_or(1).max(1), Reason::Step, vec![])
    }

    /// To the last stop of a break point before; to the beginning, if there is none.
    pub fn run_back(&mut self) -> Outcome<Stopped> {
        let now = self.from()?;
        self.goes_back = true;
        // Where no place is known it stands behind its last probe.
        let until = if now.site.is_none() { now.count } else { now.count.saturating_sub(1) };
        let found = if until == 0 { None } else { self.find(Mode::FindBreak { until })? };
        match found {
            Some(count) => self.come_to(count, Reason::Break, vec![]),
            None => self.come_to(1, Reason::Target, vec![]),
        }
    }

    // -- looking

    pub fn threads(&mut self) -> Outcome<Vec<Thread>> {
        self.now()?;
        match self.ask(None, &Command::Threads)? {
            Event::Threads(threads) => Ok(threads),
            event => Err(instead(event)),
        }
    }

    /// Asks the program's process, or a view. A view that gives no answer is ended: it may compute for ever.
    fn ask(&mut self, view: Option<&[Insert]>, command: &Command) -> Outcome<Event> {
        let cancel = self.cancel.clone();
        let process = match view {
            Some(inserted) => self.view(inserted)?,
            None => self.process.as_mut().ok_or("the program has ended")?,
        };
        let answer = process.ask(command, &cancel);
        let is_answer = matches!(answer, Ok(Event::Frames { .. } | Event::Described { .. } | Event::Refused { .. }));
        if view.is_some() && !is_answer {
            self.views.pop();
        }
        answer.map_err(|gone| match gone {
            Gone::Cancelled | Gone::Late => "cancelled".to_string(),
            Gone::Ended => "the program has ended".to_string(),
        })
    }

    fn frames_of(&mut self, view: Option<&[Insert]>, thread: u64, most: usize) -> Outcome<(Vec<Frame>, bool)> {
        match self.ask(view, &Command::Frames { thread, most })? {
            Event::Frames { frames, more } => Ok((frames, more)),
            event => Err(instead(event)),
        }
    }

    pub fn frames(&mut self, thread: u64, most: usize) -> Outcome<(Vec<Frame>, bool)> {
        self.now()?;
        self.frames_of(None, thread, most)
    }

    /// The variables of a frame, with types and without values: its own, and those of the top level. Those of one
    /// scope hide those of the scopes around; functions and constructors do, too.
    pub fn groups(&mut self, thread: u64, frame: &Frame) -> Vec<Group> {
        let mut locals = Group { name: "Locals", variables: Vec::new() };
        let mut globals = Group { name: "Globals", variables: Vec::new() };
        let mut number = 0;
        let mut scope = self.looked_at(thread, frame).map_or(frame.scope, |found| found.1.scope);
        let mut hidden: Vec<&str> = Vec::new();
        let mut opened = false;
        while let Some(at) = scope.and_then(|scope| self.scopes.get(scope as usize)) {
            let group = if at.is_global { &mut globals } else { &mut locals };
            for variable in &at.variables {
                if !hidden.contains(&&*variable.name) {
                    hidden.push(&variable.name);
                    let number = (!opened && !variable.is_doubtful).then_some(number);
                    let (name, ty) = (variable.name.clone(), variable.ty.clone());
                    group.variables.push(Seen { name, ty, number });
                }
                number += 1;
            }
            hidden.extend(at.hides.iter().map(|name| &**name));
            opened |= at.opens;
            // Expressions of break points are entries, too, in processes that have them.
            number += self.entries_of(scope.unwrap_or(0));
            scope = at.around;
        }
        vec![locals, globals]
    }

    /// How many expressions are entries of a scope now.
    fn entries_of(&self, scope: u32) -> i64 {
        let at = &self.scopes[scope as usize].at;
        let Some(process) = &self.process else { return 0 };
        process.inserted.iter().filter(|insert| insert.at == *at).count() as i64
    }

    /// The values of variables of a frame.
    pub fn values(&mut self, thread: u64, frame: &Frame, variables: &[Seen]) -> Vec<Outcome<Shown>> {
        // Those in doubt are expressions, all of them in one run.
        let doubtful: Vec<&Seen> = variables.iter().filter(|seen| seen.number.is_none()).collect();
        let texts: Vec<String> = doubtful.iter().map(|seen| format!("op {}", seen.name)).collect();
        let mut evaluated = match self.expressions(thread, frame, &texts) {
            Ok(handles) => handles.into_iter().map(Ok).collect(),
            Err(why) => vec![Err(why); texts.len()],
        }
        .into_iter();
        let mut value = |seen: &Seen| {
            let handle = match seen.number {
                Some(number) => self.variable(thread, frame, number)?,
                None => evaluated.next().ok_or("there is no such variable")??,
            };
            let (value, _) = self.describe(&handle, 0, 0)?;
            Ok(Shown { name: seen.name.clone(), value, handle })
        };
        variables.iter().map(&mut value).collect()
    }

    fn variable(&mut self, thread: u64, frame: &Frame, number: i64) -> Outcome<Handle> {
        let (view, frame) = self.looked_at(thread, frame)?;
        let scope = frame.scope.ok_or("this frame has nothing that can be looked at")?;
        let what = Describe { thread, frame: frame.index, scope, variable: number, ..Describe::default() };
        Ok(Handle { view, what })
    }

    /// The frame in the process in which its variables can be looked at: the program's own, if that stands at a probe;
    /// else one that stands at the last probe before.
    fn looked_at(&mut self, thread: u64, frame: &Frame) -> Outcome<(Option<Arc<Vec<Insert>>>, Frame)> {
        if self.now()?.site.is_some() {
            return Ok((None, frame.clone()));
        }
        let inserted = Arc::new(self.inserted());
        let same = self.same_frame(&inserted, thread, frame)?;
        Ok((Some(inserted), same))
    }

    /// A process with these expressions, at this moment: few are kept, and one that is gone is made once more. It is
    /// the last one then.
    fn view(&mut self, inserted: &[Insert]) -> Outcome<&mut Process> {
        if let Some(known) = self.views.iter().position(|view| view.inserted == inserted) {
            let known = self.views.remove(known);
            self.views.push(known);
        } else {
            let now = self.now()?;
            if now.count == 0 {
                return Err("the program has not come to a line of yours".to_string());
            }
            while self.views.len() >= KEPT {
                self.views.remove(0);
            }
            let (process, stopped) = self.at(inserted, now.count)?;
            if now.site.is_some() && (stopped.site, stopped.thread) != (now.site, now.thread) {
                return Err("the run was another one with this expression in it".to_string());
            }
            self.views.push(process);
        }
        self.views.last_mut().ok_or_else(|| "there is no such process".to_string())
    }

    fn same_frame(&mut self, inserted: &[Insert], thread: u64, frame: &Frame) -> Outcome<Frame> {
        // It is about as far from the innermost one, however many there are.
        let mut most = frame.index.saturating_add(FRAMES);
        loop {
            let (frames, more) = self.frames_of(Some(inserted), thread, most)?;
            let same = frames.into_iter().find(|other| other.depth == frame.depth && other.name == frame.name);
            match same {
                Some(same) => return Ok(same),
                None if more => most = most.saturating_mul(FRAMES),
                None => return Err("this frame has nothing that can be looked at".to_string()),
            }
        }
    }

    /// A value, and its parts from `first` on.
    pub fn describe(&mut self, handle: &Handle, first: i64, length: i64) -> Outcome<(Value, Vec<Shown>)> {
        let what = Describe { first, length, ..handle.what.clone() };
        if handle.view.is_none() && self.process.is_none() {
            return Err("that was before the program went on".to_string());
        }
        match self.ask(handle.view.as_ref().map(|inserted| &***inserted), &Command::Describe(what))? {
            Event::Described { value, parts } => {
                let part = |part: Part| {
                    let mut path = handle.what.path.clone();
                    path.push(part.index);
                    let what = Describe { path, ..handle.what.clone() };
                    Shown { name: part.name, value: part.value, handle: Handle { view: handle.view.clone(), what } }
                };
                Ok((value, parts.into_iter().map(part).collect()))
            }
            event => Err(instead(event)),
        }
    }

    /// An expression in a frame; `only_names`: if it is a variable.
    pub fn evaluate(&mut self, thread: u64, frame: &Frame, text: &str, only_names: bool) -> Outcome<Shown> {
        let groups = self.groups(thread, frame);
        let all = groups.iter().flat_map(|group| &group.variables);
        if let Some(found) = all.clone().find(|seen| seen.name == text.trim()) {
            let found = found.clone();
            return self.values(thread, frame, &[found]).pop().ok_or("there is no such variable")?;
        }
        if only_names {
            return Err(format!("`{text}` is no variable of this frame"));
        }
        probes::check(text)?;
        let handle = self.expressions(thread, frame, &[text.to_string()])?.pop().ok_or("there is no expression")?;
        let (value, _) = self.describe(&handle, 0, 0)?;
        Ok(Shown { name: text.to_string(), value, handle })
    }

    /// Where the values of expressions in a frame are.
    fn expressions(&mut self, thread: u64, frame: &Frame, texts: &[String]) -> Outcome<Vec<Handle>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let scope = self.looked_at(thread, frame)?.1.scope.ok_or("this frame has nothing that can be looked at")?;
        let at = self.scopes[scope as usize].at.clone();
        let numbered = (ONCE..).zip(texts);
        let once = numbered.map(|(number, text)| Insert { at: at.clone(), number, text: text.clone() });
        let mut inserted: Vec<Insert> = self.inserted().into_iter().chain(once).collect();
        inserted.sort();
        let inserted = Arc::new(inserted);
        let view = self.view(&inserted).map_err(|message| in_short(&message))?;
        let scopes = view.compiled.as_ref().map_or(&[][..], |compiled| &compiled.scopes);
        let entries = scopes.get(scope as usize).map_or(&[][..], |scope| &scope.variables);
        let of_number = |number| entries.iter().position(|entry| entry.inserted == Some(number));
        let all: Option<Vec<usize>> = (ONCE..).take(texts.len()).map(of_number).collect();
        let all = all.ok_or("no expression can be evaluated at this place")?;
        let frame = self.same_frame(&inserted, thread, frame)?.index;
        let handle = |variable: usize| {
            let what = Describe { thread, frame, scope, variable: variable as i64, ..Describe::default() };
            Handle { view: Some(inserted.clone()), what }
        };
        Ok(all.into_iter().map(handle).collect())
    }

    pub fn site(&self, site: u32) -> Option<&Site> {
        self.sites.get(site as usize)
    }
}

/// What has come in place of an answer: an expression may end the program, by `exit` or by a wait that nothing ends.
fn instead(event: Event) -> String {
    match event {
        Event::Refused { message } => message,
        Event::Ended { code } => format!("the program has ended meanwhile, with exit code {code}"),
        event => format!("unexpected: {event:?}"),
    }
}

fn whole(config: &Config, file: &str) -> PathBuf {
    let path = match &config.folder {
        Some(folder) => folder.join(file),
        None => PathBuf::from(file),
    };
    path.canonicalize().unwrap_or(path)
}

fn files(config: &Config, sites: &[Site]) -> Vec<(String, PathBuf)> {
    let mut seen = HashSet::new();
    let names = sites.iter().map(|site| &*site.file).filter(|file| seen.insert(*file));
    names.map(|file| (file.to_string(), whole(config, file))).collect()
}

/// `5`, `>=5`, `>4`, `%5`: which times count.
fn hits(text: &str) -> Outcome<Hits> {
    let text = text.trim();
    let number = |rest: &str| rest.trim().parse::<u64>().ok().filter(|&n| n > 0);
    let made = if let Some(rest) = text.strip_prefix(">=") {
        number(rest).map(Hits::From)
    } else if let Some(rest) = text.strip_prefix('>') {
        number(rest).map(|n| Hits::From(n + 1))
    } else if let Some(rest) = text.strip_prefix('%') {
        number(rest).map(Hits::Every)
    } else {
        number(text.trim_start_matches('=')).map(Hits::Exactly)
    };
    made.ok_or_else(|| format!("`{text}` says no number of times: 5, >=5, >5 and %5 do"))
}

/// `x is {x}` -> its texts, and its expressions (true). A brace without a partner is text.
fn pieces_of(log: &str) -> Vec<(String, bool)> {
    let mut pieces = Vec::new();
    let mut rest = log;
    while let Some(open) = rest.find('{') {
        let mut depth = 0;
        let close = rest[open..].char_indices().find_map(|(at, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            (depth == 0).then_some(open + at)
        });
        let Some(close) = close else { break };
        if open > 0 {
            pieces.push((rest[..open].to_string(), false));
        }
        pieces.push((rest[open + 1..close].to_string(), true));
        rest = &rest[close + 1..];
    }
    if !rest.is_empty() {
        pieces.push((rest.to_string(), false));
    }
    pieces
}

/// The first sentence of the compiler's message: `error[..]: ..` without its picture.
fn in_short(message: &str) -> String {
    let line = message.lines().find(|line| line.starts_with("error")).or(message.lines().next()).unwrap_or("");
    match line.split_once("]: ") {
        Some((head, rest)) if head.starts_with("error[") => rest.to_string(),
        _ => line.to_string(),
    }
}

/// For who shows what is waited for.
pub fn names(threads: &[Thread]) -> HashMap<u64, String> {
    let name = |thread: &Thread| {
        let label = match (&thread.name, thread.is_main) {
            (Some(name), _) => format!("{} \"{name}\"", thread.id),
            (None, true) => format!("{} (main)", thread.id),
            (None, false) => thread.id.to_string(),
        };
        (thread.id, format!("thread {label}, {}", thread.does))
    };
    threads.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_log_points_are_taken_apart() {
        let pieces = pieces_of("x is {x}, {#a {a = 1}} and { open");
        let expected = [("x is ", false), ("x", true), (", ", false), ("#a {a = 1}", true), (" and { open", false)];
        assert_eq!(pieces, expected.map(|(text, is)| (text.to_string(), is)));
        assert!(pieces_of("").is_empty());
    }

    #[test]
    fn times_that_count() {
        assert_eq!(hits("5"), Ok(Hits::Exactly(5)));
        assert_eq!(hits(" >= 5"), Ok(Hits::From(5)));
        assert_eq!(hits(">5"), Ok(Hits::From(6)));
        assert_eq!(hits("% 3"), Ok(Hits::Every(3)));
        for bad in ["", "x", "0", "-1", ">"] {
            assert!(hits(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn messages_of_the_compiler_are_told_in_short() {
        assert_eq!(in_short("error[type/clash]: this is no bool\n --> a.sml:1"), "this is no bool");
        assert_eq!(in_short("no file"), "no file");
    }
}
