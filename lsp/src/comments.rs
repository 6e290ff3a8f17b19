//! The comments of declarations, of the user's programs and of the library: what stands above a declaration or on its
//! line, and what the signature says that specifies it.
//!
//! A signature's comments are read from its file. A file is parsed once for each text that it has: a completion asks
//! for the comments of hundreds of names that are declared in one file.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use leat_ast::ir::{Ast, Dec, DecKind, Spec};
use leat_base::{FileId, Span};
use leat_driver::docs;
use leat_driver::tooling::Front;

use crate::query::one_name;

/// What was read of the files in which comments were looked for, and which specifications the library's declarations
/// match.
#[derive(Default)]
pub(crate) struct Comments {
    pages: RefCell<HashMap<FileId, Rc<Page>>>,
    library: OnceCell<HashMap<Span, Vec<Span>>>,
}

/// A file's text, and what is read of it.
pub(crate) struct Page {
    text: String,
    pub ast: Ast,
    comments: Places,
    /// What signatures specify, by line and name: its comment, which may be empty. In a signature comments may stand
    /// below what they speak of.
    specified: HashMap<(u32, String), String>,
}

impl Page {
    fn read(file: FileId, text: &str) -> Page {
        fn add(items: &[docs::Item], to: &mut HashMap<(u32, String), String>) {
            for item in items {
                for named in &item.names {
                    to.entry((item.line, named.name.clone())).or_insert_with(|| item.comment.clone());
                }
                add(&item.items, to);
            }
        }
        let options = leat_ast::ParseOptions { allow_prim: true };
        let ast = leat_ast::parse(file, text, &options, &mut leat_ast::FixityEnv::basis()).0.ast;
        let mut specified = HashMap::new();
        if text.contains("signature") {
            let modules = docs::modules("", text);
            modules.iter().filter(|module| module.kind == "signature").for_each(|m| add(&m.items, &mut specified));
        }
        Page { text: text.to_string(), ast, comments: comments(text), specified }
    }

    /// The place of the smallest declaration or specification around a name, and whether it is a specification.
    fn whole_of(&self, declared: Span) -> Option<(Span, bool)> {
        let whole = around(&self.ast, declared)?;
        Some((whole.span(), matches!(whole, Around::Spec(_))))
    }

    /// The name of the signature around a place.
    fn signature_around(&self, at: Span) -> Option<&'static str> {
        let binds = self.ast.decs.iter().filter_map(|(_, dec)| match &dec.kind {
            DecKind::Signature(binds) => Some(binds),
            _ => None,
        });
        let around = binds.flatten().find(|bind| bind.span.lo <= at.lo && at.hi <= bind.span.hi)?;
        Some(around.name.symbol.as_str())
    }
}

/// The declarations that must have one name with another one.
pub(crate) enum Linked<'f> {
    /// They are looked for when one is asked about.
    Each(&'f Front),
    /// They were looked for at once, since many are asked about.
    All(HashMap<Span, Vec<Span>>),
}

impl Linked<'_> {
    pub fn all(front: &Front) -> Linked<'_> {
        let mut all: HashMap<Span, Vec<Span>> = HashMap::new();
        for unit in front.all_units() {
            for (a, b) in &unit.index.borrow().links {
                all.entry(*a).or_default().push(*b);
                all.entry(*b).or_default().push(*a);
            }
        }
        Linked::All(all)
    }

    /// In the order of the texts, with the declaration itself.
    pub fn class(&self, declared: Span) -> Vec<Span> {
        let class = match self {
            Linked::Each(front) => one_name(front, declared),
            Linked::All(all) => reached(all, [declared]),
        };
        let mut class: Vec<Span> = class.into_iter().collect();
        class.sort_by_key(|span| (span.file, span.lo));
        class
    }

    /// Likewise, without it.
    fn with(&self, declared: Span) -> Vec<Span> {
        let mut others = self.class(declared);
        others.retain(|other| *other != declared);
        others
    }
}

/// What links lead to from some places, with these.
fn reached(links: &HashMap<Span, Vec<Span>>, from: impl IntoIterator<Item = Span>) -> HashSet<Span> {
    let mut found = HashSet::new();
    let mut todo: Vec<Span> = from.into_iter().collect();
    while let Some(place) = todo.pop() {
        if found.insert(place) {
            todo.extend(links.get(&place).into_iter().flatten());
        }
    }
    found
}

impl Comments {
    /// The file that a place is in.
    pub fn page(&self, front: &Front, file: FileId) -> Option<Rc<Page>> {
        let text = &front.sources().get(file)?.text;
        let known = self.pages.borrow().get(&file).filter(|page| page.text == **text).cloned();
        Some(known.unwrap_or_else(|| {
            let page = Rc::new(Page::read(file, text));
            self.pages.borrow_mut().insert(file, page.clone());
            page
        }))
    }

    /// What the comments say of a declaration: that of its specification, then its own. `via` are the structures by
    /// which it is named: `OS.FileSys`.
    pub fn all_of(&self, front: &Front, declared: Span, via: &str) -> Option<String> {
        match (self.for_users(front, declared, via), self.own(front, declared)) {
            (Some(users), Some(own)) if users != own => Some(format!("{users}\n\n{own}")),
            (users, own) => users.or(own),
        }
    }

    /// What users are told of a declaration: the comment of its specification; else its own, or that of another
    /// declaration of the same name.
    pub fn for_users(&self, front: &Front, declared: Span, via: &str) -> Option<String> {
        let linked = Linked::Each(front);
        self.specified(front, &linked, declared, via)
            .or_else(|| self.own(front, declared))
            .or_else(|| linked.with(declared).into_iter().find_map(|span| self.own(front, span)))
    }

    /// The comment of the specification that a declaration matches, or is itself.
    pub fn specified(&self, front: &Front, linked: &Linked<'_>, declared: Span, via: &str) -> Option<String> {
        if declared.is_none() {
            return None;
        }
        // In the library each of its structures has its own signature to say it.
        let others = if front.is_of_library() { vec![] } else { linked.with(declared) };
        let class: Vec<Span> = std::iter::once(declared).chain(others).collect();
        let own =
            class.iter().filter(|span| self.is_specification(front, **span)).find_map(|span| self.own(front, *span));
        own.or_else(|| self.of_library(front, &class, via))
    }

    /// Is it the name of what a signature specifies?
    pub fn is_specification(&self, front: &Front, declared: Span) -> bool {
        let page = self.page(front, declared.file);
        page.is_some_and(|page| page.whole_of(declared).is_some_and(|(_, specification)| specification))
    }

    /// The comment of a specification of the library that one of these declarations matches. A function of the library
    /// may be in several of its signatures: that of the structure by which it is named comes first, and that of the
    /// file in which it is declared.
    fn of_library(&self, front: &Front, class: &[Span], via: &str) -> Option<String> {
        let library = self.library.get_or_init(|| {
            let mut specifications: HashMap<Span, Vec<Span>> = HashMap::new();
            front.library_links().iter().for_each(|(a, b)| specifications.entry(*b).or_default().push(*a));
            specifications
        });
        let plain = |name: &str| name.replace(['-', '_', '.'], "").to_ascii_lowercase();
        let file = front.sources().get(class.first()?.file)?;
        let stem = Path::new(&*file.name).file_stem()?.to_str()?;
        let (via, stem) = (plain(via), plain(stem));
        let mut found: Vec<Span> = reached(library, class.iter().copied()).into_iter().collect();
        found.retain(|span| !class.contains(span));
        found.sort_by_cached_key(|span| {
            let page = self.page(front, span.file);
            let signature = page.as_ref().and_then(|page| page.signature_around(*span)).map(plain);
            let is_called = |name: &str| signature.as_deref() == Some(name);
            (!is_called(&via), !is_called(&stem), span.file, span.lo)
        });
        found.into_iter().find_map(|span| self.own(front, span))
    }

    /// The comment that ends right before the declaration that has its name at a place, or follows it on its line.
    pub fn own(&self, front: &Front, declared: Span) -> Option<String> {
        if declared.is_none() {
            return None;
        }
        let file = front.sources().get(declared.file)?;
        let page = self.page(front, declared.file)?;
        let name = page.text.get(declared.lo as usize..declared.hi as usize)?;
        if !page.specified.is_empty()
            && let Some(comment) = page.specified.get(&(file.line_of(declared.lo), name.to_string()))
        {
            return Some(comment.clone()).filter(|comment| !comment.is_empty());
        }
        let (whole, _) = page.whole_of(declared)?;
        comment_at(&page.text, &page.comments, whole)
    }
}

pub(crate) enum Around<'a> {
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
pub(crate) fn around(ast: &Ast, declared: Span) -> Option<Around<'_>> {
    let decs = ast.decs.iter().map(|(_, dec)| Around::Dec(dec));
    let all = decs.chain(ast.specs.iter().map(|(_, spec)| Around::Spec(spec)));
    let holds = |span: Span| span.lo <= declared.lo && declared.hi <= span.hi;
    all.filter(|around| holds(around.span())).min_by_key(|around| around.span().len())
}

/// The comment above a declaration, or behind it on its line; `all` are those of the text.
fn comment_at(text: &str, all: &[(usize, usize)], whole: Span) -> Option<String> {
    if let Some((lo, hi)) = above(text, all, whole.lo as usize) {
        return Some(plain(&text[lo..hi]));
    }
    let after = text.get(whole.hi as usize..)?;
    let line = after.split('\n').next().unwrap_or("");
    let start = whole.hi as usize + line.find("(*")?;
    let between = &text[whole.hi as usize..start];
    if !between.chars().all(|c| c.is_whitespace() || c == ';') {
        return None;
    }
    all.iter().find(|(lo, _)| *lo == start).map(|(lo, hi)| plain(&text[*lo..*hi]))
}

/// The comment that ends right before what stands at `at`: between them may be blanks and one line end.
pub(crate) fn comment_above(text: &str, at: usize) -> Option<(usize, usize)> {
    above(text, &comments(text), at)
}

fn above(text: &str, all: &[(usize, usize)], at: usize) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let trimmed = before.trim_end();
    if !trimmed.ends_with("*)") || before[trimmed.len()..].matches('\n').count() > 1 {
        return None;
    }
    let (lo, hi) = all.iter().copied().find(|(_, hi)| *hi == trimmed.len())?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_declarations() {
        let text = "(* first *)\n\nval a = 1\n(* of b,\n * in two lines *)\nval b = \"(*\" val c = 2 (* of c *)\n";
        let of = |name: &str| {
            let lo = text.find(name).unwrap() as u32;
            comment_at(text, &comments(text), Span::new(leat_base::FileId(0), lo, lo + name.len() as u32))
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
}
