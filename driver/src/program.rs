//! Inputs -> one program: texts, descriptions, and what the texts ask for by `use` and `CM.make`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use leat_ast::units::Asked;
use leat_base::{Diagnostic, FileId, Span, Symbol};
use leat_lambda::ir::{Lambda, TopDec};

use crate::session::{Input, Session};
use crate::stage::{Failure, Stage};
use crate::text::read_text;
use crate::units;
use crate::units::settings::Settings;

/// How `--main=FUNCTION` begins a program. It is read before the program, which may have an `OS` of its own.
const BEGIN: &str = "fun begin'main (main : string * string list -> OS.Process.status) : unit = \
                     OS.Process.exit (main (CommandLine.name (), CommandLine.arguments ()))";

impl Session {
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
        let (mut decs, mut description, mut done) = (Vec::new(), None, units::Done::default());
        let main = self.options.main.clone();
        let first = main.iter().map(|_| Input::Text("--main", BEGIN.to_string()));
        // A line of its own, so that a message about the function shows what was given.
        let last = main.iter().map(|main| Input::Text("--main", format!("val () = begin'main\n{main}")));
        for input in first.chain(inputs).chain(last) {
            if let Input::File(path) = input {
                self.own.add(path, &crate::own::current_folder());
            }
            description = match input {
                Input::File(path) if units::is_description(path) => Some(path),
                _ => None,
            };
            decs.extend(self.read_input(input, &mut done)?.decs);
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
        let help = "a declaration in the last source begins a program: `val () = main ()`; or a function of SML/NJ's kind \
                    does: `--main=Main.main`";
        self.warn(&[Diagnostic::warning("", Span::NONE, message).help(help)])
    }

    /// Parses and types an input: a text, or a unit with all that its description names (`.mlb`, `.cm`). What it
    /// declares is known to the next.
    pub fn read_program(&mut self, input: Input<'_>) -> Result<Lambda, Failure> {
        self.read_input(input, &mut units::Done::default())
    }

    /// Likewise of an input that is one of several: `done` are the descriptions that those before it have named.
    pub(crate) fn read_input(&mut self, input: Input<'_>, done: &mut units::Done) -> Result<Lambda, Failure> {
        let (name, text, place) = match input {
            Input::File(path) if units::is_description(path) => {
                let unit = units::compile(self, done, path)?;
                return Ok(self.add(unit));
            }
            Input::File(path) => (path.display().to_string(), self.read(path)?, path),
            Input::Text(name, text) => (name.to_string(), text, Path::new("")),
        };
        let file = self.source_file(&name, &text);
        let settings = Settings::with(&self.options.annotations);
        let mut lambda = Lambda::default();
        let mut using = vec![place.to_path_buf()];
        self.read_source(file, place, &settings, done, &mut using, &mut lambda)?;
        Ok(lambda)
    }

    /// Parses and types a source at `place`, with the descriptions and files that it asks for between its declarations.
    /// `using` are the sources that are being read, outermost first.
    fn read_source(
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
            lambda.decs.extend(self.read_part(file, start..request.part.start, settings)?.decs);
            start = request.part.start;
            let at = Span::new(file, request.place.start as u32, request.place.end as u32);
            // What asks may be the program's own function, or a structure of that name.
            match request.kind {
                Asked::Description if self.has_own_cm() => {
                    let unit = units::requested(self, done, place, &request.name, at)?;
                    lambda.decs.extend(self.add(unit).decs);
                }
                Asked::File if self.basis.val(Symbol::intern("use")).is_none() => {
                    self.read_used(&request.name, at, place, settings, done, using, lambda)?;
                }
                _ => continue,
            }
            start = request.part.end;
        }
        lambda.decs.extend(self.read_part(file, start..text.len(), settings)?.decs);
        Ok(())
    }

    /// `use "name";` at `at`, in the source at `place`: the file is read as if it stood there. It is looked for in that
    /// source's folder, then in the folder where Leat was started.
    #[allow(clippy::too_many_arguments, reason = "what it is read with, handed through")]
    fn read_used(
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
        self.read_source(file, &path, settings, done, using, lambda)?;
        using.pop();
        Ok(())
    }

    /// Parses and types a part of a text; what it declares is known to the next.
    fn read_part(&mut self, file: FileId, part: Range<usize>, settings: &Settings) -> Result<Lambda, Failure> {
        let (basis, mut fixity) = (self.basis.clone(), self.fixity.clone());
        let unit = self.check_unit(file, part, &basis, &mut fixity, settings)?;
        Ok(self.add(unit))
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
}

/// The text of a source file; bytes that are not UTF-8 are reported by the parser, with their place.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    read_text(path).map_err(|why| {
        let why = if path.is_dir() { "is a directory, not a program" } else { &*why };
        Failure::Trouble(format!("{}: {why}", path.display()))
    })
}
