//! The lab: every table and figure of the documents, measured beside C and the peers, drawn beside the published one.
//!
//! `cargo run --release -p leat-bench -- [ROW ...]` builds the programs of the rows, runs them in rounds, and leaves
//! `index.html`, `run.jsonl` and `history.jsonl` in a folder. docs/lab says what each row is, and how a row is added.

/// Text for the terminal, or for whoever reads standard output. A reader that has gone (`| head`) does not end a run.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = write!(std::io::stdout(), $($text)*);
    }};
}

mod compare;
mod docs;
mod figure;
mod fresh;
mod history;
mod judge;
mod machine;
mod place;
mod process;
mod progress;
mod record;
mod report;
mod rounds;
mod stats;
mod table;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use place::Place;
use progress::Progress;
use record::{Line, Results, Run, Used, Writer};
use table::{Row, Table};
use tools::Peers;

const USAGE: &str = "\
usage: cargo run --release -p leat-bench -- [OPTION ...] [ROW ...]

Measures the rows (all without a name; A is all of A, E1 is E1 and E1-live) and writes a report.

  --list            the rows, and what is there of the peers
  --quick           one round, few sizes: the whole report within ten minutes
  --rounds=N        rounds (5; with --quick 1)
  --peers=LIST      all (as is), none, or names with commas between them: --peers=SML/NJ,Go
  -o DIR            where index.html, run.jsonl and history.jsonl go (target/lab)
  --history [ROW]   no run: draws DIR/history.jsonl over time, to DIR/history.html
  --compare A B     no run: which figures differ between two runs, and how sure that is
                    (files, or commits of DIR/history.jsonl); exit code 1 if one got worse
  --report FILE     no run: draws a run.jsonl again, to DIR/index.html
  --join FILE ...   no run: one run.jsonl and one report of several; the rows of a later
                    file take the place of those of an earlier one
  --docs            no run: writes docs/lab/rows.md
  --programs=DIR    another folder of programs and tables";

struct Options {
    rows: Vec<String>,
    quick: bool,
    rounds: Option<usize>,
    peers: Peers,
    out: PathBuf,
    programs: PathBuf,
    action: Action,
}

enum Action {
    Measure,
    List,
    History,
    Compare(String, String),
    Report(PathBuf),
    Join(Vec<PathBuf>),
    Docs,
}

/// Wrong usage, or what went wrong.
enum Trouble {
    Usage(String),
    Failed(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Failed(message)
    }
}

fn main() -> ExitCode {
    let result = options(std::env::args().skip(1)).map_err(Trouble::Usage).and_then(|options| act(&options));
    match result {
        Ok(code) => code,
        Err(Trouble::Usage(message)) if message.is_empty() => {
            say!("{USAGE}\n");
            ExitCode::SUCCESS
        }
        Err(Trouble::Usage(message)) => {
            eprintln!("leat-bench: {message} (--help lists the options)");
            ExitCode::from(2)
        }
        Err(Trouble::Failed(message)) => {
            eprintln!("leat-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options(words: impl Iterator<Item = String>) -> Result<Options, String> {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(tree.join("../target"), PathBuf::from);
    let mut options = Options {
        rows: Vec::new(),
        quick: false,
        rounds: None,
        peers: Peers::All,
        out: target.join("lab"),
        programs: tree.join("programs"),
        action: Action::Measure,
    };
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let mut next = |what: &str| match value {
            Some(value) => Ok(value.to_string()),
            None => words.next().ok_or_else(|| format!("{name} takes {what}")),
        };
        match name {
            "--help" | "-h" => return Err(String::new()),
            "--list" => options.action = Action::List,
            "--quick" => options.quick = true,
            "--rounds" => {
                let n = next("a number")?.parse().ok().filter(|n| (1..=1000).contains(n));
                options.rounds = Some(n.ok_or("--rounds takes a number from 1 to 1000")?);
            }
            "--peers" => {
                options.peers = match next("all, none or names")?.as_str() {
                    "all" => Peers::All,
                    "none" => Peers::None,
                    list => Peers::Only(list.split(',').map(|name| name.trim().to_string()).collect()),
                }
            }
            "-o" => options.out = next("a folder")?.into(),
            "--programs" => options.programs = next("a folder")?.into(),
            "--history" => options.action = Action::History,
            "--compare" => {
                let first = next("two runs")?;
                options.action = Action::Compare(first, words.next().ok_or("--compare takes two runs")?);
            }
            "--report" => options.action = Action::Report(next("a file")?.into()),
            "--join" => options.action = Action::Join(vec![next("files")?.into()]),
            "--docs" => options.action = Action::Docs,
            word if word.starts_with('-') => return Err(format!("there is no option {word}")),
            _ => match &mut options.action {
                Action::Join(files) => files.push(word.into()),
                _ => options.rows.push(word),
            },
        }
    }
    Ok(options)
}

fn act(options: &Options) -> Result<ExitCode, Trouble> {
    let table = table::read(&options.programs)?;
    for word in &options.rows {
        if !table.rows.iter().any(|row| row.is_named(word)) {
            let ids: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
            return Err(Trouble::Usage(format!("there is no row {word}; there are {}", ids.join(" "))));
        }
    }
    if let Peers::Only(list) = &options.peers {
        let known = |name: &&String| table.tools.iter().any(|tool| tool.peer.eq_ignore_ascii_case(name));
        if let Some(name) = list.iter().find(|name| !known(name)) {
            let mut peers: Vec<&str> = table.tools.iter().map(|tool| tool.peer.as_str()).collect();
            peers.retain(|peer| !peer.is_empty());
            peers.sort_unstable();
            peers.dedup();
            return Err(Trouble::Usage(format!("there is no peer {name}; there are {}", peers.join(", "))));
        }
    }
    let rows: Vec<&Row> = table.rows.iter().filter(|row| is_chosen(row, options)).collect();
    match &options.action {
        Action::Measure => measure(options, &table, &rows),
        Action::List => list(options, &table, &rows),
        Action::History => Ok(history::draw(&options.out, &table, &rows)?),
        Action::Compare(a, b) => Ok(compare::compare(&options.out, &table, &rows, a, b)?),
        Action::Report(file) => {
            let run = record::read(file)?.pop().ok_or_else(|| "no run".to_string())?;
            make_folder(&options.out)?;
            report::write(&options.out, &table, &run)?;
            say!("{}\n", options.out.join("index.html").display());
            Ok(ExitCode::SUCCESS)
        }
        Action::Join(files) => {
            let mut all: Option<Results> = None;
            for file in files {
                let run = record::read(file)?.pop().ok_or_else(|| format!("{}: no run", file.display()))?;
                match &mut all {
                    Some(all) => all.join(run),
                    None => all = Some(run),
                }
            }
            let all = all.ok_or_else(|| "no file".to_string())?;
            make_folder(&options.out)?;
            let mut log = Writer::open(&options.out.join("run.jsonl"), true)?;
            all.lines().iter().try_for_each(|line| log.write(line))?;
            report::write(&options.out, &table, &all)?;
            say!("{}", report::text::summary(&table, &all));
            say!("\n{}\n", options.out.join("index.html").display());
            Ok(ExitCode::SUCCESS)
        }
        Action::Docs => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lab/rows.md");
            std::fs::write(&path, docs::rows(&table)).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn is_chosen(row: &Row, options: &Options) -> bool {
    options.rows.is_empty() || options.rows.iter().any(|word| row.is_named(word))
}

fn list(options: &Options, table: &Table, rows: &[&Row]) -> Result<ExitCode, Trouble> {
    for row in rows {
        say!("{:14} {}  [{}]\n", row.id, row.title, row.systems.join(", "));
    }
    say!("\n");
    let place = Place::find(&options.programs)?;
    let all: Vec<String> = table.tools.iter().map(|tool| tool.name.clone()).collect();
    for (name, found) in tools::find_tools(&place, &table.tools, &all, &options.peers) {
        match found {
            Ok(found) => say!("{name:14} {}  {}\n", found.path, found.version),
            Err(reason) => say!("{name:14} -  {reason}\n"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn measure(options: &Options, table: &Table, rows: &[&Row]) -> Result<ExitCode, Trouble> {
    // What cannot be written is told before an hour of measuring, not behind it.
    make_folder(&options.out)?;
    let mut log = Writer::open(&options.out.join("run.jsonl"), true)?;
    let place = Place::find(&options.programs)?;
    let needs_leat = |way: &&table::System| format!("{} {}", way.build, way.run).contains("{leat}");
    if rows.iter().flat_map(|row| &row.ways).any(|way| needs_leat(&way)) && !place.leat.exists() {
        let message = format!("{} is missing: run `cargo build --release -p leat` first", place.leat.display());
        return Err(Trouble::Failed(message));
    }
    process::catch_interrupts();
    let begin = Instant::now();
    let used: Vec<String> =
        rows.iter().flat_map(|row| &row.ways).flat_map(|way| tools::tools_of(way, &table.tools)).collect();
    let tools = tools::find_tools(&place, &table.tools, &used, &options.peers);
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (commit, changed) = machine::commit(&tree);
    let mut run = Run {
        time: machine::time(),
        commit,
        changed,
        quick: options.quick,
        rounds: options.rounds.unwrap_or(if options.quick { 1 } else { 5 }),
        machine: machine::machine(),
        tools: Default::default(),
    };
    for (name, found) in tools.iter().filter_map(|(name, found)| Some((name, found.as_ref().ok()?))) {
        run.tools.insert(name.clone(), Used { path: place.shown(&found.path), version: found.version.clone() });
    }
    let plan = rounds::Plan {
        place: &place,
        tools: &tools,
        rounds: run.rounds,
        quick: options.quick,
        open_files: run.machine.open_files,
        table_tools: &table.tools,
        built: Default::default(),
    };
    let mut results = Results { run: run.clone(), ..Results::default() };
    let mut failure = log.write(&Line::Run(run)).err();
    let measured = |row: &Row| !options.quick || row.long.is_empty();
    let mut progress = Progress::new(rows.iter().filter(|row| measured(row)).map(|row| plan.runs(row)).sum());
    for (i, row) in rows.iter().enumerate() {
        if process::interrupted() || failure.is_some() {
            break;
        }
        progress.row(&row.id, &row.title, i + 1, rows.len());
        let lines = if measured(row) {
            plan.row(row, &mut progress)
        } else {
            let reason = format!("not with --quick: {}", row.long);
            let failed = record::Failed { row: row.id.clone(), reason, ..Default::default() };
            vec![Line::Failed(failed)]
        };
        for line in lines {
            failure = failure.or_else(|| log.write(&line).err());
            results.add(line);
        }
        say!("{}", report::text::row(row, &results));
    }
    if process::interrupted() {
        progress.say("interrupted: the report has what there was");
    }
    say!("{}", report::text::summary(table, &results));
    // A full disk costs the files, not the figures: they have been printed.
    failure = failure.or_else(|| keep(options, table, &results).err());
    match failure {
        Some(message) => return Err(Trouble::Failed(format!("{message} (the figures stand above)"))),
        None => say!(
            "\n{} in {}\n",
            options.out.join("index.html").display(),
            progress::span(begin.elapsed().as_secs_f64())
        ),
    }
    let ours = results.failed.iter().any(|f| table::is_leat(&f.system));
    Ok(if ours { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The report, and the history with one run more.
fn keep(options: &Options, table: &Table, results: &Results) -> Result<(), String> {
    report::write(&options.out, table, results)?;
    if !results.figures.is_empty() {
        let mut history = Writer::open(&options.out.join("history.jsonl"), false)?;
        history.write(&Line::Run(results.run.clone()))?;
        results.figures.iter().try_for_each(|figure| history.write(&Line::Figure(figure.clone())))?;
    }
    Ok(())
}
