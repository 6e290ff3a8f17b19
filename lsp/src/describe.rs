//! Hover, signature help, inlay types: what a name is, in words; and the comments of declarations.

use std::path::Path;
use std::rc::Rc;

use leat_ast::TokenKind;
use leat_ast::ir::{Ast, Dec, DecKind, ExBindKind, FunctorParam, PatKind, Spec, SpecKind, StrExpId, StrExpKind};
use leat_base::Span;
use leat_driver::docs;
use leat_driver::tooling::{Analysed, Front};
use leat_elab::index::{NameKind, Occurrence};
use leat_elab::ir::{Ty, TyData};
use lsp_types as lsp;
use serde_json::Value;

use crate::query::{self, kind_name, name_at, one_name, phrase_at, shown, type_of_name, unit_at};
use crate::text::is_word;
use crate::workspace::{Workspace, value};

// ------------------------------------------------------------------------- hover

pub(crate) fn hover(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let front = &workspace.front;
    let Some(unit) = unit_at(front, path, offset) else { return Ok(Value::Null) };
    let (span, code, comment, place) = match name_at(&unit, offset) {
        Some(name) => {
            let code = described(front, &unit, &name);
            let comment = comments_for(front, name.declared);
            let place = if name.is_declaration() || name.declared.is_none() {
                None
            } else {
                Some(front.sources().describe(name.declared))
            };
            (name.span, code, comment, place)
        }
        None => match phrase_at(&unit, offset) {
            Some((span, ty)) => match shown(front, &unit, ty, span.lo) {
                text if text == query::UNKNOWN => return Ok(Value::Null),
                text => (span, text, None, None),
            },
            None => return Ok(Value::Null),
        },
    };
    let mut text = format!("```sml\n{code}\n```");
    if let Some(comment) = comment {
        text.push_str(&format!("\n\n{comment}"));
    }
    if let Some(place) = place {
        // The file's name is enough.
        let place = place.rsplit('/').next().unwrap_or(&place).to_string();
        text.push_str(&format!("\n\n*declared in {place}*"));
    }
    let contents = lsp::HoverContents::Markup(lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: text });
    value(lsp::Hover { contents, range: workspace.location(span).map(|location| location.range) })
}

/// `val f : int -> int`, `datatype t = A | B`: a name as its signature would specify it.
fn described(front: &Front, unit: &Analysed, name: &Occurrence) -> String {
    let symbol = name.name.as_str();
    let typed = |word: &str| match type_of_name(unit, name) {
        Some(ty) => match &*shown(front, unit, ty, name.span.lo) {
            query::UNKNOWN => format!("{word} {symbol}"),
            text => format!("{word} {symbol} : {text}"),
        },
        None => format!("{word} {symbol}"),
    };
    match name.kind {
        NameKind::Value => typed("val"),
        NameKind::Constructor => typed("constructor"),
        NameKind::Exception => {
            let arg = type_of_name(unit, name).and_then(|ty| match &front.tables().types[ty] {
                TyData::Arrow(arg, _) => Some(*arg),
                _ => None,
            });
            let arg = arg.map(|arg| shown(front, unit, arg, name.span.lo));
            match arg.or_else(|| argument_written(unit, name.declared)) {
                Some(arg) => format!("exception {symbol} of {arg}"),
                None => format!("exception {symbol}"),
            }
        }
        NameKind::Type | NameKind::Structure | NameKind::Signature | NameKind::Functor => {
            declaration(front, name.declared).unwrap_or_else(|| format!("{} {symbol}", kind_name(name.kind)))
        }
    }
}

/// The type of an exception's argument, as it is written where the unit declares or specifies it.
fn argument_written(unit: &Analysed, at: Span) -> Option<String> {
    let ast = &unit.program.ast;
    let declared = ast.decs.iter().find_map(|(_, dec)| match &dec.kind {
        DecKind::Exception(binds) => binds.iter().find(|bind| bind.name.span == at).map(|bind| match bind.kind {
            ExBindKind::New(arg) => arg,
            ExBindKind::Alias(_) => None,
        }),
        _ => None,
    });
    let specified = || {
        ast.specs.iter().find_map(|(_, spec)| match &spec.kind {
            SpecKind::Exception(descs) => descs.iter().find(|desc| desc.name.span == at).map(|desc| desc.arg),
            _ => None,
        })
    };
    let ty = ast[declared.or_else(specified)??].span;
    let text = unit.text.get(ty.lo as usize..ty.hi as usize)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// So many lines of a module are shown.
const MOST: usize = 30;

/// The text of the declaration that has its name at a place: all of a type's, the beginning of a module's.
fn declaration(front: &Front, declared: Span) -> Option<String> {
    let text = &front.sources().get(declared.file)?.text;
    with_ast(front, declared, |ast| match around(ast, declared)? {
        Around::Dec(dec) => of_dec(ast, text, dec, declared),
        Around::Spec(spec) => {
            let whole = slice(text, spec.span)?;
            Some(if matches!(spec.kind, SpecKind::Structure(_)) { beginning(whole) } else { whole.to_string() })
        }
    })?
}

fn of_dec(ast: &Ast, text: &str, dec: &Dec, declared: Span) -> Option<String> {
    let is_here = |bind: Span| bind.lo <= declared.lo && declared.hi <= bind.hi;
    let head = |keyword: &str, bind: Span, body: StrExpId| {
        let whole = slice(text, bind)?;
        Some(match whole.lines().count() <= MOST {
            true => format!("{keyword} {whole}"),
            false => beginning(&format!("{keyword} {}", head_of(ast, text, bind, body)?)),
        })
    };
    match &dec.kind {
        DecKind::Structure(binds) => {
            let bind = binds.iter().find(|bind| is_here(bind.span))?;
            head("structure", bind.span, bind.body)
        }
        DecKind::Functor(binds) => {
            let bind = binds.iter().find(|bind| is_here(bind.span))?;
            match bind.param {
                FunctorParam::Named(name, sig) if name.span == declared => {
                    let whole = slice(text, Span { hi: ast[sig].span.hi, ..declared })?;
                    Some(beginning(&format!("structure {whole}")))
                }
                _ => head("functor", bind.span, bind.body),
            }
        }
        DecKind::Signature(binds) => {
            let bind = binds.iter().find(|bind| is_here(bind.span))?;
            Some(beginning(&format!("signature {}", slice(text, bind.span)?)))
        }
        DecKind::Abstype { datbinds, withtype, .. } => {
            // What stands behind `with` are declarations of their own.
            let ends = datbinds.iter().map(|bind| bind.span.hi).chain(withtype.iter().map(|bind| bind.span.hi));
            Some(slice(text, Span { hi: ends.max()?, ..dec.span })?.to_string())
        }
        _ => Some(slice(text, dec.span)?.to_string()),
    }
}

/// What a module's binding says of it, without what is inside: `A :> S`, `F (X : S)`, `A = F` of a functor's result.
fn head_of(ast: &Ast, text: &str, bind: Span, body: StrExpId) -> Option<String> {
    let begin = ast[body].span.lo;
    let mut before = slice(text, Span { hi: begin, ..bind })?.trim_end();
    while let Some(&(lo, _)) = comments(before).last().filter(|(_, hi)| *hi == before.len()) {
        before = before[..lo].trim_end();
    }
    let name = before.strip_suffix('=').unwrap_or(before).trim_end();
    Some(match &ast[body].kind {
        StrExpKind::Ascribe { body: inside, .. } => {
            let behind = Span { lo: ast[*inside].span.hi, ..ast[body].span };
            format!("{name} {}", slice(text, behind)?.trim_start())
        }
        StrExpKind::App { functor, .. } => format!("{name} = {functor}"),
        _ => name.to_string(),
    })
}

fn slice(text: &str, span: Span) -> Option<&str> {
    text.get(span.lo as usize..span.hi as usize)
}

/// The first lines of a text that has many.
fn beginning(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().take(MOST).collect();
    if text.lines().nth(MOST).is_some() {
        lines.push("  (* ... *)");
    }
    lines.join("\n")
}

/// The tree of the file that a place is in.
fn with_ast<R>(front: &Front, declared: Span, f: impl FnOnce(&Ast) -> R) -> Option<R> {
    let file = front.sources().get(declared.file)?;
    let path = Path::new(&*file.name);
    let known = front.units(path);
    let own;
    let ast = match known.iter().find(|unit| *unit.text == *file.text) {
        Some(unit) => &unit.program.ast,
        None => {
            let options = leat_ast::ParseOptions { allow_prim: true };
            let mut fixity = leat_ast::FixityEnv::basis();
            own = leat_ast::parse(declared.file, &file.text, &options, &mut fixity).0;
            &own.ast
        }
    };
    Some(f(ast))
}

enum Around<'a> {
    Dec(&'a Dec),
    Spec(&'a Spec),
}

impl Around<'_> {
    fn span(&self) -> Span {
        match self {
            Around::Dec(dec) => dec.span,
            Around::Spec(spec) => spec.span,
        }
    }
}

/// The smallest declaration or specification around a name.
fn around(ast: &Ast, declared: Span) -> Option<Around<'_>> {
    let decs = ast.decs.iter().map(|(_, dec)| Around::Dec(dec));
    let all = decs.chain(ast.specs.iter().map(|(_, spec)| Around::Spec(spec)));
    let holds = |span: Span| span.lo <= declared.lo && declared.hi <= span.hi;
    all.filter(|around| holds(around.span())).min_by_key(|around| around.span().len())
}

/// The place of the smallest declaration or specification around a name, and whether it is a specification.
fn whole_of(front: &Front, declared: Span) -> Option<(Span, bool)> {
    with_ast(front, declared, |ast| {
        let around = around(ast, declared)?;
        Some((around.span(), matches!(around, Around::Spec(_))))
    })?
}

// ---------------------------------------------------------------------- comments

/// What the comments say of a declaration: that of its specification, then its own.
fn comments_for(front: &Front, declared: Span) -> Option<String> {
    let own = if declared.is_none() { None } else { comment_of(front, declared) };
    match (comment_for(front, declared), own) {
        (Some(users), Some(own)) if users != own => Some(format!("{users}\n\n{own}")),
        (users, own) => users.or(own),
    }
}

/// What users are told of a declaration: the comment of its specification; else its own, or that of another declaration
/// of the same name.
pub(crate) fn comment_for(front: &Front, declared: Span) -> Option<String> {
    if declared.is_none() {
        return None;
    }
    specified(front, declared)
        .or_else(|| of_library(front, declared))
        .or_else(|| comment_of(front, declared))
        .or_else(|| others(front, declared).into_iter().find_map(|span| comment_of(front, span)))
}

/// The comment of the specification that a declaration matches, or is itself.
pub(crate) fn specified(front: &Front, declared: Span) -> Option<String> {
    let is_specification = |span: &Span| whole_of(front, *span).is_some_and(|(_, specification)| specification);
    let all = std::iter::once(declared).chain(others(front, declared));
    all.filter(is_specification).find_map(|span| comment_of(front, span))
}

/// The other places that must have the same name.
fn others(front: &Front, declared: Span) -> Vec<Span> {
    let mut others: Vec<Span> = one_name(front, declared).into_iter().filter(|other| *other != declared).collect();
    others.sort_by_key(|span| (span.file, span.lo));
    others
}

/// The comment that ends right before the declaration that has its name at a place, or follows it on its line.
pub(crate) fn comment_of(front: &Front, declared: Span) -> Option<String> {
    let file = front.sources().get(declared.file)?;
    let (whole, _) = whole_of(front, declared)?;
    // In a signature comments may stand below what they speak of.
    let before = file.text.get(..declared.lo as usize)?;
    if before.contains("signature") {
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count() as u32;
        let name = file.text.get(declared.lo as usize..declared.hi as usize)?;
        if let Some(comment) = docs::comment_of_specification(&file.text, line, name) {
            return Some(comment).filter(|comment| !comment.is_empty());
        }
    }
    comment_at(&file.text, whole)
}

fn comment_at(text: &str, whole: Span) -> Option<String> {
    if let Some((lo, hi)) = comment_above(text, whole.lo as usize) {
        return Some(plain(&text[lo..hi]));
    }
    let after = text.get(whole.hi as usize..)?;
    let line = after.split('\n').next().unwrap_or("");
    let start = whole.hi as usize + line.find("(*")?;
    let between = &text[whole.hi as usize..start];
    if !between.chars().all(|c| c.is_whitespace() || c == ';') {
        return None;
    }
    comments(text).iter().find(|(lo, _)| *lo == start).map(|(lo, hi)| plain(&text[*lo..*hi]))
}

/// The comment that ends right before what stands at `at`: between them may be blanks and one line end.
pub(crate) fn comment_above(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let trimmed = before.trim_end();
    if !trimmed.ends_with("*)") || before[trimmed.len()..].matches('\n').count() > 1 {
        return None;
    }
    let (lo, hi) = comments(text).into_iter().find(|(_, hi)| *hi == trimmed.len())?;
    // One that follows something on its line belongs to that.
    let alone = text[..lo].rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
    alone.then_some((lo, hi))
}

/// Behind the comments that follow a place on its line: they speak of what ends there. Without any, the place.
pub(crate) fn behind_comments(text: &str, at: usize) -> usize {
    let is_blank = |between: &str| between.chars().all(|c| matches!(c, ' ' | '\t'));
    comments(text).into_iter().fold(at, |end, (lo, hi)| if lo >= end && is_blank(&text[end..lo]) { hi } else { end })
}

/// The text of a comment without its marks and stars.
fn plain(comment: &str) -> String {
    let inner = comment.trim_start_matches("(*").trim_end_matches("*)").trim_matches('*');
    let lines = inner.lines().map(|line| line.trim().trim_start_matches("* ").trim_start_matches('*').trim());
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

/// A value of a library's structure: the comment of its specification in the structure's signature.
fn of_library(front: &Front, declared: Span) -> Option<String> {
    let file = front.sources().get(declared.file)?;
    if !file.name.starts_with(query::LIBRARY) {
        return None;
    }
    // The types have no place of their own in this search.
    let is_type =
        |text: &str| ["type", "datatype", "abstype", "eqtype", "'", "("].iter().any(|word| text.starts_with(word));
    if whole_of(front, declared).is_some_and(|(whole, _)| is_type(front.sources().text(whole))) {
        return None;
    }
    let name = front.sources().text(declared).to_string();
    // `basis/list.sml` has the structure of the signature LIST, in whichever file that is.
    let (stem, _) = Path::new(&*file.name).file_name()?.to_str()?.rsplit_once('.')?;
    let wanted = stem.replace(['-', '_', '.'], "").to_ascii_lowercase();
    let is_it = |signature: &str| signature.replace('_', "").to_ascii_lowercase() == wanted;
    let named = |text: &str| {
        let mut names = text.match_indices("signature ").map(|(at, word)| &text[at + word.len()..]);
        names.any(|rest| is_it(rest.split(|c: char| !is_word(c)).next().unwrap_or("")))
    };
    let mut files = front.sources().files().filter(|(_, file)| file.name.starts_with(query::LIBRARY));
    files.find_map(|(_, file)| {
        let modules = if named(&file.text) { docs::modules(&file.name, &file.text) } else { vec![] };
        let signature = modules.iter().find(|module| module.kind == "signature" && is_it(&module.name))?;
        let specifies = |item: &&docs::Item| item.names.iter().any(|one| one.kind == "val" && one.name == name);
        let comment = &signature.items.iter().find(specifies)?.comment;
        (!comment.is_empty()).then(|| comment.clone())
    })
}

/// The comments of a text, outermost ones, from `(*` to behind `*)`.
pub(crate) fn comments(text: &str) -> Vec<(usize, usize)> {
    scan(text).0
}

/// The string constants of a text.
pub(crate) fn strings(text: &str) -> Vec<(usize, usize)> {
    scan(text).1
}

type Places = Vec<(usize, usize)>;

fn scan(text: &str) -> (Places, Places) {
    let bytes = text.as_bytes();
    let (mut comments, mut strings) = (vec![], vec![]);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"(*") {
            let start = at;
            let mut depth = 1;
            at += 2;
            while at < bytes.len() && depth > 0 {
                if bytes[at..].starts_with(b"(*") {
                    depth += 1;
                    at += 2;
                } else if bytes[at..].starts_with(b"*)") {
                    depth -= 1;
                    at += 2;
                } else {
                    at += 1;
                }
            }
            comments.push((start, at));
        } else if bytes[at] == b'"' {
            let start = at;
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
                if bytes[at] != b'\\' {
                    at += 1;
                    continue;
                }
                // Blanks and line ends between two backslashes are no part of the string, and do not end it.
                let gap = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                at += match bytes.get(at + 1 + gap) {
                    Some(b'\\') if gap > 0 => gap + 2,
                    _ if bytes.get(at + 1) == Some(&b'\n') => 1,
                    _ => 2,
                };
            }
            at = (at + 1).min(bytes.len());
            strings.push((start, at));
        } else {
            at += 1;
        }
    }
    (comments, strings)
}

// ---------------------------------------------------------------- signature help

/// The function that is applied at a place: its type, and which argument the place is in.
pub(crate) fn signature_help(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let text = workspace.text(path);
    let front = &workspace.front;
    let Some(unit) = unit_at(front, path, offset) else { return Ok(Value::Null) };
    let Some((callee, argument, component)) = callee(&text[..offset]) else { return Ok(Value::Null) };
    let end = callee.as_ptr() as usize + callee.len() - text.as_ptr() as usize;
    let Some(ty) = type_of_callee(front, &unit, callee, end, offset) else { return Ok(Value::Null) };
    let TyData::Arrow(..) = front.tables().types[ty] else { return Ok(Value::Null) };
    // One parameter for each argument; of a tuple its components.
    let mut label = format!("{callee} : ");
    let mut parameters = vec![];
    let mut active = None;
    let mut at = ty;
    let mut number = 0;
    while let TyData::Arrow(from, to) = &front.tables().types[at] {
        let parts: Vec<Ty> = match &front.tables().types[*from] {
            TyData::Record(fields)
                if number == argument
                    && fields.len() > 1
                    && fields.iter().all(|field| field.0.as_tuple_label().is_some()) =>
            {
                fields.iter().map(|field| field.1).collect()
            }
            _ => vec![*from],
        };
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                label.push_str(" * ");
            }
            let shown = shown(front, &unit, *part, offset as u32);
            let shown = if shown.contains("->") { format!("({shown})") } else { shown };
            if number == argument && (i == component || parts.len() == 1) {
                active = Some(parameters.len() as u32);
            }
            let start = label.encode_utf16().count() as u32;
            label.push_str(&shown);
            let end = label.encode_utf16().count() as u32;
            let label = lsp::ParameterLabel::LabelOffsets([start, end]);
            parameters.push(lsp::ParameterInformation { label, documentation: None });
        }
        label.push_str(" -> ");
        at = *to;
        number += 1;
    }
    label.push_str(&shown(front, &unit, at, offset as u32));
    let signature = lsp::SignatureInformation {
        label,
        documentation: None,
        parameters: Some(parameters),
        active_parameter: active,
    };
    value(lsp::SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

/// In a text that ends in an application: the function's name, the number of the argument at the end, and the number of
/// the component in it, if that is a tuple.
fn callee(text: &str) -> Option<(&str, usize, usize)> {
    let mut rest = text;
    let (mut argument, mut component) = (0, 0);
    let mut inside = false;
    // Back over one atomic phrase after the other.
    loop {
        let trimmed = rest.trim_end();
        let blank = trimmed.len() < rest.len() || inside;
        let last = trimmed.chars().next_back()?;
        if last == ',' && !inside {
            component += 1;
            rest = back_to_part(&trimmed[..trimmed.len() - 1])?;
            continue;
        }
        if last == '(' {
            // The place is in this argument.
            rest = &trimmed[..trimmed.len() - 1];
            inside = true;
            argument = 0;
            continue;
        }
        let start = atom(trimmed)?;
        let word = &trimmed[start..];
        if !blank {
            // What is being typed.
            rest = &trimmed[..start];
            continue;
        }
        let before = trimmed[..start].trim_end();
        let head = before.is_empty()
            || before.ends_with(['(', ',', '[', '=', ';', '>', '|', '+', '-', '^', '<', '@', ':', '{'])
            || before.rsplit(|c: char| !is_word(c)).next().is_some_and(|w| TokenKind::word(w).is_some());
        if head {
            let name = word.starts_with(|c: char| c.is_ascii_alphabetic())
                && word.chars().all(|c| is_word(c) || c == '.')
                && TokenKind::word(word).is_none();
            return name.then_some((word, argument, component));
        }
        argument += 1;
        if !inside {
            component = 0;
        }
        rest = &trimmed[..start];
        inside = true;
    }
}

/// Back over a component of a tuple, to its beginning.
fn back_to_part(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            // A part of another tuple.
            _ if depth > 0 => {}
            '(' | ',' => return Some(&text[..at + 1]),
            '[' | '{' | ';' => return None,
            _ => {}
        }
    }
    None
}

/// Where the atomic phrase at a text's end begins.
fn atom(text: &str) -> Option<usize> {
    let last = text.chars().next_back()?;
    if is_word(last) {
        let before = text.char_indices().rev().find(|(_, c)| !is_word(*c) && *c != '.');
        return Some(before.map_or(0, |(at, c)| at + c.len_utf8()));
    }
    if last == '"' {
        return text[..text.len() - 1].rfind('"');
    }
    if !matches!(last, ')' | ']' | '}') {
        return None;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The type of the name that ends at `end`: what it means there, if that is a declaration of this unit; else what is in
/// scope in the end; else from its use or declaration nearest before the place.
fn type_of_callee(front: &Front, unit: &Rc<Analysed>, callee: &str, end: usize, offset: usize) -> Option<Ty> {
    let last = callee.rsplit('.').next()?;
    let all = query::names(unit);
    let is_same = |name: &&Occurrence| name.name.as_str() == last && name.kind != NameKind::Type;
    // The declaration's type is the most general.
    let declared = |name: &Occurrence| all.iter().find(|other| other.span == name.declared);
    let general = |name: &Occurrence| declared(name).and_then(|declared| type_of_name(unit, declared));
    let here = all.iter().filter(is_same).find(|name| name.span.hi as usize == end);
    let nearest =
        || all.iter().filter(is_same).filter(|name| name.span.lo as usize <= offset).max_by_key(|name| name.span.lo);
    here.and_then(general)
        .or_else(|| query::value_after(front, unit, callee).map(|scheme| scheme.ty))
        .or_else(|| nearest().and_then(|name| general(name).or_else(|| type_of_name(unit, name))))
}

// ------------------------------------------------------------------- inlay types

/// The types of the variables of a `val` and of the parameters of a `fun`, where the text does not say them.
pub(crate) fn inlay_hints(workspace: &mut Workspace, path: &Path, range: lsp::Range) -> Result<Value, String> {
    const LONGEST: usize = 60;
    let front = &workspace.front;
    let mut hints = vec![];
    for unit in front.units(path) {
        let Some(file) = front.sources().get(unit.file) else { continue };
        let ast = &unit.program.ast;
        let lo = workspace.encoding.offset(&file.text, range.start) as u32;
        let hi = workspace.encoding.offset(&file.text, range.end) as u32;
        let mut hint = |span: Span| {
            if span.hi < lo || span.lo > hi {
                return;
            }
            let Some(ty) = query::type_of(&unit, span) else { return };
            let text = shown(front, &unit, ty, span.lo);
            if text.len() > LONGEST || query::is_unknown(&text) {
                return;
            }
            hints.push(lsp::InlayHint {
                position: workspace.encoding.position(file, span.hi),
                label: lsp::InlayHintLabel::String(format!(": {text}")),
                kind: Some(lsp::InlayHintKind::TYPE),
                text_edits: None,
                tooltip: None,
                padding_left: Some(true),
                padding_right: None,
                data: None,
            });
        };
        let variable = |pat: leat_ast::ir::PatId| match &ast[pat].kind {
            PatKind::Id { id, .. } if id.qualifiers.is_empty() => Some(id.span),
            _ => None,
        };
        for (_, dec) in ast.decs.iter() {
            match &dec.kind {
                DecKind::Val { binds, .. } => binds.iter().filter_map(|bind| variable(bind.pat)).for_each(&mut hint),
                DecKind::Fun { binds, .. } => {
                    let clauses = binds.iter().flat_map(|bind| &bind.clauses);
                    clauses.flat_map(|clause| &clause.args).filter_map(|&arg| variable(arg)).for_each(&mut hint);
                }
                _ => {}
            }
        }
    }
    value(hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_declarations() {
        let text = "(* first *)\n\nval a = 1\n(* of b,\n * in two lines *)\nval b = \"(*\" val c = 2 (* of c *)\n";
        let of = |name: &str| {
            let lo = text.find(name).unwrap() as u32;
            comment_at(text, Span::new(leat_base::FileId(0), lo, lo + name.len() as u32))
        };
        assert_eq!(of("val a = 1"), None);
        assert_eq!(of("val b = \"(*\"").unwrap(), "of b,\nin two lines");
        assert_eq!(of("val c = 2").unwrap(), "of c");
        assert_eq!(comments("(* a (* b *) *) (*").len(), 2);
        let followed = "a (* (* b *)\n *)\t(* c *)\n(* d *)";
        assert_eq!(behind_comments(followed, 1), followed.find("\n(* d").unwrap());
        assert_eq!((behind_comments("a = (* b *) c", 1), behind_comments("(* a *) b", 0)), (1, 7));
        assert_eq!(strings("\"a\\\"b\" \"c").len(), 2);
    }

    #[test]
    fn applied_functions() {
        assert_eq!(callee("val x = List.foldl "), Some(("List.foldl", 0, 0)));
        assert_eq!(callee("val x = foldl f "), Some(("foldl", 1, 0)));
        assert_eq!(callee("val x = foldl (op +) 0 "), Some(("foldl", 2, 0)));
        assert_eq!(callee("val x = f (1, g (2, 3), "), Some(("f", 0, 2)));
        assert_eq!(callee("val x = f a (1, "), Some(("f", 1, 1)));
        assert_eq!(callee("val x = substring ("), Some(("substring", 0, 0)));
        assert_eq!(callee("if "), None);
        assert_eq!(callee(""), None);
    }
}
