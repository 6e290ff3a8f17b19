//! The words of the command line -> what the lab is to do. What it would leave out in silence is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};

use crate::tools::Peers;

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
    List,
    History,
    Compare(String, String),
    Report(PathBuf),
    Join(Vec<PathBuf>),
    /// The page to write.
    Docs(PathBuf),
}

/// Why there are no options.
pub enum Instead {
    /// Help was asked for: this is it.
    Help(String),
    Wrong(String),
}

impl From<String> for Instead {
    fn from(message: String) -> Instead {
        Instead::Wrong(message)
    }
}

/// What else there is to do than to measure; one of these at most.
const OTHERS: [&str; 6] = ["list", "history", "compare", "report", "join", "docs"];

fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let file = |name: &'static str| Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf));
    let folder = |name: &'static str| Arg::new(name).value_name("DIR").value_parser(value_parser!(PathBuf));
    Command::new("leat-bench")
        .about("Measures the rows (all without a name; A is all of A, E1 is E1 and E1-live) and writes a report.")
        .override_usage("cargo run --release -p leat-bench -- [OPTION ...] [ROW ...]")
        .after_help(
            "CC names the C compiler, if it is not `cc`; TMPDIR is where programs are built and run.\nExit codes: 0, 1 \
             (something failed, or Leat did), 2 (wrong usage), 128 + N (signal N ended the run; what was measured is kept).",
        )
        .arg(Arg::new("rows").value_name("ROW").num_args(0..).help("Rows, by name or by the beginning of it"))
        .arg(flag("list").help("Lists the rows, and what is there of the peers"))
        .arg(flag("quick").help("One round, few sizes: the whole report in a quarter of an hour"))
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..=1000))
                .help("Rounds (5; with --quick 1)"),
        )
        .arg(
            Arg::new("peers")
                .long("peers")
                .value_name("LIST")
                .value_parser(chosen)
                .help("all (as is), none, or names with commas between them: --peers=SML/NJ,Go"),
        )
        .arg(folder("out").short('o').help("Where index.html, run.jsonl and history.jsonl go (target/lab)"))
        .arg(flag("history").help("No run: draws DIR/history.jsonl over time, to DIR/history.html"))
        .arg(
            Arg::new("compare").long("compare").value_names(["A", "B"]).num_args(2).help(
                "No run: which figures differ between two runs, and how sure that is (files, or commits of \
                 DIR/history.jsonl); exit code 1 if a figure of Leat got worse, or is in A only",
            ),
        )
        .arg(file("report").help("No run: draws a run.jsonl, or run.jsonl.gz, again, to DIR/index.html"))
        .arg(file("join").num_args(0..).action(ArgAction::Append).help(
            "No run: one run.jsonl and one report of several; the rows of a later file take the place of those of an \
             earlier one",
        ))
        .arg(flag("docs").help("No run: writes docs/lab/rows.md; with -o DIR, DIR/rows.md"))
        .arg(folder("programs").long("programs").help("Another folder of programs and tables (with --docs, -o is needed)"))
        .group(ArgGroup::new("others").args(OTHERS))
        .args_override_self(true)
}

pub fn options(words: impl Iterator<Item = OsString>) -> Result<Options, Instead> {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = std::iter::once(OsString::from("leat-bench")).chain(words);
    let mut matches = command().try_get_matches_from(words).map_err(instead)?;
    let path = |matches: &mut ArgMatches, name: &str| matches.remove_one::<PathBuf>(name);
    let (out, programs) = (path(&mut matches, "out"), path(&mut matches, "programs"));
    let mut rows: Vec<String> = matches.remove_many("rows").into_iter().flatten().collect();
    let action = if matches.get_flag("list") {
        Action::List
    } else if matches.get_flag("history") {
        Action::History
    } else if let Some(runs) = matches.remove_many::<String>("compare") {
        let [a, b] = runs.collect::<Vec<_>>().try_into().expect("two values");
        Action::Compare(a, b)
    } else if let Some(file) = path(&mut matches, "report") {
        none(&rows, "--report takes one file, and draws all of its rows")?;
        Action::Report(file)
    } else if matches.contains_id("join") {
        let files = matches.remove_many("join").into_iter().flatten().chain(rows.drain(..).map(PathBuf::from));
        let files: Vec<PathBuf> = files.collect();
        if files.is_empty() {
            return Err("--join takes files".to_string().into());
        }
        Action::Join(files)
    } else if matches.get_flag("docs") {
        none(&rows, "--docs writes all rows")?;
        match (&out, &programs) {
            (Some(folder), _) => Action::Docs(folder.join("rows.md")),
            (None, None) => Action::Docs(tree.join("../docs/lab/rows.md")),
            // The tree's page is about the tree's programs.
            (None, Some(_)) => return Err("--docs with --programs needs -o: where rows.md goes".to_string().into()),
        }
    } else {
        Action::Measure
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(tree.join("../target"), PathBuf::from);
    let programs = programs.unwrap_or(tree.join("programs"));
    Ok(Options {
        rows,
        quick: matches.get_flag("quick"),
        rounds: matches.remove_one::<u64>("rounds").map(|n| n as usize),
        peers: matches.remove_one("peers").unwrap_or(Peers::All),
        out: out.unwrap_or(target.join("lab")),
        // Programs run elsewhere.
        programs: std::path::absolute(&programs).map_err(|e| format!("--programs: {e}"))?,
        action,
    })
}

/// There are no rows.
fn none(rows: &[String], why: &str) -> Result<(), String> {
    rows.first().map_or(Ok(()), |word| Err(format!("{why}: what is {word}?")))
}

/// Help, or what is wrong in one line.
fn instead(error: clap::Error) -> Instead {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp => Instead::Help(text),
        _ => Instead::Wrong(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string()),
    }
}

fn chosen(list: &str) -> Result<Peers, String> {
    match list {
        "all" => Ok(Peers::All),
        "none" => Ok(Peers::None),
        list => {
            let names: Vec<String> = list.split(',').map(|name| name.trim().to_string()).collect();
            match names.iter().any(String::is_empty) {
                true => Err("a name is empty".to_string()),
                false => Ok(Peers::Only(names)),
            }
        }
    }
}
