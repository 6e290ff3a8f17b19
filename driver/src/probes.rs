//! Core -> Core with probes, for `leat debug`: a call before each expression at which a program may be stopped, and for
//! each place where variables are bound a function that describes them.
//!
//! ```text
//! fun f x = let val y = g x in h y end        becomes
//!
//! fun f x = let fun debug'scope.1 0 = describe x | debug'scope.1 n = debug'scope.0 (n - 1)
//!               val _ = keep debug'scope.1
//!               val y = (probe 1; case g x of r => (keep debug'scope.1; r))
//!               fun debug'scope.2 0 = describe y | debug'scope.2 n = debug'scope.1 (n - 1)
//!               val _ = keep debug'scope.2
//!           in probe 2; h y end
//! ```
//!
//! `probe n` is `if debug_probe n then (Debugger'.stop n; debug_go (); debug_keep debug'scope.1) else ()`. A scope is made
//! once for each time that its variables are bound, whatever it describes: an expression that is evaluated in a frame
//! becomes a further entry of the frame's scope, and the run stays the same. Such expressions are inserted into the
//! text before it is read, as declarations `fun debug'N () = EXPRESSION`, which are taken out again here. So a scope
//! belongs to a stretch of the text ([`layout`]): one is made wherever a name has come or gone, also that of a
//! function, a constructor, a type or an operator. Why it is so: docs/internals/decisions/023-debugger.md.
//!
//! Keeps: types, effects and their order, tail calls but for those of `Expect`.

use std::collections::HashMap;
use std::sync::Arc;

use leat_abi::prim::Prim;
use leat_ast::TokenKind;
use leat_base::{FileId, SourceMap, Span, Symbol};
use leat_elab::Tables;
use leat_elab::builtin::ty;
use leat_elab::ir::{
    Const, Dec, DecKind, Exp, ExpKind, Fun, Pat, PatKind, Rule, Ty, TyData, TyName, TyVar, Var, VarInfo,
};

mod layout;
use layout::{Layout, start};

/// What the function of a scope is called, before its number.
const SCOPE: &str = "debug'scope.";

/// What the functions of inserted expressions are called, before their number.
const ENTRY: &str = "debug'";

/// How names of files of the library begin.
const LIBRARY: &str = "$(SML_LIB)";

/// The file of what tests expect.
const EXPECTATIONS: &str = "$(SML_LIB)/leat-test/expect.sml";

/// Where a program may be stopped.
#[derive(Clone, Debug)]
pub struct Site {
    pub file: String,
    /// From 1.
    pub line: u32,
    pub column: u32,
    pub scope: u32,
    /// The first one of a function's body.
    pub is_entry: bool,
    /// The function that it stands in; empty at top level.
    pub function: String,
}

/// A variable of a scope.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    /// An inserted expression of this number, not a variable.
    pub inserted: Option<u32>,
    /// An `open` behind it may have brought another one of its name.
    pub is_doubtful: bool,
}

/// The variables that are bound in one place.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its number is smaller.
    pub around: Option<u32>,
    /// By entry.
    pub variables: Vec<Variable>,
    /// Names that are no variables any more: those of functions and of constructors.
    pub hides: Vec<String>,
    /// Variables of the scopes around may be hidden by what an `open` has brought.
    pub opens: bool,
    /// Outside of functions.
    pub is_global: bool,
    /// The function that it stands in; empty at top level.
    pub function: String,
    /// Where an expression is inserted.
    pub at: InsertPoint,
}

/// Where an expression can be inserted into a text, so that it sees the variables of a scope.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InsertPoint {
    pub file: String,
    /// Bytes of the text as it is on disk: an expression, or the empty place behind a declaration.
    pub start: u32,
    pub end: u32,
}

/// An expression that is evaluated in a scope when somebody asks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Inserted {
    pub at: InsertPoint,
    pub number: u32,
    pub text: String,
}

/// What is known of a program's probes.
#[derive(Default, Debug)]
pub struct Probes {
    pub sites: Vec<Site>,
    pub scopes: Vec<Scope>,
    pub inserted: Vec<Inserted>,
    /// What was inserted into each file: where, in the text as it became, and how many bytes.
    shifts: HashMap<String, Vec<(u32, u32)>>,
    /// The text of each file without what was inserted; not those of the library.
    pub texts: HashMap<String, String>,
    /// Texts that stand for those on disk.
    kept: HashMap<String, String>,
    layouts: HashMap<FileId, Arc<Layout>>,
    /// That of each scope.
    stretches: Vec<Option<(FileId, usize)>>,
    /// The top level of each file so far.
    tops: HashMap<FileId, Levels>,
}

/// Declarations one after the other: the scopes of those stretches that have not ended, the innermost last, and what
/// was bound.
#[derive(Default, Debug)]
struct Levels {
    levels: Vec<Level>,
    bound: Vec<Bound>,
    /// Inserted expressions of the scope that is made next.
    entries: Vec<(u32, Dec)>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    scope: u32,
    /// The scope's function.
    var: Var,
    stretch: usize,
    /// How many variables were bound before it was made.
    bound: usize,
}

impl Probes {
    pub fn new(inserted: Vec<Inserted>) -> Probes {
        Probes { inserted, ..Probes::default() }
    }

    /// These files have these texts, whatever is on disk.
    pub fn keep(&mut self, texts: HashMap<String, String>) {
        self.kept = texts;
    }

    /// A file's text with what is to be evaluated in it, if it is another one than on disk. No line becomes two.
    pub(crate) fn insert(&mut self, file: &str, text: &str) -> Option<String> {
        if file.starts_with(LIBRARY) {
            return None;
        }
        let kept = self.kept.get(file).cloned();
        let original = kept.as_deref().unwrap_or(text).to_string();
        let inserted = self.with_inserted(file, &original);
        self.texts.insert(file.to_string(), original);
        inserted.or(kept)
    }

    fn with_inserted(&mut self, file: &str, text: &str) -> Option<String> {
        let mut places: Vec<&InsertPoint> = self.inserted.iter().map(|i| &i.at).filter(|at| at.file == file).collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return None;
        }
        let tokens = leat_ast::tokens(text, &leat_ast::ParseOptions::default());
        // By place; at one place what ends there stands before what begins there, and the wider expression begins
        // first.
        let mut pieces: Vec<(u32, u8, u32, String)> = Vec::new();
        for at in places {
            let declared: Vec<String> = self.inserted.iter().filter(|i| i.at == *at).map(declaration).collect();
            let declared = declared.join(" ");
            if at.start == at.end {
                // The first declaration may be an expression.
                let end = if at.start == start(text) { ";" } else { "" };
                pieces.push((at.start, 1, 0, format!(" {declared}{end} ")));
            } else {
                let (from, to) = whole(&tokens, at.start, at.end);
                pieces.push((from, 2, u32::MAX - to, format!("(let {declared} in ")));
                pieces.push((to, 0, u32::MAX - from, " end)".to_string()));
            }
        }
        pieces.sort();
        let (mut out, mut from) = (String::with_capacity(text.len() + 64), 0);
        let shifts = self.shifts.entry(file.to_string()).or_default();
        for (at, _, _, piece) in pieces {
            let before = text.get(from..at as usize)?;
            out.push_str(before);
            shifts.push((out.len() as u32, piece.len() as u32));
            out.push_str(&piece);
            from = at as usize;
        }
        out.push_str(text.get(from..)?);
        Some(out)
    }

    /// A place of the text as it is on disk. `end`: what was inserted there is behind it.
    fn original(&self, file: &str, at: u32) -> u32 {
        let before = self.shifts.get(file).into_iter().flatten().take_while(|shift| shift.0 < at);
        at - before.map(|&(from, len)| len.min(at - from)).sum::<u32>()
    }

    /// The column, from 1, that a place has on disk, if something was inserted into the file. It counts characters.
    fn original_column(&self, file: &str, line_start: u32, at: u32) -> Option<u32> {
        self.shifts.get(file).filter(|shifts| !shifts.is_empty())?;
        let place = |at: u32| self.original(file, at) as usize;
        let before = self.texts.get(file)?.get(place(line_start)..place(at))?;
        Some(1 + before.chars().count() as u32)
    }

    fn place(&self, sources: &SourceMap, span: Span) -> InsertPoint {
        let file = sources.get(span.file).map_or("", |file| &*file.name);
        InsertPoint { file: file.to_string(), start: self.original(file, span.lo), end: self.original(file, span.hi) }
    }

    /// What is in force where in a file.
    fn layout(&mut self, sources: &SourceMap, file: FileId) -> Arc<Layout> {
        if let Some(known) = self.layouts.get(&file) {
            return known.clone();
        }
        let name = sources.get(file).map_or("", |file| &*file.name);
        let layout = Arc::new(Layout::new(self.texts.get(name).map_or("", |text| text)));
        self.layouts.insert(file, layout.clone());
        layout
    }
}

/// An expression with all parentheses that begin or end in it: those around its first or last operand are none of it.
fn whole(tokens: &[leat_ast::Token], from: u32, to: u32) -> (u32, u32) {
    let first = tokens.partition_point(|token| token.lo < from);
    let behind = tokens.partition_point(|token| token.lo < to);
    let (mut opened, mut closed) = (0, 0);
    for token in &tokens[first..behind] {
        match token.kind {
            TokenKind::LParen => opened += 1,
            TokenKind::RParen if opened > 0 => opened -= 1,
            TokenKind::RParen => closed += 1,
            _ => {}
        }
    }
    let before = tokens[..first].iter().rev().take(closed).take_while(|token| token.kind == TokenKind::LParen);
    let after = tokens[behind..].iter().take(opened).take_while(|token| token.kind == TokenKind::RParen);
    (before.last().map_or(from, |token| token.lo), after.last().map_or(to, |token| token.hi))
}

/// What the parser calls the end of a text.
const END: &str = "the end of the file";

/// Why a text is no expression between parentheses, whatever is bound: it closes them itself, it ends too early, or a
/// comment in it does not end. Others the compiler tells of.
pub fn check(text: &str) -> Result<(), String> {
    let options = leat_ast::ParseOptions::default();
    let mut depth = 0;
    for token in leat_ast::tokens(text, &options) {
        match token.kind {
            TokenKind::LParen => depth += 1,
            TokenKind::RParen if depth == 0 => return Err("`)` closes nothing".to_string()),
            TokenKind::RParen => depth -= 1,
            _ => {}
        }
    }
    let (_, errors) = leat_ast::parse(FileId::NONE, text, &options, &mut leat_ast::FixityEnv::basis());
    // Behind a text that ends too early the compiler would find our own parenthesis.
    let is_own = |message: &str| message.ends_with(END);
    match errors.into_iter().find(|error| error.code == "syntax/comment" || is_own(&error.message)) {
        Some(error) => Err(error.message.replace(END, "the end of the expression")),
        None => Ok(()),
    }
}

fn declaration(inserted: &Inserted) -> String {
    let text: String = inserted.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("fun {ENTRY}{} () = ({text})", inserted.number)
}

/// Puts probes into the declarations of a unit, where `is_own` says that the file is the user's.
pub(crate) fn instrument(
    decs: Vec<Dec>,
    probes: &mut Probes,
    tables: &mut Tables,
    sources: &SourceMap,
    library: (Var, TyName),
    is_own: &dyn Fn(&str) -> bool,
) -> Vec<Dec> {
    let known = Known::new(tables, library);
    let mut prober = Prober { probes, tables, sources, known, is_own, functions: Vec::new() };
    let mut out = Vec::with_capacity(decs.len() * 2);
    for dec in decs {
        prober.top_dec(dec, &mut out);
    }
    out
}

/// What probes mention of the library.
#[derive(Clone, Copy)]
struct Known {
    /// `Debugger'.stop`
    stop: Var,
    shape: TyName,
    /// `shape`, and `int -> shape`.
    shape_ty: Ty,
    scope_ty: Ty,
}

impl Known {
    fn new(tables: &mut Tables, (stop, shape): (Var, TyName)) -> Known {
        let shape_ty = tables.intern(TyData::Con(shape, Vec::new()));
        let scope_ty = tables.intern(TyData::Arrow(ty::INT, shape_ty));
        Known { stop, shape, shape_ty, scope_ty }
    }
}

/// A variable that a scope is to describe, with what its type variables stand for.
#[derive(Clone, Debug)]
struct Bound {
    var: Var,
    tyvars: Vec<TyVar>,
}

/// What has come into force since the scope around.
#[derive(Default)]
struct Steps {
    /// Variables, the last one first, and whether an `open` behind them may hide them.
    bound: Vec<(Bound, bool)>,
    hides: Vec<String>,
    opens: bool,
    /// The stretch of the file where all of that is in force.
    stretch: Option<(FileId, usize)>,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Here {
    scope: u32,
    /// The scope's function.
    var: Var,
    /// Nothing of the function is done behind it.
    is_tail: bool,
    /// The line of the last probe around.
    line: u32,
    /// It begins a function's body.
    is_entry: bool,
}

struct Prober<'p> {
    probes: &'p mut Probes,
    tables: &'p mut Tables,
    sources: &'p SourceMap,
    known: Known,
    is_own: &'p dyn Fn(&str) -> bool,
    /// Names of the functions around, outermost first.
    functions: Vec<String>,
}

impl Prober<'_> {
    // -- declarations

    fn top_dec(&mut self, dec: Dec, out: &mut Vec<Dec>) {
        let span = dec.span;
        let file = self.sources.get(span.file).map(|file| file.name.to_string());
        if !file.is_some_and(|name| (self.is_own)(&name)) {
            out.push(dec);
            return;
        }
        let mut top = self.probes.tops.remove(&span.file).unwrap_or_default();
        self.declaration(dec, &mut top, None, out);
        self.probes.tops.insert(span.file, top);
    }

    /// A declaration of a sequence. `around`: where that stands in a function.
    fn declaration(&mut self, dec: Dec, levels: &mut Levels, around: Option<Here>, out: &mut Vec<Dec>) {
        if let Some(entry) = self.entry(&dec) {
            levels.entries.push((entry, dec));
            return;
        }
        let span = dec.span;
        match dec.kind {
            DecKind::Val { tyvars, pat, exp } => {
                let place = if exp.span.is_none() { span } else { exp.span };
                // What is in a function has scopes of its own.
                let is_own = !matches!(exp.kind, ExpKind::Fn(_));
                let (scope, var) = self.come_to(levels, place, is_own, around.is_none(), out);
                let (line, is_entry) = around.map_or((0, false), |around| (around.line, around.is_entry));
                let here = Here { scope, var, is_tail: false, line, is_entry };
                let exp = self.right_side(&tyvars, exp, here);
                levels.bound.extend(self.bound(&pat, &tyvars).into_iter().rev());
                out.push(Dec { kind: DecKind::Val { tyvars, pat, exp }, span });
            }
            DecKind::Fun { tyvars, funs } => {
                let (scope, var) = self.come_to(levels, span, false, around.is_none(), out);
                let line = around.map_or(0, |around| around.line);
                let here = Here { scope, var, is_tail: false, line, is_entry: false };
                let funs = funs.into_iter().map(|fun| self.fun(fun, here)).collect();
                out.push(Dec { kind: DecKind::Fun { tyvars, funs }, span });
            }
            kind => out.push(Dec { kind, span }),
        }
    }

    /// The scope of a place among declarations. `is_own`: expressions are inserted there, so a scope of a wider stretch
    /// that has the same variables is not enough.
    fn come_to(
        &mut self,
        levels: &mut Levels,
        place: Span,
        is_own: bool,
        is_global: bool,
        out: &mut Vec<Dec>,
    ) -> (u32, Var) {
        let layout = self.probes.layout(self.sources, place.file);
        let name = self.sources.get(place.file).map_or(String::new(), |file| file.name.to_string());
        let at = self.probes.original(&name, place.lo);
        let outermost = usize::from(!is_global);
        while levels.levels.len() > outermost
            && levels.levels.last().is_some_and(|level| !layout.contains(level.stretch, at))
        {
            levels.levels.pop();
        }
        let stretch = layout.stretch(at);
        let around = levels.levels.last().copied();
        let fresh = &levels.bound[around.map_or(0, |around| around.bound)..];
        let steps = self.steps(fresh, &layout, around.map(|around| around.stretch), (place.file, stretch), &name);
        if let Some(level) = around
            && (level.stretch == stretch || !is_own && steps.bound.is_empty())
        {
            return (level.scope, level.var);
        }
        let begin = layout.begin(stretch).max(self.probes.texts.get(&name).map_or(0, |text| start(text)));
        let at = InsertPoint { file: name, start: begin, end: begin };
        let entries = std::mem::take(&mut levels.entries);
        let around = around.map(|level| (level.scope, level.var));
        let (scope, var) = self.new_scope(around, steps, entries, is_global, at, out);
        levels.levels.push(Level { scope, var, stretch, bound: levels.bound.len() });
        (scope, var)
    }

    /// What has come into force between a stretch around and this one. `fresh`: what was bound meanwhile.
    fn steps(
        &self,
        fresh: &[Bound],
        layout: &Layout,
        around: Option<usize>,
        stretch: (FileId, usize),
        file: &str,
    ) -> Steps {
        let mut steps = Steps { stretch: Some(stretch), ..Steps::default() };
        // A functor that is applied twice binds its variables twice: the last ones are meant.
        let at = |bound: &Bound| self.probes.original(file, self.tables.vars[bound.var].span.lo);
        let by_place: HashMap<u32, &Bound> = fresh.iter().map(|bound| (at(bound), bound)).collect();
        let mut names: Vec<Symbol> = Vec::new();
        for binder in layout.between(around, stretch.1) {
            let Some(name) = binder.name else {
                steps.opens = true;
                steps.bound.iter_mut().for_each(|(_, is_doubtful)| *is_doubtful = true);
                continue;
            };
            steps.bound.retain(|(bound, _)| self.tables.vars[bound.var].name != name);
            match by_place.get(&binder.at) {
                Some(bound) => {
                    steps.bound.push(((*bound).clone(), false));
                    names.retain(|known| *known != name);
                }
                None => names.push(name),
            }
        }
        if !layout.is_whole {
            let known: Vec<Var> = steps.bound.iter().map(|(bound, _)| bound.var).collect();
            let others = fresh.iter().filter(|bound| !known.contains(&bound.var));
            steps.bound.extend(others.map(|bound| (bound.clone(), false)));
        }
        // The last one that is bound is shown first.
        steps.bound.reverse();
        steps.hides = names.into_iter().map(|name| name.to_string()).collect();
        steps
    }

    fn fun(&mut self, fun: Fun, here: Here) -> Fun {
        self.functions.push(self.tables.vars[fun.var].path.to_string());
        let exp = self.function(fun.exp, here, Vec::new());
        self.functions.pop();
        Fun { exp, ..fun }
    }

    /// The right side of a `val`. A polymorphic one must stay a value.
    fn right_side(&mut self, tyvars: &[TyVar], exp: Exp, here: Here) -> Exp {
        match exp.kind {
            ExpKind::Fn(_) => self.function(exp, here, Vec::new()),
            _ if tyvars.is_empty() => self.stop_at(exp, here),
            _ => exp,
        }
    }

    /// Declarations of a `let`, and what is behind them.
    fn let_in(&mut self, decs: Vec<Dec>, body: Exp, mut here: Here, ty: Ty, span: Span) -> Exp {
        let mut out = Vec::with_capacity(decs.len() * 2);
        let mut levels = Levels::default();
        levels.levels.push(Level { scope: here.scope, var: here.var, stretch: self.stretch(span), bound: 0 });
        for dec in decs {
            let is_val = matches!(dec.kind, DecKind::Val { .. });
            self.declaration(dec, &mut levels, Some(here), &mut out);
            here.is_entry &= !is_val;
        }
        let place = if body.span.is_none() { Span { lo: span.hi.saturating_sub(1), ..span } } else { body.span };
        let (scope, var) = self.come_to(&mut levels, place, true, false, &mut out);
        let body = self.stop_at(body, Here { scope, var, ..here });
        Exp { kind: ExpKind::Let(out, Box::new(body)), ty, span }
    }

    /// The stretch of the text to which a place belongs.
    fn stretch(&mut self, span: Span) -> usize {
        let name = self.sources.get(span.file).map_or("", |file| &*file.name);
        let at = self.probes.original(name, span.lo);
        self.probes.layout(self.sources, span.file).stretch(at)
    }

    // -- scopes

    /// The number of the inserted expression that a declaration is.
    fn entry(&self, dec: &Dec) -> Option<u32> {
        let DecKind::Fun { funs, .. } = &dec.kind else { return None };
        self.tables.vars[funs[0].var].name.as_str().strip_prefix(ENTRY)?.parse().ok()
    }

    /// A scope at whose begin an expression stands, a body of a function or of a rule; with that, without what was
    /// inserted before it.
    fn scope(&mut self, here: Here, bound: &[Bound], exp: Exp, span: Span, out: &mut Vec<Dec>) -> (Here, Exp) {
        let (entries, exp) = self.take_entries(exp);
        let at = if exp.span.is_none() { span } else { exp.span };
        let layout = self.probes.layout(self.sources, at.file);
        let name = self.sources.get(at.file).map_or(String::new(), |file| file.name.to_string());
        let stretch = layout.stretch(self.probes.original(&name, at.lo));
        let around = self.probes.stretches[here.scope as usize].filter(|around| around.0 == at.file);
        let steps = self.steps(bound, &layout, around.map(|around| around.1), (at.file, stretch), &name);
        let at = self.probes.place(self.sources, at);
        let (scope, var) = self.new_scope(Some((here.scope, here.var)), steps, entries, false, at, out);
        (Here { scope, var, is_tail: true, line: 0, is_entry: false }, exp)
    }

    fn take_entries(&mut self, mut exp: Exp) -> (Vec<(u32, Dec)>, Exp) {
        let mut entries = Vec::new();
        if let ExpKind::Let(decs, body) = exp.kind {
            let mut decs = decs.into_iter().peekable();
            while let Some(entry) = decs.peek().and_then(|dec| self.entry(dec)) {
                entries.push((entry, decs.next().expect("it was looked at")));
            }
            let rest: Vec<Dec> = decs.collect();
            if rest.is_empty() && !entries.is_empty() {
                return (entries, *body);
            }
            exp.kind = ExpKind::Let(rest, body);
        }
        (entries, exp)
    }

    /// The declaration of a scope.
    fn new_scope(
        &mut self,
        around: Option<(u32, Var)>,
        steps: Steps,
        entries: Vec<(u32, Dec)>,
        is_global: bool,
        at: InsertPoint,
        out: &mut Vec<Dec>,
    ) -> (u32, Var) {
        let number = self.probes.scopes.len() as u32;
        self.probes.stretches.push(steps.stretch);
        self.probes.scopes.push(Scope {
            around: around.map(|a| a.0),
            variables: Vec::new(),
            hides: steps.hides,
            opens: steps.opens,
            is_global,
            function: self.functions.last().cloned().unwrap_or_default(),
            at,
        });
        let Known { shape, shape_ty, scope_ty, .. } = self.known;
        let mut rules = Vec::new();
        let mut variables = Vec::new();
        for (Bound { var, tyvars }, is_doubtful) in &steps.bound {
            let info = &self.tables.vars[*var];
            let (name, ty) = (info.name.to_string(), info.ty);
            let units = vec![ty::UNIT; tyvars.len()];
            let at_ty = self.tables.substitute(ty, tyvars, &units);
            let value = exp(ExpKind::Var(*var, units), at_ty);
            let described = self.described(value);
            rules.push(rule(int_pat(rules.len() as i64), described));
            variables.push(Variable { name, ty, inserted: None, is_doubtful: *is_doubtful });
        }
        for (inserted, dec) in entries {
            let DecKind::Fun { tyvars, funs } = &dec.kind else { unreachable!("entries are functions") };
            let (var, ty) = (funs[0].var, self.tables.vars[funs[0].var].ty);
            let units = vec![ty::UNIT; tyvars.len()];
            let fn_ty = self.tables.substitute(ty, tyvars, &units);
            let TyData::Arrow(_, result) = self.tables.types[fn_ty] else { unreachable!("entries are functions") };
            let call = app(exp(ExpKind::Var(var, units), fn_ty), unit(), result);
            let described = self.described(call);
            let described = exp(ExpKind::Let(vec![dec], Box::new(described)), shape_ty);
            rules.push(rule(int_pat(rules.len() as i64), described));
            let ty = match self.tables.types[ty] {
                TyData::Arrow(_, result) => result,
                _ => result,
            };
            variables.push(Variable { name: String::new(), ty, inserted: Some(inserted), is_doubtful: false });
        }
        let n = self.fresh("n", ty::INT);
        let rest = match around {
            Some((_, around)) => {
                let index = match rules.len() {
                    0 => exp(ExpKind::Var(n, vec![]), ty::INT),
                    count => {
                        let pair = [exp(ExpKind::Var(n, vec![]), ty::INT), int(count as i64)];
                        let pair = self.tuple(pair);
                        self.prim_app(Prim::IntSub, pair, ty::INT)
                    }
                };
                app(exp(ExpKind::Var(around, vec![]), scope_ty), index, shape_ty)
            }
            None => {
                let other = self.tables.intern(TyData::Arrow(ty::STRING, shape_ty));
                let text = exp(ExpKind::Const(Const::String(Box::default())), ty::STRING);
                app(exp(ExpKind::Con(shape, 0, vec![]), other), text, shape_ty)
            }
        };
        rules.push(rule(pat(PatKind::Var(n), ty::INT), rest));
        self.probes.scopes[number as usize].variables = variables;
        let name = Symbol::intern(&format!("{SCOPE}{number}"));
        let var = self.tables.vars.push(VarInfo { name, path: name, ty: scope_ty, span: Span::NONE });
        let fun = Fun { var, exp: exp(ExpKind::Fn(rules), scope_ty), span: Span::NONE };
        out.push(Dec { kind: DecKind::Fun { tyvars: vec![], funs: vec![fun] }, span: Span::NONE });
        // One that captures nothing, as where all variables are constants, is held by no frame: the runtime notes it
        // here, before anything can stop in it.
        let (pat, exp) = (pat(PatKind::Wild, ty::UNIT), self.keep(var));
        out.push(Dec { kind: DecKind::Val { tyvars: vec![], pat, exp }, span: Span::NONE });
        (number, var)
    }

    fn described(&mut self, value: Exp) -> Exp {
        let shape = self.known.shape_ty;
        self.prim_app(Prim::Describe, value, shape)
    }

    /// The variables of a pattern that the program names: others are the elaborator's own.
    fn bound(&self, pat: &Pat, tyvars: &[TyVar]) -> Vec<Bound> {
        let mut vars = Vec::new();
        pat.variables(&mut vars);
        let named = |var: &Var| {
            let info = &self.tables.vars[*var];
            self.sources.text(info.span) == info.name.as_str()
        };
        // The last one that is bound is shown first.
        vars.into_iter().rev().filter(named).map(|var| Bound { var, tyvars: tyvars.to_vec() }).collect()
    }

    // -- expressions

    /// A function: the arguments of a curried one are in one scope.
    fn function(&mut self, mut f: Exp, here: Here, outer: Vec<Var>) -> Exp {
        let is_one = matches!(&f.kind, ExpKind::Fn(rules) if rules.len() == 1);
        let ExpKind::Fn(rules) = f.kind else { return self.sub(f, here) };
        let rules = rules.into_iter().map(|rule| {
            let mut bound = outer.clone();
            let vars = self.bound(&rule.pat, &[]);
            bound.splice(0..0, vars.into_iter().map(|bound| bound.var));
            let exp = if is_one { self.inside(rule.exp, here, bound) } else { self.body(rule.exp, here, bound) };
            Rule { pat: rule.pat, exp }
        });
        f.kind = ExpKind::Fn(rules.collect());
        f
    }

    /// What the one rule of a function gives: another function, the match of all arguments of a curried one, or the
    /// body.
    fn inside(&mut self, exp: Exp, here: Here, bound: Vec<Var>) -> Exp {
        match exp.kind {
            ExpKind::Fn(_) => self.function(exp, here, bound),
            ExpKind::Case(scrut, rules) if is_arguments(&scrut) && self.is_generated(&scrut) => {
                let rules = rules.into_iter().map(|rule| {
                    let mut bound = bound.clone();
                    bound.splice(0..0, self.bound(&rule.pat, &[]).into_iter().map(|bound| bound.var));
                    Rule { exp: self.body(rule.exp, here, bound), pat: rule.pat }
                });
                Exp { kind: ExpKind::Case(scrut, rules.collect()), ..exp }
            }
            _ => self.body(exp, here, bound),
        }
    }

    fn is_generated(&self, arguments: &Exp) -> bool {
        let ExpKind::Record(fields) = &arguments.kind else { return false };
        fields.iter().all(|(_, field)| match &field.kind {
            ExpKind::Var(var, _) => {
                let info = &self.tables.vars[*var];
                self.sources.text(info.span) != info.name.as_str()
            }
            _ => false,
        })
    }

    fn body(&mut self, body: Exp, here: Here, bound: Vec<Var>) -> Exp {
        let bound: Vec<Bound> = bound.into_iter().map(|var| Bound { var, tyvars: vec![] }).collect();
        let (ty, span) = (body.ty, body.span);
        let mut decs = Vec::new();
        let (inner, body) = self.scope(here, &bound, body, span, &mut decs);
        let body = self.stop_at(body, Here { is_entry: true, ..inner });
        // It stays a function of its own, with a frame: steps are told apart by frames.
        let own = self.prim_app(Prim::NoInline, unit(), ty::UNIT);
        decs.insert(
            0,
            Dec {
                kind: DecKind::Val { tyvars: vec![], pat: pat(PatKind::Wild, ty::UNIT), exp: own },
                span: Span::NONE,
            },
        );
        Exp { kind: ExpKind::Let(decs, Box::new(body)), ty, span }
    }

    /// Rules of `case` and `handle`.
    fn rules(&mut self, rules: Vec<Rule>, here: Here) -> Vec<Rule> {
        let rules = rules.into_iter().map(|rule| {
            let bound = self.bound(&rule.pat, &[]);
            if bound.is_empty() {
                return Rule { exp: self.stop_at(rule.exp, here), pat: rule.pat };
            }
            let (ty, span) = (rule.exp.ty, rule.exp.span);
            let mut decs = Vec::new();
            let (inner, body) = self.scope(here, &bound, rule.exp, span, &mut decs);
            let body = self.stop_at(body, Here { scope: inner.scope, var: inner.var, ..here });
            Rule { pat: rule.pat, exp: Exp { kind: ExpKind::Let(decs, Box::new(body)), ty, span } }
        });
        rules.collect()
    }

    fn line(&self, exp: &Exp) -> u32 {
        self.sources.get(exp.span.file).map_or(0, |file| file.line_of(exp.span.lo))
    }

    /// An expression that a program may be stopped at: a body, a branch, a part of a sequence.
    fn stop_at(&mut self, exp: Exp, here: Here) -> Exp {
        let Exp { kind, ty, span } = exp;
        let inner = Here { is_entry: false, ..here };
        match kind {
            // What is done first in these is stopped at.
            ExpKind::Let(decs, body) => self.let_in(decs, *body, here, ty, span),
            ExpKind::Seq(exps) => {
                let last = exps.len() - 1;
                let parts = exps.into_iter().enumerate().map(|(i, exp)| {
                    let is_tail = here.is_tail && i == last;
                    self.stop_at(exp, Here { is_tail, is_entry: here.is_entry && i == 0, ..here })
                });
                Exp { kind: ExpKind::Seq(parts.collect()), ty, span }
            }
            ExpKind::Handle(body, rules) => {
                let body = self.stop_at(*body, Here { is_tail: false, ..here });
                let rules = self.rules(rules, inner);
                Exp { kind: ExpKind::Handle(Box::new(body), rules), ty, span }
            }
            kind => {
                let exp = Exp { kind, ty, span };
                let line = self.line(&exp);
                if line == 0 || !here.is_entry && (line == here.line && is_atom(&exp)) {
                    return self.sub(exp, inner);
                }
                let probe = self.probe(&exp, here);
                let rest = self.parts(exp, Here { line, ..inner });
                sequence(probe, rest)
            }
        }
    }

    /// An operand: it is stopped at when it begins a line.
    fn sub(&mut self, exp: Exp, here: Here) -> Exp {
        let here = Here { is_entry: false, ..here };
        match exp.kind {
            ExpKind::Fn(_) => self.function(exp, here, Vec::new()),
            _ if !is_atom(&exp) && self.line(&exp) > here.line && here.line > 0 => self.stop_at(exp, here),
            _ => self.parts(exp, here),
        }
    }

    /// The parts of an expression that has its probe, or needs none.
    fn parts(&mut self, exp: Exp, here: Here) -> Exp {
        let Exp { kind, ty, span } = exp;
        let operand = Here { is_tail: false, ..here };
        let kind = match kind {
            ExpKind::Record(fields) => {
                ExpKind::Record(fields.into_iter().map(|(label, field)| (label, self.sub(field, operand))).collect())
            }
            ExpKind::Vector(exps) => ExpKind::Vector(exps.into_iter().map(|exp| self.sub(exp, operand)).collect()),
            ExpKind::List(exps) => ExpKind::List(exps.into_iter().map(|exp| self.sub(exp, operand)).collect()),
            ExpKind::App(f, arg) => {
                let calls = !matches!(
                    f.kind,
                    ExpKind::Con(..)
                        | ExpKind::ExnCon(_)
                        | ExpKind::RefCon(_)
                        | ExpKind::Selector(..)
                        | ExpKind::Prim(..)
                );
                let keeps = calls && (!here.is_tail || self.is_expectation(&f));
                let f = self.sub(*f, operand);
                let arg = self.sub(*arg, operand);
                let call = Exp { kind: ExpKind::App(Box::new(f), Box::new(arg)), ty, span };
                return if keeps { self.kept(call, here) } else { call };
            }
            ExpKind::Fn(_) => return self.function(Exp { kind, ty, span }, here, Vec::new()),
            ExpKind::Case(scrut, rules) => {
                let scrut = self.sub(*scrut, operand);
                ExpKind::Case(Box::new(scrut), self.rules(rules, here))
            }
            ExpKind::If(condition, yes, no) => {
                let condition = self.sub(*condition, operand);
                let (yes, no) = (self.stop_at(*yes, here), self.stop_at(*no, here));
                ExpKind::If(Box::new(condition), Box::new(yes), Box::new(no))
            }
            ExpKind::While(condition, body) => {
                let condition = self.stop_at(*condition, operand);
                ExpKind::While(Box::new(condition), Box::new(self.stop_at(*body, operand)))
            }
            ExpKind::Raise(packet) => ExpKind::Raise(Box::new(self.sub(*packet, operand))),
            // These find their own places.
            ExpKind::Let(..) | ExpKind::Seq(_) | ExpKind::Handle(..) => {
                return self.stop_at(Exp { kind, ty, span }, here);
            }
            kind @ (ExpKind::Const(_)
            | ExpKind::Var(..)
            | ExpKind::Con(..)
            | ExpKind::ExnCon(_)
            | ExpKind::RefCon(_)
            | ExpKind::Prim(..)
            | ExpKind::Overloaded(_)
            | ExpKind::Selector(..)) => kind,
        };
        Exp { kind, ty, span }
    }

    /// A call of `Expect.that` and its like. It leaves a frame of its caller in any case: what a test expects last is
    /// mostly in tail position, and a failure is told with its line.
    fn is_expectation(&self, f: &Exp) -> bool {
        match &f.kind {
            ExpKind::App(f, _) => self.is_expectation(f),
            ExpKind::Var(var, _) => {
                let file = self.sources.get(self.tables.vars[*var].span.file);
                file.is_some_and(|file| &*file.name == EXPECTATIONS)
            }
            _ => false,
        }
    }

    // -- what is put in

    /// A probe before `at`.
    fn probe(&mut self, at: &Exp, here: Here) -> Exp {
        let number = self.probes.sites.len();
        let (line, column) = self.sources.line_column(at.span).unwrap_or((0, 0));
        let file = self.sources.get(at.span.file).map_or("", |file| &*file.name);
        let start = self.sources.get(at.span.file).and_then(|file| file.line_start(line));
        let column = start.and_then(|start| self.probes.original_column(file, start, at.span.lo)).unwrap_or(column);
        self.probes.sites.push(Site {
            file: file.to_string(),
            line,
            column,
            scope: here.scope,
            is_entry: here.is_entry,
            function: self.functions.last().cloned().unwrap_or_default(),
        });
        let stops = self.prim_app(Prim::DebugProbe, int(number as i64), ty::BOOL);
        let stop_ty = self.tables.intern(TyData::Arrow(ty::INT, ty::UNIT));
        let stop = app(exp(ExpKind::Var(self.known.stop, vec![]), stop_ty), int(number as i64), ty::UNIT);
        let go = self.prim_app(Prim::DebugGo, unit(), ty::UNIT);
        let keep = self.keep(here.var);
        let look = exp(ExpKind::Seq(vec![stop, go, keep]), ty::UNIT);
        let mut probe = exp(ExpKind::If(Box::new(stops), Box::new(look), Box::new(unit())), ty::UNIT);
        at_span(&mut probe, at.span.start());
        probe
    }

    fn keep(&mut self, scope: Var) -> Exp {
        let scope = exp(ExpKind::Var(scope, vec![]), self.known.scope_ty);
        self.prim_app(Prim::DebugKeep, scope, ty::UNIT)
    }

    /// A call during which the frame holds its scope.
    fn kept(&mut self, call: Exp, here: Here) -> Exp {
        let (ty, span) = (call.ty, call.span);
        let result = self.fresh("_", ty);
        let keep = self.keep(here.var);
        let value = exp(ExpKind::Var(result, vec![]), ty);
        let rest = exp(ExpKind::Seq(vec![keep, value]), ty);
        let rules = vec![rule(pat(PatKind::Var(result), ty), rest)];
        Exp { kind: ExpKind::Case(Box::new(call), rules), ty, span }
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> Var {
        let name = Symbol::intern(name);
        self.tables.vars.push(VarInfo { name, path: name, ty, span: Span::NONE })
    }

    fn prim_app(&mut self, prim: Prim, arg: Exp, ty: Ty) -> Exp {
        let fn_ty = self.tables.intern(TyData::Arrow(arg.ty, ty));
        app(exp(ExpKind::Prim(prim, fn_ty), fn_ty), arg, ty)
    }

    fn tuple(&mut self, parts: [Exp; 2]) -> Exp {
        let fields: Vec<(Symbol, Exp)> =
            parts.into_iter().enumerate().map(|(i, part)| (Symbol::tuple_label(i + 1), part)).collect();
        let ty = self.tables.intern(TyData::Record(fields.iter().map(|(label, part)| (*label, part.ty)).collect()));
        exp(ExpKind::Record(fields), ty)
    }
}

fn exp(kind: ExpKind, ty: Ty) -> Exp {
    Exp { kind, ty, span: Span::NONE }
}

fn pat(kind: PatKind, ty: Ty) -> Pat {
    Pat { kind, ty, span: Span::NONE }
}

fn rule(pat: Pat, exp: Exp) -> Rule {
    Rule { pat, exp }
}

fn int(n: i64) -> Exp {
    exp(ExpKind::Const(Const::Int(n)), ty::INT)
}

fn int_pat(n: i64) -> Pat {
    pat(PatKind::Const(Const::Int(n)), ty::INT)
}

fn unit() -> Exp {
    exp(ExpKind::Record(vec![]), ty::UNIT)
}

fn app(f: Exp, arg: Exp, ty: Ty) -> Exp {
    exp(ExpKind::App(Box::new(f), Box::new(arg)), ty)
}

/// The calls of a probe stand at the line of what is behind it.
fn at_span(exp: &mut Exp, span: Span) {
    exp.span = span;
    match &mut exp.kind {
        ExpKind::If(a, b, c) => [a, b, c].into_iter().for_each(|exp| at_span(exp, span)),
        ExpKind::Seq(exps) => exps.iter_mut().for_each(|exp| at_span(exp, span)),
        ExpKind::App(f, arg) => [f, arg].into_iter().for_each(|exp| at_span(exp, span)),
        _ => {}
    }
}

fn sequence(first: Exp, rest: Exp) -> Exp {
    let (ty, span) = (rest.ty, rest.span);
    Exp { kind: ExpKind::Seq(vec![first, rest]), ty, span }
}

/// Nothing is done to evaluate it.
fn is_atom(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Const(_)
        | ExpKind::Var(..)
        | ExpKind::Con(..)
        | ExpKind::ExnCon(_)
        | ExpKind::RefCon(_)
        | ExpKind::Prim(..)
        | ExpKind::Overloaded(_)
        | ExpKind::Selector(..)
        | ExpKind::Fn(_) => true,
        ExpKind::Record(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A record of variables, as the elaborator makes of the arguments of a curried function.
fn is_arguments(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Record(fields) => fields.iter().all(|(_, field)| matches!(field.kind, ExpKind::Var(..))),
        _ => false,
    }
}
