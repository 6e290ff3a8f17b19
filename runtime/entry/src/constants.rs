//! Numbers with a meaning, the system's and the runtime's -> `lib/prim/constants.sml`, where the library finds them by
//! name.
//!
//! The file is in the repository, for readers; a test compares it, and writes it when `LEAT_BLESS` is set. On another
//! system that is the first thing to do.

use std::fmt::Write;

use leat_abi::figures;
use leat_abi::thread::ENDING;
use leat_fiber::reason;

use crate::prim::jobs;

/// A structure of the library.
struct Chapter {
    structure: &'static str,
    about: &'static str,
    /// Of type word; else of type int.
    words: bool,
    rows: &'static [(&'static str, i64)],
}

/// The lowest bit of the kind of a file in its mode.
const UNIT_OF_KINDS: i64 = 1 << libc::S_IFMT.trailing_zeros();

/// The name of an error for `OS.errorName`, where it cannot be that of a value.
const ERROR_NAMES: &[(&str, &str)] = &[("toobig", "2big")];

const CHAPTERS: &[Chapter] = &[
    Chapter {
        structure: "ErrorNumber'",
        about: "The system's error numbers.",
        words: false,
        rows: &[
            ("perm", libc::EPERM as i64),
            ("noent", libc::ENOENT as i64),
            ("srch", libc::ESRCH as i64),
            ("intr", libc::EINTR as i64),
            ("io", libc::EIO as i64),
            ("nxio", libc::ENXIO as i64),
            ("toobig", libc::E2BIG as i64),
            ("noexec", libc::ENOEXEC as i64),
            ("badf", libc::EBADF as i64),
            ("child", libc::ECHILD as i64),
            ("again", libc::EAGAIN as i64),
            ("nomem", libc::ENOMEM as i64),
            ("acces", libc::EACCES as i64),
            ("fault", libc::EFAULT as i64),
            ("notblk", libc::ENOTBLK as i64),
            ("busy", libc::EBUSY as i64),
            ("exist", libc::EEXIST as i64),
            ("xdev", libc::EXDEV as i64),
            ("nodev", libc::ENODEV as i64),
            ("notdir", libc::ENOTDIR as i64),
            ("isdir", libc::EISDIR as i64),
            ("inval", libc::EINVAL as i64),
            ("nfile", libc::ENFILE as i64),
            ("mfile", libc::EMFILE as i64),
            ("notty", libc::ENOTTY as i64),
            ("txtbsy", libc::ETXTBSY as i64),
            ("fbig", libc::EFBIG as i64),
            ("nospc", libc::ENOSPC as i64),
            ("spipe", libc::ESPIPE as i64),
            ("rofs", libc::EROFS as i64),
            ("mlink", libc::EMLINK as i64),
            ("pipe", libc::EPIPE as i64),
            ("dom", libc::EDOM as i64),
            ("range", libc::ERANGE as i64),
            ("deadlock", libc::EDEADLK as i64),
            ("nametoolong", libc::ENAMETOOLONG as i64),
            ("nolck", libc::ENOLCK as i64),
            ("nosys", libc::ENOSYS as i64),
            ("notempty", libc::ENOTEMPTY as i64),
            ("loop", libc::ELOOP as i64),
            ("nomsg", libc::ENOMSG as i64),
            ("idrm", libc::EIDRM as i64),
            ("chrng", libc::ECHRNG as i64),
            ("l2nsync", libc::EL2NSYNC as i64),
            ("l3hlt", libc::EL3HLT as i64),
            ("l3rst", libc::EL3RST as i64),
            ("lnrng", libc::ELNRNG as i64),
            ("unatch", libc::EUNATCH as i64),
            ("nocsi", libc::ENOCSI as i64),
            ("l2hlt", libc::EL2HLT as i64),
            ("bade", libc::EBADE as i64),
            ("badr", libc::EBADR as i64),
            ("xfull", libc::EXFULL as i64),
            ("noano", libc::ENOANO as i64),
            ("badrqc", libc::EBADRQC as i64),
            ("badslt", libc::EBADSLT as i64),
            ("bfont", libc::EBFONT as i64),
            ("nostr", libc::ENOSTR as i64),
            ("nodata", libc::ENODATA as i64),
            ("time", libc::ETIME as i64),
            ("nosr", libc::ENOSR as i64),
            ("nonet", libc::ENONET as i64),
            ("nopkg", libc::ENOPKG as i64),
            ("remote", libc::EREMOTE as i64),
            ("nolink", libc::ENOLINK as i64),
            ("adv", libc::EADV as i64),
            ("srmnt", libc::ESRMNT as i64),
            ("comm", libc::ECOMM as i64),
            ("proto", libc::EPROTO as i64),
            ("multihop", libc::EMULTIHOP as i64),
            ("dotdot", libc::EDOTDOT as i64),
            ("badmsg", libc::EBADMSG as i64),
            ("overflow", libc::EOVERFLOW as i64),
            ("notuniq", libc::ENOTUNIQ as i64),
            ("badfd", libc::EBADFD as i64),
            ("remchg", libc::EREMCHG as i64),
            ("libacc", libc::ELIBACC as i64),
            ("libbad", libc::ELIBBAD as i64),
            ("libscn", libc::ELIBSCN as i64),
            ("libmax", libc::ELIBMAX as i64),
            ("libexec", libc::ELIBEXEC as i64),
            ("ilseq", libc::EILSEQ as i64),
            ("restart", libc::ERESTART as i64),
            ("strpipe", libc::ESTRPIPE as i64),
            ("users", libc::EUSERS as i64),
            ("notsock", libc::ENOTSOCK as i64),
            ("destaddrreq", libc::EDESTADDRREQ as i64),
            ("msgsize", libc::EMSGSIZE as i64),
            ("prototype", libc::EPROTOTYPE as i64),
            ("noprotoopt", libc::ENOPROTOOPT as i64),
            ("protonosupport", libc::EPROTONOSUPPORT as i64),
            ("socktnosupport", libc::ESOCKTNOSUPPORT as i64),
            ("notsup", libc::EOPNOTSUPP as i64),
            ("pfnosupport", libc::EPFNOSUPPORT as i64),
            ("afnosupport", libc::EAFNOSUPPORT as i64),
            ("addrinuse", libc::EADDRINUSE as i64),
            ("addrnotavail", libc::EADDRNOTAVAIL as i64),
            ("netdown", libc::ENETDOWN as i64),
            ("netunreach", libc::ENETUNREACH as i64),
            ("netreset", libc::ENETRESET as i64),
            ("connaborted", libc::ECONNABORTED as i64),
            ("connreset", libc::ECONNRESET as i64),
            ("nobufs", libc::ENOBUFS as i64),
            ("isconn", libc::EISCONN as i64),
            ("notconn", libc::ENOTCONN as i64),
            ("shutdown", libc::ESHUTDOWN as i64),
            ("toomanyrefs", libc::ETOOMANYREFS as i64),
            ("timedout", libc::ETIMEDOUT as i64),
            ("connrefused", libc::ECONNREFUSED as i64),
            ("hostdown", libc::EHOSTDOWN as i64),
            ("hostunreach", libc::EHOSTUNREACH as i64),
            ("already", libc::EALREADY as i64),
            ("inprogress", libc::EINPROGRESS as i64),
            ("stale", libc::ESTALE as i64),
            ("uclean", libc::EUCLEAN as i64),
            ("notnam", libc::ENOTNAM as i64),
            ("navail", libc::ENAVAIL as i64),
            ("isnam", libc::EISNAM as i64),
            ("remoteio", libc::EREMOTEIO as i64),
            ("dquot", libc::EDQUOT as i64),
            ("nomedium", libc::ENOMEDIUM as i64),
            ("mediumtype", libc::EMEDIUMTYPE as i64),
            ("canceled", libc::ECANCELED as i64),
            ("nokey", libc::ENOKEY as i64),
            ("keyexpired", libc::EKEYEXPIRED as i64),
            ("keyrevoked", libc::EKEYREVOKED as i64),
            ("keyrejected", libc::EKEYREJECTED as i64),
            ("ownerdead", libc::EOWNERDEAD as i64),
            ("notrecoverable", libc::ENOTRECOVERABLE as i64),
            ("rfkill", libc::ERFKILL as i64),
        ],
    },
    Chapter {
        structure: "ErrorResult'",
        about: "What a primitive gives for some of them.",
        words: false,
        rows: &[
            ("again", -(libc::EAGAIN as i64)),
            ("acces", -(libc::EACCES as i64)),
            ("badf", -(libc::EBADF as i64)),
            ("inprogress", -(libc::EINPROGRESS as i64)),
        ],
    },
    Chapter {
        structure: "SignalNumber'",
        about: "Signals.",
        words: false,
        rows: &[
            ("abrt", libc::SIGABRT as i64),
            ("alrm", libc::SIGALRM as i64),
            ("bus", libc::SIGBUS as i64),
            ("fpe", libc::SIGFPE as i64),
            ("hup", libc::SIGHUP as i64),
            ("ill", libc::SIGILL as i64),
            ("int", libc::SIGINT as i64),
            ("kill", libc::SIGKILL as i64),
            ("pipe", libc::SIGPIPE as i64),
            ("quit", libc::SIGQUIT as i64),
            ("segv", libc::SIGSEGV as i64),
            ("term", libc::SIGTERM as i64),
            ("usr1", libc::SIGUSR1 as i64),
            ("usr2", libc::SIGUSR2 as i64),
            ("chld", libc::SIGCHLD as i64),
            ("cont", libc::SIGCONT as i64),
            ("stop", libc::SIGSTOP as i64),
            ("tstp", libc::SIGTSTP as i64),
            ("ttin", libc::SIGTTIN as i64),
            ("ttou", libc::SIGTTOU as i64),
            ("urg", libc::SIGURG as i64),
            ("vtalrm", libc::SIGVTALRM as i64),
            ("winch", libc::SIGWINCH as i64),
            ("io", libc::SIGIO as i64),
            ("poll", libc::SIGPOLL as i64),
            ("prof", libc::SIGPROF as i64),
        ],
    },
    Chapter {
        structure: "OpenFlag'",
        about: "Flags of open and fcntl.",
        words: true,
        rows: &[
            ("rdonly", libc::O_RDONLY as i64),
            ("wronly", libc::O_WRONLY as i64),
            ("rdwr", libc::O_RDWR as i64),
            ("accmode", libc::O_ACCMODE as i64),
            ("creat", libc::O_CREAT as i64),
            ("append", libc::O_APPEND as i64),
            ("excl", libc::O_EXCL as i64),
            ("noctty", libc::O_NOCTTY as i64),
            ("nonblock", libc::O_NONBLOCK as i64),
            ("sync", libc::O_SYNC as i64),
            ("trunc", libc::O_TRUNC as i64),
        ],
    },
    Chapter {
        structure: "OpenMode'",
        about: "What TextIO and BinIO open files with.",
        words: false,
        rows: &[
            ("read", libc::O_RDONLY as i64),
            ("writeNew", (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC) as i64),
            ("append", (libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND) as i64),
            ("everybody", 0o666),
        ],
    },
    Chapter {
        structure: "FileMode'",
        about: "Permissions of files.",
        words: true,
        rows: &[
            ("irwxu", libc::S_IRWXU as i64),
            ("irusr", libc::S_IRUSR as i64),
            ("iwusr", libc::S_IWUSR as i64),
            ("ixusr", libc::S_IXUSR as i64),
            ("irwxg", libc::S_IRWXG as i64),
            ("irgrp", libc::S_IRGRP as i64),
            ("iwgrp", libc::S_IWGRP as i64),
            ("ixgrp", libc::S_IXGRP as i64),
            ("irwxo", libc::S_IRWXO as i64),
            ("iroth", libc::S_IROTH as i64),
            ("iwoth", libc::S_IWOTH as i64),
            ("ixoth", libc::S_IXOTH as i64),
            ("isuid", libc::S_ISUID as i64),
            ("isgid", libc::S_ISGID as i64),
        ],
    },
    Chapter {
        structure: "FileKind'",
        about: "Kinds of files; `unit` is what a mode is divided by for them.",
        words: false,
        rows: &[
            ("unit", UNIT_OF_KINDS),
            ("fifo", libc::S_IFIFO as i64),
            ("characterDevice", libc::S_IFCHR as i64),
            ("directory", libc::S_IFDIR as i64),
            ("blockDevice", libc::S_IFBLK as i64),
            ("regular", libc::S_IFREG as i64),
            ("link", libc::S_IFLNK as i64),
            ("socket", libc::S_IFSOCK as i64),
        ],
    },
    Chapter {
        structure: "AccessMode'",
        about: "What access asks.",
        words: false,
        rows: &[("read", libc::R_OK as i64), ("write", libc::W_OK as i64), ("execute", libc::X_OK as i64)],
    },
    Chapter {
        structure: "Whence'",
        about: "Where seek counts from.",
        words: false,
        rows: &[("set", libc::SEEK_SET as i64), ("current", libc::SEEK_CUR as i64), ("end'", libc::SEEK_END as i64)],
    },
    Chapter {
        structure: "Fcntl'",
        about: "Commands of fcntl.",
        words: false,
        rows: &[
            ("dupfd", libc::F_DUPFD as i64),
            ("getfd", libc::F_GETFD as i64),
            ("setfd", libc::F_SETFD as i64),
            ("getfl", libc::F_GETFL as i64),
            ("setfl", libc::F_SETFL as i64),
        ],
    },
    Chapter {
        structure: "DescriptorFlag'",
        about: "Flags of descriptors.",
        words: true,
        rows: &[("cloexec", libc::FD_CLOEXEC as i64)],
    },
    Chapter {
        structure: "WaitFlag'",
        about: "Flags of waitpid.",
        words: true,
        rows: &[("untraced", libc::WUNTRACED as i64)],
    },
    Chapter {
        structure: "PollEvent'",
        about: "What a descriptor is polled for.",
        words: false,
        rows: &[("input", libc::POLLIN as i64), ("urgent", libc::POLLPRI as i64), ("output", libc::POLLOUT as i64)],
    },
    Chapter {
        structure: "ControlCharacter'",
        about: "Control characters of a terminal: where they stand, and how many there are.",
        words: false,
        rows: &[
            ("intr", libc::VINTR as i64),
            ("quit", libc::VQUIT as i64),
            ("erase", libc::VERASE as i64),
            ("kill", libc::VKILL as i64),
            ("eof", libc::VEOF as i64),
            ("time", libc::VTIME as i64),
            ("min", libc::VMIN as i64),
            ("start", libc::VSTART as i64),
            ("stop", libc::VSTOP as i64),
            ("susp", libc::VSUSP as i64),
            ("eol", libc::VEOL as i64),
            ("count", libc::NCCS as i64),
        ],
    },
    Chapter {
        structure: "InputFlag'",
        about: "Modes of a terminal: input.",
        words: true,
        rows: &[
            ("ignbrk", libc::IGNBRK as i64),
            ("brkint", libc::BRKINT as i64),
            ("ignpar", libc::IGNPAR as i64),
            ("parmrk", libc::PARMRK as i64),
            ("inpck", libc::INPCK as i64),
            ("istrip", libc::ISTRIP as i64),
            ("inlcr", libc::INLCR as i64),
            ("igncr", libc::IGNCR as i64),
            ("icrnl", libc::ICRNL as i64),
            ("ixon", libc::IXON as i64),
            ("ixoff", libc::IXOFF as i64),
        ],
    },
    Chapter { structure: "OutputFlag'", about: "Output.", words: true, rows: &[("opost", libc::OPOST as i64)] },
    Chapter {
        structure: "ControlFlag'",
        about: "Lines.",
        words: true,
        rows: &[
            ("cs5", libc::CS5 as i64),
            ("cs6", libc::CS6 as i64),
            ("cs7", libc::CS7 as i64),
            ("cs8", libc::CS8 as i64),
            ("csize", libc::CSIZE as i64),
            ("cstopb", libc::CSTOPB as i64),
            ("cread", libc::CREAD as i64),
            ("parenb", libc::PARENB as i64),
            ("parodd", libc::PARODD as i64),
            ("hupcl", libc::HUPCL as i64),
            ("clocal", libc::CLOCAL as i64),
        ],
    },
    Chapter {
        structure: "LocalFlag'",
        about: "Local.",
        words: true,
        rows: &[
            ("isig", libc::ISIG as i64),
            ("icanon", libc::ICANON as i64),
            ("echo", libc::ECHO as i64),
            ("echoe", libc::ECHOE as i64),
            ("echok", libc::ECHOK as i64),
            ("echonl", libc::ECHONL as i64),
            ("noflsh", libc::NOFLSH as i64),
            ("tostop", libc::TOSTOP as i64),
            ("iexten", libc::IEXTEN as i64),
        ],
    },
    Chapter {
        structure: "Speed'",
        about: "Speeds.",
        words: true,
        rows: &[
            ("b0", libc::B0 as i64),
            ("b50", libc::B50 as i64),
            ("b75", libc::B75 as i64),
            ("b110", libc::B110 as i64),
            ("b134", libc::B134 as i64),
            ("b150", libc::B150 as i64),
            ("b200", libc::B200 as i64),
            ("b300", libc::B300 as i64),
            ("b600", libc::B600 as i64),
            ("b1200", libc::B1200 as i64),
            ("b1800", libc::B1800 as i64),
            ("b2400", libc::B2400 as i64),
            ("b4800", libc::B4800 as i64),
            ("b9600", libc::B9600 as i64),
            ("b19200", libc::B19200 as i64),
            ("b38400", libc::B38400 as i64),
        ],
    },
    Chapter {
        structure: "TerminalAction'",
        about: "When and what tcsetattr, tcflow and tcflush do.",
        words: false,
        rows: &[
            ("sanow", libc::TCSANOW as i64),
            ("sadrain", libc::TCSADRAIN as i64),
            ("saflush", libc::TCSAFLUSH as i64),
            ("ooff", libc::TCOOFF as i64),
            ("oon", libc::TCOON as i64),
            ("ioff", libc::TCIOFF as i64),
            ("ion", libc::TCION as i64),
            ("iflush", libc::TCIFLUSH as i64),
            ("oflush", libc::TCOFLUSH as i64),
            ("ioflush", libc::TCIOFLUSH as i64),
        ],
    },
    Chapter {
        structure: "AddressFamily'",
        about: "Address families.",
        words: false,
        rows: &[("unix", libc::AF_UNIX as i64), ("inet", libc::AF_INET as i64), ("inet6", libc::AF_INET6 as i64)],
    },
    Chapter {
        structure: "SocketKind'",
        about: "Kinds of sockets.",
        words: false,
        rows: &[
            ("stream", libc::SOCK_STREAM as i64),
            ("dgram", libc::SOCK_DGRAM as i64),
            ("raw", libc::SOCK_RAW as i64),
            ("seqPacket", libc::SOCK_SEQPACKET as i64),
        ],
    },
    Chapter {
        structure: "SocketOption'",
        about: "Options of sockets, and their level.",
        words: false,
        rows: &[
            ("level", libc::SOL_SOCKET as i64),
            ("debug", libc::SO_DEBUG as i64),
            ("reuseAddress", libc::SO_REUSEADDR as i64),
            ("keepAlive", libc::SO_KEEPALIVE as i64),
            ("dontRoute", libc::SO_DONTROUTE as i64),
            ("broadcast", libc::SO_BROADCAST as i64),
            ("oobInline", libc::SO_OOBINLINE as i64),
            ("sendBuffer", libc::SO_SNDBUF as i64),
            ("receiveBuffer", libc::SO_RCVBUF as i64),
            ("error", libc::SO_ERROR as i64),
            ("kind", libc::SO_TYPE as i64),
            ("linger", libc::SO_LINGER as i64),
        ],
    },
    Chapter {
        structure: "MessageFlag'",
        about: "Flags of send and recv.",
        words: false,
        rows: &[
            ("oob", libc::MSG_OOB as i64),
            ("peek", libc::MSG_PEEK as i64),
            ("dontRoute", libc::MSG_DONTROUTE as i64),
        ],
    },
    Chapter {
        structure: "Shutdown'",
        about: "What shutdown ends.",
        words: false,
        rows: &[("receives", libc::SHUT_RD as i64), ("sends", libc::SHUT_WR as i64), ("both", libc::SHUT_RDWR as i64)],
    },
    Chapter {
        structure: "JobKind'",
        about: "Kinds of jobs, see `job_start`.",
        words: false,
        rows: &[
            ("shell", jobs::SHELL as i64),
            ("child", jobs::CHILD as i64),
            ("addresses", jobs::ADDRESSES as i64),
            ("hostName", jobs::HOST_NAME as i64),
            ("open'", jobs::OPEN as i64),
            ("lock", jobs::LOCK as i64),
            ("drain", jobs::DRAIN as i64),
            ("sync", jobs::SYNC as i64),
        ],
    },
    Chapter {
        structure: "ParkReason'",
        about: "Why a thread is parked, for reports.",
        words: false,
        rows: &[
            ("unknown", reason::UNKNOWN as i64),
            ("send", reason::SEND as i64),
            ("receive", reason::RECEIVE as i64),
            ("sleep", reason::SLEEP as i64),
            ("read", reason::READ as i64),
            ("write", reason::WRITE as i64),
            ("choose", reason::CHOOSE as i64),
            ("join", reason::JOIN as i64),
            ("variable", reason::VARIABLE as i64),
            ("mailbox", reason::MAILBOX as i64),
            ("lock", reason::LOCK as i64),
            ("barrier", reason::BARRIER as i64),
            ("process", reason::PROCESS as i64),
            ("stream", reason::STREAM as i64),
            ("room", reason::ROOM as i64),
            ("permit", reason::PERMIT as i64),
        ],
    },
    Chapter {
        structure: "ThreadStamp'",
        about: "What the stamp of a thread says that ends.",
        words: false,
        rows: &[("ending", ENDING as i64)],
    },
    Chapter {
        structure: "Collection'",
        about: "What `gc_collect` does.",
        words: false,
        rows: figures::collection::ALL,
    },
    Chapter { structure: "HeapFigure'", about: "What `gc_stat` answers.", words: false, rows: figures::heap::ALL },
    Chapter { structure: "HeapSetting'", about: "What `gc_set` sets.", words: false, rows: figures::heap_setting::ALL },
    Chapter {
        structure: "ThreadFigure'",
        about: "What `thread_stat` answers.",
        words: false,
        rows: figures::threads::ALL,
    },
    Chapter {
        structure: "Measured'",
        about: "What `debug_profile` begins.",
        words: false,
        rows: figures::measured::ALL,
    },
    Chapter { structure: "IOFigure'", about: "What `io_stat` answers.", words: false, rows: figures::io::ALL },
    Chapter {
        structure: "ProcessNumber'",
        about: "What `process_id` answers.",
        words: false,
        rows: figures::process::ALL,
    },
];

/// The text of the file.
pub fn sml() -> String {
    let mut out = String::from(
        "(* Numbers of the system and of the runtime, by name.\n\n   Written from runtime/entry/src/constants.rs: LEAT_BLESS=1 does \
         it. *)\n",
    );
    for chapter in CHAPTERS {
        write!(out, "\n(* {} *)\nstructure {} =\nstruct\n", chapter.about, chapter.structure).unwrap();
        for (name, value) in chapter.rows {
            if chapter.words {
                writeln!(out, "  val {name} = 0wx{value:x}").unwrap();
            } else {
                writeln!(out, "  val {name} = {}", value.to_string().replace('-', "~")).unwrap();
            }
        }
        if chapter.structure == "ErrorNumber'" {
            names(&mut out, chapter);
        }
        out.push_str("end\n");
    }
    out
}

/// The list of the errors' names, with their numbers.
fn names(out: &mut String, chapter: &Chapter) {
    out.push_str("\n  fun names () =\n    [");
    for (i, (name, _)) in chapter.rows.iter().enumerate() {
        let text = ERROR_NAMES.iter().find(|row| row.0 == *name).map_or(*name, |row| row.1);
        let comma = if i == 0 { "" } else { ",\n     " };
        write!(out, "{comma}(\"{text}\", {name})").unwrap();
    }
    out.push_str("]\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_has_the_numbers_of_this_system() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib/prim/constants.sml");
        if std::env::var_os("LEAT_BLESS").is_some() {
            std::fs::write(path, sml()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), sml(), "LEAT_BLESS=1 writes it");
    }
}
