//! `cargo xtask oracles [dates | reals | integers] [--count=N]`: the library's answers beside Python's, line by line.
//!
//! Both programs of a pair (`oracles/*.sml`, `oracles/*.py`) make the same random numbers, and print what they compute.
//! It takes minutes, and needs Python 3.9 or newer; dates need the zones in /usr/share/zoneinfo, which both read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub const USAGE: &str = "       cargo xtask oracles [dates | reals | integers]... [--count=N]";

struct Pair {
    name: &'static str,
    sml: &'static str,
    python: &'static str,
    count: usize,
    /// Once for each zone, with its share of the count.
    zones: bool,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "dates",
        sml: include_str!("oracles/dates.sml"),
        python: include_str!("oracles/dates.py"),
        count: 1_000_000,
        zones: true,
    },
    Pair {
        name: "reals",
        sml: include_str!("oracles/reals.sml"),
        python: include_str!("oracles/reals.py"),
        count: 1_000_000,
        zones: false,
    },
    Pair {
        name: "integers",
        sml: include_str!("oracles/integers.sml"),
        python: include_str!("oracles/integers.py"),
        count: 100_000,
        zones: false,
    },
];

const ZONES: &str = "/usr/share/zoneinfo";

pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let mut count = None;
    let mut names = Vec::new();
    for argument in arguments {
        match argument.strip_prefix("--count=") {
            Some(number) => count = number.parse().ok(),
            None => names.push(argument),
        }
    }
    if let Some(name) = names.iter().find(|name| PAIRS.iter().all(|pair| pair.name != **name)) {
        eprintln!("no oracle is called {name}\nusage:\n{USAGE}");
        return ExitCode::from(2);
    }
    let mut failed = false;
    for pair in PAIRS.iter().filter(|pair| names.is_empty() || names.iter().any(|name| name == pair.name)) {
        match run(pair, count.unwrap_or(pair.count)) {
            Ok(differences) => failed |= differences > 0,
            Err(error) => {
                eprintln!("{}: {error}", pair.name);
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How many lines differ.
fn run(pair: &Pair, count: usize) -> io::Result<usize> {
    let folder = tempfile::tempdir()?;
    let (source, script, program) =
        (folder.path().join("oracle.sml"), folder.path().join("oracle.py"), folder.path().join("oracle"));
    fs::write(&source, pair.sml)?;
    fs::write(&script, pair.python)?;
    let leat = crate::root().join("target/release/leat");
    output(Command::new(leat).arg("build").arg(&source).arg("-o").arg(&program))?;
    let zones = if pair.zones { zones(Path::new(ZONES))? } else { vec![String::new()] };
    let share = count.div_ceil(zones.len()).to_string();
    let (mut lines, mut differences) = (0, 0);
    for zone in &zones {
        let with_zone = |command: &mut Command| {
            command.arg(&share);
            if pair.zones {
                command.env("TZ", zone);
            }
            output(command)
        };
        let ours = with_zone(&mut Command::new(&program))?;
        let theirs = with_zone(Command::new("python3").arg(&script))?;
        if ours.lines().count() != theirs.lines().count() {
            return Err(io::Error::other("the programs print another number of lines each"));
        }
        for (ours, theirs) in ours.lines().zip(theirs.lines()) {
            lines += 1;
            if ours != theirs {
                differences += 1;
                if differences <= 20 {
                    println!("{} {zone}: `{ours}` here, `{theirs}` by Python", pair.name);
                }
            }
        }
    }
    println!("{}: {lines} lines, {differences} differ", pair.name);
    Ok(differences)
}

fn output(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{command:?}: {}\n{said}", output.status)));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}

/// The names of the zones below a folder, but for those with leap seconds, and copies of all.
fn zones(folder: &Path) -> io::Result<Vec<String>> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                if name != "right" && name != "posix" {
                    walk(&path, found)?;
                }
            } else if fs::read(&path)?.starts_with(b"TZif") {
                found.push(path);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(folder, &mut found)?;
    let mut names: Vec<String> = found
        .iter()
        .filter_map(|path| path.strip_prefix(folder).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .filter(|name| !["localtime", "posixrules"].contains(&name.as_str()))
        .collect();
    names.sort();
    Ok(names)
}
