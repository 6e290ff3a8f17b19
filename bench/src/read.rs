//! `documents.toml`, `tools.toml` and each folder's `rows.toml` -> the table of what is measured.
//!
//! A folder of programs describes its rows itself, so a new row is a file beside its programs and no line of Rust.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::check;
use crate::table::{Document, Row, System, Table, Tool};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Folder {
    #[serde(default)]
    system: Vec<System>,
    /// Fields of all rows that do not have their own.
    #[serde(default)]
    each: toml::Table,
    #[serde(default)]
    row: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Documents {
    document: Vec<Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    tool: Vec<Tool>,
}

/// Reads the tables below a folder of programs.
pub fn tables(programs: &Path) -> Result<Table, String> {
    let documents: Documents = file(&programs.join("documents.toml"))?;
    let tools: Tools = file(&programs.join("tools.toml"))?;
    let mut rows = Vec::new();
    let entries = std::fs::read_dir(programs).map_err(|e| format!("{}: {e}", programs.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    for folder in folders {
        let path = folder.join("rows.toml");
        if !path.exists() {
            continue;
        }
        let mut table: Folder = file(&path)?;
        table.system.iter_mut().for_each(|system| system.folder = folder.clone());
        check::systems(&table.system).map_err(|what| format!("{}: {what}", path.display()))?;
        for fields in table.row {
            let mut row = with(&table.each, fields).map_err(|what| format!("{}: {what}", path.display()))?;
            let id = row.id.clone();
            let wrong = |what: String| format!("{}: row {id}: {what}", path.display());
            for name in &row.systems {
                let system = table.system.iter().find(|system| system.key() == name);
                row.ways.push(system.ok_or_else(|| wrong(format!("there is no system {name}")))?.clone());
            }
            row.systems = row.ways.iter().map(|system| system.name.clone()).collect();
            row.folder = folder.clone();
            check::row(&row).map_err(wrong)?;
            if let Some(file) = row.expected().filter(|file| !file.is_file()) {
                return Err(wrong(format!("there is no {}, which its programs must print", file.display())));
            }
            if !documents.document.iter().any(|document| document.has(&row.id)) {
                return Err(wrong(
                    "its letter has no document in documents.toml, so no report would show it".to_string(),
                ));
            }
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| key(&row.id));
    documents.document.iter().try_for_each(|document| check::overview(document, &rows))?;
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(format!("there are two rows {}", pair[0].id));
    }
    for row in &rows {
        check::least(row, &rows)
            .map_err(|what| format!("{}: row {}: {what}", row.folder.join("rows.toml").display(), row.id))?;
    }
    Ok(Table { documents: documents.document, tools: tools.tool, rows })
}

/// A row of its own fields, and of those of `each` that it does not have.
fn with(each: &toml::Table, fields: toml::Table) -> Result<Row, String> {
    let id = fields.get("id").map_or(String::new(), |id| format!("row {id}: "));
    let mut all = each.clone();
    all.extend(fields);
    all.try_into().map_err(|e| format!("{id}{}", e.to_string().trim()))
}

/// A2 stands before A10, and A4 before A4-spawns.
fn key(id: &str) -> (String, u32, String) {
    let letters: String = id.chars().take_while(|c| c.is_alphabetic()).collect();
    let digits: String = id[letters.len()..].chars().take_while(char::is_ascii_digit).collect();
    let rest = id[letters.len() + digits.len()..].to_string();
    (letters, digits.parse().unwrap_or(u32::MAX), rest)
}

fn file<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_number() {
        let mut ids = ["A10", "B1", "A4-live", "A4", "A2"];
        ids.sort_by_key(|id| key(id));
        assert_eq!(ids, ["A2", "A4", "A4-live", "A10", "B1"]);
    }

    /// What a row says itself counts.
    #[test]
    fn a_row_has_the_fields_of_each() {
        let table: Folder = toml::from_str(
            "[each]\nsystems = ['leat']\nnames = [{name = 'wall', unit = 'ns'}]\nhow = 'h'\nmeans = 'm'\ntimes = 3\n\
             [[row]]\nid = 'F1'\ntitle = 'T'\nhow = 'own'\n[[row]]\ntitle = 'T'\nid = 'F2'\ncolour = 'red'",
        )
        .unwrap();
        let row = with(&table.each, table.row[0].clone()).unwrap();
        assert_eq!((row.how.as_str(), row.means.as_str(), row.times), ("own", "m", 3));
        let wrong = with(&table.each, table.row[1].clone()).unwrap_err();
        assert!(wrong.starts_with("row \"F2\": unknown field `colour`"), "{wrong}");
    }

    /// The tables that are delivered can be read.
    #[test]
    fn the_tables_of_the_tree() {
        let table = tables(&Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")).unwrap();
        assert!(table.rows.len() > 30);
    }
}
