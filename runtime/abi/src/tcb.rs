//! The thread-control block: one for each worker; r15 points to it while compiled code runs.
//!
//! Compiled code reads and writes the fields above the line through the offsets below; the rest is Rust's.
//! `alloc_limit`, `stack_limit` and `poll` are also written by other threads when they ask for a safepoint
//! (relaxed atomic stores; the safepoint's slow path takes the lock that orders them).

use core::sync::atomic::{AtomicU64, AtomicUsize};

use crate::exn::BUILTIN_COUNT;

/// The value that `alloc_limit` gets when a safepoint is asked for: no allocation fits.
pub const LIMIT_STOP: usize = 0;
/// The value that `stack_limit` gets when a safepoint is asked for: no stack pointer passes.
pub const STACK_STOP: usize = usize::MAX;

/// In [`Tcb::company`]: other workers may run SML code at the same time, so cells and stamps change by
/// compare-and-swap.
pub const OTHERS: u64 = 1;
/// In [`Tcb::company`]: more than one worker was ever allowed. Never cleared, so it may be asked outside of atomic
/// sections.
pub const SEVERAL: u64 = 4;
/// In [`Tcb::company`]: the program has scopes, so a thread that is about to wait looks whether it is in one.
pub const SCOPES: u64 = 2;

/// One worker's block. `#[repr(C)]`, offsets checked below.
#[repr(C, align(64))]
pub struct Tcb {
    /// Where the next object's header goes. Owner only.
    pub alloc: usize,
    /// An allocation of n bytes is in place when `alloc + n <= alloc_limit` (unsigned). Owner and requesters.
    pub alloc_limit: AtomicUsize,
    /// Compiled code whose entry finds `rsp < stack_limit` calls `leat_stack_check`. Owner and requesters.
    pub stack_limit: AtomicUsize,
    /// Not 0: a loop's poll calls `leat_poll`. Owner and requesters.
    pub poll: AtomicU64,
    /// Top of the worker's C stack, 16-aligned: runtime functions run there.
    pub c_sp: usize,
    /// SML stack pointer of the last call into the runtime; its word is the resume address. Rust may change it: the
    /// stub goes on wherever it points.
    pub saved_sp: usize,
    /// Frame pointer of the compiled frame that called the runtime.
    pub saved_fp: usize,
    /// Address of the stack word that holds the return address into that frame.
    pub saved_call_sp: usize,
    /// Not 0: an exception packet that the runtime call raises when it returns.
    pub pending_exn: u64,
    /// The running thread's object (a root).
    pub current: u64,
    /// Depth of `atomic_begin`: while above 0 the thread is not switched at a safepoint.
    pub atomic_depth: u64,
    /// What a resumed thread's blocking primitive returns.
    pub resume_value: u64,
    /// Descriptors of the exceptions that the runtime knows, by [`crate::exn::Builtin`].
    pub exn_desc: [u64; BUILTIN_COUNT],
    /// Their packets (those without argument; 0 for the others).
    pub exn_packet: [u64; BUILTIN_COUNT],
    /// Base of the program's global slots (8 bytes each).
    pub globals: usize,
    /// What stands in a lock that belongs to this worker (`fiber::biased`). Constant.
    pub mark: u64,
    /// Whom the library's cells have to be safe from: [`OTHERS`], [`SCOPES`], [`SEVERAL`]. Owner, and by atomic
    /// operations anybody.
    pub company: AtomicU64,
    /// Of code that counts: the slot of the call that is being made ([`crate::calls`]); 0 for a call by the runtime.
    pub counters: usize,
    /// Stack pointer and frame pointer of the last raise that was not one of [`RAISE_AGAIN`](crate::prim::stub): 0 and
    /// anything where a function has raised to a handler of its own since. What is there is gone when anything is
    /// called; until then a report can read from there on.
    pub raised_sp: usize,
    pub raised_fp: usize,
    /// The return addresses of the last raise's call, and of the call whose handler it has found, or of a call where a
    /// function has raised to a handler of its own.
    pub raise_pc: usize,
    pub landed_pc: usize,
    /// 1: what is raised next is a packet that a handler or a variable has, not a new one; and what this was at the
    /// last raise.
    pub raises_again: u64,
    pub raised_again: u64,
    // -- compiled code goes no further --
    /// Index of the worker.
    pub worker: u64,
    /// The crates' own per-worker state, by `memory`, `fiber`, `entry`, `io`.
    pub memory: usize,
    pub fiber: usize,
    pub entry: usize,
    pub io: usize,
    /// What is young, for the array barrier's stub: a word `w` is a reference to a young object only if
    /// `(w - young_base).rotate_right(1) < young_half`. Set by `memory`; until then every word may be one.
    pub young_base: u64,
    pub young_half: u64,
    /// For the same stub: the card's byte of a slot in a large array is at `cards + (slot >> CARD_SHIFT)`, and the bit
    /// of its part, [`PART_SHIFT`], set: this store need not be logged. 0: all have to be looked at, since marking goes
    /// on. Set by `memory`.
    pub cards: usize,
}

/// Bytes of a large array for which one entry of the log stands, and those for which a bit stands.
pub const CARD_SHIFT: u32 = 9;
pub const PART_SHIFT: u32 = CARD_SHIFT - 3;
/// In the header of an object that has pages of its own.
pub const LARGE_SHIFT: u32 = crate::header::GC_SHIFT;

macro_rules! offsets {
    ($($name:ident = $field:ident;)*) => { $(
        #[doc = concat!("Byte offset of `", stringify!($field), "`.")]
        pub const $name: i32 = core::mem::offset_of!(Tcb, $field) as i32;
    )* };
}

offsets! {
    ALLOC = alloc;
    ALLOC_LIMIT = alloc_limit;
    STACK_LIMIT = stack_limit;
    POLL = poll;
    C_SP = c_sp;
    SAVED_SP = saved_sp;
    SAVED_FP = saved_fp;
    SAVED_CALL_SP = saved_call_sp;
    PENDING_EXN = pending_exn;
    CURRENT = current;
    ATOMIC_DEPTH = atomic_depth;
    RESUME_VALUE = resume_value;
    EXN_DESC = exn_desc;
    EXN_PACKET = exn_packet;
    GLOBALS = globals;
    MARK = mark;
    COMPANY = company;
    COUNTERS = counters;
    RAISED_SP = raised_sp;
    RAISED_FP = raised_fp;
    RAISE_PC = raise_pc;
    LANDED_PC = landed_pc;
    RAISES_AGAIN = raises_again;
    RAISED_AGAIN = raised_again;
    YOUNG_BASE = young_base;
    YOUNG_HALF = young_half;
    CARDS = cards;
}

impl Tcb {
    /// Whether an object may be in a nursery. A minor collection moves no other.
    #[inline]
    pub fn is_young(&self, object: u64) -> bool {
        object.wrapping_sub(self.young_base).rotate_right(1) < self.young_half
    }

    /// A block with nothing in it; the runtime fills it before compiled code runs.
    pub const fn empty() -> Tcb {
        Tcb {
            alloc: 0,
            alloc_limit: AtomicUsize::new(LIMIT_STOP),
            stack_limit: AtomicUsize::new(STACK_STOP),
            poll: AtomicU64::new(0),
            c_sp: 0,
            saved_sp: 0,
            saved_fp: 0,
            saved_call_sp: 0,
            pending_exn: 0,
            current: 1,
            atomic_depth: 0,
            resume_value: 0,
            exn_desc: [1; BUILTIN_COUNT],
            exn_packet: [1; BUILTIN_COUNT],
            globals: 0,
            mark: 0,
            company: AtomicU64::new(0),
            counters: 0,
            raised_sp: 0,
            raised_fp: 0,
            raise_pc: 0,
            landed_pc: 0,
            raises_again: 0,
            raised_again: 0,
            worker: 0,
            memory: 0,
            fiber: 0,
            entry: 0,
            io: 0,
            young_base: 0,
            young_half: u64::MAX,
            cards: 0,
        }
    }
}
