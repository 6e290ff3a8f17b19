//! What a program tells of itself while it runs: its threads, and a profile of its time.

use crate::profile;
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

/// Begins a profile of time; 0 when there is one already.
pub fn leat_debug_profile(mut here: Here) -> bool {
    here.start_profile()
}

/// Its end: the text of a file of `leat profile`; the empty string when the program has begun none.
pub fn leat_debug_profiled(mut here: Here) -> u64 {
    here.new_string(profile::stop_now().unwrap_or_default().as_bytes())
}
