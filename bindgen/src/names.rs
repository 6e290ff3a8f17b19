//! Names of C -> names of SML: what SML reserves, what it cannot write, and what is taken.

use std::collections::HashSet;

/// Words that SML reserves.
const WORDS: &[&str] = &[
    "abstype",
    "and",
    "andalso",
    "as",
    "case",
    "datatype",
    "do",
    "else",
    "end",
    "eqtype",
    "exception",
    "fn",
    "fun",
    "functor",
    "handle",
    "if",
    "in",
    "include",
    "infix",
    "infixr",
    "let",
    "local",
    "nonfix",
    "of",
    "op",
    "open",
    "orelse",
    "raise",
    "rec",
    "sharing",
    "sig",
    "signature",
    "struct",
    "structure",
    "then",
    "type",
    "val",
    "where",
    "while",
    "with",
    "withtype",
];

/// Constructors that a pattern would mean, and the Basis Library's infix operators that are words.
const TAKEN: &[&str] = &[
    "before",
    "div",
    "mod",
    "o",
    "NONE",
    "SOME",
    "LESS",
    "EQUAL",
    "GREATER",
    "nil",
    "true",
    "false",
    "ref",
    "it",
    "Bind",
    "Chr",
    "Div",
    "Domain",
    "Empty",
    "Fail",
    "Match",
    "Option",
    "Overflow",
    "Size",
    "Span",
    "Subscript",
];

/// Types and structures that what is made names.
const USED: &[&str] = &[
    "int",
    "word",
    "real",
    "char",
    "bool",
    "string",
    "unit",
    "list",
    "array",
    "vector",
    "order",
    "exn",
    "option",
    "substring",
    "MLton",
    "Foreign",
    "P",
    "Bits",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Word8",
    "Word16",
    "Word32",
    "Word64",
    "Real32",
    "Word",
    "Int",
    "String",
    "CharVector",
    "CharArray",
    "Word8Vector",
    "Word8Array",
    "Byte",
];

/// Names of one kind that are taken.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
    /// What names of C begin with, and those of SML do not.
    prefixes: Vec<String>,
    /// Names of types and structures, not of values.
    types: bool,
}

impl Names {
    pub fn new(prefixes: &[String], types: bool) -> Names {
        Names { taken: HashSet::new(), prefixes: prefixes.to_vec(), types }
    }

    /// A name for what C calls `name`, which nothing else has.
    pub fn take(&mut self, name: &str) -> String {
        let short = self.prefixes.iter().find_map(|prefix| without(prefix, name)).unwrap_or(name);
        // C may have letters that SML has not.
        let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let mut name = if begins_a_name(short) { short } else { name }.replace(is_other, "_");
        name = name.trim_start_matches('_').to_string();
        if !begins_a_name(&name) {
            name.insert_str(0, "x_");
        }
        let kinds: &[&[&str]] = if self.types { &[WORDS, TAKEN, USED] } else { &[WORDS, TAKEN] };
        let reserved = kinds.iter().any(|kind| kind.contains(&&*name));
        if reserved {
            name.push('_');
        }
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// A name for a variable: nothing else has the names of the functions that read and write it, either.
    pub fn take_variable(&mut self, name: &str) -> String {
        let mut name = self.take(name);
        let made = |name: &str| ["get_", "set_", "at_"].map(|part| format!("{part}{name}"));
        while made(&name).iter().any(|made| self.taken.contains(made)) {
            name = self.take(&name);
        }
        self.taken.extend(made(&name));
        name
    }
}

/// The rest of a name behind a prefix, in capitals or not: `kinds_` is that of `KINDS_LIMIT`, too.
fn without<'a>(prefix: &str, name: &'a str) -> Option<&'a str> {
    let (begin, rest) = name.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn begins_a_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The structure's name for a header: `sqlite3.h` -> `Sqlite3`.
pub fn structure(stem: &str) -> String {
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !begins_a_name(&name) {
        name.insert_str(0, "C_");
    }
    let name = name.trim_start_matches('_');
    name[..1].to_uppercase() + &name[1..]
}

/// Is it a name that a structure may have?
pub fn is_structure(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
        && !WORDS.contains(&name)
}

/// The text of a comment of C, without its signs.
pub fn comment(raw: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in raw.lines() {
        let mut line = line.trim();
        line = line.trim_start_matches("/**").trim_start_matches("/*").trim_end_matches("*/");
        line = line.strip_prefix("///").or_else(|| line.strip_prefix("//")).unwrap_or(line);
        line = line.trim_start_matches('*').trim_start_matches('!').trim_start_matches('<').trim();
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line.replace("(*", "( *").replace("*)", "* )"));
        }
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sml_cannot_have_are_others() {
        let mut values = Names::new(&["lib_".to_string()], false);
        for (c, sml) in [
            ("lib_open", "open_"),
            ("lib_close", "close"),
            ("close", "close_"),
            ("__private", "private"),
            ("lib_3d", "lib_3d"),
            ("LIB_MAX", "MAX"),
            ("_1", "x_1"),
            ("SOME", "SOME_"),
            ("Int32", "Int32"),
        ] {
            assert_eq!(values.take(c), sml);
        }
        assert_eq!(Names::new(&[], true).take("Int32"), "Int32_");
        assert_eq!(structure("sqlite3"), "Sqlite3");
        assert_eq!(structure("my-lib.2"), "My_lib_2");
        assert_eq!(structure("7zip"), "C_7zip");
    }

    /// A structure may have the name of a constructor: `fail.h` was refused.
    #[test]
    fn structures_have_names_of_their_own() {
        assert!(is_structure("Fail") && is_structure("SOME") && is_structure("x'_1"));
        assert!(!is_structure("val") && !is_structure("7up") && !is_structure(""));
    }

    #[test]
    fn a_comment_loses_its_signs() {
        assert_eq!(comment("/** Opens it.\n *\n * See (*p).\n */"), "Opens it.\n\nSee ( *p).");
        assert_eq!(comment("/// one\n/// two"), "one\ntwo");
        assert_eq!(comment("/**< short */"), "short");
        assert_eq!(comment(""), "");
    }
}
