//! The primitives that compiled code calls, a file for each chapter of `abi::prim`'s table, under the same names; and
//! the slow paths of compiled code. Those of the chapters `exits` and `signals` stand in [`crate::life`].

pub mod accounts;
pub mod arrays;
pub mod bignum;
mod block;
pub mod callbacks;
mod check;
pub mod clock;
pub mod collector;
pub mod compression;
pub mod conts;
pub mod debug;
pub mod debugger;
pub mod digests;
pub mod exceptions;
pub mod files;
pub mod foreign;
pub mod ints;
pub mod jobs;
pub mod limits;
pub mod network;
pub mod output;
pub mod processes;
pub mod quick;
pub mod reals;
#[cfg(target_arch = "x86_64")]
mod reentry_x86_64;
pub mod rows;
pub mod shell;
pub mod slow_paths;
pub mod sockets;
pub mod strings;
pub mod terminals;
pub mod threads;
pub mod timers;
pub mod waiting;
pub mod world;
