//! The declarations of a text, as a tree, and of a program, as a list; and what can be folded.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use leat_ast::ir::{Ast, DecId, DecKind, PatId, PatKind, SigExpId, SigExpKind, SpecId, SpecKind, StrExpId, StrExpKind};
use leat_ast::{FixityEnv, ParseOptions, Program};
use leat_base::source::SourceFile;
use leat_base::{FileId, Span, Symbol};
use lsp_types as lsp;
use serde_json::Value;

use crate::text::Encoding;
use crate::workspace::{Workspace, value};

/// A declaration with those inside it.
pub(crate) struct Declared {
    pub name: Symbol,
    pub kind: lsp::SymbolKind,
    /// Of its name, and of all of it.
    pub at: Span,
    pub whole: Span,
    pub inside: Vec<Declared>,
}

/// The text of a document as a program; errors do not matter.
pub(crate) fn parsed(workspace: &Workspace, path: &Path, text: &str) -> Program {
    let known = workspace.front.units(path);
    let mut fixity = known.first().map_or_else(FixityEnv::basis, |unit| unit.fixity.clone());
    leat_ast::parse(FileId::NONE, text, &ParseOptions { allow_prim: true }, &mut fixity).0
}

pub(crate) fn declared(program: &Program) -> Vec<Declared> {
    let mut out = vec![];
    program.decs.iter().for_each(|&dec| of_dec(&program.ast, dec, &mut out));
    out
}

fn one(name: leat_ast::ir::Name, kind: lsp::SymbolKind, whole: Span, inside: Vec<Declared>) -> Declared {
    // Of no file, as in a text that is parsed for itself, only the offsets count.
    let lo = whole.lo.min(name.span.lo);
    let hi = whole.hi.max(name.span.hi);
    Declared { name: name.symbol, kind, at: name.span, whole: Span { lo, hi, ..name.span }, inside }
}

fn of_dec(ast: &Ast, dec: DecId, out: &mut Vec<Declared>) {
    use lsp::SymbolKind as K;
    let span = ast[dec].span;
    match &ast[dec].kind {
        DecKind::Val { binds, .. } => {
            for bind in binds {
                let function = matches!(ast[bind.exp].kind, leat_ast::ir::ExpKind::Fn(_));
                of_pat(ast, bind.pat, if function { K::FUNCTION } else { K::VARIABLE }, bind.span, out);
            }
        }
        DecKind::Fun { binds, .. } => {
            out.extend(binds.iter().map(|bind| one(bind.name, K::FUNCTION, bind.span, vec![])));
        }
        DecKind::Type(binds) => out.extend(binds.iter().map(|bind| one(bind.name, K::CLASS, bind.span, vec![]))),
        DecKind::Datatype { datbinds, withtype } => of_datbinds(datbinds, withtype, out),
        DecKind::Replication { name, .. } => out.push(one(*name, K::ENUM, span, vec![])),
        DecKind::Abstype { datbinds, withtype, decs } => {
            of_datbinds(datbinds, withtype, out);
            decs.iter().for_each(|&dec| of_dec(ast, dec, out));
        }
        DecKind::Exception(binds) => out.extend(binds.iter().map(|bind| one(bind.name, K::EVENT, bind.span, vec![]))),
        DecKind::Local { decs, body } => decs.iter().chain(body).for_each(|&dec| of_dec(ast, dec, out)),
        DecKind::Structure(binds) => {
            out.extend(binds.iter().map(|bind| one(bind.name, K::MODULE, bind.span, in_strexp(ast, bind.body))));
        }
        DecKind::Signature(binds) => {
            out.extend(binds.iter().map(|bind| one(bind.name, K::INTERFACE, bind.span, in_sigexp(ast, bind.sig))));
        }
        DecKind::Functor(binds) => {
            out.extend(binds.iter().map(|bind| one(bind.name, K::CLASS, bind.span, in_strexp(ast, bind.body))));
        }
        DecKind::Open(_) | DecKind::Fixity { .. } | DecKind::Exp(_) | DecKind::Error => {}
    }
}

fn of_datbinds(datbinds: &[leat_ast::ir::DatBind], withtype: &[leat_ast::ir::TypBind], out: &mut Vec<Declared>) {
    for bind in datbinds {
        let con = |c: &leat_ast::ir::ConBind| one(c.name, lsp::SymbolKind::ENUM_MEMBER, c.name.span, vec![]);
        out.push(one(bind.name, lsp::SymbolKind::ENUM, bind.span, bind.cons.iter().map(con).collect()));
    }
    out.extend(withtype.iter().map(|bind| one(bind.name, lsp::SymbolKind::CLASS, bind.span, vec![])));
}

/// The variables that a pattern may bind.
fn of_pat(ast: &Ast, pat: PatId, kind: lsp::SymbolKind, whole: Span, out: &mut Vec<Declared>) {
    match &ast[pat].kind {
        PatKind::Id { id, .. } => {
            // A constructor without an argument looks like a variable; most begin with a capital letter.
            if let Some(name) = id.as_short().filter(|name| !name.symbol.as_str().starts_with(char::is_uppercase)) {
                out.push(one(name, kind, whole, vec![]));
            }
        }
        PatKind::Record { fields, .. } => fields.iter().for_each(|field| of_pat(ast, field.1, kind, whole, out)),
        PatKind::Tuple(pats) | PatKind::List(pats) | PatKind::Vector(pats) => {
            pats.iter().for_each(|&pat| of_pat(ast, pat, kind, whole, out));
        }
        PatKind::App { arg, .. } => of_pat(ast, *arg, kind, whole, out),
        PatKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|&pat| of_pat(ast, pat, kind, whole, out)),
        PatKind::Typed { pat, .. } => of_pat(ast, *pat, kind, whole, out),
        PatKind::Layered { name, pat, .. } => {
            out.push(one(*name, kind, whole, vec![]));
            of_pat(ast, *pat, kind, whole, out);
        }
        PatKind::Wild | PatKind::Const(_) | PatKind::Error => {}
    }
}

fn in_strexp(ast: &Ast, strexp: StrExpId) -> Vec<Declared> {
    let mut out = vec![];
    match &ast[strexp].kind {
        StrExpKind::Struct(decs) => decs.iter().for_each(|&dec| of_dec(ast, dec, &mut out)),
        StrExpKind::Ascribe { body, .. } => out = in_strexp(ast, *body),
        StrExpKind::Let { decs, body } => {
            decs.iter().for_each(|&dec| of_dec(ast, dec, &mut out));
            out.extend(in_strexp(ast, *body));
        }
        StrExpKind::Id(_) | StrExpKind::App { .. } | StrExpKind::Error => {}
    }
    out
}

fn in_sigexp(ast: &Ast, sigexp: SigExpId) -> Vec<Declared> {
    let mut out = vec![];
    match &ast[sigexp].kind {
        SigExpKind::Sig(specs) => specs.iter().for_each(|&spec| of_spec(ast, spec, &mut out)),
        SigExpKind::Where { sig, .. } => out = in_sigexp(ast, *sig),
        SigExpKind::Id(_) | SigExpKind::Error => {}
    }
    out
}

fn of_spec(ast: &Ast, spec: SpecId, out: &mut Vec<Declared>) {
    use lsp::SymbolKind as K;
    let span = ast[spec].span;
    match &ast[spec].kind {
        SpecKind::Val(descs) => out.extend(descs.iter().map(|(name, ty)| {
            let function = matches!(ast[*ty].kind, leat_ast::ir::TyKind::Arrow(..));
            one(*name, if function { K::FUNCTION } else { K::VARIABLE }, span, vec![])
        })),
        SpecKind::Type { descs, .. } => out.extend(descs.iter().map(|desc| one(desc.name, K::CLASS, span, vec![]))),
        SpecKind::Datatype { datbinds, withtype } => of_datbinds(datbinds, withtype, out),
        SpecKind::Replication { name, .. } => out.push(one(*name, K::ENUM, span, vec![])),
        SpecKind::Exception(cons) => out.extend(cons.iter().map(|con| one(con.name, K::EVENT, span, vec![]))),
        SpecKind::Structure(descs) => {
            out.extend(descs.iter().map(|(name, sig)| one(*name, K::MODULE, span, in_sigexp(ast, *sig))));
        }
        SpecKind::Include(_)
        | SpecKind::SharingType(_)
        | SpecKind::SharingStructure(_)
        | SpecKind::Fixity { .. }
        | SpecKind::Error => {}
    }
}

pub(crate) fn of_document(workspace: &mut Workspace, path: &Path) -> Result<Value, String> {
    let text = workspace.source(path);
    let program = parsed(workspace, path, &text);
    let file = SourceFile::new("", text.to_string());
    value(declared(&program).iter().map(|one| shown(workspace, &file, one)).collect::<Vec<_>>())
}

#[allow(deprecated)] // a field that must be given
fn shown(workspace: &Workspace, file: &SourceFile, one: &Declared) -> lsp::DocumentSymbol {
    let range = |span: Span| workspace.encoding.range(file, span.lo, span.hi);
    let inside: Vec<_> = one.inside.iter().map(|one| shown(workspace, file, one)).collect();
    lsp::DocumentSymbol {
        name: one.name.as_str().to_string(),
        detail: None,
        kind: one.kind,
        tags: None,
        deprecated: None,
        range: range(one.whole),
        selection_range: range(one.at),
        children: if inside.is_empty() { None } else { Some(inside) },
    }
}

/// The declarations of all files of the projects whose names have the letters of the query in this order. Those of
/// programs and tests that nobody has looked at are parsed for it.
pub(crate) fn of_workspace(workspace: &mut Workspace, wanted: &str) -> Value {
    const MOST: usize = 500;
    let mut found: Vec<lsp::SymbolInformation> = vec![];
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut parts: HashSet<(leat_base::FileId, usize)> = HashSet::new();
    for unit in workspace.front.all_units() {
        // Programs may have one file in several scopes.
        if !parts.insert((unit.file, unit.range.start)) {
            continue;
        }
        let Some(path) = crate::query::path_of(&workspace.front, unit.file) else { continue };
        let (Some(uri), Some(file)) = (workspace.uri(&path), workspace.front.sources().get(unit.file)) else {
            continue;
        };
        add_named(declared(&unit.program), wanted, file, &uri, workspace.encoding, &mut found);
        seen.insert(path);
    }
    for path in workspace.files_of_projects().into_iter().filter(|path| !seen.contains(path)) {
        let Some(uri) = workspace.uri(&path) else { continue };
        let text = workspace.source(&path);
        let file = SourceFile::new("", text.to_string());
        add_named(declared(&parsed(workspace, &path, &text)), wanted, &file, &uri, workspace.encoding, &mut found);
    }
    found.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
    found.truncate(MOST);
    serde_json::to_value(found).unwrap_or_default()
}

/// The declarations of one file whose names have the letters of the query.
#[allow(deprecated)] // a field that must be given
fn add_named(
    declared: Vec<Declared>,
    wanted: &str,
    file: &SourceFile,
    uri: &lsp::Uri,
    encoding: Encoding,
    found: &mut Vec<lsp::SymbolInformation>,
) {
    let mut todo: Vec<(Declared, Option<String>)> = declared.into_iter().map(|one| (one, None)).collect();
    while let Some((one, container)) = todo.pop() {
        if has_letters(one.name.as_str(), wanted) {
            found.push(lsp::SymbolInformation {
                name: one.name.as_str().to_string(),
                kind: one.kind,
                tags: None,
                deprecated: None,
                location: lsp::Location { uri: uri.clone(), range: encoding.range(file, one.at.lo, one.at.hi) },
                container_name: container.clone(),
            });
        }
        let path = match container {
            Some(container) => format!("{container}.{}", one.name),
            None => one.name.as_str().to_string(),
        };
        todo.extend(one.inside.into_iter().map(|inner| (inner, Some(path.clone()))));
    }
}

fn has_letters(name: &str, wanted: &str) -> bool {
    let mut name = name.chars().map(|c| c.to_ascii_lowercase());
    wanted.chars().map(|c| c.to_ascii_lowercase()).all(|c| name.any(|d| c == d))
}

/// Declarations, and comments, of several lines.
pub(crate) fn folding(workspace: &mut Workspace, path: &Path) -> Result<Value, String> {
    let text = workspace.source(path);
    let program = parsed(workspace, path, &text);
    let file = SourceFile::new("", text.to_string());
    let line = |offset: u32| file.line_column(offset).0 - 1;
    let mut ranges = vec![];
    for (_, dec) in program.ast.decs.iter() {
        let (start, end) = (line(dec.span.lo), line(dec.span.hi));
        if end > start {
            ranges.push(lsp::FoldingRange { start_line: start, end_line: end, ..lsp::FoldingRange::default() });
        }
    }
    for (lo, hi) in crate::comments::comments(&text) {
        let (start, end) = (line(lo as u32), line(hi as u32));
        if end > start {
            let kind = Some(lsp::FoldingRangeKind::Comment);
            ranges.push(lsp::FoldingRange { start_line: start, end_line: end, kind, ..lsp::FoldingRange::default() });
        }
    }
    value(ranges)
}
