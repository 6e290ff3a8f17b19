//! Source text -> what it declares for others, with the comments that say what it means: for `leat doc` and the prompt.
//!
//! A comment belongs to the specification that it touches, and one on a specification's line to that. A comment that
//! touches two of them belongs to the one behind it, or to the one before where comments stand below. The other
//! comments of the signature tell that: those which touch one specification alone, or are indented under one; where all
//! touch two, those of the text's other signatures. A comment with blank lines on both sides is a heading.
//!
//! A structure or functor without a signature is read from its body: each declaration is as its signature would specify
//! it, with the comment that touches it from above, or that stands before or behind it on its line. One behind `struct`
//! on a line without a declaration is the structure's, if none stands above that. The types of its values are told by
//! whoever has analysed the text ([`Module::infer`]).

use leat_ast::{
    Ast, DecId, DecKind, FixityEnv, FunctorParam, Name, ParseOptions, PatId, PatKind, Program, SigExpId, SigExpKind,
    SpecId, SpecKind, StrExpId, StrExpKind, parse,
};
use leat_base::{FileId, Span};

/// A signature, structure or functor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The keyword.
    pub kind: &'static str,
    pub name: String,
    /// What stands above it, or at the file's head where it is the first.
    pub comment: String,
    /// Its declaration without what is inside: `structure Queue :> QUEUE`,
    /// `signature S = sig .. end where type t = int`.
    pub head: String,
    /// The name of the signature that it has, if it is a name.
    pub signature: Option<String>,
    pub items: Vec<Item>,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// What the parameter of a functor is called in it: `S` of `functor F (S : SIG)`.
    params: Vec<String>,
}

/// A specification, or a heading between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// None for a heading.
    pub names: Vec<Named>,
    /// As it stands in the source; what a nested signature has inside is in `items`.
    pub text: String,
    pub comment: String,
    pub items: Vec<Item>,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    /// `val`, `type`, `constructor`, `exception`, `structure`, `include`.
    pub kind: &'static str,
    /// Where the name stands in the text, of a value that a body declares: its type is nowhere in the source.
    pub declared: Option<u32>,
}

impl Item {
    /// A value that a body declares, whose type nobody has told.
    pub fn is_untyped(&self) -> bool {
        self.names.iter().any(|named| named.declared.is_some() && self.text == format!("val {}", named.name))
    }
}

impl Module {
    /// Adds the types of the values that were read from a body: `ty` knows that of a name by its place in the text.
    pub fn infer(&mut self, ty: &dyn Fn(u32) -> Option<String>) {
        infer(&mut self.items, &format!("{}.", self.name), ty);
        from_parameter(&mut self.items, &self.params);
    }
}

impl Module {
    /// Adds the members that the source does not show: of a structure that is a functor's result or another structure,
    /// and of one whose signature is read nowhere. `is_read` tells of signatures, `of` knows the members of a structure
    /// by its path.
    pub fn complete(&mut self, is_read: &dyn Fn(&str) -> bool, of: &dyn Fn(&[&str]) -> Option<Vec<Item>>) {
        if self.kind == "signature" {
            return;
        }
        let path = [self.name.as_str()];
        if self.items.is_empty() && !self.signature.as_deref().is_some_and(is_read) {
            self.items = of(&path).unwrap_or_default();
        }
        complete(&mut self.items, &path, of);
        from_parameter(&mut self.items, &self.params);
    }
}

fn complete(items: &mut [Item], within: &[&str], of: &dyn Fn(&[&str]) -> Option<Vec<Item>>) {
    for item in items {
        let [Named { name, kind: "structure", .. }] = &item.names[..] else { continue };
        let path: Vec<&str> = within.iter().copied().chain([name.as_str()]).collect();
        // One with a signature is read there.
        if item.items.is_empty() && !item.text.contains(':') {
            item.items = of(&path).unwrap_or_default();
        }
        complete(&mut item.items, &path, of);
    }
}

/// Outside of a functor its parameter has no name, `?.S.t`; on its page it has.
fn from_parameter(items: &mut [Item], params: &[String]) {
    for item in items {
        for name in params {
            item.text = named_again(&item.text, name);
        }
        from_parameter(&mut item.items, params);
    }
}

/// `?.S.t` -> `S.t`, and `?.t` -> `t` for a type.
fn named_again(text: &str, name: &str) -> String {
    let mut parts = text.split("?.");
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |all, part| {
        let is_it = part
            .strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'')));
        all + if is_it { "" } else { "?." } + part
    })
}

/// `within`: `Queue.Inner.`, what the names of types need not say there.
fn infer(items: &mut [Item], within: &str, ty: &dyn Fn(u32) -> Option<String>) {
    for item in items {
        let [Named { name, kind, declared }] = &item.names[..] else { continue };
        if let Some(ty) = declared.and_then(ty) {
            item.text = format!("val {name} : {}", from_within(&ty, within));
        }
        if *kind == "structure" {
            infer(&mut item.items, &format!("{within}{name}."), ty);
        }
    }
}

/// A type in the words of a module: `'a Queue.queue` is `'a queue` inside of `Queue.`.
fn from_within(ty: &str, within: &str) -> String {
    let mut text = ty.to_string();
    // The longest path first.
    let ends: Vec<usize> = within.match_indices('.').map(|(at, _)| at + 1).collect();
    for &end in ends.iter().rev() {
        let path = &within[..end];
        let mut at = 0;
        while let Some(found) = text[at..].find(path).map(|found| at + found) {
            let begins = !text[..found].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.'));
            if begins {
                text.replace_range(found..found + path.len(), "");
            }
            at = if begins { found } else { found + path.len() };
        }
    }
    text
}

/// What a file declares at its top level. The error is the message.
pub fn modules_of_file(path: &std::path::Path) -> Result<Vec<Module>, String> {
    let name = path.display().to_string();
    let text = crate::text::read_text(path).map_err(|reason| format!("{name}: {reason}"))?;
    Ok(modules(&name, &text))
}

/// The comment of what a signature of a text specifies under this name on this line: empty if it has none. `None`: no
/// signature specifies that there.
pub fn comment_of_specification(text: &str, line: u32, name: &str) -> Option<String> {
    fn find<'i>(items: &'i [Item], line: u32, name: &str) -> Option<&'i Item> {
        items.iter().find_map(|item| match item.line == line && item.names.iter().any(|named| named.name == name) {
            true => Some(item),
            false => find(&item.items, line, name),
        })
    }
    let modules = modules("", text);
    let signatures = modules.iter().filter(|module| module.kind == "signature");
    signatures.map(|module| &module.items).find_map(|items| find(items, line, name)).map(|item| item.comment.clone())
}

/// What a text declares at its top level. Texts with syntax errors give what can be read of them.
pub fn modules(file: &str, text: &str) -> Vec<Module> {
    let options = ParseOptions { allow_prim: true };
    let (program, _) = parse(FileId(0), text, &options, &mut FixityEnv::basis());
    let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut reader = Reader { text, file, program: &program, is_below: false, line_ends };
    reader.is_below = reader.style_of_text().is_below().unwrap_or(false);
    let mut modules = Vec::new();
    for &dec in &program.decs {
        reader.dec(dec, &mut modules);
    }
    // The comment at the head of a file tells of its first module, where that has none.
    if let Some(first) = modules.first_mut()
        && first.comment.is_empty()
    {
        first.comment = reader.head_comment();
    }
    modules
}

struct Reader<'t> {
    text: &'t str,
    file: &'t str,
    program: &'t Program,
    /// Do comments stand below what they are about, in most signatures?
    is_below: bool,
    /// Where the lines end.
    line_ends: Vec<usize>,
}

impl Reader<'_> {
    fn ast(&self) -> &Ast {
        &self.program.ast
    }

    fn dec(&self, dec: leat_ast::DecId, out: &mut Vec<Module>) {
        let dec = &self.ast()[dec];
        let above = |span: Span| self.comment_above(span.lo as usize).map(|(comment, _)| comment).unwrap_or_default();
        match &dec.kind {
            DecKind::Signature(binds) => {
                for (i, bind) in binds.iter().enumerate() {
                    let at = if i == 0 { dec.span } else { bind.span };
                    out.push(Module {
                        kind: "signature",
                        name: bind.name.symbol.to_string(),
                        comment: above(at),
                        head: self.head_of_signature(bind.name.symbol.as_str(), bind.sig),
                        signature: self.signature_name(bind.sig),
                        items: self.items_of(bind.sig),
                        file: self.file.to_string(),
                        line: self.line(at),
                        params: Vec::new(),
                    });
                }
            }
            DecKind::Structure(binds) => {
                for (i, bind) in binds.iter().enumerate() {
                    let at = if i == 0 { dec.span } else { bind.span };
                    let sig = bind.ascription.as_ref().map(|ascription| ascription.sig);
                    out.push(self.module("structure", bind.name.symbol.as_str(), at, bind.span, sig, bind.body));
                }
            }
            DecKind::Functor(binds) => {
                for (i, bind) in binds.iter().enumerate() {
                    let at = if i == 0 { dec.span } else { bind.span };
                    let sig = bind.ascription.as_ref().map(|ascription| ascription.sig);
                    let module = self.module("functor", bind.name.symbol.as_str(), at, bind.span, sig, bind.body);
                    out.push(Module { params: self.parameters(&bind.param), ..module });
                }
            }
            DecKind::Local { body, .. } => body.iter().for_each(|dec| self.dec(*dec, out)),
            _ => {}
        }
    }

    fn module(
        &self,
        kind: &'static str,
        name: &str,
        at: Span,
        bind: Span,
        sig: Option<SigExpId>,
        body: StrExpId,
    ) -> Module {
        // The head ends where the signature does, or before `=`. What is inside of `sig .. end` is told by its items.
        let end = match sig {
            Some(sig) if self.signature_name(sig).is_some() => self.ast()[sig].span.hi as usize,
            Some(sig) => self.ast()[sig].span.lo as usize,
            // The last one before the body: a functor's parameter may have others.
            None => {
                let (lo, hi) = (bind.lo as usize, self.ast()[body].span.lo as usize);
                self.text.get(lo..hi).and_then(|text| text.rfind('=')).map_or(bind.hi as usize, |i| lo + i)
            }
        };
        let mut head = format!("{kind} {}", one_line(&self.text[bind.lo as usize..end.max(bind.lo as usize)]));
        if let Some(sig) = sig.filter(|sig| self.signature_name(*sig).is_none()) {
            head.push_str(" sig .. end");
            head.extend(self.wheres(sig).map(|wheres| format!(" {wheres}")));
        }
        let (inner, body) = self.body(body);
        let of = &self.ast()[body];
        if matches!(of.kind, StrExpKind::Id(_) | StrExpKind::App { .. }) && kind == "structure" {
            head.push_str(&format!(" = {}", short(&one_line(self.slice(of.span)))));
        }
        let sig = sig.or(inner);
        Module {
            kind,
            name: name.to_string(),
            comment: self
                .comment_above(at.lo as usize)
                .map(|(comment, _)| comment)
                .or_else(|| self.comment_of_struct(body))
                .unwrap_or_default(),
            head,
            signature: sig.and_then(|sig| self.signature_name(sig)),
            items: sig.map_or_else(|| self.items_of_body(body), |sig| self.items_of(sig)),
            file: self.file.to_string(),
            line: self.line(at),
            params: Vec::new(),
        }
    }

    /// The names that a functor's parameter brings: of structures and types.
    fn parameters(&self, param: &FunctorParam) -> Vec<String> {
        match param {
            FunctorParam::Named(name, _) => vec![name.symbol.to_string()],
            FunctorParam::Specs(specs) => {
                let named = specs.iter().flat_map(|spec| self.item(*spec).names);
                named.filter(|named| matches!(named.kind, "structure" | "type")).map(|named| named.name).collect()
            }
        }
    }

    /// The signature that a body is given inside, and what it is without that and without local declarations.
    fn body(&self, body: StrExpId) -> (Option<SigExpId>, StrExpId) {
        match &self.ast()[body].kind {
            StrExpKind::Ascribe { body, ascription } => (Some(ascription.sig), self.body(*body).1),
            StrExpKind::Let { body, .. } => self.body(*body),
            _ => (None, body),
        }
    }

    /// What a body declares, as a signature would have it; of two declarations of a name the last one.
    fn items_of_body(&self, body: StrExpId) -> Vec<Item> {
        let StrExpKind::Struct(decs) = &self.ast()[body].kind else { return Vec::new() };
        let mut items = Vec::new();
        decs.iter().for_each(|&dec| self.declared(dec, &mut items));
        let mut seen = std::collections::HashSet::new();
        let mut kept: Vec<Item> = items
            .into_iter()
            .rev()
            .filter(|item: &Item| item.names.iter().any(|named| seen.insert((named.kind, named.name.clone()))))
            .collect();
        kept.reverse();
        kept
    }

    fn declared(&self, dec: DecId, items: &mut Vec<Item>) {
        let dec = &self.ast()[dec];
        let comment = self.comment_above(dec.span.lo as usize).map(|(comment, _)| comment).unwrap_or_default();
        let first = items.len();
        let item = |names: Vec<Named>, text: String, items: Vec<Item>, span: Span| Item {
            names,
            text,
            comment: self.comment_above(span.lo as usize).map(|(comment, _)| comment).unwrap_or_default(),
            items,
            line: self.line(span),
        };
        let named = |name: &Name, kind: &'static str| Named {
            name: name.symbol.to_string(),
            kind,
            declared: (kind == "val").then_some(name.span.lo),
        };
        let value =
            |name: &Name, span: Span| item(vec![named(name, "val")], format!("val {}", name.symbol), Vec::new(), span);
        match &dec.kind {
            DecKind::Val { binds, .. } => {
                for bind in binds {
                    let mut names = Vec::new();
                    self.variables(bind.pat, &mut names);
                    items.extend(names.iter().map(|name| value(name, bind.span)));
                }
            }
            DecKind::Fun { binds, .. } => items.extend(binds.iter().map(|bind| value(&bind.name, bind.span))),
            DecKind::Type(binds) => {
                let names = binds.iter().map(|bind| named(&bind.name, "type")).collect();
                items.push(item(names, dedent(self.slice(dec.span)), Vec::new(), dec.span));
            }
            DecKind::Datatype { datbinds, withtype } => {
                let mut names = Vec::new();
                for bind in datbinds {
                    names.push(named(&bind.name, "type"));
                    names.extend(bind.cons.iter().map(|con| named(&con.name, "constructor")));
                }
                names.extend(withtype.iter().map(|bind| named(&bind.name, "type")));
                items.push(item(names, dedent(self.slice(dec.span)), Vec::new(), dec.span));
            }
            DecKind::Replication { name, .. } => {
                items.push(item(vec![named(name, "type")], dedent(self.slice(dec.span)), Vec::new(), dec.span));
            }
            DecKind::Abstype { datbinds, decs, .. } => {
                for bind in datbinds {
                    let tyvars = bind.tyvars.first().map_or(bind.name.span.lo, |tyvar| tyvar.span.lo);
                    let head = self.text.get(tyvars.min(bind.name.span.lo) as usize..bind.name.span.hi as usize);
                    let text = format!("type {}", head.unwrap_or("").trim_start_matches('('));
                    items.push(item(vec![named(&bind.name, "type")], text, Vec::new(), dec.span));
                }
                decs.iter().for_each(|&dec| self.declared(dec, items));
            }
            DecKind::Exception(binds) => {
                let names = binds.iter().map(|bind| named(&bind.name, "exception")).collect();
                items.push(item(names, dedent(self.slice(dec.span)), Vec::new(), dec.span));
            }
            DecKind::Local { body, .. } => body.iter().for_each(|&dec| self.declared(dec, items)),
            DecKind::Open(paths) => {
                let text = one_line(self.slice(dec.span));
                let names = paths.iter().map(|path| Named {
                    name: self.slice(path.span).to_string(),
                    kind: "include",
                    declared: None,
                });
                items.push(item(names.collect(), text, Vec::new(), dec.span));
            }
            DecKind::Structure(binds) => {
                for bind in binds {
                    let ascribed = bind.ascription.as_ref().map(|ascription| ascription.sig);
                    let module =
                        self.module("structure", bind.name.symbol.as_str(), bind.span, bind.span, ascribed, bind.body);
                    items.push(item(vec![named(&bind.name, "structure")], module.head, module.items, bind.span));
                }
            }
            _ => {}
        }
        // The comment of a declaration stands above its keyword.
        if let Some(item) = items.get_mut(first)
            && item.comment.is_empty()
        {
            item.comment = comment;
        }
        let is_one = !matches!(dec.kind, DecKind::Local { .. } | DecKind::Abstype { .. } | DecKind::Structure(_));
        if let Some(item) = items[first..].last_mut().filter(|item| is_one && item.comment.is_empty())
            && let Some((comment, _)) = self.comment_behind(dec.span.hi as usize)
            // What only marks the end of a declaration says nothing.
            && !comment.split_whitespace().all(|word| {
                ["end", "of", "fun", "val"].contains(&word) || item.names.iter().any(|named| named.name == word)
            })
        {
            item.comment = comment;
        }
    }

    /// The variables of a pattern. A name without an argument may be a constructor; those begin with a capital letter.
    fn variables(&self, pat: PatId, out: &mut Vec<Name>) {
        match &self.ast()[pat].kind {
            PatKind::Id { id, .. } => {
                let name = id.as_short();
                out.extend(name.filter(|name| !name.symbol.as_str().starts_with(|c: char| c.is_ascii_uppercase())));
            }
            PatKind::Record { fields, .. } => fields.iter().for_each(|field| self.variables(field.1, out)),
            PatKind::Tuple(pats) | PatKind::List(pats) | PatKind::Vector(pats) => {
                pats.iter().for_each(|&pat| self.variables(pat, out));
            }
            PatKind::App { arg, .. } => self.variables(*arg, out),
            PatKind::Infix { lhs, rhs, .. } => {
                self.variables(*lhs, out);
                self.variables(*rhs, out);
            }
            PatKind::Typed { pat, .. } => self.variables(*pat, out),
            PatKind::Layered { name, pat, .. } => {
                out.push(*name);
                self.variables(*pat, out);
            }
            _ => {}
        }
    }

    fn signature_name(&self, sig: SigExpId) -> Option<String> {
        match &self.ast()[sig].kind {
            SigExpKind::Id(name) => Some(name.symbol.to_string()),
            SigExpKind::Where { sig, .. } => self.signature_name(*sig),
            _ => None,
        }
    }

    /// What a signature's `where type` says; nothing of one without.
    fn wheres(&self, sig: SigExpId) -> Option<String> {
        let mut inner = sig;
        while let SigExpKind::Where { sig, .. } = &self.ast()[inner].kind {
            inner = *sig;
        }
        let (lo, hi) = (self.ast()[inner].span.hi, self.ast()[sig].span.hi);
        let text = one_line(self.text.get(lo as usize..hi as usize)?);
        (inner != sig && !text.is_empty()).then_some(text)
    }

    /// What is inside of `sig .. end` is told by its items.
    fn head_of_signature(&self, name: &str, sig: SigExpId) -> String {
        match (self.signature_name(sig), self.wheres(sig)) {
            (Some(_), _) => format!("signature {name} = {}", one_line(self.slice(self.ast()[sig].span))),
            (None, Some(wheres)) => format!("signature {name} = sig .. end {wheres}"),
            (None, None) => format!("signature {name}"),
        }
    }

    fn items_of(&self, sig: SigExpId) -> Vec<Item> {
        match &self.ast()[sig].kind {
            SigExpKind::Sig(specs) => self.items(specs, self.ast()[sig].span),
            SigExpKind::Where { sig, .. } => self.items_of(*sig),
            _ => Vec::new(),
        }
    }

    /// The specifications between `sig` and `end`.
    fn items(&self, specs: &[SpecId], whole: Span) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let is_below = self.style(specs, whole).is_below().unwrap_or(self.is_below);
        let gaps = self.gaps(specs, whole);
        for (spec, gap) in specs.iter().zip(&gaps) {
            let above = self.place_comments(&mut items, *gap, is_below, false);
            let mut item = self.item(*spec);
            item.comment = above;
            items.push(item);
        }
        self.place_comments(&mut items, gaps[specs.len()], is_below, true);
        items
    }

    /// What is before each specification, and behind the last one.
    fn gaps(&self, specs: &[SpecId], whole: Span) -> Vec<(usize, usize)> {
        let mut at = whole.lo as usize + "sig".len();
        let mut gaps = Vec::new();
        for spec in specs {
            let span = self.ast()[*spec].span;
            gaps.push((at, span.lo as usize));
            at = span.hi as usize;
        }
        gaps.push((at, (whole.hi as usize).saturating_sub("end".len()).max(at)));
        gaps
    }

    /// Where the comments of a signature stand that tell it.
    fn style(&self, specs: &[SpecId], whole: Span) -> Style {
        let mut style = Style::default();
        for (i, gap) in self.gaps(specs, whole).into_iter().enumerate() {
            let comments = self.comments(gap);
            let (is_first, is_last) = (i == 0, i == specs.len());
            // One that a blank line, or the end, follows and none precedes, or that is indented under what it is about.
            if let Some(comment) = comments.first().filter(|comment| comment.own_line && !is_first) {
                let is_under = || comment.column > self.column(self.ast()[specs[i - 1]].span.lo as usize);
                let is_below = !comment.blank_before && (comment.blank_after || is_last || is_under());
                style.below += usize::from(is_below);
            }
            // One that a blank line, or the beginning, precedes and none follows.
            if let Some(comment) = comments.last().filter(|comment| comment.own_line && !is_last) {
                let is_alone = comment.blank_before || is_first && comments.len() == 1;
                style.above += usize::from(is_alone && !comment.blank_after);
            }
        }
        style
    }

    /// Of all signatures.
    fn style_of_text(&self) -> Style {
        let mut all = Style::default();
        for sig in self.ast().sigexps.values() {
            if let SigExpKind::Sig(specs) = &sig.kind {
                let style = self.style(specs, sig.span);
                (all.above, all.below) = (all.above + style.above, all.below + style.below);
            }
        }
        all
    }

    /// Gives the comments of a gap to the item before it or makes headings of them; answers those of the item behind
    /// it.
    fn place_comments(&self, items: &mut Vec<Item>, gap: (usize, usize), is_below: bool, is_last: bool) -> String {
        let mut above = String::new();
        for comment in self.comments(gap) {
            let before = items.iter_mut().rev().find(|item| !item.names.is_empty());
            let belongs_before =
                !comment.blank_before && (!comment.own_line || comment.blank_after || is_last || is_below);
            match before {
                Some(item) if belongs_before => {
                    if !item.comment.is_empty() {
                        item.comment.push('\n');
                    }
                    item.comment.push_str(&comment.text);
                }
                _ if comment.blank_after || is_last => {
                    let text = comment.text.trim_start_matches(['-', ' ']).to_string();
                    items.push(Item {
                        names: Vec::new(),
                        text: String::new(),
                        comment: text,
                        items: Vec::new(),
                        line: 0,
                    });
                }
                _ => {
                    if !above.is_empty() {
                        above.push('\n');
                    }
                    above.push_str(&comment.text);
                }
            }
        }
        above
    }

    fn item(&self, spec: SpecId) -> Item {
        let spec = &self.ast()[spec];
        let mut names = Vec::new();
        let mut add =
            |name: &str, kind: &'static str| names.push(Named { name: name.to_string(), kind, declared: None });
        let (mut text, mut items) = (dedent(self.slice(spec.span)), Vec::new());
        match &spec.kind {
            SpecKind::Val(descs) => descs.iter().for_each(|(name, _)| add(name.symbol.as_str(), "val")),
            SpecKind::Type { descs, .. } => descs.iter().for_each(|desc| add(desc.name.symbol.as_str(), "type")),
            SpecKind::Datatype { datbinds, withtype } => {
                for bind in datbinds {
                    add(bind.name.symbol.as_str(), "type");
                    bind.cons.iter().for_each(|con| add(con.name.symbol.as_str(), "constructor"));
                }
                withtype.iter().for_each(|bind| add(bind.name.symbol.as_str(), "type"));
            }
            SpecKind::Replication { name, .. } => add(name.symbol.as_str(), "type"),
            SpecKind::Exception(binds) => binds.iter().for_each(|bind| add(bind.name.symbol.as_str(), "exception")),
            SpecKind::Structure(descs) => {
                for (name, sig) in descs {
                    add(name.symbol.as_str(), "structure");
                    let inside = self.items_of(*sig);
                    if !inside.is_empty() {
                        text = format!("structure {}", name.symbol);
                        if let Some(wheres) = self.wheres(*sig) {
                            text.push_str(&format!(" : sig .. end {wheres}"));
                        }
                        items.extend(inside);
                    }
                }
            }
            _ => add(one_line(self.slice(spec.span)).trim_start_matches("include "), "include"),
        }
        Item { names, text, comment: String::new(), items, line: self.line(spec.span) }
    }

    // -- comments

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    fn line(&self, span: Span) -> u32 {
        1 + self.line_ends.partition_point(|end| *end < span.lo as usize) as u32
    }

    /// Where a line is cut by a place in it; a tab is as wide as in SML/NJ's sources.
    fn column(&self, at: usize) -> usize {
        let line = self.text[..at].rsplit('\n').next().unwrap_or("");
        line.chars().fold(0, |column, c| if c == '\t' { column / 8 * 8 + 8 } else { column + 1 })
    }

    /// The comments of a stretch of text that has nothing else but space and semicolons.
    fn comments(&self, (lo, hi): (usize, usize)) -> Vec<Comment> {
        let text = self.text.get(lo..hi).unwrap_or("");
        let mut comments: Vec<Comment> = Vec::new();
        let mut at = 0;
        let mut space = 0;
        while let Some(found) = text[at..].find("(*") {
            let start = at + found;
            let end = start + comment_length(&text[start..]);
            let before = &text[space..start];
            if let Some(last) = comments.last_mut() {
                last.blank_after = is_blank(before);
            }
            comments.push(Comment {
                text: plain(&text[start..end]),
                blank_before: is_blank(before),
                own_line: before.contains('\n'),
                blank_after: false,
                column: self.column(lo + start),
            });
            at = end;
            space = end;
        }
        if let Some(last) = comments.last_mut() {
            last.blank_after = is_blank(&text[space..]);
        }
        comments
    }

    /// The comment that touches what begins at `at`, from above, and where it begins.
    fn comment_above(&self, at: usize) -> Option<(String, usize)> {
        let before = self.text[..at].trim_end();
        if !before.ends_with("*)") || is_blank(&self.text[before.len()..at]) {
            return None;
        }
        // Comments nest: the way back is counted.
        let (bytes, mut depth, mut i) = (before.as_bytes(), 0, before.len());
        while i >= 2 {
            match &bytes[i - 2..i] {
                b"*)" => (depth, i) = (depth + 1, i - 2),
                b"(*" => {
                    (depth, i) = (depth - 1, i - 2);
                    if depth == 0 {
                        // One behind something on its line belongs to that, unless this is a word that begins what
                        // the comment is about.
                        let line = before[..i].rsplit('\n').next().unwrap_or("").trim();
                        let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
                        let word = line.rsplit(|c| !is_of_word(c)).next().unwrap_or("");
                        let begins = ["struct", "in", "val", "fun", "type", "datatype", "exception", "and"];
                        let is_here = begins.contains(&word) && !self.text[before.len()..at].contains('\n');
                        return (line.is_empty() || is_here).then(|| (plain(&before[i..]), i));
                    }
                }
                _ => i -= 1,
            }
        }
        None
    }

    /// The comment that follows what ends at `at` on its line, and where it ends.
    fn comment_behind(&self, at: usize) -> Option<(String, usize)> {
        let rest = self.text.get(at..)?;
        let start = rest.len() - rest.trim_start_matches([' ', '\t', ';']).len();
        let comment = rest[start..].starts_with("(*").then(|| &rest[start..start + comment_length(&rest[start..])])?;
        Some((plain(comment), at + start + comment.len()))
    }

    /// The comment behind `struct`, if no declaration follows it on its line.
    fn comment_of_struct(&self, body: StrExpId) -> Option<String> {
        let of = &self.ast()[body];
        let StrExpKind::Struct(_) = of.kind else { return None };
        let (comment, end) = self.comment_behind(of.span.lo as usize + "struct".len())?;
        self.text[end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n').then_some(comment)
    }

    fn head_comment(&self) -> String {
        let text = self.text.trim_start();
        if text.starts_with("(*") { plain(&text[..comment_length(text)]) } else { String::new() }
    }
}

/// A comment in a gap between specifications.
struct Comment {
    text: String,
    blank_before: bool,
    blank_after: bool,
    /// It begins a line.
    own_line: bool,
    column: usize,
}

/// How many comments of a signature can only belong to what is behind them, and how many to what is before.
#[derive(Default)]
struct Style {
    above: usize,
    below: usize,
}

impl Style {
    /// Nothing where that cannot be told.
    fn is_below(&self) -> Option<bool> {
        (self.above != self.below).then_some(self.below > self.above)
    }
}

/// Is there an empty line in this space?
fn is_blank(space: &str) -> bool {
    space.bytes().filter(|byte| *byte == b'\n').count() > 1
}

/// Of the comment that a text begins with.
fn comment_length(text: &str) -> usize {
    let (bytes, mut depth, mut i) = (text.as_bytes(), 0, 0);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"(*" => (depth, i) = (depth + 1, i + 2),
            b"*)" => {
                (depth, i) = (depth - 1, i + 2);
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    text.len()
}

/// A comment without its brackets, its lines as far to the left as all of them can be.
fn plain(comment: &str) -> String {
    let inside = comment.strip_prefix("(*").unwrap_or(comment);
    let inside = inside.strip_suffix("*)").unwrap_or(inside).trim_matches('*').trim_start_matches([' ', '\n']);
    // Some begin each line with a star.
    let starred = inside.lines().skip(1).all(|line| line.trim().is_empty() || line.trim().starts_with('*'));
    let bare = |line: &str| match starred {
        true => line.trim().trim_start_matches('*').trim_start_matches(' ').trim_end().to_string(),
        false => line.trim_end().to_string(),
    };
    let lines: Vec<String> = inside.lines().map(bare).collect();
    let rest = lines.iter().skip(1).filter(|line| !line.is_empty());
    let margin = rest.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let first = lines.first().cloned().unwrap_or_default();
    let all = lines.iter().skip(1).fold(first, |all, line| all + "\n" + without_margin(line, margin));
    all.trim_end().to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most a line of text.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text.to_string(),
    }
}

/// Lines behind the first move to the left as far as all of them can.
fn dedent(text: &str) -> String {
    let margin = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let margin = margin.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0).saturating_sub(2);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("").to_string();
    lines.fold(first, |all, line| all + "\n" + without_margin(line, margin).trim_end())
}

/// A line without at most so many bytes of white space. One white space of Unicode may have more bytes than the margin.
fn without_margin(line: &str, margin: usize) -> &str {
    let blank = line.len() - line.trim_start().len();
    let mut cut = margin.min(blank);
    while !line.is_char_boundary(cut) {
        cut -= 1;
    }
    &line[cut..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<String> {
        let modules = modules("a.sml", text);
        modules[0].items.iter().map(|item| format!("{} | {}", one_line(&item.text), one_line(&item.comment))).collect()
    }

    #[test]
    fn comments_above() {
        let text = "(* Head. *)\n\nsignature S =\nsig\n  type t\n\n  (* -- part *)\n\n  (* of x\n     itself *)\n  val x : t\n  \
                    val y : t  (* beside *)\n  (* of z *)\n  val z : t\nend";
        assert_eq!(modules("a", text)[0].comment, "Head.");
        assert_eq!(
            items(text),
            ["type t | ", " | part", "val x : t | of x itself", "val y : t | beside", "val z : t | of z"]
        );
    }

    /// The margin of a comment is in bytes, and ended inside of a white space of three bytes: the whole line was gone.
    #[test]
    fn margins_of_white_space_with_several_bytes() {
        let text = "signature S =\nsig\n  (* of x,\n  in two bytes\n\u{3000}in three\n\u{A0} and more *)\n  val x :\n    {a : \
                    int,\n\u{3000}\u{3000}b : int}\nend";
        assert_eq!(items(text), ["val x : {a : int, b : int} | of x, in two bytes in three and more"]);
        let plain = plain("(* of x,\n  in two bytes\n\u{3000}in three *)");
        assert_eq!(plain, "of x,\nin two bytes\n\u{3000}in three");
    }

    /// Each item's line was counted from the text's begin: a signature of ten thousand lines took a second, at each
    /// completion after a change.
    #[test]
    fn lines_of_many_items() {
        let items: String =
            (0..10_000).map(|n| format!("  val name{n} : int -> int -> int -> int (* the {n}th *)\n")).collect();
        let text = format!("(* head\n *)\nsignature S =\nsig\n{items}end");
        let modules = modules("a.sml", &text);
        assert_eq!(modules[0].line, 3);
        let lines: Vec<u32> = modules[0].items.iter().map(|item| item.line).collect();
        assert_eq!(lines, (5..10_005).collect::<Vec<u32>>());
    }

    #[test]
    fn comments_below() {
        let text = "signature S =\nsig\n  val x : t\n  (* of x *)\n  val y : t\n  (* of y *)\n\n  val z : t\n  (* of z *)\nend";
        assert_eq!(items(text), ["val x : t | of x", "val y : t | of y", "val z : t | of z"]);
    }

    /// Each comment of a signature whose last value has none went to the value behind it.
    #[test]
    fn comments_that_touch_two() {
        let of = |text: &str, i: usize| {
            let items = modules("a.sml", text).swap_remove(i).items;
            items.iter().map(|item| format!("{} {}", item.names[0].name, one_line(&item.comment))).collect::<Vec<_>>()
        };
        let touching =
            "signature S =\nsig\n  val a : t\n  (* A *)\n  val b : t\n  val c : t\n  (* C *)\n  val d : t\nend\n";
        assert_eq!(of(touching, 0), ["a ", "b A", "c ", "d C"]);
        // Another signature tells it.
        let below = format!("{touching}structure X : sig\n  val x : t\n  (* X *)\nend = struct end");
        assert_eq!(of(&below, 0), ["a A", "b ", "c C", "d "]);
        let above = format!("{touching}structure X : sig\n  (* X *)\n  val x : t\nend = struct end");
        assert_eq!(of(&above, 0), of(touching, 0));
        // The signature's own comments tell it before those of others.
        let other = format!("{below}\nsignature U =\nsig\n  (* A *)\n  val a : t\n  (* B *)\n  val b : t\nend");
        assert_eq!(of(&other, 2), ["a A", "b B"]);
        // Its columns do.
        let indented = touching.replace("  (*", "\t(*");
        assert_eq!(of(&indented, 0), ["a A", "b ", "c C", "d "]);
    }

    /// One comment at the end does not make the others stand below.
    #[test]
    fn most_comments_tell_where_they_stand() {
        let text = "signature M =\nsig\n  type t\n  (* of u *)\n  type u\n\n  (* of x *)\n  val x : t\n  (* of y *)\n  val y : t\n\n  \
                    (* of z *)\n  val z : t\n  (* of both *)\nend";
        assert_eq!(
            items(text),
            ["type t | ", "type u | of u", "val x : t | of x", "val y : t | of y", "val z : t | of z of both"]
        );
    }

    #[test]
    fn bodies() {
        let text = "structure Q =\nstruct\n  (* a queue *)\n  datatype 'a t = Q of 'a list\n  local fun no x = x\n  in\n    \
                    (* puts *)\n    fun add (Q l, x) = Q (x :: l)\n    and get (Q l) = l\n  end\n  val (a, B, b) = (1, 2, 3)\n  \
                    fun add x = x\n  structure In = struct val c = 3 end\nend\nstructure R = F (Q)";
        let expected = ["datatype 'a t = Q of 'a list | a queue", "val get | ", "val a | ", "val b | "];
        assert_eq!(items(text)[..4], expected);
        assert_eq!(items(text)[4..], ["val add | ", "structure In | "]);
        let mut module = modules("a", text).remove(0);
        let of =
            |place: u32| text[place as usize..].starts_with("get").then(|| "'a Q.t * Q.In.u * XQ.t -> 'a".to_string());
        module.infer(&of);
        assert_eq!(module.items[1].text, "val get : 'a t * In.u * XQ.t -> 'a");
        assert_eq!(modules("a", text)[1].head, "structure R = F (Q)");
    }

    /// Comments on the line of `struct`, or of a declaration, were on no page.
    #[test]
    fn comments_on_the_line() {
        let text = "functor F (type t) = struct (* of a *) val a = 1 (* no *) fun (* of f *) f x = x val b = 2; (* two *) end\n\
                    structure S = struct (* of S *)\n  (* of c *)\n  val c = 3\n  fun g x = x (* g *)\n\
                    type t = int (* a number *)\nend (* S *)\n(* of T *)\nstructure T = struct (* no *)\n  val d = 4\nend";
        assert_eq!(items(text), ["val a | of a", "val f | of f", "val b | two"]);
        let all = modules("a", text);
        let comments: Vec<&str> = all.iter().map(|module| &*module.comment).collect();
        assert_eq!(comments, ["", "of S", "of T"]);
        let of = |at: usize| all[at].items.iter().map(|item| &*item.comment).collect::<Vec<_>>();
        assert_eq!((of(1), of(2)), (vec!["of c", "", "a number"], vec![""]));
    }

    #[test]
    fn types_from_within() {
        assert_eq!(from_within("Q.In.u -> Q.t -> In.v", "Q.In."), "u -> t -> In.v");
    }

    #[test]
    fn a_parameter_has_a_name() {
        let text = "functor F (S : SIG) = struct fun f x = x end\nfunctor G (type t structure A : SIG) = struct fun g x = x end";
        let mut modules = modules("a", text);
        modules[0].infer(&|_| Some("?.S.t -> ?.St.t list".to_string()));
        modules[1].infer(&|_| Some("?.t * ?.A.t -> ?.u".to_string()));
        assert_eq!(modules[0].items[0].text, "val f : S.t -> ?.St.t list");
        assert_eq!(modules[1].items[0].text, "val g : t * A.t -> ?.u");
    }

    #[test]
    fn heads() {
        let text = "(* A queue. *)\nstructure Q :> QUEUE = struct end\n\nfunctor F (structure A : S) : sig\n  val x : int end = struct end\nstructure R = Q";
        let heads: Vec<String> = modules("a", text).into_iter().map(|module| module.head).collect();
        assert_eq!(heads, ["structure Q :> QUEUE", "functor F (structure A : S) : sig .. end", "structure R = Q"]);
        assert_eq!(modules("a", text)[0].comment, "A queue.");
        assert_eq!(modules("a", text)[0].signature.as_deref(), Some("QUEUE"));
    }

    /// What `where type` says of a signature stood on no page.
    #[test]
    fn heads_say_where_type() {
        let text = "signature I = O where type t = int\nsignature B = sig include O end\n  where type t = string\nsignature P = O\n\
                    structure J :> sig type t end where type t = int = struct type t = int end\n\
                    signature N = sig structure In : sig type t end where type t = int end\n\
                    structure Y : sig type t end = X";
        let found = modules("a", text);
        let heads: Vec<&str> = found.iter().map(|module| module.head.as_str()).collect();
        assert_eq!(
            heads,
            [
                "signature I = O where type t = int",
                "signature B = sig .. end where type t = string",
                "signature P = O",
                "structure J :> sig .. end where type t = int",
                "signature N",
                "structure Y : sig .. end = X"
            ]
        );
        assert_eq!(found[4].items[0].text, "structure In : sig .. end where type t = int");
    }
}
