//! Watched programs: each load and store of a reference or an array that other threads may see is announced to the runtime.
//!
//! The translation from Mono puts a call of `access` before each (`prims.rs`), so no pass moves, merges or drops one.
//! `opt/localref` drops those of objects that became values: nobody else sees these. What the runtime does with an access is
//! its own matter: a place where another thread may go on (`--explore`, `--sched-seed`).
//!
//! Announced is what the program does, by itself or by way of the library's functions on arrays. What the library keeps for
//! itself (buffers, queues of channels, locks) is not: its protocols count on safepoints, and have tests of their own.

use crate::ir::{Inlined, Loc};

/// Whose loads and stores a source file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// The program, or a library of which any program could have a copy.
    Program,
    /// The library on behalf of its caller, in whose objects they are.
    Caller,
    /// The library, in objects of its own.
    Library,
}

/// Where the names of the library's files begin.
const LIBRARY: &str = "$(SML_LIB)/";
/// The folders of the library that the running system consists of.
const SYSTEM: &[&str] = &["basis/", "cml/", "cm/", "smlnj/", "mlton/"];
/// The files with the operations on references and arrays.
const OPERATIONS: &[&str] =
    &["general", "array", "slice", "mono", "mono-char", "mono-more", "array2", "byte", "pack", "list"];

fn owner(file: &str) -> Owner {
    let Some(rest) = file.strip_prefix(LIBRARY) else { return Owner::Program };
    if !SYSTEM.iter().any(|folder| rest.starts_with(folder)) {
        return Owner::Program;
    }
    let name = rest.strip_prefix("basis/").and_then(|name| name.strip_suffix(".sml"));
    if name.is_some_and(|name| OPERATIONS.contains(&name)) { Owner::Caller } else { Owner::Library }
}

/// The owners of a program's files, by their numbers.
#[derive(Default)]
pub struct Owners(Vec<Owner>);

impl Owners {
    pub fn new(files: &[String]) -> Owners {
        Owners(files.iter().map(|file| owner(file)).collect())
    }

    /// Whether an access at a place is announced: the place of the innermost call that is not the library's on behalf of
    /// another decides. A function of the library that was not inlined stands for all its callers.
    pub fn announces(&self, mut loc: Loc, inlined: &[Inlined]) -> bool {
        loop {
            match (self.0.get(loc.file as usize), loc.at) {
                (Some(Owner::Library), _) => return false,
                (Some(Owner::Caller), 1..) => loc = inlined[loc.at as usize - 1].call,
                _ => return true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_decides() {
        let files =
            ["a.sml", "$(SML_LIB)/basis/array.sml", "$(SML_LIB)/cml/channel.sml", "$(SML_LIB)/smlnj-lib/Util/x.sml"];
        let owners = Owners::new(&files.map(String::from));
        let at = |file, at| Loc { file, line: 1, at };
        let name = leat_base::Symbol::intern("f");
        let inlined = [at(0, 0), at(2, 0), at(1, 2)].map(|call| Inlined { name, call });
        let found = [at(0, 0), at(1, 0), at(2, 0), at(3, 0), at(1, 1), at(1, 2), at(1, 3), at(0, 2)]
            .map(|loc| owners.announces(loc, &inlined));
        assert_eq!(found, [true, true, false, true, true, false, false, true]);
    }
}
