//! Words of the command line -> the files that a command works on: those that are named, or the project's.

use std::path::{Path, PathBuf};

use leat_driver::project::{self, Project};
use leat_driver::text::reason;
use leat_driver::units::is_description;

/// The files; no word stands for the project of this folder, a folder for its own project. The error is the message.
pub fn or_project(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    if named.is_empty() {
        return Ok(vec![here()?.description]);
    }
    given(named)
}

/// The files that are named, a folder standing for its project. The error is the message.
pub fn given(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    named.iter().map(|path| file_of(path)).collect()
}

/// The project of the folder in which Leat was started.
pub fn here() -> Result<Project, String> {
    project::find(Path::new(".")).map_err(|trouble| trouble.to_string())
}

fn file_of(path: &Path) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err("the name of a file is empty".to_string());
    }
    if path.is_dir() {
        return match project::of_folder(path) {
            Ok(project) => Ok(project.description),
            Err(trouble) => Err(trouble.to_string()),
        };
    }
    if let Some(word) = path.to_str()
        && let Some(hint) = leat_driver::foreign_word(word)
        && matches!(path.try_exists(), Ok(false))
    {
        return Err(format!("{word} is {hint}"));
    }
    if path.as_os_str() != "-" {
        is_there(path)?;
    }
    Ok(path.to_path_buf())
}

/// What the command line names must be there. The error is the message: one that is there and cannot be looked at is
/// not said to be missing.
pub fn is_there(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{}: {}", path.display(), reason(&error))),
    }
}

/// Likewise of a program.
pub fn is_program_there(path: &Path) -> Result<(), String> {
    match path.try_exists() {
        Ok(false) => Err(format!("there is no program {}", path.display())),
        _ => is_there(path),
    }
}

/// What a program is called that is built of a file: `hello.mlb` makes `hello`, and so does `hello/sources.cm`.
pub fn program_name(file: &Path) -> PathBuf {
    let usual = matches!(file.file_stem().and_then(|stem| stem.to_str()), Some("sources" | "project" | "main"));
    let folder = file.parent().and_then(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Some(std::fs::canonicalize(folder).ok()?.file_name()?.to_os_string())
    });
    match folder {
        Some(name) if usual && is_description(file) => file.with_file_name(name),
        _ => file.with_extension(""),
    }
}

/// Is the output one of these files, however the names are written?
pub fn is_one_of(output: &Path, files: impl Iterator<Item = impl AsRef<Path>> + Clone) -> bool {
    files.clone().any(|file| file.as_ref() == output)
        // An output that is not there yet is none of them.
        || output.canonicalize().is_ok_and(|output| {
            files.clone().any(|file| file.as_ref().canonicalize().is_ok_and(|file| file == output))
        })
}
