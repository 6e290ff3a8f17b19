//! Foreign functions: what an `_import` says of a C function, as a text that goes through the stages, and the block by
//! which a call goes to C.
//!
//! ```text
//! call|sqlite3_open|object,&pointer|i32
//! way |name, or nothing: the function's address is the first argument|parameters|result, or nothing
//!
//! call|div|i32,i32|{i32@0,i32@4}
//! ```
//!
//! `elab` makes the text of the types that are written, Mono reads it. A parameter `&i32` is a `ref`: its content goes by an
//! address into a word of the caller's frame, and what C leaves there is its content afterwards.
//!
//! A structure that goes by value is its fields, each with its byte in the structure. Each field of a parameter is a
//! parameter, so that parameters and arguments are one to one in all stages.
//!
//! A `blocking` call fills its block in memory of C's, where an OS thread of the pool finds it: Mono makes it of
//! stores, the primitives of the chapter `foreign`, and loads. So it does of a `reentrant` call, whose block lies at
//! the upper end of the C stack on which C will run; and a function that C may call loads its arguments from where the
//! registers were pushed ([`callback`]).

use std::fmt;
use std::ops::{Range, RangeFrom};

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

    /// In bytes; so is its alignment.
    pub fn size(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::Bool | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 | Scalar::Pointer => 8,
        }
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    fn read(text: &str) -> Option<Scalar> {
        Self::ALL.iter().find(|row| row.1 == text).map(|row| row.0)
    }
}

/// A field of a structure: what it is, and at which byte it lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub scalar: Scalar,
    pub at: u32,
}

impl Field {
    /// `i32@4`
    fn read(text: &str) -> Option<Field> {
        let (scalar, at) = text.split_once('@')?;
        Some(Field { scalar: Scalar::read(scalar)?, at: at.parse().ok()? })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.scalar.name(), self.at)
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
    /// A field of a structure that goes by value. `first`: a structure begins. `checked`: as of [`Param::Checked`].
    Field {
        field: Field,
        checked: bool,
        first: bool,
    },
}

impl Param {
    /// A field of the same structure as the parameter before it.
    pub fn continues(self) -> bool {
        matches!(self, Param::Field { first: false, .. })
    }

    pub fn field(self) -> Option<Field> {
        match self {
            Param::Field { field, .. } => Some(field),
            _ => None,
        }
    }

    /// The type whose end is checked.
    pub fn checked(self) -> Option<Scalar> {
        match self {
            Param::Checked(scalar) | Param::Field { field: Field { scalar, .. }, checked: true, .. } => Some(scalar),
            _ => None,
        }
    }

    /// It goes in a vector register.
    pub fn is_real(self) -> bool {
        matches!(self, Param::Scalar(scalar) if scalar.is_real())
    }
}

/// Parameters of C: each is one of ours, or the fields of a structure.
pub fn groups(params: &[Param]) -> impl Iterator<Item = &[Param]> {
    params.chunk_by(|_, next| next.continues())
}

/// Eight bytes of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// They go in an integer register.
    Integer,
    /// They go in a vector register.
    Real,
}

/// The words of a structure of one or two; None of a larger one, which goes through memory. A word is real if all
/// fields in it are.
pub fn words(fields: impl Iterator<Item = Field>) -> Option<Vec<Word>> {
    let mut words = Vec::with_capacity(2);
    for field in fields {
        let word = field.at as usize / 8;
        if word > 1 {
            return None;
        }
        if word == words.len() {
            words.push(Word::Real);
        }
        if !field.scalar.is_real() {
            words[word] = Word::Integer;
        }
    }
    Some(words)
}

/// How many words a structure has.
pub fn word_count(fields: impl Iterator<Item = Field>) -> usize {
    fields.map(|field| (field.at + field.scalar.size()).div_ceil(8)).max().unwrap_or(0) as usize
}

/// Where a call has words: registers of two kinds, and those behind.
struct Room {
    integers: Range<usize>,
    reals: Range<usize>,
    stack: RangeFrom<usize>,
    has_reals: bool,
}

impl Room {
    /// A word of a scalar.
    fn scalar(&mut self, is_real: bool) -> usize {
        self.has_reals |= is_real;
        let registers = if is_real { &mut self.reals } else { &mut self.integers };
        registers.next().unwrap_or_else(|| self.stacked(1))
    }

    fn stacked(&mut self, words: usize) -> usize {
        let first = self.stack.start;
        self.stack.start += words;
        first
    }

    /// The byte of each parameter.
    fn places(&mut self, params: &[Param]) -> Vec<usize> {
        let mut places = Vec::with_capacity(params.len());
        for group in groups(params) {
            let fields = || group.iter().filter_map(|param| param.field());
            if fields().next().is_none() {
                places.push(8 * self.scalar(group[0].is_real()));
                continue;
            }
            // All of its words have registers, or none has.
            let words = words(fields()).filter(|words| {
                let reals = words.iter().filter(|word| **word == Word::Real).count();
                words.len() - reals <= self.integers.len() && reals <= self.reals.len()
            });
            match words {
                Some(words) => {
                    let words: Vec<usize> = words.into_iter().map(|word| self.scalar(word == Word::Real)).collect();
                    places.extend(fields().map(|field| 8 * words[field.at as usize / 8] + field.at as usize % 8));
                }
                None => {
                    let first = self.stacked(word_count(fields()));
                    places.extend(fields().map(|field| 8 * first + field.at as usize));
                }
            }
        }
        places
    }
}

/// Where a result comes or goes.
pub enum Given {
    /// The byte of each field.
    Registers(Vec<usize>),
    /// A structure of so many words, whose address C takes as its first argument.
    Memory(usize),
}

impl Given {
    /// `integers`, `reals`: the first word of each kind.
    fn new(result: &[Field], integers: usize, reals: usize) -> Given {
        let fields = || result.iter().copied();
        let Some(words) = words(fields()) else { return Given::Memory(word_count(fields())) };
        let mut next = [integers, reals];
        let of_kind = |word: Word| {
            let next = &mut next[usize::from(word == Word::Real)];
            *next += 1;
            *next - 1
        };
        let words: Vec<usize> = words.into_iter().map(of_kind).collect();
        Given::Registers(fields().map(|field| 8 * words[field.at as usize / 8] + field.at as usize % 8).collect())
    }
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
    /// Nothing, one scalar, or the fields of a structure.
    pub result: Vec<Field>,
    /// The runtime looks at each call: `--check-foreign`.
    pub checked: bool,
    /// Where it is imported: `a.sml:3`. Not part of the text.
    pub place: String,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = if self.checked { "?" } else { "" };
        write!(f, "{checked}{}|{}|", self.way.name(), self.name.as_deref().unwrap_or(""))?;
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let ends = self.params.get(i + 1).is_none_or(|next| !next.continues());
            match *param {
                Param::Scalar(scalar) => write!(f, "{comma}{}", scalar.name())?,
                Param::Checked(scalar) => write!(f, "{comma}!{}", scalar.name())?,
                Param::Cell(scalar) => write!(f, "{comma}&{}", scalar.name())?,
                Param::Object => write!(f, "{comma}object")?,
                Param::Array => write!(f, "{comma}array")?,
                Param::Field { field, checked, first } => {
                    let (open, mark) = (if first { "{" } else { "" }, if checked { "!" } else { "" });
                    write!(f, "{comma}{open}{mark}{field}{}", if ends { "}" } else { "" })?;
                }
            }
        }
        match self.result[..] {
            [] => write!(f, "|"),
            [Field { scalar, .. }] => write!(f, "|{}", scalar.name()),
            _ => {
                let fields: Vec<String> = self.result.iter().map(Field::to_string).collect();
                write!(f, "|{{{}}}", fields.join(","))
            }
        }
    }
}

impl Foreign {
    /// A load of a scalar from the address that is the argument.
    pub fn get(scalar: Scalar, place: String) -> Foreign {
        let params = vec![Param::Scalar(Scalar::Pointer)];
        Foreign { way: Way::Get, name: None, params, result: Foreign::gives(scalar), checked: false, place }
    }

    /// A store of a scalar, which is the second argument, to the address that is the first.
    pub fn set(scalar: Scalar, place: String) -> Foreign {
        let params = vec![Param::Scalar(Scalar::Pointer), Param::Scalar(scalar)];
        Foreign { way: Way::Set, name: None, params, result: vec![], checked: false, place }
    }

    /// The result that is one scalar.
    pub fn gives(scalar: Scalar) -> Vec<Field> {
        vec![Field { scalar, at: 0 }]
    }

    /// The result, where it is one scalar.
    pub fn scalar(&self) -> Option<Scalar> {
        match self.result[..] {
            [field] => Some(field.scalar),
            _ => None,
        }
    }

    /// Reads what [`fmt::Display`] writes.
    pub fn read(text: &str) -> Option<Foreign> {
        let [way, name, params, result] = text.split('|').collect::<Vec<_>>()[..] else { return None };
        let param = |text: &str| {
            if text.contains('@') {
                let (first, text) = (text.starts_with('{'), text.trim_matches(['{', '}']));
                let (checked, text) = (text.starts_with('!'), text.trim_start_matches('!'));
                return Some(Param::Field { field: Field::read(text)?, checked, first });
            }
            Some(match (text, text.chars().next()) {
                ("object", _) => Param::Object,
                ("array", _) => Param::Array,
                (_, Some('!')) => Param::Checked(Scalar::read(&text[1..])?),
                (_, Some('&')) => Param::Cell(Scalar::read(&text[1..])?),
                _ => Param::Scalar(Scalar::read(text)?),
            })
        };
        let fields = result.trim_matches(['{', '}']).split(',');
        let checked = way.starts_with('?');
        Some(Foreign {
            way: Way::read(way.trim_start_matches('?'))?,
            checked,
            name: (!name.is_empty()).then(|| name.to_string()),
            params: params.split(',').filter(|text| !text.is_empty()).map(param).collect::<Option<_>>()?,
            result: match result {
                "" => vec![],
                _ if result.starts_with('{') => fields.map(Field::read).collect::<Option<_>>()?,
                _ => Foreign::gives(Scalar::read(result)?),
            },
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
        self.result.len() + self.cells().count() + usize::from(self.way.wants_errno())
    }
}

/// The block by which a call goes to C: words, filled in by compiled code in its frame.
pub mod block {
    use super::{Foreign, Given, Room, Scalar};

    /// The function's address.
    pub const CODE: usize = 0;
    /// How many words of arguments lie on the stack.
    pub const STACKED: usize = 1;
    /// Bits: see below.
    pub const FLAGS: usize = 2;
    /// Six integer registers; the words of the result that are integers come in the first two.
    pub const INTEGERS: usize = 3;
    /// Eight vector registers; the words of the result that are real come in the first two.
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
    /// Its result is more than one integer: the stub stores all words in which results come.
    pub const GIVES_MORE: u64 = 16;
    /// From this bit on: which integer registers have addresses of objects; likewise.
    pub const OBJECTS: u32 = 8;

    /// Where the arguments of a call go, by the System V convention.
    pub struct Filled {
        /// The byte for each argument.
        pub places: Vec<usize>,
        /// How many words lie on the stack.
        pub stacked: usize,
        pub flags: u64,
        /// Where the result comes. One in memory comes behind the words on the stack, and its address goes in the first
        /// integer register.
        pub given: Given,
    }

    impl Filled {
        pub fn new(foreign: &Foreign) -> Filled {
            let (integers, reals) = (INTEGERS..REALS, REALS..ERRNO);
            let mut room = Room { integers, reals, stack: STACK.., has_reals: false };
            let given = Given::new(&foreign.result, INTEGERS, REALS);
            if let Given::Memory(_) = given {
                room.scalar(false);
            }
            let places = room.places(&foreign.params);
            let mut flags = if foreign.way.wants_errno() { WANTS_ERRNO } else { 0 };
            if room.has_reals {
                flags |= HAS_REALS;
            }
            if foreign.result.len() > 1 || foreign.scalar().is_some_and(Scalar::is_real) {
                flags |= GIVES_MORE;
            }
            Filled { places, stacked: room.stack.start - STACK, flags, given }
        }

        /// How many words the block has.
        pub fn words(&self) -> usize {
            let given = match self.given {
                Given::Registers(_) => 0,
                Given::Memory(words) => words,
            };
            STACK + self.stacked + given
        }

        /// The byte of each field of the result.
        pub fn results(&self, foreign: &Foreign) -> Vec<usize> {
            match &self.given {
                Given::Registers(places) => places.clone(),
                Given::Memory(_) => {
                    let first = 8 * (STACK + self.stacked);
                    foreign.result.iter().map(|field| first + field.at as usize).collect()
                }
            }
        }
    }
}

/// The block in which a function of SML finds what C has called it with: words, which [`callback::PUSHED`] of are
/// pushed by the runtime, and those behind lie on the stack of C.
pub mod callback {
    use super::{Foreign, Given, Room};

    /// A state is the address of the call. The word of it that has the address of these words.
    pub const ARGUMENTS: usize = 1;
    /// The word of the call that is another one each time that C waits there.
    pub const SERIAL: usize = 3;

    /// Six integer registers; the words of the result that are integers go into the first two.
    pub const INTEGERS: usize = 0;
    /// Eight vector registers; the words of the result that are real go into the first two.
    pub const REALS: usize = 6;
    /// What the runtime pushes.
    pub const PUSHED: usize = 14;
    /// Arguments on the stack of C, behind the registers that C keeps and the return address.
    pub const STACK: usize = 22;

    /// The byte for each argument, and where the result goes: in memory whose address is the first integer argument,
    /// or in registers.
    pub fn places(foreign: &Foreign) -> (Vec<usize>, Given) {
        let (integers, reals) = (INTEGERS..REALS, REALS..PUSHED);
        let mut room = Room { integers, reals, stack: STACK.., has_reals: false };
        let given = Given::new(&foreign.result, INTEGERS, REALS);
        if let Given::Memory(_) = given {
            room.scalar(false);
        }
        (room.places(&foreign.params), given)
    }

    /// What is said of a function that C calls: some of its arguments come in vector registers.
    pub const HAS_REALS: u64 = 1;
    /// From this bit on: bytes of a result that goes through memory, or 0.
    pub const MEMORY: u32 = 1;

    /// What is said of it.
    pub fn traits(foreign: &Foreign) -> u64 {
        let (integers, reals) = (INTEGERS..REALS, REALS..PUSHED);
        let mut room = Room { integers, reals, stack: STACK.., has_reals: false };
        room.places(&foreign.params);
        let memory = match Given::new(&foreign.result, INTEGERS, REALS) {
            Given::Registers(_) => 0,
            // No more than C has: what follows a structure of 20 bytes is something else.
            Given::Memory(_) => {
                foreign.result.iter().map(|field| u64::from(field.at + field.scalar.size())).max().unwrap_or(0)
            }
        };
        u64::from(room.has_reals) | memory << MEMORY
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
            "leaf|f|{i32@0,!i32@4},{f32@0,f64@8},u8|{i8@0,f64@8}",
        ] {
            assert_eq!(Foreign::read(text).map(|foreign| foreign.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Foreign::read("call|f|i33|"), None);
    }

    fn foreign(text: &str) -> Foreign {
        Foreign::read(text).expect("it is written well")
    }

    /// Words, where no field lies in the middle of one.
    fn filled(text: &str) -> (Vec<usize>, usize, u64) {
        let filled = block::Filled::new(&foreign(text));
        (filled.places.iter().map(|byte| byte / 8).collect(), filled.stacked, filled.flags)
    }

    #[test]
    fn arguments_fill_registers_and_then_the_stack() {
        assert_eq!(filled("errno|f|i64,f64,u8|i32"), (vec![3, 9, 4], 0, 3));
        let many = format!("call|f|{}|", ["i32,f32"; 10].join(","));
        let places = [3, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 18, 15, 19, 16, 20, 21, 22, 23];
        assert_eq!(filled(&many), (places.to_vec(), 6, 1));
        assert_eq!(filled("call|f||").2, 0);
        let places = callback::places(&foreign(&many)).0;
        let words = [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 22, 12, 23, 13, 24, 25, 26, 27];
        assert_eq!(places, words.map(|word| 8 * word));
    }

    /// Cases of the convention that are easily got wrong.
    #[test]
    fn structures_fill_words() {
        // Two floats in one word are real; an int beside a float is an integer.
        assert_eq!(block::Filled::new(&foreign("call|f|{f32@0,f32@4},{i32@0,f32@4}|")).places, [72, 76, 24, 28]);
        // One word of each kind.
        assert_eq!(filled("call|f|{f64@0,i8@8},{i8@0,f64@8}|"), (vec![9, 3, 4, 10], 0, 1));
        // Two words where one register is left lie on the stack, and the register is the next one's.
        let five = "i32,i32,i32,i32,i32";
        assert_eq!(filled(&format!("call|f|{five},{{i64@0,i64@8}},i32|")), (vec![3, 4, 5, 6, 7, 18, 19, 8], 2, 0));
        // So do those of one word of each kind where one kind has run out.
        let six = format!("{five},i32");
        let (places, stacked, _) = filled(&format!("call|f|{six},{{i64@0,f64@8}},f64|"));
        assert_eq!((&places[6..], stacked), (&[18, 19, 9][..], 2));
        // More than two words lie on the stack, and leave all registers to others.
        assert_eq!(filled("call|f|{i64@0,i64@8,i8@16},i32|"), (vec![18, 19, 20, 3], 3, 0));
        // Results: of two kinds; through memory, whose address is the first argument.
        let result = |text| {
            let foreign = foreign(text);
            let filled = block::Filled::new(&foreign);
            (filled.places.clone(), filled.results(&foreign), filled.words())
        };
        assert_eq!(result("call|f|i32|{f64@0,i32@8}"), (vec![24], vec![72, 24], 18));
        assert_eq!(result("call|f|i32|{i64@0,i16@8,i16@10}"), (vec![24], vec![24, 32, 34], 18));
        assert_eq!(result("call|f|i32|{f64@0,f64@8,f32@16}"), (vec![32], vec![144, 152, 160], 21));
        assert!(matches!(callback::places(&foreign("export|f||{f64@0,f64@8,f32@16}")).1, Given::Memory(3)));
        // The stub stores more than one register where the result has more; a callback has real arguments, or none.
        assert_eq!(filled("call|f|i32|{i64@0,i16@8}").2, block::GIVES_MORE);
        assert_eq!(filled("call|f|i32|f32").2, block::GIVES_MORE);
        assert_eq!(filled("call|f|f64|pointer").2, block::HAS_REALS);
        assert_eq!(callback::traits(&foreign("export|f|i32,f32|{f64@0,f64@8,f32@16}")), 1 | 20 << callback::MEMORY);
        assert_eq!(callback::traits(&foreign("export|f|i32,{f32@0,i32@4}|f64")), 0);
    }
}
