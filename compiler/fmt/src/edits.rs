//! Text and the formatted text -> the changes between them, each of the blanks between two tokens.

use crate::{Error, Formatted, partly};
use leat_ast::FixityEnv;
use leat_base::FileId;
use std::ops::Range;

/// A part of a text, in bytes, and what it becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

/// The changes in the lines that a range touches.
pub(crate) fn of_range(text: &str, range: Range<usize>, fixity: &FixityEnv) -> Result<Vec<Edit>, Error> {
    let edits = match Formatted::new(FileId::NONE, text, fixity) {
        Ok(formatted) => all(text, &formatted),
        Err(Error::Syntax(_)) => of_pieces(text, fixity),
        Err(error) => return Err(error),
    };
    let from = text[..range.start.min(text.len())].rfind('\n').map_or(0, |i| i + 1);
    let to = text[range.end.min(text.len())..].find('\n').map_or(text.len(), |i| range.end + i);
    Ok(edits.into_iter().filter(|e| e.range.start <= to && e.range.end >= from).collect())
}

/// Of the declarations that can be read, in a text with syntax errors.
fn of_pieces(text: &str, fixity: &FixityEnv) -> Vec<Edit> {
    let moved = |edit: Edit, by: usize| Edit { range: edit.range.start + by..edit.range.end + by, ..edit };
    let pieces = partly::pieces(FileId::NONE, text, fixity);
    let edits = pieces.iter().flat_map(|(range, formatted)| {
        all(&text[range.clone()], formatted).into_iter().map(move |edit| moved(edit, range.start))
    });
    edits.collect()
}

/// Every change, in order.
fn all(text: &str, formatted: &Formatted) -> Vec<Edit> {
    let out = &formatted.text;
    let mut edits = vec![];
    let (mut old_at, mut new_at) = (0, 0);
    let mut i = 0;
    while i <= formatted.places.len() {
        let (old, new) = match formatted.places.get(i) {
            Some(&(old, new)) => (old as usize, new as usize),
            None => (text.len(), out.len()),
        };
        i += 1;
        // A comma that went before a comment: the next place that is in order.
        if formatted.places[i.min(formatted.places.len())..].iter().take(8).any(|&(later, _)| (later as usize) < old) {
            continue;
        }
        let (before, after) = (&text[old_at..old], &out[new_at..new]);
        if before != after {
            edits.push(smallest(old_at, before, after));
        }
        (old_at, new_at) = (old, new);
    }
    edits
}

/// The change of one text into another, without what both begin and end with.
fn smallest(at: usize, before: &str, after: &str) -> Edit {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let start = same(&mut before.chars(), &mut after.chars());
    let (before, after) = (&before[start..], &after[start..]);
    let end = same(&mut before.chars().rev(), &mut after.chars().rev());
    let range = at + start..at + start + before.len() - end;
    Edit { range, text: after[..after.len() - end].to_string() }
}
