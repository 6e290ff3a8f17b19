//! A run -> the report: one page of HTML that needs nothing else, and the same as text.

pub mod chart;
pub mod html;
pub mod page;
pub mod text;

use std::path::Path;

use crate::record::Results;
use crate::table::Table;

/// Writes `index.html` into a folder.
pub fn write(folder: &Path, table: &Table, results: &Results) -> Result<(), String> {
    let path = folder.join("index.html");
    std::fs::write(&path, html::page(table, results)).map_err(|e| format!("{}: {e}", path.display()))
}
