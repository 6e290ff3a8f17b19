//! A blocked thread -> what it waits for, in words: its reason, and where the program has made the channel or the like,
//! or which stream.

use std::borrow::Cow;

use leat_abi::header::{self, ObjectKind};
use leat_abi::thread::Thread;
use leat_fiber::reason;

use crate::service::objects;
use crate::state::runtime::runtime;

/// Where the program has made what the thread waits for: `file.sml:12.7`, line and column; of a stream, its name. The
/// library leaves that object, or the name, in [`Thread::message`], where the partner's message will stand, for the
/// reasons that have a channel, a variable, a mailbox or a stream; the tag of the object's header is the number of the
/// place.
///
/// # Safety
/// A thread object that is blocked, or is about to be; nothing collects.
pub unsafe fn made(thread: *const Thread) -> Option<String> {
    // SAFETY: as the caller says.
    unsafe {
        match u64::from((*thread).reason) {
            reason::STREAM => string((*thread).message),
            _ => place(place_number(thread)?),
        }
    }
}

/// Where the program has made a reference, if that is known: of all where races are looked for.
///
/// # Safety
/// A reference, or an immediate; nothing collects.
pub unsafe fn made_at(reference: u64) -> Option<String> {
    // SAFETY: as the caller says.
    place(unsafe { tag(reference) }?)
}

/// A place by its number.
fn place(number: u16) -> Option<String> {
    runtime().tables().iter().find_map(|table| table.place(number)).map(str::to_owned)
}

/// The number of that place. It tells apart the things that [`words`] may say for one reason that names no stream.
///
/// # Safety
/// As [`made`].
pub unsafe fn place_number(thread: *const Thread) -> Option<u16> {
    // SAFETY: as the caller says.
    unsafe {
        match u64::from((*thread).reason) {
            reason::SEND | reason::RECEIVE | reason::VARIABLE | reason::MAILBOX | reason::ROOM | reason::PERMIT => {
                tag((*thread).message)
            }
            _ => None,
        }
    }
}

/// What the thread does, for a report.
///
/// # Safety
/// As [`made`].
pub unsafe fn words(thread: *const Thread) -> Cow<'static, str> {
    // SAFETY: as the caller says.
    let (why, made) = unsafe { (u64::from((*thread).reason), made(thread)) };
    let does = reason::name(why);
    match (why, made) {
        (reason::SEND | reason::RECEIVE, Some(place)) => format!("{does} on the channel made at {place}").into(),
        (reason::VARIABLE, Some(place)) => format!("waiting for the variable made at {place}").into(),
        (reason::ROOM, Some(place)) => format!("waiting for room in the mailbox made at {place}").into(),
        (reason::PERMIT, Some(place)) => format!("waiting for a permit of what was made at {place}").into(),
        (reason::STREAM, Some(name)) => format!("waiting for the stream {name}, which another thread uses").into(),
        (_, Some(place)) => format!("{does} to what was made at {place}").into(),
        (_, None) => does.into(),
    }
}

/// The tag of the header of a ref, the number of the place where it was made; None for anything else that the field may
/// hold.
///
/// # Safety
/// A reference, or an immediate; nothing collects.
unsafe fn tag(reference: u64) -> Option<u16> {
    if header::is_immediate(reference) {
        return None;
    }
    // SAFETY: a reference that is no immediate is an object.
    let header = unsafe { objects::header_of(reference) };
    let is_ref =
        ObjectKind::of(header) == ObjectKind::Record && header::raw_words(header) + header::ref_words(header) == 1;
    let number = header::tag(header);
    (is_ref && number != 0).then_some(number)
}

/// The text of a string that is not empty; None for anything else that a field may hold.
///
/// # Safety
/// A reference, or an immediate; nothing collects.
pub unsafe fn string(reference: u64) -> Option<String> {
    if header::is_immediate(reference) {
        return None;
    }
    // SAFETY: a reference that is no immediate is an object.
    unsafe {
        let header = objects::header_of(reference);
        let is_string = ObjectKind::of(header) == ObjectKind::RawArray && header::elem_log2(header) == 0;
        (is_string && header::length(header) > 0).then(|| objects::text(reference))
    }
}
