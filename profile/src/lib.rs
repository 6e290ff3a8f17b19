//! A program's profile -> tables, annotated source, callgrind's and pprof's formats, flame graphs.
//!
//! The runtime writes a tree of calls (`runtime/entry/src/profile`); [`read`] takes it, [`summary`] adds it up by
//! function, line and pair of caller and callee, [`fold`] gives the library's and the runtime's costs to the program's
//! lines, [`made`] tells what is allocated, the others show it. The flame graph and pprof's encoding are our own: the
//! crates of the field bring a code generator for the one, and a script under another licence for the other.

pub mod callgrind;
pub mod compare;
pub mod flame;
pub mod fold;
pub mod made;
pub mod pprof;
pub mod read;
pub mod run;
mod signals;
pub mod source;
pub mod summary;
pub mod table;

pub use read::{Profile, read};
pub use signals::end_with_parent;
pub use summary::Summary;
