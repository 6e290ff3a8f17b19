//! Runs programs that leave profiles.

use std::path::Path;
use std::process::Command;

use leat_profile::{Profile, read};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

fn succeeds(command: &mut Command) {
    let run = command.output().expect("it can be started");
    assert!(run.status.success(), "{command:?}: {}", String::from_utf8_lossy(&run.stderr));
}

pub fn build(source: &Path, options: &[&str], executable: &Path) {
    succeeds(Command::new(LEAT).arg("build").args(options).arg(source).arg("-o").arg(executable));
}

/// What a run leaves, in memory or of the executable that was built.
pub fn profile(source: &Path, executable: Option<&Path>, kind: &str, workers: usize, arguments: &[&str]) -> Profile {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("profile");
    let options = [format!("--workers={workers}"), format!("--profile={kind}:{}", file.display())];
    let mut command = match executable {
        Some(executable) => {
            let mut command = Command::new(executable);
            command.env("LEAT_RUN", options.join(" "));
            command
        }
        None => {
            let mut command = Command::new(LEAT);
            command.arg("run").args(options).arg(source);
            command
        }
    };
    succeeds(command.args(arguments));
    read(&std::fs::read_to_string(&file).expect("a profile")).expect("a whole profile")
}
