//! Exceptions: packets, descriptors, and those that the runtime and compiled code raise themselves.
//!
//! A packet (`exn`) is a record of two refs: `[descriptor, argument]`; the argument of a constructor without one is
//! immediate 1, and an argument that is not a `Ref` is boxed in a record of one raw word (a tuple is a record).
//! A descriptor is a record of one raw word and one ref: `[argument kind, name string]`; its address is the
//! constructor's identity, so each evaluation of an `exception` declaration makes a new one (generativity).

/// What the argument of an exception constructor is, so that the runtime can print an uncaught one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Argument {
    None = 0,
    String = 1,
    /// Boxed raw word, printed as an int.
    Int = 2,
    /// Anything else: not printed.
    Other = 3,
    /// A record whose first ref is a string (OS.SysErr).
    FirstString = 4,
    /// A record of an exception and two strings: the cause, what has failed, on what (IO.Io).
    Failure = 5,
}

/// How an exception is noted for `exn_history`, a set of bits: perhaps it is raised again.
pub const NOTE_AGAIN: i64 = 1;
/// Its handler is in the same function, so that the runtime will not see the raise.
pub const NOTE_HANDLED: i64 = 2;

macro_rules! builtins {
    ($($name:ident $arg:ident;)*) => {
        /// Exception constructors with a fixed number, known to compiler and runtime.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Builtin { $($name),* }

        /// Each with its SML name and argument.
        pub const BUILTINS: &[(Builtin, &str, Argument)] = &[$((Builtin::$name, stringify!($name), Argument::$arg)),*];
        /// How many there are.
        pub const BUILTIN_COUNT: usize = BUILTINS.len();
    };
}

builtins! {
    Match None;
    Bind None;
    Overflow None;
    Div None;
    Subscript None;
    Size None;
    Chr None;
    Domain None;
    Span None;
    Empty None;
    Option None;
    Fail String;
    Interrupt None;
    OutOfMemory None;
    StackOverflow None;
}

impl Builtin {
    /// The builtin exception of this SML name.
    pub fn by_name(name: &str) -> Option<Builtin> {
        BUILTINS.iter().find(|(_, n, _)| *n == name).map(|(b, ..)| *b)
    }

    pub fn name(self) -> &'static str {
        BUILTINS[self as usize].1
    }

    pub fn argument(self) -> Argument {
        BUILTINS[self as usize].2
    }
}
