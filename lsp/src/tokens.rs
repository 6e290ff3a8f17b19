//! Semantic tokens: what each name of a text is, for colours that a grammar cannot know.

use std::path::Path;

use leat_base::Span;
use leat_elab::index::NameKind;
use leat_elab::ir::TyData;
use lsp_types as lsp;
use serde_json::Value;

use crate::query;
use crate::workspace::{Workspace, value};

pub(crate) const TYPES: [&str; 8] =
    ["variable", "function", "enumMember", "event", "type", "namespace", "interface", "class"];
pub(crate) const MODIFIERS: [&str; 2] = ["declaration", "defaultLibrary"];

/// Those of a whole file, as the protocol counts them: each from the one before it.
pub(crate) fn all(workspace: &mut Workspace, path: &Path) -> Result<Value, String> {
    let front = &workspace.front;
    let mut names: Vec<(Span, u32, u32)> = vec![];
    for unit in front.units(path) {
        let mut types = std::collections::HashMap::new();
        types.extend(unit.index.borrow().types.iter().map(|(span, ty)| (*span, *ty)));
        // A long name has its type at the whole of it: by its end. To look for each of them among all is slow.
        let mut of_long = std::collections::HashMap::new();
        let long = types.iter().filter(|(span, _)| span.file == unit.file && query::is_long(&unit, **span));
        of_long.extend(long.map(|(span, ty)| (span.hi, *ty)));
        for name in query::names(&unit) {
            if name.span.file != unit.file || name.span.is_empty() {
                continue;
            }
            let function = || {
                let ty = types.get(&name.span).or_else(|| of_long.get(&name.span.hi));
                // The name in a further clause of a function means the first.
                let ty = ty.or_else(|| types.get(&name.declared)).copied();
                ty.is_some_and(|ty| matches!(front.tables().types[ty], TyData::Arrow(..)))
            };
            let kind = match name.kind {
                NameKind::Value => u32::from(function()),
                NameKind::Constructor => 2,
                NameKind::Exception => 3,
                NameKind::Type => 4,
                NameKind::Structure => 5,
                NameKind::Signature => 6,
                NameKind::Functor => 7,
            };
            let library = name.declared.is_none() || query::path_of(front, name.declared.file).is_none();
            names.push((name.span, kind, u32::from(name.is_declaration()) | u32::from(library) << 1));
        }
    }
    names.sort_by_key(|(span, ..)| (span.lo, span.hi));
    names.dedup_by_key(|(span, ..)| span.lo);
    let Some(file) = names.first().and_then(|(span, ..)| front.sources().get(span.file)) else {
        return value(lsp::SemanticTokens::default());
    };
    let (mut line, mut column) = (0, 0);
    let mut data = vec![];
    for (span, token_type, token_modifiers_bitset) in names {
        let range = workspace.encoding.range(file, span.lo, span.hi);
        // The text may have changed under a name that is not analysed again yet.
        if range.start.line != range.end.line {
            continue;
        }
        let start = range.start;
        let delta_start = if start.line == line { start.character - column } else { start.character };
        let length = range.end.character - start.character;
        let delta_line = start.line - line;
        data.push(lsp::SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset });
        (line, column) = (start.line, start.character);
    }
    value(lsp::SemanticTokens { result_id: None, data })
}
