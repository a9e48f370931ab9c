//! Compute shaders: a stage alone.

use naga::{Binding, BuiltIn, Handle, Type};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{DrawOptions, StageResources, TranslatedStage, VERTEX_GROUP};
use super::stage::{Leave, Stage};
use super::{expect_stage, types::Types};
use crate::shader::d3d::{DeclarationKind, Program, RegisterKind, SlotSet, Stage as ShaderStage};

/// Threads of a group along each axis, and in all, that Direct3D 11 has.
const MOST_THREADS: ([u32; 3], u32) = ([1024, 1024, 64], 1024);

/// Translates a compute shader. What it uses is in one group, [`VERTEX_GROUP`].
pub fn translate_compute(program: &Program, resources: &StageResources) -> Result<TranslatedStage, TranslateError> {
    expect_stage(program, ShaderStage::Compute)?;
    let options = DrawOptions::default();
    let mut stage = Stage::new(program, &options, resources, VERTEX_GROUP);
    let group = stage.thread_group()?;
    stage.thread_inputs();
    stage.leave = Leave::Compute;
    stage.instructions()?;
    stage.finish(naga::ShaderStage::Compute, group, (SlotSet::default(), SlotSet::default(), false))
}

impl Stage<'_> {
    /// Threads of a group along each axis.
    fn thread_group(&mut self) -> Result<[u32; 3], TranslateError> {
        let program = self.program;
        let declared = program.declarations().iter().find_map(|declaration| match declaration.kind {
            DeclarationKind::ThreadGroup(threads) => Some((threads, declaration.offset)),
            _ => None,
        });
        let Some((threads, offset)) = declared else {
            return Err(self.unsupported("a compute shader that does not say how many threads a group has"));
        };
        let (most, most_in_all) = MOST_THREADS;
        let is_allowed = threads.iter().zip(most).all(|(threads, most)| (1..=most).contains(threads));
        match is_allowed && threads.iter().product::<u32>() <= most_in_all {
            true => Ok(threads),
            false => {
                self.offset = offset;
                let [x, y, z] = threads;
                Err(self.unsupported(format!("a group of {x} × {y} × {z} threads")))
            }
        }
    }

    /// Fills the registers that say which thread this is.
    fn thread_inputs(&mut self) {
        let kinds = [
            (RegisterKind::ThreadId, BuiltIn::GlobalInvocationId),
            (RegisterKind::ThreadGroupId, BuiltIn::WorkGroupId),
            (RegisterKind::ThreadIdInGroup, BuiltIn::LocalInvocationId),
            (RegisterKind::ThreadIdInGroupFlattened, BuiltIn::LocalInvocationIndex),
        ];
        for (kind, built_in) in kinds {
            if !self.names(&[kind]) {
                continue;
            }
            let words = match kind {
                RegisterKind::ThreadIdInGroupFlattened => {
                    let number = self.argument(self.types.uint, Binding::BuiltIn(built_in));
                    self.build.splat(number)
                }
                _ => {
                    let ty = self.uint3();
                    let given = self.argument(ty, Binding::BuiltIn(built_in));
                    let zero = self.build.uint(0);
                    let mut lanes: Vec<ValueHandle> = (0..3).map(|lane| self.build.part(given, lane)).collect();
                    lanes.push(zero);
                    self.build.compose(self.types.uint4, lanes)
                }
            };
            let variable = self.register(kind, 0);
            self.build.store(variable, words);
        }
    }

    fn uint3(&mut self) -> Handle<Type> {
        Types::vector(&mut self.module, naga::VectorSize::Tri, naga::Scalar::U32)
    }
}
