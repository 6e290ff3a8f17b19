//! Hover, signature help, inlay types: what a name is, in words.

use std::path::Path;
use std::rc::Rc;

use leat_ast::TokenKind;
use leat_ast::ir::{Ast, Dec, DecKind, ExBindKind, FunctorParam, PatKind, SpecKind, StrExpId, StrExpKind};
use leat_base::Span;
use leat_driver::tooling::{Analysed, Front};
use leat_elab::index::{NameKind, Occurrence};
use leat_elab::ir::{Ty, TyData};
use lsp_types as lsp;
use serde_json::Value;

use crate::comments::{Around, Comments, around, comments};
use crate::query::{self, kind_name, name_at, phrase_at, shown, type_of_name, unit_at};
use crate::text::is_word;
use crate::workspace::{Workspace, value};

// ------------------------------------------------------------------------- hover

pub(crate) fn hover(workspace: &mut Workspace, path: &Path, offset: usize) -> Result<Value, String> {
    let front = &workspace.front;
    let Some(unit) = unit_at(front, path, offset) else { return Ok(Value::Null) };
    let (span, code, comment, place) = match name_at(&unit, offset) {
        Some(name) => {
            let code = described(workspace, &unit, &name);
            let via = query::qualifiers(&unit.text, name.span.lo as usize);
            let comment = workspace.comments.all_of(front, name.declared, via);
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
fn described(workspace: &Workspace, unit: &Analysed, name: &Occurrence) -> String {
    let front = &workspace.front;
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
            declaration(front, &workspace.comments, name.declared)
                .unwrap_or_else(|| format!("{} {symbol}", kind_name(name.kind)))
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
fn declaration(front: &Front, known: &Comments, declared: Span) -> Option<String> {
    if declared.is_none() {
        return None;
    }
    let text = &front.sources().get(declared.file)?.text;
    let page = known.page(front, declared.file)?;
    let ast = &page.ast;
    match around(ast, declared)? {
        Around::Dec(dec) => of_dec(ast, text, dec, declared),
        Around::Spec(spec) => {
            let whole = slice(text, spec.span)?;
            Some(if matches!(spec.kind, SpecKind::Structure(_)) { beginning(whole) } else { whole.to_string() })
        }
    }
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
