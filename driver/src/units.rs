//! Units: descriptions of programs in many files (ML Basis files, SML/NJ's CM files) -> their sources, each elaborated
//! in the scope that the description gives it.
//!
//! Reading order: `scope` (what is visible), `shelves` (which library has a name), `mlb` and `mlb_parser` (ML Basis
//! files), `cm`, `cm_parser` and `uses` (CM files and the order of their sources), `mlb_layout` (ML Basis files
//! formatted), `places` (paths, path variables, the files that travel inside Leat), `settings` (annotations).
//!
//! A description is elaborated once, however often it is named; its sources' Core goes to one list, in the order of
//! evaluation. Every message has its place in the description.

mod cm;
mod cm_parser;
pub mod members;
mod mlb;
pub mod mlb_layout;
mod mlb_parser;
mod places;
mod scope;
pub mod settings;
pub(crate) mod shelves;
pub(crate) mod uses;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use leat_base::{Diagnostic, FileId, Span, Symbol};
use leat_elab::edit_distance;
use leat_lambda::ir::Lambda;

use crate::session::{Session, Unit};
use crate::stage::Failure;
use places::{Places, SourcePlace};
pub use places::{is_basis_file, is_description, library_files, path_variable};
use scope::Scope;
use settings::Settings;
use shelves::NamedIn;

/// Descriptions that are elaborated.
#[derive(Clone, Default)]
pub(crate) struct Done {
    /// By identity; one that asks for anchors that a `bind` option sets, once for each of their values.
    exports: HashMap<SourcePlace, Vec<Exports>>,
    /// CM files that are libraries.
    cm_libraries: HashSet<SourcePlace>,
}

/// Anchors of CM files, and the folders that `bind` options give to them. None: no option does.
type Anchors = BTreeMap<String, Option<SourcePlace>>;

/// What a description exports where anchors stand for these folders. Nothing: it has errors, which have been told.
type Exports = (Anchors, Option<Rc<Scope>>);

impl Done {
    /// Without the user's own, which may change from one unit to the next.
    pub fn libraries(mut self) -> Done {
        self.exports.retain(|place, _| matches!(place, SourcePlace::Shelf(_)));
        self.cm_libraries.retain(|place| matches!(place, SourcePlace::Shelf(_)));
        self
    }
}

/// Compiles what a description names. What is in `done` is not compiled again.
pub(crate) fn compile(session: &mut Session, done: &mut Done, path: &Path) -> Result<Unit, Failure> {
    load(session, done, |_| Ok(SourcePlace::named(path)), Span::NONE)
}

/// Likewise the description that the source at `from` asks for at `at`: a library's name, as CM files have it, or a
/// file in that source's folder.
pub(crate) fn requested(
    session: &mut Session,
    done: &mut Done,
    from: &Path,
    name: &str,
    at: Span,
) -> Result<Unit, Failure> {
    load(session, done, |loader| loader.cm_place(name, &SourcePlace::disk(from), at), at)
}

fn load(
    session: &mut Session,
    done: &mut Done,
    place: impl FnOnce(&mut Loader<'_>) -> Result<SourcePlace, Failure>,
    at: Span,
) -> Result<Unit, Failure> {
    let mut places = Places::new(&session.options).map_err(Failure::Trouble)?;
    places.texts = session.tooling.as_ref().map(|tooling| tooling.texts.clone());
    let mut loader = Loader {
        session,
        places,
        done,
        bound: Vec::new(),
        asked: Vec::new(),
        open: Vec::new(),
        absent: Vec::new(),
        lambda: Lambda::default(),
    };
    let place = place(&mut loader)?;
    let scope = loader.description(&place, at)?;
    let fixities = scope.fixity.iter().map(|(symbol, fixity)| (*symbol, *fixity)).collect();
    Ok(Unit { lambda: loader.lambda, added: scope.basis.clone(), fixities })
}

const RELATIVE: &str = "names are relative to this file's folder";

/// What is known while descriptions are read.
struct Loader<'s> {
    session: &'s mut Session,
    places: Places,
    done: &'s mut Done,
    /// What `bind` options of the members that are open say, innermost last.
    bound: Vec<(String, SourcePlace)>,
    /// For each description that is open: the anchors that it and its members have asked for.
    asked: Vec<Anchors>,
    /// Descriptions that are being elaborated, outermost first, with where each was named.
    open: Vec<(SourcePlace, Span)>,
    /// Places of the description that is open which name files that are not there, with the names.
    absent: Vec<(Span, String)>,
    /// Of all sources so far, in order.
    lambda: Lambda,
}

impl Loader<'_> {
    /// What a description exports; elaborated when it is first named. `at` is where it is named.
    fn description(&mut self, place: &SourcePlace, at: Span) -> Result<Rc<Scope>, Failure> {
        let identity = self.places.identity(place);
        let same = |anchors: &Anchors| anchors.iter().all(|(anchor, folder)| self.innermost(anchor) == folder.as_ref());
        let done =
            self.done.exports.get(&identity).and_then(|all| all.iter().find(|(anchors, _)| same(anchors))).cloned();
        if let Some((anchors, scope)) = done {
            self.asked.last_mut().into_iter().for_each(|asked| asked.extend(anchors.clone()));
            return scope.ok_or_else(|| Failure::Errors(String::new()));
        }
        if let Some(first) = self.open.iter().position(|(open, _)| *open == identity) {
            return Err(self.cycle(first, at));
        }
        let file = self.read(place, at)?;
        self.open.push((identity.clone(), at));
        self.asked.push(Anchors::new());
        let mlb = place.has_suffix("mlb");
        let around = std::mem::replace(&mut self.session.named_in, if mlb { NamedIn::Mlb } else { NamedIn::Cm });
        let scope = if mlb { self.mlb(place, file) } else { self.cm(place, file) };
        self.session.named_in = around;
        // A tool goes on behind one with errors.
        self.open.pop();
        let anchors = self.asked.pop().unwrap_or_default();
        self.asked.last_mut().into_iter().for_each(|asked| asked.extend(anchors.clone()));
        let scope = scope.map(Rc::new);
        if let Ok(_) | Err(Failure::Errors(_)) = scope {
            self.done.exports.entry(identity).or_default().push((anchors, scope.as_ref().ok().cloned()));
        }
        scope
    }

    /// The folder that the `bind` options around the description that is open give to an anchor.
    fn bound(&mut self, anchor: &str) -> Option<SourcePlace> {
        let folder = self.innermost(anchor).cloned();
        if let Some(asked) = self.asked.last_mut() {
            asked.insert(anchor.to_string(), folder.clone());
        }
        folder
    }

    fn innermost(&self, anchor: &str) -> Option<&SourcePlace> {
        self.bound.iter().rev().find(|(bound, _)| bound == anchor).map(|(_, folder)| folder)
    }

    /// Reads a member whose `bind` options give these folders to anchors. What it asks of them is its own affair.
    fn with_anchors<T>(
        &mut self,
        folders: Vec<(String, SourcePlace)>,
        read: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let before = self.bound.len();
        let around = (!folders.is_empty()).then(|| self.asked.last().cloned()).flatten();
        let names: Vec<String> = folders.iter().map(|(anchor, _)| anchor.clone()).collect();
        self.bound.extend(folders);
        let result = read(self);
        self.bound.truncate(before);
        if let (Some(around), Some(asked)) = (around, self.asked.last_mut()) {
            for name in names {
                match around.get(&name) {
                    Some(folder) => asked.insert(name, folder.clone()),
                    None => asked.remove(&name),
                };
            }
        }
        result
    }

    fn cycle(&self, first: usize, at: Span) -> Failure {
        let chain: Vec<String> = self.open[first..].iter().map(|(place, _)| place.short()).collect();
        let whole = format!("{} -> {}", chain.join(" -> "), chain[0]);
        let mut d = Diagnostic::error("unit/cycle", at, format!("`{}` includes itself", chain[0]))
            .note(format!("the chain of inclusions: {whole}"))
            .help("move what both need into a third file that both include");
        for (place, named) in self.open[first..].iter().skip(1) {
            if !named.is_none() && *named != at {
                d = d.label(*named, format!("`{}` is included here", place.short()));
            }
        }
        self.failed(d)
    }

    /// The file that a description names at `at`, with path variables.
    fn resolve(&self, path: &str, here: &SourcePlace, at: Span) -> Result<SourcePlace, Failure> {
        self.places.resolve(path, here).map_err(|message| {
            let d = Diagnostic::error("unit/path-variable", at, message)
                .help("path variables are set by `--mlb-path-var='NAME VALUE'` or `--mlb-path-map=FILE`");
            self.failed(d)
        })
    }

    /// Reads a file that a description names at `at`.
    fn read(&mut self, place: &SourcePlace, at: Span) -> Result<FileId, Failure> {
        match self.places.read(place) {
            Ok(text) => Ok(self.session.source_file(&place.shown(), &text)),
            // The description on the command line has no place.
            Err(reason) if at.is_none() => Err(Failure::Trouble(format!("{}: {reason}", place.shown()))),
            Err(reason) => {
                let (code, message, help) = match place {
                    SourcePlace::Shelf(path) => {
                        let path = format!("$(SML_LIB)/{path}");
                        (
                            "unit/library",
                            format!("there is no library `{path}`"),
                            likely(&path, &self.places.libraries()),
                        )
                    }
                    SourcePlace::Disk(path) => {
                        let folder = self.folder_of_tool(at);
                        let path = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
                        ("unit/file", format!("`{}`: {reason}", path.display()), RELATIVE.to_string())
                    }
                };
                let mut all = vec![Diagnostic::error(code, at, message).help(help)];
                // Nothing is read behind this, so the others are told of here.
                if self.session.tooling.is_none() {
                    let behind = self.absent.iter().filter(|(place, _)| place.file == at.file && place.lo > at.lo);
                    all.extend(behind.map(|(place, name)| {
                        let message = format!("`{name}`: there is no such file");
                        Diagnostic::error("unit/file", *place, message).help(RELATIVE)
                    }));
                }
                Err(self.failed_all(&all))
            }
        }
    }

    /// In a tool the names of files are whole; a message has them as they are seen from the file that it is about.
    fn folder_of_tool(&self, at: Span) -> Option<&Path> {
        self.session.tooling.as_ref()?;
        Path::new(&*self.session.sources.get(at.file)?.name).parent()
    }

    /// Elaborates a source file in a scope; answers what it declares.
    fn source(&mut self, place: &SourcePlace, at: Span, scope: &Scope, settings: &Settings) -> Result<Scope, Failure> {
        let file = self.read(place, at)?;
        self.source_text(file, scope, settings).map_err(|failure| match failure {
            Failure::Errors(text) if !settings.library && scope.basis.ty(Symbol::intern("int")).is_none() => {
                self.without_basis(place, at, file, (scope, settings), text)
            }
            failure => failure,
        })
    }

    /// A source fails where nothing of the Basis is in scope: the reason, if it is that, and then only those of its
    /// errors that it has with the Basis, too.
    fn without_basis(
        &mut self,
        place: &SourcePlace,
        at: Span,
        file: FileId,
        (scope, settings): (&Scope, &Settings),
        text: String,
    ) -> Failure {
        let mut with = Scope { basis: self.session.image.clone(), ..Scope::default() };
        with.fixity = leat_ast::FixityEnv::basis().iter().collect();
        with.add(scope);
        let whole = self.session.whole(file);
        let errors = match self.session.check_unit(file, whole, &with.basis, &mut with.fixity_env(), settings) {
            Ok(_) => String::new(),
            Err(Failure::Errors(rest)) if rest.lines().count() < text.lines().count() => rest,
            Err(_) => return Failure::Errors(text),
        };
        let message =
            format!("nothing of the Basis library is in scope in `{}`: no `int`, no `+`, no `print`", place.short());
        let d = Diagnostic::error("unit/basis", at, message).help("put `$(SML_LIB)/basis/basis.mlb` before it");
        match self.failed(d) {
            Failure::Errors(reason) if !errors.is_empty() => {
                let between = if self.session.options.json { "" } else { "\n" };
                Failure::Errors(format!("{reason}{between}{errors}"))
            }
            failure => failure,
        }
    }

    fn source_text(&mut self, file: FileId, scope: &Scope, settings: &Settings) -> Result<Scope, Failure> {
        let mut fixity = scope.fixity_env();
        let whole = self.session.whole(file);
        let unit = self.session.check_unit(file, whole, &scope.basis, &mut fixity, settings)?;
        self.lambda.decs.extend(unit.lambda.decs);
        Ok(Scope { basis: unit.added, fixity: unit.fixities.into_iter().collect(), ..Scope::default() })
    }

    fn failed(&self, diagnostic: Diagnostic) -> Failure {
        self.failed_all(&[diagnostic])
    }

    fn failed_all(&self, diagnostics: &[Diagnostic]) -> Failure {
        self.session.keep(diagnostics);
        Failure::Errors(self.session.rendered(diagnostics))
    }
}

/// Which library may have been meant: one of nearly that name, or of that file name; otherwise all that there are.
fn likely(path: &str, libraries: &[String]) -> String {
    let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let near = libraries.iter().filter_map(|name| Some((edit_distance(path, name, 4)?, name))).min();
    let named = || libraries.iter().find(|name| file(name) == file(path));
    match near.map(|(_, name)| name).or_else(named) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are: {}", libraries.join(", ")),
    }
}
