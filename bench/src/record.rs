//! What a run leaves behind: JSON lines, one for the run, one for each figure, series and failure.
//!
//! A file of a run has one `run` line at its head; the history has many, each with its figures behind it. `store.rs`
//! reads and writes the files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::say::plain;

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
    /// There was no end: the file has what was measured until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Interrupted>,
}

/// How a run ended before its end.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Interrupted {
    /// SIGINT (Ctrl-C), SIGTERM or SIGHUP.
    pub by: String,
    /// The row that has fewer rounds, or fewer systems, than the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The rows of which nothing was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
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
    /// It has figures all the same: the reason says what was odd about what it printed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub note: bool,
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
    /// What programs printed is made plain here: so it is for a terminal and for a page, from a run and from a file.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Run(mut run) => {
                run.tools.values_mut().for_each(|used| used.version = plain(&used.version));
                self.run = run;
            }
            Line::Part(part) => self.parts.push(part),
            Line::Figure(figure) => self.figures.push(figure),
            Line::Series(mut series) => {
                series.name = plain(&series.name);
                series.marks.iter_mut().for_each(|mark| mark.2 = plain(&mark.2));
                self.series.push(series);
            }
            Line::Failed(mut failed) => {
                (failed.system, failed.reason) = (plain(&failed.system), plain(&failed.reason));
                self.failed.push(failed);
            }
        }
    }

    /// Whether there is a figure or a point of a row.
    pub fn has(&self, row: &str) -> bool {
        self.figures.iter().any(|f| f.row == row) || self.series.iter().any(|s| s.row == row)
    }

    /// A sentence for each run of it that was interrupted. A row that another run measured instead is no loss.
    pub fn interruptions(&self) -> Vec<String> {
        let taken = |row: &&String| self.parts.iter().any(|part| part.rows.contains(row));
        let own = (&self.run, self.run.interrupted.as_ref().and_then(|i| i.within.as_ref()).filter(|row| !taken(row)));
        let parts = self.parts.iter().map(|part| {
            let within = part.run.interrupted.as_ref().and_then(|i| i.within.as_ref());
            (&part.run, within.filter(|row| part.rows.contains(row)))
        });
        let sentence = |(run, within): (&Run, Option<&String>)| {
            let interrupted = run.interrupted.as_ref()?;
            let before: Vec<&str> =
                interrupted.before.iter().map(String::as_str).filter(|row| !self.has(row)).collect();
            let mut text = match self.parts.len() {
                0 => format!("The run was interrupted ({})", interrupted.by),
                _ => format!("The run of {} was interrupted ({})", run.time, interrupted.by),
            };
            if let Some(row) = within {
                text += &format!("; of {row} there is a part");
            }
            if !before.is_empty() {
                text += &format!("; not measured: {}", before.join(", "));
            }
            Some(text + ".")
        };
        [own].into_iter().chain(parts).filter_map(sentence).collect()
    }

    /// The rows of another run take the place of those of the same name: a report of many hours can be measured in
    /// pieces. Within a row all systems are of one run.
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
}
