//! Files that a user names -> their texts, or why there is none: no file, no text, too long.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

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

/// How a file or a folder stands: what is another one after every change of it. A time of change alone can be given to
/// a file, as `cp -p` and `rsync -t` do, and `mv` brings the old one; when its number or its entry has changed, the
/// system says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamp {
    modified: Option<SystemTime>,
    /// When the system last changed its entry, in seconds and nanoseconds. Nobody else can set it.
    changed: (i64, i64),
    length: u64,
    /// Its device and number.
    number: (u64, u64),
}

/// Two changes that are no further apart may have the same time.
const TICK: Duration = Duration::from_millis(50);

impl Stamp {
    /// How it stands now; nothing if it is not there.
    pub fn of(path: &Path) -> Option<Stamp> {
        let data = std::fs::metadata(path).ok()?;
        Some(Stamp {
            modified: data.modified().ok(),
            changed: (data.ctime(), data.ctime_nsec()),
            length: data.len(),
            number: (data.dev(), data.ino()),
        })
    }

    /// Will a change after this moment give it another stamp? Not if it was changed right before.
    pub fn lasts_from(&self, moment: SystemTime) -> bool {
        let (seconds, nanos) = self.changed;
        let since = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0));
        let is_old = |time: SystemTime| time.checked_add(TICK).is_some_and(|time| time < moment);
        SystemTime::UNIX_EPOCH.checked_add(since).is_some_and(is_old) && self.modified.is_none_or(is_old)
    }
}

/// Texts of files: those of an editor's buffers, before those on disk.
#[derive(Default)]
pub(crate) struct Texts {
    pub buffers: HashMap<PathBuf, Arc<str>>,
    disk: HashMap<PathBuf, (Stamp, Arc<str>)>,
    /// What was found of each file since [`Texts::note`].
    noted: Option<Noted>,
}

/// The files that were asked for, with their texts; nothing of what was not there or is no text.
pub(crate) type Noted = HashMap<PathBuf, Option<Arc<str>>>;

impl Texts {
    /// The text of a file, or why there is none.
    pub fn read(&mut self, path: &Path) -> Result<Arc<str>, String> {
        let result = self.look(path);
        if let Some(noted) = &mut self.noted {
            noted.insert(path.to_path_buf(), result.as_ref().ok().cloned());
        }
        result
    }

    fn look(&mut self, path: &Path) -> Result<Arc<str>, String> {
        if let Some(text) = self.buffers.get(path) {
            return Ok(text.clone());
        }
        let moment = SystemTime::now();
        let stamp = Stamp::of(path);
        if let Some((known, text)) = self.disk.get(path)
            && stamp.as_ref() == Some(known)
        {
            return Ok(text.clone());
        }
        self.disk.remove(path);
        let text: Arc<str> = read_text(path)?.into();
        if let Some(stamp) = stamp.filter(|stamp| stamp.lasts_from(moment)) {
            self.disk.insert(path.to_path_buf(), (stamp, text.clone()));
        }
        Ok(text)
    }

    pub fn is_file(&mut self, path: &Path) -> bool {
        let is_there = self.buffers.contains_key(path) || path.is_file();
        if let Some(noted) = &mut self.noted
            && !is_there
        {
            noted.insert(path.to_path_buf(), None);
        }
        is_there
    }

    /// From here on it is noted what is found.
    pub fn note(&mut self) {
        self.noted = Some(Noted::new());
    }

    /// What was found since [`Texts::note`].
    pub fn take_noted(&mut self) -> Noted {
        self.noted.take().unwrap_or_default()
    }

    /// Which of these would be found otherwise now? Each file is looked at once.
    pub fn differing<'n, K>(&mut self, all: impl Iterator<Item = (K, &'n Noted)>) -> Vec<K> {
        let mut now: HashMap<&Path, Option<Arc<str>>> = HashMap::new();
        let mut differs = |path: &'n Path, then: &Option<Arc<str>>| {
            let now = now.entry(path).or_insert_with(|| self.look(path).ok());
            match (now, then) {
                (Some(now), Some(then)) => !Arc::ptr_eq(now, then) && now != then,
                (now, then) => now.is_some() != then.is_some(),
            }
        };
        let others = all.filter(|(_, noted)| noted.iter().any(|(path, then)| differs(path, then)));
        others.map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(texts: &mut Texts, path: &Path) -> String {
        texts.read(path).unwrap().to_string()
    }

    /// A file was known by its time of change alone. One that was written twice in a tick of the clock, or had another
    /// one put in its place that was as old, was never read again.
    #[test]
    fn files_of_one_time() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.sml"), folder.path().join("b.sml"));
        let mut texts = Texts::default();
        for n in 0..200 {
            std::fs::write(&path, format!("val x = {n}\n")).unwrap();
            assert_eq!(text(&mut texts, &path), format!("val x = {n}\n"));
        }
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let write = |path: &Path, text: &str| {
            std::fs::write(path, text).unwrap();
            std::fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
        };
        write(&path, "val x = 1\n");
        write(&other, "val y = 2\n");
        // What has just been written is read again in any case.
        std::thread::sleep(3 * TICK);
        assert_eq!(text(&mut texts, &path), "val x = 1\n");
        let known = texts.read(&path).unwrap();
        assert!(Arc::ptr_eq(&known, &texts.read(&path).unwrap()), "it is kept");
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(text(&mut texts, &path), "val y = 2\n");
        write(&path, "val z = 3\n");
        assert_eq!(text(&mut texts, &path), "val z = 3\n");
    }

    #[test]
    fn what_differs_from_what_was_noted() {
        let folder = tempfile::tempdir().unwrap();
        let (there, gone) = (folder.path().join("there"), folder.path().join("gone"));
        std::fs::write(&there, "1").unwrap();
        let mut texts = Texts::default();
        let differs = |texts: &mut Texts, noted: &Noted| !texts.differing([((), noted)].into_iter()).is_empty();
        texts.note();
        assert!(texts.read(&there).is_ok() && !texts.is_file(&gone));
        let noted = texts.take_noted();
        assert_eq!(noted.len(), 2);
        assert!(!differs(&mut texts, &noted));
        std::fs::write(&gone, "2").unwrap();
        assert!(differs(&mut texts, &noted));
        std::fs::remove_file(&gone).unwrap();
        std::fs::write(&there, "3").unwrap();
        assert!(differs(&mut texts, &noted));
        texts.buffers.insert(there, "1".into());
        assert!(!differs(&mut texts, &noted));
    }
}
