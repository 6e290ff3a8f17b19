//! `leat repl` at a terminal, and at a pipe that stays open: what is typed ahead, and what ends a prompt that waits.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

use crate::wait::end_within;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// Whatever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("terminal::lines_at_once", lines_at_once),
        Trial::test("terminal::many_lines_of_one_unit", many_lines_of_one_unit),
        Trial::test("terminal::a_signal_ends_it", a_signal_ends_it),
        Trial::test("terminal::a_second_signal", a_second_signal),
        Trial::test("terminal::a_thread_ends_it", a_thread_ends_it),
        Trial::test("terminal::a_thread_ends_the_process", a_thread_ends_the_process),
        Trial::test("terminal::history_that_is_a_fifo", history_that_is_a_fifo),
        Trial::test("terminal::without_editing", without_editing),
        Trial::test("terminal::a_byte_that_is_no_text", a_byte_that_is_no_text),
        Trial::test("terminal::members_with_a_prime", members_with_a_prime),
        Trial::test("pipe::a_signal_ends_it", a_signal_at_a_pipe),
    ]
}

/// A prompt at a terminal of its own.
struct Terminal {
    child: Child,
    /// The user's end, and the program's, of which the settings are looked at.
    user: File,
    program: OwnedFd,
    shown: String,
    state: tempfile::TempDir,
}

impl Terminal {
    fn start(prepare: impl FnOnce(&Path)) -> Result<Terminal, Failed> {
        Terminal::start_as("xterm", prepare)
    }

    fn start_as(term: &str, prepare: impl FnOnce(&Path)) -> Result<Terminal, Failed> {
        let state = tempfile::tempdir()?;
        prepare(state.path());
        let (mut user, mut program) = (0, 0);
        let (null, none) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: plain system calls; both descriptors are new, and owned from here on.
        let (user, program) = unsafe {
            if libc::openpty(&mut user, &mut program, null, none, std::ptr::null_mut()) < 0 {
                return Err(std::io::Error::last_os_error().into());
            }
            (File::from_raw_fd(user), OwnedFd::from_raw_fd(program))
        };
        let end = || program.try_clone().map(Stdio::from);
        let mut command = Command::new(LEAT);
        command.arg("repl").env("TERM", term).env("NO_COLOR", "1").env("XDG_STATE_HOME", state.path());
        command.stdin(end()?).stdout(end()?).stderr(end()?);
        // SAFETY: between fork and exec, plain system calls.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                Ok(())
            });
        }
        let child = command.spawn()?;
        let mut terminal = Terminal { child, user, program, shown: String::new(), state };
        terminal.until("- ")?;
        Ok(terminal)
    }

    /// Reads what is shown until a text is among it.
    fn until(&mut self, wanted: &str) -> Result<(), Failed> {
        let start = Instant::now();
        while !self.shown.contains(wanted) {
            let mut ready = libc::pollfd { fd: self.user.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one structure.
            if unsafe { libc::poll(&mut ready, 1, 100) } > 0 {
                let mut bytes = [0; 4096];
                let n = self.user.read(&mut bytes).unwrap_or(0);
                self.shown.push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("no {wanted:?} in {:?}", self.shown).into());
            }
        }
        Ok(())
    }

    fn is_raw(&self) -> bool {
        // SAFETY: plain data, filled by the system call.
        unsafe {
            let mut settings: libc::termios = std::mem::zeroed();
            libc::tcgetattr(self.program.as_raw_fd(), &mut settings);
            settings.c_lflag & libc::ICANON == 0
        }
    }

    /// Waits until the line editor has the terminal.
    fn until_raw(&self) -> Result<(), Failed> {
        let start = Instant::now();
        while !self.is_raw() {
            if start.elapsed() > PATIENCE {
                return Err("no line is edited".into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn signal(&self, signal: i32) {
        // SAFETY: a plain system call, to a child that nobody has waited for.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }

    /// Its exit code.
    fn end(&mut self) -> Result<Option<i32>, Failed> {
        end(&mut self.child)
    }

    fn expect_end(mut self, code: i32) -> Result<(), Failed> {
        let found = self.end()?;
        if found != Some(code) {
            return Err(format!("exit code {found:?}, not {code}").into());
        }
        if self.is_raw() {
            return Err("the terminal is not as it was".into());
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn end(child: &mut Child) -> Result<Option<i32>, Failed> {
    match end_within(child, PATIENCE)? {
        Some(status) => Ok(status.code()),
        None => Err("it does not end".into()),
    }
}

/// What came in the same read as the end of a line was lost: pastes without brackets, `expect`, `tmux send-keys`.
fn lines_at_once() -> Result<(), Failed> {
    let mut terminal = Terminal::start(|_| ())?;
    terminal.user.write_all(b"101;\r102;\r val x = 103\r and y = 104;\r105;\r")?;
    for value in ["val it = 101", "val it = 102", "val x = 103", "val y = 104", "val it = 105"] {
        terminal.until(value)?;
    }
    // Each unit stands in the history, though the session has not ended.
    let history = std::fs::read_to_string(terminal.state.path().join("leat/history"))?;
    if !history.contains("101;") || !history.contains("105;") {
        return Err(format!("history: {history:?}").into());
    }
    // Between lines Ctrl-D is the terminal's own.
    terminal.until_raw()?;
    terminal.user.write_all(b"\x04")?;
    terminal.expect_end(0)
}

/// The unit was read anew after each line, to see whether it was an expression that waits for its semicolon: a paste
/// without brackets of 6,400 lines took 11 s of processor time, four times that of 3,200.
fn many_lines_of_one_unit() -> Result<(), Failed> {
    let spent = |lines: usize| -> Result<f64, Failed> {
        let mut terminal = Terminal::start(|_| ())?;
        let declarations: String = (0..lines).map(|i| format!("val x{i} = {i}\r")).collect();
        // What is shown is read meanwhile: a terminal keeps little of it.
        let mut typist = terminal.user.try_clone()?;
        let text = format!("let\r{declarations}in x{} end;\r", lines - 1);
        let typing = std::thread::spawn(move || typist.write_all(text.as_bytes()));
        terminal.until(&format!("val it = {} : int", lines - 1))?;
        typing.join().map_err(|_| "typed")??;
        // User and system time, in hundredths of a second, behind the name in brackets.
        let line = std::fs::read_to_string(format!("/proc/{}/stat", terminal.child.id()))?;
        let fields: Vec<&str> = line.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
    };
    let (few, many) = (spent(800)?, spent(4800)?);
    // Sixfold; the square would be thirty-six times that, of what is no start.
    if many > 3.0 + 6.0 * few { Err(format!("{few} s, then {many} s").into()) } else { Ok(()) }
}

/// A terminal that shows letters only, as shells in Emacs have: an interruption did not take back what was begun.
fn without_editing() -> Result<(), Failed> {
    let mut terminal = Terminal::start_as("dumb", |_| ())?;
    terminal.user.write_all(b"val x = [1,\n")?;
    terminal.until("\n= ")?;
    terminal.signal(libc::SIGINT);
    terminal.until("= - ")?;
    terminal.user.write_all(b"4;\n")?;
    terminal.until("val it = 4")?;
    terminal.user.write_all(b"\x04")?;
    terminal.expect_end(0)
}

/// One byte that is not UTF-8, of a text in Latin-1 that was pasted or of a key, ended the session without a word, and
/// what was typed next went to the shell. The line keeps what stood before it.
fn a_byte_that_is_no_text() -> Result<(), Failed> {
    let mut terminal = Terminal::start(|_| ())?;
    terminal.user.write_all(b"val keep = 1;\r")?;
    terminal.until("val keep = 1 : int")?;
    terminal.until_raw()?;
    terminal.user.write_all(b"keep + \xe9x")?;
    terminal.until("this is not UTF-8 text, and is left out")?;
    terminal.until_raw()?;
    terminal.user.write_all(b"1;\r")?;
    terminal.until("val it = 2 : int")?;
    terminal.until_raw()?;
    terminal.user.write_all(b"\x04")?;
    terminal.expect_end(0)
}

/// Completion left out the members of the user's own structures whose names end in a prime, as if they were the
/// library's.
fn members_with_a_prime() -> Result<(), Failed> {
    let mut terminal = Terminal::start(|_| ())?;
    terminal.user.write_all(b"structure S = struct val abc' = 17 end;\r")?;
    terminal.until("structure S :")?;
    terminal.until_raw()?;
    terminal.user.write_all(b"S.a\t")?;
    terminal.until("S.abc'")?;
    terminal.user.write_all(b";\r")?;
    terminal.until("val it = 17 : int")?;
    terminal.until_raw()?;
    terminal.user.write_all(b"\x04")?;
    terminal.expect_end(0)
}

/// A prompt that waits for a line ran on after SIGTERM, also behind the next line.
fn a_signal_ends_it() -> Result<(), Failed> {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let mut terminal = Terminal::start(|_| ())?;
        terminal.user.write_all(b"OS.Process.atExit (fn () => print \"at exit\\n\");\r1;\r")?;
        terminal.until("val it = 1")?;
        terminal.until_raw()?;
        terminal.signal(signal);
        terminal.until("at exit\r\n")?;
        terminal.expect_end(code)?;
    }
    Ok(())
}

/// Where the first signal cannot end it, the second one does, and leaves no raw terminal.
fn a_second_signal() -> Result<(), Failed> {
    let mut terminal = Terminal::start(|_| ())?;
    terminal.user.write_all(b"OS.Process.atExit (fn () => (print \"for ever\\n\"; CML.sync CML.never));\r1;\r")?;
    terminal.until("val it = 1")?;
    terminal.until_raw()?;
    terminal.signal(libc::SIGTERM);
    terminal.until("for ever\r\n")?;
    // Sooner, it is taken for the first one: `timeout` sends each signal twice.
    std::thread::sleep(Duration::from_millis(200));
    terminal.signal(libc::SIGTERM);
    terminal.expect_end(143)
}

fn a_thread_ends_it() -> Result<(), Failed> {
    ended_by("OS.Process.exit OS.Process.failure")
}

/// At once, without the end of the prompt: the terminal stayed without echo and lines.
fn a_thread_ends_the_process() -> Result<(), Failed> {
    ended_by("OS.Process.terminate OS.Process.failure")?;
    ended_by("Posix.Process.exit 0w1")
}

/// The thread waits for a file, which is there as soon as the prompt waits for a line.
fn ended_by(call: &str) -> Result<(), Failed> {
    let mut terminal = Terminal::start(|_| ())?;
    let go = terminal.state.path().join("go");
    let line = format!(
        "fun wait () = if OS.FileSys.access (\"{}\", []) then () else (OS.Process.sleep (Time.fromMilliseconds 10); \
         wait ()); val _ = CML.spawn (fn () => (wait (); {call})); 1;\r",
        go.display()
    );
    terminal.user.write_all(line.as_bytes())?;
    terminal.until("val it = 1")?;
    terminal.until_raw()?;
    std::fs::write(go, "")?;
    terminal.expect_end(1)
}

/// It waited for somebody to write into it.
fn history_that_is_a_fifo() -> Result<(), Failed> {
    let mut terminal = Terminal::start(|state| {
        let folder = state.join("leat");
        std::fs::create_dir(&folder).expect("a folder");
        let status = Command::new("mkfifo").arg(folder.join("history")).status();
        assert!(status.is_ok_and(|status| status.success()), "mkfifo");
    })?;
    terminal.user.write_all(b"107;\r")?;
    terminal.until("val it = 107")?;
    // Between lines Ctrl-D is the terminal's own.
    terminal.until_raw()?;
    terminal.user.write_all(b"\x04")?;
    terminal.expect_end(0)
}

fn a_signal_at_a_pipe() -> Result<(), Failed> {
    let mut command = Command::new(LEAT);
    let mut child = command.arg("repl").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.as_mut().ok_or("piped")?.write_all(b"108;\n")?;
    let mut shown = Vec::new();
    let output = child.stdout.as_mut().ok_or("piped")?;
    while !shown.ends_with(b"val it = 108 : int\n") {
        let mut byte = [0];
        output.read_exact(&mut byte)?;
        shown.push(byte[0]);
    }
    // SAFETY: a plain system call, to a child that nobody has waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    match end(&mut child)? {
        Some(143) => Ok(()),
        code => Err(format!("exit code {code:?}, not 143").into()),
    }
}
