//! Row C4: a folder of sequential programs -> the table of their times on Leat and its peers, and the geometric mean.
//!
//! Usage: `cargo run --release -p leat-bench --bin suite -- FOLDER [--rounds=N] [--seconds=S] [NAME ...]`. Each
//! `NAME.sml` of the folder declares `Main.doit: int -> unit`, as the programs of MLton's benchmark folder do. Leat
//! finds the `n` that takes it S seconds; then all systems run `doit n`, in turn in each round, in the folder (the
//! programs read its data). Times are the CPU time that a program reports of `doit` alone. Outputs must be the same
//! everywhere.

#[path = "../stats.rs"]
#[allow(dead_code)]
mod stats;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::{Arg, value_parser};
use stats::median;

/// Most that a run may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The line that a program ends with, on standard error: seconds of CPU time.
const MARK: &str = "@suite ";

struct Options {
    folder: PathBuf,
    rounds: usize,
    seconds: f64,
    names: Vec<String>,
}

fn main() -> ExitCode {
    let result = options().and_then(|options| suite(&options));
    result.map_or_else(
        |message| {
            eprintln!("suite: {message}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn options() -> Result<Options, String> {
    let number = |name: &'static str, value: &'static str| Arg::new(name).long(name).default_value(value);
    let mut matches = clap::Command::new("suite")
        .about("Times the programs of a folder on Leat and its peers.")
        .arg(Arg::new("folder").value_name("FOLDER").required(true).value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("names").value_name("NAME").num_args(0..))
        .arg(number("rounds", "3").value_name("N").value_parser(value_parser!(usize)))
        .arg(number("seconds", "0.4").value_name("S").value_parser(value_parser!(f64)))
        .get_matches();
    let folder: PathBuf = matches.remove_one("folder").expect("it is required");
    Ok(Options {
        folder: std::fs::canonicalize(&folder).map_err(|e| format!("{}: {e}", folder.display()))?,
        rounds: matches.remove_one("rounds").expect("it has a default"),
        seconds: matches.remove_one("seconds").expect("it has a default"),
        names: matches.remove_many("names").into_iter().flatten().collect(),
    })
}

/// A way to run a text of SML. The first word is looked for in the path.
struct Peer {
    name: &'static str,
    command: &'static [&'static str],
}

const PEERS: &[Peer] = &[
    Peer { name: "SML/NJ", command: &["sml", "@SMLquiet"] },
    Peer { name: "Poly/ML", command: &["poly", "-q", "--error-exit", "--use"] },
];

fn suite(options: &Options) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let leat = own.with_file_name("leat");
    let scratch = tempfile::TempDir::new().map_err(|e| e.to_string())?;
    table(options, &leat, scratch.path())
}

fn table(options: &Options, leat: &Path, scratch: &Path) -> Result<(), String> {
    let mut names: Vec<String> = std::fs::read_dir(&options.folder)
        .map_err(|e| e.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.strip_suffix(".sml").map(String::from))
        .filter(|name| options.names.is_empty() || options.names.contains(name))
        .collect();
    names.sort();
    println!(
        "| program | n | build, s | leat, s | {} |",
        PEERS.iter().map(|p| format!("{0}, s | ratio to {0} | ", p.name)).collect::<String>()
    );
    println!("|---|---:|---:|---:|{}", "---:|---:|".repeat(PEERS.len()));
    let mut logs = vec![Vec::new(); PEERS.len()];
    let mut builds = 0.0;
    for name in &names {
        match row(options, leat, scratch, name) {
            Ok(row) => {
                builds += row.build;
                print!("| {name} | {} | {:.3} | {:.3} |", row.n, row.build, row.leat);
                for (peer, log) in row.peers.iter().zip(&mut logs) {
                    match peer {
                        Ok(time) => {
                            let ratio = row.leat / time;
                            log.push(ratio.ln());
                            print!(" {time:.3} | {ratio:.2} |");
                        }
                        Err(why) => print!(" {why} | |"),
                    }
                }
                println!();
            }
            Err(why) => println!("| {name} | {why} |"),
        }
    }
    for (peer, log) in PEERS.iter().zip(&logs) {
        let mean = (log.iter().sum::<f64>() / log.len() as f64).exp();
        println!("\nGeometric mean of {} ratios to {}: {mean:.3}", log.len(), peer.name);
    }
    println!("All builds: {builds:.1} s");
    Ok(())
}

struct Row {
    n: u64,
    build: f64,
    leat: f64,
    peers: Vec<Result<f64, String>>,
}

fn row(options: &Options, leat: &Path, scratch: &Path, name: &str) -> Result<Row, String> {
    let source = options.folder.join(format!("{name}.sml"));
    let text = std::fs::read_to_string(&source).map_err(|e| e.to_string())?;
    // The measuring functions come first: a program may rebind the names that they use.
    let before = format!(
        "fun suiteRun' doit n = let val t = Timer.startCPUTimer () val _ = doit n val {{usr, sys}} = Timer.checkCPUTimer t \
         in Time.toReal (Time.+ (usr, sys)) end;\n\
         fun suiteFind' doit n = if suiteRun' doit n < {:.3} andalso n < 100000000 then suiteFind' doit (2 * n) else n;\n\
         fun suiteReport' s = (TextIO.output (TextIO.stdErr, \"{MARK}\" ^ s ^ \"\\n\"); TextIO.flushOut TextIO.stdErr);\n\
         structure Suite' = struct val int = Int.toString val real = Real.toString val find = suiteFind' val run = suiteRun' \
         val report = suiteReport' val exit = fn () => OS.Process.exit OS.Process.success : unit end;\n",
        options.seconds / 2.0
    );
    let find = "\n;val () = Suite'.report (Suite'.int (Suite'.find Main.doit 1));\n";
    let report = |n: u64| format!("\n;val () = Suite'.report (Suite'.real (Suite'.run Main.doit {n}));\n");
    let file = |end: &str| scratch.join(format!("{name}-{end}"));
    let write = |path: &Path, text: String| std::fs::write(path, text).map_err(|e| e.to_string());
    write(&file("find.sml"), format!("{before}{text}{find}"))?;
    let words = |path: &Path| path.display().to_string();
    let found = run(&[words(leat), "run".into(), words(&file("find.sml"))], &options.folder)?;
    let n = found.value as u64;
    write(&file("leat.sml"), format!("{before}{text}{}", report(n)))?;
    let start = Instant::now();
    run_plain(
        &[words(leat), "build".into(), words(&file("leat.sml")), "-o".into(), words(&file("leat"))],
        &options.folder,
    )?;
    let build = start.elapsed().as_secs_f64();
    let mut own = Vec::new();
    let mut theirs: Vec<Result<Vec<f64>, String>> = PEERS.iter().map(|_| Ok(Vec::new())).collect();
    for _ in 0..options.rounds {
        let ours = run(&[words(&file("leat"))], &options.folder)?;
        own.push(ours.value);
        for (peer, times) in PEERS.iter().zip(&mut theirs) {
            let Ok(list) = times else { continue };
            let driver = file(&format!("{}.sml", peer.command[0]));
            let quiet = if peer.command[0] == "sml" {
                "val () = (Control.Print.out := {say = fn _ => (), flush = fn () => ()});\n"
            } else {
                ""
            };
            let text = format!("{quiet}{before}use \"{}\";\n{}\nval () = Suite'.exit ();\n", words(&source), report(n));
            write(&driver, text)?;
            let mut command: Vec<String> = peer.command.iter().map(|w| w.to_string()).collect();
            command.push(words(&driver));
            match run(&command, &options.folder) {
                // Their compilers' messages stand before the program's own output.
                Ok(theirs) if !theirs.output.ends_with(&ours.output) => *times = Err("other output".into()),
                Ok(theirs) => list.push(theirs.value),
                Err(why) => *times = Err(why),
            }
        }
    }
    let peers = theirs.into_iter().map(|times| times.map(|list| median(&list))).collect();
    Ok(Row { n, build, leat: median(&own), peers })
}

struct Run {
    /// What stands behind the mark.
    value: f64,
    output: String,
}

/// Runs a program that reports with [`MARK`].
fn run(command: &[String], folder: &Path) -> Result<Run, String> {
    let (output, errors) = run_plain(command, folder)?;
    let line = errors.lines().rev().find_map(|line| line.strip_prefix(MARK));
    let last = errors.lines().chain(output.lines()).last().unwrap_or("").to_string();
    let value = line.and_then(|v| v.trim().replace('~', "-").parse().ok()).ok_or_else(|| format!("no time: {last}"))?;
    Ok(Run { value, output })
}

fn run_plain(command: &[String], folder: &Path) -> Result<(String, String), String> {
    let name = command[0].rsplit('/').next().unwrap_or("").to_string();
    let file = || tempfile::tempfile().map_err(|e| e.to_string());
    let (output, errors) = (file()?, file()?);
    let open = |file: &File| file.try_clone().map_err(|e| e.to_string());
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(open(&output)?)
        .stderr(open(&errors)?)
        .spawn()
        .map_err(|e| format!("{name}: {e}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{name}: more than {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let read = |mut file: File| {
        let mut bytes = Vec::new();
        let _ = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (output, errors) = (read(output), read(errors));
    if status.success() || errors.contains(MARK) {
        return Ok((output, errors));
    }
    let line = errors.lines().chain(output.lines()).find(|l| !l.trim().is_empty()).unwrap_or("");
    Err(format!("{name}: {status}: {}", line.chars().take(100).collect::<String>()))
}
