//! Machine code in memory: one reserved region of addresses for code, globals and static data, so that 32-bit offsets
//! reach.
//!
//! ```text
//! | code: program, its jumps to the runtime, next program ... | globals | static data ... |
//!   read, execute (written before)                              read, write
//! ```
//!
//! The runtime lies elsewhere; each of its functions has one indirect jump in the region.

use std::ptr::null;

use leat_abi::code::CodeTable;
use leat_ssa::ir::Program;
use rustc_hash::FxHashMap;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
use rustix::process::{Resource, getrlimit};

use crate::calls::extern_symbol;
use crate::compile::{Symbol, compile};
use crate::image::{Image, layout};
use crate::isa::Machine;
use crate::options::{Error, Options};
use crate::{reloc, symbols};

const CODE_BYTES: usize = 512 << 20;
const GLOBAL_BYTES: usize = 64 << 20;
const DATA_BYTES: usize = 448 << 20;

/// Bytes of the region for code, globals and data. Under a limit on address space all of them take an eighth of it
/// together.
#[derive(Clone, Copy)]
struct Sizes {
    code: usize,
    globals: usize,
    data: usize,
}

impl Sizes {
    fn within(limit: u64) -> Sizes {
        let all = Sizes { code: CODE_BYTES, globals: GLOBAL_BYTES, data: DATA_BYTES };
        let shift = (0..6).find(|shift| (all.sum() >> shift) as u64 <= limit / 8).unwrap_or(6);
        Sizes { code: all.code >> shift, globals: all.globals >> shift, data: all.data >> shift }
    }

    fn sum(self) -> usize {
        self.code + self.globals + self.data
    }
}
const PAGE: usize = 4096;

/// A region of memory that takes compiled programs.
pub struct Jit {
    options: Options,
    machine: Machine,
    symbols: FxHashMap<String, usize>,
    base: *mut u8,
    code_used: usize,
    data_used: usize,
    /// Slots of all programs so far; those of a session's units that are below have been seen before.
    globals_used: usize,
    sizes: Sizes,
    /// Addresses of the jumps to externals.
    jumps: FxHashMap<u32, usize>,
}

// SAFETY: the region is written by `add` only, which has the Jit to itself.
unsafe impl Send for Jit {}

/// A program in memory. Its code, data and table stay for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// Code of the main function (tail convention, no arguments, r15 = tcb); null when the program has none.
    pub main: *const u8,
    /// To be registered with the runtime before the code runs.
    pub table: &'static CodeTable,
    /// Slot 0 of all programs' global slots, zeroed: `Tcb::globals` must be this address. The same for every `add`.
    pub globals: *mut u64,
}

impl Jit {
    /// `symbols`: the runtime's functions by name: each `Leaf` symbol, `<symbol>_stub` of each `Runtime` one, and those of
    /// `leat_abi::prim::stub`. A program that needs one that is missing fails to load.
    pub fn new(symbols: &[(&str, *const u8)], options: &Options) -> Result<Jit, Error> {
        options.check()?;
        let sizes = Sizes::within(getrlimit(Resource::As).current.unwrap_or(u64::MAX));
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping; nobody else knows its addresses.
        let base = unsafe { mmap_anonymous(std::ptr::null_mut(), sizes.sum(), ProtFlags::empty(), flags) };
        let base = base.map_err(|e| Error(format!("no addresses for compiled code: {e}")))?.cast::<u8>();
        // SAFETY: the part behind the code, inside the mapping.
        let writable = unsafe {
            let behind = base.add(sizes.code).cast();
            mprotect(behind, sizes.globals + sizes.data, MprotectFlags::READ | MprotectFlags::WRITE)
        };
        writable.map_err(|e| Error(format!("no memory for static data: {e}")))?;
        Ok(Jit {
            options: options.clone(),
            machine: Machine::host(options),
            symbols: symbols.iter().map(|&(name, at)| (name.to_string(), at as usize)).collect(),
            base,
            sizes,
            code_used: 0,
            data_used: 0,
            globals_used: 0,
            jumps: FxHashMap::default(),
        })
    }

    /// Compiles a program and puts it in memory, ready to run. Globals of later programs follow those of earlier ones;
    /// the slots of a session's unit have the numbers that it says, all of them, and new ones are above all earlier
    /// ones.
    pub fn add(&mut self, program: &Program) -> Result<Loaded, Error> {
        let codes = compile(program, &self.options, &self.machine)?;
        let image = layout(program, codes, self.options.align)?;
        self.place(program, image)
    }

    /// Slot 0 of all programs' global slots.
    pub fn globals(&self) -> *mut u64 {
        // SAFETY: inside the region.
        unsafe { self.base.add(self.sizes.code).cast() }
    }

    fn place(&mut self, program: &Program, mut image: Image) -> Result<Loaded, Error> {
        let text_at = self.base as usize + self.code_used;
        let data_at = self.base as usize + self.sizes.code + self.sizes.globals + self.data_used;
        let globals = self.base as usize + self.sizes.code;
        // The units of a session number their slots themselves.
        let (first_global, globals_used) = match program.slots.iter().max() {
            None => (self.globals_used, self.globals_used + program.globals.len()),
            Some(&last) => (0, self.globals_used.max(last as usize + 1)),
        };
        let text_len = image.text.len();
        if self.data_used + image.data.len() > self.sizes.data || 8 * globals_used > self.sizes.globals {
            return Err(Error("no room for more static data".into()));
        }

        // Externals: a jump for each that is new. They are reached only if all of this succeeds.
        let mut jumps = self.jumps.clone();
        for r in &image.relocs {
            if let Symbol::Extern(index) = r.symbol
                && !jumps.contains_key(&index)
            {
                let name = extern_symbol(index);
                let Some(&to) = self.symbols.get(&name) else {
                    return Err(Error(format!("the runtime has no function {name}")));
                };
                let at = image.text.len().next_multiple_of(16);
                image.text.resize(at, 0xcc);
                image.text.extend_from_slice(JUMP);
                image.text.extend_from_slice(&to.to_le_bytes());
                jumps.insert(index, text_at + at);
            }
        }
        let foreign = self.foreign_addresses(program, &image)?;
        if self.code_used + image.text.len() > self.sizes.code {
            return Err(Error("no room for more code".into()));
        }

        let address = |symbol: Symbol| match symbol {
            Symbol::Func(i) => text_at + image.funcs[i as usize].0 as usize,
            Symbol::Data(i) => data_at + image.data_offsets[i as usize] as usize,
            Symbol::Extern(i) => jumps[&i],
            Symbol::Foreign(i) => foreign[i as usize],
            Symbol::Globals => globals + 8 * first_global,
        };
        for r in &image.relocs {
            let place = text_at as u64 + r.offset as u64;
            let to = (address(r.symbol) as u64).wrapping_add(r.addend as u64);
            reloc::apply(r.kind, &mut image.text, r.offset as usize, place, to)?;
        }
        for &(at, symbol) in &image.data_relocs {
            image.data[at as usize..at as usize + 8].copy_from_slice(&address(symbol).to_le_bytes());
        }

        let pages = image.text.len().next_multiple_of(PAGE);
        let failed = |e| Error(format!("no memory for compiled code: {e}"));
        // SAFETY: fresh pages of the region, which nobody runs or reads yet; both copies stay inside of it (checked
        // above).
        unsafe {
            mprotect(text_at as *mut _, pages, MprotectFlags::READ | MprotectFlags::WRITE).map_err(failed)?;
            std::ptr::copy_nonoverlapping(image.text.as_ptr(), text_at as *mut u8, image.text.len());
            mprotect(text_at as *mut _, pages, MprotectFlags::READ | MprotectFlags::EXEC).map_err(failed)?;
            std::ptr::copy_nonoverlapping(image.data.as_ptr(), data_at as *mut u8, image.data.len());
            flush_instructions(text_at, image.text.len());
        }
        self.code_used += pages;
        self.data_used += image.data.len();
        if !program.slots.is_empty() {
            image.global_refs.retain(|&slot| slot as usize >= self.globals_used);
        }
        self.globals_used = globals_used;
        self.jumps = jumps;

        for g in &mut image.global_refs {
            *g += first_global as u32;
        }
        let main = program.main.map_or(null(), |f| (text_at + image.funcs[f.0 as usize].0 as usize) as *const u8);
        symbols::tell(self.options.symbols, program, &image, text_at)?;
        let sites: &'static [_] = image.sites.leak();
        let slots: &'static [_] = image.slots.leak();
        let functions: &'static [_] = image.functions.leak();
        let names: &'static [_] = image.names.leak();
        let inlined: &'static [_] = image.inlined.leak();
        let global_refs: &'static [_] = image.global_refs.leak();
        let places: &'static [_] = image.places.leak();
        let counts: &'static [_] = image.counts.leak();
        let made: &'static [_] = image.made.leak();
        let table = Box::leak(Box::new(CodeTable {
            base: text_at as *const u8,
            len: text_len,
            sites: sites.as_ptr(),
            site_slots: sites.len(),
            slots: slots.as_ptr(),
            slot_count: slots.len(),
            functions: functions.as_ptr(),
            function_count: functions.len(),
            text: names.as_ptr(),
            text_len: names.len(),
            global_refs: global_refs.as_ptr(),
            global_ref_count: global_refs.len(),
            global_count: self.globals_used,
            inlined: inlined.as_ptr(),
            inlined_count: inlined.len(),
            lines: places.as_ptr(),
            line_count: places.len(),
            counts: counts.as_ptr(),
            count_words: counts.len(),
            places: made.as_ptr(),
            place_count: made.len(),
            places_before: program.places_before as usize,
        }));
        Ok(Loaded { main, table, globals: globals as *mut u64 })
    }
}

impl Jit {
    /// Where what the code needs of C is, by its numbers; what it does not need is not looked for.
    fn foreign_addresses(&self, program: &Program, image: &Image) -> Result<Vec<usize>, Error> {
        let mut addresses = vec![0; program.foreign.len()];
        let mut missing = Vec::new();
        for r in &image.relocs {
            let Symbol::Foreign(number) = r.symbol else { continue };
            let foreign = &program.foreign[number as usize];
            let name = foreign.name.as_deref().unwrap_or("");
            let address = (self.options.foreign)(name);
            addresses[number as usize] = address;
            let line = format!("{}: there is no `{name}` in C", foreign.place);
            if address == 0 && !missing.contains(&line) {
                missing.push(line);
            }
        }
        if missing.is_empty() { Ok(addresses) } else { Err(Error(missing_names(missing).join("\n"))) }
    }
}

/// So many names of C that are missing are told: a library that is not named misses all of its own.
const TOLD: usize = 6;

/// What is said of names that C does not have, a line each, and how they are had.
pub fn missing_names(mut missing: Vec<String>) -> Vec<String> {
    let more = missing.len().saturating_sub(TOLD);
    if more > 1 {
        missing.truncate(TOLD);
        missing.push(format!("and {more} others"));
    }
    missing.push("name the file of C that has it, or its library by -l, as in -lz".to_string());
    missing
}

/// Jumps to the address that follows.
#[cfg(target_arch = "x86_64")]
const JUMP: &[u8] = &[0xff, 0x25, 0, 0, 0, 0];
#[cfg(target_arch = "aarch64")]
const JUMP: &[u8] = &[0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6];

#[cfg(target_arch = "x86_64")]
unsafe fn flush_instructions(_start: usize, _bytes: usize) {}

#[cfg(target_arch = "aarch64")]
unsafe fn flush_instructions(start: usize, bytes: usize) {
    for line in (start & !15..start + bytes).step_by(16) {
        // SAFETY: cache maintenance of mapped addresses.
        unsafe { core::arch::asm!("dc cvau, {0}", "dsb ish", "ic ivau, {0}", in(reg) line) };
    }
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb ish", "isb") };
}
