//! Draws whose shaders write buffers: which pixels run their shader, and who sees what was written.

use aerogpu_replay::abi::a3a0::state::SetDepthStencilState;

use super::programs::{BLUE, BUFFER, Frames, ROW, Rgba, TARGET};
use super::unorm;
use crate::support::streams::*;

const DEPTH: u32 = 30;
const D32: u32 = 33;
/// Comparison of depth.
const NEVER: u32 = 0;
const LESS: u32 = 1;
const ALWAYS: u32 = 7;
/// `constant.ps` of the scene.
const SHOW: u32 = 5;
/// `mask.ps` of the scene.
const MASK: u32 = 2;
/// Counts pixels, and keeps each second one.
const COUNT: u32 = 8;
/// Counts behind the tests of depth and stencil.
const COUNT_EARLY: u32 = 9;
/// A vertex shader that writes four floats.
const STORE: u32 = 10;
const COUNTED: Rgba = [0, 255, 0, 255];

impl Frames {
    /// Sets the count to 0: the float that is counted in steps of 1/64 is 0.5.
    fn count_from_0(&mut self) -> &mut Stream {
        let start = floats(&[0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 1.0]);
        self.stream.upload(BUFFER, 0, &start).writes(PIXEL, 1, BUFFER)
    }

    fn show(&mut self) -> &mut Stream {
        self.stream.shaders(1, SHOW).put(depth_state(ALWAYS)).constants(BUFFER, 0, 0).draw(0, 6)
    }
}

fn depth_state(depth_func: u32) -> SetDepthStencilState {
    SetDepthStencilState {
        depth_enable: 1,
        depth_write: 1,
        depth_func,
        stencil_enable: 0,
        stencil_read_mask: 0xff,
        stencil_write_mask: 0xff,
        pad: [0; 2],
    }
}

/// The picture of a count.
fn counted(pixels: u32) -> impl Fn(u32) -> Rgba {
    move |_| [unorm(0.5 + f64::from(pixels) / 64.0), 0, 255, 255]
}

pub(super) fn written_by_draws(frames: &mut Frames) {
    frames
        .stream
        .shader(COUNT, PIXEL, "count.ps")
        .shader(COUNT_EARLY, PIXEL, "count_early.ps")
        .shader(STORE, VERTEX, "store.vs")
        .texture(DEPTH, D32, [ROW, 1], [1, 1])
        .targets(&[TARGET], DEPTH);
    let kept = |x: u32| if x.is_multiple_of(2) { COUNTED } else { BLUE };
    let (late, early) = ((COUNT, "after"), (COUNT_EARLY, "before"));

    frames.count_from_0().put(depth_state(ALWAYS)).shaders(1, COUNT).draw(0, 6);
    frames.add("a draw that writes a buffer draws too", kept);
    frames.show();
    frames.add("all pixels write, also those that are discarded", counted(ROW));

    frames.count_from_0().put(depth_state(ALWAYS)).shaders(1, COUNT).draw(0, 6).draw(0, 6);
    frames.show();
    frames.add("a draw adds to what the draw before it wrote", counted(2 * ROW));

    frames.count_from_0().put(depth_state(ALWAYS)).shaders(1, COUNT).draw(0, 6);
    frames.show().clear(1, [0.0, 0.0, 1.0, 1.0], 0.0);
    frames.stream.writes(PIXEL, 1, BUFFER).shaders(1, COUNT).draw(0, 6);
    frames.show();
    frames.add("also after it was read between them", counted(2 * ROW));

    for ((shader, when), pixels) in [(late, ROW), (early, 0)] {
        frames.count_from_0().put(depth_state(NEVER)).shaders(1, shader).draw(0, 6);
        frames.add(&format!("no pixel passes, tested {when} the shader"), |_| BLUE);
        frames.show();
        frames.add(&format!("pixels that fail, tested {when} the shader"), counted(pixels));
    }

    // A discarded pixel has left its depth behind if that was tested first.
    for ((shader, when), hidden) in [(late, false), (early, true)] {
        frames.stream.clear(2, [0.0; 4], 1.0);
        frames.count_from_0().put(depth_state(LESS)).shaders(1, shader).draw(0, 6);
        frames.stream.clear(1, [0.0, 0.0, 1.0, 1.0], 0.0).constants(BUFFER, 0, 0).shaders(1, SHOW).draw(0, 6);
        let shown = counted(ROW);
        let color = move |x: u32| if hidden || x.is_multiple_of(2) { BLUE } else { shown(x) };
        frames.add(&format!("the depth of discarded pixels, tested {when} the shader"), color);
    }

    frames.count_from_0().put(depth_state(ALWAYS));
    frames.stream.writes(VERTEX, 0, BUFFER).shaders(STORE, MASK).draw(0, 6);
    frames.show();
    frames.add("a vertex shader writes a buffer", |_| [0.25, 0.5, 0.75, 1.0].map(unorm));
    frames.stream.targets(&[TARGET], 0);
}
