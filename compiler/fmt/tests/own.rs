//! Own sources, random programs and the manual's examples: formatted, they are the same programs, and stay as they are
//! when formatted again; also with comments at every place where one may stand. The library and the examples are
//! formatted.

#[path = "../../../tests/random/generator.rs"]
#[allow(dead_code)]
mod generator;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::FileId;
use leat_random::Random;

const OPTIONS: ParseOptions = ParseOptions { allow_prim: true };

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of the Ast: what a text means.
fn meaning(text: &str) -> String {
    let (program, diagnostics) = leat_ast::parse(FileId::NONE, text, &OPTIONS, &mut FixityEnv::basis());
    assert!(!leat_base::diagnostic::has_errors(&diagnostics), "{text}\n{diagnostics:?}");
    leat_ast::print::print(&program, &FixityEnv::basis())
}

/// Formats a text twice, and checks all that is promised. Answers nothing if it does not parse.
fn formatted(name: &str, text: &str) -> Option<String> {
    let first = match leat_fmt::format(text) {
        Ok(first) => first,
        Err(leat_fmt::Error::Syntax(_)) => return None,
        Err(leat_fmt::Error::Defect(message)) => panic!("{name}: {message}\n{text}"),
    };
    assert_eq!(meaning(text), meaning(&first), "{name}");
    let second = leat_fmt::format(&first).unwrap_or_else(|error| panic!("{name}: {error:?}\n{first}"));
    if first != second {
        let line = first.lines().zip(second.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let around = |text: &str| text.lines().skip(line.saturating_sub(4)).take(9).collect::<Vec<_>>().join("\n");
        panic!("{name}: not the same twice, line {}\n{}\n---\n{}", line + 1, around(&first), around(&second));
    }
    let mut edited = text.to_string();
    for edit in leat_fmt::edits(text, &FixityEnv::basis()).expect("it was formatted before").iter().rev() {
        edited.replace_range(edit.range.clone(), &edit.text);
    }
    assert_eq!(edited, first, "{name}: the edits");
    for line in first.lines() {
        assert!(!line.ends_with([' ', '\t']) || text.contains(line), "{name}: blanks at the end of `{line}`");
    }
    Some(first)
}

/// Trees of the parser can be deep.
fn deep(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the tree").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "sml" || e == "sig" || e == "fun") {
            files.push(path);
        }
    }
}

#[test]
fn own_sources() {
    deep(|| {
        let mut files = vec![];
        for folder in ["lib", "examples", "tests", "docs", "bench"] {
            sources(&root().join(folder), &mut files);
        }
        let mut count = 0;
        for file in files {
            let text = leat_fmt::decode(fs::read(&file).expect("a source"));
            // Those of many megabytes are the parser's tests.
            if text.len() > 1_000_000 {
                continue;
            }
            let Some(again) = formatted(&file.display().to_string(), &text) else { continue };
            count += 1;
            if file.starts_with(root().join("lib")) || file.starts_with(root().join("examples")) {
                assert!(text == again, "{}: `leat fmt` writes it otherwise", file.display());
            }
        }
        assert!(count > 250, "{count} files");
    });
}

#[test]
fn random_programs() {
    deep(|| {
        for seed in 1..40 {
            formatted(&format!("seed {seed}"), &generator::program(seed, seed % 2 == 0)).expect("it parses");
        }
    });
}

/// A comment of one of these kinds goes into each gap between two tokens, one gap after the other, and into many at
/// once.
#[test]
fn comments_everywhere() {
    deep(|| {
        let kinds = [" (* c *) ", " (* c *)\n", "\n(* c *)\n", "\n\n  (* c\n       d *)\n\n", "\n(* c *) "];
        let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all.sml")).expect("all.sml");
        let tokens = leat_ast::tokens(&own, &OPTIONS);
        for (i, token) in tokens.iter().enumerate() {
            let kind = kinds[i % kinds.len()];
            for kind in [kind, kinds[(i + 2) % kinds.len()]] {
                let mut text = own.clone();
                text.insert_str(token.lo as usize, kind);
                formatted(&format!("comment {kind:?} before token {i}, byte {}", token.lo), &text).expect("it parses");
            }
        }
        for seed in 1..30 {
            let text = if seed % 3 == 0 { own.clone() } else { generator::program(seed, false) };
            let mut out = text.clone();
            let mut random = Random::new(seed);
            for token in leat_ast::tokens(&text, &OPTIONS).iter().rev() {
                if random.one_in(1 + seed as usize) {
                    out.insert_str(token.lo as usize, kinds[random.below(kinds.len())]);
                }
            }
            formatted(&format!("many comments, seed {seed}"), &out).expect("it parses");
        }
    });
}

/// Each example of the manual is what the formatter makes of it; before an arrow stands what it is made from.
#[test]
fn the_manual() {
    let page = fs::read_to_string(root().join("docs/reference/fmt.md")).expect("the page");
    let mut count = 0;
    for block in page.split("```sml\n").skip(1) {
        let (example, _) = block.split_once("```").expect("the end of an example");
        assert_eq!(formatted("fmt.md", example).expect("it parses"), example);
        count += 1;
    }
    assert!(count >= 6, "{count} examples");
}

#[test]
fn small_texts() {
    for (text, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("(* c *)", "(* c *)\n"),
        ("val x=1", "val x = 1\n"),
        ("\u{FEFF}val x=1", "\u{FEFF}val x = 1\n"),
        ("#! /usr/bin/leat\n\n\nval x=1\n", "#! /usr/bin/leat\n\nval x = 1\n"),
        ("val x=1\r\nval y =2\r\n", "val x = 1\r\nval y = 2\r\n"),
        // Not a comment, nor its end.
        ("val x = (op * )", "val x = (op * )\n"),
        ("val x = ~ 1", "val x = ~ 1\n"),
        ("val x = !r + ! s", "val x = !r + ! s\n"),
        ("f x;g y;;", "f x;\ng y;;\n"),
        // Two tokens that stand together, and two that do not.
        ("val f=_import\"sin\" pure:real->real;", "val f = _import \"sin\" pure : real -> real;\n"),
        ("val f = _import * : int -> int", "val f = _import * : int -> int\n"),
        ("fun f_(_)(x)=x val g=fn _=>f_(1)", "fun f_ (_) (x) = x\nval g = fn _ => f_ (1)\n"),
        ("val x = 1\n\n\n\n(* a *)\n\n\n\nval y = 2", "val x = 1\n\n(* a *)\n\nval y = 2\n"),
        ("val x = {a=1 (* one *)\n, b=2 (* two *)\n}", "val x =\n  {a = 1, (* one *)\n   b = 2 (* two *)\n  }\n"),
        ("val s = \"a\\\n   \\b\"", "val s = \"a\\\n   \\b\"\n"),
    ] {
        assert_eq!(leat_fmt::format(text).expect(text), expected, "{text:?}");
        formatted(text, text);
    }
    assert!(matches!(leat_fmt::format("val x = "), Err(leat_fmt::Error::Syntax(_))));
}

#[test]
fn a_range() {
    let text = "val a=1\nval b=2\nval c=3\n";
    let edits = leat_fmt::format_range(text, 10..11, &FixityEnv::basis()).expect("it parses");
    let changed: Vec<(usize, &str)> = edits.iter().map(|e| (e.range.start, e.text.as_str())).collect();
    assert_eq!(changed, [(13, " "), (14, " ")]);
}

/// A text of which the lines of a range (in bytes) are formatted.
fn with_range_formatted(text: &str, range: Range<usize>) -> String {
    let mut out = text.to_string();
    for edit in leat_fmt::format_range(text, range, &FixityEnv::basis()).expect("it parses").iter().rev() {
        out.replace_range(edit.range.clone(), &edit.text);
    }
    out
}

/// A comma that goes before a comment was two edits, one that put it in and one that took it out, and a range could
/// have one of them alone: `[1, (* one *) , 2]`, or, of a semicolon, another program.
#[test]
fn separators_move_as_a_whole() {
    for (text, formatted) in [
        ("val xs =\n  [1\n   (* one *)\n   , 2]\n", "val xs =\n  [1,\n   (* one *)\n   2]\n"),
        ("val x =\n  (f (* first *)\n   ; x)\n", "val x =\n  (f; (* first *)\n   x)\n"),
    ] {
        let lines: Vec<usize> = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        for (first, &from) in lines.iter().enumerate() {
            for &to in &lines[first..] {
                let new = with_range_formatted(text, from..to);
                assert!(new == text || new == formatted, "{from}..{to}: {new}");
            }
        }
        let comma = text.find([',', ';']).expect("a separator");
        assert_eq!(with_range_formatted(text, comma..comma), formatted);
    }
}

/// Lines of programs with comments before commas and semicolons, and elsewhere: whichever are formatted, the words stay
/// the same. `LEAT_SEEDS=N` tries more.
#[test]
fn random_ranges() {
    let seeds: u64 = std::env::var("LEAT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    deep(move || {
        let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all.sml")).expect("all.sml");
        let mut changed = 0;
        for seed in 1..=seeds {
            let mut random = Random::new(seed);
            let text = if seed % 2 == 0 { generator::program(seed, false) } else { own.clone() };
            let (often, rarely) = (1 + random.below(4), 10 + random.below(40));
            let mut out = text.clone();
            for token in leat_ast::tokens(&text, &OPTIONS).iter().rev() {
                let is_separator = matches!(token.kind, leat_ast::TokenKind::Comma | leat_ast::TokenKind::Semi);
                if random.one_in(if is_separator { often } else { rarely }) {
                    out.insert_str(token.lo as usize, &format!(" {} ", random_gap(&mut random)));
                }
            }
            // A part of the texts has a syntax error at its end.
            if seed % 5 == 0 {
                out.push_str("\nval = \n");
            }
            let before = words(&out);
            for _ in 0..8 {
                let from = random.below(out.len());
                let to = (from + random.below(300)).min(out.len());
                if !out.is_char_boundary(from) || !out.is_char_boundary(to) {
                    continue;
                }
                let new = with_range_formatted(&out, from..to);
                assert_eq!(before, words(&new), "seed {seed}, {from}..{to}");
                changed += usize::from(new != out);
            }
        }
        assert!(changed > 2 * seeds as usize, "{changed} of {seeds} times 8 ranges had something to change");
    });
}

/// Blanks, line ends and comments as somebody might write them between two tokens, several in a row.
fn random_gap(random: &mut Random) -> String {
    const BLANKS: &[&str] = &["", " ", " ", "\n", "\n  ", "\n\n", "\n\n\n", "\t", "  \n    "];
    const COMMENTS: &[&str] = &[
        "(* c *)",
        "(**)",
        "(* one\n   two *)",
        "(* one\n\n two\n*)",
        "(* a (* nested *) one *)",
        "(* a long one, which fills more than the half of a line and breaks what would have fitted *)",
        "(* é *)",
        "(*\ta\ttab *)",
    ];
    let mut gap = String::new();
    for _ in 0..random.below(4) {
        gap.push_str(BLANKS[random.below(BLANKS.len())]);
        gap.push_str(COMMENTS[random.below(COMMENTS.len())]);
    }
    gap.push_str(BLANKS[random.below(BLANKS.len())]);
    gap
}

/// A text's tokens and comments, each list in order, without the blanks at the beginnings and ends of lines.
fn words(text: &str) -> (Vec<String>, Vec<String>) {
    let even = |piece: &str| piece.split('\n').map(str::trim).collect::<Vec<_>>().join("\n");
    let tokens = leat_ast::tokens(text, &OPTIONS);
    let mut comments = vec![];
    let mut at = 0;
    for token in &tokens {
        let mut gap = &text[at..token.lo as usize];
        while let Some(start) = gap.find("(*") {
            let (mut depth, mut end) = (0, start);
            loop {
                match &gap[end..] {
                    rest if rest.starts_with("(*") => (depth, end) = (depth + 1, end + 2),
                    rest if rest.starts_with("*)") => (depth, end) = (depth - 1, end + 2),
                    rest => end += rest.chars().next().map_or(1, char::len_utf8),
                }
                if depth == 0 {
                    break;
                }
            }
            comments.push(even(&gap[start..end]));
            gap = &gap[end..];
        }
        at = token.hi as usize;
    }
    (tokens.iter().map(|token| even(&text[token.lo as usize..token.hi as usize])).collect(), comments)
}

/// Comments of all kinds, any number of them, at every place of random programs: the same tokens and comments in the
/// same order, and a second run changes nothing. `LEAT_SEEDS=N` tries more.
#[test]
fn random_comments() {
    let seeds: u64 = std::env::var("LEAT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    deep(move || {
        let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all.sml")).expect("all.sml");
        let page = fs::read_to_string(root().join("docs/reference/fmt.md")).expect("the page");
        let examples: Vec<&str> =
            page.split("```sml\n").skip(1).filter_map(|block| Some(block.split_once("```")?.0)).collect();
        let mut wrong = vec![];
        for seed in 1..=seeds {
            let mut random = Random::new(seed);
            let text = match seed % 3 {
                0 => generator::program(seed, false),
                1 => own.clone(),
                _ => examples[random.below(examples.len())].to_string(),
            };
            // From a comment here and there to one nearly everywhere.
            let rarity = 1 + random.below(40);
            let mut out = text.clone();
            for token in leat_ast::tokens(&text, &OPTIONS).iter().rev() {
                if random.one_in(rarity) {
                    let gap = random_gap(&mut random);
                    out.insert_str(token.lo as usize, &format!(" {gap} "));
                }
            }
            let checked = std::panic::catch_unwind(|| {
                let first = formatted(&format!("random comments, seed {seed}"), &out).expect("it parses");
                assert_eq!(words(&out), words(&first), "seed {seed}");
            });
            wrong.extend(checked.is_err().then_some(seed));
        }
        assert!(wrong.is_empty(), "{} of {seeds} seeds: {wrong:?}", wrong.len());
    });
}

#[test]
fn comments_stay_where_they_are() {
    for (text, expected) in [
        // Before a bracket that closes, on its line.
        ("val x = (b (* a *))", "val x = (b (* a *))\n"),
        ("val z = [(* none *)]", "val z = [(* none *)]\n"),
        ("val z = [1, 2 (* two *)]", "val z = [1, 2 (* two *)]\n"),
        ("val f = (fn y => y (* same *))", "val f = (fn y => y (* same *))\n"),
        ("val r = {a = 1 (* one *)}", "val r = {a = 1 (* one *)}\n"),
        ("structure A = struct (* nothing *) end", "structure A = struct (* nothing *) end\n"),
        ("val y = let val x = 1 (* one *) in x (* it *) end", "val y = let val x = 1 (* one *) in x (* it *) end\n"),
        // Behind a bracket that opens.
        ("val l = { (* 1 *) (* 2 *)\n  a = 1,\n  b = 2}", "val l =\n  {(* 1 *) (* 2 *)\n   a = 1,\n   b = 2}\n"),
        ("val l = {\n (* 1 *) (* 2 *)\n  a = 1,\n  b = 2}", "val l =\n  {\n   (* 1 *) (* 2 *)\n   a = 1,\n   b = 2}\n"),
        // Those of one line stay on one line.
        ("val a = 1\n(* 1 *) (* 2 *)\nval b = 2", "val a = 1\n(* 1 *) (* 2 *)\nval b = 2\n"),
        ("val a = 1 (* 1 *) (* 2 *)\n\nval b = 2", "val a = 1 (* 1 *) (* 2 *)\n\nval b = 2\n"),
        (
            "val a = 1\n(* 1 *) (* 2\n more *) (* 3 *)\nval b = 2",
            "val a = 1\n(* 1 *) (* 2\n more *) (* 3 *)\nval b = 2\n",
        ),
        // A blank behind one in the middle of a line.
        ("fun f x = (* why *) x + 1", "fun f x = (* why *) x + 1\n"),
        ("fun f (* of *) x = g (* with *) x (* and *) y", "fun f (* of *) x = g (* with *) x (* and *) y\n"),
        ("val x = ((* a *)1(* b *),2)", "val x = ((* a *) 1 (* b *), 2)\n"),
        // Separators go first.
        ("val l = [1 (* a *)\n  (* b *)\n  , 2]", "val l =\n  [1, (* a *)\n   (* b *)\n   2]\n"),
        (
            "type t =\n  { a: int (** the bars *)\n\n  (** optional *)\n  , b: int\n  }",
            "type t =\n  {a : int, (** the bars *)\n\n   (** optional *)\n   b : int}\n",
        ),
    ] {
        assert_eq!(leat_fmt::format(text).expect(text), expected, "{text:?}");
        formatted(text, text);
    }
}
