//! Packets that do something: clear, draw, dispatch, present; and those that only mark a place.

use super::layout::{FLOAT, HEX, NUMBER, RESERVED, SIGNED, STAGE_EX, known_bits};
use super::rest::Text;
use super::table::family;

family! {
    /// Packets that do something: clear, draw, dispatch, present; and those that only mark a place.
    WorkPacket<'a>, life 'a, body Work;

    /// Nothing.
    0x000 NOP Nop {};
    /// A text for whoever reads the stream.
    0x001 DEBUG_MARKER DebugMarker<'a> {} + text: Text<'a>;
    /// Fills the targets that are bound.
    0x600 CLEAR Clear {
        flags: u32 = known_bits(7), r: f32 = FLOAT, g: f32 = FLOAT, b: f32 = FLOAT, a: f32 = FLOAT,
        depth: f32 = FLOAT, stencil: u32 = NUMBER,
    };
    /// Draws.
    0x601 DRAW Draw {
        vertex_count: u32 = NUMBER, instance_count: u32 = NUMBER, first_vertex: u32 = NUMBER,
        first_instance: u32 = NUMBER,
    };
    /// Draws by indices.
    0x602 DRAW_INDEXED DrawIndexed {
        index_count: u32 = NUMBER, instance_count: u32 = NUMBER, first_index: u32 = NUMBER, base_vertex: i32 = SIGNED,
        first_instance: u32 = NUMBER,
    };
    /// Runs the compute shader.
    0x603 DISPATCH Dispatch { x: u32 = NUMBER, y: u32 = NUMBER, z: u32 = NUMBER, stage_ex: u32 = STAGE_EX };
    /// Shows the first colour target.
    0x700 PRESENT Present { scanout_id: u32 = NUMBER, flags: u32 = known_bits(1) };
    /// Shows the first colour target, with Direct3D 9's flags.
    0x701 PRESENT_EX PresentEx {
        scanout_id: u32 = NUMBER, flags: u32 = known_bits(1), d3d9_present_flags: u32 = HEX, reserved: u32 = RESERVED,
    };
    /// Has everything before it carried out.
    0x720 FLUSH Flush { reserved0: u32 = RESERVED, reserved1: u32 = RESERVED };
}
