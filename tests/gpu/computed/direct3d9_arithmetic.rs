//! Arithmetic of Direct3D 9 at its edges: what is infinite, what is no number, and what divides by nothing.

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;

use super::direct3d9_rules::{Frames, declaration};
use super::direct3d9_sampling::tokens;
use super::{Frame, unorm};
use crate::support::streams::*;

const TARGET: u32 = 1;
const SIZE: [u32; 2] = [4, 1];

/// Instructions into `r0` of `c0` = (infinity, no number, 0, 1) and `c1` = (0, -2, 4, 0.5), and their results, each a
/// quarter and a half more as it is drawn.
const CASES: &[(&str, [f64; 4])] = &[
    ("mul r0, c0, c0.z", [0.0, 0.0, 0.0, 0.0]),
    ("mul r0, c1.x, c0.xyxy", [0.0; 4]),
    ("mad r0, c0.xyzw, c1.x, c1.w", [0.5; 4]),
    ("mul r0, c1, c1.w", [0.0, -1.0, 2.0, 0.25]),
    ("mov r1, c0\ndp3 r0, r1.xyz, c1.xxx", [0.0; 4]),
    ("mov r1, c0\ndp4 r0, r1.xyzw, c1.xxxw", [0.5; 4]),
    ("mov r1, c1.x\ndp2add r0, c0, r1, c1.w", [0.5; 4]),
    ("lrp r0, c1.x, c0.x, c1.w", [0.5; 4]),
    ("mov r1, c1.x\ncrs r0.xyz, c0.xyx, r1\nmov r0.w, r1", [0.0; 4]),
    ("mov r1, c1.x\nnrm r0, r1", [0.0; 4]),
    ("rcp r0, c0.z\nmul r0, r0, c1.x", [0.0; 4]),
    ("rsq r0, c0.z\nmul r0, r0, c1.x", [0.0; 4]),
    ("rsq r0, c1.z", [0.5; 4]),
    ("mov r1, c1.y\nmul r1, r1, c1.z\nrsq r1, r1.x\nmul r0, r1, r1", [0.125; 4]),
    ("rcp r0, c1.y", [-0.5; 4]),
    ("rcp r0, c0.z\nsub r0, r0, r0", [0.0; 4]),
    ("log r0, c0.z\nmul r0, r0, c1.x", [0.0; 4]),
    ("log r0, c0.z\nsub r0, r0, r0", [0.0; 4]),
    ("log r0, c1.y", [1.0; 4]),
    ("mov r1, c1\npow r0, r1.y, r1.y", [0.25; 4]),
    ("mov r1, c1\npow r0, r1.x, r1.x", [1.0; 4]),
    ("mov r1, c1\npow r0, r1.x, r1.w", [0.0; 4]),
    ("min r0, c0.y, c0.wzwz", [1.0, 0.0, 1.0, 0.0]),
    ("max r0, c0.wzwz, c0.y", [1.0, 0.0, 1.0, 0.0]),
    ("min r0, c1.zyzy, c1.w", [0.5, -2.0, 0.5, -2.0]),
    ("mov r1, c0\ncmp r0, r1, c1.w, c1.y", [0.5, -2.0, 0.5, 0.5]),
    ("mov_sat r0, c0", [1.0, 0.0, 0.0, 1.0]),
];

pub fn frames() -> Vec<Frame> {
    let constants = floats(&[f32::INFINITY, f32::NAN, 0.0, 1.0, 0.0, -2.0, 4.0, 0.5]);
    let values = Elements::new(&constants).unwrap();
    let mut stream = Stream::new();
    stream
        .bytecode(1, VERTEX, "pass.vs.d3dbc")
        .layout_of(1, &declaration(3))
        .use_layout(1)
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32])
        .put(SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 2, stage_ex: 0, values });
    let mut frames = Frames { made: Vec::new(), stream, next: 100 };
    frames.set(&[(22, 1), (7, 0)]);
    for (shader, (text, computed)) in (10..).zip(CASES) {
        let text = format!("ps_2_0\ndef c9, 0.25, 0.5, 0.0, 0.0\n{text}\nmad r0, r0, c9.x, c9.y\nmov oC0, r0");
        frames.stream.tokens(shader, PIXEL, &tokens(&text)).shaders(1, shader).clear(1, [0.0; 4], 1.0);
        frames.plain([0; 4]);
        let expected = computed.map(|value| unorm(value * 0.25 + 0.5));
        frames.add(&CASES[shader as usize - 10].0.replace('\n', ", "), SIZE, 1, |_| expected);
    }
    frames.made
}
