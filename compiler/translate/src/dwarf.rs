//! Source places -> DWARF: one compile unit with a line program and one entry for each function, so that gdb, perf and
//! valgrind show SML names and lines.

use gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, RelocateWriter, Sections};
use gimli::{Encoding, Format, LineEncoding, LittleEndian};
use leat_ssa::ir::Program;
use object::write::{Object, Relocation, SymbolId};
use object::{RelocationFlags, SectionKind};

use crate::elf::absolute;
use crate::image::Image;
use crate::options::Error;

/// A section under construction.
#[derive(Clone)]
struct Section {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<gimli::write::Relocation>,
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

/// Adds the debug sections; `text` is the symbol of the section that holds the image's text.
pub(crate) fn write(program: &Program, image: &Image, object: &mut Object<'_>, text: SymbolId) -> Result<(), Error> {
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 8 };
    let mut dwarf = DwarfUnit::new(encoding);
    let here = std::env::current_dir().map(|d| d.to_string_lossy().into_owned()).unwrap_or_default();
    let here = clean(&here);
    let name = clean(program.files.iter().find(|f| !f.is_empty()).map_or("", |s| s));

    let mut lines = LineProgram::new(
        encoding,
        LineEncoding::default(),
        LineString::String(here.clone().into_bytes()),
        None,
        LineString::String(name.clone().into_bytes()),
        None,
    );
    let directory = lines.default_directory();
    let files: Vec<_> = program
        .files
        .iter()
        .map(|f| lines.add_file(LineString::String(clean(f).into_bytes()), directory, None))
        .collect();
    let at = |offset: u64| Address::Symbol { symbol: 0, addend: offset as i64 };
    if !image.lines.is_empty() {
        lines.begin_sequence(Some(at(0)));
        let mut last = None;
        for &(offset, loc) in &image.lines {
            if last.replace((loc.file, loc.line)) == Some((loc.file, loc.line)) {
                continue;
            }
            let row = lines.row();
            row.address_offset = offset as u64;
            row.line = loc.line as u64;
            if let Some(&file) = files.get(loc.file as usize) {
                row.file = file;
            }
            lines.generate_row();
        }
        lines.end_sequence(image.text.len() as u64);
    }
    dwarf.unit.line_program = lines;

    let root = dwarf.unit.root();
    let unit = dwarf.unit.get_mut(root);
    unit.set(gimli::DW_AT_producer, AttributeValue::String(b"leat".to_vec()));
    unit.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_C99));
    unit.set(gimli::DW_AT_name, AttributeValue::String(name.into_bytes()));
    unit.set(gimli::DW_AT_comp_dir, AttributeValue::String(here.into_bytes()));
    unit.set(gimli::DW_AT_low_pc, AttributeValue::Address(at(0)));
    unit.set(gimli::DW_AT_high_pc, AttributeValue::Udata(image.text.len() as u64));
    for (f, &(start, bytes)) in program.funcs.iter().zip(&image.funcs) {
        let id = dwarf.unit.add(root, gimli::DW_TAG_subprogram);
        let entry = dwarf.unit.get_mut(id);
        entry.set(gimli::DW_AT_name, AttributeValue::String(clean(&f.name).into_bytes()));
        entry.set(gimli::DW_AT_low_pc, AttributeValue::Address(at(start as u64)));
        entry.set(gimli::DW_AT_high_pc, AttributeValue::Udata(bytes as u64));
        if let (Some(&file), true) = (files.get(f.loc.file as usize), f.loc.line > 0) {
            entry.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(Some(file)));
            entry.set(gimli::DW_AT_decl_line, AttributeValue::Udata(f.loc.line as u64));
        }
    }

    let section = Section { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() };
    let mut sections = Sections::new(section);
    dwarf.write(&mut sections).map_err(|e| Error(e.to_string()))?;
    add(object, &sections, text)
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

/// A name that a debugger can take: not empty, no zero byte.
fn clean(name: &str) -> String {
    if name.is_empty() { "?".into() } else { name.replace('\0', "?") }
}
