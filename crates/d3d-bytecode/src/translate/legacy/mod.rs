//! Programs of SM1 to SM3.
//!
//! ```text
//!  LegacyStage ─┬─ link: what flows between the stages, by usages
//!               ├─ operand, constants: registers are variables as in later models; banks of constants are one uniform buffer
//!               ├─ arithmetic, texture, texture_stage (ps_1_x): a file for each family of instructions
//!               ├─ border: colours outside of textures; cube: faces of cubes, each by itself
//!               ├─ flow: blocks, loops that count, functions, which are put in where they are called
//!               ├─ points: corners of points that have a size
//!               └─ pixel_end: what Direct3D 9 does behind the pixel shader
//! ```

mod arithmetic;
mod border;
mod constants;
mod cube;
mod flow;
mod link;
mod operand;
mod pixel_end;
mod points;
mod texture;
mod texture_stage;

use std::collections::BTreeMap;

use self::flow::{Call, OpenBlock};
use self::link::{LegacyLink, linked};
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{DrawOptions, FogRule, PIXEL_GROUP, TranslatedDraw, TranslatedStage, VERTEX_GROUP};
use super::stage::Stage;
use crate::limits::MAX_BYTECODE_INSTRUCTIONS;
use crate::{
    DeclarationKind, Instruction, Opcode, Operand, OperandValue, Producer, Program, RegisterKind, SlotSet,
    Stage as ShaderStage,
};
use trace_base::error::Internal;

/// Translates both stages of a draw for each other.
pub(super) fn translate_draw(
    vertex: &Program,
    pixel: Option<&Program>,
    options: &DrawOptions,
) -> Result<TranslatedDraw, TranslateError> {
    let links = pixel.map_or_else(Vec::new, |pixel| linked(vertex, pixel, options));
    // Pixel shaders of SM3 make their own fog, and so do those that the driver makes.
    let has_fog = pixel.is_some_and(|pixel| pixel.version().major < 3 && pixel.producer() == Producer::Application);
    let options = &DrawOptions { fog: options.fog.filter(|_| has_fog), ..options.clone() };
    Ok(TranslatedDraw {
        vertex: vertex_stage(vertex, &links, options)?,
        pixel: pixel.map(|pixel| pixel_stage(pixel, &links, options)).transpose()?,
    })
}

/// Whether a pixel shader can be translated behind a vertex stage that gives it nothing.
pub(super) fn check_pixel(program: &Program, options: &DrawOptions) -> Result<(), TranslateError> {
    pixel_stage(program, &linked(program, program, options), options).map(drop)
}

/// A stage of SM1 to SM3 under construction.
struct LegacyStage<'p> {
    stage: Stage<'p>,
    /// Constants that the program itself defines.
    defined: BTreeMap<(RegisterKind, u32), [u32; 4]>,
    /// The first instruction behind each label.
    labels: BTreeMap<u32, usize>,
    /// The blocks of the program that are open.
    open: Vec<OpenBlock>,
    /// The functions that are being put in, the innermost last.
    calls: Vec<Call>,
    instructions: u32,
    /// Rows of a matrix that instructions of ps_1_x collect.
    rows: Vec<ValueHandle>,
    /// What goes from one stage to the other.
    links: Vec<LegacyLink>,
    /// The targets that a pixel stage writes.
    outputs: SlotSet,
    writes_depth: bool,
    /// Whether fog flows from one stage to the other.
    has_vertex_fog: bool,
}

fn vertex_stage(
    program: &Program,
    links: &[LegacyLink],
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut legacy = LegacyStage::new(program, links, options, VERTEX_GROUP)?;
    let inputs = legacy.vertex_inputs()?;
    legacy.vertex_result()?;
    legacy.whole_program()?;
    legacy.stage.finish(naga::ShaderStage::Vertex, [0; 3], (inputs, SlotSet::default(), false))
}

fn pixel_stage(
    program: &Program,
    links: &[LegacyLink],
    options: &DrawOptions,
) -> Result<TranslatedStage, TranslateError> {
    let mut legacy = LegacyStage::new(program, links, options, PIXEL_GROUP)?;
    legacy.pixel_inputs()?;
    legacy.pixel_result();
    legacy.whole_program()?;
    let written = (SlotSet::default(), legacy.outputs, legacy.writes_depth);
    legacy.stage.finish(naga::ShaderStage::Fragment, [0; 3], written)
}

impl<'p> LegacyStage<'p> {
    fn new(
        program: &'p Program,
        links: &[LegacyLink],
        options: &'p DrawOptions,
        group: u32,
    ) -> Result<Self, TranslateError> {
        let mut legacy = Self {
            stage: Stage::new(program, options, options.resources_of(program.version().stage), group),
            defined: BTreeMap::new(),
            labels: BTreeMap::new(),
            open: Vec::new(),
            calls: Vec::new(),
            instructions: 0,
            rows: Vec::new(),
            links: links.to_vec(),
            outputs: SlotSet::default(),
            writes_depth: false,
            has_vertex_fog: options.fog == Some(FogRule::Vertex),
        };
        for declaration in program.declarations() {
            if let DeclarationKind::Constant { register, value } = &declaration.kind {
                legacy.defined.insert(legacy.named(register)?, *value);
            }
        }
        for (position, instruction) in program.instructions().iter().enumerate() {
            if instruction.opcode == Opcode::Label
                && let [label] = program.operands(instruction)
            {
                let (_, number) = legacy.named(label)?;
                legacy.labels.entry(number).or_insert(position + 1);
            }
        }
        Ok(legacy)
    }

    /// Kind and number of an operand's register.
    fn named(&self, operand: &Operand) -> Result<(RegisterKind, u32), Internal> {
        match &operand.value {
            OperandValue::Register(register) => {
                Ok((register.kind, register.last_index().map_or(0, |index| index.base)))
            }
            _ => Err(Internal::new("an operand of SM1 to SM3 is not a register")),
        }
    }

    /// Translates the main function, and leaves the stage behind it.
    fn whole_program(&mut self) -> Result<(), TranslateError> {
        self.function(0)?;
        if !self.open.is_empty() {
            return Err(Internal::new("a program ends in the middle of a block").into());
        }
        if !self.stage.build.is_left() {
            self.leave()?;
        }
        Ok(())
    }

    /// Translates a function from its first instruction to its end.
    fn function(&mut self, first: usize) -> Result<(), TranslateError> {
        let program = self.stage.program;
        let body = program.instructions().get(first..).unwrap_or_default();
        let mut rest = body.split(|instruction| instruction.opcode == Opcode::Label).next().unwrap_or_default();
        while let Some((instruction, others)) = rest.split_first() {
            rest = others;
            // What runs together reads what was there before either writes.
            let together = others.split_first().filter(|(next, _)| next.modifiers.coissue);
            match together {
                Some((next, others)) => {
                    rest = others;
                    self.both(instruction, next)?;
                }
                None if self.instruction(instruction)? => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Translates an instruction; `false` if it ends the function.
    fn instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        self.begin(instruction)?;
        if instruction.opcode == Opcode::Ret && self.open.len() == self.calls.last().map_or(0, |call| call.depth) {
            return Ok(false);
        }
        if self.flow_instruction(instruction)? {
            return Ok(true);
        }
        if let Some(value) = self.value_of(instruction)? {
            self.write_result(instruction, value)?;
        }
        Ok(true)
    }

    /// Translates two instructions that run together.
    fn both(&mut self, first: &Instruction, second: &Instruction) -> Result<(), TranslateError> {
        self.begin(first)?;
        let one = self.value_of(first)?;
        self.begin(second)?;
        let other = self.value_of(second)?;
        for (instruction, value) in [(first, one), (second, other)] {
            if let Some(value) = value {
                self.write_result(instruction, value)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, instruction: &Instruction) -> Result<(), TranslateError> {
        self.stage.offset = instruction.offset;
        self.stage.build.at(instruction.offset.0);
        self.stage.refuse_long_functions()?;
        self.instructions += 1;
        if self.instructions > MAX_BYTECODE_INSTRUCTIONS {
            return Err(self.stage.over_limit(u64::from(MAX_BYTECODE_INSTRUCTIONS)));
        }
        Ok(())
    }

    /// Four floats that an instruction computes; nothing of one that gives none.
    fn value_of(&mut self, instruction: &Instruction) -> Result<Option<ValueHandle>, TranslateError> {
        if let Some(value) = self.arithmetic(instruction)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.texture_instruction(instruction)? {
            return Ok(Some(value));
        }
        if self.without_value(instruction)? {
            return Ok(None);
        }
        self.stage_instruction(instruction)
    }

    /// Leaves the stage with what its output registers hold.
    fn leave(&mut self) -> Result<(), TranslateError> {
        match self.stage.program.version().stage {
            ShaderStage::Vertex => self.leave_vertex(),
            _ => self.leave_pixel(),
        }
    }
}
