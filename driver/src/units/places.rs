//! Where files are: on disk, or among the library's files that travel inside Leat. Path variables.
//!
//! `$(SML_LIB)` names the library, unless the user sets it: then that folder is looked into, with a look into Leat's own
//! files first, so that `$(SML_LIB)/basis/basis.mlb` of another system's installation is never read.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use flate2::bufread::DeflateDecoder;

use crate::options::Options;
use crate::text::{Texts, read_text};

/// Is it the name of a description, by its suffix?
pub fn is_description(path: &Path) -> bool {
    is_basis_file(path) || path.extension().is_some_and(|suffix| suffix == "cm")
}

/// Is it the name of an ML Basis file?
pub fn is_basis_file(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix == "mlb")
}

include!(concat!(env!("OUT_DIR"), "/shelf.rs"));

/// The library's descriptions, and those of its sources that are not in the image of the Basis: names below
/// `$(SML_LIB)`, texts.
pub fn library_files() -> impl Iterator<Item = (&'static str, String)> {
    SHELF.iter().map(|&(name, text)| (name, inflated(text)))
}

/// The text of a file that travels inside Leat.
fn inflated(text: &[u8]) -> String {
    let mut out = String::new();
    DeflateDecoder::new(text).read_to_string(&mut out).expect("it was a text when Leat was built");
    out
}

/// The variable that names the library.
const SML_LIB: &str = "SML_LIB";

/// Where the names of other systems' libraries are listed.
const ANCHORS: &str = "cm/cm.anchors";

/// A file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum SourcePlace {
    /// Of the library: `basis/basis.mlb`.
    Shelf(String),
    Disk(PathBuf),
}

impl SourcePlace {
    pub fn disk(path: &Path) -> SourcePlace {
        SourcePlace::Disk(path.to_path_buf())
    }

    /// As the command line names it: also one of the library's own, `$(SML_LIB)/basis/leat.mlb`.
    pub fn named(path: &Path) -> SourcePlace {
        match path.to_str().and_then(|path| path.strip_prefix("$(SML_LIB)/")) {
            Some(own) => SourcePlace::Shelf(own.to_string()),
            None => SourcePlace::disk(path),
        }
    }

    /// For messages.
    pub fn shown(&self) -> String {
        match self {
            SourcePlace::Shelf(path) => format!("$(SML_LIB)/{path}"),
            SourcePlace::Disk(path) => path.display().to_string(),
        }
    }

    /// The last part of its name.
    pub fn short(&self) -> String {
        let path = match self {
            SourcePlace::Shelf(path) => Path::new(path),
            SourcePlace::Disk(path) => path,
        };
        path.file_name().map_or_else(|| self.shown(), |name| name.to_string_lossy().into_owned())
    }

    pub fn has_suffix(&self, suffix: &str) -> bool {
        match self {
            SourcePlace::Shelf(path) => Path::new(path).extension().is_some_and(|e| e == suffix),
            SourcePlace::Disk(path) => path.extension().is_some_and(|e| e == suffix),
        }
    }

    /// The file that `path` names inside this folder.
    pub fn join(&self, path: &str) -> SourcePlace {
        match self {
            SourcePlace::Shelf(here) => SourcePlace::Shelf(tidy(Path::new(here).join(path)).display().to_string()),
            SourcePlace::Disk(here) => SourcePlace::Disk(tidy(here.join(path))),
        }
    }

    /// The file that `path` names inside this file.
    pub fn relative(&self, path: &str) -> SourcePlace {
        self.relative_by(path, &Path::is_symlink)
    }

    /// Likewise, by somebody who knows which paths are links.
    fn relative_by(&self, path: &str, is_link: &dyn Fn(&Path) -> bool) -> SourcePlace {
        match self {
            SourcePlace::Shelf(here) if !path.starts_with('/') => {
                let folder = here.rsplit_once('/').map_or("", |(folder, _)| folder);
                SourcePlace::Shelf(tidy(Path::new(folder).join(path)).display().to_string())
            }
            SourcePlace::Disk(here) => {
                SourcePlace::Disk(tidy_by(here.parent().unwrap_or(Path::new("")).join(path), is_link))
            }
            SourcePlace::Shelf(_) => SourcePlace::Disk(PathBuf::from(path)),
        }
    }
}

/// Without `.` and without `folder/..`.
fn tidy(path: PathBuf) -> PathBuf {
    tidy_by(path, &Path::is_symlink)
}

fn tidy_by(path: PathBuf, is_link: &dyn Fn(&Path) -> bool) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                // What a link's parent is, only the system knows.
                if is_link(&out) {
                    out.push("..")
                } else {
                    out.pop();
                }
            }
            part => out.push(part),
        }
    }
    out
}

/// Path variables, and the library's files.
pub(super) struct Places {
    vars: BTreeMap<String, String>,
    /// `--lib=DIR`: the library's files are read there.
    folder: Option<PathBuf>,
    /// A tool's texts of files.
    pub texts: Option<Rc<RefCell<Texts>>>,
    /// Files and folders that were asked for. `Places` are made for one walk over descriptions, during which these stay
    /// as they are; and a project names the same ones again and again.
    known: RefCell<HashMap<PathBuf, Option<There>>>,
    /// See [`Places::anchors`].
    anchors: OnceCell<Rc<str>>,
}

/// What is at a path.
#[derive(Clone)]
struct There {
    /// Its name without links.
    whole: PathBuf,
    is_link: bool,
    is_file: bool,
}

impl Places {
    pub fn new(options: &Options) -> Result<Places, String> {
        let mut vars = BTreeMap::new();
        for file in &options.path_maps {
            let text = read_text(file).map_err(|reason| format!("{}: {reason}", file.display()))?;
            for (i, line) in text.lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (name, value) = path_variable(line).ok_or_else(|| {
                    format!("{}:{}: a line of a path map is a variable and its value", file.display(), i + 1)
                })?;
                vars.insert(name, value);
            }
        }
        vars.extend(options.path_vars.iter().cloned());
        // The usual ones of other systems, so that maps may be built on them.
        for (name, value) in
            [("TARGET_ARCH", std::env::consts::ARCH), ("TARGET_OS", std::env::consts::OS), ("TARGET", "self")]
        {
            vars.entry(name.to_string()).or_insert_with(|| value.to_string());
        }
        Ok(Places {
            vars,
            folder: options.library.clone(),
            texts: None,
            known: RefCell::default(),
            anchors: OnceCell::new(),
        })
    }

    /// The table of what CM files call the libraries.
    pub fn anchors(&self) -> Rc<str> {
        let read = || self.read(&SourcePlace::Shelf(ANCHORS.to_string())).unwrap_or_default().into();
        self.anchors.get_or_init(read).clone()
    }

    /// The same for all names of one file.
    pub fn identity(&self, place: &SourcePlace) -> SourcePlace {
        match place {
            SourcePlace::Disk(path) => {
                SourcePlace::Disk(self.there(path).map_or_else(|| path.clone(), |there| there.whole))
            }
            shelf => shelf.clone(),
        }
    }

    /// Is it a file on disk?
    pub fn is_file(&self, path: &Path) -> bool {
        self.there(path).is_some_and(|there| there.is_file)
    }

    fn is_link(&self, path: &Path) -> bool {
        // A link to nothing is one, too.
        self.there(path).map_or_else(|| path.is_symlink(), |there| there.is_link)
    }

    fn there(&self, path: &Path) -> Option<There> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let there = self.look(path);
        self.known.borrow_mut().insert(path.to_path_buf(), there.clone());
        there
    }

    fn look(&self, path: &Path) -> Option<There> {
        let data = fs::symlink_metadata(path).ok()?;
        let is_link = data.is_symlink();
        let is_file = if is_link { path.is_file() } else { data.is_file() };
        // Without a link at its end, the path is its folder's and the end.
        let whole = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if !is_link && !folder.as_os_str().is_empty() => {
                self.there(folder)?.whole.join(name)
            }
            _ => fs::canonicalize(path).ok()?,
        };
        Some(There { whole, is_link, is_file })
    }

    /// The file that `text` names in the description `here`. The error is the message.
    pub fn resolve(&self, text: &str, here: &SourcePlace) -> Result<SourcePlace, String> {
        let shelf =
            |rest: &str| SourcePlace::Shelf(tidy(PathBuf::from(rest.trim_start_matches('/'))).display().to_string());
        let mut text = text.to_string();
        // Values may contain variables.
        for _ in 0..100 {
            let Some(start) = text.find("$(") else { return Ok(here.relative_by(&text, &|path| self.is_link(path))) };
            let Some(length) = text[start..].find(')') else { return Err("this path variable has no end".to_string()) };
            let name = &text[start + 2..start + length];
            let rest = &text[start + length + 1..];
            if name == SML_LIB && start == 0 {
                let own = shelf(rest);
                match self.vars.get(SML_LIB) {
                    Some(value) if self.read(&own).is_err() => text = format!("{value}{rest}"),
                    _ => return Ok(own),
                }
            } else {
                let Some(value) = self.vars.get(name) else {
                    return Err(format!("the path variable `{name}` has no value"));
                };
                text.replace_range(start..=start + length, value);
            }
        }
        Err("this path variable stands for itself".to_string())
    }

    /// The text of a file, or why there is none.
    pub fn read(&self, place: &SourcePlace) -> Result<String, String> {
        match (place, &self.folder) {
            (SourcePlace::Disk(path), _) => match &self.texts {
                Some(texts) => texts.borrow_mut().read(path).map(|text| text.to_string()),
                None => read_text(path),
            },
            (SourcePlace::Shelf(path), Some(folder)) => read_text(&folder.join(path)),
            (SourcePlace::Shelf(path), None) => match SHELF.binary_search_by_key(&path.as_str(), |file| file.0) {
                Ok(i) => Ok(inflated(SHELF[i].1)),
                Err(_) => Err("there is no such file in the library".to_string()),
            },
        }
    }

    /// The value of a path variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str)
    }

    /// Names of the libraries that are there.
    pub fn libraries(&self) -> Vec<String> {
        let own = |path: &&str| path.ends_with(".mlb") && !path.starts_with("cm/");
        SHELF.iter().map(|file| file.0).filter(own).map(|path| format!("$(SML_LIB)/{path}")).collect()
    }

    /// Is it there?
    pub fn exists(&self, place: &SourcePlace) -> bool {
        match place {
            SourcePlace::Disk(path) => match &self.texts {
                Some(texts) => texts.borrow_mut().is_file(path),
                None => path.is_file(),
            },
            shelf => self.read(shelf).is_ok(),
        }
    }
}

/// `NAME value`, or `NAME=value`: a path variable and its value.
pub fn path_variable(text: &str) -> Option<(String, String)> {
    let (name, value) = text.trim().split_once(|c: char| c.is_ascii_whitespace() || c == '=')?;
    // CM's anchors may be files' names.
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (!name.is_empty() && name.chars().all(good)).then(|| (name.to_string(), value.trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file is one file by whatever name: through a folder that is a link, as a link itself, and by steps up.
    #[test]
    fn all_names_of_a_file_have_one_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("real/inner")).unwrap();
        fs::write(at("real/a.sml"), "").unwrap();
        std::os::unix::fs::symlink(at("real"), at("folder")).unwrap();
        std::os::unix::fs::symlink(at("real/a.sml"), at("file.sml")).unwrap();
        std::os::unix::fs::symlink(at("none"), at("broken")).unwrap();
        let places = Places::new(&Options::default()).unwrap();
        let identity = |name: &str| places.identity(&SourcePlace::disk(&at(name)));
        let real = SourcePlace::Disk(fs::canonicalize(at("real/a.sml")).unwrap());
        for name in ["real/a.sml", "folder/a.sml", "file.sml", "real/inner/../a.sml", "folder/inner/../a.sml"] {
            // Twice: the second one is known already.
            assert_eq!((identity(name), identity(name)), (real.clone(), real.clone()), "{name}");
            assert!(places.is_file(&at(name)), "{name}");
        }
        assert!(places.is_link(&at("folder")) && places.is_link(&at("broken")) && !places.is_link(&at("real")));
        assert!(!places.is_file(&at("folder")) && !places.is_file(&at("none")));
        assert_eq!(identity("none"), SourcePlace::disk(&at("none")));
    }
}
