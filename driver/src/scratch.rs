//! Folders for what is made on the way: an object before it is linked, a product before it is renamed to its name; and
//! folders for what is kept, and found by its name again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A folder of one's own that goes when it is dropped: nobody can foretell its name, or enter it.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Scratch> {
        Scratch::inside(&env::temp_dir(), "leat-")
    }

    pub(crate) fn inside(folder: &Path, prefix: &str) -> io::Result<Scratch> {
        for _ in 0..100 {
            // The keys of a hasher come from the system's source of random numbers.
            let path = folder.join(format!("{prefix}{:016x}", RandomState::new().build_hasher().finish()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("a hundred names for a scratch folder are all taken"))
    }
}

/// A folder that nobody else can write to; the error says that it is none. Where everybody may write, anybody may have
/// made it before; and `sudo` may leave the home of a user to root.
pub fn own(folder: PathBuf) -> io::Result<PathBuf> {
    let data = fs::symlink_metadata(&folder)?;
    // SAFETY: a plain system call.
    let user = unsafe { libc::geteuid() };
    if data.is_dir() && data.uid() == user && data.mode() & 0o022 == 0 {
        return Ok(folder);
    }
    Err(io::Error::other("it is not a folder of this user's alone"))
}

/// A folder for what is kept and loaded again, by the name of its kind: among what the user keeps of Leat's, under
/// another name if others may write to it (it was once made as the user's mask says), else among what is temporary,
/// where it is named by its owner.
pub(crate) fn kept(cache: Option<PathBuf>, temporary: &Path, kind: &str) -> io::Result<PathBuf> {
    // SAFETY: a plain system call.
    let user = unsafe { libc::geteuid() };
    let beside = temporary.join(format!("leat-{user}-{kind}"));
    let mut why = Vec::new();
    let in_cache = cache.into_iter().flat_map(|cache| [cache.join(kind), cache.join(format!("{kind}-private"))]);
    for folder in in_cache.chain([beside]) {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        match made.and_then(|()| own(folder.clone())) {
            Ok(folder) => return Ok(folder),
            Err(error) => why.push(format!("{}: {error}", folder.display())),
        }
    }
    Err(io::Error::other(why.join("; ")))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Without HOME, objects were kept in `/tmp/leat/foreign`, by whomever that was made, and loaded from there.
    #[test]
    fn what_is_kept_is_in_a_folder_of_ones_own() {
        let scratch = Scratch::new().unwrap();
        let temporary = &scratch.0;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = kept(None, temporary, "foreign").unwrap();
        assert_eq!((folder.parent().unwrap(), mode(&folder)), (&**temporary, 0o700));
        assert_eq!(kept(None, temporary, "foreign").unwrap(), folder);
        // One that others can write to, and one that is somewhere else.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(kept(None, temporary, "foreign").is_err());
        let elsewhere = folder.with_file_name("elsewhere");
        fs::rename(&folder, &elsewhere).unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
        symlink(&elsewhere, &folder).unwrap();
        assert!(kept(None, temporary, "foreign").is_err());
        fs::remove_file(&folder).unwrap();
        // A user's cache comes first, if it is one.
        let cache = temporary.join("home/.cache/leat");
        assert_eq!(kept(Some(cache.clone()), temporary, "foreign").unwrap(), cache.join("foreign"));
        fs::set_permissions(cache.join("foreign"), fs::Permissions::from_mode(0o770)).unwrap();
        assert_eq!(kept(Some(cache.clone()), temporary, "foreign").unwrap(), cache.join("foreign-private"));
        fs::write(temporary.join("file"), "").unwrap();
        assert_eq!(kept(Some(temporary.join("file/leat")), temporary, "foreign").unwrap(), folder);
    }
}
