//! Places of inlined code: each names the function that it comes from and where that was called, up to the function
//! whose code it has become. A place costs one number. Each copy has a number of its own, though two calls may stand in
//! one line: so what counts calls tells them apart.

use rustc_hash::FxHashMap;

use crate::ir::{Inlined, Loc};
use leat_base::Symbol;

/// The table under construction.
#[derive(Default)]
pub struct Places {
    pub inlined: Vec<Inlined>,
}

/// One inlining: places of the copied body -> places of the copy.
pub struct Copied {
    /// What the body's own places become part of, and which copy they are.
    whole: u32,
    copy: u32,
    parts: FxHashMap<u32, u32>,
}

impl Places {
    /// Goes on with a table.
    pub fn new(inlined: Vec<Inlined>) -> Places {
        Places { inlined }
    }

    fn add(&mut self, inlined: Inlined) -> u32 {
        self.inlined.push(inlined);
        self.inlined.len() as u32
    }

    /// The body of the function of this name goes where it is called. `is_loop`: a loop has been made of its recursion,
    /// and a copy of that is no further call.
    pub fn enter(&mut self, name: Symbol, call: Loc, is_loop: bool) -> Copied {
        let copy = if is_loop { Loc::ONE_COPY } else { 0 };
        Copied { whole: self.add(Inlined { name, call }), copy, parts: FxHashMap::default() }
    }

    /// A place of the body as one of the copy.
    pub fn place(&mut self, copied: &mut Copied, loc: Loc) -> Loc {
        if loc.at == 0 {
            return Loc { at: copied.whole, copy: copied.copy, ..loc };
        }
        // From the innermost call out to one that is known, and back.
        let mut way = Vec::new();
        let mut at = loc.at;
        let mut new = loop {
            if at == 0 {
                break copied.whole;
            }
            if let Some(&known) = copied.parts.get(&at) {
                break known;
            }
            way.push(at);
            at = self.inlined[at as usize - 1].call.at;
        };
        for old in way.into_iter().rev() {
            let Inlined { name, call } = self.inlined[old as usize - 1];
            new = self.add(Inlined { name, call: Loc { at: new, ..call } });
            copied.parts.insert(old, new);
        }
        Loc { at: new, ..loc }
    }
}
