//! Runs the transcripts in `repl/tests/` by `leat repl`, in every way that must not matter.
//!
//! A transcript is what a user would see: lines after `- ` and `= ` are typed, the others are the answers, of standard
//! output and standard error as they come. A new case is a new file. `LEAT_BLESS=1` rewrites the answers. A first line
//! `(* workers *)` says that several workers must not matter either; `(* code N *)` tells the exit code, if it is not
//! 0.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

mod foreground;
mod terminal;
mod wait;
use foreground::foreground;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// A transcript that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

const MODES: &[(&str, &[&str])] = &[
    ("jit", &["--verify=each"]),
    ("jit-O0", &["-O0", "--verify=each"]),
    ("stress", &["--gc-stress=1", "--gc-verify"]),
    ("workers2", &["--workers=2"]),
];

/// What separates the answers: the answer to this command.
const MARK: &str = ":type fn {mark = x} => x";
const MARKED: &str = "{mark: 'a} -> 'a\n";

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../repl/tests");
    let mut transcripts: Vec<PathBuf> =
        fs::read_dir(&folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default();
    transcripts.retain(|path| path.extension().is_some_and(|extension| extension == "repl"));
    transcripts.sort();
    let mut trials = Vec::new();
    for file in transcripts {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for (mode, words) in MODES {
            if *mode == "workers2" && !text.starts_with("(* workers *)") {
                continue;
            }
            let (file, text) = (file.clone(), text.clone());
            let bless = *mode == "jit" && std::env::var_os("LEAT_BLESS").is_some();
            trials.push(Trial::test(format!("{name}::{mode}"), move || transcript(&file, &text, words, bless)));
        }
    }
    trials.extend(terminal::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

fn transcript(file: &Path, text: &str, words: &[&str], bless: bool) -> Result<(), Failed> {
    let (head, body) = split_head(text);
    let code =
        head.iter().find_map(|line| line.strip_prefix("(* code ")?.strip_suffix(" *)")?.parse().ok()).unwrap_or(0);
    // Units with their answers.
    let mut typed: Vec<Vec<&str>> = Vec::new();
    let mut answers: Vec<String> = Vec::new();
    for line in body {
        if let Some(input) = line.strip_prefix("- ") {
            typed.push(vec![input]);
            answers.push(String::new());
        } else if let (Some(input), Some(unit)) = (line.strip_prefix("= "), typed.last_mut()) {
            unit.push(input);
        } else if let Some(answer) = answers.last_mut() {
            answer.push_str(line);
            answer.push('\n');
        } else {
            return Err(format!("an answer before anything was typed: {line}").into());
        }
    }
    let mut input = String::new();
    for unit in &typed {
        input.push_str(&unit.join("\n"));
        input.push_str(&format!("\n{MARK}\n"));
    }
    let (output, status) = run(file, words, &input)?;
    // Where the library's frames are, and which frames there are without optimisation, is nobody's business here.
    let plain = words.contains(&"-O0");
    let is_told = |line: &&str| !line.starts_with("  in ") || !plain && !line.contains("$(SML_LIB)");
    let output: String = output.split_inclusive('\n').filter(is_told).collect();
    answers.iter_mut().for_each(|answer| *answer = answer.split_inclusive('\n').filter(is_told).collect());
    let mut found: Vec<&str> = output.split(MARKED).collect();
    if found.len() > typed.len() {
        found.truncate(typed.len());
    }
    if bless {
        let mut new = head.iter().map(|line| format!("{line}\n")).collect::<String>();
        for (unit, answer) in typed.iter().zip(found.iter().chain(std::iter::repeat(&""))) {
            new.push_str(&format!("- {}\n{answer}", unit.join("\n= ")));
        }
        fs::write(file, new)?;
        return Ok(());
    }
    for (i, (unit, answer)) in typed.iter().zip(&answers).enumerate() {
        let found = found.get(i).copied().unwrap_or("");
        if found != answer {
            return Err(format!("{}\n--- expected\n{answer}--- found\n{found}", unit.join("\n")).into());
        }
    }
    if status != Some(code) {
        return Err(format!("exit code {status:?}, not {code}").into());
    }
    Ok(())
}

fn split_head(text: &str) -> (Vec<&str>, impl Iterator<Item = &str>) {
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("(*")).collect();
    let skip = head.len();
    (head, text.lines().skip(skip))
}

/// What the session says, standard output and standard error together, and its exit code.
fn run(file: &Path, words: &[&str], input: &str) -> Result<(String, Option<i32>), Failed> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut command = Command::new(LEAT);
    command.args(["repl", "--color=never"]).args(words);
    command.current_dir(file.parent().ok_or("a file in a folder")?);
    command.stdin(Stdio::piped()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = foreground(&mut command).spawn()?;
    drop(command);
    let mut stdin = child.stdin.take().ok_or("piped")?;
    let input = input.to_string();
    let typist = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    let guard = std::thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE).is_err() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    });
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    let _ = sender.send(());
    let _ = (typist.join(), guard.join());
    Ok((String::from_utf8_lossy(&output).into_owned(), status.code()))
}
