//! leat profile: which program, what to measure, and how to show it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use leat_driver::Symbols;
use leat_driver::say::{show, tell};
use leat_profile::run::{Format, Job, run};
use leat_profile::{Profile, Summary, callgrind, compare, flame, fold, made, pprof, read, source, table};

use crate::{files, flag, runtime_arg, usage};

/// Rows of the flat table, unless the user says how many.
const ROWS: &str = "30";

pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name("FILE").value_parser(clap::value_parser!(PathBuf)).help(help)
    };
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).require_equals(true).help(help)
    };
    let mut command = Command::new("profile")
        .about("Runs a program, and tells where it spends its time, who calls whom how often, where its threads wait, or who allocates")
        .override_usage("leat profile [OPTIONS] PROGRAM [ARGUMENTS]...\n       leat profile [OPTIONS] --load=FILE")
        .after_help(
            "PROGRAM is a source (.sml, .mlb, .cm) or what `leat build` has made of one. Tables go to standard error, what \
             was asked for by --load to standard output. Exit code: the program's; 1 for trouble, 2 for wrong usage.",
        )
        .arg(flag("time", "where processor time goes: a sample a millisecond [default]"))
        .arg(flag("calls", "how often each function is called, and how many instructions it runs: exact counts"))
        .arg(flag("wait", "where threads wait, for what, and how long"))
        .arg(flag("alloc", "who allocates how much, of which types"))
        .group(ArgGroup::new("kind").args(["time", "calls", "wait", "alloc"]))
        .arg(flag("threads", "each thread's stacks apart"))
        .arg(flag("library", "functions of the library and the runtime, too, not only the lines of the program that call them"))
        .arg(text("callers", "FUNCTION", "who calls it, and from which lines").action(ArgAction::Append))
        .arg(text("callees", "FUNCTION", "what it calls, and from which lines").action(ArgAction::Append))
        .arg(
            text("annotate", "FILE", "the source with each line's share; of one file, or of the program's")
                .num_args(0..=1)
                .default_missing_value(""),
        )
        .arg(text("top", "N", "rows of the table").default_value(ROWS).value_parser(clap::value_parser!(usize)))
        .arg(file("output", "the profile for kcachegrind and callgrind_annotate; for pprof if its name ends in .pb.gz, for --load and --compare if in .prof").short('o').long("output"))
        .arg(file("flame", "a flame graph: an SVG for the browser").long("flame").require_equals(true))
        .arg(file("compare", "what has changed since an older profile, made by -o NAME.prof: a table, and the colours of --flame").long("compare").require_equals(true))
        .arg(file("load", "shows a profile that --profile=KIND:FILE has left, and runs nothing").long("load").require_equals(true))
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(0..)
                .required_unless_present("load")
                .trailing_var_arg(true)
                .value_parser(clap::value_parser!(OsString))
                .help("its file, and its own arguments"),
        );
    command = command.args(crate::foreign_args());
    for (text, help) in leat_driver::RUNTIME_HELP.iter().filter(|(text, _)| !text.starts_with("--profile")) {
        command = command.arg(runtime_arg(text, help));
    }
    command
}

/// `leat run`'s option for tools that look at the process from outside.
pub fn symbols_arg() -> Arg {
    Arg::new("jit-symbols")
        .long("jit-symbols")
        .require_equals(true)
        .value_parser(["perf", "jitdump", "gdb"])
        .help("tells a tool of the compiled code: perf's map, perf inject's dump, or gdb")
}

pub fn symbols(matches: &ArgMatches) -> Symbols {
    match matches.get_one::<String>("jit-symbols").map(String::as_str) {
        Some("perf") => Symbols::Perf,
        Some("jitdump") => Symbols::Jitdump,
        Some("gdb") => Symbols::Gdb,
        _ => Symbols::None,
    }
}

/// Whether the program that is run is measured so: then it is compiled for that.
pub fn is_of(runtime: &leat_driver::RuntimeOptions, kind: leat_driver::ProfileKind) -> bool {
    runtime.profile.as_ref().is_some_and(|request| request.kind == kind)
}

/// `of_c`: the files of C that stand before the program.
pub fn profile(matches: &ArgMatches, of_c: Vec<PathBuf>) -> u8 {
    match measure(matches, of_c) {
        Ok(code) => code,
        Err(Trouble::Usage(message)) => usage(&message),
        Err(Trouble::Other(message)) => {
            tell(&format!("leat: {message}\n"));
            1
        }
    }
}

enum Trouble {
    Usage(String),
    Other(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Other(message)
    }
}

fn measure(matches: &ArgMatches, of_c: Vec<PathBuf>) -> Result<u8, Trouble> {
    if let Some(file) = matches.get_one::<PathBuf>("load") {
        files::is_there(file).map_err(Trouble::Usage)?;
        let (profile, text) = load_profile(file)?;
        report(matches, &profile, &text, show)?;
        return Ok(0);
    }
    let mut words: Vec<OsString> = matches.get_many::<OsString>("program").into_iter().flatten().cloned().collect();
    let program = PathBuf::from(words.remove(0));
    files::is_program_there(&program).map_err(Trouble::Usage)?;
    of_c.iter().try_for_each(|file| files::is_there(file)).map_err(Trouble::Usage)?;
    let options = crate::runtime_words(matches, "profile");
    let mut compile = crate::given_foreign_words(matches);
    compile.extend(of_c.into_iter().map(PathBuf::into_os_string));
    let leat = std::env::current_exe().map_err(|error| error.to_string())?;
    let kind = ["calls", "wait", "alloc"].into_iter().find(|kind| matches.get_flag(kind)).unwrap_or("time");
    // What cannot be compared is told of before the program runs.
    if let Some(file) = matches.get_one::<PathBuf>("compare") {
        files::is_there(file).map_err(Trouble::Usage)?;
        compare::comparable(&load_profile(file)?.0.kind, kind)?;
    }
    let job = Job {
        leat: &leat,
        kind,
        threads: matches.get_flag("threads"),
        options: &options,
        compile: &compile,
        program: &program,
        arguments: &words,
    };
    let (code, profile, text) = run(&job)?;
    report(matches, &profile, &text, tell)?;
    Ok(code as u8)
}

fn load_profile(file: &Path) -> Result<(Profile, String), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let profile = read(&text).map_err(|message| format!("{}: {message}", file.display()))?;
    Ok((profile, text))
}

/// Shows what was asked for; the flat table if nothing was.
fn report(matches: &ArgMatches, typed: &Profile, text: &str, say: fn(&str)) -> Result<(), String> {
    // What is allocated has tables of its own.
    let functions = |profile: &Profile| (profile.kind == "alloc").then(|| made::without_types(profile));
    let plain = functions(typed);
    let profile = plain.as_ref().unwrap_or(typed);
    let summary = Summary::new(profile);
    let names = |option: &str| matches.get_many::<String>(option).into_iter().flatten().collect::<Vec<_>>();
    let folded = if matches.get_flag("library") { None } else { fold::folded(profile) };
    let own = folded.as_ref().map(|folded| (folded, Summary::new(&folded.profile)));
    // Files of the library are nowhere on disk.
    let load = |file: &str| std::fs::read_to_string(file).ok().filter(|_| !file.starts_with("$("));
    let mut asked = false;
    for (option, callers) in [("callers", true), ("callees", false)] {
        for name in names(option) {
            asked = true;
            say(&table::neighbours(profile, &summary, name, callers)?);
        }
    }
    if let Some(file) = matches.get_one::<String>("annotate") {
        asked = true;
        let only = Some(file.as_str()).filter(|file| !file.is_empty());
        let (profile, summary) = own.as_ref().map_or((profile, &summary), |(folded, sum)| (&folded.profile, sum));
        say(&source::annotate(profile, summary, only, load)?);
    }
    if let Some(file) = matches.get_one::<PathBuf>("output") {
        let bytes = match Format::of(file) {
            Format::Callgrind => callgrind::text(typed, &Summary::new(typed)).into_bytes(),
            Format::Leat => text.as_bytes().to_vec(),
            Format::Pprof => pprof::file(typed).map_err(|error| error.to_string())?,
        };
        write(file, &bytes)?;
    }
    let old = matches.get_one::<PathBuf>("compare").map(|file| load_profile(file)).transpose()?;
    if let Some(file) = matches.get_one::<PathBuf>("flame") {
        write(file, flame::svg(typed, old.as_ref().map(|old| &old.0)).as_bytes())?;
    }
    if let Some((old, _)) = &old {
        let most = matches.get_one::<usize>("top").copied().unwrap_or(30);
        // Both in the same way.
        let plain = functions(old);
        let old = plain.as_ref().unwrap_or(old);
        let before = own.as_ref().and_then(|_| fold::folded(old));
        let (before, now) = match (&before, &own) {
            (Some(before), Some((now, _))) => (&before.profile, &now.profile),
            _ => (old, profile),
        };
        say(&compare::table(before, now, most)?);
    } else if !asked {
        let most = matches.get_one::<usize>("top").copied().unwrap_or(30);
        say(&match &own {
            Some((folded, summary)) => table::own(folded, summary, most, load),
            None => table::flat(profile, &summary, most),
        });
        if typed.kind == "alloc" {
            say(&made::tables(typed, own.is_none(), most));
        }
    }
    Ok(())
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))
}
