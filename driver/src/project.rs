//! A folder -> the project that it belongs to: the `.mlb` file or `sources.cm` in it, or in the nearest folder above
//! it.
//!
//! All commands that are given no file, and the editor's server, ask here, so that they agree about what a project is.
//! After Cargo's search for `Cargo.toml`; as with Git, a repository's folder is the last one that is looked into, and
//! so is the user's home folder. A project is code that is run, so a description in a folder above is taken only from
//! those who might as well change what the user works on: the user, root, and the owner of the folder where the search
//! begins. In a folder that all may write to, as /tmp is, anybody can put one.

use std::path::{Path, PathBuf};

/// What a folder is called whose project is in a file of another name; none of these names needs to be used.
const USUAL: [&str; 3] = ["project.mlb", "main.mlb", "sources.mlb"];

/// SML/NJ's name for a project's description.
const SOURCES_CM: &str = "sources.cm";

/// What a test sees beside its project, and what a benchmark sees.
pub const TEST_LIBRARY: &str = "$(SML_LIB)/leat-test/leat-test.mlb";
pub const BENCH_LIBRARY: &str = "$(SML_LIB)/leat-test/leat-bench.mlb";

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
    /// The nearest description is somebody else's.
    Foreign { description: PathBuf, owner: String },
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
            Trouble::Foreign { description, owner } => {
                return write!(
                    f,
                    "{} belongs to {owner}, so it is not taken as the project; \
                     name it if you trust it, or put a .mlb file of your own into your folder",
                    description.display()
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
    let home = std::env::var_os("HOME").and_then(|home| std::fs::canonicalize(home).ok());
    for (up, folder) in whole.ancestors().enumerate() {
        last = folder;
        // A folder above may be nobody's to read, or hold somebody's scratch files; that is no fault of the project's.
        let project = match (own(folder), up) {
            (Err(_), 1..) => None,
            (result, _) => result?,
        };
        if let Some(name) = project {
            if let Some(owner) = foreign_owner(&whole, folder, &name) {
                return Err(Trouble::Foreign { description: folder.join(name), owner });
            }
            let folder = if from.is_absolute() { folder.to_path_buf() } else { above(from, up) };
            return Ok(Project { description: folder.join(name), folder });
        }
        if folder.join(".git").exists() || home.as_deref() == Some(folder) {
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

/// Who owns the description, if that is nobody whose code the user runs anyway. The search began at `from`.
#[cfg(unix)]
fn foreign_owner(from: &Path, folder: &Path, name: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::symlink_metadata(path).ok().map(|data| data.uid());
    let me = rustix::process::geteuid().as_raw();
    let mut trusted = vec![me, 0];
    trusted.extend(owner(from));
    // Who has become root by sudo owns what lies around.
    if me == 0 {
        trusted.extend(std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse::<u32>().ok()));
    }
    // The folder, which decides what its names mean; the name, which may be a link; and what it leads to.
    let description = folder.join(name);
    let target = std::fs::canonicalize(&description).ok()?;
    let owners = [folder, &description, &target].into_iter().filter_map(owner);
    owners.into_iter().find(|uid| !trusted.contains(uid)).map(user_name)
}

#[cfg(not(unix))]
fn foreign_owner(_: &Path, _: &Path, _: &str) -> Option<String> {
    None
}

/// As the list of users has it: `the user eve`.
#[cfg(unix)]
fn user_name(uid: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let is_it = |line: &&str| line.split(':').nth(2).is_some_and(|field| field.parse() == Ok(uid));
    match users.lines().find(is_it).and_then(|line| line.split(':').next()) {
        Some(name) => format!("the user {name}"),
        None => format!("another user (number {uid})"),
    }
}

/// Is it a test's name, and not a project's: `test.mlb`, `parser_test.mlb`, `parser_test.sml`, `parser_bench.mlb`?
pub fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    ["test", "bench"]
        .iter()
        .any(|kind| stem == *kind || stem.strip_suffix(kind).is_some_and(|rest| rest.ends_with(['_', '-'])))
}

/// Is it a source of tests or benchmarks: `parser_test.sml`, `parser-bench.sml`?
pub fn is_test_source(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_named =
        ["test", "bench"].iter().any(|kind| stem.strip_suffix(kind).is_some_and(|s| s.ends_with(['_', '-'])));
    is_named && path.extension().is_some_and(|suffix| suffix == "sml")
}

/// What is compiled before a source of tests or benchmarks: the library for them, and the project of its folder.
/// Nothing for any other file.
pub fn before_test(path: &Path) -> Vec<PathBuf> {
    if !is_test_source(path) {
        return Vec::new();
    }
    let is_bench = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("bench"));
    let project = find(path.parent().unwrap_or(Path::new(""))).ok().map(|project| project.description);
    let library = if is_bench { BENCH_LIBRARY } else { TEST_LIBRARY };
    [PathBuf::from(library)].into_iter().chain(project).collect()
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

/// What a folder is called, also where its path does not say so.
pub fn folder_name(folder: &Path) -> Option<String> {
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
