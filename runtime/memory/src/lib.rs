//! Nursery, old generation, remembered set, roots, collection.
//!
//! Turns a worker's bump allocation and the roots that `entry` gives into a heap of live objects. Generational: copying
//! nurseries (Ungar 1984; Cheney 1970), a mark-region old generation with lines, blocks and opportunistic evacuation
//! (Blackburn and McKinley, Immix, PLDI 2008), object remembering (Dijkstra-style logging as in MMTk), stack markers
//! (Cheng, Harper and Lee, PLDI 1998). Precise: every reference is known.
//!
//! Keeps: the invariants G1.. of docs/internals/runtime/collector.md, checked by `--gc-verify` (`verify`).
//!
//! Reading order: [`roots`] (what the collector asks), [`heap`] (the outermost calls), `align` (sizes), `space`
//! (reserved memory), `commit` (pages), `blocks` and `large` (the old generation), `remembered` (barriers), `collect`,
//! `look`, `minor`, `settle`, `major`, `cycle` and `slices` (a marking that the program does not wait for), `policy`,
//! [`stack`], `verify`.

mod ahead;
mod align;
mod beside;
mod blocks;
mod collect;
mod commit;
mod config;
mod cycle;
pub mod heap;
mod inner;
mod large;
mod look;
mod major;
mod minor;
mod policy;
mod remembered;
pub mod roots;
mod settle;
mod slices;
mod space;
pub mod stack;
mod verify;

pub use commit::{AT_ONCE, commit, populate};
pub use heap::{Collection, Config, Heap, OutOfMemory, Refusal, Stats};
pub use roots::{Roots, Visitor};
pub use space::address_space;
pub use stack::{Marker, scan_piece, scan_stack};
