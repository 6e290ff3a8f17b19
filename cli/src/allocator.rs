//! The allocator of the program `leat`: lists of free blocks by size, for compilers allocate many small blocks and give
//! them back soon.
//!
//! With the C library's, a third of a large compile was malloc and free. jemalloc and mimalloc take that away as well,
//! but each start pays for what they set up. Here a thread has for each size a list of free blocks, and a piece of
//! memory from which it cuts new ones: an allocation is a few instructions, a start touches what it uses and no more.
//! Blocks above a kilobyte are the C library's. Programs that `leat build` makes do not have this allocator: their
//! objects are the collector's, and the rest of the runtime allocates little.
//!
//! What one thread allocates and another frees comes back in batches: a thread keeps at most two of each size, and
//! gives the next one to all. What a thread has when it ends, the next one that begins takes over. Small blocks never
//! go back to the system, and never become blocks of another size: what `leat` holds is the most that was in use at
//! once of each size.
//!
//! CPU seconds (user and system) and memory of `leat build --object` for MLKit's compiler, 121,000 lines; instructions
//! and page faults of `leat run -e '()'`:
//!
//! | allocator | compile | memory | instructions | page faults |
//! |---|---|---|---|---|
//! | glibc 2.36 | 51.1 + 2.8 | 1.31 GB | 1.28 million | 309 |
//! | this one | 37.0 + 2.6 | 1.33 GB | 1.07 million | 312 |
//! | jemalloc 5.3, one arena | 33 + 6 | 1.31 GB | 0.5 million more than glibc | 108 more than glibc |
//! | mimalloc 2 | 37 + 7 | 1.33 GB | 0.25 million more than glibc | 40 fewer, and 11 MB more |
//!
//! A large compile's lists and tables are read all over, so a thread that has much takes its pieces in huge pages: the
//! processor looks fewer addresses up. User and system seconds of `leat build` for Ur/Web's compiler, 62,000 lines
//! (medians of six runs in turn, AMD EPYC in a virtual machine): 6.65 + 0.68 with small pages, 6.41 + 0.75 with huge
//! ones (a host that has no memory at hand makes the first use of a huge page slow). With huge pages for the C
//! library's blocks as well it was 6.5 + 0.98.
//!
//! A1. A block of a class is at least as large as any layout of the class, and aligned to 16 bytes, as [`class_of`]
//! demands. A2. A block is in one place: in use, in one list, or not yet cut. A list's blocks are linked by their first
//! word; of a
//!     batch in [`Shared`] the first block's second word leads to the next batch.
//! A3. [`Local`] is its thread's alone: nothing that runs within a call of this file allocates, and no handler of a
//! signal does. A4. [`Shared`] is touched under its lock alone, and a fork takes the lock first, so that the child
//! finds it free.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{self, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// What each block is aligned to, and the difference between one size and the next of the small ones.
const STEP: usize = 16;
/// The sizes that have lists: from 128 bytes on four up to each power of two, so that a block is at most a fifth too
/// large.
const SIZES: [usize; 20] =
    [16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024];
const CLASSES: usize = SIZES.len();
/// The class of the sizes from 16 n + 1 on.
const CLASS: [u8; SIZES[CLASSES - 1] / STEP] = {
    let mut table = [0; SIZES[CLASSES - 1] / STEP];
    let (mut n, mut class) = (0, 0);
    while n < table.len() {
        if (n + 1) * STEP > SIZES[class as usize] {
            class += 1;
        }
        table[n] = class;
        n += 1;
    }
    table
};
/// How many bytes a batch has, unless that is fewer than eight blocks.
const BATCH_BYTES: usize = 8192;
/// The first piece of memory that a thread cuts blocks from, and the largest before [`SMALL_PIECES`]; each is twice the
/// one before it. The C library maps larger ones by themselves, which costs a start 50 page faults.
const PIECE: (usize, usize) = (16 << 10, 64 << 10);
/// When a thread has cut up so much of such pieces, its next ones are huge pages.
const SMALL_PIECES: usize = 8 << 20;
/// The size of a huge page, and its alignment.
const HUGE: usize = 2 << 20;

#[global_allocator]
static ALLOCATOR: Lists = Lists;

struct Lists;

/// A block that nobody uses.
struct Free {
    next: *mut Free,
    /// Of the first block of a batch.
    next_batch: *mut Free,
}

/// A list that is shorter than a batch, and one that is a batch, or empty.
struct Class {
    head: *mut Free,
    length: usize,
    spare: *mut Free,
}

/// What a thread has.
struct Local {
    classes: [Class; CLASSES],
    /// What is not cut yet.
    at: *mut u8,
    end: *mut u8,
    piece: usize,
    /// How much there was in pieces before the first huge page.
    small: usize,
}

/// What no thread has.
struct Shared {
    content: UnsafeCell<Content>,
    locked: AtomicBool,
}

struct Content {
    /// By class.
    batches: [*mut Free; CLASSES],
    /// What threads had that have ended.
    orphans: *mut Orphan,
}

struct Orphan {
    local: Local,
    next: *mut Orphan,
}

// SAFETY: A4.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    content: UnsafeCell::new(Content { batches: [null_mut(); CLASSES], orphans: null_mut() }),
    locked: AtomicBool::new(false),
};

thread_local! {
    static LOCAL: UnsafeCell<Local> = const { UnsafeCell::new(Local::NEW) };
    /// Leaves what the thread has to another one when it ends.
    static AT_THE_END: Leaves = const { Leaves };
    /// `AT_THE_END` is, or is being, made.
    static HAS_END: Cell<bool> = const { Cell::new(false) };
}

struct Leaves;

impl Drop for Leaves {
    fn drop(&mut self) {
        // SAFETY: A3.
        LOCAL.with(|local| unsafe { (*local.get()).leave() });
    }
}

/// The class of a layout that has one.
#[inline(always)]
fn class_of(layout: Layout) -> Option<usize> {
    // A size of 0 never comes here; it would be beyond the last one.
    let step = layout.size().wrapping_sub(1) / STEP;
    (step < CLASS.len() && layout.align() <= STEP).then(|| CLASS[step] as usize)
}

const fn batch(class: usize) -> usize {
    let blocks = BATCH_BYTES / SIZES[class];
    if blocks < 8 { 8 } else { blocks }
}

// SAFETY: what has a class is a block of it, by A1 and A2 nobody else's; the rest is the C library's, for the class
// depends on the layout alone, which whoever frees a block says again.
unsafe impl GlobalAlloc for Lists {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class_of(layout) {
            // SAFETY: A3.
            Some(class) => LOCAL.with(|local| unsafe { (*local.get()).take(class) }),
            // SAFETY: as the caller says.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(layout) {
            // SAFETY: A3; the block is of this class and nobody's any more, as the caller says.
            Some(class) => LOCAL.with(|local| unsafe { (*local.get()).put(class, block) }),
            // SAFETY: as the caller says.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class_of(layout).is_none() {
            // SAFETY: as the caller says.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the block has the layout's size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the size, rounded up to the alignment, is no overflow, as the caller says.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (class_of(layout), class_of(new)) {
            (Some(old), Some(new)) if old == new => block,
            // SAFETY: as the caller says.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: both blocks have the bytes that are copied.
            _ => unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

impl Local {
    const NEW: Local = Local {
        classes: [const { Class { head: null_mut(), length: 0, spare: null_mut() } }; CLASSES],
        at: null_mut(),
        end: null_mut(),
        piece: PIECE.0,
        small: 0,
    };

    /// # Safety
    /// The thread's own, by A3.
    #[inline(always)]
    unsafe fn take(&mut self, class: usize) -> *mut u8 {
        let list = &mut self.classes[class];
        let block = list.head;
        if block.is_null() {
            // SAFETY: as the caller says.
            return unsafe { self.take_new(class) };
        }
        // SAFETY: by A2 a block of the list is linked and unused.
        list.head = unsafe { (*block).next };
        list.length -= 1;
        block.cast()
    }

    /// From the batch that is kept, from all, or cut.
    ///
    /// # Safety
    /// Its list is empty, and it is the thread's own, by A3.
    #[cold]
    unsafe fn take_new(&mut self, class: usize) -> *mut u8 {
        let size = SIZES[class];
        let list = &mut self.classes[class];
        let mut head = std::mem::replace(&mut list.spare, null_mut());
        if head.is_null() {
            head = SHARED.take(class);
        }
        if !head.is_null() {
            // SAFETY: by A2 a batch is this many blocks, linked and unused.
            list.head = unsafe { (*head).next };
            list.length = batch(class) - 1;
            return head.cast();
        }
        if self.left() < size && !self.new_piece(size) {
            return null_mut();
        }
        let block = self.at;
        self.at = block.wrapping_add(size);
        block
    }

    fn left(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// A piece from which a block of this size can be cut. What is left of the one before is never used.
    fn new_piece(&mut self, size: usize) -> bool {
        if self.end.is_null() {
            at_end_of_thread();
            self.adopt();
            if self.left() >= size {
                return true;
            }
        }
        if self.small >= SMALL_PIECES
            && let Some(page) = huge_page()
        {
            (self.at, self.end) = (page, page.wrapping_add(HUGE));
            return true;
        }
        self.small += self.piece;
        // SAFETY: the layout has a size.
        let piece = unsafe { System.alloc(Layout::from_size_align(self.piece, STEP).expect("a power of two")) };
        if piece.is_null() {
            return false;
        }
        (self.at, self.end) = (piece, piece.wrapping_add(self.piece));
        self.piece = (2 * self.piece).min(PIECE.1);
        true
    }

    /// Takes over what a thread had that has ended, and adds what is here, which is not much yet.
    fn adopt(&mut self) {
        let Some(before) = SHARED.adopt() else { return };
        let own = std::mem::replace(self, before);
        for (class, list) in own.classes.into_iter().enumerate() {
            for mut block in [list.head, list.spare] {
                while !block.is_null() {
                    // SAFETY: A3; by A2 the blocks are linked, of this class, and in no other list.
                    unsafe {
                        let next = (*block).next;
                        self.put(class, block.cast());
                        block = next;
                    }
                }
            }
        }
    }

    /// # Safety
    /// The thread's own, by A3; the block is of this class, and in no list.
    #[inline(always)]
    unsafe fn put(&mut self, class: usize, block: *mut u8) {
        let list = &mut self.classes[class];
        let block: *mut Free = block.cast();
        // SAFETY: by A1 the block has room for two words.
        unsafe { (*block).next = list.head };
        list.head = block;
        list.length += 1;
        if list.length == batch(class) {
            self.keep(class);
        }
    }

    /// The list is a batch: it is kept, and the one that was kept goes to all.
    #[cold]
    fn keep(&mut self, class: usize) {
        let list = &mut self.classes[class];
        let full = std::mem::replace(&mut list.spare, list.head);
        (list.head, list.length) = (null_mut(), 0);
        if !full.is_null() {
            SHARED.put(class, full);
        }
    }

    /// The thread ends.
    ///
    /// # Safety
    /// The thread's own, by A3.
    unsafe fn leave(&mut self) {
        if !self.end.is_null() {
            SHARED.leave(std::mem::replace(self, Local::NEW));
        }
    }
}

impl Shared {
    fn take(&self, class: usize) -> *mut Free {
        let content = self.lock();
        // SAFETY: A4; by A2 the first block of a batch leads to the next one.
        unsafe {
            let head = (*content).batches[class];
            if !head.is_null() {
                (*content).batches[class] = (*head).next_batch;
            }
            self.unlock();
            head
        }
    }

    fn put(&self, class: usize, head: *mut Free) {
        let content = self.lock();
        // SAFETY: A4; the batch is nobody's else, and a block has room for two words.
        unsafe {
            (*head).next_batch = (*content).batches[class];
            (*content).batches[class] = head;
        }
        self.unlock();
    }

    fn leave(&self, local: Local) {
        // SAFETY: the layout has a size; what is there belongs to nobody before it is in the list. A4.
        unsafe {
            let orphan: *mut Orphan = System.alloc(Layout::new::<Orphan>()).cast();
            if !orphan.is_null() {
                orphan.write(Orphan { local, next: null_mut() });
                let content = self.lock();
                (*orphan).next = std::mem::replace(&mut (*content).orphans, orphan);
                self.unlock();
            }
        }
    }

    fn adopt(&self) -> Option<Local> {
        // SAFETY: A4; what was in the list is whole, and this thread's now.
        unsafe {
            let content = self.lock();
            let orphan = (*content).orphans;
            if !orphan.is_null() {
                (*content).orphans = (*orphan).next;
            }
            self.unlock();
            if orphan.is_null() {
                return None;
            }
            let local = orphan.read().local;
            System.dealloc(orphan.cast(), Layout::new::<Orphan>());
            Some(local)
        }
    }

    fn lock(&self) -> *mut Content {
        while self.locked.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        self.content.get()
    }

    fn unlock(&self) {
        self.locked.store(false, Ordering::Release);
    }
}

/// Memory of a huge page, if the system has one to give; else of small ones.
fn huge_page() -> Option<*mut u8> {
    // SAFETY: a new mapping, which nobody has; what is unmapped of it is in front of the page and behind it.
    unsafe {
        let map = libc::mmap(
            null_mut(),
            2 * HUGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if map == libc::MAP_FAILED {
            return None;
        }
        let front = map.align_offset(HUGE);
        let page = map.wrapping_byte_add(front);
        if front > 0 {
            libc::munmap(map, front);
        }
        libc::munmap(page.wrapping_byte_add(HUGE), HUGE - front);
        libc::madvise(page, HUGE, libc::MADV_HUGEPAGE);
        Some(page.cast())
    }
}

/// When this thread ends, what it has is left to another one; and a fork finds the lock free.
fn at_end_of_thread() {
    extern "C" fn before() {
        SHARED.lock();
    }
    extern "C" fn after() {
        SHARED.unlock();
    }
    static FORKS: Once = Once::new();
    // What allocates here comes back to `new_piece`.
    if !HAS_END.replace(true) {
        // SAFETY: the functions are there as long as the program.
        FORKS.call_once(|| unsafe {
            libc::pthread_atfork(Some(before), Some(after), Some(after));
        });
        // A thread that ends already has made it, or needs it no more.
        let _ = AT_THE_END.try_with(|_| ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leat_random::Random;
    use std::sync::mpsc;

    /// A block, its layout, and the byte that it is filled with.
    struct Block(*mut u8, Layout, u8);

    // SAFETY: a block is whoever's it was given to.
    unsafe impl Send for Block {}

    impl Block {
        fn new(random: &mut Random) -> Block {
            let size = 1 + if random.one_in(8) { random.below(5000) } else { random.below(200) };
            let align = if random.one_in(20) { 64 } else { 1 << random.below(5) };
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the size is not 0.
            let at =
                unsafe { if random.one_in(4) { std::alloc::alloc_zeroed(layout) } else { std::alloc::alloc(layout) } };
            assert_eq!(at as usize % align, 0);
            let block = Block(at, layout, random.below(256) as u8);
            block.fill();
            block
        }

        fn fill(&self) {
            // SAFETY: it is the block's own memory.
            unsafe { ptr::write_bytes(self.0, self.2, self.1.size()) }
        }

        fn check(&self, bytes: usize) {
            // SAFETY: likewise.
            let bytes = unsafe { std::slice::from_raw_parts(self.0, bytes) };
            assert!(bytes.iter().all(|&byte| byte == self.2), "a block of {:?} has been written to", self.1);
        }

        fn resize(&mut self, random: &mut Random) {
            let size = 1 + random.below(3000);
            let kept = size.min(self.1.size());
            // SAFETY: it was allocated so.
            self.0 = unsafe { std::alloc::realloc(self.0, self.1, size) };
            self.1 = Layout::from_size_align(size, self.1.align()).unwrap();
            self.check(kept);
            self.fill();
        }

        fn free(self) {
            self.check(self.1.size());
            // SAFETY: it was allocated so.
            unsafe { std::alloc::dealloc(self.0, self.1) }
        }
    }

    /// Threads that come and go allocate, resize, hand over and free blocks, each filled with a byte of its own.
    #[test]
    fn blocks_are_their_owners_alone() {
        for round in 0..6 {
            let (send, receive) = mpsc::channel::<Block>();
            let workers: Vec<_> = (0..3)
                .map(|worker| {
                    let send = send.clone();
                    std::thread::spawn(move || {
                        let mut random = Random::new(round * 10 + worker);
                        let mut own: Vec<Block> = vec![];
                        for _ in 0..30_000 {
                            match random.below(8) {
                                0..=3 => own.push(Block::new(&mut random)),
                                4 if !own.is_empty() => {
                                    let at = random.below(own.len());
                                    own[at].resize(&mut random);
                                }
                                5 if !own.is_empty() => send.send(own.swap_remove(random.below(own.len()))).unwrap(),
                                _ if !own.is_empty() => own.swap_remove(random.below(own.len())).free(),
                                _ => {}
                            }
                        }
                        own.into_iter().for_each(Block::free);
                    })
                })
                .collect();
            drop(send);
            receive.into_iter().for_each(Block::free);
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        }
    }

    /// What one thread allocates and another frees is used again: memory does not grow with the number of blocks.
    #[test]
    fn blocks_come_back_to_the_thread_that_allocates() {
        let (send, receive) = mpsc::sync_channel::<Vec<Box<[u8; 100]>>>(4);
        let reader = std::thread::spawn(move || receive.into_iter().map(|boxes| boxes.len()).sum::<usize>());
        let mut places = std::collections::HashSet::new();
        for _ in 0..2_000 {
            let boxes: Vec<_> = (0..100).map(|_| Box::new([1; 100])).collect();
            places.extend(boxes.iter().map(|block| ptr::from_ref(&**block) as usize));
            send.send(boxes).unwrap();
        }
        drop(send);
        assert_eq!(reader.join().unwrap(), 200_000);
        assert!(places.len() < 20_000, "200,000 blocks had {} places", places.len());
    }

    /// So is what threads had that have ended.
    #[test]
    fn a_thread_takes_over_what_another_had() {
        let run = || {
            let places = std::thread::spawn(|| {
                let boxes: Vec<_> = (0..200).map(|_| Box::new([1; 700])).collect();
                boxes.iter().map(|block| ptr::from_ref(&**block) as usize).collect::<Vec<_>>()
            });
            places.join().unwrap()
        };
        let places: std::collections::HashSet<usize> = (0..500).flat_map(|_| run()).collect();
        assert!(places.len() < 10_000, "100,000 blocks of threads that ended had {} places", places.len());
    }

    /// A fork that happens while other threads allocate leaves its child an allocator that works.
    #[test]
    fn a_child_of_a_fork_can_allocate() {
        let stop = std::sync::Arc::new(AtomicBool::new(false));
        let workers: Vec<_> = (0..2)
            .map(|seed| {
                let stop = stop.clone();
                std::thread::spawn(move || {
                    let mut random = Random::new(seed);
                    while !stop.load(Ordering::Relaxed) {
                        (0..500).map(|_| Block::new(&mut random)).collect::<Vec<_>>().into_iter().for_each(Block::free);
                    }
                })
            })
            .collect();
        for seed in 0..50 {
            // SAFETY: the child allocates, frees and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let mut random = Random::new(seed);
                (0..5000).map(|_| Block::new(&mut random)).collect::<Vec<_>>().into_iter().for_each(Block::free);
                // SAFETY: ends the process.
                unsafe { libc::_exit(0) }
            }
            let mut status = 1;
            // SAFETY: a plain system call; the child is ours.
            unsafe { libc::waitpid(child, &mut status, 0) };
            assert_eq!(status, 0);
        }
        stop.store(true, Ordering::Relaxed);
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    }
}
