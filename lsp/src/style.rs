//! Formatting: a text, or some lines of it, in the style of `leat fmt`, as the least edits.

use std::path::Path;

use leat_base::FileId;
use leat_base::source::SourceFile;
use leat_driver::units::{is_basis_file, mlb_layout};
use lsp_types as lsp;
use serde_json::Value;

use crate::workspace::{Workspace, value};

/// Of the whole text, or of a range of it.
pub(crate) fn format(workspace: &mut Workspace, path: &Path, range: Option<lsp::Range>) -> Result<Value, String> {
    let text = workspace.text(path);
    let file = SourceFile::new("", workspace.source(path).to_string());
    if is_basis_file(path) {
        let formatted = mlb_layout::format(FileId(0), &text).map_err(|errors| {
            let error = errors.first().map_or("it has errors", |error| &error.message);
            format!("not formatted: {error}")
        })?;
        if range.is_some() || formatted == *text {
            return value(Vec::<lsp::TextEdit>::new());
        }
        let range = workspace.encoding.range(&file, 0, text.len() as u32);
        return value(vec![lsp::TextEdit { range, new_text: formatted }]);
    }
    // What the files before it in the program declare to be infix.
    let units = workspace.front.units(path);
    let first = units.iter().min_by_key(|unit| unit.range.start);
    let fixity = first.map_or_else(leat_fmt::FixityEnv::basis, |unit| unit.fixity.clone());
    let edits = match range {
        None => leat_fmt::edits(&text, &fixity),
        Some(range) => {
            let start = workspace.encoding.offset(&file.text, range.start);
            let end = workspace.encoding.offset(&file.text, range.end).max(start);
            leat_fmt::format_range(&text, start..end, &fixity)
        }
    };
    let edits = match edits {
        Ok(edits) => edits,
        Err(error) => return Err(format!("not formatted: {error}")),
    };
    let edit = |edit: leat_fmt::Edit| lsp::TextEdit {
        range: workspace.encoding.range(&file, edit.range.start as u32, edit.range.end as u32),
        new_text: edit.text,
    };
    value(edits.into_iter().map(edit).collect::<Vec<_>>())
}
