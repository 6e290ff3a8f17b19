//! The library's signatures -> how many of their values have no comment, folder by folder.
//!
//! `leat doc --library`, the editor's hover and `:doc` show what stands beside a value. Each number here may only fall: a new
//! value comes with its sentence, and who writes sentences lowers the number. `--nocapture` lists what still has none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leat_driver::docs::{Item, Module, Named, modules};

/// Values without a comment, by folder of `lib`; folders that are not here have none.
const MISSING: [(&str, usize); 2] = [
    ("smlnj-lib/HTML", 66),
    ("smlnj-lib/HTML4", 1),
];

/// Not the Basis of 1997, which nobody asks for by name, nor the primitives.
fn is_read(file: &str) -> bool {
    !file.contains("1997") && !file.starts_with("prim/")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the library's folder") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "sml" || suffix == "sig") {
            found.push(path);
        }
    }
}

/// The values of a signature, and of those inside it, that have no comment.
fn bare(within: &str, items: &[Item], found: &mut Vec<String>) {
    for item in items {
        for name in &item.names {
            match name.kind {
                "val" if name.declared.is_none() && item.comment.trim().is_empty() => {
                    found.push(format!("{within}.{}", name.name))
                }
                "structure" => bare(&format!("{within}.{}", name.name), &item.items, found),
                _ => {}
            }
        }
    }
}

/// Two folders deep in SML/NJ's library, one elsewhere.
fn shelf(file: &str) -> String {
    let depth = if file.starts_with("smlnj-lib/") { 2 } else { 1 };
    file.split('/').take(depth).collect::<Vec<_>>().join("/")
}

#[test]
fn values_have_comments() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lib");
    let mut files = Vec::new();
    sources(&lib, &mut files);
    files.sort();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut values = 0;
    for path in files {
        let file = path.strip_prefix(&lib).expect("inside it").to_string_lossy().into_owned();
        if !is_read(&file) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source of the library");
        for Module { name, items, .. } in modules(&file, &text) {
            // A library's own have names that end in a prime.
            if name.ends_with('\'') {
                continue;
            }
            let specified = |name: &&Named| name.kind == "val" && name.declared.is_none();
            values += items.iter().flat_map(|item| &item.names).filter(specified).count();
            let mut found = Vec::new();
            bare(&name, &items, &mut found);
            found.iter().for_each(|value| println!("{file}: {value}"));
            *missing.entry(shelf(&file)).or_default() += found.len();
        }
    }
    missing.retain(|_, count| *count > 0);
    assert!(values > 2500, "the library's signatures were not read: {values} values");
    let expected: BTreeMap<String, usize> =
        MISSING.iter().map(|(folder, count)| (folder.to_string(), *count)).filter(|(_, count)| *count > 0).collect();
    assert_eq!(missing, expected, "values without a comment: write the missing ones, or lower the number that fell");
}
