//! Builds a workload's programs and runs them in rounds.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::{Kind, Place, System, Workload};

/// Samples by system and name, in the order of first appearance.
pub struct Results {
    pub systems: Vec<(&'static str, Vec<(String, Vec<f64>)>)>,
}

/// Builds, runs `rounds` rounds, and answers all samples. A system whose program is not installed, and a peer that cannot be
/// built here, is left out with a word on standard error; a failure of one that is there is an error.
pub fn workload(workload: &Workload, place: &Place, rounds: usize) -> Result<Results, String> {
    let mut present = Vec::new();
    for system in workload.systems {
        let program = words(system.run, workload, place, 0).swap_remove(0);
        if !program.contains('/') && !installed(&program) {
            eprintln!("leat-bench: {}: {} is not installed: left out", workload.row, system.name);
            continue;
        }
        if !system.build.is_empty() {
            let command = words(&system.build.replace("PROG", workload.folder), workload, place, 0);
            if let Err(message) = run(&command) {
                if system.build.starts_with("{leat}") {
                    return Err(message);
                }
                eprintln!("leat-bench: {}: {} cannot be built here: left out: {message}", workload.row, system.name);
                continue;
            }
        }
        present.push(system);
    }
    let mut samples: Vec<(Vec<String>, BTreeMap<String, Vec<f64>>)> =
        present.iter().map(|_| (Vec::new(), BTreeMap::new())).collect();
    // The first round warms caches and is not counted, where the whole process is timed.
    let warm = usize::from(present.iter().any(|system| matches!(system.kind, Kind::Process(_)))) * 3;
    let rounds = if warm > 0 { rounds * 4 } else { rounds };
    for round in 0..rounds + warm {
        for (system, (order, values)) in present.iter().zip(&mut samples) {
            for (name, value) in once(system, workload, place, round)? {
                if round < warm {
                    continue;
                }
                if !values.contains_key(&name) {
                    order.push(name.clone());
                }
                values.entry(name).or_default().push(value);
            }
        }
    }
    let systems = present
        .iter()
        .zip(samples)
        .map(|(system, (order, mut values))| {
            let named = order.into_iter().map(|name| {
                let list = values.remove(&name).unwrap_or_default();
                (name, list)
            });
            (system.name, named.collect())
        })
        .collect();
    Ok(Results { systems })
}

fn once(system: &System, workload: &Workload, place: &Place, round: usize) -> Result<Vec<(String, f64)>, String> {
    let command = words(system.run, workload, place, round);
    match system.kind {
        Kind::Process(name) => {
            let start = Instant::now();
            run(&command)?;
            Ok(vec![(name.to_string(), start.elapsed().as_secs_f64() * 1e6)])
        }
        Kind::Prints => printed(system, &run(&command)?.text),
        Kind::Usage(times) => {
            let run = run(&command)?;
            let mut values = printed(system, &run.text)?;
            values.push(("cpu".to_string(), run.cpu * 1e9 / f64::from(times)));
            values.push(("resident-KB".to_string(), run.resident));
            Ok(values)
        }
    }
}

fn words(template: &str, workload: &Workload, place: &Place, round: usize) -> Vec<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    template
        .split_whitespace()
        .map(|word| {
            word.replace("{leat}", &place.leat.display().to_string())
                .replace("{dir}", &place.programs.join(workload.folder).display().to_string())
                .replace("{out}", &place.out.display().to_string())
                .replace("{lines}", &place.out.join("lines.txt").display().to_string())
                .replace("{fresh}", &format!("{round}+{}", now % 1_000_000_000_000))
        })
        .collect()
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The `name value` lines.
fn printed(system: &System, text: &str) -> Result<Vec<(String, f64)>, String> {
    text.lines()
        .map(|line| {
            let (name, value) = line.split_once(' ').ok_or_else(|| format!("{}: {line}", system.name))?;
            let value: f64 = value.trim().parse().map_err(|_| format!("{}: {line}", system.name))?;
            Ok((name.to_string(), value))
        })
        .collect()
}

/// A process that has ended well.
struct Run {
    /// Its standard output.
    text: String,
    /// Seconds of CPU time, the kernel's on its behalf too.
    cpu: f64,
    /// The most memory that was resident, in KB.
    resident: f64,
}

fn run(command: &[String]) -> Result<Run, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", command[0]);
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let stderr = child.stderr.take();
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    });
    let mut text = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut text).map_err(failed)?;
    }
    let mut status = 0;
    // SAFETY: rusage is plain data; both live. Nobody else waits for this child.
    let (done, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage), usage)
    };
    if done < 0 {
        return Err(failed(std::io::Error::last_os_error()));
    }
    let status = ExitStatus::from_raw(status);
    let errors = errors.join().unwrap_or_default();
    if !status.success() {
        let errors = String::from_utf8_lossy(&errors);
        return Err(format!("`{}` failed, {status}\n{errors}", command.join(" ")));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(Run {
        text: String::from_utf8_lossy(&text).into_owned(),
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        resident: usage.ru_maxrss as f64,
    })
}
