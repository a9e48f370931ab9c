//! Programs that draw where the guest's draw, in one colour of ours.
//!
//! What a draw covers can be asked of a GPU only by drawing. The vertex stage stays as it is, so that every triangle
//! lands where the guest's does. The fragment stage either stays too, with white in place of the colour that it
//! returns, so that what it discards stays discarded; or white is all it does.

use naga::{Binding, BuiltIn, Expression, Function, Handle, Span, Statement, Type, TypeInner};

use super::error::{ShaderError, ShaderText};
use super::guard::guarded;
use super::program::Program;
use super::stage::StageModule;
use super::wgsl::{parse_wgsl, used_bindings, validate};
use crate::command::ShaderStage;

const WHITE_WGSL: &str = "@fragment fn white() -> @location(0) vec4f { return vec4f(1.0); }";

/// Which pixels come out white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentOverride {
    /// Those that the guest's fragment stage gives a colour.
    Survivors,
    /// All that a triangle covers.
    Covered,
}

impl Program {
    /// The program with a fragment stage that paints white.
    pub fn with_fragment_override(&self, fragment_override: FragmentOverride) -> Result<Program, ShaderError> {
        let fragment = match fragment_override {
            FragmentOverride::Survivors => whiten(&self.fragment)?,
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
        let masks = entries.clone().filter_map(|function| sample_mask_of(module, function)).next().is_some();
        masks || functions.chain(entries).any(|function| has_kill(&function.body))
    }
}

/// The stage with white at location 0, and nothing else but the sample mask, which can take pixels away.
fn whiten(stage: &StageModule) -> Result<StageModule, ShaderError> {
    let whitened = guarded(|| {
        let mut whitened = stage.clone();
        whiten_module(&mut whitened.module, &stage.entry_point);
        let info = validate(&whitened.module).map_err(|error| error.to_string())?;
        let is_entry = |entry: &naga::EntryPoint| entry.name == stage.entry_point;
        let index = whitened.module.entry_points.iter().position(is_entry).unwrap_or_default();
        let used = used_bindings(&whitened.module, &info, index);
        whitened
            .bindings
            .retain(|binding| used.iter().any(|used| (used.group, used.binding) == (binding.group, binding.binding)));
        whitened.outputs.retain(|output| output.location == 0);
        Ok(whitened)
    });
    let broke = |message| {
        let (stage, offset) = (stage.stage, stage.text_offset);
        ShaderError::CompilerBroke { stage, message, offset }
    };
    whitened.unwrap_or_else(Err).map_err(broke)
}

/// Types and constants of the white result.
struct White {
    ty: Handle<Type>,
    constant: Handle<naga::Constant>,
    /// If the guest's result has a sample mask: its place in there, and the type of our result with a mask in it.
    mask: Option<(u32, Handle<Type>)>,
}

fn whiten_module(module: &mut naga::Module, entry_point: &str) {
    let Some(index) = module.entry_points.iter().position(|entry| entry.name == entry_point) else { return };
    let mask = module.entry_points.get(index).and_then(|entry| sample_mask_of(module, &entry.function));
    let white = White::new(module, mask);
    let Some(entry) = module.entry_points.get_mut(index) else { return };
    let (ty, binding) = match white.mask {
        Some((_, both)) => (both, None),
        None => (white.ty, Some(location_0())),
    };
    entry.function.result = Some(naga::FunctionResult { ty, binding });
    let color = entry.function.expressions.append(Expression::Constant(white.constant), Span::UNDEFINED);
    let mut body = std::mem::take(&mut entry.function.body);
    whiten_returns(&mut body, &mut entry.function.expressions, color, &white);
    entry.function.body = body;
}

impl White {
    fn new(module: &mut naga::Module, mask: Option<(u32, Handle<Type>)>) -> Self {
        let scalar = naga::Scalar::F32;
        let inner = TypeInner::Vector { size: naga::VectorSize::Quad, scalar };
        let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let one = Expression::Literal(naga::Literal::F32(1.0));
        let one = module.global_expressions.append(one, Span::UNDEFINED);
        let init = Expression::Compose { ty, components: vec![one; 4] };
        let init = module.global_expressions.append(init, Span::UNDEFINED);
        let constant = module.constants.append(naga::Constant { name: None, ty, init }, Span::UNDEFINED);
        let mask = mask.map(|(place, mask_ty)| {
            let member = |ty, binding, offset| naga::StructMember { name: None, ty, binding: Some(binding), offset };
            let mask = member(mask_ty, Binding::BuiltIn(BuiltIn::SampleMask), 16);
            let inner = TypeInner::Struct { members: vec![member(ty, location_0(), 0), mask], span: 32 };
            let name = Some("WhiteAndMask".to_owned());
            (place, module.types.insert(Type { name, inner }, Span::UNDEFINED))
        });
        Self { ty, constant, mask }
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
            Statement::Return { value } => match (*value, white.mask) {
                (Some(result), Some((place, ty))) => {
                    let before = expressions.len();
                    let mask = Expression::AccessIndex { base: result, index: place };
                    let mask = expressions.append(mask, Span::UNDEFINED);
                    let both = Expression::Compose { ty, components: vec![color, mask] };
                    let both = expressions.append(both, Span::UNDEFINED);
                    let emit = Statement::Emit(expressions.range_from(before));
                    let both = Statement::Return { value: Some(both) };
                    *statement = Statement::Block(naga::Block::from_vec(vec![emit, both]));
                }
                _ => *value = Some(color),
            },
            nested => nested_blocks(nested).for_each(|block| whiten_returns(block, expressions, color, white)),
        }
    }
}

/// Where in an entry point's result the sample mask is, and its type.
fn sample_mask_of(module: &naga::Module, function: &Function) -> Option<(u32, Handle<Type>)> {
    let result = function.result.as_ref()?;
    let TypeInner::Struct { members, .. } = &module.types.get_handle(result.ty).ok()?.inner else { return None };
    let is_mask = |member: &naga::StructMember| member.binding == Some(Binding::BuiltIn(BuiltIn::SampleMask));
    let place = members.iter().position(is_mask)?;
    members.get(place).map(|member| (place as u32, member.ty))
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

    const FORMS: [(&str, bool); 6] = [
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

    #[test]
    fn only_stages_that_discard_can_discard() {
        for (text, discards) in FORMS {
            assert_eq!(program(text).can_discard(), discards, "{text}");
        }
    }
}
