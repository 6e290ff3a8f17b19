//! Files, directories and descriptors for OS.FileSys, OS.IO and Posix: primitives of `abi::prim` over system calls.
//!
//! A result below 0 is a negated error number; where the result is a string, the error number goes into an int array.
//! No call waits for others: `-EAGAIN` means that the library is to wait by `fd_wait`, which parks the thread. So bytes
//! are read and written in the heap itself. What waits for a disk whatever is asked of it, as `fsync` does, is a job
//! (`prim/jobs.rs`). A call that a signal has ended before it did anything is made again: a file system of the network
//! or of another process may end any of them so.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use leat_io::{Direction, kind, own};

use crate::service::here::{Here, Ints, Text};
use crate::service::system::{BAD_PATH, answer, negated, repeated};
use crate::state::output::errno;
use crate::state::runtime::io;

macro_rules! calls_value {
    ($here:ident path $name:ident) => {
        let Some($name) = $here.path($name) else { return BAD_PATH };
    };
    ($here:ident int $name:ident) => {};
}

macro_rules! calls_type {
    (path) => {
        Text
    };
    (int) => {
        u64
    };
}

macro_rules! calls {
    ($($(#[$doc:meta])* $symbol:ident ($($argument:ident : $kind:ident),*) = $call:expr;)*) => { $(
        #[doc = concat!("The primitive `", stringify!($symbol), "`.")]
        $(#[$doc])*
        pub fn $symbol(here: Here, $($argument: calls_type!($kind)),*) -> u64 {
            let _ = &here;
            $( calls_value!(here $kind $argument); )*
            // SAFETY: the paths end in NUL; the rest are plain numbers.
            answer(repeated(|| unsafe { $call }) as i64)
        }
    )* };
}

calls! {
    leat_file_seek(fd: int, offset: int, whence: int) = libc::lseek(fd as i32, offset as i64, whence as i32);
    leat_fd_truncate(fd: int, length: int) = libc::ftruncate(fd as i32, length as i64);
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

/// Opens a file, with these flags; `-EAGAIN` for a FIFO that would have to wait for its other end: then a job opens it.
pub(crate) fn open(name: &CStr, flags: i32, mode: u32) -> u64 {
    // SAFETY: the path ends in NUL; stat is plain data that the system fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let is_fifo = libc::stat(name.as_ptr(), &mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFIFO;
        if is_fifo && flags & (libc::O_NONBLOCK | libc::O_RDWR) == 0 {
            return -(libc::EAGAIN as i64) as u64;
        }
        answer(repeated(|| libc::open(name.as_ptr(), flags, mode as libc::c_uint)) as i64)
    }
}

pub fn leat_file_open_with(here: Here, name: Text, flags: u64, mode: u64) -> u64 {
    let Some(name) = here.path(name) else { return BAD_PATH };
    open(&name, flags as i32, mode as u32)
}

pub fn leat_fd_dup(mut here: Here, fd: u64) -> u64 {
    here.lend(&[fd as i32], &mut []);
    // SAFETY: a plain system call.
    answer(unsafe { libc::dup(fd as i32) } as i64)
}

pub fn leat_fd_dup2(mut here: Here, old: u64, new: u64) -> u64 {
    here.lend(&[old as i32], &mut []);
    // SAFETY: a plain system call.
    let call = || answer(repeated(|| unsafe { libc::dup2(old as i32, new as i32) }) as i64);
    // SAFETY: a plain question. Of what is no descriptor the call says so, and what is at the other number stays.
    if old == new || unsafe { libc::fcntl(old as i32, libc::F_GETFD) } < 0 {
        return call();
    }
    if own::is_own(new as i32) {
        return negated(libc::EBADF);
    }
    // What was there before is closed, so its waiters are told.
    io().close(new as i32, |thread, outcome| here.wake(thread, outcome), call)
}

pub fn leat_fd_fcntl(mut here: Here, fd: u64, command: u64, argument: u64) -> u64 {
    // The program is to see its own flags, and may make another descriptor.
    here.lend(&[fd as i32], &mut []);
    // SAFETY: a plain system call.
    let result = repeated(|| unsafe { libc::fcntl(fd as i32, command as i32, argument as i32) });
    if command as i32 == libc::F_SETFL {
        io().forget_kind(fd as i32);
    }
    answer(result as i64)
}

/// What `stat` tells, into the array: dev ino mode nlink uid gid size atime mtime ctime rdev.
fn fill(here: Here, stat: &libc::stat, mut array: Ints) {
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
        here.set(&mut array, i, value);
    }
}

pub fn leat_file_stat(here: Here, name: Text, follow: u64, array: Ints) -> u64 {
    let Some(name) = here.path(name) else { return BAD_PATH };
    // SAFETY: the path ends in NUL, the buffer is a stat.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let call = if follow != 0 { libc::stat } else { libc::lstat };
        let result = repeated(|| call(name.as_ptr(), &mut stat));
        if result == 0 {
            fill(here, &stat, array);
        }
        answer(result as i64)
    }
}

pub fn leat_fd_stat(here: Here, fd: u64, array: Ints) -> u64 {
    // SAFETY: as above.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let result = repeated(|| libc::fstat(fd as i32, &mut stat));
        if result == 0 {
            fill(here, &stat, array);
        }
        answer(result as i64)
    }
}

pub fn leat_file_readlink(mut here: Here, name: Text, array: Ints) -> u64 {
    let text = here.path(name).ok_or(libc::EINVAL).and_then(|name| {
        let mut buffer = vec![0u8; libc::PATH_MAX as usize];
        // SAFETY: the buffer is as large as said.
        let got = repeated(|| unsafe { libc::readlink(name.as_ptr(), buffer.as_mut_ptr().cast(), buffer.len()) });
        if got < 0 {
            return Err(errno());
        }
        buffer.truncate(got as usize);
        Ok(buffer)
    });
    here.text_or_error(text, array)
}

pub fn leat_file_realpath(mut here: Here, name: Text, array: Ints) -> u64 {
    // SAFETY: the answer is a C string that is freed here.
    let text = here.path(name).ok_or(libc::EINVAL).and_then(|name| unsafe {
        let found = libc::realpath(name.as_ptr(), core::ptr::null_mut());
        if found.is_null() {
            return Err(errno());
        }
        let text = CStr::from_ptr(found).to_bytes().to_vec();
        libc::free(found.cast());
        Ok(text)
    });
    here.text_or_error(text, array)
}

/// path * access time * modification time (ns). The least number is now: for that alone the system asks no more than
/// the right to write, and it takes the clock of where the file is.
pub fn leat_file_set_times(here: Here, name: Text, accessed: i64, modified: i64) -> u64 {
    let time = |ns: i64| match ns {
        i64::MIN => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW },
        _ => libc::timespec { tv_sec: ns.div_euclid(1_000_000_000), tv_nsec: ns.rem_euclid(1_000_000_000) },
    };
    let Some(name) = here.path(name) else { return BAD_PATH };
    let times = [time(accessed), time(modified)];
    // SAFETY: two times.
    answer(repeated(|| unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), 0) }) as i64)
}

pub fn leat_file_temp(mut here: Here, prefix: Text, mut array: Ints) -> u64 {
    let Some(prefix) = here.path(prefix) else { return here.text_or_error(Err(libc::EINVAL), array) };
    let mut template = Vec::new();
    let fd = repeated(|| {
        template = [prefix.as_bytes(), b"XXXXXX\0"].concat();
        // SAFETY: the template ends in six X and NUL and may be written to.
        unsafe { libc::mkostemp(template.as_mut_ptr().cast(), libc::O_CLOEXEC) }
    });
    let error = errno();
    template.pop();
    here.set(&mut array, 1, fd as i64);
    here.text_or_error(if fd < 0 { Err(error) } else { Ok(template) }, array)
}

pub fn leat_dir_current(mut here: Here, array: Ints) -> u64 {
    use std::os::unix::ffi::OsStringExt;
    let text = std::env::current_dir().map(|dir| dir.into_os_string().into_vec());
    here.text_or_error(text.map_err(|e| e.raw_os_error().unwrap_or(libc::ENOENT)), array)
}

/// A folder that is read; several threads may have it.
struct Folder(*mut libc::DIR);

// SAFETY: one OS thread at a time uses it: it is behind a mutex.
unsafe impl Send for Folder {}

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: it is open, and nobody else has it.
        unsafe { libc::closedir(self.0) };
    }
}

/// Open folders by the numbers that the library has for them. One that a thread reads while another one closes it is
/// closed when it has been read.
static FOLDERS: LazyLock<Mutex<HashMap<u64, Arc<Mutex<Folder>>>>> = LazyLock::new(Mutex::default);

fn folders() -> MutexGuard<'static, HashMap<u64, Arc<Mutex<Folder>>>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_folder<T>(number: u64, act: impl FnOnce(*mut libc::DIR) -> T) -> Result<T, i32> {
    let folder = folders().get(&number).cloned().ok_or(libc::EBADF)?;
    let folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(act(folder.0))
}

pub fn leat_dir_open(here: Here, name: Text) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let Some(name) = here.path(name) else { return BAD_PATH };
    let dir = loop {
        // SAFETY: the path ends in NUL.
        let dir = unsafe { libc::opendir(name.as_ptr()) };
        if !dir.is_null() || errno() != libc::EINTR {
            break dir;
        }
    };
    if dir.is_null() {
        return answer(-1);
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    folders().insert(number, Arc::new(Mutex::new(Folder(dir))));
    number
}

pub fn leat_dir_read(mut here: Here, folder: u64, array: Ints) -> u64 {
    let text = with_folder(folder, |dir| {
        // SAFETY: the folder is open, and the entry is read before another thread asks for the next one.
        unsafe {
            *libc::__errno_location() = 0;
            let entry = libc::readdir(dir);
            match (entry.is_null(), errno()) {
                (true, 0) => Ok(Vec::new()),
                (true, error) => Err(error),
                (false, _) => Ok(CStr::from_ptr((*entry).d_name.as_ptr()).to_bytes().to_vec()),
            }
        }
    });
    here.text_or_error(text.and_then(|text| text), array)
}

pub fn leat_dir_rewind(_: Here, folder: u64) -> u64 {
    // SAFETY: the folder is open.
    match with_folder(folder, |dir| unsafe { libc::rewinddir(dir) }) {
        Ok(()) => 0,
        Err(error) => negated(error),
    }
}

pub fn leat_dir_close(_: Here, folder: u64) -> u64 {
    let folder = folders().remove(&folder);
    drop(folder);
    0
}

/// int array of 2 for the ends; 1 stands in the first where children are to have them -> 0
pub fn leat_fd_pipe(here: Here, mut array: Ints) -> u64 {
    match io().pipe(here.ints(&array)[0] != 0) {
        Ok([from, to]) => {
            here.set(&mut array, 0, from as i64);
            here.set(&mut array, 1, to as i64);
            0
        }
        Err(error) => negated(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}

/// The descriptor's number may go to C code or to another process.
pub fn leat_fd_lend(mut here: Here, fd: u64) {
    here.lend(&[fd as i32], &mut []);
}

/// path * flags (0 read, 1 write new, 2 append) -> fd
pub fn leat_file_open(here: Here, path: Text, flags: u64) -> u64 {
    let Some(path) = here.path(path) else { return BAD_PATH };
    let flags = match flags {
        0 => libc::O_RDONLY,
        1 => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
        _ => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
    };
    open(&path, flags | libc::O_CLOEXEC, 0o666)
}

/// fd * char array * start * count -> bytes read; `-EAGAIN`: the library waits and calls again.
pub fn leat_file_read(here: Here, fd: u64, mut array: Text, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    let part = &mut here.bytes_mut(&mut array)[start as usize..][..(count as usize).min(MOST)];
    // SAFETY: as much room as is said.
    io().attempt(fd, Direction::Read, part.len(), |kind, fetched| unsafe {
        kind::read(kind, fetched, fd, part.as_mut_ptr(), part.len())
    }) as u64
}

/// fd * string or char array * start * count -> bytes written; `-EAGAIN`: the library waits and calls again.
pub fn leat_file_write(here: Here, fd: u64, string: Text, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    let part = &here.bytes(&string)[start as usize..][..(count as usize).min(MOST)];
    // SAFETY: the bytes live.
    io().attempt(fd, Direction::Write, part.len(), |kind, _| unsafe {
        kind::write(kind, fd, part.as_ptr(), part.len())
    }) as u64
}

pub fn leat_file_close(mut here: Here, fd: u64) -> u64 {
    if own::is_own(fd as i32) {
        return negated(libc::EBADF);
    }
    // An interrupted close has closed.
    let close = || {
        // SAFETY: a plain system call.
        if unsafe { libc::close(fd as i32) } < 0 && errno() != libc::EINTR { negated(errno()) } else { 0 }
    };
    io().close(fd as i32, |thread, outcome| here.wake(thread, outcome), close)
}

pub fn leat_file_size(_: Here, fd: u64) -> u64 {
    // SAFETY: stat is plain data that fstat fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if repeated(|| libc::fstat(fd as i32, &mut stat)) < 0 { negated(errno()) } else { stat.st_size as u64 }
    }
}
