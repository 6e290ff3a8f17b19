//! Foreign functions: what an `_import` says of a C function, as a text that goes through the stages, and the block by
//! which a call goes to C.
//!
//! ```text
//! call|sqlite3_open|object,&pointer|i32
//! way |name, or nothing: the function's address is the first argument|parameters|result, or nothing
//! ```
//!
//! `elab` makes the text of the types that are written, Mono reads it. A parameter `&i32` is a `ref`: its content goes by an
//! address into a word of the caller's frame, and what C leaves there is its content afterwards.
//!
//! A `blocking` call fills its block in memory of C's, where an OS thread of the pool finds it: Mono makes it of
//! stores, the primitives of the chapter `foreign`, and loads. So it does of a `reentrant` call, whose block lies at
//! the upper end of the C stack on which C will run; and a function that C may call loads its arguments from where the
//! registers were pushed ([`callback`]).

use std::fmt;

/// A value as C has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// `int32_t`, true when it is not 0.
    Bool,
    F32,
    F64,
    /// `MLton.Pointer.t`
    Pointer,
}

impl Scalar {
    const ALL: &[(Scalar, &str)] = &[
        (Scalar::I8, "i8"),
        (Scalar::I16, "i16"),
        (Scalar::I32, "i32"),
        (Scalar::I64, "i64"),
        (Scalar::U8, "u8"),
        (Scalar::U16, "u16"),
        (Scalar::U32, "u32"),
        (Scalar::U64, "u64"),
        (Scalar::Bool, "bool"),
        (Scalar::F32, "f32"),
        (Scalar::F64, "f64"),
        (Scalar::Pointer, "pointer"),
    ];

    /// It goes in a vector register.
    pub fn is_real(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    fn read(text: &str) -> Option<Scalar> {
        Self::ALL.iter().find(|row| row.1 == text).map(|row| row.0)
    }
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Param {
    Scalar(Scalar),
    /// An `int` or `word` whose C type is narrower: Overflow is raised when it does not fit.
    Checked(Scalar),
    /// A `ref`.
    Cell(Scalar),
    /// A string or vector: the address of its first element.
    Object,
    /// An array: likewise, and C may change the elements.
    Array,
}

/// How it is called, or what else is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// On the worker's C stack.
    Call,
    /// Likewise, and what is in `errno` afterwards is a result behind the others.
    Errno,
    /// On an OS thread of the pool, while the SML thread is parked. Of this one and the next Mono makes calls of the
    /// runtime.
    Blocking,
    /// Likewise, with `errno`.
    BlockingErrno,
    /// On a C stack of its own, from which C may call SML. Of this one and the next Mono makes calls of the runtime,
    /// too.
    Reentrant,
    /// Likewise, with `errno`.
    ReentrantErrno,
    /// A function of SML that C may call: by this name, or by an address that is the result. Its parameters and result
    /// are those of that function.
    Export,
    /// In place, on the SML stack.
    Leaf,
    /// Likewise, and the result depends on the arguments alone: may be dropped, or shared.
    Pure,
    /// The address of the symbol.
    Address,
    /// Reads the result from the address that is the argument.
    Get,
    /// Writes the second argument to the address that is the first.
    Set,
    /// A getter and a setter of the variable of this name: Mono makes both of `Get` and `Set`.
    Symbol,
}

impl Way {
    const ALL: &[(Way, &str)] = &[
        (Way::Call, "call"),
        (Way::Errno, "errno"),
        (Way::Blocking, "blocking"),
        (Way::BlockingErrno, "blocking_errno"),
        (Way::Reentrant, "reentrant"),
        (Way::ReentrantErrno, "reentrant_errno"),
        (Way::Export, "export"),
        (Way::Leaf, "leaf"),
        (Way::Pure, "pure"),
        (Way::Address, "address"),
        (Way::Get, "get"),
        (Way::Set, "set"),
        (Way::Symbol, "symbol"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    pub fn read(text: &str) -> Option<Way> {
        Self::ALL.iter().find(|row| row.1 == text).map(|row| row.0)
    }

    /// The result is a pair with the number of the error.
    pub fn wants_errno(self) -> bool {
        matches!(self, Way::Errno | Way::BlockingErrno | Way::ReentrantErrno)
    }

    /// C may call SML meanwhile.
    pub fn is_reentrant(self) -> bool {
        matches!(self, Way::Reentrant | Way::ReentrantErrno)
    }

    /// C runs on the worker's C stack, by way of the runtime.
    pub fn goes_out(self) -> bool {
        matches!(self, Way::Call | Way::Errno)
    }
}

/// What is known of a foreign function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Foreign {
    pub way: Way,
    /// The symbol; without one its address is the first argument.
    pub name: Option<String>,
    pub params: Vec<Param>,
    pub result: Option<Scalar>,
    /// The runtime looks at each call: `--check-foreign`.
    pub checked: bool,
    /// Where it is imported: `a.sml:3`. Not part of the text.
    pub place: String,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|param| match param {
                Param::Scalar(scalar) => scalar.name().to_string(),
                Param::Checked(scalar) => format!("!{}", scalar.name()),
                Param::Cell(scalar) => format!("&{}", scalar.name()),
                Param::Object => "object".to_string(),
                Param::Array => "array".to_string(),
            })
            .collect();
        let (name, result) = (self.name.as_deref().unwrap_or(""), self.result.map_or("", Scalar::name));
        let checked = if self.checked { "?" } else { "" };
        write!(f, "{checked}{}|{name}|{}|{result}", self.way.name(), params.join(","))
    }
}

impl Foreign {
    /// A load of a scalar from the address that is the argument.
    pub fn get(scalar: Scalar, place: String) -> Foreign {
        let params = vec![Param::Scalar(Scalar::Pointer)];
        Foreign { way: Way::Get, name: None, params, result: Some(scalar), checked: false, place }
    }

    /// A store of a scalar, which is the second argument, to the address that is the first.
    pub fn set(scalar: Scalar, place: String) -> Foreign {
        let params = vec![Param::Scalar(Scalar::Pointer), Param::Scalar(scalar)];
        Foreign { way: Way::Set, name: None, params, result: None, checked: false, place }
    }

    /// Reads what [`fmt::Display`] writes.
    pub fn read(text: &str) -> Option<Foreign> {
        let [way, name, params, result] = text.split('|').collect::<Vec<_>>()[..] else { return None };
        let param = |text: &str| {
            Some(match (text, text.chars().next()) {
                ("object", _) => Param::Object,
                ("array", _) => Param::Array,
                (_, Some('!')) => Param::Checked(Scalar::read(&text[1..])?),
                (_, Some('&')) => Param::Cell(Scalar::read(&text[1..])?),
                _ => Param::Scalar(Scalar::read(text)?),
            })
        };
        let checked = way.starts_with('?');
        Some(Foreign {
            way: Way::read(way.trim_start_matches('?'))?,
            checked,
            name: (!name.is_empty()).then(|| name.to_string()),
            params: params.split(',').filter(|text| !text.is_empty()).map(param).collect::<Option<_>>()?,
            result: if result.is_empty() { None } else { Some(Scalar::read(result)?) },
            place: String::new(),
        })
    }

    /// The scalars of its cells, whose contents are results behind the first.
    pub fn cells(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.params.iter().filter_map(|param| match param {
            Param::Cell(scalar) => Some(*scalar),
            _ => None,
        })
    }

    /// How many results a call gives.
    pub fn results(&self) -> usize {
        usize::from(self.result.is_some()) + self.cells().count() + usize::from(self.way.wants_errno())
    }
}

/// The block by which a call goes to C: words, filled in by compiled code in its frame.
pub mod block {
    /// The function's address.
    pub const CODE: usize = 0;
    /// How many words of arguments lie on the stack.
    pub const STACKED: usize = 1;
    /// Bits: see below.
    pub const FLAGS: usize = 2;
    /// Six integer registers; the integer result comes in the first.
    pub const INTEGERS: usize = 3;
    /// Eight vector registers; the real result comes in the first.
    pub const REALS: usize = 9;
    /// What `errno` was behind the call.
    pub const ERRNO: usize = 17;
    /// Arguments on the stack.
    pub const STACK: usize = 18;

    /// The word before the block of a reentrant call is another one for each call.
    pub const TICKET: isize = -1;

    /// Some of the vector registers are used.
    pub const HAS_REALS: u64 = 1;
    /// `errno` is wanted.
    pub const WANTS_ERRNO: u64 = 2;
    /// The runtime looks at the call: `--check-foreign`.
    pub const IS_CHECKED: u64 = 4;
    /// Its result is an address; the runtime asks only of a call that it looks at.
    pub const GIVES_ADDRESS: u64 = 8;
    /// From this bit on: which integer registers have addresses of objects; likewise.
    pub const OBJECTS: u32 = 8;

    /// Where the arguments of a call go, by the System V convention.
    pub struct Filled {
        /// The number of a word for each argument.
        pub places: Vec<usize>,
        /// How many of them lie on the stack.
        pub stacked: usize,
        pub flags: u64,
    }

    impl Filled {
        /// Of each argument it counts whether it is a real.
        pub fn new(are_real: impl Iterator<Item = bool>, wants_errno: bool) -> Filled {
            let (mut integers, mut reals, mut stack) = (INTEGERS..REALS, REALS..ERRNO, STACK..);
            let mut flags = if wants_errno { WANTS_ERRNO } else { 0 };
            let places: Vec<usize> = are_real
                .map(|is_real| {
                    if is_real {
                        flags |= HAS_REALS;
                    }
                    let registers = if is_real { &mut reals } else { &mut integers };
                    registers.next().unwrap_or_else(|| stack.next().expect("it has no end"))
                })
                .collect();
            Filled { places, stacked: stack.start - STACK, flags }
        }
    }

    /// The word in which the result comes.
    pub fn result(scalar: super::Scalar) -> usize {
        if scalar.is_real() { REALS } else { INTEGERS }
    }
}

/// The block in which a function of SML finds what C has called it with: words, which [`callback::PUSHED`] of are
/// pushed by the runtime, and those behind lie on the stack of C.
pub mod callback {
    /// Bits of a state that are the address of the call; those above tell one state of it from the next.
    pub const ADDRESS_BITS: u32 = 48;
    /// The word of the call that has the address of these words.
    pub const ARGUMENTS: usize = 1;

    /// Six integer registers; the integer result goes into the first.
    pub const INTEGERS: usize = 0;
    /// Eight vector registers; the real result goes into the first.
    pub const REALS: usize = 6;
    /// What the runtime pushes.
    pub const PUSHED: usize = 14;
    /// Arguments on the stack of C, behind the registers that C keeps and the return address.
    pub const STACK: usize = 22;

    /// The number of a word for each argument, of which it counts whether it is a real.
    pub fn places(are_real: impl Iterator<Item = bool>) -> Vec<usize> {
        let (mut integers, mut reals, mut stack) = (INTEGERS..REALS, REALS..PUSHED, STACK..);
        are_real
            .map(|is_real| {
                let registers = if is_real { &mut reals } else { &mut integers };
                registers.next().unwrap_or_else(|| stack.next().expect("it has no end"))
            })
            .collect()
    }

    /// The word into which the result goes.
    pub fn result(scalar: super::Scalar) -> usize {
        if scalar.is_real() { REALS } else { INTEGERS }
    }

    /// The variable by which the symbol of an exported function jumps.
    pub fn slot(name: &str) -> String {
        format!("leat_export_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        for text in [
            "call|open|object,!i32,u32|i32",
            "?errno|open|object,!i32,u32|i32",
            "blocking_errno|read|i32,array,u64|i64",
            "pure|cos|f64|f64",
            "call||pointer|",
            "errno|f|&i32,&pointer|",
            "address|x||pointer",
            "reentrant_errno|qsort|array,u64,u64,pointer|",
            "export|less|pointer,f32|bool",
        ] {
            assert_eq!(Foreign::read(text).map(|foreign| foreign.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Foreign::read("call|f|i33|"), None);
    }

    #[test]
    fn arguments_fill_registers_and_then_the_stack() {
        let filled = block::Filled::new([false, true, false].into_iter(), true);
        assert_eq!((filled.places, filled.stacked, filled.flags), (vec![3, 9, 4], 0, 3));
        let filled = block::Filled::new((0..20).map(|i| i % 2 == 1), false);
        assert_eq!(filled.places, [3, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 18, 15, 19, 16, 20, 21, 22, 23][..20]);
        assert_eq!((filled.stacked, filled.flags), (6, 1));
        assert_eq!(block::Filled::new(std::iter::empty(), false).flags, 0);
        let places = callback::places((0..20).map(|i| i % 2 == 1));
        assert_eq!(places, [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 22, 12, 23, 13, 24, 25, 26, 27]);
    }
}
