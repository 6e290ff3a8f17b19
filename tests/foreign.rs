//! Foreign functions: programs with a file of C beside them, in memory and built, optimised and not; random signatures
//! against C that is compiled with them; and what is said of what is missing or wrong.
//!
//! A program is `tests/foreign/NAME.mlb` with `NAME.ok`, and `NAME.c` if it has one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use leat_random::Random;
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
const FFI: &str = "--default-ann=allowFFI true";
/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/foreign")
}

/// A run of `leat` in a folder, whose cache of objects of C is the test's.
fn leat(folder: &Path, cache: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(LEAT);
    command.current_dir(folder).env("XDG_CACHE_HOME", cache).args(words);
    command.output().expect("leat runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What was said, without calls of C that took long: on a busy machine any may, since it is time that is looked at.
fn without_long_calls(said: &str) -> String {
    let mut is_of_one = false;
    let lines = said.split_inclusive('\n').filter(|line| {
        is_of_one = line.starts_with("a call of C took ") || is_of_one && line.starts_with("  in ");
        !is_of_one
    });
    lines.collect()
}

/// The output of a program in each mode, which must be the same; `c`: its file of C.
fn in_all_modes(folder: &Path, program: &str, c: Option<&str>, expected: &str) {
    let scratch = TempDir::new().expect("a folder");
    let cache = scratch.path();
    let modes: &[&[&str]] = &[
        &[],
        &["-O0"],
        &["--verify=each"],
        &["--gc-stress=1", "--gc-verify"],
        &["--workers=2"],
        &["--workers=2", "--gc-stress=13"],
        &["--check-foreign", "--gc-verify"],
    ];
    for mode in modes {
        let mut words = vec!["run"];
        words.extend(*mode);
        words.extend(c);
        words.push(program);
        let run = leat(folder, cache, &words);
        let said = text(&run.stderr);
        let said = if mode.contains(&"--check-foreign") { without_long_calls(&said) } else { said };
        assert_eq!((text(&run.stdout), said), (expected.to_string(), String::new()), "{words:?}");
        assert_eq!(run.status.code(), Some(0), "{words:?}");
    }
    let built = scratch.path().join("built");
    let mut words = vec!["build", program];
    words.extend(c);
    words.extend(["-o", built.to_str().expect("a name")]);
    let made = leat(folder, cache, &words);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for options in ["", "--gc-stress=1"] {
        let run = Command::new(&built).env("LEAT_RUN", options).output().expect("the program runs");
        assert_eq!((text(&run.stdout), text(&run.stderr)), (expected.to_string(), String::new()), "built, {options}");
    }
}

fn program(name: &str) {
    let folder = folder();
    let expected = std::fs::read_to_string(folder.join(format!("{name}.ok"))).expect("what it prints");
    let c = format!("{name}.c");
    let c = folder.join(&c).is_file().then_some(&*c);
    in_all_modes(&folder, &format!("{name}.mlb"), c, &expected);
}

#[test]
fn every_type_and_every_way() {
    program("types");
}

#[test]
fn structures_by_value() {
    program("structs");
}

/// The system gives no OS thread for a `blocking` call.
#[cfg(target_os = "linux")]
#[test]
fn blocking_without_os_threads() {
    program("no-threads");
}

#[test]
fn c_calls_back() {
    program("callbacks");
}

#[test]
fn c_calls_back_where_nothing_becomes_executable() {
    program("not-executable");
}

/// A call that may not be called back from, with the place of the call; one of a function that is gone.
#[test]
fn c_calls_back_while_signals_are_blocked() {
    program("callback-while-signals-blocked");
}

#[test]
fn a_forgotten_reentrant_is_told() {
    let scratch = TempDir::new().expect("a folder");
    let run = |how: &str| {
        let run = leat(&folder(), scratch.path(), &["run", "forgotten.mlb", how]);
        assert_eq!(run.status.code(), Some(1));
        (text(&run.stdout), text(&run.stderr))
    };
    let forgotten = "C has called the function exported at forgotten.sml:2, out of a function that is imported without \
                     `reentrant`\n";
    let place = "  in qsort at forgotten.sml:3\n  in sort at forgotten.sml:7\n  in main at forgotten.sml:19\n";
    assert_eq!(run("plain"), ("before\n".to_string(), format!("{forgotten}{place}")));
    assert_eq!(run("leaf"), ("before\n".to_string(), forgotten.to_string()));
    let freed = "C has called the function exported at forgotten.sml:2, which was freed by `Foreign.free`\n";
    assert_eq!(run("freed"), (String::new(), freed.to_string()));
}

/// The header is there when the files of C are compiled; a function that is called before its export is named; what OS
/// threads of C's raise is reported.
#[test]
fn exports_have_a_header() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.mlb", "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/basis/mlton.mlb ann \"allowFFI true\" in a.sml end");
    write(
        "a.sml",
        "val f = _export \"f\" : (int * real * MLton.Pointer.t -> Word8.word) -> unit;\n\
         val g = _export \"g\" : (unit -> unit) -> unit;\n\
         val h = _export \"h\" : ((real * (int * Word8.word) * Word8.word) * (int * int) -> int * int) -> unit;\n\
         val call = _import \"call\" reentrant : int -> int;\n\
         val elsewhere = _import \"elsewhere\" blocking : unit -> int;\n\
         val () = f (fn (a, b, p) => Word8.fromInt (a + Real.trunc b + Int32.toInt (MLton.Pointer.getInt32 (p, 1))))\n\
         val () = h (fn ((a, (b, c), d), (e, f)) => (Real.trunc a + b + Word8.toInt c, Word8.toInt d + e + f))\n\
         val () = print (Int.toString (call 1) ^ \"\\n\")\n\
         val () = case CommandLine.arguments () of [] => () | _ => g (fn () => raise Fail \"nobody\")\n\
         val () = print (Int.toString (elsewhere ()) ^ \"\\n\")\n",
    );
    write(
        "a.c",
        "#include \"a.h\"\n\
         struct own { double a; struct { int32_t b; uint8_t c; } in; uint8_t d; };\n\
         _Static_assert(sizeof(struct own) == sizeof(struct leat_f64_i32_u8_u8at16), \"size\");\n\
         int call(int a) { int32_t x[2] = {1, 5};\n\
           struct leat_i32_i32 r = h((struct leat_f64_i32_u8_u8at16){ 1.5, 2, 3, 4 }, (struct leat_i32_i32){ 5, 6 });\n\
           return f(a, 2.5, x) + 1000 * r._1 + 100000 * r._2; }\n\
         int elsewhere(void) { g(); return 3; }\n",
    );
    let run = |words: &[&str]| {
        let run = leat(here, here, words);
        (text(&run.stdout), text(&run.stderr))
    };
    let uncaught = "uncaught exception in `g`, exported at a.sml:2, which C has called: Fail nobody\n";
    let unknown = "C has called `g` before its `_export` was evaluated\n";
    let header = ["--export-header", "a.h"];
    assert_eq!(
        run(&["run", header[0], header[1], "a.c", "a.mlb", "x"]),
        ("1506008\n3\n".to_string(), uncaught.to_string())
    );
    let text_of_header = std::fs::read_to_string(here.join("a.h")).expect("a header");
    assert!(text_of_header.contains("\nuint8_t f(int32_t, double, void *);\nvoid g(void);\n"), "{text_of_header}");
    assert_eq!(run(&["run", "a.c", "a.mlb"]), ("1506008\n".to_string(), unknown.to_string()));
    let made = leat(here, here, &["build", "a.c", "a.mlb", "-o", "a"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let built = |words: &[&str]| {
        let run = Command::new(here.join("a")).args(words).output().expect("the program runs");
        (text(&run.stdout), text(&run.stderr))
    };
    assert_eq!(built(&["x"]), ("1506008\n3\n".to_string(), uncaught.to_string()));
    assert_eq!(built(&[]), ("1506008\n".to_string(), unknown.to_string()));
}

/// Functions of one name that are exported by two files are one function of C, with one type; and one that has the name
/// of a function of the C library is the program's own: in memory it was the library's.
#[test]
fn exports_have_one_type_and_come_first() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.mlb", "$(SML_LIB)/basis/basis.mlb ann \"allowFFI true\" in a.sml b.sml end");
    write("a.sml", "val set = _export \"g\" : (int -> int) -> unit;\nval () = set (fn x => x)\n");
    write("b.sml", "val set = _export \"g\" : (real -> real) -> unit;\nval () = set (fn x => x)\n");
    for words in [&["run", "a.mlb"][..], &["build", "a.mlb", "-o", "a"]] {
        let run = leat(here, here, words);
        assert_eq!(run.status.code(), Some(1));
        let said = text(&run.stderr);
        assert!(said.contains("b.sml:1: `g` is exported with another type of C at a.sml:1"), "{said}");
    }
    write(
        "abs.sml",
        "val () = (_export \"abs\" : (int -> int) -> unit;) (fn x => 1000)\n\
         val abs = _import \"abs\" reentrant : int -> int;\n\
         val () = print (Int.toString (abs ~5) ^ \"\\n\")\n",
    );
    assert_eq!(text(&leat(here, here, &["run", FFI, "abs.sml"]).stdout), "1000\n");
    let made = leat(here, here, &["build", FFI, "abs.sml", "-o", "abs"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let built = Command::new(here.join("abs")).output().expect("the program runs");
    assert_eq!(text(&built.stdout), "1000\n");
}

/// A function of a program that has the name of one of the C library is the program's alone: in a built program the
/// runtime called it, too. A `log` of files of C was what gave logarithms, and an exported `write` wrote what is
/// printed.
#[test]
fn the_runtime_calls_the_c_library() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.mlb", "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/basis/mlton.mlb ann \"allowFFI true\" in a.sml end");
    write(
        "a.sml",
        "val log = _import \"log\" : string -> unit;\n\
         val close = _import \"close\" : int -> int;\n\
         val logged = _import \"logged\" : unit -> int;\n\
         val logs = _import \"logs\" : unit -> unit;\n\
         val write = _import \"write_twice\" reentrant : int -> int;\n\
         val set = _export \"write\" : (int * MLton.Pointer.t * Word64.word -> Int64.int) -> unit;\n\
         val () = set (fn (d, _, n) => d + Word64.toInt n)\n\
         val () = (log \"one\\000\"; logs ())\n\
         val x = Math.ln (real (length (CommandLine.arguments ())) + 2.0)\n\
         val () = print (Real.fmt (StringCvt.FIX (SOME 6)) x ^ \"\\n\")\n\
         val () = TextIO.flushOut TextIO.stdOut\n\
         val () = print (concat (map (fn n => Int.toString n ^ \"\\n\") [logged (), close 5, write 7]))\n",
    );
    write(
        "a.c",
        "#include <stdint.h>\n\
         static int calls;\n\
         void log(const char *s) { calls++; }\n\
         int close(int d) { return d + 1000; }\n\
         int logged(void) { return calls; }\n\
         int64_t write(int, const void *, uint64_t);\n\
         int write_twice(int n) { return write(n, 0, 1) + write(n, 0, 2); }\n",
    );
    // What an archive calls is the program's, too.
    write("b.c", "void log(const char *s); void logs(void) { log(\"two\"); }\n");
    let tool = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).current_dir(here).status().expect("a tool").success());
    };
    tool("cc", &["-c", "-fno-builtin", "b.c", "-o", "b.o"]);
    tool("ar", &["rcs", "libb.a", "b.o"]);
    let expected = "0.693147\n2\n1005\n17\n";
    let options = ["--cc-opt=-fno-builtin", "a.c", "libb.a", "a.mlb"];
    let run = leat(here, here, &[&["run"], &options[..]].concat());
    assert_eq!((text(&run.stdout), text(&run.stderr)), (expected.to_string(), String::new()));
    // On a machine without `nm` Leat asked nobody what the files define, and the program's `log` was called.
    let mut build = Command::new(LEAT);
    build.current_dir(here).env("XDG_CACHE_HOME", here).env("NM", "no-such-program");
    let made = build.arg("build").args(options).args(["-o", "a"]).output().expect("leat builds");
    assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), String::new()));
    let built = Command::new(here.join("a")).output().expect("the program runs");
    assert_eq!((text(&built.stdout), text(&built.stderr)), (expected.to_string(), String::new()));
    // Who links these calls what is exported by its name.
    for kind in ["--format=library", "--object"] {
        let made = leat(here, here, &[&["build", kind], &options[..], &["-o", "b"]].concat());
        let why = "leat: a.sml:6: `write` is exported, but Leat's runtime calls the C library's function of this \
                   name: give it another name\n";
        assert_eq!((made.status.code(), text(&made.stderr).as_str()), (Some(1), why));
    }
}

/// An object has what the program's files of C and its exports are: it had neither, and nothing was said.
#[test]
fn an_object_has_its_files_of_c() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write(
        "a.sml",
        "val () = (_export \"twice\" : (int -> int) -> unit;) (fn n => 2 * n)\n\
         val () = print (Int.toString ((_import \"four\" reentrant : int -> int;) 4))\n",
    );
    write("a.c", "#include \"a.h\"\nint four(int n) { return twice(twice(n)); }\n");
    let made = leat(here, here, &["build", "--object", "--export-header", "a.h", "a.c", "a.sml", "-o", "b.o"]);
    assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), String::new()));
    let names = Command::new("nm").arg("-P").arg(here.join("b.o")).output().expect("nm comes with the linker");
    let names = text(&names.stdout);
    for name in ["four T", "twice T", "leat_export_twice D", "leat_program D", "leat_unexported U"] {
        assert!(names.lines().any(|line| line.starts_with(name)), "{name}: {names}");
    }
}

/// What a C compiler warned of was never shown. It is told once: what is kept is not compiled again.
#[test]
fn warnings_of_the_c_compiler_are_told() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.sml", "val () = print (Int.toString ((_import \"f\" : unit -> int;) ()))");
    write("a.c", "#warning look here\nint f(void) { return 1; }\n");
    let run = |words: &[&str]| {
        let run = leat(here, here, words);
        assert_eq!(run.status.code(), Some(0));
        text(&run.stderr)
    };
    let is_told = |said: &str| said.starts_with("a.c:1:2: warning: ") && said.contains("look here");
    let first = run(&["run", "a.c", "a.sml"]);
    assert!(is_told(&first), "{first}");
    assert_eq!(run(&["run", "a.c", "a.sml"]), "");
    let built = run(&["build", "a.c", "a.sml", "-o", "a"]);
    assert!(is_told(&built), "{built}");
    let as_json = run(&["build", "--message-format=json", "a.c", "a.sml", "-o", "a"]);
    assert!(as_json.starts_with('{') && as_json.lines().count() == 1, "{as_json}");
    assert!(as_json.contains("\"severity\":\"warning\"") && as_json.contains("look here"), "{as_json}");
}

/// Each call of C had memory of its own in the frame, some 150 bytes: a function with many calls had a frame of
/// kilobytes, of which a thread that waits keeps all. 4 MiB of stack hold more than 6,000 of less than 700 bytes.
#[test]
fn calls_of_c_share_their_memory() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let calls: Vec<String> = (0..40).map(|i| format!("labs (n + {i})")).collect();
    let program = format!(
        "val labs = _import \"labs\" : Int64.int -> Int64.int;\n\
         val depth = ref 0\n\
         fun forty n = (depth := n; {} + forty (n + 1))\n\
         val () = ignore (forty 0) handle _ => ()\n\
         val () = print (Bool.toString (!depth > 6000) ^ \"\\n\")\n",
        calls.join(" + ")
    );
    std::fs::write(here.join("a.sml"), program).expect("a file");
    let run = leat(here, here, &["run", FFI, "--stack=4M", "a.sml"]);
    assert_eq!((text(&run.stdout), text(&run.stderr)), ("true\n".to_string(), String::new()));
}

/// At the prompt, a unit in which an export stood that an earlier unit had evaluated made it one that was not: its code
/// holds each function that it may reach.
#[test]
fn an_export_at_the_prompt_stays() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let units = "CM.make \"$(SML_LIB)/basis/mlton.mlb\";\n\
                 fun install f = (_export \"f\" : (int -> int) -> unit;) f;\n\
                 install (fn n => n + 1);\n\
                 val f = (_import * reentrant : MLton.Pointer.t -> int -> int;) (_address \"f\" : MLton.Pointer.t;);\n\
                 f 10;\n\
                 fun work again = (if again then install (fn n => n) else (); f 20);\n\
                 work false;\n\
                 work true;\n";
    std::fs::write(here.join("units"), units).expect("a file");
    let input = std::fs::File::open(here.join("units")).expect("a file");
    let mut command = Command::new(LEAT);
    command.current_dir(here).env("XDG_CACHE_HOME", here).arg("repl").stdin(input);
    let run = command.output().expect("leat runs");
    let output = text(&run.stdout);
    let values: Vec<&str> = output.lines().filter(|line| line.ends_with(": int")).collect();
    assert_eq!(values, ["val it = 11 : int", "val it = 21 : int", "val it = 20 : int"], "{}", text(&run.stderr));
}

/// A comma in the name of a folder of libraries was the end of a word for the linker.
#[test]
fn a_folder_of_libraries_with_a_comma() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    std::fs::create_dir(here.join("a,b")).expect("a folder");
    std::fs::write(here.join("c.c"), "int c(void) { return 3; }\n").expect("a file");
    let made = Command::new("cc").args(["-shared", "-fPIC", "c.c", "-o", "a,b/libc3.so"]).current_dir(here).status();
    assert!(made.expect("a C compiler").success());
    std::fs::write(here.join("a.sml"), "val () = print (Int.toString ((_import \"c\" : unit -> int;) ()))")
        .expect("a file");
    let run = leat(here, here, &["run", "-La,b", "-lc3", "a.sml"]);
    assert_eq!((text(&run.stdout), text(&run.stderr)), ("3".to_string(), String::new()));
}

/// A `main` in C: the declarations are evaluated by `leat_open`, functions are called from several OS threads, which
/// wait for what a thread of SML sends, and `leat_close` runs the exit functions. As an archive and as a shared object.
#[test]
fn a_library_for_c() {
    let scratch = TempDir::new().expect("a folder");
    let folder = folder();
    let here = scratch.path();
    for name in ["library.a", "liblibrary.so"] {
        let output = here.join(name);
        let header = here.join("library.h");
        let words =
            ["build", "--format=library", "--export-header", header.to_str().expect("a name"), "library.mlb", "-o"];
        let made = leat(&folder, here, &[&words[..], &[output.to_str().expect("a name")]].concat());
        assert!(made.status.success(), "{}", text(&made.stderr));
        let program = here.join("program");
        let mut cc = Command::new("cc");
        cc.arg("-I").arg(here).arg(folder.join("library_main.c")).arg(&output).arg("-o").arg(&program);
        cc.args(["-lm", "-lpthread", "-ldl"]);
        let linked = cc.output().expect("a C compiler");
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        let run = Command::new(&program).env("LD_LIBRARY_PATH", here).output().expect("the program runs");
        let expected = "opened with two words\nsum 5050\nfrom threads 4 x 4950\nraised 0\n\
                        the child has ended with 1\nclosing\nclosed 0, -1, -1\n";
        let uncaught = "uncaught exception in `sml_fail`, exported at library.sml:9, which C has called: Fail gone\n\
                        C has called `sml_add`, exported at library.sml:5, in a fork of the process that has \
                        opened the library\n";
        assert_eq!((text(&run.stdout), text(&run.stderr)), (expected.to_string(), uncaught.to_string()), "{name}");
        assert_eq!(run.status.code(), Some(0));
    }
}

/// A crash in C, with the places of the import and of the call.
#[test]
fn a_crash_in_c_has_a_place() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write(
        "a.sml",
        "val load = _import \"load\" : Int64.int -> int;\n\
         val again = _import \"load\" reentrant : Int64.int -> int;\n\
         val stop = _import \"abort\" : unit -> unit;\n\
         fun f g = 1 + g 16\n\
         val () = case CommandLine.arguments () of\n  \
           [\"plain\"] => print (Int.toString (f load))\n\
         | [\"reentrant\"] => print (Int.toString (f again))\n\
         | [\"blocking\"] => print (Int.toString (f (_import \"load\" blocking : Int64.int -> int;)))\n\
         | [\"leaf\"] => print (Int.toString (f (_import \"load\" leaf : Int64.int -> int;)))\n\
         | [\"pure\"] => print (Int.toString (f (_import \"deep\" pure : Int64.int -> int;)))\n\
         | [\"abort leaf\"] => (_import \"abort\" leaf : unit -> unit;) ()\n\
         | _ => stop ()\n",
    );
    // The second one has more in its frame than a page.
    write(
        "a.c",
        "#include <stdint.h>\n\
         int load(int64_t at) { return *(volatile int *)at; }\n\
         int deep(int64_t at) { volatile char room[20000]; room[at] = 1; return room[16] + *(volatile int *)at; }\n",
    );
    let built = leat(here, here, &["build", "a.c", "a.sml", "-o", "built"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    // In memory and built it is the same.
    let run = |how: &str| {
        let said = text(&leat(here, here, &["run", "a.c", "a.sml", how]).stderr);
        let built = Command::new(here.join("built")).arg(how).output().expect("the program runs");
        assert_eq!(text(&built.stderr), said, "{how}");
        said
    };
    let memory = "the program crashed: invalid memory access at 0x0000000000000010, in a function of C\n";
    let at = |line: u32| format!("{memory}  in load at a.sml:{line}\n  in f at a.sml:4\n");
    for (how, start) in [("plain", at(1)), ("reentrant", at(2))] {
        let said = run(how);
        assert!(said.starts_with(&start), "{said}");
    }
    // On another OS thread: the place of the import, and of the call where that is one with it.
    let said = run("blocking");
    let blocking = "the program crashed: invalid memory access at 0x0000000000000010, in a `blocking` function of C\n";
    assert!(said.starts_with(&format!("{blocking}  in load at a.sml:8\n")), "{said}");
    let said = run("abort");
    assert!(said.starts_with("the program crashed: abort, in a function of C\n  in abort at a.sml:3\n"), "{said}");
    // In place.
    let leaf = ", in a `leaf` or `pure` function of C (or of Leat's own)\n";
    for (how, start) in
        [("leaf", "  in load at a.sml:9\n  in f at a.sml:4\n"), ("pure", "  in deep at a.sml:10\n  in f at a.sml:4\n")]
    {
        let said = run(how);
        let memory = "the program crashed: invalid memory access at 0x0000000000000010";
        assert!(said.starts_with(&format!("{memory}{leaf}{start}")), "{said}");
    }
    let said = run("abort leaf");
    assert!(said.starts_with(&format!("the program crashed: abort{leaf}  in abort at a.sml:11\n")), "{said}");
}

/// A crash signal that came while C ran, and was not brought about by an instruction, was reported as a crash; then the
/// program went on, until an alarm ended it two seconds later. One that C raises is a crash, one that another process
/// sends ends the program without a word, and both at once.
#[test]
fn crash_signals_that_are_sent() {
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    std::fs::write(
        here.join("a.sml"),
        "fun say s = (print (s ^ \"\\n\"); TextIO.flushOut TextIO.stdOut)\n\
         val _ = case CommandLine.arguments () of\n  \
           [\"raise\"] => (_import \"raise\" : int -> int;) 8\n\
         | [\"blocking\"] => (_import \"raise\" blocking : int -> int;) 8\n\
         | [\"sent\"] => (say \"in C\"; (_import \"sleep\" : int -> int;) 20)\n\
         | _ => (say \"in C\"; (_import \"sleep\" blocking : int -> int;) 20)\n\
         val () = OS.Process.sleep (Time.fromSeconds 1)\n\
         val () = say \"behind\"\n",
    )
    .expect("a file");
    for (how, place, line) in [("raise", "in a function of C", 3), ("blocking", "in a `blocking` function of C", 4)] {
        let run = leat(here, here, &["run", FFI, "a.sml", how]);
        let said = text(&run.stderr);
        let start = format!("the program crashed: arithmetic error, {place}\n  in raise at a.sml:{line}\n");
        assert!(said.starts_with(&start), "{said}");
        assert_eq!((run.status.signal(), text(&run.stdout)), (Some(8), String::new()), "{how}");
    }
    for how in ["sent", "sent, blocking"] {
        let mut command = Command::new(LEAT);
        command.current_dir(here).env("XDG_CACHE_HOME", here).args(["run", FFI, "a.sml", how]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("leat runs");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line, "in C\n");
        let sent = Command::new("kill").args(["-SEGV", &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("text");
        let run = child.wait_with_output().expect("it ends");
        assert_eq!((run.status.signal(), text(&run.stderr), rest), (Some(11), String::new(), String::new()), "{how}");
    }
}

/// `--check-foreign`: calls that last, and addresses inside of arguments, each told of once with its place; a call in place is
/// looked at, too, and the program does the same. Without it nothing is said.
#[test]
fn calls_are_checked() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.mlb", "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/basis/mlton.mlb ann \"allowFFI true\" in a.sml end");
    write(
        "a.sml",
        "val nap = _import \"nap\" : int -> int;\n\
         val leaf = _import \"nap\" leaf : int -> int;\n\
         val behind = _import \"behind\" : string * int -> MLton.Pointer.t;\n\
         val fill = _import \"fill\" leaf : Int32.int array * int ref * string -> unit;\n\
         val a = Array.array (3, 1 : Int32.int)\n\
         val r = ref 5\n\
         val () = fill (a, r, \"text\\000\")\n\
         val n = nap 15 + nap 15 + leaf 15 + nap 0\n\
         val p = behind (\"hello\\000\", 2)\n\
         val sum = Array.foldl (fn (x, s) => Int32.toInt x + s) 0 a\n\
         val () = print (Int.toString (n + !r + sum) ^ \" \" ^ Bool.toString (p = MLton.Pointer.null) ^ \"\\n\")\n",
    );
    write(
        "a.c",
        "#include <stdint.h>\n#include <string.h>\n#include <unistd.h>\n\
         int nap(int ms) { usleep(1000 * ms); return ms; }\n\
         const char *behind(const char *s, int i) { return s + i; }\n\
         void fill(int32_t *a, int32_t *r, const char *s) { a[1] = 40; *r += strlen(s); }\n",
    );
    let run = |words: &[&str]| {
        let run = leat(here, here, &[&["run"], words, &["a.c", "a.mlb"]].concat());
        (text(&run.stdout), text(&run.stderr))
    };
    assert_eq!(run(&[]), ("96 false\n".to_string(), String::new()));
    for mode in [&["--check-foreign"][..], &["--check-foreign", "-O0", "--gc-verify"]] {
        let (out, said) = run(mode);
        assert_eq!(out, "96 false\n");
        let long = |line: &str| {
            let ms =
                line.strip_prefix("a call of C took ").and_then(|rest| rest.split_once(" ms, and no other thread"));
            ms.is_some_and(|(ms, _)| ms.parse::<u32>().is_ok_and(|ms| ms >= 15))
        };
        // Those that sleep. A busy machine may have made others long, too.
        for place in ["  in nap at a.sml:1", "  in nap at a.sml:2"] {
            let lines: Vec<&str> = said.lines().collect();
            let told = lines.windows(2).filter(|pair| long(pair[0]) && pair[1] == place).count();
            assert_eq!(told, 1, "{place}: {said}");
        }
        let rest = without_long_calls(&said);
        let lines: Vec<&str> = rest.lines().filter(|line| !line.starts_with("  in main")).collect();
        let [given, behind] = lines[..] else { panic!("{said}") };
        assert!(given.starts_with("C has given an address inside of an argument"), "{said}");
        assert_eq!(behind, "  in behind at a.sml:3");
    }
    let made = leat(here, here, &["build", "--check-foreign", "a.c", "a.mlb", "-o", "a"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let built = Command::new(here.join("a")).output().expect("the program runs");
    assert_eq!((text(&built.stdout).as_str(), text(&built.stderr).lines().count() >= 6), ("96 false\n", true));
}

/// `leat profile` and `leat test` take files and libraries of C as `leat run` does.
#[test]
fn other_commands_take_c() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.c", "#include <math.h>\nint a(int x) { return x + N + (int) cbrt(8); }\n");
    write("a.sml", "val a = _import \"a\" : int -> int;\nval () = print (Int.toString (a 1) ^ \"\\n\")\n");
    write(
        "a_test.sml",
        "val a = _import \"a\" : int -> int;\nval () = Test.test \"a\" (fn () => Expect.equal Show.int 45 (a 1))\n",
    );
    let run = |words: &[&str]| {
        let run = leat(here, here, words);
        assert!(run.status.success(), "{}{}", text(&run.stdout), text(&run.stderr));
        text(&run.stdout)
    };
    assert_eq!(run(&["profile", "-lm", "--cc-opt=-DN=42", "a.c", "a.sml"]), "45\n");
    let tested = run(&["test", "-lm", "--cc-opt=-DN=42", "a.c", "a_test.sml"]);
    assert!(tested.contains("1 test"), "{tested}");
}

/// Options may stand behind files of C, as with `leat build`: `leat run a.c -lm a.sml` once took `-lm` for the program.
/// What stands behind the program is its own. `leat profile` once took an object file before the program for a built
/// one.
#[test]
fn options_behind_c() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.c", "#include <math.h>\nint a(int x) { return x + N + (int) cbrt(8); }\n");
    write("b.c", "int b(int x) { return x; }\n");
    let text_of = "val a = _import \"a\" : int -> int; val b = _import \"b\" : int -> int;\n\
                   val () = app print (Int.toString (a (b 1)) :: CommandLine.arguments () @ [\"\\n\"])";
    write("a.sml", text_of);
    let run = |words: &[&str]| {
        let run = leat(here, here, words);
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let (options, ok) = (["-lm", "--cc-opt=-DN=42", "--check-foreign"], "45-lm-x\n".to_string());
    for first in ["run", "a.c", "profile"] {
        let mut words = vec![first];
        words.extend((first != "a.c").then_some("a.c"));
        words.push(options[0]);
        words.push("b.c");
        words.extend(&options[1..]);
        words.extend(["--workers=2", "a.sml", "-lm", "-x"]);
        let (code, output, said) = run(&words);
        assert_eq!((code, &output), (Some(0), &ok), "{words:?}: {said}");
    }
    let (code, output, said) = run(&["run", "a.c", "b.c", "-lm", "--cc-opt=-DN=42", "-e", text_of, "-lm", "-x"]);
    assert_eq!((code, output), (Some(0), ok), "{said}");
    let made = Command::new("cc").args(["-c", "b.c"]).current_dir(here).status().expect("a C compiler");
    assert!(made.success());
    let (code, output, said) = run(&["profile", "b.o", "a.c", "-lm", "--cc-opt=-DN=42", "a.sml"]);
    assert_eq!((code, output.as_str()), (Some(0), "45\n"), "{said}");
    for command in ["run", "profile"] {
        let (code, _, said) = run(&[command, "a.c", "none.c", "-lm", "a.sml"]);
        assert_eq!((code, said.as_str()), (Some(2), "leat: none.c: there is no such file\n"));
        let (code, _, said) = run(&[command, "a.c", "--no-such-option", "a.sml"]);
        assert!(code == Some(2) && said.contains("unexpected argument '--no-such-option'"), "{said}");
    }
}

#[test]
fn blocking_calls_beside_other_threads() {
    program("blocking");
}

/// Whether the linker finds a library; if not, the test says so and is none.
fn has_library(name: &str) -> bool {
    let scratch = TempDir::new().expect("a folder");
    let output = scratch.path().join("probe.so");
    let mut probe = Command::new("cc");
    probe.args(["-shared", "-o"]).arg(&output).arg(format!("-l{name}"));
    let found = probe.output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("not tested: there is no library `{name}`; on Debian it is in lib{name}-dev");
    }
    found
}

#[test]
fn sqlite() {
    if has_library("sqlite3") {
        let folder = folder();
        for name in [
            "sqlite",
            "sqlite-undone",
            "sqlite-blob-close-error",
            "sqlite-first-lost-write",
            "sqlite-prepare-drops-the-rest",
            "sqlite-other-type",
            "sqlite-cancelled",
            "sqlite-cancelled-memory",
            "sqlite-transaction-ended",
            "sqlite-others-go-on",
            "sqlite-two-threads",
            "sqlite-direct-waits",
            "sqlite-lost",
        ] {
            let expected = std::fs::read_to_string(folder.join(name).with_extension("ok")).expect("what it prints");
            in_all_modes(&folder, &format!("{name}.mlb"), Some("-lsqlite3"), &expected);
        }
    }
}

/// The store of examples/service that is a file, beside the one in memory.
#[test]
fn store() {
    if has_library("sqlite3") {
        let folder = folder();
        let expected = std::fs::read_to_string(folder.join("store.ok")).expect("what it prints");
        in_all_modes(&folder, "store.mlb", Some("-lsqlite3"), &expected);
    }
}

/// A program that is killed at any time: what it has said to be committed is there, and nothing by half.
#[test]
fn sqlite_survives_a_kill() {
    if !has_library("sqlite3") {
        return;
    }
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let program = here.join("durable");
    let words = ["build", "-lsqlite3", "durable.mlb", "-o", program.to_str().expect("a name")];
    let made = leat(&folder(), here, &words);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let mut random = Random::new(9);
    let database = here.join("a.db");
    let mut rounds = 0;
    for _ in 0..8 {
        let said = here.join("said");
        let output = std::fs::File::create(&said).expect("a file");
        let mut child =
            Command::new(&program).arg("write").arg(&database).stdout(output).spawn().expect("the program runs");
        // From the first transaction on, so that a machine that starts it late kills it in the middle, too.
        let begun = Instant::now();
        while std::fs::metadata(&said).expect("a file").len() == 0 {
            assert!(begun.elapsed() < PATIENCE, "it comes to no transaction");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.below(150) as u64));
        child.kill().expect("it runs still");
        child.wait().expect("it was a child");
        let said = std::fs::read_to_string(&said).expect("what it has said");
        // The last line may be cut off.
        let whole = said.rfind('\n').map_or("", |end| &said[..end]);
        let Some(last) = whole.lines().last() else { continue };
        rounds += 1;
        let check = Command::new(&program).arg("check").arg(&database).arg(last).output().expect("the program runs");
        assert_eq!((text(&check.stdout), text(&check.stderr)), ("ok\n".to_string(), String::new()));
    }
    assert!(rounds > 0, "it never came to a transaction");
}

#[test]
fn variables_by_their_address() {
    program("symbol-by-address");
}

#[test]
fn buffers() {
    program("buffer");
    program("buffer-refused");
    program("buffer-used-at-end");
}

#[test]
fn calls_as_events() {
    program("call-event");
}

#[test]
fn the_c_library_alone() {
    program("libc");
}

/// What is said, without the text of the program that it is said of.
fn complaint(name: &str, words: &[&str]) {
    let folder = folder();
    let scratch = TempDir::new().expect("a folder");
    let run = leat(&folder, scratch.path(), words);
    let said = text(&run.stderr);
    assert_eq!((run.status.code(), text(&run.stdout)), (Some(1), String::new()), "{said}");
    let file = folder.join(format!("{name}.err"));
    if std::env::var_os("LEAT_BLESS").is_some() {
        std::fs::write(&file, &said).expect("a file");
    }
    assert_eq!(said, std::fs::read_to_string(&file).expect("what is said"));
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    complaint("wrong", &["check", "--default-ann=allowFFI true", "wrong.sml"]);
    complaint("wrong-exports", &["check", "--default-ann=allowFFI true", "wrong-exports.sml"]);
}

#[test]
fn what_is_missing_is_said_before_the_program_starts() {
    complaint("missing", &["run", "--default-ann=allowFFI true", "missing.sml"]);
}

#[test]
fn a_built_program_that_misses_something_is_not_there() {
    let scratch = TempDir::new().expect("a folder");
    let output = scratch.path().join("missing");
    let words = ["build", "--default-ann=allowFFI true", "missing.sml", "-o", output.to_str().expect("a name")];
    let made = leat(&folder(), scratch.path(), &words);
    assert_eq!(made.status.code(), Some(1));
    let said = text(&made.stderr);
    assert!(said.contains("missing.sml:3: there is no `no_such_function` in C"), "{said}");
    assert!(said.contains("missing.sml:4: there is no `no_such_variable` in C"), "{said}");
    assert!(!output.exists());
    let words = ["build", "-lno_such_library", "--default-ann=allowFFI true", "missing.sml", "-o", words[4]];
    let said = text(&leat(&folder(), scratch.path(), &words).stderr);
    assert!(said.contains("there is no library `no_such_library`"), "{said}");
    let words = ["run", "-lno_such_library", "missing.sml"];
    let said = text(&leat(&folder(), scratch.path(), &words).stderr);
    assert!(said.contains("there is no library `no_such_library`"), "{said}");
}

/// A file of C is compiled again when it has changed, or a header of it, and not else.
#[test]
fn objects_are_kept_by_content() {
    let scratch = TempDir::new().expect("a folder");
    let here = scratch.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("a file");
    write("a.sml", "val () = print (Int.toString ((_import \"f\" : unit -> int;) ()))");
    write("f.c", "#include \"f.h\"\nint f(void) { return N; }");
    write("f.h", "#define N 1");
    let run = |path: &str| {
        let mut command = Command::new(LEAT);
        command.current_dir(here).env("XDG_CACHE_HOME", here).env("CC", path);
        let output = command.args(["run", "--default-ann=allowFFI true", "f.c", "a.sml"]).output().expect("leat runs");
        text(&output.stdout) + &text(&output.stderr)
    };
    // Counts how often it is called.
    write("cc", "#!/bin/sh\necho x >> \"$(dirname \"$0\")/calls\"\nexec cc \"$@\"\n");
    let compiler = here.join("cc");
    std::fs::set_permissions(&compiler, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a program");
    let compiler = compiler.to_str().expect("a name");
    let calls = || std::fs::read_to_string(here.join("calls")).map_or(0, |text| text.lines().count());
    assert_eq!((run(compiler).as_str(), calls()), ("1", 2));
    assert_eq!((run(compiler).as_str(), calls()), ("1", 2));
    write("f.h", "#define N 2");
    assert_eq!((run(compiler).as_str(), calls()), ("2", 4));
    write("f.c", "#include \"f.h\"\nint f(void) { return N + 1; }");
    assert_eq!((run(compiler).as_str(), calls()), ("3", 6));
    assert_eq!((run(compiler).as_str(), calls()), ("3", 6));
}

// -- random signatures

/// A type: in SML, in C, a constant in each from a random number, and how SML makes an int of a result.
struct Kind {
    sml: &'static str,
    c: &'static str,
    value: fn(&mut Random) -> (String, String),
    show: &'static str,
}

fn signed(random: &mut Random, bits: u32) -> (String, String) {
    let n = (random.word() as i64) >> (64 - bits).max(random.below(64) as u32);
    (n.to_string().replace('-', "~"), if n == i64::MIN { "INT64_MIN".into() } else { format!("{n}LL") })
}

fn unsigned(random: &mut Random, bits: u32) -> (String, String) {
    let n = random.word() >> (64 - bits).max(random.below(64) as u32);
    (format!("0w{n}"), format!("{n}ULL"))
}

/// Halves, so that both kinds of reals hold them.
fn half(random: &mut Random) -> (String, String) {
    let n = random.below(20001) as i64 - 10000;
    let value = n as f64 / 2.0;
    (format!("{value:.1}").replace('-', "~"), format!("{value:.1}"))
}

const KINDS: &[Kind] = &[
    Kind { sml: "Int8.int", c: "int8_t", value: |r| signed(r, 8), show: "Int8.toString" },
    Kind { sml: "Int16.int", c: "int16_t", value: |r| signed(r, 16), show: "Int16.toString" },
    Kind { sml: "int", c: "int", value: |r| signed(r, 32), show: "Int.toString" },
    Kind { sml: "Int32.int", c: "int32_t", value: |r| signed(r, 32), show: "Int32.toString" },
    Kind { sml: "Int64.int", c: "int64_t", value: |r| signed(r, 64), show: "Int.toString" },
    Kind { sml: "Word8.word", c: "uint8_t", value: |r| unsigned(r, 8), show: "Word8.toString" },
    Kind { sml: "Word16.word", c: "uint16_t", value: |r| unsigned(r, 16), show: "Word16.toString" },
    Kind { sml: "word", c: "unsigned", value: |r| unsigned(r, 32), show: "Word.toString" },
    Kind { sml: "Word64.word", c: "uint64_t", value: |r| unsigned(r, 64), show: "Word.toString" },
    Kind { sml: "real", c: "double", value: half, show: "Real.toString" },
    Kind { sml: "Real32.real", c: "float", value: half, show: "Real32.toString" },
];

/// What a structure is made of, so that each class of its words is there often: kinds by their numbers.
const PALETTES: &[&[usize]] =
    &[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[10], &[9, 10], &[0, 1, 5, 10], &[8, 9], &[0, 5], &[2, 10], &[4, 8, 10]];

/// A random value: one of C's own types, or a structure.
enum Part {
    /// Its kind, and the value in SML and in C.
    Leaf(&'static Kind, String, String),
    /// Its name in C, and its fields.
    Struct(String, Vec<Part>),
}

impl Part {
    fn leaf(random: &mut Random, kind: &'static Kind) -> Part {
        let (sml, c) = (kind.value)(random);
        Part::Leaf(kind, sml, c)
    }

    /// A scalar, or a structure that is declared in the file of C.
    fn new(random: &mut Random, c: &mut String) -> Part {
        if random.below(3) == 0 {
            let palette = PALETTES[random.below(PALETTES.len())];
            Part::structure(random, c, palette, 0)
        } else {
            let kind = &KINDS[random.below(KINDS.len())];
            Part::leaf(random, kind)
        }
    }

    fn structure(random: &mut Random, c: &mut String, palette: &[usize], depth: u32) -> Part {
        let most = if random.below(3) == 0 { 6 } else { 3 };
        let fields: Vec<Part> = (0..2 + random.below(most - 1))
            .map(|_| {
                if depth < 2 && random.below(6) == 0 {
                    Part::structure(random, c, palette, depth + 1)
                } else {
                    let kind = &KINDS[palette[random.below(palette.len())]];
                    Part::leaf(random, kind)
                }
            })
            .collect();
        let declared: Vec<String> =
            fields.iter().enumerate().map(|(i, field)| format!("{} f{i};", field.c_type())).collect();
        let body = format!("{{ {} }};", declared.join(" "));
        let name = format!("struct s{}", c.matches("\nstruct s").count());
        let _ = write!(c, "\n{name} {body}\n");
        Part::Struct(name, fields)
    }

    fn c_type(&self) -> &str {
        match self {
            Part::Leaf(kind, ..) => kind.c,
            Part::Struct(name, _) => name,
        }
    }

    fn sml_type(&self) -> String {
        match self {
            Part::Leaf(kind, ..) => kind.sml.to_string(),
            Part::Struct(_, fields) => {
                let fields: Vec<String> = fields.iter().map(Part::sml_type).collect();
                format!("({})", fields.join(" * "))
            }
        }
    }

    fn sml_value(&self) -> String {
        match self {
            Part::Leaf(_, sml, _) => sml.clone(),
            Part::Struct(_, fields) => {
                let fields: Vec<String> = fields.iter().map(Part::sml_value).collect();
                format!("({})", fields.join(", "))
            }
        }
    }

    fn c_value(&self) -> String {
        match self {
            Part::Leaf(kind, _, c) => format!("({}){c}", kind.c),
            Part::Struct(name, fields) => {
                let fields: Vec<String> = fields.iter().map(Part::c_value).collect();
                format!("({name}){{ {} }}", fields.join(", "))
            }
        }
    }

    /// Whether what stands there is the value.
    fn c_test(&self, path: &str) -> String {
        match self {
            Part::Leaf(kind, _, c) => format!("{path} == ({}){c}", kind.c),
            Part::Struct(_, fields) => {
                let tests: Vec<String> =
                    fields.iter().enumerate().map(|(i, field)| field.c_test(&format!("{path}.f{i}"))).collect();
                tests.join(" && ")
            }
        }
    }

    /// A pattern that names all scalars, and whether they are the value's.
    fn pattern(&self, name: &str, tests: &mut Vec<String>) -> String {
        match self {
            Part::Leaf(kind, sml, _) => {
                tests.push(same(kind, name, sml));
                name.to_string()
            }
            Part::Struct(_, fields) => {
                let fields: Vec<String> =
                    fields.iter().enumerate().map(|(i, field)| field.pattern(&format!("{name}_{i}"), tests)).collect();
                format!("({})", fields.join(", "))
            }
        }
    }
}

/// Parameters of C as SML writes them: a structure that is the only one has `unit` beside it.
fn beside_unit(params: &[Part], mut texts: Vec<String>, unit: &str) -> Vec<String> {
    if let [Part::Struct(..)] = params {
        texts.push(unit.to_string());
    }
    texts
}

const WAYS: &[&str] = &[
    "",
    "leaf ",
    "pure ",
    "errno ",
    "blocking ",
    "blocking errno ",
    "reentrant ",
    "reentrant errno ",
    "variadic ",
    "variadic errno ",
];

/// A program of functions that compare what they get with what they should get, and give one of their arguments back,
/// or change what a reference holds.
fn random_program(random: &mut Random, functions: usize) -> (String, String, String) {
    let (mut sml, mut ok) = (String::new(), String::new());
    let mut c = "#include <stdarg.h>\n#include <stdint.h>\n".to_string();
    for f in 0..functions {
        let most = if random.below(4) == 0 { 40 } else { 9 };
        let count = 1 + random.below(most);
        let way = WAYS[random.below(WAYS.len())];
        // Behind the first one stand those that C looks for.
        let variadic = way.starts_with("variadic");
        let is_open = |i: usize| variadic && i > 0;
        let given: Vec<Part> = (0..count)
            .map(|_| match Part::new(random, &mut c) {
                // C makes a `double` of a `float` there, and Leat knows not which parameter is the first of them.
                Part::Leaf(kind, sml, c) if kind.c == "float" && variadic => Part::Leaf(&KINDS[9], sml, c),
                part => part,
            })
            .collect();
        let cells: Vec<bool> =
            given.iter().map(|part| matches!(part, Part::Leaf(..)) && random.below(6) == 0).collect();
        let back = random.below(count);
        let result = given[back].c_type();
        let (mut params, mut reads) = (Vec::new(), String::new());
        let mut body = String::from("int bad = 0;");
        for (i, part) in given.iter().enumerate() {
            let (ty, star) = (part.c_type(), if cells[i] { "*" } else { "" });
            if is_open(i) {
                // A narrow integer comes as an `int`.
                let narrow = ["int8_t", "int16_t", "uint8_t", "uint16_t"].contains(&ty) && !cells[i];
                let read = if narrow { "int".to_string() } else { format!("{ty} {star}") };
                let _ = write!(reads, " {ty} {star}a{i} = va_arg(open, {read});");
            } else {
                params.push(format!("{ty} {star}a{i}"));
            }
            let _ = write!(body, " bad += !({});", part.c_test(&format!("({star}a{i})")));
        }
        if is_open(count - 1) {
            params.push("...".to_string());
            reads = format!(" va_list open; va_start(open, a0);{reads} va_end(open);");
        }
        let star = |i: usize| if cells[i] { "*" } else { "" };
        let _ = write!(body, " {result} back = {}a{back};", star(back));
        for (i, part) in given.iter().enumerate() {
            if let (true, Part::Leaf(kind, _, value)) = (cells[i], part) {
                let _ = write!(body, " *a{i} = ({})({value} / 2);", kind.c);
            }
        }
        let _ = writeln!(
            c,
            "{result} f{f}({}) {{{reads} {body} {result} none = {{ 0 }}; return bad ? none : back; }}",
            params.join(", ")
        );
        let types: Vec<String> =
            given.iter().zip(&cells).map(|(g, cell)| g.sml_type() + if *cell { " ref" } else { "" }).collect();
        let types = beside_unit(&given, types, "unit");
        let errno = way.ends_with("errno ");
        let result = given[back].sml_type() + if errno { " * int" } else { "" };
        let _ = writeln!(sml, "val f{f} = _import \"f{f}\" {way}: {} -> {result};", types.join(" * "));
        let _ = writeln!(sml, "val () = let");
        for (i, part) in given.iter().enumerate() {
            if cells[i] {
                let _ = writeln!(sml, "  val r{i} = ref ({} : {})", part.sml_value(), part.sml_type());
            }
        }
        let args: Vec<String> =
            given.iter().enumerate().map(|(i, g)| if cells[i] { format!("r{i}") } else { g.sml_value() }).collect();
        let call = format!("f{f} ({})", beside_unit(&given, args, "()").join(", "));
        let call = if errno { format!("#1 ({call})") } else { call };
        let mut tests = Vec::new();
        let pattern = given[back].pattern("back", &mut tests);
        let _ = writeln!(sml, "  val {pattern} = {call}\nin");
        let _ = writeln!(sml, "  print (\"{f} \" ^ Bool.toString ({}));", tests.join(" andalso "));
        for (i, part) in given.iter().enumerate() {
            if let (true, Part::Leaf(kind, value, _)) = (cells[i], part) {
                let half = match kind.c {
                    "double" | "float" => format!("({value} / 2.0)"),
                    c if c.starts_with('u') => format!("({value} div 0w2)"),
                    _ => format!("({}.quot ({value}, 2))", kind.sml.strip_suffix(".int").unwrap_or("Int")),
                };
                let _ = writeln!(sml, "  print (\" \" ^ Bool.toString ({}));", same(kind, &format!("!r{i}"), &half));
            }
        }
        let _ = writeln!(sml, "  print \"\\n\"\nend");
        let cells = cells.iter().filter(|cell| **cell).count();
        let _ = writeln!(ok, "{f} true{}", " true".repeat(cells));
    }
    (sml, c, ok)
}

/// Whether two expressions of a type give the same.
fn same(kind: &Kind, a: &str, b: &str) -> String {
    format!("{show} ({a}) = {show} ({b})", show = kind.show)
}

/// A program of functions of C that call one of SML, which compares what it gets, collects, perhaps calls C that calls
/// SML, and gives what C compares.
fn random_callbacks(random: &mut Random, functions: usize) -> (String, String, String) {
    let mut sml = String::from("fun garbage n = List.foldl (fn (i, l) => i :: l) [] (List.tabulate (n, fn i => i))\n");
    let (mut c, mut ok) = ("#include <stdint.h>\n".to_string(), String::new());
    for f in 0..functions {
        let most = if random.below(4) == 0 { 40 } else { 9 };
        let given: Vec<Part> = (0..random.below(most + 1)).map(|_| Part::new(random, &mut c)).collect();
        let back = Part::new(random, &mut c);
        let types: Vec<&str> = given.iter().map(Part::c_type).collect();
        let types = if types.is_empty() { "void".to_string() } else { types.join(", ") };
        let values: Vec<String> = given.iter().map(Part::c_value).collect();
        let _ = writeln!(
            c,
            "int c{f}({kind} (*g)({types}), int n) {{ int good = 0; for (int i = 0; i < n; i++) {{ {kind} r = g({}); good += {}; \
             }} return good; }}",
            values.join(", "),
            back.c_test("r"),
            kind = back.c_type(),
        );
        let types: Vec<String> = beside_unit(&given, given.iter().map(Part::sml_type).collect(), "unit");
        let types = if types.is_empty() { "unit".to_string() } else { types.join(" * ") };
        let mut tests = Vec::new();
        let names: Vec<String> =
            given.iter().enumerate().map(|(i, part)| part.pattern(&format!("a{i}"), &mut tests)).collect();
        let names = beside_unit(&given, names, "()");
        if f > 0 && random.below(3) == 0 {
            let other = random.below(f);
            tests.push(format!("c{other} (p{other}, 1) = 1"));
        }
        let way = ["reentrant", "reentrant", "reentrant", "blocking"][random.below(4)];
        let _ = writeln!(sml, "val good{f} = ref 0");
        let _ = writeln!(sml, "val e{f} = _export * : ({types} -> {}) -> MLton.Pointer.t;", back.sml_type());
        let _ = writeln!(sml, "val c{f} = _import \"c{f}\" {way} : MLton.Pointer.t * int -> int;");
        let _ = writeln!(sml, "val p{f} = e{f} (fn ({}) =>", names.join(", "));
        let _ = writeln!(sml, "  (ignore (garbage {});", random.below(20));
        tests.push("true".to_string());
        let test = tests.join(" andalso ");
        let _ = writeln!(sml, "   if {test} then good{f} := !good{f} + 1 else (); {}))", back.sml_value());
        let _ = writeln!(sml, "val r{f} = c{f} (p{f}, 3)");
        let _ = writeln!(sml, "val () = print (\"{f} \" ^ Int.toString (r{f}) ^ Int.toString (!good{f}) ^ \"\\n\")");
        let _ = writeln!(ok, "{f} 33");
    }
    (sml, c, ok)
}

fn random_programs(seed: u64, functions: usize) {
    let mut random = Random::new(seed);
    let scratch = TempDir::new().expect("a folder");
    let signatures = random_program(&mut random, functions);
    let callbacks = random_callbacks(&mut random, functions / 3);
    for (sml, c, ok) in [signatures, callbacks] {
        std::fs::write(scratch.path().join("r.sml"), sml).expect("a file");
        std::fs::write(scratch.path().join("r.c"), c).expect("a file");
        let bases = "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/basis/mlton.mlb";
        std::fs::write(scratch.path().join("r.mlb"), format!("{bases} ann \"allowFFI true\" in r.sml end"))
            .expect("a file");
        in_all_modes(scratch.path(), "r.mlb", Some("r.c"), &ok);
    }
}

#[test]
fn random_signatures() {
    let seed = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    random_programs(seed, 150);
}

/// `cargo test --release -p leat --test foreign many_random -- --ignored --nocapture`; the variable SEEDS says how many
/// programs, 20 for 4,000 signatures, and FIRST which one is the first, 1000: a long campaign can be made in parts.
#[test]
#[ignore = "takes minutes"]
fn many_random_signatures() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, seeds) = (number("FIRST", 1000), number("SEEDS", 20));
    for seed in first..first + seeds {
        random_programs(seed, 150);
        println!("{} of {seeds}: seed {seed}", seed - first + 1);
    }
}
