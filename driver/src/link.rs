//! Ssa -> object file -> executable: the runtime's library travels inside Leat, the system's C compiler links.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs, io, thread};

use flate2::bufread::DeflateDecoder;
use leat_abi::foreign::{Foreign, Way};
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};

use crate::foreign::{self, Linking};
use crate::scratch::Scratch;
use crate::session::Session;
use crate::stage::Failure;

/// The runtime's library, compressed.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.deflate"));

/// The functions of C that the runtime calls, one a line.
static RUNTIME_CALLS: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.calls"));

/// These a program may replace for all, as it may in C: what one of them has made another one gives back.
const FOR_ALL: &[&str] = &["malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"];

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
    let scratch = Scratch::new().map_err(|error| trouble(&env::temp_dir(), &error))?;
    let (object_file, runtime_file) = (scratch.0.join("program.o"), scratch.0.join("runtime.a"));
    let object = if product == Product::Object {
        machine(session)?
    } else {
        // The runtime's library is written out while the program's code is made.
        let (object, written) = thread::scope(|scope| {
            let writer = thread::Builder::new().spawn_scoped(scope, || write_runtime(&runtime_file));
            let object = machine(session);
            let written = match writer {
                Ok(writer) => writer.join().expect("it does not panic"),
                // Where the system gives no OS thread, it is written now.
                Err(_) => write_runtime(&runtime_file),
            };
            (object, written)
        });
        written.map_err(|error| trouble(&runtime_file, &error))?;
        object?
    };
    let start = Instant::now();
    fs::write(&object_file, &object).map_err(|error| trouble(&object_file, &error))?;
    let linking = &session.options.linking;
    let library = product == Product::Library;
    if product != Product::Executable {
        check_exports(&ssa.foreign)?;
    }
    linking.write_header(&ssa.foreign, library)?;
    let objects = linking
        .objects(&scratch.0, &ssa.foreign, library)
        .and_then(|objects| apart(object_file, objects, &scratch.0))
        .map_err(|error| Failure::Trouble(error.to_string()))?;
    let with_runtime = || objects.iter().chain([&runtime_file]).map(PathBuf::as_path).collect::<Vec<_>>();
    let result = replace(output, |file| match product {
        Product::Executable => link(&with_runtime(), linking, &ssa.foreign, file),
        Product::Library => library_of(&with_runtime(), linking, &scratch.0, file),
        Product::Object => match &unshared(&objects)[..] {
            [object] => fs::copy(object, file).map(drop),
            objects => one_of(objects, file),
        },
    });
    session.took("link", start.elapsed());
    result.map_err(|error| trouble(output, &error))
}

/// A program of C that gets the object calls exported functions by their names, and so would the runtime in it.
fn check_exports(foreign: &[Foreign]) -> Result<(), Failure> {
    let is_called = |name: &str| RUNTIME_CALLS.lines().any(|called| called == name);
    let exported = |foreign: &&Foreign| foreign.way == Way::Export && foreign.name.as_deref().is_some_and(is_called);
    let Some(Foreign { place, name: Some(name), .. }) = foreign.iter().find(exported) else { return Ok(()) };
    Err(Failure::Trouble(format!(
        "{place}: `{name}` is exported, but Leat's runtime calls the C library's function of this name: give it another name"
    )))
}

/// The program's object, those of its files of C and archives, so that they call each other's functions, and the
/// runtime the C library's, also where the names are equal: a `log` in a file of C was called for `Math.ln`. Then they
/// are one object, in which these names are its own. (The archives stay behind it, for what other libraries want of
/// them.)
fn apart(program: PathBuf, objects: Vec<PathBuf>, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is = |path: &PathBuf, wanted: &str| path.extension().is_some_and(|suffix| suffix == wanted);
    let (own, others): (Vec<PathBuf>, Vec<PathBuf>) = objects.iter().cloned().partition(|path| is(path, "o"));
    let archives: Vec<&PathBuf> = others.iter().filter(|path| is(path, "a")).collect();
    let all = |program: PathBuf| [program].into_iter().chain(objects).collect();
    if own.is_empty() && archives.is_empty() || names_of_runtime(own.iter().chain(archives.iter().copied()))?.is_empty()
    {
        return Ok(all(program));
    }
    let whole = folder.join("own.o");
    let group = |word: &str| (!archives.is_empty()).then(|| PathBuf::from(format!("-Wl,--{word}-group")));
    let inputs = [program].into_iter().chain(own).chain(group("start")).chain(archives.iter().copied().cloned());
    one_of(&inputs.chain(group("end")).collect::<Vec<_>>(), &whole)?;
    // Of an archive's members those are in it that are wanted.
    let names = names_of_runtime([&whole])?;
    if !names.is_empty() {
        let words = names.iter().map(|name| format!("--localize-symbol={name}"));
        let mut objcopy = Command::new(foreign::program("OBJCOPY", "objcopy"));
        foreign::run_tool(objcopy.args(words).arg(&whole))?.map_err(failed)?;
    }
    Ok([whole].into_iter().chain(others).collect())
}

/// What these objects and archives define that the runtime calls of the C library. (Of what is neither, such as a
/// script of the linker with an archive's name, nothing.)
fn names_of_runtime<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> io::Result<Vec<String>> {
    let of_runtime: HashSet<&str> = RUNTIME_CALLS.lines().filter(|name| !FOR_ALL.contains(name)).collect();
    let mut names = Vec::new();
    for path in files {
        let bytes =
            fs::read(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        let defined = match path.extension().is_some_and(|suffix| suffix == "a") {
            true => members_define(&bytes),
            false => defines(&bytes),
        };
        names.extend(defined.unwrap_or_default().into_iter().filter(|name| of_runtime.contains(&name[..])));
    }
    Ok(names)
}

/// The global names that an object defines.
fn defines(bytes: &[u8]) -> object::Result<Vec<String>> {
    let object = object::File::parse(bytes)?;
    let global = object.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    Ok(global.filter_map(|symbol| Some(symbol.name().ok()?.to_string())).collect())
}

/// Those of an archive's members, by its index.
fn members_define(bytes: &[u8]) -> object::Result<Vec<String>> {
    let index = ArchiveFile::parse(bytes)?.symbols()?;
    let names = index.into_iter().flatten().filter_map(Result::ok);
    Ok(names.map(|symbol| String::from_utf8_lossy(symbol.name()).into_owned()).collect())
}

/// Without shared libraries, of which nothing can be in an object.
fn unshared<P: AsRef<Path>>(files: &[P]) -> Vec<&Path> {
    let is_shared = |path: &&Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".so") || name.contains(".so.")
    };
    files.iter().map(AsRef::as_ref).filter(|path| !is_shared(path)).collect()
}

/// One object of several.
fn one_of(objects: &[impl AsRef<OsStr>], output: &Path) -> io::Result<()> {
    let mut command = Command::new(foreign::compiler());
    command.args(["-r", "-nostdlib"]).args(objects).arg("-o").arg(output);
    foreign::compile(&mut command)?.map_err(failed)?;
    Ok(())
}

fn failed(text: String) -> io::Error {
    io::Error::other(format!("linking failed:\n{text}"))
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
    if output.extension().is_some_and(|suffix| suffix == "so") {
        let mut command = Command::new(foreign::compiler());
        command.args(["-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections"]).args(inputs).args(linking.link_words(false)?);
        command.args(["-lm", "-lpthread", "-ldl"]).arg("-o").arg(output);
        let warnings = foreign::compile(&mut command)?.map_err(failed)?;
        linking.tell_warnings_of_linker(&warnings);
        return Ok(());
    }
    let whole = folder.join("library.o");
    one_of(&unshared(inputs), &whole)?;
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
