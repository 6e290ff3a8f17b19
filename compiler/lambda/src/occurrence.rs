//! Places in the value that a match looks at, and what a test of one can find.

use crate::ir::*;
use leat_base::Symbol;
use leat_elab::Tables;
use leat_elab::ir::{PrimTy, TyData, TyNameDef};
use rustc_hash::FxHashMap;
use std::rc::Rc;

leat_base::entity!(
    /// A place in the scrutinee: the root, or part of another.
    Occ, "o");

/// The whole value.
pub(crate) const ROOT: Occ = Occ(0);

/// How a part is got from its whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    ConArg(u32),
    ExnArg(ExnRef),
    Field(u32),
    Content,
    /// Of a vector of this length, this element.
    Elem(u32, u32),
}

pub(crate) struct OccInfo {
    pub parent: Option<(Occ, Step)>,
    pub ty: Ty,
    /// A variable of the patterns that stands there, for names in dumps.
    pub name: Symbol,
}

/// The parts that have a number, each by its whole.
pub(crate) type Parts = FxHashMap<(Occ, Step), Occ>;

/// What a test finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Head<'p> {
    Con(TyName, u32),
    Int(i64),
    Str(&'p [u8]),
    Exn(ExnRef),
    /// Length of a vector.
    Len(u32),
}

/// What a test on the way found.
#[derive(Clone, Debug)]
pub(crate) enum Decision<'p> {
    Is(Head<'p>),
    Not(Rc<[Head<'p>]>),
}

/// What the numbers of a pattern are, as many bits wide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Char,
    Int(u32),
    Word(u32),
}

pub(crate) fn numbers(tables: &Tables, ty: Ty) -> Option<Numbers> {
    let TyData::Con(name, _) = tables.types[ty] else { return None };
    Some(match tables.tynames[name].def {
        TyNameDef::Prim(prim) => match prim {
            PrimTy::Char => Numbers::Char,
            PrimTy::Int => Numbers::Int(64),
            PrimTy::Int8 => Numbers::Int(8),
            PrimTy::Int16 => Numbers::Int(16),
            PrimTy::Int32 => Numbers::Int(32),
            PrimTy::Word => Numbers::Word(64),
            PrimTy::Word8 => Numbers::Word(8),
            PrimTy::Word16 => Numbers::Word(16),
            PrimTy::Word32 => Numbers::Word(32),
            _ => return None,
        },
        // Of 5 bits, say: a type that the library makes.
        TyNameDef::Abstract { .. } => {
            let sized = tables.modules.overloaded.iter().find(|o| o.name == name)?;
            let (signed, bits) = sized.size?;
            if signed { Numbers::Int(bits) } else { Numbers::Word(bits) }
        }
        _ => return None,
    })
}
