//! What is known of compiled code: for each return address its live references, its handler, its source line.
//!
//! The same table for JIT code (built in memory) and for object files (read-only data with relocations for the few
//! pointers). Nothing is computed at program start: the hash table is laid out by the compiler.

/// What is known of one return address.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Return address as offset from [`CodeTable::base`]; 0 means an empty slot of the hash table.
    pub ret: u32,
    /// Bytes from the frame's stack pointer at the call to its frame pointer.
    pub frame: u32,
    /// Offset of the handler's code from the base, 0 for none. The handler finds the packet in rax.
    pub handler: u32,
    /// First index in [`CodeTable::slots`].
    pub first_slot: u32,
    /// How many slots.
    pub slot_count: u32,
    /// Index in [`CodeTable::functions`].
    pub function: u32,
    /// Source line, 0 when unknown.
    pub line: u32,
    /// What was inlined here: index in [`CodeTable::inlined`] counted from 1, 0 for the function's own code.
    pub inlined: u32,
}

/// The source place of the code from `start` to the next line's, for profiles: the rest as in [`Site`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Offset from [`CodeTable::base`].
    pub start: u32,
    pub function: u32,
    pub line: u32,
    pub inlined: u32,
}

/// A function that was inlined, and where it was called.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inlined {
    /// Index in [`CodeTable::text`] and bytes of its SML name.
    pub name: u32,
    pub name_len: u32,
    /// Likewise of the file of the call.
    pub file: u32,
    pub file_len: u32,
    /// Line of the call.
    pub line: u32,
    /// What was inlined at the place of the call, as [`Site::inlined`].
    pub around: u32,
    /// Line of its definition, 0 when unknown.
    pub defined: u32,
}

/// A function, for back-traces and profiles.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Offset of its code from the base, and its bytes.
    pub start: u32,
    pub bytes: u32,
    /// Index in [`CodeTable::text`] and bytes of the SML name.
    pub name: u32,
    pub name_len: u32,
    /// Likewise of the file name.
    pub file: u32,
    pub file_len: u32,
    /// Line of its definition.
    pub line: u32,
    /// Index in [`CodeTable::counts`] of what is counted in it, if anything is.
    pub counts: u32,
}

/// A place of the program's, `file.sml:12.7`: index in [`CodeTable::text`] and bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceText {
    pub text: u32,
    pub text_len: u32,
}

/// All that is known of one contiguous piece of compiled code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CodeTable {
    /// Address of the first code byte.
    pub base: *const u8,
    /// Bytes of code.
    pub len: usize,
    /// Open-addressing hash table of so many slots; see [`first_slot`].
    pub sites: *const Site,
    pub site_slots: usize,
    /// Stack slots that hold references: byte offsets from the frame's stack pointer at the call.
    pub slots: *const u32,
    pub slot_count: usize,
    /// Functions by ascending start; behind them, entries for sites of a function's code that come from another file.
    pub functions: *const Function,
    pub function_count: usize,
    /// Names, UTF-8.
    pub text: *const u8,
    pub text_len: usize,
    /// Global slots that hold references: indices, so that the collector finds them.
    pub global_refs: *const u32,
    pub global_ref_count: usize,
    /// How many global slots the code uses.
    pub global_count: usize,
    /// Inlined functions; what is around one stands before it.
    pub inlined: *const Inlined,
    pub inlined_count: usize,
    /// Source places of all code, ascending.
    pub lines: *const Line,
    pub line_count: usize,
    /// Of code that counts: the words of each function ([`crate::calls::Counts`]).
    pub counts: *const u32,
    pub count_words: usize,
    /// Where the program makes what threads wait for. Number `places_before + 1 + i` is the i-th: the tag of such an
    /// object's header. A session's units have numbers that go on.
    pub places: *const PlaceText,
    pub place_count: usize,
    pub places_before: usize,
}

// SAFETY: the tables are immutable once registered.
unsafe impl Send for CodeTable {}
// SAFETY: as above.
unsafe impl Sync for CodeTable {}

/// A compiled program as an object file exports it, under the name `leat_program`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Code of the main function: no arguments, no results.
    pub main: *const u8,
    pub table: *const CodeTable,
    /// Its global slots, zeroed; belongs into `Tcb::globals`.
    pub globals: *mut u64,
    /// Object alignment that it was compiled for.
    pub align: u64,
    /// Bytes of the text that follows: options of the runtime as in `LEAT_RUN`, which says more and is obeyed after
    /// them.
    pub options_len: u64,
}

impl Program {
    /// The options that it was built with.
    ///
    /// # Safety
    /// The program is one that an object file exports: the text lies behind it.
    pub unsafe fn options(&self) -> &[u8] {
        // SAFETY: as the caller says.
        unsafe { core::slice::from_raw_parts((&raw const *self).add(1).cast(), self.options_len as usize) }
    }
}

/// The symbol under which an object file exports its [`Program`].
pub const PROGRAM_SYMBOL: &str = "leat_program";

/// Where a return address's search starts in a hash table of so many slots, before it goes to the next ones in turn:
/// the hash is a fraction of 2^32, and this the same one of the table, which may have any length.
#[inline(always)]
pub const fn first_slot(ret: u32, slots: usize) -> usize {
    ((ret.wrapping_mul(0x9e37_79b1) as u64 * slots as u64) >> 32) as usize
}

impl CodeTable {
    /// Whether the address lies in this code (a return address may be one past the end).
    #[inline(always)]
    pub fn contains(&self, pc: usize) -> bool {
        pc.wrapping_sub(self.base as usize) <= self.len
    }

    /// What is known of a return address.
    #[inline(always)]
    pub fn site(&self, pc: usize) -> Option<&Site> {
        let ret = pc.wrapping_sub(self.base as usize);
        if ret == 0 || ret > self.len || self.sites.is_null() {
            return None;
        }
        let mut i = first_slot(ret as u32, self.site_slots);
        loop {
            // SAFETY: i is below the number of the table's slots; the compiler leaves at least one of them empty.
            let site = unsafe { &*self.sites.add(i) };
            if site.ret == ret as u32 {
                return Some(site);
            }
            if site.ret == 0 {
                return None;
            }
            i += 1;
            if i == self.site_slots {
                i = 0;
            }
        }
    }

    /// The slots of a site.
    #[inline]
    pub fn slots_of(&self, site: &Site) -> &[u32] {
        if site.slot_count == 0 {
            return &[];
        }
        // SAFETY: the compiler wrote first_slot and slot_count for this very array.
        unsafe { core::slice::from_raw_parts(self.slots.add(site.first_slot as usize), site.slot_count as usize) }
    }

    /// The source place of an instruction.
    pub fn line(&self, pc: usize) -> Option<&Line> {
        let at = pc.wrapping_sub(self.base as usize);
        if at >= self.len || self.line_count == 0 {
            return None;
        }
        // SAFETY: the compiler wrote the count for this very array.
        let lines = unsafe { core::slice::from_raw_parts(self.lines, self.line_count) };
        let above = lines.partition_point(|line| line.start as usize <= at);
        lines.get(above.wrapping_sub(1))
    }

    /// The place of this number, if it is one of this code's.
    pub fn place(&self, number: u16) -> Option<&str> {
        let index = usize::from(number).checked_sub(self.places_before + 1)?;
        if index >= self.place_count {
            return None;
        }
        // SAFETY: the compiler wrote the count for this array, and the range for these texts.
        unsafe {
            let place = &*self.places.add(index);
            let bytes = core::slice::from_raw_parts(self.text.add(place.text as usize), place.text_len as usize);
            Some(core::str::from_utf8_unchecked(bytes))
        }
    }

    /// What is counted in a function.
    pub fn counts(&self, function: u32) -> Option<crate::calls::Counts<'_>> {
        if self.count_words == 0 || function as usize >= self.function_count {
            return None;
        }
        // SAFETY: the compiler wrote both counts for these arrays.
        let (words, function) = unsafe {
            (core::slice::from_raw_parts(self.counts, self.count_words), &*self.functions.add(function as usize))
        };
        crate::calls::Counts::at(words, function.counts)
    }

    /// Where the code of the function of this number begins: the same for all entries of one function.
    pub fn start_of(&self, function: u32) -> u32 {
        // SAFETY: numbers of functions were written by the compiler for this array.
        unsafe { (*self.functions.add(function as usize)).start }
    }

    /// Offset of the code and name of each function.
    pub fn each_function<'a>(&'a self, mut f: impl FnMut(u32, &'a str)) {
        // SAFETY: the compiler wrote the count for this array, and the ranges for these texts.
        unsafe {
            for function in core::slice::from_raw_parts(self.functions, self.function_count) {
                let (at, len) = (function.name as usize, function.name_len as usize);
                f(function.start, core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.text.add(at), len)));
            }
        }
    }

    /// Name, file and line of a site's function, and of those that it was inlined into: the innermost first.
    pub fn each_place<'a>(&'a self, site: &Site, f: impl FnMut(&'a str, &'a str, u32)) {
        self.each_place_of(site.function, site.line, site.inlined, f);
    }

    /// The same of a place's function, line and what was inlined there.
    pub fn each_place_of<'a>(
        &'a self,
        function: u32,
        line: u32,
        inlined: u32,
        mut f: impl FnMut(&'a str, &'a str, u32),
    ) {
        self.each_function_of(function, line, inlined, |name, file, line, _| f(name, file, line));
    }

    /// The same with the line of each function's definition.
    pub fn each_function_of<'a>(
        &'a self,
        function: u32,
        line: u32,
        inlined: u32,
        mut f: impl FnMut(&'a str, &'a str, u32, u32),
    ) {
        // SAFETY: indices and text ranges were written by the compiler for these arrays.
        unsafe {
            let text = |at: u32, len: u32| {
                core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.text.add(at as usize), len as usize))
            };
            let function = &*self.functions.add(function as usize);
            let (mut file, mut line) = (text(function.file, function.file_len), line);
            let mut at = inlined;
            while at != 0 {
                let inlined = &*self.inlined.add(at as usize - 1);
                f(text(inlined.name, inlined.name_len), file, line, inlined.defined);
                (file, line) = (text(inlined.file, inlined.file_len), inlined.line);
                at = inlined.around;
            }
            f(text(function.name, function.name_len), file, line, function.line);
        }
    }
}

/// The table whose code a return address belongs to. More than a few tables (a session's, one for each unit) are in
/// ascending order of their code.
#[inline(always)]
pub fn find<'a>(tables: &[&'a CodeTable], pc: usize) -> Option<&'a CodeTable> {
    let table = match tables {
        [] => return None,
        [table] => table,
        _ => {
            let above = tables.partition_point(|table| (table.base as usize) < pc);
            tables.get(above.wrapping_sub(1))?
        }
    };
    table.contains(pc).then_some(*table)
}

/// Lays out the hash table for these sites (any order, no two alike). Two thirds full, never empty.
pub fn hash_table(sites: &[Site]) -> Vec<Site> {
    let slots = sites.len() + sites.len() / 2 + 2;
    let mut table = vec![Site::default(); slots];
    for site in sites {
        let mut i = first_slot(site.ret, slots);
        while table[i].ret != 0 {
            i = (i + 1) % slots;
        }
        table[i] = *site;
    }
    table
}
