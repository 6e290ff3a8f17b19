//! An indenting writer for the dumps of the IRs: lines in, text out.

use std::fmt::{self, Write};

/// Collects text; after each line end it indents by the current depth.
///
/// ```
/// use leat_base::Printer;
/// use std::fmt::Write;
/// let mut p = Printer::new();
/// writeln!(p, "fun f:").unwrap();
/// p.indented(|p| writeln!(p, "b{}:", 0).unwrap());
/// assert_eq!(p.finish(), "fun f:\n  b0:\n");
/// ```
#[derive(Debug, Default)]
pub struct Printer {
    out: String,
    depth: usize,
    line_start: usize,
}

impl Printer {
    /// An empty text at depth 0.
    pub fn new() -> Printer {
        Printer::default()
    }

    /// One level (two columns) deeper from the next line on.
    pub fn indent(&mut self) {
        self.depth += 1;
    }

    /// Undoes one `indent`.
    pub fn dedent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Runs `f` one level deeper.
    pub fn indented<R>(&mut self, f: impl FnOnce(&mut Printer) -> R) -> R {
        self.indent();
        let r = f(self);
        self.dedent();
        r
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        for (i, piece) in text.split('\n').enumerate() {
            if i > 0 {
                self.newline();
            }
            if !piece.is_empty() {
                if self.out.len() == self.line_start {
                    // Deep nesting keeps its meaning but not its column: lines stay readable.
                    self.out.extend(std::iter::repeat_n("  ", self.depth.min(60)));
                }
                self.out.push_str(piece);
            }
        }
    }

    /// Ends the line.
    pub fn newline(&mut self) {
        self.out.push('\n');
        self.line_start = self.out.len();
    }

    /// Appends a line and ends it.
    pub fn line(&mut self, text: &str) {
        self.text(text);
        self.newline();
    }

    /// Appends the items with a separator between them.
    pub fn separated<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        separator: &str,
        mut f: impl FnMut(&mut Printer, T),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            f(self, item);
        }
    }

    /// Column of the next character, from 0.
    pub fn column(&self) -> usize {
        match self.out.len() - self.line_start {
            0 => self.depth.min(60) * 2,
            n => n,
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.out
    }
}

impl Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text);
        Ok(())
    }
}
