//! Loops that mean on GL what they mean elsewhere.
//!
//! Mesa draws pixels side by side. One that has left a loop waits for the others, and what is computed in their turns must
//! not change what it took out of its own. Mesa keeps a value for it where the ways out of the loop tell different ones. A
//! value that is the same on all of them it reads behind the loop as the last turn of any pixel left it:
//!
//! ```text
//!  loop {                        loop {
//!    s = 3 * s + i                 if turns == 0xffff_ffff { break }     The value here is that of the turn before.
//!    i = i + 2                     turns = turns + 1
//!    if i >= n { break }           s = 3 * s + i
//!  }                               i = i + 2
//!  use s                           if i >= n { break }
//!                                }
//!                                use s
//! ```
//!
//! So a loop whose first statement is no way out is given one. Nothing takes it: a turn of that number is never reached.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Scalar, Span,
    Statement, Type, TypeInner,
};

/// Gives each loop of a module that needs it a way out at its beginning.
pub(super) fn begin_loops_with_a_way_out(module: &mut Module) {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let number = module.types.insert(number, Span::UNDEFINED);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let mut body = std::mem::take(&mut function.body);
        Loops { function, number }.visit(&mut body);
        function.body = body;
    }
}

/// The loops of a function.
struct Loops<'f> {
    function: &'f mut Function,
    /// The type of what counts turns.
    number: Handle<Type>,
}

impl Loops<'_> {
    fn visit(&mut self, block: &mut Block) {
        for statement in block.iter_mut() {
            match statement {
                Statement::Block(inner) => self.visit(inner),
                Statement::If { accept, reject, .. } => {
                    [accept, reject].into_iter().for_each(|inner| self.visit(inner))
                }
                Statement::Switch { cases, .. } => cases.iter_mut().for_each(|case| self.visit(&mut case.body)),
                Statement::Loop { body, continuing, .. } => {
                    [&mut *body, continuing].into_iter().for_each(|inner| self.visit(inner));
                    if is_left(body, Within::Loop) && !self.begins_with_a_way_out(body) {
                        self.count_turns(statement);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether nothing is stored before a way out that is not known to be taken or not.
    fn begins_with_a_way_out(&self, body: &Block) -> bool {
        let first = body.iter().find(|statement| !matches!(statement, Statement::Emit(_)));
        let Some(Statement::If { condition, accept, reject }) = first else { return false };
        let is_exit = |block: &Block| matches!(block.last(), Some(Statement::Break));
        let is_known = |found: &Expression| matches!(found, Expression::Literal(_) | Expression::Constant(_));
        (is_exit(accept) || is_exit(reject)) && !self.function.expressions.try_get(*condition).is_ok_and(is_known)
    }

    /// Puts a way out in front of a loop's body.
    fn count_turns(&mut self, statement: &mut Statement) {
        let Statement::Loop { body, continuing, break_if } = statement else { return };
        let turns = LocalVariable { name: Some("turns".to_owned()), ty: self.number, init: None };
        let turns = self.function.local_variables.append(turns, Span::UNDEFINED);
        let pointer = self.add(Expression::LocalVariable(turns));
        let [none, one, most] = [0, 1, u32::MAX].map(|number| self.add(Expression::Literal(Literal::U32(number))));
        let count = self.add(Expression::Load { pointer });
        let is_last = self.add(Expression::Binary { op: BinaryOperator::Equal, left: count, right: most });
        let next = self.add(Expression::Binary { op: BinaryOperator::Add, left: count, right: one });
        let mut counted = block([
            Statement::Emit(Range::new_from_bounds(count, next)),
            Statement::If { condition: is_last, accept: block([Statement::Break]), reject: Block::new() },
            Statement::Store { pointer, value: next },
        ]);
        counted.append(body);
        let (continuing, break_if) = (std::mem::take(continuing), *break_if);
        let counting = Statement::Loop { body: counted, continuing, break_if };
        *statement = Statement::Block(block([Statement::Store { pointer, value: none }, counting]));
    }

    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }
}

fn block<const COUNT: usize>(statements: [Statement; COUNT]) -> Block {
    Block::from_vec(statements.into())
}

/// Where in a loop a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Loop,
    /// In something of its own that a break leaves.
    Other,
}

/// Whether a block of a loop's body leaves the loop.
fn is_left(block: &Block, within: Within) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } => true,
        Statement::Break => within == Within::Loop,
        Statement::Block(inner) => is_left(inner, within),
        Statement::If { accept, reject, .. } => is_left(accept, within) || is_left(reject, within),
        Statement::Switch { cases, .. } => cases.iter().any(|case| is_left(&case.body, Within::Other)),
        Statement::Loop { body, .. } => is_left(body, Within::Other),
        _ => false,
    })
}
