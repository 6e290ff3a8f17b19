//! `leat bench`: the project's `*_bench.sml` files -> how long each function takes, beside what the last run has found.
//!
//! The files run one after the other, each in a process of its own (`leat test-file`), so that none disturbs another.
//! The figures are kept in `.leat/bench.json` of the project's folder. What is measured is in
//! `lib/leat-test/bench.sml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use leat_driver::project;
use leat_driver::say::{show, tell};
use serde_json::{Value, json};

use crate::test::discover::{self, TestFile};
use crate::{flag, interrupt, usage};

/// Quartiles in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Figure {
    low: f64,
    median: f64,
    high: f64,
}

/// How often it is looked whether a file's process has ended.
const PERIOD: Duration = Duration::from_millis(20);

/// By file, and the name in it.
type Figures = BTreeMap<String, Figure>;

pub fn command() -> Command {
    let value = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).require_equals(true).help(help)
    };
    Command::new("bench")
        .about("Measures the project's benchmarks, and compares with the last run")
        .after_help("Files `*_bench.sml` call `Bench.run`; `bench.mlb` and `*_bench.mlb` are for those with needs of their own.")
        .arg(
            Arg::new("file")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("files, or folders with such files; nothing: the folder's project"),
        )
        .arg(value("filter", "TEXT", "only functions with this in their name"))
        .arg(
            value("time", "MILLISECONDS", "how long a function is measured [default: 1000]")
                .value_parser(clap::value_parser!(u32).range(1..=600_000)),
        )
        .arg(value("workers", "N|auto", "worker threads of the program"))
        .arg(flag("no-save", "the next run is not compared with this one"))
        .arg(value("message-format", "FORMAT", "on standard output: human, or json: an object a line").value_parser(["human", "json"]))
}

pub fn run(matches: &ArgMatches) -> u8 {
    interrupt::catch();
    let named: Vec<PathBuf> = matches.get_many::<PathBuf>("file").into_iter().flatten().cloned().collect();
    let files = match discover::find(&named, "bench") {
        Ok(files) => files,
        Err(message) => return usage(&message),
    };
    let kept = kept_in();
    let mut last = match read(&kept) {
        Ok(last) => last,
        Err(message) => {
            tell(&format!("leat: {message}; nothing is compared\n"));
            Figures::new()
        }
    };
    let json = matches.get_one::<String>("message-format").is_some_and(|format| format == "json");
    let (mut failed, mut measured) = (false, false);
    for file in &files {
        match measure(matches, file) {
            Ok((rows, end)) => {
                measured |= !rows.is_empty();
                if !json && !rows.is_empty() {
                    show(&format!("{}\n", file.path.display()));
                }
                let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
                for (name, figure) in rows {
                    let key = format!("{}: {name}", in_project(&file.path, &kept));
                    let before = last.insert(key, figure);
                    show(&if json {
                        json_line(file, &name, figure, before)
                    } else {
                        line(&name, width, figure, before)
                    });
                }
                // What was measured before it stays.
                if let Some(message) = end {
                    tell(&format!("leat: {}: {message}\n", file.path.display()));
                    failed = true;
                }
            }
            Err(message) => {
                tell(&format!("leat: {}: {message}\n", file.path.display()));
                failed = true;
            }
        }
    }
    if let Some(filter) = matches.get_one::<String>("filter").filter(|_| !measured && !failed) {
        tell(&format!("leat: no benchmark of these files has `{filter}` in its name\n"));
        failed = true;
    }
    if !matches.get_flag("no-save")
        && let Err(error) = save(&kept, &last)
    {
        tell(&format!("leat: {}: {error}\n", kept.display()));
        failed = true;
    }
    u8::from(failed)
}

/// The figures of a file, and how it ended if that is not well.
type Measured = (Vec<(String, Figure)>, Option<String>);

/// Runs one file.
fn measure(matches: &ArgMatches, file: &TestFile) -> Result<Measured, String> {
    let project = file.project.clone()?;
    let report = tempfile::NamedTempFile::new().map_err(|error| format!("cannot make a scratch file: {error}"))?;
    let leat = std::env::current_exe().map_err(|error| format!("cannot find Leat itself: {error}"))?;
    let mut command = Process::new(leat);
    command.arg("test-file");
    command.args(matches.get_one::<String>("workers").map(|n| format!("--workers={n}")));
    command.args(project).arg(&file.path).env("LEAT_BENCH_REPORT", report.path());
    if let Some(filter) = matches.get_one::<String>("filter") {
        command.env("LEAT_BENCH_FILTER", filter);
    }
    if let Some(time) = matches.get_one::<u32>("time") {
        command.env("LEAT_BENCH_TIME", time.to_string()).env("LEAT_BENCH_WARM_UP", (time / 5).to_string());
    }
    leat_profile::end_with_parent(&mut command, libc::SIGKILL);
    let mut child = command.spawn().map_err(|error| format!("cannot start a process: {error}"))?;
    let status = loop {
        if interrupt::is_wanted() {
            let _ = child.kill();
            let _ = child.wait();
            drop(report);
            interrupt::end_by_it();
            return Err("interrupted".to_string());
        }
        match child.try_wait().map_err(|error| format!("cannot wait for a process: {error}"))? {
            Some(status) => break status,
            None => std::thread::sleep(PERIOD),
        }
    };
    let text = std::fs::read_to_string(report.path()).map_err(|error| format!("no figures: {error}"))?;
    let end = match (status.success(), status.code()) {
        (true, _) => None,
        (false, Some(code)) => Some(format!("it has ended with exit code {code}")),
        (false, None) => Some(format!("it has ended with {status}")),
    };
    Ok((text.lines().filter_map(row).collect(), end))
}

/// name, quartiles, the least, how many samples, how many calls each.
fn row(line: &str) -> Option<(String, Figure)> {
    let words: Vec<&str> = line.split('\t').collect();
    let [name, low, median, high, ..] = words[..] else { return None };
    let figure = Figure { low: low.parse().ok()?, median: median.parse().ok()?, high: high.parse().ok()? };
    Some((name.to_string(), figure))
}

fn line(name: &str, width: usize, now: Figure, before: Option<Figure>) -> String {
    let spread = format!("({} to {})", time(now.low), time(now.high));
    let change = before.map_or(String::new(), |before| format!("  {}", change(now, before)));
    format!("  {name:width$}  {:>9}  {spread:24}{change}\n", time(now.median)).replace(" \n", "\n")
}

/// Is it faster or slower than it was? Where the middle halves of the samples overlap nothing is claimed.
fn change(now: Figure, before: Figure) -> String {
    if now.low <= before.high && before.low <= now.high {
        return format!("as before ({})", time(before.median));
    }
    let (ratio, word) = match now.median / before.median {
        ratio if ratio < 1.0 => (1.0 / ratio, "faster"),
        ratio => (ratio, "slower"),
    };
    format!("{ratio:.2} times {word} than before ({})", time(before.median))
}

/// Three digits and a unit.
fn time(nanos: f64) -> String {
    let (value, unit) = match nanos {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

fn json_line(file: &TestFile, name: &str, now: Figure, before: Option<Figure>) -> String {
    let line = json!({
        "event": "bench", "file": file.path.display().to_string(), "name": name, "nanoseconds": value(now),
        "before": before.map(value),
    });
    format!("{line}\n")
}

// -- what is kept

fn kept_in() -> PathBuf {
    let folder = project::find(Path::new(".")).map(|project| project.folder).unwrap_or_default();
    folder.join(".leat/bench.json")
}

/// A file's name from the project's folder on, from whichever folder it is measured.
fn in_project(file: &Path, kept: &Path) -> String {
    let project = kept.ancestors().nth(2).filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let inside = match (file.canonicalize(), project.canonicalize()) {
        (Ok(file), Ok(project)) => file.strip_prefix(project).map(Path::to_path_buf).unwrap_or(file),
        _ => file.to_path_buf(),
    };
    inside.display().to_string()
}

fn value(figure: Figure) -> Value {
    json!({"low": figure.low, "median": figure.median, "high": figure.high})
}

fn read(path: &Path) -> Result<Figures, String> {
    let broken = |reason: &dyn std::fmt::Display| format!("{}: {reason}", path.display());
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Figures::new()),
        Err(error) => return Err(broken(&error)),
    };
    let kept: Value = serde_json::from_str(&text).map_err(|error| broken(&error))?;
    let rows = kept.as_object().ok_or_else(|| broken(&"not what `leat bench` writes"))?;
    let figure = |row: &Value| {
        let part = |name: &str| row.get(name)?.as_f64();
        Some(Figure { low: part("low")?, median: part("median")?, high: part("high")? })
    };
    Ok(rows.iter().filter_map(|(name, row)| Some((name.clone(), figure(row)?))).collect())
}

fn save(path: &Path, figures: &Figures) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let rows: serde_json::Map<String, Value> =
        figures.iter().map(|(name, figure)| (name.clone(), value(*figure))).collect();
    let text = serde_json::to_string_pretty(&Value::Object(rows)).map_err(std::io::Error::other)?;
    std::fs::write(path, text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons() {
        let figure = |median: f64| Figure { low: median * 0.9, median, high: median * 1.1 };
        assert_eq!(change(figure(100.0), figure(105.0)), "as before (105 ns)");
        assert_eq!(change(figure(100.0), figure(2000.0)), "20.00 times faster than before (2.00 µs)");
        assert_eq!(change(figure(3e6), figure(1.5e6)), "2.00 times slower than before (1.50 ms)");
    }
}
