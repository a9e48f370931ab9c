//! A module whose text every browser compiles.
//!
//! Browsers get WGSL as text, and naga writes numbers as decimals. Of some no decimal is accepted: of the largest, which as
//! the shortest decimal lies above it; of subnormal ones, which compilers may take for 0; of NaN and infinity, which no
//! constant expression may be, not even as bits that are taken for a number. Here their bits stand in a variable, which no
//! compiler looks into.

use std::collections::HashSet;

use naga::{
    Arena, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Scalar, ScalarKind, Span, Statement,
    Type, TypeInner,
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

/// A number that stands in a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    bits: u32,
    /// Kind of the expression that it is.
    kind: ScalarKind,
}

/// Expressions of a function that are words of NaN or infinity, and taken for numbers.
fn words(function: &Function) -> HashSet<Handle<Expression>> {
    let taken = function.expressions.iter().filter_map(|(_, expression)| match expression {
        Expression::As { expr, kind: ScalarKind::Float, convert: None } => Some(*expr),
        _ => None,
    });
    let (mut left, mut words): (Vec<_>, _) = (taken.collect(), HashSet::new());
    while let Some(next) = left.pop() {
        match function.expressions.try_get(next) {
            Ok(Expression::Compose { components, .. }) => left.extend(components),
            Ok(Expression::Splat { value: part, .. }) => left.push(*part),
            Ok(Expression::Literal(literal)) if word_of(*literal).is_some_and(|word| !word.is_finite()) => {
                words.insert(next);
            }
            _ => {}
        }
    }
    words
}

/// The number whose bits a literal is.
fn word_of(literal: Literal) -> Option<f32> {
    match literal {
        Literal::U32(bits) => Some(f32::from_bits(bits)),
        Literal::I32(bits) => Some(f32::from_bits(bits as u32)),
        _ => None,
    }
}

impl Edges<'_> {
    /// The bits of a number of which no decimal will do.
    fn of_literal(literal: Literal) -> Option<Edge> {
        match literal {
            Literal::F32(value) if !value.is_finite() || value.is_subnormal() || value.abs() == f32::MAX => {
                Some(Edge { bits: value.to_bits(), kind: ScalarKind::Float })
            }
            _ => None,
        }
    }

    fn of_constant(&self, init: Handle<Expression>) -> Option<Edge> {
        match self.module.global_expressions.try_get(init).ok()? {
            Expression::Literal(literal) => Self::of_literal(*literal),
            _ => None,
        }
    }

    fn of(&self, expression: &Expression, is_word: bool) -> Option<Edge> {
        match expression {
            Expression::Literal(Literal::I32(bits)) if is_word => {
                Some(Edge { bits: *bits as u32, kind: ScalarKind::Sint })
            }
            Expression::Literal(Literal::U32(bits)) if is_word => Some(Edge { bits: *bits, kind: ScalarKind::Uint }),
            Expression::Literal(literal) => Self::of_literal(*literal),
            Expression::Constant(constant) => self.of_constant(self.module.constants.try_get(*constant).ok()?.init),
            _ => None,
        }
    }

    /// Has a function read such numbers from variables. `None` is an expression or a statement that no accepted program has.
    fn form(&self, function: &mut Function) -> Option<()> {
        let words = words(function);
        let of = |handle, expression: &Expression| self.of(expression, words.contains(&handle));
        let mut edges: Vec<Edge> =
            function.expressions.iter().filter_map(|(handle, found)| of(handle, found)).collect();
        edges.sort_unstable();
        edges.dedup();
        if edges.is_empty() {
            return Some(());
        }
        let mut expressions = Arena::new();
        let add = |expressions: &mut Arena<Expression>, expression| expressions.append(expression, Span::UNDEFINED);
        // What a variable begins with is written where no variable has been read yet: it is stored first instead.
        let begun: Vec<_> = function
            .local_variables
            .iter_mut()
            .filter_map(|(handle, variable)| {
                let init = variable.init?;
                let found = of(init, function.expressions.try_get(init).ok()?)?;
                variable.init = None;
                Some((handle, edges.iter().position(|edge| *edge == found)?))
            })
            .collect();
        let variables: Vec<_> = edges
            .iter()
            .map(|Edge { bits, .. }| {
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
            .zip(&edges)
            .map(|(pointer, Edge { kind, .. })| {
                let expr = add(&mut expressions, Expression::Load { pointer });
                match kind {
                    ScalarKind::Uint => expr,
                    kind => add(&mut expressions, Expression::As { expr, kind: *kind, convert: None }),
                }
            })
            .collect();
        let read: Range<Expression> = expressions.range_from(before);
        let own = edges.len();
        let mut renumbering = Renumbering::default();
        for (handle, expression) in function.expressions.iter() {
            let known = of(handle, expression).and_then(|found| edges.iter().position(|edge| *edge == found));
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

    /// A compiler computes what is constant, and refuses a number that is none; elsewhere a word is a word.
    #[test]
    fn words_of_numbers_that_are_none_are_no_constants() {
        let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main() {
                let all = bitcast<vec4<f32>>(vec4<u32>(0x3f800000u, 0x7fc00000u, 0xff800000u, 0u));
                let same = bitcast<vec2<f32>>(vec2<i32>(0x7fc00001));
                out[0] = bitcast<u32>(all.y + same.x);
                out[1] = 0xffffffffu;
            }";
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let formed = web_form(&module).unwrap();
        let info = validate_for_any_device(&formed).unwrap();
        let text = write_string(&formed, &info, WriterFlags::empty()).unwrap();
        for bits in [0x7fc0_0000_u32, 0xff80_0000, 0x7fc0_0001] {
            assert!(text.contains(&format!(": u32 = {bits}u;")), "{text}");
            assert_eq!(text.matches(&bits.to_string()).count(), 1, "{text}");
        }
        assert!(text.contains("1065353216u") && text.contains("= 4294967295u"), "{text}");
        let again = web_form(&formed).unwrap();
        let info = validate_for_any_device(&again).unwrap();
        assert_eq!(write_string(&again, &info, WriterFlags::empty()).unwrap(), text, "nothing is left to do");
    }
}
