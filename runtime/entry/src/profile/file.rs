//! Trees of calls -> the profile's file: lines of text, addresses being functions and lines by now.
//!
//! ```text
//! leat-profile 1
//! kind time
//! unit ns
//! elapsed 1204000000
//! program queens.sml
//! f 0 queens.sml 3 safe                    function: number, file (%20 for a space, %0A for a new line), line of its definition or 0, name
//! t worker 0                               a tree begins
//! n 1 0 0 5 18000000 18                    node: number, parent (0: none), function, line, weight, how often; of bytes, how many survive
//! ```
//!
//! A node is a function with the line where it is: at a call, or where it was interrupted. What was inlined is a node
//! of its own. What an allocation makes, `[int list]`, is a node below the function that makes it. `leat-profile`, the
//! crate, reads it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use leat_abi::code::{self, CodeTable};

use crate::profile::names::Names;
use crate::profile::request::{Profile, ProfileKind};
use crate::profile::tree::{Key, LABELS, Tree};
use crate::profile::{calls, wait};
use crate::state::runtime::runtime;

/// (function, line).
type LinePlace = (u32, u32);

pub(super) fn text(profile: &Profile, unit: &str, elapsed: Duration, trees: &[(String, Tree)]) -> String {
    let kind = match profile.request.kind {
        ProfileKind::Time => "time",
        ProfileKind::Wait => "wait",
        ProfileKind::Alloc => "alloc",
        ProfileKind::Calls => "calls",
    };
    let mut file = File {
        text: format!("leat-profile 1\nkind {kind}\nunit {unit}\nelapsed {}\n", elapsed.as_nanos()),
        functions: HashMap::new(),
        defined: HashMap::new(),
        tables: runtime().tables(),
        names: None,
    };
    let _ = writeln!(file.text, "program {}", profile.program.replace('\n', " "));
    file.definitions();
    for (name, tree) in trees {
        file.tree(name, tree);
    }
    if profile.request.kind == ProfileKind::Calls {
        file.calls();
    }
    file.text
}

struct File {
    text: String,
    /// By name, file and line of the definition: in one file several may have one name.
    functions: HashMap<(String, String, u32), u32>,
    /// Where functions are defined whose code does not say it, by name and file: the first of that name.
    defined: HashMap<(String, String), u32>,
    tables: &'static [&'static CodeTable],
    /// Of the runtime's functions, when somebody asks.
    names: Option<Names>,
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

    /// `line`: of its definition, 0 if the code does not say it.
    fn function(&mut self, name: &str, file: &str, line: u32) -> u32 {
        let known = (name.to_string(), file.to_string());
        let line = if line > 0 { line } else { self.defined.get(&known).copied().unwrap_or(0) };
        let key = (known.0, known.1, line);
        if let Some(&known) = self.functions.get(&key) {
            return known;
        }
        let number = self.functions.len() as u32;
        let file = if file.is_empty() { "?".to_string() } else { escaped(file) };
        let name = name.replace('\n', " ");
        let _ = writeln!(self.text, "f {number} {file} {line} {name}");
        self.functions.insert(key, number);
        number
    }

    /// The places of a node, outermost first.
    fn places(&mut self, key: Key) -> Vec<LinePlace> {
        let mut found: Vec<(&'static str, &'static str, u32, u32)> = Vec::new();
        match key {
            Key::At(pc) => {
                if let Some(table) = code::find(self.tables, pc)
                    && let Some(line) = table.line(pc)
                {
                    let mut push = |name, file, line, defined| found.push((name, file, line, defined));
                    table.each_function_of(line.function, line.line, line.inlined, &mut push);
                } else if let Some(name) = self.names.get_or_insert_with(Names::of_this_program).find(pc) {
                    return vec![(self.function(&name, "", 0), 0)];
                }
            }
            Key::Call(pc) => {
                if let Some(table) = code::find(self.tables, pc)
                    && let Some(site) = table.site(pc)
                {
                    let mut push = |name, file, line, defined| found.push((name, file, line, defined));
                    table.each_function_of(site.function, site.line, site.inlined, &mut push);
                }
            }
            Key::Label(n) if n >= wait::REASONS => {
                return vec![(self.function(&wait::label(n), "", 0), 0)];
            }
            Key::Label(n) => found.push((LABELS.get(n).copied().unwrap_or("[?]"), "", 0, 0)),
            Key::Thread(0) => found.push(("[no thread]", "", 0, 0)),
            Key::Thread(id) => return vec![(self.function(&format!("[thread {id}]"), "", 0), 0)],
        }
        // What is made is no function: it has no place of its own.
        let place = |&(name, file, line, defined): &(&'static str, &'static str, u32, u32)| match name.starts_with('[')
        {
            true => (self.function(name, "", 0), 0),
            false => (self.function(name, file, defined), line),
        };
        found.iter().rev().map(place).collect()
    }

    fn tree(&mut self, name: &str, tree: &Tree) {
        let mut nodes = Nodes::default();
        // Nodes of the tree -> those of the file.
        let mut at = vec![0u32];
        tree.each(|_, parent, key, (weight, count, survives)| {
            let mut node = at[parent as usize];
            for place in self.places(key) {
                node = nodes.child(node, place);
            }
            nodes.spend(node, weight, count.into());
            nodes.survive(node, survives);
            at.push(node);
        });
        self.nodes(name, nodes);
    }

    fn nodes(&mut self, name: &str, nodes: Nodes) {
        let _ = writeln!(self.text, "t {name}");
        for (number, (parent, (function, line), (weight, count, survives))) in (1..).zip(nodes.all) {
            let _ = write!(self.text, "n {number} {parent} {function} {line} {weight} {count}");
            let _ = if survives > 0 { writeln!(self.text, " {survives}") } else { writeln!(self.text) };
        }
    }

    /// Calls and instructions, as they were counted.
    fn calls(&mut self) {
        let mut nodes = Nodes::default();
        // A context, and the node of the call that led to it; how often it was called is told where the call is.
        let mut work = Vec::new();
        for (thread, count, context) in calls::finish() {
            let above = match thread {
                0 => 0,
                id => {
                    let function = self.function(&format!("[thread {id}]"), "", 0);
                    nodes.child(0, (function, 0))
                }
            };
            self.called(&mut nodes, above, context.function(), count);
            work.push((context, above));
        }
        while let Some((context, above)) = work.pop() {
            let Some(table) = code::find(self.tables, context.function()) else { continue };
            let counts = table.line(context.function()).and_then(|line| table.counts(line.function));
            let Some(counts) = counts else { continue };
            // How often each inlined function was called, until it is met.
            let mut inlined: HashMap<u32, u64> = HashMap::new();
            counts.inlined().for_each(|(at, counter)| *inlined.entry(at).or_default() += context.counter(counter));
            // Where nothing is left of a function but what was inlined into it, that was called as often: its first
            // part.
            let mut empty: HashMap<u32, u64> = HashMap::new();
            for (at, counter) in counts.inlined() {
                let mut outer = around(table, at);
                while outer != 0 && !inlined.contains_key(&outer) {
                    empty.entry(outer).or_insert_with(|| context.counter(counter));
                    outer = around(table, outer);
                }
            }
            inlined.extend(empty);
            for stretch in counts.stretches() {
                let runs = context.counter(stretch.counter);
                if runs == 0 {
                    continue;
                }
                let pc = table.base as usize + stretch.start as usize;
                let node = self.place(&mut nodes, above, table, pc, &mut inlined);
                nodes.spend(node, runs * u64::from(stretch.instructions), 0);
            }
            for (slot, count, function, child) in context.callees() {
                let pc = table.base as usize + counts.calls[slot as usize] as usize;
                let node = self.place(&mut nodes, above, table, pc, &mut inlined);
                self.called(&mut nodes, node, function, count);
                work.extend(child.map(|child| (child, node)));
            }
        }
        self.nodes("all threads", nodes);
    }

    /// So many calls of a function: they stand at its definition.
    fn called(&mut self, nodes: &mut Nodes, above: u32, function: usize, count: u64) {
        let Some(table) = code::find(self.tables, function) else { return };
        let Some(line) = table.line(function) else { return };
        let mut name = ("", "");
        table.each_place_of(line.function, line.line, line.inlined, |f, file, _| name = (f, file));
        let (own, defined) = self.own_place(table, table.start_of(line.function)).unwrap_or((name.1, 0));
        let function = self.function(name.0, own, defined);
        let node = nodes.child(above, (function, defined));
        nodes.spend(node, 0, count);
    }

    /// The file and line in which the function whose code starts here is defined.
    fn own_place(&self, table: &'static CodeTable, start: u32) -> Option<(&'static str, u32)> {
        // SAFETY: the compiler wrote the counts and indices for these arrays.
        unsafe {
            let all = core::slice::from_raw_parts(table.functions, table.function_count);
            let found = all.iter().find(|function| function.start == start && function.bytes > 0)?;
            let bytes = core::slice::from_raw_parts(table.text.add(found.file as usize), found.file_len as usize);
            Some((core::str::from_utf8(bytes).ok()?, found.line))
        }
    }

    /// The node of an instruction; inlined functions that are met for the first time get their calls.
    fn place(
        &mut self,
        nodes: &mut Nodes,
        above: u32,
        table: &'static CodeTable,
        pc: usize,
        inlined: &mut HashMap<u32, u64>,
    ) -> u32 {
        let Some(line) = table.line(pc) else { return above };
        let mut found = Vec::new();
        let mut push = |name, file, line, defined| found.push((name, file, line, defined));
        table.each_function_of(line.function, line.line, line.inlined, &mut push);
        // The chain of what was inlined, as `found` has it; the function itself is none of them.
        let some = |at: u32| Some(at).filter(|&at| at != 0);
        let chain: Vec<u32> = std::iter::successors(some(line.inlined), |&at| some(around(table, at))).collect();
        let mut node = above;
        for (i, &(name, file, line, defined)) in found.iter().enumerate().rev() {
            let place = (self.function(name, file, defined), line);
            node = nodes.child(node, place);
            if let Some(count) = chain.get(i).and_then(|at| inlined.remove(at)) {
                nodes.spend(node, 0, count);
            }
        }
        node
    }
}

/// A file's name as a word of a line.
fn escaped(file: &str) -> String {
    file.replace('%', "%25").replace(' ', "%20").replace('\n', "%0A")
}

/// What an inlined function was inlined into, 0 for the function whose code it has become.
fn around(table: &CodeTable, at: u32) -> u32 {
    // SAFETY: indices were written by the compiler for this array; each names one that stands before it.
    unsafe { (*table.inlined.add(at as usize - 1)).around }
}

/// (weight, count, what survives of the weight).
type Spent = (u64, u64, u64);

/// The nodes of a tree of the file, which are counted from 1 on.
#[derive(Default)]
struct Nodes {
    all: Vec<(u32, LinePlace, Spent)>,
    known: HashMap<(u32, LinePlace), u32>,
}

impl Nodes {
    fn child(&mut self, parent: u32, place: LinePlace) -> u32 {
        *self.known.entry((parent, place)).or_insert_with(|| {
            self.all.push((parent, place, (0, 0, 0)));
            self.all.len() as u32
        })
    }

    fn spend(&mut self, node: u32, weight: u64, count: u64) {
        if let Some(node) = self.all.get_mut((node as usize).wrapping_sub(1)) {
            node.2.0 += weight;
            node.2.1 = node.2.1.saturating_add(count);
        }
    }

    fn survive(&mut self, node: u32, weight: u64) {
        if let Some(node) = self.all.get_mut((node as usize).wrapping_sub(1)) {
            node.2.2 += weight;
        }
    }
}
