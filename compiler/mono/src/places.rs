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
    own: Own,
    parts: FxHashMap<u32, u32>,
}

/// What the body's own places become.
#[derive(Clone, Copy)]
enum Own {
    /// Part of this call, and of this copy of it.
    Part { whole: u32, copy: u32 },
    /// That of the call.
    Call(Loc),
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

    /// The body of the function of this name, defined at this line, goes where it is called. `is_loop`: a loop has been
    /// made of its recursion, and a copy of that is no further call.
    pub fn enter(&mut self, (name, line): (Symbol, u32), call: Loc, is_loop: bool) -> Copied {
        let copy = if is_loop { Loc::ONE_COPY } else { 0 };
        Copied { own: Own::Part { whole: self.add(Inlined { name, line, call }), copy }, parts: FxHashMap::default() }
    }

    /// The body of a wrapper goes where that is called, and what it calls has been called there: the program knows of
    /// one function, which has one call.
    pub fn pass(call: Loc) -> Copied {
        Copied { own: Own::Call(call), parts: FxHashMap::default() }
    }

    /// The body of a join becomes a function of its own. The join stood in what was inlined as `at`.
    pub fn leave(at: u32) -> Copied {
        Copied { own: Own::Part { whole: 0, copy: 0 }, parts: [(at, 0)].into_iter().collect() }
    }

    /// A place of the body as one of the copy.
    pub fn place(&mut self, copied: &mut Copied, loc: Loc) -> Loc {
        // From the innermost call out to one that is known, and back.
        let mut way = Vec::new();
        let mut at = loc.at;
        let known = loop {
            if at == 0 {
                break None;
            }
            if let Some(&known) = copied.parts.get(&at) {
                break Some(known);
            }
            way.push(at);
            at = self.inlined[at as usize - 1].call.at;
        };
        let own = |loc: Loc| match copied.own {
            Own::Part { whole, copy } => Loc { at: whole, copy, ..loc },
            Own::Call(call) => call,
        };
        let Some(&outermost) = way.last() else {
            return known.map_or_else(|| own(loc), |at| Loc { at, ..loc });
        };
        let mut new = 0;
        for &old in way.iter().rev() {
            let Inlined { name, line, call } = self.inlined[old as usize - 1];
            let call = match known {
                _ if old != outermost => Loc { at: new, ..call },
                Some(at) => Loc { at, ..call },
                None => Loc { copy: call.copy, ..own(call) },
            };
            new = self.add(Inlined { name, line, call });
            copied.parts.insert(old, new);
        }
        Loc { at: new, ..loc }
    }
}
