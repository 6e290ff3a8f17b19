//! Trees of calls -> the profile's file: lines of text, addresses being functions and lines by now.
//!
//! ```text
//! leat-profile 1
//! kind time
//! unit ns
//! elapsed 1204000000
//! program queens.sml
//! f 0 queens.sml 3 safe                    function: number, file (%20 for a space), line of its definition or 0, name
//! t worker 0                               a tree begins
//! n 1 0 0 5 18000000 18                    node: number, parent (0: none), function, line, weight, how often
//! ```
//!
//! A node is a function with the line where it is: at a call, or where it was interrupted. What was inlined is a node of its
//! own. `leat-profile`, the crate, reads it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use leat_abi::code::{self, CodeTable};

use crate::profile::tree::{Key, LABELS, Tree};
use crate::profile::{Kind, Profile, wait};
use crate::state::runtime::runtime;

/// (function, line).
type Place = (u32, u32);

pub(super) fn text(profile: &Profile, unit: &str, elapsed: Duration, trees: &[(String, Tree)]) -> String {
    let kind = match profile.request.kind {
        Kind::Time => "time",
        Kind::Wait => "wait",
        Kind::Alloc => "alloc",
    };
    let mut file = File {
        text: format!("leat-profile 1\nkind {kind}\nunit {unit}\nelapsed {}\n", elapsed.as_nanos()),
        functions: HashMap::new(),
        defined: HashMap::new(),
        tables: runtime().tables(),
    };
    let _ = writeln!(file.text, "program {}", profile.program.replace('\n', " "));
    file.definitions();
    for (name, tree) in trees {
        file.tree(name, tree);
    }
    file.text
}

struct File {
    text: String,
    /// By name and file.
    functions: HashMap<(String, String), u32>,
    /// Where functions are defined, by name and file.
    defined: HashMap<(String, String), u32>,
    tables: &'static [&'static CodeTable],
}

impl File {
    fn definitions(&mut self) {
        for table in self.tables {
            // SAFETY: the compiler wrote the counts and indices for these arrays.
            unsafe {
                let word = |at: u32, len: u32| {
                    let bytes = core::slice::from_raw_parts(table.text.add(at as usize), len as usize);
                    String::from_utf8_lossy(bytes).into_owned()
                };
                for function in core::slice::from_raw_parts(table.functions, table.function_count) {
                    if function.line > 0 {
                        let name = word(function.name, function.name_len);
                        let file = word(function.file, function.file_len);
                        self.defined.entry((name, file)).or_insert(function.line);
                    }
                }
            }
        }
    }

    fn function(&mut self, name: &str, file: &str) -> u32 {
        let key = (name.to_string(), file.to_string());
        if let Some(&known) = self.functions.get(&key) {
            return known;
        }
        let number = self.functions.len() as u32;
        let line = self.defined.get(&key).copied().unwrap_or(0);
        let file = if file.is_empty() { "?".to_string() } else { file.replace('%', "%25").replace(' ', "%20") };
        let name = name.replace('\n', " ");
        let _ = writeln!(self.text, "f {number} {file} {line} {name}");
        self.functions.insert(key, number);
        number
    }

    /// The places of a node, outermost first.
    fn places(&mut self, key: Key) -> Vec<Place> {
        let mut found: Vec<(&'static str, &'static str, u32)> = Vec::new();
        match key {
            Key::At(pc) => {
                if let Some(table) = code::find(self.tables, pc)
                    && let Some(line) = table.line(pc)
                {
                    let mut push = |name, file, line| found.push((name, file, line));
                    table.each_place_of(line.function, line.line, line.inlined, &mut push);
                }
            }
            Key::Call(pc) => {
                if let Some(table) = code::find(self.tables, pc)
                    && let Some(site) = table.site(pc)
                {
                    table.each_place(site, |name, file, line| found.push((name, file, line)));
                }
            }
            Key::Label(n) if n >= wait::REASONS => {
                let name = format!("[waits: {}]", leat_fiber::reason::name((n - wait::REASONS) as u64));
                return vec![(self.function(&name, ""), 0)];
            }
            Key::Label(n) => found.push((LABELS.get(n).copied().unwrap_or("[?]"), "", 0)),
            Key::Thread(0) => found.push(("[no thread]", "", 0)),
            Key::Thread(id) => return vec![(self.function(&format!("[thread {id}]"), ""), 0)],
        }
        found.iter().rev().map(|(name, file, line)| (self.function(name, file), *line)).collect()
    }

    fn tree(&mut self, name: &str, tree: &Tree) {
        /// (weight, count).
        type Spent = (u64, u32);
        let mut nodes: Vec<(u32, Place, Spent)> = Vec::new();
        let mut known: HashMap<(u32, Place), u32> = HashMap::new();
        // Nodes of the tree -> those of the file.
        let mut at = vec![0u32];
        tree.each(|_, parent, key, weight, count| {
            let mut node = at[parent as usize];
            for place in self.places(key) {
                node = *known.entry((node, place)).or_insert_with(|| {
                    nodes.push((node, place, (0, 0)));
                    nodes.len() as u32
                });
            }
            if let Some(node) = nodes.get_mut((node as usize).wrapping_sub(1)) {
                node.2.0 += weight;
                node.2.1 = node.2.1.saturating_add(count);
            }
            at.push(node);
        });
        let _ = writeln!(self.text, "t {name}");
        for (number, (parent, (function, line), (weight, count))) in (1..).zip(nodes) {
            let _ = writeln!(self.text, "n {number} {parent} {function} {line} {weight} {count}");
        }
    }
}
