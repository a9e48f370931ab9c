//! Programs of Direct3D → naga modules, directly.
//!
//! ```text
//!  Program ──► Stage ──┬─ link: what flows in and out, by the names of signatures
//!                      ├─ operand: registers are variables of four words; an instruction takes them as the numbers it reads
//!                      ├─ arithmetic, integer, conversion, texture: a file for each family of instructions
//!                      └─ flow: a row of instructions → nested blocks
//! ```
//!
//! No text in between: constants of bytecode may be NaN or infinity, which WGSL refuses. Registers hold words, whatever was
//! written to them; moves leave NaNs and denormals as they are. A product and a sum are never joined, so that two shaders
//! that compute the same position get the same one.
//!
//! What this build does not translate is a [`TranslateError`] that names instruction, shader and place.

mod arithmetic;
mod arrays;
mod builder;
mod conversion;
mod error;
mod flow;
mod integer;
mod interface;
mod legacy;
mod link;
mod operand;
mod stage;
mod texture;
mod types;

pub use error::TranslateError;
pub use interface::{
    BoundBuffer, DrawOptions, ENTRY_POINT, InputFeed, LEGACY_BOOLEANS, LEGACY_CONSTANT_BYTES, LEGACY_FLOATS,
    LEGACY_INTEGERS, PIXEL_GROUP, Parameter, ParameterBlock, PixelCenters, SampledAs, StageBinding, StageBindingKind,
    TextureDimension, TranslatedDraw, TranslatedStage, VERTEX_GROUP,
};

use self::link::{LinkedRegister, linked};
use self::stage::{Leave, Stage};
use crate::shader::d3d::{Instruction, Program, SlotSet, Stage as ShaderStage};

/// Translates both stages of a draw for each other. Without a pixel stage the vertex stage gives positions alone.
pub fn translate_draw(
    vertex: &Program,
    pixel: Option<&Program>,
    options: &DrawOptions,
) -> Result<TranslatedDraw, TranslateError> {
    expect_stage(vertex, ShaderStage::Vertex)?;
    if let Some(pixel) = pixel {
        expect_stage(pixel, ShaderStage::Pixel)?;
    }
    match (vertex.version().is_d3d9(), pixel.map(|pixel| pixel.version().is_d3d9())) {
        (true, None | Some(true)) => return legacy::translate_draw(vertex, pixel, options),
        (false, None | Some(false)) => {}
        (_, Some(_)) => return Err(mixed_worlds(vertex, pixel.unwrap_or(vertex))),
    }
    let links = pixel.map_or_else(Vec::new, |pixel| linked(vertex, pixel));
    Ok(TranslatedDraw {
        vertex: vertex_stage(vertex, &links, options)?,
        pixel: pixel.map(|pixel| pixel_stage(pixel, &links, options)).transpose()?,
    })
}

/// A stage of Direct3D 9 beside one of a later Direct3D.
fn mixed_worlds(vertex: &Program, pixel: &Program) -> TranslateError {
    let what = format!("a {} shader in front of it", vertex.version());
    TranslateError::Unsupported { version: pixel.version(), what, offset: pixel.file_offset(Default::default()) }
}

fn expect_stage(program: &Program, expected: ShaderStage) -> Result<(), TranslateError> {
    let version = program.version();
    let offset = program.file_offset(Default::default());
    match version.stage == expected {
        true => Ok(()),
        false => Err(TranslateError::Stage { version, expected: expected.title(), offset }),
    }
}

fn vertex_stage(
    program: &Program,
    links: &[LinkedRegister],
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut stage = Stage::new(program, options, VERTEX_GROUP);
    let inputs = stage.vertex_inputs()?;
    stage.vertex_result(links);
    stage.leave = Leave::Vertex(links.to_vec());
    stage.instructions()?;
    stage.finish(naga::ShaderStage::Vertex, [0; 3], (inputs, SlotSet::default(), false))
}

fn pixel_stage(
    program: &Program,
    links: &[LinkedRegister],
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut stage = Stage::new(program, options, PIXEL_GROUP);
    stage.pixel_inputs(links)?;
    let (outputs, writes_depth) = stage.pixel_result();
    stage.leave = Leave::Pixel { outputs, writes_depth };
    stage.instructions()?;
    stage.finish(naga::ShaderStage::Fragment, [0; 3], (SlotSet::default(), outputs, writes_depth))
}

impl Stage<'_> {
    /// Translates all instructions, and leaves the stage behind the last.
    fn instructions(&mut self) -> Result<(), TranslateError> {
        let program = self.program;
        for instruction in program.instructions() {
            self.offset = instruction.offset;
            self.build.at(instruction.offset.0);
            self.instruction(instruction)?;
        }
        self.end_of_flow()?;
        if !self.build.is_left() {
            self.leave()?;
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), TranslateError> {
        if self.program.predicate(instruction).is_some() {
            return Err(self.unsupported("an instruction with a predicate"));
        }
        let is_translated = self.flow_instruction(instruction)?
            || self.float_instruction(instruction)?
            || self.choice_instruction(instruction)?
            || self.integer_instruction(instruction)?
            || self.conversion(instruction)?
            || self.texture_instruction(instruction)?;
        if is_translated { Ok(()) } else { Err(self.not_translated(instruction)) }
    }

    /// Leaves the stage with what its output registers hold.
    fn leave(&mut self) -> Result<(), TranslateError> {
        match self.leave.clone() {
            Leave::Vertex(links) => self.leave_vertex(&links),
            Leave::Pixel { outputs, writes_depth } => self.leave_pixel(outputs, writes_depth),
        }
    }
}
