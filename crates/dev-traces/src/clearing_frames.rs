//! A trace of submissions in which every frame clears what it shows, with pixels computed by hand.
//!
//! ```text
//!  frame 0   creates texture 1, CLEAR blue              BB
//!  frame 1   CLEAR green, draw 0: the left half red     RG
//!  frame 2   CLEAR blue                                 BB
//!  frame 3   destroys and creates texture 1, CLEAR red  RR
//! ```

use aerogpu_trace::abi::a3a0::resources::DestroyResource;

use super::streams::{R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, recording};

/// The side of its texture.
pub const SIDE: u32 = 4;
/// The handle of its texture.
pub const COLOR: u32 = 1;
pub const RED: [u8; 4] = [255, 0, 0, 255];
pub const GREEN: [u8; 4] = [0, 255, 0, 255];
pub const BLUE: [u8; 4] = [0, 0, 255, 255];

const VERTICES: u32 = 10;

/// The file.
pub fn clearing_frames() -> Vec<u8> {
    let (mut first, mut second, mut third, mut fourth) = (Stream::new(), Stream::new(), Stream::new(), Stream::new());
    target_and_left_half(&mut first);
    cleared(&mut first, BLUE).present();
    cleared(&mut second, GREEN).draw(0, 6).present();
    cleared(&mut third, BLUE).present();
    fourth.put(DestroyResource { handle: COLOR, reserved: 0 }).texture(COLOR, R8G8B8A8, [SIDE; 2], [1, 1]);
    cleared(fourth.targets(&[COLOR], 0), RED).present();
    let frames = [first, second, third, fourth].map(Stream::finish);
    recording(frames.iter().map(Vec::as_slice))
}

/// Makes the texture and binds it, with vertices whose draw of 6 covers its left half in red.
pub fn target_and_left_half(stream: &mut Stream) -> &mut Stream {
    stream.texture(COLOR, R8G8B8A8, [SIDE; 2], [1, 1]).buffer(VERTICES, &left_half());
    stream.vertex_buffer(0, VERTICES, 28, 0).topology(TRIANGLE_LIST).targets(&[COLOR], 0)
}

/// Clears the texture.
pub fn cleared(stream: &mut Stream, rgba: [u8; 4]) -> &mut Stream {
    stream.clear(1, rgba.map(|channel| f32::from(channel) / 255.0), 1.0)
}

fn left_half() -> Vec<u8> {
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, -1.0], [-1.0, 1.0], [0.0, 1.0]];
    let vertices = corners.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0, 0.0, 0.0, 1.0]);
    vertices.flat_map(f32::to_le_bytes).collect()
}
