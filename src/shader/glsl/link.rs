//! Fits the two stages together: attributes to locations, varyings by name, uniforms and samplers to bindings.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::Precision;
use super::error::{GlslError, LinkError, Note};
use super::layout;
use super::source::{Stage, Text};
use super::typed::{Block, Builtin, Interface, Program, Variable, VariableKind};
use super::types::{Sampler, Scalar, Struct, Type};
use super::{
    Attribute, Binding, BindingKind, ClipConvention, GlslOptions, LocationRule, NamedLocation, Stages, UniformMember,
};
use crate::bytes::limits::MAX_GLSL_VARYING_SLOTS;

/// The bind group that everything is in.
pub(crate) const GROUP: u32 = 0;

/// All that writing the two modules needs to agree on.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Whether clip space, `gl_FragCoord` and `dFdy` are WebGPU's, as in text that naga wrote.
    pub naga_convention: bool,
    /// Vertex inputs.
    pub attributes: Vec<Attribute>,
    /// What the fragment stage reads.
    pub varyings: Vec<Varying>,
    /// Loose uniforms: name to offset.
    pub loose: BTreeMap<String, u32>,
    /// Every binding, in order of binding numbers.
    pub bindings: Vec<Binding>,
    /// Binding of a block's copy.
    pub block_bindings: BTreeMap<(String, u32), u32>,
    /// Binding of the loose uniforms.
    pub loose_binding: Option<u32>,
    /// Bindings of a uniform's samplers in order: texture, and sampler unless texels are integers.
    pub samplers: BTreeMap<String, Vec<SamplerBinding>>,
    /// Binding of the target's size.
    pub target_binding: Option<u32>,
    /// Fragment outputs: variable name to first location.
    pub outputs: BTreeMap<String, u32>,
}

/// One varying that both stages have.
#[derive(Clone, Debug)]
pub(crate) struct Varying {
    /// Its name.
    pub name: String,
    /// First location.
    pub location: u32,
    /// How it is interpolated.
    pub interface: Interface,
}

/// Where a sampler's two halves are bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplerBinding {
    /// What it samples.
    pub sampler: Sampler,
    /// Binding of the texture.
    pub texture: u32,
    /// Binding of the sampler; none for integer texels, which are loaded.
    pub state: Option<u32>,
}

/// The two stages with their texts, for messages.
pub(crate) struct Pair<'p, 't> {
    /// Vertex stage.
    pub vertex: &'p Program,
    /// Fragment stage.
    pub fragment: &'p Program,
    /// Text of the vertex stage.
    pub vertex_text: &'p Text<'t>,
    /// Text of the fragment stage.
    pub fragment_text: &'p Text<'t>,
}

type LinkResult<T> = Result<T, GlslError>;

/// Makes the plan.
pub(crate) fn plan(pair: &Pair<'_, '_>, options: &GlslOptions) -> LinkResult<Plan> {
    let mut plan = Plan {
        naga_convention: match options.clip {
            ClipConvention::Gl => false,
            ClipConvention::Naga => true,
            ClipConvention::Auto => pair.vertex.has_naga_epilogue,
        },
        ..Plan::default()
    };
    pair.attributes(&mut plan, options.named_locations)?;
    pair.outputs(&mut plan)?;
    pair.varyings(&mut plan)?;
    pair.bindings(&mut plan)?;
    Ok(plan)
}

/// Number of locations that a type takes.
pub(crate) fn locations(ty: &Type) -> u32 {
    match ty {
        Type::Numeric(_, columns, _) => u32::from(*columns),
        Type::Array(of, length) => locations(of).saturating_mul(*length),
        Type::Struct(of) => of.members.iter().map(|(_, ty)| locations(ty)).fold(0, u32::saturating_add),
        Type::Void | Type::Sampler(_) => 0,
    }
}

/// The samplers in a type, in order.
pub(crate) fn sampler_leaves(ty: &Type) -> Vec<Sampler> {
    match ty {
        Type::Sampler(sampler) => vec![*sampler],
        Type::Array(of, length) if of.has_sampler() => {
            let one = sampler_leaves(of);
            (0..*length).flat_map(|_| one.iter().copied()).collect()
        }
        Type::Struct(of) => of.members.iter().flat_map(|(_, ty)| sampler_leaves(ty)).collect(),
        _ => Vec::new(),
    }
}

impl Pair<'_, '_> {
    fn text(&self, stage: Stage) -> &Text<'_> {
        match stage {
            Stage::Vertex => self.vertex_text,
            Stage::Fragment => self.fragment_text,
        }
    }

    fn mismatch(&self, what: &'static str, name: &str, vertex: (String, u32), fragment: (String, u32)) -> GlslError {
        GlslError::Link(Box::new(LinkError::Mismatch {
            what,
            name: name.to_owned(),
            vertex: vertex.0,
            fragment: fragment.0,
            vertex_place: Box::new(self.vertex_text.place(vertex.1, None)),
            fragment_place: Box::new(self.fragment_text.place(fragment.1, None)),
        }))
    }

    /// Explicit locations first, then those by names, then order of declaration.
    fn attributes(&self, plan: &mut Plan, named: &[NamedLocation]) -> LinkResult<()> {
        let inputs: Vec<(&Variable, Interface)> = inputs(self.vertex).collect();
        let mut taken: BTreeMap<u32, &str> = BTreeMap::new();
        let mut placed: Vec<Option<(u32, LocationRule)>> = vec![None; inputs.len()];
        for ((variable, interface), slot) in inputs.iter().zip(&mut placed) {
            let Some(location) = interface.location else { continue };
            self.take(&mut taken, variable, location, Stage::Vertex)?;
            *slot = Some((location, LocationRule::Explicit));
        }
        for NamedLocation { location: wanted, words } in named.iter().copied() {
            let named = inputs.iter().zip(&placed).position(|((variable, _), slot)| {
                let name = variable.name.to_lowercase();
                slot.is_none() && words.iter().any(|word| name.contains(word))
            });
            let Some(at) = named else { continue };
            let Some((variable, _)) = inputs.get(at) else { continue };
            let span = locations(&variable.ty);
            if (wanted..wanted + span).all(|location| !taken.contains_key(&location)) {
                taken.extend((wanted..wanted + span).map(|location| (location, variable.name.as_str())));
                if let Some(slot) = placed.get_mut(at) {
                    *slot = Some((wanted, LocationRule::Named));
                }
            }
        }
        for ((variable, _), slot) in inputs.iter().zip(placed) {
            let (location, rule) = slot.unwrap_or_else(|| {
                let span = locations(&variable.ty);
                let free = |first: &u32| (*first..*first + span).all(|location| !taken.contains_key(&location));
                let first = (0..u32::MAX - span).find(free).unwrap_or_default();
                taken.extend((first..first + span).map(|location| (location, variable.name.as_str())));
                (first, LocationRule::Declared)
            });
            plan.attributes.push(Attribute {
                name: variable.name.clone(),
                location,
                ty: variable.ty.clone(),
                rule,
                active: variable.used,
            });
        }
        Ok(())
    }

    fn take<'v>(
        &self,
        taken: &mut BTreeMap<u32, &'v str>,
        variable: &'v Variable,
        location: u32,
        stage: Stage,
    ) -> LinkResult<()> {
        for location in location..location.saturating_add(locations(&variable.ty)) {
            if let Some(other) = taken.insert(location, &variable.name) {
                return Err(GlslError::Link(Box::new(LinkError::LocationTaken {
                    name: variable.name.clone(),
                    location,
                    other: other.to_owned(),
                    place: Box::new(self.text(stage).place(variable.position, None)),
                })));
            }
        }
        Ok(())
    }

    fn outputs(&self, plan: &mut Plan) -> LinkResult<()> {
        let mut taken = BTreeMap::new();
        for (variable, interface) in outputs(self.fragment) {
            // One output without location is at 0; with several, GLSL asks for locations.
            let location = interface.location.unwrap_or(0);
            self.take(&mut taken, variable, location, Stage::Fragment)?;
            plan.outputs.insert(variable.name.clone(), location);
        }
        Ok(())
    }

    fn varyings(&self, plan: &mut Plan) -> LinkResult<()> {
        let mut location = 0;
        for (input, interface) in inputs(self.fragment) {
            let output = outputs(self.vertex).find(|(output, _)| output.name == input.name);
            let Some((output, output_interface)) = output else {
                if !input.used {
                    continue;
                }
                return Err(GlslError::Link(Box::new(LinkError::MissingVarying {
                    name: input.name.clone(),
                    declared: describe(&input.ty, interface),
                    place: Box::new(self.fragment_text.place(input.position, None)),
                })));
            };
            if !output.ty.same_shape(&input.ty) || output_interface.flat != interface.flat {
                let vertex = (describe(&output.ty, output_interface), output.position);
                let fragment = (describe(&input.ty, interface), input.position);
                return Err(self.mismatch("varying", &input.name, vertex, fragment));
            }
            if !input.used {
                continue;
            }
            let end = location + locations(&input.ty);
            if end > MAX_GLSL_VARYING_SLOTS {
                return Err(GlslError::Link(Box::new(LinkError::TooManyVaryings {
                    found: end,
                    cap: MAX_GLSL_VARYING_SLOTS,
                    place: Box::new(self.fragment_text.place(input.position, None)),
                })));
            }
            plan.varyings.push(Varying { name: input.name.clone(), location, interface });
            location = end;
        }
        Ok(())
    }

    /// Binding 0 is the target's size, then come loose uniforms, blocks and samplers, each in the order in which the
    /// vertex text and then the fragment text declare them.
    fn bindings(&self, plan: &mut Plan) -> LinkResult<()> {
        let coordinates =
            |variable: &Variable| variable.used && variable.kind == VariableKind::Builtin(Builtin::FragCoord);
        let mut next = 0;
        if !plan.naga_convention && self.fragment.variables.iter().any(coordinates) {
            plan.target_binding = Some(next);
            let stages = Stages { vertex: false, fragment: true };
            plan.bindings.push(binding(next, stages, "gl_target", BindingKind::TargetInfo));
            next += 1;
        }
        self.loose_uniforms(plan, &mut next)?;
        self.blocks(plan, &mut next)?;
        self.samplers(plan, &mut next);
        Ok(())
    }

    fn loose_uniforms(&self, plan: &mut Plan, next: &mut u32) -> LinkResult<()> {
        let mut found: Vec<(&Variable, Stages)> = Vec::new();
        for (stage, program) in [(Stage::Vertex, self.vertex), (Stage::Fragment, self.fragment)] {
            for variable in program.variables.iter().filter(|v| matches!(v.kind, VariableKind::Uniform { .. })) {
                let stages = Stages::only(stage);
                let Some((other, of)) = found.iter_mut().find(|(other, _)| other.name == variable.name) else {
                    found.push((variable, stages));
                    continue;
                };
                if !other.ty.same_shape(&variable.ty) {
                    let vertex = (other.ty.to_string(), other.position);
                    let fragment = (variable.ty.to_string(), variable.position);
                    return Err(self.mismatch("uniform", &variable.name, vertex, fragment));
                }
                of.fragment = true;
            }
        }
        self.check_members_of_blocks()?;
        let (starts, end) = layout::offsets(found.iter().map(|(variable, _)| (&variable.ty, false)));
        let plain = |ty: &Type| layout::extent(ty, false).size > 0;
        let mut members = Vec::new();
        let mut stages = Stages::default();
        for ((variable, of), offset) in found.iter().zip(starts).filter(|((variable, _), _)| plain(&variable.ty)) {
            plan.loose.insert(variable.name.clone(), offset);
            stages.vertex |= of.vertex;
            stages.fragment |= of.fragment;
            members.push(UniformMember {
                name: variable.name.clone(),
                offset,
                ty: variable.ty.clone(),
                row_major: false,
            });
        }
        if members.is_empty() {
            return Ok(());
        }
        plan.loose_binding = Some(*next);
        let kind = BindingKind::UniformBlock { size_bytes: end.next_multiple_of(16), members };
        plan.bindings.push(binding(*next, stages, "", kind));
        *next += 1;
        Ok(())
    }

    /// One name is not a uniform of its own in one stage, and a member of a block in the other.
    fn check_members_of_blocks(&self) -> LinkResult<()> {
        let as_text = |program: &Program, variable: &Variable| match variable.kind {
            VariableKind::Uniform { .. } => Some("a uniform outside of blocks".to_owned()),
            VariableKind::Member(id, _) => {
                program.blocks.get(id.0).map(|block| format!("a member of block '{}'", block.name))
            }
            _ => None,
        };
        let named = self
            .fragment
            .variables
            .iter()
            .filter_map(|variable| Some((variable.name.as_str(), (variable, as_text(self.fragment, variable)?))));
        let named: BTreeMap<_, _> = named.collect();
        for variable in &self.vertex.variables {
            let Some(vertex) = as_text(self.vertex, variable) else { continue };
            let Some((other, fragment)) = named.get(variable.name.as_str()) else { continue };
            if vertex != *fragment {
                let fragment = (fragment.clone(), other.position);
                return Err(self.mismatch("uniform", &variable.name, (vertex, variable.position), fragment));
            }
        }
        Ok(())
    }

    /// Notes for the fragment shader: uniforms that are otherwise declared in the vertex shader, and mean the same all the
    /// same.
    pub(crate) fn differences(&self) -> Vec<Note> {
        fn uniforms(program: &Program) -> impl Iterator<Item = &Variable> {
            program.variables.iter().filter(|variable| matches!(variable.kind, VariableKind::Uniform { .. }))
        }
        let vertex: BTreeMap<_, _> = uniforms(self.vertex).map(|variable| (&variable.name, variable)).collect();
        let differing = uniforms(self.fragment).filter_map(|variable| {
            let difference = self.difference(variable, vertex.get(&variable.name)?)?;
            Some(Note::oddity(variable.position, format!("uniform '{}' is {difference}", variable.name)))
        });
        differing.collect()
    }

    /// What a uniform is in the fragment shader, and what it is in the vertex shader.
    fn difference(&self, variable: &Variable, other: &Variable) -> Option<String> {
        let differ = |here: &str, there: &str| Some(format!("{here} here but {there} in the vertex shader"));
        if let (Some(here), Some(there)) = (variable.precision, other.precision)
            && here != there
        {
            return differ(here.keyword(), there.keyword());
        }
        let (here, there) = self.differing_structs(&variable.ty, &other.ty)?;
        differ(&here, &there)
    }

    /// Structs of other names, or of which members have other precisions.
    fn differing_structs(&self, here: &Type, there: &Type) -> Option<(String, String)> {
        let (here, there) = match (here, there) {
            (Type::Array(here, _), Type::Array(there, _)) => return self.differing_structs(here, there),
            (Type::Struct(here), Type::Struct(there)) => (here, there),
            _ => return None,
        };
        if here.name != there.name {
            return Some((Type::described(here), Type::described(there)));
        }
        let precisions = |program: &Program, of: &Struct| -> Vec<Option<Precision>> {
            program.member_precisions.get(of.id as usize).cloned().unwrap_or_default()
        };
        let of_members = precisions(self.fragment, here).into_iter().zip(precisions(self.vertex, there));
        for ((name, _), precisions) in here.members.iter().zip(of_members) {
            if let (Some(here), Some(there)) = precisions
                && here != there
            {
                let text = |precision: Precision| format!("a struct with '{} {name}'", precision.keyword());
                return Some((text(here), text(there)));
            }
        }
        let inner = here.members.iter().zip(&there.members);
        inner.into_iter().find_map(|((_, here), (_, there))| self.differing_structs(here, there))
    }

    fn blocks(&self, plan: &mut Plan, next: &mut u32) -> LinkResult<()> {
        let mut names = BTreeSet::new();
        for block in self.vertex.blocks.iter().chain(&self.fragment.blocks) {
            if !names.insert(&block.name) {
                continue;
            }
            let vertex = self.vertex.blocks.iter().find(|other| other.name == block.name);
            let fragment = self.fragment.blocks.iter().find(|other| other.name == block.name);
            if let (Some(a), Some(b)) = (vertex, fragment) {
                let same = |(a, b): (&(String, Type, bool), &(String, Type, bool))| {
                    a.0 == b.0 && a.2 == b.2 && a.1.same_shape(&b.1)
                };
                if a.has_instance != b.has_instance || a.packing != b.packing {
                    let text = |block: &Block| {
                        let names = if block.has_instance { "with a variable" } else { "without a variable" };
                        (format!("{} {names}", block.packing), block.position)
                    };
                    return Err(self.mismatch("uniform block", &block.name, text(a), text(b)));
                }
                if a.copies != b.copies
                    || a.members.len() != b.members.len()
                    || !a.members.iter().zip(&b.members).all(same)
                {
                    let text = |members: &[(String, Type, bool)]| {
                        let list: Vec<_> =
                            members.iter().take(32).map(|(name, ty, _)| format!("{ty} {name}")).collect();
                        format!("{{ {} }}", list.join("; "))
                    };
                    let vertex = (text(&a.members), a.position);
                    let fragment = (text(&b.members), b.position);
                    return Err(self.mismatch("uniform block", &block.name, vertex, fragment));
                }
            }
            let stages = Stages { vertex: vertex.is_some(), fragment: fragment.is_some() };
            let (starts, end) = layout::offsets(block.members.iter().map(|(_, ty, by_rows)| (ty, *by_rows)));
            let members: Vec<_> = block
                .members
                .iter()
                .zip(starts)
                .map(|((name, ty, row_major), offset)| UniformMember {
                    name: name.clone(),
                    offset,
                    ty: ty.clone(),
                    row_major: *row_major,
                })
                .collect();
            for copy in 0..block.copies.unwrap_or(1) {
                let name = match block.copies {
                    Some(_) => format!("{}[{copy}]", block.name),
                    None => block.name.clone(),
                };
                let kind = BindingKind::UniformBlock { size_bytes: end.next_multiple_of(16), members: members.clone() };
                plan.bindings.push(binding(*next, stages, &name, kind));
                plan.block_bindings.insert((block.name.clone(), copy), *next);
                *next += 1;
            }
        }
        Ok(())
    }

    fn samplers(&self, plan: &mut Plan, next: &mut u32) {
        for variable in self.vertex.variables.iter().chain(&self.fragment.variables) {
            let is_new =
                matches!(variable.kind, VariableKind::Uniform { .. }) && !plan.samplers.contains_key(&variable.name);
            if !is_new || !variable.ty.has_sampler() {
                continue;
            }
            let declared = |program: &Program| {
                program
                    .variables
                    .iter()
                    .any(|v| v.name == variable.name && matches!(v.kind, VariableKind::Uniform { .. }))
            };
            let stages = Stages { vertex: declared(self.vertex), fragment: declared(self.fragment) };
            let mut list = Vec::new();
            for (sampler, name) in
                sampler_leaves(&variable.ty).into_iter().zip(leaf_names(&variable.name, &variable.ty))
            {
                let texture = *next;
                let kind =
                    BindingKind::Texture { dimension: sampler.dimension, texel: sampler.texel, depth: sampler.shadow };
                plan.bindings.push(binding(texture, stages, &name, kind));
                *next += 1;
                let state = (sampler.texel == Scalar::Float).then_some(*next);
                if let Some(state) = state {
                    let kind = BindingKind::Sampler { comparison: sampler.shadow };
                    plan.bindings.push(binding(state, stages, &name, kind));
                    *next += 1;
                }
                list.push(SamplerBinding { sampler, texture, state });
            }
            plan.samplers.insert(variable.name.clone(), list);
        }
    }
}

/// Names of the samplers in a uniform: `s`, `s[0]`, `s.member`.
fn leaf_names(name: &str, ty: &Type) -> Vec<String> {
    match ty {
        Type::Sampler(_) => vec![name.to_owned()],
        Type::Array(of, length) if of.has_sampler() => {
            (0..*length).flat_map(|index| leaf_names(&format!("{name}[{index}]"), of)).collect()
        }
        Type::Struct(of) => {
            of.members.iter().flat_map(|(member, ty)| leaf_names(&format!("{name}.{member}"), ty)).collect()
        }
        _ => Vec::new(),
    }
}

fn binding(binding: u32, stages: Stages, name: &str, kind: BindingKind) -> Binding {
    Binding { group: GROUP, binding, stages, name: name.to_owned(), kind }
}

fn describe(ty: &Type, interface: Interface) -> String {
    format!("{}{ty}", if interface.flat { "flat " } else { "" })
}

/// Inputs of a stage.
pub(crate) fn inputs(program: &Program) -> impl Iterator<Item = (&Variable, Interface)> {
    program.variables.iter().filter_map(|variable| match variable.kind {
        VariableKind::Input(interface) => Some((variable, interface)),
        _ => None,
    })
}

/// Outputs of a stage.
pub(crate) fn outputs(program: &Program) -> impl Iterator<Item = (&Variable, Interface)> {
    program.variables.iter().filter_map(|variable| match variable.kind {
        // GLSL ES 1.00 declares two, of which a text uses one.
        VariableKind::Output(_) if variable.name.starts_with("gl_") && !variable.used => None,
        VariableKind::Output(interface) => Some((variable, interface)),
        _ => None,
    })
}
