//! Names and addresses of the network, from the system's resolver and data bases.

use std::ffi::{CStr, CString};

use crate::service::here::{Here, Text};
use crate::service::system::c_text;
use crate::state::pool::Answer;

/// The data bases of the network: what (0 protocol by name, 1 by number, 2 service by `name/protocol`, 3 by
/// `port/protocol`, 4 this host's name) * key -> fields, each ends in NUL; the empty string when there is none.
pub fn leat_net_entry(mut here: Here, what: u64, key: Text) -> u64 {
    let entry = net_entry(what, here.bytes(&key));
    here.new_string(&entry)
}

/// An entry of the network's data bases, see [`leat_net_entry`].
fn net_entry(what: u64, key: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut field = |bytes: Vec<u8>| {
        text.extend(bytes);
        text.push(0);
    };
    let list = |mut at: *mut *mut libc::c_char| {
        let mut names = Vec::new();
        // SAFETY: a list of C strings that ends in null.
        unsafe {
            while !at.is_null() && !(*at).is_null() {
                names.push(c_text(*at));
                at = at.add(1);
            }
        }
        names
    };
    let (name, protocol) = match key.iter().position(|b| *b == b'/') {
        Some(at) => (&key[..at], &key[at + 1..]),
        None => (key, &key[key.len()..]),
    };
    let number = std::str::from_utf8(name).ok().and_then(|t| t.parse::<i32>().ok()).unwrap_or(-1);
    let (Ok(name), Ok(protocol)) = (CString::new(name), CString::new(protocol)) else { return Vec::new() };
    let protocol = if protocol.is_empty() { core::ptr::null() } else { protocol.as_ptr() };
    /// The C library has one answer for the whole process.
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _lock = LOCK.lock().unwrap_or_else(|e| e.into_inner());
    // SAFETY: the entries are the C library's, read at once, under the lock.
    unsafe {
        match what {
            0 | 1 => {
                let entry =
                    if what == 0 { libc::getprotobyname(name.as_ptr()) } else { libc::getprotobynumber(number) };
                if let Some(entry) = entry.as_ref() {
                    field(c_text(entry.p_name));
                    field(entry.p_proto.to_string().into_bytes());
                    list(entry.p_aliases).into_iter().for_each(field);
                }
            }
            2 | 3 => {
                let by_name = what == 2;
                let port = match u16::try_from(number) {
                    Ok(port) => port.to_be() as i32,
                    Err(_) if by_name => 0,
                    // No port has this number.
                    Err(_) => return Vec::new(),
                };
                let entry = if by_name {
                    libc::getservbyname(name.as_ptr(), protocol)
                } else {
                    libc::getservbyport(port, protocol)
                };
                if let Some(entry) = entry.as_ref() {
                    field(c_text(entry.s_name));
                    field(u16::from_be(entry.s_port as u16).to_string().into_bytes());
                    field(c_text(entry.s_proto));
                    list(entry.s_aliases).into_iter().for_each(field);
                }
            }
            _ => {
                let mut line = [0; 256];
                if libc::gethostname(line.as_mut_ptr(), line.len() - 1) == 0 {
                    text = c_text(line.as_ptr());
                }
            }
        }
    }
    text
}

/// The addresses of a host: its proper name, then each address, all ending in NUL. The number is 0 or the resolver's
/// error.
pub(crate) fn addresses(name: &CStr, family: i32) -> Answer {
    let mut text = Vec::new();
    // SAFETY: the list is the library's until it is freed.
    unsafe {
        let mut hints: libc::addrinfo = core::mem::zeroed();
        (hints.ai_family, hints.ai_socktype, hints.ai_flags) = (family, libc::SOCK_STREAM, libc::AI_CANONNAME);
        let mut list = core::ptr::null_mut();
        let error = libc::getaddrinfo(name.as_ptr(), core::ptr::null(), &hints, &mut list);
        if error != 0 {
            return Answer { number: error as i64, text };
        }
        let mut at = list;
        while let Some(entry) = at.as_ref() {
            if at == list {
                text.extend(if entry.ai_canonname.is_null() {
                    name.to_bytes().to_vec()
                } else {
                    c_text(entry.ai_canonname)
                });
                text.push(0);
            }
            let mut line = [0; 64];
            let done = libc::getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                line.as_mut_ptr(),
                line.len() as u32,
                core::ptr::null_mut(),
                0,
                libc::NI_NUMERICHOST,
            );
            if done == 0 {
                text.extend(c_text(line.as_ptr()));
                text.push(0);
            }
            at = entry.ai_next;
        }
        libc::freeaddrinfo(list);
    }
    Answer { number: 0, text }
}

/// The name of an address like 127.0.0.1 or ::1.
pub(crate) fn host_name(address: &CStr) -> Answer {
    // SAFETY: as above.
    unsafe {
        let mut hints: libc::addrinfo = core::mem::zeroed();
        hints.ai_flags = libc::AI_NUMERICHOST;
        let mut list = core::ptr::null_mut();
        let mut error = libc::getaddrinfo(address.as_ptr(), core::ptr::null(), &hints, &mut list);
        let mut line = [0; 1025];
        if let (0, Some(entry)) = (error, list.as_ref()) {
            let (to, room) = (line.as_mut_ptr(), line.len() as u32);
            let none = core::ptr::null_mut();
            error = libc::getnameinfo(entry.ai_addr, entry.ai_addrlen, to, room, none, 0, libc::NI_NAMEREQD);
            libc::freeaddrinfo(list);
        }
        Answer { number: error as i64, text: if error == 0 { c_text(line.as_ptr()) } else { Vec::new() } }
    }
}
