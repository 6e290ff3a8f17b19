//! The Basis Library that is built in, against the members that its specification lists: `docs/reference/basis.md`.
//!
//! The lists are `xtask/data/basis.txt`. `cargo xtask basis` writes the page anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use leat_base::Symbol;
use leat_driver::{Options, Session};
use leat_elab::basis::{Env, SortedMap, ValEntry};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One test: an image is loaded before the process makes its first name.
#[test]
fn the_page_is_true() {
    let path = root().join("docs/reference/basis.md");
    let page = page();
    let required = page.split("\n## ").find(|part| part.starts_with("Required")).expect("a heading");
    assert!(!required.contains("| no |"), "a required module is missing");
    if std::env::var_os("LEAT_BLESS").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
        return;
    }
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == page, "run `cargo xtask basis`");
}

fn page() -> String {
    let session = Session::new(Options::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let (basis, tables) = session.library();
    let list = std::fs::read_to_string(root().join("xtask/data/basis.txt")).unwrap();
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = "";
    let mut out = String::from(
        "# The Basis Library: what is there\n\n\
         This page is made by `cargo xtask basis`, from the members that the specification lists and the library that is built in; a test compares it.\n\
         Each row is a structure, or the top level: it has the name of its signature, how many of the members that the specification lists are there, and the names of those that are missing.\n",
    );
    for line in list.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()) {
        if let Some(title) = line.strip_prefix("## ") {
            let _ = write!(out, "\n## {title}\n\n| Module | Signature | There | Missing |\n|---|---|---|---|\n");
        } else if let Some((module, signature)) = line.split_once(" : ") {
            let env = match module {
                "(top level)" => Some(top(basis)),
                _ => structure(basis, tables, module),
            };
            let all = &members[signature];
            let _ = match env {
                None => writeln!(out, "| {module} | {signature} | no | |"),
                Some(env) => {
                    let missing: Vec<String> = all
                        .iter()
                        .filter(|member| !has(&env, member))
                        .map(|member| format!("`{}`", plain(member)))
                        .collect();
                    let there = all.len() - missing.len();
                    writeln!(out, "| {module} | {signature} | {there} of {} | {} |", all.len(), missing.join(", "))
                }
            };
        } else if let Some((name, rest)) =
            line.split_once(" = ").filter(|(name, _)| !name.contains(' ') || *name == "(top level)")
        {
            current = name;
            members.entry(current).or_default().extend(rest.split_whitespace());
        } else {
            members.entry(current).or_default().extend(line.split_whitespace());
        }
    }
    out.push_str(AFTER);
    out
}

/// What a table cannot say.
const AFTER: &str = "
## More than the tables say

- `Int1` to `Int31` and `Word1` to `Word31` are there, as in MLton; constants and operators are overloaded at them.
- Each structure was also matched with the signature of the same name that MLton's sources have: all fit, with their types.
- Each signature has the values and types of the specification, and no more: a functor that uses a structure as the specification says compiles. Where the specification contradicts itself, Leat has what MLton has: `STRING.scan` reads characters of `Char`, `Socket.recvVecFrom` gives an address of the socket's own family, and the functor `StreamIO` also takes `VectorSlice` and `ArraySlice`.
- `Substring.all`, the old name of `full`, and equality of `OS.Process.status` are there beyond the signatures.
- `basis-1997.mlb` has the names and types of 1997, see `lib/basis/basis-1997.sml`. Only `inputAll` of `STREAM_IO` has today's type: it also gives the stream behind.
- `$/basis.cm` has the members that SML/NJ added to lists, vectors, arrays, options and strings, see `lib/smlnj/later.sml`.

## Otherwise than the specification says

In these cases Leat does what other systems do, whose programs it runs.

- `inputN` may meet an end of the stream before it has as many elements as it was asked for. Then it does not go beyond that end, as in SML/NJ: the next input gives an empty vector. By the specification, and in MLton, `inputN` itself goes beyond the end. So a loop over a terminal or a growing file gets one empty vector more.
- `Char.fromCString` and `String.fromCString` read a double quote without a backslash as a double quote, as in SML/NJ, MLton and Poly/ML. By the specification it ends the text.
- `StringCvt.GEN`, and so `Real.toString`, are laid out like C's `%g`, as in SML/NJ: with an exponent below 0.0001 and from 10^n on, where n is the number of digits, and with `.0` where there is neither a fraction nor an exponent. The specification wants the shorter one of both forms, and no point without a fraction: `1`, `1E~3` and `1E10` for `1.0`, `0.001` and `10000000000.0`.

## Not there, and why

- `WideChar` and what is made of it: optional. Characters and strings are bytes; the library `UTF8` of `smlnj-lib` reads and writes larger characters in them. A constant like `\"\\u1234\"` would have to be overloaded, so every program with string constants would take longer to compile.
- `Windows`: optional; Leat runs on Linux.
- `MLton.World`: a program of many threads, with open files and machine code made while it runs, cannot be saved and continued later. SML/NJ's `exportFn` makes no image here: it calls the function with which the image would begin, at once.
";

/// The environment of a structure, by its long name.
fn structure(basis: &leat_elab::Basis, tables: &leat_elab::Tables, name: &str) -> Option<Env> {
    let mut parts = name.split('.').map(Symbol::intern);
    let mut env = basis.structure(parts.next()?)?;
    for part in parts {
        env = *tables.modules.envs[env].strs.get(part)?;
    }
    Some(tables.modules.envs[env].clone())
}

/// The top level's values and types.
fn top(basis: &leat_elab::Basis) -> Env {
    let layers = || basis.layers().map(|layer| &layer.env);
    let names: BTreeSet<Symbol> = layers().flat_map(|env| env.vals.iter().map(|val| val.0)).collect();
    let vals = names.into_iter().filter_map(|name| Some((name, basis.val(name)?.clone()))).collect();
    let names: BTreeSet<Symbol> = layers().flat_map(|env| env.tys.iter().map(|ty| ty.0)).collect();
    let tys = names.into_iter().filter_map(|name| Some((name, basis.ty(name)?.clone()))).collect();
    Env { vals: SortedMap::new(vals), tys: SortedMap::new(tys), ..Env::default() }
}

fn plain(member: &str) -> &str {
    ["t:", "e:", "s:"].iter().find_map(|prefix| member.strip_prefix(prefix)).unwrap_or(member)
}

fn has(env: &Env, member: &str) -> bool {
    let name = Symbol::intern(plain(member));
    match member.split_at_checked(2) {
        Some(("t:", _)) => env.tys.get(name).is_some(),
        Some(("s:", _)) => env.strs.get(name).is_some(),
        Some(("e:", _)) => matches!(env.vals.get(name), Some(ValEntry::Exn { .. })),
        _ => env.vals.get(name).is_some(),
    }
}
