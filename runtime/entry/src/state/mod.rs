//! What is there while a program runs: the runtime's one structure, and its options.

pub mod options;
pub mod runtime;
