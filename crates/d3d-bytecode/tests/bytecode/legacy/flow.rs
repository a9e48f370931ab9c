//! Inputs and outputs of programs, by meaning.

use super::{Lengths, assemble, decoded};
use d3d_bytecode::legacy::{LegacyFlow, inputs, outputs};
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![registers_of_old_models_say_what_they_are, declarations_of_sm3_say_it, undeclared_inputs_say_nothing]
}

/// `v0 color0, …`; `?` where nothing is said.
fn shown(flows: &[LegacyFlow]) -> String {
    let one = |flow: &LegacyFlow| {
        let usage = flow.usage.map_or("?".to_owned(), |(usage, number)| format!("{usage}{number}"));
        format!("{} {usage}", flow.register_name())
    };
    flows.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn assert_flows(text: &str, read: &str, written: &str) {
    let program = decoded(&assemble(text, Lengths::Microsoft));
    assert_eq!(shown(&inputs(&program)), read, "{text}");
    assert_eq!(shown(&outputs(&program)), written, "{text}");
}

fn registers_of_old_models_say_what_they_are() {
    assert_flows("ps_1_1\ntex t1\nmul r0, t1, v0", "v0 color0, t1 texcoord1", "r0 color0");
    assert_flows(
        "ps_2_0\ndcl v1\ndcl t0\nmov oC2, v1\nmov oC0, t3\nmov oDepth, r0.x",
        "v1 color1, t3 texcoord3",
        "oDepth depth0, oC0 color0, oC2 color2",
    );
    assert_flows(
        "vs_2_0\ndcl_normal v3\nmov oPos, v3\nmov oD1, c0\nmov oT7, c0\nmov oFog, c0.x\nmov oPts, c0.x",
        "v3 normal0",
        "oPos position0, oFog fog0, oPts psize0, oD1 color1, oT7 texcoord7",
    );
}

fn declarations_of_sm3_say_it() {
    let vertex = "vs_3_0\ndcl_position v0\ndcl_texcoord4 v2\ndcl_position o0\ndcl_color1 o3\n";
    assert_flows(&format!("{vertex}mov o0, v2"), "v2 texcoord4", "o0 position0");
    // An index may mean each.
    assert_flows(&format!("{vertex}mov o[a0.x], v[a0.x]"), "v0 position0, v2 texcoord4", "o0 position0, o3 color1");
    assert_flows(
        "ps_3_0\ndcl_texcoord2 v5\ndcl vPos.xy\nmov r0, vPos.x\nmov oC0, v5",
        "v5 texcoord2, vPos position0",
        "oC0 color0",
    );
}

/// As in the driver's own shaders.
fn undeclared_inputs_say_nothing() {
    assert_flows("vs_2_0\nmov oPos, v0\nmov oT0, v1", "v0 ?, v1 ?", "oPos position0, oT0 texcoord0");
}
