//! A module whose text every browser compiles.
//!
//! Browsers get WGSL as text, and naga writes numbers as decimals. Of some no decimal is accepted: of the largest, which as
//! the shortest decimal lies above it; of subnormal ones, which compilers may take for 0; of NaN and infinity, which no
//! constant expression may be. Here their bits stand in a variable, which no compiler looks into.

use naga::{
    Arena, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Scalar, Span, Statement, Type,
    TypeInner,
};

use super::renumber::Renumbering;

/// The module as a browser is to get it. `Err` is half a sentence.
pub fn web_form(module: &Module) -> Result<Module, String> {
    let mut formed = module.clone();
    let inner = TypeInner::Scalar(Scalar::U32);
    let word = formed.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let edges = Edges { module, word };
    let functions = formed.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(formed.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        edges.form(function).ok_or("it uses a feature that this build does not accept")?;
    }
    // Nothing reads them any more, and they are written all the same.
    let left: Vec<_> = formed
        .constants
        .iter()
        .filter_map(|(_, constant)| Some((constant.init, edges.of_constant(constant.init)?)))
        .collect();
    for (init, _) in left {
        *formed.global_expressions.get_mut(init) = Expression::Literal(Literal::F32(0.0));
    }
    Ok(formed)
}

struct Edges<'m> {
    module: &'m Module,
    word: Handle<Type>,
}

impl Edges<'_> {
    /// The bits of a number of which no decimal will do.
    fn of_literal(literal: Literal) -> Option<u32> {
        match literal {
            Literal::F32(value) if !value.is_finite() || value.is_subnormal() || value.abs() == f32::MAX => {
                Some(value.to_bits())
            }
            _ => None,
        }
    }

    fn of_constant(&self, init: Handle<Expression>) -> Option<u32> {
        match self.module.global_expressions.try_get(init).ok()? {
            Expression::Literal(literal) => Self::of_literal(*literal),
            _ => None,
        }
    }

    fn of(&self, expression: &Expression) -> Option<u32> {
        match expression {
            Expression::Literal(literal) => Self::of_literal(*literal),
            Expression::Constant(constant) => self.of_constant(self.module.constants.try_get(*constant).ok()?.init),
            _ => None,
        }
    }

    /// Has a function read such numbers from variables. `None` is an expression or a statement that no accepted program has.
    fn form(&self, function: &mut Function) -> Option<()> {
        let mut bits: Vec<u32> = function.expressions.iter().filter_map(|(_, found)| self.of(found)).collect();
        bits.sort_unstable();
        bits.dedup();
        if bits.is_empty() {
            return Some(());
        }
        let mut expressions = Arena::new();
        let add = |expressions: &mut Arena<Expression>, expression| expressions.append(expression, Span::UNDEFINED);
        // What a variable begins with is written where no variable has been read yet: it is stored first instead.
        let begun: Vec<_> = function
            .local_variables
            .iter_mut()
            .filter_map(|(handle, variable)| {
                let found = self.of(function.expressions.try_get(variable.init?).ok()?)?;
                variable.init = None;
                Some((handle, bits.iter().position(|bits| *bits == found)?))
            })
            .collect();
        let variables: Vec<_> = bits
            .iter()
            .map(|bits| {
                let init = Some(add(&mut expressions, Expression::Literal(Literal::U32(*bits))));
                let variable = LocalVariable { name: Some("bits".to_owned()), ty: self.word, init };
                let variable = function.local_variables.append(variable, Span::UNDEFINED);
                add(&mut expressions, Expression::LocalVariable(variable))
            })
            .collect();
        let begun: Vec<_> = begun
            .into_iter()
            .map(|(variable, known)| (add(&mut expressions, Expression::LocalVariable(variable)), known))
            .collect();
        let before = expressions.len();
        let values: Vec<_> = variables
            .into_iter()
            .map(|pointer| {
                let expr = add(&mut expressions, Expression::Load { pointer });
                add(&mut expressions, Expression::As { expr, kind: naga::ScalarKind::Float, convert: None })
            })
            .collect();
        let read: Range<Expression> = expressions.range_from(before);
        let own = bits.len();
        let mut renumbering = Renumbering::default();
        for (handle, expression) in function.expressions.iter() {
            let known = self.of(expression).and_then(|found| bits.iter().position(|bits| *bits == found));
            let mut expression = expression.clone();
            renumbering.expression(&mut expression)?;
            // Nobody reads what stood there, but ranges around it stay whole.
            if known.is_some() {
                expression = Expression::Literal(Literal::F32(0.0));
            }
            let first = expressions.append(expression, function.expressions.get_span(handle));
            renumbering.push(first, known.and_then(|known| values.get(known)).copied().unwrap_or(first));
        }
        renumbering.block(&mut function.body)?;
        for (_, variable) in function.local_variables.iter_mut().rev().skip(own) {
            variable.init = variable.init.map(|init| renumbering.value(init));
        }
        let names = std::mem::take(&mut function.named_expressions);
        function.named_expressions = names.into_iter().map(|(old, name)| (renumbering.value(old), name)).collect();
        function.expressions = expressions;
        let mut body = naga::Block::new();
        body.push(Statement::Emit(read), Span::UNDEFINED);
        for (pointer, known) in begun {
            body.push(Statement::Store { pointer, value: *values.get(known)? }, Span::UNDEFINED);
        }
        body.append(&mut function.body);
        function.body = body;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use naga::back::wgsl::{WriterFlags, write_string};

    use super::*;
    use crate::shader::wgsl::validate_for_any_device;

    const TEXT: &str = "
        const LARGEST: f32 = 340282346638528859811704183484516925440.0;
        fn clamped(value: f32) -> f32 {
            var most = 340282346638528859811704183484516925440.0;
            if value > LARGEST { most = -340282346638528859811704183484516925440.0; }
            return min(value, most) + 1e-44;
        }
        @fragment fn main(@location(0) value: f32) -> @location(0) vec4f {
            return vec4f(clamped(value), 2.5, LARGEST, 1.0);
        }";

    #[test]
    fn numbers_that_no_decimal_tells_are_bits() {
        let module = naga::front::wgsl::parse_str(TEXT).unwrap();
        let formed = web_form(&module).unwrap();
        let info = validate_for_any_device(&formed).unwrap();
        let text = write_string(&formed, &info, WriterFlags::empty()).unwrap();
        assert!(!text.contains("34028234") && !text.contains("34028235"), "{text}");
        assert!(!text.contains("0.00000000000000000000000000000000000000000001"), "{text}");
        for bits in [0x7f7f_ffff_u32, 0xff7f_ffff, 7] {
            assert!(text.contains(&format!("{bits}u")), "{text}");
        }
        assert!(text.contains("2.5"), "{text}");
        let again = web_form(&formed).unwrap();
        let info = validate_for_any_device(&again).unwrap();
        assert_eq!(write_string(&again, &info, WriterFlags::empty()).unwrap(), text, "nothing is left to do");
    }
}
