//! Watched programs: each load and store of a reference or an array that other threads may see is announced to the
//! runtime.
//!
//! The translation from Mono puts a call of `access` before each (`prims.rs`), so no pass moves, merges or drops one.
//! `opt/localref` drops those of objects that became values: nobody else sees these. What the runtime does with an
//! access is its own matter: a place where another thread may go on (`--explore`, `--sched-seed`), or one more access
//! to compare (`--race`).
//!
//! Announced is what the program does, by itself or by way of the library's functions on arrays. What the library keeps
//! for itself (buffers, queues of channels, locks) is no point where threads switch and nothing that they race for: its
//! protocols count on safepoints, and have tests of their own. But Concurrent ML orders threads by what it keeps: where
//! races are looked for, a load of its variables is announced as an acquisition, a store as a release.
//!
//! Vectors are nobody's to race for: what the library stores into one, it stores before anybody else has it. So nothing
//! of them is announced, nor the library's stores into new arrays.

use crate::ir::{Inlined, Loc};
use leat_mono::ir::Watch;

/// Whose loads and stores a source file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// The program, or a library of which any program could have a copy.
    Program,
    /// The library on behalf of its caller, in whose objects they are.
    Caller,
    /// The library: loads of elements are its caller's, stores are into arrays that nobody else has yet.
    Maker,
    /// Concurrent ML, in objects of its own, by which it orders threads. In some files those with numbers do not: they
    /// are locks, whose objects do, and priorities and turns, of which the last are everybody's.
    Threads { by_numbers: bool },
    /// The rest of the library, in objects of its own.
    Library,
}

/// What an access is for the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Announced {
    Access,
    Order,
}

/// What is loaded or stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accessed {
    /// The content of a reference.
    Content { is_number: bool },
    /// Elements of an array.
    Elements { is_store: bool },
}

/// Where the names of the library's files begin.
pub const LIBRARY: &str = "$(SML_LIB)/";
/// The folders of the library that the running system consists of.
const SYSTEM: &[&str] = &["prim/", "basis/", "cml/", "cm/", "smlnj/", "mlton/"];
/// The folder where primitives are declared: a use stands for its user.
const PRIMITIVES: &str = "prim/";
/// The files with the operations on references and arrays.
const OPERATIONS: &[&str] = &[
    "basis/general.sml",
    "basis/later.sml",
    "basis/elements.sml",
    "basis/array.sml",
    "basis/slice.sml",
    "basis/mono.sml",
    "basis/mono-char.sml",
    "basis/mono-more.sml",
    "basis/array2.sml",
    "basis/basis-1997.sml",
    "basis/byte.sml",
    "basis/pack.sml",
    "basis/list.sml",
    "smlnj/later.sml",
];
/// The file that makes new arrays.
const MAKER: &str = "basis/vector.sml";

/// Those of Concurrent ML, but for its folder; and the lock of streams, by which readers and writers of the program's
/// own are used.
const THREADS: &[&str] = &["thread", "io-event", "event-manager", "stream-lock"];
/// Those in which numbers order nothing.
const NO_NUMBERS: &[&str] = &[
    "cml/member.sml",
    "cml/transaction.sml",
    "cml/waiting.sml",
    "cml/base-event.sml",
    "cml/condition.sml",
    "cml/sync.sml",
    "cml/channel.sml",
    "cml/timeout.sml",
];

fn owner(file: &str) -> Owner {
    let Some(rest) = file.strip_prefix(LIBRARY) else { return Owner::Program };
    if !SYSTEM.iter().any(|folder| rest.starts_with(folder)) {
        return Owner::Program;
    }
    if rest.starts_with(PRIMITIVES) || OPERATIONS.contains(&rest) {
        return Owner::Caller;
    }
    if rest == MAKER {
        return Owner::Maker;
    }
    let name = rest.strip_prefix("basis/").and_then(|name| name.strip_suffix(".sml"));
    if rest.starts_with("cml/") || name.is_some_and(|name| THREADS.contains(&name)) {
        return Owner::Threads { by_numbers: !NO_NUMBERS.contains(&rest) };
    }
    Owner::Library
}

/// The owners of a program's files, by their numbers.
pub struct Owners {
    files: Vec<Owner>,
    races: bool,
}

impl Owners {
    /// None: nothing is announced.
    pub fn new(files: &[String], watch: Watch) -> Option<Owners> {
        let owners = || Owners { files: files.iter().map(|file| owner(file)).collect(), races: watch == Watch::Races };
        (watch != Watch::Nothing).then(owners)
    }

    /// How an access at a place is announced: the place of the innermost call that is not the library's on behalf of
    /// another decides. A function of the library that was not inlined stands for all its callers.
    pub fn announced(&self, mut loc: Loc, inlined: &[Inlined], accessed: Accessed) -> Option<Announced> {
        loop {
            match (self.files.get(loc.file as usize)?, loc.at) {
                (Owner::Library, _) => return None,
                (Owner::Maker, _) if accessed != (Accessed::Elements { is_store: false }) => return None,
                (Owner::Threads { by_numbers }, _) => {
                    let orders =
                        self.races && matches!(accessed, Accessed::Content { is_number } if *by_numbers || !is_number);
                    return orders.then_some(Announced::Order);
                }
                (Owner::Caller | Owner::Maker, 1..) => loc = inlined[loc.at as usize - 1].call,
                _ => return Some(Announced::Access),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_decides() {
        let files = [
            "a.sml",
            "$(SML_LIB)/basis/array.sml",
            "$(SML_LIB)/cml/channel.sml",
            "$(SML_LIB)/smlnj-lib/Util/x.sml",
            "$(SML_LIB)/prim/refs.sml",
        ];
        let at = |file, at| Loc { file, line: 1, at, ..Loc::default() };
        let name = leat_base::Symbol::intern("f");
        let inlined = [at(0, 0), at(2, 0), at(1, 2), at(1, 1)].map(|call| Inlined { name, line: 0, call });
        let places = [
            at(0, 0),
            at(1, 0),
            at(2, 0),
            at(3, 0),
            at(1, 1),
            at(1, 2),
            at(1, 3),
            at(0, 2),
            at(4, 1),
            at(4, 2),
            at(4, 4),
        ];
        let (access, order) = (Some(Announced::Access), Some(Announced::Order));
        let content = |is_number| Accessed::Content { is_number };
        for (watch, library) in [(Watch::Accesses, None), (Watch::Races, order)] {
            let owners = Owners::new(&files.map(String::from), watch).expect("watched");
            let found = places.map(|loc| owners.announced(loc, &inlined, content(false)));
            assert_eq!(
                found,
                [access, access, library, access, access, library, library, access, access, library, access]
            );
            assert_eq!(owners.announced(at(2, 0), &inlined, content(true)), None);
        }
        assert!(Owners::new(&[], Watch::Nothing).is_none());
    }

    /// `ArraySlice.copy` and `Array.foldl` were not watched: their loops and copies stood in the file of vectors, which
    /// counted as one that has only objects of its own.
    #[test]
    fn a_new_array_is_no_point_where_threads_meet() {
        let files = ["a.sml", "$(SML_LIB)/basis/vector.sml", "$(SML_LIB)/basis/text-io.sml"];
        let at = |file, at| Loc { file, line: 1, at, ..Loc::default() };
        let name = leat_base::Symbol::intern("f");
        let inlined = [at(0, 0), at(2, 0)].map(|call| Inlined { name, line: 0, call });
        let owners = Owners::new(&files.map(String::from), Watch::Races).expect("watched");
        let announced = |loc, accessed| owners.announced(loc, &inlined, accessed);
        let [load, store] = [false, true].map(|is_store| Accessed::Elements { is_store });
        let access = Some(Announced::Access);
        assert_eq!([at(1, 0), at(1, 1), at(1, 2)].map(|loc| announced(loc, load)), [access, access, None]);
        assert_eq!([at(1, 0), at(1, 1), at(1, 2)].map(|loc| announced(loc, store)), [None; 3]);
        assert_eq!(announced(at(1, 1), Accessed::Content { is_number: false }), None);
        assert_eq!(announced(at(0, 0), store), access);
    }
}
