//! Mutants of programs, `.mlb` and `.cm` files, and of what is typed at a prompt, compiled from text to Ssa: every pass
//! verifies what it makes; whatever the text is, there is an answer in time, and no panic.
//!
//! A mutant that compiles stays in the pool that the next ones are made of, so that the search goes deeper with time.
//! `PIPELINE=n` runs more of them, `SEED=n` others. A mutant that is a defect is cut down as long as it is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leat_random::{Random, setting};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// What kind of text it is: how it is read, and where its first examples come from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Program,
    Mlb,
    Cm,
    Prompt,
}

const KINDS: [Kind; 4] = [Kind::Program, Kind::Mlb, Kind::Cm, Kind::Prompt];

const WORDS: &str = "val fun fn let in end local case of if then else handle raise while do datatype withtype exception \
    open structure struct signature sig functor where type sharing eqtype include and rec op infix as abstype \
    ( ) [ ] { } , ; : :> | => = _ ... # -> * \"a\" \"\\233\" #\"c\" 0 1 ~1 0w1 0wxff 1.5 18446744073709551616 'a ''a x f S T \
    IntInf.int int list ref SOME NONE nil :: @ + div ^ := ! use (* *) basis bas ann Group Library is $/basis.cm \
    $(SML_LIB)/basis/basis.mlb a.sml b.mlb #if #endif source";

fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '\'' => 0,
        c if c.is_whitespace() => 1,
        '(' | ')' | ',' | ';' | '[' | ']' | '{' | '}' | '"' => 2,
        _ => 3,
    };
    let (mut out, mut start, mut last) = (vec![], 0, None);
    for (i, c) in text.char_indices() {
        let k = kind(c);
        if last.is_some_and(|l| l != k || k == 2) {
            out.push(&text[start..i]);
            start = i;
        }
        last = Some(k);
    }
    out.push(&text[start..]);
    out
}

/// Changes some words, or moves a run of them, or takes a run of another text.
fn mutate(text: &str, other: &str, words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut all: Vec<String> = pieces(text).into_iter().map(str::to_string).collect();
    // One change in most cases: of three together hardly a program comes through.
    for _ in 0..[1, 1, 1, 1, 2, 3][random.below(6)] {
        let solid: Vec<usize> = (0..all.len()).filter(|&i| !all[i].trim().is_empty()).collect();
        if solid.len() < 2 {
            break;
        }
        let (i, j) = (solid[random.below(solid.len())], solid[random.below(solid.len())]);
        match random.below(10) {
            0 => all[i].clear(),
            1 => all[i] = all[j].clone(),
            2 => all.swap(i, j),
            3 | 4 => all[i] = format!(" {} ", words[random.below(words.len())]),
            5 => {
                let to = (i + 1 + random.below(12)).min(all.len());
                let run: Vec<String> = all[i..to].to_vec();
                let at = j.min(all.len());
                all.splice(at..at, run);
            }
            6 => {
                let to = (i + 1 + random.below(12)).min(all.len());
                all.drain(i..to);
            }
            7 => {
                let from = pieces(other);
                let start = random.below(from.len());
                let to = (start + 1 + random.below(20)).min(from.len());
                all.splice(i..i, from[start..to].iter().map(|piece| piece.to_string()));
            }
            _ => {
                let is_word = |k: &usize| all[*k].chars().all(char::is_alphanumeric);
                let names: Vec<usize> = solid.iter().copied().filter(is_word).collect();
                if !names.is_empty() {
                    let (to, from) = (names[random.below(names.len())], names[random.below(names.len())]);
                    all[to] = all[from].clone();
                }
            }
        }
    }
    let mut bytes = all.concat().into_bytes();
    if random.below(8) == 0 && !bytes.is_empty() {
        let i = random.below(bytes.len());
        bytes[i] = random.below(256) as u8;
    }
    bytes.truncate(20_000);
    bytes
}

/// How far a text comes: 0 not to its meaning, 1 to its types, 2 to Ssa. An error is a defect that was found.
fn found(kind: Kind, text: &[u8], folder: &Path) -> Result<usize, String> {
    let name = match kind {
        Kind::Program => "mutant.sml",
        Kind::Mlb => "mutant.mlb",
        Kind::Cm => "mutant.cm",
        Kind::Prompt => "mutant.repl",
    };
    let file = folder.join(name);
    fs::write(&file, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("timeout");
    command.args(["60", LEAT]).current_dir(folder).stdin(Stdio::null());
    if kind == Kind::Prompt {
        // Types only: what the text does is not for here.
        let asked: String = String::from_utf8_lossy(text).replace('\n', " ").replace(';', "\n:type ");
        fs::write(&file, format!(":type {asked}\n")).map_err(|error| error.to_string())?;
        let input = fs::File::open(&file).map_err(|error| error.to_string())?;
        command.args(["repl", "--verify=each"]).stdin(input);
    } else {
        command.args(["run", "--verify=each", "--stop-after=ssa", name]);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let report = String::from_utf8_lossy(&output.stderr);
    // At the beginning of a line: a mutant may well have these words in its text.
    let is_defect = |line: &str| line.starts_with("thread '") || line.starts_with("leat: this is a defect");
    let defect = report.lines().any(is_defect);
    match output.status.code() {
        Some(0) if !defect => Ok(2),
        Some(1 | 2) if !defect => {
            let early = ["error[syntax", "error[unit", "error[scope"].iter().any(|code| report.contains(code));
            Ok(usize::from(!early))
        }
        // Endless elaboration: polymorphism that doubles a type at each step is exponential in every ML.
        Some(124) => Ok(0),
        code => Err(format!("exit {code:?}\n{report}")),
    }
}

/// The fewest lines that still are a defect.
fn shrunk(kind: Kind, text: &[u8], folder: &Path) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n' || b == b';').collect();
    let mut size = lines.len().div_ceil(2);
    while size > 0 {
        let mut i = 0;
        while i < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(i..(i + size).min(lines.len()));
            if found(kind, &fewer.concat(), folder).is_err() {
                lines = fewer;
            } else {
                i += size;
            }
        }
        size /= 2;
    }
    lines.concat()
}

fn files(folder: &Path, suffix: &str, out: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, suffix, out);
        } else if path.extension().is_some_and(|s| s == suffix)
            && let Ok(text) = fs::read_to_string(&path)
            && text.len() < 12_000
        {
            out.push(text);
        }
    }
}

#[test]
fn mutants() {
    let (count, seed) = (setting("PIPELINE", 150), setting("SEED", 1));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = TempDir::new().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("a.sml"), "structure A = struct val x = 1 fun f y = x + y end\n").unwrap();
    fs::write(folder.join("b.mlb"), "$(SML_LIB)/basis/basis.mlb a.sml\n").unwrap();
    let mut pools: Vec<Vec<String>> = KINDS
        .iter()
        .map(|kind| {
            let mut pool = vec![];
            match kind {
                Kind::Program => files(&root.join("tests/lang"), "sml", &mut pool),
                Kind::Mlb => {
                    pool.push("$(SML_LIB)/basis/basis.mlb\nlocal a.sml in structure A structure B = A end\n".into());
                    pool.push("basis b = bas $(SML_LIB)/basis/basis.mlb b.mlb end open b ann \"warnUnused true\" in a.sml end\n".into());
                    files(&root.join("lib"), "mlb", &mut pool);
                }
                Kind::Cm => {
                    pool.push("Group structure A is $/basis.cm a.sml\n".into());
                    pool.push("Library structure A is\n#if defined(X) andalso (1 + 2 > 2)\n$/basis.cm\n#endif\n#error no\na.sml : sml\n".into());
                    files(&root.join("lib"), "cm", &mut pool);
                }
                Kind::Prompt => files(&root.join("repl/tests"), "sml", &mut pool),
            }
            pool
        })
        .collect();
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = Random::new(seed);
    let mut through = [0u64; 3];
    for n in 0..count {
        // Programs most of all.
        let k = [0, 0, 0, 1, 2, 3][random.below(6)];
        let pool = &pools[k];
        let (text, other) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let mutant = mutate(text, other, &words, &mut random);
        match found(KINDS[k], &mutant, folder) {
            Ok(depth) => {
                through[depth] += 1;
                if depth == 2
                    && random.below(4) == 0
                    && let Ok(text) = String::from_utf8(mutant)
                {
                    pools[k].push(text);
                }
            }
            Err(defect) => {
                let small = shrunk(KINDS[k], &mutant, folder);
                panic!(
                    "seed {seed}, mutant {n} ({:?}): {defect}\nthe least that does it:\n{}",
                    KINDS[k],
                    String::from_utf8_lossy(&small)
                );
            }
        }
    }
    assert!(through[2] * 100 >= count, "{through:?} of {count}: too few come through");
}
