//! Texts of shaders whose declarations are chosen by chance.

use aerogpu_replay::shader::d3d::assemble;

/// The bytecode of a text.
pub fn bytecode(text: &str) -> Vec<u8> {
    assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}")).0
}

/// A vertex shader that hands on a position and four floats, with these lines before it ends.
pub fn vertex(lines: &[&str]) -> Vec<u8> {
    bytecode(&vertex_text(&[], &[], lines))
}

/// Its text, with these outputs and declarations besides.
pub fn vertex_text(outputs: &[String], declarations: &[String], lines: &[&str]) -> String {
    format!(
        "vs_5_0\n.input\n.param \"POSITION\"[0].xyzw, v0.xyzw, float\n.param \"TEXCOORD\"[0].xyzw, v1.xyzw, float\n\
         .output\n.param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n\
         .param \"TEXCOORD\"[0].xyzw, o1.xyzw, float\n{}.text\ndcl_input v0.xyzw\ndcl_input v1.xyzw\n\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n{}dcl_temps 3\nmov o0.xyzw, v0.xyzw\n\
         mov o1.xyzw, v1.xyzw\n{}ret\n",
        joined(outputs),
        joined(declarations),
        joined(lines)
    )
}

/// A pixel shader that gives the four floats.
pub fn pixel_of_color() -> Vec<u8> {
    pixel(&[], &[], &["mov o0.xyzw, v1.xyzw"])
}

/// A pixel shader of `v1` with these lines, declarations and outputs besides the first target.
pub fn pixel(outputs: &[String], declarations: &[String], lines: &[&str]) -> Vec<u8> {
    bytecode(&format!(
        "ps_5_0\n.input\n.param \"SV_Position\"[0].xyzw, v0., float, position\n\
         .param \"TEXCOORD\"[0].xyzw, v1.xyzw, float\n.output\n\
         .param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n{}.text\ndcl_input_ps linear v1.xyzw\n\
         dcl_output o0.xyzw\n{}dcl_temps 3\n{}ret\n",
        joined(outputs),
        joined(declarations),
        joined(lines)
    ))
}

/// A compute shader of one thread with these declarations and lines.
pub fn compute(threads: [u32; 3], declarations: &[String], lines: &[&str]) -> Vec<u8> {
    let [x, y, z] = threads;
    bytecode(&format!(
        "cs_5_0\n.text\n{}dcl_temps 3\ndcl_thread_group {x}, {y}, {z}\n{}ret\n",
        joined(declarations),
        joined(lines)
    ))
}

fn joined(lines: &[impl AsRef<str>]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}
