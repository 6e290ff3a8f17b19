//! A session's declarations: what each unit adds, and what a new one needs of the units and the library before it.
//!
//! A declaration is one of two things. *Code* (a function, anything polymorphic, another name of something) is kept as
//! Lambda and becomes part of each unit that uses it, at the types that it asks for. A *value* (any other declaration
//! of a variable, and each exception) is evaluated once, by the unit that declares it or, of the library, by the first
//! that uses it; it is put into a slot of the session, where later units find it. So effects happen once, and a ref, an
//! exception or a buffer of the library is the same one for all units. Functions that large units have asked for again
//! and again are values at last: their closures are put into slots. See
//! docs/internals/decisions/007-incremental-units.md.

use crate::image::Image;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A slot of the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub number: u32,
    /// It holds an exception's descriptor.
    pub exception: bool,
}

/// What is compiled together.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// In order of evaluation: the library's, earlier units' code, the unit's own. Of code only what is reached from
    /// something that is evaluated; so a unit that does nothing but declare code has nothing here.
    pub decs: Vec<Rc<TopDec>>,
    /// So many are the library's. When those are evaluated, 1 is put into the slot `library_done`.
    pub library: usize,
    pub library_done: Option<u32>,
    /// When all are evaluated, 1 is put into this slot: a unit may also be left by a jump into an earlier one.
    pub done: u32,
    /// Variables of earlier units, with their slots.
    pub imports: Vec<(Var, Slot)>,
    /// Variables that it evaluates, with the slots that they are put into.
    pub exports: FxHashMap<Var, Slot>,
    /// Numbers in the image of the library's declarations.
    library_decs: Vec<u32>,
    /// So many behind those are earlier units'.
    earlier: usize,
    /// All that it declares.
    own: Vec<Rc<TopDec>>,
}

/// A unit with more declarations of earlier units is large.
const LARGE: usize = 50;

/// The declarations of all units so far.
#[derive(Default)]
pub struct Session {
    code: FxHashMap<Var, (u32, Rc<TopDec>)>,
    slots: FxHashMap<Var, Slot>,
    /// By number of a declaration of code: a large unit has had it.
    lowered: Vec<bool>,
    library: FxHashMap<u32, Rc<TopDec>>,
    /// Of the library's declarations with an effect: evaluated.
    effects: FxHashSet<u32>,
    next_slot: u32,
}

impl Session {
    /// A new slot.
    pub fn new_slot(&mut self) -> u32 {
        self.next_slot += 1;
        self.next_slot - 1
    }

    /// The slot of a variable whose declaration was evaluated.
    pub fn slot(&self, var: Var) -> Option<Slot> {
        self.slots.get(&var).copied()
    }

    /// Puts a unit together. `visible`: a later unit may name this variable; `shown`: its value will be looked at. The
    /// error says that the image is damaged.
    pub fn unit(
        &mut self,
        image: &Image<'_>,
        own: Lambda,
        visible: impl Fn(Var) -> bool,
        shown: impl Fn(Var) -> bool,
    ) -> Result<Unit, String> {
        let mut unit = Unit { own: own.decs.into_iter().map(Rc::new).collect(), ..Unit::default() };
        let mut own_of: FxHashMap<Var, usize> = FxHashMap::default();
        for (i, top) in unit.own.iter().enumerate() {
            own_of.extend(top.dec.binds().into_iter().map(|var| (var, i)));
        }
        // What a later unit takes of this unit's code may mention these.
        let by_code: FxHashSet<Var> =
            unit.own.iter().filter(|top| is_code(&top.dec)).flat_map(|top| top.uses.iter().copied()).collect();
        let is_evaluated = |top: &TopDec| !is_code(&top.dec) || top.effect || top.dec.binds().into_iter().any(&shown);
        let mut reached: Vec<bool> = unit.own.iter().map(|top| is_evaluated(top)).collect();
        if !reached.contains(&true) {
            return Ok(unit);
        }

        let mut seen: FxHashSet<Var> = FxHashSet::default();
        let mut earlier: FxHashMap<u32, Rc<TopDec>> = FxHashMap::default();
        let mut library: FxHashMap<u32, Rc<TopDec>> = FxHashMap::default();
        let mut work: Vec<Rc<TopDec>> =
            unit.own.iter().zip(&reached).filter(|own| *own.1).map(|own| own.0.clone()).collect();
        for effect in image.effects() {
            if self.effects.contains(&effect) {
                continue;
            }
            let top = self.decode(image, effect)?;
            library.insert(effect, top.clone());
            work.push(top);
        }
        while let Some(top) = work.pop() {
            for &var in &top.uses {
                if !seen.insert(var) {
                    continue;
                }
                if let Some(&i) = own_of.get(&var) {
                    if !std::mem::replace(&mut reached[i], true) {
                        work.push(unit.own[i].clone());
                    }
                } else if let Some((number, top)) = self.code.get(&var) {
                    if earlier.insert(*number, top.clone()).is_none() {
                        work.push(top.clone());
                    }
                } else if let Some(&slot) = self.slots.get(&var) {
                    unit.imports.push((var, slot));
                } else if let Some(dec) = image.dec_of(var)
                    && !library.contains_key(&dec)
                {
                    let top = self.decode(image, dec)?;
                    library.insert(dec, top.clone());
                    work.push(top);
                }
            }
        }

        let mut library: Vec<(u32, Rc<TopDec>)> = library.into_iter().collect();
        library.sort_by_key(|dec| dec.0);
        let mut earlier: Vec<(u32, Rc<TopDec>)> = earlier.into_iter().collect();
        earlier.sort_by_key(|dec| dec.0);
        for (_, top) in library.iter().filter(|(_, top)| !is_code(&top.dec)) {
            self.export(&mut unit.exports, &top.dec, |_| true);
        }
        if earlier.len() > LARGE {
            // To compile them a third time, and so on, would make a program of n declarations cost n squared.
            for (number, top) in &earlier {
                if std::mem::replace(&mut self.lowered[*number as usize], true) {
                    self.export_functions(&mut unit.exports, &top.dec);
                }
            }
        }
        for top in &unit.own {
            let is_code = is_code(&top.dec);
            let wanted = |var| shown(var) || !is_code && (visible(var) || by_code.contains(&var));
            self.export(&mut unit.exports, &top.dec, wanted);
        }
        unit.library = library.len();
        if library.iter().any(|(_, top)| top.effect || !is_code(&top.dec)) {
            unit.library_done = Some(self.new_slot());
        }
        unit.done = self.new_slot();
        unit.library_decs = library.iter().map(|dec| dec.0).collect();
        unit.earlier = earlier.len();
        let parts = library.into_iter().chain(earlier).map(|dec| dec.1);
        let own = unit.own.iter().zip(reached).filter(|own| own.1).map(|own| own.0.clone());
        unit.decs = parts.chain(own).collect();
        // The order of imports decides nothing; that it is always the same makes dumps comparable.
        unit.imports.sort_by_key(|import| import.0);
        Ok(unit)
    }

    fn decode(&mut self, image: &Image<'_>, dec: u32) -> Result<Rc<TopDec>, String> {
        if let Some(top) = self.library.get(&dec) {
            return Ok(top.clone());
        }
        let top = Rc::new(image.decode(dec)?);
        self.library.insert(dec, top.clone());
        Ok(top)
    }

    fn export(&mut self, exports: &mut FxHashMap<Var, Slot>, dec: &Dec, wanted: impl Fn(Var) -> bool) {
        let exception = match &dec.kind {
            DecKind::Val { tyvars, .. } if tyvars.is_empty() => false,
            DecKind::Exception { .. } => true,
            _ => return,
        };
        for var in dec.binds().into_iter().filter(|&var| wanted(var)) {
            let slot = Slot { number: self.new_slot(), exception };
            exports.insert(var, slot);
        }
    }

    /// Functions of one type, which can be values.
    fn export_functions(&mut self, exports: &mut FxHashMap<Var, Slot>, dec: &Dec) {
        let is_function = match &dec.kind {
            DecKind::Fun { tyvars, .. } => tyvars.is_empty(),
            DecKind::Val { tyvars, exp, .. } => {
                tyvars.is_empty() && matches!(exp.kind, ExpKind::Fn(..) | ExpKind::Var(..))
            }
            DecKind::Exception { .. } => false,
        };
        if is_function {
            exports
                .extend(dec.binds().into_iter().map(|var| (var, Slot { number: self.new_slot(), exception: false })));
        }
    }

    /// The library's part of a unit was evaluated.
    pub fn commit_library(&mut self, unit: &Unit) {
        for (&dec, top) in unit.library_decs.iter().zip(&unit.decs) {
            if top.effect {
                self.effects.insert(dec);
            }
            self.commit_slots(unit, &top.dec);
        }
    }

    /// The unit has ended in whatever way. The functions of earlier units that it has put into slots are values now,
    /// and code no more. `is_set`: there is something in this slot.
    pub fn commit_earlier(&mut self, unit: &Unit, is_set: impl Fn(u32) -> bool) {
        for top in &unit.decs[unit.library..unit.library + unit.earlier] {
            for var in top.dec.binds() {
                if let Some(&slot) = unit.exports.get(&var)
                    && is_set(slot.number)
                {
                    self.slots.insert(var, slot);
                    self.code.remove(&var);
                }
            }
        }
    }

    /// The unit was evaluated.
    pub fn commit(&mut self, unit: Unit) {
        for top in &unit.own {
            self.commit_slots(&unit, &top.dec);
            if is_code(&top.dec) {
                let number = self.lowered.len() as u32;
                self.lowered.push(false);
                for var in top.dec.binds() {
                    self.code.insert(var, (number, top.clone()));
                }
            }
        }
    }

    fn commit_slots(&mut self, unit: &Unit, dec: &Dec) {
        for var in dec.binds() {
            if let Some(&slot) = unit.exports.get(&var) {
                self.slots.insert(var, slot);
            }
        }
    }
}

/// May it be evaluated by each unit that uses it, and not be known from one evaluated once?
fn is_code(dec: &Dec) -> bool {
    match &dec.kind {
        DecKind::Val { tyvars, exp, .. } => {
            let simple = matches!(
                exp.kind,
                ExpKind::Const(_)
                    | ExpKind::Var(..)
                    | ExpKind::Con(..)
                    | ExpKind::ExnCon(_)
                    | ExpKind::Prim(..)
                    | ExpKind::Fn(..)
            );
            !tyvars.is_empty() || simple
        }
        DecKind::Fun { .. } => true,
        DecKind::Exception { .. } => false,
    }
}
