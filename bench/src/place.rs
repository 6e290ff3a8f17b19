//! Where things are: Leat, the programs, a scratch folder.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

pub struct Lab {
    pub leat: PathBuf,
    pub programs: PathBuf,
    /// A scratch folder, gone with this value.
    pub out: PathBuf,
    _scratch: TempDir,
    pub launch: PathBuf,
    /// Numbers of fresh texts.
    fresh: Cell<u64>,
    seed: u64,
}

impl Lab {
    /// `programs` is absolute.
    pub fn find(programs: &Path) -> Result<Lab, String> {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let leat = own.with_file_name("leat");
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos()) as u64;
        let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        // Programs run in it: from there a relative path is another one.
        let above = std::path::absolute(scratch()).map_err(|e| failed(&scratch(), e))?;
        // Not the folders above it: a TMPDIR that is not there is a mistake.
        let scratch =
            tempfile::Builder::new().prefix("leat-bench-").tempdir_in(&above).map_err(|e| failed(&above, e))?;
        let out = scratch.path().to_path_buf();
        let launch = out.join("launch");
        let place =
            Lab { leat, programs: programs.to_path_buf(), out, _scratch: scratch, launch, fresh: Cell::new(0), seed };
        let line = format!("{}\n", "x".repeat(60));
        std::fs::write(place.out.join("lines.txt"), line.repeat(10_000)).map_err(|e| failed(&place.out, e))?;
        place.compile_launcher()?;
        Ok(place)
    }

    /// Statically, where that can be linked: so it is smaller.
    fn compile_launcher(&self) -> Result<(), String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/launch.c");
        let mut last = String::new();
        let cc = c_compiler();
        for style in ["-static", "-O1"] {
            let mut command = std::process::Command::new(&cc[0]);
            match command.args(&cc[1..]).args(["-O1", style]).arg(&source).arg("-o").arg(&self.launch).output() {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) => last = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("").into(),
                Err(error) => last = error.to_string(),
            }
        }
        Err(format!("the lab needs a C compiler, and `{}` failed: {last} (CC names another one)", cc.join(" ")))
    }

    /// A number that no other text of this or another run has.
    pub fn fresh_number(&self) -> u64 {
        self.fresh.set(self.fresh.get() + 1);
        self.seed.wrapping_add(self.fresh.get().wrapping_mul(7919)) % 1_000_000_000
    }
}

/// The words of the C compiler's command: `cc`, or what CC says, with its arguments (`gcc -m64`).
pub fn c_compiler() -> Vec<String> {
    let said = std::env::var("CC").unwrap_or_default();
    let words: Vec<String> = said.split_whitespace().map(String::from).collect();
    if words.is_empty() { vec!["cc".to_string()] } else { words }
}

/// A program that this tree builds: it is there, or what to run.
pub fn need(program: &Path, package: &str) -> Result<(), String> {
    let missing = || format!("{} is missing: run `cargo build --release -p {package}` first", program.display());
    if program.exists() { Ok(()) } else { Err(missing()) }
}

/// TMPDIR; where it is empty, as where there is none.
fn scratch() -> PathBuf {
    let said = std::env::temp_dir();
    if said.as_os_str().is_empty() { "/tmp".into() } else { said }
}

impl Lab {
    /// A text for a report that others read: folders of this user and of this run by what they are.
    pub fn shown(&self, text: &str) -> String {
        let folder = |path: &Path| path.display().to_string();
        let mut names = vec![(folder(&self.out), "{out}"), (folder(&self.programs), "{programs}")];
        names.extend(self.leat.parent().map(|parent| (folder(parent), "{build}")));
        names.extend(std::env::home_dir().map(|home| (folder(&home), "~")));
        // A folder of one letter, like /, is in every path.
        names
            .iter()
            .filter(|(path, _)| path.len() > 1)
            .fold(text.to_string(), |text, (path, name)| text.replace(path, name))
    }
}
