//! What the server works on: the front end, the windows, the folders, and the messages of each program.
//!
//! The loop writes it, everything that answers a question reads it: paths and ranges of the client in, places of the
//! compiler's out, and back.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use leat_base::diagnostic::has_errors;
use leat_base::{Diagnostic, Severity, Span};
use leat_driver::tooling::{Front, Walk};
use leat_driver::units::is_description;
use lsp_types as lsp;
use serde_json::Value;

use crate::comments::Comments;
use crate::copies::Copies;
use crate::query;
use crate::survey::Survey;
use crate::text::{Encoding, as_source, uri_of};

/// A text that is open in the editor.
pub(crate) struct Document {
    /// As the client spells it: an address has many spellings, and an editor knows a window by the one that it has
    /// said. What lacks escapes has them here; who writes so reads both.
    pub uri: lsp::Uri,
    pub text: Arc<str>,
    pub version: i32,
    /// A change of it could not be read, so the text is not the editor's.
    pub is_lost: bool,
    /// The program that it belongs to: a description, or the file itself.
    pub root: PathBuf,
    /// The folder of its project.
    pub project: PathBuf,
}

/// What is known of one program.
#[derive(Default)]
pub(crate) struct Program {
    /// Its messages, by file.
    pub messages: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// The sources that its description named when it was walked last; none before that, and of a single source.
    pub sources: Option<BTreeSet<PathBuf>>,
    /// A walk is due.
    pub stale: bool,
    /// The last walk met a defect of Leat, when the server had taken so many changes. Without another one the next walk
    /// would meet it again.
    pub failed_after: Option<u64>,
}

pub(crate) struct Workspace {
    pub front: Front,
    pub encoding: Encoding,
    pub documents: HashMap<PathBuf, Document>,
    /// The editor's.
    pub folders: Vec<PathBuf>,
    /// By their roots.
    pub programs: BTreeMap<PathBuf, Program>,
    /// The last look over a whole project.
    pub surveyed: Cell<Option<Rc<Survey>>>,
    pub comments: Comments,
    /// Of the library's files.
    pub copies: Rc<Copies>,
    /// Where the library itself is the program: the windows with copies of its files, and their names in the library.
    /// The windows' texts are among the documents, under those names.
    pub names: HashMap<PathBuf, PathBuf>,
}

impl Workspace {
    pub fn new(front: Front, encoding: Encoding, folders: Vec<PathBuf>, copies: Rc<Copies>) -> Workspace {
        Workspace {
            front,
            encoding,
            documents: HashMap::new(),
            folders,
            programs: BTreeMap::new(),
            surveyed: Cell::default(),
            comments: Comments::default(),
            copies,
            names: HashMap::new(),
        }
    }

    /// Is it a file that the client may ask about: open, in one of its folders, or of a program that is?
    pub fn knows(&self, path: &Path) -> bool {
        self.documents.contains_key(path) || self.is_own(path) || !self.front.units(path).is_empty()
    }

    /// May the client's user want it changed: is it in one of its folders, or in the project of an open file?
    pub fn is_own(&self, path: &Path) -> bool {
        if !self.folders.is_empty() && self.folders.iter().any(|folder| path.starts_with(folder)) {
            return true;
        }
        self.documents.values().any(|document| path.starts_with(&document.project))
    }

    /// Goes over a program ([`Front::walk`]), and notes which sources it has now.
    pub fn walk(&mut self, root: &Path, interrupt: Option<Rc<dyn Fn() -> bool>>, awaited: &BTreeSet<PathBuf>) -> Walk {
        let walk = self.front.walk(root, interrupt, awaited);
        // Of a description that cannot be read, what it named before counts.
        let is_read = walk.trouble.is_none() && !(walk.units.is_empty() && has_errors(&walk.diagnostics));
        if is_description(root) && is_read && !walk.interrupted {
            let sources = walk.units.iter().filter_map(|unit| query::path_of(&self.front, unit.file)).collect();
            self.programs.entry(root.to_path_buf()).or_default().sources = Some(sources);
        }
        walk
    }

    /// The sources of the programs that were walked, if a window has a description that the disk has not: what the
    /// windows say counts then. Else nothing, and what is on disk counts.
    pub fn sources_by_windows(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let is_unsaved = |(path, document): (&PathBuf, &Document)| {
            is_description(path) && std::fs::read(path).ok().as_deref() != Some(document.text.as_bytes())
        };
        if !self.documents.iter().any(is_unsaved) {
            return BTreeMap::new();
        }
        let walked = self.programs.iter().filter_map(|(root, program)| Some((root.clone(), program.sources.clone()?)));
        walked.collect()
    }

    /// The files that have a window and are not on the disk: new ones, and those that somebody has taken away. The
    /// descriptions that name them have them all the same.
    pub fn only_in_windows(&self) -> BTreeSet<PathBuf> {
        self.documents.keys().filter(|path| path.is_absolute() && !path.is_file()).cloned().collect()
    }

    /// A program is of no interest any more.
    pub fn forget(&mut self, root: &Path) {
        self.programs.remove(root);
        self.front.forget(root);
    }

    /// A message in the client's form: facts and advice stand below it.
    pub fn diagnostic(&self, d: &Diagnostic) -> lsp::Diagnostic {
        let sources = self.front.sources();
        let range = match sources.get(d.span.file) {
            Some(file) => self.encoding.range(file, d.span.lo, d.span.hi),
            None => lsp::Range::default(),
        };
        let mut message = d.message.clone();
        if let Some((_, text)) = d.labels.iter().find(|(span, text)| *span == d.span && !text.is_empty()) {
            message.push_str(&format!("\n{text}"));
        }
        d.notes.iter().for_each(|note| message.push_str(&format!("\nnote: {note}")));
        d.help.iter().for_each(|help| message.push_str(&format!("\nhelp: {help}")));
        let related = d.labels.iter().filter(|(span, text)| *span != d.span && !text.is_empty());
        let related: Vec<_> = related
            .filter_map(|(span, text)| {
                let location = self.location(*span)?;
                Some(lsp::DiagnosticRelatedInformation { location, message: text.clone() })
            })
            .collect();
        // A variable with a label is most likely a constructor that is misspelt: that must be seen.
        let unused = d.code == "match/redundant" || d.code == "bind/unused" && d.labels.is_empty();
        lsp::Diagnostic {
            range,
            severity: Some(match d.severity {
                Severity::Error => lsp::DiagnosticSeverity::ERROR,
                Severity::Warning => lsp::DiagnosticSeverity::WARNING,
                Severity::Note => lsp::DiagnosticSeverity::INFORMATION,
            }),
            code: Some(lsp::NumberOrString::String(d.code.to_string())),
            source: Some("leat".to_string()),
            message,
            related_information: if related.is_empty() { None } else { Some(related) },
            tags: unused.then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
            ..lsp::Diagnostic::default()
        }
    }

    /// A place in a file on disk, in the client's form.
    pub fn location(&self, span: Span) -> Option<lsp::Location> {
        let path = query::path_of(&self.front, span.file)?;
        let file = self.front.sources().get(span.file)?;
        Some(lsp::Location { uri: self.uri(&path)?, range: self.encoding.range(file, span.lo, span.hi) })
    }

    /// Likewise, and of a place in the library that in a copy of the file.
    pub fn shown_location(&self, span: Span) -> Option<lsp::Location> {
        if let Some(location) = self.location(span) {
            return Some(location);
        }
        let file = self.front.sources().get(span.file)?;
        let uri = self.uri(Path::new(&*file.name))?;
        Some(lsp::Location { uri, range: self.encoding.range(file, span.lo, span.hi) })
    }

    /// The address of a file: the client's own, if the file is open. One of the library has that of its copy.
    pub fn uri(&self, path: &Path) -> Option<lsp::Uri> {
        if let Some(document) = self.documents.get(path) {
            return Some(document.uri.clone());
        }
        match path.strip_prefix(query::LIBRARY) {
            Ok(name) => uri_of(&self.copies.path(self.front.sources(), name.to_str()?)?),
            Err(_) => uri_of(path),
        }
    }

    /// Where the library is the program: analyses a file of it that is not in the image, by the description that names
    /// it.
    pub fn read_in(&mut self, name: &str) {
        let path = Path::new(query::LIBRARY).join(name);
        let last = name.rsplit('/').next().unwrap_or(name);
        let copies = self.copies.clone();
        let files = copies.files(self.front.sources());
        let descriptions = files.iter().filter(|(name, text)| name.ends_with(".mlb") && text.contains(last));
        for (description, _) in descriptions {
            self.front.walk(&Path::new(query::LIBRARY).join(description), None, &BTreeSet::new());
            if !self.front.units(&path).is_empty() {
                return;
            }
        }
    }

    /// The messages of a file that are known.
    pub fn messages(&self, path: &Path) -> Vec<Diagnostic> {
        self.programs.values().filter_map(|program| program.messages.get(path)).flatten().cloned().collect()
    }

    /// The text of a file, open or not, as the compiler reads it: positions are about this one.
    pub fn source(&mut self, path: &Path) -> Arc<str> {
        match self.documents.get(path) {
            Some(document) => as_source(&document.text),
            None => self.text(path),
        }
    }

    /// The text of a file, open or not.
    pub fn text(&mut self, path: &Path) -> Arc<str> {
        match self.documents.get(path) {
            Some(document) => document.text.clone(),
            None => self.front.text(path).unwrap_or_default(),
        }
    }
}

/// An answer as it goes over the wire.
pub(crate) fn value(answer: impl serde::Serialize) -> Result<Value, String> {
    serde_json::to_value(answer).map_err(|error| error.to_string())
}
