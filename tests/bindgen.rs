//! `leat bindgen`: a header with each kind of declaration, what is made of it, and a program over that; and libraries of the
//! system, each with a program.
//!
//! libclang is needed, and of a library its header; what is not there is said to be left out. `LEAT_BLESS=1` writes the
//! expected files of the header of our own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bindgen")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn leat(folder: &Path, cache: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(LEAT);
    command.current_dir(folder).env("XDG_CACHE_HOME", cache).args(words).output().expect("leat runs")
}

/// Whether there is a libclang; if not, the test says so and is none.
fn has_libclang() -> bool {
    let scratch = TempDir::new().expect("a folder");
    std::fs::write(scratch.path().join("a.h"), "int a(void);\n").expect("a file");
    let made = leat(scratch.path(), scratch.path(), &["bindgen", "a.h"]);
    let missing = text(&made.stderr).contains("libclang is needed to read a header, and was not found");
    if missing {
        eprintln!("not tested: there is no libclang; on Debian it is in libclang1-14");
    }
    assert!(missing || made.status.success(), "{}", text(&made.stderr));
    !missing
}

/// Copies the folder's files of C, and makes the bindings beside them.
fn bindings(here: &Path, header: &str, words: &[&str]) -> String {
    std::fs::create_dir_all(here.join("kinds")).expect("a folder");
    for name in ["kinds.h", "kinds.c", "kinds/more.h"] {
        std::fs::copy(folder().join(name), here.join(name)).expect("a copy");
    }
    let made = leat(here, here, &[&["bindgen", header, "-o", "made"], words].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    text(&made.stdout)
}

const KINDS: &[&str] = &[
    "--prefix=kinds_",
    "--param=kinds_name_of\\.buffer=array",
    "--param=kinds_divide\\.rest=ref",
    "--param=kinds_(sum|bytes)\\.(numbers|data)=vector",
    "--param=kinds_square\\.numbers=array",
    "--attribute=kinds_fail=errno",
];

/// What is made of the header, and a program over it: in memory and built, also with a collection at every allocation.
#[test]
fn every_kind_of_declaration() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let said = bindings(here, "kinds.h", KINDS);
    assert_eq!(said.lines().last(), Some("38 functions, 14 constants, 6 structures; 10 not bound"));
    for name in ["kinds.sig", "kinds.sml", "kinds.mlb", "kinds_glue.c"] {
        let made = std::fs::read_to_string(here.join("made").join(name)).expect("a file");
        let expected = folder().join("expected").join(name);
        if std::env::var_os("LEAT_BLESS").is_some() {
            std::fs::write(&expected, &made).expect("a file");
        }
        assert_eq!(made, std::fs::read_to_string(&expected).expect("what is made"), "{name}");
        if name.ends_with(".sig") || name.ends_with(".sml") {
            let checked = leat(&here.join("made"), here, &["fmt", "--check", name]);
            assert!(checked.status.success(), "{name} is not in the style");
        }
    }
    let program = program(here, "kinds", "made/kinds.mlb");
    let c = ["--cc-opt=-w", "kinds.c", "made/kinds_glue.c"];
    let expected = std::fs::read_to_string(folder().join("kinds.ok")).expect("what it prints");
    for mode in [&[][..], &["--gc-stress=1", "--gc-verify"], &["-O0", "--workers=2"]] {
        let run = leat(here, here, &[&["run"], mode, &c, &[&*program]].concat());
        assert_eq!((text(&run.stdout), text(&run.stderr)), (expected.clone(), String::new()), "{mode:?}");
    }
    let made = leat(here, here, &[&["build", "-o", "built"], &c[..], &[&*program]].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let run = Command::new(here.join("built")).output().expect("the program runs");
    assert_eq!((text(&run.stdout), text(&run.stderr)), (expected, String::new()));
}

/// A description of a program over bindings: its name.
fn program(here: &Path, name: &str, bindings: &str) -> String {
    let source = folder().join(format!("{name}.sml"));
    let description = format!(
        "$(SML_LIB)/basis/basis.mlb\n$(SML_LIB)/basis/mlton.mlb\n{bindings}\n{}\n",
        source.canonicalize().expect("a source").display()
    );
    std::fs::write(here.join("main.mlb"), description).expect("a file");
    "main.mlb".to_string()
}

/// Only what is asked for, and what that needs.
#[test]
fn only_what_is_allowed() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    bindings(here, "kinds.h", &["--allow=kinds_add|KINDS_LIMIT|_3d", "--structure=Few"]);
    let signature = std::fs::read_to_string(here.join("made/kinds.sig")).expect("a signature");
    let names: Vec<&str> = signature
        .lines()
        .filter_map(|line| line.strip_prefix("  val ").or_else(|| line.strip_prefix("  structure ")))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(signature.starts_with("(* Made of kinds.h by `leat bindgen`. *)\nsignature FEW ="), "{signature}");
    assert_eq!(names, ["KINDS_LIMIT", "kinds_point", "kinds_add", "x_3d"]);
}

/// What is wrong is said, and nothing is made.
#[test]
fn what_is_wrong_is_said() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    std::fs::write(here.join("bad.h"), "#include \"gone.h\"\nint f(unknown x);\n").expect("a file");
    let said = |words: &[&str], code: i32| {
        let run = leat(here, here, words);
        assert_eq!(run.status.code(), Some(code), "{}", text(&run.stderr));
        text(&run.stderr)
    };
    let errors = said(&["bindgen", "bad.h"], 1);
    assert!(
        errors.starts_with("leat: the header has errors:\n") && errors.contains("'gone.h' file not found"),
        "{errors}"
    );
    assert!(said(&["bindgen", "no/such.h"], 1).contains("'no/such.h' file not found"));
    assert!(said(&["bindgen", "bad.h", "--allow=("], 2).contains("`(` is no pattern"));
    assert!(said(&["bindgen", "bad.h", "--param=f"], 2).contains("`f` is not of the form PATTERN=VALUE"));
    assert!(said(&["bindgen", "bad.h", "--structure=val"], 1).contains("`val` is no name of a structure"));
    let run =
        Command::new(LEAT).current_dir(here).env("LIBCLANG_PATH", "/no/such/file").args(["bindgen", "bad.h"]).output();
    let missing = text(&run.expect("leat runs").stderr);
    assert!(missing.starts_with("leat: libclang is needed to read a header, and was not found"), "{missing}");
    assert!(!here.join("bad.sml").exists());
}

/// A library of the system: its header is read whole, all of it compiles, and a program over it runs.
fn library(header: &str, name: &str, link: &str, words: &[&str]) {
    let found = Command::new("cc").args(["-E", "-include", header, "-x", "c", "/dev/null"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("not tested: there is no header {header}");
        return;
    }
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    bindings(here, header, words);
    let checked = leat(here, here, &["check", &format!("made/{name}.mlb")]);
    assert_eq!((checked.status.code(), text(&checked.stderr)), (Some(0), String::new()));
    let program = program(here, name, &format!("made/{name}.mlb"));
    let glue = format!("made/{name}_glue.c");
    let mut run = vec!["run", link];
    if here.join(&glue).is_file() {
        run.push(&glue);
    }
    run.push(&program);
    let run = leat(here, here, &run);
    let expected = std::fs::read_to_string(folder().join(format!("{name}.ok"))).expect("what it prints");
    assert_eq!((text(&run.stdout), text(&run.stderr)), (expected, String::new()));
}

#[test]
fn zlib() {
    let params = [
        "--param=(un)?compress\\.destLen=ref",
        "--param=(un)?compress\\.dest=array",
        "--param=(un)?compress\\.source=vector",
    ];
    library("zlib.h", "zlib", "-lz", &params);
}

#[test]
fn sqlite() {
    let words = ["--prefix=sqlite3_", "--prefix=sqlite_", "--param=sqlite3_open\\.ppDb=ref"];
    library("sqlite3.h", "sqlite3", "-lsqlite3", &words);
}

#[test]
fn libpng() {
    let params = [
        "--param=png_image_write_to_memory\\.memory_bytes=ref",
        "--param=png_image_write_to_memory\\.buffer=vector",
        "--param=png_image_finish_read\\.buffer=array",
    ];
    library("png.h", "png", "-lpng", &params);
}

#[test]
fn libcurl() {
    library("curl/curl.h", "curl", "-lcurl", &["--attribute=curl_easy_perform=reentrant"]);
}

#[test]
fn sdl() {
    library("SDL2/SDL.h", "SDL", "-lSDL2", &["--prefix=SDL_"]);
}

#[test]
fn libgit2() {
    let params = [
        "--prefix=git_",
        "--param=git_(repository_(init|open)|blob_lookup)\\.(out|blob)=ref",
        "--param=git_blob_create_from_buffer\\.buffer=vector",
        "--param=git_oid_fmt\\.out=array",
    ];
    library("git2.h", "git2", "-lgit2", &params);
}

#[test]
fn gmp() {
    library("gmp.h", "gmp", "-lgmp", &[]);
}
