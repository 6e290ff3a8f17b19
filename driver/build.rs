//! Makes the image of the Basis from `lib/`, and finds the runtime's static library, both to be embedded.

#[path = "src/library.rs"]
mod library;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../lib");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/library.rs");
    println!("cargo::rerun-if-changed={}", root.display());

    // The front end recurses on deep programs.
    let made = std::thread::Builder::new().stack_size(1 << 28).spawn(move || library::make_from(&root));
    match made.expect("a thread").join().expect("the library's elaboration panicked") {
        Ok(image) => {
            fs::write(out.join("basis.front"), image.front).expect("OUT_DIR is writable");
            fs::write(out.join("basis.lambda"), image.lambda).expect("OUT_DIR is writable");
        }
        Err(messages) => {
            eprintln!("{messages}");
            eprintln!("the library in lib/ does not elaborate");
            std::process::exit(1);
        }
    }

    // Cargo has just built leat-entry, whose crate types include staticlib, for this script: the archive lies in `deps`.
    let deps = out.ancestors().nth(3).expect("OUT_DIR is target/PROFILE/build/NAME/out").join("deps");
    let archive = newest(&deps, "libleat_entry", ".a").unwrap_or_else(|| {
        eprintln!("no libleat_entry*.a in {}", deps.display());
        std::process::exit(1);
    });
    println!("cargo::rerun-if-changed={}", archive.display());
    let runtime = out.join("runtime.a");
    fs::copy(&archive, &runtime).expect("OUT_DIR is writable");
    // Its debug information is nine tenths of it, and is of no use to who debugs SML. Without `strip` it stays.
    let _ = std::process::Command::new("strip").arg("--strip-debug").arg(&runtime).status();
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
