//! The small objects of the old generation: blocks of lines, holes to copy into, sweeping.
//!
//! After Blackburn and McKinley, Immix, PLDI 2008.
//!
//! ```text
//!            taken whole                 nothing left               swept: holes
//!   FREE ------------------> IN_USE <------------------- RECYCLABLE <----------- IN_USE
//!     ^ |                                                                           |
//!     | |  +--------------------------- swept: no line marked ----------------------+
//!     | |  |
//!     | lend a row of them
//!     | v
//!    LENT ---- the nursery in them stays where it is ----> IN_USE; those it has not filled: FREE
//! ```
//!
//! Keeps: G4 (a free block holds no live object), G5 (a hole holds none).
//!
//! Differences: a line is marked exactly, by the object's first and last byte; the mutator allocates in whole rows of
//! lent blocks only, everything else here is placed by evacuation. An object that is placed lies within one block; one
//! that was allocated in lent blocks may reach into the next ones, and so may a large one that finds no run of pages.
//!
//! An object's header lies at `ALIGN - 8` modulo `ALIGN`. Lines are counted from there: the line of a payload address
//! is `(payload - ALIGN - base) / LINE`, and the last line of each block is `ALIGN - 8` bytes short.

use std::ops::Range;

use crate::ahead::Ahead;
use crate::commit::{blocks_step, commit_blocks, populate};
use crate::space::{BLOCK, BLOCK_SHIFT, BlockState, HUGE, LINE, LINE_SHIFT, LINES, SMALL_BLOCKS, Space, give_back};

pub(crate) const FREE: u8 = 0;
pub(crate) const IN_USE: u8 = 1;
pub(crate) const RECYCLABLE: u8 = 2;
/// Part of a nursery.
const LENT: u8 = 3;
/// The last marking has seen its objects, and the sweep is yet to come.
const UNSWEPT: u8 = 4;

/// Holes smaller than this are left to the next major collection.
const LEAST_HOLE_LINES: usize = 2;
/// A block with fewer free lines than this is not worth looking through.
const LEAST_FREE_LINES: usize = 8;
/// So many free blocks in a row have room for large objects one after the other, as long as half of it is filled.
const LONG_ROW: usize = 64;

/// Pages are committed beside the program when there are so many bytes of blocks.
const AHEAD: usize = 4 << 20;

impl BlockState {
    /// The block may hold objects of the old generation.
    pub fn is_old(&self) -> bool {
        matches!(self.state, IN_USE | RECYCLABLE | UNSWEPT)
    }
}

/// Blocks in a row that a nursery lies in.
pub(crate) struct Lent {
    pub blocks: Range<usize>,
    /// The address of the first one.
    pub start: usize,
}

impl Lent {
    pub fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK
    }
}

pub(crate) struct Blocks {
    pub base: usize,
    align: usize,
    lines: *mut u8,
    states: *mut BlockState,
    /// Blocks ever used, and how many there can be.
    pub top: usize,
    most: usize,
    /// Free blocks that may hold rubbish, and those whose pages were given back.
    dirty: Vec<u32>,
    clean: Vec<u32>,
    recyclable: Vec<u32>,
    /// Below this block there is no row of free ones of the least length that was asked for.
    rows_from: usize,
    pub in_use: usize,
    /// Pages are committed up to here; beside the program, if there is a thread for it.
    ready: usize,
    ahead: Option<Ahead>,
    /// What the byte of a marked line is: 1 or 2, by turns. A line that the last sweep found free has 0.
    line_mark: u8,
    /// The sweep has come so far, and this is what it has found since it began, from low to high.
    swept: usize,
    found_free: Vec<u32>,
    found_holes: Vec<u32>,
}

/// Where evacuation copies to: a hole being filled, and a whole block for what fits no hole.
#[derive(Default)]
pub(crate) struct Target {
    pub alloc: usize,
    pub limit: usize,
    /// Minor: objects below are scanned.
    pub scanned: usize,
    start: usize,
    /// Minor: closed pieces that are yet to be scanned.
    pub segments: Vec<(usize, usize)>,
    /// The block being filled and the line where its next hole is looked for; LINES when there is none.
    block: usize,
    line: usize,
    overflow: usize,
    overflow_limit: usize,
    /// Bytes of the pieces that are closed.
    closed_bytes: usize,
    /// Take no holes (the destination of evacuated blocks).
    whole_blocks: bool,
    /// All pieces that were filled are kept in `filled`, so that they can be scanned by and by.
    keeps: bool,
    pub filled: Vec<(usize, usize)>,
}

impl Target {
    pub fn new(whole_blocks: bool) -> Target {
        Target { line: LINES, whole_blocks, ..Target::default() }
    }

    /// Where objects are promoted to while marking goes on. The holes are those that the last sweep has found: their
    /// lines have neither its mark nor that of the present marking.
    pub fn while_marking() -> Target {
        Target { keeps: true, ..Target::new(false) }
    }

    /// Bytes of objects placed since the last `take_bytes`.
    pub fn take_bytes(&mut self) -> usize {
        self.keep_piece();
        let bytes = self.closed_bytes + (self.alloc - self.start);
        self.closed_bytes = 0;
        self.start = self.alloc;
        bytes
    }

    /// The piece at hand, as far as it is filled since the last time.
    fn keep_piece(&mut self) {
        if self.keeps && self.start < self.alloc {
            self.filled.push((self.start, self.alloc));
        }
    }
}

impl Blocks {
    pub fn new(space: &Space, align: usize) -> Blocks {
        Blocks {
            base: space.blocks,
            align,
            lines: space.lines as *mut u8,
            states: space.states as *mut BlockState,
            top: 0,
            most: space.blocks_bytes / BLOCK,
            dirty: Vec::new(),
            clean: Vec::new(),
            recyclable: Vec::new(),
            rows_from: 0,
            in_use: 0,
            ready: space.blocks + SMALL_BLOCKS,
            ahead: None,
            line_mark: 1,
            swept: 0,
            found_free: Vec::new(),
            found_holes: Vec::new(),
        }
    }

    /// Bytes of blocks that are in use, and of those that are committed.
    pub fn used_bytes(&self) -> usize {
        self.in_use * BLOCK
    }

    pub fn committed_bytes(&self) -> usize {
        (self.in_use + self.dirty.len() + self.found_free.len()) * BLOCK
    }

    /// Bytes of the blocks in which the last marking has found something, and how many of them are lost: holes that are
    /// not filled, and what is dead in lines that are no holes.
    pub fn lost_bytes(&self) -> (usize, usize) {
        self.marked().fold((0, 0), |(bytes, lost), block| {
            (bytes + BLOCK, lost + BLOCK.saturating_sub(self.state(block).live as usize))
        })
    }

    /// The blocks in which the last marking has found something.
    fn marked(&self) -> impl Iterator<Item = usize> {
        (0..self.top).filter(|&block| {
            let state = self.state(block);
            state.is_old() && state.live > 0
        })
    }

    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // the table is memory of the system's, one state a block
    pub fn state(&self, block: usize) -> &mut BlockState {
        // SAFETY: the table has a state for each block of the reservation; the collector alone uses it.
        unsafe { &mut *self.states.add(block) }
    }

    pub fn contains(&self, payload: u64) -> bool {
        (payload as usize).wrapping_sub(self.base + self.align) < self.top * BLOCK
    }

    /// The block of a payload address.
    #[inline(always)]
    pub fn block_of<const ALIGN: usize>(&self, payload: u64) -> usize {
        (payload as usize - ALIGN - self.base) >> BLOCK_SHIFT
    }

    /// Marks the lines of an object, and counts it.
    #[inline(always)]
    pub fn mark_lines<const ALIGN: usize>(&self, payload: u64, bytes: usize) {
        let at = payload as usize - ALIGN - self.base;
        let (first, last) = (at >> LINE_SHIFT, (at + bytes - 1) >> LINE_SHIFT);
        self.state(at >> BLOCK_SHIFT).live += bytes as u32;
        // SAFETY: the table has a byte for each line of the reservation.
        unsafe {
            *self.lines.add(first) = self.line_mark;
            *self.lines.add(last) = self.line_mark;
            if last - first > 1 {
                std::ptr::write_bytes(self.lines.add(first + 1), self.line_mark, last - first - 1);
            }
        }
    }

    /// The line marks of a block.
    #[allow(clippy::mut_from_ref)] // as for `state`
    pub fn lines_of(&self, block: usize) -> &mut [u8] {
        // SAFETY: as for `mark_lines`.
        unsafe { std::slice::from_raw_parts_mut(self.lines.add(block * LINES), LINES) }
    }

    /// Only so many more blocks are there from now on.
    #[cfg(test)]
    pub fn leave(&mut self, blocks: usize) {
        self.most = self.top + blocks;
    }

    /// Bytes of blocks that were never used.
    pub fn rest(&self) -> usize {
        (self.most - self.top) * BLOCK
    }

    /// Bytes of free blocks, those that were never used included.
    pub fn free_bytes(&self) -> usize {
        (self.dirty.len() + self.clean.len()) * BLOCK + self.rest()
    }

    /// Bytes of free blocks that lie in long rows.
    pub fn long_rows(&self) -> usize {
        let (mut bytes, mut length) = (0, 0);
        for block in 0..=self.top {
            if block < self.top && self.is_free(block) {
                length += 1;
            } else {
                bytes += if length >= LONG_ROW { length * BLOCK } else { 0 };
                length = 0;
            }
        }
        bytes
    }

    /// What a sweep that goes on has found is on no list before its end.
    fn is_free(&self, block: usize) -> bool {
        self.state(block).state == FREE && self.found_free.binary_search(&(block as u32)).is_err()
    }

    fn take_free(&mut self) -> usize {
        let block = if let Some(block) = self.dirty.pop() {
            block as usize
        } else if let Some(block) = self.clean.pop() {
            let start = self.base + block as usize * BLOCK;
            populate(start, start + BLOCK);
            block as usize
        } else {
            // The limit is less than the reservation, and so is what a nursery adds (G14).
            assert!(self.top < self.most, "the reservation for blocks is used up");
            self.top += 1;
            self.commit_top();
            self.top - 1
        };
        self.in_use += 1;
        *self.state(block) = BlockState { state: IN_USE, evacuate: false, live_lines: 0, live: 0 };
        block
    }

    /// Commits what is used for the first time.
    fn commit_top(&mut self) {
        let end = self.base + self.top * BLOCK;
        if let Some(ahead) = &self.ahead {
            self.ready = ahead.cover(self.ready, end);
        } else if end > self.ready {
            let huge = self.base + SMALL_BLOCKS;
            let ready = blocks_step(huge, end);
            commit_blocks(huge, self.ready, ready);
            self.ready = ready;
        }
    }

    /// Pages are to be committed beside the program from now on, or not, if there are blocks enough for it to be worth
    /// it.
    pub fn commit_ahead(&mut self, is_wanted: bool) {
        if !is_wanted {
            self.ahead = None;
        } else if self.ahead.is_none() && self.top * BLOCK >= AHEAD {
            self.ahead = Ahead::start(self.base, self.ready, self.base + self.most * BLOCK, self.lines as usize);
        }
    }

    /// Free blocks in a row for a nursery of so many bytes, committed; of `least` bytes, where there are no more.
    /// None: the reservation has no room.
    pub fn lend(&mut self, bytes: usize, least: usize) -> Option<Lent> {
        let (most, least) = (bytes.div_ceil(BLOCK), least.div_ceil(BLOCK));
        let blocks = self.free_row(most, least).or_else(|| self.fresh_row(most))?;
        for block in blocks.clone() {
            *self.state(block) = BlockState { state: LENT, evacuate: false, live_lines: 0, live: 0 };
        }
        let start = self.base + blocks.start * BLOCK;
        Some(Lent { blocks, start })
    }

    /// The lowest `least` free blocks in a row, and those behind them up to `most`, taken from the lists.
    fn free_row(&mut self, most: usize, least: usize) -> Option<Range<usize>> {
        if self.dirty.len() + self.clean.len() < least {
            return None;
        }
        let is_free = |block: usize| self.is_free(block);
        let mut start = self.rows_from;
        let found = (start..self.top).find_map(|block| {
            if !is_free(block) {
                start = block + 1;
            }
            (block + 1 - start == least).then_some(block + 1)
        });
        let farthest = self.top.min(start + most);
        let end = found.map(|end| (end..farthest).find(|&block| !is_free(block)).unwrap_or(farthest));
        if least < most {
            self.rows_from = end.unwrap_or(start);
        }
        let row = start..end?;
        take_row(&mut self.dirty, &row);
        // One call commits all of them, also where some are there.
        if take_row(&mut self.clean, &row) {
            populate(self.base + row.start * BLOCK, self.base + row.end * BLOCK);
        }
        Some(row)
    }

    /// Blocks that were never used.
    fn fresh_row(&mut self, count: usize) -> Option<Range<usize>> {
        // What is left suffices for what is copied.
        if (self.most - self.top) / 2 < count {
            return None;
        }
        self.top += count;
        self.commit_top();
        Some(self.top - count..self.top)
    }

    /// Lent blocks come back. They hold objects up to `end`, where the next header would stand.
    pub fn settle(&mut self, lent: &Lent, end: usize) {
        let used = lent.blocks.start + end.saturating_sub(lent.start + self.align - 8).div_ceil(BLOCK);
        for block in lent.blocks.start..used {
            self.state(block).state = IN_USE;
        }
        self.in_use += used - lent.blocks.start;
        self.rows_from = self.rows_from.min(used);
        for block in used..lent.blocks.end {
            self.state(block).state = FREE;
            self.dirty.push(block as u32);
        }
        if used < lent.blocks.end {
            // Low addresses are used first.
            self.dirty.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// First header address and end of the room for objects of a block.
    pub fn room(&self, block: usize) -> (usize, usize) {
        let start = self.base + block * BLOCK;
        (start + self.align - 8, start + BLOCK)
    }

    /// Closes the piece being filled and opens the next one, of two lines at least.
    pub fn next_segment(&mut self, t: &mut Target) {
        if t.scanned < t.alloc {
            t.segments.push((t.scanned, t.alloc));
        }
        t.keep_piece();
        t.closed_bytes += t.alloc - t.start;
        let (from, to) = loop {
            if t.line < LINES
                && let Some((from, to)) = self.next_hole(t.block, &mut t.line)
            {
                let (first, end) = self.room(t.block);
                break (first + from * LINE, (first + to * LINE).min(end));
            }
            match if t.whole_blocks { None } else { self.recyclable.pop() } {
                Some(block) => {
                    t.block = block as usize;
                    t.line = 0;
                    let state = self.state(t.block);
                    state.state = IN_USE;
                    // While marking goes on it counts what is placed there.
                    if !t.keeps {
                        state.live += (LINES as u32 - u32::from(state.live_lines)) * LINE as u32;
                    }
                }
                None => {
                    let block = self.take_free();
                    t.line = LINES;
                    break self.room(block);
                }
            }
        };
        (t.alloc, t.limit, t.scanned, t.start) = (from, to, from, from);
    }

    fn next_hole(&self, block: usize, line: &mut usize) -> Option<(usize, usize)> {
        let lines = self.lines_of(block);
        while *line < LINES {
            let from = *line + lines[*line..].iter().position(|&m| m == 0).unwrap_or(LINES - *line);
            let to = from + lines[from..].iter().position(|&m| m != 0).unwrap_or(LINES - from);
            *line = to;
            if to - from >= LEAST_HOLE_LINES {
                return Some((from, to));
            }
        }
        None
    }

    /// Room for an object larger than a line, when the hole at hand is too small: in a block of its kind.
    pub fn overflow(&mut self, t: &mut Target, bytes: usize) -> usize {
        if t.overflow + bytes > t.overflow_limit {
            let block = self.take_free();
            (t.overflow, t.overflow_limit) = self.room(block);
        }
        let at = t.overflow;
        t.overflow += bytes;
        t.closed_bytes += bytes;
        if t.keeps {
            t.filled.push((at, at + bytes));
        }
        at
    }

    /// Blocks in a row for an object that fits none. None: there is no such row.
    pub fn row(&mut self, t: &mut Target, bytes: usize) -> Option<usize> {
        let count = (bytes + self.align - 8).div_ceil(BLOCK);
        let row = match self.free_row(count, count) {
            Some(row) => row,
            None if count * BLOCK <= self.rest() => {
                self.top += count;
                self.commit_top();
                self.top - count..self.top
            }
            None => return None,
        };
        for block in row.clone() {
            *self.state(block) = BlockState { state: IN_USE, evacuate: false, live_lines: 0, live: 0 };
        }
        self.in_use += count;
        let at = self.room(row.start).0;
        t.closed_bytes += bytes;
        if t.keeps {
            t.filled.push((at, at + bytes));
        }
        Some(at)
    }

    /// Before marking: no line is marked, and nothing is counted. The lines of the last marking have another value from
    /// here on, until the sweep clears them.
    pub fn clear_lines(&mut self) {
        debug_assert!(self.found_free.is_empty() && self.found_holes.is_empty(), "G12: marking begins amid a sweep");
        self.line_mark = 3 - self.line_mark;
        for block in 0..self.top {
            self.state(block).live = 0;
        }
    }

    /// Whether the line of this number is marked.
    pub fn is_marked(&self, line: usize) -> bool {
        self.lines_of(line / LINES)[line % LINES] == self.line_mark
    }

    /// After marking: nothing is taken from what the sweep has not seen yet.
    pub fn begin_sweep(&mut self) {
        self.recyclable.clear();
        self.swept = 0;
        for block in 0..self.top {
            let state = self.state(block);
            if state.is_old() {
                state.state = UNSWEPT;
            }
        }
    }

    /// How many blocks the sweep that is under way has yet to look at.
    pub fn unswept(&self) -> usize {
        self.top - self.swept.min(self.top)
    }

    /// Sweeps: of `most` blocks it is known afterwards whether they are free, recyclable or in use. With `poison`, free
    /// lines are overwritten. Tells whether these were the last ones; then what was found is there to be used.
    pub fn sweep(&mut self, most: usize, poison: Option<u64>) -> bool {
        let end = self.top.min(self.swept.saturating_add(most));
        for block in self.swept..end {
            self.sweep_block(block, poison);
        }
        self.swept = end;
        if end < self.top {
            return false;
        }
        self.rows_from = 0;
        // Low addresses are used first.
        self.recyclable.append(&mut self.found_holes);
        self.recyclable.reverse();
        self.found_free.reverse();
        self.dirty.append(&mut self.found_free);
        // Two rows in order: the sort that is stable sees them.
        self.dirty.sort_by(|a, b| b.cmp(a));
        true
    }

    fn sweep_block(&mut self, block: usize, poison: Option<u64>) {
        let state = self.state(block);
        if state.state != UNSWEPT {
            return;
        }
        state.evacuate = false;
        let lines = self.lines_of(block);
        let mut live = 0u16;
        for line in lines.iter_mut() {
            let is_marked = *line == self.line_mark;
            live += u16::from(is_marked);
            *line = if is_marked { self.line_mark } else { 0 };
        }
        state.live_lines = live;
        let live = live as usize;
        if let Some(word) = poison {
            let (first, end) = self.room(block);
            for line in (0..LINES).filter(|&l| lines[l] == 0) {
                let from = first + line * LINE;
                for at in (from..(from + LINE).min(end)).step_by(8) {
                    // SAFETY: a line without mark holds no live object.
                    unsafe { *(at as *mut u64) = word };
                }
            }
        }
        if live == 0 {
            state.state = FREE;
            self.in_use -= 1;
            self.found_free.push(block as u32);
        } else if LINES - live >= LEAST_FREE_LINES {
            state.state = RECYCLABLE;
            self.found_holes.push(block as u32);
        } else {
            state.state = IN_USE;
        }
    }

    /// Chooses the sparsest blocks, by the last marking: those of which at least `least` bytes are lost, until the
    /// objects of the chosen ones come to `budget` bytes.
    pub fn choose_evacuated(&mut self, least: usize, budget: usize) -> usize {
        let mut by_live: Vec<(u32, u32)> = self.marked().map(|block| (self.state(block).live, block as u32)).collect();
        by_live.sort_unstable();
        let (mut bytes, mut chosen) = (0, 0);
        for (live, block) in by_live {
            bytes += live as usize;
            if bytes > budget || live as usize + least > BLOCK {
                break;
            }
            self.state(block as usize).evacuate = true;
            chosen += 1;
        }
        chosen
    }

    /// Every block is to be evacuated, whatever it holds.
    pub fn choose_all(&mut self) -> usize {
        let old = (0..self.top).filter(|&block| self.state(block).is_old());
        old.map(|block| self.state(block).evacuate = true).count()
    }

    /// Offers the pages of free blocks, as many as fill the room of a huge page at a time, from high addresses to low
    /// ones, as long as `keep` bytes of free blocks are left and `takes` takes them. The blocks have none then.
    pub fn offer_pages(&mut self, keep: usize, mut takes: impl FnMut(usize) -> bool) {
        const ROW: usize = HUGE / BLOCK;
        let mut spare = (self.dirty.len() * BLOCK).saturating_sub(keep) / HUGE;
        let (mut kept, mut taken) = (Vec::new(), Vec::new());
        let mut rest = &self.dirty[..];
        while let [high, others @ ..] = rest {
            // From high to low, so a row of them is one if its ends are as far apart as they should be.
            let row = rest.get(..ROW).filter(|_| spare > 0).filter(|row| {
                let low = row[ROW - 1] as usize;
                (self.base + low * BLOCK).is_multiple_of(HUGE) && low + ROW - 1 == *high as usize
            });
            if let Some(row) = row {
                if takes(self.base + row[ROW - 1] as usize * BLOCK) {
                    taken.extend_from_slice(row);
                    spare -= 1;
                    rest = &rest[ROW..];
                    continue;
                }
                spare = 0;
            }
            kept.push(*high);
            rest = others;
        }
        self.dirty = kept;
        self.note_clean(taken);
    }

    /// Gives free blocks back to the system until `keep` bytes of them are left, at most so many bytes.
    pub fn give_back(&mut self, keep: usize, most: usize) -> usize {
        let excess = self.dirty.len().saturating_sub(keep / BLOCK).min(most / BLOCK);
        let mut given = 0;
        let mut i = 0;
        // `dirty` is sorted from high to low; the high ones go.
        while i < excess {
            let mut j = i + 1;
            while j < excess && self.dirty[j] + 1 == self.dirty[j - 1] {
                j += 1;
            }
            let (low, high) = (self.dirty[j - 1] as usize, self.dirty[i] as usize + 1);
            // SAFETY: free blocks hold nothing.
            given += unsafe { give_back(self.base + low * BLOCK, self.base + high * BLOCK) };
            i = j;
        }
        let clean: Vec<u32> = self.dirty.drain(..excess).collect();
        self.note_clean(clean);
        given
    }

    /// These blocks, which are free and no more among the dirty ones, have no pages.
    fn note_clean(&mut self, blocks: Vec<u32>) {
        self.clean.extend(blocks);
        self.clean.sort_by(|a, b| b.cmp(a));
    }
}

/// Takes a row of blocks out of a list that is sorted from high to low. Tells whether there was one in it.
fn take_row(list: &mut Vec<u32>, row: &Range<usize>) -> bool {
    let first = list.partition_point(|&block| block as usize >= row.end);
    let end = list.partition_point(|&block| block as usize >= row.start);
    list.drain(first..end);
    first < end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks 8 to 199 fill the room of three huge pages; one of the middle room's is in use.
    #[test]
    fn rows_of_free_blocks_are_offered() {
        let base = 5 * HUGE - SMALL_BLOCKS;
        let offer = |keep: usize, most: usize| {
            let mut blocks = Blocks {
                base,
                align: 8,
                lines: std::ptr::null_mut(),
                states: std::ptr::null_mut(),
                top: 0,
                most: 0,
                dirty: (0..210).rev().filter(|&b| b != 100).collect(),
                clean: vec![300, 250],
                recyclable: Vec::new(),
                rows_from: 0,
                in_use: 0,
                ready: base,
                ahead: None,
                line_mark: 1,
                swept: 0,
                found_free: Vec::new(),
                found_holes: Vec::new(),
            };
            let mut offered = Vec::new();
            blocks.offer_pages(keep, |at| {
                offered.push((at - base) / BLOCK);
                offered.len() <= most
            });
            let is_falling = |list: &[u32]| list.is_sorted_by(|a, b| a > b);
            assert!(is_falling(&blocks.dirty) && is_falling(&blocks.clean));
            assert!(blocks.clean[2..].iter().all(|b| !blocks.dirty.contains(b)));
            (offered, blocks.dirty.len(), blocks.clean.len())
        };
        assert_eq!(offer(0, 9), (vec![136, 8], 209 - 128, 2 + 128));
        assert_eq!(offer(0, 1), (vec![136, 8], 209 - 64, 2 + 64));
        assert_eq!(offer(0, 0), (vec![136], 209, 2));
        assert_eq!(offer(209 * BLOCK - HUGE, 9), (vec![136], 209 - 64, 2 + 64));
        assert_eq!(offer(209 * BLOCK - HUGE + 1, 9), (vec![], 209, 2));
    }

    /// A nursery was lent blocks that the sweep under way had found free; at its end they were free once more, with
    /// live objects in them.
    #[test]
    fn a_nursery_gets_no_block_that_a_sweep_has_just_found() {
        let mut states = [const { BlockState { state: IN_USE, evacuate: false, live_lines: 0, live: 0 } }; 40];
        for block in (10..18).chain(30..38) {
            states[block].state = FREE;
        }
        let mut blocks = Blocks {
            base: 5 * HUGE,
            align: 8,
            lines: std::ptr::null_mut(),
            states: states.as_mut_ptr(),
            top: 40,
            most: 40,
            dirty: (30..38).rev().collect(),
            clean: Vec::new(),
            recyclable: Vec::new(),
            rows_from: 0,
            in_use: 0,
            ready: 5 * HUGE,
            ahead: None,
            line_mark: 1,
            swept: 20,
            found_free: (10..18).collect(),
            found_holes: Vec::new(),
        };
        assert_eq!(blocks.lend(4 * BLOCK, 4 * BLOCK).map(|lent| lent.blocks), Some(30..34));
        assert_eq!(blocks.lend(8 * BLOCK, 8 * BLOCK).map(|lent| lent.blocks), None);
    }

    #[test]
    fn a_row_is_taken_out_of_a_list() {
        let mut list = vec![9, 7, 6, 5, 2];
        assert!(!take_row(&mut list, &(3..5)) && !take_row(&mut list, &(10..20)));
        assert!(take_row(&mut list, &(5..9)));
        assert_eq!(list, [9, 2]);
        assert!(take_row(&mut list, &(0..100)) && list.is_empty());
    }
}
