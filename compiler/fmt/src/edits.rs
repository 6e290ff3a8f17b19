//! Text and the formatted text -> the changes between them, each of the blanks between two tokens.
//!
//! A comma that goes before a comment is in one change with that comment: a range has the whole of it, or nothing. So
//! the words stay the same whichever changes a range has, and that is checked (F1 and F2 of [`crate`]).

use crate::trivia::Trivia;
use crate::{Error, Formatted, OPTIONS, partly, verify};
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
    let chosen: Vec<Edit> = edits.into_iter().filter(|e| e.range.start <= to && e.range.end >= from).collect();
    let tokens = leat_ast::tokens(text, &OPTIONS);
    let trivia = Trivia::new(text, &tokens);
    verify::same_words((text, &tokens, &trivia), &with(text, &chosen)).map_err(Error::Defect)?;
    Ok(chosen)
}

/// The text with these changes, which are in order.
fn with(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { range, text: new } in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
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

/// Every change, in order: from one place to the next behind which all stands that stood behind it before, and before
/// which all that stood before it.
fn all(text: &str, formatted: &Formatted) -> Vec<Edit> {
    let out = &formatted.text;
    let end = (text.len() as u32, out.len() as u32);
    let places: Vec<(u32, u32)> = formatted.places.iter().copied().chain([end]).collect();
    // The first in the text of what stands at or behind each place now.
    let mut least: Vec<u32> = places.iter().map(|&(old, _)| old).collect();
    for i in (1..least.len()).rev() {
        least[i - 1] = least[i - 1].min(least[i]);
    }
    let mut edits = vec![];
    let (mut old_at, mut new_at, mut most) = (0, 0, 0);
    for (&(old, new), &least) in places.iter().zip(&least) {
        most = most.max(old);
        if old != most || old != least {
            continue;
        }
        let (old, new) = (old as usize, new as usize);
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
