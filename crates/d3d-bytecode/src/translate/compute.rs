//! Compute shaders: a stage alone.

use naga::{Barrier, BinaryOperator, Binding, Block, BuiltIn, Handle, Statement, Type};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{DrawOptions, StageResources, TranslatedStage, VERTEX_GROUP};
use super::stage::{Leave, Stage};
use super::{expect_stage, types::Types};
use crate::{DeclarationKind, Program, RegisterKind, SlotSet, Stage as ShaderStage};

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
    stage.zero_group_memories(group.iter().product());
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
            return Err(self.unsupported("a compute shader without a thread group size"));
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
                    let number = self.thread_number();
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

    /// The number of the thread in its group.
    fn thread_number(&mut self) -> ValueHandle {
        let uint = self.types.uint;
        let number = match self.thread_number {
            Some(number) => number,
            None => self.argument(uint, Binding::BuiltIn(BuiltIn::LocalInvocationIndex)),
        };
        *self.thread_number.insert(number)
    }

    /// Fills the memory of the group with zeros before anything else is done: Direct3D leaves it undefined, and a picture must not
    /// depend on what was there. The threads share the work in a loop. naga can do it too, but writes one constructor with as
    /// many arguments as the memory has words for OpenGL, over which Mesa's compiler takes minutes.
    fn zero_group_memories(&mut self, threads: u32) {
        if self.group_memories.is_empty() {
            return;
        }
        let memories: Vec<(ValueHandle, u32)> = self.group_memories.values().copied().collect();
        let (number, uint) = (self.thread_number(), self.types.uint);
        let word = self.build.local("zeroed".to_owned(), uint, None);
        self.build.open();
        for (words, count) in memories {
            self.build.store(word, number);
            self.build.open();
            let (index, count) = (self.build.load(word), self.build.uint(count));
            let is_done = self.build.binary(BinaryOperator::GreaterEqual, index, count);
            self.build.open();
            self.build.push(Statement::Break);
            self.build.close_if(is_done);
            let (pointer, zero) = (self.build.element(words, index), self.build.uint(0));
            self.build.store(pointer, zero);
            let threads = self.build.uint(threads);
            let next = self.build.binary(BinaryOperator::Add, index, threads);
            self.build.store(word, next);
            let (body, _) = self.build.close();
            self.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        }
        self.build.push(Statement::ControlBarrier(Barrier::WORK_GROUP));
        let (block, _) = self.build.close();
        self.build.begin_with(block);
    }

    fn uint3(&mut self) -> Handle<Type> {
        Types::vector(&mut self.module, naga::VectorSize::Tri, naga::Scalar::U32)
    }
}
