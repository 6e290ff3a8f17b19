//! Programs made of `races/functions.table`: each function of the Basis Library on arrays, beside another thread.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A program for one structure.
pub struct Watched {
    pub name: String,
    pub text: String,
    /// The line of its first case.
    pub first: usize,
    /// The lines of the cases in which there is a race.
    pub racy: BTreeSet<usize>,
}

/// What stands before all that the table says.
const USE: &str = "val many = List.length (CommandLine.arguments ()) > 9
fun 'a keep (y : 'a) = let exception Kept of 'a in if many then raise Kept y else () end
";
/// One thread does one thing with what both have, the other one another.
const BOTH: &str = "fun both one other =
  let val a = make () val t = CML.spawn (fn () => one a) in other a; CML.sync (CML.joinEvt t) end
";

#[derive(Default)]
struct Section {
    /// Signatures, each with its file.
    signatures: Vec<(String, String)>,
    /// Structures, each with the type of an element and one.
    structures: Vec<[String; 3]>,
    before: String,
    /// Name, what is used, expression.
    rows: Vec<[String; 3]>,
}

/// The programs, and what has no row.
pub fn programs(tests: &Path) -> (Vec<Watched>, Vec<String>) {
    let table = fs::read_to_string(tests.join("races/functions.table")).expect("the table");
    let sections = sections(&table);
    let lacking = sections.iter().flat_map(|section| section.lacking(tests)).collect();
    let programs = sections.iter().flat_map(|section| section.structures.iter().map(|of| section.program(of)));
    (programs.collect(), lacking)
}

fn sections(table: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line == "section" {
            sections.push(Section::default());
            continue;
        }
        let section = sections.last_mut().expect("a section before its lines");
        let mut rest = line;
        let mut word = || {
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = behind.trim_start();
            word.to_string()
        };
        match word().as_str() {
            "signature" => section.signatures.push((word(), word())),
            "structure" => section.structures.push([word(), word(), rest.to_string()]),
            "|" => section.before += &format!("{rest}\n"),
            name => section.rows.push([name.to_string(), word(), rest.to_string()]),
        }
    }
    sections
}

impl Section {
    /// The values of its signatures that have no row.
    fn lacking(&self, tests: &Path) -> Vec<String> {
        let mut lacking = Vec::new();
        for (file, signature) in &self.signatures {
            let text = fs::read_to_string(tests.join("../lib").join(file)).expect("a file of the library");
            let (_, behind) = text.split_once(&format!("signature {signature} =\n")).expect("the signature");
            let (body, _) = behind.split_once("\nend").expect("its end");
            let values = body.lines().filter_map(|line| line.strip_prefix("  val ")?.split_once(" :"));
            let new = values.filter(|(name, _)| self.rows.iter().all(|[row, ..]| row != name));
            lacking.extend(new.map(|(name, _)| format!("{signature}.{name}")));
        }
        lacking
    }

    fn program(&self, [structure, element, value]: &[String; 3]) -> Watched {
        let mut text = format!("{USE}{}{BOTH}", self.before)
            .replace("STRUCTURE", structure)
            .replace("VECTOR", &structure.replace("Array", "Vector"))
            .replace("ELEMENT", element)
            .replace("VALUE", value);
        let first = text.lines().count() + 1;
        let mut racy = BTreeSet::new();
        let mut line = first;
        for [_, uses, expression] in &self.rows {
            let is_racy = match uses.as_str() {
                "nothing" => [false, false],
                "loads" | "loads-all" => [true, false],
                "stores" | "stores-all" => [true, true],
                other => panic!("races/functions.table: `{other}` is no use"),
            };
            let others = [("store", is_racy[0]), ("load", is_racy[1]), ("far", false)];
            let count = if uses.ends_with("-all") { 2 } else { 3 };
            for (other, is_racy) in others.into_iter().take(count) {
                writeln!(text, "val () = both {other} (fn a => keep ({expression}))").expect("room");
                racy.extend(is_racy.then_some(line));
                line += 1;
            }
        }
        let kind = &self.signatures[0].1;
        Watched { name: format!("{structure}-{}", kind.to_lowercase()), text, first, racy }
    }
}
