//! Registers that are indexed: `x#` and the constants that a program brings along.

use std::collections::BTreeSet;

use naga::{ArraySize, Constant, Expression, Literal, Span, TypeInner};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::stage::Stage;
use crate::limits::MAX_BYTECODE_ARRAY_REGISTERS;
use crate::{DeclarationKind, OperandValue, RegisterKind};
use trace_base::error::Internal;

/// Registers of an array that a whole kind of inputs or outputs lives in.
const REGISTERS: u32 = 32;

impl Stage<'_> {
    /// Gives each kind of inputs and outputs that is indexed an array of its own.
    pub(super) fn make_arrays(&mut self) {
        let program = self.program;
        let operands = program.instructions().iter().flat_map(|instruction| program.operands(instruction));
        let indexed = operands.filter_map(|operand| match &operand.value {
            OperandValue::Register(register)
                if matches!(register.kind, RegisterKind::Input | RegisterKind::Output)
                    && register.last_index().is_some_and(|index| index.relative.is_some()) =>
            {
                Some(register.kind)
            }
            _ => None,
        });
        for kind in indexed.collect::<BTreeSet<_>>() {
            let ty = self.types.registers(&mut self.module, REGISTERS);
            let variable = self.build.local(format!("{}_all", kind.name()), ty, None);
            self.arrays.insert(kind, variable);
        }
    }

    /// The variable of a register of a kind that lives in an array; the last one past the end.
    pub(super) fn indexed_register(
        &mut self,
        kind: RegisterKind,
        number: ValueHandle,
    ) -> Result<ValueHandle, TranslateError> {
        let computed = || self.unsupported(format!("{} with a computed number", kind.name()));
        let array = *self.arrays.get(&kind).ok_or_else(computed)?;
        let last = self.build.uint(REGISTERS - 1);
        let number = self.build.math2(naga::MathFunction::Min, number, last);
        Ok(self.build.element(array, number))
    }

    /// The variable of `x#`, and how many registers it has.
    pub(super) fn indexable(&mut self, array: u32) -> Result<(ValueHandle, u32), TranslateError> {
        if let Some(known) = self.indexables.get(&array) {
            return Ok(*known);
        }
        let declared = self.program.declarations().iter().find_map(|declaration| match declaration.kind {
            DeclarationKind::IndexableTemp { array: of, elements, .. } if of == array => Some(elements),
            _ => None,
        });
        let count = declared.filter(|count| (1..=MAX_BYTECODE_ARRAY_REGISTERS).contains(count));
        let count = count.ok_or_else(|| self.unsupported(format!("an array x{array} of no declared size")))?;
        let ty = self.types.registers(&mut self.module, count);
        let variable = self.build.local(format!("x{array}"), ty, None);
        self.indexables.insert(array, (variable, count));
        Ok((variable, count))
    }

    /// A variable with the constants that the program brings along, and how many registers it has.
    pub(super) fn immediate_constants(&mut self) -> Result<(ValueHandle, u32), TranslateError> {
        if let Some(known) = self.immediates {
            return Ok(known);
        }
        let program = self.program;
        let data = program.declarations().iter().find_map(|declaration| match declaration.kind {
            DeclarationKind::ImmediateConstantBuffer(range) => Some(program.data(range)),
            _ => None,
        });
        let data = data.ok_or_else(|| self.unsupported("constants of its own that it does not define"))?;
        let made = self.constant_array(data)?;
        self.immediates = Some(made);
        Ok(made)
    }

    /// A variable that holds these words, four a register.
    fn constant_array(&mut self, data: &[u32]) -> Result<(ValueHandle, u32), TranslateError> {
        let (registers, _) = data.as_chunks::<4>();
        let count = std::num::NonZeroU32::new(registers.len() as u32);
        let count = count.ok_or(Internal::new("a program has no constants of its own"))?;
        let module = &mut self.module;
        let mut add = |expression| module.global_expressions.append(expression, Span::UNDEFINED);
        let mut elements = Vec::with_capacity(registers.len());
        for register in registers {
            let components = register.iter().map(|word| add(Expression::Literal(Literal::U32(*word)))).collect();
            elements.push(add(Expression::Compose { ty: self.types.uint4, components }));
        }
        let inner = TypeInner::Array { base: self.types.uint4, size: ArraySize::Constant(count), stride: 16 };
        let ty = module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
        let init = module.global_expressions.append(Expression::Compose { ty, components: elements }, Span::UNDEFINED);
        let constant = module.constants.append(Constant { name: Some("icb".to_owned()), ty, init }, Span::UNDEFINED);
        let init = self.build.value(Expression::Constant(constant));
        Ok((self.build.local("icb_values".to_owned(), ty, Some(init)), count.get()))
    }
}
