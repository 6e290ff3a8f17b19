//! Frames on a pretended stack, with a pretended code table: scanning, the marker, pieces in the heap.

use std::collections::HashSet;

use leat_abi::code::{CodeTable, Site, hash_table};
use leat_abi::thread::{STACK_PIECE_WORDS, StackPiece};
use leat_memory::{Marker, scan_piece, scan_stack};
use leat_random::Random;

const STUB: usize = 0x5_7b5b;
/// Frame shapes: bytes from the stack pointer to the frame pointer, reference slots from the stack pointer.
const SHAPES: &[(u32, &[u32])] = &[(16, &[0]), (48, &[8, 24, 40]), (0, &[]), (160, &[0, 152])];

struct Code {
    table: CodeTable,
    _sites: Vec<Site>,
    _slots: Vec<u32>,
}

fn code() -> Code {
    let mut slots = Vec::new();
    let mut sites = Vec::new();
    for (i, (frame, refs)) in SHAPES.iter().enumerate() {
        sites.push(Site {
            ret: 64 * (i as u32 + 1),
            frame: *frame,
            first_slot: slots.len() as u32,
            slot_count: refs.len() as u32,
            ..Site::default()
        });
        slots.extend_from_slice(refs);
    }
    let sites = hash_table(&sites);
    let table = CodeTable {
        base: 0x7000_0000 as *const u8,
        len: 64 * (SHAPES.len() + 1),
        sites: sites.as_ptr(),
        site_slots: sites.len(),
        slots: slots.as_ptr(),
        slot_count: slots.len(),
        functions: std::ptr::null(),
        function_count: 0,
        text: std::ptr::null(),
        text_len: 0,
        global_refs: std::ptr::null(),
        global_ref_count: 0,
        global_count: 0,
        inlined: std::ptr::null(),
        inlined_count: 0,
        lines: std::ptr::null(),
        line_count: 0,
        counts: std::ptr::null(),
        count_words: 0,
        places: std::ptr::null(),
        place_count: 0,
        places_before: 0,
    };
    Code { table, _sites: sites, _slots: slots }
}

/// A stack that grows down, of frames whose reference slots hold their own addresses.
struct Stack {
    words: Vec<u64>,
    /// Innermost frame: its pointer, and its shape for when it calls.
    fp: usize,
    frames: Vec<(usize, usize)>,
    sp: usize,
}

impl Stack {
    fn new(words: usize) -> Stack {
        let mut words = vec![0u64; words];
        let sp = words.as_mut_ptr() as usize + words.len() * 8;
        let mut stack = Stack { words, fp: 0, frames: Vec::new(), sp };
        // The start trampoline: a return address of no table, and no frame pointer.
        stack.push(0x1234);
        stack.push(0);
        stack.fp = stack.sp;
        stack
    }

    fn push(&mut self, word: usize) {
        self.sp -= 8;
        assert!(self.sp >= self.words.as_ptr() as usize, "the test's stack is too small");
        // SAFETY: within `words`.
        unsafe { *(self.sp as *mut usize) = word };
    }

    /// The running function's frame has this shape, and it calls another.
    fn call(&mut self, shape: usize) {
        let (size, refs) = SHAPES[shape];
        self.sp = self.fp - size as usize;
        for &r in refs {
            // SAFETY: within `words`.
            unsafe { *((self.sp + r as usize) as *mut usize) = self.sp + r as usize };
        }
        self.frames.push((self.fp, shape));
        self.push(0x7000_0000 + 64 * (shape + 1));
        self.push(self.fp);
        self.fp = self.sp;
    }

    /// The innermost function returns.
    fn ret(&mut self, marker: &mut Marker) {
        // SAFETY: the chain is the stack's own.
        unsafe {
            let word = *((self.fp + 8) as *const usize);
            let (fp, shape) = self.frames.pop().unwrap();
            let back = if word == STUB { marker.hit(STUB) } else { word };
            assert_eq!(back, 0x7000_0000 + 64 * (shape + 1), "a return goes to its caller");
            assert_eq!(*(self.fp as *const usize), fp);
            self.fp = fp;
            self.sp = self.fp - SHAPES[shape].0 as usize;
        }
    }

    /// Where a walk starts: the innermost function has called the runtime.
    fn start(&self) -> (usize, usize) {
        // SAFETY: as above.
        unsafe { (*(self.fp as *const usize), self.fp + 8) }
    }

    /// The addresses of the reference slots of the frames from the innermost on, except the running one.
    fn expected(&self) -> Vec<usize> {
        let slots = |&(fp, shape): &(usize, usize)| {
            let (size, refs) = SHAPES[shape];
            refs.iter().map(move |&r| fp - size as usize + r as usize).collect::<Vec<_>>()
        };
        self.frames.iter().rev().flat_map(slots).collect()
    }
}

fn scan(code: &Code, stack: &Stack, marker: &mut Marker, minor: bool) -> (usize, Vec<usize>) {
    let (fp, ret_slot) = stack.start();
    let mut seen = Vec::new();
    // SAFETY: the pretended stack is whole.
    let frames = unsafe {
        scan_stack(&[&code.table], fp, ret_slot, marker, STUB, minor, &mut |slot: *mut u64| {
            assert_eq!(*slot, slot as u64, "not a reference slot");
            seen.push(slot as usize);
        })
    };
    (frames, seen)
}

#[test]
fn every_slot_of_every_frame_once() {
    let (code, mut marker) = (code(), Marker::default());
    let mut stack = Stack::new(10_000);
    assert_eq!(scan(&code, &stack, &mut marker, true).0, 0);
    for i in 0..50 {
        stack.call(i % 4);
    }
    let (frames, seen) = scan(&code, &stack, &mut marker, true);
    assert_eq!((frames, seen), (50, stack.expected()));
    assert_eq!(marker.pair(), (0, 0), "a shallow stack gets no marker");
    assert_eq!(scan(&code, &stack, &mut marker, false).0, 50);
}

/// Map over ten million elements must be linear: each minor collection scans what is new, also while the stack unwinds.
#[test]
fn a_deep_stack_is_scanned_once_on_its_way_down_and_up() {
    let (code, mut marker) = (code(), Marker::default());
    let mut stack = Stack::new(3_000_000);
    let mut scanned = 0;
    for i in 0..100_000 {
        stack.call(i % 4);
        if i % 1_000 == 0 {
            scanned += scan(&code, &stack, &mut marker, true).0;
        }
    }
    assert!(scanned < 110_000, "{scanned}");
    assert_eq!(scan(&code, &stack, &mut marker, false).1, stack.expected());
    scanned = 0;
    for i in 0..100_000 {
        stack.ret(&mut marker);
        if i % 1_000 == 0 {
            scanned += scan(&code, &stack, &mut marker, true).0;
        }
    }
    assert!(scanned < 100 * 300, "{scanned}");
    assert_eq!(marker.pair(), (0, 0));
}

/// What a minor scan leaves out has not run since the last scan.
#[test]
fn a_random_walk_misses_nothing_that_ran() {
    let code = code();
    for seed in 1..20 {
        let (mut marker, mut random) = (Marker::default(), Random::new(seed));
        let mut stack = Stack::new(1_000_000);
        // Frames (by depth) that have been innermost since the last scan.
        let mut lowest = 0;
        for _ in 0..400 {
            let n = random.below(600);
            match random.below(10) {
                0..5 => (0..n).for_each(|_| stack.call(random.below(4))),
                5..8 => {
                    for _ in 0..n.min(stack.frames.len()) {
                        stack.ret(&mut marker);
                        lowest = lowest.min(stack.frames.len());
                    }
                }
                8 if !stack.frames.is_empty() => {
                    // A raise goes on at a frame further down; its walk sees whether it passes the marker.
                    let target = random.below(stack.frames.len());
                    let (fp, ret_slot) = stack.start();
                    let tables = [&code.table];
                    let mut walk = leat_abi::walk::Walk::new(&tables, fp, ret_slot, marker.pair());
                    let mut passed = false;
                    let sp = loop {
                        // SAFETY: the pretended stack is whole.
                        let frame = unsafe { walk.next() }.unwrap();
                        passed |= frame.marked;
                        if frame.fp == stack.frames[target].0 {
                            break frame.sp;
                        }
                    };
                    if passed {
                        // SAFETY: the walk has seen the marker.
                        unsafe { marker.unwound(sp, STUB) };
                    }
                    let (fp, shape) = stack.frames[target];
                    stack.frames.truncate(target);
                    stack.fp = fp;
                    stack.sp = fp - SHAPES[shape].0 as usize;
                    lowest = lowest.min(target);
                }
                _ => {
                    let expected: HashSet<usize> = stack.expected().into_iter().collect();
                    let minor = random.below(4) != 0;
                    let (_, seen) = scan(&code, &stack, &mut marker, minor);
                    let seen: HashSet<usize> = seen.into_iter().collect();
                    assert!(seen.is_subset(&expected));
                    // Frames from `lowest` on are new; those before it have stayed suspended.
                    let suspended = if minor { lowest.min(stack.frames.len()) } else { 0 };
                    for &(fp, shape) in &stack.frames[suspended..] {
                        let (size, refs) = SHAPES[shape];
                        for &r in refs {
                            assert!(seen.contains(&(fp - size as usize + r as usize)), "a slot was missed");
                        }
                    }
                    if minor {
                        lowest = stack.frames.len();
                    }
                    if random.below(20) == 0 {
                        let (fp, ret_slot) = stack.start();
                        // SAFETY: the pretended stack is whole.
                        unsafe { marker.remove(&[&code.table], fp, ret_slot) };
                        assert_eq!(scan(&code, &stack, &mut Marker::default(), false).1, stack.expected());
                    }
                }
            }
        }
        while !stack.frames.is_empty() {
            stack.ret(&mut marker);
        }
    }
}

/// A tail call with other stack arguments moves the return address, and with it the marker's stub.
#[test]
fn a_marker_that_was_moved_is_found() {
    let (code, mut marker) = (code(), Marker::default());
    let mut stack = Stack::new(10_000);
    for _ in 0..100 {
        stack.call(1);
    }
    scan(&code, &stack, &mut marker, true);
    let (slot, ret) = marker.pair();
    assert_ne!(slot, 0);
    while stack.fp + 8 != slot {
        stack.ret(&mut marker);
    }
    // The frame whose caller is marked makes a tail call: frame pointer and return address move down two words.
    // SAFETY: below the frame there is room.
    unsafe {
        let (saved, word) = (*(stack.fp as *const usize), *((stack.fp + 8) as *const usize));
        assert_eq!(word, STUB);
        stack.fp -= 16;
        *(stack.fp as *mut usize) = saved;
        *((stack.fp + 8) as *mut usize) = word;
    }
    stack.call(1);
    let (frames, _) = scan(&code, &stack, &mut marker, true);
    assert_eq!(frames, 1);
    assert_eq!(marker.pair(), (slot - 16, ret));
    let all = scan(&code, &stack, &mut marker, false).0;
    assert_eq!(all, stack.frames.len());
    let (fp, ret_slot) = stack.start();
    // SAFETY: the pretended stack is whole.
    unsafe { marker.remove(&[&code.table], fp, ret_slot) };
    assert_eq!(scan(&code, &stack, &mut marker, false).0, all);
}

#[test]
fn pieces_in_the_heap() {
    let code = code();
    let mut stack = Stack::new(10_000);
    for i in 0..40 {
        stack.call(i % 4);
    }
    let (fp, call_sp) = stack.start();
    // Cut after the twelfth frame from the top: the younger piece ends with the return address into the older.
    let cut = stack.frames[40 - 12].0 + 8;
    // With what older frames have left behind it, when it was written before.
    for (end, room) in [(cut, 0), (cut + 8, 0), (cut, 5)] {
        let base = call_sp;
        let head = StackPiece::new(1, 0, base, fp, call_sp);
        let head = if room > 0 { head.own(room, 12_345) } else { head };
        assert_eq!((head.is_own(), head.room(), head.fp(), head.call_sp()), (room > 0, room, fp, call_sp));
        if room > 0 {
            assert!((68..=132).contains(&head.age(12_445)), "{}", head.age(12_445));
        }
        // SAFETY: a piece's head is that many words.
        let head: [u64; STACK_PIECE_WORDS] = unsafe { std::mem::transmute(head) };
        let mut piece: Vec<u64> = head.to_vec();
        // SAFETY: copied from the pretended stack.
        unsafe { piece.extend_from_slice(std::slice::from_raw_parts(base as *const u64, (end - base) / 8 + room)) };
        let words = piece.len();
        let payload = piece.as_mut_ptr() as usize;
        let mut seen = Vec::new();
        // SAFETY: a whole piece.
        unsafe {
            scan_piece(&[&code.table], payload as u64, words, &mut |slot: *mut u64| {
                seen.push((slot as usize - payload) / 8);
                if seen.len() > 1 {
                    assert_eq!(
                        *slot as usize,
                        slot as usize - payload - 8 * STACK_PIECE_WORDS + base,
                        "a slot of another frame"
                    );
                }
            });
        }
        let expected = stack.expected().into_iter().filter(|&slot| slot < end).count();
        assert_eq!(seen.len(), 1 + expected);
        assert_eq!(seen[0], 0);
    }
}
