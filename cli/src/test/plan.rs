//! The options of `leat test` -> what every process of the run has in common.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;
use leat_driver::foreign::is_foreign;

use crate::given_foreign_words;

/// What every process of this run has in common.
pub struct Plan {
    /// Options of the runtime, as words.
    pub runtime: Vec<String>,
    /// Options of the compiler, as words.
    pub compile: Vec<OsString>,
    /// Files of C, for all tests.
    pub foreign: Vec<PathBuf>,
    pub filter: String,
    pub seed: u64,
    pub bless: bool,
    /// A test that tells nothing for so long hangs.
    pub patience: Duration,
    pub explore: bool,
    /// The one seed to run with.
    pub sched_seed: Option<u64>,
    pub race: bool,
    /// Words of the command line that decide what a test does, but for seeds and files.
    pub repeated: Vec<String>,
}

pub fn plan(matches: &ArgMatches) -> Result<Plan, String> {
    let text = |name: &str| matches.get_one::<String>(name);
    let mut runtime = vec![format!("--heap-max={}", text("heap-max").map_or("1G", String::as_str))];
    runtime.extend(text("workers").map(|n| format!("--workers={n}")));
    let explore = matches.get_one::<u64>("explore");
    runtime.extend(explore.map(|n| format!("--explore={n}")));
    let sched_seed = matches.get_one::<u64>("sched-seed").copied();
    runtime.extend(sched_seed.map(|n| format!("--sched-seed={n}")));
    runtime.extend(matches.get_flag("race").then(|| "--race".to_string()));
    let mut check = leat_driver::RuntimeOptions::default();
    for word in &runtime {
        check.take(word)?;
    }
    check.check()?;
    let seed = matches.get_one::<u64>("seed").copied().unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_micros())
    });
    Ok(Plan {
        runtime,
        compile: {
            let lib = matches.get_one::<PathBuf>("lib").map(|lib| format!("--lib={}", lib.display()).into());
            lib.into_iter().chain(given_foreign_words(matches)).collect()
        },
        foreign: matches
            .get_many::<PathBuf>("file")
            .into_iter()
            .flatten()
            .filter(|file| is_foreign(file))
            .cloned()
            .collect(),
        filter: text("filter").cloned().unwrap_or_default(),
        seed,
        bless: matches.get_flag("bless"),
        patience: Duration::from_secs(matches.get_one::<u64>("timeout").copied().unwrap_or(60)),
        explore: explore.is_some(),
        sched_seed,
        race: matches.get_flag("race"),
        repeated: repeated(matches),
    })
}

/// The words that a command needs to do the same again with a seed, as a shell reads them.
fn repeated(matches: &ArgMatches) -> Vec<String> {
    let given = |name: &str| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
    let mut words = Vec::new();
    for name in ["filter", "heap-max"] {
        words.extend(matches.get_one::<String>(name).filter(|_| given(name)).map(|value| format!("--{name}={value}")));
    }
    words.extend(matches.get_flag("race").then(|| "--race".to_string()));
    words.extend(matches.get_flag("bless").then(|| "--bless".to_string()));
    words.extend(matches.get_one::<PathBuf>("lib").map(|lib| format!("--lib={}", lib.display())));
    words.extend(given_foreign_words(matches).iter().map(|word| word.to_string_lossy().into_owned()));
    let files = matches.get_many::<PathBuf>("file").into_iter().flatten().filter(|file| is_foreign(file));
    words.extend(files.map(|file| file.display().to_string()));
    words.iter().map(|word| quoted(word)).collect()
}

/// A word that a shell reads as this text.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_words_as_they_are() {
        assert_eq!(quoted("--filter=a_b"), "--filter=a_b");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("$HOME"), "'$HOME'");
        assert_eq!(quoted(""), "''");
    }
}
