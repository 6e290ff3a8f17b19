//! `leat test-file`: one file of tests or benchmarks, compiled with its project and run in this process; for `leat test` and
//! `leat bench` only.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use leat_driver::foreign::Linking;
use leat_driver::project::{BENCH_LIBRARY, TEST_LIBRARY};
use leat_driver::say::tell;
use leat_driver::units::is_description;
use leat_driver::{Input, Session};

use crate::{compile_args, options, report, runtime_arg, runtime_options, usage, without_foreign};

/// The exit code when `leat test` cannot be told what becomes of the tests; as `EX_IOERR` of sysexits.h.
pub const CANNOT_TELL: u8 = 74;

pub fn child_command() -> Command {
    let mut command = Command::new("test-file")
        .hide(true)
        .arg(Arg::new("file").required(true).num_args(1..).value_parser(clap::value_parser!(PathBuf)))
        .args(compile_args());
    for (text, help) in leat_driver::RUNTIME_HELP {
        command = command.arg(runtime_arg(text, help));
    }
    command
}

/// Compiles what is named, in order, and runs it in the folder of the last.
pub fn run_child(matches: &ArgMatches) -> u8 {
    let (mut options, runtime) = match (options(matches), runtime_options(matches)) {
        (Ok(options), Ok(runtime)) => (options, runtime),
        (Err(message), _) | (_, Err(message)) => return usage(&message),
    };
    let json = options.json;
    options.align = runtime.align as u32;
    options.watch = leat_driver::options::watch(&runtime);
    if runtime.by_chance() {
        // The debugger's code, so that a seed means the same run there (decision 025).
        options.optimise = false;
        options.debug = Some(Vec::new());
        leat_driver::at_each_seed(tell_seed);
    }
    let files =
        without_foreign(matches.get_many::<PathBuf>("file").into_iter().flatten().cloned().collect(), &mut options);
    // The linker runs behind the change of the folder.
    let Linking { files: of_c, folders, export_header, .. } = &mut options.linking;
    for path in of_c.iter_mut().chain(folders).chain(export_header) {
        if let Ok(whole) = std::path::absolute(&*path) {
            *path = whole;
        }
    }
    let file = &files[files.len() - 1];
    let is_bench = file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("bench"));
    let library = (!is_description(file)).then_some(Path::new(if is_bench { BENCH_LIBRARY } else { TEST_LIBRARY }));
    let mut told = true;
    let result = Session::new(options).and_then(|mut session| {
        let inputs = library.into_iter().chain(files.iter().map(PathBuf::as_path)).map(Input::File);
        let compiled = session.compile_all(inputs);
        tell(&session.take_warnings());
        let compiled = compiled?;
        if let Err(trouble) = tell_compiled() {
            told = false;
            return Err(trouble);
        }
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::env::set_current_dir(folder)
                .map_err(|error| leat_driver::Failure::Trouble(format!("{}: {error}", folder.display())))?;
        }
        leat_driver::run(&mut session, &compiled, &runtime, &file.display().to_string(), &[])
    });
    match result {
        Ok(code) => code as u8,
        Err(failure) => {
            let code = report(failure, json);
            if told { code } else { CANNOT_TELL }
        }
    }
}

/// From here on the time is the program's.
fn tell_compiled() -> Result<(), leat_driver::Failure> {
    report_line("0\tC\n").map_err(|(path, error)| {
        let reason = leat_driver::text::reason(&error);
        leat_driver::Failure::Trouble(format!(
            "what becomes of the tests cannot be written to {}: {reason}",
            path.display()
        ))
    })
}

/// This process runs with the seed.
fn tell_seed(seed: u64) {
    // Without the line no command for the debugger can be told.
    let _ = report_line(&format!("{}\tS\t{seed}\n", std::process::id()));
}

/// A line for `leat test`, if it waits for one.
fn report_line(line: &str) -> Result<(), (PathBuf, std::io::Error)> {
    let Some(path) = std::env::var_os("LEAT_TEST_REPORT").map(PathBuf::from) else { return Ok(()) };
    let told = std::fs::File::options().append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    told.map_err(|error| (path, error))
}
