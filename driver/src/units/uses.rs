//! Ast -> the modules that a source declares at its top level, and those that it needs from elsewhere.
//!
//! For CM, whose sources stand in any order. After Blume and Appel, "Hierarchical Modularity", TOPLAS 1999: only
//! structures, signatures and functors pass between sources.
//! Differences: what an opened structure brings is not looked up; a name that may come from one is a weak need.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use leat_ast::ir::{
    Ast, DecId, DecKind, ExBindKind, ExpKind, FunctorArg, FunctorParam, LongId, Name, PatKind, Program, SigExpId,
    SigExpKind, SpecKind, StrExpId, StrExpKind, TyKind,
};
use leat_ast::{Fixity, Node};
use leat_base::{Span, Symbol};

use super::scope::{Fixities, ModuleKind};

/// What a group has to know of a source before it is elaborated. A tool keeps it until the text is another one.
pub(crate) struct Read {
    /// What was infix where it begins.
    pub(super) before: Fixities,
    pub(super) uses: Uses,
    /// What it declares infix.
    pub(super) infixes: Vec<(Symbol, Fixity)>,
}

/// What a source declares and needs.
#[derive(Default, Debug)]
pub(super) struct Uses {
    pub declared: BTreeMap<(ModuleKind, Symbol), Span>,
    /// Where first, and whether it may come from an opened structure instead.
    pub needed: BTreeMap<(ModuleKind, Symbol), Need>,
    /// The structures that are declared or specified anywhere in it: what an `open` may bring.
    pub structures: BTreeSet<Symbol>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub span: Span,
    pub weak: bool,
}

pub(super) fn uses(program: &Program) -> Uses {
    let mut walk = Walk { ast: &program.ast, bound: HashMap::new(), log: Vec::new(), opened: 0, uses: Uses::default() };
    walk.decs(&program.decs);
    for (key, span) in std::mem::take(&mut walk.log) {
        walk.uses.declared.insert(key, span);
    }
    walk.uses
}

struct Walk<'a> {
    ast: &'a Ast,
    /// How many bindings of a name are in scope.
    bound: HashMap<(ModuleKind, Symbol), usize>,
    /// Bindings in scope, newest last.
    log: Vec<((ModuleKind, Symbol), Span)>,
    /// How many opened structures are in scope.
    opened: usize,
    uses: Uses,
}

/// The state to come back to at the end of a scope.
struct Mark {
    log: usize,
    opened: usize,
}

impl Walk<'_> {
    fn mark(&self) -> Mark {
        Mark { log: self.log.len(), opened: self.opened }
    }

    fn leave(&mut self, mark: Mark) {
        self.opened = mark.opened;
        for (key, _) in self.log.drain(mark.log..) {
            if let Some(count) = self.bound.get_mut(&key) {
                *count -= 1;
            }
        }
    }

    fn bind(&mut self, kind: ModuleKind, name: Name) {
        if kind == ModuleKind::Structure {
            self.uses.structures.insert(name.symbol);
        }
        *self.bound.entry((kind, name.symbol)).or_default() += 1;
        self.log.push(((kind, name.symbol), name.span));
    }

    fn need(&mut self, kind: ModuleKind, symbol: Symbol, span: Span) {
        if self.bound.get(&(kind, symbol)).is_some_and(|count| *count > 0) {
            return;
        }
        let weak = kind == ModuleKind::Structure && self.opened > 0;
        let need = self.uses.needed.entry((kind, symbol)).or_insert(Need { span, weak });
        need.weak &= weak;
    }

    /// The structure that a long identifier begins with.
    fn long(&mut self, id: &LongId) {
        if let Some(&first) = id.qualifiers.first() {
            self.need(ModuleKind::Structure, first, id.span);
        }
    }

    fn structure(&mut self, id: &LongId) {
        self.need(ModuleKind::Structure, id.qualifiers.first().copied().unwrap_or(id.symbol), id.span);
    }

    fn decs(&mut self, decs: &[DecId]) {
        decs.iter().for_each(|&dec| self.dec(dec));
    }

    fn dec(&mut self, id: DecId) {
        let ast = self.ast;
        match &ast[id].kind {
            DecKind::Local { decs, body } => {
                let mark = self.mark();
                self.decs(decs);
                let (inner, opened) = (self.log.len(), self.opened);
                self.decs(body);
                let kept = self.log.split_off(inner);
                let opened = self.opened - opened;
                for (key, _) in &kept {
                    if let Some(count) = self.bound.get_mut(key) {
                        *count -= 1;
                    }
                }
                self.leave(mark);
                self.opened += opened;
                for ((kind, symbol), span) in kept {
                    self.bind(kind, Name { symbol, span });
                }
            }
            DecKind::Open(ids) => {
                ids.iter().for_each(|id| self.structure(id));
                self.opened += ids.len();
            }
            DecKind::Structure(binds) => {
                for bind in binds {
                    bind.ascription.iter().for_each(|a| self.sigexp(a.sig));
                    self.strexp(bind.body);
                }
                binds.iter().for_each(|bind| self.bind(ModuleKind::Structure, bind.name));
            }
            DecKind::Signature(binds) => {
                binds.iter().for_each(|bind| self.sigexp(bind.sig));
                binds.iter().for_each(|bind| self.bind(ModuleKind::Signature, bind.name));
            }
            DecKind::Functor(binds) => {
                for bind in binds {
                    let mark = self.mark();
                    match &bind.param {
                        FunctorParam::Named(name, sig) => {
                            self.sigexp(*sig);
                            self.bind(ModuleKind::Structure, *name);
                        }
                        FunctorParam::Specs(specs) => specs.iter().for_each(|&spec| self.node(Node::Spec(spec))),
                    }
                    bind.ascription.iter().for_each(|a| self.sigexp(a.sig));
                    self.strexp(bind.body);
                    self.leave(mark);
                }
                binds.iter().for_each(|bind| self.bind(ModuleKind::Functor, bind.name));
            }
            DecKind::Abstype { .. } => {
                ast.children(Node::Dec(id), &mut |child| self.node(child));
            }
            DecKind::Replication { target, .. } => self.long(target),
            DecKind::Exception(binds) => {
                for bind in binds {
                    if let ExBindKind::Alias(id) = &bind.kind {
                        self.long(id);
                    }
                }
                ast.children(Node::Dec(id), &mut |child| self.node(child));
            }
            _ => ast.children(Node::Dec(id), &mut |child| self.node(child)),
        }
    }

    fn strexp(&mut self, id: StrExpId) {
        let ast = self.ast;
        let mark = self.mark();
        match &ast[id].kind {
            StrExpKind::Id(id) => self.structure(id),
            StrExpKind::Struct(decs) => self.decs(decs),
            StrExpKind::Ascribe { body, ascription } => {
                self.strexp(*body);
                self.sigexp(ascription.sig);
            }
            StrExpKind::App { functor, arg } => {
                self.need(ModuleKind::Functor, functor.symbol, functor.span);
                match arg {
                    FunctorArg::Str(arg) => self.strexp(*arg),
                    FunctorArg::Decs(decs) => self.decs(decs),
                }
            }
            StrExpKind::Let { decs, body } => {
                self.decs(decs);
                self.strexp(*body);
            }
            StrExpKind::Error => {}
        }
        self.leave(mark);
    }

    fn sigexp(&mut self, id: SigExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            SigExpKind::Id(name) => self.need(ModuleKind::Signature, name.symbol, name.span),
            _ => {
                let mark = self.mark();
                ast.children(Node::SigExp(id), &mut |child| self.node(child));
                self.leave(mark);
            }
        }
    }

    fn node(&mut self, node: Node) {
        let ast = self.ast;
        match node {
            Node::Dec(id) => return self.dec(id),
            Node::StrExp(id) => return self.strexp(id),
            Node::SigExp(id) => return self.sigexp(id),
            Node::Exp(id) => match &ast[id].kind {
                ExpKind::Id { id, .. } => self.long(id),
                ExpKind::Let { .. } => {
                    let mark = self.mark();
                    ast.children(node, &mut |child| self.node(child));
                    return self.leave(mark);
                }
                _ => {}
            },
            Node::Pat(id) => match &ast[id].kind {
                PatKind::Id { id, .. } | PatKind::App { con: id, .. } => self.long(id),
                _ => {}
            },
            Node::Ty(id) => {
                if let TyKind::Con { con, .. } = &ast[id].kind {
                    self.long(con);
                }
            }
            Node::Spec(id) => match &ast[id].kind {
                SpecKind::Structure(descs) => {
                    descs.iter().for_each(|desc| self.sigexp(desc.1));
                    descs.iter().for_each(|desc| self.bind(ModuleKind::Structure, desc.0));
                    return;
                }
                SpecKind::Include(sigs) => {
                    sigs.iter().for_each(|&sig| self.sigexp(sig));
                    // It may bring structures, as `open` does.
                    self.opened += sigs.len();
                    return;
                }
                SpecKind::Replication { target, .. } => self.long(target),
                _ => {}
            },
        }
        ast.children(node, &mut |child| self.node(child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut fixity = leat_ast::FixityEnv::basis();
        let (program, errors) =
            leat_ast::parse(leat_base::FileId(0), text, &leat_ast::ParseOptions::default(), &mut fixity);
        assert!(errors.is_empty(), "{errors:?}");
        let uses = uses(&program);
        let names = |keys: Vec<(Symbol, &str)>| -> String {
            let mut names: Vec<String> = keys.into_iter().map(|(name, mark)| format!("{name}{mark}")).collect();
            names.sort();
            names.join(" ")
        };
        format!(
            "{} | {}",
            names(uses.declared.keys().map(|key| (key.1, "")).collect()),
            names(uses.needed.iter().map(|(key, need)| (key.1, if need.weak { "?" } else { "" })).collect())
        )
    }

    #[test]
    fn scopes() {
        assert_eq!(shown("structure A = struct val x = B.y structure C = D end val z = A.x and c = C.d"), "A | B C D");
        assert_eq!(shown("local structure A = B in structure C : S = A end val x = A.x"), "C | A B S");
        assert_eq!(
            shown("functor F (X : S) :> T where type t = X.t = G (struct open X type t = Y.t end)"),
            "F | G S T Y?"
        );
        assert_eq!(shown("functor F (structure X : S val x : X.t) = X"), "F | S");
        assert_eq!(shown("signature S = sig structure A : T val x : A.t * B.t end"), "S | B T");
        assert_eq!(
            shown("fun f (M.C x) = let open N val k = L.y in k + P.y end handle E.X => Q.f Z.z"),
            " | E L? M N P? Q Z"
        );
        assert_eq!(shown("exception X = A.Y datatype t = datatype B.t"), " | A B");
    }
}
