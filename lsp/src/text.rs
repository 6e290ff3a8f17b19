//! Offsets in a text <-> positions of the protocol, in the units that the client counts in; paths <-> addresses.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use leat_base::source::{SourceFile, substituted};
use lsp_types::{Position, Range, Uri};
use serde_json::Value;

/// What a client counts columns in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// The position of an offset; offsets past the end answer the end. What stands for a byte that is not UTF-8 is one
    /// unit: an editor that reads such a file has one character there.
    pub fn position(self, file: &SourceFile, offset: u32) -> Position {
        let mut offset = (offset as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let offset = offset as u32;
        let line = file.line_of(offset);
        let start = file.line_start(line).unwrap_or(0);
        let character = match self {
            Encoding::Utf8 => file.byte_of(offset) - file.byte_of(start),
            Encoding::Utf16 => file.utf16_length(start, offset),
        };
        Position { line: line - 1, character }
    }

    pub fn range(self, file: &SourceFile, lo: u32, hi: u32) -> Range {
        Range { start: self.position(file, lo), end: self.position(file, hi.max(lo)) }
    }

    /// The offset of a position in a text of the compiler's; positions past a line's end answer its end.
    pub fn offset(self, text: &str, position: Position) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            match text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return text.len(),
            }
        }
        let line = text[start..].split('\n').next().unwrap_or("");
        let units = |c| if substituted(c).is_some() { 1 } else { self.units(c) };
        start + before(line, position.character, units)
    }

    /// How many units a character has.
    fn units(self, c: char) -> u32 {
        match self {
            Encoding::Utf8 => c.len_utf8() as u32,
            Encoding::Utf16 => c.len_utf16() as u32,
        }
    }
}

/// How much of a line, which may have its end, is before so many units.
fn before(line: &str, units: u32, of: impl Fn(char) -> u32) -> usize {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut column = 0;
    let mut characters = line.char_indices();
    let at = characters.find(|(_, c)| {
        let is_there = column >= units;
        column += of(*c);
        is_there
    });
    at.map_or(line.len(), |(at, _)| at)
}

/// Is it known where in its line the editor has a place of a source? Who shows a byte that is not UTF-8 may show it by
/// a character of any length.
pub fn is_sure(text: &str, offset: usize) -> bool {
    let Some(before) = text.get(..offset) else { return false };
    !before.rsplit('\n').next().unwrap_or("").contains(|c| substituted(c).is_some())
}

/// A client's text while the client changes it: its lines, each with its end, and the last, which has none. One message
/// may have thousands of changes, as of "replace all": each then costs what it changes, and the looks at its lines.
pub struct Lines<'t> {
    lines: Vec<Cow<'t, str>>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str, encoding: Encoding) -> Lines<'t> {
        let mut lines: Vec<Cow<'t, str>> = text.split_inclusive('\n').map(Cow::Borrowed).collect();
        if text.is_empty() || text.ends_with('\n') {
            lines.push(Cow::Borrowed(""));
        }
        Lines { lines, encoding }
    }

    /// Puts a text in the place of a range. Positions past a line's end mean its end.
    pub fn replace(&mut self, range: Range, new: &str) {
        let start = self.place(range.start);
        let end = self.place(range.end).max(start);
        let ((first, from), (last, to)) = (start, end);
        if first == last && !new.contains('\n') {
            self.lines[first].to_mut().replace_range(from..to, new);
            return;
        }
        let joined = [&self.lines[first][..from], new, &self.lines[last][to..]].concat();
        let mut lines: Vec<Cow<'t, str>> =
            joined.split_inclusive('\n').map(|line| Cow::Owned(line.to_string())).collect();
        if last + 1 == self.lines.len() && (joined.is_empty() || joined.ends_with('\n')) {
            lines.push(Cow::Borrowed(""));
        }
        self.lines.splice(first..=last, lines);
    }

    /// The line and the offset in it of a position.
    fn place(&self, position: Position) -> (usize, usize) {
        let line = position.line as usize;
        match self.lines.get(line) {
            Some(text) => (line, before(text, position.character, |c| self.encoding.units(c))),
            None => (self.lines.len() - 1, self.lines.last().map_or(0, |last| last.len())),
        }
    }

    pub fn text(&self) -> String {
        self.lines.concat()
    }
}

/// A client's text as the compiler reads it. The last characters of Unicode, for private use, stand in the compiler's
/// texts for bytes that are not UTF-8. Of those that a client's text has itself each becomes another character for
/// private use, as long in all units, so that the places are the client's.
pub fn as_source(text: &Arc<str>) -> Arc<str> {
    if !text.contains(|c| substituted(c).is_some()) {
        return text.clone();
    }
    let other = |c: char| char::from_u32(c as u32 - 0x100).unwrap_or(c);
    text.chars().map(|c| if substituted(c).is_some() { other(c) } else { c }).collect::<String>().into()
}

/// The scheme of what an editor shows and has in no file yet.
const UNTITLED: &str = "untitled";

/// The file of an address, if it is one of a file. All spellings of an address give one path: escapes are decoded,
/// `//`, `.` and `..` are gone. A `..` behind a link leads where the system says. A text that is in no file has its
/// address for a path, which is not absolute; no description names it.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    path_of_text(uri.as_str())
}

/// Likewise, of an address that need not be one by the letter of RFC 3986.
pub fn path_of_text(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if scheme == UNTITLED {
        return Some(PathBuf::from(uri));
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    // A host may stand there; the path begins with the slash.
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find('/')?..],
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = path.bytes();
    while let Some(byte) = at.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(at.next()?).to_digit(16);
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    let path = PathBuf::from(OsString::from_vec(bytes));
    path.is_absolute().then(|| without_steps(&path))
}

/// The path without `//`, `.` and `..`.
fn without_steps(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if out.is_symlink()
                    && let Ok(target) = std::fs::canonicalize(&out)
                {
                    out = target;
                }
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The address of a file.
pub fn uri_of(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return Uri::from_str(path.to_str()?).ok();
    }
    let mut text = "file://".to_string();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~!$&'()*+,;=:@".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    Uri::from_str(&text).ok()
}

/// Gives the addresses in a message's parameters the escapes that they lack. A client may write `[`, `^` and others as
/// they are, which RFC 3986 does not allow, and the types of the protocol refuse.
pub fn escape_addresses(params: &mut Value) {
    match params {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(address) if name == "uri" => {
                        if let Cow::Owned(escaped) = escaped(address) {
                            *address = escaped;
                        }
                    }
                    value => escape_addresses(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(escape_addresses),
        _ => {}
    }
}

/// An address with escapes for what may not stand in one.
fn escaped(address: &str) -> Cow<'_, str> {
    let bytes = address.as_bytes();
    let is_escape = |at: usize| bytes.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    let may_stand = |at: usize| match bytes[at] {
        b'%' => is_escape(at),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte),
    };
    if (0..bytes.len()).all(may_stand) {
        return Cow::Borrowed(address);
    }
    let one = |at: usize| if may_stand(at) { char::from(bytes[at]).to_string() } else { format!("%{:02X}", bytes[at]) };
    Cow::Owned((0..bytes.len()).map(one).collect())
}

/// May the character stand in an alphanumeric identifier?
pub fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\''
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_in_both_units() {
        let file = SourceFile::new("a.sml", "val x = 1\r\nval s = \"é😀\" ^ y\n");
        let at = file.text.find('^').unwrap() as u32;
        assert_eq!(Encoding::Utf16.position(&file, at), Position { line: 1, character: 14 });
        assert_eq!(Encoding::Utf8.position(&file, at), Position { line: 1, character: 17 });
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let offsets = (0..=file.text.len()).filter(|&i| file.text.is_char_boundary(i));
            // Inside of a line's end there is no place.
            for offset in offsets.filter(|&i| i != 10) {
                let position = encoding.position(&file, offset as u32);
                assert_eq!(encoding.offset(&file.text, position), offset, "{encoding:?} {offset}");
            }
            assert_eq!(encoding.offset(&file.text, Position { line: 0, character: 99 }), 9);
            assert_eq!(encoding.offset(&file.text, Position { line: 99, character: 0 }), file.text.len());
        }
    }

    /// Each change of a message searched its place from the text's begin and moved all that is behind: twenty thousand
    /// of them in a text of two megabytes took a quarter of a minute.
    #[test]
    fn changes_of_a_text() {
        let plain = |text: &mut String, encoding: Encoding, range: Range, new: &str| {
            let start = encoding.offset(text, range.start);
            let end = encoding.offset(text, range.end).max(start);
            text.replace_range(start..end, new);
        };
        let mut random = 1_u32;
        let mut below = |n: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % n
        };
        for round in 0..400 {
            let encoding = if round % 2 == 0 { Encoding::Utf8 } else { Encoding::Utf16 };
            let original = ["", "\n", "a\r\né😀b\n\nccc", "one\ntwo\nthree\n"][below(4) as usize];
            let mut text = original.to_string();
            let mut lines = Lines::new(original, encoding);
            for _ in 0..12 {
                let mut position = || Position { line: below(6), character: below(7) };
                let range = Range { start: position(), end: position() };
                let new = ["", "x", "\n", "p\nq", "😀\r\n", "\n\n"][below(6) as usize];
                plain(&mut text, encoding, range, new);
                lines.replace(range, new);
                assert_eq!(lines.text(), text, "{range:?} {new:?}");
            }
        }
        let line = "val name = name + 1 (* a line of forty bytes *)\n";
        let text = line.repeat(50_000);
        for is_upwards in [true, false] {
            let mut lines = Lines::new(&text, Encoding::Utf16);
            for i in 0..40_000 {
                let line = if is_upwards { 49_999 - i } else { i };
                for at in [11, 4] {
                    let place = |character| Position { line, character };
                    lines.replace(Range { start: place(at), end: place(at + 4) }, "title");
                }
            }
            assert_eq!(lines.text().matches("val title = title +").count(), 40_000);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let text = format!("a\n{}b c", leat_base::source::substitute(0xE9));
        let file = SourceFile::new("a.sml", text.clone());
        let at = text.find('c').unwrap();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let position = encoding.position(&file, at as u32);
            assert_eq!(position, Position { line: 1, character: 3 });
            assert_eq!(encoding.offset(&text, position), at);
        }
        assert!(is_sure(&text, 2) && !is_sure(&text, at) && is_sure("é\nb", 4));
    }

    #[test]
    fn characters_that_stand_for_bytes() {
        let plain: Arc<str> = "val s = \"é\u{10FF7F}\"".into();
        assert!(Arc::ptr_eq(&plain, &as_source(&plain)));
        let text: Arc<str> = "\u{10FFFD}, \u{10FF80}\r\n".into();
        assert_eq!(&*as_source(&text), "\u{10FEFD}, \u{10FE80}\r\n");
    }

    #[test]
    fn addresses() {
        let path = Path::new("/a b/ü%/c.sml");
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%BC%25/c.sml");
        assert_eq!(path_of(&uri).unwrap(), path);
        let untitled = Uri::from_str("untitled:Untitled-1").unwrap();
        assert_eq!(uri_of(&path_of(&untitled).unwrap()).unwrap(), untitled);
        assert_eq!(path_of(&Uri::from_str("git:/a/b.sml").unwrap()), None);
        for other in [
            "file:///a%20b//%c3%bc%25/./x/../c.sml",
            "file:/a%20b/%C3%BC%25/c.sml",
            "FILE://localhost/a%20b/%C3%BC%25/%63.sml",
        ] {
            assert_eq!(path_of(&Uri::from_str(other).unwrap()).unwrap(), path, "{other}");
        }
        let mut params = serde_json::json!({ "a": [{ "uri": "file:///[a]^b|c%d%41 é.sml", "text": "[" }] });
        escape_addresses(&mut params);
        let address = "file:///%5Ba%5D%5Eb%7Cc%25d%41%20%C3%A9.sml";
        assert_eq!(params, serde_json::json!({ "a": [{ "uri": address, "text": "[" }] }));
        assert_eq!(path_of(&Uri::from_str(address).unwrap()).unwrap(), Path::new("/[a]^b|c%dA é.sml"));
        let colon = path_of(&Uri::from_str("file:///c%3A/x.sml").unwrap());
        assert_eq!(colon, path_of(&Uri::from_str("file:///c:/x.sml").unwrap()));
    }
}
