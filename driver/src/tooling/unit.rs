//! A unit of a session that works for a tool: analysed only when it was not analysed before.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use leat_ast::FixityEnv;
use leat_base::{EntityId, FileId};
use leat_elab::basis::FunctorId;
use leat_elab::ir::DecKind;
use leat_elab::{Basis, Index, Tables};
use leat_lambda::ir::Lambda;

use super::interface::{self, Moved};
use super::kept::{Analysed, Scope, Tooling};
use crate::front::{Checked, check_text};
use crate::session::{Session, Unit};
use crate::stage::Failure;
use crate::units::settings::Settings;

/// What [`Session::check_unit`] does for a tool: never fails but when interrupted, and remembers.
pub(crate) fn check_once(
    session: &mut Session,
    file: FileId,
    part: Range<usize>,
    basis: &Basis,
    fixity: &mut FixityEnv,
    settings: &Settings,
) -> Result<Unit, Failure> {
    let whole = session.sources.get(file).map_or("", |source| &*source.text);
    let scope = Scope { basis: basis.stamp(), infixes: fixity.iter().collect(), settings: settings.clone() };
    let text: Arc<str> = whole.into();
    let tooling = session.tooling.as_mut().expect("a tool's session");
    let is_same = |unit: &&Rc<Analysed>| {
        unit.range == part && unit.scope == scope && unit.text.get(..part.end) == text.get(..part.end)
    };
    // Another program may have the file in the same scope.
    let known = tooling.kept().find_map(|units| units.get(&file)?.iter().find(is_same)).cloned();
    let unit = match known {
        Some(unit) => {
            // The same names, but they may have moved.
            unit.before.replace(basis.clone());
            put(tooling, &unit, &text);
            unit
        }
        None => {
            let reached = tooling.reached.is_some_and(|reached| reached != file);
            if reached || tooling.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
                return Err(Failure::Stopped);
            }
            assert!(!tooling.defect.as_ref().is_some_and(|word| text.contains(word)), "a defect was planted here");
            if session.sources.get(file).is_some_and(|source| tooling.awaited.contains(&*source.name)) {
                tooling.reached = Some(file);
            }
            // What stood in this place of the file, if that was one thing: of a file that the program has in several
            // scopes, who uses it has noted places and not in which scope.
            let of_file = tooling.units.entry(file).or_default();
            let here: Vec<usize> = (0..of_file.len()).filter(|&at| of_file[at].range.start == part.start).collect();
            let old = if let [at] = here[..]
                && !is_walked(&tooling.walked, &of_file[at])
            {
                Some(of_file.remove(at))
            } else {
                None
            };
            let (new, moved) = analyse(session, (file, part, text), basis, fixity.clone(), scope, old)?;
            let new = Rc::new(new);
            let tooling = session.tooling.as_mut().expect("as above");
            put(tooling, &new, &new.text);
            if let Some(moved) = moved {
                take_place(tooling, &mut session.tables, &new, moved);
            }
            new
        }
    };
    for (name, declared) in &unit.fixities {
        fixity.declare(*name, *declared);
    }
    let tooling = session.tooling.as_mut().expect("as above");
    tooling.walked.push(unit.clone());
    let added = unit.added.borrow().clone();
    Ok(Unit { lambda: Lambda::default(), added, fixities: unit.fixities.clone() })
}

/// Adds a unit to those of the present program, behind the others of its file that this walk has come by, and instead
/// of what stood in its place when the text was another one. What is of this text the walk may come by yet, if the
/// program has the file in several scopes; else it ends with the walk.
fn put(tooling: &mut Tooling, new: &Rc<Analysed>, text: &str) {
    let Tooling { units, walked, .. } = tooling;
    let of_file = units.entry(new.file).or_default();
    let is_apart = |unit: &Analysed| unit.range.end <= new.range.start || unit.range.start >= new.range.end;
    let is_of_text = |unit: &Analysed| text.get(..unit.range.end) == unit.text.get(..unit.range.end);
    of_file.retain(|unit| {
        is_walked(walked, unit)
            || !Rc::ptr_eq(unit, new) && unit.range.end <= text.len() && (is_apart(unit) || is_of_text(unit))
    });
    if !of_file.iter().any(|unit| Rc::ptr_eq(unit, new)) {
        let first = of_file.iter().take_while(|unit| is_walked(walked, unit)).count();
        of_file.insert(first, new.clone());
    }
}

/// Has the present walk come by it?
fn is_walked(walked: &[Rc<Analysed>], unit: &Rc<Analysed>) -> bool {
    walked.iter().any(|other| Rc::ptr_eq(other, unit))
}

/// A unit and, if it binds what its predecessor has bound, where that is declared now.
fn analyse(
    session: &mut Session,
    (file, range, text): (FileId, Range<usize>, Arc<str>),
    basis: &Basis,
    fixity: FixityEnv,
    scope: Scope,
    old: Option<Rc<Analysed>>,
) -> Result<(Analysed, Option<Moved>), Failure> {
    let (mut seen, mut moved) = (None, None);
    if let Some(old) = &old {
        // Others that have it may ask for its types yet.
        if session.tables.checkpoint() == old.tables.1 && Rc::strong_count(old) == 1 {
            // Nobody has seen what it bound last, and nothing but that is lost.
            session.tables.roll_back(old.tables.0);
            seen = old.seen.borrow().clone();
        } else {
            seen = Some((old.added.borrow().clone(), old.fixities.clone()));
        }
    }
    let before = session.tables.checkpoint();
    let functors = session.tables.modules.functors.len();
    let mut how = scope.settings.how();
    how.elaboration.index = true;
    let mut checked = check_text(session, file, range.clone(), basis, &mut fixity.clone(), &how)?;
    if checked.lambda.is_some() {
        scope.settings.adjust(&mut checked.diagnostics);
    }
    let Checked { program, fixities, diagnostics, added: own, index, .. } = checked;
    let mut added = own.clone();
    drop_bodies(session, functors);
    let after = session.tables.checkpoint();
    // For those who depend on it: is it as it was?
    if let Some((bound, infixes)) = &seen
        && *infixes == fixities
        && let Some(same) = interface::same(&mut session.tables, before, (file, range.start), bound, &own)
    {
        moved = Some(same.moved);
        added = same.basis;
        seen = Some((added.clone(), fixities.clone()));
    }
    let index = index.unwrap_or_default();
    let analysed = Analysed {
        file,
        range,
        text,
        program,
        diagnostics,
        index: RefCell::new(index),
        before: RefCell::new(basis.clone()),
        fixity,
        named_in: session.named_in,
        scope,
        added: RefCell::new(added),
        own: RefCell::new(own),
        fixities,
        seen: RefCell::new(seen),
        tables: (before, after),
    };
    Ok((analysed, moved))
}

/// The bodies of the functors from this one on have been checked ([`check_text`]), and nothing is made of their copies:
/// but exceptions are kept, which are others in each application. A program of functors that apply functors would be
/// elaborated many times otherwise.
fn drop_bodies(session: &mut Session, first: usize) {
    let functors = &mut session.tables.modules.functors;
    for id in (first..functors.len()).map(FunctorId::from_index) {
        let body = &functors[id].body;
        let exceptions = body.iter().filter(|dec| matches!(dec.kind, DecKind::Exception { .. })).cloned().collect();
        functors[id].body = exceptions;
    }
}

/// A unit binds what its predecessor has bound, but declarations have moved: so do the notes of all who use them, in
/// all programs that have those bindings, and what they bind themselves that is declared there. It takes the place of
/// its predecessors there, so that the next move finds them.
fn take_place(tooling: &mut Tooling, tables: &mut Tables, new: &Rc<Analysed>, mut moved: Moved) {
    // A unit may be of several programs; the new one has the new places.
    let mut done: HashSet<*const Analysed> = HashSet::from([Rc::as_ptr(new)]);
    let stamp = new.added.borrow().stamp();
    for units in tooling.kept_mut() {
        let Some(of_file) = units.get_mut(&new.file) else { continue };
        // Two units with one stamp bind the same variables and types.
        let of_kin = |unit: &&mut Rc<Analysed>| unit.added.borrow().stamp() == stamp;
        let Some(kin) = of_file.iter_mut().find(of_kin) else { continue };
        *kin = new.clone();
        if moved.is_empty() {
            continue;
        }
        for unit in units.values().flatten().filter(|unit| done.insert(Rc::as_ptr(unit))) {
            let mut index = unit.index.borrow_mut();
            let Index { names, links, specified, .. } = &mut *index;
            let ends = links.iter_mut().flat_map(|(a, b)| [a, b]).chain(specified);
            for place in names.iter_mut().map(|name| &mut name.declared).chain(ends) {
                *place = moved.place(*place);
            }
            let seen = &mut *unit.seen.borrow_mut();
            let bases = [&unit.before, &unit.added, &unit.own].map(RefCell::borrow_mut);
            for mut basis in bases {
                *basis = moved.in_basis(tables, &basis);
            }
            if let Some((basis, _)) = seen {
                *basis = moved.in_basis(tables, basis);
            }
        }
    }
}
