//! Limits of the system and of files by their names: name -> value, for Posix.ProcEnv.sysconf and
//! Posix.FileSys.pathconf.
//!
//! A name is that of POSIX without `_SC_` or `_PC_`. What it means for the system stands in the system's headers only,
//! so the tables have the constants, not their numbers.

use crate::service::here::{Here, Ints, Text};
use crate::state::output::errno;

macro_rules! names {
    ($table:ident: $($name:ident),* $(,)?) => {
        const $table: &[(&str, i32)] = &[$((stringify!($name), libc::$name)),*];
    };
}

names! { SYSTEM:
    _SC_2_CHAR_TERM, _SC_2_C_BIND, _SC_2_C_DEV, _SC_2_FORT_DEV, _SC_2_FORT_RUN, _SC_2_LOCALEDEF, _SC_2_PBS,
    _SC_2_PBS_ACCOUNTING, _SC_2_PBS_CHECKPOINT, _SC_2_PBS_LOCATE, _SC_2_PBS_MESSAGE, _SC_2_PBS_TRACK, _SC_2_SW_DEV,
    _SC_2_UPE, _SC_2_VERSION, _SC_ADVISORY_INFO, _SC_AIO_LISTIO_MAX, _SC_AIO_MAX, _SC_AIO_PRIO_DELTA_MAX, _SC_ARG_MAX,
    _SC_ASYNCHRONOUS_IO, _SC_ATEXIT_MAX, _SC_BARRIERS, _SC_BC_BASE_MAX, _SC_BC_DIM_MAX, _SC_BC_SCALE_MAX,
    _SC_BC_STRING_MAX, _SC_CHILD_MAX, _SC_CLK_TCK, _SC_CLOCK_SELECTION, _SC_COLL_WEIGHTS_MAX, _SC_CPUTIME,
    _SC_DELAYTIMER_MAX, _SC_EXPR_NEST_MAX, _SC_FSYNC, _SC_GETGR_R_SIZE_MAX, _SC_GETPW_R_SIZE_MAX, _SC_HOST_NAME_MAX,
    _SC_IOV_MAX, _SC_IPV6, _SC_JOB_CONTROL, _SC_LINE_MAX, _SC_LOGIN_NAME_MAX, _SC_MAPPED_FILES, _SC_MEMLOCK,
    _SC_MEMLOCK_RANGE, _SC_MEMORY_PROTECTION, _SC_MESSAGE_PASSING, _SC_MONOTONIC_CLOCK, _SC_MQ_OPEN_MAX,
    _SC_MQ_PRIO_MAX, _SC_NGROUPS_MAX, _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN, _SC_OPEN_MAX, _SC_PAGESIZE,
    _SC_PAGE_SIZE, _SC_PASS_MAX, _SC_PHYS_PAGES, _SC_PRIORITIZED_IO, _SC_PRIORITY_SCHEDULING, _SC_RAW_SOCKETS,
    _SC_READER_WRITER_LOCKS, _SC_REALTIME_SIGNALS, _SC_REGEXP, _SC_RE_DUP_MAX, _SC_RTSIG_MAX, _SC_SAVED_IDS,
    _SC_SEMAPHORES, _SC_SEM_NSEMS_MAX, _SC_SEM_VALUE_MAX, _SC_SHARED_MEMORY_OBJECTS, _SC_SHELL, _SC_SIGQUEUE_MAX,
    _SC_SPAWN, _SC_SPIN_LOCKS, _SC_SPORADIC_SERVER, _SC_SS_REPL_MAX, _SC_STREAM_MAX, _SC_SYMLOOP_MAX,
    _SC_SYNCHRONIZED_IO, _SC_THREADS, _SC_THREAD_ATTR_STACKADDR, _SC_THREAD_ATTR_STACKSIZE, _SC_THREAD_CPUTIME,
    _SC_THREAD_DESTRUCTOR_ITERATIONS, _SC_THREAD_KEYS_MAX, _SC_THREAD_PRIORITY_SCHEDULING, _SC_THREAD_PRIO_INHERIT,
    _SC_THREAD_PRIO_PROTECT, _SC_THREAD_PROCESS_SHARED, _SC_THREAD_SAFE_FUNCTIONS, _SC_THREAD_SPORADIC_SERVER,
    _SC_THREAD_STACK_MIN, _SC_THREAD_THREADS_MAX, _SC_TIMEOUTS, _SC_TIMERS, _SC_TIMER_MAX, _SC_TRACE,
    _SC_TRACE_EVENT_FILTER, _SC_TRACE_EVENT_NAME_MAX, _SC_TRACE_INHERIT, _SC_TRACE_LOG, _SC_TRACE_NAME_MAX,
    _SC_TRACE_SYS_MAX, _SC_TRACE_USER_EVENT_MAX, _SC_TTY_NAME_MAX, _SC_TYPED_MEMORY_OBJECTS, _SC_TZNAME_MAX,
    _SC_V6_ILP32_OFF32, _SC_V6_ILP32_OFFBIG, _SC_V6_LP64_OFF64, _SC_V6_LPBIG_OFFBIG, _SC_VERSION, _SC_XBS5_ILP32_OFF32,
    _SC_XBS5_ILP32_OFFBIG, _SC_XBS5_LP64_OFF64, _SC_XBS5_LPBIG_OFFBIG, _SC_XOPEN_CRYPT, _SC_XOPEN_ENH_I18N,
    _SC_XOPEN_LEGACY, _SC_XOPEN_REALTIME, _SC_XOPEN_REALTIME_THREADS, _SC_XOPEN_SHM, _SC_XOPEN_STREAMS, _SC_XOPEN_UNIX,
    _SC_XOPEN_VERSION, _SC_XOPEN_XCU_VERSION
}

names! { FILES:
    _PC_2_SYMLINKS, _PC_ALLOC_SIZE_MIN, _PC_ASYNC_IO, _PC_CHOWN_RESTRICTED, _PC_FILESIZEBITS, _PC_LINK_MAX,
    _PC_MAX_CANON, _PC_MAX_INPUT, _PC_NAME_MAX, _PC_NO_TRUNC, _PC_PATH_MAX, _PC_PIPE_BUF, _PC_PRIO_IO,
    _PC_REC_INCR_XFER_SIZE, _PC_REC_MAX_XFER_SIZE, _PC_REC_MIN_XFER_SIZE, _PC_REC_XFER_ALIGN, _PC_SYMLINK_MAX,
    _PC_SYNC_IO, _PC_VDISABLE
}

/// Length of `_SC_` and `_PC_`.
const PREFIX: usize = 4;

/// There is no limit: the error that the library is told of.
const UNLIMITED: i64 = -1;

/// Asks for the value of a name; 0, an error number or [`UNLIMITED`] goes into the array.
fn ask(here: Here, table: &[(&str, i32)], name: Text, mut array: Ints, question: impl FnOnce(i32) -> i64) -> u64 {
    let wanted = here.bytes(&name);
    let Some((_, number)) = table.iter().find(|(known, _)| known.as_bytes()[PREFIX..] == *wanted) else {
        here.set(&mut array, 0, libc::EINVAL as i64);
        return 0;
    };
    // SAFETY: the error number is this OS thread's own.
    unsafe { *libc::__errno_location() = 0 };
    let value = question(*number);
    let error = match (value, errno()) {
        (-1, 0) => UNLIMITED,
        (-1, error) => error as i64,
        _ => 0,
    };
    here.set(&mut array, 0, error);
    value as u64
}

/// name * int array of 1 for the error (~1: no limit) -> value
pub fn leat_system_conf(here: Here, name: Text, array: Ints) -> u64 {
    // SAFETY: a plain question.
    ask(here, SYSTEM, name, array, |number| unsafe { libc::sysconf(number) })
}

/// path * name * int array of 1 for the error (~1: no limit) -> value
pub fn leat_file_pathconf(here: Here, file: Text, name: Text, mut array: Ints) -> u64 {
    let Some(file) = here.path(file) else {
        here.set(&mut array, 0, libc::EINVAL as i64);
        return 0;
    };
    // SAFETY: the path ends in NUL.
    ask(here, FILES, name, array, |number| unsafe { libc::pathconf(file.as_ptr(), number) })
}

/// fd * name * int array of 1 for the error (~1: no limit) -> value
pub fn leat_fd_pathconf(here: Here, fd: u64, name: Text, array: Ints) -> u64 {
    // SAFETY: a plain question.
    ask(here, FILES, name, array, |number| unsafe { libc::fpathconf(fd as i32, number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_prefix_and_stands_once() {
        for (table, prefix) in [(SYSTEM, "_SC_"), (FILES, "_PC_")] {
            for (i, (name, _)) in table.iter().enumerate() {
                assert!(name.starts_with(prefix), "{name}");
                assert!(table[i + 1..].iter().all(|(other, _)| other != name), "{name} stands twice");
            }
        }
    }
}
