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
    /// Likewise, and it can be seen from outside of the program (a system call on a descriptor, a file, a process):
    /// what `print` has left in the buffer is written out first. The compiler puts `out_due` and `out_settle` before
    /// it.
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

/// Who makes the stub by which compiled code calls a primitive that is `Runtime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stub {
    /// There is none: an instruction, or a leaf.
    None,
    /// The way to the C stack and back, `leat_fiber::runtime_stub!`.
    Plain,
    /// Likewise, but a leaf of `entry/src/prim/quick.rs` is tried first, on the SML stack.
    Quick,
    /// By hand, in `leat_fiber`: the usual case on the SML stack.
    Fast,
}

/// What else is true of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Also {
    /// Its C function takes the array's shape behind its arguments, which the compiler knows.
    TakesShape,
    /// Another stack runs, as a rule, before its call comes back.
    Switches,
    /// A call of it that is a function's last is a jump: the thread that waits, or is ready, then has no frame of that
    /// function, and the fewer bytes a thread has, the less is copied when it leaves its lane.
    JumpsLast,
}

/// What the table says of a primitive.
pub(super) struct Row {
    pub name: &'static str,
    /// The type, see [`crate::signature`].
    pub ty: &'static str,
    /// What is to be known of it, in lines: for [`super::library`].
    #[cfg(test)]
    pub about: &'static [&'static str],
    pub chapter: &'static str,
    pub lower: Lower,
    pub stub: Stub,
    pub effect: Effect,
    pub raises: Raises,
    pub also: &'static [Also],
    /// How `lib/prim` declares it, for the same: names and types, where that is not once and by its own name and type.
    /// Empty: only the compiler uses it.
    #[cfg(test)]
    pub declared: Option<&'static [(&'static str, &'static str)]>,
    pub symbol: &'static str,
    /// The symbol of the stub, if it has one.
    pub entry: &'static str,
}
