//! Signature matching: which types of a structure realise a signature's, and whether it has everything.
//!
//! After the Definition, 5.6 (realisation), 5.5 (enrichment), rules 52 and 53. First all type names that the signature
//! binds are looked up in the structure; then every specification is compared. A value that becomes less polymorphic,
//! or a constructor that is specified as a value, gets a variable and a `val` of its own. All that does not fit is
//! listed in one message.

use crate::basis::{ConList, ConListId, Env, EnvId, NO_VAR, Scheme, Sig, SortedMap, TyStr, TypeFcn, ValEntry};
use crate::ctx::Elab;
use crate::draft::{Dec, DecKind, Pat, PatKind};
use crate::exp::exp;
use crate::ir::{ExnRef, Ty, TyData, TyName, TyNameDef, TyVar, TyVarInfo};
use crate::realise::Realisation;
use crate::types::{Clash, Shape, Type};
use leat_base::{Diagnostic, Span, Symbol, counted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// One matching in progress.
struct Matching<'p> {
    phi: &'p mut Realisation,
    bound: Vec<TyName>,
    /// The signature's environment.
    sig: EnvId,
    opaque: bool,
    span: Span,
    missing: Vec<String>,
    wrong: Vec<String>,
    labels: Vec<(Span, String)>,
    help: Vec<String>,
    /// Pairs of environments whose types were looked up, and what pairs became: a large signature has the same
    /// structures in many places.
    realised: FxHashSet<(EnvId, EnvId)>,
    enriched: FxHashMap<(EnvId, EnvId), EnvId>,
    /// Lists of constructors that an opaque constraint shows in the place of the signature's.
    shown: FxHashMap<ConListId, ConListId>,
    out: &'p mut Vec<Dec>,
}

/// For messages.
pub(crate) struct MatchPlace<'n> {
    pub span: Span,
    pub sig_span: Span,
    /// What stands at `sig_span`.
    pub sig_label: &'n str,
    pub structure: &'n str,
    pub sig: Option<Symbol>,
}

impl Elab<'_> {
    /// Matches a structure against an instance of a signature whose bound names belong to the caller. Answers the
    /// structure as the signature sees it; coercions go to `out`; `phi` is the realisation.
    pub(crate) fn match_sig(
        &mut self,
        sig: &Sig,
        actual: EnvId,
        opaque: bool,
        place: &MatchPlace<'_>,
        phi: &mut Realisation,
        out: &mut Vec<Dec>,
    ) -> EnvId {
        if self.is_error_env(actual) || self.is_error_env(sig.env) {
            return if self.is_error_env(sig.env) { actual } else { self.stand_in_or_error(sig.env) };
        }
        let mut m = Matching {
            phi,
            bound: sig.bound.clone(),
            sig: sig.env,
            opaque,
            span: place.span,
            missing: vec![],
            wrong: vec![],
            labels: vec![],
            help: vec![],
            realised: FxHashSet::default(),
            enriched: FxHashMap::default(),
            shown: FxHashMap::default(),
            out,
        };
        self.realise_env(&mut m, sig.env, actual);
        self.excuse_missing(&mut m);
        let env = self.enrich(&mut m, sig.env, actual, "");
        let Matching { mut missing, wrong, labels, help, .. } = m;
        if self.incomplete.contains(&actual) {
            missing.clear();
        }
        if !missing.is_empty() || !wrong.is_empty() {
            let with = match place.sig {
                Some(name) => format!("the signature `{name}`"),
                None => "its signature".to_string(),
            };
            let message = format!("{} does not match {with}", place.structure);
            let mut d =
                Diagnostic::error("signature/mismatch", place.span, message).label(place.sig_span, place.sig_label);
            for (at, text) in labels {
                d = d.label(at, text);
            }
            if !missing.is_empty() {
                d = d.note(format!("missing: {}", missing.join("; ")));
            }
            for text in wrong {
                d = d.note(text);
            }
            for text in help {
                d = d.help(text);
            }
            self.report(d);
        }
        if opaque {
            self.seal(sig, phi);
        }
        env
    }

    /// Looks up the types that realise the signature's bound names. [Definition, 5.6]
    fn realise_env(&mut self, m: &mut Matching<'_>, spec: EnvId, actual: EnvId) {
        if !m.realised.insert((spec, actual)) {
            return;
        }
        let (spec, actual) = (self.tables.modules.envs[spec].clone(), self.tables.modules.envs[actual].clone());
        for (name, s) in spec.tys.iter() {
            let Some(a) = actual.tys.get(*name) else { continue };
            if let (Some(from), Some(to)) = (s.cons, a.cons)
                && self.same_constructors(from, to)
            {
                m.phi.lists.insert(from, to);
                let lists = &self.tables.modules.con_lists;
                let (from, to) = (lists[from].rep, lists[to].rep);
                if from != to {
                    m.phi.reps.insert(from, to);
                }
            }
            let TypeFcn::Name(t) = s.fcn else { continue };
            let fits = a.fcn.arity(self.tables) == self.tables.tynames[t].arity as usize;
            if fits && m.bound.contains(&t) {
                match m.phi.types.entry(t) {
                    Entry::Vacant(entry) => {
                        entry.insert(a.fcn.clone());
                        m.phi.widths.extend(a.width.clone().map(|width| (t, width)));
                    }
                    // Types that are shared and are different ones in C: nothing is known of what is made of them.
                    Entry::Occupied(_) if m.phi.widths.get(&t) != a.width.as_ref() => _ = m.phi.widths.remove(&t),
                    Entry::Occupied(_) => {}
                }
            }
        }
        for (name, s) in spec.strs.iter() {
            if let Some(a) = actual.strs.get(*name) {
                self.realise_env(m, *s, *a);
            }
        }
    }

    /// Types that are missing, or take another number of arguments: what is specified with them is not compared.
    fn excuse_missing(&mut self, m: &mut Matching<'_>) {
        for &t in &m.bound {
            let arity = self.tables.tynames[t].arity as usize;
            m.phi.types.entry(t).or_insert_with(|| {
                let tyvar = |i| TyVarInfo { name: crate::types::generated_name(i, false), equality: false };
                let tyvars = (0..arity).map(|i| self.tables.tyvars.push(tyvar(i))).collect();
                TypeFcn::new(self.tables, tyvars, crate::builtin::ty::ERROR)
            });
        }
    }

    /// Does a type have a part that is missing?
    fn mentions_error(&self, ty: Ty, seen: &mut FxHashSet<Ty>) -> bool {
        ty == crate::builtin::ty::ERROR
            || seen.insert(ty)
                && match &self.tables.types[ty] {
                    TyData::Var(_) => false,
                    TyData::Con(_, args) => args.iter().any(|&t| self.mentions_error(t, seen)),
                    TyData::Arrow(a, b) => [*a, *b].iter().any(|&t| self.mentions_error(t, seen)),
                    TyData::Record(fields) => fields.iter().any(|f| self.mentions_error(f.1, seen)),
                }
    }

    fn has_error(&self, ty: Option<Ty>) -> bool {
        ty.is_some_and(|ty| self.mentions_error(ty, &mut FxHashSet::default()))
    }

    fn has_error_fcn(&self, fcn: &TypeFcn) -> bool {
        match fcn {
            TypeFcn::Name(t) => *t == crate::builtin::tyname::ERROR,
            TypeFcn::Abbrev { ty, .. } => self.has_error(Some(*ty)),
        }
    }

    pub(crate) fn same_constructors(&self, a: crate::basis::ConListId, b: crate::basis::ConListId) -> bool {
        let sorted = |l| {
            let mut names = self.con_names(l);
            names.sort();
            names
        };
        sorted(a) == sorted(b)
    }

    /// Compares every specification. [Definition, 5.5]
    fn enrich(&mut self, m: &mut Matching<'_>, spec_id: EnvId, actual_id: EnvId, path: &str) -> EnvId {
        if let Some(&done) = m.enriched.get(&(spec_id, actual_id)) {
            return done;
        }
        let (spec, actual) = (self.tables.modules.envs[spec_id].clone(), self.tables.modules.envs[actual_id].clone());
        let mut tys = vec![];
        for (name, s) in spec.tys.by_name() {
            let found = match actual.tys.get(*name) {
                Some(a) => {
                    self.enrich_ty(m, s, a, &format!("{path}{name}"));
                    a.clone()
                }
                None => {
                    m.missing.push(format!("type {path}{name}"));
                    if m.opaque { s.clone() } else { m.phi.tystr(self.tables, s) }
                }
            };
            let seen = if m.opaque {
                let cons = s.cons.map(|list| self.shown_list(m, list, found.cons));
                TyStr { width: found.width.clone(), cons, ..s.clone() }
            } else {
                TyStr { cons: s.cons.and(found.cons), ..found }
            };
            tys.push((*name, seen));
        }
        let mut vals = vec![];
        for (name, s) in spec.vals.by_name() {
            let entry = match actual.vals.get(*name) {
                Some(a) => self.enrich_val(m, *name, s, a, path),
                None => {
                    let what = match s {
                        ValEntry::Var { scheme, .. } => {
                            format!("val {path}{name} : {}", self.show_specified(m, scheme.ty, path))
                        }
                        ValEntry::Exn { .. } => format!("exception {path}{name}"),
                        // The message about the datatype says it.
                        _ => format!("constructor {path}{name}"),
                    };
                    m.missing.push(what);
                    None
                }
            };
            // An opaque constraint shows the one that stands in as it shows the others.
            let entry = entry.unwrap_or_else(|| {
                let mut entry = if m.opaque { s.clone() } else { m.phi.entry(self.tables, s) };
                self.own_variable(*name, &mut entry);
                entry
            });
            vals.push((*name, entry));
        }
        let mut strs = vec![];
        for (name, s) in spec.strs.by_name() {
            let env = match actual.strs.get(*name) {
                Some(&a) if self.is_error_env(a) => a,
                Some(&a) => self.enrich(m, *s, a, &format!("{path}{name}.")),
                None => {
                    m.missing.push(format!("structure {path}{name}"));
                    self.stand_in_or_error(*s)
                }
            };
            strs.push((*name, env));
        }
        let places = self.matched_places(spec_id, actual_id);
        let env = Env { vals: SortedMap::new(vals), tys: SortedMap::new(tys), strs: SortedMap::new(strs), places };
        // Nothing hidden and nothing changed: the structure itself.
        let env = if env == actual { actual_id } else { self.tables.modules.envs.push(env) };
        m.enriched.insert((spec_id, actual_id), env);
        if !m.opaque {
            m.phi.envs.insert(spec_id, env);
        }
        env
    }

    /// A type as the signature writes it in the structure at `path`: its own types have the names that it gives them.
    fn show_specified(&mut self, m: &Matching<'_>, ty: Ty, path: &str) -> String {
        let names = self.names_seen_from(m, path);
        let before = std::mem::replace(&mut self.signature_names, names);
        let text = self.show(Type::core(ty));
        self.signature_names = before;
        text
    }

    /// The signature's own types, as they are called inside of its structure at `path`.
    fn names_seen_from(&self, m: &Matching<'_>, path: &str) -> Vec<(TyName, String)> {
        let mut names = vec![];
        self.names_of_specified(m, m.sig, "", &mut FxHashSet::default(), &mut names);
        for (_, name) in &mut names {
            if let Some(short) = name.strip_prefix(path) {
                *name = short.to_string();
            }
        }
        names
    }

    fn names_of_specified(
        &self,
        m: &Matching<'_>,
        env: EnvId,
        prefix: &str,
        seen: &mut FxHashSet<EnvId>,
        names: &mut Vec<(TyName, String)>,
    ) {
        if !seen.insert(env) {
            return;
        }
        let env = &self.tables.modules.envs[env];
        for (name, inner) in env.strs.iter() {
            self.names_of_specified(m, *inner, &format!("{prefix}{name}."), seen, names);
        }
        for (name, tystr) in env.tys.iter() {
            if let TypeFcn::Name(t) = tystr.fcn
                && m.bound.contains(&t)
            {
                names.push((t, format!("{prefix}{name}")));
            }
        }
    }

    /// What the signature's own types in a type are in the structure: "`t` is `int list`".
    fn specified_names(
        &mut self,
        m: &Matching<'_>,
        ty: Ty,
        path: &str,
        seen: &mut FxHashSet<Ty>,
        out: &mut Vec<String>,
    ) {
        if !seen.insert(ty) {
            return;
        }
        match self.tables.types[ty].clone() {
            TyData::Var(_) => {}
            TyData::Con(name, args) => {
                if m.bound.contains(&name)
                    && let Some(fcn) = m.phi.types.get(&name).cloned()
                    && !self.has_error_fcn(&fcn)
                {
                    let params = match &fcn {
                        TypeFcn::Name(t) => {
                            let arity = self.tables.tynames[*t].arity as usize;
                            (0..arity).map(|i| crate::types::generated_name(i, false)).collect()
                        }
                        TypeFcn::Abbrev { tyvars, .. } => {
                            tyvars.iter().map(|&v| self.tables.tyvars[v].name).collect::<Vec<_>>()
                        }
                    };
                    let params: Vec<&str> = params.iter().map(|name| name.as_str()).collect();
                    let applied = |text: &str| match params[..] {
                        [] => text.to_string(),
                        [param] => format!("{param} {text}"),
                        _ => format!("({}) {text}", params.join(", ")),
                    };
                    let names = self.names_seen_from(m, path);
                    let own = names.into_iter().rev().find(|n| n.0 == name);
                    let own = own.map_or_else(|| self.short_name(name), |n| n.1);
                    let meaning = match &fcn {
                        TypeFcn::Name(t) => applied(&self.short_name(*t)),
                        TypeFcn::Abbrev { ty, .. } => self.show(Type::core(*ty)),
                    };
                    let text = format!("`{}` is `{meaning}`", applied(&own));
                    if !out.contains(&text) {
                        out.push(text);
                    }
                }
                args.iter().for_each(|&arg| self.specified_names(m, arg, path, seen, out));
            }
            TyData::Arrow(a, b) => [a, b].iter().for_each(|&t| self.specified_names(m, t, path, seen, out)),
            TyData::Record(fields) => fields.iter().for_each(|f| self.specified_names(m, f.1, path, seen, out)),
        }
    }

    fn enrich_ty(&mut self, m: &mut Matching<'_>, s: &TyStr, a: &TyStr, path: &str) {
        let error = TypeFcn::Name(crate::builtin::tyname::ERROR);
        if a.fcn == error || s.fcn == error {
            return;
        }
        let (want, have) = (s.fcn.arity(self.tables), a.fcn.arity(self.tables));
        if want != have {
            let has = counted(have, "parameter");
            m.wrong.push(format!("type {path} has {has}, but the signature says {want}"));
            return;
        }
        if let TypeFcn::Name(t) = s.fcn
            && m.bound.contains(&t)
            && self.tables.tynames[t].equality
            && !self.fcn_admits_equality(&a.fcn)
        {
            m.wrong.push(format!("type {path} does not admit equality, but the signature says `eqtype`"));
        }
        let expected = m.phi.fcn(self.tables, &s.fcn);
        if self.has_error_fcn(&expected) {
            return;
        }
        if !self.same_fcn(&expected, &a.fcn) {
            let (x, y) = (self.show_fcn(&expected), self.show_fcn(&a.fcn));
            m.wrong.push(format!("type {path} is `{y}`, but the signature says `{x}`"));
            return;
        }
        let Some(want) = s.cons else { return };
        let Some(have) = a.cons else {
            m.wrong.push(format!("{path} is a datatype in the signature, but only a type in the structure"));
            return;
        };
        if !self.same_constructors(want, have) {
            let list = |names: Vec<Symbol>| names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(" | ");
            let (w, h) = (list(self.con_names(want)), list(self.con_names(have)));
            m.wrong.push(format!("datatype {path} has the constructors `{h}`, but the signature says `{w}`"));
            return;
        }
        let (w, h) = (self.tables.modules.con_lists[want].clone(), self.tables.modules.con_lists[have].clone());
        if !self.same_equality(&w.tyvars, &h.tyvars) {
            m.wrong.push(format!("the constructors of datatype {path} admit other types than the signature says"));
        }
        let params: Vec<_> = h.tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
        for con in &w.cons {
            let Some(other) = h.cons.iter().find(|c| c.name == con.name) else { continue };
            let expected = con.arg.map(|t| {
                let t = m.phi.ty(self.tables, t);
                self.tables.substitute(t, &w.tyvars, &params)
            });
            if expected != other.arg && !self.has_error(expected) {
                let show = |this: &mut Self, t: Option<crate::ir::Ty>| match t {
                    Some(t) => format!("of `{}`", this.show(Type::core(t))),
                    None => "without an argument".to_string(),
                };
                let (x, y) = (show(self, expected), show(self, other.arg));
                m.wrong.push(format!("constructor {} of datatype {path} is {y}, but the signature says {x}", con.name));
            }
        }
    }

    fn show_fcn(&mut self, fcn: &TypeFcn) -> String {
        match fcn {
            TypeFcn::Name(t) => self.short_name(*t),
            TypeFcn::Abbrev { ty, .. } => self.show(Type::core(*ty)),
        }
    }

    fn enrich_val(
        &mut self,
        m: &mut Matching<'_>,
        name: Symbol,
        s: &ValEntry,
        a: &ValEntry,
        path: &str,
    ) -> Option<ValEntry> {
        if let (ValEntry::Var { var, .. }, Some(unused)) = (a, &mut self.unused) {
            // A signature asks for it: without it the structure would not match.
            unused.mark(*var);
        }
        match (s, a) {
            (ValEntry::Var { var: formal, scheme }, _) => {
                let entry = self.enrich_var(m, name, scheme, a, path)?;
                if let ValEntry::Var { var, .. } = entry
                    && *formal != NO_VAR
                {
                    m.phi.vars.insert(*formal, var);
                }
                Some(entry)
            }
            (ValEntry::Con { list: want, .. }, ValEntry::Con { list: have, .. }) => {
                let want_ty = m.phi.list(self.tables, *want);
                let lists = &self.tables.modules.con_lists;
                // Two lists may be about one datatype; it is the type that counts.
                if lists[want_ty].name != lists[*have].name {
                    if m.phi.types.get(&lists[*want].name).is_some_and(|fcn| self.has_error_fcn(fcn)) {
                        return None;
                    }
                    m.wrong
                        .push(format!("constructor {path}{name} belongs to another datatype than the signature says"));
                    return None;
                }
                if !m.opaque {
                    return Some(a.clone());
                }
                let list = self.shown_list(m, *want, Some(*have));
                if list == *want {
                    return Some(s.clone());
                }
                let index = self.con_names(list).iter().position(|con| *con == name)?;
                Some(ValEntry::Con { list, index: index as u32 })
            }
            (ValEntry::Exn { exn: formal, arg: want }, ValEntry::Exn { exn, arg: have }) => {
                let want = want.map(|t| m.phi.ty(self.tables, t));
                if want != *have && !self.has_error(want) {
                    let show = |this: &mut Self, t: Option<crate::ir::Ty>| match t {
                        Some(t) => format!("has an argument of type `{}`", this.show(Type::core(t))),
                        None => "has no argument".to_string(),
                    };
                    let (x, y) = (show(self, *have), show(self, want));
                    m.wrong.push(format!("exception {path}{name} {x}, but in the signature it {y}"));
                    return None;
                }
                if let ExnRef::Var(v) = formal
                    && *v != NO_VAR
                {
                    m.phi.exns.insert(*v, *exn);
                }
                let arg = if m.opaque { spec_arg(s) } else { *have };
                Some(ValEntry::Exn { exn: *exn, arg })
            }
            (ValEntry::Con { .. }, _) => {
                m.wrong.push(format!("{path}{name} is a constructor in the signature, but not in the structure"));
                None
            }
            (ValEntry::Exn { .. }, _) => {
                m.wrong.push(format!("{path}{name} is an exception in the signature, but not in the structure"));
                None
            }
            _ => Some(a.clone()),
        }
    }

    /// The constructors of a datatype as an opaque constraint shows them: those of a type that `where type` has made a
    /// datatype outside have that one's representation. The signature's own list stays, since others have it, too: a
    /// functor whose parameter it describes.
    fn shown_list(&mut self, m: &mut Matching<'_>, list: ConListId, actual: Option<ConListId>) -> ConListId {
        if let Some(&shown) = m.shown.get(&list) {
            return shown;
        }
        let lists = &self.tables.modules.con_lists;
        let Some(real) = actual.map(|actual| lists[actual].clone()) else { return list };
        let spec = lists[list].clone();
        if m.bound.contains(&spec.name) || spec.rep == real.rep {
            return list;
        }
        let shown = self.tables.modules.con_lists.push(represented(spec, &real));
        m.shown.insert(list, shown);
        shown
    }

    /// A value specification: the structure's scheme must be at least as general. [Definition, 4.5, 5.5]
    fn enrich_var(
        &mut self,
        m: &mut Matching<'_>,
        name: Symbol,
        spec: &Scheme,
        actual: &ValEntry,
        path: &str,
    ) -> Option<ValEntry> {
        let wanted = m.phi.ty(self.tables, spec.ty);
        let seen = if m.opaque { spec.clone() } else { Scheme { tyvars: spec.tyvars.clone(), ty: wanted } };
        if let ValEntry::Var { var, scheme } = actual
            && scheme.tyvars.len() == spec.tyvars.len()
            && self.same_equality(&scheme.tyvars, &spec.tyvars)
        {
            let args: Vec<_> = spec.tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
            if self.tables.substitute(scheme.ty, &scheme.tyvars, &args) == wanted {
                return Some(if m.opaque { ValEntry::Var { var: *var, scheme: seen } } else { actual.clone() });
            }
        }
        // The specification's type variables stand for any types.
        self.u.level += 1;
        let tyvars: Vec<TyVar> = spec
            .tyvars
            .iter()
            .map(|&v| {
                let info = &self.tables.tyvars[v];
                let info = TyVarInfo { name: info.name, equality: info.equality };
                self.tables.tyvars.push(info)
            })
            .collect();
        let args: Vec<_> = tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
        let target = self.tables.substitute(wanted, &spec.tyvars, &args);
        let target = self.import(target, &[]);
        let body = self.elab_entry(actual, m.span);
        let fits = self.unify(target, body.ty);
        self.u.level -= 1;
        if let Err(clash) = fits {
            let is_broken = matches!(actual, ValEntry::Var { var, .. } if self.broken.has(*var));
            if is_broken || self.has_error(Some(wanted)) {
                return None;
            }
            let general = self.elab_entry(actual, m.span);
            let (mut want, mut have) = self.show_pair(Type::core(wanted), general.ty);
            let mut meanings = vec![];
            self.specified_names(m, spec.ty, path, &mut FxHashSet::default(), &mut meanings);
            if !meanings.is_empty() {
                (want, have) = (self.show_specified(m, spec.ty, path), self.show(general.ty));
                want.push_str(&format!("\n  where {}", meanings.join(", ")));
            }
            if let ValEntry::Var { var, .. } = actual
                && *var != NO_VAR
                && !self.tables.vars[*var].span.is_none()
            {
                m.labels.push((self.tables.vars[*var].span, format!("`{path}{name}` has type `{have}`")));
                let wants_any = matches!(clash, Clash::Escape(_))
                    || self
                        .first_difference(target, general.ty)
                        .is_some_and(|(wanted, _)| matches!(self.shape(wanted), Shape::Rigid(_)));
                if wants_any {
                    self.why_restricted((*var, general.ty), &mut m.labels, &mut m.help);
                }
            }
            m.wrong.push(format!("val {path}{name} : {have}\n  but the signature says\n    {path}{name} : {want}"));
            return None;
        }
        let var = self.new_var(name, target, m.span);
        self.name_fully(var);
        let pat = Pat { kind: PatKind::Var(var), ty: target, span: m.span };
        let body = exp(body.kind, target, m.span);
        m.out.push(Dec { kind: DecKind::Val { tyvars, pat, exp: body }, span: m.span });
        Some(ValEntry::Var { var, scheme: seen })
    }

    fn same_equality(&self, a: &[TyVar], b: &[TyVar]) -> bool {
        a.iter().zip(b).all(|(&x, &y)| self.tables.tyvars[x].equality == self.tables.tyvars[y].equality)
    }

    /// Opaque ascription: the bound names become abstract types that stand for what realises them. [Rule 53]
    fn seal(&mut self, sig: &Sig, phi: &mut Realisation) {
        let mut lists = vec![];
        self.datatypes_in(sig.env, &mut FxHashSet::default(), &mut lists);
        for list in lists {
            let Some(&real) = phi.lists.get(&list) else { continue };
            let spec = self.tables.modules.con_lists[list].clone();
            let real = self.tables.modules.con_lists[real].clone();
            // `where type` has made it a datatype outside: see `shown_list`.
            if !sig.bound.contains(&spec.name) {
                continue;
            }
            let old = self.con_names(list);
            self.tables.modules.con_lists[list] = represented(spec, &real);
            if old != self.con_names(list) {
                self.renumber(sig.env, list);
            }
        }
        for &t in &sig.bound {
            let name = self.full_name(self.tables.tynames[t].name);
            self.tables.tynames[t].name = name;
            let Some(fcn) = phi.types.get(&t).cloned().filter(|fcn| !self.has_error_fcn(fcn)) else { continue };
            let arity = self.tables.tynames[t].arity as usize;
            let tyvars: Vec<TyVar> = (0..arity)
                .map(|i| {
                    let name = crate::types::generated_name(i, false);
                    self.tables.tyvars.push(TyVarInfo { name, equality: false })
                })
                .collect();
            let args = tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
            let ty = fcn.apply(self.tables, args);
            self.tables.tynames[t].def = TyNameDef::Abstract { tyvars, ty };
        }
    }

    fn datatypes_in(&self, env: EnvId, seen: &mut FxHashSet<EnvId>, out: &mut Vec<ConListId>) {
        if !seen.insert(env) {
            return;
        }
        let env = &self.tables.modules.envs[env];
        out.extend(env.tys.iter().filter_map(|t| t.1.cons));
        env.strs.iter().for_each(|s| self.datatypes_in(s.1, seen, out));
    }

    /// Gives the constructors of a list that was put into another order their numbers. The environments that name them
    /// were made for this matching.
    fn renumber(&mut self, _env: EnvId, list: crate::basis::ConListId) {
        let names = self.con_names(list);
        for env in self.tables.modules.envs.added_mut() {
            for (name, entry) in env.vals.iter_mut() {
                if let ValEntry::Con { list: l, index } = entry
                    && *l == list
                    && let Some(i) = names.iter().position(|n| n == name)
                {
                    *index = i as u32;
                }
            }
        }
    }
}

/// The constructors of a specification with the representation, and in the order, of others of the same names.
fn represented(spec: ConList, real: &ConList) -> ConList {
    let arg_of = |name: Symbol| spec.cons.iter().find(|c| c.name == name).cloned();
    let cons = real.cons.iter().filter_map(|c| arg_of(c.name)).collect();
    ConList { rep: real.rep, cons, ..spec }
}

fn spec_arg(s: &ValEntry) -> Option<crate::ir::Ty> {
    match s {
        ValEntry::Exn { arg, .. } => *arg,
        _ => None,
    }
}
