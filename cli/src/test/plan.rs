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
    pub race: bool,
}

pub fn plan(matches: &ArgMatches) -> Result<Plan, String> {
    let text = |name: &str| matches.get_one::<String>(name);
    let mut runtime = vec![format!("--heap-max={}", text("heap-max").map_or("1G", String::as_str))];
    runtime.extend(text("workers").map(|n| format!("--workers={n}")));
    let explore = matches.get_one::<u64>("explore");
    runtime.extend(explore.map(|n| format!("--explore={n}")));
    runtime.extend(matches.get_one::<u64>("sched-seed").map(|n| format!("--sched-seed={n}")));
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
        race: matches.get_flag("race"),
    })
}
