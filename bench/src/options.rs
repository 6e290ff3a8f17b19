//! The words of the command line -> what the lab is to do. What it would leave out in silence is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::tools::Peers;

pub const USAGE: &str = "\
usage: cargo run --release -p leat-bench -- [OPTION ...] [ROW ...]

Measures the rows (all without a name; A is all of A, E1 is E1 and E1-live) and writes a report.

  --list            the rows, and what is there of the peers
  --quick           one round, few sizes: the whole report in a quarter of an hour
  --rounds=N        rounds (5; with --quick 1)
  --peers=LIST      all (as is), none, or names with commas between them: --peers=SML/NJ,Go
  -o DIR            where index.html, run.jsonl and history.jsonl go (target/lab)
  --history [ROW]   no run: draws DIR/history.jsonl over time, to DIR/history.html
  --compare A B     no run: which figures differ between two runs, and how sure that is
                    (files, or commits of DIR/history.jsonl); exit code 1 if a figure of
                    Leat got worse, or is in A only
  --report FILE     no run: draws a run.jsonl again, to DIR/index.html
  --join FILE ...   no run: one run.jsonl and one report of several; the rows of a later
                    file take the place of those of an earlier one
  --docs            no run: writes docs/lab/rows.md; with -o DIR, DIR/rows.md
  --programs=DIR    another folder of programs and tables (with --docs, -o is needed)

CC names the C compiler, if it is not `cc`; TMPDIR is where programs are built and run.
Exit codes: 0, 1 (something failed, or Leat did), 2 (wrong usage), 128 + N (signal N ended
the run; what was measured is kept).";

pub struct Options {
    pub rows: Vec<String>,
    pub quick: bool,
    pub rounds: Option<usize>,
    pub peers: Peers,
    pub out: PathBuf,
    pub programs: PathBuf,
    pub action: Action,
}

pub enum Action {
    Measure,
    Help,
    List,
    History,
    Compare(String, String),
    Report(PathBuf),
    Join(Vec<PathBuf>),
    /// The page to write.
    Docs(PathBuf),
}

/// An action, before all words are known.
enum Asked {
    List,
    History,
    Compare(String, String),
    Report(String),
    Join,
    Docs,
}

pub fn options(words: impl Iterator<Item = OsString>) -> Result<Options, String> {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(tree.join("../target"), PathBuf::from);
    let (mut quick, mut rounds, mut peers) = (false, None, Peers::All);
    let (mut out, mut programs): (Option<PathBuf>, Option<PathBuf>) = (None, None);
    let mut asked: Option<(String, Asked)> = None;
    let mut plain = Vec::new();
    let mut words = words.map(|word| word.into_string().map_err(|word| format!("{word:?} is no UTF-8")));
    while let Some(word) = words.next() {
        let word = word?;
        if !word.starts_with('-') {
            plain.push(word);
            continue;
        }
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let mut following = |what: &str| match words.next() {
            Some(Ok(next)) if !next.starts_with('-') && !next.is_empty() => Ok(next),
            Some(Err(e)) => Err(e),
            _ => Err(format!("{name} takes {what}")),
        };
        // The value behind `=` or the next word.
        let mut next = |what: &str| match value {
            Some("") => Err(format!("{name} takes {what}")),
            Some(value) => Ok(value.to_string()),
            None => following(what),
        };
        let action = match name {
            "--rounds" => {
                let number = next("a number from 1 to 1000")?.parse().ok().filter(|n| (1..=1000).contains(n));
                rounds = Some(number.ok_or("--rounds takes a number from 1 to 1000")?);
                continue;
            }
            "--peers" => {
                peers = chosen(&next("all, none, or names with commas between them")?)?;
                continue;
            }
            "-o" => {
                out = Some(next("a folder")?.into());
                continue;
            }
            "--programs" => {
                programs = Some(next("a folder")?.into());
                continue;
            }
            "--compare" => {
                let first = next("two runs")?;
                Asked::Compare(first, following("two runs")?)
            }
            "--report" => Asked::Report(next("a file")?),
            "--join" => {
                plain.extend(value.map(String::from));
                Asked::Join
            }
            "--help" | "-h" | "--list" | "--quick" | "--history" | "--docs" if value.is_some() => {
                return Err(format!("{name} takes no value"));
            }
            "--help" | "-h" => return Ok(Options { action: Action::Help, ..Options::new(&target, tree) }),
            "--quick" => {
                quick = true;
                continue;
            }
            "--list" => Asked::List,
            "--history" => Asked::History,
            "--docs" => Asked::Docs,
            name => return Err(format!("there is no option {name}")),
        };
        if let Some((other, _)) =
            asked.replace((name.to_string(), action)).filter(|(other, _)| other != name || name != "--join")
        {
            return Err(format!("{other} and {name} are two things to do"));
        }
    }
    let none = |rows: &[String], why: &str| match rows.first() {
        Some(word) => Err(format!("{why}: what is {word}?")),
        None => Ok(()),
    };
    let mut options = Options { quick, rounds, peers, ..Options::new(&target, tree) };
    options.action = match asked.map(|(_, action)| action) {
        None => Action::Measure,
        Some(Asked::List) => Action::List,
        Some(Asked::History) => Action::History,
        Some(Asked::Compare(a, b)) => Action::Compare(a, b),
        Some(Asked::Report(file)) => {
            none(&plain, "--report takes one file, and draws all of its rows")?;
            Action::Report(file.into())
        }
        Some(Asked::Join) if plain.is_empty() => return Err("--join takes files".to_string()),
        Some(Asked::Join) => Action::Join(plain.drain(..).map(PathBuf::from).collect()),
        Some(Asked::Docs) => {
            none(&plain, "--docs writes all rows")?;
            match (&out, &programs) {
                (Some(folder), _) => Action::Docs(folder.join("rows.md")),
                (None, None) => Action::Docs(tree.join("../docs/lab/rows.md")),
                // The tree's page is about the tree's programs.
                (None, Some(_)) => return Err("--docs with --programs needs -o: where rows.md goes".to_string()),
            }
        }
    };
    options.rows = plain;
    options.out = out.unwrap_or(options.out);
    options.programs = programs.unwrap_or(options.programs);
    // Programs run elsewhere.
    options.programs = std::path::absolute(&options.programs).map_err(|e| format!("--programs: {e}"))?;
    Ok(options)
}

impl Options {
    fn new(target: &Path, tree: &Path) -> Options {
        Options {
            rows: Vec::new(),
            quick: false,
            rounds: None,
            peers: Peers::All,
            out: target.join("lab"),
            programs: tree.join("programs"),
            action: Action::Measure,
        }
    }
}

fn chosen(list: &str) -> Result<Peers, String> {
    match list {
        "all" => Ok(Peers::All),
        "none" => Ok(Peers::None),
        list => {
            let names: Vec<String> = list.split(',').map(|name| name.trim().to_string()).collect();
            match names.iter().any(String::is_empty) {
                true => Err(format!("--peers={list}: a name is empty")),
                false => Ok(Peers::Only(names)),
            }
        }
    }
}
