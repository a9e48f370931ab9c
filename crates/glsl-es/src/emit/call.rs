//! Calls of the text's own functions, and their samplers.
//!
//! An `out` or `inout` parameter is a pointer to a variable made for the call: GLSL copies in before and out after, and
//! WGSL allows no pointer to a swizzle and no two to one variable.

use super::super::error::Result;
use super::super::link::sampler_leaves;
use super::super::typed::{Expr, ExprKind, FunctionId, VariableId, VariableKind};
use super::super::types::{Sampler, Scalar, Type};
use super::place::Place;
use super::{Entity, Statement, Value, Writer, mangle};

/// The two halves of a sampler in WGSL.
#[derive(Clone, Debug)]
pub(crate) struct SamplerNames {
    /// What it samples.
    pub sampler: Sampler,
    /// The texture's name.
    pub texture: String,
    /// The sampler state's name; integer texels have none.
    pub state: Option<String>,
}

impl Writer<'_> {
    /// A call for its value.
    pub(super) fn call(&mut self, id: FunctionId, arguments: &[Expr], returns: &Type) -> Result<Value> {
        let (call, stores) = self.prepare(id, arguments)?;
        if *returns == Type::Void {
            self.push(Statement::Call(call));
            self.finish(stores);
            return Ok(Value::nothing());
        }
        if !self.has_effects(id) && stores.is_empty() {
            return Ok(call);
        }
        let kept = self.bind(&call);
        self.finish(stores);
        Ok(kept)
    }

    /// A call for its effects.
    pub(super) fn call_only(&mut self, id: FunctionId, arguments: &[Expr]) -> Result<()> {
        let (call, stores) = self.prepare(id, arguments)?;
        let returns_value = self.program.functions.get(id.0).is_some_and(|function| function.returns != Type::Void);
        self.push(match returns_value {
            true => Statement::Assign(Value::fixed("_"), call),
            false => Statement::Call(call),
        });
        self.finish(stores);
        Ok(())
    }

    fn has_effects(&self, id: FunctionId) -> bool {
        self.program.functions.get(id.0).is_none_or(|function| function.effects)
    }

    fn finish(&mut self, stores: Vec<(Place, Value)>) {
        for (place, value) in stores {
            self.store(&place, &value);
        }
    }

    /// The call, and what is to be copied out after it.
    fn prepare(&mut self, id: FunctionId, arguments: &[Expr]) -> Result<(Value, Vec<(Place, Value)>)> {
        let Some(function) = self.program.functions.get(id.0) else { return Ok((Value::nothing(), Vec::new())) };
        let mut passed = Vec::new();
        let mut stores = Vec::new();
        for (at, (argument, (ty, kind))) in arguments.iter().zip(&function.signature).enumerate() {
            let changes = arguments.iter().skip(at + 1).any(|later| later.effects);
            if ty.has_sampler() {
                for leaf in self.samplers(argument) {
                    passed.push(Value::fixed(leaf.texture));
                    passed.extend(leaf.state.map(Value::fixed));
                }
                if self.is_opaque(ty) {
                    continue;
                }
            }
            if matches!(kind, VariableKind::In { .. }) {
                let value = self.value(argument)?;
                passed.push(if changes { self.keep(value) } else { value });
                continue;
            }
            let place = self.place(argument)?;
            let name = self.temporary();
            let ty = self.ty(ty);
            let value = (*kind == VariableKind::InOut).then(|| self.load(&place));
            self.declare_var(&name, ty, value);
            let copy = Value::read(name);
            passed.push(copy.prefixed("&"));
            stores.push((place, copy));
        }
        Ok((Value::call(mangle(Entity::Function, &function.name, id.0), passed).changing(), stores))
    }

    /// One of an array's samplers.
    pub(super) fn sampler_of_array(&mut self, element: &Expr, at: u32) -> Option<SamplerNames> {
        let ExprKind::Index(array, _) = &element.kind else { return None };
        self.samplers(array).into_iter().nth(at as usize)
    }

    /// Every sampler in an expression of a sampler type, or of one that holds samplers.
    pub(super) fn samplers(&mut self, expression: &Expr) -> Vec<SamplerNames> {
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

    fn sampler_leaf(&mut self, root: VariableId, leaf: usize) -> Option<SamplerNames> {
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
        let state = binding.state.map(|number| (number, format!("{name}s")));
        if let Some((number, state)) = &state {
            let declaration =
                format!("@group({group}) @binding({number}) var {state}: {};\n", state_type(binding.sampler));
            self.resources.insert(*number, declaration);
        }
        Some(SamplerNames { sampler: binding.sampler, texture, state: state.map(|(_, name)| name) })
    }
}

/// Names of the parameters that pass a sampler.
pub(crate) fn parameter_sampler(name: &str, leaf: usize, sampler: Sampler) -> SamplerNames {
    let state = (sampler.texel == Scalar::Float).then(|| format!("{name}_{leaf}s"));
    SamplerNames { sampler, texture: format!("{name}_{leaf}t"), state }
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
