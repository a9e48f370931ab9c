//! Programs of Direct3D → naga modules, directly.
//!
//! ```text
//!  Program ──► Stage ──┬─ link: what flows in and out, by the names of signatures
//!                      ├─ operand: registers are variables of four words; an instruction takes them as the numbers it reads
//!                      ├─ arithmetic, integer, conversion: a file for each family of instructions
//!                      ├─ texture, texel, info: textures are sampled, read and written one texel at a time, and asked
//!                      ├─ texture_layers, loaded_texture, cube_faces, mips: textures that a device does not show as declared
//!                      ├─ memory, buffer, element, atomic: words of storage buffers and of a group's memory
//!                      └─ flow, switch, call: a row of instructions → nested blocks
//! ```
//!
//! No text in between: constants of bytecode may be NaN or infinity, which WGSL refuses. Registers hold words, whatever was
//! written to them; moves leave NaNs and denormals as they are. A product and a sum are never joined, so that two shaders
//! that compute the same position get the same one, as far as the driver lets them: naga cannot forbid it to join them, and
//! NVIDIA's does, also where an instruction is `precise`.
//!
//! What this build does not translate is a [`TranslateError`] that names instruction, shader and place. What wgpu can't
//! express, and what is done instead; *refused* is such an error, exit code 4:
//!
//! | Direct3D | here |
//! |---|---|
//! | geometry, hull and domain shaders | refused when drawn with |
//! | numbers of 64 bits (`dadd` …) | refused |
//! | functions (`call`) | put in where they are called, within 32 others at most |
//! | interfaces (`fcall`), `msad`, `eval_*`, tiled resources (`*_s`) | refused |
//! | system values: the layer or viewport drawn to, stencil references | refused |
//! | clip and cull distances | the pipeline's, where the device has them; else pixels are dropped (`distances`) |
//! | `oMask` | its lowest bit: targets have one sample, and what it does not name is discarded |
//! | `vCoverage`, `SV_SampleIndex` | 1, 0: the only sample, of what is drawn |
//! | `vInnerCoverage`, `vCycleCounter` and other registers that this stage is not given | refused |
//! | `SV_PrimitiveID` | the API's; refused on a device without it |
//! | textures of one dimension or several samples, in streams | read as what is bound: two dimensions, one sample |
//! | arrays of such textures elsewhere | refused |
//! | integers that are filtered, comparisons with what is no depth (left open by Direct3D) | 0 |
//! | typed buffers | storage buffers whose elements are taken apart: [`StageResources`] says how they lie |
//! | `gather4_po` on others than 2D | refused |
//! | `sample_b` on 1D textures | as `sample`: the API has one mip of them |
//! | `sample_b`, `sample_d` on depth | as `sample`: the API knows no bias of depth's mips |
//! | `lod` | of cubes refused; else by the derivatives, whatever the sampler's filter |
//! | `sample_l` in a vertex shader without a mip (`sample`) | mip 0 |
//! | the old value of an atomic on a texture, exchanges with texels | refused |
//! | `sync` outside of compute shaders | nothing: no other thread's words are seen in order anyway |
//! | `x#` past its end, which Direct3D leaves open | its last register |
//! | denormals in arithmetic, which Direct3D takes for 0 | 0 where a whole number is looked for (`frc`, `round_ni`, `round_pi`), else as the driver does: lavapipe flushes them when it draws, and not in compute shaders |
//! | quotients of numbers beyond 2^126 | as the driver does: NVIDIA's may be 0 |
//! | a product with a known 0 | as the driver does: lavapipe gives 0, whatever its sign and the other factor |
//! | a barrier where not all threads of a group come | as the driver does |
//! | counters of append and consume buffers | a storage buffer of one word each |
//! | `forceEarlyDepthStencil` | naga's early depth test, where the shader writes buffers, discards, or gives depth |
//!
//! Streams, which bind no textures that are written and don't say how typed buffers lie, have those refused when a buffer
//! is bound there. In streams a buffer has one counter, whichever slots it is bound in: 0 at first, and then what
//! `SET_UNORDERED_ACCESS_BUFFERS` says and shaders count. The emulator's executors do not count.

mod arithmetic;
mod arrays;
mod atomic;
mod buffer;
mod builder;
mod call;
mod compute;
mod conversion;
mod cube_faces;
mod distances;
mod element;
mod error;
mod flow;
mod info;
mod integer;
mod interface;
mod legacy;
mod link;
mod loaded_texture;
mod memory;
mod mips;
mod operand;
mod pixel;
mod resources;
mod stage;
mod switch;
mod texel;
mod texture;
mod texture_layers;
mod types;
mod uses;
mod within_limits;

pub use compute::translate_compute;
pub use error::TranslateError;
pub use interface::{
    BorderRule, BoundBuffer, Clipping, CubeFilter, DrawOptions, ENTRY_POINT, FogRule, InputFeed, LEGACY_BOOLEANS,
    LEGACY_CONSTANT_BYTES, LEGACY_FLOATS, LEGACY_INTEGERS, PIXEL_GROUP, Parameter, ParameterBlock, PixelCenters,
    SampledAs, SamplerRule, SizedPoints, StageBinding, StageBindingKind, StageResources, StorageAccess, StoredLayers,
    TextureDimension, TextureShapes, TranslatedDraw, TranslatedStage, VERTEX_GROUP,
};
pub use link::linked_by_register;

use self::distances::{Distances, stage_of_distances};
use self::link::{LinkedRegister, linked};
use self::stage::{Leave, Stage};
use crate::{Instruction, Program, SlotSet, Stage as ShaderStage};

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
    let distances = Distances::of(vertex, options, links.len() as u32);
    Ok(TranslatedDraw {
        vertex: vertex_stage(vertex, (&links, &distances), options)?,
        pixel: match pixel {
            Some(pixel) => Some(pixel_stage(pixel, (&links, &distances), options)?),
            None if distances.concern_pixels() => Some(stage_of_distances(vertex, options, &distances)?),
            None => None,
        },
    })
}

/// Whether a shader can be translated, as far as it alone says. The error tells why not.
pub fn check_translation(program: &Program) -> Result<(), TranslateError> {
    let version = program.version();
    let options = DrawOptions::default();
    match version.stage {
        ShaderStage::Vertex => translate_draw(program, None, &options).map(drop),
        ShaderStage::Compute => translate_compute(program, &options.vertex_resources).map(drop),
        ShaderStage::Pixel if version.is_d3d9() => legacy::check_pixel(program, &options),
        // Its own outputs feed none of its inputs: as if the vertex stage had no name for any.
        ShaderStage::Pixel => {
            pixel_stage(program, (&linked(program, program), &Distances::default()), &options).map(drop)
        }
        other => {
            let what = format!("a draw with a {} shader", other.title());
            Err(TranslateError::Unsupported { version, what, offset: program.file_offset(Default::default()) })
        }
    }
}

/// A stage of Direct3D 9 beside one of a later Direct3D.
fn mixed_worlds(vertex: &Program, pixel: &Program) -> TranslateError {
    let what = format!("a {} shader before it", vertex.version());
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
    (links, distances): (&[LinkedRegister], &Distances),
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut stage = Stage::new(program, options, options.resources_of(program.version().stage), VERTEX_GROUP);
    stage.distances = distances.clone();
    stage.refuse_outputs()?;
    let inputs = stage.vertex_inputs()?;
    stage.vertex_result(links)?;
    stage.leave = Leave::Vertex(links.to_vec());
    stage.instructions()?;
    stage.finish(naga::ShaderStage::Vertex, [0; 3], (inputs, SlotSet::default(), false))
}

fn pixel_stage(
    program: &Program,
    (links, distances): (&[LinkedRegister], &Distances),
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut stage = Stage::new(program, options, options.resources_of(program.version().stage), PIXEL_GROUP);
    stage.distances = distances.clone();
    stage.refuse_outputs()?;
    stage.drop_pixels_by_distances()?;
    stage.pixel_inputs(links)?;
    let outputs = stage.pixel_result();
    stage.leave = Leave::Pixel(outputs);
    stage.instructions()?;
    stage.finish(naga::ShaderStage::Fragment, [0; 3], (SlotSet::default(), outputs.colors, outputs.depth))
}

impl Stage<'_> {
    /// Translates all instructions, and leaves the stage behind the last.
    fn instructions(&mut self) -> Result<(), TranslateError> {
        self.has_fall_through = self.plan_switches()?;
        for instruction in self.main_instructions() {
            self.translate(instruction)?;
        }
        self.end_of_flow()?;
        if !self.build.is_left() {
            self.leave()?;
        }
        Ok(())
    }

    fn translate(&mut self, instruction: &Instruction) -> Result<(), TranslateError> {
        self.offset = instruction.offset;
        self.build.at(instruction.offset.0);
        self.refuse_long_functions()?;
        if self.program.predicate(instruction).is_some() {
            return Err(self.unsupported("an instruction with a predicate"));
        }
        let is_translated = self.flow_instruction(instruction)?
            || self.float_instruction(instruction)?
            || self.choice_instruction(instruction)?
            || self.integer_instruction(instruction)?
            || self.conversion(instruction)?
            || self.sample_instruction(instruction)?
            || self.texel_instruction(instruction)?
            || self.info_instruction(instruction)?
            || self.buffer_instruction(instruction)?
            || self.atomic_instruction(instruction)?;
        if is_translated { Ok(()) } else { Err(self.not_translated(instruction)) }
    }

    /// Leaves the stage with what its output registers hold.
    fn leave(&mut self) -> Result<(), TranslateError> {
        match self.leave.clone() {
            Leave::Vertex(links) => self.leave_vertex(&links),
            Leave::Pixel(outputs) => self.leave_pixel(outputs),
            Leave::Compute => self.give(Vec::new()),
        }
    }
}
