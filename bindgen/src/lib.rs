//! A header of C -> a structure of SML, its signature, a description, and the C that is needed between them:
//! `leat bindgen`.
//!
//! ```text
//! point.h --clang.rs--> declarations of C --read.rs--> Header (model.rs) --sml.rs--> point.sig, point.sml, point.mlb
//!                                                                        --glue.rs-> point_glue.c
//! ```
//!
//! libclang reads the header: sizes, places of fields and values of constants are those of the C compiler. What is made
//! is for the machine on which it is made.

mod clang;
mod glue;
mod model;
mod names;
mod read;
mod sml;

use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;

use clang::{Type, Unit, Value, kind, types};
use model::Constants;

/// What the command line asks for.
pub struct Options {
    /// As it was named: a path, or what `#include <..>` finds.
    pub header: String,
    /// The folder of what is made.
    pub output: PathBuf,
    /// The structure's name; else the header's.
    pub structure: Option<String>,
    /// What names of C begin with, and those of SML do not.
    pub prefixes: Vec<String>,
    /// Names that are bound; else all.
    pub allow: Option<Regex>,
    /// Further headers that are bound, by their paths.
    pub headers: Vec<Regex>,
    /// Attributes of functions, by name; the last one that fits counts.
    pub attributes: Vec<Rule>,
    /// What parameters are (`pointer`, `ref`, `string`, `vector`, `array`), by `FUNCTION.PARAMETER`.
    pub params: Vec<Rule>,
    /// `-I`, `-D` and their like.
    pub compiler: Vec<String>,
    /// Comments that are no documentation for the compiler are so here.
    pub all_comments: bool,
}

/// `PATTERN=VALUE`
pub struct Rule {
    pub pattern: Regex,
    pub value: String,
}

impl Rule {
    /// Reads it; the value is behind the last `=`.
    pub fn read(text: &str) -> Result<Rule, String> {
        let (pattern, value) =
            text.rsplit_once('=').ok_or_else(|| format!("`{text}` is not of the form PATTERN=VALUE"))?;
        Ok(Rule { pattern: pattern_of(pattern)?, value: value.to_string() })
    }
}

/// A pattern of a whole name.
pub fn pattern_of(text: &str) -> Result<Regex, String> {
    Regex::new(&format!("^(?:{text})$")).map_err(|error| format!("`{text}` is no pattern: {error}"))
}

/// What was made: names of files in the folder of the output, and their texts.
pub struct Made {
    pub files: Vec<(String, String)>,
    /// How many functions, constants, structures are bound; how many names are not.
    pub counts: [usize; 4],
}

/// The error is a message.
pub fn make(options: &Options) -> Result<Made, String> {
    let stem = Path::new(&options.header).file_stem().and_then(|stem| stem.to_str()).unwrap_or("header").to_string();
    let structure = options.structure.clone().unwrap_or_else(|| names::structure(&stem));
    if !names::is_structure(&structure) {
        return Err(format!("`{structure}` is no name of a structure"));
    }
    let include = include_of(options);
    let roots = roots();
    let mut words: Vec<String> = vec!["-xc".into(), "-std=gnu11".into(), "-ferror-limit=0".into(), "-w".into()];
    words.extend(options.compiler.iter().cloned());
    if options.all_comments {
        words.push("-fparse-all-comments".to_string());
    }
    for root in &roots {
        words.extend(["-idirafter".to_string(), root.display().to_string()]);
    }
    let text = format!("#include {}\n", include.for_clang);
    let unit = Unit::parse(&text, &words, true)?;
    let errors = unit.errors();
    if !errors.is_empty() {
        return Err(format!("the header has errors:\n{}", errors.join("\n")));
    }
    let main = main_file(&unit, &options.header).ok_or_else(|| format!("there is no header {}", options.header))?;
    let header = read::read(&unit, &main, &roots, options, |names| values(&text, &words, names));
    let glue = glue::glue(&header, &stem, &include.for_cc);
    let bound = header.imports.len() + header.variables.len();
    let constants = header.constants.len() + header.enumerations.iter().map(|all| all.constants.len()).sum::<usize>();
    let records = header.records.iter().filter(|record| record.used).count();
    let left = header.left.iter().map(|row| row.1.len()).sum();
    let printed = sml::print(&header, &stem, &structure, &options.header, glue.is_some());
    let mut files = vec![
        (format!("{stem}.sig"), printed.signature),
        (format!("{stem}.sml"), printed.structure),
        (format!("{stem}.mlb"), printed.description),
    ];
    files.extend(glue.map(|text| (format!("{stem}_glue.c"), text)));
    Ok(Made { files, counts: [bound, constants, records, left] })
}

/// How a header is included: here, and by a file in the folder of the output.
struct Include {
    for_clang: String,
    for_cc: String,
}

fn include_of(options: &Options) -> Include {
    let path = Path::new(&options.header);
    let Ok(absolute) = std::fs::canonicalize(path) else {
        let found = format!("<{}>", options.header);
        return Include { for_clang: found.clone(), for_cc: found };
    };
    let output = std::fs::canonicalize(&options.output).unwrap_or_else(|_| options.output.clone());
    // From the output up to the folder that both are in, and down to the header.
    let shared = absolute.components().zip(output.components()).take_while(|(a, b)| a == b).count();
    let up = output.components().count() - shared;
    let mut relative: PathBuf = std::iter::repeat_n("..", up).collect();
    relative.extend(absolute.components().skip(shared));
    let from_root = shared <= 1;
    let written = if from_root { &absolute } else { &relative };
    Include { for_clang: format!("\"{}\"", absolute.display()), for_cc: format!("\"{}\"", written.display()) }
}

/// The folders in which the C compiler looks for headers.
fn roots() -> Vec<PathBuf> {
    let compiler = std::env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler).args(["-E", "-v", "-x", "c", "/dev/null"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
    let lines = text.lines().skip_while(|line| !line.starts_with("#include <...>")).skip(1);
    let folders = lines.take_while(|line| line.starts_with(' '));
    folders.filter_map(|line| std::fs::canonicalize(line.trim()).ok()).collect()
}

/// The file of the header itself, among those that declare something.
fn main_file(unit: &Unit, header: &str) -> Option<PathBuf> {
    if let Ok(path) = std::fs::canonicalize(header) {
        return Some(path);
    }
    let mut files: Vec<PathBuf> = unit.cursors().into_iter().filter_map(|cursor| cursor.file()).collect();
    files.dedup();
    files.into_iter().filter(|file| file.ends_with(header)).find_map(|file| std::fs::canonicalize(file).ok())
}

/// Kinds of types of reals.
const REALS: [i32; 3] = [types::FLOAT, types::DOUBLE, types::LONGDOUBLE];

/// The values of macros: each becomes the initializer of a variable, and an address that is a number that of another.
/// An error is a value that is not bound, with the reason; nothing what is no constant.
fn values(text: &str, words: &[String], names: &[String]) -> Vec<Option<Result<Constants, &'static str>>> {
    let mut text = text.to_string();
    for (i, name) in names.iter().enumerate() {
        text.push_str(&format!("static const __auto_type leat_value_{i} = {name};\n"));
        text.push_str(&format!("static const unsigned long leat_address_{i} = (unsigned long) ({name});\n"));
        text.push_str(&format!("static const unsigned long leat_size_{i} = sizeof ({name});\n"));
    }
    let Ok(unit) = Unit::parse(&text, words, false) else { return vec![None; names.len()] };
    let mut values = vec![None; names.len()];
    let mut addresses = vec![false; names.len()];
    for cursor in unit.cursors().into_iter().filter(|cursor| cursor.kind() == kind::VARIABLE) {
        let name = cursor.name();
        if let Some(i) = name.strip_prefix("leat_value_").and_then(|i| i.parse::<usize>().ok()) {
            // What has no type was no expression.
            if cursor.ty().size().is_some_and(|size| size > 0) {
                let ty = cursor.ty().canonical();
                addresses[i] = ty.kind() == types::POINTER;
                values[i] = cursor.value().map(|value| whole(value, ty).map(Constants::Value));
            }
        } else if let Some(i) = name.strip_prefix("leat_address_").and_then(|i| i.parse::<usize>().ok())
            && !matches!(values[i], Some(Ok(_)))
            && addresses[i]
            && let Some(Value::Word(address)) = cursor.value()
        {
            values[i] = Some(Ok(Constants::Pointer(address)));
        } else if let Some(i) = name.strip_prefix("leat_size_").and_then(|i| i.parse::<usize>().ok())
            && let Some(Ok(Constants::Value(Value::Text(text)))) = &values[i]
            && let Some(Value::Word(size)) = cursor.value()
            && size > text.len() as u64 + 1
        {
            // libclang gives a text up to its first zero byte.
            values[i] = Some(Err("a text with a zero byte in it"));
        }
    }
    values
}

/// The value, if it is the type's and has not lost a part; else why it is not bound.
fn whole(value: Value, ty: Type<'_>) -> Result<Value, &'static str> {
    let (is_whole, reason) = match &value {
        Value::Real(real) => (real.is_finite() && REALS.contains(&ty.kind()), "a real that is not finite"),
        Value::Text(_) => {
            ([types::CHAR_S, types::CHAR_U].contains(&ty.pointee().canonical().kind()), "a text of wide characters")
        }
        // Numbers of 128 bits are cut.
        _ => (ty.size().is_some_and(|size| size <= 8), "a number of more than 64 bits"),
    };
    if is_whole { Ok(value) } else { Err(reason) }
}
