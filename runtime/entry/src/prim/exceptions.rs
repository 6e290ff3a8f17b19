//! Exceptions seen from SML: the history of those that were raised.

use crate::service::here::Here;
use crate::service::history::{note, told};
use crate::state::runtime::runtime;
use leat_abi::exn::{NOTE_AGAIN, NOTE_HANDLED};

/// Never called: what compiled code does instead, the fiber crate's stub tells `history::placed`.
pub fn leat_exn_place(_: u64) {}
/// Likewise: a store.
pub fn leat_exn_again(_: u64) {}

pub fn leat_exn_keep(_: Here) -> u64 {
    runtime().fibers.note_raises();
    0
}

pub fn leat_exn_note(mut here: Here, packet: u64, how: u64) -> u64 {
    let handled = how as i64 & NOTE_HANDLED != 0;
    if how as i64 & NOTE_AGAIN != 0 && runtime().history.announce_again(packet, !handled) {
        return 0;
    }
    // SAFETY: a packet.
    unsafe { note(&mut here, packet, !handled, handled) };
    if runtime().history.is_full() {
        here.collect_what_is_dead();
    }
    0
}

pub fn leat_exn_history(mut here: Here, packet: u64) -> u64 {
    here.new_string(told(packet).as_bytes())
}
