//! `:browse` and `:doc`: a name -> what there is of it, or what its source's comments say.

use std::collections::HashMap;

use leat_base::Symbol;
use leat_driver::Session;
use leat_driver::docs::{self, Item, Module};
use leat_elab::basis::{EnvId, ValEntry};

use crate::types::{self, Scope};

/// Structures whose values programs use without their names.
const OPENED: [&str; 16] = [
    "General",
    "List",
    "Option",
    "String",
    "Char",
    "Int",
    "Real",
    "Word",
    "Vector",
    "Array",
    "Substring",
    "Bool",
    "TextIO",
    "ListPair",
    "IntInf",
    "CML",
];

/// A structure's or signature's members with their types; without a name, what the session has bound.
pub fn browse(session: &Session, name: &str) -> Option<String> {
    let scope = Scope { tables: session.tables(), basis: session.basis() };
    if name.is_empty() {
        return Some(own(session, scope));
    }
    if let Some(env) = structure(session, name) {
        return Some(format!("structure {name} : {}", scope.signature(env, &[])));
    }
    let sig = scope.basis.sig(Symbol::intern(name))?;
    Some(format!("signature {name} = {}", scope.signature(scope.tables.modules.sigs[sig].env, &[])))
}

/// `A`, `A.B`
fn structure(session: &Session, path: &str) -> Option<EnvId> {
    let mut parts = path.split('.').map(Symbol::intern);
    let mut env = session.basis().structure(parts.next()?)?;
    for part in parts {
        env = *session.tables().modules.envs[env].strs.get(part)?;
    }
    Some(env)
}

/// What the session has bound: structures, then types, then values, each by name. (How the basis is layered depends on
/// how much is in it, so it is no order for people.)
fn own(session: &Session, scope: Scope<'_>) -> String {
    let library = session.library_basis();
    let (mut structures, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    for layer in scope.basis.layers() {
        for (name, _) in layer.env.strs.by_name() {
            if scope.basis.structure(*name) != library.structure(*name) && seen.insert(("structure", *name)) {
                structures.push((name.to_string(), format!("structure {name}")));
            }
        }
        for (name, _) in layer.env.tys.by_name() {
            if let Some(ty) = scope.basis.ty(*name).filter(|ty| library.ty(*name) != Some(*ty))
                && seen.insert(("type", *name))
            {
                types.push((name.to_string(), scope.ty_dec(*name, ty)));
            }
        }
        for (name, _) in layer.env.vals.by_name() {
            match scope.basis.val(*name) {
                entry if entry == library.val(*name) => {}
                Some(ValEntry::Var { scheme, .. }) if seen.insert(("val", *name)) => {
                    values.push((name.to_string(), format!("val {name} : {}", types::scheme(scope, scheme))));
                }
                _ => {}
            }
        }
    }
    for kind in [&mut structures, &mut types, &mut values] {
        kind.sort();
    }
    let lines: Vec<String> = [structures, types, values].into_iter().flatten().map(|(_, line)| line).collect();
    if lines.is_empty() { "nothing was bound yet".to_string() } else { lines.join("\n") }
}

/// The names that may stand where a name is being typed: behind `A.`, that structure's; else all at the top level.
pub fn names(session: &Session, qualifier: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |name: Symbol| names.push(name.to_string());
    if qualifier.is_empty() {
        for layer in session.basis().layers() {
            layer.env.vals.iter().for_each(|(name, _)| add(*name));
            layer.env.tys.iter().for_each(|(name, _)| add(*name));
            layer.env.strs.iter().for_each(|(name, _)| add(*name));
        }
    } else if let Some(env) = structure(session, qualifier) {
        let env = &session.tables().modules.envs[env];
        env.vals.iter().for_each(|(name, _)| add(*name));
        env.tys.iter().for_each(|(name, _)| add(*name));
        env.strs.iter().for_each(|(name, _)| add(*name));
    }
    // Members of the library's structures that end in a prime are its own.
    let first = Symbol::intern(qualifier.split('.').next().unwrap_or_default());
    let is_library = session.library_basis().structure(first) == session.basis().structure(first);
    names.retain(|name| qualifier.is_empty() || !is_library || !name.ends_with('\''));
    names.sort();
    names.dedup();
    names
}

/// What comments say about names: made of the sources that are known, when it is first asked for.
pub struct Docs {
    modules: HashMap<String, Vec<Module>>,
    /// Files that have been read.
    files: usize,
}

impl Docs {
    /// With the sources of the library.
    pub fn of_library() -> Docs {
        let mut docs = Docs { modules: HashMap::new(), files: 0 };
        for (name, text) in leat_driver::units::library_files() {
            if name.ends_with(".sml") || name.ends_with(".sig") {
                docs.read(&format!("$(SML_LIB)/{name}"), &text);
            }
        }
        docs
    }

    /// The Basis of 1997 and what SML/NJ has added since have the names of today's structures; nobody asks for them by
    /// those.
    fn read(&mut self, name: &str, text: &str) {
        if name.starts_with("$(SML_LIB)/") && (name.contains("1997") || name.contains("/smlnj/later")) {
            return;
        }
        for module in docs::modules(name, text) {
            self.modules.entry(module.name.clone()).or_default().push(module);
        }
    }

    /// `List`, `LIST`, `List.map`, `OS.FileSys.openDir`, `map`: the declaration and its comment.
    pub fn about(&mut self, session: &Session, name: &str) -> Option<String> {
        let known = self.files;
        for (_, file) in session.sources.files().skip(known) {
            self.read(&file.name, &file.text);
            self.files += 1;
        }
        let (qualifier, last) = name.rsplit_once('.').unwrap_or(("", name));
        if qualifier.is_empty() {
            if let Some(module) = self.module(last) {
                // A structure without a comment is what its signature says.
                let signature = || self.module(module.signature.as_deref()?);
                let comment = match module.comment.is_empty() {
                    true => signature().map_or("", |signature| &*signature.comment),
                    false => &module.comment,
                };
                let shown = told(&module.head, comment, module);
                return Some(match module.kind == "structure" {
                    true => format!("{shown}  (`:browse {last}` lists what is in it)\n"),
                    false => shown,
                });
            }
            return OPENED.iter().find_map(|opened| self.member(session, &[*opened], last));
        }
        let path: Vec<&str> = qualifier.split('.').collect();
        self.member(session, &path, last).or_else(|| self.member_by_shape(session, qualifier, last))
    }

    /// The newest of that name; one with a comment before one without.
    fn module(&self, name: &str) -> Option<&Module> {
        let modules = self.modules.get(name)?;
        modules.iter().rev().find(|module| !module.comment.is_empty()).or_else(|| modules.last())
    }

    fn member(&self, session: &Session, path: &[&str], name: &str) -> Option<String> {
        let mut modules: Vec<&Module> = self.modules.get(path[0])?.iter().rev().collect();
        for part in &path[1..] {
            // A substructure is described in place, or by a signature's name.
            let inner = modules.iter().find_map(|module| find(&self.items(module), part))?;
            if inner.items.is_empty() {
                let (_, signature) = inner.text.split_once(':')?;
                modules = self.modules.get(signature.split_whitespace().next()?)?.iter().rev().collect();
            } else {
                let module = modules[0];
                let inside: Vec<&Item> = inner.items.iter().collect();
                return find(&inside, name).map(|item| told(&text_of(session, path, item), &item.comment, module));
            }
        }
        modules.iter().find_map(|module| {
            let item = find(&self.items(module), name)?;
            Some(told(&text_of(session, path, item), &item.comment, module))
        })
    }

    /// A structure that a functor has made names no signature in its source: of those signatures that it has all names
    /// of, the one with most of them tells.
    fn member_by_shape(&self, session: &Session, path: &str, name: &str) -> Option<String> {
        let env = &session.tables().modules.envs[structure(session, path)?];
        let has = |named: &docs::Named| {
            let symbol = Symbol::intern(&named.name);
            env.vals.get(symbol).is_some() || env.tys.get(symbol).is_some() || env.strs.get(symbol).is_some()
        };
        let signatures = self.modules.values().flatten().filter(|module| module.kind == "signature");
        let described = signatures.filter_map(|module| {
            let items = self.items(module);
            let item = find(&items, name)?;
            let mut names = items.iter().flat_map(|item| &item.names).filter(|named| named.kind != "include");
            let count = names.clone().count();
            names.all(has).then_some((count, std::cmp::Reverse(&module.name), item, module))
        });
        let (.., item, module) = described.max_by_key(|(count, name, ..)| (*count, *name))?;
        Some(told(&item.text, &item.comment, module))
    }

    /// Of a module, or of the signature that it names; with those of the signatures that it includes.
    fn items<'d>(&'d self, module: &'d Module) -> Vec<&'d Item> {
        let mut items = Vec::new();
        self.collect(module, 0, &mut items);
        items
    }

    fn collect<'d>(&'d self, module: &'d Module, depth: usize, items: &mut Vec<&'d Item>) {
        // Whoever declares signatures again and again could make a circle of their names.
        const DEEPEST: usize = 8;
        if depth > DEEPEST {
            return;
        }
        let signature = |name: &str| self.modules.get(name)?.iter().rev().find(|found| !found.items.is_empty());
        if let Some(named) = module.signature.as_deref().filter(|_| module.items.is_empty()).and_then(signature) {
            return self.collect(named, depth + 1, items);
        }
        for item in &module.items {
            items.push(item);
            for named in item.names.iter().filter(|named| named.kind == "include") {
                let included = named.name.split_whitespace().filter_map(signature);
                included.for_each(|signature| self.collect(signature, depth + 1, items));
            }
        }
    }
}

/// An item's text; a value that a body declares has the type that the session knows.
fn text_of(session: &Session, path: &[&str], item: &Item) -> String {
    let typed = || {
        let env = &session.tables().modules.envs[structure(session, &path.join("."))?];
        let ValEntry::Var { scheme, .. } = env.vals.get(Symbol::intern(&item.names.first()?.name))? else {
            return None;
        };
        let scope = Scope { tables: session.tables(), basis: session.basis() };
        Some(format!("{} : {}", item.text, types::scheme(scope, scheme)))
    };
    if item.is_untyped() { typed().unwrap_or_else(|| item.text.clone()) } else { item.text.clone() }
}

fn find<'i>(items: &[&'i Item], name: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.names.iter().any(|named| named.name == name)).copied()
}

fn told(declaration: &str, comment: &str, module: &Module) -> String {
    let comment: String = comment.lines().map(|line| format!("  {line}\n")).collect();
    let place = if comment.is_empty() { format!("  ({}, {})\n", module.name, module.file) } else { String::new() };
    format!("{declaration}\n{comment}{place}")
}
