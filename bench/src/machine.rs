//! The machine, the commit and the time: what stands with every figure.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::record::Machine;

pub fn machine() -> Machine {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or("");
        line.split_once(':').map_or(String::new(), |(_, value)| value.trim().to_string())
    };
    let kilobytes = field(&read("/proc/meminfo"), "MemTotal");
    let memory = kilobytes.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    Machine {
        processor: field(&read("/proc/cpuinfo"), "model name"),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_mb: memory / 1024,
        system: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        open_files: open_files(),
        load: read("/proc/loadavg").split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0),
    }
}

/// Files that a process may have open when it asks for all that it may have.
pub fn open_files() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit writes into the structure that it is given.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } {
        0 => limit.rlim_max,
        _ => 1024,
    }
}

/// The tree's commit, and whether it has changes besides.
pub fn commit(tree: &Path) -> (String, bool) {
    let git = |words: &[&str]| {
        let output = Command::new("git").arg("-C").arg(tree).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_string());
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]);
    (commit, changes.is_some_and(|text| !text.is_empty()))
}

/// Now, as 2026-11-22T18:00:00Z.
pub fn time() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()) as i64;
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let rest = seconds.rem_euclid(86_400);
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Days since 1970 -> the date. After Hinnant's chrono-compatible algorithms: years begin in March.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates() {
        assert_eq!(super::date(0), (1970, 1, 1));
        assert_eq!(super::date(19_782), (2024, 2, 29));
        assert_eq!(super::date(20_779), (2026, 11, 22));
    }
}
