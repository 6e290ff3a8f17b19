//! `leat fmt`: files, folders or standard input -> the same programs in the one style, in place or as a report.
//!
//! A file is replaced as a whole, by a new one of the same mode that takes its name. In one with syntax errors, what
//! cannot be read stays as it is.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use leat_base::{SourceMap, diagnostic, source::substituted};
use leat_driver::project;
use leat_driver::say::{show, show_bytes, tell};
use leat_driver::text::{check_length, read_bounded, read_text, reason};
use leat_driver::units::{is_basis_file, members::members, mlb_layout};
use leat_fmt::FixityEnv;

use crate::files::is_there;

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("fmt")
        .about("Formats sources")
        .after_help(
            "Files are replaced, unless --check or --diff is given. Nothing but blanks and line ends is changed;\n\
             in a file with syntax errors only what can be read.\n\
             Exit code: 1 if a file has syntax errors, or with --check if one is not formatted; 2 for wrong usage.",
        )
        .arg(
            Arg::new("file").value_name("FILE").num_args(0..).value_parser(clap::value_parser!(PathBuf)).help(
                "sources (.sml, .sig, .fun), .mlb files, or folders of them; -: standard input; nothing: the project's folder",
            ),
        )
        .arg(flag("check", "writes nothing; lists the files that are not formatted, and fails if there are any"))
        .arg(flag("diff", "writes nothing; shows what would be changed"))
}

/// How long a short difference of two texts is looked for; after that any will do.
const DIFF_TIME: std::time::Duration = std::time::Duration::from_secs(1);

/// What became of the files.
#[derive(Default)]
struct Outcome {
    unformatted: bool,
    failed: bool,
    misused: bool,
}

pub fn fmt(matches: &ArgMatches) -> u8 {
    let named: Vec<PathBuf> = matches.get_many("file").unwrap_or_default().cloned().collect();
    let (check, diff) = (matches.get_flag("check"), matches.get_flag("diff"));
    let mut outcome = Outcome::default();
    let mut files = vec![];
    if named.is_empty() {
        match crate::files::here() {
            Ok(project) => {
                // The folder in which we are has no name.
                let here = project.folder.as_os_str().is_empty();
                sources_in(if here { Path::new(".") } else { &project.folder }, &mut files, &mut outcome);
            }
            Err(message) => {
                tell(&format!("leat: {message}\n"));
                return crate::USAGE;
            }
        }
    }
    for path in named {
        if path.is_dir() {
            sources_in(&path, &mut files, &mut outcome);
        } else if path.as_os_str() != "-"
            && let Err(message) = is_there(&path)
        {
            tell(&format!("leat: {message}\n"));
            outcome.misused = true;
        } else if path.as_os_str() == "-" || is_source(&path) {
            files.push(path);
        } else {
            let is_cm = path.extension().is_some_and(|suffix| suffix == "cm");
            let what = if is_cm { "CM files are not formatted, since they have no one layout" } else { "not a source" };
            tell(&format!("leat: {}: {what}; what is formatted ends in .sml, .sig, .fun or .mlb\n", path.display()));
            outcome.misused = true;
        }
    }
    let mut infixes = Infixes::default();
    for path in files {
        if let Err(message) = one(&path, check, diff, &mut infixes, &mut outcome) {
            tell(&format!("leat: {}: {message}\n", path.display()));
            outcome.failed = true;
        }
    }
    match outcome {
        Outcome { misused: true, .. } => crate::USAGE,
        Outcome { failed: true, .. } => 1,
        Outcome { unformatted: true, .. } if check => 1,
        _ => 0,
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix == "sml" || suffix == "sig" || suffix == "fun") || is_basis_file(path)
}

/// It is a file, or nobody can say what it is: who reads it tells why. A link to what is not there is none.
fn may_be_file(path: &Path) -> bool {
    fs::metadata(path).map_or_else(|error| error.kind() != ErrorKind::NotFound, |found| found.is_file())
}

/// The sources of a folder and those in it, in order. Hidden folders and links to folders are left out.
fn sources_in(folder: &Path, files: &mut Vec<PathBuf>, outcome: &mut Outcome) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            tell(&format!("leat: {}: {error}\n", folder.display()));
            outcome.failed = true;
            return;
        }
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => {
                tell(&format!("leat: {}: {error}\n", folder.display()));
                outcome.failed = true;
                break;
            }
        }
    }
    paths.sort();
    for path in paths {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && !hidden => sources_in(&path, files, outcome),
            Ok(found) if !found.is_dir() && !hidden && is_source(&path) && may_be_file(&path) => {
                // `./a.sml` is shown as `a.sml`.
                files.push(path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path));
            }
            Err(error) if !hidden && error.kind() != ErrorKind::NotFound => {
                tell(&format!("leat: {}: {}\n", path.display(), reason(&error)));
                outcome.failed = true;
            }
            _ => {}
        }
    }
}

/// What is infix at the beginning of each source of a project: what those before it have declared.
#[derive(Default)]
struct Infixes {
    /// By their descriptions: the sources in order, whose names are whole.
    projects: HashMap<PathBuf, Vec<(PathBuf, FixityEnv)>>,
}

impl Infixes {
    /// For a file that belongs to no project it is what the Basis has.
    fn before(&mut self, path: &Path) -> FixityEnv {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (Ok(project), Ok(path)) = (project::find(folder), path.canonicalize()) else { return FixityEnv::basis() };
        let sources = self.projects.entry(project.description.clone()).or_insert_with(|| {
            let mut fixity = FixityEnv::basis();
            let sources = members(&project.description, &leat_driver::Options::default());
            let sources = sources.map(|members| members.sources).unwrap_or_default();
            let with_infixes = |source: PathBuf| {
                let before = fixity.clone();
                if let Ok(text) = read_text(&source) {
                    leat_fmt::add_infixes(&text, &mut fixity);
                }
                Some((source.canonicalize().ok()?, before))
            };
            sources.into_iter().filter_map(with_infixes).collect()
        });
        let known = sources.iter().find(|(source, _)| *source == path);
        known.map_or_else(FixityEnv::basis, |(_, fixity)| fixity.clone())
    }
}

/// Formats a file, or standard input if it is `-`. The error is for the user, without the file's name.
fn one(path: &Path, check: bool, diff: bool, infixes: &mut Infixes, outcome: &mut Outcome) -> Result<(), String> {
    let piped = path.as_os_str() == "-";
    let name = if piped { "<stdin>".to_string() } else { path.display().to_string() };
    let read = match piped {
        true => read_bounded(std::io::stdin().lock()),
        false => fs::File::open(path).and_then(read_bounded),
    };
    let bytes = read.map_err(|error| error.to_string())?;
    check_length(&bytes)?;
    let text = leat_fmt::decode(bytes);
    let mut sources = SourceMap::new();
    let file = sources.add(&name, &text);
    let color = std::io::IsTerminal::is_terminal(&std::io::stderr());
    if is_basis_file(path) {
        return match mlb_layout::format(file, &text) {
            Ok(formatted) => written(path, &text, &formatted, check, diff, outcome),
            Err(diagnostics) => {
                tell(&diagnostic::render(&diagnostics, &sources, color));
                outcome.failed = true;
                Ok(())
            }
        };
    }
    let basis = FixityEnv::basis();
    let fixity = if piped { basis.clone() } else { infixes.before(path) };
    let mut partly = leat_fmt::format_partly(file, &text, &fixity);
    // An operator of another file may be infix in a part of the project only.
    if fixity != basis && partly.as_ref().is_ok_and(|partly| !partly.diagnostics.is_empty()) {
        partly = leat_fmt::format_partly(file, &text, &basis);
    }
    let leat_fmt::Partly { text: formatted, diagnostics } =
        partly.map_err(|error| format!("left as it is, because of {error}"))?;
    if !diagnostics.is_empty() {
        tell(&diagnostic::render(&diagnostics, &sources, color));
        if !check {
            tell(&format!("leat: {name}: only the declarations that can be read are formatted\n"));
        }
        outcome.failed = true;
    }
    written(path, &text, &formatted, check, diff, outcome)
}

/// A formatted text goes where the user wants it.
fn written(
    path: &Path,
    text: &str,
    formatted: &str,
    check: bool,
    diff: bool,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let piped = path.as_os_str() == "-";
    let name = if piped { "<stdin>".to_string() } else { path.display().to_string() };
    let changed = formatted != text;
    outcome.unformatted |= changed;
    if diff && changed {
        // Where all of a long text changes, the shortest difference would take minutes to find.
        let diff = similar::TextDiff::configure().timeout(DIFF_TIME).diff_lines(text, formatted);
        let diff = diff.unified_diff().header(&name, &format!("{name} (formatted)")).to_string();
        show_bytes(&encode(&diff));
    }
    if check && changed && !diff {
        show(&format!("{name}\n"));
    }
    if check || diff {
        return Ok(());
    }
    if piped {
        show_bytes(&encode(formatted));
    } else if changed {
        replace(path, &encode(formatted)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The bytes of a text; those that were not UTF-8 are themselves again.
fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for c in text.chars() {
        match substituted(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    bytes
}

/// A new file takes the place of the old one in one step: whoever reads sees the one or the other. A link stays a link.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = fs::canonicalize(path)?;
    // A file that may not be written is left alone, though its folder would let us.
    OpenOptions::new().write(true).open(&path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        file.set_permissions(fs::metadata(&path)?.permissions())?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}
