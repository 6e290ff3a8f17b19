//! Programs with tokens taken away, doubled, swapped or replaced: elaboration always answers, and what it accepts is
//! sound Core (the session verifies it). `MUTANTS=n` runs more of them; the sources are the library's and the
//! messages'.

mod common;

use leat_random::{Random, setting};
use std::path::Path;

/// Pieces of a text: words, symbols, blanks.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '\'' || c == '.' => 0,
        c if c.is_whitespace() => 1,
        '(' | ')' | ',' | ';' | '[' | ']' | '{' | '}' | '"' => 2,
        _ => 3,
    };
    let mut out = vec![];
    let mut start = 0;
    let mut last = None;
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

fn mutate(text: &str, others: &[&str], random: &mut Random) -> String {
    let mut all = pieces(text);
    for _ in 0..1 + random.below(2) {
        let solid: Vec<usize> = (0..all.len()).filter(|&i| !all[i].trim().is_empty()).collect();
        if solid.len() < 2 {
            break;
        }
        let (i, j) = (solid[random.below(solid.len())], solid[random.below(solid.len())]);
        match random.below(8) {
            0 => all[i] = " ",
            1 => all[i] = all[j],
            2 => all.swap(i, j),
            3 => all[i] = others[random.below(others.len())],
            4 => all.insert(i, all[j]),
            // A word for a word: more of these are programs.
            _ => {
                let words: Vec<usize> =
                    solid.iter().copied().filter(|&k| all[k].chars().all(char::is_alphanumeric)).collect();
                if !words.is_empty() {
                    all[words[random.below(words.len())]] = all[words[random.below(words.len())]];
                }
            }
        }
    }
    all.concat()
}

#[test]
fn mutants() {
    std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources: Vec<String> = std::fs::read_to_string(here.join("tests/messages.txt"))
        .unwrap()
        .split("=====\n")
        .filter_map(|c| c.split("-----\n").next())
        .map(str::to_string)
        .collect();
    sources.extend(
        std::fs::read_to_string(here.join("tests/types.rs"))
            .unwrap()
            .split("(\"")
            .map(|p| p.split("\",\n").next().unwrap_or("").split("\", &[").next().unwrap_or("").replace("\\\"", "\"")),
    );
    let extra = std::env::var("MUTANTS_FROM").unwrap_or_default();
    for file in extra.split(':').filter(|f| !f.is_empty()) {
        sources.extend(std::fs::read_to_string(file).ok());
    }
    let words: Vec<&str> = "int real 'a ''a list ref -> * = => of val fun fn let in end case struct sig structure signature functor \
        datatype type eqtype exception open local and rec where sharing : :> :: nil true ( ) [ ] { } , ... _ 1 0w1 2.0 #1 x f S T \
        raise handle if then else andalso op + withtype include abstype with as"
        .split(' ')
        .filter(|w| !w.is_empty())
        .collect();
    let count = setting("MUTANTS", 1500);
    let mut random = Random::new(setting("SEED", 1));
    let mut accepted = 0;
    for _ in 0..count {
        let source = &sources[random.below(sources.len())];
        let text = mutate(source, &words, &mut random);
        let shown = text.clone();
        if let Some(file) = std::env::var_os("MUTANTS_LAST") {
            // What overflows the stack cannot be caught: it is the last text here.
            std::fs::write(file, &text).unwrap();
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut session = common::Session::new();
            let out = session.unit("mutant", &text);
            let ok = !leat_base::diagnostic::has_errors(&out.diagnostics);
            // Messages can be shown, and a second unit can follow.
            let _ = session.render(&out.diagnostics);
            session.unit("next", "val it = 1");
            ok
        }));
        match result {
            Ok(ok) => accepted += u64::from(ok),
            Err(_) => panic!("the elaborator panicked on\n{shown}"),
        }
    }
    assert!(accepted > count / 50, "only {accepted} of {count} mutants are programs: they try too little");
}
