//! A header of C -> a structure of SML, its signature, a description, and the C that is needed between them:
//! `leat bindgen`.
//!
//! ```text
//! point.h --clang.rs--> declarations of C --read.rs--> Header (model.rs) --sml.rs--> point.sig, point.sml, point.mlb
//!                                                                        --glue.rs-> point_glue.c
//! ```
//!
//! Which of the headers that it includes belong to it says belong.rs.
//!
//! libclang reads the header: sizes, places of fields and values of constants are those of the C compiler. What is made
//! is for the machine on which it is made.

mod belong;
mod clang;
mod glue;
mod model;
mod names;
mod read;
mod sml;

use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;

use belong::Belong;
use clang::{Type, Unit, Value, kind, types};
use model::{Constants, Header};

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
    /// As it was written, with its option.
    written: String,
}

impl Rule {
    /// Reads it; the value is behind the last `=`.
    fn read(option: &str, text: &str) -> Result<Rule, String> {
        let (pattern, value) =
            text.rsplit_once('=').ok_or_else(|| format!("`{text}` is not of the form PATTERN=VALUE"))?;
        Ok(Rule { pattern: pattern_of(pattern)?, value: value.to_string(), written: format!("--{option} '{text}'") })
    }

    /// `read=blocking errno`
    pub fn of_attributes(text: &str) -> Result<Rule, String> {
        let rule = Rule::read("attribute", text)?;
        let words: Vec<&str> = rule.value.split_ascii_whitespace().collect();
        if let Some(other) = words.iter().find(|word| !ATTRIBUTES.contains(word) && !NOTHING.contains(word)) {
            let known = ATTRIBUTES.map(|word| format!("`{word}`")).join(", ");
            return Err(format!(
                "{}: there is no attribute `{other}` of foreign functions; there are {known}",
                rule.written
            ));
        }
        let alone = words.iter().find(|word| ALONE.contains(word));
        let beside = words.iter().find(|word| ATTRIBUTES.contains(word) && !ALONE.contains(word));
        match (alone, beside) {
            (Some(alone), Some(beside)) => {
                Err(format!("{}: `{alone}` and `{beside}` exclude each other", rule.written))
            }
            _ => Ok(rule),
        }
    }

    /// `sum.numbers=vector`
    pub fn of_parameters(text: &str) -> Result<Rule, String> {
        let rule = Rule::read("param", text)?;
        if !KINDS.contains(&&*rule.value) {
            let known = KINDS.map(|kind| format!("`{kind}`")).join(", ");
            return Err(format!("{}: no parameter is a `{}`; there are {known}", rule.written, rule.value));
        }
        Ok(rule)
    }
}

/// Attributes of `_import`.
const ATTRIBUTES: [&str; 6] = ["leaf", "pure", "blocking", "reentrant", "errno", "variadic"];
/// Those that stand alone.
const ALONE: [&str; 2] = ["leaf", "pure"];
/// MLton's, which mean nothing.
const NOTHING: [&str; 6] = ["impure", "public", "private", "external", "cdecl", "stdcall"];
/// What a parameter can be said to be.
const KINDS: [&str; 5] = ["pointer", "ref", "string", "vector", "array"];

/// A pattern of a whole name.
pub fn pattern_of(text: &str) -> Result<Regex, String> {
    Regex::new(&format!("^(?:{text})$")).map_err(|error| format!("`{text}` is no pattern: {error}"))
}

/// What was made: names of files in the folder of the output, and their texts.
pub struct Made {
    pub files: Vec<(String, String)>,
    /// How many functions, constants, structures are bound; how many names are not.
    pub counts: [usize; 4],
    /// What the user ought to know.
    pub warnings: Vec<String>,
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
    let gccs = gccs(&words)?;
    let vectors = if gccs.is_some() { VECTORS } else { "" };
    let text = format!("{vectors}#include {}\n", include.for_clang);
    let unit = Unit::parse(&text, &words, true)?;
    let errors = unit.errors();
    if !errors.is_empty() {
        let hint = gccs.filter(|folder| errors.iter().any(|error| error.contains(&*folder.to_string_lossy())));
        let hint = hint.map(|_| {
            let package = clang::release().map_or_else(String::new, |n| format!(" libclang-common-{n}-dev"));
            format!(
                "\nSome are in headers of gcc, which are read since those of libclang itself are not installed; on Debian \
                 they are in the package{package}"
            )
        });
        return Err(format!("the header has errors:\n{}{}", errors.join("\n"), hint.unwrap_or_default()));
    }
    let belong = Belong::new(&unit, &options.header, &roots, &options.headers)
        .ok_or_else(|| format!("there is no header {}", options.header))?;
    let (header, vain) = read::read(&unit, &belong, options, |names| values(&text, &words, names));
    let mut warnings: Vec<String> =
        vain.iter().map(|rule| format!("{} fits nothing that is bound", rule.written)).collect();
    let pattern = |pattern: &Regex| pattern.as_str().trim_start_matches("^(?:").trim_end_matches(")$").to_string();
    warnings.extend(belong.vain().map(|vain| format!("--headers '{}' fits no file that is included", pattern(vain))));
    let glue = glue::glue(&header, &stem, &include.for_cc);
    let bound = header.imports.len() + header.variables.len();
    let constants = header.constants.len() + header.enumerations.iter().map(|all| all.constants.len()).sum::<usize>();
    let records = header.records.iter().filter(|record| record.used).count();
    let left = header.left.iter().map(|row| row.1.len()).sum();
    if bound + constants + records == 0 && !header.functions.iter().any(|function| function.used) {
        return Err(nothing(options, &header, &belong.elsewhere(&unit, options.allow.as_ref()), &warnings));
    }
    let printed = sml::print(&header, &stem, &structure, &options.header, glue.is_some());
    let mut files = vec![
        (format!("{stem}.sig"), printed.signature),
        (format!("{stem}.sml"), printed.structure),
        (format!("{stem}.mlb"), printed.description),
    ];
    files.extend(glue.map(|text| (format!("{stem}_glue.c"), text)));
    Ok(Made { files, counts: [bound, constants, records, left], warnings })
}

/// Why nothing is bound, and where there is something. `elsewhere`: files that the header includes, nearest first.
fn nothing(options: &Options, header: &Header, elsewhere: &[PathBuf], warnings: &[String]) -> String {
    let mut text = format!("there is nothing in {} to bind", options.header);
    if options.allow.is_some() {
        text.push_str(" whose name fits --allow");
    }
    for (reason, names) in &header.left {
        text.push_str(&format!("\n{reason}: {}", first(names, 8)));
    }
    warnings.iter().for_each(|warning| text.push_str(&format!("\n{warning}")));
    if let Some(nearest) = elsewhere.first() {
        let files: Vec<String> = elsewhere.iter().map(|file| file.display().to_string()).collect();
        let name = nearest.file_name().unwrap_or_default().to_string_lossy().replace('.', "\\.");
        text.push_str(&format!(
            "\nThese files, which it includes, declare something: {}\n--headers binds them, too, as --headers '.*/{name}'",
            first(&files, 8)
        ));
    }
    text
}

fn first(names: &[String], most: usize) -> String {
    let rest = if names.len() > most { format!(" and {} more", names.len() - most) } else { String::new() };
    names[..names.len().min(most)].join(", ") + &rest
}

/// Where gcc's own headers are, if libclang reads these since its own are not installed.
fn gccs(words: &[String]) -> Result<Option<PathBuf>, String> {
    let unit = Unit::parse("#include <stddef.h>\n", words, true)?;
    let file = unit.cursors().into_iter().find_map(|cursor| cursor.included());
    let folder = file.and_then(|file| std::fs::canonicalize(file).ok()?.parent().map(Path::to_path_buf));
    Ok(folder.filter(|folder| folder.components().any(|part| part.as_os_str() == "gcc")))
}

/// In place of gcc's headers of the processor's vectors, which libclang cannot read: it has other functions built in.
/// A program of SML has none of these types, but a header may name them.
const VECTORS: &str = "\
#if defined __x86_64__ || defined __i386__
#define _MMINTRIN_H_INCLUDED
#define _XMMINTRIN_H_INCLUDED
#define _EMMINTRIN_H_INCLUDED
#define _PMMINTRIN_H_INCLUDED
#define _TMMINTRIN_H_INCLUDED
#define _SMMINTRIN_H_INCLUDED
#define _NMMINTRIN_H_INCLUDED
#define _AMMINTRIN_H_INCLUDED
#define _WMMINTRIN_H_INCLUDED
#define _MM3DNOW_H_INCLUDED
#define _IMMINTRIN_H_INCLUDED
#define _X86INTRIN_H_INCLUDED
#define _X86GPRINTRIN_H_INCLUDED
typedef int __m64 __attribute__((__vector_size__(8)));
typedef float __m128 __attribute__((__vector_size__(16)));
typedef double __m128d __attribute__((__vector_size__(16)));
typedef long long __m128i __attribute__((__vector_size__(16)));
typedef float __m256 __attribute__((__vector_size__(32)));
typedef double __m256d __attribute__((__vector_size__(32)));
typedef long long __m256i __attribute__((__vector_size__(32)));
typedef float __m512 __attribute__((__vector_size__(64)));
typedef double __m512d __attribute__((__vector_size__(64)));
typedef long long __m512i __attribute__((__vector_size__(64)));
#endif
";

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
