//! `leat lsp` in real editors without a window, with the configurations of `editors/`, where the editors are installed:
//! a file with a misspelt name is opened, the message read, the name mended, asked about, renamed in three files, and a
//! line formatted; then a description is opened, the message about a wrong line read, and a line formatted.
//!
//! `editors/neovim.lua`, `editors/emacs.el`, `editors/helix.py` and `editors/vscode` do it, and tell a line for each
//! result; the last two debug a program, too, and so do Neovim with nvim-dap, by `editors/neovim-dap.lua`, and Emacs
//! with dape, by `editors/emacs-dape.el`. Where an editor, or a package that its configuration needs, is missing,
//! standard error says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

const SIGNATURE: &str =
    "signature COUNT = sig\n  (* The words of a text. *)\n  val words : string -> string list\nend\n";
const STRUCTURE: &str = "structure Count :> COUNT = struct\n  fun words text = String.tokens Char.isSpace text\nend\n";
const MAIN: &str = "(* Words. *)\nval () = print (Int.toString (length (Count.wrods \"a b\")) ^ \"\\n\")\n";

const SUM: &str = "fun sum [] = 0\n  | sum (x :: rest) = x + sum rest\nval total = sum [1, 2]\n";

/// What Helix's script must print.
const IN_HELIX: &str = "\
message: yes
action: yes
mended: yes
hover: yes
definition: yes
rename: yes
renamed: yes
formatted: yes
message of words.mlb: yes
formatted words.mlb: yes
stopped: yes
variables: yes
";

/// What VS Code must tell besides.
const IN_VS_CODE: &str = "\
action: did you mean `Count.words`?
references: 3
symbols: Count
debugging: true
stopped: breakpoint at sum.sml:2
variables: rest = [2], x = 1
back: sum.sml:3
end: true
";

/// What the other editors must print.
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

/// What Neovim and Emacs must print besides: of files with other suffixes, which need not be there, and of a
/// description.
const OTHER_FILES: &str = "\
src/new.sig: sml
src/new.fun: sml
words.mlb: mlb
message of words.mlb: 1: `count` is neither a keyword nor the name of a file
formatted words.mlb: src/sum.sml
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

/// A project with this `leat` on the path.
fn project() -> (TempDir, String) {
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
        ("src/sum.sml", SUM),
        ("src/sources.mlb", "$(SML_LIB)/basis/basis.mlb\ncount.sig\ncount.sml\n"),
        ("words.mlb", "$(SML_LIB)/basis/basis.mlb\nsrc/sources.mlb\nsrc/main.sml\n"),
    ];
    for (name, text) in files {
        fs::write(at("project").join(name), text).expect("a file");
    }
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap_or_default());
    (folder, path)
}

/// The editor prints what is expected, and leaves the files renamed.
fn works(editor: &str, arguments: &[&str], expected: &str) {
    works_with(editor, arguments, expected, &[]);
}

/// Likewise, with files that the editor finds in the home folder.
fn works_with(editor: &str, arguments: &[&str], expected: &str, home: &[(&str, &Path)]) {
    let (folder, found) = told_by(editor, arguments, home);
    all_told(expected, &found);
    is_renamed(folder.path());
}

/// The project after that, and what the editor has printed.
fn told_by(editor: &str, arguments: &[&str], home: &[(&str, &Path)]) -> (TempDir, String) {
    let (folder, path) = project();
    for (name, from) in home {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).expect("a file");
    }
    let output = Command::new(editor)
        .args(arguments)
        .current_dir(folder.path().join("project"))
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
    (folder, format!("{found}errors:\n{errors}"))
}

/// Between the lines stands what Emacs shows before it edits several files.
fn all_told(expected: &str, found: &str) {
    let missing: Vec<&str> = expected.lines().filter(|line| !found.lines().any(|other| other == *line)).collect();
    let failed = found.lines().take_while(|line| *line != "errors:").any(|line| line.contains("failed"));
    assert!(missing.is_empty() && !failed, "missing: {missing:#?}\nfound:\n{found}");
}

fn is_renamed(folder: &Path) {
    for name in ["count.sig", "count.sml", "main.sml"] {
        let text = fs::read_to_string(folder.join("project/src").join(name)).expect("a file");
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
    let expected = [EXPECTED, OTHER_FILES].concat();
    works("nvim", &["--headless", "-u", &configuration, "src/main.sml", "-c", &script], &expected);
}

/// What Neovim with nvim-dap must tell, and Emacs with dape.
const DEBUGGED: &str = "\
stopped: sum.sml:2
variables: rest = [2], x = 1
back: sum.sml:3
end: true
";

/// The debugger in Neovim. LEAT_NVIM_DAP names the folder of nvim-dap.
#[test]
fn neovim_with_dap() {
    let package = std::env::var_os("LEAT_NVIM_DAP").map(PathBuf::from);
    let Some(package) = package.filter(|_| can("nvim", &["--version"])) else {
        eprintln!("Neovim is not installed, or LEAT_NVIM_DAP names no folder with nvim-dap: it is not tried");
        return;
    };
    let finds = format!("set runtimepath+={}", package.display());
    let configuration = root().join("editors/neovim/leat.lua").display().to_string();
    let script = format!("luafile {}", root().join("tests/editors/neovim-dap.lua").display());
    let (_folder, found) =
        told_by("nvim", &["--headless", "--cmd", &finds, "-u", &configuration, "src/sum.sml", "-c", &script], &[]);
    all_told(DEBUGGED, &found);
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
    let expected = [EXPECTED, OTHER_FILES].concat();
    works("emacs", &["--batch", "--eval", packages, "-l", &configuration, "-l", &script], &expected);
}

/// The debugger in Emacs. LEAT_DAPE names the folder of dape; and of jsonrpc, if Emacs has an old one, behind a colon.
#[test]
fn emacs_with_dape() {
    let packages = std::env::var_os("LEAT_DAPE").map(|folders| std::env::split_paths(&folders).collect::<Vec<_>>());
    let Some(packages) = packages.filter(|_| can("emacs", &["--version"])) else {
        eprintln!("Emacs is not installed, or LEAT_DAPE names no folder with dape: it is not tried");
        return;
    };
    let paths = [root().join("editors/emacs/leat.el"), root().join("tests/editors/emacs-dape.el")];
    let [configuration, script] = paths.map(|path| path.display().to_string());
    let folders: Vec<String> = packages.iter().map(|folder| folder.display().to_string()).collect();
    let mut arguments = vec!["--batch"];
    arguments.extend(folders.iter().flat_map(|folder| ["-L", folder]));
    arguments.extend(["-l", &configuration, "-l", &script]);
    let (_folder, found) = told_by("emacs", &arguments, &[]);
    all_told(DEBUGGED, &found);
}

/// Helix draws in a terminal only; a script in Python is its terminal.
#[test]
fn helix() {
    if !can("hx", &["--version"]) || !can("python3", &["-c", "import pty"]) {
        eprintln!("Helix or Python is not installed: Helix's configuration is not tried");
        return;
    }
    let configuration = root().join("editors/helix/languages.toml");
    let script = root().join("tests/editors/helix.py").display().to_string();
    works_with("python3", &[&script], IN_HELIX, &[(".config/helix/languages.toml", &configuration)]);
}

/// A process and those that it has started, which end with this.
struct Group(std::process::Child);

impl Drop for Group {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.0.wait();
    }
}

impl Group {
    fn start(command: &mut Command) -> Group {
        use std::os::unix::process::CommandExt;
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Group(quiet.process_group(0).spawn().expect("it starts"))
    }
}

/// VS Code itself, by the package code-server: its window is in a browser without a screen. LEAT_CODE_SERVER names a
/// folder in which `npm install code-server @vscode/vsce` was done. The extension is packed and installed from its
/// file; `npm install` for that asks the registry.
#[test]
fn vs_code() {
    let Some(packages) = std::env::var_os("LEAT_CODE_SERVER").map(|folder| PathBuf::from(folder).join("node_modules"))
    else {
        eprintln!("LEAT_CODE_SERVER names no folder with code-server: the extension is not tried in VS Code");
        return;
    };
    let (folder, path) = project();
    let at = |name: &str| folder.path().join(name);
    let run = |command: &mut Command| {
        let output = command.env("HOME", folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let server = |words: &[&str]| {
        let mut command = Command::new("node");
        command.arg(packages.join("code-server/out/node/entry.js")).env("HOME", folder.path()).env("PATH", &path);
        command.arg("--user-data-dir").arg(at("user")).arg("--extensions-dir").arg(at("extensions")).args(words);
        command
    };
    for (name, from) in [("leat", "editors/vscode"), ("leat-user", "tests/editors/vscode")] {
        let extension = at(name);
        fs::create_dir_all(&extension).expect("a folder");
        for entry in fs::read_dir(root().join(from)).expect("a folder").flatten() {
            if entry.path().is_file() {
                fs::copy(entry.path(), extension.join(entry.file_name())).expect("a file");
            }
        }
        run(Command::new("npm").args(["install", "--no-audit", "--no-fund"]).current_dir(&extension));
        let file = at(&format!("{name}.vsix")).display().to_string();
        run(Command::new(packages.join(".bin/vsce"))
            .args(["package", "--allow-missing-repository", "--skip-license", "-o", &file])
            .current_dir(&extension));
        run(&mut server(&["--install-extension", &file]));
    }
    // A server of VS Code takes the path of a login shell.
    let settings = format!("{{ \"leat.path\": \"{}\" }}", at("bin/leat").display());
    fs::create_dir_all(at("project/.vscode")).expect("a folder");
    fs::write(at("project/.vscode/settings.json"), settings).expect("a file");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let told = at("told");
    let words = ["--auth", "none", "--bind-addr", &address, "--disable-telemetry", "--disable-update-check"];
    let _server = Group::start(server(&words).arg("--disable-workspace-trust").env("LEAT_USER_TELLS", &told));
    let start = std::time::Instant::now();
    let late = || start.elapsed() > std::time::Duration::from_secs(120);
    let wait = || std::thread::sleep(std::time::Duration::from_millis(100));
    while std::net::TcpStream::connect(&address).is_err() && !late() {
        wait();
    }
    let profile = format!("--user-data-dir={}", at("browser").display());
    let page = format!("http://{address}/?folder={}", at("project").display());
    let _browser = Group::start(
        Command::new("chromium")
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
            .args([&profile, &page]),
    );
    let read = || fs::read_to_string(&told).unwrap_or_default();
    while !read().contains("\nend: ") && !late() {
        wait();
    }
    let found = read();
    let missing: Vec<&str> =
        EXPECTED.lines().chain(IN_VS_CODE.lines()).filter(|line| !found.lines().any(|other| other == *line)).collect();
    assert!(missing.is_empty() && !found.contains("failed"), "missing: {missing:#?}\nfound:\n{found}");
    is_renamed(folder.path());
}
