//! Formatting: a text, or some lines of it, in the style of `leat fmt`, as the least edits.

use std::path::Path;

use leat_base::source::SourceFile;
use lsp_types as lsp;
use serde_json::Value;

use crate::server::{Server, value};

/// Of the whole text, or of a range of it.
pub(crate) fn format(server: &mut Server, path: &Path, range: Option<lsp::Range>) -> Result<Value, String> {
    let text = server.text(path);
    // What the files before it in the program declare to be infix.
    let units = server.front.units(path);
    let first = units.iter().min_by_key(|unit| unit.range.start);
    let fixity = first.map_or_else(leat_fmt::FixityEnv::basis, |unit| unit.fixity.clone());
    let edits = match range {
        None => leat_fmt::edits(&text, &fixity),
        Some(range) => {
            let start = server.encoding.offset(&text, range.start);
            let end = server.encoding.offset(&text, range.end).max(start);
            leat_fmt::format_range(&text, start..end, &fixity)
        }
    };
    let edits = match edits {
        Ok(edits) => edits,
        Err(error) => return Err(format!("not formatted: {error}")),
    };
    let file = SourceFile::new("", text.to_string());
    let edit = |edit: leat_fmt::Edit| lsp::TextEdit {
        range: server.encoding.range(&file, edit.range.start as u32, edit.range.end as u32),
        new_text: edit.text,
    };
    value(edits.into_iter().map(edit).collect::<Vec<_>>())
}
