//! The debugger itself, whoever speaks with it: break points, going on, going back, threads, frames, variables,
//! expressions.
//!
//! A moment of a run is the number of probes that were passed. To be at a moment that is past, or to have another
//! expression in the program, a process is started anew and runs to that number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use leat_driver::probes;

use crate::process::{Config, Gone, Process, signal};
use crate::protocol::*;

/// Numbers of expressions that are evaluated once; below them are those of break points.
const ONCE: u32 = 1_000_000;

/// Parts of a break point that are expressions.
const OF_ONE: u32 = 32;

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
    /// The process that has it: the program's, or one that evaluates.
    view: Option<usize>,
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
    pub variables: Vec<(String, String, i64)>,
}

impl BreakPoint {
    pub fn condition(&self) -> Option<&str> {
        self.wish.condition.as_deref()
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
    process: Option<Process>,
    /// Compiled, and not started yet.
    spare: Vec<Process>,
    /// Processes that stand at this moment, too.
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
    pub fn new(config: Config, cancel: Arc<AtomicBool>) -> Outcome<Engine> {
        let mut process = Process::start(&config, &[], 0)?;
        process.compile(&cancel)?;
        let (sites, scopes) = process.compiled.clone().unwrap_or_default();
        Ok(Engine {
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

    fn whole(&self, file: &str) -> PathBuf {
        let path = match &self.config.folder {
            Some(folder) => folder.join(file),
            None => PathBuf::from(file),
        };
        path.canonicalize().unwrap_or(path)
    }

    /// Files that have code.
    pub fn files(&self) -> Vec<(String, PathBuf)> {
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for site in &self.sites {
            if !files.iter().any(|(name, _)| *name == site.file) {
                files.push((site.file.clone(), self.whole(&site.file)));
            }
        }
        files
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
        let names: Vec<String> =
            self.files().into_iter().filter(|(_, path)| *path == whole).map(|(name, _)| name).collect();
        (0..).zip(&self.sites).filter(move |(_, site)| names.contains(&site.file))
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
            made.push(known.unwrap_or_else(|| self.break_point(file, wish)));
        }
        self.breaks.extend(made.iter().cloned());
        made
    }

    fn break_point(&mut self, file: &Path, wish: Wish) -> BreakPoint {
        let id = self.next_id;
        self.next_id += 1;
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
            at.sites = self.entries_of_function(function, |site| self.whole(&site.file) == file);
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
        let mut files: Vec<PathBuf> =
            sites.into_iter().map(|site| self.whole(&self.sites[site as usize].file)).collect();
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
            let mut variables = trial.compiled.iter().flat_map(|(_, scopes)| scopes).flat_map(|scope| &scope.variables);
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

    fn go_with(&self, mode: Mode) -> Command {
        let breaks = self.breaks.iter().flat_map(|at| {
            let condition = at.inserted.iter().map(|insert| insert.number).find(|number| number % OF_ONE == 0);
            at.sites.iter().map(move |&site| Break { site, condition, hits: at.hits, id: at.id, log: at.log.clone() })
        });
        // A failure of a test is shown at the last probe before it.
        let told = self.moment.as_ref().is_some_and(|moment| moment.reason == Reason::Failed);
        Command::Go(Go { breaks: breaks.collect(), raised: self.raised, uncaught: self.uncaught, told, mode })
    }

    // -- going on

    fn fresh(&mut self, inserted: &[Insert]) -> Outcome<Process> {
        self.spare.retain(|spare| spare.inserted == inserted);
        let mut process = match self.spare.pop() {
            Some(spare) => spare,
            None => Process::start(&self.config, inserted, 0)?,
        };
        process.compile(&self.cancel)?;
        Ok(process)
    }

    /// A process that stands at this moment.
    fn at(&mut self, inserted: &[Insert], count: u64) -> Outcome<(Process, Stopped)> {
        let mut process = self.fresh(inserted)?;
        let end = self.patience();
        process.send(&self.go_with(Mode::Target { count }));
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
        let command = self.go_with(mode);
        self.moment = None;
        let process = self.process.as_mut().ok_or("the program has ended")?;
        process.send(&command);
        self.runs = true;
        Ok(())
    }

    /// The program is started again from the beginning.
    pub fn restart(&mut self) {
        self.process = None;
        self.views.clear();
        self.moment = None;
        self.runs = false;
        self.crashed = None;
        self.end = None;
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
        let event = process.poll();
        // Whatever was written before the event is read now.
        let has_ended = event.is_none() && process.status().is_some();
        let (stdout, stderr) = process.read_output();
        for (is_error, text) in [(false, stdout), (true, stderr)] {
            if !text.is_empty() {
                out.push(Happens::Output { is_error, text });
            }
        }
        match event {
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
            Some(Event::Log { text, site }) => {
                let site = self.sites.get(site as usize);
                let (file, line) = site.map_or((String::new(), 0), |site| (site.file.clone(), site.line));
                out.push(Happens::Log { text, file, line });
            }
            Some(Event::Ended { code }) => {
                self.ended(&mut out);
                out.push(Happens::Ended { code });
            }
            Some(_) => {}
            None if has_ended => {
                // What it told last may be on its way still.
                let late = process.poll();
                if let Some(Event::Ended { code }) = late {
                    self.ended(&mut out);
                    out.push(Happens::Ended { code });
                } else if late.is_none() {
                    self.crashes(&mut out);
                }
            }
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
        process.send(&self.go_with(mode));
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
        let until = if now.site.is_none() { now.count + 1 } else { now.count };
        let found = match now.site {
            // Nothing is passed behind the last probe, so the run never comes to the next one.
            None => self.find(Mode::FindBreak { until: now.count })?.or(self.is_break(now.count)?),
            Some(_) => self.find(Mode::FindBreak { until })?,
        };
        match found {
            Some(count) => self.come_to(count, Reason::Break, vec![]),
            None => self.come_to(1, Reason::Target, vec![]),
        }
    }

    fn is_break(&mut self, count: u64) -> Outcome<Option<u64>> {
        let inserted = self.inserted();
        let (_, stopped) = self.at(&inserted, count)?;
        let is_there = stopped.site.is_some_and(|site| self.breaks.iter().any(|at| at.sites.contains(&site)));
        Ok(is_there.then_some(count))
    }

    // -- looking

    pub fn threads(&mut self) -> Outcome<Vec<Thread>> {
        self.now()?;
        let cancel = self.cancel.clone();
        match self.process.as_mut().ok_or("the program has ended")?.ask(&Command::Threads, &cancel)? {
            Event::Threads(threads) => Ok(threads),
            event => Err(instead(event)),
        }
    }

    pub fn frames(&mut self, thread: u64, most: usize) -> Outcome<(Vec<Frame>, bool)> {
        self.now()?;
        let cancel = self.cancel.clone();
        frames_of(self.process.as_mut().ok_or("the program has ended")?, thread, most, &cancel)
    }

    /// The variables of a frame, with types and without values: its own, and those of the top level.
    pub fn groups(&self, frame: &Frame) -> Vec<Group> {
        let mut locals = Group { name: "Locals", variables: Vec::new() };
        let mut globals = Group { name: "Globals", variables: Vec::new() };
        let mut number = 0;
        let mut scope = frame.scope;
        while let Some(at) = scope.and_then(|scope| self.scopes.get(scope as usize)) {
            let group = if at.is_global { &mut globals } else { &mut locals };
            for variable in &at.variables {
                let is_hidden = group.variables.iter().any(|known| known.0 == variable.name);
                if !is_hidden {
                    group.variables.push((variable.name.clone(), variable.ty.clone(), number));
                }
                number += 1;
            }
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

    /// Where a variable of a frame is.
    pub fn variable(&mut self, thread: u64, frame: &Frame, number: i64) -> Outcome<Handle> {
        let scope = frame.scope.ok_or("this frame has nothing that can be looked at")?;
        let what = Describe { thread, frame: frame.index, scope, variable: number, ..Describe::default() };
        if self.now()?.site.is_some() {
            return Ok(Handle { view: None, what });
        }
        let inserted = self.inserted();
        let view = self.view(&inserted)?;
        let index = self.same_frame(view, thread, frame)?;
        Ok(Handle { view: Some(view), what: Describe { frame: index, ..what } })
    }

    /// A process with these expressions, at this moment.
    fn view(&mut self, inserted: &[Insert]) -> Outcome<usize> {
        if let Some(known) = self.views.iter().position(|view| view.inserted == inserted) {
            return Ok(known);
        }
        let now = self.now()?;
        if now.count == 0 {
            return Err("the program has not come to a line of yours".to_string());
        }
        let (process, stopped) = self.at(inserted, now.count)?;
        if now.site.is_some() && (stopped.site, stopped.thread) != (now.site, now.thread) {
            return Err("the run was another one with this expression in it".to_string());
        }
        self.views.push(process);
        Ok(self.views.len() - 1)
    }

    fn same_frame(&mut self, view: usize, thread: u64, frame: &Frame) -> Outcome<usize> {
        let frames = frames_of(&mut self.views[view], thread, usize::MAX, &self.cancel)?.0;
        let same = frames.iter().find(|other| other.depth == frame.depth && other.name == frame.name);
        Ok(same.ok_or("this frame has nothing that can be looked at")?.index)
    }

    /// A value, and its parts from `first` on.
    pub fn describe(&mut self, handle: &Handle, first: i64, length: i64) -> Outcome<(Value, Vec<Shown>)> {
        let what = Describe { first, length, ..handle.what.clone() };
        let cancel = self.cancel.clone();
        let process = match handle.view {
            Some(view) => self.views.get_mut(view),
            None => self.process.as_mut(),
        };
        match process.ok_or("that was before the program went on")?.ask(&Command::Describe(what), &cancel)? {
            Event::Described { value, parts } => {
                let part = |part: Part| {
                    let mut path = handle.what.path.clone();
                    path.push(part.index);
                    let what = Describe { path, ..handle.what.clone() };
                    Shown { name: part.name, value: part.value, handle: Handle { view: handle.view, what } }
                };
                Ok((value, parts.into_iter().map(part).collect()))
            }
            event => Err(instead(event)),
        }
    }

    /// An expression in a frame; `only_names`: if it is a variable.
    pub fn evaluate(&mut self, thread: u64, frame: &Frame, text: &str, only_names: bool) -> Outcome<Shown> {
        let scope = frame.scope.ok_or("this frame has nothing that can be looked at")?;
        let groups = self.groups(frame);
        let mut all = groups.iter().flat_map(|group| &group.variables);
        if let Some(found) = all.find(|variable| variable.0 == text.trim()) {
            let handle = self.variable(thread, frame, found.2)?;
            let (value, _) = self.describe(&handle, 0, 0)?;
            return Ok(Shown { name: text.to_string(), value, handle });
        }
        if only_names {
            return Err(format!("`{text}` is no variable of this frame"));
        }
        probes::check(text)?;
        let mut inserted = self.inserted();
        let at = self.scopes[scope as usize].at.clone();
        inserted.push(Insert { at: at.clone(), number: ONCE, text: text.to_string() });
        inserted.sort();
        let view = self.view(&inserted).map_err(|message| in_short(&message))?;
        let index = self.same_frame(view, thread, frame)?;
        // Entries of a scope stand behind its variables, in the order of their numbers.
        let before = inserted.iter().filter(|insert| insert.at == at && insert.number < ONCE).count();
        let variable = (self.scopes[scope as usize].variables.len() + before) as i64;
        let what = Describe { thread, frame: index, scope, variable, ..Describe::default() };
        let handle = Handle { view: Some(view), what };
        let (value, _) = self.describe(&handle, 0, 0)?;
        Ok(Shown { name: text.to_string(), value, handle })
    }

    pub fn site(&self, site: u32) -> Option<&Site> {
        self.sites.get(site as usize)
    }
}

/// What has come in place of an answer: an expression may end the program, by `exit` or by a wait that nothing ends.
fn instead(event: Event) -> String {
    match event {
        Event::Ended { code } => format!("the program has ended meanwhile, with exit code {code}"),
        event => format!("unexpected: {event:?}"),
    }
}

fn frames_of(process: &mut Process, thread: u64, most: usize, cancel: &AtomicBool) -> Outcome<(Vec<Frame>, bool)> {
    match process.ask(&Command::Frames { thread, most }, cancel)? {
        Event::Frames { frames, more } => Ok((frames, more)),
        event => Err(instead(event)),
    }
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
