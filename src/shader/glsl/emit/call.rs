//! Calls of the text's own functions, and their samplers.
//!
//! An `out` or `inout` parameter is a pointer to a variable made for the call: GLSL copies in before and out after, and
//! WGSL allows no pointer to a swizzle and no two to one variable.

use super::super::error::Result;
use super::super::link::sampler_leaves;
use super::super::typed::{Expr, ExprKind, FunctionId, VariableId, VariableKind};
use super::super::types::{Sampler, Scalar, Type};
use super::{Entity, Value, Writer, mangle};

/// The two halves of a sampler in WGSL.
#[derive(Clone, Debug)]
pub(crate) struct SamplerText {
    /// What it samples.
    pub sampler: Sampler,
    /// The texture's name.
    pub texture: String,
    /// The sampler state's name; empty for integer texels.
    pub state: String,
}

impl Writer<'_> {
    /// A call for its value.
    pub(super) fn call(&mut self, id: FunctionId, arguments: &[Expr], returns: &Type) -> Result<Value> {
        let (Value { code: call, depth, .. }, stores) = self.prepare(id, arguments)?;
        let effects = self.has_effects(id) || !stores.is_empty();
        if *returns == Type::Void {
            self.line(&format!("{call};"));
            self.finish(stores);
            return Ok(Value::fixed(""));
        }
        if !effects {
            return Ok(Value::called(call, depth));
        }
        let name = self.temporary();
        self.line(&format!("let {name} = {call};"));
        self.finish(stores);
        Ok(Value::fixed(name))
    }

    /// A call for its effects.
    pub(super) fn call_only(&mut self, id: FunctionId, arguments: &[Expr]) -> Result<()> {
        let (Value { code: call, .. }, stores) = self.prepare(id, arguments)?;
        let returns_value = self.program.functions.get(id.0).is_some_and(|function| function.returns != Type::Void);
        let prefix = if returns_value { "_ = " } else { "" };
        self.line(&format!("{prefix}{call};"));
        self.finish(stores);
        Ok(())
    }

    fn has_effects(&self, id: FunctionId) -> bool {
        self.program.functions.get(id.0).is_none_or(|function| function.effects)
    }

    fn finish(&mut self, stores: Vec<(super::place::Place, String)>) {
        for (place, name) in stores {
            self.store(&place, &Value::fixed(name));
        }
    }

    /// Text of the call, and what is to be copied out after it.
    fn prepare(&mut self, id: FunctionId, arguments: &[Expr]) -> Result<(Value, Vec<(super::place::Place, String)>)> {
        let Some(function) = self.program.functions.get(id.0) else { return Ok((Value::fixed(""), Vec::new())) };
        let mut texts = Vec::new();
        let mut depth = 0;
        let mut stores = Vec::new();
        for (at, (argument, (ty, kind))) in arguments.iter().zip(&function.signature).enumerate() {
            let changes = arguments.iter().skip(at + 1).any(|later| later.effects);
            if ty.has_sampler() {
                for leaf in self.samplers(argument) {
                    texts.push(leaf.texture);
                    texts.extend((!leaf.state.is_empty()).then_some(leaf.state));
                }
                if self.is_opaque(ty) {
                    continue;
                }
            }
            if matches!(kind, VariableKind::In { .. }) {
                let value = self.value(argument)?;
                let Value { code, depth: inner, .. } = if changes { self.keep(value) } else { value };
                texts.push(code);
                depth = inner.max(depth);
                continue;
            }
            let place = self.place(argument)?;
            let name = self.temporary();
            let type_text = self.ty(ty);
            match kind {
                VariableKind::InOut => {
                    let value = self.load(&place);
                    self.line(&format!("var {name}: {type_text} = {};", value.code));
                }
                _ => self.line(&format!("var {name}: {type_text};")),
            }
            texts.push(format!("&{name}"));
            stores.push((place, name));
        }
        let code = format!("{}({})", mangle(Entity::Function, &function.name, id.0), texts.join(", "));
        Ok((Value::called(code, depth + 1), stores))
    }

    /// One of an array's samplers.
    pub(super) fn sampler_of_array(&mut self, element: &Expr, at: u32) -> Option<SamplerText> {
        let ExprKind::Index(array, _) = &element.kind else { return None };
        self.samplers(array).into_iter().nth(at as usize)
    }

    /// Every sampler in an expression of a sampler type, or of one that holds samplers.
    pub(super) fn samplers(&mut self, expression: &Expr) -> Vec<SamplerText> {
        let mut at = expression;
        let mut skipped = 0;
        let root = loop {
            match &at.kind {
                ExprKind::Variable(id) => break *id,
                ExprKind::Index(base, index) => {
                    let index = index.value.as_ref().and_then(|value| value.first()).map_or(0, |index| index.integer());
                    skipped += index as usize * sampler_leaves(&at.ty).len();
                    at = base;
                }
                ExprKind::Member(base, member) => {
                    if let Type::Struct(of) = &base.ty {
                        let before = of.members.iter().take(*member);
                        skipped += before.map(|(_, ty)| sampler_leaves(ty).len()).sum::<usize>();
                    }
                    at = base;
                }
                _ => return Vec::new(),
            }
        };
        let count = sampler_leaves(&expression.ty).len();
        (skipped..skipped + count).filter_map(|leaf| self.sampler_leaf(root, leaf)).collect()
    }

    fn sampler_leaf(&mut self, root: VariableId, leaf: usize) -> Option<SamplerText> {
        let variable = self.program.variable(root)?;
        if !matches!(variable.kind, VariableKind::Uniform { .. }) {
            let sampler = *sampler_leaves(&variable.ty).get(leaf)?;
            return Some(parameter_sampler(&mangle(Entity::Variable, &variable.name, root.0), leaf, sampler));
        }
        let binding = *self.plan.samplers.get(&variable.name)?.get(leaf)?;
        let name = mangle(Entity::Binding, &variable.name, binding.texture as usize);
        let group = super::super::link::GROUP;
        let texture = format!("{name}t");
        let declaration = format!(
            "@group({group}) @binding({}) var {texture}: {};\n",
            binding.texture,
            texture_type(binding.sampler)
        );
        self.resources.insert(binding.texture, declaration);
        let mut state = String::new();
        if let Some(number) = binding.state {
            state = format!("{name}s");
            let declaration =
                format!("@group({group}) @binding({number}) var {state}: {};\n", state_type(binding.sampler));
            self.resources.insert(number, declaration);
        }
        Some(SamplerText { sampler: binding.sampler, texture, state })
    }
}

/// Names of the parameters that pass a sampler.
pub(crate) fn parameter_sampler(name: &str, leaf: usize, sampler: Sampler) -> SamplerText {
    let state = if sampler.texel == Scalar::Float { format!("{name}_{leaf}s") } else { String::new() };
    SamplerText { sampler, texture: format!("{name}_{leaf}t"), state }
}

/// Type of a texture in WGSL.
pub(crate) fn texture_type(sampler: Sampler) -> String {
    use super::super::types::Dimension::*;
    let integer = sampler.texel != Scalar::Float;
    let shape = match sampler.dimension {
        D2 => "2d",
        D3 => "3d",
        // WGSL loads from no cube, and integers can only be loaded.
        Cube if integer => "2d_array",
        Cube => "cube",
        D2Array => "2d_array",
    };
    match sampler.shadow {
        true => format!("texture_depth_{shape}"),
        false => format!("texture_{shape}<{}>", super::types::scalar(sampler.texel)),
    }
}

/// Type of a sampler state in WGSL.
pub(crate) fn state_type(sampler: Sampler) -> &'static str {
    if sampler.shadow { "sampler_comparison" } else { "sampler" }
}
