//! Files, directories and descriptors for OS.FileSys, OS.IO and Posix: primitives of `abi::prim` over system calls.
//!
//! A result below 0 is a negated error number; where the result is a string, the error number goes into an int array. No call
//! waits: `-EAGAIN` means that the library is to wait by `fd_wait`, which parks the thread. So bytes are read and written in
//! the heap itself.

use std::ffi::CStr;

use leat_abi::tcb::Tcb;
use leat_io::{Direction, kind};

use crate::service::lend::lend;
use crate::service::objects::{bytes, bytes_mut};
use crate::service::system::{BAD_PATH, answer, negated, path, set, text_or_error};
use crate::service::wake::wake;
use crate::state::output::errno;
use crate::state::runtime::io;

macro_rules! calls_value {
    (path $name:ident) => {
        // SAFETY: the library passes a string.
        unsafe { path($name) }
    };
    (int $name:ident) => {
        Some::<u64>($name)
    };
}

macro_rules! calls {
    ($($(#[$doc:meta])* $symbol:ident ($($argument:ident : $kind:ident),*) = $call:expr;)*) => { $(
        #[doc = concat!("The primitive `", stringify!($symbol), "`.")]
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by compiled code.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(tcb: *mut Tcb, $($argument: u64),*) -> u64 {
            let _ = tcb;
            $( let Some($argument) = calls_value!($kind $argument) else { return BAD_PATH }; )*
            // SAFETY: the paths end in NUL; the rest are plain numbers.
            answer(unsafe { $call } as i64)
        }
    )* };
}

calls! {
    leat_file_seek(fd: int, offset: int, whence: int) = libc::lseek(fd as i32, offset as i64, whence as i32);
    leat_fd_truncate(fd: int, length: int) = libc::ftruncate(fd as i32, length as i64);
    leat_fd_sync(fd: int) = libc::fsync(fd as i32);
    leat_file_access(name: path, mode: int) = libc::access(name.as_ptr(), mode as i32);
    leat_file_remove(name: path) = libc::unlink(name.as_ptr());
    leat_file_rename(old: path, new: path) = libc::rename(old.as_ptr(), new.as_ptr());
    leat_file_link(old: path, new: path) = libc::link(old.as_ptr(), new.as_ptr());
    leat_file_symlink(old: path, new: path) = libc::symlink(old.as_ptr(), new.as_ptr());
    leat_file_chmod(name: path, mode: int) = libc::chmod(name.as_ptr(), mode as libc::mode_t);
    leat_fd_chmod(fd: int, mode: int) = libc::fchmod(fd as i32, mode as libc::mode_t);
    leat_file_chown(name: path, uid: int, gid: int) = libc::chown(name.as_ptr(), uid as u32, gid as u32);
    leat_fd_chown(fd: int, uid: int, gid: int) = libc::fchown(fd as i32, uid as u32, gid as u32);
    leat_file_mkfifo(name: path, mode: int) = libc::mkfifo(name.as_ptr(), mode as libc::mode_t);
    leat_file_umask(mask: int) = libc::umask(mask as libc::mode_t);
    leat_dir_change(name: path) = libc::chdir(name.as_ptr());
    leat_dir_make(name: path, mode: int) = libc::mkdir(name.as_ptr(), mode as libc::mode_t);
    leat_dir_remove(name: path) = libc::rmdir(name.as_ptr());
    leat_fd_isatty(fd: int) = libc::isatty(fd as i32);
}

/// Bytes that a read or write takes at most, so that no collection waits for it long.
const MOST: usize = 1 << 20;

/// Opens a file; `-EAGAIN` for a FIFO that would have to wait for its other end: then a job opens it.
pub(crate) fn open(name: &CStr, flags: i32, mode: u32) -> u64 {
    // SAFETY: the path ends in NUL; stat is plain data that the system fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let is_fifo = libc::stat(name.as_ptr(), &mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFIFO;
        if is_fifo && flags & (libc::O_NONBLOCK | libc::O_RDWR) == 0 {
            return -(libc::EAGAIN as i64) as u64;
        }
        answer(libc::open(name.as_ptr(), flags | libc::O_CLOEXEC, mode as libc::c_uint) as i64)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_open_with(_tcb: *mut Tcb, name: u64, flags: u64, mode: u64) -> u64 {
    // SAFETY: a string.
    let Some(name) = (unsafe { path(name) }) else { return BAD_PATH };
    open(&name, flags as i32, mode as u32)
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_dup(tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: a plain system call.
    unsafe {
        lend(tcb, &[fd as i32], &mut []);
        answer(libc::dup(fd as i32) as i64)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_dup2(tcb: *mut Tcb, old: u64, new: u64) -> u64 {
    // SAFETY: what was there before is closed, so its waiters are told.
    unsafe {
        lend(tcb, &[old as i32], &mut []);
        let call = || answer(libc::dup2(old as i32, new as i32) as i64);
        if old == new {
            return call();
        }
        io().close(new as i32, |thread, outcome| wake(tcb, thread, outcome), call)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_fcntl(tcb: *mut Tcb, fd: u64, command: u64, argument: u64) -> u64 {
    // SAFETY: a plain system call. The program is to see its own flags, and may make another descriptor.
    let result = unsafe {
        lend(tcb, &[fd as i32], &mut []);
        libc::fcntl(fd as i32, command as i32, argument as i32)
    };
    if command as i32 == libc::F_SETFL {
        io().forget_kind(fd as i32);
    }
    answer(result as i64)
}

/// What `stat` tells, into the array: dev ino mode nlink uid gid size atime mtime ctime rdev.
unsafe fn fill(stat: &libc::stat, array: u64) {
    let nanos = |seconds: i64, part: i64| seconds.saturating_mul(1_000_000_000).saturating_add(part);
    let values = [
        stat.st_dev as i64,
        stat.st_ino as i64,
        stat.st_mode as i64,
        stat.st_nlink as i64,
        stat.st_uid as i64,
        stat.st_gid as i64,
        stat.st_size,
        nanos(stat.st_atime, stat.st_atime_nsec),
        nanos(stat.st_mtime, stat.st_mtime_nsec),
        nanos(stat.st_ctime, stat.st_ctime_nsec),
        stat.st_rdev as i64,
    ];
    for (i, value) in values.into_iter().enumerate() {
        // SAFETY: the library passes an array of eleven.
        unsafe { set(array, i, value) }
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_stat(_tcb: *mut Tcb, name: u64, follow: u64, array: u64) -> u64 {
    // SAFETY: the path ends in NUL, the buffer is a stat.
    unsafe {
        let Some(name) = path(name) else { return BAD_PATH };
        let mut stat: libc::stat = core::mem::zeroed();
        let call = if follow != 0 { libc::stat } else { libc::lstat };
        let result = call(name.as_ptr(), &mut stat);
        if result == 0 {
            fill(&stat, array);
        }
        answer(result as i64)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_stat(_tcb: *mut Tcb, fd: u64, array: u64) -> u64 {
    // SAFETY: as above.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let result = libc::fstat(fd as i32, &mut stat);
        if result == 0 {
            fill(&stat, array);
        }
        answer(result as i64)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_readlink(tcb: *mut Tcb, name: u64, array: u64) -> u64 {
    // SAFETY: the buffer is as large as said.
    unsafe {
        let text = path(name).ok_or(libc::EINVAL).and_then(|name| {
            let mut buffer = vec![0u8; libc::PATH_MAX as usize];
            let got = libc::readlink(name.as_ptr(), buffer.as_mut_ptr().cast(), buffer.len());
            if got < 0 {
                return Err(errno());
            }
            buffer.truncate(got as usize);
            Ok(buffer)
        });
        text_or_error(tcb, text, array)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_realpath(tcb: *mut Tcb, name: u64, array: u64) -> u64 {
    // SAFETY: the answer is a C string that is freed here.
    unsafe {
        let text = path(name).ok_or(libc::EINVAL).and_then(|name| {
            let found = libc::realpath(name.as_ptr(), core::ptr::null_mut());
            if found.is_null() {
                return Err(errno());
            }
            let text = CStr::from_ptr(found).to_bytes().to_vec();
            libc::free(found.cast());
            Ok(text)
        });
        text_or_error(tcb, text, array)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_set_times(_tcb: *mut Tcb, name: u64, accessed: i64, modified: i64) -> u64 {
    let time = |ns: i64| libc::timespec { tv_sec: ns.div_euclid(1_000_000_000), tv_nsec: ns.rem_euclid(1_000_000_000) };
    // SAFETY: two times.
    unsafe {
        let Some(name) = path(name) else { return BAD_PATH };
        let times = [time(accessed), time(modified)];
        answer(libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), 0) as i64)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_temp(tcb: *mut Tcb, prefix: u64, array: u64) -> u64 {
    // SAFETY: the template ends in six X and NUL and may be written to.
    unsafe {
        let Some(prefix) = path(prefix) else { return text_or_error(tcb, Err(libc::EINVAL), array) };
        let mut template = prefix.into_bytes();
        template.extend_from_slice(b"XXXXXX\0");
        let fd = libc::mkostemp(template.as_mut_ptr().cast(), libc::O_CLOEXEC);
        let error = errno();
        template.pop();
        set(array, 1, fd as i64);
        text_or_error(tcb, if fd < 0 { Err(error) } else { Ok(template) }, array)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_dir_current(tcb: *mut Tcb, array: u64) -> u64 {
    use std::os::unix::ffi::OsStringExt;
    let text = std::env::current_dir().map(|dir| dir.into_os_string().into_vec());
    // SAFETY: nothing is held.
    unsafe { text_or_error(tcb, text.map_err(|e| e.raw_os_error().unwrap_or(libc::ENOENT)), array) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_dir_open(_tcb: *mut Tcb, name: u64) -> u64 {
    // SAFETY: the path ends in NUL.
    unsafe {
        let Some(name) = path(name) else { return BAD_PATH };
        let dir = libc::opendir(name.as_ptr());
        if dir.is_null() { answer(-1) } else { dir as u64 }
    }
}

/// # Safety
/// Called by compiled code, with an open directory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_dir_read(tcb: *mut Tcb, dir: u64, array: u64) -> u64 {
    // SAFETY: the library passes what `leat_dir_open` gave, until it closes it.
    unsafe {
        *libc::__errno_location() = 0;
        let entry = libc::readdir(dir as *mut libc::DIR);
        let text = match (entry.is_null(), errno()) {
            (true, 0) => Ok(Vec::new()),
            (true, error) => Err(error),
            (false, _) => Ok(CStr::from_ptr((*entry).d_name.as_ptr()).to_bytes().to_vec()),
        };
        text_or_error(tcb, text, array)
    }
}

/// # Safety
/// Called by compiled code, with an open directory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_dir_rewind(_tcb: *mut Tcb, dir: u64) -> u64 {
    // SAFETY: as above.
    unsafe { libc::rewinddir(dir as *mut libc::DIR) };
    0
}

/// # Safety
/// Called by compiled code, with an open directory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_dir_close(_tcb: *mut Tcb, dir: u64) -> u64 {
    // SAFETY: as above.
    answer(unsafe { libc::closedir(dir as *mut libc::DIR) } as i64)
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_pipe(_tcb: *mut Tcb, array: u64) -> u64 {
    match io().pipe() {
        // SAFETY: the array has two.
        Ok([from, to]) => unsafe {
            set(array, 0, from as i64);
            set(array, 1, to as i64);
            0
        },
        Err(error) => negated(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}

/// The descriptor's number may go to C code or to another process.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_fd_lend(tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: nothing is held.
    unsafe { lend(tcb, &[fd as i32], &mut []) };
    0
}

/// path * flags (0 read, 1 write new, 2 append) -> fd
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_open(_tcb: *mut Tcb, path: u64, flags: u64) -> u64 {
    // SAFETY: a string.
    let Some(path) = (unsafe { self::path(path) }) else { return BAD_PATH };
    let flags = match flags {
        0 => libc::O_RDONLY,
        1 => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
        _ => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
    };
    open(&path, flags, 0o666)
}

/// fd * char array * start * count -> bytes read; `-EAGAIN`: the library waits and calls again.
///
/// # Safety
/// Called by compiled code, with the range inside the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_read(_tcb: *mut Tcb, fd: u64, array: u64, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    // SAFETY: the range is inside the array; the call does not wait, so nothing collects meanwhile.
    unsafe {
        let part = &mut bytes_mut(array)[start as usize..][..(count as usize).min(MOST)];
        io().attempt(fd, Direction::Read, part.len(), |kind, fetched| {
            kind::read(kind, fetched, fd, part.as_mut_ptr(), part.len())
        }) as u64
    }
}

/// fd * string or char array * start * count -> bytes written; `-EAGAIN`: the library waits and calls again.
///
/// # Safety
/// Called by compiled code, with the range inside the string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_write(_tcb: *mut Tcb, fd: u64, string: u64, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    // SAFETY: as in `leat_file_read`.
    unsafe {
        let part = &bytes(string)[start as usize..][..(count as usize).min(MOST)];
        io().attempt(fd, Direction::Write, part.len(), |kind, _| kind::write(kind, fd, part.as_ptr(), part.len()))
            as u64
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_close(tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: a plain system call. An interrupted close has closed.
    unsafe {
        let close = || if libc::close(fd as i32) < 0 && errno() != libc::EINTR { negated(errno()) } else { 0 };
        io().close(fd as i32, |thread, outcome| wake(tcb, thread, outcome), close)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_size(_tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: stat is plain data that fstat fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if libc::fstat(fd as i32, &mut stat) < 0 { negated(errno()) } else { stat.st_size as u64 }
    }
}
