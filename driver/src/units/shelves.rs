//! Names of structures, signatures and functors that are not bound -> the library that has them, and how to name it.
//!
//! Which library exports what is read from the library's own .mlb files, and what CM files call it from `cm.anchors`,
//! when there is such an error.

use leat_base::{Diagnostic, FileId, SourceMap, Symbol};
use leat_elab::edit_distance;

use super::mlb_parser::{Dec, parse};
use super::places::{Places, SourcePlace};
use super::scope::ModuleKind;
use crate::options::Options;

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
    for d in diagnostics {
        let Some(kind) = kind_of(d) else { continue };
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
