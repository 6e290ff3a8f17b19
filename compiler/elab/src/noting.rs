//! What the elaborator notes for tools, where it looks a name up or binds one: see [`crate::index`].

use crate::basis::{EnvId, NO_VAR, TypeFcn, ValEntry};
use crate::ctx::{Binding, Elab, Notes};
use crate::index::{Candidate, Index, NameKind, Occurrence, Places, Space};
use crate::ir::{ExnRef, TyNameInfo};
use crate::types::Type;
use leat_ast::ir::{LongId, Name};
use leat_base::symbol::sym;
use leat_base::{Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

fn kind_of(binding: &Binding) -> NameKind {
    match binding {
        Binding::Done(ValEntry::Con { .. } | ValEntry::Ref) => NameKind::Constructor,
        Binding::Done(ValEntry::Exn { .. }) => NameKind::Exception,
        _ => NameKind::Value,
    }
}

/// Was a type made under this name? `Int.int` and `Position.int` may be one type.
fn is_called(ty: &TyNameInfo, name: Symbol) -> bool {
    ty.name.as_str().rsplit('.').next() == Some(name.as_str())
}

impl Elab<'_> {
    // ------------------------------------------------------------------- notes

    /// A phrase has a type.
    #[inline]
    pub(crate) fn note_type(&mut self, span: Span, ty: Type) {
        if let Some(notes) = &mut self.notes
            && !notes.without_types
        {
            notes.types.push((span, ty));
        }
    }

    fn note(&mut self, name: Name, kind: NameKind, declared: Span) {
        // What stands for a missing name is none.
        if let Some(notes) = &mut self.notes
            && name.symbol != sym::ERROR
        {
            notes.names.push(Occurrence { name: name.symbol, span: name.span, kind, declared });
        }
    }

    /// A variable is bound here.
    #[inline]
    pub(crate) fn note_var(&mut self, name: Name, ty: Type) {
        if self.notes.is_some() {
            self.note(name, NameKind::Value, name.span);
            self.note_type(name.span, ty);
        }
    }

    /// What was just bound is declared here.
    #[inline]
    pub(crate) fn note_declared(&mut self, kind: NameKind, name: Name) {
        if self.notes.is_some() {
            let space = match kind {
                NameKind::Value | NameKind::Constructor | NameKind::Exception => Space::Val,
                NameKind::Type => Space::Ty,
                NameKind::Structure => Space::Str,
                NameKind::Signature => Space::Sig,
                NameKind::Functor => Space::Functor,
            };
            self.note(name, kind, name.span);
            self.set_place(space, name.symbol, name.span);
        }
    }

    /// A value identifier is used, and stands for this.
    #[inline]
    pub(crate) fn note_value(&mut self, id: &LongId, binding: Option<&Binding>) {
        if self.notes.is_none() {
            return;
        }
        let declared = match (binding, id.qualifiers.is_empty()) {
            (None | Some(Binding::Error), _) => Span::NONE,
            (Some(binding), true) => match self.place(Space::Val, id.symbol) {
                Span::NONE => self.own_place(binding),
                place => place,
            },
            (Some(binding), false) => {
                let place = self.env_of(id).map_or(Span::NONE, |env| self.member_place(env, Space::Val, id.symbol));
                if place.is_none() { self.own_place(binding) } else { place }
            }
        };
        self.note(id.last(), binding.map_or(NameKind::Value, kind_of), declared);
    }

    /// A long identifier of another space is used; its qualifiers have been noted.
    #[inline]
    pub(crate) fn note_long(&mut self, kind: NameKind, id: &LongId) {
        if self.notes.is_none() {
            return;
        }
        let space = if kind == NameKind::Type { Space::Ty } else { Space::Str };
        let mut declared = if id.qualifiers.is_empty() {
            self.place(space, id.symbol)
        } else {
            self.env_of(id).map_or(Span::NONE, |env| self.member_place(env, space, id.symbol))
        };
        if declared.is_none()
            && kind == NameKind::Type
            && let Some(tystr) = self.peek_ty(id)
            && let TypeFcn::Name(t) = tystr.fcn
        {
            declared = self.tables.tynames[t].span;
        }
        self.note(id.last(), kind, declared);
    }

    /// The first part of a qualifier, or another one inside of an environment.
    #[inline]
    pub(crate) fn note_structure(&mut self, name: Name, inside: Option<EnvId>) {
        if self.notes.is_some() {
            let declared = match inside {
                None => self.place(Space::Str, name.symbol),
                Some(env) => self.member_place(env, Space::Str, name.symbol),
            };
            self.note(name, NameKind::Structure, declared);
        }
    }

    /// A type is named as a signature specifies it, not as it is in scope: in `where type`.
    pub(crate) fn note_specified_type(&mut self, mut env: EnvId, id: &LongId) {
        if self.notes.is_none() {
            return;
        }
        for part in id.parts().take(id.qualifiers.len()) {
            self.note_structure(part, Some(env));
            let Some(inner) = self.tables.modules.envs[env].strs.get(part.symbol) else { return };
            env = *inner;
        }
        let declared = self.member_place(env, Space::Ty, id.symbol);
        self.note(id.last(), NameKind::Type, declared);
    }

    /// A signature or a functor is used.
    #[inline]
    pub(crate) fn note_used(&mut self, kind: NameKind, name: Name) {
        if self.notes.is_some() {
            let space = if kind == NameKind::Functor { Space::Functor } else { Space::Sig };
            let declared = self.place(space, name.symbol);
            self.note(name, kind, declared);
        }
    }

    /// The signature that a name means.
    pub(crate) fn used_sig(&mut self, name: Name) -> Option<crate::basis::SigId> {
        self.answer(&LongId::short(name));
        self.note_used(NameKind::Signature, name);
        self.sig(name.symbol)
    }

    /// A structure matches a signature: where the names that the signature leaves are declared. Each is the
    /// structure's, and linked with its specification; without a place of that it is noted as specified.
    pub(crate) fn matched_places(&mut self, spec: EnvId, actual: EnvId) -> Places {
        if self.notes.is_none() {
            return Places::default();
        }
        let env = &self.tables.modules.envs[spec];
        let mut names: Vec<(Space, Symbol)> = vec![];
        names.extend(env.vals.iter().map(|v| (Space::Val, v.0)));
        names.extend(env.tys.iter().map(|t| (Space::Ty, t.0)));
        names.extend(env.strs.iter().map(|s| (Space::Str, s.0)));
        let mut places = FxHashMap::default();
        let (mut links, mut specified) = (vec![], vec![]);
        for (space, name) in names {
            let (a, b) = (self.member_place(spec, space, name), self.member_place(actual, space, name));
            places.insert((space, name), if b.is_none() { a } else { b });
            match (a.is_none(), b.is_none()) {
                (true, false) => specified.push(b),
                (false, false) if a != b => links.push((a, b)),
                _ => {}
            }
        }
        if let Some(notes) = &mut self.notes {
            notes.links.extend(links);
            notes.specified.extend(specified);
        }
        Places::new(places)
    }

    // ------------------------------------------------------------------ places

    /// Where a name in scope is declared.
    pub(crate) fn place(&self, space: Space, name: Symbol) -> Span {
        match self.scope_place(space, name) {
            Some(place) => place,
            None => self
                .basis
                .layers()
                .find_map(|l| l.binds(space, name).then(|| l.env.places.get(space, name)))
                .unwrap_or(Span::NONE),
        }
    }

    /// Where a name that an environment binds is declared.
    pub(crate) fn member_place(&self, env: EnvId, space: Space, name: Symbol) -> Span {
        let env = &self.tables.modules.envs[env];
        let place = env.places.get(space, name);
        if !place.is_none() {
            return place;
        }
        match space {
            Space::Val => env.vals.get(name).map_or(Span::NONE, |entry| self.own_place(&Binding::Done(entry.clone()))),
            // The library's, whose environments have no places.
            Space::Ty => match env.tys.get(name).map(|tystr| &tystr.fcn) {
                Some(TypeFcn::Name(t)) if is_called(&self.tables.tynames[*t], name) => self.tables.tynames[*t].span,
                _ => Span::NONE,
            },
            _ => Span::NONE,
        }
    }

    /// Where the constructors of a type are declared that gets a second name.
    pub(crate) fn constructor_places(&self, ty: &LongId, list: crate::basis::ConListId) -> Vec<(Symbol, Span)> {
        if self.notes.is_none() {
            return vec![];
        }
        let env = self.env_of(ty);
        let place = |name: Symbol| match env {
            Some(env) => self.member_place(env, Space::Val, name),
            None => self.place(Space::Val, name),
        };
        self.con_names(list).into_iter().map(|name| (name, place(name))).collect()
    }

    /// Where a value is declared, as far as it knows that itself.
    pub(crate) fn own_place(&self, binding: &Binding) -> Span {
        let var = match binding {
            Binding::Local { var, .. } => Some(*var),
            Binding::Done(ValEntry::Var { var, .. }) => Some(*var),
            Binding::Done(ValEntry::Exn { exn: ExnRef::Var(var), .. }) => Some(*var),
            Binding::Done(ValEntry::Con { list, .. }) => {
                return self.tables.tynames[self.tables.modules.con_lists[*list].name].span;
            }
            _ => None,
        };
        match var {
            Some(var) if var != NO_VAR => self.tables.vars[var].span,
            _ => Span::NONE,
        }
    }

    /// The environment that the qualifiers of an identifier name; no message.
    fn env_of(&self, id: &LongId) -> Option<EnvId> {
        let mut env = self.structure(*id.qualifiers.first()?)?;
        for q in &id.qualifiers[1..] {
            env = *self.tables.modules.envs[env].strs.get(*q)?;
        }
        Some(env)
    }

    pub(crate) fn peek_ty(&self, id: &LongId) -> Option<&crate::basis::TyStr> {
        if id.qualifiers.is_empty() {
            return self.ty_by_name(id.symbol);
        }
        self.tables.modules.envs[self.env_of(id)?].tys.get(id.symbol)
    }

    // --------------------------------------------------------------- questions

    /// Is this the identifier that is asked about? Then what may stand there is kept.
    #[inline]
    pub(crate) fn answer(&mut self, id: &LongId) {
        if let Some(notes) = &self.notes
            && notes.ask.is_some_and(|ask| ask == id.last().span)
            && notes.candidates.is_empty()
        {
            let found = if id.qualifiers.is_empty() { self.all_in_scope() } else { self.all_in(id) };
            if let Some(notes) = &mut self.notes {
                notes.candidates = found;
            }
        }
    }

    fn all_in(&mut self, id: &LongId) -> Vec<Candidate> {
        let Some(env) = self.env_of(id) else { return vec![] };
        let env_data = self.tables.modules.envs[env].clone();
        let mut found = vec![];
        for (name, entry) in env_data.vals.iter() {
            let declared = self.member_place(env, Space::Val, *name);
            let binding = Binding::Done(entry.clone());
            found.push(self.value_candidate(*name, &binding, declared, true));
        }
        for (name, _) in env_data.tys.iter() {
            let declared = self.member_place(env, Space::Ty, *name);
            found.push(Candidate { name: *name, kind: NameKind::Type, ty: String::new(), declared, own: true });
        }
        for (name, _) in env_data.strs.iter() {
            let declared = self.member_place(env, Space::Str, *name);
            found.push(Candidate { name: *name, kind: NameKind::Structure, ty: String::new(), declared, own: true });
        }
        found
    }

    fn all_in_scope(&mut self) -> Vec<Candidate> {
        let mut found = vec![];
        let mut seen: FxHashSet<(NameKind, Symbol)> = FxHashSet::default();
        let own: Vec<Symbol> = self.scope_names(0);
        let basis = self.basis;
        let vals = own.into_iter().map(|n| (n, true));
        let vals = vals.chain(basis.layers().flat_map(|l| l.env.vals.iter()).map(|v| (v.0, false)));
        for (name, own) in vals {
            if seen.insert((NameKind::Value, name))
                && let Some(binding) = self.val(name)
            {
                let declared = self.place(Space::Val, name);
                found.push(self.value_candidate(name, &binding, declared, own));
            }
        }
        let mut others: Vec<(NameKind, Space, Symbol, bool)> = vec![];
        for (kind, space, number) in [
            (NameKind::Type, Space::Ty, 1),
            (NameKind::Structure, Space::Str, 2),
            (NameKind::Signature, Space::Sig, 3),
            (NameKind::Functor, Space::Functor, 4),
        ] {
            others.extend(self.scope_names(number).into_iter().map(|n| (kind, space, n, true)));
        }
        for layer in basis.layers() {
            others.extend(layer.env.tys.iter().map(|t| (NameKind::Type, Space::Ty, t.0, false)));
            others.extend(layer.env.strs.iter().map(|t| (NameKind::Structure, Space::Str, t.0, false)));
            others.extend(layer.sigs.iter().map(|t| (NameKind::Signature, Space::Sig, t.0, false)));
            others.extend(layer.functors.iter().map(|t| (NameKind::Functor, Space::Functor, t.0, false)));
        }
        for (kind, space, name, own) in others {
            if seen.insert((kind, name)) {
                let declared = self.place(space, name);
                found.push(Candidate { name, kind, ty: String::new(), declared, own });
            }
        }
        found
    }

    fn value_candidate(&mut self, name: Symbol, binding: &Binding, declared: Span, own: bool) -> Candidate {
        let ty = match binding {
            Binding::Local { ty, .. } => self.show(*ty),
            Binding::Done(entry) => {
                let notes = self.notes.take();
                let e = self.elab_entry(entry, Span::NONE);
                self.notes = notes;
                let ty = e.ty;
                self.show(ty)
            }
            Binding::Error => String::new(),
        };
        Candidate { name, kind: kind_of(binding), ty, declared, own }
    }

    // --------------------------------------------------------------------- end

    /// What was noted, with Core types.
    pub(crate) fn finish_notes(&mut self) -> Option<Index> {
        let mut notes = self.notes.take()?;
        let types = std::mem::take(&mut notes.types).into_iter();
        let types = types.map(|(span, ty)| (span, self.finish(ty))).collect();
        let Notes { names, links, specified, candidates, .. } = *notes;
        Some(Index { names, types, links, specified, candidates })
    }
}
