//! Code in memory -> its names and lines for tools that look at a process from outside.
//!
//! ```text
//! perf      /tmp/perf-PID.map: a line a function                     names in `perf report`
//! jitdump   /tmp/jit-PID.dump: code, names and lines                 annotated source, by `perf inject --jit`
//! gdb       an object file in memory, told of by GDB's JIT interface  break points, lines, back-traces
//! ```
//!
//! A failure to write costs names in a tool only, so it is not told.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use leat_ssa::ir::Program;
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};
use rustix::mm::{MapFlags, ProtFlags, mmap};

use crate::dwarf;
use crate::image::Image;
use crate::options::{Error, Symbols};
use crate::places::charged;

/// Tells the tool of a program's code that begins at this address.
pub(crate) fn tell(symbols: Symbols, program: &Program, image: &Image, text_at: usize) -> Result<(), Error> {
    match symbols {
        Symbols::None => {}
        Symbols::Perf => perf_map(program, image, text_at),
        Symbols::Jitdump => jitdump(program, image, text_at),
        Symbols::Gdb => gdb(program, image, text_at)?,
    }
    Ok(())
}

/// The map of this process, to which each part of its program is added.
static MAP: Mutex<Option<File>> = Mutex::new(None);

/// The file that `perf report` reads.
fn perf_map(program: &Program, image: &Image, text_at: usize) {
    let mut text = String::new();
    for (f, &(start, bytes)) in program.funcs.iter().zip(&image.funcs) {
        let _ = writeln!(text, "{:x} {bytes:x} {}", text_at + start as usize, f.name);
    }
    let mut map = MAP.lock().unwrap_or_else(|e| e.into_inner());
    if map.is_none() {
        *map = new_file(Path::new(&format!("/tmp/perf-{}.map", std::process::id()))).ok();
    }
    if let Some(file) = &mut *map {
        let _ = file.write_all(text.as_bytes());
    }
}

/// A new file in a folder where everybody may write. What an older process of this number has left goes; what is there
/// still is somebody else's, who may have made it a link.
fn new_file(path: &Path) -> std::io::Result<File> {
    let _ = std::fs::remove_file(path);
    File::options().create_new(true).read(true).write(true).mode(0o600).open(path)
}

// ------------------------------------------------------------------------------------------------- jitdump

/// The dump of this process, and how many functions are in it.
static DUMP: Mutex<Option<(File, u64)>> = Mutex::new(None);

const CODE_LOAD: u32 = 0;
const DEBUG_INFO: u32 = 2;

/// The file of `perf inject --jit`, as the kernel's `jitdump-specification.txt` has it.
fn jitdump(program: &Program, image: &Image, text_at: usize) {
    let mut dump = DUMP.lock().unwrap_or_else(|e| e.into_inner());
    if dump.is_none() {
        *dump = open_dump().ok().map(|file| (file, 0));
    }
    let Some((file, functions)) = &mut *dump else { return };
    let (process, time) = (std::process::id(), now());
    let mut lines = image.lines.as_slice();
    let mut bytes = Vec::new();
    for ((f, &(start, size)), &home) in program.funcs.iter().zip(&image.funcs).zip(&image.homes) {
        let own = lines.partition_point(|line| line.0 < start + size);
        let rows = &lines[..own];
        lines = &lines[own..];
        if size == 0 {
            continue;
        }
        let address = (text_at + start as usize) as u64;
        // The lines stand before the code that they are of.
        let mut record = Vec::new();
        record.extend(address.to_le_bytes());
        record.extend((rows.len() as u64).to_le_bytes());
        for &(offset, loc) in rows {
            let (file, line) = charged(program, f, home, loc);
            record.extend(((text_at + offset as usize) as u64).to_le_bytes());
            record.extend(line.to_le_bytes());
            record.extend(0u32.to_le_bytes());
            record.extend(program.files.get(file as usize).map_or("?", |name| name).as_bytes());
            record.push(0);
        }
        append(&mut bytes, DEBUG_INFO, time, &record);
        let mut record = Vec::new();
        // Process and thread; where it was when it was made, and is now; its size, its number.
        record.extend(process.to_le_bytes());
        record.extend(process.to_le_bytes());
        for word in [address, address, u64::from(size), *functions] {
            record.extend(word.to_le_bytes());
        }
        record.extend(f.name.as_bytes());
        record.push(0);
        record.extend(&image.text[start as usize..(start + size) as usize]);
        append(&mut bytes, CODE_LOAD, time, &record);
        *functions += 1;
    }
    let _ = file.write_all(&bytes);
}

fn append(bytes: &mut Vec<u8>, kind: u32, time: u64, record: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend((16 + record.len() as u32).to_le_bytes());
    bytes.extend(time.to_le_bytes());
    bytes.extend(record);
}

fn open_dump() -> std::io::Result<File> {
    let mut file = new_file(Path::new(&format!("/tmp/jit-{}.dump", std::process::id())))?;
    let machine: u32 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut head = Vec::new();
    for word in [0x4a69_5444, 1, 40, machine, 0, std::process::id()] {
        head.extend(u32::to_le_bytes(word));
    }
    head.extend(now().to_le_bytes());
    head.extend(0u64.to_le_bytes());
    file.write_all(&head)?;
    // perf learns of the file by this mapping, which stays.
    // SAFETY: a new mapping that nobody uses.
    unsafe {
        let access = ProtFlags::READ | ProtFlags::EXEC;
        mmap(std::ptr::null_mut(), 4096, access, MapFlags::PRIVATE, file.as_fd(), 0)?;
    }
    Ok(file)
}

/// Nanoseconds of the clock that `perf record -k mono` goes by.
fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

// ------------------------------------------------------------------------------------------------- gdb

/// GDB's JIT interface: GDB has a break point in the function and reads the list from the descriptor.
#[repr(C)]
struct Entry {
    next: AtomicPtr<Entry>,
    prev: AtomicPtr<Entry>,
    file: *const u8,
    size: u64,
}

#[repr(C)]
struct Descriptor {
    version: u32,
    /// 0 nothing, 1 the relevant entry is new.
    action: std::sync::atomic::AtomicU32,
    relevant: AtomicPtr<Entry>,
    first: AtomicPtr<Entry>,
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
static __jit_debug_descriptor: Descriptor = Descriptor {
    version: 1,
    action: std::sync::atomic::AtomicU32::new(0),
    relevant: AtomicPtr::new(std::ptr::null_mut()),
    first: AtomicPtr::new(std::ptr::null_mut()),
};

/// So that the function below has a body.
static CALLS: AtomicU64 = AtomicU64::new(0);

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

/// Held while the list is changed.
static LIST: Mutex<()> = Mutex::new(());

fn gdb(program: &Program, image: &Image, text_at: usize) -> Result<(), Error> {
    let file: &'static [u8] = object_in_memory(program, image, text_at)?.leak();
    let _list = LIST.lock();
    let descriptor = &__jit_debug_descriptor;
    let first = descriptor.first.load(Ordering::SeqCst);
    let entry = Box::leak(Box::new(Entry {
        next: AtomicPtr::new(first),
        prev: AtomicPtr::default(),
        file: file.as_ptr(),
        size: file.len() as u64,
    }));
    if !first.is_null() {
        // SAFETY: entries are never freed.
        unsafe { (*first).prev.store(entry, Ordering::SeqCst) };
    }
    descriptor.first.store(entry, Ordering::SeqCst);
    descriptor.relevant.store(entry, Ordering::SeqCst);
    descriptor.action.store(1, Ordering::SeqCst);
    __jit_debug_register_code();
    Ok(())
}

/// An object file whose code stands elsewhere: symbols and debug information with the addresses that they have in
/// memory.
fn object_in_memory(program: &Program, image: &Image, text_at: usize) -> Result<Vec<u8>, Error> {
    let architecture = if cfg!(target_arch = "aarch64") { Architecture::Aarch64 } else { Architecture::X86_64 };
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    object.append_section_data(text, &image.text, 16);
    for (f, &(start, bytes)) in program.funcs.iter().zip(&image.funcs).filter(|(_, f)| f.1 > 0) {
        object.add_symbol(Symbol {
            name: f.name.as_str().into(),
            value: u64::from(start),
            size: u64::from(bytes),
            kind: SymbolKind::Text,
            scope: SymbolScope::Compilation,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    dwarf::write_in_memory(program, image, &mut object, text_at as u64)?;
    let mut bytes = object.write().map_err(|e| Error(e.to_string()))?;
    place_text(&mut bytes, text_at as u64).ok_or_else(|| Error("an object without a section of code".into()))?;
    Ok(bytes)
}

/// Enters the address of `.text` in the table of sections: words of the ELF format at their offsets.
fn place_text(elf: &mut [u8], address: u64) -> Option<()> {
    let word = |elf: &[u8], at: usize, bytes: usize| -> Option<u64> {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(elf.get(at..at + bytes)?);
        Some(u64::from_le_bytes(word))
    };
    let (table, size, count) =
        (word(elf, 0x28, 8)? as usize, word(elf, 0x3a, 2)? as usize, word(elf, 0x3c, 2)? as usize);
    for section in (0..count).map(|i| table + i * size) {
        let (kind, flags) = (word(elf, section + 4, 4)?, word(elf, section + 8, 8)?);
        // Contents that are loaded and executed.
        if kind == 1 && flags & 4 != 0 {
            elf.get_mut(section + 0x10..section + 0x18)?.copy_from_slice(&address.to_le_bytes());
            return Some(());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// A link that somebody had made under the name that a process would have was followed.
    #[test]
    fn a_file_for_a_tool_is_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (other, path) = (folder.path().join("other"), folder.path().join("perf.map"));
        std::fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        new_file(&path).unwrap().write_all(b"new").unwrap();
        let mut text = String::new();
        File::open(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((&*text, &*std::fs::read_to_string(&other).unwrap()), ("new", "kept"));
        // What cannot be taken away is not written to.
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(new_file(&path).is_err());
    }
}
