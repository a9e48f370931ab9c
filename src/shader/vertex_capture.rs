//! A vertex stage as a compute shader, so that what it writes can be read.
//!
//! The entry point becomes an ordinary function, untouched. A new entry point runs it once per record of one storage
//! buffer, and writes what it gives behind what it was given:
//!
//! ```text
//!  word 0      vertex index
//!  word 1..5   position, filled up to (x, y, 0, 1)        in
//!  word 5..9   colour
//!  word 9..13  clip position
//!  word 13..   the other outputs, a word a component      out
//! ```

use naga::common::wgsl::TryToWgsl as _;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{
    AddressSpace, ArraySize, BinaryOperator, Binding, Block, BuiltIn, EntryPoint, Expression, Function,
    FunctionArgument, FunctionResult, GlobalVariable, Handle, Literal, MemoryDecorations, Module, ResourceBinding,
    Scalar, ScalarKind, ShaderStage, Span, Statement, StorageAccess, Type, TypeInner, VectorSize,
};

use super::expressions::{Expressions, add_evaluated};
use super::stage::{StageModule, Varying};
use naga_gate::guarded;

/// Words that a record is given.
pub const INPUT_WORDS: u32 = 9;
/// Words of the clip position.
const POSITION_WORDS: u32 = 4;
const POSITION_WORD: u32 = 1;
const COLOR_WORD: u32 = 5;
/// Vertices that a workgroup runs.
pub const WORKGROUP_VERTICES: u32 = 64;
/// Name of the entry point.
pub const CAPTURE_ENTRY: &str = "run_vertex_stage";

const HERE: Span = Span::UNDEFINED;

/// A vertex stage as a compute shader.
#[derive(Clone, Debug)]
pub struct VertexCapture {
    /// The module; its only entry point is [`CAPTURE_ENTRY`].
    pub module: Module,
    /// Binding of the records in group 0.
    pub binding: u32,
    /// Words of a record.
    pub record_words: u32,
    /// What the stage writes by location, each with its first word in the record.
    pub outputs: Vec<(u32, Varying)>,
}

/// A part of the stage's result.
struct Part {
    /// Member of the result, if it is a struct.
    member: Option<u32>,
    /// First word in the record.
    word: u32,
    ty: Handle<Type>,
}

/// Makes the capture of a vertex stage. `Err` says why there is none, as half a sentence.
pub fn capture_of_vertex_stage(stage: &StageModule) -> Result<VertexCapture, String> {
    guarded(|| {
        let capture = Maker::new(stage)?.make(stage)?;
        let validated = Validator::new(ValidationFlags::all(), Capabilities::default()).validate(&capture.module);
        match validated {
            Ok(_) => Ok(capture),
            Err(error) => Err(format!("its compute capture is not valid: {}", error.as_inner())),
        }
    })
    .unwrap_or_else(|panic| Err(format!("the shader compiler crashed on it ({panic})")))
}

struct Maker {
    module: Module,
    function: Function,
    /// The stage's own function.
    stage: Handle<naga::Function>,
    arguments: Vec<FunctionArgument>,
    result: Option<FunctionResult>,
    /// The records, as an expression of `function`.
    records: Handle<Expression>,
    binding: u32,
}

impl Maker {
    fn new(stage: &StageModule) -> Result<Self, String> {
        let mut module = stage.module.clone();
        let is_ours = |entry: &EntryPoint| entry.stage == ShaderStage::Vertex && entry.name == stage.entry_point;
        let place = module.entry_points.iter().position(is_ours).ok_or("its entry point is missing")?;
        let mut body = module.entry_points.swap_remove(place).function;
        module.entry_points.clear();
        let arguments = body.arguments.clone();
        let result = body.result.clone();
        // Bindings belong to entry points; on members of structs they may stay.
        body.arguments.iter_mut().for_each(|argument| argument.binding = None);
        body.result.iter_mut().for_each(|result| result.binding = None);
        let stage = module.functions.append(body, HERE);
        let scalar = TypeInner::Scalar(Scalar::U32);
        let uint = module.types.insert(Type { name: None, inner: scalar }, HERE);
        let words = TypeInner::Array { base: uint, size: ArraySize::Dynamic, stride: 4 };
        let words = module.types.insert(Type { name: None, inner: words }, HERE);
        let binding = free_binding(&module);
        let global = GlobalVariable {
            name: Some("vertex_records".to_owned()),
            space: AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE },
            binding: Some(ResourceBinding { group: 0, binding }),
            ty: words,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        let global = module.global_variables.append(global, HERE);
        let mut function = Function::default();
        let records = function.expressions.append(Expression::GlobalVariable(global), HERE);
        Ok(Self { module, function, stage, arguments, result, records, binding })
    }

    fn make(mut self, stage: &StageModule) -> Result<VertexCapture, String> {
        let parts = self.parts()?;
        let record_words = parts.iter().map(|part| part.word + self.components(part.ty)).max();
        let record_words = record_words.unwrap_or(INPUT_WORDS + POSITION_WORDS);
        let start = self.start_of_record(record_words);
        let arguments = self.arguments.clone();
        let mut values = Vec::new();
        for argument in &arguments {
            values.push(self.argument(argument, start)?);
        }
        let result = self.function.expressions.append(Expression::CallResult(self.stage), HERE);
        let call = Statement::Call { function: self.stage, arguments: values, result: Some(result) };
        self.function.body.push(call, HERE);
        for part in &parts {
            self.store(part, result, start);
        }
        self.function.body.push(Statement::Return { value: None }, HERE);
        let outputs = self.located(&parts, stage);
        self.module.entry_points.push(EntryPoint {
            name: CAPTURE_ENTRY.to_owned(),
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: [WORKGROUP_VERTICES, 1, 1],
            workgroup_size_overrides: None,
            function: self.function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(VertexCapture { module: self.module, binding: self.binding, record_words, outputs })
    }

    /// Where this invocation's record starts; invocations past the last record end here.
    fn start_of_record(&mut self, record_words: u32) -> Handle<Expression> {
        let vector = TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 };
        let vector = self.module.types.insert(Type { name: None, inner: vector }, HERE);
        self.function.arguments.push(FunctionArgument {
            name: Some("invocation".to_owned()),
            ty: vector,
            binding: Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)),
        });
        let invocation = self.add(Expression::FunctionArgument(0));
        let record = self.add(Expression::AccessIndex { base: invocation, index: 0 });
        let words = self.number(record_words);
        let length = self.add(Expression::ArrayLength(self.records));
        let count = self.binary(BinaryOperator::Divide, length, words);
        let is_past = self.binary(BinaryOperator::GreaterEqual, record, count);
        let mut leave = Block::new();
        leave.push(Statement::Return { value: None }, HERE);
        let guard = Statement::If { condition: is_past, accept: leave, reject: Block::new() };
        self.function.body.push(guard, HERE);
        self.binary(BinaryOperator::Multiply, record, words)
    }

    /// The value of an argument of the stage's function.
    fn argument(
        &mut self,
        argument: &FunctionArgument,
        start: Handle<Expression>,
    ) -> Result<Handle<Expression>, String> {
        if let Some(binding) = &argument.binding {
            return self.input(binding, argument.ty, start);
        }
        let members = match self.module.types.get_handle(argument.ty).map(|ty| &ty.inner) {
            Ok(TypeInner::Struct { members, .. }) => members.clone(),
            _ => return Err("it has an argument without a binding".to_owned()),
        };
        let mut components = Vec::new();
        for member in &members {
            let binding = member.binding.as_ref().ok_or("it has an input without a binding")?;
            components.push(self.input(binding, member.ty, start)?);
        }
        Ok(self.add(Expression::Compose { ty: argument.ty, components }))
    }

    fn input(
        &mut self,
        binding: &Binding,
        ty: Handle<Type>,
        start: Handle<Expression>,
    ) -> Result<Handle<Expression>, String> {
        match binding {
            Binding::BuiltIn(BuiltIn::VertexIndex) => Ok(self.load(start, 0)),
            Binding::BuiltIn(BuiltIn::InstanceIndex) => Ok(self.number(0)),
            Binding::BuiltIn(other) => Err(format!("it reads {}", other.to_wgsl_for_diagnostics())),
            Binding::Location { location: 0, .. } => Ok(self.attribute(POSITION_WORD, ty, start)),
            Binding::Location { location: 1, .. } => Ok(self.attribute(COLOR_WORD, ty, start)),
            Binding::Location { location, .. } => Err(format!("it reads location {location}")),
        }
    }

    /// As many floats as the type has, from `word` of the record on.
    fn attribute(&mut self, word: u32, ty: Handle<Type>, start: Handle<Expression>) -> Handle<Expression> {
        let count = self.components(ty);
        let floats: Vec<Handle<Expression>> = (word..word + count)
            .map(|word| {
                let expr = self.load(start, word);
                self.add(Expression::As { expr, kind: ScalarKind::Float, convert: None })
            })
            .collect();
        match floats.as_slice() {
            [float] => *float,
            _ => self.add(Expression::Compose { ty, components: floats }),
        }
    }

    /// The parts of the result that are kept: the position first, then what has a location.
    fn parts(&self) -> Result<Vec<Part>, String> {
        let result = self.result.as_ref().ok_or("it writes nothing")?;
        let bound: Vec<(Option<u32>, Handle<Type>, Option<Binding>)> =
            match self.module.types.get_handle(result.ty).map(|ty| &ty.inner) {
                Ok(TypeInner::Struct { members, .. }) => {
                    let members = (0..).zip(members);
                    members.map(|(number, member)| (Some(number), member.ty, member.binding.clone())).collect()
                }
                _ => vec![(None, result.ty, result.binding.clone())],
            };
        let mut parts = Vec::new();
        let mut word = INPUT_WORDS + POSITION_WORDS;
        for (member, ty, binding) in bound {
            match binding {
                Some(Binding::BuiltIn(BuiltIn::Position { .. })) => {
                    parts.insert(0, Part { member, word: INPUT_WORDS, ty });
                }
                Some(Binding::Location { .. }) => {
                    parts.push(Part { member, word, ty });
                    word += self.components(ty);
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn store(&mut self, part: &Part, result: Handle<Expression>, start: Handle<Expression>) {
        let value = match part.member {
            Some(index) => self.add(Expression::AccessIndex { base: result, index }),
            None => result,
        };
        let count = self.components(part.ty);
        for component in 0..count {
            let scalar = match count {
                1 => value,
                _ => self.add(Expression::AccessIndex { base: value, index: component }),
            };
            let bits = self.add(Expression::As { expr: scalar, kind: ScalarKind::Uint, convert: None });
            let pointer = self.pointer(start, part.word + component);
            self.function.body.push(Statement::Store { pointer, value: bits }, HERE);
        }
    }

    /// The outputs by location, with their places.
    fn located(&self, parts: &[Part], stage: &StageModule) -> Vec<(u32, Varying)> {
        let words = parts.iter().map(|part| part.word).filter(|word| *word >= INPUT_WORDS + POSITION_WORDS);
        words.zip(stage.outputs.iter().cloned()).collect()
    }

    fn components(&self, ty: Handle<Type>) -> u32 {
        match self.module.types.get_handle(ty).map(|ty| &ty.inner) {
            Ok(TypeInner::Vector { size, .. }) => *size as u32,
            _ => 1,
        }
    }

    fn load(&mut self, start: Handle<Expression>, word: u32) -> Handle<Expression> {
        let pointer = self.pointer(start, word);
        self.add(Expression::Load { pointer })
    }

    fn pointer(&mut self, start: Handle<Expression>, word: u32) -> Handle<Expression> {
        let word = self.number(word);
        let index = self.binary(BinaryOperator::Add, start, word);
        self.add(Expression::Access { base: self.records, index })
    }

    fn number(&mut self, value: u32) -> Handle<Expression> {
        self.add(Expression::Literal(Literal::U32(value)))
    }
}

impl Expressions for Maker {
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        add_evaluated(&mut self.function, expression)
    }
}

/// The first number in group 0 that no resource of the module has.
fn free_binding(module: &Module) -> u32 {
    let taken = |number: u32| {
        let mut bindings = module.global_variables.iter().filter_map(|(_, global)| global.binding.as_ref());
        bindings.any(|binding| binding.group == 0 && binding.binding == number)
    };
    (0..).find(|number| !taken(*number)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{ShaderText, parse_wgsl};
    use super::*;
    use crate::command;

    fn capture(text: &str) -> Result<VertexCapture, String> {
        let text = ShaderText { bytes: text.as_bytes(), offset: 0 };
        capture_of_vertex_stage(&parse_wgsl(text, command::ShaderStage::Vertex).unwrap())
    }

    #[test]
    fn every_way_to_pass_values_has_a_twin() {
        let plain = "@vertex fn v(@location(0) at: vec2f) -> @builtin(position) vec4f { return vec4f(at, 0, 1); }";
        assert_eq!(capture(plain).unwrap().record_words, 13);
        let structs = "
            struct In { @location(1) tint: vec3f, @builtin(vertex_index) n: u32, @location(0) x: f32 }
            struct Out { @location(2) @interpolate(flat) n: u32, @builtin(position) at: vec4f, @location(0) t: vec3f }
            @group(0) @binding(0) var<uniform> u: vec4f;
            @group(0) @binding(2) var<storage> s: array<vec4f>;
            var<private> p = 3.0;
            @vertex fn v(in: In, @builtin(instance_index) i: u32) -> Out {
              if in.n == 7u { return Out(); }
              p += u.x + s[i].y;
              return Out(in.n + i, vec4f(in.x, p, 0, 1), in.tint);
            }
            @fragment fn f() {}";
        let capture = capture(structs).unwrap();
        assert_eq!((capture.record_words, capture.binding), (17, 1));
        let places: Vec<_> = capture.outputs.iter().map(|(word, output)| (*word, output.to_string())).collect();
        let expected = [(13, "@location(2) n: u32"), (14, "@location(0) t: vec3<f32>")];
        assert_eq!(places, expected.map(|(word, output)| (word, output.to_owned())));
        assert_eq!(capture.module.entry_points.len(), 1);
    }
}
