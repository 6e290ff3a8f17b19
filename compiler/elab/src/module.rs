//! Structures, signature bindings, functors. After the Definition, 5.7 rules 50 to 61, 65 to 67, 85 to 89.
//!
//! A functor's body is elaborated once, with the parameter's types abstract and variables of its own; each application
//! copies its Core with the argument's types and variables, and new type names for those that the body makes. So an
//! application is generative, and costs nothing at run time.

use crate::basis::{EnvId, Functor, Sig, ValEntry};
use crate::ctx::Elab;
use crate::draft::Dec;
use crate::index::NameKind;
use crate::ir::{ExnRef, Ty, TyData, TyName, TyNameDef, TyVar};
use crate::matching::MatchPlace;
use crate::realise::Realisation;
use crate::sig::sig_name;
use crate::types::Type;
use leat_ast::ir::{
    Ascription, DecId, DecKind, FunctorArg, FunctorBind, FunctorParam, LongId, Name, StrBind, StrExpId, StrExpKind,
};
use leat_base::{EntityId, Span, Symbol};
use rustc_hash::FxHashMap;

/// A parameter with more structures, by all their paths, is refused: each of them has values of its own.
const MOST_STRUCTURES: u32 = 300_000;

impl Elab<'_> {
    /// A declaration of the structure level. [Rule 56] to [Rule 60], [Rule 87] to [Rule 89]; [Rule 156] to [Rule 161],
    /// [Rule 182] to [Rule 186]
    pub(crate) fn elab_strdec(&mut self, id: DecId, out: &mut Vec<Dec>) {
        match &self.ast[id].kind {
            // [Rule 57] [Rule 87]
            DecKind::Structure(_) => self.elab_module_dec(id, out),
            // [Rule 66] [Rule 88]
            DecKind::Signature(_) => self.elab_module_dec(id, out),
            // [Rule 85] [Rule 89]
            DecKind::Functor(_) => self.elab_module_dec(id, out),
            // [Rule 58] [Rule 59] [Rule 60] are `local` and the vectors of declarations.
            _ => self.elab_core_strdec(id, out),
        }
    }

    /// A sequence of them, to its end. [Rule 60]
    fn elab_strdecs(&mut self, decs: &[DecId], out: &mut Vec<Dec>) {
        decs.iter().for_each(|&d| self.elab_strdec(d, out));
        self.settle_overloads();
    }

    /// One that ends the run of core declarations before it.
    pub(crate) fn elab_module_dec(&mut self, id: DecId, out: &mut Vec<Dec>) {
        self.settle_overloads();
        let ast = self.ast;
        match &ast[id].kind {
            // [Rule 61]
            DecKind::Structure(binds) => {
                let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
                self.check_distinct(&names, "structure");
                let envs: Vec<EnvId> = binds.iter().map(|b| self.elab_strbind(b, out)).collect();
                for (bind, env) in binds.iter().zip(envs) {
                    self.bind_str(bind.name.symbol, env);
                    self.note_declared(NameKind::Structure, bind.name);
                }
            }
            // [Rule 67]
            DecKind::Signature(binds) => {
                let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
                self.check_distinct(&names, "signature");
                let sigs: Vec<Sig> = binds.iter().map(|b| self.elab_sigexp(b.sig)).collect();
                for (bind, sig) in binds.iter().zip(sigs) {
                    let sig = self.tables.modules.sigs.push(sig);
                    self.bind_sig(bind.name.symbol, sig);
                    self.note_declared(NameKind::Signature, bind.name);
                }
            }
            DecKind::Functor(binds) => {
                let names: Vec<Name> = binds.iter().map(|b| b.name).collect();
                self.check_distinct(&names, "functor");
                let functors: Vec<Option<Functor>> = binds.iter().map(|b| self.elab_functor(b)).collect();
                for (bind, functor) in binds.iter().zip(functors) {
                    if let Some(functor) = functor {
                        let functor = self.tables.modules.functors.push(functor);
                        self.bind_functor(bind.name.symbol, functor);
                        self.note_declared(NameKind::Functor, bind.name);
                    }
                }
            }
            _ => {}
        }
    }

    fn elab_strbind(&mut self, bind: &StrBind, out: &mut Vec<Dec>) -> EnvId {
        if self.ast.unclosed.contains(&bind.body) && self.structure(bind.name.symbol).is_none() {
            // What stands behind it has come into it, and uses it.
            let env = self.error_env();
            self.bind_str(bind.name.symbol, env);
        }
        self.within(bind.name.symbol, |this| {
            let env = this.elab_strexp(bind.body, out);
            match &bind.ascription {
                Some(a) => this.ascribe(env, a, bind.name.span, &format!("the structure `{}`", bind.name), out),
                None => env,
            }
        })
    }

    /// [Rule 52] [Rule 53]
    fn ascribe(&mut self, env: EnvId, a: &Ascription, span: Span, structure: &str, out: &mut Vec<Dec>) -> EnvId {
        let sig = self.elab_sigexp(a.sig);
        let place = MatchPlace {
            span,
            sig_span: self.ast[a.sig].span,
            sig_label: "the signature",
            structure,
            sig: sig_name(self.ast, a.sig),
        };
        self.match_sig(&sig, env, a.opaque, &place, &mut Realisation::default(), out)
    }

    /// A structure expression gives its environment; its Core goes to `out`, in the order of evaluation. [Rule 150] to
    /// [Rule 155]
    fn elab_strexp(&mut self, id: StrExpId, out: &mut Vec<Dec>) -> EnvId {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            // [Rule 50]
            StrExpKind::Struct(decs) => {
                let mark = self.mark();
                self.elab_strdecs(decs, out);
                let env = self.take_env(mark);
                if decs.iter().any(|&dec| matches!(ast[dec].kind, DecKind::Error)) {
                    self.incomplete.insert(env);
                }
                env
            }
            // [Rule 51]
            StrExpKind::Id(id) => match self.long_structure(id) {
                Some(env) => env,
                None => self.error_env(),
            },
            StrExpKind::Ascribe { body, ascription } => {
                let env = self.elab_strexp(*body, out);
                self.ascribe(env, ascription, ast[*body].span, "this structure", out)
            }
            // [Rule 54]
            StrExpKind::App { functor, arg } => {
                let (arg, arg_span) = match arg {
                    FunctorArg::Str(s) => (self.elab_strexp(*s, out), ast[*s].span),
                    FunctorArg::Decs(decs) => {
                        let mark = self.mark();
                        self.elab_strdecs(decs, out);
                        (self.take_env(mark), span)
                    }
                };
                self.apply_functor(*functor, arg, arg_span, out)
            }
            // [Rule 55]
            StrExpKind::Let { decs, body } => {
                let mark = self.mark();
                self.elab_strdecs(decs, out);
                let env = self.elab_strexp(*body, out);
                self.undo_to(mark);
                env
            }
            StrExpKind::Error => self.error_env(),
        }
    }

    // ---------------------------------------------------------------- functors

    /// [Rule 86]
    fn elab_functor(&mut self, bind: &FunctorBind) -> Option<Functor> {
        let mark = self.mark();
        // What is open outside may become known behind the functor.
        let outside = std::mem::take(&mut self.var_types);
        let errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        let (sig, named) = match &bind.param {
            FunctorParam::Named(name, sig) => {
                let sig = self.elab_sigexp(*sig);
                self.prefix_names(&sig.bound, name.symbol);
                (sig, Some(*name))
            }
            FunctorParam::Specs(specs) => {
                let path = std::mem::take(&mut self.path);
                let sig = self.elab_specs(specs);
                self.path = path;
                (sig, None)
            }
        };
        let Some(env) = self.stand_in(sig.env) else {
            let place = match &bind.param {
                FunctorParam::Named(_, sig) => self.ast[*sig].span,
                FunctorParam::Specs(_) => bind.name.span,
            };
            let message = format!("this parameter has more than {MOST_STRUCTURES} structures, by all their paths");
            self.error("module/too-large", place, message);
            self.undo_to(mark);
            self.var_types = outside;
            // Its applications are silent.
            let (result, span) = (self.error_env(), bind.name.span);
            let param = Sig { bound: vec![], env: result };
            return Some(Functor { param, result, fresh: vec![], body: std::sync::Arc::new([]), span });
        };
        match named {
            Some(name) => {
                self.bind_str(name.symbol, env);
                self.note_declared(NameKind::Structure, name);
            }
            None => {
                let env = self.tables.modules.envs[env].clone();
                self.bind_env(&env);
            }
        }
        let first = self.tables.tynames.next_id();
        let mut body = vec![];
        let result = self.within(bind.name.symbol, |this| {
            let env = this.elab_strexp(bind.body, &mut body);
            match &bind.ascription {
                Some(a) => {
                    let name = format!("the result of the functor `{}`", bind.name);
                    this.ascribe(env, a, bind.name.span, &name, &mut body)
                }
                None => env,
            }
        });
        self.undo_to(mark);
        self.settle_flexible();
        let mut body = self.finish_decs(body);
        self.var_types = outside;
        let mut closing = self.closing();
        let result = self.close_env(&mut closing, result);
        let last = self.tables.tynames.next_id();
        let fresh = (first.index()..last.index()).map(TyName::from_index).collect();
        if self.diagnostics.iter().filter(|d| d.is_error()).count() > errors {
            // Its applications would repeat the messages; they are silent instead.
            body.clear();
        }
        let param = Sig { bound: sig.bound, env };
        Some(Functor { param, result, fresh, body: body.into(), span: bind.name.span })
    }

    /// A structure that a signature describes and that nobody has made: a functor's parameter, or what stands for a
    /// structure that does not match. It has variables and exceptions of its own: even where two structures in it have
    /// one environment in the signature, their values differ, and every variable that an expression names is in the
    /// tables. Nothing if it has too many structures.
    fn stand_in(&mut self, env: EnvId) -> Option<EnvId> {
        let mut left = MOST_STRUCTURES;
        self.stand_in_within(env, &mut left)
    }

    /// For a structure that is missing: where it is too large, there is an error in any case.
    pub(crate) fn stand_in_or_error(&mut self, env: EnvId) -> EnvId {
        match self.stand_in(env) {
            Some(env) => env,
            None => self.error_env(),
        }
    }

    fn stand_in_within(&mut self, env: EnvId, left: &mut u32) -> Option<EnvId> {
        if self.is_error_env(env) {
            return Some(env);
        }
        *left = left.checked_sub(1)?;
        let mut new = self.tables.modules.envs[env].clone();
        for (name, entry) in new.vals.iter_mut() {
            self.own_variable(*name, entry);
        }
        for (_, inner) in new.strs.iter_mut() {
            *inner = self.stand_in_within(*inner, left)?;
        }
        Some(self.tables.modules.envs.push(new))
    }

    /// A new variable for a specified value or exception, instead of the signature's [`crate::basis::NO_VAR`].
    pub(crate) fn own_variable(&mut self, name: Symbol, entry: &mut ValEntry) {
        match entry {
            ValEntry::Var { var, scheme } => *var = self.new_var(name, Type::core(scheme.ty), Span::NONE),
            ValEntry::Exn { exn, .. } => *exn = ExnRef::Var(self.new_var(name, Type::EXN, Span::NONE)),
            _ => {}
        }
    }

    /// [Rule 54]
    fn apply_functor(&mut self, name: Name, arg: EnvId, span: Span, out: &mut Vec<Dec>) -> EnvId {
        self.answer(&LongId::short(name));
        self.note_used(NameKind::Functor, name);
        let Some(id) = self.functor(name.symbol) else {
            self.unbound_functor(name);
            return self.error_env();
        };
        if self.is_error_env(arg) {
            return arg;
        }
        let functor = self.tables.modules.functors[id].clone();
        let mut phi = Realisation::default();
        let errors = self.diagnostics.len();
        let structure = format!("the argument of the functor `{name}`");
        let place = MatchPlace {
            span,
            sig_span: functor.span,
            sig_label: "the functor is declared here",
            structure: &structure,
            sig: None,
        };
        self.match_sig(&functor.param, arg, false, &place, &mut phi, out);
        if self.diagnostics.len() > errors {
            return self.error_env();
        }
        let fresh = phi.rename_also(self.tables, &functor.fresh);
        for t in fresh {
            // Named after this application: `Functor.t` becomes `Structure.t`.
            let info = &self.tables.tynames[t];
            if !matches!(info.def, TyNameDef::Formal)
                && let Some(last) = info.name.as_str().rsplit('.').next()
            {
                let last = leat_base::Symbol::intern(last);
                self.tables.tynames[t].name = self.full_name(last);
            }
        }
        out.extend(phi.decs(self.tables, &functor.body));
        phi.env(self.tables, functor.result)
    }

    /// The variables that stayed open, for [`Elab::close_env`]. Those that it meets are finished.
    pub(crate) fn closing(&mut self) -> Closing {
        let open = self.metas().into_iter().collect();
        Closing { open, done: FxHashMap::default(), envs: FxHashMap::default() }
    }

    /// Replaces what stayed open in an environment by what it became.
    pub(crate) fn close_env(&mut self, c: &mut Closing, env: EnvId) -> EnvId {
        if c.open.is_empty() || self.is_error_env(env) {
            return env;
        }
        if let Some(&done) = c.envs.get(&env) {
            return done;
        }
        let mut new = self.tables.modules.envs[env].clone();
        let mut changed = false;
        for (_, entry) in new.vals.iter_mut() {
            changed |= self.close_entry(c, entry);
        }
        for (_, inner) in new.strs.iter_mut() {
            let closed = self.close_env(c, *inner);
            changed |= closed != *inner;
            *inner = closed;
        }
        let closed = if changed { self.tables.modules.envs.push(new) } else { env };
        c.envs.insert(env, closed);
        closed
    }

    /// Answers whether anything changed.
    pub(crate) fn close_entry(&mut self, c: &mut Closing, entry: &mut ValEntry) -> bool {
        let ValEntry::Var { var, scheme } = entry else { return false };
        let closed = self.close_ty(c, scheme.ty);
        let changed = closed != scheme.ty;
        scheme.ty = closed;
        if changed {
            let rows = self.row_tyvars(*var);
            scheme.tyvars = scheme.tyvars.iter().copied().chain(rows).collect();
        }
        changed
    }

    fn close_ty(&mut self, c: &mut Closing, ty: Ty) -> Ty {
        if self.is_ground(ty) {
            return ty;
        }
        if let Some(&done) = c.done.get(&ty) {
            return done;
        }
        let new = match self.tables.types[ty].clone() {
            TyData::Var(v) => c.open.get(&v).map_or(ty, |&node| self.finish(node)),
            TyData::Con(name, args) => {
                let args = args.into_iter().map(|a| self.close_ty(c, a)).collect();
                self.tables.intern(TyData::Con(name, args))
            }
            TyData::Arrow(a, b) => {
                let (a, b) = (self.close_ty(c, a), self.close_ty(c, b));
                self.tables.intern(TyData::Arrow(a, b))
            }
            TyData::Record(fields) => {
                let fields = fields.into_iter().map(|(l, t)| (l, self.close_ty(c, t))).collect();
                self.tables.intern(TyData::Record(fields))
            }
        };
        c.done.insert(ty, new);
        new
    }
}

/// Open variables, with what was closed already.
pub(crate) struct Closing {
    pub open: FxHashMap<TyVar, Type>,
    done: FxHashMap<Ty, Ty>,
    envs: FxHashMap<EnvId, EnvId>,
}
