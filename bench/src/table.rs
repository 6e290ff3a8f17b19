//! The rows as data: `documents.toml`, `tools.toml` and each folder's `rows.toml` -> the table of what is measured.
//!
//! A folder of programs describes its rows itself, so a new row is a file beside its programs and no line of Rust.
//! docs/lab/adding.md says what the fields mean; a field that is not known is an error with its place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Folder {
    #[serde(default)]
    system: Vec<System>,
    #[serde(default)]
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Documents {
    document: Vec<Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    tool: Vec<Tool>,
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
    /// `{arguments}` in the commands.
    #[serde(default)]
    pub arguments: String,
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

impl Sweep {
    pub fn all(&self) -> Vec<f64> {
        if !self.values.is_empty() || self.factor <= 1.0 {
            return self.values.clone();
        }
        // Whole numbers, rounded down: so the documents' series end where they say.
        std::iter::successors(Some(self.from), |x| Some((x * self.factor).floor()))
            .take_while(|x| *x <= self.to)
            .collect()
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

/// What Leat's figures must keep. It is met if one of `ratio` and `value` is.
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
pub enum Kind {
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
    pub kind: Kind,
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

/// Reads the tables below a folder of programs.
pub fn read(programs: &Path) -> Result<Table, String> {
    let documents: Documents = file(&programs.join("documents.toml"))?;
    let tools: Tools = file(&programs.join("tools.toml"))?;
    let mut rows = Vec::new();
    let entries = std::fs::read_dir(programs).map_err(|e| format!("{}: {e}", programs.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    for folder in folders {
        let path = folder.join("rows.toml");
        if !path.exists() {
            continue;
        }
        let mut table: Folder = file(&path)?;
        table.system.iter_mut().for_each(|system| system.folder = folder.clone());
        for mut row in table.row {
            let id = row.id.clone();
            let wrong = |what: String| format!("{}: row {id}: {what}", path.display());
            for name in &row.systems {
                let system = table
                    .system
                    .iter()
                    .find(|system| system.key == *name || system.key.is_empty() && system.name == *name);
                row.ways.push(system.ok_or_else(|| wrong(format!("there is no system {name}")))?.clone());
            }
            row.systems = row.ways.iter().map(|system| system.name.clone()).collect();
            let known = |name: &String| row.names.iter().any(|n| n.name == *name);
            let bars = row.bars.iter().map(|bar| &bar.name).chain(row.bars.iter().map(|bar| &bar.of));
            if let Some(name) = bars.filter(|name| !name.is_empty()).find(|name| !known(name)) {
                return Err(wrong(format!("a bar is about {name}, which is not among its names")));
            }
            let systems = row.bars.iter().flat_map(|bar| bar.best.iter().chain([&bar.system, &bar.to]));
            let systems = systems.chain(row.plots.iter().flat_map(|plot| &plot.systems));
            let systems = systems.chain(row.series.iter().map(|series| &series.system));
            if let Some(name) = systems.filter(|name| !name.is_empty()).find(|name| !row.systems.contains(name)) {
                return Err(wrong(format!("{name} is not among its systems")));
            }
            row.folder = folder.clone();
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| key(&row.id));
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(format!("there are two rows {}", pair[0].id));
    }
    Ok(Table { documents: documents.document, tools: tools.tool, rows })
}

/// A2 stands before A10, and A4 before A4-spawns.
fn key(id: &str) -> (String, u32, String) {
    let letters: String = id.chars().take_while(|c| c.is_alphabetic()).collect();
    let digits: String = id[letters.len()..].chars().take_while(char::is_ascii_digit).collect();
    let rest = id[letters.len() + digits.len()..].to_string();
    (letters, digits.parse().unwrap_or(u32::MAX), rest)
}

fn file<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
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
    fn rows_are_sorted_by_number() {
        let mut ids = ["A10", "B1", "A4-live", "A4", "A2"];
        ids.sort_by_key(|id| key(id));
        assert_eq!(ids, ["A2", "A4", "A4-live", "A10", "B1"]);
    }

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

    /// The tables that are delivered can be read, and each row's document is there.
    #[test]
    fn the_tables_of_the_tree() {
        let table = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")).unwrap();
        for row in &table.rows {
            assert!(table.documents.iter().any(|d| row.id.starts_with(&d.letter)), "{}: no document", row.id);
        }
    }
}
