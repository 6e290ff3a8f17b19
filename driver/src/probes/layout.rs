//! The text of a source -> where its declarations are in force.
//!
//! Core has no structures, no `local` and no `open`, and functors are copied in it. What an expression sees that is
//! typed at a place of the text can only be said of the text: a *stretch* of it is where the same names mean the same.

use leat_ast::{
    Ast, DecId, DecKind, ExpKind, FixityEnv, FunctorArg, FunctorParam, Node, ParseOptions, PatId, PatKind, StrExpId,
    StrExpKind,
};
use leat_base::{FileId, Symbol};

/// From a declaration, or from the pattern of a rule, to where it ends to be in force. Two of them are apart, or one
/// is in the other; what stands in an inner one does not belong to the outer one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    from: u32,
    to: u32,
    /// The innermost stretch around it; its own number for the whole text.
    around: usize,
}

/// A name that stands for a value, or all that an `open` may bring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binder {
    pub name: Option<Symbol>,
    /// Where the name is written.
    pub at: u32,
    from: u32,
    to: u32,
}

/// Where what is declared in a text is in force. Places are bytes of the text.
#[derive(Debug)]
pub(super) struct Layout {
    stretches: Vec<Stretch>,
    binders: Vec<Binder>,
    /// Every binder is known.
    pub is_whole: bool,
}

impl Layout {
    pub fn new(text: &str) -> Layout {
        let (program, errors) = leat_ast::parse(FileId::NONE, text, &ParseOptions::default(), &mut FixityEnv::basis());
        let whole = Stretch { from: 0, to: u32::MAX, around: 0 };
        let layout = Layout { stretches: vec![whole], binders: Vec::new(), is_whole: errors.is_empty() };
        let mut reader = Reader { text, ast: &program.ast, layout };
        reader.all(&program.decs);
        let Layout { mut stretches, mut binders, is_whole } = reader.layout;
        // The order of the text; of what begins at one place the outer stands first.
        stretches.sort_by_key(|stretch| (stretch.from, u32::MAX - stretch.to));
        binders.sort_by_key(|binder| (binder.from, binder.at));
        let mut open: Vec<usize> = Vec::new();
        for i in 0..stretches.len() {
            while open.last().is_some_and(|&outer| stretches[outer].to <= stretches[i].from) {
                open.pop();
            }
            stretches[i].around = open.last().copied().unwrap_or(0);
            open.push(i);
        }
        Layout { stretches, binders, is_whole }
    }

    /// The stretch to which a place belongs.
    pub fn stretch(&self, place: u32) -> usize {
        let mut at = self.stretches.partition_point(|stretch| stretch.from <= place).saturating_sub(1);
        while !self.contains(at, place) {
            at = self.stretches[at].around;
        }
        at
    }

    pub fn contains(&self, stretch: usize, place: u32) -> bool {
        stretch == 0 || (self.stretches[stretch].from..self.stretches[stretch].to).contains(&place)
    }

    /// Where a declaration may be put in, so that all of the stretch is in force and nothing else.
    pub fn begin(&self, stretch: usize) -> u32 {
        self.stretches[stretch].from
    }

    /// What is in force at the begin of a stretch and not yet at that of one around it, in the order of the text.
    pub fn between(&self, around: Option<usize>, stretch: usize) -> impl Iterator<Item = &Binder> {
        let begin = self.stretches[stretch].from;
        let after = around.map_or(0, |around| self.stretches[around].from + 1);
        let first = self.binders.partition_point(|binder| binder.from < after);
        let last = self.binders.partition_point(|binder| binder.from <= begin);
        self.binders[first..last.max(first)].iter().filter(move |binder| binder.to > begin)
    }
}

/// Where the declarations of a text begin: behind a first line `#!..`.
pub(super) fn start(text: &str) -> u32 {
    match text.starts_with("#!") {
        true => text.find('\n').map_or(text.len(), |end| end + 1) as u32,
        false => 0,
    }
}

struct Reader<'t> {
    text: &'t str,
    ast: &'t Ast,
    layout: Layout,
}

impl Reader<'_> {
    fn all(&mut self, decs: &[DecId]) {
        self.sequence(decs, u32::MAX);
        let mut nodes: Vec<Node> = decs.iter().map(|&dec| Node::Dec(dec)).collect();
        while let Some(node) = nodes.pop() {
            self.node(node);
            self.ast.children(node, &mut |child| nodes.push(child));
        }
    }

    fn stretch(&mut self, from: u32, to: u32) {
        self.layout.stretches.push(Stretch { from, to, around: 0 });
    }

    fn bind(&mut self, name: Option<Symbol>, at: u32, from: u32, to: u32) {
        self.layout.binders.push(Binder { name, at, from, to });
    }

    /// What has declarations or rules in it. That of a `local` is read with the sequence in which that stands.
    fn node(&mut self, node: Node) {
        let ast = self.ast;
        match node {
            Node::Exp(exp) => match &ast[exp].kind {
                ExpKind::Let { decs, .. } => self.sequence(decs, ast[exp].span.hi),
                ExpKind::Handle { rules, .. } | ExpKind::Case { rules, .. } | ExpKind::Fn(rules) => {
                    for rule in rules {
                        self.rule(&[rule.pat], ast[rule.exp].span.hi.max(rule.span.hi));
                    }
                }
                _ => {}
            },
            Node::StrExp(body) => match &ast[body].kind {
                StrExpKind::Struct(decs)
                | StrExpKind::Let { decs, .. }
                | StrExpKind::App { arg: FunctorArg::Decs(decs), .. } => self.sequence(decs, ast[body].span.hi),
                _ => {}
            },
            Node::Dec(dec) => match &ast[dec].kind {
                DecKind::Fun { binds, .. } => {
                    for clause in binds.iter().flat_map(|bind| &bind.clauses) {
                        self.rule(&clause.args, ast[clause.body].span.hi.max(clause.span.hi));
                    }
                }
                DecKind::Functor(binds) => {
                    for bind in binds {
                        self.functor(&bind.param, bind.body);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn rule(&mut self, pats: &[PatId], to: u32) {
        let from = pats.iter().map(|&pat| self.ast[pat].span.hi).max().unwrap_or(to);
        let mut any = false;
        for &pat in pats {
            any |= self.pattern(pat, from, to);
        }
        if any {
            self.stretch(from, to);
        }
    }

    /// The parameter of a functor is in force in its body.
    fn functor(&mut self, param: &FunctorParam, mut body: StrExpId) {
        while let StrExpKind::Ascribe { body: inner, .. } = &self.ast[body].kind {
            body = *inner;
        }
        let word = match &self.ast[body].kind {
            StrExpKind::Struct(_) => "struct",
            StrExpKind::Let { .. } => "let",
            _ => return,
        };
        let span = self.ast[body].span;
        if !self.text.get(span.lo as usize..).is_some_and(|rest| rest.starts_with(word)) {
            return;
        }
        let from = span.lo + word.len() as u32;
        self.stretch(from, span.hi);
        if let FunctorParam::Specs(_) = param {
            self.bind(None, span.lo, from, span.hi);
        }
    }

    /// Declarations one after the other, in force up to this place.
    fn sequence(&mut self, decs: &[DecId], to: u32) {
        // A `local` has others in it.
        let mut waiting: Vec<(DecId, u32)> = decs.iter().map(|&dec| (dec, to)).collect();
        while let Some((dec, to)) = waiting.pop() {
            let span = self.ast[dec].span;
            if self.declaration(dec, to, &mut waiting) {
                self.stretch(span.hi, to);
            }
        }
    }

    /// What a declaration binds; whether that may change what an expression means.
    fn declaration(&mut self, dec: DecId, to: u32, waiting: &mut Vec<(DecId, u32)>) -> bool {
        let ast = self.ast;
        let span = ast[dec].span;
        match &ast[dec].kind {
            DecKind::Val { binds, .. } => {
                let mut any = false;
                for bind in binds {
                    let from = if bind.rec { span.lo } else { span.hi };
                    any |= self.pattern(bind.pat, from, to);
                }
                any
            }
            DecKind::Fun { binds, .. } => {
                for bind in binds {
                    self.bind(Some(bind.name.symbol), bind.name.span.lo, span.lo, to);
                }
                true
            }
            DecKind::Datatype { datbinds, .. } => {
                for con in datbinds.iter().flat_map(|datbind| &datbind.cons) {
                    self.bind(Some(con.name.symbol), con.name.span.lo, span.hi, to);
                }
                true
            }
            DecKind::Abstype { datbinds, decs, .. } => {
                let from = decs.first().map_or(span.hi, |&first| ast[first].span.lo);
                for con in datbinds.iter().flat_map(|datbind| &datbind.cons) {
                    self.bind(Some(con.name.symbol), con.name.span.lo, from, span.hi);
                }
                self.hidden(&[], decs, span.hi, to, waiting);
                true
            }
            DecKind::Exception(binds) => {
                for bind in binds {
                    self.bind(Some(bind.name.symbol), bind.name.span.lo, span.hi, to);
                }
                true
            }
            DecKind::Local { decs, body } => {
                self.hidden(decs, body, span.hi, to, waiting);
                true
            }
            DecKind::Open(_) | DecKind::Replication { .. } => {
                self.bind(None, span.lo, span.hi, to);
                true
            }
            DecKind::Exp(_) => {
                self.bind(Some(Symbol::intern("it")), span.lo, span.hi, to);
                true
            }
            DecKind::Type(_) | DecKind::Fixity { .. } | DecKind::Structure(_) => true,
            DecKind::Signature(_) | DecKind::Functor(_) | DecKind::Error => false,
        }
    }

    /// Declarations in others, up to their `end`: some for these only, and some that stay in force behind it.
    fn hidden(&mut self, own: &[DecId], body: &[DecId], end: u32, to: u32, waiting: &mut Vec<(DecId, u32)>) {
        waiting.extend(own.iter().map(|&dec| (dec, end)));
        for &dec in body {
            // What it binds is in force up to `to`, but an expression is put behind the `end`, or before it.
            if self.declaration(dec, to, waiting) {
                self.stretch(self.ast[dec].span.hi, end);
            }
        }
    }

    /// The names of a pattern, constructors among them; whether there are any.
    fn pattern(&mut self, pat: PatId, from: u32, to: u32) -> bool {
        let mut any = false;
        let mut nodes = vec![Node::Pat(pat)];
        while let Some(node) = nodes.pop() {
            let name = match node {
                Node::Pat(pat) => match &self.ast[pat].kind {
                    PatKind::Id { id, .. } => id.as_short(),
                    PatKind::Layered { name, .. } => Some(*name),
                    _ => None,
                },
                _ => continue,
            };
            if let Some(name) = name {
                any = true;
                // `op x` is written with its word.
                let lo = name.span.hi.saturating_sub(name.symbol.as_str().len() as u32);
                self.bind(Some(name.symbol), lo, from, to);
            }
            self.ast.children(node, &mut |child| nodes.push(child));
        }
        any
    }
}
