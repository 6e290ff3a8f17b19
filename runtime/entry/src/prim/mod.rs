//! The primitives that compiled code calls, chapter by chapter; `symbols` is their table.

pub mod bignum;
pub mod files;
pub mod gc;
pub mod limits;
pub mod math;
pub mod processes;
pub mod reals;
pub mod sockets;
pub mod strings;
pub mod symbols;
pub mod terminals;
pub mod threads;
pub mod world;
