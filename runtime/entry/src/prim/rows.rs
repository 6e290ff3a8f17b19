//! Many steps of a statement of SQLite in one call of C: parameters and rows go as words, so that a program pays for
//! one call, and one job of the pool, where it would pay for one a column.
//!
//! The functions of SQLite are the caller's, who is linked with it; nothing of the runtime calls this.
//!
//! Each function of SQLite takes the lock of the connection. It is held over a whole call from here, so what is inside
//! takes it a second time, which costs little; and a column's value is asked for once, since with the lock held the
//! functions of values need none.
//!
//! ```text
//! 0                    NULL
//! 1, word              a whole number, or a real
//! 2 + 4 * n, words     n bytes, the last word filled up
//! 3 + 4 * k            no number of that kind, but a value of SQLite's type k (1 whole number, 2 real, 3 text, 4 blob)
//! ```

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The functions of SQLite.
#[repr(C)]
pub struct Functions {
    step: unsafe extern "C" fn(*mut c_void) -> c_int,
    reset: unsafe extern "C" fn(*mut c_void) -> c_int,
    column: unsafe extern "C" fn(*mut c_void, c_int) -> *mut Value,
    kind: unsafe extern "C" fn(*mut Value) -> c_int,
    int: unsafe extern "C" fn(*mut Value) -> i64,
    real: unsafe extern "C" fn(*mut Value) -> f64,
    text: unsafe extern "C" fn(*mut Value) -> *const u8,
    blob: unsafe extern "C" fn(*mut Value) -> *const u8,
    bytes: unsafe extern "C" fn(*mut Value) -> c_int,
    bind_null: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    bind_int: unsafe extern "C" fn(*mut c_void, c_int, i64) -> c_int,
    bind_real: unsafe extern "C" fn(*mut c_void, c_int, f64) -> c_int,
    bind_text: unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_int, *const c_void) -> c_int,
    bind_blob: unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_int, *const c_void) -> c_int,
    bind_zeros: unsafe extern "C" fn(*mut c_void, c_int, c_int) -> c_int,
    connection: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    lock: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    enter: unsafe extern "C" fn(*mut c_void),
    leave: unsafe extern "C" fn(*mut c_void),
}

/// A value of a row, SQLite's.
#[repr(C)]
pub struct Value {
    _private: [u8; 0],
}

/// The lock of a statement's connection, held. Without threads SQLite has none, and takes its address, 0, for that.
struct Held<'a>(&'a Functions, *mut c_void);

impl<'a> Held<'a> {
    /// # Safety
    /// The statement is one of SQLite, and not finalized while the lock is held.
    unsafe fn of(functions: &'a Functions, statement: *mut c_void) -> Held<'a> {
        // SAFETY: as the caller says; a statement has a connection.
        unsafe {
            let lock = (functions.lock)((functions.connection)(statement));
            (functions.enter)(lock);
            Held(functions, lock)
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: this OS thread has it.
        unsafe { (self.0.leave)(self.1) }
    }
}

/// A statement with its parameters and rows: words, of which `lib/leat/sqlite/c.sml` knows the numbers.
#[repr(C)]
pub struct Rows {
    functions: *const Functions,
    statement: *mut c_void,
    /// A letter for each parameter: `i`nt, `r`eal, `t`ext, `b`lob.
    params: *const u8,
    param_count: u64,
    /// The parameters; of all runs, one behind the other.
    given: *const u64,
    /// Likewise of columns.
    columns: *const u8,
    column_count: u64,
    /// Where rows go.
    room: *mut u64,
    /// In words.
    room_size: u64,
    /// Most rows of this call; of [`leat_rows_run`], how many runs.
    most: u64,
    /// See the constants.
    state: u64,
    /// SQLite's answer to the last step.
    code: u64,
}

/// The parameters are to be bound.
const BEGINS: u64 = 1;
/// A row is there that had no room.
const WAITS: u64 = 2;
/// It is over after so many rows.
const ENDS: u64 = 4;

const ROW: c_int = 100;
const DONE: c_int = 101;
const INTEGER: c_int = 1;
const FLOAT: c_int = 2;
const NULL: c_int = 5;
const TOO_BIG: c_int = 18;

/// The header of so many bytes.
fn header(bytes: usize) -> u64 {
    2 + 4 * bytes as u64
}

/// Binds parameters that stand at an address: SQLite's answer, and where the next ones stand.
///
/// # Safety
/// As many as the statement has, and they stay there while it runs.
unsafe fn bind(rows: &Rows, mut at: *const u64) -> (c_int, *const u64) {
    // SAFETY: as the caller says.
    unsafe {
        let functions = &*rows.functions;
        for i in 0..rows.param_count as usize {
            let (number, head) = (i as c_int + 1, *at);
            let (letter, value) = (*rows.params.add(i), at.add(1));
            at = value;
            let code = match head & 3 {
                0 => (functions.bind_null)(rows.statement, number),
                1 => {
                    at = at.add(1);
                    match letter {
                        b'r' => (functions.bind_real)(rows.statement, number, f64::from_bits(*value)),
                        _ => (functions.bind_int)(rows.statement, number, *value as i64),
                    }
                }
                _ => {
                    let bytes = (head >> 2) as usize;
                    at = at.add(bytes.div_ceil(8));
                    match (letter, c_int::try_from(bytes)) {
                        (_, Err(_)) => TOO_BIG,
                        (b't', Ok(count)) => {
                            (functions.bind_text)(rows.statement, number, value.cast(), count, std::ptr::null())
                        }
                        (_, Ok(0)) => (functions.bind_zeros)(rows.statement, number, 0),
                        (_, Ok(count)) => {
                            (functions.bind_blob)(rows.statement, number, value.cast(), count, std::ptr::null())
                        }
                    }
                }
            };
            if code != 0 {
                return (code, at);
            }
        }
        (0, at)
    }
}

/// Writes the statement's row at a word of the room: where it ends, or None where it has no room.
///
/// # Safety
/// The statement has a row, with as many columns as there are letters; the lock of its connection is held.
unsafe fn pack(rows: &Rows, mut at: usize) -> Option<usize> {
    // SAFETY: as the caller says; nothing is written behind the room.
    unsafe {
        let functions = &*rows.functions;
        for i in 0..rows.column_count as usize {
            if at + 2 > rows.room_size as usize {
                return None;
            }
            let place = rows.room.add(at);
            let value = (functions.column)(rows.statement, i as c_int);
            let number = match (*rows.columns.add(i), (functions.kind)(value)) {
                (_, NULL) => {
                    *place = 0;
                    at += 1;
                    continue;
                }
                (b'i', INTEGER) => (functions.int)(value) as u64,
                (b'r', INTEGER | FLOAT) => (functions.real)(value).to_bits(),
                // SQLite would make a number of anything, of a word 0.
                (b'i' | b'r', kind) => {
                    *place = 3 + 4 * kind as u64;
                    at += 1;
                    continue;
                }
                (letter, _) => {
                    // First the text: it may be made of a number, and then has its length.
                    let read = if letter == b't' { functions.text } else { functions.blob };
                    let from = read(value);
                    let bytes = (functions.bytes)(value).max(0) as usize;
                    let bytes = if from.is_null() { 0 } else { bytes };
                    let words = bytes.div_ceil(8);
                    if at + 1 + words > rows.room_size as usize {
                        return None;
                    }
                    *place = header(bytes);
                    if bytes > 0 {
                        place.add(1).cast::<u8>().copy_from_nonoverlapping(from, bytes);
                    }
                    at += 1 + words;
                    continue;
                }
            };
            *place = 1;
            *place.add(1) = number;
            at += 2;
        }
        Some(at)
    }
}

/// Steps until there are enough rows, no room, or no rows: how many rows there are. `code` is 100 while the statement
/// has more, else it is over and reset.
///
/// # Safety
/// Called by `Sqlite`, with a statement that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_rows(rows: *mut Rows) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let rows = &mut *rows;
        let functions = &*rows.functions;
        let _held = Held::of(functions, rows.statement);
        let (mut count, mut at) = (0, 0);
        let mut code = ROW;
        if rows.state & BEGINS != 0 {
            rows.state &= !BEGINS;
            let (bound, _) = bind(rows, rows.given);
            if bound != 0 {
                code = bound;
            }
        }
        while code == ROW && count < rows.most {
            if rows.state & WAITS == 0 {
                code = (functions.step)(rows.statement);
                if code != ROW {
                    break;
                }
            }
            match pack(rows, at) {
                Some(end) => {
                    at = end;
                    count += 1;
                    rows.state &= !WAITS;
                }
                None => {
                    rows.state |= WAITS;
                    break;
                }
            }
        }
        if code == ROW && rows.state & ENDS != 0 && count == rows.most {
            // What the statement has changed is committed here, which may fail.
            let reset = (functions.reset)(rows.statement);
            code = if reset == 0 { DONE } else { reset };
        } else if code != ROW {
            (functions.reset)(rows.statement);
        }
        rows.code = code as u64;
        count
    }
}

/// Runs the statement `most` times, each with its parameters; rows are dropped. How many times it has run; `code` is
/// 101, or that of an error.
///
/// # Safety
/// As [`leat_rows`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_rows_run(rows: *mut Rows) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let rows = &mut *rows;
        let functions = &*rows.functions;
        let _held = Held::of(functions, rows.statement);
        let mut given = rows.given;
        rows.code = DONE as u64;
        for done in 0..rows.most {
            let (mut code, next) = bind(rows, given);
            given = next;
            if code == 0 {
                code = ROW;
                while code == ROW {
                    code = (functions.step)(rows.statement);
                }
            }
            // An error's text stays.
            (functions.reset)(rows.statement);
            if code != DONE {
                rows.code = code as u64;
                return done;
            }
        }
        rows.most
    }
}

/// What a connection knows that waits for another one's lock.
#[repr(C)]
pub struct Busy {
    /// How long it waits, in milliseconds.
    limit: u64,
    /// Not 0 when it is to wait no longer.
    is_cancelled: AtomicU64,
}

/// Waits a little for a lock, as SQLite's own handler does; but that one does not look whether it was interrupted.
///
/// # Safety
/// SQLite calls it, with what `Sqlite` has given to the connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_rows_busy(busy: *const Busy, count: c_int) -> c_int {
    const PAUSES: [u64; 7] = [1, 2, 5, 10, 15, 20, 25];
    // SAFETY: it lives as long as the connection.
    let busy = unsafe { &*busy };
    let count = count.max(0) as usize;
    let last = PAUSES[PAUSES.len() - 1];
    let waited = PAUSES.iter().take(count).sum::<u64>() + count.saturating_sub(PAUSES.len()) as u64 * last;
    let pause = PAUSES.get(count).copied().unwrap_or(last).min(busy.limit.saturating_sub(waited));
    if pause == 0 || busy.is_cancelled.load(Ordering::Relaxed) != 0 {
        return 0;
    }
    std::thread::sleep(Duration::from_millis(pause));
    1
}

/// The functions by name, for programs that are compiled in memory: there is no linker that would find them.
pub fn symbols() -> [(&'static str, *const ()); 3] {
    [
        ("leat_rows", leat_rows as *const ()),
        ("leat_rows_run", leat_rows_run as *const ()),
        ("leat_rows_busy", leat_rows_busy as *const ()),
    ]
}
