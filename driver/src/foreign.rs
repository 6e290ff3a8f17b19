//! Files and libraries of C -> one shared object in this process (`leat run`, the prompt), or words for the linker
//! (`leat build`).
//!
//! ```text
//! leat run stub.c -lz a.sml      cc -shared -fPIC stub.c -lz -o ~/.cache/leat/foreign/<hash>.so, once; then dlopen
//! leat build a.sml stub.c -lz    cc -c stub.c; cc program.o stub.o runtime.a -lz
//! ```
//!
//! The name in the cache is a hash of the files' contents, of all words that the compiler gets, and of the folder in
//! which it runs, where it looks for headers. Headers that a file names, and archives, stand beside the object with
//! their contents' hashes: when one has changed, the object is made again.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::ffi::{CStr, CString, OsString};
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};

use leat_abi::foreign::{Foreign, Way, callback};

use crate::export;
use crate::say::tell;
use crate::scratch::{Scratch, kept};
use crate::stage::Failure;
use crate::user_cache;

/// What of C a program is made with.
#[derive(Clone, Debug, Default)]
pub struct Linking {
    /// Sources, objects, archives and shared libraries, by their suffixes.
    pub files: Vec<PathBuf>,
    /// `-l`
    pub libraries: Vec<String>,
    /// `-L`
    pub folders: Vec<PathBuf>,
    /// For compiling files of C.
    pub cc_options: Vec<String>,
    /// For linking.
    pub link_options: Vec<String>,
    /// Names that `pkg-config` knows.
    pub packages: Vec<String>,
    /// Where the prototypes of exported functions are written.
    pub export_header: Option<PathBuf>,
    /// What the C compiler warns of is told as JSON.
    pub json: bool,
}

/// Is this a file for the linker, by its name?
pub fn is_foreign(path: &Path) -> bool {
    match path.extension().and_then(|suffix| suffix.to_str()) {
        Some("c" | "o" | "a" | "so" | "S") => true,
        _ => path.file_name().is_some_and(|name| name.as_bytes().windows(4).any(|part| part == b".so.")),
    }
}

fn is_source(path: &Path) -> bool {
    matches!(path.extension().and_then(|suffix| suffix.to_str()), Some("c" | "S"))
}

/// A program that the user may have named in a variable.
pub(crate) fn program(variable: &str, usual: &str) -> OsString {
    env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| usual.into())
}

/// The C compiler: `CC`, or `cc`.
pub(crate) fn compiler() -> OsString {
    program("CC", "cc")
}

/// Runs the C compiler; answers what it has said: what it warns of, or why it failed.
pub(crate) fn compile(command: &mut Command) -> io::Result<Result<String, String>> {
    run(command, "C compiler", "install one, or name it in CC")
}

/// Likewise a program that comes with the linker.
pub(crate) fn run_tool(command: &mut Command) -> io::Result<Result<String, String>> {
    run(command, "program", "it comes with the linker (binutils)")
}

/// In plain English, whatever the user's language is: the messages are read here, too.
fn run(command: &mut Command, kind: &str, advice: &str) -> io::Result<Result<String, String>> {
    command.env("LC_ALL", "C.UTF-8").env_remove("LANGUAGE");
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other(format!(
            "the {kind} `{}` is needed and was not found; {advice}",
            command.get_program().display()
        )),
        _ => error,
    })?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() { Ok(text) } else { Err(text) })
}

impl Linking {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.libraries.is_empty() && self.link_options.is_empty() && self.packages.is_empty()
    }

    /// Words of `pkg-config` for all packages.
    fn package_words(&self, wanted: &[&str]) -> io::Result<Vec<String>> {
        if self.packages.is_empty() {
            return Ok(Vec::new());
        }
        let output = Command::new("pkg-config").args(wanted).args(&self.packages).output().map_err(|error| {
            io::Error::other(match error.kind() {
                io::ErrorKind::NotFound => "`pkg-config` is needed for --pkg-config, and was not found".to_string(),
                _ => format!("pkg-config: {error}"),
            })
        })?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!("pkg-config: {}", text.trim_end())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).split_ascii_whitespace().map(str::to_string).collect())
    }

    fn compile_words(&self) -> io::Result<Vec<String>> {
        let mut words = vec!["-O2".to_string()];
        words.extend(self.package_words(&["--cflags"])?);
        words.extend(self.cc_options.iter().cloned());
        Ok(words)
    }

    /// What follows the objects in a linker's command; `fixed`: of one that links statically.
    pub(crate) fn link_words(&self, fixed: bool) -> io::Result<Vec<OsString>> {
        let mut words: Vec<OsString> = Vec::new();
        for folder in &self.folders {
            words.push("-L".into());
            words.push(folder.into());
        }
        words.extend(self.link_options.iter().map(OsString::from));
        words.extend(self.libraries.iter().map(|name| OsString::from(format!("-l{name}"))));
        let packages = if fixed { &["--libs", "--static"][..] } else { &["--libs"] };
        words.extend(self.package_words(packages)?.into_iter().map(OsString::from));
        Ok(words)
    }

    /// Tells what the C compiler warns of.
    fn tell_warnings(&self, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            tell(&if self.json { leat_base::json::remark(text) } else { format!("{text}\n") });
        }
    }

    /// Likewise the linker. Not told is that the C library has functions that look for its shared libraries when a
    /// static program runs: the runtime calls some in every program.
    pub(crate) fn tell_warnings_of_linker(&self, text: &str) {
        let is_told = |line: &&str| line.contains("warning: ") && !line.contains("in statically linked applications");
        self.tell_warnings(&text.lines().filter(is_told).collect::<Vec<_>>().join("\n"));
    }

    /// Writes the header of exported functions, if one is wanted. An error where two functions of one name have
    /// different types, so that no header is right.
    pub(crate) fn write_header(&self, foreign: &[Foreign], library: bool) -> Result<(), Failure> {
        if let Some((first, other)) = export::clash(foreign) {
            let name = other.name.as_deref().unwrap_or_default();
            let message = format!("{}: `{name}` is exported with another type of C at {}", other.place, first.place);
            return Err(Failure::Trouble(message));
        }
        let Some(path) = &self.export_header else { return Ok(()) };
        write_header(path, &export::header(foreign, library))
            .map_err(|error| Failure::Trouble(format!("{}: {error}", path.display())))
    }

    /// Compiles the sources into a folder; gives all files for the linker. The symbols of exported functions are among
    /// them.
    pub(crate) fn objects(&self, folder: &Path, foreign: &[Foreign], library: bool) -> io::Result<Vec<PathBuf>> {
        let mut words = self.compile_words()?;
        if library {
            words.insert(0, "-fPIC".to_string());
        }
        let mut objects = self.compiled(folder, &words)?;
        if let Some(text) = export::symbols(foreign, Some("leat_unexported"), library) {
            objects.push(assembled(folder, &text)?);
        }
        Ok(objects)
    }

    fn compiled(&self, folder: &Path, words: &[String]) -> io::Result<Vec<PathBuf>> {
        let mut objects = Vec::new();
        for (i, file) in self.files.iter().enumerate() {
            self.check(file)?;
            if !is_source(file) {
                // A name without a folder would be looked for in those of the system when the program starts.
                let beside = file.parent().is_some_and(|parent| parent.as_os_str().is_empty());
                objects.push(if beside { Path::new(".").join(file) } else { file.clone() });
                continue;
            }
            let object = folder.join(format!("c{i}.o"));
            let mut command = Command::new(compiler());
            command.args(words).arg("-c").arg(file).arg("-o").arg(&object);
            let warnings = compile(&mut command)?.map_err(|text| refused(file, &text))?;
            self.tell_warnings(&warnings);
            objects.push(object);
        }
        Ok(objects)
    }

    fn check(&self, file: &Path) -> io::Result<()> {
        if file.is_file() { Ok(()) } else { Err(io::Error::other(format!("there is no file {}", file.display()))) }
    }

    /// Makes everything known to this process: what `leat run` and the prompt call. `foreign`: what the program imports
    /// and exports; the prompt does not know it yet.
    pub fn load(&self, foreign: Option<&[Foreign]>) -> Result<(), Failure> {
        if self.is_empty() {
            return foreign.map_or(Ok(()), |foreign| load_exports(foreign, |_| true));
        }
        let object = self.shared(foreign).map_err(|error| Failure::Trouble(error.to_string()))?;
        let handle = open(&object)?;
        own_mut().files = Some(handle);
        foreign.into_iter().for_each(|foreign| fill_exports(foreign, |_| true));
        Ok(())
    }
}

/// The loader's handles of what is loaded.
struct Own {
    /// With the symbols of exported functions alone, the first one first.
    exports: Vec<usize>,
    /// With the program's files of C.
    files: Option<usize>,
}

static OWN: RwLock<Own> = RwLock::new(Own { exports: Vec::new(), files: None });

fn own_mut() -> RwLockWriteGuard<'static, Own> {
    OWN.write().unwrap_or_else(PoisonError::into_inner)
}

/// The object file of the exported functions' symbols.
fn assembled(folder: &Path, text: &str) -> io::Result<PathBuf> {
    let source = folder.join("exports.s");
    fs::write(&source, text)?;
    let object = source.with_extension("o");
    let mut command = Command::new(compiler());
    command.arg("-c").arg(&source).arg("-o").arg(&object);
    compile(&mut command)?.map_err(|text| refused(&source, &text))?;
    Ok(object)
}

/// Makes known the symbols of functions that a unit at the prompt exports. An earlier unit may have the same ones: what
/// these are stays so.
pub(crate) fn load_more_exports(foreign: &[Foreign]) -> Result<(), Failure> {
    load_exports(foreign, |slot| slot == 0)
}

/// Makes the symbols of exported functions known to this process: what files of C that are loaded later find.
fn load_exports(foreign: &[Foreign], is_new: fn(usize) -> bool) -> Result<(), Failure> {
    let Some(text) = export::symbols(foreign, None, false) else { return Ok(()) };
    let object = shared_exports(&text).map_err(|error| Failure::Trouble(error.to_string()))?;
    let handle = open(&object)?;
    own_mut().exports.push(handle);
    fill_exports(foreign, is_new);
    Ok(())
}

/// What exported functions do before their export is evaluated, which is so where `is_new` says it of what their
/// variable holds: 0 in an object that was not loaded before.
fn fill_exports(foreign: &[Foreign], is_new: fn(usize) -> bool) {
    for name in export::names(foreign) {
        let slot = symbol(&callback::slot(name)) as *mut usize;
        // SAFETY: the variable of that object, a word; nobody reads it meanwhile.
        unsafe {
            if !slot.is_null() && is_new(slot.read()) {
                slot.write(leat_entry::unexported());
            }
        }
    }
}

/// The object in the cache, made if it is not there.
fn shared_exports(text: &str) -> io::Result<PathBuf> {
    // Nothing of the C library is found by way of it.
    let words = ["-shared", "-nostdlib"];
    let mut hash = TwoHashes::default();
    (compiler(), words, text).hash(&mut hash.0);
    let folder = cache()?;
    let object = folder.join(format!("{}.so", hash.text()));
    if is_used(&object) {
        return Ok(object);
    }
    tidy(&folder);
    let scratch = Scratch::inside(&folder, BEING_MADE)?;
    let (source, made) = (scratch.0.join("exports.s"), scratch.0.join("exports.so"));
    fs::write(&source, text)?;
    let mut command = Command::new(compiler());
    command.args(words).arg("-o").arg(&made).arg(&source);
    compile(&mut command)?.map_err(|text| refused(&source, &text))?;
    fs::rename(&made, &object)?;
    Ok(object)
}

/// Loads a shared object; what it defines is found by all. Gives the loader's handle of it.
fn open(object: &Path) -> Result<usize, Failure> {
    let name = CString::new(object.as_os_str().as_bytes()).expect("a path without a zero byte");
    // SAFETY: a call of the C library; the object's constructors are the user's program.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if !handle.is_null() {
        return Ok(handle as usize);
    }
    // SAFETY: after a failed dlopen, a text that lives until the next call.
    let text = unsafe { CStr::from_ptr(libc::dlerror()) }.to_string_lossy().into_owned();
    // `/…/hash.so: undefined symbol: f`
    Err(Failure::Trouble(match text.split_once("undefined symbol: ") {
        Some((_, symbol)) => format!("the files of C need `{symbol}`, which is in none of them and in no library"),
        None => format!("the libraries cannot be loaded: {text}"),
    }))
}

impl Linking {
    /// The shared object in the cache, made if it is not there. The symbols of exported functions are in it: a file of
    /// C that calls one must find it before a function of the C library that has its name.
    fn shared(&self, foreign: Option<&[Foreign]>) -> io::Result<PathBuf> {
        let words = self.compile_words()?;
        let mut links = self.link_words(false)?;
        // An archive gives what somebody needs, and the program's own code is not there for the linker.
        links.splice(0..0, foreign.into_iter().flat_map(imported).map(|name| format!("-Wl,-u,{name}").into()));
        let exports = foreign.and_then(|foreign| export::symbols(foreign, None, false));
        let mut hash = TwoHashes::default();
        (compiler(), &words, &links, &exports, foreign.is_some(), env::current_dir().ok()).hash(&mut hash.0);
        for file in &self.files {
            self.check(file)?;
            (file, fs::read(file)?).hash(&mut hash.0);
        }
        for folder in &self.folders {
            fs::canonicalize(folder).ok().hash(&mut hash.0);
        }
        for name in ["CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"] {
            env::var_os(name).hash(&mut hash.0);
        }
        let folder = cache()?;
        let object = folder.join(format!("{}.so", hash.text()));
        let notes = object.with_extension("notes");
        if is_used(&object) && fs::read_to_string(&notes).is_ok_and(|text| is_fresh(&object, &text)) {
            return Ok(object);
        }
        tidy(&folder);
        let begun = SystemTime::now();
        // Made in a folder of its own, so that two that make it do not meet.
        let scratch = Scratch::inside(&folder, BEING_MADE)?;
        let (made, made_notes) = (scratch.0.join("object.so"), scratch.0.join("notes"));
        let archives = self.archives();
        let needed = self.make_shared(&words, &links, exports.as_deref(), foreign.is_none(), &made)?;
        let mut lines = vec![which(&fs::metadata(&made)?)];
        lines.extend(needed.iter().chain(&archives).filter_map(|path| note_of(path, begun)));
        fs::write(&made_notes, lines.join("\n"))?;
        fs::rename(&made, &object)?;
        // The notes are those of the object that is there now, or of none.
        fs::rename(&made_notes, &notes)?;
        Ok(object)
    }

    /// The libraries in the folders that may be copied into the object.
    fn archives(&self) -> Vec<PathBuf> {
        let in_folder = |folder: &PathBuf| {
            self.libraries.iter().map(|name| folder.join(format!("lib{name}.a"))).collect::<Vec<_>>()
        };
        self.folders.iter().flat_map(in_folder).filter(|path| path.is_file()).collect()
    }

    /// Compiles and links; answers the headers that were read. `whole`: with all that is in the archives.
    fn make_shared(
        &self,
        words: &[String],
        links: &[OsString],
        exports: Option<&str>,
        whole: bool,
        made: &Path,
    ) -> io::Result<Vec<PathBuf>> {
        let scratch = Scratch::new()?;
        let words: Vec<String> =
            ["-fPIC", "-MD"].into_iter().map(str::to_string).chain(words.iter().cloned()).collect();
        let objects = self.compiled(&scratch.0, &words)?;
        let mut command = Command::new(compiler());
        // Functions that are called like one of the C library's call each other, as in an executable.
        command.args(["-shared", "-Wl,-Bsymbolic", "-Wl,--no-as-needed", "-o"]).arg(made);
        if whole {
            command.arg("-Wl,--whole-archive").args(&objects).arg("-Wl,--no-whole-archive");
        } else {
            command.args(&objects);
        }
        if let Some(text) = exports {
            command.arg(assembled(&scratch.0, text)?);
        }
        for folder in &self.folders {
            let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            // A comma in it would part two words of `-Wl`.
            command.args(["-Xlinker", "-rpath", "-Xlinker"]).arg(folder);
        }
        command.args(links);
        let warnings = compile(&mut command)?.map_err(|text| io::Error::other(explain(&text)))?;
        self.tell_warnings_of_linker(&warnings);
        // The C compiler writes a list beside each object that it makes.
        let lists = objects.iter().filter(|object| object.starts_with(&scratch.0));
        Ok(lists
            .flat_map(|object| {
                fs::read_to_string(object.with_extension("d")).map(|text| headers(&text)).unwrap_or_default()
            })
            .collect())
    }
}

/// Where a symbol of C is in this process; 0: nowhere. The runtime has some, which are not there for the system's
/// loader. The program's own files and exported functions come before the C library, as they do for a linker.
pub(crate) fn symbol(name: &str) -> usize {
    let (rows, tls) = (leat_entry::rows::symbols(), leat_entry::tls::symbols());
    if let Some((_, address)) = rows.iter().chain(&tls).find(|row| row.0 == name) {
        return *address as usize;
    }
    let Ok(name) = CString::new(name) else { return 0 };
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    let of_all = libc::RTLD_DEFAULT as usize;
    // SAFETY: calls of the C library with a text that ends; the objects stay loaded.
    let look_in = |&handle: &usize| unsafe { libc::dlsym(handle as *mut libc::c_void, name.as_ptr()) };
    let mut found = own.exports.iter().chain(&own.files).chain([&of_all]).map(look_in);
    found.find(|address| !address.is_null()).map_or(0, |address| address as usize)
}

/// The symbols that a program names, each once.
fn imported(foreign: &[Foreign]) -> BTreeSet<&str> {
    foreign.iter().filter(|foreign| foreign.way != Way::Export).filter_map(|foreign| foreign.name.as_deref()).collect()
}

fn refused(file: &Path, text: &str) -> io::Error {
    io::Error::other(format!("the C compiler refuses {}:\n{}", file.display(), text.trim_end()))
}

/// What a linker has said, in short: the libraries and symbols that are missing; else all of it.
fn explain(text: &str) -> String {
    let missing = missing_libraries(text);
    if missing.is_empty() { format!("linking failed:\n{}", text.trim_end()) } else { missing.join("\n") }
}

/// `cannot find -lfoo`
pub(crate) fn missing_libraries(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) = line.split_once("cannot find -l") else { continue };
        let name: String = rest.chars().take_while(|c| !c.is_whitespace() && *c != ':').collect();
        let message = format!(
            "there is no library `{name}`: install the package with its header files, or say where it is by -L"
        );
        if !found.contains(&message) {
            found.push(message);
        }
    }
    found
}

/// ``undefined reference to `f'``, with the places of their imports.
pub(crate) fn missing_symbols(text: &str, foreign: &[Foreign]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) = line.split_once("undefined reference to `") else { continue };
        let name = rest.split('\'').next().unwrap_or(rest);
        let places = foreign.iter().filter(|foreign| foreign.name.as_deref() == Some(name));
        let messages: Vec<String> =
            places.map(|foreign| format!("{}: there is no `{name}` in C", foreign.place)).collect();
        let messages = if messages.is_empty() { vec![line.to_string()] } else { messages };
        for message in messages {
            if !found.contains(&message) {
                found.push(message);
            }
        }
    }
    if found.is_empty() { found } else { leat_translate::missing_names(found) }
}

/// Where objects are kept: what is loaded from there runs as this user.
fn cache() -> io::Result<PathBuf> {
    kept(user_cache(), &env::temp_dir(), "foreign")
}

/// How the folder begins in which something is made that is kept.
const BEING_MADE: &str = "made-";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// So long an object is kept that nobody uses.
const UNUSED: Duration = DAY.saturating_mul(30);

/// Whether the object is there; it is said to be of now, since it is used now.
fn is_used(object: &Path) -> bool {
    fs::File::open(object).is_ok_and(|file| {
        let _ = file.set_modified(SystemTime::now());
        true
    })
}

/// Removes what nobody needs any more from the folder of the objects: each change of a file of C makes another one; and
/// who is killed leaves what was being made.
fn tidy(folder: &Path) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let Ok(data) = fs::symlink_metadata(&path) else { continue };
        let most = match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("so") => UNUSED,
            Some("notes") if path.with_extension("so").exists() => continue,
            _ => DAY,
        };
        if data.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > most)) {
            let _ = if data.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// The files in a list that the C compiler made for `make`.
fn headers(text: &str) -> Vec<PathBuf> {
    let text = text.replace("\\\n", " ");
    let rest = text.split_once(": ").map_or("", |(_, rest)| rest).replace("\\ ", "\0");
    let rest = rest.replace("\\#", "#").replace("$$", "$");
    rest.split_ascii_whitespace().map(|word| PathBuf::from(word.replace('\0', " "))).collect()
}

/// `HASH PATH`
fn note(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    let mut hash = TwoHashes::default();
    fs::read(&path).ok()?.hash(&mut hash.0);
    Some(format!("{} {}", hash.text(), path.display()))
}

/// What was saved while the C compiler ran may be in the object or not: its note is that of no text.
fn note_of(path: &Path, begun: SystemTime) -> Option<String> {
    let is_older = fs::metadata(path).and_then(|data| data.modified()).is_ok_and(|time| time < begun);
    if is_older { note(path) } else { Some(format!("- {}", fs::canonicalize(path).ok()?.display())) }
}

/// Which file it is, so that no other one that gets its name is taken for it.
fn which(data: &fs::Metadata) -> String {
    format!("{} {}", data.len(), data.ino())
}

/// Are the notes those of this object, and is all as they say? The first line says which object it is.
fn is_fresh(object: &Path, notes: &str) -> bool {
    let mut lines = notes.lines();
    let first = lines.next();
    fs::metadata(object).is_ok_and(|data| Some(&*which(&data)) == first) && lines.all(is_as_noted)
}

fn is_as_noted(line: &str) -> bool {
    line.split_once(' ').is_none_or(|(_, path)| note(Path::new(path)).as_deref() == Some(line))
}

/// Writes a header to a file, unless it stands there already: what depends on the file is not made again then. A file
/// with something else in it stays as it is: it is a source of the user's whose name was given by mistake. A device or
/// a pipe is written to and not read, for it may never end, or wait for somebody who writes.
fn write_header(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|data| data.is_file()) {
        let old = fs::read(path)?;
        if old == text.as_bytes() {
            return Ok(());
        }
        // A beginning is what somebody else is about to write.
        let first = export::FIRST_LINE.as_bytes();
        if !old.starts_with(first) && !first.starts_with(&old) {
            return Err(io::Error::other("this file was not written by leat: name another one with --export-header"));
        }
    }
    fs::write(path, text)
}

/// A hash of 128 bits, of two that see the same bytes from different beginnings.
#[derive(Default)]
struct TwoHashes(Both);

struct Both(DefaultHasher, DefaultHasher);

impl Default for Both {
    fn default() -> Both {
        let mut second = DefaultHasher::new();
        second.write_u8(1);
        Both(DefaultHasher::new(), second)
    }
}

impl Hasher for Both {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
        self.1.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl TwoHashes {
    fn text(&self) -> String {
        format!("{:016x}{:016x}", self.0.0.finish(), self.0.1.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_stands_there_is_left_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.h");
        let header = |text: &str| format!("{}{text}", export::FIRST_LINE);
        write_header(&path, &header("int f(void);\n")).unwrap();
        let old = SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        write_header(&path, &header("int f(void);\n")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), old);
        for other in ["int g(void);\n", "int longer(void);\n", ""] {
            write_header(&path, &header(other)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), header(other));
        }
    }

    /// `leat run --export-header stub.c a.mlb` wrote over the file of C.
    #[test]
    fn a_file_that_is_no_header_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("stub.c");
        let source = "#include \"a.h\"\nint f(void) { return 1; }\n";
        fs::write(&path, source).unwrap();
        assert!(write_header(&path, export::FIRST_LINE).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), source);
        fs::write(&path, "").unwrap();
        write_header(&path, export::FIRST_LINE).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), export::FIRST_LINE);
    }

    /// Nothing was ever removed: each change of a file of C left an object, and each killed run what it had begun.
    #[test]
    fn what_nobody_uses_is_removed() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        let old = SystemTime::now() - 2 * UNUSED;
        let write = |name: &str, time: SystemTime| {
            fs::write(at(name), "").unwrap();
            fs::File::open(at(name)).unwrap().set_modified(time).unwrap();
        };
        let names = ["a.so", "a.notes", "b.so", "b.notes", "c.so", "c.notes", "d.notes", "e.123"];
        names.iter().for_each(|name| write(name, old));
        assert!(is_used(&at("a.so")) && !is_used(&at("f.so")));
        write("c.so", SystemTime::now() - UNUSED / 2);
        fs::create_dir(at("made-1")).unwrap();
        for _ in 0..2 {
            tidy(folder.path());
        }
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a.notes", "a.so", "c.notes", "c.so", "made-1"]);
    }

    /// A header that was to be written to a device was read from it first, for ever.
    #[test]
    fn a_pipe_is_not_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("pipe");
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a call of the C library with a text that lives.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read_to_string(path).unwrap()
        });
        write_header(&path, "int f(void);\n").unwrap();
        assert_eq!(reader.join().unwrap(), "int f(void);\n");
    }
}
