//! Places of accesses as numbers: the frames of a thread, from the innermost to the program's first -> a number, and
//! back.
//!
//! A frame is known by its site, which the code table has once for each return address. What stands within the library
//! (`Array.modify`) is followed to its caller, so a place is one frame in most cases.

use leat_abi::code::{CodeTable, Site};
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_abi::walk::Walk;
use rustc_hash::FxHashMap;

use crate::service::report::CodePlace;
use crate::state::runtime::runtime;

/// Most frames of a trace.
const MOST: usize = 12;
/// Where the names of the library's files begin.
const LIBRARY: &str = "$(SML_LIB)/";

#[derive(Clone, Copy)]
struct Known {
    table: &'static CodeTable,
    site: &'static Site,
    /// The function is the library's, and what it was called by is of interest.
    is_library: bool,
}

/// All traces so far.
#[derive(Default)]
pub struct Traces {
    frames: Vec<Known>,
    /// By the address of the site: number of the frame.
    by_site: FxHashMap<usize, u32>,
    traces: Vec<Vec<u32>>,
    by_frames: FxHashMap<Vec<u32>, u32>,
    /// Of traces of one frame: by its number, the trace's number.
    short: FxHashMap<u32, u32>,
}

impl Traces {
    /// The trace of the running thread.
    ///
    /// # Safety
    /// `tcb` is the calling worker's, whose thread has called a runtime function by way of its stub.
    pub unsafe fn here(&mut self, tcb: *mut Tcb) -> u32 {
        let runtime = runtime();
        // SAFETY: the stub has said where the frames begin; the stack is intact.
        unsafe {
            let lane = (*((*tcb).current as *const Thread)).lane as usize;
            let marker = runtime.fibers.marker(lane);
            let mut walk = Walk::new(runtime.tables(), (*tcb).saved_fp, (*tcb).saved_call_sp, marker);
            let mut frames: Vec<u32> = Vec::new();
            while frames.len() < MOST {
                let Some(frame) = walk.next() else { break };
                let number = self.frame(frame.table, frame.site);
                if frames.is_empty() && !self.frames[number as usize].is_library {
                    return self.one(number);
                }
                frames.push(number);
                if !self.frames[number as usize].is_library {
                    break;
                }
            }
            self.intern(frames)
        }
    }

    fn frame(&mut self, table: &'static CodeTable, site: &'static Site) -> u32 {
        *self.by_site.entry(core::ptr::from_ref(site) as usize).or_insert_with(|| {
            let mut is_library = true;
            table.each_place(site, |_, file, _| is_library &= file.starts_with(LIBRARY));
            self.frames.push(Known { table, site, is_library });
            self.frames.len() as u32 - 1
        })
    }

    fn one(&mut self, frame: u32) -> u32 {
        match self.short.get(&frame) {
            Some(&trace) => trace,
            None => {
                let trace = self.intern(vec![frame]);
                self.short.insert(frame, trace);
                trace
            }
        }
    }

    fn intern(&mut self, frames: Vec<u32>) -> u32 {
        *self.by_frames.entry(frames).or_insert_with_key(|frames| {
            self.traces.push(frames.clone());
            self.traces.len() as u32 - 1
        })
    }

    /// The places of a trace, the innermost first.
    pub fn places(&self, trace: u32) -> Vec<CodePlace> {
        let mut places = Vec::new();
        for &number in self.traces.get(trace as usize).into_iter().flatten() {
            let Known { table, site, .. } = self.frames[number as usize];
            table.each_place(site, |function, file, line| places.push(CodePlace { function, file, line }));
        }
        places
    }

    /// Number of the frame in which that place is: an access in the code.
    pub fn own_site(&self, trace: u32) -> u32 {
        let frames = self.traces.get(trace as usize).map_or(&[][..], |frames| frames);
        let own = frames.iter().find(|&&frame| !self.frames[frame as usize].is_library).or(frames.last());
        own.copied().unwrap_or(u32::MAX)
    }

    /// The first place that is the program's own: with that of the other access it tells one race from another.
    pub fn own_place(&self, trace: u32) -> (&'static str, u32) {
        let places = self.places(trace);
        let own = places.iter().find(|place| !place.file.starts_with(LIBRARY)).or(places.last());
        own.map_or(("", 0), |place| (place.file, place.line))
    }
}
