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

/// A run with all that was measured in it.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub run: Run,
    pub figures: Vec<Figure>,
    pub series: Vec<Series>,
    pub failed: Vec<Failed>,
}

impl Results {
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Run(run) => self.run = run,
            Line::Figure(figure) => self.figures.push(figure),
            Line::Series(series) => self.series.push(series),
            Line::Failed(failed) => self.failed.push(failed),
        }
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
    fn lines_come_back() {
        let figure = Figure { row: "A1".into(), x: Some(5.0), samples: vec![1.0, 2.5], ..Figure::default() };
        let lines = [Line::Run(Run { commit: "abc".into(), ..Run::default() }), Line::Figure(figure.clone())];
        let path = std::env::temp_dir().join(format!("leat-bench-record-{}", std::process::id()));
        let mut writer = Writer::open(&path, true).unwrap();
        lines.iter().for_each(|line| writer.write(line).unwrap());
        // The disk is full in the middle of a line.
        writer.file.write_all(b"{\"figure\":{\"row\":\"A2\"").unwrap();
        let runs = read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((runs.len(), runs[0].run.commit.as_str()), (1, "abc"));
        assert_eq!(runs[0].figures, [figure]);
    }
}
