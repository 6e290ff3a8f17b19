//! A program and a source -> is the source the user's own? Of what others have written nobody wants to hear warnings.
//!
//! After Cargo's `cap-lints`: a dependency's errors are told, its warnings are its authors' affair.

use std::path::{Path, PathBuf};

/// Which sources are the user's own: of what others have written nobody wants to hear warnings.
///
/// These are the sources in the folder of the program that is compiled, or in the repository around it, but for
/// packages that were put there: `lib/github.com/...`, as smlpkg does.
#[derive(Default)]
pub(crate) struct Own {
    /// Whole paths; all sources are the user's while there is none.
    roots: Vec<PathBuf>,
    /// The program is a package itself.
    is_package: bool,
}

impl Own {
    /// A program, or a part of one.
    pub fn add(&mut self, program: &Path) {
        let Ok(whole) = std::path::absolute(program) else { return };
        let folder = whole.parent().unwrap_or(&whole);
        let root = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
        self.is_package |= is_of_package(whole.strip_prefix(root).unwrap_or(&whole));
        self.roots.push(without_steps(root));
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
        own.add(Path::new("/no/such/place/p.mlb"));
        assert!(own.has("/no/such/place/a.sml") && own.has("/no/such/place/src/../b.sml"));
        assert!(!own.has("/no/such/other/a.sml") && !own.has("/no/such/place/../other/a.sml"));
        assert!(!own.has("/no/such/place/lib/github.com/x/y.sml") && !own.has("$(SML_LIB)/basis/list.sml"));
        // Who works on a package sees its warnings.
        let mut package = Own { roots: vec![PathBuf::from("/p")], is_package: true };
        assert!(package.has("/p/lib/github.com/x/y.sml"));
        package.is_package = false;
        assert!(!package.has("/p/lib/github.com/x/y.sml"));
    }
}
