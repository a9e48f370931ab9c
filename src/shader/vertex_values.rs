//! A vertex stage that shows, instead of what it draws, one value of each vertex: a point in a pixel of its own, in which a
//! pixel stage writes the value's words.
//!
//! ```text
//!  vertex 7 ──► the stage's own function, untouched ──► a value ──► (pixel 7 − first, four words)
//! ```
//!
//! Nothing is needed for that but points and a target of four words a pixel, so it runs wherever the stage itself does.

use naga::{
    BinaryOperator, Binding, BuiltIn, EntryPoint, Expression, Function, FunctionArgument, FunctionResult, Handle,
    Interpolation, Literal, Module, Scalar, ScalarKind, ShaderStage, Span, Statement, StructMember, Type, TypeInner,
    VectorSize,
};

use super::expressions::{Expressions, add_evaluated};
use super::stage::{IoType, Varying};

/// Name of the entry point that draws points.
pub const POINTS_ENTRY: &str = "vertices_as_points";
/// The location at which a pixel stage is given the words.
const WORDS_LOCATION: u32 = 0;

const HERE: Span = Span::UNDEFINED;

/// A value that a vertex stage is given or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageValue {
    /// What it is given at a location.
    Input(u32),
    /// The position that it gives.
    Position,
    /// What it gives at a location.
    Output(u32),
}

/// Where the points lie.
#[derive(Clone, Copy, Debug)]
pub struct PointGrid {
    /// The number of the vertex in the first pixel.
    pub first_vertex: u32,
    /// Pixels in a row, a power of two.
    pub width_px: u32,
    /// Rows.
    pub height_px: u32,
}

/// What a vertex stage is given and gives at locations, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexInterface {
    /// What it is given.
    pub inputs: Vec<Varying>,
    /// What it gives.
    pub outputs: Vec<Varying>,
}

/// What flows through an entry point of a vertex stage.
pub fn vertex_interface(module: &Module, entry_point: &str) -> Result<VertexInterface, String> {
    let function = &module.entry_points.get(place_of(module, entry_point)?).ok_or(NO_ENTRY)?.function;
    let varyings = |parts: Vec<Part>| {
        let located = parts.into_iter().filter_map(|part| match part.binding {
            Binding::Location { location, interpolation, .. } => Some(Varying {
                location,
                name: part.name,
                io_type: io_type(module, part.ty)?,
                is_flat: interpolation == Some(Interpolation::Flat),
            }),
            Binding::BuiltIn(_) => None,
        });
        let mut located: Vec<Varying> = located.collect();
        located.sort_by_key(|varying| varying.location);
        located
    };
    Ok(VertexInterface {
        inputs: varyings(parts_of_arguments(module, &function.arguments)),
        outputs: varyings(parts_of_result(module, function.result.as_ref())),
    })
}

/// The module with one more entry point, [`POINTS_ENTRY`], that draws a value of each vertex in place of `entry_point`.
/// `Err` says why there is none, as half a sentence.
pub fn vertices_as_points(
    module: &Module,
    entry_point: &str,
    value: StageValue,
    grid: PointGrid,
) -> Result<Module, String> {
    let mut module = module.clone();
    let mut stage = module.entry_points.swap_remove(place_of(&module, entry_point)?).function;
    module.entry_points.clear();
    let (arguments, result) = (stage.arguments.clone(), stage.result.clone());
    // Bindings belong to entry points; on members of structs they may stay.
    stage.arguments.iter_mut().for_each(|argument| argument.binding = None);
    stage.result.iter_mut().for_each(|result| result.binding = None);
    let stage = module.functions.append(stage, HERE);
    let function = Function { arguments: arguments.clone(), ..Function::default() };
    Maker { module, function }.make(stage, (&arguments, result.as_ref()), value, grid)
}

const NO_ENTRY: &str = "its entry point is missing";

fn place_of(module: &Module, entry_point: &str) -> Result<usize, String> {
    let is_it = |entry: &EntryPoint| entry.stage == ShaderStage::Vertex && entry.name == entry_point;
    module.entry_points.iter().position(is_it).ok_or_else(|| NO_ENTRY.to_owned())
}

/// Something that has a binding.
struct Part {
    /// Which argument; of a result, 0.
    argument: u32,
    /// Which member, if it is one of a struct.
    member: Option<u32>,
    name: Option<String>,
    ty: Handle<Type>,
    binding: Binding,
}

fn parts_of_arguments(module: &Module, arguments: &[FunctionArgument]) -> Vec<Part> {
    let parts = (0..).zip(arguments).flat_map(|(number, argument)| {
        parts_of(module, number, argument.name.as_deref(), argument.ty, argument.binding.as_ref())
    });
    parts.collect()
}

fn parts_of_result(module: &Module, result: Option<&FunctionResult>) -> Vec<Part> {
    result.map_or_else(Vec::new, |result| parts_of(module, 0, None, result.ty, result.binding.as_ref()))
}

fn parts_of(
    module: &Module,
    argument: u32,
    name: Option<&str>,
    ty: Handle<Type>,
    binding: Option<&Binding>,
) -> Vec<Part> {
    match (binding, module.types.get_handle(ty).map(|ty| &ty.inner)) {
        (Some(binding), _) => {
            vec![Part { argument, member: None, name: name.map(str::to_owned), ty, binding: binding.clone() }]
        }
        (None, Ok(TypeInner::Struct { members, .. })) => {
            let bound = (0..).zip(members).filter_map(|(number, StructMember { name, ty, binding, .. })| {
                let binding = binding.clone()?;
                Some(Part { argument, member: Some(number), name: name.clone(), ty: *ty, binding })
            });
            bound.collect()
        }
        (None, _) => Vec::new(),
    }
}

/// The type of what flows; nothing of what is neither a scalar nor a vector.
fn io_type(module: &Module, ty: Handle<Type>) -> Option<IoType> {
    match module.types.get_handle(ty).map(|ty| &ty.inner) {
        Ok(TypeInner::Scalar(scalar)) => Some(IoType { kind: scalar.kind, components: 1 }),
        Ok(TypeInner::Vector { size, scalar }) => Some(IoType { kind: scalar.kind, components: *size as u8 }),
        _ => None,
    }
}

struct Maker {
    module: Module,
    function: Function,
}

impl Maker {
    fn make(
        mut self,
        stage: Handle<Function>,
        (arguments, result): (&[FunctionArgument], Option<&FunctionResult>),
        value: StageValue,
        grid: PointGrid,
    ) -> Result<Module, String> {
        let number = self.vertex_number(arguments);
        let given = (0..arguments.len() as u32).map(|argument| self.add(Expression::FunctionArgument(argument)));
        let given: Vec<_> = given.collect();
        let returned = self.function.expressions.append(Expression::CallResult(stage), HERE);
        let call = Statement::Call { function: stage, arguments: given, result: Some(returned) };
        self.function.body.push(call, HERE);
        let is_wanted = |part: &Part| match (&part.binding, value) {
            (Binding::BuiltIn(BuiltIn::Position { .. }), StageValue::Position) => true,
            (Binding::Location { location, .. }, StageValue::Input(wanted) | StageValue::Output(wanted)) => {
                *location == wanted
            }
            _ => false,
        };
        let parts = match value {
            StageValue::Input(_) => parts_of_arguments(&self.module, arguments),
            StageValue::Position | StageValue::Output(_) => parts_of_result(&self.module, result),
        };
        let part = parts.into_iter().find(is_wanted).ok_or("it has no such value")?;
        let whole = match value {
            StageValue::Input(_) => self.add(Expression::FunctionArgument(part.argument)),
            StageValue::Position | StageValue::Output(_) => returned,
        };
        let words = self.words(&part, whole)?;
        let position = self.position(number, grid);
        let ty = self.result_type();
        let value = self.add(Expression::Compose { ty, components: vec![position, words] });
        self.function.body.push(Statement::Return { value: Some(value) }, HERE);
        self.function.result = Some(FunctionResult { ty, binding: None });
        self.module.entry_points.push(EntryPoint {
            name: POINTS_ENTRY.to_owned(),
            stage: ShaderStage::Vertex,
            early_depth_test: None,
            workgroup_size: [0; 3],
            workgroup_size_overrides: None,
            function: self.function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(self.module)
    }

    /// The vertex's number, from what the stage is given or beside it.
    fn vertex_number(&mut self, arguments: &[FunctionArgument]) -> Handle<Expression> {
        let parts = parts_of_arguments(&self.module, arguments);
        let given = parts.iter().find(|part| part.binding == Binding::BuiltIn(BuiltIn::VertexIndex));
        match given {
            Some(Part { argument, member, .. }) => {
                let base = self.add(Expression::FunctionArgument(*argument));
                member.map_or(base, |index| self.add(Expression::AccessIndex { base, index }))
            }
            None => {
                let ty = self.insert(TypeInner::Scalar(Scalar::U32));
                let binding = Some(Binding::BuiltIn(BuiltIn::VertexIndex));
                self.function.arguments.push(FunctionArgument { name: None, ty, binding });
                self.add(Expression::FunctionArgument(arguments.len() as u32))
            }
        }
    }

    /// A value's words, with zeros behind them.
    fn words(&mut self, part: &Part, whole: Handle<Expression>) -> Result<Handle<Expression>, String> {
        let IoType { components, .. } = io_type(&self.module, part.ty).ok_or("it has a value of an odd type")?;
        let value = match part.member {
            Some(index) => self.add(Expression::AccessIndex { base: whole, index }),
            None => whole,
        };
        let mut words = Vec::with_capacity(4);
        for component in 0..u32::from(components) {
            let scalar = match components {
                1 => value,
                _ => self.add(Expression::AccessIndex { base: value, index: component }),
            };
            words.push(self.add(Expression::As { expr: scalar, kind: ScalarKind::Uint, convert: None }));
        }
        let zero = self.add(Expression::Literal(Literal::U32(0)));
        words.resize(4, zero);
        let ty = self.words_type();
        Ok(self.add(Expression::Compose { ty, components: words }))
    }

    /// The middle of the vertex's pixel.
    fn position(&mut self, number: Handle<Expression>, grid: PointGrid) -> Handle<Expression> {
        let first = self.add(Expression::Literal(Literal::U32(grid.first_vertex)));
        let place = self.binary(BinaryOperator::Subtract, number, first);
        let width = self.add(Expression::Literal(Literal::U32(grid.width_px)));
        let column = self.binary(BinaryOperator::Modulo, place, width);
        let row = self.binary(BinaryOperator::Divide, place, width);
        let right = self.along(column, 2.0 / grid.width_px as f32);
        let one = self.float(1.0);
        let x = self.binary(BinaryOperator::Subtract, right, one);
        let down = self.along(row, 2.0 / grid.height_px as f32);
        let y = self.binary(BinaryOperator::Subtract, one, down);
        let zero = self.float(0.0);
        let ty = self.insert(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 });
        self.add(Expression::Compose { ty, components: vec![x, y, zero, one] })
    }

    /// How far the middle of a pixel lies from the edge.
    fn along(&mut self, pixel: Handle<Expression>, step: f32) -> Handle<Expression> {
        let whole = self.add(Expression::As { expr: pixel, kind: ScalarKind::Float, convert: Some(4) });
        let half = self.float(0.5);
        let middle = self.binary(BinaryOperator::Add, whole, half);
        let step = self.float(step);
        self.binary(BinaryOperator::Multiply, middle, step)
    }

    fn float(&mut self, value: f32) -> Handle<Expression> {
        self.add(Expression::Literal(Literal::F32(value)))
    }

    fn insert(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module.types.insert(Type { name: None, inner }, HERE)
    }

    fn words_type(&mut self) -> Handle<Type> {
        self.insert(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::U32 })
    }

    fn result_type(&mut self) -> Handle<Type> {
        let floats = self.insert(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 });
        let words = self.words_type();
        let location = Binding::Location {
            location: WORDS_LOCATION,
            interpolation: Some(Interpolation::Flat),
            sampling: None,
            blend_src: None,
            per_primitive: false,
        };
        let member = |ty, binding, offset| StructMember { name: None, ty, binding: Some(binding), offset };
        let position = Binding::BuiltIn(BuiltIn::Position { invariant: false });
        let members = vec![member(floats, position, 0), member(words, location, 16)];
        self.insert(TypeInner::Struct { members, span: 32 })
    }
}

impl Expressions for Maker {
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        add_evaluated(&mut self.function, expression)
    }
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    const STRUCTS: &str = "
        struct In { @location(1) tint: vec3f, @builtin(vertex_index) n: u32, @location(0) x: f32 }
        struct Out { @location(2) @interpolate(flat) n: u32, @builtin(position) at: vec4f, @location(0) t: vec3f }
        @vertex fn v(in: In, @builtin(instance_index) i: u32) -> Out {
          if in.n == 7u { return Out(); }
          return Out(in.n + i, vec4f(in.x), in.tint);
        }";
    const PLAIN: &str =
        "@vertex fn v(@location(3) at: vec2i) -> @builtin(position) vec4f { return vec4f(vec2f(at), 0, 1); }";

    fn parsed(text: &str) -> Module {
        naga::front::wgsl::parse_str(text).unwrap()
    }

    #[test]
    fn what_flows_is_told_by_location() {
        let told = |text| {
            let VertexInterface { inputs, outputs } = vertex_interface(&parsed(text), "v").unwrap();
            [inputs, outputs].map(|varyings| varyings.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        };
        let expected =
            ["@location(0) x: f32, @location(1) tint: vec3<f32>", "@location(0) t: vec3<f32>, @location(2) n: u32"];
        assert_eq!(told(STRUCTS), expected);
        assert_eq!(told(PLAIN), ["@location(3) at: vec2<i32>", ""]);
    }

    #[test]
    fn every_value_has_a_valid_stage() {
        let grid = PointGrid { first_vertex: 9, width_px: 64, height_px: 3 };
        let all = [
            (STRUCTS, vec![StageValue::Position, StageValue::Input(0), StageValue::Input(1)]),
            (STRUCTS, vec![StageValue::Output(0), StageValue::Output(2)]),
            (PLAIN, vec![StageValue::Position, StageValue::Input(3)]),
        ];
        for (text, values) in all {
            for value in values {
                let module = vertices_as_points(&parsed(text), "v", value, grid).unwrap();
                assert_eq!(module.entry_points.len(), 1);
                let valid = Validator::new(ValidationFlags::all(), Capabilities::default()).validate(&module);
                valid.unwrap_or_else(|error| panic!("{value:?} of {text}: {error:?}"));
            }
        }
        let none = vertices_as_points(&parsed(PLAIN), "v", StageValue::Output(3), grid).unwrap_err();
        assert_eq!(none, "it has no such value");
        assert_eq!(vertices_as_points(&parsed(PLAIN), "w", StageValue::Position, grid).unwrap_err(), NO_ENTRY);
    }
}
