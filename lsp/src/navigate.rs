//! Definition, type definition, references, highlights, rename: from a name to the places that mean the same.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use leat_ast::TokenKind;
use leat_ast::ir::{DecKind, Name, SpecKind};
use leat_base::{Span, Symbol};
use leat_driver::tooling::{Analysed, MOST};
use leat_elab::basis::ValEntry;
use leat_elab::index::{NameKind, Occurrence};
use lsp_types as lsp;
use serde_json::Value;

use crate::query::{self, kind_name, name_at, one_name, renamed_with, unit_at};
use crate::text::{is_sure, is_word};
use crate::workspace::{Workspace, value};

/// Where a name is declared: its declaration first, then what specifies it.
pub(crate) fn definition(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(unit) = unit_at(&workspace.front, path, offset) else { return Ok(Value::Null) };
    let Some(name) = name_at(&unit, offset) else { return Ok(Value::Null) };
    let mut spans = vec![];
    if name.declared.is_none() {
        return Ok(Value::Null);
    }
    // On the declaration itself the others are more interesting.
    if !name.is_declaration() {
        spans.push(name.declared);
    }
    let mut others: Vec<Span> = one_name(&workspace.front, name.declared).into_iter().collect();
    others.sort_by_key(|span| (span.file, span.lo));
    if spans.is_empty() {
        spans.extend(others.into_iter().filter(|span| *span != name.span));
    }
    if spans.is_empty() {
        spans.push(name.declared);
    }
    value(spans.into_iter().filter_map(|span| workspace.shown_location(span)).collect::<Vec<_>>())
}

/// Where the type of a phrase is declared.
pub(crate) fn type_definition(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let front = &workspace.front;
    let Some(unit) = unit_at(front, path, offset) else { return Ok(Value::Null) };
    let ty = name_at(&unit, offset).and_then(|name| query::type_of_name(&unit, &name));
    let ty = ty.or_else(|| query::phrase_at(&unit, offset).map(|(_, ty)| ty));
    let span = ty.and_then(|ty| query::type_name(front, ty)).map(|name| front.tables().tynames[name].span);
    value(span.and_then(|span| workspace.shown_location(span)))
}

pub(crate) fn references(
    workspace: &mut Workspace,
    path: &Path,
    offset: usize,
    declaration: bool,
) -> Result<Value, String> {
    let Some(name) = unit_at(&workspace.front, path, offset).and_then(|unit| name_at(&unit, offset)) else {
        return Ok(Value::Null);
    };
    if query::path_of(&workspace.front, name.declared.file).is_none() {
        // A name of the library: its uses in the programs that are open.
        return value(listed(workspace, path, offset, declaration));
    }
    value(workspace.with_all_uses(path, &[name.name.as_str()], name.declared, |workspace| {
        listed(workspace, path, offset, declaration)
    }))
}

pub(crate) fn listed(
    workspace: &Workspace,
    path: &Path,
    offset: usize,
    declaration: bool,
) -> Option<Vec<lsp::Location>> {
    let found = all_at(workspace, path, offset)?;
    let found = found.iter().filter(|name| declaration || !name.is_declaration());
    Some(found.filter_map(|name| workspace.location(name.span)).collect())
}

pub(crate) fn highlights(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(found) = all_at(workspace, path, offset) else { return Ok(Value::Null) };
    let here = found.iter().filter(|name| query::path_of(&workspace.front, name.span.file).is_some_and(|p| p == path));
    let kind = |declaration: bool| {
        if declaration { lsp::DocumentHighlightKind::WRITE } else { lsp::DocumentHighlightKind::READ }
    };
    let shown = here.filter_map(|name| {
        let range = workspace.location(name.span)?.range;
        Some(lsp::DocumentHighlight { range, kind: Some(kind(name.is_declaration())) })
    });
    value(shown.collect::<Vec<_>>())
}

fn all_at(workspace: &Workspace, path: &Path, offset: usize) -> Option<Vec<leat_elab::index::Occurrence>> {
    let unit = unit_at(&workspace.front, path, offset)?;
    let name = name_at(&unit, offset)?;
    if name.declared.is_none() {
        return None;
    }
    Some(renamed_with(&workspace.front, name.declared).1)
}

pub(crate) fn prepare_rename(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(unit) = unit_at(&workspace.front, path, offset) else { return Ok(Value::Null) };
    let Some(name) = name_at(&unit, offset) else { return Ok(Value::Null) };
    may_rename(workspace, &name)?;
    value(workspace.location(name.span).map(|location| location.range))
}

fn may_rename(workspace: &Workspace, name: &leat_elab::index::Occurrence) -> Result<(), String> {
    if name.declared.is_none() || query::path_of(&workspace.front, name.declared.file).is_none() {
        return Err(format!("`{}` is not declared in this program", name.name));
    }
    Ok(())
}

pub(crate) fn rename(workspace: &mut Workspace, path: &Path, offset: usize, new: &str) -> Result<Value, String> {
    let Some(unit) = unit_at(&workspace.front, path, offset) else { return Ok(Value::Null) };
    let Some(name) = name_at(&unit, offset) else { return Ok(Value::Null) };
    may_rename(workspace, &name)?;
    if !is_identifier(new) {
        return Err(format!("`{new}` is no identifier"));
    }
    let symbolic = |text: &str| !text.starts_with(char::is_alphabetic);
    if symbolic(new) && matches!(name.kind, NameKind::Structure | NameKind::Signature | NameKind::Functor) {
        return Err(format!("a {} cannot be called `{new}`", kind_name(name.kind)));
    }
    if symbolic(new) != symbolic(name.name.as_str()) {
        return Err("a word stays a word, and a symbol a symbol: their uses are written in other ways".to_string());
    }
    let names = [name.name.as_str(), new];
    workspace.with_all_uses(path, &names, name.declared, |workspace| renamed(workspace, path, offset, new))
}

/// The edits of a renaming, where all programs that may have the name are analysed.
fn renamed(workspace: &mut Workspace, path: &Path, offset: usize, new: &str) -> Result<Value, String> {
    // The analysis may be another one now.
    let Some(unit) = unit_at(&workspace.front, path, offset) else { return Ok(Value::Null) };
    let Some(name) = name_at(&unit, offset) else { return Ok(Value::Null) };
    let (class, found) = renamed_with(&workspace.front, name.declared);
    let must_be_so = format!("`{}` must be called so: a signature of the library specifies it", name.name);
    let is_of_library = |span: &&Span| query::path_of(&workspace.front, span.file).is_none();
    let librarys = class.iter().filter(is_of_library);
    if let Some(span) = librarys.min_by_key(|span| (span.file, span.lo)) {
        if workspace.comments.is_specification(&workspace.front, *span) {
            return Err(must_be_so);
        }
        let place = workspace.front.sources().describe(*span);
        return Err(format!("`{}` must be called as in {place}, which is not of this program", name.name));
    }
    let is_specified = |unit: &Analysed| unit.index.borrow().specified.iter().any(|span| class.contains(span));
    if workspace.front.all_units().iter().any(|unit| is_specified(unit)) {
        return Err(must_be_so);
    }
    if !query::is_local(&unit, name.declared)
        && let Some(folder) = workspace.cut_off(path)
    {
        let (name, folder) = (name.name, folder.display());
        return Err(format!("{folder} has more than {MOST} files, and not all were looked at for `{name}`"));
    }
    if matches!(name.kind, NameKind::Structure | NameKind::Signature | NameKind::Functor) {
        named_by_descriptions(workspace, path, &name, &class, &found)?;
    }
    // Outside of what a local name's scope lies in, another name may mean anything.
    let around = query::around_local(&unit, name.declared);
    let is_near = |span: Span| around.is_none_or(|around| around.lo <= span.lo && span.hi <= around.hi);
    let mut edits: BTreeMap<PathBuf, Vec<lsp::TextEdit>> = BTreeMap::new();
    let mut places: BTreeMap<PathBuf, Vec<(Span, String)>> = BTreeMap::new();
    for one in &found {
        let Some(path) = query::path_of(&workspace.front, one.span.file) else { continue };
        if !workspace.is_own(&path) {
            let (name, place) = (&name.name, workspace.front.sources().describe(one.span));
            return Err(format!("`{name}` is also in {place}, which is outside of the project"));
        }
        let Some(unit) = unit_at(&workspace.front, &path, one.span.lo as usize) else { continue };
        // Each program may have other things in scope there.
        for unit in workspace.front.units_in_all(&path) {
            let at = one.span.lo as usize;
            if unit.range.start <= at && at <= unit.range.end {
                may_be_called(workspace, &unit, (one, &path), new, &class, &is_near)?;
            }
        }
        let Some(file) = workspace.front.sources().get(one.span.file) else { continue };
        let range = workspace.encoding.range(file, one.span.lo, one.span.hi);
        let old = one.name.as_str();
        let text = if query::is_pun(&unit, one.span) { format!("{old} = {new}") } else { new.to_string() };
        places.entry(path.clone()).or_default().push((one.span, text.clone()));
        edits.entry(path).or_default().push(lsp::TextEdit { range, new_text: text });
    }
    for (path, places) in &places {
        may_be_written(workspace, path, places, new)?;
        if is_caught(workspace, path, places, new) {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(format!("`{new}` already means something in {file}"));
        }
    }
    if around.is_none()
        && let Some(path) = catches_elsewhere(workspace, &name, new, &class, &found)
    {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        return Err(format!("`{new}` already means something in {file}"));
    }
    let mut changes = serde_json::Map::new();
    for (path, edits) in edits {
        if let Some(uri) = workspace.uri(&path) {
            changes.insert(uri.as_str().to_string(), value(edits)?);
        }
    }
    Ok(serde_json::json!({ "changes": changes }))
}

/// Does the new name mean nothing else in a unit, where it is to stand for an old one?
fn may_be_called(
    workspace: &Workspace,
    unit: &Analysed,
    (one, path): (&Occurrence, &Path),
    new: &str,
    class: &HashSet<Span>,
    is_near: &dyn Fn(Span) -> bool,
) -> Result<(), String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    // What is infix is so by its name, and the declarations that say it are no uses: `infix ++` would stay.
    if are_infix_apart(unit, one.name, Symbol::intern(new)) {
        return Err(format!("`{}` and `{new}` are not infix in the same way in {file}", one.name));
    }
    // As a pattern, `nil` binds nothing.
    let entry = unit.after().val(Symbol::intern(new)).cloned();
    if space(one.kind) == 0 && matches!(entry, Some(ValEntry::Con { .. } | ValEntry::Exn { .. } | ValEntry::Ref)) {
        return Err(format!("`{new}` is a constructor in {file}"));
    }
    let all = query::names(unit);
    let is_librarys = |span: Span| query::path_of(&workspace.front, span.file).is_none();
    // `String.tokens`: no name of the program can stand for a member of the library's structure.
    let is_member = |other: &Occurrence| {
        all.iter().any(|outer| {
            outer.kind == NameKind::Structure && outer.span.hi + 1 == other.span.lo && is_librarys(outer.declared)
        })
    };
    // A name that means something else there would be caught, or catch.
    let is_another = |other: &Occurrence| {
        other.name.as_str() == new
            && is_near(other.span)
            && space(other.kind) == space(one.kind)
            && !class.contains(&other.declared)
            && !is_member(other)
    };
    if all.iter().any(is_another) {
        return Err(format!("`{new}` already means something in {file}"));
    }
    Ok(())
}

/// May these places of a file be changed, and does the new name stand there then? The file must be what was analysed:
/// not every editor tells of what changes on disk.
fn may_be_written(workspace: &mut Workspace, path: &Path, places: &[(Span, String)], new: &str) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let now = workspace.front.text(path);
    let is_lost = workspace.documents.get(path).is_some_and(|document| document.is_lost);
    let known = places.first().and_then(|(span, _)| workspace.front.sources().get(span.file));
    let Some(file) = known.filter(|file| !is_lost && now.is_some_and(|text| *text == *file.text)) else {
        return Err(format!("{name} has another text now than the one that was checked"));
    };
    if let Some((span, _)) = places.iter().find(|(span, _)| !is_sure(&file.text, span.lo as usize)) {
        let line = file.line_of(span.lo);
        return Err(format!("line {line} of {name} is not UTF-8, so it is not known where the editor has the name"));
    }
    let (text, names) = with_new(&file.text, places, new);
    // `(++)` with `*+` for its name is the begin of a comment.
    let tokens = leat_ast::tokens(&text, &leat_ast::ParseOptions { allow_prim: true });
    let stands = |&lo: &u32| {
        let at = tokens.partition_point(|token| token.hi <= lo);
        let hi = lo + new.len() as u32;
        // A long name is one token.
        tokens.get(at).is_some_and(|token| {
            (token.lo == lo || token.lo < lo && text[..lo as usize].ends_with('.'))
                && (token.hi == hi || token.hi > hi && token.kind == TokenKind::Long)
        })
    };
    if let Some(at) = names.iter().position(|lo| !stands(lo)) {
        let line = file.line_of(places[at].0.lo);
        return Err(format!("`{new}` would be read as something else in line {line} of {name}"));
    }
    Ok(())
}

/// A file's text with other texts at some places; and where the new name is in each, which it ends.
fn with_new(old: &str, places: &[(Span, String)], new: &str) -> (String, Vec<u32>) {
    let (mut text, mut at, mut names) = (String::new(), 0, vec![]);
    for (span, put) in places {
        text.push_str(&old[at..span.lo as usize]);
        text.push_str(put);
        // Of `old = new` the second part.
        names.push((text.len() - new.len()) as u32);
        at = span.hi as usize;
    }
    text.push_str(&old[at..]);
    (text, names)
}

/// Would the new name mean something else at one of its places, because of what is in scope there? A structure that is
/// opened there has names that the file nowhere says. What is declared in other files has its old name here: so the
/// new one means nothing yet where it is free.
fn is_caught(workspace: &mut Workspace, path: &Path, places: &[(Span, String)], new: &str) -> bool {
    let Some((first, _)) = places.first() else { return false };
    let Some(file) = workspace.front.sources().get(first.file) else { return false };
    let (text, names) = with_new(&file.text, places, new);
    let length = file.text.len();
    let is_one = |span: Span| span.file == first.file && names.binary_search(&span.lo).is_ok();
    let units = workspace.front.units_in_all(path);
    // A file that is cut into parts, by `use` and its kin, is not asked.
    units.iter().filter(|unit| unit.range == (0..length)).any(|unit| {
        let (index, _) = workspace.front.ask_in(unit, &text, names[0], names[0] + new.len() as u32);
        index.names.iter().any(|name| {
            name.name.as_str() == new && is_one(name.span) && !name.declared.is_none() && !is_one(name.declared)
        })
    })
}

/// A file that has not the old name, and in which the new one, that means something else there now, would mean what is
/// renamed: it comes after the declaration, or opens a structure that has it.
fn catches_elsewhere(
    workspace: &mut Workspace,
    name: &Occurrence,
    new: &str,
    class: &HashSet<Span>,
    found: &[Occurrence],
) -> Option<PathBuf> {
    let (old, new) = (name.name, Symbol::intern(new));
    for unit in workspace.front.all_units() {
        let Some(path) = query::path_of(&workspace.front, unit.file) else { continue };
        let first = found.partition_point(|one| (one.span.file, one.span.lo as usize) < (unit.file, unit.range.start));
        let has_old = found.get(first).is_some_and(|one| holds(&unit, one.span));
        if has_old
            || !unit.index.borrow().names.iter().any(|one| one.name == new && space(one.kind) == space(name.kind))
        {
            continue;
        }
        let mut names = query::names(&unit);
        names.retain(|one| (one.name == new || one.name == old) && space(one.kind) == space(name.kind));
        names.retain(|one| holds(&unit, one.span));
        names.sort_by_key(|one| one.span.lo);
        names.dedup_by_key(|one| one.span);
        if !may_see(&unit, old, &names) {
            continue;
        }
        if are_infix_apart(&unit, old, new) || exchanged_means(workspace, &unit, &names, (old, new), class) {
            return Some(path);
        }
    }
    None
}

fn holds(unit: &Analysed, span: Span) -> bool {
    span.file == unit.file && unit.range.start <= span.lo as usize && span.hi as usize <= unit.range.end
}

/// May one of these names of a unit, called `old`, mean what is declared outside of it? Where nothing brings members of
/// structures and signatures into scope, only what is in scope at the top level can.
fn may_see(unit: &Analysed, old: Symbol, names: &[Occurrence]) -> bool {
    let ast = &unit.program.ast;
    let is_long = |one: &Occurrence| unit.text[..one.span.lo as usize].ends_with('.');
    let after = unit.after();
    let is_bound = |one: &Occurrence| match space(one.kind) {
        0 => after.val(old).is_some(),
        1 => after.ty(old).is_some(),
        2 => after.structure(old).is_some(),
        3 => after.sig(old).is_some(),
        _ => after.functor(old).is_some(),
    };
    names.iter().any(|one| is_long(one) || is_bound(one))
        || ast.decs.iter().any(|(_, dec)| matches!(dec.kind, DecKind::Open(_) | DecKind::Replication { .. }))
        || ast.specs.iter().any(|(_, spec)| matches!(spec.kind, SpecKind::Include(_) | SpecKind::Replication { .. }))
}

/// Would one of these names of a unit that are `new` mean one of a class of declarations, if that were called so? All
/// else has the old name still, so the unit is read with the two names exchanged: what it binds itself, or finds
/// nearer, keeps its meaning.
fn exchanged_means(
    workspace: &mut Workspace,
    unit: &Analysed,
    names: &[Occurrence],
    (old, new): (Symbol, Symbol),
    class: &HashSet<Span>,
) -> bool {
    let mut text = unit.text[..unit.range.start].to_string();
    let (mut at, mut places) = (unit.range.start, vec![]);
    for one in names {
        let (lo, hi) = (one.span.lo as usize, one.span.hi as usize);
        text.push_str(&unit.text[at..lo]);
        if query::is_pun(unit, one.span) {
            text.push_str(&format!("{} = ", one.name));
        }
        let other = if one.name == new { old } else { new };
        if one.name == new {
            places.push(text.len() as u32);
        }
        text.push_str(other.as_str());
        at = hi;
    }
    text.push_str(&unit.text[at..unit.range.end]);
    let Some(&first) = places.first() else { return false };
    let (index, _) = workspace.front.ask_in(unit, &text, first, first + old.as_str().len() as u32);
    let is_place = |span: Span| span.file == unit.file && places.binary_search(&span.lo).is_ok();
    index.names.iter().any(|one| one.name == old && is_place(one.span) && class.contains(&one.declared))
}

/// A description that exports a module under its name, or gives it another one: nothing there is changed, so the module
/// cannot be called otherwise.
fn named_by_descriptions(
    workspace: &mut Workspace,
    path: &Path,
    name: &Occurrence,
    class: &HashSet<Span>,
    found: &[Occurrence],
) -> Result<(), String> {
    if let Some(other) = found.iter().find(|one| one.name != name.name) {
        let (name, other) = (name.name, other.name);
        return Err(format!("an .mlb file makes `{other}` another name of `{name}`, and a rename does not change it"));
    }
    for description in workspace.descriptions_with(path, class) {
        let text = workspace.text(&description);
        let mut code = String::new();
        let mut at = 0;
        for (lo, hi) in crate::comments::comments(&text) {
            code.push_str(&text[at..lo]);
            code.push(' ');
            at = hi;
        }
        code.push_str(&text[at..]);
        // File names have a dot.
        let mut words = code.split(|c: char| c.is_whitespace() || "=;()".contains(c));
        if words.any(|word| word == name.name.as_str()) {
            let file = description.file_name().unwrap_or_default().to_string_lossy();
            return Err(format!("`{}` is also named in {file}, which a rename does not change", name.name));
        }
    }
    Ok(())
}

/// May the one of these identifiers be infix in a text where the other is not, or with another precedence?
fn are_infix_apart(unit: &Analysed, a: Symbol, b: Symbol) -> bool {
    let ast = &unit.program.ast;
    let declares = |names: &[Name]| names.iter().any(|name| name.symbol == a || name.symbol == b);
    unit.fixity.get(a) != unit.fixity.get(b)
        || ast.decs.iter().any(|(_, dec)| matches!(&dec.kind, DecKind::Fixity { names, .. } if declares(names)))
        || ast.specs.iter().any(|(_, spec)| matches!(&spec.kind, SpecKind::Fixity { names, .. } if declares(names)))
}

/// The name space of a kind of names.
fn space(kind: NameKind) -> u8 {
    match kind {
        NameKind::Value | NameKind::Constructor | NameKind::Exception => 0,
        NameKind::Type => 1,
        NameKind::Structure => 2,
        NameKind::Signature => 3,
        NameKind::Functor => 4,
    }
}

/// Is it an identifier of SML, short, and no reserved word?
fn is_identifier(text: &str) -> bool {
    let reserved = TokenKind::word(text).is_some() || [":", "|", "=", "=>", "->", "#", ":>", "*"].contains(&text);
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_word);
    let symbol = !text.is_empty() && text.chars().all(|c| "!%&$#+-/:<=>?@\\~`^|*".contains(c));
    (word || symbol) && !reserved
}
