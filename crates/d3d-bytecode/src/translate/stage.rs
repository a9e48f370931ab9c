//! One stage under construction: its module, its registers, and what it uses from outside.

use std::collections::BTreeMap;

use naga::{
    AddressSpace, EntryPoint, Expression, Function, GlobalVariable, Handle, ImageClass, ImageDimension,
    ResourceBinding, ScalarKind, Span, StorageFormat, StructMember, Type, TypeInner,
};

use super::builder::{FunctionBuilder, ValueHandle};
use super::call::OpenCall;
use super::distances::Distances;
use super::error::TranslateError;
use super::flow::Flow;
use super::interface::{
    DrawOptions, ENTRY_POINT, LEGACY_CONSTANT_BYTES, Parameter, ParameterBlock, SampledAs, StageBinding,
    StageBindingKind, StageResources, StorageAccess, TextureDimension, TranslatedStage,
};
use super::link::LinkedRegister;
use super::pixel::PixelOutputs;
use super::texture_layers::TextureLayers;
use super::types::Types;
use super::uses::ResourceUses;
use crate::{
    Declaration, DeclarationKind, Instruction, Opcode, Operand, OperandValue, Program, RegisterKind, SlotSet,
    TokenOffset,
};
use trace_base::error::Internal;

/// What a shader gives instead of what its triangle has: depths, and which samples are covered.
const DEPTHS_AND_MASK: [RegisterKind; 4] = [
    RegisterKind::OutputDepth,
    RegisterKind::OutputDepthGreaterEqual,
    RegisterKind::OutputDepthLessEqual,
    RegisterKind::OutputCoverageMask,
];

/// A stage under construction.
pub(super) struct Stage<'p> {
    pub program: &'p Program,
    pub options: &'p DrawOptions,
    pub resources: &'p StageResources,
    pub uses: ResourceUses,
    pub module: naga::Module,
    pub types: Types,
    pub build: FunctionBuilder,
    pub group: u32,
    /// Variables that registers live in, by kind and number.
    registers: BTreeMap<(RegisterKind, u32), ValueHandle>,
    /// Kinds of registers that are indexed, of which each lives in one array.
    pub arrays: BTreeMap<RegisterKind, ValueHandle>,
    bindings: Vec<StageBinding>,
    globals: BTreeMap<u32, ValueHandle>,
    /// By texture, the samplers that read it, in the order in which they are first named.
    samplers_of: BTreeMap<u32, Vec<u32>>,
    parameters: Vec<Parameter>,
    parameter_block: Option<Handle<GlobalVariable>>,
    /// Arrays of registers, with how many each has.
    pub indexables: BTreeMap<u32, (ValueHandle, u32)>,
    /// The constants that the program brings along.
    pub immediates: Option<(ValueHandle, u32)>,
    /// Memory of a thread group, by its number: an array of words, and how many it has.
    pub group_memories: BTreeMap<u32, (ValueHandle, u32)>,
    /// Bytes of all of it.
    pub group_bytes: u32,
    /// The number of a compute shader's thread in its group, once something asks for it.
    pub thread_number: Option<ValueHandle>,
    /// Distances that the vertex stage gives, by which triangles are cut or culled.
    pub distances: Distances,
    /// The blocks of the program that are open.
    pub flow: Vec<Flow>,
    /// The functions that are being put in, each within the one before.
    pub calls: Vec<OpenCall>,
    /// How many instructions calls have put in.
    pub put_in: u64,
    /// Whether a case of a `switch` falls through to the next: then every `switch` becomes a chain of conditions.
    pub has_fall_through: bool,
    /// What is given when the stage is left.
    pub leave: Leave,
    /// What is returned from the entry point.
    pub result: Option<Handle<Type>>,
    /// The place of the instruction or declaration that is translated.
    pub offset: TokenOffset,
}

/// What is given when a stage is left.
#[derive(Clone, Debug)]
pub(super) enum Leave {
    /// A position, and what the pixel stage reads.
    Vertex(Vec<LinkedRegister>),
    /// Colours, depth, and which samples are written.
    Pixel(PixelOutputs),
    /// Nothing.
    Compute,
}

/// A texture or buffer that a shader names, as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texture {
    /// The slot that it is bound to.
    pub slot: u32,
    pub image: ValueHandle,
    pub dimension: TextureDimension,
    pub sampled_as: SampledAs,
    /// Whether the shader takes it for a texture of one dimension: it reads the first row.
    pub is_row: bool,
    pub layers: TextureLayers,
    /// Depth that is loaded as a float.
    pub is_loaded_depth: bool,
}

/// A texture that is read and written by its texels.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredTexture {
    pub image: ValueHandle,
    pub dimension: TextureDimension,
    format: StorageFormat,
}

impl StoredTexture {
    /// What its texels are read and written as.
    pub(super) fn numbers(&self) -> ScalarKind {
        naga::Scalar::from(self.format).kind
    }
}

impl<'p> Stage<'p> {
    pub(super) fn new(
        program: &'p Program,
        options: &'p DrawOptions,
        resources: &'p StageResources,
        group: u32,
    ) -> Self {
        let mut module = naga::Module::default();
        let types = Types::new(&mut module);
        let mut stage = Self {
            program,
            options,
            resources,
            uses: ResourceUses::of(program),
            module,
            types,
            build: FunctionBuilder::new(),
            group,
            registers: BTreeMap::new(),
            arrays: BTreeMap::new(),
            bindings: Vec::new(),
            globals: BTreeMap::new(),
            samplers_of: BTreeMap::new(),
            parameters: Vec::new(),
            parameter_block: None,
            indexables: BTreeMap::new(),
            immediates: None,
            group_memories: BTreeMap::new(),
            thread_number: None,
            group_bytes: 0,
            distances: Distances::default(),
            flow: Vec::new(),
            calls: Vec::new(),
            put_in: 0,
            has_fall_through: false,
            leave: Leave::Vertex(Vec::new()),
            result: None,
            offset: TokenOffset::default(),
        };
        stage.make_arrays();
        stage
    }

    /// Something that is not translated.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> TranslateError {
        let (version, offset) = (self.program.version(), self.program.file_offset(self.offset));
        TranslateError::Unsupported { version, what: what.into(), offset }
    }

    /// More instructions than there may be.
    pub(super) fn over_limit(&self, limit: u64) -> TranslateError {
        let (version, offset) = (self.program.version(), self.program.file_offset(self.offset));
        TranslateError::OverLimit { version, limit, offset }
    }

    /// An instruction that is not translated.
    pub(super) fn not_translated(&self, instruction: &Instruction) -> TranslateError {
        let (version, offset) = (self.program.version(), self.program.file_offset(instruction.offset));
        TranslateError::Instruction { version, opcode: instruction.opcode, offset }
    }

    /// The variable of a register of four words, which holds zeros before it is written.
    pub(super) fn register(&mut self, kind: RegisterKind, number: u32) -> ValueHandle {
        if let Some(array) = self.arrays.get(&kind) {
            return self.build.part(*array, number);
        }
        let (build, ty) = (&mut self.build, self.types.uint4);
        let name = || format!("{}{number}", kind.name());
        *self.registers.entry((kind, number)).or_insert_with(|| build.local(name(), ty, None))
    }

    /// Whether any operand is a register of these kinds.
    pub(super) fn names(&self, kinds: &[RegisterKind]) -> bool {
        let program = self.program;
        let operands = program.instructions().iter().flat_map(|instruction| program.operands(instruction));
        operands.chain(program.relatives()).any(|operand| operand.kind().is_some_and(|kind| kinds.contains(&kind)))
    }

    /// The variable of a register, if it has one already.
    pub(super) fn known_register(&self, kind: RegisterKind, number: u32) -> Option<ValueHandle> {
        self.registers.get(&(kind, number)).copied()
    }

    /// Something from outside, bound when it is first named.
    pub(super) fn global(
        &mut self,
        kind: StageBindingKind,
        space: AddressSpace,
        ty: impl FnOnce(&mut naga::Module, &Types) -> Handle<Type>,
    ) -> ValueHandle {
        if let Some(found) = self.bindings.iter().find(|binding| binding.kind == kind)
            && let Some(value) = self.globals.get(&found.binding)
        {
            return *value;
        }
        let binding = self.bindings.len() as u32;
        let ty = ty(&mut self.module, &self.types);
        let global = GlobalVariable {
            name: None,
            space,
            binding: Some(ResourceBinding { group: self.group, binding }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let global = self.module.global_variables.append(global, Span::UNDEFINED);
        let value = self.build.value(Expression::GlobalVariable(global));
        self.bindings.push(StageBinding { binding, kind });
        self.globals.insert(binding, value);
        value
    }

    /// A constant buffer, and how many registers it has.
    pub(super) fn constant_buffer(&mut self, slot: u32) -> Result<(ValueHandle, u32), TranslateError> {
        let declared =
            self.declarations(RegisterKind::ConstantBuffer, slot).find_map(|declaration| match declaration.kind {
                DeclarationKind::ConstantBuffer { register, .. } => size_of(&register),
                _ => None,
            });
        // The emulator's encoding has no size that counts: as much as can be bound.
        const MOST: u32 = 4096;
        let count = declared.filter(|count| (1..=MOST).contains(count)).unwrap_or(MOST);
        // What it cannot name need not be bound.
        let count = self.program.constants_end(slot).map_or(count, |end| count.min(end.max(1)));
        let kind = StageBindingKind::ConstantBuffer { slot, size_bytes: count * 16 };
        let buffer = self.global(kind, AddressSpace::Uniform, |module, types| types.registers(module, count));
        Ok((buffer, count))
    }

    /// The constants of SM1 to SM3: all of them, or the floats up to the last one named where it names no others.
    pub(super) fn legacy_constants(&mut self) -> ValueHandle {
        let used = self.program.used_slots();
        let floats = used.float_constants.iter().last().map_or(1, |last| last + 1);
        let has_floats_alone = used.integer_constants.is_empty() && used.boolean_constants.is_empty();
        let count = if has_floats_alone { floats } else { LEGACY_CONSTANT_BYTES / 16 };
        let kind = StageBindingKind::LegacyConstants { size_bytes: count * 16 };
        self.global(kind, AddressSpace::Uniform, |module, types| types.registers(module, count))
    }

    /// A sampler.
    pub(super) fn sampler(&mut self, slot: u32, is_comparison: bool) -> ValueHandle {
        self.global(StageBindingKind::Sampler { slot, is_comparison }, AddressSpace::Handle, |_, types| {
            if is_comparison { types.comparison_sampler } else { types.sampler }
        })
    }

    /// A texture that is taken for `dimension`.
    pub(super) fn texture(&mut self, slot: u32, dimension: TextureDimension, sampled_as: SampledAs) -> Texture {
        self.texture_of_pair(slot, dimension, sampled_as, 0)
    }

    /// A texture for what a sampler reads of it: bound once more for each sampler behind the first, on a device that joins
    /// textures with samplers.
    pub(super) fn paired(&mut self, texture: Texture, slot: u32, sampler: u32) -> Texture {
        if !self.resources.joins_samplers {
            return texture;
        }
        let samplers = self.samplers_of.entry(slot).or_default();
        let pair = samplers.iter().position(|known| *known == sampler).unwrap_or(samplers.len());
        if pair == samplers.len() {
            samplers.push(sampler);
        }
        let bound = self.texture_of_pair(slot, texture.dimension, texture.sampled_as, pair as u32);
        Texture { image: bound.image, ..texture }
    }

    fn texture_of_pair(&mut self, slot: u32, dimension: TextureDimension, sampled_as: SampledAs, pair: u32) -> Texture {
        let layers = self.layers_of(slot, dimension);
        let stored = layers.stored_dimension(dimension);
        let (dim, arrayed) = image_dimension(stored);
        let multi = dimension == TextureDimension::D2Multisampled;
        let class = match sampled_as {
            SampledAs::Float | SampledAs::UnfilterableFloat => ImageClass::Sampled { kind: ScalarKind::Float, multi },
            SampledAs::Depth => ImageClass::Depth { multi },
            SampledAs::Sint => ImageClass::Sampled { kind: ScalarKind::Sint, multi },
            SampledAs::Uint => ImageClass::Sampled { kind: ScalarKind::Uint, multi },
        };
        let kind = StageBindingKind::Texture { slot, dimension: stored, sampled_as, pair };
        let image = self.global(kind, AddressSpace::Handle, |module, _| Types::image(module, dim, arrayed, class));
        Texture { slot, image, dimension, sampled_as, is_row: false, layers, is_loaded_depth: false }
    }

    /// A texture that is read and written by its texels.
    pub(super) fn storage_texture(
        &mut self,
        slot: u32,
        dimension: TextureDimension,
        format: StorageFormat,
        access: StorageAccess,
    ) -> StoredTexture {
        let (dim, arrayed) = image_dimension(dimension);
        let both = naga::StorageAccess::LOAD | naga::StorageAccess::STORE;
        let class = ImageClass::Storage {
            format,
            access: match access {
                StorageAccess::Read => naga::StorageAccess::LOAD,
                StorageAccess::Write => naga::StorageAccess::STORE,
                StorageAccess::ReadWrite => both,
                StorageAccess::Atomic => both | naga::StorageAccess::ATOMIC,
            },
        };
        let kind = StageBindingKind::StorageTexture { slot, dimension, format, access };
        let image = self.global(kind, AddressSpace::Handle, |module, _| Types::image(module, dim, arrayed, class));
        StoredTexture { image, dimension, format }
    }

    /// The value of a parameter: of two lanes, unless it is a single float, which is the first.
    pub(super) fn parameter(&mut self, parameter: Parameter) -> ValueHandle {
        let number = match self.parameters.iter().position(|known| *known == parameter) {
            Some(number) => number,
            None => {
                self.parameters.push(parameter);
                self.parameters.len() - 1
            }
        };
        let block = self.parameter_block();
        let block = self.build.value(Expression::GlobalVariable(block));
        let place = self.build.part(block, number as u32);
        let words = self.build.load(place);
        match parameter {
            Parameter::BufferRange { .. }
            | Parameter::TextureLayers { .. }
            | Parameter::TextureMips { .. }
            | Parameter::FirstVertexAndInstance
            | Parameter::FogColor
            | Parameter::Border { .. } => words,
            _ => self.build.bits(words, ScalarKind::Float),
        }
    }

    /// The block of parameters. Its type is known at the end; until then it is as large as can be.
    fn parameter_block(&mut self) -> Handle<GlobalVariable> {
        if let Some(block) = self.parameter_block {
            return block;
        }
        let ty = self.types.registers(&mut self.module, MOST_PARAMETERS);
        let global = GlobalVariable {
            name: Some("parameters".to_owned()),
            space: AddressSpace::Uniform,
            binding: Some(ResourceBinding { group: self.group, binding: PARAMETER_BINDING }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let block = self.module.global_variables.append(global, Span::UNDEFINED);
        self.parameter_block = Some(block);
        block
    }

    /// The declarations of a register.
    pub(super) fn declarations(&self, kind: RegisterKind, number: u32) -> impl Iterator<Item = &'p Declaration> {
        self.program.declarations().iter().filter(move |declaration| {
            let register = declared_register(declaration);
            let value = register.map(|operand| &operand.value);
            matches!(value, Some(OperandValue::Register(register))
                if register.kind == kind && register.first_index().is_some_and(|index| index.base == number))
        })
    }

    /// Whether depth and stencil are tested before the shader runs, although it does something that would have them be
    /// tested after it.
    pub(super) fn tests_early(&self) -> bool {
        let says_so = |declaration: &Declaration| matches!(declaration.kind, DeclarationKind::GlobalFlags(flags) if flags.forces_early_depth_stencil());
        let discards = |instruction: &Instruction| instruction.opcode == Opcode::Discard;
        self.program.declarations().iter().any(says_so)
            && (self.program.instructions().iter().any(discards)
                || !self.program.used_slots().uavs.is_empty()
                || self.names(&DEPTHS_AND_MASK))
    }

    /// Ends the entry point and gives the stage.
    pub(super) fn finish(
        mut self,
        stage: naga::ShaderStage,
        workgroup_size: [u32; 3],
        (inputs, outputs, writes_depth): (SlotSet, SlotSet, bool),
    ) -> Result<TranslatedStage, TranslateError> {
        let tests_early = self.tests_early();
        let (body, _) = self.build.close();
        let mut function: Function = std::mem::take(&mut self.build.function);
        function.body = body;
        if self.parameters.len() > MOST_PARAMETERS as usize {
            return Err(Internal::new("a stage has too many parameters").into());
        }
        let count = self.parameters.len() as u32;
        let parameters = self.parameter_block.map(|_| ParameterBlock {
            binding: PARAMETER_BINDING,
            size_bytes: count * 16,
            parameters: self.parameters.iter().copied().zip((0..).step_by(16)).collect(),
        });
        if let Some(block) = self.parameter_block {
            self.module.global_variables.get_mut(block).ty = self.types.registers(&mut self.module, count);
        }
        self.module.entry_points.push(EntryPoint {
            name: ENTRY_POINT.to_owned(),
            stage,
            early_depth_test: (stage == naga::ShaderStage::Fragment && tests_early)
                .then_some(naga::EarlyDepthTest::Force),
            workgroup_size,
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        self.refuse_large_modules()?;
        let Self { module, bindings, .. } = self;
        Ok(TranslatedStage { module, bindings, parameters, inputs, outputs, writes_depth })
    }

    /// A structure of inputs or outputs.
    pub(super) fn structure(&mut self, members: Vec<StructMember>) -> Handle<Type> {
        // The last member may be an array of eight floats.
        let span = members.iter().map(|member| member.offset + 32).max().unwrap_or(0);
        let inner = TypeInner::Struct { members, span };
        self.module.types.insert(Type { name: Some("Interface".to_owned()), inner }, Span::UNDEFINED)
    }
}

/// What naga calls a dimension, and whether it has layers.
const fn image_dimension(dimension: TextureDimension) -> (ImageDimension, bool) {
    match dimension {
        TextureDimension::D1 => (ImageDimension::D1, false),
        TextureDimension::D2 | TextureDimension::D2Multisampled => (ImageDimension::D2, false),
        TextureDimension::D2Array => (ImageDimension::D2, true),
        TextureDimension::D3 => (ImageDimension::D3, false),
        TextureDimension::Cube => (ImageDimension::Cube, false),
        TextureDimension::CubeArray => (ImageDimension::Cube, true),
    }
}

/// Places in a block of parameters, each of 16 bytes: enough for every buffer and sampler that a stage can declare.
const MOST_PARAMETERS: u32 = 256;
/// The binding of the block of parameters, behind all others.
const PARAMETER_BINDING: u32 = 500;

/// The register that a declaration is about.
fn declared_register(declaration: &Declaration) -> Option<&Operand> {
    match &declaration.kind {
        DeclarationKind::Register { register, .. }
        | DeclarationKind::ConstantBuffer { register, .. }
        | DeclarationKind::Sampler { register, .. }
        | DeclarationKind::Resource { register, .. }
        | DeclarationKind::IndexRange { register, .. }
        | DeclarationKind::GroupMemory { register, .. }
        | DeclarationKind::Semantic { register, .. }
        | DeclarationKind::TextureStage { register, .. }
        | DeclarationKind::Constant { register, .. } => Some(register),
        _ => None,
    }
}

/// The second index of a declared constant buffer: its size in registers.
fn size_of(register: &Operand) -> Option<u32> {
    match &register.value {
        OperandValue::Register(register) => register.indices().get(1).map(|index| index.base),
        _ => None,
    }
}
