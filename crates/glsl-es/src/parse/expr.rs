//! Expressions, by precedence climbing over one table.

use super::super::ast::{ArraySize, BaseType, BinaryOp, Expr, ExprKind, Step, TypeSpec, UnaryOp};
use super::super::error::{Problem, Result};
use super::super::language::Language;
use super::super::lex::Tok;
use super::{Parser, number};
use crate::limits::MAX_GLSL_CHAIN;

/// Rank of a binary operator, from loosest to tightest.
fn rank(punct: &str) -> Option<(u8, BinaryOp)> {
    use BinaryOp::*;
    Some(match punct {
        "||" => (0, Or),
        "^^" => (1, Xor),
        "&&" => (2, And),
        "|" => (3, BitOr),
        "^" => (4, BitXor),
        "&" => (5, BitAnd),
        "==" => (6, Equal),
        "!=" => (6, NotEqual),
        "<" => (7, Less),
        ">" => (7, Greater),
        "<=" => (7, LessEqual),
        ">=" => (7, GreaterEqual),
        "<<" => (8, ShiftLeft),
        ">>" => (8, ShiftRight),
        "+" => (9, Add),
        "-" => (9, Subtract),
        "*" => (10, Multiply),
        "/" => (10, Divide),
        "%" => (10, Remainder),
        _ => return None,
    })
}

const TIGHTEST: u8 = 10;

fn assignment(punct: &str) -> Option<Option<BinaryOp>> {
    if punct == "=" {
        return Some(None);
    }
    let operator = punct.strip_suffix('=').filter(|operator| !matches!(*operator, "=" | "!" | "<" | ">"))?;
    rank(operator).map(|(_, operator)| Some(operator))
}

impl<'a> Parser<'a, '_> {
    /// An expression with commas.
    pub(super) fn expression(&mut self) -> Result<Expr<'a>> {
        let first = self.assignment()?;
        if self.peek() != Tok::Punct(",") {
            return Ok(first);
        }
        let position = self.position();
        let mut height = first.height;
        let mut parts = vec![first];
        while self.take(",") {
            let part = self.assignment()?;
            height = height.max(part.height);
            parts.push(part);
        }
        self.node(ExprKind::Comma(parts), position, height)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Result<Expr<'a>> {
        let left = self.ternary()?;
        let position = self.position();
        let operator = match self.peek() {
            Tok::Punct(punct) => assignment(punct),
            _ => None,
        };
        let result = match operator {
            None => left,
            Some(operator) => {
                self.note_later(operator);
                self.advance();
                self.enter()?;
                let right = self.assignment()?;
                self.expression_depth -= 1;
                let height = left.height.max(right.height);
                self.node(ExprKind::Assign(operator, Box::new([left, right])), position, height)?
            }
        };
        Ok(result)
    }

    /// Everything that binds tighter than `=`.
    pub(super) fn ternary(&mut self) -> Result<Expr<'a>> {
        let condition = self.binary(0)?;
        let position = self.position();
        if !self.take("?") {
            return Ok(condition);
        }
        self.enter()?;
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.assignment()?;
        self.expression_depth -= 1;
        let height = condition.height.max(yes.height).max(no.height);
        self.node(ExprKind::Ternary(Box::new([condition, yes, no])), position, height)
    }

    /// Operators of at least `lowest` rank. Recurses once for each rank that really occurs.
    fn binary(&mut self, lowest: u8) -> Result<Expr<'a>> {
        let mut left = self.unary()?;
        let mut limit = TIGHTEST + 1;
        while let Tok::Punct(punct) = self.peek() {
            let Some((level, _)) = rank(punct) else { break };
            if level < lowest || level >= limit {
                break;
            }
            left = self.chain(left, level)?;
            limit = level;
        }
        Ok(left)
    }

    /// Operators of integers that GLSL ES 1.00 keeps for later.
    fn note_later(&mut self, operator: Option<BinaryOp>) {
        use BinaryOp::{BitAnd, BitOr, BitXor, Remainder, ShiftLeft, ShiftRight};
        if let Some(operator @ (BitAnd | BitOr | BitXor | Remainder | ShiftLeft | ShiftRight)) = operator {
            self.later(&format!("the operator '{}'", operator.symbol()));
        }
    }

    /// `left op x op y …` for the operators of one rank.
    fn chain(&mut self, left: Expr<'a>, level: u8) -> Result<Expr<'a>> {
        let position = self.position();
        let mut height = left.height;
        let mut terms = Vec::new();
        while let Tok::Punct(punct) = self.peek() {
            let Some((_, operator)) = rank(punct).filter(|(found, _)| *found == level) else { break };
            let at = self.position();
            self.note_later(Some(operator));
            if terms.len() >= MAX_GLSL_CHAIN {
                return Err(Problem::limit(at, "operators in one chain", MAX_GLSL_CHAIN as u64));
            }
            self.advance();
            let right = self.binary(level + 1)?;
            height = height.max(right.height);
            terms.push((operator, at, right));
        }
        self.node(ExprKind::Chain(Box::new(left), terms), position, height)
    }

    fn unary(&mut self) -> Result<Expr<'a>> {
        let position = self.position();
        let Tok::Punct(punct) = self.peek() else { return self.postfix() };
        let step = |up| Step { up, prefix: true };
        let make: Box<dyn FnOnce(Box<Expr<'a>>) -> ExprKind<'a>> = match punct {
            "+" => Box::new(|operand| ExprKind::Unary(UnaryOp::Plus, operand)),
            "-" => Box::new(|operand| ExprKind::Unary(UnaryOp::Negate, operand)),
            "!" => Box::new(|operand| ExprKind::Unary(UnaryOp::Not, operand)),
            "~" => Box::new(|operand| ExprKind::Unary(UnaryOp::Complement, operand)),
            "++" => Box::new(move |operand| ExprKind::Step(step(true), operand)),
            "--" => Box::new(move |operand| ExprKind::Step(step(false), operand)),
            _ => return self.postfix(),
        };
        if punct == "~" {
            self.later("an operator of bits");
        }
        self.enter()?;
        self.advance();
        let operand = self.unary()?;
        self.expression_depth -= 1;
        let height = operand.height;
        self.node(make(Box::new(operand)), position, height)
    }

    fn postfix(&mut self) -> Result<Expr<'a>> {
        let mut base = self.primary()?;
        loop {
            let position = self.position();
            let Tok::Punct(punct) = self.peek() else { return Ok(base) };
            let mut height = base.height;
            let kind = match punct {
                "++" | "--" => ExprKind::Step(Step { up: punct == "++", prefix: false }, Box::new(base)),
                "[" => {
                    self.advance();
                    self.enter()?;
                    let index = self.expression()?;
                    self.expression_depth -= 1;
                    height = height.max(index.height);
                    if self.peek() != Tok::Punct("]") {
                        return Err(self.unexpected("']'"));
                    }
                    ExprKind::Index(Box::new([base, index]))
                }
                "." => {
                    self.advance();
                    let Tok::Ident(member) = self.peek() else { return Err(self.unexpected("a member's name")) };
                    if member == "length" && self.peek_at(1) == Tok::Punct("(") {
                        self.only_es300("'.length()'", "a constant")?;
                        self.advance();
                        self.advance();
                        if self.peek() != Tok::Punct(")") {
                            return Err(self.unexpected("')'"));
                        }
                        ExprKind::Length(Box::new(base))
                    } else {
                        ExprKind::Field(Box::new(base), member)
                    }
                }
                _ => return Ok(base),
            };
            self.advance();
            base = self.node(kind, position, height)?;
        }
    }

    fn primary(&mut self) -> Result<Expr<'a>> {
        let position = self.position();
        match self.peek() {
            Tok::Number(text) => {
                let kind = number::number(text, position)?;
                match kind {
                    ExprKind::Uint(_) => self.only_es300("a number that ends in 'u'", "an int")?,
                    ExprKind::Float(_) if text.ends_with(['f', 'F']) => self.later("a number that ends in 'f'"),
                    _ => {}
                }
                self.advance();
                self.node(kind, position, 0)
            }
            Tok::Line(line) => {
                self.advance();
                self.node(ExprKind::Int(line as i32), position, 0)
            }
            Tok::Punct("(") => {
                self.advance();
                self.enter()?;
                let inner = self.expression()?;
                self.expect(")")?;
                self.expression_depth -= 1;
                Ok(Expr { start: position, ..inner })
            }
            Tok::Ident(word @ ("true" | "false")) => {
                self.advance();
                self.node(ExprKind::Bool(word == "true"), position, 0)
            }
            Tok::Ident(word) => match self.language.type_of(word) {
                Some(ty) => {
                    self.advance();
                    self.constructor(BaseType::Known(ty), position)
                }
                None => self.named(),
            },
            Tok::Punct("{") => {
                Err(self.unexpected("an expression (lists in braces are written 'vec4(…)' or 'float[](…)')"))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn named(&mut self) -> Result<Expr<'a>> {
        let (name, position) = self.name("an expression")?;
        if self.take("(") {
            let (arguments, height) = self.arguments()?;
            return self.node(ExprKind::Call(name, arguments), position, height);
        }
        if self.is_array_constructor(0) {
            return self.constructor(BaseType::Named(name), position);
        }
        self.node(ExprKind::Name(name), position, 0)
    }

    /// Whether `[ … ] (` follows, `ahead` tokens on.
    pub(super) fn is_array_constructor(&self, ahead: usize) -> bool {
        self.after_brackets(ahead).is_some_and(|after| self.peek_at(after) == Tok::Punct("("))
    }

    /// Where the token after `[ … ]` stands, seen from here. Looks at most a screenful ahead.
    pub(super) fn after_brackets(&self, ahead: usize) -> Option<usize> {
        if self.peek_at(ahead) != Tok::Punct("[") {
            return None;
        }
        let mut open = 0usize;
        for step in ahead..ahead + 256 {
            match self.peek_at(step) {
                Tok::Punct("[") => open += 1,
                Tok::Punct("]") => {
                    open = open.checked_sub(1)?;
                    if open == 0 && self.peek_at(step + 1) != Tok::Punct("[") {
                        return Some(step + 1);
                    }
                }
                Tok::End | Tok::Punct(";" | "{" | "}") => return None,
                _ => {}
            }
        }
        None
    }

    fn constructor(&mut self, base: BaseType<'a>, position: u32) -> Result<Expr<'a>> {
        if self.peek() == Tok::Punct("[") {
            self.only_es300("the constructor of an array", "an assignment to each element")?;
        }
        let array = self.array_suffix()?;
        self.expect("(")?;
        let (arguments, mut height) = self.arguments()?;
        for size in array.iter().flatten() {
            height = height.max(size.height);
        }
        let ty = TypeSpec { base, array, position };
        self.node(ExprKind::Construct(Box::new(ty), arguments), position, height)
    }

    /// `[size]`, `[]`, several of them or nothing.
    pub(super) fn array_suffix(&mut self) -> Result<Vec<ArraySize<'a>>> {
        let mut sizes = Vec::new();
        while self.peek() == Tok::Punct("[") {
            if !sizes.is_empty() && self.language != Language::Es310 {
                return Err(self.unexpected("no second '[': GLSL ES has no arrays of arrays before 3.10"));
            }
            self.advance();
            self.enter()?;
            let size = if self.peek() == Tok::Punct("]") { None } else { Some(Box::new(self.expression()?)) };
            self.expression_depth -= 1;
            self.expect("]")?;
            sizes.push(size);
            if sizes.len() > self.most_levels {
                return Err(Problem::nesting(self.position(), "arrays of arrays", self.most_levels));
            }
        }
        Ok(sizes)
    }

    /// Arguments after `(`, up to and with `)`.
    fn arguments(&mut self) -> Result<(Vec<Expr<'a>>, usize)> {
        let mut arguments = Vec::new();
        let mut height = 0;
        if self.take(")") {
            return Ok((arguments, height));
        }
        if matches!(self.peek(), Tok::Ident("void")) && self.peek_at(1) == Tok::Punct(")") {
            self.at += 2;
            return Ok((arguments, height));
        }
        self.enter()?;
        loop {
            let argument = self.assignment()?;
            height = height.max(argument.height);
            arguments.push(argument);
            if self.take(")") {
                self.expression_depth -= 1;
                return Ok((arguments, height));
            }
            if !self.take(",") {
                return Err(self.unexpected("',' or ')'"));
            }
        }
    }

    fn enter(&mut self) -> Result<()> {
        self.expression_depth += 1;
        if self.expression_depth > self.most_levels {
            return Err(Problem::nesting(self.position(), "levels of nesting in an expression", self.most_levels));
        }
        Ok(())
    }

    /// A node above others of height `below`.
    fn node(&mut self, kind: ExprKind<'a>, position: u32, below: usize) -> Result<Expr<'a>> {
        if below >= self.most_levels {
            return Err(Problem::nesting(position, "levels of nesting in an expression", self.most_levels));
        }
        let start = start_of(&kind).unwrap_or(position);
        if let Some(end) = self.end_of_last() {
            self.extents.push((position, start..end));
        }
        Ok(Expr { kind, position, start, height: below + 1 })
    }
}

/// Where an expression begins that begins with another.
fn start_of(kind: &ExprKind<'_>) -> Option<u32> {
    match kind {
        ExprKind::Chain(first, _) | ExprKind::Field(first, _) | ExprKind::Length(first) => Some(first.start),
        ExprKind::Step(Step { prefix: false, .. }, operand) => Some(operand.start),
        ExprKind::Ternary(parts) => parts.first().map(|first| first.start),
        ExprKind::Assign(_, parts) | ExprKind::Index(parts) => parts.first().map(|first| first.start),
        ExprKind::Comma(parts) => parts.first().map(|first| first.start),
        _ => None,
    }
}
