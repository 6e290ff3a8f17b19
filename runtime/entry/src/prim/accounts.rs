//! The system's name, users and groups, for Posix.

use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::service::here::{Here, Ints, Text};
use crate::service::system::{answer, c_text};
use crate::state::output::errno;

pub fn leat_system_text(mut here: Here, what: u64) -> u64 {
    use std::os::unix::ffi::OsStringExt;
    let mut text = Vec::new();
    // SAFETY: the calls fill buffers of their own.
    unsafe {
        match what {
            0..=4 => {
                let mut names: libc::utsname = core::mem::zeroed();
                libc::uname(&mut names);
                let fields = [&names.sysname, &names.nodename, &names.release, &names.version, &names.machine];
                text = c_text(fields[what as usize].as_ptr());
            }
            5 => text = b"/dev/tty".to_vec(),
            6 => {
                let _alone = alone();
                text = c_text(libc::getlogin());
            }
            7 => {
                for (name, value) in crate::state::environment::alone(std::env::vars_os) {
                    text.extend(name.into_vec());
                    text.push(b'=');
                    text.extend(value.into_vec());
                    text.push(0);
                }
            }
            _ => match groups() {
                Ok(groups) => {
                    for group in groups {
                        text.extend_from_slice(group.to_string().as_bytes());
                        text.push(0);
                    }
                }
                Err(error) => text.extend_from_slice(format!("~{error}\0").as_bytes()),
            },
        }
    }
    here.new_string(&text)
}

/// The supplementary groups, however many. Of another size than was asked for before, they have changed in between.
fn groups() -> Result<Vec<libc::gid_t>, i32> {
    loop {
        // SAFETY: asked for 0 groups the call writes nothing; then there is as much room as is said.
        let (groups, count) = unsafe {
            let count = libc::getgroups(0, core::ptr::null_mut());
            let mut groups = vec![0; count.max(0) as usize];
            let count = if count > 0 { libc::getgroups(count, groups.as_mut_ptr()) } else { count };
            (groups, count)
        };
        match usize::try_from(count) {
            Ok(count) if count == groups.len() => return Ok(groups),
            Err(_) if errno() != libc::EINVAL => return Err(errno()),
            _ => {}
        }
    }
}

/// The C library has one entry for all OS threads: who holds this may ask for one and read it. Not over an allocation,
/// which may wait for a worker that waits here.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn leat_system_account(mut here: Here, key: Text, what: u64) -> u64 {
    let mut text = Vec::new();
    let mut field = |bytes: Vec<u8>| {
        text.extend(bytes);
        text.push(0);
    };
    // SAFETY: the entries are the C library's, read before another worker asks.
    unsafe {
        let name = CString::new(here.bytes(&key)).unwrap_or_default();
        let number = name.to_str().ok().and_then(|t| t.parse::<u32>().ok()).unwrap_or(u32::MAX);
        let _alone = alone();
        if what < 2 {
            let entry = if what == 0 { libc::getpwnam(name.as_ptr()) } else { libc::getpwuid(number) };
            if let Some(entry) = entry.as_ref() {
                field(c_text(entry.pw_name));
                field(entry.pw_uid.to_string().into_bytes());
                field(entry.pw_gid.to_string().into_bytes());
                field(c_text(entry.pw_dir));
                field(c_text(entry.pw_shell));
            }
        } else {
            let entry = if what == 2 { libc::getgrnam(name.as_ptr()) } else { libc::getgrgid(number) };
            if let Some(entry) = entry.as_ref() {
                field(c_text(entry.gr_name));
                field(entry.gr_gid.to_string().into_bytes());
                let mut member = entry.gr_mem;
                while !(*member).is_null() {
                    field(c_text(*member));
                    member = member.add(1);
                }
            }
        }
    }
    here.new_string(&text)
}

pub fn leat_system_set_groups(here: Here, groups: Ints) -> u64 {
    let groups: Vec<libc::gid_t> = here.ints(&groups).iter().map(|group| *group as libc::gid_t).collect();
    // SAFETY: the call reads as many groups as are said.
    answer(unsafe { libc::setgroups(groups.len() as _, groups.as_ptr()) } as i64)
}
