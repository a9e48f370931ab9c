//! Packets about shaders: their code, their constants, the layout of their vertices.

use super::layout::{HEX, LAYOUT, NOT_ZERO, NUMBER, RESERVED, SHADER, STAGE, STAGE_EX, handle, some_handle, start_of};
use super::rest::{Bools, Bytes, Elements};
use super::table::family;

family! {
    /// Packets about shaders: their code, their constants, the layout of their vertices.
    ShaderPacket<'a>, life 'a, body Shader;

    /// Makes a shader from Direct3D bytecode.
    0x200 CREATE_SHADER_DXBC CreateShaderDxbc<'a> {
        handle: u32 = some_handle(SHADER), stage: u32 = STAGE, size_bytes: u32 = NOT_ZERO, stage_ex: u32 = STAGE_EX,
    } + code: Bytes<'a>, counted by size_bytes;
    /// Ends a shader's life.
    0x201 DESTROY_SHADER DestroyShader { handle: u32 = handle(SHADER), reserved: u32 = RESERVED };
    /// Chooses the shaders of all stages, 0 for none; see [`BindShaders::later_stages`] for the later three.
    0x202 BIND_SHADERS BindShaders {
        vs: u32 = handle(SHADER), ps: u32 = handle(SHADER), cs: u32 = handle(SHADER), reserved: u32 = HEX, appended: Option<[u32; 3]> = handle(SHADER),
    };
    /// Sets registers of four floats.
    0x203 SET_SHADER_CONSTANTS_F SetShaderConstantsF<'a> {
        stage: u32 = STAGE, start_register: u32 = start_of(4096), vec4_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, [f32; 4]>, counted by vec4_count;
    /// Makes a layout of vertices from a blob ([`super::VertexDeclaration`]).
    0x204 CREATE_INPUT_LAYOUT CreateInputLayout<'a> {
        handle: u32 = some_handle(LAYOUT), blob_size: u32 = NOT_ZERO, reserved: u32 = RESERVED,
    } + blob: Bytes<'a>, counted by blob_size;
    /// Ends a layout's life.
    0x205 DESTROY_INPUT_LAYOUT DestroyInputLayout { handle: u32 = handle(LAYOUT), reserved: u32 = RESERVED };
    /// Chooses the layout of vertices, 0 for none.
    0x206 SET_INPUT_LAYOUT SetInputLayout { handle: u32 = handle(LAYOUT), reserved: u32 = RESERVED };
    /// Sets registers of four integers.
    0x207 SET_SHADER_CONSTANTS_I SetShaderConstantsI<'a> {
        stage: u32 = STAGE, start_register: u32 = start_of(256), vec4_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, [i32; 4]>, counted by vec4_count;
    /// Sets registers of one flag.
    0x208 SET_SHADER_CONSTANTS_B SetShaderConstantsB<'a> {
        stage: u32 = STAGE, start_register: u32 = start_of(256), bool_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Bools<'a>, counted by bool_count;
}

impl BindShaders {
    /// The geometry, hull and domain shader: appended to the packet, else the reserved word is the geometry shader if
    /// the packet has its shortest length (`tail_bytes` is 0), else there are none.
    pub fn later_stages(&self, tail_bytes: usize) -> [u32; 3] {
        match self.appended {
            Some(appended) => appended,
            None if tail_bytes == 0 => [self.reserved, 0, 0],
            None => [0; 3],
        }
    }
}
