//! What the indices of the analysed units say: which name stands at a place, what it means, who else means the same.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use leat_ast::ir::{Ast, DecId, DecKind, ExpKind, FunctorParam, PatKind, SpecId, SpecKind, StrExpId, StrExpKind};
use leat_base::symbol::sym;
use leat_base::{FileId, Span};
use leat_driver::tooling::{Analysed, Front};
use leat_elab::basis::{Scheme, ValEntry};
use leat_elab::index::{NameKind, Occurrence};
use leat_elab::ir::{Ty, TyData};
use leat_repl::types::Scope;

/// Names of the library's files begin so.
pub const LIBRARY: &str = "$(SML_LIB)";

/// The unit of a file that holds an offset; else its last.
pub fn unit_at(front: &Front, path: &Path, offset: usize) -> Option<Rc<Analysed>> {
    let units = front.units(path);
    units.iter().find(|unit| unit.range.start <= offset && offset <= unit.range.end).or(units.last()).cloned()
}

/// All names of a unit: those of the index, and the heads of a function's later clauses.
pub fn names(unit: &Analysed) -> Vec<Occurrence> {
    names_if(unit, |_| true)
}

/// Those whose declarations are wanted.
fn names_if(unit: &Analysed, wanted: impl Fn(&Span) -> bool) -> Vec<Occurrence> {
    let index = unit.index.borrow();
    let mut all: Vec<Occurrence> = index.names.iter().filter(|name| wanted(&name.declared)).copied().collect();
    for (_, dec) in unit.program.ast.decs.iter() {
        let DecKind::Fun { binds, .. } = &dec.kind else { continue };
        for bind in binds.iter().filter(|bind| bind.clauses.len() > 1 && wanted(&bind.name.span)) {
            for clause in bind.clauses.iter().skip(1) {
                if let Some(span) = head(unit, clause, bind.name.symbol.as_str()) {
                    let name = bind.name.symbol;
                    all.push(Occurrence { name, span, kind: NameKind::Value, declared: bind.name.span });
                }
            }
        }
    }
    all
}

/// The place of a function's name in one of its clauses.
fn head(unit: &Analysed, clause: &leat_ast::ir::Clause, name: &str) -> Option<Span> {
    let ast = &unit.program.ast;
    let (from, to) = match (clause.infix, clause.args.first().map(|arg| &ast[*arg].kind)) {
        (true, Some(PatKind::Tuple(operands))) if operands.len() == 2 => {
            (ast[operands[0]].span.hi, ast[operands[1]].span.lo)
        }
        (true, _) => return None,
        (false, _) => (clause.span.lo, ast[*clause.args.first()?].span.lo),
    };
    let between = unit.text.get(from as usize..to as usize)?;
    let at = between.match_indices(name).map(|(at, _)| at).find(|&at| {
        let word = |c: Option<char>| c.is_some_and(super::text::is_word);
        !word(between[..at].chars().next_back()) && !word(between[at + name.len()..].chars().next())
    })?;
    let lo = from + at as u32;
    Some(Span { lo, hi: lo + name.len() as u32, ..clause.span })
}

/// The name at an offset: where two touch, the one that begins there.
pub fn name_at(unit: &Analysed, offset: usize) -> Option<Occurrence> {
    let offset = offset as u32;
    let all = names(unit);
    let holds = |name: &&Occurrence| name.span.file == unit.file && name.span.lo <= offset && offset <= name.span.hi;
    // A declaration is more than the use that a derived form makes of it.
    all.iter().filter(holds).max_by_key(|name| (name.span.lo, name.is_declaration(), !name.declared.is_none())).copied()
}

/// The type of exactly this phrase: the last that was noted of it.
pub fn type_of(unit: &Analysed, span: Span) -> Option<Ty> {
    unit.index.borrow().types.iter().rev().find(|(at, _)| *at == span).map(|(_, ty)| *ty)
}

/// The type of a name where it stands. Constructors and values of a long name have it at the whole name.
pub fn type_of_name(unit: &Analysed, name: &Occurrence) -> Option<Ty> {
    if let Some(ty) = type_of(unit, name.span) {
        return Some(ty);
    }
    let index = unit.index.borrow();
    let here = |span: &Span| span.file == name.span.file && span.hi == name.span.hi;
    let long = index.types.iter().rev().find(|(span, _)| here(span) && is_long(unit, *span)).map(|(_, ty)| *ty);
    // The name in a further clause of a function means the first.
    long.or_else(|| type_of(unit, name.declared))
}

/// Is it the place of a name with qualifiers, or with `op`?
pub fn is_long(unit: &Analysed, span: Span) -> bool {
    unit.text.get(span.lo as usize..span.hi as usize).is_some_and(|text| {
        text.contains('.') && text.chars().all(|c| super::text::is_word(c) || c == '.') || text.starts_with("op")
    })
}

/// The smallest phrase around an offset that has a type.
pub fn phrase_at(unit: &Analysed, offset: usize) -> Option<(Span, Ty)> {
    let offset = offset as u32;
    let index = unit.index.borrow();
    let around = index.types.iter().filter(|(span, _)| span.file == unit.file && span.lo <= offset && offset < span.hi);
    around.min_by_key(|(span, _)| span.len()).copied()
}

/// What stands for a type that is not known, since there is an error; so do messages write it.
pub const UNKNOWN: &str = "_";

/// Is a type not known, or a part of it?
pub fn is_unknown(shown: &str) -> bool {
    shown.split(|c: char| c.is_whitespace() || "()[]{},".contains(c)).any(|word| word == UNKNOWN)
}

/// A type as text, in the words of a place of the unit: those of its end, and of the modules and functions around. What
/// has an error is [`UNKNOWN`].
pub fn shown(front: &Front, unit: &Analysed, ty: Ty, at: u32) -> String {
    let after = unit.after();
    let text = leat_repl::types::ty(Scope { tables: front.tables(), basis: &after }, ty);
    let text = text.replace(sym::ERROR.as_str(), UNKNOWN);
    if text.contains('.') { in_words_of(unit, &text, at) } else { text }
}

/// The types of the values that a file's units declare, by the places of their names: for `leat doc`.
pub fn types_of_values(front: &Front, path: &Path) -> HashMap<u32, String> {
    let mut types = HashMap::new();
    for unit in front.units(path) {
        // The last that was noted of a place.
        let index = unit.index.borrow();
        let noted: HashMap<Span, Ty> = index.types.iter().copied().collect();
        for name in index.names.iter().filter(|name| name.is_declaration() && name.kind == NameKind::Value) {
            if let Some(&ty) = noted.get(&name.span) {
                types.insert(name.span.lo, shown(front, &unit, ty, name.span.lo));
            }
        }
    }
    types
}

/// A type that has no name at the unit's end is shown as `?.A.B.t`, by the modules and functions that it is declared
/// in. Inside of those, what follows them names it; so does `?.X.t` inside of a functor with the parameter `X`. Inside
/// of a structure `A`, what is `A.B.t` at the unit's end is `B.t`.
pub(crate) fn in_words_of(unit: &Analysed, text: &str, at: u32) -> String {
    let ast = &unit.program.ast;
    let inside = |span: Span| span.lo <= at && at <= span.hi;
    // Outermost first: those around are one in the other.
    let mut around: Vec<(Span, &str)> = vec![];
    let mut structures: Vec<(Span, &str)> = vec![];
    let mut parameters: Vec<&str> = vec![];
    // What `local` hides at the end, or a structure whose name no program sees, has its name inside.
    let mut hidden: Vec<&str> = vec![];
    for (_, dec) in ast.decs.iter().filter(|(_, dec)| inside(dec.span)) {
        match &dec.kind {
            DecKind::Structure(binds) => {
                for bind in binds.iter().filter(|bind| inside(bind.span)) {
                    structures.push((bind.span, bind.name.symbol.as_str()));
                    if let StrExpKind::Struct(decs) = &ast[unascribed(ast, bind.body)].kind {
                        hidden.extend(decs.iter().flat_map(|&dec| declared(ast, dec)));
                    }
                }
            }
            DecKind::Fun { binds, .. } => {
                around.extend(binds.iter().filter(|b| inside(b.span)).map(|b| (b.span, b.name.symbol.as_str())));
            }
            DecKind::Local { decs, .. } => hidden.extend(decs.iter().flat_map(|&dec| declared(ast, dec))),
            DecKind::Functor(binds) => {
                for bind in binds.iter().filter(|bind| inside(bind.span)) {
                    around.push((bind.span, bind.name.symbol.as_str()));
                    match &bind.param {
                        FunctorParam::Named(name, _) => parameters.push(name.symbol.as_str()),
                        FunctorParam::Specs(specs) => {
                            parameters.extend(specs.iter().flat_map(|&spec| specified(ast, spec)))
                        }
                    }
                }
            }
            _ => {}
        }
    }
    around.extend(&structures);
    around.sort_by_key(|(span, _)| std::cmp::Reverse(span.len()));
    structures.sort_by_key(|(span, _)| std::cmp::Reverse(span.len()));
    if around.first() != structures.first() {
        // They are in a functor or a function, and none has a name at the end.
        structures.clear();
    }
    // How many of the first parts are modules around, from the one on that the first part is.
    let shared = |around: &[(Span, &str)], parts: &[&str]| {
        let shared = around.iter().zip(&parts[..parts.len() - 1]);
        shared.take_while(|((_, name), part)| name == *part).count()
    };
    let is_part = |c: char| super::text::is_word(c) || c == '.' || c == '?';
    let mut new = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        new.push_str(&rest[..start]);
        let path = &rest[start..];
        let end = path.find(|c| !is_part(c)).unwrap_or(path.len());
        let parts: Vec<&str> = path[..end].split('.').collect();
        match parts.split_first() {
            Some((&"?", parts)) if !parts.is_empty() => {
                let first = around.iter().position(|(_, name)| *name == parts[0]);
                let outer = first.map_or(0, |first| shared(&around[first..], parts));
                if outer == 0 && !parameters.contains(&parts[0]) && !hidden.contains(&parts[0]) {
                    new.push_str("?.");
                }
                new.push_str(&parts[outer..].join("."));
            }
            _ => new.push_str(&parts[shared(&structures, &parts)..].join(".")),
        }
        rest = &path[end..];
    }
    new + rest
}

/// A structure without the signatures that it is given.
fn unascribed(ast: &Ast, mut body: StrExpId) -> StrExpId {
    while let StrExpKind::Ascribe { body: inside, .. } = &ast[body].kind {
        body = *inside;
    }
    body
}

/// The types and structures that a declaration names.
fn declared(ast: &Ast, dec: DecId) -> Vec<&'static str> {
    match &ast[dec].kind {
        DecKind::Type(binds) => binds.iter().map(|bind| bind.name.symbol.as_str()).collect(),
        DecKind::Datatype { datbinds, .. } | DecKind::Abstype { datbinds, .. } => {
            datbinds.iter().map(|bind| bind.name.symbol.as_str()).collect()
        }
        DecKind::Structure(binds) => binds.iter().map(|bind| bind.name.symbol.as_str()).collect(),
        _ => vec![],
    }
}

/// The types and structures that a specification names.
fn specified(ast: &Ast, spec: SpecId) -> Vec<&'static str> {
    match &ast[spec].kind {
        SpecKind::Type { descs, .. } => descs.iter().map(|desc| desc.name.symbol.as_str()).collect(),
        SpecKind::Datatype { datbinds, .. } => datbinds.iter().map(|bind| bind.name.symbol.as_str()).collect(),
        SpecKind::Structure(descs) => descs.iter().map(|(name, _)| name.symbol.as_str()).collect(),
        _ => vec![],
    }
}

/// The scheme of a long value identifier at a unit's end, and where it is declared.
pub fn value_after(front: &Front, unit: &Analysed, long: &str) -> Option<Scheme> {
    let mut parts: Vec<&str> = long.split('.').collect();
    let last = leat_base::Symbol::intern(parts.pop()?);
    let after = unit.after();
    let envs = &front.tables().modules.envs;
    let entry = match parts.split_first() {
        None => after.val(last)?,
        Some((first, rest)) => {
            let mut env = after.structure(leat_base::Symbol::intern(first))?;
            for part in rest {
                env = *envs[env].strs.get(leat_base::Symbol::intern(part))?;
            }
            envs[env].vals.get(last)?
        }
    };
    match entry {
        ValEntry::Var { scheme, .. } => Some(scheme.clone()),
        _ => None,
    }
}

/// All names that a renaming must change with a declaration, and where what they mean is declared. What means it in one
/// program may mean another declaration in the next one, which has another file before it: then that one must have the
/// same name.
pub fn renamed_with(front: &Front, declared: Span) -> (HashSet<Span>, Vec<Occurrence>) {
    let mut class = one_name(front, declared);
    loop {
        let found = all_of(front, &class);
        let others = meant_elsewhere(front, &class, &found);
        // Of a name of the library the other uses are of no interest: it keeps its name.
        let (own, librarys): (Vec<Span>, Vec<Span>) =
            others.into_iter().partition(|other| path_of(front, other.file).is_some());
        if own.is_empty() {
            class.extend(librarys);
            return (class, found);
        }
        own.into_iter().for_each(|other| class.extend(one_name(front, other)));
    }
}

/// What these names, which mean one of a class, mean in the units of other programs.
fn meant_elsewhere(front: &Front, class: &HashSet<Span>, found: &[Occurrence]) -> HashSet<Span> {
    let places: HashSet<Span> = found.iter().map(|name| name.span).collect();
    let units = front.all_units();
    let mut counts: HashMap<FileId, usize> = HashMap::new();
    units.iter().for_each(|unit| *counts.entry(unit.file).or_default() += 1);
    let mut others = HashSet::new();
    for unit in units.iter().filter(|unit| counts[&unit.file] > 1) {
        let index = unit.index.borrow();
        let here: Vec<&Occurrence> = index.names.iter().filter(|name| places.contains(&name.span)).collect();
        // One place may have two names, as a label and a variable: the one that was meant is enough.
        let known: HashSet<Span> =
            here.iter().filter(|name| class.contains(&name.declared)).map(|name| name.span).collect();
        let new = here.iter().filter(|name| !known.contains(&name.span) && !name.declared.is_none());
        others.extend(new.map(|name| name.declared));
    }
    others
}

/// Everything that must have the same name: a declaration, and what specifies it or matches it.
pub fn one_name(front: &Front, declared: Span) -> HashSet<Span> {
    let mut class = HashSet::from([declared]);
    let units = front.all_units();
    loop {
        let before = class.len();
        // Most links are passed over by the length of their names, which is less than two looks at the set.
        let mut lengths = lengths(&class);
        for unit in &units {
            for (a, b) in &unit.index.borrow().links {
                if (lengths.contains(&a.len()) || lengths.contains(&b.len())) && class.contains(a) != class.contains(b)
                {
                    class.extend([*a, *b]);
                    for length in [a.len(), b.len()] {
                        if !lengths.contains(&length) {
                            lengths.push(length);
                        }
                    }
                }
            }
        }
        if class.len() == before {
            return class;
        }
    }
}

/// How long the names are; as a rule all of them are one name.
fn lengths(class: &HashSet<Span>) -> Vec<usize> {
    let mut lengths: Vec<usize> = class.iter().map(|span| span.len()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Whether nothing outside of its file can name a declaration: it is a function's parameter, or stands in an
/// expression.
pub fn is_local(unit: &Analysed, declared: Span) -> bool {
    if declared.file != unit.file {
        return false;
    }
    let ast = &unit.program.ast;
    let holds = |span: Span| span.lo <= declared.lo && declared.hi <= span.hi;
    ast.exps.iter().any(|(_, exp)| holds(exp.span))
        || ast.decs.iter().any(|(_, dec)| {
            let DecKind::Fun { binds, .. } = &dec.kind else { return false };
            // The operands of an infix head are one pattern, with the function's name between them.
            binds.iter().all(|bind| bind.name.span != declared)
                && binds
                    .iter()
                    .flat_map(|bind| &bind.clauses)
                    .flat_map(|clause| &clause.args)
                    .any(|&arg| holds(ast[arg].span))
        })
}

/// Of a local declaration, what its scope lies in: the outermost expression or function that holds it.
pub fn around_local(unit: &Analysed, declared: Span) -> Option<Span> {
    if !is_local(unit, declared) {
        return None;
    }
    let ast = &unit.program.ast;
    let exps = ast.exps.iter().map(|(_, exp)| exp.span);
    let funs = ast.decs.iter().filter(|(_, dec)| matches!(dec.kind, DecKind::Fun { .. })).map(|(_, dec)| dec.span);
    let holds = |span: &Span| span.lo <= declared.lo && declared.hi <= span.hi;
    exps.chain(funs).filter(holds).max_by_key(|span| span.len())
}

/// All names that mean one of these declarations, each place once, in the order of the text.
pub fn all_of(front: &Front, class: &HashSet<Span>) -> Vec<Occurrence> {
    let mut found: Vec<Occurrence> = Vec::new();
    let lengths = lengths(class);
    for unit in front.all_units() {
        found.extend(names_if(&unit, |declared| lengths.contains(&declared.len()) && class.contains(declared)));
    }
    found.sort_by_key(|name| (name.span.file, name.span.lo, name.span.hi));
    found.dedup_by_key(|name| name.span);
    found
}

/// The path of a file of the program; that of the library has none, unless it is the program itself.
pub fn path_of(front: &Front, file: FileId) -> Option<PathBuf> {
    let name = &front.sources().get(file)?.name;
    if name.starts_with(LIBRARY) && !front.is_of_library() { None } else { Some(PathBuf::from(&**name)) }
}

/// The qualifiers of the name that begins at a place: of `OS.FileSys.access` at `access`, `OS.FileSys`.
pub fn qualifiers(text: &str, at: usize) -> &str {
    let Some(before) = text.get(..at).and_then(|before| before.strip_suffix('.')) else { return "" };
    let is_part = |c: char| super::text::is_word(c) || c == '.';
    let around = before.trim_end_matches(is_part);
    &before[around.len()..]
}

/// The type name outermost in a type; of a function's, that of its result.
pub fn type_name(front: &Front, mut ty: Ty) -> Option<leat_elab::ir::TyName> {
    loop {
        match &front.tables().types[ty] {
            TyData::Con(name, _) => return Some(*name),
            TyData::Arrow(_, to) => ty = *to,
            TyData::Var(_) | TyData::Record(_) => return None,
        }
    }
}

/// Where a record pattern `{x, ...}` names a field and a variable at once.
pub fn is_pun(unit: &Analysed, span: Span) -> bool {
    let ast = &unit.program.ast;
    ast.pats.iter().any(|(_, pat)| {
        matches!(&pat.kind, PatKind::Record { fields, .. } if fields.iter().any(|(label, _)| label.span == span))
    }) && !ast.exps.iter().any(|(_, exp)| matches!(&exp.kind, ExpKind::Selector(label) if label.span == span))
}

/// What a name is called in messages.
pub fn kind_name(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Value => "value",
        NameKind::Constructor => "constructor",
        NameKind::Exception => "exception",
        NameKind::Type => "type",
        NameKind::Structure => "structure",
        NameKind::Signature => "signature",
        NameKind::Functor => "functor",
    }
}
