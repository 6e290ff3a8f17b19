//! What there is: objects, lanes, queues, OS threads, workers.

pub(crate) mod atomic;
pub(crate) mod carrier;
pub(crate) mod chance;
pub(crate) mod home;
pub mod host;
pub(crate) mod jitter;
pub(crate) mod landings;
pub mod lane;
#[cfg(test)]
pub(crate) mod no_host;
pub(crate) mod processor;
pub(crate) mod queue;
pub mod reference;
pub mod worker;
pub(crate) mod world;
