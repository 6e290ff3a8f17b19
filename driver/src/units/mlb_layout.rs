//! Text of an ML Basis file -> the same file in the style of `leat fmt`.
//!
//! A declaration a line, two columns a level. What was on one line stays on one if it fits; what was on several stays
//! so. Nothing but blanks and line ends changes, and the columns of a comment's later lines with that of its first. The
//! result is read again and compared: the same tokens, the same comments.

use std::collections::HashSet;
use std::ops::Range;

use leat_base::{Diagnostic, FileId, Span};

use super::mlb_parser::{BYTE_ORDER_MARK, Parts, Tok, Token, head, parts};

/// Most columns of a line.
const WIDTH: usize = 100;

/// Formats a file. The messages are syntax errors: then there is nothing to format.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut before = parts(file, text)?;
    if let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) {
        return Ok(format!("{BYTE_ORDER_MARK}{}", format(file, rest)?));
    }
    let dos = text.split('\n').next().is_some_and(|line| line.ends_with('\r'));
    let plain = text.replace("\r\n", "\n");
    if plain.len() < text.len() {
        before = parts(file, &plain)?;
    }
    let made = laid_out(&plain, &before);
    if content(&made, parts(file, &made)?) != content(&plain, before) {
        let message = "this is a defect of leat: formatted, the file would say something else";
        return Err(vec![Diagnostic::error("unit/syntax", Span::new(file, 0, 0), message)]);
    }
    Ok(if dos { made.replace('\n', "\r\n") } else { made })
}

/// What must not change: tokens, and comments without the blanks around their lines.
fn content(text: &str, parts: Parts) -> (Vec<Tok>, Vec<String>) {
    let plain = |at: Range<usize>| {
        let lines: Vec<&str> = text[at].lines().map(str::trim).collect();
        lines.join("\n")
    };
    let tokens = parts.tokens.into_iter().map(|token| token.kind).collect();
    (tokens, parts.comments.into_iter().map(plain).collect())
}

/// What stands before a token.
#[derive(Default)]
struct Gap {
    /// Each with the number of line ends before it.
    comments: Vec<(usize, Range<usize>)>,
    /// Line ends behind the last comment.
    lines: usize,
}

impl Gap {
    fn breaks(&self) -> bool {
        self.lines > 0 || self.comments.iter().any(|(lines, _)| *lines > 0)
    }
}

fn gaps(text: &str, parts: &Parts) -> Vec<Gap> {
    let lines = |at: Range<usize>| text[at].bytes().filter(|&byte| byte == b'\n').count();
    let (mut at, mut comments) = (0, parts.comments.iter().peekable());
    let gap = |token: &Token| {
        let (lo, hi) = (token.span.lo as usize, token.span.hi as usize);
        let mut gap = Gap::default();
        while let Some(comment) = comments.next_if(|comment| comment.end <= lo) {
            gap.comments.push((lines(at..comment.start), comment.clone()));
            at = comment.end;
        }
        gap.lines = lines(at..lo);
        at = hi;
        gap
    };
    parts.tokens.iter().map(gap).collect()
}

/// A phrase from `local`, `let`, `bas` or `ann` to its `end`.
struct Level {
    word: &'static str,
    /// Of the line that it begins.
    indent: usize,
    /// On several lines.
    tall: bool,
    /// `ann`, with each annotation on a line.
    tall_head: bool,
}

struct Layout<'t> {
    text: &'t str,
    tokens: &'t [Token],
    gaps: Vec<Gap>,
    /// The tokens that begin a line in the text.
    kept: HashSet<usize>,
    out: String,
    levels: Vec<Level>,
}

fn laid_out(text: &str, parts: &Parts) -> String {
    let starts: HashSet<usize> = parts.starts.iter().copied().collect();
    let script = &text[..head(text)];
    let gaps = gaps(text, parts);
    let kept = (0..gaps.len()).filter(|&i| gaps[i].breaks()).collect();
    let mut layout = Layout { text, tokens: &parts.tokens, gaps, kept, out: script.to_string(), levels: vec![] };
    for at in 0..parts.tokens.len() {
        layout.token(at, starts.contains(&at));
    }
    let out = layout.out.trim_end();
    if out.is_empty() { String::new() } else { format!("{out}\n") }
}

impl Layout<'_> {
    fn word(&self, at: usize) -> &'static str {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(Tok::Word(word)) => word,
            _ => "",
        }
    }

    /// The columns before the declarations here.
    fn indent(&self) -> usize {
        self.levels.last().map_or(0, |level| level.indent + 2)
    }

    fn is_tall(&self) -> bool {
        self.levels.last().is_none_or(|level| level.tall)
    }

    fn column(&self) -> usize {
        self.out.len() - self.out.rfind('\n').map_or(0, |i| i + 1)
    }

    /// Writes a token and what stands before it.
    fn token(&mut self, at: usize, starts: bool) {
        let word = self.word(at);
        let here = self.indent();
        let before = if at == 0 { "" } else { self.word(at - 1) };
        let in_head = self.levels.last().is_some_and(|level| level.word == "ann");
        let tall_head = self.levels.last().is_some_and(|level| level.tall_head);
        let inner = matches!(word, "bas" | "let") && !starts;
        // Does it begin a line, and in which column?
        let (begins, column) = match word {
            "in" if in_head => (tall_head, here - 2),
            "in" | "end" => (self.is_tall(), here.saturating_sub(2)),
            // A basis stands below a basis, names of modules are a list.
            "and" if self.declares_bases(at) => (self.is_tall() && self.gaps[at].breaks(), here),
            "and" => (self.is_tall() && (self.is_column(at) || self.too_long(at)), here + 2),
            _ if at + 1 == self.tokens.len() => (true, 0),
            _ if starts => (self.is_tall(), here),
            _ if in_head && matches!(self.tokens[at].kind, Tok::Quoted(_)) => (tall_head, here),
            _ if before == "in" => (self.is_tall(), here),
            _ if inner && before == "=" => {
                (self.is_tall() && self.gaps[at].breaks() && self.tall(at, here + 2), here + 2)
            }
            _ => (self.is_tall() && self.opens_more(at) && self.too_long(at), here + 2),
        };
        self.gap(at, begins, column);
        if inner || matches!(word, "local" | "ann") {
            let indent = match self.column() == column && begins {
                true => column,
                false => here,
            };
            let tall = self.is_tall() && self.tall(at, self.column());
            self.levels.push(Level { word, indent, tall, tall_head: word == "ann" && tall && self.tall_head(at) });
        }
        let span = self.tokens[at].span;
        self.out.push_str(&self.text[span.lo as usize..span.hi as usize]);
        match word {
            "end" => drop(self.levels.pop()),
            "in" => {
                // The annotations are behind us.
                if let Some(level) = self.levels.last_mut()
                    && level.word == "ann"
                {
                    level.word = "";
                    level.tall_head = false;
                }
            }
            _ => {}
        }
    }

    /// Is this `and` one of a declaration of bases?
    fn declares_bases(&self, and: usize) -> bool {
        let mut depth = 0;
        for at in (0..and).rev() {
            match self.word(at) {
                "end" => depth += 1,
                "local" | "ann" | "bas" | "let" if depth > 0 => depth -= 1,
                "basis" if depth == 0 => return true,
                "structure" | "signature" | "functor" if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Has each name of this declaration of modules a line? Otherwise they fill the lines.
    fn is_column(&self, and: usize) -> bool {
        let of_it = |i: &usize| matches!(self.tokens[*i].kind, Tok::Text(_)) || matches!(self.word(*i), "=" | "and");
        let first = (0..and).rev().take_while(of_it).last().unwrap_or(and);
        let mut ands = (first..self.tokens.len()).take_while(of_it).filter(|&i| self.word(i) == "and");
        // One that ended a line begins the next.
        ands.all(|i| self.kept.contains(&i) || self.kept.contains(&(i + 1)))
    }

    /// Is it one of the later names behind an `open`?
    fn opens_more(&self, at: usize) -> bool {
        let is_name = |i: usize| matches!(self.tokens[i].kind, Tok::Text(_));
        let first = (0..at).rev().take_while(|&i| is_name(i)).last();
        is_name(at) && first.is_some_and(|first| first > 0 && self.word(first - 1) == "open")
    }

    /// Would this token reach too far on the line, with what belongs to it: the name behind `and`?
    fn too_long(&self, at: usize) -> bool {
        let last = (at + 1..self.tokens.len()).take_while(|&i| match &self.tokens[i].kind {
            Tok::Text(_) => self.word(at) == "and" && i - at <= 3,
            Tok::Word(word) => *word == "=",
            _ => false,
        });
        let tokens = std::iter::once(at).chain(last);
        let length: usize = tokens.map(|i| (self.tokens[i].span.hi - self.tokens[i].span.lo) as usize + 1).sum();
        self.column() + length > WIDTH
    }

    /// The token at which a phrase ends.
    fn end(&self, at: usize) -> usize {
        let mut depth = 0;
        for i in at..self.tokens.len() {
            match self.word(i) {
                "local" | "ann" | "bas" | "let" => depth += 1,
                "end" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return i;
            }
        }
        self.tokens.len() - 1
    }

    /// Is a phrase on several lines, or too long for one that begins in this column?
    fn tall(&self, at: usize, column: usize) -> bool {
        let end = self.end(at);
        let flat = |i: usize| {
            let comments: usize = self.gaps[i].comments.iter().map(|(_, at)| at.len() + 1).sum();
            (self.tokens[i].span.hi - self.tokens[i].span.lo) as usize + 1 + comments
        };
        let source = &self.text[self.tokens[at].span.lo as usize..self.tokens[end].span.hi as usize];
        source.contains('\n') || column + (at..=end).map(flat).sum::<usize>() > WIDTH + 1
    }

    /// Do the annotations of an `ann` stand below it?
    fn tall_head(&self, at: usize) -> bool {
        let strings = (at + 1..self.tokens.len()).take_while(|&i| matches!(self.tokens[i].kind, Tok::Quoted(_)));
        let long: usize = strings.clone().map(|i| (self.tokens[i].span.hi - self.tokens[i].span.lo) as usize + 1).sum();
        self.column() + "ann in".len() + long > WIDTH || strings.clone().any(|i| self.gaps[i].breaks())
    }

    /// Writes the comments before a token, and a blank or a line end.
    fn gap(&mut self, at: usize, begins: bool, column: usize) {
        let Gap { comments, lines } = std::mem::take(&mut self.gaps[at]);
        let word = self.word(at);
        let closes = matches!(word, "in" | "end");
        let last = at + 1 == self.tokens.len();
        // An empty line is kept between declarations, not at the ends of a phrase.
        let mut opened =
            at == 0 && self.out.is_empty() || matches!(self.word(at.wrapping_sub(1)), "local" | "let" | "bas" | "in");
        let of_comments = if closes && begins { column + 2 } else { column };
        let mut own_line = false;
        for (lines, comment) in &comments {
            own_line = *lines > 0 || self.out.is_empty();
            if own_line {
                self.line(*lines > 1 && !opened, of_comments);
            } else {
                self.out.push(' ');
            }
            opened = false;
            self.comment(comment.clone());
        }
        if last {
            return;
        }
        // A comment right before a declaration stays on its line.
        let joined = own_line && lines == 0 && !closes;
        if (begins || lines > 0 && !comments.is_empty()) && !joined {
            self.line(lines > 1 && !opened && !closes, column);
        } else if word != ";" && !self.out.is_empty() {
            self.out.push(' ');
        }
    }

    /// Begins a line.
    fn line(&mut self, after_empty: bool, column: usize) {
        if self.out.is_empty() {
            return;
        }
        self.out.push_str(if after_empty { "\n\n" } else { "\n" });
        self.out.push_str(&" ".repeat(column));
    }

    /// Its later lines move with the first.
    fn comment(&mut self, at: Range<usize>) {
        let old = self.text[..at.start].chars().rev().take_while(|&c| c != '\n').count();
        let new = self.out.chars().rev().take_while(|&c| c != '\n').count();
        for (number, line) in self.text[at].split('\n').enumerate() {
            if number == 0 {
                self.out.push_str(line.trim_end());
                continue;
            }
            self.out.push('\n');
            let blanks = line.len() - line.trim_start_matches(' ').len();
            if !line.trim().is_empty() {
                self.out.push_str(&" ".repeat((blanks + new).saturating_sub(old)));
                self.out.push_str(line[blanks..].trim_end());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let once = format(FileId(0), text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
        let twice = format(FileId(0), &once).unwrap_or_else(|d| panic!("{once}: {d:?}"));
        assert_eq!(once, twice, "of {text}");
        once
    }

    #[test]
    fn the_style() {
        let text = "#!/usr/bin/env leat\n(* all\n   of it *)\n\n\n$(SML_LIB)/basis/basis.mlb   a.sml;b.sml (* behind *)\nlocal (* the\n  parser *)\n   \
                    ann \"nonexhaustiveMatch ignore\" in\n c.sml\n\n   d.sml end\n   ann\n \"a\" \"b\" in e.sml\n end\n    (* own *)\n\n in\n\
                    structure A  =B and   C\nopen x y (* last *)\n structure D and\n E and F structure G\nand H and\n I end\nbasis b=bas f.sml end\nand c =\n  bas\n g.sml\n end\n\
                    basis d = let\n h.sml in bas\n i.sml end end\n  (* the end *)";
        let wanted = "\
#!/usr/bin/env leat
(* all
   of it *)

$(SML_LIB)/basis/basis.mlb
a.sml;
b.sml (* behind *)
local (* the
  parser *)
  ann \"nonexhaustiveMatch ignore\" in
    c.sml

    d.sml
  end
  ann
    \"a\"
    \"b\"
  in
    e.sml
  end
  (* own *)
in
  structure A = B and C
  open x y (* last *)
  structure D and E and F
  structure G
    and H
    and I
end
basis b = bas f.sml end
and c =
  bas
    g.sml
  end
basis d = let
  h.sml
in
  bas
    i.sml
  end
end
(* the end *)
";
        assert_eq!(formatted(text), wanted);
    }

    #[test]
    fn short_long_and_empty() {
        assert_eq!(formatted(""), "");
        assert_eq!(formatted("\n\n"), "");
        assert_eq!(formatted("(* a *)(* b *)"), "(* a *) (* b *)\n");
        assert_eq!(formatted("\u{FEFF}a.sml b.sml"), "\u{FEFF}a.sml\nb.sml\n");
        assert_eq!(formatted("local a.sml in b.sml end"), "local a.sml in b.sml end\n");
        assert_eq!(
            formatted("a.sml\r\nlocal\r\n\r\n\r\na.sml in b.sml end"),
            "a.sml\r\nlocal\r\n  a.sml\r\nin\r\n  b.sml\r\nend\r\n"
        );
        let long = format!("local {}in b.sml end", "abcdefgh.sml ".repeat(8));
        assert_eq!(formatted(&long), format!("local\n{}in\n  b.sml\nend\n", "  abcdefgh.sml\n".repeat(8)));
        let names =
            format!("structure {}\n  Z\nopen {}\n", "Abcdefgh = Bcdefghi and ".repeat(9), "abcdefgh ".repeat(14));
        let made = formatted(&names);
        assert!(made.lines().count() == 5 && made.lines().all(|line| line.len() <= WIDTH), "{made}");
        assert!(format(FileId(0), "local a.sml").is_err());
    }

    /// A comment at each place where one may stand, in each of three forms: nothing is lost, and twice is once.
    #[test]
    fn comments_everywhere() {
        let text = "local a.sml ; ann \"x\" \"y\" in b.sml end in open c d basis e = bas f.sml end and g = let h.sml in i end end structure A = B and C";
        for comment in [" (* c *) ", "\n(* c *)\n", " (* c\n d *)\n\n"] {
            for (at, _) in text.match_indices(' ').chain([(0, ""), (text.len(), "")]) {
                formatted(&format!("{}{comment}{}", &text[..at], &text[at..]));
                let tall = text.replace(" in ", "\nin\n").replace(" = bas", " =\nbas");
                let at = at.min(tall.len());
                if tall[..at].matches('"').count().is_multiple_of(2) {
                    formatted(&format!("{}{comment}{}", &tall[..at], &tall[at..]));
                }
            }
        }
    }
}
