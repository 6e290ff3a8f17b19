//! Names of structures, signatures and functors that are not bound -> the library that has them, and how to name it; or
//! the project or the file beside this one that does.
//!
//! Which library exports what is read from the library's own .mlb files, and what CM files call it from `cm.anchors`,
//! when there is such an error.

use std::path::{Path, PathBuf};

use leat_ast::{ParseOptions, TokenKind as T};
use leat_base::{Diagnostic, FileId, SourceMap, Symbol};
use leat_elab::edit_distance;

use super::members::members;
use super::mlb_parser::{Dec, parse};
use super::places::{Places, SourcePlace};
use super::scope::ModuleKind;
use crate::options::Options;
use crate::project;

/// What names a source: a description of one kind, or the command line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum NamedIn {
    #[default]
    Nothing,
    Mlb,
    Cm,
}

/// A name that a library exports.
struct Export {
    kind: ModuleKind,
    name: Symbol,
    /// `smlnj-lib/Util/smlnj-lib.mlb`
    library: String,
}

/// Adds to the messages about modules that are not bound which library has them, and how a source that is named `here`
/// would name it.
pub(crate) fn advise(options: &Options, sources: &SourceMap, here: NamedIn, diagnostics: &mut [Diagnostic]) {
    let kind_of = |d: &Diagnostic| match d.code {
        // "The structure `S` has no .." is about a part of one.
        "scope/structure" if d.message.ends_with("is not bound") => Some(ModuleKind::Structure),
        "scope/signature" => Some(ModuleKind::Signature),
        "scope/functor" => Some(ModuleKind::Functor),
        _ => None,
    };
    if !diagnostics.iter().any(|d| kind_of(d).is_some()) {
        return;
    }
    let Ok(places) = Places::new(options) else { return };
    let exports = exports(&places);
    let anchors = places.anchors();
    let first = diagnostics.iter().find(|d| kind_of(d).is_some()).map(|d| d.span.file);
    let file = first.and_then(|file| sources.get(file)).map(|file| PathBuf::from(&*file.name));
    let file = file.filter(|file| file.is_file());
    let mut project = file.as_deref().filter(|_| here == NamedIn::Nothing).and_then(|file| project_of(file, options));
    let alone = project.is_none();
    for d in diagnostics {
        let Some(kind) = kind_of(d) else { continue };
        if !alone && Some(d.span.file) == first {
            // What is meant is in the project; a name that is like it is not.
            d.help.clear();
            d.fixes.clear();
            let how =
                |project| format!("this file is one of those that `{project}` names: give that file in its place");
            d.help.extend(project.take().map(how));
            continue;
        }
        let text = sources.text(d.span);
        // A value or a type of that name is what was meant: a field of a record, say.
        if text.is_empty() || d.help.iter().any(|help| help.contains("is a value")) {
            continue;
        }
        let name = Symbol::intern(text);
        if let Some(found) = exports.iter().find(|export| export.kind == kind && export.name == name) {
            d.help.clear();
            d.fixes.clear();
            d.help.push(format!("it is in a library: {}", how_to_name(&found.library, &anchors, here)));
        } else if let Some(beside) = file.as_deref().and_then(|file| declared_beside(file, kind, text)) {
            d.help.clear();
            d.fixes.clear();
            d.help.push(match here {
                NamedIn::Nothing => format!("`{beside}` declares it: name that file, too, before this one"),
                NamedIn::Mlb => format!("`{beside}` declares it: in the .mlb file it stands before this source"),
                NamedIn::Cm => format!("`{beside}` declares it: name it in the .cm file, too"),
            });
        } else if here == NamedIn::Mlb
            && let Some(unlisted) = file.as_deref().and_then(|file| declared_unlisted(file, kind, text, options))
        {
            d.help.clear();
            d.fixes.clear();
            d.help.push(format!("`{unlisted}` declares it, but no .mlb file of the project names that file"));
        } else if let Some(other) = exports.iter().find(|export| export.name == name) {
            d.help.push(format!("there is a {} `{name}` in `$(SML_LIB)/{}`", other.kind.name(), other.library));
        } else if d.help.is_empty()
            && let Some(near) = nearest(&exports, kind, text)
        {
            let how = how_to_name(&near.library, &anchors, here);
            d.help.push(format!("did you mean `{}`? It is in a library: {how}", near.name));
        }
    }
}

/// The description of the project around a file, if it names the file.
fn project_of(file: &Path, options: &Options) -> Option<String> {
    let project = project::find(file.parent()?).ok()?;
    let whole = file.canonicalize().ok()?;
    let sources = members(&project.description, options).ok()?.sources;
    let is_member = sources.iter().any(|source| source.canonicalize().is_ok_and(|source| source == whole));
    let name = project.description.strip_prefix(".").unwrap_or(&project.description);
    is_member.then(|| name.display().to_string())
}

/// A source beside others of the project that declares a module of this name, and that its description does not name,
/// nor do those that this one names.
fn declared_unlisted(file: &Path, kind: ModuleKind, name: &str, options: &Options) -> Option<String> {
    let project = project::find(file.parent()?).ok()?;
    let named = members(&project.description, options).ok()?.sources;
    let folder_of = |source: &PathBuf| source.parent().map(Path::to_path_buf);
    let mut folders: Vec<PathBuf> = named.iter().filter_map(folder_of).collect();
    folders.sort();
    folders.dedup();
    let named: Vec<PathBuf> = named.iter().filter_map(|source| source.canonicalize().ok()).collect();
    let is_unlisted = |path: &Path| path.canonicalize().is_ok_and(|path| !named.contains(&path));
    let found = folders.iter().find_map(|folder| declared_in(folder, kind, name, &is_unlisted))?;
    Some(found.strip_prefix(".").unwrap_or(&found).display().to_string())
}

/// Another source in a file's folder that declares a module of this name.
fn declared_beside(file: &Path, kind: ModuleKind, name: &str) -> Option<String> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = declared_in(folder, kind, name, &|path| path.file_name() != file.file_name())?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}

/// A source of a folder that declares a module of this name, of those that are asked for.
fn declared_in(folder: &Path, kind: ModuleKind, name: &str, is_asked: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    /// More files than these, and larger ones, are not looked at.
    const MOST: usize = 200;
    const LARGEST: u64 = 1 << 18;
    let word = match kind {
        ModuleKind::Structure => T::Structure,
        ModuleKind::Signature => T::Signature,
        ModuleKind::Functor => T::Functor,
    };
    let is_source = |path: &PathBuf| {
        is_asked(path)
            && path.extension().is_some_and(|suffix| ["sml", "sig", "fun"].iter().any(|&known| suffix == known))
            && path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST)
    };
    let entries = std::fs::read_dir(folder).ok()?.take(MOST).flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> = entries.filter(is_source).collect();
    others.sort();
    let declares = |path: &PathBuf| {
        let Ok(text) = std::fs::read_to_string(path) else { return false };
        text.contains(name) && {
            let tokens = leat_ast::tokens(&text, &ParseOptions { allow_prim: true });
            tokens
                .windows(2)
                .any(|pair| pair[0].kind == word && text.get(pair[1].lo as usize..pair[1].hi as usize) == Some(name))
        }
    };
    others.into_iter().find(declares)
}

/// The lines that bring a library into scope.
fn how_to_name(library: &str, anchors: &str, here: NamedIn) -> String {
    let mlb = format!("`$(SML_LIB)/{library}`");
    let rows = anchors.lines().filter(|line| !line.starts_with('#'));
    let cm = rows
        .filter_map(|line| line.split_once(" = "))
        .find(|(_, file)| file.trim() == library)
        .and_then(|(names, _)| names.split_whitespace().next());
    match (here, cm) {
        (NamedIn::Mlb, _) => format!("name {mlb} in the .mlb file, before this source"),
        (NamedIn::Cm, Some(cm)) => format!("name `{cm}` in the .cm file"),
        (NamedIn::Nothing, Some(cm)) => {
            format!("write `CM.make \"{cm}\";` before it, or name {mlb} in an .mlb file")
        }
        (NamedIn::Nothing, None) => {
            format!("write `CM.make \"$(SML_LIB)/{library}\";` before it, or name {mlb} in an .mlb file")
        }
        (NamedIn::Cm, None) => format!("name {mlb} in an .mlb file"),
    }
}

/// Everything that the library's .mlb files export by name; those that CM files can name come first.
fn exports(places: &Places) -> Vec<Export> {
    let anchors = places.anchors();
    let mut libraries: Vec<String> =
        places.libraries().iter().filter_map(|name| name.strip_prefix("$(SML_LIB)/")).map(str::to_string).collect();
    let rank = |library: &String| {
        let named = anchors.lines().any(|line| line.ends_with(&format!(" = {library}")));
        (!named, library.contains("1997"), library.contains("Compat"))
    };
    libraries.sort_by_key(|library| (rank(library), library.clone()));
    let mut found = Vec::new();
    for library in libraries {
        let Ok(text) = places.read(&SourcePlace::Shelf(library.clone())) else { continue };
        let (decs, _) = parse(FileId::NONE, &text, true);
        collect(&decs, &library, &mut found);
    }
    found
}

fn collect(decs: &[Dec], library: &str, found: &mut Vec<Export>) {
    for dec in decs {
        match dec {
            Dec::Module(kind, binds) => found.extend(binds.iter().map(|(new, _)| Export {
                kind: *kind,
                name: new.symbol,
                library: library.to_string(),
            })),
            Dec::Local(_, body) | Dec::Ann(_, body) => collect(body, library, found),
            Dec::Basis(_) | Dec::Open(_) | Dec::File(..) | Dec::Builtin(_) => {}
        }
    }
}

/// An export with nearly this name: in other letters, or a letter off.
fn nearest<'e>(exports: &'e [Export], kind: ModuleKind, text: &str) -> Option<&'e Export> {
    let simple = |text: &str| text.to_ascii_lowercase().replace('_', "");
    let wanted = simple(text);
    let is_signature = |kind: ModuleKind| kind == ModuleKind::Signature;
    let distance = |export: &Export| {
        if is_signature(kind) != is_signature(export.kind) {
            return None;
        }
        let name = simple(export.name.as_str());
        if name == wanted || name.strip_suffix("fn") == Some(&wanted) || wanted.strip_suffix("fn") == Some(&name) {
            return Some(0);
        }
        let limit = if wanted.len() < 5 { 0 } else { 1 + usize::from(wanted.len() > 9) };
        edit_distance(&name, &wanted, limit).filter(|&distance| distance <= limit)
    };
    // A structure that is asked for may be what a functor makes.
    let near = exports.iter().filter_map(|export| Some((distance(export)?, export.kind != kind, export)));
    near.min_by_key(|(distance, other, export)| (*distance, *other, export.name.as_str())).map(|(.., export)| export)
}
