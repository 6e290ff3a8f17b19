//! Annotations of ML Basis files: what they change about the sources that they hold.
//!
//! MLton's annotations. Those that are not honoured are accepted with a warning, unless they say what is so anyway.

use leat_base::diagnostic::Severity;
use leat_base::{Diagnostic, Span};
use leat_elab::WarnUnused;

use crate::front::How;

/// What becomes of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Ignore,
    Warn,
    Error,
}

/// How a source is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `_prim` is an expression: sources of the library.
    pub allow_prim: bool,
    /// A declaration that nobody uses is dropped, whatever it computes: sources of the library.
    pub library: bool,
    /// A text that was typed at a prompt: of errors of syntax nothing else is said.
    pub prompt: bool,
    /// Level of each message that an annotation speaks of, by its code; later ones win.
    levels: Vec<(&'static str, Level)>,
    /// `warnUnused`, if it is said.
    unused: Option<bool>,
    /// `allowFFI`: foreign functions.
    foreign: bool,
    /// `checkForeign true`, of `--check-foreign`.
    checks_foreign: bool,
    /// `foreignInt 64`, `--default-type=int64`: what `int` and `word` are in foreign types.
    wide: bool,
}

/// A message that has to be asked for, but where it is about a function.
const SEQUENCE: &str = "exp/sequence";

/// Annotations that set the level of messages.
const LEVELS: &[(&str, &str)] = &[
    ("nonexhaustiveMatch", "match/nonexhaustive"),
    ("nonexhaustiveBind", "bind/nonexhaustive"),
    ("redundantMatch", "match/redundant"),
    ("redundantBind", "match/redundant"),
    ("sequenceNonUnit", SEQUENCE),
];

/// Annotations with the values that say what is so anyway; with another value they are warned about.
const FIXED: &[(&str, &[&str], &str)] = &[
    ("allowConstant", &["false", "true"], ""),
    ("allowOverload", &["false", "true"], ""),
    ("allowPrim", &["false"], "primitives are for Leat's own library"),
    ("allowRebindEquals", &["false"], "`=` is never rebound"),
    ("allowVectorExps", &["true"], "vector expressions are always allowed"),
    ("allowVectorPats", &["true"], "vector patterns are always allowed"),
    ("allowSigWithtype", &["true"], "`withtype` in signatures is always allowed"),
    ("allowDoDecls", &["false"], "`do` declarations are not supported"),
    ("allowExtendedConsts", &["false"], "extended constants are not supported"),
    ("allowExtendedNumConsts", &["false"], "extended constants are not supported"),
    ("allowExtendedTextConsts", &["false", "true"], ""),
    ("allowLineComments", &["false"], "line comments are not supported"),
    ("allowOptBar", &["false"], "a bar before the first rule is not supported"),
    ("allowOptSemicolon", &["false"], "a semicolon after the last expression is not supported"),
    ("allowOrPats", &["false"], "alternatives in patterns are not supported"),
    ("allowRecordPunExps", &["false"], "punned record expressions are not supported"),
    ("allowSuccessorML", &["false"], "the extensions of Successor ML are not supported"),
    ("successorML", &["false"], "the extensions of Successor ML are not supported"),
    ("deadCode", &["false", "true"], ""),
    ("forceUsed", &[""], ""),
    ("nonexhaustiveExnMatch", &["default", "ignore"], ""),
    ("nonexhaustiveExnBind", &["default", "ignore"], ""),
    ("nonexhaustiveExnRaise", &["default", "ignore"], ""),
    ("nonexhaustiveRaise", &["ignore", "warn", "error"], ""),
    ("redundantRaise", &["ignore", "warn", "error"], ""),
    ("resolveScope", &["strdec", "dec", "topdec", "program"], ""),
    ("valrecConstr", &["ignore", "warn", "error"], ""),
    ("parseExtension", &["false", "true"], ""),
    ("ffiStr", &["*"], ""),
];

impl Settings {
    /// For the library's own sources.
    pub fn library() -> Settings {
        Settings { allow_prim: true, library: true, ..Settings::default() }
    }

    /// Of what is typed at a prompt: what is unused there may be used by the next line.
    pub fn prompt() -> Settings {
        Settings { prompt: true, unused: Some(false), foreign: true, ..Settings::default() }
    }

    /// With the annotations of the command line; see [`Settings::check`].
    pub fn with(annotations: &[String]) -> Settings {
        let mut settings = Settings::default();
        for annotation in annotations {
            let _ = settings.annotate(annotation, Span::NONE);
        }
        settings
    }

    /// Is an annotation of the command line one that can be honoured? The error is the message.
    pub fn check(annotation: &str) -> Result<(), String> {
        Settings::default().annotate(annotation, Span::NONE).map_or(Ok(()), |warning| Err(warning.message))
    }

    /// Takes one annotation, as `nonexhaustiveMatch ignore`. Answers what to say about it, if anything.
    pub fn annotate(&mut self, text: &str, at: Span) -> Option<Diagnostic> {
        let warning = |message: String| Some(Diagnostic::warning("unit/annotation", at, message));
        let mut words = text.split_ascii_whitespace();
        let Some(name) = words.next() else { return warning("this annotation is empty".to_string()) };
        let value = words.collect::<Vec<_>>().join(" ");
        if let Some((_, code)) = LEVELS.iter().find(|(known, _)| *known == name) {
            let level = match &*value {
                "ignore" => Level::Ignore,
                "warn" => Level::Warn,
                "error" => Level::Error,
                _ => return warning(format!("`{name}` is followed by `ignore`, `warn` or `error`")),
            };
            self.levels.retain(|(known, _)| known != code);
            self.levels.push((code, level));
            return None;
        }
        let flag = match &*value {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        match (name, flag) {
            ("warnUnused", Some(said)) => self.unused = Some(said),
            ("allowFFI", Some(said)) => self.foreign = said,
            ("checkForeign", Some(said)) => self.checks_foreign = said,
            ("warnUnused" | "allowFFI" | "checkForeign", None) => {
                return warning(format!("`{name}` is followed by `true` or `false`"));
            }
            ("foreignInt", _) => {
                self.wide = match &*value {
                    "32" => false,
                    "64" => true,
                    _ => return warning("`foreignInt` is followed by `32` or `64`".to_string()),
                }
            }
            _ => return self.fixed(text, name, &value, at),
        }
        None
    }

    /// Of an annotation that changes nothing.
    fn fixed(&self, text: &str, name: &str, value: &str, at: Span) -> Option<Diagnostic> {
        let warning = |message: String| Some(Diagnostic::warning("unit/annotation", at, message));
        match FIXED.iter().find(|(known, ..)| *known == name) {
            Some((_, values, _)) if values.contains(&value) || values == &["*"] => None,
            Some((_, _, "")) => warning(format!("`{value}` does not follow `{name}`")),
            Some((_, _, reason)) => warning(format!("the annotation `{text}` has no effect: {reason}")),
            None => warning(format!("there is no annotation `{name}`")),
        }
    }

    /// How a unit is read.
    pub fn how(&self) -> How {
        How { allow_prim: self.allow_prim, library: self.library, prompt: self.prompt, elaboration: self.elaboration() }
    }

    /// How a unit is elaborated.
    pub fn elaboration(&self) -> leat_elab::Options {
        let mut options = leat_elab::Options::default();
        options.unused = match (self.library, self.unused) {
            (true, _) | (_, Some(false)) => WarnUnused::Nothing,
            (_, None) => WarnUnused::Bindings,
            (_, Some(true)) => WarnUnused::Variables,
        };
        options.foreign = self.foreign;
        options.wide = self.wide;
        options.checks_foreign = self.checks_foreign;
        options.sequences = self.levels.iter().any(|level| *level != (SEQUENCE, Level::Ignore) && level.0 == SEQUENCE);
        options
    }

    /// Gives the messages the levels that the annotations say.
    pub fn adjust(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain_mut(|d| {
            let Some((_, level)) = self.levels.iter().find(|(code, _)| *code == d.code) else { return true };
            match level {
                Level::Ignore => return false,
                Level::Warn => d.severity = Severity::Warning,
                Level::Error => d.severity = Severity::Error,
            }
            true
        });
    }
}
