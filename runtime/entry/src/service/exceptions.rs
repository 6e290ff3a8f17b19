//! The exceptions that the runtime knows: their names, descriptors and packets as static objects; and how any exception
//! is told to the user.
//!
//! The objects are laid out once, in memory of this module, with the `STATIC` bit: the collector leaves them where they
//! are.

use std::sync::OnceLock;

use leat_abi::exn::{Argument, BUILTIN_COUNT, BUILTINS, Builtin};
use leat_abi::header;
use leat_abi::tcb::Tcb;

use crate::service::{objects, report};
use crate::state::output::error_text;
use crate::state::runtime::{is_running, runtime};

/// Words of one exception: its name (header, up to two words), descriptor (header, two words), packet (header, two
/// words).
const WORDS: usize = 3 + 3 + 3;

/// Static objects of the builtin exceptions.
struct Statics {
    descriptors: [u64; BUILTIN_COUNT],
    packets: [u64; BUILTIN_COUNT],
}

static STATICS: OnceLock<Statics> = OnceLock::new();

fn statics() -> &'static Statics {
    STATICS.get_or_init(|| {
        let memory = Box::leak(vec![0u64; WORDS * BUILTIN_COUNT].into_boxed_slice());
        let mut statics = Statics { descriptors: [1; BUILTIN_COUNT], packets: [1; BUILTIN_COUNT] };
        for ((i, (_, name, argument)), words) in BUILTINS.iter().enumerate().zip(memory.chunks_exact_mut(WORDS)) {
            assert!(name.len() <= 16);
            words[0] = header::raw_array(0, name.len() as u64) | header::STATIC;
            let mut letters = [0; 16];
            letters[..name.len()].copy_from_slice(name.as_bytes());
            words[1] = u64::from_ne_bytes(letters[..8].try_into().unwrap_or_default());
            words[2] = u64::from_ne_bytes(letters[8..].try_into().unwrap_or_default());
            let address = |index: usize| words.as_ptr() as u64 + 8 * index as u64;
            let (name, descriptor, packet) = (address(1), address(4), address(7));
            words[3] = header::record(1, 1, 0) | header::STATIC;
            words[4] = *argument as u64;
            words[5] = name;
            words[6] = header::record(0, 2, 0) | header::STATIC;
            words[7] = descriptor;
            words[8] = header::immediate(0);
            statics.descriptors[i] = descriptor;
            // An exception with an argument has no packet of its own; 0 stands for that.
            statics.packets[i] = if *argument == Argument::None { packet } else { 0 };
        }
        statics
    })
}

/// Fills in a worker's tables.
pub fn fill(tcb: &mut Tcb) {
    tcb.exn_desc = statics().descriptors;
    tcb.exn_packet = statics().packets;
}

/// The packet of an exception without argument.
pub fn packet(builtin: Builtin) -> u64 {
    statics().packets[builtin as usize]
}

/// A packet of `Fail` with this message: static objects, for a place that keeps what it gets.
pub fn fail(message: &str) -> u64 {
    let words = Box::leak(vec![0u64; 4 + 1 + message.len().div_ceil(8)].into_boxed_slice());
    let address = |index: usize| words.as_ptr() as u64 + 8 * index as u64;
    let (packet, string) = (address(1), address(4));
    words[0] = header::record(0, 2, 0) | header::STATIC;
    words[1] = statics().descriptors[Builtin::Fail as usize];
    words[2] = string;
    words[3] = header::raw_array(0, message.len() as u64) | header::STATIC;
    for (word, bytes) in words[4..].iter_mut().zip(message.as_bytes().chunks(8)) {
        let mut letters = [0; 8];
        letters[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(letters);
    }
    packet
}

/// Name and message of a packet.
///
/// # Safety
/// `packet` is an exception packet; nothing collects meanwhile.
pub unsafe fn describe(packet: u64) -> (String, Option<String>) {
    // SAFETY: packets and descriptors have the shapes that `abi::exn` says.
    unsafe {
        let descriptor = objects::word(packet, 0);
        let kind = objects::word(descriptor, 0);
        let name = objects::text(objects::word(descriptor, 1));
        let argument = objects::word(packet, 1);
        let message = if header::is_immediate(argument) {
            None
        } else if kind == Argument::String as u64 {
            Some(objects::text(argument))
        } else if kind == Argument::Int as u64 {
            let mut text = crate::service::reals::Text::new();
            crate::service::reals::format_int(objects::word(argument, 0) as i64, &mut text);
            Some(String::from_utf8_lossy(&text).into_owned())
        } else if kind == Argument::FirstString as u64 {
            let raw = header::raw_words(objects::header_of(argument));
            Some(objects::text(objects::word(argument, raw)))
        } else if kind == Argument::Failure as u64 && name == "Io" {
            let [cause, function, on] = [0, 1, 2].map(|i| objects::word(argument, i));
            let why = match describe(cause) {
                (error, Some(text)) if error == "SysErr" => text,
                _ => line(cause),
            };
            Some(format!("{} failed on \"{}\", {why}", objects::text(function), objects::text(on)))
        } else {
            None
        };
        (name, message)
    }
}

/// Whether this is `Io` because nobody reads standard output or standard error any more.
///
/// # Safety
/// As [`describe`].
pub unsafe fn is_broken_pipe(packet: u64) -> bool {
    // SAFETY: as the caller says; the fields of `Io` are cause, function, name.
    unsafe {
        let (descriptor, argument) = (objects::word(packet, 0), objects::word(packet, 1));
        if objects::word(descriptor, 0) != Argument::Failure as u64
            || objects::text(objects::word(descriptor, 1)) != "Io"
            || !["<stdout>", "<stderr>"].contains(&objects::text(objects::word(argument, 2)).as_str())
        {
            return false;
        }
        describe(objects::word(argument, 0)) == ("SysErr".into(), Some(error_text(libc::EPIPE)))
    }
}

/// `NAME: message`, or `NAME`.
///
/// # Safety
/// As [`describe`].
pub unsafe fn line(packet: u64) -> String {
    // SAFETY: as the caller says.
    match unsafe { describe(packet) } {
        (name, None) if is_running() && packet == self::packet(Builtin::StackOverflow) => {
            name + ": " + &report::stack_limit(runtime().stack_limit())
        }
        (name, Some(message)) => name + ": " + &message,
        (name, None) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_packets_have_their_shape_and_tell_their_names() {
        let mut tcb = Tcb::empty();
        fill(&mut tcb);
        for (builtin, name, argument) in BUILTINS {
            let i = *builtin as usize;
            // SAFETY: our own static objects.
            unsafe {
                let descriptor = tcb.exn_desc[i];
                assert_eq!(objects::word(descriptor, 0), *argument as u64);
                assert_eq!(objects::text(objects::word(descriptor, 1)), *name);
                assert!(objects::header_of(descriptor) & header::STATIC != 0);
                if *argument == Argument::None {
                    assert_eq!(line(tcb.exn_packet[i]), *name);
                    assert_eq!(objects::word(packet(*builtin), 0), descriptor);
                } else {
                    assert_eq!(tcb.exn_packet[i], 0);
                }
            }
        }
    }

    #[test]
    fn messages_follow_the_kind_of_the_argument() {
        let mut memory = [0u64; 32];
        let base = memory.as_ptr() as u64;
        let at = |index: usize| base + 8 * index as u64;
        // Two strings, a boxed int, a record (int, string).
        (memory[0], memory[1]) = (header::raw_array(0, 4), u64::from_ne_bytes(*b"Oops\0\0\0\0"));
        (memory[2], memory[3]) = (header::raw_array(0, 2), u64::from_ne_bytes(*b"hi\0\0\0\0\0\0"));
        (memory[4], memory[5]) = (header::record(1, 0, 0), -42i64 as u64);
        (memory[6], memory[7], memory[8]) = (header::record(1, 1, 0), 5, at(3));
        (memory[10], memory[12]) = (header::record(1, 1, 0), at(1));
        (memory[13], memory[14]) = (header::record(0, 2, 0), at(11));
        let table = [
            (Argument::None, header::immediate(0), "Oops"),
            (Argument::String, at(3), "Oops: hi"),
            (Argument::Int, at(5), "Oops: ~42"),
            (Argument::FirstString, at(7), "Oops: hi"),
            (Argument::Other, at(5), "Oops"),
        ];
        for (kind, argument, expected) in table {
            memory[11] = kind as u64;
            memory[15] = argument;
            // SAFETY: objects in our own array, laid out above.
            assert_eq!(unsafe { line(std::hint::black_box(at(14))) }, expected);
        }
    }
}
