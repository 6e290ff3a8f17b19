//! The lab: every table and figure of the documents, measured beside C and the peers, drawn beside the published one.
//!
//! `cargo run --release -p leat-bench -- [ROW ...]` builds the programs of the rows, runs them in rounds, and leaves
//! `index.html`, `run.jsonl` and `history.jsonl` in a folder. docs/lab says what each row is, and how a row is added.

/// Text for whoever reads standard output, and for the terminal: see `say.rs`.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::out(format_args!($($text)*)) };
}

/// Text for the terminal: what goes on, and what went wrong.
macro_rules! tell {
    ($($text:tt)*) => { $crate::say::err(format_args!($($text)*)) };
}

mod check;
mod compare;
mod docs;
mod figure;
mod fresh;
mod history;
mod judge;
mod machine;
mod options;
mod place;
mod printed;
mod process;
mod progress;
mod read;
mod record;
mod report;
mod rounds;
mod run;
mod say;
mod stats;
mod store;
mod table;

mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::{Action, Instead, Options};
use place::Lab;
use progress::Progress;
use record::Results;
use table::{Row, Table};
use tools::Peers;

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
    let done = match options::options(std::env::args_os().skip(1)) {
        Ok(options) => act(&options),
        Err(Instead::Help(text)) => {
            say!("{text}");
            Ok(ExitCode::SUCCESS)
        }
        Err(Instead::Wrong(message)) => Err(Trouble::Usage(message)),
    };
    match done {
        Ok(code) => match say::lost() {
            // What was to be read is not there: no success, whatever else there was.
            Some(error) if code == ExitCode::SUCCESS => {
                tell!("leat-bench: standard output: {error}\n");
                ExitCode::FAILURE
            }
            _ => code,
        },
        Err(Trouble::Usage(message)) => {
            tell!("leat-bench: {message} (--help lists the options)\n");
            ExitCode::from(2)
        }
        Err(Trouble::Failed(message)) => {
            tell!("leat-bench: {message}\n");
            ExitCode::FAILURE
        }
    }
}

fn act(options: &Options) -> Result<ExitCode, Trouble> {
    let table = read::tables(&options.programs)?;
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
        Action::Measure => return Ok(run::measure(options, &table, &rows)?),
        Action::List => return list(options, &table, &rows),
        Action::History => return Ok(history::draw(&options.out, &rows, &options.rows)?),
        Action::Compare(a, b) => return Ok(compare::compare(&options.out, &rows, &options.rows, a, b)?),
        Action::Report(file) => {
            let run = last_run(file)?;
            make_folder(&options.out)?;
            report::write(&options.out, &table, &run)?;
            run.interruptions().iter().for_each(|line| say!("{line}\n"));
            say!("{}\n", options.out.join("index.html").display());
        }
        Action::Join(files) => join(options, &table, files)?,
        Action::Docs(page) => {
            page.parent().map_or(Ok(()), make_folder)?;
            store::replace(page, &docs::rows(&table))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn is_chosen(row: &Row, options: &Options) -> bool {
    options.rows.is_empty() || options.rows.iter().any(|word| row.is_named(word))
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn last_run(file: &Path) -> Result<Results, String> {
    store::read(file)?.pop().ok_or_else(|| format!("{}: no run", file.display()))
}

/// One file and one report of several runs.
fn join(options: &Options, table: &Table, files: &[PathBuf]) -> Result<(), String> {
    let mut all: Option<Results> = None;
    for file in files {
        let run = last_run(file)?;
        match &mut all {
            Some(all) => all.join(run),
            None => all = Some(run),
        }
    }
    let all = all.ok_or("no file")?;
    make_folder(&options.out)?;
    let _lock = store::lock(&options.out)?;
    store::replace_lines(&options.out.join("run.jsonl"), &all.lines())?;
    report::write(&options.out, table, &all)?;
    say!("{}", report::text::summary(table, &all));
    say!("\n{}\n", options.out.join("index.html").display());
    Ok(())
}

fn list(options: &Options, table: &Table, rows: &[&Row]) -> Result<ExitCode, Trouble> {
    for row in rows {
        say!("{:14} {}  [{}]\n", row.id, row.title, row.systems.join(", "));
    }
    say!("\n");
    process::catch_interrupts();
    let place = Lab::find(&options.programs)?;
    let all: Vec<String> = table.tools.iter().map(|tool| tool.name.clone()).collect();
    for (name, found) in tools::find_tools(&place, &table.tools, &all, &options.peers, &mut Progress::new(0)) {
        match found {
            Ok(found) => say!("{name:14} {}  {}\n", found.path, found.version),
            Err(reason) => say!("{name:14} -  {reason}\n"),
        }
    }
    Ok(process::interruption().map_or(ExitCode::SUCCESS, |(_, code)| ExitCode::from(code)))
}
