//! Mutants in this process, from text to Ssa: programs, `.mlb` and `.cm` files, and what is typed at a prompt. Every stage
//! verifies what it makes after each pass; whatever the text is, there is an answer, and no panic.
//!
//! A mutant that finds its way through more stages than those before stays in the pool that the next ones are made of, so
//! that the search goes deeper with time. `PIPELINE=n` runs more of them, `SEED=n` others. A mutant that panics is cut down,
//! line by line, as long as it panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use leat_driver::options::{Stage, Verify};
use leat_driver::{Failure, Input, Options, Session};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n.max(1) as u64) as usize
    }
}

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
    for _ in 0..1 + random.below(3) {
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

fn options(stop: Stage, optimise: bool) -> Options {
    Options { verify: Verify::Each, stop_after: Some(stop), optimise, ..Options::default() }
}

/// How far a text comes; an error is a defect that was found.
fn depth(kind: Kind, text: &[u8], folder: &Path) -> Result<usize, String> {
    let name = match kind {
        Kind::Program | Kind::Prompt => "mutant.sml",
        Kind::Mlb => "mutant.mlb",
        Kind::Cm => "mutant.cm",
    };
    let file = folder.join(name);
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    if kind == Kind::Prompt {
        // Where its units end, and each unit by itself.
        let text = leat_ast::decode(text.to_vec());
        let (mut at, mut units) = (0, 0);
        while let leat_ast::units::Next::Unit(end) = leat_ast::units::next(&text, at) {
            let part = text.get(at..end).ok_or("a unit ends inside of a character")?;
            leat_ast::units::used_file(part);
            leat_ast::units::requests(part);
            (at, units) = (end, units + 1);
        }
        if units > 50 {
            return Ok(0);
        }
    }
    let mut went = 0;
    for stage in [Stage::Lambda, Stage::Ssa] {
        let mut session = Session::new(options(stage, true)).map_err(|failure| format!("{failure:?}"))?;
        match session.compile(Input::File(&file)) {
            // Whatever is wrong with the text is said with its place; a broken invariant is not the text's fault.
            Err(Failure::Trouble(text)) if text.contains("defect of leat") => return Err(text),
            Err(Failure::Stopped) => went += 1,
            Ok(_) => went += 1,
            Err(_) => return Ok(went),
        }
    }
    Ok(went)
}

/// Also catches panics.
fn found(kind: Kind, text: &[u8], folder: &Path) -> Result<usize, String> {
    catch_unwind(AssertUnwindSafe(|| depth(kind, text, folder))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default())
    })
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
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, suffix, out);
        } else if path.extension().is_some_and(|s| s == suffix)
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.len() < 12_000
        {
            out.push(text);
        }
    }
}

#[test]
fn mutants() {
    std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let setting =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (count, seed) = (setting("PIPELINE", 150), setting("SEED", 1));
    // The image's names come first in a process, before those that a prompt's text makes.
    Session::new(Options::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::temp_dir().join(format!("leat-mutants-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.sml"), "structure A = struct val x = 1 fun f y = x + y end\n").unwrap();
    std::fs::write(folder.join("b.mlb"), "$(SML_LIB)/basis/basis.mlb a.sml\n").unwrap();
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
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut through = [0u64; 3];
    for n in 0..count {
        // Programs most of all.
        let k = [0, 0, 0, 1, 2, 3][random.below(6)];
        let pool = &pools[k];
        let (text, other) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let mutant = mutate(text, other, &words, &mut random);
        match found(KINDS[k], &mutant, &folder) {
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
                let small = shrunk(KINDS[k], &mutant, &folder);
                panic!("seed {seed}, mutant {n} ({:?}): {defect}\n{}", KINDS[k], String::from_utf8_lossy(&small));
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(through[2] * 50 > count, "{through:?} of {count}: too few come through");
}
