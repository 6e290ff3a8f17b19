//! Source places -> DWARF: a compile unit for each source file, with a line program, an entry for each function and for
//! what was inlined into it, and the rules by which a stack is unwound; so that gdb, perf and valgrind show SML names
//! and lines.
//!
//! ```text
//! .debug_info   unit fib.sml: [fib: lines of its own file, inlined: [Int.<: called at line 1] ..]   unit list.sml: ..
//! .eh_frame     push rbp (CFA = rsp + 16) | mov rbp, rsp (CFA = rbp + 16) | pop rbp (CFA = rsp + 8)
//! ```

use gimli::write::{
    Address, AttributeValue, CallFrameInstruction, CommonInformationEntry, DebugFrame, Dwarf, EhFrame, EndianVec,
    Expression, FileId, FrameDescriptionEntry, FrameTable, LineProgram, LineString, Range, RangeList, RelocateWriter,
    Sections, Unit, UnitEntryId, UnitId,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, X86_64};
use leat_ssa::ir::{Function, Loc, Program};
use object::write::{Object, Relocation, SymbolId};
use object::{RelocationFlags, SectionFlags, SectionKind, elf};
use rustc_hash::FxHashMap;

use crate::image::Image;
use crate::options::Error;
use crate::places::charged;
use crate::reloc::absolute;

/// A section under construction.
#[derive(Clone)]
struct Section {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<gimli::write::Relocation>,
}

impl Section {
    fn new() -> Section {
        Section { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() }
    }
}

impl RelocateWriter for Section {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: gimli::write::Relocation) {
        self.relocations.push(relocation);
    }
}

const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };

/// Where the text stands: in a section of the object, or at this address.
#[derive(Clone, Copy)]
enum Place {
    Section,
    Memory(u64),
}

impl Place {
    /// An address in the text.
    fn at(self, offset: u32) -> Address {
        match self {
            Place::Section => Address::Symbol { symbol: 0, addend: i64::from(offset) },
            Place::Memory(base) => Address::Constant(base + u64::from(offset)),
        }
    }
}

/// Adds the debug sections; `text` is the symbol of the section that holds the image's text.
pub(crate) fn write(program: &Program, image: &Image, object: &mut Object<'_>, text: SymbolId) -> Result<(), Error> {
    let sections = sections(program, image, Place::Section)?;
    add(object, &sections, text)?;
    unwinding(image, object, text)
}

/// The same of code that has its place in memory already, for a debugger: nothing is left to relocate.
pub(crate) fn write_in_memory(
    program: &Program,
    image: &Image,
    object: &mut Object<'_>,
    base: u64,
) -> Result<(), Error> {
    sections(program, image, Place::Memory(base))?.for_each(|id, section| {
        let mut bytes = section.bytes.slice().to_vec();
        // All that is left are places in other sections, each of which stands alone.
        for r in &section.relocations {
            let size = usize::from(r.size);
            bytes[r.offset..r.offset + size].copy_from_slice(&r.addend.to_le_bytes()[..size]);
        }
        if !bytes.is_empty() {
            let new = object.add_section(Vec::new(), id.name().into(), SectionKind::Debug);
            object.set_section_data(new, bytes, 1);
        }
        Ok::<(), Error>(())
    })?;
    if let Some(frames) = frames(image, Place::Memory(base))? {
        let section = object.add_section(Vec::new(), b".debug_frame".to_vec(), SectionKind::Debug);
        object.set_section_data(section, frames.bytes.into_vec(), 8);
    }
    Ok(())
}

fn sections(program: &Program, image: &Image, place: Place) -> Result<Sections<Section>, Error> {
    let mut units = Units {
        program,
        place,
        here: std::env::current_dir().map(|d| d.to_string_lossy().into_owned()).unwrap_or_default(),
        entered: entered(program),
        dwarf: Dwarf::new(),
        units: FxHashMap::default(),
    };
    // Rows of a function stand together, and each function's behind those of the one before.
    let mut next = 0;
    for ((f, &(start, bytes)), &home) in program.funcs.iter().zip(&image.funcs).zip(&image.homes) {
        let rows = image.lines[next..].partition_point(|&(offset, _)| offset < start + bytes);
        let lines = &image.lines[next..next + rows];
        next += rows;
        if bytes > 0 {
            units.function(f, home, start, bytes, lines);
        }
    }
    units.finish();
    let mut sections = Sections::new(Section::new());
    units.dwarf.write(&mut sections).map_err(|e| Error(e.to_string()))?;
    Ok(sections)
}

/// How many inlined calls, one in the other, have entries. Without a limit n calls of which each is in the one before
/// would have n times n ranges: n functions that call each other at their ends are such a chain.
const DEEPEST: u32 = 32;

/// For each inlined call, by its number: itself, or where that is too deep, the innermost call around it that is not.
fn entered(program: &Program) -> Vec<u32> {
    // Each with its depth; number 0 is no call, and a call's number is above that of the call around it.
    let mut calls: Vec<(u32, u32)> = vec![(0, 0)];
    for (number, inlined) in (1..).zip(&program.inlined) {
        let (around, depth) = calls[inlined.call.at as usize];
        calls.push(if depth < DEEPEST { (number, depth + 1) } else { (around, depth) });
    }
    calls.into_iter().map(|(call, _)| call).collect()
}

/// The units under construction, by the file that each is of.
struct Units<'a> {
    program: &'a Program,
    place: Place,
    here: String,
    /// By the number of an inlined call, the call that its code is entered for.
    entered: Vec<u32>,
    dwarf: Dwarf,
    units: FxHashMap<u16, Made>,
}

/// A unit, the files that it speaks of, the functions that were inlined into its own, and its ranges of code.
struct Made {
    id: UnitId,
    files: FxHashMap<u16, FileId>,
    inlined: FxHashMap<String, UnitEntryId>,
    ranges: Vec<Range>,
}

impl Units<'_> {
    fn file_name(&self, file: u16) -> String {
        clean(self.program.files.get(file as usize).map_or("", |name| name))
    }

    fn unit(&mut self, file: u16) -> Made {
        if let Some(made) = self.units.remove(&file) {
            return made;
        }
        let name = self.file_name(file);
        let string = |text: &str| LineString::String(text.as_bytes().to_vec());
        let lines =
            LineProgram::new(ENCODING, LineEncoding::default(), string(&clean(&self.here)), None, string(&name), None);
        let id = self.dwarf.units.add(Unit::new(ENCODING, lines));
        let unit = self.dwarf.units.get_mut(id);
        let root = unit.root();
        let entry = unit.get_mut(root);
        entry.set(gimli::DW_AT_producer, AttributeValue::String(b"leat".to_vec()));
        entry.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_C99));
        entry.set(gimli::DW_AT_name, AttributeValue::String(name.into_bytes()));
        entry.set(gimli::DW_AT_comp_dir, AttributeValue::String(clean(&self.here).into_bytes()));
        // What the ranges are relative to.
        entry.set(gimli::DW_AT_low_pc, AttributeValue::Address(self.place.at(0)));
        Made { id, files: FxHashMap::default(), inlined: FxHashMap::default(), ranges: Vec::new() }
    }

    /// The number of a file in a unit's line program.
    fn file(&mut self, made: &mut Made, file: u16) -> FileId {
        if let Some(&id) = made.files.get(&file) {
            return id;
        }
        let name = self.file_name(file);
        let lines = &mut self.dwarf.units.get_mut(made.id).line_program;
        let directory = lines.default_directory();
        let id = lines.add_file(LineString::String(name.into_bytes()), directory, None);
        made.files.insert(file, id);
        id
    }

    /// Enters a function and the rows of its lines, which begin with its first byte.
    fn function(&mut self, f: &Function, home: Loc, start: u32, bytes: u32, lines: &[(u32, Loc)]) {
        let mut made = self.unit(home.file);
        let file = self.file(&mut made, home.file);
        let rows: Vec<(u32, FileId, u32)> = lines
            .iter()
            .map(|&(offset, loc)| {
                let (file, line) = charged(self.program, f, home, loc);
                (offset, self.file(&mut made, file), line)
            })
            .collect();
        let program = &mut self.dwarf.units.get_mut(made.id).line_program;
        program.begin_sequence(Some(self.place.at(start)));
        let mut last = None;
        for (offset, file, line) in rows {
            if last.replace((file, line)) != Some((file, line)) {
                let row = program.row();
                row.address_offset = u64::from(offset - start);
                (row.file, row.line) = (file, u64::from(line));
                program.generate_row();
            }
        }
        program.end_sequence(u64::from(bytes));
        made.ranges.push(Range::OffsetPair { begin: u64::from(start), end: u64::from(start + bytes) });

        let unit = self.dwarf.units.get_mut(made.id);
        let root = unit.root();
        let id = unit.add(root, gimli::DW_TAG_subprogram);
        let entry = unit.get_mut(id);
        entry.set(gimli::DW_AT_name, AttributeValue::String(clean(&f.name).into_bytes()));
        entry.set(gimli::DW_AT_low_pc, AttributeValue::Address(self.place.at(start)));
        entry.set(gimli::DW_AT_high_pc, AttributeValue::Udata(u64::from(bytes)));
        let mut frame = Expression::new();
        frame.op(gimli::DW_OP_call_frame_cfa);
        entry.set(gimli::DW_AT_frame_base, AttributeValue::Exprloc(frame));
        if home.line > 0 {
            entry.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(Some(file)));
            entry.set(gimli::DW_AT_decl_line, AttributeValue::Udata(u64::from(home.line)));
        }
        self.inlined(&mut made, id, start, bytes, lines);
        self.units.insert(home.file, made);
    }

    /// Enters what was inlined into a function: each call that is not too deep with the ranges of its code, those of
    /// the calls in it included.
    fn inlined(&mut self, made: &mut Made, function: UnitEntryId, start: u32, bytes: u32, lines: &[(u32, Loc)]) {
        let ranges = self.ranges_of_calls(start + bytes, lines);
        // A call's number is above that of the call around it.
        let mut order: Vec<u32> = ranges.keys().copied().collect();
        order.sort_unstable();
        let mut entries: FxHashMap<u32, UnitEntryId> = FxHashMap::default();
        for at_call in order {
            let inlined = self.program.inlined[at_call as usize - 1];
            let around = entries.get(&inlined.call.at).copied().unwrap_or(function);
            let origin = self.origin(made, inlined.name.as_str());
            let file = (inlined.call.line > 0).then(|| self.file(made, inlined.call.file));
            let unit = self.dwarf.units.get_mut(made.id);
            let pairs = ranges[&at_call].iter();
            let list =
                pairs.map(|&(from, to)| Range::OffsetPair { begin: u64::from(from), end: u64::from(to) }).collect();
            let list = unit.ranges.add(RangeList(list));
            let id = unit.add(around, gimli::DW_TAG_inlined_subroutine);
            let entry = unit.get_mut(id);
            entry.set(gimli::DW_AT_abstract_origin, AttributeValue::UnitRef(origin));
            entry.set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(list));
            if let Some(file) = file {
                entry.set(gimli::DW_AT_call_file, AttributeValue::FileIndex(Some(file)));
                entry.set(gimli::DW_AT_call_line, AttributeValue::Udata(u64::from(inlined.call.line)));
            }
            entries.insert(at_call, id);
        }
    }

    /// The code of each inlined call that is entered, those of the calls in it included, up to `end`. From one row to
    /// the next only those calls are looked at that end there or begin.
    fn ranges_of_calls(&self, end: u32, lines: &[(u32, Loc)]) -> FxHashMap<u32, Vec<(u32, u32)>> {
        let around = |at: u32| self.program.inlined[at as usize - 1].call.at;
        let mut ranges: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        let ends = lines.iter().skip(1).map(|line| line.0).chain([end]);
        let rows = lines.iter().zip(ends).filter(|(line, to)| line.0 < *to);
        let rows = rows.map(|(line, _)| (line.0, self.entered[line.1.at as usize]));
        let mut last = 0;
        // Behind the last row nothing goes on.
        for (from, at) in rows.chain([(end, 0)]) {
            // The calls around both have the same numbers, and of the others the innermost has the greatest.
            let (mut ended, mut begun) = (last, at);
            while ended != begun {
                if ended > begun {
                    ranges.get_mut(&ended).and_then(|known| known.last_mut()).expect("it has begun").1 = from;
                    ended = around(ended);
                } else {
                    ranges.entry(begun).or_default().push((from, from));
                    begun = around(begun);
                }
            }
            last = at;
        }
        ranges
    }

    /// The entry of a function that was inlined, wherever.
    fn origin(&mut self, made: &mut Made, name: &str) -> UnitEntryId {
        if let Some(&id) = made.inlined.get(name) {
            return id;
        }
        let unit = self.dwarf.units.get_mut(made.id);
        let root = unit.root();
        let id = unit.add(root, gimli::DW_TAG_subprogram);
        let entry = unit.get_mut(id);
        entry.set(gimli::DW_AT_name, AttributeValue::String(clean(name).into_bytes()));
        entry.set(gimli::DW_AT_inline, AttributeValue::Inline(gimli::DW_INL_inlined));
        made.inlined.insert(name.to_string(), id);
        id
    }

    fn finish(&mut self) {
        for made in self.units.values_mut() {
            let unit = self.dwarf.units.get_mut(made.id);
            let list = unit.ranges.add(RangeList(std::mem::take(&mut made.ranges)));
            let root = unit.root();
            unit.get_mut(root).set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(list));
        }
    }
}

fn add(object: &mut Object<'_>, sections: &Sections<Section>, text: SymbolId) -> Result<(), Error> {
    let mut ids = Vec::new();
    sections.for_each(|id, section| {
        if !section.bytes.slice().is_empty() {
            let new = object.add_section(Vec::new(), id.name().into(), SectionKind::Debug);
            object.set_section_data(new, section.bytes.slice().to_vec(), 1);
            ids.push((id, new));
        }
        Ok::<(), Error>(())
    })?;
    sections.for_each(|id, section| {
        for r in &section.relocations {
            let find = |wanted| ids.iter().find(|&&(id, _)| id == wanted).map(|&(_, new)| new);
            let symbol = match r.target {
                gimli::write::RelocationTarget::Symbol(_) => text,
                gimli::write::RelocationTarget::Section(wanted) => match find(wanted) {
                    Some(new) => object.section_symbol(new),
                    None => continue,
                },
            };
            let Some(place) = find(id) else { continue };
            let flags = RelocationFlags::Elf { r_type: absolute(r.size) };
            let relocation = Relocation { offset: r.offset as u64, symbol, addend: r.addend, flags };
            object.add_relocation(place, relocation).map_err(|e| Error(e.to_string()))?;
        }
        Ok(())
    })
}

/// How each function's frame is unwound, at every instruction: each begins with `push rbp; mov rbp, rsp`, and gives
/// both back before it returns or calls another in its place. Of aarch64 nothing is said; debuggers guess.
fn frames(image: &Image, place: Place) -> Result<Option<Section>, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Ok(None);
    }
    let (fp, sp) = (X86_64::RBP, X86_64::RSP);
    let in_section = matches!(place, Place::Section);
    let mut table = FrameTable::default();
    // What the format of `.eh_frame` is called.
    let version = if in_section { 1 } else { 4 };
    let mut common = CommonInformationEntry::new(Encoding { version, ..ENCODING }, 1, -8, X86_64::RA);
    if in_section {
        common.fde_address_encoding = gimli::DwEhPe(gimli::DW_EH_PE_pcrel.0 | gimli::DW_EH_PE_sdata4.0);
    }
    common.add_instruction(CallFrameInstruction::Cfa(sp, 8));
    common.add_instruction(CallFrameInstruction::Offset(X86_64::RA, -8));
    let common = table.add_cie(common);
    for &(start, bytes) in &image.funcs {
        let code = &image.text[start as usize..(start + bytes) as usize];
        if !code.starts_with(PROLOGUE) {
            continue;
        }
        let mut entry = FrameDescriptionEntry::new(place.at(start), bytes);
        entry.add_instruction(1, CallFrameInstruction::CfaOffset(16));
        entry.add_instruction(1, CallFrameInstruction::Offset(fp, -16));
        entry.add_instruction(4, CallFrameInstruction::CfaRegister(fp));
        for (from, to) in epilogues(code) {
            entry.add_instruction(from, CallFrameInstruction::RememberState);
            entry.add_instruction(from, CallFrameInstruction::Cfa(sp, 8));
            entry.add_instruction(from, CallFrameInstruction::Restore(fp));
            entry.add_instruction(to, CallFrameInstruction::RestoreState);
        }
        table.add_fde(common, entry);
    }
    if in_section {
        let mut frames = EhFrame::from(Section::new());
        table.write_eh_frame(&mut frames).map_err(|e| Error(e.to_string()))?;
        Ok(Some(frames.0))
    } else {
        let mut frames = DebugFrame::from(Section::new());
        table.write_debug_frame(&mut frames).map_err(|e| Error(e.to_string()))?;
        Ok(Some(frames.0))
    }
}

fn unwinding(image: &Image, object: &mut Object<'_>, text: SymbolId) -> Result<(), Error> {
    let Some(Section { bytes, relocations }) = frames(image, Place::Section)? else { return Ok(()) };
    let section = object.add_section(Vec::new(), b".eh_frame".to_vec(), SectionKind::ReadOnlyData);
    object.section_mut(section).flags = SectionFlags::Elf { sh_flags: u64::from(elf::SHF_ALLOC) };
    object.set_section_data(section, bytes.into_vec(), 8);
    for r in relocations {
        let flags = RelocationFlags::Elf { r_type: elf::R_X86_64_PC32 };
        let relocation = Relocation { offset: r.offset as u64, symbol: text, addend: r.addend, flags };
        object.add_relocation(section, relocation).map_err(|e| Error(e.to_string()))?;
    }
    Ok(())
}

/// `push rbp; mov rbp, rsp`.
const PROLOGUE: &[u8] = &[0x55, 0x48, 0x89, 0xe5];
/// `mov rsp, rbp; pop rbp`.
const EPILOGUE: &[u8] = &[0x48, 0x89, 0xec, 0x5d];

/// Offsets behind each `pop rbp` of a function's code, and behind the return or jump that follows.
fn epilogues(code: &[u8]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(i) = code[from..].windows(4).position(|bytes| bytes == EPILOGUE) {
        from += i + 4;
        let bytes = match &code[from..] {
            // ret; ret n; jmp to an offset; jmp to a register, of the new ones with a prefix
            [0xc3, ..] => 1,
            [0xc2, ..] => 3,
            [0xe9, ..] => 5,
            [0xff, 0xe0..=0xe7, ..] => 2,
            [0x41, 0xff, 0xe0..=0xe7, ..] => 3,
            _ => continue,
        };
        if from + bytes < code.len() {
            found.push((from as u32, (from + bytes) as u32));
        } else {
            found.push((from as u32, code.len() as u32));
        }
    }
    found
}

/// A name that a debugger can take: not empty, no zero byte.
fn clean(name: &str) -> String {
    if name.is_empty() { "?".into() } else { name.replace('\0', "?") }
}
