//! `leat debug`: its arguments, and the server of the Debug Adapter Protocol; `leat debug-program`: a process of the program.

use std::io::{BufReader, IsTerminal};
use std::net::{Ipv4Addr, Shutdown, TcpListener};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use leat_debugger::console::{self, Plan};
use leat_debugger::dap::{Defaults, serve};
use leat_debugger::process::Config;
use leat_driver::project::{before_test, of_folder};
use leat_driver::say::tell;

use crate::files::is_program_there;
use crate::peer;
use crate::{compile_args, flag, options, runtime_arg, runtime_options, usage};

pub fn command() -> Command {
    let number = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .require_equals(true)
            .value_parser(clap::value_parser!(u64))
            .help(help)
    };
    Command::new("debug")
        .about("Debugs a program, forwards and backwards: at a terminal, or for an editor by the Debug Adapter Protocol")
        .after_help(
            "Editors start it without a program; docs/reference/debugger.md says how. What stands here is meant where the \
             editor's configuration says nothing else.",
        )
        .arg(
            number("port", "N", "listens at this port of 127.0.0.1, for one editor after the other")
                .value_parser(clap::value_parser!(u16)),
        )
        .arg(flag("console", "reads commands, and is no server [default: at a terminal]"))
        .arg(number("seed", "N", "the interleaving of threads [default: 0]"))
        .arg(number("explore", "N", "tries so many interleavings, and debugs the first one that fails"))
        .arg(
            Arg::new("stdin")
                .long("stdin")
                .value_name("FILE")
                .require_equals(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("what the program reads from standard input [default: nothing]"),
        )
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(0..)
                .trailing_var_arg(true)
                .help("its file or its project's folder, and its own arguments"),
        )
}

/// The process of a program, started by the debugger.
pub fn program_command() -> Command {
    let path = |name: &'static str| Arg::new(name).required(true).value_parser(clap::value_parser!(PathBuf));
    let mut command =
        Command::new("debug-program").hide(true).arg(path("socket")).arg(path("page")).args(compile_args());
    for (text, help) in leat_driver::RUNTIME_HELP {
        command = command.arg(runtime_arg(text, help));
    }
    command
}

pub fn run_program(matches: &ArgMatches) -> u8 {
    let (options, runtime) = match (options(matches), runtime_options(matches)) {
        (Ok(options), Ok(runtime)) => (options, runtime),
        (Err(message), _) | (_, Err(message)) => return usage(&message),
    };
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    match leat_debugger::child::run(&path("socket"), &path("page"), options, runtime) {
        Ok(code) => code as u8,
        Err(message) => {
            tell(&format!("leat: {message}\n"));
            1
        }
    }
}

pub fn run(matches: &ArgMatches) -> u8 {
    let leat = match std::env::current_exe() {
        Ok(leat) => leat,
        Err(error) => {
            tell(&format!("leat: {error}\n"));
            return 1;
        }
    };
    let mut words = matches.get_many::<String>("program").into_iter().flatten().cloned();
    let inputs_of = words.next().map(PathBuf::from);
    if let Some(Err(message)) = inputs_of.as_deref().map(is_program_there) {
        return usage(&message);
    }
    let config = Config {
        leat,
        inputs: inputs_of.map(|file| inputs(&file)).unwrap_or_default(),
        arguments: words.collect(),
        stdin: matches.get_one::<PathBuf>("stdin").cloned(),
        seed: matches.get_one::<u64>("seed").copied().unwrap_or(0),
        ..Config::default()
    };
    let explore = matches.get_one::<u64>("explore").copied().unwrap_or(0);
    let config_is_empty = config.inputs.is_empty();
    if config_is_empty && matches.get_flag("console") {
        return usage("--console needs a program");
    }
    let defaults = Defaults { config, explore, inputs: Some(inputs) };
    match matches.get_one::<u16>("port") {
        None if matches.get_flag("console") || !config_is_empty && std::io::stdin().is_terminal() => {
            let plan = Plan { config: defaults.config, explore, runs: false };
            console::run(plan, &mut std::io::stdin().lock(), &mut std::io::stdout()) as u8
        }
        None => {
            match serve(BufReader::new(std::io::stdin()), Box::new(std::io::stdout()), defaults) {
                Ok(true) => return 0,
                Ok(false) => {}
                Err(error) => {
                    tell(&format!("leat debug: cannot start a thread: {error}\n"));
                    return 1;
                }
            }
            let hint = "an editor talks to it on standard input, by the Debug Adapter Protocol";
            tell(&format!("leat debug: {hint}; with --console and a program, commands are read from there\n"));
            1
        }
        Some(&port) => match listen(port, &defaults) {
            Ok(()) => 0,
            Err(error) => {
                tell(&format!("leat: port {port}: {}\n", leat_driver::text::reason(&error)));
                1
            }
        },
    }
}

/// What is compiled for a program: for a folder its project, for a file of tests what `leat test` compiles before it.
fn inputs(file: &Path) -> Vec<String> {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let file = if file.is_dir() { of_folder(&file).map_or(file, |project| project.description) } else { file };
    let before = before_test(&file);
    before.iter().chain([&file]).map(|input| input.display().to_string()).collect()
}

fn listen(port: u16, defaults: &Defaults) -> std::io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    tell(&format!("listening at {}\n", listener.local_addr()?));
    for stream in listener.incoming() {
        let stream = stream?;
        if let Err(why) = peer::is_own(&stream) {
            tell(&format!("leat debug: a connection is refused: {why}\n"));
            continue;
        }
        let (input, output) = (BufReader::new(stream.try_clone()?), Box::new(stream.try_clone()?));
        if let Err(error) = serve(input, output, defaults.clone()) {
            tell(&format!("leat debug: cannot start a thread: {error}\n"));
        }
        // The thread that reads ends, too, whether the editor closes its end or not.
        let _ = stream.shutdown(Shutdown::Both);
    }
    Ok(())
}
