//! The lab in front of the fake rows of `tests/lab`, for the tests of this folder.

// Each test program uses some of it.
#![allow(dead_code)]

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder of its own for a test, gone behind it.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn name(&self) -> &str {
        self.path().to_str().unwrap()
    }

    /// A file of it, as a word of a command.
    pub fn file(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }
}

pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab")
}

pub fn lab(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leat-bench"));
    let path = format!("{}:{}", data().join("bin").display(), std::env::var("PATH").unwrap());
    command.arg(format!("--programs={}", data().display())).args(words).env("PATH", path).stdin(Stdio::null());
    // Below `nohup` tests would inherit that SIGHUP is ignored.
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
    command
}

pub fn run(words: &[&str]) -> Output {
    lab(words).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Compares with a file of the folder; LEAT_BLESS=1 writes it.
pub fn golden(name: &str, text: &str) {
    let path = data().join(name);
    if std::env::var_os("LEAT_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{}: run with LEAT_BLESS=1 and look at the difference\n{text}", path.display());
}
