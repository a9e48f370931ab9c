//! Precisions, which change nothing here: all our numbers have 32 bits. What lacks one is noted.

use super::super::ast::{BaseType, Qualifiers, TypeSpec};
use super::super::error::{Note, Problem, Result};
use super::super::source::Stage;
use super::super::types::{Scalar, Type};
use super::Parser;

/// The types that have a precision where none is written (GLSL ES 3.00, 4.5.4). `int` and `uint` always have one.
pub(super) struct Precisions {
    stage: Stage,
    /// Those of inner scopes behind those of outer ones.
    given: Vec<Type>,
    /// Those that were missed already.
    missed: Vec<Type>,
}

impl Precisions {
    pub(super) fn new(stage: Stage) -> Self {
        let samplers = ["sampler2D", "samplerCube"].into_iter().filter_map(Type::from_keyword);
        let given = samplers.chain((stage == Stage::Vertex).then_some(Type::FLOAT)).collect();
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
        if !(self.take_word("lowp") || self.take_word("mediump") || self.take_word("highp")) {
            return Err(self.unexpected("'lowp', 'mediump' or 'highp'"));
        }
        let position = self.position();
        match self.type_spec()?.base {
            BaseType::Known(ty @ (Type::FLOAT | Type::INT | Type::Sampler(_))) => {
                self.precisions.given.push(ty);
                self.expect(";")
            }
            _ => Err(Problem::expected(position, "'float', 'int' or a sampler type", "another type")),
        }
    }

    /// Notes a type that lacks a precision, each once.
    pub(super) fn expect_precision(&mut self, qualifiers: &Qualifiers<'a>, spec: &TypeSpec<'a>) {
        let of = match &spec.base {
            BaseType::Known(Type::Numeric(Scalar::Float, ..)) => Type::FLOAT,
            BaseType::Known(sampler @ Type::Sampler(_)) => sampler.clone(),
            BaseType::Known(_) | BaseType::Named(_) | BaseType::Struct(..) => return,
        };
        let Precisions { stage, given, missed } = &mut self.precisions;
        if qualifiers.precision || given.contains(&of) || missed.contains(&of) {
            return;
        }
        let what =
            format!("no precision: in a {stage} shader {of} has none by default, expected 'precision highp {of};'");
        self.notes.push(Note::oddity(spec.position, what));
        missed.push(of);
    }
}
