//! Measures what backends and drivers make of a module: values written out element by element, and calls inlined.

use naga::{Arena, Block, Expression, Function, Handle, Module, Statement};

use super::sizes::Sizes;
use super::{Exceeded, start_of};
use crate::limits::{MAX_SHADER_CALL_DEPTH, MAX_SHADER_EXPRESSIONS, MAX_SHADER_INLINED_EXPRESSIONS};

/// Checks how many expressions a module has, as it stands and with everything inlined.
pub(super) fn check(module: &Module, sizes: &Sizes) -> Result<(), Exceeded> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = || module.functions.iter().map(|(_, function)| function).chain(entries.clone());
    let count: usize = functions().map(|function| function.expressions.len()).sum();
    let count = (count + module.global_expressions.len()) as u64;
    check_expressions(count)?;

    let constants = Written::of_constants(module, sizes);
    let written = constants.sum_of_values(module);
    let mut inlined: Vec<Inlined> = Vec::with_capacity(module.functions.len());
    let mut sum = written;
    let what = "number of expressions with every call inlined and every value expanded";
    let check = |found, place| Exceeded::above(what, found, MAX_SHADER_INLINED_EXPRESSIONS, place);
    check(sum, None)?;
    let place_of = |number: usize| {
        let handle = module.functions.iter().nth(number).map(|(handle, _)| handle);
        handle.and_then(|handle| start_of(module.functions.get_span(handle)))
    };
    for (number, function) in functions().enumerate() {
        let (own, found) = Walk::of(module, function, sizes, &constants, &inlined);
        sum = sum.saturating_add(own);
        let exceeded = check(found.expressions, None)
            .and_then(|()| check(sum, None))
            .and_then(|()| Exceeded::above("nesting of calls", found.depth, MAX_SHADER_CALL_DEPTH as u64, None));
        exceeded.map_err(|exceeded| Exceeded { place: place_of(number), ..exceeded })?;
        inlined.push(found);
    }
    Ok(())
}

/// Checks how many expressions a module has as it stands.
pub fn check_expressions(count: u64) -> Result<(), Exceeded> {
    Exceeded::above("number of expressions", count, MAX_SHADER_EXPRESSIONS, None)
}

/// A function with all that it calls in place of the calls.
#[derive(Clone, Copy, Default)]
struct Inlined {
    expressions: u64,
    /// Calls within each other, those of the function included.
    depth: u64,
}

/// Scalars of each expression, written out where it is named.
struct Written {
    words: Vec<u64>,
}

impl Written {
    fn get(&self, expression: Handle<Expression>) -> u64 {
        self.words.get(expression.index()).copied().unwrap_or(1)
    }

    /// Of the expressions outside of functions.
    fn of_constants(module: &Module, sizes: &Sizes) -> Self {
        let mut written = Self { words: Vec::with_capacity(module.global_expressions.len()) };
        for (_, expression) in module.global_expressions.iter() {
            let words = written.of(module, expression, (sizes, None));
            written.words.push(words);
        }
        written
    }

    /// Of a function's expressions; those that statements evaluate have a name of their own.
    fn of_function(module: &Module, function: &Function, of: (&Sizes, &Self), is_evaluated: &[bool]) -> Self {
        let mut written = Self { words: Vec::with_capacity(function.expressions.len()) };
        for (handle, expression) in function.expressions.iter() {
            let words = match is_evaluated.get(handle.index()) {
                Some(true) => 1,
                _ => written.of(module, expression, (of.0, Some(of.1))),
            };
            written.words.push(words);
        }
        written
    }

    fn of(&self, module: &Module, expression: &Expression, (sizes, constants): (&Sizes, Option<&Self>)) -> u64 {
        match expression {
            Expression::ZeroValue(ty) => sizes.words(*ty).max(1),
            Expression::Compose { components, .. } => self.sum(components),
            // One with a name is written once, and named then.
            Expression::Constant(constant) => match module.constants.try_get(*constant) {
                Ok(constant) if constant.name.is_none() => constants.unwrap_or(self).get(constant.init),
                _ => 1,
            },
            _ => 1,
        }
    }

    fn sum(&self, expressions: &[Handle<Expression>]) -> u64 {
        expressions.iter().fold(0, |sum: u64, expression| sum.saturating_add(self.get(*expression)))
    }

    /// Scalars of all constants and first values of variables together.
    fn sum_of_values(&self, module: &Module) -> u64 {
        let constants = module.constants.iter().map(|(_, constant)| constant.init);
        let globals = module.global_variables.iter().filter_map(|(_, global)| global.init);
        let values = constants.chain(globals).map(|init| self.get(init));
        values.fold(0, u64::saturating_add)
    }
}

/// A walk through a function's statements.
struct Walk<'w> {
    written: &'w Written,
    inlined: &'w [Inlined],
    /// Values that statements name, written out.
    named: u64,
    /// Expressions of the functions that are called.
    called: u64,
    /// Calls within each other.
    depth: u64,
}

impl Walk<'_> {
    /// Expressions of a function: its own, and with all calls inlined.
    fn of(
        module: &Module,
        function: &Function,
        sizes: &Sizes,
        constants: &Written,
        inlined: &[Inlined],
    ) -> (u64, Inlined) {
        let mut is_evaluated = vec![false; function.expressions.len()];
        mark_evaluated(&function.body, &mut is_evaluated);
        let written = Written::of_function(module, function, (sizes, constants), &is_evaluated);
        let own = own_expressions(&function.expressions, &written, sizes);
        let variables = function.local_variables.iter().map(|(_, variable)| {
            let zeros = sizes.words(variable.ty);
            variable.init.map_or(zeros, |init| written.get(init))
        });
        let own = variables.fold(own, u64::saturating_add);
        let mut walk = Walk { written: &written, inlined, named: 0, called: 0, depth: 0 };
        walk.block(&function.body);
        let own = own.saturating_add(walk.named);
        (own, Inlined { expressions: own.saturating_add(walk.called), depth: walk.depth })
    }

    fn block(&mut self, block: &Block) {
        for statement in block.iter() {
            let named = match statement {
                Statement::Store { value, .. } => self.written.get(*value),
                Statement::Return { value: Some(value) } => self.written.get(*value),
                Statement::Call { function, arguments, .. } => {
                    // naga keeps callees before their callers, and the validator refuses what does not.
                    let callee = self.inlined.get(function.index()).copied().unwrap_or_default();
                    self.called = self.called.saturating_add(callee.expressions);
                    self.depth = self.depth.max(callee.depth + 1);
                    self.written.sum(arguments)
                }
                _ => 0,
            };
            self.named = self.named.saturating_add(named);
            parts(statement).into_iter().for_each(|part| self.block(part));
        }
    }
}

/// Expressions of a function, where each that takes others that have no name has them written out.
fn own_expressions(expressions: &Arena<Expression>, written: &Written, sizes: &Sizes) -> u64 {
    let each = expressions.iter().map(|(_, expression)| match expression {
        Expression::Compose { components, .. } => written.sum(components),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => written.get(*base).saturating_add(1),
        Expression::ZeroValue(ty) => sizes.words(*ty).max(1),
        _ => 1,
    });
    each.fold(0, u64::saturating_add)
}

fn mark_evaluated(block: &Block, is_evaluated: &mut [bool]) {
    for statement in block.iter() {
        if let Statement::Emit(range) = statement {
            for expression in range.clone() {
                if let Some(mark) = is_evaluated.get_mut(expression.index()) {
                    *mark = true;
                }
            }
        }
        parts(statement).into_iter().for_each(|part| mark_evaluated(part, is_evaluated));
    }
}

/// The blocks within a statement.
fn parts(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}
