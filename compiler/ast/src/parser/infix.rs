//! Operands and operators in a row -> a tree, by the operators' precedences.
//!
//! Dijkstra's shunting yard over explicit stacks, so a chain of any length needs no recursion.
//! Expressions and patterns share it.

use super::Parser;
use crate::fixity::powers;
use crate::ir::*;
use leat_base::Diagnostic;

/// What a chain is made of: expressions or patterns.
pub(super) trait Operand: Copy {
    /// The node `lhs op rhs`.
    fn infix(ast: &mut Ast, op: Name, lhs: Self, rhs: Self) -> Self;
}

impl Operand for ExpId {
    fn infix(ast: &mut Ast, op: Name, lhs: ExpId, rhs: ExpId) -> ExpId {
        let span = ast[lhs].span.to(ast[rhs].span);
        ast.exp(ExpKind::Infix { op, lhs, rhs }, span)
    }
}

impl Operand for PatId {
    fn infix(ast: &mut Ast, con: Name, lhs: PatId, rhs: PatId) -> PatId {
        let span = ast[lhs].span.to(ast[rhs].span);
        ast.pat(PatKind::Infix { con, lhs, rhs }, span)
    }
}

/// The state of one chain. Use: operand, then operator and operand in turns, then `finish`.
pub(super) struct Chain<Id> {
    operands: Vec<Id>,
    operators: Vec<(Name, Fixity)>,
}

impl<Id: Operand> Chain<Id> {
    pub fn new(first: Id) -> Self {
        Chain { operands: vec![first], operators: vec![] }
    }

    pub fn operand(&mut self, operand: Id) {
        self.operands.push(operand);
    }

    /// An operator after an operand: everything on the left that binds more tightly is built.
    pub fn operator(&mut self, p: &mut Parser<'_>, op: Name, fixity: Fixity) {
        let (left_power, _) = powers(fixity);
        while let Some(&(top, top_fixity)) = self.operators.last() {
            let (_, right_power) = powers(top_fixity);
            if right_power < left_power {
                break;
            }
            if right_power == left_power {
                let d = Diagnostic::error(
                    "syntax/fixity",
                    op.span,
                    format!("`{top}` and `{op}` have the same precedence, but one groups to the left and the other to the right"),
                )
                .label(top.span, describe(top_fixity))
                .label(op.span, describe(fixity))
                .help("use parentheses");
                p.diagnose(d);
            }
            self.reduce(p);
        }
        self.operators.push((op, fixity));
    }

    fn reduce(&mut self, p: &mut Parser<'_>) {
        if let (Some((op, _)), Some(rhs), Some(lhs)) = (self.operators.pop(), self.operands.pop(), self.operands.pop())
        {
            self.operands.push(Id::infix(&mut p.ast, op, lhs, rhs));
        }
    }

    /// The tree, once the last operand was given.
    pub fn finish(mut self, p: &mut Parser<'_>) -> Id {
        while !self.operators.is_empty() {
            self.reduce(p);
        }
        self.operands[0]
    }
}

fn describe(fixity: Fixity) -> String {
    match fixity {
        Fixity::Infix(n) => format!("infix {n}"),
        Fixity::Infixr(n) => format!("infixr {n}"),
        Fixity::Nonfix => "nonfix".to_string(),
    }
}
