//! Which files of a crate need which: a test that no crate has a circle of files, so that each has a first one to read.
//!
//! A file needs another one by `use`, or by a path that begins with `crate::`, `super::` or `self::`. What a module
//! re-exports belongs to the file that has it. Comments and tests do not count, nor does the root of a crate, which
//! lists what there is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module's path below the crate, `["state", "options"]`.
type Module = Vec<String>;

struct Crate {
    /// The text of each module's file, as far as it counts.
    texts: BTreeMap<Module, String>,
    /// What a module gives on under its own name: `(module, name)`, and the path that it is found by.
    exports: BTreeMap<(Module, String), Vec<String>>,
}

/// Each file that lies on a circle, with the files of its circle that it needs itself.
pub fn circles(src: &Path) -> std::io::Result<Vec<String>> {
    let krate = Crate::read(src)?;
    let needs: BTreeMap<&Module, BTreeSet<Module>> = krate.texts.keys().map(|m| (m, krate.needs(m))).collect();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = needs.keys().map(|&m| (m, reach(m, &needs))).collect();
    let on_one = |a: &Module, b: &Module| reached[a].contains(b) && reached[b].contains(a);
    let circle = needs.iter().filter(|(m, _)| on_one(m, m)).map(|(m, all)| {
        let next: Vec<String> = all.iter().filter(|n| on_one(m, n)).map(|n| n.join("/")).collect();
        format!("{} needs {}", m.join("/"), next.join(", "))
    });
    Ok(circle.collect())
}

fn reach<'a>(from: &'a Module, needs: &'a BTreeMap<&Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = needs[from].iter().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(&needs[next]);
        }
    }
    reached
}

impl Crate {
    fn read(src: &Path) -> std::io::Result<Crate> {
        let mut files = Vec::new();
        super::collect(src, &mut files)?;
        let mut krate = Crate { texts: BTreeMap::new(), exports: BTreeMap::new() };
        for file in files {
            let place = file.strip_prefix(src).unwrap_or(&file).with_extension("");
            let mut module: Module = place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            if module != ["lib"] && module != ["main"] {
                krate.texts.insert(module, without_comments(&fs::read_to_string(&file)?));
            }
        }
        for (module, text) in &krate.texts {
            for path in uses(text, |before| before.ends_with("pub") || before.ends_with(')')) {
                if let (Some(name), Some(path)) = (path.last().cloned(), krate.absolute(module, &path)) {
                    krate.exports.insert((module.clone(), name), path);
                }
            }
        }
        Ok(krate)
    }

    fn needs(&self, module: &Module) -> BTreeSet<Module> {
        let text = &self.texts[module];
        let found = uses(text, |_| true).into_iter().chain(paths(text));
        found.filter_map(|path| self.file_of(&self.absolute(module, &path)?, 4)).filter(|m| m != module).collect()
    }

    /// A path from the crate's root on; none if it is of another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let base = match path.first()?.as_str() {
            "crate" => vec![],
            "self" => module.clone(),
            "super" => module[..module.len().saturating_sub(ups)].to_vec(),
            first => {
                let child = [&module[..], &[first.to_string()]].concat();
                return self.texts.contains_key(&child).then(|| [&module[..], path].concat());
            }
        };
        Some([&base[..], &path[ups.max(1)..]].concat())
    }

    /// The file that has what a path names; `turns` re-exports are followed.
    fn file_of(&self, path: &[String], turns: u32) -> Option<Module> {
        let module = (1..=path.len()).rev().map(|n| &path[..n]).find(|head| self.texts.contains_key(*head))?;
        let name = path.get(module.len()).cloned().unwrap_or_default();
        match self.exports.get(&(module.to_vec(), name)) {
            Some(further) if turns > 0 => self.file_of(further, turns - 1),
            _ => Some(module.to_vec()),
        }
    }
}

/// A text up to its tests, without comments.
fn without_comments(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths of `use` items, each written out; `is_wanted` of what stands before them.
fn uses(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices("use ") {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with(['\n', '{', ')']) || before.ends_with("pub");
        if begins && is_wanted(before) {
            let tree = text[at + 4..].split(';').next().unwrap_or_default();
            write_out(tree, &[], &mut all);
        }
    }
    all
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn write_out(tree: &str, prefix: &[String], all: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (head, inside) = match tree.split_once('{') {
        Some((head, rest)) => (head, rest.rsplit_once('}').map(|(inside, _)| inside)),
        None => (tree, None),
    };
    let parts = head.split("::").map(|part| part.split(" as ").next().unwrap_or_default().trim().to_string());
    let path: Vec<String> = prefix.iter().cloned().chain(parts.filter(|part| !part.is_empty())).collect();
    let Some(inside) = inside else {
        let is_self = path.len() > 1 && path.last().is_some_and(|last| last == "self");
        all.push(if is_self { path[..path.len() - 1].to_vec() } else { path });
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    write_out(&inside[start..at], &path, all);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Paths in the text that say where they begin.
fn paths(text: &str) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = Vec::new();
    for begin in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(begin) {
            if !text[..at].ends_with(|c: char| is_name(c) || c == ':' || c == '$') {
                let end = text[at..].find(|c: char| !is_name(c) && c != ':').map_or(text.len(), |n| at + n);
                all.push(text[at..end].split("::").map(str::to_string).filter(|part| !part.is_empty()).collect());
            }
        }
    }
    all
}

/// A dozen circles once, of up to sixteen files: no order to read them in, and none to change them in.
#[test]
fn no_crate_has_a_circle_of_files() {
    let mut found = String::new();
    for name in super::CRATES {
        for line in circles(&super::root().join(name).join("src")).unwrap() {
            found += &format!("{name}: {line}\n");
        }
    }
    assert!(found.is_empty(), "circles of files:\n{found}");
}

#[test]
fn circles_are_found() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod a;\nmod b;\nmod c;\n");
    write("a.rs", "use crate::{b::{B, other}, d};\nfn f() { self::g() }\n");
    write("b.rs", "// crate::c\npub use crate::c::C;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n");
    write("c.rs", "fn f() -> usize {\n    super::a::SIZE\n}\n");
    assert_eq!(circles(folder.path()).unwrap(), ["a needs b", "b needs c", "c needs a"]);
    // Of `b` only what it re-exports is needed.
    write("a.rs", "use crate::b::C;\n");
    assert_eq!(circles(folder.path()).unwrap(), ["a needs c", "c needs a"]);
    write("c.rs", "fn f() -> usize {\n    other::a::SIZE\n}\n");
    assert_eq!(circles(folder.path()).unwrap(), [""; 0]);
}
