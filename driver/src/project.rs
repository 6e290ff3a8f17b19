//! A folder -> the project that it belongs to: the `.mlb` file or `sources.cm` in it, or in the nearest folder above it.
//!
//! All commands that are given no file, and the editor's server, ask here, so that they agree about what a project is.
//! After Cargo's search for `Cargo.toml`; as with Git, a repository's folder is the last one that is looked into.

use std::path::{Path, PathBuf};

/// What a folder is called whose project is in a file of another name; none of these names needs to be used.
const USUAL: [&str; 3] = ["project.mlb", "main.mlb", "sources.mlb"];

/// SML/NJ's name for a project's description.
const SOURCES_CM: &str = "sources.cm";

/// A program or a library of many files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// Where the description is.
    pub folder: PathBuf,
    /// The `.mlb` or `.cm` file.
    pub description: PathBuf,
}

/// Why there is no project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// No description from this folder up to that one.
    Missing { from: PathBuf, to: PathBuf },
    /// More than one description in a folder, and none has the name that counts.
    Several { folder: PathBuf, names: Vec<String> },
    /// The folder cannot be read.
    Broken { folder: PathBuf, reason: String },
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Missing { from, to } if from == to => {
                write!(f, "no project: {} has no .mlb file and no sources.cm", from.display())?
            }
            Trouble::Missing { from, to } => write!(
                f,
                "no project: from {} up to {} there is no .mlb file and no sources.cm",
                from.display(),
                to.display()
            )?,
            Trouble::Several { folder, names } => {
                let names = names.join(", ");
                return write!(
                    f,
                    "several projects in {}: {names}; name one of them, or call the project's own {}.mlb",
                    folder.display(),
                    folder_name(folder).unwrap_or_else(|| "main".to_string())
                );
            }
            Trouble::Broken { folder, reason } => return write!(f, "{}: {reason}", folder.display()),
        }
        write!(f, "; name a file, or begin a project by `leat new NAME`")
    }
}

/// The project that a folder belongs to. Where `from` is a relative path, so is the answer.
pub fn find(from: &Path) -> Result<Project, Trouble> {
    let from = if from.as_os_str().is_empty() { Path::new(".") } else { from };
    let whole = std::fs::canonicalize(from).map_err(|error| broken(from, &error))?;
    let mut last = &*whole;
    for (up, folder) in whole.ancestors().enumerate() {
        last = folder;
        // A folder above may be nobody's to read, or hold somebody's scratch files; that is no fault of the project's.
        let project = match (own(folder), up) {
            (Err(_), 1..) => None,
            (result, _) => result?,
        };
        if let Some(name) = project {
            let folder = if from.is_absolute() { folder.to_path_buf() } else { above(from, up) };
            return Ok(Project { description: folder.join(name), folder });
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Err(Trouble::Missing { from: whole.clone(), to: last.to_path_buf() })
}

/// The project of this folder, whatever is above it.
pub fn of_folder(folder: &Path) -> Result<Project, Trouble> {
    match own(folder)? {
        Some(name) => Ok(Project { folder: folder.to_path_buf(), description: folder.join(name) }),
        None => Err(Trouble::Missing { from: folder.to_path_buf(), to: folder.to_path_buf() }),
    }
}

/// Is it a test's name, and not a project's: `test.mlb`, `parser_test.mlb`, `parser_test.sml`, `parser_bench.mlb`?
pub fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    ["test", "bench"]
        .iter()
        .any(|kind| stem == *kind || stem.strip_suffix(kind).is_some_and(|rest| rest.ends_with(['_', '-'])))
}

/// The name of a folder's description, if it has one.
fn own(folder: &Path) -> Result<Option<String>, Trouble> {
    let entries = std::fs::read_dir(folder).map_err(|error| broken(folder, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "mlb") && !is_test(path) && !path.is_dir())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_string()))
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    if names.len() > 1 {
        let like_folder = folder_name(folder).map(|name| format!("{name}.mlb"));
        let counts = like_folder.iter().map(String::as_str).chain(USUAL).find(|name| names.iter().any(|n| n == name));
        return match counts {
            Some(name) => Ok(Some(name.to_string())),
            None => Err(Trouble::Several { folder: folder.to_path_buf(), names }),
        };
    }
    if names.is_empty() && folder.join(SOURCES_CM).is_file() {
        names.push(SOURCES_CM.to_string());
    }
    Ok(names.pop())
}

fn folder_name(folder: &Path) -> Option<String> {
    let whole = std::fs::canonicalize(folder).ok()?;
    Some(whole.file_name()?.to_string_lossy().into_owned())
}

/// The folder so many steps above.
fn above(from: &Path, up: usize) -> PathBuf {
    // Where `from` is a link, what is above it only the system knows: `link/..`, not the folder of the link.
    let mut folder = if from == Path::new(".") { PathBuf::new() } else { from.to_path_buf() };
    folder.extend(std::iter::repeat_n("..", up));
    folder
}

fn broken(folder: &Path, error: &std::io::Error) -> Trouble {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_string(),
        _ => crate::text::reason(error),
    };
    Trouble::Broken { folder: folder.to_path_buf(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        for name in ["test.mlb", "a_test.mlb", "a-test.sml", "x/a_bench.sml"] {
            assert!(is_test(Path::new(name)), "{name}");
        }
        for name in ["contest.mlb", "a.mlb", "tests.mlb", "test_a.mlb"] {
            assert!(!is_test(Path::new(name)), "{name}");
        }
    }
}
