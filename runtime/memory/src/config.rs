//! What is said to a heap and what it says: its configuration, the kinds of collections, refusals, statistics.

/// How a heap is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Object alignment: 8, 16 or 32 bytes.
    pub align: usize,
    /// Bytes of each worker's nursery, fixed; None: 1 MiB at first, soon 4 MiB, grown while much survives.
    pub nursery: Option<usize>,
    /// Most bytes of heap; None: what the container or machine has.
    pub heap_max: Option<usize>,
    /// Most workers there will ever be. Where address space is limited there may be fewer
    /// ([`crate::Heap::most_workers`]), but not fewer than `least_workers`.
    pub workers: usize,
    pub least_workers: usize,
    /// Nanoseconds that a collection may take, as a goal; None: each one does all of its work at once.
    pub pause: Option<u64>,
    /// Thousandths of what lives that the heap may have; None: twice as much, and more where that is known to save
    /// time.
    pub spend: Option<usize>,
    /// Bytes that the heap is to have at most, as long as that can be had by collecting more often.
    pub soft: Option<usize>,
    /// Mark on a thread of the operating system beside the program, where pauses have a goal.
    pub beside: bool,
    /// Where pauses have a goal, look at the clock to know how fast objects are marked here. Without it what a
    /// collection does is a function of what the program does.
    pub clock: bool,
    /// Collect at every n-th heap check and runtime allocation; nurseries stay by turns, each major collection moves
    /// everything, and what is dead is overwritten.
    pub stress: Option<u64>,
    /// Each heap check takes the slow path, and is granted what it asks for: so all of them are safepoints. Under
    /// stress they are.
    pub grants: bool,
    /// Check the invariants before and after each collection.
    pub verify: bool,
    /// A line on stderr for each collection.
    pub log: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            align: 8,
            nursery: None,
            heap_max: None,
            pause: None,
            spend: None,
            soft: None,
            beside: false,
            clock: false,
            workers: 64,
            least_workers: 1,
            stress: None,
            grants: false,
            verify: false,
            log: false,
        }
    }
}

/// Which collection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Collection {
    /// There is no room in the nursery: as `Minor`; but at a program's first collection, if much lives, the nursery
    /// becomes larger instead.
    Room,
    /// The nurseries only; becomes a major one when the old generation has grown enough.
    Minor,
    /// Both generations.
    Major,
    /// Both, and once more if much is fragmented; unused memory goes back to the system. For an object that finds no
    /// room.
    Full,
    /// As `Full`, and the nurseries are as small as those of a program that begins. For a program that will be idle.
    Pack,
}

/// The heap would be larger than its limit, even after a full collection. The heap is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes that were wanted.
    pub wanted: usize,
    /// Bytes in use, and the limit.
    pub used: usize,
    pub limit: usize,
    /// The collection before has found the heap full, too (and has told a thread so, unless it was made for something
    /// that raises nothing), and the heap has grown all the same, beyond what is left to those who make room: it is to
    /// end.
    pub is_last: bool,
}

/// Why an allocation did not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Stop the workers, call [`crate::Heap::collect`] with this, then ask again with `tried` set to it.
    Collect(Collection),
    OutOfMemory(OutOfMemory),
}

/// What has happened so far, and what is there.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Bytes of live objects in the old generation: exact after a major collection, then plus what was promoted.
    pub live: usize,
    /// What the last major collection found alive, 0 before the first one; and the most that one has found.
    pub found: usize,
    pub most_live: usize,
    /// Bytes allocated since the start: nurseries (as of now for the calling worker, as of the last collection for
    /// others) and large objects.
    pub allocated: u64,
    /// How many of them the runtime allocated (long arrays and strings, threads, pieces of stack); compiled code, and
    /// the short way of strings, did the rest.
    pub by_runtime: u64,
    pub minors: u64,
    pub majors: u64,
    /// Major collections that were made in slices.
    pub sliced: u64,
    /// Bytes of address space in use: blocks, large objects, nurseries; and its highest value.
    pub heap: usize,
    pub peak: usize,
    /// Nanoseconds with the world stopped.
    pub minor_ns: u64,
    pub major_ns: u64,
    /// Processor time that the process used meanwhile, which no thread of the program did: in user mode and in the
    /// system.
    pub user_ns: u64,
    pub system_ns: u64,
    /// Longest one.
    pub max_pause_ns: u64,
    /// Bytes moved from the nurseries, and bytes that the markings of major collections found alive, all added up: what
    /// the collector's time is spent on.
    pub promoted: u64,
    pub marked: u64,
    /// Bytes that were marked beside the program; they are among the marked ones when the marking has ended.
    pub beside: u64,
    /// Bytes of nurseries that became old where they were.
    pub settled: u64,
    /// Objects and cards that the barriers logged.
    pub logged: u64,
    /// Bytes of one nursery now.
    pub nursery: usize,
    /// Limit; 0 when it was not looked up yet (the default one, for a small heap).
    pub heap_max: usize,
    /// Blocks evacuated, bytes given back to the system.
    pub evacuated: u64,
    pub given_back: u64,
}
