//! The library's files, which travel inside Leat -> a folder on disk, from which an editor shows them; and which files
//! on disk are such copies.
//!
//! The folder is named by what is in it, so that two versions of Leat do not write over each other's. It is written
//! beside its place, for its owner alone, and renamed: nobody sees a half of it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use leat_base::SourceMap;
use leat_driver::own;
use leat_driver::units::library_files;

use crate::query::LIBRARY;

/// The list of the image's files. A folder that has it is a copy of the library: `leat lib` writes one, too.
const LIST: (&str, &str) = ("basis/basis.list", include_str!("../../lib/basis/basis.list"));

/// The library's files, and where their copies are.
#[derive(Default)]
pub(crate) struct Copies {
    files: OnceCell<BTreeMap<String, String>>,
    /// None: there is no place for them.
    folder: OnceCell<Option<PathBuf>>,
    /// What the user is to be told of it.
    trouble: RefCell<Vec<String>>,
}

impl Copies {
    /// All files of the library, by their names below `$(SML_LIB)`. `image` has the sources of the Basis.
    pub fn files(&self, image: &SourceMap) -> &BTreeMap<String, String> {
        self.files.get_or_init(|| {
            let shelf = library_files().map(|(name, text)| (name.to_string(), text));
            let of_image = image.files().filter_map(|(_, file)| {
                let name = file.name.strip_prefix(LIBRARY)?.trim_start_matches('/');
                Some((name.to_string(), file.text.to_string()))
            });
            let list = [(LIST.0.to_string(), LIST.1.to_string())];
            shelf.chain(of_image).chain(list).collect()
        })
    }

    /// The name of a library's file that a file on disk is a copy of: it lies in a folder of such copies. An editor may
    /// have another text of it.
    pub fn name_of(&self, image: &SourceMap, path: &Path) -> Option<String> {
        let files = || self.files(image);
        path.ancestors().skip(1).filter(|folder| folder.join(LIST.0).is_file()).find_map(|folder| {
            let name = path.strip_prefix(folder).ok()?.to_str()?;
            files().contains_key(name).then(|| name.to_string())
        })
    }

    /// The copy of a file; nothing where there is no place for it.
    pub fn path(&self, image: &SourceMap, name: &str) -> Option<PathBuf> {
        let text = self.files(image).get(name)?;
        let path = self.folder.get_or_init(|| self.settle(image)).as_ref()?.join(name);
        // Somebody may have changed or taken away one of them.
        if fs::read(&path).map_or(true, |found| found != text.as_bytes())
            && let Err(error) = again(&path, text)
        {
            self.trouble.borrow_mut().push(format!("{}: {error}", path.display()));
            return None;
        }
        Some(path)
    }

    /// What went wrong since this was asked last.
    pub fn take_trouble(&self) -> Vec<String> {
        self.trouble.take()
    }

    /// Finds a place for the folder: among what the user keeps of Leat's, else among what is temporary.
    fn settle(&self, image: &SourceMap) -> Option<PathBuf> {
        let files = self.files(image);
        let name = format!("library-{:016x}", hash(files));
        let mut why = vec![];
        match leat_driver::user_cache() {
            Some(cache) => match folder_in(&cache, &name, files) {
                Ok(folder) => return Some(folder),
                Err(error) => why.push(format!("{}: {error}", cache.join(&name).display())),
            },
            None => why.push("there is no home folder".to_string()),
        }
        let temporary = std::env::temp_dir();
        // Everybody may write there: it is named by its owner.
        let name = format!("leat-{}-{name}", rustix::process::geteuid().as_raw());
        let folder = folder_in(&temporary, &name, files);
        let place = match &folder {
            Ok(folder) => format!("it is in {}", folder.display()),
            Err(error) => format!("nor in {}: {error}", temporary.display()),
        };
        let why = why.join("; ");
        self.trouble.borrow_mut().push(format!("the library's files cannot be kept for the editor ({why}); {place}"));
        folder.ok()
    }
}

/// A number of the names and texts (FNV-1a).
fn hash(files: &BTreeMap<String, String>) -> u64 {
    let bytes = files.iter().flat_map(|(name, text)| [name.as_bytes(), &[0], text.as_bytes(), &[0]]).flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A folder of this name with these files: it is there, or is made.
fn folder_in(parent: &Path, name: &str, files: &BTreeMap<String, String>) -> io::Result<PathBuf> {
    let folder = parent.join(name);
    if fs::symlink_metadata(&folder).is_ok() {
        return own(folder);
    }
    fs::create_dir_all(parent)?;
    let new = parent.join(format!(".{name}-{}", std::process::id()));
    // What a process of this number has left there.
    if new.exists() {
        fs::remove_dir_all(&new)?;
    }
    let made = write_all(&new, files).and_then(|()| match fs::rename(&new, &folder) {
        // Another server was faster.
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed,
    });
    if new.exists() {
        // It is of no use to anybody.
        let _ = fs::remove_dir_all(&new);
    }
    made?;
    own(folder)
}

fn write_all(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)?;
    for (name, text) in files {
        let path = folder.join(name);
        DirBuilder::new().mode(0o700).recursive(true).create(path.parent().unwrap_or(folder))?;
        write(&path, text)?;
    }
    Ok(())
}

/// Nobody is to change it: an editor says so.
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, Permissions::from_mode(0o444))
}

/// Puts a file in its place again.
fn again(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
    let new = folder.join(format!(".leat-{}", std::process::id()));
    write(&new, text).and_then(|()| fs::rename(&new, path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn files(text: &str) -> BTreeMap<String, String> {
        [("a/b.sml", text), ("c.sml", "")].map(|(name, text)| (name.to_string(), text.to_string())).into()
    }

    /// Two versions of Leat wrote their files over each other's, in a folder that others could read.
    #[test]
    fn a_folder_is_named_by_what_it_has_and_is_its_owners() {
        assert_eq!(hash(&files("x")), hash(&files("x")));
        assert_ne!(hash(&files("x")), hash(&files("y")));
        let parent = tempfile::tempdir().unwrap();
        let folder = folder_in(&parent.path().join("new"), "library", &files("x")).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(folder.join("a/b.sml")).unwrap().mode() & 0o777, 0o444);
        assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        // It is found again, and a file that was changed is as it was.
        assert_eq!(folder_in(folder.parent().unwrap(), "library", &files("x")).unwrap(), folder);
        again(&folder.join("a/b.sml"), "z").unwrap();
        assert_eq!(fs::read_to_string(folder.join("a/b.sml")).unwrap(), "z");
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_taken() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("library");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert!(folder_in(parent.path(), "library", &files("x")).is_err());
        std::os::unix::fs::symlink(parent.path(), parent.path().join("link")).unwrap();
        assert!(folder_in(parent.path(), "link", &files("x")).is_err());
        fs::write(parent.path().join("file"), "").unwrap();
        assert!(folder_in(&parent.path().join("file"), "library", &files("x")).is_err());
    }
}
