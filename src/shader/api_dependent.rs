//! Finds what a stage computes that each API, and each driver, decides for itself.
//!
//! | what | why |
//! |---|---|
//! | `asin`, `acos` | both APIs allow an error, and drivers approximate them in another way for each |
//! | comparisons of what may be a NaN | WGSL leaves them open; GLSL's compilers turn `!(a < b)` into `a >= b` |
//!
//! What may be a NaN: quotients and remainders by what is no constant, functions outside of their domain, bits taken as a
//! float, and whatever is computed from those, through variables and functions. That a trace's vertices hold NaNs, or that
//! infinities are subtracted, is not looked for.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, MathFunction, Module,
    ScalarKind, Statement, TypeInner,
};

use super::stage::StageModule;
use super::wgsl::validate;
use naga_gate::guarded;

/// Something that each API decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiDependence {
    /// `asin` or `acos`.
    InverseSine,
    /// A comparison, `min` or the like of what may be a NaN.
    NanComparison,
}

impl fmt::Display for ApiDependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InverseSine => "it uses asin or acos, whose last bits depend on the API",
            Self::NanComparison => "it compares a value that may be NaN, whose result depends on the API",
        })
    }
}

/// What a stage leaves to the API, as far as its entry point gets to it. `Err` is half a sentence.
pub fn api_dependences(stage: &StageModule) -> Result<BTreeSet<ApiDependence>, String> {
    guarded(|| {
        let info = validate(&stage.module).map_err(|error| error.as_inner().to_string())?;
        Ok(Search::new(stage, &info).run())
    })?
}

/// `None` is the entry point.
type Key = Option<Handle<Function>>;

struct Body<'m> {
    key: Key,
    function: &'m Function,
    info: &'m FunctionInfo,
}

/// What may hold a NaN, as far as is known yet.
#[derive(Default, PartialEq, Clone)]
struct Nans {
    locals: HashSet<(Key, Handle<LocalVariable>)>,
    globals: HashSet<Handle<GlobalVariable>>,
    arguments: HashSet<(Key, u32)>,
    results: HashSet<Handle<Function>>,
}

struct Search<'m> {
    module: &'m Module,
    bodies: Vec<Body<'m>>,
    nans: Nans,
    found: BTreeSet<ApiDependence>,
}

impl<'m> Search<'m> {
    fn new(stage: &'m StageModule, info: &'m ModuleInfo) -> Self {
        let module = &stage.module;
        let mut bodies = Vec::new();
        let mut reached = BTreeSet::new();
        let entries = module.entry_points.iter().enumerate().filter(|(_, entry)| entry.name == stage.entry_point);
        bodies.extend(entries.map(|(index, entry)| Body {
            key: None,
            function: &entry.function,
            info: info.get_entry_point(index),
        }));
        let mut next = 0;
        while let Some(function) = bodies.get(next).map(|body| body.function) {
            each_statement(&function.body, &mut |statement| {
                if let Statement::Call { function: callee, .. } = statement
                    && reached.insert(*callee)
                    && let Ok(function) = module.functions.try_get(*callee)
                {
                    bodies.push(Body { key: Some(*callee), function, info: &info[*callee] });
                }
            });
            next += 1;
        }
        Self { module, bodies, nans: Nans::default(), found: BTreeSet::new() }
    }

    /// Goes through all functions until nothing more is found to hold a NaN.
    fn run(mut self) -> BTreeSet<ApiDependence> {
        loop {
            let before = self.nans.clone();
            let bodies = std::mem::take(&mut self.bodies);
            bodies.iter().for_each(|body| self.search(body));
            self.bodies = bodies;
            if self.nans == before {
                return self.found;
            }
        }
    }

    fn search(&mut self, body: &Body<'_>) {
        let mut values = Values { may_be_nan: Vec::with_capacity(body.function.expressions.len()) };
        for (handle, expression) in body.function.expressions.iter() {
            let may_be = self.holds_floats(body, handle) && self.may_be_nan(body, expression, &values);
            values.may_be_nan.push(may_be);
            self.note(expression, &values);
        }
        each_statement(&body.function.body, &mut |statement| self.flow(body, statement, &values));
        for (variable, local) in body.function.local_variables.iter() {
            if local.init.is_some_and(|init| values.get(init)) {
                self.nans.locals.insert((body.key, variable));
            }
        }
    }

    /// Whether a value is one of floats, or may have floats among its parts.
    fn holds_floats(&self, body: &Body<'_>, handle: Handle<Expression>) -> bool {
        match body.info[handle].ty.inner_with(&self.module.types) {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => scalar.kind == ScalarKind::Float,
            _ => true,
        }
    }

    fn may_be_nan(&self, body: &Body<'_>, expression: &Expression, values: &Values) -> bool {
        match expression {
            Expression::Compose { components, .. } => components.iter().any(|part| values.get(*part)),
            Expression::Splat { value: part, .. }
            | Expression::Swizzle { vector: part, .. }
            | Expression::Access { base: part, .. }
            | Expression::AccessIndex { base: part, .. }
            | Expression::Load { pointer: part }
            | Expression::Unary { expr: part, .. }
            | Expression::Derivative { expr: part, .. } => values.get(*part),
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, left, right } => {
                values.get(*left) || !self.is_nonzero_constant(body.function, *right)
            }
            Expression::Binary { left: one, right: other, .. }
            | Expression::Select { accept: one, reject: other, .. } => values.get(*one) || values.get(*other),
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let arguments = [Some(*arg), *arg1, *arg2, *arg3];
                has_a_domain(*fun) || arguments.into_iter().flatten().any(|argument| values.get(argument))
            }
            Expression::As { convert: None, kind: ScalarKind::Float, .. } => true,
            Expression::As { expr, .. } => values.get(*expr),
            Expression::FunctionArgument(index) => self.nans.arguments.contains(&(body.key, *index)),
            Expression::LocalVariable(variable) => self.nans.locals.contains(&(body.key, *variable)),
            Expression::GlobalVariable(variable) => self.nans.globals.contains(variable),
            Expression::CallResult(function) => self.nans.results.contains(function),
            _ => false,
        }
    }

    /// Notes what an expression leaves to the API.
    fn note(&mut self, expression: &Expression, values: &Values) {
        let compares = match expression {
            Expression::Binary { op, left, right } => is_comparison(*op) && (values.get(*left) || values.get(*right)),
            Expression::Relational { argument, .. } => values.get(*argument),
            Expression::Math { fun: MathFunction::Asin | MathFunction::Acos, .. } => {
                self.found.insert(ApiDependence::InverseSine);
                false
            }
            Expression::Math { fun, arg, arg1, arg2, .. } if compares(*fun) => {
                [Some(*arg), *arg1, *arg2].into_iter().flatten().any(|argument| values.get(argument))
            }
            _ => false,
        };
        if compares {
            self.found.insert(ApiDependence::NanComparison);
        }
    }

    /// Carries what a statement moves on to where it arrives.
    fn flow(&mut self, body: &Body<'_>, statement: &Statement, values: &Values) {
        match statement {
            Statement::Store { pointer, value } if values.get(*value) => self.taint(body, *pointer),
            Statement::Return { value: Some(value) } if values.get(*value) => self.nans.results.extend(body.key),
            Statement::Call { function, arguments, .. } => {
                for (index, argument) in (0..).zip(arguments) {
                    if values.get(*argument) {
                        self.nans.arguments.insert((Some(*function), index));
                    } else if self.nans.arguments.contains(&(Some(*function), index)) {
                        // Through a pointer; a value is nobody's variable.
                        self.taint(body, *argument);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes that the variable that a pointer leads to may hold a NaN.
    fn taint(&mut self, body: &Body<'_>, pointer: Handle<Expression>) {
        match body.function.expressions.try_get(pointer) {
            Ok(Expression::Access { base, .. } | Expression::AccessIndex { base, .. }) => self.taint(body, *base),
            Ok(Expression::LocalVariable(variable)) => drop(self.nans.locals.insert((body.key, *variable))),
            Ok(Expression::GlobalVariable(variable)) => drop(self.nans.globals.insert(*variable)),
            Ok(Expression::FunctionArgument(index)) => drop(self.nans.arguments.insert((body.key, *index))),
            _ => {}
        }
    }

    fn is_nonzero_constant(&self, function: &Function, handle: Handle<Expression>) -> bool {
        match function.expressions.try_get(handle) {
            Ok(Expression::Literal(literal)) => is_nonzero(literal),
            Ok(Expression::Splat { value, .. }) => self.is_nonzero_constant(function, *value),
            Ok(Expression::Compose { components, .. }) => {
                components.iter().all(|part| self.is_nonzero_constant(function, *part))
            }
            Ok(Expression::Constant(constant)) => {
                let init = self.module.constants.try_get(*constant).map(|constant| constant.init);
                init.is_ok_and(|init| self.is_nonzero_global(init))
            }
            _ => false,
        }
    }

    fn is_nonzero_global(&self, handle: Handle<Expression>) -> bool {
        match self.module.global_expressions.try_get(handle) {
            Ok(Expression::Literal(literal)) => is_nonzero(literal),
            Ok(Expression::Splat { value, .. }) => self.is_nonzero_global(*value),
            Ok(Expression::Compose { components, .. }) => components.iter().all(|part| self.is_nonzero_global(*part)),
            _ => false,
        }
    }
}

/// By the handles of a function's expressions, which refer to earlier ones only.
struct Values {
    may_be_nan: Vec<bool>,
}

impl Values {
    fn get(&self, handle: Handle<Expression>) -> bool {
        self.may_be_nan.get(handle.index()).copied().unwrap_or(false)
    }
}

fn each_statement<'b>(block: &'b Block, visit: &mut impl FnMut(&'b Statement)) {
    for statement in block.iter() {
        visit(statement);
        let parts: Vec<&Block> = match statement {
            Statement::Block(block) => vec![block],
            Statement::If { accept, reject, .. } => vec![accept, reject],
            Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
            Statement::Loop { body, continuing, .. } => vec![body, continuing],
            _ => Vec::new(),
        };
        parts.into_iter().for_each(|part| each_statement(part, visit));
    }
}

fn is_comparison(op: BinaryOperator) -> bool {
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Functions that compare their arguments.
fn compares(fun: MathFunction) -> bool {
    use MathFunction::{Clamp, FaceForward, Max, Min, Saturate, Sign, SmoothStep, Step};
    matches!(fun, Min | Max | Clamp | Saturate | Step | SmoothStep | Sign | FaceForward)
}

/// Functions that give a NaN for some numbers.
fn has_a_domain(fun: MathFunction) -> bool {
    use MathFunction::{Acos, Acosh, Asin, Atanh, InverseSqrt, Log, Log2, Normalize, Pow, Sqrt, Unpack2x16float};
    matches!(fun, Acos | Acosh | Asin | Atanh | InverseSqrt | Log | Log2 | Normalize | Pow | Sqrt | Unpack2x16float)
}

fn is_nonzero(literal: &Literal) -> bool {
    match literal {
        Literal::F32(value) => *value != 0.0,
        Literal::AbstractFloat(value) => *value != 0.0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ShaderText, parse_wgsl};
    use super::*;
    use crate::command::ShaderStage;

    fn of(body: &str) -> Vec<ApiDependence> {
        let text = format!(
            "var<private> kept: f32; const TWO = 2.0;
            fn quotient(a: f32, b: f32) -> f32 {{ return a / b; }}
            fn is_less(a: f32) -> bool {{ return a < 1.0; }}
            fn put(into: ptr<function, f32>, a: f32) {{ *into = sqrt(a); }}
            fn unused(a: f32) -> bool {{ return asin(a) > sqrt(a); }}
            @fragment fn main(@location(0) x: f32, @location(1) v: vec3f) -> @location(0) vec4f {{
              var found = false; var y = 0.0; {body} return vec4f(f32(found), y, kept, 1.0);
            }}"
        );
        let stage = parse_wgsl(ShaderText { bytes: text.as_bytes(), offset: 0 }, ShaderStage::Fragment).unwrap();
        api_dependences(&stage).unwrap().into_iter().collect()
    }

    #[test]
    fn inverse_sines_are_found() {
        for body in ["y = asin(x);", "y = acos(x) * 0.5;", "y = asin(v).y;", "if x > 3.0 { y = acos(0.1 * x); }"] {
            assert_eq!(of(body), [ApiDependence::InverseSine], "{body}");
        }
    }

    #[test]
    fn comparisons_of_what_may_be_a_nan_are_found() {
        for body in [
            "found = 1.0 / x < 2.0;",
            "found = x % v.y != x;",
            "found = !(log(x) >= 1.0);",
            "found = any(v / v.zxy == v);",
            "y = sqrt(x) + 1.0; found = y > 2.0;",
            "y = min(sqrt(x), 1.0);",
            "y = clamp(pow(x, 2.5), 0.0, 1.0);",
            "found = bitcast<f32>(u32(x)) == 1.0;",
            "found = quotient(x, v.x) < 1.0;",
            "found = is_less(inverseSqrt(x));",
            "put(&y, x); found = y < 1.0;",
            "kept = normalize(v).x; found = kept > 0.0;",
            "for (var i = 0; i < 3; i++) { found = y > 1.0; y = x / v.x; }",
            "var a = array<f32, 2>(x, x); a[1] = x / v.y; found = a[0] == 1.0;",
        ] {
            assert_eq!(of(body), [ApiDependence::NanComparison], "{body}");
        }
    }

    #[test]
    fn what_is_a_number_is_not() {
        for body in [
            "found = x < 2.0;",
            "y = x / 2.0; found = y > 1.0;",
            "y = x / TWO; found = y > 1.0;",
            "found = any(v / vec3f(2.0, 3.0, 4.0) > v);",
            "y = 1.0 / x;",
            "found = i32(x) / i32(v.x) > 2;",
            "found = i32(sqrt(x)) > 2;",
            "y = length(v); found = y > 1.0;",
            "put(&y, x); found = x < 1.0;",
        ] {
            assert_eq!(of(body), [], "{body}");
        }
    }
}
