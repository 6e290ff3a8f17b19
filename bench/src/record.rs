//! What a run leaves behind: JSON lines, one for the run, one for each figure, series and failure.
//!
//! A file of a run has one `run` line at its head; the history has many, each with its figures behind it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    Run(Run),
    Part(Part),
    Figure(Figure),
    Series(Series),
    Failed(Failed),
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Run {
    /// Its time, as 2026-11-22T18:00:00Z.
    pub time: String,
    pub commit: String,
    /// The tree had changes that are in no commit.
    pub changed: bool,
    pub quick: bool,
    pub rounds: usize,
    pub machine: Machine,
    /// Path and version of each tool that was used.
    pub tools: BTreeMap<String, Used>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub memory_mb: u64,
    pub system: String,
    pub open_files: u64,
    /// Processes that wanted to run, on average of the last minute, when the run began.
    pub load: f64,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Used {
    pub path: String,
    pub version: String,
}

/// The samples of one name of one system, at one x.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Figure {
    pub row: String,
    pub system: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    pub name: String,
    pub unit: String,
    pub samples: Vec<f64>,
    /// Processes that shared x among them, where one was not allowed so many files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<usize>,
}

/// Every point of one run: index, value, and where there were too many, the largest value of those that share a point.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Series {
    pub row: String,
    pub system: String,
    pub name: String,
    pub unit: String,
    pub points: Vec<(f64, f64, f64)>,
    /// Points whose cause is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(f64, f64, String)>,
    pub count: usize,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Failed {
    pub row: String,
    pub system: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    pub reason: String,
}

/// Rows that come from another run than the others of a file: see [`Results::join`].
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Part {
    pub rows: Vec<String>,
    pub run: Run,
}

/// A run with all that was measured in it.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub run: Run,
    pub parts: Vec<Part>,
    pub figures: Vec<Figure>,
    pub series: Vec<Series>,
    pub failed: Vec<Failed>,
}

impl Results {
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Run(run) => self.run = run,
            Line::Part(part) => self.parts.push(part),
            Line::Figure(figure) => self.figures.push(figure),
            Line::Series(series) => self.series.push(series),
            Line::Failed(failed) => self.failed.push(failed),
        }
    }

    /// The rows of another run take the place of those of the same name: a report of many hours can be measured in pieces.
    /// Within a row all systems are of one run.
    pub fn join(&mut self, other: Results) {
        let mut rows: Vec<String> = Vec::new();
        let named = other.figures.iter().map(|f| &f.row).chain(other.series.iter().map(|s| &s.row));
        for row in named.chain(other.failed.iter().map(|f| &f.row)) {
            if !rows.contains(row) {
                rows.push(row.clone());
            }
        }
        let is_kept = |row: &String| !rows.contains(row);
        self.figures.retain(|f| is_kept(&f.row));
        self.series.retain(|s| is_kept(&s.row));
        self.failed.retain(|f| is_kept(&f.row));
        for part in &mut self.parts {
            part.rows.retain(is_kept);
        }
        self.parts.retain(|part| !part.rows.is_empty());
        for (name, used) in &other.run.tools {
            self.run.tools.entry(name.clone()).or_insert_with(|| used.clone());
        }
        self.figures.extend(other.figures);
        self.series.extend(other.series);
        self.failed.extend(other.failed);
        // What was joined before stays apart.
        rows.retain(|row| !other.parts.iter().any(|part| part.rows.contains(row)));
        if !rows.is_empty() {
            self.parts.push(Part { rows, run: other.run });
        }
        self.parts.extend(other.parts);
    }

    /// All of it, as a file has it.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = vec![Line::Run(self.run.clone())];
        lines.extend(self.parts.iter().cloned().map(Line::Part));
        lines.extend(self.figures.iter().cloned().map(Line::Figure));
        lines.extend(self.series.iter().cloned().map(Line::Series));
        lines.extend(self.failed.iter().cloned().map(Line::Failed));
        lines
    }

    pub fn samples(&self, row: &str, system: &str, name: &str, x: Option<f64>) -> Option<&[f64]> {
        let is = |f: &&Figure| f.row == row && f.system == system && f.name == name && f.x == x;
        self.figures.iter().find(is).map(|f| f.samples.as_slice())
    }
}

/// All runs of a file.
pub fn read(path: &Path) -> Result<Vec<Results>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut runs: Vec<Results> = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        // A disk that was full leaves half a line at the end.
        let line: Line = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(_) if i + 1 == text.lines().count() && !text.ends_with('\n') => break,
            Err(e) => return Err(format!("{}:{}: {e}", path.display(), i + 1)),
        };
        if matches!(line, Line::Run(_)) {
            runs.push(Results::default());
        }
        match runs.last_mut() {
            Some(run) => run.add(line),
            None => return Err(format!("{}: its first line is no run", path.display())),
        }
    }
    if runs.is_empty() { Err(format!("{}: there is no run in it", path.display())) } else { Ok(runs) }
}

/// A file that grows line by line, so that what has been measured is kept whatever happens.
pub struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// `anew`: what the file had is gone.
    pub fn open(path: &Path, anew: bool) -> Result<Writer, String> {
        let options = OpenOptions::new().create(true).write(true).append(!anew).truncate(anew).clone();
        let file = options.open(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Writer { path: path.to_path_buf(), file })
    }

    pub fn write(&mut self, line: &Line) -> Result<(), String> {
        let text = serde_json::to_string(line).map_err(|e| e.to_string())? + "\n";
        self.file.write_all(text.as_bytes()).map_err(|e| format!("{}: {e}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_later_run_take_the_place_of_earlier_ones() {
        let of = |commit: &str, rows: &[&str]| Results {
            run: Run { commit: commit.into(), ..Run::default() },
            figures: rows
                .iter()
                .map(|&row| Figure { row: row.into(), name: commit.into(), ..Figure::default() })
                .collect(),
            ..Results::default()
        };
        let mut all = of("one", &["A1", "E1", "E2"]);
        all.join(of("two", &["E1", "E2"]));
        all.join(of("three", &["E2", "C2"]));
        let mut rows: Vec<(&str, &str)> = all.figures.iter().map(|f| (f.row.as_str(), f.name.as_str())).collect();
        rows.sort_unstable();
        assert_eq!(rows, [("A1", "one"), ("C2", "three"), ("E1", "two"), ("E2", "three")]);
        let parts: Vec<(&str, &[String])> = all.parts.iter().map(|p| (p.run.commit.as_str(), &p.rows[..])).collect();
        assert_eq!(parts, [("two", &["E1".to_string()][..]), ("three", &["E2".to_string(), "C2".to_string()][..])]);
        // It comes back as it was written.
        let mut again = Results::default();
        all.lines().into_iter().for_each(|line| again.add(line));
        assert_eq!((again.parts, again.figures), (all.parts, all.figures));
    }

    #[test]
    fn lines_come_back() {
        let figure = Figure { row: "A1".into(), x: Some(5.0), samples: vec![1.0, 2.5], ..Figure::default() };
        let lines = [Line::Run(Run { commit: "abc".into(), ..Run::default() }), Line::Figure(figure.clone())];
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results");
        let mut writer = Writer::open(&path, true).unwrap();
        lines.iter().for_each(|line| writer.write(line).unwrap());
        // The disk is full in the middle of a line.
        writer.file.write_all(b"{\"figure\":{\"row\":\"A2\"").unwrap();
        let runs = read(&path).unwrap();
        assert_eq!((runs.len(), runs[0].run.commit.as_str()), (1, "abc"));
        assert_eq!(runs[0].figures, [figure]);
    }
}
