//! What is there while a program runs: the runtime's one structure, its parts, its options.

pub mod arrivals;
pub mod children;
pub mod debugger;
pub mod environment;
pub mod events;
pub mod foreign_words;
pub mod history;
pub mod markers;
pub mod messages;
pub mod options;
pub mod os_thread;
pub mod output;
pub mod pool;
pub mod reentry;
pub mod root;
pub mod runtime;
pub mod session;
pub mod threads;
pub mod trace;
