//! A unit of a session that works for a tool: analysed only when it was not analysed before.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use leat_ast::FixityEnv;
use leat_base::{EntityId, FileId, Span};
use leat_elab::basis::FunctorId;
use leat_elab::ir::DecKind;
use leat_elab::{Basis, Index};
use leat_lambda::ir::Lambda;

use super::interface;
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
    let of_file = tooling.units.entry(file).or_default();
    let unit = match known {
        Some(unit) => {
            // The same names, but they may have moved.
            unit.before.replace(basis.clone());
            if !of_file.iter().any(|own| Rc::ptr_eq(own, &unit)) {
                put(of_file, &unit);
            }
            drop_behind(of_file, text.len());
            unit
        }
        None => {
            let reached = tooling.reached.is_some_and(|reached| reached != file);
            if reached || tooling.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
                return Err(Failure::Stopped);
            }
            if session.sources.get(file).is_some_and(|source| tooling.awaited.contains(&*source.name)) {
                tooling.reached = Some(file);
            }
            // What stands in this place of the file now, or stood there in the same scope.
            let old = of_file.iter().position(|unit| unit.range.start == part.start && unit.scope == scope);
            let old = old.or_else(|| of_file.iter().position(|unit| unit.range.start == part.start));
            let old = old.map(|i| of_file.remove(i));
            let (new, moved) = analyse(session, (file, part, text), basis, fixity.clone(), scope, old)?;
            let new = Rc::new(new);
            let tooling = session.tooling.as_mut().expect("as above");
            let of_file = tooling.units.entry(file).or_default();
            put(of_file, &new);
            drop_behind(of_file, new.text.len());
            if let Some(moved) = moved {
                take_place(tooling, &new, &moved);
            }
            new
        }
    };
    for (name, declared) in &unit.fixities {
        fixity.declare(*name, *declared);
    }
    let tooling = session.tooling.as_mut().expect("as above");
    tooling.walked.push(unit.clone());
    Ok(Unit { lambda: Lambda::default(), added: unit.added.clone(), fixities: unit.fixities.clone() })
}

/// Adds a unit of a file, instead of what stood in its place.
fn put(of_file: &mut Vec<Rc<Analysed>>, new: &Rc<Analysed>) {
    of_file.retain(|unit| unit.range.end <= new.range.start || unit.range.start >= new.range.end);
    of_file.push(new.clone());
}

/// Where the text is shorter now, what stood behind its end is there no more.
fn drop_behind(of_file: &mut Vec<Rc<Analysed>>, end: usize) {
    of_file.retain(|unit| unit.range.end <= end);
}

/// A unit and, if it binds what its predecessor has bound, where that is declared now.
fn analyse(
    session: &mut Session,
    (file, range, text): (FileId, Range<usize>, Arc<str>),
    basis: &Basis,
    fixity: FixityEnv,
    scope: Scope,
    old: Option<Rc<Analysed>>,
) -> Result<(Analysed, Option<HashMap<Span, Span>>), Failure> {
    let (mut seen, mut moved) = (None, None);
    if let Some(old) = &old {
        // Others that have it may ask for its types yet.
        if session.tables.checkpoint() == old.tables.1 && Rc::strong_count(old) == 1 {
            // Nobody has seen what it bound last, and nothing but that is lost.
            session.tables.roll_back(old.tables.0);
            seen = old.seen.clone();
        } else {
            seen = Some((old.added.clone(), old.fixities.clone()));
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
    let Checked { program, fixities, diagnostics, mut added, index, .. } = checked;
    drop_bodies(session, functors);
    let after = session.tables.checkpoint();
    // For those who depend on it: is it as it was?
    if let Some((bound, infixes)) = &seen
        && *infixes == fixities
        && let Some(same) = interface::same(&mut session.tables, before, bound, &added)
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
        added,
        fixities,
        seen,
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
/// all programs that have those bindings. It takes the place of its predecessors there, so that the next move finds
/// them.
fn take_place(tooling: &mut Tooling, new: &Rc<Analysed>, moved: &HashMap<Span, Span>) {
    // A unit may be of several programs; the new one has the new places.
    let mut done: HashSet<*const Analysed> = HashSet::from([Rc::as_ptr(new)]);
    for units in tooling.kept_mut() {
        let Some(of_file) = units.get_mut(&new.file) else { continue };
        // Two units with one stamp bind the same variables and types.
        let of_kin = |unit: &&mut Rc<Analysed>| unit.added.stamp() == new.added.stamp();
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
                if let Some(new) = moved.get(place) {
                    *place = *new;
                }
            }
        }
    }
}
