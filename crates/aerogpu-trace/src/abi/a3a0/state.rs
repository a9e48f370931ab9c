//! Packets that set fixed state and targets.

use super::enumerations::{BLEND_FACTOR, BLEND_OP, COMPARE, CULL, FILL};
use super::layout::{FLOAT, HEX, NUMBER, PADDING, RESOURCE, SIGNED, at_most, handle, handles, known_bits, one_of};
use super::table::family;

family! {
    /// Packets that set fixed state and targets.
    StatePacket, life 'a, body State;

    /// Sets how colours are blended. May end anywhere behind the write mask; see [`SetBlendState::effective`].
    0x300 SET_BLEND_STATE SetBlendState {
        enable: u32 = NUMBER, src: u32 = one_of(&BLEND_FACTOR), dst: u32 = one_of(&BLEND_FACTOR),
        op: u32 = one_of(&BLEND_OP), write_mask: u8 = known_bits(0xf), pad: [u8; 3] = PADDING,
        src_alpha: Option<u32> = one_of(&BLEND_FACTOR), dst_alpha: Option<u32> = one_of(&BLEND_FACTOR),
        op_alpha: Option<u32> = one_of(&BLEND_OP), constant_r: Option<f32> = FLOAT, constant_g: Option<f32> = FLOAT,
        constant_b: Option<f32> = FLOAT, constant_a: Option<f32> = FLOAT, sample_mask: Option<u32> = HEX,
    };
    /// Sets the tests of depth and stencil.
    0x301 SET_DEPTH_STENCIL_STATE SetDepthStencilState {
        depth_enable: u32 = NUMBER, depth_write: u32 = NUMBER, depth_func: u32 = one_of(&COMPARE),
        stencil_enable: u32 = NUMBER, stencil_read_mask: u8 = HEX, stencil_write_mask: u8 = HEX, pad: [u8; 2] = PADDING,
    };
    /// Sets which triangles are drawn, and how.
    0x302 SET_RASTERIZER_STATE SetRasterizerState {
        fill: u32 = one_of(&FILL), cull: u32 = one_of(&CULL), front_ccw: u32 = NUMBER, scissor_enable: u32 = NUMBER,
        depth_bias: i32 = SIGNED, flags: u32 = known_bits(1),
    };
    /// Chooses what is drawn to, 0 for nothing.
    0x400 SET_RENDER_TARGETS SetRenderTargets {
        color_count: u32 = at_most(8), depth_stencil: u32 = handle(RESOURCE), color: [u32; 8] = handles(RESOURCE),
    };
    /// Sets the rectangle that clip space maps to.
    0x401 SET_VIEWPORT SetViewport {
        x: f32 = FLOAT, y: f32 = FLOAT, width: f32 = FLOAT, height: f32 = FLOAT, min_depth: f32 = FLOAT,
        max_depth: f32 = FLOAT,
    };
    /// Sets the rectangle outside of which nothing is drawn while the scissor is enabled.
    0x402 SET_SCISSOR SetScissor { x: i32 = SIGNED, y: i32 = SIGNED, width: i32 = SIGNED, height: i32 = SIGNED };
}

/// What a SET_BLEND_STATE of any length sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendState {
    /// Factors and operation of the colours: source, destination, operation.
    pub color: [u32; 3],
    /// The same of alpha.
    pub alpha: [u32; 3],
    /// The colour that the constant factors mean.
    pub constant: [f32; 4],
    /// Which samples are written.
    pub sample_mask: u32,
}

impl SetBlendState {
    /// What it sets: alpha is blended like the colours, the constant is white and every sample written unless the
    /// packet says otherwise.
    pub fn effective(&self) -> BlendState {
        let [src, dst, op] = [(self.src_alpha, self.src), (self.dst_alpha, self.dst), (self.op_alpha, self.op)]
            .map(|(alpha, color)| alpha.unwrap_or(color));
        let constant = [self.constant_r, self.constant_g, self.constant_b, self.constant_a];
        BlendState {
            color: [self.src, self.dst, self.op],
            alpha: [src, dst, op],
            constant: constant.map(|channel| channel.unwrap_or(1.0)),
            sample_mask: self.sample_mask.unwrap_or(u32::MAX),
        }
    }
}
