//! A program -> an ELF object: code, table, static data, line tables.
//!
//! ```text
//! .text          all functions in order; cold parts stand inside of their functions; `main`
//! .rodata        the code table's arrays: offsets only, nothing to relocate
//! .data          static objects (the collector may write their headers)
//! .data.rel.ro   the code table's own words, and `leat_program`
//! .bss           global slots
//! ```

use std::mem::{offset_of, size_of};

use cranelift_codegen::binemit::Reloc;
use leat_abi::code::{
    CodeTable, Function as FunctionEntry, Inlined as InlinedEntry, Line, PROGRAM_SYMBOL, PlaceText,
    Program as Exported, Site,
};
use leat_ssa::ir::Program;
use object::write::{Object, Relocation, SectionId, StandardSection, Symbol as ElfSymbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
};
use rustc_hash::FxHashMap;

use crate::calls::extern_symbol;
use crate::compile::{Symbol, compile};
use crate::dwarf;
use crate::image::{Image, layout};
use crate::isa::Machine;
use crate::options::{Error, Options};
use crate::reloc::{absolute, relative};

/// A relocatable object that exports `leat_program` ([`leat_abi::code::Program`]) and needs the runtime's symbols.
pub fn emit_object(program: &Program, options: &Options) -> Result<Vec<u8>, Error> {
    options.check()?;
    let codes = compile(program, options, &Machine::baseline(options))?;
    let image = layout(program, codes, options.align)?;
    Writer::new().finish(program, &image, options)
}

struct Writer {
    object: Object<'static>,
    text: SectionId,
    rodata: SectionId,
    data: SectionId,
    relro: SectionId,
    bss: SectionId,
}

impl Writer {
    fn new() -> Writer {
        let architecture = if cfg!(target_arch = "aarch64") { Architecture::Aarch64 } else { Architecture::X86_64 };
        let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
        let text = object.section_id(StandardSection::Text);
        let rodata = object.section_id(StandardSection::ReadOnlyData);
        let data = object.section_id(StandardSection::Data);
        let relro = object.section_id(StandardSection::ReadOnlyDataWithRel);
        let bss = object.section_id(StandardSection::UninitializedData);
        // Says that no stack need be executable.
        let note = object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
        object.section_mut(note).flags = SectionFlags::Elf { sh_flags: 0 };
        Writer { object, text, rodata, data, relro, bss }
    }

    fn finish(mut self, program: &Program, image: &Image, options: &Options) -> Result<Vec<u8>, Error> {
        self.object.append_section_data(self.text, &image.text, 64);
        self.object.append_section_data(self.data, &image.data, 64);
        // At least one slot, so that the symbol has a place.
        self.object.append_section_bss(self.bss, 8 * program.globals.len().max(1) as u64, 64);
        for (f, &(start, bytes)) in program.funcs.iter().zip(&image.funcs) {
            self.local(&f.name, self.text, start as u64, bytes as u64, SymbolKind::Text);
        }
        self.fill_in_code(program, image)?;
        for &(at, symbol) in &image.data_relocs {
            let (section, offset) = self.place(image, symbol);
            self.word(self.data, at as u64, section, offset)?;
        }
        let exported = self.tables(program, image, options)?;
        self.entry_point(exported)?;
        let text = self.object.section_symbol(self.text);
        dwarf::write(program, image, &mut self.object, text)?;
        self.object.write().map_err(|e| Error(e.to_string()))
    }

    fn fill_in_code(&mut self, program: &Program, image: &Image) -> Result<(), Error> {
        let mut externals: FxHashMap<u32, SymbolId> = FxHashMap::default();
        let mut foreign: FxHashMap<&str, SymbolId> = FxHashMap::default();
        for r in &image.relocs {
            let (symbol, offset, undefined) = match r.symbol {
                Symbol::Extern(index) => {
                    let object = &mut self.object;
                    let id = *externals.entry(index).or_insert_with(|| undefined_symbol(object, &extern_symbol(index)));
                    (id, 0, true)
                }
                Symbol::Foreign(number) => {
                    let name = program.foreign[number as usize].name.as_deref().unwrap_or("");
                    let object = &mut self.object;
                    (*foreign.entry(name).or_insert_with(|| undefined_symbol(object, name)), 0, true)
                }
                other => {
                    let (section, offset) = self.place(image, other);
                    (self.object.section_symbol(section), offset, false)
                }
            };
            let r_type = if r.kind == Reloc::Abs8 { absolute(8) } else { relative(r.kind, undefined)? };
            let flags = RelocationFlags::Elf { r_type };
            let relocation = Relocation { offset: r.offset as u64, symbol, addend: offset as i64 + r.addend, flags };
            self.object.add_relocation(self.text, relocation).map_err(|e| Error(e.to_string()))?;
        }
        Ok(())
    }

    /// Section and offset of what is defined here.
    fn place(&self, image: &Image, symbol: Symbol) -> (SectionId, u64) {
        match symbol {
            Symbol::Func(i) => (self.text, image.funcs[i as usize].0 as u64),
            Symbol::Data(i) => (self.data, image.data_offsets[i as usize] as u64),
            Symbol::Globals => (self.bss, 0),
            Symbol::Extern(_) | Symbol::Foreign(_) => unreachable!("defined elsewhere"),
        }
    }

    /// The symbol of what it exports.
    fn tables(&mut self, program: &Program, image: &Image, options: &Options) -> Result<SymbolId, Error> {
        let sites = self.object.append_section_data(self.rodata, bytes_of(&image.sites), 64);
        let slots = self.object.append_section_data(self.rodata, bytes_of(&image.slots), 8);
        let functions = self.object.append_section_data(self.rodata, bytes_of(&image.functions), 8);
        let global_refs = self.object.append_section_data(self.rodata, bytes_of(&image.global_refs), 8);
        let inlined = self.object.append_section_data(self.rodata, bytes_of(&image.inlined), 8);
        let lines = self.object.append_section_data(self.rodata, bytes_of(&image.places), 8);
        let counts = self.object.append_section_data(self.rodata, bytes_of(&image.counts), 8);
        let made = self.object.append_section_data(self.rodata, bytes_of(&image.made), 8);
        let names = self.object.append_section_data(self.rodata, &image.names, 1);

        let mut table = [0u8; size_of::<CodeTable>()];
        let mut set = |at: usize, value: usize| table[at..at + 8].copy_from_slice(&(value as u64).to_le_bytes());
        set(offset_of!(CodeTable, len), image.text.len());
        set(offset_of!(CodeTable, site_slots), image.sites.len());
        set(offset_of!(CodeTable, slot_count), image.slots.len());
        set(offset_of!(CodeTable, function_count), image.functions.len());
        set(offset_of!(CodeTable, text_len), image.names.len());
        set(offset_of!(CodeTable, global_ref_count), image.global_refs.len());
        set(offset_of!(CodeTable, global_count), program.globals.len());
        set(offset_of!(CodeTable, inlined_count), image.inlined.len());
        set(offset_of!(CodeTable, line_count), image.places.len());
        set(offset_of!(CodeTable, count_words), image.counts.len());
        set(offset_of!(CodeTable, place_count), image.made.len());
        set(offset_of!(CodeTable, places_before), program.places_before as usize);
        let table = self.object.append_section_data(self.relro, &table, 8);
        self.word(self.relro, table + offset_of!(CodeTable, base) as u64, self.text, 0)?;
        self.word(self.relro, table + offset_of!(CodeTable, sites) as u64, self.rodata, sites)?;
        self.word(self.relro, table + offset_of!(CodeTable, slots) as u64, self.rodata, slots)?;
        self.word(self.relro, table + offset_of!(CodeTable, functions) as u64, self.rodata, functions)?;
        self.word(self.relro, table + offset_of!(CodeTable, text) as u64, self.rodata, names)?;
        self.word(self.relro, table + offset_of!(CodeTable, global_refs) as u64, self.rodata, global_refs)?;

        self.word(self.relro, table + offset_of!(CodeTable, inlined) as u64, self.rodata, inlined)?;
        self.word(self.relro, table + offset_of!(CodeTable, lines) as u64, self.rodata, lines)?;
        self.word(self.relro, table + offset_of!(CodeTable, counts) as u64, self.rodata, counts)?;
        self.word(self.relro, table + offset_of!(CodeTable, places) as u64, self.rodata, made)?;

        let mut exported = [0u8; size_of::<Exported>()];
        let align = offset_of!(Exported, align);
        exported[align..align + 8].copy_from_slice(&(options.align as u64).to_le_bytes());
        let length = offset_of!(Exported, options_len);
        exported[length..length + 8].copy_from_slice(&(options.runtime.len() as u64).to_le_bytes());
        // One piece: the options' text lies behind the record.
        let exported = [&exported, options.runtime.as_bytes()].concat();
        let exported = self.object.append_section_data(self.relro, &exported, 8);
        if let Some(main) = program.main {
            let (section, offset) = self.place(image, Symbol::Func(main.0));
            self.word(self.relro, exported + offset_of!(Exported, main) as u64, section, offset)?;
        }
        self.word(self.relro, exported + offset_of!(Exported, table) as u64, self.relro, table)?;
        self.word(self.relro, exported + offset_of!(Exported, globals) as u64, self.bss, 0)?;
        Ok(self.object.add_symbol(ElfSymbol {
            name: PROGRAM_SYMBOL.into(),
            value: exported,
            size: size_of::<Exported>() as u64,
            kind: SymbolKind::Data,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(self.relro),
            flags: SymbolFlags::None,
        }))
    }

    /// `main`: `return leat_main(&leat_program, argc, argv)`. Weak, so that another object may have its own.
    ///
    /// No symbol is looked for by its name here: a function of SML has its own name, which may be one of these.
    fn entry_point(&mut self, exported: SymbolId) -> Result<(), Error> {
        /// Offset, relocation, symbol, addend.
        type Fixup = (u64, u32, SymbolId, i64);
        let begin = undefined_symbol(&mut self.object, "leat_main");
        let (code, fixups): (&[u8], &[Fixup]) = if cfg!(target_arch = "aarch64") {
            (
                // mov x2, x1; sxtw x1, w0; adrp x0, leat_program; add x0, x0, :lo12:leat_program; b leat_main
                &[
                    0xe2, 0x03, 0x01, 0xaa, 0x01, 0x7c, 0x40, 0x93, 0x00, 0x00, 0x00, 0x90, 0x00, 0x00, 0x00, 0x91,
                    0x00, 0x00, 0x00, 0x14,
                ],
                &[
                    (8, elf::R_AARCH64_ADR_PREL_PG_HI21, exported, 0),
                    (12, elf::R_AARCH64_ADD_ABS_LO12_NC, exported, 0),
                    (16, elf::R_AARCH64_JUMP26, begin, 0),
                ],
            )
        } else {
            (
                // mov rdx, rsi; movsxd rsi, edi; lea rdi, [rip + leat_program]; jmp leat_main
                &[0x48, 0x89, 0xf2, 0x48, 0x63, 0xf7, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0],
                &[(9, elf::R_X86_64_PC32, exported, -4), (14, elf::R_X86_64_PLT32, begin, -4)],
            )
        };
        let at = self.object.append_section_data(self.text, code, 16);
        for &(offset, r_type, symbol, addend) in fixups {
            let flags = RelocationFlags::Elf { r_type };
            let relocation = Relocation { offset: at + offset, symbol, addend, flags };
            self.object.add_relocation(self.text, relocation).map_err(|e| Error(e.to_string()))?;
        }
        self.object.add_symbol(ElfSymbol {
            name: b"main".to_vec(),
            value: at,
            size: code.len() as u64,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: true,
            section: SymbolSection::Section(self.text),
            flags: SymbolFlags::None,
        });
        Ok(())
    }

    /// A word that holds an address.
    fn word(&mut self, section: SectionId, at: u64, to: SectionId, offset: u64) -> Result<(), Error> {
        let symbol = self.object.section_symbol(to);
        let flags = RelocationFlags::Elf { r_type: absolute(8) };
        let relocation = Relocation { offset: at, symbol, addend: offset as i64, flags };
        self.object.add_relocation(section, relocation).map_err(|e| Error(e.to_string()))
    }

    fn local(&mut self, name: &str, section: SectionId, value: u64, size: u64, kind: SymbolKind) {
        self.object.add_symbol(ElfSymbol {
            name: name.into(),
            value,
            size,
            kind,
            scope: SymbolScope::Compilation,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }
}

fn undefined_symbol(object: &mut Object<'_>, name: &str) -> SymbolId {
    object.add_symbol(ElfSymbol {
        name: name.into(),
        value: 0,
        size: 0,
        // What it is, code or data, is known where it is defined.
        kind: SymbolKind::Unknown,
        scope: SymbolScope::Unknown,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    })
}

/// Plain words of the table as they lie in memory.
trait Plain {}
impl Plain for u32 {}
impl Plain for Site {}
impl Plain for FunctionEntry {}
impl Plain for InlinedEntry {}
impl Plain for Line {}
impl Plain for PlaceText {}

fn bytes_of<T: Plain>(items: &[T]) -> &[u8] {
    // SAFETY: `Plain` types are `repr(C)` structures of u32 without padding.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(items)) }
}
