//! What primitives and the life of a program stand on: allocation, roots, exceptions, wake-ups, reports, the end of the
//! process.

pub mod alloc;
pub mod debugger;
pub mod end;
pub mod exceptions;
pub mod here;
pub mod history;
pub mod lend;
pub mod objects;
pub mod pieces;
pub mod race;
pub mod raise;
pub mod reals;
pub mod report;
pub mod roots;
pub mod summary;
pub mod system;
pub mod waits;
pub mod wake;
