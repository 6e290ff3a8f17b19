//! The interface of libkqueue, which has kqueue on Linux by means of epoll: so that the tests run over `kqueue.rs` too.
//!
//! Only with the feature `libkqueue`, for tests. Names and numbers are those of the BSDs, as `libc` has them there.

use std::ffi::{c_int, c_void};

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

#[link(name = "kqueue")]
unsafe extern "C" {
    pub fn kqueue() -> c_int;
    pub fn kevent(
        queue: c_int,
        changes: *const kevent,
        change_count: c_int,
        events: *mut kevent,
        event_count: c_int,
        timeout: *const timespec,
    ) -> c_int;
}
