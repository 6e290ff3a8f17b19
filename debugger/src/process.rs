//! A process of the program, as the debugger has it: started, talked to, watched until it ends, and ended at last.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leat_entry::debugger::Shared;
use tempfile::TempDir;

use crate::protocol::*;

/// How long a process may take to connect.
const CONNECTS: Duration = Duration::from_secs(60);

/// How long the names of files are that a program is told of.
const PADDED: usize = 256;

/// Between two looks at what goes on.
const TICK: Duration = Duration::from_millis(10);

/// What is run, and how.
#[derive(Clone, Default, Debug)]
pub struct Config {
    /// The command `leat`.
    pub leat: PathBuf,
    /// Options of the compiler and of the runtime.
    pub options: Vec<String>,
    /// What is compiled, in order; the last is the program.
    pub inputs: Vec<String>,
    pub arguments: Vec<String>,
    pub folder: Option<PathBuf>,
    pub variables: Vec<(String, String)>,
    /// What the program reads from standard input; nothing: it is empty.
    pub stdin: Option<PathBuf>,
    /// Variables of the environment that name a new file each, for what the program tells besides its output.
    pub files: Vec<String>,
    /// The folder in which the program runs, if it is compiled in another one.
    pub runs_in: Option<PathBuf>,
    pub seed: u64,
    /// The sources with which it was compiled first, whatever is on disk by now.
    pub texts: Texts,
}

/// Another name of an absolute path, of the same length for nearly every path. SML code takes as many steps with each,
/// so a seed means the same run.
pub fn padded(path: &Path) -> OsString {
    let mut name = OsString::from("/".repeat(PADDED.saturating_sub(path.as_os_str().len())));
    name.push(path);
    name
}

/// A process of the program.
pub struct Process {
    process: std::process::Child,
    socket: UnixStream,
    /// What has come and was not taken yet.
    heard: Vec<u8>,
    /// So much of it is no whole line.
    looked: usize,
    /// Nothing more will come.
    is_closed: bool,
    /// The number of the last command.
    number: u64,
    output: [Stream; 2],
    shared: File,
    pub inserted: Vec<Insert>,
    /// Where it may be stopped, once it has been compiled.
    pub compiled: Option<Compiled>,
    /// How it ended.
    ended: Option<ExitStatus>,
    /// The files that the program knows by name, if there are any: they go with it.
    _folder: Option<TempDir>,
}

/// Where a program may be stopped, and what it was compiled from.
#[derive(Clone, Default)]
pub struct Compiled {
    pub sites: Vec<Site>,
    pub scopes: Vec<Scope>,
    pub texts: Texts,
}

/// What it writes, and how much of that is known.
struct Stream {
    file: File,
    known: u64,
}

impl Stream {
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// What is new, up to this length. A character that is not all there is left for the next time, unless it is over:
    /// nothing more comes.
    fn read(&mut self, end: u64, is_over: bool) -> String {
        let length = self.length();
        let end = if is_over && end >= length { length } else { self.whole(end.min(length)) };
        let mut bytes = vec![0; end.saturating_sub(self.known) as usize];
        let n = if self.file.read_exact_at(&mut bytes, self.known).is_ok() { bytes.len() } else { 0 };
        self.known += n as u64;
        String::from_utf8_lossy(&bytes[..n]).into_owned()
    }

    /// Where the last character ends that is all there, of what stands before this place.
    fn whole(&self, end: u64) -> u64 {
        let mut last = [0; 3];
        let last = &mut last[..end.min(3) as usize];
        let begin = end - last.len() as u64;
        if self.file.read_exact_at(last, begin).is_err() {
            return end;
        }
        let is_begun = |at: &usize| {
            let error = std::str::from_utf8(&last[*at..]).err();
            error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        };
        (0..last.len()).find(is_begun).map_or(end, |at| begin + at as u64)
    }
}

/// Why there is no event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gone {
    /// The process has ended.
    Ended,
    /// Somebody does not want to wait any more.
    Cancelled,
    /// It has taken too long.
    Late,
}

impl Process {
    /// Starts a process, which compiles the program and then waits for its first `Go`.
    pub fn start(config: &Config, inserted: &[Insert], explore: u64) -> Result<Process, String> {
        let text = |error: std::io::Error| error.to_string();
        let folder = tempfile::Builder::new().prefix("leat-debug").tempdir().map_err(text)?;
        let (socket, page) = (folder.path().join("socket"), folder.path().join("page"));
        let listener = UnixListener::bind(&socket).map_err(text)?;
        listener.set_nonblocking(true).map_err(text)?;
        let shared = File::options().read(true).write(true).create_new(true).open(&page).map_err(text)?;
        shared.set_len(size_of::<Shared>() as u64).map_err(text)?;
        let stream = |name: &str| {
            let path = folder.path().join(name);
            File::options().read(true).append(true).create_new(true).open(path).map(|file| Stream { file, known: 0 })
        };
        let output = [stream("out").map_err(text)?, stream("err").map_err(text)?];
        let to = |stream: &Stream| stream.file.try_clone().map(Stdio::from).map_err(text);
        let stdin = match &config.stdin {
            None => Stdio::null(),
            Some(path) => File::open(path).map(Stdio::from).map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let mut command = std::process::Command::new(&config.leat);
        command.arg("debug-program").arg(&socket).arg(&page).args(&config.options);
        command.stdin(stdin).stdout(to(&output[0])?).stderr(to(&output[1])?);
        command.envs(config.variables.iter().map(|(name, value)| (name, value)));
        for name in &config.files {
            let path = folder.path().join(name);
            File::create_new(&path).map_err(text)?;
            command.env(name, padded(&path));
        }
        if let Some(folder) = &config.folder {
            command.current_dir(folder);
        }
        // SAFETY: a system call, between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // The program ends with its debugger.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // Ctrl-C at a terminal is for the debugger.
                libc::setpgid(0, 0);
                Ok(())
            });
        }
        let mut process = command.spawn().map_err(|error| format!("{}: {error}", config.leat.display()))?;
        let begun = Instant::now();
        let socket = loop {
            match listener.accept() {
                Ok((socket, _)) => break socket,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.to_string()),
            }
            let has_ended = process.try_wait().map_err(text)?.is_some();
            if has_ended || begun.elapsed() > CONNECTS {
                let _ = process.kill();
                let _ = process.wait();
                let mut stream = output.into_iter().nth(1);
                let said = stream.as_mut().map_or(String::new(), |stream| stream.read(u64::MAX, true));
                return Err(format!("the process of the program did not start\n{said}"));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        socket.set_nonblocking(false).map_err(text)?;
        // Whoever has them has them open, and a debugger that is killed leaves nothing.
        let folder = if config.files.is_empty() {
            folder.close().map_err(text)?;
            None
        } else {
            Some(folder)
        };
        let mut made = Process {
            process,
            socket,
            heard: Vec::new(),
            looked: 0,
            is_closed: false,
            number: 0,
            output,
            shared,
            inserted: inserted.to_vec(),
            compiled: None,
            ended: None,
            _folder: folder,
        };
        made.write(&Start {
            inputs: config.inputs.clone(),
            name: config.inputs.last().cloned().unwrap_or_default(),
            arguments: config.arguments.clone(),
            folder: config.runs_in.as_ref().map(|folder| folder.display().to_string()),
            seed: config.seed,
            explore,
            inserted: inserted.to_vec(),
            texts: config.texts.clone(),
        });
        Ok(made)
    }

    fn write(&mut self, message: &impl serde::Serialize) {
        let text = serde_json::to_string(message).unwrap_or_default() + "\n";
        // A process that has ended is noticed where its events are.
        let _ = self.socket.write_all(text.as_bytes());
    }

    /// Waits until it has been compiled.
    pub fn compile(&mut self, cancel: &AtomicBool) -> Result<(), String> {
        if self.compiled.is_some() {
            return Ok(());
        }
        match self.wait(cancel) {
            Ok(Event::Compiled { sites, scopes, texts }) => {
                self.compiled = Some(Compiled { sites, scopes, texts });
                Ok(())
            }
            Ok(Event::Failed { message }) => Err(message),
            Ok(event) => Err(format!("unexpected: {event:?}")),
            Err(Gone::Cancelled | Gone::Late) => Err("cancelled".to_string()),
            Err(Gone::Ended) => Err(format!("the program was not compiled\n{}", self.read_output().1)),
        }
    }

    pub fn send(&mut self, command: &Command) {
        // A pause of the former run is over. Not the process itself says so, when it has taken the command: a pause may
        // have been asked for before that.
        if matches!(command, Command::Go(_)) {
            self.set_pause(0);
        }
        self.number += 1;
        self.write(&Numbered { number: self.number, what: command });
    }

    /// Reads what has come, or comes in this time; whether that may be more than before.
    fn hear(&mut self, time: Duration) -> bool {
        if self.is_closed {
            return false;
        }
        let mut poll = libc::pollfd { fd: self.socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open.
        if unsafe { libc::poll(&mut poll, 1, time.as_millis() as i32) } <= 0 {
            return false;
        }
        let mut bytes = [0; 1 << 16];
        match self.socket.read(&mut bytes) {
            Ok(n) if n > 0 => self.heard.extend_from_slice(&bytes[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            _ => self.is_closed = true,
        }
        true
    }

    /// The next event, if it has come. What the program wrote before is in its files by then, and what it told before
    /// it wrote something has come, once that is in its files: nobody reads in between. An answer to an older command
    /// is one that nobody has waited for.
    pub fn poll(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.heard[self.looked..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=self.looked + end).collect();
                self.looked = 0;
                if let Ok(Numbered { number, what }) = serde_json::from_slice(&line)
                    && number == self.number
                {
                    return Some(what);
                }
            }
            self.looked = self.heard.len();
            if !self.hear(Duration::ZERO) {
                return None;
            }
        }
    }

    /// The next event, or the end of the process.
    pub fn wait(&mut self, cancel: &AtomicBool) -> Result<Event, Gone> {
        self.wait_until(cancel, None)
    }

    /// Likewise, but no longer than until then.
    pub fn wait_until(&mut self, cancel: &AtomicBool, end: Option<Instant>) -> Result<Event, Gone> {
        loop {
            if let Some(event) = self.poll() {
                return Ok(event);
            }
            if self.is_closed {
                return Err(Gone::Ended);
            }
            if !self.hear(TICK) {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Gone::Cancelled);
                }
                if end.is_some_and(|end| Instant::now() > end) {
                    return Err(Gone::Late);
                }
            }
        }
    }

    /// Asks while the program stands still. Who does not wait any more leaves it at work on the answer.
    pub fn ask(&mut self, command: &Command, cancel: &AtomicBool) -> Result<Event, Gone> {
        self.send(command);
        self.wait(cancel)
    }

    /// How it ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.process.try_wait().ok().flatten();
        }
        self.ended
    }

    /// Waits for its end.
    pub fn end(&mut self, cancel: &AtomicBool) -> Option<ExitStatus> {
        while self.status().is_none() && !cancel.load(Ordering::Relaxed) {
            std::thread::sleep(TICK);
        }
        self.ended
    }

    /// What it has written since the last call: to standard output, to standard error.
    pub fn read_output(&mut self) -> (String, String) {
        self.read_until([u64::MAX; 2])
    }

    /// Likewise, but no more than was written when the files were so long.
    pub fn read_until(&mut self, written: [u64; 2]) -> (String, String) {
        let is_over = self.is_closed || self.ended.is_some();
        let [out, err] = &mut self.output;
        (out.read(written[0], is_over), err.read(written[1], is_over))
    }

    /// How much it has written to standard output and to standard error.
    pub fn written(&self) -> [u64; 2] {
        [0, 1].map(|i: usize| self.output[i].length())
    }

    /// What it has written so far is known already.
    pub fn skip_output(&mut self) {
        for stream in &mut self.output {
            stream.known = stream.whole(stream.length());
        }
    }

    /// How many probes it has passed, also when it has crashed.
    pub fn count(&self) -> u64 {
        self.word(std::mem::offset_of!(Shared, count))
    }

    /// Whether it has made a socket.
    pub fn has_sockets(&self) -> bool {
        self.word(std::mem::offset_of!(Shared, sockets)) != 0
    }

    fn word(&self, at: usize) -> u64 {
        let mut word = [0; 8];
        match self.shared.read_exact_at(&mut word, at as u64) {
            Ok(()) => u64::from_ne_bytes(word),
            Err(_) => 0,
        }
    }

    /// The next probe stops.
    pub fn pause(&self) {
        self.set_pause(Pause::Stop as u64);
    }

    /// The next probe asks for other break points, if none is to stop anyway.
    pub fn renew(&self) {
        if self.word(std::mem::offset_of!(Shared, pause)) == 0 {
            self.set_pause(Pause::Renew as u64);
        }
    }

    /// The answer to [`Event::Asks`].
    pub fn renewed(&mut self, stops: Stops) {
        if self.word(std::mem::offset_of!(Shared, pause)) == Pause::Renew as u64 {
            self.set_pause(0);
        }
        self.send(&Command::Stops(stops));
    }

    fn set_pause(&self, word: u64) {
        let _ = self.shared.write_all_at(&word.to_ne_bytes(), std::mem::offset_of!(Shared, pause) as u64);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.status().is_none() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The number of a signal that ended a process.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Nobody waits for an end.
pub fn never() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who did not wait for an answer got it for the next question, and so on.
    #[test]
    fn an_answer_belongs_to_its_question() {
        let (socket, other) = UnixStream::pair().unwrap();
        let stream = || Stream { file: tempfile::tempfile().unwrap(), known: 0 };
        let mut process = Process {
            process: std::process::Command::new("true").spawn().unwrap(),
            socket,
            heard: Vec::new(),
            looked: 0,
            is_closed: false,
            number: 0,
            output: [stream(), stream()],
            shared: tempfile::tempfile().unwrap(),
            inserted: Vec::new(),
            compiled: None,
            ended: None,
            _folder: None,
        };
        let answer = |number: u64, id: u64| {
            let thread = Thread { id, name: None, is_main: false, does: String::new() };
            let text = serde_json::to_string(&Numbered { number, what: Event::Threads(vec![thread]) }).unwrap() + "\n";
            (&other).write_all(text.as_bytes()).unwrap();
        };
        let ask = |process: &mut Process, cancel: bool| match process.ask(&Command::Threads, &AtomicBool::new(cancel)) {
            Ok(Event::Threads(threads)) => Ok(threads[0].id),
            Ok(event) => panic!("{event:?}"),
            Err(gone) => Err(gone),
        };
        assert_eq!(ask(&mut process, true), Err(Gone::Cancelled));
        answer(1, 7);
        answer(2, 8);
        assert_eq!(ask(&mut process, false), Ok(8));
    }

    /// A look came between two parts of a character: both were shown as what is none.
    #[test]
    fn characters_are_read_whole() {
        let file = tempfile::tempfile().unwrap();
        let mut stream = Stream { file: file.try_clone().unwrap(), known: 0 };
        let text = "a\u{e9}\u{20ac}\u{1f600}z";
        let mut read = String::new();
        for byte in text.bytes() {
            (&file).write_all(&[byte]).unwrap();
            let new = stream.read(u64::MAX, false);
            assert!(new.chars().count() < 2);
            read += &new;
        }
        assert_eq!(read, text);
        // What is no part of a character is not waited for, and the rest comes at the end.
        (&file).write_all(b"\xff\x80\xe2\x82").unwrap();
        assert_eq!(stream.read(u64::MAX, false), "\u{fffd}\u{fffd}");
        assert_eq!(stream.read(u64::MAX, false), "");
        assert_eq!(stream.read(u64::MAX, true), "\u{fffd}");
        // Up to a place in the midst of one.
        stream.known = 0;
        assert_eq!(stream.read(5, true), "a\u{e9}");
    }
}
