//! The rows that are asked for -> their figures, on the terminal and in the files of a folder, and an exit code.
//!
//! Until something has been measured the files of the folder's last run stay as they are.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::machine;
use crate::options::Options;
use crate::place::{self, Lab};
use crate::process;
use crate::progress::{self, Progress};
use crate::record::{Failed, Interrupted, Line, Results, Run, Used};
use crate::report;
use crate::rounds::{Outcome, Plan};
use crate::store::{self, Log};
use crate::table::{self, Row, System, Table};
use crate::tools;

pub fn measure(options: &Options, table: &Table, rows: &[&Row]) -> Result<ExitCode, String> {
    process::catch_interrupts();
    // What cannot be written is told before an hour of measuring, not behind it.
    std::fs::create_dir_all(&options.out).map_err(|e| format!("{}: {e}", options.out.display()))?;
    let _lock = store::lock(&options.out)?;
    let place = match Lab::find(&options.programs) {
        // Ctrl-C ends the C compiler, too.
        Err(_) if process::interrupted() => return Ok(nothing(options)),
        place => place?,
    };
    let ways = || rows.iter().flat_map(|row| &row.ways);
    ways().try_for_each(|way| are_built(way, &place))?;
    let mut log = Log::begin(&options.out.join("run.jsonl"))?;
    let begin = Instant::now();
    let of_rows = rows.iter().flat_map(|row| tools::tools_in(&row.prepare, &table.tools));
    let used: Vec<String> = ways().flat_map(|way| tools::tools_of(way, &table.tools)).chain(of_rows).collect();
    let tools = tools::find_tools(&place, &table.tools, &used, &options.peers, &mut Progress::new(0));
    let mut run = description(options);
    for (name, found) in tools.iter().filter_map(|(name, found)| Some((name, found.as_ref().ok()?))) {
        run.tools.insert(name.clone(), Used { path: place.shown(&found.path), version: found.version.clone() });
    }
    let plan = Plan {
        place: &place,
        tools: &tools,
        rounds: run.rounds,
        quick: options.quick,
        open_files: run.machine.open_files,
        table_tools: &table.tools,
        built: Default::default(),
    };
    let mut failure = log.write(&Line::Run(run.clone())).err();
    let mut results = Results::default();
    results.add(Line::Run(run));
    let mut cut = Cut::default();
    if failure.is_none() {
        failure = all(&plan, rows, &mut log, &mut results, &mut cut).err();
    }
    let has_any = rows.iter().any(|row| results.has(&row.id));
    if process::interrupted() && !has_any && failure.is_none() {
        return Ok(nothing(options));
    }
    // A signal behind the last row is too late to cut anything.
    let interruption = process::interruption().filter(|_| cut.within.is_some() || !cut.before.is_empty());
    if let Some((by, _)) = interruption {
        results.run.interrupted = Some(Interrupted { by: by.to_string(), within: cut.within, before: cut.before });
        tell!("interrupted: the report has what there was\n");
    }
    say!("{}", report::text::summary(table, &results));
    // A full disk costs the files, not the figures: they have been printed.
    failure = failure.or_else(|| log.keep().err());
    failure = failure.or_else(|| keep(&options.out, table, &results).err());
    if let Some(message) = failure {
        return Err(message + if has_any { " (the figures stand above)" } else { "" });
    }
    let span = progress::span(begin.elapsed().as_secs_f64());
    say!("\n{} in {span}\n", options.out.join("index.html").display());
    let has_failed = results.failed.iter().any(|f| table::is_leat(&f.system) && !f.note);
    Ok(match process::interruption() {
        Some((_, code)) => ExitCode::from(code),
        None if has_failed => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    })
}

/// The rows, one after the other, each in the log and on the terminal; an error is a log that cannot be written.
fn all(plan: &Plan, rows: &[&Row], log: &mut Log, results: &mut Results, cut: &mut Cut) -> Result<(), String> {
    let is_measured = |row: &Row| !plan.quick || row.long.is_empty();
    let mut progress = Progress::new(rows.iter().filter(|row| is_measured(row)).map(|row| plan.runs(row)).sum());
    for (i, row) in rows.iter().enumerate() {
        if process::interrupted() {
            cut.before.push(row.id.clone());
            continue;
        }
        progress.row(&row.id, &row.title, i + 1, rows.len());
        let outcome = if is_measured(row) {
            plan.row(row, &mut progress)
        } else {
            let reason = format!("not with --quick: {}", row.long);
            let left_out = Failed { row: row.id.clone(), reason, ..Default::default() };
            Outcome { lines: vec![Line::Failed(left_out)], is_whole: true }
        };
        progress.clear();
        let has_any = outcome.lines.iter().any(|line| matches!(line, Line::Figure(_) | Line::Series(_)));
        if !outcome.is_whole {
            // The last row; of the others nothing is measured.
            if !has_any {
                cut.before.push(row.id.clone());
                continue;
            }
            cut.within = Some(row.id.clone());
        }
        let mut failure = None;
        for line in outcome.lines {
            failure = failure.or_else(|| log.write(&line).err());
            results.add(line);
        }
        if has_any {
            failure = failure.or_else(|| log.keep().err());
        }
        say!("{}", report::text::row(row, results));
        failure.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// The rows that an interrupted run lacks.
#[derive(Default)]
struct Cut {
    within: Option<String>,
    before: Vec<String>,
}

/// What a system needs of this tree's own programs: told before an hour of measuring, too.
fn are_built(way: &System, place: &Lab) -> Result<(), String> {
    for word in way.build.split_whitespace().chain(way.run.split_whitespace()) {
        if word.contains("{leat}") {
            place::need(&place.leat, "leat")?;
        }
        // What its own command builds with cargo is there later.
        if let Some(program) = word.strip_prefix("{bin}/").filter(|_| !way.build.contains("{own-cargo}")) {
            place::need(&place.leat.with_file_name(program), "leat-bench")?;
        }
    }
    Ok(())
}

/// The end of a run that was interrupted before there was a figure.
fn nothing(options: &Options) -> ExitCode {
    let folder = options.out.display();
    tell!("interrupted before anything was measured: {folder} is as it was\n");
    process::interruption().map_or(ExitCode::FAILURE, |(_, code)| ExitCode::from(code))
}

fn description(options: &Options) -> Run {
    let (commit, changed) = machine::commit(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    Run {
        time: machine::time(),
        commit,
        changed,
        quick: options.quick,
        rounds: options.rounds.unwrap_or(if options.quick { 1 } else { 5 }),
        machine: machine::machine(),
        tools: Default::default(),
        interrupted: None,
    }
}

/// The report, and the history with one run more; the run's own file too, if its first line is no longer true.
fn keep(folder: &Path, table: &Table, results: &Results) -> Result<(), String> {
    if results.run.interrupted.is_some() {
        store::replace_lines(&folder.join("run.jsonl"), &results.lines())?;
    }
    report::write(folder, table, results)?;
    if !results.figures.is_empty() {
        let figures = results.figures.iter().cloned().map(Line::Figure);
        let lines: Vec<Line> = [Line::Run(results.run.clone())].into_iter().chain(figures).collect();
        store::append(&folder.join("history.jsonl"), &lines)?;
    }
    Ok(())
}
