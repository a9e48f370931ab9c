//! Rows that a trace is like: each draw and dispatch in the words of the table's axes, held against the rows that fail.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::axes::{BoundCount, SharedBytes, TextureKind};
use super::condition::{Condition, FailingTable};
use super::table::TableOfDevice;
use crate::command::{
    AddressMode, CreateTexture, Filter, Located, Location, SubresourceRange, TextureFormat, Topology, Viewport,
};
use crate::format::aerogpu::Trace;
use crate::replay::{
    CommandStream, DepthBias, DeviceOp, DrawState, DrawnVertices, Executor, Flow, ObjectKey, ReplayError, ResourceKind,
    Shader, ShaderSlots, StageBindings,
};
use crate::shader::d3d::{DeclarationKind, Opcode, OperandValue, RegisterKind, ResourceDimension, ResourceShape};

/// Values of axes that something in a trace has, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Described {
    pub group: &'static str,
    pub values: BTreeMap<&'static str, &'static str>,
}

/// Rows that fail on an API, and the first command of a trace that is like them.
#[derive(Clone, Debug)]
pub struct FailingUse {
    /// The API.
    pub api: String,
    /// Values that the command and the rows share: `texture: kind array-6, sides square`.
    pub condition: String,
    /// Number of rows with that, all of which fail.
    pub rows: usize,
    /// Outcome of one of them.
    pub outcome: String,
    /// The first command.
    pub at: Location,
    /// Number of commands.
    pub commands: u64,
}

/// Looks through the frames of a trace for what fails on other devices than the API `except`.
pub fn failing_uses(
    trace: &Arc<Trace>,
    devices: &[TableOfDevice],
    except: Option<&str>,
) -> Result<Vec<FailingUse>, ReplayError> {
    let tables: Vec<FailingTable<'_>> =
        devices.iter().filter(|device| except != Some(device.api.as_str())).map(FailingTable::of).collect();
    let mut found: BTreeMap<(usize, Condition), FailingUse> = BTreeMap::new();
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    for frame in trace.frame_indices() {
        let each = |command: &Located<_>, executor: &mut Executor| {
            match executor.apply(command) {
                Ok(()) => {}
                Err(error) if error.is_internal() => return Err(error),
                // Lint says what is wrong with it.
                Err(_) => return Ok(Flow::Continue),
            }
            let described: Vec<Described> =
                executor.device_ops().ops.iter().flat_map(|op| describe(executor, op)).collect();
            for (number, table) in tables.iter().enumerate() {
                let mut conditions: Vec<&Condition> = described.iter().flat_map(|of| table.matching(of)).collect();
                conditions.sort();
                conditions.dedup();
                for condition in conditions {
                    let (rows, outcome) = table.explained_by(condition);
                    let (api, at) = (table.api.to_owned(), command.at);
                    let new = || FailingUse { api, condition: condition.to_string(), rows, outcome, at, commands: 0 };
                    found.entry((number, condition.clone())).or_insert_with(new).commands += 1;
                }
            }
            Ok(Flow::Continue)
        };
        stream.survey_frame(frame, &mut executor, each, |_, _| Ok(Flow::Continue))?;
    }
    let mut found: Vec<FailingUse> = found.into_values().collect();
    found.sort_by(|a, b| (a.at.offset, &a.api, &a.condition).cmp(&(b.at.offset, &b.api, &b.condition)));
    Ok(found)
}

/// An operation in the words of the axes.
fn describe(executor: &Executor, op: &DeviceOp) -> Vec<Described> {
    match op {
        DeviceOp::Draw { state, vertices } => {
            let stages =
                [(&state.vertex, &state.vertex_bindings, "vertex"), (&state.pixel, &state.pixel_bindings, "pixel")];
            let mut all = vec![raster(state, vertices)];
            let drawn: Vec<ObjectKey> = state.targets.colors.iter().flatten().map(|target| target.texture).collect();
            for (shader, bindings, stage) in stages {
                all.extend(bindings_of(shader.as_deref(), bindings, stage));
                all.extend(textures(executor, (shader.as_deref(), bindings), &drawn));
            }
            let targets = state.targets.colors.iter().flatten().chain(&state.targets.depth_stencil);
            all.extend(targets.filter_map(|target| {
                let desc = texture_of(executor, target.texture)?;
                let one = |first| SubresourceRange { first, count: 1 };
                let seen = Seen { format: target.format, mips: one(target.mip), layers: one(target.layer) };
                Some(texture(&desc, seen, (None, "drawn-to")))
            }));
            all
        }
        DeviceOp::Dispatch { state, groups } => {
            let mut all: Vec<Described> = shared(&state.shader, *groups).into_iter().collect();
            all.extend(textures(executor, (Some(&*state.shader), &state.bindings), &[]));
            all
        }
        DeviceOp::CopyTexture(copied) => texture_of(executor, copied.from)
            .into_iter()
            .map(|desc| {
                let one = |first| SubresourceRange { first, count: 1 };
                let seen =
                    Seen { format: desc.format, mips: one(copied.from_part.mip), layers: one(copied.from_part.layer) };
                texture(&desc, seen, (None, "copied"))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn texture_of(executor: &Executor, key: ObjectKey) -> Option<CreateTexture> {
    match &executor.device().objects().resource(key)?.kind {
        ResourceKind::Texture(texture) => Some(texture.desc),
        ResourceKind::Buffer(_) => None,
    }
}

/// Part of a texture that is seen, and its format.
#[derive(Clone, Copy)]
struct Seen {
    format: TextureFormat,
    mips: SubresourceRange,
    layers: SubresourceRange,
}

/// A texture that is used in one way, as a shader declares it.
fn texture(desc: &CreateTexture, seen: Seen, (declared, used): (Option<ResourceDimension>, &'static str)) -> Described {
    let layers = desc.layers;
    let kind = match declared {
        Some(ResourceDimension::TextureCube) => TextureKind::Cube,
        Some(ResourceDimension::TextureCubeArray) => TextureKind::CubeArray2,
        _ => match layers {
            1 if declared == Some(ResourceDimension::Texture2DArray) => TextureKind::Array1,
            1 => TextureKind::Plane,
            6 => TextureKind::Array6,
            12 => TextureKind::Array12,
            _ if layers.is_multiple_of(6) => TextureKind::Array18,
            2 => TextureKind::Array2,
            _ => TextureKind::Array7,
        },
    };
    let [width, height] = desc.size_px;
    let all_mips = seen.mips.count == desc.mips;
    let view = match (all_mips, seen.layers.count) {
        (true, count) if count == layers => "whole",
        (true, 1) => "one-layer",
        (true, _) => "range-of-layers",
        (false, count) if count == layers => "one-mip",
        (false, _) => "mip-of-layer",
    };
    let format = match seen.format {
        TextureFormat::R8g8b8a8Unorm | TextureFormat::R8g8b8x8Unorm => Some("rgba8"),
        TextureFormat::B8g8r8a8Unorm | TextureFormat::B8g8r8x8Unorm => Some("bgra8"),
        TextureFormat::R8g8b8a8UnormSrgb
        | TextureFormat::R8g8b8x8UnormSrgb
        | TextureFormat::B8g8r8a8UnormSrgb
        | TextureFormat::B8g8r8x8UnormSrgb => Some("rgba8-srgb"),
        TextureFormat::B5g6r5Unorm => Some("b5g6r5"),
        TextureFormat::B5g5r5a1Unorm => Some("b5g5r5a1"),
        TextureFormat::Bc1Unorm => Some("bc1"),
        TextureFormat::D24UnormS8Uint => Some("d24s8"),
        TextureFormat::D32Float => Some("d32"),
        _ => None,
    };
    let mut described = Described { group: "texture", values: BTreeMap::new() };
    described.values.extend([
        ("kind", kind.name()),
        ("sides", if width == height { "square" } else { "oblong" }),
        ("mips", if desc.mips == 1 { "one-mip" } else { "all-mips" }),
        ("view", view),
        ("use", used),
    ]);
    described.values.extend(format.map(|format| ("format", format)));
    described
}

/// Textures that a stage reads.
fn textures(
    executor: &Executor,
    (shader, bindings): (Option<&Shader>, &StageBindings),
    drawn: &[ObjectKey],
) -> Vec<Described> {
    let Some(Ok(slots)) = shader.map(|shader| &shader.program) else { return Vec::new() };
    let bound = bindings.slots.resources.iter().filter_map(|(slot, bound)| Some((*slot, bound.as_texture()?)));
    let described = bound.filter_map(|(slot, bound)| {
        let desc = texture_of(executor, bound.texture)?;
        let declared = dimension_of(slots, slot);
        let used = if drawn.contains(&bound.texture) { "also-a-target" } else { use_of(slots, slot) };
        let seen = Seen { format: bound.format, mips: bound.mips, layers: bound.layers };
        let mut described = texture(&desc, seen, (declared, used));
        if let Some((_, sampler)) = bindings.samplers.first().filter(|_| used == "sampled") {
            let [address, ..] = sampler.address;
            described.values.insert("filter", if sampler.mag == Filter::Linear { "linear" } else { "point" });
            described.values.extend(match address {
                AddressMode::ClampToEdge => Some(("address", "clamp")),
                AddressMode::Repeat => Some(("address", "wrap")),
                AddressMode::MirrorRepeat => Some(("address", "mirror")),
                AddressMode::Border | AddressMode::MirrorOnce => None,
            });
        }
        Some(described)
    });
    described.collect()
}

/// The kind of texture that a shader declares in a slot; in Direct3D 9 none says so in a form that rows have.
fn dimension_of(slots: &ShaderSlots, slot: u32) -> Option<ResourceDimension> {
    slots.decoded.declarations().iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Resource { register, shape: ResourceShape::Typed { dimension, .. }, .. } => {
            let OperandValue::Register(register) = &register.value else { return None };
            let is_it = register.kind == RegisterKind::Resource && register.first_index()?.base == slot;
            is_it.then_some(*dimension)
        }
        _ => None,
    })
}

/// The way in which a shader reads a slot; where it has several, the one that fewer devices have.
fn use_of(slots: &ShaderSlots, slot: u32) -> &'static str {
    let program = &slots.decoded;
    let names = |operand: &OperandValue| match operand {
        OperandValue::Register(register) => {
            register.kind == RegisterKind::Resource && register.first_index().is_some_and(|index| index.base == slot)
        }
        _ => false,
    };
    let reads = program
        .instructions()
        .iter()
        .filter(|instruction| program.operands(instruction).iter().any(|operand| names(&operand.value)));
    let uses = reads.filter_map(|instruction| match instruction.opcode {
        Opcode::SampleC | Opcode::SampleCLz | Opcode::Gather4C | Opcode::Gather4PoC => Some("compared"),
        Opcode::Gather4 | Opcode::Gather4Po => Some("gathered"),
        Opcode::Ld | Opcode::LdMs => Some("loaded"),
        _ => None,
    });
    uses.min().unwrap_or("sampled")
}

/// The first of a list's numbers that is no less.
fn bucket<T: Copy>(all: &[T], number: impl Fn(T) -> u32, least: u32) -> Option<T> {
    all.iter().copied().find(|value| number(*value) >= least)
}

/// Numbers of bindings of a stage.
fn bindings_of(shader: Option<&Shader>, bindings: &StageBindings, stage: &'static str) -> Vec<Described> {
    let Some(Ok(slots)) = shader.map(|shader| &shader.program) else { return Vec::new() };
    let held: Vec<u32> = bindings.slots.resources.iter().map(|(slot, _)| *slot).collect();
    let is_bound = slots.used.resources.iter().all(|slot| held.contains(&slot));
    let mut textures: BTreeMap<&'static str, u32> = BTreeMap::new();
    for slot in slots.used.resources.iter() {
        let kind = match dimension_of(slots, slot) {
            _ if use_of(slots, slot) == "compared" => "depth-textures",
            Some(ResourceDimension::Texture2DArray) => "array-textures",
            Some(ResourceDimension::TextureCube) => "cubes",
            Some(_) => "textures",
            None => "buffers",
        };
        *textures.entry(kind).or_default() += 1;
    }
    textures.insert("samplers", slots.used.samplers.len());
    textures.insert("constant-buffers", slots.used.constant_buffers.len());
    if stage == "vertex" {
        textures.insert("vertex-elements", slots.inputs.len() as u32);
    }
    let described = textures.into_iter().filter(|(_, count)| *count > 0).filter_map(|(kind, count)| {
        let count = bucket(BoundCount::ALL, BoundCount::number, count)?.name();
        let state = if is_bound { "bound" } else { "unbound" };
        let values = [("kind", kind), ("count", count), ("stage", stage), ("state", state)];
        Some(Described { group: "binding", values: values.into() })
    });
    described.collect()
}

/// Viewport, scissor, depth and topology of a draw.
fn raster(state: &DrawState, vertices: &DrawnVertices) -> Described {
    let mut values = BTreeMap::new();
    let (is_indexed, count) = match vertices {
        DrawnVertices::Direct(draw) => (false, draw.vertex_count),
        DrawnVertices::Indexed(draw) => (true, draw.index_count),
    };
    let topology = match state.topology {
        Topology::PointList => Some("point-list"),
        Topology::LineList => Some(if count.is_multiple_of(2) { "line-list" } else { "line-list-of-5" }),
        Topology::LineStrip => Some(if is_indexed { "line-strip-restart" } else { "line-strip" }),
        Topology::TriangleList => Some(if count.is_multiple_of(3) { "triangle-list" } else { "triangle-list-of-7" }),
        Topology::TriangleStrip => Some(if is_indexed { "triangle-strip-restart" } else { "triangle-strip" }),
        Topology::TriangleFan => Some("triangle-fan"),
        _ => None,
    };
    values.extend(topology.map(|topology| ("topology", topology)));
    let [depth_format, scissor] = [
        match state.targets.depth_stencil.map(|target| target.format) {
            Some(TextureFormat::D24UnormS8Uint) => "depth-d24s8",
            Some(_) => "depth-d32",
            None => "no-depth",
        },
        match state.scissor.map(|scissor| scissor.size_px) {
            None => "no-scissor",
            Some([width, height]) if width <= 0 || height <= 0 => "empty-scissor",
            Some(_) => "scissor",
        },
    ];
    let units = match state.fixed.raster.depth_bias {
        DepthBias::Steps(steps) => steps as f32,
        DepthBias::OfRange(part) => part.get(),
    };
    let bias = match units {
        _ if units == 0.0 => "no-bias",
        _ if units < 0.0 => "bias-nearer",
        _ => "bias-farther",
    };
    let colors = if state.has_flat_values() { "flat-colors" } else { "smooth-colors" };
    values.extend([("depth", depth_format), ("scissor", scissor), ("depth-bias", bias), ("colors", colors)]);
    let size = state.targets.colors.iter().flatten().find_map(|target| target.size_px);
    if let Some(Viewport::Rectangle { origin_px, size_px, depth }) = state.viewport {
        values.extend(viewport(origin_px, size_px, size).map(|viewport| ("viewport", viewport)));
        let range = match depth {
            [0.0, 1.0] => "depth-0-1",
            [nearest, farthest] if nearest == farthest => "depth-flat",
            [nearest, farthest] if nearest < 0.0 || farthest > 1.0 => "depth-outside",
            _ => "depth-part",
        };
        values.insert("depth-range", range);
    }
    Described { group: "raster", values }
}

fn viewport([x, y]: [f32; 2], [width, height]: [f32; 2], size: Option<[u32; 2]>) -> Option<&'static str> {
    let is_whole = |number: f32| number.fract() == 0.0;
    let [columns, rows] = size.map(|size| size.map(|side| side as f32))?;
    Some(match () {
        () if width <= 0.0 || height <= 0.0 => "empty",
        () if !is_whole(x) || !is_whole(y) => "fractional",
        () if !is_whole(width) || !is_whole(height) => "fractional-size",
        () if width > LARGEST_SIDE || height > LARGEST_SIDE => "larger-than-textures",
        () if x < 0.0 || y < 0.0 || x + width > columns || y + height > rows => "beyond-the-target",
        () if width == columns && height == rows => "whole",
        () => "inner",
    })
}

/// The longest side of textures that every device has.
const LARGEST_SIDE: f32 = 8192.0;

/// Shared memory of a dispatch.
fn shared(shader: &Shader, groups: [u32; 3]) -> Option<Described> {
    let Ok(slots) = &shader.program else { return None };
    let memory = slots.decoded.declarations().iter().filter_map(|declaration| match declaration.kind {
        DeclarationKind::GroupMemory { stride_bytes, count, .. } => Some((stride_bytes, count)),
        _ => None,
    });
    let memory: Vec<(Option<u32>, u32)> = memory.collect();
    let (first, _) = memory.first()?;
    let bytes =
        memory.iter().map(|(stride, count)| stride.unwrap_or(1).saturating_mul(*count)).fold(0, u32::saturating_add);
    let mut values = BTreeMap::from([("form", if first.is_some() { "structured" } else { "raw" })]);
    values.extend(bucket(SharedBytes::ALL, SharedBytes::number, bytes).map(|bytes| ("bytes", bytes.name())));
    if groups.contains(&0) {
        values.insert("groups", "no-groups");
    } else {
        values.insert("groups", if groups == [1, 1, 1] { "1-group" } else { "3-groups" });
    }
    Some(Described { group: "shared", values })
}
