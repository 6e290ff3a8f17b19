//! ML Basis files -> the basis that they export, their sources elaborated on the way.
//!
//! After MLton's "ML Basis system": every declaration is elaborated in the scope of those before it, and gives what it
//! adds; a file is elaborated in an empty scope, once. Annotations are lexical: another file begins without them.

use std::rc::Rc;

use leat_base::{Diagnostic, FileId, Span, Symbol};
use leat_elab::Basis;

use super::Loader;
use super::mlb_parser::{Builtin, Dec, Exp, parse};
use super::places::SourcePlace;
use super::scope::{ModuleKind, Name, Scope, modules, only_core, rename, top_part};
use super::settings::Settings;
use crate::stage::{Failure, Staged};

impl Loader<'_> {
    /// What a file exports.
    pub(super) fn mlb(&mut self, place: &SourcePlace, file: FileId) -> Result<Scope, Failure> {
        let own = matches!(place, SourcePlace::Shelf(_));
        let text = self.session.sources.get(file).map_or("", |source| &*source.text);
        let (decs, errors) = parse(file, text, own);
        self.session.refuse(&errors)?;
        let settings = if own { Settings::library() } else { Settings::with(&self.session.options.annotations) };
        // A tool goes on behind a file that is not there.
        let absent = if self.session.tooling.is_none() { self.absent_files(&decs, place) } else { Vec::new() };
        let around = std::mem::replace(&mut self.absent, absent);
        let result = self.mlb_decs(&decs, &Scope::default(), place, &settings);
        self.absent = around;
        result
    }

    /// Where files are named that are not there.
    fn absent_files(&self, decs: &[Dec], here: &SourcePlace) -> Vec<(Span, String)> {
        let mut absent = Vec::new();
        each_file(decs, &mut |path, at| {
            if let Ok(place @ SourcePlace::Disk(_)) = self.places.resolve(path, here)
                && !self.places.exists(&place)
            {
                absent.push((at, place.shown()));
            }
        });
        absent
    }

    /// What the declarations add.
    fn mlb_decs(
        &mut self,
        decs: &[Dec],
        scope: &Scope,
        here: &SourcePlace,
        settings: &Settings,
    ) -> Result<Scope, Failure> {
        let (mut scope, mut added) = (scope.clone(), Scope::default());
        for dec in decs {
            let new = match self.mlb_dec(dec, &scope, here, settings) {
                // A tool goes on with the rest; the message is kept.
                Err(Failure::Errors(_)) if self.session.tooling.is_some() => continue,
                new => new?,
            };
            scope.add(&new);
            added.add(&new);
        }
        Ok(added)
    }

    fn mlb_dec(&mut self, dec: &Dec, scope: &Scope, here: &SourcePlace, settings: &Settings) -> Result<Scope, Failure> {
        let mut added = Scope::default();
        match dec {
            Dec::Basis(binds) => {
                for (name, exp) in binds {
                    let basis = self.mlb_exp(exp, scope, here, settings)?;
                    added.bases.insert(name.symbol, basis);
                }
            }
            Dec::Local(first, second) => {
                let inner = self.mlb_decs(first, scope, here, settings)?;
                let mut scope = scope.clone();
                scope.add(&inner);
                added = self.mlb_decs(second, &scope, here, settings)?;
            }
            Dec::Open(names) => {
                for name in names {
                    added.add(&*self.mlb_basis(name, scope)?);
                }
            }
            Dec::Module(kind, binds) => {
                for (new, old) in binds {
                    match rename(&scope.basis, *kind, old.symbol, new.symbol) {
                        Some(basis) => added.basis = added.basis.plus(&basis),
                        None => return Err(self.unbound(*kind, old, scope)),
                    }
                }
            }
            Dec::File(path, at) => {
                let place = self.resolve(path, here, *at)?;
                if place.has_suffix("mlb") {
                    added.add(&*self.description(&place, *at)?);
                } else {
                    added = self.source(&place, *at, scope, settings)?;
                }
            }
            Dec::Ann(annotations, decs) => {
                let mut settings = settings.clone();
                let warnings: Vec<_> =
                    annotations.iter().filter_map(|(text, at)| settings.annotate(text, *at)).collect();
                self.session.warn(&warnings)?;
                added = self.mlb_decs(decs, scope, here, &settings)?;
            }
            Dec::Builtin(builtin) => {
                let image = &self.session.image;
                match builtin {
                    Builtin::Image => added.basis = image.clone(),
                    Builtin::Toplevel => added.basis = only_core(image),
                    Builtin::Part(part) => added.basis = top_part(image, *part),
                    Builtin::Infixes => added.fixity = leat_ast::FixityEnv::basis().iter().collect(),
                }
            }
        }
        Ok(added)
    }

    fn mlb_exp(
        &mut self,
        exp: &Exp,
        scope: &Scope,
        here: &SourcePlace,
        settings: &Settings,
    ) -> Result<Rc<Scope>, Failure> {
        match exp {
            Exp::Bas(decs) => Ok(Rc::new(self.mlb_decs(decs, scope, here, settings)?)),
            Exp::Id(name) => self.mlb_basis(name, scope),
            Exp::Let(decs, exp) => {
                let inner = self.mlb_decs(decs, scope, here, settings)?;
                let mut scope = scope.clone();
                scope.add(&inner);
                self.mlb_exp(exp, &scope, here, settings)
            }
        }
    }

    fn mlb_basis(&self, name: &Name, scope: &Scope) -> Result<Rc<Scope>, Failure> {
        match scope.bases.get(&name.symbol) {
            Some(basis) => Ok(basis.clone()),
            None => {
                let d = Diagnostic::error("unit/name", name.span, format!("the basis `{}` is not bound", name.symbol));
                Err(self.failed(with_names(d, scope.bases.keys().copied())))
            }
        }
    }

    fn unbound(&self, kind: ModuleKind, name: &Name, scope: &Scope) -> Failure {
        let message = format!("the {} `{}` is not in scope here", kind.name(), name.symbol);
        let d = Diagnostic::error("unit/name", name.span, message);
        let likely = similar(&scope.basis, kind, name.symbol);
        self.failed(match likely {
            Some(likely) => d.help(format!("there is a {} `{likely}`", kind.name())),
            None => d.help("only what the files before it declare is in scope"),
        })
    }
}

/// The files that declarations name, in the order of the text.
fn each_file(decs: &[Dec], work: &mut impl FnMut(&str, Span)) {
    for dec in decs {
        match dec {
            Dec::File(path, at) => work(path, *at),
            Dec::Local(first, second) => {
                each_file(first, work);
                each_file(second, work);
            }
            Dec::Ann(_, decs) => each_file(decs, work),
            Dec::Basis(binds) => {
                for (_, exp) in binds {
                    each_file_of_exp(exp, work);
                }
            }
            Dec::Open(_) | Dec::Module(..) | Dec::Builtin(_) => {}
        }
    }
}

fn each_file_of_exp(exp: &Exp, work: &mut impl FnMut(&str, Span)) {
    match exp {
        Exp::Bas(decs) => each_file(decs, work),
        Exp::Let(decs, exp) => {
            each_file(decs, work);
            each_file_of_exp(exp, work);
        }
        Exp::Id(_) => {}
    }
}

fn with_names(d: Diagnostic, names: impl Iterator<Item = Symbol>) -> Diagnostic {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { d } else { d.help(format!("there are {}", names.join(", "))) }
}

/// The same name in other letters, or one letter off.
fn similar(basis: &Basis, kind: ModuleKind, name: Symbol) -> Option<Symbol> {
    let simple = |text: &str| text.to_ascii_lowercase().replace('_', "");
    let wanted = simple(name.as_str());
    let names = || modules(basis).into_iter().filter(|(k, _)| *k == kind).map(|(_, name)| name);
    names().find(|n| simple(n.as_str()) == wanted)
}
