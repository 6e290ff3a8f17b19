//! What a program tells of itself while it runs: its threads, profiles, and a time line.

use leat_abi::figures::measured;

use crate::profile::ProfileKind;
use crate::service::here::Here;

/// Every thread with what it waits for, and the figures of scheduler, collector, timers and descriptors: the text that
/// SIGQUIT brings about.
pub fn leat_debug_report(mut here: Here) -> u64 {
    loop {
        // When another worker has stopped the world, it has gone on since, so this ends.
        if let Some(text) = here.report() {
            return here.new_string(text.as_bytes());
        }
    }
}

/// What a number of [`measured`] measures by a profile.
fn profile_of(number: u64) -> Option<ProfileKind> {
    match number {
        measured::TIME => Some(ProfileKind::Time),
        measured::ALLOCATION => Some(ProfileKind::Alloc),
        measured::WAITING => Some(ProfileKind::Wait),
        _ => None,
    }
}

/// Begins a profile, or a trace; false when there is one already.
pub fn leat_debug_profile(mut here: Here, what: u64) -> bool {
    match profile_of(what) {
        Some(kind) => here.start_profile(kind),
        None => here.start_trace(),
    }
}

/// Its end: the text of a file of `leat profile`, or of a trace; the empty string when the program has begun none.
pub fn leat_debug_profiled(mut here: Here, what: u64) -> u64 {
    let text = match profile_of(what) {
        Some(kind) => here.stop_profile(kind),
        None => here.stop_trace(),
    };
    here.new_string(text.unwrap_or_default().as_bytes())
}
