//! What the user is told when something goes wrong: back-traces, blocked threads, used-up memory.
//!
//! Stacks and heap -> text for standard error. Long recursions are shortened in the middle.

use core::sync::atomic::Ordering;
use std::borrow::Cow;
use std::collections::HashMap;

use leat_abi::code::CodeTable;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};
use leat_abi::walk::Walk;
use leat_fiber::{Ref, unwind};
use leat_memory::OutOfMemory;

use crate::service::waits;
use crate::state::history::{self, OLDEST, Standing, YOUNGEST};
use crate::state::runtime::{Runtime, runtime};

/// Groups of threads in the same place that are shown, and the threads that are looked at for them.
const GROUPS: usize = 20;
const LOOKED_AT: usize = 100_000;

/// Numbers of threads that stand in front of a group.
const NUMBERS: usize = 5;

/// Function, file and line of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePlace {
    pub function: &'static str,
    pub file: &'static str,
    pub line: u32,
}

/// The same place, so many times one after the other.
#[derive(Clone, Copy, Debug)]
struct Run {
    place: CodePlace,
    times: usize,
}

/// A back-trace that is being collected: the first places, the last ones, and how many frames there were.
///
/// A recursion is one line with a number. Of frames of the library that follow one another the outermost is shown,
/// which is what the program has called; none where the library has called the program's function (a thread's, say) and
/// nobody else is below.
#[derive(Default)]
struct Trace {
    youngest: Vec<Run>,
    /// A ring of the last `OLDEST` runs after the youngest.
    oldest: Vec<Run>,
    runs: usize,
    frames: usize,
    /// A frame of the library that is not counted yet.
    library: Option<CodePlace>,
}

impl Trace {
    fn add(&mut self, place: CodePlace) {
        if place.is_library() {
            self.library = Some(place);
            return;
        }
        if let Some(library) = self.library.take() {
            self.push(library);
        }
        self.push(place);
    }

    /// The frames of a raise that has ended at a handler. What the raise behind it names at its beginning is left out:
    /// it is the handler's frame, and what was inlined there.
    fn add_way(&mut self, way: &history::Trace, next: &[CodePlace]) {
        let (youngest, oldest, between) = way.ends();
        let (mut way, oldest) = (places(youngest), places(oldest));
        let left_out = way.len();
        way.extend(oldest);
        let ends = way.len() - in_common(&way, next);
        for (i, &place) in way[..ends].iter().enumerate() {
            // A way is long by a recursion, as a rule.
            if i == left_out && self.last().is_some_and(|run| run.place == place) {
                self.again(between);
            }
            self.add(place);
        }
    }

    fn last(&mut self) -> Option<&mut Run> {
        match self.runs {
            0 => None,
            n if n <= YOUNGEST => self.youngest.last_mut(),
            n => Some(&mut self.oldest[(n - 1 - YOUNGEST) % OLDEST]),
        }
    }

    /// A frame that added so many to the last run, and nothing else, is there once more.
    fn again(&mut self, times: usize) {
        self.frames += times;
        if let Some(run) = self.last() {
            run.times += times;
        }
    }

    fn push(&mut self, place: CodePlace) {
        self.frames += 1;
        if let Some(run) = self.last().filter(|run| run.place == place) {
            run.times += 1;
            return;
        }
        let run = Run { place, times: 1 };
        if self.runs < YOUNGEST {
            self.youngest.push(run);
        } else if self.oldest.len() < OLDEST {
            self.oldest.push(run);
        } else {
            self.oldest[(self.runs - YOUNGEST) % OLDEST] = run;
        }
        self.runs += 1;
    }

    /// The walk is over.
    fn end(&mut self) {
        if let Some(library) = self.library.take().filter(|_| self.runs == 0) {
            self.push(library);
        }
    }

    /// Lines of the back-trace, innermost first.
    fn write(&self, out: &mut String) {
        self.youngest.iter().for_each(|run| run.write(out));
        let shown: usize = self.youngest.iter().chain(&self.oldest).map(|run| run.times).sum();
        if self.frames > shown {
            write_left_out(self.frames - shown, out);
        }
        let start = if self.frames > shown { (self.runs - YOUNGEST) % OLDEST } else { 0 };
        for i in 0..self.oldest.len() {
            self.oldest[(start + i) % self.oldest.len()].write(out);
        }
    }
}

impl Run {
    fn write(&self, out: &mut String) {
        self.place.write(out);
        if self.times > 1 {
            out.push_str(&format!(" x {}", thousands(self.times)));
        }
        out.push('\n');
    }
}

impl CodePlace {
    /// Files of the library are named by the variable of its folder.
    pub fn is_library(&self) -> bool {
        self.file.starts_with("$(SML_LIB)")
    }

    /// As the program may write it: structures with a prime are the library's own, and a function with one does a part
    /// of the work of the one that the program calls.
    pub fn name(&self) -> Cow<'static, str> {
        match self.function.split_once("'.") {
            Some((structure, rest)) if self.is_library() => {
                let structure = match structure {
                    "Channel" | "Event" | "TimeOut" | "Transaction" | "Waiting" => "CML",
                    other => other,
                };
                format!("{structure}.{}", rest.trim_end_matches('\'')).into()
            }
            _ => self.function.into(),
        }
    }

    fn write_line(&self, out: &mut String) {
        self.write(out);
        out.push('\n');
    }

    fn write(&self, out: &mut String) {
        out.push_str("  in ");
        out.push_str(&self.name());
        if !self.file.is_empty() {
            out.push_str(" at ");
            out.push_str(self.file);
            if self.line != 0 {
                out.push_str(&format!(":{}", self.line));
            }
        }
    }
}

/// 1234567 as `1,234,567`.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Where a thread is; `start` is its innermost frame's pointer and return-address slot, when it is in place.
unsafe fn trace(runtime: &Runtime, thread: *const Thread, start: Option<(usize, usize)>) -> Trace {
    let mut trace = Trace::default();
    // SAFETY: as the caller says.
    unsafe { trace_on(&mut trace, runtime, thread, start) };
    trace
}

/// The same behind what a trace has already; it is whole then.
unsafe fn trace_on(trace: &mut Trace, runtime: &Runtime, thread: *const Thread, start: Option<(usize, usize)>) {
    let visit = |mut walk: Walk<'static>| {
        // The frame before, if it has only made the last run longer, and by how much: a recursion's frames are as many
        // as its stack has room for.
        let mut before = (std::ptr::null(), 0);
        // SAFETY: the stack is intact and nobody runs on it.
        while let Some(frame) = unsafe { walk.next() } {
            if std::ptr::eq(frame.site, before.0) {
                trace.again(before.1);
                continue;
            }
            let (runs, frames, library) = (trace.runs, trace.frames, trace.library.is_some());
            let table: &'static CodeTable = frame.table;
            table.each_place(frame.site, |function, file, line| trace.add(CodePlace { function, file, line }));
            let longer = trace.runs == runs && trace.library.is_some() == library;
            before =
                if longer { (std::ptr::from_ref(frame.site), trace.frames - frames) } else { (std::ptr::null(), 0) };
        }
    };
    // SAFETY: a thread object.
    unsafe { unwind::walks(runtime.fibers, Ref::from_ptr(thread), start, visit) };
    trace.end();
}

/// Lines for places that were kept, the innermost first.
pub fn write_places(places: &[CodePlace], out: &mut String) {
    let mut trace = Trace::default();
    places.iter().for_each(|&place| trace.add(place));
    trace.end();
    trace.write(out);
}

/// The back-trace of the running thread, from the call into the runtime.
///
/// # Safety
/// `tcb` is the calling worker's, whose thread has called a runtime function.
pub unsafe fn backtrace(tcb: *mut Tcb, out: &mut String) {
    // SAFETY: as the caller says.
    unsafe {
        if !header::is_immediate((*tcb).current) {
            let start = Some(((*tcb).saved_fp, (*tcb).saved_call_sp));
            trace(runtime(), (*tcb).current as *const Thread, start).write(out);
        }
    }
}

/// The same from the raise of an exception that nobody handles; where handlers have raised it again, from the first.
///
/// # Safety
/// As [`unwind::raise`], of this packet.
pub unsafe fn backtrace_of_raise(tcb: *mut Tcb, packet: u64, out: &mut String) {
    // SAFETY: as the caller says.
    unsafe {
        if header::is_immediate((*tcb).current) {
            return;
        }
        let (thread, start) = ((*tcb).current as *const Thread, Some(unwind::raise(tcb)));
        let ways = if is_raised_again(tcb, packet) { runtime().places.ways(packet) } else { Vec::new() };
        let mut whole = Trace::default();
        for (i, way) in ways.iter().enumerate() {
            let next =
                ways.get(i + 1).map_or_else(|| first_places(thread, start), |next| places(next.ends().0.take(1)));
            whole.add_way(way, &next);
        }
        trace_on(&mut whole, runtime(), thread, start);
        whole.write(out);
    }
}

/// What stands in the innermost frame.
unsafe fn first_places(thread: *const Thread, start: Option<(usize, usize)>) -> Vec<CodePlace> {
    let mut first = None;
    let visit = |mut walk: Walk<'static>| {
        if first.is_none() {
            // SAFETY: the stack is intact and nobody runs on it.
            first = unsafe { walk.next() }.map(|frame| (frame.table, frame.site));
        }
    };
    // SAFETY: a thread object.
    unsafe { unwind::walks(runtime().fibers, Ref::from_ptr(thread), start, visit) };
    places(first.into_iter())
}

/// Whether the last raise was not the first of this packet, if there was one before: a packet without an argument
/// belongs to each raise of its exception.
///
/// # Safety
/// A packet; the last raise was one of the thread that this block's worker runs.
pub unsafe fn is_raised_again(tcb: *mut Tcb, packet: u64) -> bool {
    // SAFETY: as the caller says; a packet has a descriptor and an argument.
    unsafe { (*tcb).raised_again != 0 || !header::is_immediate(*(packet as *const u64).add(1)) }
}

/// How many places at the end of a way, those of the handler's frame and of what was inlined there, the raise behind it
/// names again at its beginning.
fn in_common(way: &[CodePlace], next: &[CodePlace]) -> usize {
    (1..=way.len())
        .rev()
        .find(|&n| {
            let end = &way[way.len() - n..];
            next.len() >= n && end.iter().zip(next).all(|(a, b)| (a.function, a.file) == (b.function, b.file))
        })
        .unwrap_or(0)
}

/// Frames that [`raised`] notes behind the one with the handler.
const BEHIND_HANDLER: usize = 100;

/// Where the running thread is about to raise an exception. The walk goes as far as the nearest handler, as the raise
/// will, and some frames further: so it takes as long as the raise does, however deep the stack is. `handled` says that
/// the handler is in the innermost frame.
///
/// # Safety
/// As [`backtrace`].
pub unsafe fn raised(tcb: *mut Tcb, mut handled: bool) -> history::Trace {
    let mut trace = history::Trace::default();
    let mut left = BEHIND_HANDLER;
    let visit = |mut walk: Walk<'static>| {
        if trace.goes_on {
            return;
        }
        // SAFETY: the stack is intact and nobody runs on it.
        while let Some(frame) = unsafe { walk.next() } {
            if left == 0 {
                trace.goes_on = true;
                return;
            }
            trace.add((frame.table, frame.site));
            left -= usize::from(handled);
            handled |= frame.site.handler != 0;
        }
    };
    // SAFETY: as the caller says.
    unsafe {
        if !header::is_immediate((*tcb).current) {
            let start = Some(((*tcb).saved_fp, (*tcb).saved_call_sp));
            unwind::walks(runtime().fibers, Ref::of((*tcb).current), start, visit);
        }
    }
    trace
}

/// A line for each place of a trace, the innermost first: nothing is folded, and a long one is shortened in the middle.
pub fn write_raised(trace: &history::Trace, out: &mut String) {
    let (youngest, oldest, between) = trace.ends();
    let (mut youngest, mut oldest) = (places(youngest), places(oldest));
    if between == 0 {
        youngest.append(&mut oldest);
        oldest = youngest.split_off(youngest.len().min(YOUNGEST));
    }
    let later = oldest.len().saturating_sub(OLDEST);
    let left_out = youngest.len().saturating_sub(YOUNGEST) + between + later;
    youngest.iter().take(YOUNGEST).for_each(|place| place.write_line(out));
    if trace.goes_on {
        out.push_str("  ... more frames ...\n");
        return;
    }
    if left_out > 0 {
        write_left_out(left_out, out);
    }
    oldest.iter().skip(later).for_each(|place| place.write_line(out));
}

fn places(frames: impl Iterator<Item = Standing>) -> Vec<CodePlace> {
    let mut places = Vec::new();
    frames.for_each(|(table, site)| {
        table.each_place(site, |function, file, line| places.push(CodePlace { function, file, line }));
    });
    places
}

fn write_left_out(frames: usize, out: &mut String) {
    out.push_str(&format!("  ... {} frames more ...\n", thousands(frames)));
}

/// The report of a deadlock: each thread that is blocked and is wanted. None when no thread is.
///
/// # Safety
/// No worker runs a thread.
pub unsafe fn blocked_threads(wanted: impl Fn(u64) -> bool) -> Option<String> {
    let is_blocked = |state| state == State::OnLane as u8 || state == State::InHeap as u8;
    // SAFETY: as the caller says.
    let (count, out) = unsafe { list(|thread, state| is_blocked(state) && wanted(thread)) };
    if count == 0 {
        return None;
    }
    let who =
        if count == 1 { "the only thread is".to_string() } else { format!("all {} threads are", thousands(count)) };
    Some(format!("deadlock: {who} blocked, and nothing can wake {}\n{out}", if count == 1 { "it" } else { "them" }))
}

/// Every thread that has not ended, with what it does and where it is.
///
/// # Safety
/// All workers are stopped at safepoints.
pub unsafe fn all_threads() -> String {
    // SAFETY: as the caller says.
    let (count, out) = unsafe { list(|_, state| state != State::Dead as u8) };
    format!("{} thread{}\n{out}", thousands(count), if count == 1 { "" } else { "s" })
}

/// How the lines of [`figures`] begin, for who shows a report without them.
pub const FIGURES: [&str; 3] = ["scheduler: ", "collector: ", "waiting: "];

/// What the scheduler, the collector, timers and descriptors have done so far, and have now: a line each.
pub fn figures(tcb: &Tcb) -> String {
    let runtime = runtime();
    let (fibers, heap) = (runtime.fibers.stat(), runtime.heap.stats(Some(tcb)));
    let (descriptors, waiters) = runtime.events.io.counts();
    let (_, jobs, queued) = runtime.events.pool.counts();
    let n = |n: u64| thousands(n as usize);
    let ms = |ns: u64| format!("{:.1} ms", ns as f64 / 1e6);
    let mb = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let [scheduler, collector, waiting] = FIGURES;
    format!(
        "{scheduler}workers {} of {}, lanes {}, threads started {}, ended {}, switches {}, preemptions {}, evictions {}, \
         restores {}, steals {}\n\
         {collector}minor {} in {}, major {} in {}, longest pause {}, heap {}, at most {}, alive {}, allocated {}, \
         promoted {}\n\
         {waiting}timers {}, descriptors {}, waiters {}, calls on other OS threads {}, jobs {}, of which {} have no OS \
         thread yet\n",
        fibers.workers,
        runtime.options.workers,
        n(fibers.lanes),
        n(fibers.started),
        n(fibers.ended),
        n(fibers.switches),
        n(fibers.preemptions),
        n(fibers.evictions),
        n(fibers.restores),
        n(fibers.steals),
        n(heap.minors),
        ms(heap.minor_ns),
        n(heap.majors),
        ms(heap.major_ns),
        ms(heap.max_pause_ns),
        mb(heap.heap as u64),
        mb(heap.peak as u64),
        mb(heap.found as u64),
        mb(heap.allocated),
        mb(heap.promoted),
        thousands(runtime.events.timers()),
        thousands(descriptors),
        thousands(waiters),
        thousands(runtime.blocked_calls.load(Ordering::SeqCst)),
        thousands(jobs),
        thousands(queued),
    )
}

/// Threads that do the same in the same place.
struct Group {
    /// The numbers of the first of them, and how many there are.
    numbers: Vec<u64>,
    count: usize,
    /// What follows the numbers: the name of the one, what they do, where.
    text: String,
}

/// Groups in the order of their first threads.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    by_text: HashMap<String, usize>,
}

impl Groups {
    fn add(&mut self, number: u64, text: String) {
        let next = self.groups.len();
        let index = *self.by_text.entry(text).or_insert_with_key(|text| {
            self.groups.push(Group { numbers: Vec::new(), count: 0, text: text.clone() });
            next
        });
        let group = &mut self.groups[index];
        group.count += 1;
        if group.numbers.len() < NUMBERS {
            group.numbers.push(number);
        }
    }

    /// The first ones, and how many threads the others have.
    fn write(&self, out: &mut String) -> usize {
        for group in self.groups.iter().take(GROUPS) {
            let numbers: Vec<String> = group.numbers.iter().map(u64::to_string).collect();
            match group.count {
                1 => out.push_str(&format!("thread {}", numbers[0])),
                n if n <= NUMBERS => out.push_str(&format!("threads {}", numbers.join(", "))),
                n => out.push_str(&format!("{} threads ({}, ...)", thousands(n), numbers.join(", "))),
            }
            out.push_str(&group.text);
        }
        self.groups.iter().skip(GROUPS).map(|group| group.count).sum()
    }
}

/// The threads that are wanted, by themselves and their state, and how many there are.
unsafe fn list(wanted: impl Fn(u64, u8) -> bool) -> (usize, String) {
    let runtime = runtime();
    let mut groups = Groups::default();
    let mut count = 0;
    let tcbs = runtime.fibers.tcbs();
    // SAFETY: the list holds thread objects that have not been collected; nobody runs them.
    unsafe {
        let all = runtime.gather_threads(&tcbs);
        for thread in all.iter() {
            let object = thread as *const Thread;
            let state = (*object).state & STATE_MASK;
            if !wanted(thread, state) {
                continue;
            }
            count += 1;
            if count > LOOKED_AT {
                continue;
            }
            let mut text = String::new();
            if runtime.main_thread.is(Ref::of(thread)) {
                text.push_str(" (main)");
            }
            if leat_fiber::is_bound(Ref::of(thread)) {
                text.push_str(" (bound)");
            }
            if let Some(label) = waits::string(unwind::name_of(Ref::of(thread))) {
                text.push_str(&format!(" \"{label}\""));
            }
            let running = tcbs.iter().find(|&&tcb| (*tcb).current == thread);
            let does = match running {
                Some(_) => "running".into(),
                None if (*object).state & leat_fiber::word::QUEUED != 0 => "ready".into(),
                None if state == State::New as u8 => "not started".into(),
                None => waits::words(object),
            };
            text.push_str(&format!(", {does}:\n"));
            let frames = match running {
                Some(&tcb) => runtime.fibers.frames_running(tcb),
                None => runtime.fibers.frames_of(object),
            };
            trace(runtime, object, frames.map(|f| (f.fp, f.ret_slot))).write(&mut text);
            groups.add((*object).id, text);
        }
    }
    let mut out = String::new();
    let more = groups.write(&mut out) + count.saturating_sub(LOOKED_AT);
    if more > 0 {
        out.push_str(&format!("... and {} threads more ...\n", thousands(more)));
    }
    (count, out)
}

/// The line for a heap that is full.
pub fn out_of_memory(what: OutOfMemory) -> String {
    let wanted = if what.wanted > 0 { format!("{} more are wanted, ", mib(what.wanted)) } else { String::new() };
    let by = if leat_memory::address_space().is_some() { "--heap-max, ulimit -v, ulimit -d" } else { "--heap-max" };
    format!("out of memory: {wanted}{} are in use, the limit is {} ({by})\n", mib(what.used), mib(what.limit))
}

/// What is said of a stack that is used up: so much it may have, by the option for stacks or by that for the heap.
pub fn stack_limit((bytes, by_heap): (usize, bool)) -> String {
    match by_heap {
        false => format!("a stack may have {} (--stack)", mib(bytes)),
        true => format!("the heap and the stacks have no more room (--heap-max); {} were left for stacks", mib(bytes)),
    }
}

fn mib(bytes: usize) -> String {
    if bytes < 1 << 20 {
        return format!("{} KB", bytes >> 10);
    }
    format!("{}.{} MB", bytes >> 20, ((bytes & ((1 << 20) - 1)) * 10) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        let mut trace = Trace::default();
        for line in 1..=count {
            trace.add(CodePlace { function: "f", file: "a.sml", line: line as u32 });
        }
        trace.end();
        let mut out = String::new();
        trace.write(&mut out);
        out
    }

    #[test]
    fn sizes_below_a_megabyte_are_told_in_kilobytes() {
        assert_eq!(mib(48 << 10), "48 KB");
        assert_eq!(mib((1 << 20) - 1), "1023 KB");
        assert_eq!(mib(3 << 19), "1.5 MB");
        assert!(stack_limit((64 << 10, false)).contains("may have 64 KB"));
    }

    #[test]
    fn long_traces_are_shortened_in_the_middle() {
        assert_eq!(numbered(2), "  in f at a.sml:1\n  in f at a.sml:2\n");
        let text = numbered(YOUNGEST + OLDEST);
        assert_eq!(text.lines().count(), YOUNGEST + OLDEST);
        for count in [31, 34, 39, 40, 100_020] {
            let text = numbered(count);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), YOUNGEST + 1 + OLDEST);
            assert_eq!(lines[19], "  in f at a.sml:20");
            assert_eq!(lines[20], format!("  ... {} frames more ...", thousands(count - 30)));
            assert_eq!(lines[21], format!("  in f at a.sml:{}", count - 9));
            assert_eq!(lines[30], format!("  in f at a.sml:{count}"));
        }
        assert!(numbered(100_020).contains("... 99,990 frames more ..."));
    }

    #[test]
    fn recursions_and_the_library_are_folded() {
        let written = |places: &[(&'static str, &'static str, u32)]| {
            let mut trace = Trace::default();
            places.iter().for_each(|&(function, file, line)| trace.add(CodePlace { function, file, line }));
            trace.end();
            let mut out = String::new();
            trace.write(&mut out);
            out
        };
        let (event, channel, cml) =
            ("$(SML_LIB)/cml/event.sml", "$(SML_LIB)/cml/channel.sml", "$(SML_LIB)/cml/cml.sml");
        let waits = [("Transaction'.wait", event, 181), ("Channel'.recv", channel, 156)];
        let mut deep = waits.to_vec();
        deep.extend([("f", "a.sml", 3); 1234]);
        deep.extend([("main", "a.sml", 9), ("CML.spawn.fn", cml, 223)]);
        assert_eq!(
            written(&deep),
            "  in CML.recv at $(SML_LIB)/cml/channel.sml:156\n  in f at a.sml:3 x 1,234\n  in main at a.sml:9\n"
        );
        // Of the library's own threads something is shown too.
        assert_eq!(written(&waits), "  in CML.recv at $(SML_LIB)/cml/channel.sml:156\n");
        // Each line is a run: a long recursion hides nothing, many different frames do.
        let mut mixed: Vec<_> = (0..40).map(|line| ("g", "b.sml", line)).collect();
        mixed.extend([("f", "a.sml", 3); 7]);
        let text = written(&mixed);
        assert!(text.contains("... 11 frames more ...") && text.ends_with("  in f at a.sml:3 x 7\n"), "{text}");
    }

    #[test]
    fn threads_in_the_same_place_stand_together() {
        let mut groups = Groups::default();
        for number in 1..=1000 {
            let text = match number {
                2 => " (main), receiving:\n".to_string(),
                4..=7 => ", waiting:\n".to_string(),
                901.. => format!(", \"{number}\":\n"),
                _ => ", sending:\n".to_string(),
            };
            groups.add(number, text);
        }
        let mut out = String::new();
        assert_eq!(groups.write(&mut out), 100 - 17);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "895 threads (1, 3, 8, 9, 10, ...), sending:",
                "thread 2 (main), receiving:",
                "threads 4, 5, 6, 7, waiting:"
            ]
        );
        assert_eq!(lines.len(), GROUPS);
    }

    #[test]
    fn numbers_and_messages() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (99_990, "99,990"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), text);
        }
        let what = OutOfMemory { wanted: 3 << 19, used: 64 << 20, limit: 64 << 20, is_last: false };
        let text = "out of memory: 1.5 MB more are wanted, 64.0 MB are in use, the limit is 64.0 MB (--heap-max)\n";
        assert_eq!(out_of_memory(what), text);
    }
}
