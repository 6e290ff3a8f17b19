//! Text -> standard output and standard error: a reader that has gone or a full disk ends no run.
//!
//! `println!` and `eprintln!` end the process when they cannot write. A run of hours goes on: its files are what counts.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// The first thing that went wrong on standard output.
static LOST: OnceLock<String> = OnceLock::new();

/// What `say!` writes.
pub fn out(text: Arguments) {
    note(std::io::stdout().write_fmt(text));
}

/// What `tell!` writes, in one go.
pub fn err(text: Arguments) {
    let _ = std::io::stderr().write_all(text.to_string().as_bytes());
}

/// Why standard output lacks something. A reader that has gone (`| head`) wanted no more, and lacks nothing.
pub fn lost() -> Option<&'static str> {
    note(std::io::stdout().flush());
    LOST.get().map(String::as_str)
}

fn note(result: std::io::Result<()>) {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = LOST.set(error.to_string());
        }
        _ => {}
    }
}

/// What a program printed, for a terminal or a page: nothing in it moves a cursor, changes a colour, turns the text
/// around.
pub fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let one = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() || turns(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    /// A peer's error message with colours went to the terminal as it was, and made an unreadable page of the report.
    #[test]
    fn control_characters_are_shown_as_such() {
        assert_eq!(
            super::plain("\u{1b}[31merror:\tna\u{202e}ïve\u{7}\r"),
            "\u{fffd}[31merror: na\u{fffd}ïve\u{fffd}\u{fffd}"
        );
    }
}
