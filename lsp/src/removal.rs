//! What nothing needs is removed: a binding that is not used, a rule that is never reached -> the places to empty.

use leat_ast::TokenKind as T;
use leat_ast::ir::{Ast, Clause, Dec, DecKind, ExpId, ExpKind, PatId, PatKind};
use leat_base::Span;
use leat_driver::tooling::Analysed;

use crate::comments::{behind_comments, comment_above};

/// Edits of one file: places and new texts.
pub(crate) type Edits = Vec<(Span, String)>;

/// The edits that remove the binding of a variable at this place, which nothing uses; none if its expression may do
/// something.
pub(crate) fn unused_binding(unit: &Analysed, name: Span) -> Option<Edits> {
    let ast = &unit.program.ast;
    layered(unit, name).or_else(|| ast.decs.iter().find_map(|(_, dec)| declared(unit, dec, name)))
}

/// `x as p` -> `p`.
fn layered(unit: &Analysed, variable: Span) -> Option<Edits> {
    let ast = &unit.program.ast;
    let (whole, ty) = ast.pats.iter().find_map(|(_, pat)| match &pat.kind {
        PatKind::Layered { name, ty, .. } if name.span == variable => Some((pat.span, *ty)),
        _ => None,
    })?;
    let after = &unit.text[variable.hi as usize..whole.hi as usize];
    // The type has no word `as` in it.
    let options = leat_ast::ParseOptions { allow_prim: true };
    let word = leat_ast::tokens(after, &options).into_iter().find(|token| token.kind == T::As)?;
    let behind = &after[word.hi as usize..];
    let pattern = Span { lo: whole.hi - behind.trim_start().len() as u32, ..whole };
    // In a record's pattern `x as p` is `x = x as p`.
    let is_field = ast.pats.iter().any(|(_, pat)| match &pat.kind {
        PatKind::Record { fields, .. } => fields.iter().any(|field| field.0.span == variable),
        _ => false,
    });
    let (open, close) = match ty {
        Some(ty) => ("(", format!(" : {})", unit.text.get(ast[ty].span.lo as usize..ast[ty].span.hi as usize)?)),
        None => ("", String::new()),
    };
    let start = Span { lo: if is_field { variable.hi } else { whole.lo }, hi: pattern.lo, ..whole };
    let mut edits = vec![(start, format!("{}{open}", if is_field { " = " } else { "" }))];
    if !close.is_empty() {
        edits.push((Span { lo: whole.hi, ..whole }, close));
    }
    Some(edits)
}

/// Removes a variable's binding from a declaration, or the declaration if it binds nothing else.
fn declared(unit: &Analysed, dec: &Dec, variable: Span) -> Option<Edits> {
    let ast = &unit.program.ast;
    let (spans, at): (Vec<Span>, usize) = match &dec.kind {
        DecKind::Fun { binds, .. } => {
            let at = binds.iter().position(|bind| bind.name.span == variable)?;
            (binds.iter().map(|bind| bind.span).collect(), at)
        }
        DecKind::Val { binds, .. } => {
            let at = binds.iter().position(|bind| is_variable(ast, bind.pat, variable))?;
            // `val x = e and rec f = fn ...`: the `rec` stands before the second binding, and must stay.
            let ends_rec = at == 0 && binds.get(1).is_some_and(|next| next.rec && !binds[0].rec);
            if ends_rec || !does_nothing(ast, binds[at].exp) {
                return None;
            }
            (binds.iter().map(|bind| bind.span).collect(), at)
        }
        _ => return None,
    };
    let place = match (at, spans.len()) {
        (_, 1) => lines_of(&unit.text, dec.span),
        (0, _) => Span { hi: spans[1].lo, ..spans[0] },
        _ => Span { lo: spans[at - 1].hi, ..spans[at] },
    };
    Some(vec![(place, String::new())])
}

/// Is the pattern this variable alone, perhaps with a type?
fn is_variable(ast: &Ast, pat: PatId, variable: Span) -> bool {
    match &ast[pat].kind {
        PatKind::Id { id, .. } => id.span == variable,
        PatKind::Typed { pat, .. } => is_variable(ast, *pat, variable),
        _ => false,
    }
}

/// Does an expression only make a value? It raises nothing, ends, and nobody sees whether it was done.
fn does_nothing(ast: &Ast, exp: ExpId) -> bool {
    match &ast[exp].kind {
        ExpKind::Const(_) | ExpKind::Id { .. } | ExpKind::Selector(_) | ExpKind::Fn(_) => true,
        ExpKind::Record(fields) => fields.iter().all(|field| does_nothing(ast, field.1)),
        ExpKind::Tuple(parts) | ExpKind::List(parts) | ExpKind::Vector(parts) => {
            parts.iter().all(|&part| does_nothing(ast, part))
        }
        ExpKind::Typed { exp, .. } => does_nothing(ast, *exp),
        _ => false,
    }
}

/// A declaration's place, with all of its lines, the comment that ends right before it, and those behind it on its
/// line, if nothing else stands on them.
fn lines_of(text: &str, dec: Span) -> Span {
    let blank = |part: &str| part.chars().all(char::is_whitespace);
    let behind = &text[dec.hi as usize..];
    let mut end = dec.hi as usize;
    end += behind.len() - behind.trim_start_matches([' ', '\t']).trim_start_matches(';').len();
    end = behind_comments(text, end);
    let rest = &text[end..];
    let rest = &rest[..rest.find('\n').map_or(rest.len(), |end| end + 1)];
    let start_of_line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut lo = start_of_line(dec.lo as usize);
    if !blank(rest) || !blank(&text[lo..dec.lo as usize]) {
        // Other things stand there: one of the blanks around the declaration goes with it.
        let blanks = behind.len() - behind.trim_start_matches(' ').len();
        return Span { hi: dec.hi + blanks as u32, ..dec };
    }
    if let Some((open, _)) = comment_above(text, dec.lo as usize) {
        lo = start_of_line(open);
    }
    Span { lo: lo as u32, hi: (end + rest.len()) as u32, ..dec }
}

/// A rule that is never reached, with the bar before it and the comments behind it on its line; the first of a match
/// cannot be one.
pub(crate) fn redundant_rule(unit: &Analysed, pat: Span) -> Option<Span> {
    let ast = &unit.program.ast;
    let matches = ast.exps.iter().filter_map(|(_, exp)| match &exp.kind {
        ExpKind::Case { rules, .. } | ExpKind::Fn(rules) | ExpKind::Handle { rules, .. } => Some(rules),
        _ => None,
    });
    let rule = matches.flat_map(|rules| rules.iter().skip(1)).find(|rule| ast[rule.pat].span == pat);
    let whole = match rule {
        Some(rule) => rule.span,
        None => {
            let funs = ast.decs.iter().filter_map(|(_, dec)| match &dec.kind {
                DecKind::Fun { binds, .. } => Some(binds),
                _ => None,
            });
            let clauses = funs.flatten().flat_map(|bind| bind.clauses.iter().skip(1));
            let of = |clause: &&Clause| {
                let at = clause.args.iter().fold(Span::NONE, |at, &arg| at.to(ast[arg].span));
                at == pat
            };
            clauses.into_iter().find(of)?.span
        }
    };
    let bar = unit.text[..whole.lo as usize].rfind('|')?;
    let between = &unit.text[bar + 1..whole.lo as usize];
    let start = unit.text[..bar].trim_end().len() as u32;
    let end = behind_comments(&unit.text, whole.hi as usize) as u32;
    between.trim().is_empty().then_some(Span { lo: start, hi: end, ..whole })
}
