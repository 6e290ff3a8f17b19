//! CM files -> the modules that they export, their sources elaborated on the way, in the order of their needs.
//!
//! After SML/NJ's compilation manager. Differences: a source sees all modules of the sources before it, not only those
//! that it names; sources that no export needs are elaborated too, for their effects; what a source declares infix at
//! its top level is infix in the sources that are listed after it.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use leat_ast::ParseOptions;
use leat_base::{Diagnostic, FileId, Span, Symbol};
use leat_elab::Basis;

use super::Loader;
use super::cm_parser::{Bind, Description, Export, Member, parse};
use super::places::SourcePlace;
use super::scope::{Fixities, ModuleKind, Scope, env_of, modules, only_modules, rename};
use super::settings::Settings;
use super::uses::{Read, uses};
use crate::stage::{Failure, Staged};
/// What every source sees without asking.
const PERVASIVE: &str = "cm/pervasive.mlb";

/// A source of a group.
struct Source {
    /// As the description names it.
    path: String,
    /// Where it is named.
    at: Span,
    file: FileId,
    /// What is infix where it begins.
    fixity: Fixities,
    read: Rc<Read>,
}

/// The sources of a group, in the order of the description.
struct Sources {
    all: Vec<Source>,
    /// By identity.
    numbers: HashMap<SourcePlace, usize>,
    declared: HashMap<(ModuleKind, Symbol), usize>,
    /// What is infix where the next one begins.
    fixity: Fixities,
}

/// Another description that a group imports, or that its exports name.
struct Import {
    path: String,
    /// Where it is named.
    at: Span,
    binds: Vec<Bind>,
    library: bool,
    basis: Basis,
}

impl Loader<'_> {
    /// What a file exports.
    pub(super) fn cm(&mut self, place: &SourcePlace, file: FileId) -> Result<Scope, Failure> {
        let text = self.session.sources.get(file).map_or("", |source| &*source.text);
        let (description, errors) = parse(file, text);
        self.session.refuse(&errors)?;
        if description.library {
            let identity = self.places.identity(place);
            self.done.cm_libraries.insert(identity);
        }
        if let Some((path, at)) = &description.alias {
            let other = self.cm_place(path, place, *at)?;
            let scope = self.description(&other, *at)?;
            if self.is_library(&other) {
                let identity = self.places.identity(place);
                self.done.cm_libraries.insert(identity);
            }
            return Ok(Scope::clone(&*scope));
        }
        let pervasive = Scope::clone(&*self.description(&SourcePlace::Shelf(PERVASIVE.to_string()), Span::NONE)?);

        let mut group = Sources {
            all: Vec::new(),
            numbers: HashMap::new(),
            declared: HashMap::new(),
            fixity: pervasive.fixity.clone(),
        };
        let mut imports = Vec::new();
        let absent = self.absent_members(&description.members, place);
        let around = std::mem::replace(&mut self.absent, absent);
        let result =
            description.members.iter().try_for_each(|member| self.cm_member(member, place, &mut group, &mut imports));
        self.absent = around;
        result?;
        let others = self.cm_others(description.exports.as_deref().unwrap_or_default(), place, &imports)?;
        let sources = group.all;
        let order = self.cm_order(&sources)?;

        let settings = Settings::with(&self.session.options.annotations);
        let mut scope = pervasive.clone();
        for import in &imports {
            scope.basis = scope.basis.plus(&import.basis);
        }
        let mut declared: BTreeMap<usize, Basis> = BTreeMap::new();
        for &i in &order {
            scope.fixity.clone_from(&sources[i].fixity);
            let added = self.source_text(sources[i].file, &scope, &settings)?;
            let added = only_modules(&added.basis);
            scope.basis = scope.basis.plus(&added);
            declared.insert(i, added);
        }
        let basis = self.cm_exports(&description, &scope, &sources, &declared, &imports, &others)?;
        Ok(Scope { basis, ..Scope::default() })
    }

    /// Where sources are named that are not there.
    fn absent_members(&self, members: &[Member], here: &SourcePlace) -> Vec<(Span, String)> {
        // A tool goes on behind them.
        if self.session.tooling.is_some() {
            return Vec::new();
        }
        let is_source = |path: &str| [".sml", ".sig", ".fun"].iter().any(|suffix| path.ends_with(suffix));
        let sources = members.iter().filter(|member| !member.path.starts_with('$') && is_source(&member.path));
        let places = sources.map(|member| (member.span, here.relative(&member.path)));
        places.filter(|(_, place)| !self.places.exists(place)).map(|(at, place)| (at, place.shown())).collect()
    }

    /// The file that a member names: `$/basis.cm` and the like are in a table, `$NAME/x.cm` asks the path variables.
    pub(super) fn cm_place(&mut self, path: &str, here: &SourcePlace, at: Span) -> Result<SourcePlace, Failure> {
        let table = self.places.anchors();
        let own = |wanted: &str| {
            let rows = table.lines().filter(|line| !line.starts_with('#'));
            rows.filter_map(|line| line.split_once(" = "))
                .find(|(names, _)| names.split_whitespace().any(|name| name.eq_ignore_ascii_case(wanted)))
                .map(|(_, file)| SourcePlace::Shelf(file.trim().to_string()))
        };
        // As .mlb files name them: `$(SML_LIB)/cml/abort.mlb`.
        if path.starts_with("$(") {
            return self.resolve(path, here, at);
        }
        if let Some(anchored) = path.strip_prefix('$') {
            // `$/x.cm` is short for `$x.cm/x.cm`.
            let (anchor, rest) = match anchored.strip_prefix('/') {
                Some(file) => (file.split('/').next().unwrap_or(file), file),
                None => anchored.split_once('/').unwrap_or((anchored, "")),
            };
            if let Some(folder) = self.bound(anchor) {
                return Ok(folder.join(rest));
            }
            if let Some(folder) = self.places.variable(anchor) {
                return Ok(here.relative(&format!("{folder}/{rest}")));
            }
            if anchored.is_empty() {
                let d = Diagnostic::error("unit/library", at, "there is no library `$`");
                let quoted = "a name with parentheses stands in quotation marks: `\"$(SML_LIB)/cml/abort.mlb\"`";
                return Err(self.failed(d.help(quoted)));
            }
            return own(path).ok_or_else(|| {
                let d = Diagnostic::error("unit/library", at, format!("there is no library `{path}`"));
                let known: Vec<&str> = table
                    .lines()
                    .filter(|line| !line.starts_with('#'))
                    .filter_map(|line| line.split_whitespace().next())
                    .collect();
                self.failed(
                    d.help(format!("there are: {}", known.join(", ")))
                        .help(format!("a library of your own: `--mlb-path-var='{anchor} FOLDER'`")),
                )
            });
        }
        let place = here.relative(path);
        // Old files name the libraries without `$/`.
        let is_old = path.ends_with(".cm") && !path.contains('/') && !self.places.exists(&place);
        Ok(if is_old { own(&format!("$/{path}")).unwrap_or(place) } else { place })
    }

    fn cm_member(
        &mut self,
        member: &Member,
        here: &SourcePlace,
        sources: &mut Sources,
        imports: &mut Vec<Import>,
    ) -> Result<(), Failure> {
        let place = self.cm_place(&member.path, here, member.span)?;
        let suffix = member.path.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        let class = match member.class.as_deref() {
            Some(
                "sml" | "cm" | "mlyacc" | "ml-yacc" | "mlyaccsml" | "mllex" | "ml-lex" | "ml-ulex" | "mlulex"
                | "ml-antlr" | "mlantlr",
            ) => member.class.as_deref().unwrap_or(""),
            Some("source" | "ml") => "sml",
            Some(other) => {
                let message = format!("members of class `{other}` are not supported");
                let d = Diagnostic::error("unit/class", member.span, message);
                return Err(self.failed(d.help("the classes are: sml, cm, mlyacc, mllex, ml-ulex, ml-antlr")));
            }
            None => match suffix {
                "sml" | "sig" | "fun" | "ml" | "ML" => "sml",
                "cm" | "mlb" => "cm",
                "grm" | "y" => "mlyacc",
                "lex" | "l" => "mllex",
                "ulex" => "ml-ulex",
                _ => {
                    let message = format!("what `{}` is cannot be told from its name", member.path);
                    let d = Diagnostic::error("unit/class", member.span, message);
                    return Err(self.failed(d.help("write its class after it: `file : sml`")));
                }
            },
        };
        match class {
            "sml" => self.cm_source(place, &member.path, member.span, sources),
            "cm" => {
                imports.push(self.cm_import(&place, &member.path, &member.binds, member.span, here)?);
                Ok(())
            }
            tool => {
                // What the tool makes stands beside its input.
                let made: &[&str] = match tool {
                    "mlyacc" | "ml-yacc" | "mlyaccsml" => &[".sig", ".sml"],
                    _ => &[".sml"],
                };
                for suffix in made {
                    let path = format!("{}{suffix}", member.path);
                    let place = here.relative(&path);
                    if !self.places.exists(&place) {
                        let name = match tool {
                            "mlyacc" | "ml-yacc" | "mlyaccsml" => "ml-yacc",
                            "mllex" | "ml-lex" => "ml-lex",
                            "ml-ulex" | "mlulex" => "ml-ulex",
                            _ => "ml-antlr",
                        };
                        let message = format!("`{path}` is missing: {name} makes it from `{}`", member.path);
                        let d = Diagnostic::error("unit/generated", member.span, message);
                        let from = match name {
                            "ml-yacc" | "ml-lex" => {
                                "it comes with SML/NJ and MLton (Debian: the packages `ml-lex`, `ml-yacc`, `mlton-tools`)"
                            }
                            _ => "it comes with SML/NJ (Debian: the package `ml-lpt`)",
                        };
                        return Err(self.failed(
                            d.help(format!("run `{name} {}` first", member.path))
                                .help(format!("`{name}` is not a part of Leat: {from}")),
                        ));
                    }
                    self.cm_source(place, &path, member.span, sources)?;
                }
                Ok(())
            }
        }
    }

    /// The description at `place`, which the one at `here` calls `path`.
    fn cm_import(
        &mut self,
        place: &SourcePlace,
        path: &str,
        binds: &[Bind],
        at: Span,
        here: &SourcePlace,
    ) -> Result<Import, Failure> {
        let mut folders = Vec::new();
        for Bind { anchor, value } in binds {
            folders.push((anchor.clone(), self.cm_place(value, here, at)?));
        }
        let basis = self.with_anchors(folders, |this| this.description(place, at))?.basis.clone();
        let library = self.is_library(place);
        Ok(Import { path: path.to_string(), at, binds: binds.to_vec(), library, basis })
    }

    /// Of a description that has been elaborated.
    fn is_library(&self, place: &SourcePlace) -> bool {
        matches!(place, SourcePlace::Shelf(_)) || self.done.cm_libraries.contains(&self.places.identity(place))
    }

    /// The descriptions that exports name and that are no members: they tell names, and declare nothing here.
    fn cm_others(
        &mut self,
        exports: &[Export],
        here: &SourcePlace,
        imports: &[Import],
    ) -> Result<Vec<Import>, Failure> {
        let mut others: Vec<Import> = Vec::new();
        for (path, binds, at) in named(exports) {
            if imports.iter().chain(&others).all(|import| !import.is(path, binds)) {
                let place = self.cm_place(path, here, at)?;
                others.push(self.cm_import(&place, path, binds, at, here)?);
            }
        }
        Ok(others)
    }

    fn cm_source(&mut self, place: SourcePlace, path: &str, at: Span, sources: &mut Sources) -> Result<(), Failure> {
        let file = self.read(&place, at)?;
        let read = self.cm_read(file, &sources.fixity)?;
        let number = sources.all.len();
        if let Some(other) = sources.numbers.insert(self.places.identity(&place), number) {
            let d = Diagnostic::error("unit/twice", at, format!("`{path}` is listed twice"));
            return Err(self.failed(d.label(sources.all[other].at, "it is listed here too")));
        }
        for (key, span) in &read.uses.declared {
            if let Some(other) = sources.declared.insert(*key, number) {
                let other = &sources.all[other];
                let message = format!("two sources of one group declare the {} `{}`", key.0.name(), key.1);
                let d = Diagnostic::error("unit/twice", *span, message);
                let before = other.read.uses.declared[key];
                return Err(self.failed(d.label(before, format!("`{}` declares it too", other.path))));
            }
        }
        let fixity = sources.fixity.clone();
        sources.fixity.extend(read.infixes.iter().copied());
        sources.all.push(Source { path: path.to_string(), at, file, fixity, read });
        Ok(())
    }

    /// What a source declares and needs, where this is infix.
    fn cm_read(&mut self, file: FileId, before: &Fixities) -> Result<Rc<Read>, Failure> {
        let known = self.session.tooling.as_ref().and_then(|tooling| tooling.read.get(&file));
        if let Some(known) = known.filter(|known| known.before == *before) {
            return Ok(known.clone());
        }
        let text = self.session.sources.get(file).map_or("", |source| &*source.text);
        let ((program, mut errors), infixes) =
            env_of(before).recording(|fixity| leat_ast::parse(file, text, &ParseOptions::default(), fixity));
        // A tool hears of them when the source is analysed.
        if self.session.tooling.is_none() {
            leat_ast::habits::advise(file, text, 0..text.len(), &env_of(before), &mut errors);
            self.session.refuse(&errors)?;
        }
        let read = Rc::new(Read { before: before.clone(), uses: uses(&program), infixes });
        if let Some(tooling) = &mut self.session.tooling {
            tooling.read.insert(file, read.clone());
        }
        Ok(read)
    }

    /// The sources in an order in which each stands after those that it needs; else in the order of the description.
    fn cm_order(&self, sources: &[Source]) -> Result<Vec<usize>, Failure> {
        let mut home: BTreeMap<(ModuleKind, Symbol), usize> = BTreeMap::new();
        for (i, source) in sources.iter().enumerate() {
            home.extend(source.read.uses.declared.keys().map(|key| (*key, i)));
        }
        let mut needs: Vec<BTreeMap<usize, Edge>> = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            let mut edges: BTreeMap<usize, Edge> = BTreeMap::new();
            for (key, need) in &source.read.uses.needed {
                // A source that declares what it uses extends another's: `structure List = struct open List ... end`.
                if let Some(&j) = home.get(key).filter(|j| **j != i) {
                    let edge = edges.entry(j).or_insert(Edge { span: need.span, weak: need.weak, names: vec![] });
                    if edge.weak && !need.weak {
                        (edge.span, edge.weak) = (need.span, false);
                    }
                    edge.names.push(key.1);
                }
            }
            needs.push(edges);
        }
        loop {
            match sorted(&needs) {
                Ok(order) => return Ok(order),
                Err(cycle) => {
                    // A weak need in the circle: the name comes from an opened structure.
                    let next = |i: usize| cycle[(i + 1) % cycle.len()];
                    let is_weak = |&i: &usize| needs[cycle[i]][&next(i)].weak;
                    // Best one that another source is known to have in a structure.
                    let is_elsewhere = |&i: &usize| {
                        let others = || needs[cycle[i]].keys().filter(|&&other| other != next(i));
                        let has = |name| others().any(|&other| sources[other].read.uses.structures.contains(name));
                        is_weak(&i) && needs[cycle[i]][&next(i)].names.iter().all(has)
                    };
                    let mut all = 0..cycle.len();
                    if let Some(i) = all.clone().find(is_elsewhere).or_else(|| all.find(is_weak)) {
                        needs[cycle[i]].remove(&next(i));
                        continue;
                    }
                    let mut names: Vec<&str> = cycle.iter().map(|&i| sources[i].path.as_str()).collect();
                    names.push(names[0]);
                    let d = Diagnostic::error("unit/cycle", sources[cycle[0]].at, "these sources need each other")
                        .note(format!("the circle: {}", names.join(" -> ")));
                    let d = (0..cycle.len()).fold(d, |d, i| {
                        let label = format!("`{}` needs `{}` here", sources[cycle[i]].path, sources[next(i)].path);
                        d.label(needs[cycle[i]][&next(i)].span, label)
                    });
                    return Err(self.failed(d));
                }
            }
        }
    }

    fn cm_exports(
        &self,
        description: &Description,
        scope: &Scope,
        sources: &[Source],
        declared: &BTreeMap<usize, Basis>,
        imports: &[Import],
        others: &[Import],
    ) -> Result<Basis, Failure> {
        let Some(exports) = &description.exports else {
            // A group shows what its groups and sources do; libraries are not passed on.
            return Ok(groups(imports).chain(declared.values()).fold(Basis::default(), |sum, basis| sum.plus(basis)));
        };
        let exporter = Exporter { scope, sources, declared, imports, others };
        exporter.basis(exports).map_err(|d| self.failed(d))
    }
}

impl Import {
    /// Whether an export set that names this means it.
    fn is(&self, path: &str, binds: &[Bind]) -> bool {
        self.path == path && (binds.is_empty() || self.binds == binds)
    }
}

/// What the groups among the members export.
fn groups(imports: &[Import]) -> impl Iterator<Item = &Basis> {
    imports.iter().filter(|import| !import.library).map(|import| &import.basis)
}

/// The descriptions that exports name.
fn named(exports: &[Export]) -> Vec<(&str, &[Bind], Span)> {
    fn of<'e>(export: &'e Export, found: &mut Vec<(&'e str, &'e [Bind], Span)>) {
        match export {
            Export::Description(path, binds, at) => found.push((path, binds, *at)),
            Export::Minus(a, b) | Export::Both(a, b) => {
                of(a, found);
                of(b, found);
            }
            Export::All(exports) => exports.iter().for_each(|export| of(export, found)),
            Export::Name(..) | Export::Groups | Export::Source(..) => {}
        }
    }
    let mut found = Vec::new();
    exports.iter().for_each(|export| of(export, &mut found));
    found
}

/// What a source needs of another.
struct Edge {
    /// Where first.
    span: Span,
    /// All of it may come from opened structures instead.
    weak: bool,
    names: Vec<Symbol>,
}

/// Depth first. The error is a circle.
fn sorted(needs: &[BTreeMap<usize, Edge>]) -> Result<Vec<usize>, Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; needs.len()];
    let mut order = Vec::new();
    for root in 0..needs.len() {
        if state[root] != State::New {
            continue;
        }
        let mut stack = vec![(root, needs[root].keys())];
        state[root] = State::Open;
        while let Some((node, children)) = stack.last_mut() {
            let node = *node;
            match children.next() {
                Some(&child) if state[child] == State::New => {
                    state[child] = State::Open;
                    stack.push((child, needs[child].keys()));
                }
                Some(&child) if state[child] == State::Open => {
                    let path: Vec<usize> = stack.iter().map(|(node, _)| *node).collect();
                    let start = path.iter().position(|&node| node == child).unwrap_or(0);
                    return Err(path[start..].to_vec());
                }
                Some(_) => {}
                None => {
                    state[node] = State::Done;
                    order.push(node);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn unexported(kind: ModuleKind, name: Symbol) -> String {
    format!("the {} `{name}` is exported, but no member declares it", kind.name())
}

/// Evaluates export sets.
struct Exporter<'a> {
    scope: &'a Scope,
    sources: &'a [Source],
    declared: &'a BTreeMap<usize, Basis>,
    imports: &'a [Import],
    /// Those that are named, but no members.
    others: &'a [Import],
}

type Names = std::collections::BTreeSet<(ModuleKind, Symbol)>;

#[allow(clippy::result_large_err)] // at most one for a description
impl Exporter<'_> {
    fn basis(&self, exports: &[Export]) -> Result<Basis, Diagnostic> {
        let mut basis = Basis::default();
        for (kind, name) in self.names(exports)? {
            match rename(&self.scope.basis, kind, name, name) {
                Some(one) => basis = basis.plus(&one),
                None => return Err(self.undeclared(kind, name)),
            }
        }
        Ok(basis)
    }

    /// A name that only a description that is no member has.
    fn undeclared(&self, kind: ModuleKind, name: Symbol) -> Diagnostic {
        let other = self.others.iter().find(|other| rename(&other.basis, kind, name, name).is_some());
        let d = Diagnostic::error("unit/name", other.map_or(Span::NONE, |other| other.at), unexported(kind, name));
        match other {
            Some(other) => d.help(format!("name `{}` among the members, too", other.path)),
            None => d,
        }
    }

    fn names(&self, exports: &[Export]) -> Result<Names, Diagnostic> {
        let mut all = Names::new();
        for export in exports {
            all.extend(self.one(export)?);
        }
        Ok(all)
    }

    fn one(&self, export: &Export) -> Result<Names, Diagnostic> {
        let of = |bases: Vec<&Basis>| bases.into_iter().flat_map(modules).collect::<Names>();
        let unknown = |path: &str, at: Span| {
            Diagnostic::error("unit/name", at, format!("`{path}` is not a member of this description"))
        };
        Ok(match export {
            Export::Name(kind, name) => {
                if rename(&self.scope.basis, *kind, name.symbol, name.symbol).is_none() {
                    return Err(Diagnostic::error("unit/name", name.span, unexported(*kind, name.symbol)));
                }
                Names::from([(*kind, name.symbol)])
            }
            Export::Groups => of(groups(self.imports).collect()),
            Export::Description(path, binds, at) => {
                let mut all = self.imports.iter().chain(self.others);
                of(vec![&all.find(|import| import.is(path, binds)).ok_or_else(|| unknown(path, *at))?.basis])
            }
            Export::Source(None, _) => of(self.declared.values().collect()),
            Export::Source(Some(path), at) => {
                let i =
                    self.sources.iter().position(|source| source.path == *path).ok_or_else(|| unknown(path, *at))?;
                of(self.declared.get(&i).into_iter().collect())
            }
            Export::Minus(a, b) => self.one(a)?.difference(&self.one(b)?).copied().collect(),
            Export::Both(a, b) => self.one(a)?.intersection(&self.one(b)?).copied().collect(),
            Export::All(exports) => self.names(exports)?,
        })
    }
}
