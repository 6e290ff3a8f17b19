//! Calls of the library that wait, cancelled at random: `io/cancel-calls.mlb`, with more seeds than the folder's run
//! has, on one worker and on two. `CANCELLING=n` says how many calls (2,000), `SEED=n` the first seed.

use std::path::Path;
use std::process::Command;

use leat_random::setting;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// The program has so many threads that call, each so often.
const PLAYERS: u64 = 6;
const ROUNDS: u64 = 170;

#[test]
fn cancelled_calls() {
    let count = setting("CANCELLING", 2000);
    let first = setting("SEED", 1);
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("calls");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/io/cancel-calls.mlb");
    let built = Command::new(LEAT).args(["build", "-o"]).arg(&program).arg(source).status().expect("leat runs");
    assert!(built.success());
    for seed in first..first + count.div_ceil(PLAYERS * ROUNDS) {
        let workers = if seed % 2 == 0 { "--workers=1" } else { "--workers=2" };
        let run = Command::new(&program)
            .args([ROUNDS.to_string(), seed.to_string()])
            .env("LEAT_RUN", workers)
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(
            run.status.success() && said == "done\n",
            "seed {seed}, {workers}: {:?}\n{said}{}",
            run.status,
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
