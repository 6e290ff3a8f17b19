//! The primitives of a program under a debugger: probes, what happens at one that stops, and the answers of SML code.

use std::sync::Mutex;

use leat_abi::tcb::Tcb;

use crate::service::debugger::{Now, made};
use crate::service::objects;
use crate::state::debugger::{Next, PROBES, Request, Why, with};

/// What SML code is to describe.
static ASKED: Mutex<Request> =
    Mutex::new(Request { thread: 0, frame: 0, scope: 0, variable: 0, path: Vec::new(), depth: 0, first: 0, length: 0 });

fn asked() -> std::sync::MutexGuard<'static, Request> {
    ASKED.lock().unwrap_or_else(|e| e.into_inner())
}

/// The scheduler is held when it says 1, until `debug_go`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_probe(place: u64) -> u64 {
    let stops = PROBES.passed(place as usize);
    if stops {
        leat_fiber::hold(true);
    }
    u64::from(stops)
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_go() {
    leat_fiber::hold(false);
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_keep(scope: u64) {
    // SAFETY: a scope.
    unsafe { made(scope) };
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_stop(tcb: *mut Tcb, place: i64, again: u64) -> u64 {
    let now = Now(tcb);
    let mut why = if again == 0 { Why::Probe(place as u32) } else { Why::Answered(place as u32) };
    loop {
        match with(|watcher| watcher.stopped(why, &now)) {
            None | Some(Next::Go) => return 0,
            Some(Next::Describe(request)) => {
                // SAFETY: the running thread has called the runtime.
                let is_there = unsafe { now.asked(&request) }.is_some();
                *asked() = request;
                if is_there {
                    return 1;
                }
                with(|watcher| watcher.answered(""));
                why = Why::Answered(place as u32);
            }
        }
    }
}

/// # Safety
/// Called by compiled code, after `debug_stop` has said 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_scope(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says; nothing has run since that was looked for.
    unsafe { Now(tcb).asked(&asked()) }.expect("the scope was there at `debug_stop`")
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_asked(which: i64) -> i64 {
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

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_debug_answer(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: a string; nothing collects.
    let text = unsafe { objects::text(text) };
    with(|watcher| watcher.answered(&text));
    0
}
