//! Messages as JSON, one object a line: for editors and other tools. `docs/reference/messages.md` says what stands in
//! them.

use crate::diagnostic::{Diagnostic, Severity, sorted_once};
use crate::source::{SourceFile, SourceMap, Span};
use serde::Serialize;

#[derive(Serialize)]
struct Message<'d> {
    severity: &'static str,
    code: Option<&'d str>,
    message: &'d str,
    #[serde(flatten)]
    place: Option<Place<'d>>,
    labels: Vec<Label<'d>>,
    notes: &'d [String],
    hints: Vec<Hint<'d>>,
    /// Of the documentation.
    page: Option<String>,
}

#[derive(Serialize)]
struct Place<'d> {
    file: &'d str,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

/// Lines and columns are counted from 1.
#[derive(Serialize)]
struct Position {
    line: u32,
    /// In characters.
    column: u32,
    /// In bytes of the file.
    byte_column: u32,
    /// In bytes, from 0, from the beginning of the file.
    offset: u32,
}

#[derive(Serialize)]
struct Label<'d> {
    #[serde(flatten)]
    place: Place<'d>,
    text: &'d str,
}

#[derive(Serialize)]
struct Hint<'d> {
    text: &'d str,
    replacements: Vec<Replacement<'d>>,
}

#[derive(Serialize)]
struct Replacement<'d> {
    #[serde(flatten)]
    place: Place<'d>,
    replacement: &'d str,
}

/// All messages, sorted by place, each once.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    sorted_once(diagnostics).into_iter().map(|d| line(d, sources)).collect()
}

/// A message without a place: a file that cannot be read.
pub fn trouble(message: &str) -> String {
    line(&Diagnostic::error("", Span::NONE, message), &SourceMap::new())
}

/// Likewise a warning: what another program has said.
pub fn remark(message: &str) -> String {
    line(&Diagnostic::warning("", Span::NONE, message), &SourceMap::new())
}

fn line(d: &Diagnostic, sources: &SourceMap) -> String {
    let place = |span: Span| {
        let file = sources.get(span.file)?;
        let hi = span.hi.max(span.lo);
        Some(Place { file: &file.name, range: Range { start: position(file, span.lo), end: position(file, hi) } })
    };
    let labels = d.labels.iter().filter_map(|(span, text)| Some(Label { place: place(*span)?, text })).collect();
    let hints = d.help.iter().enumerate().map(|(i, text)| {
        let fixes = d.fixes.iter().filter(|fix| fix.help == i);
        let replacements =
            fixes.filter_map(|fix| Some(Replacement { place: place(fix.span)?, replacement: &fix.text })).collect();
        Hint { text, replacements }
    });
    let message = Message {
        severity: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        code: Some(d.code).filter(|code| !code.is_empty()),
        message: &d.message,
        place: place(d.span),
        labels,
        notes: &d.notes,
        hints: hints.collect(),
        page: Some(d.code)
            .filter(|code| !code.is_empty())
            .map(|code| format!("docs/reference/diagnostics/{}.md", code.replace('/', "-"))),
    };
    let mut text = serde_json::to_string(&message).expect("strings and numbers");
    text.push('\n');
    text
}

fn position(file: &SourceFile, offset: u32) -> Position {
    let mut at = (offset as usize).min(file.text.len());
    while !file.text.is_char_boundary(at) {
        at -= 1;
    }
    let (line, column) = file.line_column(at as u32);
    let start = file.line_start(line).unwrap_or(0);
    let (start, offset) = (file.byte_of(start), file.byte_of(at as u32));
    Position { line, column, byte_column: offset - start + 1, offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_characters_and_bytes() {
        let mut map = SourceMap::new();
        let file = map.add("a.sml", "val x = 1\nval é = \"\u{1F600}\" ^ \"\\\"\"\n");
        let d = Diagnostic::error("type/mismatch", Span::new(file, 27, 31), "a \"quoted\" word")
            .label(Span::new(file, 4, 5), "here")
            .fix("write it", Span::new(file, 4, 5), "y");
        let text = render(&[d.clone(), d], &map);
        assert_eq!(text.lines().count(), 1);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["message"], "a \"quoted\" word");
        assert_eq!(json["file"], "a.sml");
        assert_eq!(
            json["range"]["start"],
            serde_json::json!({"line": 2, "column": 14, "byte_column": 18, "offset": 27})
        );
        assert_eq!(json["range"]["end"]["byte_column"], 22);
        assert_eq!(json["labels"][0]["range"]["start"]["column"], 5);
        assert_eq!(json["hints"][0]["replacements"][0]["replacement"], "y");
        assert_eq!(json["page"], "docs/reference/diagnostics/type-mismatch.md");
        // A byte that is not UTF-8 is one byte of the file, and a character of four of the text.
        let text = format!("(* {0} *)\nval x = \"{0}é\" ^ 1\n", crate::source::substitute(0xE4));
        let (lo, hi) = (text.find('^').unwrap() as u32, text.find('1').unwrap() as u32 + 1);
        let span = Span::new(map.add("b.sml", &text), lo, hi);
        let d = Diagnostic::error("type/mismatch", span, "").fix("write it", span, "y");
        let json: serde_json::Value = serde_json::from_str(&render(&[d], &map)).expect("JSON");
        let range = serde_json::json!({
            "start": {"line": 2, "column": 14, "byte_column": 15, "offset": 22},
            "end": {"line": 2, "column": 17, "byte_column": 18, "offset": 25},
        });
        assert_eq!((&json["range"], &json["hints"][0]["replacements"][0]["range"]), (&range, &range));
        let trouble: serde_json::Value = serde_json::from_str(&trouble("no file")).expect("JSON");
        assert_eq!(trouble["severity"], "error");
        assert!(trouble.get("file").is_none());
    }
}
