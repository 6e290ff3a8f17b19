//! `leat doctor`: the machine and the settings -> what works, and what to do where something does not.

use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use clap::Command;
use leat_driver::say::show;

/// What was found.
enum Finding {
    Well(String),
    /// Something is missing that only some need.
    Note(String, &'static str),
    Wrong(String, &'static str),
}

use Finding::{Note, Well, Wrong};

pub fn command() -> Command {
    Command::new("doctor")
        .about("Looks whether everything is there that Leat needs, and says what to do")
        .after_help("Exit code: 0, or 1 when something does not work.")
}

pub fn run() -> u8 {
    type Check = (&'static str, fn() -> Finding);
    let checks: [Check; 7] = [
        ("leat", version),
        ("run", runs),
        ("C compiler", c_compiler),
        ("build", builds),
        ("scratch files", scratch),
        ("memory", memory),
        ("variables", variables),
    ];
    let mut wrong = false;
    for (name, check) in checks {
        let (word, text, advice) = match check() {
            Well(text) => ("ok  ", text, None),
            Note(text, advice) => ("note", text, Some(advice)),
            Wrong(text, advice) => {
                wrong = true;
                ("FAIL", text, Some(advice))
            }
        };
        show(&format!("{word}  {name}: {}\n", text.trim().replace('\n', "\n      ")));
        if let Some(advice) = advice {
            show(&format!("      {advice}\n"));
        }
    }
    u8::from(wrong)
}

fn version() -> Finding {
    match std::env::current_exe() {
        Ok(path) => Well(format!("{}, {}", crate::VERSION, path.display())),
        Err(error) => Wrong(format!("cannot find itself: {error}"), "/proc must be mounted for `leat test` to work"),
    }
}

/// What a command prints on both outputs, if it ends well; else why not.
fn output(command: &mut Process) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(format!("{}\n{text}", output.status)) }
}

fn leat() -> Process {
    Process::new(std::env::current_exe().unwrap_or_else(|_| PathBuf::from("leat")))
}

const PROGRAM: &str = "val c : int CML.chan = CML.channel ();\n\
                       val _ = CML.spawn (fn () => CML.send (c, 42));\n\
                       val () = print (Int.toString (CML.recv c));\n";

fn runs() -> Finding {
    let start = std::time::Instant::now();
    match output(leat().args(["run", "-e", PROGRAM])) {
        Ok(text) if text == "42" => Well(format!("a program with two threads, in {} ms", start.elapsed().as_millis())),
        Ok(text) => Wrong(format!("it printed {text:?}"), "this is a fault of Leat's: please report it"),
        Err(text) => {
            Wrong(text, "code is made in memory: a system that forbids that (SELinux's execmem) needs an exception")
        }
    }
}

/// As `leat build` finds it.
fn compiler() -> String {
    std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".to_string())
}

fn c_compiler() -> Finding {
    let name = compiler();
    match output(Process::new(&name).arg("--version")) {
        Ok(text) => Well(text.lines().next().unwrap_or(&name).to_string()),
        Err(error) => Note(
            format!("{name}: {error}"),
            "`leat build` needs it, to link, and so do programs with files or libraries of C: install gcc or clang (Debian: \
             apt install gcc libc6-dev)",
        ),
    }
}

fn builds() -> Finding {
    if output(Process::new(compiler()).arg("--version")).is_err() {
        return Note("not tried".to_string(), "there is no C compiler to link with");
    }
    let Ok(folder) = tempfile::tempdir() else {
        return Wrong("no scratch folder".to_string(), "set TMPDIR to a folder that may be written");
    };
    let (source, program) = (folder.path().join("doctor.sml"), folder.path().join("doctor"));
    let made = std::fs::write(&source, PROGRAM).map_err(|error| error.to_string());
    let built = made.and_then(|()| output(leat().arg("build").arg(&source).arg("-o").arg(&program)));
    match built.and_then(|_| output(&mut Process::new(&program))) {
        Ok(text) if text == "42" => {
            let size = std::fs::metadata(&program).map_or(0, |data| data.len());
            Well(format!("an executable of {:.1} MB, which runs", size as f64 / 1e6))
        }
        Ok(text) => Wrong(format!("it printed {text:?}"), "this is a fault of Leat's: please report it"),
        Err(text) => Wrong(text, "the linker's message says what is missing; on Debian: apt install gcc libc6-dev"),
    }
}

fn scratch() -> Finding {
    match tempfile::tempfile() {
        Ok(_) => Well(std::env::temp_dir().display().to_string()),
        Err(error) => Wrong(
            format!("{}: {error}", std::env::temp_dir().display()),
            "`leat build` and `leat test` need it: set TMPDIR to a folder that may be written",
        ),
    }
}

fn memory() -> Finding {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    match limit {
        None => Well("no limit of addresses".to_string()),
        Some(bytes) if bytes >= 2 << 30 => Well(format!("addresses are limited to {} MB", bytes >> 20)),
        Some(bytes) => Note(
            format!("addresses are limited to {} MB", bytes >> 20),
            "large programs may want more: `ulimit -v unlimited`",
        ),
    }
}

fn variables() -> Finding {
    let mut set: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with("LEAT_") || matches!(name.as_str(), "NO_COLOR" | "CC"))
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect();
    set.sort();
    match set.is_empty() {
        true => Well("none is set that Leat looks at".to_string()),
        false => Well(set.join(" ")),
    }
}
