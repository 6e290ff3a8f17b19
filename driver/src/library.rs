//! The Basis: `lib/*.sml` -> image when Leat is built, image -> what the front end starts with when Leat runs.
//!
//! This file is part of the build script and of the driver. The image has four parts: `front`, decoded at every start
//! (names, types, environments), `lambda`, whose declarations are decoded one by one when a program needs them,
//! `texts`, the sources, and `declared`, which says where in them each name is declared: tools ask for it.

use std::fs;
use std::path::Path;

use leat_ast::FixityEnv;
use leat_base::{Diagnostic, SourceMap, Symbol};
use leat_elab::basis::{TypeFcn, ValEntry};
use leat_elab::declared::Declared;
use leat_elab::ir::{TyName, Var};
use leat_elab::{Basis, Tables};
use leat_lambda::ir::Lambda;
use serde::{Deserialize, Serialize};

use crate::front::{FrontHost, How, check_text};
use crate::stage::{Failure, Staged, Times, Wishes};

/// What every program starts with.
#[derive(Serialize, Deserialize)]
pub struct Front<'f> {
    /// Names of the library's files, in the order of their numbers, and where the text of each ends in the image's
    /// texts.
    #[serde(borrow)]
    pub files: Vec<(&'f str, u32)>,
    pub tables: Tables,
    pub basis: Basis,
    /// What probes call, and the type of descriptions: see `crate::probes`.
    pub debugger: Option<(Var, TyName)>,
}

impl<'f> Front<'f> {
    /// The library's files: name and text.
    pub fn files(&self, texts: &'f str) -> impl Iterator<Item = (&'f str, &'f str)> {
        let mut start = 0;
        self.files.iter().map(move |&(name, end)| {
            let text = texts.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            (name, text)
        })
    }
}

/// The parts of an image.
pub struct Bytes {
    pub front: Vec<u8>,
    pub lambda: Vec<u8>,
    pub texts: String,
    pub declared: Vec<u8>,
}

/// Makes the image of the library in a folder, and says how long each stage took. What is dumped goes to `show`.
pub fn make_from(folder: &Path, wishes: Wishes<'_>, show: fn(&str)) -> Result<(Bytes, Times), Failure> {
    let read =
        |file: &Path| fs::read_to_string(file).map_err(|error| Failure::Errors(format!("{}: {error}", file.display())));
    let list = read(&folder.join("basis/basis.list"))?;
    let mut files = Vec::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let text = read(&folder.join("basis").join(line))?;
        let shown = line.strip_prefix("../").map_or_else(|| format!("basis/{line}"), str::to_string);
        files.push((format!("$(SML_LIB)/{shown}"), text));
    }
    // All of it is made, or nothing is.
    make(files, Wishes { stop_after: None, ..wishes }, show)
}

/// What the stages work on.
struct Making<'w> {
    sources: SourceMap,
    tables: Tables,
    wishes: Wishes<'w>,
    times: Times,
    show: fn(&str),
}

impl Staged for Making<'_> {
    fn wishes(&self) -> Wishes<'_> {
        self.wishes
    }

    fn times(&mut self) -> &mut Times {
        &mut self.times
    }

    fn show(&self, text: &str) {
        (self.show)(text);
    }

    /// Only errors stop the build; the library's own inexhaustive matches are looked at when its tests run.
    fn refuse(&self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        if leat_base::diagnostic::has_errors(diagnostics) {
            return Err(Failure::Errors(leat_base::render(diagnostics, &self.sources, false)));
        }
        Ok(())
    }
}

impl FrontHost for Making<'_> {
    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

/// The library's files in order, each a unit that sees those before it.
fn make(files: Vec<(String, String)>, wishes: Wishes<'_>, show: fn(&str)) -> Result<(Bytes, Times), Failure> {
    let tables = Tables::default();
    let mut host = Making { sources: SourceMap::new(), tables, wishes, times: Times::default(), show };
    let mut basis = leat_elab::initial_basis(&mut host.tables);
    let mut fixity = FixityEnv::basis();
    let mut all = Lambda::default();
    let mut elaboration = leat_elab::Options::default();
    (elaboration.index, elaboration.without_types) = (true, true);
    let how = How { allow_prim: true, library: true, prompt: false, elaboration };
    let mut links = Vec::new();
    for (name, text) in &files {
        let file = host.sources.add(name, text);
        let checked = check_text(&mut host, file, 0..text.len(), &basis, &mut fixity, &how)?;
        host.refuse(&checked.diagnostics)?;
        basis = checked.basis;
        links.extend(checked.index.into_iter().flat_map(|index| index.links));
        all.decs.extend(checked.lambda.into_iter().flat_map(|lambda| lambda.decs));
    }
    let mut texts = String::new();
    let ends = files.iter().map(|(name, text)| {
        texts.push_str(text);
        (name.as_str(), texts.len() as u32)
    });
    let debugger = debugger(&basis, &host.tables);
    let declared = Declared::of(&host.tables, &basis, links);
    let basis = basis.without_names_ending_in_prime();
    let front = Front { files: ends.collect(), tables: host.tables, basis, debugger };
    // The names stand in front, since nothing may make a name before they are loaded.
    let names = leat_base::symbol::dump();
    let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
    bytes.extend(names);
    let trouble = |error: postcard::Error| Failure::Trouble(error.to_string());
    let front = postcard::to_extend(&front, bytes).map_err(trouble)?;
    let declared = postcard::to_stdvec(&declared).map_err(trouble)?;
    Ok((Bytes { front, lambda: leat_lambda::image::write(&all), texts, declared }, host.times))
}

/// `Debugger'.stop` and `Debugger'.shape`, which programs do not see.
fn debugger(basis: &Basis, tables: &Tables) -> Option<(Var, TyName)> {
    let env = &tables.modules.envs[basis.structure(Symbol::intern("Debugger'"))?];
    match (env.vals.get(Symbol::intern("stop"))?, env.tys.get(Symbol::intern("shape"))?.fcn.clone()) {
        (ValEntry::Var { var, .. }, TypeFcn::Name(shape)) => Some((*var, shape)),
        _ => None,
    }
}

/// Decodes the first part of an image that another process made. Must come before anything else makes a name.
pub fn load(front: &'static [u8]) -> Result<Front<'static>, String> {
    let (names, rest) = split(front)?;
    leat_base::symbol::load(names)?;
    decode(front, rest)
}

/// Decodes the first part of an image that this process has made: its names are there.
pub fn reload(front: &'static [u8]) -> Result<Front<'static>, String> {
    let (_, rest) = split(front)?;
    decode(front, rest)
}

fn split(front: &'static [u8]) -> Result<(&'static [u8], &'static [u8]), String> {
    let parts = front.split_at_checked(8).and_then(|(length, rest)| {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
        rest.split_at_checked(length)
    });
    parts.ok_or_else(damaged)
}

fn decode(front: &'static [u8], rest: &'static [u8]) -> Result<Front<'static>, String> {
    leat_elab::lazy::keep_image(front);
    postcard::from_bytes(rest).map_err(|error| format!("{}: {error}", damaged()))
}

fn damaged() -> String {
    "the image of the Basis is damaged".to_string()
}
