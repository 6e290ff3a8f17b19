//! Source places of machine code -> the one that a debugger or profiler shows which knows one place for each
//! instruction.
//!
//! Code of a function of the program is charged to the function's own file: what was inlined from elsewhere (of the
//! library, most of all) to the line where the program called it. Code of a function of the library that the program's
//! code was inlined into (`fn i => i * i` in `List.tabulate`) is charged to the program's line. The full chain of what
//! was inlined stands beside it, in the inlining entries of the debug information and in the runtime's tables.

use leat_ssa::ir::{Function, Loc, Program};

/// What stands before the names of the library's files.
const LIBRARY: &str = "$(SML_LIB)/";

/// Whether a file is the program's.
fn is_own(program: &Program, file: u16) -> bool {
    program.files.get(file as usize).is_some_and(|name| !name.starts_with(LIBRARY))
}

/// The places of a chain: the innermost, then that of each call around it.
fn chain(program: &Program, loc: Loc) -> impl Iterator<Item = Loc> {
    let around = |loc: &Loc| match loc.at {
        0 => None,
        at => Some(program.inlined[at as usize - 1].call),
    };
    std::iter::successors(Some(loc), around).filter(|loc| loc.line != 0)
}

/// Where a function stands: where it is declared. The main function is declared nowhere: where its first code of the
/// program comes from.
pub(crate) fn home(program: &Program, f: &Function, lines: &[(u32, Loc)]) -> Loc {
    if f.loc.line != 0 {
        return Loc { at: 0, ..f.loc };
    }
    let outermost = |&(_, loc): &(u32, Loc)| chain(program, loc).last();
    let own = lines.iter().filter_map(outermost).find(|loc| is_own(program, loc.file));
    let loc = own.or_else(|| lines.iter().find_map(outermost)).unwrap_or(f.loc);
    Loc { at: 0, ..loc }
}

/// The file and line that an instruction of a function is charged to.
pub(crate) fn charged(program: &Program, f: &Function, home: Loc, loc: Loc) -> (u16, u32) {
    let declared = f.loc.line != 0;
    let own = |loc: &Loc| is_own(program, loc.file);
    let found = match declared && own(&home) {
        true => chain(program, loc).find(|place| place.file == home.file),
        false => chain(program, loc).find(own).or_else(|| chain(program, loc).find(|place| place.file == home.file)),
    };
    let place = found.unwrap_or(home);
    (place.file, place.line)
}
