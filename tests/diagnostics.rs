//! What Leat says: `tests/habits.table`, whose head explains its rows; and the pages of `docs/reference/diagnostics/`:
//! the bad program of each gives its message, the mended one none; every message of the compiler has a page, and the
//! index lists them.
//!
//! A page is `# CODE`, what it means, and blocks: ```` ```sml NAME ```` are files (the last before a heading is
//! checked; a page may have several pairs of "Bad" and "Mended"), `<N times>c` in one stands for N times the letter,
//! `<byte N>` for a byte, ```` ```text ```` is what Leat says about the bad program. `cargo xtask diagnostics` writes
//! those and the index anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// Messages that users of the language cannot meet: of the library's own sources, and of files of 4 GB.
const WITHOUT_PAGE: &[&str] = &["prim/type", "prim/unknown", "syntax/too-large"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn bless() -> bool {
    std::env::var_os("LEAT_BLESS").is_some()
}

fn main() {
    let arguments = Arguments::from_args();
    let folder = root().join("docs/reference/diagnostics");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the pages").flatten().map(|entry| entry.path()).collect();
    pages.retain(|page| page.file_name().is_some_and(|name| name != "README.md"));
    pages.sort();
    let mut trials = vec![Trial::test("index", {
        let pages = pages.clone();
        move || index(&pages)
    })];
    trials.push(Trial::test("habits", habits));
    for page in pages {
        let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || check(&page)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The rows of `habits.table`: the first message of each has the advice, and is the only one.
fn habits() -> Result<(), Failed> {
    let table = fs::read_to_string(root().join("tests/habits.table"))?;
    let rows: Vec<&str> = table.lines().filter(|row| row.contains(" ⇒ ")).collect();
    if rows.len() < 100 {
        return Err(format!("{} rows", rows.len()).into());
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(why) = habit(row) {
                        wrong.lock().expect("nothing panics with it").push(why);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner()?;
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} rows:\n{}", wrong.len(), wrong.join("\n")).into()) }
}

fn habit(row: &str) -> Result<(), String> {
    let (program, wanted) = row.rsplit_once(" ⇒ ").ok_or("no row")?;
    let (program, many) = program.strip_prefix("+ ").map_or((program, false), |program| (program, true));
    let text = program.replace("\\n", "\n").replace("\\\\", "\\") + "\n";
    let check = || -> std::io::Result<Vec<u8>> {
        let scratch = TempDir::new()?;
        fs::write(scratch.path().join("a.sml"), text)?;
        let mut command = Command::new(LEAT);
        Ok(command.args(["check", "a.sml"]).current_dir(scratch.path()).env("NO_COLOR", "1").output()?.stderr)
    };
    let said = check().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&said);
    let errors: Vec<&str> = said.split("error[").skip(1).collect();
    let first = errors.first().ok_or_else(|| format!("--- {program}\nno error, wanted: {wanted}"))?;
    // Messages are broken into lines.
    let even = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let advice = first.split_once("= help:").map_or("", |(_, help)| help);
    if !even(advice).contains(&even(wanted)) {
        return Err(format!("--- {program}\nwanted: {wanted}\n{said}"));
    }
    if errors.len() > 1 && !many {
        return Err(format!("--- {program}\n{} messages\n{said}", errors.len()));
    }
    Ok(())
}

/// The first lines of all pages, and no message without one.
fn index(pages: &[PathBuf]) -> Result<(), Failed> {
    let mut out = String::from(
        "# What Leat says, message by message\n\n\
         Every error and warning has a name, which stands in brackets: `error[type/mismatch]`.\n\
         Its page shows a program that gives it, and the program mended; both are run as tests.\n\
         The list is made by `cargo xtask diagnostics`.\n\n",
    );
    let mut codes = BTreeSet::new();
    for page in pages {
        let text = fs::read_to_string(page)?;
        let code = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        let about = text.lines().nth(2).unwrap_or_default();
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(out, "- [{code}]({name}): {about}");
        codes.insert(code.to_string());
    }
    let known = codes_of_the_compiler()?;
    let missing: Vec<&String> = known.difference(&codes).collect();
    let gone: Vec<&String> = codes.difference(&known).collect();
    if !missing.is_empty() || !gone.is_empty() {
        return Err(format!("without a page: {missing:?}; pages of no message: {gone:?}").into());
    }
    let file = root().join("docs/reference/diagnostics/README.md");
    if bless() {
        fs::write(file, out)?;
    } else if fs::read_to_string(file).unwrap_or_default() != out {
        return Err("the index is old: run `cargo xtask diagnostics`".into());
    }
    Ok(())
}

/// The names of messages that stand in the sources.
fn codes_of_the_compiler() -> std::io::Result<BTreeSet<String>> {
    const KINDS: &[&str] = &[
        "bind",
        "constant",
        "exp",
        "foreign",
        "match",
        "module",
        "prim",
        "scope",
        "signature",
        "syntax",
        "type",
        "unit",
    ];
    let mut codes = BTreeSet::new();
    let mut folders: Vec<PathBuf> =
        ["ast", "elab", "lambda"].map(|name| root().join("compiler").join(name).join("src")).into();
    folders.push(root().join("driver/src"));
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for word in fs::read_to_string(&path)?.split('"') {
                let is_code = word.split_once('/').is_some_and(|(kind, name)| {
                    KINDS.contains(&kind)
                        && !name.is_empty()
                        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                });
                if is_code && !WITHOUT_PAGE.contains(&word) {
                    codes.insert(word.to_string());
                }
            }
        }
    }
    Ok(codes)
}

fn check(page: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(page)?;
    let code = text.lines().next().and_then(|line| line.strip_prefix("# ")).ok_or("the page has no title")?;
    // In order: "Bad" and "Mended", "Bad: why" and "Mended", ...
    let mut sections: Vec<(&str, Vec<(&str, String)>)> = vec![("", vec![])];
    let mut block = None;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, vec![]));
        } else if let Some(info) = line.strip_prefix("```") {
            match block.take() {
                None => block = Some((info, String::new())),
                Some(done) => sections.last_mut().expect("the first").1.push(done),
            }
        } else if let Some((_, body)) = &mut block {
            let _ = writeln!(body, "{line}");
        }
    }
    let (mut new, mut rest, mut all, mut count) = (String::new(), text.as_str(), String::new(), 0);
    for (i, (title, blocks)) in sections.iter().enumerate().filter(|(_, section)| section.0.starts_with("Bad")) {
        count += 1;
        let said = run(blocks)?;
        let wanted = [format!("error[{code}]"), format!("warning[{code}]")];
        if !wanted.iter().any(|wanted| said.contains(wanted)) {
            return Err(format!("{title}: the program does not give {code}, but:\n{said}").into());
        }
        let mended = sections.get(i + 1).filter(|section| section.0.starts_with("Mended"));
        let mended = run(&mended.ok_or_else(|| format!("{title}: there is no mended program"))?.1)?;
        if !mended.is_empty() {
            return Err(format!("{title}: about the mended program is said:\n{mended}").into());
        }
        let begin = rest.find("```text\n").ok_or("there is no text block")? + "```text\n".len();
        // A fence begins a line: a message may quote one.
        let end = match rest[begin..].strip_prefix("```") {
            Some(_) => begin,
            None => begin + rest[begin..].find("\n```").ok_or("the text block has no end")? + 1,
        };
        new.push_str(&rest[..begin]);
        new.push_str(&said);
        rest = &rest[end..];
        // Behind the end of the block, so that the next one is found.
        let (fence, after) = rest.split_at(3);
        new.push_str(fence);
        rest = after;
        all.push_str(&said);
    }
    new.push_str(rest);
    if count == 0 {
        return Err("there is no bad program".into());
    }
    if new != text && bless() {
        fs::write(page, new)?;
    } else if new != text {
        return Err(format!("Leat says something else now; run `cargo xtask diagnostics`:\n{all}").into());
    }
    Ok(())
}

/// `<17000 times>(` stands for so many parentheses, `<byte 233>` for that byte.
fn bytes_of(body: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut pieces = body.split('<');
    out.extend(pieces.next().unwrap_or_default().bytes());
    for piece in pieces {
        let byte = |rest: &str| rest.split_once('>').and_then(|(n, rest)| Some((n.parse().ok()?, rest.to_string())));
        if let Some((byte, rest)) = piece.strip_prefix("byte ").and_then(byte) {
            out.push(byte);
            out.extend(rest.bytes());
            continue;
        }
        match piece.split_once(" times>").and_then(|(n, rest)| Some((n.parse::<usize>().ok()?, rest))) {
            Some((n, rest)) if !rest.is_empty() => {
                let (first, others) = rest.split_at(rest.chars().next().map_or(0, char::len_utf8));
                out.extend(first.repeat(n).bytes());
                out.extend(others.bytes());
            }
            _ => {
                out.push(b'<');
                out.extend(piece.bytes());
            }
        }
    }
    out
}

/// What is said about a section's last file.
fn run(blocks: &[(&str, String)]) -> Result<String, Failed> {
    let scratch = TempDir::new()?;
    let folder = scratch.path();
    let mut last = "";
    for (info, body) in blocks {
        if let Some((_, name)) = info.split_once(' ') {
            fs::write(folder.join(name), bytes_of(body))?;
            last = name;
        }
    }
    let output = Command::new(LEAT).args(["check", last]).current_dir(folder).env("NO_COLOR", "1").output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    // Long lines are of generated programs.
    Ok(text
        .lines()
        .map(|line| line.trim_end().chars().take(160).collect::<String>().trim_end().to_string() + "\n")
        .collect())
}
