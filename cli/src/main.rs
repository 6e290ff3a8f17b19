//! leat run | build | check | fmt | repl | profile: argument parsing only.

mod allocator;
mod bench;
mod bindgen;
mod completions;
mod debug;
mod doc;
mod doctor;
mod files;
mod fmt;
mod interrupt;
mod library;
mod lsp;
mod new;
mod peer;
mod profile;
mod rerun;
mod test;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use leat_driver::foreign::{Linking, is_foreign};
use leat_driver::say::tell;
use leat_driver::{Failure, Input, Options, Product, ProfileKind, RuntimeOptions, Session, Stage};

/// With the commit and the target: see `build.rs`.
const VERSION: &str = match option_env!("LEAT_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Exit code of wrong usage.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    if let Some(message) = leat_driver::stack_complaint() {
        tell(&format!("leat: {message}\n"));
        return ExitCode::FAILURE;
    }
    leat_driver::say::keep_closed_output_closed();
    leat_driver::with_deep_stack(start).unwrap_or_else(|message| {
        tell(&format!("leat: {message}\n"));
        ExitCode::FAILURE
    })
}

/// The command line -> what it asks for.
fn start() -> ExitCode {
    let words: Vec<OsString> = with_implied_run(std::env::args_os().collect());
    let (matches, of_c) = match read(words) {
        Ok(read) => read,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(USAGE);
        }
        // Help, or the version.
        Err(error) => {
            let text = error.render();
            let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
            leat_driver::say::show(&if is_terminal { text.ansi().to_string() } else { text.to_string() });
            return ExitCode::SUCCESS;
        }
    };
    let code = match matches.subcommand() {
        Some((_, matches)) if matches!(matches.try_get_one("print-pipeline"), Ok(Some(true))) => {
            print_pipeline(matches)
        }
        Some(("run", matches)) => run(matches, of_c),
        Some(("build", matches)) => build(matches),
        Some(("check", matches)) => check(matches),
        Some(("fmt", matches)) => fmt::fmt(matches),
        Some(("repl", matches)) => repl(matches),
        Some(("bench", matches)) => bench::run(matches),
        Some(("bindgen", matches)) => bindgen::run(matches),
        Some(("completions", matches)) => completions::run(matches),
        Some(("man", matches)) => completions::run_man(matches),
        Some(("doc", matches)) => doc::run(matches),
        Some(("doctor", _)) => doctor::run(),
        Some(("lib", matches)) => library::run(matches),
        Some(("new", matches)) => new::run(matches),
        Some(("test", matches)) => test::run(matches),
        Some(("test-file", matches)) => test::run_child(matches),
        Some(("debug", matches)) => debug::run(matches),
        Some(("debug-program", matches)) => debug::run_program(matches),
        Some(("profile", matches)) => profile::profile(matches, of_c),
        Some(("lsp", matches)) => lsp::run(options(matches)).unwrap_or_else(|message| usage(&message)),
        _ => unreachable!("clap asks for a subcommand"),
    };
    ExitCode::from(code)
}

/// `#!/usr/bin/env leat` gives the file alone, with whatever suffix: `leat FILE` means `leat run FILE`.
/// A word of another system's runtime goes the same way, and finds its message there.
fn with_implied_run(mut words: Vec<OsString>) -> Vec<OsString> {
    if let Some(first) = words.get(1)
        && (Path::new(first).extension().is_some_and(|e| e == "sml" || e == "mlb" || e == "cm")
            || first.to_str().is_some_and(|word| leat_driver::foreign_word(word).is_some())
            || (Path::new(first).is_file() && command().find_subcommand(first).is_none()))
    {
        words.insert(1, "run".into());
    }
    words
}

/// The command line that these words are meant for. Describing all subcommands was a sixth of the start of `leat run`.
fn command_for(words: &[OsString]) -> Command {
    if words.get(1).is_some_and(|word| word == "run") { leat().subcommand(run_command()) } else { command() }
}

/// The command line, and the files of C that stand before a program. For clap the first of these begins the program's
/// own words, but options may stand behind them: so they are taken out, and what is left is read again.
fn read(mut words: Vec<OsString>) -> Result<(ArgMatches, Vec<PathBuf>), clap::Error> {
    let mut of_c = Vec::new();
    loop {
        let matches = command_for(&words).try_get_matches_from(&words)?;
        let program = match matches.subcommand() {
            Some(("run" | "profile", matches)) => matches.get_many::<OsString>("program").unwrap_or_default(),
            _ => return Ok((matches, of_c)),
        };
        // They are the last ones of all.
        let first = words.len() - program.len();
        let files = program.take_while(|word| is_foreign(Path::new(word))).count();
        if files == 0 {
            return Ok((matches, of_c));
        }
        of_c.extend(words.drain(first..first + files).map(PathBuf::from));
    }
}

fn leat() -> Command {
    Command::new("leat")
        .about("Standard ML for concurrent programs: compiled in milliseconds, threads by the million")
        .version(VERSION)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

fn run_command() -> Command {
    // All that follows: no option of ours stands behind the text.
    let exp = Arg::new("exp")
        .short('e')
        .value_name("EXP")
        .num_args(1..)
        .allow_hyphen_values(true)
        .value_parser(clap::value_parser!(OsString))
        .help("the program's text, instead of a file; what stands behind it are the program's arguments");
    let mut run = Command::new("run")
        .about("Compiles a program in memory and runs it")
        .after_help("Exit code: the program's; 1 for a compile error or an uncaught exception; 2 for wrong usage.")
        .override_usage("leat run [OPTIONS] [FILE] [ARGUMENTS]...\n       leat run [OPTIONS] -e <EXP> [ARGUMENTS]...")
        .arg(exp)
        .arg(main_arg())
        .arg(profile::symbols_arg())
        .arg(flag("watch", "ends the program and runs it again whenever a file changes"))
        // One list: from its first word on nothing is an option of ours.
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(0..)
                .trailing_var_arg(true)
                .value_parser(clap::value_parser!(OsString))
                .help("its file or its project's folder, or - for standard input; and its own arguments, be they like options or not"),
        )
        .args(compile_args());
    for (text, help) in leat_driver::RUNTIME_HELP {
        run = run.arg(runtime_arg(text, help));
    }
    run
}

fn command() -> Command {
    let file = || Arg::new("file").value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    // In order; each sees what those before it declare.
    let files = || file().num_args(0..).help("sources, .mlb or .cm files, in order; nothing: the folder's project");
    leat()
        .subcommand(run_command())
        .subcommand(
            Command::new("build")
                .about("Makes an executable of a program")
                .after_help(
                    "A built program takes its runtime options from --runtime, and then from the variable LEAT_RUN.",
                )
                .arg(files())
                .arg(
                    Arg::new("output")
                        .short('o')
                        .long("output")
                        .value_name("FILE")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("the executable [default: the last file's name without its suffix; the folder's name for main, project and sources]"),
                )
                .arg(main_arg())
                .arg(flag("object", "makes an object file, not linked"))
                .arg(
                    Arg::new("format")
                        .long("format")
                        .require_equals(true)
                        .value_parser(["executable", "library"])
                        .default_value("executable")
                        .help("library: for programs of C, which call what is exported; a shared object if its name ends in .so"),
                )
                .arg(flag("count-calls", "makes a program that counts its calls, for `leat profile --calls`"))
                .arg(flag("alloc-types", "makes a program that knows the types of what it allocates, for `leat profile --alloc`"))
                .arg(
                    Arg::new("align")
                        .long("align")
                        .value_parser(["8", "16", "32"])
                        .require_equals(true)
                        .default_value("8")
                        .help("alignment of objects in bytes"),
                )
                .arg(
                    Arg::new("runtime")
                        .long("runtime")
                        .require_equals(true)
                        .value_name("'OPTIONS'")
                        .help("runtime options that the program starts with, as '--nursery=32M --runtime-words'"),
                )
                .args(compile_args()),
        )
        .subcommand(
            Command::new("check")
                .about("Reports the errors and warnings of a program")
                .arg(files())
                .arg(main_arg())
                .args(compile_args()),
        )
        .subcommand(fmt::command())
        .subcommand(repl_command())
        .subcommand(bench::command())
        .subcommand(bindgen::command())
        .subcommand(doc::command())
        .subcommand(new::command())
        .subcommand(test::command())
        .subcommand(test::child_command())
        .subcommand(library::command())
        .subcommand(doctor::command())
        .subcommand(completions::command())
        .subcommand(completions::man_command())
        .subcommand(profile::command())
        .subcommand(lsp::command(compile_args()))
        .subcommand(debug::command())
        .subcommand(debug::program_command())
}

fn repl_command() -> Command {
    let files = Arg::new("files")
        .value_name("FILES")
        .num_args(0..)
        .value_parser(clap::value_parser!(PathBuf))
        .help("used before the first line is read");
    let mut repl = Command::new("repl")
        .about("A prompt: evaluates declarations and expressions, one unit after the other")
        .after_help("Exit code: 0; that of OS.Process.exit; 1 when standard input is no terminal and something failed.")
        .arg(files)
        .args(compile_args());
    for (text, help) in leat_driver::RUNTIME_HELP {
        repl = repl.arg(runtime_arg(text, help));
    }
    repl
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The function that begins a program, as SML/NJ's `ml-build` gets it.
fn main_arg() -> Arg {
    Arg::new("main")
        .long("main")
        .require_equals(true)
        .value_name("FUNCTION")
        .value_parser(|text: &str| match leat_driver::options::is_name(text) {
            true => Ok(text.to_string()),
            false => Err("the name of a function is needed, as --main=Main.main"),
        })
        .help("a function that begins the program, of type string * string list -> OS.Process.status, as Main.main")
}

fn compile_args() -> Vec<Arg> {
    vec![
        Arg::new("O").short('O').value_name("LEVEL").value_parser(["0", "1"]).help("0: no optimisation; 1: all of it"),
        Arg::new("verify")
            .long("verify")
            .require_equals(true)
            .value_parser(["each", "stage", "off"])
            .help("check the compiler's invariants after each pass, each stage, or not; also the variable LEAT_VERIFY"),
        Arg::new("dump")
            .long("dump")
            .require_equals(true)
            .action(ArgAction::Append)
            .value_name("STAGE[:after=PASS]")
            .help("print a stage: tokens, ast, core, lambda, mono, ssa, clif, asm"),
        Arg::new("dump-fn")
            .long("dump-fn")
            .require_equals(true)
            .value_name("NAME")
            .help("only functions with this in their name"),
        Arg::new("stop-after").long("stop-after").require_equals(true).value_name("STAGE").help("compile no further"),
        flag("time-passes", "print how long each pass took"),
        flag("print-pipeline", "print the stages and passes, with the reasons of their order, and nothing else"),
        Arg::new("mlb-path-var")
            .long("mlb-path-var")
            .require_equals(true)
            .action(ArgAction::Append)
            .value_name("'NAME VALUE'")
            .help("the value of a path variable of .mlb and .cm files"),
        Arg::new("mlb-path-map")
            .long("mlb-path-map")
            .require_equals(true)
            .action(ArgAction::Append)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("a file with such values, one a line; also the variable LEAT_MLB_PATH_MAP"),
        Arg::new("default-ann")
            .long("default-ann")
            .require_equals(true)
            .action(ArgAction::Append)
            .value_name("ANNOTATION")
            .help("an annotation for all sources, as 'nonexhaustiveMatch ignore'"),
        Arg::new("c-library")
            .short('l')
            .action(ArgAction::Append)
            .value_name("NAME")
            .help_heading("Foreign functions")
            .help("a library of C"),
        Arg::new("library-folder")
            .short('L')
            .action(ArgAction::Append)
            .value_name("FOLDER")
            .value_parser(clap::value_parser!(PathBuf))
            .help_heading("Foreign functions")
            .help("where libraries are looked for"),
        foreign_words("pkg-config", "NAME", "a library of C, as pkg-config knows it"),
        foreign_words("cc-opt", "OPTION", "for the C compiler, when it compiles files of C"),
        foreign_words("link-opt", "OPTION", "for the C compiler, when it links"),
        Arg::new("export-header")
            .long("export-header")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help_heading("Foreign functions")
            .help("a header of C that is written, with the functions that the program exports"),
        flag(
            "check-foreign",
            "looks at each call of C: tells of those that take long, and moves every object behind each",
        )
        .help_heading("Foreign functions"),
        Arg::new("default-type")
            .long("default-type")
            .require_equals(true)
            .value_parser(["int32", "word32", "int64", "word64"])
            .help_heading("Foreign functions")
            .help("what `int` and `word` are in the types of foreign functions [default: int32]"),
        Arg::new("color")
            .long("color")
            .require_equals(true)
            .value_parser(["auto", "always", "never"])
            .default_value("auto")
            .help("colours in messages"),
        Arg::new("message-format")
            .long("message-format")
            .require_equals(true)
            .value_parser(["human", "json"])
            .default_value("human")
            .help("json: messages for tools, one JSON object a line on standard error"),
        Arg::new("lib")
            .long("lib")
            .require_equals(true)
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help("the library's sources, to be compiled instead of the built-in ones"),
    ]
}

/// Those options of the compiler that concern C.
fn foreign_args() -> Vec<Arg> {
    compile_args().into_iter().filter(|arg| arg.get_help_heading() == Some("Foreign functions")).collect()
}

/// Those that were given, as words for another `leat`.
fn given_foreign_words(matches: &ArgMatches) -> Vec<OsString> {
    let mut words = Vec::new();
    let texts = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    words.extend(texts("c-library").into_iter().map(|name| format!("-l{name}").into()));
    for folder in matches.get_many::<PathBuf>("library-folder").into_iter().flatten() {
        words.extend(["-L".into(), folder.clone().into_os_string()]);
    }
    for name in ["pkg-config", "cc-opt", "link-opt", "default-type"] {
        words.extend(texts(name).into_iter().map(|value| format!("--{name}={value}").into()));
    }
    for file in matches.get_many::<PathBuf>("export-header").into_iter().flatten() {
        words.extend(["--export-header".into(), file.clone().into_os_string()]);
    }
    words.extend(matches.get_flag("check-foreign").then(|| "--check-foreign".into()));
    words
}

fn foreign_words(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .require_equals(true)
        .action(ArgAction::Append)
        .value_name(value)
        .help_heading("Foreign functions")
        .help(help)
}

/// Whoever names a file or library of C wants to call it.
fn allow_foreign(options: &mut Options) {
    if !options.linking.is_empty() {
        options.annotations.insert(0, "allowFFI true".to_string());
    }
}

/// The files that are no files of C; these go to the linker.
fn without_foreign(files: Vec<PathBuf>, options: &mut Options) -> Vec<PathBuf> {
    let (foreign, others) = files.into_iter().partition(|file| is_foreign(file));
    options.linking.files = foreign;
    allow_foreign(options);
    others
}

/// The files that are named, those of C for `options`; nothing stands for the folder's project. The error is the
/// message.
fn files_of(matches: &ArgMatches, options: &mut Options) -> Result<Vec<PathBuf>, String> {
    let files = files::or_project(&without_foreign(named(matches), options))?;
    options.linking.files.iter().try_for_each(|file| files::is_there(file))?;
    Ok(files)
}

/// What of C a program is made with, but for its files.
fn linking(matches: &ArgMatches) -> Linking {
    let words = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    Linking {
        files: Vec::new(),
        libraries: words("c-library"),
        folders: matches.get_many::<PathBuf>("library-folder").into_iter().flatten().cloned().collect(),
        cc_options: words("cc-opt"),
        link_options: words("link-opt"),
        export_header: matches.get_one::<PathBuf>("export-header").cloned(),
        packages: words("pkg-config"),
        json: false,
    }
}

/// `--nursery=SIZE`, `--gc-stress[=N]`, `--gc-log`: as the runtime spells its options.
fn runtime_arg(text: &'static str, help: &'static str) -> Arg {
    let name = text.trim_start_matches("--").split(['=', '[']).next().unwrap_or(text);
    let arg = Arg::new(name).long(name).help(help).help_heading("Runtime options");
    match (text.contains("[="), text.split_once('=')) {
        (true, Some((_, value))) => {
            arg.value_name(value.trim_end_matches(']')).num_args(0..=1).require_equals(true).default_missing_value("")
        }
        (false, Some((_, value))) => arg.value_name(value).require_equals(true),
        (_, None) => arg.action(ArgAction::SetTrue),
    }
}

fn options(matches: &ArgMatches) -> Result<Options, String> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let mut options = Options { optimise: text("O") != Some("0"), ..Options::default() };
    // The variable is for tests: whatever they compile is verified, by whatever way they come to it.
    if let Some(verify) = text("verify").map(str::to_string).or_else(|| std::env::var("LEAT_VERIFY").ok()) {
        options.verify = verify.parse()?;
    }
    for dump in matches.get_many::<String>("dump").into_iter().flatten() {
        options.dumps.push(dump.parse()?);
    }
    options.dump_fn = text("dump-fn").map(str::to_string);
    options.stop_after = text("stop-after").map(str::parse::<Stage>).transpose()?;
    options.time_passes = matches.get_flag("time-passes");
    options.color = match text("color") {
        Some("always") => true,
        Some("never") => false,
        _ => std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none(),
    };
    options.json = text("message-format") == Some("json");
    options.library = matches.get_one::<PathBuf>("lib").cloned();
    if let Some(folder) = options.library.as_ref().filter(|folder| !folder.join("basis/basis.list").is_file()) {
        let folder = folder.display();
        return Err(format!("--lib={folder}: the library is not there: it has no file basis/basis.list"));
    }
    options.path_maps.extend(std::env::var_os("LEAT_MLB_PATH_MAP").filter(|file| !file.is_empty()).map(PathBuf::from));
    options.path_maps.extend(matches.get_many::<PathBuf>("mlb-path-map").into_iter().flatten().cloned());
    // A program without an .mlb file asks for none of them.
    if let Some(file) = options.path_maps.iter().find(|file| matches!(file.try_exists(), Ok(false))) {
        return Err(format!("there is no path map {}", file.display()));
    }
    for text in matches.get_many::<String>("mlb-path-var").into_iter().flatten() {
        let var = leat_driver::path_variable(text).ok_or("--mlb-path-var is followed by 'NAME VALUE'")?;
        options.path_vars.push(var);
    }
    for annotation in matches.get_many::<String>("default-ann").into_iter().flatten() {
        leat_driver::units::settings::Settings::check(annotation)?;
        options.annotations.push(annotation.clone());
    }
    options.linking = Linking { json: options.json, ..linking(matches) };
    if matches.get_flag("check-foreign") {
        options.annotations.push("checkForeign true".to_string());
    }
    if text("default-type").is_some_and(|ty| ty.ends_with("64")) {
        options.annotations.push("foreignInt 64".to_string());
    }
    Ok(options)
}

fn runtime_options(matches: &ArgMatches) -> Result<RuntimeOptions, String> {
    let mut options = RuntimeOptions::default();
    for word in runtime_words(matches, "") {
        options.take(&word)?;
    }
    options.check()?;
    Ok(options)
}

/// The runtime's options among the arguments, as the runtime spells them; all but one.
fn runtime_words(matches: &ArgMatches, except: &str) -> Vec<String> {
    let name_of = |text: &'static str| text.trim_start_matches("--").split(['=', '[']).next().unwrap_or(text);
    let names = leat_driver::RUNTIME_HELP.iter().map(|(text, _)| name_of(text)).filter(|&name| name != except);
    let given = names.filter(|name| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine));
    given
        .map(|name| match matches.try_get_one::<String>(name) {
            Ok(Some(value)) if !value.is_empty() => format!("--{name}={value}"),
            _ => format!("--{name}"),
        })
        .collect()
}

fn print_pipeline(matches: &ArgMatches) -> u8 {
    match options(matches) {
        Ok(options) => {
            leat_driver::say::show(&leat_driver::pipeline::describe(&options));
            0
        }
        Err(message) => usage(&message),
    }
}

fn run(matches: &ArgMatches, of_c: Vec<PathBuf>) -> u8 {
    let (mut options, runtime) = match (options(matches), runtime_options(matches)) {
        (Ok(options), Ok(runtime)) => (options, runtime),
        (Err(message), _) | (_, Err(message)) => return usage(&message),
    };
    options.align = runtime.align as u32;
    options.watch = leat_driver::options::watch(&runtime);
    options.symbols = profile::symbols(matches);
    options.count_calls = profile::is_of(&runtime, ProfileKind::Calls);
    options.tell_types = profile::is_of(&runtime, ProfileKind::Alloc);
    options.main = matches.get_one::<String>("main").cloned();
    let json = options.json;
    let mut words: Vec<OsString> = matches.get_many::<OsString>("program").into_iter().flatten().cloned().collect();
    let mut exp = None;
    if let Some(mut given) = matches.get_many::<OsString>("exp") {
        match given.next().map(|text| text.clone().into_string()) {
            Some(Ok(text)) => exp = Some(text),
            _ => return usage("the text of -e is no UTF-8"),
        }
        words = given.cloned().collect();
        // Who writes that the options end here means the same.
        if words.first().is_some_and(|word| word == "--") {
            words.remove(0);
        }
    }
    if let Err(message) = of_c.iter().try_for_each(|file| files::is_there(file)) {
        return files_usage(&message, json);
    }
    options.linking.files = of_c;
    allow_foreign(&mut options);
    if matches.get_flag("watch") {
        return match words.first() {
            _ if exp.is_some() => usage("--watch needs a file, but the program is the text of -e"),
            Some(word) if word == "-" => usage("--watch needs a file, but the program is standard input"),
            word => match files::or_project(&word.map(PathBuf::from).into_iter().collect::<Vec<_>>()) {
                Ok(files) => rerun::run(&files),
                Err(message) => usage(&message),
            },
        };
    }
    // A program that comes through a pipe is one text, as that of -e is.
    let text_name = if exp.is_none() && words.first().is_some_and(|word| word == "-") {
        words.remove(0);
        match piped() {
            Ok(text) => exp = Some(text),
            Err(failure) => return report(failure, json),
        }
        "-"
    } else {
        "-e"
    };
    // With -e every other word is the program's.
    let mut file = None;
    if exp.is_none() {
        let named: Vec<PathBuf> = words.drain(..words.len().min(1)).map(PathBuf::from).collect();
        match files::or_project(&named) {
            Ok(mut files) => file = files.pop(),
            Err(message) => return files_usage(&message, json),
        }
    }
    let may_debug = runtime.explore > 0 && options.main.is_none() && options.linking.files.is_empty();
    let mut session = match Session::new(options) {
        Ok(session) => session,
        Err(failure) => return report(failure, json),
    };
    let name = file.as_ref().map_or_else(|| text_name.to_string(), |file| file.display().to_string());
    let input = match (&exp, &file) {
        (Some(text), _) => Input::Text(text_name, text.clone()),
        (None, Some(file)) => Input::File(file),
        (None, None) => return usage("a file or -e EXP is needed"),
    };
    let compiled = session.compile(input);
    tell(&match exp {
        // Nothing else shows those of an expression.
        Some(_) => session.take_warnings(),
        None => session.take_warnings_in_short(),
    });
    if let Some(file) = file.as_ref().filter(|_| may_debug) {
        let words = words.iter().map(|word| test::quoted(&word.to_string_lossy()));
        let command: Vec<String> = [test::quoted(&file.display().to_string())].into_iter().chain(words).collect();
        leat_driver::advise_after_failing_seed(format!(
            "`leat debug --explore={} {}` goes to such a failure in the debugger, where a seed makes another run",
            runtime.explore,
            command.join(" ")
        ));
    }
    let result = compiled.and_then(|ssa| leat_driver::run(&mut session, &ssa, &runtime, &name, &words));
    match result {
        Ok(code) => code as u8,
        Err(failure) => report(failure, json),
    }
}

/// The program that comes on standard input.
fn piped() -> Result<String, Failure> {
    let bytes = leat_driver::text::read_bounded(std::io::stdin().lock()).map_err(|error| error.to_string());
    bytes
        .and_then(|bytes| leat_driver::text::check_length(&bytes).map(|()| leat_fmt::decode(bytes)))
        .map_err(|reason| Failure::Trouble(format!("standard input: {reason}")))
}

/// The sources that are named, of which `-` comes on standard input.
fn inputs<'f>(files: impl Iterator<Item = &'f PathBuf>) -> Result<Vec<Input<'f>>, Failure> {
    let input = |file: &'f PathBuf| match file.as_os_str() == "-" {
        true => Ok(Input::Text("-", piped()?)),
        false => Ok(Input::File(file)),
    };
    files.map(input).collect()
}

fn build(matches: &ArgMatches) -> u8 {
    let mut options = match options(matches) {
        Ok(options) => options,
        Err(message) => return usage(&message),
    };
    options.align = matches.get_one::<String>("align").and_then(|text| text.parse().ok()).unwrap_or(8);
    options.count_calls = matches.get_flag("count-calls");
    options.tell_types = matches.get_flag("alloc-types");
    options.main = matches.get_one::<String>("main").cloned();
    if let Some(words) = matches.get_one::<String>("runtime") {
        if let Err(message) = built_in(words) {
            return usage(&format!("--runtime: {message}"));
        }
        options.runtime = words.clone();
    }
    let (time, json) = (options.time_passes, options.json);
    let files = match files_of(matches, &mut options) {
        Ok(files) => files,
        Err(message) => return files_usage(&message, json),
    };
    // The program has the last file's name: that is the one that uses the others.
    let file = &files[files.len() - 1];
    let is_library = matches.get_one::<String>("format").is_some_and(|format| format == "library");
    let product = match (matches.get_flag("object"), is_library) {
        (true, _) => Product::Object,
        (false, true) => Product::Library,
        (false, false) => Product::Executable,
    };
    let output = match matches.get_one::<PathBuf>("output") {
        Some(output) => output.clone(),
        None if file.as_os_str() == "-" => return usage("a program from standard input has no name: give one with -o"),
        None if product == Product::Object => file.with_extension("o"),
        None if product == Product::Library => file.with_extension("a"),
        None => files::program_name(file),
    };
    let itself = |output: &Path| format!("{} is the program itself: name another file with -o", output.display());
    if files::is_one_of(&output, files.iter().chain(&options.linking.files)) {
        return usage(&itself(&output));
    }
    let result = Session::new(options).and_then(|mut session| {
        let compiled = session.compile_all(inputs(files.iter())?);
        tell(&session.take_warnings_in_short());
        let compiled = compiled?;
        // The sources that a description names.
        let sources: Vec<&Path> = session.sources.files().map(|(_, source)| Path::new(&*source.name)).collect();
        if files::is_one_of(&output, sources.iter()) {
            return Err(Failure::Trouble(itself(&output)));
        }
        let result = leat_driver::build(&mut session, &compiled, &output, product);
        if time {
            tell(&session.times());
        }
        result
    });
    match result {
        Ok(()) => 0,
        Err(failure) => report(failure, json),
    }
}

/// Whether a program can be built with these options of the runtime.
fn built_in(words: &str) -> Result<(), String> {
    let mut options = RuntimeOptions::default();
    options.take_all(words)?;
    options.check_built()?;
    match words.split_ascii_whitespace().find(|word| word.starts_with("--align")) {
        Some(word) => Err(format!("{word} is an option of leat build itself")),
        None => Ok(()),
    }
}

fn check(matches: &ArgMatches) -> u8 {
    let mut options = match options(matches) {
        Ok(options) => options,
        Err(message) => return usage(&message),
    };
    options.stop_after = options.stop_after.or(Some(Stage::Lambda));
    options.main = matches.get_one::<String>("main").cloned();
    let (time, json) = (options.time_passes, options.json);
    let files = match files_of(matches, &mut options) {
        Ok(files) => files,
        Err(message) => return files_usage(&message, json),
    };
    let result = Session::new(options).and_then(|mut session| {
        // A file of tests alone is checked with what `leat test` compiles before it.
        let before = if let [file] = &*files { leat_driver::project::before_test(file) } else { Vec::new() };
        let checked = session.compile_all(inputs(before.iter().chain(&files))?).map(|_| ());
        tell(&session.take_warnings());
        if time {
            tell(&session.times());
        }
        checked
    });
    match result {
        Ok(()) => 0,
        Err(failure) => report(failure, json),
    }
}

fn repl(matches: &ArgMatches) -> u8 {
    let (mut options, runtime) = match (options(matches), runtime_options(matches)) {
        (Ok(options), Ok(runtime)) => (options, runtime),
        (Err(message), _) | (_, Err(message)) => return usage(&message),
    };
    options.align = runtime.align as u32;
    options.watch = leat_driver::options::watch(&runtime);
    let json = options.json;
    let files = matches.get_many::<PathBuf>("files").into_iter().flatten().cloned();
    let files = files::given(&without_foreign(files.collect(), &mut options));
    let files = match options.linking.files.iter().try_for_each(|file| files::is_there(file)).and(files) {
        Ok(files) => files,
        Err(message) => return files_usage(&message, json),
    };
    match leat_repl::run(options, &runtime, &files) {
        Ok(code) => code as u8,
        Err(failure) => report(failure, json),
    }
}

/// The files that stand on the command line.
fn named(matches: &ArgMatches) -> Vec<PathBuf> {
    matches.get_many::<PathBuf>("file").into_iter().flatten().cloned().collect()
}

fn usage(message: &str) -> u8 {
    tell(&format!("leat: {message}\n"));
    USAGE
}

/// Likewise of the files that are named, whose messages a tool reads with those about their contents.
fn files_usage(message: &str, json: bool) -> u8 {
    if !json {
        return usage(message);
    }
    tell(&leat_driver::trouble_as_json(message));
    USAGE
}

/// For commands that have no options of the compiler.
fn report_plain(failure: Failure) -> u8 {
    report(failure, false)
}

fn report(failure: Failure, json: bool) -> u8 {
    match failure {
        Failure::Stopped => 0,
        Failure::Errors(text) => {
            tell(&text);
            1
        }
        Failure::Trouble(message) if json => {
            tell(&leat_driver::trouble_as_json(&message));
            1
        }
        Failure::Trouble(message) => {
            tell(&format!("leat: {message}\n"));
            1
        }
    }
}
