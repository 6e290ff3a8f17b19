//! Representation: what machine value, and what object, a value of each Mono type is. A function of the type alone.
//!
//! - int, word, char and their like: `I64`; real `F64`; unit as a value `I64` 0.
//! - A datatype without fields (bool too) is the number of its constructor, `I64`.
//! - A datatype of one constructor with one field is that field, unless it would be itself in the end.
//! - Otherwise nullary constructor k (counted among the nullary ones) is the immediate 2k+1, the others are records
//!   whose header tells which; but a single one whose only field is always an address is that address (options of
//!   strings, arrays, tuples, functions), and so is a single one whose only field is a thread, for a thread's header
//!   has a tag of its own.
//! - A record has its raw fields first, then its refs ([`Layout`]).

use crate::ir::{Elem, Ty};
use leat_abi::exn::Argument;
use leat_abi::thread::THREAD_TAG;
use leat_mono::ir as mono;
use leat_mono::ir::{Scalar, TyData, Types};

/// How a datatype is represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The number of the constructor.
    Enum,
    /// The one field of the one constructor.
    Newtype(mono::Ty),
    /// Immediates and records; see [`Repr::con`].
    Boxed,
    /// Immediates and one bare address, of this type.
    OptionLike(mono::Ty),
}

/// How a constructor is represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConRepr {
    /// An `I64` of this value.
    Number(i64),
    /// The `Ref` immediate of this number: 2k+1.
    Immediate(u64),
    /// The field itself.
    Transparent,
    /// The field itself, a thread: an object with this tag.
    Thread(u16),
    /// A record with this tag.
    Record(u16),
}

/// Field i of a record is word `words[i]`, of type `types[i]`.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub words: Vec<u32>,
    pub types: Vec<Ty>,
    pub raws: u32,
}

/// The representations of a program's types, computed once.
pub struct Repr<'a> {
    types: &'a Types,
    shapes: Vec<Shape>,
    /// By type.
    values: Vec<Ty>,
    /// Number of a constructor among the nullary or the boxed ones of its datatype.
    ranks: Vec<Vec<u32>>,
    /// By datatype: the constructor that is a thread itself.
    threads: Vec<Option<u32>>,
}

impl<'a> Repr<'a> {
    pub fn new(types: &'a Types) -> Repr<'a> {
        let count = types.datatypes.len();
        let mut repr = Repr {
            types,
            shapes: vec![Shape::Boxed; count],
            values: Vec::new(),
            ranks: Vec::with_capacity(count),
            threads: Vec::new(),
        };
        for d in 0..count {
            let data = &types.datatypes[d];
            repr.shapes[d] = if data.cons.iter().all(|c| c.fields.is_empty()) {
                Shape::Enum
            } else if repr.is_newtype(d) {
                Shape::Newtype(data.cons[0].fields[0])
            } else {
                Shape::Boxed
            };
            let (mut nullary, mut boxed) = (0, 0);
            let ranks = data.cons.iter().map(|c| {
                let counter = if c.fields.is_empty() { &mut nullary } else { &mut boxed };
                *counter += 1;
                *counter - 1
            });
            repr.ranks.push(ranks.collect());
        }
        // Option-like ones rest on the others only: an option-like field disqualifies.
        let option_like: Vec<(usize, mono::Ty)> = (0..count)
            .filter_map(|d| {
                // Without a nullary constructor it is part of a cycle of newtypes.
                if repr.shapes[d] != Shape::Boxed || types.datatypes[d].cons.len() < 2 {
                    return None;
                }
                let cons = &types.datatypes[d].cons;
                let mut boxed = cons.iter().filter(|c| !c.fields.is_empty());
                match (boxed.next(), boxed.next()) {
                    (Some(con), None) if con.fields.len() == 1 && repr.is_address(con.fields[0]) => {
                        Some((d, con.fields[0]))
                    }
                    _ => None,
                }
            })
            .collect();
        for (d, field) in option_like {
            repr.shapes[d] = Shape::OptionLike(field);
        }
        repr.threads = (0..count).map(|d| repr.thread_of(d)).collect();
        repr.values = (0..types.types.len() as u32).map(|t| repr.value_of(mono::Ty(t))).collect();
        repr
    }

    /// The field's datatype when the datatype has one constructor of one field.
    fn wrapped(&self, d: usize) -> Option<mono::Ty> {
        match self.types.datatypes[d].cons.as_slice() {
            [con] if con.fields.len() == 1 => Some(con.fields[0]),
            _ => None,
        }
    }

    /// One constructor of one field, and not part of a cycle of such (`datatype t = T of t`).
    fn is_newtype(&self, d: usize) -> bool {
        let Some(mut ty) = self.wrapped(d) else { return false };
        // Brent: the chain is followed until it ends, comes back to `d`, or runs into a cycle without `d`.
        let (mut saved, mut steps, mut limit) = (usize::MAX, 0u32, 2u32);
        while let TyData::Data(next) = self.types.get(ty) {
            let next = next.0 as usize;
            if next == d {
                return false;
            }
            let Some(inner) = self.wrapped(next) else { return true };
            if next == saved {
                return true;
            }
            steps += 1;
            if steps == limit {
                (saved, steps, limit) = (next, 0, limit * 2);
            }
            ty = inner;
        }
        true
    }

    /// The one constructor of a datatype whose only field is a thread.
    fn thread_of(&self, d: usize) -> Option<u32> {
        let cons = &self.types.datatypes[d].cons;
        if self.shapes[d] != Shape::Boxed || cons.len() > usize::from(THREAD_TAG) {
            return None;
        }
        let mut bare = (0u32..).zip(cons).filter(|(_, con)| matches!(con.fields[..], [ty] if self.is_thread(ty)));
        match (bare.next(), bare.next()) {
            (Some((con, _)), None) if cons.len() > 1 => Some(con),
            _ => None,
        }
    }

    fn is_thread(&self, mut ty: mono::Ty) -> bool {
        loop {
            match self.types.get(ty) {
                TyData::Data(d) => match self.shapes[d.0 as usize] {
                    Shape::Newtype(field) => ty = field,
                    _ => return false,
                },
                other => return matches!(other, TyData::Scalar(Scalar::Thread)),
            }
        }
    }

    /// Whether a value of the type is always an object's address, never an immediate.
    pub fn is_address(&self, mut ty: mono::Ty) -> bool {
        loop {
            match self.types.get(ty) {
                TyData::Scalar(s) => return matches!(s, Scalar::String | Scalar::Exn | Scalar::Thread),
                TyData::Tuple(parts) => return !parts.is_empty(),
                TyData::Arrow(..) | TyData::Ref(_) | TyData::Array(_) | TyData::Vector(_) | TyData::Weak(_) => {
                    return true;
                }
                TyData::Data(d) => match self.shapes[d.0 as usize] {
                    Shape::Newtype(field) => ty = field,
                    Shape::Boxed => {
                        return self.types.datatypes[d.0 as usize].cons.iter().all(|c| !c.fields.is_empty());
                    }
                    Shape::Enum | Shape::OptionLike(_) => return false,
                },
            }
        }
    }

    fn value_of(&self, mut ty: mono::Ty) -> Ty {
        loop {
            match self.types.get(ty) {
                TyData::Scalar(s) => {
                    return match s {
                        Scalar::Real => Ty::F64,
                        // The library keeps the value rounded to 24 bits in a double.
                        Scalar::Real32 => Ty::F64,
                        Scalar::String | Scalar::Exn | Scalar::Thread => Ty::Ref,
                        _ => Ty::I64,
                    };
                }
                TyData::Tuple(parts) if parts.is_empty() => return Ty::I64,
                TyData::Data(d) => match self.shapes[d.0 as usize] {
                    Shape::Enum => return Ty::I64,
                    Shape::Newtype(field) => ty = field,
                    Shape::Boxed | Shape::OptionLike(_) => return Ty::Ref,
                },
                _ => return Ty::Ref,
            }
        }
    }

    /// The machine value of a type.
    #[inline]
    pub fn value(&self, ty: mono::Ty) -> Ty {
        self.values[ty.0 as usize]
    }

    pub fn shape(&self, data: mono::Data) -> Shape {
        self.shapes[data.0 as usize]
    }

    pub fn con(&self, data: mono::Data, con: u32) -> ConRepr {
        let nullary = self.types.datatypes[data.0 as usize].cons[con as usize].fields.is_empty();
        let rank = self.ranks[data.0 as usize][con as usize];
        match self.shape(data) {
            Shape::Enum => ConRepr::Number(i64::from(con)),
            Shape::Newtype(_) => ConRepr::Transparent,
            _ if nullary => ConRepr::Immediate(leat_abi::header::immediate(u64::from(rank))),
            Shape::OptionLike(_) => ConRepr::Transparent,
            Shape::Boxed if self.thread(data) == Some(con) => ConRepr::Thread(THREAD_TAG),
            Shape::Boxed => ConRepr::Record(rank as u16),
        }
    }

    /// The constructor that is a thread itself, if there is one.
    pub fn thread(&self, data: mono::Data) -> Option<u32> {
        self.threads[data.0 as usize]
    }

    /// Number of a constructor among the nullary, or among the boxed ones.
    pub fn rank(&self, data: mono::Data, con: u32) -> u32 {
        self.ranks[data.0 as usize][con as usize]
    }

    /// How many nullary and how many boxed constructors.
    pub fn counts(&self, data: mono::Data) -> (u32, u32) {
        let cons = &self.types.datatypes[data.0 as usize].cons;
        let nullary = cons.iter().filter(|c| c.fields.is_empty()).count() as u32;
        (nullary, cons.len() as u32 - nullary)
    }

    pub fn fields(&self, data: mono::Data, con: u32) -> &'a [mono::Ty] {
        &self.types.datatypes[data.0 as usize].cons[con as usize].fields
    }

    /// Where the fields of a record of these types are.
    pub fn layout(&self, fields: &[mono::Ty]) -> Layout {
        layout(fields.iter().map(|&ty| self.value(ty)).collect())
    }

    /// What an array of this element type consists of.
    pub fn elem(&self, mut ty: mono::Ty) -> Elem {
        loop {
            match self.types.get(ty) {
                TyData::Scalar(s) => {
                    return match s {
                        Scalar::Int | Scalar::Word => Elem::I64,
                        Scalar::Int8 => Elem::I8,
                        Scalar::Int16 => Elem::I16,
                        Scalar::Int32 => Elem::I32,
                        Scalar::Word8 | Scalar::Char => Elem::U8,
                        Scalar::Word16 => Elem::U16,
                        Scalar::Word32 => Elem::U32,
                        Scalar::Real => Elem::F64,
                        // Rounded doubles in registers, four bytes in arrays.
                        Scalar::Real32 => Elem::F32,
                        Scalar::String | Scalar::Exn | Scalar::Thread => Elem::Ref,
                    };
                }
                TyData::Tuple(parts) if parts.is_empty() => return Elem::U8,
                TyData::Data(d) => match self.shapes[d.0 as usize] {
                    Shape::Enum => {
                        return match self.types.datatypes[d.0 as usize].cons.len() {
                            0..=0x100 => Elem::U8,
                            0x101..=0x1_0000 => Elem::U16,
                            _ => Elem::U32,
                        };
                    }
                    Shape::Newtype(field) => ty = field,
                    Shape::Boxed | Shape::OptionLike(_) => return Elem::Ref,
                },
                _ => return Elem::Ref,
            }
        }
    }

    pub fn types(&self) -> &'a Types {
        self.types
    }
}

/// Where fields of these machine types are: raw ones first.
pub fn layout(types: Vec<Ty>) -> Layout {
    let raws = types.iter().filter(|&&ty| ty != Ty::Ref).count() as u32;
    let (mut raw, mut reference) = (0, raws);
    let words = types
        .iter()
        .map(|&ty| {
            let next = if ty == Ty::Ref { &mut reference } else { &mut raw };
            *next += 1;
            *next - 1
        })
        .collect();
    Layout { words, types, raws }
}

/// An array's header without its length, as `array_new` takes it.
pub fn array_shape(elem: Elem) -> i64 {
    let header =
        if elem == Elem::Ref { leat_abi::header::ref_array(0) } else { leat_abi::header::raw_array(elem.log2(), 0) };
    header as i64
}

/// What an exception's argument of this type is for the runtime.
pub fn argument_kind(repr: &Repr, ty: Option<mono::Ty>) -> Argument {
    let Some(ty) = ty else { return Argument::None };
    let is_string = |ty| matches!(repr.types().get(ty), TyData::Scalar(Scalar::String));
    match repr.types().get(ty) {
        _ if is_string(ty) => Argument::String,
        TyData::Scalar(Scalar::Int) => Argument::Int,
        TyData::Tuple(parts) if parts.iter().find(|&&p| repr.value(p) == Ty::Ref).is_some_and(|&p| is_string(p)) => {
            Argument::FirstString
        }
        TyData::Tuple(parts)
            if parts.len() == 3
                && matches!(repr.types().get(parts[0]), TyData::Scalar(Scalar::Exn))
                && parts[1..].iter().all(|&p| is_string(p)) =>
        {
            Argument::Failure
        }
        _ => Argument::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leat_base::Symbol;
    use leat_mono::ir::{Con, Data, Datatype};

    fn datatype(types: &mut Types, cons: &[&[mono::Ty]]) -> Data {
        let con = |fields: &&[mono::Ty]| Con { name: Symbol::intern("C"), fields: fields.to_vec() };
        types.datatypes.push(Datatype { name: "t".into(), cons: cons.iter().map(con).collect() });
        Data(types.datatypes.len() as u32 - 1)
    }

    #[test]
    fn shapes_follow_from_the_type_alone() {
        let mut types = Types::default();
        let int = types.intern(TyData::Scalar(Scalar::Int));
        let string = types.intern(TyData::Scalar(Scalar::String));
        let real = types.intern(TyData::Scalar(Scalar::Real));
        datatype(&mut types, &[&[], &[]]);
        let newtype = datatype(&mut types, &[&[int]]);
        let option_string = datatype(&mut types, &[&[], &[string]]);
        let ty_os = types.intern(TyData::Data(option_string));
        let nested = datatype(&mut types, &[&[], &[ty_os]]);
        let option_int = datatype(&mut types, &[&[], &[int]]);
        // datatype t = T of u and u = U of t: both boxed, whichever is asked first.
        let (t, u) = (Data(types.datatypes.len() as u32), Data(types.datatypes.len() as u32 + 1));
        let (ty_t, ty_u) = (types.intern(TyData::Data(t)), types.intern(TyData::Data(u)));
        datatype(&mut types, &[&[ty_u]]);
        datatype(&mut types, &[&[ty_t]]);
        // datatype v = V of t: the field of a cycle that it is not part of.
        let v = datatype(&mut types, &[&[ty_t]]);
        let ty_nt = types.intern(TyData::Data(newtype));
        let repr = Repr::new(&types);
        assert_eq!(repr.shape(Data(0)), Shape::Enum);
        assert_eq!(repr.shape(newtype), Shape::Newtype(int));
        assert_eq!(repr.value(ty_nt), Ty::I64);
        assert_eq!(repr.shape(option_string), Shape::OptionLike(string));
        assert_eq!(repr.con(option_string, 0), ConRepr::Immediate(1));
        assert_eq!(repr.con(option_string, 1), ConRepr::Transparent);
        assert_eq!(repr.shape(nested), Shape::Boxed);
        assert_eq!(repr.con(nested, 1), ConRepr::Record(0));
        assert_eq!(repr.shape(option_int), Shape::Boxed);
        assert_eq!((repr.shape(t), repr.shape(u)), (Shape::Boxed, Shape::Boxed));
        assert_eq!(repr.shape(v), Shape::Newtype(ty_t));
        assert_eq!(repr.elem(ty_nt), Elem::I64);
        // Two constructors of a thread cannot be told apart, and one of an option needs no tag.
        let thread = types.intern(TyData::Scalar(Scalar::Thread));
        let first = datatype(&mut types, &[&[], &[thread], &[int]]);
        let second = datatype(&mut types, &[&[int], &[thread], &[thread]]);
        let option = datatype(&mut types, &[&[], &[thread]]);
        let repr = Repr::new(&types);
        assert_eq!(repr.con(first, 1), ConRepr::Thread(THREAD_TAG));
        assert_eq!(repr.con(first, 2), ConRepr::Record(1));
        assert_eq!(repr.con(second, 1), ConRepr::Record(1));
        assert_eq!((repr.con(option, 1), repr.thread(option)), (ConRepr::Transparent, None));
        let layout = repr.layout(&[string, int, real, string]);
        assert_eq!((layout.words.as_slice(), layout.raws), ([2, 0, 1, 3].as_slice(), 2));
    }
}
