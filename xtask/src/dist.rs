//! The tree -> `dist/leat-VERSION-TARGET.tar.gz`: the stripped program, its completions, manual pages and pages of the
//! library, licences, examples.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Makes the tarball; tells its size and that of the program.
pub fn make(root: &Path) -> io::Result<()> {
    let commit = answer(Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).current_dir(root))?;
    let is_clean = answer(Command::new("git").args(["status", "--porcelain"]).current_dir(root))?.is_empty();
    let commit = if is_clean { commit } else { format!("{commit} with changes") };
    run(Command::new("cargo")
        .args(["build", "--release", "-p", "leat"])
        .env("LEAT_COMMIT", &commit)
        .current_dir(root))?;

    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let built = target.join("release/leat");
    // `leat 0.1.0 (1a2b3c4d5e, x86_64-unknown-linux-gnu)`
    let version = answer(Command::new(&built).arg("--version"))?;
    let words: Vec<&str> = version.split([' ', '(', ')', ',']).filter(|word| !word.is_empty()).collect();
    let (number, triple) = (words.get(1).copied().unwrap_or("0"), words.last().copied().unwrap_or("unknown"));
    let name = format!("leat-{number}-{triple}");

    let dist = root.join("dist");
    let folder = dist.join(&name);
    let _ = fs::remove_dir_all(&folder);
    for part in ["bin", "share/man/man1", "share/completions"] {
        fs::create_dir_all(folder.join(part))?;
    }
    let program = folder.join("bin/leat");
    fs::copy(&built, &program)?;
    run(Command::new("strip").arg(&program))?;
    run(Command::new(&program).arg("man").arg(folder.join("share/man/man1")))?;
    run(Command::new(&program).args(["doc", "--library", "-o"]).arg(folder.join("share/doc")))?;
    for (shell, file) in [("bash", "leat"), ("zsh", "_leat"), ("fish", "leat.fish")] {
        let text = answer(Command::new(&program).args(["completions", shell]))?;
        fs::write(folder.join("share/completions").join(file), text + "\n")?;
    }
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root.join(file), folder.join(file))?;
    }
    copy_sources(&root.join("examples"), &folder.join("share/examples"))?;
    let tarball = format!("{name}.tar.gz");
    run(Command::new("tar").args(["-C", "dist", "-czf", &format!("dist/{tarball}"), &name]).current_dir(root))?;
    let megabytes = |path: &Path| fs::metadata(path).map(|data| data.len() as f64 / 1e6);
    println!("{version}");
    println!("{:.1} MB  {}", megabytes(&program)?, program.display());
    println!("{:.1} MB  {}", megabytes(&dist.join(&tarball))?, dist.join(&tarball).display());
    Ok(())
}

/// Copies a folder, with the folders in it: what somebody has written, and nothing that was built there.
fn copy_sources(from: &Path, to: &Path) -> io::Result<()> {
    const SUFFIXES: &[&str] = &["sml", "sig", "fun", "mlb", "md", "go"];
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_sources(&path, &to)?;
        } else if path.extension().is_some_and(|suffix| SUFFIXES.iter().any(|known| suffix == *known)) {
            fs::copy(path, to)?;
        }
    }
    Ok(())
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?}: {status}"))) }
}

/// What a command prints.
fn answer(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{command:?}: {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
