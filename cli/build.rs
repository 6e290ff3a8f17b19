//! The commit and the target -> the variables of `leat --version`; how `leat` is linked.
//!
//! `cargo xtask dist` names the commit in LEAT_COMMIT. Elsewhere Git is asked, once: this script does not run again for each
//! commit, so what it has found is the commit or an earlier one.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LEAT_COMMIT");
    let commit = match std::env::var("LEAT_COMMIT") {
        Ok(commit) if !commit.is_empty() => commit,
        _ => {
            let found = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output().ok();
            let found = found.filter(|output| output.status.success());
            match found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()) {
                Some(commit) if !commit.is_empty() => format!("{commit} or later"),
                _ => "unknown commit".to_string(),
            }
        }
    };
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=LEAT_VERSION={} ({commit}, {target})", env!("CARGO_PKG_VERSION"));
    println!("cargo::rustc-env=LEAT_TARGET={target}");
    // Where the program lies is known to the linker: 16,700 addresses need not be put right at each start, which was a
    // tenth of it. Programs that Leat builds are linked so too; libraries, heap and stacks still lie anywhere.
    if target.contains("linux") && target.contains("gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // Where there is debug information (CONTRIBUTING.md says how), it takes half of the room; back-traces and
        // debuggers read it all the same.
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
