//! A description -> the user's own files that it names, without elaboration: for commands that work on files.
//!
//! What has syntax errors names what can be read of it; files that are not there are left out. Both are `leat check`'s
//! to report.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use leat_base::FileId;

use super::cm_parser;
use super::mlb_parser;
use super::places::{Places, SourcePlace, is_description};
use crate::options::Options;

/// The files of a project.
#[derive(Default, Debug)]
pub struct Members {
    /// The description itself and those that it includes.
    pub descriptions: Vec<PathBuf>,
    /// In the order of the text, each once.
    pub sources: Vec<PathBuf>,
    /// What is named and is not there.
    pub absent: Vec<PathBuf>,
}

/// The files that a description names. The error is the message.
pub fn members(path: &Path, options: &Options) -> Result<Members, String> {
    of(path, &Places::new(options)?)
}

/// Likewise for several descriptions, which may name the same files; nothing for one that cannot be read.
pub fn members_of_each<'p>(paths: impl Iterator<Item = &'p Path>, options: &Options) -> Vec<Members> {
    let Ok(places) = Places::new(options) else { return paths.map(|_| Members::default()).collect() };
    paths.map(|path| of(path, &places).unwrap_or_default()).collect()
}

fn of(path: &Path, places: &Places) -> Result<Members, String> {
    let mut walk = Walk { places, seen: HashSet::new(), found: Members::default() };
    let place = SourcePlace::disk(path);
    places.read(&place).map_err(|reason| format!("{}: {reason}", path.display()))?;
    walk.file(place);
    Ok(walk.found)
}

/// The sources that the text of an `.mlb` file names itself, as it writes them, with their places, in the order of the
/// text.
pub fn sources_in(text: &str) -> Vec<(String, Range<usize>)> {
    fn of(decs: &[mlb_parser::Dec], found: &mut Vec<(String, Range<usize>)>) {
        for dec in decs {
            match dec {
                mlb_parser::Dec::File(path, at) if !is_description(Path::new(path)) => {
                    found.push((path.clone(), at.lo as usize..at.hi as usize));
                }
                mlb_parser::Dec::Local(first, second) => {
                    of(first, found);
                    of(second, found);
                }
                mlb_parser::Dec::Ann(_, decs) => of(decs, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    of(&mlb_parser::parse(FileId::NONE, text, false).0, &mut found);
    found
}

struct Walk<'p> {
    places: &'p Places,
    /// By identity.
    seen: HashSet<SourcePlace>,
    found: Members,
}

impl Walk<'_> {
    fn file(&mut self, place: SourcePlace) {
        let SourcePlace::Disk(path) = &place else { return };
        if !self.places.is_file(path) {
            self.found.absent.push(path.clone());
            return;
        }
        if !self.seen.insert(self.places.identity(&place)) {
            return;
        }
        if !is_description(path) {
            self.found.sources.push(path.clone());
            return;
        }
        self.found.descriptions.push(path.clone());
        let Ok(text) = self.places.read(&place) else { return };
        if place.has_suffix("mlb") {
            let (decs, _) = mlb_parser::parse(FileId::NONE, &text, false);
            self.decs(&decs, &place);
        } else {
            let (description, _) = cm_parser::parse(FileId::NONE, &text);
            let alias = description.alias.map(|(path, _)| path);
            for member in alias.into_iter().chain(description.members.into_iter().map(|member| member.path)) {
                // Names with a dollar are other people's libraries.
                if !member.starts_with('$') {
                    self.file(place.relative(&member));
                }
            }
        }
    }

    fn decs(&mut self, decs: &[mlb_parser::Dec], here: &SourcePlace) {
        use mlb_parser::Dec;
        for dec in decs {
            match dec {
                Dec::File(path, _) => {
                    if let Ok(place) = self.places.resolve(path, here) {
                        self.file(place);
                    }
                }
                Dec::Local(first, second) => {
                    self.decs(first, here);
                    self.decs(second, here);
                }
                Dec::Ann(_, decs) => self.decs(decs, here),
                Dec::Basis(binds) => binds.iter().for_each(|(_, exp)| self.exp(exp, here)),
                Dec::Open(_) | Dec::Module(..) | Dec::Builtin(_) => {}
            }
        }
    }

    fn exp(&mut self, exp: &mlb_parser::Exp, here: &SourcePlace) {
        use mlb_parser::Exp;
        match exp {
            Exp::Bas(decs) => self.decs(decs, here),
            Exp::Let(decs, exp) => {
                self.decs(decs, here);
                self.exp(exp, here);
            }
            Exp::Id(_) => {}
        }
    }
}
