//! Shaders compiled ahead, on as many threads as there are cores, and one by one at the draws that need them.

use std::fmt::Write;

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::MemorySource;
use aerogpu_replay::format::aerogpu::{BlobKind, FrameIndex, TraceWriter};
use aerogpu_replay::replay::{CommandStream, Executor, Flow, ProgramLibrary, ShaderOptions};
use anyhow::Result;
use std::sync::Arc;

use crate::{Effort, META, compare, open, time, write};

/// Sums that each fragment shader adds up: about as long as a translated shader.
const LINES: u32 = 120;

/// One frame that makes all programs and then draws once with each.
fn trace(count: u32) -> Result<Vec<u8>> {
    let mut trace = TraceWriter::new(Vec::new(), 1, META)?;
    trace.begin_frame()?;
    for pair in 0..count {
        let text = trace.blob(BlobKind::ShaderWgsl, shaders(pair).as_bytes())?.0;
        for stage in [0, 1] {
            let (shader_id, glsl_blob_id, wgsl_blob_id, dxbc_blob_id) = (2 * pair + stage, 0, text, 0);
            write(&mut trace, &[Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id, dxbc_blob_id }])?;
        }
        let (vs_shader_id, fs_shader_id) = (2 * pair, 2 * pair + 1);
        write(&mut trace, &[Packet::CreatePipeline { pipeline_id: pair, vs_shader_id, fs_shader_id }])?;
    }
    for pipeline_id in 0..count {
        let draw = Packet::Draw { vertex_count: 3, first_vertex: 0 };
        write(&mut trace, &[Packet::SetPipeline { pipeline_id }, draw])?;
    }
    trace.present()?;
    Ok(trace.finish()?)
}

fn shaders(pair: u32) -> String {
    let mut text = format!(
        "@vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {{ return vec4f(f32(i), {pair}.0, 0.0, 1.0); }}
@fragment fn f(@builtin(position) at: vec4f) -> @location(0) vec4f {{
  var sum = at;
"
    );
    for line in 0..LINES {
        let _ = writeln!(text, "  sum = sum * vec4f({line}.5) + sin(sum.yzwx) * max(sum, vec4f({pair}.25));");
    }
    text + "  return sum;\n}\n"
}

/// No more time than one by one, where there are two cores and the rest of a player has nothing to do.
pub(crate) fn ahead(effort: Effort) -> Result<bool> {
    let count = effort.frames.min(96);
    let trace = open(Arc::new(MemorySource::from(trace(count)?)))?;
    let draw_all = |programs: ProgramLibrary| {
        time(|| {
            let mut executor = Executor::with_programs(trace.clone(), programs);
            CommandStream::new(trace.clone()).read_frame(FrameIndex(0), &mut executor, |command, executor| {
                executor.apply(command)?;
                Ok(Flow::Continue)
            })
        })
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("  {count} pairs of shaders, {cores} cores");
    let one_by_one = || draw_all(ProgramLibrary::new());
    let made_ahead = || draw_all(ProgramLibrary::working_ahead(ShaderOptions::default()));
    compare(effort.rounds.div_ceil(3), ["one by one", "made ahead"], Some(1.1), one_by_one, made_ahead)
}
