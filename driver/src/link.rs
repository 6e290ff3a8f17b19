//! Ssa -> object file -> executable: the runtime's library travels inside Leat, the system's C compiler links.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs, io, thread};

use flate2::bufread::DeflateDecoder;
use leat_abi::foreign::Foreign;

use crate::foreign::{self, Linking};
use crate::scratch::Scratch;
use crate::session::Session;
use crate::stage::Failure;

/// The runtime's library, compressed.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.deflate"));

/// What to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    Executable,
    Object,
    /// For programs of C: an archive, or a shared object where the name ends so.
    Library,
}

/// Writes the program to a file. Nothing is left half-written: the file appears when it is whole.
pub fn build(
    session: &mut Session,
    ssa: &leat_ssa::ir::Program,
    output: &Path,
    product: Product,
) -> Result<(), Failure> {
    let machine =
        |session: &mut Session| session.machine(ssa, "object", |options| leat_translate::emit_object(ssa, options));
    if product == Product::Object {
        let object = machine(session)?;
        return replace(output, |file| fs::write(file, &object)).map_err(|error| trouble(output, &error));
    }
    // The runtime's library is written out while the program's code is made.
    let scratch = Scratch::new().map_err(|error| trouble(&env::temp_dir(), &error))?;
    let (object_file, runtime_file) = (scratch.0.join("program.o"), scratch.0.join("runtime.a"));
    let (object, written) = thread::scope(|scope| {
        let writer = thread::Builder::new().spawn_scoped(scope, || write_runtime(&runtime_file));
        let object = machine(session);
        // Where the system gives no OS thread, it is written now.
        (
            object,
            writer.map_or_else(|_| write_runtime(&runtime_file), |writer| writer.join().expect("it does not panic")),
        )
    });
    let object = object?;
    written.map_err(|error| trouble(&runtime_file, &error))?;
    let start = Instant::now();
    fs::write(&object_file, &object).map_err(|error| trouble(&object_file, &error))?;
    let linking = &session.options.linking;
    let library = product == Product::Library;
    linking.write_header(&ssa.foreign, library)?;
    let objects =
        linking.objects(&scratch.0, &ssa.foreign, library).map_err(|error| Failure::Trouble(error.to_string()))?;
    let inputs: Vec<&Path> =
        [&object_file].into_iter().chain(&objects).chain([&runtime_file]).map(PathBuf::as_path).collect();
    let result = replace(output, |file| {
        if library {
            library_of(&inputs, linking, &scratch.0, file)
        } else {
            link(&inputs, linking, &ssa.foreign, file)
        }
    });
    session.took("link", start.elapsed());
    result.map_err(|error| trouble(output, &error))
}

/// Writes the runtime's library to a file.
fn write_runtime(path: &Path) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 18, fs::File::create(path)?);
    io::copy(&mut DeflateDecoder::new(RUNTIME), &mut file)?;
    file.flush()
}

/// Statically where the system has a static C library (it starts in two thirds of the time), else dynamically. What was
/// missing is said once: of libraries, what the last attempt has missed, for some have no archive for the first.
fn link(inputs: &[&Path], linking: &Linking, foreign: &[Foreign], output: &Path) -> io::Result<()> {
    let linker = foreign::compiler();
    let mut messages = String::new();
    for style in [&["-static", "-no-pie"][..], &["-no-pie"], &[]] {
        let mut command = Command::new(&linker);
        command.args(style).args(inputs).args(linking.link_words(style.contains(&"-static"))?);
        command.args(["-Wl,--gc-sections", "-lm", "-lpthread", "-ldl"]).arg("-o").arg(output);
        match foreign::compile(&mut command)? {
            Ok(warnings) => {
                linking.tell_warnings_of_linker(&warnings);
                return Ok(());
            }
            Err(text) => messages = text,
        }
    }
    let mut missing = foreign::missing_libraries(&messages);
    missing.extend(foreign::missing_symbols(&messages, foreign));
    Err(io::Error::other(match missing.is_empty() {
        true => format!("linking failed:\n{messages}"),
        false => format!("linking failed\n{}", missing.join("\n")),
    }))
}

/// An archive with one object, in which all is that the program needs but for the C library's and other libraries; or a
/// shared object.
fn library_of(inputs: &[&Path], linking: &Linking, folder: &Path, output: &Path) -> io::Result<()> {
    let failed = |text: String| io::Error::other(format!("linking failed:\n{text}"));
    let mut command = Command::new(foreign::compiler());
    if output.extension().is_some_and(|suffix| suffix == "so") {
        command.args(["-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections"]).args(inputs).args(linking.link_words(false)?);
        command.args(["-lm", "-lpthread", "-ldl"]).arg("-o").arg(output);
        let warnings = foreign::compile(&mut command)?.map_err(failed)?;
        linking.tell_warnings_of_linker(&warnings);
        return Ok(());
    }
    let whole = folder.join("library.o");
    command.args(["-r", "-nostdlib"]).args(inputs).arg("-o").arg(&whole);
    foreign::compile(&mut command)?.map_err(failed)?;
    let mut ar = Command::new(foreign::program("AR", "ar"));
    foreign::run_tool(ar.arg("rcs").arg(output).arg(&whole))?.map_err(failed)?;
    Ok(())
}

/// Makes a file beside the output and renames it, so that a full disk or an interrupt leaves the old one as it was.
fn replace(output: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if output.is_dir() {
        return Err(io::Error::other("is a directory"));
    }
    if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(io::Error::other(format!("there is no folder {}", folder.display())));
    }
    // A device or a pipe is written to, and stays what it is.
    if fs::metadata(output).is_ok_and(|data| !data.is_file()) {
        let scratch = Scratch::new()?;
        let made = scratch.0.join("made");
        make(&made)?;
        return fs::write(output, fs::read(&made)?);
    }
    let name = output.file_name().ok_or_else(|| io::Error::other("is not the name of a file"))?;
    // A folder that nobody else can enter, on the file system of the output: what is made in it is nobody else's doing.
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = Scratch::inside(folder, ".leat-")?;
    let made = scratch.0.join(name);
    make(&made)?;
    fs::rename(&made, output)
}

fn trouble(path: &Path, error: &io::Error) -> Failure {
    Failure::Trouble(format!("{}: {error}", path.display()))
}
