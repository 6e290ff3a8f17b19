//! Expressions.

use super::{Builder, Item};
use crate::doc::{BLANK, Id, LINE, NIL};
use leat_ast::{Exp, ExpId, ExpKind, Rule, TokenKind as T};
use leat_base::Symbol;

/// Operators that stand in one row: `a + b - c`.
const ROWS: &[&[&str]] = &[&["+", "-"], &["*", "/", "div", "mod"], &["::", "@"]];

/// Operators of which the right side is what matters: `x := e`.
const ASSIGNMENTS: &[&str] = &[":=", "=", "<>", "<", ">", "<=", ">="];

fn is_same_row(a: Symbol, b: Symbol) -> bool {
    a == b || ROWS.iter().any(|row| row.contains(&a.as_str()) && row.contains(&b.as_str()))
}

impl<'a> Builder<'a> {
    pub(super) fn exp(&mut self, e: ExpId) -> Id {
        let span = self.ast[e].span;
        self.wrapped(span, &mut |b| b.exp_bare(e))
    }

    /// What follows `=` or `=>`: a function goes on in the same line.
    pub(super) fn body(&mut self, e: ExpId, by: u32) -> Id {
        let keep = self.on_new_line();
        let span = self.ast[e].span;
        if !keep && matches!(self.ast[e].kind, ExpKind::Fn(_)) && !self.is_wrapped(span) {
            let doc = self.exp(e);
            return self.cat(&[BLANK, doc]);
        }
        self.exp_below(by, e)
    }

    /// An expression on the same line if it fits and was there, otherwise below.
    fn exp_below(&mut self, by: u32, e: ExpId) -> Id {
        let keep = self.on_new_line();
        let leading = self.leading();
        let doc = self.exp(e);
        let doc = self.cat(&[leading, doc]);
        self.below(by, keep, doc)
    }

    /// A constant or a name?
    pub(super) fn is_small(&self, e: ExpId) -> bool {
        match &self.ast[e].kind {
            ExpKind::Const(_) | ExpKind::Id { .. } => true,
            ExpKind::App { fun, arg } => {
                matches!(self.ast[*fun].kind, ExpKind::Id { .. }) && matches!(self.ast[*arg].kind, ExpKind::Const(_))
            }
            _ => false,
        }
    }

    fn exp_bare(&mut self, e: ExpId) -> Id {
        let ast = self.ast;
        let Exp { kind, span } = &ast[e];
        match kind {
            ExpKind::Const(_) => self.tok(),
            ExpKind::Id { .. } => self.name(),
            ExpKind::Record(fields) => {
                let open = self.expect(T::LBrace);
                self.bracketed(open, true, &mut |b, i| {
                    let &(_, e) = fields.get(i)?;
                    let label = b.tok();
                    Some(Item { doc: b.bound(label, e, 2), small: false })
                })
            }
            ExpKind::Tuple(exps) => {
                let open = self.expect(T::LParen);
                self.exps(open, exps, true)
            }
            ExpKind::Selector(_) => {
                let hash = self.expect(T::Hash);
                let label = self.tok();
                self.cat(&[hash, label])
            }
            ExpKind::List(exps) => {
                let open = self.expect(T::LBrack);
                self.exps(open, exps, true)
            }
            ExpKind::Vector(exps) => {
                let hash = self.expect(T::Hash);
                let bracket = self.expect(T::LBrack);
                let open = self.cat(&[hash, bracket]);
                self.exps(open, exps, true)
            }
            ExpKind::Seq(exps) => {
                let open = self.expect(T::LParen);
                self.exps(open, exps, true)
            }
            ExpKind::Let { decs, body } => {
                let keep = self.breaks_within(*span);
                let open = self.expect(T::Let);
                let decs = self.decs(decs, true);
                let head = self.block_part(open, decs);
                let word = self.expect(T::In);
                let body = self.let_body(*body);
                let body = self.block_part(word, body);
                let end = self.expect(T::End);
                let all = self.cat(&[head, LINE, body, LINE, end]);
                self.docs.group_if(keep, all)
            }
            ExpKind::App { .. } => self.app(e),
            ExpKind::Infix { .. } => self.infix(e),
            ExpKind::Typed { exp, ty } => {
                let exp = self.exp(*exp);
                let colon = self.expect(T::Colon);
                let ty = self.ty(*ty);
                self.typed(exp, colon, ty)
            }
            ExpKind::AndAlso(..) => self.logical(e, T::Andalso),
            ExpKind::OrElse(..) => self.logical(e, T::Orelse),
            ExpKind::Handle { exp, rules } => {
                let exp = self.exp(*exp);
                let keep = self.on_new_line();
                let word = self.expect(T::Handle);
                let (rules, tall) = self.rules(rules, 5, 4);
                let all = self.cat(&[exp, LINE, word, BLANK, rules]);
                self.docs.group_if(keep || tall, all)
            }
            ExpKind::Raise(e) => {
                let word = self.expect(T::Raise);
                let exp = self.exp(*e);
                self.spaced(&[word, exp])
            }
            ExpKind::If { .. } => self.conditional(e),
            ExpKind::While { cond, body } => {
                let word = self.expect(T::While);
                let cond = self.exp(*cond);
                let cond = self.docs.align(cond);
                let do_ = self.expect(T::Do);
                let body = self.exp_below(2, *body);
                let head = self.spaced(&[word, cond, do_]);
                self.cat(&[head, body])
            }
            ExpKind::Case { exp, rules } => {
                let word = self.expect(T::Case);
                let exp = self.exp(*exp);
                let exp = self.docs.align(exp);
                let of = self.expect(T::Of);
                let head = self.spaced(&[word, exp, of]);
                let keep = self.on_new_line();
                let single = rules.len() == 1;
                let (rules, tall) = if single { self.rules(rules, 0, 2) } else { self.case_rules(rules) };
                let rules = if single {
                    let rules = self.cat(&[LINE, rules]);
                    self.docs.nest(2, rules)
                } else {
                    rules
                };
                let all = self.cat(&[head, rules]);
                self.docs.group_if(keep || tall, all)
            }
            ExpKind::Fn(rules) => self.function(rules),
            ExpKind::Prim { ty, .. } => {
                let word = self.expect(T::Prim);
                let name = self.expect(T::String);
                let colon = self.expect(T::Colon);
                let ty = self.ty(*ty);
                let head = self.spaced(&[word, name]);
                self.typed(head, colon, ty)
            }
            ExpKind::Foreign(foreign) => {
                let (sign, word) = (self.expect(T::Wild), self.expect(T::Alpha));
                let word = self.cat(&[sign, word]);
                let name = self.expect(if foreign.name.is_some() { T::String } else { T::Symbolic });
                let mut head = vec![word, name];
                for _ in &foreign.attributes {
                    head.push(self.expect(T::Alpha));
                }
                let colon = self.expect(T::Colon);
                let ty = self.ty(foreign.ty);
                let head = self.spaced(&head);
                let typed = self.typed(head, colon, ty);
                if !foreign.ended {
                    return typed;
                }
                let end = self.expect(T::Semi);
                self.cat(&[typed, end])
            }
            ExpKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// `e; e` between `in` and `end`.
    fn let_body(&mut self, e: ExpId) -> Id {
        let Exp { kind, span } = &self.ast[e];
        let token = self.token();
        let own = token.kind == T::LParen && self.tokens[self.closing[self.at] as usize].hi == span.hi;
        let ExpKind::Seq(exps) = kind else {
            return self.exp(e);
        };
        if (token.lo == span.lo && own) || self.is_wrapped(*span) {
            return self.exp(e);
        }
        let mut parts = vec![];
        for (i, &e) in exps.iter().enumerate() {
            if i > 0 {
                self.new_line(&mut parts);
            }
            let leading = self.leading();
            let exp = self.exp(e);
            let semi = self.opt(T::Semi);
            parts.extend([leading, exp, semi]);
        }
        self.cat(&parts)
    }

    // ---------------------------------------------------------------- rules

    /// Rules whose bars stand `bar` columns in, and whether one began a line. The first pattern stands where it is.
    fn rules(&mut self, rules: &[Rule], bar: u32, by: u32) -> (Id, bool) {
        let mut first = NIL;
        let mut parts = vec![];
        let mut tall = false;
        for (i, rule) in rules.iter().enumerate() {
            if i == 0 {
                first = self.rule(rule, if rules.len() == 1 { by } else { bar + 4 });
                continue;
            }
            tall |= self.bar_rule(rule, &mut parts);
        }
        let rest = self.cat(&parts);
        let rest = self.docs.nest(bar, rest);
        (self.cat(&[first, rest]), tall)
    }

    /// The rules of a `case`: the first pattern two columns in, the bars below `case`.
    fn case_rules(&mut self, rules: &[Rule]) -> (Id, bool) {
        let mut parts = vec![];
        let mut tall = false;
        for (i, rule) in rules.iter().enumerate() {
            if i == 0 {
                let leading = self.leading();
                let rule = self.rule(rule, 2);
                let first = self.cat(&[LINE, leading, rule]);
                parts.push(self.docs.nest(2, first));
                continue;
            }
            tall |= self.bar_rule(rule, &mut parts);
        }
        (self.cat(&parts), tall)
    }

    /// `| pat => exp` on a line of its own, and whether it began one in the text.
    fn bar_rule(&mut self, rule: &Rule, parts: &mut Vec<Id>) -> bool {
        let mut tall = self.on_new_line();
        self.new_line(parts);
        let leading = self.leading();
        let bar = self.expect(T::Bar);
        tall |= self.on_new_line();
        let rule = self.rule(rule, 4);
        parts.extend([leading, bar, BLANK, rule]);
        tall
    }

    /// `pat => exp`
    fn rule(&mut self, rule: &Rule, by: u32) -> Id {
        let pat = self.pat(rule.pat);
        let arrow = self.expect(T::DArrow);
        let body = self.body(rule.exp, by);
        self.cat(&[pat, BLANK, arrow, body])
    }

    /// `fn p => e`, `fn p => e | p => e`
    fn function(&mut self, rules: &[Rule]) -> Id {
        let word = self.expect(T::Fn);
        if rules.len() == 1 {
            let (rule, _) = self.rules(rules, 0, 2);
            return self.spaced(&[word, rule]);
        }
        let (rules, tall) = self.rules(rules, 1, 4);
        let all = self.spaced(&[word, rules]);
        let all = self.docs.align(all);
        self.docs.group_if(tall, all)
    }

    // --------------------------------------------------------------- chains

    /// `if a then b else if c then d else e`
    fn conditional(&mut self, e: ExpId) -> Id {
        let mut parts = vec![];
        let mut keep = false;
        let mut e = e;
        let mut word = self.expect(T::If);
        loop {
            let ExpKind::If { cond, then, els } = self.ast[e].kind else {
                self.lost = true;
                return NIL;
            };
            let cond = self.exp(cond);
            let cond = self.docs.align(cond);
            keep |= self.on_new_line();
            let then_ = self.expect(T::Then);
            let head = self.cat(&[word, BLANK, cond, LINE, then_]);
            let head = self.docs.group(head);
            let below = self.on_new_line();
            let then = self.exp_below(2, then);
            keep |= below || self.on_new_line();
            let else_ = self.expect(T::Else);
            parts.extend([head, then, LINE]);
            let below = self.on_new_line();
            if matches!(self.ast[els].kind, ExpKind::If { .. })
                && !self.is_wrapped(self.ast[els].span)
                && self.is(T::If)
            {
                let if_ = self.expect(T::If);
                word = self.spaced(&[else_, if_]);
                e = els;
                continue;
            }
            keep |= below;
            let els = self.exp_below(2, els);
            parts.extend([else_, els]);
            break;
        }
        let all = self.cat(&parts);
        self.docs.group_if(keep, all)
    }

    /// `a andalso b andalso c`: the words begin the lines.
    fn logical(&mut self, e: ExpId, word: T) -> Id {
        let mut rights = vec![];
        let mut head = e;
        loop {
            head = match self.ast[head].kind {
                ExpKind::AndAlso(l, r)
                    if word == T::Andalso && (head == e || !self.is_wrapped(self.ast[head].span)) =>
                {
                    rights.push(r);
                    l
                }
                ExpKind::OrElse(l, r) if word == T::Orelse && (head == e || !self.is_wrapped(self.ast[head].span)) => {
                    rights.push(r);
                    l
                }
                _ => break,
            };
        }
        let first = self.exp(head);
        let mut parts = vec![first];
        let mut keep = false;
        for &right in rights.iter().rev() {
            keep |= self.on_new_line();
            let word = self.expect(word);
            keep |= self.on_new_line();
            let right = self.exp(right);
            parts.extend([LINE, word, BLANK, right]);
        }
        let all = self.cat(&parts);
        let all = self.docs.align(all);
        self.docs.group_if(keep, all)
    }

    /// Operands with operators of one row between them.
    fn infix(&mut self, e: ExpId) -> Id {
        enum Step {
            Node(ExpId),
            Operator,
        }
        let ExpKind::Infix { op: row, .. } = self.ast[e].kind else {
            return NIL;
        };
        let row = row.symbol;
        let mut steps = vec![Step::Node(e)];
        let (mut operands, mut operators) = (vec![], vec![]);
        let mut keep = false;
        let mut hugs = false;
        let mut top = true;
        while let Some(step) = steps.pop() {
            match step {
                Step::Operator => {
                    keep |= self.on_new_line();
                    let op = self.tok();
                    keep |= self.on_new_line();
                    operators.push(op);
                }
                Step::Node(id) => match self.ast[id].kind {
                    ExpKind::Infix { op, lhs, rhs }
                        if top || (is_same_row(op.symbol, row) && !self.is_wrapped(self.ast[id].span)) =>
                    {
                        steps.extend([Step::Node(rhs), Step::Operator, Step::Node(lhs)]);
                    }
                    _ => {
                        let (doc, last) = self.argument(id);
                        hugs = last == Hug::Function;
                        operands.push(doc);
                    }
                },
            }
            top = false;
        }
        if operands.len() == 2 && ASSIGNMENTS.contains(&row.as_str()) {
            let right = self.below(2, keep && row.as_str() == ":=", operands[1]);
            let all = self.cat(&[operands[0], BLANK, operators[0], right]);
            return all;
        }
        let mut parts = vec![operands[0]];
        for (&op, &operand) in operators.iter().zip(&operands[1..]) {
            parts.extend([LINE, op, BLANK, operand]);
        }
        let loose = self.cat(&parts);
        let loose = self.docs.align(loose);
        let loose = self.docs.group_if(keep, loose);
        let last = operands[operands.len() - 1];
        if !hugs || keep {
            return loose;
        }
        // `e >>= (fn x => ...)`: the function's body goes on below.
        let mut tight = vec![self.docs.flat(operands[0])];
        for (i, &op) in operators.iter().enumerate() {
            let operand = operands[i + 1];
            let operand = if i + 1 == operators.len() { operand } else { self.docs.flat(operand) };
            tight.extend([BLANK, op, BLANK, operand]);
        }
        self.docs.choice(&tight, loose, last, true)
    }

    /// `f a b (fn x => e)`
    fn app(&mut self, e: ExpId) -> Id {
        let mut args = vec![];
        let mut head = e;
        while let ExpKind::App { fun, arg } = self.ast[head].kind
            && (head == e || !self.is_wrapped(self.ast[head].span))
        {
            args.push(arg);
            head = fun;
        }
        args.reverse();
        let symbolic = matches!(&self.ast[head].kind, ExpKind::Id { id, op: false } if id.symbol.is_symbolic());
        let function = self.exp(head);
        // `!x` and `~(a + b)` stay as they are.
        let glued = symbolic && args.len() == 1 && self.tokens[self.at - 1].hi == self.token().lo;
        if glued {
            let arg = self.exp(args[0]);
            return self.cat(&[function, arg]);
        }
        let mut docs = vec![];
        let mut last = Hug::No;
        for &arg in &args {
            let (doc, hug) = self.argument(arg);
            docs.push(doc);
            last = hug;
        }
        let mut parts = vec![];
        for &doc in &docs {
            parts.extend([LINE, doc]);
        }
        let loose = self.cat(&parts);
        let loose = self.docs.nest(2, loose);
        let loose = self.cat(&[function, loose]);
        if last == Hug::No {
            return self.docs.group(loose);
        }
        let mut tight = vec![function];
        for (i, &doc) in docs.iter().enumerate() {
            let doc = if i + 1 == docs.len() { doc } else { self.docs.flat(doc) };
            tight.extend([BLANK, doc]);
        }
        let loose = self.docs.group(loose);
        self.docs.choice(&tight, loose, docs[docs.len() - 1], last == Hug::Function)
    }

    /// An argument or operand, and whether it may begin on the line of what is before it and go on below.
    fn argument(&mut self, e: ExpId) -> (Id, Hug) {
        let Exp { kind, span } = &self.ast[e];
        let wrapped = self.is_wrapped(*span);
        if wrapped && let ExpKind::Fn(_) = kind {
            let inner = self.at + 1;
            let single = self.tokens[inner].kind == T::Fn && self.trivia.before(inner).is_empty();
            if single {
                let open = self.tok();
                let body = self.exp(e);
                let (rest, _) = self.remaining(false);
                let close = self.expect(T::RParen);
                return (self.cat(&[open, body, rest, close]), Hug::Function);
            }
        }
        let hug = match kind {
            ExpKind::Tuple(exps) if !exps.is_empty() => Hug::Bracket,
            ExpKind::List(exps) | ExpKind::Vector(exps) if !exps.is_empty() => Hug::Bracket,
            ExpKind::Record(_) | ExpKind::Seq(_) => Hug::Bracket,
            // What has lines of its own stands better below than far to the right.
            ExpKind::Case { .. } | ExpKind::If { .. } | ExpKind::Handle { .. } => Hug::No,
            _ if wrapped => Hug::Bracket,
            _ => Hug::No,
        };
        (self.exp(e), hug)
    }
}

/// May an argument begin on the line of the function and go on below it?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hug {
    No,
    /// Something in brackets: if it does not fit on a line of its own.
    Bracket,
    /// A function in parentheses: always.
    Function,
}
