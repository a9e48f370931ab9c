//! A module that means on GL what it means elsewhere.
//!
//! naga writes GLSL operators for WGSL's, and GLSL leaves open what WGSL and naga's SPIR-V define:
//!
//! | WGSL | GLSL | here |
//! |---|---|---|
//! | `a / b`, `a % b` of integers, also for b = 0 and the least number / −1 | undefined, `%` for any negative | divisor 1 there; `a − b · (a / b)` |
//! | `i32(f)`, `u32(f)` of numbers that don't fit | undefined | clamped first |
//! | `a[i]` past the end | undefined | the last one, as where naga writes SPIR-V |
//! | `@interpolate(flat, first)` | no such thing | `flat`; who draws turns the triangles |
//! | `pack4xU8(v)` among operators | naga forgets parentheses | a variable |
//! | `vec2i(1)` as a texture's offset | naga's writer breaks | `vec2i(1, 1)` |
//! | a loop that ends in mid-turn | Mesa mixes turns up | one that can end before a turn too ([`gl_loops`](super::gl_loops)) |

use std::collections::BTreeMap;

use naga::valid::FunctionInfo;
use naga::{
    Arena, ArraySize, BinaryOperator, Binding, Expression, Function, Handle, ImageClass, ImageDimension, Interpolation,
    Literal, MathFunction, Module, Scalar, ScalarKind, Span, Type, TypeInner, VectorSize,
};

use super::expressions::Expressions;
use super::gl_loops::begin_loops_with_a_way_out;
use super::renumber::Renumbering;
use super::wgsl::validate_for_any_device;

/// The largest floats that don't exceed an integer type, which are what naga's SPIR-V clamps to.
const I32_RANGE: [f32; 2] = [-2_147_483_648.0, 2_147_483_520.0];
const U32_RANGE: [f32; 2] = [0.0, 4_294_967_040.0];

/// The module as GL's compiler is to get it. `Err` is half a sentence.
pub fn gl_form(module: &Module) -> Result<Module, String> {
    if module.types.iter().any(|(_, ty)| is_integer_row(&ty.inner)) {
        return Err("it has a 1D texture of integers, which can't be bound on GL".to_owned());
    }
    let info = validate_for_any_device(module).map_err(|error| error.as_inner().to_string())?;
    let mut formed = module.clone();
    for (handle, function) in module.functions.iter() {
        *formed.functions.get_mut(handle) = form_function(module, &info[handle], function)?;
    }
    for (index, (entry, formed)) in module.entry_points.iter().zip(&mut formed.entry_points).enumerate() {
        formed.function = form_function(module, info.get_entry_point(index), &entry.function)?;
    }
    leave_sampling_open(&mut formed);
    write_offsets_out(&mut formed);
    begin_loops_with_a_way_out(&mut formed);
    Ok(formed)
}

/// The module as WebGL2's compiler is to get it, once it has [GL's form](gl_form): GLSL ES 3.00 selects no components of
/// integers and no truth values, so that each is selected by itself. `Err` is half a sentence.
pub fn webgl_form(module: &Module) -> Result<Module, String> {
    let info = validate_for_any_device(module).map_err(|error| error.as_inner().to_string())?;
    let mut formed = module.clone();
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entries = (0..).zip(&module.entry_points).map(|(index, entry)| (&entry.function, info.get_entry_point(index)));
    let mut all = Vec::new();
    for (function, info) in functions.chain(entries) {
        let form = Form { module, info, function };
        let selected = |handle| {
            let Expression::Select { condition, .. } = function.expressions.try_get(handle).ok()? else { return None };
            let (scalar, size) = shape_of(form.type_of(handle))?;
            let size = size.filter(|_| matches!(form.type_of(*condition), TypeInner::Vector { .. }))?;
            (scalar.kind != ScalarKind::Float).then_some((scalar, size))
        };
        let found = function.expressions.iter().filter_map(|(handle, _)| Some((handle.index(), selected(handle)?)));
        let found: Vec<_> = found.collect();
        let changes = found.into_iter().map(|(index, (scalar, size))| {
            let inner = TypeInner::Vector { size, scalar };
            let ty = formed.types.insert(Type { name: None, inner }, Span::UNDEFINED);
            (index, Change::Selected { ty, size })
        });
        all.push(changes.collect::<BTreeMap<_, _>>());
    }
    let functions = formed.functions.iter_mut().map(|(_, function)| function);
    let functions = functions.chain(formed.entry_points.iter_mut().map(|entry| &mut entry.function));
    for (function, changes) in functions.zip(&all).filter(|(_, changes)| !changes.is_empty()) {
        rebuild(function, changes).ok_or("it uses a feature that this build does not accept")?;
    }
    Ok(formed)
}

/// Textures of one dimension have two on GL, where floats that are not bound are as they should be, and integers are not.
fn is_integer_row(ty: &TypeInner) -> bool {
    let TypeInner::Image { dim: ImageDimension::D1, class, .. } = ty else { return false };
    matches!(class, ImageClass::Sampled { kind: ScalarKind::Sint | ScalarKind::Uint, .. })
}

fn form_function(module: &Module, info: &FunctionInfo, function: &Function) -> Result<Function, String> {
    let form = Form { module, info, function };
    let changes: BTreeMap<usize, Change> =
        function.expressions.iter().filter_map(|(handle, _)| Some((handle.index(), form.change_of(handle)?))).collect();
    let mut formed = function.clone();
    if !changes.is_empty() {
        rebuild(&mut formed, &changes).ok_or("it uses a feature that this build does not accept")?;
    }
    let packs = |expression: &Expression| {
        let Expression::Math { fun, .. } = expression else { return false };
        matches!(fun, MathFunction::Pack4xU8 | MathFunction::Pack4xU8Clamp)
    };
    let packed: Vec<_> =
        formed.expressions.iter().filter(|(_, found)| packs(found)).map(|(handle, _)| handle).collect();
    for handle in packed {
        formed.named_expressions.entry(handle).or_insert_with(|| "packed".to_owned());
    }
    Ok(formed)
}

/// What is to become of an expression.
enum Change {
    /// An integer `/` or `%`.
    Quotient { scalar: Scalar, size: Option<VectorSize>, splat_left: bool, splat_right: bool },
    /// A float made an integer.
    ToInteger { range: [f32; 2], size: Option<VectorSize> },
    /// An element that may not be there.
    Element { last: u32, index_kind: ScalarKind },
    /// Components that are selected one by one.
    Selected { ty: Handle<Type>, size: VectorSize },
}

/// A function to look into.
struct Form<'m> {
    module: &'m Module,
    info: &'m FunctionInfo,
    function: &'m Function,
}

impl Form<'_> {
    fn type_of(&self, handle: Handle<Expression>) -> &TypeInner {
        self.info[handle].ty.inner_with(&self.module.types)
    }

    fn change_of(&self, handle: Handle<Expression>) -> Option<Change> {
        match self.function.expressions.try_get(handle).ok()? {
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, left, right } => {
                let (scalar, size) = shape_of(self.type_of(handle))?;
                let splat = |operand| size.is_some() && matches!(self.type_of(operand), TypeInner::Scalar(_));
                let (splat_left, splat_right) = (splat(*left), splat(*right));
                let is_integer = scalar == Scalar::I32 || scalar == Scalar::U32;
                is_integer.then_some(Change::Quotient { scalar, size, splat_left, splat_right })
            }
            Expression::As { expr, kind, convert: Some(4) } => {
                let (from, size) = shape_of(self.type_of(*expr))?;
                let range = match kind {
                    ScalarKind::Sint => I32_RANGE,
                    ScalarKind::Uint => U32_RANGE,
                    _ => return None,
                };
                (from == Scalar::F32).then_some(Change::ToInteger { range, size })
            }
            Expression::Access { base, index } => {
                let last = self.element_count(self.type_of(*base))?.checked_sub(1)?;
                let (scalar, _) = shape_of(self.type_of(*index))?;
                Some(Change::Element { last, index_kind: scalar.kind })
            }
            _ => None,
        }
    }

    /// How many elements a value, or what a pointer points to, has; `None` where that is not known before the draw.
    fn element_count(&self, ty: &TypeInner) -> Option<u32> {
        match *ty {
            TypeInner::Array { size: ArraySize::Constant(count), .. } => Some(count.get()),
            TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => Some(size as u32),
            TypeInner::Matrix { columns, .. } => Some(columns as u32),
            TypeInner::Pointer { base, .. } => self.element_count(&self.module.types.get_handle(base).ok()?.inner),
            _ => None,
        }
    }
}

fn shape_of(ty: &TypeInner) -> Option<(Scalar, Option<VectorSize>)> {
    match *ty {
        TypeInner::Scalar(scalar) => Some((scalar, None)),
        TypeInner::Vector { size, scalar } => Some((scalar, Some(size))),
        _ => None,
    }
}

impl Change {
    fn literals(&self) -> Vec<Literal> {
        match self {
            Self::Quotient { scalar, .. } if scalar.kind == ScalarKind::Sint => {
                [0, 1, -1, i32::MIN].map(Literal::I32).into()
            }
            Self::Quotient { .. } => [0, 1].map(Literal::U32).into(),
            Self::ToInteger { range, .. } => range.map(Literal::F32).into(),
            Self::Element { last, .. } => vec![Literal::U32(*last)],
            Self::Selected { .. } => Vec::new(),
        }
    }
}

/// Puts the changes into a function. `None` is an expression or a statement that no accepted program has.
fn rebuild(function: &mut Function, changes: &BTreeMap<usize, Change>) -> Option<()> {
    let mut builder = Builder { expressions: Arena::new(), literals: Vec::new() };
    // Constants first: they are never emitted, and what is emitted is in one piece.
    for literal in changes.values().flat_map(Change::literals) {
        builder.add_literal(literal);
    }
    let mut renumbering = Renumbering::default();
    for (handle, expression) in function.expressions.iter() {
        let before = builder.expressions.len();
        let mut expression = expression.clone();
        renumbering.expression(&mut expression)?;
        if let Some(change) = changes.get(&handle.index()) {
            expression = builder.change(change, expression)?;
        }
        let value = builder.expressions.append(expression, function.expressions.get_span(handle));
        let (first, _) = builder.expressions.range_from(before).first_and_last()?;
        renumbering.push(first, value);
    }
    renumbering.block(&mut function.body)?;
    for (_, variable) in function.local_variables.iter_mut() {
        variable.init = variable.init.map(|init| renumbering.value(init));
    }
    let names = std::mem::take(&mut function.named_expressions);
    function.named_expressions = names.into_iter().map(|(old, name)| (renumbering.value(old), name)).collect();
    function.expressions = builder.expressions;
    Some(())
}

struct Builder {
    expressions: Arena<Expression>,
    literals: Vec<(Literal, Handle<Expression>)>,
}

impl Expressions for Builder {
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.expressions.append(expression, Span::UNDEFINED)
    }
}

impl Builder {
    fn add_literal(&mut self, literal: Literal) {
        if !self.literals.iter().any(|(known, _)| *known == literal) {
            let handle = self.add(Expression::Literal(literal));
            self.literals.push((literal, handle));
        }
    }

    /// A literal, in every component if `size` says so.
    fn literal(&mut self, literal: Literal, size: Option<VectorSize>) -> Option<Handle<Expression>> {
        let (_, value) = *self.literals.iter().find(|(known, _)| *known == literal)?;
        Some(self.splat(value, size))
    }

    fn splat(&mut self, value: Handle<Expression>, size: Option<VectorSize>) -> Handle<Expression> {
        size.map_or(value, |size| self.add(Expression::Splat { size, value }))
    }

    /// The expression in its new form; what that reads is added before it.
    fn change(&mut self, change: &Change, expression: Expression) -> Option<Expression> {
        match (change, expression) {
            (Change::Quotient { scalar, size, splat_left, splat_right }, Expression::Binary { op, left, right }) => {
                let left = if *splat_left { self.splat(left, *size) } else { left };
                let right = if *splat_right { self.splat(right, *size) } else { right };
                self.quotient(op, *scalar, *size, [left, right])
            }
            (Change::ToInteger { range: [least, most], size }, Expression::As { expr, kind, convert }) => {
                let least = self.literal(Literal::F32(*least), *size)?;
                let most = self.literal(Literal::F32(*most), *size)?;
                let clamp = math(MathFunction::Clamp, [Some(expr), Some(least), Some(most)])?;
                Some(Expression::As { expr: self.add(clamp), kind, convert })
            }
            (Change::Selected { ty, size }, Expression::Select { condition, accept, reject }) => {
                let mut selected = |index| {
                    let [condition, accept, reject] =
                        [condition, accept, reject].map(|base| self.add(Expression::AccessIndex { base, index }));
                    self.add(Expression::Select { condition, accept, reject })
                };
                let components = (0..*size as u32).map(&mut selected).collect();
                Some(Expression::Compose { ty: *ty, components })
            }
            (Change::Element { last, index_kind }, Expression::Access { base, index }) => {
                // Negative ones become large ones.
                let index = match index_kind {
                    ScalarKind::Sint => self.add(Expression::As { expr: index, kind: ScalarKind::Uint, convert: None }),
                    _ => index,
                };
                let last = self.literal(Literal::U32(*last), None)?;
                let index = math(MathFunction::Min, [Some(index), Some(last), None])?;
                Some(Expression::Access { base, index: self.add(index) })
            }
            _ => None,
        }
    }

    fn quotient(
        &mut self,
        op: BinaryOperator,
        scalar: Scalar,
        size: Option<VectorSize>,
        [left, right]: [Handle<Expression>; 2],
    ) -> Option<Expression> {
        let is_signed = scalar.kind == ScalarKind::Sint;
        let number = |number: i32| if is_signed { Literal::I32(number) } else { Literal::U32(number.unsigned_abs()) };
        let (zero, one) = (self.literal(number(0), size)?, self.literal(number(1), size)?);
        let mut has_none = self.binary(BinaryOperator::Equal, right, zero);
        if is_signed {
            let least = self.literal(Literal::I32(i32::MIN), size)?;
            let minus_one = self.literal(Literal::I32(-1), size)?;
            let is_least = self.binary(BinaryOperator::Equal, left, least);
            let is_turned = self.binary(BinaryOperator::Equal, right, minus_one);
            let overflows = self.binary(BinaryOperator::And, is_least, is_turned);
            has_none = self.binary(BinaryOperator::InclusiveOr, has_none, overflows);
        }
        let right = self.add(Expression::Select { condition: has_none, accept: one, reject: right });
        if op == BinaryOperator::Divide || !is_signed {
            return Some(Expression::Binary { op, left, right });
        }
        let quotient = self.binary(BinaryOperator::Divide, left, right);
        let product = self.binary(BinaryOperator::Multiply, quotient, right);
        Some(Expression::Binary { op: BinaryOperator::Subtract, left, right: product })
    }
}

fn math(fun: MathFunction, [arg, arg1, arg2]: [Option<Handle<Expression>>; 3]) -> Option<Expression> {
    Some(Expression::Math { fun, arg: arg?, arg1, arg2, arg3: None })
}

/// Writes `vec2i(1)` as `vec2i(1, 1)` where it is a texture's offset: naga's writer breaks on it there.
fn write_offsets_out(module: &mut Module) {
    let types = [VectorSize::Bi, VectorSize::Tri].map(|size| {
        let inner = TypeInner::Vector { size, scalar: Scalar::I32 };
        (size, module.types.insert(Type { name: None, inner }, Span::UNDEFINED))
    });
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let offset_of = |expression: &Expression| match expression {
            Expression::ImageSample { offset, .. } => *offset,
            _ => None,
        };
        let offsets: Vec<_> = function.expressions.iter().filter_map(|(_, found)| offset_of(found)).collect();
        for offset in offsets {
            let expression = function.expressions.get_mut(offset);
            if let Expression::Splat { size, value } = *expression
                && let Some((_, ty)) = types.iter().find(|(of, _)| *of == size)
            {
                *expression = Expression::Compose { ty: *ty, components: vec![value; size as usize] };
            }
        }
    }
}

/// Says of flat values only that they are flat.
fn leave_sampling_open(module: &mut Module) {
    let open = |binding: &mut Option<Binding>| {
        if let Some(Binding::Location { interpolation: Some(Interpolation::Flat), sampling, .. }) = binding {
            *sampling = None;
        }
    };
    for entry in &mut module.entry_points {
        entry.function.arguments.iter_mut().for_each(|argument| open(&mut argument.binding));
        entry.function.result.iter_mut().for_each(|result| open(&mut result.binding));
    }
    let handles: Vec<Handle<Type>> = module.types.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        let Ok(ty) = module.types.get_handle(handle) else { continue };
        let mut opened = ty.clone();
        let TypeInner::Struct { members, .. } = &mut opened.inner else { continue };
        members.iter_mut().for_each(|member| open(&mut member.binding));
        // No two structs of a module have a name in common, so the new type is none that is there.
        if opened != *ty {
            module.types.replace(handle, opened);
        }
    }
}

#[cfg(test)]
mod tests {
    use naga::back::glsl::{Options, PipelineOptions, Version, Writer};

    use super::*;

    fn text(module: &Module) -> String {
        let info = validate_for_any_device(module).unwrap();
        let options = Options { version: Version::new_gles(300), ..Options::default() };
        let stage = naga::ShaderStage::Fragment;
        let pipeline = PipelineOptions { shader_stage: stage, entry_point: "main".to_owned(), multiview: None };
        let mut text = String::new();
        let policies = naga::proc::BoundsCheckPolicies::default();
        Writer::new(&mut text, module, &info, &options, &pipeline, policies).unwrap().write().unwrap();
        text
    }

    #[test]
    fn webgl2_selects_integers_one_by_one() {
        let source = "
            @fragment fn main(@location(0) at: vec4f, @location(1) @interpolate(flat, either) by: vec4i) -> @location(0) vec4f {
                let less = at < vec4f(0.5);
                let whole = select(by, by + 1i, less);
                let both = select(less, at > vec4f(0.25), whole == by);
                return select(at, vec4f(whole / by), both);
            }";
        let module = gl_form(&naga::front::wgsl::parse_str(source).unwrap()).unwrap();
        let mixed = |text: &str| text.matches("mix(").count();
        let before = text(&module);
        assert!(mixed(&before) >= 4, "two of the text's own, and those of the division: {before}");
        let after = text(&webgl_form(&module).unwrap());
        assert_eq!(mixed(&after), 1, "floats may be mixed: {after}");
    }
}
