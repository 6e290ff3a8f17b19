//! `leat completions` and `leat man`: the command line's own description -> what shells and `man` read.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;
use leat_driver::say::{show, tell};

pub fn command() -> Command {
    Command::new("completions")
        .about("Prints a shell's completions of the command line")
        .after_help(
            "bash: leat completions bash > ~/.local/share/bash-completion/completions/leat\n\
             zsh:  leat completions zsh > a folder of $fpath, as _leat\n\
             fish: leat completions fish > ~/.config/fish/completions/leat.fish",
        )
        .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(clap::value_parser!(Shell)))
}

pub fn man_command() -> Command {
    Command::new("man").about("Writes the manual pages, one for each command").arg(
        Arg::new("folder")
            .required(true)
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help("a folder man1, as of $MANPATH"),
    )
}

pub fn run(matches: &ArgMatches) -> u8 {
    let shell = *matches.get_one::<Shell>("shell").expect("required");
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "leat", &mut text);
    show(&String::from_utf8_lossy(&text));
    0
}

pub fn run_man(matches: &ArgMatches) -> u8 {
    let folder = matches.get_one::<PathBuf>("folder").expect("required");
    let made = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(crate::command(), folder));
    match made {
        Ok(()) => 0,
        Err(error) => {
            tell(&format!("leat: {}: {error}\n", folder.display()));
            1
        }
    }
}
