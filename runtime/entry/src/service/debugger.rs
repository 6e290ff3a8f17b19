//! A program that stands still -> its threads, their frames, and the scopes in them, for a debugger.
//!
//! A scope is a closure whose code is called `debug'scope.N` (`driver/src/probes.rs`). A frame holds it in a stack slot
//! that the stack map of its return address names; of several, the one with the greatest number is the innermost. One
//! that captures nothing is a constant, which no frame holds: it is noted when the program comes by.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard};

use leat_abi::header::{self, ObjectKind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};
use leat_abi::walk::{Frame, Walk};
use leat_fiber::{Ref, unwind};

use crate::service::here::Here;
use crate::service::report::CodePlace;
use crate::service::{exceptions, objects, waits};
use crate::state::debugger::{FrameView, Next, PROBES, PlaceView, Request, ThreadView, View, Watcher, Why, with};
use crate::state::runtime::runtime;

/// What the code of a scope is called.
pub const SCOPE: &str = "debug'scope.";

/// Functions of the library's that stand between a probe and the runtime.
const OWN: &str = "Debugger'.";

/// Code of scopes, by address.
static SCOPES: Mutex<Option<HashMap<u64, u32>>> = Mutex::new(None);

/// The program as its only worker sees it, from a call into the runtime, or where no thread runs. It stands still as
/// long as this is there.
pub struct Now<'h> {
    tcb: *mut Tcb,
    still: PhantomData<&'h mut ()>,
}

impl<'h> Now<'h> {
    /// As a call into the runtime sees it.
    pub fn of(here: &'h mut Here) -> Now<'h> {
        Now { tcb: here.tcb(), still: PhantomData }
    }

    fn current(&self) -> Option<*const Thread> {
        // SAFETY: the calling worker's block.
        let current = unsafe { (*self.tcb).current };
        (!header::is_immediate(current)).then_some(current as *const Thread)
    }

    /// The thread objects of all threads.
    fn all(&self) -> Vec<*const Thread> {
        let runtime = runtime();
        // SAFETY: the only worker stands still.
        unsafe { runtime.gather_threads(&runtime.fibers.tcbs()).iter().map(|thread| thread as *const Thread).collect() }
    }

    fn find(&self, id: u64) -> Option<*const Thread> {
        // SAFETY: these are thread objects.
        self.all().into_iter().find(|&thread| unsafe { (*thread).id } == id)
    }

    /// Visits the frames of a thread that are not the debugger's own, the innermost first, until `visit` says no.
    fn each_frame(&self, thread: *const Thread, mut visit: impl FnMut(&Frame<'static>, usize) -> bool) {
        let runtime = runtime();
        let (mut goes_on, mut begun) = (true, false);
        let mut each = |mut walk: Walk<'static>| {
            while goes_on {
                let shift = walk.shift();
                // SAFETY: nobody runs on the stack.
                let Some(frame) = (unsafe { walk.next() }) else { return };
                if !begun && function(&frame).starts_with(OWN) {
                    continue;
                }
                begun = true;
                goes_on = visit(&frame, shift);
            }
        };
        // SAFETY: a thread of the program, which stands still; a running one has called the runtime.
        unsafe {
            let is_running = self.current() == Some(thread);
            let state = (*thread).state & STATE_MASK;
            let start = match is_running {
                true => Some(((*self.tcb).saved_fp, (*self.tcb).saved_call_sp)),
                false if state == State::New as u8 || state == State::Dead as u8 => return,
                false => runtime.fibers.frames_of(thread).map(|f| (f.fp, f.ret_slot)),
            };
            unwind::walks(runtime.fibers, Ref::from_ptr(thread), start, &mut each);
        }
    }

    /// The scopes in a frame, with their numbers, the innermost first.
    fn scopes(&self, frame: &Frame<'_>, shift: usize) -> Vec<(u32, u64)> {
        let slots = frame.table.slots_of(frame.site).iter();
        let mut found: Vec<(u32, u64)> = slots
            .filter_map(|&slot| {
                // SAFETY: the stack map says that the slot holds a reference.
                unsafe {
                    let object = *((frame.sp + slot as usize).wrapping_add(shift) as *const u64);
                    number_of(object).map(|number| (number, object))
                }
            })
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found
    }

    /// The scope that a request speaks of.
    pub fn asked(&self, request: &Request) -> Option<u64> {
        let (mut index, mut found) = (0, None);
        self.each_frame(self.find(request.thread)?, |frame, shift| {
            if index == request.frame {
                let scopes = self.scopes(frame, shift);
                found = scopes.into_iter().find(|scope| scope.0 == request.scope).map(|scope| scope.1);
            }
            index += 1;
            index <= request.frame
        });
        found.or_else(|| statics().get(&request.scope).copied())
    }
}

/// The number of the scope that an object is.
unsafe fn number_of(object: u64) -> Option<u32> {
    if header::is_immediate(object) || object == 0 {
        return None;
    }
    let mut scopes = SCOPES.lock().unwrap_or_else(|e| e.into_inner());
    // SAFETY: a reference that is no immediate is an object.
    unsafe {
        let header = objects::header_of(object);
        let is_closure = ObjectKind::of(header) == ObjectKind::Record && header::raw_words(header) > 0;
        let code = is_closure.then(|| objects::word(object, 0))?;
        scopes.get_or_insert_with(scopes_of_all).get(&code).copied()
    }
}

/// Scopes that capture nothing, by number: objects of the code, which stay where they are, and which no frame holds.
static STATICS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());

fn statics() -> MutexGuard<'static, BTreeMap<u32, u64>> {
    STATICS.lock().unwrap_or_else(|e| e.into_inner())
}

/// A scope has been made.
///
/// # Safety
/// An object, or an immediate.
pub unsafe fn made(scope: u64) {
    if header::is_immediate(scope) {
        return;
    }
    // SAFETY: as the caller says.
    unsafe {
        if objects::header_of(scope) & header::STATIC != 0
            && let Some(number) = number_of(scope)
        {
            statics().insert(number, scope);
        }
    }
}

fn function(frame: &Frame<'static>) -> &'static str {
    let mut name = "";
    frame.table.each_place(frame.site, |function, _, _| {
        if name.is_empty() {
            name = function;
        }
    });
    name
}

fn scopes_of_all() -> HashMap<u64, u32> {
    let mut all = HashMap::new();
    for table in runtime().tables() {
        table.each_function(|start, name| {
            if let Some(number) = name.rsplit_once(SCOPE).and_then(|(_, number)| number.parse().ok()) {
                all.insert(table.base as u64 + u64::from(start), number);
            }
        });
    }
    all
}

impl View for Now<'_> {
    fn count(&self) -> u64 {
        PROBES.count()
    }

    fn thread(&self) -> u64 {
        // SAFETY: the running thread.
        self.current().map_or(0, |thread| unsafe { (*thread).id })
    }

    fn threads(&self) -> Vec<ThreadView> {
        let runtime = runtime();
        let mut out = Vec::new();
        for thread in self.all() {
            // SAFETY: a thread object, and nobody changes it.
            unsafe {
                let state = (*thread).state & STATE_MASK;
                if state == State::Dead as u8 {
                    continue;
                }
                let is_running = self.current() == Some(thread);
                let does = match is_running {
                    true => "running".to_string(),
                    false if (*thread).state & leat_fiber::word::QUEUED != 0 => "ready".to_string(),
                    false if state == State::New as u8 => "not started".to_string(),
                    false => waits::words(thread).into_owned(),
                };
                let name = waits::string(unwind::name_of(Ref::from_ptr(thread)));
                let is_main = runtime.main_thread.is(Ref::from_ptr(thread));
                out.push(ThreadView { id: (*thread).id, is_main, name, does, is_running });
            }
        }
        out.sort_by_key(|thread| thread.id);
        out
    }

    fn frames(&self, thread: u64, most: usize) -> (Vec<FrameView>, bool) {
        let mut out = Vec::new();
        let mut more = false;
        let Some(thread) = self.find(thread) else { return (out, false) };
        // Steps ask for frames of the innermost segment only.
        // SAFETY: a thread object, and nobody changes it.
        let segments = unsafe { unwind::segments(Ref::from_ptr(thread)) };
        self.each_frame(thread, |frame, shift| {
            if out.len() == most {
                more = true;
                return false;
            }
            let places = places(frame);
            let scopes = self.scopes(frame, shift).into_iter().map(|scope| scope.0).collect();
            out.push(FrameView { places, place: numbered(segments, frame.fp), scopes });
            true
        });
        (out, more)
    }

    fn handler(&self) -> Vec<PlaceView> {
        let mut handler = Vec::new();
        if let Some(thread) = self.current() {
            self.each_frame(thread, |frame, _| {
                let handles = frame.site.handler != 0;
                if handles {
                    handler = places(frame);
                }
                !handles
            });
        }
        handler
    }

    fn place(&self) -> usize {
        let mut place = 0;
        if let Some(thread) = self.current() {
            // SAFETY: the running thread.
            let segments = unsafe { unwind::segments(Ref::from_ptr(thread)) };
            self.each_frame(thread, |frame, _| {
                place = numbered(segments, frame.fp);
                false
            });
        }
        place
    }
}

fn places(frame: &Frame<'static>) -> Vec<PlaceView> {
    let mut places = Vec::new();
    frame.table.each_place(frame.site, |function, file, line| {
        let place = CodePlace { function, file, line };
        places.push(PlaceView {
            function: function.to_string(),
            name: place.name().into_owned(),
            file: file.to_string(),
            line,
            is_library: place.is_library(),
        });
    });
    places
}

/// Addresses of stacks have no more bits.
const ADDRESS: u32 = 48;

/// The number of a frame. A segment may lie anywhere, also above the one that it stands on; so its depth counts first.
fn numbered(segments: usize, fp: usize) -> usize {
    const MOST: usize = 0x7FFF;
    (MOST - segments.min(MOST)) << ADDRESS | fp
}

/// Asks the watcher at a moment at which no SML code can run: it answers by going on.
fn look(now: &Now, why: Why) {
    if !leat_fiber::is_held() {
        with(|watcher: &mut (dyn Watcher + 'static)| while !matches!(watcher.stopped(why.clone(), now), Next::Go) {});
    }
}

/// This packet is about to be raised.
///
/// # Safety
/// A packet.
pub unsafe fn raised(here: &mut Here, packet: u64) {
    // SAFETY: as the caller says.
    let text = unsafe { exceptions::line(packet) };
    look(&Now::of(here), Why::Raised(text));
}

/// Nobody handles an exception; this was said of it.
pub fn uncaught(here: &mut Here, text: &str) {
    look(&Now::of(here), Why::Uncaught(text.to_string()));
}

/// All threads are blocked; this was said of it.
///
/// # Safety
/// No thread runs; the block is the calling worker's.
pub unsafe fn deadlock(tcb: *mut Tcb, text: &str) {
    look(&Now { tcb, still: PhantomData }, Why::Deadlock(text.to_string()));
}
