//! Folders for what is made on the way: an object before it is linked, a product before it is renamed to its name.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::DirBuilderExt;
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

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
