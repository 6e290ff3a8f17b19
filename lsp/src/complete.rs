//! Completion: names that are in scope, members of a structure, labels of records, keywords.
//!
//! The text is elaborated once more with a word of its own where the identifier stands: so it is whole as a rule, and
//! the elaborator says what may stand there.

use std::collections::BTreeMap;
use std::path::Path;

use leat_ast::TokenKind;
use leat_ast::ir::{SigExpKind, TyKind};
use leat_driver::units::is_description;
use leat_elab::index::{Candidate, NameKind};
use leat_elab::ir::TyData;
use lsp_types as lsp;
use serde_json::Value;

use crate::comments::Linked;
use crate::query::{self, UNKNOWN, unit_at};
use crate::text::is_word;
use crate::workspace::{Workspace, value};

/// What stands for the identifier: no program has it.
const WORD: &str = "leat'here";

pub(crate) fn complete(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    // A description has no names of SML.
    if is_description(path) {
        return Ok(Value::Null);
    }
    let text = workspace.text(path);
    let before = &text[..offset];
    let start =
        before.rfind(|c: char| !is_word(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let prefix = &text[start..offset];
    let end = offset + text[offset..].find(|c: char| !is_word(c)).unwrap_or(text.len() - offset);
    if is_inside_comment_or_string(&text, offset) || prefix.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Value::Null);
    }
    if before[..start].ends_with('#') {
        // The label that is being typed is one only if others say so.
        let typed = &text[start..end];
        let elsewhere =
            || text.match_indices(typed).any(|(at, _)| at != start && is_whole_word(&text, at, typed.len()));
        let typed = Some(typed).filter(|_| typed.is_empty() || !elsewhere());
        return value(labels(workspace, path, typed));
    }
    let whole = format!("{}{WORD}{}", &text[..start], &text[end..]);
    let asked = workspace.front.ask(path, &whole, start as u32, (start + WORD.len()) as u32);
    let qualified = before[..start].ends_with('.');
    let wanted = prefix.to_ascii_lowercase();
    let is_wanted = |name: &str| is_subsequence(&wanted, &name.to_ascii_lowercase());
    let mut items: Vec<lsp::CompletionItem> = vec![];
    if let Some((index, program)) = &asked {
        let lo = start as u32;
        let is_type = program
            .ast
            .tys
            .iter()
            .any(|(_, ty)| matches!(&ty.kind, TyKind::Con { con, .. } if con.last().span.lo == lo));
        let is_sig =
            program.ast.sigexps.iter().any(|(_, sig)| matches!(&sig.kind, SigExpKind::Id(name) if name.span.lo == lo));
        let fits = |kind: NameKind| match kind {
            NameKind::Structure => !is_sig,
            NameKind::Type => is_type,
            NameKind::Signature => is_sig,
            _ => !is_type && !is_sig,
        };
        // A candidate's own declaration is not there yet: the word is not one of them.
        let candidates = index.candidates.iter().filter(|c| fits(c.kind) && c.name.as_str() != WORD);
        let wanted = candidates.filter(|c| is_wanted(c.name.as_str()));
        let told = Told { linked: Linked::all(&workspace.front), via: query::qualifiers(&text, start) };
        items.extend(wanted.map(|c| item(workspace, c, Some(&told))));
    }
    if items.is_empty() && !qualified {
        items = top_level(workspace, path, offset);
    }
    if !qualified {
        items.extend(TokenKind::WORDS.iter().map(|word| lsp::CompletionItem {
            label: word.to_string(),
            kind: Some(lsp::CompletionItemKind::KEYWORD),
            sort_text: Some(format!("2{word}")),
            ..lsp::CompletionItem::default()
        }));
    }
    items.retain(|item| is_wanted(&item.label));
    items.sort_by(|a, b| a.sort_text.cmp(&b.sort_text));
    value(items)
}

fn is_subsequence(wanted: &str, name: &str) -> bool {
    let mut name = name.chars();
    wanted.chars().all(|c| name.any(|d| d == c))
}

/// What is known of all candidates' declarations.
struct Told<'f> {
    linked: Linked<'f>,
    /// The structures before the dot.
    via: &'f str,
}

fn item(workspace: &Workspace, candidate: &Candidate, told: Option<&Told<'_>>) -> lsp::CompletionItem {
    use lsp::CompletionItemKind as K;
    let name = candidate.name.as_str();
    let kind = match candidate.kind {
        NameKind::Value if candidate.ty.contains("->") => K::FUNCTION,
        NameKind::Value => K::VARIABLE,
        NameKind::Constructor => K::ENUM_MEMBER,
        NameKind::Exception => K::EVENT,
        NameKind::Type => K::CLASS,
        NameKind::Structure => K::MODULE,
        NameKind::Signature => K::INTERFACE,
        NameKind::Functor => K::CLASS,
    };
    let (front, comments, declared) = (&workspace.front, &workspace.comments, candidate.declared);
    let comment = told.and_then(|told| comments.specified(front, &told.linked, declared, told.via));
    let comment = comment.or_else(|| comments.own(front, declared));
    lsp::CompletionItem {
        label: name.to_string(),
        kind: Some(kind),
        detail: Some(candidate.ty.clone()).filter(|ty| !ty.is_empty() && ty != UNKNOWN),
        documentation: comment.map(lsp::Documentation::String),
        sort_text: Some(format!("{}{name}", if candidate.own { 0 } else { 1 })),
        ..lsp::CompletionItem::default()
    }
}

/// Where nothing could be asked: what is in scope at the end of the unit.
fn top_level(workspace: &Workspace, path: &Path, offset: usize) -> Vec<lsp::CompletionItem> {
    let front = &workspace.front;
    let basis = match unit_at(front, path, offset) {
        Some(unit) => unit.after(),
        None => front.library().clone(),
    };
    let mut names: BTreeMap<(Kind2, leat_base::Symbol), Candidate> = BTreeMap::new();
    for layer in basis.layers() {
        let vals = layer.env.vals.iter().map(|v| (NameKind::Value, v.0));
        let strs = layer.env.strs.iter().map(|s| (NameKind::Structure, s.0));
        for (kind, name) in vals.chain(strs) {
            let candidate = Candidate { name, kind, ty: String::new(), declared: leat_base::Span::NONE, own: false };
            names.entry((kind as Kind2, name)).or_insert(candidate);
        }
    }
    names.values().map(|candidate| item(workspace, candidate, None)).collect()
}

type Kind2 = u8;

fn is_whole_word(text: &str, at: usize, length: usize) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at + length..].chars().next());
    !before.is_some_and(is_word) && !after.is_some_and(is_word)
}

/// The labels of all records that the file's types have, but not `except`.
fn labels(workspace: &Workspace, path: &Path, except: Option<&str>) -> Vec<lsp::CompletionItem> {
    let front = &workspace.front;
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for unit in front.units(path) {
        let mut todo: Vec<_> = unit.index.borrow().types.iter().map(|(_, ty)| *ty).collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(ty) = todo.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match &front.tables().types[ty] {
                TyData::Var(_) => {}
                TyData::Con(_, args) => todo.extend(args),
                TyData::Arrow(from, to) => todo.extend([*from, *to]),
                TyData::Record(fields) => {
                    for (label, ty) in fields {
                        todo.push(*ty);
                        if label.as_tuple_label().is_none() && Some(label.as_str()) != except {
                            let entry = found.entry(label.as_str());
                            entry.or_insert_with(|| query::shown(front, &unit, *ty, u32::MAX));
                        }
                    }
                }
            }
        }
    }
    let item = |(label, ty): (&str, String)| lsp::CompletionItem {
        label: label.to_string(),
        kind: Some(lsp::CompletionItemKind::FIELD),
        detail: Some(ty),
        ..lsp::CompletionItem::default()
    };
    found.into_iter().map(item).collect()
}

fn is_inside_comment_or_string(text: &str, offset: usize) -> bool {
    crate::comments::comments(text).iter().any(|&(lo, hi)| lo < offset && offset < hi)
        || crate::comments::strings(text).iter().any(|&(lo, hi)| lo < offset && offset < hi)
}
