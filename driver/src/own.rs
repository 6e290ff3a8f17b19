//! A program and a source -> is the source the user's own? Of what others have written nobody wants to hear warnings.
//!
//! After Cargo's `cap-lints`: a dependency's errors are told, its warnings are its authors' affair.

use std::path::{Path, PathBuf};

/// Which sources are the user's own: of what others have written nobody wants to hear warnings.
///
/// These are the sources in the repository around the program that is compiled. Without a repository they are those in
/// the folder that the user works in, if the program is below it; a description may be in a folder beside its sources,
/// as `build/` is. Else they are those in the program's own folder. Packages that were put there are none of them:
/// `lib/github.com/...`, as smlpkg does.
#[derive(Default)]
pub(crate) struct Own {
    /// Whole paths; all sources are the user's while there is none.
    roots: Vec<PathBuf>,
    /// The program is a package itself.
    is_package: bool,
}

impl Own {
    /// A program, or a part of one, for a user who works in one of these folders.
    pub fn add(&mut self, program: &Path, folders: &[PathBuf]) {
        if program.starts_with("$(SML_LIB)") {
            return;
        }
        let Ok(whole) = std::path::absolute(program) else { return };
        let whole = without_steps(&whole);
        let folder = whole.parent().unwrap_or(&whole);
        let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
        let around = || folders.iter().map(PathBuf::as_path).filter(|around| folder.starts_with(around));
        let root = repository.or_else(|| around().max_by_key(|path| path.components().count())).unwrap_or(folder);
        self.is_package |= is_of_package(whole.strip_prefix(root).unwrap_or(&whole));
        self.roots.push(root.to_path_buf());
    }

    pub fn has(&self, source: &str) -> bool {
        if source.starts_with("$(SML_LIB)") {
            return false;
        }
        let Ok(whole) = std::path::absolute(source) else { return true };
        let whole = without_steps(&whole);
        self.roots.is_empty()
            || self
                .roots
                .iter()
                .any(|root| whole.strip_prefix(root).is_ok_and(|path| self.is_package || !is_of_package(path)))
    }
}

/// Where the user of a command works: the current folder. In the home folder, and above it, nobody works on one
/// project.
pub(crate) fn current_folder() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let is_wide = |folder: &PathBuf| folder.parent().is_none() || home.as_ref().is_some_and(|h| h.starts_with(folder));
    std::env::current_dir().ok().filter(|folder| !is_wide(folder)).into_iter().collect()
}

/// Is `lib/HOST/...` in it, where the host's name has a dot?
fn is_of_package(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.windows(2).any(|pair| pair[0] == "lib" && pair[1].contains('.')) && parts.len() > 2
}

/// The path without `..`, by its letters.
fn without_steps(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = out.pop(),
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages() {
        for path in ["lib/github.com/x/y/y.sml", "a/lib/git.example.org/z.sml"] {
            assert!(is_of_package(Path::new(path)), "{path}");
        }
        for path in ["lib/list.sml", "lib/x.y", "src/main.sml", "github.com/x.sml"] {
            assert!(!is_of_package(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn own_sources() {
        let mut own = Own::default();
        assert!(own.has("/somewhere/else.sml"));
        own.add(Path::new("/no/such/place/p.mlb"), &[PathBuf::from("/no/such/place/far")]);
        assert!(own.has("/no/such/place/a.sml") && own.has("/no/such/place/src/../b.sml"));
        assert!(!own.has("/no/such/other/a.sml") && !own.has("/no/such/place/../other/a.sml"));
        assert!(!own.has("/no/such/place/lib/github.com/x/y.sml") && !own.has("$(SML_LIB)/basis/list.sml"));
        // The description is beside its sources.
        let mut beside = Own::default();
        beside.add(Path::new("/no/such/place/build/p.mlb"), &["/no/such", "/no/such/place"].map(PathBuf::from));
        assert!(beside.has("/no/such/place/build/../src/a.sml") && !beside.has("/no/such/other/a.sml"));
        assert!(!beside.has("/no/such/place/lib/github.com/x/y.sml"));
        // Who works on a package sees its warnings.
        let mut package = Own { roots: vec![PathBuf::from("/p")], is_package: true };
        assert!(package.has("/p/lib/github.com/x/y.sml"));
        package.is_package = false;
        assert!(!package.has("/p/lib/github.com/x/y.sml"));
    }
}
