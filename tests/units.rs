//! Runs the sessions under `tests/units/` and `tests/bad/`: files, commands, and what they print.
//!
//! A case is a text file `NAME.txt`. It begins with its story; then stand files, each after a line `== NAME`, and
//! commands, each after `$ `, with what they print on both outputs, and `[exit N]` if that is not 0. The commands run
//! in an empty folder with those files, by `sh`, with `leat` on the path. `LEAT_BLESS=1` rewrites what they print.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
const FOLDERS: &[&str] = &["units", "bad"];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut trials = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(root.join(folder)).expect("the folder of cases");
        let mut cases: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        cases.retain(|path| path.extension().is_some_and(|suffix| suffix == "txt"));
        cases.sort();
        for path in cases {
            let name = format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            trials.push(Trial::test(name, move || session(&path)));
        }
    }
    trials.push(Trial::test("built programs are static", static_programs));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Where the C compiler links C programs statically, built programs are static: they start in two thirds of the time.
/// One symbol of the runtime that only the shared library had was enough to lose that without a word.
fn static_programs() -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let folder = scratch.path();
    fs::write(folder.join("c.c"), "int main(void) { return 0; }\n")?;
    fs::write(folder.join("hello.sml"), "val () = print \"hello\\n\"\n")?;
    let quiet =
        |command: &mut Command| command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let c = quiet(Command::new("cc").args(["-static", "c.c", "-lm", "-o", "c"]))?;
    let built = quiet(Command::new(LEAT).args(["build", "hello.sml", "-o", "hello"]))?;
    let program = fs::read(folder.join("hello"));
    // ELF of 64 bits: one of the program headers is PT_INTERP.
    let program = program?;
    let word = |at: usize, len: usize| program[at..at + len].iter().rev().fold(0, |n, byte| n << 8 | *byte as usize);
    let (first, size, count) = (word(32, 8), word(54, 2), word(56, 2));
    let is_dynamic = program.starts_with(b"\x7fELF") && (0..count).any(|i| word(first + i * size, 4) == 3);
    if !built.success() || c.success() && is_dynamic {
        return Err("the program asks for the dynamic linker".into());
    }
    Ok(())
}

fn session(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let played = play(&text, TempDir::new()?.path())?;
    if played == text {
        return Ok(());
    }
    if std::env::var_os("LEAT_BLESS").is_some() {
        fs::write(path, played)?;
        return Ok(());
    }
    Err(format!("{} differs; what happened:\n{played}", path.display()).into())
}

/// The session with what its commands print now.
fn play(text: &str, folder: &Path) -> Result<String, Failed> {
    let mut played = String::new();
    let mut file: Option<(PathBuf, String)> = None;
    let mut in_output = false;
    let save = |file: &mut Option<(PathBuf, String)>| -> Result<(), Failed> {
        if let Some((path, text)) = file.take() {
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)?;
        }
        Ok(())
    };
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            save(&mut file)?;
            in_output = false;
            file = Some((folder.join(name), String::new()));
            let _ = writeln!(played, "{line}");
        } else if let Some(command) = line.strip_prefix("$ ") {
            save(&mut file)?;
            in_output = true;
            let _ = writeln!(played, "{line}\n{}", run(command, folder)?.trim_end_matches('\n'));
            while played.ends_with("\n\n") {
                played.pop();
            }
        } else if !in_output {
            if let Some((_, text)) = &mut file {
                let _ = writeln!(text, "{line}");
            }
            let _ = writeln!(played, "{line}");
        }
    }
    Ok(played)
}

fn run(command: &str, folder: &Path) -> Result<String, Failed> {
    let path = format!("{}:{}", Path::new(LEAT).parent().unwrap_or(folder).display(), std::env::var("PATH")?);
    let output = Command::new("timeout")
        .args(["120", "sh", "-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("LEAT_RUN")
        .env_remove("LEAT_MLB_PATH_MAP")
        .stdin(Stdio::null())
        .output()?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    // Blanks at line ends are not seen in a case.
    text = text.lines().map(|line| line.trim_end().to_string() + "\n").collect();
    text = text.replace(&folder.display().to_string(), "FOLDER");
    match output.status.code() {
        Some(0) => {}
        Some(code) => {
            let _ = writeln!(text, "[exit {code}]");
        }
        None => {
            let _ = writeln!(text, "[{}]", output.status);
        }
    }
    Ok(text)
}
