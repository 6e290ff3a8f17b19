//! A program, source or built -> a run of it with a profile, in a process of its own.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::read::{Profile, read};
use crate::signals;

/// What to run, and how.
pub struct Job<'a> {
    /// This very Leat, for programs in source.
    pub leat: &'a Path,
    /// `time`, `wait`, ..
    pub kind: &'a str,
    pub threads: bool,
    /// Words like `--workers=2`.
    pub options: &'a [String],
    /// What `leat run` gets for its compiler: options, and files of C.
    pub compile: &'a [OsString],
    pub program: &'a Path,
    pub arguments: &'a [OsString],
}

/// Whether a file is an executable, as `leat build` makes them: text is source.
pub fn is_built(program: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && (start == *b"\x7fELF" || start == [0xcf, 0xfa, 0xed, 0xfe])
}

/// Runs a program to its end; gives its exit code and its profile with the text of that, if it came so far.
pub fn run(job: &Job<'_>) -> Result<(i32, Profile, String), String> {
    let folder = Folder::new()?;
    let file = folder.0.join("profile");
    let apart = if job.threads { ",threads" } else { "" };
    let option = format!("--profile={}{apart}:{}", job.kind, file.display());
    let mut command = if is_built(job.program) {
        if option.contains(char::is_whitespace) {
            return Err("the folder for temporary files has a space in its name".into());
        }
        let mut words = std::env::var("LEAT_RUN").unwrap_or_default();
        for word in job.options.iter().chain([&option]) {
            words = format!("{words} {word}");
        }
        let program =
            if job.program.components().count() == 1 { Path::new(".").join(job.program) } else { job.program.into() };
        let mut command = Command::new(program);
        command.env("LEAT_RUN", words);
        command
    } else {
        let mut command = Command::new(job.leat);
        command.arg("run").args(job.compile).args(job.options).arg(option).arg(job.program);
        command
    };
    signals::end_with_parent(&mut command, libc::SIGKILL);
    let mut child = command
        .args(job.arguments)
        .spawn()
        .map_err(|error| format!("{} cannot be started: {error}", job.program.display()))?;
    let passed_on = signals::pass_on(&child);
    let status = child.wait().map_err(|error| error.to_string())?;
    drop(passed_on);
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    match std::fs::read_to_string(&file) {
        Ok(text) if !text.is_empty() => Ok((code, read(&text)?, text)),
        _ if code != 0 => Err(format!("the program ended with exit code {code} and left no profile")),
        _ => Err(format!(
            "{} left no profile: it is not built by this Leat, or replaced itself by another program",
            job.program.display()
        )),
    }
}

/// A folder of one's own, which goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        use std::hash::{BuildHasher as _, Hasher as _, RandomState};
        use std::os::unix::fs::DirBuilderExt as _;
        let number = RandomState::new().build_hasher().finish();
        let path = std::env::temp_dir().join(format!("leat-profile-{number:016x}"));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a file for `-o` is to be written, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Callgrind,
    Pprof,
    /// As the runtime has written it.
    Leat,
}

impl Format {
    pub fn of(file: &Path) -> Format {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or("");
        match name {
            _ if name.ends_with(".pb.gz") || name.ends_with(".pprof") => Format::Pprof,
            _ if name.ends_with(".prof") => Format::Leat,
            _ => Format::Callgrind,
        }
    }
}
