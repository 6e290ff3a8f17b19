//! `leat doc`: a project's sources, or the library's -> pages of HTML: each signature, structure and functor with its comments.
//!
//! Pages need no server: links are relative, and the index of the search is a script of its own. What is read is
//! `leat_driver::docs`; `page` writes HTML.

mod page;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use leat_base::{Diagnostic, counted, render};
use leat_driver::docs::{self, Module};
use leat_driver::say::{show, tell};
use leat_driver::tooling::Front;
use leat_driver::units::members::members;

use page::Group;

use crate::{files, flag, named, report_plain, usage};

/// The library's folders, and how a reader calls them, in the order of the index.
const SHELVES: [(&str, &str); 14] = [
    ("basis/", "Basis library, and what only Leat has"),
    ("cml/", "Concurrent ML"),
    ("leat/", "Servers and what they need: HTTP, TLS, JSON, logs, metrics, SQLite"),
    ("leat-test/", "Tests and benchmarks"),
    ("light/", "Styles of lightweight concurrency"),
    ("smlnj-lib/Util/", "SML/NJ library: utilities"),
    ("smlnj-lib/JSON/", "SML/NJ library: JSON"),
    ("smlnj-lib/RegExp/", "SML/NJ library: regular expressions"),
    ("smlnj-lib/PP/", "SML/NJ library: pretty printing"),
    ("smlnj-lib/", "SML/NJ library: the rest"),
    ("smlnj/", "SML/NJ's own structures"),
    ("mlton/", "MLton's own structures"),
    ("polyml/", "Poly/ML's own structures"),
    ("ml", "For the generators of scanners and parsers"),
];

pub fn command() -> Command {
    Command::new("doc")
        .about("Writes HTML pages of a project's signatures and their comments")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .num_args(0..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("sources, .mlb or .cm files; nothing: the folder's project"),
        )
        .arg(flag("library", "the pages of the Basis, Concurrent ML and all other libraries that come with Leat"))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .default_value("doc")
                .help("the folder for the pages"),
        )
}

pub fn run(matches: &ArgMatches) -> u8 {
    let folder = matches.get_one::<PathBuf>("output").expect("it has a default");
    if folder.exists() && !folder.is_dir() {
        return usage(&format!("{} is a file: the pages need a folder", folder.display()));
    }
    let mut errors = String::new();
    let (title, groups) = if matches.get_flag("library") {
        match library() {
            Ok(groups) => ("Leat's library".to_string(), groups),
            Err(failure) => return report_plain(failure),
        }
    } else {
        // Types that stand nowhere in the source are those that the front end finds.
        let mut front = match Front::new(leat_driver::Options::default()) {
            Ok(front) => front,
            Err(failure) => return report_plain(failure),
        };
        match project(&mut front, &named(matches)) {
            Ok((title, group, found)) => {
                errors = found;
                (title, vec![group])
            }
            Err(message) => return usage(&message),
        }
    };
    tell(&errors);
    let modules: usize = groups.iter().map(|group| group.modules.len()).sum();
    if modules == 0 {
        tell("leat: there are no signatures, structures or functors in these files\n");
        return 1;
    }
    match page::write(folder, &title, &groups) {
        Ok(()) => {
            show(&format!("{}: {}\n", counted(modules, "module"), folder.join("index.html").display()));
            if errors.is_empty() {
                return 0;
            }
            tell("leat: the pages lack what has errors\n");
            1
        }
        Err(error) => {
            tell(&format!("leat: {}: {error}\n", folder.display()));
            1
        }
    }
}

/// The modules of the files that are named, or of the project; and the errors in them, as text.
fn project(front: &mut Front, named: &[PathBuf]) -> Result<(String, Group, String), String> {
    let files = files::or_project(named)?;
    let mut modules = Vec::new();
    let (mut errors, mut troubles): (Vec<Diagnostic>, String) = (Vec::new(), String::new());
    for file in &files {
        let found = members(file, &leat_driver::Options::default())?.sources;
        let walk = front.walk(file, None, &BTreeSet::new());
        let of_units = walk.units.iter().flat_map(|unit| &unit.diagnostics);
        errors.extend(of_units.chain(&walk.diagnostics).filter(|d| d.is_error()).cloned());
        troubles.extend(walk.trouble.iter().map(|trouble| format!("leat: {trouble}\n")));
        for source in found.into_iter().filter(|source| !leat_driver::project::is_test(source)) {
            let types = leat_lsp::types_of_values(front, &source);
            for mut module in docs::modules_of_file(&source)? {
                module.infer(&|place| types.get(&place).cloned());
                modules.push((source.clone(), module));
            }
        }
    }
    let signatures: HashSet<String> =
        modules.iter().filter(|(_, one)| one.kind == "signature").map(|(_, one)| one.name.clone()).collect();
    let front = &*front;
    for (source, module) in &mut modules {
        let (source, kind) = (&*source, module.kind);
        module.complete(&|name| signatures.contains(name), &|path| leat_lsp::members(front, source, kind, path));
    }
    let modules = modules.into_iter().map(|(_, module)| module).collect();
    let title = files.last().map_or_else(String::new, |file| files::program_name(file).display().to_string());
    let title = Path::new(&title).file_name().map_or(title.clone(), |name| name.to_string_lossy().into_owned());
    let errors = if errors.is_empty() { String::new() } else { render(&errors, front.sources(), false) };
    let errors = troubles + &errors;
    Ok((title.clone(), Group { title: "Modules".to_string(), modules: tidy(modules) }, errors))
}

fn library() -> Result<Vec<Group>, leat_driver::Failure> {
    let mut shelves: BTreeMap<usize, Vec<Module>> = BTreeMap::new();
    let mut front = Front::new(leat_driver::Options::default())?;
    let mut descriptions = Vec::new();
    for (name, text) in crate::library::files_beside(front.sources()) {
        if name.ends_with(".mlb") && !UNLIKE.iter().any(|part| name.contains(part)) {
            descriptions.push(name.clone());
        }
        let is_source = Path::new(&name).extension().is_some_and(|suffix| suffix == "sml" || suffix == "sig");
        // The Basis of 1997 is documented nowhere else, either.
        if !is_source || name.contains("1997") || name.starts_with("prim/") {
            continue;
        }
        if let Some(shelf) = SHELVES.iter().position(|(folder, _)| name.starts_with(folder)) {
            let mut modules = docs::modules(&format!("$(SML_LIB)/{name}"), &text);
            // A name that ends in a prime is the library's own.
            modules.retain(|module| !module.name.ends_with('\''));
            // What has no type in the source is left out here; where nothing is left, see `complete_by_scope`.
            modules.iter_mut().for_each(|module| module.items.retain(|item| !item.is_untyped()));
            shelves.entry(shelf).or_default().extend(modules);
        }
    }
    // One page for a name, of the first shelf that has it: SML/NJ's additions to the Basis are structures of the same
    // names.
    let mut seen: HashSet<(&'static str, String)> = HashSet::new();
    let mut groups = Vec::new();
    for (shelf, modules) in shelves {
        let mut modules = tidy(modules);
        modules.retain(|module| seen.insert((module.kind, module.name.clone())));
        groups.push(Group { title: SHELVES[shelf].1.to_string(), modules });
    }
    describe_by_shape(&front, &mut groups);
    // A page of a few structures less is better than none.
    let _ = complete_by_scope(&mut front, &descriptions, &mut groups);
    Ok(groups)
}

/// Parts of the names of libraries whose structures have the names of others.
const UNLIKE: [&str; 6] = ["1997", "2002", "Compat/", "cm/", "light/", "polyml/"];

/// What a structure or a functor has that names no signature in its source: what the elaborator knows of it where all
/// libraries are in scope.
fn complete_by_scope(front: &mut Front, descriptions: &[String], groups: &mut [Group]) -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let (all, probe) = (folder.path().join("all.mlb"), folder.path().join("probe.sml"));
    let lines: String = descriptions.iter().map(|name| format!("$(SML_LIB)/{name}\n")).collect();
    std::fs::write(&all, lines + "probe.sml\n")?;
    std::fs::write(&probe, "val () = ()\n")?;
    front.walk(&all, None, &BTreeSet::new());
    let signatures: HashSet<String> = groups
        .iter()
        .flat_map(|group| &group.modules)
        .filter(|module| module.kind == "signature")
        .map(|module| module.name.clone())
        .collect();
    for module in groups.iter_mut().flat_map(|group| &mut group.modules) {
        let kind = module.kind;
        module.complete(&|name| signatures.contains(name), &|path| leat_lsp::members(front, &probe, kind, path));
    }
    Ok(())
}

/// A structure that a functor has made names no signature in its source: of those signatures that it has all names of,
/// the one with most of them is its own, if that is at least half of what the structure has.
fn describe_by_shape(front: &Front, groups: &mut [Group]) {
    let modules = groups.iter().flat_map(|group| &group.modules);
    let signatures: Vec<(String, Vec<String>)> = modules
        .filter(|module| module.kind == "signature")
        .map(|module| {
            let named = module.items.iter().flat_map(|item| &item.names).filter(|named| named.kind != "include");
            (module.name.clone(), named.map(|named| named.name.clone()).collect())
        })
        .collect();
    let is_described = |name: &String| signatures.iter().any(|(known, _)| known == name);
    for module in groups.iter_mut().flat_map(|group| &mut group.modules) {
        let lacks = module.kind == "structure"
            && module.items.is_empty()
            && !module.signature.as_ref().is_some_and(is_described);
        let Some(has) = leat_lsp::names_in_basis(front, &module.name).filter(|_| lacks) else { continue };
        let fits = signatures
            .iter()
            .filter(|(_, names)| 2 * names.len() >= has.len() && names.iter().all(|name| has.contains(name)));
        if let Some((name, _)) = fits.max_by_key(|(_, names)| names.len()) {
            module.signature = Some(name.clone());
        }
    }
}

/// By name.
fn tidy(mut modules: Vec<Module>) -> Vec<Module> {
    modules.sort_by(|a, b| (a.name.to_lowercase(), a.kind).cmp(&(b.name.to_lowercase(), b.kind)));
    modules.dedup_by(|a, b| a.name == b.name && a.kind == b.kind);
    modules
}
