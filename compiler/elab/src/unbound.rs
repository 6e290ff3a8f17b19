//! Messages for names that are not bound, with what may have been meant.
//!
//! Candidates are names at a small edit distance in the same name space, and the same name inside structures that are
//! in scope.

use crate::basis::{Env, EnvId, ValEntry};
use crate::ctx::{Binding, Elab};
use crate::foreign;
use crate::types::{Shape, Type};
use leat_ast::ir as ast;
use leat_ast::ir::Name;
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};

/// For so many names near ones are looked for. Where an `open` is missing there are thousands, and each is compared
/// with all names in scope.
const LOOKED_UP: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Val,
    Con,
    Ty,
    Str,
    Sig,
    Functor,
}

impl Elab<'_> {
    pub(crate) fn unbound_val(&mut self, name: Name, what: &'static str, inside: Option<(EnvId, String)>) {
        let space = if what == "constructor" { Space::Con } else { Space::Val };
        let inside = inside.as_ref().map(|(env, path)| (*env, path.as_str()));
        self.unbound("scope/value", name, what, space, inside);
        // Bound to an error from now on: one message each.
        if inside.is_none() && space == Space::Val {
            self.bind_val(name.symbol, Binding::Error);
        }
    }

    pub(crate) fn unbound_ty(&mut self, name: Name, inside: Option<(EnvId, String)>) {
        let inside = inside.as_ref().map(|(env, path)| (*env, path.as_str()));
        self.unbound("scope/type", name, "type", Space::Ty, inside);
    }

    pub(crate) fn unbound_structure(&mut self, name: Name, inside: Option<(EnvId, &str)>) {
        self.unbound("scope/structure", name, "structure", Space::Str, inside);
    }

    pub(crate) fn unbound_sig(&mut self, name: Name) {
        self.unbound("scope/signature", name, "signature", Space::Sig, None);
    }

    pub(crate) fn unbound_functor(&mut self, name: Name) {
        self.unbound("scope/functor", name, "functor", Space::Functor, None);
    }

    fn unbound(
        &mut self,
        code: &'static str,
        name: Name,
        what: &'static str,
        space: Space,
        inside: Option<(EnvId, &str)>,
    ) {
        // What the parser has put where a name is missing has its message.
        if name.symbol == sym::ERROR || inside.is_none() && !self.reported.insert((name.symbol, what)) {
            return;
        }
        if inside.is_some_and(|(env, _)| self.incomplete.contains(&env)) {
            return;
        }
        let message = match inside {
            None => format!("the {what} `{name}` is not bound"),
            Some((_, path)) => format!("the structure `{path}` has no {what} `{name}`"),
        };
        let mut d = Diagnostic::error(code, name.span, message);
        let is_looked_up = self.reported.len() <= LOOKED_UP;
        let near = if is_looked_up { self.similar(name.symbol, space, inside.map(|i| i.0)) } else { vec![] };
        let elsewhere = if inside.is_none() { self.in_structures(name.symbol, space) } else { vec![] };
        let text = name.symbol.as_str();
        let foreign = match (space, inside) {
            (Space::Val, None) => foreign::value(text),
            (Space::Val, Some((_, path))) => foreign::absent(path, text),
            (Space::Con, None) if elsewhere.is_empty() && near.is_empty() => foreign::value(text),
            (Space::Str, None) => foreign::structure(text),
            (Space::Ty, None) => foreign::ty(text),
            _ => None,
        };
        let member = inside.filter(|_| space == Space::Val).and_then(|(env, path)| {
            let vals = &self.tables.modules.envs[env].vals;
            Some(format!("{path}.{}", foreign::member(text, &|ours| vals.get(ours).is_some())?))
        });
        let below = if inside.is_none() { self.declared_below(name, space) } else { None };
        let beside = if inside.is_none() && below.is_none() { self.declared_beside(name, space) } else { None };
        // The path has structures and functors, too.
        let is_around = self.path.split('.').any(|part| part == name.symbol.as_str());
        if space == Space::Val && inside.is_none() && is_around && self.is_in_its_own_val(name) {
            d = d.note(format!("inside of `val {name} = ...` the name is not known yet"));
            if self.is_function(name) {
                d = d.help(format!(
                    "a function that calls itself is written `fun {name} x = ...` or `val rec {name} = fn ...`"
                ));
            }
        } else if let Some(below) = below {
            d = d.label(below, format!("`{name}` is declared here"));
            d = d.help(match space {
                Space::Val if self.is_fun(below) => {
                    "a name is known only behind its declaration: move one of the two; functions that call one another \
                     are declared together: `fun f x = ... and g x = ...`"
                }
                _ => "a name is known only behind its declaration: move one of the two",
            });
        } else if let Some((place, note)) = beside {
            d = d.label(place, format!("`{name}` is declared here")).note(note);
        } else if space == Space::Str && inside.is_none() && self.val(name.symbol).is_some() {
            d = d.help(format!("`{name}` is a value; the field `x` of a record is written `#x {name}`"));
        } else if let Some(help) = foreign {
            d = d.help(help);
        } else if let Some(member) = member {
            d = d.fix(format!("did you mean `{member}`?"), name.span, member.rsplit('.').next().unwrap_or_default());
        } else if !elsewhere.is_empty() {
            d = d.help(format!("there is {}", elsewhere.join(", ")));
        } else if !near.is_empty() {
            let prefix = inside.map_or(String::new(), |i| format!("{}.", i.1));
            let shown: Vec<String> = near.iter().map(|n| format!("`{prefix}{n}`")).collect();
            let help = format!("did you mean {}?", shown.join(" or "));
            d = match near[..] {
                [only] => d.fix(help, name.span, only.as_str()),
                _ => d.help(help),
            };
        } else if space == Space::Con && inside.is_none() && name.symbol.as_str().starts_with(char::is_lowercase) {
            d = d.help("a function of several arguments is written `fn (x, y) => ...` or `fn x => fn y => ...`");
        }
        self.report(d);
    }

    /// The declaration of a name that would be in scope at its place, if it did not stand further down: behind a
    /// declaration that the place is in.
    fn declared_below(&self, name: Name, space: Space) -> Option<Span> {
        // One pass over the text for each name.
        if self.reported.len() > LOOKED_UP {
            return None;
        }
        let in_decs = self.ast.decs.iter().flat_map(|(_, dec)| match &dec.kind {
            ast::DecKind::Local { decs, body } => [&decs[..], &body[..]],
            ast::DecKind::Abstype { decs, .. } => [&decs[..], &[]],
            _ => [&[][..], &[]],
        });
        let in_exps = self.ast.exps.iter().filter_map(|(_, exp)| match &exp.kind {
            ast::ExpKind::Let { decs, .. } => Some(&decs[..]),
            _ => None,
        });
        let in_strexps = self.ast.strexps.iter().filter_map(|(_, strexp)| match &strexp.kind {
            ast::StrExpKind::Struct(decs) | ast::StrExpKind::Let { decs, .. } => Some(&decs[..]),
            _ => None,
        });
        let lists = [self.tops].into_iter().chain(in_decs).chain(in_exps).chain(in_strexps);
        let holds = |dec: &ast::DecId| {
            let span = self.ast[*dec].span;
            span.lo <= name.span.lo && name.span.hi <= span.hi
        };
        let found = lists.filter_map(|decs| {
            let at = decs.iter().position(holds)?;
            let below = decs[at + 1..].iter().find_map(|&dec| self.declares(dec, name.symbol, space))?;
            Some((self.ast[decs[at]].span.len(), below))
        });
        // The innermost.
        found.min_by_key(|(around, _)| *around).map(|(_, below)| below)
    }

    /// The declaration of a name by the very declaration that its place is in, and why it does not see it there.
    fn declared_beside(&self, name: Name, space: Space) -> Option<(Span, &'static str)> {
        // One pass over the text for each name.
        if self.reported.len() > LOOKED_UP {
            return None;
        }
        let around = self.ast.decs.iter().filter_map(|(id, dec)| {
            let is_inside = dec.span.lo <= name.span.lo && name.span.hi <= dec.span.hi;
            let is_group = !matches!(dec.kind, ast::DecKind::Local { .. });
            let place = (is_inside && is_group).then(|| self.declares(id, name.symbol, space))??;
            Some((dec, place))
        });
        // The innermost.
        let (dec, place) = around.min_by_key(|(dec, _)| dec.span.len())?;
        let is_alone = match &dec.kind {
            ast::DecKind::Val { binds, .. } => binds.len() == 1,
            ast::DecKind::Exception(binds) => binds.len() == 1,
            ast::DecKind::Type(binds) => binds.len() == 1,
            ast::DecKind::Structure(binds) => binds.len() == 1,
            ast::DecKind::Signature(binds) => binds.len() == 1,
            ast::DecKind::Functor(binds) => binds.len() == 1,
            _ => false,
        };
        let note = match (&dec.kind, is_alone) {
            (ast::DecKind::Datatype { .. } | ast::DecKind::Abstype { .. }, _) => {
                "the types behind `withtype` see the datatypes, but not one another: write what that type stands for"
            }
            (ast::DecKind::Type(_), true) => {
                "inside of its own declaration a name is not known; a type with parts of its own type is a `datatype`"
            }
            (_, true) => "inside of its own declaration a name is not known",
            _ => {
                "declarations that `and` joins do not see one another: give this one a declaration of its own behind that"
            }
        };
        Some((place, note))
    }

    /// Where a declaration binds a name.
    fn declares(&self, dec: ast::DecId, name: Symbol, space: Space) -> Option<Span> {
        use ast::DecKind::{Abstype, Datatype, Exception, Fun, Functor, Local, Signature, Structure, Type, Val};
        let is_it = |one: &Name| (one.symbol == name).then_some(one.span);
        let is_value = matches!(space, Space::Val | Space::Con);
        match &self.ast[dec].kind {
            Val { binds, .. } if space == Space::Val => binds.iter().find_map(|bind| self.variable_in(bind.pat, name)),
            Fun { binds, .. } if space == Space::Val => binds.iter().find_map(|bind| is_it(&bind.name)),
            Datatype { datbinds, .. } if is_value => {
                datbinds.iter().flat_map(|bind| &bind.cons).find_map(|con| is_it(&con.name))
            }
            Exception(binds) if is_value => binds.iter().find_map(|bind| is_it(&bind.name)),
            Datatype { datbinds, withtype } | Abstype { datbinds, withtype, .. } if space == Space::Ty => {
                let types = withtype.iter().map(|bind| &bind.name);
                datbinds.iter().map(|bind| &bind.name).chain(types).find_map(is_it)
            }
            Type(binds) if space == Space::Ty => binds.iter().find_map(|bind| is_it(&bind.name)),
            Structure(binds) if space == Space::Str => binds.iter().find_map(|bind| is_it(&bind.name)),
            Signature(binds) if space == Space::Sig => binds.iter().find_map(|bind| is_it(&bind.name)),
            Functor(binds) if space == Space::Functor => binds.iter().find_map(|bind| is_it(&bind.name)),
            Local { body, .. } => body.iter().find_map(|&dec| self.declares(dec, name, space)),
            Abstype { decs, .. } => decs.iter().find_map(|&dec| self.declares(dec, name, space)),
            _ => None,
        }
    }

    /// Where a pattern is this variable.
    fn variable_in(&self, pat: ast::PatId, name: Symbol) -> Option<Span> {
        match &self.ast[pat].kind {
            ast::PatKind::Id { id, .. } if id.qualifiers.is_empty() && id.symbol == name => Some(id.span),
            ast::PatKind::Typed { pat, .. } => self.variable_in(*pat, name),
            ast::PatKind::Tuple(parts) => parts.iter().find_map(|&part| self.variable_in(part, name)),
            _ => None,
        }
    }

    /// Is it the name of a function, in its declaration?
    fn is_fun(&self, at: Span) -> bool {
        self.ast.decs.iter().any(|(_, dec)| match &dec.kind {
            ast::DecKind::Fun { binds, .. } => binds.iter().any(|bind| bind.name.span == at),
            _ => false,
        })
    }

    /// Does a `val` around this place bind the name?
    fn is_in_its_own_val(&self, name: Name) -> bool {
        let binds = |bind: &ast::ValBind| {
            let exp = self.ast[bind.exp].span;
            self.variable_in(bind.pat, name.symbol).is_some() && exp.lo <= name.span.lo && name.span.hi <= exp.hi
        };
        self.ast.decs.iter().any(|(_, dec)| match &dec.kind {
            ast::DecKind::Val { binds: all, .. } => all.iter().any(binds),
            _ => false,
        })
    }

    /// Whether the name is applied here, or bound to a function around this place.
    fn is_function(&self, name: Name) -> bool {
        let is_called =
            |exp: &ast::Exp| matches!(exp.kind, ast::ExpKind::App { fun, .. } if self.ast[fun].span == name.span);
        let is_bound = |bind: &ast::ValBind| {
            let (pat, exp) = (&self.ast[bind.pat], &self.ast[bind.exp]);
            matches!(&pat.kind, ast::PatKind::Id { id, .. } if id.qualifiers.is_empty() && id.symbol == name.symbol)
                && matches!(exp.kind, ast::ExpKind::Fn(_))
                && exp.span.lo <= name.span.lo
                && name.span.hi <= exp.span.hi
        };
        let binds = |dec: &ast::Dec| matches!(&dec.kind, ast::DecKind::Val { binds, .. } if binds.iter().any(is_bound));
        self.ast.exps.iter().any(|(_, exp)| is_called(exp)) || self.ast.decs.iter().any(|(_, dec)| binds(dec))
    }

    /// The exception that was meant by a name that is a variable: in a structure, or with another spelling.
    pub(crate) fn exception_meant(&self, name: Symbol) -> Option<String> {
        let is_exception = |entry: Option<&ValEntry>| matches!(entry, Some(ValEntry::Exn { .. }));
        let mut structures: Vec<Symbol> = self.scope_names(2);
        structures.sort_by_key(|s| s.as_str());
        let mut others: Vec<Symbol> = self.basis.layers().flat_map(|l| l.env.strs.iter().map(|s| s.0)).collect();
        others.sort_by_key(|s| (s.as_str().len(), s.as_str()));
        structures.extend(others);
        let has = |s: &Symbol| {
            self.structure(*s).is_some_and(|env| is_exception(self.tables.modules.envs[env].vals.get(name)))
        };
        if let Some(structure) = structures.iter().find(|s| has(s)) {
            return Some(format!("{structure}.{name}"));
        }
        self.similar_con(name, |entry| matches!(entry, ValEntry::Exn { .. }))
    }

    /// The constructor that was meant by a name that is a variable.
    pub(crate) fn constructor_meant(&self, name: Symbol) -> Option<String> {
        self.similar_con(name, |entry| matches!(entry, ValEntry::Con { .. }))
    }

    /// The nearest constructor or exception that is what is meant.
    fn similar_con(&self, name: Symbol, is_meant: impl Fn(&ValEntry) -> bool) -> Option<String> {
        let near = self.similar(name, Space::Con, None);
        let meant = |n: &&Symbol| matches!(self.val(**n), Some(Binding::Done(entry)) if is_meant(&entry));
        near.iter().find(meant).map(|n| n.as_str().to_string())
    }

    fn names(env: &Env, space: Space) -> Vec<Symbol> {
        match space {
            Space::Val => env.vals.iter().map(|v| v.0).collect(),
            Space::Con => {
                let is_con = |v: &&(Symbol, ValEntry)| {
                    matches!(v.1, ValEntry::Con { .. } | ValEntry::Exn { .. } | ValEntry::Ref)
                };
                env.vals.iter().filter(is_con).map(|v| v.0).collect()
            }
            Space::Ty => env.tys.iter().map(|v| v.0).collect(),
            Space::Str => env.strs.iter().map(|v| v.0).collect(),
            Space::Sig | Space::Functor => vec![],
        }
    }

    fn similar(&self, name: Symbol, space: Space, inside: Option<EnvId>) -> Vec<Symbol> {
        let mut candidates = vec![];
        match inside {
            Some(env) => candidates.extend(Self::names(&self.tables.modules.envs[env], space)),
            None => {
                candidates.extend(self.scope_names(match space {
                    Space::Val | Space::Con => 0,
                    Space::Ty => 1,
                    Space::Str => 2,
                    Space::Sig => 3,
                    Space::Functor => 4,
                }));
                for layer in self.basis.layers() {
                    match space {
                        Space::Sig => candidates.extend(layer.sigs.iter().map(|s| s.0)),
                        Space::Functor => candidates.extend(layer.functors.iter().map(|s| s.0)),
                        _ => candidates.extend(Self::names(&layer.env, space)),
                    }
                }
            }
        }
        let wanted = name.as_str();
        let limit = match wanted.len() {
            0..=2 => 0,
            3..=5 => 1,
            6..=9 => 2,
            _ => 3,
        };
        let mut found: Vec<(usize, &str, Symbol)> = candidates
            .into_iter()
            .filter(|c| *c != name && !c.is_symbolic())
            .filter_map(|c| {
                let text = c.as_str();
                let same = text.eq_ignore_ascii_case(wanted);
                let distance = if same { 0 } else { edit_distance(wanted, text, limit)? };
                Some((distance, text, c))
            })
            .collect();
        found.sort();
        found.dedup();
        let best = found.first().map(|f| f.0);
        found.into_iter().filter(|f| Some(f.0) == best).take(3).map(|f| f.2).collect()
    }

    /// The field that was meant by a label that is in only one of two records.
    pub(crate) fn near_label(&mut self, label: Symbol, a: Type, b: Type) -> Option<Symbol> {
        let record = [a, b].into_iter().find_map(|t| match self.shape(t) {
            Shape::Record(fields) => Some(fields),
            Shape::Arrow(from, _) => match self.shape(from) {
                Shape::Record(fields) => Some(fields),
                _ => None,
            },
            _ => None,
        })?;
        let wanted = label.as_str();
        let limit = wanted.len().div_ceil(3).min(2) * usize::from(wanted.len() > 2);
        record
            .iter()
            .filter(|f| f.0 != label)
            .filter_map(|f| Some((edit_distance(wanted, f.0.as_str(), limit)?, f.0)))
            .min_by_key(|f| (f.0, f.1.as_str()))
            .map(|f| f.1)
    }

    /// `List.map` for an unbound `map`: structures in scope that have the name.
    fn in_structures(&self, name: Symbol, space: Space) -> Vec<String> {
        let mut found = vec![];
        let mut structures: Vec<Symbol> = self.scope_names(2);
        structures.extend(self.basis.layers().flat_map(|l| l.env.strs.iter().map(|s| s.0)));
        structures.sort_by_key(|s| s.as_str());
        structures.dedup();
        for s in structures {
            let Some(env) = self.structure(s) else { continue };
            let env = &self.tables.modules.envs[env];
            let has = match space {
                Space::Val => env.vals.get(name).is_some(),
                Space::Con => env.vals.get(name).is_some_and(|v| !matches!(v, ValEntry::Var { .. })),
                Space::Ty => env.tys.get(name).is_some(),
                _ => false,
            };
            if has {
                found.push(format!("`{s}.{name}`"));
            }
        }
        // A name that everybody has tells nothing, but for lists.
        if found.len() > 4 { found.into_iter().filter(|path| path.starts_with("`List.")).collect() } else { found }
    }
}

/// Optimal string alignment distance, if it is at most `limit`.
pub fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        let [before, last, now] = &mut rows;
        now[0] = i;
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            now[j] = (last[j] + 1).min(now[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                now[j] = now[j].min(before[j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    let distance = rows[1][b.len()];
    (distance <= limit).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("legnth", "length", 2), Some(1));
        assert_eq!(edit_distance("map", "mapp", 1), Some(1));
        assert_eq!(edit_distance("foldl", "print", 1), None);
    }
}
