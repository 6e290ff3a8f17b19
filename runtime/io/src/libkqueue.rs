//! The interface of libkqueue, which has kqueue on Linux by means of epoll: for the tests of `kqueue.rs`, and for
//! measurements.
//!
//! The library is loaded when the first queue is made, so no program needs it that does not ask for kqueue.
//! Names and numbers are those of the BSDs, as `libc` has them there.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::sync::OnceLock;

use libc::timespec;

#[repr(C)]
#[allow(non_camel_case_types)]
pub struct kevent {
    pub ident: usize,
    pub filter: i16,
    pub flags: u16,
    pub fflags: u32,
    pub data: isize,
    pub udata: *mut c_void,
}

pub const EVFILT_READ: i16 = -1;
pub const EVFILT_WRITE: i16 = -2;
pub const EV_ADD: u16 = 0x1;
pub const EV_DELETE: u16 = 0x2;
pub const EV_DISABLE: u16 = 0x8;
pub const EV_CLEAR: u16 = 0x20;
pub const EV_EOF: u16 = 0x8000;

/// The names under which systems install it.
const NAMES: [&CStr; 2] = [c"libkqueue.so.0", c"libkqueue.so"];

type Queue = unsafe extern "C" fn() -> c_int;
type Event = unsafe extern "C" fn(c_int, *const kevent, c_int, *mut kevent, c_int, *const timespec) -> c_int;

struct Library {
    queue: Queue,
    event: Event,
}

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

/// Err: libkqueue is not installed, in the words of the dynamic linker; or there is no such linker.
pub fn load() -> io::Result<()> {
    let loaded = LIBRARY.get_or_init(|| {
        // SAFETY: the names are C strings; the two functions have these types in every version of the library.
        unsafe {
            // Without a dynamic linker there is a second C library beside the program's own, which knows nothing of its
            // threads.
            if libc::getauxval(libc::AT_BASE) == 0 {
                return Err("a program that is linked statically cannot load it, but `leat run` can".into());
            }
            let mut library: *mut c_void = std::ptr::null_mut();
            for name in NAMES {
                if library.is_null() {
                    library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
                }
            }
            if library.is_null() {
                return Err(reason(libc::dlerror()));
            }
            let (queue, event) = (libc::dlsym(library, c"kqueue".as_ptr()), libc::dlsym(library, c"kevent".as_ptr()));
            if queue.is_null() || event.is_null() {
                return Err("libkqueue lacks kqueue or kevent".into());
            }
            Ok(Library {
                queue: std::mem::transmute::<*mut c_void, Queue>(queue),
                event: std::mem::transmute::<*mut c_void, Event>(event),
            })
        }
    });
    loaded.as_ref().map(drop).map_err(|reason| io::Error::new(io::ErrorKind::Unsupported, reason.as_str()))
}

/// What `dlerror` says.
///
/// # Safety
/// `words` is null or a C string.
unsafe fn reason(words: *const c_char) -> String {
    if words.is_null() {
        return "libkqueue cannot be loaded".into();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(words).to_string_lossy().into_owned() }
}

fn library() -> &'static Library {
    LIBRARY.get().and_then(|loaded| loaded.as_ref().ok()).expect("`load` has succeeded")
}

/// # Safety
/// [`load`] has succeeded.
pub unsafe fn kqueue() -> c_int {
    // SAFETY: a function of the library.
    unsafe { (library().queue)() }
}

/// # Safety
/// As the function of this name of the BSDs; [`load`] has succeeded.
pub unsafe fn kevent(
    queue: c_int,
    changes: *const kevent,
    change_count: c_int,
    events: *mut kevent,
    event_count: c_int,
    timeout: *const timespec,
) -> c_int {
    // SAFETY: a function of the library; the caller's promise.
    unsafe { (library().event)(queue, changes, change_count, events, event_count, timeout) }
}
