//! Code actions: a message that knows what was meant -> the edit that mends it; missing rules of a match, filled in;
//! what nothing needs, removed.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use leat_ast::ir::{Ast, DecKind, ExpKind, Fixity, PatId, PatKind, Rule};
use leat_ast::{FixityEnv, ParseOptions, TokenKind as T, units};
use leat_base::diagnostic::has_errors;
use leat_base::{Diagnostic, FileId, Span, Symbol};
use leat_driver::tooling::{Analysed, Front};
use leat_elab::index::NameKind;
use leat_elab::ir::{Ty, TyData, TyNameDef};
use lsp_types as lsp;
use serde_json::{Value, json};

use crate::comments::behind_comments;
use crate::removal::{self, Edits};
use crate::workspace::{Workspace, value};

pub(crate) fn actions(workspace: &mut Workspace, path: &Path, range: lsp::Range) -> Result<Value, String> {
    let mut actions = vec![];
    let Some(uri) = workspace.uri(path) else { return Ok(Value::Null) };
    let text = workspace.source(path);
    let units = workspace.front.units_in_all(path);
    let mut seen: Vec<Diagnostic> = vec![];
    for d in workspace.messages(path) {
        let Some(location) = workspace.location(d.span) else { continue };
        let at = location.range;
        // Several programs may say the same.
        if at.end < range.start || range.end < at.start || seen.contains(&d) {
            continue;
        }
        // A program that is still to be walked may say it of an older text, in which it stands elsewhere.
        let is_of_text = |unit: &Analysed| text.get(..unit.range.end) == unit.text.get(..unit.range.end);
        let says = |unit: &&Rc<Analysed>| unit.diagnostics.contains(&d) && is_of_text(unit);
        let Some(unit) = units.iter().find(says) else { continue };
        seen.push(d.clone());
        let Some(file) = workspace.front.sources().get(d.span.file) else { continue };
        for (title, edits) in mendings(&workspace.front, unit, &d) {
            let edits: Vec<lsp::TextEdit> = edits
                .into_iter()
                .map(|(span, new_text)| lsp::TextEdit {
                    range: workspace.encoding.range(file, span.lo, span.hi),
                    new_text,
                })
                .collect();
            actions.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [value(workspace.diagnostic(&d))?],
                "edit": { "changes": { uri.as_str(): value(edits)? } },
            }));
        }
        actions.extend(crate::listing::library(workspace, path, &d)?);
    }
    actions.extend(crate::listing::action(workspace, path)?);
    Ok(Value::Array(actions))
}

fn mendings(front: &Front, unit: &Analysed, d: &Diagnostic) -> Vec<(String, Edits)> {
    let mut found: Vec<(String, Edits)> = vec![];
    // Each piece of advice that says how to follow it.
    for (i, help) in d.help.iter().enumerate() {
        let edits: Edits = d.fixes.iter().filter(|fix| fix.help == i).map(|fix| (fix.span, fix.text.clone())).collect();
        if !edits.is_empty() {
            found.push((help.clone(), edits));
        } else if d.code.starts_with("scope/") && help.starts_with("did you mean `") && help.ends_with('?') {
            // Several names are near: one action for each. The place of the message is that of the name alone.
            for name in quoted(help) {
                let last = name.rsplit('.').next().unwrap_or_default().to_string();
                found.push((format!("did you mean `{name}`?"), vec![(d.span, last)]));
            }
        }
    }
    match d.code {
        "match/nonexhaustive" => {
            let edits = missing_rules(front, unit, d);
            found.extend(edits.map(|edits| ("Add the missing rules".to_string(), edits)));
        }
        "match/redundant" => {
            let edits = removal::redundant_rule(unit, d.span).map(|span| vec![(span, String::new())]);
            found.extend(edits.map(|edits| ("Remove the redundant rule".to_string(), edits)));
        }
        // What has a label is most likely a constructor that is misspelt.
        "bind/unused" if d.labels.is_empty() => {
            let name = unit.text.get(d.span.lo as usize..d.span.hi as usize);
            let removed = name.zip(removal::unused_binding(unit, d.span));
            found.extend(removed.map(|(name, edits)| (format!("Remove `{name}`"), edits)));
        }
        _ => {}
    }
    found
}

/// What stands in back quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The patterns that a message says are missing: each in back quotes, which a constructor's name may have, too.
fn patterns_of(message: &str) -> Option<Vec<&str>> {
    let list = message.split_once(" for ")?.1;
    let list = list.strip_suffix(" and others").unwrap_or(list);
    Some(list.strip_prefix('`')?.strip_suffix('`')?.split("`, `").collect())
}

/// The patterns that a message says are missing, as rules behind the last.
fn missing_rules(front: &Front, unit: &Analysed, d: &Diagnostic) -> Option<Edits> {
    let ast = &unit.program.ast;
    let inside = |span: Span| d.span.lo <= span.lo && span.hi <= d.span.hi;
    // The match that the message is about: the one in its place, which is the outermost there.
    let of_rules = ast.exps.iter().filter(|(_, exp)| inside(exp.span)).filter_map(|(_, exp)| match &exp.kind {
        ExpKind::Case { rules, .. } | ExpKind::Fn(rules) | ExpKind::Handle { rules, .. } => Some((exp.span, rules)),
        _ => None,
    });
    let of_rules = of_rules.max_by_key(|(span, _)| span.len());
    let funs = ast.decs.iter().filter_map(|(_, dec)| match &dec.kind {
        DecKind::Fun { binds, .. } => Some(binds),
        _ => None,
    });
    let fun = funs.flatten().filter(|bind| inside(bind.span)).max_by_key(|bind| bind.span.len());
    let fun = fun.filter(|fun| of_rules.is_none_or(|(span, _)| fun.span.len() >= span.len()));
    let written: Vec<PatId> = match (fun, of_rules) {
        (Some(fun), _) => fun.clauses.iter().flat_map(|clause| clause.args.iter().copied()).collect(),
        (None, Some((_, rules))) => rules.iter().map(|rule| rule.pat).collect(),
        (None, None) => return None,
    };
    let ways = ways(front, unit, d.span, written);
    let mut fixity = unit.fixity.clone();
    for (_, dec) in ast.decs.iter() {
        if let DecKind::Fixity { fixity: said, names } = &dec.kind {
            names.iter().for_each(|name| fixity.declare(name.symbol, *said));
        }
    }
    let mut patterns: Vec<String> = vec![];
    for pattern in patterns_of(&d.message)? {
        let pattern = in_words_of(&without_constants(pattern), &ways, &fixity)?;
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if let Some(fun) = fun {
        let (last, name) = (fun.clauses.last()?, fun.name.symbol);
        let indent =
            " ".repeat(column(&unit.text, last.span.lo).saturating_sub(if fun.clauses.len() > 1 { 2 } else { 1 }));
        let arity = last.args.len();
        let mut text = String::new();
        for pattern in &patterns {
            // Of a curried function the pattern is a tuple of the arguments.
            let args = if arity > 1 {
                components(pattern).filter(|parts| parts.len() == arity)?
            } else {
                vec![atomic(pattern)]
            };
            let head = if last.infix {
                let operands = match &*args[0] {
                    "_" => vec!["_".to_string(), "_".to_string()],
                    pair => components(pair).filter(|parts| parts.len() == 2)?,
                };
                let infix = format!("{} {name} {}", operands[0], operands[1]);
                if arity > 1 { format!("({infix}) {}", args[1..].join(" ")) } else { infix }
            } else {
                let op = if unit.text[last.span.lo as usize..].starts_with("op ") { "op " } else { "" };
                format!("{op}{name} {}", args.join(" "))
            };
            text.push_str(&format!("\n{indent}| {head} = raise Fail \"{name}\""));
        }
        return Some(behind(unit, ast[last.body].span, last.span, text));
    }
    let (_, rules) = of_rules?;
    let last: &Rule = rules.last()?;
    let indent = match rules.len() {
        1 => column(&unit.text, ast[last.pat].span.lo).saturating_sub(2),
        _ => unit.text[..ast[last.pat].span.lo as usize].rfind('|').map_or(0, |bar| column(&unit.text, bar as u32)),
    };
    let rules: String =
        patterns.iter().map(|p| format!("\n{}| {p} => raise Fail \"not yet\"", " ".repeat(indent))).collect();
    Some(behind(unit, ast[last.exp].span, last.span, rules))
}

/// The names of constructors, and what stands before them: `Stack.`, or nothing.
type Way = (Vec<Symbol>, String);

/// How patterns write their constructors: of each, all constructors of its datatype.
fn ways(front: &Front, unit: &Analysed, around: Span, mut patterns: Vec<PatId>) -> Vec<Way> {
    let ast = &unit.program.ast;
    let index = unit.index.borrow();
    let inside = |span: Span| around.lo <= span.lo && span.hi <= around.hi;
    let kinds: HashMap<u32, NameKind> =
        index.names.iter().filter(|name| inside(name.span)).map(|name| (name.span.hi, name.kind)).collect();
    let types: HashMap<Span, Ty> = index.types.iter().filter(|(span, _)| inside(*span)).copied().collect();
    let mut ways: Vec<Way> = vec![];
    while let Some(pattern) = patterns.pop() {
        patterns.extend(parts(ast, pattern));
        let (qualifiers, name) = match &ast[pattern].kind {
            PatKind::Id { id, .. } | PatKind::App { con: id, .. } => (&id.qualifiers[..], id.last()),
            PatKind::Infix { con, .. } => (&[][..], *con),
            _ => continue,
        };
        let all = match kinds.get(&name.span.hi) {
            Some(NameKind::Constructor) => types.get(&ast[pattern].span).and_then(|ty| constructors(front, *ty)),
            Some(NameKind::Exception) => None,
            _ => continue,
        };
        let before = qualifiers.iter().map(|qualifier| format!("{qualifier}.")).collect();
        let way = (all.unwrap_or_else(|| vec![name.symbol]), before);
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// The patterns that a pattern is made of.
fn parts(ast: &Ast, pattern: PatId) -> Vec<PatId> {
    match &ast[pattern].kind {
        PatKind::Wild | PatKind::Const(_) | PatKind::Id { .. } | PatKind::Error => vec![],
        PatKind::Record { fields, .. } => fields.iter().map(|field| field.1).collect(),
        PatKind::Tuple(parts) | PatKind::List(parts) | PatKind::Vector(parts) => parts.clone(),
        PatKind::Infix { lhs, rhs, .. } => vec![*lhs, *rhs],
        PatKind::App { arg: pat, .. } | PatKind::Typed { pat, .. } | PatKind::Layered { pat, .. } => vec![*pat],
    }
}

/// The constructors of a datatype.
fn constructors(front: &Front, mut ty: Ty) -> Option<Vec<Symbol>> {
    let tables = front.tables();
    loop {
        let TyData::Con(name, _) = &tables.types[ty] else { return None };
        match &tables.tynames[*name].def {
            TyNameDef::Datatype { cons, .. } => return Some(cons.iter().map(|con| con.name).collect()),
            TyNameDef::Abstract { ty: meant, .. } => ty = *meant,
            TyNameDef::Prim(_) | TyNameDef::Formal => return None,
        }
    }
}

/// A pattern of a message, which has bare constructors, as the match would write it; nothing where that is not known,
/// or would be no pattern. (What is no constructor would be a variable, and match everything.)
fn in_words_of(pattern: &str, ways: &[Way], fixity: &FixityEnv) -> Option<String> {
    let before = |name: Symbol| {
        let mut all = ways.iter().filter(|(names, _)| names.contains(&name)).map(|(_, before)| before.as_str());
        let first = all.next().unwrap_or("");
        all.all(|other| other == first).then_some(first)
    };
    // A message has a symbol between its operands, infix or not.
    let mut wide = fixity.clone();
    for &name in ways.iter().flat_map(|(names, _)| names).filter(|name| name.is_symbolic()) {
        if !wide.is_infix(name) {
            wide.declare(name, Fixity::Infix(0));
        }
    }
    let (ast, root) = read_pattern(pattern, &wide).or_else(|| read_pattern(pattern, fixity))?;
    let mut edits: Vec<(Span, String)> = vec![];
    let mut patterns = vec![root];
    while let Some(pattern) = patterns.pop() {
        patterns.extend(parts(&ast, pattern));
        match &ast[pattern].kind {
            PatKind::Id { id, .. } | PatKind::App { con: id, .. } => {
                edits.push((id.span.start(), before(id.symbol)?.to_string()));
            }
            PatKind::Infix { con, lhs, rhs } => {
                let before = before(con.symbol)?;
                if before.is_empty() && fixity.is_infix(con.symbol) {
                    continue;
                }
                let is_infix = |pat: PatId| matches!(ast[pat].kind, PatKind::Infix { .. });
                if is_infix(*lhs) || is_infix(*rhs) {
                    return None;
                }
                let (left, right) = (ast[*lhs].span, ast[*rhs].span);
                edits.push((left.start(), format!("{before}{} (", con.symbol)));
                edits.push((Span { lo: left.hi, ..con.span }, ",".to_string()));
                edits.push((Span { lo: right.hi, ..right }, ")".to_string()));
            }
            _ => {}
        }
    }
    // Of those at one place the outer ones come first.
    edits.sort_by_key(|(span, _)| span.lo);
    let mut new = FN.to_string() + pattern;
    for (span, text) in edits.iter().rev() {
        new.replace_range(span.lo as usize..span.hi as usize, text);
    }
    let new = new.split_off(FN.len());
    read_pattern(&new, fixity).map(|_| new)
}

const FN: &str = "fn ";

/// A text that is one pattern, read behind [`FN`].
fn read_pattern(text: &str, fixity: &FixityEnv) -> Option<(Ast, PatId)> {
    let options = ParseOptions { allow_prim: true };
    let text = format!("{FN}{text} => ();");
    let (program, diagnostics) = leat_ast::parse(FileId::NONE, &text, &options, &mut fixity.clone());
    let [dec] = program.decs[..] else { return None };
    let DecKind::Exp(exp) = program.ast[dec].kind else { return None };
    let ExpKind::Fn(rules) = &program.ast[exp].kind else { return None };
    let [Rule { pat, .. }] = rules[..] else { return None };
    (!has_errors(&diagnostics)).then_some((program.ast, pat))
}

/// New rules behind a rule with this body. A match that the body ends with would take them, so it gets parentheses.
fn behind(unit: &Analysed, body: Span, rule: Span, rules: String) -> Edits {
    let end = Span { lo: rule.hi, ..rule };
    let behind = behind_comments(&unit.text, rule.hi as usize) as u32;
    let behind = Span { lo: behind, hi: behind, ..rule };
    if !has_open_match(&unit.text[body.lo as usize..rule.hi as usize]) {
        return vec![(behind, rules)];
    }
    let open = (body.start(), "(".to_string());
    if behind == end {
        return vec![open, (end, format!("){rules}"))];
    }
    vec![open, (end, ")".to_string()), (behind, rules)]
}

/// Has an expression's text a match outside of all brackets? Its rules go on to the end.
fn has_open_match(text: &str) -> bool {
    let mut depth = 0;
    leat_ast::tokens(text, &ParseOptions { allow_prim: true }).iter().any(|token| {
        depth = units::depth_after(token.kind, depth);
        depth == 0 && matches!(token.kind, T::Case | T::Fn | T::Handle)
    })
}

/// A pattern with `_` for its numbers, characters and strings: the message names one value of many that are missing.
fn without_constants(pattern: &str) -> String {
    let mut new = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let in_word = new.chars().next_back().is_some_and(super::text::is_word);
        let length = if c == '"' || rest.starts_with("#\"") {
            let open = if c == '"' { 1 } else { 2 };
            let mut escaped = false;
            let end = rest[open..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            Some(end.map_or(rest.len(), |end| open + end + 1))
        } else if !in_word && rest.trim_start_matches('~').starts_with(|c: char| c.is_ascii_digit()) {
            let sign = rest.len() - rest.trim_start_matches('~').len();
            let end = rest[sign..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |end| sign + end);
            // `{1 = _}` has a label.
            Some(end).filter(|end| !rest[*end..].trim_start().starts_with('='))
        } else {
            None
        };
        match length {
            Some(length) => {
                new.push('_');
                rest = &rest[length..];
            }
            None => {
                new.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    new
}

fn column(text: &str, offset: u32) -> usize {
    text[..offset as usize].rsplit('\n').next().map_or(0, |line| line.chars().count())
}

/// A pattern that may stand as an argument.
fn atomic(pattern: &str) -> String {
    // The bracket that it begins with is closed at its end.
    let mut depth = 0;
    let closed = pattern.char_indices().find(|(_, c)| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        depth == 0
    });
    let whole = closed.is_some_and(|(at, _)| at > 0 && at + 1 == pattern.len());
    if whole || !pattern.contains(char::is_whitespace) { pattern.to_string() } else { format!("({pattern})") }
}

/// The components of a written tuple, each such that it may stand as an argument.
fn components(pattern: &str) -> Option<Vec<String>> {
    let inner = pattern.strip_prefix('(')?.strip_suffix(')')?;
    let (mut depth, mut parts, mut start) = (0, vec![], 0);
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(atomic(inner[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(atomic(inner[start..].trim()));
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constructor's name may be a back quote.
    #[test]
    fn patterns_in_messages() {
        let message = "match not exhaustive: no rule for ";
        assert_eq!(patterns_of(&format!("{message}`A _`, `(B, _)` and others")).unwrap(), ["A _", "(B, _)"]);
        assert_eq!(patterns_of(&format!("{message}``` _`")).unwrap(), ["`` _"]);
        let bars = Symbol::intern("||");
        let ways =
            vec![(vec![Symbol::intern("A"), Symbol::intern("B"), bars], "M.".to_string()), (vec![bars], String::new())];
        let basis = FixityEnv::basis();
        assert_eq!(in_words_of("(A, SOME (B _) :: _)", &ways, &basis).unwrap(), "(M.A, SOME (M.B _) :: _)");
        // Two datatypes have it, and the one is in a structure.
        assert_eq!(in_words_of("_ || _", &ways, &basis), None);
        assert_eq!(in_words_of("SOME (_ || A)", &ways[..1], &basis).unwrap(), "SOME (M.|| (_, M.A))");
        assert_eq!(in_words_of("_ || _", &ways[1..], &basis).unwrap(), "|| (_, _)");
        assert_eq!(in_words_of("_ :: _", &ways, &basis).unwrap(), "_ :: _");
        assert_eq!(in_words_of("(", &ways, &basis), None);
    }

    #[test]
    fn parts_of_patterns() {
        assert_eq!(quoted("no rule for `A _`, `B`"), ["A _", "B"]);
        assert_eq!(components("(_, SOME _, (a, b))").unwrap(), ["_", "(SOME _)", "(a, b)"]);
        assert_eq!(atomic("x :: y"), "(x :: y)");
        assert_eq!(atomic("(_, _) :: _"), "((_, _) :: _)");
        assert_eq!(atomic("[_, SOME _]"), "[_, SOME _]");
        let text = r##"(B 0, ~12, "a\"b", #"c", x1, 0wxff, {1 = _})"##;
        assert_eq!(without_constants(text), "(B _, _, _, _, x1, _, {1 = _})");
    }
}
