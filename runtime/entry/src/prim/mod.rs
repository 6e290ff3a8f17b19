//! The primitives that compiled code calls, chapter by chapter; `symbols` is their table.

pub mod bignum;
pub mod callbacks;
pub mod exceptions;
pub mod files;
pub mod gc;
pub mod jobs;
pub mod limits;
pub mod math;
pub mod network;
pub mod processes;
pub mod slow_paths;
pub mod sockets;
pub mod strings;
pub mod symbols;
pub mod terminals;
pub mod threads;
pub mod timers;
pub mod waiting;
pub mod world;
