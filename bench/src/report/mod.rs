//! A run -> the report: one page of HTML that needs nothing else, and the same as text.

pub mod bars;
pub mod chart;
mod drawings;
pub mod html;
mod overview;
pub mod page;
pub mod paper;
pub mod style;
mod tables;
pub mod text;
pub mod words;

use std::path::Path;

use crate::record::Results;
use crate::store;
use crate::table::Table;

/// Writes `index.html` into a folder.
pub fn write(folder: &Path, table: &Table, results: &Results) -> Result<(), String> {
    store::replace(&folder.join("index.html"), &html::page(table, results))
}
