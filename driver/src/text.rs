//! Files that a user names -> their texts, or why there is none: no file, no text, too long.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Most bytes of a source or a description. The largest programs have a tenth of this in all their files; a device that
/// never ends would take the machine's memory.
const LONGEST_TEXT: u64 = 64 << 20;

/// How much of a file is looked at to tell whether it is a text.
const BEGINNING: usize = 8000;

/// The bytes of an input, as many as a source may have, or one more: see [`check_length`].
pub fn read_bounded(input: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(LONGEST_TEXT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses what is too long for a source.
pub fn check_length(bytes: &[u8]) -> Result<(), String> {
    if bytes.len() as u64 > LONGEST_TEXT {
        return Err(format!("has more than {} MB, the most that a source may have", LONGEST_TEXT >> 20));
    }
    Ok(())
}

/// The text of a file that a user names, or why there is none: it is no file, no text, or too long.
pub fn read_text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| reason(&error))?;
    if path.is_dir() {
        return Err("is a directory".to_string());
    }
    let bytes = read_bounded(file).map_err(|error| reason(&error))?;
    // A few stray NULs of an editor's are the parser's to report, with their places.
    if bytes.iter().take(BEGINNING).filter(|byte| **byte == 0).count() > 16 {
        return Err("is no text: it has NUL bytes".to_string());
    }
    check_length(&bytes)?;
    Ok(leat_ast::decode(bytes))
}

/// What an error of the system's means for whoever reads or writes a file.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "may not be read".to_string(),
        _ => error.to_string(),
    }
}

/// Texts of files: those of an editor's buffers, before those on disk.
#[derive(Default)]
pub(crate) struct Texts {
    pub buffers: HashMap<PathBuf, Arc<str>>,
    disk: HashMap<PathBuf, (Option<SystemTime>, Arc<str>)>,
}

impl Texts {
    /// The text of a file, or why there is none.
    pub fn read(&mut self, path: &Path) -> Result<Arc<str>, String> {
        if let Some(text) = self.buffers.get(path) {
            return Ok(text.clone());
        }
        let time = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        if let Some((known, text)) = self.disk.get(path)
            && time.is_some()
            && *known == time
        {
            return Ok(text.clone());
        }
        let text: Arc<str> = read_text(path)?.into();
        self.disk.insert(path.to_path_buf(), (time, text.clone()));
        Ok(text)
    }

    pub fn is_file(&self, path: &Path) -> bool {
        self.buffers.contains_key(path) || path.is_file()
    }
}
