//! What became of the test files -> text for people, a JSON object a line, or JUnit's XML.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::Duration;

use clap::ArgMatches;
use leat_base::counted;
use leat_driver::say::show as print;
use serde_json::json;

use super::events::Verdict;
use super::plan::Plan;
use super::supervise::{Outcome, Test};

/// How results are shown.
pub struct Show {
    json: bool,
    verbose: bool,
    color: bool,
}

const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

impl Show {
    pub fn new(matches: &ArgMatches) -> Show {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let color = match text("color") {
            Some("always") => true,
            Some("never") => false,
            _ => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Show { json: text("message-format") == Some("json"), verbose: matches.get_flag("verbose"), color }
    }

    /// A file that is done.
    pub fn file(&self, outcome: &Outcome) {
        print(&if self.json { json_lines(outcome) } else { self.text(outcome) });
    }

    fn text(&self, outcome: &Outcome) -> String {
        let (tests, failed) = (outcome.tests.len(), outcome.count(Verdict::Failed));
        // Of files without any test that was asked for nothing is to be said.
        if tests == 0 && outcome.is_well() && !self.verbose {
            return String::new();
        }
        let word = if outcome.is_well() { self.paint(GREEN, "ok  ") } else { self.paint(RED, "FAIL") };
        let counted = match failed {
            0 => counted(tests, "test"),
            _ => format!("{failed} of {} failed", counted(tests, "test")),
        };
        let mut text = format!("{word}  {}  {counted}, {}\n", outcome.path, seconds(outcome.took));
        if let Some(trouble) = &outcome.trouble {
            text.push_str(&indent(trouble));
        }
        for test in &outcome.tests {
            match test.verdict {
                Verdict::Failed => {
                    let _ = write!(text, "  {}  {}\n{}", self.paint(RED, "FAIL"), test.name, indent(&test.text));
                }
                Verdict::Skipped if self.verbose => {
                    let _ = writeln!(text, "  skip  {}", test.name);
                }
                Verdict::Passed if self.verbose => {
                    let _ = writeln!(text, "  ok    {}  {}", test.name, seconds(test.took));
                }
                _ => {}
            }
        }
        // What is in the trouble's text already is not shown twice.
        if !outcome.output.is_empty() && (self.verbose || failed > 0) && outcome.trouble.is_none() {
            let lines: Vec<&str> = outcome.output.trim_end().lines().collect();
            let shown = if self.verbose { lines.len() } else { lines.len().min(20) };
            let _ = writeln!(text, "  printed by {}:", outcome.path);
            text.push_str(&indent(&lines[..shown].join("\n")));
            if shown < lines.len() {
                let _ = writeln!(text, "    ... ({} lines more: --verbose)", lines.len() - shown);
            }
        }
        text
    }

    /// The last line, and the exit code.
    pub fn summary(&self, outcomes: &[Outcome], took: Duration, plan: &Plan) -> u8 {
        let count = |verdict| outcomes.iter().map(|outcome| outcome.count(verdict)).sum::<usize>();
        let (passed, failed, skipped) = (count(Verdict::Passed), count(Verdict::Failed), count(Verdict::Skipped));
        let troubled = outcomes.iter().filter(|outcome| outcome.trouble.is_some()).count();
        let nothing = passed + failed + skipped == 0 && troubled == 0;
        let well = failed == 0 && troubled == 0 && !nothing;
        if self.json {
            let line = json!({
                "event": "summary", "passed": passed, "failed": failed, "skipped": skipped, "files": outcomes.len(),
                "broken_files": troubled, "seconds": took.as_secs_f64(), "seed": plan.seed, "ok": well,
            });
            print(&format!("{line}\n"));
            return u8::from(!well);
        }
        if nothing {
            let why = if plan.filter.is_empty() { "the files have no tests" } else { "no test has that in its name" };
            print(&format!("{why} ({})\n", counted(outcomes.len(), "file")));
            return 1;
        }
        let mut text = format!("{} passed", counted(passed, "test"));
        for (n, what) in [(failed, "failed"), (skipped, "skipped")] {
            if n > 0 {
                let _ = write!(text, ", {n} {what}");
            }
        }
        let _ = write!(text, " in {}", counted(outcomes.len(), "file"));
        let races = outcomes.iter().filter(|outcome| outcome.has_races).count();
        for (n, what) in [(troubled - races, "broken"), (races, "with races")] {
            if n > 0 {
                let _ = write!(text, ", {n} {what}");
            }
        }
        let _ = write!(text, " ({})", seconds(took));
        print(&format!("{}\n", self.paint(if well { GREEN } else { RED }, &text)));
        u8::from(!well)
    }

    fn paint(&self, color: &str, text: &str) -> String {
        if self.color { format!("{color}{text}{PLAIN}") } else { text.to_string() }
    }
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 10.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1e3),
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_string() } else { format!("    {line}\n") }).collect()
}

fn verdict(test: &Test) -> &'static str {
    match test.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Skipped => "skipped",
    }
}

fn json_lines(outcome: &Outcome) -> String {
    let mut lines = String::new();
    for test in &outcome.tests {
        let line = json!({
            "event": "test", "file": outcome.path, "name": test.name, "result": verdict(test),
            "seconds": test.took.as_secs_f64(), "message": test.text,
        });
        let _ = writeln!(lines, "{line}");
    }
    let line = json!({
        "event": "file", "file": outcome.path, "ok": outcome.is_well(), "trouble": outcome.trouble,
        "output": outcome.output, "seconds": outcome.took.as_secs_f64(),
    });
    let _ = writeln!(lines, "{line}");
    lines
}

/// All results in the form that JUnit's users read: one suite a file.
pub fn junit(outcomes: &[Outcome]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for outcome in outcomes {
        let errors = usize::from(outcome.trouble.is_some());
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{errors}\" skipped=\"{}\" time=\"{:.6}\">",
            escape(&outcome.path),
            outcome.tests.len() + errors,
            outcome.count(Verdict::Failed),
            outcome.count(Verdict::Skipped),
            outcome.took.as_secs_f64()
        );
        let case = |name: &str, time: Duration| {
            let (name, class) = (escape(name), escape(&outcome.path));
            format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.6}\"", time.as_secs_f64())
        };
        for test in &outcome.tests {
            xml.push_str(&case(&test.name, test.took));
            xml.push_str(&match test.verdict {
                Verdict::Passed => "/>\n".to_string(),
                Verdict::Skipped => "><skipped/></testcase>\n".to_string(),
                Verdict::Failed => {
                    let first = escape(test.text.lines().next().unwrap_or_default());
                    format!("><failure message=\"{first}\">{}</failure></testcase>\n", escape(&test.text))
                }
            });
        }
        if let Some(trouble) = &outcome.trouble {
            let first = escape(trouble.lines().next().unwrap_or_default());
            xml.push_str(&case("(the file)", outcome.took));
            let _ = writeln!(xml, "><error message=\"{first}\">{}</error></testcase>", escape(trouble));
        }
        if !outcome.output.is_empty() {
            let _ = writeln!(xml, "    <system-out>{}</system-out>", escape(&outcome.output));
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// XML 1.0 has no place for most control characters, not even escaped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if (c as u32) < 32 || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_has_no_control_characters() {
        assert_eq!(escape("a<b>\x1b[1m&\"\n"), "a&lt;b&gt;\u{fffd}[1m&amp;&quot;&#10;");
    }
}
