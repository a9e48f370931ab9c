//! Every verb that draws ends at its `--timeout`, on traces that keep a GPU busy for much longer: in 124, never by a signal.
//!
//! The verbs are the lines of [`VERBS`] that draw, with APIs and ABIs in turns; with `SLOW_TRACES=all` in the environment, each
//! with all of them.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::shader::d3d::assemble;

use super::verbs::{Reads, VERBS};
use crate::support::harness::{Failed, Trial};
use crate::support::program::program;
use crate::support::scene::{FRAGMENT_WGSL, RED, Scene, rectangle, vertices};
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

/// Value of `--timeout`, in seconds.
const TIMEOUT_S: u64 = 1;
/// Time that a verb may take beside that and the grace of 2 s: to start, and to open a driver on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(15);

pub fn trials() -> Vec<Trial> {
    let lines = VERBS.iter().filter(|verb| verb.reads == Reads::Trace).flat_map(|verb| verb.lines);
    let drawing = lines.copied().filter(|line| line.ends_with('+') && !DRAWING_NOTHING.contains(line)).chain(OTHERS);
    let takes_all = std::env::var("SLOW_TRACES").is_ok_and(|which| which == "all");
    let mut trials = Vec::new();
    for (number, line) in drawing.enumerate() {
        let pairs = BACKENDS.into_iter().flat_map(|api| [Abi::AppendixA, Abi::Direct3d].map(|abi| (api, abi)));
        for (place, (api, abi)) in pairs.enumerate() {
            // It takes few vertices of a draw of Appendix A.
            let is_quick = line.starts_with("mesh") && matches!(abi, Abi::AppendixA);
            let turn = if line.starts_with("mesh") { 1 + 2 * (number % 2) } else { number % 4 };
            if (takes_all || place == turn) && !is_quick {
                let name = format!("{line} on {}, {abi:?}", api.name());
                trials.push(api.fallible_trial(name, move || ends_at_its_timeout(line, api, abi)));
            }
        }
    }
    trials
}

/// Lines of the table that compare a trace with itself, for which nothing has to be drawn.
const DRAWING_NOTHING: [&str; 1] = ["compare TRACE TRACE +"];

/// Lines beside those of the table.
const OTHERS: [&str; 5] = [
    "compare TRACE OTHER --by picture +",
    "overlay TRACE --frame 0 --kind age --out OUT.png +",
    "overlay TRACE --frame 0 --kind wireframe --out OUT.png +",
    "overlay TRACE --frame 0 --draw 0 --kind highlight --out OUT.png +",
    "pixel TRACE --frame 0 --at 1,1 --triangles +",
];

#[derive(Clone, Copy, Debug)]
enum Abi {
    AppendixA,
    Direct3d,
}

impl Abi {
    /// A trace whose last draw has so many vertices.
    fn slow_trace(self, vertex_count: u32) -> Vec<u8> {
        match self {
            Self::AppendixA => slow_vertices(vertex_count),
            Self::Direct3d => slow_dispatch(vertex_count),
        }
    }
}

/// Passes position and colour through, as slowly as a thousand sines.
const SLOW_VERTEX_WGSL: &str = "\
struct Out {
  @builtin(position) position: vec4<f32>,
  @location(0) color: vec4<f32>,
}
@vertex fn vs_main(@location(0) position: vec2<f32>, @location(1) color: vec4<f32>) -> Out {
  var wave = position.x;
  for (var count = 0u; count < 1000u; count++) { wave = sin(wave + f32(count)); }
  return Out(vec4<f32>(position, wave, 1.0), color);
}
";

/// Draws of nearly as many vertices as a frame may have.
fn slow_vertices(vertex_count: u32) -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, SLOW_VERTEX_WGSL, FRAGMENT_WGSL).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind_layout(1, 0, 0, 8);
    for _ in 0..4 {
        scene.draw(0, 240_000_000);
    }
    scene.draw(0, vertex_count).end().begin().draw(0, vertex_count);
    scene.end_and_finish()
}

/// Threads that each count to a billion, before a draw.
fn slow_dispatch(vertex_count: u32) -> Vec<u8> {
    let text = "cs_5_0\n.text\ndcl_uav_raw u0\ndcl_temps 2\ndcl_thread_group 64, 1, 1\nmov r0.x, l(0)\nloop\n\
                uge r0.y, r0.x, l(1000000000)\nbreakc_nz r0.y\niadd r0.x, r0.x, l(1)\nendloop\n\
                store_raw u0.x, l(0), r0.x\nret\n";
    let code = assemble(text).map(|(code, ..)| code).unwrap();
    let mut stream = Stream::new();
    stream.texture(1, R8G8B8A8, [16, 16], [1, 1]).targets(&[1], 0).viewport([0.0, 0.0, 16.0, 16.0]);
    stream.tokens(10, VERTEX, &VERTEX_SHADER_9).tokens(12, PIXEL, &PIXEL_SHADER_9).container(11, COMPUTE, &code);
    stream.declaration_9(30).use_layout(30).topology(TRIANGLE_LIST).empty_buffer(21, 64);
    stream.writes(COMPUTE, 0, 21).dispatch([10, 12, 11], [1 << 14, 1, 1]).shaders(10, 12);
    // What is drawn depends on what is counted.
    stream.vertex_buffer(0, 21, 32, 0).draw(0, vertex_count).present();
    let mut next = Stream::new();
    next.draw(0, vertex_count).present();
    recording([&stream.finish()[..], &next.finish()[..]])
}

fn ends_at_its_timeout(line: &str, api: Backend, abi: Abi) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("slow.aerogputrace"), abi.slow_trace(3))?;
    fs::write(folder.path().join("other.aerogputrace"), abi.slow_trace(6))?;
    let mut command = program();
    command.current_dir(&folder);
    for word in line.split(' ') {
        match word {
            "+" => command.args(api.arguments()),
            "TRACE" => command.arg("slow.aerogputrace"),
            "OTHER" => command.arg("other.aerogputrace"),
            "A.png" => command.arg("a.png"),
            word => command.arg(word.replace("OUT", "out").replace("DIR", "folder")),
        };
    }
    fs::copy(crate::support::root().join("golden/triangle/frame0000.png"), folder.path().join("a.png"))?;
    let started = Instant::now();
    command.args(["--timeout", &TIMEOUT_S.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    while child.try_wait()?.is_none() {
        if started.elapsed() > Duration::from_secs(TIMEOUT_S + 2) + PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(format!("{line} on {api:?}, {abi:?} does not end").into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(124) || output.status.signal().is_some() {
        return Err(format!("{line} on {api:?}, {abi:?}: {}: {said}", output.status).into());
    }
    if !said.contains("--timeout")
        || said.lines().filter(|line| line.starts_with("error:") || line.contains(r#""type":"error""#)).count() != 1
    {
        return Err(format!("{line} on {api:?}, {abi:?} does not say why it ends: {said}").into());
    }
    Ok(())
}
