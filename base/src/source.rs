//! Source files and places in them: byte offsets to lines and columns.
//!
//! A [`Span`] is twelve bytes and may cross files freely; the text lives in the [`SourceMap`] only.
//! Columns are counted in characters, from 1; offsets are bytes.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

/// A source file of the [`SourceMap`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

impl FileId {
    /// No file: generated code, command line options.
    pub const NONE: FileId = FileId(u32::MAX);
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == FileId::NONE { write!(f, "file-") } else { write!(f, "file{}", self.0) }
    }
}

/// The bytes `lo..hi` of a file. `file == FileId::NONE` means that there is no place to show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// No place: generated code.
    pub const NONE: Span = Span { file: FileId::NONE, lo: 0, hi: 0 };

    /// The bytes `lo..hi` of `file`.
    pub fn new(file: FileId, lo: u32, hi: u32) -> Span {
        Span { file, lo, hi }
    }

    /// Is there no place to show?
    pub fn is_none(self) -> bool {
        self.file == FileId::NONE
    }

    /// The smallest span that holds both. A span without a place is neutral;
    /// of spans in two files the first is answered.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            other
        } else if self.file != other.file {
            self
        } else {
            Span { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
        }
    }

    /// The empty span at the start.
    pub fn start(self) -> Span {
        Span { hi: self.lo, ..self }
    }

    /// The empty span at the end.
    pub fn end(self) -> Span {
        Span { lo: self.hi, ..self }
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.hi.saturating_sub(self.lo) as usize
    }

    /// Is it empty (a point)?
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { write!(f, "-") } else { write!(f, "{:?}:{}..{}", self.file, self.lo, self.hi) }
    }
}

/// The character that stands in a text for a byte that is not UTF-8: for private use, and nobody's.
pub fn substitute(byte: u8) -> char {
    char::from_u32(0x10_FF00 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character stands for.
pub fn substituted(c: char) -> Option<u8> {
    matches!(c, '\u{10FF80}'..='\u{10FFFF}').then_some(c as u32 as u8)
}

/// One file: its name as the user wrote it, its text, and where its lines begin.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: Cow<'static, str>,
    pub text: Cow<'static, str>,
    /// Byte offset of the first byte of each line; the first is 0. Made when first asked for.
    lines: OnceLock<Box<[u32]>>,
    /// The characters that are not ASCII. Made when first asked for.
    wide: OnceLock<Box<[Wide]>>,
}

/// A character that is not ASCII, and by how much the text up to its end is longer in bytes than in other units, and
/// than in the file, where it may have a byte that is not UTF-8.
#[derive(Clone, Copy, Default, Debug)]
struct Wide {
    at: u32,
    over_characters: u32,
    over_utf16: u32,
    over_file: u32,
}

impl SourceFile {
    /// Texts of 4 GB and more are cut by [`SourceMap::add`].
    pub fn new(name: impl Into<Cow<'static, str>>, text: impl Into<Cow<'static, str>>) -> SourceFile {
        SourceFile { name: name.into(), text: text.into(), lines: OnceLock::new(), wide: OnceLock::new() }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at as u32 + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// Line and column, both from 1, of a byte offset; offsets past the end answer the end.
    /// The column counts characters.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let offset = offset.min(self.text.len() as u32);
        let line = self.lines().partition_point(|&l| l <= offset) - 1;
        (line as u32 + 1, self.column(self.lines()[line], offset))
    }

    /// The line, from 1, of a byte offset; offsets past the end answer the last.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines().partition_point(|&l| l <= offset) as u32
    }

    /// The column, from 1, of a byte offset in the line that begins at `start`. It counts characters.
    pub fn column(&self, start: u32, offset: u32) -> u32 {
        offset - start - (self.over(offset).over_characters - self.over(start).over_characters) + 1
    }

    /// How many 16-bit units of UTF-16 a piece of the text has for who reads the file as text: a [`substitute`] is one,
    /// whatever stands there instead of its byte.
    pub fn utf16_length(&self, lo: u32, hi: u32) -> u32 {
        hi - lo - (self.over(hi).over_utf16 - self.over(lo).over_utf16)
    }

    /// Where a byte of the text is in the file, in which each [`substitute`] is one byte.
    pub fn byte_of(&self, offset: u32) -> u32 {
        offset - self.over(offset).over_file
    }

    /// The last character before an offset that is not ASCII. Found by bisection, so that a line of any length has
    /// cheap columns.
    fn over(&self, offset: u32) -> Wide {
        let wide = self.wide();
        let next = wide.partition_point(|w| w.at < offset);
        next.checked_sub(1).map_or_else(Wide::default, |i| wide[i])
    }

    fn wide(&self) -> &[Wide] {
        self.wide.get_or_init(|| {
            // Most texts have none, and a start of `leat` asks for the columns of some library's.
            if self.text.is_ascii() {
                return Box::default();
            }
            let (mut over_characters, mut over_utf16, mut over_file) = (0, 0, 0);
            let wide = self.text.char_indices().filter(|(_, c)| !c.is_ascii());
            wide.map(|(at, c)| {
                over_characters += c.len_utf8() as u32 - 1;
                let units = if substituted(c).is_some() { 1 } else { c.len_utf16() };
                over_utf16 += (c.len_utf8() - units) as u32;
                over_file += if substituted(c).is_some() { c.len_utf8() as u32 - 1 } else { 0 };
                Wide { at: at as u32, over_characters, over_utf16, over_file }
            })
            .collect()
        })
    }

    /// The line's text without its line end; `line` counts from 1. Empty if there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(&start) = (line as usize).checked_sub(1).and_then(|l| self.lines().get(l)) else {
            return "";
        };
        let end = self.lines().get(line as usize).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// How many lines.
    pub fn line_count(&self) -> u32 {
        self.lines().len() as u32
    }

    /// Byte offset where a line begins; `line` counts from 1.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        (line as usize).checked_sub(1).and_then(|l| self.lines().get(l)).copied()
    }
}

/// All files of a compilation or a session.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file; the same name may be added again (REPL lines, edited files).
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        self.push(SourceFile::new(name.to_string(), text.to_string()))
    }

    /// Adds a file that lives as long as the process, without a copy.
    pub fn add_static(&mut self, name: &'static str, text: &'static str) -> FileId {
        self.push(SourceFile::new(name, text))
    }

    /// Gives a file another text: that of an editor's buffer.
    pub fn replace(&mut self, file: FileId, text: &str) {
        if let Some(known) = self.files.get_mut(file.0 as usize) {
            *known = SourceFile::new(known.name.clone(), text.to_string());
        }
    }

    fn push(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// The file, unless the id is `NONE` or from another map.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// All files in the order of their ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// Line and column, from 1, of the start of a span.
    pub fn line_column(&self, span: Span) -> Option<(u32, u32)> {
        self.get(span.file).map(|f| f.line_column(span.lo))
    }

    /// The text under a span; empty where there is none.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.lo as usize..span.hi as usize)).unwrap_or("")
    }

    /// `name:line:column` of the start, for logs and back-traces; `-` without a place.
    pub fn describe(&self, span: Span) -> String {
        match self.get(span.file) {
            None => "-".to_string(),
            Some(f) => {
                let (line, column) = f.line_column(span.lo);
                format!("{}:{line}:{column}", f.name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let mut map = SourceMap::new();
        let file = map.add("a.sml", "val x = 1\r\nval é = 2\n");
        let f = map.get(file).unwrap();
        assert_eq!(f.line_column(0), (1, 1));
        assert_eq!(f.line_column(11), (2, 1));
        assert_eq!(f.line_column(17), (2, 6));
        assert_eq!(f.line_column(999), (3, 1));
        assert_eq!(f.line_text(1), "val x = 1");
        assert_eq!(f.line_text(2), "val é = 2");
        assert_eq!(f.line_text(4), "");
        assert_eq!(map.describe(Span::new(file, 11, 14)), "a.sml:2:1");
        assert_eq!(map.text(Span::new(file, 11, 14)), "val");
        assert_eq!(map.describe(Span::NONE), "-");
    }

    /// The character that stands for a byte has two units, and what an editor shows instead has one: edits behind such
    /// a byte were a column too far to the right.
    #[test]
    fn units_of_bytes_that_are_not_utf8() {
        let text = format!("é😀{}b", substitute(0xE9));
        let f = SourceFile::new("a.sml", text.clone());
        let end = text.len() as u32;
        assert_eq!(f.utf16_length(0, end), 1 + 2 + 1 + 1);
        assert_eq!(f.utf16_length(6, end), 2);
        assert_eq!(f.byte_of(end), 2 + 4 + 1 + 1);
    }

    #[test]
    fn span_is_twelve_bytes() {
        assert_eq!(size_of::<Span>(), 12);
    }
}
