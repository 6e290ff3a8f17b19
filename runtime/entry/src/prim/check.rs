//! `--check-foreign`: what a call of C has done that it may not, as far as it can be seen; and a collection behind each call, which
//! moves every object.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use leat_abi::foreign::block;
use leat_memory::Collection;

use crate::prim::block::Block;
use crate::service::here::Here;
use crate::service::objects::bytes;
use crate::state::runtime::{stderr, stdout};

/// A call that lasts longer keeps others waiting.
const LONG: Duration = Duration::from_millis(10);
/// A collection of all objects that lasts longer is not made behind each call: one of the young ones is.
const DEAR: Duration = Duration::from_millis(1);

/// What was said, so that each place is told of once; and how long the last collection of all objects took.
struct Seen {
    said: HashSet<String>,
    dear: Duration,
    calls: u64,
}

static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// Makes the call, whose block says which of its registers have addresses of objects, and looks at it.
pub fn call(here: &mut Here, block: Block, go: impl FnOnce()) {
    let flags = block.flags();
    let objects = (0..block::REALS - block::INTEGERS).filter(|i| flags >> (block::OBJECTS as usize + i) & 1 != 0);
    // SAFETY: strings and raw arrays, which nothing moves before the call.
    let range = |i| unsafe { bytes(block.get(block::INTEGERS + i)) }.as_ptr_range();
    let given: Vec<_> = objects.map(range).collect();
    let start = Instant::now();
    go();
    let took = start.elapsed();
    if took > LONG {
        let milliseconds = took.as_millis();
        let advice = "no other thread of the worker could run: import it with `blocking`";
        say(here, &format!("a call of C took {milliseconds} ms, and {advice}"));
    }
    let result = block.get(block::INTEGERS) as *const u8;
    if flags & block::GIVES_ADDRESS != 0 && given.iter().any(|range| range.contains(&result)) {
        say(here, "C has given an address inside of an argument, where the next collection leaves nothing");
    }
    collect(here);
}

/// Moves every object.
fn collect(here: &mut Here) {
    let kind = {
        let mut seen = SEEN.lock().expect("nothing panics with it");
        let seen = seen.get_or_insert_with(|| Seen { said: HashSet::new(), dear: Duration::ZERO, calls: 0 });
        seen.calls += 1;
        if seen.dear < DEAR || seen.calls.is_multiple_of(64) { Collection::Pack } else { Collection::Minor }
    };
    let start = Instant::now();
    here.collect(kind);
    if kind == Collection::Pack
        && let Some(seen) = &mut *SEEN.lock().expect("nothing panics with it")
    {
        seen.dear = start.elapsed();
    }
}

/// Says something of the call, with its place; once of each place.
fn say(here: &Here, what: &str) {
    let mut text = String::new();
    here.backtrace(&mut text);
    let place = text.lines().next().unwrap_or_default().to_string();
    let mut seen = SEEN.lock().expect("nothing panics with it");
    let seen = seen.get_or_insert_with(|| Seen { said: HashSet::new(), dear: Duration::ZERO, calls: 0 });
    // The same place may be told of two things.
    if seen.said.insert(place + what.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default()) {
        let _ = stdout().flush();
        let _ = stderr().print_now(format!("{what}\n{text}").as_bytes());
    }
}
