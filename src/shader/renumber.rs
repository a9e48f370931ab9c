//! The handles in expressions and statements, for whoever puts expressions between others.
//!
//! naga wants each expression behind those that it reads, so a function with a few more of them is a new one, in which
//! every handle is another.

use naga::{AtomicFunction, Block, Expression, Handle, Range, SampleLevel, Statement};

/// Where each expression has gone, by its old index.
#[derive(Default)]
pub(super) struct Renumbering {
    moved: Vec<Moved>,
}

struct Moved {
    /// The first of what now stands in its place.
    first: Handle<Expression>,
    /// What gives its value.
    value: Handle<Expression>,
}

impl Renumbering {
    /// The next expression now is the range from `first` to `value`.
    pub(crate) fn push(&mut self, first: Handle<Expression>, value: Handle<Expression>) {
        self.moved.push(Moved { first, value });
    }

    /// Where the value of an expression is now.
    pub(crate) fn value(&self, old: Handle<Expression>) -> Handle<Expression> {
        // Operands come first, so all that is asked for is there; naga checks what comes out of this.
        self.moved.get(old.index()).map_or(old, |moved| moved.value)
    }

    /// Renames what an expression reads. `None` is one that only extensions have, none of which are accepted.
    pub(crate) fn expression(&self, expression: &mut Expression) -> Option<()> {
        let one = |handle: &mut Handle<Expression>| *handle = self.value(*handle);
        let maybe = |handle: &mut Option<Handle<Expression>>| handle.iter_mut().for_each(one);
        match expression {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. } => {}
            Expression::Compose { components, .. } => components.iter_mut().for_each(one),
            Expression::Access { base, index } => [base, index].into_iter().for_each(one),
            Expression::AccessIndex { base: operand, .. }
            | Expression::Splat { value: operand, .. }
            | Expression::Swizzle { vector: operand, .. }
            | Expression::Load { pointer: operand }
            | Expression::Unary { expr: operand, .. }
            | Expression::Derivative { expr: operand, .. }
            | Expression::Relational { argument: operand, .. }
            | Expression::As { expr: operand, .. }
            | Expression::ArrayLength(operand) => one(operand),
            Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(one),
            Expression::Select { condition, accept, reject } => [condition, accept, reject].into_iter().for_each(one),
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                one(arg);
                [arg1, arg2, arg3].into_iter().for_each(maybe);
            }
            Expression::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
                [image, sampler, coordinate].into_iter().for_each(one);
                [array_index, offset, depth_ref].into_iter().for_each(maybe);
                match level {
                    SampleLevel::Auto | SampleLevel::Zero => {}
                    SampleLevel::Exact(operand) | SampleLevel::Bias(operand) => one(operand),
                    SampleLevel::Gradient { x, y } => [x, y].into_iter().for_each(one),
                }
            }
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                [image, coordinate].into_iter().for_each(one);
                [array_index, sample, level].into_iter().for_each(maybe);
            }
            Expression::ImageQuery { image, query } => {
                one(image);
                if let naga::ImageQuery::Size { level } = query {
                    maybe(level);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Renames what statements read. `None` is one that only extensions have, none of which are accepted.
    pub(crate) fn block(&self, block: &mut Block) -> Option<()> {
        block.iter_mut().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&self, statement: &mut Statement) -> Option<()> {
        let one = |handle: &mut Handle<Expression>| *handle = self.value(*handle);
        match statement {
            Statement::Emit(range) => *range = self.range(range)?,
            Statement::Break
            | Statement::Continue
            | Statement::Kill
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_) => {}
            Statement::Block(block) => self.block(block)?,
            Statement::If { condition, accept, reject } => {
                one(condition);
                self.block(accept)?;
                self.block(reject)?;
            }
            Statement::Switch { selector, cases } => {
                one(selector);
                cases.iter_mut().try_for_each(|case| self.block(&mut case.body))?;
            }
            Statement::Loop { body, continuing, break_if } => {
                self.block(body)?;
                self.block(continuing)?;
                break_if.iter_mut().for_each(one);
            }
            Statement::Return { value } => value.iter_mut().for_each(one),
            Statement::Store { pointer, value } => [pointer, value].into_iter().for_each(one),
            Statement::ImageStore { image, coordinate, array_index, value } => {
                [image, coordinate, value].into_iter().for_each(one);
                array_index.iter_mut().for_each(one);
            }
            Statement::Atomic { pointer, fun, value, result } => {
                [pointer, value].into_iter().for_each(one);
                result.iter_mut().for_each(one);
                if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                    one(compare);
                }
            }
            Statement::WorkGroupUniformLoad { pointer, result } => [pointer, result].into_iter().for_each(one),
            Statement::Call { arguments, result, .. } => arguments.iter_mut().chain(result).for_each(one),
            _ => return None,
        }
        Some(())
    }

    fn range(&self, range: &Range<Expression>) -> Option<Range<Expression>> {
        let Some((first, last)) = range.first_and_last() else { return Some(range.clone()) };
        let first = self.moved.get(first.index())?.first;
        Some(Range::new_from_bounds(first, self.value(last)))
    }
}
