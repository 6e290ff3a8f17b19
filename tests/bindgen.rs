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
    assert_eq!(said.lines().last(), Some("40 functions, 14 constants, 6 structures; 10 not bound"));
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

/// A mistake in a pattern was told by the compiler of what was made, or by nobody; and a signature was empty without a
/// word.
#[test]
fn what_fits_nothing_is_said() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    std::fs::create_dir(here.join("far")).expect("a folder");
    write("a.h", "int f(int *x, ...);\nint g(int x);\nint h(int x[2]);\n");
    write("far/b.h", "int of_b(void);\n");
    write("empty.h", "#define EMPTY\n#define TWICE(x) (2 * (x))\n#include <far/../far/b.h>\n#include <stdint.h>\n");
    write("fail.h", "int f(int x);\n");
    let said = |words: &[&str], code: i32| {
        let run = leat(here, here, &[&["bindgen"], words].concat());
        assert_eq!(run.status.code(), Some(code), "{}", text(&run.stderr));
        text(&run.stderr)
    };
    for (words, code, pieces) in [
        (&["a.h", "--attribute=f=wrong"][..], 2, &["there is no attribute `wrong`", "`blocking`"][..]),
        (&["a.h", "--attribute=f=leaf reentrant"], 2, &["`leaf` and `reentrant` exclude each other"]),
        (&["a.h", "--param=f\\.x=refs"], 2, &["no parameter is a `refs`", "`vector`"]),
        (&["a.h", "--attribute=none=leaf"], 0, &["warning: --attribute 'none=leaf' fits nothing that is bound"]),
        (&["a.h", "--param=f\\.y=ref"], 0, &["warning: --param 'f\\.y=ref' fits nothing that is bound"]),
        (&["a.h", "--headers=none"], 0, &["warning: --headers 'none' fits no file that is included"]),
        (&["a.h", "--allow=none"], 1, &["there is nothing in a.h to bind whose name fits --allow"]),
        (&["-I.", "empty.h"], 0, &[]),
        // The first of all patterns fits, the second one does not count.
        (&["a.h", "--param=f\\.x=ref", "--attribute=g=leaf", "--attribute=f|g=errno"], 0, &[]),
        // An array is an address, too.
        (&["a.h", "--param=h\\.x=array"], 0, &[]),
        (&["fail.h"], 0, &[]),
        (&["a.h", "--structure=SOME"], 0, &[]),
    ] {
        let told = said(words, code);
        assert!(
            pieces.iter().all(|piece| told.contains(piece)) && told.is_empty() == pieces.is_empty(),
            "{words:?}: {told}"
        );
    }
    // `far/b.h` is in a folder below, so it was the header's own; not so from a folder beside.
    std::fs::create_dir(here.join("near")).expect("a folder");
    std::fs::rename(here.join("empty.h"), here.join("near/empty.h")).expect("a file");
    let told = said(&["-I.", "near/empty.h"], 1);
    for piece in [
        "there is nothing in near/empty.h to bind",
        "a macro with parameters: TWICE",
        "far/b.h",
        "--headers '.*/b\\.h'",
    ] {
        assert!(told.contains(piece), "{told}");
    }
    assert_eq!(said(&["-I.", "near/empty.h", "--headers=.*/b\\.h"], 0), "");
    // What is bound of a function with `...` has no attribute that stands alone.
    assert_eq!(said(&["a.h", "--attribute=.*=leaf"], 0), "");
    let checked = leat(here, here, &["check", "a.mlb"]);
    assert_eq!((checked.status.code(), text(&checked.stderr)), (Some(0), String::new()));
}

/// What is written in C for a header is C, whatever libclang calls a type: there were setters of constants, and types
/// named `enum (unnamed at ..)`; and a variable of each thread was bound as if there were one.
#[test]
fn what_is_made_in_c_compiles() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let header = "\
        struct flags { const unsigned version : 4; unsigned rest : 28; };\n\
        struct mode { enum { SLOW, FAST = -1 } speed : 2; const enum { HOT = 0x80000000 } heat : 32; };\n\
        typedef const struct { unsigned a : 3; } fixed;\n\
        struct free { unsigned b : 3; };\n\
        typedef const struct free bound;\n\
        extern _Thread_local int own;\n\
        extern int common;\n\
        static inline int mood(enum { SAD } x) { return x; }\n\
        struct holder { enum { RED } colour; };\n\
        static inline int use(struct flags *f, struct mode *m, fixed *c, bound *b) { return f->rest + m->speed + c->a + b->b; }\n\
        static inline __typeof__(((struct holder *)0)->colour) same(__typeof__(((struct holder *)0)->colour) x) { return x; }\n";
    std::fs::write(here.join("flags.h"), header).expect("a file");
    let made = leat(here, here, &["bindgen", "flags.h"]);
    assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), String::new()));
    let compiled = Command::new("cc").current_dir(here).args(["-c", "-I.", "flags_glue.c"]).output().expect("cc runs");
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    let glue = std::fs::read_to_string(here.join("flags_glue.c")).expect("a file");
    let signature = std::fs::read_to_string(here.join("flags.sig")).expect("a file");
    for (name, is_set) in
        [("version", false), ("rest", true), ("speed", true), ("heat", false), ("a", false), ("b", true)]
    {
        for text in [&glue, &signature] {
            assert!(text.contains(&format!("get_{name}")) || text.contains(&format!("_{name}(")), "{name}: {text}");
        }
        assert_eq!(signature.contains(&format!("val set_{name} ")), is_set, "{name}: {signature}");
        let setters = glue.lines().filter(|line| line.contains("_set_") && line.contains(&format!("_{name}("))).count();
        assert_eq!(setters, usize::from(is_set), "{name}: {glue}");
    }
    assert!(signature.contains("common") && !signature.contains("val own"), "{signature}");
    assert!(signature.contains("a variable of which each thread has its own:\n     own"), "{signature}");
    let checked = leat(here, here, &["check", "flags.mlb"]);
    assert_eq!((checked.status.code(), text(&checked.stderr)), (Some(0), String::new()));
}

/// A name of a header may be a link to it, as `ncurses.h` is one to `curses.h`; and a header may have nothing but one
/// `#include`. There was no such header, and the signature was empty.
#[test]
fn headers_that_stand_for_others() {
    if !has_libclang() {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    std::fs::create_dir_all(here.join("include/sub")).expect("a folder");
    std::fs::write(here.join("include/real.h"), "int of_real(void);\n").expect("a file");
    let forward = "#ifndef FORWARD_H\n#define FORWARD_H\n#include <real.h>\n#endif\n";
    std::fs::write(here.join("include/sub/forward.h"), forward).expect("a file");
    std::os::unix::fs::symlink("real.h", here.join("include/link.h")).expect("a link");
    for (header, name) in [("link.h", "link"), ("sub/forward.h", "forward"), ("include/sub/forward.h", "forward")] {
        let made = leat(here, here, &["bindgen", "-Iinclude", "-o", "made", header]);
        assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), String::new()), "{header}");
        let signature = std::fs::read_to_string(here.join(format!("made/{name}.sig"))).expect("a signature");
        assert!(signature.contains("val of_real : unit -> int"), "{header}: {signature}");
    }
}

/// libclang reads gcc's own headers where its own are not installed, and does not understand all of them. It is said
/// what is missing; but not of the headers of vectors, which many headers include.
#[test]
fn headers_of_the_compiler() {
    if !has_libclang() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let source = "#include <immintrin.h>\nint f(int x);\n__m128 g(__m128 x);\n";
    std::fs::write(here.join("vectors.h"), source).expect("a file");
    let made = leat(here, here, &["bindgen", "vectors.h"]);
    assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), String::new()));
    assert_eq!(text(&made.stdout).lines().last(), Some("1 function, 0 constants, 0 structures; 1 not bound"));
    // gcc's file, which programs do not include by itself.
    std::fs::write(here.join("inner.h"), "#include <ia32intrin.h>\nint f(int x);\n").expect("a file");
    let made = leat(here, here, &["bindgen", "inner.h"]);
    let told = text(&made.stderr);
    let is_explained = told.contains("those of libclang itself are not installed") && told.contains("libclang-common-");
    assert!(made.status.success() || !told.contains("/gcc/") || is_explained, "{told}");
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

/// Much of what the headers of the C library are for stands in private parts of them, and was not bound: `struct tm`,
/// `poll`, `struct sockaddr`, `sin`.
#[test]
fn parts_of_the_c_library() {
    library("time.h", "time", "-lc", &["--param=(gm|local)time\\.__timer=vector"]);
    library("poll.h", "poll", "-lc", &["--attribute=poll=blocking errno"]);
    library(
        "sys/socket.h",
        "socket",
        "-lc",
        &["--param=socketpair\\.__fds=array", "--param=(send|recv)\\.__buf=array"],
    );
    library("math.h", "math", "-lm", &["--attribute=.*=pure", "--param=frexp\\.__exponent=ref"]);
    library("termios.h", "termios", "-lc", &[]);
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
