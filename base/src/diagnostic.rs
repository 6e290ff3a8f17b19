//! Messages about source text, and their rendering with source lines and underlines.

use crate::source::{SourceFile, SourceMap, Span, substituted};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use std::borrow::Cow;
use std::fmt::Write;

/// How bad it is. Only `Error` stops a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// One message: what is wrong, where, what else matters, what to do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable short name, as `syntax/expected`, for tests and documentation.
    pub code: &'static str,
    /// One sentence without a final stop.
    pub message: String,
    /// The place that is underlined; `Span::NONE` where there is none.
    pub span: Span,
    /// Text beside the main underline (if its span is `span`) and other places with their texts.
    pub labels: Vec<(Span, String)>,
    /// Facts.
    pub notes: Vec<String>,
    /// Advice.
    pub help: Vec<String>,
    /// Pieces of advice that a tool can follow.
    pub fixes: Vec<Fix>,
}

/// What a piece of advice changes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix {
    /// Which of the `help`.
    pub help: usize,
    /// What is replaced, and by what.
    pub span: Span,
    pub text: String,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic {
            severity: Severity::Error,
            code,
            message,
            span,
            labels: vec![],
            notes: vec![],
            help: vec![],
            fixes: vec![],
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Adds a place with a text. With the main span it is the text beside the main underline.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Adds advice that a tool can follow: `text` in place of what stands at `span`.
    pub fn fix(mut self, help: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fixes.push(Fix { help: self.help.len(), span, text: text.into() });
        self.help(help)
    }

    /// Does it stop the compilation?
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Is there an error among them?
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// All messages as text, sorted by place, each once, with a count at the end.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let sorted = sorted_once(diagnostics);
    let mut out = String::new();
    for d in &sorted {
        out.push_str(&render_one(d, sources, color));
        out.push_str("\n\n");
    }
    out.push_str(&count_line(&sorted));
    out
}

/// How many there are, each once.
pub fn count(diagnostics: &[Diagnostic]) -> usize {
    sorted_once(diagnostics).len()
}

/// Sorted by place, each once.
pub(crate) fn sorted_once(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| (d.span.file, d.span.lo, d.span.hi, d.severity));
    let mut seen = rustc_hash::FxHashSet::default();
    sorted.retain(|d| seen.insert(*d));
    sorted
}

/// `1 error`, `2 errors`
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn count_line(sorted: &[&Diagnostic]) -> String {
    let count = |severity| sorted.iter().filter(|d| d.severity == severity).count();
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => String::new(),
        (e, 0) => counted(e, "error") + "\n",
        (0, w) => counted(w, "warning") + "\n",
        (e, w) => format!("{}, {}\n", counted(e, "error"), counted(w, "warning")),
    }
}

/// Lines longer than this are shown as a window around the span.
const LONGEST_LINE: usize = 5000;
/// Labels further apart than this are shown as pieces of their own.
const LONGEST_PIECE: usize = 100_000;

/// A piece of a file's text that a snippet shows: whole lines, unless they are very long.
struct Window<'a> {
    text: Cow<'a, str>,
    lo: usize,
    first_line: usize,
}

fn render_one(d: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut title = level.primary_title(d.message.as_str());
    if !d.code.is_empty() {
        title = title.id(d.code);
    }
    let mut group = Group::with_title(title);
    // One snippet for a run of labels of one file; the main place comes first.
    let main_text = d.labels.iter().find(|(s, _)| *s == d.span).map_or("", |(_, t)| t.as_str());
    let mut marks: Vec<(Span, &str, bool)> = vec![(d.span, main_text, true)];
    marks.extend(d.labels.iter().filter(|(s, _)| *s != d.span).map(|(s, t)| (*s, t.as_str(), false)));
    marks.retain(|(s, _, _)| sources.get(s.file).is_some());
    let mut moved = None;
    while let Some(&(first, ..)) = marks.first() {
        let Some(file) = sources.get(first.file) else {
            break;
        };
        let here: Vec<_> = marks.iter().filter(|m| m.0.file == first.file).copied().collect();
        marks.retain(|m| m.0.file != first.file);
        let spans: Vec<Span> = here.iter().map(|m| m.0).collect();
        for (window, members) in windows(file, &spans) {
            let mut snippet =
                Snippet::source(window.text.clone()).line_start(window.first_line).path(&*file.name).fold(true);
            for i in members {
                let (span, text, primary) = here[i];
                let range = clip(&window, span);
                let (line, column) = file.line_column(span.lo);
                let before = file.text.as_bytes()[..window.lo].last();
                if primary && before.is_some_and(|&b| b != b'\n') {
                    // The window begins inside the line; the renderer counts from there.
                    let shown = window.text[..range.start].chars().count() + 1;
                    let place = |column: usize| format!("{}:{line}:{column}\n", file.name);
                    moved = Some((place(shown), place(column as usize)));
                }
                let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let mut annotation = kind.span(range);
                if !text.is_empty() {
                    annotation = annotation.label(text);
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
    }
    if sources.get(d.span.file).is_none() && d.span.file != crate::FileId::NONE {
        group = group.element(Origin::path("?"));
    }
    for note in &d.notes {
        group = group.element(Element::from(Level::NOTE.message(note.as_str())));
    }
    for help in &d.help {
        group = group.element(Element::from(Level::HELP.message(help.as_str())));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&[group]);
    if text.contains(|c| substituted(c).is_some()) {
        text = text.chars().map(|c| if substituted(c).is_some() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    }
    match moved {
        Some((shown, place)) => text.replacen(&shown, &place, 1),
        None => text,
    }
}

/// Cuts the text into the pieces to show. Usually one piece with the whole lines of all spans;
/// where a line is very long, a piece for each span with that part of the line.
fn windows<'a>(file: &'a SourceFile, spans: &[Span]) -> Vec<(Window<'a>, Vec<usize>)> {
    let text = &*file.text;
    // By the table of lines: a line may be long, and have thousands of messages.
    let line_end =
        |at: usize| file.line_start(file.line_of(at as u32) + 1).map_or(text.len(), |next| next as usize - 1);
    let lines = |span: Span| {
        let lo = floor(text, span.lo as usize);
        let hi = floor(text, (span.hi as usize).max(lo));
        let start = file.line_start(file.line_of(lo as u32)).unwrap_or(0) as usize;
        (lo, hi, start, line_end(hi))
    };
    let start = spans.iter().map(|&s| lines(s).2).min().unwrap_or(0);
    let end = spans.iter().map(|&s| lines(s).3).max().unwrap_or(0);
    let window = |from: usize, to: usize| Window {
        text: without_returns(&text[from..to]),
        lo: from,
        first_line: file.line_column(from as u32).0 as usize,
    };
    // A piece of many lines would be searched in full; it is the far label that makes it so.
    if end - start < LONGEST_PIECE && text[start..end].split('\n').all(|l| l.len() <= LONGEST_LINE) {
        return vec![(window(start, end), (0..spans.len()).collect())];
    }
    let piece = |(i, &span): (usize, &Span)| {
        let (lo, hi, start, end) = lines(span);
        let from = if lo - start > LONGEST_LINE / 3 { floor(text, lo - LONGEST_LINE / 3) } else { start };
        let to = if hi - lo < LONGEST_LINE { end } else { line_end(lo) };
        (window(from, floor(text, to.min(lo + LONGEST_LINE))), vec![i])
    };
    spans.iter().enumerate().map(piece).collect()
}

/// The same text with blanks for carriage returns: places stay where they are.
fn without_returns(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace('\r', " ")) } else { Cow::Borrowed(text) }
}

/// The span inside the window, on character boundaries.
fn clip(window: &Window<'_>, span: Span) -> std::ops::Range<usize> {
    let at = |offset: u32| floor(&window.text, (offset as usize).saturating_sub(window.lo));
    let lo = at(span.lo);
    let hi = at(span.hi).max(lo);
    lo..hi
}

/// The last character boundary at or before `at`, within the text.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `error[code]: message at name:line:column`, one line a message: for tests and logs.
pub fn render_short(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(out, "{}: {severity}[{}]: {}", sources.describe(d.span), d.code, d.message);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> (SourceMap, crate::FileId, crate::FileId) {
        let mut map = SourceMap::new();
        let a = map.add("a.sml", "val x = 1 +\tnot\r\nval é = \"😀\" ^ 2\n");
        let b = map.add("b.sml", "datatype t = A\n");
        (map, a, b)
    }

    #[test]
    fn sorted_once_each_and_counted() {
        let (map, a, b) = sources();
        let first = Diagnostic::error("type/mismatch", Span::new(a, 12, 15), "types differ")
            .label(Span::new(a, 12, 15), "this is a `bool -> bool`")
            .label(Span::new(b, 9, 10), "declared here")
            .note("a fact")
            .help("advice");
        let second = Diagnostic::warning("unused", Span::new(a, 21, 23), "unused");
        let text = render(&[second.clone(), first.clone(), first, second], &map, false);
        let expected = "\
error[type/mismatch]: types differ
 --> a.sml:1:13
  |
1 | val x = 1 +    not
  |                ^^^ this is a `bool -> bool`
  |
 ::: b.sml:1:10
  |
1 | datatype t = A
  |          - declared here
  |
  = note: a fact
  = help: advice

warning[unused]: unused
 --> a.sml:2:5
  |
2 | val é = \"😀\" ^ 2
  |     ^

1 error, 1 warning
";
        // Blanks stand for the carriage return.
        let text: String = text.lines().map(|l| l.trim_end().to_string() + "\n").collect();
        assert_eq!(text, expected);
    }

    /// A line that is shown in part has its columns all the same: they were counted from the part's beginning.
    #[test]
    fn columns_of_long_lines() {
        let mut map = SourceMap::default();
        let file = map.add("long.sml", &format!("val a = 1\nval é = {}yyy\n", " ".repeat(20_000)));
        let text = render_one(&Diagnostic::error("x", Span::new(file, 20_019, 20_022), "message"), &map, false);
        assert!(text.contains(" long.sml:2:20009\n"), "{text}");
    }

    /// Any span whatever, also one that is outside the text, inside a character or reversed.
    #[test]
    fn odd_places_do_not_panic() {
        let (mut map, a, b) = sources();
        let long = map.add("long.sml", &format!("{}é\n{}", "x \t".repeat(4000), "é".repeat(9000)));
        let empty = map.add("empty.sml", "");
        let all = map.add("lines.sml", &"val x = 1\n".repeat(20_000));
        for file in [a, b, long, empty, all, crate::FileId(77), crate::FileId::NONE] {
            for (lo, hi) in [
                (0, 0),
                (0, 1),
                (22, 23),
                (22, 22),
                (30, 10),
                (0, 30_000),
                (12_000, 12_001),
                (12_001, 12_002),
                (12_003, 40_000),
                (30_001, 30_001),
                (u32::MAX, u32::MAX),
                (5, u32::MAX),
            ] {
                let span = Span::new(file, lo, hi);
                let d = Diagnostic::error("x", span, "message")
                    .label(span, "here")
                    .label(Span::new(all, 0, 3), "a")
                    .label(Span::new(all, 199_000, 199_003), "b")
                    .label(Span::NONE, "c");
                assert!(render(std::slice::from_ref(&d), &map, false).contains("message"));
                render(&[d], &map, true);
            }
        }
        assert_eq!(render(&[], &map, false), "");
    }
}
