//! Parsers of what comes from others, given texts that are changed at random: `libs/parsers.mlb`, with more texts and
//! seeds than the folder's run has. `PARSERS=n` says how many texts of each kind (2,000), `SEED=n` the seed.

use std::path::Path;
use std::process::Command;

use leat_random::setting;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

#[test]
fn changed_texts() {
    let (count, seed) = (setting("PARSERS", 2000), setting("SEED", 1));
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/libs/parsers.mlb");
    let run = Command::new(LEAT)
        .arg("run")
        .arg(program)
        .args([count.to_string(), seed.to_string()])
        .output()
        .expect("leat runs");
    let said = String::from_utf8_lossy(&run.stdout);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said == "done\n", "seed {seed}: {:?}\n{said}{errors}", run.status);
}
