//! Programs that draw where the guest's draw, in one colour of ours.
//!
//! What a draw covers can be asked of a GPU only by drawing. The vertex stage stays as it is, so that every triangle
//! lands where the guest's does. The fragment stage either stays too, with white in place of the colour that it
//! returns, so that what it discards stays discarded; or white is all it does. What takes pixels away behind the stage stays
//! too: a sample mask, and a depth that is tested.

use naga::{Binding, BuiltIn, Expression, Function, Handle, Span, Statement, Type, TypeInner};

use super::error::{ShaderError, ShaderText};
use super::program::Program;
use super::stage::StageModule;
use super::wgsl::{parse_wgsl, used_bindings, validate_for_any_device};
use crate::command::ShaderStage;
use naga_gate::{Broken, guarded};

const WHITE_WGSL: &str = "@fragment fn white() -> @location(0) vec4f { return vec4f(1.0); }";

/// Which pixels come out white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentOverride {
    /// Those that the guest's fragment stage gives a colour.
    Survivors,
    /// The same, each with the number of its triangle, line or point within its instance, counted from 1, as four bytes of a
    /// unorm target, the lowest first, in place of white.
    Numbered,
    /// All that a triangle covers.
    Covered,
}

impl Program {
    /// The program with a fragment stage that paints white.
    pub fn with_fragment_override(&self, fragment_override: FragmentOverride) -> Result<Program, ShaderError> {
        let fragment = match fragment_override {
            FragmentOverride::Survivors => whiten(&self.fragment, Paint::White)?,
            FragmentOverride::Numbered => whiten(&self.fragment, Paint::PrimitiveNumber)?,
            FragmentOverride::Covered => {
                let text = ShaderText { bytes: WHITE_WGSL.as_bytes(), offset: self.fragment.text_offset };
                parse_wgsl(text, ShaderStage::Fragment)?
            }
        };
        Ok(Program { fragment, ..self.clone() })
    }

    /// Whether the fragment stage can leave a pixel as it is although a triangle covers it.
    pub fn can_discard(&self) -> bool {
        let module = &self.fragment.module;
        let functions = module.functions.iter().map(|(_, function)| function);
        let entries = module.entry_points.iter().map(|entry| &entry.function);
        let is_mask = |kept: Kept| kept.built_in == BuiltIn::SampleMask;
        let masks = entries.clone().flat_map(|function| kept_of(module, function)).any(is_mask);
        masks || functions.chain(entries).any(|function| has_kill(&function.body))
    }
}

/// What pixels are painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paint {
    /// White.
    White,
    /// What [`FragmentOverride::Numbered`] says.
    PrimitiveNumber,
}

/// A module whose entry point gives paint at location 0 where the one of `module` gives anything. `Err` is half a sentence.
pub fn surviving_paint(module: &naga::Module, entry_point: &str, paint: Paint) -> Result<naga::Module, String> {
    guarded(|| {
        let mut painted = module.clone();
        paint_module(&mut painted, entry_point, paint);
        validate_for_any_device(&painted).map_err(|error| error.to_string())?;
        Ok(painted)
    })?
}

/// The stage with paint at location 0, and nothing else but what can take pixels away.
fn whiten(stage: &StageModule, paint: Paint) -> Result<StageModule, ShaderError> {
    let whitened = guarded(|| {
        let mut whitened = stage.clone();
        paint_module(&mut whitened.module, &stage.entry_point, paint);
        let info = validate_for_any_device(&whitened.module).map_err(|error| error.to_string())?;
        let is_entry = |entry: &naga::EntryPoint| entry.name == stage.entry_point;
        let index = whitened.module.entry_points.iter().position(is_entry).unwrap_or_default();
        let used = used_bindings(&whitened.module, &info, index);
        whitened
            .bindings
            .retain(|binding| used.iter().any(|used| (used.group, used.binding) == (binding.group, binding.binding)));
        whitened.outputs.retain(|output| output.location == 0);
        Ok(whitened)
    });
    let broke = |broken| ShaderError::broke(stage.stage, broken, stage.text_offset);
    whitened.map_err(broke)?.map_err(|message| broke(Broken::Panic(message)))
}

/// Types and constants of the white result.
struct White {
    /// Of the colour.
    ty: Handle<Type>,
    constant: Handle<naga::Constant>,
    /// What is kept of the guest's result, and the type of our result with that in it.
    kept: Vec<Kept>,
    whole: Option<Handle<Type>>,
}

/// A part of an entry point's result that can take pixels away.
struct Kept {
    /// Which member it is; nothing of a result that is nothing else.
    member: Option<u32>,
    built_in: BuiltIn,
    ty: Handle<Type>,
}

fn paint_module(module: &mut naga::Module, entry_point: &str, paint: Paint) {
    let Some(index) = module.entry_points.iter().position(|entry| entry.name == entry_point) else { return };
    let kept = module.entry_points.get(index).map_or_else(Vec::new, |entry| kept_of(module, &entry.function));
    let white = White::new(module, kept);
    let number_type =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(naga::Scalar::U32) }, Span::UNDEFINED);
    let Some(entry) = module.entry_points.get_mut(index) else { return };
    let (ty, binding) = match white.whole {
        Some(whole) => (whole, None),
        None => (white.ty, Some(location_0())),
    };
    entry.function.result = Some(naga::FunctionResult { ty, binding });
    let mut body = std::mem::take(&mut entry.function.body);
    let color = match paint {
        Paint::White => entry.function.expressions.append(Expression::Constant(white.constant), Span::UNDEFINED),
        Paint::PrimitiveNumber => {
            let (color, emit) = primitive_number(&mut entry.function, number_type);
            let guest = std::mem::replace(&mut body, naga::Block::from_vec(vec![emit]));
            body.push(Statement::Block(guest), Span::UNDEFINED);
            color
        }
    };
    whiten_returns(&mut body, &mut entry.function.expressions, color, &white);
    entry.function.body = body;
}

/// The number of the primitive, counted from 1, as a colour, and the statement that makes it.
fn primitive_number(function: &mut Function, number_type: Handle<Type>) -> (Handle<Expression>, Statement) {
    let binding = Binding::BuiltIn(BuiltIn::PrimitiveIndex);
    let given = function.arguments.iter().position(|argument| argument.binding.as_ref() == Some(&binding));
    let place = given.unwrap_or_else(|| {
        let binding = Some(binding);
        function.arguments.push(naga::FunctionArgument { name: None, ty: number_type, binding });
        function.arguments.len() - 1
    });
    let expressions = &mut function.expressions;
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let number = add(Expression::FunctionArgument(place as u32));
    let one = add(Expression::Literal(naga::Literal::U32(1)));
    let from_one = add(Expression::Binary { op: naga::BinaryOperator::Add, left: number, right: one });
    let unpack = naga::MathFunction::Unpack4x8unorm;
    let color = add(Expression::Math { fun: unpack, arg: from_one, arg1: None, arg2: None, arg3: None });
    (color, Statement::Emit(naga::Range::new_from_bounds(from_one, color)))
}

impl White {
    fn new(module: &mut naga::Module, kept: Vec<Kept>) -> Self {
        let scalar = naga::Scalar::F32;
        let inner = TypeInner::Vector { size: naga::VectorSize::Quad, scalar };
        let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let one = Expression::Literal(naga::Literal::F32(1.0));
        let one = module.global_expressions.append(one, Span::UNDEFINED);
        let init = Expression::Compose { ty, components: vec![one; 4] };
        let init = module.global_expressions.append(init, Span::UNDEFINED);
        let constant = module.constants.append(naga::Constant { name: None, ty, init }, Span::UNDEFINED);
        let whole = (!kept.is_empty()).then(|| {
            let member = |ty, binding, offset| naga::StructMember { name: None, ty, binding: Some(binding), offset };
            let behind = (16..).step_by(4).zip(&kept);
            let behind = behind.map(|(offset, kept)| member(kept.ty, Binding::BuiltIn(kept.built_in), offset));
            let members = [member(ty, location_0(), 0)].into_iter().chain(behind).collect();
            let inner = TypeInner::Struct { members, span: 32 };
            let name = Some("WhiteAndKept".to_owned());
            module.types.insert(Type { name, inner }, Span::UNDEFINED)
        });
        Self { ty, constant, kept, whole }
    }
}

/// Has every `return` in the entry point's own body return white.
fn whiten_returns(
    block: &mut naga::Block,
    expressions: &mut naga::Arena<Expression>,
    color: Handle<Expression>,
    white: &White,
) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Return { value } => match (*value, white.whole) {
                (Some(result), Some(ty)) => {
                    let before = expressions.len();
                    let mut components = vec![color];
                    for kept in &white.kept {
                        components.push(match kept.member {
                            Some(index) => {
                                expressions.append(Expression::AccessIndex { base: result, index }, Span::UNDEFINED)
                            }
                            None => result,
                        });
                    }
                    let whole = expressions.append(Expression::Compose { ty, components }, Span::UNDEFINED);
                    let emit = Statement::Emit(expressions.range_from(before));
                    let whole = Statement::Return { value: Some(whole) };
                    *statement = Statement::Block(naga::Block::from_vec(vec![emit, whole]));
                }
                _ => *value = Some(color),
            },
            nested => nested_blocks(nested).for_each(|block| whiten_returns(block, expressions, color, white)),
        }
    }
}

/// What of an entry point's result can take pixels away.
fn kept_of(module: &naga::Module, function: &Function) -> Vec<Kept> {
    let Some(result) = &function.result else { return Vec::new() };
    let kept = |member, binding: &Option<Binding>, ty| match binding {
        Some(Binding::BuiltIn(built_in @ (BuiltIn::SampleMask | BuiltIn::FragDepth))) => {
            Some(Kept { member, built_in: *built_in, ty })
        }
        _ => None,
    };
    match module.types.get_handle(result.ty).map(|ty| &ty.inner) {
        Ok(TypeInner::Struct { members, .. }) => {
            let members = (0..).zip(members);
            members.filter_map(|(number, member)| kept(Some(number), &member.binding, member.ty)).collect()
        }
        _ => kept(None, &result.binding, result.ty).into_iter().collect(),
    }
}

fn has_kill(block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Kill => true,
        Statement::Block(block) => has_kill(block),
        Statement::If { accept, reject, .. } => has_kill(accept) || has_kill(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| has_kill(&case.body)),
        Statement::Loop { body, continuing, .. } => has_kill(body) || has_kill(continuing),
        _ => false,
    })
}

fn nested_blocks(statement: &mut Statement) -> impl Iterator<Item = &mut naga::Block> {
    let blocks: Vec<&mut naga::Block> = match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    };
    blocks.into_iter()
}

fn location_0() -> Binding {
    Binding::Location { location: 0, interpolation: None, sampling: None, blend_src: None, per_primitive: false }
}

#[cfg(test)]
mod tests {
    use super::super::link;
    use super::*;

    fn program(fragment: &str) -> Program {
        let vertex = "struct Out { @builtin(position) at: vec4f, @location(0) tint: vec4f }
            @vertex fn v() -> Out { return Out(vec4f(), vec4f()); }";
        let stage = |text: &str, stage| parse_wgsl(ShaderText { bytes: text.as_bytes(), offset: 0x10 }, stage).unwrap();
        link(stage(vertex, ShaderStage::Vertex), stage(fragment, ShaderStage::Fragment)).unwrap()
    }

    const FORMS: [(&str, bool); 7] = [
        ("@fragment fn f() -> @location(0) vec4f { return vec4f(0.5); }", false),
        (
            "fn out(a: f32) { if a > 0.5 { discard; } }
             @fragment fn f(@location(0) t: vec4f) -> @location(0) vec4f { out(t.x); return t; }",
            true,
        ),
        (
            "@fragment fn f(@location(0) t: vec4f) -> @location(0) vec4f {
               for (var i = 0; i < 4; i++) { if t.x > f32(i) { return t; } }
               switch i32(t.y) { case 1: { return t.yyyy; } default: { discard; } }
               return t;
             }",
            true,
        ),
        (
            "struct Out { @builtin(sample_mask) mask: u32, @location(0) color: vec4f, @location(1) other: vec4f }
             @fragment fn f(@location(0) t: vec4f) -> Out {
               if t.x > 0.5 { return Out(0u, t, t); }
               return Out(1u, t, t);
             }",
            true,
        ),
        (
            "struct Out { @location(1) other: vec4f, @location(0) color: vec4f }
             @fragment fn f(@location(0) t: vec4f) -> Out { return Out(t, t); }",
            false,
        ),
        (
            "struct Out { @builtin(frag_depth) depth: f32, @builtin(sample_mask) mask: u32, @location(0) color: vec4f }
             @fragment fn f(@location(0) t: vec4f) -> Out { return Out(t.x, 1u, t); }",
            true,
        ),
        (
            "@group(0) @binding(3) var<uniform> tint: vec4f;
             @fragment fn f() -> @location(0) vec4f { return tint; }",
            false,
        ),
    ];

    #[test]
    fn every_form_of_result_can_be_whitened() {
        for (text, _) in FORMS {
            let original = program(text);
            let white = original.with_fragment_override(FragmentOverride::Survivors).unwrap();
            assert!(white.writes_target(), "{text}");
            assert_eq!(white.fragment.outputs.len(), 1, "{text}");
            assert_eq!(white.fragment.bindings, original.fragment.bindings, "{text}");
            assert_eq!(white.can_discard(), original.can_discard(), "{text}");
            let covered = original.with_fragment_override(FragmentOverride::Covered).unwrap();
            assert!(covered.writes_target() && !covered.can_discard(), "{text}");
        }
    }

    /// A depth decides by its test which pixels survive, also where it is all that the stage gives.
    #[test]
    fn a_depth_that_is_tested_stays() {
        let forms = [
            "@fragment fn f(@location(0) t: vec4f) -> @builtin(frag_depth) f32 { return t.x; }",
            "struct Out { @location(1) other: vec4f, @builtin(frag_depth) depth: f32 }
             @fragment fn f(@location(0) t: vec4f) -> Out { if t.x > 0.5 { discard; } return Out(t, t.y); }",
        ];
        for text in forms {
            let text = ShaderText { bytes: text.as_bytes(), offset: 0 };
            let stage = parse_wgsl(text, ShaderStage::Fragment).unwrap();
            let white = surviving_paint(&stage.module, "f", Paint::White).unwrap();
            let kept = kept_of(&white, &white.entry_points[0].function);
            assert_eq!(kept.iter().map(|kept| kept.built_in).collect::<Vec<_>>(), [BuiltIn::FragDepth]);
        }
    }

    #[test]
    fn only_stages_that_discard_can_discard() {
        for (text, discards) in FORMS {
            assert_eq!(program(text).can_discard(), discards, "{text}");
        }
    }
}
