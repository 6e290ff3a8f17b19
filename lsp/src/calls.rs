//! Call hierarchy: a function -> the functions that name it, and those that it names.
//!
//! A function that is declared inside of another one belongs to that one. What no function surrounds belongs to its
//! file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leat_base::Span;
use leat_elab::index::{NameKind, Occurrence};
use lsp_types as lsp;
use serde_json::Value;

use crate::comments::Linked;
use crate::query::{self, name_at, one_name, unit_at};
use crate::symbols::{Declared, declared};
use crate::workspace::{Workspace, value};

/// The function that a name means, if the program has declared it.
pub(crate) fn prepare(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(name) = function_at(workspace, path, offset) else { return Ok(Value::Null) };
    let linked = Linked::Each(&workspace.front);
    value(item_of(workspace, &linked, name.declared).map(|item| vec![item]))
}

/// Who names the function at a place, and where.
pub(crate) fn incoming(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(name) = function_at(workspace, path, offset) else { return Ok(Value::Null) };
    let callers = workspace
        .with_all_uses(path, &[name.name.as_str()], name.declared, |workspace| callers(workspace, path, offset));
    value(callers)
}

fn callers(workspace: &Workspace, path: &Path, offset: usize) -> Vec<lsp::CallHierarchyIncomingCall> {
    // The analysis may be another one now.
    let Some(name) = function_at(workspace, path, offset) else { return vec![] };
    let class = one_name(&workspace.front, name.declared);
    let mut found: BTreeMap<(String, u32), (lsp::CallHierarchyItem, Vec<lsp::Range>)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for unit in workspace.front.all_units() {
        let index = unit.index.borrow();
        let mut all: Option<Vec<Declared>> = None;
        for use_ in index.names.iter().filter(|use_| !use_.is_declaration() && class.contains(&use_.declared)) {
            let Some(place) = workspace.location(use_.span) else { continue };
            if !seen.insert((place.uri.as_str().to_string(), use_.span.lo)) {
                continue;
            }
            let all = all.get_or_insert_with(|| declared(&unit.program));
            let caller = around(all, use_.span.lo);
            let key = (place.uri.as_str().to_string(), caller.map_or(u32::MAX, |caller| caller.at.lo));
            let item = match caller {
                Some(caller) => item(workspace, caller),
                None => Some(file(&place)),
            };
            let Some(item) = item else { continue };
            found.entry(key).or_insert_with(|| (item, vec![])).1.push(place.range);
        }
    }
    found.into_values().map(|(from, from_ranges)| lsp::CallHierarchyIncomingCall { from, from_ranges }).collect()
}

/// Which functions of the program the function at a place names, and where.
pub(crate) fn outgoing(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let Some(unit) = unit_at(&workspace.front, path, offset) else { return Ok(Value::Null) };
    let all = declared(&unit.program);
    let Some(function) = around(&all, offset as u32) else { return Ok(Value::Null) };
    let mut found: BTreeMap<Span, BTreeSet<Span>> = BTreeMap::new();
    for name in &unit.index.borrow().names {
        let is_inside = function.whole.lo <= name.span.lo && name.span.hi <= function.whole.hi;
        if is_inside && name.kind == NameKind::Value && !name.is_declaration() && !name.declared.is_none() {
            found.entry(name.declared).or_default().insert(name.span);
        }
    }
    // A function may name hundreds.
    let linked = Linked::all(&workspace.front);
    let calls = found.into_iter().filter_map(|(declared, uses)| {
        let to = item_of(workspace, &linked, declared)?;
        let from_ranges = uses.into_iter().filter_map(|span| Some(workspace.location(span)?.range)).collect();
        Some(lsp::CallHierarchyOutgoingCall { to, from_ranges })
    });
    value(calls.collect::<Vec<_>>())
}

fn function_at(workspace: &Workspace, path: &Path, offset: usize) -> Option<Occurrence> {
    let unit = unit_at(&workspace.front, path, offset)?;
    name_at(&unit, offset).filter(|name| name.kind == NameKind::Value && !name.declared.is_none())
}

/// The function that has its name here, or implements what is specified here.
fn item_of(workspace: &Workspace, linked: &Linked<'_>, declaration: Span) -> Option<lsp::CallHierarchyItem> {
    linked.class(declaration).into_iter().find_map(|span| {
        let path = query::path_of(&workspace.front, span.file)?;
        let unit = unit_at(&workspace.front, &path, span.lo as usize)?;
        let all = declared(&unit.program);
        let found = around(&all, span.lo)?;
        (found.at.lo == span.lo && found.kind == lsp::SymbolKind::FUNCTION).then(|| item(workspace, found))?
    })
}

/// The declaration of a value around a place, outside of all other functions.
fn around(all: &[Declared], at: u32) -> Option<&Declared> {
    let here = all.iter().find(|one| one.whole.lo <= at && at < one.whole.hi)?;
    match here.kind {
        lsp::SymbolKind::FUNCTION | lsp::SymbolKind::VARIABLE => Some(here),
        // A specification calls nothing.
        lsp::SymbolKind::INTERFACE => None,
        _ => around(&here.inside, at),
    }
}

fn item(workspace: &Workspace, one: &Declared) -> Option<lsp::CallHierarchyItem> {
    let (name, whole) = (workspace.location(one.at)?, workspace.location(one.whole)?);
    Some(lsp::CallHierarchyItem {
        name: one.name.to_string(),
        kind: one.kind,
        tags: None,
        detail: None,
        uri: name.uri,
        range: whole.range,
        selection_range: name.range,
        data: None,
    })
}

/// The file of a place, as the one that calls.
fn file(place: &lsp::Location) -> lsp::CallHierarchyItem {
    lsp::CallHierarchyItem {
        name: place.uri.as_str().rsplit('/').next().unwrap_or_default().to_string(),
        kind: lsp::SymbolKind::FILE,
        tags: None,
        detail: None,
        uri: place.uri.clone(),
        range: place.range,
        selection_range: place.range,
        data: None,
    }
}
