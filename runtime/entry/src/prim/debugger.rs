//! The primitives of a program under a debugger: probes, what happens at one that stops, and the answers of SML code.

use std::sync::Mutex;

use crate::service::debugger::{Now, made};
use crate::service::here::{Here, Text};
use crate::state::debugger::{Next, PROBES, Request, Why, with};

/// What SML code is to describe.
static ASKED: Mutex<Request> =
    Mutex::new(Request { thread: 0, frame: 0, scope: 0, variable: 0, path: Vec::new(), depth: 0, first: 0, length: 0 });

fn asked() -> std::sync::MutexGuard<'static, Request> {
    ASKED.lock().unwrap_or_else(|e| e.into_inner())
}

/// The scheduler is held when it says true, until `debug_go`. Meanwhile no probe is passed: what the expression of a
/// break point calls is no part of the run.
pub fn leat_debug_probe(place: usize) -> bool {
    if leat_fiber::is_held() {
        return false;
    }
    let stops = PROBES.passed(place);
    if stops {
        leat_fiber::hold(true);
    }
    stops
}

pub fn leat_debug_go() {
    leat_fiber::hold(false);
}

/// # Safety
/// Called by compiled code, with a scope.
pub unsafe fn leat_debug_keep(scope: u64) {
    // SAFETY: as the caller says.
    unsafe { made(scope) };
}

pub fn leat_debug_stop(mut here: Here, place: i64, again: bool) -> bool {
    let now = Now::of(&mut here);
    let mut why = if again { Why::Answered(place as u32) } else { Why::Probe(place as u32) };
    loop {
        match with(|watcher| watcher.stopped(why, &now)) {
            None | Some(Next::Go) => return false,
            Some(Next::Describe(request)) => {
                let is_there = now.asked(&request).is_some();
                *asked() = request;
                if is_there {
                    return true;
                }
                with(|watcher| watcher.answered(""));
                why = Why::Answered(place as u32);
            }
        }
    }
}

/// What `debug_stop` has found: nothing has run since.
pub fn leat_debug_scope(mut here: Here) -> u64 {
    Now::of(&mut here).asked(&asked()).expect("the scope was there at `debug_stop`")
}

pub fn leat_debug_asked(which: i64) -> i64 {
    let asked = asked();
    match which {
        0 => asked.variable,
        1 => asked.depth,
        2 => asked.first,
        3 => asked.length,
        4 => asked.path.len() as i64,
        n => asked.path.get((n - 5) as usize).copied().unwrap_or(0),
    }
}

pub fn leat_debug_answer(here: Here, text: Text) {
    let text = here.text(&text);
    with(|watcher| watcher.answered(&text));
}
