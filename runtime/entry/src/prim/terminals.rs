//! Terminals and locks of files: primitives of `abi::prim` over system calls, for Posix.TTY and Posix.IO.
//!
//! A terminal's settings travel as an int array, see [`leat_tty_get`]; a lock as one of five, see [`leat_fd_lock`].
//! Nothing here waits: what may take long is a job, see `jobs::leat_job_start`.

use crate::service::here::{Here, Ints};
use crate::service::system::{answer, repeated};

// The crate's own declarations name a version of the symbols, which a static C library does not have: built programs
// would be linked dynamically, and take a third longer to start.
unsafe extern "C" {
    fn cfgetispeed(settings: *const libc::termios) -> libc::speed_t;
    fn cfgetospeed(settings: *const libc::termios) -> libc::speed_t;
    fn cfsetispeed(settings: *mut libc::termios, speed: libc::speed_t) -> i32;
    fn cfsetospeed(settings: *mut libc::termios, speed: libc::speed_t) -> i32;
}

/// Where the control characters begin in the array, after the four words of flags and the two speeds.
const CONTROL: usize = 6;

/// fd * int array: the flags of input, output, control and local modes, the speeds of input and output (bits a second
/// as the system numbers them), then the control characters.
pub fn leat_tty_get(here: Here, fd: u64, mut array: Ints) -> u64 {
    let room = here.ints(&array).len();
    // SAFETY: termios is plain data that the system fills.
    unsafe {
        let mut settings: libc::termios = core::mem::zeroed();
        let result = libc::tcgetattr(fd as i32, &mut settings);
        if result == 0 {
            let words = [
                settings.c_iflag as i64,
                settings.c_oflag as i64,
                settings.c_cflag as i64,
                settings.c_lflag as i64,
                cfgetispeed(&settings) as i64,
                cfgetospeed(&settings) as i64,
            ];
            let characters = settings.c_cc.iter().map(|c| *c as i64);
            words
                .into_iter()
                .chain(characters)
                .take(room)
                .enumerate()
                .for_each(|(i, value)| here.set(&mut array, i, value));
        }
        answer(result as i64)
    }
}

/// fd * when (as `tcsetattr` has it) * int array, as [`leat_tty_get`] fills it. What it does not tell of stays.
pub fn leat_tty_set(here: Here, fd: u64, when: u64, array: Ints) -> u64 {
    // SAFETY: as above.
    unsafe {
        let words = here.ints(&array);
        let mut settings: libc::termios = core::mem::zeroed();
        if libc::tcgetattr(fd as i32, &mut settings) < 0 {
            return answer(-1);
        }
        settings.c_iflag = words[0] as libc::tcflag_t;
        settings.c_oflag = words[1] as libc::tcflag_t;
        settings.c_cflag = words[2] as libc::tcflag_t;
        settings.c_lflag = words[3] as libc::tcflag_t;
        for (to, from) in settings.c_cc.iter_mut().zip(&words[CONTROL..]) {
            *to = *from as libc::cc_t;
        }
        if cfsetispeed(&mut settings, words[4] as libc::speed_t) < 0
            || cfsetospeed(&mut settings, words[5] as libc::speed_t) < 0
        {
            return answer(-1);
        }
        answer(libc::tcsetattr(fd as i32, when as i32, &settings) as i64)
    }
}

/// (0 send a break of that length, 1 flush that queue, 2 stop or start the flow, 3 the foreground process group, 4 set
/// it)
/// * fd * argument
pub fn leat_tty_control(_: Here, what: u64, fd: u64, argument: u64) -> u64 {
    let (fd, argument) = (fd as i32, argument as i32);
    // SAFETY: plain system calls.
    unsafe {
        answer(match what {
            0 => libc::tcsendbreak(fd, argument),
            1 => libc::tcflush(fd, argument),
            2 => libc::tcflow(fd, argument),
            3 => libc::tcgetpgrp(fd),
            _ => libc::tcsetpgrp(fd, argument),
        } as i64)
    }
}

/// A lock as the system has it: its kind, from where it counts, its start, its length (0: to the end), and who holds
/// it.
fn lock_of(words: &[i64]) -> libc::flock {
    // SAFETY: plain data.
    let mut lock: libc::flock = unsafe { core::mem::zeroed() };
    lock.l_type = words[0] as _;
    lock.l_whence = words[1] as _;
    lock.l_start = words[2] as _;
    lock.l_len = words[3] as _;
    lock
}

/// fd * (0 ask who is in the way, 1 lock or unlock now or not at all) * int array of 5: kind, whence, start, length,
/// process
pub fn leat_fd_lock(here: Here, fd: u64, command: u64, mut array: Ints) -> u64 {
    let mut lock = lock_of(here.ints(&array));
    let command = if command == 0 { libc::F_GETLK } else { libc::F_SETLK };
    // SAFETY: a plain system call.
    let result = repeated(|| unsafe { libc::fcntl(fd as i32, command, &raw mut lock) });
    if result >= 0 {
        let words = [lock.l_type as i64, lock.l_whence as i64, lock.l_start, lock.l_len, lock.l_pid as i64];
        words.into_iter().enumerate().for_each(|(i, value)| here.set(&mut array, i, value));
    }
    answer(result as i64)
}

/// Waits for a lock, on an OS thread of the pool: locks belong to the process. The text has the words of the array, in
/// decimal, parted by spaces.
pub(crate) fn wait_for_lock(fd: i32, text: &str) -> i64 {
    let mut words = [0; 5];
    for (word, part) in words.iter_mut().zip(text.split(' ')) {
        *word = part.parse().unwrap_or(0);
    }
    let lock = lock_of(&words);
    // SAFETY: a plain system call.
    repeated(|| unsafe { libc::fcntl(fd, libc::F_SETLKW, &lock) as i64 })
}
