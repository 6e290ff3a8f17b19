//! What threads do: they switch, are asked to stop, take locks, capture their stacks.

pub(crate) mod attempt;
pub(crate) mod cont;
pub(crate) mod idle;
pub(crate) mod place;
pub(crate) mod poll;
pub(crate) mod segment;
pub mod switch;
