//! Offsets in a text <-> positions of the protocol, in the units that the client counts in; paths <-> addresses.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use leat_base::source::{SourceFile, substituted};
use lsp_types::{Position, Range, Uri};

/// What a client counts columns in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// The position of an offset; offsets past the end answer the end.
    pub fn position(self, file: &SourceFile, offset: u32) -> Position {
        let mut offset = (offset as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let offset = offset as u32;
        let line = file.line_of(offset);
        let start = file.line_start(line).unwrap_or(0);
        let character = match self {
            Encoding::Utf8 => offset - start,
            Encoding::Utf16 => file.utf16_length(start, offset),
        };
        Position { line: line - 1, character }
    }

    /// Likewise, of a text that is no source of the compiler's. The offset is at a character.
    pub fn position_in(self, text: &str, offset: usize) -> Position {
        let before = &text[..offset.min(text.len())];
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let character = match self {
            Encoding::Utf8 => line.len() as u32,
            Encoding::Utf16 => line.encode_utf16().count() as u32,
        };
        Position { line: before.matches('\n').count() as u32, character }
    }

    pub fn range(self, file: &SourceFile, lo: u32, hi: u32) -> Range {
        Range { start: self.position(file, lo), end: self.position(file, hi.max(lo)) }
    }

    /// The offset of a position; positions past a line's end answer its end.
    pub fn offset(self, text: &str, position: Position) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            match text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return text.len(),
            }
        }
        let line = text[start..].split('\n').next().unwrap_or("");
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut column = 0;
        for (at, c) in line.char_indices() {
            if column >= position.character {
                return start + at;
            }
            column += match self {
                Encoding::Utf8 => c.len_utf8() as u32,
                Encoding::Utf16 => c.len_utf16() as u32,
            };
        }
        start + line.len()
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
    let (scheme, rest) = uri.as_str().split_once(':')?;
    if scheme == UNTITLED {
        return Some(PathBuf::from(uri.as_str()));
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
        let colon = path_of(&Uri::from_str("file:///c%3A/x.sml").unwrap());
        assert_eq!(colon, path_of(&Uri::from_str("file:///c:/x.sml").unwrap()));
    }
}
