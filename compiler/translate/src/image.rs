//! Functions and static data -> one text, one block of data, and the code table's arrays.
//!
//! All code of a program is one piece, so calls between its functions and all offsets of the table are final here; what
//! is left to fill in refers to data, globals and the runtime.

use leat_abi::code::{Function as FunctionEntry, Inlined as InlinedEntry, Line, PlaceText, Site, hash_table};
use leat_abi::header;
use leat_base::Symbol as Name;
use leat_ssa::ir::{Function, Global, Inlined, Loc, Program, RawInit, RefInit, StaticData, Ty};
use rustc_hash::FxHashMap;

use crate::compile::{Code, Reloc, Symbol};
use crate::options::Error;
use crate::{places, reloc};
use leat_abi::calls::{self, Stretch};

/// A program's code and data, to be placed.
pub(crate) struct Image {
    pub text: Vec<u8>,
    /// Places in the text that refer to data, globals, externals.
    pub relocs: Vec<Reloc>,
    /// Start and bytes of each function, in the program's order.
    pub funcs: Vec<(u32, u32)>,
    /// The hash table of call sites.
    pub sites: Vec<Site>,
    pub slots: Vec<u32>,
    pub functions: Vec<FunctionEntry>,
    pub names: Vec<u8>,
    /// What each function counts; nothing if none does.
    pub counts: Vec<u32>,
    pub global_refs: Vec<u32>,
    pub inlined: Vec<InlinedEntry>,
    /// Source places by text offset, function by function; each function's begin with its first byte.
    pub lines: Vec<(u32, Loc)>,
    /// The same as the runtime knows them.
    pub places: Vec<Line>,
    /// Where the program makes what threads wait for.
    pub made: Vec<PlaceText>,
    /// Where each function stands.
    pub homes: Vec<Loc>,
    pub data: Vec<u8>,
    /// Offset of each static object's payload.
    pub data_offsets: Vec<u32>,
    /// Words of the data that hold an address.
    pub data_relocs: Vec<(u32, Symbol)>,
}

/// Joins compiled functions; `align` is the object alignment.
pub(crate) fn layout(program: &Program, codes: Vec<Code>, align: u32) -> Result<Image, Error> {
    let total: usize = codes.iter().map(|c| c.bytes.len() + 16).sum();
    if total > i32::MAX as usize / 2 {
        return Err(Error(format!("{total} bytes of code are too much for one program")));
    }
    let mut image = Image {
        text: Vec::with_capacity(total),
        relocs: Vec::new(),
        funcs: Vec::with_capacity(codes.len()),
        sites: Vec::new(),
        slots: Vec::new(),
        functions: Vec::with_capacity(codes.len()),
        names: Vec::new(),
        counts: Vec::new(),
        global_refs: Vec::new(),
        inlined: Vec::new(),
        lines: Vec::new(),
        places: Vec::new(),
        made: Vec::new(),
        homes: Vec::with_capacity(codes.len()),
        data: Vec::new(),
        data_offsets: Vec::new(),
        data_relocs: Vec::new(),
    };
    let mut files = FxHashMap::default();
    let mut file_name = |names: &mut Vec<u8>, file: u16| {
        let text = program.files.get(file as usize).map_or("", |s| s.as_str());
        *files.entry(file).or_insert_with(|| intern(names, text))
    };
    // (function, file) by the number of the entry that says so, behind all functions.
    let mut seen_elsewhere: FxHashMap<(u32, u16), u32> = FxHashMap::default();
    // Sites whose slots are the same share them.
    let mut runs: FxHashMap<&[u32], u32> = FxHashMap::default();
    let mut first_slot = |slots: &mut Vec<u32>, run| {
        *runs.entry(run).or_insert_with(|| {
            slots.extend_from_slice(run);
            (slots.len() - run.len()) as u32
        })
    };
    let mut sites = Vec::new();
    let mut calls = Vec::new();
    // What was inlined at each site, as the program counts.
    let mut chains = Vec::new();
    // Code of another file that was inlined: the same function, seen in that file.
    let mut seen_in = |function: u32, f: &Function, loc: Loc| {
        if loc.line == 0 || loc.file == f.loc.file {
            return function;
        }
        let next = program.funcs.len() + seen_elsewhere.len();
        *seen_elsewhere.entry((function, loc.file)).or_insert(next as u32)
    };
    for (f, code) in program.funcs.iter().zip(&codes) {
        // A return address is never the first byte of the text: 0 marks empty slots of the table.
        let start = image.text.len().next_multiple_of(code.align.max(1) as usize);
        image.text.resize(start, FILL);
        image.text.extend_from_slice(&code.bytes);
        let start = start as u32;
        image.funcs.push((start, code.bytes.len() as u32));
        for r in &code.relocs {
            let r = Reloc { offset: r.offset + start, ..*r };
            if let Symbol::Func(_) = r.symbol { calls.push(r) } else { image.relocs.push(r) }
        }
        let function = image.functions.len() as u32;
        for s in &code.sites {
            let run = &code.slots[s.first_slot as usize..][..s.slot_count as usize];
            sites.push(Site {
                ret: start + s.ret,
                frame: code.frame,
                handler: s.handler.map_or(0, |h| start + h),
                first_slot: if run.is_empty() { 0 } else { first_slot(&mut image.slots, run) },
                slot_count: s.slot_count,
                function: seen_in(function, f, s.loc),
                line: s.loc.line,
                inlined: 0,
            });
            chains.push(s.loc.at);
        }
        let home = places::home(program, f, &code.lines);
        image.homes.push(home);
        if code.lines.first().is_none_or(|line| line.0 > 0) && !code.bytes.is_empty() {
            image.lines.push((start, home));
        }
        image.lines.extend(code.lines.iter().map(|&(at, loc)| (start + at, loc)));
        for &(start, loc) in &image.lines[image.places.len()..] {
            // The chain's number is filled in below.
            image.places.push(Line { start, function: seen_in(function, f, loc), line: loc.line, inlined: 0 });
        }
        let (name, name_len) = intern(&mut image.names, &f.name);
        let (file, file_len) = file_name(&mut image.names, f.loc.file);
        let bytes = code.bytes.len() as u32;
        image.functions.push(FunctionEntry {
            start,
            bytes,
            name,
            name_len,
            file,
            file_len,
            line: f.loc.line,
            counts: 0,
        });
    }
    let mut elsewhere: Vec<((u32, u16), u32)> = seen_elsewhere.into_iter().collect();
    elsewhere.sort_unstable_by_key(|entry| entry.1);
    for ((function, file), _) in elsewhere {
        let (file, file_len) = file_name(&mut image.names, file);
        let entry = FunctionEntry { file, file_len, line: 0, ..image.functions[function as usize] };
        image.functions.push(entry);
    }
    let sites_chains = chains.len();
    chains.extend(image.lines.iter().map(|line| line.1.at));
    let entries = inlined(program, &chains, &mut image.inlined, &mut image.names, &mut file_name);
    let entry = |at: u32| if at == 0 { 0 } else { entries[at as usize - 1] };
    for (site, &at) in sites.iter_mut().zip(&chains) {
        site.inlined = entry(at);
    }
    for (place, &at) in image.places.iter_mut().zip(&chains[sites_chains..]) {
        place.inlined = entry(at);
    }
    // Columns are no part of a place.
    image.places.dedup_by_key(|place| (place.function, place.line, place.inlined));
    if codes.iter().any(|code| code.counted.is_some()) {
        counts(&mut image, &codes, entry);
    }
    for r in calls {
        let Symbol::Func(callee) = r.symbol else { continue };
        let to = image.funcs[callee as usize].0 as u64;
        reloc::apply(r.kind, &mut image.text, r.offset as usize, r.offset as u64, to.wrapping_add(r.addend as u64))?;
    }
    image.sites = hash_table(&sites);
    image.global_refs =
        (0..).zip(&program.globals).filter(|(_, t)| **t == Ty::Ref).map(|(i, _)| program.place(Global(i))).collect();
    for place in &program.places {
        let (text, text_len) = intern(&mut image.names, place);
        image.made.push(PlaceText { text, text_len });
    }
    for data in &program.datas {
        static_data(&mut image, data, align)?;
    }
    // Data too ends at a multiple of the alignment.
    let bytes = image.data.len().next_multiple_of(align.max(16) as usize);
    image.data.resize(bytes, 0);
    Ok(image)
}

/// Enters what was inlined at a site; answers each one's number among the entries.
fn inlined(
    program: &Program,
    chains: &[u32],
    entries: &mut Vec<InlinedEntry>,
    names: &mut Vec<u8>,
    file_name: &mut impl FnMut(&mut Vec<u8>, u16) -> (u32, u32),
) -> Vec<u32> {
    let mut number = vec![0; program.inlined.len()];
    let mut texts: FxHashMap<Name, (u32, u32)> = FxHashMap::default();
    let mut way = Vec::new();
    for &at in chains {
        let mut at = at;
        while at != 0 && number[at as usize - 1] == 0 {
            way.push(at);
            at = program.inlined[at as usize - 1].call.at;
        }
        for at in way.drain(..).rev() {
            let Inlined { name, line: defined, call } = program.inlined[at as usize - 1];
            let (name, name_len) = *texts.entry(name).or_insert_with(|| intern(names, name.as_str()));
            let (file, file_len) = file_name(names, call.file);
            let around = if call.at == 0 { 0 } else { number[call.at as usize - 1] };
            entries.push(InlinedEntry { name, name_len, file, file_len, line: call.line, around, defined });
            number[at as usize - 1] = entries.len() as u32;
        }
    }
    number
}

/// Enters what each function counts. `entry` gives the number of what was inlined among the entries, 0 if it is not
/// there.
fn counts(image: &mut Image, codes: &[Code], entry: impl Fn(u32) -> u32) {
    // What is not compiled counts nothing.
    calls::push(&mut image.counts, 0, &[], &[], &[]);
    let mut index: FxHashMap<u32, u32> = FxHashMap::default();
    for (code, &(start, _)) in codes.iter().zip(&image.funcs) {
        let Some(counted) = &code.counted else { continue };
        let calls: Vec<u32> = counted.calls.iter().map(|at| start + at).collect();
        let stretches: Vec<Stretch> =
            counted.stretches.iter().map(|s| Stretch { start: start + s.start, ..*s }).collect();
        let inlined: Vec<(u32, u32)> = counted
            .inlined
            .iter()
            .map(|&(at, counter)| (entry(at), counter))
            .filter(|&(entry, _)| entry != 0)
            .collect();
        index.insert(start, calls::push(&mut image.counts, counted.counters, &calls, &stretches, &inlined));
    }
    for function in &mut image.functions {
        function.counts = index.get(&function.start).copied().filter(|_| function.bytes > 0).unwrap_or(0);
    }
}

/// Between functions: a trap on x86-64.
const FILL: u8 = 0xcc;

fn intern(names: &mut Vec<u8>, name: &str) -> (u32, u32) {
    let at = names.len() as u32;
    names.extend_from_slice(name.as_bytes());
    (at, name.len() as u32)
}

fn static_data(image: &mut Image, data: &StaticData, align: u32) -> Result<(), Error> {
    let payload = (image.data.len() + 8).next_multiple_of(align as usize);
    let offset = u32::try_from(payload).ok().filter(|&n| n < i32::MAX as u32);
    let offset = offset.ok_or_else(|| Error("more than 2 GB of static data".into()))?;
    image.data.resize(payload - 8, 0);
    image.data_offsets.push(offset);
    let word = match data {
        StaticData::Array { log2, bytes } => header::raw_array(*log2, (bytes.len() >> log2) as u64),
        StaticData::Record { tag, raws, refs } => header::record(raws.len(), refs.len(), *tag),
    };
    image.data.extend_from_slice(&(word | header::STATIC).to_le_bytes());
    match data {
        StaticData::Array { bytes, .. } => image.data.extend_from_slice(bytes),
        StaticData::Record { raws, refs, .. } => {
            for raw in raws {
                match raw {
                    RawInit::Int(n) => image.data.extend_from_slice(&n.to_le_bytes()),
                    RawInit::Code(f) => address(image, Symbol::Func(f.0)),
                }
            }
            for r in refs {
                match r {
                    RefInit::Imm(word) => image.data.extend_from_slice(&word.to_le_bytes()),
                    RefInit::Data(d) => address(image, Symbol::Data(d.0)),
                }
            }
        }
    }
    Ok(())
}

fn address(image: &mut Image, symbol: Symbol) {
    image.data_relocs.push((image.data.len() as u32, symbol));
    image.data.extend_from_slice(&[0; 8]);
}
