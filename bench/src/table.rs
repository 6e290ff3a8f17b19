//! The rows as data: what is measured, with which programs of which systems, and what it is compared with.
//!
//! docs/lab/adding.md says what the fields mean; `read.rs` reads them, and a field that is not known is an error with
//! its place; `check.rs` refuses what no run could do anything with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// All of the lab.
pub struct Table {
    pub documents: Vec<Document>,
    pub tools: Vec<Tool>,
    /// In the order of the report.
    pub rows: Vec<Row>,
}

/// A section of the report.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The first letter of its rows.
    pub letter: String,
    pub title: String,
    /// What was measured, on which machine, when.
    pub about: String,
    /// What the measurements mean, for who uses Leat.
    pub lesson: String,
    /// Names that all of its rows have: for each a table and a drawing of all rows.
    #[serde(default)]
    pub overview: Vec<String>,
}

impl Document {
    pub fn has(&self, row: &str) -> bool {
        row.starts_with(&self.letter)
    }
}

/// A program that is looked for in the path: `{name}` in a command.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    /// What `--peers` calls it. Empty: it is needed for Leat itself and for the reference.
    #[serde(default)]
    pub peer: String,
    pub program: String,
    /// A command that prints the real executable, where `program` may be a script in front of it.
    #[serde(default)]
    pub resolve: String,
    /// A command whose first line of output names the version.
    #[serde(default)]
    pub version: String,
    /// Lines for `sh -c` which must succeed, or the tool is not there, and what to say then.
    #[serde(default)]
    pub check: String,
    #[serde(default)]
    pub lacks: String,
    /// How it is installed.
    #[serde(default)]
    pub install: String,
}

/// How a program is measured.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// It measures itself and prints lines `name value`.
    #[default]
    Prints,
    /// As `prints`; besides `cpu`, its CPU time divided by `{n}` in nanoseconds, and `resident`, the most memory in KB.
    Usage,
    /// The whole process is timed from its start to its end, in nanoseconds, under the first name of the row.
    Process,
}

/// One system's way of running a row's program.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// What a row calls it, where it is not the name: two rows may have different programs of one system.
    #[serde(default)]
    pub key: String,
    /// What the report calls it.
    pub name: String,
    /// Commands, one a line. The words in braces are filled in, see [`crate::tools::Words`].
    #[serde(default)]
    pub build: String,
    /// Empty: it is there for a series only.
    #[serde(default)]
    pub run: String,
    #[serde(default)]
    pub measure: Measure,
    /// `theirs = ours`: a name that this system prints and the row's name for it.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// Those of the row's names that it prints, where it does not print all: the report says what else is missing.
    #[serde(default)]
    pub prints: Vec<String>,
    /// The tool, where it does not stand in the commands' braces.
    #[serde(default)]
    pub tool: String,
    /// Two descriptors for each x: above what the limit of open files allows, x is shared among processes.
    #[serde(default)]
    pub shared: bool,
    /// The largest x that it runs at: what would take minutes or all memory is not tried.
    #[serde(default)]
    pub up_to: Option<f64>,
    /// The folder that it stands in.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl System {
    /// What a row calls it.
    pub fn key(&self) -> &str {
        if self.key.is_empty() { &self.name } else { &self.key }
    }
}

/// A table or a figure.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub id: String,
    pub title: String,
    /// The document's table or figure.
    #[serde(default)]
    pub of: String,
    /// Names of the folder's systems; the first is the reference of ratios, unless it is Leat.
    pub systems: Vec<String>,
    #[serde(default)]
    pub x: Option<Sweep>,
    /// Messages or the like of a run: `{n}`.
    #[serde(default)]
    pub n: Option<Count>,
    /// `{program}` in the commands: rows whose systems differ in the program only share them.
    #[serde(default)]
    pub program: String,
    /// `{arguments}` in the commands.
    #[serde(default)]
    pub arguments: String,
    /// Commands, one a line, that make what the programs read: each once in a run of the lab.
    #[serde(default)]
    pub prepare: String,
    /// A file of the folder: exactly what every system must print. It may have `{program}` in its name.
    #[serde(default)]
    pub expected: String,
    /// A round's figure is the least of its `times` runs, not one figure for each.
    #[serde(default)]
    pub best: bool,
    pub names: Vec<Name>,
    #[serde(default)]
    pub bars: Vec<Bar>,
    #[serde(default)]
    pub plots: Vec<Plot>,
    #[serde(default)]
    pub series: Vec<Series>,
    #[serde(default)]
    pub published: Vec<Published>,
    /// How it was measured.
    pub how: String,
    /// What it means.
    pub means: String,
    /// Why a bar is missed, if it is: what the profile says.
    #[serde(default)]
    pub misses: String,
    /// First rounds that are not counted, and runs in each round that is.
    #[serde(default)]
    pub warm: usize,
    #[serde(default = "one")]
    pub times: usize,
    /// Most seconds that a run and a build may take.
    #[serde(default = "minute")]
    pub seconds: u64,
    #[serde(default = "ten_minutes")]
    pub build_seconds: u64,
    /// Not with `--quick`: the reason.
    #[serde(default)]
    pub long: String,
    #[serde(skip)]
    pub folder: PathBuf,
    /// The systems themselves.
    #[serde(skip)]
    pub ways: Vec<System>,
}

fn one() -> usize {
    1
}

fn minute() -> u64 {
    60
}

fn ten_minutes() -> u64 {
    600
}

/// What a row is measured over: `{x}`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    pub name: String,
    #[serde(default)]
    pub values: Vec<f64>,
    /// From a first value by this factor to a last one.
    #[serde(default)]
    pub from: f64,
    #[serde(default)]
    pub factor: f64,
    #[serde(default)]
    pub to: f64,
    /// Those of `--quick`.
    pub quick: Vec<f64>,
}

/// Most sizes of a row.
pub const MOST_SIZES: usize = 1000;

impl Sweep {
    pub fn all(&self) -> Vec<f64> {
        if !self.values.is_empty() || self.factor <= 1.0 {
            return self.values.clone();
        }
        // Whole numbers, rounded down: so the documents' series end where they say.
        let next = |x: &f64| Some((x * self.factor).floor()).filter(|next| next > x);
        std::iter::successors(Some(self.from), next).take_while(|x| *x <= self.to).take(MOST_SIZES + 1).collect()
    }
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Count {
    #[serde(default)]
    pub per_x: f64,
    pub least: f64,
    pub most: f64,
    /// For each of x at least so often, whatever `most` says.
    #[serde(default)]
    pub each: f64,
    /// Those of `--quick` are the largest of `least` and this share.
    #[serde(default = "whole")]
    pub quick: f64,
}

fn whole() -> f64 {
    1.0
}

impl Count {
    pub fn at(&self, x: f64, quick: bool) -> f64 {
        let count = if self.per_x > 0.0 { self.per_x * x } else { self.most };
        let count = count.clamp(self.least, self.most).max(self.each * x);
        if quick { (count * self.quick).max(self.least).round() } else { count.round() }
    }
}

/// What a program prints.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub struct Name {
    pub name: String,
    pub unit: String,
    /// In words.
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub more_is_better: bool,
}

/// What Leat's figures must keep: `ratio`, `value`, or both.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Bar {
    pub name: String,
    /// One of Leat's systems; all without it.
    #[serde(default)]
    pub system: String,
    /// At these x; at all without it.
    #[serde(default)]
    pub x: Vec<f64>,
    /// The most that the ratio to the system `to` may be, or to the best of `best`; to the reference without either.
    #[serde(default)]
    pub ratio: Option<f64>,
    #[serde(default)]
    pub to: String,
    #[serde(default)]
    pub best: Vec<String>,
    /// Another name of that system, or another x.
    #[serde(default)]
    pub of: String,
    #[serde(default)]
    pub of_x: Option<f64>,
    /// The most (of what is better when there is more: the least) that the value may be; with `over_x`, divided by x.
    #[serde(default)]
    pub value: Option<f64>,
    #[serde(default)]
    pub over_x: bool,
    /// The value is at least so many times what the same system has in another row, at the same x.
    #[serde(default)]
    pub least: Option<Least>,
    /// No figure: each of Leat's systems gives one at each size.
    #[serde(default)]
    pub runs: bool,
}

#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub struct Least {
    pub row: String,
    pub ratio: f64,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    #[default]
    Linear,
    Log,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum PlotKind {
    /// A curve for each system over x.
    Curves,
    /// Groups of bars: a group for each name, a bar for each system.
    Bars,
    /// A dot for each point of the series that are named.
    Dots,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    pub title: String,
    pub kind: PlotKind,
    /// Names, or names of series.
    pub names: Vec<String>,
    /// Those systems only.
    #[serde(default)]
    pub systems: Vec<String>,
    #[serde(default)]
    pub x: Scale,
    #[serde(default)]
    pub y: Scale,
    #[serde(default)]
    pub x_label: String,
    #[serde(default)]
    pub y_label: String,
    /// What is drawn is this divided by the value: 1e9 makes messages a second of nanoseconds.
    #[serde(default)]
    pub inverse: Option<f64>,
    /// Another unit: what is drawn is the value divided by this.
    #[serde(default = "whole")]
    pub divide: f64,
}

/// Runs of which every point is kept. The program prints lines `name index value`, and `mark name index words`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// One of the row's systems, whose build is used.
    pub system: String,
    pub run: String,
    #[serde(default)]
    pub quick: Option<bool>,
}

/// A figure of the document.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The system and its machine.
    pub system: String,
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    /// `name = [[x, value], ...]`.
    #[serde(default)]
    pub points: BTreeMap<String, Vec<(f64, f64)>>,
    /// What the document says in words, or shows in a drawing without numbers.
    #[serde(default)]
    pub words: String,
}

impl Row {
    /// Whether a word of the command line names this row, or the rows (`E1`, `E1-live`) of which it is one.
    pub fn is_named(&self, word: &str) -> bool {
        let (row, word) = (self.id.to_ascii_lowercase(), word.to_ascii_lowercase());
        let rest = row.strip_prefix(&word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') || (word.len() == 1 && !word.is_empty()))
    }

    pub fn xs(&self, quick: bool) -> Vec<Option<f64>> {
        match &self.x {
            None => vec![None],
            Some(sweep) if quick => sweep.quick.iter().map(|x| Some(*x)).collect(),
            Some(sweep) => sweep.all().into_iter().map(Some).collect(),
        }
    }

    /// The file with what its programs must print.
    pub fn expected(&self) -> Option<PathBuf> {
        let name = self.expected.replace("{program}", &self.program);
        (!name.is_empty()).then(|| self.folder.join(name))
    }

    pub fn name(&self, name: &str) -> Option<&Name> {
        self.names.iter().find(|n| n.name == name)
    }
}

pub fn is_leat(system: &str) -> bool {
    system.starts_with("leat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_grows_by_its_factor() {
        let sweep =
            Sweep { name: "pipes".into(), values: vec![], from: 100.0, factor: 1.2, to: 83_898.0, quick: vec![] };
        let all = sweep.all();
        assert_eq!((all[0], all[3], all.last()), (100.0, 172.0, Some(&83_898.0)));
    }

    #[test]
    fn a_count_is_bounded_unless_each_wants_more() {
        let count = Count { per_x: 500.0, least: 30_000.0, most: 500_000.0, each: 50.0, quick: 0.1 };
        let at = [10.0, 100.0, 5_000.0, 20_000.0].map(|x| count.at(x, false));
        assert_eq!(at, [30_000.0, 50_000.0, 500_000.0, 1_000_000.0]);
        assert_eq!(count.at(20_000.0, true), 100_000.0);
    }
}
