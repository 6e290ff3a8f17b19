//! Sockets: primitives of `abi::prim` over the I/O manager and system calls.
//!
//! No call of this file waits: a result of `-EAGAIN` means that the library waits by `fd_wait`, which parks the thread,
//! and calls again. So bytes are read and written in the heap itself. Results below 0 are negated error numbers.
//! Addresses are strings of bytes as the system has them.

use leat_io::Direction;
use leat_io::kind;

use crate::service::here::{Here, Ints, Text};
use crate::service::system::{answer, negated};
use crate::state::debugger::PROBES;
use crate::state::output::errno;
use crate::state::runtime::io;

/// Most bytes of one call, so that no collection waits for it long.
const MOST: usize = 1 << 20;

// -- sockets

/// A number of the program's, as C has it. One that C has not would be cut, to another one.
fn narrow(number: u64) -> Result<i32, u64> {
    i32::try_from(number as i64).map_err(|_| negated(libc::EINVAL))
}

/// Of another type than streams the manager finds out what it is when it is first used.
fn new_socket(fd: i32, kind: u64) {
    PROBES.makes_socket();
    if kind as i32 == libc::SOCK_STREAM {
        io().own(fd);
    }
}

/// Makes the poller, before descriptors are used up: a server waits for its clients to go. If there is room for none
/// already, the program is told when it waits.
fn prepare() {
    let _ = io().prepare();
}

/// domain * type * protocol -> fd, non-blocking, closed in children.
pub fn leat_socket_new(_: Here, domain: u64, kind: u64, protocol: u64) -> u64 {
    let protocol = match narrow(protocol) {
        Ok(protocol) => protocol,
        Err(refused) => return refused,
    };
    prepare();
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: a plain system call.
    let fd = unsafe { libc::socket(domain as i32, kind as i32 | flags, protocol) };
    if fd >= 0 {
        new_socket(fd, kind);
    }
    answer(fd as i64)
}

/// domain * type * protocol * int array of 2
pub fn leat_socket_pair(here: Here, domain: u64, kind: u64, protocol: u64, mut array: Ints) -> u64 {
    let protocol = match narrow(protocol) {
        Ok(protocol) => protocol,
        Err(refused) => return refused,
    };
    prepare();
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    let mut ends = [0i32; 2];
    // SAFETY: room for two.
    let result = unsafe { libc::socketpair(domain as i32, kind as i32 | flags, protocol, ends.as_mut_ptr()) };
    if result == 0 {
        for (i, end) in ends.into_iter().enumerate() {
            new_socket(end, kind);
            here.set(&mut array, i, end as i64);
        }
    }
    answer(result as i64)
}

/// fd * address
pub fn leat_socket_bind(here: Here, fd: u64, address: Text) -> u64 {
    let address = here.bytes(&address);
    // SAFETY: the address is as long as said.
    answer(unsafe { libc::bind(fd as i32, address.as_ptr().cast(), address.len() as u32) } as i64)
}

/// fd * address -> 0, or EINPROGRESS: it is decided when the socket can be written to.
pub fn leat_socket_connect(here: Here, fd: u64, address: Text) -> u64 {
    let address = here.bytes(&address);
    // SAFETY: as above.
    let result = unsafe { libc::connect(fd as i32, address.as_ptr().cast(), address.len() as u32) };
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

/// fd * length of the queue
pub fn leat_socket_listen(_: Here, fd: u64, queue: u64) -> u64 {
    let queue = match narrow(queue) {
        Ok(queue) => queue,
        Err(refused) => return refused,
    };
    // SAFETY: a plain system call.
    answer(unsafe { libc::listen(fd as i32, queue) } as i64)
}

/// fd * (1 to ask whatever is known) * byte array for the peer's address * int array for its length -> fd
pub fn leat_socket_accept(here: Here, fd: u64, anyway: u64, mut address: Text, mut length: Ints) -> u64 {
    let to = here.bytes_mut(&mut address);
    let mut size = to.len() as u32;
    let call = |_: kind::FdKind, _: bool| {
        size = to.len() as u32;
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: as much room as is said.
        let new = unsafe { libc::accept4(fd as i32, to.as_mut_ptr().cast(), &mut size, flags) } as isize;
        match if new < 0 { errno() } else { 0 } {
            0 => new,
            // The peer has gone already, or the network between: the next one.
            libc::ECONNABORTED
            | libc::EPROTO
            | libc::ENETDOWN
            | libc::ENETUNREACH
            | libc::EHOSTDOWN
            | libc::EHOSTUNREACH
            | libc::ENOPROTOOPT
            | libc::ENONET => -(libc::EINTR as isize),
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
    here.set(&mut length, 0, size as i64);
    new as u64
}

/// fd * (0 its own, 1 its peer's address) * int array for the error -> address
pub fn leat_socket_name(mut here: Here, fd: u64, which: u64, array: Ints) -> u64 {
    let mut to = vec![0u8; 128];
    let mut size = to.len() as u32;
    let call = if which == 0 { libc::getsockname } else { libc::getpeername };
    // SAFETY: the buffer is as large as said.
    let result = unsafe { call(fd as i32, to.as_mut_ptr().cast(), &mut size) };
    to.truncate(size as usize);
    here.text_or_error(if result < 0 { Err(errno()) } else { Ok(to) }, array)
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
        let call = |_: kind::FdKind, _: bool| {
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
pub fn leat_socket_send(here: Here, word: u64, from: Text, start: u64, count: u64) -> u64 {
    let call = Call::new(word);
    let part = &here.bytes(&from)[start as usize..][..(count as usize).min(MOST)];
    call.run(Direction::Write, part.len(), || {
        // SAFETY: the bytes live.
        unsafe { libc::send(call.fd, part.as_ptr().cast(), part.len(), call.flags | libc::MSG_DONTWAIT) }
    })
}

/// (fd + flags * 2^32) * bytes * start * count * address -> bytes sent
pub fn leat_socket_send_to(here: Here, word: u64, from: Text, start: u64, count: u64, address: Text) -> u64 {
    let call = Call::new(word);
    let part = &here.bytes(&from)[start as usize..][..count as usize];
    let to = here.bytes(&address);
    call.run(Direction::Write, 0, || {
        let flags = call.flags | libc::MSG_DONTWAIT;
        let (from, to, room) = (part.as_ptr().cast(), to.as_ptr().cast(), to.len() as u32);
        // SAFETY: bytes and address live.
        unsafe { libc::sendto(call.fd, from, part.len(), flags, to, room) }
    })
}

/// (fd + flags * 2^32) * byte array * start * count -> bytes received
pub fn leat_socket_receive(here: Here, word: u64, mut to: Text, start: u64, count: u64) -> u64 {
    let call = Call::new(word);
    let part = &mut here.bytes_mut(&mut to)[start as usize..][..(count as usize).min(MOST)];
    call.run(Direction::Read, part.len(), || {
        // SAFETY: as much room as is said.
        unsafe { libc::recv(call.fd, part.as_mut_ptr().cast(), part.len(), call.flags | libc::MSG_DONTWAIT) }
    })
}

/// (fd + flags * 2^32) * byte array * count * byte array for the address * int array of 2: its length; start
pub fn leat_socket_receive_from(
    here: Here,
    word: u64,
    mut to: Text,
    count: u64,
    mut address: Text,
    mut length: Ints,
) -> u64 {
    let call = Call::new(word);
    let start = here.ints(&length)[1] as usize;
    let part = &mut here.bytes_mut(&mut to)[start..][..count as usize];
    let from = here.bytes_mut(&mut address);
    let mut size = 0;
    let got = call.run(Direction::Read, 0, || {
        size = from.len() as u32;
        let flags = call.flags | libc::MSG_DONTWAIT;
        let (to, room, from) = (part.as_mut_ptr().cast(), part.len(), from.as_mut_ptr().cast());
        // SAFETY: as much room as is said, for the bytes and for the address.
        unsafe { libc::recvfrom(call.fd, to, room, flags, from, &mut size) }
    });
    here.set(&mut length, 0, size as i64);
    got
}

/// fd * (0 reading, 1 writing, 2 both)
pub fn leat_socket_shutdown(_: Here, fd: u64, how: u64) -> u64 {
    // SAFETY: a plain system call.
    answer(unsafe { libc::shutdown(fd as i32, how as i32) } as i64)
}

/// fd * level * name * int array of 2: the one or two ints of the option
pub fn leat_socket_get(here: Here, fd: u64, level: u64, name: u64, mut array: Ints) -> u64 {
    let mut value = [0i32; 2];
    let mut size = 8u32;
    // SAFETY: eight bytes.
    let result =
        unsafe { libc::getsockopt(fd as i32, level as i32, name as i32, value.as_mut_ptr().cast(), &mut size) };
    here.set(&mut array, 0, value[0] as i64);
    here.set(&mut array, 1, value[1] as i64);
    answer(result as i64)
}

/// fd * level * name * int array of 2 * how many of them the option has
pub fn leat_socket_set(here: Here, fd: u64, level: u64, name: u64, array: Ints, count: u64) -> u64 {
    let ints = here.ints(&array);
    let value = match (narrow(ints[0] as u64), narrow(ints[1] as u64)) {
        (Ok(first), Ok(second)) => [first, second],
        (Err(refused), _) | (_, Err(refused)) => return refused,
    };
    let size = 4 * count.min(2) as u32;
    // SAFETY: one or two ints.
    answer(unsafe { libc::setsockopt(fd as i32, level as i32, name as i32, value.as_ptr().cast(), size) } as i64)
}

/// fd * (0 bytes to read, 1 whether at the mark of urgent data) -> int
pub fn leat_socket_ask(_: Here, fd: u64, which: u64) -> u64 {
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
