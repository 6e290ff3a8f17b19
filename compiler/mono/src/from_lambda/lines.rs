//! Places of expressions as files, lines and columns.

use crate::ir::Loc;
use leat_base::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

/// The lines of a program's sources, and the files that have been asked for, by number.
pub(super) struct Lines<'s> {
    sources: &'s SourceMap,
    pub(super) files: Vec<String>,
    file_of: FxHashMap<FileId, u16>,
    /// The last line looked up: file, its first byte and the next line's, place.
    last: Option<(FileId, u32, u32, Loc)>,
}

impl<'s> Lines<'s> {
    pub(super) fn new(sources: &'s SourceMap) -> Lines<'s> {
        Lines { sources, files: Vec::new(), file_of: FxHashMap::default(), last: None }
    }

    pub(super) fn loc(&mut self, span: Span) -> Loc {
        if let Some((file, lo, hi, loc)) = self.last
            && file == span.file
            && (lo..hi).contains(&span.lo)
        {
            return Loc { column: self.column(span, lo), ..loc };
        }
        let Some(file) = self.sources.get(span.file) else { return Loc::default() };
        let number = match self.file_of.get(&span.file) {
            Some(&number) => number,
            None => {
                // A program of more files than this has places in the first ones only.
                let Ok(number) = u16::try_from(self.files.len()) else { return Loc::default() };
                self.files.push(file.name.to_string());
                self.file_of.insert(span.file, number);
                number
            }
        };
        let (line, _) = file.line_column(span.lo);
        let lo = file.line_start(line).unwrap_or(0);
        let hi = file.line_start(line + 1).unwrap_or(u32::MAX);
        let loc = Loc { file: number, line, ..Loc::default() };
        self.last = Some((span.file, lo, hi, loc));
        Loc { column: self.column(span, lo), ..loc }
    }

    /// The column of a place in the line that begins at this byte; 0 far out in a line that no person has written.
    fn column(&self, span: Span, line: u32) -> u16 {
        let is_near = span.lo - line < u32::from(u16::MAX) / 16;
        let file = self.sources.get(span.file).filter(|file| is_near && span.lo as usize <= file.text.len());
        file.map_or(0, |file| file.column(line, span.lo) as u16)
    }
}
