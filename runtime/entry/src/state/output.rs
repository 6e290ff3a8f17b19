//! Standard output and standard error: bytes -> descriptors 1 and 2, or a buffer for tests and tools.
//!
//! What `TextIO.output` writes is collected in a buffer that is written out when full, at a line's end on a terminal,
//! and at exit. What `print` writes is [`Drain::Due`], and everything before it: the Basis says that `print` flushes.
//! So it is written at once, as long as a program prints less than [`DIRECT`] times a millisecond. One that prints more
//! does not pay a system call each time: from then on an OS thread, the flusher, writes out what is due every
//! millisecond, until there is nothing for some milliseconds; then it sleeps. Nobody but a clock can tell the
//! difference, since each effect that can be seen from outside comes after what is due (`Effect::Outside` of
//! `abi::prim`), and so does a worker's wait.
//!
//! ```text
//!  DIRECT --more than 32 prints in a millisecond--> BUFFERED, flusher active --nothing due for 5 ms--> DIRECT
//! ```
//!
//! While the program runs, a descriptor that takes no bytes now is waited for by the thread that wants to print; at the
//! end by the process. It is never changed.
//!
//! Keeps: as in every other stream, what a failed write has left stays for the next one, and bytes that do not fit
//! beside it are not accepted; so the buffer does not grow, however often that is tried. Each write that fails for the
//! program is told to the program, by an exception. One that fails on the way, in the flusher or before an effect, is
//! tried anew by who prints next, or at the end of the program, who is told then. A reader that has gone (EPIPE) never
//! reads what is left: who is told of it leaves an empty buffer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use leat_io::kind;

use crate::state::os_thread::block_all;

/// Bytes collected before they are written out.
const BUFFER: usize = 64 << 10;
/// So many prints in [`PERIOD`] are written at once.
const DIRECT: u32 = 32;
/// What was printed is out after so long.
const PERIOD: Duration = Duration::from_millis(1);
/// The flusher falls asleep when there was nothing to write so many times.
const CALM: u32 = 5;
/// It ends after so long: it shares the table of descriptors, which makes each system call on one a little dearer.
const WITHOUT_WORK: Duration = Duration::from_secs(2);
/// How long it waits at most while the descriptor takes nothing.
const LONGEST: Duration = Duration::from_millis(64);
/// How long a signal's handler, which ends the process, waits for others to be done with the buffer.
const LAST_WORDS: Duration = Duration::from_millis(20);
/// It looks so often whether the descriptor takes bytes, in milliseconds.
const LOOK: libc::c_int = 2;

/// Where bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    Descriptor(i32),
    /// Kept in memory, see [`Output::take`].
    Memory,
    /// See [`Output::give_up`].
    Nowhere,
}

/// How much is to be written out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drain {
    /// All; but it is no matter when some cannot be yet and there is room for more.
    Enough,
    /// What has to be out before anything else is seen of the program: what `print` wrote, whose meaning is to flush.
    Due,
    All,
}

/// One of the two outputs.
pub struct Output {
    state: Mutex<State>,
    /// Something is due and not out. Written under the lock, read by whoever is about to do what can be seen.
    is_due: AtomicBool,
    /// The flusher waits here while it is asleep.
    wake: Condvar,
}

struct State {
    sink: Sink,
    buffer: Vec<u8>,
    /// How much of the buffer is out already.
    start: usize,
    /// Write out at each line's end; None until looked at.
    by_line: Option<bool>,
    /// How much of the buffer is [`Drain::Due`].
    due: usize,
    /// A write failed, and nobody was told: nothing is due, and who prints next tries at once.
    failed: bool,
    /// Prints that are still written at once in the period that began then.
    direct: u32,
    began: Option<Instant>,
    flusher: Flusher,
}

/// The OS thread that writes out what was printed, see above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flusher {
    None,
    /// Made, and not seen yet.
    Begins,
    Asleep,
    Active,
}

/// A write failed with this error number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure(pub i32);

/// What [`Output::add`] has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// The bytes may stay in the buffer.
    Stays,
    /// It is time for [`Output::drain`].
    Goes,
    /// Nothing: what is in the buffer has to go first.
    NoRoom,
}

impl Output {
    pub const fn new(sink: Sink) -> Output {
        Output { state: Mutex::new(State::new(sink)), is_due: AtomicBool::new(false), wake: Condvar::new() }
    }

    /// Puts bytes behind the buffer's, all of them together, if there is room or `anyway`; into an empty buffer any
    /// number. `due`: they are to be out before anything else is seen, see [`Drain::Due`].
    pub fn add(&'static self, bytes: &[u8], due: bool, anyway: bool) -> Added {
        let mut state = self.lock();
        match state.sink {
            Sink::Descriptor(_) => {}
            Sink::Memory => {
                state.append(bytes);
                return Added::Stays;
            }
            Sink::Nowhere => return Added::Stays,
        }
        let held = state.buffer.len() - state.start;
        if held > 0 && held + bytes.len() > BUFFER && !anyway {
            return Added::NoRoom;
        }
        state.append(bytes);
        // One that is just full goes before the next bytes: if that fails, these here were accepted without an
        // exception.
        let mut now = state.buffer.len() - state.start > BUFFER || state.failed;
        if due {
            state.due = state.buffer.len();
            now |= state.is_by_line() || self.is_direct(&mut state);
        } else {
            now |= bytes.contains(&b'\n') && state.is_by_line();
        }
        self.note(&state);
        if now { Added::Goes } else { Added::Stays }
    }

    /// Whether what is printed now is written at once. If not, the flusher is active.
    fn is_direct(&'static self, state: &mut State) -> bool {
        if state.flusher == Flusher::Active {
            return false;
        }
        if state.direct > 0 {
            state.direct -= 1;
            return true;
        }
        let now = Instant::now();
        if state.began.is_none_or(|began| now.duration_since(began) >= PERIOD) {
            (state.direct, state.began) = (DIRECT - 1, Some(now));
            return true;
        }
        !self.wake_flusher(state)
    }

    /// What is due and did not go out is seen to by the flusher. False: there is none.
    pub fn leave_to_flusher(&'static self) -> bool {
        let mut state = self.lock();
        state.due <= state.start || state.flusher == Flusher::Active || self.wake_flusher(&mut state)
    }

    /// True when the flusher is active. A new one may take long to begin, where others use the processors.
    fn wake_flusher(&'static self, state: &mut State) -> bool {
        match state.flusher {
            Flusher::Active => {}
            Flusher::Asleep => {
                state.flusher = Flusher::Active;
                self.wake.notify_one();
            }
            Flusher::Begins => return false,
            Flusher::None => {
                let builder = std::thread::Builder::new().name("flusher".into()).stack_size(64 << 10);
                if builder.spawn(|| self.run_flusher()).is_ok() {
                    state.flusher = Flusher::Begins;
                }
                return false;
            }
        }
        true
    }

    /// What the flusher does.
    fn run_flusher(&self) {
        // Signals are for the workers.
        block_all();
        let mut state = self.lock();
        loop {
            state.flusher = if state.due > state.start { Flusher::Active } else { Flusher::Asleep };
            let idle = |state: &mut State| state.flusher == Flusher::Asleep;
            state = self.wake.wait_timeout_while(state, WITHOUT_WORK, idle).unwrap_or_else(|e| e.into_inner()).0;
            if state.flusher == Flusher::Asleep {
                state.flusher = Flusher::None;
                return;
            }
            drop(state);
            let (mut calm, mut nap) = (0, PERIOD);
            while calm < CALM {
                std::thread::sleep(nap);
                if !self.is_due() {
                    calm += 1;
                    continue;
                }
                // SAFETY: the bytes live.
                let write = |fd: i32, bytes: &[u8]| unsafe { kind::write_now(fd, bytes.as_ptr(), bytes.len()) };
                let result = self.drain(Drain::Due, write);
                (calm, nap) = (0, if result == Ok(false) { LONGEST.min(2 * nap) } else { PERIOD });
            }
            state = self.lock();
            state.direct = DIRECT;
        }
    }

    /// Something is due and not out.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Acquire)
    }

    fn note(&self, state: &State) {
        self.is_due.store(state.due > state.start && !state.failed, Ordering::Release);
    }

    /// Runs `fork`, which tells whether this is the child: there, no flusher is left.
    pub fn around_fork(&self, fork: impl FnOnce() -> bool) {
        let mut state = self.lock();
        // The child forgets what does not go now: that is the parent's to write.
        state.flush_within(Duration::ZERO);
        state.tidy();
        self.note(&state);
        if fork() {
            state.flusher = Flusher::None;
            state.clear();
        }
    }

    /// Writes out by `write`, which gives a count or a negated error number, until there is as little left as is asked
    /// for. False: it would block.
    pub fn drain(&self, how: Drain, mut write: impl FnMut(i32, &[u8]) -> isize) -> Result<bool, Failure> {
        let mut state = self.lock();
        let Sink::Descriptor(fd) = state.sink else { return Ok(true) };
        state.failed = false;
        let goal = match how {
            Drain::Due => state.due,
            Drain::Enough | Drain::All => state.buffer.len(),
        };
        let mut result = Ok(true);
        while state.start < goal {
            let got = write(fd, &state.buffer[state.start..goal]);
            if got >= 0 {
                state.start += got as usize;
                continue;
            }
            result = if got == -(libc::EAGAIN as isize) {
                Ok(how == Drain::Enough && state.buffer.len() - state.start < BUFFER)
            } else {
                state.has_failed();
                Err(Failure(-got as i32))
            };
            break;
        }
        state.tidy();
        self.note(&state);
        result
    }

    /// The program knows of the failure.
    pub fn told(&self, Failure(error): Failure) {
        let mut state = self.lock();
        state.failed = false;
        if error == libc::EPIPE {
            state.clear();
        }
        self.note(&state);
    }

    /// Nobody reads any more, and the program ends of that: what is written from now on goes nowhere.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.buffer = Vec::new();
        (state.start, state.due) = (0, 0);
        state.sink = Sink::Nowhere;
        self.note(&state);
    }

    /// Writes everything out.
    pub fn flush(&self) -> Result<(), Failure> {
        let mut state = self.lock();
        let result = state.flush();
        self.note(&state);
        result
    }

    /// Writes bytes at once.
    pub fn print_now(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut state = self.lock();
        let result = state.print(bytes).and_then(|()| state.flush());
        self.note(&state);
        result
    }

    /// What a memory sink has got since the last call.
    pub fn take(&self) -> Vec<u8> {
        let mut state = self.lock();
        state.start = 0;
        std::mem::take(&mut state.buffer)
    }

    /// Where bytes go.
    pub fn sink(&self) -> Sink {
        self.lock().sink
    }

    /// A new program begins with this sink.
    pub fn reset(&self, sink: Sink) {
        let mut state = self.lock();
        let flusher = state.flusher;
        *state = State { flusher, ..State::new(sink) };
        self.note(&state);
    }

    /// Writes out what a signal handler can: what the descriptor takes within this time, unless the interrupted code is
    /// changing the buffer right now. A reader that stands still must not keep the process from its end.
    pub fn flush_from_signal(&self, time: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < LAST_WORDS {
            if let Ok(mut state) = self.state.try_lock() {
                state.flush_within(time);
                return;
            }
            std::thread::yield_now();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl State {
    const fn new(sink: Sink) -> State {
        State {
            sink,
            buffer: Vec::new(),
            start: 0,
            by_line: None,
            due: 0,
            failed: false,
            direct: DIRECT,
            began: None,
            flusher: Flusher::None,
        }
    }

    fn print(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self.sink {
            Sink::Descriptor(_) => {}
            Sink::Memory => {
                self.buffer.extend_from_slice(bytes);
                return Ok(());
            }
            Sink::Nowhere => return Ok(()),
        }
        let mut rest = bytes;
        while self.buffer.len() - self.start + rest.len() >= BUFFER {
            let (now, later) = rest.split_at(rest.len().min((BUFFER + self.start).saturating_sub(self.buffer.len())));
            self.append(now);
            self.flush()?;
            rest = later;
        }
        self.append(rest);
        if self.is_by_line() && rest.contains(&b'\n') { self.flush() } else { Ok(()) }
    }

    /// What is out goes from the buffer, without moving the rest each time.
    fn tidy(&mut self) {
        if self.start == self.buffer.len() {
            self.clear();
            if self.buffer.capacity() > 4 * BUFFER {
                self.buffer = Vec::new();
            }
        } else if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.due = self.due.saturating_sub(self.start);
            self.start = 0;
        }
    }

    fn clear(&mut self) {
        self.buffer.clear();
        (self.start, self.due) = (0, 0);
    }

    /// What is left waits for the next one who prints.
    fn has_failed(&mut self) {
        (self.failed, self.due) = (true, 0);
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.buffer.capacity() == 0 && !bytes.is_empty() {
            self.buffer.reserve_exact(BUFFER);
        }
        self.buffer.extend_from_slice(bytes);
    }

    fn is_by_line(&mut self) -> bool {
        let Sink::Descriptor(fd) = self.sink else { return false };
        // SAFETY: a plain question about a descriptor.
        *self.by_line.get_or_insert_with(|| unsafe { libc::isatty(fd) } == 1)
    }

    /// Writes what the descriptor takes within this time. It gives no memory back, so a handler of signals may call it.
    fn flush_within(&mut self, time: Duration) {
        if let Sink::Descriptor(fd) = self.sink {
            self.start += write_within(fd, &self.buffer[self.start..], time);
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let Sink::Descriptor(fd) = self.sink else { return Ok(()) };
        let (wrote, result) = write_some(fd, &self.buffer[self.start..]);
        self.start += wrote;
        match result {
            Ok(()) => {
                self.clear();
                self.failed = false;
            }
            Err(_) => {
                self.has_failed();
                self.tidy();
            }
        }
        result
    }
}

/// Writes all bytes to a descriptor, waiting while it takes none. Safe in a signal handler.
pub fn write_all(fd: i32, bytes: &[u8]) -> Result<(), Failure> {
    write_some(fd, bytes).1
}

/// The same, and how many bytes were written: all but at a failure.
fn write_some(fd: i32, bytes: &[u8]) -> (usize, Result<(), Failure>) {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        // SAFETY: the bytes live.
        let wrote = unsafe { libc::write(fd, rest.as_ptr().cast(), rest.len()) };
        if wrote >= 0 {
            start += wrote as usize;
            continue;
        }
        match errno() {
            libc::EINTR => {}
            libc::EAGAIN => {
                let mut set = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one live entry.
                unsafe { libc::poll(&mut set, 1, -1) };
            }
            error => return (start, Err(Failure(error))),
        }
    }
    (start, Ok(()))
}

/// Writes what a descriptor takes within this time, and gives the number of these bytes. Safe in a signal handler.
pub fn write_within(fd: i32, bytes: &[u8], time: Duration) -> usize {
    let begin = Instant::now();
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        // SAFETY: the bytes live.
        match unsafe { kind::write_now(fd, rest.as_ptr(), rest.len()) } {
            wrote @ 1.. => start += wrote as usize,
            error if error == -(libc::EAGAIN as isize) && begin.elapsed() < time => {
                let mut set = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one live entry.
                unsafe { libc::poll(&mut set, 1, LOOK) };
            }
            _ => break,
        }
    }
    start
}

/// The error number of the last system call.
pub fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// The system's text for an error number.
pub fn error_text(error: i32) -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer is as large as said; the function ends the text with a 0.
    unsafe { libc::strerror_r(error, buffer.as_mut_ptr().cast(), buffer.len()) };
    let end = buffer.iter().position(|b| *b == 0).unwrap_or(0);
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(output: &Output, bytes: &[u8]) -> Result<(), Failure> {
        output.lock().print(bytes)
    }

    fn pipe() -> [i32; 2] {
        let mut fds = [0; 2];
        // SAFETY: room for two.
        assert_eq!(unsafe { libc::pipe(fds.as_mut_ptr()) }, 0);
        fds
    }

    fn read(fd: i32, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        // SAFETY: the buffer is as large as said.
        let got = unsafe { libc::read(fd, bytes.as_mut_ptr().cast(), most) };
        bytes.truncate(got.max(0) as usize);
        bytes
    }

    #[test]
    fn bytes_wait_in_the_buffer_until_it_is_full_or_flushed() {
        let [from, to] = pipe();
        let output = Output::new(Sink::Descriptor(to));
        print(&output, b"one\ntwo").unwrap();
        output.flush().unwrap();
        assert_eq!(read(from, 100), b"one\ntwo");
        let long = vec![b'x'; BUFFER + 10];
        std::thread::scope(|s| {
            s.spawn(|| print(&output, &long).unwrap());
            let mut got = 0;
            while got < BUFFER {
                got += read(from, BUFFER).len();
            }
            assert_eq!(got, BUFFER, "whole buffers go out, the rest stays");
        });
        output.flush().unwrap();
        assert_eq!(read(from, 100), [b'x'; 10]);
    }

    /// A reader that has gone, or no descriptor: each write is an error.
    #[test]
    fn a_closed_reader_is_an_error() {
        let [from, to] = pipe();
        // SAFETY: ours; Rust's start ignores SIGPIPE, and so does the runtime's.
        unsafe { libc::close(from) };
        let output = Output::new(Sink::Descriptor(to));
        print(&output, b"x").unwrap();
        assert_eq!(output.flush(), Err(Failure(libc::EPIPE)));
        assert_eq!(output.flush(), Err(Failure(libc::EPIPE)), "tried again");
        output.told(Failure(libc::EPIPE));
        assert_eq!(output.flush(), Ok(()), "nobody will ever read it");
        // SAFETY: ours.
        unsafe { libc::close(to) };
        let closed = Output::new(Sink::Descriptor(987_654));
        print(&closed, b"x").unwrap();
        assert_eq!(closed.flush(), Err(Failure(libc::EBADF)));
        assert_eq!(error_text(libc::EPIPE), "Broken pipe");
    }

    /// What a failed write has left comes with the next one, once, and what does not fit beside it is not accepted.
    /// (One failure, as on a disk that is full for a moment, dropped all that calls before had put into the buffer.)
    #[test]
    fn what_a_failed_write_has_left_stays() {
        let output: &'static Output = Box::leak(Box::new(Output::new(Sink::Descriptor(1))));
        let full = |_: i32, _: &[u8]| -(libc::ENOSPC as isize);
        let failure = Failure(libc::ENOSPC);
        let line = [b'y'; 1000];
        let mut expected = Vec::new();
        while output.add(&line, false, false) != Added::NoRoom {
            expected.extend_from_slice(&line);
        }
        assert_eq!(output.drain(Drain::All, full), Err(failure));
        output.told(failure);
        assert_eq!(output.add(&line, false, false), Added::NoRoom);
        assert_eq!(output.add(b"z", true, false), Added::Goes);
        expected.push(b'z');
        let mut out = Vec::new();
        // A part goes, then the disk is full again; whoever does that is not who prints.
        let mut room = 3000;
        let part = |_: i32, bytes: &[u8]| {
            let n = bytes.len().min(room);
            out.extend_from_slice(&bytes[..n]);
            room -= n;
            if n == 0 { -(libc::ENOSPC as isize) } else { n as isize }
        };
        assert_eq!(output.drain(Drain::Due, part), Err(failure));
        assert!(!output.is_due(), "nobody but who prints tries again");
        assert_eq!(output.add(b"!", false, false), Added::Goes, "who prints next is told");
        expected.push(b'!');
        let all = |_: i32, bytes: &[u8]| {
            out.extend_from_slice(bytes);
            bytes.len() as isize
        };
        assert_eq!(output.drain(Drain::All, all), Ok(true));
        assert!(out == expected);
        assert_eq!(output.add(&[b'x'; BUFFER], false, false), Added::Stays, "just full");
        assert_eq!(output.drain(Drain::All, |_, bytes| bytes.len() as isize), Ok(true));
        assert_eq!(output.add(&[b'x'; 10 * BUFFER], false, false), Added::Goes, "anything fits into an empty buffer");
        assert_eq!(output.drain(Drain::All, full), Err(failure));
        assert_eq!(output.add(b"x", false, false), Added::NoRoom);
    }

    /// What the runtime says goes on being tried, and takes no more room than a buffer.
    #[test]
    fn messages_that_cannot_be_written_take_a_bounded_room() {
        let output = Output::new(Sink::Descriptor(987_654));
        for _ in 0..300 {
            assert_eq!(output.print_now(&[b'x'; 1000]), Err(Failure(libc::EBADF)));
        }
        assert!(output.lock().buffer.len() <= BUFFER);
    }

    /// Nothing is lost, moved or written twice when a descriptor takes little at a time, or none.
    #[test]
    fn draining_goes_on_where_it_stopped() {
        let output: &'static Output = Box::leak(Box::new(Output::new(Sink::Descriptor(1))));
        let text: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        assert_eq!(output.add(&text[..10], false, false), Added::Stays);
        assert_eq!(output.add(&text[10..290_000], true, false), Added::NoRoom);
        assert_eq!(output.add(&text[10..290_000], true, true), Added::Goes);
        assert_eq!(output.add(&text[290_000..], false, true), Added::Goes);
        let mut out = Vec::new();
        let mut turn = 0;
        let mut write = |_: i32, bytes: &[u8]| {
            turn += 1;
            if turn % 3 == 0 {
                return -(libc::EAGAIN as isize);
            }
            let n = bytes.len().min(7_001);
            out.extend_from_slice(&bytes[..n]);
            n as isize
        };
        assert_eq!(output.drain(Drain::Enough, &mut write), Ok(false));
        while !output.drain(Drain::Due, &mut write).unwrap() {}
        while !output.drain(Drain::All, &mut write).unwrap() {}
        assert_eq!(out.len(), text.len());
        assert!(out == text);
    }

    /// A descriptor that somebody made non-blocking is waited for.
    #[test]
    fn a_full_pipe_is_waited_for() {
        let [from, to] = pipe();
        // SAFETY: ours.
        unsafe { libc::fcntl(to, libc::F_SETFL, libc::O_NONBLOCK) };
        let output = Output::new(Sink::Descriptor(to));
        let total = 400_000;
        std::thread::scope(|s| {
            s.spawn(|| {
                print(&output, &vec![b'z'; total]).unwrap();
                output.flush().unwrap();
            });
            let mut got = 0;
            while got < total {
                got += read(from, 10_000).len();
            }
        });
    }

    /// A handler that ends the process does not wait for a reader that stands still, and writes the rest if it reads.
    #[test]
    fn last_words_are_for_who_listens() {
        let [from, to] = pipe();
        let long = vec![b'x'; 1 << 20];
        let room = write_within(to, &long, Duration::from_millis(1));
        assert!(0 < room && room < long.len());
        let output = Output::new(Sink::Descriptor(to));
        output.lock().append(b"last words");
        output.flush_from_signal(Duration::from_millis(1));
        assert_eq!(output.lock().start, 0);
        std::thread::scope(|s| {
            s.spawn(|| output.flush_from_signal(Duration::from_secs(600)));
            let mut got = Vec::new();
            while got.len() < room + 10 {
                got.extend(read(from, BUFFER));
            }
            assert_eq!(&got[room..], b"last words");
        });
        assert_eq!(output.lock().start, 10);
        assert_eq!(write_within(987_654, b"x", Duration::from_secs(600)), 0, "no descriptor");
    }

    #[test]
    fn memory_sinks_keep_everything() {
        let output = Output::new(Sink::Memory);
        print(&output, b"a\n").unwrap();
        output.print_now(b"b").unwrap();
        assert_eq!((output.take(), output.take()), (b"a\nb".to_vec(), Vec::new()));
    }
}
