//! Lines from a terminal, with editing and history, or from anything else as they are.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write as _};
use std::path::{Path, PathBuf};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::help::{Help, Names};

/// What came.
#[derive(PartialEq, Eq, Debug)]
pub enum Read1 {
    /// With its line end, if it had one.
    Line(String),
    /// The user gave up what was begun.
    Interrupted,
    /// A byte that is not UTF-8; what came with it is given up, and the editor keeps the line as it was before.
    NotText,
    End,
}

/// Where lines come from.
pub enum Input {
    Terminal {
        editor: Box<Editor<Help, FileHistory>>,
        history: Option<PathBuf>,
        /// What the next line begins with, up to the cursor and behind it.
        kept: (String, String),
    },
    /// A terminal that shows letters only, as shells in Emacs have: without editing.
    Dumb,
    /// Descriptor 0, read no further than the line: what follows may be the program's.
    Plain,
}

/// Lines of history that are kept.
const HISTORY: usize = 2000;

impl Input {
    /// Standard input; at a terminal with completion of these names.
    pub fn standard(names: &Names, color: bool) -> Input {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Input::Plain;
        }
        // An editor of lines would read from these without hearing Ctrl-C.
        if std::env::var("TERM").is_ok_and(|term| ["dumb", "emacs", "cons25"].contains(&&*term)) {
            return Input::Dumb;
        }
        let config = Config::builder()
            .max_history_size(HISTORY)
            .map(|config| config.auto_add_history(false).completion_type(CompletionType::List).build());
        let Ok(mut editor) = config.and_then(Editor::with_config) else { return Input::Plain };
        leat_entry::session::keep_terminal();
        editor.set_helper(Some(Help { names: names.clone(), color, line: RefCell::default() }));
        let history = history_file();
        if let Some(file) = history.as_ref().filter(|file| may_be_history(file)) {
            let _ = editor.load_history(file);
        }
        Input::Terminal { editor: Box::new(editor), history, kept: Default::default() }
    }

    pub fn is_terminal(&self) -> bool {
        !matches!(self, Input::Plain)
    }

    /// The next line.
    pub fn line(&mut self, prompt: &str) -> Read1 {
        match self {
            Input::Plain => plain_line(-1),
            Input::Dumb => {
                print!("{prompt}");
                let _ = io::stdout().flush();
                // Ctrl-C may be told to another OS thread, so this one looks for it.
                plain_line(50)
            }
            Input::Terminal { editor, kept, .. } => {
                let (left, right) = std::mem::take(kept);
                match editor.readline_with_initial(prompt, (&left, &right)) {
                    Ok(line) => Read1::Line(line + "\n"),
                    Err(ReadlineError::Interrupted) => Read1::Interrupted,
                    Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                        // Of a text that was pasted the rest would be taken for lines of their own.
                        // SAFETY: discards what nobody has read.
                        unsafe { libc::tcflush(0, libc::TCIFLUSH) };
                        *kept = editor.helper().map(Help::line).unwrap_or_default();
                        Read1::NotText
                    }
                    Err(_) => Read1::End,
                }
            }
        }
    }

    /// Remembers a whole unit, also on disk: the session may end at any time. That this may fail is no reason to bother
    /// anybody.
    pub fn remember(&mut self, text: &str) {
        let Input::Terminal { editor, history, .. } = self else { return };
        if text.trim().is_empty() || !matches!(editor.add_history_entry(text.trim()), Ok(true)) {
            return;
        }
        if let Some(file) = history.as_ref().filter(|file| may_be_history(file)) {
            if let Some(folder) = file.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            let _ = editor.append_history(file);
        }
    }
}

/// `$XDG_STATE_HOME/leat/history`, by default in `~/.local/state`.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("leat/history"))
}

/// Nothing is there yet, or a file: a FIFO would keep the session waiting for ever.
fn may_be_history(file: &Path) -> bool {
    std::fs::metadata(file).map_or(true, |data| data.is_file())
}

/// `patience`: after so many milliseconds without input it looks for an interruption; -1: only when one is told to this
/// OS thread.
fn plain_line(patience: libc::c_int) -> Read1 {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        let mut ready = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure; one byte into a byte. Not by way of `Stdin`, which reads ahead; and a read would go on
        // after an interruption, where a poll ends.
        let got = unsafe {
            match libc::poll(&mut ready, 1, patience) {
                0 if leat_entry::session::take_interruption() => return Read1::Interrupted,
                0 => continue,
                n if n < 0 => -1,
                _ => libc::read(0, byte.as_mut_ptr().cast(), 1),
            }
        };
        match got {
            1 => {
                line.push(byte[0]);
                if byte[0] == b'\n' {
                    break;
                }
            }
            n if n < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {
                // Other signals are the runtime's: one that ends the session ends this wait, see `Owner::wait_for`.
                if leat_entry::session::take_interruption() {
                    return Read1::Interrupted;
                }
            }
            _ if line.is_empty() => return Read1::End,
            _ => break,
        }
    }
    Read1::Line(leat_ast::decode(line))
}
