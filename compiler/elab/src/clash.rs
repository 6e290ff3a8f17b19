//! Messages about types that do not fit: what was expected, what is there, and what may help.

use crate::basis::{Scheme, ValEntry};
use crate::builtin::tyname;
use crate::ctx::{Binding, Elab};
use crate::draft::{Exp, ExpKind};
use crate::ir::{Ty, TyData, TyName};
use crate::naming::Visible;
use crate::show::kinds_in_words;
use crate::types::{Clash, Kinds, Shape, Type, kinds};
use leat_base::{Diagnostic, Span, Symbol};

/// Codes of messages about types.
const MISMATCH: &str = "type/mismatch";

/// What `+` is not for.
pub(crate) const JOINED: &str = "strings are joined with `^`";

/// How a value comes out of an option.
const OPTION: &str =
    "take the value out with `case ... of SOME x => ... | NONE => ...`, or `valOf` where there must be one";

/// How a function does several things.
pub(crate) const BODY: &str = "a body of several expressions stands in parentheses: `fn x => (a; b)`";

/// What is told of a sequence that was meant as the body of a function.
fn ends_at_semicolon(d: Diagnostic, function: Span) -> Diagnostic {
    d.label(function, "this function ends before the `;`, and is thrown away").help(BODY)
}

impl Elab<'_> {
    /// Unifies; on failure reports that `found` (at `span`) is not `expected`, with a message made of both texts.
    /// Answers whether they fit.
    pub(crate) fn expect(
        &mut self,
        expected: Type,
        found: Type,
        span: Span,
        message: &str,
        labels: impl FnOnce(&str, &str) -> Vec<(Span, String)>,
    ) -> bool {
        self.expect_or(expected, found, span, message, labels, |_| None)
    }

    /// The same with a help of its own, if there is one, in place of what the types alone suggest.
    pub(crate) fn expect_or(
        &mut self,
        expected: Type,
        found: Type,
        span: Span,
        message: &str,
        labels: impl FnOnce(&str, &str) -> Vec<(Span, String)>,
        help: impl FnOnce(&mut Self) -> Option<String>,
    ) -> bool {
        let Err(clash) = self.unify(expected, found) else { return true };
        let (e, f) = self.show_pair(expected, found);
        let mut d = Diagnostic::error(code_of(&clash), span, message);
        for (at, text) in labels(&e, &f) {
            d = d.label(at, text);
        }
        let d = match (self.lost_function(span), help(self)) {
            (Some(function), _) => ends_at_semicolon(d, function),
            (None, Some(help)) => d.help(help),
            (None, None) => self.explain(d, &clash, expected, found),
        };
        self.report(d);
        false
    }

    /// The `fn` that a sequence at this place throws away: `(fn x => a; b)`.
    fn lost_function(&self, sequence: Span) -> Option<Span> {
        self.pending.lost_functions.iter().find(|lost| lost.0 == sequence).map(|lost| lost.1)
    }

    /// Adds what is known about a clash.
    pub(crate) fn explain(&mut self, mut d: Diagnostic, clash: &Clash, expected: Type, found: Type) -> Diagnostic {
        match clash {
            Clash::Circular => {
                let (e, f) = self.show_pair(expected, found);
                return d.note(format!(
                    "`{e}` and `{f}` could only be equal in an infinite type, one that contains itself"
                ));
            }
            Clash::Equality(t) => return self.explain_equality(d, *t),
            Clash::Overload(kinds, t) => {
                let (kinds, t) = (*kinds, *t);
                let shown = self.show(t);
                d = d.note(format!("the operator works on {}, not on `{shown}`", kinds_in_words(kinds)));
                return self.advise_numbers(d, kinds, t);
            }
            Clash::Escape(v) => {
                let name = self.tables.tyvars[*v].name;
                return d.note(format!(
                    "the type variable `{name}` belongs to a declaration inside; a type from outside cannot mention it"
                ));
            }
            Clash::TooNew(name) => {
                let (shown, at) = (self.short_name(*name), self.declared_at(*name));
                let d =
                    d.note(format!("the type `{shown}` is declared after, or inside, what would have to mention it"));
                return if at.is_none() { d } else { d.label(at, "the type is declared here") };
            }
            Clash::Label(l) => {
                let d = d.note(format!("the record has no field `{l}`"));
                return match self.near_label(*l, expected, found) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d,
                };
            }
            Clash::Mismatch => {}
        }
        let Some((a, b)) = self.first_difference(expected, found) else { return d };
        for t in [a, b] {
            if let Shape::Con(name, _) = self.shape(t) {
                d = self.locate_unreachable(d, name);
            }
        }
        if let Some(note) = self.rigid_note(a, b).or_else(|| self.rigid_note(b, a)) {
            return d.note(note);
        }
        self.advise(d, a, b)
    }

    /// Where a type is declared that is not the library's.
    fn declared_at(&self, name: TyName) -> Span {
        if self.tables.tynames.is_added(name) { self.tables.tynames[name].span } else { Span::NONE }
    }

    /// A type that no path reaches is shown by its place.
    fn locate_unreachable(&self, d: Diagnostic, name: TyName) -> Diagnostic {
        let (shown, at) = (self.short_name(name), self.declared_at(name));
        if !shown.starts_with("?.") || at.is_none() || d.labels.iter().any(|label| label.0 == at) {
            return d;
        }
        d.label(at, format!("`{shown}` is this type, which has no name where it is used"))
    }

    fn rigid_note(&mut self, a: Type, b: Type) -> Option<String> {
        let Shape::Rigid(v) = self.shape(a) else { return None };
        let name = self.tables.tyvars[v].name;
        Some(match self.shape(b) {
            Shape::Rigid(w) => {
                let other = self.tables.tyvars[w].name;
                if other == name {
                    format!("these are two type variables `{name}`, of different declarations")
                } else {
                    format!("`{name}` and `{other}` stand for any two types, so they cannot be taken to be the same")
                }
            }
            _ => {
                let b = self.show(b);
                format!("`{name}` stands for any type, because the program says so; it cannot be taken to be `{b}`")
            }
        })
    }

    fn advise(&mut self, d: Diagnostic, expected: Type, found: Type) -> Diagnostic {
        // Which of two sizes is meant may have been settled elsewhere: both ways are named.
        match (self.shape(expected), self.shape(found)) {
            (Shape::Con(tyname::INT, _), Shape::Con(tyname::INTINF, _))
            | (Shape::Con(tyname::INTINF, _), Shape::Con(tyname::INT, _)) => {
                return d
                    .help("`Int.toLarge` makes an `IntInf.int` of an int, `Int.fromLarge` an int of an `IntInf.int`");
            }
            (Shape::Con(tyname::WORD, _), Shape::Con(tyname::WORD8, _))
            | (Shape::Con(tyname::WORD8, _), Shape::Con(tyname::WORD, _)) => {
                return d.help(
                    "`Word8.toLarge` makes a word of a `Word8.word`, `Word8.fromLarge` a `Word8.word` of a word",
                );
            }
            _ => {}
        }
        let (e, f) = (self.kind_of(expected), self.kind_of(found));
        if e != 0 && f != 0 {
            return self.advise_kinds(d, e, f);
        }
        match (self.shape(expected), self.shape(found)) {
            (Shape::Arrow(..), Shape::Arrow(..)) => d,
            (Shape::Arrow(from, to), _) if self.is_unit(from) && self.could_unify(to, found) => d.help(
                "the argument is evaluated before the call; to have it evaluated by the function, write `fn () => ...`",
            ),
            (_, Shape::Arrow(from, to)) => {
                let from = self.show(from);
                let result = self.shape(to);
                if matches!(result, Shape::Arrow(..)) || from != "unit" {
                    d.help("this is a function: is an argument missing?")
                } else {
                    d.help("this is a function of `unit`: apply it to `()`")
                }
            }
            (Shape::Con(tyname::LIST, _), _) => d,
            (Shape::Record(xs), Shape::Record(ys)) if xs.len() != ys.len() => {
                if is_tuple(&xs) && is_tuple(&ys) && xs.len() != 1 && ys.len() != 1 {
                    let parts = |n: usize| if n == 0 { "no components".into() } else { format!("{n} components") };
                    d.note(format!("one tuple has {}, the other {}", parts(xs.len()), parts(ys.len())))
                } else {
                    d
                }
            }
            (Shape::Con(name, args), _) if self.is_option(name) => {
                if self.is_known(args[0]) && self.could_unify(args[0], found) {
                    d.help("wrap it: `SOME ...`")
                } else {
                    d
                }
            }
            (_, Shape::Con(name, args)) if self.is_option(name) => {
                if self.is_known(args[0]) && self.could_unify(args[0], expected) { d.help(OPTION) } else { d }
            }
            (_, Shape::Con(tyname::REF, args)) if self.could_unify(args[0], expected) => {
                d.help("read the reference with `!`")
            }
            _ => d,
        }
    }

    /// The option of the Basis: a type's name says the structure that it is declared in. Of a program's own type of
    /// this name, which may have no argument, nothing is known.
    fn is_option(&self, name: TyName) -> bool {
        let tynames = &self.tables.tynames;
        // Where there is no image, the library is added, too.
        let is_own = tynames.is_added(name) && !tynames.is_added(tyname::INT);
        let info = &tynames[name];
        !is_own && info.arity == 1 && ["option", "Option.option"].contains(&info.name.as_str())
    }

    fn is_known(&mut self, t: Type) -> bool {
        !matches!(self.shape(t), Shape::Var { kinds: 0, .. })
    }

    /// A function of a tuple is applied to its first component, or a curried one to a tuple of its arguments.
    pub(crate) fn advise_arguments(&mut self, name: &str, wanted: Type, result: Type, found: Type) -> Option<String> {
        let names = |n: usize| ["x", "y", "z"].get(..n);
        match (self.shape(wanted), self.shape(found)) {
            (Shape::Record(ws), Shape::Record(fs)) if ws.len() != fs.len() || !is_tuple(&fs) => None,
            (Shape::Record(ws), _) if ws.len() > 1 && is_tuple(&ws) => {
                let fits = self.could_unify(ws[0].1, found);
                let names = names(ws.len())?.join(", ");
                fits.then(|| format!("it takes its arguments together, as a tuple: `{name} ({names})`"))
            }
            (_, Shape::Record(fs)) if fs.len() > 1 && is_tuple(&fs) => {
                let (mut wanted, mut result) = (wanted, result);
                for (i, part) in fs.iter().enumerate() {
                    if !self.could_unify(wanted, part.1) {
                        return None;
                    }
                    if i + 1 < fs.len() {
                        let Shape::Arrow(from, to) = self.shape(result) else { return None };
                        (wanted, result) = (from, to);
                    }
                }
                Some(format!("it takes its arguments one after the other: `{name} {}`", names(fs.len())?.join(" ")))
            }
            _ => None,
        }
    }

    /// A value that `open` has put in the place of another one: what both are, if the argument is one for the other.
    pub(crate) fn advise_opened(&mut self, fun: &Exp, found: Type) -> Option<String> {
        let ExpKind::Var(var, _) = fun.kind else { return None };
        let info = &self.tables.vars[var];
        let (name, path) = (info.name, info.path);
        let is = |entry: &ValEntry| matches!(entry, ValEntry::Var { var: other, .. } if *other == var);
        // It may also be written with its structure, or hidden again.
        let is_short = fun.span.hi - fun.span.lo == name.as_str().len() as u32;
        if !is_short || !matches!(self.val(name), Some(Binding::Done(entry)) if is(&entry)) {
            return None;
        }
        let hidden = match self.hidden_val(name)? {
            Binding::Done(ValEntry::Var { var: hidden, scheme }) if hidden != var => {
                let inst = self.fresh_instance(&scheme.tyvars);
                let ty = self.import(scheme.ty, &inst);
                let Shape::Arrow(from, _) = self.shape(ty) else { return None };
                if !self.could_unify(from, found) {
                    return None;
                }
                match self.structure_with(name, &scheme) {
                    Some(structure) => format!("`{structure}.{name}`"),
                    None => format!("the `{name}` that was declared before"),
                }
            }
            Binding::Done(ValEntry::Overloaded(_) | ValEntry::Equal | ValEntry::NotEqual) => {
                format!("the `{name}` of the Basis")
            }
            _ => return None,
        };
        let envs = &self.tables.modules.envs;
        let opened = self.opened.iter().rev().find(|(_, env)| envs[*env].vals.get(name).is_some_and(is));
        let (structure, full) = match opened {
            Some((id, _)) => (id.to_string(), format!("{id}.{name}")),
            // By an earlier unit.
            None => (path.as_str().strip_suffix(name.as_str())?.strip_suffix('.')?.to_string(), path.to_string()),
        };
        Some(format!("`{name}` is `{full}` here, by `open {structure}`, which hides {hidden}"))
    }

    /// The structure of the basis that has a value of this name and type: `List` for the `map` of the top level.
    fn structure_with(&mut self, name: Symbol, scheme: &Scheme) -> Option<Symbol> {
        let (basis, mut found) = (self.basis, Vec::new());
        for structure in basis.structures() {
            let Some(env) = basis.structure(structure) else { continue };
            let Some(ValEntry::Var { scheme: other, .. }) = self.tables.modules.envs[env].vals.get(name) else {
                continue;
            };
            if other.tyvars.len() != scheme.tyvars.len() {
                continue;
            }
            let (tyvars, ty) = (other.tyvars.clone(), other.ty);
            let args: Vec<Ty> = scheme.tyvars.iter().map(|&var| self.tables.intern(TyData::Var(var))).collect();
            if self.tables.substitute(ty, &tyvars, &args) == scheme.ty {
                found.push(structure);
            }
        }
        found.into_iter().min_by_key(|structure| (structure.as_str().len(), structure.as_str()))
    }

    fn advise_numbers(&mut self, d: Diagnostic, kinds: Kinds, t: Type) -> Diagnostic {
        match self.kind_of(t) {
            0 => match self.shape(t) {
                Shape::Arrow(..) => d.help("this is a function: is an argument missing?"),
                Shape::Con(tyname::REF, args) if self.kind_of(args[0]) & kinds != 0 => {
                    d.help("read the reference with `!`")
                }
                Shape::Con(name, args) if self.is_option(name) && self.kind_of(args[0]) & kinds != 0 => d.help(OPTION),
                Shape::Rigid(v) => {
                    let name = self.tables.tyvars[v].name;
                    d.help(format!("write the type that is meant instead of `{name}`"))
                }
                _ => d,
            },
            kinds::STRING if kinds & kinds::STRING == 0 => d.help(JOINED),
            k => self.advise_kinds(d, kinds, k),
        }
    }

    fn advise_kinds(&self, d: Diagnostic, expected: Kinds, found: Kinds) -> Diagnostic {
        if expected & found != 0 {
            return d;
        }
        if expected == kinds::REAL && found == kinds::INT {
            d.help("make a real of an int with `real`; write a real constant as `2.0`")
        } else if expected & kinds::INT != 0 && found == kinds::REAL {
            d.help("make an int of a real with `round`, `floor`, `ceil` or `trunc`; reals are divided with `/`")
        } else if expected == kinds::STRING && found == kinds::CHAR {
            d.help("make a string of a char with `str`; a string constant is \"c\", a character constant #\"c\"")
        } else if expected == kinds::CHAR && found == kinds::STRING {
            d.help("a character constant is #\"c\"; take a character out of a string with `String.sub`")
        } else if expected == kinds::STRING && found == kinds::INT {
            d.help("make a string of an int with `Int.toString`")
        } else if expected == kinds::STRING && found == kinds::REAL {
            d.help("make a string of a real with `Real.toString`")
        } else if expected & kinds::INT != 0 && found == kinds::WORD {
            d.help("make an int of a word with `Word.toInt`")
        } else if expected & kinds::WORD != 0 && found == kinds::INT {
            d.help("make a word of an int with `Word.fromInt`; a word constant is `0w2`")
        } else {
            d
        }
    }

    pub(crate) fn explain_equality(&mut self, d: Diagnostic, t: Type) -> Diagnostic {
        let shown = self.show(t);
        match self.shape(t) {
            Shape::Arrow(..) => d.note(format!("functions cannot be compared: `{shown}`")),
            Shape::Con(tyname::REAL, _) | Shape::Var { .. } => {
                d.note("`real` does not admit equality").help("compare reals with `Real.==`, or by their difference")
            }
            Shape::Rigid(v) => {
                let name = self.tables.tyvars[v].name;
                let d = d.note(format!("`{name}` stands for any type, also for one that does not admit equality"));
                d.help(format!("write `'{name}` for a type that admits equality"))
            }
            Shape::Con(name, _) => {
                let at = self.declared_at(name);
                let d = d.note(format!("`{shown}` does not admit equality"));
                if at.is_none() { d } else { d.label(at, "the type is declared here") }
            }
            _ => d.note(format!("`{shown}` does not admit equality")),
        }
    }

    fn is_unit(&mut self, t: Type) -> bool {
        matches!(self.shape(t), Shape::Record(fields) if fields.is_empty())
    }

    /// Would the types fit, as far as can be seen from outside?
    pub(crate) fn could_unify(&mut self, a: Type, b: Type) -> bool {
        self.could_be(a, b, 8, &mut 1000)
    }

    fn could_be(&mut self, a: Type, b: Type, depth: u32, steps: &mut u32) -> bool {
        if self.find(a) == self.find(b) {
            return true;
        }
        if depth == 0 || *steps == 0 {
            return false;
        }
        *steps -= 1;
        let d = depth - 1;
        match (self.shape(a), self.shape(b)) {
            (Shape::Var { kinds: 0, .. }, _) | (_, Shape::Var { kinds: 0, .. }) => true,
            (Shape::Con(x, xs), Shape::Con(y, ys)) => {
                x == y && xs.iter().zip(&ys).all(|(&s, &t)| self.could_be(s, t, d, steps))
            }
            (Shape::Var { kinds, .. }, _) => self.kind_of(b) & kinds != 0,
            (_, Shape::Var { kinds, .. }) => self.kind_of(a) & kinds != 0,
            (Shape::Rigid(x), Shape::Rigid(y)) => x == y,
            (Shape::Arrow(a, b), Shape::Arrow(e, f)) => self.could_be(a, e, d, steps) && self.could_be(b, f, d, steps),
            (Shape::Record(xs), Shape::Record(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(&ys).all(|(x, y)| x.0 == y.0 && self.could_be(x.1, y.1, d, steps))
            }
            _ => false,
        }
    }

    /// The first parts of two types that differ.
    pub(crate) fn first_difference(&mut self, a: Type, b: Type) -> Option<(Type, Type)> {
        self.difference(a, b, &mut 1000)
    }

    fn difference(&mut self, a: Type, b: Type, steps: &mut u32) -> Option<(Type, Type)> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b || *steps == 0 {
            return None;
        }
        *steps -= 1;
        match (self.shape(a), self.shape(b)) {
            (Shape::Error, _) | (_, Shape::Error) => None,
            (Shape::Con(x, xs), Shape::Con(y, ys)) if x == y => {
                xs.iter().zip(&ys).find_map(|(&s, &t)| self.difference(s, t, steps))
            }
            (Shape::Arrow(a, b), Shape::Arrow(c, d)) => {
                self.difference(a, c, steps).or_else(|| self.difference(b, d, steps))
            }
            (Shape::Record(xs), Shape::Record(ys))
                if xs.len() == ys.len() && xs.iter().zip(&ys).all(|(x, y)| x.0 == y.0) =>
            {
                xs.iter().zip(&ys).find_map(|(x, y)| self.difference(x.1, y.1, steps))
            }
            _ => Some((a, b)),
        }
    }
}

pub(crate) fn code_of(clash: &Clash) -> &'static str {
    match clash {
        Clash::Mismatch => MISMATCH,
        Clash::Circular => "type/circular",
        Clash::Equality(_) => "type/equality",
        Clash::Overload(..) => "type/overload",
        Clash::Escape(_) | Clash::TooNew(_) => "type/escape",
        Clash::Label(_) => "type/label",
    }
}

fn is_tuple(fields: &[(leat_base::Symbol, Type)]) -> bool {
    fields.iter().enumerate().all(|(i, f)| f.0.as_tuple_label() == Some(i + 1))
}
