//! Names, interned once for the whole process: text <-> u32.
//!
//! Reading a symbol's text takes no lock: texts live for ever in chunks that double in size.
//! Interning takes a mutex; the lexer keeps a cache of its own before it.
//! Ids are stable across processes in this way: the image of the Basis carries [`dump`]'s bytes,
//! and [`load`] is called with them before anything else is interned; the well-known names of
//! [`sym`] always come first, so that they are constants. Loading reads no name: an image has its
//! own hash table, which is searched before the process's.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Mutex, OnceLock};

/// An interned name. Equal symbols are equal texts. The order is that of interning, not of the
/// alphabet. Serialised as its number: see [`dump`] and [`load`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Symbol(pub u32);

const FIRST_CHUNK_BITS: u32 = 12;
const CHUNKS: usize = 20;

type Chunk = OnceLock<Box<[OnceLock<&'static str>]>>;
/// Chunk k holds `1 << (FIRST_CHUNK_BITS + k)` texts. Written under `TABLE`'s lock, read without.
static TEXTS: [Chunk; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

struct Table {
    /// Names that are not in the image.
    ids: FxHashMap<&'static str, Symbol>,
    next: u32,
    /// Free tail of the current block of text.
    free: &'static mut [u8],
}

static TABLE: Mutex<Option<Table>> = Mutex::new(None);
static IMAGE: OnceLock<Image> = OnceLock::new();

/// Names that were dumped by another process.
///
/// ```text
/// u32 little-endian: names, slots (a power of two), bytes of text
///     where each name begins in the text, and the end   (names + 1)
///     id + 1 by hash of the name, linear probing, 0 none (slots)
/// text
/// ```
struct Image {
    bytes: &'static [u8],
    names: u32,
    slots: u32,
    /// Not checked as a whole, which would read all of it at each start.
    text: &'static [u8],
}

const HEADER: usize = 3;

impl Image {
    fn open(bytes: &'static [u8]) -> Option<Image> {
        let word = |i: usize| Some(u32::from_le_bytes(bytes.get(4 * i..4 * i + 4)?.try_into().ok()?));
        let (names, slots, length) = (word(0)?, word(1)?, word(2)?);
        let start = 4 * (HEADER + names as usize + 1 + slots as usize);
        let text = bytes.get(start..start + length as usize)?;
        slots.is_power_of_two().then_some(Image { bytes, names, slots, text })
    }

    fn word(&self, i: usize) -> u32 {
        u32::from_le_bytes(self.bytes[4 * i..4 * i + 4].try_into().expect("four bytes"))
    }

    fn bytes_of(&self, id: u32) -> Option<&'static [u8]> {
        let i = HEADER + id as usize;
        self.text.get(self.word(i) as usize..self.word(i + 1) as usize)
    }

    fn name(&self, id: u32) -> &'static str {
        self.bytes_of(id).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("?")
    }

    fn find(&self, text: &str) -> Option<Symbol> {
        let first_slot = HEADER + self.names as usize + 1;
        let mut slot = hash(text) & (self.slots - 1);
        loop {
            let id = self.word(first_slot + slot as usize).checked_sub(1)?;
            if self.bytes_of(id) == Some(text.as_bytes()) {
                return Some(Symbol(id));
            }
            slot = (slot + 1) & (self.slots - 1);
        }
    }
}

/// The same in every process: FNV-1a.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ byte as u32).wrapping_mul(0x0100_0193))
}

fn place(id: u32) -> (usize, usize) {
    let n = id as u64 + (1 << FIRST_CHUNK_BITS);
    let chunk = 63 - n.leading_zeros() - FIRST_CHUNK_BITS;
    (chunk as usize, (n - (1u64 << (chunk + FIRST_CHUNK_BITS))) as usize)
}

impl Table {
    fn new() -> Table {
        let mut t = Table { ids: FxHashMap::default(), next: 0, free: &mut [] };
        match IMAGE.get() {
            Some(image) => t.next = image.names,
            None => {
                for name in sym::WELL_KNOWN {
                    t.add(name);
                }
            }
        }
        t
    }

    /// Adds a text that is not yet there.
    fn add(&mut self, text: &'static str) -> Symbol {
        let id = self.next;
        self.next += 1;
        let (chunk, at) = place(id);
        let slots = TEXTS[chunk]
            .get_or_init(|| (0..1usize << (FIRST_CHUNK_BITS as usize + chunk)).map(|_| OnceLock::new()).collect());
        slots[at].set(text).expect("a symbol is added once");
        self.ids.insert(text, Symbol(id));
        Symbol(id)
    }

    fn keep(&mut self, text: &str) -> &'static str {
        if text.len() > 4096 {
            return Box::leak(text.to_string().into_boxed_str());
        }
        if self.free.len() < text.len() {
            self.free = Box::leak(vec![0; 1 << 16].into_boxed_slice());
        }
        let (head, tail) = std::mem::take(&mut self.free).split_at_mut(text.len());
        self.free = tail;
        head.copy_from_slice(text.as_bytes());
        // The bytes were a str a line above; the check is cheap beside the copy.
        std::str::from_utf8(head).expect("copied from a str")
    }
}

fn with_table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut guard = TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    f(guard.get_or_insert_with(Table::new))
}

/// All names as bytes, for the image of the Basis.
pub fn dump() -> Vec<u8> {
    let count = with_table(|t| t.next);
    let names: Vec<&str> = (0..count).map(|id| Symbol(id).as_str()).collect();
    let slots = (2 * names.len() + 1).next_power_of_two();
    let mut table = vec![0u32; slots];
    let mut starts = vec![0u32];
    let mut text = String::new();
    for (id, name) in names.iter().enumerate() {
        text.push_str(name);
        starts.push(text.len() as u32);
        let mut slot = hash(name) as usize & (slots - 1);
        while table[slot] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = id as u32 + 1;
    }
    let header = [count, slots as u32, text.len() as u32];
    let words = header.iter().chain(&starts).chain(&table);
    let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(text.bytes());
    bytes
}

/// Takes the names of an image, so that each has the id that it had when it was dumped. To be called before anything is
/// interned, at most once; the error says what is wrong.
pub fn load(bytes: &'static [u8]) -> Result<(), String> {
    let image = Image::open(bytes).ok_or("the names of the image are damaged")?;
    for (id, name) in sym::WELL_KNOWN.iter().enumerate() {
        if image.name(id as u32) != *name {
            return Err(format!("name {id} of the image, `{}`, is not `{name}`", image.name(id as u32)));
        }
    }
    let guard = TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if guard.is_some() || IMAGE.set(image).is_err() {
        return Err("names were made before the image was loaded".to_string());
    }
    Ok(())
}

impl Symbol {
    /// The symbol of a text.
    pub fn intern(text: &str) -> Symbol {
        if let Some(symbol) = IMAGE.get().and_then(|image| image.find(text)) {
            return symbol;
        }
        with_table(|t| match t.ids.get(text) {
            Some(&s) => s,
            None => {
                let kept = t.keep(text);
                t.add(kept)
            }
        })
    }

    /// The text. A number that was never interned answers `?`.
    pub fn as_str(self) -> &'static str {
        if self.0 < sym::WELL_KNOWN.len() as u32 {
            return sym::WELL_KNOWN[self.0 as usize];
        }
        if let Some(image) = IMAGE.get()
            && self.0 < image.names
        {
            return image.name(self.0);
        }
        let (chunk, at) = place(self.0);
        TEXTS.get(chunk).and_then(|c| c.get()).and_then(|c| c[at].get()).copied().unwrap_or("?")
    }

    /// Is the name made of symbolic characters, as `+` and `::` are?
    pub fn is_symbolic(self) -> bool {
        self.as_str().bytes().next().is_some_and(|b| !b.is_ascii_alphanumeric() && b != b'\'' && b != b'_')
    }

    /// The label of a tuple's n-th field, from 1: `1`, `2`, ...
    pub fn tuple_label(n: usize) -> Symbol {
        match n {
            1..=9 => Symbol(sym::L1.0 + n as u32 - 1),
            _ => Symbol::intern(&n.to_string()),
        }
    }

    /// The number of a numeric label: `12` answers 12; `0`, `012` and `a` answer nothing.
    pub fn as_tuple_label(self) -> Option<usize> {
        let s = self.as_str();
        if s.starts_with('0') || !s.bytes().all(|b| b.is_ascii_digit()) { None } else { s.parse().ok() }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}

/// Names that the compiler itself mentions, with fixed ids.
pub mod sym {
    use super::Symbol;

    macro_rules! well_known {
        ($($name:ident = $text:literal),* $(,)?) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Index { $($name),* }
            $(#[doc = concat!("`", $text, "`")] pub const $name: Symbol = Symbol(Index::$name as u32);)*
            pub(super) const WELL_KNOWN: &[&str] = &[$($text),*];
        };
    }

    well_known! {
        EMPTY = "", L1 = "1", L2 = "2", L3 = "3", L4 = "4", L5 = "5", L6 = "6", L7 = "7", L8 = "8", L9 = "9",
        // Symbolic names of the initial basis.
        EQUALS = "=", NOT_EQUALS = "<>", CONS = "::", APPEND = "@", ASSIGN = ":=", DEREF = "!", CARET = "^",
        ASTERISK = "*", SLASH = "/", PLUS = "+", MINUS = "-", LESS = "<", GREATER = ">", LESS_EQ = "<=",
        GREATER_EQ = ">=", TILDE = "~",
        // Alphanumeric names of the initial basis.
        DIV = "div", MOD = "mod", ABS = "abs", O = "o", BEFORE = "before", TRUE = "true", FALSE = "false",
        NIL = "nil", REF = "ref", IT = "it", UNIT = "unit", BOOL = "bool", INT = "int", WORD = "word",
        REAL = "real", CHAR = "char", STRING = "string", LIST = "list", EXN = "exn", ARRAY = "array",
        VECTOR = "vector", OPTION = "option", SOME = "SOME", NONE = "NONE", SUBSTRING = "substring",
        ORDER = "order", LESS_CON = "LESS", EQUAL_CON = "EQUAL", GREATER_CON = "GREATER",
        MATCH = "Match", BIND = "Bind", OVERFLOW = "Overflow", DIVIDE = "Div", SUBSCRIPT = "Subscript",
        SIZE = "Size", CHR = "Chr", DOMAIN = "Domain", FAIL = "Fail", EMPTY_EXN = "Empty", SPAN_EXN = "Span",
        NOT = "not", MAIN = "main", ERROR = "?error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interning() {
        assert_eq!(Symbol::intern("::"), sym::CONS);
        assert_eq!(sym::CONS.as_str(), "::");
        assert!(sym::CONS.is_symbolic() && !sym::NIL.is_symbolic());
        let many: Vec<Symbol> = (0..20_000).map(|i| Symbol::intern(&format!("name{i}"))).collect();
        for (i, s) in many.iter().enumerate() {
            assert_eq!(s.as_str(), format!("name{i}"));
            assert_eq!(Symbol::intern(&format!("name{i}")), *s);
        }
        assert_eq!(Symbol(u32::MAX).as_str(), "?");
        let long = "x".repeat(10_000);
        assert_eq!(Symbol::intern(&long).as_str(), long);
        assert_eq!(Symbol::tuple_label(3), sym::L3);
        assert_eq!(Symbol::tuple_label(12).as_tuple_label(), Some(12));
        assert_eq!(Symbol::intern("012").as_tuple_label(), None);
        assert_eq!(sym::EMPTY.as_tuple_label(), None);
    }

    /// An image finds each of its names, and no other; one that comes late or is damaged is refused.
    #[test]
    fn images() {
        let symbol = Symbol::intern("in the image");
        let bytes: &'static [u8] = dump().leak();
        let image = Image::open(bytes).expect("just dumped");
        assert!(image.names > symbol.0);
        for id in 0..image.names {
            assert_eq!(image.name(id), Symbol(id).as_str());
            assert_eq!(image.find(image.name(id)), Some(Symbol(id)));
        }
        assert_eq!(image.find("not in the image, since nobody made it"), None);
        assert!(load(bytes).is_err(), "names were made before");
        assert!(Image::open(&bytes[..bytes.len() / 2]).is_none());
        assert!(Image::open(&[]).is_none());
    }
}
