//! `leat lsp` in real editors without a window, with the configurations of `editors/`, where the editors are installed: a file with
//! a misspelt name is opened, the message read, the name mended, asked about, renamed in three files, and a line
//! formatted.
//!
//! `editors/neovim.lua` and `editors/emacs.el` do it, and print a line for each result. Where an editor, or a package that its
//! configuration needs, is missing, standard error says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

const SIGNATURE: &str =
    "signature COUNT = sig\n  (* The words of a text. *)\n  val words : string -> string list\nend\n";
const STRUCTURE: &str = "structure Count :> COUNT = struct\n  fun words text = String.tokens Char.isSpace text\nend\n";
const MAIN: &str = "(* Words. *)\nval () = print (Int.toString (length (Count.wrods \"a b\")) ^ \"\\n\")\n";

/// What each editor must print.
const EXPECTED: &str = "\
file type: sml
message: 2: the structure `Count` has no value `wrods`
typed: val () = print (Int.toString (length (Count.words \"a b\")) ^ \"\\n\")
mended: true
hover: ```sml val words : string -> string list ``` The words of a text. *declared in count.sml:2:7*
definition: count.sml
renamed: val () = print (Int.toString (length (Count.pieces \"a b\")) ^ \"\\n\")
indented: val x=1
formatted: val x = 1
";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::canonicalize(root).expect("the tree's folder")
}

/// Does this end well?
fn can(command: &str, arguments: &[&str]) -> bool {
    let status =
        Command::new(command).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A project with this `leat` on the path; the editor prints what is expected, and leaves the files renamed.
fn works(editor: &str, arguments: &[&str]) {
    let folder = TempDir::with_prefix("leat-editor-").expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("project/src")).expect("a folder");
    fs::create_dir_all(at("project/.git")).expect("a folder");
    fs::create_dir_all(at("bin")).expect("a folder");
    std::os::unix::fs::symlink(LEAT, at("bin/leat")).expect("a link");
    let files = [
        ("src/count.sig", SIGNATURE),
        ("src/count.sml", STRUCTURE),
        ("src/main.sml", MAIN),
        ("src/sources.mlb", "$(SML_LIB)/basis/basis.mlb\ncount.sig\ncount.sml\n"),
        ("words.mlb", "$(SML_LIB)/basis/basis.mlb\nsrc/sources.mlb\nsrc/main.sml\n"),
    ];
    for (name, text) in files {
        fs::write(at("project").join(name), text).expect("a file");
    }
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(editor)
        .args(arguments)
        .current_dir(at("project"))
        .env("PATH", path)
        // No configuration of whoever runs the tests.
        .env("HOME", folder.path())
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .output()
        .expect("the editor runs");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let found: String =
        out.lines().filter(|line| !line.starts_with("[eglot]")).map(|line| format!("{line}\n")).collect();
    // Between them stands what Emacs shows before it edits several files.
    let missing: Vec<&str> = EXPECTED.lines().filter(|line| !found.lines().any(|other| other == *line)).collect();
    assert!(
        missing.is_empty() && !found.contains("failed"),
        "missing: {missing:#?}\nfound:\n{found}\nerrors:\n{errors}"
    );
    for name in ["count.sig", "count.sml", "main.sml"] {
        let text = fs::read_to_string(at("project/src").join(name)).expect("a file");
        assert!(text.contains("pieces"), "{name}: {text}");
    }
}

#[test]
fn neovim() {
    if !can("nvim", &["--version"]) {
        eprintln!("Neovim is not installed: its configuration is not tried");
        return;
    }
    let configuration = root().join("editors/neovim/leat.lua").display().to_string();
    let script = format!("luafile {}", root().join("tests/editors/neovim.lua").display());
    works("nvim", &["--headless", "-u", &configuration, "src/main.sml", "-c", &script]);
}

#[test]
fn emacs() {
    let packages = "(progn (require 'package) (package-initialize))";
    let needs = "(progn (require 'eglot) (require 'sml-mode))";
    if !can("emacs", &["--batch", "--eval", packages, "--eval", needs]) {
        eprintln!("Emacs with eglot and sml-mode is not installed: its configuration is not tried");
        return;
    }
    let configuration = root().join("editors/emacs/leat.el").display().to_string();
    let script = root().join("tests/editors/emacs.el").display().to_string();
    works("emacs", &["--batch", "--eval", packages, "-l", &configuration, "-l", &script]);
}
