//! Which place in the program's text an instruction has: that of the binding that it is made from, among the calls that
//! were inlined around it. For reports of what a program allocates, a place also says what is made there.

use super::Emit;
use crate::closure::{FunctionKind, Operand};
use crate::ir::*;
use leat_base::Symbol;
use leat_mono::ir::{Rhs, Var};

impl Emit<'_, '_> {
    /// A place of a task's body; that of a contified function is a place in the function that it has become a part of.
    pub(super) fn place(&mut self, loc: Loc) -> Loc {
        match &self.called {
            None => loc,
            Some(called) => self.places.place(&mut called.borrow_mut(), loc),
        }
    }

    /// The place of a binding. A join that is a function of its own is one that calls itself, made of a function that
    /// was inlined. Its frames are that function's then, and its first call is the one that was inlined.
    pub(super) fn place_of_call(&mut self, rhs: &Rhs, loc: Loc) -> Loc {
        let Rhs::App { f, .. } = rhs else { return loc };
        let Operand::Var(var) = self.an.resolve(self.p, self.repr, *f) else { return loc };
        let Some(callee) = self.an.function_of(var) else { return loc };
        let info = &self.an.fns[callee as usize];
        let is_first = info.kind != FunctionKind::Contified && callee != self.host;
        match info.function {
            Some(join) if is_first && join.join && loc.at != 0 && loc.at == join.loc.at => {
                self.places.inlined[loc.at as usize - 1].call
            }
            _ => loc,
        }
    }

    /// The innermost place of the program's own among what was inlined here: `file.sml:12.7`. Empty when all is the
    /// library's.
    pub(super) fn called_at(&self) -> String {
        let around = |loc: &Loc| (loc.at != 0).then(|| self.places.inlined[loc.at as usize - 1].call);
        let file = |loc: &Loc| self.p.files.get(loc.file as usize);
        let is_own =
            |loc: &Loc| loc.line != 0 && file(loc).is_some_and(|name| !name.starts_with(crate::watch::LIBRARY));
        let own = std::iter::successors(Some(self.loc), around).find(is_own);
        let Some(loc) = own else { return String::new() };
        let mut text = file(&loc).map_or(String::new(), |file| format!("{file}:{}", loc.line));
        if loc.column != 0 {
            text += &format!(".{}", loc.column);
        }
        text
    }

    /// The number of that place, for the header of what is made there; 0 when there is none, or when all numbers are
    /// used up.
    pub fn place_number(&mut self) -> u16 {
        let text = self.called_at();
        if text.is_empty() {
            return 0;
        }
        if let Some(&number) = self.made_at.get(&text) {
            return number;
        }
        let Ok(number) = u16::try_from(self.p.places_before as usize + self.made.len() + 1) else { return 0 };
        self.made.push(text.clone());
        self.made_at.insert(text, number);
        number
    }

    /// What follows allocates: if such places say what, this one does, until the one that is answered is put back.
    pub(super) fn makes(&mut self, what: impl FnOnce(&Self) -> String) -> Loc {
        let here = self.loc;
        if self.p.tells_types {
            let name = Symbol::intern(&format!("[{}]", what(self)));
            // Not a call: copies of it are not counted.
            let mut made = self.places.enter((name, 0), here, true);
            self.loc = self.places.place(&mut made, Loc { at: 0, ..here });
        }
        here
    }

    /// The type of a variable.
    pub(super) fn shown(&self, var: Var) -> String {
        leat_mono::show::show_ty(&self.p.types, self.p.ty(var))
    }
}
