//! What primitives and the life of a program stand on: allocation, roots, exceptions, output, events, jobs, reports.

pub mod alloc;
pub mod events;
pub mod exceptions;
pub mod history;
pub mod markers;
pub mod objects;
pub mod output;
pub mod pool;
pub mod raise;
pub mod report;
pub mod roots;
pub mod trace;
