//! Text and tokens -> what stands between the tokens: comments, and how many line ends.

use leat_ast::{Token, TokenKind};

/// A comment, with both its brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub lo: u32,
    pub hi: u32,
    /// Line ends between it and the token or comment before it.
    pub lines_before: u32,
}

/// What stands before a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// Its comments are those from here to the next gap's.
    pub first: u32,
    /// Line ends between the token and its last comment, or the token before it.
    pub lines: u32,
}

/// The gaps of a text: `gaps[i]` stands before token `i`; the one behind the last token is there to end the list.
pub(crate) struct Trivia {
    pub comments: Vec<Comment>,
    gaps: Vec<Gap>,
    /// A byte order mark and a script's first line, which stay as they are.
    pub head: usize,
}

impl Trivia {
    pub fn new(text: &str, tokens: &[Token]) -> Trivia {
        let head = head_of(text);
        let mut trivia = Trivia { comments: vec![], gaps: Vec::with_capacity(tokens.len() + 1), head };
        let mut at = head;
        for token in tokens {
            trivia.gap(text.as_bytes(), at, token.lo as usize);
            at = token.hi as usize;
        }
        trivia.gaps.push(Gap { first: trivia.comments.len() as u32, lines: 0 });
        trivia
    }

    /// The same as if commas and semicolons stood directly behind what they follow, and the comments that stood before
    /// one behind it: those on lines of their own, and at a line's end. So a comma at the beginning of a line goes to
    /// the end of the one before, whatever comments are between.
    pub fn with_separators_first(mut self, tokens: &[Token]) -> Trivia {
        for (i, token) in tokens.iter().enumerate() {
            if matches!(token.kind, TokenKind::Comma | TokenKind::Semi) && !self.before(i).is_empty() && self.breaks(i)
            {
                let lines = std::mem::take(&mut self.gaps[i].lines);
                let next = self.before(i + 1);
                match self.comments.get_mut(next.start).filter(|_| !next.is_empty()) {
                    Some(comment) => comment.lines_before += lines,
                    None => self.gaps[i + 1].lines += lines,
                }
                self.gaps[i + 1].first = self.gaps[i].first;
            }
        }
        self
    }

    /// Comments before token `i`, from one on, that stand on one line: up to the first behind which there is a line
    /// end.
    pub fn row(&self, from: usize, i: usize) -> std::ops::Range<usize> {
        let end = self.before(i).end;
        let last = (from..end).find(|&c| self.lines_after(c, i) > 0).map_or(end, |c| c + 1);
        from..last
    }

    fn gap(&mut self, text: &[u8], from: usize, to: usize) {
        let first = self.comments.len() as u32;
        let (mut at, mut lines) = (from, 0);
        while at < to {
            if text[at] == b'(' {
                let end = end_of_comment(text, at).min(to);
                self.comments.push(Comment { lo: at as u32, hi: end as u32, lines_before: lines });
                (at, lines) = (end, 0);
                continue;
            }
            lines += u32::from(text[at] == b'\n');
            at += 1;
        }
        self.gaps.push(Gap { first, lines });
    }

    /// The comments before token `i`, as indices.
    pub fn before(&self, i: usize) -> std::ops::Range<usize> {
        self.gaps[i].first as usize..self.gaps[i + 1].first as usize
    }

    /// Line ends behind a comment that stands before token `i`.
    pub fn lines_after(&self, comment: usize, i: usize) -> u32 {
        if comment + 1 < self.before(i).end { self.comments[comment + 1].lines_before } else { self.gaps[i].lines }
    }

    /// Line ends between token `i` and what stands before it, comment or token.
    pub fn first_lines(&self, i: usize) -> u32 {
        match self.before(i) {
            range if range.is_empty() => self.gaps[i].lines,
            range => self.comments[range.start].lines_before,
        }
    }

    /// Does token `i` or a comment before it begin a line?
    pub fn breaks(&self, i: usize) -> bool {
        self.gaps[i].lines > 0 || self.before(i).any(|c| self.comments[c].lines_before > 0)
    }
}

/// How much of the beginning no token or comment is: a byte order mark, and a line with `#!`.
fn head_of(text: &str) -> usize {
    let mark = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    if text[mark..].starts_with("#!") { text.find('\n').unwrap_or(text.len()) } else { mark }
}

/// The end of the comment that begins at a place; comments nest.
fn end_of_comment(text: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from + 2, 1);
    while depth > 0 && at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'*', Some(b')')) => (depth, at) = (depth - 1, at + 2),
            (b'(', Some(b'*')) => (depth, at) = (depth + 1, at + 2),
            _ => at += 1,
        }
    }
    at
}
