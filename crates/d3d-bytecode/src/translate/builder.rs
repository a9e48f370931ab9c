//! A function under construction: expressions, and statements in nested blocks.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Range, ScalarKind, Span,
    Statement, SwizzleComponent, Type, UnaryOperator, VectorSize,
};

use crate::Lane;

/// A value of a function.
pub(super) type ValueHandle = Handle<Expression>;

/// A function under construction.
pub(super) struct FunctionBuilder {
    pub function: Function,
    /// The blocks that are open, the innermost last.
    blocks: Vec<OpenBlock>,
    span: Span,
}

/// A block that statements are added to.
#[derive(Default)]
struct OpenBlock {
    block: Block,
    /// Behind a jump nothing is reached.
    is_left: bool,
    /// The expressions of the last statement, if it only evaluates.
    emitted: Option<(ValueHandle, ValueHandle)>,
}

impl FunctionBuilder {
    pub(super) fn new() -> Self {
        Self { function: Function::default(), blocks: vec![OpenBlock::default()], span: Span::UNDEFINED }
    }

    /// Whatever follows comes from the token at this byte of the program.
    pub(super) fn at(&mut self, offset: u32) {
        self.span = Span::new(offset, offset.saturating_add(4));
    }

    /// Adds an expression.
    pub(super) fn value(&mut self, expression: Expression) -> ValueHandle {
        let is_known_at_once = matches!(
            expression,
            Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_)
                | Expression::GlobalVariable(_)
                | Expression::LocalVariable(_)
        );
        let value = self.function.expressions.append(expression, self.span);
        if !is_known_at_once {
            self.emit(value);
        }
        value
    }

    fn emit(&mut self, value: ValueHandle) {
        let span = self.span;
        let Some(open) = self.blocks.last_mut() else { return };
        if open.is_left {
            // Nothing reaches it, nor what takes it.
            return;
        }
        if let Some((first, last)) = open.emitted
            && last.index() + 1 == value.index()
        {
            // One statement evaluates them all.
            if let Some(Statement::Emit(all)) = open.block.last_mut() {
                *all = Range::new_from_bounds(first, value);
                open.emitted = Some((first, value));
                return;
            }
        }
        open.emitted = Some((value, value));
        open.block.push(Statement::Emit(Range::new_from_bounds(value, value)), span);
    }

    /// Adds a statement, unless nothing reaches it.
    pub(super) fn push(&mut self, statement: Statement) {
        let span = self.span;
        let leaves =
            matches!(statement, Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill);
        if let Some(open) = self.blocks.last_mut() {
            open.emitted = None;
            if !open.is_left {
                open.block.push(statement, span);
            }
            open.is_left |= leaves;
        }
    }

    /// Whether nothing reaches what is added now.
    pub(super) fn is_left(&self) -> bool {
        self.blocks.last().is_some_and(|open| open.is_left)
    }

    /// Begins a block.
    pub(super) fn open(&mut self) {
        self.blocks.push(OpenBlock::default());
    }

    /// Ends the innermost block; whether it is left before its end.
    pub(super) fn close(&mut self) -> (Block, bool) {
        let OpenBlock { block, is_left, .. } = self.blocks.pop().unwrap_or_default();
        (block, is_left)
    }

    /// Adds a block that is run where a condition holds: what was added since `open`.
    pub(super) fn close_if(&mut self, condition: ValueHandle) {
        let (accept, _) = self.close();
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }

    /// Puts a block before everything in the innermost open one.
    pub(super) fn begin_with(&mut self, block: Block) {
        if let Some(open) = self.blocks.last_mut() {
            open.block.splice(0..0, block);
        }
    }

    /// Adds the result of a statement, which is there once that has run.
    pub(super) fn result(&mut self, expression: Expression) -> ValueHandle {
        self.function.expressions.append(expression, self.span)
    }

    /// Adds a variable of the function.
    pub(super) fn local(&mut self, name: String, ty: Handle<Type>, init: Option<ValueHandle>) -> ValueHandle {
        let variable = LocalVariable { name: Some(name), ty, init };
        let variable = self.function.local_variables.append(variable, self.span);
        self.value(Expression::LocalVariable(variable))
    }

    pub(super) fn uint(&mut self, value: u32) -> ValueHandle {
        self.value(Expression::Literal(Literal::U32(value)))
    }

    pub(super) fn int(&mut self, value: i32) -> ValueHandle {
        self.value(Expression::Literal(Literal::I32(value)))
    }

    /// A finite float.
    pub(super) fn float(&mut self, value: f32) -> ValueHandle {
        self.value(Expression::Literal(Literal::F32(value)))
    }

    /// The same in four lanes.
    pub(super) fn splat(&mut self, value: ValueHandle) -> ValueHandle {
        self.splat_to(VectorSize::Quad, value)
    }

    pub(super) fn splat_to(&mut self, size: VectorSize, value: ValueHandle) -> ValueHandle {
        self.value(Expression::Splat { size, value })
    }

    /// Four equal words.
    pub(super) fn uint4(&mut self, value: u32) -> ValueHandle {
        let value = self.uint(value);
        self.splat(value)
    }

    /// Four equal finite floats.
    pub(super) fn float4(&mut self, value: f32) -> ValueHandle {
        let value = self.float(value);
        self.splat(value)
    }

    pub(super) fn compose(&mut self, ty: Handle<Type>, components: Vec<ValueHandle>) -> ValueHandle {
        self.value(Expression::Compose { ty, components })
    }

    pub(super) fn load(&mut self, pointer: ValueHandle) -> ValueHandle {
        self.value(Expression::Load { pointer })
    }

    pub(super) fn store(&mut self, pointer: ValueHandle, value: ValueHandle) {
        self.push(Statement::Store { pointer, value });
    }

    /// One lane of a vector, one member of a structure, or a pointer to one.
    pub(super) fn part(&mut self, base: ValueHandle, index: u32) -> ValueHandle {
        self.value(Expression::AccessIndex { base, index })
    }

    /// An element by a number that is computed.
    pub(super) fn element(&mut self, base: ValueHandle, index: ValueHandle) -> ValueHandle {
        self.value(Expression::Access { base, index })
    }

    pub(super) fn unary(&mut self, op: UnaryOperator, expr: ValueHandle) -> ValueHandle {
        self.value(Expression::Unary { op, expr })
    }

    pub(super) fn binary(&mut self, op: BinaryOperator, left: ValueHandle, right: ValueHandle) -> ValueHandle {
        self.value(Expression::Binary { op, left, right })
    }

    pub(super) fn select(&mut self, condition: ValueHandle, accept: ValueHandle, reject: ValueHandle) -> ValueHandle {
        self.value(Expression::Select { condition, accept, reject })
    }

    pub(super) fn math(&mut self, fun: MathFunction, arg: ValueHandle) -> ValueHandle {
        self.value(Expression::Math { fun, arg, arg1: None, arg2: None, arg3: None })
    }

    pub(super) fn math2(&mut self, fun: MathFunction, arg: ValueHandle, arg1: ValueHandle) -> ValueHandle {
        self.value(Expression::Math { fun, arg, arg1: Some(arg1), arg2: None, arg3: None })
    }

    /// The same bits as another kind of number.
    pub(super) fn bits(&mut self, expr: ValueHandle, kind: ScalarKind) -> ValueHandle {
        self.value(Expression::As { expr, kind, convert: None })
    }

    /// The same number as another kind.
    pub(super) fn convert(&mut self, expr: ValueHandle, kind: ScalarKind) -> ValueHandle {
        self.value(Expression::As { expr, kind, convert: Some(4) })
    }

    /// Lanes of a vector of four.
    pub(super) fn swizzle(&mut self, vector: ValueHandle, lanes: [Lane; 4]) -> ValueHandle {
        if lanes == Lane::ALL {
            return vector;
        }
        self.swizzle_to(VectorSize::Quad, vector, lanes)
    }

    /// The first lanes of such.
    pub(super) fn swizzle_to(&mut self, size: VectorSize, vector: ValueHandle, lanes: [Lane; 4]) -> ValueHandle {
        let pattern = lanes.map(|lane| match lane {
            Lane::X => SwizzleComponent::X,
            Lane::Y => SwizzleComponent::Y,
            Lane::Z => SwizzleComponent::Z,
            Lane::W => SwizzleComponent::W,
        });
        self.value(Expression::Swizzle { size, vector, pattern })
    }
}
