//! Debug information of built programs: what the object file says, and what callgrind and gdb make of it where they are
//! installed.
//!
//! A profile by callgrind once had a tenth to a half of the instructions of each function of the program under
//! `general.sml`, the first file of all: code without a place of its own was line 0 of it.

#[path = "client/callgrind.rs"]
mod callgrind;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gimli::{EndianSlice, LittleEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
const LIBRARY: &str = "$(SML_LIB)";

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/profiles")
}

/// Builds a program as somebody would in its folder, so that its file has no folder in its name.
fn build(program: &str, output: &Path, object: bool) {
    let mut command = Command::new(LEAT);
    command.current_dir(programs()).args(["build", program, "-o"]).arg(output);
    if object {
        command.arg("--object");
    }
    let result = command.output().expect("leat runs");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

/// The rows of an object's lines, by address: (file, line). And its functions: (name, start, end).
struct Lines {
    rows: BTreeMap<u64, (String, u64)>,
    functions: Vec<(String, u64, u64)>,
    units: BTreeSet<String>,
    inlined: usize,
}

fn lines(file: &Path) -> Lines {
    let bytes = std::fs::read(file).expect("an object");
    let object = object::File::parse(&*bytes).expect("an ELF object");
    // Addresses are addends of relocations by the one section of code.
    let load = |id: gimli::SectionId| -> Result<Vec<u8>, gimli::Error> {
        let Some(section) = object.section_by_name(id.name()) else { return Ok(Vec::new()) };
        let mut data = section.data().expect("a section").to_vec();
        for (offset, relocation) in section.relocations() {
            let at = offset as usize;
            let size = usize::from(relocation.size() / 8);
            data[at..at + size].copy_from_slice(&relocation.addend().to_le_bytes()[..size]);
        }
        Ok(data)
    };
    let sections = gimli::DwarfSections::load(load).expect("debug sections");
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut found = Lines { rows: BTreeMap::new(), functions: Vec::new(), units: BTreeSet::new(), inlined: 0 };
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().expect("a unit") {
        let unit = dwarf.unit(header).expect("a unit");
        let name = unit.name.expect("its name").to_string_lossy().into_owned();
        assert!(found.units.insert(name.clone()), "two units are of {name}");
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().expect("an entry") {
            found.inlined += usize::from(entry.tag() == gimli::DW_TAG_inlined_subroutine);
        }
        let program = unit.line_program.clone().expect("lines");
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row().expect("a row") {
            let file = row.file(header).expect("a file of the table");
            let file = dwarf.attr_string(&unit, file.path_name()).expect("its name").to_string_lossy().into_owned();
            if !row.end_sequence() {
                found.rows.insert(row.address(), (file, row.line().map_or(0, |line| line.get())));
            }
        }
    }
    for symbol in object.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let name = symbol.name().expect("a name").to_string();
        found.functions.push((name, symbol.address(), symbol.address() + symbol.size()));
    }
    found
}

/// Every instruction of these functions is of this file, and of a line that it has.
fn check(program: &str, own: &[&str]) {
    let folder = TempDir::new().expect("a folder");
    let object = folder.path().join("program.o");
    build(program, &object, true);
    let found = lines(&object);
    let length = std::fs::read_to_string(programs().join(program)).expect("the source").lines().count() as u64;
    let mut seen = BTreeSet::new();
    for (name, start, end) in found.functions.iter().filter(|f| f.0 != "main" || own.contains(&"main")) {
        let rows: Vec<_> = found.rows.range(start..end).collect();
        // The program's `main`, of eighteen bytes, is the C compiler's entry, not ours.
        if rows.is_empty() && name == "main" {
            continue;
        }
        assert_eq!(rows.first().map(|row| row.0), Some(start), "{name} does not begin with a line");
        for (address, (file, line)) in rows {
            assert!(*line > 0, "{name}: {address:#x} has no line");
            if own.contains(&name.as_str()) {
                seen.insert(name.as_str());
                assert_eq!(file, program, "{name}: {address:#x} is charged to another file");
                assert!(*line <= length, "{name}: {program} has no line {line}");
            } else {
                assert!(file.starts_with(LIBRARY) || file == program, "{name}: {address:#x} is of {file}");
            }
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), own, "functions of {program}");
    assert!(found.units.contains(program), "a unit for each file: {:?}", found.units);
    assert!(found.inlined > 0, "nothing was inlined");
}

#[test]
fn each_instruction_has_a_line_of_its_functions_file() {
    check("recursion.sml", &["fib", "main", "repeat", "rev", "tak"]);
}

#[test]
fn also_with_code_of_the_library_inside() {
    check("closures.sml", &["insert", "main", "numbers", "sum"]);
}

/// Functions that call each other at their ends are inlined into one another, the next into the one before. A chain of
/// four thousand once had 250 MB of ranges, where a hundred had 80 KB.
#[test]
fn ranges_of_a_chain_of_calls_are_linear() {
    let folder = TempDir::new().expect("a folder");
    let ranges = [200, 400, 800].map(|n: u32| {
        let clause = |i| format!("f{i} x = if x = 0 then {i} else f{} (x - 1)\n", (i + 1) % n);
        let clauses = (0..n).map(clause).collect::<Vec<_>>().join("and ");
        let text = format!("fun {clauses}val () = print (Int.toString (f0 100))\n");
        let (source, object) = (folder.path().join("chain.sml"), folder.path().join("chain.o"));
        std::fs::write(&source, text).expect("the source");
        let status = Command::new(LEAT).args(["build", "--object", "-o"]).arg(&object).arg(&source).status();
        assert!(status.expect("leat runs").success());
        let bytes = std::fs::read(&object).expect("an object");
        let file = object::File::parse(&*bytes).expect("an ELF object");
        file.section_by_name(".debug_rnglists").expect("ranges").size()
    });
    assert!(ranges[0] > 0 && ranges[2] <= 5 * ranges[0], "bytes of ranges: {ranges:?}");
}

/// Whether a tool is there; a line says that a test was skipped.
fn is_installed(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: {tool} is not installed");
    }
    found
}

#[test]
fn callgrind_shows_functions_under_their_own_file() {
    for (program, own) in [
        ("recursion.sml", &["fib", "tak", "rev", "repeat"][..]),
        ("closures.sml", &["insert", "sum", "numbers"]),
        ("threads.sml", &["fib"]),
    ] {
        let folder = TempDir::new().expect("a folder");
        let built = folder.path().join("program");
        build(program, &built, false);
        let Some(functions) = callgrind::functions(&built, &[], "", Stdio::null()) else { return };
        let is_own = |file: &str| Path::new(file).ends_with(program);
        for name in own {
            let function = functions.iter().find(|f| f.name == *name && is_own(&f.file));
            let function = function.unwrap_or_else(|| panic!("{program}: callgrind has not seen {name}"));
            // What a stub does is the runtime's, which has no lines; of other files there is nothing.
            for ((file, _), count) in &function.instructions {
                assert!(is_own(file) || file == "???", "{name}: {count} instructions are charged to {file}");
            }
            let all = function.all();
            let others: u64 = function.instructions.iter().filter(|((file, _), _)| file == "???").map(|(_, n)| n).sum();
            assert!(all > 0 && others <= all / 10, "{name}: {others} of {all} instructions are charged to nobody");
        }
    }
}

#[test]
fn gdb_shows_functions_files_and_lines() {
    if !is_installed("gdb") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let built = folder.path().join("program");
    build("threads.sml", &built, false);
    let commands = [
        "break threads.sml:2",
        "break serve",
        "info breakpoints",
        "run",
        "backtrace",
        "delete",
        "break leat_gc",
        "next",
    ];
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-batch", "-nx"]).args(commands.iter().flat_map(|command| ["-ex", command])).arg(&built);
    let output = gdb.current_dir(programs()).output().expect("gdb runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if errors.contains("ptrace") || errors.contains("not permitted") {
        eprintln!("SKIPPED: gdb may run no program here");
        return;
    }
    assert!(text.contains("file threads.sml, line 2."), "a break point by line: {text}{errors}");
    assert!(text.contains("serve") && text.contains("threads.sml:"), "a function and its place: {text}{errors}");
    // The stack ends where the thread began, whatever a thread's first frame lies on.
    let frames: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert!(!frames.is_empty() && frames.len() < 20, "a back-trace that ends: {text}{errors}");
    assert!(!text.contains("?? ()") && !errors.contains("corrupt stack"), "frames of nobody: {text}{errors}");
}

/// `leat run`'s code is in no file: gdb is told of it, and a break point that waits for it is set.
#[test]
fn gdb_knows_code_in_memory() {
    if !is_installed("gdb") {
        return;
    }
    let commands = ["set breakpoint pending on", "break shares.sml:4", "run", "backtrace"];
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-batch", "-nx"]).args(commands.iter().flat_map(|command| ["-ex", command]));
    let gdb = gdb.args(["--args", LEAT, "run", "--jit-symbols=gdb", "shares.sml", "10"]).current_dir(programs());
    let output = gdb.output().expect("gdb runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if errors.contains("ptrace") || errors.contains("not permitted") {
        eprintln!("SKIPPED: gdb may run no program here");
        return;
    }
    assert!(text.contains("three") && text.contains("shares.sml:4"), "{text}{errors}");
    assert!(text.lines().any(|line| line.starts_with("#1") && line.contains("shares.sml:")), "{text}{errors}");
}

#[test]
fn perf_knows_code_in_memory() {
    for (tool, file) in [("perf", "perf-PID.map"), ("jitdump", "jit-PID.dump")] {
        let mut command = Command::new(LEAT);
        command.args(["run", &format!("--jit-symbols={tool}"), "shares.sml", "10"]).current_dir(programs());
        let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("leat runs");
        let file = Path::new("/tmp").join(file.replace("PID", &child.id().to_string()));
        assert!(child.wait().expect("it ends").success());
        let bytes = std::fs::read(&file).expect("a file for the tool");
        let _ = std::fs::remove_file(&file);
        let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(has("three") && has("times"), "names of functions");
        if tool == "jitdump" {
            assert!(bytes.starts_with(b"DTiJ") && has("shares.sml"), "lines of functions");
        }
    }
}
