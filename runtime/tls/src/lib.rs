//! TLS as a machine: bytes of a connection in, bytes for it out; `lib/leat/tls.sml` moves them.
//!
//! The functions of this file are called by `_import`, by programs that use that library. Nothing of the runtime refers
//! to them: a program that does not use them is linked without them, and without rustls.
//!
//! Handles are numbers that are never used again, so a program cannot do harm with one that was freed: it is that of
//! nothing. What a handle stands for has a lock, for two threads of a program may use one connection on two workers.
//!
//! Reading order: [`session`] (a connection), [`config`] (what is said of it), [`verify`] (who is trusted),
//! [`problem`].

mod config;
mod problem;
mod session;
mod verify;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use rustc_hash::FxBuildHasher;

use config::{Settings, Side};
use problem::{Problem, ProblemKind};
use session::{Machine, status};

/// A configuration: what is said of it, then what became of that.
struct Config {
    settings: Settings,
    side: Option<Side>,
    problem: Option<Problem>,
}

/// What handles stand for, in shards, so that workers that serve connections of their own seldom look at the same lock.
struct Table<T>([RwLock<Shard<T>>; SHARDS]);

type Shard<T> = HashMap<u64, Arc<Mutex<T>>, FxBuildHasher>;

const SHARDS: usize = 64;

static CONFIGS: Table<Config> = Table::new();
static MACHINES: Table<Machine> = Table::new();

/// The last handle that was given.
static LAST: AtomicU64 = AtomicU64::new(0);

impl<T> Table<T> {
    const fn new() -> Table<T> {
        Table([const { RwLock::new(HashMap::with_hasher(FxBuildHasher)) }; SHARDS])
    }

    fn shard(&self, handle: u64) -> &RwLock<Shard<T>> {
        &self.0[handle as usize % SHARDS]
    }

    fn enter(&self, value: T) -> u64 {
        let handle = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        self.shard(handle).write().unwrap_or_else(|e| e.into_inner()).insert(handle, Arc::new(Mutex::new(value)));
        handle
    }

    fn find(&self, handle: u64) -> Option<Arc<Mutex<T>>> {
        self.shard(handle).read().unwrap_or_else(|e| e.into_inner()).get(&handle).cloned()
    }

    /// What is freed is dropped when the table is not locked any more.
    fn remove(&self, handle: u64) {
        let found = self.shard(handle).write().unwrap_or_else(|e| e.into_inner()).remove(&handle);
        drop(found);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The bytes from `start` on.
///
/// # Safety
/// So many bytes are there, and nobody writes to them as long as the slice is used.
unsafe fn bytes<'a>(at: *const u8, start: u64, count: u64) -> &'a [u8] {
    // SAFETY: as the caller says; an empty vector may have any address.
    if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(at.add(start as usize), count as usize) } }
}

/// Likewise, to be written to.
///
/// # Safety
/// As [`bytes`], and nobody else uses them.
unsafe fn bytes_mut<'a>(at: *mut u8, count: u64) -> &'a mut [u8] {
    // SAFETY: as the caller says.
    if count == 0 { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(at, count as usize) } }
}

/// Copies a text, as much as there is room for: its length.
fn copy(text: &[u8], out: &mut [u8]) -> u64 {
    let n = text.len().min(out.len());
    out[..n].copy_from_slice(&text[..n]);
    text.len() as u64
}

/// Changes a configuration; 0, or the kind of what is wrong with it.
fn configure(handle: u64, change: impl FnOnce(&mut Config) -> Result<(), Problem>) -> u64 {
    let Some(config) = CONFIGS.find(handle) else { return ProblemKind::Setting as u64 };
    let mut config = locked(&config);
    let result = catch_unwind(AssertUnwindSafe(|| change(&mut config)))
        .unwrap_or_else(|_| Err(Problem::setting("a mistake in Leat's TLS")));
    match result {
        Ok(()) => 0,
        Err(problem) => {
            let kind = problem.kind as u64;
            config.problem = Some(problem);
            kind
        }
    }
}

/// A configuration with these wishes (`config::wish`).
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_config(wishes: u64) -> u64 {
    CONFIGS.enter(Config { settings: Settings::new(wishes), side: None, problem: None })
}

/// One more piece of it (`config::piece`).
///
/// # Safety
/// The text has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_config_add(config: u64, what: u64, text: *const u8, count: u64) -> u64 {
    // SAFETY: as the caller says.
    let text = unsafe { bytes(text, 0, count) };
    configure(config, |config| config.settings.add(what, text))
}

/// It is complete, for clients (0) or a server (1).
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_config_done(config: u64, is_server: u64) -> u64 {
    configure(config, |config| {
        let side = if is_server == 0 { config.settings.client() } else { config.settings.server() };
        config.side = Some(side?);
        Ok(())
    })
}

/// What is wrong with it: the length of the text, of which as much was copied as there is room for.
///
/// # Safety
/// There is so much room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_config_problem(config: u64, out: *mut u8, room: u64) -> u64 {
    let Some(config) = CONFIGS.find(config) else { return 0 };
    let config = locked(&config);
    // SAFETY: as the caller says.
    let out = unsafe { bytes_mut(out, room) };
    copy(config.problem.as_ref().map_or(&[], |problem| problem.text.as_bytes()), out)
}

/// Nobody has it any more. Its connections go on.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_config_free(config: u64) {
    CONFIGS.remove(config);
}

/// A connection of a complete configuration, to the server of this name, or of a server; 0 if it is not complete.
///
/// # Safety
/// The name has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_new(config: u64, name: *const u8, count: u64) -> u64 {
    // SAFETY: as the caller says.
    let name = unsafe { bytes(name, 0, count) };
    let side = CONFIGS.find(config).and_then(|config| locked(&config).side.clone());
    side.map_or(0, |side| MACHINES.enter(Machine::new(&side, &String::from_utf8_lossy(name))))
}

/// A connection is not used any more.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_free(machine: u64) {
    MACHINES.remove(machine);
}

/// Does something with a connection; `gone` if it is not there any more. What is wrong in here must not end the
/// program: then the connection is given up.
fn with<T>(handle: u64, gone: T, act: impl FnOnce(&mut Machine) -> T) -> T {
    let Some(machine) = MACHINES.find(handle) else { return gone };
    let mut machine = locked(&machine);
    match catch_unwind(AssertUnwindSafe(|| act(&mut machine))) {
        Ok(result) => result,
        Err(_) => {
            machine.panicked();
            gone
        }
    }
}

/// Does something, and says how things are then (`session::status`).
fn change(handle: u64, act: impl FnOnce(&mut Machine)) -> u64 {
    with(handle, status::FAILED, |machine| {
        act(machine);
        machine.status()
    })
}

/// How things are.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_status(machine: u64) -> u64 {
    change(machine, |_| ())
}

/// Bytes have come; how things are then.
///
/// # Safety
/// The bytes are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_feed(machine: u64, at: *const u8, start: u64, count: u64) -> u64 {
    // SAFETY: as the caller says.
    let bytes = unsafe { bytes(at, start, count) };
    change(machine, |machine| machine.feed(bytes))
}

/// No more bytes come; how things are then.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_end(machine: u64) -> u64 {
    change(machine, Machine::end)
}

/// This is to be said; how things are then.
///
/// # Safety
/// The bytes are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_seal(machine: u64, at: *const u8, start: u64, count: u64) -> u64 {
    // SAFETY: as the caller says.
    let bytes = unsafe { bytes(at, start, count) };
    change(machine, |machine| machine.seal(bytes))
}

/// It is to be said that no more comes; how things are then.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_close(machine: u64) -> u64 {
    change(machine, Machine::close)
}

/// What the other side has said, at most so much: how many bytes.
///
/// # Safety
/// There is so much room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_read(machine: u64, out: *mut u8, room: u64) -> u64 {
    // SAFETY: as the caller says.
    let out = unsafe { bytes_mut(out, room) };
    with(machine, 0, |machine| machine.read(out) as u64)
}

/// Bytes to send, at most so many: how many they are.
///
/// # Safety
/// There is so much room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_take(machine: u64, out: *mut u8, room: u64) -> u64 {
    // SAFETY: as the caller says.
    let out = unsafe { bytes_mut(out, room) };
    with(machine, 0, |machine| machine.take(out) as u64)
}

/// The kind of what is wrong; 255: nothing.
#[unsafe(no_mangle)]
pub extern "C" fn leat_tls_problem(machine: u64) -> u64 {
    with(machine, ProblemKind::Closed as u64, |machine| machine.problem().map_or(255, |problem| problem.kind as u64))
}

/// What is known of the connection ([`Machine::about`]): the length of the text, of which as much was copied as there
/// is room for.
///
/// # Safety
/// There is so much room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_tls_about(machine: u64, what: u64, out: *mut u8, room: u64) -> u64 {
    // SAFETY: as the caller says.
    let out = unsafe { bytes_mut(out, room) };
    with(machine, 0, |machine| copy(&machine.about(what), out))
}

/// The functions by name, for programs that are compiled in memory: there is no linker that would find them.
pub fn symbols() -> [(&'static str, *const ()); 16] {
    [
        ("leat_tls_config", leat_tls_config as *const ()),
        ("leat_tls_config_add", leat_tls_config_add as *const ()),
        ("leat_tls_config_done", leat_tls_config_done as *const ()),
        ("leat_tls_config_problem", leat_tls_config_problem as *const ()),
        ("leat_tls_config_free", leat_tls_config_free as *const ()),
        ("leat_tls_new", leat_tls_new as *const ()),
        ("leat_tls_free", leat_tls_free as *const ()),
        ("leat_tls_status", leat_tls_status as *const ()),
        ("leat_tls_feed", leat_tls_feed as *const ()),
        ("leat_tls_end", leat_tls_end as *const ()),
        ("leat_tls_seal", leat_tls_seal as *const ()),
        ("leat_tls_close", leat_tls_close as *const ()),
        ("leat_tls_read", leat_tls_read as *const ()),
        ("leat_tls_take", leat_tls_take as *const ()),
        ("leat_tls_problem", leat_tls_problem as *const ()),
        ("leat_tls_about", leat_tls_about as *const ()),
    ]
}
