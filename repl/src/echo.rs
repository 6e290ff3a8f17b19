//! What a unit has bound -> the lines that tell it: `val x = 5 : int`, in the order of the text.

use leat_ast::{Ast, DecId, DecKind, Fixity, Node, PatKind};
use leat_base::Symbol;
use leat_driver::interactive::Values;
use leat_elab::Basis;
use leat_elab::basis::{Scheme, ValEntry};
use leat_elab::ir::TyData;
use leat_mono::closed::ClosedTypes;
use rustc_hash::FxHashSet;

use crate::layout;
use crate::types::{self, Scope};
use crate::values::{Limits, Printer, con_args};

/// Columns of a line.
const WIDTH: usize = 79;

/// One thing that a declaration may bind, by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Item {
    Val(Symbol),
    Ty(Symbol),
    Exception(Symbol),
    Structure(Symbol),
    Signature(Symbol),
    Functor(Symbol),
    /// A line as it is.
    Line(String),
}

/// All that the unit has bound, a line or more for each thing.
pub fn unit(values: &Values<'_>, limits: Limits) -> String {
    let (tables, added) = (values.session.tables(), values.added);
    let scope = Scope { tables, basis: values.session.basis() };
    let mut items = items(&values.program.ast, &values.program.decs);
    if items.is_empty() {
        items = names(added, values.session.library_basis());
    }
    // All types first: their forms are found together.
    let mut closed = ClosedTypes::new(tables);
    let mut forms = Vec::new();
    for item in &items {
        if let Item::Val(name) = item
            && let Some(ValEntry::Var { scheme, .. }) = added.val(*name)
        {
            forms.push((*name, closed.close(scheme.ty)));
        }
    }
    closed.settle();
    let con_args = con_args(&mut closed);
    let printer = Printer::new(scope, values.session.fixity(), &closed, &con_args, limits);
    let mut out = String::new();
    for item in items {
        let text = match item {
            Item::Val(name) => {
                let Some(ValEntry::Var { scheme, .. }) = added.val(name) else { continue };
                let value = match (values.word(name), forms.iter().find(|form| form.0 == name)) {
                    // SAFETY: the slot holds a value of the variable's type; the session's main thread stands still.
                    (Some(word), Some(form)) => unsafe { printer.value(word, scheme.ty, form.1) },
                    _ => unseen(&tables.types[scheme.ty]).to_string(),
                };
                layout::binding(
                    &format!("val {} =", spelled(name, values)),
                    &value,
                    &types::scheme(scope, scheme),
                    WIDTH,
                )
            }
            item => match describe(item, scope, added) {
                Some(text) => text,
                None => continue,
            },
        };
        out.push_str(&text);
        out.push('\n');
    }
    out
}

/// The type of an expression, whose unit binds `it`.
pub fn type_of_it(scope: Scope<'_>, added: &Basis) -> Option<String> {
    match added.val(Symbol::intern("it")) {
        Some(ValEntry::Var { scheme: Scheme { ty, .. }, .. }) => Some(types::ty(scope, *ty)),
        _ => None,
    }
}

fn unseen(ty: &TyData) -> &'static str {
    if matches!(ty, TyData::Arrow(..)) { "fn" } else { "-" }
}

/// Infix names stand behind `op`.
fn spelled(name: Symbol, values: &Values<'_>) -> String {
    let op = if values.session.fixity().is_infix(name) { "op " } else { "" };
    format!("{op}{name}")
}

fn describe(item: Item, scope: Scope<'_>, added: &Basis) -> Option<String> {
    let modules = &scope.tables.modules;
    Some(match item {
        Item::Ty(name) => scope.ty_dec(name, added.ty(name)?),
        Item::Exception(name) => match added.val(name)? {
            ValEntry::Exn { arg, .. } => scope.exception(name, *arg),
            _ => return None,
        },
        Item::Structure(name) => format!("structure {name} : {}", scope.signature(added.structure(name)?, &[])),
        Item::Signature(name) => {
            format!("signature {name} = {}", scope.signature(modules.sigs[added.sig(name)?].env, &[]))
        }
        Item::Functor(name) => {
            let functor = &modules.functors[added.functor(name)?];
            format!("functor {name} (...) : {}", scope.signature(functor.result, &functor.param.bound))
        }
        Item::Line(text) => text,
        Item::Val(_) => return None,
    })
}

/// What a description has added that is not the library's, by kind and name: there may be much of it.
fn names(added: &Basis, library: &Basis) -> Vec<Item> {
    let mut out = Vec::new();
    for layer in added.layers() {
        let sigs =
            layer.sigs.by_name().into_iter().filter(|(name, sig)| fresh(added.sig(*name), library.sig(*name), *sig));
        out.extend(sigs.map(|(name, _)| Item::Line(format!("signature {name}"))));
        let strs = layer
            .env
            .strs
            .by_name()
            .into_iter()
            .filter(|(name, env)| fresh(added.structure(*name), library.structure(*name), *env));
        out.extend(strs.map(|(name, _)| Item::Line(format!("structure {name}"))));
        let functors = layer
            .functors
            .by_name()
            .into_iter()
            .filter(|(name, f)| fresh(added.functor(*name), library.functor(*name), *f));
        out.extend(functors.map(|(name, _)| Item::Line(format!("functor {name}"))));
        let tys =
            layer.env.tys.by_name().into_iter().filter(|(name, ty)| fresh(added.ty(*name), library.ty(*name), ty));
        out.extend(tys.map(|(name, _)| Item::Ty(*name)));
        let vals =
            layer.env.vals.by_name().into_iter().filter(|(name, val)| fresh(added.val(*name), library.val(*name), val));
        out.extend(vals.map(|(name, _)| Item::Val(*name)));
    }
    out
}

/// Whether what a layer has is in scope, and not from the library: a later layer may have the same name again.
fn fresh<T: PartialEq>(added: Option<T>, library: Option<T>, here: T) -> bool {
    added.is_some_and(|added| added == here) && library.is_none_or(|library| library != here)
}

/// What the declarations may bind; of a name that is bound more than once the last time.
fn items(ast: &Ast, decs: &[DecId]) -> Vec<Item> {
    let mut all = Vec::new();
    decs.iter().for_each(|&dec| collect(ast, dec, &mut all));
    let mut seen = FxHashSet::default();
    all.reverse();
    all.retain(|item| seen.insert(item.clone()));
    all.reverse();
    all
}

fn collect(ast: &Ast, dec: DecId, out: &mut Vec<Item>) {
    match &ast[dec].kind {
        DecKind::Val { binds, .. } => binds.iter().for_each(|bind| pattern(ast, Node::Pat(bind.pat), out)),
        DecKind::Fun { binds, .. } => out.extend(binds.iter().map(|bind| Item::Val(bind.name.symbol))),
        DecKind::Type(binds) => out.extend(binds.iter().map(|bind| Item::Ty(bind.name.symbol))),
        DecKind::Datatype { datbinds, withtype } => {
            out.extend(datbinds.iter().map(|bind| Item::Ty(bind.name.symbol)));
            out.extend(withtype.iter().map(|bind| Item::Ty(bind.name.symbol)));
        }
        DecKind::Replication { name, .. } => out.push(Item::Ty(name.symbol)),
        DecKind::Abstype { datbinds, withtype, decs } => {
            out.extend(datbinds.iter().map(|bind| Item::Ty(bind.name.symbol)));
            out.extend(withtype.iter().map(|bind| Item::Ty(bind.name.symbol)));
            decs.iter().for_each(|&dec| collect(ast, dec, out));
        }
        DecKind::Exception(binds) => out.extend(binds.iter().map(|bind| Item::Exception(bind.name.symbol))),
        DecKind::Local { body, .. } => body.iter().for_each(|&dec| collect(ast, dec, out)),
        DecKind::Open(names) => {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            out.push(Item::Line(format!("opening {}", names.join(" "))));
        }
        DecKind::Fixity { fixity, names } => {
            let names: Vec<&str> = names.iter().map(|name| name.symbol.as_str()).collect();
            let word = match fixity {
                Fixity::Infix(n) => format!("infix {n}"),
                Fixity::Infixr(n) => format!("infixr {n}"),
                Fixity::Nonfix => "nonfix".to_string(),
            };
            out.push(Item::Line(format!("{word} {}", names.join(" "))));
        }
        DecKind::Structure(binds) => out.extend(binds.iter().map(|bind| Item::Structure(bind.name.symbol))),
        DecKind::Signature(binds) => out.extend(binds.iter().map(|bind| Item::Signature(bind.name.symbol))),
        DecKind::Functor(binds) => out.extend(binds.iter().map(|bind| Item::Functor(bind.name.symbol))),
        DecKind::Exp(_) => out.push(Item::Val(Symbol::intern("it"))),
        DecKind::Error => {}
    }
}

/// The names in a pattern; those that are constructors are found out by what the unit has added.
fn pattern(ast: &Ast, node: Node, out: &mut Vec<Item>) {
    if let Node::Pat(pat) = node {
        match &ast[pat].kind {
            PatKind::Id { id, .. } if id.qualifiers.is_empty() => out.push(Item::Val(id.symbol)),
            PatKind::Layered { name, .. } => out.push(Item::Val(name.symbol)),
            _ => {}
        }
        ast.children(node, &mut |child| pattern(ast, child, out));
    }
}
