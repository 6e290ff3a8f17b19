//! `leat lsp`: its arguments, and the call of the server.

use clap::Command;
use leat_driver::Options;

pub fn command(compile_args: Vec<clap::Arg>) -> Command {
    Command::new("lsp")
        .about("Serves an editor: the Language Server Protocol on standard input and output")
        .after_help(
            "Editors start it; docs/guide/editors.md says how. Exit code: 0 after `shutdown` and `exit`, else 1.",
        )
        // Some clients say it to every server.
        .arg(clap::Arg::new("stdio").long("stdio").action(clap::ArgAction::SetTrue).help("no effect: it is always so"))
        .args(compile_args)
}

pub fn run(options: Result<Options, String>) -> Result<u8, String> {
    options.map(leat_lsp::serve)
}
