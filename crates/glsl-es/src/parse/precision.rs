//! Precisions, which change nothing here: all our numbers have 32 bits. What lacks one is noted.

use super::super::ast::{BaseType, Precision, Qualifiers, TypeSpec};
use super::super::error::{Note, Problem, Result};
use super::super::lex::Tok;
use super::super::source::Stage;
use super::super::types::{Scalar, Type};
use super::Parser;

const PRECISIONS: &str = "'lowp', 'mediump' or 'highp'";

/// The precisions of types where none is written (GLSL ES 3.00, 4.5.4).
pub(super) struct Precisions {
    stage: Stage,
    /// Those of inner scopes behind those of outer ones.
    given: Vec<(Type, Precision)>,
    /// Those that were missed already.
    missed: Vec<Type>,
}

impl Precisions {
    pub(super) fn new(stage: Stage) -> Self {
        let samplers = ["sampler2D", "samplerCube"].into_iter().filter_map(Type::from_keyword);
        let mut given: Vec<_> = samplers.map(|sampler| (sampler, Precision::Low)).collect();
        match stage {
            Stage::Vertex => given.extend([(Type::FLOAT, Precision::High), (Type::INT, Precision::High)]),
            Stage::Fragment => given.push((Type::INT, Precision::Medium)),
        }
        Self { stage, given, missed: Vec::new() }
    }

    /// A scope begins: what [`Self::leave`] is to be told.
    pub(super) fn enter(&self) -> usize {
        self.given.len()
    }

    /// A scope ends, and with it what was said in it.
    pub(super) fn leave(&mut self, entered: usize) {
        self.given.truncate(entered);
    }
}

impl<'a> Parser<'a, '_> {
    /// `precision highp float;`
    pub(super) fn precision(&mut self) -> Result<()> {
        self.advance();
        let Tok::Ident(word) = self.peek() else { return Err(self.unexpected(PRECISIONS)) };
        let Some(precision) = Precision::from_keyword(word) else { return Err(self.unexpected(PRECISIONS)) };
        self.advance();
        let position = self.position();
        match self.type_spec()? {
            TypeSpec { base: BaseType::Known(ty @ (Type::FLOAT | Type::INT | Type::Sampler(_))), array, .. }
                if array.is_empty() =>
            {
                self.precisions.given.push((ty, precision));
                self.expect(";")
            }
            _ => Err(Problem::expected(position, "'float', 'int' or a sampler type", "another type")),
        }
    }

    /// Gives a type without a precision that which it has by default. One that has none is noted, once.
    pub(super) fn expect_precision(&mut self, qualifiers: &mut Qualifiers<'a>, spec: &TypeSpec<'a>) {
        let of = match &spec.base {
            BaseType::Known(Type::Numeric(Scalar::Float, ..)) => Type::FLOAT,
            BaseType::Known(Type::Numeric(Scalar::Int | Scalar::Uint, ..)) => Type::INT,
            BaseType::Known(sampler @ Type::Sampler(_)) => sampler.clone(),
            BaseType::Known(_) | BaseType::Named(_) | BaseType::Struct(..) => {
                if qualifiers.precision.take().is_some() {
                    let what = "a precision for a type that has none: expected it only before float, int and \
                        sampler types";
                    self.notes.push(Note::oddity(qualifiers.position, what));
                }
                return;
            }
        };
        let Precisions { stage, given, missed } = &mut self.precisions;
        let by_default = given.iter().rev().find(|(ty, _)| *ty == of).map(|(_, precision)| *precision);
        qualifiers.precision = qualifiers.precision.or(by_default);
        if qualifiers.precision.is_some() || missed.contains(&of) {
            return;
        }
        let what =
            format!("no precision: in a {stage} shader {of} has none by default, expected 'precision highp {of};'");
        self.notes.push(Note::oddity(spec.position, what));
        missed.push(of);
    }
}
