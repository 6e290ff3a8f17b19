//! The life of a program: start, what the fibers ask while it runs, signals, sessions of many units, exploration, exit.

pub mod exit;
pub mod explore;
pub mod host;
mod library;
pub mod owner;
pub mod session;
pub mod signals;
pub mod start;
