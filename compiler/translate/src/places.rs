//! Source places of machine code -> the one that a debugger or profiler shows which knows one place for each
//! instruction.
//!
//! Code of a function of the program is charged to the function's own file: what was inlined from elsewhere (of the
//! library, most of all) to the line where the program called it. Code of a function of the library that the program's
//! code was inlined into (`fn i => i * i` in `List.tabulate`) is charged to the program's line. The full chain of what
//! was inlined stands beside it, in the inlining entries of the debug information and in the runtime's tables.

use cranelift_codegen::CompiledCode;
use leat_ssa::ir::{Function, Loc, Program};

/// Where source places begin in a function's machine code, ascending; `locs`: those that its instructions name.
///
/// Code without a place of its own (a move between registers) belongs to what stands before it in its block; at the
/// start of a block, to what follows in it. A block that has no place at all is an edge, with its moves and its jump,
/// and belongs to where it leads: by address the way back of a loop may stand behind all that comes after the loop. The
/// prologue has no place.
pub(crate) fn starts(compiled: &CompiledCode, locs: &[Loc]) -> Vec<(u32, Loc)> {
    let known = compiled.buffer.get_srclocs_sorted().iter().filter_map(|place| {
        let loc = locs.get(place.loc.bits() as usize)?;
        Some((place.start, Loc { copy: 0, ..*loc }))
    });
    let known: Vec<(u32, Loc)> = known.collect();
    let blocks = &compiled.bb_starts;
    // By block: its places are those from here up to the next block's.
    let begins: Vec<usize> = blocks.iter().map(|&at| known.partition_point(|&(start, _)| start < at)).collect();
    let inside = |i: usize| &known[begins[i]..begins.get(i + 1).copied().unwrap_or(known.len())];
    let leads_to = |i: usize| {
        let end = *blocks.get(i + 1)?;
        match jump(&compiled.buffer.data()[blocks[i] as usize..end as usize]) {
            Some(by) => blocks.binary_search(&end.wrapping_add_signed(by)).ok(),
            None => Some(i + 1),
        }
    };
    let mut starts = Vec::with_capacity(known.len() + blocks.len());
    starts.extend_from_slice(&known[..begins.get(1).copied().unwrap_or(known.len())]);
    for (i, &at) in blocks.iter().enumerate().skip(1) {
        // An edge may lead to another one.
        let way = std::iter::successors(Some(i), |&i| leads_to(i)).take(4);
        let first = way.map(inside).find_map(|places| places.first());
        starts.extend(first.map(|&(_, loc)| (at, loc)));
        starts.extend_from_slice(inside(i));
    }
    starts.dedup_by_key(|&mut (_, loc)| loc);
    starts
}

/// How far the jump at the end of some code leads from there, if it ends with one.
fn jump(code: &[u8]) -> Option<i32> {
    if cfg!(target_arch = "x86_64") {
        let &[0xe9, a, b, c, d] = code.last_chunk()? else { return None };
        Some(i32::from_le_bytes([a, b, c, d]))
    } else {
        let word = u32::from_le_bytes(*code.last_chunk()?);
        // From the jump itself, in words.
        (word & 0xfc00_0000 == 0x1400_0000).then(|| ((word << 6).cast_signed() >> 4) - 4)
    }
}

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
