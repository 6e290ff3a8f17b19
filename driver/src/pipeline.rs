//! Text to machine code, top to bottom. Every stage runs through [`Session::stage`]: dump, verify, time, stop.
//!
//! ```text
//! text -> Ast -> Core -> Lambda -> (with the library's) -> Mono -> better Mono -> Ssa -> better Ssa -> JIT | object
//! ```

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use leat_ast::units::Asked;
use leat_ast::{Fixity, FixityEnv, ParseOptions};
use leat_base::{Diagnostic, FileId, SourceMap, Span, Symbol};
use leat_elab::Basis;
use leat_elab::ir::Tables;
use leat_lambda::ir::{Lambda, TopDec};
use leat_lambda::{Image, reachable};
use leat_ssa::passes::Verify as SsaVerify;

use crate::library::{self, Front};
use crate::options::{Options, Stage, Verify};
use crate::say::show;
use crate::text::read_text;
use crate::units;
use crate::units::settings::Settings;

static FRONT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/basis.front"));
static LAMBDA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/basis.lambda"));

/// What `--print-pipeline` says: the stages in order, each named by what it gives, and the passes of those that have some,
/// with the reasons of their places.
pub fn describe(options: &Options) -> String {
    let level = options.level();
    let mut text = String::new();
    for &(stage, name) in Stage::ALL {
        let _ = writeln!(text, "{name:<8}{}", stage.about());
        match stage {
            Stage::Mono => text.push_str(&leat_mono::pass::show(leat_mono::opt::PASSES, level)),
            Stage::Ssa => text.push_str(&leat_mono::pass::show(leat_ssa::passes::PASSES, level)),
            _ => {}
        }
    }
    text
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

/// One source of SML text.
pub enum Input<'a> {
    File(&'a Path),
    /// A name for messages, and the text.
    Text(&'a str, String),
}

/// A source text after the front end.
pub(crate) struct Unit {
    pub lambda: Lambda,
    /// What it binds.
    pub added: Basis,
    /// What it declares infix or nonfix at its top level.
    pub fixities: Vec<(Symbol, Fixity)>,
}

/// Likewise, with what a prompt asks besides.
pub(crate) struct Typed {
    pub program: leat_ast::Program,
    pub unit: Unit,
    /// Its basis, with what it binds.
    pub basis: Basis,
    /// Variables from here on are the next stage's own.
    pub made: u32,
}

/// What is kept from one unit to the next: names, types, environments, files, times.
pub struct Session {
    pub options: Options,
    pub sources: SourceMap,
    /// Warnings of units without errors, rendered.
    pub warnings: String,
    pub(crate) tables: Tables,
    pub(crate) basis: Basis,
    /// The library's: what `basis` was before the first unit.
    pub(crate) image: Basis,
    pub(crate) fixity: FixityEnv,
    pub(crate) lambda: std::borrow::Cow<'static, [u8]>,
    times: Vec<(String, Duration)>,
    /// A unit sets the rounding mode of reals.
    sets_rounding: bool,
    /// What the source that is compiled is named in: how it would name a library.
    pub(crate) named_in: units::NamedIn,
    /// It works for a tool: see [`crate::tooling`].
    pub(crate) tooling: Option<Box<crate::tooling::Tooling>>,
}

impl Session {
    /// Loads the Basis. Must be the first in the process to make a name.
    pub fn new(options: Options) -> Result<Session, Failure> {
        let start = Instant::now();
        let (front, lambda): (Front<'static>, std::borrow::Cow<'static, [u8]>) = match &options.library {
            None => (library::load(FRONT).map_err(Failure::Trouble)?, LAMBDA.into()),
            Some(folder) => {
                let bytes = library::make_from(folder).map_err(Failure::Errors)?;
                let front = library::reload(bytes.front.leak()).map_err(Failure::Trouble)?;
                (front, bytes.lambda.into())
            }
        };
        let mut sources = SourceMap::new();
        for (name, text) in front.files {
            sources.add_static(name, text);
        }
        Ok(Session {
            options,
            sources,
            warnings: String::new(),
            tables: front.tables,
            image: front.basis.clone(),
            basis: front.basis,
            fixity: FixityEnv::basis(),
            lambda,
            times: vec![("basis".to_string(), start.elapsed())],
            sets_rounding: false,
            named_in: units::NamedIn::default(),
            tooling: None,
        })
    }

    /// All that the elaborator knows.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What is in scope for the next unit.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The library's: what was in scope before the first unit.
    pub fn library_basis(&self) -> &Basis {
        &self.image
    }

    pub fn fixity(&self) -> &FixityEnv {
        &self.fixity
    }

    /// The times since the last call; nothing is known of them afterwards.
    pub fn take_times(&mut self) -> Vec<(String, Duration)> {
        std::mem::take(&mut self.times)
    }

    /// From text to Ssa that is ready for the code generator.
    pub fn compile(&mut self, input: Input<'_>) -> Result<leat_ssa::ir::Program, Failure> {
        self.compile_all([input])
    }

    /// Likewise, and forgets what the input declares: for tools that try many programs, one after the other.
    pub fn compile_alone(&mut self, input: Input<'_>) -> Result<leat_ssa::ir::Program, Failure> {
        let before = (self.basis.clone(), self.fixity.clone());
        let result = self.compile(input);
        (self.basis, self.fixity) = before;
        self.warnings.clear();
        result
    }

    /// Several inputs in order, each seeing what those before it declare, as one program.
    pub fn compile_all<'a>(
        &mut self,
        inputs: impl IntoIterator<Item = Input<'a>>,
    ) -> Result<leat_ssa::ir::Program, Failure> {
        let (mut decs, mut description) = (Vec::new(), None);
        for input in inputs {
            description = match input {
                Input::File(path) if units::is_description(path) => Some(path),
                _ => None,
            };
            decs.extend(self.front_end(input)?.decs);
        }
        if self.options.stop_after == Some(Stage::Lambda) {
            return Err(Failure::Stopped);
        }
        if let Some(path) = description {
            self.tell_idle(path, &decs)?;
        }
        self.middle(&decs)
    }

    /// Warns about a program that does nothing: all sources that a description names only declare. In SML/NJ such a
    /// project is begun at the prompt, or by the name of its function.
    fn tell_idle(&mut self, description: &Path, decs: &[TopDec]) -> Result<(), Failure> {
        let is_users = |dec: &TopDec| {
            let source = self.sources.get(dec.dec.span.file);
            source.is_none_or(|source| !source.name.starts_with("$(SML_LIB)"))
        };
        if decs.iter().any(|dec| dec.effect && is_users(dec)) {
            return Ok(());
        }
        let message = format!("{}: nothing to run: its sources only declare", description.display());
        let start = "val _ = OS.Process.exit (Main.main (CommandLine.name (), CommandLine.arguments ()))";
        let help = format!("a declaration in the last source begins a program: `val () = main ()`, or `{start}`");
        self.warn(&[Diagnostic::warning("", Span::NONE, message).help(help)])
    }

    /// Parses and types an input: a text, or a unit with all that its description names (`.mlb`, `.cm`). What it declares
    /// is known to the next.
    pub fn front_end(&mut self, input: Input<'_>) -> Result<Lambda, Failure> {
        let (name, text, place) = match input {
            Input::File(path) if units::is_description(path) => {
                let unit = units::compile(self, path)?;
                return Ok(self.add(unit));
            }
            Input::File(path) => (path.display().to_string(), self.read(path)?, path),
            Input::Text(name, text) => (name.to_string(), text, Path::new("")),
        };
        let file = self.source_file(&name, &text);
        let settings = Settings::with(&self.options.annotations);
        let mut lambda = Lambda::default();
        let mut using = vec![place.to_path_buf()];
        self.source(file, place, &settings, &mut units::Done::default(), &mut using, &mut lambda)?;
        Ok(lambda)
    }

    /// Parses and types a source at `place`, with the descriptions and files that it asks for between its declarations.
    /// `using` are the sources that are being read, outermost first.
    fn source(
        &mut self,
        file: FileId,
        place: &Path,
        settings: &Settings,
        done: &mut units::Done,
        using: &mut Vec<PathBuf>,
        lambda: &mut Lambda,
    ) -> Result<(), Failure> {
        let text = self.sources.get(file).map_or_else(String::new, |source| source.text.to_string());
        let mut start = 0;
        for request in leat_ast::units::requests(&text) {
            lambda.decs.extend(self.part(file, start..request.part.start, settings)?.decs);
            start = request.part.start;
            let at = Span::new(file, request.place.start as u32, request.place.end as u32);
            // What asks may be the program's own function, or a structure of that name.
            match request.kind {
                Asked::Description if self.has_own_cm() => {
                    let unit = units::requested(self, done, place, &request.name, at)?;
                    lambda.decs.extend(self.add(unit).decs);
                }
                Asked::File if self.basis.val(Symbol::intern("use")).is_none() => {
                    self.used(&request.name, at, place, settings, done, using, lambda)?;
                }
                _ => continue,
            }
            start = request.part.end;
        }
        lambda.decs.extend(self.part(file, start..text.len(), settings)?.decs);
        Ok(())
    }

    /// `use "name";` at `at`, in the source at `place`: the file is read as if it stood there. It is looked for in that
    /// source's folder, then in the folder where Leat was started.
    fn used(
        &mut self,
        name: &str,
        at: Span,
        place: &Path,
        settings: &Settings,
        done: &mut units::Done,
        using: &mut Vec<PathBuf>,
        lambda: &mut Lambda,
    ) -> Result<(), Failure> {
        let beside = place.parent().unwrap_or(Path::new("")).join(name);
        let path = if beside.exists() || !Path::new(name).exists() { beside } else { PathBuf::from(name) };
        if units::is_description(&path) {
            let unit = units::requested(self, done, place, name, at)?;
            lambda.decs.extend(self.add(unit).decs);
            return Ok(());
        }
        let refuse = |this: &Self, code, message: String, help: &str| {
            let diagnostics = [Diagnostic::error(code, at, message).help(help)];
            this.keep(&diagnostics);
            Failure::Errors(this.rendered(&diagnostics))
        };
        let same = |other: &PathBuf| other.canonicalize().ok().is_some_and(|o| path.canonicalize().ok() == Some(o));
        if using.iter().any(same) {
            let message = format!("`{name}` uses itself");
            return Err(refuse(self, "unit/cycle", message, "move what both need into a third file that both use"));
        }
        let text = self.read_named(&path).map_err(|why| {
            let message = format!("`{}`: {why}", path.display());
            refuse(self, "unit/file", message, "names are relative to this file's folder")
        })?;
        let file = self.source_file(&path.display().to_string(), &text);
        using.push(path.clone());
        self.source(file, &path, settings, done, using, lambda)?;
        using.pop();
        Ok(())
    }

    /// Does `CM` mean the library's structure?
    pub fn has_own_cm(&self) -> bool {
        let cm = Symbol::intern("CM");
        self.basis.structure(cm) == self.image.structure(cm)
    }

    /// Parses and types a part of a text; what it declares is known to the next.
    fn part(&mut self, file: FileId, part: Range<usize>, settings: &Settings) -> Result<Lambda, Failure> {
        let (basis, mut fixity) = (self.basis.clone(), self.fixity.clone());
        let unit = self.unit(file, part, &basis, &mut fixity, settings)?;
        Ok(self.add(unit))
    }

    /// What a unit declares is known to the next.
    pub(crate) fn add(&mut self, unit: Unit) -> Lambda {
        self.basis = self.basis.plus(&unit.added);
        for (symbol, fixity) in unit.fixities {
            self.fixity.declare(symbol, fixity);
        }
        unit.lambda
    }

    /// A text from its beginning to its end.
    pub(crate) fn whole(&self, file: FileId) -> Range<usize> {
        0..self.sources.get(file).map_or(0, |source| source.text.len())
    }

    /// Parses and types a part of a source text in a basis. A text with errors changes nothing. [Rule 187]
    /// `fixity` goes on with what the text declares infix.
    pub(crate) fn unit(
        &mut self,
        file: FileId,
        part: Range<usize>,
        basis: &Basis,
        fixity: &mut FixityEnv,
        settings: &Settings,
    ) -> Result<Unit, Failure> {
        if self.tooling.is_some() {
            return crate::tooling::unit(self, file, part, basis, fixity, settings);
        }
        Ok(self.typed(file, part, basis, fixity, settings)?.unit)
    }

    /// Likewise, with what a prompt asks besides.
    pub(crate) fn typed(
        &mut self,
        file: FileId,
        part: Range<usize>,
        basis: &Basis,
        fixity: &mut FixityEnv,
        settings: &Settings,
    ) -> Result<Typed, Failure> {
        let mut diagnostics = Vec::new();
        let start_fixity = fixity.clone();
        let (program, fixities) = self.stage(
            Stage::Ast,
            "parse",
            &mut diagnostics,
            |session, diagnostics| {
                let options = ParseOptions { allow_prim: settings.allow_prim };
                let text = session.sources.get(file).map_or("", |source| &*source.text);
                if session.wants(Stage::Tokens, None) {
                    show(&(leat_ast::dump_tokens(text, &options) + "\n"));
                }
                let ((program, errors), fixities) =
                    fixity.recording(|fixity| leat_ast::parse_part(file, text, part, &options, fixity));
                diagnostics.extend(errors);
                Ok((program, fixities))
            },
            |_, (program, _)| leat_ast::print::print(program, &start_fixity),
            |_, _| Ok(()),
        )?;
        if settings.prompt {
            // Types of half a text are of no use there.
            self.refuse(&diagnostics)?;
        }

        let elaborated = self.stage(
            Stage::Core,
            "elab",
            &mut diagnostics,
            |session, diagnostics| {
                let mut made = leat_elab::elaborate(&program, basis, &mut session.tables, &settings.elaboration());
                diagnostics.append(&mut made.diagnostics);
                units::shelves::advise(session, diagnostics);
                Ok(made)
            },
            |session, made| leat_elab::print::print(&made.decs, &session.tables),
            |session, made| leat_elab::verify::verify(&made.decs, &session.tables),
        )?;
        self.refuse(&diagnostics)?;

        let (decs, added, basis) = (elaborated.decs, elaborated.added, elaborated.basis);
        let made = self.tables.vars.len() as u32;
        let lambda = self.stage(
            Stage::Lambda,
            "lambda",
            &mut diagnostics,
            |session, diagnostics| {
                let options = leat_lambda::Options { library: settings.library };
                let (lambda, more) = leat_lambda::lower(decs, &mut session.tables, options);
                add_of_matches(diagnostics, more);
                Ok(lambda)
            },
            |session, lambda| leat_lambda::print::print(lambda.decs.iter(), &session.tables),
            |session, lambda| leat_lambda::verify::verify(lambda.decs.iter(), &session.tables),
        )?;
        settings.adjust(&mut diagnostics);
        self.warn(&diagnostics)?;
        Ok(Typed { program, basis, made, unit: Unit { lambda, added, fixities } })
    }

    /// The text of a source file, or of the buffer that a tool has for it.
    fn read(&self, path: &Path) -> Result<String, Failure> {
        match &self.tooling {
            Some(_) => self.read_named(path).or_else(|_| read(path)),
            None => read(path),
        }
    }

    fn read_named(&self, path: &Path) -> Result<String, String> {
        match &self.tooling {
            Some(tooling) => tooling.texts.borrow_mut().read(path).map(|text| text.to_string()),
            None => read_text(path),
        }
    }

    /// Refuses errors, and keeps warnings.
    pub(crate) fn warn(&mut self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        if !leat_base::diagnostic::has_errors(diagnostics) {
            self.keep(diagnostics);
        }
        self.refuse(diagnostics)?;
        if !diagnostics.is_empty() {
            let text = self.rendered(diagnostics);
            self.warnings.push_str(&text);
        }
        Ok(())
    }

    /// With what it needs of the library: closed types, then blocks.
    fn middle(&mut self, program: &[TopDec]) -> Result<leat_ssa::ir::Program, Failure> {
        let start = Instant::now();
        let lambda = self.lambda.clone();
        let image = Image::open(&lambda).map_err(Failure::Trouble)?;
        let needed = reachable(Some(&image), program).map_err(Failure::Trouble)?;
        self.times.push(("reachable".to_string(), start.elapsed()));

        let decs: Vec<&TopDec> = needed.decs().collect();
        self.back_end(|session| leat_mono::from_lambda(&decs, &mut session.tables, &session.sources))
    }

    /// From declarations with all that they need, which `close` gives closed types, to blocks; both are optimised.
    pub(crate) fn back_end(
        &mut self,
        close: impl FnOnce(&mut Session) -> Result<leat_mono::ir::Program, String>,
    ) -> Result<leat_ssa::ir::Program, Failure> {
        let mut nothing = Vec::new();
        let mono = self.stage(
            Stage::Mono,
            "mono",
            &mut nothing,
            |session, _| {
                let mut mono = close(session).map_err(|message| session.internal("mono", &message))?;
                session.after_mono("from_lambda", &mono)?;
                session.optimise(&mut mono)?;
                Ok(mono)
            },
            |_, mono| leat_mono::print::print(mono),
            |_, _| Ok(()),
        )?;
        self.stage(
            Stage::Ssa,
            "ssa",
            &mut nothing,
            |session, _| session.lower(mono),
            |_, ssa| leat_ssa::print::program(ssa),
            |_, _| Ok(()),
        )
    }

    /// The passes of Mono.
    fn optimise(&mut self, mono: &mut leat_mono::ir::Program) -> Result<(), Failure> {
        let mut result = Ok(());
        let mut times = Vec::new();
        let mut last = Instant::now();
        leat_mono::opt::run(mono, self.options.level(), &mut |pass, program| {
            times.push((format!("mono {pass}"), last.elapsed()));
            if result.is_ok() {
                result = self.after_mono(pass, program);
            }
            last = Instant::now();
        });
        self.times.extend(times);
        result
    }

    /// Mono to Ssa, and the passes of Ssa, which verify what they make.
    fn lower(&mut self, mut mono: leat_mono::ir::Program) -> Result<leat_ssa::ir::Program, Failure> {
        mono.sets_rounding |= self.sets_rounding;
        mono.watch = self.options.watch;
        let mut ssa = leat_ssa::from_mono::from_mono(&mono).map_err(|message| self.internal("ssa", &message))?;
        self.sets_rounding |= ssa.sets_rounding;
        drop(mono);
        let verify = match self.options.verify {
            Verify::Each => SsaVerify::Each,
            Verify::Stage => SsaVerify::Stage,
            Verify::Off => SsaVerify::Off,
        };
        let mut times = Vec::new();
        let result = leat_ssa::passes::run(&mut ssa, self.options.level(), verify, &mut |pass, program, took| {
            times.push((format!("ssa {pass}"), took));
            if self.wants(Stage::Ssa, Some(pass)) {
                self.dump(&leat_ssa::print::program(program));
            }
        });
        self.times.extend(times);
        match result {
            Ok(()) => Ok(ssa),
            Err(errors) => {
                let text: String = errors.iter().map(|error| format!("{error}\n")).collect();
                Err(self.internal("ssa", &text))
            }
        }
    }

    fn after_mono(&self, pass: &str, program: &leat_mono::ir::Program) -> Result<(), Failure> {
        if self.wants(Stage::Mono, Some(pass)) {
            self.dump(&leat_mono::print::print(program));
        }
        if self.options.verify == Verify::Each {
            let found = leat_mono::verify::verify(program, pass);
            self.broken("mono", found)?;
        }
        Ok(())
    }

    /// What the code generator is told.
    pub fn target_options(&self) -> leat_translate::Options {
        leat_translate::Options {
            align: self.options.align,
            level: if self.options.optimise { leat_translate::Level::Speed } else { leat_translate::Level::Fast },
            verify: self.options.verify != Verify::Off,
            symbols: self.options.symbols,
            count: self.options.count_calls,
            ..leat_translate::Options::default()
        }
    }

    // ------------------------------------------------------- what every stage does

    /// Runs a stage of one unit: time, dump, stop, verify. What it has to say of the unit joins `diagnostics`. Errors do not
    /// end it, for the next stage may have more to say; but what has errors is not verified.
    pub(crate) fn stage<T>(
        &mut self,
        stage: Stage,
        name: &str,
        diagnostics: &mut Vec<Diagnostic>,
        work: impl FnOnce(&mut Session, &mut Vec<Diagnostic>) -> Result<T, Failure>,
        print: impl FnOnce(&Session, &T) -> String,
        verify: impl FnOnce(&Session, &T) -> Result<(), String>,
    ) -> Result<T, Failure> {
        let (start, noted) = (Instant::now(), self.total());
        let made = work(self, diagnostics)?;
        // Its passes have noted their own times.
        let passes = self.total() - noted;
        self.spent(name, start.elapsed().saturating_sub(passes));
        if self.wants(stage, None) {
            let text = print(self, &made);
            if stage < Stage::Mono { show(&text) } else { self.dump(&text) }
        }
        // All units of a program come to Lambda before it stops: see `compile_all`.
        if stage != Stage::Lambda && self.options.stop_after.is_some_and(|last| last <= stage) {
            return self.stop(diagnostics);
        }
        if self.options.verify != Verify::Off && !leat_base::diagnostic::has_errors(diagnostics) {
            self.broken(stage.name(), verify(self, &made))?;
        }
        Ok(made)
    }

    /// The stages that give machine code: dumps, stop, time. What it becomes is the work's matter.
    pub(crate) fn machine<T>(
        &mut self,
        ssa: &leat_ssa::ir::Program,
        name: &str,
        work: impl FnOnce(&leat_translate::Options) -> Result<T, leat_translate::Error>,
    ) -> Result<T, Failure> {
        let options = self.target_options();
        for (stage, what) in [(Stage::Clif, leat_translate::Dump::Clif), (Stage::Asm, leat_translate::Dump::Asm)] {
            if self.wants(stage, None) {
                let text = leat_translate::dump(ssa, &options, what, self.options.dump_fn.as_deref())
                    .map_err(|error| Failure::Trouble(error.to_string()))?;
                show(&text);
            }
        }
        if self.options.stop_after.is_some_and(|stage| stage >= Stage::Clif) {
            return Err(Failure::Stopped);
        }
        let start = Instant::now();
        let made = work(&options).map_err(|error| Failure::Trouble(error.to_string()))?;
        self.took(name, start.elapsed());
        Ok(made)
    }

    /// Is this dump asked for?
    pub(crate) fn wants(&self, stage: Stage, pass: Option<&str>) -> bool {
        self.options.dumps.iter().any(|dump| dump.stage == stage && dump.after.as_deref() == pass)
    }

    /// Prints a dump: of all functions, or of those that `--dump-fn` names.
    fn dump(&self, text: &str) {
        let Some(name) = &self.options.dump_fn else {
            show(text);
            return;
        };
        // A function is a paragraph whose first line has its name.
        for paragraph in
            text.split("\n\n").filter(|p| p.lines().next().is_some_and(|line| line.contains(name.as_str())))
        {
            show(&format!("{paragraph}\n\n"));
        }
    }

    /// A stage of one unit: the times of all units add up.
    pub(crate) fn time(&mut self, what: &str, start: Instant) {
        self.spent(what, start.elapsed());
    }

    fn spent(&mut self, what: &str, took: Duration) {
        match self.times.iter_mut().find(|(name, _)| name == what) {
            Some((_, time)) => *time += took,
            None => self.times.push((what.to_string(), took)),
        }
    }

    /// All times so far.
    fn total(&self) -> Duration {
        self.times.iter().map(|(_, time)| *time).sum()
    }

    /// Adds a time that a later stage took.
    pub fn took(&mut self, what: &str, time: Duration) {
        self.times.push((what.to_string(), time));
    }

    /// What is built in, with the tables that it speaks of.
    pub fn library(&self) -> (&Basis, &Tables) {
        (&self.image, &self.tables)
    }

    /// The table of `--time-passes`.
    pub fn times(&self) -> String {
        let total: Duration = self.times.iter().map(|(_, time)| *time).sum();
        let mut text = String::new();
        for (what, time) in self.times.iter().chain([&("total".to_string(), total)]) {
            let _ = writeln!(text, "{:>10.3} ms  {what}", time.as_secs_f64() * 1e3);
        }
        text
    }

    pub(crate) fn refuse(&self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        if leat_base::diagnostic::has_errors(diagnostics) {
            self.keep(diagnostics);
            return Err(Failure::Errors(self.rendered(diagnostics)));
        }
        Ok(())
    }

    /// Messages as the user wants them.
    pub(crate) fn rendered(&self, diagnostics: &[Diagnostic]) -> String {
        match self.options.json {
            true => leat_base::json::render(diagnostics, &self.sources),
            false => leat_base::render(diagnostics, &self.sources, self.options.color),
        }
    }

    fn stop<T>(&self, diagnostics: &[Diagnostic]) -> Result<T, Failure> {
        self.refuse(diagnostics)?;
        Err(Failure::Stopped)
    }

    /// A verifier's finding is a defect of Leat: it says where, and how to see it again.
    pub(crate) fn broken(&self, stage: &str, found: Result<(), String>) -> Result<(), Failure> {
        found.map_err(|message| self.internal(stage, &message))
    }

    pub(crate) fn internal(&self, stage: &str, message: &str) -> Failure {
        Failure::Trouble(format!(
            "this is a defect of leat: the stage `{stage}` broke an invariant\n{message}\n\
             to see it again: the same command with --verify=each --dump={stage}"
        ))
    }
}

/// Adds what the match compiler says to the messages of the elaborator.
pub(crate) fn add_of_matches(diagnostics: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    // A constructor that is misspelt: it hides rules, and is a variable that nothing uses.
    let hides = |at: Span| more.iter().any(|d| d.code == "match/redundant" && d.span == at);
    diagnostics.retain(|d| d.code != "bind/unused" || !hides(d.span));
    diagnostics.extend(more);
}

/// The text of a source file; bytes that are not UTF-8 are reported by the parser, with their place.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    read_text(path).map_err(|why| {
        let why = if path.is_dir() { "is a directory, not a program" } else { &*why };
        Failure::Trouble(format!("{}: {why}", path.display()))
    })
}
