//! Addresses of the runtime's own code -> names, by the symbol table of the executable that runs. A stripped one has
//! none.
//!
//! Read when a profile is written: whoever shows it later may not have the executable. ELF alone; elsewhere nothing has
//! a name.

use std::io::{Read as _, Seek as _, SeekFrom};

/// Functions of the executable, by address.
#[derive(Default)]
pub struct Names {
    /// (start, end, offset of the name).
    functions: Vec<(u64, u64, u32)>,
    texts: Vec<u8>,
    /// By how much the code lies higher than the file says.
    shift: u64,
}

/// Kinds of sections and symbols, and sizes of their entries, in ELF64.
const SYMTAB: u32 = 2;
const FUNCTION: u8 = 2;
const SECTION: usize = 64;
const SYMBOL: usize = 24;

impl Names {
    pub fn of_this_program() -> Names {
        read().unwrap_or_default()
    }

    /// The function that an address lies in, as `leat_memory::minor::collect`.
    pub fn find(&self, address: usize) -> Option<String> {
        let address = (address as u64).wrapping_sub(self.shift);
        let above = self.functions.partition_point(|function| function.0 <= address);
        let &(_, end, name) = self.functions.get(above.wrapping_sub(1))?;
        let text = self.texts.get(name as usize..)?;
        let text = &text[..text.iter().position(|&byte| byte == 0)?];
        (address < end).then(|| demangle(&String::from_utf8_lossy(text)))
    }
}

fn read() -> Option<Names> {
    let mut file = std::fs::File::open("/proc/self/exe").ok()?;
    let mut part = |at: u64, bytes: u64| -> Option<Vec<u8>> {
        let mut part = vec![0; usize::try_from(bytes).ok().filter(|&n| n < 1 << 30)?];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut part).ok()?;
        Some(part)
    };
    let head = part(0, 64)?;
    if head[..5] != *b"\x7fELF\x02" {
        return None;
    }
    let (sections, count) = (word(&head, 0x28)?, u64::from(half(&head, 0x3c)?));
    let sections = part(sections, count * SECTION as u64)?;
    let section = |i: usize| sections.get(i * SECTION..(i + 1) * SECTION);
    let table = (0..count as usize).filter_map(section).find(|s| int(s, 4) == Some(SYMTAB))?;
    let texts = section(int(table, 0x28)? as usize)?;
    let symbols = part(word(table, 0x18)?, word(table, 0x20)?)?;
    let texts = part(word(texts, 0x18)?, word(texts, 0x20)?)?;
    let mut functions = Vec::new();
    for symbol in symbols.chunks_exact(SYMBOL).filter(|symbol| symbol[4] & 15 == FUNCTION) {
        let (name, start, bytes) = (int(symbol, 0)?, word(symbol, 8)?, word(symbol, 16)?);
        // Assembly says no size: until the next one, but not for long.
        functions.push((start, start + if bytes == 0 { 4096 } else { bytes }, name));
    }
    functions.sort_unstable();
    // This symbol lies where it lies: the system chooses where an executable that may lie anywhere does.
    let is_known = |f: &&(u64, u64, u32)| texts.get(f.2 as usize..).is_some_and(|text| text.starts_with(KNOWN));
    let known = functions.iter().find(is_known)?;
    let shift = (leat_profile_known as *const () as u64).wrapping_sub(known.0);
    Some(Names { functions, texts, shift })
}

/// A function whose name is the same in the table.
const KNOWN: &[u8] = b"leat_profile_known\0";

#[unsafe(no_mangle)]
extern "C" fn leat_profile_known() {}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn int(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// As people write it, without the hash: `leat_memory::minor::collect`. Names that are not Rust's stay as they are.
fn demangle(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_people_write_them() {
        assert_eq!(demangle("_ZN11leat_memory5minor7collect17h0123456789abcdefE"), "leat_memory::minor::collect");
        assert_eq!(
            demangle("_ZN56_$LT$leat_entry..Roots$u20$as$u20$leat_memory..Roots$GT$5roots17h0123456789abcdefE"),
            "<leat_entry::Roots as leat_memory::Roots>::roots"
        );
        assert_eq!((demangle("memcpy"), demangle("_ZN99x")), ("memcpy".to_string(), "_ZN99x".to_string()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_function_of_this_program_has_its_name() {
        let names = Names::of_this_program();
        let found = names.find(Names::of_this_program as *const () as usize + 1).expect("tests are not stripped");
        assert!(found.ends_with("profile::names::Names::of_this_program"), "{found}");
    }
}
