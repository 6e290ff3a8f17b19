//! One unit after the other in one process, with one heap: what a prompt stands on.
//!
//! ```text
//! text -> Ast -> Core -> Lambda -> (with the code that it uses of earlier units and of the library) -> ... -> JIT -> run
//! ```
//!
//! A unit that does not come to its end, for an error or an exception, binds nothing: names, fixities and slots are as
//! before it. How units share values: docs/internals/decisions/007-incremental-units.md.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use leat_ast::FixityEnv;
use leat_ast::units::Request;
use leat_base::{FileId, Span, Symbol};
use leat_elab::basis::ValEntry;
use leat_elab::ir::{Ty, TyData, Var, VarInfo};
use leat_elab::{Basis, builtin};
use leat_entry::owner::Owner;
use leat_entry::{Ended, RuntimeOptions};
use leat_lambda::Image;
use leat_lambda::ir::{Dec, DecKind, Exp, ExpKind, Lambda, TopDec};
use leat_lambda::session;
use leat_ssa::ir::PRIVATE;
use leat_translate::Jit;

use crate::foreign;
use crate::options::{Options, Watch};
use crate::program;
use crate::session::{self as sessions, Session};
use crate::stage::Failure;
use crate::units;
use crate::units::settings::Settings;

/// A session of units.
pub struct Interactive {
    pub session: Session,
    kept: session::Session,
    /// Libraries that a unit has asked for.
    libraries: units::Done,
    jit: Jit,
    owner: Owner,
}

/// A unit that has its types, and was not run.
pub struct Line {
    pub program: leat_ast::Program,
    /// What it binds.
    pub added: Basis,
    lambda: Lambda,
    /// Variables from here on are the next stage's own.
    made: u32,
    /// By name: the variable whose slot will hold the value, of those that are no functions.
    shown: HashMap<Symbol, Var>,
    /// Those that are there when it has come to its end.
    libraries: Option<units::Done>,
    before: Before,
}

/// What is put back when a unit comes to nothing.
struct Before {
    basis: Basis,
    fixity: FixityEnv,
}

/// The values of a unit that has just been run, and what is known of their types; see [`Interactive::run`].
pub struct Values<'s> {
    pub session: &'s Session,
    pub program: &'s leat_ast::Program,
    /// What the unit binds.
    pub added: &'s Basis,
    globals: *const u64,
    slots: HashMap<Symbol, u32>,
}

impl Values<'_> {
    /// The word in the slot of a name, if it has one.
    pub fn word(&self, name: Symbol) -> Option<u64> {
        // SAFETY: a slot of this session; the unit that fills it has returned.
        self.slots.get(&name).map(|&slot| unsafe { *self.globals.add(slot as usize) })
    }
}

impl Interactive {
    /// Loads the Basis and starts the runtime. `name` and `arguments` are those of `CommandLine`.
    pub fn new(
        options: Options,
        runtime: &RuntimeOptions,
        name: &str,
        arguments: &[String],
    ) -> Result<Interactive, Failure> {
        options.linking.load(None)?;
        let session = Session::new(options)?;
        let jit = Jit::new(leat_entry::symbols(), &session.target_options())
            .map_err(|error| Failure::Trouble(error.to_string()))?;
        let program = leat_entry::Program {
            main: std::ptr::null(),
            tables: Vec::new(),
            globals: jit.globals(),
            name: name.as_bytes().to_vec(),
            arguments: arguments.iter().map(|word| word.as_bytes().to_vec()).collect(),
            watched: session.options.watch != Watch::Nothing,
        };
        let owner = Owner::start(program, runtime).map_err(|error| Failure::Trouble(error.to_string()))?;
        Ok(Interactive { session, kept: session::Session::default(), libraries: units::Done::default(), jit, owner })
    }

    /// Adds a text; its units are parts of it.
    pub fn add_text(&mut self, name: &str, text: &str) -> FileId {
        self.session.sources.add(name, text)
    }

    /// Reads a file and adds it.
    pub fn add_file(&mut self, path: &Path) -> Result<FileId, Failure> {
        let text = program::read(path)?;
        Ok(self.session.sources.add(&path.display().to_string(), &text))
    }

    pub fn text(&self, file: FileId) -> &str {
        self.session.sources.get(file).map_or("", |file| &file.text)
    }

    // ------------------------------------------------------- front end

    /// Parses and types a unit. When that fails nothing has changed.
    pub fn elaborate(&mut self, file: FileId, part: Range<usize>) -> Result<Line, Failure> {
        let before = Before { basis: self.session.basis.clone(), fixity: self.session.fixity.clone() };
        let result = self.try_elaborate(file, part);
        match result {
            Ok((program, added, lambda, made)) => {
                let mut line = Line { program, added, lambda, made, shown: HashMap::new(), libraries: None, before };
                self.show_values(&mut line);
                Ok(line)
            }
            Err(failure) => {
                self.restore(before);
                Err(failure)
            }
        }
    }

    /// Parses and types all that a description (`.mlb`, `.cm`) names, as one unit.
    pub fn elaborate_description(&mut self, path: &Path) -> Result<Line, Failure> {
        self.elaborate_unit(|session, done| units::compile(session, done, path))
    }

    /// Likewise of the description that a unit of a text asks for: `CM.make "x.cm";`.
    pub fn elaborate_request(&mut self, file: FileId, request: &Request) -> Result<Line, Failure> {
        let at = Span::new(file, request.place.start as u32, request.place.end as u32);
        self.elaborate_unit(|session, done| units::requested(session, done, Path::new(""), &request.name, at))
    }

    fn elaborate_unit(
        &mut self,
        compile: impl FnOnce(&mut Session, &mut units::Done) -> Result<sessions::Unit, Failure>,
    ) -> Result<Line, Failure> {
        let before = Before { basis: self.session.basis.clone(), fixity: self.session.fixity.clone() };
        let mut done = self.libraries.clone();
        let unit = match compile(&mut self.session, &mut done) {
            Ok(unit) => unit,
            Err(failure) => {
                self.restore(before);
                return Err(failure);
            }
        };
        let added = unit.added.clone();
        let lambda = self.session.add(unit);
        let program =
            leat_ast::Program { file: FileId::NONE, ast: leat_ast::Ast::default(), decs: Vec::new(), ends: Vec::new() };
        // Which of its variables nobody else can name is not known.
        let made = u32::MAX;
        let libraries = Some(done.libraries());
        Ok(Line { program, added, lambda, made, shown: HashMap::new(), libraries, before })
    }

    /// What is in scope is what was there before the first unit. Threads and values of earlier units live on.
    pub fn reset(&mut self) {
        self.session.basis = self.session.image.clone();
        self.session.fixity = FixityEnv::basis();
        self.libraries = units::Done::default();
    }

    /// Forgets a unit that was typed and not run.
    pub fn forget(&mut self, line: Line) {
        self.restore(line.before);
    }

    fn restore(&mut self, before: Before) {
        self.session.basis = before.basis;
        self.session.fixity = before.fixity;
    }

    fn try_elaborate(
        &mut self,
        file: FileId,
        part: Range<usize>,
    ) -> Result<(leat_ast::Program, Basis, Lambda, u32), Failure> {
        let session = &mut self.session;
        let (basis, mut fixity) = (session.basis.clone(), session.fixity.clone());
        let checked = session.check_now(file, part, &basis, &mut fixity, &Settings::prompt())?;
        session.fixity = fixity;
        session.basis = checked.basis;
        Ok((checked.program, checked.unit.added, checked.unit.lambda, checked.made))
    }

    /// Every value that the unit binds to a name gets a slot that can be looked at: a polymorphic one at the type that
    /// has unit for its type variables.
    fn show_values(&mut self, line: &mut Line) {
        let mut found: Vec<(Symbol, Var, Vec<leat_elab::ir::TyVar>, Ty)> = Vec::new();
        for layer in line.added.layers() {
            for (name, entry) in layer.env.vals.iter() {
                if let ValEntry::Var { var, scheme } = entry {
                    found.push((*name, *var, scheme.tyvars.to_vec(), scheme.ty));
                }
            }
        }
        // `val (f, n) = (fn r => #a r, 3)`: the record's type is open where `n` is declared, though not in its type.
        let is_open = |dec: &Dec| matches!(&dec.kind, DecKind::Val { tyvars, .. } if !tyvars.is_empty());
        let closed = line.lambda.decs.iter().filter(|top| !is_open(&top.dec));
        let declared: std::collections::HashSet<Var> = closed.flat_map(|top| top.dec.binds()).collect();
        let tables = &mut self.session.tables;
        for (name, var, tyvars, ty) in found {
            let shape = tables.expand_abstract(ty);
            if matches!(tables.types[shape], TyData::Arrow(..)) {
                continue;
            }
            if tyvars.is_empty() && declared.contains(&var) {
                line.shown.insert(name, var);
                continue;
            }
            let units = vec![builtin::ty::UNIT; tyvars.len()];
            let ty = tables.substitute(ty, &tyvars, &units);
            let instance = tables.vars.push(VarInfo { name, path: name, ty, span: Span::NONE });
            let exp = Exp { kind: ExpKind::Var(var, units), ty, span: Span::NONE };
            let kind = DecKind::Val { tyvars: Vec::new(), var: instance, exp, keep: false };
            let dec = Dec { kind, span: Span::NONE };
            line.lambda.decs.push(TopDec { dec, uses: vec![var], effect: false });
            line.shown.insert(name, instance);
        }
    }

    // ------------------------------------------------------- back end

    /// Compiles and runs a unit. `after` is called on the runtime's thread when it has returned, while its values are
    /// where [`Values`] says; it must not run SML code.
    pub fn run(&mut self, line: Line, after: &mut dyn FnMut(&Values<'_>)) -> Result<Ended, Failure> {
        let Line { program, added, lambda, made, shown, libraries, before } = line;
        let result = self.try_run((&program, &added), lambda, made, &shown, after);
        if !matches!(result, Ok(Ended::Done)) {
            self.restore(before);
        } else if let Some(libraries) = libraries {
            self.libraries = libraries;
        }
        result
    }

    fn try_run(
        &mut self,
        (program, added): (&leat_ast::Program, &Basis),
        lambda: Lambda,
        made: u32,
        shown: &HashMap<Symbol, Var>,
        after: &mut dyn FnMut(&Values<'_>),
    ) -> Result<Ended, Failure> {
        let start = Instant::now();
        let image = Image::open(&self.session.lambda).map_err(Failure::Trouble)?;
        let looked_at: std::collections::HashSet<Var> = shown.values().copied().collect();
        let unit = self
            .kept
            .unit(&image, lambda, |var| var.0 < made, |var| looked_at.contains(&var))
            .map_err(Failure::Trouble)?;
        self.session.times.spent("reachable", start.elapsed());

        if unit.decs.is_empty() {
            // Nothing happens when code is declared: see docs/internals/decisions/007-incremental-units.md.
            let globals = self.jit.globals();
            after(&Values { session: &self.session, program, added, globals, slots: HashMap::new() });
            self.kept.commit(unit);
            return Ok(Ended::Done);
        }

        let mut ssa =
            self.session.back_end(|session| leat_mono::from_lambda_unit(&unit, &session.tables, &session.sources))?;
        if ssa.slots.is_empty() {
            ssa.slots = vec![PRIVATE; ssa.globals.len()];
        }
        for slot in ssa.slots.iter_mut().filter(|slot| **slot == PRIVATE) {
            *slot = self.kept.new_slot();
        }

        foreign::load_more_exports(&ssa.foreign)?;
        let jit = &mut self.jit;
        let loaded = self.session.machine(&ssa, "jit", |_| jit.add(&ssa))?;

        let globals = self.jit.globals();
        let slots = shown.iter().filter_map(|(name, var)| Some((*name, unit.exports.get(var)?.number))).collect();
        let values = Values { session: &self.session, program, added, globals, slots };
        // SAFETY: slots of this session; plain words.
        let is_set = |slot: u32| unsafe { globals.add(slot as usize).read() } == 1;
        let mut look = || {
            if is_set(unit.done) {
                after(&values);
            }
        };
        let start = Instant::now();
        // SAFETY: the code was made for this runtime, and its slots are numbered behind those of all earlier units.
        let ended = unsafe { self.owner.evaluate(loaded.main, loaded.table, &mut look) };
        let took = start.elapsed();
        self.session.took("run", took);
        if unit.library_done.is_some_and(is_set) {
            self.kept.commit_library(&unit);
        }
        // SAFETY: as above; a closure is no 0.
        self.kept.commit_earlier(&unit, |slot| unsafe { globals.add(slot as usize).read() } != 0);
        match ended {
            Ended::Done if is_set(unit.done) => self.kept.commit(unit),
            // A continuation of an earlier unit has returned in its place.
            Ended::Done => return Ok(Ended::Left),
            _ => {}
        }
        Ok(ended)
    }

    /// Waits for a line of the user's. See [`Owner::wait_for`].
    pub fn wait_for<T>(&self, end: Box<dyn FnOnce(i32) + Send>, wait: impl FnOnce() -> T) -> Result<T, i32> {
        self.owner.wait_for(end, wait)
    }

    /// Ends the session after the exit functions; gives the exit code.
    pub fn quit(self, code: i32) -> i32 {
        let exit = self.owner.quit(code);
        // The code must stay for the life of the process.
        std::mem::forget(self.jit);
        exit
    }
}
