//! `leat bindgen`: a header of C -> a structure of SML with its signature, and the C that is needed between them.

use std::fs;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use leat_base::counted;
use leat_bindgen::{Options, Rule, pattern_of};
use leat_driver::Failure;
use leat_driver::say::{show, tell};

use crate::{flag, report_plain, usage};

pub fn command() -> Command {
    let several = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help(help)
    };
    Command::new("bindgen")
        .about("Makes a structure of a header of C: its functions, structures and constants")
        .after_help(
            "Makes NAME.sig, NAME.sml and NAME.mlb of NAME.h, and NAME_glue.c where functions of C are needed between.\n\
             Patterns are regular expressions of whole names; where several fit, the last one counts.",
        )
        .arg(
            Arg::new("header")
                .value_name("HEADER")
                .required(true)
                .help("a file, or a name that `#include <..>` finds"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .default_value(".")
                .help("the folder of what is made"),
        )
        .arg(Arg::new("structure").long("structure").value_name("NAME").help("the structure's name [default: the header's]"))
        .arg(several("prefix", "TEXT", "what names of C begin with, in capitals or not, and those of SML do not"))
        .arg(Arg::new("allow").long("allow").value_name("PATTERN").help("only functions, variables, constants and types with such names"))
        .arg(several("headers", "PATTERN", "binds included headers with such paths, too"))
        .arg(several("attribute", "PATTERN=ATTRIBUTES", "how functions with such names are called, as 'read=blocking errno'"))
        .arg(several(
            "param",
            "PATTERN=KIND",
            "what a parameter is, by FUNCTION.PARAMETER: pointer, ref, string, vector or array",
        ))
        .arg(flag("all-comments", "takes each comment before a declaration for its documentation"))
        .arg(Arg::new("include").short('I').value_name("DIR").action(ArgAction::Append).help("where headers are looked for"))
        .arg(Arg::new("define").short('D').value_name("NAME[=VALUE]").action(ArgAction::Append).help("a macro that is defined"))
        .arg(several("clang-opt", "OPTION", "for libclang, as it reads the header").require_equals(true))
}

pub fn run(matches: &ArgMatches) -> u8 {
    match options(matches) {
        Ok(options) => make(&options).unwrap_or_else(|message| report_plain(Failure::Trouble(message))),
        Err(message) => usage(&message),
    }
}

fn options(matches: &ArgMatches) -> Result<Options, String> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let all = |name: &str| matches.get_many::<String>(name).into_iter().flatten();
    let mut compiler: Vec<String> = all("include").map(|folder| format!("-I{folder}")).collect();
    compiler.extend(all("define").map(|name| format!("-D{name}")));
    compiler.extend(all("clang-opt").cloned());
    Ok(Options {
        header: text("header").unwrap_or_default(),
        output: matches.get_one::<PathBuf>("output").cloned().unwrap_or_default(),
        structure: text("structure"),
        prefixes: all("prefix").cloned().collect(),
        allow: text("allow").map(|text| pattern_of(&text)).transpose()?,
        headers: all("headers").map(|text| pattern_of(text)).collect::<Result<_, _>>()?,
        attributes: all("attribute").map(|text| Rule::of_attributes(text)).collect::<Result<_, _>>()?,
        params: all("param").map(|text| Rule::of_parameters(text)).collect::<Result<_, _>>()?,
        compiler,
        all_comments: matches.get_flag("all-comments"),
    })
}

fn make(options: &Options) -> Result<u8, String> {
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let made = leat_bindgen::make(options)?;
    made.warnings.iter().for_each(|warning| tell(&format!("leat: warning: {warning}\n")));
    for (name, text) in &made.files {
        let path = folder.join(name);
        // What is made is in the style of `leat fmt`; if that has a defect, it is right nevertheless.
        let is_sml = name.ends_with(".sml") || name.ends_with(".sig");
        let formatted = if is_sml { leat_fmt::format(text).ok() } else { None };
        let text = formatted.as_ref().unwrap_or(text);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        show(&format!("{}\n", path.display()));
    }
    let [functions, constants, records, left] = made.counts;
    show(&format!(
        "{}, {}, {}; {left} not bound\n",
        counted(functions, "function"),
        counted(constants, "constant"),
        counted(records, "structure"),
    ));
    Ok(0)
}
