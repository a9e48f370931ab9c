//! Uniforms of both stages: what is one thing in both, and where all are bound.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ast::Precision;
use super::super::error::Note;
use super::super::layout;
use super::super::source::Stage;
use super::super::typed::{Block, Builtin, Program, Variable, VariableKind};
use super::super::types::{Scalar, Struct, Type};
use super::super::{Binding, BindingKind, Stages, UniformMember};
use super::{GROUP, LinkResult, Pair, Plan, SamplerBinding, sampler_leaves};

/// What a uniform is that is no member of a block.
const OUTSIDE_OF_BLOCKS: &str = "a uniform outside of blocks";

impl Pair<'_, '_> {
    /// Binding 0 is the target's size, then come loose uniforms, blocks and samplers, each in the order in which the
    /// vertex text and then the fragment text declare them.
    pub(super) fn bindings(&self, plan: &mut Plan) -> LinkResult<()> {
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
            VariableKind::Uniform { .. } => Some(OUTSIDE_OF_BLOCKS.to_owned()),
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
        let vertex: BTreeMap<_, _> =
            outside_of_blocks(self.vertex).map(|variable| (&variable.name, variable)).collect();
        let differing = outside_of_blocks(self.fragment).filter_map(|variable| {
            let difference = self.difference(variable, vertex.get(&variable.name)?)?;
            Some(Note::oddity(variable.position, format!("uniform '{}' is {difference}", variable.name)))
        });
        let blocks: BTreeMap<_, _> = self.vertex.blocks.iter().map(|block| (&block.name, block)).collect();
        let differing_blocks = self.fragment.blocks.iter().filter_map(|block| {
            let (here, there) = self.differing_members(&block.of, &blocks.get(&block.name)?.of)?;
            let what = format!("uniform block '{}' has {here} here but {there} in the vertex shader", block.name);
            Some(Note::oddity(block.position, what))
        });
        differing.chain(differing_blocks).chain(self.names_used_twice()).collect()
    }

    /// Uniforms of both stages have one set of names (GLSL ES 3.00, 4.2.5): none is that of a uniform outside of blocks in
    /// one of them, and that of a block or its variable in the other.
    fn names_used_twice(&self) -> impl Iterator<Item = Note> {
        let note = |name: &str, position, here: &str, there: &str| {
            Note::oddity(position, format!("'{name}' is {here} here but {there} in the vertex shader"))
        };
        let [here, there] = [self.fragment, self.vertex].map(names_of_blocks);
        let uniforms = outside_of_blocks(self.fragment).filter_map(move |uniform| {
            let (what, _) = there.get(uniform.name.as_str())?;
            Some(note(&uniform.name, uniform.position, OUTSIDE_OF_BLOCKS, what))
        });
        let blocks = outside_of_blocks(self.vertex).filter_map(move |uniform| {
            let (what, position) = here.get(uniform.name.as_str())?;
            Some(note(&uniform.name, *position, what, OUTSIDE_OF_BLOCKS))
        });
        uniforms.chain(blocks)
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
        let (here, there) = self.differing_members(here, there)?;
        Some((format!("a struct with {here}"), format!("a struct with {there}")))
    }

    /// Members of structs that have the same ones, which differ in precision, or whose types do.
    fn differing_members(&self, here: &Struct, there: &Struct) -> Option<(String, String)> {
        let precisions = |program: &Program, of: &Struct| -> Vec<Option<Precision>> {
            program.member_precisions.get(of.id as usize).cloned().unwrap_or_default()
        };
        let of_members = precisions(self.fragment, here).into_iter().zip(precisions(self.vertex, there));
        for ((name, _), precisions) in here.members.iter().zip(of_members) {
            if let (Some(here), Some(there)) = precisions
                && here != there
            {
                let text = |precision: Precision| format!("'{} {name}'", precision.keyword());
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
                if a.has_instance != b.has_instance || a.packing != b.packing {
                    let text = |block: &Block| {
                        let names = if block.has_instance { "with a variable" } else { "without a variable" };
                        (format!("{} {names}", block.packing), block.position)
                    };
                    return Err(self.mismatch("uniform block", &block.name, text(a), text(b)));
                }
                let same = |(a, b): (&(String, Type), &(String, Type))| a.0 == b.0 && a.1.same_shape(&b.1);
                if a.copies != b.copies
                    || a.by_rows != b.by_rows
                    || a.of.members.len() != b.of.members.len()
                    || !a.of.members.iter().zip(&b.of.members).all(same)
                {
                    let text = |block: &Block| {
                        let members = block.of.members.iter().zip(&block.by_rows).take(32);
                        let list: Vec<_> = members
                            .map(|((name, ty), by_rows)| {
                                let layout = if *by_rows { "layout(row_major) " } else { "" };
                                format!("{layout}{ty} {name}")
                            })
                            .collect();
                        let copies = block.copies.map_or(String::new(), |copies| format!("[{copies}]"));
                        (format!("{{ {} }}{copies}", list.join("; ")), block.position)
                    };
                    return Err(self.mismatch("uniform block", &block.name, text(a), text(b)));
                }
            }
            let stages = Stages { vertex: vertex.is_some(), fragment: fragment.is_some() };
            let (starts, end) = layout::offsets(block.stored());
            let members = block.of.members.iter().zip(&block.by_rows).zip(starts);
            let members: Vec<_> = members
                .map(|(((name, ty), row_major), offset)| UniformMember {
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

/// The uniforms that are no members of blocks.
fn outside_of_blocks(program: &Program) -> impl Iterator<Item = &Variable> {
    program.variables.iter().filter(|variable| matches!(variable.kind, VariableKind::Uniform { .. }))
}

/// What the names of blocks and of their variables are, and where they are declared.
fn names_of_blocks(program: &Program) -> BTreeMap<&str, (&'static str, u32)> {
    let instances = program.variables.iter().filter(|variable| matches!(variable.kind, VariableKind::Instance(_)));
    let variables = instances.map(|variable| (variable.name.as_str(), ("the variable of a block", variable.position)));
    let blocks = program.blocks.iter().map(|block| (block.name.as_str(), ("a block", block.position)));
    blocks.chain(variables).collect()
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
