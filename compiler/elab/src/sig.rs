//! Signature expressions and specifications. After the Definition, 5.7 rules 62 to 83.
//!
//! A signature expression gives a signature whose bound type names are new, so that `sharing` and `where type` may
//! realise them in place.

use crate::basis::{EnvId, NO_VAR, Scheme, Sig, TyStr, TypeFcn, ValEntry};
use crate::ctx::{Binding, Elab, Mark};
use crate::index::NameKind;
use crate::ir::{ExnRef, TyName, TyNameDef};
use crate::realise::Realisation;
use crate::ty::Unguarded;
use crate::types::Type;
use leat_ast::ir as ast;
use leat_ast::ir::{ConBind, LongId, SigExpId, SigExpKind, SpecId, SpecKind, TypDesc, WhereType};
use leat_base::{Diagnostic, Span, Symbol, counted};
use rustc_hash::{FxHashMap, FxHashSet};

/// A signature body under construction.
struct Body {
    bound: Vec<TyName>,
    mark: Mark,
    /// 0 values, 1 types, 2 structures.
    seen: FxHashMap<(u8, Symbol), Span>,
}

/// What `sharing` specifications in a row make equal.
struct Sharing {
    /// The type names that can share.
    flexible: FxHashSet<TyName>,
    /// Type names that are now others; those may have become others in turn.
    became: FxHashMap<TyName, TyStr>,
}

impl Sharing {
    fn of(body: &Body) -> Sharing {
        Sharing { flexible: body.bound.iter().copied().collect(), became: FxHashMap::default() }
    }

    /// What a type structure is by now. All on the way there is that at once from then on.
    fn now(&mut self, tystr: &TyStr) -> TyStr {
        let mut now = tystr;
        let mut way = vec![];
        while let TypeFcn::Name(t) = now.fcn
            && let Some(next) = self.became.get(&t)
        {
            way.push(t);
            now = next;
        }
        let now = now.clone();
        for t in way {
            self.became.insert(t, now.clone());
        }
        now
    }
}

impl Elab<'_> {
    /// A signature expression. Its bound names belong to the caller. [Rule 65]
    pub(crate) fn elab_sigexp(&mut self, id: SigExpId) -> Sig {
        let ast = self.ast;
        match &ast[id].kind {
            // [Rule 62]
            SigExpKind::Sig(specs) => {
                let path = std::mem::take(&mut self.path);
                let sig = self.elab_specs(specs);
                self.path = path;
                sig
            }
            // [Rule 63]
            SigExpKind::Id(name) => match self.used_sig(*name) {
                Some(sig) => {
                    let sig = self.tables.modules.sigs[sig].clone();
                    Realisation::instance(self.tables, &sig)
                }
                None => {
                    self.unbound_sig(*name);
                    self.error_sig()
                }
            },
            // [Rule 64]
            SigExpKind::Where { .. } => {
                let mut at = id;
                let mut lists = vec![];
                while let SigExpKind::Where { sig, wheres } = &ast[at].kind {
                    lists.push(wheres);
                    at = *sig;
                }
                let mut sig = self.elab_sigexp(at);
                let mut realised = Realisation::default();
                for w in lists.into_iter().rev().flatten() {
                    self.elab_where(&mut sig, &mut realised, w);
                }
                self.realise(&mut sig, realised);
                sig
            }
            SigExpKind::Error => self.error_sig(),
        }
    }

    fn error_sig(&mut self) -> Sig {
        Sig { bound: vec![], env: self.error_env() }
    }

    /// [Rule 76] [Rule 77] are the vector of specifications.
    pub(crate) fn elab_specs(&mut self, specs: &[SpecId]) -> Sig {
        let mut body = Body { bound: vec![], mark: self.mark(), seen: FxHashMap::default() };
        let ast = self.ast;
        let is_sharing = |s: &SpecId| matches!(ast[*s].kind, SpecKind::SharingType(_) | SpecKind::SharingStructure(_));
        for specs in specs.chunk_by(|a, b| is_sharing(a) && is_sharing(b)) {
            match specs {
                &[one] => self.elab_spec(one, &mut body),
                several => self.elab_sharings(several, &mut body),
            }
        }
        let env = self.take_env(body.mark);
        Sig { bound: body.bound, env }
    }

    fn once(&mut self, body: &mut Body, space: u8, name: Symbol, span: Span) {
        let what = ["value", "type", "structure"][space as usize];
        if let Some(first) = body.seen.insert((space, name), span) {
            let d = Diagnostic::error("signature/twice", span, format!("the {what} `{name}` is specified twice"));
            self.report(d.label(first, "first here").label(span, "and again here"));
        }
    }

    fn elab_spec(&mut self, id: SpecId, body: &mut Body) {
        let ast = self.ast;
        match &ast[id].kind {
            // [Rule 68] [Rule 79]
            SpecKind::Val(vals) => {
                for (name, ty) in vals {
                    self.once(body, 0, name.symbol, name.span);
                    self.check_rebinding(*name, "specification");
                    let mark = self.mark();
                    let found = Unguarded::in_ty(ast, *ty);
                    let tyvars = found
                        .into_iter()
                        .map(|n| {
                            let v = self.new_tyvar(n);
                            self.bind_tyvar(n, v);
                            v
                        })
                        .collect();
                    let ty = self.elab_ty(*ty);
                    self.undo_to(mark);
                    let scheme = Scheme { tyvars, ty };
                    self.note_type(name.span, Type::core(scheme.ty));
                    self.bind_val(name.symbol, Binding::Done(ValEntry::Var { var: NO_VAR, scheme }));
                    self.note_declared(NameKind::Value, *name);
                }
            }
            // [Rule 69] [Rule 70] [Rule 80]
            SpecKind::Type { equality, descs } => {
                descs.iter().for_each(|d| self.elab_typdesc(d, *equality, body));
            }
            // [Rule 71] [Rule 81] [Rule 82]
            SpecKind::Datatype { datbinds, withtype } => {
                for d in datbinds {
                    self.once(body, 1, d.name.symbol, d.name.span);
                    d.cons.iter().for_each(|c| self.once(body, 0, c.name.symbol, c.name.span));
                }
                withtype.iter().for_each(|t| self.once(body, 1, t.name.symbol, t.name.span));
                body.bound.extend(self.elab_datatype(datbinds, withtype));
            }
            // [Rule 72]
            SpecKind::Replication { name, target } => {
                self.once(body, 1, name.symbol, name.span);
                let mark = self.mark();
                self.elab_replication(*name, target);
                self.vals_since(mark).into_iter().for_each(|con| self.once(body, 0, con, target.span));
            }
            // [Rule 73] [Rule 83]
            SpecKind::Exception(cons) => {
                for ConBind { name, arg } in cons {
                    self.once(body, 0, name.symbol, name.span);
                    self.check_rebinding(*name, "constructor");
                    let arg = arg.map(|t| self.elab_ty(t));
                    self.bind_val(name.symbol, Binding::Done(ValEntry::Exn { exn: ExnRef::Var(NO_VAR), arg }));
                    self.note_declared(NameKind::Exception, *name);
                }
            }
            // [Rule 74] [Rule 84]
            SpecKind::Structure(strs) => {
                // None of them is in scope in another one's signature.
                let mut sigs = Vec::with_capacity(strs.len());
                for (name, sigexp) in strs {
                    self.once(body, 2, name.symbol, name.span);
                    sigs.push(self.elab_sigexp(*sigexp));
                }
                for ((name, _), sig) in strs.iter().zip(sigs) {
                    self.prefix_names(&sig.bound, name.symbol);
                    body.bound.extend(sig.bound);
                    self.bind_str(name.symbol, sig.env);
                    self.note_declared(NameKind::Structure, *name);
                }
            }
            // [Rule 75]
            SpecKind::Include(sigs) => {
                for &sigexp in sigs {
                    let sig = self.elab_sigexp(sigexp);
                    body.bound.extend(sig.bound);
                    let env = self.tables.modules.envs[sig.env].clone();
                    env.vals.iter().for_each(|v| self.once(body, 0, v.0, ast[sigexp].span));
                    env.tys.iter().for_each(|v| self.once(body, 1, v.0, ast[sigexp].span));
                    env.strs.iter().for_each(|v| self.once(body, 2, v.0, ast[sigexp].span));
                    self.bind_env(&env);
                }
            }
            SpecKind::SharingType(_) | SpecKind::SharingStructure(_) => self.elab_sharings(&[id], body),
            SpecKind::Fixity { .. } | SpecKind::Error => {}
        }
    }

    /// Sharing specifications in a row: each time that they are applied, the whole body is walked.
    fn elab_sharings(&mut self, specs: &[SpecId], body: &mut Body) {
        let mut sharing = Sharing::of(body);
        specs.iter().for_each(|&s| self.elab_sharing(s, body, &mut sharing));
        self.apply_sharing(body, sharing);
    }

    fn elab_sharing(&mut self, id: SpecId, body: &Body, sharing: &mut Sharing) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            // [Rule 78]
            SpecKind::SharingType(ids) => {
                let Some((first, rest)) = ids.split_first() else { return };
                for other in rest {
                    let (Some(a), Some(b)) = (self.long_ty(first), self.long_ty(other)) else { continue };
                    let named = [(first.span, first.to_string()), (other.span, other.to_string())];
                    self.share(sharing, &a, &b, &named);
                }
            }
            // The derived form of appendix A: all type constructors that the structures have in common.
            SpecKind::SharingStructure(ids) => {
                for id in ids {
                    let name = id.qualifiers.first().copied().unwrap_or(id.symbol);
                    if self.structure(name).is_some() && !self.is_bound_since(body.mark, name) {
                        let message = format!("`{id}` cannot share: it is not specified in this signature");
                        self.error("signature/sharing", id.span, message);
                    }
                }
                let mut before = vec![];
                let mut seen = FxHashSet::default();
                for id in ids {
                    let Some(env) = self.long_structure(id) else { continue };
                    self.share_types(sharing, &before, (id, env), span, "", &mut seen);
                    before.push((id, env));
                }
            }
            _ => {}
        }
    }

    fn elab_typdesc(&mut self, d: &TypDesc, equality: bool, body: &mut Body) {
        self.once(body, 1, d.name.symbol, d.name.span);
        let tystr = match d.ty {
            None => {
                let t = self.new_tyname(d.name.symbol, d.tyvars.len(), equality, TyNameDef::Formal, d.name.span);
                body.bound.push(t);
                TyStr { fcn: TypeFcn::Name(t), cons: None, width: None }
            }
            // `type t = ty`, the derived form of appendix A.
            Some(ty) => {
                let mark = self.mark();
                let tyvars = self.bind_tyvars(&d.tyvars);
                let written = ty;
                let ty = self.elab_ty(written);
                self.undo_to(mark);
                let width = self.width_of_abbreviation(d.name.symbol, written, ty);
                TyStr { fcn: TypeFcn::new(self.tables, tyvars, ty), cons: None, width }
            }
        };
        self.bind_ty(d.name.symbol, tystr);
        self.note_declared(NameKind::Type, d.name);
    }

    /// Makes each type of a structure, and of those in it, one with that of the first structure before it that has it.
    /// A structure may have exponentially many paths: `seen` has what was compared with what.
    fn share_types(
        &mut self,
        sharing: &mut Sharing,
        before: &[(&LongId, EnvId)],
        (id, env): (&LongId, EnvId),
        span: Span,
        path: &str,
        seen: &mut FxHashSet<Vec<EnvId>>,
    ) {
        let env = self.tables.modules.envs[env].clone();
        for (name, tystr) in env.tys.iter() {
            let envs = &self.tables.modules.envs;
            let first = before.iter().find_map(|(other, at)| Some((other, envs[*at].tys.get(*name)?.clone())));
            if let Some((other, same)) = first {
                let named = [*other, id].map(|structure| (span, format!("{structure}.{path}{name}")));
                self.share(sharing, &same, tystr, &named);
            }
        }
        for (name, inner) in env.strs.iter() {
            let envs = &self.tables.modules.envs;
            let before: Vec<(&LongId, EnvId)> =
                before.iter().filter_map(|(other, at)| Some((*other, *envs[*at].strs.get(*name)?))).collect();
            if !before.is_empty() && seen.insert(before.iter().map(|other| other.1).chain([*inner]).collect()) {
                self.share_types(sharing, &before, (id, *inner), span, &format!("{path}{name}."), seen);
            }
        }
    }

    /// Makes two specified types one; where each is named, and how. [Rule 78]
    fn share(&mut self, sharing: &mut Sharing, a: &TyStr, b: &TyStr, named: &[(Span, String); 2]) {
        let (a, b) = (sharing.now(a), sharing.now(b));
        let flexible = |t: &TyStr| match t.fcn {
            TypeFcn::Name(t) if sharing.flexible.contains(&t) => Some(t),
            _ => None,
        };
        let both = (flexible(&a), flexible(&b));
        let (span, what) = &named[usize::from(both.0.is_some())];
        let (Some(x), Some(y)) = both else {
            let d = Diagnostic::error(
                "signature/sharing",
                *span,
                format!("`{what}` cannot share: it is already a particular type"),
            );
            self.report(
                d.note("only types that are specified in this signature, without a definition, can share")
                    .help("use `where type`"),
            );
            return;
        };
        if x == y {
            return;
        }
        let (i, j) = (&self.tables.tynames[x], &self.tables.tynames[y]);
        if i.arity != j.arity {
            self.error(
                "signature/sharing",
                *span,
                format!("`{what}` cannot share: the types take different numbers of arguments"),
            );
            return;
        }
        let is_datatype = |i: &crate::ir::TyNameInfo| matches!(i.def, TyNameDef::Datatype { .. });
        // A datatype stays.
        let (keep, drop, kept) = if !is_datatype(i) && is_datatype(j) { (y, x, b) } else { (x, y, a) };
        let equality = i.equality || j.equality;
        self.tables.tynames[keep].equality = equality;
        sharing.became.insert(drop, kept);
    }

    /// Applies what was made equal, all at once.
    fn apply_sharing(&mut self, body: &mut Body, mut sharing: Sharing) {
        if sharing.became.is_empty() {
            return;
        }
        let mut phi = Realisation::default();
        for (drop, next) in sharing.became.clone() {
            let last = sharing.now(&next);
            let TypeFcn::Name(keep) = last.fcn else { continue };
            phi.types.insert(drop, TypeFcn::Name(keep));
            // Otherwise no structure will match: each keeps what the signature says of its constructors.
            if self.has_same_constructors(drop, keep) {
                phi.reps.insert(drop, keep);
            }
        }
        // The constructors of a datatype that was dropped become those of the one that stays.
        let layer = self.layer_since(body.mark);
        let mut lists = vec![];
        self.lists_of(&layer.env, &mut Default::default(), &mut lists);
        for (drop, from) in lists {
            if phi.reps.contains_key(&drop)
                && let Some(next) = sharing.became.get(&drop).cloned()
                && let Some(to) = sharing.now(&next).cons
            {
                // Their own arguments may mention what was dropped.
                let to = phi.list(self.tables, to);
                phi.lists.insert(from, to);
            }
        }
        body.bound.retain(|t| !sharing.became.contains_key(t));
        for &t in &body.bound {
            phi.redefine(self.tables, t);
        }
        self.remap_since(body.mark, &mut phi);
    }

    /// The lists of constructors in an environment, each with the type name that it is of.
    fn lists_of(
        &self,
        env: &crate::basis::Env,
        seen: &mut FxHashSet<EnvId>,
        out: &mut Vec<(TyName, crate::basis::ConListId)>,
    ) {
        for (_, tystr) in env.tys.iter() {
            if let TyStr { fcn: TypeFcn::Name(t), cons: Some(list), .. } = tystr {
                out.push((*t, *list));
            }
        }
        for (_, inner) in env.strs.iter() {
            if seen.insert(*inner) {
                self.lists_of(&self.tables.modules.envs[*inner], seen, out);
            }
        }
    }

    /// Applies a realisation to all that is bound since `mark`.
    fn remap_since(&mut self, mark: Mark, phi: &mut Realisation) {
        let layer = self.layer_since(mark);
        let env = self.tables.modules.envs.push(layer.env);
        let env = phi.env(self.tables, env);
        self.undo_to(mark);
        let env = self.tables.modules.envs[env].clone();
        self.bind_env(&env);
    }

    /// `sigexp where type tyvars longtycon = ty` [Rule 64]. What it realises is noted, and applied by [`Elab::realise`] with
    /// what others realise: what they give their types comes from outside of the signature. A datatype is realised at
    /// once.
    fn elab_where(&mut self, sig: &mut Sig, realised: &mut Realisation, w: &WhereType) {
        let mark = self.mark();
        let tyvars = self.bind_tyvars(&w.tyvars);
        let ty = self.elab_ty(w.ty);
        self.undo_to(mark);
        if self.is_error_env(sig.env) {
            return;
        }
        self.note_specified_type(sig.env, &w.con);
        let mut found = self.type_in(sig.env, &w.con);
        if found.as_ref().is_some_and(|found| realised.may_change(found)) {
            self.realise(sig, std::mem::take(realised));
            found = self.type_in(sig.env, &w.con);
        }
        let Some(tystr) = found else {
            self.error("signature/where", w.con.span, format!("the signature has no type `{}`", w.con));
            return;
        };
        let t = match tystr.fcn {
            TypeFcn::Name(t) if sig.bound.contains(&t) => t,
            _ => {
                let fcn = TypeFcn::new(self.tables, tyvars.clone(), ty);
                if !self.same_fcn(&fcn, &tystr.fcn) {
                    let d = Diagnostic::error(
                        "signature/where",
                        w.con.span,
                        format!("`{}` already has a definition in this signature", w.con),
                    );
                    self.report(d);
                }
                return;
            }
        };
        let arity = self.tables.tynames[t].arity as usize;
        if arity != tyvars.len() {
            let takes = counted(arity, "argument");
            let message = format!("`{}` takes {takes} in the signature, but {} here", w.con, tyvars.len());
            self.error("signature/where", w.span, message);
            return;
        }
        let fcn = TypeFcn::new(self.tables, tyvars, ty);
        if self.tables.tynames[t].equality && !self.fcn_admits_equality(&fcn) {
            let shown = self.show(crate::types::Type::core(ty));
            self.error("signature/where", w.span, format!("`{}` must admit equality, but `{shown}` does not", w.con));
        }
        if tystr.cons.is_none() {
            realised.types.insert(t, fcn);
            return;
        }
        let mut phi = Realisation::default();
        if !matches!(fcn, TypeFcn::Name(_)) {
            let message =
                format!("`{}` is a datatype in the signature, so it can only become a type that has a name", w.con);
            self.error("signature/where", w.span, message);
            return;
        }
        // What the signature says of the constructors stays. No structure will match when they are not those of the
        // type; that is found when one is tried.
        if let TypeFcn::Name(to) = fcn
            && self.has_same_constructors(t, to)
        {
            phi.reps.insert(t, to);
        }
        phi.types.insert(t, fcn);
        self.realise(sig, phi);
    }

    /// Have two datatypes constructors of the same names, with an argument in both or in none?
    fn has_same_constructors(&self, a: TyName, b: TyName) -> bool {
        let sorted = |name: TyName| match &self.tables.tynames[name].def {
            TyNameDef::Datatype { cons, .. } => {
                let mut cons: Vec<_> = cons.iter().map(|con| (con.name, con.arg.is_some())).collect();
                cons.sort();
                Some(cons)
            }
            _ => None,
        };
        matches!((sorted(a), sorted(b)), (Some(a), Some(b)) if a == b)
    }

    /// Applies a realisation of some of the signature's bound type names.
    fn realise(&mut self, sig: &mut Sig, mut phi: Realisation) {
        if phi.types.is_empty() {
            return;
        }
        sig.bound.retain(|b| !phi.types.contains_key(b));
        for &b in &sig.bound {
            phi.redefine(self.tables, b);
        }
        sig.env = phi.env(self.tables, sig.env);
    }

    fn type_in(&self, mut env: EnvId, id: &LongId) -> Option<TyStr> {
        for q in &id.qualifiers {
            env = *self.tables.modules.envs[env].strs.get(*q)?;
        }
        self.tables.modules.envs[env].tys.get(id.symbol).cloned()
    }

    /// Puts a structure's name before the names of types, for messages.
    pub(crate) fn prefix_names(&mut self, names: &[TyName], structure: Symbol) {
        for &t in names {
            let name = Symbol::intern(&format!("{structure}.{}", self.tables.tynames[t].name));
            self.tables.tynames[t].name = name;
        }
    }

    /// Are two type functions equal?
    pub(crate) fn same_fcn(&mut self, a: &TypeFcn, b: &TypeFcn) -> bool {
        if a == b {
            return true;
        }
        let (TypeFcn::Abbrev { tyvars: v, ty: t }, TypeFcn::Abbrev { tyvars: w, ty: u }) = (a, b) else { return false };
        if v.len() != w.len() {
            return false;
        }
        let args: Vec<_> = w.iter().map(|&v| self.tables.intern(crate::ir::TyData::Var(v))).collect();
        self.tables.substitute(*t, v, &args) == *u
    }

    /// A structure about which nothing is known because its declaration is wrong; all of its members are silent.
    pub(crate) fn error_env(&mut self) -> EnvId {
        match self.error_env {
            Some(env) => env,
            None => {
                let env = self.tables.modules.envs.push(crate::basis::Env::default());
                self.error_env = Some(env);
                env
            }
        }
    }

    pub(crate) fn is_error_env(&self, env: EnvId) -> bool {
        self.error_env == Some(env)
    }
}

/// The name of a signature expression, if it has one.
pub(crate) fn sig_name(ast: &ast::Ast, id: SigExpId) -> Option<Symbol> {
    match &ast[id].kind {
        SigExpKind::Id(name) => Some(name.symbol),
        SigExpKind::Where { sig, .. } => sig_name(ast, *sig),
        _ => None,
    }
}
