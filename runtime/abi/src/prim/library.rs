//! The table of primitives -> the files of `lib/prim`, a structure for each chapter.
//!
//! The files are in the repository, for readers and for the library's image; a test compares them, and writes them when
//! `LEAT_BLESS` is set. Their lines are broken as `leat fmt` breaks them.

use std::fmt::Write;

use super::row::Row;
use super::table::{CHAPTERS, TABLE};

/// The longest line.
const WIDTH: usize = 100;

/// Names of types that only the table has.
const NOT_IN_SML: [&str; 5] = ["never", "number", "integer", "seq", "bytes"];

/// A chapter's file, if the library declares anything of it.
fn file(chapter: &str, about: &[&str]) -> Option<String> {
    let mut out = String::new();
    comment(
        &mut out,
        "",
        about,
        "Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it.",
    );
    let (first, rest) = chapter.split_at(1);
    writeln!(out, "structure Prim{}{rest}' =\nstruct", first.to_uppercase()).unwrap();
    let rows: Vec<&Row> = TABLE.iter().filter(|row| row.chapter == chapter).collect();
    let mut is_first = true;
    for row in rows {
        for (place, (name, ty)) in declarations(row).into_iter().enumerate() {
            if place == 0 && !row.about.is_empty() {
                if !is_first {
                    out.push('\n');
                }
                comment(&mut out, "  ", row.about, "");
            }
            is_first = false;
            let line = format!("  val {name} = _prim \"{}\" : {ty}", row.name);
            if line.len() <= WIDTH {
                writeln!(out, "{line}").unwrap();
            } else {
                let line = format!("    _prim \"{}\" : {ty}", row.name);
                let line = if line.len() <= WIDTH { line } else { format!("    _prim \"{}\" :\n      {ty}", row.name) };
                writeln!(out, "  val {name} =\n{line}").unwrap();
            }
        }
    }
    out.push_str("end\n");
    (!is_first).then_some(out)
}

/// The names and types of a row in SML.
fn declarations(row: &Row) -> Vec<(String, String)> {
    let declared = match row.declared {
        Some(all) => all.iter().map(|(name, ty)| (name.to_string(), ty.to_string())).collect(),
        None => {
            // What does not come back has a result of any type.
            let any = if row.ty.contains("'a") { "'b" } else { "'a" };
            vec![(row.name.to_string(), row.ty.replace("-> never", &format!("-> {any}")))]
        }
    };
    for (name, ty) in &declared {
        let is_sml = ty.split([' ', '(', ')']).all(|word| !NOT_IN_SML.contains(&word));
        assert!(is_sml, "{name}: `{ty}` is no type of SML; say in its row how the library declares it");
    }
    declared
}

/// Lines of the table as a comment with lines of this file's width; then another paragraph, if there is one.
fn comment(out: &mut String, indent: &str, lines: &[&str], more: &str) {
    let text = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    write!(out, "{indent}(* ").unwrap();
    let margin = format!("{indent}   ");
    filled(out, &margin, &text);
    if !more.is_empty() {
        write!(out, "\n\n{margin}").unwrap();
        filled(out, &margin, more);
    }
    out.push_str(" *)\n");
}

/// Words, and a new line with this margin before one that would reach too far.
fn filled(out: &mut String, margin: &str, text: &str) {
    let mut column = margin.len();
    for (place, word) in text.split_whitespace().enumerate() {
        // The end of the comment needs three columns.
        if place > 0 && column + 1 + word.len() > WIDTH - 3 {
            write!(out, "\n{margin}").unwrap();
            column = margin.len();
        } else if place > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
}

/// The declarations were once written beside the table by hand, and their comments came apart from it twice.
#[test]
fn the_library_declares_what_the_table_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib/prim");
    for (chapter, about) in CHAPTERS {
        let path = format!("{folder}/{chapter}.sml");
        let Some(text) = file(chapter, about) else { continue };
        if std::env::var_os("LEAT_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, text, "{path}: LEAT_BLESS=1 writes it");
    }
}

/// Each file that the library reads is a chapter's.
#[test]
fn there_is_no_file_that_nobody_writes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib/prim");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_chapter = CHAPTERS.iter().any(|(chapter, _)| name == format!("{chapter}.sml"));
        assert!(is_chapter || name == "constants.sml", "lib/prim/{name} is not written from the table");
    }
}

/// Compression, digests and more were declared a second time where they are used, with numbers of their own, and the
/// library's README said that nothing is. What is left there is said in README, too.
#[test]
fn a_primitive_is_declared_in_one_folder() {
    let elsewhere =
        ["leat/debug.sml", "leat/digest.sml", "mlton/mlton.sml", "polyml/shape.sml", "smlnj-lib/Util/base64.sml"];
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib"));
    let mut folders = vec![root.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
            if path.is_dir() {
                folders.extend((name != "prim").then_some(path));
            } else if name.ends_with(".sml") && std::fs::read_to_string(&path).unwrap().contains("_prim \"") {
                found.push(name);
            }
        }
    }
    found.sort();
    assert_eq!(found, elsewhere);
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    for name in elsewhere {
        assert!(readme.contains(&format!("`{name}`")), "lib/README.md does not name {name}");
    }
}

#[test]
fn what_the_library_declares_has_names_of_its_own() {
    let mut names: Vec<String> = TABLE.iter().flat_map(declarations).map(|(name, _)| name).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
