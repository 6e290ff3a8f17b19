//! What a row of the table of primitives says: how a primitive is called, what it may do besides, what it may raise.

use crate::exn::Builtin;

/// How a primitive is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lower {
    Inline,
    Leaf,
    Runtime,
}

/// What a primitive may do besides giving its result. For the optimiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: may be dropped, duplicated, moved, shared.
    Pure,
    /// Allocates a mutable object (identity matters), or reads mutable memory: may be dropped when unused, not shared.
    Reads,
    /// Writes memory or the world: keep it, in order.
    Writes,
    /// Likewise, and it can be seen from outside of the program (a system call on a descriptor, a file, a process): what
    /// `print` has left in the buffer is written out first. The compiler puts `out_due` and `out_settle` before it.
    Outside,
}

/// The last argument of `access`: what a watched program does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Access {
    Load,
    Store,
    /// A compare and swap.
    Swap,
    /// Not the program's, but the library's, which orders threads by what it loads and stores: a load was done, ..
    Acquire,
    /// .. a store is to be done.
    Release,
}

impl Access {
    pub const fn from_number(n: u64) -> Access {
        match n {
            0 => Access::Load,
            1 => Access::Store,
            2 => Access::Swap,
            3 => Access::Acquire,
            _ => Access::Release,
        }
    }
}

/// The exceptions that a primitive may raise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raises {
    Nothing,
    One(Builtin),
    Two(Builtin, Builtin),
    /// Any (a blocked thread may be resumed with an exception).
    Any,
}

/// What the table says of a primitive.
pub(super) struct Row {
    pub name: &'static str,
    /// The type, see [`crate::signature`].
    pub ty: &'static str,
    pub chapter: &'static str,
    pub lower: Lower,
    pub effect: Effect,
    pub raises: Raises,
    pub symbol: &'static str,
    pub stub: &'static str,
}
