//! Texts of the rows' shaders.

use crate::error::Internal;
use crate::shader::d3d::assemble;

/// Bytecode of a text.
fn bytecode(text: &str) -> Result<Vec<u8>, Internal> {
    assemble(text).map(|(code, ..)| code).map_err(|_| Internal::new("a row's shader does not assemble"))
}

/// A vertex shader that hands on a position and eight floats, with these declarations and lines besides.
pub(super) fn vertex(declarations: &[String], lines: &[String]) -> Result<Vec<u8>, Internal> {
    bytecode(&format!(
        "vs_5_0\n.input\n.param \"POSITION\"[0].xyzw, v0.xyzw, float\n.param \"TEXCOORD\"[0].xyzw, v1.xyzw, float\n\
         .param \"NORMAL\"[0].xyzw, v2.xyzw, float\n.output\n\
         .param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.param \"TEXCOORD\"[0].xyzw, o1.xyzw, float\n\
         .param \"TEXCOORD\"[1].xyzw, o2.xyzw, float\n.text\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_input v2.xyzw\n\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_output o2.xyzw\n{}dcl_temps 4\n\
         mov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xyzw\nmov o2.xyzw, v2.xyzw\n{}ret\n",
        joined(declarations),
        joined(lines)
    ))
}

/// A vertex shader of a position and inputs of these names, whose sum it hands on.
pub(super) fn vertex_of_sum(names: &[&str]) -> Result<Vec<u8>, Internal> {
    let each = |line: fn(usize, &str) -> String| -> Vec<String> {
        (1..).zip(names).map(|(register, name)| line(register, name)).collect()
    };
    bytecode(&format!(
        "vs_5_0\n.input\n.param \"POSITION\"[0].xyzw, v0.xyzw, float\n{}.output\n\
         .param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.param \"TEXCOORD\"[0].xyzw, o1.xyzw, float\n\
         .param \"TEXCOORD\"[1].xyzw, o2.xyzw, float\n.text\ndcl_input v0.xyzw\n{}\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_temps 1\n\
         mov o0.xyzw, v0.xyzw\nmov o2.xyzw, v0.xyzw\nmov r0.xyzw, l(0.0, 0.0, 0.0, 1.0)\n{}mov o1.xyzw, r0.xyzw\nret\n",
        joined(&each(|register, name| format!(".param \"{name}\"[0].xyzw, v{register}.xyzw, float"))),
        joined(&each(|register, _| format!("dcl_input v{register}.xyzw"))),
        joined(&each(|register, _| format!("add r0.xyz, r0.xyzx, v{register}.xyzx"))),
    ))
}

/// A pixel shader of the eight floats, in `v1` and `v2`, with these declarations and lines; `v0` is the pixel.
pub(super) fn pixel(declarations: &[String], lines: &[String]) -> Result<Vec<u8>, Internal> {
    pixel_of("linear", declarations, lines)
}

fn pixel_of(interpolation: &str, declarations: &[String], lines: &[String]) -> Result<Vec<u8>, Internal> {
    bytecode(&format!(
        "ps_5_0\n.input\n.param \"SV_Position\"[0].xyzw, v0.xy, float, position\n\
         .param \"TEXCOORD\"[0].xyzw, v1.xyzw, float\n.param \"TEXCOORD\"[1].xyzw, v2.xyzw, float\n.output\n\
         .param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\n\
         dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_input_ps {interpolation} v1.xyzw\n\
         dcl_input_ps linear v2.xyzw\ndcl_output o0.xyzw\n{}dcl_temps 4\n{}ret\n",
        joined(declarations),
        joined(lines)
    ))
}

/// A pixel shader that gives the first four floats.
pub(super) fn pixel_of_color() -> Result<Vec<u8>, Internal> {
    pixel(&[], &["mov o0.xyzw, v1.xyzw".to_owned()])
}

/// A pixel shader that gives the first four floats of the vertex that flat values come from.
pub(super) fn pixel_of_flat_color() -> Result<Vec<u8>, Internal> {
    pixel_of("constant", &[], &["mov o0.xyzw, v1.xyzw".to_owned()])
}

/// A compute shader with these declarations and lines.
pub(super) fn compute(threads: [u32; 3], declarations: &[String], lines: &[String]) -> Result<Vec<u8>, Internal> {
    let [x, y, z] = threads;
    bytecode(&format!(
        "cs_5_0\n.text\n{}dcl_temps 4\ndcl_thread_group {x}, {y}, {z}\n{}ret\n",
        joined(declarations),
        joined(lines)
    ))
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
