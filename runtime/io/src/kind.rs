//! How a descriptor is read and written without waiting.
//!
//! Only descriptors that this process opened for itself are non-blocking. All others may be shared with the parent or a
//! child, whose reads would fail if they were made so: Linux takes `RWF_NOWAIT` with each call instead. Where it does
//! not (terminals), readiness is asked for first; then a read gives what is there, and a write takes at least a page.

use std::io;

/// See [`Manager::attempt`](crate::manager::Manager::attempt).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FdKind {
    Unknown,
    /// Non-blocking.
    Own,
    /// Blocking, but single calls can be told not to wait.
    Shared,
    /// Blocking, and calls cannot be told: asked first.
    Asked,
    /// A file: it waits for the disk at most.
    File,
    /// Whatever never waits, or no poller takes: `/dev/null` and the like. It is read and written as it is.
    Device,
}

impl FdKind {
    /// What to try when the system does not know how.
    #[inline]
    pub(crate) fn weaker(self) -> FdKind {
        match self {
            FdKind::Shared => FdKind::Asked,
            other => other,
        }
    }
}

/// Bytes that a write after a positive answer of `poll` takes for certain: PIPE_BUF, and less than any terminal's room.
const SAFE: usize = 512;

/// Looks at a descriptor. A closed one is `Unknown`: the call will tell.
pub fn of(fd: i32) -> FdKind {
    look(fd).0
}

/// Likewise; and whether a call takes one message, so that more may be there when it took less than there was room for:
/// sockets other than streams, and pipes of packets (`O_DIRECT`).
pub fn look(fd: i32) -> (FdKind, bool) {
    // SAFETY: stat is plain data that fstat fills; fcntl asks only.
    let (mode, flags) = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(fd, &mut stat) < 0 {
            return (FdKind::Unknown, false);
        }
        match stat.st_mode & libc::S_IFMT {
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK => return (FdKind::File, false),
            // /dev/null, /dev/zero and /dev/full: they never wait, and need not be asked before each page.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            libc::S_IFCHR if libc::major(stat.st_rdev) == 1 && matches!(libc::minor(stat.st_rdev), 3 | 5 | 7) => {
                return (FdKind::Device, false);
            }
            mode => (mode, libc::fcntl(fd, libc::F_GETFL)),
        }
    };
    let kind = match mode {
        _ if flags & libc::O_NONBLOCK != 0 => FdKind::Own,
        libc::S_IFCHR => FdKind::Asked,
        _ => FdKind::Shared,
    };
    let messages = match mode {
        libc::S_IFSOCK => !is_stream(fd),
        libc::S_IFCHR => false,
        _ => is_packets(flags),
    };
    (kind, messages)
}

/// A new pipe, non-blocking and to be closed by `exec`: its end for reading, and that for writing.
pub(crate) fn pipe() -> io::Result<[i32; 2]> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which fcntl changes where it takes more than one call.
    let result = unsafe {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let result = libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let result = {
            let result = libc::pipe(ends.as_mut_ptr());
            for fd in ends.into_iter().filter(|_| result == 0) {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
                libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK);
            }
            result
        };
        result
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(ends) }
}

/// Whoever reads or writes it waits from now on.
pub(crate) fn set_blocking(fd: i32) {
    // SAFETY: plain system calls; of what is no descriptor they say so.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags >= 0 {
            libc::fcntl(fd, libc::F_SETFL, flags & !libc::O_NONBLOCK);
        }
    }
}

/// It stays open in a program that is started by `exec`.
pub(crate) fn set_inherited(fd: i32) {
    // SAFETY: a plain system call; of what is no descriptor it says so.
    unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
}

fn is_stream(fd: i32) -> bool {
    let mut kind: libc::c_int = 0;
    let mut size = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: room for an int, whose size is said.
    let result = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &mut size) };
    result == 0 && kind == libc::SOCK_STREAM
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_packets(flags: i32) -> bool {
    flags & libc::O_DIRECT != 0
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_packets(_flags: i32) -> bool {
    false
}

#[inline]
fn result(got: isize) -> isize {
    if got < 0 { -(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) as isize) } else { got }
}

/// Reads without waiting; `-errno`, `-EAGAIN` when it would. `fetched`: a file's bytes are in memory, or nearly.
///
/// # Safety
/// There is room for `count` bytes.
#[inline(always)]
pub unsafe fn read(kind: FdKind, fetched: bool, fd: i32, to: *mut u8, count: usize) -> isize {
    // SAFETY: as the caller says.
    unsafe {
        match kind {
            FdKind::Shared => no_wait(fd, to, count, false),
            FdKind::File if !fetched => match no_wait(fd, to, count, false) {
                // A file system that cannot tell.
                error if error == -(libc::EOPNOTSUPP as isize) => plain(fd, to, count, false),
                got => got,
            },
            FdKind::Asked if !is_ready(fd, libc::POLLIN) => -(libc::EAGAIN as isize),
            _ => plain(fd, to, count, false),
        }
    }
}

/// Writes without waiting, like [`read`].
///
/// # Safety
/// There are `count` bytes.
#[inline(always)]
pub unsafe fn write(kind: FdKind, fd: i32, from: *const u8, count: usize) -> isize {
    // SAFETY: as the caller says.
    unsafe {
        match kind {
            FdKind::Shared => no_wait(fd, from.cast_mut(), count, true),
            FdKind::Asked if !is_ready(fd, libc::POLLOUT) => -(libc::EAGAIN as isize),
            FdKind::Asked => plain(fd, from.cast_mut(), count.min(SAFE), true),
            _ => plain(fd, from.cast_mut(), count, true),
        }
    }
}

/// Likewise of a descriptor that nothing is known of.
///
/// # Safety
/// As [`write`].
pub unsafe fn write_now(fd: i32, from: *const u8, count: usize) -> isize {
    let mut kind = of(fd);
    loop {
        // SAFETY: as the caller says.
        let got = unsafe { write(kind, fd, from, count) };
        match -got as i32 {
            libc::EINTR => {}
            libc::EOPNOTSUPP if kind.weaker() != kind => kind = kind.weaker(),
            _ => return got,
        }
    }
}

/// Whether `poll` says so now.
pub fn is_ready(fd: i32, events: i16) -> bool {
    let mut set = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one live entry.
    uninterrupted(|| unsafe { libc::poll(&mut set, 1, 0) }) != 0
}

/// What a system call answers. It is made again when a signal has interrupted it, which Linux does to a `poll` that is
/// not to wait, too.
fn uninterrupted(mut call: impl FnMut() -> i32) -> i32 {
    loop {
        let answer = call();
        if answer >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return answer;
        }
    }
}

/// What `poll` is asked of these directions (1 to read, 2 to write).
#[inline]
pub(crate) fn poll_flags(directions: u8) -> i16 {
    (if directions & 1 != 0 { libc::POLLIN | libc::POLLPRI | HUNG_UP } else { 0 })
        | (if directions & 2 != 0 { libc::POLLOUT } else { 0 })
}

/// And back.
#[inline]
pub(crate) fn poll_directions(events: i16) -> u8 {
    u8::from(events & libc::POLLIN != 0) | u8::from(events & libc::POLLOUT != 0) << 1
}

/// What `poll` has said: 1 to read, 2 to write. What is no descriptor is ready for nothing.
#[inline]
pub(crate) fn poll_answer(revents: i16) -> u8 {
    let has = |flags: i16| revents & flags != 0;
    let broken = libc::POLLERR | libc::POLLHUP;
    u8::from(has(libc::POLLIN | libc::POLLPRI | HUNG_UP | broken)) | u8::from(has(libc::POLLOUT | broken)) << 1
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const HUNG_UP: i16 = libc::POLLRDHUP;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const HUNG_UP: i16 = 0;

/// Asks of all of them, without waiting.
pub(crate) fn poll_now(sets: &mut [libc::pollfd]) {
    // SAFETY: as many entries as said, which live.
    let ask =
        |sets: &mut [libc::pollfd]| uninterrupted(|| unsafe { libc::poll(sets.as_mut_ptr(), sets.len() as _, 0) });
    // It refuses more than there may be descriptors.
    if ask(sets) < 0 {
        for set in sets.chunks_mut(1) {
            ask(set);
        }
    }
}

/// A read or write, past the C library: its own makes a place for `pthread_cancel` of each call as soon as there is a
/// second OS thread. Measured on row E1 by callbacks: 3 to 4 % of the CPU time.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[inline(always)]
unsafe fn plain(fd: i32, bytes: *mut u8, count: usize, write: bool) -> isize {
    let call = if write { libc::SYS_write } else { libc::SYS_read };
    // SAFETY: the caller's bytes; a write only reads them.
    unsafe { call_system(call, fd, bytes, count) }
}

/// A system call, made in line where that is known here; `-errno` when it fails. Where the kernel guards its own
/// returns, as Linux does on AMD's processors, every `ret` after a call of the system is predicted wrong until the
/// caller's caller is reached: a function less between the call and its user is some 5 ns.
///
/// # Safety
/// As of the call.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[inline(always)]
unsafe fn call_system(call: libc::c_long, fd: i32, bytes: *mut u8, count: usize) -> isize {
    #[cfg(all(target_arch = "x86_64", not(target_pointer_width = "32")))]
    // SAFETY: as the caller says; the kernel changes `rax`, `rcx`, `r11` and the caller's bytes.
    unsafe {
        let mut result = call as isize;
        core::arch::asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") fd as isize,
            in("rsi") bytes,
            in("rdx") count,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack, preserves_flags)
        );
        result
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as the caller says; the kernel changes `x0` and the caller's bytes.
    unsafe {
        let mut result = fd as isize;
        core::arch::asm!(
            "svc 0",
            in("x8") call,
            inlateout("x0") result,
            in("x1") bytes,
            in("x2") count,
            options(nostack, preserves_flags)
        );
        result
    }
    #[cfg(not(any(all(target_arch = "x86_64", not(target_pointer_width = "32")), target_arch = "aarch64")))]
    // SAFETY: as the caller says.
    result(unsafe { libc::syscall(call, fd, bytes, count) } as isize)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[inline]
unsafe fn plain(fd: i32, bytes: *mut u8, count: usize, write: bool) -> isize {
    // SAFETY: the caller's bytes; a write only reads them.
    result(unsafe { if write { libc::write(fd, bytes.cast(), count) } else { libc::read(fd, bytes.cast(), count) } })
}

#[cfg(any(target_os = "linux", target_os = "android"))]
unsafe fn no_wait(fd: i32, bytes: *mut u8, count: usize, write: bool) -> isize {
    let call = if write { libc::SYS_pwritev2 } else { libc::SYS_preadv2 };
    let part = libc::iovec { iov_base: bytes.cast(), iov_len: count };
    // SAFETY: the caller's bytes. Offset -1, in two halves: the place of the descriptor.
    let got = unsafe { libc::syscall(call, fd, &part, 1, -1i64, -1i64, libc::RWF_NOWAIT) };
    match result(got as isize) {
        // An old kernel.
        error if error == -(libc::ENOSYS as isize) => -(libc::EOPNOTSUPP as isize),
        got => got,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
unsafe fn no_wait(_fd: i32, _bytes: *mut u8, _count: usize, _write: bool) -> isize {
    -(libc::EOPNOTSUPP as isize)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsRawFd;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    static CAME: AtomicU32 = AtomicU32::new(0);

    extern "C" fn count(_signal: i32) {
        CAME.fetch_add(1, Ordering::Relaxed);
    }

    /// A signal that came while `poll` looked, as those of a profile do, made a descriptor ready that was not:
    /// `OS.IO.pollEvt` happened, or a terminal was read, and a thread or a worker waited without an end.
    #[test]
    fn a_signal_makes_nothing_ready() {
        let (pipe, _writer) = io::pipe().unwrap();
        let fd = pipe.as_raw_fd();
        let signal = libc::SIGRTMIN() + 7;
        // SAFETY: the structures are plain data and live during the calls; the handler counts only.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = count as extern "C" fn(i32) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer: libc::timer_t = std::ptr::null_mut();
            assert_eq!(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer), 0);
            let often = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
            let times = libc::itimerspec { it_interval: often, it_value: often };
            libc::timer_settime(timer, 0, &times, std::ptr::null_mut());
            let mut ready = 0;
            while CAME.load(Ordering::Relaxed) < 2_000 {
                ready += u32::from(is_ready(fd, libc::POLLIN));
            }
            libc::timer_delete(timer);
            assert_eq!(ready, 0);
        }
    }

    /// Each write to /dev/null was asked for, and took 512 bytes.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_waits_is_not_asked() {
        for device in ["/dev/null", "/dev/zero", "/dev/full"] {
            let file = std::fs::OpenOptions::new().read(true).write(true).open(device).unwrap();
            assert_eq!(of(file.as_raw_fd()), FdKind::Device, "{device}");
        }
        let random = std::fs::File::open("/dev/urandom").unwrap();
        assert_eq!(of(random.as_raw_fd()), FdKind::Asked);
    }
}
