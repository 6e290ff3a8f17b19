//! Core -> what the match compiler says of it, without Lambda: for the bodies of functors, which each application
//! copies.
//!
//! Every match is looked at where `from_core` would compile it.

use crate::tree::{BIND, MATCH, Unmatched, trees};
use leat_base::{Diagnostic, Span};
use leat_elab::Tables;
use leat_elab::ir::{Dec, DecKind, Exp, ExpKind, Pat, PatKind, Rule, Ty};

/// The diagnostics of [`crate::lower`].
pub fn check(decs: &[Dec], tables: &Tables) -> Vec<Diagnostic> {
    let mut checker = Checker { tables, diagnostics: Vec::new() };
    checker.decs(decs);
    checker.diagnostics
}

struct Checker<'t> {
    tables: &'t Tables,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            match &dec.kind {
                DecKind::Val { pat, exp, .. } => {
                    self.exp(exp);
                    self.patterns(&[pat], exp.ty, Some(BIND), pat.span);
                }
                DecKind::Fun { funs, .. } => funs.iter().for_each(|fun| self.exp(&fun.exp)),
                DecKind::Exception { .. } => {}
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Const(_) | ExpKind::Var(..) | ExpKind::Con(..) | ExpKind::ExnCon(_) | ExpKind::RefCon(_) => {}
            ExpKind::Prim(..) | ExpKind::Overloaded(_) | ExpKind::Selector(..) => {}
            ExpKind::Record(fields) => fields.iter().for_each(|(_, field)| self.exp(field)),
            ExpKind::Vector(exps) | ExpKind::List(exps) | ExpKind::Seq(exps) => {
                exps.iter().for_each(|exp| self.exp(exp));
            }
            ExpKind::App(a, b) | ExpKind::While(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::If(a, b, c) => {
                self.exp(a);
                self.exp(b);
                self.exp(c);
            }
            ExpKind::Fn(rules) => self.rules(rules, Some(MATCH), exp.span),
            ExpKind::Case(scrut, rules) => {
                self.exp(scrut);
                self.rules(rules, Some(MATCH), exp.span);
            }
            // A packet that no rule matches is raised again.
            ExpKind::Handle(body, rules) => {
                self.exp(body);
                self.rules(rules, None, exp.span);
            }
            ExpKind::Let(decs, body) => {
                self.decs(decs);
                self.exp(body);
            }
            ExpKind::Raise(packet) => self.exp(packet),
        }
    }

    fn rules(&mut self, rules: &[Rule], unmatched: Option<Unmatched>, span: Span) {
        rules.iter().for_each(|rule| self.exp(&rule.exp));
        let pats: Vec<&Pat> = rules.iter().map(|rule| &rule.pat).collect();
        if let [first, ..] = pats[..] {
            self.patterns(&pats, first.ty, unmatched, span);
        }
    }

    fn patterns(&mut self, pats: &[&Pat], ty: Ty, unmatched: Option<Unmatched>, span: Span) {
        // Nearly all functions and declarations: nothing is to be said of one pattern that always matches.
        if let [pat] = pats
            && always_matches(pat)
        {
            return;
        }
        trees(self.tables, pats, ty, unmatched, span, &mut self.diagnostics);
    }
}

fn always_matches(pat: &Pat) -> bool {
    match &pat.kind {
        PatKind::Wild | PatKind::Var(_) => true,
        PatKind::Layered(_, inner) | PatKind::Ref(inner) => always_matches(inner),
        PatKind::Record(fields) => fields.iter().all(|(_, field)| always_matches(field)),
        PatKind::Const(_) | PatKind::Con(..) | PatKind::Exn(..) | PatKind::Vector(_) => false,
    }
}
