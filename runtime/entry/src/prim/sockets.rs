//! Waiting for descriptors, and sockets: primitives of `abi::prim` over the I/O manager and system calls.
//!
//! No call of this file waits: a result of `-EAGAIN` means that the library waits by `fd_wait`, which parks the thread, and
//! calls again. So bytes are read and written in the heap itself. Results below 0 are negated error numbers. Addresses are
//! strings of bytes as the system has them.

use leat_abi::header::Kind;
use leat_abi::tcb::Tcb;
use leat_fiber::reason;
use leat_io::kind;
use leat_io::{Direction, Interest, Manager, Outcome, TimerId, Wait, WaitId};

use crate::prim::files::{answer, set, text_or_error};
use crate::prim::threads;
use crate::service::events::Token;
use crate::service::objects::{bytes, bytes_mut, header_of};
use crate::service::output::errno;
use crate::service::pool::Answer;
use crate::state::runtime::runtime;

/// Most bytes of one call, so that no collection waits for it long.
const MOST: usize = 1 << 20;

/// The I/O manager of the running program.
pub(crate) fn io() -> &'static Manager {
    &runtime().events.io
}

/// A wait is over. The token is a thread, which is told how when it parked in [`leat_fd_wait`], or a waiter; false: not now.
///
/// # Safety
/// `token` is an object of either kind; the caller is a worker.
pub(crate) unsafe fn wake(tcb: *mut Tcb, token: u64, outcome: Option<Outcome>) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(outcome) = outcome
            && is_thread(token)
        {
            let value = if outcome == Outcome::Closed { -(libc::EBADF as i64) } else { 1 };
            leat_fiber::set_value(token, value);
        }
        threads::event_happened(tcb, token)
    }
}

unsafe fn is_thread(token: u64) -> bool {
    // SAFETY: the caller has an object.
    unsafe { Kind::of(header_of(token)) == Kind::Thread }
}

fn direction(mode: u64) -> Direction {
    if mode & 1 == 0 { Direction::Read } else { Direction::Write }
}

fn negated(error: i32) -> u64 {
    -(error as i64) as u64
}

const AGAIN: u64 = 2;

/// fd * mode (0 to read, 1 to write; 2 more when an earlier call gave 0) -> 1: try again; 0: not yet, call again; or an error.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_wait(tcb: *mut Tcb, fd: u64, mode: u64) -> u64 {
    let direction = direction(mode);
    let why = if direction == Direction::Read { reason::READ } else { reason::WRITE };
    // SAFETY: as the caller says; parking comes last.
    unsafe {
        let thread = (*tcb).current;
        if mode & AGAIN != 0 {
            if !io().is_waiting(fd as i32, direction, thread) {
                // It was woken between two parks.
                let value = leat_fiber::take_own_value(tcb);
                return if value == 0 { 1 } else { value };
            }
            return leat_fiber::park(tcb, why);
        }
        match io().begin(fd as i32, direction, thread, false) {
            Err(error) => negated(error),
            Ok(Wait::Ready) => 1,
            Ok(Wait::Waiting(_)) => leat_fiber::park(tcb, why),
            Ok(Wait::File) => {
                let events = &runtime().events;
                let io = events.io.clone();
                let fd = fd as i32;
                events.pool.start(thread, true, move || fetch(&io, fd));
                leat_fiber::park(tcb, why)
            }
        }
    }
}

/// Brings a file's next bytes into memory.
fn fetch(io: &Manager, fd: i32) -> Answer {
    let mut buffer = vec![0u8; 64 << 10];
    // SAFETY: the buffer is as large as said; asking and reading change no place of the descriptor.
    unsafe {
        let at = libc::lseek(fd, 0, libc::SEEK_CUR);
        libc::pread(fd, buffer.as_mut_ptr().cast(), buffer.len(), at.max(0));
    }
    io.fetched(fd);
    Answer::default()
}

/// fd * direction * token -> a number; 0: ready now; or an error. The token is a thread, then the number is to be ended; or
/// a waiter, whose synchronisation is committed: then it may be.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_watch(_tcb: *mut Tcb, fd: u64, mode: u64, token: u64) -> u64 {
    // SAFETY: an object of either kind.
    let kept = unsafe { is_thread(token) };
    match io().begin(fd as i32, direction(mode), token, kept) {
        Err(error) => negated(error),
        Ok(Wait::Ready | Wait::File) => 0,
        Ok(Wait::Waiting(id)) => id.0,
    }
}

fn number(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Waiting => 0,
        Outcome::Ready => 1,
        Outcome::Closed => 2,
    }
}

/// Ends a waiter: 0 it was given up, 1 the descriptor was ready, 2 it was closed.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_unwatch(_tcb: *mut Tcb, id: u64) -> u64 {
    number(io().end(WaitId(id)))
}

/// The same without ending it: 0 it waits.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_watched(_tcb: *mut Tcb, id: u64) -> u64 {
    number(io().outcome(WaitId(id)))
}

/// fd * direction -> whether the system says it is ready now; 0 leads to a wait that ends when it is.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_ready(_tcb: *mut Tcb, fd: u64, mode: u64) -> u64 {
    let direction = direction(mode);
    let events = if direction == Direction::Read { libc::POLLIN } else { libc::POLLOUT };
    let fd = fd as i32;
    let got = io()
        .attempt_anyway(fd, direction, 0, |_, _| if kind::is_ready(fd, events) { 1 } else { -(libc::EAGAIN as isize) });
    (got > 0) as u64
}

/// fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_listen(tcb: *mut Tcb, fd: u64, interest: u64) -> u64 {
    // SAFETY: the listener is the callbacks' thread; the caller is a worker.
    let wake = |thread| unsafe { leat_fiber::ready(tcb, thread) };
    io().listen(fd as i32, Interest::of_bits(interest as u8), wake).map_or_else(negated, |()| 0)
}

/// Fills the array with descriptors times four and what they are ready for (1, 2, 3): their number. When it is 0 the running
/// thread is made ready as soon as there is something. What callbacks were told of before, they have done.
///
/// # Safety
/// Called by compiled code, with an int array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_take(tcb: *mut Tcb, array: u64) -> u64 {
    // SAFETY: the array is as long as its header says; nothing collects. The caller is a worker.
    unsafe {
        let room = bytes(array).len() / 8;
        let mut at = 0;
        let wake = |token, outcome| wake(tcb, token, outcome);
        io().take_due(room, (*tcb).current, wake, |told| {
            set(array, at, told as i64);
            at += 1;
        }) as u64
    }
}

/// deadline (monotonic ns) * record of references -> the timer's number (see `timer_cancel`): it is due then.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_start(_tcb: *mut Tcb, deadline: i64, record: u64) -> u64 {
    runtime().events.start(deadline.max(0) as u64, Token::plain(record), true).0
}

/// How many of them are due. When there are some, the running thread is woken no more, and takes them.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_due(tcb: *mut Tcb) -> u64 {
    let events = &runtime().events;
    let mut due = events.fired();
    // SAFETY: the caller is a worker.
    if due == 0 && unsafe { threads::expire(tcb) } {
        due = events.fired();
    }
    if due > 0 {
        events.io.unlisten();
    }
    due as u64
}

/// The one that is due longest, and its number into an int array; the library has asked whether there is one.
///
/// # Safety
/// Called by compiled code, with an array that has an element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_take(_tcb: *mut Tcb, array: u64) -> u64 {
    let (token, id) = runtime().events.take_fired().unwrap_or((1, TimerId(0)));
    // SAFETY: as the caller says.
    unsafe { set(array, 0, id.0 as i64) };
    token
}

/// Figures: 0 descriptors known to the poller, 1 waiters, 2 OS threads of the pool, 3 its jobs, 4 timers.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_stat(_tcb: *mut Tcb, which: u64) -> u64 {
    let events = &runtime().events;
    match which {
        0 => events.io.counts().0 as u64,
        1 => events.io.counts().1 as u64,
        2 => events.pool.counts().0 as u64,
        3 => events.pool.counts().1 as u64,
        4 => events.timers() as u64,
        _ => 0,
    }
}

// -- jobs

/// kind * text * a * b -> the job's number. Kinds: 0 a shell's command -> its wait status; 1 until a child can be waited for
/// (a: as `waitpid` takes it); 2 names of a host -> lines; 3 the name of an address; 4 opens a file (a: flags, b: mode);
/// 5 waits for a lock of the descriptor a (the words of `terminals::leat_fd_lock` as text); 6 until all is sent to the terminal a.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_job_start(_tcb: *mut Tcb, what: u64, text: u64, a: i64, b: i64) -> u64 {
    // SAFETY: a string, copied.
    let text = unsafe { bytes(text) }.to_vec();
    runtime().events.pool.start(0, false, move || crate::prim::processes::job(what, text, a, b))
}

/// Whether the job is done: 1; or 0 after a wait, then call again.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_job_wait(tcb: *mut Tcb, id: u64) -> u64 {
    // SAFETY: parking comes last.
    unsafe {
        if runtime().events.pool.is_done_or_wake(id, (*tcb).current) {
            return 1;
        }
        leat_fiber::park(tcb, reason::PROCESS)
    }
}

/// Whether the job is done; if not, this thread is made ready when it is.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_job_watch(_tcb: *mut Tcb, id: u64, thread: u64) -> u64 {
    runtime().events.pool.is_done_or_wake(id, thread) as u64
}

/// The answer of a job that is done: its text; its number goes into the array.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_job_take(tcb: *mut Tcb, id: u64, array: u64) -> u64 {
    // SAFETY: the array is written before the allocation.
    unsafe {
        let Answer { number, text } = runtime().events.pool.take(id).unwrap_or_default();
        set(array, 0, number);
        crate::service::alloc::new_string(tcb, &text)
    }
}

/// Nobody wants to know any more.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_job_drop(_tcb: *mut Tcb, id: u64) -> u64 {
    runtime().events.pool.drop_job(id);
    0
}

/// A descriptor that can be read when the process has ended.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_process_open(_tcb: *mut Tcb, pid: u64) -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: a plain system call.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid as i32, 0);
        if fd >= 0 {
            io().own(fd as i32);
        }
        answer(fd)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let _ = pid;
        negated(libc::ENOSYS)
    }
}

/// Whether a child can be waited for; also when it is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_process_ended(_tcb: *mut Tcb, pid: u64) -> u64 {
    // SAFETY: the structure is plain data; the child is left for the library to wait for.
    unsafe {
        let mut info: libc::siginfo_t = core::mem::zeroed();
        let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        let result = libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options);
        (result < 0 || info.si_pid() != 0) as u64
    }
}

// -- sockets

/// Of another type than streams the manager finds out what it is when it is first used.
fn new_socket(fd: i32, kind: u64) {
    if kind as i32 == libc::SOCK_STREAM {
        io().own(fd);
    }
}

/// domain * type * protocol -> fd, non-blocking, closed in children.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_new(_tcb: *mut Tcb, domain: u64, kind: u64, protocol: u64) -> u64 {
    // SAFETY: a plain system call.
    let fd =
        unsafe { libc::socket(domain as i32, kind as i32 | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, protocol as i32) };
    if fd >= 0 {
        new_socket(fd, kind);
    }
    answer(fd as i64)
}

/// domain * type * protocol * int array of 2
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_pair(_tcb: *mut Tcb, domain: u64, kind: u64, protocol: u64, array: u64) -> u64 {
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    let mut ends = [0i32; 2];
    // SAFETY: room for two; the array has two.
    unsafe {
        let result = libc::socketpair(domain as i32, kind as i32 | flags, protocol as i32, ends.as_mut_ptr());
        if result == 0 {
            for (i, end) in ends.into_iter().enumerate() {
                new_socket(end, kind);
                set(array, i, end as i64);
            }
        }
        answer(result as i64)
    }
}

/// fd * address
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_bind(_tcb: *mut Tcb, fd: u64, address: u64) -> u64 {
    // SAFETY: the address is as long as said.
    unsafe {
        let address = bytes(address);
        answer(libc::bind(fd as i32, address.as_ptr().cast(), address.len() as u32) as i64)
    }
}

/// fd * address -> 0, or EINPROGRESS: it is decided when the socket can be written to.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_connect(_tcb: *mut Tcb, fd: u64, address: u64) -> u64 {
    // SAFETY: as above.
    unsafe {
        let address = bytes(address);
        let result = libc::connect(fd as i32, address.as_ptr().cast(), address.len() as u32);
        let error = if result < 0 { errno() } else { 0 };
        if error == libc::EINPROGRESS {
            // What was remembered of writing was before.
            let fd = fd as i32;
            io().attempt_anyway(fd, Direction::Write, 0, |_, _| {
                if kind::is_ready(fd, libc::POLLOUT) { 1 } else { -(libc::EAGAIN as isize) }
            });
        }
        -(error as i64) as u64
    }
}

/// fd * length of the queue
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_listen(_tcb: *mut Tcb, fd: u64, queue: u64) -> u64 {
    // SAFETY: a plain system call.
    answer(unsafe { libc::listen(fd as i32, queue as i32) } as i64)
}

/// fd * (1 to ask whatever is known) * byte array for the peer's address * int array for its length -> fd
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_accept(_tcb: *mut Tcb, fd: u64, anyway: u64, address: u64, length: u64) -> u64 {
    // SAFETY: the array has the room that its header says.
    unsafe {
        let to = bytes_mut(address);
        let mut size = to.len() as u32;
        let call = |_: kind::Kind, _: bool| {
            size = to.len() as u32;
            let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
            let new = libc::accept4(fd as i32, to.as_mut_ptr().cast(), &mut size, flags) as isize;
            match if new < 0 { errno() } else { 0 } {
                0 => new,
                // The peer has gone already: the next one.
                libc::ECONNABORTED => -(libc::EINTR as isize),
                error => -(error as isize),
            }
        };
        let new = if anyway != 0 {
            io().attempt_anyway(fd as i32, Direction::Read, 0, call)
        } else {
            io().attempt(fd as i32, Direction::Read, 0, call)
        };
        if new >= 0 {
            io().own(new as i32);
        }
        set(length, 0, size as i64);
        new as u64
    }
}

/// fd * (0 its own, 1 its peer's address) * int array for the error -> address
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_name(tcb: *mut Tcb, fd: u64, which: u64, array: u64) -> u64 {
    let mut to = vec![0u8; 128];
    let mut size = to.len() as u32;
    let call = if which == 0 { libc::getsockname } else { libc::getpeername };
    // SAFETY: the buffer is as large as said.
    unsafe {
        let result = call(fd as i32, to.as_mut_ptr().cast(), &mut size);
        to.truncate(size as usize);
        text_or_error(tcb, if result < 0 { Err(errno()) } else { Ok(to) }, array)
    }
}

/// What the library puts beside a descriptor: flags of the call, and whether to ask whatever is known.
struct Call {
    fd: i32,
    flags: i32,
    anyway: bool,
}

const ANYWAY: i32 = 1 << 30;

impl Call {
    fn new(word: u64) -> Call {
        let flags = (word >> 32) as i32;
        Call { fd: word as u32 as i32, flags: (flags & !ANYWAY) | libc::MSG_NOSIGNAL, anyway: flags & ANYWAY != 0 }
    }

    fn run(&self, direction: Direction, full: usize, mut call: impl FnMut() -> isize) -> u64 {
        // Looking does not empty, and waiting for all does not either.
        let full = if self.flags & (libc::MSG_PEEK | libc::MSG_OOB) != 0 { 0 } else { full };
        let call = |_: kind::Kind, _: bool| {
            let got = call();
            if got < 0 { -(errno() as isize) } else { got }
        };
        if self.anyway {
            io().attempt_anyway(self.fd, direction, full, call) as u64
        } else {
            io().attempt(self.fd, direction, full, call) as u64
        }
    }
}

/// (fd + flags * 2^32) * bytes * start * count -> bytes sent
///
/// # Safety
/// Called by compiled code, with the range inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_send(_tcb: *mut Tcb, word: u64, from: u64, start: u64, count: u64) -> u64 {
    let call = Call::new(word);
    // SAFETY: the range is inside the object; nothing collects.
    unsafe {
        let part = &bytes(from)[start as usize..][..(count as usize).min(MOST)];
        call.run(Direction::Write, part.len(), || {
            libc::send(call.fd, part.as_ptr().cast(), part.len(), call.flags | libc::MSG_DONTWAIT)
        })
    }
}

/// (fd + flags * 2^32) * bytes * start * count * address -> bytes sent
///
/// # Safety
/// Called by compiled code, with the range inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_send_to(
    _tcb: *mut Tcb,
    word: u64,
    from: u64,
    start: u64,
    count: u64,
    address: u64,
) -> u64 {
    let call = Call::new(word);
    // SAFETY: as above.
    unsafe {
        let part = &bytes(from)[start as usize..][..count as usize];
        let to = bytes(address);
        call.run(Direction::Write, 0, || {
            let flags = call.flags | libc::MSG_DONTWAIT;
            libc::sendto(call.fd, part.as_ptr().cast(), part.len(), flags, to.as_ptr().cast(), to.len() as u32)
        })
    }
}

/// (fd + flags * 2^32) * byte array * start * count -> bytes received
///
/// # Safety
/// Called by compiled code, with the range inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_receive(_tcb: *mut Tcb, word: u64, to: u64, start: u64, count: u64) -> u64 {
    let call = Call::new(word);
    // SAFETY: as above.
    unsafe {
        let part = &mut bytes_mut(to)[start as usize..][..(count as usize).min(MOST)];
        call.run(Direction::Read, part.len(), || {
            libc::recv(call.fd, part.as_mut_ptr().cast(), part.len(), call.flags | libc::MSG_DONTWAIT)
        })
    }
}

/// (fd + flags * 2^32) * byte array * (start + count * 2^32) * byte array for the address * int array for its length
///
/// # Safety
/// Called by compiled code, with the range inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_receive_from(
    _tcb: *mut Tcb,
    word: u64,
    to: u64,
    range: u64,
    address: u64,
    length: u64,
) -> u64 {
    let call = Call::new(word);
    // SAFETY: as above.
    unsafe {
        let part = &mut bytes_mut(to)[range as u32 as usize..][..(range >> 32) as usize];
        let from = bytes_mut(address);
        let mut size = 0;
        let got = call.run(Direction::Read, 0, || {
            size = from.len() as u32;
            let flags = call.flags | libc::MSG_DONTWAIT;
            libc::recvfrom(call.fd, part.as_mut_ptr().cast(), part.len(), flags, from.as_mut_ptr().cast(), &mut size)
        });
        set(length, 0, size as i64);
        got
    }
}

/// fd * (0 reading, 1 writing, 2 both)
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_shutdown(_tcb: *mut Tcb, fd: u64, how: u64) -> u64 {
    // SAFETY: a plain system call.
    answer(unsafe { libc::shutdown(fd as i32, how as i32) } as i64)
}

/// fd * level * name * int array of 2: the one or two ints of the option
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_get(_tcb: *mut Tcb, fd: u64, level: u64, name: u64, array: u64) -> u64 {
    let mut value = [0i32; 2];
    let mut size = 8u32;
    // SAFETY: eight bytes.
    unsafe {
        let result = libc::getsockopt(fd as i32, level as i32, name as i32, value.as_mut_ptr().cast(), &mut size);
        set(array, 0, value[0] as i64);
        set(array, 1, value[1] as i64);
        answer(result as i64)
    }
}

/// fd * level * name * int array of 2 * how many of them the option has
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_set(
    _tcb: *mut Tcb,
    fd: u64,
    level: u64,
    name: u64,
    array: u64,
    count: u64,
) -> u64 {
    // SAFETY: the array has two elements.
    unsafe {
        let value = [*(array as *const i64) as i32, *(array as *const i64).add(1) as i32];
        answer(libc::setsockopt(fd as i32, level as i32, name as i32, value.as_ptr().cast(), 4 * count as u32) as i64)
    }
}

/// fd * (0 bytes to read, 1 whether at the mark of urgent data) -> int
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_socket_ask(_tcb: *mut Tcb, fd: u64, which: u64) -> u64 {
    /// SIOCATMARK, which the binding lacks.
    const AT_MARK: libc::c_ulong = 0x8905;
    let mut value = 0i32;
    // SAFETY: room for an int.
    unsafe {
        let what = if which == 0 { libc::FIONREAD as libc::c_ulong } else { AT_MARK };
        let result = libc::ioctl(fd as i32, what as _, &mut value);
        if result < 0 { answer(-1) } else { value as u64 }
    }
}

/// The data bases of the network: what (0 protocol by name, 1 by number, 2 service by `name/protocol`, 3 by
/// `port/protocol`, 4 this host's name) * key -> fields, each ends in NUL; the empty string when there is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_net_entry(tcb: *mut Tcb, what: u64, key: u64) -> u64 {
    // SAFETY: a string, copied; nothing is held.
    unsafe {
        let key = bytes(key).to_vec();
        crate::service::alloc::new_string(tcb, &crate::prim::processes::net_entry(what, &key))
    }
}
