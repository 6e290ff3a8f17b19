//! Standard output and standard error: bytes -> descriptors 1 and 2, or a buffer for tests and tools.
//!
//! Standard output is collected in a buffer that is written out when full, at a line's end on a terminal, and at exit.
//! A descriptor that does not take bytes now (non-blocking, inherited) is waited for, never changed.
//! Keeps: a failure is reported once; after it every write fails at once and nothing is retried.

use std::sync::{Mutex, MutexGuard};

/// Bytes collected before they are written out.
const BUFFER: usize = 64 << 10;

/// Where bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    Descriptor(i32),
    /// Kept in memory, see [`Output::take`].
    Memory,
}

/// One of the two outputs.
pub struct Output {
    state: Mutex<State>,
}

struct State {
    sink: Sink,
    buffer: Vec<u8>,
    /// Write out at each line's end; None until looked at.
    by_line: Option<bool>,
    /// How much of the buffer has to be out before anything else is seen of the program: what `print` wrote, whose
    /// meaning is to flush.
    due: usize,
    /// The error number of the first failed write.
    failed: i32,
}

/// A write failed with this error number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure(pub i32);

impl Output {
    pub const fn new(sink: Sink) -> Output {
        let state = State { sink, buffer: Vec::new(), by_line: None, due: 0, failed: 0 };
        Output { state: Mutex::new(state) }
    }

    /// Puts bytes behind the buffer's, and writes out what is due.
    pub fn print(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.lock().print(bytes)
    }

    /// Like [`Output::print`], and it is out before anything else is seen: see [`Output::flush_due`].
    pub fn print_due(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut state = self.lock();
        state.print(bytes)?;
        state.due = state.buffer.len();
        if state.is_by_line() { state.flush() } else { Ok(()) }
    }

    /// Writes out what [`Output::print_due`] has left in the buffer, and what came before it.
    pub fn flush_due(&self) -> Result<(), Failure> {
        let mut state = self.lock();
        match state.due {
            0 => Ok(()),
            all if all == state.buffer.len() => state.flush(),
            due => {
                let rest = state.buffer.split_off(due);
                let result = state.flush();
                state.append(&rest);
                result
            }
        }
    }

    /// Writes everything out.
    pub fn flush(&self) -> Result<(), Failure> {
        self.lock().flush()
    }

    /// Writes bytes at once.
    pub fn print_now(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut state = self.lock();
        state.print(bytes)?;
        state.flush()
    }

    /// What a memory sink has got since the last call.
    pub fn take(&self) -> Vec<u8> {
        let mut state = self.lock();
        std::mem::take(&mut state.buffer)
    }

    /// Where bytes go.
    pub fn sink(&self) -> Sink {
        self.lock().sink
    }

    /// A new program begins with this sink.
    pub fn reset(&self, sink: Sink) {
        *self.lock() = State { sink, buffer: Vec::new(), by_line: None, due: 0, failed: 0 };
    }

    /// Writes out what a signal handler can: all, unless the program is changing the buffer right now.
    pub fn flush_from_signal(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            let _ = state.flush();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

}

impl State {
    fn print(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.failed != 0 {
            return Err(Failure(self.failed));
        }
        if self.sink == Sink::Memory {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        let mut rest = bytes;
        while self.buffer.len() + rest.len() >= BUFFER {
            let (now, later) = rest.split_at(rest.len().min(BUFFER - self.buffer.len()));
            self.append(now);
            self.flush()?;
            rest = later;
        }
        self.append(rest);
        if self.is_by_line() && rest.contains(&b'\n') { self.flush() } else { Ok(()) }
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

    fn flush(&mut self) -> Result<(), Failure> {
        let Sink::Descriptor(fd) = self.sink else { return Ok(()) };
        self.due = 0;
        if self.failed != 0 {
            return Err(Failure(self.failed));
        }
        let result = write_all(fd, &self.buffer);
        self.buffer.clear();
        if let Err(Failure(error)) = result {
            self.failed = error;
        }
        result
    }
}

/// Writes all bytes to a descriptor, waiting while it takes none. Safe in a signal handler.
pub fn write_all(fd: i32, mut bytes: &[u8]) -> Result<(), Failure> {
    while !bytes.is_empty() {
        // SAFETY: the bytes live.
        let wrote = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if wrote >= 0 {
            bytes = &bytes[wrote as usize..];
            continue;
        }
        match errno() {
            libc::EINTR => {}
            libc::EAGAIN => {
                let mut set = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one live entry.
                unsafe { libc::poll(&mut set, 1, -1) };
            }
            error => return Err(Failure(error)),
        }
    }
    Ok(())
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
        output.print(b"one\ntwo").unwrap();
        output.flush().unwrap();
        assert_eq!(read(from, 100), b"one\ntwo");
        let long = vec![b'x'; BUFFER + 10];
        std::thread::scope(|s| {
            s.spawn(|| output.print(&long).unwrap());
            let mut got = 0;
            while got < BUFFER {
                got += read(from, BUFFER).len();
            }
            assert_eq!(got, BUFFER, "whole buffers go out, the rest stays");
        });
        output.flush().unwrap();
        assert_eq!(read(from, 100), [b'x'; 10]);
    }

    /// A reader that has gone: one error, then nothing more is tried.
    #[test]
    fn a_closed_reader_is_an_error_once_and_for_all() {
        let [from, to] = pipe();
        // SAFETY: ours; Rust's start ignores SIGPIPE, and so does the runtime's.
        unsafe { libc::close(from) };
        let output = Output::new(Sink::Descriptor(to));
        output.print(b"x").unwrap();
        assert_eq!(output.flush(), Err(Failure(libc::EPIPE)));
        // SAFETY: ours.
        unsafe { libc::close(to) };
        assert_eq!(output.print(b"y"), Err(Failure(libc::EPIPE)));
        assert_eq!(output.flush(), Err(Failure(libc::EPIPE)));
        let closed = Output::new(Sink::Descriptor(987_654));
        closed.print(b"x").unwrap();
        assert_eq!(closed.flush(), Err(Failure(libc::EBADF)));
        assert_eq!(error_text(libc::EPIPE), "Broken pipe");
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
                output.print(&vec![b'z'; total]).unwrap();
                output.flush().unwrap();
            });
            let mut got = 0;
            while got < total {
                got += read(from, 10_000).len();
            }
        });
    }

    #[test]
    fn memory_sinks_keep_everything() {
        let output = Output::new(Sink::Memory);
        output.print(b"a\n").unwrap();
        output.print_now(b"b").unwrap();
        assert_eq!((output.take(), output.take()), (b"a\nb".to_vec(), Vec::new()));
    }
}
