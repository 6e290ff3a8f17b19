//! Makes the image of the Basis from `lib/`, collects the library's units that are compiled when a program names them,
//! and finds the runtime's static library, all to be embedded.

// A build script uses a part of each.
#[allow(dead_code)]
#[path = "src/front.rs"]
mod front;
#[allow(dead_code)]
#[path = "src/library.rs"]
mod library;
#[allow(dead_code)]
#[path = "src/stage.rs"]
mod stage;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use stage::{Failure, Verify, Wishes};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../lib");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    for file in ["front.rs", "library.rs", "stage.rs"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
    println!("cargo::rerun-if-changed={}", root.display());

    fs::write(out.join("shelf.rs"), shelf(&root, &out.join("shelf"))).expect("OUT_DIR is writable");

    // The front end recurses on deep programs.
    let made = std::thread::Builder::new().stack_size(1 << 28).spawn(move || {
        let wishes = Wishes { verify: Verify::Stage, ..Wishes::default() };
        library::make_from(&root, wishes, |_| {})
    });
    match made.expect("a thread").join().expect("the library's elaboration panicked") {
        Ok((image, _)) => {
            fs::write(out.join("basis.front"), image.front).expect("OUT_DIR is writable");
            fs::write(out.join("basis.lambda"), image.lambda).expect("OUT_DIR is writable");
            fs::write(out.join("basis.texts"), image.texts).expect("OUT_DIR is writable");
            fs::write(out.join("basis.declared"), deflated(&image.declared)).expect("OUT_DIR is writable");
        }
        Err(failure) => {
            match failure {
                Failure::Errors(messages) => eprintln!("{messages}"),
                failure => eprintln!("{failure:?}"),
            }
            eprintln!("the library in lib/ does not elaborate");
            std::process::exit(1);
        }
    }

    // Cargo has just built leat-entry, whose crate types include staticlib, for this script: the archive lies in
    // `deps`.
    let deps = out.ancestors().nth(3).expect("OUT_DIR is target/PROFILE/build/NAME/out").join("deps");
    let archive = newest(&deps, "libleat_entry", ".a").unwrap_or_else(|| {
        eprintln!("no libleat_entry*.a in {}", deps.display());
        std::process::exit(1);
    });
    println!("cargo::rerun-if-changed={}", archive.display());
    let runtime = out.join("runtime.a");
    fs::copy(&archive, &runtime).expect("OUT_DIR is writable");
    // Its debug information is nine tenths of it, and is of no use to who debugs SML. Without `strip` it stays.
    done(Command::new("strip").arg("--strip-debug").arg(&runtime));
    // So is the bitcode that Rust's own library carries for a later optimisation, half of the rest.
    done(Command::new("objcopy").args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]).arg(&runtime));
    if let Some(whole) = linked(&runtime, &out.join("runtime.o")) {
        fs::copy(&whole, &runtime).expect("OUT_DIR is writable");
    }
    fs::write(out.join("runtime.calls"), calls(&runtime)).expect("OUT_DIR is writable");
    let bytes = fs::read(&runtime).expect("it was made");
    fs::write(out.join("runtime.deflate"), deflated(&bytes)).expect("OUT_DIR is writable");
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut small = DeflateEncoder::new(Vec::new(), Compression::default());
    small.write_all(bytes).expect("memory");
    small.finish().expect("memory")
}

/// Of an archive, what can be reached from the functions that programs call, as one object: a tenth of the archive, and
/// programs are linked faster. None where the system's linker does not do that; then the archive serves.
///
/// Sections of one name would become one, and nothing of it could be left out of a program. Assembly has few names, and
/// so have constants; so each stays a section of its own: what TLS has of them is not in programs without it.
fn linked(archive: &Path, object: &Path) -> Option<PathBuf> {
    let names = Command::new("nm").args(["--defined-only", "--extern-only", "-P"]).arg(archive).output().ok()?;
    let names = String::from_utf8_lossy(&names.stdout).into_owned();
    let roots: Vec<&str> =
        names.lines().filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("leat_")).collect();
    let mut command = Command::new("ld");
    command.args(["-r", "--gc-sections"]);
    command.args([".text*", ".rodata*", ".data*", ".bss*"].map(|name| format!("--unique={name}")));
    command.arg("-o").arg(object);
    roots.iter().for_each(|root| {
        command.args(["-u", root]);
    });
    (!roots.is_empty() && done(command.arg(archive))).then(|| object.to_path_buf())
}

/// The names that the runtime has not itself, one a line: of functions and variables of the C library, and of what is
/// in each program. A program that has functions of such names is linked with care.
fn calls(runtime: &Path) -> String {
    let Ok(names) = Command::new("nm").args(["--extern-only", "-P"]).arg(runtime).output() else {
        println!("cargo::warning=there is no `nm`: a program's own `log` would be the runtime's, too");
        return String::new();
    };
    let (mut missing, mut there) = (BTreeSet::new(), BTreeSet::new());
    let text = String::from_utf8_lossy(&names.stdout).into_owned();
    for (name, rest) in text.lines().filter_map(|line| line.split_once(' ')) {
        let is_missing = rest.starts_with(['U', 'w', 'v']);
        if is_missing {
            missing.insert(name)
        } else {
            there.insert(name)
        };
    }
    missing.difference(&there).flat_map(|name| [name, "\n"]).collect()
}

fn done(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn newest(folder: &Path, prefix: &str, suffix: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with(prefix) && name.ends_with(suffix)
        })
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok())
}

/// Folders, and beginnings of files, of the library whose sources are compiled when a program names them.
const SOURCES: &[&str] = &[
    "basis/basis-1997",
    "basis/basis-none",
    "basis/c-types",
    "basis/std-err",
    "basis/zone-rules",
    "cml/abort",
    "leat-test",
    "leat/",
    "light",
    "prim/",
    "smlnj/later",
    "smlnj-lib",
    "mlyacc-lib",
    "ml-lpt-lib",
];

/// The table of `units/places.rs`: the library's descriptions and the sources that are not in the image, by path. They
/// are written to files of this folder, compressed.
fn shelf(root: &Path, out: &Path) -> String {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".mlb")
                || name.ends_with(".anchors")
                || SOURCES.iter().any(|s| name.starts_with(s))
            {
                files.push((name, path));
            }
        }
    }
    files.sort();
    fs::create_dir_all(out).expect("OUT_DIR is writable");
    let row = |(i, (name, path)): (usize, &(String, PathBuf))| {
        let small = out.join(i.to_string());
        fs::write(&small, deflated(&fs::read(path).expect("a file of the library"))).expect("OUT_DIR is writable");
        format!("    ({name:?}, include_bytes!({small:?})),\n")
    };
    let rows: Vec<String> = files.iter().enumerate().map(row).collect();
    format!(
        "/// The library's descriptions and sources, sorted by path.\nstatic SHELF: &[(&str, &[u8])] = &[\n{}];\n",
        rows.concat()
    )
}
