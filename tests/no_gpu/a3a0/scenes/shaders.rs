//! Small shaders whose slots are known, and layouts of the vertices that they read.

use crate::support::a3a0::{Bank, Bytes, Stage};
use crate::support::harness::{Trial, trials_of};
use aerogpu_replay::shader::d3d::{SlotSet, decode};
use dev_d3d_assembler::assemble;
use std::sync::LazyLock;

/// A shader by what it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShaderKind {
    /// The position as it is.
    Vs9,
    /// `c0..c3`, two inputs.
    Vs9Constants,
    /// `c4`, its own `c5`, `i1`, `b2`.
    Vs9Flow,
    /// `c[a0.x]`: the whole bank.
    Vs9Relative,
    /// `c0`.
    Ps9,
    /// `s0`.
    Ps9Texture,
    /// `s1`, a cube; two targets.
    Ps9Cube,
    /// The position as it is.
    Vs11,
    /// Position, colour, `cb0`.
    Vs11Constants,
    /// No input but the vertex's number; `cb1`.
    Vs11Numbered,
    /// Nothing but a colour.
    Ps11,
    /// `t0`, `s0`, `cb0`.
    Ps11Texture,
    /// `t1` with `s1`, `t2` with `ld`; two targets.
    Ps11Two,
    /// `t0`, an array.
    Ps11Array,
    /// `t3`, a raw buffer.
    Ps11Buffer,
    /// `t0`, a raw buffer, into `u0`.
    Cs,
    /// `cb0` into `u1`.
    CsConstants,
}

/// A texture slot of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureUse {
    pub slot: u32,
    pub has_layers: bool,
}

/// Resources that a shader uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub is_d3d9: bool,
    /// Elements of the layout, by the order of [`LayoutKind`].
    pub inputs: Vec<usize>,
    pub textures: Vec<TextureUse>,
    pub samplers: Vec<u32>,
    pub resource_buffers: Vec<u32>,
    pub constant_buffers: Vec<u32>,
    pub uavs: Vec<u32>,
    pub outputs: Vec<usize>,
    /// Single registers.
    pub constants: Vec<(Bank, u32)>,
    pub uses_all_floats: bool,
}

pub use ShaderKind::*;

pub const VERTEX_9: [ShaderKind; 4] = [Vs9, Vs9Constants, Vs9Flow, Vs9Relative];
pub const PIXEL_9: [ShaderKind; 3] = [Ps9, Ps9Texture, Ps9Cube];
pub const VERTEX_11: [ShaderKind; 3] = [Vs11, Vs11Constants, Vs11Numbered];
pub const PIXEL_11: [ShaderKind; 5] = [Ps11, Ps11Texture, Ps11Two, Ps11Array, Ps11Buffer];
pub const COMPUTE: [ShaderKind; 2] = [Cs, CsConstants];

/// All of them, each with its code.
static CODES: LazyLock<Vec<(ShaderKind, Bytes)>> = LazyLock::new(|| {
    let kinds = [VERTEX_9.as_slice(), &PIXEL_9, &VERTEX_11, &PIXEL_11, &COMPUTE].concat();
    kinds.into_iter().map(|kind| (kind, Bytes(assemble(&kind.text()).into()))).collect()
});

impl ShaderKind {
    pub fn stage(self) -> Stage {
        match self {
            Vs9 | Vs9Constants | Vs9Flow | Vs9Relative | Vs11 | Vs11Constants | Vs11Numbered => Stage::Vertex,
            Cs | CsConstants => Stage::Compute,
            _ => Stage::Pixel,
        }
    }

    pub fn uses(self) -> Uses {
        let floats = |numbers: &[u32]| numbers.iter().map(|number| (Bank::Float, *number)).collect::<Vec<_>>();
        let texture = |slot, has_layers| vec![TextureUse { slot, has_layers }];
        let d3d9 = Uses { is_d3d9: true, ..Uses::default() };
        let one = || vec![0];
        match self {
            Vs9 => Uses { inputs: one(), ..d3d9 },
            Vs9Constants => Uses { inputs: vec![0, 1], constants: floats(&[0, 1, 2, 3]), ..d3d9 },
            Vs9Flow => {
                let mut constants = floats(&[4]);
                constants.extend([(Bank::Int, 1), (Bank::Bool, 2)]);
                Uses { inputs: one(), constants, ..d3d9 }
            }
            Vs9Relative => Uses { inputs: one(), uses_all_floats: true, ..d3d9 },
            Ps9 => Uses { constants: floats(&[0]), outputs: one(), ..d3d9 },
            Ps9Texture => Uses { textures: texture(0, false), samplers: vec![0], outputs: one(), ..d3d9 },
            Ps9Cube => Uses { textures: texture(1, true), samplers: vec![1], outputs: vec![0, 1], ..d3d9 },
            Vs11 => Uses { inputs: one(), ..Uses::default() },
            Vs11Constants => Uses { inputs: vec![0, 1], constant_buffers: vec![0], ..Uses::default() },
            Vs11Numbered => Uses { constant_buffers: vec![1], ..Uses::default() },
            Ps11 => Uses { outputs: one(), ..Uses::default() },
            Ps11Texture => Uses {
                textures: texture(0, false),
                samplers: vec![0],
                constant_buffers: vec![0],
                outputs: one(),
                ..Uses::default()
            },
            Ps11Two => {
                let textures = [1, 2].map(|slot| TextureUse { slot, has_layers: false }).to_vec();
                Uses { textures, samplers: vec![1], outputs: vec![0, 1], ..Uses::default() }
            }
            Ps11Array => Uses { textures: texture(0, true), samplers: vec![0], outputs: one(), ..Uses::default() },
            Ps11Buffer => Uses { resource_buffers: vec![3], outputs: one(), ..Uses::default() },
            Cs => Uses { resource_buffers: vec![0], uavs: vec![0], ..Uses::default() },
            CsConstants => Uses { constant_buffers: vec![0], uavs: vec![1], ..Uses::default() },
        }
    }

    pub fn of(code: &Bytes) -> Self {
        CODES.iter().find(|(_, known)| known == code).unwrap().0
    }

    pub fn code(self) -> Bytes {
        CODES.iter().find(|(kind, _)| *kind == self).unwrap().1.clone()
    }

    fn text(self) -> String {
        let texture_2d = "dcl_resource_texture2d (float,float,float,float)";
        match self {
            Vs9 => "vs_2_0\ndcl_position v0\nmov oPos, v0\n".to_owned(),
            Vs9Constants => "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndp4 oPos.x, v0, c0\ndp4 oPos.y, v0, c1\n\
                dp4 oPos.z, v0, c2\ndp4 oPos.w, v0, c3\nmov oT0, v1\n"
                .to_owned(),
            Vs9Flow => "vs_2_0\ndcl_position v0\ndef c5, 1.0, 0.0, 0.0, 1.0\nmov r0, c4\nrep i1\nadd r0, r0, c5\n\
                endrep\nif b2\nadd r0, r0, v0\nendif\nmov oPos, r0\n"
                .to_owned(),
            Vs9Relative => "vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmov r0, c[a0.x]\nmov oPos, r0\n".to_owned(),
            Ps9 => "ps_2_0\nmov r0, c0\nmov oC0, r0\n".to_owned(),
            Ps9Texture => "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n".to_owned(),
            Ps9Cube => "ps_2_0\ndcl t0.xyz\ndcl_cube s1\ntexld r0, t0, s1\nmov oC0, r0\nmov oC1, r0\n".to_owned(),
            Vs11 => vertex_11("", &["POSITION"], "mov o0.xyzw, v0.xyzw\n"),
            Vs11Constants => vertex_11(
                "dcl_constantbuffer cb0[2], immediateIndexed\n",
                &["POSITION", "COLOR"],
                "add o0.xyzw, v0.xyzw, cb0[0].xyzw\n",
            )
            .replace("ret\n", "mov o1.xyzw, v1.xyzw\nret\n")
            .replace("dcl_temps", "dcl_output o1.xyzw\ndcl_temps"),
            Vs11Numbered => "vs_4_0\n.input\n.param \"SV_VertexID\"[0].x, v0.x, uint, vertex_id\n.output\n\
                .param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.text\n\
                dcl_constantbuffer cb1[2], immediateIndexed\ndcl_input_sgv v0.x, vertex_id\n\
                dcl_output_siv o0.xyzw, position\ndcl_temps 1\nutof r0.x, v0.x\n\
                mul o0.xyzw, r0.x, cb1[1].xyzw\nret\n"
                .to_owned(),
            Ps11 => pixel_11("", &[0], "mov o0.xyzw, l(1.0, 0.5, 0.25, 1.0)\n"),
            Ps11Texture => pixel_11(
                &format!(
                    "dcl_constantbuffer cb0[1], immediateIndexed\ndcl_sampler s0, mode_default\n{texture_2d} t0\n"
                ),
                &[0],
                "sample r0.xyzw, cb0[0].xyxx, t0.xyzw, s0\nmov o0.xyzw, r0.xyzw\n",
            ),
            Ps11Two => pixel_11(
                &format!("dcl_sampler s1, mode_default\n{texture_2d} t1\n{texture_2d} t2\n"),
                &[0, 1],
                "sample r0.xyzw, l(0.5, 0.5, 0.0, 0.0), t1.xyzw, s1\nmov o0.xyzw, r0.xyzw\n\
                ld r0.xyzw, l(0, 0, 0, 0), t2.xyzw\nmov o1.xyzw, r0.xyzw\n",
            ),
            Ps11Array => pixel_11(
                "dcl_sampler s0, mode_default\ndcl_resource_texture2darray (float,float,float,float) t0\n",
                &[0],
                "sample r0.xyzw, l(0.5, 0.5, 1.0, 0.0), t0.xyzw, s0\nmov o0.xyzw, r0.xyzw\n",
            ),
            Ps11Buffer => {
                pixel_11("dcl_resource_raw t3\n", &[0], "ld_raw r0.xyzw, l(0), t3.xyzw\nmov o0.xyzw, r0.xyzw\n")
                    .replace("ps_4_0", "ps_5_0")
            }
            Cs => "cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_resource_raw t0\ndcl_uav_raw u0\ndcl_temps 1\n\
                ld_raw r0.x, l(0), t0.x\nstore_raw u0.x, l(0), r0.x\nret\n"
                .to_owned(),
            CsConstants => "cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_constantbuffer cb0[1], immediateIndexed\n\
                dcl_uav_raw u1\nstore_raw u1.x, l(0), cb0[0].x\nret\n"
                .to_owned(),
        }
    }
}

fn vertex_11(declared: &str, inputs: &[&str], code: &str) -> String {
    let mut text = "vs_4_0\n.input\n".to_owned();
    for (register, name) in inputs.iter().enumerate() {
        text += &format!(".param \"{name}\"[0].xyzw, v{register}.xyzw, float\n");
    }
    text += ".output\n.param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.text\n";
    text += declared;
    for register in 0..inputs.len() {
        text += &format!("dcl_input v{register}.xyzw\n");
    }
    text + "dcl_output_siv o0.xyzw, position\ndcl_temps 1\n" + code + "ret\n"
}

fn pixel_11(declared: &str, outputs: &[u32], code: &str) -> String {
    let mut text = "ps_4_0\n.output\n".to_owned();
    for output in outputs {
        text += &format!(".param \"SV_Target\"[{output}].xyzw, o{output}.xyzw, float\n");
    }
    text += ".text\n";
    text += declared;
    for output in outputs {
        text += &format!("dcl_output o{output}.xyzw\n");
    }
    text + "dcl_temps 1\n" + code + "ret\n"
}

/// A layout of vertices: an element for each input, the first a position, the second whatever the shader's second is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutKind {
    /// Position in slot 0 at byte 0, texture coordinates behind it.
    Declaration,
    /// Position in slot 0 at byte 4, texture coordinates in slot 1.
    DeclarationOfTwo,
    /// Position in slot 0 at byte 0, colour behind it.
    Ilay,
    /// Position in slot 1, colour once per instance in slot 0.
    IlayInstanced,
    /// Position in slot 1, colour once per two instances in slot 0.
    IlayStepTwo,
}

/// An element of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexElement {
    pub slot: u32,
    pub offset: u32,
    pub size: u32,
    /// Instances for each value; 0: once per vertex.
    pub step: u32,
}

pub const LAYOUTS_9: [LayoutKind; 2] = [LayoutKind::Declaration, LayoutKind::DeclarationOfTwo];
pub const LAYOUTS_11: [LayoutKind; 3] = [LayoutKind::Ilay, LayoutKind::IlayInstanced, LayoutKind::IlayStepTwo];

impl LayoutKind {
    pub fn is_d3d9(self) -> bool {
        LAYOUTS_9.contains(&self)
    }

    pub fn elements(self) -> [VertexElement; 2] {
        let element = |slot, offset, size, step| VertexElement { slot, offset, size, step };
        match self {
            Self::Declaration => [element(0, 0, 12, 0), element(0, 12, 8, 0)],
            Self::DeclarationOfTwo => [element(0, 4, 12, 0), element(1, 0, 8, 0)],
            Self::Ilay => [element(0, 0, 12, 0), element(0, 12, 16, 0)],
            Self::IlayInstanced => [element(1, 0, 12, 0), element(0, 4, 4, 1)],
            Self::IlayStepTwo => [element(1, 4, 8, 0), element(0, 0, 16, 2)],
        }
    }

    pub fn of(blob: &Bytes) -> Self {
        LAYOUTS_9.into_iter().chain(LAYOUTS_11).find(|kind| kind.blob() == *blob).unwrap()
    }

    pub fn blob(self) -> Bytes {
        Bytes(if self.is_d3d9() { self.declaration() } else { self.ilay() }.into())
    }

    fn declaration(self) -> Vec<u8> {
        let mut blob = Vec::new();
        for (element, usage) in self.elements().iter().zip([0, 5]) {
            let of_floats = (element.size / 4 - 1) as u8;
            blob.extend([element.slot as u8, 0, element.offset as u8, 0, of_floats, 0, usage, 0]);
        }
        blob.extend([0xff, 0, 0, 0, 17, 0, 0, 0]);
        blob
    }

    fn ilay(self) -> Vec<u8> {
        let hash = |name: &str| {
            let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            name.bytes().fold(0x811c_9dc5, step)
        };
        let mut words = vec![0x5941_4c49, 1, 2, 0];
        for (element, name) in self.elements().iter().zip(["POSITION", "COLOR"]) {
            let format = match element.size {
                4 => 28,
                8 => 16,
                12 => 6,
                _ => 2,
            };
            let class = u32::from(element.step > 0);
            words.extend([hash(name), 0, format, element.slot, element.offset, class, element.step]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

pub fn trials() -> Vec<Trial> {
    trials_of![slots_are_those_of_the_code]
}

fn slots_are_those_of_the_code() {
    assert_eq!(CODES.len(), 17);
    for (kind, code) in CODES.iter() {
        let program = decode(&code.0, 0).unwrap();
        let (used, uses) = (program.used_slots(), kind.uses());
        let numbers = |slots: SlotSet| slots.iter().collect::<Vec<u32>>();
        assert_eq!(program.version().is_d3d9(), uses.is_d3d9, "{kind:?}");
        assert_eq!(numbers(used.samplers), uses.samplers, "{kind:?}");
        assert_eq!(numbers(used.constant_buffers), uses.constant_buffers, "{kind:?}");
        assert_eq!(numbers(used.uavs), uses.uavs, "{kind:?}");
        let textures = uses.textures.iter().map(|texture| texture.slot);
        let resources: Vec<u32> = textures.chain(uses.resource_buffers.iter().copied()).collect();
        // Old models have samplers alone.
        assert!(uses.is_d3d9 || numbers(used.resources) == resources, "{kind:?}");
        if kind.stage() == Stage::Pixel {
            let outputs: Vec<u32> = uses.outputs.iter().map(|output| *output as u32).collect();
            assert_eq!(numbers(used.outputs), outputs, "{kind:?}");
        }
    }
}
