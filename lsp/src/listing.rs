//! A source that no description names -> the message that says so, and the edit of the project's `.mlb` file that adds
//! it. A library that a message names -> the edit that names it, there or in a source that has no description.

use std::path::{Path, PathBuf};

use leat_ast::TokenKind;
use leat_ast::ir::DecKind;
use leat_base::source::SourceFile;
use leat_base::{Diagnostic, Severity, Span};
use leat_driver::tooling::Analysed;
use leat_driver::units::members::sources_in;
use lsp_types as lsp;
use serde_json::{Value, json};

use crate::text::{is_sure, is_word};
use crate::workspace::{Workspace, value};

/// What is said of a source that is a program of its own beside a project. A script that needs nothing of the project
/// is right as it is; a source that only declares modules, or asks for names that are not there, is most likely a part
/// of it.
pub(crate) fn message(workspace: &Workspace, root: &Path, units: &[std::rc::Rc<Analysed>]) -> Option<Diagnostic> {
    let lacks = units.iter().flat_map(|unit| &unit.diagnostics).any(|d| d.code.starts_with("scope/"));
    if !lacks && modules(units).is_empty() {
        return None;
    }
    let description = workspace.unlisted_in(root, root)?;
    let first = units.first()?;
    let unit = first.program.decs.first().map_or(Span::new(first.file, 0, 0), |dec| first.program.ast[*dec].span);
    let line =
        first.text.get(unit.lo as usize..).and_then(|text| text.find('\n')).map_or(unit.hi, |n| unit.lo + n as u32);
    let at = Span { hi: unit.hi.min(line), ..unit };
    let shown = description.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut d = Diagnostic::warning("", at, "no .mlb file of the project names this file, so it sees nothing of it");
    if !lacks {
        d.severity = Severity::Note;
        d.message = "no .mlb file of the project names this file, so it is no part of it".to_string();
    }
    d.help.push(format!("add `{}` to {shown}", relative(root, &description)?));
    Some(d)
}

/// The code action that adds a source to the project's `.mlb` file.
pub(crate) fn action(workspace: &mut Workspace, path: &Path) -> Result<Option<Value>, String> {
    let root = workspace.documents.get(path).map_or_else(|| path.to_path_buf(), |document| document.root.clone());
    let Some(description) = workspace.unlisted_in(path, &root) else { return Ok(None) };
    let Some(name) = relative(path, &description) else { return Ok(None) };
    let units = workspace.front.units(path);
    let modules = modules(&units);
    let text = workspace.text(&description);
    let folder = description.parent().unwrap_or(Path::new(""));
    let named = sources_in(&text);
    // Before the first source that uses it; else behind the last.
    let user = named.iter().find(|(source, _)| {
        let source = workspace.text(&folder.join(source));
        modules.iter().any(|module| mentions(&source, module))
    });
    let (quoted, end) = (written(&name), line_end(&text));
    let (at, new) = match (user, named.last()) {
        (Some((_, place)), _) => (place.start, format!("{quoted}{end}{}", indent(&text, place.start))),
        (None, Some((_, place))) => (place.end, format!("{end}{}{quoted}", indent(&text, place.start))),
        (None, None) if text.is_empty() || text.ends_with('\n') => (text.len(), format!("{quoted}{end}")),
        (None, None) => (text.len(), format!("{end}{quoted}{end}")),
    };
    let title = format!("Add {name} to {}", description.file_name().unwrap_or_default().to_string_lossy());
    inserting(workspace, &description, at, new, title)
}

/// The code action that does what a message says of a library: "name `..` in the .mlb file, before this source", or
/// "write `CM.make ..;` before it".
pub(crate) fn library(workspace: &mut Workspace, path: &Path, d: &Diagnostic) -> Result<Option<Value>, String> {
    let within = |help: &String, before: &str, behind: &str| {
        let text = help.split_once(before)?.1;
        text.split_once(behind).map(|(text, _)| text.to_string())
    };
    if let Some(library) =
        d.help.iter().find_map(|help| within(help, "name `", "` in the .mlb file, before this source"))
    {
        let Some((description, at)) = place_in_description(workspace, path) else { return Ok(None) };
        let text = workspace.text(&description);
        let title = format!("Add {library} to {}", description.file_name().unwrap_or_default().to_string_lossy());
        let new = format!("{library}{}{}", line_end(&text), indent(&text, at));
        return inserting(workspace, &description, at, new, title);
    }
    if let Some(call) = d.help.iter().find_map(|help| within(help, "write `", "` before it")) {
        let text = workspace.text(path);
        // A script's first line may name the program that runs it.
        let at = if text.starts_with("#!") { text.find('\n').map_or(text.len(), |end| end + 1) } else { 0 };
        let new = format!("{call}{}", line_end(&text));
        return inserting(workspace, path, at, new, format!("Write {call} in the beginning"));
    }
    Ok(None)
}

/// The description that names a source, and where: the program's, or one of the source's folder.
fn place_in_description(workspace: &mut Workspace, path: &Path) -> Option<(PathBuf, usize)> {
    let root = workspace.documents.get(path).map(|document| document.root.clone());
    let beside = std::fs::read_dir(path.parent()?).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut beside: Vec<PathBuf> = beside.filter(|file| file.extension().is_some_and(|ext| ext == "mlb")).collect();
    beside.sort();
    for description in root.into_iter().chain(beside) {
        let folder = description.parent().unwrap_or(Path::new("")).to_path_buf();
        let text = workspace.text(&description);
        if let Some((_, place)) = sources_in(&text).into_iter().find(|(source, _)| folder.join(source) == path) {
            return Some((description, place.start));
        }
    }
    None
}

/// A file's name in a description: in quotes where it has more than letters and such.
fn written(name: &str) -> String {
    if name.chars().all(|c| is_word(c) || "/.-".contains(c)) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// How the lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// What stands before a place of a line, as far as it is blank.
fn indent(text: &str, at: usize) -> String {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

/// The code action that puts a text into a file.
fn inserting(
    workspace: &mut Workspace,
    path: &Path,
    at: usize,
    new_text: String,
    title: String,
) -> Result<Option<Value>, String> {
    let Some(uri) = workspace.uri(path) else { return Ok(None) };
    let text = workspace.source(path);
    if !is_sure(&text, at) {
        return Ok(None);
    }
    let place = workspace.encoding.position(&SourceFile::new("", text.to_string()), at as u32);
    let edit = lsp::TextEdit { range: lsp::Range { start: place, end: place }, new_text };
    Ok(Some(json!({
        "title": title,
        "kind": "quickfix",
        "edit": { "changes": { uri.as_str(): value([edit])? } },
    })))
}

/// A source's name as the description has to write it, if it lies below that one's folder.
fn relative(path: &Path, description: &Path) -> Option<String> {
    Some(path.strip_prefix(description.parent()?).ok()?.display().to_string())
}

/// The modules that a source declares, if it declares nothing else.
fn modules(units: &[std::rc::Rc<Analysed>]) -> Vec<&'static str> {
    let mut names = vec![];
    for unit in units {
        for dec in &unit.program.decs {
            match &unit.program.ast[*dec].kind {
                DecKind::Structure(binds) => names.extend(binds.iter().map(|bind| bind.name.symbol.as_str())),
                DecKind::Signature(binds) => names.extend(binds.iter().map(|bind| bind.name.symbol.as_str())),
                DecKind::Functor(binds) => names.extend(binds.iter().map(|bind| bind.name.symbol.as_str())),
                _ => return vec![],
            }
        }
    }
    names
}

/// Does a source have this name, alone or in a long one?
fn mentions(source: &str, name: &str) -> bool {
    // Most sources do not have it at all.
    source.contains(name)
        && leat_ast::tokens(source, &leat_ast::ParseOptions { allow_prim: true }).iter().any(|token| {
            let text = &source[token.lo as usize..token.hi as usize];
            token.kind != TokenKind::String && text.split('.').any(|part| part == name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_sources() {
        assert!(mentions("val x = Parser.run", "Parser") && mentions("open Parser", "Parser"));
        assert!(mentions("val x = Lib.Parser.run", "Parser"));
        assert!(!mentions("val x = (MyParser.run, Parsers)", "Parser"));
        assert!(!mentions("(* Parser.run *) val x = \"Parser\"", "Parser"));
    }

    #[test]
    fn names_in_descriptions() {
        assert_eq!(written("src/a-b.sml"), "src/a-b.sml");
        assert_eq!(written("my \"a\".sml"), "\"my \\\"a\\\".sml\"");
        let text = format!("a.sml {}", written("a\\\"é.sml"));
        assert_eq!(sources_in(&text)[1].0, "a\\\"é.sml");
    }
}
