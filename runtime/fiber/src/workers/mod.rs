//! Workers and each other: what they ask, which thread is next, who has which lock, how all of them stop.

pub(crate) mod apart;
pub(crate) mod biased;
pub(crate) mod bound;
pub(crate) mod fold;
pub(crate) mod fork;
pub(crate) mod load;
pub(crate) mod outside;
pub(crate) mod post;
pub(crate) mod request;
pub(crate) mod sole;
pub(crate) mod start;
pub mod stop;
pub(crate) mod ticker;
pub(crate) mod turns;
