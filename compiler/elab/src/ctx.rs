//! The elaborator's state, and its context C: what is in scope, with undo.
//!
//! A name is looked up in a hash map of the unit's own bindings, then in the layers of the basis. Bindings go on a
//! trail: leaving a scope undoes it to a mark, and the environment of a declaration is what its part of the trail
//! names.

use crate::basis::{Basis, ConListId, Env, EnvId, FunctorId, SigId, SortedMap, TyStr, ValEntry};
use crate::index::{Candidate, NameKind, Occurrence, Places, Space};
use crate::ir::{TyVar, Var, VarInfo};
use crate::tables::Tables;
use crate::types::{Type, Unifier};
use leat_abi::foreign::{Field, Param};
use leat_ast::ir::{Ast, IntLit, LongId, Name, Program};
use leat_base::{Diagnostic, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a value identifier stands for while its unit is elaborated.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// As in a basis.
    Done(ValEntry),
    /// Bound inside an expression or by the declaration at hand: the type may still have unification variables.
    Local { var: Var, tyvars: Box<[TyVar]>, ty: Type },
    /// Of an erroneous declaration: any type.
    Error,
}

#[derive(Debug)]
enum Undo {
    Val(Symbol, Option<Binding>),
    Ty(Symbol, Option<TyStr>),
    Str(Symbol, Option<EnvId>),
    Sig(Symbol, Option<SigId>),
    Functor(Symbol, Option<FunctorId>),
    TyVar(Symbol, Option<TyVar>),
    Place(Space, Symbol, Option<Span>),
}

/// The unit's bindings. Part of [`Elab`].
#[derive(Default)]
pub(crate) struct Scope {
    vals: FxHashMap<Symbol, Binding>,
    tys: FxHashMap<Symbol, TyStr>,
    strs: FxHashMap<Symbol, EnvId>,
    sigs: FxHashMap<Symbol, SigId>,
    functors: FxHashMap<Symbol, FunctorId>,
    /// Type variables in scope. (U of the context.)
    tyvars: FxHashMap<Symbol, TyVar>,
    /// Where the names are declared, for tools.
    places: FxHashMap<(Space, Symbol), Span>,
    trail: Vec<Undo>,
}

/// A place on the trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark(usize);

/// An operator or constant whose type decides what it is.
pub(crate) struct OverloadSite {
    pub op: crate::basis::Op,
    pub operand: Type,
    pub span: Span,
}

/// A constant whose range depends on its type.
pub(crate) struct LiteralSite {
    pub ty: Type,
    pub literal: IntLit,
    pub span: Span,
}

/// What is checked at the end of each run of core declarations, or of the unit.
#[derive(Default)]
pub(crate) struct Pending {
    pub overloads: Vec<OverloadSite>,
    /// How many of these are settled.
    pub settled: usize,
    pub literals: Vec<LiteralSite>,
    /// Flexible records with the place of the `...` or of the selector.
    pub flexible: Vec<(Type, Span)>,
    /// Overloaded variables that are not an operator's: constants.
    pub constants: Vec<Type>,
    /// Real constants of which the nearest `Real32.real` is not what is nearest to their nearest `real`.
    pub singles: FxHashMap<Span, f32>,
    /// Parts of sequences whose values are thrown away, if they are to be warned about.
    pub thrown_away: Option<Vec<(Type, Span)>>,
    /// Sequences with a `fn` before their last part: nobody can call it. Each with the place of the `fn`.
    pub lost_functions: Vec<(Span, Span)>,
}

/// A variable that would be polymorphic if its declaration did not compute it.
#[derive(Clone, Debug)]
pub(crate) struct Restricted {
    pub name: Symbol,
    /// The expression that computes it.
    pub computed: Span,
    /// The last use at which its type was open.
    pub fixed: Option<Span>,
}

/// What is noted while a unit is elaborated. Part of [`Elab`].
#[derive(Default)]
pub(crate) struct Notes {
    pub names: Vec<Occurrence>,
    pub types: Vec<(Span, Type)>,
    pub without_types: bool,
    pub links: Vec<(Span, Span)>,
    pub specified: Vec<Span>,
    pub candidates: Vec<Candidate>,
    /// The identifier at this place is asked about.
    pub ask: Option<Span>,
}

impl Notes {
    pub(crate) fn new(options: &crate::Options) -> Notes {
        Notes { ask: options.ask, without_types: options.without_types, ..Notes::default() }
    }
}

/// Parameters and result of an exported function.
pub(crate) type InC = (Vec<Param>, Vec<Field>);

/// The elaborator of one unit.
pub(crate) struct Elab<'a> {
    pub ast: &'a Ast,
    /// The declarations of the top level.
    pub tops: &'a [leat_ast::ir::DecId],
    pub basis: &'a Basis,
    pub tables: &'a mut Tables,
    pub diagnostics: Vec<Diagnostic>,
    pub u: Unifier,
    pub scope: Scope,
    pub pending: Pending,
    /// Variables of this unit with their types, for the end.
    pub var_types: Vec<(Var, Type)>,
    /// Names of the structures and functions around, joined by dots.
    pub path: String,
    /// The environment that stands for structures which could not be made.
    pub error_env: Option<EnvId>,
    /// Names already reported as unbound: one message each.
    pub reported: FxHashSet<(Symbol, &'static str)>,
    pub broken: crate::broken::Broken,
    /// Structures with an error of syntax among their declarations: what they lack may stand there.
    pub incomplete: FxHashSet<EnvId>,
    /// What is known for the warnings about unused bindings, if they are asked for.
    pub unused: Option<crate::used::Unused>,
    /// Variables that the value restriction keeps from being polymorphic.
    pub restricted: rustc_hash::FxHashMap<Var, Restricted>,
    /// Where quotations of SML/NJ begin, whose words are no expressions.
    pub quotations: Vec<u32>,
    /// The types that the matches around look at, outermost first.
    pub matched: Vec<Type>,
    /// The structures that were opened so far, in or out of scope.
    pub opened: Vec<(&'a LongId, EnvId)>,
    /// While a structure is compared with a signature: how the signature calls its types.
    pub signature_names: Vec<(crate::ir::TyName, String)>,
    /// For tools: see [`crate::index`].
    pub notes: Option<Box<Notes>>,
    /// See [`crate::Options`].
    pub foreign: bool,
    pub wide: bool,
    /// `--check-foreign`: every call of C is looked at.
    pub checks_foreign: bool,
    /// Exported functions by their names: what the first one of a name is in C, and where its type stands.
    pub exports: FxHashMap<Symbol, (InC, Span)>,
}

impl<'a> Elab<'a> {
    pub(crate) fn new(program: &'a Program, basis: &'a Basis, tables: &'a mut Tables) -> Elab<'a> {
        Elab {
            ast: &program.ast,
            tops: &program.decs,
            basis,
            tables,
            diagnostics: vec![],
            u: Unifier::default(),
            scope: Scope::default(),
            pending: Pending::default(),
            var_types: vec![],
            path: String::new(),
            error_env: None,
            reported: FxHashSet::default(),
            broken: Default::default(),
            incomplete: FxHashSet::default(),
            unused: None,
            restricted: Default::default(),
            quotations: vec![],
            matched: vec![],
            opened: vec![],
            signature_names: vec![],
            notes: None,
            foreign: false,
            wide: false,
            checks_foreign: false,
            exports: FxHashMap::default(),
        }
    }

    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    // ------------------------------------------------------------------ scopes

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.scope.trail.len())
    }

    /// Says where a name in scope is declared.
    pub(crate) fn set_place(&mut self, space: Space, name: Symbol, place: Span) {
        let old = self.scope.places.insert((space, name), place);
        self.scope.trail.push(Undo::Place(space, name, old));
    }

    /// Where a name of this unit is declared.
    pub(crate) fn scope_place(&self, space: Space, name: Symbol) -> Option<Span> {
        self.scope.places.get(&(space, name)).copied()
    }

    pub(crate) fn bind_val(&mut self, name: Symbol, binding: Binding) {
        if self.notes.is_some() {
            self.set_place(Space::Val, name, self.own_place(&binding));
        }
        let old = self.scope.vals.insert(name, binding);
        self.scope.trail.push(Undo::Val(name, old));
    }

    pub(crate) fn bind_ty(&mut self, name: Symbol, tystr: TyStr) {
        if self.notes.is_some() {
            self.set_place(Space::Ty, name, Span::NONE);
        }
        let old = self.scope.tys.insert(name, tystr);
        self.scope.trail.push(Undo::Ty(name, old));
    }

    pub(crate) fn bind_str(&mut self, name: Symbol, env: EnvId) {
        if self.notes.is_some() {
            self.set_place(Space::Str, name, Span::NONE);
        }
        let old = self.scope.strs.insert(name, env);
        self.scope.trail.push(Undo::Str(name, old));
    }

    pub(crate) fn bind_sig(&mut self, name: Symbol, sig: SigId) {
        let old = self.scope.sigs.insert(name, sig);
        self.scope.trail.push(Undo::Sig(name, old));
    }

    pub(crate) fn bind_functor(&mut self, name: Symbol, functor: FunctorId) {
        let old = self.scope.functors.insert(name, functor);
        self.scope.trail.push(Undo::Functor(name, old));
    }

    pub(crate) fn bind_tyvar(&mut self, name: Symbol, tyvar: TyVar) {
        let old = self.scope.tyvars.insert(name, tyvar);
        self.scope.trail.push(Undo::TyVar(name, old));
    }

    /// Binds everything of an environment. `C + E`
    pub(crate) fn bind_env(&mut self, env: &Env) {
        for (name, entry) in env.vals.iter() {
            self.bind_val(*name, Binding::Done(entry.clone()));
        }
        for (name, tystr) in env.tys.iter() {
            self.bind_ty(*name, tystr.clone());
        }
        for (name, env) in env.strs.iter() {
            self.bind_str(*name, *env);
        }
        if self.notes.is_some() {
            for ((space, name), place) in env.places.iter() {
                self.set_place(space, name, place);
            }
        }
    }

    /// Leaves a scope.
    pub(crate) fn undo_to(&mut self, mark: Mark) {
        fn restore<V>(map: &mut FxHashMap<Symbol, V>, name: Symbol, old: Option<V>) {
            match old {
                Some(old) => map.insert(name, old),
                None => map.remove(&name),
            };
        }
        let s = &mut self.scope;
        while s.trail.len() > mark.0 {
            match s.trail.pop() {
                Some(Undo::Val(name, old)) => restore(&mut s.vals, name, old),
                Some(Undo::Ty(name, old)) => restore(&mut s.tys, name, old),
                Some(Undo::Str(name, old)) => restore(&mut s.strs, name, old),
                Some(Undo::Sig(name, old)) => restore(&mut s.sigs, name, old),
                Some(Undo::Functor(name, old)) => restore(&mut s.functors, name, old),
                Some(Undo::TyVar(name, old)) => restore(&mut s.tyvars, name, old),
                Some(Undo::Place(space, name, Some(old))) => drop(s.places.insert((space, name), old)),
                Some(Undo::Place(space, name, None)) => drop(s.places.remove(&(space, name))),
                None => return,
            }
        }
    }

    /// Leaves the scope from `outer` to `inner` and keeps what was bound since `inner`: `local dec in dec' end`.
    pub(crate) fn hide_between(&mut self, outer: Mark, inner: Mark) {
        let mut kept: Vec<Rebind> = vec![];
        let mut seen = FxHashSet::default();
        for undo in self.scope.trail[inner.0..].iter().rev() {
            let s = &self.scope;
            let (space, name) = undo.key();
            if !seen.insert((space, name)) {
                continue;
            }
            kept.extend(match undo {
                Undo::Val(..) => s.vals.get(&name).map(|v| Rebind::Val(name, v.clone())),
                Undo::Ty(..) => s.tys.get(&name).map(|v| Rebind::Ty(name, v.clone())),
                Undo::Str(..) => s.strs.get(&name).map(|&v| Rebind::Str(name, v)),
                Undo::Sig(..) => s.sigs.get(&name).map(|&v| Rebind::Sig(name, v)),
                Undo::Functor(..) => s.functors.get(&name).map(|&v| Rebind::Functor(name, v)),
                Undo::TyVar(..) => None,
                Undo::Place(space, name, _) => s.places.get(&(*space, *name)).map(|&p| Rebind::Place(*space, *name, p)),
            });
        }
        self.undo_to(outer);
        for rebind in kept.into_iter().rev() {
            match rebind {
                Rebind::Val(name, v) => self.bind_val(name, v),
                Rebind::Ty(name, v) => self.bind_ty(name, v),
                Rebind::Str(name, v) => self.bind_str(name, v),
                Rebind::Sig(name, v) => self.bind_sig(name, v),
                Rebind::Functor(name, v) => self.bind_functor(name, v),
                Rebind::Place(space, name, place) => self.set_place(space, name, place),
            }
        }
    }

    /// Names of values bound since `mark`, each once, in order of their last binding's first mention.
    pub(crate) fn vals_since(&self, mark: Mark) -> Vec<Symbol> {
        let mut seen = FxHashSet::default();
        let vals = self.scope.trail[mark.0..].iter().filter_map(|u| match u {
            Undo::Val(name, _) => Some(*name),
            _ => None,
        });
        vals.filter(|n| seen.insert(*n)).collect()
    }

    /// Was a type of this name bound since `mark`?
    pub(crate) fn is_type_bound_since(&self, mark: Mark, ty: Symbol) -> bool {
        self.scope.trail[mark.0..].iter().any(|u| matches!(u, Undo::Ty(name, _) if *name == ty))
    }

    /// Was a structure of this name bound since `mark`?
    pub(crate) fn is_bound_since(&self, mark: Mark, structure: Symbol) -> bool {
        self.scope.trail[mark.0..].iter().any(|u| matches!(u, Undo::Str(name, _) if *name == structure))
    }

    /// Replaces what a value identifier of the present scope stands for.
    pub(crate) fn replace_val(&mut self, name: Symbol, binding: Binding) {
        self.scope.vals.insert(name, binding);
    }

    /// Replaces what a structure identifier of the present scope stands for.
    pub(crate) fn replace_str(&mut self, name: Symbol, env: EnvId) {
        self.scope.strs.insert(name, env);
    }

    pub(crate) fn own_val(&self, name: Symbol) -> Option<&Binding> {
        self.scope.vals.get(&name)
    }

    /// The environment and other names bound since `mark`. All values must be `Done`.
    pub(crate) fn layer_since(&self, mark: Mark) -> crate::basis::Layer {
        let s = &self.scope;
        let mut seen = FxHashSet::default();
        let (mut vals, mut tys, mut strs, mut sigs, mut functors) = (vec![], vec![], vec![], vec![], vec![]);
        let mut places = FxHashMap::default();
        for undo in &s.trail[mark.0..] {
            let (space, name) = undo.key();
            if !seen.insert((space, name)) {
                continue;
            }
            match undo {
                Undo::Val(..) => {
                    if let Some(Binding::Done(v)) = s.vals.get(&name) {
                        vals.push((name, v.clone()));
                    }
                }
                Undo::Ty(..) => tys.extend(s.tys.get(&name).map(|t| (name, t.clone()))),
                Undo::Str(..) => strs.extend(s.strs.get(&name).map(|&e| (name, e))),
                Undo::Sig(..) => sigs.extend(s.sigs.get(&name).map(|&e| (name, e))),
                Undo::Functor(..) => functors.extend(s.functors.get(&name).map(|&e| (name, e))),
                Undo::TyVar(..) => {}
                Undo::Place(space, name, _) => {
                    places.extend(s.places.get(&(*space, *name)).map(|place| ((*space, *name), *place)));
                }
            }
        }
        let places = Places::new(places);
        crate::basis::Layer {
            env: Env { vals: SortedMap::new(vals), tys: SortedMap::new(tys), strs: SortedMap::new(strs), places },
            sigs: SortedMap::new(sigs),
            functors: SortedMap::new(functors),
        }
    }

    /// Takes what was bound since `mark` out of scope and makes a structure's environment of it.
    pub(crate) fn take_env(&mut self, mark: Mark) -> EnvId {
        let layer = self.layer_since(mark);
        self.undo_to(mark);
        self.tables.modules.envs.push(layer.env)
    }

    // ----------------------------------------------------------------- look-up

    pub(crate) fn val(&self, name: Symbol) -> Option<Binding> {
        match self.scope.vals.get(&name) {
            Some(b) => Some(b.clone()),
            None => self.basis.val(name).cloned().map(Binding::Done),
        }
    }

    /// What a value identifier stood for before it stood for what it stands for now.
    pub(crate) fn hidden_val(&self, name: Symbol) -> Option<Binding> {
        let last = self.scope.trail.iter().rev().find_map(|undo| match undo {
            Undo::Val(bound, old) if *bound == name => Some(old.as_ref()),
            _ => None,
        });
        let mut layers = self.basis.layers().filter_map(|layer| layer.env.vals.get(name));
        let of_basis = match last {
            Some(Some(own)) => return Some(own.clone()),
            Some(None) => layers.next(),
            None => layers.nth(1),
        };
        of_basis.cloned().map(Binding::Done)
    }

    pub(crate) fn ty_by_name(&self, name: Symbol) -> Option<&TyStr> {
        self.scope.tys.get(&name).or_else(|| self.basis.ty(name))
    }

    pub(crate) fn structure(&self, name: Symbol) -> Option<EnvId> {
        self.scope.strs.get(&name).copied().or_else(|| self.basis.structure(name))
    }

    pub(crate) fn sig(&self, name: Symbol) -> Option<SigId> {
        self.scope.sigs.get(&name).copied().or_else(|| self.basis.sig(name))
    }

    pub(crate) fn functor(&self, name: Symbol) -> Option<FunctorId> {
        self.scope.functors.get(&name).copied().or_else(|| self.basis.functor(name))
    }

    pub(crate) fn tyvar(&self, name: Symbol) -> Option<TyVar> {
        self.scope.tyvars.get(&name).copied()
    }

    /// Is any type variable in scope?
    pub(crate) fn has_tyvars(&self) -> bool {
        !self.scope.tyvars.is_empty()
    }

    /// The structure that the qualifiers of a long identifier name; reports when there is none.
    pub(crate) fn qualifier(&mut self, id: &LongId) -> Option<EnvId> {
        let mut parts = id.parts();
        let first = parts.next()?;
        self.note_structure(first, None);
        let Some(mut env) = self.structure(first.symbol) else {
            self.unbound_structure(first, None);
            return None;
        };
        let mut path = first.symbol.as_str().to_string();
        for part in parts.take(id.qualifiers.len() - 1) {
            if self.is_error_env(env) {
                return Some(env);
            }
            self.note_structure(part, Some(env));
            match self.tables.modules.envs[env].strs.get(part.symbol) {
                Some(&next) => env = next,
                None => {
                    self.unbound_structure(part, Some((env, &path)));
                    return None;
                }
            }
            path = format!("{path}.{}", part.symbol);
        }
        Some(env)
    }

    /// A value identifier without a message: for questions of identifier status.
    pub(crate) fn peek_val(&self, id: &LongId) -> Option<Binding> {
        if id.qualifiers.is_empty() {
            return self.val(id.symbol);
        }
        let mut env = self.structure(id.qualifiers[0])?;
        for q in &id.qualifiers[1..] {
            env = *self.tables.modules.envs[env].strs.get(*q)?;
        }
        self.tables.modules.envs[env].vals.get(id.symbol).cloned().map(Binding::Done)
    }

    /// A long value identifier; reports when it is unbound. `what` names what is looked for in messages.
    pub(crate) fn long_val(&mut self, id: &LongId, what: &'static str) -> Option<Binding> {
        self.answer(id);
        let found = self.find_val(id, what);
        self.note_value(id, found.as_ref());
        found
    }

    fn find_val(&mut self, id: &LongId, what: &'static str) -> Option<Binding> {
        if id.qualifiers.is_empty() {
            let found = self.val(id.symbol);
            if found.is_none() {
                self.unbound_val(id.last(), what, None);
            }
            return found;
        }
        let env = self.qualifier(id)?;
        if self.is_error_env(env) {
            return Some(Binding::Error);
        }
        match self.tables.modules.envs[env].vals.get(id.symbol) {
            Some(v) => Some(Binding::Done(v.clone())),
            None => {
                self.unbound_val(id.last(), what, Some((env, qualifiers(id))));
                None
            }
        }
    }

    /// A long type constructor; reports when it is unbound.
    pub(crate) fn long_ty(&mut self, id: &LongId) -> Option<TyStr> {
        self.answer(id);
        let found = self.find_ty(id);
        self.note_long(NameKind::Type, id);
        found
    }

    pub(crate) fn find_ty(&mut self, id: &LongId) -> Option<TyStr> {
        if id.qualifiers.is_empty() {
            let found = self.ty_by_name(id.symbol).cloned();
            if found.is_none() {
                self.unbound_ty(id.last(), None);
            }
            return found;
        }
        let env = self.qualifier(id)?;
        if self.is_error_env(env) {
            return None;
        }
        let found = self.tables.modules.envs[env].tys.get(id.symbol).cloned();
        if found.is_none() {
            self.unbound_ty(id.last(), Some((env, qualifiers(id))));
        }
        found
    }

    /// A long structure identifier; reports when it is unbound.
    pub(crate) fn long_structure(&mut self, id: &LongId) -> Option<EnvId> {
        self.answer(id);
        let found = self.find_structure(id);
        self.note_long(NameKind::Structure, id);
        found
    }

    fn find_structure(&mut self, id: &LongId) -> Option<EnvId> {
        if id.qualifiers.is_empty() {
            let found = self.structure(id.symbol);
            if found.is_none() {
                self.unbound_structure(id.last(), None);
            }
            return found;
        }
        let env = self.qualifier(id)?;
        if self.is_error_env(env) {
            return Some(env);
        }
        let found = self.tables.modules.envs[env].strs.get(id.symbol).copied();
        if found.is_none() {
            let path = qualifiers(id);
            self.unbound_structure(id.last(), Some((env, &path)));
        }
        found
    }

    // --------------------------------------------------------------- variables

    /// A new variable of this unit. Its path is its name: see [`Elab::name_fully`].
    pub(crate) fn new_var(&mut self, name: Symbol, ty: Type, span: Span) -> Var {
        let var = self.tables.vars.push(VarInfo { name, path: name, ty: crate::builtin::ty::UNIT, span });
        self.var_types.push((var, ty));
        var
    }

    /// Gives a variable its full name, for back-traces: functions and what structures bind.
    pub(crate) fn name_fully(&mut self, var: Var) {
        if !self.path.is_empty() {
            let path = self.full_name(self.tables.vars[var].name);
            self.tables.vars[var].path = path;
        }
    }

    /// The name with the structures and functions around it: `List.map`.
    pub(crate) fn full_name(&self, name: Symbol) -> Symbol {
        if self.path.is_empty() { name } else { Symbol::intern(&format!("{}.{name}", self.path)) }
    }

    /// Runs `f` with `name` added to the path.
    pub(crate) fn within<R>(&mut self, name: Symbol, f: impl FnOnce(&mut Self) -> R) -> R {
        let len = self.path.len();
        if len > 0 {
            self.path.push('.');
        }
        // Paths of absurdly deep nests are cut, so that their length stays linear.
        if len < 200 {
            self.path.push_str(name.as_str());
        }
        let result = f(self);
        self.path.truncate(len);
        result
    }

    /// The constructor list's entry as a value.
    pub(crate) fn con_names(&self, list: ConListId) -> Vec<Symbol> {
        self.tables.modules.con_lists[list].cons.iter().map(|c| c.name).collect()
    }

    /// Reports names that stand twice in one group.
    pub(crate) fn check_distinct(&mut self, names: &[Name], what: &str) {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for name in names {
            if let Some(&first) = seen.get(&name.symbol) {
                let d = Diagnostic::error("scope/twice", name.span, format!("the {what} `{name}` is bound twice here"));
                self.report(d.label(first, "first here").label(name.span, "and again here"));
            } else {
                seen.insert(name.symbol, name.span);
            }
        }
    }
}

enum Rebind {
    Val(Symbol, Binding),
    Ty(Symbol, TyStr),
    Str(Symbol, EnvId),
    Sig(Symbol, SigId),
    Functor(Symbol, FunctorId),
    Place(Space, Symbol, Span),
}

impl Undo {
    fn key(&self) -> (u8, Symbol) {
        match self {
            Undo::Val(name, _) => (0, *name),
            Undo::Ty(name, _) => (1, *name),
            Undo::Str(name, _) => (2, *name),
            Undo::Sig(name, _) => (3, *name),
            Undo::Functor(name, _) => (4, *name),
            Undo::TyVar(name, _) => (5, *name),
            Undo::Place(space, name, _) => (6 + *space as u8, *name),
        }
    }
}

/// `A.B` of `A.B.x`.
pub(crate) fn qualifiers(id: &LongId) -> String {
    id.qualifiers.iter().map(|q| q.as_str()).collect::<Vec<_>>().join(".")
}

impl Elab<'_> {
    /// Names that this unit has in scope: 0 values, 1 types, 2 structures, 3 signatures, 4 functors.
    pub(crate) fn scope_names(&self, space: u8) -> Vec<Symbol> {
        let s = &self.scope;
        match space {
            0 => s.vals.iter().filter(|v| !matches!(v.1, Binding::Error)).map(|v| *v.0).collect(),
            1 => s.tys.keys().copied().collect(),
            2 => s.strs.keys().copied().collect(),
            3 => s.sigs.keys().copied().collect(),
            _ => s.functors.keys().copied().collect(),
        }
    }
}

impl crate::naming::Visible for Elab<'_> {
    fn ty(&self, name: Symbol) -> Option<&TyStr> {
        self.ty_by_name(name)
    }

    fn structure(&self, name: Symbol) -> Option<EnvId> {
        Elab::structure(self, name)
    }

    fn types(&self) -> Vec<Symbol> {
        [self.scope_names(1), self.basis.types()].concat()
    }

    fn structures(&self) -> Vec<Symbol> {
        [self.scope_names(2), self.basis.structures()].concat()
    }
}
