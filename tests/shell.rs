//! What belongs to the `leat` command and to built programs as a user starts them, and what types the Basis has.
//!
//! - `shell/NAME.sh` runs by bash in a scratch folder, the command's path being in `LEAT`; what it prints must be
//!   `NAME.ok`. A new case is a new file, its story the comment at its head.
//! - `types.table`: a row for each type that is abstract, equal to another, or admits equality. Each is a program of
//!   its own or a line of one, which `leat check` accepts or refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// What a type that is abstract must not be.
const CONCRETE: [&str; 8] =
    ["int", "word", "string", "unit", "IntInf.int", "Word8Vector.vector", "int ref", "string list"];

fn main() {
    let arguments = Arguments::from_args();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut trials = Vec::new();
    let mut scripts: Vec<PathBuf> =
        fs::read_dir(tests.join("shell")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sh"));
    scripts.sort();
    for script in scripts {
        let name = script.file_stem().expect("a name").to_string_lossy().into_owned();
        trials.push(Trial::test(format!("shell/{name}"), move || {
            in_scratch(&name, |folder| run_script(&script, folder))
        }));
    }
    let table = fs::read_to_string(tests.join("types.table")).expect("a file");
    for row in table.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let row = row.to_string();
        let name: String = row.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        trials.push(Trial::test(format!("types/{row}"), move || in_scratch(&name, |folder| expect_type(&row, folder))));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn in_scratch(name: &str, test: impl FnOnce(&Path) -> Result<(), Failed>) -> Result<(), Failed> {
    test(TempDir::with_prefix(format!("leat-shell-{name}-"))?.path())
}

fn run_script(script: &Path, folder: &Path) -> Result<(), Failed> {
    let output = Command::new("bash")
        .arg(fs::canonicalize(script)?)
        .current_dir(folder)
        .env("LEAT", fs::canonicalize(LEAT)?)
        .env_remove("LEAT_RUN")
        .stdin(Stdio::null())
        .output()?;
    let expected = fs::read_to_string(script.with_extension("ok"))?;
    let found = String::from_utf8_lossy(&output.stdout);
    if found != expected {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("--- expected\n{expected}--- found\n{found}--- standard error\n{errors}").into());
    }
    Ok(())
}

fn expect_type(row: &str, folder: &Path) -> Result<(), Failed> {
    let (kind, rest) = row.split_once(' ').ok_or("a row has two words")?;
    let fits = |(one, other): (&str, &str)| format!("val _ = fn (x : {one}) => (x : {other})\n");
    let (program, is_accepted) = match kind {
        "abstract" => (CONCRETE.map(|concrete| fits((rest, concrete))).concat(), false),
        "equal" => (fits(rest.split_once(" = ").ok_or("two types with = between")?), true),
        "eq" => (format!("val _ = fn (x : {rest}) => x = x\n"), true),
        "noeq" => (format!("val _ = fn (x : {rest}) => x = x\n"), false),
        _ => return Err(format!("no such row: {kind}").into()),
    };
    let file = folder.join("type.sml");
    fs::write(&file, &program)?;
    let output = Command::new(LEAT).args(["check", "--color=never"]).arg(&file).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    for (i, line) in program.lines().enumerate() {
        let is_refused = errors.contains(&format!("type.sml:{}:", i + 1));
        if is_refused == is_accepted || errors.contains("not bound") {
            return Err(format!("{} `{line}`\n{errors}", if is_refused { "refused" } else { "accepted" }).into());
        }
    }
    Ok(())
}
