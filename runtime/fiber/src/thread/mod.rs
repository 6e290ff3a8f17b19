//! A thread: its word, and how it stops and goes on.

pub(crate) mod resume;
pub mod word;
