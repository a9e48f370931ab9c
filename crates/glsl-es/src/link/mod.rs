//! Fits the two stages together: attributes to locations, varyings by name, and in [`uniforms`] uniforms and samplers to
//! bindings.

mod uniforms;

use std::collections::BTreeMap;

use super::error::{GlslError, LinkError};
use super::source::{Stage, Text};
use super::typed::{Interface, Program, Variable, VariableKind};
use super::types::{Sampler, Type};
use super::{Attribute, Binding, ClipConvention, GlslOptions, LocationRule, NamedLocation};
use crate::limits::MAX_GLSL_VARYING_SLOTS;

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
