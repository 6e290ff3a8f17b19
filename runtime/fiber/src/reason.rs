//! Why a thread is parked, for thread dumps: `Thread::reason`, the argument of [`crate::park`]. The library in `lib/`
//! gives the numbers themselves.

/// Library code gives this when it has nothing better to say.
pub const UNKNOWN: u64 = 0;
/// In the other half of a communication on a channel.
pub const SEND: u64 = 1;
pub const RECEIVE: u64 = 2;
/// Until a time.
pub const SLEEP: u64 = 3;
/// Until a descriptor can be read, or written.
pub const READ: u64 = 4;
pub const WRITE: u64 = 5;
/// In a choice of several events.
pub const CHOOSE: u64 = 6;
/// For a thread to end.
pub const JOIN: u64 = 7;
/// For a synchronous variable, a mailbox, a lock, a barrier.
pub const VARIABLE: u64 = 8;
pub const MAILBOX: u64 = 9;
pub const LOCK: u64 = 10;
pub const BARRIER: u64 = 11;
/// For a child process.
pub const PROCESS: u64 = 12;
/// For a stream, while a call of another thread is under way there.
pub const STREAM: u64 = 13;
/// For the other end of a FIFO, for a lock of a file, for an answer about a name.
pub const OPEN: u64 = 14;
pub const FILE_LOCK: u64 = 15;
pub const NAME: u64 = 16;
/// For room in a mailbox with a bound.
pub const ROOM: u64 = 17;
/// For a function of C that is `blocking`.
pub const FOREIGN: u64 = 18;
/// For a permit of a semaphore, or a token of a rate limit.
pub const PERMIT: u64 = 19;

/// What a dump says.
pub fn name(reason: u64) -> &'static str {
    match reason {
        SLEEP => "sleeping",
        READ => "waiting to read",
        WRITE => "waiting to write",
        SEND => "sending",
        RECEIVE => "receiving",
        CHOOSE => "choosing among events",
        JOIN => "waiting for a thread to end",
        VARIABLE => "waiting for a variable",
        MAILBOX => "waiting for a message",
        LOCK => "waiting for a lock",
        BARRIER => "waiting at a barrier",
        PROCESS => "waiting for a process",
        STREAM => "waiting for a stream that another thread uses",
        OPEN => "opening a file",
        FILE_LOCK => "waiting for a file's lock",
        NAME => "looking up a name",
        ROOM => "waiting for room in a mailbox",
        FOREIGN => "in a function of C",
        PERMIT => "waiting for a permit",
        _ => "blocked",
    }
}
