//! The Basis: `lib/*.sml` -> image when Leat is built, image -> what the front end starts with when Leat runs.
//!
//! This file is part of the build script and of the driver. The image has two parts: `front`, decoded at every start
//! (names, types, environments), and `lambda`, whose declarations are decoded one by one when a program needs them.

use std::fs;
use std::path::Path;

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::{Diagnostic, SourceMap};
use leat_elab::Basis;
use leat_elab::ir::Tables;
use leat_lambda::ir::Lambda;
use serde::{Deserialize, Serialize};

/// What every program starts with.
#[derive(Serialize, Deserialize)]
pub struct Front<'f> {
    /// Names and texts of the library's files, in the order of their numbers.
    #[serde(borrow)]
    pub files: Vec<(&'f str, &'f str)>,
    pub tables: Tables,
    pub basis: Basis,
}

/// Both parts as bytes.
pub struct Bytes {
    pub front: Vec<u8>,
    pub lambda: Vec<u8>,
}

/// Elaborates the library in a folder. The error is the rendered messages.
pub fn make_from(folder: &Path) -> Result<Bytes, String> {
    let list_file = folder.join("basis/basis.list");
    let list = fs::read_to_string(&list_file).map_err(|error| format!("{}: {error}", list_file.display()))?;
    let mut files = Vec::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let file = folder.join("basis").join(line);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let shown = line.strip_prefix("../").map_or_else(|| format!("basis/{line}"), str::to_string);
        files.push((format!("$(SML_LIB)/{shown}"), text));
    }
    make(files)
}

/// Elaborates the library's files in order.
pub fn make(files: Vec<(String, String)>) -> Result<Bytes, String> {
    let mut sources = SourceMap::new();
    let mut tables = Tables::default();
    let mut basis = leat_elab::initial_basis(&mut tables);
    let mut fixity = FixityEnv::basis();
    let mut all = Lambda::default();
    for (name, text) in &files {
        let file = sources.add(name, text);
        let (program, errors) = leat_ast::parse(file, text, &ParseOptions { allow_prim: true }, &mut fixity);
        refuse(&errors, &sources)?;
        let elaborated = leat_elab::elaborate(&program, &basis, &mut tables, &leat_elab::Options::default());
        refuse(&elaborated.diagnostics, &sources)?;
        basis = elaborated.basis;
        let (lambda, warnings) =
            leat_lambda::lower(elaborated.decs, &mut tables, leat_lambda::Options { library: true });
        refuse(&warnings, &sources)?;
        all.decs.extend(lambda.decs);
    }
    leat_lambda::verify::verify(all.decs.iter(), &tables)?;
    let front = Front {
        files: files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect(),
        tables,
        basis: basis.without_names_ending_in_prime(),
    };
    // The names stand in front, since nothing may make a name before they are loaded.
    let names = leat_base::symbol::dump();
    let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
    bytes.extend(names);
    let front = postcard::to_extend(&front, bytes).map_err(|error| error.to_string())?;
    Ok(Bytes { front, lambda: leat_lambda::image::write(&all) })
}

/// Only errors stop the build; the library's own inexhaustive matches are looked at when its tests run.
fn refuse(diagnostics: &[Diagnostic], sources: &SourceMap) -> Result<(), String> {
    if leat_base::diagnostic::has_errors(diagnostics) {
        return Err(leat_base::render(diagnostics, sources, false));
    }
    Ok(())
}

/// Decodes the first part of an image that another process made. Must come before anything else makes a name.
#[allow(dead_code)] // the build script only writes
pub fn load(front: &'static [u8]) -> Result<Front<'static>, String> {
    let (names, rest) = split(front)?;
    leat_base::symbol::load(names)?;
    decode(front, rest)
}

/// Decodes the first part of an image that this process has made: its names are there.
#[allow(dead_code)]
pub fn reload(front: &'static [u8]) -> Result<Front<'static>, String> {
    let (_, rest) = split(front)?;
    decode(front, rest)
}

#[allow(dead_code)]
fn split(front: &'static [u8]) -> Result<(&'static [u8], &'static [u8]), String> {
    let parts = front.split_at_checked(8).and_then(|(length, rest)| {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
        rest.split_at_checked(length)
    });
    parts.ok_or_else(damaged)
}

#[allow(dead_code)]
fn decode(front: &'static [u8], rest: &'static [u8]) -> Result<Front<'static>, String> {
    leat_elab::lazy::keep_image(front);
    postcard::from_bytes(rest).map_err(|error| format!("{}: {error}", damaged()))
}

#[allow(dead_code)]
fn damaged() -> String {
    "the image of the Basis is damaged".to_string()
}
